#include "tests/sim/sim_nm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data/map.h"
#include "tests/sim/sim_rm.h"

#define HEALTH_US (1 * S)

struct sim_pending {
    struct sim_pending *next;
    struct nm_event ev;
};
static void nm_handle_event(struct sim_nm *nm, struct nm_event *ev);

static int64_t wall_ms(const struct sim_nm *nm, int64_t us)
{
    return INT64_C(1700000000000) + (us + nm->wall_us) / 1000;
}

/* ---------------------------------------------------------------- disk */
struct sim_disk_box *sim_nm_find(struct sim_nm *nm, const struct base_container_id *id)
{
    for (size_t i = 0; i < nm->boxes_n; i++)
        if (base_container_id_cmp(&nm->boxes[i]->id, id) == 0)
            return nm->boxes[i];
    return NULL;
}

bool sim_nm_serves(struct sim_nm *nm, const struct base_container_id *id)
{
    const struct sim_disk_box *d = sim_nm_find(nm, id);

    return nm->proc.up && !nm->proc.stopped && !nm->gone && d && d->ended &&
           d->end.exit_code == 0 && !d->cleaned;
}

static struct sim_disk_box *disk_add(struct sim_nm *nm, const struct nm_launch *l)
{
    struct sim *s = &nm->w->s;
    struct sim_disk_box *d = sim_alloc(s, sizeof *d);

    d->id = l->id;
    d->launch = *l;
    d->launch.order = NULL;
    d->launch.task = l->task ? sim_copy(s, l->task, strlen(l->task)) : NULL;
    d->launch.name = sim_copy(s, l->name, strlen(l->name));
    d->launch.user = sim_copy(s, l->user, strlen(l->user));
    d->launch.token = sim_copy(s, l->token, strlen(l->token));
    base_array_grow(&nm->boxes, nm->boxes_n, &nm->boxes_cap);
    nm->boxes[nm->boxes_n++] = d;
    return d;
}

static void pending_add(struct sim_nm *nm, const struct nm_event *ev)
{
    struct sim_pending *p = sim_alloc(&nm->w->s, sizeof *p);

    p->ev = *ev;
    *nm->pending_last = p;
    nm->pending_last = &p->next;
}

/* ---------------------------------------------------------------- effects */
/* Reports the full disk before the failure that it causes: otherwise the RM would launch something
 * here again at once. */
static void tell_full(struct sim_nm *nm)
{
    struct nm_event ev = {.kind = NM_EV_HEALTH};

    ev.u.health.report = "disk full";
    pending_add(nm, &ev);
}

static void spawned(void *arg, uint64_t tag)
{
    struct sim_nm *nm = arg;
    struct sim_disk_box *d = nm->boxes[tag];
    struct nm_event ev = {.kind = NM_EV_SPAWNED, .container = d->id};

    if (d->cleaned)
        return;
    d->box = sim_box_start(nm, d);
    ev.u.spawned.started_ms = wall_ms(nm, nm->w->s.now_us);
    nm_handle_event(nm, &ev);
}

static void fx_launch(struct sim_nm *nm, const struct nm_effect *fx)
{
    struct sim *s = &nm->w->s;
    struct nm_event ev = {.kind = NM_EV_SPAWN_FAILED, .container = fx->launch->id};

    if (nm->full) {
        tell_full(nm);
        ev.u.ended.exit_code = NM_EXIT_DISK;
        ev.u.ended.diagnostics = "no space left on the node's disk";
        pending_add(nm, &ev);
        return;
    }
    disk_add(nm, fx->launch);
    sim_at(s, s->now_us + sim_between(s, 500, 15 * MS), &nm->proc, SIM_SERVICE, spawned, nm,
           nm->boxes_n - 1);
}

static void fx_signal(struct sim_nm *nm, const struct nm_effect *fx)
{
    const struct nm_container_view *v = nm_core_view(fx->container);
    struct sim_disk_box *d = sim_nm_find(nm, &v->id);
    struct nm_event ev = {.kind = NM_EV_SIGNALLED, .container = v->id};

    if (d && d->box && (fx->signal == NM_SIGNAL_TERM || fx->signal == NM_SIGNAL_KILL) &&
        !d->kill_ordered && !d->box->ended)
        sim_violated(&nm->w->s, "I4", "%s kills %s, which nobody has ordered", nm->proc.name,
                     v->text);
    ev.u.signalled.signal = fx->signal;
    ev.u.signalled.count = d && d->box ? sim_box_signal(d->box, fx->signal) : 0;
    pending_add(nm, &ev);
}

