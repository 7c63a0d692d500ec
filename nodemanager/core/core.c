/* The core of the NodeManager: the edges of the life cycle, the containers and applications, and
 * nm_core_step(). */
#include "nodemanager/core/core.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "nodemanager/core/core_internal.h"

/* The edges of the life cycle in core.h. Any other pair of state and input is ignored and
 * counted. */
static const struct {
    enum nm_state from;
    enum nm_input in;
    enum nm_state to;
} edges[] = {
    {NM_NEW, NM_IN_LAUNCH, NM_LAUNCHING},
    {NM_LAUNCHING, NM_IN_SPAWNED, NM_RUNNING},
    {NM_LAUNCHING, NM_IN_KILL, NM_KILLING},
    {NM_LAUNCHING, NM_IN_SUSPEND, NM_LAUNCHING}, /* remembered until the shim runs */
    {NM_LAUNCHING, NM_IN_RESUME, NM_LAUNCHING},
    {NM_LAUNCHING, NM_IN_ENDED, NM_COMPLETE}, /* could not be started */
    {NM_RUNNING, NM_IN_SUSPEND, NM_SUSPENDED},
    {NM_RUNNING, NM_IN_KILL, NM_KILLING},
    {NM_RUNNING, NM_IN_ENDED, NM_COMPLETE},
    {NM_SUSPENDED, NM_IN_RESUME, NM_RUNNING},
    {NM_SUSPENDED, NM_IN_KILL, NM_KILLING},
    {NM_SUSPENDED, NM_IN_ENDED, NM_COMPLETE},
    {NM_KILLING, NM_IN_SPAWNED, NM_KILLING}, /* killed before its shim ran */
    {NM_KILLING, NM_IN_ENDED, NM_COMPLETE},
    {NM_COMPLETE, NM_IN_FORGET, NM_FORGOTTEN},
};

static enum nm_state edge_table[NM_STATES][NM_INPUTS];
__attribute__((constructor)) static void fill_edge_table(void)
{
    for (int s = 0; s < NM_STATES; s++)
        for (int i = 0; i < NM_INPUTS; i++)
            edge_table[s][i] = NM_STATES;
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++)
        edge_table[edges[i].from][edges[i].in] = edges[i].to;
}

enum nm_state nm_state_after(enum nm_state s, enum nm_input in)
{
    return s < NM_STATES && in < NM_INPUTS ? edge_table[s][in] : NM_STATES;
}

bool nm_state_is_alive(enum nm_state s)
{
    return s == NM_LAUNCHING || s == NM_RUNNING || s == NM_SUSPENDED || s == NM_KILLING;
}

struct nm_effect *nm_effect_add(struct nm_effects *out, enum nm_effect_kind kind)
{
    base_array_grow(&out->v, out->len, &out->cap);
    struct nm_effect *fx = &out->v[out->len++];
    memset(fx, 0, sizeof *fx);
    fx->kind = kind;
    return fx;
}

void nm_log_note_add(struct nm_effects *out, const char *fmt, ...)
{
    struct nm_effect *fx = nm_effect_add(out, NM_FX_NOTE);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(fx->note, sizeof fx->note, fmt, ap);
    va_end(ap);
}

/* ---- objects ---- */

static void replace_text(char **field, const char *text)
{
    char *copy = base_strdup(text);
    free(*field);
    *field = copy;
}

static void copy_phase(struct nm_container *c, const char *phase)
{
    snprintf(c->v.phase, sizeof c->v.phase, "%s", phase ? phase : "");
}

struct nm_core *nm_core_new(int64_t epoch_seen)
{
    struct nm_core *core = base_alloc(sizeof *core);
    TAILQ_INIT(&core->all);
    TAILQ_INIT(&core->dying);
    TAILQ_INIT(&core->apps);
    core->epoch = epoch_seen;
    core->healthy = true;
    nm_link_init(&core->link);
    return core;
}

void nm_core_seed_random(struct nm_core *core, uint64_t seed)
{
    core->link.random = seed;
}

static void free_container(struct nm_core *core, struct nm_container *c)
{
    if (c->v.state != NM_FORGOTTEN)
        TAILQ_REMOVE(&core->all, c, all);
    else
        TAILQ_REMOVE(&core->dying, c, all);
    TAILQ_REMOVE(&c->of->containers, c, in_app);
    HASH_DEL(core->by_id, c);
    if (core->on_free && c->shell)
        core->on_free(c->shell);
    free(c->v.name);
    free(c->v.task);
    free(c->v.diagnostics);
    free(c->v.counters);
    free(c->v.kill_reason);
    free(c);
}

