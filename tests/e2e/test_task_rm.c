/* tests/e2e/test_task_rm.c - how a task finds the active one of several ResourceManagers, and waits
 * for it. */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crypto/container_token.h"
#include "base/io/json.h"
#include "nodemanager/task/rm_client.h"
#include "tests/e2e/fake_mr.h"
#include "tests/unit/cunit_main.h"

#define COMMIT "/ws/v1/nodetracker/commit"
#define TASK   "{\"app\":\"application_1_0007\",\"task\":\"task_1_0007_r_000000\","
#define BODY0  TASK "\"taskAttempt\":0}"
#define BODY1  TASK "\"taskAttempt\":1}"

enum { RMS = 2, TIMEOUT_MS = 30000, WAIT_MS = 30000 };

struct world {
    struct fake_mr *mr[RMS];
    char url[RMS][64];
    struct task task;
    struct task_rm *rm;
};

/* Makes a task that knows a dead RM, and then the fake RMs in their order. */
static void world_new(struct world *w)
{
    struct base_key key;

    memset(w, 0, sizeof *w);
    for (int i = 0; i < RMS; i++) {
        w->mr[i] = fake_mr_start("/nowhere", 1);
        snprintf(w->url[i], sizeof w->url[i], "http://127.0.0.1:%d", fake_mr_port(w->mr[i]));
    }
    w->task.spec.rm = base_printf("http://127.0.0.1:1,%s, %s/", w->url[0], w->url[1]);
    base_assert(base_container_token_parse_key(FAKE_MR_TOKEN, &key));
    w->task.spec.keys = base_keyring_new_of_key(&key);
    w->rm = task_rm_new(&w->task);
}

static void world_free(struct world *w)
{
    task_rm_free(w->rm);
    for (int i = 0; i < RMS; i++)
        fake_mr_stop(w->mr[i]);
    free(w->task.spec.rm);
    base_keyring_unref(w->task.spec.keys);
}

/* Returns 1 when the commit is granted, 0 when it is not, negative when no RM answers. */
static int commit(struct world *w, const char *body, bool patiently)
{
    struct base_http_answer a = {0};
    struct base_error err = {0};
    json_t *j = NULL;
    int rc = patiently ? task_rm_call_patiently(w->rm, COMMIT, body, TIMEOUT_MS, &a, &err)
                       : task_rm_call_until_active(w->rm, COMMIT, body, TIMEOUT_MS, &a, &err);

    if (rc == 0)
        rc = base_json_parse(a.body.data, a.body.len, &j, &err);
    if (rc == 0)
        rc = json_is_true(json_object_get(j, "commit"));
    json_decref(j);
    base_http_answer_free(&a);
    return rc;
}

/* Goal: dead RMs and standbys are passed over in one call, and not asked again by the next. */
static void test_found(void)
{
    struct world w;

    world_new(&w);
    fake_mr_stand_by(w.mr[0], w.url[1]);
    CU_ASSERT_EQUAL(commit(&w, BODY0, false), 1);
    CU_ASSERT_EQUAL(commit(&w, BODY0, false), 1); /* the same attempt again */
    CU_ASSERT_EQUAL(commit(&w, BODY1, false), 0);
    CU_ASSERT_EQUAL(fake_mr_asked(w.mr[0]), 1);
    CU_ASSERT_EQUAL(fake_mr_asked(w.mr[1]), 3);
    fake_mr_stand_by(w.mr[1], w.url[0]); /* the roles change */
    fake_mr_stand_by(w.mr[0], NULL);
    CU_ASSERT_EQUAL(commit(&w, BODY0, false), 1);
    CU_ASSERT_EQUAL(fake_mr_asked(w.mr[0]), 2);
    world_free(&w);
}

/* Goal: standbys that know nobody, or point at each other, end a call after a few requests; it can
 * be made again. */
static void test_nobody(void)
{
    struct world w;

    world_new(&w);
    fake_mr_stand_by(w.mr[0], "");
    fake_mr_stand_by(w.mr[1], "");
    CU_ASSERT(commit(&w, BODY0, false) < 0);
    CU_ASSERT_EQUAL(fake_mr_asked(w.mr[0]) + fake_mr_asked(w.mr[1]), 2);
    fake_mr_stand_by(w.mr[0], w.url[1]);
    fake_mr_stand_by(w.mr[1], w.url[0]);
    CU_ASSERT(commit(&w, BODY0, false) < 0);
    CU_ASSERT(fake_mr_asked(w.mr[0]) + fake_mr_asked(w.mr[1]) < 15);
    fake_mr_stand_by(w.mr[1], NULL);
    CU_ASSERT_EQUAL(commit(&w, BODY0, false), 1);
    world_free(&w);
}

static void *commit_patiently(void *u)
{
    return (void *)(intptr_t)commit(u, BODY0, true);
}

/* Goal: a commit waits through a failover, and then succeeds. */
static void test_patience(void)
{
    struct world w;
    pthread_t t;
    void *granted = NULL;

    world_new(&w);
    fake_mr_stand_by(w.mr[0], "");
    fake_mr_set_away(w.mr[1], true);
    CU_ASSERT_EQUAL_FATAL(pthread_create(&t, NULL, commit_patiently, &w), 0);
    for (int i = 0; i < WAIT_MS / 5 && fake_mr_asked(w.mr[1]) < 4; i++)
        poll(NULL, 0, 5);
    CU_ASSERT(fake_mr_asked(w.mr[1]) >= 4);
    fake_mr_stand_by(w.mr[0], NULL);
    pthread_join(t, &granted);
    CU_ASSERT_EQUAL((intptr_t)granted, 1);
    world_free(&w);
}

/* Goal: a list that names no RM is an error, and no request is sent. */
static void test_no_list(void)
{
    struct task t = {.spec.rm = "http://a b:c"};
    struct task_rm *rm = task_rm_new(&t);
    struct base_error err = {0};

    CU_ASSERT_EQUAL(task_rm_call_until_active(rm, COMMIT, BODY0, TIMEOUT_MS, NULL, &err),
                    -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "the ResourceManagers: \"b:c\""));
    task_rm_free(rm);
}

static void test_pauses(void)
{
    int64_t wait = TASK_RM_RETRY_FIRST_MS;

    for (int i = 0; i < 20; i++) {
        int64_t nominal = wait, pause = task_rm_next_pause_ms(&wait);

        CU_ASSERT(pause <= nominal && pause >= nominal / 2);
        CU_ASSERT(wait == nominal * 2 || wait == TASK_RM_RETRY_MAX_MS);
    }
    CU_ASSERT_EQUAL(wait, TASK_RM_RETRY_MAX_MS);
}

static const struct cunit_case cases[] = {
    {"found", test_found},     {"nobody leads", test_nobody}, {"patience", test_patience},
    {"no list", test_no_list}, {"pauses", test_pauses},
};
CUNIT_MAIN("a task and several ResourceManagers", cases)
