/* Which host names a server answers to, and which bodies it takes: both keep a web page from
 * sending requests in its reader's name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/server/conf.h"
#include "api/server/hosts.h"
#include "api/server/uri.h"
#include "tests/unit/api_client.h"
#include "tests/unit/cunit_main.h"

#define JSON "Content-Type: application/json\r\n"

/* ---- names alone ---- */

static void test_authority(void)
{
    static const struct {
        const char *text, *host; /* NULL: refused */
        int port;
        bool literal;
    } cases_[] = {
        {"rm", "rm", -1, false},
        {"RM.Example.ORG:8088", "rm.example.org", 8088, false},
        {"rm.example.org.", "rm.example.org", -1, false},
        {"rm:", "rm", -1, false},
        {"a_b-c:0", "a_b-c", 0, false},
        {"127.0.0.1:8088", "127.0.0.1", 8088, true},
        {"192.0.2.1.", "192.0.2.1", -1, true},
        {"[::1]", "::1", -1, true},
        {"[2001:DB8:0:0:0:0:0:1]:80", "2001:db8::1", 80, true},
        {"127.1", "127.1", -1, false},
        {"0x7f.1", "0x7f.1", -1, false},
        {"2130706433", "2130706433", -1, false},
        {"1.2.3.4.evil.example", "1.2.3.4.evil.example", -1, false},
        {"", NULL, 0, false},
        {".", ".", -1, false}, /* a name that nobody has */
        {":80", NULL, 0, false},
        {"rm:80x", NULL, 0, false},
        {"rm:65536", NULL, 0, false},
        {"rm:-1", NULL, 0, false},
        {"rm:+1", NULL, 0, false},
        {"rm:1:2", NULL, 0, false},
        {"::1", NULL, 0, false},
        {"[::1", NULL, 0, false},
        {"[::1]x", NULL, 0, false},
        {"[rm]", NULL, 0, false},
        {"[]", NULL, 0, false},
        {"user@rm", NULL, 0, false},
        {"rm/x", NULL, 0, false},
        {"rm,rm", NULL, 0, false},
        {"r m", NULL, 0, false},
        {"r\xc3\xa4m", NULL, 0, false},
    };
    char longest[API_HOST_MAX + 2];
    struct api_authority a;

    for (size_t i = 0; i < sizeof cases_ / sizeof cases_[0]; i++) {
        bool ok = api_authority_parse(cases_[i].text, &a);

        if (ok != (cases_[i].host != NULL))
            fprintf(stderr, "\"%s\": %d\n", cases_[i].text, ok);
        CU_ASSERT_EQUAL(ok, cases_[i].host != NULL);
        if (!ok || !cases_[i].host)
            continue;
        CU_ASSERT_STRING_EQUAL(a.host, cases_[i].host);
        CU_ASSERT_EQUAL(a.port, cases_[i].port);
        CU_ASSERT_EQUAL(a.literal, cases_[i].literal);
    }
    memset(longest, 'a', sizeof longest);
    longest[API_HOST_MAX + 1] = '\0';
    CU_ASSERT_FALSE(api_authority_parse(longest, &a));
    longest[API_HOST_MAX] = '\0';
    CU_ASSERT_TRUE(api_authority_parse(longest, &a));
}

static bool origin_is(const char *origin, const char *host)
{
    struct api_authority a;

    CU_ASSERT_TRUE_FATAL(api_authority_parse(host, &a));
    return api_origin_matches(origin, &a);
}

static void test_origin(void)
{
    CU_ASSERT_TRUE(origin_is("http://rm:8088", "rm:8088"));
    CU_ASSERT_TRUE(origin_is("HTTP://RM:8088", "rm.:8088"));
    CU_ASSERT_TRUE(origin_is("http://rm", "rm:80"));
    CU_ASSERT_TRUE(origin_is("http://rm:80", "rm"));
    CU_ASSERT_TRUE(origin_is("https://rm", "rm:443"));
    CU_ASSERT_TRUE(origin_is("https://rm", "rm")); /* TLS ends at a proxy in front of us */
    CU_ASSERT_TRUE(origin_is("http://[::1]:1", "[0::1]:1"));
    CU_ASSERT_FALSE(origin_is("http://rm", "rm:8088"));
    CU_ASSERT_FALSE(origin_is("http://rm:8089", "rm:8088"));
    CU_ASSERT_FALSE(origin_is("http://rm.evil.example:8088", "rm:8088"));
    CU_ASSERT_FALSE(origin_is("null", "null"));
    CU_ASSERT_FALSE(origin_is("", "rm"));
    CU_ASSERT_FALSE(origin_is("rm:8088", "rm:8088"));
    CU_ASSERT_FALSE(origin_is("file://rm", "rm"));
    CU_ASSERT_FALSE(origin_is("http://rm/x", "rm"));
}

