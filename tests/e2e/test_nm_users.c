/* Goal: containers run as their users, who can neither read nor signal each other nor the
 * NodeManager; the NodeManager still sees what they write, and gets rid of it.
 * Method: a real NodeManager as a user of its own, and creel-exec, on a host with two users
 * (users_fixture.h). Containers try what they must not be able to do. Run once without isolation
 * and once with control groups. Needs root, else skipped (77). */
#include <CUnit/Basic.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/io/io.h"
#include "nodemanager/container/isolation/isolation.h"
#include "nodemanager/container/process_tree.h"
#include "nodemanager/exec/orders.h"
#include "tests/fault/users_fixture.h"

static struct fx *fx;
static int next = 0;
static bool groups; /* with control groups */
static char parent[64], place[NM_ISOLATION_PLACE_MAX];

/* An application has one user: application 1 is ann's, 2 bob's. */
static const char *new_container(int app, char ct[static 64])
{
    snprintf(ct, 64, "container_%d_%04d_01_%06d", (int)getpid(), app, ++next);
    return ct;
}

static char *app_of(const char *ct)
{
    return base_printf("application_%d_%.4s", (int)getpid(), strchr(strchr(ct, '_') + 1, '_') + 1);
}

static void launch_as(const char *user, const char *ct, const char *command)
{
    json_t *order = json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:i,s:i,s:s}", "type", "launch",
                              "container", ct, "user", user, "slot", "map", "kind", "command",
                              "token", "s3cret", "memoryMb", 256, "vcores", 1, "command", command);
    char *text = json_dumps(order, 0);

    fake_rm_order(fx->rm, 0, "%s", text);
    free(text);
    json_decref(order);
}

static char *read_part(const char *part, const char *ct, const char *name)
{
    char *app = app_of(ct), *text = fx_file("%s/%s/%s/%s/%s", fx->local[0], part, app, ct, name);

    free(app);
    return text;
}

/* Reads a log of a container that has ended; it may be empty. */
static char *read_log(const char *ct, const char *name)
{
    char *app = app_of(ct), *path = base_printf("%s/logs/%s/%s/%s", fx->local[0], app, ct, name);
    struct base_buf b = {0};

    base_file_read(path, 1 << 20, &b, NULL);
    free(app);
    free(path);
    return b.data ? base_buf_take(&b) : base_strdup("");
}

/* Runs the command to its end and checks stdout and the exit code. */
static void check_run(const char *user, int app, const char *command, int exit_code,
                      const char *output)
{
    char ct[64], *text;

    launch_as(user, new_container(app, ct), command);
    CU_ASSERT_EQUAL(fx_exit_code(fx, ct), exit_code);
    text = read_log(ct, "stdout");
    CU_ASSERT_STRING_EQUAL(text ? text : "", output);
    if (strcmp(text ? text : "", output) != 0) {
        char *err = read_log(ct, "stderr");

        printf("\n  %s\n  got  %s\n  want %s\n  stderr %s\n", command, text, output, err);
        free(err);
    }
    free(text);
}

static void check_failure(const char *user, int app, const char *words)
{
    char ct[64];
    json_t *r;
    const char *text;

    launch_as(user, new_container(app, ct), "echo ran");
    CU_ASSERT_EQUAL(fx_exit_code(fx, ct), 126);
    r = fake_rm_report(fx->rm, ct);
    text = json_string_value(json_object_get(r, "diagnostics"));
    CU_ASSERT(text && strstr(text, words));
    if (!text || !strstr(text, words))
        printf("\n  no \"%s\" in: %s\n", words, text ? text : "");
    json_decref(r);
}