static void free_app_containers(struct nm_core *core, struct nm_app *app)
{
    struct nm_container *c;
    while ((c = TAILQ_FIRST(&app->containers)) != NULL)
        free_container(core, c);
}

static void free_app(struct nm_core *core, struct nm_app *app)
{
    free_app_containers(core, app);
    nm_id_set_free(&app->forgotten);
    TAILQ_REMOVE(&core->apps, app, all);
    HASH_DEL(core->app_by_id, app);
    free(app->v.user);
    free(app->v.token);
    free(app->v.acl_view);
    free(app);
}

void nm_core_free(struct nm_core *core)
{
    struct nm_app *app;
    if (!core)
        return;
    while ((app = TAILQ_FIRST(&core->apps)) != NULL)
        free_app(core, app);
    free(core->health_report);
    free(core);
}

/* The hash table compares whole structs, so padding bytes must be zero in keys. */
static void zero_padded_app_key(struct base_app_id *key, const struct base_app_id *id)
{
    memset(key, 0, sizeof *key);
    key->cluster_ts = id->cluster_ts;
    key->seq = id->seq;
}

static void zero_padded_container_key(struct base_container_id *key,
                                      const struct base_container_id *id)
{
    memset(key, 0, sizeof *key);
    zero_padded_app_key(&key->attempt.app, &id->attempt.app);
    key->attempt.attempt = id->attempt.attempt;
    key->num = id->num;
}

struct nm_app *nm_app_find(const struct nm_core *core, const struct base_app_id *id)
{
    struct base_app_id key;
    struct nm_app *app = NULL;
    zero_padded_app_key(&key, id);
    HASH_FIND(hh, core->app_by_id, &key, sizeof key, app);
    return app;
}

struct nm_container *nm_core_find_container(const struct nm_core *core,
                                            const struct base_container_id *id)
{
    struct base_container_id key;
    struct nm_container *c = NULL;
    zero_padded_container_key(&key, id);
    HASH_FIND(hh, core->by_id, &key, sizeof key, c);
    return c;
}

/* Returns true after replacing @field by another text. */
static bool take_text(char **field, const char *text)
{
    if (*field && strcmp(*field, text) == 0)
        return false;
    replace_text(field, text);
    return true;
}

/* Returns the application of the container that @l describes. */
static struct nm_app *find_or_create_app(struct nm_core *core, const struct nm_launch *l)
{
    const struct base_app_id *id = &l->id.attempt.app;
    struct nm_app *app = nm_app_find(core, id);
    bool new = !app;
    if (new) {
        app = base_alloc(sizeof *app);
        zero_padded_app_key(&app->v.id, id);
        base_app_id_text(&app->v.id, app->v.text);
        TAILQ_INIT(&app->containers);
        HASH_ADD(hh, core->app_by_id, v.id, sizeof app->v.id, app);
        TAILQ_INSERT_TAIL(&core->apps, app, all);
    }
    if (app->v.finished) /* cleaned up before, and now used again */
        core->finished_apps--;
    app->v.finished = app->v.cleaning = false;
    if (l->user && *l->user)
        app->changed |= take_text(&app->v.user, l->user);
    if (l->token && *l->token)
        app->changed |= take_text(&app->v.token, l->token);
    if (l->acl_view)
        app->changed |= take_text(&app->v.acl_view, l->acl_view);
    if (new)
        app->changed = false;
    return app;
}

struct nm_container *nm_container_new(struct nm_core *core, const struct nm_launch *l)
{
    struct nm_container *c = base_alloc(sizeof *c);
    zero_padded_container_key(&c->v.id, &l->id);
    base_container_id_text(&c->v.id, c->v.text);
    c->of = find_or_create_app(core, l);
    c->v.app = &c->of->v;
    c->v.kind = l->kind;
    c->v.slot = l->slot;
    c->v.name = base_strdup(l->name);
    c->v.task = base_strdup(l->task);
    c->v.task_attempt = l->task_attempt;
    c->v.memory_mb = l->memory_mb;
    c->v.vcores = l->vcores;
    c->v.priority = l->priority;
    c->v.allocation_request_id = l->allocation_request_id;
    c->v.exit_code = NM_EXIT_NONE;
    c->kill_at_us = c->again_us = INT64_MAX;
    c->version = 1;
    HASH_ADD(hh, core->by_id, v.id, sizeof c->v.id, c);
    TAILQ_INSERT_TAIL(&core->all, c, all);
    TAILQ_INSERT_TAIL(&c->of->containers, c, in_app);
    return c;
}