static bool has(const struct api_hosts *h, const char *text)
{
    struct api_authority a;

    CU_ASSERT_TRUE_FATAL(api_authority_parse(text, &a));
    return api_hosts_allow(h, &a);
}

static void test_set(void)
{
    struct api_hosts *h = api_hosts_new(), *copy;
    struct base_error err;
    char own[API_HOST_MAX + 1] = "";

    CU_ASSERT_EQUAL(gethostname(own, sizeof own - 1), 0);
    CU_ASSERT_TRUE(has(h, own));
    own[strcspn(own, ".")] = '\0';
    CU_ASSERT_TRUE(has(h, own));
    CU_ASSERT_TRUE(has(h, "LocalHost.:1"));
    CU_ASSERT_TRUE(has(h, "203.0.113.9"));
    CU_ASSERT_TRUE(has(h, "[2001:db8::1]:8088"));
    CU_ASSERT_FALSE(has(h, "evil.example"));
    CU_ASSERT_FALSE(has(h, "127.1"));
    api_hosts_add_addresses(h, "http://Master:8088, rm2.lan:1 http://rm3/x,127.0.0.1:1,[::1]:2,,!");
    CU_ASSERT_TRUE(has(h, "master"));
    CU_ASSERT_TRUE(has(h, "rm2.lan"));
    CU_ASSERT_TRUE(has(h, "rm3:9"));
    CU_ASSERT_EQUAL(api_hosts_add_list(h, "key", "web.example, .lan.example", &err), 0);
    copy = api_hosts_copy(h);
    api_hosts_free(h);
    CU_ASSERT_TRUE(has(copy, "web.example:443"));
    CU_ASSERT_FALSE(has(copy, "x.web.example"));
    CU_ASSERT_TRUE(has(copy, "a.b.lan.example"));
    CU_ASSERT_FALSE(has(copy, "lan.example"));
    CU_ASSERT_FALSE(has(copy, "xlan.example"));
    CU_ASSERT_EQUAL(api_hosts_add_list(copy, "key", "", &err), 0);
    static const char *const refused[] = {"a:80",       "http://a", "a b,c/d", ".",
                                          ".127.0.0.1", "*.a",      "[::1]",   "a:"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        CU_ASSERT_EQUAL(api_hosts_add_list(copy, "some.key", refused[i], &err), -BASE_EINVAL);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "some.key: \""));
    }
    api_hosts_free(copy);
}

/* ---- the configuration ---- */

static void test_configuration(void)
{
    static const char *const args[] = {
        "creel.rm.bind=bound",
        "creel.nodemanager.rm=http://master:8088,http://other:8088",
        "creel.nodemanager.host=node7",
        "yarn.resourcemanager.webapp.address.rm2=web2:8088",
        "yarn.resourcemanager.hostname.rm3=host3",
        "yarn.resourcemanager.hostname=host0",
        "yarn.unrelated=stranger",
        "creel.http.allowed-hosts=proxy.example",
    };
    static const char *const names[] = {"bound", "master", "other", "node7",
                                        "web2",  "host3",  "host0", "proxy.example"};
    struct base_conf *conf = base_conf_new();
    struct api_server_conf sc = {0};
    struct base_error err;

    for (size_t i = 0; i < sizeof args / sizeof args[0]; i++)
        CU_ASSERT_EQUAL(base_conf_set_arg(conf, args[i], &err), 0);
    CU_ASSERT_EQUAL(base_conf_check(conf, NULL, &err), 0);
    CU_ASSERT_EQUAL(api_conf_read(conf, "resourcemanager", &sc, &err), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        CU_ASSERT_TRUE(has(sc.hosts, names[i]));
    CU_ASSERT_FALSE(has(sc.hosts, "stranger"));
    api_conf_free(&sc);
    CU_ASSERT_PTR_NULL(sc.hosts);
    CU_ASSERT_EQUAL(base_conf_set_arg(conf, "creel.http.allowed-hosts=http://a", &err), 0);
    CU_ASSERT_EQUAL(api_conf_read(conf, "resourcemanager", &sc, &err), -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "creel.http.allowed-hosts: \"http://a\""));
    api_conf_free(&sc);
    base_conf_free(conf);
}

