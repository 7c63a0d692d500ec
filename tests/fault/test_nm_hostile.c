/* tests/fault/test_nm_hostile.c - what containers leave in folders or claim about the disk, and
 * folders that others may write, against a real NodeManager: it goes on serving, trusts only what
 * it has written itself, and refuses a folder that is not its own. */
#include <CUnit/Basic.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/io/watchdog.h"
#include "nodemanager/container/exit.h"
#include "nodemanager/container/process_tree.h"
#include "tests/fault/nm_fixture.h"

#define RECORD "../../../../records/$CREEL_JOB_ID/$CONTAINER_ID"

static char *diagnostics(struct fx *fx, const char *ct)
{
    json_t *r = fake_rm_report(fx->rm, ct);
    char *text = base_strdup(json_string_value(json_object_get(r, "diagnostics")));
    json_decref(r);
    return text;
}

static char *log_of(struct fx *fx, int i)
{
    return fx_file("%s/nm%d.log", fx->dir, i);
}

static void order_kill(struct fx *fx, size_t node, const char *ct, int grace_ms)
{
    fake_rm_order(fx->rm, node,
                  "{\"type\":\"kill\",\"container\":\"%s\",\"reason\":\"r\",\"graceMs\":%d}", ct,
                  grace_ms);
}

/* ---- files ---- */

/* Shell commands that put something of a kind at $f. */
static const struct kind {
    const char *name, *make;
    bool root; /* only root can */
} kinds[] = {{"FIFO", "mkfifo $f", false},
             {"link", "ln -s /dev/zero $f", false},
             {"folder", "mkdir $f", false},
             {"device", "mknod $f c 1 5", true},
             {"huge file", "truncate -s 8T $f", false}};
#define KINDS (sizeof kinds / sizeof kinds[0])

/* Puts @kind under each of @names, then does what @then says. */
static char *planting(const struct kind *kind, const char *names, const char *then)
{
    return base_printf("for f in %s; do rm -rf $f; %s || exit 99; done; %s", names, kind->make,
                       then);
}

#define OWN                                                                                        \
    "../progress ../result.json ../failure.json ../killed ../suspended ../pid.json ../exit.json "  \
    "../launch.json"
#define APP_S "../../token ../../forgotten ../../spec.json"
#define LOGS  "$LOG_DIRS/stderr $LOG_DIRS/more"

/* Goal: whatever lies under the names that the NodeManager reads or writes, a container is
 * suspended, resumed and killed, and one that ends is reported, also by a NodeManager that was
 * started again. */
static void test_files(void)
{
    for (size_t k = 0; k < KINDS; k++) {
        struct fx *fx = fx_new();
        char a[64], b[64], c[64];
        if (kinds[k].root && geteuid() != 0) {
            fx_free(fx);
            continue;
        }
        char *ends = planting(&kinds[k], OWN " " APP_S " " LOGS, "exit 7");
        char *stays =
            planting(&kinds[k], OWN " " RECORD "/killed " RECORD "/suspended ../../../../probe",
                     "echo up > up; while :; do sleep 0.01; done");
        fx_start(fx, 0);
        fake_rm_launch(fx->rm, 0, fx_ct(1, a), ends);
        CU_ASSERT_EQUAL(fx_exit_code(fx, a), 7);
        fake_rm_launch(fx->rm, 0, fx_ct(2, b), stays);
        free(fx_file("%s/apps/%s/%s/work/up", fx->local[0], fx_app(), b));
        fake_rm_order(fx->rm, 0, "{\"type\":\"suspend\",\"container\":\"%s\"}", b);
        json_decref(fake_rm_wait_state(fx->rm, b, "suspended", FX_WAIT_MS));
        fx_kill(fx, 0, SIGKILL);
        fx_start(fx, 0);
        fake_rm_order(fx->rm, 0, "{\"type\":\"resume\",\"container\":\"%s\"}", b);
        fake_rm_order(fx->rm, 0,
                      "{\"type\":\"kill\",\"container\":\"%s\",\"reason\":\"r\",\"graceMs\":0}", b);
        CU_ASSERT_EQUAL(fx_exit_code(fx, b), -106);
        fake_rm_order(fx->rm, 0, "{\"type\":\"forget\",\"container\":\"%s\"}", b);
        fake_rm_launch(fx->rm, 0, fx_ct(3, c), "true");
        CU_ASSERT_EQUAL(fx_exit_code(fx, c), 0);
        free(ends);
        free(stays);
        fx_free(fx);
    }
}

