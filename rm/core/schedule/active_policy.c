/* The active policy: set and changed, asked for admission and for victims, told what ended attempts showed. */
#include <stdlib.h>
#include <string.h>

#include "rm/core/state.h"

/* ---------------------------------------------------------------- what a policy may ask */
static void describe(const struct rm_core *c, struct rm_container *ct, struct policy_running *out)
{
    *out = (struct policy_running){.job = &ct->app->pj,
                                   .kind = ct->slot,
                                   .task = ct->task ? ct->task->index : -1,
                                   .node = ct->node->index,
                                   .started_us = ct->start_us + ct->suspended_us,
                                   .progress = (double)ct->progress / RM_PROGRESS_ONE,
                                   .suspended = ct->state == RM_CONTAINER_SUSPENDED,
                                   .container = ct};
    if (out->suspended)
        out->started_us += c->now_us - ct->suspended_at_us;
}

static bool env_running(void *core, const struct policy_job *job, enum base_task_kind kind, void **cursor,
                        struct policy_running *out)
{
    struct rm_app *a = (struct rm_app *)(void *)(uintptr_t)job; /* its first member */
    struct rm_container *ct = *cursor ? ((struct rm_container *)*cursor)->app_next : a->containers;

    while (ct && ((int)ct->slot != (int)kind || ct->master || ct->killing))
        ct = ct->app_next;
    if (!ct)
        return false;
    *cursor = ct;
    describe(core, ct, out);
    return true;
}

static enum policy_take env_takes(void *core, const struct policy_job *job, enum base_task_kind kind, uint32_t node)
{
    struct rm_core *c = core;
    struct rm_app *a = (struct rm_app *)(void *)(uintptr_t)job; /* its first member */

    return rm_offer_ask(c, a, (enum base_task_kind)kind, c->nodes[node]);
}

static const char *env_user_name(void *core, int32_t user)
{
    const struct rm_core *c = core;

    return user >= 0 && (size_t)user < c->users.n ? c->users.v[user] : NULL;
}

static void env_note(void *core, int level, const char *text)
{
    rm_note(core, level, "%s", text);
}

/* ---------------------------------------------------------------- set and changed */
static int unknown(const char *name, struct base_error *err)
{
    struct base_buf known = {0};
    int rc;

    for (size_t i = 0; policy_at(i); i++)
        base_buf_addf(&known, "%s%s", i ? ", " : "", policy_at(i)->name);
    rc = base_error_set(err, -BASE_EINVAL, "policy: \"%s\" is unknown; known are %s", name ? name : "", known.data);
    base_buf_free(&known);
    return rc;
}

/* Hadoop's default for its Fair Scheduler: one and a half heartbeats, 15 s at most. */
static int64_t delay_auto(const struct rm_core *c)
{
    int64_t us = c->conf.heartbeat_us + c->conf.heartbeat_us / 2;

    return us < 15000000 ? us : 15000000;
}

static void set_filters(struct rm_core *c)
{
    int64_t w1 = policy_conf_us(&c->options, "delay.w1"), w2 = policy_conf_us(&c->options, "delay.w2");
    int64_t skips = policy_conf_int(&c->options, "delay.skips");

    if (w1 < 0)
        w1 = c->ops->delays ? delay_auto(c) : 0;
    if (w2 < 0)
        w2 = w1;
    for (size_t i = 0; i < c->apps_n; i++) {
        delay_leave(&c->delay, &c->apps[i]->delay);
        c->apps[i]->delay = (struct delay_job){0};
        c->apps[i]->colo_since_us = 0;
    }
    if (skips > 0)
        delay_init_skips(&c->delay, skips);
    else
        delay_init(&c->delay, w1, w2);
    c->colo_wait_us = policy_conf_us(&c->options, "colo_wait");
    if (c->colo_wait_us < 0)
        c->colo_wait_us = c->ops->colocates ? c->conf.heartbeat_us : 0;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        c->learned.kind[k].startup_us =
            policy_conf_us(&c->options, k == BASE_TASK_MAP ? "learn.map_startup" : "learn.reduce_startup");
    c->slowstart = c->ops->reduces_last ? 1 : c->conf.slowstart;
}

