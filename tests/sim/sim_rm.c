#include "tests/sim/sim_rm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rm/term/effect_copy.h"

static void timer_set(struct sim_rm *rm);
static void flush(struct sim_lead *l);

/* ---------------------------------------------------------------- who leads */
bool sim_rm_leads(const struct sim_rm *rm)
{
    const struct sim_world *w = rm->w;

    if (!rm->lead || rm->lead->over || ha_election_state(rm->election) != HA_LEADING)
        return false;
    return w->lease_off || w->breaks.lease || w->s.now_us < ha_election_lease_us(rm->election);
}

bool sim_rm_active(const struct sim_rm *rm)
{
    return rm->proc.up && rm->lead && rm->lead->core && sim_rm_leads(rm);
}

struct sim_rm *sim_rm_leader(struct sim_world *w)
{
    struct sim_rm *best = NULL;

    for (int i = 0; i < w->rms; i++)
        if (sim_rm_active(w->rm[i]) && (!best || w->rm[i]->lead->epoch > best->lead->epoch))
            best = w->rm[i];
    return best;
}

/* Index of another RM that is known to be active, -1: none. */
int sim_rm_other(const struct sim_rm *rm)
{
    const char *id = ha_election_active(rm->election);
    int at = strncmp(id, "rm", 2) == 0 ? atoi(id + 2) : -1;

    return at == rm->index || at >= rm->w->rms ? -1 : at;
}

/* ---------------------------------------------------------------- answers */
struct leaving {
    struct sim_call *call;
    struct sim_answer *a;
};

/* Nobody looks at the lease any more: what comes now is late if the process stood still meanwhile. */
static void leaves(void *arg, uint64_t tag)
{
    struct leaving *l = arg;

    (void)tag;
    sim_call_answer(l->call, l->a);
}

struct sim_answer *sim_rm_answer(struct sim_rm *rm, enum sim_status status)
{
    struct sim_answer *a = sim_alloc(&rm->w->s, sizeof *a);

    a->status = status;
    a->epoch = rm->lead ? rm->lead->epoch : 0;
    a->made_us = rm->w->s.now_us;
    return a;
}

void sim_rm_away(struct sim_rm *rm, struct sim_call *call)
{
    struct sim_answer *a = sim_rm_answer(rm, SIM_AWAY);

    a->rm = sim_rm_other(rm);
    if (a->rm >= 0)
        a->status = SIM_MOVED;
    sim_call_answer(call, a);
}

static void cont_later(void *arg, uint64_t tag)
{
    struct sim_rm *rm = arg;

    if (rm->proc.life != (uint32_t)tag)
        return;
    if (rm->proc.stopped)
        sim_log(&rm->w->s, "%s goes on", rm->proc.name);
    sim_proc_cont(&rm->w->s, &rm->proc);
}

void sim_rm_pause(struct sim_rm *rm, int64_t us)
{
    struct sim *s = &rm->w->s;

    if (!rm->proc.up || rm->proc.stopped)
        return;
    sim_log(s, "fault: %s stands still for %.3f s", rm->proc.name, (double)us / 1e6);
    sim_proc_stop(s, &rm->proc);
    sim_at(s, s->now_us + us, NULL, SIM_SERVICE, cont_later, rm, rm->proc.life);
}

static bool says_something(const struct rm_effect *fx)
{
    return fx->kind == RM_FX_HEARTBEAT ? fx->u.heartbeat.orders_n > 0 : fx->u.reply.kind != RM_REPLY_ERROR;
}

