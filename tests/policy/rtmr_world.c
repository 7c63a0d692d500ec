#include "tests/policy/rtmr_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/options.h"
#include "policies/registry.h"
#include "policies/rtmr/rtmr_internal.h"

static bool env_running(void *core, const struct policy_job *job, enum base_task_kind kind,
                        void **cursor, struct policy_running *out)
{
    const struct world_job *j = (const struct world_job *)(const void *)job;

    (void)core;
    for (intptr_t i = (intptr_t)*cursor; i < WORLD_TASKS; i++) {
        const struct world_task *t = &j->task[kind][i];

        if (!t->ends_us || t->killed)
            continue;
        *out = (struct policy_running){.job = (struct policy_job *)job,
                                       .kind = kind,
                                       .task = (int32_t)i,
                                       .node = t->node,
                                       .started_us = t->started_us,
                                       .container = (void *)t};
        *cursor = (void *)(i + 1);
        return true;
    }
    return false;
}

static void env_note(void *core, int level, const char *text)
{
    struct world *w = core;

    (void)level;
    w->notes++;
    snprintf(w->last_note, sizeof w->last_note, "%s", text);
}

static void settings_of(struct world *w, const char *settings)
{
    char *copy = base_strdup(settings ? settings : ""), *save = NULL;

    for (char *s = strtok_r(copy, ",", &save); s; s = strtok_r(NULL, ",", &save)) {
        struct base_error err;
        char *value = strchr(s, '=');

        *value++ = '\0';
        if (policy_conf_set(&w->conf, s, value, &err) < 0) {
            fprintf(stderr, "%s\n", err.text);
            abort();
        }
    }
    free(copy);
}

void world_init(struct world *w, const struct policy_ops *ops, const char *settings, int32_t nodes,
                int32_t maps, int32_t reduces, int64_t heartbeat_us, bool pad)
{
    *w = (struct world){.ops = ops, .nodes = nodes, .heartbeat_us = heartbeat_us};
    settings_of(w, settings);
    w->env = (struct policy_env){.conf = &w->conf,
                                 .capacity = &w->capacity,
                                 .learned = &w->learned,
                                 .core = w,
                                 .heartbeat_us = pad ? heartbeat_us : 0,
                                 .running = env_running,
                                 .note = env_note};
    w->capacity.nodes = nodes;
    for (int32_t i = 0; i < nodes; i++) {
        w->slots[BASE_TASK_MAP][i] = maps;
        w->slots[BASE_TASK_REDUCE][i] = reduces;
        w->capacity.slots[BASE_TASK_MAP] += maps;
        w->capacity.slots[BASE_TASK_REDUCE] += reduces;
    }
    w->policy = ops->create(&w->env);
}

void world_free(struct world *w)
{
    for (int32_t i = 0; i < w->n; i++) {
        if (w->jobs[i]->present)
            w->ops->on_job_left(w->policy, &w->jobs[i]->pj, w->now_us);
        free(w->jobs[i]);
    }
    w->ops->destroy(w->policy);
    policy_conf_free(&w->conf);
    free(w->plan.v);
}

static void tell_all(struct world *w, struct world_job *j)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        w->ops->on_job_changed(w->policy, &j->pj, k);
}

void world_switch(struct world *w, const struct policy_ops *ops)
{
    for (int32_t i = 0; i < w->n; i++)
        if (w->jobs[i]->present)
            w->ops->on_job_left(w->policy, &w->jobs[i]->pj, w->now_us);
    w->ops->destroy(w->policy);
    w->ops = ops;
    w->policy = ops->create(&w->env);
    if (ops->on_capacity)
        ops->on_capacity(w->policy, w->now_us);
    for (int32_t i = 0; i < w->n; i++)
        if (w->jobs[i]->present)
            ops->on_job_arrived(w->policy, &w->jobs[i]->pj, w->now_us);
    for (int32_t i = 0; i < w->n; i++)
        if (w->jobs[i]->present)
            tell_all(w, w->jobs[i]);
}

