/* creel-task end to end: real map and reduce processes, an RM and a node of the test's own
 * (fake_mr.h), and the same commands in a shell pipeline as the oracle. The runner's path is the
 * first argument. */
#include "tests/e2e/task_fixture.h"

/* ---- tests ---- */

/* Goal: the parts equal the pipeline, for few and many reduces and splits, with and without a
 * combine command. */
static void test_word_count(void)
{
    static const int reduces[] = {1, 7, 40};
    static const int64_t splits[] = {1 << 20, 50000};

    for (size_t i = 0; i < 6; i++) { /* every two of the three settings meet */
        const struct job j = {.map = WORDS,
                              .combine = i % 2 ? SUM : NULL,
                              .reduce = SUM,
                              .reduces = reduces[i / 2],
                              .split_size = splits[(i + i / 2) % 2]};
        begin();
        put_mixture();
        run_job(&j);
        end();
    }
}

/* Goal: each line comes out once wherever the splits are cut, down to splits of three bytes. */
static void test_small_splits(void)
{
    static const char text[] = "a\n\nbb\nccc\n\n\nlonger than a split\nd\nee\nf";
    const struct job j = {.map = "cat", .reduces = 1, .split_size = 3};

    begin();
    put(at("in/f"), text, sizeof text - 1);
    run_job(&j);
    end();
}

/* Goal: any bytes but newline pass; keys with bytes below TAB stay grouped and in order (no such
 * byte in a value is needed for that); lines without TAB are keys as a whole. */
static void test_binary(void)
{
    for (int reduces = 1; reduces <= 3; reduces += 2) {
        const struct job j = {.map = "cat", .reduces = reduces, .split_size = 20000};
        struct base_buf b = {0};
        uint64_t seed = 77;

        begin();
        for (int i = 0; i < 60000; i++) {
            /* many short keys */
            char c = (char)(xorshift_next(&seed) % 12 < 9 ? xorshift_next(&seed) % 4
                                                          : xorshift_next(&seed) % 256);
            if (xorshift_next(&seed) % 3 == 0)
                c = '\n';
            else if (xorshift_next(&seed) % 4 == 0)
                c = '\t';
            base_buf_add(&b, &c, 1);
        }
        base_buf_adds(&b, "\n");
        put(at("in/binary"), b.data, b.len);
        base_buf_free(&b);
        run_job(&j);
        end();
    }
}

/* Goal: a key with a low byte that is a prefix of another is not torn apart by lines without TAB,
 * also when another map's lines are plain. Counting groups shows it. */
static void test_low_bytes_grouped(void)
{
    static const char low[] = "a\na\x01\t1\na\t1\na\x01\na\na\t3\n", plain[] = "a\na\t2\na\t0\nb\n";
    const struct job j = {.map = "cat", .reduce = "cut -f1 | uniq -c", .reduces = 1};

    begin();
    put(at("in/1"), low, sizeof low - 1);
    put(at("in/2"), plain, sizeof plain - 1);
    run_job(&j);
    end();
}

/* Goal: a combine command may reorder; its output is sorted again. */
static void test_unordered_combine(void)
{
    for (int reduces = 1; reduces <= 4; reduces += 3) {
        const struct job j = {.map = WORDS,
                              .combine =
                                  "awk -F'\\t' '{n[$1]+=$2}END{for(k in n)print k\"\\t\"n[k]}'",
                              .reduce = SUM,
                              .reduces = reduces,
                              .split_size = 60000};
        begin();
        put_text("a", 9000, 11, false);
        run_job(&j);
        end();
    }
}

/* Goal: memory is bounded: 30 MB of output through a 1 MiB buffer, a record longer than a block
 * included. */
static void test_spills(void)
{
    const struct job j = {.map = "cat; head -c 3000000 /dev/zero | tr '\\0' z; echo",
                          .reduce = "cat",
                          .reduces = 2,
                          .split_size = INT64_MAX,
                          .sort_mb = 1};
    begin();
    put_text("a", 1000000, 21, false);
    run_job(&j);
    end();
}

