/* tests/fault/test_nm_rms.c - a real NodeManager and several ResourceManagers: dead ones, standbys
 * that send it on or let it wait, deposed ones that still give orders, one that hangs. No container
 * notices. */
#include <CUnit/Basic.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/id.h"
#include "base/io/io.h"
#include "tests/fault/nm_fixture.h"

struct two { /* two RMs: fx->rm, which the comments call the first one, and @other */
    struct fx *fx;
    struct fake_rm *other;
    char *list, *url, *other_url;
};

static char *url_of(struct fake_rm *rm)
{
    return base_printf("http://127.0.0.1:%d", fake_rm_port(rm));
}

/* Makes the two RMs. @first: the first one is also the first in the node's list. */
static struct two two_new(bool first)
{
    struct two t = {.fx = fx_new(), .other = fake_rm_start(0)};
    t.url = url_of(t.fx->rm);
    t.other_url = url_of(t.other);
    t.list = base_printf("creel.nodemanager.rm=%s,%s", first ? t.url : t.other_url,
                         first ? t.other_url : t.url);
    t.fx->conf[0][0] = t.list;
    return t;
}

/* Stops the first RM; fx->rm is then the other one. */
static void first_dies(struct two *t)
{
    fake_rm_stop(t->fx->rm);
    t->fx->rm = t->other;
    t->other = NULL;
}

static void two_free(struct two *t)
{
    fx_free(t->fx);
    if (t->other)
        fake_rm_stop(t->other);
    free(t->list);
    free(t->url);
    free(t->other_url);
}

static void touch(struct fx *fx, const char *name)
{
    char *path = base_printf("%s/%s", fx->dir, name);
    close(open(path, O_WRONLY | O_CREAT, 0600));
    free(path);
}

/* Launches a command that runs until the file @name is there, and exits with @code. */
static void launch_until(struct fx *fx, const char *ct, const char *name, int code)
{
    char *cmd =
        base_printf("while ! test -e %s/%s; do sleep 0.01; done; exit %d", fx->dir, name, code);
    fake_rm_launch(fx->rm, 0, ct, cmd);
    free(cmd);
}

static bool is_in(struct fx *fx, const char *ct, const char *state)
{
    json_t *r = fake_rm_wait_state(fx->rm, ct, state, FX_WAIT_MS);
    bool ok = r != NULL;
    json_decref(r);
    return ok;
}

static char *pid_json(struct fx *fx, const char *ct)
{
    return fx_file("%s/records/%s/%s/pid.json", fx->local[0], fx_app(), ct);
}

static json_int_t refused(struct fx *fx, const char *member)
{
    struct base_buf b = {0};
    CU_ASSERT_EQUAL(fx_get(fx, 0, "/ws/v1/node/resource-manager", NULL, &b), 200);
    json_t *j = json_loads(b.data ? b.data : "", 0, NULL);
    json_int_t n =
        json_integer_value(json_object_get(json_object_get(j, "resourceManager"), member));
    json_decref(j);
    base_buf_free(&b);
    return n;
}

static size_t times(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *at = text ? strstr(text, what) : NULL; at; at = strstr(at + 1, what))
        n++;
    return n;
}

struct logged {
    struct fx *fx;
    const char *what;
    size_t n;
};

static bool is_logged(void *u)
{
    struct logged *l = u;
    char *text = fx_file("%s/nm0.log", l->fx->dir);
    bool ok = times(text, l->what) >= l->n;
    free(text);
    return ok;
}

/* Goal: a dead RM at the head of the list costs nothing but its refusal. */
static void test_dead_first(void)
{
    struct fx *fx = fx_new();
    char *list = base_printf("creel.nodemanager.rm=http://127.0.0.1:1, 127.0.0.1:%d/",
                             fake_rm_port(fx->rm)),
         a[64];
    fx->conf[0][0] = list;
    fx_start(fx, 0);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), "echo $CREEL_RM");
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), 0);
    char *out = fx_file("%s/logs/%s/%s/stdout", fx->local[0], fx_app(), a);
    char *want = base_printf("http://127.0.0.1:1,http://127.0.0.1:%d\n", fake_rm_port(fx->rm));
    CU_ASSERT_STRING_EQUAL(out ? out : "", want);
    free(out);
    free(want);
    fx_free(fx);
    free(list);
}

/* Launches four containers: one runs, one is suspended, one has ended with 4, and one runs until
 * "late" is there. */
