/* nodemanager/aggregate/aggregator.h - aggregates the logs of applications that have ended on this
 * node: a thread copies them into the folder that the nodes share (remote.h, app_logs.h), one
 * application after the other.
 *
 *    the application is cleaned up --> note logs/<app>/.aggregate --> copied --> note removed
 *                                          |            ^    |
 *                                          |            |    `-- fails: tried again, after a rest
 *                                          |            `-- a restarted NodeManager finds the note
 *                                          `-- the logs are gone before they were copied: given up
 *
 * The note is written before the application's record is removed, and removed once the copy is on
 * the disk, so logs are copied at least once. Where it cannot be written, as on a full disk, they
 * are copied unless the NodeManager is restarted before. The logs on the node stay as long as
 * without aggregation: `creel logs` and the pages read those.
 *
 * The thread also removes this node's old files from the shared folder. */
#ifndef CREEL_NODEMANAGER_AGGREGATE_AGGREGATOR_H
#define CREEL_NODEMANAGER_AGGREGATE_AGGREGATOR_H

#include "api/wire/node.h"
#include "base/conf/conf.h"
#include "nodemanager/aggregate/remote.h"
#include "nodemanager/aggregate/tfile.h"

#define NM_AGGREGATE_NOTE ".aggregate" /* in the application's folder of logs */

struct nm_aggregator_conf {
    const char *logs; /* the node's folder of logs; borrowed */
    struct nm_remote remote;
    enum nm_tfile_compression compression;
    int64_t sparse_max;        /* as in struct nm_app_logs */
    int64_t retain_s, check_s; /* how long files stay, and how often that is checked; retain_s -1:
                                * for ever */
};

struct nm_aggregator;
/* Reads the configuration for the node @node_id, whose folder of logs is @logs. Returns 1, or 0
 * when logs are not to be aggregated, or -BASE_EINVAL with the name of a wrong key. @out borrows
 * @logs. */
int nm_aggregator_read_conf(const struct base_conf *conf, const char *logs, const char *node_id,
                            struct nm_aggregator_conf *out, struct base_error *err);
/* Lists the applications whose notes are there, and starts the thread. */
int nm_aggregator_start(const struct nm_aggregator_conf *conf, struct nm_aggregator **out,
                        struct base_error *err);
/* Ends the thread, which leaves a copy unfinished, and frees @a, which may be NULL. */
void nm_aggregator_stop(struct nm_aggregator *a);
/* Has the logs of an application that is being cleaned up copied. @acl_view: may be NULL. */
void nm_aggregator_add(struct nm_aggregator *a, const struct base_app_id *app, const char *user,
                       const char *acl_view);
/* Returns true while there are logs that are still to be copied. @a may be NULL. */
bool nm_aggregator_is_busy(struct nm_aggregator *a);
/* Returns a list, which the caller frees, of the applications whose logs were given up within the
 * last minute, and of those whose logs are not copied yet, the newest of both first: at most @max.
 * Sets *@n to their number, and *@more to whether there are others. @a may be NULL. */
struct wire_log_report *nm_aggregator_list(struct nm_aggregator *a, size_t max, size_t *n,
                                           bool *more);

#endif
