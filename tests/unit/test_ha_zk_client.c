/* Requests of ha/zk/zk.h over libzookeeper, against a real ZooKeeper server: results, versions,
 * watches, ACLs, and what becomes of requests when the connection or the session is lost. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "ha/zk/client.h"
#include "tests/e2e/zk_fixture.h"
#include "tests/unit/cunit_main.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#define LEAKS_ALLOWED(on) ((on) ? __lsan_disable() : __lsan_enable())
#else
#define LEAKS_ALLOWED(on) ((void)(on))
#endif
#define WAIT_US 30000000
/* On a busy machine the server or this program may stand still for seconds: a session that ends
 * then, or a connection that is given up, is none of the losses that these tests are about. */
#define SESSION_US 60000000

static struct zk_fixture *server;

struct seen { /* one event, copied */
    struct ha_zk_event ev;
    char *path, *text, *data, *created, *children;
};
struct fx {
    struct ha_zk_client *client;
    pthread_mutex_t lock;
    pthread_cond_t cond;
    bool woken;
    struct seen *v;
    size_t len, cap;
};

static void wake(void *user)
{
    struct fx *f = user;

    pthread_mutex_lock(&f->lock);
    f->woken = true;
    pthread_cond_signal(&f->cond);
    pthread_mutex_unlock(&f->lock);
}

static void on_event(void *user, const struct ha_zk_event *ev)
{
    struct fx *f = user;
    struct base_buf names = {0};
    struct seen *s;

    base_array_grow(&f->v, f->len, &f->cap);
    s = &f->v[f->len++];
    for (size_t i = 0; i < ev->children_n; i++)
        base_buf_addf(&names, "%s ", ev->children[i]);
    *s = (struct seen){*ev,  base_strdup(ev->path),    base_strdup(ev->text),
                       NULL, base_strdup(ev->created), base_buf_take(&names)};
    if (ev->data)
        s->data = base_strndup(ev->data, ev->len);
}

/* Delivers events until one of @kind (a result: that of request @id) is among those from number
 * @from on, and returns it; NULL: none in time. */
static struct seen *await_event(struct fx *f, size_t from, enum ha_zk_event_kind kind, uint64_t id)
{
    const int64_t until = base_mono_us(&base_clock_real) + WAIT_US;

    for (;;) {
        struct timespec at;

        ha_zk_client_deliver_events(f->client, base_mono_us(&base_clock_real), on_event, f);
        for (size_t i = from; i < f->len; i++)
            if (f->v[i].ev.kind == kind && (kind != HA_ZK_RESULT || f->v[i].ev.id == id))
                return &f->v[i];
        if (base_mono_us(&base_clock_real) > until)
            return NULL;
        clock_gettime(CLOCK_REALTIME, &at);
        at.tv_sec++;
        pthread_mutex_lock(&f->lock);
        while (!f->woken && pthread_cond_timedwait(&f->cond, &f->lock, &at) != ETIMEDOUT)
            ;
        f->woken = false;
        pthread_mutex_unlock(&f->lock);
    }
}

static struct fx *fx_at(const char *servers, int64_t timeout_us, const char *auth, bool connected)
{
    struct fx *f = base_alloc(sizeof *f);
    struct ha_zk_client_conf conf = {servers, auth, timeout_us, wake, f};
    struct base_error err;

    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->cond, NULL);
    CU_ASSERT_EQUAL_FATAL(ha_zk_client_new(&conf, &f->client, &err), 0);
    if (connected)
        CU_ASSERT_PTR_NOT_NULL_FATAL(await_event(f, 0, HA_ZK_CONNECTED, 0));
    return f;
}

static struct fx *fx_new(const char *auth, bool connected)
{
    return fx_at(zk_fixture_servers(server), SESSION_US, auth, connected);
}

static void fx_free(struct fx *f)
{
    ha_zk_client_free(f->client);
    for (size_t i = 0; i < f->len; i++) {
        free(f->v[i].path);
        free(f->v[i].text);
        free(f->v[i].data);
        free(f->v[i].created);
        free(f->v[i].children);
    }
    free(f->v);
    pthread_cond_destroy(&f->cond);
    pthread_mutex_destroy(&f->lock);
    free(f);
}

static uint64_t next_id;

static uint64_t send_multi(struct fx *f, const struct ha_zk_op *ops, size_t n)
{
    struct ha_zk_request rq = {
        .owner = HA_ZK_FOR_LOG, .id = ++next_id, .kind = HA_ZK_MULTI, .ops = ops, .ops_n = n};

    ha_zk_client_send_request(f->client, &rq);
    return rq.id;
}

