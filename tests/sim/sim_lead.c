/* tests/sim/sim_lead.c - the threads of one leadership in virtual time: the rules are rm/term/'s,
 * as in the daemon; here are the core's thread, the store's, and how a leadership begins and ends
 * when the lead thread (sim_lead_thread.c) says so. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/options.h"
#include "rm/leader/load_store.h"
#include "tests/sim/sim_rm.h"

#define TAKEOVER_US (20 * MS) /* most time to read what the log has loaded */

static void after_step(struct sim_lead *l);

/* ---------------------------------------------------------------- what the rules let out */
static int64_t lease_us(void *user, int64_t epoch)
{
    struct sim_lead *l = user;

    return sim_rm_lease_us(l->rm, epoch);
}

static int64_t mono_us(void *user)
{
    struct sim_lead *l = user;

    return l->rm->w->s.now_us;
}

static void store(void *user, uint64_t seq, const struct rm_record *rec)
{
    struct sim_lead *l = user;

    if (strcmp(rec->table, "damaged") == 0)
        sim_violated(&l->rm->w->s, "I1", "%s: a record cannot be read back: %s", l->rm->proc.name,
                     rec->key);
    rm_batch_add(&l->queued, seq, rec);
}

static bool hold(void *user, uint64_t after_seq, const struct rm_effect *fx, void *ticket)
{
    struct sim_lead *l = user;
    struct rm_refusal refusal = {0};
    enum rm_outbox_verdict verdict;

    if (l->rm->w->breaks.ack_early)
        return false;
    verdict = rm_outbox_hold(&l->outbox, after_seq, fx, ticket, &refusal);
    if (verdict == RM_OUTBOX_REFUSED)
        rm_term_release_effect(&l->rules, ticket, fx, refusal.code, refusal.text);
    free(refusal.text);
    return verdict != RM_OUTBOX_DURABLE;
}

static void answer(void *user, void *ticket, const struct rm_effect *fx)
{
    struct sim_lead *l = user;

    sim_rm_send(l->rm, ticket, fx);
}

static void refuse(void *user, void *ticket, int code, const char *text)
{
    struct sim_lead *l = user;

    (void)text;
    if (code != -BASE_EVERSION)
        sim_violated(&l->rm->w->s, "I7", "%s refuses with code %d", l->rm->proc.name, code);
    sim_rm_refuse(l->rm, ticket);
}

static void late(void *user)
{
    struct sim_lead *l = user;

    l->rm->w->totals->late_answers++;
}

static void outputs(void *user, const struct rm_effect *fx) /* reduces ask again by themselves */
{
    (void)user;
    (void)fx;
}

static void note(struct sim_lead *l, const char *text)
{
    struct sim_world *w = l->rm->w;

    sim_log(&w->s, "%s: %s", l->rm->proc.name, text);
    for (int i = 0; i < w->nms; i++)
        if (strstr(text, w->nm[i].node_id) && (strstr(text, "LOST") || strstr(text, "REBOOTED")))
            w->nm[i].given_up = true;
}

/* Reports that the RM is not fit to lead, which is allowed only when another RM has replaced it. */
static void report_unfit(struct sim_lead *l, const struct rm_effect *fx)
{
    bool low = fx->kind == RM_FX_EPOCH_LOW;
    const struct rm_lead_event ev = {
        .kind = low ? RM_LEAD_EV_EPOCH_LOW : RM_LEAD_EV_STORE_UNCONFIRMED,
        .epoch_seen = low ? fx->u.epoch_low.epoch_seen : fx->u.unconfirmed.epoch_seen,
        .why = "unfit"};

    if (l->epoch == l->rm->w->epoch_max)
        sim_violated(&l->rm->w->s, "I1", "%s: the store is not the one that nodes work for",
                     l->rm->proc.name);
    sim_lead_thread_post(l->rm, &ev, NULL);
}

static void tell(void *user, const struct rm_effect *fx)
{
    struct sim_lead *l = user;

    if (fx->kind == RM_FX_NOTE)
        note(l, fx->u.note.text);
    else if (fx->kind == RM_FX_UNCONFIRMED || fx->kind == RM_FX_EPOCH_LOW)
        report_unfit(l, fx);
}

/* ---------------------------------------------------------------- the core's thread */
static int64_t core_now(struct sim_rm *rm)
{
    rm->source.now_us = rm->w->s.now_us;
    rm->source.base_us = INT64_C(1700000000) * S + rm->wall_us;
    return rm_clock_catch_up(&rm->clock);
}

