/* Processes: tasks as creel-task runs them (fetch, work, commit), and masters of plain
 * applications. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/sim/sim_nm.h"
#include "tests/sim/sim_rm.h"

#define RETRY_FIRST_US (50 * MS)
#define RETRY_MAX_US   (1 * S)
#define ASK_TIMEOUT_US (3 * S)
#define FETCH_TRIES    3

static void fetch(struct sim_box *b);
static void master_next(struct sim_box *b);

/* ---------------------------------------------------------------- asking RMs */
static void ask_now(struct sim_asker *a);

static void ask_again(void *arg, uint64_t tag)
{
    struct sim_asker *a = arg;

    if (a->gen == tag)
        ask_now(a);
}

static void ask_later(struct sim_asker *a)
{
    struct sim *s = &a->w->s;

    a->hops = 0;
    sim_at(s, s->now_us + a->pause_us, a->proc, SIM_SERVICE, ask_again, a, a->gen);
    a->pause_us = a->pause_us * 2 < RETRY_MAX_US ? a->pause_us * 2 : RETRY_MAX_US;
}

static bool is_error(const struct sim_answer *a, int code)
{
    return a->fx && a->fx->kind == RM_FX_REPLY && a->fx->u.reply.kind == RM_REPLY_ERROR &&
           a->fx->u.reply.code == code;
}

/* Returns true when the answer cannot be trusted. A refusal needs nothing durable: without a lease
 * it may come from an RM that was deposed and knows less than others. */
static bool misleads(const struct sim_world *w, const struct sim_answer *a)
{
    const struct rm_effect *fx = a->fx;

    return w->lease_off && a->epoch < w->epoch_max && fx && fx->kind == RM_FX_REPLY &&
           (fx->u.reply.kind == RM_REPLY_ERROR ||
            ((fx->u.reply.kind == RM_REPLY_FLAG || fx->u.reply.kind == RM_REPLY_SPLITS) &&
             !fx->u.reply.flag));
}

static void ask_answered(void *user, uint64_t tag, enum sim_outcome how, void *answer)
{
    struct sim_asker *a = user;
    const struct sim_answer *got = answer;

    if (a->gen != tag)
        return;
    if (how == SIM_ANSWERED && got->status == SIM_MOVED && got->rm >= 0 && a->hops++ < 3) {
        a->at = got->rm;
        ask_now(a);
    } else if (how == SIM_ANSWERED && got->status == SIM_OK && !is_error(got, -BASE_EVERSION) &&
               !misleads(a->w, got)) {
        a->gen++;
        a->fn(a->user, got);
    } else {
        a->at = (a->at + 1) % a->w->rms;
        ask_later(a);
    }
}

static void ask_now(struct sim_asker *a)
{
    sim_call(&a->w->net, a->proc, SIM_SERVICE, &a->w->rm[a->at]->proc, a->rq, ASK_TIMEOUT_US,
             ask_answered, a, a->gen);
}

void sim_ask(struct sim_asker *a, struct sim_request *rq)
{
    a->rq = rq;
    a->gen++;
    a->hops = 0;
    a->pause_us = RETRY_FIRST_US;
    ask_now(a);
}

struct sim_request *sim_box_request(struct sim_box *b, enum rm_event_kind kind)
{
    struct sim_request *rq = sim_alloc(&b->w->s, sizeof *rq);

    rq->ev.kind = kind;
    rq->job = b->job->index;
    return rq;
}

/* ---------------------------------------------------------------- ends */
void sim_box_exit(struct sim_box *b, int code)
{
    char id[BASE_ID_TEXT_MAX];

    if (b->ended)
        return;
    b->ended = true;
    b->exit_code = code;
    b->phase = BOX_DONE;
    b->gen++;
    sim_log(&b->w->s, "%s: %s ends with %d", b->nm->proc.name, base_container_id_text(&b->id, id),
            code);
    sim_proc_kill(&b->w->s, &b->proc);
    sim_net_died(&b->w->net, &b->proc);
    sim_nm_box_ended(b->nm, b);
}

