/* Who callers are, and which sites may read answers: cookies, doAs, cross-origin settings. Expected
 * heads and bodies follow recordings of YARN 3.4.2. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/server/access/auth.h"
#include "api/server/access/cors.h"
#include "api/server/conf.h"
#include "tests/unit/api_client.h"
#include "tests/unit/cunit_main.h"

#define SITE "Origin: http://ui.example\r\n"

static struct base_conf *conf;
static struct api_server *server;
static uint16_t port;

static void on_who(struct api_request *rq, void *user)
{
    struct base_buf b = {0};

    (void)user;
    base_buf_adds(&b, api_caller(rq) ? api_caller(rq) : "-");
    api_add_header(rq, "X-Named", api_caller_is_named(rq) ? "yes" : "no");
    api_answer(rq, 200, API_TEXT, &b);
}

static const struct api_route routes[] = {
    {"GET", "/ws/v1/cluster/who", API_ROLE_READ, 0, on_who, 0},
    {"PUT", "/ws/v1/cluster/who", API_ROLE_WRITE, 100, on_who, 0},
    {"POST", "/ws/v1/cluster/who", API_ROLE_WRITE, 100, on_who, API_ROUTE_FORM},
    {"GET", "/servlet", API_ROLE_READ, 0, on_who, API_ROUTE_SERVLET},
    {"GET", "/node", API_ROLE_NODE, 0, on_who, API_ROUTE_CREEL},
};

/* @settings: "key=value" texts, ended by NULL. */
static void start(const char *const *settings)
{
    struct api_server_conf sc = {.static_user = "dr.who", .keys = client_keys()};
    struct base_error err = {0};

    conf = base_conf_new();
    CU_ASSERT_EQUAL_FATAL(base_conf_set_arg(conf, "creel.auth=simple", &err), 0);
    for (; *settings; settings++)
        CU_ASSERT_EQUAL_FATAL(base_conf_set_arg(conf, *settings, &err), 0);
    CU_ASSERT_EQUAL_FATAL(base_conf_check(conf, NULL, &err), 0);
    CU_ASSERT_EQUAL_FATAL(api_conf_read(conf, "resourcemanager", &sc, &err), 0);
    CU_ASSERT_EQUAL_FATAL(
        api_server_start(&sc, routes, sizeof routes / sizeof *routes, NULL, &server, &err), 0);
    api_conf_free(&sc);
    port = api_server_port(server);
}

static void stop(void)
{
    api_server_stop(server);
    base_conf_free(conf);
}

static int ask(const char *path, const char *headers, struct client_answer *a)
{
    client_do(port, "GET", path, headers, NULL, a);
    return a->status;
}

static void expect_caller(const char *path, const char *headers, const char *caller)
{
    struct client_answer a;

    CU_ASSERT_EQUAL(ask(path, headers, &a), 200);
    CU_ASSERT_STRING_EQUAL(a.body.data ? a.body.data : "", caller);
    client_free(&a);
}

/* Returns "Cookie: hadoop.auth=..." with the cookie of an answer, without its attributes, as a
 * header to be sent; the caller frees. */
static char *cookie_of(const struct client_answer *a)
{
    const char *at = strstr(a->head, "Set-Cookie: hadoop.auth=\"u="), *end;

    CU_ASSERT_PTR_NOT_NULL_FATAL(at);
    end = strstr(at, "; Path=/; HttpOnly\r\n");
    CU_ASSERT_PTR_NOT_NULL_FATAL(end);
    at += strlen("Set-");
    return base_printf("%.*s\r\n", (int)(end - at), at);
}