static void fx_mark(struct sim_nm *nm, const struct nm_effect *fx)
{
    const struct nm_container_view *v = nm_core_view(fx->container);
    struct sim_disk_box *d = sim_nm_find(nm, &v->id);

    if (!d || (nm->full && fx->mark != NM_MARK_RESUMED))
        return;
    switch (fx->mark) {
    case NM_MARK_KILLED:
        d->killed = true;
        d->reason = sim_copy(&nm->w->s, v->kill_reason ? v->kill_reason : "",
                             strlen(v->kill_reason ? v->kill_reason : ""));
        break;
    case NM_MARK_SUSPENDED:
        d->suspended = true;
        break;
    case NM_MARK_RESUMED:
        d->suspended = false;
        break;
    case NM_MARK_FORGOTTEN:
        d->forgotten = true;
        break;
    }
}

static void fx_cleanup(struct sim_nm *nm, const struct nm_effect *fx)
{
    for (size_t i = 0; i < nm->boxes_n; i++)
        if (base_app_id_cmp(&nm->boxes[i]->id.attempt.app, &fx->app) == 0)
            nm->boxes[i]->cleaned = true;
}

/* ---------------------------------------------------------------- requests */
struct collect {
    struct sim *s;
    struct rm_container_report *v;
    size_t n;
    bool full;
};

static void report(struct nm_container *ct, void *user)
{
    struct collect *c = user;
    const struct nm_container_view *v = nm_core_view(ct);
    struct rm_container_report *r = &c->v[c->n++];

    *r = (struct rm_container_report){
        .id = v->id,
        .state = v->state == NM_COMPLETE    ? RM_CONTAINER_COMPLETED
                 : v->state == NM_SUSPENDED ? RM_CONTAINER_SUSPENDED
                                            : RM_CONTAINER_RUNNING,
        .slot = v->slot == BASE_TASK_REDUCE ? BASE_TASK_REDUCE : BASE_TASK_MAP,
        .progress = (float)v->progress,
        .exit_code = v->exit_code,
        .diagnostics = v->diagnostics ? sim_copy(c->s, v->diagnostics, strlen(v->diagnostics)) : "",
        .started_us = v->started_ms * 1000};
    if (!c->full)
        return;
    r->step = base_job_step_of_kind(v->kind);
    r->has_task = v->task && base_task_id_parse(v->task, &r->task, NULL) == 0;
    r->task_attempt = (int32_t)v->task_attempt;
    r->master = v->kind == BASE_CONTAINER_MASTER;
    r->priority = (int32_t)v->priority;
    r->allocation_request_id = v->allocation_request_id;
    r->resource.v[RM_RES_MEMORY_MB] = v->memory_mb;
    r->resource.v[RM_RES_VCORES] = v->vcores;
    r->resource.v[r->slot == BASE_TASK_REDUCE ? RM_RES_REDUCE_SLOTS : RM_RES_MAP_SLOTS] = 1;
}

static void count_one(struct nm_container *ct, void *user)
{
    (void)ct;
    ++*(size_t *)user;
}

struct folders {
    struct base_app_id v[W_JOBS];
    size_t n;
};

static void folder(const struct nm_app_view *app, void *user)
{
    struct folders *f = user;

    if (!app->finished && f->n < W_JOBS)
        f->v[f->n++] = app->id;
}

