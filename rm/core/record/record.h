/* rm/core/record/record.h - the stored form of what must survive: short text whose first word is
 * its version.
 *
 * Fields are separated by one space. A number is decimal, a text is "<length>:<bytes>" ("-" is an
 * absent text), "n x" is a count and so many of x.
 *
 *   app     a1 <job 0|1> <length of json> <token> <submit> <launch> <start> <finish> <state>
 *              <before> <target> <final> <ending> <set up> <diagnostics>
 *              <n counters of the core> <failed attempts> <n attempts> <promised> <earliest>
 *              <queue> <epoch of its submission> [<sums>] <json>
 *              attempt: <number> <state> <registered> <has_master> <master_num> <node> <http>
 *                       <host> <url> <diagnostics> <rpc> <exit> <start> <finish> <next_num>
 *              sums, of an ended job whose tasks have no records: <maps> <succeeded> <reduces>
 *                       <succeeded> <MiB us> <vcore us> <n counters of tasks>
 *           a2 the same with <MiB ms> <vcore ms>; written when sums in microseconds do not fit
 *   task    t1 <state> <attempts> <next> <last> <failures> <exit> <container num> <node> <start>
 *              <finish> <diagnostics> <n bad nodes> <n counters> [<time suspended>]
 *   node    n1 <state> <host> <http> <rack> <version> <boot id> <instance> <map slots>
 *              <reduce slots>
 *   commit  c1 <attempt>: the attempt that may commit; -1: none any more
 *   meta    f2 <0|1>, key "format": 0 for a store that was created empty and that nobody has
 *              confirmed, 1 for one that is known to be the right one
 *           s1 <n paths> <n splits>, key "splits_<app id>"
 *              split: <path> <offset> <length> <gzip> <n hosts>
 *
 * The splits are stored beside the job's JSON, since files may have come or gone by the time they
 * are read back. */
#ifndef CREEL_RM_CORE_RECORD_RECORD_H
#define CREEL_RM_CORE_RECORD_RECORD_H

#include "base/mem.h"
#include "rm/core/state.h"

void rm_put_int(struct base_buf *b, int64_t v);      /* with a space behind */
void rm_put_text(struct base_buf *b, const char *s); /* NULL is fine */

uint64_t rm_record_app(struct rm_core *c, struct rm_app *a);
void rm_record_splits(struct rm_core *c, struct rm_app *a);
size_t rm_record_splits_size(const struct rm_job_spec *s); /* bytes of that record, exactly */
/* A submission whose records would be over their bounds is refused, and answered. @job: NULL for an
 * application. */
bool rm_record_refuse_too_large(struct rm_core *c, uint64_t token, const char *json,
                                const struct rm_job_spec *job);
uint64_t rm_record_task(struct rm_core *c, struct rm_app *a, const struct rm_task *t);
uint64_t rm_record_commit(struct rm_core *c, struct rm_app *a, struct rm_task *t);
uint64_t rm_record_node(struct rm_core *c, const struct rm_node *n);
void rm_record_remove_node(struct rm_core *c, const struct rm_node *n);
uint64_t rm_record_format(struct rm_core *c, bool confirmed);
void rm_record_remove_app(struct rm_core *c, struct rm_app *a);
/* How many there were. */
int rm_record_remove_task(struct rm_core *c, struct rm_app *a, const struct rm_task *t);
void rm_record_remove_splits(struct rm_core *c, struct rm_app *a);

#endif
