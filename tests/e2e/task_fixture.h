/* tests/e2e/task_fixture.h - jobs of map and reduce attempts, each run by a creel-task process of
 * its own and served by a fake ResourceManager; their inputs, and what should come out. */
#ifndef CREEL_TESTS_TASK_FIXTURE_H
#define CREEL_TESTS_TASK_FIXTURE_H

#include "base/clock.h"
#include "base/io/io.h"
#include "base/io/json.h"
#include "nodemanager/task/job/output_folder.h"
#include "nodemanager/task/job/splits.h"
#include "tests/e2e/fake_mr.h"
#include "tests/e2e/mr_text.h"
#include "tests/unit/cunit_main.h"
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

static inline char *at(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static inline char *at(const char *fmt, ...)
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

static inline void begin(void)
{
    snprintf(dir, sizeof dir, "/tmp/creel-task-XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
    CU_ASSERT_EQUAL_FATAL(mkdir(at("in"), 0755), 0);
    CU_ASSERT_EQUAL_FATAL(mkdir(at("out"), 0755), 0);
    CU_ASSERT_EQUAL_FATAL(mkdir(at("out/_temporary"), 0755), 0);
}

static inline void end(void)
{
    CU_ASSERT_EQUAL(base_rmtree(dir, NULL), 0);
}

static inline void put(const char *path, const void *data, size_t n)
{
    CU_ASSERT_EQUAL_FATAL(base_file_write_atomic(path, data, n, 0644, false, NULL), 0);
}

static inline bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* ---- processes ---- */

static inline pid_t start(const char *const *argv, const char *out)
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
static inline int finish(pid_t pid)
{
    int status;

    CU_ASSERT_EQUAL_FATAL(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline void shell(const char *command, const char *out)
{
    const char *argv[] = {"/bin/sh", "-c", command, NULL};

    CU_ASSERT_EQUAL(finish(start(argv, out)), 0);
}

static inline pid_t task_start(const char *container)
{
    char *folder = at("%s", container);
    const char *argv[] = {runner, "--dir", folder, NULL};

    return start(argv, NULL);
}

/* ---- launch orders ---- */

static inline void set_text(json_t *o, const char *name, const char *text)
{
    if (text != NULL)
        json_object_set_new(o, name, json_string(text));
}

/* Takes @spec. */
static inline void write_launch(const char *container, char kind, int index, int attempt,
                                json_t *spec)
{
    json_t *o = json_object();
    struct base_buf b = {0};
    char task[128];

    snprintf(task, sizeof task, "task_1700000000000_0007_%c_%06d", kind, index);
    set_text(o, "type", "launch");
    set_text(o, "kind", kind == 'm' ? "map" : "reduce");
    set_text(o, "app", APP);
    set_text(o, "task", task);
    json_object_set_new(o, "taskAttempt", json_integer(attempt));
    set_text(spec, "job", APP);
    json_object_set_new(spec, "index", json_integer(index));
    json_object_set_new(spec, "attempt", json_integer(attempt));
    json_object_set_new(o, "spec", spec);
    base_json_dump(o, &b);
    json_decref(o);
    CU_ASSERT_EQUAL_FATAL(base_mkdirs(at("%s", container), 0755, NULL), 0);
    put(at("%s/launch.json", container), b.data, b.len);
    put(at("%s/token", container), FAKE_MR_TOKEN, sizeof FAKE_MR_TOKEN - 1);
    base_buf_free(&b);
}

static inline void launch_map(const struct job *j, const char *container, int index,
                              const char *path, const struct task_input_split *split,
                              uint16_t rm_port)
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

static inline void launch_reduce(const struct job *j, const char *container, int index, int attempt,
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

static inline json_t *read_json(const char *container, const char *name)
{
    struct base_buf b = {0};
    json_t *j = NULL;

    if (base_file_read(at("%s/%s", container, name), 1 << 20, &b, NULL) == 0)
        CU_ASSERT_EQUAL(base_json_parse(b.data, b.len, &j, NULL), 0);
    base_buf_free(&b);
    return j;
}

static inline int64_t counter(const char *container, const char *name)
{
    json_t *j = read_json(container, "result.json");
    int64_t v = json_integer_value(json_object_get(json_object_get(j, "counters"), name));

    json_decref(j);
    return v;
}

static inline void expect_failure(const char *container, int code, const char *says)
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
    struct task_input in;
    struct fake_mr *mr;
    int maps;
};

static inline void cluster_start(struct cluster *c, const struct job *j)
{
    const char *input = at("in");
    struct base_error err = {0};

    memset(c, 0, sizeof *c);
    c->job = *j;
    CU_ASSERT_EQUAL_FATAL(task_input_find_splits(&input, 1, j->split_size ? j->split_size : 1 << 20,
                                                 NULL, &c->in, &err),
                          0);
    c->maps = (int)c->in.splits_len;
    c->mr = fake_mr_start(dir, c->maps);
}

static inline void cluster_stop(struct cluster *c)
{
    CU_ASSERT_EQUAL(fake_mr_wrong_tokens(c->mr), 0);
    fake_mr_stop(c->mr);
    task_input_free(&c->in);
}

static inline char *name(char kind, int i)
{
    static char names[4][32];
    static int turn;

    snprintf(names[turn = (turn + 1) % 4], sizeof names[0], "c_%c_%d", kind, i);
    return names[turn];
}

/* Two at a time, as on a node with two slots. */
static inline void run_maps(struct cluster *c)
{
    pid_t before = 0;

    for (int i = 0; i <= c->maps; i++) {
        pid_t pid = 0;

        if (i < c->maps) {
            const struct task_input_split *s = &c->in.splits[i];
            launch_map(&c->job, name('m', i), i, c->in.paths[s->path_index], s,
                       fake_mr_port(c->mr));
            pid = task_start(name('m', i));
        }
        if (before != 0)
            CU_ASSERT_EQUAL(finish(before), 0);
        before = pid;
    }
}

static inline void run_reduces(struct cluster *c)
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

static inline void publish_all(struct cluster *c)
{
    for (int i = 0; i < c->maps; i++)
        fake_mr_publish(c->mr, i, 0, name('m', i), 0);
}

/* As the RM does when all tasks have ended well: part i is that of attempt attempts[i]. */
static inline void commit_job(enum base_task_kind kind, const int32_t *attempts, int n)
{
    static const int32_t first[64];
    const struct task_output_parts parts = {kind, attempts != NULL ? attempts : first, (size_t)n};
    struct base_error err = {0};

    CU_ASSERT_FALSE(exists(at("out/part-00000")));
    CU_ASSERT_EQUAL(
        task_output_commit_parts(at("out"), (struct base_app_id){1700000000000, 7}, &parts, &err),
        0);
    if (err.code < 0)
        printf("\n  %s\n", err.text);
}

/* The parts together, sorted, equal the pipeline over all of the input, sorted. */
static inline void compare(const struct job *j)
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
static inline void check_map_outputs(const struct cluster *c)
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

static inline void run_job(const struct job *j)
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

static inline void put_text(const char *file, int lines, uint64_t seed, bool cut)
{
    struct base_buf b = {0};

    mr_text(&b, lines, seed, cut);
    put(at("in/%s", file), b.data, b.len);
    base_buf_free(&b);
}

static inline void put_gzip(const char *file, int lines, uint64_t seed, int members)
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
static inline void put_mixture(void)
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

static inline void pause_ms(long ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    nanosleep(&t, NULL);
}

#endif
