/* Goal: properties that every policy must have, through the real core. Method: small random
 * clusters and workloads, drawn by a seed, for each policy of the registry; the engine runs them to
 * their end with heartbeats at every change, every 3 s, or every 3 s with extra ones; then the
 * event log is read line by line: the slots of a node are never exceeded; every task completes
 * exactly once, in the time it takes; a suspended task resumes on its node; only a kill ends an
 * attempt before its work is done; every job ends, or is refused and never runs; FIFO passes no job
 * over; no slot stays idle while a task waits that nothing holds back, except on one node for each
 * job with a wide task that waits, in fewer slots than it takes; no answer of the policy is
 * overruled; no mean sojourn is below the lower bound; equal seeds produce equal logs; RTMR keeps
 * its promises where its conditions hold; a job with
 * wide tasks starts soon, however many narrow tasks wait; under naive-fair and fair, equal jobs end
 * within one task's time of each other. usage: test_sim_properties [SEEDS]: number of seeds for
 * each policy (1,000). A breach prints policy and seed; CREEL_SEED=n runs that seed alone,
 * CREEL_POLICY=name that policy. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/options.h"
#include "policies/policy.h"
#include "policies/registry.h"
#include "sim/engine/rng.h"
#include "sim/engine/sim.h"
#include "tests/sim/log_to_buffer.h"
#include "tests/unit/cunit_main.h"

#define S         INT64_C(1000000)
#define NODES_MAX 6
#define JOBS_MAX  8
#define TASKS_MAX 16
#define SAID_MAX  20 /* most breaches that are printed */

static uint64_t seeds = 1000;
static int said;

enum mode { AT_ONCE, BEATS, BEATS_AND_EXTRA, MODES };
enum task_state { PENDING, RUNNING, SUSPENDED, DONE };

struct task {
    enum task_state state;
    int32_t node, kills;
    int64_t since_us, ran_us; /* ran_us: of this attempt; a reduce's counts from the last map */
    bool local;
};
struct job {
    struct sim_job spec; /* the engine owns what it points to */
    int64_t exact_us[BASE_TASK_KINDS][TASKS_MAX];
    struct task task[BASE_TASK_KINDS][TASKS_MAX];
    int32_t done[BASE_TASK_KINDS], turn; /* turn: its place in the order of submission */
    int64_t submit_us, maps_done_us, finish_us;
    bool submitted, finished, refused;
    struct sim_job_result r;
};
struct world {
    const struct policy_ops *ops;
    uint64_t seed;
    struct sim_rng rng;
    struct sim_conf conf;
    struct policy_conf options;
    struct sim_group group[2];
    enum mode mode;
    bool plain; /* the policy's defaults, without waiting for locality: nothing is held back */
    bool timed; /* deadlines that can be promised: exact times known beforehand, nodes of nominal
                   speed, nothing that disturbs */
    struct job job[JOBS_MAX];
    int32_t jobs_n, given, turns;
    int32_t slots[NODES_MAX][BASE_TASK_KINDS], used[NODES_MAX][BASE_TASK_KINDS], nodes_n;
    int64_t now_us;
    struct base_buf text;
    struct sim_log log;
    struct sim_totals totals;
    int bad;
};

static uint32_t rnd(struct world *w, uint32_t below)
{
    return below ? (uint32_t)sim_rng_below(&w->rng, below) : 0;
}

static bool one_in(struct world *w, uint32_t n)
{
    return rnd(w, n) == 0;
}

static void breach(struct world *w, const char *what, const struct job *j)
{
    w->bad++;
    if (said++ < SAID_MAX)
        printf("\n    %s, seed %llu, %lld us: job %d %s", w->ops->name, (unsigned long long)w->seed,
               (long long)w->now_us, j ? (int)(j - w->job) + 1 : 0, what);
}

/* ---------------------------------------------------------------- random settings */
static void set(struct world *w, const char *name, const char *value)
{
    struct base_error err;

    if (policy_conf_set(&w->options, name, value, &err) < 0) {
        printf("\n    %s", err.text);
        breach(w, "refuses a setting", NULL);
    }
}

