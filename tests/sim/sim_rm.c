#include "tests/sim/sim_rm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rm/term/effect_copy.h"

static void timer_set(struct sim_rm *rm);

/* ---------------------------------------------------------------- who leads */
int64_t sim_rm_lease_us(const struct sim_rm *rm, int64_t epoch)
{
    if (rm->w->lease_off || rm->w->breaks.lease)
        return RM_LEASE_ENDLESS;
    return rm->held_epoch == epoch ? ha_election_lease_end_us(rm->election) : 0;
}

bool sim_rm_leads(struct sim_rm *rm)
{
    return rm->lead && rm_term_leads(&rm->lead->rules);
}

bool sim_rm_active(const struct sim_rm *rm)
{
    const struct sim_lead *l = rm->lead;

    return rm->proc.up && l && l->active && !l->closed &&
           rm_lease_would_hold(&rm->lease, l->epoch, sim_rm_lease_us(rm, l->epoch),
                               rm->w->s.now_us);
}

struct sim_rm *sim_rm_leader(struct sim_world *w)
{
    struct sim_rm *best = NULL;

    for (int i = 0; i < w->rms; i++)
        if (sim_rm_active(w->rm[i]) && (!best || w->rm[i]->lead->epoch > best->lead->epoch))
            best = w->rm[i];
    return best;
}

int sim_rm_find_active(const struct sim_rm *rm)
{
    const char *id = ha_election_active_rm(rm->election);
    int at = strncmp(id, "rm", 2) == 0 ? atoi(id + 2) : -1;

    return at == rm->index || at >= rm->w->rms ? -1 : at;
}

/* ---------------------------------------------------------------- answers */
struct leaving {
    struct sim_call *call;
    struct sim_answer *a;
};

/* Sends an answer. The lease is not checked again: the answer is late if the process stood still
 * meanwhile. */
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

    a->rm = rm->active_rm;
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
    return fx->kind == RM_FX_HEARTBEAT ? fx->u.heartbeat.orders_n > 0
                                       : fx->u.reply.kind != RM_REPLY_ERROR;
}

/* Adds the list of the parts to take to a permission to commit a job, as the daemon's shell
 * does. */
static void add_commit_parts(struct sim_rm *rm, const struct sim_request *rq, struct sim_answer *a)
{
    int32_t *parts;

    if (rq->ev.kind != RM_EV_JOB_MAY_COMMIT || a->fx->u.reply.kind != RM_REPLY_FLAG ||
        !a->fx->u.reply.flag ||
        rm_view_attempts_to_commit(rm->lead->core, rq->ev.u.job_may_commit.id, &a->parts_kind,
                                   &parts, &a->parts_n) < 0)
        return;
    a->parts = sim_copy(&rm->w->s, parts, a->parts_n * sizeof *parts);
    free(parts);
}

void sim_rm_send(struct sim_rm *rm, struct sim_call *call, const struct rm_effect *fx)
{
    struct sim *s = &rm->w->s;
    struct rm_effect *copy;
    struct leaving *l;

    if (call->closed)
        return;
    l = sim_alloc(s, sizeof *l);
    *l = (struct leaving){call, sim_rm_answer(rm, SIM_OK)};
    copy = rm_effect_copy(fx);
    sim_defer(s, (void (*)(void *))rm_effect_copy_free, copy);
    l->a->fx = copy;
    add_commit_parts(rm, call->body, l->a);
    sim_at(s, s->now_us + (int64_t)sim_rnd(s, 200), &rm->proc, SIM_OUT, leaves, l, 0);
    if (rm->pause_at_output && says_something(fx)) {
        rm->pause_at_output = false;
        sim_rm_pause(rm, rm->pause_us);
    }
}

/* ---------------------------------------------------------------- election */
static void on_elected(void *user, int64_t epoch, int32_t version)
{
    struct sim_rm *rm = user;
    struct ha_log_kept kept;
    struct sim_lead *l = sim_lead_new(rm, epoch, version);

    rm->elected = l;
    rm->held_epoch = epoch;
    l->number = rm_lead_news_add_election(&rm->lead_thread.announced);
    if (epoch >= 0 && epoch < W_EPOCHS && rm->w->taken[epoch])
        sim_violated(&rm->w->s, "I3", "%s was elected with epoch %" PRId64 ", as another RM was",
                     rm->proc.name, epoch);
    if (epoch >= 0 && epoch < W_EPOCHS)
        rm->w->taken[epoch] = true;
    /* this RM may learn of its election only after another RM has won a later one */
    rm->w->epoch_max = epoch > rm->w->epoch_max ? epoch : rm->w->epoch_max;
    ha_log_follow_stop_and_take(rm->follow, &kept);
    sim_log(&rm->w->s, "%s: elected with epoch %" PRId64 ", %zu segments of the log are here",
            rm->proc.name, epoch, kept.n);
    ha_log_adopt_kept_segments(l->log, &kept);
    ha_log_start_loading(l->log);
    sim_lead_thread_post(rm, &(struct rm_lead_event){.kind = RM_LEAD_EV_ELECTED}, l);
    sim_faults_elected(rm->w, rm->index);
}

