/* The readers of SLS, CSV and JSON lines: small files that use every feature, and bad ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/input/source.h"
#include "sim/input/trace_csv.h"
#include "sim/input/trace_jsonl.h"
#include "sim/input/trace_sls.h"
#include "tests/sim/trace_text.h"
#include "tests/unit/cunit_main.h"

/* ---------------------------------------------------------------- SLS */
/* The example from Hadoop's documentation. */
static const char sls_text[] =
    "{\n  \"num.nodes\": 3,\n  \"num.racks\": 1\n}\n"
    "{\n  \"am.type\" : \"mapreduce\",\n  \"job.start.ms\" : 0,\n  \"job.end.ms\" : 95375,\n"
    "  \"job.queue.name\" : \"sls_queue_1\",\n  \"job.id\" : \"job_1\",\n  \"job.user\" : "
    "\"default\",\n"
    "  \"job.count\" : 1,\n  \"job.tasks\" : [ {\n    \"count\": 1,\n"
    "    \"container.host\" : \"/default-rack/node1\",\n    \"container.start.ms\" : 6664,\n"
    "    \"container.end.ms\" : 23707,\n    \"duration.ms\":  50000,\n    \"container.priority\" : "
    "20,\n"
    "    \"container.type\" : \"map\"\n  }, {\n"
    "    \"container.host\" : \"/default-rack/node3\",\n    \"container.start.ms\" : 6665,\n"
    "    \"container.end.ms\" : 21593,\n    \"container.priority\" : 20,\n    \"container.type\" : "
    "\"map\"\n  }, {\n"
    "    \"container.host\" : \"/default-rack/node2\",\n    \"container.start.ms\" : 68770,\n"
    "    \"container.end.ms\" : 86613,\n    \"container.type\" : \"reduce\"\n  } ]\n}\n"
    "{\n  \"job.start.ms\" : \"105204\",\n  \"job.count\" : \"2\",\n  \"job.tasks\" : [ {\n    "
    "\"count\" : 3,\n"
    "    \"container.host\" : \"/default-rack/node3\",\n    \"container.duration.ms\" : 22163\n  "
    "}, {\n"
    "    \"container.host\" : \"/default-rack/node4\",\n    \"duration.ms\" : \"1\"\n  } ]\n}\n";

static void test_sls(void)
{
    struct sim_source_conf conf = {.nodes = 2};
    struct trace_text fx;

    trace_text_open(&fx, "sls", sls_text, &conf);
    CU_ASSERT_EQUAL(trace_text_next(&fx), 1);
    CU_ASSERT_STRING_EQUAL(fx.job.name, "job_1");
    CU_ASSERT_STRING_EQUAL(fx.job.pool, "sls_queue_1");
    CU_ASSERT_STRING_EQUAL(fx.job.user, "default");
    CU_ASSERT_EQUAL(fx.job.submit_us, 0);
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_MAP], 2);
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_REDUCE], 1);
    CU_ASSERT_EQUAL(fx.job.task_us[BASE_TASK_MAP][0], 50000000);
    CU_ASSERT_EQUAL(fx.job.task_us[BASE_TASK_MAP][1], 14928000);
    CU_ASSERT_EQUAL(fx.job.task_us[BASE_TASK_REDUCE][0], 17843000);
    CU_ASSERT_EQUAL(fx.job.base_us[BASE_TASK_MAP], 32464000);
    CU_ASSERT(fx.job.located && fx.job.replicas == 1 && fx.job.f_off == 1 && fx.job.f_rack == 1);
    CU_ASSERT_EQUAL(fx.job.replica_nodes[0], 0);
    CU_ASSERT_EQUAL(fx.job.replica_nodes[1], 1);
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL(trace_text_next(&fx), 1);
        CU_ASSERT_EQUAL((int)fx.job.id, 2 + i);
        CU_ASSERT_EQUAL(fx.job.submit_us, 105204000);
        CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_MAP], 4);
        CU_ASSERT_EQUAL(fx.job.task_us[BASE_TASK_MAP][2], 22163000);
        CU_ASSERT_EQUAL(fx.job.task_us[BASE_TASK_MAP][3], 1000);
        CU_ASSERT_EQUAL(fx.job.replica_nodes[2], 1);
        CU_ASSERT_EQUAL(fx.job.replica_nodes[3], 0); /* the third host; there are two nodes */
    }
    CU_ASSERT_EQUAL(trace_text_next(&fx), 0);
    trace_text_close(&fx);
}

