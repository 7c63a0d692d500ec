/* tests/fault/test_nm_life.c - containers of a real NodeManager from launch to end, and what kill
 * -9 of the daemon or of a shim does to them: nothing is lost, no process is left, and every end is
 * reported as it was. */
#include <CUnit/Basic.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/limits.h"
#include "nodemanager/container/process_tree.h"
#include "tests/fault/nm_fixture.h"

static char *pid_json(struct fx *fx, const char *ct)
{
    return fx_file("%s/records/%s/%s/pid.json", fx->local[0], fx_app(), ct);
}

static int64_t pid_field(const char *text, const char *name)
{
    char want[64];
    snprintf(want, sizeof want, "\"%s\":", name);
    const char *at = text ? strstr(text, want) : NULL;
    return at ? strtoll(at + strlen(want), NULL, 10) : -1;
}

static char *log_text(struct fx *fx, const char *ct, const char *name)
{
    return fx_file("%s/logs/%s/%s/%s", fx->local[0], fx_app(), ct, name);
}

/* Goal: the token of a container is renewed while it runs, and is never that of another
 * container. */
static void test_token_renewed(void)
{
    static const char wait_for_two[] =
        "f=$CREEL_APP_TOKEN_FILE; a=$(cat $f); until b=$(cat $f) && [ \"$b\" != \"$a\" ]; do sleep "
        "0.02; done; until c=$(cat $f) && [ \"$c\" != \"$b\" ]; do sleep 0.02; done; case $c in "
        "$CONTAINER_ID@*.*) ;; *) exit 9 ;; esac";
    struct fx *fx = fx_new();
    char a[64], b[64];
    fx->conf[0][0] = "creel.nodemanager.token-lifetime-ms=3000";
    fx_start(fx, 0);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), wait_for_two);
    fake_rm_launch(fx->rm, 0, fx_ct(2, b), wait_for_two);
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), 0);
    CU_ASSERT_EQUAL(fx_exit_code(fx, b), 0);
    fx_free(fx);
}

/* Goal: orders of whoever does not know the secret are not obeyed, and the node goes on asking: the
 * ResourceManager that knows it is obeyed as soon as it is back. */
static void test_forged_orders(void)
{
    struct fx *fx = fx_new();
    uint16_t port = fake_rm_port(fx->rm);
    char a[64], b[64];
    fake_rm_stop(fx->rm);
    fx->rm = fake_rm_start_forger(port);
    fx_start(fx, 0);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), "true");
    /* the order came with the answers to its registrations; the node registers again instead of
     * obeying */
    CU_ASSERT(fake_rm_wait_registrations(fx->rm, 0, 3, 30000));
    CU_ASSERT_EQUAL(fake_rm_heartbeats(fx->rm, 0), 0);
    fake_rm_stop(fx->rm);
    fx->rm = fake_rm_start(port);
    CU_ASSERT_FATAL(fake_rm_wait_nodes(fx->rm, 1, 30000));
    fake_rm_launch(fx->rm, 0, fx_ct(2, b), "true");
    CU_ASSERT_EQUAL(fx_exit_code(fx, b), 0);
    json_t *never = fake_rm_report(fx->rm, a);
    CU_ASSERT_PTR_NULL(never);
    json_decref(never);
    fx_free(fx);
}

/* Goal: exit codes, signals and stderr of commands are reported, and their environment, working
 * folder and logs are right. */
static void test_launch(void)
{
    struct fx *fx = fx_new();
    char a[64], b[64], c[64], d[64];
    fx_start(fx, 0);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), "exit 0");
    fake_rm_launch(fx->rm, 0, fx_ct(2, b), "echo trouble >&2; exit 42");
    fake_rm_launch(fx->rm, 0, fx_ct(3, c), "kill -9 $$");
    fake_rm_launch(fx->rm, 0, fx_ct(4, d),
                   "echo $CONTAINER_ID $USER $NM_HTTP_PORT $(cut -d@ -f1 $CREEL_APP_TOKEN_FILE) "
                   "$(grep -c s3[c]ret ../launch.json); pwd");
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), 0);
    CU_ASSERT_EQUAL(fx_exit_code(fx, b), 42);
    CU_ASSERT_EQUAL(fx_exit_code(fx, c), 137);
    CU_ASSERT_EQUAL(fx_exit_code(fx, d), 0);
    json_t *r = fake_rm_report(fx->rm, b);
    CU_ASSERT_PTR_NOT_NULL(strstr(json_string_value(json_object_get(r, "diagnostics")), "trouble"));
    CU_ASSERT(fx_number(r, "endedMs") >= fx_number(r, "startedMs"));
    json_decref(r);
    r = fake_rm_report(fx->rm, c);
    CU_ASSERT_EQUAL(fx_number(r, "signal"), 9);
    json_decref(r);
    char *out = log_text(fx, d, "stdout");
    char *want =
        base_printf("%s ann %s %s 0\n%s/apps/%s/%s/work\n", d,
                    strrchr(fake_rm_node_id(fx->rm, 0), ':') + 1, d, fx->local[0], fx_app(), d);
    CU_ASSERT_STRING_EQUAL(out ? out : "", want);
    free(out);
    free(want);
    fx_free(fx);
}