static void four_containers(struct fx *fx, char ct[4][64])
{
    for (int i = 0; i < 4; i++)
        fx_ct(i + 1, ct[i]);
    launch_until(fx, ct[0], "go", 5);
    launch_until(fx, ct[1], "go", 6);
    fake_rm_launch(fx->rm, 0, ct[2], "exit 4");
    launch_until(fx, ct[3], "late", 7);
    for (int i = 0; i < 4; i++)
        free(pid_json(fx, ct[i]));
    fake_rm_order(fx->rm, 0, "{\"type\":\"suspend\",\"container\":\"%s\"}", ct[1]);
    CU_ASSERT_TRUE(is_in(fx, ct[0], "running"));
    CU_ASSERT_TRUE(is_in(fx, ct[1], "suspended"));
    CU_ASSERT_TRUE(is_in(fx, ct[2], "complete"));
}

/* Checks that the new leader knows the four containers, and that their processes are the same. */
static void four_known(struct fx *fx, char ct[4][64], char *pids[4])
{
    char last[64];
    CU_ASSERT_TRUE(is_in(fx, ct[0], "running"));
    CU_ASSERT_TRUE(is_in(fx, ct[1], "suspended"));
    CU_ASSERT_EQUAL(fx_exit_code(fx, ct[2]), 4);
    CU_ASSERT_EQUAL(fx_exit_code(fx, ct[3]), 7);
    fake_rm_order(fx->rm, 0, "{\"type\":\"resume\",\"container\":\"%s\"}", ct[1]);
    fake_rm_launch(fx->rm, 0, fx_ct(5, last), "exit 9");
    CU_ASSERT_EQUAL(fx_exit_code(fx, last), 9);
    for (int i = 0; i < 2; i++) {
        char *now = pid_json(fx, ct[i]);
        CU_ASSERT_STRING_EQUAL(now ? now : "", pids[i] ? pids[i] : "?");
        free(now);
    }
    touch(fx, "go");
    CU_ASSERT_EQUAL(fx_exit_code(fx, ct[0]), 5);
    CU_ASSERT_EQUAL(fx_exit_code(fx, ct[1]), 6);
    for (int i = 0; i < 4; i++)
        free(pids[i]);
}

/* Goal: a node that a standby has sent to the active RM loses that RM: it waits at the standby, and
 * once the standby leads, it knows every container, also the one that ended meanwhile. */
static void test_parked(void)
{
    struct two t = two_new(false);
    char ct[4][64], *pids[4];
    fake_rm_stand_by(t.other, t.url);
    fake_rm_set_epoch(t.fx->rm, 3);
    fx_start(t.fx, 0);
    CU_ASSERT_EQUAL(fake_rm_sent_on(t.other), 1);
    four_containers(t.fx, ct);
    for (int i = 0; i < 4; i++)
        pids[i] = pid_json(t.fx, ct[i]);
    first_dies(&t);
    CU_ASSERT_TRUE(fake_rm_wait_parked(t.fx->rm, 1, FX_WAIT_MS));
    char *failed = fake_rm_last_failed(t.fx->rm);
    CU_ASSERT_STRING_EQUAL(failed, t.url);
    touch(t.fx, "late");
    free(fx_file("%s/records/%s/%s/exit.json", t.fx->local[0], fx_app(), ct[3]));
    fake_rm_set_epoch(t.fx->rm, 4);
    fake_rm_lead(t.fx->rm);
    four_known(t.fx, ct, pids);
    char *state = fx_file("%s/state.json", t.fx->local[0]);
    CU_ASSERT_PTR_NOT_NULL(strstr(state ? state : "", "\"epoch\":4"));
    CU_ASSERT_EQUAL(refused(t.fx, "refusedOrders"), 0);
    CU_ASSERT_EQUAL(refused(t.fx, "epochSeen"), 4);
    free(state);
    free(failed);
    two_free(&t);
}

/* Goal: the same with the NodeManager killed together with the RM, and started again before the
 * other RM leads. */
static void test_restarted_meanwhile(void)
{
    struct two t = two_new(true);
    char ct[4][64], *pids[4];
    fake_rm_stand_by(t.other, t.url);
    fx_start(t.fx, 0);
    four_containers(t.fx, ct);
    for (int i = 0; i < 4; i++)
        pids[i] = pid_json(t.fx, ct[i]);
    fx_kill(t.fx, 0, SIGKILL);
    first_dies(&t);
    touch(t.fx, "late");
    free(fx_file("%s/records/%s/%s/exit.json", t.fx->local[0], fx_app(), ct[3]));
    fake_rm_set_epoch(t.fx->rm, 2);
    fx_spawn(t.fx, 0);
    CU_ASSERT_TRUE(fake_rm_wait_parked(t.fx->rm, 1, FX_WAIT_MS));
    fake_rm_lead(t.fx->rm);
    four_known(t.fx, ct, pids);
    two_free(&t);
}

