#include "tests/policy/policy_fake.h"
#include "policies/registry.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void breach(struct fake *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void breach(struct fake *w, const char *fmt, ...)
{
    va_list ap;

    if (w->breaches++ > 5)
        return;
    printf("\n    %s, seed %llu, at %.3f s: ", w->ops->name, (unsigned long long)w->seed,
           (double)w->now_us / 1e6);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
}

/* ---------------------------------------------------------------- what the policy may ask */
static int64_t maps_end(const struct fake_job *j)
{
    return j->pj.maps_done_us;
}

/* Returns how long @t has run, without suspensions; for a reduce of a job, only the time since the
 * maps ended. */
static int64_t worked_us(const struct fake *w, const struct fake_task *t)
{
    int64_t at = t->state == FAKE_SUSPENDED ? t->suspended_at_us : w->now_us, from = t->started_us;

    if (t->kind == BASE_TASK_REDUCE && t->job->pj.is_job) {
        if (!maps_end(t->job))
            return 0;
        if (maps_end(t->job) > from)
            from = maps_end(t->job);
    }
    return at > from ? at - from : 0;
}

static double progress_of(const struct fake *w, const struct fake_task *t)
{
    double done = t->needs_us > 0 ? (double)worked_us(w, t) / (double)t->needs_us : 1;

    if (t->progress >= 0)
        return t->progress;
    if (done > 1)
        done = 1;
    if (t->kind == BASE_TASK_MAP || !t->job->pj.is_job)
        return done;
    return maps_end(t->job) ? (2 + done) / 3 : 0.2;
}

static void describe(const struct fake *w, struct fake_task *t, struct policy_running *out)
{
    *out = (struct policy_running){.job = &t->job->pj,
                                   .kind = t->kind,
                                   .task = t->job->pj.is_job ? t->index : -1,
                                   .node = t->node,
                                   .started_us = t->started_us,
                                   .progress = progress_of(w, t),
                                   .suspended = t->state == FAKE_SUSPENDED,
                                   .container = t};
    if (out->suspended)
        out->started_us += w->now_us - t->suspended_at_us;
}

/* Newest start first, then highest index. */
static bool is_newer(const struct fake_task *a, const struct fake_task *b)
{
    if (a->started_us != b->started_us)
        return a->started_us > b->started_us;
    return a->index > b->index;
}

static bool env_running(void *core, const struct policy_job *job, enum base_task_kind kind,
                        void **cursor, struct policy_running *out)
{
    struct fake *w = core;
    struct fake_job *j = (struct fake_job *)(void *)(uintptr_t)job;
    struct fake_task *best = NULL;

    for (int32_t i = 0; i < j->n[kind]; i++) {
        struct fake_task *t = &j->task[kind][i];

        if ((t->state != FAKE_RUNS && t->state != FAKE_SUSPENDED) || t->kill_at_us)
            continue;
        if ((!*cursor || is_newer(*cursor, t)) && (!best || is_newer(t, best)))
            best = t;
    }
    if (!best)
        return false;
    *cursor = best;
    describe(w, best, out);
    return true;
}

static void env_note(void *core, int level, const char *text)
{
    (void)core;
    (void)level;
    (void)text;
}

/* ---------------------------------------------------------------- counts */
static bool is_open(const struct fake_job *j, enum base_task_kind kind)
{
    return kind == BASE_TASK_MAP || !j->pj.is_job || j->pj.phase[BASE_TASK_MAP].done >= j->open_at;
}

static void recount(struct fake *w, struct fake_job *j, enum base_task_kind kind)
{
    struct policy_phase p = {0}, *old = &j->pj.phase[kind];

    for (int32_t i = 0; i < j->n[kind]; i++) {
        const struct fake_task *t = &j->task[kind][i];

        p.total += j->pj.is_job || t->state == FAKE_WAITS || t->state == FAKE_RUNS;
        p.pending += t->state == FAKE_WAITS && is_open(j, kind);
        p.running += t->state == FAKE_RUNS;
        p.suspended += t->state == FAKE_SUSPENDED;
        p.done += j->pj.is_job && t->state == FAKE_DONE;
    }
    w->capacity.outstanding[kind] += (p.total - p.done) - (old->total - old->done);
    *old = p;
    w->ops->on_job_changed(w->policy, &j->pj, kind);
}