static void test_identity(void)
{
    check_run("ann", 1, "id -u; id -ru; id -g; id -G; umask; echo $HOME $USER; ulimit -c", 0,
              "61201\n61201\n61201\n61201 61209\n0027\n/home/ann ann\n0\n");
    check_run("bob", 2, "exit 7", 7, "");
    check_run("ann", 1, "kill -9 $$", 137, "");
    check_run("ann", 1, "grep -h -E 'NoNewPrivs|CapBnd|CapEff|Seccomp:' /proc/self/status", 0,
              "CapEff:\t0000000000000000\nCapBnd:\t0000000000000000\nNoNewPrivs:\t1\n"
              "Seccomp:\t2\n");
    /* 3 is the folder that ls reads */
    check_run("ann", 1, "ls /proc/self/fd | tr '\\n' ' '; echo; cat; echo \"$LD_PRELOAD\"", 0,
              "0 1 2 3 \n\n");
    check_run("ann", 1,
              "unshare -U true 2>/dev/null; echo $?; unshare -m true 2>/dev/null; echo $?", 0,
              "1\n1\n");
}

static void test_refused_users(void)
{
    check_failure("carol", 3, "user 'carol' is unknown on this node");
    check_failure("eve", 4, "user 'eve' is banned");
    check_failure("nobody", 4, "user 'nobody' is banned");
    check_failure("root", 5, "user 'root' is banned");
    check_failure("sysann", 6, "below the minimum of 1000");
    check_failure("creelnm", 7, "shares the NodeManager's user or group");
    check_failure("mole", 8, "is a member of the NodeManager's group");
}

/* Launches a command of ann that writes its pid, and returns the pid. */
static int64_t launch_ann(char ct[static 64], const char *command)
{
    char *whole = base_printf("echo secret > s; echo secret > $LOG_DIRS/own; echo secret > /tmp/s; "
                              "echo $$; %s",
                              command),
         *text;
    int64_t pid;

    launch_as("ann", new_container(1, ct), whole);
    text = read_part("logs", ct, "stdout");
    pid = text ? strtoll(text, NULL, 10) : 0;
    free(text);
    free(whole);
    return pid;
}

static int64_t read_shim(const char *ct)
{
    char *text = read_part("records", ct, "pid.json");
    const char *at = text ? strstr(text, "\"shimPid\":") : NULL;
    int64_t pid = at ? strtoll(at + 10, NULL, 10) : 0;

    free(text);
    return pid;
}

static void test_two_users(void)
{
    char ct[64];
    int64_t pid = launch_ann(ct, "sleep 1000 & wait");
    struct nm_proc p;
    char *app = app_of(ct);
    char *attack = base_printf(
        "L=%s; A=%s; C=%s; cd /; "
        "for f in $L/apps/$A/$C/work/s $L/apps/$A/$C/launch.json $L/apps/$A/$C/token "
        "$L/logs/$A/$C/stdout $L/logs/$A/$C/own $L/records/$A/$C/launch.json "
        "$L/records/$A/spec.json $L/state.json $L/apps/$A/$C/tmp/s /tmp/s /proc/%lld/environ "
        "/proc/%lld/environ /proc/%lld/environ; do cat $f 2>/dev/null && echo read $f; done; "
        "for d in $L/apps $L/logs $L/records $L/cache $L/trash $L/spare $L/apps/$A $L/apps/$A/$C; "
        "do ls $d 2>/dev/null && echo listed $d; (: > $d/x) 2>/dev/null && echo wrote $d; "
        "mv $d $d.x 2>/dev/null && echo moved $d; done; "
        "for p in %lld %lld %lld %d; do kill -9 $p 2>/dev/null && echo killed $p; done; "
        "%s/creel-exec signal ann %lld 9 2>/dev/null && echo called; echo end",
        fx->local[0], app, ct, (long long)pid, (long long)read_shim(ct), (long long)fx->nm[0],
        (long long)pid, (long long)read_shim(ct), (long long)fx->nm[0], (int)getpid(), USERS_BIN,
        (long long)read_shim(ct));

    CU_ASSERT_FATAL(pid > 0 && nm_proc_read_stat((pid_t)pid, &p));
    check_run("bob", 2, attack, 0, "end\n");
    CU_ASSERT(nm_proc_read_stat((pid_t)pid, &p) && p.state != 'Z');
    free(attack);
    /* ann herself cannot touch what watches her container */
    attack = base_printf(
        "for p in %lld %lld %lld; do kill -9 $p 2>/dev/null && echo killed $p; "
        "done; cat %s/records/%s/%s/pid.json 2>/dev/null; test -r $CREEL_APP_TOKEN_FILE "
        "&& echo token; echo end",
        (long long)p.parent, (long long)read_shim(ct), (long long)fx->nm[0], fx->local[0], app, ct);
    check_run("ann", 1, attack, 0, "token\nend\n");
    free(attack);
    free(app);
    fake_rm_order(fx->rm, 0, "{\"type\":\"kill\",\"container\":\"%s\"}", ct);
    CU_ASSERT_EQUAL(fx_exit_code(fx, ct), -106);
    CU_ASSERT(fx_gone((pid_t)pid));
}