static void test_cookie(void)
{
    static const char *const none[] = {NULL};
    struct client_answer a;
    char *cookie, *unquoted, *at;

    start(none);
    CU_ASSERT_EQUAL(ask("/ws/v1/cluster/who?user.name=alice", NULL, &a), 200);
    CU_ASSERT_STRING_EQUAL(a.body.data, "alice");
    CU_ASSERT_PTR_NOT_NULL(strstr(a.head, "u=alice&p=alice&t=simple-dt&e="));
    cookie = cookie_of(&a);
    client_free(&a);
    expect_caller("/ws/v1/cluster/who", cookie, "alice");
    expect_caller("/ws/v1/cluster/who?user.name=bob", cookie, "alice"); /* the cookie wins */
    unquoted = base_strdup(cookie);
    for (at = unquoted; *at; at++)
        if (*at == '"')
            memmove(at, at + 1, strlen(at));
    expect_caller("/ws/v1/cluster/who", unquoted, "alice");
    /* no second cookie for one that is valid */
    CU_ASSERT_EQUAL(ask("/ws/v1/cluster/who", cookie, &a), 200);
    CU_ASSERT_PTR_NULL(strstr(a.head, "Set-Cookie"));
    CU_ASSERT_PTR_NOT_NULL(strstr(a.head, "X-Named: yes"));
    client_free(&a);
    CU_ASSERT_EQUAL(ask("/ws/v1/cluster/who", NULL, &a), 200);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.head, "X-Named: no"));
    client_free(&a);
    /* with another name and the old signature, the cookie does not count */
    at = strstr(cookie, "u=alice");
    at[2] = 'm';
    expect_caller("/ws/v1/cluster/who", cookie, "dr.who");
    CU_ASSERT_EQUAL(ask("/ws/v1/cluster/who?user.name=bob", cookie, &a), 200);
    CU_ASSERT_STRING_EQUAL(a.body.data, "bob");
    CU_ASSERT_PTR_NOT_NULL(strstr(a.head, "Set-Cookie: hadoop.auth=\"u=bob&"));
    client_free(&a);
    /* paths that lead nowhere set the cookie, too */
    CU_ASSERT_EQUAL(ask("/nowhere?user.name=alice", NULL, &a), 404);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.head, "Set-Cookie: hadoop.auth=\"u=alice&"));
    client_free(&a);
    CU_ASSERT_EQUAL(ask("/ws/v1/cluster/who?user.name=a%26b", NULL, &a), 400);
    client_free(&a);
    free(unquoted);
    free(cookie);
    stop();
}

/* Cookies expire, and daemons that share a secret accept each other's. */
static void test_secret(void)
{
    char path[] = "/tmp/creel-secret-XXXXXX", *user = NULL;
    int fd = mkstemp(path);
    struct base_conf *c = base_conf_new();
    struct base_error err = {0};
    struct api_auth *one, *other, *nodes;
    struct base_buf cookie = {0};
    char *setting = base_printf("hadoop.http.authentication.signature.secret.file=%s", path);

    CU_ASSERT_EQUAL_FATAL(fd < 0, 0);
    CU_ASSERT_EQUAL(write(fd, "secret\n", 7), 7);
    close(fd);
    CU_ASSERT_EQUAL(base_conf_set_arg(c, setting, &err), 0);
    CU_ASSERT_EQUAL(base_conf_check(c, NULL, &err), 0);
    CU_ASSERT_EQUAL_FATAL(api_auth_new(c, &(struct api_auth_kind){.type = "simple-dt"}, &one, &err),
                          0);
    CU_ASSERT_EQUAL_FATAL(
        api_auth_new(c, &(struct api_auth_kind){.type = "simple-dt"}, &other, &err), 0);
    CU_ASSERT_EQUAL_FATAL(api_auth_new(c, &(struct api_auth_kind){.type = "simple"}, &nodes, &err),
                          0);
    api_auth_add_cookie(one, "alice", "alice", 1000, &cookie);
    *strstr(cookie.data, "; Path") = '\0';
    CU_ASSERT_EQUAL(api_auth_check_cookie(other, cookie.data, 1000 + 35999999, &user),
                    API_AUTH_VALID);
    CU_ASSERT_STRING_EQUAL(user, "alice");
    free(user);
    CU_ASSERT_EQUAL(api_auth_check_cookie(other, cookie.data, 1000 + 36000000, &user),
                    API_AUTH_EXPIRED);
    CU_ASSERT_EQUAL(api_auth_check_cookie(nodes, cookie.data, 1000, &user), API_AUTH_BAD_SIGNATURE);
    CU_ASSERT_EQUAL(api_auth_check_cookie(one, "a=b; c=d", 1000, &user), API_AUTH_NO_COOKIE);
    CU_ASSERT_EQUAL(api_auth_check_cookie(one, "a=b; hadoop.auth=x; c=d", 1000, &user),
                    API_AUTH_BAD_SIGNATURE);
    base_buf_free(&cookie);
    api_auth_unref(one);
    api_auth_unref(other);
    api_auth_unref(nodes);
    unlink(path);
    CU_ASSERT_EQUAL(api_auth_new(c, &(struct api_auth_kind){.type = "simple"}, &nodes, &err),
                    -BASE_EIO);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "signature.secret.file"));
    free(setting);
    base_conf_free(c);
}

