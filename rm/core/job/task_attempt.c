/* Tasks of jobs: attempts, retries, commit arbitration, map outputs. */
#include <stdlib.h>
#include <string.h>

#include "rm/core/state.h"

int64_t rm_task_count(const struct rm_job_spec *s, enum base_task_kind k)
{
    int64_t n = 0;

    for (size_t g = 0; g < s->groups_n; g++)
        if (s->groups[g].kind == k)
            n += s->groups[g].count;
    if (s->groups_n)
        return n;
    return k == BASE_TASK_MAP ? (int64_t)s->splits_n : s->reduces;
}

void rm_tasks_init(struct rm_core *c, struct rm_app *a)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        struct rm_phase *p = &a->phase[k];

        p->total = p->pending = (int32_t)rm_task_count(a->job, k);
        p->tasks = base_alloc((size_t)p->total * sizeof *p->tasks);
        rm_pick_init(c, a, k);
        for (int32_t i = 0; i < p->total; i++) {
            p->tasks[i] = (struct rm_task){.index = i,
                                           .kind = (uint8_t)k,
                                           .state = RM_TASK_PENDING,
                                           .node = RM_NONE,
                                           .last_attempt = -1,
                                           .commit_attempt = -1,
                                           .fetch_reduce = -1};
        }
        rm_pick_add_all(p);
    }
    if (!a->phase[BASE_TASK_REDUCE].total)
        return;
    a->out_log_cap = (size_t)a->phase[BASE_TASK_MAP].total; /* grows when maps are run again */
    a->out_log = base_alloc(a->out_log_cap * sizeof *a->out_log);
}

void rm_tasks_drop_index(struct rm_core *c, struct rm_app *a)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        rm_pick_free(c, &a->phase[k]);
}

void rm_tasks_free(struct rm_app *a)
{
    rm_tasks_drop_index(NULL, a);
    free(a->out_log);
    a->out_log = NULL;
    a->out_log_cap = 0;
    a->out_counter = 0; /* as after a restart: readers of outputs find none */
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        struct rm_phase *p = &a->phase[k];

        for (int32_t i = 0; p->tasks && i < p->total; i++) {
            free(p->tasks[i].diagnostics);
            free(p->tasks[i].bad);
        }
        for (int32_t i = 0; p->counters && i <= p->total / RM_COUNTER_BLOCK; i++)
            free(p->counters[i]);
        free(p->counters);
        free(p->tasks);
        p->tasks = NULL;
        p->counters = NULL;
    }
}

bool rm_tasks_kept(const struct rm_app *a)
{
    return a->phase[BASE_TASK_MAP].tasks || a->phase[BASE_TASK_REDUCE].tasks;
}

struct rm_task *rm_task_find(struct rm_app *a, enum base_task_kind kind, int32_t index)
{
    struct rm_phase *p = &a->phase[kind];

    return p->tasks && index >= 0 && index < p->total ? &p->tasks[index] : NULL;
}

struct rm_node *rm_task_node(const struct rm_core *c, const struct rm_app *a, const struct rm_task *t)
{
    struct rm_node *n = t->node == RM_NONE ? NULL : c->nodes[t->node];

    return n && a->nodes_left && n->born > a->nodes_left ? NULL : n; /* else another one has its index now */
}

int64_t *rm_task_counters(struct rm_app *a, const struct rm_task *t, bool make)
{
    struct rm_phase *p = &a->phase[t->kind];
    size_t block = (size_t)t->index / RM_COUNTER_BLOCK;

    if (!p->counters && make)
        p->counters = base_alloc(((size_t)p->total / RM_COUNTER_BLOCK + 1) * sizeof *p->counters);
    if (!p->counters)
        return NULL;
    if (!p->counters[block] && make)
        p->counters[block] = base_alloc(RM_COUNTER_BLOCK * RM_C_TASK_COUNTERS * sizeof **p->counters);
    return p->counters[block]
               ? p->counters[block] + (size_t)t->index % RM_COUNTER_BLOCK * RM_C_TASK_COUNTERS
               : NULL;
}

