/* Goal: what every policy must hold, whatever the workload. Method: a thousand small random
 * clusters and workloads by seed for each policy of the registry, run to the end without a core:
 *   slots are never exceeded; none stays idle at a heartbeat while a job waits that the policy does
 *   not hold back on purpose; every task completes exactly once; work is lost by kills alone;
 *   suspended tasks resume on their node; FIFO passes no job over (policy_fake.c checks these all
 *   the time); no job is lost when the policy is changed, or when jobs go to other queues; under
 *   fair equal jobs end within one task of each other; RTMR keeps its promises, and more capacity
 *   never makes it refuse a job that it would accept with less.
 * A breach prints policy and seed; CREEL_SEED=n runs that seed alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/options.h"
#include "policies/registry.h"
#include "tests/policy/policy_fake.h"
#include "tests/unit/cunit_main.h"

#define SEEDS   1000
#define LIMIT_S 20000 /* far more than any of these workloads needs */

static uint64_t state;

static uint32_t rnd(uint32_t below)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return below ? (uint32_t)(state >> 33) % below : 0;
}

static bool one_in(uint32_t n)
{
    return rnd(n) == 0;
}

/* Returns a random time from @from to @to tenths of a second, in microseconds. */
static int64_t rnd_time(uint32_t from, uint32_t to)
{
    return (int64_t)(from + rnd(to - from + 1)) * 100000;
}

/* ---------------------------------------------------------------- random settings */
static void rnd_word(const struct policy_option *o, char *out, size_t size)
{
    uint32_t n = 1;
    const char *at = o->words;

    for (const char *c = o->words; *c; c++)
        n += *c == ',';
    for (n = rnd(n); n > 0; n--)
        at = strchr(at, ',') + 1;
    snprintf(out, size, "%.*s", (int)strcspn(at, ","), at);
}

/* Sets options of @ops at random: any word, any switch, and some times divided by ten, in
 * proportion to these short tasks. Keeps the defaults when the policy rejects the combination. */
static struct policy_conf rnd_conf(const struct policy_ops *ops)
{
    struct policy_conf conf = {0};
    struct base_error err;

    for (const struct policy_option *o = ops->options; o && o->name; o++) {
        char value[64] = "";

        if (o->type == POLICY_OPT_WORD)
            rnd_word(o, value, sizeof value);
        else if (o->type == POLICY_OPT_BOOL)
            snprintf(value, sizeof value, "%s", one_in(2) ? "true" : "false");
        else if (o->type == POLICY_OPT_SECONDS && atof(o->value) / 10 > o->min && one_in(2))
            snprintf(value, sizeof value, "%g", atof(o->value) / 10);
        if (*value)
            CU_ASSERT_EQUAL(policy_conf_set(&conf, o->name, value, &err), 0);
    }
    if (ops->check_conf && ops->check_conf(&conf, &err) < 0)
        policy_conf_free(&conf);
    return conf;
}

/* ---------------------------------------------------------------- random workloads */
struct plan {
    bool given, plain,
        switches; /* durations are given; only jobs, no applications; the policy changes */
    bool timed;   /* for promises: most jobs have deadlines, and they can be kept */
    bool limits;  /* queues have maximum shares or limits of running applications */
    enum fake_mode mode;
    int64_t phase[FAKE_NODES];
};

static void rnd_job(struct fake *w, const struct plan *plan)
{
    static const double weights[] = {1, 1, 2, 0.5};
    static const char *const queues[] = {"default", "a", "b", "c"};
    int32_t reduces = w->node[0].slots[BASE_TASK_REDUCE] && one_in(2) ? 1 + (int32_t)rnd(4) : 0;
    int32_t maps = reduces && one_in(8) ? 0 : 1 + (int32_t)rnd(one_in(3) ? 9 : 3);
    struct fake_job *j = fake_job(w, maps, 0, reduces, 0);
    uint32_t longest = one_in(3) ? 200 : 40;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        for (int32_t i = 0; i < j->n[k]; i++)
            j->task[k][i].needs_us = rnd_time(1, longest);
    j->arrive_us = w->now_us + rnd_time(0, 300);
    j->pj.weight = weights[rnd(4)];
    j->pj.priority = (int32_t)rnd(3) - 1;
    j->pj.queue = policy_queues_find(&w->queues, queues[rnd(4)]);
    j->pj.user = (int32_t)rnd(3);
    j->pj.is_job = plan->plain || !one_in(8);
    if (j->pj.is_job && (plan->timed ? !one_in(4) : one_in(3)))
        j->pj.deadline_us = rnd_time(50, 1500);
    if (one_in(2)) {
        j->pj.size[BASE_TASK_MAP].bytes_max = 1 + rnd(1000000);
        j->pj.size[BASE_TASK_MAP].bytes = j->pj.size[BASE_TASK_MAP].bytes_max * maps;
    }
    if (j->pj.is_job)
        fake_sizes(j, plan->given, w->ops->sim_only);
}