/* The lease is looked at last. */
static void send(struct sim_rm *rm, struct sim_call *call, const struct rm_effect *fx)
{
    struct sim *s = &rm->w->s;
    struct leaving *l;

    if (!call || call->closed)
        return;
    if (!sim_rm_leads(rm)) {
        rm->w->totals->late_answers++;
        sim_rm_away(rm, call);
        return;
    }
    l = sim_alloc(s, sizeof *l);
    *l = (struct leaving){call, sim_rm_answer(rm, SIM_OK)};
    if (fx) {
        struct rm_effect *copy = rm_effect_copy(fx);

        sim_defer(s, (void (*)(void *))rm_effect_copy_free, copy);
        l->a->fx = copy;
    }
    sim_at(s, s->now_us + (int64_t)sim_rnd(s, 200), &rm->proc, SIM_OUT, leaves, l, 0);
    if (rm->pause_at_output && fx && says_something(fx)) {
        rm->pause_at_output = false;
        sim_rm_pause(rm, rm->pause_us);
    }
}

/* ---------------------------------------------------------------- tokens */
uint64_t sim_rm_token(struct sim_lead *l, struct sim_call *call)
{
    base_array_grow(&l->calls, l->calls_n, &l->calls_cap);
    l->calls[l->calls_n++] = call;
    return l->calls_n;
}

static struct sim_call *token_take(struct sim_lead *l, uint64_t token)
{
    struct sim_call *call = token && token <= l->calls_n ? l->calls[token - 1] : NULL;

    if (call)
        l->calls[token - 1] = NULL;
    return call;
}

/* ---------------------------------------------------------------- the end of a leadership */
static void lead_free(struct sim_lead *l)
{
    ha_log_free(l->log);
    rm_core_free(l->core);
    for (size_t i = 0; i < l->held_n; i++)
        rm_effect_copy_free(l->held[i].fx);
    free(l->held);
    free(l->batch);
    free(l->calls);
    free(l->fx.v);
    l->log = NULL;
    l->core = NULL;
}

static void graves_empty(struct sim_rm *rm)
{
    while (rm->dead) {
        struct sim_lead *l = rm->dead;

        rm->dead = l->dead;
        lead_free(l);
    }
}

static void graves_later(void *arg, uint64_t tag)
{
    (void)tag;
    graves_empty(arg);
}

static void lead_end(struct sim_rm *rm)
{
    struct sim_lead *l = rm->lead;
    struct sim *s = &rm->w->s;

    if (!l)
        return;
    l->over = true;
    rm->lead = NULL;
    for (size_t i = 0; i < l->calls_n; i++)
        if (l->calls[i])
            sim_rm_away(rm, l->calls[i]);
    for (size_t i = 0; i < l->held_n; i++)
        if (l->held[i].call)
            sim_rm_away(rm, l->held[i].call);
    l->dead = rm->dead;
    rm->dead = l; /* we may be inside its log, or its core */
    sim_at(s, s->now_us, &rm->proc, SIM_CORE, graves_later, rm, 0);
}

/* ---------------------------------------------------------------- the core */
static void apply_all(struct sim_lead *l);

static int64_t core_now(struct sim_rm *rm)
{
    rm->source.now_us = rm->w->s.now_us;
    rm->source.base_us = INT64_C(1700000000) * S + rm->wall_us;
    return rm_clock_look(&rm->clock);
}

bool sim_rm_step(struct sim_lead *l, struct rm_event *ev)
{
    if (l->over || !l->core || !sim_rm_leads(l->rm))
        return false;
    ev->at_us = core_now(l->rm);
    rm_core_step(l->core, ev, &l->fx);
    apply_all(l);
    return true;
}

static void on_wake(void *arg, uint64_t tag)
{
    struct sim_rm *rm = arg;
    struct sim_lead *l = rm->lead;
    int64_t now;

    if (!l || l->round != tag || !l->core || !l->wake_us)
        return;
    now = core_now(rm);
    if (now < l->wake_us) {
        sim_at(&rm->w->s, rm->w->s.now_us + (l->wake_us - now), &rm->proc, SIM_CORE, on_wake, rm, tag);
        return;
    }
    l->wake_us = 0;
    sim_rm_step(l, &(struct rm_event){.kind = RM_EV_TIMER});
}