void sim_box_vanish(struct sim_box *b)
{
    b->ended = true;
    b->exit_code = NM_EXIT_LOST;
    b->gen++;
    sim_proc_kill(&b->w->s, &b->proc);
    sim_net_died(&b->w->net, &b->proc);
}

static void dies(void *arg, uint64_t tag)
{
    sim_box_exit(arg, (int)tag);
}

/* Ends the work, unless the process was stopped meanwhile and so has some of it left. */
static void work_over(void *arg, uint64_t tag);

static void work_go(struct sim_box *b)
{
    b->since_us = b->w->s.now_us;
    sim_at(&b->w->s, b->since_us + b->work_left_us, NULL, SIM_SERVICE, work_over, b, ++b->gen);
}

size_t sim_box_signal(struct sim_box *b, enum nm_signal sig)
{
    struct sim *s = &b->w->s;

    if (b->ended)
        return 0;
    switch (sig) {
    case NM_SIGNAL_STOP:
        if (!b->proc.stopped && b->phase == BOX_WORKS) {
            b->work_left_us -= s->now_us - b->since_us;
            b->gen++;
        }
        sim_proc_stop(s, &b->proc);
        break;
    case NM_SIGNAL_CONT:
        if (b->proc.stopped && b->phase == BOX_WORKS)
            work_go(b);
        sim_proc_cont(s, &b->proc);
        break;
    case NM_SIGNAL_TERM:
        if (!b->terminating && sim_chance(s, 800)) {
            b->terminating = true;
            sim_at(s, s->now_us + sim_between(s, 1 * MS, 60 * MS), &b->proc, SIM_SERVICE, dies, b,
                   143);
        }
        break;
    case NM_SIGNAL_KILL:
        sim_box_exit(b, 137);
        break;
    case NM_SIGNAL_DUMP: /* the process writes its stacks and goes on */
        break;
    }
    return 1;
}

/* ---------------------------------------------------------------- commit */
static void commit(struct sim_box *b);

static void rename_part(struct sim_box *b)
{
    struct sim_job *j = b->job;
    char id[BASE_ID_TEXT_MAX];

    if (!j->temporary) {
        sim_box_exit(b, 1); /* the temporary folder is gone: the job has ended */
        return;
    }
    sim_log(&b->w->s, "%s leaves its part: job %d, task %d", base_container_id_text(&b->id, id),
            j->index, b->index);
    b->line->renamed = true;
    b->task->renames++;
    if (b->w->breaks.shared_parts)
        b->task->part = b->line;
    b->w->totals->commits++;
    if (j->success)
        sim_violated(&b->w->s, "I2", "%s wrote into the output of job %d after it was committed",
                     base_container_id_text(&b->id, id), j->index);
    sim_box_exit(b, 0);
}

static void renames(void *arg, uint64_t tag)
{
    (void)tag;
    rename_part(arg);
}

static void commit_again(void *arg, uint64_t tag)
{
    (void)tag;
    commit(arg);
}

static void commit_answered(void *user, const struct sim_answer *a)
{
    struct sim_box *b = user;
    int64_t most_us;

    if (a->fx->u.reply.kind != RM_REPLY_FLAG) {
        sim_at(&b->w->s, b->w->s.now_us + RETRY_MAX_US, &b->proc, SIM_SERVICE, commit_again, b, 0);
        return;
    }
    if (!a->fx->u.reply.flag) {
        sim_box_exit(b, 3);
        return;
    }
    sim_check_granted(b->w, b);
    most_us = sim_faults_granted(b->w, b->nm);
    sim_at(&b->w->s, b->w->s.now_us + sim_between(&b->w->s, 100, most_us), &b->proc, SIM_SERVICE,
           renames, b, 0);
}

static void commit(struct sim_box *b)
{
    struct sim_request *rq = sim_box_request(b, RM_EV_TASK_COMMIT);

    b->phase = BOX_COMMITS;
    rq->ev.u.task_commit.task = (struct base_task_id){b->job->id, b->slot, b->index};
    rq->ev.u.task_commit.attempt = b->attempt;
    b->ask.fn = commit_answered;
    sim_ask(&b->ask, rq);
}