/* Goal: an order that comes twice starts nothing twice, also after the container was forgotten. */
static void test_launch_twice(void)
{
    struct fx *fx = fx_new();
    char a[64], b[64];
    fx_start(fx, 0);
    char *cmd = base_printf("echo x >> %s/runs", fx->dir);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), cmd);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), cmd);
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), 0);
    fake_rm_order(fx->rm, 0, "{\"type\":\"forget\",\"container\":\"%s\"}", a);
    fake_rm_launch(fx->rm, 0, a, cmd);
    char *ids = fx_file("%s/records/%s/forgotten", fx->local[0], fx_app());
    CU_ASSERT_PTR_NOT_NULL(ids);
    free(ids);
    fx_kill(fx, 0, SIGKILL);
    fx_start(fx, 0);
    fake_rm_launch(fx->rm, 0, a, cmd);
    fake_rm_launch(fx->rm, 0, fx_ct(2, b), "true");
    CU_ASSERT_EQUAL(fx_exit_code(fx, b), 0);
    char *runs = fx_file("%s/runs", fx->dir);
    CU_ASSERT_STRING_EQUAL(runs ? runs : "", "x\n");
    CU_ASSERT_EQUAL(fake_rm_after_forget(fx->rm), 0);
    free(runs);
    free(cmd);
    fx_free(fx);
}

/* Goal: folders of ended containers serve other containers, which find them empty; a folder in
 * which a container has left something does not. Method: more containers than spares are made, one
 * after another; the odd ones leave a file behind. */
static void test_folders_again(void)
{
    enum { N = 60 };
    struct fx *fx = fx_new();
    char ct[64];
    fx_start(fx, 0);
    fake_rm_set_auto_forget(fx->rm, true);
    for (int i = 1; i <= N; i++) {
        fake_rm_launch(fx->rm, 0, fx_ct(i, ct),
                       i % 2 ? "test -z \"$(ls -A)\" && touch mine && exit 5"
                             : "test -z \"$(ls -A)\" && exit 6");
        CU_ASSERT_EQUAL(fx_exit_code(fx, ct), i % 2 ? 5 : 6);
    }
    fx_free(fx);
}

/* Goal: an order that is not understood ends its container, and the next one runs. */
static void test_launch_refused(void)
{
    struct fx *fx = fx_new();
    char a[64], b[64];
    fx_start(fx, 0);
    fake_rm_order(fx->rm, 0, "{\"type\":\"launch\",\"container\":\"%s\",\"memoryMb\":\"much\"}",
                  fx_ct(1, a));
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), 126);
    json_t *r = fake_rm_report(fx->rm, a);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(json_string_value(json_object_get(r, "diagnostics")), "memoryMb"));
    json_decref(r);
    fake_rm_order(fx->rm, 0, "{\"type\":\"forget\",\"container\":\"%s\"}", a);
    fake_rm_launch(fx->rm, 0, fx_ct(2, b), "true");
    CU_ASSERT_EQUAL(fx_exit_code(fx, b), 0);
    fx_free(fx);
}

/* Goal: answers that are lost, and orders of a deposed RM, change nothing. */
static void test_lost_answers_and_epochs(void)
{
    struct fx *fx = fx_new();
    char a[64], b[64], c[64];
    fake_rm_set_epoch(fx->rm, 5);
    fx_start(fx, 0);
    fake_rm_lose_answers(fx->rm, 3);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), "exit 7");
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), 7);
    int64_t before = fake_rm_registrations(fx->rm, 0);
    fake_rm_set_epoch(fx->rm, 4);
    char *cmd = base_printf("touch %s/never", fx->dir);
    fake_rm_launch(fx->rm, 0, fx_ct(2, b), cmd);
    /* refused twice */
    CU_ASSERT_TRUE(fake_rm_wait_registrations(fx->rm, 0, before + 2, FX_WAIT_MS));
    fake_rm_set_epoch(fx->rm, 6);
    fake_rm_launch(fx->rm, 0, fx_ct(3, c), "true");
    CU_ASSERT_EQUAL(fx_exit_code(fx, c), 0);
    CU_ASSERT_FALSE(fx_exists("%s/never", fx->dir));
    char *state = fx_file("%s/state.json", fx->local[0]);
    CU_ASSERT_PTR_NOT_NULL(strstr(state ? state : "", "\"epoch\":6"));
    free(state);
    free(cmd);
    fx_free(fx);
}

/* Goal: a kill ends the whole tree, also processes that have left the session or ignore TERM; the
 * report says -106. */
static void test_kill_tree(void)
{
    struct fx *fx = fx_new();
    char a[64];
    fx_start(fx, 0);
    char *cmd = base_printf(
        "trap '' TERM; setsid sh -c 'trap \"\" TERM; (sleep 1000; :) & echo $! > %s/grand; wait' & "
        "echo $! > %s/child; wait; sleep 1000",
        fx->dir, fx->dir);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), cmd);
    char *grand = fx_file("%s/grand", fx->dir), *child = fx_file("%s/child", fx->dir);
    fake_rm_order(fx->rm, 0,
                  "{\"type\":\"kill\",\"container\":\"%s\",\"reason\":\"too slow\",\"graceMs\":50}",
                  a);
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), -106);
    json_t *r = fake_rm_report(fx->rm, a);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(r, "diagnostics")), "too slow");
    json_decref(r);
    CU_ASSERT_TRUE(fx_gone((pid_t)atoi(grand ? grand : "0")));
    CU_ASSERT_TRUE(fx_gone((pid_t)atoi(child ? child : "0")));
    free(grand);
    free(child);
    free(cmd);
    fx_free(fx);
}

/* Goal: TERM lets a command clean up within its grace period; processes that it leaves behind when
 * it ends are killed. */