void nm_container_mark_changed(struct nm_container *c)
{
    c->version++;
}

/* ---- moves ---- */

static void update_alive_counts(struct nm_core *core, struct nm_container *c, bool was_alive,
                                bool is_alive)
{
    if (was_alive && !is_alive) {
        core->alive--;
        c->of->v.alive--;
    } else if (!was_alive && is_alive) {
        core->alive++;
        c->of->v.alive++;
    }
}

bool nm_container_apply_input(struct nm_core *core, struct nm_container *c, enum nm_input in)
{
    enum nm_state from = c->v.state, to = nm_state_after(from, in);
    if (to == NM_STATES) {
        core->stats.ignored[from][in]++;
        return false;
    }
    core->stats.edges[from][in]++;
    c->v.state = to;
    update_alive_counts(core, c, nm_state_is_alive(from), nm_state_is_alive(to));
    if (from != to)
        nm_container_mark_changed(c);
    return true;
}

void nm_signal_request(struct nm_container *c, enum nm_signal s, struct nm_effects *out)
{
    struct nm_effect *fx = nm_effect_add(out, NM_FX_SIGNAL);
    fx->container = c;
    fx->signal = s;
    c->again_us = INT64_MAX;
}

static void send_first_kill_signal(struct nm_container *c, int64_t now_us, bool stopped,
                                   struct nm_effects *out)
{
    if (c->v.grace_ms <= 0) {
        nm_signal_request(c, NM_SIGNAL_KILL, out);
        c->kill_at_us = now_us + NM_KILL_AGAIN_US;
        return;
    }
    nm_signal_request(c, NM_SIGNAL_TERM, out);
    if (stopped) /* a stopped process gets its TERM only when it runs again */
        nm_signal_request(c, NM_SIGNAL_CONT, out);
    c->kill_at_us = now_us + c->v.grace_ms * 1000;
}

void nm_container_kill(struct nm_core *core, struct nm_container *c, int status, const char *reason,
                       int64_t grace_ms, int64_t now_us, struct nm_effects *out)
{
    enum nm_state from = c->v.state;
    if (from == NM_KILLING) { /* a second order counts only if its grace period ends earlier */
        core->stats.ignored[from][NM_IN_KILL]++;
        if (c->kill_at_us != INT64_MAX && now_us + grace_ms * 1000 < c->kill_at_us)
            c->kill_at_us = now_us + grace_ms * 1000;
        return;
    }
    if (!nm_container_apply_input(core, c, NM_IN_KILL))
        return;
    replace_text(&c->v.kill_reason, reason ? reason : "");
    c->v.kill_status = status;
    c->v.grace_ms = grace_ms;
    struct nm_effect *fx = nm_effect_add(out, NM_FX_MARK);
    fx->container = c;
    fx->mark = NM_MARK_KILLED;
    if (from != NM_LAUNCHING)
        send_first_kill_signal(c, now_us, from == NM_SUSPENDED, out);
}

static void let_later_step_free_container(struct nm_core *core, struct nm_container *c)
{
    TAILQ_REMOVE(&core->all, c, all);
    TAILQ_INSERT_TAIL(&core->dying, c, all);
}

void nm_container_forget(struct nm_core *core, struct nm_container *c)
{
    let_later_step_free_container(core, c);
    nm_id_set_add(&c->of->forgotten, &c->v.id);
}

static void free_oldest_finished_apps(struct nm_core *core)
{
    struct nm_app *app, *next;
    for (app = TAILQ_FIRST(&core->apps); app && core->finished_apps > NM_APPS_FINISHED_MAX;
         app = next) {
        next = TAILQ_NEXT(app, all);
        if (app->v.finished) {
            core->finished_apps--;
            free_app(core, app);
        }
    }
}