/* Goal: a node that waits at a standby goes to the active RM as soon as the standby knows one. */
static void test_sent_on_late(void)
{
    struct two t = two_new(false);
    char a[64];
    fake_rm_stand_by(t.other, "");
    fx_spawn(t.fx, 0);
    CU_ASSERT_TRUE(fake_rm_wait_parked(t.other, 1, FX_WAIT_MS));
    fake_rm_stand_by(t.other, t.url);
    CU_ASSERT_TRUE(fake_rm_wait_nodes(t.fx->rm, 1, FX_WAIT_MS));
    fake_rm_launch(t.fx->rm, 0, fx_ct(1, a), "exit 3");
    CU_ASSERT_EQUAL(fx_exit_code(t.fx, a), 3);
    CU_ASSERT_EQUAL(fake_rm_sent_on(t.other), 1);
    two_free(&t);
}

/* Goal: a node follows no redirect to a ResourceManager that is not in its configuration, and says
 * so. */
static void test_sent_out_of_the_list(void)
{
    struct two t = two_new(false);
    char *alone = base_printf("creel.nodemanager.rm=%s", t.other_url);
    struct logged said = {t.fx, "is none of those configured", 1};
    t.fx->conf[0][0] = alone;
    fake_rm_stand_by(t.other, t.url);
    fx_spawn(t.fx, 0);
    CU_ASSERT_TRUE(fx_until(is_logged, &said));
    while (fake_rm_sent_on(t.other) < 3)
        poll(NULL, 0, 5);
    CU_ASSERT_FALSE(fake_rm_wait_nodes(t.fx->rm, 1, 0));
    fake_rm_lead(t.other);
    CU_ASSERT_TRUE(fake_rm_wait_nodes(t.other, 1, FX_WAIT_MS));
    CU_ASSERT_FALSE(fake_rm_wait_nodes(t.fx->rm, 1, 0));
    two_free(&t);
    free(alone);
}

/* Goal: an epoch that no container's number could hold is no epoch: it neither counts nor is
 * kept. */
static void test_epoch_too_high(void)
{
    struct fx *fx = fx_new();
    char a[64];
    struct logged said = {fx, "epoch", 1};
    fake_rm_set_epoch(fx->rm, BASE_EPOCH_MAX + 1);
    fx_spawn(fx, 0);
    CU_ASSERT_TRUE(fx_until(is_logged, &said));
    fake_rm_set_epoch(fx->rm, BASE_EPOCH_MAX);
    CU_ASSERT_TRUE(fake_rm_wait_nodes(fx->rm, 1, FX_WAIT_MS));
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), "exit 4");
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), 4);
    char *state = fx_file("%s/state.json", fx->local[0]);
    CU_ASSERT_PTR_NOT_NULL(strstr(state ? state : "", "\"epoch\":8388607,"));
    free(state);
    fx_free(fx);
}

/* Goal: of two RMs that both believe that they lead, asked in turns, the one with the lower epoch
 * is obeyed in nothing; each of its orders is counted, the log says so once. */
static void test_two_leaders(void)
{
    enum { ROUNDS = 5 };
    struct two t = two_new(true);
    char ct[64];
    char *never = base_printf("touch %s/never", t.fx->dir);
    fake_rm_set_epoch(t.fx->rm, 5);
    fake_rm_set_epoch(t.other, 4);
    fx_start(t.fx, 0);
    for (int i = 1; i <= ROUNDS; i++) {
        fake_rm_set_away(t.fx->rm, true);
        CU_ASSERT_TRUE_FATAL(fake_rm_wait_nodes(t.other, 1, FX_WAIT_MS));
        int64_t before = fake_rm_registrations(t.other, 0);
        fake_rm_launch(t.other, 0, fx_ct(100 + i, ct), never);
        /* one of the two answers has carried the order */
        CU_ASSERT_TRUE(fake_rm_wait_registrations(t.other, 0, before + 2, FX_WAIT_MS));
        fake_rm_set_away(t.fx->rm, false);
        fake_rm_launch(t.fx->rm, 0, fx_ct(i, ct), "true");
        CU_ASSERT_EQUAL(fx_exit_code(t.fx, ct), 0);
    }
    json_int_t orders = refused(t.fx, "refusedOrders"); /* the launches, and any resync */
    char *metric = base_printf("\ncreel_nm_refused_orders_total %lld\n", (long long)orders);
    CU_ASSERT(orders >= ROUNDS);
    CU_ASSERT(refused(t.fx, "refusedAnswers") > ROUNDS);
    CU_ASSERT_EQUAL(refused(t.fx, "epochSeen"), 5);
    struct base_buf b = {0};
    CU_ASSERT_EQUAL(fx_get(t.fx, 0, "/metrics", NULL, &b), 200);
    CU_ASSERT_PTR_NOT_NULL(strstr(b.data ? b.data : "", metric));
    CU_ASSERT_PTR_NOT_NULL(strstr(b.data ? b.data : "", "\ncreel_nm_rm_epoch 5\n"));
    char *log = fx_file("%s/nm0.log", t.fx->dir);
    CU_ASSERT_EQUAL(times(log, "orders of epoch 4 are refused"), 1);
    CU_ASSERT_FALSE(fx_exists("%s/never", t.fx->dir));
    base_buf_free(&b);
    free(log);
    free(metric);
    free(never);
    two_free(&t);
}

