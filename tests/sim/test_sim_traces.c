/* The readers and writers of traces: real files, small ones with everything in them, and bad
 * ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/input/id_set.h"
#include "sim/input/source.h"
#include "sim/input/trace_csv.h"
#include "sim/input/trace_jsonl.h"
#include "sim/input/trace_sls.h"
#include "sim/input/trace_swim.h"
#include "sim/input/workload.h"
#include "tests/unit/cunit_main.h"

#define FB2009 TRACES_DIR "/FB-2009_samples_24_times_1hr_0.tsv"
#define FB2010 TRACES_DIR "/FB-2010_samples_24_times_1hr_0.tsv"

/* ---------------------------------------------------------------- a text as a source */
struct fx {
    char *text;
    FILE *in;
    struct sim_source *source;
    struct base_error err;
    struct sim_job job; /* the last one */
};

static void fx_open(struct fx *fx, const char *kind, const char *text,
                    const struct sim_source_conf *conf)
{
    *fx = (struct fx){.text = base_strdup(text)};
    fx->in = fmemopen(fx->text, strlen(text), "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(fx->in);
    fx->source =
        sim_source_open_stream(kind, fx->in, conf ? conf : &(struct sim_source_conf){0}, &fx->err);
    sim_job_init(&fx->job);
}

static int fx_next(struct fx *fx)
{
    sim_job_clear(&fx->job);
    fx->err = (struct base_error){0};
    return sim_source_next_job(fx->source, &fx->job, &fx->err);
}

static void fx_close(struct fx *fx)
{
    sim_job_clear(&fx->job);
    sim_source_close(fx->source);
    fclose(fx->in);
    free(fx->text);
}

/* The first thing that a reader says about @text. */
static void expect_error(const char *kind, const char *text, const char *want)
{
    struct fx fx;
    int rc;

    fx_open(&fx, kind, text, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(fx.source);
    while ((rc = fx_next(&fx)) > 0)
        ;
    CU_ASSERT(rc < 0);
    CU_ASSERT_STRING_EQUAL(fx.err.text, want);
    if (strcmp(fx.err.text, want) != 0)
        fprintf(stderr, "got  %s\nnot  %s\n", fx.err.text, want);
    fx_close(&fx);
}

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
    CU_ASSERT_EQUAL(small.reduce_jobs, whole.reduce_jobs); /* a shuffle stays one */
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
    struct fx fx;

    fx_open(&fx, "swim", text, NULL);
    CU_ASSERT_EQUAL(fx_next(&fx), 1);
    CU_ASSERT_STRING_EQUAL(fx.job.name, "job0");
    CU_ASSERT_EQUAL(fx.job.submit_us, 49000000);
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_MAP], 11);
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_REDUCE], 4);
    CU_ASSERT_EQUAL(fx.job.base_us[BASE_TASK_MAP], 30000000);
    CU_ASSERT_EQUAL(fx.job.base_us[BASE_TASK_REDUCE], 20000000 + 53687091); /* 1 GiB at 20 MB/s */
    CU_ASSERT_EQUAL(fx.job.split_bytes, 122016117);
    CU_ASSERT_STRING_EQUAL(fx.job.class_name, "3");
    CU_ASSERT_EQUAL(fx_next(&fx), 1);
    CU_ASSERT_EQUAL(fx.job.submit_us, 50250000);
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_MAP], 1);
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_REDUCE], 0);
    CU_ASSERT_EQUAL(fx_next(&fx), 1);
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_REDUCE], 1);
    CU_ASSERT_EQUAL(fx_next(&fx), 0);
    fx_close(&fx);
    fx_open(&fx, "swim", text, &conf); /* a hundredth */
    CU_ASSERT_EQUAL(fx_next(&fx), 1);
    CU_ASSERT_EQUAL(fx.job.input_bytes, 13421772);
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_MAP], 1);
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_REDUCE], 1);
    CU_ASSERT_EQUAL(fx_next(&fx) + fx_next(&fx), 2);
    CU_ASSERT_EQUAL(fx.job.shuffle_bytes, 0);
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_REDUCE], 1);
    CU_ASSERT_STRING_EQUAL(sim_source_scaling_note(fx.source), "");
    fx_close(&fx);
    conf.params_n = 3;
    conf.nodes = 600;
    fx_open(&fx, "swim", text, &conf);
    CU_ASSERT_EQUAL(fx_next(&fx), 1);
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_REDUCE], 2);
    CU_ASSERT_EQUAL(fx.job.cv[BASE_TASK_MAP], 0);
    fx_close(&fx);
    /* more reduces than machines: a fifth of the machines */
    conf.params = (const char *[]){"origin=10"};
    conf.params_n = 1;
    conf.nodes = 10;
    fx_open(&fx, "swim", "j\t0\t0\t1\t107374182400\t0\n", &conf);
    CU_ASSERT_EQUAL(fx_next(&fx), 1);
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_REDUCE], 2);
    fx_close(&fx);
    conf.params_n = 0;
    fx_open(&fx, "swim", text, &conf);
    CU_ASSERT(strstr(sim_source_scaling_note(fx.source), "origin=N") != NULL);
    fx_close(&fx);
}

