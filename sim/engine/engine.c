/* The engine's loop: virtual time jumps from event to event; events lead to steps of the core. */
#include <stdlib.h>

#include "policies/common/queues.h"
#include "policies/registry.h"
#include "rm/core/view/view.h"
#include "sim/engine/engine_internal.h"

#define NEVER       INT64_MAX
#define EXPIRY_US   (INT64_MAX / 4) /* nodes do not fail */
#define STALL_US    INT64_C(1000000000000)
#define TICK_EVENTS (INT64_C(1) << 17)
/* With heartbeats at every change: how far time advances when no event is queued but jobs wait. */
#define ZERO_STEP_US 1000000

void sim_conf_init(struct sim_conf *conf)
{
    *conf = (struct sim_conf){.policy = "fifo", .seed = 1, .slowstart = 0.05};
    conf->cluster.heartbeat_us = SIM_HEARTBEAT_AUTO;
    conf->cluster.racks = 1;
}

/* ---------------------------------------------------------------- life */
static double size_factor(void *ctx, const struct policy_job *job, enum base_task_kind kind)
{
    const struct sim *s = ctx;

    return sim_size_error_factor(&s->size_error, job->cluster_ts, job->seq, kind);
}

static int create_core(struct sim *s, struct base_error *err)
{
    struct policy_queues pools = {0};
    struct rm_core_conf conf = {.cluster_ts_ms = 1,
                                .rm_instance_ms = 1,
                                .policy = s->conf.policy,
                                .options = s->conf.options,
                                .simulation = true,
                                .size_factor = size_factor,
                                .size_factor_ctx = s,
                                .queues = s->conf.queues,
                                .node_expiry_us = EXPIRY_US,
                                .heartbeat_us = s->heartbeat_us > 0 ? s->heartbeat_us : 1,
                                .am_expiry_us = EXPIRY_US,
                                .slowstart = s->conf.slowstart,
                                .am_attempts_max = 1,
                                .task_attempts_max = 4,
                                .completed_apps_max = 1,
                                .slot_res = {{{2048, 1, 0, 0}}, {{2048, 1, 0, 0}}}};

    if (!s->conf.queues) { /* pools are made as jobs name them */
        policy_queues_init(&pools, NULL);
        policy_queues_set_default_rules(&pools, true, false);
        conf.tree = &pools;
    }
    if (s->conf.adjust)
        s->conf.adjust(s->conf.ctx, &conf);
    s->core = rm_core_new(&conf, err);
    policy_queues_free(&pools);
    if (!s->core)
        return err->code;
    s->ops = policy_find(conf.policy);
    return 0;
}

static void init_sojourn_bound(struct sim *s)
{
    double speed[BASE_TASK_KINDS] = {0}, fastest = 0;

    for (int32_t i = 0; i < s->nodes_n; i++) {
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            speed[k] += s->nodes[i].speed * s->nodes[i].slots[k];
        fastest = s->nodes[i].speed > fastest ? s->nodes[i].speed : fastest;
    }
    sim_bound_init(&s->bound, speed, fastest);
}

struct sim *sim_new(const struct sim_conf *conf, struct base_error *err)
{
    struct sim *s = base_alloc(sizeof *s);
    struct base_error own = {0};

    err = err ? err : &own;
    s->conf = *conf;
    s->size_error = sim_size_error_read(conf->options);
    s->conf.stall_us = conf->stall_us > 0 ? conf->stall_us : STALL_US;
    if (sim_nodes_create(s, err) < 0 || create_core(s, err) < 0) {
        sim_free(s);
        return NULL;
    }
    s->conf.true_work = conf->true_work || s->ops->sim_only;
    s->progress = conf->progress == SIM_PROGRESS_ON ||
                  (conf->progress == SIM_PROGRESS_AUTO && s->ops->on_progress);
    /* policies that preempt, or have a timer, need to know what runs: heartbeats report launches */
    s->running_told = !s->progress && (s->ops->victims || s->ops->on_timer);
    init_sojourn_bound(s);
    return s;
}

void sim_free(struct sim *s)
{
    if (!s)
        return;
    rm_core_free(s->core);
    sim_jobs_free(s);
    sim_nodes_free(s);
    sim_queue_free(&s->queue);
    sim_bound_free(&s->bound);
    free(s->fx.v);
    free(s);
}

const struct sim_totals *sim_totals_peek(const struct sim *s)
{
    return &s->totals;
}

const struct rm_core *sim_core_peek(const struct sim *s)
{
    return s->core;
}

int64_t sim_now_us(const struct sim *s)
{
    return s->now_us;
}

int64_t sim_heartbeat_us(const struct sim *s)
{
    return s->heartbeat_us;
}

/* ---------------------------------------------------------------- the loop */
static void handle_queued_event(struct sim *s, const struct sim_event *e)
{
    uint32_t index = sim_event_index(e);

    switch (sim_event_kind_of(e)) {
    case SIM_EVENT_TASK_END:
        sim_task_handle_end(s, e);
        break;
    case SIM_EVENT_SET_UP:
        sim_job_report_set_up(s, s->live[index]);
        break;
    case SIM_EVENT_COMMITTED:
        sim_job_report_committed(s, s->live[index]);
        break;
    case SIM_EVENT_SUBMIT:
        if (s->heartbeat_us > 0 &&
            sim_nodes_next_beat_us(s) < s->now_us) /* without jobs no heartbeats were sent */
            sim_nodes_skip_past_beats(s);
        sim_job_submit(s, s->live[index]);
        if (e->order == s->reading)
            sim_jobs_read_until_queued(s);
        break;
    }
}

