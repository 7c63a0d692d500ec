/* The active policy: how it is replaced while jobs run, and the functions by which it may query the
 * core (struct policy_env). */
#include "rm/core/schedule/active_policy.h"

#include <stdlib.h>

#include "policies/registry.h"
#include "rm/core/app/kind.h"
#include "rm/core/emit.h"
#include "rm/core/schedule/preempt.h"
#include "rm/core/state.h"

static bool env_next_running(void *core, const struct policy_job *job, enum base_task_kind kind,
                             void **cursor, struct policy_running *out)
{
    struct rm_app *a = (struct rm_app *)(void *)(uintptr_t)job; /* the job is its first member */
    struct rm_container *ct = *cursor ? ((struct rm_container *)*cursor)->app_next : a->containers;

    while (ct && ((int)ct->slot != (int)kind || ct->master || ct->killing))
        ct = ct->app_next;
    if (!ct)
        return false;
    *cursor = ct;
    rm_preempt_describe_container(core, ct, out);
    return true;
}

static enum policy_take env_would_take(void *core, const struct policy_job *job,
                                       enum base_task_kind kind, uint32_t node)
{
    struct rm_core *c = core;
    struct rm_app *a = (struct rm_app *)(void *)(uintptr_t)job; /* the job is its first member */

    return a->kind->takes(c, a, kind, c->nodes[node]);
}

static const char *env_user_name(void *core, int32_t user)
{
    const struct rm_core *c = core;

    return user >= 0 && (size_t)user < c->users.n ? c->users.v[user] : NULL;
}

static double env_size_factor(void *core, const struct policy_job *job, enum base_task_kind kind)
{
    const struct rm_core *c = core;

    return c->conf.size_factor(c->conf.size_factor_ctx, job, kind);
}

static void env_note(void *core, int level, const char *text)
{
    rm_emit_note(core, level, "%s", text);
}

static int set_unknown_policy_error(const char *name, struct base_error *err)
{
    struct base_buf known = {0};
    int rc;

    for (size_t i = 0; policy_at(i); i++)
        base_buf_addf(&known, "%s%s", i ? ", " : "", policy_at(i)->name);
    rc = base_error_set(err, -BASE_EINVAL, "policy: \"%s\" is unknown; known are %s",
                        name ? name : "", known.data);
    base_buf_free(&known);
    return rc;
}

/* Returns how long delay scheduling waits by default: one and a half heartbeats, 15 s at most, as
 * in Hadoop's Fair Scheduler. */
static int64_t default_locality_delay_us(const struct rm_core *c)
{
    int64_t us = c->conf.heartbeat_us + c->conf.heartbeat_us / 2;

    return us < 15000000 ? us : 15000000;
}

static void apply_common_policy_options(struct rm_core *c)
{
    int64_t w1 = policy_conf_us(&c->options, policy_common_options, "delay.w1"),
            w2 = policy_conf_us(&c->options, policy_common_options, "delay.w2");
    int64_t skips = policy_conf_int(&c->options, policy_common_options, "delay.skips");

    if (w1 < 0)
        w1 = c->ops->delays ? default_locality_delay_us(c) : 0;
    if (w2 < 0)
        w2 = w1;
    for (size_t i = 0; i < c->apps_n; i++) {
        delay_remove_job(&c->delay, &c->apps[i]->delay);
        c->apps[i]->delay = (struct delay_job){0};
        c->apps[i]->colo_since_us = 0;
    }
    if (skips > 0)
        delay_init_skips(&c->delay, skips);
    else
        delay_init(&c->delay, w1, w2);
    c->colo_wait_us = policy_conf_us(&c->options, policy_common_options, "colo_wait");
    if (c->colo_wait_us < 0)
        c->colo_wait_us = c->ops->colocates ? c->conf.heartbeat_us : 0;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        c->learned.kind[k].startup_us =
            policy_conf_us(&c->options, policy_common_options,
                           k == BASE_TASK_MAP ? "learn.map_startup" : "learn.reduce_startup");
    c->slowstart = c->ops->reduces_last ? 1 : c->conf.slowstart;
}

/* Opens the reduces of @a if slowstart allows it under the new policy. Reduces that are open stay
 * open. */
