/* Goal: runs in several processes report their results in the order of the specs, whichever ends
 * first; a run that fails, or whose process dies, becomes an outcome that names it; no process is
 * left when a hook has stopped all. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CUnit/CUnit.h>

#include "sim/paper/paper_internal.h"
#include "sim/pool.h"
#include "sim/terminal.h"
#include "tests/unit/cunit_main.h"

enum { RUNS = 7 };

struct seen {
    size_t n, stop_after;
    size_t index[RUNS];
    int code[RUNS];
    char text[RUNS][sizeof(((struct base_error *)0)->text)];
    int64_t makespan_us[RUNS];
    double job_s[RUNS];
    char extra[RUNS][16], name[RUNS][32];
    double fraction;
};

static struct sim_group group = {.nodes = 2, .slots = {1, 0}, .speed = 1};

/* A workload of one job, whose maps take a second each; the seed is their number. */
struct maps {
    int32_t tasks;
    bool given;
};
static int next(void *self, struct sim_job *out, struct base_error *err)
{
    struct maps *m = self;

    (void)err;
    if (m->given)
        return 0;
    m->given = true;
    sim_job_copy_text(out->name, "only");
    out->tasks[BASE_TASK_MAP] = m->tasks;
    out->base_us[BASE_TASK_MAP] = 1000000;
    out->located = false;
    return 1;
}

static int open_maps(const struct sim_spec *spec, struct sim_workload *out, struct base_error *err)
{
    if (spec->conf.seed == 99)
        return base_error_set(err, -BASE_EINVAL, "no such workload");
    struct maps *m = base_alloc(sizeof *m);
    m->tasks = (int32_t)spec->conf.seed;
    *out = (struct sim_workload){.self = m, .next = next};
    return 0;
}

static void close_maps(const struct sim_spec *spec, struct sim_workload *w)
{
    (void)spec;
    free(w->self);
}

static void leave(const struct sim_spec *spec, const struct sim *sim, struct sim_outcome *out)
{
    (void)sim;
    base_buf_addf(&out->extra, "seed %d", (int)spec->conf.seed);
}

static void die(void *ctx, const struct sim_job_result *r)
{
    (void)ctx;
    (void)r;
    raise(SIGKILL);
}

static void make(struct sim_spec specs[RUNS])
{
    for (int i = 0; i < RUNS; i++) {
        sim_spec_init(&specs[i]);
        specs[i].conf.cluster = (struct sim_cluster){
            .groups = &group, .groups_n = 1, .racks = 1, .heartbeat_us = SIM_HEARTBEAT_ZERO};
        specs[i].conf.seed = (uint64_t)(i == 0 ? 20000 : 2 * i); /* the first takes longest */
        specs[i].open = open_maps;
        specs[i].close = close_maps;
        specs[i].finish = leave;
    }
}

static bool take(void *ctx, size_t index, struct sim_outcome *o)
{
    struct seen *s = ctx;
    size_t i = s->n++;

    s->index[i] = index;
    s->code[i] = o->code;
    snprintf(s->text[i], sizeof s->text[i], "%s", o->err.text);
    s->makespan_us[i] = sim_makespan_us(&o->totals);
    if (o->jobs_n) {
        s->job_s[i] = (double)sim_sojourn_us(&o->jobs[0]) / 1e6;
        snprintf(s->name[i], sizeof s->name[i], "%s", o->jobs[0].name);
    }
    snprintf(s->extra[i], sizeof s->extra[i], "%s", o->extra.data ? o->extra.data : "");
    return s->n != s->stop_after;
}

static void progress(void *ctx, double fraction, size_t ended, size_t running)
{
    struct seen *s = ctx;

    CU_ASSERT(fraction >= 0 && fraction <= 1);
    CU_ASSERT(ended + running <= RUNS);
    s->fraction = fraction;
}

static bool nobody_left(void)
{
    return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
}

static void test_order(void)
{
    for (int jobs = 1; jobs <= 3; jobs++) {
        struct sim_spec specs[RUNS];
        struct seen s = {.n = 0};
        struct sim_pool_hooks hooks = {.on_outcome = take, .on_progress = progress, .ctx = &s};

        make(specs);
        CU_ASSERT_EQUAL(sim_pool_run(specs, RUNS, jobs, &hooks, NULL), 0);
        CU_ASSERT_EQUAL_FATAL(s.n, RUNS);
        for (int i = 0; i < RUNS; i++) {
            CU_ASSERT_EQUAL(s.index[i], (size_t)i);
            CU_ASSERT_EQUAL(s.code[i], 0);
            /* two maps at a time, of a second each */
            CU_ASSERT_DOUBLE_EQUAL(s.job_s[i], i == 0 ? 10000.0 : i, 1e-6);
            CU_ASSERT_STRING_EQUAL(s.name[i], "only");
        }
        CU_ASSERT_STRING_EQUAL(s.extra[3], "seed 6");
        CU_ASSERT_DOUBLE_EQUAL(s.fraction, 1, 1e-9);
        CU_ASSERT(nobody_left());
    }
}