/* State and the phase's sums follow each other here and nowhere else. */
void rm_task_set_state(struct rm_app *a, struct rm_task *t, enum rm_task_state s)
{
    struct rm_phase *p = &a->phase[t->kind];

    base_assert(rm_task_edge((enum rm_task_state)t->state, s));
    p->pending += (s == RM_TASK_PENDING) - (t->state == RM_TASK_PENDING);
    p->kept -= rm_task_is_kept(t); /* none becomes one: who loses an attempt loses its right */
    p->running += (s == RM_TASK_RUNNING) - (t->state == RM_TASK_RUNNING);
    p->suspended += (s == RM_TASK_SUSPENDED) - (t->state == RM_TASK_SUSPENDED);
    p->succeeded += (s == RM_TASK_SUCCEEDED) - (t->state == RM_TASK_SUCCEEDED);
    t->state = (uint8_t)s;
}

static int32_t next_attempt(const struct rm_app *a, const struct rm_task *t)
{
    return t->next_attempt > a->attempt_base ? t->next_attempt : a->attempt_base;
}

void rm_task_launched(struct rm_core *c, struct rm_app *a, struct rm_task *t, struct rm_container *ct, bool again)
{
    ct->task = t;
    ct->task_attempt = again ? ct->task_attempt : next_attempt(a, t);
    t->running = ct;
    t->container_num = ct->id.num;
    t->node = ct->node->index;
    t->last_attempt = ct->task_attempt;
    t->attempts++;
    rm_pick_remove(a, t);
    rm_task_set_state(a, t, RM_TASK_RUNNING);
    if (t->commit_attempt >= 0 && t->commit_attempt != t->last_attempt) {
        t->commit_attempt = -1; /* its attempt ended; that it did was not durable before a restart */
        rm_record_commit(c, a, t);
    }
    t->exit_code = RM_EXIT_INVALID;
    t->finish_us = 0;
    t->start_us = ct->start_us;
    if (!a->pj.first_us)
        a->pj.first_us = ct->start_us;
    a->counters[t->kind == BASE_TASK_MAP ? RM_C_TOTAL_LAUNCHED_MAPS : RM_C_TOTAL_LAUNCHED_REDUCES]++;
    if (c->ops->on_task_started && a->in_policy)
        c->ops->on_task_started(c->policy, &a->pj, t->kind, t->index, t->node, c->now_us);
    if (a->state == RM_APP_ACCEPTED) {
        a->start_us = a->launch_us = ct->start_us;
        rm_app_set_state(c, a, RM_APP_RUNNING);
        rm_app_save(c, a);
    }
}

static void add_counters(struct rm_app *a, const int64_t *counters, int64_t sign)
{
    for (int i = 0; counters && i < RM_C_TASK_COUNTERS; i++)
        a->counters[i] = sign > 0 ? base_sat_add(a->counters[i], counters[i]) : base_sat_sub(a->counters[i], counters[i]);
}

/* Reduces may start: the gate opens once and stays open. */
static bool slowstart_reached(const struct rm_core *c, const struct rm_app *a)
{
    const struct rm_phase *maps = &a->phase[BASE_TASK_MAP];

    return (double)maps->succeeded >= c->slowstart * (double)maps->total;
}

static void attempt_over(struct rm_core *c, struct rm_task *t)
{
    t->running = NULL;
    t->finish_us = c->now_us;
    if (t->next_attempt <= t->last_attempt)
        t->next_attempt = t->last_attempt + 1;
}

/* No record: what an earlier instance gave is still not known to be over. */
void rm_task_give_way(struct rm_core *c, struct rm_app *a, struct rm_task *t)
{
    const struct rm_container *ct = t->running;

    t->running = NULL;
    rm_policy_task_ended(c, a, t, ct, NULL, false, true);
    a->counters[t->kind == BASE_TASK_MAP ? RM_C_KILLED_MAPS : RM_C_KILLED_REDUCES]++;
    if (a->attempt_base <= t->last_attempt)
        a->attempt_base = t->last_attempt + 1;
    rm_task_set_state(a, t, RM_TASK_PENDING);
    rm_pick_add(c, a, t);
    rm_app_counts(c, a, t->kind);
}

