/* Goal: a standby answers as YARN's does, to the byte, and two standbys never send a client in
 * circles.
 * Method: recordings of a YARN standby, with and without an active ResourceManager
 * (tests/interop/yarn/special/ha-standby, ha-none): each answer is made again by the pure part,
 * then its request is sent over HTTP to a server with the gate in front; the daemon is a fake whose
 * role the test sets. */
#include <glob.h>
#include <strings.h>
#include <unistd.h>

#include "api/server/hosts.h"
#include "api/server/uri.h"
#include "base/io/log.h"
#include "rm/http/access/access.h"
#include "rm/http/core_call.h"
#include "rm/leader/standby.h"
#include "tests/unit/api_client.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/golden.h"

#define PAGE_CUT 300                      /* bytes of a page that a recording keeps */
#define ACTIVE   "http://localhost:18200" /* the active RM of the recordings */
#define STANDBY  "http://localhost:18250"
#define ZOOKEEPER                                                                                  \
    "Could not find leader elector. Verify both HA and automatic failover are enabled."

/* In place of the RM's own: everybody may administer. */
bool rm_access_refuse_unless_allowed(struct api_request *rq, struct rm_backend *b,
                                     enum rm_operation op)
{
    (void)rq;
    (void)b;
    (void)op;
    return false;
}

/* ---- a fake daemon: what a standby's answers need of one ---- */
static struct {
    enum rm_role role;
    bool leads, ha;
    const char *own, *all, *active, *zookeeper;
    int64_t resigned_us; /* -1: not asked */
} fake;

enum rm_role rm_backend_role(const struct rm_backend *b)
{
    (void)b;
    return fake.role;
}

bool rm_backend_leads(const struct rm_backend *b)
{
    (void)b;
    return fake.leads;
}

bool rm_backend_is_one_of_several(const struct rm_backend *b)
{
    (void)b;
    return fake.ha;
}

const char *rm_backend_url(const struct rm_backend *b)
{
    (void)b;
    return fake.own;
}

const char *rm_backend_all_urls(const struct rm_backend *b)
{
    (void)b;
    return fake.all;
}

const char *rm_backend_rm_id(const struct rm_backend *b)
{
    (void)b;
    return "rm-2";
}

void rm_backend_active_url(const struct rm_backend *b, char out[512])
{
    (void)b;
    snprintf(out, 512, "%s", fake.active);
}

void rm_backend_zk_text(const struct rm_backend *b, char out[256])
{
    (void)b;
    snprintf(out, 256, "%s", fake.zookeeper);
}

void rm_backend_get_stats(struct rm_backend *b, struct rm_backend_stats *out)
{
    (void)b;
    *out = (struct rm_backend_stats){
        .epoch = 7, .takeovers = 2, .late_answers = 3, .refused_writes = 4, .store_multis = 5};
}

int rm_backend_resign(struct rm_backend *b, int64_t hold_us, struct base_error *err)
{
    (void)b;
    if (fake.role != RM_ROLE_ACTIVE)
        return base_error_set(err, -BASE_ESTATE, "this ResourceManager is not active");
    fake.resigned_us = hold_us;
    fake.role = RM_ROLE_STANDBY;
    return 0;
}

/* In place of those of rm/http/core_call.c, which needs the core. */
void rm_api_answer_json(struct api_request *rq, unsigned status, struct base_buf *body)
{
    api_answer(rq, status, API_JSON, body);
}

void rm_api_answer_bad_request(struct api_request *rq, const struct base_error *err)
{
    api_answer_error(rq, 400, "BadRequestException", "%s", err->text);
}

static void fake_standby(const char *own, const char *active)
{
    fake.role = RM_ROLE_STANDBY;
    fake.leads = false;
    fake.ha = false; /* the two recorded RMs had no elector */
    fake.own = own;
    fake.all = STANDBY "," ACTIVE;
    fake.active = active;
    fake.zookeeper = "";
    fake.resigned_us = -1;
}