/* Containers of an application share a folder, which the NodeManager can read, and others cannot.
 */
static void test_shared_folder(void)
{
    char ct[64], *app = app_of(new_container(1, ct)), *text, *attack;

    check_run("ann", 1,
              "cd $LOCAL_DIRS; mkdir -p output/a; echo made > output/a/file.out; stat -c '%U %a' .",
              0, "ann 2770\n");
    check_run("ann", 1, "cat $LOCAL_DIRS/output/a/file.out", 0, "made\n");
    text = fx_file("%s/apps/%s/shared/output/a/file.out", fx->local[0], app);
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    CU_ASSERT_STRING_EQUAL(text, "made\n");
    attack = base_printf("cd %s/apps/%s/shared 2>/dev/null || cat %s/apps/%s/shared/output/a/* "
                         "2>/dev/null || echo no",
                         fx->local[0], app, fx->local[0], app);
    check_run("bob", 2, attack, 0, "no\n");
    free(attack);
    free(text);
    free(app);
}

static char state_of(int64_t pid)
{
    struct nm_proc p;

    return nm_proc_read_stat((pid_t)pid, &p) ? p.state : '-';
}

/* Returns true when the process is in a group that is frozen. Its own state does not show that:
 * under v2 it sleeps like any other, under v1 it is in D, as a shell is that waits in vfork. */
static bool is_frozen(int64_t pid)
{
    static const char *const files[2][3] = {{"all=", "cgroup.events", "frozen 1"},
                                            {"freezer=", "freezer.state", "FROZEN"}};
    const char *const *f = files[strncmp(place, "all=", 4) != 0];
    const char *top = strstr(place, f[0]);
    char *path = base_printf("/proc/%lld/cgroup", (long long)pid), *group;
    struct base_buf b = {0};
    bool frozen = false;

    if (top && base_file_read(path, 4096, &b, NULL) >= 0 &&
        (group = strstr(b.data, parent)) != NULL) {
        top += strlen(f[0]);
        group += strlen(parent);
        free(path);
        path = base_printf("%.*s%.*s/%s", (int)strcspn(top, ";"), top, (int)strcspn(group, "\n"),
                           group, f[1]);
        base_buf_clear(&b);
        frozen = base_file_read(path, 4096, &b, NULL) >= 0 && strstr(b.data, f[2]);
    }
    base_buf_free(&b);
    free(path);
    return frozen;
}

static bool is_stopped(void *u)
{
    int64_t pid = *(int64_t *)u;

    return fx_is_stopped((pid_t)pid) || (groups && is_frozen(pid));
}

static bool is_not_stopped(void *u)
{
    return !is_stopped(u);
}

static bool waits_for_vforked_child(void *u)
{
    return state_of(*(int64_t *)u) == 'D';
}

