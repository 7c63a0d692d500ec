/* rm/core/record/record.h - the stored form of what must survive a restart: short text whose first
 * word is its version.
 *
 * Each field is followed by a space. A number is decimal; a text is "<length>:<bytes>", or "-" if
 * it is absent; "n x" is a number n followed by n fields x.
 *
 *   app     a1, a2, a3: rm/core/record/app_record.c
 *   task    t1 <state> <attempts> <next> <last> <failures> <exit> <container num> <node> <start>
 *              <finish> <diagnostics> <n bad nodes> <n counters> [<time suspended>]
 *           t2 the same with that time and <n attempts that have not succeeded>; written only for a
 *              task with such attempts, since earlier versions cannot read it
 *              attempt: <number> <killed 0|1> <exit> <container num> <node> <start> <finish>
 *   node    n1 <state> <host> <http> <rack> <version> <boot id> <instance> <map slots>
 *              <reduce slots> [<time of the last accepted request>]
 *           n2 the same with that time and <draining 0|1> <decommissioning 0|1> <until>
 *              <given MiB> <given vcores>, both -1: none given; written only for a node that is
 *              draining or decommissioning or has given resources, since earlier versions cannot
 *              read it
 *           n3 the same and <time at which containers without a slot are killed>; written only for
 *              a node with such a time
 *           n4 the same, that time 0: none, and <master slots>; written only for a node that
 *              registered some
 *   commit  c1 <attempt>: the attempt that may commit; -1: none any more
 *   meta    f2 <0|1>, key "format": 1 for a store that is known to be the right one, 0 for one that
 *              was created empty and has not been confirmed
 *           l1 <n labels> <n nodes>, key "labels"
 *              label: <name> <exclusive 0|1>; node: <id, or host:0> <name of its label, or "">
 *           q1 <version> <n properties>, key "scheduler-conf": the configuration of the queues
 *              property: <name> <value>
 *           r1 <queue> <user> <name> <recurrence> <priority> <accepted> <arrival> <deadline>
 *              <interpreter> <n requests> <n bookings>, key "reservation_..."
 *              request: <MiB> <vcores> <map slots> <reduce slots> <containers> <width> <duration>
 *              booking: <start> <end> <slots> <request>
 *           k1 <user> <SHA-256 of the secret> <made> <expires>, key "token_<id, 16 hex digits>"
 *           m2 <made> <active from> <n keys>, key "master-key_<kind>": the keys of tokens of
 *              masters; @made: the newest of them
 *              key: <0: current, 1: previous, 2: waiting> <id> <name of the secret's key>
 *                   <salt, hex digits>
 *           m1 <id> <bytes, hex digits>: written by earlier versions, one key without a secret
 *           s1 <n paths> <n splits>, key "splits_<app id>"
 *              split: <path> <offset> <length> <gzip> <n hosts>
 *
 * The splits are stored in addition to the job's JSON, since files may have come or gone by the
 * time they are read back. */
#ifndef CREEL_RM_CORE_RECORD_RECORD_H
#define CREEL_RM_CORE_RECORD_RECORD_H

#include "base/mem.h"
#include "rm/core/state.h"

#define RM_LABELS_KEY     "labels"
#define RM_QUEUE_CONF_KEY "scheduler-conf"
#define RM_TOKEN_KEY      "token_"      /* and the token's id */
#define RM_MASTER_KEY_KEY "master-key_" /* and its kind */

/* Append one field. @s may be NULL. */
void rm_put_int(struct base_buf *b, int64_t v);
void rm_put_text(struct base_buf *b, const char *s);
/* Appends @n and the @n counters @v; if @v is NULL, appends the number 0 only. */
void rm_put_counters(struct base_buf *b, const int64_t *v, int n);

/* rm_record_begin() begins a record in c->text with the word @version. rm_record_emit() emits the
 * record composed there as (@table, @key), and returns its number. */
void rm_record_begin(struct rm_core *c, const char *version);
uint64_t rm_record_emit(struct rm_core *c, const char *table, const char *key);
/* Returns the key of application @id's record, in memory that is valid until the next step. */
char *rm_record_app_key(struct rm_core *c, struct base_app_id id);

/* The next four functions emit a record and return its number. In a simulation they emit nothing,
 * and return the number of the newest record. */
uint64_t rm_record_task(struct rm_core *c, struct rm_app *a, const struct rm_task *t);
uint64_t rm_record_commit_right(struct rm_core *c, struct rm_app *a, struct rm_task *t);
uint64_t rm_record_node(struct rm_core *c, const struct rm_node *n);
uint64_t rm_record_format(struct rm_core *c, bool confirmed);
/* Emits the list of splits of a job that has one; nothing in a simulation. */
void rm_record_splits(struct rm_core *c, struct rm_app *a);
/* Returns the exact size in bytes of the record that rm_record_splits() emits. */
size_t rm_record_splits_size(const struct rm_job_spec *s);
/* Returns true when the records of a submission would exceed their bounds; the request @token has
 * then been answered with the error. @job: NULL for a plain application. */
bool rm_record_refuse_if_too_large(struct rm_core *c, uint64_t token, const char *json,
                                   const struct rm_job_spec *job);
/* Remove records; rm_record_remove_app() also those of a job's tasks and splits, unless they are
 * pruned already or are going to be. */
void rm_record_remove_app(struct rm_core *c, struct rm_app *a);
void rm_record_delete_node(struct rm_core *c, const struct rm_node *n);
void rm_record_remove_splits(struct rm_core *c, struct rm_app *a);
/* Removes the records of @t, of which there may be none. Returns their number. */
int rm_record_remove_task(struct rm_core *c, struct rm_app *a, const struct rm_task *t);

#endif