void nm_app_cleanup_if_done(struct nm_core *core, struct nm_app *app, struct nm_effects *out)
{
    if (!app->v.cleaning || app->v.alive || app->v.finished)
        return;
    struct nm_effect *fx = nm_effect_add(out, NM_FX_CLEANUP);
    fx->app = app->v.id;
    fx->keep_logs = app->keep_logs;
    app->v.cleaning = false;
    app->v.finished = true;
    core->finished_apps++;
    nm_id_set_free(&app->forgotten);
    free(app->v.token);
    app->v.token = NULL;
    struct nm_container *c;
    TAILQ_FOREACH(c, &app->containers, in_app)
    {
        if (c->v.state != NM_FORGOTTEN) {
            let_later_step_free_container(core, c);
            c->v.state = NM_FORGOTTEN;
        }
    }
}

/* Frees containers that were forgotten in an earlier step, to which no effect points any more, and
 * the oldest finished applications beyond NM_APPS_FINISHED_MAX. */
static void free_dying_containers(struct nm_core *core)
{
    struct nm_container *c;
    while ((c = TAILQ_FIRST(&core->dying)) != NULL)
        free_container(core, c);
    if (core->finished_apps > NM_APPS_FINISHED_MAX)
        free_oldest_finished_apps(core);
}

/* ---- events ---- */

static void set_container_end(struct nm_container *c, const struct nm_end *e)
{
    c->v.exit_code = e->exit_code;
    c->v.signal = e->signal;
    replace_text(&c->v.diagnostics, e->diagnostics);
    if (e->counters)
        replace_text(&c->v.counters, e->counters);
    if (e->started_ms)
        c->v.started_ms = e->started_ms;
    c->v.ended_ms = e->ended_ms;
    c->v.cpu_ms = e->cpu_ms;
    c->v.max_rss_kb = e->max_rss_kb;
    c->v.output_bytes = e->output_bytes;
    c->kill_at_us = c->again_us = INT64_MAX;
    if (c->v.kill_reason) { /* counts as killed by order, however the process ended */
        c->v.exit_code = c->v.kill_status;
        replace_text(&c->v.diagnostics, c->v.kill_reason);
    } else if (e->exit_code == 0) {
        c->v.progress = 1;
    }
}

static void count_end(struct nm_core_stats *stats, const struct nm_container *c)
{
    stats->completed++;
    if (c->v.kill_reason)
        stats->killed++;
    else if (c->v.exit_code == 0)
        stats->succeeded++;
    else
        stats->failed++;
}

void nm_container_complete(struct nm_core *core, struct nm_container *c, const struct nm_end *e,
                           struct nm_effects *out)
{
    if (!nm_container_apply_input(core, c, NM_IN_ENDED))
        return;
    set_container_end(c, e);
    count_end(&core->stats, c);
    nm_link_mark_urgent(core);
    nm_app_cleanup_if_done(core, c->of, out);
}

static void handle_ended(struct nm_core *core, const struct nm_event *ev, struct nm_effects *out)
{
    struct nm_container *c = nm_core_find_container(core, &ev->container);
    if (c)
        nm_container_complete(core, c, &ev->u.ended, out);
}

static void suspend_running_container(struct nm_core *core, struct nm_container *c,
                                      struct nm_effects *out)
{
    if (!nm_container_apply_input(core, c, NM_IN_SUSPEND))
        return;
    struct nm_effect *fx = nm_effect_add(out, NM_FX_MARK);
    fx->container = c;
    fx->mark = NM_MARK_SUSPENDED;
    nm_signal_request(c, NM_SIGNAL_STOP, out);
    nm_link_mark_urgent(core);
}

static void handle_spawned(struct nm_core *core, const struct nm_event *ev, struct nm_effects *out)
{
    struct nm_container *c = nm_core_find_container(core, &ev->container);
    if (!c || !nm_container_apply_input(core, c, NM_IN_SPAWNED))
        return;
    c->v.started_ms = ev->u.spawned.started_ms;
    core->stats.spawned++;
    core->stats.spawn_us += (uint64_t)(ev->at_us - c->launched_us);
    if (c->v.state == NM_KILLING)
        send_first_kill_signal(c, ev->at_us, false, out);
    else if (c->suspend_when_up)
        suspend_running_container(core, c, out);
}

/* A signal reaches no process when the shim is about to start the command. The signal is then sent
 * again, as long as this function returns true. */
