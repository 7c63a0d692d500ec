/* tests/unit/master_over_http.h - an application's master and its node, played by the test over
 * HTTP against a daemon of this process with a store in memory. */
#ifndef CREEL_TESTS_MASTER_OVER_HTTP_H
#define CREEL_TESTS_MASTER_OVER_HTTP_H

#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/crypto/container_token.h"
#include "base/version.h"
#include "rm/daemon/daemon.h"
#include "rm/leader/role.h"
#include "tests/unit/api_client.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/rms_of_test.h"
#include "tests/unit/stores.h"

#define JSON "Content-Type: application/json\r\n"

static const struct rm_role_source no_sources[2];
static const char *node_http = "h1:9"; /* the HTTP address that the node registers */
static char app[64], app_secret[80], master_container[64], bearer[256];
static int64_t response_id;

static inline json_t *ask(const char *method, const char *path, const char *headers,
                          const char *body, int status)
{
    struct client_answer a;
    json_t *j;

    client_do(rms[0].port, method, path, headers, body, &a);
    if (a.status != status)
        printf("\n    %s %s: %d %s\n", path, body ? body : "", a.status,
               a.body.data ? a.body.data : "");
    CU_ASSERT_EQUAL(a.status, status);
    j = json_loads(a.body.data ? a.body.data : "", JSON_DECODE_ANY, NULL);
    client_free(&a);
    return j;
}

static inline json_t *node(const char *what, const char *body)
{
    char path[64];

    snprintf(path, sizeof path, "/ws/v1/nodetracker/%s", what);
    return ask("POST", path, JSON, body, 200);
}

/* Sends a heartbeat with these reports of containers; returns the orders, which *answer owns. */
static inline json_t *beat(const char *containers, json_t **answer)
{
    char *body = base_printf(
        "{\"nodeId\":\"h1:1\",\"instance\":\"i\",\"responseId\":%lld,\"holdMs\":0,\"healthy\":true,"
        "\"containers\":[%s]}",
        (long long)response_id, containers);

    *answer = node("heartbeat", body);
    free(body);
    response_id = json_integer_value(json_object_get(*answer, "responseId"));
    return json_object_get(*answer, "orders");
}

static inline json_t *order_of(json_t *orders, const char *type)
{
    json_t *o;
    size_t i;

    json_array_foreach(orders, i, o) if (strcmp(json_string_value(json_object_get(o, "type")),
                                                type) == 0) return o;
    return NULL;
}

static const char *str(const json_t *j, const char *key)
{
    const char *s = json_string_value(json_object_get(j, key));

    return s ? s : "(none)";
}

static inline int64_t number(const json_t *j, const char *key)
{
    const json_t *v = json_object_get(j, key);

    return json_is_integer(v) ? json_integer_value(v) : -12345;
}

/* Writes the token that the node makes for the container that the order launches. */
static inline void make_token(const json_t *order, char out[static BASE_CONTAINER_TOKEN_MAX])
{
    struct base_container_id id;

    CU_ASSERT_EQUAL_FATAL(base_container_id_parse(str(order, "container"), &id, NULL), 0);
    base_container_token_make(str(order, "token"), &id,
                              base_wall_us(&base_clock_real) / 1000 + 60000, out);
}

static inline json_t *master(const char *what, const char *body, int status)
{
    char path[160], headers[320];

    snprintf(path, sizeof path, "/ws/v1/cluster/apps/%s/master/%s", app, what);
    snprintf(headers, sizeof headers, JSON "Authorization: Bearer %s\r\n", bearer);
    return ask("POST", path, headers, body, status);
}

/* Makes the daemon lead, and registers a node of 4 map slots and 1 reduce slot. */
static inline void lead(void)
{
    struct ha_store *store;
    int64_t epoch;
    char *body;

    rms_start(no_sources);
    store = memory_open("master", &epoch);
    rms_lead(0, store, epoch);
    response_id = 0;
    body = base_printf("{\"nodeId\":\"h1:1\",\"httpAddress\":\"%s\",\"instance\":\"i\","
                       "\"bootId\":\"b\",\"version\":\"" CREEL_VERSION "\","
                       "\"mapSlots\":4,\"reduceSlots\":1}",
                       node_http);
    json_decref(node("register", body));
    free(body);
}

/* Does the same, submits an application, and waits until the node is ordered to launch its
 * master. */
static inline void begin(void)
{
    json_t *j, *o;
    char *body;

    lead();
    j = ask("POST", "/ws/v1/cluster/apps/new-application", NULL, NULL, 200);
    snprintf(app, sizeof app, "%s", str(j, "application-id"));
    json_decref(j);
    body = base_printf(
        "{\"application-id\":\"%s\",\"application-name\":\"m\",\"am-container-spec\":{\"commands\":"
        "{\"command\":\"run\"}},\"max-app-attempts\":1,\"resource\":{\"memory\":1024,\"vCores\":1}"
        "}",
        app);
    json_decref(ask("POST", "/ws/v1/cluster/apps", JSON, body, 202));
    free(body);
    /* polls for at most 20 s: the application's record has to be durable first */
    for (int i = 0; i < 4000; i++) {
        json_t *answer, *orders = beat("", &answer);

        o = order_of(orders, "launch");
        if (o) {
            snprintf(master_container, sizeof master_container, "%s", str(o, "container"));
            snprintf(app_secret, sizeof app_secret, "%s", str(o, "token"));
            make_token(o, bearer);
            CU_ASSERT_STRING_EQUAL(str(o, "kind"), "master");
            CU_ASSERT_EQUAL(number(o, "memoryMb"), 1024);
            CU_ASSERT_STRING_EQUAL(str(o, "slot"), "map");
        }
        json_decref(answer);
        if (o)
            break;
        poll(NULL, 0, 5);
    }
    CU_ASSERT_PTR_NOT_NULL_FATAL(o);
}

static inline void end(void)
{
    rms_stop();
}

#endif