static void fill_register(struct sim_nm *nm, struct rm_event *ev, const struct collect *c)
{
    __typeof__(ev->u.node_register) *r = &ev->u.node_register;
    struct folders f = {.n = 0};

    nm_core_each_app(nm->core, folder, &f);
    ev->kind = RM_EV_NODE_REGISTER;
    r->node_id = r->http_address = nm->node_id;
    r->rack = "/default-rack";
    r->host = nm->host;
    r->version = "1";
    r->boot_id = sim_copy(&nm->w->s, nm->boot, strlen(nm->boot));
    r->instance = sim_copy(&nm->w->s, nm->instance, strlen(nm->instance));
    r->map_slots = nm->slots[BASE_TASK_MAP];
    r->reduce_slots = nm->slots[BASE_TASK_REDUCE];
    r->master_slots = nm->master_slots;
    r->epoch_seen = nm_core_epoch(nm->core);
    r->sent_us = nm_core_request_sent_us(nm->core);
    r->reports = c->v;
    r->reports_n = c->n;
    r->apps = sim_copy(&nm->w->s, f.v, f.n * sizeof *f.v);
    r->apps_n = f.n;
}

static void fill_beat(struct sim_nm *nm, struct rm_event *ev, const struct collect *c,
                      int64_t hold_ms)
{
    __typeof__(ev->u.heartbeat) *h = &ev->u.heartbeat;

    ev->kind = RM_EV_NODE_HEARTBEAT;
    h->node_id = nm->node_id;
    h->instance = sim_copy(&nm->w->s, nm->instance, strlen(nm->instance));
    h->response_id = nm_core_response_id(nm->core);
    h->sent_us = nm_core_request_sent_us(nm->core);
    h->healthy = nm_core_is_healthy(nm->core, NULL, NULL);
    h->health_report = h->healthy ? "" : "disk full";
    h->hold_us = hold_ms * 1000;
    h->reports = c->v;
    h->reports_n = c->n;
}

static void on_beat(void *user, uint64_t tag, enum sim_outcome how, void *answer);

int sim_nm_rm_of(const char *url)
{
    return atoi(url + strlen("http://rm"));
}

static int target(const struct sim_nm *nm)
{
    return sim_nm_rm_of(base_rm_cursor_url(&nm->search.turn));
}

static void fx_beat(struct sim_nm *nm, const struct nm_effect *fx)
{
    struct sim *s = &nm->w->s;
    struct sim_request *rq = sim_alloc(s, sizeof *rq);
    struct collect c = {.s = s, .full = fx->registering};
    size_t most = 0;

    nm_core_each_container(nm->core, count_one, &most);
    c.v = sim_alloc(s, (most + 1) * sizeof *c.v);
    nm_core_mark_sent_each_to_report(nm->core, report, &c);
    if (fx->registering)
        fill_register(nm, &rq->ev, &c);
    else
        fill_beat(nm, &rq->ev, &c, fx->hold_ms);
    rq->failed = base_rm_cursor_failed_urls(&nm->search.turn);
    rq->failed = rq->failed ? sim_copy(s, rq->failed, strlen(rq->failed)) : NULL;
    if (fx->registering)
        sim_log(s, "%s: registers with rm%d", nm->proc.name, target(nm));
    sim_call(&nm->w->net, &nm->proc, SIM_SERVICE, &nm->w->rm[target(nm)]->proc, rq,
             nm_rm_search_timeout_us(&nm->search, fx->registering, fx->hold_ms * 1000), on_beat, nm,
             ++nm->beat);
    nm_rm_search_note_request_sent(&nm->search, fx->registering, fx->hold_ms * 1000, s->now_us,
                                   (uint32_t)sim_rnd(s, UINT32_MAX));
    sim_nm_look_later(nm);
}

static void on_woken(void *user, uint64_t tag, enum sim_outcome how, void *answer)
{
    (void)user;
    (void)tag;
    (void)how;
    (void)answer;
}

static void fx_wake(struct sim_nm *nm)
{
    struct sim_request *rq = sim_alloc(&nm->w->s, sizeof *rq);

    rq->ev.kind = RM_EV_NODE_WAKE;
    rq->ev.u.node.node_id = nm->node_id;
    rq->ev.u.node.instance = sim_copy(&nm->w->s, nm->instance, strlen(nm->instance));
    sim_call(&nm->w->net, &nm->proc, SIM_OUT, &nm->w->rm[target(nm)]->proc, rq, 5 * S, on_woken, nm,
             0);
}

