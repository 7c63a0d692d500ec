/* Workloads of the HFSP, RTMR and HSRTF papers, and the reference load for scheduler benchmarks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/input/workload_internal.h"

#define US INT64_C(1000000)

static void set_missing_job_names(struct sim_workload_maker *m, const char *prefix)
{
    for (size_t i = 0; i < m->made->n; i++)
        if (!m->made->v[i].name[0])
            snprintf(m->made->v[i].name, SIM_TEXT_MAX, "%s%llu", prefix,
                     (unsigned long long)m->made->v[i].id);
}

/* Draws an integer from [low, high] such that its logarithm is uniform. */
static int32_t draw_log_uniform(struct sim_rng *rng, int32_t low, int32_t high)
{
    int32_t v = (int32_t)(sim_rng_log_uniform(rng, low - 0.5, high + 0.5) + 0.5);

    return v < low ? low : v > high ? high : v;
}

/* ---------------------------------------------------------------- w-hfsp
 * SOURCE: Pastorelli et al., HFSP, section 4.1: 53 small jobs of one or two maps, 41 medium ones of
 * 5 to 500 maps and 2 to 100 reduces, 6 large ones of up to 3,000 maps and up to 1,000 reduces;
 * task durations vary by less than 5 %. That every second medium job and four of the large ones
 * have reduces is our choice. */
static const struct sim_knob hfsp_knobs[] = {
    SIM_KNOB_MAP(60),
    SIM_KNOB_REDUCE(1000),
    SIM_KNOB_CV(0.05),
    SIM_KNOB_F_RACK(0),
    SIM_KNOB_F_OFF(0),
    SIM_KNOB_SETUP(0),
    SIM_KNOB_CLEANUP(0),
    SIM_KNOB_GAP(13),
    SIM_KNOB_WHOLE("reduces", 1, 0, 1, "0: no job has reduces"),
    SIM_KNOB_END,
};
#define HFSP_ONE_MAP  40
#define HFSP_TWO_MAPS 13
#define HFSP_MEDIUM   41

static void make_w_hfsp(struct sim_workload_maker *m)
{
    static const int32_t large[][2] = {{3000, 0},   {3000, 0},   {700, 150},
                                       {1100, 200}, {1500, 250}, {200, 1000}};
    struct sim_rng rng = sim_workload_rng_for(m, 3);

    for (int i = 0; i < HFSP_ONE_MAP + HFSP_TWO_MAPS; i++)
        sim_workload_add_job(m, "small", i < HFSP_ONE_MAP ? 1 : 2, 0);
    for (int i = 0; i < HFSP_MEDIUM; i++) {
        int32_t maps = draw_log_uniform(&rng, 5, 500), reduces = draw_log_uniform(&rng, 2, 100);

        sim_workload_add_job(m, "medium", maps, i % 2 ? reduces : 0);
    }
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        sim_workload_add_job(m, "large", large[i][0], large[i][1]);
    for (size_t i = 0; i < m->made->n && sim_knob_value(m, "reduces") == 0; i++)
        m->made->v[i].tasks[BASE_TASK_REDUCE] = 0;
    sim_workload_shuffle_jobs(m);
    sim_workload_draw_submissions(m, sim_knob_value(m, "gap_s"));
    set_missing_job_names(m, "job");
}

/* ---------------------------------------------------------------- w-rtmr-1, w-rtmr-2
 * SOURCE: He, Lu, Swanson, HPCC 2013, the two job mixes of the evaluation: maps, reduces and
 * relative deadlines by class. */
struct rtmr_class {
    int32_t jobs, maps[2], reduces[2], deadline_s[2];
};
static const struct rtmr_class rtmr_1[] = {
    {38, {1, 1}, {1, 5}, {200, 300}},        {16, {2, 2}, {1, 5}, {200, 300}},
    {14, {10, 10}, {5, 10}, {300, 400}},     {8, {50, 50}, {10, 20}, {500, 800}},
    {6, {100, 100}, {20, 30}, {1000, 1500}}, {6, {200, 200}, {30, 30}, {2000, 2500}},
};
static const struct rtmr_class rtmr_2[] = {
    {9, {1, 10}, {1, 5}, {200, 300}},         {24, {10, 50}, {5, 10}, {300, 500}},
    {25, {50, 100}, {15, 30}, {1000, 1500}},  {18, {100, 200}, {25, 50}, {1500, 2500}},
    {13, {200, 300}, {35, 70}, {2500, 3500}},
};
static const struct sim_knob rtmr_knobs[] = {
    SIM_KNOB_MAP(10),
    SIM_KNOB_REAL("reduce_s", 20, 0.001, 1e6, "fixed seconds of a reduce"),
    SIM_KNOB_REAL("reduce_map_s", 1, 0, 1e6,
                  "further seconds of a reduce per map output it fetches: times maps / reduces"),
    SIM_KNOB_CV(0.3),
    SIM_KNOB_F_RACK(0),
    SIM_KNOB_F_OFF(0),
    SIM_KNOB_GAP(14),
    SIM_KNOB_WHOLE("reduces_max", 0, 0, 1e6, "leave out jobs with more reduces; 0: keep all"),
    SIM_KNOB_END,
};