static void set_any_word(struct world *w, const struct policy_option *o)
{
    char word[64];
    const char *at = o->words;
    uint32_t n = 1;

    for (const char *c = o->words; *c; c++)
        n += *c == ',';
    for (n = rnd(w, n); n > 0; n--)
        at = strchr(at, ',') + 1;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
    set(w, o->name, word);
}

/* Sets options at random: any word, any switch, and some times divided by ten, in proportion to
 * these short tasks. */
static void set_options(struct world *w)
{
    struct base_error err;

    for (const struct policy_option *o = w->ops->options; o && o->name; o++) {
        char value[32];

        if (o->type == POLICY_OPT_WORD)
            set_any_word(w, o);
        else if (o->type == POLICY_OPT_BOOL)
            set(w, o->name, one_in(w, 2) ? "true" : "false");
        else if (o->type == POLICY_OPT_SECONDS && atof(o->value) / 10 > o->min && one_in(w, 2)) {
            snprintf(value, sizeof value, "%g", atof(o->value) / 10);
            set(w, o->name, value);
        }
    }
    if (w->ops->check_conf && w->ops->check_conf(&w->options, &err) < 0)
        policy_conf_free(&w->options);
}

/* ---------------------------------------------------------------- random cluster and workload */
static int next(void *self, struct sim_job *out, struct base_error *err)
{
    struct world *w = self;

    (void)err;
    if (w->given == w->jobs_n)
        return 0;
    *out = w->job[w->given++].spec;
    return 1;
}

static void on_job(void *ctx, const struct sim_job_result *r)
{
    struct world *w = ctx;
    struct job *j = &w->job[r->id - 1];

    if (j->finished)
        breach(w, "ends twice", j);
    j->finished = true;
    j->r = *r;
}

/* Has the fair share of every queue enforced after 2 s. */
static void impatient(void *ctx, struct rm_core_conf *core)
{
    (void)ctx;
    for (size_t i = 0; i < core->tree->n; i++)
        core->tree->v[i].fair_timeout_us = 2 * S;
}

static void rnd_cluster(struct world *w)
{
    static const double speeds[] = {1, 1, 0.5, 1.5, 2};
    int groups = w->timed ? 1 : 1 + (int)rnd(w, 2);
    int32_t reduces = (int32_t)rnd(w, 3);

    for (int g = 0; g < groups; g++) {
        w->group[g] = (struct sim_group){.nodes = 1 + (int32_t)rnd(w, NODES_MAX / 2),
                                         .slots = {1 + (int32_t)rnd(w, 3), reduces},
                                         .speed = w->timed ? 1 : speeds[rnd(w, 5)]};
        for (int32_t i = 0; i < w->group[g].nodes; i++, w->nodes_n++)
            memcpy(w->slots[w->nodes_n], w->group[g].slots, sizeof w->group[g].slots);
    }
    w->conf.cluster.groups = w->group;
    w->conf.cluster.groups_n = (size_t)groups;
    w->conf.cluster.racks = 1 + (int32_t)rnd(w, (uint32_t)w->nodes_n);
    w->mode = w->timed && one_in(w, 2) ? BEATS_AND_EXTRA : w->timed ? AT_ONCE : rnd(w, MODES);
    w->conf.cluster.heartbeat_us = w->mode == AT_ONCE ? SIM_HEARTBEAT_ZERO : 3 * S;
    w->conf.cluster.oob = w->mode == BEATS_AND_EXTRA;
}

static void rnd_times(struct world *w, struct job *j, int k)
{
    uint32_t longest = one_in(w, 3) ? 200 : 40;

    j->spec.base_us[k] = (1 + (int64_t)rnd(w, longest)) * S / 10;
    j->spec.cv[k] = one_in(w, 2) ? 0.3 : 0;
    if (w->timed || one_in(w, 2)) {
        j->spec.task_us[k] = base_alloc(TASKS_MAX * sizeof *j->spec.task_us[k]);
        for (int32_t i = 0; i < TASKS_MAX; i++)
            j->spec.task_us[k][i] = j->exact_us[k][i] = (1 + (int64_t)rnd(w, longest)) * S / 10;
    }
    if (w->timed || one_in(w, 2))
        j->spec.expected_us[k] = SIM_EXPECT_TRUE;
}