static void test_swim_errors(void)
{
    struct sim_source_conf conf = {.params = (const char *[]){"cv=-1"}, .params_n = 1};
    struct base_error err;

    expect_error("swim", "job0\t49\t49\t7\t0\n",
                 "swim:1: 5 fields instead of 6 or 7, separated by tabs: job id, submission, gap, "
                 "map input, shuffle, reduce "
                 "output, input path");
    expect_error("swim", "job0\t0\t0\t7\t0\t0\n\njob1\tsoon\t0\t7\t0\t0\n",
                 "swim:3: submission: 'soon' is not a number of seconds from 0 to 1000000000");
    expect_error("swim", "job0\t0\t0\t7.5\t0\t0\n",
                 "swim:1: map input: '7.5' is not an integer from 0 to 1000000000000000000");
    expect_error("swim", "job0\t0\t0\t7\t-1\t0\n",
                 "swim:1: shuffle: '-1' is not an integer from 0 to 1000000000000000000");
    expect_error("swim", "job0\t0\t0\t7\t0\t\n",
                 "swim:1: reduce output: '' is not an integer from 0 to 1000000000000000000");
    expect_error("swim", "\t0\t0\t7\t0\t0\n", "swim:1: job id: '' is not a name");
    expect_error("swim", "job0\t0\tx\t7\t0\t0\n",
                 "swim:1: gap: 'x' is not a number of seconds from -1000000000 to 1000000000");
    expect_error("swim", "job0\t0\t0\t900000000000000000\t0\t0\n",
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
    struct fx fx;

    fx_open(&fx, "swim", text, &conf);
    CU_ASSERT_EQUAL(fx_next(&fx), 1);
    CU_ASSERT_EQUAL(fx_next(&fx), 1);
    CU_ASSERT_STRING_EQUAL(fx.job.name, "job2");
    CU_ASSERT_EQUAL(fx.job.id, 2);
    CU_ASSERT_EQUAL(fx_next(&fx), 0);
    CU_ASSERT_EQUAL(sim_source_skipped_lines(fx.source), 2);
    CU_ASSERT(strncmp(sim_source_first_skipped_error(fx.source), "swim:2: 1 field instead", 23) ==
              0);
    fx_close(&fx);
    conf.skip_bad = false; /* who goes on all the same reads on behind the line */
    fx_open(&fx, "swim", text, &conf);
    CU_ASSERT(fx_next(&fx) < 0);
    CU_ASSERT(fx_next(&fx) < 0);
    CU_ASSERT_EQUAL(fx_next(&fx), 1);
    CU_ASSERT_STRING_EQUAL(fx.job.name, "job0");
    fx_close(&fx);
}

/* ---------------------------------------------------------------- what files may look like */
/* A byte order mark before it is none of the text. */
static void test_marks(void)
{
    static const char *const texts[][2] = {
        {"csv", "\xef\xbb\xbfname,submit_s,maps\r\nx,1,1\r\n"},
        {"jsonl", "\xef\xbb\xbf{\"name\":\"x\",\"submit_s\":1,\"maps\":1}"},
        {"swim", "\xef\xbb\xbfx\t1\t0\t7\t0\t0\n"},
        {"sls", "\xef\xbb\xbf[{\"job.id\":\"x\",\"job.start.ms\":1000,"
                "\"job.tasks\":[{\"duration.ms\":1}]}]"}};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct fx fx;

        fx_open(&fx, texts[i][0], texts[i][1], NULL);
        CU_ASSERT_EQUAL(fx_next(&fx), 1);
        CU_ASSERT_STRING_EQUAL(fx.job.name, "x");
        CU_ASSERT_EQUAL(fx.job.submit_us, 1000000);
        CU_ASSERT_EQUAL(fx_next(&fx), 0);
        fx_close(&fx);
    }
}