struct world_job *world_job(struct world *w, int64_t at_us, int32_t maps, int64_t map_us,
                            int32_t reduces, int64_t reduce_us, int64_t deadline_us)
{
    struct world_job *j = base_alloc(sizeof *j);
    const int32_t n[] = {maps, reduces};
    const int64_t us[] = {map_us, reduce_us};

    j->pj = (struct policy_job){.submit_us = at_us,
                                .cluster_ts = 1,
                                .seq = w->n + 1,
                                .weight = 1,
                                .deadline_us = deadline_us,
                                .is_job = true};
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        j->pj.phase[k].total = n[k];
        if (n[k])
            j->pj.size[k] = (struct policy_size){.given_us = us[k] * n[k], .given_max_us = us[k]};
        for (int32_t i = 0; i < n[k]; i++)
            j->task[k][i].needs_us = us[k];
    }
    w->jobs[w->n++] = j;
    return j;
}

/* ---- what happens ---- */
static void submit(struct world *w, struct world_job *j)
{
    j->submitted = true;
    j->accepted = !w->ops->admit || w->ops->admit(w->policy, &j->pj, w->now_us, &j->promise);
    if (!j->accepted)
        return;
    j->present = true;
    w->ops->on_job_arrived(w->policy, &j->pj, w->now_us);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        j->pj.phase[k].pending =
            k == BASE_TASK_MAP || !j->pj.phase[BASE_TASK_MAP].total ? j->pj.phase[k].total : 0;
    if (!j->pj.phase[BASE_TASK_MAP].total)
        j->pj.maps_done_us = w->now_us;
    tell_all(w, j);
}

static void free_slot(struct world *w, enum base_task_kind k, struct world_task *t)
{
    w->used[k][t->node]--;
    w->capacity.used[k]--;
    t->ends_us = 0;
}

static void leave(struct world *w, struct world_job *j)
{
    if (w->ops == &policy_rtmr && rtmr_job_of(&j->pj)->entry)
        j->recorded_us = rtmr_job_of(&j->pj)->entry->finish_us;
    w->ops->on_job_left(w->policy, &j->pj, w->now_us);
    j->present = false;
}

static void ended(struct world *w, struct world_job *j, enum base_task_kind k, int32_t i)
{
    struct world_task *t = &j->task[k][i];
    struct policy_phase *p = j->pj.phase;
    struct policy_task_end end = {.task = i,
                                  .node = t->node,
                                  .started_us = t->started_us,
                                  .ended_us = t->ends_us,
                                  .work_us = t->ends_us - t->started_us,
                                  .success = !t->killed,
                                  .killed = t->killed};
    bool success = !t->killed;

    free_slot(w, k, t);
    p[k].running--;
    if (success) {
        t->done = true;
        p[k].done++;
        j->finish_us = end.ended_us > j->finish_us ? end.ended_us : j->finish_us;
        j->pj.seen[k].n++;
        j->pj.seen[k].work_us += end.work_us;
        policy_learned_add_task(&w->learned, &j->pj, k, &end);
    } else {
        w->capacity.freeing[k]--;
        t->killed = false;
        p[k].pending++;
    }
    if (w->ops->on_task_ended)
        w->ops->on_task_ended(w->policy, &j->pj, k, &end);
    w->ops->on_job_changed(w->policy, &j->pj, k);
    if (k == BASE_TASK_MAP && success && p[k].done == p[k].total) {
        j->pj.maps_done_us = w->now_us;
        p[BASE_TASK_REDUCE].pending = p[BASE_TASK_REDUCE].total;
        w->ops->on_job_changed(w->policy, &j->pj, BASE_TASK_REDUCE);
    }
    if (p[BASE_TASK_MAP].done == p[BASE_TASK_MAP].total &&
        p[BASE_TASK_REDUCE].done == p[BASE_TASK_REDUCE].total)
        leave(w, j);
}