/* In every third world, unless the policy has single slots only, about half of the jobs have tasks
 * that take a random number of slots, at most as many as some node has. The draws have a generator
 * of their own, so that no other draw changes. */
static void rnd_width(struct world *w, struct job *j)
{
    struct sim_rng rng = sim_rng_seed(w->seed * JOBS_MAX + (uint64_t)(j - w->job), 14);
    int32_t most[BASE_TASK_KINDS] = {0}, width;

    for (int32_t i = 0; i < w->nodes_n; i++)
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            most[k] = w->slots[i][k] > most[k] ? w->slots[i][k] : most[k];
    width = most[BASE_TASK_MAP];
    if (j->spec.tasks[BASE_TASK_REDUCE] && most[BASE_TASK_REDUCE] < width)
        width = most[BASE_TASK_REDUCE];
    if (w->seed % 3 == 0 && !w->ops->single_slots && sim_rng_below(&rng, 2))
        j->spec.slots = 1 + (int32_t)sim_rng_below(&rng, (uint64_t)width);
}

static void rnd_job(struct world *w, struct job *j, int64_t at_us)
{
    static const char *const pools[] = {"", "a", "b", "c"};
    static const double weights[] = {1, 1, 2, 0.5};
    bool reduces = w->group[0].slots[BASE_TASK_REDUCE] > 0;

    sim_job_init(&j->spec);
    j->spec.submit_us = at_us;
    j->spec.tasks[BASE_TASK_REDUCE] = reduces && one_in(w, 2) ? 1 + (int32_t)rnd(w, 4) : 0;
    j->spec.tasks[BASE_TASK_MAP] = j->spec.tasks[BASE_TASK_REDUCE] && one_in(w, 8)
                                       ? 0
                                       : 1 + (int32_t)rnd(w, one_in(w, 3) ? TASKS_MAX : 3);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        rnd_times(w, j, k);
    sim_job_copy_text(j->spec.pool, pools[rnd(w, 4)]);
    j->spec.weight = weights[rnd(w, 4)];
    j->spec.priority = (int32_t)rnd(w, 3) - 1;
    j->spec.located = !w->timed && one_in(w, 2);
    rnd_width(w, j);
    if (w->timed ? !one_in(w, 4) : one_in(w, 3))
        j->spec.deadline_us = (50 + (int64_t)rnd(w, 1500)) * S / 10;
    if (w->timed)
        return;
    j->spec.f_colo = one_in(w, 2) ? 0.7 : 0;
    j->spec.f_off = one_in(w, 8) ? 0.5 : 0; /* unlike anything real, but allowed */
    if (one_in(w, 5)) {
        j->spec.setup_us = (int64_t)rnd(w, 40) * S / 10;
        j->spec.cleanup_us = (int64_t)rnd(w, 40) * S / 10;
    }
    if (j > w->job && one_in(w, 8)) {
        j->spec.after = (uint64_t)(1 + rnd(w, (uint32_t)(j - w->job)));
        j->spec.gap_us = (int64_t)rnd(w, 20) * S / 10;
    }
}