static bool signal_still_wanted(const struct nm_container *c, enum nm_signal s)
{
    switch (s) {
    case NM_SIGNAL_TERM:
        return c->v.state == NM_KILLING && c->kill_at_us != INT64_MAX;
    case NM_SIGNAL_STOP:
        return c->v.state == NM_SUSPENDED;
    case NM_SIGNAL_CONT:
        return c->v.state == NM_RUNNING;
    case NM_SIGNAL_DUMP:
    case NM_SIGNAL_KILL: /* repeated by its own timer, kill_at_us */
        break;
    }
    return false;
}

static void repeat_signal_if_none_reached(struct nm_core *core, const struct nm_event *ev)
{
    struct nm_container *c = nm_core_find_container(core, &ev->container);
    if (!c || ev->u.signalled.count || !signal_still_wanted(c, ev->u.signalled.signal))
        return;
    c->again = ev->u.signalled.signal;
    c->again_us = ev->at_us + NM_SIGNAL_AGAIN_US;
}

static void handle_progress(struct nm_core *core, const struct nm_event *ev)
{
    struct nm_container *c = nm_core_find_container(core, &ev->container);
    if (!c || !nm_state_is_alive(c->v.state))
        return;
    double p = ev->u.progress.progress;
    c->v.progress = p >= 0 ? (p <= 1 ? p : 1) : 0; /* NaN fails the first comparison */
    if (ev->u.progress.phase)
        copy_phase(c, ev->u.progress.phase);
    if (ev->u.progress.counters)
        replace_text(&c->v.counters, ev->u.progress.counters);
    nm_container_mark_changed(c);
}

static void handle_health(struct nm_core *core, const struct nm_event *ev)
{
    if (core->healthy != ev->u.health.healthy)
        nm_link_mark_urgent(core);
    core->healthy = ev->u.health.healthy;
    core->disk_free_mb = ev->u.health.disk_free_mb;
    replace_text(&core->health_report, ev->u.health.report);
}

static void handle_recovered(struct nm_core *core, const struct nm_event *ev,
                             struct nm_effects *out)
{
    if (nm_core_find_container(core, &ev->u.recovered.launch.id))
        return;
    if (ev->u.recovered.state == NM_FORGOTTEN) {
        const struct nm_launch *l = &ev->u.recovered.launch;
        nm_id_set_add(&find_or_create_app(core, l)->forgotten, &l->id);
        return;
    }
    struct nm_container *c = nm_container_new(core, &ev->u.recovered.launch);
    c->v.state = ev->u.recovered.state;
    c->v.started_ms = ev->u.recovered.started_ms;
    update_alive_counts(core, c, false, nm_state_is_alive(c->v.state));
    if (ev->u.recovered.kill_reason)
        replace_text(&c->v.kill_reason, ev->u.recovered.kill_reason);
    c->v.kill_status = ev->u.recovered.kill_status ? ev->u.recovered.kill_status : NM_EXIT_KILLED;
    if (c->v.state == NM_COMPLETE) {
        set_container_end(c, &ev->u.recovered.end);
    } else if (c->v.state == NM_KILLING) { /* the grace period began before the restart */
        c->v.grace_ms = 0;
        send_first_kill_signal(c, ev->at_us, false, out);
    } else if (c->v.state == NM_SUSPENDED) {
        nm_signal_request(c, NM_SIGNAL_STOP, out);
    } else if (c->v.state == NM_RUNNING) { /* a resume may have been interrupted after its mark */
        nm_signal_request(c, NM_SIGNAL_CONT, out);
    }
}

static void send_due_signals(struct nm_core *core, int64_t now_us, struct nm_effects *out)
{
    struct nm_container *c;
    TAILQ_FOREACH(c, &core->all, all)
    {
        if (c->kill_at_us <= now_us) {
            nm_signal_request(c, NM_SIGNAL_KILL, out);
            c->kill_at_us = now_us + NM_KILL_AGAIN_US;
        } else if (c->again_us <= now_us) {
            nm_signal_request(c, c->again, out);
        }
    }
}

static void stop_if_all_ended(struct nm_core *core, struct nm_effects *out)
{
    if (core->stopping && !core->alive && !core->stop_said) {
        core->stop_said = true;
        nm_effect_add(out, NM_FX_STOP);
    }
}