static void test_orders(void)
{
    char ct[64];
    int64_t pid = launch_ann(ct, "trap 'echo got; exit 5' TERM; while :; do sleep 0.05; done");

    CU_ASSERT_FATAL(pid > 0);
    fake_rm_order(fx->rm, 0, "{\"type\":\"suspend\",\"container\":\"%s\"}", ct);
    CU_ASSERT(fx_until(is_stopped, &pid));
    fx_kill(fx, 0, SIGKILL); /* the daemon; its successor finds the container */
    fx_start(fx, 0);
    CU_ASSERT(is_stopped(&pid));
    fake_rm_order(fx->rm, 0, "{\"type\":\"resume\",\"container\":\"%s\"}", ct);
    CU_ASSERT(fx_until(is_not_stopped, &pid));
    fake_rm_order(fx->rm, 0, "{\"type\":\"kill\",\"container\":\"%s\",\"graceMs\":20000}", ct);
    CU_ASSERT_EQUAL(fx_exit_code(fx, ct), -106);
    char *text = read_part("logs", ct, "stdout");
    CU_ASSERT(text && strstr(text, "got")); /* it had its grace period */
    free(text);
}

/* An order finds a command while it waits for a child that vfork() has made and that has not called
 * exec yet: the child opens a FIFO first. */
static void test_orders_during_vfork(void)
{
    char ct[64];
    int64_t pid;

    pid = launch_ann(ct, "mkfifo f; exec python3 -c 'import os; os.posix_spawn(\"/bin/true\", "
                         "[\"true\"], {}, file_actions=[(os.POSIX_SPAWN_OPEN, 0, \"f\", "
                         "os.O_RDONLY, 0)])'");

    CU_ASSERT_FATAL(pid > 0);
    CU_ASSERT(fx_until(waits_for_vforked_child, &pid));
    fake_rm_order(fx->rm, 0, "{\"type\":\"suspend\",\"container\":\"%s\"}", ct);
    CU_ASSERT(fx_until(is_stopped, &pid));
    fake_rm_order(fx->rm, 0, "{\"type\":\"resume\",\"container\":\"%s\"}", ct);
    CU_ASSERT(fx_until(is_not_stopped, &pid));
    fake_rm_order(fx->rm, 0, "{\"type\":\"kill\",\"container\":\"%s\"}", ct);
    CU_ASSERT_EQUAL(fx_exit_code(fx, ct), -106);
    CU_ASSERT(fx_gone((pid_t)pid));
}

/* Starts a process that leaves the session of its command and ignores SIGTERM. */
#define HOSTILE                                                                                    \
    "trap '' TERM; setsid sh -c 'trap \"\" TERM; echo $$ > pid; while :; do sleep 0.01; done' & "

static void test_hostile_tree(void)
{
    char ct[64], *text;
    int64_t pid = launch_ann(ct, HOSTILE "while :; do sleep 0.01; done"), other;

    text = read_part("apps", ct, "work/pid");
    other = text ? strtoll(text, NULL, 10) : 0;
    free(text);
    CU_ASSERT_FATAL(pid > 0 && other > 0);
    fake_rm_order(fx->rm, 0, "{\"type\":\"kill\",\"container\":\"%s\"}", ct);
    CU_ASSERT_EQUAL(fx_exit_code(fx, ct), -106);
    CU_ASSERT(fx_gone((pid_t)pid) && fx_gone((pid_t)other));
}

static void test_lost_shim(void)
{
    char ct[64], *text;
    int64_t pid = launch_ann(ct, HOSTILE "sleep 1000 & wait"), other;

    text = read_part("apps", ct, "work/pid");
    other = text ? strtoll(text, NULL, 10) : 0;
    free(text);
    CU_ASSERT_FATAL(pid > 0 && other > 0 && read_shim(ct) > 1);
    CU_ASSERT_EQUAL(kill((pid_t)read_shim(ct), SIGKILL), 0);
    CU_ASSERT(fx_gone((pid_t)pid)); /* by the kernel: the monitor died with the shim */
    CU_ASSERT_EQUAL(fx_exit_code(fx, ct), 137);
    CU_ASSERT(fx_gone((pid_t)other));
    /* without a daemon: its successor ends what was left */
    pid = launch_ann(ct, HOSTILE "sleep 1000 & wait");
    text = read_part("apps", ct, "work/pid");
    other = text ? strtoll(text, NULL, 10) : 0;
    free(text);
    CU_ASSERT_FATAL(pid > 0 && other > 0 && read_shim(ct) > 1);
    fx_kill(fx, 0, SIGKILL);
    CU_ASSERT_EQUAL(kill((pid_t)read_shim(ct), SIGKILL), 0);
    CU_ASSERT(fx_gone((pid_t)pid));
    fx_start(fx, 0);
    CU_ASSERT_EQUAL(fx_exit_code(fx, ct), 137);
    CU_ASSERT(fx_gone((pid_t)other));
}

