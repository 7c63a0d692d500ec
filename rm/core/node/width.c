#include "rm/core/node/width.h"

#include "base/sat.h"
#include "rm/core/state.h"

/* Returns how many slots with @each of a resource have @amount of it, at most INT32_MAX. */
static int64_t slots_with_amount(int64_t amount, int64_t each)
{
    int64_t slots = each > 0 && amount > 0 ? (amount - 1) / each + 1 : 1;

    return slots < INT32_MAX ? slots : INT32_MAX;
}

int32_t rm_slots_for_resource(const struct rm_core *c, enum base_task_kind k,
                              const struct rm_res *r)
{
    const struct rm_res *slot = &c->conf.slot_res[k];
    int64_t named = r->v[RM_RES_MAP_SLOTS + k], slots = 1, more;

    if (r->v[RM_RES_MEMORY_MB] > slot->v[RM_RES_MEMORY_MB])
        slots = slots_with_amount(r->v[RM_RES_MEMORY_MB], slot->v[RM_RES_MEMORY_MB]);
    if (c->conf.slots_by_vcores && r->v[RM_RES_VCORES] > slot->v[RM_RES_VCORES]) {
        more = slots_with_amount(r->v[RM_RES_VCORES], slot->v[RM_RES_VCORES]);
        slots = more > slots ? more : slots;
    }
    if (named > slots)
        slots = named < INT32_MAX ? named : INT32_MAX;
    return (int32_t)slots;
}

int32_t rm_slots_of_largest_node(const struct rm_core *c, enum base_task_kind k, bool hadoop_too)
{
    int32_t most = 1;

    for (size_t i = 0; i < c->nodes_n && !c->ops->single_slots; i++) {
        const struct rm_node *n = c->nodes[i];

        if (n && (n->counted || n->awaited) && (hadoop_too || !n->is_hadoop) && n->slots[k] > most)
            most = n->slots[k];
    }
    return most;
}

struct rm_res rm_resource_of_slots(const struct rm_core *c, enum base_task_kind k, int32_t slots)
{
    struct rm_res r = c->conf.slot_res[k];

    if (slots <= 1)
        return r;
    for (int i = 0; i <= RM_RES_VCORES; i++)
        r.v[i] = base_sat_mul(r.v[i], slots);
    r.v[RM_RES_MAP_SLOTS + k] = slots;
    return r;
}

struct rm_res rm_largest_resource(const struct rm_core *c, enum base_task_kind k, bool hadoop_too)
{
    return rm_resource_of_slots(c, k, rm_slots_of_largest_node(c, k, hadoop_too));
}

bool rm_resource_is_too_large(const struct rm_core *c, enum base_task_kind k,
                              const struct rm_res *r, enum rm_res_name name, bool hadoop_too)
{
    if (r->v[name] <= c->conf.slot_res[k].v[name])
        return false;
    return r->v[name] > rm_largest_resource(c, k, hadoop_too).v[name];
}