static void apply(struct sim_nm *nm, const struct nm_effect *fx)
{
    switch (fx->kind) {
    case NM_FX_LAUNCH:
        fx_launch(nm, fx);
        break;
    case NM_FX_SIGNAL:
        fx_signal(nm, fx);
        break;
    case NM_FX_MARK:
        fx_mark(nm, fx);
        break;
    case NM_FX_CLEANUP:
        fx_cleanup(nm, fx);
        break;
    case NM_FX_BEAT:
        fx_beat(nm, fx);
        break;
    case NM_FX_WAKE:
        fx_wake(nm);
        break;
    case NM_FX_STOP:
        break;
    case NM_FX_NOTE:
        sim_log(&nm->w->s, "%s: %s", nm->proc.name, fx->note);
        break;
    }
}

static void on_timer(void *arg, uint64_t tag)
{
    struct sim_nm *nm = arg;

    if (nm->timer == tag)
        nm_handle_event(nm, &(struct nm_event){.kind = NM_EV_TIMER});
}

static void step_once(struct sim_nm *nm, struct nm_event *ev)
{
    ev->at_us = nm->w->s.now_us;
    nm->fx.len = 0;
    nm_core_step(nm->core, ev, &nm->fx);
    for (size_t i = 0; i < nm->fx.len; i++)
        apply(nm, &nm->fx.v[i]);
}

static void nm_handle_event(struct sim_nm *nm, struct nm_event *ev)
{
    int64_t next;

    step_once(nm, ev);
    while (nm->pending) {
        struct sim_pending *p = nm->pending;

        nm->pending = p->next;
        if (!nm->pending)
            nm->pending_last = &nm->pending;
        step_once(nm, &p->ev);
    }
    next = nm_core_next_timer_us(nm->core);
    nm->timer++;
    if (next != INT64_MAX)
        sim_at(&nm->w->s, next, &nm->proc, SIM_SERVICE, on_timer, nm, nm->timer);
}

/* ---------------------------------------------------------------- answers */
static enum base_container_kind kind_of(const struct rm_order *o)
{
    if (o->master)
        return BASE_CONTAINER_MASTER;
    if (o->step)
        return base_container_kind_of_step(o->step);
    if (!o->job)
        return BASE_CONTAINER_COMMAND;
    return o->slot == BASE_TASK_REDUCE ? BASE_CONTAINER_REDUCE : BASE_CONTAINER_MAP;
}

static void launch_of(struct sim_nm *nm, const struct rm_order *o, struct nm_launch *l)
{
    char text[BASE_ID_TEXT_MAX];

    *l = (struct nm_launch){.id = o->container,
                            .user = o->user ? o->user : "",
                            .token = o->token ? o->token : "",
                            .name = o->name ? o->name : "",
                            .task_attempt = o->task_attempt,
                            .memory_mb = o->resource.v[RM_RES_MEMORY_MB],
                            .vcores = o->resource.v[RM_RES_VCORES],
                            .priority = o->priority,
                            .allocation_request_id = o->allocation_request_id,
                            .kind = kind_of(o),
                            .slot = o->slot == BASE_TASK_REDUCE ? BASE_TASK_REDUCE : BASE_TASK_MAP,
                            .order = o};
    if (o->step) {
        l->task = wire_job_step_name(o->step);
    } else if (o->job) {
        base_task_id_text(&o->task, text);
        l->task = sim_copy(&nm->w->s, text, strlen(text));
    }
}

static const struct nm_order *orders_of(struct sim_nm *nm, const struct rm_effect *fx, size_t *n)
{
    struct nm_order *v = sim_alloc(&nm->w->s, (fx->u.heartbeat.orders_n + 1) * sizeof *v);

    *n = fx->u.heartbeat.orders_n;
    for (size_t i = 0; i < *n; i++) {
        const struct rm_order *o = &fx->u.heartbeat.orders[i];

        v[i] = (struct nm_order){.kind = o->kind,
                                 .container = o->container,
                                 .app = o->app,
                                 .reason = o->reason,
                                 .grace_ms = o->grace_ms};
        if (o->kind == BASE_ORDER_LAUNCH)
            launch_of(nm, o, &v[i].launch);
    }
    return v;
}