static void init(struct world *w, const struct policy_ops *ops, uint64_t seed, bool timed)
{
    static const double slowstarts[] = {0, 0.05, 0.5, 1};
    int64_t at_us = 0;
    uint32_t gap;

    memset(w, 0, sizeof *w);
    w->ops = ops;
    w->seed = seed;
    w->timed = timed;
    w->rng = sim_rng_seed(seed, 12);
    sim_conf_init(&w->conf);
    w->plain = seed % 2;
    if (w->plain && !timed) {
        set(w, "delay.w1", "0");
        set(w, "colo_wait", "0");
    } else if (!timed) {
        set_options(w);
    }
    rnd_cluster(w);
    w->conf.policy = ops->name;
    w->conf.options = &w->options;
    w->conf.seed = seed;
    w->conf.slowstart = slowstarts[rnd(w, 4)];
    w->conf.swap_us = one_in(w, 3) ? S / 2 : 0;
    w->conf.true_work = true;
    w->conf.stall_us = 10000 * S;
    w->conf.workload = (struct sim_workload){.self = w, .next = next};
    w->conf.on_job = on_job;
    w->conf.adjust = w->plain ? NULL : impatient;
    w->conf.ctx = w;
    w->log = (struct sim_log){.write = log_to_buffer, .self = &w->text};
    w->conf.log = &w->log;
    w->jobs_n = 1 + (int32_t)rnd(w, JOBS_MAX);
    gap = one_in(w, 2) ? 100 : 20;
    for (int32_t i = 0; i < w->jobs_n; i++, at_us += (int64_t)rnd(w, gap) * S / 10)
        rnd_job(w, &w->job[i], at_us);
}

/* ---------------------------------------------------------------- the log, read back */
struct line {
    int64_t time_us, job, task, attempt, node;
    char event[16], kind, detail[16];
};

static const char *field(const char *at, char *out, size_t size)
{
    size_t n = strcspn(at, ",\n");

    snprintf(out, size, "%.*s", (int)n, at);
    return at[n] ? at + n + 1 : at + n;
}

static const char *parse(const char *at, struct line *l)
{
    char number[32], kind[4];

    at = field(at, number, sizeof number);
    l->time_us = atoll(number);
    at = field(at, l->event, sizeof l->event);
    at = field(at, number, sizeof number);
    l->job = atoll(number);
    at = field(at, kind, sizeof kind);
    l->kind = *kind;
    at = field(at, number, sizeof number);
    l->task = atoll(number);
    at = field(at, number, sizeof number);
    l->attempt = atoll(number);
    at = field(at, number, sizeof number);
    l->node = atoll(number);
    return field(at, l->detail, sizeof l->detail);
}

static bool maps_done(const struct job *j)
{
    return j->done[BASE_TASK_MAP] == j->spec.tasks[BASE_TASK_MAP];
}

/* Returns how long @t has run since its launch or resume; a reduce runs only once the maps are
 * done. */
static int64_t ran_us(const struct world *w, const struct job *j, int k, const struct task *t)
{
    int64_t from = t->since_us;

    if (k == BASE_TASK_REDUCE) {
        if (!maps_done(j))
            return 0;
        from = j->maps_done_us > from ? j->maps_done_us : from;
    }
    return w->now_us - from;
}

static void hold(struct world *w, const struct job *j, int k, struct task *t)
{
    t->state = RUNNING;
    t->since_us = w->now_us;
    w->used[t->node][k] += j->spec.slots;
    if (w->used[t->node][k] > w->slots[t->node][k])
        breach(w, "has a task for which its node has no slot", j);
}

/* Returns how many tasks of @j could start: those past slowstart, but none of a job with setup or
 * cleanup. */
static int32_t waiting(const struct world *w, const struct job *j, int k)
{
    int32_t n = 0, M = j->spec.tasks[BASE_TASK_MAP];
    double slowstart = w->ops->reduces_last ? 1 : w->conf.slowstart;

    if (!j->submitted || j->refused || j->finished || j->spec.setup_us || j->spec.cleanup_us)
        return 0;
    if (k == BASE_TASK_REDUCE && (double)j->done[BASE_TASK_MAP] < slowstart * M - 1e-9)
        return 0;
    for (int32_t i = 0; i < j->spec.tasks[k]; i++)
        n += j->task[k][i].state == PENDING;
    return n;
}

static bool before(const struct job *a, const struct job *b)
{
    if (a->spec.priority != b->spec.priority)
        return a->spec.priority > b->spec.priority;
    return a->turn < b->turn;
}

static void check_fifo(struct world *w, const struct job *j)
{
    if (w->ops != policy_find("fifo") || !w->plain)
        return;
    for (int32_t i = 0; i < w->jobs_n; i++)
        if (&w->job[i] != j && before(&w->job[i], j) && j->spec.slots == 1 &&
            w->job[i].spec.slots == 1 && waiting(w, &w->job[i], BASE_TASK_MAP))
            breach(w, "passes an earlier one", j);
}

