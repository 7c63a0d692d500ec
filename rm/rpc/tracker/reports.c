#include "rm/rpc/tracker/reports.h"

#include <math.h>
#include <string.h>

#include "rm/rpc/put.h"

#define COMPLETE 3

/* ---- slots ---- */

int rm_tracker_check_share(const struct base_conf *conf, struct base_error *err)
{
    double share = base_conf_double(conf, RM_TRACKER_SHARE_KEY);

    if (share >= 0 && share <= 1) /* not a number: neither */
        return 0;
    return base_error_set(err, -BASE_EINVAL, RM_TRACKER_SHARE_KEY ": %g: expected 0 to 1", share);
}

struct slot_sizes {
    int64_t memory_mb[BASE_TASK_KINDS], vcores[BASE_TASK_KINDS];
    bool by_vcores;
    double reduce_share;
};

static void read_slot_sizes(const struct base_conf *conf, struct slot_sizes *out)
{
    out->memory_mb[BASE_TASK_MAP] = base_conf_int(conf, "creel.slot.map.memory-mb");
    out->memory_mb[BASE_TASK_REDUCE] = base_conf_int(conf, "creel.slot.reduce.memory-mb");
    out->vcores[BASE_TASK_MAP] = base_conf_int(conf, "creel.slot.map.vcores");
    out->vcores[BASE_TASK_REDUCE] = base_conf_int(conf, "creel.slot.reduce.vcores");
    out->by_vcores = strcmp(base_conf_get(conf, "creel.slot.by"), "memory") != 0;
    out->reduce_share = base_conf_double(conf, RM_TRACKER_SHARE_KEY);
}

static void divide_slots(const struct slot_sizes *s, int64_t slots, int64_t out[BASE_TASK_KINDS])
{
    out[BASE_TASK_REDUCE] = llround((double)slots * s->reduce_share);
    out[BASE_TASK_MAP] = slots - out[BASE_TASK_REDUCE];
}

static bool slots_fit(const struct slot_sizes *s, const int64_t slots[BASE_TASK_KINDS],
                      int64_t memory_mb, int64_t vcores)
{
    int64_t memory_used = 0, vcores_used = 0;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        if (slots[k] > BASE_NODE_SLOTS_MAX)
            return false;
        memory_used += slots[k] * s->memory_mb[k];
        vcores_used += slots[k] * s->vcores[k];
    }
    return memory_used <= memory_mb && (!s->by_vcores || vcores_used <= vcores);
}

void rm_tracker_compute_slots(const struct base_conf *conf, int64_t memory_mb, int64_t vcores,
                              int32_t out[static BASE_TASK_KINDS])
{
    int64_t few = 0, many = 2 * BASE_NODE_SLOTS_MAX, slots[BASE_TASK_KINDS];
    struct slot_sizes s;

    read_slot_sizes(conf, &s);
    while (few < many) { /* halves the range in which the largest number that fits lies */
        int64_t middle = (few + many + 1) / 2;

        divide_slots(&s, middle, slots);
        if (slots_fit(&s, slots, memory_mb, vcores))
            few = middle;
        else
            many = middle - 1;
    }
    divide_slots(&s, few, slots);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        out[k] = (int32_t)slots[k];
}

/* ---- containers ---- */

int rm_tracker_check_list_lengths(size_t containers, size_t apps, struct base_error *err)
{
    if (containers > RM_TRACKER_LIST_MAX)
        return base_error_set(err, -BASE_ELIMIT, "containers: %zu: expected at most %d", containers,
                              RM_TRACKER_LIST_MAX);
    if (apps > RM_TRACKER_LIST_MAX)
        return base_error_set(err, -BASE_ELIMIT, "applications: %zu: expected at most %d", apps,
                              RM_TRACKER_LIST_MAX);
    return 0;
}

static struct rm_container_report *add_report(struct rm_tracker_reports *out,
                                              const Yarn__ContainerId *id, int32_t state)
{
    struct rm_container_report *r = &out->v[out->n];

    *r = (struct rm_container_report){0};
    if (!id || !rm_rpc_get_container_id(id, &r->id))
        return NULL;
    r->state = state == COMPLETE ? RM_CONTAINER_COMPLETED : RM_CONTAINER_RUNNING;
    out->n++;
    return r;
}

static int64_t clamp_amount(int64_t amount)
{
    if (amount < 0)
        return 0;
    return amount < INT32_MAX ? amount : INT32_MAX;
}

/* Amounts as they were granted, which only the node has kept; no larger than Creel's own nodes may
 * report them (api/wire/node.c). */
static void read_resource(const Yarn__Resource *from, struct rm_res *out)
{
    if (!from)
        return;
    out->v[RM_RES_MEMORY_MB] = clamp_amount(from->memory);
    out->v[RM_RES_VCORES] = clamp_amount(from->vcores);
}

void rm_tracker_read_recovered(const Tracker__Registration *rq, struct rm_tracker_reports *out)
{
    out->n = 0;
    out->v = base_alloc((rq->n_containers + 1) * sizeof *out->v);
    for (size_t i = 0; i < rq->n_containers; i++) {
        const Tracker__Recovered *from = rq->containers[i];
        struct rm_container_report *r = add_report(out, from->id, from->state);

        if (!r)
            continue;
        r->exit_code = from->exit_status;
        r->diagnostics = from->diagnostics;
        r->started_us = from->created_ms > 0 && from->created_ms < INT64_MAX / 1000
                            ? from->created_ms * 1000
                            : 0;
        r->priority = from->priority ? from->priority->priority : 0;
        r->allocation_request_id = from->allocation_request_id;
        read_resource(from->resource, &r->resource);
    }
}

void rm_tracker_read_statuses(const Tracker__NodeStatus *s, struct rm_tracker_reports *out)
{
    out->n = 0;
    out->v = base_alloc((s->n_containers + 1) * sizeof *out->v);
    for (size_t i = 0; i < s->n_containers; i++) {
        const Tracker__Status *from = s->containers[i];
        struct rm_container_report *r = add_report(out, from->id, from->state);

        if (!r)
            continue;
        r->exit_code = from->exit_status;
        r->diagnostics = from->diagnostics;
    }
}

struct base_app_id *rm_tracker_read_apps(const Tracker__Registration *rq, size_t *n)
{
    struct base_app_id *v = base_alloc((rq->n_apps + 1) * sizeof *v);

    *n = 0;
    for (size_t i = 0; i < rq->n_apps; i++)
        *n += rm_rpc_get_app_id(rq->apps[i], &v[*n]);
    return v;
}

/* ---- figures ---- */

static int64_t milli_cores(const Tracker__Utilization *u)
{
    return u->cores > 0 && u->cores < 1e6F ? llroundf(u->cores * 1000) : 0; /* not a number: 0 */
}

static int64_t at_least_0(int32_t v)
{
    return v > 0 ? v : 0;
}

bool rm_tracker_read_utilization(const Tracker__NodeStatus *s, struct base_utilization *out)
{
    const Tracker__Utilization none = TRACKER__UTILIZATION__INIT;
    const Tracker__Utilization *node = s->of_node ? s->of_node : &none,
                               *all = s->of_containers ? s->of_containers : &none;

    *out = (struct base_utilization){.node_physical_mb = at_least_0(node->physical_mb),
                                     .node_virtual_mb = at_least_0(node->virtual_mb),
                                     .node_milli_cores = milli_cores(node),
                                     .containers_physical_mb = at_least_0(all->physical_mb),
                                     .containers_virtual_mb = at_least_0(all->virtual_mb),
                                     .containers_milli_cores = milli_cores(all)};
    return s->of_node != NULL;
}