static bool report(struct world *w, uint32_t node)
{
    bool any = false;

    for (int32_t i = 0; i < w->n; i++)
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            for (int32_t t = 0; w->jobs[i]->present && t < w->jobs[i]->pj.phase[k].total; t++) {
                struct world_task *task = &w->jobs[i]->task[k][t];

                if (task->ends_us && task->node == node && task->ends_us <= w->now_us) {
                    ended(w, w->jobs[i], k, t);
                    any = true;
                }
            }
    return any;
}

static void start(struct world *w, struct world_job *j, enum base_task_kind k, uint32_t node)
{
    int32_t i = 0;

    while (j->task[k][i].done || j->task[k][i].ends_us)
        i++;
    j->task[k][i].node = node;
    j->task[k][i].started_us = w->now_us;
    j->task[k][i].ends_us = w->now_us + j->task[k][i].needs_us;
    j->pj.phase[k].pending--;
    j->pj.phase[k].running++;
    if (!j->pj.first_us)
        j->pj.first_us = w->now_us;
    w->used[k][node]++;
    w->capacity.used[k]++;
    if (w->ops->on_task_started)
        w->ops->on_task_started(w->policy, &j->pj, k, i, node, w->now_us);
    w->ops->on_job_changed(w->policy, &j->pj, k);
}

static bool offer(struct world *w, enum base_task_kind k, uint32_t node)
{
    struct policy_offer o = {.kind = k,
                             .now_us = w->now_us,
                             .node = node,
                             .node_slots = w->slots[k][node],
                             .node_used = w->used[k][node],
                             .capacity = &w->capacity};
    struct policy_job *job;

    if (w->used[k][node] >= w->slots[k][node])
        return false;
    job = w->ops->next(w->policy, &o, NULL);
    while (job && job->phase[k].pending <= 0)
        job = w->ops->next(w->policy, &o, job);
    if (job) {
        start(w, (struct world_job *)(void *)job, k, node);
        return true;
    }
    for (int32_t i = 0; i < w->n; i++)
        w->idle += !o.held && w->jobs[i]->present && w->jobs[i]->pj.phase[k].pending > 0;
    return false;
}

static void kill_some(struct world *w, enum base_task_kind k, uint32_t node)
{
    struct policy_running here[64];
    struct policy_offer o = {.kind = k,
                             .now_us = w->now_us,
                             .node = node,
                             .node_slots = w->slots[k][node],
                             .node_used = w->used[k][node],
                             .capacity = &w->capacity};
    size_t n = 0;

    if (!w->ops->victims || w->used[k][node] < w->slots[k][node])
        return;
    for (int32_t i = 0; i < w->n; i++)
        for (int32_t t = 0; w->jobs[i]->present && t < w->jobs[i]->pj.phase[k].total && n < 64;
             t++) {
            struct world_task *task = &w->jobs[i]->task[k][t];

            if (task->ends_us && task->node == node && !task->killed)
                here[n++] = (struct policy_running){.job = &w->jobs[i]->pj,
                                                    .kind = k,
                                                    .task = t,
                                                    .node = node,
                                                    .started_us = task->started_us,
                                                    .container = task};
        }
    w->plan.len = 0;
    w->ops->victims(w->policy, &o, here, n, &w->plan);
    for (size_t i = 0; i < w->plan.len; i++) {
        struct world_task *task = w->plan.v[i].container;

        task->killed = true;
        task->ends_us = w->now_us + 1;
        w->capacity.freeing[k]++;
        w->kills++;
    }
}

static bool beat(struct world *w, uint32_t node)
{
    bool any = report(w, node);

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        while (offer(w, k, node))
            any = true;
        kill_some(w, k, node);
    }
    return any;
}

