/* Goal: traces are read from files: the two real SWIM traces, unusual files, ids, order, bad lines.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/input/id_set.h"
#include "sim/input/source.h"
#include "sim/input/trace_swim.h"
#include "tests/sim/trace_text.h"
#include "tests/unit/cunit_main.h"

#define FB2009 TRACES_DIR "/FB-2009_samples_24_times_1hr_0.tsv"
#define FB2010 TRACES_DIR "/FB-2010_samples_24_times_1hr_0.tsv"

/* ---------------------------------------------------------------- SWIM */
struct count {
    size_t n, no_shuffle, empty, bins[10], reduce_jobs;
    int64_t last_us, maps, reduces, reduces_max;
};

static struct count count_file(const char *what, int32_t nodes)
{
    struct sim_source_conf conf = {.what = what, .nodes = nodes};
    struct base_error err;
    struct sim_source *s = sim_source_open(&conf, &err);
    struct count c = {0};
    struct sim_job j;

    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    for (sim_job_init(&j); sim_source_next_job(s, &j, &err) > 0; sim_job_clear(&j)) {
        c.n++;
        CU_ASSERT_EQUAL(j.id, c.n);
        c.no_shuffle += j.shuffle_bytes == 0;
        c.empty += j.input_bytes + j.shuffle_bytes + j.output_bytes == 0;
        c.bins[atoi(j.class_name)]++;
        c.reduce_jobs += j.tasks[BASE_TASK_REDUCE] > 0;
        c.last_us = j.submit_us;
        c.maps += j.tasks[BASE_TASK_MAP];
        c.reduces += j.tasks[BASE_TASK_REDUCE];
        if (j.tasks[BASE_TASK_REDUCE] > c.reduces_max)
            c.reduces_max = j.tasks[BASE_TASK_REDUCE];
    }
    CU_ASSERT_EQUAL(sim_source_fraction_read(s), 1);
    sim_source_close(s);
    return c;
}

static void test_swim_files(void)
{
    static const size_t bins[10] = {0, 5169, 44, 272, 118, 102, 66, 45, 63, 15};
    struct count c = count_file("swim:" FB2009, 0);

    CU_ASSERT_EQUAL(c.n, 5894);
    CU_ASSERT_EQUAL(c.last_us, INT64_C(86404000000));
    CU_ASSERT_EQUAL(c.no_shuffle, 4448);
    CU_ASSERT_EQUAL(c.empty, 33);
    for (int b = 1; b < 10; b++)
        CU_ASSERT_EQUAL(c.bins[b], bins[b]);
    CU_ASSERT_EQUAL(c.reduce_jobs, 5894 - 4448);
    c = count_file("swim:" FB2010, 0);
    CU_ASSERT_EQUAL(c.n, 24442);
    CU_ASSERT_EQUAL(c.last_us, INT64_C(86408000000));
    CU_ASSERT_EQUAL(c.empty, 127);
}

static void test_swim_scaled(void)
{
    struct count whole = count_file("swim:" FB2009, 600), small = count_file("swim:" FB2009, 20);

    CU_ASSERT(whole.maps > 5 * small.maps);
    CU_ASSERT_EQUAL(small.n, whole.n);
    /* a job with a shuffle keeps at least one reduce */
    CU_ASSERT_EQUAL(small.reduce_jobs, whole.reduce_jobs);
    CU_ASSERT(small.reduces_max <= 20);
    CU_ASSERT(whole.reduces_max <= 600);
    CU_ASSERT_EQUAL(sim_swim_origin_machines("a/b/FB-2010_samples_24_times_1hr_3.tsv"), 3000);
    CU_ASSERT_EQUAL(sim_swim_origin_machines("FB-2009/x.tsv"), 0);
}