static void use(struct fake *w, const struct fake_task *t, int32_t by)
{
    w->node[t->node].used[t->kind] += by;
    w->capacity.used[t->kind] += by;
    if (w->node[t->node].used[t->kind] > w->node[t->node].slots[t->kind] ||
        w->node[t->node].used[t->kind] < 0)
        breach(w, "node %u uses %d of %d slots", t->node, w->node[t->node].used[t->kind],
               w->node[t->node].slots[t->kind]);
}

/* ---------------------------------------------------------------- the world */
static void begin(struct fake *w)
{
    w->policy = w->ops->create(&w->env);
    if (w->ops->on_capacity)
        w->ops->on_capacity(w->policy, w->now_us);
}

void fake_init(struct fake *w, const struct policy_ops *ops, struct policy_conf *conf,
               uint32_t nodes, int32_t maps, int32_t reduces)
{
    base_assert(nodes <= FAKE_NODES && maps <= FAKE_SLOTS && reduces <= FAKE_SLOTS);
    *w = (struct fake){.ops = ops, .nodes_n = nodes};
    if (conf)
        w->conf = *conf;
    w->capacity.nodes = (int32_t)nodes;
    for (uint32_t i = 0; i < nodes; i++) {
        w->node[i].slots[BASE_TASK_MAP] = maps;
        w->node[i].slots[BASE_TASK_REDUCE] = reduces;
    }
    w->capacity.slots[BASE_TASK_MAP] = (int64_t)nodes * maps;
    w->capacity.slots[BASE_TASK_REDUCE] = (int64_t)nodes * reduces;
    w->capacity.memory_mb =
        (w->capacity.slots[BASE_TASK_MAP] + w->capacity.slots[BASE_TASK_REDUCE]) * 2048;
    w->capacity.vcores = w->capacity.slots[BASE_TASK_MAP] + w->capacity.slots[BASE_TASK_REDUCE];
    policy_queues_init(&w->queues, "a,b,c");
    w->now_us = w->timer_us = FAKE_SECOND;
    w->env = (struct policy_env){.conf = &w->conf,
                                 .capacity = &w->capacity,
                                 .queues = &w->queues,
                                 .learned = &w->learned,
                                 .heartbeat_us = FAKE_SECOND,
                                 .core = w,
                                 .running = env_running,
                                 .note = env_note};
    begin(w);
    fake_timer(w);
}

void fake_free(struct fake *w)
{
    for (uint32_t i = 0; i < w->jobs_n; i++) {
        if (w->job[i]->here)
            w->ops->on_job_left(w->policy, &w->job[i]->pj, w->now_us);
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            free(w->job[i]->task[k]);
        free(w->job[i]);
    }
    w->ops->destroy(w->policy);
    policy_queues_free(&w->queues);
    policy_conf_free(&w->conf);
    free(w->plan.v);
}

void fake_switch(struct fake *w, const struct policy_ops *ops)
{
    for (uint32_t i = 0; i < w->jobs_n; i++)
        if (w->job[i]->here)
            w->ops->on_job_left(w->policy, &w->job[i]->pj, w->now_us);
    w->ops->destroy(w->policy);
    w->ops = ops;
    begin(w);
    for (uint32_t i = 0; i < w->jobs_n; i++)
        if (w->job[i]->here)
            ops->on_job_arrived(w->policy, &w->job[i]->pj, w->now_us);
    for (uint32_t i = 0; i < w->jobs_n; i++)
        for (enum base_task_kind k = 0; w->job[i]->here && k < BASE_TASK_KINDS; k++) {
            if (ops->reduces_last && w->job[i]->pj.phase[BASE_TASK_MAP].done < w->job[i]->open_at)
                w->job[i]->open_at = w->job[i]->pj.phase[BASE_TASK_MAP].total;
            recount(w, w->job[i], k);
        }
    w->timer_us = w->now_us;
    fake_timer(w);
}

