/* Goal: an ApplicationMaster's whole life over HTTP, with what nodes are told meanwhile, and each
 * mistake in a body answered with 400 and the member that is wrong.
 * Method: a daemon of this process over a store in memory; the test plays the client, a node and
 * the master. */
#include "base/clock.h"
#include "base/crypto/container_token.h"
#include "tests/unit/master_over_http.h"

static char *running(void)
{
    return base_printf("{\"id\":\"%s\",\"state\":\"running\"}", master_container);
}

static void test_life(void)
{
    char *reports, first[64];
    json_t *j, *answer, *o;

    begin();
    reports = running();
    beat(reports, &answer);
    json_decref(answer);
    j = master("register", "{\"host\":\"h1\",\"rpcPort\":77,\"trackingUrl\":\"http://t/\"}", 200);
    CU_ASSERT_EQUAL(number(json_object_get(j, "maximumCapability"), "memory"), 4 * 2048);
    CU_ASSERT_EQUAL(number(json_object_get(j, "maximumCapability"), "vCores"), 4);
    CU_ASSERT_EQUAL(json_array_size(json_object_get(j, "containersFromPreviousAttempts")), 0);
    CU_ASSERT(json_is_array(json_object_get(j, "containersFromPreviousAttempts")));
    CU_ASSERT_STRING_NOT_EQUAL(str(j, "queue"), "(none)");
    json_decref(j);
    j = master(
        "allocate",
        "{\"responseId\":0,\"progress\":0.5,\"ask\":[{\"priority\":3,\"allocationRequestId\":7,"
        "\"capability\":{\"memory\":512,\"vCores\":1},\"numContainers\":2,\"launch\":{\"commands\":"
        "{\"command\":\"w\"}}}]}",
        200);
    CU_ASSERT_EQUAL(number(j, "responseId"), 1);
    CU_ASSERT_EQUAL(number(j, "numClusterNodes"), 1);
    CU_ASSERT_EQUAL(json_array_size(json_object_get(j, "allocated")), 0);
    CU_ASSERT(number(json_object_get(j, "availableResources"), "map-slots") >= 1);
    json_decref(j);
    o = order_of(beat(reports, &answer), "launch");
    CU_ASSERT_PTR_NOT_NULL_FATAL(o);
    snprintf(first, sizeof first, "%s", str(o, "container"));
    CU_ASSERT_STRING_EQUAL(str(o, "kind"), "command");
    CU_ASSERT_EQUAL(number(o, "allocationRequestId"), 7);
    CU_ASSERT_EQUAL(number(o, "priority"), 3);
    json_decref(answer);
    j = master("allocate", "{\"responseId\":1}", 200);
    CU_ASSERT_EQUAL(number(j, "responseId"), 2);
    CU_ASSERT_EQUAL_FATAL(json_array_size(json_object_get(j, "allocated")), 2);
    o = json_array_get(json_object_get(j, "allocated"), 0);
    CU_ASSERT_STRING_EQUAL(str(o, "id"), first);
    CU_ASSERT_STRING_EQUAL(str(o, "nodeId"), "h1:1");
    CU_ASSERT_STRING_EQUAL(str(o, "nodeHttpAddress"), "h1:9");
    CU_ASSERT_EQUAL(number(o, "priority"), 3);
    CU_ASSERT_EQUAL(number(o, "allocationRequestId"), 7);
    CU_ASSERT_EQUAL(number(json_object_get(o, "capability"), "memory"), 512);
    json_decref(j);
    j = master("allocate", "{\"responseId\":1}", 200); /* the answer was lost: the same once more */
    CU_ASSERT_EQUAL(number(j, "responseId"), 2);
    CU_ASSERT_EQUAL(json_array_size(json_object_get(j, "allocated")), 2);
    json_decref(j);
    free(reports);
    reports = base_printf("{\"id\":\"%s\",\"state\":\"running\"},{\"id\":\"%s\",\"state\":"
                          "\"complete\",\"exitCode\":3,"
                          "\"diagnostics\":\"said no\"}",
                          master_container, first);
    beat(reports, &answer);
    json_decref(answer);
    free(reports);
    j = master("allocate", "{\"responseId\":2}", 200);
    CU_ASSERT_EQUAL_FATAL(json_array_size(json_object_get(j, "completed")), 1);
    o = json_array_get(json_object_get(j, "completed"), 0);
    CU_ASSERT_STRING_EQUAL(str(o, "id"), first);
    CU_ASSERT_EQUAL(number(o, "exitStatus"), 3);
    CU_ASSERT_STRING_EQUAL(str(o, "diagnostics"), "said no");
    json_decref(j);
    j = master("finish", "{\"finalStatus\":\"SUCCEEDED\",\"diagnostics\":\"done\"}", 200);
    CU_ASSERT(json_is_true(json_object_get(j, "isUnregistered")));
    json_decref(j);
    end();
}