static uint64_t send_read(struct fx *f, enum ha_zk_request_kind kind, const char *path, bool watch)
{
    struct ha_zk_request rq = {.id = ++next_id, .kind = kind, .path = path, .watch = watch};

    ha_zk_client_send_request(f->client, &rq);
    return rq.id;
}

static struct seen *multi(struct fx *f, const struct ha_zk_op *ops, size_t n)
{
    struct seen *s = await_event(f, 0, HA_ZK_RESULT, send_multi(f, ops, n));

    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    return s;
}

static struct seen *read_node(struct fx *f, enum ha_zk_request_kind kind, const char *path,
                              bool watch)
{
    struct seen *s = await_event(f, 0, HA_ZK_RESULT, send_read(f, kind, path, watch));

    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    return s;
}

#define MULTI(f, ...)                                                                              \
    multi(f, (struct ha_zk_op[]){__VA_ARGS__},                                                     \
          sizeof(struct ha_zk_op[]){__VA_ARGS__} / sizeof(struct ha_zk_op))
#define CREATE(p, d)                                                                               \
    {                                                                                              \
        .kind = HA_ZK_CREATE, .path = (p), .data = (d), .len = sizeof(d) - 1                       \
    }
#define SET(p, d, v)                                                                               \
    {                                                                                              \
        .kind = HA_ZK_SET, .path = (p), .data = (d), .len = sizeof(d) - 1, .version = (v)          \
    }
#define DELETE(p, v)                                                                               \
    {                                                                                              \
        .kind = HA_ZK_DELETE, .path = (p), .version = (v)                                          \
    }
#define CHECK(p, v)                                                                                \
    {                                                                                              \
        .kind = HA_ZK_CHECK, .path = (p), .version = (v)                                           \
    }

static void test_results(void)
{
    struct fx *f = fx_new("creel:secret", true);
    const int64_t before = base_mono_us(&base_clock_real);
    char *big = base_alloc(600000);
    struct seen *s;

    CU_ASSERT_EQUAL(MULTI(f, CREATE("/a", "one"), CREATE("/a/b", ""))->ev.code, HA_ZK_OK);
    s = MULTI(f, SET("/a", "two", 0), CREATE("/a/c", "sea"));
    CU_ASSERT_EQUAL(s->ev.code, HA_ZK_OK);
    CU_ASSERT_EQUAL(s->ev.owner, HA_ZK_FOR_LOG);
    CU_ASSERT_EQUAL(s->ev.asked, HA_ZK_MULTI);
    CU_ASSERT_STRING_EQUAL(s->created, "/a/c");
    CU_ASSERT(s->ev.sent_us >= before && s->ev.sent_us <= base_mono_us(&base_clock_real));
    s = read_node(f, HA_ZK_GET, "/a", false);
    CU_ASSERT_EQUAL(s->ev.code, HA_ZK_OK);
    CU_ASSERT_EQUAL(s->ev.version, 1);
    CU_ASSERT_EQUAL(s->ev.ephemeral_owner, 0);
    CU_ASSERT_STRING_EQUAL(s->data, "two");
    CU_ASSERT_EQUAL(read_node(f, HA_ZK_GET, "/a/b", false)->ev.len, 0);
    s = read_node(f, HA_ZK_CHILDREN, "/a", false);
    CU_ASSERT(strcmp(s->children, "b c ") == 0 || strcmp(s->children, "c b ") == 0);
    CU_ASSERT_EQUAL(read_node(f, HA_ZK_GET, "/none", true)->ev.code, HA_ZK_NONODE);
    CU_ASSERT_EQUAL(read_node(f, HA_ZK_SYNC, "/a", false)->ev.code, HA_ZK_OK);
    memset(big, 'x', 599999);
    s = multi(
        f, &(struct ha_zk_op){.kind = HA_ZK_CREATE, .path = "/big", .data = big, .len = 599999}, 1);
    CU_ASSERT_EQUAL(s->ev.code, HA_ZK_OK);
    s = read_node(f, HA_ZK_GET, "/big", false);
    CU_ASSERT_EQUAL(s->ev.len, 599999);
    CU_ASSERT_STRING_EQUAL(s->data, big);
    free(big);
    fx_free(f);
}

static void check_failed(const struct seen *s, enum ha_zk_code code, int op, const char *path)
{
    CU_ASSERT_EQUAL(s->ev.code, code);
    CU_ASSERT_EQUAL(s->ev.failed_op, op);
    CU_ASSERT_PTR_NOT_NULL(strstr(s->text, path));
}

