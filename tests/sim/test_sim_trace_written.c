/* Traces written and read back: no field loses anything. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/input/source.h"
#include "sim/input/trace.h"
#include "sim/input/workload.h"
#include "tests/sim/trace_text.h"
#include "tests/sim/trace_write.h"
#include "tests/unit/cunit_main.h"

/* ---------------------------------------------------------------- writing */
/* Goal: a trace that is written and read again is the same, in every field. Method: writes a
 * workload in one of the formats, reads it, and writes what it has read again. */
static void round_trip(const char *name, bool json)
{
    struct sim_made_jobs made = {0};
    struct base_buf first = {0}, second = {0};
    struct base_error err;
    struct sim_job job;
    struct trace_text fx;

    CU_ASSERT_EQUAL_FATAL(sim_workload_make(name, NULL, 0, 5, &made, &err), 0);
    if (!json)
        trace_write_csv_header(&first);
    for (sim_job_init(&job); made.open = 0, sim_made_jobs_take_next(&made, &job) > 0;
         sim_job_clear(&job)) {
        if (json && job.id % 3 == 1 && job.tasks[BASE_TASK_MAP] > 0 &&
            job.tasks[BASE_TASK_MAP] < 20) {
            job.task_us[BASE_TASK_MAP] =
                base_alloc((size_t)job.tasks[BASE_TASK_MAP] * sizeof *job.task_us[BASE_TASK_MAP]);
            job.replica_nodes = base_alloc((size_t)(job.tasks[BASE_TASK_MAP] * job.replicas) *
                                           sizeof *job.replica_nodes);
            for (int32_t i = 0; i < job.tasks[BASE_TASK_MAP]; i++) {
                job.task_us[BASE_TASK_MAP][i] = 1 + i * 1234567;
                job.replica_nodes[i * job.replicas] = (uint32_t)i;
            }
            sim_trace_set_mean_durations(&job);
        }
        json ? trace_write_json_job(&job, &first) : trace_write_csv_job(&job, &first);
    }
    if (!json)
        trace_write_csv_header(&second);
    trace_text_open(&fx, json ? "jsonl" : "csv", first.data, NULL);
    while (trace_text_next(&fx) > 0)
        json ? trace_write_json_job(&fx.job, &second) : trace_write_csv_job(&fx.job, &second);
    CU_ASSERT_STRING_EQUAL(fx.err.text, "");
    CU_ASSERT_EQUAL(first.len, second.len);
    CU_ASSERT(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
    trace_text_close(&fx);
    sim_made_jobs_free(&made);
    base_buf_free(&first);
    base_buf_free(&second);
}

static void test_round_trips(void)
{
    const char *name;

    for (size_t i = 0; (name = sim_workload_name_at(i)); i++) {
        round_trip(name, false);
        round_trip(name, true);
    }
}

/* Field by field, with no value at its default. */
static void test_all_fields(void)
{
    static const char want[] =
        "{\"version\":1,\"id\":9,\"name\":\"n\\\"1\",\"class\":\"c\",\"pool\":\"p,q\",\"user\":"
        "\"\xc3\xa9\",\"submit_"
        "s\":1.000001,"
        "\"weight\":0.1,\"priority\":-2,\"after\":8,\"gap_s\":3,\"deadline_s\":4.5,\"maps\":2,"
        "\"reduces\":1,"
        "\"map_s\":5,\"reduce_s\":6,\"map_cv\":0.2,\"reduce_cv\":0,\"map_expected_s\":7,\"reduce_"
        "expected_s\":true,"
        "\"setup_s\":8,\"cleanup_s\":9,\"input_bytes\":10,\"shuffle_bytes\":11,\"output_bytes\":12,"
        "\"split_bytes\":13,"
        "\"partition_bytes\":14,\"selectivity\":1.5,\"f_rack\":1.25,\"f_off\":2.5,\"f_colo\":0.7,"
        "\"located\":false,"
        "\"replicas\":2,\"file\":3,\"slots\":4}\n";
    struct sim_job j;
    struct base_buf text = {0};
    struct trace_text fx;

    sim_job_init(&j);
    j = (struct sim_job){.id = 9,
                         .name = "n\"1",
                         .class_name = "c",
                         .pool = "p,q",
                         .user = "\xc3\xa9",
                         .submit_us = 1000001,
                         .weight = 0.1,
                         .slots = 4,
                         .priority = -2,
                         .after = 8,
                         .gap_us = 3000000,
                         .deadline_us = 4500000,
                         .tasks = {2, 1},
                         .base_us = {5000000, 6000000},
                         .cv = {.2, 0},
                         .expected_us = {7000000, SIM_EXPECT_TRUE},
                         .setup_us = 8000000,
                         .cleanup_us = 9000000,
                         .input_bytes = 10,
                         .shuffle_bytes = 11,
                         .output_bytes = 12,
                         .split_bytes = 13,
                         .partition_bytes = 14,
                         .selectivity = 1.5,
                         .f_rack = 1.25,
                         .f_off = 2.5,
                         .f_colo = .7,
                         .located = false,
                         .replicas = 2,
                         .file = 3};
    trace_write_json_job(&j, &text);
    CU_ASSERT_STRING_EQUAL(text.data, want);
    trace_text_open(&fx, "jsonl", text.data, NULL);
    CU_ASSERT_EQUAL(trace_text_next(&fx), 1);
    CU_ASSERT_STRING_EQUAL(fx.err.text, "");
    CU_ASSERT_EQUAL(fx.job.weight, 0.1);
    CU_ASSERT_STRING_EQUAL(fx.job.pool, "p,q");
    CU_ASSERT_EQUAL(memcmp(&fx.job, &j, sizeof j), 0);
    trace_text_close(&fx);
    base_buf_clear(&text);
    sim_job_copy_text(j.name, "not \xff utf-8");
    trace_write_json_job(&j, &text);
    CU_ASSERT(strstr(text.data, "\"name\":\"not ? utf-8\"") != NULL);
    base_buf_free(&text);
}

static const struct cunit_case cases[] = {
    {"what is written is read as the same", test_round_trips},
    {"every field", test_all_fields},
};
CUNIT_MAIN("sim_trace_written", cases)