static void open_reduces_if_allowed(struct rm_core *c, struct rm_app *a)
{
    struct rm_phase *maps = &a->phase[BASE_TASK_MAP], *reduces = &a->phase[BASE_TASK_REDUCE];

    if (!maps->open || reduces->open)
        return;
    reduces->open = (double)maps->succeeded >= c->slowstart * (double)maps->total;
    if (reduces->open)
        rm_app_update_demand(c, a, BASE_TASK_REDUCE);
}

static void start_policy(struct rm_core *c, const struct policy_ops *ops)
{
    c->ops = ops;
    c->env = (struct policy_env){.conf = &c->options,
                                 .capacity = &c->capacity,
                                 .queues = &c->tree,
                                 .learned = &c->learned,
                                 .heartbeat_us = c->conf.heartbeat_us,
                                 .slowstart = ops->reduces_last ? 1 : c->conf.slowstart,
                                 .core = c,
                                 .running = env_next_running,
                                 .takes = env_would_take,
                                 .user_name = env_user_name,
                                 .size_factor = c->conf.size_factor ? env_size_factor : NULL,
                                 .note = env_note};
    apply_common_policy_options(c);
    c->policy = ops->create(&c->env);
    c->faults = 0;
    if (ops->on_capacity)
        ops->on_capacity(c->policy, c->now_us);
    rm_reservations_enter_policy(c);
    for (size_t i = 0; i < c->apps_n; i++)
        if (c->apps[i]->in_policy)
            ops->on_job_arrived(c->policy, &c->apps[i]->pj, c->now_us);
    for (size_t i = 0; i < c->apps_n; i++)
        if (c->apps[i]->in_policy) {
            for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
                ops->on_job_changed(c->policy, &c->apps[i]->pj, k);
            open_reduces_if_allowed(c, c->apps[i]);
            rm_mapreduce_update_reduces(c, c->apps[i]);
        }
}

static void stop_policy(struct rm_core *c)
{
    for (size_t i = 0; i < c->apps_n; i++)
        if (c->apps[i]->in_policy)
            c->ops->on_job_left(c->policy, &c->apps[i]->pj, c->now_us);
    rm_reservations_leave_policy(c);
    c->ops->destroy(c->policy);
    c->policy = NULL;
}

/* Returns an application that waits for containers of more than one slot; NULL: there is none. */
static const struct rm_app *find_wide_app(const struct rm_core *c)
{
    for (size_t i = 0; i < c->apps_n; i++)
        for (enum base_task_kind k = 0; c->apps[i]->in_policy && k < BASE_TASK_KINDS; k++)
            if (c->apps[i]->pj.widest[k] > 1)
                return c->apps[i];
    return NULL;
}

int rm_policy_set(struct rm_core *c, const char *name, const struct policy_conf *options,
                  struct base_error *err)
{
    const struct policy_ops *ops = policy_find(name);
    const struct rm_app *wide;
    char id[BASE_ID_TEXT_MAX];
    int64_t next;
    int rc;

    if (!ops)
        return set_unknown_policy_error(name, err);
    if (ops->sim_only && !c->conf.simulation)
        return base_error_set(err, -BASE_EINVAL,
                              "policy: \"%s\" knows the future: it is for simulations alone", name);
    if (ops->single_slots && (wide = find_wide_app(c)) != NULL)
        return base_error_set(err, -BASE_EINVAL,
                              "policy: \"%s\" gives single slots, and %s asks for several at once",
                              name, base_app_id_text(&wide->id, id));
    if (ops->check_conf && (rc = ops->check_conf(options ? options : &c->options, err)) < 0)
        return rc;
    if (c->policy)
        stop_policy(c);
    if (options) {
        policy_conf_free(&c->options);
        policy_conf_copy(&c->options, options);
    }
    start_policy(c, ops);
    rm_timer_cancel(&c->timers, &c->policy_timer);
    next = rm_preempt_run_policy_timer(c);
    if (next)
        rm_timer_set(&c->timers, &c->policy_timer, next > c->now_us ? next : c->now_us + 1);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        c->offer_all[k] = true;
    c->preempt_all = true;
    c->master_slots.ask_policy = true;
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
    rm_emit_note(c, 6, "scheduling policy is now %s", c->ops->name);
    rm_reply(c, ev->token, RM_REPLY_OK, 0);
}
