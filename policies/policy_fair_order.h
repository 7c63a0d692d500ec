/* policies/policy_fair_order.h - jobs or queues in order, in small sorted arrays.
 *
 * The keys of policy_order.h, (key, submit time, cluster timestamp, sequence), smallest first. Fair sharing moves an element
 * at every start and end of a task, mostly past a few neighbours: in arrays of a few dozen entries that is cheaper than
 * links between jobs that are far apart in memory. With many elements the arrays are split, so that a move stays
 * O(log n). Nothing is allocated while the number of elements stays about the same. */
#ifndef CREEL_POLICY_FAIR_ORDER_H
#define CREEL_POLICY_FAIR_ORDER_H

#include <stddef.h>

#include "policies/policy_order.h"

struct fair_chunk;
struct fair_order { /* zero: empty; fair_order_free() */
    struct fair_chunk **v, *spare;
    size_t chunks, cap;
};

/* Links are made with policy_link_init(); of them key and linked change. */
void fair_order_insert(struct fair_order *o, struct policy_link *l, int64_t key);
void fair_order_remove(struct fair_order *o, struct policy_link *l);
/* Gives a linked @l another key. */
void fair_order_move(struct fair_order *o, struct policy_link *l, int64_t key);
struct policy_link *fair_order_first(const struct fair_order *o);
/* What comes behind @l, or behind the place where it was when it is no longer linked. */
struct policy_link *fair_order_next(const struct fair_order *o, const struct policy_link *l);
void fair_order_free(struct fair_order *o);

#endif