/* Removes jobs with more than @reduces_max reduces (0: no limit). Runs after the submission times
 * are drawn, so the remaining jobs keep theirs. */
static void drop_jobs_with_many_reduces(struct sim_workload_maker *m, int32_t reduces_max)
{
    struct sim_made_jobs *made = m->made;
    size_t kept = 0;

    for (size_t i = 0; i < made->n; i++)
        if (reduces_max == 0 || made->v[i].tasks[BASE_TASK_REDUCE] <= reduces_max)
            made->v[kept++] = made->v[i];
    made->n = kept;
}

static void make_rtmr_jobs(struct sim_workload_maker *m, const struct rtmr_class *classes, size_t n)
{
    struct sim_rng rng = sim_workload_rng_for(m, 3);

    for (size_t c = 0; c < n; c++)
        for (int32_t i = 0; i < classes[c].jobs; i++) {
            const struct rtmr_class *k = &classes[c];
            int32_t maps = (int32_t)sim_rng_between(&rng, k->maps[0], k->maps[1]);
            int32_t reduces = (int32_t)sim_rng_between(&rng, k->reduces[0], k->reduces[1]);
            char name[24];
            struct sim_job *job;

            snprintf(name, sizeof name, "%zu", c + 1);
            job = sim_workload_add_job(m, name, maps, reduces);
            job->base_us[BASE_TASK_REDUCE] +=
                llround(sim_knob_value(m, "reduce_map_s") * 1e6 * maps / reduces);
            job->deadline_us = sim_rng_between(&rng, k->deadline_s[0] * US, k->deadline_s[1] * US);
        }
    sim_workload_shuffle_jobs(m);
    sim_workload_draw_submissions(m, sim_knob_value(m, "gap_s"));
    drop_jobs_with_many_reduces(m, (int32_t)sim_knob_value(m, "reduces_max"));
    set_missing_job_names(m, "job");
}

static void make_w_rtmr_1(struct sim_workload_maker *m)
{
    make_rtmr_jobs(m, rtmr_1, sizeof rtmr_1 / sizeof *rtmr_1);
}

static void make_w_rtmr_2(struct sim_workload_maker *m)
{
    make_rtmr_jobs(m, rtmr_2, sizeof rtmr_2 / sizeof *rtmr_2);
}

/* ---------------------------------------------------------------- w-hsrtf
 * SOURCE: Cheriere et al., SAC 2016, section 5: the jobs, their order, one submission every 10 s.
 * Task times are our assumption, based on 128 MB per map and 1 GB per reducer of the large and
 * medium Sorts. */
static const struct sim_knob hsrtf_knobs[] = {
    SIM_KNOB_REAL("map_s", 75, 0.001, 1e6, "seconds of a map of Sort"),
    SIM_KNOB_REAL("wordcount_map_s", 100, 0.001, 1e6, "seconds of a map of WordCount"),
    SIM_KNOB_REAL("reduce_s", 400, 0.001, 1e6, "seconds of a reduce of Sort with 1 GB of input"),
    SIM_KNOB_REAL("small_reduce_s", 50, 0.001, 1e6, "seconds of the reduce of a small Sort"),
    SIM_KNOB_REAL("wordcount_reduce_s", 15, 0.001, 1e6, "seconds of the reduce of WordCount"),
    SIM_KNOB_CV(0.15),
    SIM_KNOB_F_RACK(1.3),
    SIM_KNOB_F_OFF(1.3),
    SIM_KNOB_SETUP(0),
    SIM_KNOB_CLEANUP(0),
    SIM_KNOB_GAP(10),
    SIM_KNOB_END,
};