bool sim_lead_event(struct sim_lead *l, struct rm_event *ev, struct sim_call *call)
{
    bool done;

    ev->at_us = core_now(l->rm);
    done = rm_term_step_request(&l->rules, ev, call);
    after_step(l);
    return done;
}

static void on_timer(void *arg, uint64_t tag)
{
    struct sim_rm *rm = arg;
    struct sim_lead *l = rm->lead;

    if (!l || l->round != tag ||
        core_now(rm) < l->armed_us) /* the timer has been set to a later time since */
        return;
    l->armed_us = 0;
    rm_term_step_timer(&l->rules, core_now(rm));
    after_step(l);
}

static void arm_timer(struct sim_lead *l)
{
    int64_t in = l->rules.wake_us - core_now(l->rm);

    if (!l->rules.wake_us || l->rules.wake_us == l->armed_us)
        return;
    l->armed_us = l->rules.wake_us;
    sim_at(&l->rm->w->s, l->rm->w->s.now_us + (in > 0 ? in : 0), &l->rm->proc, SIM_CORE, on_timer,
           l->rm, l->round);
}

static void on_core_stored(void *arg, uint64_t tag)
{
    struct sim_rm *rm = arg;
    struct sim_lead *l = rm->lead;

    if (!l || l->round != tag || l->outbox.stored_seq == l->rules.stored_seq)
        return;
    rm_term_step_stored(&l->rules, l->outbox.stored_seq, core_now(rm));
    after_step(l);
}

/* ---------------------------------------------------------------- the store's thread */
/* Writes the queued records as a batch. With w->serial_store one batch is written at a time, and
 * records that the core adds meanwhile go into the next batch; without it, several batches may be
 * in flight. */
static void flush(struct sim_lead *l)
{
    size_t most = l->rm->w->serial_store ? 1 : sizeof l->flight / sizeof *l->flight,
           n = l->queued.len;
    struct ha_record *v;
    uint64_t batch;

    if (!n || l->flight_n >= most || l->over)
        return;
    v = base_alloc(n * sizeof *v);
    for (size_t i = 0; i < n; i++) {
        const struct rm_record rec = rm_batch_get_record(&l->queued, i);

        v[i] = (struct ha_record){
            .table = rec.table, .key = rec.key, .data = rec.data, .len = rec.len};
    }
    batch = ha_log_write_batch(l->log, v, n);
    free(v);
    l->flight[l->flight_n++] = (struct sim_flight){batch, l->queued.last_seq};
    rm_batch_clear(&l->queued);
}

static void after_step(struct sim_lead *l)
{
    flush(l);
    arm_timer(l);
}

static void release_ready(struct sim_lead *l)
{
    for (size_t i = 0; i < l->ready.len; i++) {
        const struct rm_held_effect *h = &l->ready.v[i];

        rm_term_release_effect(&l->rules, h->ticket, h->fx, l->ready.code, l->ready.text);
    }
    rm_released_clear(&l->ready);
}

/* Releases the effects that waited for stored records. As in the daemon, the core learns of
 * that on its own thread, before or after. */
static void on_stored(void *arg, uint64_t tag)
{
    struct sim_rm *rm = arg;
    struct sim_lead *l = rm->lead;
    struct sim *s = &rm->w->s;

    if (!l || l->round != tag || l->written_seq <= l->outbox.stored_seq)
        return;
    rm_outbox_release_stored(&l->outbox, l->written_seq, &l->ready);
    sim_at(s, s->now_us + (int64_t)sim_rnd(s, 100), &rm->proc, SIM_CORE, on_core_stored, rm,
           l->round);
    release_ready(l);
    flush(l);
    sim_lead_retire_further(l);
}

static void log_written(void *user, uint64_t batch)
{
    struct sim_lead *l = user;
    struct sim *s = &l->rm->w->s;
    size_t n = 0;

    if (l->over)
        return;
    while (n < l->flight_n && l->flight[n].batch <= batch)
        l->written_seq = l->flight[n++].seq;
    if (!n)
        return;
    memmove(l->flight, l->flight + n, (l->flight_n - n) * sizeof *l->flight);
    l->flight_n -= n;
    sim_at(s, s->now_us + (int64_t)sim_rnd(s, 100), &l->rm->proc, SIM_IO, on_stored, l->rm,
           l->round);
}