static void witness_orders(struct sim_nm *nm, const struct sim_answer *a)
{
    size_t n = a->fx->kind == RM_FX_HEARTBEAT ? a->fx->u.heartbeat.orders_n : 0;

    for (size_t i = 0; i < n; i++)
        if (a->fx->u.heartbeat.orders[i].kind != BASE_ORDER_LAUNCH)
            sim_check_order(nm->w, nm, &a->fx->u.heartbeat.orders[i]);
}

/* Checks the epoch and the orders of an answer that was not refused. */
static void witness(struct sim_nm *nm, const struct sim_answer *a)
{
    const struct rm_effect *fx = a->fx;
    int64_t epoch = a->epoch;
    size_t n = fx->kind == RM_FX_HEARTBEAT ? fx->u.heartbeat.orders_n : 0;

    if (epoch < nm->highest)
        sim_violated(&nm->w->s, "I3",
                     "%s carried out %zu orders of epoch %" PRId64
                     " after it had seen epoch %" PRId64,
                     nm->proc.name, n, epoch, nm->highest);
    nm->highest = epoch;
    for (size_t i = 0; i < n; i++)
        if (fx->u.heartbeat.orders[i].kind == BASE_ORDER_LAUNCH)
            sim_check_launch(nm->w, nm, &fx->u.heartbeat.orders[i], a);
    witness_orders(nm, a);
}

/* Saves a higher epoch, so that nothing is done under an epoch that a restart would not remember.
 * Returns false when the disk is full. */
static bool epoch_keep(struct sim_nm *nm, int64_t epoch)
{
    struct nm_event ev = {.kind = NM_EV_EPOCH_SAVED, .u.epoch_saved = epoch};

    if (nm->full)
        return false;
    nm->epoch_saved = epoch;
    nm_handle_event(nm, &ev);
    return true;
}

static void answered(struct sim_nm *nm, const struct sim_answer *a)
{
    static const struct nm_order resync = {.kind = BASE_ORDER_RESYNC};
    struct nm_event ev = {.kind = NM_EV_ANSWER};
    struct nm_retry retry = {0};
    int64_t epoch = a->epoch, known = nm_core_epoch(nm->core);
    enum nm_worth worth;

    if (nm->w->breaks.nm_epoch && epoch < known)
        epoch = known;
    worth = nm_rm_search_judge_epoch(epoch, known);
    if (worth == NM_WORTH_HIGHER && !epoch_keep(nm, epoch)) {
        nm_handle_event(nm, &(struct nm_event){.kind = NM_EV_BEAT_FAILED});
        return;
    }
    ev.u.answer.epoch = epoch;
    if (a->fx->kind == RM_FX_HEARTBEAT) {
        ev.u.answer.response_id = a->fx->u.heartbeat.response_id;
        ev.u.answer.heartbeat_ms = a->fx->u.heartbeat.interval_us / 1000;
        ev.u.answer.orders = orders_of(nm, a->fx, &ev.u.answer.n_orders);
    } else {
        ev.u.answer.orders = &resync;
        ev.u.answer.n_orders = 1;
    }
    if (worth == NM_WORTH_STALE) {
        nm->w->totals->refused_orders++;
        nm->refused++;
        nm_rm_search_note_bad_answer(&nm->search, &retry);
        ev.u.answer.no_pause = retry.at_once;
    } else {
        nm_rm_search_note_good_answer(&nm->search, epoch);
        witness(nm, a);
    }
    nm_handle_event(nm, &ev);
    if (worth != NM_WORTH_STALE)
        witness_orders(nm, a); /* orders about containers that the same answer has started */
    sim_check_slots(nm->w, nm);
}

static bool is_node_answer(const struct sim_answer *a)
{
    return a->status == SIM_OK &&
           (a->fx->kind == RM_FX_HEARTBEAT ||
            (a->fx->kind == RM_FX_REPLY && a->fx->u.reply.kind == RM_REPLY_RESYNC));
}

static void failed(struct sim_nm *nm, enum nm_outcome how, const char *location)
{
    struct nm_event ev = {.kind = NM_EV_BEAT_FAILED};
    struct nm_retry retry = {0};

    nm_rm_search_note_request_ended(&nm->search, how, location, &retry);
    ev.u.failed.no_pause = retry.at_once;
    ev.u.failed.elsewhere = retry.elsewhere;
    nm_handle_event(nm, &ev);
}