/* Nothing is taken of a body with a mistake; the answer names the mistake. */
static void test_mistakes(void)
{
    static const struct {
        const char *what, *body, *named;
    } bad[] = {
        {"register", "{\"host\":5}", "host"},
        {"register", "{\"rpcPort\":65536}", "rpcPort"},
        {"register", "{\"rpcPort\":-2}", "rpcPort"},
        {"register", "{\"trackingUrl\":[]}", "trackingUrl"},
        {"register", "{\"hots\":\"h\"}", "hots"},
        {"register", "[]", "object"},
        {"allocate", "{}", "responseId"},
        {"allocate", "{\"responseId\":-1}", "responseId"},
        {"allocate", "{\"responseId\":0,\"progress\":1.5}", "progress"},
        {"allocate", "{\"responseId\":0,\"asks\":[]}", "asks"},
        {"allocate", "{\"responseId\":0,\"ask\":{}}", "ask"},
        {"allocate", "{\"responseId\":0,\"release\":7}", "release"},
        {"allocate", "{\"responseId\":0,\"release\":[\"nothing\"]}", "release[0]"},
        {"allocate", "{\"responseId\":0,\"release\":[1]}", "release[0]"},
        {"allocate", "{\"responseId\":0,\"ask\":[{\"priority\":\"x\"}]}", "ask[0].priority"},
        {"allocate", "{\"responseId\":0,\"ask\":[{},{\"numContainers\":-1}]}",
         "ask[1].numContainers"},
        {"allocate", "{\"responseId\":0,\"ask\":[{\"allocationRequestId\":-2}]}",
         "ask[0].allocationRequestId"},
        {"allocate", "{\"responseId\":0,\"ask\":[{\"resourceName\":1}]}", "ask[0].resourceName"},
        {"allocate", "{\"responseId\":0,\"ask\":[{\"relaxLocality\":1}]}", "ask[0].relaxLocality"},
        {"allocate", "{\"responseId\":0,\"ask\":[{\"capability\":{\"memory\":-1}}]}",
         "ask[0].capability.memory"},
        {"allocate", "{\"responseId\":0,\"ask\":[{\"capability\":{\"gpus\":1}}]}",
         "ask[0].capability.gpus"},
        {"allocate", "{\"responseId\":0,\"ask\":[{\"unknown\":1}]}", "ask[0].unknown"},
        {"allocate",
         "{\"responseId\":0,\"ask\":[{\"launch\":{\"environment\":{\"entry\":"
         "[{\"key\":\"A=B\",\"value\":\"x\"}]}}}]}",
         "ask[0].launch"},
        {"finish", "{}", "finalStatus"},
        {"finish", "{\"finalStatus\":\"GOOD\"}", "SUCCEEDED, FAILED, KILLED or ENDED"},
        {"finish", "{\"finalStatus\":\"FAILED\",\"diagnostics\":1}", "diagnostics"},
        {"finish", "{\"finalStatus\":\"FAILED\",\"trackingUrl\":1}", "trackingUrl"},
    };
    char *reports;
    json_t *j, *answer;

    begin();
    reports = running();
    beat(reports, &answer);
    json_decref(answer);
    free(reports);
    json_decref(master("register", "{}", 200));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *text;

        j = master(bad[i].what, bad[i].body, 400);
        text = str(json_object_get(j, "RemoteException"), "message");
        if (!strstr(text, bad[i].named))
            printf("\n    %s: \"%s\" does not name %s\n", bad[i].body, text, bad[i].named);
        CU_ASSERT_PTR_NOT_NULL(strstr(text, bad[i].named));
        json_decref(j);
    }
    j = master("allocate", "{\"responseId\":0}", 200); /* none of the bad requests has counted */
    CU_ASSERT_EQUAL(number(j, "responseId"), 1);
    json_decref(j);
    bearer[0] = bearer[0] == 'a' ? 'b' : 'a';
    json_decref(master("allocate", "{\"responseId\":1}", 403));
    snprintf(app, sizeof app, "application_1_0001");
    json_decref(master("register", "{}", 404));
    bearer[0] = '\0';
    json_decref(master("finish", "{\"finalStatus\":\"FAILED\"}", 401));
    end();
}