/* ---------------------------------------------------------------- effects */
static void apply_now(struct sim_lead *l, const struct rm_effect *fx, struct sim_call *call)
{
    switch (fx->kind) {
    case RM_FX_REPLY:
    case RM_FX_HEARTBEAT:
        send(l->rm, call, fx);
        break;
    case RM_FX_JOB_SETUP:
    case RM_FX_JOB_COMMIT:
    case RM_FX_JOB_ABORT:
        sim_rm_folder(l->rm, fx);
        break;
    default:
        break;
    }
}

static void keep_record(struct sim_lead *l, const struct rm_effect *fx)
{
    const struct rm_record *rec = &fx->u.store.record;
    struct sim *s = &l->rm->w->s;

    if (strcmp(rec->table, "damaged") == 0)
        sim_violated(s, "I1", "%s: a record does not read back: %s", l->rm->proc.name, rec->key);
    base_array_grow(&l->batch, l->batch_n, &l->batch_cap);
    l->batch[l->batch_n++] = (struct ha_record){.table = sim_copy(s, rec->table, strlen(rec->table)),
                                                .key = sim_copy(s, rec->key, strlen(rec->key)),
                                                .data = rec->data ? sim_copy(s, rec->data, rec->len) : NULL,
                                                .len = rec->len};
    l->batch_seq = fx->u.store.seq;
}

static void hold(struct sim_lead *l, const struct rm_effect *fx, struct sim_call *call)
{
    base_array_grow(&l->held, l->held_n, &l->held_cap);
    l->held[l->held_n++] = (struct sim_held){fx->after_seq, rm_effect_copy(fx), call};
}

static void note(struct sim_lead *l, const char *text)
{
    struct sim_world *w = l->rm->w;

    sim_log(&w->s, "%s: %s", l->rm->proc.name, text);
    for (int i = 0; i < w->nms; i++)
        if (strstr(text, w->nm[i].node_id) && (strstr(text, "LOST") || strstr(text, "REBOOTED")))
            w->nm[i].given_up = true;
}

static void apply(struct sim_lead *l, const struct rm_effect *fx)
{
    struct sim_call *call = NULL;

    switch (fx->kind) {
    case RM_FX_STORE:
        keep_record(l, fx);
        return;
    case RM_FX_WAKE: {
        int64_t in = fx->u.wake.at_us - core_now(l->rm);

        l->wake_us = fx->u.wake.at_us;
        sim_at(&l->rm->w->s, l->rm->w->s.now_us + (in > 0 ? in : 0), &l->rm->proc, SIM_CORE, on_wake, l->rm, l->round);
        return;
    }
    case RM_FX_NOTE:
        note(l, fx->u.note.text);
        return;
    case RM_FX_UNCONFIRMED:
    case RM_FX_EPOCH_LOW:
        if (l->epoch == l->rm->w->epoch_max) /* else others lead by now */
            sim_violated(&l->rm->w->s, "I1", "%s: the store is not the one that nodes work for", l->rm->proc.name);
        return;
    case RM_FX_REPLY:
    case RM_FX_HEARTBEAT:
        call = token_take(l, fx->token);
        if (!call)
            return;
        break;
    default:
        break;
    }
    if (fx->after_seq > l->stored_seq && !l->rm->w->breaks.ack_early)
        hold(l, fx, call);
    else
        apply_now(l, fx, call);
}

static void apply_all(struct sim_lead *l)
{
    for (size_t i = 0; i < l->fx.len && !l->over; i++)
        apply(l, &l->fx.v[i]);
    l->fx.len = 0;
    if (!l->over)
        flush(l);
}

/* ---------------------------------------------------------------- the log */
/* What the core wants stored while a batch is written goes into the next one; or, pipelined, follows at once. */
static void flush(struct sim_lead *l)
{
    size_t most = l->rm->w->serial_store ? 1 : sizeof l->flight / sizeof *l->flight;
    uint64_t batch;

    if (!l->batch_n || l->flight_n >= most)
        return;
    batch = ha_log_write(l->log, l->batch, l->batch_n);
    l->flight[l->flight_n++] = (struct sim_flight){batch, l->batch_seq};
    l->batch_n = 0;
}

