/* rm/config/queue_conf_file.h - the queues in the form of Hadoop's capacity-scheduler.xml: finds
 * and reads the file, and tells whether clients may change the queues (PUT
 * /ws/v1/cluster/scheduler-conf). The properties are described in rm/core/queue/capacity_tree.h. */
#ifndef CREEL_RM_CONFIG_QUEUE_CONF_FILE_H
#define CREEL_RM_CONFIG_QUEUE_CONF_FILE_H

#include "base/conf/conf.h"
#include "policies/common/queues.h"
#include "rm/core/queue/properties.h"

/* The queues with which a leadership begins. */
struct rm_first_queues {
    bool given; /* false: creel.scheduler.queues lists them */
    struct policy_queues tree;
    bool changeable; /* clients may change them: @conf describes them */
    struct rm_properties conf;
};
void rm_first_queues_free(struct rm_first_queues *q);

/* Resolves creel.scheduler.capacity-file, as rm_conf_resolve_path(). */
char *rm_queue_conf_resolve_path(const struct base_conf *conf, bool *optional);
/* Sets *@out, which the caller frees, to the present configuration of the queues: the file's, or
 * without a file one that describes the queues of creel.scheduler.queues. Returns 1 when there is a
 * file, 0 when there is none, or a negative BASE_E* with @err naming the file. Checks that the
 * properties describe valid queues. Must not be called on an HTTP thread. */
int rm_queue_conf_read_file_or_listed(const struct base_conf *conf, struct rm_properties *out,
                                      struct base_error *err);
/* Returns true when the queues are shown as those of the capacity scheduler, and its configuration
 * is in a store that clients may change: yarn.scheduler.configuration.store.class is not "file". */
bool rm_queue_conf_is_changeable(const struct base_conf *conf);

#endif