static void make_w_hsrtf(struct sim_workload_maker *m)
{
    static const struct {
        const char *name, *class_name, *map_s, *reduce_s;
        int32_t jobs, maps, reduces;
        double selectivity;
    } parts[] = {
        {"large-sort", "large", "map_s", "reduce_s", 3, 256, 32, 1},
        {"medium-sort", "medium", "map_s", "reduce_s", 8, 64, 8, 1},
        {"small-sort", "small", "map_s", "small_reduce_s", 10, 1, 1, 1},
        {"small-wordcount", "small", "wordcount_map_s", "wordcount_reduce_s", 10, 1, 1, 0.15}};

    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
        for (int32_t i = 0; i < parts[p].jobs; i++) {
            struct sim_job *job =
                sim_workload_add_job(m, parts[p].class_name, parts[p].maps, parts[p].reduces);

            snprintf(job->name, sizeof job->name, "%s-%d", parts[p].name, i + 1);
            job->base_us[BASE_TASK_MAP] = sim_knob_value_us(m, parts[p].map_s);
            job->base_us[BASE_TASK_REDUCE] = sim_knob_value_us(m, parts[p].reduce_s);
            job->selectivity = parts[p].selectivity;
            job->submit_us = (int64_t)(job->id - 1) * sim_knob_value_us(m, "gap_s");
        }
}

/* ----------------------------------------------------------- hfsp-fig2, hfsp-fig7, hfsp-decreasing
 * SOURCE: Pastorelli et al., HFSP, figures 2 and 7, section 3.3. The scheduler knows the exact job
 * sizes. */
enum { KIND_REDUCE, KIND_MAP };
#define KNOB_KIND  SIM_KNOB_WORD("kind", KIND_REDUCE, "reduce,map", "which tasks the jobs have")
#define KNOB_SCALE SIM_KNOB_REAL("scale", 1, 1e-6, 1000, "factor on all times")

static const struct sim_knob fig2_knobs[] = {KNOB_KIND, KNOB_SCALE, SIM_KNOB_END};
static const struct sim_knob fig7_knobs[] = {
    KNOB_KIND,
    KNOB_SCALE,
    SIM_KNOB_WHOLE("tasks", 11, 1, 1e6, "tasks of the first job (8: as many as there are slots)"),
    SIM_KNOB_REAL("first_s", 500, 0.001, 1e6, "seconds of each of its tasks"),
    SIM_KNOB_REAL("task_s", 400, 0.001, 1e6, "seconds of each task of the others"),
    SIM_KNOB_END,
};
static const struct sim_knob decreasing_knobs[] = {
    KNOB_KIND,
    SIM_KNOB_JOBS(10),
    SIM_KNOB_WHOLE("tasks", 2000, 1, 1e6, "tasks of the first job"),
    SIM_KNOB_REAL("ratio", 0.6, 0.01, 1, "size of a job divided by that of the job before"),
    SIM_KNOB_REAL("task_s", 100, 0.001, 1e6, "seconds of a task"),
    SIM_KNOB_CV(0),
    SIM_KNOB_GAP(15),
    SIM_KNOB_REAL("again_s", 0, 0, 1e6,
                  "submit the same jobs again this many seconds later; 0: once"),
    SIM_KNOB_END,
};

/* Adds a job of @tasks tasks of @task_s seconds each (on average, if the setting "cv" is above 0),
 * submitted at @at_s. The policy learns the true mean duration at submission. */
static struct sim_job *add_job_of_known_size(struct sim_workload_maker *m, const char *class_name,
                                             double at_s, int32_t tasks, double task_s)
{
    enum base_task_kind kind =
        sim_knob_word_index(m, "kind") == KIND_MAP ? BASE_TASK_MAP : BASE_TASK_REDUCE;
    struct sim_job *job = sim_workload_add_job(m, class_name, kind == BASE_TASK_MAP ? tasks : 0,
                                               kind == BASE_TASK_REDUCE ? tasks : 0);

    job->base_us[kind] = llround(task_s * 1e6);
    job->expected_us[kind] = SIM_EXPECT_TRUE;
    job->submit_us = llround(at_s * 1e6);
    job->located = false;
    snprintf(job->name, sizeof job->name, "j%llu", (unsigned long long)job->id);
    return job;
}

static void make_hfsp_fig2(struct sim_workload_maker *m)
{
    double scale = sim_knob_value(m, "scale");

    add_job_of_known_size(m, "large", 0, 20, 30 * scale);
    add_job_of_known_size(m, "small", 10 * scale, 11, 10 * scale);
    add_job_of_known_size(m, "small", 13 * scale, 7, 10 * scale);
}