/* Runs "creel-exec kill" for a container of ann that has left nothing; returns the exit status. */
static int run_kill(pid_t spawner)
{
    char ct[64], number[16];
    int status;
    pid_t pid;

    new_container(1, ct);
    snprintf(number, sizeof number, "%d", (int)spawner);
    pid = fork();
    if (pid == 0) {
        close(2);
        execl(USERS_BIN "/creel-exec", "creel-exec", "kill", "ann", ct, "0", number, NULL);
        _exit(99);
    }
    CU_ASSERT_EQUAL_FATAL(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Only the process that has started creel-exec counts as the spawner: no shim has left the children
 * of another, such as pid 1. */
static void test_false_spawner(void)
{
    pid_t other = fork();

    if (other == 0) {
        pause();
        _exit(0);
    }
    CU_ASSERT_EQUAL(run_kill(0), 0);
    CU_ASSERT_EQUAL(run_kill(other), EXEC_REFUSED);
    kill(other, SIGKILL);
    CU_ASSERT_EQUAL(waitpid(other, NULL, 0), other);
}

/* Logs that a program has made unreadable for others are shown once its container has ended. */
static void test_readable(void)
{
    char ct[64], *path;
    struct base_buf b = {0};

    launch_as("ann", new_container(1, ct),
              "umask 077; echo mine > $LOG_DIRS/closed; echo 0.5 > $CREEL_PROGRESS_FILE; "
              "mkdir $LOG_DIRS/d; echo out > $LOG_DIRS/stdout");
    CU_ASSERT_EQUAL(fx_exit_code(fx, ct), 0);
    path = base_printf("/ws/v1/node/containerlogs/%s/closed", ct);
    CU_ASSERT_EQUAL(fx_get(fx, 0, path, NULL, &b), 200);
    CU_ASSERT(b.data && strstr(b.data, "mine"));
    base_buf_free(&b);
    free(path);
}

static bool is_empty_trash(void *u)
{
    char *path = base_printf("%s/trash", fx->local[0]);
    DIR *d = opendir(path);
    size_t n = 0;

    (void)u;
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    free(path);
    return n == 2;
}

static bool app_is_gone(void *u)
{
    return !fx_exists("%s/apps/%s", fx->local[0], (const char *)u) &&
           !fx_exists("%s/logs/%s", fx->local[0], (const char *)u);
}

/* Folders that a user has made inaccessible, or nested deeply, are removed with their
 * application. */
static void test_removal(void)
{
    char ct[64], *app;

    check_run("bob", 9,
              "mkdir -p a/b/c; echo x > a/b/c/d; chmod 0 a/b a; chmod 0500 ..; "
              "mkdir $LOG_DIRS/x; echo y > $LOG_DIRS/x/y; chmod 0 $LOG_DIRS/x; "
              "mkdir -p `seq -s / 450`; echo deep",
              0, "deep\n");
    snprintf(ct, sizeof ct, "container_%d_0009_01_%06d", (int)getpid(), next);
    app = app_of(ct);
    fake_rm_order(fx->rm, 0, "{\"type\":\"forget\",\"container\":\"%s\"}", ct);
    fake_rm_order(fx->rm, 0, "{\"type\":\"cleanup-app\",\"app\":\"%s\",\"keepLogs\":false}", app);
    CU_ASSERT(fx_until(app_is_gone, app));
    CU_ASSERT(fx_until(is_empty_trash, NULL));
    free(app);
}

/* Files in a folder that the user has made inaccessible count as disk space, too. */
static void test_disk(void)
{
    char ct[64];
    json_t *r;
    const char *text;

    launch_as("ann", new_container(1, ct),
              "mkdir h; head -c 30M /dev/zero > h/z; chmod 0 h; while :; do sleep 0.05; done");
    CU_ASSERT_EQUAL(fx_exit_code(fx, ct), 137);
    r = fake_rm_report(fx->rm, ct);
    text = json_string_value(json_object_get(r, "diagnostics"));
    CU_ASSERT(text && strstr(text, "beyond the 20 MB of disk that creel.container.disk-mb allows"));
    json_decref(r);
}

static void test_memory(void)
{
    char ct[64];

    if (!groups)
        return;
    launch_as("ann", new_container(1, ct), "dd if=/dev/zero of=/dev/null bs=600M count=1; exit 3");
    CU_ASSERT_EQUAL(fx_exit_code(fx, ct), -104);
}

/* A file that only the user can read is copied as the user, and other users cannot read the copy.
 */
static void test_resources(void)
{
    char ct[64], *command;
    struct stat st;
    json_t *order;
    char *text;

    CU_ASSERT_FATAL(stat(USERS_DIR "/ann-file", &st) == 0);
    order = json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:i,s:i,s:s,s:[{s:s,s:s,s:s,s:s,s:I,s:I}]}", "type",
                      "launch", "container", new_container(1, ct), "user", "ann", "slot", "map",
                      "kind", "command", "token", "s3cret", "memoryMb", 256, "vcores", 1, "command",
                      "cat link; readlink link", "resources", "link", "link", "url",
                      "file://" USERS_DIR "/ann-file", "type", "file", "visibility", "private",
                      "size", (json_int_t)st.st_size, "timestamp",
                      (json_int_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000);
    text = json_dumps(order, 0);
    fake_rm_order(fx->rm, 0, "%s", text);
    free(text);
    json_decref(order);
    CU_ASSERT_EQUAL(fx_exit_code(fx, ct), 0);
    text = read_part("logs", ct, "stdout");
    CU_ASSERT(text && strncmp(text, "of ann\n", 7) == 0);
    if (text && strlen(text) > 8) {
        text[strlen(text) - 1] = '\0';
        command = base_printf("cat %s 2>/dev/null; echo end", text + 7);
        check_run("bob", 2, command, 0, "end\n");
        free(command);
    } else {
        json_t *r = fake_rm_report(fx->rm, ct);
        printf("\n  %s\n", json_dumps(r, 0));
    }
    free(text);
}

static void test_info(void)
{
    struct base_buf b = {0};

    CU_ASSERT_EQUAL(fx_get(fx, 0, "/ws/v1/node/info", NULL, &b), 200);
    CU_ASSERT(b.data && strstr(b.data, "\"containersRunAs\":\"their users\""));
    base_buf_free(&b);
}

/* ---- */

static char hierarchy[160];

static void each_group(int (*fn)(const char *path))
{
    char *copy = base_strdup(place);

    for (char *rest = NULL, *item = strtok_r(copy, ";", &rest); item;
         item = strtok_r(NULL, ";", &rest))
        fn(strchr(item, '=') + 1);
    free(copy);
}

static int give_group(const char *path)
{
    static const char *const files[] = {"", "/cgroup.procs", "/cgroup.subtree_control"};

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char *file = base_printf("%s%s", path, files[i]);

        if (chown(file, USERS_NM, USERS_NM) < 0 && errno != ENOENT) /* the last one is v2's */
            abort();
        free(file);
    }
    return 0;
}