/* A folder can be opened, but not read: no empty trace. */
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

/* Two jobs of one number: the later one is a bad line, whether or not the other has ended
 * meanwhile. */
static void test_ids(void)
{
    struct sim_source_conf conf = {.skip_bad = true};
    uint64_t ids[] = {7, 1, 2, 9000000000, 5};
    struct sim_ids set = {0};
    struct fx fx;

    expect_error("csv", "id,submit_s,maps\n7,0,1\n7,100000,1\n",
                 "csv:3: id: '7' is not of one job alone (one that is given no id has the number "
                 "of its row)");
    expect_error("jsonl", "{\"id\":2,\"submit_s\":0,\"maps\":1}\n{\"submit_s\":0,\"maps\":1}\n",
                 "jsonl:2: id: '2' is not of one job alone (one that is given no id has the number "
                 "of its row)");
    fx_open(&fx, "csv",
            "id,submit_s,maps\n7,0,1\n1,0,1\n7,1,1\n2,1,1\n9000000000,2,1\n5,3,1\n1,9,1\n", &conf);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        CU_ASSERT_EQUAL(fx_next(&fx), 1);
        CU_ASSERT_EQUAL(fx.job.id, ids[i]);
    }
    CU_ASSERT_EQUAL(fx_next(&fx), 0);
    CU_ASSERT_EQUAL(sim_source_skipped_lines(fx.source), 2);
    fx_close(&fx);

    for (uint64_t i = 1; i <= 100000; i++) /* pairs in the wrong order are as cheap as order */
        CU_ASSERT(sim_ids_add(&set, i % 2 ? i + 1 : i - 1));
    CU_ASSERT(set.upto == 100000 && set.size <= 128);
    for (uint64_t i = 1; i <= 100000; i++)
        CU_ASSERT(!sim_ids_add(&set, i) && sim_ids_add(&set, i * UINT64_C(1000003)));
    for (uint64_t i = 1; i <= 100000; i++)
        CU_ASSERT(!sim_ids_add(&set, i * UINT64_C(1000003)));
    sim_ids_free(&set);
}

/* Names go into JSON, pages and terminals: what is no text in them is shown as such. */
static void test_bytes(void)
{
    struct fx fx;
    char text[SIM_TEXT_MAX];

    fx_open(&fx, "csv",
            "submit_s,maps,class,pool\n1,1,a\xff"
            "b,\033[31m\xc3\xa4\n",
            NULL);
    CU_ASSERT_EQUAL(fx_next(&fx), 1);
    CU_ASSERT_STRING_EQUAL(fx.job.class_name, "a?b");
    CU_ASSERT_STRING_EQUAL(fx.job.pool, "?[31m\xc3\xa4");
    fx_close(&fx);
    expect_error("csv", "submit_s,maps\n1,\033\xff\n",
                 "csv:2: maps: '%1B%FF' is not an integer from 0 to 10000000");
    memset(text, 'x', sizeof text);
    sim_job_text(text, "12345678901234567890123456789012345678901234567890123456789012\xc3\xa4");
    CU_ASSERT_EQUAL(strlen(text), 62); /* not half of a character */
    sim_job_text(text, NULL);
    CU_ASSERT_STRING_EQUAL(text, "");
}

/* Numbers that are fine each and too large together are refused, not wrapped around. */
static void test_overflows(void)
{
    static const char *const scale[] = {"origin=1", "target=1000000",
                                        "block_bytes=1000000000000000000"};
    static const char *const slow[] = {"reduce_bytes_s=1000",
                                       "per_reduce_bytes=1000000000000000000"};
    static const char text[] = "x\t0\t0\t1\t1000000000000000000\t1000000000000000000\n";
    struct sim_source_conf conf = {.params = scale, .params_n = 3};
    struct fx fx;

    fx_open(&fx, "swim", text, &conf);
    CU_ASSERT_EQUAL(fx_next(&fx), -BASE_ELIMIT);
    CU_ASSERT_STRING_EQUAL(
        fx.err.text,
        "swim:1: 1000000000000000000 bytes of 1 machines are more than 1e18 of 1000000");
    fx_close(&fx);
    conf.params = slow;
    conf.params_n = 2;
    fx_open(&fx, "swim", text, &conf);
    CU_ASSERT_EQUAL(fx_next(&fx), -BASE_ELIMIT);
    CU_ASSERT(strstr(fx.err.text, "swim:1: a reduce of ") != NULL);
    fx_close(&fx);
    CU_ASSERT(sim_trace_seconds_to_us(1e308) > INT64_C(8000000000000000000) &&
              sim_trace_seconds_to_us(-1e308) < -1);
}

