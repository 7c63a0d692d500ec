/* Goal: the named workloads have the properties that papers publish, and equal seeds produce equal
 * jobs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/input/source.h"
#include "sim/input/workload.h"
#include "tests/unit/cunit_main.h"

#define S INT64_C(1000000)

static struct sim_made_jobs make(const char *name, uint64_t seed, const char *param,
                                 const char *other)
{
    const char *params[] = {param, other};
    struct sim_made_jobs made = {0};
    struct base_error err = {0};

    CU_ASSERT_EQUAL_FATAL(
        sim_workload_make(name, params, param ? 1 + (other != NULL) : 0, seed, &made, &err), 0);
    return made;
}

static int64_t sum(const struct sim_made_jobs *made, enum base_task_kind kind)
{
    int64_t n = 0;

    for (size_t i = 0; i < made->n; i++)
        n += made->v[i].tasks[kind];
    return n;
}

static size_t count(const struct sim_made_jobs *made, const char *class_name)
{
    size_t n = 0;

    for (size_t i = 0; i < made->n; i++)
        n += strcmp(made->v[i].class_name, class_name) == 0;
    return n;
}

/* Checks what holds for every workload: ids and submissions are in order, every job has something
 * to do, and chains lead to earlier jobs. */
static void check_common(const struct sim_made_jobs *made)
{
    for (size_t i = 0; i < made->n; i++) {
        const struct sim_job *j = &made->v[i];

        CU_ASSERT(j->id > 0 && (i == 0 || j->id > made->v[i - 1].id));
        CU_ASSERT(j->submit_us >= (i ? made->v[i - 1].submit_us : 0));
        CU_ASSERT(j->tasks[BASE_TASK_MAP] + j->tasks[BASE_TASK_REDUCE] > 0);
        CU_ASSERT(j->base_us[BASE_TASK_MAP] >= 1 && j->base_us[BASE_TASK_REDUCE] >= 1);
        CU_ASSERT(j->after < j->id);
        CU_ASSERT(j->name[0] != '\0');
    }
}

static void test_bins(void)
{
    static const int32_t edges[] = {1,   2,   3,   20,  21,  60,   61,   150,
                                    151, 300, 301, 500, 501, 1500, 1501, 4800};
    static const char want[] = "1233445566778899";

    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        CU_ASSERT_EQUAL(sim_workload_size_bin(edges[i])[0], want[i]);
}

static void test_every_one(void)
{
    const char *name;
    size_t n = 0;

    for (; (name = sim_workload_name_at(n)); n++) {
        struct sim_made_jobs a = make(name, 1, NULL, NULL), b = make(name, 1, NULL, NULL),
                             c = make(name, 2, NULL, NULL);

        check_common(&a);
        CU_ASSERT_EQUAL_FATAL(a.n, b.n);
        CU_ASSERT_EQUAL(memcmp(a.v, b.v, a.n * sizeof *a.v), 0);
        if (strncmp(name, "w-hfs", 5) == 0 || strncmp(name, "w-rtmr", 6) == 0)
            CU_ASSERT_NOT_EQUAL(memcmp(a.v, c.v, a.n * sizeof *a.v), 0);
        CU_ASSERT_EQUAL(a.n, c.n);
        sim_made_jobs_free(&a);
        sim_made_jobs_free(&b);
        sim_made_jobs_free(&c);
    }
    CU_ASSERT_EQUAL(n, 14);
}