void rm_task_output_there(struct rm_core *c, struct rm_app *a, struct rm_task *t)
{
    base_array_grow(&a->out_log, (size_t)a->out_counter, &a->out_log_cap);
    a->out_log[a->out_counter++] = t->index;
    t->out_version = c->conf.epoch << 40 | a->out_counter;
}

void rm_task_succeeded(struct rm_core *c, struct rm_app *a, struct rm_task *t, struct rm_container *ct,
                       const struct rm_container_report *r)
{
    attempt_over(c, t);
    t->suspended_us = ct->suspended_us;
    t->exit_code = 0;
    t->fetch_failures = 0;
    t->fetch_reduce = -1;
    free(t->diagnostics);
    t->diagnostics = NULL;
    rm_task_set_state(a, t, RM_TASK_SUCCEEDED);
    if (t->kind == BASE_TASK_MAP && a->phase[BASE_TASK_MAP].succeeded == a->phase[BASE_TASK_MAP].total)
        a->pj.maps_done_us = c->now_us;
    rm_policy_task_ended(c, a, t, ct, r, true, false);
    if (r->counters) {
        memcpy(rm_task_counters(a, t, true), r->counters, RM_C_TASK_COUNTERS * sizeof *r->counters);
        add_counters(a, r->counters, 1);
    }
    if (t->kind == BASE_TASK_MAP && a->phase[BASE_TASK_REDUCE].total) {
        struct rm_effect *fx = rm_effect_add(c, RM_FX_MAP_OUTPUT);

        rm_task_output_there(c, a, t);
        fx->u.map_output.id = a->id;
        fx->u.map_output.version = t->out_version;
        if (!a->phase[BASE_TASK_REDUCE].open && slowstart_reached(c, a)) {
            a->phase[BASE_TASK_REDUCE].open = true;
            rm_app_counts(c, a, BASE_TASK_REDUCE);
        }
    }
    rm_record_task(c, a, t);
    rm_app_counts(c, a, t->kind);
}

bool rm_task_is_bad_on(const struct rm_task *t, uint32_t node)
{
    for (uint32_t i = 1; t->bad && i <= t->bad[0]; i++)
        if (t->bad[i] == node)
            return true;
    return false;
}

void rm_task_bad_add(struct rm_task *t, uint32_t node)
{
    uint32_t n = t->bad ? t->bad[0] : 0;

    if (rm_task_is_bad_on(t, node))
        return;
    if (n == RM_BAD_NODES_MAX) {
        memmove(t->bad + 1, t->bad + 2, (n - 1) * sizeof *t->bad);
        t->bad[n] = node;
        return;
    }
    t->bad = base_realloc_array(t->bad, n + 2, sizeof *t->bad);
    t->bad[0] = n + 1;
    t->bad[n + 1] = node;
}

/* The right to commit goes to another attempt: this one has ended and will not rename any more. */
static void drop_commit(struct rm_core *c, struct rm_app *a, struct rm_task *t)
{
    if (t->commit_attempt < 0)
        return;
    t->commit_attempt = -1;
    rm_record_commit(c, a, t);
}

static void job_fails(struct rm_core *c, struct rm_app *a, struct rm_task *t)
{
    struct base_task_id id = {a->id, t->kind, t->index};
    const struct rm_node *n = rm_task_node(c, a, t);
    char text[BASE_ID_TEXT_MAX];
    struct base_buf why = {0};

    base_buf_addf(&why, "Task %s failed %d times; last on node %s: %s", base_task_id_text(&id, text), t->failures,
                  n ? n->id : "unknown", t->diagnostics ? t->diagnostics : "no diagnostics");
    rm_job_end(c, a, RM_END_FAIL, why.data);
    base_buf_free(&why);
}

void rm_tasks_recall_failure(struct rm_core *c, struct rm_app *a)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS && a->ending == RM_END_NONE; k++)
        for (int32_t i = 0; i < a->phase[k].total && a->ending == RM_END_NONE; i++)
            if (a->phase[k].tasks[i].state == RM_TASK_FAILED)
                job_fails(c, a, &a->phase[k].tasks[i]);
}