/* Goal: orders of an epoch that cannot be written down are not carried out, until it can. */
static void test_epoch_not_saved(void)
{
    struct fx *fx = fx_new();
    char a[64];
    struct logged said = {fx, "epoch 6 cannot be stored", 1};
    fake_rm_set_epoch(fx->rm, 5);
    fx_start(fx, 0);
    CU_ASSERT_TRUE(fake_rm_wait_heartbeats(fx->rm, 0, 1, FX_WAIT_MS)); /* so the epoch is kept */
    char *state = base_printf("%s/state.json", fx->local[0]);
    CU_ASSERT_EQUAL(unlink(state), 0);
    CU_ASSERT_EQUAL(mkdir(state, 0700), 0); /* no file can take its place */
    fake_rm_set_epoch(fx->rm, 6);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), "exit 8");
    CU_ASSERT_TRUE(fx_until(is_logged, &said));
    CU_ASSERT_FALSE(fx_exists("%s/apps/%s/%s", fx->local[0], fx_app(), a));
    CU_ASSERT_EQUAL(refused(fx, "epochSeen"), 5);
    CU_ASSERT_EQUAL(rmdir(state), 0);
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), 8);
    char *text = fx_file("%s", state);
    CU_ASSERT_PTR_NOT_NULL(strstr(text ? text : "", "\"epoch\":6"));
    free(text);
    free(state);
    fx_free(fx);
}

/* Goal: an active RM that hangs with its connections open is left for the others. */
static void test_mute(void)
{
    struct two t = two_new(true);
    char a[64];
    fake_rm_stand_by(t.other, t.url);
    fx_start(t.fx, 0);
    fake_rm_set_mute(t.fx->rm, true);
    CU_ASSERT_TRUE(fake_rm_wait_parked(t.other, 1, FX_WAIT_MS));
    first_dies(&t);
    fake_rm_set_epoch(t.fx->rm, 2);
    fake_rm_lead(t.fx->rm);
    CU_ASSERT_TRUE(fake_rm_wait_nodes(t.fx->rm, 1, FX_WAIT_MS));
    fake_rm_launch(t.fx->rm, 0, fx_ct(1, a), "exit 3");
    CU_ASSERT_EQUAL(fx_exit_code(t.fx, a), 3);
    two_free(&t);
}

/* Returns true when the other side has closed the connection. Discards what it has sent. */
static bool is_closed(int fd)
{
    char buf[4096];
    ssize_t n;
    while ((n = recv(fd, buf, sizeof buf, MSG_DONTWAIT)) > 0)
        ;
    return n == 0;
}

/* Goal: when another RM leads, a node does not wait for the answer to a request that is never
 * answered. Method: the first RM is a socket that takes connections and what is sent, and never
 * answers or closes, as a stopped process does; the node's request is its only one until the node
 * has registered at the other. */