static void test_hfs(void)
{
    static const size_t jobs[] = {38, 16, 14, 8, 6, 6, 4, 4, 4};
    struct sim_made_jobs m = make("w-hfs", 3, NULL, NULL);
    double last = 0;

    CU_ASSERT_EQUAL(m.n, 100);
    CU_ASSERT_EQUAL(sum(&m, BASE_TASK_MAP), 26410);
    CU_ASSERT_EQUAL(sum(&m, BASE_TASK_REDUCE), 0);
    for (size_t b = 0; b < 9; b++)
        CU_ASSERT_EQUAL(count(&m, (char[]){(char)('1' + b), 0}), jobs[b]);
    for (size_t i = 0; i < m.n; i++) {
        const struct sim_job *j = &m.v[i];

        CU_ASSERT_EQUAL(j->base_us[BASE_TASK_MAP], 12 * S);
        CU_ASSERT(j->setup_us == 10 * S && j->cleanup_us == 10 * S && j->cv[BASE_TASK_MAP] == 0.1);
        CU_ASSERT(j->f_off == 0 && j->f_rack == 0 && j->located && j->replicas == 3);
        CU_ASSERT(i == 0 || strcmp(j->user, m.v[0].user) != 0);
    }
    CU_ASSERT_EQUAL(m.v[0].submit_us, 0);
    sim_made_jobs_free(&m);
    for (uint64_t seed = 1; seed <= 200;
         seed++) { /* 99 gaps of 14 s on average: about 23 minutes */
        m = make("w-hfs", seed, NULL, NULL);
        last += (double)m.v[m.n - 1].submit_us / 1e6 / 200;
        sim_made_jobs_free(&m);
    }
    CU_ASSERT_DOUBLE_EQUAL(last, 99 * 14, 40); /* 4 standard errors */
    m = make("w-hfs", 3, "bound=cpu", NULL);
    CU_ASSERT_EQUAL(m.v[7].base_us[BASE_TASK_MAP], 60 * S);
    CU_ASSERT(m.v[7].f_off == 1.15 && m.v[7].f_rack == 1.15);
    sim_made_jobs_free(&m);
    m = make("w-hfs", 3, "map_s=20", "gap_s=0");
    CU_ASSERT_EQUAL(m.v[7].base_us[BASE_TASK_MAP], 20 * S);
    CU_ASSERT_EQUAL(m.v[99].submit_us, 0);
    sim_made_jobs_free(&m);
}

static void test_hfs_mixed(void)
{
    static const size_t jobs[] = {38, 16, 14, 8, 6, 6, 4, 4, 4};
    struct sim_made_jobs m = make("w-hfs-mixed", 3, NULL, NULL);

    CU_ASSERT_EQUAL(m.n, 106);
    CU_ASSERT_EQUAL(sum(&m, BASE_TASK_MAP), 26410 - 2 * 2400 + 6);
    CU_ASSERT_EQUAL(sum(&m, BASE_TASK_REDUCE), 14 * 3 + 6 * 50 + 4 * 180 + 2 * 360 + 6);
    for (size_t b = 0; b < 9; b++)
        CU_ASSERT_EQUAL(count(&m, (char[]){(char)('1' + b), 0}), jobs[b]);
    CU_ASSERT_EQUAL(count(&m, "join-tail"), 6);
    for (size_t i = 0; i < m.n; i++)
        if (strcmp(m.v[i].name, "join") == 0)
            for (size_t k = 1; k <= 3; k++) {
                CU_ASSERT_EQUAL(m.v[i + k].after, m.v[i].id + k - 1);
                CU_ASSERT_EQUAL(m.v[i + k].tasks[BASE_TASK_REDUCE], 1);
                CU_ASSERT_EQUAL(m.v[i + k].submit_us, m.v[i].submit_us);
            }
    sim_made_jobs_free(&m);
}