static int32_t attempts_max(const struct rm_core *c, const struct rm_app *a)
{
    return a->job->max_attempts > 0 ? a->job->max_attempts : c->conf.task_attempts_max;
}

/* Other nodes are tried first from now on. */
static void avoid(struct rm_app *a, struct rm_task *t, uint32_t node)
{
    if (!a->phase[t->kind].bits)
        return;
    a->phase[t->kind].avoiding++;
    rm_task_bad_add(t, node);
}

void rm_task_failed(struct rm_core *c, struct rm_app *a, struct rm_task *t, struct rm_container *ct, bool counts,
                    bool killed, const char *why)
{
    bool map = t->kind == BASE_TASK_MAP, live = rm_app_live(a);

    attempt_over(c, t);
    rm_policy_task_ended(c, a, t, ct, NULL, false, killed);
    t->exit_code = ct->exit_code;
    rm_set_diagnostics(&t->diagnostics, why);
    if (killed)
        a->counters[map ? RM_C_KILLED_MAPS : RM_C_KILLED_REDUCES]++;
    else
        a->counters[map ? RM_C_FAILED_MAPS : RM_C_FAILED_REDUCES]++;
    t->failures += counts;
    if (!killed)
        avoid(a, t, ct->node->index);
    drop_commit(c, a, t);
    if (t->failures >= attempts_max(c, a) && live) {
        rm_task_set_state(a, t, RM_TASK_FAILED);
        rm_record_task(c, a, t);
        rm_app_counts(c, a, t->kind);
        job_fails(c, a, t);
        return;
    }
    rm_task_set_state(a, t, live ? RM_TASK_PENDING : RM_TASK_KILLED);
    if (live)
        rm_pick_add(c, a, t);
    rm_record_task(c, a, t);
    rm_app_counts(c, a, t->kind);
}

/* A map has not succeeded after all: @next is PENDING or FAILED. */
static void take_back(struct rm_core *c, struct rm_app *a, struct rm_task *t, enum rm_task_state next, const char *why)
{
    struct base_task_id id = {a->id, BASE_TASK_MAP, t->index};
    char text[BASE_ID_TEXT_MAX];
    int64_t *counters = rm_task_counters(a, t, false);

    rm_note(c, 5, "%s %s: %s", base_task_id_text(&id, text),
            next == RM_TASK_FAILED ? "has failed" : "is run again", why);
    add_counters(a, counters, -1);
    if (counters)
        memset(counters, 0, RM_C_TASK_COUNTERS * sizeof *counters);
    t->out_version = 0;
    t->fetch_failures = 0;
    t->fetch_reduce = -1;
    rm_set_diagnostics(&t->diagnostics, why);
    drop_commit(c, a, t);
    rm_task_set_state(a, t, next);
    a->pj.maps_done_us = 0;
    if (next == RM_TASK_PENDING)
        rm_pick_add(c, a, t);
    rm_record_task(c, a, t);
    rm_app_counts(c, a, BASE_TASK_MAP);
}

void rm_task_rerun(struct rm_core *c, struct rm_app *a, struct rm_task *t, const char *why)
{
    a->counters[RM_C_KILLED_MAPS]++;
    take_back(c, a, t, RM_TASK_PENDING, why);
}

/* A map's output is needed as long as some reduce has not ended well. */
static bool output_needed(const struct rm_app *a, const struct rm_task *t)
{
    const struct rm_phase *reduces = &a->phase[BASE_TASK_REDUCE];

    return rm_app_live(a) && !a->committing && t->kind == BASE_TASK_MAP && t->state == RM_TASK_SUCCEEDED &&
           reduces->succeeded < reduces->total;
}

void rm_task_node_outputs_lost(struct rm_core *c, struct rm_node *n, const char *why)
{
    for (size_t i = 0; i < c->apps_n; i++) {
        struct rm_app *a = c->apps[i];
        struct rm_phase *maps = &a->phase[BASE_TASK_MAP];

        if (!a->is_job || !rm_app_live(a))
            continue;
        for (int32_t j = 0; j < maps->total; j++)
            if (maps->tasks[j].node == n->index && output_needed(a, &maps->tasks[j]))
                rm_task_rerun(c, a, &maps->tasks[j], why);
    }
}

