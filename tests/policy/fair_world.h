/* tests/policy/fair_world.h - a cluster in memory for the fair scheduler's tests: slots, jobs,
 * running attempts. */
#ifndef CREEL_TESTS_FAIR_WORLD_H
#define CREEL_TESTS_FAIR_WORLD_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "policies/common/queues.h"
#include "policies/options.h"
#include "policies/policy.h"
#include "tests/unit/cunit_main.h"

#define WORLD_JOBS     64
#define WORLD_ATTEMPTS 4096
#define SEC            INT64_C(1000000)

struct world {
    struct policy_env env;
    struct policy_conf conf;
    struct policy_capacity capacity;
    struct policy_queues queues;
    struct policy_learned learned;
    const struct policy_ops *ops;
    struct policy *policy;
    struct policy_plan plan;
    int64_t now_us;
    struct policy_job jobs[WORLD_JOBS];
    bool in[WORLD_JOBS];
    int n_jobs;
    struct world_attempt {
        struct policy_job *job; /* NULL: ended */
        enum base_task_kind kind;
        int32_t task;
        uint32_t node;
        int64_t started_us;
        bool killing;
    } attempts[WORLD_ATTEMPTS];
    int n_attempts;
    char noted[256];
    uint64_t seed;
};

static inline uint64_t world_draw(struct world *w, uint64_t below)
{
    w->seed = w->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (w->seed >> 33) % below;
}

static inline bool world_running(void *core, const struct policy_job *job, enum base_task_kind kind,
                                 void **cursor, struct policy_running *out)
{
    struct world *w = core;
    struct world_attempt *a = *cursor ? *cursor : w->attempts + w->n_attempts;

    while (a > w->attempts) {
        a--;
        if (a->job != job || a->kind != kind || a->killing)
            continue;
        *out = (struct policy_running){.job = a->job,
                                       .kind = kind,
                                       .task = a->task,
                                       .node = a->node,
                                       .started_us = a->started_us,
                                       .container = a};
        *cursor = a;
        return true;
    }
    return false;
}

static inline const char *world_user(void *core, int32_t user)
{
    static const char *const names[] = {"ann", "bob", "cid"};

    (void)core;
    return user < 3 ? names[user] : NULL;
}

static inline void world_note(void *core, int level, const char *text)
{
    struct world *w = core;

    (void)level;
    snprintf(w->noted, sizeof w->noted, "%s", text);
}

/* Queues and options are set between world_new() and world_start(). */
static inline struct world *world_new(int64_t maps, int64_t reduces, const char *queues)
{
    struct world *w = base_alloc(sizeof *w);

    w->seed = 11;
    w->capacity = (struct policy_capacity){
        .nodes = 10, .slots = {maps, reduces}, .memory_mb = 1024, .vcores = 1024};
    policy_queues_init(&w->queues, queues);
    w->env = (struct policy_env){.conf = &w->conf,
                                 .capacity = &w->capacity,
                                 .queues = &w->queues,
                                 .learned = &w->learned,
                                 .core = w,
                                 .running = world_running,
                                 .user_name = world_user,
                                 .note = world_note};
    return w;
}

static inline void world_set(struct world *w, const char *name, const char *value)
{
    struct base_error err;

    CU_ASSERT_EQUAL_FATAL(policy_conf_set(&w->conf, name, value, &err), 0);
}

static inline struct policy_queue *world_queue(struct world *w, const char *name)
{
    int32_t at = policy_queues_find(&w->queues, name);

    CU_ASSERT_FATAL(at >= 0);
    return &w->queues.v[at];
}

static inline void world_limit(struct policy_limit *l, int64_t maps, int64_t reduces)
{
    policy_limit_init(l);
    l->given = true;
    l->slots[BASE_TASK_MAP] = maps;
    l->slots[BASE_TASK_REDUCE] = reduces;
}

static inline void world_timer(struct world *w)
{
    if (w->ops->on_timer)
        w->ops->on_timer(w->policy, w->now_us, &w->plan);
}

static inline void world_start(struct world *w, const struct policy_ops *ops)
{
    w->ops = ops;
    w->policy = ops->create(&w->env);
    world_timer(w);
}

static inline void world_changed(struct world *w, struct policy_job *job, enum base_task_kind kind)
{
    w->ops->on_job_changed(w->policy, job, kind);
}

static inline struct policy_job *world_job(struct world *w, const char *queue, int32_t maps,
                                           int32_t reduces)
{
    struct policy_job *job = &w->jobs[w->n_jobs];

    CU_ASSERT_FATAL(w->n_jobs < WORLD_JOBS);
    *job = (struct policy_job){
        .submit_us = w->now_us,
        .cluster_ts = 1,
        .seq = w->n_jobs + 1,
        .queue = policy_queues_find(&w->queues, queue),
        .weight = 1,
        .is_job = true,
        .phase = {{.total = maps, .pending = maps}, {.total = reduces, .pending = reduces}}};
    w->n_jobs++;
    return job;
}

