#include "policies/common/order.h"

#include "base/error.h"

bool policy_link_before(const struct policy_link *a, const struct policy_link *b)
{
    if (a->key != b->key)
        return a->key < b->key;
    if (a->submit_us != b->submit_us)
        return a->submit_us < b->submit_us;
    if (a->cluster_ts != b->cluster_ts)
        return a->cluster_ts < b->cluster_ts;
    return a->seq < b->seq;
}

void policy_link_init(struct policy_link *l, int64_t submit_us, int64_t cluster_ts, int32_t seq)
{
    uint64_t x = ((uint64_t)cluster_ts << 20) ^ (uint64_t)(uint32_t)seq;

    /* splitmix64's finaliser spreads consecutive ids well */
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    x ^= x >> 31;
    *l = (struct policy_link){
        .submit_us = submit_us, .cluster_ts = cluster_ts, .seq = seq, .heap = (uint32_t)(x >> 32)};
}

static void replace_child(struct policy_order *o, struct policy_link *up, struct policy_link *old,
                          struct policy_link *new)
{
    if (!up)
        o->root = new;
    else if (up->left == old)
        up->left = new;
    else
        up->right = new;
    if (new)
        new->up = up;
}

/* Rotates so that @l takes the place of its parent, which becomes its child. */
static void rotate_up(struct policy_order *o, struct policy_link *l)
{
    struct policy_link *up = l->up;

    replace_child(o, up->up, up, l);
    if (up->left == l) {
        up->left = l->right;
        if (l->right)
            l->right->up = up;
        l->right = up;
    } else {
        up->right = l->left;
        if (l->left)
            l->left->up = up;
        l->left = up;
    }
    up->up = l;
}

void policy_order_insert(struct policy_order *o, struct policy_link *l, int64_t key)
{
    struct policy_link *up = NULL, **at = &o->root;
    bool leftmost = true;

    base_assert(!l->linked);
    l->key = key;
    l->left = l->right = NULL;
    while (*at) {
        up = *at;
        if (policy_link_before(l, up)) {
            at = &up->left;
        } else {
            at = &up->right;
            leftmost = false;
        }
    }
    *at = l;
    l->up = up;
    if (leftmost)
        o->first = l;
    while (l->up && l->heap < l->up->heap)
        rotate_up(o, l);
    l->linked = true;
    o->n++;
}

void policy_order_remove(struct policy_order *o, struct policy_link *l)
{
    base_assert(l->linked);
    if (o->first == l)
        o->first = policy_order_next(l);
    while (l->left && l->right)
        rotate_up(o, l->left->heap < l->right->heap ? l->left : l->right);
    replace_child(o, l->up, l, l->left ? l->left : l->right);
    l->up = l->left = l->right = NULL;
    l->linked = false;
    o->n--;
}

void policy_order_move(struct policy_order *o, struct policy_link *l, int64_t key)
{
    const struct policy_link *beside;
    int64_t old = l->key;

    if (old == key)
        return;
    beside = key > old ? policy_order_next(l) : policy_order_prev(l);
    l->key = key;
    if (!beside || (key > old ? policy_link_before(l, beside) : policy_link_before(beside, l)))
        return;
    l->key = old;
    policy_order_remove(o, l);
    policy_order_insert(o, l, key);
}

void policy_order_place(struct policy_order *o, struct policy_link *l, bool in, int64_t key)
{
    if (!in) {
        if (l->linked)
            policy_order_remove(o, l);
    } else if (l->linked) {
        policy_order_move(o, l, key);
    } else {
        policy_order_insert(o, l, key);
    }
}

struct policy_link *policy_order_next(const struct policy_link *l)
{
    if (l->right) {
        for (l = l->right; l->left; l = l->left)
            continue;
        return (struct policy_link *)l;
    }
    while (l->up && l->up->right == l)
        l = l->up;
    return l->up;
}

struct policy_link *policy_order_prev(const struct policy_link *l)
{
    if (l->left) {
        for (l = l->left; l->right; l = l->right)
            continue;
        return (struct policy_link *)l;
    }
    while (l->up && l->up->left == l)
        l = l->up;
    return l->up;
}
