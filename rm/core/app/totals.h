/* rm/core/app/totals.h - running totals of each queue, and of each user in a queue: applications,
 * containers, preemptions. They are figures for monitors, on which no decision depends; after a
 * restart they begin anew with the applications and containers that are taken over. */
#ifndef CREEL_RM_CORE_APP_TOTALS_H
#define CREEL_RM_CORE_APP_TOTALS_H

#include "base/data/map.h"
#include "policies/common/delay.h"
#include "rm/core/types.h"

struct rm_app;
struct rm_container;
struct rm_core;

/* A user who has, or had, applications in a queue. */
struct rm_member {
    uint32_t queue, user; /* indexes of rm_core.tree and rm_core.users */
    size_t place;         /* in rm_members.v */
    struct rm_totals totals;
};
/* At most RM_MEMBERS_MAX; further users are counted in their queues' totals alone. */
#define RM_MEMBERS_MAX 10000
struct rm_members {
    struct rm_member **v;
    size_t n, cap;
    struct base_map by_key;
};
void rm_members_free(struct rm_members *m);
/* Adds @from to @to. */
void rm_totals_add(struct rm_totals *to, const struct rm_totals *from);

/* Makes @a count for its user in its queue, which has just been set. @submitted: @a was submitted
 * there, not moved. */
void rm_totals_enter_queue(struct rm_core *c, struct rm_app *a, bool submitted);
/* Counts the end of @a, whose state is final. */
void rm_totals_count_end(struct rm_core *c, const struct rm_app *a);
/* Adds the totals of queue @index, which will be removed and has no containers, to those of the
 * queue above it, @parent. */
void rm_totals_add_removed_queue_to_parent(struct rm_core *c, uint32_t index, uint32_t parent);
/* Gives queues their new indexes: @to, by old index; -1: the queue has been removed, together with
 * its users' totals. */
void rm_totals_renumber_queues(struct rm_core *c, const int32_t *to);
/* Count a container that begins, and one that ends. */
void rm_totals_count_container_begin(struct rm_core *c, struct rm_container *ct);
void rm_totals_count_container_end(struct rm_core *c, struct rm_container *ct);
/* Adds what @a holds on labelled nodes to its queue's totals (@sign 1), or subtracts it (-1). */
void rm_totals_add_app_to_partitions(struct rm_core *c, const struct rm_app *a, int sign);
/* Counts a new container by where it was placed. */
void rm_totals_count_placed(struct rm_core *c, struct rm_app *a, enum delay_level level);
/* Counts @ct, which is about to be killed on behalf of the policy. */
void rm_totals_count_preempted(struct rm_core *c, const struct rm_container *ct);

#endif