/* ---------------------------------------------------------------- tokens of masters */
/* A token of the container @id under @secret, which expires @life_ms from now. */
static void set_bearer(const char *secret, const char *id, int64_t life_ms)
{
    struct base_container_id container;

    CU_ASSERT_EQUAL_FATAL(base_container_id_parse(id, &container, NULL), 0);
    base_container_token_make(secret, &container, base_wall_us(&base_clock_real) / 1000 + life_ms,
                              bearer);
}

static void allocates(int status)
{
    json_decref(master("allocate", "{\"responseId\":0}", status));
}

/* The master's token is that of its container: only this one, under the application's secret, for
 * its time, and also under a new leader that has not heard of the container yet. */
static void test_tokens(void)
{
    char other[BASE_ID_TEXT_MAX], own[sizeof app], *reports, *expiry;
    struct base_container_id id;
    struct ha_store *store;
    int64_t epoch;
    json_t *answer;

    begin();
    reports = running();
    beat(reports, &answer);
    json_decref(answer);
    free(reports);
    json_decref(master("register", "{}", 200));
    allocates(200);
    set_bearer(app_secret, master_container, 5000); /* a renewed token */
    allocates(200);
    set_bearer(app_secret, master_container, -1);
    allocates(403);
    set_bearer(app_secret, master_container, BASE_CONTAINER_TOKEN_LIFE_MAX_MS + 60000);
    allocates(403);
    set_bearer("another", master_container, 5000);
    allocates(403);
    set_bearer(app_secret, master_container, 5000);
    expiry = strchr(bearer, '@') + 1; /* the token's expiry is changed by hand */
    expiry[0]++;
    allocates(403);
    CU_ASSERT_EQUAL_FATAL(base_container_id_parse(master_container, &id, NULL), 0);
    id.num++; /* the token of another container */
    set_bearer(app_secret, base_container_id_text(&id, other), 5000);
    allocates(403);
    id.num--;
    id.attempt.attempt++; /* the token of an attempt that does not exist */
    set_bearer(app_secret, base_container_id_text(&id, other), 5000);
    allocates(403);
    id.attempt.attempt--;
    id.attempt.app.seq++; /* the token of another application */
    set_bearer(app_secret, base_container_id_text(&id, other), 5000);
    allocates(403);
    snprintf(bearer, sizeof bearer, "%.64s", app_secret);
    allocates(403);
    set_bearer(app_secret, master_container, 5000); /* a right one, shown for another application */
    memcpy(own, app, sizeof own);
    snprintf(app, sizeof app, "application_1_0001");
    allocates(404);
    memcpy(app, own, sizeof own);
    set_bearer(app_secret, master_container, 5000);
    rm_daemon_abort_leadership(rms[0].b, "told to");
    store = memory_open("master", &epoch);
    rms_lead(0, store, epoch);
    allocates(200);
    id.num++;
    set_bearer(app_secret, base_container_id_text(&id, other), 5000);
    allocates(403);
    end();
}

