/* Goal: the data of tables and charts: percentiles, distributions, figures by class, means over
 * seeds, slots over time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/CUnit.h>

#include "sim/report/results.h"
#include "sim/report/stats.h"
#include "sim/usage.h"
#include "tests/unit/cunit_main.h"

#define S          INT64_C(1000000)
#define NEAR(a, b) CU_ASSERT_DOUBLE_EQUAL(a, b, 1e-9)

/* The fraction of sorted samples that are <= @x. */
static double share_up_to(const struct sim_samples *s, double x)
{
    size_t low = 0, high = s->n; /* invariant: v[low-1] <= x < v[high] */

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (s->v[mid] <= x)
            low = mid + 1;
        else
            high = mid;
    }
    return s->n ? (double)low / (double)s->n : NAN;
}

static void test_percentiles(void)
{
    struct sim_samples s = {0};

    CU_ASSERT(isnan(sim_samples_quantile(&s, 0.5)));
    CU_ASSERT(isnan(sim_samples_mean(&s)));
    for (int i = 10; i >= 1; i--)
        sim_samples_add(&s, i);
    sim_samples_sort(&s);
    NEAR(sim_samples_mean(&s), 5.5);
    NEAR(sim_samples_quantile(&s, 0), 1);
    NEAR(sim_samples_quantile(&s, 0.5), 5.5);
    NEAR(sim_samples_quantile(&s, 0.95), 9.55);
    NEAR(sim_samples_quantile(&s, 1), 10);
    NEAR(share_up_to(&s, 0.5), 0);
    NEAR(share_up_to(&s, 3), 0.3);
    NEAR(share_up_to(&s, 3.9), 0.3);
    NEAR(share_up_to(&s, 99), 1);
    sim_samples_free(&s);
}

static void test_distribution(void)
{
    struct sim_samples s = {0};
    double x[5], y[5];

    CU_ASSERT_EQUAL(sim_samples_cdf(&s, 5, x, y), 0);
    sim_samples_add(&s, 7);
    CU_ASSERT_EQUAL(sim_samples_cdf(&s, 5, x, y), 1);
    NEAR(x[0], 7);
    NEAR(y[0], 1);
    for (int i = 8; i <= 106; i++)
        sim_samples_add(&s, i);
    sim_samples_sort(&s);
    CU_ASSERT_EQUAL(sim_samples_cdf(&s, 5, x, y), 5);
    NEAR(x[0], 7); /* the first and the last sample are kept; y is the share up to x */
    NEAR(y[0], 0.01);
    NEAR(x[4], 106);
    NEAR(y[4], 1);
    for (int i = 0; i < 5; i++)
        NEAR(y[i], share_up_to(&s, x[i]));
    sim_samples_free(&s);
}

/* ---------------------------------------------------------------- figures */
static struct sim_job_result job(uint64_t id, const char *class_name, int32_t maps,
                                 int64_t submit_s, int64_t first_s, int64_t finish_s)
{
    struct sim_job_result r = {
        .id = id, .name = "j", .class_name = class_name, .pool = "p", .user = "u"};

    r.tasks[BASE_TASK_MAP] = maps;
    r.submit_us = submit_s * S;
    r.first_us = first_s * S;
    r.finish_us = finish_s * S;
    r.accepted = r.met = true;
    r.launches[BASE_TASK_MAP] = maps;
    r.level[SIM_NODE_LOCAL] = maps;
    r.useful_us[BASE_TASK_MAP] = maps * S;
    return r;
}

static void fill(struct sim_outcome *o, struct sim_job_result *jobs, size_t n)
{
    *o = (struct sim_outcome){.jobs = jobs, .jobs_n = n};
    o->totals.slots[BASE_TASK_MAP] = 4;
    o->totals.bound_us = 5e6;
    for (size_t i = 0; i < n; i++)
        sim_totals_add_job(&o->totals, &jobs[i]);
}