/* Returns whether a wide task of @j may have a node reserved: it waits, also in a job that is being
 * set up, or is suspended. */
static bool may_have_node_reserved(const struct job *j, int k)
{
    if (j->spec.slots <= 1 || !j->submitted || j->refused || j->finished)
        return false;
    for (int32_t i = 0; i < j->spec.tasks[k]; i++)
        if (j->task[k][i].state == PENDING || j->task[k][i].state == SUSPENDED)
            return true;
    return false;
}

/* Returns a job with a task that waits and fits into @slots slots; NULL: none. */
static const struct job *find_waiting_job(const struct world *w, int k, int32_t slots)
{
    for (int32_t i = 0; i < w->jobs_n; i++)
        if (w->job[i].spec.slots <= slots && waiting(w, &w->job[i], k))
            return &w->job[i];
    return NULL;
}

/* Call when time is about to move on: all nodes have been heard, so nothing may wait beside a free
 * slot. */
static void check_idle(struct world *w)
{
    if (w->mode != AT_ONCE || !w->plain || w->ops->admit)
        return;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        int32_t wide = 0, widest = 0, held = 0;

        for (int32_t i = 0; i < w->jobs_n; i++)
            if (may_have_node_reserved(&w->job[i], k)) {
                wide++;
                widest = w->job[i].spec.slots > widest ? w->job[i].spec.slots : widest;
            }
        for (int32_t n = 0; n < w->nodes_n; n++) {
            int32_t unused = w->slots[n][k] - w->used[n][k];
            const struct job *j = find_waiting_job(w, k, unused);

            if (j && (unused >= widest || ++held > wide))
                breach(w, "waits beside a free slot", j);
        }
    }
}

static void check_time(struct world *w, const struct job *j, int k, int32_t i)
{
    const struct task *t = &j->task[k][i];
    double speed = t->node < w->group[0].nodes ? w->group[0].speed : w->group[1].speed;
    bool colocated =
        k == BASE_TASK_REDUCE && j->spec.f_colo > 0 && j->spec.tasks[BASE_TASK_MAP] == 1;
    int64_t want;

    if (!j->exact_us[k][i] || w->conf.swap_us || !t->local || colocated)
        return;
    want = (int64_t)((double)j->exact_us[k][i] / speed + 0.999);
    if (t->ran_us != want)
        breach(w, "has a task that did not take its time", j);
}

static void take_task(struct world *w, const struct line *l, struct job *j)
{
    int k = l->kind == 'm' ? BASE_TASK_MAP : BASE_TASK_REDUCE;
    struct task *t = &j->task[k][l->task];

    if (strcmp(l->event, "launch") == 0) {
        if (t->state != PENDING || !j->submitted || j->refused || l->attempt != t->kills)
            breach(w, "starts a task that does not wait", j);
        if (k == BASE_TASK_MAP)
            check_fifo(w, j);
        t->node = (int32_t)l->node;
        t->ran_us = 0;
        t->local = strcmp(l->detail, "local") == 0 || strcmp(l->detail, "any") == 0;
        hold(w, j, k, t);
    } else if (l->node != t->node) {
        breach(w, "has a task that moved", j);
    } else if (strcmp(l->event, "resume") == 0) {
        if (t->state != SUSPENDED)
            breach(w, "resumes what was not suspended", j);
        hold(w, j, k, t);
    } else if (strcmp(l->event, "begin") != 0) { /* suspend, kill, end */
        bool was = t->state == RUNNING;

        w->used[t->node][k] -= was ? j->spec.slots : 0;
        t->ran_us += was ? ran_us(w, j, k, t) : 0;
        if (!was && (t->state != SUSPENDED || strcmp(l->event, "kill") != 0))
            breach(w, "stops what did not run", j);
        if (strcmp(l->event, "suspend") == 0) {
            t->state = SUSPENDED;
        } else if (strcmp(l->event, "kill") == 0) {
            t->state = PENDING;
            t->kills++;
        } else {
            t->state = DONE;
            check_time(w, j, k, (int32_t)l->task);
            if (++j->done[k] == j->spec.tasks[k] && k == BASE_TASK_MAP)
                j->maps_done_us = w->now_us;
        }
    }
}