/* Weights, minimum shares, time-outs; with plan->limits also maximum shares and limits of
 * applications. */
static void rnd_queues(struct fake *w, const struct plan *plan)
{
    for (size_t i = 1; i < w->queues.n; i++) {
        struct policy_queue *q = &w->queues.v[i];

        q->weight = (double)(1 + rnd(4)) / 2;
        q->order = one_in(3) ? POLICY_QUEUE_FIFO : POLICY_QUEUE_FAIR;
        q->fair_timeout_us = one_in(2) ? rnd_time(10, 200) : INT64_MAX;
        q->min_timeout_us = one_in(2) ? rnd_time(10, 200) : INT64_MAX;
        policy_limit_init(&q->min);
        policy_limit_init(&q->max);
        if (one_in(3)) {
            q->min.given = true;
            for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
                q->min.slots[k] = rnd(4);
        }
        if (plan->limits && one_in(2)) {
            q->max.given = true;
            for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
                q->max.slots[k] = 1 + rnd(4);
        }
        if (plan->limits && one_in(2))
            q->max_running = 1 + (int32_t)rnd(2);
    }
    if (w->ops->on_queues)
        w->ops->on_queues(w->policy, w->now_us);
}

static void rnd_world(struct fake *w, struct plan *plan, const struct policy_ops *ops,
                      uint64_t seed, bool timed)
{
    static const int64_t kill_us[] = {0, 500000, 2500000};
    struct policy_conf conf = {0};
    uint32_t jobs, nodes;
    int32_t maps, reduces;

    state = seed * 2654435761u + 1;
    *plan = (struct plan){.given = true, .plain = true, .timed = timed};
    if (timed) { /* durations are known, nothing but jobs runs, what ends is told at once */
        plan->mode = rnd(2);
    } else {
        /* one after the other: compilers may order an initializer's parts as they like */
        plan->given = one_in(2);
        plan->plain = one_in(2);
        plan->switches = one_in(5);
        plan->mode = rnd(3);
        plan->limits = one_in(4);
    }
    for (int i = 0; i < FAKE_NODES; i++)
        plan->phase[i] = FAKE_SECOND + rnd_time(0, 9);
    jobs = 1 + rnd(8);
    if (seed % 2 && !timed)
        conf = rnd_conf(ops);
    nodes = 1 + rnd(4);
    maps = 1 + (int32_t)rnd(3);
    reduces = (int32_t)rnd(3);
    fake_init(w, ops, &conf, nodes, maps, reduces);
    w->seed = seed;
    w->kill_us = kill_us[rnd(3)];
    if (one_in(2))
        rnd_queues(w, plan);
    for (uint32_t i = 0; i < jobs; i++)
        rnd_job(w, plan);
}

/* Returns a policy that a cluster could change to. */
static const struct policy_ops *rnd_policy(void)
{
    const struct policy_ops *ops;
    uint32_t n = 0;

    while (policy_at(n))
        n++;
    do
        ops = policy_at(rnd(n));
    while (ops->sim_only);
    return ops;
}

static void say(const struct fake *w, const char *what, const struct fake_job *j)
{
    printf("\n    %s, seed %llu: job %d %s", w->ops->name, (unsigned long long)w->seed,
           j ? j->pj.seq : 0, what);
}

static int check_end(const struct fake *w, bool ended)
{
    int bad = 0;

    for (uint32_t i = 0; i < w->jobs_n; i++) {
        const struct fake_job *j = w->job[i];

        if (!ended && !j->gone) {
            say(w, "does not end", j);
            bad++;
        }
        for (enum base_task_kind k = 0; ended && !j->refused && k < BASE_TASK_KINDS; k++)
            for (int32_t t = 0; t < j->n[k]; t++)
                if (j->task[k][t].ends != 1 ||
                    (j->task[k][t].kills == 0 && j->task[k][t].lost_us > 0)) {
                    say(w, "has a task that did not complete once, or lost work without a kill", j);
                    bad++;
                }
    }
    for (enum base_task_kind k = 0; ended && k < BASE_TASK_KINDS; k++)
        if (w->capacity.used[k] || w->capacity.freeing[k] || w->capacity.outstanding[k]) {
            say(w, "left something behind", NULL);
            bad++;
        }
    return bad;
}

