/* Reports ended attempts to the policy, and adds successful ones to the statistics for later
 * jobs. */
#include "rm/core/job/learn.h"

#include "rm/core/state.h"

static int64_t task_input_bytes(const struct rm_app *a, const struct rm_task *t,
                                const struct rm_container_report *r)
{
    if (r && r->counters)
        return r->counters[t->kind == BASE_TASK_MAP ? BASE_COUNT_MAP_INPUT_BYTES
                                                    : BASE_COUNT_REDUCE_INPUT_BYTES];
    if (r && r->input_bytes > 0)
        return r->input_bytes;
    return t->kind == BASE_TASK_MAP && (size_t)t->index < a->job->splits_n
               ? a->job->splits[t->index].length
               : 0;
}

static int64_t task_output_bytes(const struct rm_task *t, const struct rm_container_report *r)
{
    if (r && r->counters)
        return r->counters[t->kind == BASE_TASK_MAP ? BASE_COUNT_MAP_OUTPUT_BYTES
                                                    : BASE_COUNT_REDUCE_OUTPUT_BYTES];
    return r ? r->output_bytes : 0;
}

static void add_to_learned_statistics(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                                      const struct policy_task_end *e)
{
    policy_learned_add_task_of_job(&c->learned, &a->pj, k, e);
    if (k == BASE_TASK_MAP && a->pj.seen[k].n >= a->phase[k].total)
        policy_learned_add_map_selectivity(&c->learned, &a->pj);
}

void rm_learn_report_attempt_end(struct rm_core *c, struct rm_app *a, const struct rm_task *t,
                                 const struct rm_container *ct, const struct rm_container_report *r,
                                 bool success, bool killed)
{
    struct policy_task_end e = {.task = t->index,
                                .node = ct->node->index,
                                .started_us = ct->start_us + ct->suspended_us,
                                .ended_us = c->now_us,
                                .success = success,
                                .killed = killed,
                                .suspended = ct->suspended_at_us != 0};
    int64_t lasted, idle = 0;

    if (e.suspended)
        e.started_us += c->now_us - ct->suspended_at_us;
    lasted = e.ended_us - e.started_us;
    /* The node's own times are preferred, since its report may arrive late. */
    if (r && r->started_us > 0 && r->ended_us >= r->started_us)
        lasted = r->ended_us - r->started_us - ct->suspended_us;
    if (t->kind == BASE_TASK_REDUCE && a->pj.maps_done_us > e.started_us)
        idle = a->pj.maps_done_us - e.started_us;
    e.work_us = lasted > idle ? lasted - idle : 0;
    e.bytes_in = task_input_bytes(a, t, r);
    e.bytes_out = task_output_bytes(t, r);
    if (success)
        add_to_learned_statistics(c, a, t->kind, &e);
    if (c->ops->on_task_ended && a->in_policy)
        c->ops->on_task_ended(c->policy, &a->pj, t->kind, &e);
}

void rm_learn_from_recovered_tasks(struct rm_core *c, struct rm_app *a)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        for (int32_t i = 0; i < a->phase[k].total; i++) {
            const struct rm_task *t = &a->phase[k].tasks[i];
            int64_t from = t->start_us + t->suspended_us;
            struct policy_task_end e = {.task = i, .node = t->node, .success = true};

            if (t->state != RM_TASK_SUCCEEDED || t->finish_us <= 0)
                continue;
            if (k == BASE_TASK_MAP && t->finish_us > a->pj.maps_done_us &&
                a->phase[k].succeeded == a->phase[k].total)
                a->pj.maps_done_us = t->finish_us;
            if (k == BASE_TASK_REDUCE && a->pj.maps_done_us > from)
                from = a->pj.maps_done_us;
            e.started_us = t->start_us + t->suspended_us;
            e.ended_us = t->finish_us;
            e.work_us = t->finish_us > from ? t->finish_us - from : 0;
            e.bytes_in = task_input_bytes(a, t, NULL);
            add_to_learned_statistics(c, a, k, &e);
        }
}
