/* Goal: nodes that come to a standby wait there until it leads, or are sent to the RM that leads,
 * but never to one that they have just failed to reach; tasks are told to repeat their requests.
 * Method: two daemons of one process over one store in memory, behind real servers; the test
 * decides which one leads. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/version.h"
#include "rm/daemon/daemon.h"
#include "rm/leader/role.h"
#include "tests/unit/api_client.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/rms_of_test.h"
#include "tests/unit/stores.h"

#define TRACKER "/ws/v1/nodetracker/"
#define TOKEN   "Authorization: Bearer 0\r\n" /* of any application: a standby knows none */
#define NODES   200

static const struct rm_role_source no_sources[2]; /* no lease that could be over */

static void connected_text(void *user, char out[256])
{
    (void)user;
    strcpy(out, "connected to z1:2181");
}

static const struct rm_role_source connected[2] = {{.zk_text = connected_text},
                                                   {.zk_text = connected_text}};

static void lead(int i)
{
    struct ha_store *store;
    int64_t epoch;

    store = memory_open("tracker", &epoch);
    rms_lead(i, store, epoch);
}

/* ---- asking ---- */
static char *registration(int node)
{
    return base_printf("{\"nodeId\":\"h%d:1\",\"httpAddress\":\"h%d:1\",\"instance\":\"i\","
                       "\"bootId\":\"b\",\"version\":\"" CREEL_VERSION "\","
                       "\"mapSlots\":1,\"reduceSlots\":1}",
                       node, node);
}

/* Sends a request to RM @i and returns the connection, on which the answer may come later. @failed:
 * the value of X-Creel-Failed or NULL. */
static int ask(int i, const char *what, const char *failed, const char *body)
{
    int fd = client_connect(rms[i].port);
    char *header = failed ? base_printf("X-Creel-Failed: %s\r\n", failed) : base_strdup("");
    char *text = base_printf("POST " TRACKER "%s HTTP/1.1\r\nHost: localhost\r\n" TOKEN
                             "%sContent-Type: application/json\r\n"
                             "Content-Length: %zu\r\n\r\n%s",
                             what, header, strlen(body), body);

    client_sends(fd, text);
    free(text);
    free(header);
    return fd;
}

static int ask_register(int i, int node, const char *failed)
{
    char *body = registration(node);
    int fd = ask(i, "register", failed, body);

    free(body);
    return fd;
}

/* Gives the server time to handle the requests sent before: it has answered others since. */
static void others_served(int i)
{
    for (int k = 0; k < 20; k++) {
        struct client_answer a;

        client_do(rms[i].port, "GET", "/isActive", NULL, NULL, &a);
        client_free(&a);
    }
}

static void gets(int fd, int status, const char *header, const char *body)
{
    struct client_answer a = {0};

    CU_ASSERT_TRUE(client_read(fd, false, &a));
    CU_ASSERT_EQUAL(a.status, status);
    if (header)
        CU_ASSERT_TRUE(client_has(&a, header));
    if (body)
        CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data ? a.body.data : "", body));
    client_free(&a);
    close(fd);
}

static void gets_sent_on(int fd, int to, const char *what)
{
    char *location = base_printf("Location: %s" TRACKER "%s", rms[to].url, what);

    gets(fd, 307, location, "This is standby RM");
    free(location);
}

/* Registers @node at the leader @i and sends a heartbeat that the leader holds; returns the
 * connection. */
static int held(int i, int node)
{
    char *beat = base_printf(
        "{\"nodeId\":\"h%d:1\",\"instance\":\"i\",\"responseId\":0,\"holdMs\":60000}", node);
    int fd;

    gets(ask_register(i, node, NULL), 200, NULL, "\"orders\":[");
    fd = ask(i, "heartbeat", NULL, beat);
    free(beat);
    return fd;
}

static bool answered(int fd)
{
    return poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 0) != 0;
}

/* Ends the leadership of RM @i in good order; after that no RM is active. */
static void retire(int i)
{
    CU_ASSERT_EQUAL(rm_daemon_finish_leadership(rms[i].b, "told to", NULL), 0);
    rm_role_set_active_url(rms[1 - i].b, "");
}