/* Of several cookies the valid ones count, unless they are of different users. */
static void test_several_cookies(void)
{
    static const struct api_auth_kind by_ticket = {API_AUTH_KERBEROS, "nodemanager", true};
    static const struct {
        const char *format; /* A and B: cookies of ann and bob, X: one of nobody */
        enum api_auth_cookie result;
    } headers[] = {{"A", API_AUTH_VALID},
                   {"AA", API_AUTH_VALID},
                   {"XA", API_AUTH_VALID},
                   {"AX", API_AUTH_VALID},
                   {"-A", API_AUTH_VALID},
                   {"AB", API_AUTH_BAD_SIGNATURE},
                   {"BA", API_AUTH_BAD_SIGNATURE},
                   {"AAB", API_AUTH_BAD_SIGNATURE},
                   {"XAXBX", API_AUTH_BAD_SIGNATURE},
                   {"XX", API_AUTH_BAD_SIGNATURE},
                   {"-", API_AUTH_NO_COOKIE}};
    struct base_conf *c = base_conf_new();
    struct base_error err = {0};
    struct base_buf ann = {0}, bob = {0};
    struct api_auth *a;

    CU_ASSERT_EQUAL(base_conf_check(c, NULL, &err), 0);
    CU_ASSERT_EQUAL_FATAL(api_auth_new(c, &by_ticket, &a, &err), 0);
    api_auth_add_cookie(a, "ann", "ann@A.ORG", 1000, &ann);
    api_auth_add_cookie(a, "bob", "bob@A.ORG", 1000, &bob);
    *strstr(ann.data, "; Path") = '\0';
    *strstr(bob.data, "; Path") = '\0';
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        struct base_buf header = {0};
        char *user = NULL;

        for (const char *at = headers[i].format; *at; at++)
            base_buf_addf(&header, "other=1; %s; ",
                          *at == 'A'   ? ann.data
                          : *at == 'B' ? bob.data
                          : *at == 'X' ? "hadoop.auth=\"u=eve&p=eve&t=kerberos&e=9999&s=x\""
                                       : "hadoop.auth=");
        CU_ASSERT_EQUAL(api_auth_check_cookie(a, header.data, 1000, &user), headers[i].result);
        CU_ASSERT_EQUAL(user != NULL, headers[i].result == API_AUTH_VALID);
        if (user)
            CU_ASSERT_STRING_EQUAL(user, "ann");
        free(user);
        base_buf_free(&header);
    }
    base_buf_free(&ann);
    base_buf_free(&bob);
    api_auth_unref(a);
    base_conf_free(c);
}