/* Goal: a container that replaces the NodeManager's and the shim's own files, which it may do since
 * it runs as their user here, costs itself its result, and nothing else. */
static void test_records(void)
{
    static const char names[] =
        RECORD "/exit.json.tmp " RECORD "/pid.json " RECORD "/launch.json " RECORD
               "/../forgotten " RECORD "/../spec.json ../../../../state.json";
    for (size_t k = 0; k < KINDS; k++) {
        struct fx *fx = fx_new();
        char a[64], b[64];
        if (kinds[k].root && geteuid() != 0) {
            fx_free(fx);
            continue;
        }
        char *wait = base_printf("while ! test -s " RECORD "/exit.json.tmp; do sleep 0.01; done; ");
        char *plant = planting(&kinds[k], names, "exit 7"), *cmd = base_printf("%s%s", wait, plant);
        fx_start(fx, 0);
        fake_rm_launch(fx->rm, 0, fx_ct(1, a), cmd);
        int64_t code = fx_exit_code(fx, a);
        /* A huge file is a plain one: the shim writes over it. */
        CU_ASSERT_EQUAL(code, strcmp(kinds[k].name, "huge file") == 0 ? 7 : 137);
        fake_rm_order(fx->rm, 0, "{\"type\":\"forget\",\"container\":\"%s\"}", a);
        fake_rm_launch(fx->rm, 0, fx_ct(2, b), "true");
        CU_ASSERT_EQUAL(fx_exit_code(fx, b), 0);
        free(wait);
        free(plant);
        free(cmd);
        fx_free(fx);
    }
}

/* ---- the node's state ---- */

static size_t count_of(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *p = text; p && (p = strstr(p, what)) != NULL; p += strlen(what))
        n++;
    return n;
}

/* Returns true when the node has registered again: as a second node, or under its old name if the
 * free port that it was given is the old one. */
static bool has_come_back(void *u)
{
    struct fx *fx = u;
    return fake_rm_wait_nodes(fx->rm, 2, 0) || fake_rm_registrations(fx->rm, 0) > 1;
}

/* Goal: whatever a task has made of state.json, the next NodeManager starts, reports the damage
 * once, and knows the containers: one that runs and one that has ended meanwhile. Its port was in
 * that file, so it mostly registers under another name. */
static void test_state(void)
{
    static const struct kind damages[] = {
        {"half a line", "head -c 9 $f > $f.half && mv $f.half $f", false},
        {"random bytes", "head -c 999 /dev/urandom > $f", false},
        {"empty", ": > $f", false},
        {"mode", "chmod 0 $f && echo x >> $f", false},
    };
    const size_t n = sizeof damages / sizeof damages[0];
    for (size_t k = 0; k < n + KINDS; k++) {
        const struct kind *damage = k < n ? &damages[k] : &kinds[k - n];
        struct fx *fx = fx_new();
        char a[64], b[64], c[64];
        if (damage->root && geteuid() != 0) {
            fx_free(fx);
            continue;
        }
        char *plant = base_printf("f=../../../../state.json; %s %s; echo up > up; "
                                  "while ! test -e %s/go; do sleep 0.02; done; exit 5",
                                  k < n ? "" : "rm -f $f;", damage->make, fx->dir);
        char *waits = base_printf("echo up > up; while ! test -e %s/go; do sleep 0.02; done; "
                                  "sleep 1000",
                                  fx->dir);
        fx_start(fx, 0);
        fake_rm_launch(fx->rm, 0, fx_ct(2, b), waits);
        free(fx_file("%s/apps/%s/%s/work/up", fx->local[0], fx_app(), b));
        fake_rm_launch(fx->rm, 0, fx_ct(1, a), plant);
        free(fx_file("%s/apps/%s/%s/work/up", fx->local[0], fx_app(), a));
        fx_kill(fx, 0, SIGKILL);
        char *go = base_printf("%s/go", fx->dir);
        close(open(go, O_WRONLY | O_CREAT, 0600));
        free(fx_file("%s/records/%s/%s/exit.json", fx->local[0], fx_app(), a));
        fx_spawn(fx, 0);
        if (!fx_until(has_come_back, fx)) {
            char *log = log_of(fx, 0);
            printf("\n  %s: it has not come back: %s\n", damage->name, log ? log : "");
            free(log);
            CU_FAIL("the node does not start");
        } else {
            size_t node = fake_rm_wait_nodes(fx->rm, 2, 0);
            CU_ASSERT_EQUAL(fx_exit_code(fx, a), 5);
            order_kill(fx, node, b, 0);
            CU_ASSERT_EQUAL(fx_exit_code(fx, b), -106);
            fake_rm_launch(fx->rm, node, fx_ct(3, c), "true");
            CU_ASSERT_EQUAL(fx_exit_code(fx, c), 0);
            char *log = log_of(fx, 0), *state = fx_file("%s/state.json", fx->local[0]);
            CU_ASSERT_EQUAL(count_of(log, "state.json is damaged"), 1);
            CU_ASSERT_EQUAL(count_of(log, "and kept as"), 1);
            CU_ASSERT_PTR_NOT_NULL(strstr(state ? state : "", "\"port\""));
            free(log);
            free(state);
        }
        free(plant);
        free(waits);
        free(go);
        fx_free(fx);
    }
}