/* ---------------------------------------------------------------- order */
static void test_order(void)
{
    struct base_buf text = {0};
    struct sim_source_conf conf = {.skip_bad = true};
    struct fx fx;
    int64_t last = -1;
    int n = 0;

    fx_open(&fx, "csv", "submit_s,maps\n5,1\n3,2\n3,3\n1,4\n", NULL);
    for (int32_t want = 4; fx_next(&fx) > 0; want = want == 4 ? 2 : want == 2 ? 3 : 1)
        CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_MAP], want);
    fx_close(&fx);
    base_buf_adds(&text, "submit_s,maps\n");
    for (int i = 0; i < 3 * SIM_SOURCE_WINDOW; i++) /* each up to 500 places from its own */
        base_buf_addf(&text, "%d,1\n", i / 500 * 500 + 499 - i % 500);
    base_buf_adds(&text, "7,1\n");
    fx_open(&fx, "csv", text.data, &conf);
    for (; fx_next(&fx) > 0; n++) {
        CU_ASSERT(fx.job.submit_us >= last);
        last = fx.job.submit_us;
    }
    CU_ASSERT_EQUAL(n, 3 * SIM_SOURCE_WINDOW);
    CU_ASSERT_EQUAL(sim_source_skipped_lines(fx.source), 1);
    CU_ASSERT_STRING_EQUAL(sim_source_first_skipped_error(fx.source),
                           "csv:3002: submission: '7.000000' is not in order: more than 1000 jobs "
                           "before it were submitted "
                           "later; sort the file");
    fx_close(&fx);
    base_buf_free(&text);
}

/* ---------------------------------------------------------------- SLS */
/* The example of Hadoop's documentation. */
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
    struct fx fx;

    fx_open(&fx, "sls", sls_text, &conf);
    CU_ASSERT_EQUAL(fx_next(&fx), 1);
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
        CU_ASSERT_EQUAL(fx_next(&fx), 1);
        CU_ASSERT_EQUAL((int)fx.job.id, 2 + i);
        CU_ASSERT_EQUAL(fx.job.submit_us, 105204000);
        CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_MAP], 4);
        CU_ASSERT_EQUAL(fx.job.task_us[BASE_TASK_MAP][2], 22163000);
        CU_ASSERT_EQUAL(fx.job.task_us[BASE_TASK_MAP][3], 1000);
        CU_ASSERT_EQUAL(fx.job.replica_nodes[2], 1);
        CU_ASSERT_EQUAL(fx.job.replica_nodes[3], 0); /* the third host on two nodes */
    }
    CU_ASSERT_EQUAL(fx_next(&fx), 0);
    fx_close(&fx);
}

static void test_sls_forms(void)
{
    struct fx fx;

    fx_open(&fx, "sls",
            " [ "
            "]\n[{\"job.start.ms\":1,\"job.id\":7,\"job.tasks\":[{\"duration.ms\":5},{\"duration."
            "ms\":6,"
            "\"container.host\":\"/r/n\"}]} ,\n "
            "{\"job.start.ms\":2,\"x\":\"}\\\"{\",\"job.tasks\":[{\"duration.ms\":5,"
            "\"container.type\":\"reduce\"}]}]\n{\"job.start.ms\":3,\"job.tasks\":[{\"duration."
            "ms\":5}]}",
            NULL);
    CU_ASSERT_EQUAL(fx_next(&fx), 1);
    CU_ASSERT_STRING_EQUAL(fx.job.name, "7");
    CU_ASSERT(!fx.job.located && !fx.job.replica_nodes); /* not all maps have a host */
    CU_ASSERT_EQUAL(fx_next(&fx), 1);
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_MAP], 0);
    CU_ASSERT_EQUAL(fx_next(&fx), 1);
    CU_ASSERT_EQUAL(fx.job.submit_us, 3000);
    CU_ASSERT_EQUAL(fx_next(&fx), 0);
    fx_close(&fx);
}