struct fake_job *fake_job(struct fake *w, int32_t maps, int64_t map_us, int32_t reduces,
                          int64_t reduce_us)
{
    struct fake_job *j = base_alloc(sizeof *j);
    const int32_t n[BASE_TASK_KINDS] = {maps, reduces};
    const int64_t us[BASE_TASK_KINDS] = {map_us, reduce_us};

    base_assert(w->jobs_n < FAKE_JOBS);
    j->pj = (struct policy_job){.submit_us = w->now_us,
                                .cluster_ts = 1,
                                .seq = (int32_t)w->jobs_n + 1,
                                .weight = 1,
                                .is_job = true};
    j->pj.queue = policy_queues_find(&w->queues, "default");
    j->open_at = w->ops->reduces_last ? maps : (maps + 19) / 20;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        j->n[k] = n[k];
        j->task[k] = base_alloc((size_t)n[k] * sizeof *j->task[k]);
        for (int32_t i = 0; i < n[k]; i++)
            j->task[k][i] = (struct fake_task){
                .job = j, .kind = k, .index = i, .needs_us = us[k], .progress = -1};
    }
    w->job[w->jobs_n++] = j;
    return j;
}

void fake_sizes(struct fake_job *j, bool given, bool known)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        int64_t sum = 0, max = 0;

        for (int32_t i = 0; i < j->n[k]; i++) {
            sum += j->task[k][i].needs_us;
            if (j->task[k][i].needs_us > max)
                max = j->task[k][i].needs_us;
        }
        j->pj.size[k].given_us = given ? sum : 0;
        j->pj.size[k].given_max_us = given ? max : 0;
        j->pj.size[k].true_us = known ? sum : 0;
    }
}

bool fake_arrive(struct fake *w, struct fake_job *j)
{
    struct policy_promise promise = {0};

    j->pj.submit_us = w->now_us;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        j->pj.phase[k].total = j->pj.is_job ? j->n[k] : 0;
    if (j->pj.is_job && !j->pj.phase[BASE_TASK_MAP].total)
        j->pj.maps_done_us = w->now_us;
    if (w->ops->admit && j->pj.deadline_us > 0 &&
        !w->ops->admit(w->policy, &j->pj, w->now_us, &promise)) {
        j->refused = j->gone = true;
        j->promised_us = promise.finish_us;
        return false;
    }
    j->promised_us = promise.finish_us;
    j->here = true;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        w->capacity.outstanding[k] += j->pj.phase[k].total;
    w->ops->on_job_arrived(w->policy, &j->pj, w->now_us);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        recount(w, j, k);
    return true;
}

void fake_move(struct fake *w, struct fake_job *j, int32_t queue)
{
    j->pj.queue = queue;
    if (j->here && w->ops->on_job_moved)
        w->ops->on_job_moved(w->policy, &j->pj, w->now_us);
}

bool fake_all_gone(const struct fake *w)
{
    for (uint32_t i = 0; i < w->jobs_n; i++)
        if (!w->job[i]->gone)
            return false;
    return true;
}

/* ---------------------------------------------------------------- tasks */
struct fake_task *fake_start(struct fake *w, struct fake_job *j, enum base_task_kind kind,
                             int32_t task, uint32_t node)
{
    struct fake_task *t = &j->task[kind][task];

    t->state = FAKE_RUNS;
    t->node = node;
    t->started_us = w->now_us;
    if (!j->pj.first_us)
        j->pj.first_us = w->now_us;
    use(w, t, 1);
    w->launches++;
    if (w->ops->on_task_started && j->pj.is_job)
        w->ops->on_task_started(w->policy, &j->pj, kind, task, node, w->now_us);
    recount(w, j, kind);
    return t;
}