static void fire_core_timer(struct sim *s)
{
    struct rm_event ev = {.kind = RM_EV_TIMER};

    s->wake_us = 0;
    s->changed = true;
    sim_core_step(s, &ev);
    sim_carry_out_effects(s, SIM_NONE);
}

/* The time of the next heartbeat. NEVER when none could change anything: without jobs; and, with
 * heartbeats at every change, while nothing has changed and events are queued. */
static int64_t next_beat_us(const struct sim *s)
{
    if (!s->jobs_live)
        return NEVER;
    if (s->heartbeat_us > 0)
        return s->oob_n ? s->now_us : sim_nodes_next_beat_us(s);
    if (s->changed)
        return s->now_us;
    return s->queue.n ? NEVER : s->now_us + ZERO_STEP_US;
}

/* The time of the next event, whose class goes to *@class. Ties: see enum sim_event_class. */
static int64_t next_event_us(const struct sim *s, enum sim_event_class *class)
{
    int64_t at = NEVER, beat = next_beat_us(s);

    *class = SIM_CLASS_HEARTBEAT;
    if (s->queue.n) {
        at = s->queue.v[0].at_us;
        *class = sim_event_class_of(&s->queue.v[0]);
    }
    if (s->wake_us && s->wake_us < at && (s->jobs_live || s->queue.n)) {
        at = s->wake_us > s->now_us ? s->wake_us : s->now_us;
        *class = SIM_CLASS_TIMER;
    }
    if (beat < at) {
        at = beat;
        *class = SIM_CLASS_HEARTBEAT;
    }
    return at;
}

/* Prefetches the attempts of the next events, which are among the first places of the heap. */
static void prefetch_next_attempts(const struct sim *s)
{
    for (size_t i = 0; i < s->queue.n && i <= 4; i++)
        if (sim_event_kind_of(&s->queue.v[i]) == SIM_EVENT_TASK_END)
            __builtin_prefetch(&s->attempts[sim_event_index(&s->queue.v[i])]);
}

static void process_next_event(struct sim *s, enum sim_event_class class)
{
    struct sim_event e;

    switch (class) {
    case SIM_CLASS_END:
    case SIM_CLASS_SUBMIT:
        e = sim_queue_take_first(&s->queue);
        prefetch_next_attempts(s);
        handle_queued_event(s, &e);
        break;
    case SIM_CLASS_TIMER:
        fire_core_timer(s);
        break;
    case SIM_CLASS_HEARTBEAT:
        if (s->heartbeat_us > 0) {
            sim_nodes_beat_next(s);
        } else {
            s->changed = true;
            sim_nodes_beat_until_settled(s);
        }
        break;
    }
}

/* Fails the run when jobs wait but nothing has run or started for the configured time. Returns true
 * if it failed the run. */
static bool fail_if_stalled(struct sim *s)
{
    if (s->running_all || !s->jobs_live || s->now_us - s->last_active_us <= s->conf.stall_us)
        return false;
    sim_fail(s, -BASE_ESTATE,
             "policy %s starts nothing although %lld jobs wait: the last thing happened at %lld us",
             s->ops->name, (long long)s->jobs_live, (long long)s->last_active_us);
    return true;
}

/* Calls on_tick every TICK_EVENTS events. Returns false, with the run failed, when on_tick returns
 * false. */
static bool call_on_tick_if_due(struct sim *s, int64_t *ticks)
{
    if (!s->conf.on_tick || ++*ticks % TICK_EVENTS)
        return true;
    if (s->conf.on_tick(s->conf.ctx, s->now_us, &s->totals))
        return true;
    sim_fail(s, -BASE_ESTATE, "stopped");
    return false;
}

static void complete_totals(struct sim *s)
{
    struct rm_cluster_view v = {0};

    rm_view_cluster(s->core, &v);
    s->totals.overruled = v.policy_overruled;
    s->totals.fallbacks = v.policy_fallbacks;
    /* a bound over all jobs says nothing about the part that ended before a stop */
    s->totals.bound_us = s->conf.true_work && !s->jobs_live ? sim_bound_mean_us(&s->bound) : 0;
}

int sim_run(struct sim *s, struct base_error *err)
{
    int64_t ticks = 0, stop = s->conf.stop_us > 0 ? s->conf.stop_us : NEVER - 1;

    if (s->conf.log)
        sim_log_write_header(s->conf.log);
    sim_nodes_register(s);
    sim_jobs_read_until_queued(s);
    while (!s->failed && (s->jobs_live || s->queue.n)) {
        enum sim_event_class class;
        int64_t at = next_event_us(s, &class);

        if (at > stop)
            break;
        base_assert(at >= s->now_us);
        s->now_us = at;
        process_next_event(s, class);
        if (s->conf.log && s->conf.log->failed && !s->failed) {
            s->failed = s->conf.log->failed;
            s->err = s->conf.log->err;
        }
        if (fail_if_stalled(s) || !call_on_tick_if_due(s, &ticks))
            break;
    }
    complete_totals(s);
    if (s->failed && err)
        *err = s->err;
    return s->failed;
}