static void test_counters(void)
{
    const struct job j = {.map = WORDS, .combine = SUM, .reduce = SUM, .reduces = 2};
    static const char text[] = "a b a\nb a\nlast";
    struct cluster c;

    begin();
    put(at("in/f"), text, sizeof text - 1);
    cluster_start(&c, &j);
    run_maps(&c);
    publish_all(&c);
    run_reduces(&c);
    compare(&j);
    CU_ASSERT_EQUAL(counter("c_m_0", "MAP_INPUT_RECORDS"), 3);
    CU_ASSERT_EQUAL(counter("c_m_0", "MAP_INPUT_BYTES"), (int64_t)sizeof text - 1);
    CU_ASSERT_EQUAL(counter("c_m_0", "MAP_OUTPUT_RECORDS"), 6);
    CU_ASSERT_EQUAL(counter("c_m_0", "MAP_OUTPUT_BYTES"), 5 * 4 + 7);
    CU_ASSERT_EQUAL(counter("c_m_0", "COMBINE_INPUT_RECORDS"), 6);
    CU_ASSERT_EQUAL(counter("c_m_0", "COMBINE_OUTPUT_RECORDS"), 3);
    CU_ASSERT_EQUAL(
        counter("c_r_0", "REDUCE_INPUT_RECORDS") + counter("c_r_1", "REDUCE_INPUT_RECORDS"), 3);
    CU_ASSERT_EQUAL(counter("c_r_0", "REDUCE_OUTPUT_BYTES") +
                        counter("c_r_1", "REDUCE_OUTPUT_BYTES"),
                    4 + 4 + 7);
    CU_ASSERT_EQUAL(counter("c_r_0", "SHUFFLED_MAPS"), 1);
    json_t *p = read_json("c_r_0", "progress");
    CU_ASSERT_EQUAL(json_number_value(json_object_get(p, "progress")), 1.0);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(p, "phase")), "reduce");
    json_decref(p);
    CU_ASSERT_FALSE(exists(at("out/_temporary")));
    cluster_stop(&c);
    end();
}

static void test_empty_input(void)
{
    const struct job j = {.map = WORDS, .combine = SUM, .reduce = "wc -l", .reduces = 2};
    struct cluster c;
    struct stat st;

    begin();
    put(at("in/none"), "", 0);
    cluster_start(&c, &j);
    CU_ASSERT_EQUAL(c.maps, 1);
    run_maps(&c);
    publish_all(&c);
    run_reduces(&c);
    commit_job(BASE_TASK_REDUCE, NULL, 2);
    CU_ASSERT_EQUAL(stat(at("out/part-00001"), &st), 0);
    CU_ASSERT_EQUAL(st.st_size, 2); /* "0\n": a reduce command runs also for nothing */
    cluster_stop(&c);
    end();
}

static void test_map_only(void)
{
    const struct job j = {.map = "tr a-z A-Z", .reduces = 0, .split_size = 5000};
    char command[4096];
    struct cluster c;

    begin();
    put_text("a", 3000, 31, true);
    cluster_start(&c, &j);
    run_maps(&c);
    commit_job(BASE_TASK_MAP, NULL, c.maps);
    snprintf(command, sizeof command,
             "tr a-z A-Z < %s/in/a > %s/want; cat %s/out/part-* | cmp - %s/want >&2", dir, dir, dir,
             dir);
    shell(command, NULL); /* in order, byte by byte */
    cluster_stop(&c);
    end();
}

/* ---- the shuffle's troubles ---- */

/* Goal: a reduce that starts before the maps end, with an RM that goes away meanwhile and numbers
 * the outputs anew afterwards, outputs on a dead node, outputs a node does not have any more, and
 * outputs that are bad, ends with the right result. */
static void test_shuffle_troubles(void)
{
    const struct job j = {
        .map = WORDS, .combine = SUM, .reduce = SUM, .reduces = 1, .split_size = 20000};
    struct cluster c;
    pid_t pid;

    begin();
    put_text("a", 9000, 61, false);
    cluster_start(&c, &j);
    CU_ASSERT_FATAL(c.maps > 6);
    launch_reduce(&j, "c_r_0", 0, 0, c.maps, fake_mr_port(c.mr));
    pid = task_start("c_r_0");
    run_maps(&c);
    for (int i = 0; i < 3; i++)
        fake_mr_publish(c.mr, i, 0, name('m', i), 0);
    for (int i = 0; i < 1000 && fake_mr_fetches(c.mr) < 3; i++)
        pause_ms(10);
    CU_ASSERT(fake_mr_fetches(c.mr) >= 3);
    fake_mr_set_away(c.mr, true);
    int polls = fake_mr_polls(c.mr);
    for (int i = 0; i < 1000 && fake_mr_polls(c.mr) < polls + 3; i++)
        pause_ms(10);
    fake_mr_publish(c.mr, 3, 0, name('m', 3), 1); /* nobody listens there */
    fake_mr_on_complaint(c.mr, 3, name('m', 3));
    fake_mr_publish(c.mr, 4, 0, "c_gone", 0); /* 404 */
    fake_mr_on_complaint(c.mr, 4, name('m', 4));
    CU_ASSERT_EQUAL_FATAL(base_mkdirs(at("c_bad/output"), 0755, NULL), 0);
    put(at("c_bad/output/file.out"), "a\t1\nb", 5); /* cut short */
    put(at("c_bad/output/file.index"), "0 5 2\n", 6);
    fake_mr_publish(c.mr, 5, 0, "c_bad", 0);
    fake_mr_on_complaint(c.mr, 5, name('m', 5));
    for (int i = 6; i < c.maps; i++)
        fake_mr_publish(c.mr, i, 0, name('m', i), 0);
    fake_mr_set_away(c.mr, false);
    CU_ASSERT_EQUAL(finish(pid), 0);
    CU_ASSERT_EQUAL(fake_mr_complaints(c.mr), 3);
    compare(&j);
    cluster_stop(&c);
    end();
}

