/* Requests to an RM: handed to the core's thread, parked on a standby, or sent to another RM. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/sim_rm.h"

/* Shorter than in the daemon, as the expiry of nodes is. */
static const struct rm_node_wait_conf wait_conf = {.wait_us = 1 * S, .doubt_us = 300 * MS};

/* ---------------------------------------------------------------- requests */
static bool from_node(const struct sim_request *rq)
{
    return rq->ev.kind == RM_EV_NODE_REGISTER || rq->ev.kind == RM_EV_NODE_HEARTBEAT;
}

static void answer_outputs(struct sim_lead *l, struct sim_call *call)
{
    const struct sim_request *rq = call->body;
    struct sim_world *w = l->rm->w;
    struct sim_answer *a = sim_rm_answer(l->rm, SIM_OK);
    int64_t version, maps, done;
    struct rm_views v = {0};

    a->found = rm_view_map_outputs(l->core, w->job[rq->job].id, 0, &version, &maps, &done, &v) == 0;
    a->outputs = sim_copy(&w->s, v.outputs, v.outputs_n * sizeof *v.outputs);
    a->outputs_n = v.outputs_n;
    for (size_t i = 0; i < v.outputs_n; i++)
        ((struct rm_map_output_view *)a->outputs)[i].node_http =
            sim_text(&w->s, "%s", v.outputs[i].node_http ? v.outputs[i].node_http : "");
    rm_views_free(&v);
    sim_call_answer(call, a);
}

static void take_specs(struct sim_rm *rm, const struct sim_request *rq, struct rm_event *ev)
{
    static const char token[] = "0123456789abcdef0123456789abcdef";
    const struct sim_job *j = &rm->w->job[rq->job];

    if (ev->kind == RM_EV_SUBMIT_JOB) {
        ev->u.submit_job.spec = sim_job_spec(j);
        ev->u.submit_job.app_token = token;
    } else if (ev->kind == RM_EV_SUBMIT_APP) {
        ev->u.submit_app.spec = sim_app_spec(j);
        ev->u.submit_app.app_token = token;
    } else if (ev->kind == RM_EV_JOB_SPLITS) {
        ev->u.job_splits.page = sim_job_splits(j);
        sim_defer(&rm->w->s, (void (*)(void *))rm_split_page_free, ev->u.job_splits.page);
    } else if (ev->kind == RM_EV_AM_ALLOCATE) {
        for (size_t i = 0; i < ev->u.am_allocate.asks_n; i++) {
            struct rm_launch *launch = base_alloc(sizeof *launch);

            launch->refs = 1;
            ((struct rm_ask *)ev->u.am_allocate.asks)[i].launch = launch;
        }
    }
}

static void on_core(void *arg, uint64_t tag)
{
    struct sim_call *call = arg;
    const struct sim_request *rq = call->body;
    struct sim_rm *rm = call->to->self;
    struct sim_lead *l = rm->lead;
    struct rm_event ev = rq->ev;

    (void)tag;
    if (call->to_life != rm->proc.life)
        return;
    if (!l || !l->active || !sim_rm_leads(rm)) {
        rm->w->totals->late_answers += l != NULL;
        sim_rm_refuse(rm, call);
        return;
    }
    if (rq->outputs) {
        answer_outputs(l, call);
        return;
    }
    if (rq->ev.kind == RM_EV_AM_ALLOCATE)
        ev.u.am_allocate.asks = sim_copy(&rm->w->s, ev.u.am_allocate.asks,
                                         ev.u.am_allocate.asks_n * sizeof *ev.u.am_allocate.asks);
    take_specs(rm, rq, &ev);
    if (!sim_lead_event(l, &ev, call))
        sim_violated(&rm->w->s, "I7", "%s: the lease ends in no time", rm->proc.name);
    if (ev.kind == RM_EV_AM_REGISTER)
        sim_check_registered(rm->w, rm, ev.u.am_register.attempt.app);
}

/* ---------------------------------------------------------------- nodes that wait */
static void read_roles(struct sim_rm *rm, struct rm_roles_known *out)
{
    *out =
        (struct rm_roles_known){.changes = rm->role_changes,
                                .leads = sim_rm_active(rm),
                                .active = rm->active_rm < 0 ? "" : rm->w->list.url[rm->active_rm],
                                .now_us = rm->w->s.now_us};
}