static void test_kill_grace_and_leftovers(void)
{
    struct fx *fx = fx_new();
    char a[64], b[64];
    fx_start(fx, 0);
    char *cmd = base_printf(
        "trap 'echo bye > %s/bye; exit 3' TERM; echo up > %s/up; while :; do sleep 0.01; done",
        fx->dir, fx->dir);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), cmd);
    free(fx_file("%s/up", fx->dir));
    fake_rm_order(fx->rm, 0,
                  "{\"type\":\"kill\",\"container\":\"%s\",\"reason\":\"r\",\"graceMs\":20000}", a);
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), -106);
    CU_ASSERT_TRUE(fx_exists("%s/bye", fx->dir));
    free(cmd);
    cmd = base_printf("setsid sleep 1000 & echo $! > %s/left; exit 5", fx->dir);
    fake_rm_launch(fx->rm, 0, fx_ct(2, b), cmd);
    CU_ASSERT_EQUAL(fx_exit_code(fx, b), 5);
    char *left = fx_file("%s/left", fx->dir);
    CU_ASSERT_TRUE(fx_gone((pid_t)atoi(left ? left : "0")));
    free(left);
    free(cmd);
    fx_free(fx);
}

struct states {
    pid_t pid;
    char state;
};

static bool has_state(void *u)
{
    struct states *s = u;
    struct nm_proc p;
    if (s->state == 'T')
        return fx_is_stopped(s->pid);
    return nm_proc_read_stat(s->pid, &p) && (p.state == s->state || p.state == 'R');
}

/* Goal: suspend stops every process of the tree, survives a restart of the daemon, and resume lets
 * them go on. */
static void test_suspend(void)
{
    struct fx *fx = fx_new();
    char a[64];
    fx_start(fx, 0);
    char *cmd = base_printf("setsid sh -c 'echo $$ > %s/child; while :; do sleep 0.01; done' & "
                            "echo $$ > %s/main; while ! test -e %s/go; do sleep 0.01; done; exit 9",
                            fx->dir, fx->dir, fx->dir);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), cmd);
    char *child = fx_file("%s/child", fx->dir), *main_pid = fx_file("%s/main", fx->dir);
    struct states c = {.pid = (pid_t)atoi(child ? child : "0"), .state = 'T'};
    struct states m = {.pid = (pid_t)atoi(main_pid ? main_pid : "0"), .state = 'T'};
    fake_rm_order(fx->rm, 0, "{\"type\":\"suspend\",\"container\":\"%s\"}", a);
    json_t *r = fake_rm_wait_state(fx->rm, a, "suspended", FX_WAIT_MS);
    CU_ASSERT_PTR_NOT_NULL(r);
    json_decref(r);
    CU_ASSERT_TRUE(fx_until(has_state, &c));
    CU_ASSERT_TRUE(fx_until(has_state, &m));
    fx_kill(fx, 0, SIGKILL);
    fx_start(fx, 0);
    r = fake_rm_report(fx->rm, a);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(r, "state")), "suspended");
    json_decref(r);
    c.state = m.state = 'S';
    fake_rm_order(fx->rm, 0, "{\"type\":\"resume\",\"container\":\"%s\"}", a);
    CU_ASSERT_TRUE(fx_until(has_state, &c));
    CU_ASSERT_TRUE(fx_until(has_state, &m));
    char *go = base_printf("%s/go", fx->dir);
    close(open(go, O_WRONLY | O_CREAT, 0600));
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), 9);
    CU_ASSERT_TRUE(fx_gone(c.pid));
    free(go);
    free(child);
    free(main_pid);
    free(cmd);
    fx_free(fx);
}

/* Goal: the grace period is for the whole tree: a child cleans up though SIGTERM has ended the
 * shell above it at once. */
static void test_kill_grace_of_a_child(void)
{
    struct fx *fx = fx_new();
    char a[64];
    fx_start(fx, 0);
    char *script = base_printf("%s/g.sh", fx->dir);
    char *text = base_printf("trap 'sleep 0.3; echo bye > %s/bye; exit 0' TERM\necho up > %s/up\n"
                             "while :; do sleep 0.01; done\n",
                             fx->dir, fx->dir);
    char *cmd = base_printf("sh %s; true", script);
    CU_ASSERT_EQUAL(base_file_write_atomic(script, text, strlen(text), 0600, false, NULL), 0);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), cmd);
    free(fx_file("%s/up", fx->dir));
    fake_rm_order(fx->rm, 0,
                  "{\"type\":\"kill\",\"container\":\"%s\",\"reason\":\"r\",\"graceMs\":20000}", a);
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), -106);
    CU_ASSERT_TRUE(fx_exists("%s/bye", fx->dir));
    free(script);
    free(text);
    free(cmd);
    fx_free(fx);
}

/* Goal: a suspended container can be killed. */
static void test_kill_suspended(void)
{
    struct fx *fx = fx_new();
    char a[64];
    fx_start(fx, 0);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), "trap 'exit 3' TERM; while :; do sleep 0.01; done");
    free(pid_json(fx, a));
    fake_rm_order(fx->rm, 0, "{\"type\":\"suspend\",\"container\":\"%s\"}", a);
    json_decref(fake_rm_wait_state(fx->rm, a, "suspended", FX_WAIT_MS));
    fake_rm_order(fx->rm, 0,
                  "{\"type\":\"kill\",\"container\":\"%s\",\"reason\":\"r\",\"graceMs\":20000}", a);
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), -106);
    fx_free(fx);
}

/* Goal: kill -9 of the daemon with 20 running containers, 5 of which end while it is away: every
 * one is known again, pids and start times are the same, every exit code is right. */
