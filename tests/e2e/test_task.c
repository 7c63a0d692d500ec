/* creel-task end to end: real map and reduce processes, an RM and a node of the test's own
 * (fake_mr.h), and the same commands in a shell pipeline as the oracle. The runner's path is the
 * first argument. */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "base/clock.h"
#include "base/io/io.h"
#include "base/io/json.h"
#include "rm/jobs/output_folder.h"
#include "rm/jobs/splits.h"
#include "tests/e2e/fake_mr.h"
#include "tests/e2e/mr_text.h"
#include "tests/unit/cunit_main.h"

extern char **environ;

#define WORDS "tr -s ' ' '\\n' | sed '/^$/d;s/$/\\t1/'"
#define SUM                                                                                        \
    "awk -F'\\t' '{if($1!=k){if(NR>1)print k\"\\t\"s;k=$1;s=0}s+=$2}END{if(NR)print k\"\\t\"s}'"
#define APP "application_1700000000000_0007"

static const char *runner, *disk_order; /* disk_order.so of tests/fault, or NULL */
static char dir[64];

/* One job; NULL and 0: default. */
struct job {
    const char *map, *combine, *reduce;
    int reduces;
    int64_t split_size;
    int sort_mb;
};

static char *at(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static char *at(const char *fmt, ...)
{
    static char paths[8][PATH_MAX];
    static int turn;
    char *path = paths[turn++ % 8];
    int n = snprintf(path, PATH_MAX, "%s/", dir);
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(path + n, PATH_MAX - (size_t)n, fmt, ap);
    va_end(ap);
    return path;
}

static void begin(void)
{
    snprintf(dir, sizeof dir, "/tmp/creel-task-XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
    CU_ASSERT_EQUAL_FATAL(mkdir(at("in"), 0755), 0);
    CU_ASSERT_EQUAL_FATAL(mkdir(at("out"), 0755), 0);
    CU_ASSERT_EQUAL_FATAL(mkdir(at("out/_temporary"), 0755), 0);
}

static void end(void)
{
    CU_ASSERT_EQUAL(base_rmtree(dir, NULL), 0);
}

static void put(const char *path, const void *data, size_t n)
{
    CU_ASSERT_EQUAL_FATAL(base_file_write_atomic(path, data, n, 0644, false, NULL), 0);
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* ---- processes ---- */

static pid_t start(const char *const *argv, const char *out)
{
    posix_spawn_file_actions_t fa;
    pid_t pid;

    posix_spawn_file_actions_init(&fa);
    posix_spawn_file_actions_addopen(&fa, 2, at("stderr"), O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (out != NULL)
        posix_spawn_file_actions_addopen(&fa, 1, out, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    CU_ASSERT_EQUAL_FATAL(posix_spawn(&pid, argv[0], &fa, NULL, (char *const *)argv, environ), 0);
    posix_spawn_file_actions_destroy(&fa);
    return pid;
}

/* Exit code, or 128 + signal. */
static int finish(pid_t pid)
{
    int status;

    CU_ASSERT_EQUAL_FATAL(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void shell(const char *command, const char *out)
{
    const char *argv[] = {"/bin/sh", "-c", command, NULL};

    CU_ASSERT_EQUAL(finish(start(argv, out)), 0);
}

static pid_t task_start(const char *container)
{
    char *folder = at("%s", container);
    const char *argv[] = {runner, "--dir", folder, NULL};

    return start(argv, NULL);
}

/* ---- launch orders ---- */

static void set_text(json_t *o, const char *name, const char *text)
{
    if (text != NULL)
        json_object_set_new(o, name, json_string(text));
}

/* Takes @spec. */
static void write_launch(const char *container, char kind, int index, int attempt, json_t *spec)
{
    json_t *o = json_object();
    struct base_buf b = {0};
    char task[128];

    snprintf(task, sizeof task, "task_1700000000000_0007_%c_%06d", kind, index);
    set_text(o, "type", "launch");
    set_text(o, "kind", kind == 'm' ? "map" : "reduce");
    set_text(o, "app", APP);
    set_text(o, "task", task);
    set_text(o, "token", FAKE_MR_TOKEN);
    json_object_set_new(o, "taskAttempt", json_integer(attempt));
    set_text(spec, "job", APP);
    json_object_set_new(spec, "index", json_integer(index));
    json_object_set_new(spec, "attempt", json_integer(attempt));
    json_object_set_new(o, "spec", spec);
    base_json_dump(o, &b);
    json_decref(o);
    CU_ASSERT_EQUAL_FATAL(base_mkdirs(at("%s", container), 0755, NULL), 0);
    put(at("%s/launch.json", container), b.data, b.len);
    base_buf_free(&b);
}

static void launch_map(const struct job *j, const char *container, int index, const char *path,
                       const struct rm_split *split, uint16_t rm_port)
{
    json_t *spec = json_object(), *s = json_object();
    char rm[128];

    set_text(s, "path", path);
    json_object_set_new(s, "offset", json_integer(split->offset));
    json_object_set_new(s, "length", json_integer(split->length));
    json_object_set_new(s, "gzip", json_boolean(split->gzip));
    json_object_set_new(spec, "split", s);
    set_text(spec, "map", j->map);
    set_text(spec, "combine", j->combine);
    json_object_set_new(spec, "reduces", json_integer(j->reduces));
    json_object_set_new(spec, "sortBufferMb", json_integer(j->sort_mb ? j->sort_mb : 8));
    set_text(spec, "output", at("out"));
    json_object_set_new(spec, "jobCommits", json_true());
    snprintf(rm, sizeof rm, "http://127.0.0.1:%u", rm_port);
    set_text(spec, "rm", rm);
    write_launch(container, 'm', index, 0, spec);
}

static void launch_reduce(const struct job *j, const char *container, int index, int attempt,
                          int maps, uint16_t port)
{
    json_t *spec = json_object();
    char rm[128], uri[PATH_MAX];

    set_text(spec, "reduce", j->reduce);
    json_object_set_new(spec, "maps", json_integer(maps));
    snprintf(uri, sizeof uri, "file://%s", at("out"));
    set_text(spec, "output", uri);
    json_object_set_new(spec, "jobCommits", json_true());
    /* Port 1 stands for an RM that is down. */
    snprintf(rm, sizeof rm, "http://127.0.0.1:1/,http://127.0.0.1:%u", port);
    set_text(spec, "rm", rm);
    json_object_set_new(spec, "sortBufferMb", json_integer(j->sort_mb ? j->sort_mb : 8));
    write_launch(container, 'r', index, attempt, spec);
}

static json_t *read_json(const char *container, const char *name)
{
    struct base_buf b = {0};
    json_t *j = NULL;

    if (base_file_read(at("%s/%s", container, name), 1 << 20, &b, NULL) == 0)
        CU_ASSERT_EQUAL(base_json_parse(b.data, b.len, &j, NULL), 0);
    base_buf_free(&b);
    return j;
}

static int64_t counter(const char *container, const char *name)
{
    json_t *j = read_json(container, "result.json");
    int64_t v = json_integer_value(json_object_get(json_object_get(j, "counters"), name));

    json_decref(j);
    return v;
}

static void expect_failure(const char *container, int code, const char *says)
{
    json_t *j = read_json(container, "failure.json");
    const char *text = json_string_value(json_object_get(j, "diagnostics"));

    CU_ASSERT_EQUAL(json_integer_value(json_object_get(j, "exitCode")), code);
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    if (strstr(text, says) == NULL)
        printf("\n  \"%s\" does not say \"%s\"\n", text, says);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, says));
    CU_ASSERT_FALSE(exists(at("%s/result.json", container)));
    CU_ASSERT_FALSE(exists(at("%s/tmp", container)));
    json_decref(j);
}

/* ---- whole jobs ---- */

struct cluster {
    struct job job;
    struct rm_input in;
    struct fake_mr *mr;
    int maps;
};

static void cluster_start(struct cluster *c, const struct job *j)
{
    const char *input = at("in");
    struct base_error err = {0};

    memset(c, 0, sizeof *c);
    c->job = *j;
    CU_ASSERT_EQUAL_FATAL(rm_input_find_splits(&input, 1, j->split_size ? j->split_size : 1 << 20,
                                               NULL, &c->in, &err),
                          0);
    c->maps = (int)c->in.splits_len;
    c->mr = fake_mr_start(dir, c->maps);
}

static void cluster_stop(struct cluster *c)
{
    CU_ASSERT_EQUAL(fake_mr_wrong_tokens(c->mr), 0);
    fake_mr_stop(c->mr);
    rm_input_free(&c->in);
}

static char *name(char kind, int i)
{
    static char names[4][32];
    static int turn;

    snprintf(names[turn = (turn + 1) % 4], sizeof names[0], "c_%c_%d", kind, i);
    return names[turn];
}

/* Two at a time, as on a node with two slots. */
static void run_maps(struct cluster *c)
{
    pid_t before = 0;

    for (int i = 0; i <= c->maps; i++) {
        pid_t pid = 0;

        if (i < c->maps) {
            const struct rm_split *s = &c->in.splits[i];
            launch_map(&c->job, name('m', i), i, c->in.paths[s->path_index], s,
                       fake_mr_port(c->mr));
            pid = task_start(name('m', i));
        }
        if (before != 0)
            CU_ASSERT_EQUAL(finish(before), 0);
        before = pid;
    }
}

static void run_reduces(struct cluster *c)
{
    pid_t pids[64];

    CU_ASSERT_FATAL(c->job.reduces <= 64);
    for (int i = 0; i < c->job.reduces; i++) {
        launch_reduce(&c->job, name('r', i), i, 0, c->maps, fake_mr_port(c->mr));
        pids[i] = task_start(name('r', i));
        if (i >= 2)
            CU_ASSERT_EQUAL(finish(pids[i - 2]), 0);
    }
    for (int i = c->job.reduces > 2 ? c->job.reduces - 2 : 0; i < c->job.reduces; i++)
        CU_ASSERT_EQUAL(finish(pids[i]), 0);
}

static void publish_all(struct cluster *c)
{
    for (int i = 0; i < c->maps; i++)
        fake_mr_publish(c->mr, i, 0, name('m', i), 0);
}

/* As the RM does when all tasks have ended well: part i is that of attempt attempts[i]. */
static void commit_job(enum base_task_kind kind, const int32_t *attempts, int n)
{
    static const int32_t first[64];
    const struct rm_output_parts parts = {kind, attempts != NULL ? attempts : first, (size_t)n};
    struct base_error err = {0};

    CU_ASSERT_FALSE(exists(at("out/part-00000")));
    CU_ASSERT_EQUAL(
        rm_output_commit_parts(at("out"), (struct base_app_id){1700000000000, 7}, &parts, &err), 0);
    if (err.code < 0)
        printf("\n  %s\n", err.text);
}

/* The parts together, sorted, equal the pipeline over all of the input, sorted. */
static void compare(const struct job *j)
{
    char command[8192];

    if (!exists(at("out/_SUCCESS")))
        commit_job(BASE_TASK_REDUCE, NULL, j->reduces);
    snprintf(command, sizeof command, "cat %s/out/part-* | LC_ALL=C sort", dir);
    shell(command, at("got"));
    snprintf(command, sizeof command,
             "for f in %s/in/*; do case $f in *.gz) zcat $f;; *) cat $f;; esac; done | (%s) | "
             "LC_ALL=C sort -t \"$(printf '\\t')\" -k1,1 | (%s) | LC_ALL=C sort",
             dir, j->map, j->reduce != NULL ? j->reduce : "cat");
    shell(command, at("want"));
    snprintf(command, sizeof command, "cmp %s/got %s/want >&2", dir, dir);
    shell(command, NULL);
}

/* Every partition of every map's output is in order by itself: reduces sort small ones again and
 * would not show it. */
static void check_map_outputs(const struct cluster *c)
{
    for (int i = 0; i < c->maps && c->maps * c->job.reduces <= 100; i++) {
        char command[4 * PATH_MAX];
        const char *output = at("%s/output", name('m', i));

        snprintf(command, sizeof command,
                 "while read o n r; do tail -c +$((o + 1)) %s/file.out | head -c $n | LC_ALL=C "
                 "sort -c -t \"$(printf "
                 "'\\t')\" -k1,1 || exit 1; done < %s/file.index",
                 output, output);
        shell(command, NULL);
    }
}

static void run_job(const struct job *j)
{
    struct cluster c;

    cluster_start(&c, j);
    run_maps(&c);
    check_map_outputs(&c);
    publish_all(&c);
    run_reduces(&c);
    compare(j);
    for (int i = 0; i < j->reduces && (j->reduce == NULL || strcmp(j->reduce, SUM) == 0); i++)
        CU_ASSERT(mr_part_is_right(at("out/part-%05d", i), i, j->reduces));
    cluster_stop(&c);
}

/* ---- inputs ---- */

static void put_text(const char *file, int lines, uint64_t seed, bool cut)
{
    struct base_buf b = {0};

    mr_text(&b, lines, seed, cut);
    put(at("in/%s", file), b.data, b.len);
    base_buf_free(&b);
}

static void put_gzip(const char *file, int lines, uint64_t seed, int members)
{
    for (int m = 0; m < members; m++) {
        gzFile gz = gzopen(at("in/%s", file), "ab");
        struct base_buf b = {0};

        mr_text(&b, lines, seed + (uint64_t)m, false);
        CU_ASSERT_EQUAL(gzwrite(gz, b.data, (unsigned)b.len), (int)b.len);
        CU_ASSERT_EQUAL(gzclose(gz), Z_OK);
        base_buf_free(&b);
    }
}

/* Text, gzip of two members, an empty file, a line of 200 KB in the middle, an end without
 * newline. */
static void put_mixture(void)
{
    struct base_buf b = {0};

    put_text("a.txt", 20000, 1, false);
    put_text("b-empty", 0, 2, false);
    put_gzip("c.gz", 5000, 3, 2);
    mr_text(&b, 100, 5, false);
    for (int i = 0; i < 200000; i++)
        base_buf_adds(&b, i % 7 == 0 ? " " : "y");
    base_buf_adds(&b, "\n");
    mr_text(&b, 100, 6, false);
    put(at("in/d-long"), b.data, b.len);
    base_buf_free(&b);
    put_text("e-cut", 3000, 7, true); /* the last one, or the oracle's cat would join two lines */
}

/* ---- tests ---- */

/* Goal: the parts equal the pipeline, for few and many reduces and splits, with and without a
 * combine command. */
static void test_word_count(void)
{
    static const int reduces[] = {1, 7, 40};
    static const int64_t splits[] = {1 << 20, 50000};

    for (size_t i = 0; i < 12; i++) {
        const struct job j = {.map = WORDS,
                              .combine = i % 2 ? SUM : NULL,
                              .reduce = SUM,
                              .reduces = reduces[i / 2 % 3],
                              .split_size = splits[i / 6]};
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

/* ---- failures ---- */

static int run_one_map(struct cluster *c, const struct job *j)
{
    cluster_start(c, j);
    launch_map(j, "c_m_0", 0, c->in.paths[0], &c->in.splits[0], fake_mr_port(c->mr));
    return finish(task_start("c_m_0"));
}

static void test_failing_commands(void)
{
    static const struct {
        struct job job;
        int code;
        const char *says;
    } rows[] = {
        {{.map = "cat > /dev/null; echo oh >&2; echo no >&2; exit 3", .reduces = 2},
         3,
         "map command exited with 3: oh\nno"},
        {{.map = "exit 4", .reduces = 1}, 4, "map command exited with 4"},
        {{.map = "no-such-program", .reduces = 0}, 127, "map command exited with 127: "},
        {{.map = "kill -9 $$", .reduces = 1}, 137, "map command was killed by signal 9"},
        {{.map = WORDS, .combine = "cat >/dev/null; echo bad >&2; exit 5", .reduces = 1},
         5,
         "combine command exited with 5: bad"},
        {{.map = WORDS, .combine = "exit 6", .reduces = 3}, 6, "combine command exited with 6"},
        {{.map = "for i in $(seq 30); do echo line$i >&2; done; printf '\\377\\001x' >&2; exit 1",
          .reduces = 1},
         1,
         "map command exited with 1: line12\nline13"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cluster c;

        begin();
        put_text("a", 50000, 41, false);
        CU_ASSERT_EQUAL(run_one_map(&c, &rows[i].job), rows[i].code);
        expect_failure("c_m_0", rows[i].code, rows[i].says);
        CU_ASSERT_FALSE(exists(at("c_m_0/output/file.index")));
        CU_ASSERT_FALSE(exists(at("out/part-00000")));
        cluster_stop(&c);
        end();
    }
}

/* Goal: commands that have seen enough are no failures, wherever they stand. */
static void test_early_ends(void)
{
    static const struct job rows[] = {
        {.map = "head -n 3", .reduces = 2},
        {.map = "true", .reduces = 1},
        {.map = "cat", .combine = "head -n 1", .reduces = 1},
        {.map = "cat", .combine = "head -n 1", .reduces = 3},
        {.map = "cat", .reduce = "head -n 2", .reduces = 1},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cluster c;

        begin();
        put_text("a", 300000, 43, false);
        cluster_start(&c, &rows[i]);
        run_maps(&c);
        publish_all(&c);
        run_reduces(&c);
        cluster_stop(&c);
        end();
    }
}

static void test_damaged_gzip(void)
{
    const struct job j = {.map = "cat", .reduces = 1};

    for (int kind = 0; kind < 3; kind++) {
        struct cluster c;
        struct base_buf b = {0};
        char path[PATH_MAX];

        begin();
        put_gzip("a.gz", 5000, 51, 1);
        snprintf(path, sizeof path, "%s", at("in/a.gz"));
        CU_ASSERT_EQUAL(base_file_read(path, 1 << 20, &b, NULL), 0);
        if (kind == 0)
            memset(b.data + b.len / 2, 0x55, 40);
        else if (kind == 1)
            b.len -= 5;
        else
            base_buf_adds(&b, "trailing");
        put(path, b.data, b.len);
        base_buf_free(&b);
        CU_ASSERT_EQUAL(run_one_map(&c, &j), 1);
        expect_failure("c_m_0", 1, kind == 1 ? "gzip data ends too early" : path);
        cluster_stop(&c);
        end();
    }
}

static void test_missing_input(void)
{
    const struct job j = {.map = "cat", .reduces = 1};
    struct cluster c;

    begin();
    put_text("a", 10, 1, false);
    cluster_start(&c, &j);
    launch_map(&j, "c_m_0", 0, "/no/such/file", &c.in.splits[0], fake_mr_port(c.mr));
    CU_ASSERT_EQUAL(finish(task_start("c_m_0")), 1);
    expect_failure("c_m_0", 1, "input /no/such/file: No such file");
    cluster_stop(&c);
    end();
}

/* Goal: what has taken the place of a plain input, or lies where the runner writes, ends the task:
 * it waits for nobody. */
static void test_no_plain_files(void)
{
    static const char *const own[] = {"output/file.out", "launch.json"};
    const struct job j = {.map = "cat", .reduces = 1};
    struct cluster c;

    begin();
    put_text("a", 10, 1, false);
    cluster_start(&c, &j);
    CU_ASSERT_EQUAL(mkfifo(at("fifo"), 0600), 0);
    launch_map(&j, "c_m_0", 0, at("fifo"), &c.in.splits[0], fake_mr_port(c.mr));
    CU_ASSERT_EQUAL(finish(task_start("c_m_0")), 1);
    expect_failure("c_m_0", 1, "fifo: a plain file was expected");
    launch_map(&j, "c_m_1", 0, "/dev/zero", &c.in.splits[0], fake_mr_port(c.mr));
    CU_ASSERT_EQUAL(finish(task_start("c_m_1")), 1);
    expect_failure("c_m_1", 1, "/dev/zero: a plain file was expected");
    CU_ASSERT_EQUAL(symlink("a", at("in/linked")), 0);
    launch_map(&j, "c_m_2", 0, at("in/linked"), &c.in.splits[0], fake_mr_port(c.mr));
    CU_ASSERT_EQUAL(finish(task_start("c_m_2")), 0); /* links in inputs are people's own */
    for (int i = 0; i < 2; i++) {
        char container[16];

        snprintf(container, sizeof container, "c_m_%d", 3 + i);
        launch_map(&j, container, 0, c.in.paths[0], &c.in.splits[0], fake_mr_port(c.mr));
        CU_ASSERT_EQUAL(base_mkdirs(at("%s/output", container), 0700, NULL), 0);
        unlink(at("%s/%s", container, own[i]));
        CU_ASSERT_EQUAL(mkfifo(at("%s/%s", container, own[i]), 0600), 0);
        CU_ASSERT_EQUAL(finish(task_start(container)), 1);
        expect_failure(container, 1, "not a regular file");
    }
    cluster_stop(&c);
    end();
}

/* What somebody can put where the attempt's part or its folder goes, and what becomes of the
 * task. */
static const struct planted {
    const char *command; /* $f: the attempt's folder, $t: _temporary; "victim" has one line */
    int code;
    const char *says;
} planted[] = {
    {"mkdir $f", 0, NULL}, /* this attempt has begun before */
    {"mkdir $f && echo old > $f/part-00000", 0, NULL},
    {"mkdir $f && mkfifo $f/part-00000", 0, NULL},
    {"mkdir $f && ln -s $PWD/victim $f/part-00000", 0, NULL},
    {"mkdir $f && ln victim $f/part-00000", 0, NULL},
    {"mkdir -p $f/part-00000", 1, "part-00000: Is a directory"},
    {"ln -s $PWD/elsewhere $f", 1, "_m_000000_0 is not a plain folder"},
    {"mkfifo $f", 1, "_m_000000_0 is not a plain folder"},
    {"mv $t elsewhere/ && ln -s $PWD/elsewhere/_temporary $t", 1,
     "_temporary is not a plain folder"},
};

/* Goal: nothing planted where the part goes hangs the task or is written to; the part is a file of
 * its own. */
static void test_planted_output(void)
{
    static const char attempt[] = "out/_temporary/task_1700000000000_0007_m_000000_0";
    const struct job j = {.map = "cat", .reduces = 0};

    for (size_t i = 0; i < sizeof planted / sizeof planted[0]; i++) {
        char command[4096];
        struct cluster c;
        struct stat st;

        begin();
        put_text("a", 10, 1, false);
        put(at("victim"), "kept\n", 5);
        snprintf(command, sizeof command, "cd %s && mkdir elsewhere && t=out/_temporary f=%s && %s",
                 dir, attempt, planted[i].command);
        shell(command, NULL);
        CU_ASSERT_EQUAL(run_one_map(&c, &j), planted[i].code);
        if (planted[i].code != 0) {
            expect_failure("c_m_0", planted[i].code, planted[i].says);
        } else {
            CU_ASSERT_EQUAL(lstat(at("%s/part-00000", attempt), &st), 0);
            CU_ASSERT(S_ISREG(st.st_mode) && st.st_nlink == 1);
            snprintf(command, sizeof command, "cmp %s/in/a %s/%s/part-00000 >&2", dir, dir,
                     attempt);
            shell(command, NULL);
        }
        snprintf(command, sizeof command,
                 "test \"$(cat %s/victim)\" = kept && ! find %s/elsewhere | grep part-", dir, dir);
        shell(command, NULL);
        cluster_stop(&c);
        end();
    }
}

/* Goal: a full disk is told apart. Method: a small tmpfs over the output, in a mount namespace of
 * the runner alone. */
static void test_no_space(void)
{
    static const char mounting[] =
        "mount -t tmpfs -o size=64k creel-test \"$0\" && mkdir \"$0/_temporary\" && "
        "{ head -c 1M /dev/zero > \"$0/filler\" 2> /dev/null; exec \"$@\"; }";
    const char *how = geteuid() == 0 ? "-m" : "-rm";
    const char *unshare[] = {
        "/usr/bin/unshare", how, "/bin/sh", "-c", mounting, NULL, runner, "--dir", NULL, NULL};
    const char *possible[] = {unshare[0], how, "/bin/sh", "-c", mounting, NULL, "/bin/true", NULL};
    const struct job j = {.map = "cat", .reduces = 0};
    struct cluster c;

    begin();
    char *out = base_strdup(at("out")), *container = base_strdup(at("c_m_0"));
    unshare[5] = possible[5] = out;
    unshare[8] = container;
    if (access(unshare[0], X_OK) < 0 || finish(start(possible, NULL)) != 0) {
        printf("(skipped: no mount namespaces here) ");
    } else {
        put_text("a", 10, 1, false);
        cluster_start(&c, &j);
        launch_map(&j, "c_m_0", 0, c.in.paths[0], &c.in.splits[0], fake_mr_port(c.mr));
        CU_ASSERT_EQUAL(finish(start(unshare, NULL)), 75);
        expect_failure("c_m_0", -101, "No space left on device");
        cluster_stop(&c);
    }
    free(out);
    free(container);
    end();
}

/* Where @line begins in @text, which has it once; SIZE_MAX: not so. */
static size_t place_of(const char *text, const char *line)
{
    const char *p = strstr(text, line);

    return p && !strstr(p + 1, line) ? (size_t)(p - text) : SIZE_MAX;
}

/* Goal: the ResourceManager is asked for leave when the part is on disk, and the task ends well
 * when the names of its folders are, too. */
static void test_commit_order(void)
{
    static const char folder[] = "out/_temporary/task_1700000000000_0007_m_000000_0";
    const struct job j = {.map = "cat", .reduces = 0};
    struct cluster c;
    struct base_buf b = {0};
    const char *asan = getenv("ASAN_OPTIONS");
    char *before = base_strdup(asan ? asan : "");
    size_t places[5];

    if (disk_order == NULL || access(disk_order, R_OK) < 0) {
        printf("(skipped: no disk_order.so) ");
        free(before);
        return;
    }
    begin();
    put_text("a", 10, 1, false);
    char *relaxed = base_printf("%s:verify_asan_link_order=0", before);
    setenv("ASAN_OPTIONS", relaxed, 1);
    setenv("LD_PRELOAD", disk_order, 1);
    setenv("DISK_ORDER_LOG", at("order"), 1);
    setenv("DISK_ORDER_WORD", "nodetracker/commit", 1);
    CU_ASSERT_EQUAL(run_one_map(&c, &j), 0);
    unsetenv("LD_PRELOAD");
    unsetenv("DISK_ORDER_LOG");
    setenv("ASAN_OPTIONS", before, 1);
    CU_ASSERT_EQUAL_FATAL(base_file_read(at("order"), 1 << 20, &b, NULL), 0);
    char *want[] = {base_printf("sync %s/part-00000\n", at("%s", folder)),
                    base_printf("send nodetracker/commit\n"),
                    base_printf("sync %s\n", at("%s", folder)),
                    base_printf("sync %s\n", at("out/_temporary")),
                    base_printf(" %s\n", at("c_m_0/result.json"))};
    for (int i = 0; i < 5; i++)
        places[i] = place_of(b.data, want[i]);
    for (int i = 0; i < 5; i++) {
        CU_ASSERT(places[i] != SIZE_MAX && (i == 0 || places[i - 1] < places[i]));
        if (places[i] == SIZE_MAX)
            printf("\n  no \"%s\" in\n%s", want[i], b.data);
    }
    for (int i = 0; i < 5; i++)
        free(want[i]);
    free(relaxed);
    free(before);
    base_buf_free(&b);
    cluster_stop(&c);
    end();
}

static void test_commit_refused(void)
{
    const struct job j = {.map = "cat", .reduces = 1};
    struct cluster c;

    begin();
    put_text("a", 10, 1, false);
    cluster_start(&c, &j);
    run_maps(&c);
    publish_all(&c);
    launch_reduce(&j, "c_r_0", 0, 0, c.maps, fake_mr_port(c.mr));
    CU_ASSERT_EQUAL(finish(task_start("c_r_0")), 0);
    /* another attempt of the same task */
    launch_reduce(&j, "c_r_1", 0, 1, c.maps, fake_mr_port(c.mr));
    CU_ASSERT_EQUAL(finish(task_start("c_r_1")), 3);
    expect_failure("c_r_1", 3, "another attempt has committed");
    CU_ASSERT_TRUE(exists(at("out/_temporary/task_1700000000000_0007_r_000000_0")));
    CU_ASSERT_FALSE(exists(at("out/_temporary/task_1700000000000_0007_r_000000_1")));
    compare(&j);
    cluster_stop(&c);
    end();
}

/* Goal: an attempt that was given up after it had leave, and ends after its successor, does not
 * touch the output. */
static void test_late_commit(void)
{
    const struct job gone = {.map = "cat", .reduce = "echo gone", .reduces = 1};
    const struct job counts = {.map = "cat", .reduce = "echo counts", .reduces = 1};
    static const int32_t second[] = {1};
    char command[256];
    struct cluster c;

    begin();
    put_text("a", 10, 1, false);
    cluster_start(&c, &counts);
    run_maps(&c);
    publish_all(&c);
    launch_reduce(&counts, "c_r_1", 0, 1, c.maps, fake_mr_port(c.mr));
    CU_ASSERT_EQUAL(finish(task_start("c_r_1")), 0);
    fake_mr_give_up(c.mr, "task_1700000000000_0007_r_000000");
    launch_reduce(&gone, "c_r_0", 0, 0, c.maps, fake_mr_port(c.mr));
    CU_ASSERT_EQUAL(finish(task_start("c_r_0")), 0);
    commit_job(BASE_TASK_REDUCE, second, 1);
    snprintf(command, sizeof command, "test \"$(cat %s/out/part-00000)\" = counts", dir);
    shell(command, NULL);
    cluster_stop(&c);
    end();
}

/* The children of this process' child, read from /proc. */
static bool has_descendant(pid_t pid)
{
    char path[128], text[64] = "";
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    f = fopen(path, "r");
    if (f == NULL)
        return false;
    if (fgets(text, sizeof text, f) == NULL)
        text[0] = '\0';
    fclose(f);
    return text[0] != '\0';
}

static void pause_ms(long ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    nanosleep(&t, NULL);
}

static void test_terminated(void)
{
    struct job j = {.map = NULL, .reduces = 1};
    char command[PATH_MAX + 64];
    struct cluster c;
    struct base_buf b = {0};
    pid_t pid;

    begin();
    put_text("a", 10, 1, false);
    snprintf(command, sizeof command, "echo $$ > %s/pid.new; mv %s/pid.new %s/pid; exec sleep 600",
             dir, dir, dir);
    j.map = command;
    cluster_start(&c, &j);
    launch_map(&j, "c_m_0", 0, c.in.paths[0], &c.in.splits[0], fake_mr_port(c.mr));
    pid = task_start("c_m_0");
    for (int i = 0; i < 1000 && !(exists(at("pid")) && has_descendant(pid)); i++)
        pause_ms(10);
    CU_ASSERT_EQUAL_FATAL(base_file_read(at("pid"), 100, &b, NULL), 0);
    CU_ASSERT_EQUAL(kill(pid, SIGTERM), 0);
    CU_ASSERT_EQUAL(finish(pid), 143);
    for (int i = 0; i < 1000 && base_proc_start_time((pid_t)atoi(b.data)) >= 0; i++)
        pause_ms(10);
    CU_ASSERT_EQUAL(base_proc_start_time((pid_t)atoi(b.data)), -1);
    base_buf_free(&b);
    cluster_stop(&c);
    end();
}

/* ---- the shuffle's troubles ---- */

/* Goal: a reduce that starts before the maps end, with an RM that goes away meanwhile and counts
 * anew afterwards, outputs on a dead node, outputs a node does not have any more, and outputs that
 * are bad, ends with the right result. */
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

/* A map was run again, and its new output is not there either: the RM hears of that with the first
 * fetch that finds it so, whatever there was with the output before. */
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

/* Goal: hundreds of small outputs and large ones beside them, through small merges. */
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
    {"failing commands", test_failing_commands},
    {"early ends", test_early_ends},
    {"damaged gzip", test_damaged_gzip},
    {"missing input", test_missing_input},
    {"no space", test_no_space},
    {"no plain files", test_no_plain_files},
    {"planted output", test_planted_output},
    {"the order of a commit", test_commit_order},
    {"commit refused", test_commit_refused},
    {"terminated", test_terminated},
    {"shuffle troubles", test_shuffle_troubles},
    {"an output made again is gone too", test_gone_again},
    {"late commit", test_late_commit},
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