static void take_job(struct world *w, const struct line *l, struct job *j)
{
    if (strcmp(l->event, "submit") == 0) {
        if (j->submitted)
            breach(w, "is submitted twice", j);
        j->submitted = true;
        j->turn = ++w->turns;
        j->submit_us = w->now_us;
        j->finished = j->refused = false; /* the callbacks have set them: start again for the log */
        return;
    }
    j->finished = true;
    j->finish_us = w->now_us;
    j->refused = strcmp(l->event, "refuse") == 0;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        for (int32_t i = 0; i < j->spec.tasks[k]; i++)
            if (j->task[k][i].state != (j->refused ? PENDING : DONE))
                breach(w, "ends with tasks left, or was refused and ran", j);
}

static void read_log(struct world *w)
{
    const char *at = strchr(w->text.data, '\n') + 1;
    struct line l;

    while (*at) {
        at = parse(at, &l);
        if (l.time_us < w->now_us)
            breach(w, "goes back in time", NULL);
        if (l.time_us != w->now_us)
            check_idle(w);
        w->now_us = l.time_us;
        if (l.kind)
            take_task(w, &l, &w->job[l.job - 1]);
        else
            take_job(w, &l, &w->job[l.job - 1]);
    }
}

/* ---------------------------------------------------------------- results */
static void check_results(struct world *w)
{
    const struct sim_totals *t = &w->totals;

    for (int32_t i = 0; i < w->jobs_n; i++) {
        const struct job *j = &w->job[i];

        if (!j->finished)
            breach(w, "does not end", j);
        for (enum base_task_kind k = 0; !j->refused && k < BASE_TASK_KINDS; k++)
            if (j->r.launches[k] != j->spec.tasks[k] + j->r.kills[k] ||
                (!j->r.kills[k] && j->r.lost_us[k]))
                breach(w, "lost work without a kill", j);
    }
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        if (t->suspensions[k] < t->resumes[k])
            breach(w, "resumes more than was suspended", NULL);
    if (t->overruled || t->fallbacks)
        breach(w, "gave answers that the core could not follow", NULL);
    if (t->accepted && sim_mean_sojourn_us(t) < t->bound_us - 1) /* tasks take whole microseconds */
        breach(w, "is better than any can be", NULL);
}

/* Returns true when a job that came later has an earlier deadline: it may have delayed @j beyond
 * the promised date, though not beyond the deadline. */
static bool was_overtaken(const struct world *w, const struct job *j)
{
    for (int32_t i = 0; i < w->jobs_n; i++) {
        const struct job *o = &w->job[i];

        if (o != j && !o->refused && o->spec.deadline_us && o->submit_us >= j->submit_us &&
            o->submit_us + o->spec.deadline_us <= j->submit_us + j->spec.deadline_us)
            return true;
    }
    return false;
}

static void check_promises(struct world *w)
{
    for (int32_t i = 0; i < w->jobs_n; i++) {
        const struct job *j = &w->job[i];
        int64_t due = j->submit_us + j->spec.deadline_us,
                by = was_overtaken(w, j) ? due : j->r.promised_us;

        if (!j->refused && j->spec.deadline_us && (j->r.finish_us > by || j->r.promised_us > due)) {
            breach(w, "ended later than promised", j);
            printf(": %lld, promised %lld, due %lld", (long long)j->r.finish_us,
                   (long long)j->r.promised_us, (long long)due);
        }
    }
}

/* ---------------------------------------------------------------- runs */
static void run(struct world *w)
{
    struct base_error err = {0};
    struct sim *s = sim_new(&w->conf, &err);

    if (!s || sim_run(s, &err) < 0) {
        breach(w, err.text, NULL);
    } else {
        w->totals = *sim_totals_peek(s);
        sim_log_flush_and_free(&w->log, NULL);
        read_log(w);
        check_results(w);
        if (w->timed)
            check_promises(w);
    }
    sim_log_flush_and_free(&w->log, NULL);
    sim_free(s);
    for (; w->given < w->jobs_n; w->given++) /* jobs not taken, because of an error */
        sim_job_clear(&w->job[w->given].spec);
    policy_conf_free(&w->options);
}