static void test_swim_rules(void)
{
    static const char text[] =
        "job0\t49\t49\t1342177281\t3221225472\t1073741824\r\n" /* 10 blocks and a byte; 4 GiB to
                                                                  reduce */
        "\n"
        "job1\t50.25\t1\t0\t0\t999\n"
        "job2\t51\t1\t5\t1\t0\t/in/put\n";
    const char *params[] = {"origin=600", "per_reduce_bytes=2147483648", "cv=0"};
    struct sim_source_conf conf = {.nodes = 6, .params = params, .params_n = 1};
    struct trace_text fx;

    trace_text_open(&fx, "swim", text, NULL);
    CU_ASSERT_EQUAL(trace_text_next(&fx), 1);
    CU_ASSERT_STRING_EQUAL(fx.job.name, "job0");
    CU_ASSERT_EQUAL(fx.job.submit_us, 49000000);
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_MAP], 11);
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_REDUCE], 4);
    CU_ASSERT_EQUAL(fx.job.base_us[BASE_TASK_MAP], 30000000);
    CU_ASSERT_EQUAL(fx.job.base_us[BASE_TASK_REDUCE], 20000000 + 53687091); /* 1 GiB at 20 MB/s */
    CU_ASSERT_EQUAL(fx.job.split_bytes, 122016117);
    CU_ASSERT_STRING_EQUAL(fx.job.class_name, "3");
    CU_ASSERT_EQUAL(trace_text_next(&fx), 1);
    CU_ASSERT_EQUAL(fx.job.submit_us, 50250000);
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_MAP], 1);
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_REDUCE], 0);
    CU_ASSERT_EQUAL(trace_text_next(&fx), 1);
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_REDUCE], 1);
    CU_ASSERT_EQUAL(trace_text_next(&fx), 0);
    trace_text_close(&fx);
    trace_text_open(&fx, "swim", text, &conf); /* scaled to a hundredth */
    CU_ASSERT_EQUAL(trace_text_next(&fx), 1);
    CU_ASSERT_EQUAL(fx.job.input_bytes, 13421772);
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_MAP], 1);
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_REDUCE], 1);
    CU_ASSERT_EQUAL(trace_text_next(&fx) + trace_text_next(&fx), 2);
    CU_ASSERT_EQUAL(fx.job.shuffle_bytes, 0);
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_REDUCE], 1);
    CU_ASSERT_STRING_EQUAL(sim_source_scaling_note(fx.source), "");
    trace_text_close(&fx);
    conf.params_n = 3;
    conf.nodes = 600;
    trace_text_open(&fx, "swim", text, &conf);
    CU_ASSERT_EQUAL(trace_text_next(&fx), 1);
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_REDUCE], 2);
    CU_ASSERT_EQUAL(fx.job.cv[BASE_TASK_MAP], 0);
    trace_text_close(&fx);
    /* more reduces than machines: a fifth of the machines */
    conf.params = (const char *[]){"origin=10"};
    conf.params_n = 1;
    conf.nodes = 10;
    trace_text_open(&fx, "swim", "j\t0\t0\t1\t107374182400\t0\n", &conf);
    CU_ASSERT_EQUAL(trace_text_next(&fx), 1);
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_REDUCE], 2);
    trace_text_close(&fx);
    conf.params_n = 0;
    trace_text_open(&fx, "swim", text, &conf);
    CU_ASSERT(strstr(sim_source_scaling_note(fx.source), "origin=N") != NULL);
    trace_text_close(&fx);
}

