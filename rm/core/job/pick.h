/* rm/core/job/pick.h - the index of a job's pending tasks, and the choice of a task for a node. */
#ifndef CREEL_RM_CORE_JOB_PICK_H
#define CREEL_RM_CORE_JOB_PICK_H

#include "rm/core/state.h"

/* Makes the index for the tasks of kind @k, none of them pending. */
void rm_pick_index_init(struct rm_core *c, struct rm_app *a, enum base_task_kind k);
/* @c may be NULL when the core is being freed. */
void rm_pick_index_free(struct rm_core *c, struct rm_phase *p);
/* Marks all tasks pending. Call right after rm_pick_index_init(). */
void rm_pick_mark_all_pending(struct rm_phase *p);
void rm_pick_mark_pending(struct rm_core *c, struct rm_app *a, struct rm_task *t);
void rm_pick_unmark_pending(struct rm_app *a, struct rm_task *t);
/* Prefetches what rm_pick_task_near() will read. Call with @step 0, and some time later with 1,
 * which reads what 0 has fetched. */
void rm_pick_prefetch_near(const struct rm_app *a, enum base_task_kind k,
                           const struct rm_node *node, int step);
/* Returns a pending task that may run on @node: one with data on its host, else one without
 * preferred hosts, else, if there are several racks, one with data in its rack. NULL: there is none
 * of these, or no task of the kind names hosts. Sets *level to how near the data is; without a
 * task, to the nearest level at which rm_pick_any_task() can place one. Sets *located to false when
 * location does not matter to the task, or to any task. */
struct rm_task *rm_pick_task_near(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                                  const struct rm_node *node, enum delay_level *level,
                                  bool *located);
/* Returns the first pending task that may run on @node, wherever its data is; NULL: none. */
struct rm_task *rm_pick_any_task(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                                 const struct rm_node *node);

#endif