static void test_hfsp(void)
{
    struct sim_made_jobs m = make("w-hfsp", 3, NULL, NULL);
    size_t one = 0, two = 0, map_only = 0;
    int64_t large_maps = 0;

    CU_ASSERT_EQUAL(m.n, 100);
    CU_ASSERT_EQUAL(count(&m, "small"), 53);
    CU_ASSERT_EQUAL(count(&m, "medium"), 41);
    CU_ASSERT_EQUAL(count(&m, "large"), 6);
    for (size_t i = 0; i < m.n; i++) {
        const struct sim_job *j = &m.v[i];

        CU_ASSERT(j->base_us[BASE_TASK_MAP] == 60 * S && j->base_us[BASE_TASK_REDUCE] == 1000 * S &&
                  j->cv[BASE_TASK_REDUCE] == 0.05);
        if (j->class_name[0] == 's') {
            one += j->tasks[BASE_TASK_MAP] == 1;
            two += j->tasks[BASE_TASK_MAP] == 2;
            CU_ASSERT_EQUAL(j->tasks[BASE_TASK_REDUCE], 0);
        } else if (j->class_name[0] == 'm') {
            CU_ASSERT(j->tasks[BASE_TASK_MAP] >= 5 && j->tasks[BASE_TASK_MAP] <= 500);
            CU_ASSERT(j->tasks[BASE_TASK_REDUCE] == 0 ||
                      (j->tasks[BASE_TASK_REDUCE] >= 2 && j->tasks[BASE_TASK_REDUCE] <= 100));
            map_only += j->tasks[BASE_TASK_REDUCE] == 0;
        } else {
            large_maps += j->tasks[BASE_TASK_MAP];
        }
    }
    CU_ASSERT(one == 40 && two == 13 && map_only == 21);
    CU_ASSERT_EQUAL(large_maps, 3000 + 3000 + 700 + 1100 + 1500 + 200);
    sim_made_jobs_free(&m);
    m = make("w-hfsp", 3, "reduces=0", NULL);
    CU_ASSERT_EQUAL(sum(&m, BASE_TASK_REDUCE), 0);
    sim_made_jobs_free(&m);
}

static void check_rtmr(const struct sim_made_jobs *m, const char *class_name, size_t jobs,
                       int32_t maps_low, int32_t maps_high, int32_t reduces_low,
                       int32_t reduces_high, int64_t d_low, int64_t d_high)
{
    CU_ASSERT_EQUAL(count(m, class_name), jobs);
    for (size_t i = 0; i < m->n; i++) {
        const struct sim_job *j = &m->v[i];

        if (strcmp(j->class_name, class_name) != 0)
            continue;
        CU_ASSERT(j->tasks[BASE_TASK_MAP] >= maps_low && j->tasks[BASE_TASK_MAP] <= maps_high);
        CU_ASSERT(j->tasks[BASE_TASK_REDUCE] >= reduces_low &&
                  j->tasks[BASE_TASK_REDUCE] <= reduces_high);
        CU_ASSERT(j->deadline_us >= d_low * S && j->deadline_us <= d_high * S);
        CU_ASSERT_EQUAL(j->base_us[BASE_TASK_MAP], 10 * S);
        CU_ASSERT_EQUAL(j->base_us[BASE_TASK_REDUCE],
                        20 * S +
                            llround(1e6 * j->tasks[BASE_TASK_MAP] / j->tasks[BASE_TASK_REDUCE]));
        CU_ASSERT_EQUAL(j->cv[BASE_TASK_MAP], 0.3);
    }
}

static void test_rtmr(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct sim_made_jobs m = make("w-rtmr-1", seed, NULL, NULL);

        CU_ASSERT_EQUAL(m.n, 88);
        check_rtmr(&m, "1", 38, 1, 1, 1, 5, 200, 300);
        check_rtmr(&m, "2", 16, 2, 2, 1, 5, 200, 300);
        check_rtmr(&m, "3", 14, 10, 10, 5, 10, 300, 400);
        check_rtmr(&m, "4", 8, 50, 50, 10, 20, 500, 800);
        check_rtmr(&m, "5", 6, 100, 100, 20, 30, 1000, 1500);
        check_rtmr(&m, "6", 6, 200, 200, 30, 30, 2000, 2500);
        sim_made_jobs_free(&m);
        m = make("w-rtmr-2", seed, NULL, NULL);
        CU_ASSERT_EQUAL(m.n, 89);
        check_rtmr(&m, "1", 9, 1, 10, 1, 5, 200, 300);
        check_rtmr(&m, "2", 24, 10, 50, 5, 10, 300, 500);
        check_rtmr(&m, "3", 25, 50, 100, 15, 30, 1000, 1500);
        check_rtmr(&m, "4", 18, 100, 200, 25, 50, 1500, 2500);
        check_rtmr(&m, "5", 13, 200, 300, 35, 70, 2500, 3500);
        sim_made_jobs_free(&m);
        m = make("w-rtmr-2", seed, "reduces_max=30", NULL);
        CU_ASSERT(m.n >= 58 && m.n < 76);
        for (size_t i = 0; i < m.n; i++)
            CU_ASSERT(m.v[i].tasks[BASE_TASK_REDUCE] <= 30);
        check_common(&m);
        sim_made_jobs_free(&m);
    }
}