static void test_never_answers(void)
{
    struct fx *fx = fx_new();
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;
    int mute = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), fd;
    char a[64];
    CU_ASSERT_EQUAL_FATAL(bind(mute, (struct sockaddr *)&at, sizeof at), 0);
    CU_ASSERT_EQUAL_FATAL(listen(mute, 8), 0);
    CU_ASSERT_EQUAL_FATAL(getsockname(mute, (struct sockaddr *)&at, &len), 0);
    char *first = base_printf("http://127.0.0.1:%d", ntohs(at.sin_port)), *second = url_of(fx->rm);
    char *list = base_printf("creel.nodemanager.rm=%s,%s", first, second);
    char *line = base_printf("%s does not answer, and %s leads now", first, second);
    struct logged said = {fx, line, 1};
    fx->conf[0][0] = list;
    fake_rm_stand_by(fx->rm, first);
    fx_spawn(fx, 0);
    fd = accept4(mute, NULL, NULL, SOCK_CLOEXEC);
    /* a standby changes nothing: it goes on waiting */
    CU_ASSERT_TRUE(fake_rm_wait_looks(fx->rm, 2, FX_WAIT_MS));
    CU_ASSERT_FALSE(is_closed(fd));
    fake_rm_lead(fx->rm);
    CU_ASSERT_TRUE(fake_rm_wait_nodes(fx->rm, 1, FX_WAIT_MS));
    char *failed = fake_rm_last_failed(fx->rm);
    CU_ASSERT_STRING_EQUAL(failed, first);
    CU_ASSERT_TRUE(fx_until(is_logged, &said));
    CU_ASSERT_TRUE(is_closed(fd)); /* not before: the node has gone from it straight to the other */
    CU_ASSERT_EQUAL(poll(&(struct pollfd){.fd = mute, .events = POLLIN}, 1, 0), 0);
    fake_rm_launch(fx->rm, 0, fx_ct(1, a), "exit 3");
    CU_ASSERT_EQUAL(fx_exit_code(fx, a), 3);
    close(fd);
    close(mute);
    fx_free(fx);
    free(line);
    free(failed);
    free(first);
    free(second);
    free(list);
}

/* Goal: the same with a heartbeat that is held; and another RM that leads under an epoch no higher
 * than that of the holding RM is no reason to leave. */
static void test_held_too_long(void)
{
    struct two t = two_new(true);
    char a[64], b[64];
    char *said = base_printf("%s does not answer, and %s leads now", t.url, t.other_url);
    struct logged logged = {t.fx, said, 1};
    fake_rm_set_epoch(t.fx->rm, 5);
    fake_rm_set_epoch(t.other, 5);
    fx_start(t.fx, 0);
    fake_rm_launch(t.fx->rm, 0, fx_ct(1, a), "exec sleep 1000");
    CU_ASSERT_TRUE(is_in(t.fx, a, "running"));
    fake_rm_set_mute(t.fx->rm, true);
    CU_ASSERT_TRUE(fake_rm_wait_looks(t.other, 1, FX_WAIT_MS));
    fake_rm_set_epoch(t.other, 6);
    CU_ASSERT_TRUE(fake_rm_wait_nodes(t.other, 1, FX_WAIT_MS));
    CU_ASSERT_TRUE(fx_until(is_logged, &logged));
    CU_ASSERT_TRUE(fake_rm_wait_looks(t.other, 2, 0)); /* the first look led nowhere */
    first_dies(&t);
    CU_ASSERT_TRUE(is_in(t.fx, a, "running"));
    fake_rm_launch(t.fx->rm, 0, fx_ct(2, b), "exit 3");
    CU_ASSERT_EQUAL(fx_exit_code(t.fx, b), 3);
    CU_ASSERT_EQUAL(refused(t.fx, "epochSeen"), 6);
    char *log = fx_file("%s/nm0.log", t.fx->dir);
    CU_ASSERT_EQUAL(times(log, "leads now"), 1);
    free(log);
    free(said);
    two_free(&t);
}

int main(int argc, char **argv)
{
    fx_programs(argc, argv);
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 1;
    CU_pSuite s = CU_add_suite("a NodeManager and several ResourceManagers", NULL, NULL);
    CU_add_test(s, "a dead one first", test_dead_first);
    CU_add_test(s, "waits at a standby until it leads", test_parked);
    CU_add_test(s, "restarted meanwhile", test_restarted_meanwhile);
    CU_add_test(s, "sent on late", test_sent_on_late);
    CU_add_test(s, "sent out of the list", test_sent_out_of_the_list);
    CU_add_test(s, "an epoch that is none", test_epoch_too_high);
    CU_add_test(s, "two leaders in turns", test_two_leaders);
    CU_add_test(s, "an epoch that cannot be saved", test_epoch_not_saved);
    CU_add_test(s, "one that hangs", test_mute);
    CU_add_test(s, "one that never answers", test_never_answers);
    CU_add_test(s, "a heartbeat held too long", test_held_too_long);
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failures ? 1 : 0;
}