void rm_task_on_commit(struct rm_core *c, const struct rm_event *ev)
{
    const struct base_task_id *id = &ev->u.task_commit.task;
    struct rm_app *a = rm_app_find(c, id->app);
    struct rm_task *t = a ? rm_task_find(a, id->kind, id->index) : NULL;
    char text[BASE_ID_TEXT_MAX];
    struct rm_effect *fx;
    uint64_t after = c->seq;
    bool yes;

    if (!t && !(a && a->pruned)) {
        rm_reply_error(c, ev->token, -BASE_ENOTFOUND, "task: %s is not known", base_task_id_text(id, text));
        return;
    }
    if (!t) { /* its job has ended */
        rm_reply(c, ev->token, RM_REPLY_FLAG, 0)->u.reply.app_id = a->id;
        return;
    }
    if (t->commit_attempt < 0 && rm_app_live(a) && t->running && t->last_attempt == ev->u.task_commit.attempt &&
        !t->running->killing) {
        t->commit_attempt = ev->u.task_commit.attempt;
        after = rm_record_commit(c, a, t);
    }
    yes = t->commit_attempt >= 0 && t->commit_attempt == ev->u.task_commit.attempt && rm_app_live(a);
    fx = rm_reply(c, ev->token, RM_REPLY_FLAG, yes ? after : 0);
    fx->u.reply.app_id = a->id;
    fx->u.reply.flag = yes;
}

/* Heard of lately: what it does not serve is its fault, not that of a host that is down. */
static bool node_speaks(const struct rm_core *c, const struct rm_app *a, const struct rm_task *t)
{
    const struct rm_node *n = rm_task_node(c, a, t);

    return n && n->registered && c->now_us - n->last_us <= 2 * c->conf.heartbeat_us;
}

/* A map whose output cannot be had from a node that is up has failed there: it is run elsewhere, at most as often as
 * any failed task. On a silent node the map has done nothing wrong: it is run elsewhere now, or with all that the node
 * had when the node is given up. */
static void fetch_failed(struct rm_core *c, struct rm_app *a, struct rm_task *t)
{
    static const char why[] = "reduces could not fetch its output";

    if (!node_speaks(c, a, t)) {
        rm_task_rerun(c, a, t, why);
        return;
    }
    t->failures++;
    a->counters[RM_C_FAILED_MAPS]++;
    avoid(a, t, t->node);
    if (t->failures < attempts_max(c, a)) {
        take_back(c, a, t, RM_TASK_PENDING, why);
        return;
    }
    take_back(c, a, t, RM_TASK_FAILED, why);
    job_fails(c, a, t);
}

void rm_task_on_fetch_failure(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_app *a = rm_app_find(c, ev->u.fetch_failure.app);
    struct rm_task *t = a ? rm_task_find(a, BASE_TASK_MAP, ev->u.fetch_failure.map) : NULL;
    char id[BASE_ID_TEXT_MAX];

    if (!t) {
        rm_reply_error(c, ev->token, -BASE_ENOTFOUND, "map %d of %s is not known", ev->u.fetch_failure.map,
                       base_app_id_text(&ev->u.fetch_failure.app, id));
        return;
    }
    if (output_needed(a, t) && t->last_attempt == ev->u.fetch_failure.attempt) {
        if (!t->fetch_failures || t->fetch_reduce != ev->u.fetch_failure.reduce.index ||
            a->phase[BASE_TASK_REDUCE].running <= 1) /* nobody else could say so */
            t->fetch_failures++;
        t->fetch_reduce = ev->u.fetch_failure.reduce.index;
        if (ev->u.fetch_failure.gone || t->fetch_failures >= RM_FETCH_FAILURES_MAX)
            fetch_failed(c, a, t);
    }
    rm_reply(c, ev->token, RM_REPLY_OK, c->seq);
}