/* A multi is all or none, and tells which of its ops failed. */
static void test_failed_multis(void)
{
    struct fx *f = fx_new("creel:secret", true);

    CU_ASSERT_EQUAL(MULTI(f, CREATE("/m", "0"), CREATE("/m/x", "0"))->ev.code, HA_ZK_OK);
    check_failed(MULTI(f, CHECK("/m", 7), CREATE("/m/y", "")), HA_ZK_BADVERSION, 0, "/m");
    check_failed(MULTI(f, CHECK("/m", 0), CREATE("/m/y", ""), CREATE("/m/x", "")), HA_ZK_NODEEXISTS,
                 2, "/m/x");
    check_failed(MULTI(f, CHECK("/m", 0), CHECK("/m/z", -1), DELETE("/m/x", -1)), HA_ZK_NONODE, 1,
                 "/m/z");
    check_failed(MULTI(f, DELETE("/m", -1)), HA_ZK_NOTEMPTY, 0, "/m");
    check_failed(MULTI(f, SET("/m", "1", 3)), HA_ZK_BADVERSION, 0, "/m");
    check_failed(read_node(f, HA_ZK_GET, "/m//y", false), HA_ZK_FAILED, -1, "bad arguments");
    CU_ASSERT_STRING_EQUAL(read_node(f, HA_ZK_CHILDREN, "/m", false)->children, "x ");
    CU_ASSERT_EQUAL(MULTI(f, CHECK("/m", 0), DELETE("/m/x", 0), DELETE("/m", 0))->ev.code,
                    HA_ZK_OK);
    fx_free(f);
}

static void test_ephemeral_and_watches(void)
{
    struct fx *f = fx_new("creel:secret", true), *other = fx_new("creel:secret", true);
    struct ha_zk_op node = {
        .kind = HA_ZK_CREATE, .path = "/e/rm~", .ephemeral = true, .sequence = true};
    struct seen *s;
    char path[64];
    size_t n;

    CU_ASSERT_EQUAL(MULTI(f, CREATE("/e", ""))->ev.code, HA_ZK_OK);
    s = multi(other, &node, 1);
    CU_ASSERT_STRING_EQUAL_FATAL(s->created, "/e/rm~0000000000");
    snprintf(path, sizeof path, "%s", s->created);
    s = read_node(f, HA_ZK_GET, path, true);
    CU_ASSERT_EQUAL(s->ev.ephemeral_owner, other->v[0].ev.session);
    read_node(f, HA_ZK_CHILDREN, "/e", true);
    n = f->len;
    CU_ASSERT_EQUAL(MULTI(other, SET("/e/rm~0000000000", "new", -1))->ev.code, HA_ZK_OK);
    s = await_event(f, n, HA_ZK_WATCH, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    CU_ASSERT_STRING_EQUAL(s->path, path);
    n = f->len;
    fx_free(other); /* its session is closed: the node goes at once, no time-out */
    s = await_event(f, n, HA_ZK_WATCH, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    CU_ASSERT_STRING_EQUAL(s->path, "/e");
    CU_ASSERT_STRING_EQUAL(read_node(f, HA_ZK_CHILDREN, "/e", false)->children, "");
    fx_free(f);
}

/* Only its creator may use a node. A refusal says as whom the client is authenticated, and to whom
 * the node is open. */
static void test_acl(void)
{
    struct fx *f = fx_new("creel:secret", true), *other = fx_new("creel:wrong", true);
    struct seen *s;

    /* printf %s creel:secret | openssl dgst -sha1 -binary | base64 */
    CU_ASSERT_STRING_EQUAL(ha_zk_client_short_auth_id(f->client), "creel:eO8NZE...");
    CU_ASSERT_EQUAL(MULTI(f, CREATE("/acl", "mine"))->ev.code, HA_ZK_OK);
    s = read_node(other, HA_ZK_GET, "/acl", true);
    CU_ASSERT_EQUAL(s->ev.code, HA_ZK_NOAUTH);
    CU_ASSERT_PTR_NOT_NULL(strstr(s->text, "/acl has an ACL that excludes us (digest:creel:"));
    CU_ASSERT_PTR_NOT_NULL(strstr(s->text, ha_zk_client_short_auth_id(other->client)));
    s = MULTI(other, CHECK("/", -1), CREATE("/acl/x", ""));
    CU_ASSERT_EQUAL(s->ev.code, HA_ZK_NOAUTH);
    CU_ASSERT_EQUAL(s->ev.failed_op, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(s->text, "/acl has an ACL"));
    /* a node of ZooKeeper's own that is open to everybody */
    s = MULTI(other, CREATE("/zookeeper/quota/x", ""));
    CU_ASSERT_EQUAL(s->ev.code, HA_ZK_OK);
    s = MULTI(other, CREATE("/zookeeper/config/x", ""));
    CU_ASSERT_EQUAL(s->ev.code, HA_ZK_NOAUTH);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(s->text, "/zookeeper/config is open to world:anyone:r, and we are digest:creel:"));
    fx_free(other);
    fx_free(f);
}

/* The server is killed and started again: requests that are unanswered or sent meanwhile get LOSS,
 * the session lives on. */
static void test_connection_lost(void)
{
    struct fx *f = fx_new("creel:secret", true);
    const int64_t session = f->v[0].ev.session;
    struct seen *s;
    uint64_t id;
    char text[256];
    size_t n;

    zk_fixture_pause(server, 1);
    id = send_multi(f, (struct ha_zk_op[]){CREATE("/lost", "")}, 1);
    zk_fixture_kill(server, 1);
    s = await_event(f, 0, HA_ZK_RESULT, id);
    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    CU_ASSERT_EQUAL(s->ev.code, HA_ZK_LOSS);
    CU_ASSERT_EQUAL((s - 1)->ev.kind, HA_ZK_DISCONNECTED);
    s = read_node(f, HA_ZK_GET, "/lost", false);
    CU_ASSERT_EQUAL(s->ev.code, HA_ZK_LOSS);
    n = f->len;
    zk_fixture_start(server, 1);
    s = await_event(f, n, HA_ZK_CONNECTED, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    CU_ASSERT_EQUAL(s->ev.session, session);
    ha_zk_client_describe_connection(f->client, text, sizeof text);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "connected to 127.0.0.1:"));
    CU_ASSERT_EQUAL(MULTI(f, CREATE("/found", ""))->ev.code, HA_ZK_OK); /* authenticated again */
    CU_ASSERT_EQUAL(MULTI(f, SET("/found", "1", 0))->ev.code, HA_ZK_OK);
    fx_free(f);
}