static inline struct policy_job *world_arrive(struct world *w, struct policy_job *job)
{
    w->in[job - w->jobs] = true;
    w->ops->on_job_arrived(w->policy, job, w->now_us);
    return job;
}

static inline struct policy_job *world_submit(struct world *w, const char *queue, int32_t maps,
                                              int32_t reduces)
{
    return world_arrive(w, world_job(w, queue, maps, reduces));
}

static inline void world_launch(struct world *w, struct policy_job *job, enum base_task_kind kind,
                                uint32_t node)
{
    struct world_attempt *a = &w->attempts[w->n_attempts];

    CU_ASSERT_FATAL(w->n_attempts < WORLD_ATTEMPTS && job->phase[kind].pending > 0);
    w->n_attempts++;
    *a = (struct world_attempt){job,  kind,      job->phase[kind].total - job->phase[kind].pending,
                                node, w->now_us, false};
    job->phase[kind].pending--;
    job->phase[kind].running++;
    w->capacity.used[kind]++;
    if (w->ops->on_task_started)
        w->ops->on_task_started(w->policy, job, kind, a->task, node, w->now_us);
    world_changed(w, job, kind);
}

static inline struct policy_offer world_offer(const struct world *w, enum base_task_kind kind,
                                              uint32_t node)
{
    return (struct policy_offer){.kind = kind,
                                 .now_us = w->now_us,
                                 .node = node,
                                 .node_slots = 10,
                                 .capacity = &w->capacity};
}

/* Gives one free slot to the job that the policy names, and returns the job; NULL: no job wants
 * it. */
static inline struct policy_job *world_assign(struct world *w, enum base_task_kind kind)
{
    struct policy_offer offer = world_offer(w, kind, 0);
    struct policy_job *job = NULL;

    if (w->capacity.used[kind] >= w->capacity.slots[kind])
        return NULL;
    do /* a job that has only suspended tasks declines: they are on other nodes */
        job = w->ops->next(w->policy, &offer, job);
    while (job && job->phase[kind].pending == 0);
    if (job)
        world_launch(w, job, kind, 0);
    return job;
}

static inline void world_fill(struct world *w)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        while (world_assign(w, k))
            w->now_us++;
}

static inline void world_end(struct world *w, struct world_attempt *a, bool success)
{
    struct policy_job *job = a->job;
    struct policy_phase *p = &job->phase[a->kind];
    struct policy_task_end end = {.task = a->task,
                                  .node = a->node,
                                  .started_us = a->started_us,
                                  .ended_us = w->now_us,
                                  .work_us = w->now_us - a->started_us,
                                  .success = success,
                                  .killed = !success};

    p->running--;
    p->done += success;
    p->pending += !success;
    w->capacity.used[a->kind]--;
    if (success) {
        job->seen[a->kind].n++;
        job->seen[a->kind].work_us += end.work_us;
        w->learned.kind[a->kind].count++;
        w->learned.kind[a->kind].total_us += end.work_us;
    }
    a->job = NULL;
    if (w->ops->on_task_ended)
        w->ops->on_task_ended(w->policy, job, a->kind, &end);
    world_changed(w, job, a->kind);
}

/* Ends the oldest attempt of @job. */
static inline void world_end_one(struct world *w, struct policy_job *job, enum base_task_kind kind)
{
    for (int i = 0; i < w->n_attempts; i++)
        if (w->attempts[i].job == job && w->attempts[i].kind == kind) {
            world_end(w, &w->attempts[i], true);
            return;
        }
    CU_FAIL_FATAL("nothing runs");
}

static inline void world_leave(struct world *w, struct policy_job *job)
{
    for (int i = 0; i < w->n_attempts; i++)
        if (w->attempts[i].job == job)
            world_end(w, &w->attempts[i], false);
    w->in[job - w->jobs] = false;
    w->ops->on_job_left(w->policy, job, w->now_us);
}

/* Moves the clock on by @us, and calls the policy's timer every tenth of a second. */
static inline void world_pass(struct world *w, int64_t us)
{
    int64_t until = w->now_us + us;

    while (w->now_us < until && w->ops->on_timer) {
        int64_t step = until - w->now_us < SEC / 10 ? until - w->now_us : SEC / 10;

        w->now_us += step;
        world_timer(w);
    }
    w->now_us = until;
}

static inline void world_free(struct world *w)
{
    for (int i = 0; i < w->n_jobs; i++)
        if (w->in[i])
            w->ops->on_job_left(w->policy, &w->jobs[i], w->now_us);
    w->ops->destroy(w->policy);
    policy_queues_free(&w->queues);
    policy_conf_free(&w->conf);
    free(w->plan.v);
    free(w);
}

#endif