static void release(struct sim_lead *l)
{
    size_t kept = 0, n = l->held_n;
    struct sim_held *ready = base_realloc_array(NULL, n + 1, sizeof *ready);
    size_t ready_n = 0;

    for (size_t i = 0; i < n; i++) {
        if (l->held[i].after_seq <= l->stored_seq)
            ready[ready_n++] = l->held[i];
        else
            l->held[kept++] = l->held[i];
    }
    l->held_n = kept;
    for (size_t i = 0; i < ready_n; i++) {
        if (l->over && ready[i].call)
            sim_rm_away(l->rm, ready[i].call);
        else if (!l->over)
            apply_now(l, ready[i].fx, ready[i].call);
        rm_effect_copy_free(ready[i].fx);
    }
    free(ready);
}

static void on_stored(void *arg, uint64_t tag)
{
    struct sim_rm *rm = arg;
    struct sim_lead *l = rm->lead;
    struct rm_event ev = {.kind = RM_EV_STORED};

    if (!l || l->round != tag || !l->core)
        return;
    ev.u.stored.seq = l->stored_seq;
    sim_rm_step(l, &ev);
    if (!l->over) {
        release(l);
        flush(l);
    }
}

static void log_written(void *user, uint64_t batch)
{
    struct sim_lead *l = user;
    size_t n = 0;

    if (l->over)
        return;
    while (n < l->flight_n && l->flight[n].batch <= batch)
        l->stored_seq = l->flight[n++].seq;
    if (!n)
        return;
    memmove(l->flight, l->flight + n, (l->flight_n - n) * sizeof *l->flight);
    l->flight_n -= n;
    sim_at(&l->rm->w->s, l->rm->w->s.now_us + (int64_t)sim_rnd(&l->rm->w->s, 100), &l->rm->proc, SIM_CORE, on_stored,
           l->rm, l->round);
}

static void log_fenced(void *user, const char *text)
{
    struct sim_lead *l = user;

    if (l->over)
        return;
    sim_log(&l->rm->w->s, "%s: fenced: %s", l->rm->proc.name, text);
    l->rm->w->totals->refused_writes++;
    ha_election_fenced(l->rm->election, l->rm->w->s.now_us);
    timer_set(l->rm);
}

static void log_broken(void *user, const struct base_error *err)
{
    struct sim_lead *l = user;

    if (!l->over)
        sim_violated(&l->rm->w->s, "I1", "%s: the log is broken: %s", l->rm->proc.name, err->text);
}

static void log_send(void *user, const struct ha_zk_request *rq)
{
    struct sim_lead *l = user;

    sim_zkc_send(l->rm->zkc, rq, l->round);
}

/* ---------------------------------------------------------------- recovery */
struct recovery {
    struct sim_lead *lead;
    size_t records;
};

/* A damaged recovery, for tests of the checker. */
static bool passed_over(const struct sim_breaks *b, const struct ha_record *r)
{
    return (b->forget_commits && strcmp(r->table, "commit") == 0) || (b->no_wait && strcmp(r->table, "node") == 0) ||
           (b->forget_tasks && strcmp(r->table, "task") == 0);
}

static int recover_one(void *user, const struct ha_record *stored, struct base_error *err)
{
    struct recovery *r = user;
    struct rm_record rec = {.table = stored->table, .key = stored->key, .data = stored->data, .len = stored->len};
    struct base_app_id id;
    const char *text;
    bool is_job;
    int rc;

    if (passed_over(&r->lead->rm->w->breaks, stored))
        return 0;
    r->records++;
    if (strcmp(rec.table, "app") == 0) {
        rc = rm_record_app_json(&rec, &is_job, &text, &id, err);
        if (rc < 0)
            return rc;
        if (is_job)
            rm_core_recover_job(r->lead->core, sim_job_spec(text));
        else
            rm_core_recover_app(r->lead->core, sim_app_spec(text));
    }
    return rm_core_recover(r->lead->core, &rec, err);
}