static void test_sls_forms(void)
{
    struct trace_text fx;

    trace_text_open(
        &fx, "sls",
        " [ "
        "]\n[{\"job.start.ms\":1,\"job.id\":7,\"job.tasks\":[{\"duration.ms\":5},{\"duration."
        "ms\":6,"
        "\"container.host\":\"/r/n\"}]} ,\n "
        "{\"job.start.ms\":2,\"x\":\"}\\\"{\",\"job.tasks\":[{\"duration.ms\":5,"
        "\"container.type\":\"reduce\"}]}]\n{\"job.start.ms\":3,\"job.tasks\":[{\"duration."
        "ms\":5}]}",
        NULL);
    CU_ASSERT_EQUAL(trace_text_next(&fx), 1);
    CU_ASSERT_STRING_EQUAL(fx.job.name, "7");
    CU_ASSERT(!fx.job.located && !fx.job.replica_nodes); /* not all maps have a host */
    CU_ASSERT_EQUAL(trace_text_next(&fx), 1);
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_MAP], 0);
    CU_ASSERT_EQUAL(trace_text_next(&fx), 1);
    CU_ASSERT_EQUAL(fx.job.submit_us, 3000);
    CU_ASSERT_EQUAL(trace_text_next(&fx), 0);
    trace_text_close(&fx);
}

static void test_sls_errors(void)
{
    struct sim_source_conf conf = {.skip_bad = true};
    struct trace_text fx;

    trace_text_expect_error("sls", "\n{\"job.tasks\":[{\"duration.ms\":5}]}",
                            "sls:2: job.start.ms: is required");
    trace_text_expect_error("sls", "{\"job.start.ms\":1}", "sls:1: job.tasks: is required");
    trace_text_expect_error("sls", "{\"job.start.ms\":1,\"job.tasks\":[]}",
                            "sls:1: job.tasks: a job has at least one task");
    trace_text_expect_error("sls", "{\"job.start.ms\":1,\"job.tasks\":[{\"duration.ms\":5},7]}",
                            "sls:1: job.tasks[1]: 7 is not an object");
    trace_text_expect_error(
        "sls", "{\"job.start.ms\":1,\"job.tasks\":[{\"duration.ms\":0}]}",
        "sls:1: job.tasks[0].duration.ms: 0 is not an integer from 1 to 1000000000000");
    trace_text_expect_error(
        "sls", "{\"job.start.ms\":1,\"job.tasks\":[{\"duration.ms\":\"5s\"}]}",
        "sls:1: job.tasks[0].duration.ms: '5s' is not an integer from 1 to 1000000000000");
    trace_text_expect_error(
        "sls",
        "{\"job.start.ms\":1,\"job.tasks\":[{\"container.start.ms\":10,\"container.end.ms\":10}]}",
        "sls:1: job.tasks[0].container.end.ms: 10 is not an integer from 11 to 1000000000000");
    trace_text_expect_error(
        "sls", "{\"job.start.ms\":1,\"job.tasks\":[{\"duration.ms\":5,\"container.type\":\"am\"}]}",
        "sls:1: job.tasks[0].container.type: \"am\" is not \"map\" or \"reduce\"");
    trace_text_expect_error("sls", "{} 7", "sls:1: job.start.ms: is required");
    trace_text_expect_error("sls", "7", "sls:1: JSON: '7' is not { or [");
    trace_text_expect_error("sls", "[{\"num.nodes\":1} {}]", "sls:1: JSON: '{' is not , or ]");
    trace_text_expect_error("sls", "[{\"num.nodes\":1},\n]", "sls:2: JSON: ']' is not {");
    trace_text_expect_error("sls", "[\n{\"num.nodes\":1}", "sls:2: the file ends within an array");
    trace_text_expect_error("sls", "\n\n{\"num.nodes\":\n",
                            "sls:3: the file ends within this object");
    trace_text_expect_error(
        "sls", "{\"a\":1,\"a\":2}",
        "sls:1: not valid JSON: line 1, column 10: duplicate object key near '\"a\"'");
    trace_text_open(
        &fx, "sls",
        "{\"job.tasks\":[\n7]}\n{\"job.start.ms\":1,\"job.tasks\":[{\"duration.ms\":5}]}\n#!\n{"
        "\n,}\n"
        "{\"job.start.ms\":2,\"job.tasks\":[{\"duration.ms\":5}]}",
        &conf);
    CU_ASSERT_EQUAL(trace_text_next(&fx), 1);
    CU_ASSERT_EQUAL(fx.job.submit_us, 1000);
    CU_ASSERT_EQUAL(trace_text_next(&fx), 1);
    CU_ASSERT_EQUAL(fx.job.submit_us, 2000);
    CU_ASSERT_EQUAL(trace_text_next(&fx), 0);
    CU_ASSERT_EQUAL(sim_source_skipped_lines(fx.source), 3);
    trace_text_close(&fx);
}