/* ---- recordings ---- */
/* Returns whether a standby serves @path itself; the server of this test has no such pages. */
static bool is_served_by_a_daemon(const char *path)
{
    static const char *const names[] = {"ha-about.", "ha-conf.",  "ha-info.",
                                        "ha-jmx-",   "ha-proxy.", "ha-static."};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(strrchr(path, '/') + 1, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static void each_recording(const char *names, void (*fn)(struct golden *g))
{
    glob_t found;
    char *pattern = base_printf("%s/%s.http", GOLDEN_DIR, names);

    base_assert(glob(pattern, 0, NULL, &found) == 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct golden g;
        unsigned before = CU_get_number_of_failures();

        if (is_served_by_a_daemon(found.gl_pathv[i]))
            continue;
        golden_read(found.gl_pathv[i] + strlen(GOLDEN_DIR) + 1, &g);
        fn(&g);
        if (CU_get_number_of_failures() > before)
            fprintf(stderr, "in %s\n", found.gl_pathv[i]);
        golden_free(&g);
    }
    globfree(&found);
    free(pattern);
}

static void make(const char *target, const char *own, const char *active, uint32_t random,
                 struct rm_standby_answer *out)
{
    struct rm_standby_pair pairs[16];
    struct api_uri uri;

    base_assert(api_uri_parse(&uri, target) == 0 && uri.n_pairs <= 16);
    for (size_t i = 0; i < uri.n_pairs; i++)
        pairs[i] = (struct rm_standby_pair){uri.pairs[i].name,
                                            uri.pairs[i].has_value ? uri.pairs[i].value : NULL};
    rm_standby_make_answer(&(struct rm_standby_ask){.path = uri.path,
                                                    .pairs = pairs,
                                                    .n = uri.n_pairs,
                                                    .own = own,
                                                    .active = active,
                                                    .zookeeper = ZOOKEEPER,
                                                    .random = random},
                           out);
    api_uri_free(&uri);
}

static void same(const struct base_buf *made, const char *recorded)
{
    const char *text = made->data ? made->data : "";

    if (strcmp(text, recorded ? recorded : "") != 0)
        fprintf(stderr, "made     '%s'\nrecorded '%s'\n", text, recorded ? recorded : "");
    CU_ASSERT_STRING_EQUAL(text, recorded ? recorded : "");
}

/* Returns the random number that makes the wait of this recording. */
static uint32_t random_of(const struct golden *g)
{
    char *refresh = golden_header(g->head, "\nRefresh: "), *at;
    double wait, n;
    uint32_t r = 0;

    if (refresh) {
        at = strstr(refresh, "next.refresh.interval=");
        n = atof(at + strlen("next.refresh.interval=")) - 1;
        /* the seconds were cut to integers: waits of 2.5 to 7.5 for a base of 5 became 2 to 7 */
        wait = (atof(refresh) + 0.25) / (5 * (double)(1 << (int)n)) - 0.5;
        r = wait > 0 ? (uint32_t)(wait * 4294967296.0) : 0;
    }
    free(refresh);
    return r;
}

static void make_again(struct golden *g, const char *own, const char *active)
{
    char *location = golden_header(g->head, "\nLocation: "),
         *refresh = golden_header(g->head, "\nRefresh: ");
    struct rm_standby_answer a;

    if (strstr(g->path, "isActive"))
        goto out;
    make(g->path, own, active, random_of(g), &a);
    CU_ASSERT_EQUAL((int)a.status, g->status);
    same(&a.location, location);
    same(&a.refresh, refresh);
    if (strcmp(g->method, "HEAD") != 0)
        same(&a.body, g->body);
    rm_standby_answer_free(&a);
out:
    free(location);
    free(refresh);
}

static void make_standby(struct golden *g)
{
    make_again(g, STANDBY, ACTIVE);
}

static void make_none(struct golden *g)
{
    make_again(g, ACTIVE, "");
}

static void test_recorded(void)
{
    each_recording("ha-standby/*", make_standby);
    each_recording("ha-none/*", make_none);
}

/* ---- what the recordings do not hold ---- */
static const struct {
    /* @rest: Location after the address; @quoted: the same in the body, escaped */
    const char *target, *rest;
    const char *quoted;
} redirects[] = {
    {"/a?", "/a", "/a"},
    {"/a?x", "/a?x", "/a?x"},
    {"/a?x=", "/a?x=", "/a?x="},
    {"/a?x&y=1&&z", "/a?x&y=1&z", "/a?x&amp;y=1&amp;z"},
    {"/a?x=1+2%2B3", "/a?x=1+2%2B3", "/a?x=1+2%2B3"},
    {"/a?k%3D=%3D", "/a?k%3D=%3D", "/a?k%3D=%3D"},
    {"/a?x=~*-_.", "/a?x=%7E*-_.", "/a?x=%7E*-_."},
    {"/a?x=%C3%A4\xc3\xb6", "/a?x=%C3%A4%C3%B6", "/a?x=%C3%A4%C3%B6"},
    {"/a%20b/'<\">&?x=%0d%0aSet-Cookie:", "/a%20b/'<\">&?x=%0D%0ASet-Cookie%3A",
     "/a%20b/&apos;&lt;&quot;&gt;&amp;?x=%0D%0ASet-Cookie%3A"},
    {"/a\x01\t\x7f\xc3\xb6?x=\x01", "/a%01%09%7F%C3%B6?x=%01",
     "/a%01%09%7F%C3%B6?x=%01"}, /* bytes that no header may have */
    {"//evil.example/x", "//evil.example/x",
     "//evil.example/x"}, /* follows the active RM's address, so names no other host */
    {"/a?next.refresh.interval=9", "/a?next.refresh.interval=9", "/a?next.refresh.interval=9"},
};

static void test_redirects(void)
{
    for (size_t i = 0; i < sizeof redirects / sizeof *redirects; i++) {
        char *location = base_printf("%s%s", ACTIVE, redirects[i].rest);
        char *body =
            base_printf("This is standby RM. The redirect url is: %s\n", redirects[i].quoted);
        struct rm_standby_answer a;

        make(redirects[i].target, STANDBY, ACTIVE, 0, &a);
        CU_ASSERT_EQUAL(a.status, 307);
        same(&a.location, location);
        same(&a.body, body);
        CU_ASSERT_EQUAL(a.refresh.len, 0);
        rm_standby_answer_free(&a);
        free(location);
        free(body);
    }
}

static const struct {
    const char *query;
    unsigned status;
    uint32_t random;
    const char *refresh; /* @ stands for the address; NULL: no Refresh */
} waits[] = {
    {"", 307, 0, "2;url=@/a?next.refresh.interval=1"},
    {"", 307, UINT32_MAX, "7;url=@/a?next.refresh.interval=1"},
    {"?next.refresh.interval=0", 307, 0, "2;url=@/a?next.refresh.interval=1"},
    {"?next.refresh.interval=%205+", 307, UINT32_MAX, "239;url=@/a?next.refresh.interval=6"},
    {"?next.refresh.interval=5&x=%2C", 307, 0, "80;url=@/a?next.refresh.interval=6&x=%2C"},
    {"?x=%2C%26%25%22", 307, 0, "2;url=@/a?x=,&%25%22&next.refresh.interval=1"},
    {"?x=%C3%A4", 307, 0, "2;url=@/a?x=%C3%A4&next.refresh.interval=1"},
    {"?next.refresh.interval=6", 200, 0, NULL},
    {"?next.refresh.interval=", 200, 0, NULL},
    {"?next.refresh.interval", 200, 0, NULL},
    {"?next.refresh.interval=-1", 200, 0, NULL},
    {"?next.refresh.interval=99999999999999999999", 200, 0, NULL},
};

static void test_waits(void)
{
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        char *target = base_printf("/a%s", waits[i].query), *refresh = NULL;
        const char *at = waits[i].refresh ? strchr(waits[i].refresh, '@') : NULL;
        struct rm_standby_answer a;

        if (at)
            refresh = base_printf("%.*s%s%s", (int)(at - waits[i].refresh), waits[i].refresh,
                                  STANDBY, at + 1);
        /* an active address that is our own counts as none */
        make(target, STANDBY, i % 2 ? "" : STANDBY, waits[i].random, &a);
        CU_ASSERT_EQUAL(a.status, waits[i].status);
        same(&a.refresh, refresh);
        CU_ASSERT_EQUAL(a.location.len, 0);
        CU_ASSERT_PTR_NOT_NULL(
            strstr(a.body.data, "\nHA Zookeeper Connection State: " ZOOKEEPER "\n"));
        rm_standby_answer_free(&a);
        free(target);
        free(refresh);
    }
}

static void test_wait_path(void)
{
    struct rm_standby_answer a;

    make("/a\x01\xc3\xb6", STANDBY, "", 0, &a);
    same(&a.refresh, "2;url=" STANDBY "/a%01%C3%B6?next.refresh.interval=1");
    rm_standby_answer_free(&a);
}

static void test_exempt(void)
{
    static const char *const yes[] = {"/ws/v1/cluster/info",
                                      "/cluster/cluster",
                                      "/conf",
                                      "/stacks",
                                      "/logLevel",
                                      "/logs",
                                      "/jmx",
                                      "/prom",
                                      "/isActive",
                                      "/proxy/application_1_0001/",
                                      "/static/yarn.css",
                                      "/logs/a",
                                      "/metrics",
                                      "/ws/v1/cluster/ha",
                                      "/ws/v1/nodetracker/heartbeat",
                                      "*"}; /* "*" is no path: answered 404 here */
    static const char *const no[] = {"/ws/v1/cluster/nodes/n1:8041/raw-logs/c/stdout",
                                     "/ws/v1/cluster",
                                     "/ws/v1/cluster/info/",
                                     "/conf/",
                                     "/ws/v1/cluster/metrics",
                                     "/cluster",
                                     "/",
                                     "/isActive/",
                                     "/proxy",
                                     "/static",
                                     "/CONF",
                                     "/ws/v1/cluster/ha/",
                                     "/ws/v1/nodetracker",
                                     "/ws/v1/cluster/info;a=b"};

    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        CU_ASSERT_TRUE(rm_standby_is_exempt_path(yes[i]));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        CU_ASSERT_FALSE(rm_standby_is_exempt_path(no[i]));
}

/* ---- over HTTP ---- */
static struct api_server *server;
static uint16_t port;
static int handled;

static void handler(struct api_request *rq, void *user)
{
    struct base_buf b = {0};

    (void)user;
    handled++;
    base_buf_adds(&b, "{}");
    api_answer(rq, 200, API_JSON, &b);
}

/* The leadership ends while the request is under way. */
static void handler_over(struct api_request *rq, void *user)
{
    rm_standby_answer_leadership_over(rq, user, "this ResourceManager is no longer the active one");
}

static struct api_route *routes;

static void start(void)
{
    static const struct api_route own[] = {
        {"GET", "/ws/v1/cluster/info", API_ROLE_READ, 0, handler, 0},
        {"GET", "/ws/v1/cluster/apps", API_ROLE_READ, 0, handler, 0},
        {"POST", "/ws/v1/cluster/apps", API_ROLE_WRITE, 1 << 20, handler, 0},
        {"GET", "/ws/v1/cluster/metrics", API_ROLE_READ, 0, handler, 0},
        {"POST", "/ws/v1/nodetracker/heartbeat", API_ROLE_NODE, 1 << 20, handler, API_ROUTE_CREEL},
        {"POST", "/ws/v1/cluster/jobs", API_ROLE_WRITE, 1 << 20, handler, API_ROUTE_CREEL},
        {"GET", "/proxy/over", API_ROLE_READ, 0, handler_over, 0},
    };
    struct api_server_conf conf = {.bind = "127.0.0.1",
                                   .threads = 1,
                                   .static_user = "dr.who",
                                   .keys = client_keys(),
                                   .gate = rm_standby_answer_unless_active};
    struct base_error err = {0};
    size_t n = sizeof own / sizeof *own;

    routes = base_realloc_array(NULL, n + rm_api_ha_routes_n, sizeof *routes);
    memcpy(routes, own, sizeof own);
    memcpy(routes + n, rm_api_ha_routes, rm_api_ha_routes_n * sizeof *routes);
    conf.hosts = api_hosts_new();
    api_hosts_add_addresses(conf.hosts, "proxy.example");
    base_assert(api_server_start(&conf, routes, n + rm_api_ha_routes_n, NULL, &server, &err) == 0);
    api_hosts_free(conf.hosts);
    port = api_server_port(server);
}

static void stop(void)
{
    api_server_stop(server);
    free(routes);
}

static void ask(const char *method, const char *path, const char *headers, const char *body,
                struct client_answer *a)
{
    client_do(port, method, path, headers, body, a);
}

static void has(const struct client_answer *a, const char *name, const char *value)
{
    char *line = base_printf("%s: %s", name, value);

    if (!client_has(a, line))
        fprintf(stderr, "no '%s' in\n%s\n", line, a->head);
    CU_ASSERT_TRUE(client_has(a, line));
    free(line);
}

static void has_not(const struct client_answer *a, const char *name)
{
    char *start_of_line = base_printf("\n%s:", name);

    CU_ASSERT_PTR_NULL(strcasestr(a->head, start_of_line));
    free(start_of_line);
}

/* Returns the recorded header lines without Host and Content-Length, each ended by CR LF; the
 * caller frees them. */
static char *headers_of(const struct golden *g)
{
    struct base_buf b = {0};
    const char *at = strchr(g->request_head, '\n');

    while (at && *++at) {
        size_t n = strcspn(at, "\n");

        if (strncasecmp(at, "Host:", 5) != 0 && strncasecmp(at, "Content-Length:", 15) != 0)
            base_buf_addf(&b, "%.*s\r\n", (int)n, at);
        at = strchr(at, '\n');
    }
    return base_buf_take(&b);
}

static void ask_again(struct golden *g)
{
    char *headers = headers_of(g), *type = golden_header(g->head, "\nContent-Type: ");
    char *location = golden_header(g->head, "\nLocation: "),
         *length = golden_header(g->head, "\nContent-Length: ");
    char *connection = golden_header(g->head, "\nConnection: ");
    struct client_answer a;

    ask(g->method, g->path, headers, g->request_body[0] ? g->request_body : NULL, &a);
    CU_ASSERT_EQUAL(a.status, g->status);
    has(&a, "Content-Type", type);
    if (location)
        has(&a, "Location", location);
    else
        has_not(&a, "Location");
    if (strcmp(g->method, "HEAD") == 0)
        CU_ASSERT_EQUAL(a.body.len, 0);
    /* with Refresh, the body's length depends on the random wait */
    if (length && !strstr(g->head, "Refresh")) {
        has(&a, "Content-Length", length);
        if (strcmp(g->method, "HEAD") != 0 && strlen(g->body) < PAGE_CUT)
            same(&a.body, g->body);
        else if (strcmp(g->method, "HEAD") != 0)
            CU_ASSERT_NSTRING_EQUAL(a.body.data, g->body, PAGE_CUT);
    }
    if (connection)
        has(&a, "Connection", connection);
    has_not(&a, "Content-Encoding");
    if (g->status != 200 || !strstr(g->path, "isActive"))
        has_not(&a, "Vary");
    CU_ASSERT_EQUAL(!strstr(g->head, "\nRefresh: "), !strstr(a.head, "\nRefresh: "));
    client_free(&a);
    free(headers);
    free(type);
    free(location);
    free(length);
    free(connection);
}

static void test_recorded_http(void)
{
    handled = 0;
    fake_standby(STANDBY, ACTIVE);
    each_recording("ha-standby/*", ask_again);
    fake_standby(ACTIVE, "");
    each_recording("ha-none/*", ask_again);
    CU_ASSERT_EQUAL(handled, 0);
    fake.role = RM_ROLE_ACTIVE;
    fake.leads = true;
    each_recording("ha-active/ha-isactive", ask_again);
}

static int status_of(const char *method, const char *path, const char *headers, const char *body)
{
    struct client_answer a;
    int status;

    ask(method, path, headers, body, &a);
    status = a.status;
    client_free(&a);
    return status;
}

static void test_who_passes(void)
{
    fake_standby(STANDBY, ACTIVE);
    handled = 0;
    CU_ASSERT_EQUAL(status_of("GET", "/ws/v1/cluster/info", NULL, NULL), 200);
    CU_ASSERT_EQUAL(status_of("POST", "/ws/v1/nodetracker/heartbeat",
                              CLIENT_SIGNED "Content-Type: application/json\r\n", "{}"),
                    200);
    CU_ASSERT_EQUAL(handled, 2);
    /* authentication comes before the gate */
    CU_ASSERT_EQUAL(
        status_of("POST", "/ws/v1/nodetracker/heartbeat", "Authorization: Bearer guess\r\n", "{}"),
        401);
    CU_ASSERT_EQUAL(status_of("GET", "/bogus?user.name=", NULL, NULL), 400);
    CU_ASSERT_EQUAL(status_of("GET", "/ws/v1/cluster/apps?user.name=a%26b", NULL, NULL), 400);
    CU_ASSERT_EQUAL(status_of("GET", "/%zz", NULL, NULL), 400);
    CU_ASSERT_EQUAL(status_of("GET", "*", NULL, NULL), 404);
    /* put after our address, this would turn it into a user name */
    CU_ASSERT_EQUAL(status_of("GET", "@evil.example/", NULL, NULL), 400);
    CU_ASSERT_EQUAL(handled, 2);
    CU_ASSERT_EQUAL(status_of("PATCH", "/ws/v1/cluster/apps", NULL, NULL), 307);
    /* an active RM whose lease is over answers as a standby */
    fake.role = RM_ROLE_ACTIVE;
    fake.active = "";
    CU_ASSERT_EQUAL(status_of("GET", "/ws/v1/cluster/apps", NULL, NULL), 307);
    CU_ASSERT_EQUAL(status_of("GET", "/isActive", NULL, NULL), 405);
    fake.leads = true;
    CU_ASSERT_EQUAL(status_of("GET", "/ws/v1/cluster/apps", NULL, NULL), 200);
    CU_ASSERT_EQUAL(status_of("GET", "/isActive", NULL, NULL), 200);
    CU_ASSERT_EQUAL(status_of("GET", "/bogus", NULL, NULL), 404);
    CU_ASSERT_EQUAL(status_of("GET", "/isActive/", NULL, NULL), 404);
    CU_ASSERT_EQUAL(status_of("PATCH", "/ws/v1/cluster/apps", NULL, NULL), 503);
    fake.role = RM_ROLE_ACTIVATING;
    CU_ASSERT_EQUAL(status_of("GET", "/ws/v1/cluster/apps", NULL, NULL), 307);
    CU_ASSERT_EQUAL(status_of("GET", "/isActive", NULL, NULL), 405);
    CU_ASSERT_EQUAL(handled, 3);
}

/* A standby that took itself for the active RM would send clients in circles: an active address
 * that is our own is never followed, whatever its case, and when only the configured address is
 * ours. */
static void test_no_redirect_to_ourselves(void)
{
    static const char *const own[] = {STANDBY, "http://LOCALHOST:18250", "http://10.0.0.1:18250"};
    struct client_answer a;

    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        fake_standby(own[i], STANDBY); /* our address as configured, the first of fake.all */
        ask("GET", "/ws/v1/cluster/apps", NULL, NULL, &a);
        CU_ASSERT_EQUAL(a.status, 307);
        has_not(&a, "Location");
        CU_ASSERT_PTR_NOT_NULL(
            strstr(a.body.data, "Can not find any active RM. Will retry in next "));
        client_free(&a);
    }
}