static void test_figures(void)
{
    struct sim_job_result v[4] = {job(1, "large", 40, 0, 5, 100), job(2, "small", 1, 10, 10, 20),
                                  job(3, "small", 3, 10, 15, 40), job(4, "small", 1, 20, 20, 20)};
    struct sim_job_result one[3] = {job(3, "small", 3, 0, 0, 10), job(1, "large", 40, 0, 0, 50),
                                    job(2, "small", 1, 0, 0, 10)};
    struct sim_outcome o, alone;
    struct sim_run_figures f;

    v[0].level[SIM_NODE_LOCAL] = 30;
    v[0].level[SIM_RACK_LOCAL] = 6;
    v[0].level[SIM_OFF_RACK] = 4;
    v[0].kills[BASE_TASK_MAP] = 2;
    v[0].lost_us[BASE_TASK_MAP] = 7 * S;
    v[1].deadline_us = v[2].deadline_us = 15 * S;
    v[2].met = false;
    v[3].accepted = false;
    fill(&o, v, 4);
    fill(&alone, one, 3);
    sim_figures_compute(&o, &alone, &f);
    CU_ASSERT_EQUAL_FATAL(f.n, 3);
    CU_ASSERT_STRING_EQUAL(f.v[0].name, "all");
    CU_ASSERT_STRING_EQUAL(f.v[1].name, "small"); /* by size, not by appearance */
    CU_ASSERT_STRING_EQUAL(f.v[2].name, "large");
    NEAR(f.v[0].v[SIM_M_JOBS], 4);
    NEAR(f.v[0].v[SIM_M_SOJOURN], (100 + 10 + 30) / 3.0); /* a refused job does not count */
    NEAR(f.v[0].v[SIM_M_SOJOURN_MEDIAN], 30);
    NEAR(f.v[0].v[SIM_M_WAITING], 10 / 3.0);
    NEAR(f.v[0].v[SIM_M_EXECUTION], (95 + 10 + 25) / 3.0);
    NEAR(f.v[0].v[SIM_M_SLOWDOWN], (2 + 1 + 3) / 3.0);
    NEAR(f.v[0].v[SIM_M_ACCEPTED], 75);
    NEAR(f.v[0].v[SIM_M_SUCCESS], 50);
    NEAR(f.v[0].v[SIM_M_KILLS], 2);
    NEAR(f.v[0].v[SIM_M_LOST], 7);
    NEAR(f.v[0].v[SIM_M_MAKESPAN], 100);
    NEAR(f.v[0].v[SIM_M_UTILISATION_MAP], 100 * 44 / (4 * 100.0));
    NEAR(f.v[0].v[SIM_M_UTILISATION_MET], 100 * 41 / (4 * 100.0));
    CU_ASSERT(isnan(f.v[0].v[SIM_M_UTILISATION_REDUCE])); /* there are no such slots */
    NEAR(f.v[0].v[SIM_M_BOUND], 5);
    NEAR(f.v[0].v[SIM_M_BOUND_RATIO], 140 / 3.0 / 5);
    NEAR(f.v[2].v[SIM_M_NODE_LOCAL], 75);
    NEAR(f.v[2].v[SIM_M_RACK_LOCAL], 90);
    CU_ASSERT(isnan(f.v[2].v[SIM_M_SUCCESS]));
    CU_ASSERT(isnan(f.v[2].v[SIM_M_MAKESPAN])); /* only the whole run has one */
    sim_figures_free(&f);
}

/* Three seeds with means 10, 12, 17: mean 13, deviation sqrt(13), half width 4.303 * sqrt(13) /
 * sqrt(3). */
