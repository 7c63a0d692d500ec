/* policies/common/order.h - jobs in order without sorting: an intrusive treap with parent links.
 *
 * Order: by key, submit time, cluster timestamp and sequence, smallest first. Heap priorities are a
 * hash of the id, so the tree's shape depends only on its elements and is the same on every
 * machine. Insert, remove and move: O(log n), without allocation; first: O(1); next: O(1)
 * amortised. */
#ifndef CREEL_POLICIES_COMMON_ORDER_H
#define CREEL_POLICIES_COMMON_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct policy_link { /* all zero: in no order */
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

/* Sets the fields that break ties, and the heap priority. */
void policy_link_init(struct policy_link *l, int64_t submit_us, int64_t cluster_ts, int32_t seq);
/* True if @a comes before @b: by key, then submission and id. */
bool policy_link_before(const struct policy_link *a, const struct policy_link *b);
void policy_order_insert(struct policy_order *o, struct policy_link *l, int64_t key);
void policy_order_remove(struct policy_order *o, struct policy_link *l);
/* Changes the key of the linked @l. Cheap when its neighbours stay the same. */
void policy_order_move(struct policy_order *o, struct policy_link *l, int64_t key);
/* Inserts or moves @l so that it has @key, or with @in false removes it if it is linked. */
void policy_order_place(struct policy_order *o, struct policy_link *l, bool in, int64_t key);
/* Return the neighbour of the linked @l, or NULL at the end. */
struct policy_link *policy_order_next(const struct policy_link *l);
struct policy_link *policy_order_prev(const struct policy_link *l);

#endif
