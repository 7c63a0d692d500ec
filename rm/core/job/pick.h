/* rm/core/job/pick.h - which task of a job suits a node. */
#ifndef CREEL_RM_CORE_JOB_PICK_H
#define CREEL_RM_CORE_JOB_PICK_H

#include "rm/core/state.h"

void rm_pick_index_init(struct rm_core *c, struct rm_app *a, enum base_task_kind k);
void rm_pick_index_free(struct rm_core *c,
                        struct rm_phase *p); /* @c NULL: the core is being freed */
/* After rm_pick_index_init: makes all tasks pending. */
void rm_pick_mark_all_pending(struct rm_phase *p);
void rm_pick_mark_pending(struct rm_core *c, struct rm_app *a,
                          struct rm_task *t);                     /* becomes pending */
void rm_pick_unmark_pending(struct rm_app *a, struct rm_task *t); /* pending no more */
/* Prefetches for rm_pick_task_near. Steps 0 and 1, some time apart: the second needs the first. */
void rm_pick_prefetch_near(const struct rm_app *a, enum base_task_kind k,
                           const struct rm_node *node, int step);
/* The best pending task near @node, NULL: none. *level: how near it is, or the best level to be
 * had elsewhere. *located: false if location does not matter to it. */
struct rm_task *rm_pick_task_near(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                                  const struct rm_node *node, enum delay_level *level,
                                  bool *located);
/* Any pending task that may run on @node, wherever its data is. */
struct rm_task *rm_pick_any_task(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                                 const struct rm_node *node);

#endif