static void log_fenced(void *user, const char *text)
{
    struct sim_lead *l = user;

    if (l->over)
        return;
    sim_log(&l->rm->w->s, "%s: fenced: %s", l->rm->proc.name, text);
    l->rm->w->totals->refused_writes++;
    rm_lease_depose(&l->rm->lease); /* before any caller is refused */
    rm_outbox_refuse_all(&l->outbox, &l->ready);
    release_ready(l);
    sim_rm_fenced(l->rm);
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

/* Returns true for a record that a recovery broken on purpose skips, in tests of the checker. */
static bool passed_over(const struct sim_breaks *b, const struct ha_record *r)
{
    return (b->forget_commits && strcmp(r->table, "commit") == 0) ||
           (b->no_wait && strcmp(r->table, "node") == 0) ||
           (b->forget_tasks && strcmp(r->table, "task") == 0);
}

static int recover_one(void *user, const struct ha_record *stored, struct base_error *err)
{
    struct recovery *r = user;

    if (passed_over(&r->lead->rm->w->breaks, stored))
        return 0;
    r->records++;
    return rm_load_record(r->lead->core, stored, err);
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
                                .step_timeout_us = w->breaks.no_limit ? 0 : w->step_timeout_us,
                                .steps_on_nodes = true,
                                .completed_apps_max = 1000,
                                .kill_grace_ms = 250,
                                .takeover_grace_us = w->grace_us,
                                .gone_nodes_us = w->serial_store ? w->heartbeat_us : 0,
                                .gone_nodes_max = w->serial_store ? 0 : 1,
                                .prune_ended = w->prune};
    struct policy_conf options = {0};
    struct base_error err;
    struct rm_core *core;

    /* waiting for locality has nothing to do with faults */
    if (policy_conf_set(&options, "delay.w1", "0", &err) < 0 ||
        policy_conf_set(&options, "delay.w2", "0", &err) < 0)
        sim_violated(&w->s, "setup", "%s", err.text);
    conf.options = &options;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        conf.slot_res[k] =
            (struct rm_res){{W_SLOT_MB, 1, k == BASE_TASK_MAP, k == BASE_TASK_REDUCE}};
    core = rm_core_new(&conf, &err);
    policy_conf_free(&options);
    if (!core)
        sim_violated(&w->s, "setup", "%s", err.text);
    return core;
}

static bool read_back(struct sim_lead *l, struct recovery *r)
{
    static const char *const tables[] = {"meta", "app", "node", "task", "commit"};
    struct base_error err = {0};

    l->core = core_new(l->rm, l->epoch);
    for (size_t i = 0; l->core && i < sizeof tables / sizeof *tables; i++)
        if (ha_log_for_each_record(l->log, tables[i], recover_one, r, &err) < 0) {
            sim_violated(&l->rm->w->s, "I1", "%s: the state cannot be read back: %s",
                         l->rm->proc.name, err.text);
            return false;
        }
    return l->core;
}

/* ---------------------------------------------------------------- begin */
/* Ends the leadership and frees it. Memory of requests stays until the end of the run. */
static void end(struct sim_lead *l)
{
    l->rm->lead = NULL;
    if (l->rm->elected == l)
        l->rm->elected = NULL;
    sim_lead_free(l);
}

static void fail_activation(struct sim_lead *l)
{
    struct sim_rm *rm = l->rm;

    sim_log(&rm->w->s, "%s: the leadership ended while the state was being read", rm->proc.name);
    end(l);
    sim_rm_change_roles(rm);
    sim_lead_thread_resume(rm, -BASE_EVERSION);
}

static void activate(void *arg, uint64_t tag)
{
    struct sim_rm *rm = arg;
    struct sim_lead *l = rm->lead;
    struct recovery r = {.lead = l};

    if (!l || l->round != tag || l->active)
        return;
    if (l->over || !rm_term_leads(&l->rules)) {
        fail_activation(l);
        return;
    }
    if (!read_back(l, &r))
        return;
    ha_log_free_loaded_data(l->log);
    l->active_us = rm->w->s.now_us;
    sim_log(&rm->w->s, "%s: active with epoch %" PRId64 ", %zu records", rm->proc.name, l->epoch,
            r.records);
    rm_core_finish_recovery(l->core, core_now(rm), &l->rules.fx);
    l->active = true;
    rm_term_start_with_core(&l->rules, l->core);
    after_step(l);
    rm->w->totals->takeovers++;
    rm->w->leader_us = rm->w->s.now_us;
    sim_check_activated(rm->w, rm);
    sim_rm_change_roles(rm);
    sim_lead_thread_resume(rm, 0);
}