static int64_t due_us(const struct fake_job *j)
{
    return j->pj.submit_us + j->pj.deadline_us;
}

/* Returns true when a job that came later has an earlier deadline: it may have moved the estimate
 * of @j, though never beyond the deadline of @j. */
static bool was_overtaken(const struct fake *w, const struct fake_job *j)
{
    for (uint32_t i = 0; i < w->jobs_n; i++) {
        const struct fake_job *o = w->job[i];

        if (o != j && !o->refused && o->pj.deadline_us && o->pj.submit_us >= j->pj.submit_us &&
            due_us(o) <= due_us(j))
            return true;
    }
    return false;
}

static int check_promises(const struct fake *w)
{
    int bad = 0;

    for (uint32_t i = 0; i < w->jobs_n; i++) {
        const struct fake_job *j = w->job[i];
        int64_t by = was_overtaken(w, j) ? due_us(j) : j->promised_us;

        if (j->refused || !j->pj.deadline_us || (j->finish_us <= by && j->promised_us <= due_us(j)))
            continue;
        say(w, "ended later than promised", j);
        printf(": %.3f, promised %.3f, due %.3f", (double)j->finish_us / 1e6,
               (double)j->promised_us / 1e6, (double)due_us(j) / 1e6);
        bad++;
    }
    return bad;
}

/* Runs the jobs, and moves some of them to other queues now and then, whatever they run. Returns
 * true when all have ended. */
static bool run_moving(struct fake *w, const struct plan *plan)
{
    static const char *const queues[] = {"default", "a", "b", "c"};
    bool ended = false;

    for (uint32_t n = 2 + rnd(8); n > 0 && !ended; n--) {
        ended = fake_run(w, plan->mode, plan->phase, w->now_us + rnd_time(2, 80));
        for (uint32_t i = 0; i < w->jobs_n; i++)
            if (one_in(2))
                fake_move(w, w->job[i], policy_queues_find(&w->queues, queues[rnd(4)]));
    }
    return ended;
}

struct totals {
    int64_t jobs, refused, launches, held, suspensions, kills;
};

static int run_seed(const struct policy_ops *ops, uint64_t seed, bool timed, struct totals *sum)
{
    struct plan plan;
    struct fake w;
    bool ended = false;
    int bad;

    rnd_world(&w, &plan, ops, seed, timed);
    if (plan.switches) {
        ended = fake_run(&w, plan.mode, plan.phase, w.now_us + rnd_time(10, 500));
        fake_switch(&w, rnd_policy());
    }
    if (!ended && seed % 3 == 0)
        ended = run_moving(&w, &plan);
    if (!ended)
        ended = fake_run(&w, plan.mode, plan.phase, LIMIT_S * FAKE_SECOND);
    bad = w.breaches + check_end(&w, ended) + (timed ? check_promises(&w) : 0);
    sum->jobs += w.jobs_n;
    for (uint32_t i = 0; i < w.jobs_n; i++)
        sum->refused += w.job[i]->refused;
    sum->launches += w.launches;
    sum->held += w.held;
    sum->suspensions += w.suspensions;
    sum->kills += w.kills;
    fake_free(&w);
    return bad;
}

static void run_seeds(const struct policy_ops *ops, bool timed)
{
    const char *only = getenv("CREEL_SEED");
    struct totals sum = {0};
    int bad = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        if (!only || seed == strtoull(only, NULL, 10))
            bad += run_seed(ops, seed, timed, &sum);
    printf("\n    %-12s %lld jobs, %lld refused, %lld launches, %lld held, %lld suspended, %lld "
           "killed",
           ops->name, (long long)sum.jobs, (long long)sum.refused, (long long)sum.launches,
           (long long)sum.held, (long long)sum.suspensions, (long long)sum.kills);
    CU_ASSERT_EQUAL(bad, 0);
}

static void test_random(void)
{
    for (size_t i = 0; policy_at(i); i++)
        run_seeds(policy_at(i), false);
}

static void test_promises(void)
{
    if (policy_find("rtmr"))
        run_seeds(policy_find("rtmr"), true);
}