static void test_failures(void)
{
    struct sim_spec specs[RUNS];
    struct seen s = {.n = 0};
    struct sim_pool_hooks hooks = {.on_outcome = take, .ctx = &s};

    make(specs);
    specs[2].conf.seed = 99;
    specs[4].conf.on_job = die;
    specs[4].label = "the fifth";
    specs[5].conf.policy = "nonsense";
    CU_ASSERT_EQUAL(sim_pool_run(specs, RUNS, 2, &hooks, NULL), 0);
    CU_ASSERT_EQUAL_FATAL(s.n, RUNS);
    CU_ASSERT_EQUAL(s.code[1], 0);
    CU_ASSERT_EQUAL(s.code[2], -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(s.text[2], "fifo, seed 99: no such workload");
    CU_ASSERT_EQUAL(s.code[3], 0);
    CU_ASSERT_EQUAL(s.code[4], -BASE_EIO);
    CU_ASSERT(strncmp(s.text[4], "the fifth: its process died", 27) == 0);
    CU_ASSERT(s.code[5] < 0);
    CU_ASSERT_EQUAL(s.code[6], 0);
    CU_ASSERT(nobody_left());
}

static void test_stop(void)
{
    struct sim_spec specs[RUNS];
    struct seen s = {.stop_after = 2};
    struct sim_pool_hooks hooks = {.on_outcome = take, .ctx = &s};

    make(specs);
    CU_ASSERT_EQUAL(sim_pool_run(specs, RUNS, 3, &hooks, NULL), 1);
    CU_ASSERT_EQUAL(s.n, 2);
    CU_ASSERT(nobody_left());
}

/* Jobs that run alone: each takes as long as if there were no others. */
struct three {
    int given;
};
static int next_of_three(void *self, struct sim_job *out, struct base_error *err)
{
    struct three *t = self;

    (void)err;
    if (t->given == 3)
        return 0;
    out->tasks[BASE_TASK_MAP] = 2 * ++t->given;
    out->base_us[BASE_TASK_MAP] = 1000000;
    return 1;
}

static void test_alone(void)
{
    struct three three = {0};
    struct sim_spec spec;
    struct sim_outcome o;

    sim_spec_init(&spec);
    spec.conf.cluster = (struct sim_cluster){
        .groups = &group, .groups_n = 1, .racks = 1, .heartbeat_us = SIM_HEARTBEAT_ZERO};
    spec.conf.workload = (struct sim_workload){.self = &three, .next = next_of_three};
    spec.alone = true;
    CU_ASSERT_EQUAL_FATAL(sim_run_spec(&spec, NULL, &o), 0);
    CU_ASSERT_EQUAL_FATAL(o.jobs_n, 3);
    for (int i = 0; i < 3; i++) {
        CU_ASSERT_EQUAL(o.jobs[i].id, (uint64_t)(i + 1));
        CU_ASSERT_EQUAL(sim_sojourn_us(&o.jobs[i]), (i + 1) * 1000000);
    }
    sim_outcome_free(&o);
}

/* A run of a paper that fails is named by its seed, not by the seed's place among the seeds. */
static void test_paper_names_seed(void)
{
    struct sim_paper_run run = {.first_seed = 41, .seeds = 1};
    struct sim_paper_case *c = sim_paper_add_case(&run, "case-a", "no-such-workload", "fifo");
    struct base_error err = {0};
    struct sim_bar bar;

    sim_bar_begin(&bar, false);
    sim_paper_set_cluster(c, 1, 1, 1, 1);
    CU_ASSERT(sim_paper_run_cases(&run, 1, 1, &bar, &err) < 0);
    CU_ASSERT_EQUAL(strncmp(err.text, "case-a, seed 41: ", strlen("case-a, seed 41: ")), 0);
    sim_paper_run_free(&run);
}

static const struct cunit_case cases[] = {
    {"results come in the order of the runs", test_order},
    {"a run that fails or dies is named, the others go on", test_failures},
    {"a hook can stop all", test_stop},
    {"each job alone", test_alone},
    {"a paper names the seed", test_paper_names_seed},
};
CUNIT_MAIN("simulator's pool of processes", cases)