static void run_again(struct world *w)
{
    static struct world again;

    init(&again, w->ops, w->seed, w->timed);
    run(&again);
    if (again.text.len != w->text.len || memcmp(again.text.data, w->text.data, w->text.len) != 0)
        breach(w, "gives another log for the same seed", NULL);
    base_buf_free(&again.text);
}

struct sums {
    int64_t jobs, refused, launches, suspensions, kills;
};

static int run_seed(const struct policy_ops *ops, uint64_t seed, bool timed, struct sums *sum)
{
    static struct world w;

    init(&w, ops, seed, timed);
    run(&w);
    if (seed % 16 == 0 && !w.bad)
        run_again(&w);
    sum->jobs += w.totals.jobs;
    sum->refused += w.totals.refused;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        sum->launches += w.totals.launches[k];
        sum->suspensions += w.totals.suspensions[k];
        sum->kills += w.totals.kills[k];
    }
    base_buf_free(&w.text);
    return w.bad;
}

static void run_seeds(const struct policy_ops *ops, bool timed)
{
    const char *only = getenv("CREEL_SEED"), *name = getenv("CREEL_POLICY");
    struct sums sum = {0};
    int bad = 0;

    if (name && strcmp(name, ops->name) != 0)
        return;
    for (uint64_t seed = 1; seed <= seeds; seed++)
        if (!only || seed == strtoull(only, NULL, 10))
            bad += run_seed(ops, seed, timed, &sum);
    printf("\n    %-12s %lld jobs, %lld refused, %lld launches, %lld suspended, %lld killed",
           ops->name, (long long)sum.jobs, (long long)sum.refused, (long long)sum.launches,
           (long long)sum.suspensions, (long long)sum.kills);
    CU_ASSERT_EQUAL(bad, 0);
}

static void test_random(void)
{
    for (size_t i = 0; policy_at(i); i++)
        run_seeds(policy_at(i), false);
}

static void test_promises(void)
{
    run_seeds(policy_find("rtmr"), true);
}

/* ---------------------------------------------------------------- fair */
/* Equal jobs with equally many slots each: all end within one task's time. */
static void equal_jobs(const char *policy, uint64_t seed)
{
    static struct world w;
    int64_t each, first = INT64_MAX, last = 0;
    int32_t maps;

    memset(&w, 0, sizeof w);
    w.rng = sim_rng_seed(seed, 13);
    w.seed = seed;
    w.ops = policy_find(policy);
    sim_conf_init(&w.conf);
    w.jobs_n = 2 + (int32_t)rnd(&w, JOBS_MAX - 1);
    maps = 1 + (int32_t)rnd(&w, 20);
    each = (10 + (int64_t)rnd(&w, 90)) * S / 10;
    w.group[0] =
        (struct sim_group){.nodes = w.jobs_n, .slots = {1 + (int32_t)rnd(&w, 3), 1}, .speed = 1};
    w.conf.policy = policy;
    w.conf.cluster.groups = w.group;
    w.conf.cluster.groups_n = 1;
    w.conf.cluster.heartbeat_us = SIM_HEARTBEAT_ZERO;
    w.conf.workload = (struct sim_workload){.self = &w, .next = next};
    w.conf.on_job = on_job;
    w.conf.ctx = &w;
    for (int32_t i = 0; i < w.jobs_n; i++) {
        sim_job_init(&w.job[i].spec);
        w.job[i].spec.located = false;
        w.job[i].spec.tasks[BASE_TASK_MAP] = maps;
        w.job[i].spec.base_us[BASE_TASK_MAP] = each;
    }
    struct base_error err = {0};
    struct sim *s = sim_new(&w.conf, &err);
    CU_ASSERT_FATAL(s != NULL);
    CU_ASSERT_EQUAL(sim_run(s, &err), 0);
    sim_free(s);
    for (int32_t i = 0; i < w.jobs_n; i++) {
        first = w.job[i].r.finish_us < first ? w.job[i].r.finish_us : first;
        last = w.job[i].r.finish_us > last ? w.job[i].r.finish_us : last;
    }
    if (last - first > each)
        breach(&w, "equal jobs do not end together", NULL);
    CU_ASSERT(last - first <= each);
}