static void test_swim_errors(void)
{
    struct sim_source_conf conf = {.params = (const char *[]){"cv=-1"}, .params_n = 1};
    struct base_error err;

    trace_text_expect_error(
        "swim", "job0\t49\t49\t7\t0\n",
        "swim:1: 5 fields instead of 6 or 7, separated by tabs: job id, submission, gap, "
        "map input, shuffle, reduce "
        "output, input path");
    trace_text_expect_error(
        "swim", "job0\t0\t0\t7\t0\t0\n\njob1\tsoon\t0\t7\t0\t0\n",
        "swim:3: submission: 'soon' is not a number of seconds from 0 to 1000000000");
    trace_text_expect_error(
        "swim", "job0\t0\t0\t7.5\t0\t0\n",
        "swim:1: map input: '7.5' is not an integer from 0 to 1000000000000000000");
    trace_text_expect_error(
        "swim", "job0\t0\t0\t7\t-1\t0\n",
        "swim:1: shuffle: '-1' is not an integer from 0 to 1000000000000000000");
    trace_text_expect_error(
        "swim", "job0\t0\t0\t7\t0\t\n",
        "swim:1: reduce output: '' is not an integer from 0 to 1000000000000000000");
    trace_text_expect_error("swim", "\t0\t0\t7\t0\t0\n", "swim:1: job id: '' is not a name");
    trace_text_expect_error(
        "swim", "job0\t0\tx\t7\t0\t0\n",
        "swim:1: gap: 'x' is not a number of seconds from -1000000000 to 1000000000");
    trace_text_expect_error("swim", "job0\t0\t0\t900000000000000000\t0\t0\n",
                            "swim:1: 6705522538 maps and 0 reduces: at most 10000000 of a kind");
    CU_ASSERT_PTR_NULL(sim_source_open_stream("swim", stdin, &conf, &err));
    CU_ASSERT_STRING_EQUAL(err.text, "swim: cv: '-1' is not a number from 0 to 10");
    conf.params = (const char *[]){"nodes=3"};
    CU_ASSERT_PTR_NULL(sim_source_open_stream("swim", stdin, &conf, &err));
    CU_ASSERT_STRING_EQUAL(
        err.text,
        "swim has no setting 'nodes': there are origin, target, block_bytes, per_reduce_bytes, "
        "map_s, reduce_s, reduce_bytes_s, cv");
    CU_ASSERT_PTR_NULL(sim_source_open_stream("csv", stdin, &conf, &err));
    CU_ASSERT_PTR_NULL(sim_source_open_stream("xml", stdin, &conf, &err));
    CU_ASSERT_STRING_EQUAL(err.text, "no format 'xml': there are swim, sls, csv, jsonl");
    conf = (struct sim_source_conf){.what = "swim:/nowhere/at.all"};
    CU_ASSERT_PTR_NULL(sim_source_open(&conf, &err));
    CU_ASSERT_EQUAL(err.code, -BASE_EIO);
    conf.what = "rumen:x";
    CU_ASSERT_PTR_NULL(sim_source_open(&conf, &err));
    CU_ASSERT_STRING_EQUAL(err.text, "no format 'rumen': there are swim, sls, csv, jsonl");
}

static void test_skip_bad(void)
{
    static const char text[] =
        "job0\t0\t0\t7\t0\t0\nbad\njob1\t1\t0\tx\t0\t0\njob2\t2\t0\t7\t0\t0\n";
    struct sim_source_conf conf = {.skip_bad = true};
    struct trace_text fx;

    trace_text_open(&fx, "swim", text, &conf);
    CU_ASSERT_EQUAL(trace_text_next(&fx), 1);
    CU_ASSERT_EQUAL(trace_text_next(&fx), 1);
    CU_ASSERT_STRING_EQUAL(fx.job.name, "job2");
    CU_ASSERT_EQUAL(fx.job.id, 2);
    CU_ASSERT_EQUAL(trace_text_next(&fx), 0);
    CU_ASSERT_EQUAL(sim_source_skipped_lines(fx.source), 2);
    CU_ASSERT(strncmp(sim_source_first_skipped_error(fx.source), "swim:2: 1 field instead", 23) ==
              0);
    trace_text_close(&fx);
    conf.skip_bad = false; /* a caller that goes on after the error reads the next line */
    trace_text_open(&fx, "swim", text, &conf);
    CU_ASSERT(trace_text_next(&fx) < 0);
    CU_ASSERT(trace_text_next(&fx) < 0);
    CU_ASSERT_EQUAL(trace_text_next(&fx), 1);
    CU_ASSERT_STRING_EQUAL(fx.job.name, "job0");
    trace_text_close(&fx);
}

/* ---------------------------------------------------------------- what files may look like */
/* A byte order mark at the beginning is not part of the text. */
static void test_marks(void)
{
    static const char *const texts[][2] = {
        {"csv", "\xef\xbb\xbfname,submit_s,maps\r\nx,1,1\r\n"},
        {"jsonl", "\xef\xbb\xbf{\"name\":\"x\",\"submit_s\":1,\"maps\":1}"},
        {"swim", "\xef\xbb\xbfx\t1\t0\t7\t0\t0\n"},
        {"sls", "\xef\xbb\xbf[{\"job.id\":\"x\",\"job.start.ms\":1000,"
                "\"job.tasks\":[{\"duration.ms\":1}]}]"}};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct trace_text fx;

        trace_text_open(&fx, texts[i][0], texts[i][1], NULL);
        CU_ASSERT_EQUAL(trace_text_next(&fx), 1);
        CU_ASSERT_STRING_EQUAL(fx.job.name, "x");
        CU_ASSERT_EQUAL(fx.job.submit_us, 1000000);
        CU_ASSERT_EQUAL(trace_text_next(&fx), 0);
        trace_text_close(&fx);
    }
}