static void resume(struct fake *w, struct fake_task *t)
{
    t->started_us += w->now_us - t->suspended_at_us;
    t->suspended_at_us = 0;
    t->state = FAKE_RUNS;
    w->node[t->node].suspended[t->kind]--;
    use(w, t, 1);
    if (w->ops->on_task_suspended)
        w->ops->on_task_suspended(w->policy, &t->job->pj, t->kind, t->index, t->node, false,
                                  w->now_us);
    recount(w, t->job, t->kind);
}

static void suspend(struct fake *w, struct fake_task *t)
{
    t->suspended_at_us = w->now_us;
    t->state = FAKE_SUSPENDED;
    w->suspensions++;
    w->node[t->node].suspended[t->kind]++;
    use(w, t, -1);
    if (w->ops->on_task_suspended)
        w->ops->on_task_suspended(w->policy, &t->job->pj, t->kind, t->index, t->node, true,
                                  w->now_us);
    recount(w, t->job, t->kind);
}

static void leave_if_done(struct fake *w, struct fake_job *j)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        for (int32_t i = 0; i < j->n[k]; i++)
            if (j->task[k][i].state != FAKE_DONE)
                return;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        w->capacity.outstanding[k] -= j->pj.phase[k].total - j->pj.phase[k].done;
    j->here = false;
    j->gone = true;
    j->finish_us = w->now_us;
    w->ops->on_job_left(w->policy, &j->pj, w->now_us);
}

static void over(struct fake *w, struct fake_task *t, bool success)
{
    struct fake_job *j = t->job;
    struct policy_task_end e = {.task = t->index,
                                .node = t->node,
                                .started_us = t->started_us,
                                .ended_us = w->now_us,
                                .success = success,
                                .killed = !success,
                                .suspended = t->state == FAKE_SUSPENDED};
    bool opened = is_open(j, BASE_TASK_REDUCE);

    e.work_us = worked_us(w, t);
    if (success && t->kind == BASE_TASK_MAP && j->pj.size[BASE_TASK_MAP].bytes > 0)
        e.bytes_in = e.bytes_out = j->pj.size[BASE_TASK_MAP].bytes / j->n[BASE_TASK_MAP];
    t->state = success ? FAKE_DONE : FAKE_WAITS;
    t->ends += success;
    t->kills += !success;
    t->lost_us += success ? 0 : e.work_us;
    if (e.suspended)
        w->node[t->node].suspended[t->kind]--;
    else
        use(w, t, -1);
    if (!j->pj.is_job) {
        recount(w, j, t->kind);
        leave_if_done(w, j);
        return;
    }
    if (success) {
        struct policy_seen *seen = &j->pj.seen[t->kind];

        if (t->kind == BASE_TASK_MAP &&
            j->pj.phase[BASE_TASK_MAP].done + 1 == j->pj.phase[BASE_TASK_MAP].total)
            j->pj.maps_done_us = w->now_us;
        seen->n++;
        seen->work_us += e.work_us;
        seen->bytes_in += e.bytes_in;
        seen->bytes_out += e.bytes_out;
        policy_learned_add_task(&w->learned, &j->pj, t->kind, &e);
        if (j->pj.maps_done_us == w->now_us && t->kind == BASE_TASK_MAP)
            policy_learned_add_map_selectivity(&w->learned, &j->pj);
    }
    if (w->ops->on_task_ended)
        w->ops->on_task_ended(w->policy, &j->pj, t->kind, &e);
    recount(w, j, t->kind);
    if (!opened && is_open(j, BASE_TASK_REDUCE))
        recount(w, j, BASE_TASK_REDUCE);
    leave_if_done(w, j);
}

void fake_end(struct fake *w, struct fake_task *t)
{
    if (t->state != FAKE_RUNS)
        breach(w, "a task that does not run ends");
    over(w, t, true);
}

int64_t fake_ends_at(const struct fake *w, const struct fake_task *t)
{
    int64_t from = t->started_us;

    (void)w;
    if (t->state != FAKE_RUNS)
        return INT64_MAX;
    if (t->kind == BASE_TASK_REDUCE && t->job->pj.is_job) {
        if (!maps_end(t->job))
            return INT64_MAX;
        if (maps_end(t->job) > from)
            from = maps_end(t->job);
    }
    return from + t->needs_us;
}