/* A secret by which users are known is private, long enough, and not cut. */
static void test_secret_of_proofs(void)
{
    static const struct api_auth_kind by_ticket = {API_AUTH_KERBEROS, "nodemanager", true};
    static const struct {
        mode_t mode;
        size_t len;
        const char *why; /* NULL: good */
    } files[] = {{0600, 16, NULL},         {0400, 4096, NULL},   {0600, 15, "at least 16"},
                 {0600, 0, "at least 16"}, {0600, 4097, "4096"}, {0640, 32, "0640"},
                 {0604, 32, "0604"}};
    char path[] = "/tmp/creel-secret-XXXXXX";
    int fd = mkstemp(path);
    struct base_conf *c = base_conf_new();
    struct base_error err = {0};
    char *setting = base_printf("hadoop.http.authentication.signature.secret.file=%s", path);

    CU_ASSERT_EQUAL_FATAL(fd < 0, 0);
    CU_ASSERT_EQUAL(base_conf_set_arg(c, setting, &err), 0);
    CU_ASSERT_EQUAL(base_conf_check(c, NULL, &err), 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct api_auth *a = NULL;
        int rc;

        CU_ASSERT_EQUAL(ftruncate(fd, (off_t)files[i].len), 0);
        CU_ASSERT_EQUAL(fchmod(fd, files[i].mode), 0);
        rc = api_auth_new(c, &by_ticket, &a, &err);
        CU_ASSERT_EQUAL(rc, files[i].why ? -BASE_EINVAL : 0);
        if (files[i].why) {
            CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "signature.secret.file"));
            CU_ASSERT_PTR_NOT_NULL(strstr(err.text, files[i].why));
        }
        api_auth_unref(a);
    }
    close(fd);
    unlink(path);
    free(setting);
    base_conf_free(c);
}

/* Daemons of one kind that share a secret take each other's cookies of tickets; a ResourceManager
 * takes none of a node. */
static void test_makers_of_cookies(void)
{
    static const struct api_auth_kind kinds[] = {{API_AUTH_KERBEROS, "resourcemanager", true},
                                                 {API_AUTH_KERBEROS, "resourcemanager", true},
                                                 {API_AUTH_KERBEROS, "nodemanager", true},
                                                 {API_AUTH_KERBEROS, NULL, true}};
    enum { N = sizeof kinds / sizeof *kinds };
    char path[] = "/tmp/creel-secret-XXXXXX", text[] = "sixteen or more bytes";
    int fd = mkstemp(path);
    struct base_conf *c = base_conf_new();
    struct base_error err = {0};
    struct api_auth *auths[N];
    char *setting = base_printf("hadoop.http.authentication.signature.secret.file=%s", path);

    CU_ASSERT_EQUAL_FATAL(fd < 0, 0);
    CU_ASSERT_EQUAL(write(fd, text, sizeof text), sizeof text);
    close(fd);
    CU_ASSERT_EQUAL(base_conf_set_arg(c, setting, &err), 0);
    CU_ASSERT_EQUAL(base_conf_check(c, NULL, &err), 0);
    for (size_t i = 0; i < N; i++)
        CU_ASSERT_EQUAL_FATAL(api_auth_new(c, &kinds[i], &auths[i], &err), 0);
    for (size_t from = 0; from < N; from++) {
        struct base_buf cookie = {0};

        api_auth_add_cookie(auths[from], "ann", "ann@A.ORG", 1000, &cookie);
        *strstr(cookie.data, "; Path") = '\0';
        for (size_t to = 0; to < N; to++) {
            bool alike = from == to || from + to == 1;
            char *user = NULL;

            CU_ASSERT_EQUAL(api_auth_check_cookie(auths[to], cookie.data, 1000, &user),
                            alike ? API_AUTH_VALID : API_AUTH_BAD_SIGNATURE);
            free(user);
        }
        base_buf_free(&cookie);
    }
    for (size_t i = 0; i < N; i++)
        api_auth_unref(auths[i]);
    unlink(path);
    free(setting);
    base_conf_free(c);
}

