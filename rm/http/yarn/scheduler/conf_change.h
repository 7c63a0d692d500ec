/* rm/http/yarn/scheduler/conf_change.h - decodes the body of a change to the scheduler
 * configuration. SOURCE: Hadoop's Capacity Scheduler documentation, the recordings capacity/conf.
 */
#ifndef CREEL_RM_HTTP_YARN_SCHEDULER_CONF_CHANGE_H
#define CREEL_RM_HTTP_YARN_SCHEDULER_CONF_CHANGE_H

#include <jansson.h>

#include "rm/core/queue/change.h"

struct yarn_conf_change {
    struct rm_conf_change change; /* points into the arrays below and into the body */
    const char **removed;
    struct rm_queue_params *added, *updated;
    struct rm_param **params; /* one array for each of these queues, and that of the globals */
    size_t params_n, params_cap;
    char **texts; /* for numbers and truth values */
    size_t texts_n, texts_cap;
};

/* Decodes @body, which must live as long as *@out:
 *   {"add-queue": QUEUE, "update-queue": QUEUE, "remove-queue": PATH, "global-updates": PARAMS}
 *   QUEUE: {"queue-name": PATH, "params": PARAMS}, PARAMS: {"entry": {"key": NAME, "value": TEXT}}
 * each of which may also be a list. Unknown members are ignored, as in YARN. Returns 0, or
 * -BASE_EINVAL with @err naming the member; free *@out in any case. */
int yarn_conf_change_decode(const json_t *body, struct yarn_conf_change *out,
                            struct base_error *err);
void yarn_conf_change_free(struct yarn_conf_change *c);

#endif