static void kill_over(struct fake *w, struct fake_task *t)
{
    t->kill_at_us = 0;
    w->capacity.freeing[t->kind]--;
    over(w, t, false);
}

static void report_task(struct fake *w, struct fake_task *t)
{
    if (fake_ends_at(w, t) <= w->now_us) {
        if (t->kill_at_us) { /* the task ended before the kill took effect */
            t->kill_at_us = 0;
            w->capacity.freeing[t->kind]--;
        }
        fake_end(w, t);
    } else if (t->kill_at_us && t->kill_at_us <= w->now_us) {
        kill_over(w, t);
    } else if (w->ops->on_progress && !t->kill_at_us && t->job->pj.is_job) {
        w->ops->on_progress(w->policy, &t->job->pj, t->kind, t->index, progress_of(w, t),
                            w->now_us);
    }
}

void fake_report(struct fake *w, uint32_t node)
{
    for (uint32_t i = 0; i < w->jobs_n; i++)
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            for (int32_t n = 0; n < w->job[i]->n[k] && w->job[i]->here; n++)
                if (w->job[i]->task[k][n].state == FAKE_RUNS && w->job[i]->task[k][n].node == node)
                    report_task(w, &w->job[i]->task[k][n]);
}

/* ---------------------------------------------------------------- questions */
static struct policy_offer offer_of(const struct fake *w, uint32_t node, enum base_task_kind kind)
{
    return (struct policy_offer){.kind = kind,
                                 .now_us = w->now_us,
                                 .node = node,
                                 .node_slots = w->node[node].slots[kind],
                                 .node_used = w->node[node].used[kind],
                                 .node_suspended = w->node[node].suspended[kind],
                                 .capacity = &w->capacity};
}

static bool runs_before(const struct policy_job *a, const struct policy_job *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority;
    return a->submit_us != b->submit_us ? a->submit_us < b->submit_us : a->seq < b->seq;
}

/* Checks that FIFO passes over no job with pending tasks. */
static void check_fifo(struct fake *w, const struct fake_job *j, enum base_task_kind kind)
{
    if (w->ops != &policy_fifo)
        return;
    for (uint32_t i = 0; i < w->jobs_n; i++)
        if (w->job[i]->here && w->job[i]->pj.phase[kind].pending > 0 &&
            runs_before(&w->job[i]->pj, &j->pj))
            breach(w, "job %d starts before job %d", j->pj.seq, w->job[i]->pj.seq);
}

static struct fake_task *suspended_here(struct fake_job *j, enum base_task_kind kind, uint32_t node)
{
    for (int32_t i = 0; i < j->n[kind]; i++)
        if (j->task[kind][i].state == FAKE_SUSPENDED && j->task[kind][i].node == node)
            return &j->task[kind][i];
    return NULL;
}

static bool takes(struct fake *w, struct fake_job *j, uint32_t node, enum base_task_kind kind,
                  bool look)
{
    struct fake_task *t = suspended_here(j, kind, node);

    if (!t && j->pj.phase[kind].pending <= 0)
        return false;
    if (look)
        return true;
    if (t) {
        resume(w, t);
        return true;
    }
    check_fifo(w, j, kind);
    for (int32_t i = 0; i < j->n[kind]; i++)
        if (j->task[kind][i].state == FAKE_WAITS) {
            fake_start(w, j, kind, i, node);
            return true;
        }
    return false;
}

static void check_idle(struct fake *w, uint32_t node, const struct policy_offer *offer)
{
    if (offer->held) {
        w->held++;
        return;
    }
    for (uint32_t i = 0; i < w->jobs_n; i++)
        if (w->job[i]->here && (w->job[i]->pj.phase[offer->kind].pending > 0 ||
                                suspended_here(w->job[i], offer->kind, node)))
            breach(w, "a %s slot of node %u stays idle while job %d waits",
                   offer->kind == BASE_TASK_MAP ? "map" : "reduce", node, w->job[i]->pj.seq);
}