/* ---- the watchdog ---- */

/* Goal: a main thread that stands still for longer than allowed ends the process, whose containers
 * go on.
 * Method: that one thread is stopped by a debugger's means; all others run. */
static void test_watchdog(void)
{
    struct fx *fx = fx_new();
    char a[64];
    int status = 0;
    fx->conf[0][0] = "creel.nodemanager.watchdog-ms=2000";
    fx_start(fx, 0);
    char *cmd = base_printf("while ! test -e %s/go; do sleep 0.02; done; exit 9", fx->dir);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), cmd);
    /* "running" may come before its process */
    free(fx_file("%s/records/%s/%s/pid.json", fx->local[0], fx_app(), a));
    if (ptrace(PTRACE_SEIZE, fx->nm[0], NULL, NULL) < 0 ||
        ptrace(PTRACE_INTERRUPT, fx->nm[0], NULL, NULL) < 0) {
        printf("(skipped: processes cannot be traced here) ");
    } else {
        while (waitpid(fx->nm[0], &status, 0) == fx->nm[0] && WIFSTOPPED(status))
            ; /* it stays stopped: no PTRACE_CONT */
        fx->nm[0] = 0;
        CU_ASSERT(WIFEXITED(status));
        CU_ASSERT_EQUAL(WEXITSTATUS(status), BASE_WATCHDOG_EXIT);
        char *log = log_of(fx, 0);
        CU_ASSERT_PTR_NOT_NULL(strstr(log ? log : "", "stands still"));
        free(log);
        fx_start(fx, 0);
    }
    char *go = base_printf("%s/go", fx->dir);
    close(open(go, O_WRONLY | O_CREAT, 0600));
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), 9);
    free(go);
    free(cmd);
    fx_free(fx);
}

/* ---- stopped processes ---- */

static int64_t number_in(const char *text, const char *name)
{
    const char *at = strstr(text ? text : "", name);
    return at ? strtoll(at + strlen(name), NULL, 10) : 0;
}

static pid_t shim_of(struct fx *fx, const char *ct)
{
    char *text = fx_file("%s/records/%s/%s/pid.json", fx->local[0], fx_app(), ct);
    pid_t pid = (pid_t)number_in(text, "\"shimPid\":");
    free(text);
    return pid;
}

static char state_of(pid_t pid)
{
    struct nm_proc p;
    return nm_proc_read_stat(pid, &p) ? p.state : 0;
}

/* Goal: a container that stops its own shim ends, and is killed, as any other; also under the next
 * NodeManager. */