static void test_restart_20(void)
{
    enum { N = 20, ENDING = 5 };
    struct fx *fx = fx_new();
    char ct[N][64], *before[N];
    fx_start(fx, 0);
    for (int i = 0; i < N; i++) {
        char *cmd = base_printf("while ! test -e %s/go%s; do sleep 0.02; done; exit %d", fx->dir,
                                i < ENDING ? "5" : "20", 10 + i);
        fake_rm_launch(fx->rm, 0, fx_ct(i + 1, ct[i]), cmd);
        free(cmd);
    }
    for (int i = 0; i < N; i++)
        before[i] = pid_json(fx, ct[i]);
    char *node = base_strdup(fake_rm_node_id(fx->rm, 0));
    fx_kill(fx, 0, SIGKILL);
    char *go = base_printf("%s/go5", fx->dir);
    close(open(go, O_WRONLY | O_CREAT, 0600));
    for (int i = 0; i < ENDING; i++)
        free(fx_file("%s/records/%s/%s/exit.json", fx->local[0], fx_app(), ct[i]));
    fx_start(fx, 0);
    CU_ASSERT_STRING_EQUAL(fake_rm_node_id(fx->rm, 0), node);
    CU_ASSERT_FALSE(fake_rm_wait_nodes(fx->rm, 2, 0));
    CU_ASSERT_EQUAL(fake_rm_ended(fx->rm), ENDING);
    for (int i = 0; i < N; i++) {
        char *after = pid_json(fx, ct[i]);
        CU_ASSERT_STRING_EQUAL(after ? after : "", before[i] ? before[i] : "-");
        json_t *r = fake_rm_report(fx->rm, ct[i]);
        CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(r, "user")), "ann");
        if (i >= ENDING) {
            struct nm_proc p;
            CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(r, "state")), "running");
            CU_ASSERT_TRUE(nm_proc_read_stat((pid_t)pid_field(before[i], "pid"), &p));
            CU_ASSERT_EQUAL(p.start, pid_field(before[i], "start"));
        }
        json_decref(r);
        free(after);
        free(before[i]);
    }
    free(go);
    go = base_printf("%s/go20", fx->dir);
    close(open(go, O_WRONLY | O_CREAT, 0600));
    for (int i = 0; i < N; i++)
        CU_ASSERT_EQUAL(fx_exit_code(fx, ct[i]), 10 + i);
    free(go);
    free(node);
    fx_free(fx);
}

/* Goal: TERM to the daemon ends the daemon alone; the next daemon completes a kill ordered
 * before. */
static void test_term_and_kill_over_restart(void)
{
    struct fx *fx = fx_new();
    char a[64], b[64];
    fx_start(fx, 0);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), "sleep 1000");
    fake_rm_launch(fx->rm, 0, fx_ct(2, b), "trap '' TERM; while :; do sleep 0.01; done");
    char *text = pid_json(fx, a), *other = pid_json(fx, b);
    fake_rm_order(fx->rm, 0,
                  "{\"type\":\"kill\",\"container\":\"%s\",\"reason\":\"why\",\"graceMs\":1000000}",
                  b);
    char *mark = fx_file("%s/records/%s/%s/killed", fx->local[0], fx_app(), b);
    CU_ASSERT_PTR_NOT_NULL(mark);
    fx_kill(fx, 0, SIGTERM);
    struct nm_proc p;
    CU_ASSERT_TRUE(nm_proc_read_stat((pid_t)pid_field(text, "pid"), &p));
    CU_ASSERT_EQUAL(p.start, pid_field(text, "start"));
    fx_start(fx, 0);
    CU_ASSERT_EQUAL(fx_exit_code(fx, b), -106);
    fake_rm_order(fx->rm, 0, "{\"type\":\"kill\",\"container\":\"%s\",\"graceMs\":0}", a);
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), -106);
    free(text);
    free(other);
    free(mark);
    fx_free(fx);
}

/* Goal: a daemon that is ended signs off when nothing on its node is needed, but not while an
 * application may still want what an ended container has left. */
static void test_sign_off(void)
{
    struct fx *fx = fx_new();
    char a[64];
    fx_start(fx, 0);
    CU_ASSERT_TRUE(fake_rm_wait_heartbeats(fx->rm, 0, 1, FX_WAIT_MS));
    fx_kill(fx, 0, SIGTERM);
    CU_ASSERT_EQUAL(fake_rm_sign_offs(fx->rm, 0), 1);
    fx_start(fx, 0);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), "true");
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), 0);
    fx_kill(fx, 0, SIGTERM);
    CU_ASSERT_EQUAL(fake_rm_sign_offs(fx->rm, 0), 1);
    fx_free(fx);
}

/* Goal: when a shim is killed -9, its tree ends with it and the end is reported as 137, also when
 * this happens while the daemon is away. */