static struct fake_job *ask(struct fake *w, uint32_t node, enum base_task_kind kind, bool look)
{
    struct policy_offer offer = offer_of(w, node, kind);
    struct policy_job *pj = NULL;
    uint32_t asked = 0;

    while ((pj = w->ops->next(w->policy, &offer, pj))) {
        struct fake_job *j = (struct fake_job *)(void *)pj;

        if (++asked > 2 * w->jobs_n || !j->here ||
            (pj->phase[kind].pending <= 0 && pj->phase[kind].suspended <= 0)) {
            breach(w, "a wrong answer: job %d, asked %u times", pj->seq, asked);
            return NULL;
        }
        if (takes(w, j, node, kind, look))
            return j;
    }
    if (!look)
        check_idle(w, node, &offer);
    return NULL;
}

struct fake_job *fake_offer(struct fake *w, uint32_t node, enum base_task_kind kind)
{
    return ask(w, node, kind, false);
}

struct fake_job *fake_peek(struct fake *w, uint32_t node, enum base_task_kind kind)
{
    return ask(w, node, kind, true);
}

static size_t list_here(struct fake *w, uint32_t node, enum base_task_kind kind,
                        struct policy_running *here)
{
    size_t n = 0;

    for (uint32_t i = 0; i < w->jobs_n; i++)
        for (int32_t k = 0; k < w->job[i]->n[kind] && w->job[i]->here; k++) {
            struct fake_task *t = &w->job[i]->task[kind][k];
            struct policy_running r;
            size_t at;

            if (t->state != FAKE_RUNS || t->node != node || t->kill_at_us)
                continue;
            describe(w, t, &r);
            for (at = n++; at > 0 && here[at - 1].started_us < r.started_us; at--)
                here[at] = here[at - 1];
            here[at] = r;
        }
    return n;
}

static void apply(struct fake *w, int64_t node)
{
    for (size_t i = 0; i < w->plan.len; i++) {
        struct fake_task *t = w->plan.v[i].container;

        bool kill = w->plan.v[i].how == POLICY_VICTIM_KILL;

        if ((t->state != FAKE_RUNS && !(kill && t->state == FAKE_SUSPENDED)) || t->kill_at_us ||
            (node >= 0 && t->node != node)) {
            breach(w, "victim %zu: a task of job %d that is not to be had", i, t->job->pj.seq);
        } else if (!kill) {
            if (t->job->pj.is_job)
                suspend(w, t);
            else
                breach(w, "a container of an application is to be suspended");
        } else if (t->state == FAKE_SUSPENDED) {
            w->kills++;
            over(w, t, false);
        } else {
            w->kills++;
            t->kill_at_us = w->now_us + w->kill_us;
            w->capacity.freeing[t->kind]++;
            if (!w->kill_us)
                kill_over(w, t);
        }
    }
    w->plan.len = 0;
}

size_t fake_victims(struct fake *w, uint32_t node, enum base_task_kind kind)
{
    struct policy_offer offer = offer_of(w, node, kind);
    struct policy_running here[FAKE_SLOTS];
    size_t n, named;
    bool wait = w->node[node].suspended[kind] > 0;

    for (uint32_t i = 0; i < w->jobs_n; i++)
        wait = wait || (w->job[i]->here && w->job[i]->pj.phase[kind].pending > 0);
    n = list_here(w, node, kind, here);
    if (!w->ops->victims || w->node[node].used[kind] < w->node[node].slots[kind] || !wait || !n)
        return 0;
    w->ops->victims(w->policy, &offer, here, n, &w->plan);
    named = w->plan.len;
    if (named && w->ops->may_preempt && !w->ops->may_preempt(w->policy, kind))
        breach(w, "a victim where there could be none");
    apply(w, node);
    return named;
}

static void fill(struct fake *w, uint32_t node, enum base_task_kind kind)
{
    while (w->node[node].used[kind] < w->node[node].slots[kind] && fake_offer(w, node, kind))
        continue;
}

