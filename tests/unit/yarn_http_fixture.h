/* tests/unit/yarn_http_fixture.h - the ResourceManager's daemon with a store in memory and no
 * nodes, behind the real server, and helpers that submit applications to it and check its
 * answers. */
#ifndef CREEL_TESTS_YARN_HTTP_FIXTURE_H
#define CREEL_TESTS_YARN_HTTP_FIXTURE_H

#include "api/server/hosts.h"
#include "base/conf/conf.h"
#include "base/io/log.h"
#include "rm/daemon/daemon.h"
#include "rm/http/routes.h"
#include "rm/leader/sole_rm.h"
#include "tests/unit/api_client.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/golden.h"
#include "tests/unit/simple_conf.h"
#include "tests/unit/stores.h"
#include <glob.h>
#include <jansson.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define APPS  "/ws/v1/cluster/apps"
#define JOBS  "/ws/v1/cluster/jobs"
#define JSON  "Content-Type: application/json\r\n"
#define THERE "application_1795244603666_"
#define TRIES 100000

static struct rm_backend *backend;
static struct api_server *server;
static struct base_conf *conf;
static struct api_route *routes;
static uint16_t port;

/* The gate of the store in memory: while it is closed, writes wait. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    bool closed;
} gate = {.lock = PTHREAD_MUTEX_INITIALIZER, .opened = PTHREAD_COND_INITIALIZER};

static inline void gate_set(bool closed)
{
    pthread_mutex_lock(&gate.lock);
    gate.closed = closed;
    pthread_cond_broadcast(&gate.opened);
    pthread_mutex_unlock(&gate.lock);
}

static inline int gated_write(struct ha_store *s, const struct ha_record *v, size_t n,
                              struct base_error *err)
{
    pthread_mutex_lock(&gate.lock);
    while (gate.closed)
        pthread_cond_wait(&gate.opened, &gate.lock);
    pthread_mutex_unlock(&gate.lock);
    return store_kind("memory")->write(s, v, n, err);
}

static struct ha_store_ops gated;

static inline void start_as(const char *shape, const char *policy, const char *queues,
                            int64_t body_memory)
{
    static char url[64];
    struct api_server_conf sc = {
        .bind = "127.0.0.1", .threads = 1, .static_user = "dr.who", .body_memory = body_memory};
    struct base_error err = {0};
    char arg[64];
    size_t routes_n;

    gated = *store_kind("memory");
    gated.write = gated_write;
    conf = simple_conf_new();
    snprintf(arg, sizeof arg, "creel.scheduler.policy=%s", policy);
    base_assert(base_conf_set_arg(conf, arg, &err) == 0);
    snprintf(arg, sizeof arg, "creel.yarn.scheduler-shape=%s", shape);
    base_assert(base_conf_set_arg(conf, arg, &err) == 0);
    snprintf(arg, sizeof arg, "creel.scheduler.queues=%s", queues);
    if (base_conf_set_arg(conf, arg, &err) < 0 ||
        rm_daemon_new_sole(conf, NULL, &gated, "", NULL, &backend, &err) < 0)
        fprintf(stderr, "%s\n", err.text);
    base_assert(backend);
    rm_daemon_start(backend);
    routes = rm_routes_new(&routes_n);
    sc.hosts = api_hosts_new();
    api_hosts_add_addresses(sc.hosts, "creel.example");
    base_assert(api_server_start(&sc, routes, routes_n, backend, &server, &err) == 0);
    api_hosts_free(sc.hosts);
    port = api_server_port(server);
    snprintf(url, sizeof url, "http://127.0.0.1:%u", port);
    rm_daemon_set_url(backend, url);
}

/* Starts with the shape of fifo under policy fifo, otherwise with that of fair. */
static inline void start_with(const char *policy, const char *queues, int64_t body_memory)
{
    start_as(strcmp(policy, "fifo") == 0 ? "fifo" : "fair", policy, queues, body_memory);
}

static inline void start(const char *policy)
{
    start_with(policy, "", 0);
}

static inline void stop(void)
{
    base_assert(rm_daemon_stop(backend, NULL) == 0);
    api_server_stop(server);
    rm_daemon_free(backend);
    base_conf_free(conf);
    free(routes);
    backend = NULL;
}

static inline int ask(const char *method, const char *path, const char *headers, const char *body,
                      struct client_answer *a)
{
    client_do(port, method, path, headers, body, a);
    return a->status;
}

static inline int submit(const char *body)
{
    struct client_answer a;
    int status = ask("POST", APPS "?user.name=hadoop", JSON, body, &a);

    client_free(&a);
    return status;
}

/* Writes member @path ("app.state") of the answer to @out as text; "" when absent or no text or
 * integer. */
static inline void member(const char *url, const char *path, char out[static 512])
{
    struct client_answer a;
    json_t *root, *j;
    char *words = base_strdup(path), *save = NULL;

    ask("GET", url, NULL, NULL, &a);
    root = json_loadb(a.body.data ? a.body.data : "", a.body.len, 0, NULL);
    j = root;
    for (char *w = strtok_r(words, ".", &save); w && j; w = strtok_r(NULL, ".", &save))
        j = json_is_array(j) ? json_array_get(j, (size_t)atoi(w)) : json_object_get(j, w);
    if (json_is_integer(j))
        snprintf(out, 512, "%lld", (long long)json_integer_value(j));
    else
        snprintf(out, 512, "%s", json_is_string(j) ? json_string_value(j) : "");
    json_decref(root);
    free(words);
    client_free(&a);
}

static inline void is(const char *url, const char *path, const char *want)
{
    char text[512];

    member(url, path, text);
    if (strcmp(text, want) != 0)
        fprintf(stderr, "%s: %s is '%s', not '%s'\n", url, path, text, want);
    CU_ASSERT_STRING_EQUAL(text, want);
}

static inline void becomes(const char *url, const char *path, const char *want)
{
    char text[512] = "";

    for (int i = 0; i < TRIES && strcmp(text, want) != 0; i++)
        member(url, path, text);
    CU_ASSERT_STRING_EQUAL(text, want);
}

static inline size_t listed(const char *query)
{
    char *url = base_printf(APPS "%s", query);
    struct client_answer a;
    json_t *root;
    size_t n;

    CU_ASSERT_EQUAL(ask("GET", url, NULL, NULL, &a), 200);
    root = json_loadb(a.body.data, a.body.len, 0, NULL);
    n = json_array_size(json_object_get(json_object_get(root, "apps"), "app"));
    json_decref(root);
    client_free(&a);
    free(url);
    return n;
}

static inline void expect(int fd, int status)
{
    struct client_answer a;

    CU_ASSERT_TRUE(client_read(fd, false, &a));
    CU_ASSERT_EQUAL(a.status, status);
    client_free(&a);
    close(fd);
}

#endif