/* A server that no longer knows the session: the client goes on with a new one. */
static void test_session_over(void)
{
    struct fx *f = fx_new("creel:secret", true);
    const int64_t session = f->v[0].ev.session;
    char *command = base_printf("rm -r %s/1/data/version-2", zk_fixture_dir(server));
    struct seen *s;

    zk_fixture_kill(server, 1);
    CU_ASSERT_EQUAL(system(command), 0);
    zk_fixture_start(server, 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(await_event(f, 1, HA_ZK_SESSION_OVER, 0));
    s = await_event(f, 1, HA_ZK_CONNECTED, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    CU_ASSERT_NOT_EQUAL(s->ev.session, session);
    CU_ASSERT_EQUAL(MULTI(f, CREATE("/new", ""))->ev.code, HA_ZK_OK);
    free(command);
    fx_free(f);
}

/* The server is not there at first; and the client is closed with requests under way: libzookeeper
 * then sometimes ends its completion thread before the last completions are given to it, and leaks
 * these. */
static void test_late_and_closed(void)
{
    struct fx *f;
    char text[256];

    zk_fixture_stop(server, 1);
    f = fx_new("creel:secret", false);
    CU_ASSERT_EQUAL(read_node(f, HA_ZK_GET, "/new", false)->ev.code, HA_ZK_LOSS);
    ha_zk_client_describe_connection(f->client, text, sizeof text);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "no server of 127.0.0.1:"));
    zk_fixture_start(server, 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(await_event(f, 0, HA_ZK_CONNECTED, 0));
    zk_fixture_pause(server, 1);
    LEAKS_ALLOWED(true);
    send_multi(f, (struct ha_zk_op[]){CHECK("/", -1), CREATE("/late", "")}, 2);
    send_read(f, HA_ZK_GET, "/new", true);
    send_read(f, HA_ZK_CHILDREN, "/", true);
    LEAKS_ALLOWED(false);
    fx_free(f);
    zk_fixture_continue(server, 1);
}

/* ---- a server that takes connections and says nothing ---- */

/* Stands between the client and the server; connections whose numbers are SILENT() are held and not
 * passed on. */
struct relay {
    int listener, stop[2], cut[2];
    int n, held[8], port;
    pthread_t thread;
};
#define SILENT(n) ((n) == 0 || (n) == 2)

static bool pass(int from, int to)
{
    char buf[4096];
    ssize_t n = read(from, buf, sizeof buf);

    return n > 0 && write(to, buf, (size_t)n) == n;
}

/* Passes on until one end closes, or the test cuts it. */
static bool relay_one(struct relay *r, int client)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int up = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct pollfd p[] = {
        {client, POLLIN, 0}, {up, POLLIN, 0}, {r->cut[0], POLLIN, 0}, {r->stop[0], POLLIN, 0}};
    char byte;

    to.sin_port = htons((uint16_t)atoi(strrchr(zk_fixture_servers(server), ':') + 1));
    if (connect(up, (struct sockaddr *)&to, sizeof to) == 0)
        while (poll(p, 4, -1) > 0 && !p[2].revents && !p[3].revents)
            if ((p[0].revents && !pass(client, up)) || (p[1].revents && !pass(up, client)))
                break;
    if (p[2].revents && read(r->cut[0], &byte, 1) < 0)
        abort();
    close(up);
    close(client);
    return !p[3].revents;
}