/* ---------------------------------------------------------------- work */
static bool writes_part(const struct sim_box *b)
{
    return b->job->output && (b->slot == BASE_TASK_REDUCE || !b->job->tasks_n[BASE_TASK_REDUCE]);
}

static void work_done(void *arg, uint64_t tag)
{
    struct sim_box *b = arg;
    bool fails = b->job->failing && b->slot == BASE_TASK_MAP && b->index == 0;

    (void)tag;
    if (fails || (b->task && !b->attempt && sim_chance(&b->w->s, 30)))
        sim_box_exit(b, 1);
    else if (b->task && writes_part(b))
        commit(b);
    else
        sim_box_exit(b, 0);
}

/* The work time is over. work_done() runs as an event of the process itself, so it waits while the
 * process is stopped. */
static void work_over(void *arg, uint64_t tag)
{
    struct sim_box *b = arg;

    if (b->ended || b->gen != tag)
        return;
    b->work_left_us = 0;
    sim_at(&b->w->s, b->w->s.now_us, &b->proc, SIM_SERVICE, work_done, b, 0);
}

static void work(struct sim_box *b)
{
    b->phase = BOX_WORKS;
    b->work_left_us = sim_between(&b->w->s, b->job->work_us / 2, b->job->work_us * 3 / 2);
    work_go(b);
}

/* ---------------------------------------------------------------- shuffle */
static void fetch_again(void *arg, uint64_t tag)
{
    (void)tag;
    fetch(arg);
}

static void fetch_later(struct sim_box *b, int64_t us)
{
    sim_at(&b->w->s, b->w->s.now_us + us, &b->proc, SIM_SERVICE, fetch_again, b, 0);
}

static void failure_told(void *user, const struct sim_answer *a)
{
    (void)a;
    fetch_later(user, 200 * MS);
}

static void tell_failure(struct sim_box *b, int map)
{
    struct sim_request *rq = sim_box_request(b, RM_EV_FETCH_FAILURE);

    rq->ev.u.fetch_failure.app = b->job->id;
    rq->ev.u.fetch_failure.map = map;
    rq->ev.u.fetch_failure.attempt = b->source[map].attempt;
    rq->ev.u.fetch_failure.gone =
        b->w->nm[b->source[map].node].proc.up && !b->w->nm[b->source[map].node].proc.stopped;
    rq->ev.u.fetch_failure.reduce = (struct base_task_id){b->job->id, BASE_TASK_REDUCE, b->index};
    b->source[map].tries = 0;
    b->source[map].known = false;
    b->ask.fn = failure_told;
    sim_ask(&b->ask, rq);
}

static void outputs_told(void *user, const struct sim_answer *a)
{
    struct sim_box *b = user;

    for (size_t i = 0; i < a->outputs_n; i++) {
        const struct rm_map_output_view *o = &a->outputs[i];
        int node = 0;

        if (o->map < 0 || o->map >= W_TASKS || sscanf(o->node_http, "node%d", &node) != 1)
            continue;
        b->source[o->map].known = true;
        b->source[o->map].attempt = o->attempt;
        b->source[o->map].node = node;
        b->source[o->map].id = o->container;
    }
    for (int m = 0; m < b->job->tasks_n[BASE_TASK_MAP]; m++) {
        if (b->fetched[m] || !b->source[m].known)
            continue;
        if (sim_nm_serves(&b->w->nm[b->source[m].node], &b->source[m].id)) {
            b->fetched[m] = true;
            b->fetched_n++;
        } else if (++b->source[m].tries >= FETCH_TRIES) {
            tell_failure(b, m);
            return;
        }
    }
    fetch_later(b, 100 * MS);
}

static void fetch(struct sim_box *b)
{
    struct sim_request *rq;

    if (b->fetched_n == b->job->tasks_n[BASE_TASK_MAP]) {
        work(b);
        return;
    }
    rq = sim_box_request(b, RM_EV_TIMER);
    rq->outputs = true;
    b->ask.fn = outputs_told;
    sim_ask(&b->ask, rq);
}