static void test_stopped_shim(void)
{
    static const int graces[] = {0, 100};
    struct fx *fx = fx_new();
    char a[64], b[64], c[64];
    fx_start(fx, 0);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), "kill -STOP $PPID; exit 7");
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), 7);
    for (int i = 0; i < 2; i++) {
        fake_rm_launch(fx->rm, 0, fx_ct(2 + i, b),
                       "trap '' TERM; kill -STOP $PPID; echo up > up; "
                       "while :; do kill -STOP $PPID; done");
        free(fx_file("%s/apps/%s/%s/work/up", fx->local[0], fx_app(), b));
        order_kill(fx, 0, b, graces[i]);
        CU_ASSERT_EQUAL(fx_exit_code(fx, b), -106);
    }
    char *waits = base_printf(
        "while ! test -e %s/go; do sleep 0.02; done; kill -STOP $PPID; exit 8", fx->dir);
    fake_rm_launch(fx->rm, 0, fx_ct(4, c), waits);
    shim_of(fx, c);
    fx_kill(fx, 0, SIGKILL);
    char *go = base_printf("%s/go", fx->dir);
    close(open(go, O_WRONLY | O_CREAT, 0600));
    fx_start(fx, 0);
    CU_ASSERT_EQUAL(fx_exit_code(fx, c), 8);
    char *log = log_of(fx, 0);
    CU_ASSERT_EQUAL(count_of(log, "its shim was stopped by someone; continuing it"), 4);
    free(log);
    free(waits);
    free(go);
    fx_free(fx);
}

/* Goal: a kill comes to its end though the shim is held in a way that no signal but SIGKILL
 * ends. */
static void test_held_shim(void)
{
    struct fx *fx = fx_new();
    char a[64], b[64];
    fx_start(fx, 0);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), "sleep 1000");
    pid_t shim = shim_of(fx, a);
    if (ptrace(PTRACE_SEIZE, shim, NULL, NULL) < 0 ||
        ptrace(PTRACE_INTERRUPT, shim, NULL, NULL) < 0) {
        printf("(skipped: processes cannot be traced here) ");
    } else {
        order_kill(fx, 0, a, 0);
        CU_ASSERT_EQUAL(fx_exit_code(fx, a), -106);
        char state = state_of(shim);
        CU_ASSERT(state == 'Z' || state == 0);
        if (state == 't')
            ptrace(PTRACE_DETACH, shim, NULL, NULL);
        else
            waitpid(shim, NULL, __WALL); /* we, its tracer, learn of its end after others */
        fake_rm_launch(fx->rm, 0, fx_ct(2, b), "true");
        CU_ASSERT_EQUAL(fx_exit_code(fx, b), 0);
    }
    fx_free(fx);
}

/* The spawner is the only child that a NodeManager has. */
static pid_t spawner_of(pid_t nm)
{
    char *path = base_printf("/proc/%d/task/%d/children", (int)nm, (int)nm);
    struct base_buf b = {0};
    CU_ASSERT_EQUAL(base_file_read(path, 4096, &b, NULL), 0);
    pid_t pid = b.data ? (pid_t)strtol(b.data, NULL, 10) : 0;
    base_buf_free(&b);
    free(path);
    return pid;
}

/* Goal: a node whose spawner was stopped starts containers again. */
static void test_stopped_spawner(void)
{
    struct fx *fx = fx_new();
    char a[64];
    fx_start(fx, 0);
    pid_t spawner = spawner_of(fx->nm[0]);
    CU_ASSERT_FATAL(spawner > 1 && kill(spawner, SIGSTOP) == 0);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), "exit 6");
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), 6);
    kill(spawner, SIGCONT); /* the fixture waits for its end */
    fx_free(fx);
}

/* ---- words ---- */

/* Launches a map of one line of input whose command is @map. */
static void launch_map(struct fx *fx, const char *ct, const char *map)
{
    char *input = base_printf("%s/input", fx->dir);
    CU_ASSERT_EQUAL(base_file_write_atomic(input, "a\n", 2, 0600, false, NULL), 0);
    json_t *o = json_pack(
        "{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:i,s:{s:{s:s,s:i,s:i},s:s,s:i,s:i,s:s,s:i,s:i}}", "type",
        "launch", "container", ct, "kind", "map", "slot", "map", "user", "ann", "app", fx_app(),
        "task", "task_1_0001_m_000000", "token", "s3cret", "taskAttempt", 0, "spec", "split",
        "path", input, "offset", 0, "length", 2, "map", map, "reduces", 1, "sortBufferMb", 8, "job",
        fx_app(), "index", 0, "attempt", 0);
    char *text = json_dumps(o, 0);
    fake_rm_order(fx->rm, 0, "%s", text);
    free(text);
    json_decref(o);
    free(input);
}