static void test_shim_killed(void)
{
    struct fx *fx = fx_new();
    char ct[2][64];
    fx_start(fx, 0);
    for (int i = 0; i < 2; i++) {
        char *cmd = base_printf("setsid sleep 1000 & echo $! > %s/left%d; sleep 1000", fx->dir, i);
        fake_rm_launch(fx->rm, 0, fx_ct(i + 1, ct[i]), cmd);
        char *left = fx_file("%s/left%d", fx->dir, i), *text = pid_json(fx, ct[i]);
        if (i == 1)
            fx_kill(fx, 0, SIGKILL);
        kill((pid_t)pid_field(text, "shimPid"), SIGKILL);
        CU_ASSERT_TRUE(fx_gone((pid_t)pid_field(text, "shimPid")));
        if (i == 1)
            fx_start(fx, 0);
        CU_ASSERT_EQUAL(fx_exit_code(fx, ct[i]), 137);
        json_t *r = fake_rm_report(fx->rm, ct[i]);
        CU_ASSERT_PTR_NOT_NULL(
            strstr(json_string_value(json_object_get(r, "diagnostics")), "shim was killed"));
        json_decref(r);
        CU_ASSERT_TRUE(fx_gone((pid_t)pid_field(text, "pid")));
        CU_ASSERT_TRUE(fx_gone((pid_t)atoi(left ? left : "0")));
        free(left);
        free(text);
        free(cmd);
    }
    fx_free(fx);
}

/* Goal: a shim whose pid is a stranger's by now does not cost the stranger its life. */
static void test_shim_pid_reused(void)
{
    struct fx *fx = fx_new();
    char a[64];
    fx_start(fx, 0);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), "sleep 1000");
    char *text = pid_json(fx, a),
         *path = base_printf("%s/records/%s/%s/pid.json", fx->local[0], fx_app(), a);
    fx_kill(fx, 0, SIGKILL);
    kill((pid_t)pid_field(text, "shimPid"), SIGKILL);
    CU_ASSERT_TRUE(fx_gone((pid_t)pid_field(text, "shimPid")));
    pid_t stranger = fork();
    if (stranger == 0) {
        setsid();
        execlp("sleep", "sleep", "1000", (char *)NULL);
        _exit(127);
    }
    char *other =
        base_printf("{\"bootId\":\"%s\",\"shimPid\":%d,\"shimStart\":1,\"pid\":%d,\"start\":1}\n",
                    base_boot_id(), (int)stranger, (int)stranger);
    CU_ASSERT_EQUAL(base_file_write_atomic(path, other, strlen(other), 0600, false, NULL), 0);
    fx_start(fx, 0);
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), 137);
    CU_ASSERT_EQUAL(waitpid(stranger, NULL, WNOHANG), 0);
    kill(stranger, SIGKILL);
    waitpid(stranger, NULL, 0);
    free(other);
    free(text);
    free(path);
    fx_free(fx);
}

/* Goal: no process of a container survives the shim's death, even one that has left the session and
 * has an environment of its own; other containers run on. */
static void test_shim_killed_stray(void)
{
    struct fx *fx = fx_new();
    char a[64], b[64];
    fx_start(fx, 0);
    char *cmd = base_printf("setsid env -i sleep 1000 & echo $! > %s/stray; sleep 1000", fx->dir);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), cmd);
    fake_rm_launch(fx->rm, 0, fx_ct(2, b), "sleep 1000");
    char *text = pid_json(fx, a), *bystander = pid_json(fx, b),
         *stray = fx_file("%s/stray", fx->dir);
    kill((pid_t)pid_field(text, "shimPid"), SIGKILL);
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), 137);
    CU_ASSERT_TRUE(fx_gone((pid_t)atoi(stray ? stray : "0")));
    CU_ASSERT_EQUAL(kill((pid_t)pid_field(bystander, "pid"), 0), 0);
    free(cmd);
    free(text);
    free(bystander);
    free(stray);
    fx_free(fx);
}

/* Goal: a log stops at its limit with a note while the command runs on. */
static void test_log_limit(void)
{
    struct fx *fx = fx_new();
    char a[64];
    struct stat st;
    fx->conf[0][0] = "creel.nodemanager.log-max-bytes=10000";
    fx_start(fx, 0);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), "head -c 5000000 /dev/zero; echo done >&2; exit 4");
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), 4);
    char *path = base_printf("%s/logs/%s/%s/stdout", fx->local[0], fx_app(), a);
    CU_ASSERT_EQUAL(stat(path, &st), 0);
    CU_ASSERT(st.st_size > 10000 && st.st_size < 10200);
    char *err = log_text(fx, a, "stderr");
    CU_ASSERT_STRING_EQUAL(err ? err : "", "done\n");
    free(err);
    free(path);
    fx_free(fx);
}

struct path_gone {
    const char *path;
};

static bool path_gone(void *u)
{
    return access(((struct path_gone *)u)->path, F_OK) < 0;
}

/* Goal: cleanup-app kills what is alive, removes the folder, keeps the logs for their time and then
 * removes them. */
static void test_cleanup(void)
{
    struct fx *fx = fx_new();
    char a[64], b[64];
    fx->conf[0][0] = "creel.nodemanager.log-retain-s=1";
    fx_start(fx, 0);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), "echo hello");
    fake_rm_launch(fx->rm, 0, fx_ct(2, b), "sleep 1000");
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), 0);
    char *text = pid_json(fx, b);
    fake_rm_order(fx->rm, 0, "{\"type\":\"cleanup-app\",\"app\":\"%s\",\"keepLogs\":true}",
                  fx_app());
    char *apps = base_printf("%s/apps/%s", fx->local[0], fx_app());
    char *logs = base_printf("%s/logs/%s", fx->local[0], fx_app());
    CU_ASSERT_TRUE(fx_until(path_gone, &(struct path_gone){apps}));
    CU_ASSERT_TRUE(fx_gone((pid_t)pid_field(text, "pid")));
    CU_ASSERT_TRUE(fx_until(path_gone, &(struct path_gone){logs}));
    free(text);
    free(apps);
    free(logs);
    fx_free(fx);
}