static void test_anonymous_refused(void)
{
    static const char *const settings[] = {
        "hadoop.http.authentication.simple.anonymous.allowed=false", NULL};
    struct client_answer a;
    char *cookie;

    start(settings);
    CU_ASSERT_EQUAL(ask("/ws/v1/cluster/who", NULL, &a), 401);
    CU_ASSERT_TRUE(client_has(&a, "WWW-Authenticate: PseudoAuth"));
    CU_ASSERT_TRUE(client_has(&a, "Set-Cookie: hadoop.auth=; Path=/; HttpOnly"));
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: text/html;charset=iso-8859-1"));
    client_free(&a);
    CU_ASSERT_EQUAL(ask("/servlet", "Accept: application/json\r\n", &a), 401);
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: application/json"));
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, "\"message\":\"Authentication required\",\n"
                                               "\"url\":\"/servlet\",\n\"status\":\"401\"\n}"));
    client_free(&a);
    CU_ASSERT_EQUAL(ask("/nowhere", "Accept: application/xml\r\n", &a), 401);
    CU_ASSERT_EQUAL(a.body.len, 0);
    CU_ASSERT_PTR_NULL(strstr(a.head, "\nContent-Type"));
    client_free(&a);
    client_do(port, "PUT", "/ws/v1/cluster/who", "Content-Type: application/json\r\n", "{}", &a);
    CU_ASSERT_EQUAL(a.status, 401);
    CU_ASSERT_PTR_NULL(strstr(a.head, "Cache-Control"));
    client_free(&a);
    CU_ASSERT_EQUAL(
        ask("/ws/v1/cluster/who",
            "Cookie: hadoop.auth=\"u=alice&p=alice&t=simple-dt&e=9999999999999&s=AAAA\"\r\n", &a),
        401);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, "SignerException: Invalid signature"));
    client_free(&a);
    CU_ASSERT_EQUAL(ask("/ws/v1/cluster/who?user.name=alice", NULL, &a), 200);
    cookie = cookie_of(&a);
    client_free(&a);
    expect_caller("/ws/v1/cluster/who", cookie, "alice");
    free(cookie);
    /* daemons of the cluster sign their requests instead of naming themselves */
    CU_ASSERT_EQUAL(ask("/node", CLIENT_SIGNED, &a), 200);
    client_free(&a);
    CU_ASSERT_EQUAL(ask("/ws/v1/cluster/who", CLIENT_SIGNED, &a), 200);
    client_free(&a);
    CU_ASSERT_EQUAL(ask("/node", NULL, &a), 401);
    CU_ASSERT_TRUE(client_has(&a, "WWW-Authenticate: Creel-HMAC"));
    client_free(&a);
    stop();
}

static void test_names_ignored(void)
{
    static const char *const settings[] = {
        "hadoop.http.filter.initializers=org.apache.hadoop.http.lib.StaticUserWebFilter,"
        "org.apache.hadoop.security.HttpCrossOriginFilterInitializer",
        NULL};
    struct client_answer a;

    start(settings);
    CU_ASSERT_EQUAL(ask("/ws/v1/cluster/who?user.name=alice", NULL, &a), 200);
    CU_ASSERT_STRING_EQUAL(a.body.data, "dr.who");
    CU_ASSERT_PTR_NULL(strstr(a.head, "Set-Cookie"));
    client_free(&a);
    stop();
}