static void enter_group(const char *path)
{
    char *procs = base_printf("%s/cgroup.procs", path);
    int fd = open(procs, O_WRONLY);

    if (fd < 0 || write(fd, "0", 1) != 1)
        abort();
    close(fd);
    free(procs);
}

static int remove_group(const char *path)
{
    return rmdir(path);
}

/* Under v2, whoever moves a process needs to write to the nearest group above both places: so this
 * process goes into a group beside those of the containers. */
static char *own_group;

static void enter_own_group(void)
{
    if (strncmp(place, "all=", 4) != 0)
        return;
    own_group = base_printf("%s/test", place + 4);
    if (mkdir(own_group, 0755) < 0)
        abort();
    enter_group(own_group);
}

static void leave_own_group(void)
{
    char *top = base_strndup(place + 4, strlen(place + 4) - strlen(parent));

    enter_group(top);
    rmdir(own_group);
    free(top);
}

/* A process of root removes the groups when this one has ended. */
static void remove_groups_at_end(void)
{
    int ends[2];
    char byte;

    if (pipe2(ends, O_CLOEXEC) < 0)
        abort();
    if (fork() == 0) {
        close_range(0, 2, 0);
        close(ends[1]);
        while (read(ends[0], &byte, 1) > 0)
            ;
        if (own_group)
            leave_own_group();
        each_group(remove_group);
        _exit(0);
    }
    close(ends[0]); /* the other end stays open until we end */
}