/* Goal: an application starts again right after its clean-up, with folders and logs that stay. */
static void test_launch_after_cleanup(void)
{
    struct fx *fx = fx_new();
    char ct[64];
    fx->conf[0][0] = "creel.nodemanager.log-retain-s=1";
    fx_start(fx, 0);
    for (int i = 1; i <= 5; i++) {
        fake_rm_launch(fx->rm, 0, fx_ct(i, ct), "echo x > y; echo hello; cat y");
        CU_ASSERT_EQUAL(fx_exit_code(fx, ct), 0);
        char *out = fx_file("%s/logs/%s/%s/stdout", fx->local[0], fx_app(), ct);
        CU_ASSERT_STRING_EQUAL(out ? out : "", "hello\nx\n");
        free(out);
        if (i % 2) { /* the clean-up finds a container, or none */
            fake_rm_order(fx->rm, 0, "{\"type\":\"forget\",\"container\":\"%s\"}", ct);
            char *record = base_printf("%s/records/%s/%s", fx->local[0], fx_app(), ct);
            CU_ASSERT_TRUE(fx_until(path_gone, &(struct path_gone){record}));
            free(record);
        }
        fake_rm_order(fx->rm, 0, "{\"type\":\"cleanup-app\",\"app\":\"%s\",\"keepLogs\":true}",
                      fx_app());
    }
    char *apps = base_printf("%s/apps/%s", fx->local[0], fx_app());
    char *logs = base_printf("%s/logs/%s", fx->local[0], fx_app());
    CU_ASSERT_TRUE(fx_until(path_gone, &(struct path_gone){apps}));
    CU_ASSERT_TRUE(fx_until(path_gone, &(struct path_gone){logs}));
    free(apps);
    free(logs);
    fx_free(fx);
}

/* Goal: a disk that is full makes the node unhealthy and the failure -101; space makes it healthy
 * again. */
static void test_no_space(void)
{
    struct fx *fx = fx_new();
    char a[64], b[64];
    mkdir(fx->local[0], 0700);
    if (geteuid() != 0 || mount("creel-test", fx->local[0], "tmpfs", 0, "size=2m,mode=0755") < 0) {
        printf("(skipped: no tmpfs can be mounted) ");
        fx_free(fx);
        return;
    }
    fx->conf[0][0] = "creel.nodemanager.min-free-disk-mb=1";
    fx_start(fx, 0);
    CU_ASSERT_TRUE(fake_rm_wait_healthy(fx->rm, 0, true, FX_WAIT_MS));
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), "cat /dev/zero > ../../../fill");
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), -101);
    json_t *r = fake_rm_report(fx->rm, a);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(json_string_value(json_object_get(r, "diagnostics")), "No space left on device"));
    json_decref(r);
    CU_ASSERT_TRUE(fake_rm_wait_healthy(fx->rm, 0, false, FX_WAIT_MS));
    fake_rm_launch(fx->rm, 0, fx_ct(2, b), "true");
    CU_ASSERT_EQUAL(fx_exit_code(fx, b), -101);
    char *fill = base_printf("%s/apps/fill", fx->local[0]);
    unlink(fill);
    CU_ASSERT_TRUE(fake_rm_wait_healthy(fx->rm, 0, true, FX_WAIT_MS));
    fx_kill(fx, 0, SIGTERM);
    umount2(fx->local[0], MNT_DETACH);
    free(fill);
    fx_free(fx);
}

/* Starts a NodeManager whose folder is a file system of 2 MB. Returns false, with @fx freed, where
 * none can be mounted. */
static bool small_disk(struct fx *fx)
{
    mkdir(fx->local[0], 0700);
    if (geteuid() != 0 || mount("creel-test", fx->local[0], "tmpfs", 0, "size=2m,mode=0755") < 0) {
        printf("(skipped: no tmpfs can be mounted) ");
        fx_free(fx);
        return false;
    }
    fx->conf[0][0] = "creel.nodemanager.min-free-disk-mb=0";
    fx_start(fx, 0);
    CU_ASSERT_TRUE(fake_rm_wait_healthy(fx->rm, 0, true, FX_WAIT_MS));
    return true;
}

static void small_disk_end(struct fx *fx)
{
    fx_kill(fx, 0, SIGTERM);
    umount2(fx->local[0], MNT_DETACH);
    fx_free(fx);
}

/* Goal: a command whose output did not fit on the disk has failed, whatever its exit code. */
static void test_output_lost(void)
{
    struct fx *fx = fx_new();
    char a[64];
    if (!small_disk(fx))
        return;
    fake_rm_launch(fx->rm, 0, fx_ct(1, a),
                   "while ! test -e ../../../../records/$CREEL_JOB_ID/$CONTAINER_ID/pid.json; do "
                   "sleep 0.01; done; head -c 4000000 /dev/zero; exit 0");
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), -101);
    json_t *r = fake_rm_report(fx->rm, a);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(json_string_value(json_object_get(r, "diagnostics")), "No space left on device"));
    json_decref(r);
    CU_ASSERT_TRUE(fake_rm_wait_healthy(fx->rm, 0, false, FX_WAIT_MS));
    small_disk_end(fx);
}

/* Goal: a container that filled the disk with its own files gives it back when it is forgotten,
 * though its id cannot be written down, and the node is healthy again. */
