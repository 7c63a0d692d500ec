/* rm/core/app/queues.h - placement in queues, and the counts per queue. */
#ifndef CREEL_RM_CORE_APP_QUEUES_H
#define CREEL_RM_CORE_APP_QUEUES_H

#include "rm/core/core.h"

struct rm_app;
struct rm_core;

struct rm_queue { /* what there is in a queue of the tree, beside the same index */
    int64_t pending_apps, active_apps;
    struct rm_res used;
    int64_t containers, pending[BASE_TASK_KINDS];
};

void rm_queues_add_missing(struct rm_core *c); /* the tree has grown */
/* The queue of a submission, by the rules of placement; may make it. RM_NONE when it is refused. */
int rm_queue_place_submission(struct rm_core *c, const char *queue, const char *user,
                              const struct rm_str_list *groups, uint32_t *index,
                              struct base_error *err);
void rm_queues_on_set(struct rm_core *c, const struct rm_event *ev);
/* Puts @a, which is in no queue, into one. RM_NONE: into none; it will not run. */
void rm_app_enter_queue(struct rm_core *c, struct rm_app *a, uint32_t index);

#endif