/* A folder can be opened, but not read: it must not pass for an empty trace. */
static void test_folders(void)
{
    static const char *const what[] = {"csv:/", "jsonl:/", "swim:/", "sls:/"};

    for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
        struct sim_source_conf conf = {.what = what[i], .skip_bad = true};
        struct base_error err;
        struct sim_source *source = sim_source_open(&conf, &err);
        struct sim_job job;

        sim_job_init(&job);
        CU_ASSERT_PTR_NOT_NULL_FATAL(source);
        CU_ASSERT_EQUAL(sim_source_next_job(source, &job, &err), -BASE_EIO);
        CU_ASSERT_EQUAL(sim_source_skipped_lines(source), 0);
        sim_source_close(source);
    }
    CU_ASSERT(sim_source_is_one_shot("csv:-") && sim_source_is_one_shot("swim:/dev/null"));
    CU_ASSERT(!sim_source_is_one_shot("w-hfs,bound=cpu") &&
              !sim_source_is_one_shot("csv:/nowhere") && !sim_source_is_one_shot("sls:" FB2009));
}

/* Two jobs with the same id: the later one is a bad line, whether or not the other has ended
 * meanwhile. */
static void test_ids(void)
{
    struct sim_source_conf conf = {.skip_bad = true};
    uint64_t ids[] = {7, 1, 2, 9000000000, 5};
    struct sim_ids set = {0};
    struct trace_text fx;

    trace_text_expect_error(
        "csv", "id,submit_s,maps\n7,0,1\n7,100000,1\n",
        "csv:3: id: '7' is not of one job alone (one that is given no id has the number "
        "of its row)");
    trace_text_expect_error(
        "jsonl", "{\"id\":2,\"submit_s\":0,\"maps\":1}\n{\"submit_s\":0,\"maps\":1}\n",
        "jsonl:2: id: '2' is not of one job alone (one that is given no id has the number "
        "of its row)");
    trace_text_open(&fx, "csv",
                    "id,submit_s,maps\n7,0,1\n1,0,1\n7,1,1\n2,1,1\n9000000000,2,1\n5,3,1\n1,9,1\n",
                    &conf);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        CU_ASSERT_EQUAL(trace_text_next(&fx), 1);
        CU_ASSERT_EQUAL(fx.job.id, ids[i]);
    }
    CU_ASSERT_EQUAL(trace_text_next(&fx), 0);
    CU_ASSERT_EQUAL(sim_source_skipped_lines(fx.source), 2);
    trace_text_close(&fx);

    for (uint64_t i = 1; i <= 100000; i++) /* swapped pairs need no more memory than order */
        CU_ASSERT(sim_ids_add(&set, i % 2 ? i + 1 : i - 1));
    CU_ASSERT(set.upto == 100000 && set.size <= 128);
    for (uint64_t i = 1; i <= 100000; i++)
        CU_ASSERT(!sim_ids_add(&set, i) && sim_ids_add(&set, i * UINT64_C(1000003)));
    for (uint64_t i = 1; i <= 100000; i++)
        CU_ASSERT(!sim_ids_add(&set, i * UINT64_C(1000003)));
    sim_ids_free(&set);
}

/* Names go into JSON, pages and terminals, so bytes in them that are no text are replaced. */
static void test_bytes(void)
{
    struct trace_text fx;
    char text[SIM_TEXT_MAX];

    trace_text_open(&fx, "csv",
                    "submit_s,maps,class,pool\n1,1,a\xff"
                    "b,\033[31m\xc3\xa4\n",
                    NULL);
    CU_ASSERT_EQUAL(trace_text_next(&fx), 1);
    CU_ASSERT_STRING_EQUAL(fx.job.class_name, "a?b");
    CU_ASSERT_STRING_EQUAL(fx.job.pool, "?[31m\xc3\xa4");
    trace_text_close(&fx);
    trace_text_expect_error("csv", "submit_s,maps\n1,\033\xff\n",
                            "csv:2: maps: '%1B%FF' is not an integer from 0 to 10000000");
    memset(text, 'x', sizeof text);
    sim_job_copy_text(text,
                      "12345678901234567890123456789012345678901234567890123456789012\xc3\xa4");
    CU_ASSERT_EQUAL(strlen(text), 62); /* not half of a character */
    sim_job_copy_text(text, NULL);
    CU_ASSERT_STRING_EQUAL(text, "");
}

