/* The engine: time goes from event to event, around the core. */
#include <stdarg.h>
#include <stdlib.h>

#include "policies/common/queues.h"
#include "policies/registry.h"
#include "rm/core/view/view.h"
#include "sim/engine/engine_internal.h"

#define NEVER INT64_MAX
#define EXPIRY_US (INT64_MAX / 4) /* nodes do not fail */
#define STALL_US INT64_C(1000000000000)
#define TICK_EVENTS (INT64_C(1) << 17)
#define ZERO_STEP_US 1000000 /* with heartbeats at every change: time goes on so when nothing happens and work waits */

void sim_conf_init(struct sim_conf *conf)
{
    *conf = (struct sim_conf){.policy = "fifo", .seed = 1, .slowstart = 0.05};
    conf->cluster.heartbeat_us = SIM_HEARTBEAT_AUTO;
    conf->cluster.racks = 1;
}

int sim_fail(struct sim *s, int code, const char *fmt, ...)
{
    va_list ap;
    char *text;
    struct base_buf b = {0};

    if (s->failed) /* the first one counts */
        return s->failed;
    va_start(ap, fmt);
    base_buf_vaddf(&b, fmt, ap);
    va_end(ap);
    text = base_buf_take(&b);
    s->failed = base_error_set(&s->err, code, "%s", text);
    free(text);
    return s->failed;
}

/* ---------------------------------------------------------------- the log */
void sim_log_task(struct sim *s, const char *event, const struct sim_attempt *a, const char *detail)
{
    struct sim_log_line line;

    if (!s->conf.log)
        return;
    line = (struct sim_log_line){.time_us = s->now_us,
                                 .event = event,
                                 .job = a->job->id,
                                 .kind = a->kind,
                                 .task = a->task,
                                 .attempt = a->number,
                                 .node = a->node,
                                 .detail = detail};
    sim_log_add(s->conf.log, &line);
}

void sim_log_job(struct sim *s, const char *event, const struct sim_live *job, int64_t number)
{
    struct sim_log_line line;

    if (!s->conf.log)
        return;
    line = (struct sim_log_line){
        .time_us = s->now_us, .event = event, .job = job->id, .kind = -1, .node = -1, .number = number};
    sim_log_add(s->conf.log, &line);
}

/* ---------------------------------------------------------------- the core */
void sim_core_event(struct sim *s, struct rm_event *ev)
{
    ev->at_us = SIM_EPOCH_US + s->now_us;
    s->fx.len = 0;
    s->totals.events++;
    rm_core_step(s->core, ev, &s->fx);
}

static void obey(struct sim *s, uint32_t node, const struct rm_order *o)
{
    switch (o->kind) {
    case BASE_ORDER_LAUNCH:
        sim_task_launch(s, node, o);
        break;
    case BASE_ORDER_KILL:
        sim_task_kill(s, node, o);
        break;
    case BASE_ORDER_SUSPEND:
        sim_task_suspend(s, node, o);
        break;
    case BASE_ORDER_RESUME:
        sim_task_resume(s, node, o);
        break;
    case BASE_ORDER_FORGET:      /* was forgotten when it was reported: no report is lost here */
    case BASE_ORDER_CLEANUP_APP:
        break;
    case BASE_ORDER_RESYNC:
    case BASE_ORDER_SHUTDOWN:
        sim_fail(s, -BASE_ESTATE, "node %s was sent away", s->nodes[node].id);
        break;
    case BASE_ORDER_KINDS:
        break;
    }
}

/* Where the splits of maps lie that come now: fetched together, not one by one. */
static void fetch_places(const struct rm_order *o, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (o[i].kind == BASE_ORDER_LAUNCH && o[i].slot == BASE_TASK_MAP && o[i].job->near_n)
            __builtin_prefetch(o[i].job->near + (size_t)o[i].task.index * o[i].job->near_n);
}