/* Reduces that the new slowstart lets start. Those that may start already may go on. */
static void open_reduces(struct rm_core *c, struct rm_app *a)
{
    struct rm_phase *maps = &a->phase[BASE_TASK_MAP], *reduces = &a->phase[BASE_TASK_REDUCE];

    if (!a->is_job || !maps->open || reduces->open)
        return;
    reduces->open = (double)maps->succeeded >= c->slowstart * (double)maps->total;
    if (reduces->open)
        rm_app_counts(c, a, BASE_TASK_REDUCE);
}

static void begin(struct rm_core *c, const struct policy_ops *ops)
{
    c->ops = ops;
    c->env = (struct policy_env){.conf = &c->options,
                                 .capacity = &c->capacity,
                                 .queues = &c->tree,
                                 .learned = &c->learned,
                                 .heartbeat_us = c->conf.heartbeat_us,
                                 .slowstart = ops->reduces_last ? 1 : c->conf.slowstart,
                                 .core = c,
                                 .running = env_running,
                                 .takes = env_takes,
                                 .user_name = env_user_name,
                                 .note = env_note};
    set_filters(c);
    c->policy = ops->create(&c->env);
    c->faults = 0;
    if (ops->on_capacity)
        ops->on_capacity(c->policy, c->now_us);
    for (size_t i = 0; i < c->apps_n; i++)
        if (c->apps[i]->in_policy)
            ops->on_job_arrived(c->policy, &c->apps[i]->pj, c->now_us);
    for (size_t i = 0; i < c->apps_n; i++)
        if (c->apps[i]->in_policy) {
            for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
                ops->on_job_changed(c->policy, &c->apps[i]->pj, k);
            open_reduces(c, c->apps[i]);
        }
}

static void end(struct rm_core *c)
{
    for (size_t i = 0; i < c->apps_n; i++)
        if (c->apps[i]->in_policy)
            c->ops->on_job_left(c->policy, &c->apps[i]->pj, c->now_us);
    c->ops->destroy(c->policy);
    c->policy = NULL;
}

int rm_policy_set(struct rm_core *c, const char *name, const struct policy_conf *options, struct base_error *err)
{
    const struct policy_ops *ops = policy_find(name);
    int64_t next;
    int rc;

    if (!ops)
        return unknown(name, err);
    if (ops->sim_only && !c->conf.simulation)
        return base_error_set(err, -BASE_EINVAL, "policy: \"%s\" knows the future: it is for simulations alone", name);
    if (ops->check_conf && (rc = ops->check_conf(options ? options : &c->options, err)) < 0)
        return rc;
    if (c->policy)
        end(c);
    if (options) {
        policy_conf_free(&c->options);
        policy_conf_copy(&c->options, options);
    }
    begin(c, ops);
    rm_timer_cancel(&c->timers, &c->policy_timer);
    next = rm_policy_on_timer(c);
    if (next)
        rm_timer_set(&c->timers, &c->policy_timer, next > c->now_us ? next : c->now_us + 1);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        c->offer_all[k] = true;
    c->preempt_all = true;
    return 0;
}

void rm_policy_free(struct rm_core *c)
{
    if (c->policy)
        c->ops->destroy(c->policy);
    policy_conf_free(&c->options);
    free(c->plan.v);
}

void rm_policy_on_set(struct rm_core *c, const struct rm_event *ev)
{
    struct base_error err;
    int rc = rm_policy_set(c, ev->u.policy.name, ev->u.policy.options, &err);

    if (rc < 0) {
        rm_reply_error(c, ev->token, rc, "%s", err.text);
        return;
    }
    c->fell_back = false;
    rm_note(c, 6, "scheduling policy is now %s", c->ops->name);
    rm_reply(c, ev->token, RM_REPLY_OK, 0);
}