/* ---- cases ---- */
static void test_sent_on(void)
{
    char list[256];

    rms_start(no_sources);
    lead(0);
    gets(ask_register(0, 1, NULL), 200, NULL, "\"epoch\":0,");
    gets_sent_on(ask_register(1, 1, NULL), 0, "register");
    /* the node could not reach a third RM */
    gets_sent_on(ask(1, "heartbeat", "http://127.0.0.1:1", "nonsense"), 0, "heartbeat");
    snprintf(list, sizeof list, "http://127.0.0.1:1, %s/", rms[0].url);
    /* a malformed body is refused, and does not wait */
    gets(ask(1, "register", list, "{}"), 400, NULL, "nodeId");
    rms_stop();
}

/* Goal: a node of another major version is refused with a text that names both versions, and one
 * that gives no version with a text that names the member; the answer to a registration has the
 * ResourceManager's version. */
static void test_versions(void)
{
    static const char other[] =
        "{\"nodeId\":\"h1:1\",\"httpAddress\":\"h1:1\",\"instance\":\"i\",\"bootId\":\"b\","
        "\"version\":\"9999.1.2\",\"mapSlots\":1,\"reduceSlots\":1}";
    static const char none[] =
        "{\"nodeId\":\"h1:1\",\"httpAddress\":\"h1:1\",\"instance\":\"i\",\"bootId\":\"b\","
        "\"mapSlots\":1,\"reduceSlots\":1}";

    rms_start(no_sources);
    lead(0);
    gets(ask(0, "register", NULL, other), 400, NULL, "NodeManager has version 9999.1.2");
    gets(ask(0, "register", NULL, other), 400, NULL, "ResourceManager has version " CREEL_VERSION);
    gets(ask(0, "register", NULL, none), 400, NULL, "version: is required");
    gets(ask_register(0, 1, NULL), 200, NULL, "\"version\":\"" CREEL_VERSION "\"");
    rms_stop();
}

/* Goal: a waiting node is answered by this RM once it leads, or sent to the RM that leads once that
 * is known. */
static void test_parked(void)
{
    char *beat =
        base_strdup("{\"nodeId\":\"h1:1\",\"instance\":\"i\",\"responseId\":0,\"holdMs\":0}");
    int fd, other;

    rms_start(no_sources);
    fd = ask_register(1, 1, NULL); /* nobody leads yet */
    others_served(1);
    lead(1);
    gets(fd, 200, NULL, "\"epoch\":0,");
    fd = ask(0, "heartbeat", rms[1].url, beat);
    others_served(0);
    rms_end(1);
    lead(0); /* this RM knows the node only from the store */
    gets(fd, 200, NULL, "{\"epoch\":1,\"responseId\":0,\"orders\":[{\"type\":\"resync\"}]}");
    fd = ask_register(1, 1, rms[0].url);
    other = ask_register(1, 2, NULL);
    gets_sent_on(other, 0, "register");
    rms_end(0);
    other = ask_register(1, 3, NULL);
    others_served(1);
    lead(0); /* elected again after the first node could not reach it */
    gets_sent_on(other, 0, "register");
    gets_sent_on(fd, 0, "register");
    free(beat);
    rms_stop();
}

/* Goal: a node is never sent to an RM that it could not reach, not even when it waits in vain. */
static void test_active_in_doubt(void)
{
    rms_start(no_sources);
    lead(0);
    gets(ask_register(1, 1, rms[0].url), 503, "Retry-After: 1", "or none that can be reached");
    rms_stop();
}

/* Goal: a whole cluster waits on a standby, and is served when it leads. */
static void test_many_parked(void)
{
    int fds[NODES];

    rms_start(no_sources);
    lead(0);
    for (int i = 0; i < NODES; i++)
        fds[i] = ask_register(1, i, rms[0].url);
    others_served(1);
    rms_end(0);
    lead(1);
    for (int i = 0; i < NODES; i++)
        gets(fds[i], 200, NULL, "\"epoch\":1,");
    rms_stop();
}