static void answered(struct sim *s, uint32_t node, const struct rm_effect *fx)
{
    base_assert(node != SIM_NONE && fx->token == s->token); /* answers come at once: nothing is held */
    s->nodes[node].response_id = fx->u.heartbeat.response_id;
    fetch_places(fx->u.heartbeat.orders, fx->u.heartbeat.orders_n);
    for (size_t i = 0; i < fx->u.heartbeat.orders_n; i++)
        obey(s, node, &fx->u.heartbeat.orders[i]);
}

static void ask_shell(struct sim *s, const struct rm_effect *fx)
{
    struct sim_live *job = sim_live_of(s, fx->u.job.id.seq);

    if (fx->kind == RM_FX_JOB_SETUP)
        sim_queue_add(&s->queue, s->now_us + job->job.setup_us, SIM_CLASS_END, SIM_EVENT_SET_UP, job->index);
    else
        sim_queue_add(&s->queue, s->now_us + job->job.cleanup_us, SIM_CLASS_END, SIM_EVENT_COMMITTED, job->index);
}

static void replied(struct sim *s, const struct rm_effect *fx)
{
    if (fx->u.reply.kind == RM_REPLY_ERROR)
        sim_fail(s, fx->u.reply.code, "%s", fx->u.reply.text);
    else if (fx->u.reply.kind == RM_REPLY_RESYNC)
        sim_fail(s, -BASE_ESTATE, "a node's heartbeat was not understood");
}

void sim_apply(struct sim *s, uint32_t node)
{
    for (size_t i = 0; i < s->fx.len; i++) {
        const struct rm_effect *fx = &s->fx.v[i];

        switch (fx->kind) {
        case RM_FX_HEARTBEAT:
            answered(s, node, fx);
            break;
        case RM_FX_REPLY:
            replied(s, fx);
            break;
        case RM_FX_WAKE:
            s->wake_us = fx->u.wake.at_us - SIM_EPOCH_US;
            break;
        case RM_FX_JOB_SETUP:
        case RM_FX_JOB_COMMIT:
            ask_shell(s, fx);
            break;
        case RM_FX_NOTE:
            if (s->conf.on_note)
                s->conf.on_note(s->conf.ctx, s->now_us, fx->u.note.level, fx->u.note.text);
            break;
        case RM_FX_STORE: /* nothing is kept: the core is told so by its configuration */
        case RM_FX_JOB_ABORT:
        case RM_FX_MAP_OUTPUT:
        case RM_FX_UNCONFIRMED: /* of real clusters alone */
        case RM_FX_EPOCH_LOW:
        case RM_FX_APP_ENDED:
        case RM_FX_HISTORY:
            break;
        }
    }
    s->fx.len = 0;
}

