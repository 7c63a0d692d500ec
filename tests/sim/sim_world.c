#include "tests/sim/sim_world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rm/core/state.h"
#include "tests/sim/sim_nm.h"
#include "tests/sim/sim_rm.h"

#define REST_S 300 /* most seconds from the last fault until the world is at rest */

static void no_requests(void *self, struct sim_call *call)
{
    (void)self;
    (void)call;
}

static void start_rm(void *arg, uint64_t tag)
{
    (void)tag;
    sim_rm_start(arg);
}

static void start_nm(void *arg, uint64_t tag)
{
    (void)tag;
    sim_nm_start(arg);
}

static void settings(struct sim_world *w)
{
    static const char *const policies[] = {"fifo", "fifo", "naive-fair", "fair", "hfsp"};
    struct sim *s = &w->s;

    w->rms = sim_chance(s, 700) ? 2 : 3;
    w->nms = (int)sim_between(s, 3, 5);
    w->policy = policies[sim_rnd(s, sizeof policies / sizeof *policies)];
    w->lease_off = sim_chance(s, 150);
    w->serial_store = sim_chance(s, 500);
    w->prune = sim_chance(s, 500);
    w->small_log = sim_chance(s, 600);
    w->grace_us = sim_chance(s, 500) ? sim_between(s, 200 * MS, 3 * S) : 0;
    w->session_us = sim_chance(s, 500) ? 1 * S : sim_between(s, 600 * MS, 2 * S);
    w->heartbeat_us = sim_between(s, 300 * MS, 1 * S);
    w->expiry_us = sim_between(s, 4 * S, 8 * S);
    w->attempts_max = 4;
    w->step_timeout_us = sim_between(s, 6 * S, 10 * S);
    w->faults_until_us = s->now_us + sim_between(s, 3 * S, 12 * S);
}

static void build(struct sim_world *w)
{
    struct sim *s = &w->s;

    sim_net_init(&w->net, s);
    w->net.late = 300;
    settings(w);
    sim_zk_init(&w->zk, s, &w->net, sim_chance(s, 700) ? 3 : 1, HOST_ZK);
    w->zk.no_check = w->breaks.log_check;
    snprintf(w->client.name, sizeof w->client.name, "client");
    w->client.host = HOST_CLIENT;
    w->client.serve = no_requests;
    sim_proc_start(s, &w->client);
    for (int i = 0; i < w->rms; i++) {
        w->rm[i] = sim_rm_new(w, i);
        w->list.url[w->list.n++] = sim_text(s, "http://rm%d:8088", i);
    }
    for (int i = 0; i < w->rms; i++)
        sim_at(s, s->now_us + sim_between(s, 0, 100 * MS), NULL, SIM_SERVICE, start_rm, w->rm[i],
               0);
    for (int i = 0; i < w->nms; i++) {
        sim_nm_init(w, i);
        sim_at(s, s->now_us + sim_between(s, 0, 300 * MS), NULL, SIM_SERVICE, start_nm, &w->nm[i],
               0);
    }
    sim_log(s,
            "%d zk, %d rm, %d nm, policy %s, session %.1f s, heartbeat %.1f s, expiry %.1f s, "
            "grace %.1f s%s%s%s%s",
            w->zk.n, w->rms, w->nms, w->policy, (double)w->session_us / 1e6,
            (double)w->heartbeat_us / 1e6, (double)w->expiry_us / 1e6, (double)w->grace_us / 1e6,
            w->lease_off ? ", no lease" : "", w->serial_store ? "" : ", pipelined",
            w->prune ? ", pruned" : "", w->small_log ? ", small log" : "");
    if (sim_chance(s, 250))
        w->nm[sim_rnd(s, (uint64_t)w->nms)].refuses = true;
    sim_jobs_make(w);
    sim_faults_plan(w);
}

/* Reports why the world has not come to rest. */
static void stuck(struct sim_world *w)
{
    struct sim_rm *rm = sim_rm_leader(w);
    struct base_buf b = {0};

    for (int i = 0; rm && i < w->jobs; i++) {
        const struct sim_job *j = &w->job[i];
        const struct rm_app *a = rm_app_find(rm->lead->core, j->id);

        if (j->acked && !a)
            sim_violated(&w->s, "I1", "job %d was acknowledged, the leader does not know it", i);

        if (a && rm_app_state_is_final(a->state) && j->acked && (!j->kill_us || j->kill_acked))
            continue;
        base_buf_addf(&b, " job %d is %s%s, pending %d+%d, running %d+%d;", i,
                      a ? rm_app_state_name(a->state) : "unknown",
                      j->acked ? "" : " (not acknowledged)", a ? a->phase[0].pending : 0,
                      a ? a->phase[1].pending : 0, a ? a->phase[0].running : 0,
                      a ? a->phase[1].running : 0);
    }
    for (int i = 0; i < w->nms; i++) {
        int64_t n = w->nm[i].core ? (int64_t)nm_core_alive_count(w->nm[i].core) : 0;

        if (n)
            base_buf_addf(&b, " nm%d runs %" PRId64 ";", i, n);
    }
    sim_violated(&w->s, "I5", "%d s after the last fault the world has not come to rest:%s%s",
                 REST_S, rm ? "" : " nobody leads;",
                 b.data ? b.data : " containers are not forgotten");
    base_buf_free(&b);
}

static void run(struct sim_world *w)
{
    struct sim *s = &w->s;
    int64_t until;
    bool rest = false;

    while (!s->failed && s->now_us < w->faults_until_us) /* a fault may postpone that */
        sim_run(s, w->faults_until_us);
    until = w->faults_until_us + REST_S * S;
    if (!s->failed)
        sim_faults_end(w);
    while (!s->failed && !rest && s->now_us < until) {
        sim_run(s, s->now_us + 1 * S);
        sim_check_quiet(w);
        rest = s->now_us > w->faults_until_us + 3 * S && sim_check_rest(w);
    }
    if (!s->failed && !rest)
        stuck(w);
    if (!s->failed)
        sim_run(s, s->now_us + 2 * S);
    if (!s->failed)
        sim_check_end(w);
}

static uint64_t fingerprint_of(const struct sim *s)
{
    return (s->rng ^ s->events * UINT64_C(0x9e3779b97f4a7c15)) + (uint64_t)s->now_us + s->seq;
}

bool sim_world_run(uint64_t seed, const struct sim_options *o, struct sim_totals *t,
                   char failure[1024], uint64_t *fingerprint)
{
    struct sim_world *w = base_alloc(sizeof *w);
    bool ok;

    sim_init(&w->s, seed, o->log);
    w->breaks = o->breaks;
    w->totals = t;
    build(w);
    run(w);
    ok = !w->s.failed;
    snprintf(failure, 1024, "%s", w->s.failure);
    if (fingerprint)
        *fingerprint = fingerprint_of(&w->s);
    t->runs++;
    t->lease_off_runs += w->lease_off;
    t->jobs += w->jobs;
    t->virtual_us += w->s.now_us - 1000 * S;
    t->events += (int64_t)w->s.events;
    t->refused_writes += w->zk.bad_version;
    sim_free(&w->s);
    free(w);
    return ok;
}