static void test_do_as(void)
{
    static const char *const settings[] = {"hadoop.proxyuser.hue.users=*",
                                           "hadoop.proxyuser.hue.hosts=*",
                                           "hadoop.proxyuser.far.users=*",
                                           "hadoop.proxyuser.far.hosts=10.0.0.1,192.168.0.0/16",
                                           "hadoop.proxyuser.near.users=carol, bob",
                                           "hadoop.proxyuser.near.hosts=127.0.0.0/8",
                                           "hadoop.proxyuser.group.groups=root",
                                           "hadoop.proxyuser.group.hosts=127.0.0.1",
                                           NULL};
    static const char *const refused[] = {"/ws/v1/cluster/who?user.name=alice&doAs=bob",
                                          "/ws/v1/cluster/who?user.name=far&doAs=bob",
                                          "/ws/v1/cluster/who?user.name=near&doAs=dave",
                                          "/ws/v1/cluster/who?user.name=group&doAs=no-such-user"};
    struct client_answer a;

    start(settings);
    expect_caller("/ws/v1/cluster/who?user.name=hue&doAs=bob", NULL, "bob");
    expect_caller("/ws/v1/cluster/who?user.name=near&doAs=bob", NULL, "bob");
    expect_caller("/ws/v1/cluster/who?user.name=group&doAs=root", NULL, "root");
    /* doAs counts only for callers with a name */
    expect_caller("/ws/v1/cluster/who?doAs=bob", NULL, "dr.who");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        CU_ASSERT_EQUAL(ask(refused[i], NULL, &a), 403);
        client_free(&a);
    }
    CU_ASSERT_EQUAL(ask(refused[0], NULL, &a), 403);
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: application/json"));
    CU_ASSERT_PTR_NOT_NULL(strstr(a.head, "Set-Cookie: hadoop.auth=\"u=alice&"));
    CU_ASSERT_STRING_EQUAL(
        a.body.data, "{\n  \"RemoteException\" : {\n"
                     "    \"message\" : \"User: alice is not allowed to impersonate bob\",\n"
                     "    \"exception\" : \"AuthorizationException\",\n    \"javaClassName\" : "
                     "\"org.apache.hadoop.security.authorize.AuthorizationException\"\n  }\n}");
    client_free(&a);
    stop();
}

/* Returns true when the answer to a request with these headers may be read by the page. */
static bool shared(const char *method, const char *headers)
{
    struct client_answer a;
    bool yes;

    client_do(port, method, "/ws/v1/cluster/who", headers, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 200);
    yes = strstr(a.head, "Access-Control-Allow-Origin: ") != NULL;
    client_free(&a);
    return yes;
}

static void test_cross_origin(void)
{
    static const char *const off[] = {NULL};
    static const char *const on[] = {"yarn.resourcemanager.webapp.cross-origin.enabled=true", NULL};
    static const char *const some[] = {
        "yarn.resourcemanager.webapp.cross-origin.enabled=true",
        "hadoop.http.cross-origin.allowed-origins= http://ui.example ,http://*.b.example,"
        "regex:http://c[0-9]+.example",
        "hadoop.http.cross-origin.allowed-methods=GET,PUT", NULL};
    struct client_answer a;

    start(off);
    CU_ASSERT_FALSE(shared("GET", SITE));
    client_do(port, "PUT", "/ws/v1/cluster/who", SITE "Content-Type: application/json\r\n", "{}",
              &a);
    CU_ASSERT_EQUAL(a.status, 403); /* no page of another site changes anything */
    client_free(&a);
    stop();

    start(on);
    CU_ASSERT_EQUAL(ask("/ws/v1/cluster/who", SITE, &a), 200);
    CU_ASSERT_TRUE(client_has(&a, "Access-Control-Allow-Origin: http://ui.example"));
    CU_ASSERT_TRUE(client_has(&a, "Access-Control-Allow-Credentials: true"));
    CU_ASSERT_TRUE(client_has(&a, "Access-Control-Allow-Methods: GET,POST,HEAD"));
    CU_ASSERT_TRUE(client_has(
        &a, "Access-Control-Allow-Headers: X-Requested-With,Content-Type,Accept,Origin"));
    CU_ASSERT_TRUE(client_has(&a, "Access-Control-Max-Age: 1800"));
    client_free(&a);
    CU_ASSERT_FALSE(shared("GET", NULL));
    CU_ASSERT_TRUE(shared("OPTIONS", SITE "Access-Control-Request-Method: GET\r\n"
                                          "Access-Control-Request-Headers: Accept, Origin\r\n"));
    CU_ASSERT_FALSE(shared("OPTIONS", SITE "Access-Control-Request-Method: PUT\r\n"));
    CU_ASSERT_FALSE(shared("OPTIONS", SITE "Access-Control-Request-Headers: X-Foo\r\n"));
    CU_ASSERT_FALSE(shared("OPTIONS", SITE "Access-Control-Request-Headers: content-type\r\n"));
    client_do(port, "PUT", "/ws/v1/cluster/who", SITE "Content-Type: application/json\r\n", "{}",
              &a);
    CU_ASSERT_EQUAL(a.status, 200);
    client_free(&a);
    stop();

    start(some);
    CU_ASSERT_TRUE(shared("GET", SITE));
    CU_ASSERT_TRUE(shared("GET", "Origin: http://bad.example http://ui.example\r\n"));
    CU_ASSERT_TRUE(shared("GET", "Origin: http://a.b.example\r\n"));
    CU_ASSERT_TRUE(shared("GET", "Origin: http://c12.example\r\n"));
    CU_ASSERT_FALSE(shared("GET", "Origin: http://c.example\r\n"));
    CU_ASSERT_FALSE(shared("GET", "Origin: http://bad.example\r\n"));
    CU_ASSERT_FALSE(shared("GET", "Origin: http://ui.example.evil\r\n"));
    CU_ASSERT_TRUE(shared("OPTIONS", SITE "Access-Control-Request-Method: PUT\r\n"));
    stop();
}