static void on_beat(void *user, uint64_t tag, enum sim_outcome how, void *answer)
{
    struct sim_nm *nm = user;
    const struct sim_answer *a = answer;

    if (nm->beat != tag)
        return;
    if (how == SIM_ANSWERED && nm_rm_search_answer_is_late(&nm->search, nm->w->s.now_us))
        how = SIM_TIMED_OUT;
    if (how == SIM_ANSWERED && is_node_answer(a)) {
        nm_rm_search_note_request_ended(&nm->search, NM_OUTCOME_OK, NULL, NULL);
        answered(nm, a);
        return;
    }
    sim_log(&nm->w->s, "%s: rm%d %s", nm->proc.name, target(nm),
            how == SIM_REFUSED     ? "refuses"
            : how == SIM_TIMED_OUT ? "does not answer"
                                   : "does not lead");
    if (how != SIM_ANSWERED)
        failed(nm, NM_OUTCOME_SILENT, NULL);
    else if (a->status == SIM_MOVED)
        failed(nm, NM_OUTCOME_MOVED, a->rm >= 0 ? nm->w->list.url[a->rm] : "");
    else
        failed(nm, NM_OUTCOME_ERROR, NULL);
}

void sim_nm_abandon(struct sim_nm *nm)
{
    nm->beat++; /* the connection is closed: its answer is ignored */
    failed(nm, NM_OUTCOME_SILENT, NULL);
}

/* ---------------------------------------------------------------- ends of processes */
struct box_end {
    struct sim_nm *nm;
    struct sim_disk_box *d;
};

static void on_ended(void *arg, uint64_t tag)
{
    struct box_end *e = arg;
    struct nm_event ev = {.kind = NM_EV_ENDED, .container = e->d->id};

    (void)tag;
    ev.u.ended = e->d->end;
    if (e->d->end.exit_code == NM_EXIT_DISK)
        nm_handle_event(e->nm,
                        &(struct nm_event){.kind = NM_EV_HEALTH, .u.health.report = "disk full"});
    nm_handle_event(e->nm, &ev);
}

void sim_nm_box_ended(struct sim_nm *nm, struct sim_box *box)
{
    struct sim *s = &nm->w->s;
    struct sim_disk_box *d = sim_nm_find(nm, &box->id);
    struct box_end *e = sim_alloc(s, sizeof *e);

    *e = (struct box_end){nm, d};
    d->ended = true;
    d->end = (struct nm_end){.exit_code = nm->full ? NM_EXIT_DISK : box->exit_code,
                             .started_ms = wall_ms(nm, box->born_us),
                             .ended_ms = wall_ms(nm, s->now_us),
                             .diagnostics = nm->full ? "no space left on the node's disk" : NULL};
    if (nm->proc.up)
        sim_at(s, s->now_us + sim_between(s, 100, 2 * MS), &nm->proc, SIM_SERVICE, on_ended, e, 0);
}

/* ---------------------------------------------------------------- life */
static void recover_one(struct sim_nm *nm, struct sim_disk_box *d)
{
    struct nm_event ev = {.kind = NM_EV_RECOVERED};
    __typeof__(ev.u.recovered) *r = &ev.u.recovered;

    r->launch = d->launch;
    if (d->killed)
        r->kill_reason = d->reason;
    if (d->forgotten) {
        r->state = NM_FORGOTTEN;
    } else if (!d->box) {
        r->state = NM_COMPLETE;
        d->ended = true;
        d->end =
            (struct nm_end){.exit_code = NM_EXIT_LOST,
                            .diagnostics = "the NodeManager was restarted before it was started"};
        r->end = d->end;
    } else if (d->box->ended) {
        r->state = NM_COMPLETE;
        r->end = d->end;
    } else {
        r->state = d->killed ? NM_KILLING : d->suspended ? NM_SUSPENDED : NM_RUNNING;
        r->started_ms = wall_ms(nm, d->box->born_us);
    }
    step_once(nm, &ev);
}

static void health(void *arg, uint64_t tag)
{
    struct sim_nm *nm = arg;
    struct nm_event ev = {.kind = NM_EV_HEALTH};

    (void)tag;
    ev.u.health.healthy = !nm->full;
    ev.u.health.report = nm->full ? "disk full" : "";
    nm_handle_event(nm, &ev);
    sim_at(&nm->w->s, nm->w->s.now_us + HEALTH_US, &nm->proc, SIM_SERVICE, health, nm, 0);
}