/* ---------------------------------------------------------------- victims */
static void apply(struct rm_core *c)
{
    for (size_t i = 0; i < c->plan.len; i++) {
        struct rm_container *ct = c->plan.v[i].container;

        if (ct->killing || ct->master || ct->state == RM_CONTAINER_COMPLETED) {
            c->stats.overruled++;
        } else if (c->plan.v[i].how == POLICY_VICTIM_KILL) {
            c->stats.preempted++;
            if (rm_container_unsent(ct))
                rm_container_end(c, ct, RM_EXIT_PREEMPTED, "preempted by the scheduler", NULL);
            else
                rm_container_kill(c, ct, RM_EXIT_PREEMPTED, "preempted by the scheduler");
        } else if (ct->task && ct->state == RM_CONTAINER_RUNNING && ct->node->state == RM_NODE_RUNNING &&
                   ct->node->slots[ct->slot] > 0) { /* else it could not go on there */
            rm_container_suspend(c, ct);
        } else {
            c->stats.overruled++;
        }
    }
    c->plan.len = 0;
}

int64_t rm_policy_on_timer(struct rm_core *c)
{
    int64_t next = c->ops->on_timer ? c->ops->on_timer(c->policy, c->now_us, &c->plan) : 0;

    apply(c);
    return next;
}

/* Its running attempts of a kind, newest start first. Few: as many as it has slots. */
static size_t running_here(const struct rm_core *c, const struct rm_node *n, enum base_task_kind k,
                           struct policy_running *v, size_t max)
{
    size_t len = 0;

    for (struct rm_container *ct = n->containers; ct && len < max; ct = ct->node_next) {
        struct policy_running r;
        size_t at;

        if (ct->slot != (uint8_t)k || ct->master || ct->killing || ct->state != RM_CONTAINER_RUNNING ||
            !ct->app->in_policy) /* its application has ended: it will be cleaned up */
            continue;
        describe(c, ct, &r);
        for (at = len; at > 0 && v[at - 1].started_us < r.started_us; at--)
            v[at] = v[at - 1];
        v[at] = r;
        len++;
    }
    return len;
}

bool rm_policy_may_preempt(const struct rm_core *c, enum base_task_kind k)
{
    return c->ops->victims && (!c->ops->may_preempt || c->ops->may_preempt(c->policy, k));
}

bool rm_policy_preempt(struct rm_core *c, struct rm_node *n, enum base_task_kind k)
{
    struct policy_offer offer;
    struct policy_running *here;
    size_t len, max = (size_t)n->slots[k];

    if (!c->ops->victims || !max || n->used[k] < n->slots[k] || (c->runnable[k] <= 0 && !n->suspended[k]) ||
        !rm_policy_may_preempt(c, k))
        return false;
    offer = (struct policy_offer){.kind = k,
                                  .now_us = c->now_us,
                                  .node = n->index,
                                  .node_slots = n->slots[k],
                                  .node_used = n->used[k],
                                  .node_suspended = n->suspended[k],
                                  .capacity = &c->capacity};
    here = rm_steps_alloc(&c->scratch, max * sizeof *here);
    len = running_here(c, n, k, here, max);
    if (!len)
        return false;
    c->ops->victims(c->policy, &offer, here, len, &c->plan);
    apply(c);
    return n->used[k] < n->slots[k];
}

/* ---------------------------------------------------------------- admission */
static int64_t whole_second_after(int64_t us)
{
    return (us + 999999) / 1000000 * 1000000;
}

/* "2026-11-21T20:00:05Z". SOURCE: days of the proleptic Gregorian calendar counted from March, so that leap days come
 * last (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days). */
static const char *date_text(struct rm_core *c, int64_t us)
{
    int64_t s = us / 1000000, days = s / 86400 + 719468, era = days / 146097, in_era = days % 146097;
    int64_t year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    int64_t in_year = in_era - (365 * year + year / 4 - year / 100), month = (5 * in_year + 2) / 153;
    int64_t day = in_year - (153 * month + 2) / 5 + 1;

    month = month < 10 ? month + 3 : month - 9;
    year += era * 400 + (month <= 2);
    return rm_scratch_printf(c, "%04lld-%02lld-%02lldT%02lld:%02lld:%02lldZ", (long long)year, (long long)month,
                             (long long)day, (long long)(s / 3600 % 24), (long long)(s / 60 % 60), (long long)(s % 60));
}

#define REFUSED "deadline: refused by " /* begins the diagnostics of those that were not admitted, in the store too */