/* Numbers that are valid by themselves but too large together are refused and do not wrap around.
 */
static void test_overflows(void)
{
    static const char *const scale[] = {"origin=1", "target=1000000",
                                        "block_bytes=1000000000000000000"};
    static const char *const slow[] = {"reduce_bytes_s=1000",
                                       "per_reduce_bytes=1000000000000000000"};
    static const char text[] = "x\t0\t0\t1\t1000000000000000000\t1000000000000000000\n";
    struct sim_source_conf conf = {.params = scale, .params_n = 3};
    struct trace_text fx;

    trace_text_open(&fx, "swim", text, &conf);
    CU_ASSERT_EQUAL(trace_text_next(&fx), -BASE_ELIMIT);
    CU_ASSERT_STRING_EQUAL(
        fx.err.text,
        "swim:1: 1000000000000000000 bytes of 1 machines are more than 1e18 of 1000000");
    trace_text_close(&fx);
    conf.params = slow;
    conf.params_n = 2;
    trace_text_open(&fx, "swim", text, &conf);
    CU_ASSERT_EQUAL(trace_text_next(&fx), -BASE_ELIMIT);
    CU_ASSERT(strstr(fx.err.text, "swim:1: a reduce of ") != NULL);
    trace_text_close(&fx);
    CU_ASSERT(sim_trace_seconds_to_us(1e308) > INT64_C(8000000000000000000) &&
              sim_trace_seconds_to_us(-1e308) < -1);
}

/* ---------------------------------------------------------------- order */
static void test_order(void)
{
    struct base_buf text = {0};
    struct sim_source_conf conf = {.skip_bad = true};
    struct trace_text fx;
    int64_t last = -1;
    int n = 0;

    trace_text_open(&fx, "csv", "submit_s,maps\n5,1\n3,2\n3,3\n1,4\n", NULL);
    for (int32_t want = 4; trace_text_next(&fx) > 0; want = want == 4 ? 2 : want == 2 ? 3 : 1)
        CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_MAP], want);
    trace_text_close(&fx);
    base_buf_adds(&text, "submit_s,maps\n");
    for (int i = 0; i < 3 * SIM_SOURCE_WINDOW; i++) /* each up to 500 places out of order */
        base_buf_addf(&text, "%d,1\n", i / 500 * 500 + 499 - i % 500);
    base_buf_adds(&text, "7,1\n");
    trace_text_open(&fx, "csv", text.data, &conf);
    for (; trace_text_next(&fx) > 0; n++) {
        CU_ASSERT(fx.job.submit_us >= last);
        last = fx.job.submit_us;
    }
    CU_ASSERT_EQUAL(n, 3 * SIM_SOURCE_WINDOW);
    CU_ASSERT_EQUAL(sim_source_skipped_lines(fx.source), 1);
    CU_ASSERT_STRING_EQUAL(sim_source_first_skipped_error(fx.source),
                           "csv:3002: submission: '7.000000' is not in order: more than 1000 jobs "
                           "before it were submitted "
                           "later; sort the file");
    trace_text_close(&fx);
    base_buf_free(&text);
}

static const struct cunit_case cases[] = {
    {"swim: the two traces", test_swim_files},
    {"swim: scaled down", test_swim_scaled},
    {"swim: tasks from bytes", test_swim_rules},
    {"swim: bad lines", test_swim_errors},
    {"bad lines are skipped and counted", test_skip_bad},
    {"a byte order mark", test_marks},
    {"folders and pipes", test_folders},
    {"ids of jobs", test_ids},
    {"names that are no text", test_bytes},
    {"sizes that do not fit", test_overflows},
    {"files need not be sorted", test_order},
};
CUNIT_MAIN("sim_traces", cases)