/* The body of a request that is sent on is read all the same, so that the connection can serve the
 * next request. */
static void test_kept_connection(void)
{
    static const size_t large = 3 << 20;
    struct base_buf rq = {0};
    struct client_answer a;
    int fd = client_connect(port);

    fake_standby(STANDBY, ACTIVE);
    base_buf_addf(
        &rq, "POST /ws/v1/cluster/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: %zu\r\n\r\n",
        large);
    base_buf_reserve(&rq, large);
    memset(rq.data + rq.len, 'x', large);
    rq.len += large;
    for (int i = 0; i < 3; i++) {
        client_send(fd, rq.data, rq.len);
        CU_ASSERT_TRUE(client_read(fd, false, &a));
        CU_ASSERT_EQUAL(a.status, 307);
        has(&a, "Location", ACTIVE "/ws/v1/cluster/jobs");
        client_free(&a);
    }
    close(fd);
    base_buf_free(&rq);
}

static void test_leadership_ends(void)
{
    struct client_answer a;

    fake_standby(STANDBY, ACTIVE);
    ask("GET", "/proxy/over?x=1", NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 307);
    has(&a, "Location", ACTIVE "/proxy/over?x=1");
    client_free(&a);
    fake.active = "";
    ask("GET", "/proxy/over", NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 503);
    has(&a, "Retry-After", "1");
    same(&a.body,
         "{\"RemoteException\":{\"exception\":\"StandbyException\",\"message\":\"this "
         "ResourceManager is no "
         "longer the active one\",\"javaClassName\":\"org.apache.hadoop.ipc.StandbyException\"}}");
    client_free(&a);
}