static void test_equal_jobs(void)
{
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        equal_jobs("naive-fair", seed);
        equal_jobs("fair", seed);
    }
}

/* ---------------------------------------------------------------- wide tasks */
/* All slots are taken by a job that came first, a wide job follows, and then more and more narrow
 * jobs. The wide job starts when one node has come free: some slot does within the longest task,
 * which has the node reserved, and its other tasks end within another one. */
static void wide_job(const char *policy, uint64_t seed)
{
    static struct world w;
    int32_t nodes, slots;
    int64_t longest, wait;

    memset(&w, 0, sizeof w);
    w.rng = sim_rng_seed(seed, 15);
    w.seed = seed;
    w.ops = policy_find(policy);
    sim_conf_init(&w.conf);
    nodes = 1 + (int32_t)rnd(&w, 5);
    slots = 2 + (int32_t)rnd(&w, 5);
    longest = (20 + (int64_t)rnd(&w, 100)) * S;
    w.jobs_n = JOBS_MAX;
    w.group[0] = (struct sim_group){.nodes = nodes, .slots = {slots, 1}, .speed = 1};
    w.conf.policy = policy;
    w.conf.cluster.groups = w.group;
    w.conf.cluster.groups_n = 1;
    w.conf.cluster.heartbeat_us = 3 * S;
    w.conf.cluster.oob = true;
    w.conf.workload = (struct sim_workload){.self = &w, .next = next};
    w.conf.on_job = on_job;
    w.conf.ctx = &w;
    for (int32_t i = 0; i < w.jobs_n; i++) {
        struct sim_job *j = &w.job[i].spec;

        sim_job_init(j);
        j->located = false;
        j->submit_us = i == 0 ? 0 : (10 + (int64_t)i) * S;
        j->tasks[BASE_TASK_MAP] = i == 0 ? nodes * slots : i == 1 ? 2 : 4 * nodes * slots;
        j->slots = i == 1 ? 2 + (int32_t)rnd(&w, (uint32_t)slots - 1) : 1;
        j->task_us[BASE_TASK_MAP] =
            base_alloc((size_t)j->tasks[BASE_TASK_MAP] * sizeof *j->task_us[BASE_TASK_MAP]);
        for (int32_t t = 0; t < j->tasks[BASE_TASK_MAP]; t++)
            j->task_us[BASE_TASK_MAP][t] = S + (int64_t)rnd(&w, (uint32_t)(longest - S));
    }
    struct base_error err = {0};
    struct sim *s = sim_new(&w.conf, &err);
    CU_ASSERT_FATAL(s != NULL);
    CU_ASSERT_EQUAL(sim_run(s, &err), 0);
    sim_free(s);
    wait = w.job[1].r.first_us - w.job[1].r.submit_us;
    if (wait > 2 * longest + 4 * w.conf.cluster.heartbeat_us) {
        breach(&w, "is starved by narrow ones", &w.job[1]);
        CU_FAIL("a wide job is starved");
    }
}

static void test_wide_jobs(void)
{
    static const char *const policies[] = {"fifo", "naive-fair", "fair", "las", "hfsp"};

    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++)
        for (uint64_t seed = 1; seed <= seeds; seed++)
            wide_job(policies[p], seed);
}

static const struct cunit_case cases[] = {
    {"random workloads under every policy", test_random},
    {"rtmr: promises are kept", test_promises},
    {"fair: equal jobs end together", test_equal_jobs},
    {"wide jobs are not starved", test_wide_jobs},
};

int main(int argc, char **argv)
{
    if (argc > 1)
        seeds = strtoull(argv[1], NULL, 10);
    return cunit_main("properties of policies in the simulator", cases,
                      sizeof cases / sizeof *cases);
}
