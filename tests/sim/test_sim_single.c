/* Goal: the simulator of a single server computes the right end of each job. Method: compares it
 * with results worked out by hand and with a simple, slow reference. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sim/input/single_server.h"
#include "sim/input/source.h"
#include "tests/unit/cunit_main.h"

#define FB2009 TRACES_DIR "/FB-2009_samples_24_times_1hr_0.tsv"
#define FB2010 TRACES_DIR "/FB-2010_samples_24_times_1hr_0.tsv"

#define JOBS_MAX 64

static void expect(enum sim_single_policy policy, const struct sim_single_job *jobs, size_t n,
                   const double *guess, const double *weight, const double *want)
{
    double finish[JOBS_MAX];

    sim_single_server_run(policy, jobs, n, guess, weight, finish);
    for (size_t i = 0; i < n; i++) {
        CU_ASSERT_DOUBLE_EQUAL(finish[i], want[i], 1e-9);
        if (fabs(finish[i] - want[i]) > 1e-9)
            fprintf(stderr, "%s: job %zu ends at %.12g instead of %.12g\n",
                    sim_single_policy_name(policy), i, finish[i], want[i]);
    }
}

/* Goal: all policies on three jobs. Method: HFSP, figure 1 (30 s at 0, 10 s at 10, 10 s at 15). */
static void test_three_jobs(void)
{
    static const struct sim_single_job jobs[] = {{0, 30}, {10, 10}, {15, 10}};
    double finish[3];

    expect(SIM_SINGLE_PS, jobs, 3, NULL, NULL, (double[]){50, 37.5, 42.5});
    sim_single_server_run(SIM_SINGLE_PS, jobs, 3, NULL, NULL, finish);
    CU_ASSERT_DOUBLE_EQUAL(sim_single_mean_sojourn(jobs, 3, finish), 35, 1e-9);
    expect(SIM_SINGLE_FSP, jobs, 3, NULL, NULL, (double[]){50, 20, 30});
    sim_single_server_run(SIM_SINGLE_FSP, jobs, 3, NULL, NULL, finish);
    CU_ASSERT_DOUBLE_EQUAL(sim_single_mean_sojourn(jobs, 3, finish), 25, 1e-9);
    expect(SIM_SINGLE_PSBS, jobs, 3, NULL, NULL, (double[]){50, 20, 30});
    expect(SIM_SINGLE_SRPT, jobs, 3, NULL, NULL, (double[]){50, 20, 30});
    expect(SIM_SINGLE_FIFO, jobs, 3, NULL, NULL, (double[]){30, 40, 50});
    sim_single_server_run(SIM_SINGLE_FIFO, jobs, 3, NULL, NULL, finish);
    CU_ASSERT_DOUBLE_EQUAL(sim_single_mean_sojourn(jobs, 3, finish), 95.0 / 3, 1e-9);
    /* least service: j2 alone from 10 to 15, j3 alone to 20, both to their ends at 30, then j1 */
    expect(SIM_SINGLE_LAS, jobs, 3, NULL, NULL, (double[]){50, 30, 30});
}

/* When jobs would end if no other job came: the projection by which FSP orders them. */
static void test_projections(void)
{
    static const struct sim_single_job jobs[] = {{0, 30}, {10, 10}, {15, 10}};

    expect(SIM_SINGLE_PS, jobs, 1, NULL, NULL, (double[]){30});
    expect(SIM_SINGLE_PS, jobs, 2, NULL, NULL, (double[]){40, 30});
    expect(SIM_SINGLE_PS, jobs, 3, NULL, NULL, (double[]){50, 37.5, 42.5});
}

/* Goal: late jobs. Method: the first job is believed to take 6 s and takes 30; worked out by hand.
 */