/* ---- on the wire ---- */

static uint16_t port;
static int handled;

static void on_any(struct api_request *rq, void *user)
{
    (void)user;
    handled++;
    api_answer(rq, 200, API_JSON, NULL);
}

static bool no_gate(struct api_request *rq, void *user)
{
    (void)rq;
    (void)user;
    handled++; /* must not be called for a request to another host */
    return false;
}

static const struct api_route routes[] = {
    {"GET", "/ws/v1/cluster/info", API_ROLE_READ, 0, on_any, 0},
    {"POST", "/ws/v1/cluster/apps", API_ROLE_WRITE, 1000, on_any, 0},
    {"POST", "/ws/v1/cluster/jobs", API_ROLE_WRITE, 1000, on_any, API_ROUTE_CREEL},
    {"POST", "/ws/v1/nodetracker/heartbeat", API_ROLE_NODE, 1000, on_any, API_ROUTE_CREEL},
    {"POST", "/ws/v1/cluster/apps/{id}/master/allocate", API_ROLE_MASTER, 1000, on_any,
     API_ROUTE_CREEL},
};

/* Sends a whole request on its own connection; returns the status. */
static int raw(const char *text)
{
    struct client_answer a;
    int status;

    client_once(port, text, strlen(text), &a);
    status = a.status;
    client_free(&a);
    return status;
}

static int ask(const char *method, const char *path, const char *headers, const char *body)
{
    struct client_answer a;
    int status;

    client_do(port, method, path, headers, body, &a);
    status = a.status;
    client_free(&a);
    return status;
}

