/* Goal: every job of every workload and trace runs to its end in the engine. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/sim.h"
#include "sim/input/source.h"
#include "sim/input/trace_jsonl.h"
#include "sim/input/workload.h"
#include "tests/sim/log_to_buffer.h"
#include "tests/sim/trace_write.h"
#include "tests/unit/cunit_main.h"

struct run {
    struct sim_totals totals;
    struct base_buf log;
    struct sim_job_result last;
    int64_t finish_sum_us;
};

static void on_job(void *ctx, const struct sim_job_result *r)
{
    struct run *run = ctx;

    run->last = *r;
    run->finish_sum_us += r->finish_us;
}

/* Runs all jobs of @s under FIFO on @nodes nodes of 4 + 2 slots, in four racks or, with fewer than
 * four nodes, in one. Closes @s. */
static struct run simulate(struct sim_source *s, int32_t nodes)
{
    const struct sim_group group = {.nodes = nodes, .slots = {4, 2}, .speed = 1};
    struct run run = {0};
    struct sim_log log = {.write = log_to_buffer, .self = &run.log};
    struct base_error err = {0};
    struct sim_conf conf;
    struct sim *sim;

    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    sim_conf_init(&conf);
    conf.cluster = (struct sim_cluster){.groups = &group,
                                        .groups_n = 1,
                                        .racks = nodes < 4 ? 1 : 4,
                                        .heartbeat_us = 3000000,
                                        .oob = true};
    conf.workload = sim_source_as_workload(s);
    conf.on_job = on_job;
    conf.ctx = &run;
    conf.log = &log;
    sim = sim_new(&conf, &err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(sim);
    CU_ASSERT_EQUAL(sim_run(sim, &err), 0);
    CU_ASSERT_EQUAL(sim_log_flush_and_free(&log, &err), 0);
    if (err.text[0])
        fprintf(stderr, "%s\n", err.text);
    run.totals = *sim_totals_peek(sim);
    sim_free(sim);
    sim_source_close(s);
    return run;
}

static struct run simulate_named(const char *what, int32_t nodes)
{
    struct sim_source_conf conf = {.what = what, .nodes = nodes, .seed = 1};
    struct base_error err;