static void is(const char *method, const char *body, int status, const char *want)
{
    struct client_answer a;

    ask(method, "/ws/v1/cluster/ha", body ? "Content-Type: application/json\r\n" : NULL, body, &a);
    CU_ASSERT_EQUAL(a.status, status);
    if (!strstr(a.body.data, want))
        fprintf(stderr, "no %s in %s\n", want, a.body.data);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, want));
    client_free(&a);
}

static void test_admin(void)
{
    fake_standby(STANDBY, ACTIVE);
    fake.ha = true;
    fake.zookeeper = "connected to 127.0.0.1:2181, session 0x1";
    is("GET", NULL, 200,
       "{\"haEnabled\":true,\"rmId\":\"rm-2\",\"state\":\"standby\",\"url\":\"" STANDBY
       "\",\"activeUrl\":\"" ACTIVE "\",\"rms\":[\"" STANDBY "\",\"" ACTIVE
       "\"],\"epoch\":7,\"zookeeper\":\"connected to 127.0.0.1:2181, session 0x1\","
       "\"takeovers\":2,\"lateAnswers\":3,\"storeMultis\":5,\"refusedWrites\":4}");
    CU_ASSERT_STRING_EQUAL(rm_standby_get_zookeeper_text(NULL), "Connected to zookeeper : true");
    fake.zookeeper = "no server answers";
    CU_ASSERT_STRING_EQUAL(rm_standby_get_zookeeper_text(NULL), "Connected to zookeeper : false");
    is("POST", "{\"state\":\"standby\"}", 200, "\"state\":\"standby\"");
    CU_ASSERT_EQUAL(fake.resigned_us, -1);
    fake.role = RM_ROLE_ACTIVATING;
    CU_ASSERT_STRING_EQUAL(rm_standby_get_state_name(NULL, true), "INITIALIZING");
    is("POST", "{\"state\":\"standby\"}", 409, "is not active");
    fake.role = RM_ROLE_ACTIVE;
    fake.leads = true;
    is("GET", NULL, 200,
       "\"state\":\"active\",\"url\":\"" STANDBY "\",\"activeUrl\":\"" STANDBY "\"");
    is("POST", "{\"state\":\"active\"}", 409, "Automatic failover is enabled");
    is("POST", "{\"state\":\"asleep\"}", 400,
       "state: \\\"asleep\\\" is neither standby nor active");
    is("POST", "{\"state\":\"standby\",\"holdMs\":-1}", 400,
       "holdMs: -1 is not an integer from 0 to 600000");
    is("POST", "[]", 400, "the body is not an object");
    is("POST", "{\"state\":\"standby\",\"hold\":1}", 400, "holdMs");
    CU_ASSERT_EQUAL(fake.resigned_us, -1);
    is("POST", "{\"state\":\"standby\",\"holdMs\":250}", 202, "\"state\":\"standby\"");
    CU_ASSERT_EQUAL(fake.resigned_us, 250000);
    fake.role = RM_ROLE_ACTIVE;
    is("POST", "{\"state\":\"standby\"}", 202, "\"state\":\"standby\"");
    CU_ASSERT_EQUAL(fake.resigned_us, 10000000);
    fake.role = RM_ROLE_ACTIVE;
    fake.ha = false;
    is("POST", "{\"state\":\"standby\"}", 409, "HA is not enabled");
}