static void test_hsrtf(void)
{
    struct sim_made_jobs m = make("w-hsrtf", 1, NULL, NULL);

    CU_ASSERT_EQUAL(m.n, 31);
    CU_ASSERT(count(&m, "large") == 3 && count(&m, "medium") == 8 && count(&m, "small") == 20);
    CU_ASSERT_EQUAL(sum(&m, BASE_TASK_MAP), 3 * 256 + 8 * 64 + 20);
    CU_ASSERT_EQUAL(sum(&m, BASE_TASK_REDUCE), 3 * 32 + 8 * 8 + 20);
    for (size_t i = 0; i < m.n; i++) {
        const struct sim_job *j = &m.v[i];

        CU_ASSERT_EQUAL(j->submit_us, (int64_t)i * 10 * S);
        CU_ASSERT_EQUAL(j->base_us[BASE_TASK_MAP], (i < 21 ? 75 : 100) * S);
        CU_ASSERT_EQUAL(j->base_us[BASE_TASK_REDUCE], (i < 11 ? 400 : i < 21 ? 50 : 15) * S);
        CU_ASSERT(j->cv[BASE_TASK_MAP] == 0.15 && j->f_off == 1.3 && j->f_colo == 0.7);
    }
    CU_ASSERT_STRING_EQUAL(m.v[3].name, "medium-sort-1");
    CU_ASSERT_STRING_EQUAL(m.v[30].name, "small-wordcount-10");
    sim_made_jobs_free(&m);
}

static void test_figures(void)
{
    struct sim_made_jobs m = make("hfs-fig11", 1, NULL, NULL);
    static const int at_s[] = {0, 57, 118, 118, 118, 494};

    CU_ASSERT_EQUAL(m.n, 6);
    for (size_t i = 0; i < m.n; i++) {
        CU_ASSERT_EQUAL(m.v[i].submit_us, at_s[i] * S);
        CU_ASSERT_EQUAL(m.v[i].tasks[BASE_TASK_MAP], i < 2 ? 12000 : 800);
        CU_ASSERT_EQUAL(m.v[i].base_us[BASE_TASK_MAP], (i < 2 ? 25 : 12) * S);
    }
    CU_ASSERT_STRING_EQUAL(m.v[4].pool, "pool3");
    CU_ASSERT_STRING_EQUAL(m.v[5].pool, "pool1");
    sim_made_jobs_free(&m);
    m = make("hfs-scans", 1, "jobs=50", NULL);
    CU_ASSERT_EQUAL(m.n, 50);
    for (size_t i = 0; i < m.n; i++)
        CU_ASSERT(m.v[i].file == 1 && m.v[i].tasks[BASE_TASK_MAP] == 1440 && m.v[i].submit_us == 0);
    sim_made_jobs_free(&m);
    m = make("hfsp-fig2", 1, NULL, NULL);
    CU_ASSERT(m.n == 3 && m.v[0].tasks[BASE_TASK_REDUCE] == 20 &&
              m.v[1].tasks[BASE_TASK_REDUCE] == 11 && m.v[2].tasks[BASE_TASK_REDUCE] == 7);
    CU_ASSERT(m.v[2].submit_us == 13 * S && m.v[0].base_us[BASE_TASK_REDUCE] == 30 * S);
    sim_made_jobs_free(&m);
    m = make("hfsp-fig7", 1, "tasks=8", "scale=0.01");
    CU_ASSERT(m.n == 5 && m.v[0].tasks[BASE_TASK_REDUCE] == 8 &&
              m.v[1].tasks[BASE_TASK_REDUCE] == 2 && m.v[4].tasks[BASE_TASK_REDUCE] == 1);
    CU_ASSERT(m.v[0].submit_us == 1400000 && m.v[1].submit_us == 1500000);
    CU_ASSERT(m.v[0].base_us[BASE_TASK_REDUCE] == 5 * S &&
              m.v[3].base_us[BASE_TASK_REDUCE] == 4 * S && m.v[3].cv[BASE_TASK_REDUCE] == 0);
    CU_ASSERT_EQUAL(m.v[0].expected_us[BASE_TASK_REDUCE], SIM_EXPECT_TRUE);
    CU_ASSERT_EQUAL(sum(&m, BASE_TASK_MAP), 0);
    sim_made_jobs_free(&m);
    m = make("hfsp-decreasing", 1, "kind=map", NULL);
    for (size_t i = 1; i < m.n; i++)
        CU_ASSERT(m.v[i].tasks[BASE_TASK_MAP] < m.v[i - 1].tasks[BASE_TASK_MAP] &&
                  m.v[i].submit_us == (int64_t)i * 15 * S);
    sim_made_jobs_free(&m);
    m = make("reference-load", 1, NULL, NULL);
    CU_ASSERT(m.n == 100 && sum(&m, BASE_TASK_MAP) == 100000 &&
              sum(&m, BASE_TASK_REDUCE) == 100000);
    CU_ASSERT_STRING_EQUAL(m.v[19].pool, "pool20");
    CU_ASSERT_STRING_EQUAL(m.v[20].pool, "pool01");
    CU_ASSERT(m.v[0].base_us[BASE_TASK_REDUCE] == 10 * S && m.v[0].cv[BASE_TASK_MAP] == 0);
    sim_made_jobs_free(&m);
}