/* ---------------------------------------------------------------- CSV */
static void test_csv(void)
{
    struct trace_text fx;

    trace_text_open(
        &fx, "csv",
        "\xef\xbb\xbfpool,id,submit_s,maps,reduces,map_s,located,map_expected_s,input_bytes,"
        "shuffle_bytes\r\n"
        "\"ann, \"\"bob\"\"\",41,0.000001,3,,1.5,false,true,,\r\n"
        ",wordcount,12.25,,,,,30,268435457,2684354560\n",
        NULL);
    CU_ASSERT_EQUAL(trace_text_next(&fx), 1);
    CU_ASSERT_STRING_EQUAL(fx.job.pool, "ann, \"bob\"");
    CU_ASSERT_EQUAL(fx.job.id, 41);
    CU_ASSERT_EQUAL(fx.job.submit_us, 1);
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_MAP], 3);
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_REDUCE], 0);
    CU_ASSERT_EQUAL(fx.job.base_us[BASE_TASK_MAP], 1500000);
    CU_ASSERT_EQUAL(fx.job.expected_us[BASE_TASK_MAP], SIM_EXPECT_TRUE);
    CU_ASSERT_EQUAL(fx.job.cv[BASE_TASK_MAP], 0.1);
    CU_ASSERT_EQUAL(fx.job.weight, 1);
    CU_ASSERT(!fx.job.located);
    CU_ASSERT_EQUAL(trace_text_next(&fx), 1);
    CU_ASSERT_EQUAL(fx.job.id, 2);
    CU_ASSERT_STRING_EQUAL(fx.job.name, "wordcount");
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_MAP], 3);    /* two blocks and a byte */
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_REDUCE], 3); /* 2.5 GiB, rounded */
    CU_ASSERT_EQUAL(fx.job.split_bytes, 89478486);
    CU_ASSERT_EQUAL(fx.job.expected_us[BASE_TASK_MAP], 30000000);
    CU_ASSERT_EQUAL(fx.job.base_us[BASE_TASK_MAP], 30000000);
    CU_ASSERT_DOUBLE_EQUAL(fx.job.selectivity, 10, 1e-6);
    CU_ASSERT_EQUAL(trace_text_next(&fx), 0);
    trace_text_close(&fx);
    trace_text_open(&fx, "csv", "submit_s", NULL);
    CU_ASSERT_EQUAL(trace_text_next(&fx), 0);
    trace_text_close(&fx);
}