static void test_sls_errors(void)
{
    struct sim_source_conf conf = {.skip_bad = true};
    struct fx fx;

    expect_error("sls", "\n{\"job.tasks\":[{\"duration.ms\":5}]}",
                 "sls:2: job.start.ms: is required");
    expect_error("sls", "{\"job.start.ms\":1}", "sls:1: job.tasks: is required");
    expect_error("sls", "{\"job.start.ms\":1,\"job.tasks\":[]}",
                 "sls:1: job.tasks: a job has at least one task");
    expect_error("sls", "{\"job.start.ms\":1,\"job.tasks\":[{\"duration.ms\":5},7]}",
                 "sls:1: job.tasks[1]: 7 is not an object");
    expect_error("sls", "{\"job.start.ms\":1,\"job.tasks\":[{\"duration.ms\":0}]}",
                 "sls:1: job.tasks[0].duration.ms: 0 is not an integer from 1 to 1000000000000");
    expect_error("sls", "{\"job.start.ms\":1,\"job.tasks\":[{\"duration.ms\":\"5s\"}]}",
                 "sls:1: job.tasks[0].duration.ms: '5s' is not an integer from 1 to 1000000000000");
    expect_error(
        "sls",
        "{\"job.start.ms\":1,\"job.tasks\":[{\"container.start.ms\":10,\"container.end.ms\":10}]}",
        "sls:1: job.tasks[0].container.end.ms: 10 is not an integer from 11 to 1000000000000");
    expect_error(
        "sls", "{\"job.start.ms\":1,\"job.tasks\":[{\"duration.ms\":5,\"container.type\":\"am\"}]}",
        "sls:1: job.tasks[0].container.type: \"am\" is not \"map\" or \"reduce\"");
    expect_error("sls", "{} 7", "sls:1: job.start.ms: is required");
    expect_error("sls", "7", "sls:1: JSON: '7' is not { or [");
    expect_error("sls", "[{\"num.nodes\":1} {}]", "sls:1: JSON: '{' is not , or ]");
    expect_error("sls", "[{\"num.nodes\":1},\n]", "sls:2: JSON: ']' is not {");
    expect_error("sls", "[\n{\"num.nodes\":1}", "sls:2: the file ends within an array");
    expect_error("sls", "\n\n{\"num.nodes\":\n", "sls:3: the file ends within this object");
    expect_error("sls", "{\"a\":1,\"a\":2}",
                 "sls:1: not valid JSON: line 1, column 10: duplicate object key near '\"a\"'");
    fx_open(&fx, "sls",
            "{\"job.tasks\":[\n7]}\n{\"job.start.ms\":1,\"job.tasks\":[{\"duration.ms\":5}]}\n#!\n{"
            "\n,}\n"
            "{\"job.start.ms\":2,\"job.tasks\":[{\"duration.ms\":5}]}",
            &conf);
    CU_ASSERT_EQUAL(fx_next(&fx), 1);
    CU_ASSERT_EQUAL(fx.job.submit_us, 1000);
    CU_ASSERT_EQUAL(fx_next(&fx), 1);
    CU_ASSERT_EQUAL(fx.job.submit_us, 2000);
    CU_ASSERT_EQUAL(fx_next(&fx), 0);
    CU_ASSERT_EQUAL(sim_source_skipped_lines(fx.source), 3);
    fx_close(&fx);
}

/* ---------------------------------------------------------------- CSV */
static void test_csv(void)
{
    struct fx fx;

    fx_open(&fx, "csv",
            "\xef\xbb\xbfpool,id,submit_s,maps,reduces,map_s,located,map_expected_s,input_bytes,"
            "shuffle_bytes\r\n"
            "\"ann, \"\"bob\"\"\",41,0.000001,3,,1.5,false,true,,\r\n"
            ",wordcount,12.25,,,,,30,268435457,2684354560\n",
            NULL);
    CU_ASSERT_EQUAL(fx_next(&fx), 1);
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
    CU_ASSERT_EQUAL(fx_next(&fx), 1);
    CU_ASSERT_EQUAL(fx.job.id, 2);
    CU_ASSERT_STRING_EQUAL(fx.job.name, "wordcount");
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_MAP], 3);    /* two blocks and a byte */
    CU_ASSERT_EQUAL(fx.job.tasks[BASE_TASK_REDUCE], 3); /* 2.5 GiB, rounded */
    CU_ASSERT_EQUAL(fx.job.split_bytes, 89478486);
    CU_ASSERT_EQUAL(fx.job.expected_us[BASE_TASK_MAP], 30000000);
    CU_ASSERT_EQUAL(fx.job.base_us[BASE_TASK_MAP], 30000000);
    CU_ASSERT_DOUBLE_EQUAL(fx.job.selectivity, 10, 1e-6);
    CU_ASSERT_EQUAL(fx_next(&fx), 0);
    fx_close(&fx);
    fx_open(&fx, "csv", "submit_s", NULL);
    CU_ASSERT_EQUAL(fx_next(&fx), 0);
    fx_close(&fx);
}

