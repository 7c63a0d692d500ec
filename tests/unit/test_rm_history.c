/* Goal: an ended job becomes a line that the simulator reads as the same work: durations without
 * suspension and without waiting for maps, places, sizes, deadline. Method: views made by hand;
 * sim/input/trace_jsonl.h reads what is written. */
#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rm/http/spec_json.h"
#include "rm/jobs/ended_job.h"
#include "sim/input/trace_jsonl.h"
#include "tests/unit/cunit_main.h"

#define TS    INT64_C(1700000000000)
#define AT(s) (TS * 1000 + (int64_t)((s)*1e6))

static struct rm_job_spec *spec(const char *tasks)
{
    static const struct rm_spec_defaults defaults = {
        .user = "ann", .split_size = 1 << 20, .max_attempts = 4};
    struct rm_job_spec *s = NULL;
    char *body = base_printf(
        "{\"job\":{\"name\":\"wc \\\"1\\\"\",\"weight\":2,\"deadline-s\":60,\"tasks\":%s}}", tasks);

    CU_ASSERT_EQUAL_FATAL(rm_spec_job_decode(body, strlen(body), &defaults, &s, NULL), 0);
    free(body);
    return s;
}

static struct rm_task_view task(enum rm_task_state state, double start, double finish,
                                double suspended)
{
    return (struct rm_task_view){.state = state,
                                 .start_us = start > 0 ? AT(start) : 0,
                                 .finish_us = finish > 0 ? AT(finish) : 0,
                                 .suspended_us = (int64_t)(suspended * 1e6),
                                 .node_id = "host1:8042"};
}

static struct rm_app_view ended_job(struct rm_job_spec *s, int64_t maps, int64_t reduces)
{
    struct rm_app_view a = {.id = {TS, 7},
                            .is_job = true,
                            .user = "ann",
                            .name = s->name,
                            .queue = "etl.day",
                            .state = RM_APP_FINISHED,
                            .final_status = RM_FINAL_SUCCEEDED,
                            .submit_us = AT(1),
                            .start_us = AT(2),
                            .finish_us = AT(30),
                            .deadline_us = AT(61),
                            .diagnostics = "",
                            .job = s};

    a.phase[BASE_TASK_MAP].total = maps;
    a.phase[BASE_TASK_REDUCE].total = reduces;
    a.counters[BASE_COUNT_MAP_INPUT_BYTES] = 3000;
    a.counters[BASE_COUNT_SHUFFLE_BYTES] = 200;
    a.counters[BASE_COUNT_REDUCE_OUTPUT_BYTES] = 10;
    return a;
}

/* Reads the one line back; the caller clears the job. */
static struct sim_job read_back(const struct base_buf *line)
{
    FILE *f = fmemopen(line->data, line->len, "r");
    struct sim_trace t;
    struct sim_jsonl r;
    struct sim_job job;
    struct base_error err = {0};
    int rc;

    sim_job_init(&job);
    sim_trace_open_stream(&t, f, "history");
    sim_jsonl_init(&r, &t, 10);
    rc = sim_jsonl_next_job(&r, &job, &err);
    if (rc != 1)
        printf("%s\n%s\n", err.text, line->data);
    CU_ASSERT_EQUAL_FATAL(rc, 1);
    sim_jsonl_free(&r);
    sim_trace_close(&t);
    fclose(f);
    return job;
}