static void test_over_seeds(void)
{
    static const char *const policies[] = {"fifo"}, *const variations[] = {""};
    static const int64_t finish_s[] = {10, 12, 17};
    struct sim_results r;

    sim_results_init(&r, policies, 1, variations, 1);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct sim_job_result v[2] = {job(1, seed == 2 ? "b" : "a", 1, 0, 0, finish_s[seed - 1]),
                                      job(2, "c", 9, 0, 0, finish_s[seed - 1])};
        struct sim_outcome o;
        fill(&o, v, 2);
        sim_results_add_run(&r, 0, 0, seed, &o, NULL);
    }
    const struct sim_cell *c = sim_results_cell(&r, 0, 0);
    const struct sim_stat *s = &c->summary.v[0].v[SIM_M_SOJOURN];
    CU_ASSERT_EQUAL(s->n, 3);
    NEAR(s->mean, 13);
    CU_ASSERT_DOUBLE_EQUAL(sim_stat_ci95_half_width(s), 4.303 * sqrt(13.0) / sqrt(3.0), 1e-6);
    CU_ASSERT_EQUAL_FATAL(c->summary.n, 4);
    CU_ASSERT_STRING_EQUAL(c->summary.v[3].name, "c"); /* the largest, though b came later */
    CU_ASSERT_EQUAL(sim_seed_summary_find_class(&c->summary, "b")->v[SIM_M_SOJOURN].n, 1);
    NEAR(sim_stat_ci95_half_width(&sim_seed_summary_find_class(&c->summary, "b")->v[SIM_M_SOJOURN]),
         0);
    CU_ASSERT_PTR_NULL(sim_seed_summary_find_class(&c->summary, "d"));
    CU_ASSERT_EQUAL(c->jobs_n, 6);
    CU_ASSERT_EQUAL(c->classes[0].sojourn_s.n, 6);
    CU_ASSERT_EQUAL(c->runs_n, 3);
    CU_ASSERT_EQUAL(c->seeds[2], 3);
    sim_results_free(&r);
}

/* ---------------------------------------------------------------- slots over time */
static void change(struct sim_usage *u, int64_t at_us, uint64_t id, const char *name,
                   const char *class_name, int32_t running)
{
    struct sim_alloc a = {.now_us = at_us,
                          .job = id,
                          .name = name,
                          .pool = "p",
                          .class_name = class_name,
                          .kind = BASE_TASK_MAP,
                          .running = running};

    sim_usage_record(u, &a);
}

static double total(const struct sim_usage *u, const struct sim_usage_line *line)
{
    double sum = 0;

    for (size_t i = 0; i < sim_usage_cell_count(u); i++) {
        int64_t begin = (int64_t)i * u->width_us;
        int64_t end = begin + u->width_us < u->end_us ? begin + u->width_us : u->end_us;
        sum += sim_usage_mean_slots(u, line, BASE_TASK_MAP, i) * (double)(end - begin) / 1e6;
    }
    return sum;
}

static void test_usage(void)
{
    struct sim_usage u, copy;
    struct base_buf bytes = {0};

    sim_usage_init(&u);
    change(&u, 0, 1, "a", "small", 2);
    change(&u, 10 * S, 2, "b", "small", 3);
    change(&u, 10 * S, 1, "a", "small", 0);
    change(&u, 1000 * S, 2, "b", "small", 1); /* past the first cells: they have become wider */
    change(&u, 1001 * S, 3, "c", "large", 5);
    sim_usage_finish(&u, 1003 * S);
    CU_ASSERT(sim_usage_cell_count(&u) <= SIM_USAGE_CELLS);
    NEAR(total(&u, sim_usage_find_line(&u, SIM_BY_JOB, "a")), 20);
    NEAR(total(&u, sim_usage_find_line(&u, SIM_BY_JOB, "b")), 3 * 990 + 3);
    NEAR(total(&u, sim_usage_find_line(&u, SIM_BY_CLASS, "small")), 20 + 3 * 990 + 3);
    NEAR(total(&u, sim_usage_find_line(&u, SIM_BY_CLASS, "large")), 10);
    NEAR(total(&u, sim_usage_find_line(&u, SIM_BY_POOL, "p")), 20 + 3 * 990 + 3 + 10);
    NEAR(sim_usage_mean_slots(&u, sim_usage_find_line(&u, SIM_BY_JOB, "a"), BASE_TASK_MAP, 3), 2);
    NEAR(sim_usage_mean_slots(&u, sim_usage_find_line(&u, SIM_BY_JOB, "c"), BASE_TASK_MAP,
                              sim_usage_cell_count(&u) - 1),
         5);
    CU_ASSERT_PTR_NULL(sim_usage_find_line(&u, SIM_BY_JOB, "d"));

    sim_usage_pack(&u, &bytes);
    CU_ASSERT_EQUAL_FATAL(sim_usage_unpack(&copy, bytes.data, bytes.len, NULL), 0);
    NEAR(total(&copy, sim_usage_find_line(&copy, SIM_BY_JOB, "b")), 3 * 990 + 3);
    CU_ASSERT_EQUAL(copy.end_us, u.end_us);
    sim_usage_free(&copy);
    CU_ASSERT(sim_usage_unpack(&copy, bytes.data, bytes.len - 1, NULL) < 0);
    sim_usage_free(&copy);
    base_buf_free(&bytes);
    sim_usage_free(&u);
}