static void test_csv_errors(void)
{
    struct sim_source_conf conf = {.skip_bad = true};
    struct trace_text fx;

    trace_text_expect_error("csv", "submit_s,maps\n1\n",
                            "csv:2: 1 cells instead of the 2 that the first line names");
    trace_text_expect_error("csv", "submit_s,maps\n1,2,3\n",
                            "csv:2: 3 cells instead of the 2 that the first line names");
    trace_text_expect_error("csv", "submit_s,maps\n1,two\n",
                            "csv:2: maps: 'two' is not an integer from 0 to 10000000");
    trace_text_expect_error("csv", "submit_s,maps\n,2\n", "csv:2: submit_s: is required");
    trace_text_expect_error(
        "csv", "submit_s,maps\nnan,2\n",
        "csv:2: submit_s: 'nan' is not a number of seconds from 0 to 1000000000");
    trace_text_expect_error("csv", "submit_s,weight,maps\n1,0,2\n",
                            "csv:2: weight: '0' is not a number from 1e-06 to 1000000");
    trace_text_expect_error("csv", "submit_s,located,maps\n1,yes,2\n",
                            "csv:2: located: 'yes' is not true or false");
    trace_text_expect_error(
        "csv", "submit_s,maps\n1,0\n",
        "csv:2: maps: a job has at least one task: maps, reduces or input_bytes say how many");
    trace_text_expect_error("csv", "submit_s,maps\n1,\"2\"x\n",
                            "csv:2: text after the closing quote of \"2\"");
    trace_text_expect_error("csv", "submit_s,maps\n1,\"2\n",
                            "csv:2: the quote before \"2\" is not closed");
    trace_text_expect_error("csv", "submit_s,maps,id,after\n1,2,7,7\n",
                            "csv:2: after: a job cannot wait for itself");
    trace_text_expect_error("csv", "submit_s,maps,id\n1,2,0\n",
                            "csv:2: id: '0' is not an integer from 1 to 1000000000000000");
    trace_text_expect_error("csv", "submit_s,maps,split_bytes\n1,1000000,1000000000000000\n",
                            "csv:2: split_bytes: times maps are more than 1e18 bytes");
    /* a bad header is no line to skip: nothing can be read */
    trace_text_open(&fx, "csv", "submit_s,mps\n1,2\n3,4\n", &conf);
    CU_ASSERT_EQUAL(trace_text_next(&fx), -BASE_EINVAL);
    CU_ASSERT(
        strncmp(fx.err.text,
                "csv:1: column 'mps' is not known; the first line names columns of: id, name, ",
                75) == 0);
    CU_ASSERT_EQUAL(trace_text_next(&fx), -BASE_EINVAL);
    trace_text_close(&fx);
    trace_text_open(&fx, "csv", "maps,maps\n", NULL);
    CU_ASSERT(trace_text_next(&fx) < 0 && strstr(fx.err.text, "column 'maps' appears twice"));
    trace_text_close(&fx);
    trace_text_open(&fx, "csv", "maps\n2\n", NULL);
    CU_ASSERT(trace_text_next(&fx) < 0 && strstr(fx.err.text, "column 'submit_s' is missing"));
    trace_text_close(&fx);
}