static void hand_to_core(struct sim_rm *rm, struct sim_call *call)
{
    struct sim *s = &rm->w->s;

    sim_at(s, s->now_us + (int64_t)sim_rnd(s, 100), &rm->proc, SIM_CORE, on_core, call, 0);
}

static void resume_due(void *arg, uint64_t tag);

static void park(struct sim_rm *rm, struct sim_call *call, const struct rm_node_wait *wait)
{
    base_array_grow(&rm->parked, rm->parked_n, &rm->parked_cap);
    rm->parked[rm->parked_n++] = (struct sim_parked){call, *wait};
    sim_at(&rm->w->s, wait->until_us, &rm->proc, SIM_OUT, resume_due, rm, 0);
}

/* Applies the rules to a request that has waited in @p. */
static void resume(struct sim_rm *rm, struct sim_parked *p)
{
    struct rm_roles_known roles;

    read_roles(rm, &roles);
    switch (rm_node_wait_resume(&p->wait, &wait_conf, &roles)) {
    case RM_NODE_HAND_TO_CORE:
        hand_to_core(rm, p->call);
        break;
    case RM_NODE_REDIRECT:
        sim_rm_away(rm, p->call);
        break;
    case RM_NODE_REFUSE:
        sim_call_answer(p->call, sim_rm_answer(rm, SIM_AWAY));
        break;
    case RM_NODE_WAIT:
        park(rm, p->call, &p->wait);
        return;
    }
    rm_node_wait_free(&p->wait);
}

/* Wakes the requests whose time is up, or that have not seen the last change of roles. */
static void resume_due(void *arg, uint64_t tag)
{
    struct sim_rm *rm = arg;
    size_t n = rm->parked_n;
    struct sim_parked *all = sim_copy(&rm->w->s, rm->parked, n * sizeof *all);

    (void)tag;
    rm->parked_n = 0;
    for (size_t i = 0; i < n; i++) {
        struct sim_parked *p = &all[i];

        if (p->call->closed)
            rm_node_wait_free(&p->wait);
        else if (p->wait.seen < rm->role_changes || p->wait.until_us <= rm->w->s.now_us)
            resume(rm, p);
        else
            rm->parked[rm->parked_n++] = *p;
    }
}

void sim_rm_change_roles(struct sim_rm *rm)
{
    struct sim *s = &rm->w->s;

    rm->role_changes++;
    sim_at(s, s->now_us + (int64_t)sim_rnd(s, 200), &rm->proc, SIM_OUT, resume_due, rm, 0);
}

void sim_rm_refuse(struct sim_rm *rm, struct sim_call *call)
{
    struct rm_node_wait wait = {0};
    struct rm_roles_known roles;

    read_roles(rm, &roles);
    if (from_node(call->body) && !call->closed &&
        rm_node_wait_after_refusal(&wait, &wait_conf, &roles, rm->zkc->connected) == RM_NODE_WAIT)
        park(rm, call, &wait);
    else
        sim_rm_away(rm, call);
}

void sim_rm_free_parked(struct sim_rm *rm)
{
    for (size_t i = 0; i < rm->parked_n; i++)
        rm_node_wait_free(&rm->parked[i].wait);
    rm->parked_n = 0;
}

/* Handles a request to an RM that does not lead: parks it, or sends the caller away. */
static void serve_as_standby(struct sim_rm *rm, struct sim_call *call)
{
    const struct sim_request *rq = call->body;
    struct rm_node_wait wait = {0};
    struct rm_roles_known roles;

    read_roles(rm, &roles);
    if (from_node(rq) &&
        rm_node_wait_begin(&wait, &wait_conf, &roles, rq->failed) == RM_NODE_WAIT) {
        park(rm, call, &wait);
        return;
    }
    rm_node_wait_free(&wait);
    sim_rm_away(rm, call);
}

/* Answers with the state, named as by rm_standby_get_state_name(). */
static void answer_state(struct sim_rm *rm, struct sim_call *call)
{
    struct sim_answer *a = sim_rm_answer(rm, SIM_OK);

    a->state = sim_rm_active(rm)               ? "active"
               : rm->lead && !rm->lead->active ? "initializing"
                                               : "standby";
    sim_call_answer(call, a);
}

void sim_rm_serve(void *self, struct sim_call *call)
{
    struct sim_rm *rm = self;

    if (((const struct sim_request *)call->body)->state) {
        answer_state(rm, call);
        return;
    }
    if (sim_rm_active(rm))
        hand_to_core(rm, call);
    else
        serve_as_standby(rm, call);
}