/* ---- time ---- */
static int64_t earliest_end(const struct world *w)
{
    int64_t t = INT64_MAX;

    for (int32_t i = 0; i < w->n; i++)
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            for (int32_t j = 0; w->jobs[i]->present && j < w->jobs[i]->pj.phase[k].total; j++)
                if (w->jobs[i]->task[k][j].ends_us && w->jobs[i]->task[k][j].ends_us < t)
                    t = w->jobs[i]->task[k][j].ends_us;
    return t;
}

static int64_t next_time(const struct world *w, bool *left)
{
    int64_t t = w->oob || !w->heartbeat_us ? earliest_end(w) : INT64_MAX;

    *left = false;
    for (int32_t i = 0; i < w->n; i++) {
        *left = *left || w->jobs[i]->present || !w->jobs[i]->submitted;
        if (!w->jobs[i]->submitted && w->jobs[i]->pj.submit_us < t)
            t = w->jobs[i]->pj.submit_us;
    }
    for (int32_t i = 0; i < w->nodes && w->heartbeat_us; i++)
        t = w->next_us[i] < t ? w->next_us[i] : t;
    return t < w->now_us ? w->now_us : t;
}

static bool ends_here(const struct world *w, uint32_t node)
{
    for (int32_t i = 0; i < w->n; i++)
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            for (int32_t j = 0; w->jobs[i]->present && j < w->jobs[i]->pj.phase[k].total; j++)
                if (w->jobs[i]->task[k][j].ends_us && w->jobs[i]->task[k][j].node == node &&
                    w->jobs[i]->task[k][j].ends_us <= w->now_us)
                    return true;
    return false;
}

static void beats(struct world *w)
{
    bool any = true;

    if (!w->heartbeat_us) { /* all nodes report before any slot is offered */
        for (int32_t i = 0; i < w->nodes; i++)
            report(w, (uint32_t)i);
        while (any) {
            any = false;
            for (int32_t i = 0; i < w->nodes; i++)
                any = beat(w, (uint32_t)i) || any;
        }
        return;
    }
    for (int32_t i = 0; i < w->nodes; i++) {
        bool due = w->next_us[i] <= w->now_us;

        if (due)
            w->next_us[i] += w->heartbeat_us;
        if (due || (w->oob && ends_here(w, (uint32_t)i)))
            beat(w, (uint32_t)i);
    }
}

void world_kill(struct world *w, struct world_job *j)
{
    leave(w, j);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        for (int32_t i = 0; i < j->pj.phase[k].total; i++)
            if (j->task[k][i].ends_us) {
                w->capacity.freeing[k] -= j->task[k][i].killed;
                free_slot(w, k, &j->task[k][i]);
            }
    if (!w->heartbeat_us)
        beats(w);
}

void world_fail(struct world *w, uint32_t node, bool gone)
{
    for (int32_t i = 0; i < w->n; i++)
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            for (int32_t t = 0; w->jobs[i]->present && t < w->jobs[i]->pj.phase[k].total; t++) {
                struct world_task *task = &w->jobs[i]->task[k][t];

                if (!task->ends_us || task->node != node || task->ends_us <= w->now_us)
                    continue;
                task->killed = true;
                task->ends_us = w->now_us;
                w->capacity.freeing[k]++;
            }
    report(w, node);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS && gone; k++) {
        w->capacity.slots[k] -= w->slots[k][node];
        w->slots[k][node] = 0;
    }
    if (gone && w->ops->on_capacity)
        w->ops->on_capacity(w->policy, w->now_us);
}

void world_run(struct world *w, int64_t until_us)
{
    bool left;

    for (;;) {
        int64_t t = next_time(w, &left);

        if (!left || t == INT64_MAX || t > until_us)
            break;
        w->now_us = t;
        for (int32_t i = 0; i < w->n; i++)
            if (!w->jobs[i]->submitted && w->jobs[i]->pj.submit_us <= t)
                submit(w, w->jobs[i]);
        beats(w);
    }
    if (until_us != INT64_MAX && w->now_us < until_us)
        w->now_us = until_us;
}