    return simulate(sim_source_open(&conf, &err), nodes);
}

static void test_workloads(void)
{
    static const struct {
        const char *what;
        int64_t jobs, maps, reduces;
        int32_t nodes;
    } all[] = {
        {"w-hfs", 100, 26410, 0, 100},
        {"w-hfs-mixed", 106, 21616, 1788, 100},
        {"w-hfsp,reduces=0", 100, -1, 0, 100},
        {"w-rtmr-1", 88, 2410, -1, 30},
        {"w-rtmr-2,reduces_max=30", -1, -1, -1, 30},
        {"w-hsrtf", 31, 1300, 180, 58},
        {"hfs-fig11,long_maps=1200", 6, 5600, 0, 100},
        {"hfs-small-jobs,maps=3", 1000, 3000, 0, 100},
        {"hfs-scans,jobs=5", 5, 7200, 0, 100},
        {"hfs-closed-loop", 200, 800, 0, 100},
        {"hfsp-fig2", 3, 0, 38, 10},
        {"hfsp-fig7", 5, 0, 16, 4},
        {"hfsp-decreasing,tasks=200", 10, 0, -1, 20},
        {"reference-load,jobs=20,maps=100,reduces=100", 20, 2000, 2000, 50},
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct run run = simulate_named(all[i].what, all[i].nodes);

        if (all[i].jobs >= 0)
            CU_ASSERT_EQUAL(run.totals.jobs, all[i].jobs);
        if (all[i].maps >= 0)
            CU_ASSERT_EQUAL(run.totals.completions[BASE_TASK_MAP], all[i].maps);
        if (all[i].reduces >= 0)
            CU_ASSERT_EQUAL(run.totals.completions[BASE_TASK_REDUCE], all[i].reduces);
        CU_ASSERT_EQUAL(run.totals.accepted, run.totals.jobs);
        if (strncmp(all[i].what, "hfs-closed-loop", 15) == 0)
            CU_ASSERT_EQUAL(run.totals.jobs_live_max, 50);
        base_buf_free(&run.log);
    }
}

/* A workload that is exported and read again runs as the original does, event by event. */
static void test_replay(void)
{
    struct sim_source_conf conf = {.what = "w-hsrtf", .seed = 1};
    struct base_buf text = {0};
    struct base_error err = {0};
    struct sim_source *s = sim_source_open(&conf, &err);
    struct sim_job job;
    struct run first, again;
    FILE *in;

    for (sim_job_init(&job); sim_source_next_job(s, &job, &err) > 0; sim_job_clear(&job))
        trace_write_json_job(&job, &text);
    sim_source_close(s);
    first = simulate_named("w-hsrtf", 58);
    in = fmemopen(text.data, text.len, "r");
    again = simulate(sim_source_open_stream("jsonl", in, &conf, &err), 58);
    CU_ASSERT(first.log.len > 1000);
    CU_ASSERT_EQUAL(first.log.len, again.log.len);
    CU_ASSERT(first.log.len == again.log.len &&
              memcmp(first.log.data, again.log.data, first.log.len) == 0);
    fclose(in);
    base_buf_free(&text);
    base_buf_free(&first.log);
    base_buf_free(&again.log);
}

static void test_traces(void)
{
    static const char sls[] =
        "{\"num.nodes\":3}{\"job.start.ms\":0,\"job.id\":\"a\",\"job.tasks\":["
        "{\"container.host\":\"/r/n1\",\"duration.ms\":10000,\"count\":3},"
        "{\"container.host\":\"/r/n9\",\"duration.ms\":20000},"
        "{\"container.type\":\"reduce\",\"duration.ms\":5000}]}";
    struct sim_source_conf conf = {.nodes = 3};
    struct base_error err = {0};
    char *copy = base_strdup(sls);
    FILE *in = fmemopen(copy, sizeof sls - 1, "r");
    struct run run = simulate(sim_source_open_stream("sls", in, &conf, &err), 3);

    CU_ASSERT_EQUAL(run.totals.jobs, 1);
    CU_ASSERT_EQUAL(run.totals.completions[BASE_TASK_MAP], 4);
    /* a task takes as long as the trace says, wherever it runs */
    CU_ASSERT_EQUAL(run.totals.useful_us[BASE_TASK_MAP], 50e6);
    CU_ASSERT_EQUAL(run.last.finish_us - run.last.maps_done_us, 5000000);
    fclose(in);
    free(copy);
    base_buf_free(&run.log);
    run = simulate_named("swim:" TRACES_DIR "/FB-2009_samples_24_times_1hr_0.tsv", 20);
    CU_ASSERT_EQUAL(run.totals.jobs, 5894);
    CU_ASSERT_EQUAL(run.totals.accepted, 5894);
    base_buf_free(&run.log);
}

/* A bad line ends the run, with an error that names its place. */
static void test_bad_line(void)
{
    static const char text[] = "submit_s,maps\n0,1\n5,x\n";
    const struct sim_group group = {.nodes = 2, .slots = {1, 1}, .speed = 1};
    struct sim_source_conf source = {.nodes = 2};
    struct base_error err = {0};
    struct sim_conf conf;
    struct sim *sim;
    char *copy = base_strdup(text);
    FILE *in = fmemopen(copy, sizeof text - 1, "r");
    struct sim_source *s = sim_source_open_stream("csv", in, &source, &err);

    sim_conf_init(&conf);
    conf.cluster = (struct sim_cluster){.groups = &group, .groups_n = 1};
    conf.workload = sim_source_as_workload(s);
    sim = sim_new(&conf, &err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(sim);
    CU_ASSERT_EQUAL(sim_run(sim, &err), -BASE_EINVAL);
    CU_ASSERT(strstr(err.text, "csv:3: maps: 'x' is not an integer from 0 to 10000000") != NULL);
    sim_free(sim);
    sim_source_close(s);
    fclose(in);
    free(copy);
}

static const struct cunit_case cases[] = {
    {"every workload runs to its end", test_workloads},
    {"an export runs as its original", test_replay},
    {"traces run to their ends", test_traces},
    {"a bad line ends the run with its place", test_bad_line},
};
CUNIT_MAIN("sim_inputs", cases)