/* Goal: words about a full disk, on stderr or in a file, neither make the node unhealthy nor make
 * the failure count as the disk's. */
static void test_words(void)
{
    struct fx *fx = fx_new();
    char a[64], b[64], c[64];
    fx_start(fx, 0);
    CU_ASSERT_TRUE(fake_rm_wait_healthy(fx->rm, 0, true, FX_WAIT_MS));
    fake_rm_launch(fx->rm, 0, fx_ct(1, a),
                   "echo 'scp: remote: No space left on device' >&2; exit 1");
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), 1);
    char *text = diagnostics(fx, a);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "scp: remote"));
    free(text);
    launch_map(fx, fx_ct(2, b), "cat > /dev/null; echo 'No space left on device' >&2; exit 3");
    CU_ASSERT_EQUAL(fx_exit_code(fx, b), 3);
    /* A task runner that is gone before it could write its report. */
    launch_map(fx, fx_ct(3, c),
               "echo '{\"exitCode\":-101,\"diagnostics\":\"full\"}' > ../failure.json; kill -9 "
               "$PPID; sleep 1000");
    CU_ASSERT_EQUAL(fx_exit_code(fx, c), 137);
    int64_t beats = fake_rm_heartbeats(fx->rm, 0);
    CU_ASSERT_TRUE(fake_rm_wait_heartbeats(fx->rm, 0, beats + 2, FX_WAIT_MS));
    CU_ASSERT_TRUE(fake_rm_wait_healthy(fx->rm, 0, true, 0));
    char *log = log_of(fx, 0);
    CU_ASSERT_PTR_NULL(strstr(log ? log : "", "unhealthy"));
    free(log);
    fx_free(fx);
}

/* ---- whose folder ---- */

/* Starts node 0, which is to end with @want and to say @says. */
static void refused(struct fx *fx, int want, const char *says)
{
    fx_spawn(fx, 0);
    int status = fx_wait(fx, 0);
    CU_ASSERT(WIFEXITED(status) && WEXITSTATUS(status) == want);
    char *log = log_of(fx, 0);
    if (!strstr(log ? log : "", says))
        printf("\n  \"%s\" does not say \"%s\"\n", log ? log : "", says);
    CU_ASSERT_PTR_NOT_NULL(strstr(log ? log : "", says));
    free(log);
}

static void test_folder_of_others(void)
{
    struct fx *fx = fx_new();
    char *spare = base_printf("%s/spare", fx->local[0]),
         *logs = base_printf("%s/logs", fx->local[0]);
    char *inside = base_printf("%s/open", fx->dir);
    mkdir(fx->local[0], 0755);
    chmod(fx->local[0], 0775);
    refused(fx, 2, "is writable by its group (mode 0775)");
    chmod(fx->local[0], 01777);
    refused(fx, 2, "is writable by everybody (mode 1777)");
    chmod(fx->local[0], 0755);
    mkdir(logs, 0700);
    chmod(logs, 0722);
    refused(fx, 2, "/logs is writable by everybody (mode 0722)");
    rmdir(logs);
    CU_ASSERT_EQUAL(symlink("/tmp", logs), 0);
    refused(fx, 2, "/logs is a link");
    unlink(logs);
    if (geteuid() == 0) {
        mkdir(logs, 0700);
        CU_ASSERT_EQUAL(chown(logs, 65534, 65534), 0);
        refused(fx, 2, "/logs belongs to user 65534");
        rmdir(logs);
    }
    mkdir(inside, 0777);
    chmod(inside, 0777);
    snprintf(fx->local[0], sizeof fx->local[0], "%.200s/nm", inside);
    refused(fx, 2, "where everybody may replace it (mode 0777)");
    chmod(inside, 01777); /* as /tmp is: nobody can rename what is another's */
    fx_start(fx, 0);
    fx_kill(fx, 0, SIGTERM);
    free(spare);
    free(logs);
    free(inside);
    fx_free(fx);
}

/* Goal: a second NodeManager on the same folder says who has it. One whose predecessor was killed
 * starts. */
