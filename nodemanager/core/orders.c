/* Applies to the core's state what the ResourceManager orders, and what masters ask of the node. */
#include "base/error.h"
#include "nodemanager/core/core_internal.h"

/* Ends a container that cannot be launched. The end is reported like any other; without a report
 * the RM would wait forever. */
static void end_unlaunched_container(struct nm_core *core, struct nm_container *c, const char *why,
                                     struct nm_effects *out)
{
    const struct nm_end end = {.exit_code = NM_EXIT_REFUSED, .diagnostics = why};
    nm_log_note_add(out, "%.60s: launch refused: %.80s", nm_core_view(c)->text, why);
    nm_container_complete(core, c, &end, out);
}

static void launch_new_container(struct nm_core *core, const struct nm_launch *l, int64_t now_us,
                                 struct nm_effects *out)
{
    bool full = core->alive >= NM_CONTAINERS_MAX;
    struct nm_container *c = nm_container_new(core, l);
    c->launched_us = now_us;
    nm_container_apply_input(core, c, NM_IN_LAUNCH);
    if (l->refused || full) {
        end_unlaunched_container(
            core, c, l->refused ? l->refused : "The node runs as many containers as it can.", out);
        return;
    }
    core->stats.launched++;
    struct nm_effect *fx = nm_effect_add(out, NM_FX_LAUNCH);
    fx->container = c;
    fx->launch = l;
    fx->app_changed = c->of->changed;
    c->of->changed = false;
}

static void apply_launch_order(struct nm_core *core, const struct nm_launch *l, int64_t now_us,
                               struct nm_effects *out)
{
    struct nm_container *c = nm_core_find_container(core, &l->id);
    if (c) { /* the order was repeated */
        core->stats.ignored[nm_core_view(c)->state][NM_IN_LAUNCH]++;
        return;
    }
    if (nm_core_has_forgotten(core, &l->id)) {
        core->stats.ignored[NM_FORGOTTEN][NM_IN_LAUNCH]++;
        return;
    }
    if (core->stopping) {
        core->stats.ignored[NM_NEW][NM_IN_LAUNCH]++;
        return;
    }
    launch_new_container(core, l, now_us, out);
}

static void apply_suspend_order(struct nm_core *core, struct nm_container *c,
                                struct nm_effects *out)
{
    if (!nm_container_apply_input(core, c, NM_IN_SUSPEND))
        return;
    if (c->v.state == NM_LAUNCHING) {
        c->suspend_when_up = true;
        return;
    }
    struct nm_effect *fx = nm_effect_add(out, NM_FX_MARK);
    fx->container = c;
    fx->mark = NM_MARK_SUSPENDED;
    nm_signal_request(c, NM_SIGNAL_STOP, out);
    nm_link_mark_urgent(core);
}

static void apply_resume_order(struct nm_core *core, struct nm_container *c, struct nm_effects *out)
{
    if (!nm_container_apply_input(core, c, NM_IN_RESUME))
        return;
    if (c->v.state == NM_LAUNCHING) {
        c->suspend_when_up = false;
        return;
    }
    struct nm_effect *fx = nm_effect_add(out, NM_FX_MARK);
    fx->container = c;
    fx->mark = NM_MARK_RESUMED;
    nm_signal_request(c, NM_SIGNAL_CONT, out);
    nm_link_mark_urgent(core);
}

/* A signal on a user's behalf is not an input of the life cycle; whether it ends the container is
 * up to the processes. It is not repeated if it reaches no process. */
static void apply_signal_order(struct nm_container *c, enum base_signal_command command,
                               struct nm_effects *out)
{
    static const enum nm_signal signals[BASE_SIGNAL_COMMANDS] = {
        [BASE_SIGNAL_OUTPUT_THREAD_DUMP] = NM_SIGNAL_DUMP,
        [BASE_SIGNAL_GRACEFUL_SHUTDOWN] = NM_SIGNAL_TERM,
        [BASE_SIGNAL_FORCEFUL_SHUTDOWN] = NM_SIGNAL_KILL};
    struct nm_effect *fx;
    if (c->v.state != NM_RUNNING && c->v.state != NM_SUSPENDED)
        return;
    fx = nm_effect_add(out, NM_FX_SIGNAL);
    fx->container = c;
    fx->signal = signals[command];
}

static void apply_forget_order(struct nm_core *core, struct nm_container *c, struct nm_effects *out)
{
    if (!nm_container_apply_input(core, c, NM_IN_FORGET))
        return;
    nm_container_forget(core, c);
    struct nm_effect *fx = nm_effect_add(out, NM_FX_MARK);
    fx->container = c;
    fx->mark = NM_MARK_FORGOTTEN;
}