static int make_core(struct sim *s, struct base_error *err)
{
    struct policy_queues pools = {0};
    struct rm_core_conf conf = {.cluster_ts_ms = 1,
                                .rm_instance_ms = 1,
                                .policy = s->conf.policy,
                                .options = s->conf.options,
                                .simulation = true,
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
        policy_queues_default_rules(&pools, true, false);
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

/* ---------------------------------------------------------------- life */
static void begin_bound(struct sim *s)
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
    s->conf.stall_us = conf->stall_us > 0 ? conf->stall_us : STALL_US;
    if (sim_nodes_make(s, err) < 0 || make_core(s, err) < 0) {
        sim_free(s);
        return NULL;
    }
    s->conf.true_work = conf->true_work || s->ops->sim_only;
    s->progress = conf->progress == SIM_PROGRESS_ON || (conf->progress == SIM_PROGRESS_AUTO && s->ops->on_progress);
    s->running_told = !s->progress && (s->ops->victims || s->ops->on_timer); /* else what has not begun to run is spared */
    begin_bound(s);
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
static void happen(struct sim *s, const struct sim_event *e)
{
    uint32_t index = sim_event_index(e);

    switch (sim_event_kind_of(e)) {
    case SIM_EVENT_TASK_END:
        sim_task_end(s, e);
        break;
    case SIM_EVENT_SET_UP:
        sim_job_set_up(s, s->live[index]);
        break;
    case SIM_EVENT_COMMITTED:
        sim_job_committed(s, s->live[index]);
        break;
    case SIM_EVENT_SUBMIT:
        if (s->heartbeat_us > 0 && sim_nodes_next_us(s) < s->now_us) /* nobody has listened to heartbeats meanwhile */
            sim_nodes_seek(s);
        sim_job_submit(s, s->live[index]);
        if (e->order == s->reading)
            sim_jobs_read(s);
        break;
    }
}

static void wake(struct sim *s)
{
    struct rm_event ev = {.kind = RM_EV_TIMER};

    s->wake_us = 0;
    s->changed = true;
    sim_core_event(s, &ev);
    sim_apply(s, SIM_NONE);
}

/* When nodes beat next; NEVER: nothing is there that could come of it. */
static int64_t next_beat_us(const struct sim *s)
{
    if (!s->jobs_live)
        return NEVER;
    if (s->heartbeat_us > 0)
        return s->oob_n ? s->now_us : sim_nodes_next_us(s);
    if (s->changed)
        return s->now_us;
    return s->queue.n ? NEVER : s->now_us + ZERO_STEP_US;
}

static int64_t next_us(const struct sim *s, enum sim_event_class *class)
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

/* The next events are among the first places of the queue: what they are about is fetched meanwhile. */
static void look_ahead(const struct sim *s)
{
    for (size_t i = 0; i < s->queue.n && i <= 4; i++)
        if (sim_event_kind_of(&s->queue.v[i]) == SIM_EVENT_TASK_END)
            __builtin_prefetch(&s->attempts[sim_event_index(&s->queue.v[i])]);
}

static void advance(struct sim *s, enum sim_event_class class)
{
    struct sim_event e;

    switch (class) {
    case SIM_CLASS_END:
    case SIM_CLASS_SUBMIT:
        e = sim_queue_take(&s->queue);
        look_ahead(s);
        happen(s, &e);
        break;
    case SIM_CLASS_TIMER:
        wake(s);
        break;
    case SIM_CLASS_HEARTBEAT:
        if (s->heartbeat_us > 0) {
            sim_nodes_beat(s);
        } else {
            s->changed = true;
            sim_nodes_round(s);
        }
        break;
    }
}

static bool stalled(struct sim *s)
{
    if (s->running_all || !s->jobs_live || s->now_us - s->last_active_us <= s->conf.stall_us)
        return false;
    sim_fail(s, -BASE_ESTATE, "policy %s starts nothing although %lld jobs wait: the last thing happened at %lld us",
             s->ops->name, (long long)s->jobs_live, (long long)s->last_active_us);
    return true;
}

static bool ticked(struct sim *s, int64_t *ticks)
{
    if (!s->conf.on_tick || ++*ticks % TICK_EVENTS)
        return true;
    if (s->conf.on_tick(s->conf.ctx, s->now_us, &s->totals))
        return true;
    sim_fail(s, -BASE_ESTATE, "stopped");
    return false;
}

static void finish(struct sim *s)
{
    struct rm_cluster_view v = {0};

    rm_view_cluster(s->core, &v);
    s->totals.overruled = v.policy_overruled;
    s->totals.fallbacks = v.policy_fallbacks;
    s->totals.bound_us = s->conf.true_work && !s->jobs_live ? sim_bound_mean_us(&s->bound) : 0; /* all of them, or none */
}

int sim_run(struct sim *s, struct base_error *err)
{
    int64_t ticks = 0, stop = s->conf.stop_us > 0 ? s->conf.stop_us : NEVER - 1;

    if (s->conf.log)
        sim_log_begin(s->conf.log);
    sim_nodes_register(s);
    sim_jobs_read(s);
    while (!s->failed && (s->jobs_live || s->queue.n)) {
        enum sim_event_class class;
        int64_t at = next_us(s, &class);

        if (at > stop)
            break;
        base_assert(at >= s->now_us);
        s->now_us = at;
        advance(s, class);
        if (s->conf.log && s->conf.log->failed && !s->failed) {
            s->failed = s->conf.log->failed;
            s->err = s->conf.log->err;
        }
        if (stalled(s) || !ticked(s, &ticks))
            break;
    }
    finish(s);
    if (s->failed && err)
        *err = s->err;
    return s->failed;
}