static void test_usage_of_many(void)
{
    struct sim_usage u;
    char name[16];

    sim_usage_init(&u);
    for (uint64_t i = 1; i <= SIM_USAGE_NAMES_MAX + 1; i++) {
        snprintf(name, sizeof name, "job%d", (int)i);
        change(&u, (int64_t)i, i, name, "all of them", 1);
    }
    sim_usage_finish(&u, S);
    CU_ASSERT(u.by[SIM_BY_JOB].too_many);
    CU_ASSERT_PTR_NULL(sim_usage_find_line(&u, SIM_BY_JOB, "job1"));
    CU_ASSERT_PTR_NOT_NULL(sim_usage_find_line(&u, SIM_BY_CLASS, "all of them"));
    sim_usage_free(&u);
}

/* ---------------------------------------------------------------- between processes */
static void test_outcome_travels(void)
{
    struct sim_job_result v[2] = {job(1, "a", 1, 0, 0, 3), job(2, "b", 1, 0, 0, 4)};
    struct sim_outcome o, copy;
    struct base_buf bytes = {0};
    char texts[] = "a\0b\0j\0p\0u";

    fill(&o, v, 2);
    o.texts = texts;
    for (int i = 0; i < 2; i++) {
        v[i].class_name = texts + 2 * i;
        v[i].name = texts + 4;
        v[i].pool = texts + 6;
        v[i].user = texts + 8;
    }
    base_buf_adds(&o.notes, "a note\n");
    base_buf_add(&o.extra, "\0\1\2", 3);
    o.cpu_s = 1.5;
    sim_outcome_pack(&o, &bytes);
    CU_ASSERT_EQUAL_FATAL(sim_outcome_unpack(&copy, bytes.data, bytes.len, NULL), 0);
    CU_ASSERT_EQUAL(copy.jobs_n, 2);
    CU_ASSERT_STRING_EQUAL(copy.jobs[1].class_name, "b");
    CU_ASSERT_STRING_EQUAL(copy.jobs[1].user, "u");
    CU_ASSERT_STRING_EQUAL(copy.notes.data, "a note\n");
    CU_ASSERT_EQUAL(copy.extra.len, 3);
    CU_ASSERT_EQUAL(copy.totals.jobs, 2);
    NEAR(copy.cpu_s, 1.5);
    sim_outcome_free(&copy);
    CU_ASSERT(sim_outcome_unpack(&copy, bytes.data, bytes.len - 1, NULL) < 0);
    CU_ASSERT(sim_outcome_unpack(&copy, bytes.data, 3, NULL) < 0);
    base_buf_free(&bytes);
    base_buf_free(&o.notes);
    base_buf_free(&o.extra);
}

static const struct cunit_case cases[] = {
    {"percentiles lie between their neighbours", test_percentiles},
    {"a distribution keeps its ends, whatever is left out", test_distribution},
    {"figures of a run, by class", test_figures},
    {"means and intervals over seeds", test_over_seeds},
    {"slots over time add up, however wide the cells", test_usage},
    {"too many names are given up", test_usage_of_many},
    {"an outcome travels between processes", test_outcome_travels},
};
CUNIT_MAIN("simulator's figures", cases)