static void apply_cleanup_order(struct nm_core *core, const struct nm_order *o, int64_t now_us,
                                struct nm_effects *out)
{
    struct nm_app *app = nm_app_find(core, &o->app);
    if (!app) { /* unknown, but folders may be left from before a restart */
        struct nm_effect *fx = nm_effect_add(out, NM_FX_CLEANUP);
        fx->app = o->app;
        fx->keep_logs = o->keep_logs;
        return;
    }
    if (app->v.finished)
        return;
    app->v.cleaning = true;
    app->keep_logs = o->keep_logs;
    struct nm_container *c;
    TAILQ_FOREACH(c, &app->containers, in_app)
    {
        if (nm_state_is_alive(c->v.state))
            nm_container_kill(core, c, NM_EXIT_KILLED, "The application has ended.", 0, now_us,
                              out);
    }
    nm_app_cleanup_if_done(core, app, out);
}

static void apply_shutdown_order(struct nm_core *core, const struct nm_order *o, int64_t now_us,
                                 struct nm_effects *out)
{
    if (core->stopping)
        return;
    core->stopping = true;
    nm_log_note_add(out, "shutdown ordered: %s", o->reason ? o->reason : "no reason given");
    struct nm_container *c;
    TAILQ_FOREACH(c, &core->all, all)
    {
        if (nm_state_is_alive(c->v.state))
            nm_container_kill(core, c, NM_EXIT_KILLED,
                              "The node was shut down by the ResourceManager.", o->grace_ms, now_us,
                              out);
    }
}

void nm_order_apply(struct nm_core *core, const struct nm_order *o, int64_t now_us,
                    struct nm_effects *out)
{
    struct nm_container *c = NULL;
    core->stats.orders[o->kind]++;
    if (o->kind >= BASE_ORDER_KILL && o->kind <= BASE_ORDER_FORGET) {
        c = nm_core_find_container(core, &o->container);
        if (!c)
            return; /* forgotten and freed, or never on this node */
    }
    switch (o->kind) {
    case BASE_ORDER_LAUNCH:
        apply_launch_order(core, &o->launch, now_us, out);
        break;
    case BASE_ORDER_KILL:
        nm_container_kill(core, c, NM_EXIT_KILLED, o->reason, o->grace_ms, now_us, out);
        break;
    case BASE_ORDER_SUSPEND:
        apply_suspend_order(core, c, out);
        break;
    case BASE_ORDER_RESUME:
        apply_resume_order(core, c, out);
        break;
    case BASE_ORDER_SIGNAL:
        apply_signal_order(c, o->signal, out);
        break;
    case BASE_ORDER_FORGET:
        apply_forget_order(core, c, out);
        break;
    case BASE_ORDER_CLEANUP_APP:
        apply_cleanup_order(core, o, now_us, out);
        break;
    case BASE_ORDER_RESYNC:
        nm_link_schedule_registration(core, now_us);
        break;
    case BASE_ORDER_SHUTDOWN:
        apply_shutdown_order(core, o, now_us, out);
        break;
    case BASE_ORDER_KINDS:
        break;
    }
}

/* ---- what masters ask ---- */

enum nm_start_refusal nm_core_judge_start(const struct nm_core *core,
                                          const struct base_container_id *id)
{
    const struct nm_app *app = nm_app_find(core, &id->attempt.app);
    if (nm_core_find_container(core, id) || nm_core_has_forgotten(core, id))
        return NM_START_REPEATED;
    if (app && (app->v.cleaning || app->v.finished))
        return NM_START_APP_ENDED;
    if (core->stopping)
        return NM_START_STOPPING;
    return core->alive >= NM_CONTAINERS_MAX ? NM_START_FULL : NM_START_ALLOWED;
}

void nm_master_launch_apply(struct nm_core *core, const struct nm_event *ev, struct nm_effects *out)
{
    const struct nm_launch *l = &ev->u.master_launch;
    base_assert(nm_core_judge_start(core, &l->id) == NM_START_ALLOWED);
    launch_new_container(core, l, ev->at_us, out);
}

void nm_master_stop_apply(struct nm_core *core, const struct nm_event *ev, struct nm_effects *out)
{
    struct nm_container *c = nm_core_find_container(core, &ev->container);
    if (c)
        nm_container_kill(core, c, NM_EXIT_STOPPED, ev->u.master_stop.reason,
                          ev->u.master_stop.grace_ms, ev->at_us, out);
}