static struct rm_core *core_new(struct sim_rm *rm, int64_t epoch)
{
    struct sim_world *w = rm->w;
    int64_t now = core_now(rm);
    struct rm_core_conf conf = {.cluster_ts_ms = now / 1000,
                                .rm_instance_ms = now / 1000,
                                .epoch = epoch,
                                .policy = w->policy,
                                .queues = "batch",
                                .node_expiry_us = w->expiry_us,
                                .heartbeat_us = w->heartbeat_us,
                                .am_expiry_us = 60 * S,
                                .allocation_expiry_us = 60 * S,
                                .slowstart = 0.05,
                                .am_attempts_max = 3,
                                .task_attempts_max = w->attempts_max,
                                .completed_apps_max = 1000,
                                .kill_grace_ms = 250,
                                .takeover_grace_us = w->grace_us,
                                .gone_nodes_us = w->serial_store ? w->heartbeat_us : 0,
                                .gone_nodes_max = w->serial_store ? 0 : 1,
                                .prune_ended = w->prune};
    struct policy_conf options = {0};
    struct base_error err;
    struct rm_core *core;

    /* waiting for locality is no matter of faults */
    if (policy_conf_set(&options, "delay.w1", "0", &err) < 0 || policy_conf_set(&options, "delay.w2", "0", &err) < 0)
        sim_violated(&w->s, "setup", "%s", err.text);
    conf.options = &options;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        conf.slot_res[k] = (struct rm_res){{2048, 1, k == BASE_TASK_MAP, k == BASE_TASK_REDUCE}};
    core = rm_core_new(&conf, &err);
    policy_conf_free(&options);
    if (!core)
        sim_violated(&w->s, "setup", "%s", err.text);
    return core;
}

static void activate(void *arg, uint64_t tag)
{
    static const char *const tables[] = {"meta", "app", "node", "task", "commit"};
    struct sim_rm *rm = arg;
    struct sim_lead *l = rm->lead;
    struct recovery r = {.lead = l};
    struct base_error err = {0};

    if (!l || l->round != tag || l->over || !sim_rm_leads(rm))
        return;
    l->core = core_new(rm, l->epoch);
    for (size_t i = 0; l->core && i < sizeof tables / sizeof *tables; i++)
        if (ha_log_each(l->log, tables[i], recover_one, &r, &err) < 0) {
            sim_violated(&rm->w->s, "I1", "%s: the state does not read back: %s", rm->proc.name, err.text);
            return;
        }
    if (!l->core)
        return;
    ha_log_loaded_free(l->log);
    l->active_us = rm->w->s.now_us;
    sim_log(&rm->w->s, "%s: active with epoch %" PRId64 ", %zu records", rm->proc.name, l->epoch, r.records);
    rm_core_recovered(l->core, core_now(rm), &l->fx);
    apply_all(l);
    rm->w->totals->takeovers++;
    rm->w->leader_us = rm->w->s.now_us;
    sim_check_activated(rm->w, rm);
    sim_rm_look_at_parked(rm);
}

static void log_loaded(void *user, int rc, const struct base_error *err)
{
    struct sim_lead *l = user;
    struct sim *s = &l->rm->w->s;

    if (l->over)
        return;
    if (rc < 0) {
        sim_violated(s, "I1", "%s: the log cannot be read: %s", l->rm->proc.name, err->text);
        return;
    }
    l->loaded = true;
    sim_at(s, s->now_us + sim_between(s, 0, 20 * MS), &l->rm->proc, SIM_CORE, activate, l->rm, l->round);
}