/* Goal: heartbeats that a leader holds stay held when it stops leading, until the next leader is
 * known, which may be the same RM. */
static void test_left_behind(void)
{
    int fds[NODES], fd;

    rms_start(connected);
    lead(0);
    for (int i = 0; i < NODES; i++)
        fds[i] = held(0, i);
    others_served(0);
    retire(0);
    others_served(0);
    for (int i = 0; i < NODES; i++)
        CU_ASSERT_FALSE(answered(fds[i]));
    lead(1);
    for (int i = 0; i < NODES; i++)
        gets_sent_on(fds[i], 1, "heartbeat");
    fd = held(1, 1);
    others_served(1);
    retire(1);
    others_served(1);
    CU_ASSERT_FALSE(answered(fd));
    lead(1);
    gets(fd, 200, NULL, "{\"epoch\":2,\"responseId\":0,\"orders\":[{\"type\":\"resync\"}]}");
    fd = held(1, 1);
    others_served(1);
    retire(1);
    gets(fd, 503, "Retry-After: 1", "StandbyException"); /* no next leader becomes known */
    rms_stop();
}

/* Goal: no node waits at an RM that would not learn of the next leader, since it has no connection
 * to ZooKeeper, nor at one that ends. */
static void test_left_behind_in_vain(void)
{
    int fd;

    rms_start(no_sources);
    lead(0);
    fd = held(0, 1);
    others_served(0);
    retire(0);
    gets(fd, 503, "Retry-After: 1", RM_NOT_ACTIVE_TEXT);
    rms_stop();
    rms_start(connected);
    lead(0);
    fd = held(0, 1);
    others_served(0);
    retire(0);
    others_served(0);
    CU_ASSERT_FALSE(answered(fd));
    rms_stop();
    gets(fd, 503, NULL, "StandbyException");
}

/* Goal: waiting nodes are answered when the daemon ends. */
static void test_stopped(void)
{
    int fds[3];

    rms_start(no_sources);
    lead(0);
    for (int i = 0; i < 3; i++)
        fds[i] = ask_register(1, i, rms[0].url);
    others_served(1);
    rms_stop();
    for (int i = 0; i < 3; i++) {
        struct client_answer a = {0};

        CU_ASSERT_TRUE(client_read(fds[i], false, &a));
        CU_ASSERT_EQUAL(a.status, 503);
        client_free(&a);
        close(fds[i]);
    }
}

/* Goal: other requests do not wait: they are sent on with 307 where an RM leads, else answered 503,
 * to be repeated. */
static void test_others(void)
{
    static const char *const what[] = {"wake", "unregister", "commit",
                                       "apps/application_1_0001/fetch-failure"};

    rms_start(no_sources);
    for (size_t i = 0; i < sizeof what / sizeof *what; i++)
        gets(ask(0, what[i], NULL, "{}"), 503, "Retry-After: 1", "StandbyException");
    lead(1);
    for (size_t i = 0; i < sizeof what / sizeof *what; i++)
        gets_sent_on(ask(0, what[i], NULL, "{}"), 1, what[i]);
    struct client_answer a;
    const char *outputs = TRACKER "apps/application_1_0001/mapoutputs?since=5&hold-ms=7";
    char *location = base_printf("Location: %s%s", rms[1].url, outputs);
    client_do(rms[0].port, "GET", outputs, TOKEN, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 307);
    CU_ASSERT_TRUE(client_has(&a, location));
    client_free(&a);
    free(location);
    rms_stop();
}

static const struct cunit_case cases[] = {
    {"sent on", test_sent_on},
    {"versions", test_versions},
    {"parked", test_parked},
    {"many parked", test_many_parked},
    {"stopped", test_stopped},
    {"others", test_others},
    {"active in doubt", test_active_in_doubt},
    {"left behind", test_left_behind},
    {"left behind in vain", test_left_behind_in_vain},
};
CUNIT_MAIN("nodes and tasks at a standby", cases)