/* Sends @method as a page of @origin would; returns the status. */
static int ask_as_page(const char *method, const char *origin, const char *type)
{
    char *headers = base_printf("Origin: %s\r\n%s%s%s", origin, type ? "Content-Type: " : "",
                                type ? type : "", type ? "\r\n" : "");
    struct client_answer a;
    int status;

    client_do(port, method, "/ws/v1/cluster/who", headers, type ? "{}" : NULL, &a);
    status = a.status;
    client_free(&a);
    free(headers);
    return status;
}

/* Goal: an entry that matches pages of any site does not let them change anything that their
 * reader's browser can reach. Method: requests that browsers send without asking first, and others
 * that they ask about. */
static void test_changes_of_any_site(void)
{
    static const char *const entries[] = {"*",
                                          "http://*",
                                          "http*",
                                          "http://ui*",
                                          "regex:.*",
                                          "http://*:*",
                                          "http*://*:80*",
                                          "regex:http://.*:8080",
                                          "http://*.example",
                                          "http://*i.example",
                                          "http://u*i.example",
                                          "regex:http://ui.*",
                                          "regex:http://.*i\\.example:[0-9]+"};
    static const char *const types[] = {NULL, "text/plain", "application/x-www-form-urlencoded",
                                        "multipart/form-data; boundary=a",
                                        "text/plain; x=application/json"};

    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        char *origins = base_printf("hadoop.http.cross-origin.allowed-origins=%s", entries[i]);
        const char *const some[] = {"yarn.resourcemanager.webapp.cross-origin.enabled=true",
                                    origins, NULL};

        start(some);
        CU_ASSERT_TRUE(shared("GET", "Origin: http://ui.example:8080\r\n") ||
                       shared("GET", "Origin: http://ui.example\r\n"));
        for (size_t j = 0; j < sizeof types / sizeof *types; j++) {
            CU_ASSERT_EQUAL(ask_as_page("POST", "http://ui.example", types[j]), 403);
            CU_ASSERT_EQUAL(ask_as_page("POST", "http://ui.example:8080", types[j]), 403);
            CU_ASSERT_EQUAL(ask_as_page("POST", "null", types[j]), 403);
        }
        CU_ASSERT_TRUE(ask_as_page("POST", "http://ui.example", "application/json") == 200 ||
                       ask_as_page("POST", "http://ui.example:8080", "application/json") == 200);
        stop();
        free(origins);
    }
}