/* ---------------------------------------------------------------- tasks of a job */
static json_t *task_says(const char *path, const char *body, int status)
{
    char headers[320];

    snprintf(headers, sizeof headers, "%sAuthorization: Bearer %s\r\n", body ? JSON : "", bearer);
    return ask(body ? "POST" : "GET", path, headers, body, status);
}

static json_t *commit(const char *task, int attempt, int status)
{
    char *body = base_printf("{\"task\":\"%s\",\"taskAttempt\":%d}", task, attempt);
    json_t *j = task_says("/ws/v1/nodetracker/commit", body, status);

    free(body);
    return j;
}

/* Makes the token of the container that @order launches: that of the first map goes to @first, and
 * to bearer while that is empty; any other goes to bearer. */
static void note_token(const json_t *order, char first[static BASE_CONTAINER_TOKEN_MAX])
{
    bool is_first = strstr(str(order, "task"), "_m_000000");
    char token[BASE_CONTAINER_TOKEN_MAX];

    make_token(order, token);
    if (is_first)
        memcpy(first, token, sizeof token);
    if (!is_first || !bearer[0])
        memcpy(bearer, token, sizeof token);
}

/* Requests of tasks: may an attempt commit; where are the outputs of maps; an output cannot be
 * fetched. */
static void test_tasks(void)
{
    static const char *const bad_failures[] = {
        "[]",
        "{}",
        "{\"map\":-1,\"attempt\":0,\"reduce\":\"%s\"}",
        "{\"map\":0,\"reduce\":\"%s\"}",
        "{\"map\":0,\"attempt\":0,\"reduce\":\"x\"}",
        "{\"map\":0,\"attempt\":0,\"reduce\":\"%s\",\"gone\":1}"};
    char ended[BASE_CONTAINER_TOKEN_MAX] = "", other[sizeof bearer];
    char map0[64] = "", container0[64] = "", reduce[64], path[160], since[224], *body;
    json_t *j, *answer, *orders, *o;
    int64_t version;
    size_t i;

    lead();
    bearer[0] = '\0';
    json_decref(
        ask("POST", "/ws/v1/cluster/jobs", JSON,
            "{\"job\":{\"name\":\"x\",\"tasks\":[{\"kind\":\"map\","
            "\"command\":\"true\",\"count\":2},{\"kind\":\"reduce\",\"command\":\"true\"}]}}",
            201));
    for (int tries = 0; tries < 100 && !map0[0]; tries++) {
        orders = beat("", &answer);
        json_array_foreach(orders, i, o)
        {
            if (strcmp(str(o, "type"), "launch") != 0)
                continue;
            note_token(o, ended);
            if (strstr(str(o, "task"), "_m_000000")) {
                snprintf(map0, sizeof map0, "%s", str(o, "task"));
                snprintf(container0, sizeof container0, "%s", str(o, "container"));
                CU_ASSERT_EQUAL(number(o, "taskAttempt"), 0);
                CU_ASSERT_STRING_EQUAL(str(o, "command"), "true");
            }
        }
        json_decref(answer);
    }
    CU_ASSERT_EQUAL_FATAL(strncmp(map0, "task_", 5), 0);
    snprintf(reduce, sizeof reduce, "%.*s_r_000000", (int)(strlen(map0) - strlen("_m_000000")),
             map0);
    snprintf(app, sizeof app, "application%.*s", (int)(strlen(map0) - strlen("task_m_000000")),
             map0 + strlen("task"));
    snprintf(path, sizeof path, "/ws/v1/nodetracker/apps/%s/mapoutputs", app);
    j = task_says(path, NULL, 200);
    CU_ASSERT_EQUAL(number(j, "maps"), 2);
    CU_ASSERT_EQUAL(number(j, "done"), 0);
    CU_ASSERT_EQUAL(json_array_size(json_object_get(j, "outputs")), 0);
    json_decref(j);
    j = commit(map0, 5, 200);
    CU_ASSERT(json_is_false(json_object_get(j, "commit")));
    json_decref(j);
    j = commit(map0, 0, 200);
    CU_ASSERT(json_is_true(json_object_get(j, "commit")));
    json_decref(j);
    json_decref(commit(map0, -1, 400));
    json_decref(commit("task_1", 0, 400));
    body = base_printf("{\"id\":\"%s\",\"state\":\"complete\",\"exitCode\":0}", container0);
    orders = beat(body, &answer);
    json_array_foreach(orders, i, o)
    {
        if (strcmp(str(o, "type"), "launch") == 0)
            note_token(o, ended);
    }
    json_decref(answer);
    free(body);
    /* the token of a container that has ended is worth nothing any more */
    snprintf(other, sizeof other, "%s", bearer);
    snprintf(bearer, sizeof bearer, "%s", ended);
    json_decref(task_says(path, NULL, 403));
    snprintf(bearer, sizeof bearer, "%s", other);
    j = task_says(path, NULL, 200);
    version = number(j, "version");
    CU_ASSERT(version > 0);
    CU_ASSERT_EQUAL(number(j, "done"), 1);
    CU_ASSERT_EQUAL_FATAL(json_array_size(json_object_get(j, "outputs")), 1);
    o = json_array_get(json_object_get(j, "outputs"), 0);
    CU_ASSERT_EQUAL(number(o, "map"), 0);
    CU_ASSERT_EQUAL(number(o, "attempt"), 0);
    CU_ASSERT_STRING_EQUAL(str(o, "container"), container0);
    CU_ASSERT_STRING_EQUAL(str(o, "node"), "h1:9");
    json_decref(j);
    snprintf(since, sizeof since, "%s?since=%lld&hold-ms=1", path, (long long)version);
    j = task_says(since, NULL, 200); /* nothing newer, though it has waited */
    CU_ASSERT_EQUAL(json_array_size(json_object_get(j, "outputs")), 0);
    CU_ASSERT_EQUAL(number(j, "done"), 1);
    json_decref(j);
    snprintf(since, sizeof since, "%s?since=-1", path);
    json_decref(task_says(since, NULL, 400));
    snprintf(path, sizeof path, "/ws/v1/nodetracker/apps/%s/fetch-failure", app);
    for (i = 0; i < sizeof bad_failures / sizeof *bad_failures; i++) {
        const char *at = strstr(bad_failures[i], "%s");

        body = at ? base_printf("%.*s%s%s", (int)(at - bad_failures[i]), bad_failures[i], reduce,
                                at + 2)
                  : base_strdup(bad_failures[i]);
        json_decref(task_says(path, body, 400));
        free(body);
    }
    body = base_printf("{\"map\":0,\"attempt\":0,\"reduce\":\"%s\",\"reason\":\"answered 404\"}",
                       reduce);
    /* the node answers, but has not got the output: the map is run again at once */
    json_decref(task_says(path, body, 204));
    free(body);
    snprintf(path, sizeof path, "/ws/v1/nodetracker/apps/%s/mapoutputs", app);
    j = task_says(path, NULL, 200);
    CU_ASSERT_EQUAL(number(j, "done"), 0);
    json_decref(j);
    bearer[strlen(bearer) - 1] = bearer[strlen(bearer) - 1] == 'a' ? 'b' : 'a';
    json_decref(task_says(path, NULL, 403));
    json_decref(commit(map0, 0, 403));
    end();
}

static const struct cunit_case cases[] = {{"a whole life", test_life},
                                          {"mistakes", test_mistakes},
                                          {"tokens of masters", test_tokens},
                                          {"tasks of a job", test_tasks}};

CUNIT_MAIN("masters over HTTP", cases)