static void *relay_thread(void *user)
{
    struct relay *r = user;
    struct pollfd p[] = {{r->listener, POLLIN, 0}, {r->stop[0], POLLIN, 0}};

    for (bool on = true; on && poll(p, 2, -1) > 0 && !p[1].revents;) {
        int fd = accept(r->listener, NULL, NULL), i = r->n++;

        r->held[i % 8] = SILENT(i) ? fd : -1;
        if (!SILENT(i))
            on = relay_one(r, fd);
    }
    return NULL;
}

static void relay_start(struct relay *r)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;

    *r = (struct relay){.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    CU_ASSERT_EQUAL_FATAL(bind(r->listener, (struct sockaddr *)&at, sizeof at), 0);
    CU_ASSERT_EQUAL_FATAL(listen(r->listener, 8), 0);
    getsockname(r->listener, (struct sockaddr *)&at, &len);
    r->port = ntohs(at.sin_port);
    CU_ASSERT_EQUAL_FATAL(pipe2(r->stop, O_CLOEXEC) + pipe2(r->cut, O_CLOEXEC), 0);
    pthread_create(&r->thread, NULL, relay_thread, r);
}

static void relay_stop(struct relay *r)
{
    close(r->stop[1]);
    pthread_join(r->thread, NULL);
    for (int i = 0; i < r->n && i < 8; i++)
        if (r->held[i] >= 0)
            close(r->held[i]);
    close(r->listener);
    close(r->stop[0]);
    close(r->cut[0]);
    close(r->cut[1]);
}

/* The client leaves a silent server after a moment, at its first connection as well as in a
 * session, which goes on; libzookeeper by itself would wait for 40 s. */
static void test_silent_server(void)
{
    struct relay r;
    char servers[32];
    struct fx *f;
    struct seen *s;
    int64_t session;
    size_t n;

    relay_start(&r);
    snprintf(servers, sizeof servers, "127.0.0.1:%d", r.port);
    f = fx_at(servers, SESSION_US, "creel:secret", true);
    session = f->v[0].ev.session;
    CU_ASSERT_EQUAL(MULTI(f, CREATE("/silent", ""))->ev.code, HA_ZK_OK);
    n = f->len;
    CU_ASSERT_EQUAL(write(r.cut[1], "", 1), 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(await_event(f, n, HA_ZK_DISCONNECTED, 0));
    s = await_event(f, n, HA_ZK_CONNECTED, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    CU_ASSERT_EQUAL(s->ev.session, session);
    /* authenticated on the new connection, too */
    CU_ASSERT_EQUAL(MULTI(f, SET("/silent", "1", 0))->ev.code, HA_ZK_OK);
    fx_free(f);
    relay_stop(&r);
}

static void test_conf(void)
{
    struct ha_zk_client_conf conf = {"localhost", "creel:secret", 2000000, wake, NULL};
    struct ha_zk_client *c;
    struct base_error err;

    CU_ASSERT_EQUAL(ha_zk_client_new(&conf, &c, &err), -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "\"localhost\": expected host:port"));
    conf = (struct ha_zk_client_conf){"localhost:2181", "creel", 2000000, wake, NULL};
    CU_ASSERT_EQUAL(ha_zk_client_new(&conf, &c, &err), -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "expected user:password"));
}

static const struct cunit_case cases[] = {
    {"results", test_results},
    {"failed multis", test_failed_multis},
    {"ephemeral nodes and watches", test_ephemeral_and_watches},
    {"ACLs", test_acl},
    {"connection lost", test_connection_lost},
    {"session over", test_session_over},
    {"late, and closed", test_late_and_closed},
    {"silent server", test_silent_server},
    {"configuration", test_conf},
};

int main(void)
{
    int rc;

    zk_fixture_or_skip();
    server = zk_fixture_new(1);
    rc = cunit_main("ha_zk_client", cases, sizeof cases / sizeof *cases);
    zk_fixture_free(server);
    return rc;
}