void nm_core_step(struct nm_core *core, const struct nm_event *ev, struct nm_effects *out)
{
    /* progress is reported while the effects of the previous step are carried out: free nothing */
    if (ev->kind == NM_EV_PROGRESS) {
        handle_progress(core, ev);
        return;
    }
    if (ev->kind == NM_EV_EPOCH_SAVED) {
        core->epoch = ev->u.epoch_saved > core->epoch ? ev->u.epoch_saved : core->epoch;
        return;
    }
    free_dying_containers(core);
    switch (ev->kind) {
    case NM_EV_START:
        nm_link_schedule_registration(core, ev->at_us);
        break;
    case NM_EV_RECOVERED:
        handle_recovered(core, ev, out);
        return;
    case NM_EV_ANSWER:
        nm_link_handle_answer(core, ev, out);
        break;
    case NM_EV_BEAT_FAILED:
        nm_link_handle_failure(core, ev);
        break;
    case NM_EV_MASTER_LAUNCH:
        nm_master_launch_apply(core, ev, out);
        break;
    case NM_EV_MASTER_STOP:
        nm_master_stop_apply(core, ev, out);
        break;
    case NM_EV_SPAWNED:
        handle_spawned(core, ev, out);
        break;
    case NM_EV_SPAWN_FAILED:
    case NM_EV_ENDED:
        handle_ended(core, ev, out);
        break;
    case NM_EV_SIGNALLED:
        repeat_signal_if_none_reached(core, ev);
        break;
    case NM_EV_PROGRESS:
    case NM_EV_EPOCH_SAVED:
        return;
    case NM_EV_HEALTH:
        handle_health(core, ev);
        break;
    case NM_EV_TIMER:
        send_due_signals(core, ev->at_us, out);
        break;
    }
    stop_if_all_ended(core, out);
    nm_link_send_or_wake_rm(core, ev->at_us, out);
}

int64_t nm_core_next_timer_us(const struct nm_core *core)
{
    int64_t next = nm_link_next_timer_us(core);
    const struct nm_container *c;
    if (core->alive) {
        TAILQ_FOREACH(c, &core->all, all)
        {
            next = c->kill_at_us < next ? c->kill_at_us : next;
            next = c->again_us < next ? c->again_us : next;
        }
    }
    return next;
}

/* ---- reading ---- */

const struct nm_container_view *nm_core_view(const struct nm_container *c)
{
    return &c->v;
}

void *nm_core_shell_data(const struct nm_container *c)
{
    return c->shell;
}

void nm_core_set_shell_data(struct nm_container *c, void *shell)
{
    c->shell = shell;
}

void nm_core_set_shell_data_destructor(struct nm_core *core, void (*fn)(void *shell))
{
    core->on_free = fn;
}

bool nm_core_has_forgotten(const struct nm_core *core, const struct base_container_id *id)
{
    const struct nm_app *app = nm_app_find(core, &id->attempt.app);
    return app && nm_id_set_has(&app->forgotten, id);
}

const struct nm_app_view *nm_core_app_find(const struct nm_core *core, const struct base_app_id *id)
{
    struct nm_app *app = nm_app_find(core, id);
    return app ? &app->v : NULL;
}

void nm_core_each_container(const struct nm_core *core, void (*fn)(struct nm_container *c, void *u),
                            void *u)
{
    struct nm_container *c;
    TAILQ_FOREACH(c, &core->all, all)
    fn(c, u);
}

void nm_core_each_app(const struct nm_core *core,
                      void (*fn)(const struct nm_app_view *app, void *u), void *u)
{
    struct nm_app *app;
    TAILQ_FOREACH(app, &core->apps, all)
    fn(&app->v, u);
}

void nm_core_each_of_app(const struct nm_core *core, const struct nm_app_view *app,
                         void (*fn)(struct nm_container *c, void *u), void *u)
{
    struct nm_app *of = nm_app_find(core, &app->id);
    struct nm_container *c;
    if (!of)
        return;
    TAILQ_FOREACH(c, &of->containers, in_app)
    {
        if (c->v.state != NM_FORGOTTEN)
            fn(c, u);
    }
}

int64_t nm_core_epoch(const struct nm_core *core)
{
    return core->epoch;
}

bool nm_core_is_healthy(const struct nm_core *core, const char **report, int64_t *disk_free_mb)
{
    if (report)
        *report = core->health_report ? core->health_report : "";
    if (disk_free_mb)
        *disk_free_mb = core->disk_free_mb;
    return core->healthy;
}

size_t nm_core_alive_count(const struct nm_core *core)
{
    return core->alive;
}

const struct nm_core_stats *nm_core_stats(const struct nm_core *core)
{
    return &core->stats;
}