static int post_ha_as(const char *headers)
{
    char *all = base_printf("%sContent-Type: application/json\r\n", headers);
    int status = status_of("POST", "/ws/v1/cluster/ha", all, "{\"state\":\"standby\"}");

    free(all);
    return status;
}

/* Goal: a page of another site cannot make a visitor's browser change anything here, and clients
 * that are no browsers are not hindered.
 * Method: the headers that browsers send along, at a resource that ends a leadership. */
static void test_other_sites(void)
{
    static const char *const strange[] = {
        "Origin: http://evil.example\r\n",
        "Origin: null\r\n",
        "Origin: http://localhost.evil.example\r\n",
        "Origin: http://evil.example\r\nSec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: same-site\r\n",
        "Origin: http://evil.example\r\nSec-Fetch-Site: same-origin\r\n"};
    static const char *const own[] = {
        "Origin: http://localhost\r\n", "Origin: https://LOCALHOST\r\n",
        "Origin: http://proxy.example\r\nSec-Fetch-Site: same-origin\r\n",
        "Sec-Fetch-Site: none\r\n", ""};

    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
        fake_standby(STANDBY, ACTIVE);
        fake.role = RM_ROLE_ACTIVE;
        fake.leads = fake.ha = true;
        CU_ASSERT_EQUAL(post_ha_as(strange[i]), 403);
        CU_ASSERT_EQUAL(fake.resigned_us, -1);
        /* a GET is answered: the browser keeps the answer from the other site's page */
        CU_ASSERT_EQUAL(status_of("GET", "/ws/v1/cluster/ha", strange[i], NULL), 200);
    }
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        fake_standby(STANDBY, ACTIVE);
        fake.role = RM_ROLE_ACTIVE;
        fake.leads = fake.ha = true;
        CU_ASSERT_EQUAL(post_ha_as(own[i]), 202);
    }
}

static const struct cunit_case cases[] = {
    {"recorded answers, made again", test_recorded},
    {"redirects", test_redirects},
    {"waits without an active RM", test_waits},
    {"a path that no header holds, while nobody is active", test_wait_path},
    {"exempt paths", test_exempt},
    {"recorded answers over HTTP", test_recorded_http},
    {"who passes the gate", test_who_passes},
    {"never to ourselves", test_no_redirect_to_ourselves},
    {"the connection is kept", test_kept_connection},
    {"the leadership ends on the way", test_leadership_ends},
    {"cluster/ha", test_admin},
    {"pages of other sites", test_other_sites},
};

int main(void)
{
    int rc;

    base_log_init("test_standby", BASE_LOG_TEXT, BASE_LOG_ERROR);
    start();
    rc = cunit_main("standby", cases, sizeof cases / sizeof *cases);
    stop();
    return rc;
}