bool rm_policy_refused(const struct rm_app *a)
{
    return a->is_job && a->final_status == RM_FINAL_FAILED && a->diagnostics &&
           strncmp(a->diagnostics, REFUSED, sizeof REFUSED - 1) == 0;
}

/* With the words that ask for what can be had. */
static const char *refusal_text(struct rm_core *c, const struct rm_app *a, const char *why)
{
    const char *text = rm_scratch_printf(c, REFUSED "%s: %s", c->ops->name, *why ? why : "it cannot be met");

    if (!a->earliest_us)
        return text;
    return rm_scratch_printf(c, "%s. Submitted again now with the deadline %s (%.0f s after this submission) it would be "
                             "accepted", text, date_text(c, a->earliest_us), (double)(a->earliest_us - a->submit_us) / 1e6);
}

bool rm_policy_admits(struct rm_core *c, struct rm_app *a)
{
    struct policy_promise p = {0};

    if (a->pj.deadline_us <= 0 || !c->ops->admit)
        return true;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) /* as they are when it arrives */
        a->pj.phase[k] = (struct policy_phase){.total = a->phase[k].total};
    if (c->ops->admit(c->policy, &a->pj, c->now_us, &p)) {
        a->promised_us = p.finish_us;
        return true;
    }
    if (p.finish_us > 0)
        a->earliest_us = whole_second_after(p.finish_us + policy_conf_us(&c->options, "rtmr.offer_margin"));
    rm_set_diagnostics(&a->diagnostics, refusal_text(c, a, p.why));
    return false;
}

/* ---------------------------------------------------------------- what was seen */
static int64_t bytes_in(const struct rm_app *a, const struct rm_task *t, const struct rm_container_report *r)
{
    if (r && r->counters)
        return r->counters[t->kind == BASE_TASK_MAP ? RM_C_MAP_INPUT_BYTES : RM_C_REDUCE_INPUT_BYTES];
    if (r && r->input_bytes > 0)
        return r->input_bytes;
    return t->kind == BASE_TASK_MAP && (size_t)t->index < a->job->splits_n ? a->job->splits[t->index].length : 0;
}

static int64_t bytes_out(const struct rm_task *t, const struct rm_container_report *r)
{
    if (r && r->counters)
        return r->counters[t->kind == BASE_TASK_MAP ? RM_C_MAP_OUTPUT_BYTES : RM_C_REDUCE_OUTPUT_BYTES];
    return r ? r->output_bytes : 0;
}

static void seen(struct rm_core *c, struct rm_app *a, enum base_task_kind k, const struct policy_task_end *e)
{
    struct policy_seen *s = &a->pj.seen[k];

    s->n++;
    s->work_us = base_sat_add(s->work_us, e->work_us);
    s->bytes_in = base_sat_add(s->bytes_in, e->bytes_in);
    s->bytes_out = base_sat_add(s->bytes_out, e->bytes_out);
    policy_learned_task(&c->learned, &a->pj, k, e);
    if (k == BASE_TASK_MAP && a->pj.seen[k].n >= a->phase[k].total)
        policy_learned_maps(&c->learned, &a->pj);
}

void rm_policy_task_ended(struct rm_core *c, struct rm_app *a, const struct rm_task *t, const struct rm_container *ct,
                          const struct rm_container_report *r, bool success, bool killed)
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
    if (r && r->started_us > 0 && r->ended_us >= r->started_us) /* by the node's clock: reports come late */
        lasted = r->ended_us - r->started_us - ct->suspended_us;
    if (t->kind == BASE_TASK_REDUCE && a->pj.maps_done_us > e.started_us)
        idle = a->pj.maps_done_us - e.started_us;
    e.work_us = lasted > idle ? lasted - idle : 0;
    e.bytes_in = bytes_in(a, t, r);
    e.bytes_out = bytes_out(t, r);
    if (success)
        seen(c, a, t->kind, &e);
    if (c->ops->on_task_ended && a->in_policy)
        c->ops->on_task_ended(c->policy, &a->pj, t->kind, &e);
}

void rm_policy_recall(struct rm_core *c, struct rm_app *a)
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
            e.bytes_in = bytes_in(a, t, NULL);
            seen(c, a, k, &e);
        }
}