static void activate_soon(struct sim_lead *l)
{
    struct sim *s = &l->rm->w->s;

    sim_at(s, s->now_us + sim_between(s, 0, TAKEOVER_US), &l->rm->proc, SIM_LEAD, activate, l->rm,
           l->round);
}

static void log_loaded(void *user, int rc, const struct base_error *err)
{
    struct sim_lead *l = user;

    if (l->over)
        return;
    if (rc < 0) {
        sim_violated(&l->rm->w->s, "I1", "%s: the log cannot be read: %s", l->rm->proc.name,
                     err->text);
        return;
    }
    l->loaded = true;
    if (l == l->rm->lead)
        activate_soon(l);
}

void sim_lead_activate(struct sim_lead *l)
{
    struct sim_rm *rm = l->rm;

    rm->lead = l;
    rm_lease_begin(&rm->lease);
    sim_rm_change_roles(rm);
    if (l->loaded || l->over)
        activate_soon(l);
}

void sim_lead_abort_loading(struct sim_lead *l)
{
    if (!l->active)
        activate_soon(l);
    else
        sim_lead_retire_further(l);
}

/* ---------------------------------------------------------------- end */
static void dismiss(struct sim_lead *l)
{
    rm_outbox_close(&l->outbox, &l->ready, NULL);
    release_ready(l);
    rm_term_refuse_waiting(&l->rules, -BASE_EVERSION, RM_NOT_ACTIVE_TEXT);
    end(l);
}

void sim_lead_cut(struct sim_lead *l)
{
    rm_outbox_set_over(&l->outbox);
    dismiss(l);
}

/* Returns true when all that was written has been released too, or nothing will be written again.
 */
static bool store_has_ended(const struct sim_lead *l)
{
    return l->over || l->outbox.state == RM_OUTBOX_OVER ||
           (!l->flight_n && !l->queued.len && l->written_seq == l->outbox.stored_seq);
}

static void retired(void *arg, uint64_t tag)
{
    struct sim_rm *rm = arg;
    struct sim_lead *l = rm->lead;

    if (!l || l->round != tag || !l->closed || !store_has_ended(l))
        return;
    sim_log(&rm->w->s, "%s: retires", rm->proc.name);
    if (l->over)
        rm_outbox_set_over(&l->outbox);
    dismiss(l);
    sim_rm_change_roles(rm);
    sim_lead_thread_resume(rm, 0);
}

void sim_lead_retire_further(struct sim_lead *l)
{
    struct sim *s = &l->rm->w->s;

    if (l->closed && store_has_ended(l))
        sim_at(s, s->now_us + (int64_t)sim_rnd(s, 100), &l->rm->proc, SIM_LEAD, retired, l->rm,
               l->round);
}

void sim_lead_retire(struct sim_lead *l)
{
    l->closed = true;
    sim_lead_retire_further(l);
}

/* ---------------------------------------------------------------- life */
struct sim_lead *sim_lead_new(struct sim_rm *rm, int64_t epoch, int32_t version)
{
    struct sim_lead *l = base_alloc(sizeof *l);
    const struct rm_term_calls calls = {.user = l,
                                        .lease_us = lease_us,
                                        .mono_us = mono_us,
                                        .store = store,
                                        .hold = hold,
                                        .answer = answer,
                                        .refuse = refuse,
                                        .late = late,
                                        .outputs = outputs,
                                        .tell = tell};

    l->rm = rm;
    l->round = ++rm->round;
    l->epoch = epoch;
    rm_term_init(&l->rules, epoch, &rm->lease, &calls);
    l->log = ha_log_new(
        "/creel/sim", epoch, version,
        &(struct ha_log_calls){l, log_send, log_loaded, log_written, log_fenced, log_broken});
    if (rm->w->small_log)
        ha_log_set_limits(l->log, &(struct ha_log_limits){2000, 4, 4000});
    return l;
}

void sim_lead_free(struct sim_lead *l)
{
    ha_log_free(l->log);
    rm_core_free(l->core);
    rm_term_free(&l->rules);
    rm_batch_free(&l->queued);
    rm_outbox_free(&l->outbox);
    rm_released_free(&l->ready);
    free(l);
}