static void test_late_jobs(void)
{
    static const struct sim_single_job jobs[] = {{0, 30}, {5, 4}, {6, 4}, {20, 2}};
    static const struct sim_single_job believed[] = {{0, 6}, {5, 4}, {6, 4}, {20, 2}};
    static const double guess[] = {6, 4, 4, 2};
    double finish[4];

    expect(SIM_SINGLE_PS, jobs, 4, NULL, NULL, (double[]){40, 16.5, 17.5, 24});
    expect(SIM_SINGLE_FSP, jobs, 4, NULL, NULL, (double[]){40, 9, 13, 22});
    expect(SIM_SINGLE_SRPT, jobs, 4, NULL, NULL, (double[]){40, 9, 13, 22});
    expect(SIM_SINGLE_FSP, jobs, 4, guess, NULL, (double[]){30, 34, 38, 40});
    expect(SIM_SINGLE_PSBS, jobs, 4, guess, NULL, (double[]){40, 79.0 / 3, 325.0 / 12, 341.0 / 12});
    sim_single_server_run(SIM_SINGLE_PSBS, jobs, 4, guess, NULL, finish);
    CU_ASSERT_DOUBLE_EQUAL(sim_single_mean_sojourn(jobs, 4, finish), 545.0 / 24, 1e-9);
    sim_single_server_run(SIM_SINGLE_FSP, jobs, 4, guess, NULL, finish);
    CU_ASSERT_DOUBLE_EQUAL(sim_single_mean_sojourn(jobs, 4, finish), 27.75, 1e-9);
    /* the ends in the virtual system */
    expect(SIM_SINGLE_PS, believed, 4, NULL, NULL, (double[]){7.5, 13.5, 14, 22});
    /* the late job, believed to have nothing left to do, keeps the server under SRPT too */
    expect(SIM_SINGLE_SRPT, jobs, 4, guess, NULL, (double[]){30, 36, 40, 32});
}

static void test_weights(void)
{
    static const struct sim_single_job jobs[] = {{0, 30}, {0, 10}};
    static const double weight[] = {3, 1}, heavy[] = {1, 9};

    expect(SIM_SINGLE_PS, jobs, 2, NULL, weight, (double[]){40, 40});
    expect(SIM_SINGLE_PS, jobs, 2, NULL, heavy, (double[]){40, 10 / .9});
    expect(SIM_SINGLE_FSP, jobs, 2, NULL, (double[]){9, 1}, (double[]){30, 40});
    /* both late at once */
    expect(SIM_SINGLE_PSBS, jobs, 2, (double[]){0, 0}, weight, (double[]){40, 40});
}

static void test_ties_and_nothing(void)
{
    static const struct sim_single_job equal[] = {{5, 2}, {5, 2}, {0, 0}, {5, 0}};
    double none;

    expect(SIM_SINGLE_FIFO, equal, 4, NULL, NULL, (double[]){7, 9, 0, 9});
    expect(SIM_SINGLE_PS, equal, 4, NULL, NULL, (double[]){9, 9, 0, 5});
    expect(SIM_SINGLE_LAS, equal, 4, NULL, NULL, (double[]){9, 9, 0, 5});
    expect(SIM_SINGLE_FSP, equal, 4, NULL, NULL, (double[]){7, 9, 0, 5});
    expect(SIM_SINGLE_PSBS, equal, 4, NULL, NULL, (double[]){7, 9, 0, 5});
    expect(SIM_SINGLE_SRPT, equal, 4, NULL, NULL, (double[]){7, 9, 0, 5});
    for (int p = 0; p < SIM_SINGLE_POLICIES; p++)
        sim_single_server_run((enum sim_single_policy)p, NULL, 0, NULL, NULL, &none);
    CU_ASSERT_EQUAL(sim_single_mean_sojourn(NULL, 0, NULL), 0);
}