static void test_csv_errors(void)
{
    struct sim_source_conf conf = {.skip_bad = true};
    struct fx fx;

    expect_error("csv", "submit_s,maps\n1\n",
                 "csv:2: 1 cells instead of the 2 that the first line names");
    expect_error("csv", "submit_s,maps\n1,2,3\n",
                 "csv:2: 3 cells instead of the 2 that the first line names");
    expect_error("csv", "submit_s,maps\n1,two\n",
                 "csv:2: maps: 'two' is not an integer from 0 to 10000000");
    expect_error("csv", "submit_s,maps\n,2\n", "csv:2: submit_s: is required");
    expect_error("csv", "submit_s,maps\nnan,2\n",
                 "csv:2: submit_s: 'nan' is not a number of seconds from 0 to 1000000000");
    expect_error("csv", "submit_s,weight,maps\n1,0,2\n",
                 "csv:2: weight: '0' is not a number from 1e-06 to 1000000");
    expect_error("csv", "submit_s,located,maps\n1,yes,2\n",
                 "csv:2: located: 'yes' is not true or false");
    expect_error(
        "csv", "submit_s,maps\n1,0\n",
        "csv:2: maps: a job has at least one task: maps, reduces or input_bytes say how many");
    expect_error("csv", "submit_s,maps\n1,\"2\"x\n", "csv:2: text behind the quotes of \"2\"");
    expect_error("csv", "submit_s,maps\n1,\"2\n", "csv:2: the quotes before \"2\" do not end");
    expect_error("csv", "submit_s,maps,id,after\n1,2,7,7\n",
                 "csv:2: after: a job cannot wait for itself");
    expect_error("csv", "submit_s,maps,id\n1,2,0\n",
                 "csv:2: id: '0' is not an integer from 1 to 1000000000000000");
    expect_error("csv", "submit_s,maps,split_bytes\n1,1000000,1000000000000000\n",
                 "csv:2: split_bytes: times maps are more than 1e18 bytes");
    /* nothing can be skipped: nothing can be read */
    fx_open(&fx, "csv", "submit_s,mps\n1,2\n3,4\n", &conf);
    CU_ASSERT_EQUAL(fx_next(&fx), -BASE_EINVAL);
    CU_ASSERT(
        strncmp(fx.err.text,
                "csv:1: column 'mps' is not known; the first line names columns of: id, name, ",
                75) == 0);
    CU_ASSERT_EQUAL(fx_next(&fx), -BASE_EINVAL);
    fx_close(&fx);
    fx_open(&fx, "csv", "maps,maps\n", NULL);
    CU_ASSERT(fx_next(&fx) < 0 && strstr(fx.err.text, "column 'maps' is there twice"));
    fx_close(&fx);
    fx_open(&fx, "csv", "maps\n2\n", NULL);
    CU_ASSERT(fx_next(&fx) < 0 && strstr(fx.err.text, "column 'submit_s' is missing"));
    fx_close(&fx);
}

