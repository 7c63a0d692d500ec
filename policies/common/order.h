/* policies/common/order.h - jobs in order without sorting: an intrusive treap with parent links.
 *
 * Keys: (key, submit time, cluster timestamp, sequence), smallest first. Heap priorities are a hash
 * of the id, so the shape depends on the set of jobs alone: same on every machine. Insert, remove,
 * move: O(log n), no allocation;
 * first: O(1); next: O(1) amortised. */
#ifndef CREEL_POLICIES_COMMON_ORDER_H
#define CREEL_POLICIES_COMMON_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct policy_link { /* zero: not in an order */
    struct policy_link *up, *left, *right;
    int64_t key, submit_us, cluster_ts;
    int32_t seq;
    uint32_t heap;
    bool linked;
};
struct policy_order {
    struct policy_link *root, *first;
    size_t n;
};

/* Sets the fixed part of the key. */
void policy_link_init(struct policy_link *l, int64_t submit_us, int64_t cluster_ts, int32_t seq);
/* By key, then as every tie breaks. */
bool policy_link_before(const struct policy_link *a, const struct policy_link *b);
void policy_order_insert(struct policy_order *o, struct policy_link *l, int64_t key);
void policy_order_remove(struct policy_order *o, struct policy_link *l);
/* Gives a linked @l another key. Cheap when its neighbours stay. */
void policy_order_move(struct policy_order *o, struct policy_link *l, int64_t key);
/* Whatever @l is now: in the order with that key, or (@in false) out of it. */
void policy_order_place(struct policy_order *o, struct policy_link *l, bool in, int64_t key);
struct policy_link *policy_order_next(const struct policy_link *l);
struct policy_link *policy_order_prev(const struct policy_link *l);

#endif