static void test_second(void)
{
    struct fx *fx = fx_new();
    fx_start(fx, 0);
    pid_t first = fx->nm[0];
    char *says = base_printf("is in use by another NodeManager, process %d", (int)first);
    refused(fx, 1, says);
    fx->nm[0] = first;
    fx_kill(fx, 0, SIGKILL);
    fx_start(fx, 0);
    CU_ASSERT(fx->nm[0] != first);
    free(says);
    fx_free(fx);
}

/* ---- logs of ended applications ---- */

static bool is_gone(void *path)
{
    return access(path, F_OK) < 0;
}

/* Goal: where inodes or room are short, logs of ended applications go before their time, also those
 * of an earlier daemon; logs of one that runs stay, and so do all of them where there is enough. */
static void test_logs_early(void)
{
    static const char *const keys[] = {"creel.nodemanager.min-free-inodes=2147483647",
                                       "creel.nodemanager.min-free-disk-mb=2147483647"};
    for (int i = 0; i < 2; i++) {
        struct fx *fx = fx_new();
        char a[64], b[64], other[64];
        snprintf(other, sizeof other, "container_%d_0002_01_000001", getpid());
        char *ended = base_printf("%s/logs/%s", fx->local[0], fx_app());
        char *apps = base_printf("%s/apps/%s", fx->local[0], fx_app());
        fx_start(fx, 0);
        fake_rm_launch(fx->rm, 0, fx_ct(1, a), "true");
        fake_rm_launch(fx->rm, 0, other, "sleep 1000");
        CU_ASSERT_EQUAL(fx_exit_code(fx, a), 0);
        free(fx_file("%s/records/application_%d_0002/%s/pid.json", fx->local[0], getpid(), other));
        fake_rm_order(fx->rm, 0, "{\"type\":\"cleanup-app\",\"app\":\"%s\",\"keepLogs\":true}",
                      fx_app());
        CU_ASSERT_TRUE(fx_until(is_gone, apps));
        int64_t beats = fake_rm_heartbeats(fx->rm, 0);
        CU_ASSERT_TRUE(fake_rm_wait_heartbeats(fx->rm, 0, beats + 1, FX_WAIT_MS));
        CU_ASSERT_FALSE(is_gone(ended));
        fx_kill(fx, 0, SIGKILL);
        fx->conf[0][0] = keys[i];
        fx_start(fx, 0);
        CU_ASSERT_TRUE(fx_until(is_gone, ended));
        CU_ASSERT_TRUE(fake_rm_wait_healthy(fx->rm, 0, false, FX_WAIT_MS));
        CU_ASSERT_TRUE(
            fx_exists("%s/logs/application_%d_0002/%s/stdout", fx->local[0], getpid(), other));
        fake_rm_launch(fx->rm, 0, fx_ct(2, b), "true");
        CU_ASSERT_EQUAL(fx_exit_code(fx, b), 0);
        fake_rm_order(fx->rm, 0, "{\"type\":\"cleanup-app\",\"app\":\"%s\",\"keepLogs\":true}",
                      fx_app());
        CU_ASSERT_TRUE(fx_until(is_gone, apps));
        CU_ASSERT_TRUE(fx_until(is_gone, ended));
        free(ended);
        free(apps);
        fx_free(fx);
    }
}

int main(int argc, char **argv)
{
    fx_programs(argc, argv);
    CU_initialize_registry();
    CU_pSuite s = CU_add_suite("a NodeManager among strangers", NULL, NULL);
    CU_add_test(s, "what lies in a container's folder", test_files);
    CU_add_test(s, "what lies in a record", test_records);
    CU_add_test(s, "a damaged state", test_state);
    CU_add_test(s, "a main thread that stands still", test_watchdog);
    CU_add_test(s, "a stopped shim", test_stopped_shim);
    CU_add_test(s, "a shim that is held", test_held_shim);
    CU_add_test(s, "a stopped spawner", test_stopped_spawner);
    CU_add_test(s, "words about a full disk", test_words);
    CU_add_test(s, "a folder of others", test_folder_of_others);
    CU_add_test(s, "a second NodeManager", test_second);
    CU_add_test(s, "logs before their time", test_logs_early);
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    unsigned failed = CU_get_number_of_failures() + CU_get_number_of_suites_failed();
    CU_cleanup_registry();
    return failed != 0;
}