static void test_round_trip(void)
{
    struct rm_job_spec *s =
        spec("[{\"command\":\"x\",\"count\":2,\"hosts\":[\"h1\",\"h2\"],\"expected-s\":5},"
             "{\"command\":\"y\",\"hosts\":[\"h2\",\"h3\",\"h1\"],\"expected-s\":8},"
             "{\"kind\":\"reduce\",\"command\":\"z\"}]");
    struct rm_app_view a = ended_job(s, 3, 1);
    struct rm_task_view maps[] = {task(RM_TASK_SUCCEEDED, 2, 7, 0),
                                  task(RM_TASK_SUCCEEDED, 2, 10, 2.5),
                                  task(RM_TASK_SUCCEEDED, 7, 12.25, 0)};
    struct rm_task_view reduces[] = {task(RM_TASK_SUCCEEDED, 8, 30, 1)};
    struct rm_views tasks[BASE_TASK_KINDS] = {{.tasks = maps, .tasks_n = 3},
                                              {.tasks = reduces, .tasks_n = 1}};
    struct base_buf line = {0};
    struct sim_job job;

    CU_ASSERT_TRUE_FATAL(
        rm_history_encode_job(&a, (const struct rm_views *)tasks, TS * 1000, &line));
    CU_ASSERT_PTR_NOT_NULL(strstr(line.data, "\"app\":\"application_1700000000000_0007\""));
    CU_ASSERT_PTR_NOT_NULL(strstr(line.data, "\"state\":\"SUCCEEDED\""));
    CU_ASSERT_PTR_NOT_NULL(strstr(line.data, "\"map_starts_s\":[2,2,7]"));
    job = read_back(&line);
    CU_ASSERT_STRING_EQUAL(job.name, "wc \"1\"");
    CU_ASSERT_STRING_EQUAL(job.pool, "root.etl.day");
    CU_ASSERT_STRING_EQUAL(job.user, "ann");
    CU_ASSERT_EQUAL(job.weight, 2);
    CU_ASSERT_EQUAL(job.submit_us, 1000000);
    CU_ASSERT_EQUAL(job.deadline_us, 60000000);
    CU_ASSERT_EQUAL(job.tasks[BASE_TASK_MAP], 3);
    CU_ASSERT_EQUAL(job.tasks[BASE_TASK_REDUCE], 1);
    CU_ASSERT_EQUAL(job.task_us[BASE_TASK_MAP][0], 5000000);
    CU_ASSERT_EQUAL(job.task_us[BASE_TASK_MAP][1], 5500000);
    CU_ASSERT_EQUAL(job.task_us[BASE_TASK_MAP][2], 5250000);
    /* from the end of the last map at 12.25 */
    CU_ASSERT_EQUAL(job.task_us[BASE_TASK_REDUCE][0], 16750000);
    CU_ASSERT_EQUAL(job.expected_us[BASE_TASK_MAP], 6000000);
    CU_ASSERT_EQUAL(job.expected_us[BASE_TASK_REDUCE], 0);
    CU_ASSERT_TRUE(job.located);
    CU_ASSERT_EQUAL(job.replicas, 2);
    CU_ASSERT_EQUAL(job.replica_nodes[0], 0);
    CU_ASSERT_EQUAL(job.replica_nodes[4], 1);
    CU_ASSERT_EQUAL(job.input_bytes, 3000);
    CU_ASSERT_EQUAL(job.shuffle_bytes, 200);
    CU_ASSERT_EQUAL(job.f_off, 1);
    sim_job_clear(&job);
    base_buf_free(&line);
    rm_job_spec_unref(s);
}

/* A job that was killed: tasks that did not end count as long as those that did, or as was
 * expected. */
static void test_killed(void)
{
    struct rm_job_spec *s = spec("[{\"command\":\"x\",\"count\":3},{\"kind\":\"reduce\","
                                 "\"command\":\"z\",\"expected-s\":4}]");
    struct rm_app_view a = ended_job(s, 3, 1);
    struct rm_task_view maps[] = {task(RM_TASK_SUCCEEDED, 2, 6, 0), task(RM_TASK_KILLED, 2, 10, 0),
                                  task(RM_TASK_KILLED, 0, 0, 0)};
    struct rm_task_view reduces[] = {task(RM_TASK_KILLED, 0, 0, 0)};
    struct rm_views tasks[BASE_TASK_KINDS] = {{.tasks = maps, .tasks_n = 3},
                                              {.tasks = reduces, .tasks_n = 1}};
    struct base_buf line = {0};
    struct sim_job job;

    a.state = RM_APP_KILLED;
    a.final_status = RM_FINAL_KILLED;
    CU_ASSERT_TRUE_FATAL(
        rm_history_encode_job(&a, (const struct rm_views *)tasks, TS * 1000, &line));
    CU_ASSERT_PTR_NOT_NULL(strstr(line.data, "\"state\":\"KILLED\""));
    CU_ASSERT_PTR_NOT_NULL(strstr(line.data, "\"map_ran_on\":[\"host1:8042\",null,null]"));
    job = read_back(&line);
    for (int i = 0; i < 3; i++)
        CU_ASSERT_EQUAL(job.task_us[BASE_TASK_MAP][i], 4000000);
    CU_ASSERT_EQUAL(job.task_us[BASE_TASK_REDUCE][0], 4000000);
    CU_ASSERT_FALSE(job.located);
    sim_job_clear(&job);
    base_buf_free(&line);
    rm_job_spec_unref(s);
}

