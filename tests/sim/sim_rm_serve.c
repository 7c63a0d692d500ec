/* Requests to an RM: handed to the core's thread, parked on a standby, or sent to another RM; and
 * what an RM does to output folders for its core. */
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

/* ---------------------------------------------------------------- output folders */
struct folder_work {
    struct sim_rm *rm;
    uint64_t round;
    enum rm_effect_kind what;
    struct base_app_id id;
    bool again, ok;
    const char *why;
    enum base_task_kind parts; /* commit: part i is that of attempts[i] of task i of this kind */
    int32_t attempts[W_TASKS];
    size_t attempts_n;
};

static void folder_done(void *arg, uint64_t tag)
{
    struct folder_work *f = arg;
    struct rm_event ev = {.kind = f->what == RM_FX_JOB_SETUP    ? RM_EV_JOB_SET_UP
                                  : f->what == RM_FX_JOB_COMMIT ? RM_EV_JOB_COMMITTED
                                                                : RM_EV_JOB_ABORTED};

    (void)tag;
    if (!f->rm->lead || f->rm->lead->round != f->round)
        return;
    ev.u.job_done.id = f->id;
    ev.u.job_done.ok = f->ok;
    ev.u.job_done.diagnostics = f->why;
    sim_lead_event(f->rm->lead, &ev, NULL);
}

static void folder_setup(struct folder_work *f, struct sim_job *j)
{
    f->ok = !j->folder || f->again;
    f->why = f->ok ? NULL : "job.output: already exists";
    if (!f->ok)
        return;
    j->folder = j->temporary = true;
}

/* Moves the part of the attempt that counts to its final place, unless an earlier try has done so.
 */
static void take_part(struct folder_work *f, struct sim_job *j, size_t i)
{
    struct sim_world *w = f->rm->w;
    struct sim_task *t = &j->tasks[f->parts][i];

    for (int a = 0; a < t->n && !w->breaks.shared_parts && j->temporary; a++)
        if (t->v[a].attempt == f->attempts[i] && t->v[a].renamed)
            t->part = &t->v[a];
    if (!t->part)
        sim_violated(&w->s, "I2", "job %d was committed without part %zu (kind %d)", j->index, i,
                     f->parts);
    else if (t->part->attempt != f->attempts[i])
        sim_violated(
            &w->s, "I2",
            "part %zu of job %d (kind %d) is of attempt %d, attempt %d is the one that counts", i,
            j->index, f->parts, t->part->attempt, f->attempts[i]);
}

static void folder_commit(struct folder_work *f, struct sim_job *j)
{
    struct sim_world *w = f->rm->w;
    int parts =
        j->tasks_n[BASE_TASK_REDUCE] ? j->tasks_n[BASE_TASK_REDUCE] : j->tasks_n[BASE_TASK_MAP];

    f->ok = j->folder;
    if (f->ok && f->attempts_n != (size_t)parts)
        sim_violated(&w->s, "I2", "job %d is committed with %zu parts", j->index, f->attempts_n);
    for (size_t i = 0; f->ok && i < f->attempts_n && !j->success; i++)
        take_part(f, j, i);
    j->temporary = false;
    if (!f->ok)
        return;
    j->success = true; /* the folder may be read from now on */
    j->commits++;
    sim_log(&w->s, "%s: output of job %d is committed", f->rm->proc.name, j->index);
}

static void folder_work(void *arg, uint64_t tag)
{
    struct folder_work *f = arg;
    struct sim_job *j = sim_job_of(f->rm->w, f->id);
    struct sim *s = &f->rm->w->s;

    (void)tag;
    if (!f->rm->lead || f->rm->lead->round != f->round || !sim_rm_leads(f->rm))
        return;
    f->ok = true;
    if (f->what == RM_FX_JOB_SETUP)
        folder_setup(f, j);
    else if (f->what == RM_FX_JOB_COMMIT)
        folder_commit(f, j);
    else
        j->temporary = j->folder = false; /* nothing else is in it */
    sim_log(s, "%s: folder of job %d: %s %s", f->rm->proc.name, j->index,
            f->what == RM_FX_JOB_SETUP    ? "set up"
            : f->what == RM_FX_JOB_COMMIT ? "commit"
                                          : "abort",
            f->ok ? "done" : f->why);
    sim_at(s, s->now_us + sim_between(s, 0, 2 * MS), &f->rm->proc, SIM_IO, folder_done, f, 0);
}

void sim_rm_folder(struct sim_lead *l, const struct rm_effect *fx)
{
    struct sim_rm *rm = l->rm;
    struct folder_work *f = sim_alloc(&rm->w->s, sizeof *f);

    *f = (struct folder_work){.rm = rm,
                              .round = l->round,
                              .what = fx->kind,
                              .id = fx->u.job.id,
                              .again = fx->u.job.again};
    f->parts = fx->u.job.kind;
    for (f->attempts_n = 0; f->attempts_n < fx->u.job.attempts_n && f->attempts_n < W_TASKS;
         f->attempts_n++)
        f->attempts[f->attempts_n] = fx->u.job.attempts[f->attempts_n];
    sim_at(&rm->w->s, rm->w->s.now_us + sim_between(&rm->w->s, 100, 10 * MS), &rm->proc, SIM_IO,
           folder_work, f, 0);
}