static void test_names(void)
{
    enum sim_single_policy p = SIM_SINGLE_POLICIES;
    struct base_error err = {0};

    for (int i = 0; i < SIM_SINGLE_POLICIES; i++) {
        CU_ASSERT_EQUAL(
            sim_single_policy_find(sim_single_policy_name((enum sim_single_policy)i), &p, &err), 0);
        CU_ASSERT_EQUAL((int)p, i);
    }
    CU_ASSERT_EQUAL(sim_single_policy_find("fair", &p, &err), -BASE_ENOTFOUND);
    CU_ASSERT_STRING_EQUAL(
        err.text, "no single-server policy 'fair': there are fifo, ps, las, fsp, srpt, psbs");
}

static void test_scale(void)
{
    struct sim_single_job jobs[] = {{0, 1}, {50, 2}, {100, 2}}, idle[] = {{0, 3}};

    sim_single_scale_to_load(jobs, 3, .5);
    CU_ASSERT_DOUBLE_EQUAL(jobs[0].size_s, 10, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(jobs[2].size_s, 20, 1e-12);
    sim_single_scale_to_load(idle, 1, .5); /* the last submission is at 0, so no load can be set */
    CU_ASSERT_EQUAL(idle[0].size_s, 3);
    CU_ASSERT_EQUAL(sim_single_bytes_moved(1, 10, 100), 151);
}

/* ---------------------------------------------------------------- random jobs
 * The reference computes the rates of all jobs anew at every event. */
struct ref {
    const struct sim_single_job *jobs;
    const double *guess, *weight;
    size_t n;
    enum sim_single_policy policy;
    double t, left[JOBS_MAX], had[JOBS_MAX], virt[JOBS_MAX], virt_end[JOBS_MAX], finish[JOBS_MAX];
    bool in[JOBS_MAX], done[JOBS_MAX];
    double rate[JOBS_MAX], virt_rate[JOBS_MAX];
};
#define EPS 1e-9

static bool ref_late(const struct ref *r, size_t i)
{
    return r->in[i] && !r->done[i] && r->virt_end[i] >= 0;
}

/* Returns the virtual end of @i; before that, a later time that orders the jobs by the virtual ends
 * that they would have if no other job came. */
static double ref_projected(const struct ref *r, size_t i)
{
    return r->virt_end[i] >= 0 ? r->virt_end[i] : 1e6 + r->virt[i] / r->weight[i];
}

static double ref_key(const struct ref *r, size_t i)
{
    switch (r->policy) {
    case SIM_SINGLE_SRPT:
        return r->guess[i] - r->had[i];
    case SIM_SINGLE_LAS:
        return r->had[i];
    default:
        return ref_projected(r, i);
    }
}

static void ref_rates(struct ref *r)
{
    bool sharing = r->policy == SIM_SINGLE_PS;
    double sum = 0, least = INFINITY, virt = 0;
    size_t first = r->n;

    for (size_t i = 0; i < r->n; i++) {
        sharing = sharing || (r->policy == SIM_SINGLE_PSBS && ref_late(r, i));
        if (r->in[i] && !r->done[i] && ref_key(r, i) < least - EPS) {
            least = ref_key(r, i);
            first = i;
        }
    }
    for (size_t i = 0; i < r->n; i++) {
        bool live = r->in[i] && !r->done[i], one = i == first;

        if (r->policy == SIM_SINGLE_LAS)
            one = live && r->had[i] < least + EPS;
        if (sharing)
            one = live && (r->policy == SIM_SINGLE_PS || ref_late(r, i));
        r->rate[i] = !one ? 0 : sharing ? r->weight[i] : 1;
        sum += r->rate[i];
        r->virt_rate[i] = r->in[i] && r->virt_end[i] < 0 ? r->weight[i] : 0;
        virt += r->virt_rate[i];
    }
    for (size_t i = 0; i < r->n; i++) {
        r->rate[i] = sum > 0 ? r->rate[i] / sum : 0;
        r->virt_rate[i] = virt > 0 ? r->virt_rate[i] / virt : 0;
    }
}

static double ref_step(const struct ref *r)
{
    double dt = INFINITY;

    for (size_t i = 0; i < r->n; i++) {
        if (!r->in[i])
            dt = fmin(dt, r->jobs[i].submit_s - r->t);
        if (r->rate[i] > 0)
            dt = fmin(dt, r->left[i] / r->rate[i]);
        if (r->virt_rate[i] > 0)
            dt = fmin(dt, r->virt[i] / r->virt_rate[i]);
        for (size_t k = 0; k < r->n && r->policy == SIM_SINGLE_LAS && r->rate[i] > 0; k++)
            if (r->in[k] && !r->done[k] && r->had[k] > r->had[i] + EPS)
                dt = fmin(dt, (r->had[k] - r->had[i]) / r->rate[i]);
    }
    return dt;
}

static void ref_run(struct ref *r)
{
    double dt;

    for (size_t i = 0; i < r->n; i++) {
        r->left[i] = r->jobs[i].size_s;
        r->virt[i] = r->guess[i];
        r->virt_end[i] = -1;
    }
    for (;;) {
        for (size_t i = 0; i < r->n; i++)
            r->in[i] = r->in[i] || r->jobs[i].submit_s <= r->t + EPS;
        ref_rates(r);
        dt = ref_step(r);
        if (dt == INFINITY)
            return;
        r->t += fmax(0, dt);
        for (size_t i = 0; i < r->n; i++) {
            r->left[i] -= r->rate[i] * dt;
            r->had[i] += r->rate[i] * dt;
            r->virt[i] -= r->virt_rate[i] * dt;
            if (r->in[i] && !r->done[i] && r->rate[i] > 0 && r->left[i] <= EPS) {
                r->done[i] = true;
                r->finish[i] = r->t;
            }
        }
        for (size_t i = 0; i < r->n; i++)
            if (r->in[i] && r->virt_end[i] < 0 && r->virt[i] <= EPS)
                r->virt_end[i] = r->t;
    }
}

static double draw(uint64_t *rng, double from, double to)
{
    *rng = *rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return from + (to - from) * (double)(*rng >> 11) / 9007199254740992.0;
}

static void test_random(void)
{
    uint64_t rng = 1;

    for (int round = 0; round < 300; round++) {
        struct sim_single_job jobs[JOBS_MAX];
        double guess[JOBS_MAX], weight[JOBS_MAX], finish[JOBS_MAX];
        size_t n = 1 + (size_t)draw(&rng, 0, 30);

        for (size_t i = 0; i < n; i++) {
            jobs[i] = (struct sim_single_job){draw(&rng, 0, 100), draw(&rng, .1, 8)};
            guess[i] = round % 2 ? jobs[i].size_s * draw(&rng, .2, 2) : jobs[i].size_s;
            weight[i] = round % 3 ? 1 : draw(&rng, .5, 4);
        }
        for (int p = SIM_SINGLE_PS; p < SIM_SINGLE_POLICIES; p++) {
            struct ref *r = base_alloc(sizeof *r);

            *r = (struct ref){.jobs = jobs,
                              .guess = guess,
                              .weight = weight,
                              .n = n,
                              .policy = (enum sim_single_policy)p};
            ref_run(r);
            sim_single_server_run((enum sim_single_policy)p, jobs, n, guess, weight, finish);
            for (size_t i = 0; i < n; i++) {
                CU_ASSERT_DOUBLE_EQUAL(finish[i], r->finish[i], 1e-6);
                if (fabs(finish[i] - r->finish[i]) > 1e-6)
                    fprintf(stderr, "round %d %s: job %zu ends at %.9f instead of %.9f\n", round,
                            sim_single_policy_name((enum sim_single_policy)p), i, finish[i],
                            r->finish[i]);
            }
            free(r);
        }
    }
}

/* When sizes are known, no job ends later under FSP than under PS, and the mean sojourn under SRPT
 * is at most that under FSP. */
static void test_dominance(void)
{
    uint64_t rng = 7;

    for (int round = 0; round < 200; round++) {
        struct sim_single_job jobs[JOBS_MAX];
        double ps[JOBS_MAX], fsp[JOBS_MAX], srpt[JOBS_MAX];

        for (size_t i = 0; i < JOBS_MAX; i++)
            jobs[i] = (struct sim_single_job){floor(draw(&rng, 0, 60)), floor(draw(&rng, 0, 4))};
        sim_single_server_run(SIM_SINGLE_PS, jobs, JOBS_MAX, NULL, NULL, ps);
        sim_single_server_run(SIM_SINGLE_FSP, jobs, JOBS_MAX, NULL, NULL, fsp);
        sim_single_server_run(SIM_SINGLE_SRPT, jobs, JOBS_MAX, NULL, NULL, srpt);
        for (size_t i = 0; i < JOBS_MAX; i++)
            CU_ASSERT(fsp[i] <= ps[i] + 1e-9);
        CU_ASSERT(sim_single_mean_sojourn(jobs, JOBS_MAX, srpt) <=
                  sim_single_mean_sojourn(jobs, JOBS_MAX, fsp) + 1e-9);
    }
}

/* ---------------------------------------------------------------- the two SWIM traces */
static void check_single(const char *file, double load, size_t rows, size_t empty,
                         const double want[static 5])
{
    static const enum sim_single_policy policies[] = {
        SIM_SINGLE_FIFO, SIM_SINGLE_PS, SIM_SINGLE_LAS, SIM_SINGLE_FSP, SIM_SINGLE_SRPT};
    struct sim_source_conf conf = {.what = file};
    struct base_error err = {0};
    struct sim_source *s = sim_source_open(&conf, &err);
    struct sim_single_job *jobs = NULL;
    double *finish[5];
    size_t n = 0, none = 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    CU_ASSERT_EQUAL_FATAL(sim_source_read_single_jobs(s, &jobs, &n, &err), 0);
    CU_ASSERT_EQUAL(n, rows);
    for (size_t i = 0; i < n; i++)
        none += jobs[i].size_s == 0;
    CU_ASSERT_EQUAL(none, empty);
    sim_single_scale_to_load(jobs, n, load);
    for (int p = 0; p < 5; p++) {
        finish[p] = base_alloc(n * sizeof **finish);
        sim_single_server_run(policies[p], jobs, n, NULL, NULL, finish[p]);
        if (want[p] > 0)
            CU_ASSERT_DOUBLE_EQUAL(sim_single_mean_sojourn(jobs, n, finish[p]), want[p],
                                   5.1e-5); /* all published digits */
    }
    for (size_t i = 0; i < n; i++)
        CU_ASSERT(finish[3][i] <= finish[1][i] + 1e-6);
    for (int p = 0; p < 5; p++)
        free(finish[p]);
    free(jobs);
    sim_source_close(s);
}

static void test_single_traces(void)
{
    check_single("swim:" FB2009, .9, 5894, 33,
                 (double[]){11135.4592, 75.1711, 49.0899, 32.8430, 32.4864});
    check_single("swim:" FB2010, .9, 24442, 127,
                 (double[]){1933.9114, 27.7486, 17.3957, 10.3813, 9.7925});
    check_single("swim:" FB2009, .5, 5894, 33, (double[]){2216.3378, 19.1231, 0, 11.9273, 11.7071});
    check_single("swim:" FB2010, .5, 24442, 127, (double[]){319.3678, 5.9788, 0, 3.4762, 3.4538});
}

static const struct cunit_case cases[] = {
    {"three jobs under every policy", test_three_jobs},
    {"projections", test_projections},
    {"late jobs keep the server, or share it", test_late_jobs},
    {"weights", test_weights},
    {"ties, jobs of no size, no jobs", test_ties_and_nothing},
    {"names", test_names},
    {"load", test_scale},
    {"random jobs, against the slow way", test_random},
    {"FSP dominates PS, SRPT is least", test_dominance},
    {"single server on both traces", test_single_traces},
};
CUNIT_MAIN("sim_single", cases)