/* ---------------------------------------------------------------- JSON-lines */
static void test_jsonl(void)
{
    struct trace_text fx;

    trace_text_open(
        &fx, "jsonl",
        "{\"version\":1,\"id\":7,\"name\":\"wc\",\"pool\":\"root.etl\",\"user\":\"ann\",\"submit_"
        "s\":12.5,"
        "\"map_durations_s\":[25.1,24.8,26],\"reduces\":1,\"reduce_durations_s\":[60.2],\"f_rack\":"
        "1,\"f_off\":1,"
        "\"map_hosts\":[[\"a\",\"b\"],[\"b\"],[\"c\",\"a\"]],\"app\":\"application_17_0007\","
        "\"state\":\"SUCCEEDED\","
        "\"time_0_ms\":1700000000000,\"start_s\":13,\"finish_s\":99.25,\"map_starts_s\":[13,13,14],"
        "\"map_ran_on\":[\"a\",null,\"c\"],\"reduce_starts_s\":[39],\"reduce_ran_on\":[\"a\"]}\n"
        "\n"
        "{\"id\":\"two\",\"submit_s\":13,\"maps\":2,\"map_s\":4,\"deadline_s\":600,\"weight\":2.5,"
        "\"located\":true,"
        "\"map_nodes\":[[0,5],[1,2]],\"map_expected_s\":true,\"user\":null}",
        NULL);
    CU_ASSERT_EQUAL(trace_text_next(&fx), 1);
    CU_ASSERT_EQUAL(fx.job.id, 7);
    CU_ASSERT_EQUAL(fx.job.submit_us, 12500000);
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_MAP], 3);
    CU_ASSERT_EQUAL(fx.job.task_us[BASE_TASK_MAP][1], 24800000);
    CU_ASSERT_EQUAL(fx.job.task_us[BASE_TASK_REDUCE][0], 60200000);
    CU_ASSERT_EQUAL(fx.job.base_us[BASE_TASK_MAP], 25300000);
    CU_ASSERT_EQUAL(fx.job.replicas, 2);
    {
        static const uint32_t want[] = {0, 1, 1, 1, 2, 0};

        CU_ASSERT_EQUAL(memcmp(fx.job.replica_nodes, want, sizeof want), 0);
    }
    CU_ASSERT_EQUAL(trace_text_next(&fx), 1);
    CU_ASSERT_STRING_EQUAL(fx.job.name, "two");
    CU_ASSERT_EQUAL(fx.job.deadline_us, 600000000);
    CU_ASSERT_EQUAL(fx.job.weight, 2.5);
    CU_ASSERT_EQUAL(fx.job.replica_nodes[1], 5);
    CU_ASSERT_EQUAL(fx.job.expected_us[BASE_TASK_MAP], SIM_EXPECT_TRUE);
    CU_ASSERT_EQUAL(trace_text_next(&fx), 0);
    trace_text_close(&fx);
}