void sim_nm_start(struct sim_nm *nm)
{
    struct sim *s = &nm->w->s;

    if (nm->proc.up || nm->gone)
        return;
    sim_proc_start(s, &nm->proc);
    snprintf(nm->instance, sizeof nm->instance, "%s-%d", nm->proc.name, ++nm->instances);
    snprintf(nm->boot, sizeof nm->boot, "%s-boot-%d", nm->proc.name, nm->boots);
    sim_log(s, "%s starts, with epoch %" PRId64, nm->proc.name, nm->epoch_saved);
    nm->core = nm_core_new(nm->epoch_saved);
    nm_core_seed_random(nm->core, sim_rnd(s, UINT64_MAX));
    nm->pending = NULL;
    nm->pending_last = &nm->pending;
    nm_rm_search_free(&nm->search);
    nm_rm_search_init(&nm->search, &nm->w->list);
    nm->search.turn.at = (size_t)sim_rnd(s, (uint64_t)nm->w->rms);
    for (size_t i = 0; i < nm->boxes_n && !nm->w->breaks.new_folder; i++)
        if (!nm->boxes[i]->cleaned)
            recover_one(nm, nm->boxes[i]);
    health(nm, 0);
    nm_handle_event(nm, &(struct nm_event){.kind = NM_EV_START});
}

static void forget(struct sim_nm *nm)
{
    nm_core_free(nm->core);
    nm->core = NULL;
}

void sim_nm_kill(struct sim_nm *nm)
{
    if (!nm->proc.up)
        return;
    sim_log(&nm->w->s, "fault: %s is killed", nm->proc.name);
    sim_proc_kill(&nm->w->s, &nm->proc);
    sim_net_died(&nm->w->net, &nm->proc);
    forget(nm);
}

void sim_nm_power(struct sim_nm *nm, bool for_good)
{
    sim_nm_kill(nm);
    sim_log(&nm->w->s, "fault: host of %s loses power%s", nm->proc.name,
            for_good ? " for good" : "");
    nm->gone = for_good;
    nm->w->net.gone[nm->proc.host] = for_good;
    nm->boots++;
    nm->given_up = true;
    for (size_t i = 0; i < nm->boxes_n; i++) {
        struct sim_disk_box *d = nm->boxes[i];

        if (!d->box || d->box->ended)
            continue;
        sim_box_vanish(d->box);
        d->ended = true;
        d->end =
            (struct nm_end){.exit_code = NM_EXIT_LOST, .diagnostics = "the machine was restarted"};
    }
}

static void free_nm(void *p)
{
    struct sim_nm *nm = p;

    nm_core_free(nm->core);
    nm_rm_search_free(&nm->search);
    free(nm->fx.v);
    free(nm->boxes);
}

static void no_requests(void *self, struct sim_call *call)
{
    (void)self;
    (void)call;
}

void sim_nm_init(struct sim_world *w, int index)
{
    struct sim_nm *nm = &w->nm[index];

    nm->w = w;
    nm->index = index;
    snprintf(nm->proc.name, sizeof nm->proc.name, "nm%d", index);
    nm->proc.host = HOST_NM + index;
    nm->proc.self = nm;
    nm->proc.serve = no_requests;
    snprintf(nm->host, sizeof nm->host, "node%d", index);
    snprintf(nm->node_id, sizeof nm->node_id, "node%d:8042", index);
    nm->wall_us = sim_between(&w->s, -2 * S, 2 * S);
    nm->slots[BASE_TASK_MAP] = (int32_t)sim_between(&w->s, 1, 3);
    nm->slots[BASE_TASK_REDUCE] = (int32_t)sim_between(&w->s, 1, 2);
    /* one node in four has one or two slots for masters alone */
    nm->master_slots = (int32_t)(base_hash_mix((uint64_t)nm->wall_us) % 8);
    nm->master_slots = nm->master_slots > 2 ? 0 : nm->master_slots;
    sim_defer(&w->s, free_nm, nm);
}