/* A closed loop: the given number of jobs at first, then one more for each end, never two for the
 * same end. */
static void test_closed_loop(void)
{
    struct sim_made_jobs m = make("hfs-closed-loop", 1, "jobs=7", "open=3");
    struct sim_job job;
    uint64_t given = 0;

    sim_job_init(&job);
    while (sim_made_jobs_take_next(&m, &job))
        CU_ASSERT_EQUAL(job.id, ++given);
    CU_ASSERT_EQUAL(given, 3);
    for (uint64_t ended = 1; ended <= 7; ended++) {
        bool more = sim_made_jobs_replace_ended(&m, ended, (int64_t)ended * S, &job);

        CU_ASSERT_EQUAL(more, given < 7);
        if (more) {
            CU_ASSERT_EQUAL(job.id, ++given);
            CU_ASSERT_EQUAL(job.submit_us, (int64_t)ended * S);
        }
        CU_ASSERT(!sim_made_jobs_replace_ended(&m, ended, (int64_t)ended * S, &job));
    }
    CU_ASSERT_EQUAL(given, 7);
    sim_made_jobs_free(&m);
    m = make("w-hfs", 1, NULL, NULL);
    CU_ASSERT(!sim_made_jobs_replace_ended(&m, 1, 0, &job));
    sim_made_jobs_free(&m);
}

static void refused(const char *what, const char *param, const char *want)
{
    struct sim_source_conf conf = {.what = what, .params = &param, .params_n = param != NULL};
    struct base_error err = {0};

    CU_ASSERT_PTR_NULL(sim_source_open(&conf, &err));
    CU_ASSERT_STRING_EQUAL(err.text, want);
    if (strcmp(err.text, want) != 0)
        fprintf(stderr, "got  %s\nnot  %s\n", err.text, want);
}