/* ---------------------------------------------------------------- fair */
/* Equal jobs, with equally many slots for each: all end within one task's time of each other. */
static void equal_jobs(const struct policy_ops *ops, uint64_t seed)
{
    struct fake w;
    int64_t each, first = INT64_MAX, last = 0;
    uint32_t jobs;
    int32_t maps;

    state = seed * 40503u + 7;
    jobs = 2 + rnd(6);
    maps = 1 + (int32_t)rnd(20);
    each = rnd_time(10, 100);
    fake_init(&w, ops, NULL, jobs, 1 + (int32_t)rnd(3), 1);
    w.seed = seed;
    for (uint32_t i = 0; i < jobs; i++)
        fake_job(&w, maps, each, 0, 0)->arrive_us = w.now_us + FAKE_SECOND;
    CU_ASSERT(fake_run(&w, FAKE_AT_ONCE, NULL, LIMIT_S * FAKE_SECOND));
    for (uint32_t i = 0; i < jobs; i++) {
        first = w.job[i]->finish_us < first ? w.job[i]->finish_us : first;
        last = w.job[i]->finish_us > last ? w.job[i]->finish_us : last;
    }
    if (last - first > each)
        say(&w, "equal jobs do not end together", NULL);
    CU_ASSERT(last - first <= each);
    CU_ASSERT_EQUAL(w.breaches, 0);
    fake_free(&w);
}

static void test_equal_jobs(void)
{
    static const char *const fair[] = {"naive-fair", "fair"};

    for (size_t i = 0; i < sizeof fair / sizeof *fair; i++)
        for (uint64_t seed = 1; policy_find(fair[i]) && seed <= SEEDS; seed++)
            equal_jobs(policy_find(fair[i]), seed);
}

/* Shares of queues add up to what there is, or to what is wanted; limits leave less. */
static void shares_add_up(const struct policy_ops *ops, uint64_t seed)
{
    struct plan plan;
    struct fake w;
    int64_t sum[BASE_TASK_KINDS] = {0}, want[BASE_TASK_KINDS] = {0};

    rnd_world(&w, &plan, ops, seed * 2, false);
    for (uint32_t i = 0; i < w.jobs_n; i++)
        fake_arrive(&w, w.job[i]);
    w.now_us += 30 * FAKE_SECOND;
    w.timer_us = w.now_us;
    fake_timer(&w);
    for (size_t q = 0; q < w.queues.n; q++) {
        int64_t share[BASE_TASK_KINDS] = {0}, demand[BASE_TASK_KINDS] = {0};

        if (w.queues.v[q].is_parent || !ops->queue_share(w.policy, (int32_t)q, share, demand))
            continue;
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            sum[k] += share[k];
    }
    for (uint32_t i = 0; i < w.jobs_n; i++)
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS && w.job[i]->here; k++)
            want[k] += w.job[i]->pj.phase[k].running + w.job[i]->pj.phase[k].pending;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        int64_t total = want[k] < w.capacity.slots[k] ? want[k] : w.capacity.slots[k];
        bool ok = plan.limits ? sum[k] <= total : sum[k] == total;

        if (!ok) {
            say(&w, "shares do not add up", NULL);
            printf(": %lld of %lld", (long long)sum[k], (long long)total);
        }
        CU_ASSERT(ok);
    }
    fake_free(&w);
}

static void test_shares(void)
{
    for (size_t i = 0; policy_at(i); i++)
        for (uint64_t seed = 1; policy_at(i)->queue_share && seed <= SEEDS; seed++)
            shares_add_up(policy_at(i), seed);
}

/* ---------------------------------------------------------------- admission */
static bool accepts(const struct policy_ops *ops, uint64_t seed, uint32_t nodes)
{
    struct plan plan = {.given = true, .plain = true};
    struct fake w;
    bool ok;

    state = seed * 69069u + 5;
    fake_init(&w, ops, NULL, nodes, 2, 1);
    rnd_job(&w, &plan);
    w.job[0]->pj.deadline_us = rnd_time(10, 600);
    ok = fake_arrive(&w, w.job[0]);
    fake_free(&w);
    return ok;
}

static void test_capacity(void)
{
    const struct policy_ops *ops = policy_find("rtmr");

    for (uint64_t seed = 1; ops && seed <= SEEDS; seed++)
        for (uint32_t nodes = 1; nodes < 6; nodes++)
            if (accepts(ops, seed, nodes) && !accepts(ops, seed, nodes + 1)) {
                printf("\n    seed %llu: accepted by %u nodes, refused by %u",
                       (unsigned long long)seed, nodes, nodes + 1);
                CU_FAIL("more capacity refuses a job");
            }
}

static const struct cunit_case cases[] = {
    {"random workloads under every policy", test_random},
    {"rtmr: promises are kept", test_promises},
    {"fair: equal jobs end together", test_equal_jobs},
    {"fair: shares add up", test_shares},
    {"rtmr: more capacity accepts no less", test_capacity},
};
CUNIT_MAIN("policy properties", cases)