static void test_filled_by_itself(void)
{
    struct fx *fx = fx_new();
    char a[64];
    if (!small_disk(fx))
        return;
    fake_rm_launch(fx->rm, 0, fx_ct(1, a),
                   "while ! test -e ../../../../records/$CREEL_JOB_ID/$CONTAINER_ID/pid.json; do "
                   "sleep 0.01; done; cat /dev/zero > fill");
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), -101);
    CU_ASSERT_TRUE(fake_rm_wait_healthy(fx->rm, 0, false, FX_WAIT_MS));
    char *folder = base_printf("%s/apps/%s/%s", fx->local[0], fx_app(), a);
    fake_rm_order(fx->rm, 0, "{\"type\":\"forget\",\"container\":\"%s\"}", a);
    CU_ASSERT_TRUE(fx_until(path_gone, &(struct path_gone){folder}));
    CU_ASSERT_TRUE(fake_rm_wait_healthy(fx->rm, 0, true, FX_WAIT_MS));
    free(folder);
    small_disk_end(fx);
}

/* A map of the job's whole input @path, one reduce. */
static void launch_map(struct fx *fx, const char *ct, const char *path, const char *map)
{
    json_t *o = json_pack(
        "{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:i,s:i,s:{s:{s:s,s:i,s:i},s:s,s:i,s:i,s:s,s:i,s:i}}",
        "type", "launch", "container", ct, "kind", "map", "slot", "map", "user", "ann", "app",
        fx_app(), "task", "task_1_0001_m_000000", "token", "s3cret", "taskAttempt", 0,
        "logMaxBytes", 20, "spec", "split", "path", path, "offset", 0, "length", 6, "map", map,
        "reduces", 1, "sortBufferMb", 8, "job", fx_app(), "index", 0, "attempt", 0);
    char *text = json_dumps(o, 0);
    fake_rm_order(fx->rm, 0, "%s", text);
    free(text);
    json_decref(o);
}

/* Goal: a failed task's own story reaches the ResourceManager, whatever the limit of its log cut
 * off; a command of exactly the longest length runs. */
static void test_tasks(void)
{
    struct fx *fx = fx_new();
    char a[64], b[64];
    fx_start(fx, 0);
    char *input = base_printf("%s/input", fx->dir), *longest = base_alloc(BASE_COMMAND_MAX + 1);
    CU_ASSERT_EQUAL(base_file_write_atomic(input, "a\nb\nc\n", 6, 0600, false, NULL), 0);
    memset(longest, '#', BASE_COMMAND_MAX);
    memcpy(longest, "cat ", 4);
    launch_map(fx, fx_ct(1, a), input,
               "cat > /dev/null; echo a long line of no use >&2; echo the reason >&2; exit 3");
    launch_map(fx, fx_ct(2, b), input, longest);
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), 3);
    json_t *r = fake_rm_report(fx->rm, a);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(json_string_value(json_object_get(r, "diagnostics")), "the reason"));
    json_decref(r);
    CU_ASSERT_EQUAL(fx_exit_code(fx, b), 0);
    free(input);
    free(longest);
    fx_free(fx);
}

/* Goal: an attempt that ended without a whole output leaves nothing when it is forgotten; of one
 * with a whole output only tmp/ goes. An id that is cut short in the list of forgotten containers
 * spoils neither that id nor the next one. */
static void test_forget(void)
{
    struct fx *fx = fx_new();
    char a[64], b[64], c[64];
    fx_start(fx, 0);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a),
                   "mkdir ../tmp ../output; echo x > ../tmp/sort; echo x > ../output/file.out");
    fake_rm_launch(
        fx->rm, 0, fx_ct(23, b),
        "mkdir ../tmp ../output; echo x > ../tmp/sort; echo '0 2 1' > ../output/file.index");
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), 0);
    CU_ASSERT_EQUAL(fx_exit_code(fx, b), 0);
    char *list = base_printf("%s/records/%s/forgotten", fx->local[0], fx_app());
    char *folder = base_printf("%s/apps/%s/%s", fx->local[0], fx_app(), a);
    char *tmp = base_printf("%s/apps/%s/%s/tmp", fx->local[0], fx_app(), b);
    CU_ASSERT_EQUAL(base_file_write_atomic(list, b, strlen(b) - 1, 0600, false, NULL), 0);
    fake_rm_order(fx->rm, 0, "{\"type\":\"forget\",\"container\":\"%s\"}", a);
    fake_rm_order(fx->rm, 0, "{\"type\":\"forget\",\"container\":\"%s\"}", b);
    CU_ASSERT_TRUE(fx_until(path_gone, &(struct path_gone){folder}));
    CU_ASSERT_TRUE(fx_until(path_gone, &(struct path_gone){tmp}));
    CU_ASSERT_TRUE(fx_exists("%s/apps/%s/%s/output/file.index", fx->local[0], fx_app(), b));
    fx_kill(fx, 0, SIGKILL);
    fx_start(fx, 0);
    char *cmd = base_printf("touch %s/ran-$CONTAINER_ID", fx->dir);
    fake_rm_launch(fx->rm, 0, a, cmd);
    fake_rm_launch(fx->rm, 0, b, cmd);
    fake_rm_launch(fx->rm, 0, fx_ct(2, c), cmd);
    CU_ASSERT_EQUAL(fx_exit_code(fx, c), 0);
    CU_ASSERT_FALSE(fx_exists("%s/ran-%s", fx->dir, a));
    CU_ASSERT_FALSE(fx_exists("%s/ran-%s", fx->dir, b));
    CU_ASSERT_TRUE(fx_exists("%s/ran-%s", fx->dir, c));
    free(cmd);
    free(list);
    free(folder);
    free(tmp);
    fx_free(fx);
}

