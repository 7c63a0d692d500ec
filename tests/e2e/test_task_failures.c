/* Attempts of creel-task that fail, are refused or are ended, and what they leave behind. */
#include "tests/e2e/task_fixture.h"

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

/* Goal: a command that ends before it has read all of its input has not failed, whether it maps,
 * combines or reduces. */
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

/* Goal: a FIFO or device in place of a plain input, or of a file of the runner's own, makes the
 * task fail, and the task does not wait for its other end. */
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
    CU_ASSERT_EQUAL(finish(task_start("c_m_2")), 0); /* an input may be a link */
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

/* Goal: a full disk is told apart from other failures. Method: a small tmpfs over the output, in a
 * mount namespace of the runner alone. */
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

/* Returns where @line begins in @text; SIZE_MAX unless @text has it exactly once. */
static size_t place_of(const char *text, const char *line)
{
    const char *p = strstr(text, line);

    return p && !strstr(p + 1, line) ? (size_t)(p - text) : SIZE_MAX;
}

/* Goal: the ResourceManager is asked for permission to commit only when the part is on disk, and
 * the task succeeds only when the names in its folders are on disk, too. */
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
                    /* refused, as the task does not know the start id; and carried out */
                    base_printf("send nodetracker/commit\nsend nodetracker/commit\n"),
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

/* Goal: an attempt that was given up after it had been allowed to commit, and ends after its
 * successor, does not touch the output. */
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

/* Returns true when the process @pid has a child, read from /proc. */
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

static const struct cunit_case cases[] = {
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
    {"late commit", test_late_commit},
};

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: test_task_failures CREEL-TASK [DISK_ORDER.SO]\n");
        return 2;
    }
    runner = argv[1];
    disk_order = argv[2];
    return cunit_main("failures of creel-task", cases, sizeof cases / sizeof *cases);
}