static void test_refusals(void)
{
    refused("w-hsf", NULL,
            "no workload 'w-hsf' (did you mean w-hfs?): there are w-hfs, w-hfs-mixed, hfs-fig11, "
            "hfs-small-jobs, "
            "hfs-scans, "
            "hfs-closed-loop, w-hfsp, w-rtmr-1, w-rtmr-2, w-hsrtf, hfsp-fig2, hfsp-fig7, "
            "hfsp-decreasing, reference-load");
    refused(
        "w-hfs,maps=3", NULL,
        "workload w-hfs: no setting 'maps': there are bound, map_s, cv, f_rack, f_off, setup_s, "
        "cleanup_s, gap_s");
    refused("w-hfs,bound=disk", NULL, "workload w-hfs: bound: 'disk' is not one of io,cpu");
    refused("w-hfs", "cv=-1", "workload w-hfs: cv: '-1' is not a number from 0 to 3");
    refused("w-hfs,cv", NULL, "workload w-hfs: cv: '' is not a number from 0 to 3");
    refused("hfs-scans", "jobs=1.5",
            "workload hfs-scans: jobs: '1.5' is not an integer from 1 to 1000000");
}

/* Settings may stand in the name of a workload and apart from it; a source serves the engine as its
 * workload. */
static void test_source(void)
{
    const char *params[] = {"jobs=4"};
    struct sim_source_conf conf = {.what = "hfs-closed-loop,jobs=9,open=2,maps=12",
                                   .params = params,
                                   .params_n = 1,
                                   .seed = 1};
    struct base_error err;
    struct sim_source *s = sim_source_open(&conf, &err);
    struct sim_workload w;
    struct sim_job job;
    struct sim_job_result ended = {.id = 1};
    struct sim_single_job *jobs;
    size_t n;

    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    w = sim_source_as_workload(s);
    sim_job_init(&job);
    CU_ASSERT_EQUAL(w.next(w.self, &job, &err), 1);
    CU_ASSERT_EQUAL(job.tasks[BASE_TASK_MAP], 12);
    CU_ASSERT_DOUBLE_EQUAL(sim_source_fraction_read(s), .25, 1e-12);
    CU_ASSERT_EQUAL(w.next(w.self, &job, &err), 1);
    CU_ASSERT_EQUAL(w.next(w.self, &job, &err), 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(w.at_end);
    CU_ASSERT(w.at_end(w.self, &ended, 5, &job) && job.id == 3 && job.submit_us == 5);
    CU_ASSERT(!w.at_end(w.self, &ended, 5, &job));
    sim_source_close(s);
    conf = (struct sim_source_conf){.what = "w-hfsp", .seed = 1};
    s = sim_source_open(&conf, &err);
    CU_ASSERT_PTR_NULL(sim_source_as_workload(s).at_end);
    /* the jobs have no bytes: their size is the work of their tasks */
    CU_ASSERT_EQUAL(sim_source_read_single_jobs(s, &jobs, &n, &err), 0);
    CU_ASSERT_EQUAL(n, 100);
    for (size_t i = 0; i < n; i++)
        CU_ASSERT(jobs[i].size_s >= 60 && jobs[i].size_s <= 200 * 60 + 1000e3);
    free(jobs);
    sim_source_close(s);
}

static void test_describe(void)
{
    struct base_buf text = {0};

    sim_workload_describe(&text);
    CU_ASSERT(strstr(text.data, "w-hfs\n    100 jobs of 1 to 4,800 maps") == text.data);
    CU_ASSERT(strstr(text.data, "      bound=io  maps bound by I/O or by CPU (io,cpu)\n") != NULL);
    CU_ASSERT(strstr(text.data, "      kind=reduce  which tasks the jobs have (reduce,map)\n") !=
              NULL);
    CU_ASSERT(strstr(text.data, "      jobs=200  number of jobs (1 to 1000000)\n") != NULL);
    base_buf_free(&text);
}

static const struct cunit_case cases[] = {
    {"bins", test_bins},
    {"every workload, twice", test_every_one},
    {"w-hfs", test_hfs},
    {"w-hfs-mixed", test_hfs_mixed},
    {"w-hfsp", test_hfsp},
    {"w-rtmr-1, w-rtmr-2", test_rtmr},
    {"w-hsrtf", test_hsrtf},
    {"single figures", test_figures},
    {"closed loop", test_closed_loop},
    {"refusals", test_refusals},
    {"as a source", test_source},
    {"description", test_describe},
};
CUNIT_MAIN("sim_workloads", cases)