/* Returns true when the report of the container shows the progress that its command has written. */
static bool progress_seen(void *u)
{
    char ct[64];
    json_t *r = fake_rm_report(u, fx_ct(1, ct));
    double v = json_number_value(json_object_get(r, "progress"));
    json_decref(r);
    return v > 0.41 && v < 0.43;
}

static void test_progress_and_away(void)
{
    struct fx *fx = fx_new();
    char a[64];
    fx_start(fx, 0);
    char *cmd = base_printf(
        "echo 42%% > $CREEL_PROGRESS_FILE; while ! test -e %s/go; do sleep 0.02; done", fx->dir);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), cmd);
    CU_ASSERT_TRUE(fx_until(progress_seen, fx->rm));
    /* While the RM is away, the NodeManager keeps the end until the RM is back. */
    fake_rm_set_away(fx->rm, true);
    char *go = base_printf("%s/go", fx->dir);
    close(open(go, O_WRONLY | O_CREAT, 0600));
    free(fx_file("%s/records/%s/%s/exit.json", fx->local[0], fx_app(), a));
    fake_rm_set_away(fx->rm, false);
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), 0);
    free(go);
    free(cmd);
    fx_free(fx);
}

static bool counters_seen(void *u)
{
    char ct[64];
    json_t *r = fake_rm_report(u, fx_ct(1, ct)), *c = json_object_get(r, "counters");
    bool ok = json_object_size(c) == 1 &&
              json_integer_value(json_object_get(c, "MAP_INPUT_RECORDS")) == 5;
    json_decref(r);
    return ok;
}

/* Goal: of the counters a command writes, only whole numbers within bounds reach the
 * ResourceManager. */
static void test_bad_counters(void)
{
    struct fx *fx = fx_new();
    char a[64];
    fx_start(fx, 0);
    char *cmd = base_printf(
        "echo '{\"progress\":0.5,\"phase\":\"fifteen bytes-\u00e9\",\"counters\":{\"SPILLS\":-1,"
        "\"MAP_INPUT_RECORDS\":5,\"A\":9e99,\"B\":\"x\",\"C\":9223372036854775807,\"\":1}}'"
        " > $CREEL_PROGRESS_FILE; while ! test -e %s/go; do sleep 0.02; done",
        fx->dir);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), cmd);
    CU_ASSERT_TRUE(fx_until(counters_seen, fx->rm));
    char *go = base_printf("%s/go", fx->dir);
    close(open(go, O_WRONLY | O_CREAT, 0600));
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), 0);
    free(go);
    free(cmd);
    fx_free(fx);
}

/* Goal: shutdown kills the containers and ends the daemon. */
static void test_shutdown(void)
{
    struct fx *fx = fx_new();
    char a[64];
    fx_start(fx, 0);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), "sleep 1000");
    char *text = pid_json(fx, a);
    fake_rm_order(fx->rm, 0, "{\"type\":\"shutdown\",\"reason\":\"excluded\"}");
    CU_ASSERT_EQUAL(fx_wait(fx, 0), 0);
    CU_ASSERT_TRUE(fx_gone((pid_t)pid_field(text, "pid")));
    free(text);
    fx_free(fx);
}

int main(int argc, char **argv)
{
    fx_programs(argc, argv);
    CU_initialize_registry();
    CU_pSuite s = CU_add_suite("a NodeManager's containers", NULL, NULL);
    CU_add_test(s, "a token is renewed", test_token_renewed);
    CU_add_test(s, "forged orders", test_forged_orders);
    CU_add_test(s, "launch", test_launch);
    CU_add_test(s, "launch twice", test_launch_twice);
    CU_add_test(s, "folders again", test_folders_again);
    CU_add_test(s, "launch refused", test_launch_refused);
    CU_add_test(s, "lost answers and epochs", test_lost_answers_and_epochs);
    CU_add_test(s, "kill takes the tree", test_kill_tree);
    CU_add_test(s, "kill: grace, leftovers", test_kill_grace_and_leftovers);
    CU_add_test(s, "kill: grace of a child", test_kill_grace_of_a_child);
    CU_add_test(s, "suspend and resume over a restart", test_suspend);
    CU_add_test(s, "kill a suspended one", test_kill_suspended);
    CU_add_test(s, "kill -9 of the daemon with 20 containers", test_restart_20);
    CU_add_test(s, "TERM of the daemon, kill over a restart", test_term_and_kill_over_restart);
    CU_add_test(s, "end of the daemon: signs off when idle", test_sign_off);
    CU_add_test(s, "kill -9 of a shim", test_shim_killed);
    CU_add_test(s, "kill -9 of a shim, a stray process", test_shim_killed_stray);
    CU_add_test(s, "a shim's pid that was used again", test_shim_pid_reused);
    CU_add_test(s, "log limit", test_log_limit);
    CU_add_test(s, "cleanup", test_cleanup);
    CU_add_test(s, "launch after a clean-up", test_launch_after_cleanup);
    CU_add_test(s, "no space", test_no_space);
    CU_add_test(s, "a command's output lost to a full disk", test_output_lost);
    CU_add_test(s, "a disk filled by the container itself", test_filled_by_itself);
    CU_add_test(s, "forget", test_forget);
    CU_add_test(s, "tasks", test_tasks);
    CU_add_test(s, "progress, RM away", test_progress_and_away);
    CU_add_test(s, "bad counters", test_bad_counters);
    CU_add_test(s, "shutdown", test_shutdown);
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    unsigned failed = CU_get_number_of_failures() + CU_get_number_of_suites_failed();
    CU_cleanup_registry();
    return failed != 0;
}