/* ---------------------------------------------------------------- election */
static void on_elected(void *user, int64_t epoch, int32_t version)
{
    struct sim_rm *rm = user;
    struct ha_log_kept kept;
    struct sim_lead *l;

    lead_end(rm);
    l = sim_alloc(&rm->w->s, sizeof *l);
    *l = (struct sim_lead){.rm = rm, .round = ++rm->round, .epoch = epoch};
    rm->lead = l;
    if (epoch >= 0 && epoch < W_EPOCHS && rm->w->taken[epoch])
        sim_violated(&rm->w->s, "I3", "%s was elected with epoch %" PRId64 ", as another RM was", rm->proc.name, epoch);
    if (epoch >= 0 && epoch < W_EPOCHS)
        rm->w->taken[epoch] = true;
    rm->w->epoch_max = epoch > rm->w->epoch_max ? epoch : rm->w->epoch_max; /* its answer may come late */
    ha_log_follow_take(rm->follow, &kept);
    sim_log(&rm->w->s, "%s: elected with epoch %" PRId64 ", %zu segments of the log are here", rm->proc.name, epoch, kept.n);
    l->log = ha_log_new("/creel/sim", epoch, version,
                        &(struct ha_log_calls){l, log_send, log_loaded, log_written, log_fenced, log_broken});
    if (rm->w->small_log)
        ha_log_limit(l->log, &(struct ha_log_limits){2000, 4, 4000});
    ha_log_keep(l->log, &kept);
    ha_log_load(l->log);
    sim_faults_elected(rm->w, rm->index);
}

static void on_deposed(void *user, const char *why)
{
    struct sim_rm *rm = user;

    sim_log(&rm->w->s, "%s: deposed: %s", rm->proc.name, why);
    lead_end(rm);
}

static void on_active_changed(void *user)
{
    sim_rm_look_at_parked(user);
}

static void on_refused(void *user, const struct base_error *why)
{
    struct sim_rm *rm = user;

    sim_violated(&rm->w->s, "election", "%s was refused: %s", rm->proc.name, why->text);
}

/* Same host, another process than the one that runs. */
static bool surely_dead(void *user, const char *instance)
{
    struct sim_rm *rm = user;

    return strncmp(instance, rm->instance, strlen(rm->proc.name)) == 0 && strcmp(instance, rm->instance) != 0;
}

static void on_note(void *user, int level, const char *text)
{
    struct sim_rm *rm = user;

    sim_log(&rm->w->s, "%s: [%d] %s", rm->proc.name, level, text);
}

static void election_send(void *user, const struct ha_zk_request *rq)
{
    struct sim_rm *rm = user;

    sim_zkc_send(rm->zkc, rq, 0);
}

static void on_timer(void *arg, uint64_t tag)
{
    struct sim_rm *rm = arg;

    if (rm->timer != tag)
        return;
    ha_election_tick(rm->election, rm->w->s.now_us);
    ha_log_follow_tick(rm->follow, rm->w->s.now_us);
    timer_set(rm);
}

static void timer_set(struct sim_rm *rm)
{
    int64_t at, follow_at;

    if (ha_election_state(rm->election) == HA_WAITING)
        ha_log_follow_begin(rm->follow, rm->w->s.now_us);
    at = ha_election_next_us(rm->election);
    follow_at = ha_log_follow_next_us(rm->follow);
    at = follow_at < at ? follow_at : at;
    rm->timer++;
    if (at != INT64_MAX)
        sim_at(&rm->w->s, at, &rm->proc, SIM_SERVICE, on_timer, rm, rm->timer);
}

static void on_zk(void *user, const struct ha_zk_event *ev, uint64_t round)
{
    struct sim_rm *rm = user;
    struct sim_lead *l = rm->lead;
    bool of_log = ev->kind == HA_ZK_RESULT && ev->owner == HA_ZK_FOR_LOG;

    if (ev->kind != HA_ZK_RESULT || ev->owner == HA_ZK_FOR_FOLLOW)
        ha_log_follow_on(rm->follow, ev, rm->w->s.now_us);
    if (ev->kind != HA_ZK_RESULT || ev->owner == HA_ZK_FOR_ELECTION)
        ha_election_on(rm->election, ev, rm->w->s.now_us);
    l = rm->lead;
    if (of_log && l && l->round == round && !l->over) {
        ha_log_on(l->log, ev);
        if (ev->code == HA_ZK_OK && ev->asked == HA_ZK_MULTI && !l->over)
            ha_election_answered(rm->election, ev->sent_us);
    } else if (!of_log && l && !l->over && (ev->kind == HA_ZK_CONNECTED || ev->kind == HA_ZK_DISCONNECTED)) {
        ha_log_on(l->log, ev);
    }
    timer_set(rm);
}