static void test_host_on_the_wire(void)
{
    static const char *const methods[] = {"GET",    "HEAD",    "POST", "PUT",
                                          "DELETE", "OPTIONS", "PATCH"};
    static const char *const paths[] = {"/ws/v1/cluster/info", "/", "/bogus", "*", "/%zz"};
    struct client_answer a;
    char own[300] = "", text[600];

    handled = 0;
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        for (size_t j = 0; j < sizeof paths / sizeof paths[0]; j++) {
            snprintf(text, sizeof text, "%s %s HTTP/1.1\r\nHost: evil.example:1\r\n\r\n",
                     methods[i], paths[j]);
            CU_ASSERT_EQUAL(raw(text), 421);
        }
    CU_ASSERT_EQUAL(handled, 0);
    client_do(port, "GET", "/ws/v1/cluster/info",
              "Host: evil.example\r\nAccept: application/xml\r\n", NULL, &a);
    CU_ASSERT_EQUAL(a.status, 421);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, "evil.example"));
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, "creel.http.allowed-hosts"));
    CU_ASSERT_PTR_NULL(strstr(a.head, "Connection: close")); /* the connection may go on */
    client_free(&a);
    /* As a browser sends it after DNS rebinding, when it takes this server for the page's own
     * site. */
    CU_ASSERT_EQUAL(ask("POST", "/ws/v1/cluster/jobs",
                        "Host: evil.example\r\nOrigin: http://evil.example\r\n"
                        "Sec-Fetch-Site: same-origin\r\n" JSON,
                        "{}"),
                    421);
    CU_ASSERT_EQUAL(raw("GET / HTTP/1.1\r\n\r\n"), 400);
    CU_ASSERT_EQUAL(raw("GET /ws/v1/cluster/info HTTP/1.0\r\n\r\n"), 400);
    CU_ASSERT_EQUAL(raw("GET /ws/v1/cluster/info HTTP/1.0\r\nHost: localhost\r\n\r\n"), 200);
    CU_ASSERT_EQUAL(
        raw("GET /ws/v1/cluster/info HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n"), 400);
    CU_ASSERT_EQUAL(
        raw("GET /ws/v1/cluster/info HTTP/1.1\r\nHost: localhost\r\nhost: evil.example\r\n\r\n"),
        400);
    CU_ASSERT_EQUAL(raw("GET /ws/v1/cluster/info HTTP/1.1\r\nHost: \r\n\r\n"), 400);
    CU_ASSERT_EQUAL(
        raw("GET /ws/v1/cluster/info HTTP/1.1\r\nHost: localhost, evil.example\r\n\r\n"), 400);
    CU_ASSERT_EQUAL(raw("GET /ws/v1/cluster/info HTTP/1.1\r\nHost: evil.example@localhost\r\n\r\n"),
                    400);
    /* A full URL as target: its host and the Host header both have to be ours. */
    CU_ASSERT_EQUAL(
        raw("GET http://localhost:1/ws/v1/cluster/info HTTP/1.1\r\nHost: localhost\r\n\r\n"), 200);
    CU_ASSERT_EQUAL(
        raw("GET HTTP://[::1]/ws/v1/cluster/info?x HTTP/1.1\r\nHost: localhost\r\n\r\n"), 200);
    CU_ASSERT_EQUAL(
        raw("GET http://evil.example/ws/v1/cluster/info HTTP/1.1\r\nHost: localhost\r\n\r\n"), 421);
    CU_ASSERT_EQUAL(
        raw("GET http://localhost/ws/v1/cluster/info HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 421);
    CU_ASSERT_EQUAL(raw("GET http:///ws/v1/cluster/info HTTP/1.1\r\nHost: localhost\r\n\r\n"), 400);
    CU_ASSERT_EQUAL(raw("GET x://localhost/ws/v1/cluster/info HTTP/1.1\r\nHost: localhost\r\n\r\n"),
                    400);
    gethostname(own, sizeof own - 1);
    snprintf(text, sizeof text, "Host: %s:8088\r\n", own);
    CU_ASSERT_EQUAL(ask("GET", "/ws/v1/cluster/info", text, NULL), 200);
    CU_ASSERT_EQUAL(ask("GET", "/ws/v1/cluster/info", "Host: LOCALHOST.:1\r\n", NULL), 200);
    CU_ASSERT_EQUAL(ask("GET", "/ws/v1/cluster/info", "Host: [::1]:8088\r\n", NULL), 200);
    CU_ASSERT_EQUAL(ask("GET", "/ws/v1/cluster/info", "Host: given.example\r\n", NULL), 200);
}

static int submit(const char *headers)
{
    char *all = base_printf("%s" JSON, headers);
    int status = ask("POST", "/ws/v1/cluster/jobs", all, "{}");

    free(all);
    return status;
}

static void test_other_sites(void)
{
    CU_ASSERT_EQUAL(submit(""), 200);
    CU_ASSERT_EQUAL(submit("Origin: http://localhost\r\n"), 200);
    CU_ASSERT_EQUAL(submit("Host: given.example:8088\r\nOrigin: http://given.example:8088\r\n"),
                    200);
    CU_ASSERT_EQUAL(submit("Sec-Fetch-Site: same-origin\r\n"), 200);
    CU_ASSERT_EQUAL(submit("Sec-Fetch-Site: none\r\n"), 200);
    CU_ASSERT_EQUAL(submit("Origin: http://evil.example\r\n"), 403);
    CU_ASSERT_EQUAL(submit("Origin: null\r\n"), 403);
    CU_ASSERT_EQUAL(submit("Origin: http://localhost:1\r\n"), 403);
    CU_ASSERT_EQUAL(submit("Origin: https://localhost:80\r\n"), 403);
    CU_ASSERT_EQUAL(submit("Sec-Fetch-Site: cross-site\r\n"), 403);
    CU_ASSERT_EQUAL(submit("Sec-Fetch-Site: same-site\r\n"), 403);
    /* Either header alone is enough to refuse. */
    CU_ASSERT_EQUAL(submit("Sec-Fetch-Site: same-origin\r\nOrigin: http://evil.example\r\n"), 403);
    /* Reading is served: the browser does not let that page see the answer. */
    CU_ASSERT_EQUAL(ask("GET", "/ws/v1/cluster/info", "Origin: http://evil.example\r\n", NULL),
                    200);
}

/* A page may send a body of some media types to another site without asking; JSON is not among
 * them. So any other type is refused, whatever the body looks like. */
static void test_media_types(void)
{
    static const char *const paths[] = {"/ws/v1/cluster/jobs", "/ws/v1/nodetracker/heartbeat",
                                        "/ws/v1/cluster/apps/x/master/allocate"};
    static const char *const wrong[] = {
        "",
        "Content-Type: text/plain\r\n",
        "Content-Type: text/plain; x=application/json\r\n",
        "Content-Type: application/x-www-form-urlencoded\r\n",
        "Content-Type: application/xml\r\n",
        "Content-Type: application/json, text/plain\r\n",
        "Content-Type: text/plain\r\nContent-Type: application/json\r\n",
        "Content-Type: application/json\r\nContent-Type: text/plain\r\n",
    };

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        char *headers = base_printf(
            "%s" JSON, strstr(paths[i], "master") ? "Authorization: Bearer x\r\n" : CLIENT_SIGNED);

        CU_ASSERT_EQUAL(ask("POST", paths[i], headers, "{}"), 200);
        free(headers);
        for (size_t j = 0; j < sizeof wrong / sizeof wrong[0]; j++) {
            headers = base_printf(
                "%s%s", strstr(paths[i], "master") ? "Authorization: Bearer x\r\n" : CLIENT_SIGNED,
                wrong[j]);
            handled = 0;
            CU_ASSERT_EQUAL(ask("POST", paths[i], headers, "{}"), 415);
            CU_ASSERT_EQUAL(handled, 1); /* the gate was called, the handler was not */
            free(headers);
        }
    }
    /* YARN's own resources take JSON and XML, and refuse other types as YARN does. */
    CU_ASSERT_EQUAL(ask("POST", "/ws/v1/cluster/apps", JSON, "{}"), 200);
    CU_ASSERT_EQUAL(ask("POST", "/ws/v1/cluster/apps",
                        "Content-Type: application/xml;charset=utf-8\r\n", "<a/>"),
                    200);
    for (size_t j = 0; j < sizeof wrong / sizeof wrong[0]; j++)
        if (!strstr(wrong[j], "xml"))
            CU_ASSERT_EQUAL(ask("POST", "/ws/v1/cluster/apps", wrong[j], "{}"), 503);
    /* Without a body the type does not matter. */
    CU_ASSERT_EQUAL(ask("POST", "/ws/v1/cluster/jobs", NULL, NULL), 200);
    CU_ASSERT_EQUAL(ask("POST", "/ws/v1/cluster/jobs", "Content-Type: text/plain\r\n", ""), 200);
    CU_ASSERT_EQUAL(raw("POST /ws/v1/cluster/jobs HTTP/1.1\r\nHost: "
                        "localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                        "2\r\n{}\r\n0\r\n\r\n"),
                    415);
}

static const struct cunit_case cases[] = {
    {"a name with its port", test_authority}, {"sites of pages", test_origin},
    {"the set of names", test_set},           {"names of the configuration", test_configuration},
    {"Host", test_host_on_the_wire},          {"pages of other sites", test_other_sites},
    {"types of bodies", test_media_types},
};

int main(void)
{
    struct api_server_conf conf = {.bind = "127.0.0.1",
                                   .threads = 1,
                                   .keys = client_keys(),
                                   .static_user = "u",
                                   .gate = no_gate};
    struct api_server *server;
    struct base_error err;
    int rc;

    conf.hosts = api_hosts_new();
    api_hosts_add_addresses(conf.hosts, "given.example");
    base_assert(api_server_start(&conf, routes, sizeof routes / sizeof routes[0], NULL, &server,
                                 &err) == 0);
    api_conf_free(&conf); /* the server has its own copy */
    port = api_server_port(server);
    rc = cunit_main("api_hosts", cases, sizeof cases / sizeof cases[0]);
    api_server_stop(server);
    return rc;
}