/* Goal: sites that the configuration names may send changes with any type of body, or none. */
static void test_changes_of_named_sites(void)
{
    static const char *const some[] = {
        "yarn.resourcemanager.webapp.cross-origin.enabled=true",
        "hadoop.http.cross-origin.allowed-origins=*,http://ui.example,http://*.b.example:*,null,"
        "*.c.example,http://*-ui.e.example,regex:http://.*\\.f\\.example,"
        "regex:https?://d[0-9]+.example",
        NULL};
    static const char *const named[] = {"http://ui.example",      "http://a.b.example:81",
                                        "https://x.c.example",    "https://d1.example",
                                        "http://my-ui.e.example", "http://a.b.f.example"};

    start(some);
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        CU_ASSERT_EQUAL(ask_as_page("POST", named[i], NULL), 200);
        CU_ASSERT_EQUAL(ask_as_page("PUT", named[i], "application/json"), 200);
    }
    CU_ASSERT_EQUAL(ask_as_page("POST", "http://other.example", NULL), 403);
    /* any page can make a frame whose origin is "null" */
    CU_ASSERT_EQUAL(ask_as_page("POST", "null", NULL), 403);
    CU_ASSERT_EQUAL(ask_as_page("PUT", "http://other.example", "application/json"), 200);
    stop();
}

static void test_bad_settings(void)
{
    static const char *const bad[][2] = {
        {"yarn.resourcemanager.webapp.cross-origin.enabled=true",
         "hadoop.http.cross-origin.allowed-origins=regex:("},
        {"hadoop.http.authentication.signature.secret.file=/nowhere/secret",
         "hadoop.http.authentication.token.validity=1"}};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct api_server_conf sc = {0};
        struct base_error err = {0};

        conf = base_conf_new();
        CU_ASSERT_EQUAL(base_conf_set_arg(conf, bad[i][0], &err), 0);
        CU_ASSERT_EQUAL(base_conf_set_arg(conf, bad[i][1], &err), 0);
        CU_ASSERT_EQUAL(base_conf_check(conf, NULL, &err), 0);
        CU_ASSERT_TRUE(api_conf_read(conf, "resourcemanager", &sc, &err) < 0);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "hadoop.http."));
        api_conf_free(&sc);
        base_conf_free(conf);
    }
}

/* Servlets are outside of REST: exact paths, and the servlet engine's pages. */
static void test_servlets(void)
{
    static const char *const none[] = {NULL};
    struct client_answer a;

    start(none);
    CU_ASSERT_EQUAL(ask("/servlet", "Accept: text/plain\r\n", &a), 200);
    client_free(&a);
    CU_ASSERT_EQUAL(ask("/servlet/", NULL, &a), 404);
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: text/html;charset=iso-8859-1"));
    client_free(&a);
    client_do(port, "POST", "/servlet", NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 405);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(a.body.data, "<title>Error 405 HTTP method POST is not supported by this URL<"));
    client_free(&a);
    client_do(port, "TRACE", "/servlet", NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 405);
    CU_ASSERT_EQUAL(a.body.len, 0);
    CU_ASSERT_PTR_NULL(strstr(a.head, "\nContent-Type"));
    client_free(&a);
    stop();
}

static const struct cunit_case cases[] = {
    {"cookie", test_cookie},
    {"secret", test_secret},
    {"makers of cookies", test_makers_of_cookies},
    {"several cookies", test_several_cookies},
    {"a secret of proofs", test_secret_of_proofs},
    {"anonymous refused", test_anonymous_refused},
    {"names ignored", test_names_ignored},
    {"doAs", test_do_as},
    {"cross-origin", test_cross_origin},
    {"changes by pages of any site", test_changes_of_any_site},
    {"changes by pages of named sites", test_changes_of_named_sites},
    {"bad settings", test_bad_settings},
    {"servlets", test_servlets},
};
CUNIT_MAIN("access", cases)