static void test_jsonl_errors(void)
{
    trace_text_expect_error("jsonl", "{\"submit_s\":1,\"maps\":1}\n\n{\"submit_s\":1,\"map\":1}",
                            "jsonl:3: map: unknown member; did you mean \"maps\"?");
    trace_text_expect_error("jsonl", "{\"submit_s\":1,\"something\":1}",
                            "jsonl:1: something: unknown member");
    trace_text_expect_error(
        "jsonl", "{\"submit_s\":1",
        "jsonl:1: not valid JSON: line 1, column 13: '}' expected near end of file");
    trace_text_expect_error("jsonl", "[1]", "jsonl:1: the line: an array is not an object");
    trace_text_expect_error("jsonl", "{\"version\":2,\"submit_s\":1}",
                            "jsonl:1: version: 2 is not an integer from 1 to 1");
    trace_text_expect_error("jsonl", "{\"submit_s\":\"1\",\"maps\":1}",
                            "jsonl:1: submit_s: \"1\" is not a number");
    trace_text_expect_error(
        "jsonl", "{\"submit_s\":-1,\"maps\":1}",
        "jsonl:1: submit_s: '-1' is not a number of seconds from 0 to 1000000000");
    trace_text_expect_error("jsonl", "{\"submit_s\":1,\"maps\":1.5}",
                            "jsonl:1: maps: '1.5' is not an integer from 0 to 10000000");
    trace_text_expect_error("jsonl", "{\"submit_s\":1,\"maps\":1,\"user\":7}",
                            "jsonl:1: user: 7 is not a string");
    trace_text_expect_error("jsonl", "{\"submit_s\":1,\"maps\":1,\"located\":1}",
                            "jsonl:1: located: 1 is not true or false");
    trace_text_expect_error("jsonl", "{\"submit_s\":1,\"maps\":1,\"id\":1.5}",
                            "jsonl:1: id: 1.5 is not an integer or a string");
    trace_text_expect_error("jsonl", "{\"submit_s\":1,\"maps\":1,\"map_expected_s\":false}",
                            "jsonl:1: map_expected_s: false is not a number");
    trace_text_expect_error("jsonl", "{\"submit_s\":1,\"maps\":2,\"map_durations_s\":[1]}",
                            "jsonl:1: map_durations_s: 1 durations for 2 maps");
    trace_text_expect_error(
        "jsonl", "{\"submit_s\":1,\"map_durations_s\":[1,0]}",
        "jsonl:1: map_durations_s[1]: 0 is not a number of seconds from 0.000001 to 1000000000");
    trace_text_expect_error("jsonl", "{\"submit_s\":1,\"maps\":2,\"map_hosts\":[[\"a\"]]}",
                            "jsonl:1: map_hosts: places of 1 splits for 2 maps");
    trace_text_expect_error("jsonl", "{\"submit_s\":1,\"maps\":1,\"map_hosts\":[[3]]}",
                            "jsonl:1: map_hosts[0][0]: 3 is not the name of a host");
    trace_text_expect_error("jsonl", "{\"submit_s\":1,\"maps\":1,\"map_nodes\":[[-3]]}",
                            "jsonl:1: map_nodes[0][0]: -3 is not the number of a node");
    trace_text_expect_error("jsonl", "{\"submit_s\":1,\"maps\":1,\"map_nodes\":[7]}",
                            "jsonl:1: map_nodes[0]: 7 is not a list of at most 8 places");
}

/* A line as the job history of a live cluster exports it: members that only a history has are
 * ignored. */
static void test_history(void)
{
    static const char text[] =
        "{\"version\":1,\"id\":1,\"submit_s\":1,\"maps\":2,\"reduces\":1,\"f_rack\":1,\"f_off\":1,"
        "\"map_durations_s\":[7,6.5],\"reduce_durations_s\":[3],"
        "\"app\":\"application_1700000000000_0003\",\"state\":\"SUCCEEDED\","
        "\"time_0_ms\":1700000000123,\"start_s\":1.5,\"finish_s\":12,"
        "\"map_hosts\":[[\"a\",\"b\"],[\"b\"]],\"map_starts_s\":[1.5,2],"
        "\"reduce_starts_s\":[9],\"map_ran_on\":[\"a\",null],\"reduce_ran_on\":[\"b\"]}\n";
    struct trace_text fx;

    trace_text_open(&fx, "jsonl", text, NULL);
    CU_ASSERT_EQUAL(trace_text_next(&fx), 1);
    CU_ASSERT_STRING_EQUAL(fx.err.text, "");
    CU_ASSERT_EQUAL(fx.job.submit_us, 1000000);
    CU_ASSERT_EQUAL(fx.job.task_us[BASE_TASK_MAP][1], 6500000);
    CU_ASSERT_EQUAL(fx.job.task_us[BASE_TASK_REDUCE][0], 3000000);
    CU_ASSERT_EQUAL(fx.job.replica_nodes[3], 1);
    trace_text_close(&fx);
}

static const struct cunit_case cases[] = {
    {"sls: Hadoop's example", test_sls},     {"sls: arrays, missing hosts", test_sls_forms},
    {"sls: bad objects", test_sls_errors},   {"csv", test_csv},
    {"csv: bad lines", test_csv_errors},     {"jsonl: lists, places, history", test_jsonl},
    {"jsonl: bad lines", test_jsonl_errors}, {"a line of history", test_history},
};
CUNIT_MAIN("sim_trace_formats", cases)