static void make_hfsp_fig7(struct sim_workload_maker *m)
{
    double scale = sim_knob_value(m, "scale"), task_s = sim_knob_value(m, "task_s") * scale;

    add_job_of_known_size(m, "large", 140 * scale, (int32_t)sim_knob_value(m, "tasks"),
                          sim_knob_value(m, "first_s") * scale);
    add_job_of_known_size(m, "small", 150 * scale, 2, task_s);
    for (int i = 0; i < 3; i++)
        add_job_of_known_size(m, "small", 150 * scale, 1, task_s);
}

/* Adds a series of jobs, the first at @from_s; each has "ratio" (a setting) times as many tasks as
 * the one before, but at least one. */
static void add_jobs_of_decreasing_size(struct sim_workload_maker *m, double from_s)
{
    double tasks = sim_knob_value(m, "tasks");

    for (int32_t i = 0; i < (int32_t)sim_knob_value(m, "jobs");
         i++, tasks *= sim_knob_value(m, "ratio")) {
        int32_t n = (int32_t)(tasks + 0.5);

        add_job_of_known_size(m, "", from_s + i * sim_knob_value(m, "gap_s"), n > 1 ? n : 1,
                              sim_knob_value(m, "task_s"));
    }
}

static int compare_submission(const void *a, const void *b)
{
    const struct sim_job *x = a, *y = b;

    return x->submit_us != y->submit_us ? (x->submit_us < y->submit_us ? -1 : 1)
                                        : (x->id > y->id) - (x->id < y->id);
}

static void make_hfsp_decreasing(struct sim_workload_maker *m)
{
    add_jobs_of_decreasing_size(m, 0);
    if (sim_knob_value(m, "again_s") == 0)
        return;
    add_jobs_of_decreasing_size(m, sim_knob_value(m, "again_s"));
    qsort(m->made->v, m->made->n, sizeof *m->made->v, compare_submission);
}

/* ---------------------------------------------------------------- reference-load
 * SOURCE: Zaharia et al., EuroSys 2010, section 5.4: 2,500 nodes, 100 jobs of 1,000 maps and 1,000
 * reduces in 20 pools. */
static const struct sim_knob reference_knobs[] = {
    SIM_KNOB_JOBS(100),
    SIM_KNOB_WHOLE("maps", 1000, 0, 1e6, "maps of a job"),
    SIM_KNOB_WHOLE("reduces", 1000, 0, 1e6, "reduces of a job"),
    SIM_KNOB_WHOLE("pools", 20, 1, 10000, "pools, each with an equal part of the jobs"),
    SIM_KNOB_MAP(10),
    SIM_KNOB_REDUCE(10),
    SIM_KNOB_CV(0),
    SIM_KNOB_F_RACK(0),
    SIM_KNOB_F_OFF(0),
    SIM_KNOB_END,
};

static void make_reference_load(struct sim_workload_maker *m)
{
    int32_t maps = (int32_t)sim_knob_value(m, "maps"),
            reduces = (int32_t)sim_knob_value(m, "reduces");
    unsigned pools = (unsigned)sim_knob_value(m, "pools");

    for (int32_t i = 0; i < (int32_t)sim_knob_value(m, "jobs"); i++) {
        struct sim_job *job = sim_workload_add_job(m, "", maps + (maps + reduces == 0), reduces);

        snprintf(job->pool, sizeof job->pool, "pool%02u", (unsigned)i % pools + 1);
    }
    set_missing_job_names(m, "job");
}

const struct sim_recipe sim_recipes_others[] = {
    {"w-hfsp", "100 jobs: 53 small, 41 medium, 6 large", hfsp_knobs, make_w_hfsp},
    {"w-rtmr-1", "88 jobs with deadlines, most of them small", rtmr_knobs, make_w_rtmr_1},
    {"w-rtmr-2", "89 jobs with deadlines, most of them medium", rtmr_knobs, make_w_rtmr_2},
    {"w-hsrtf", "3 large, 8 medium, 20 small jobs, one every 10 s", hsrtf_knobs, make_w_hsrtf},
    {"hfsp-fig2", "jobs of 20, 11 and 7 tasks at 0, 10 and 13 s, for 20 slots", fig2_knobs,
     make_hfsp_fig2},
    {"hfsp-fig7", "a large job at 140 s, four small ones at 150 s, for 8 slots", fig7_knobs,
     make_hfsp_fig7},
    {"hfsp-decreasing", "each job smaller than the one before", decreasing_knobs,
     make_hfsp_decreasing},
    {"reference-load", "jobs of 1,000 + 1,000 tasks in 20 pools, all at 0", reference_knobs,
     make_reference_load},
    {NULL, NULL, NULL, NULL},
};