/* A deadline that means "whenever" is written as the latest that the simulator takes, which would
 * refuse the whole history otherwise. */
static void test_far_deadline(void)
{
    struct rm_job_spec *s = spec("[{\"command\":\"x\"}]");
    struct rm_app_view a = ended_job(s, 1, 0);
    struct rm_task_view maps[] = {task(RM_TASK_SUCCEEDED, 2, 6, 0)};
    struct rm_views tasks[BASE_TASK_KINDS] = {{.tasks = maps, .tasks_n = 1}, {0}};
    struct base_buf line = {0};
    struct sim_job job;

    a.deadline_us = INT64_C(253402300799000) * 1000; /* the end of the year 9999 */
    CU_ASSERT_TRUE_FATAL(
        rm_history_encode_job(&a, (const struct rm_views *)tasks, TS * 1000, &line));
    job = read_back(&line);
    CU_ASSERT_EQUAL(job.deadline_us, INT64_C(1000000000000000));
    sim_job_clear(&job);
    base_buf_free(&line);
    rm_job_spec_unref(s);
}

/* The places of a job of which every task is a group of its own are written in time that grows only
 * with their number. */
static void test_many_groups(void)
{
    enum { GROUPS = 50000 };
    struct base_buf text = {0}, line = {0};
    struct rm_views tasks[BASE_TASK_KINDS] = {{0}};
    struct sim_job job;

    for (int i = 0; i < GROUPS; i++)
        base_buf_addf(&text, "%s{\"command\":\"x\",\"hosts\":[\"h%d\"]}", i ? "," : "[", i % 7);
    base_buf_adds(&text, "]");
    struct rm_job_spec *s = spec(text.data);
    struct rm_app_view a = ended_job(s, GROUPS, 0);
    tasks[BASE_TASK_MAP].tasks = base_alloc(GROUPS * sizeof *tasks[BASE_TASK_MAP].tasks);
    tasks[BASE_TASK_MAP].tasks_n = GROUPS;
    for (int i = 0; i < GROUPS; i++)
        tasks[BASE_TASK_MAP].tasks[i] = task(RM_TASK_SUCCEEDED, 2, 6, 0);
    CU_ASSERT_TRUE_FATAL(
        rm_history_encode_job(&a, (const struct rm_views *)tasks, TS * 1000, &line));
    job = read_back(&line);
    CU_ASSERT_EQUAL(job.replicas, 1);
    CU_ASSERT_EQUAL(job.replica_nodes[GROUPS - 1], (GROUPS - 1) % 7);
    sim_job_clear(&job);
    free(tasks[BASE_TASK_MAP].tasks);
    base_buf_free(&text);
    base_buf_free(&line);
    rm_job_spec_unref(s);
}

/* A job that was refused or killed before anything ran, and whose times are not known either, has
 * no line: it would say nothing about work. */
static void test_unknown(void)
{
    struct rm_job_spec *s = spec("[{\"command\":\"x\"}]");
    struct rm_app_view a = ended_job(s, 1, 0);
    struct rm_task_view maps[] = {task(RM_TASK_KILLED, 0, 0, 0)};
    struct rm_views tasks[BASE_TASK_KINDS] = {{.tasks = maps, .tasks_n = 1}, {0}};
    struct base_buf line = {0};

    CU_ASSERT_FALSE(rm_history_encode_job(&a, (const struct rm_views *)tasks, 0, &line));
    CU_ASSERT_EQUAL(line.len, 0);
    base_buf_free(&line);
    rm_job_spec_unref(s);
}

static const struct cunit_case cases[] = {
    {"read back", test_round_trip},
    {"killed", test_killed},
    {"nothing known", test_unknown},
    {"a deadline far away", test_far_deadline},
    {"many kinds of tasks", test_many_groups},
};
CUNIT_MAIN("rm_history", cases)