static void on_deposed(void *user, const char *why)
{
    struct sim_rm *rm = user;

    sim_log(&rm->w->s, "%s: deposed: %s", rm->proc.name, why);
    rm->held_epoch = -1;
    rm_lease_depose(&rm->lease);
    if (rm->elected)
        rm->elected->over = true;
    if (rm->elected && rm->elected == rm->lead)
        sim_lead_abort_loading(rm->lead);
    rm->elected = NULL;
    rm_lead_news_end_leaderships(&rm->lead_thread.announced);
    sim_lead_thread_post(rm, &(struct rm_lead_event){.kind = RM_LEAD_EV_DEPOSED, .why = "deposed"},
                         NULL);
}

static void on_active_changed(void *user)
{
    sim_lead_thread_post(user, &(struct rm_lead_event){.kind = RM_LEAD_EV_OTHER_ACTIVE}, NULL);
}

static void on_refused(void *user, const struct base_error *why)
{
    struct sim_rm *rm = user;

    sim_violated(&rm->w->s, "election", "%s was refused: %s", rm->proc.name, why->text);
}

/* Returns true when @instance is an earlier process of this RM. */
static bool surely_dead(void *user, const char *instance)
{
    struct sim_rm *rm = user;

    return strncmp(instance, rm->instance, strlen(rm->proc.name)) == 0 &&
           strcmp(instance, rm->instance) != 0;
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
    ha_election_run_timers(rm->election, rm->w->s.now_us);
    ha_log_follow_run_timers(rm->follow, rm->w->s.now_us);
    timer_set(rm);
}

static void timer_set(struct sim_rm *rm)
{
    int64_t at, follow_at;

    if (ha_election_get_state(rm->election) == HA_WAITING)
        ha_log_follow_start(rm->follow, rm->w->s.now_us);
    at = ha_election_next_timer_us(rm->election);
    follow_at = ha_log_follow_next_timer_us(rm->follow);
    at = follow_at < at ? follow_at : at;
    rm->timer++;
    if (at != INT64_MAX)
        sim_at(&rm->w->s, at, &rm->proc, SIM_SERVICE, on_timer, rm, rm->timer);
}

static void on_zk(void *user, const struct ha_zk_event *ev, uint64_t round)
{
    struct sim_rm *rm = user;
    bool of_log = ev->kind == HA_ZK_RESULT && ev->owner == HA_ZK_FOR_LOG;
    struct sim_lead *l;

    if (ev->kind != HA_ZK_RESULT || ev->owner == HA_ZK_FOR_FOLLOW)
        ha_log_follow_on_event(rm->follow, ev, rm->w->s.now_us);
    if (ev->kind != HA_ZK_RESULT || ev->owner == HA_ZK_FOR_ELECTION)
        ha_election_on_event(rm->election, ev, rm->w->s.now_us);
    l = rm->elected;
    if (of_log && l && l->round == round) {
        ha_log_on_event(l->log, ev);
        if (ev->code == HA_ZK_OK && ev->asked == HA_ZK_MULTI && rm->elected == l)
            ha_election_extend_lease(rm->election, ev->sent_us);
    } else if (!of_log && l && (ev->kind == HA_ZK_CONNECTED || ev->kind == HA_ZK_DISCONNECTED)) {
        ha_log_on_event(l->log, ev);
    }
    timer_set(rm);
}

void sim_rm_fenced(struct sim_rm *rm)
{
    ha_election_on_fenced_write(rm->election, rm->w->s.now_us);
    timer_set(rm);
}

void sim_rm_resign_now(struct sim_rm *rm, int64_t hold_us)
{
    ha_election_resign(rm->election, hold_us, rm->w->s.now_us);
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
    rm_lease_init(&rm->lease);
    rm->held_epoch = -1;
    rm->active_rm = -1;
    rm->pause_at_output = false;
    rm->zkc = sim_zkc_new(&w->zk, &rm->proc, w->session_us, on_zk, rm);
    rm->election =
        ha_election_new(&(struct ha_election_conf){.root = "/creel/sim",
                                                   .cluster_id = "sim",
                                                   .rm_id = rm->proc.name,
                                                   .instance = rm->instance,
                                                   .lease_off = w->lease_off || w->breaks.lease},
                        &calls);
    rm->follow = ha_log_follow_new("/creel/sim", election_send, rm);
    timer_set(rm);
}

/* Frees what belonged to the dead process; its events are dropped. */
static void forget(struct sim_rm *rm)
{
    sim_lead_thread_free(rm);
    sim_rm_free_parked(rm);
    if (rm->lead)
        sim_lead_free(rm->lead);
    rm->elected = rm->lead = NULL;
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
    sim_lead_thread_post(rm,
                         &(struct rm_lead_event){.kind = RM_LEAD_EV_ASKED_TO_RESIGN,
                                                 .hold_us = 2 * S,
                                                 .why = "told to"},
                         NULL);
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