/* ---------------------------------------------------------------- life */
void sim_rm_start(struct sim_rm *rm)
{
    struct sim_world *w = rm->w;
    const struct ha_election_calls calls = {.user = rm,
                                            .send = election_send,
                                            .elected = on_elected,
                                            .deposed = on_deposed,
                                            .active_changed = on_active_changed,
                                            .refused = on_refused,
                                            .surely_dead = surely_dead,
                                            .note = on_note};

    sim_proc_start(&w->s, &rm->proc);
    sim_log(&w->s, "%s starts", rm->proc.name);
    snprintf(rm->instance, sizeof rm->instance, "%s-%u", rm->proc.name, rm->proc.life);
    rm->source.now_us = w->s.now_us;
    rm->source.base_us = INT64_C(1700000000) * S + rm->wall_us;
    rm_clock_init(&rm->clock, &rm->source);
    rm->parked_n = 0;
    rm->pause_at_output = false;
    rm->zkc = sim_zkc_new(&w->zk, &rm->proc, w->session_us, on_zk, rm);
    rm->election = ha_election_new(&(struct ha_election_conf){.root = "/creel/sim",
                                                              .cluster_id = "sim",
                                                              .rm_id = rm->proc.name,
                                                              .instance = rm->instance,
                                                              .lease_off = w->lease_off || w->breaks.lease},
                                   &calls);
    rm->follow = ha_log_follow_new("/creel/sim", election_send, rm);
    timer_set(rm);
}

static void forget(struct sim_rm *rm)
{
    if (rm->lead) {
        rm->lead->over = true;
        lead_free(rm->lead);
        rm->lead = NULL;
    }
    graves_empty(rm);
    ha_election_free(rm->election);
    rm->election = NULL;
    ha_log_follow_free(rm->follow);
    rm->follow = NULL;
}

void sim_rm_kill(struct sim_rm *rm)
{
    if (!rm->proc.up)
        return;
    sim_log(&rm->w->s, "fault: %s is killed", rm->proc.name);
    sim_proc_kill(&rm->w->s, &rm->proc);
    sim_net_died(&rm->w->net, &rm->proc);
    sim_zkc_died(rm->zkc);
    forget(rm);
}

void sim_rm_resign(struct sim_rm *rm)
{
    if (!rm->proc.up || rm->proc.stopped || !rm->lead)
        return;
    sim_log(&rm->w->s, "fault: %s resigns", rm->proc.name);
    ha_election_resign(rm->election, 2 * S, rm->w->s.now_us);
    timer_set(rm);
}

static void free_rm(void *p)
{
    struct sim_rm *rm = p;

    if (rm->election)
        forget(rm);
    free(rm->parked);
}

static int64_t source_mono(const struct base_clock *c)
{
    return c->now_us;
}

static int64_t source_wall(const struct base_clock *c)
{
    return c->base_us + c->now_us;
}

struct sim_rm *sim_rm_new(struct sim_world *w, int index)
{
    struct sim_rm *rm = sim_alloc(&w->s, sizeof *rm);

    rm->w = w;
    rm->index = index;
    snprintf(rm->proc.name, sizeof rm->proc.name, "rm%d", index);
    rm->proc.host = HOST_RM + index;
    rm->proc.self = rm;
    rm->proc.serve = sim_rm_serve;
    rm->wall_us = sim_between(&w->s, -2 * S, 2 * S);
    rm->source.mono_us = source_mono;
    rm->source.wall_us = source_wall;
    sim_defer(&w->s, free_rm, rm);
    return rm;
}