static void make_groups(void)
{
    char why[NM_ISOLATION_WHY_MAX];

    snprintf(parent, sizeof parent, "/creel-users-test-%d", (int)getpid());
    if (nm_isolation_open(nm_isolation_find("cgroup"), parent, place, why) < 0) {
        printf("skipped: %s\n", why);
        exit(77);
    }
    each_group(give_group);
    enter_own_group();
    remove_groups_at_end();
}

static void start(const char *bin, bool with_groups)
{
    char *args[] = {"", USERS_BIN, NULL};
    int fd;

    users_make_host(bin);
    groups = with_groups;
    if (groups)
        make_groups();
    fx_programs(2, args);
    fx = fx_new();
    if (chmod(fx->dir, 0711) < 0 || chown(fx->dir, USERS_NM, USERS_NM) < 0)
        abort();
    users_write_conf(fx->local[0], "seccomp = true\n");
    fd = open(USERS_DIR "/ann-file", O_WRONLY | O_CREAT, 0600);
    if (fd < 0 || write(fd, "of ann\n", 7) != 7 || fchown(fd, USERS_ANN, USERS_ANN) < 0)
        abort();
    close(fd);
    fx->conf[0][0] = "creel.nodemanager.user-launcher=" USERS_BIN "/creel-exec";
    fx->conf[0][1] = "creel.container.disk-mb=20";
    if (groups) {
        fx->conf[0][2] = "creel.nodemanager.isolation=cgroup";
        snprintf(hierarchy, sizeof hierarchy,
                 "yarn.nodemanager.linux-container-executor.cgroups.hierarchy=%s", parent);
        fx->conf[0][3] = hierarchy;
    }
}

int main(int argc, char **argv)
{
    unsigned failed;

    if (argc < 3) {
        fprintf(stderr, "usage: %s FOLDER-OF-PROGRAMS none|cgroup\n", argv[0]);
        return 2;
    }
    start(argv[1], strcmp(argv[2], "cgroup") == 0);
    users_become_nm();
    fx_start(fx, 0);
    CU_initialize_registry();
    CU_pSuite suite = CU_add_suite("nm_users", NULL, NULL);
    CU_add_test(suite, "identity", test_identity);
    CU_add_test(suite, "refused users", test_refused_users);
    CU_add_test(suite, "two users", test_two_users);
    CU_add_test(suite, "shared folder", test_shared_folder);
    CU_add_test(suite, "orders", test_orders);
    CU_add_test(suite, "orders during vfork", test_orders_during_vfork);
    CU_add_test(suite, "hostile tree", test_hostile_tree);
    CU_add_test(suite, "lost shim", test_lost_shim);
    CU_add_test(suite, "false spawner", test_false_spawner);
    CU_add_test(suite, "readable logs", test_readable);
    CU_add_test(suite, "removal", test_removal);
    CU_add_test(suite, "disk", test_disk);
    CU_add_test(suite, "memory", test_memory);
    CU_add_test(suite, "resources", test_resources);
    CU_add_test(suite, "info", test_info);
    setvbuf(stdout, NULL, _IOLBF, 0);
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    failed = CU_get_number_of_failures();
    CU_cleanup_registry();
    if (getenv("KEEP"))
        sleep(1000);
    fx_free(fx);
    return failed ? 1 : 0;
}
