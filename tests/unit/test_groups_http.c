/* Goal: while the name service is slow with the groups of a caller, nodes are served by the same
 * thread; the caller then gets the answer that the groups decide. Method: a daemon of this process
 * behind a server with one thread, whose source of groups waits until the test lets it answer. If
 * the request did not wait for the groups outside of that thread, the heartbeat would never be
 * answered. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "base/acl/groups.h"
#include "rm/daemon/daemon_internal.h"
#include "tests/unit/api_client.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/rms_of_test.h"
#include "tests/unit/stores.h"

#define JSON "Content-Type: application/json\r\n"

static const struct rm_role_source no_sources[2];
static sem_t asked, may_answer;

static void answer_slowly(const char *user, struct base_group_names *out)
{
    base_group_names_clear(out);
    sem_post(&asked);
    while (sem_wait(&may_answer) != 0)
        ;
    if (strcmp(user, "alice") != 0)
        return;
    out->v = base_realloc_array(NULL, 1, sizeof *out->v);
    out->v[out->n++] = base_strdup("admins");
}

static int get_status(const char *method, const char *path, const char *body)
{
    struct client_answer a;
    int status;

    client_do(rms[0].port, method, path, body ? JSON : NULL, body, &a);
    status = a.status;
    client_free(&a);
    return status;
}

/* Asks the active RM, as @user, to become active: 409 for an administrator, 403 for anybody
 * else. */
static int claim_leadership_as(const char *user)
{
    char *path = base_printf("/ws/v1/cluster/ha?user.name=%s", user);
    int status = get_status("POST", path, "{\"state\":\"active\"}");

    free(path);
    return status;
}

static void *run_administrator(void *status)
{
    *(int *)status = claim_leadership_as("alice");
    return NULL;
}

static void start(void)
{
    const struct base_groups_conf conf = {
        .known_us = 300000000, .unknown_us = 300000000, .query = answer_slowly};
    struct ha_store *store;
    int64_t epoch;

    sem_init(&asked, 0, 0);
    sem_init(&may_answer, 0, 0);
    rms_set("yarn.admin.acl=nobody admins");
    rms_start(no_sources);
    store = memory_open("groups", &epoch);
    rms_lead(0, store, epoch);
    base_groups_free(rms[0].b->groups);
    rms[0].b->groups = base_groups_new(&conf);
}

static void test_slow_name_service(void)
{
    pthread_t thread;
    int status = 0;

    start();
    CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, run_administrator, &status), 0);
    while (sem_wait(&asked) != 0)
        ;
    CU_ASSERT_EQUAL(get_status("POST", "/ws/v1/nodetracker/heartbeat", "{}"), 400);
    CU_ASSERT_EQUAL(status, 0);
    sem_post(&may_answer);
    pthread_join(thread, NULL);
    CU_ASSERT_EQUAL(status, 409);
    CU_ASSERT_EQUAL(claim_leadership_as("alice"), 409); /* the groups are remembered */
    sem_post(&may_answer);
    CU_ASSERT_EQUAL(claim_leadership_as("bob"), 403);
    sem_post(&may_answer);
    CU_ASSERT_EQUAL(claim_leadership_as("nobody"), 409);
    rms_stop();
}

static void *ask_about_alice(void *status)
{
    *(int *)status =
        get_status("GET", "/ws/v1/cluster/queues/root/access?user.name=eve&user=alice", NULL);
    return NULL;
}

/* A request about another user's rights waits for the groups of that user in the same way. */
static void test_of_another_user(void)
{
    pthread_t thread;
    int status = 0;

    start();
    CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, ask_about_alice, &status), 0);
    while (sem_wait(&asked) != 0) /* eve's groups are asked for */
        ;
    sem_post(&may_answer);
    while (sem_wait(&asked) != 0) /* alice's groups are asked for */
        ;
    CU_ASSERT_EQUAL(get_status("POST", "/ws/v1/nodetracker/heartbeat", "{}"), 400);
    sem_post(&may_answer);
    pthread_join(thread, NULL);
    CU_ASSERT_EQUAL(status, 200);
    rms_stop();
}

/* The groups become known while the server begins to stop: the request is answered all the same, by
 * its handler or by the stop. */
static void test_stop_meanwhile(void)
{
    pthread_t thread;
    int status = 0;

    start();
    CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, run_administrator, &status), 0);
    while (sem_wait(&asked) != 0)
        ;
    sem_post(&may_answer);
    rms_stop();
    pthread_join(thread, NULL);
    CU_ASSERT_TRUE(status == 409 || status == 503 || status == 307);
}

static const struct cunit_case cases[] = {{"a slow name service", test_slow_name_service},
                                          {"groups of another user", test_of_another_user},
                                          {"the end meanwhile", test_stop_meanwhile}};
CUNIT_MAIN("groups over HTTP", cases)