/* ---------------------------------------------------------------- JSON-lines */
static void test_jsonl(void)
{
    struct fx fx;

    fx_open(
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
    CU_ASSERT_EQUAL(fx_next(&fx), 1);
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
    CU_ASSERT_EQUAL(fx_next(&fx), 1);
    CU_ASSERT_STRING_EQUAL(fx.job.name, "two");
    CU_ASSERT_EQUAL(fx.job.deadline_us, 600000000);
    CU_ASSERT_EQUAL(fx.job.weight, 2.5);
    CU_ASSERT_EQUAL(fx.job.replica_nodes[1], 5);
    CU_ASSERT_EQUAL(fx.job.expected_us[BASE_TASK_MAP], SIM_EXPECT_TRUE);
    CU_ASSERT_EQUAL(fx_next(&fx), 0);
    fx_close(&fx);
}

static void test_jsonl_errors(void)
{
    expect_error("jsonl", "{\"submit_s\":1,\"maps\":1}\n\n{\"submit_s\":1,\"map\":1}",
                 "jsonl:3: map: unknown member; did you mean \"maps\"?");
    expect_error("jsonl", "{\"submit_s\":1,\"something\":1}", "jsonl:1: something: unknown member");
    expect_error("jsonl", "{\"submit_s\":1",
                 "jsonl:1: not valid JSON: line 1, column 13: '}' expected near end of file");
    expect_error("jsonl", "[1]", "jsonl:1: the line: an array is not an object");
    expect_error("jsonl", "{\"version\":2,\"submit_s\":1}",
                 "jsonl:1: version: 2 is not an integer from 1 to 1");
    expect_error("jsonl", "{\"submit_s\":\"1\",\"maps\":1}",
                 "jsonl:1: submit_s: \"1\" is not a number");
    expect_error("jsonl", "{\"submit_s\":-1,\"maps\":1}",
                 "jsonl:1: submit_s: '-1' is not a number of seconds from 0 to 1000000000");
    expect_error("jsonl", "{\"submit_s\":1,\"maps\":1.5}",
                 "jsonl:1: maps: '1.5' is not an integer from 0 to 10000000");
    expect_error("jsonl", "{\"submit_s\":1,\"maps\":1,\"user\":7}",
                 "jsonl:1: user: 7 is not a string");
    expect_error("jsonl", "{\"submit_s\":1,\"maps\":1,\"located\":1}",
                 "jsonl:1: located: 1 is not true or false");
    expect_error("jsonl", "{\"submit_s\":1,\"maps\":1,\"id\":1.5}",
                 "jsonl:1: id: 1.5 is not an integer or a string");
    expect_error("jsonl", "{\"submit_s\":1,\"maps\":1,\"map_expected_s\":false}",
                 "jsonl:1: map_expected_s: false is not a number");
    expect_error("jsonl", "{\"submit_s\":1,\"maps\":2,\"map_durations_s\":[1]}",
                 "jsonl:1: map_durations_s: 1 durations for 2 maps");
    expect_error(
        "jsonl", "{\"submit_s\":1,\"map_durations_s\":[1,0]}",
        "jsonl:1: map_durations_s[1]: 0 is not a number of seconds from 0.000001 to 1000000000");
    expect_error("jsonl", "{\"submit_s\":1,\"maps\":2,\"map_hosts\":[[\"a\"]]}",
                 "jsonl:1: map_hosts: places of 1 splits for 2 maps");
    expect_error("jsonl", "{\"submit_s\":1,\"maps\":1,\"map_hosts\":[[3]]}",
                 "jsonl:1: map_hosts[0][0]: 3 is not the name of a host");
    expect_error("jsonl", "{\"submit_s\":1,\"maps\":1,\"map_nodes\":[[-3]]}",
                 "jsonl:1: map_nodes[0][0]: -3 is not the number of a node");
    expect_error("jsonl", "{\"submit_s\":1,\"maps\":1,\"map_nodes\":[7]}",
                 "jsonl:1: map_nodes[0]: 7 is not a list of at most 8 places");
}

/* ---------------------------------------------------------------- writing */
/* What is written reads back as the same: every field, exactly. Method: every workload there is,
 * through both formats; what was read is written again. */
static void round_trip(const char *name, bool json)
{
    struct sim_made_jobs made = {0};
    struct base_buf first = {0}, second = {0};
    struct base_error err;
    struct sim_job job;
    struct fx fx;

    CU_ASSERT_EQUAL_FATAL(sim_workload_make(name, NULL, 0, 5, &made, &err), 0);
    if (!json)
        sim_csv_write_header(&first);
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
        json ? sim_jsonl_write_job(&job, NULL, &first) : sim_csv_write_job(&job, &first);
    }
    if (!json)
        sim_csv_write_header(&second);
    fx_open(&fx, json ? "jsonl" : "csv", first.data, NULL);
    while (fx_next(&fx) > 0)
        json ? sim_jsonl_write_job(&fx.job, NULL, &second) : sim_csv_write_job(&fx.job, &second);
    CU_ASSERT_STRING_EQUAL(fx.err.text, "");
    CU_ASSERT_EQUAL(first.len, second.len);
    CU_ASSERT(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
    fx_close(&fx);
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
        "\"replicas\":2,\"file\":3}\n";
    struct sim_job j;
    struct base_buf text = {0};
    struct fx fx;

    sim_job_init(&j);
    j = (struct sim_job){.id = 9,
                         .name = "n\"1",
                         .class_name = "c",
                         .pool = "p,q",
                         .user = "\xc3\xa9",
                         .submit_us = 1000001,
                         .weight = 0.1,
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
    sim_jsonl_write_job(&j, NULL, &text);
    CU_ASSERT_STRING_EQUAL(text.data, want);
    fx_open(&fx, "jsonl", text.data, NULL);
    CU_ASSERT_EQUAL(fx_next(&fx), 1);
    CU_ASSERT_STRING_EQUAL(fx.err.text, "");
    CU_ASSERT_EQUAL(fx.job.weight, 0.1);
    CU_ASSERT_STRING_EQUAL(fx.job.pool, "p,q");
    CU_ASSERT_EQUAL(memcmp(&fx.job, &j, sizeof j), 0);
    fx_close(&fx);
    base_buf_clear(&text);
    sim_job_text(j.name, "not \xff utf-8");
    sim_jsonl_write_job(&j, NULL, &text);
    CU_ASSERT(strstr(text.data, "\"name\":\"not ? utf-8\"") != NULL);
    base_buf_free(&text);
}

static void test_history(void)
{
    const int64_t map_starts[] = {1500000, 2000000}, reduce_starts[] = {9000000};
    const char *const map_ran[] = {"a", NULL}, *const reduce_ran[] = {"b"};
    const char *const first[] = {"a", "b", NULL}, *const second[] = {"b", NULL},
                      *const *const hosts[] = {first, second};
    int64_t map_us[] = {7000000, 6500000}, reduce_us[] = {3000000};
    struct sim_jsonl_history past = {.app = "application_1700000000000_0003",
                                     .state = "SUCCEEDED",
                                     .time_0_ms = 1700000000123,
                                     .start_us = 1500000,
                                     .finish_us = 12000000,
                                     .starts_us = {map_starts, reduce_starts},
                                     .ran_on = {map_ran, reduce_ran},
                                     .map_hosts = hosts};
    struct base_buf text = {0};
    struct sim_job j;
    struct fx fx;

    sim_job_init(&j);
    j.submit_us = 1000000;
    j.tasks[BASE_TASK_MAP] = 2;
    j.tasks[BASE_TASK_REDUCE] = 1;
    j.f_rack = j.f_off = 1;
    j.task_us[BASE_TASK_MAP] = map_us;
    j.task_us[BASE_TASK_REDUCE] = reduce_us;
    sim_trace_set_mean_durations(&j);
    sim_jsonl_write_job(&j, &past, &text);
    CU_ASSERT(
        strstr(
            text.data,
            ",\"app\":\"application_1700000000000_0003\",\"state\":\"SUCCEEDED\",\"time_0_ms\":"
            "1700000000123,"
            "\"start_s\":1.5,\"finish_s\":12,\"map_hosts\":[[\"a\",\"b\"],[\"b\"]],\"map_starts_"
            "s\":[1.5,2],"
            "\"reduce_starts_s\":[9],\"map_ran_on\":[\"a\",null],\"reduce_ran_on\":[\"b\"]}\n") !=
        NULL);
    fx_open(&fx, "jsonl", text.data, NULL);
    CU_ASSERT_EQUAL(fx_next(&fx), 1);
    CU_ASSERT_STRING_EQUAL(fx.err.text, "");
    CU_ASSERT_EQUAL(fx.job.task_us[BASE_TASK_MAP][1], 6500000);
    CU_ASSERT_EQUAL(fx.job.replica_nodes[3], 1);
    fx_close(&fx);
    base_buf_free(&text);
}

/* ---------------------------------------------------------------- the single server on real
 * traces */
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
                                   5.1e-5); /* all that is printed */
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
    {"sls: Hadoop's example", test_sls},
    {"sls: arrays, missing hosts", test_sls_forms},
    {"sls: bad objects", test_sls_errors},
    {"csv", test_csv},
    {"csv: bad lines", test_csv_errors},
    {"jsonl: lists, places, history", test_jsonl},
    {"jsonl: bad lines", test_jsonl_errors},
    {"what is written is read as the same", test_round_trips},
    {"every field", test_all_fields},
    {"a line of history", test_history},
    {"single server on both traces", test_single_traces},
};
CUNIT_MAIN("sim_traces", cases)