/* ---------------------------------------------------------------- masters */
static void master_later(void *arg, uint64_t tag)
{
    (void)tag;
    master_next(arg);
}

static void master_pause(struct sim_box *b)
{
    sim_at(&b->w->s, b->w->s.now_us + sim_between(&b->w->s, 50 * MS, 150 * MS), &b->proc,
           SIM_SERVICE, master_later, b, 0);
}

static void register_again(struct sim_box *b)
{
    b->registered = false;
    b->response_id = 0;
    master_pause(b);
}

static bool has_ended(const struct sim_box *b, const struct base_container_id *id)
{
    for (int i = 0; i < b->seen_n; i++)
        if (base_container_id_cmp(&b->seen[i], id) == 0)
            return true;
    return false;
}

/* Computes how many containers the master still needs besides those in @v. */
static void take_list(struct sim_box *b, const struct rm_allocated *v, size_t n)
{
    b->outstanding = b->wanted - b->done;
    for (size_t i = 0; i < n && !b->w->breaks.deaf_masters; i++)
        b->outstanding -= !has_ended(b, &v[i].id);
    b->outstanding = b->outstanding > 0 ? b->outstanding : 0;
    b->ask_due = true;
}

static void registered(void *user, const struct sim_answer *a)
{
    struct sim_box *b = user;

    if (a->fx->u.reply.kind == RM_REPLY_AM_REGISTERED) {
        b->registered = true;
        take_list(b, a->fx->u.reply.am.previous, a->fx->u.reply.am.previous_n);
    } else if (is_error(a, -BASE_ENOTFOUND)) {
        sim_box_exit(b, 1); /* another attempt has taken over */
        return;
    }
    master_pause(b);
}

static void completed(struct sim_box *b, const struct rm_completed *c)
{
    if (has_ended(b, &c->id))
        return;
    if (b->seen_n < (int)(sizeof b->seen / sizeof *b->seen))
        b->seen[b->seen_n++] = c->id;
    if (c->exit_status == 0) {
        b->done++;
    } else {
        b->outstanding++;
        b->ask_due = b->asked_more = true;
    }
}

static void allocated(void *user, const struct sim_answer *a)
{
    struct sim_box *b = user;
    const char *command;

    if (a->fx->u.reply.kind != RM_REPLY_ALLOCATED) {
        if (is_error(a, -BASE_ENOTFOUND))
            sim_box_exit(b, 1);
        else
            register_again(b);
        return;
    }
    command = a->fx->u.reply.allocate.command;
    b->response_id = a->fx->u.reply.allocate.response_id;
    if (command && strcmp(command, "shutdown") == 0) {
        sim_box_exit(b, 0);
        return;
    }
    if (command && strcmp(command, "resync") == 0) {
        register_again(b);
        return;
    }
    b->ask_due = false;
    for (size_t i = 0; i < a->fx->u.reply.allocate.allocated_n; i++)
        b->outstanding -= !has_ended(b, &a->fx->u.reply.allocate.allocated[i].id);
    for (size_t i = 0; i < a->fx->u.reply.allocate.completed_n; i++)
        completed(b, &a->fx->u.reply.allocate.completed[i]);
    b->outstanding = b->outstanding > 0 ? b->outstanding : 0;
    master_pause(b);
}

static void finished(void *user, const struct sim_answer *a)
{
    struct sim_box *b = user;

    if (a->fx->u.reply.kind == RM_REPLY_AM_FINISHED || is_error(a, -BASE_ENOTFOUND)) {
        sim_box_exit(b, 0);
        return;
    }
    b->registered = false;
    master_pause(b);
}