/* A map was run again, and its new output is not there either: the reduce complains to the RM after
 * its first failed fetch, however often fetches of the earlier output had failed. */
static void test_gone_again(void)
{
    const struct job j = {.map = "cat", .reduce = "cat", .reduces = 1, .split_size = 1 << 20};
    struct cluster c;
    pid_t pid;

    begin();
    put_text("a", 100, 62, false);
    cluster_start(&c, &j);
    launch_reduce(&j, "c_r_0", 0, 0, c.maps, fake_mr_port(c.mr));
    run_maps(&c);
    publish_all(&c);
    fake_mr_publish(c.mr, 0, 0, "c_gone", 0);
    fake_mr_on_complaint(c.mr, 0, "c_gone_again");
    fake_mr_hold_missing(c.mr, "c_gone_again");
    pid = task_start("c_r_0");
    for (int i = 0; i < 2000 && !fake_mr_complained(c.mr, "c_gone_again"); i++)
        pause_ms(10);
    CU_ASSERT(fake_mr_complained(c.mr, "c_gone"));
    CU_ASSERT(fake_mr_complained(c.mr, "c_gone_again"));
    fake_mr_publish(c.mr, 0, 2, name('m', 0), 0);
    fake_mr_hold_missing(c.mr, "");
    CU_ASSERT_EQUAL(finish(pid), 0);
    compare(&j);
    cluster_stop(&c);
    end();
}

/* Goal: a reduce merges hundreds of small outputs, and large ones, in little memory. */
static void test_many_outputs(void)
{
    const struct job j = {.map = "cat", .reduces = 1, .split_size = 2000, .sort_mb = 1};
    struct cluster c;

    begin();
    put_text("a", 8000, 71, false);
    put_gzip("b.gz", 60000, 72, 1);
    put_gzip("c.gz", 60000, 73, 1);
    cluster_start(&c, &j);
    CU_ASSERT(c.maps > 50);
    run_maps(&c);
    int64_t most = 0;
    for (int i = 0; i < c.maps; i++)
        most = counter(name('m', i), "SPILLS") > most ? counter(name('m', i), "SPILLS") : most;
    /* its output; the large ones do not fit sort's memory */
    CU_ASSERT_EQUAL(counter(name('m', 0), "SPILLS"), 1);
    CU_ASSERT(most > 1);
    publish_all(&c);
    run_reduces(&c);
    compare(&j);
    CU_ASSERT_EQUAL(counter("c_r_0", "SHUFFLED_MAPS"), c.maps);
    cluster_stop(&c);
    end();
}

static const struct cunit_case cases[] = {
    {"word count", test_word_count},
    {"small splits", test_small_splits},
    {"binary", test_binary},
    {"low bytes grouped", test_low_bytes_grouped},
    {"unordered combine", test_unordered_combine},
    {"spills", test_spills},
    {"counters", test_counters},
    {"empty input", test_empty_input},
    {"map only", test_map_only},
    {"shuffle troubles", test_shuffle_troubles},
    {"an output made again is gone too", test_gone_again},
    {"many outputs", test_many_outputs},
};

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: test_task CREEL-TASK [DISK_ORDER.SO]\n");
        return 2;
    }
    runner = argv[1];
    disk_order = argv[2];
    return cunit_main("creel-task", cases, sizeof cases / sizeof *cases);
}