void fake_offer_node(struct fake *w, uint32_t node)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        enum base_task_kind kind = k;

        fill(w, node, kind);
        for (int32_t i = 0; i < w->node[node].slots[k] && fake_victims(w, node, kind) > 0; i++)
            fill(w, node, kind);
    }
}

void fake_timer(struct fake *w)
{
    int64_t next;

    if (!w->timer_us || w->timer_us > w->now_us)
        return;
    next = w->ops->on_timer ? w->ops->on_timer(w->policy, w->now_us, &w->plan) : 0;
    if (next && next <= w->now_us)
        breach(w, "a timer that does not move on");
    w->timer_us = next;
    apply(w, -1);
}

/* ---------------------------------------------------------------- time */
static int64_t next_beat(const struct fake *w, int64_t phase)
{
    int64_t hb = w->env.heartbeat_us;

    return w->now_us < phase ? phase : phase + ((w->now_us - phase) / hb + 1) * hb;
}

/* Returns the earliest time at which a running task will end or its kill will be over; INT64_MAX:
 * none. */
static int64_t next_end(const struct fake *w)
{
    int64_t at = INT64_MAX;

    for (uint32_t i = 0; i < w->jobs_n; i++)
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            for (int32_t n = 0; n < w->job[i]->n[k] && w->job[i]->here; n++) {
                const struct fake_task *t = &w->job[i]->task[k][n];
                int64_t end = fake_ends_at(w, t);

                if (t->kill_at_us && t->kill_at_us < end)
                    end = t->kill_at_us;
                if (end < at)
                    at = end;
            }
    return at;
}

static int64_t next_event(const struct fake *w, enum fake_mode mode, const int64_t *phase)
{
    int64_t at = w->timer_us ? w->timer_us : INT64_MAX;

    for (uint32_t i = 0; i < w->jobs_n; i++)
        if (!w->job[i]->here && !w->job[i]->gone && w->job[i]->arrive_us < at)
            at = w->job[i]->arrive_us;
    for (uint32_t i = 0; mode != FAKE_AT_ONCE && i < w->nodes_n; i++)
        if (next_beat(w, phase[i]) < at)
            at = next_beat(w, phase[i]);
    if (mode != FAKE_BEATS && next_end(w) < at)
        at = next_end(w);
    return at > w->now_us ? at : w->now_us;
}

/* Returns true when an attempt on @node has ended, or its kill is over, and @node has not reported
 * it yet. */
static bool something_ended(const struct fake *w, uint32_t node)
{
    for (uint32_t i = 0; i < w->jobs_n; i++)
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            for (int32_t n = 0; n < w->job[i]->n[k] && w->job[i]->here; n++) {
                const struct fake_task *t = &w->job[i]->task[k][n];

                if (t->state == FAKE_RUNS && t->node == node &&
                    (fake_ends_at(w, t) <= w->now_us ||
                     (t->kill_at_us && t->kill_at_us <= w->now_us)))
                    return true;
            }
    return false;
}

bool fake_run(struct fake *w, enum fake_mode mode, const int64_t *phase, int64_t until_us)
{
    while (!fake_all_gone(w)) {
        bool beats[FAKE_NODES];
        int64_t at = next_event(w, mode, phase);

        if (at > until_us)
            return false;
        for (uint32_t n = 0; n < w->nodes_n; n++)
            beats[n] = mode == FAKE_AT_ONCE || next_beat(w, phase[n]) == at;
        w->now_us = at;
        for (uint32_t n = 0; n < w->nodes_n; n++) {
            beats[n] = beats[n] || (mode == FAKE_EXTRA && something_ended(w, n));
            if (beats[n])
                fake_report(w, n);
        }
        for (uint32_t i = 0; i < w->jobs_n; i++)
            if (!w->job[i]->here && !w->job[i]->gone && w->job[i]->arrive_us <= at)
                fake_arrive(w, w->job[i]);
        fake_timer(w);
        for (uint32_t n = 0; n < w->nodes_n; n++)
            if (beats[n])
                fake_offer_node(w, n);
    }
    return true;
}