static void master_allocate(struct sim_box *b)
{
    struct sim_request *rq = sim_box_request(b, RM_EV_AM_ALLOCATE);
    struct rm_ask *ask = sim_alloc(&b->w->s, sizeof *ask);

    *ask = (struct rm_ask){.priority = b->job->is_mapreduce ? 20 : 1,
                           .resource_name = "*",
                           .capability = {{512, 1, 0, 0}},
                           .containers = b->outstanding,
                           .relax_locality = true};
    rq->ev.u.am_allocate.attempt = b->id.attempt;
    rq->ev.u.am_allocate.response_id = b->response_id;
    rq->ev.u.am_allocate.asks = ask;
    rq->ev.u.am_allocate.asks_n = b->ask_due;
    b->ask.fn = allocated;
    sim_ask(&b->ask, rq);
}

static void master_next(struct sim_box *b)
{
    struct sim_request *rq;

    if (!b->registered) {
        rq = sim_box_request(b, RM_EV_AM_REGISTER);
        rq->ev.u.am_register.attempt = b->id.attempt;
        rq->ev.u.am_register.host = b->nm->host;
        rq->ev.u.am_register.tracking_url = "";
        b->ask.fn = registered;
    } else if (b->done >= b->wanted) {
        sim_check_finishes(b->w, b);
        rq = sim_box_request(b, RM_EV_AM_FINISH);
        rq->ev.u.am_finish.attempt = b->id.attempt;
        rq->ev.u.am_finish.status = RM_FINAL_SUCCEEDED;
        b->ask.fn = finished;
    } else {
        master_allocate(b);
        return;
    }
    sim_ask(&b->ask, rq);
}

/* ---------------------------------------------------------------- birth */
static struct sim_attempt *line_of(struct sim_task *t, const struct base_container_id *id)
{
    for (int i = 0; i < t->n; i++)
        if (base_container_id_cmp(&t->v[i].id, id) == 0)
            return &t->v[i];
    return NULL;
}

static void begin(void *arg, uint64_t tag)
{
    struct sim_box *b = arg;

    (void)tag;
    if (b->step)
        sim_step_begin(b);
    else if (b->master)
        master_next(b);
    else if (b->task && b->slot == BASE_TASK_REDUCE && b->job->tasks_n[BASE_TASK_MAP])
        fetch(b);
    else
        work(b);
}

static void no_requests(void *self, struct sim_call *call)
{
    (void)self;
    (void)call;
}

struct sim_box *sim_box_start(struct sim_nm *nm, struct sim_disk_box *d)
{
    struct sim_world *w = nm->w;
    struct sim_box *b = sim_alloc(&w->s, sizeof *b);
    struct base_task_id task;

    b->w = w;
    b->nm = nm;
    b->id = d->id;
    b->job = sim_job_of(w, d->id.attempt.app);
    b->slot = d->launch.slot == BASE_TASK_REDUCE ? BASE_TASK_REDUCE : BASE_TASK_MAP;
    b->master = d->launch.kind == BASE_CONTAINER_MASTER;
    b->step = base_job_step_of_kind(d->launch.kind);
    b->wanted = b->outstanding = b->job->tasks_n[BASE_TASK_MAP];
    b->attempt = (int32_t)d->launch.task_attempt;
    if (d->launch.task && base_task_id_parse(d->launch.task, &task, NULL) == 0) {
        b->index = task.index;
        b->task = &b->job->tasks[b->slot][task.index];
        b->line = line_of(b->task, &b->id);
        b->line->box = b;
    }
    snprintf(b->proc.name, sizeof b->proc.name, "p%d", w->boxes_n);
    b->proc.host = nm->proc.host;
    b->proc.self = b;
    b->proc.serve = no_requests;
    sim_proc_start(&w->s, &b->proc);
    b->ask = (struct sim_asker){
        .w = w, .proc = &b->proc, .user = b, .at = (int)sim_rnd(&w->s, (uint64_t)w->rms)};
    base_assert(w->boxes_n < (int)(sizeof w->boxes / sizeof *w->boxes));
    w->boxes[w->boxes_n++] = b;
    b->since_us = b->born_us = w->s.now_us;
    sim_at(&w->s, w->s.now_us + sim_between(&w->s, 100, 5 * MS), &b->proc, SIM_SERVICE, begin, b,
           0);
    return b;
}
