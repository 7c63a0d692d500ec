/* Goal: with API_AUTH_TOKEN a caller is who the bearer token says, and nobody else: what needs a
 * user is refused without a token, whatever names and cookies the request has; an invalid token is
 * refused everywhere; a user whom the preparation finds counts as one found at once; the session of
 * a browser is good for reading alone, and for our own pages. Method: a server that knows tokens
 * "NAME-ok" at once, and "NAME-late" only by its preparation, on a loopback address and, as the
 * option --insecure allows, on all addresses. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/pages/login.h"
#include "api/server/access/auth.h"
#include "api/server/conf.h"
#include "tests/unit/api_client.h"
#include "tests/unit/cunit_main.h"

static struct base_conf *conf; /* of the server */
static struct api_server *server;
static uint16_t port;
static int handled; /* calls of handlers */

static void on_who(struct api_request *rq, void *user)
{
    struct base_buf b = {0};

    (void)user;
    handled++;
    base_buf_adds(&b, api_caller(rq) ? api_caller(rq) : "-");
    api_add_header(rq, "X-Named", api_caller_is_named(rq) ? "yes" : "no");
    api_answer(rq, 200, API_TEXT, &b);
}

static const struct api_route routes[] = {
    {"GET", "/open", API_ROLE_READ, 0, on_who, API_ROUTE_CREEL},
    {"GET", "/private", API_ROLE_READ, 0, on_who, API_ROUTE_CREEL | API_ROUTE_PRIVATE},
    {"GET", "/probe", API_ROLE_READ, 0, on_who, API_ROUTE_CREEL | API_ROUTE_FOR_ALL},
    {"GET", "/writes", API_ROLE_WRITE, 0, on_who, API_ROUTE_CREEL},
    {"PUT", "/change", API_ROLE_WRITE, 100, on_who, API_ROUTE_CREEL | API_ROUTE_FORM},
    {"PUT", "/reads", API_ROLE_READ, 100, on_who, API_ROUTE_CREEL | API_ROUTE_FORM},
    {"GET", "/node", API_ROLE_NODE, 0, on_who, API_ROUTE_CREEL},
    {"GET", "/master", API_ROLE_MASTER, 0, on_who, API_ROUTE_CREEL},
};

static bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), k = strlen(end);

    return n > k && strcmp(text + n - k, end) == 0;
}

static enum api_token check_token(struct api_request *rq, const char *token, void *user,
                                  char **name)
{
    (void)rq;
    (void)user;
    if (ends_in(token, "-late"))
        return API_TOKEN_UNKNOWN;
    if (!ends_in(token, "-ok"))
        return API_TOKEN_REFUSED;
    *name = base_strndup(token, strlen(token) - 3);
    return API_TOKEN_VALID;
}

static void *settle_later(void *arg)
{
    struct api_request *rq = arg;
    const char *token = api_bearer_token(rq);
    char *name = base_strndup(token, strlen(token) - 5);

    api_settle_user(rq, strstr(name, "wrong") ? NULL : name);
    free(name);
    api_continue_handling(rq);
    return NULL;
}

/* Settles the user of a token "NAME-late" in another thread; leaves "never-late" unsettled. */
static bool prepare(struct api_request *rq, void *user)
{
    pthread_t thread;

    (void)user;
    if (!api_user_is_unsettled(rq) || strcmp(api_bearer_token(rq), "never-late") == 0)
        return false;
    api_park(rq);
    CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, settle_later, rq), 0);
    pthread_detach(thread);
    return true;
}

static bool trusts_daemons;

static void start(const char *bind, const char *static_user)
{
    struct base_error err = {0};
    struct api_server_conf sc = {.bind = bind,
                                 .insecure = true,
                                 .static_user = static_user,
                                 .keys = client_keys(),
                                 .check_token = check_token,
                                 .trusts_daemons = trusts_daemons,
                                 .prepare = prepare};

    conf = base_conf_new();
    CU_ASSERT_EQUAL_FATAL(base_conf_set_arg(conf, "hadoop.proxyuser.hue.users=ann", &err), 0);
    CU_ASSERT_EQUAL_FATAL(base_conf_set_arg(conf, "hadoop.proxyuser.hue.hosts=*", &err), 0);
    CU_ASSERT_EQUAL_FATAL(api_conf_read(conf, "resourcemanager", &sc, &err), 0);
    CU_ASSERT_EQUAL(sc.method, API_AUTH_TOKEN); /* the default */
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

#define SIGNED "signed" /* in place of a token */

/* @token NULL: none; SIGNED: the request is signed. Returns the status; *@who, which the caller
 * frees, becomes the body. */
static int ask(const char *method, const char *path, const char *token, char **who)
{
    char *headers = !token ? NULL
                    : strcmp(token, SIGNED) == 0
                        ? base_strdup(CLIENT_SIGNED)
                        : base_printf("Authorization: Bearer %s\r\n", token);
    struct client_answer a;
    int status;

    client_do(port, method, path, headers, strcmp(method, "PUT") == 0 ? "{}" : NULL, &a);
    status = a.status;
    if (status == 401 && strcmp(path, "/node") != 0)
        CU_ASSERT_PTR_NOT_NULL(strstr(a.head, "\r\nWWW-Authenticate: Bearer"));
    if (who)
        *who = base_strdup(a.body.data ? a.body.data : "");
    client_free(&a);
    free(headers);
    return status;
}

static void check_status(const char *method, const char *path, const char *token, int status)
{
    int before = handled;

    CU_ASSERT_EQUAL(ask(method, path, token, NULL), status);
    CU_ASSERT_EQUAL(handled, before + (status == 200));
}

static void check_who(const char *path, const char *token, const char *expected)
{
    char *who;

    CU_ASSERT_EQUAL(ask("GET", path, token, &who), 200);
    CU_ASSERT_STRING_EQUAL(who, expected);
    free(who);
}

static void test_loopback(void)
{
    start("127.0.0.1", "dr.who");
    check_who("/open", NULL, "dr.who");
    check_who("/probe", NULL, "dr.who");
    check_status("GET", "/private", NULL, 401);
    check_status("GET", "/writes", NULL, 401);
    check_status("PUT", "/change", NULL, 401);
    check_status("PUT", "/reads", NULL, 401);
    check_who("/open", "ann-ok", "ann");
    check_who("/private", "ann-ok", "ann");
    check_who("/writes", "ann-ok", "ann");
    check_status("PUT", "/change", "ann-ok", 200);
    check_status("PUT", "/reads", "ann-ok", 200);
    /* with a wrong token nothing is served, not even what needs no token */
    check_status("GET", "/open", "ann", 401);
    check_status("GET", "/probe", "ann", 401);
    check_status("PUT", "/change", "ann", 401);
    stop();
}

static void test_names(void)
{
    struct client_answer a;
    char *who;

    start("127.0.0.1", "dr.who");
    check_who("/open?user.name=eve", NULL, "dr.who");
    check_status("GET", "/private?user.name=eve", NULL, 401);
    check_who("/private?user.name=eve", "ann-ok", "ann");
    client_do(port, "GET", "/private",
              "Cookie: hadoop.auth=\"u=eve&p=eve&t=simple-dt&e=9999999999999&s=x\"\r\n", NULL, &a);
    CU_ASSERT_EQUAL(a.status, 401);
    CU_ASSERT_PTR_NULL(strstr(a.head, "Set-Cookie"));
    client_free(&a);
    /* for another user (doAs): only users who may act for that user */
    check_who("/private?doAs=ann", "hue-ok", "ann");
    check_status("GET", "/private?doAs=bob", "hue-ok", 403);
    check_status("GET", "/private?doAs=ann", "eve-ok", 403);
    CU_ASSERT_EQUAL(ask("GET", "/private?doAs=ann", NULL, &who), 401);
    free(who);
    stop();
}

/* Users whom the preparation finds. The server has no static user here, as that of a node has
 * none. */
static void test_later(void)
{
    start("127.0.0.1", NULL);
    check_who("/open", NULL, "-");
    check_who("/open", "ann-late", "ann");
    check_who("/private", "ann-late", "ann");
    check_status("PUT", "/change", "ann-late", 200);
    check_status("GET", "/open", "wrong-late", 401);
    check_status("GET", "/private", "wrong-late", 401);
    check_status("PUT", "/change", "wrong-late", 401);
    /* a user who is never found counts as no token */
    check_who("/open", "never-late", "-");
    check_status("GET", "/private", "never-late", 401);
    check_status("PUT", "/change", "never-late", 401);
    stop();
}

static int ask_with(const char *method, const char *path, const char *headers, char **who)
{
    struct client_answer a;
    int status;

    client_do(port, method, path, headers, strcmp(method, "PUT") == 0 ? "{}" : NULL, &a);
    status = a.status;
    if (who)
        *who = base_strdup(a.body.data ? a.body.data : "");
    client_free(&a);
    return status;
}

#define COOKIE(value) "Cookie: a=b; creel-session=" value "\r\n"

static void check_session(const char *path, const char *headers, const char *expected)
{
    char *who;

    CU_ASSERT_EQUAL(ask_with("GET", path, headers, &who), 200);
    CU_ASSERT_STRING_EQUAL(who, expected);
    free(who);
}

static void check_cookie_cleared(const char *path, const char *headers, bool expected)
{
    struct client_answer a;

    client_do(port, "GET", path, headers, NULL, &a);
    CU_ASSERT_EQUAL(strstr(a.head, "Set-Cookie: creel-session=; Path=/; Max-Age=0;") != NULL,
                    expected);
    client_free(&a);
}

/* A browser forgets a session that has been refused, whatever it asks for, and keeps a good one. */
static void test_refused_session_is_forgotten(void)
{
    start("127.0.0.1", "dr.who");
    check_cookie_cleared("/private", COOKIE("session-ann"), true);
    check_cookie_cleared("/open", COOKIE("session-ann"), true);
    check_cookie_cleared("/private", COOKIE("session-wrong-late"), true);
    check_cookie_cleared("/probe", COOKIE("session-wrong-late"), true);
    check_cookie_cleared("/private", COOKIE("session-ann-ok"), false);
    check_cookie_cleared("/private", COOKIE("session-ann-late"), false);
    check_cookie_cleared("/private", COOKIE("ann"), false);
    check_cookie_cleared("/private", "Authorization: Bearer ann\r\n", false);
    stop();
}

static void test_sessions(void)
{
    static const char *const foreign[] = {"http://evil.example", "null", "http://localhost:1"};
    char *headers;

    start("127.0.0.1", "dr.who");
    /* reading, at once or when the user is found later */
    check_session("/open", COOKIE("session-ann-ok"), "session-ann");
    check_session("/private", COOKIE("\"session-ann-ok\""), "session-ann");
    check_session("/private", COOKIE("session-ann-late"), "session-ann");
    /* and nothing else, not even from our own pages */
    headers = base_printf(COOKIE("session-ann-ok") "Origin: http://localhost:%u\r\n"
                                                   "Sec-Fetch-Site: same-origin\r\n",
                          port);
    check_session("/private", headers, "session-ann");
    CU_ASSERT_EQUAL(ask_with("GET", "/writes", headers, NULL), 401);
    CU_ASSERT_EQUAL(ask_with("PUT", "/change", headers, NULL), 401);
    CU_ASSERT_EQUAL(ask_with("PUT", "/reads", headers, NULL), 401);
    CU_ASSERT_EQUAL(ask_with("GET", "/node", headers, NULL), 401);
    CU_ASSERT_EQUAL(ask_with("GET", "/master", headers, NULL), 401);
    free(headers);
    /* nothing for scripts of other sites, which are nobody */
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        headers = base_printf(COOKIE("session-ann-ok") "Origin: %s\r\n", foreign[i]);
        check_session("/open", headers, "dr.who");
        CU_ASSERT_EQUAL(ask_with("GET", "/private", headers, NULL), 401);
        CU_ASSERT_EQUAL(ask_with("PUT", "/change", headers, NULL), 403);
        free(headers);
    }
    /* one that has ended is no hindrance where nobody is asked for */
    check_session("/open", COOKIE("session-ann"), "dr.who");
    CU_ASSERT_EQUAL(ask_with("GET", "/private", COOKIE("session-ann"), NULL), 401);
    check_session("/probe", COOKIE("session-wrong-late"), "dr.who");
    CU_ASSERT_EQUAL(ask_with("GET", "/private", COOKIE("session-wrong-late"), NULL), 401);
    /* tokens and sessions are not taken for each other; a token goes first */
    CU_ASSERT_EQUAL(ask_with("GET", "/private", COOKIE("ann-ok"), NULL), 401);
    check_status("GET", "/open", "session-ann-ok", 401);
    check_session("/private", COOKIE("session-ann-ok") "Authorization: Bearer bob-ok\r\n", "bob");
    stop();
}

/* The form of the page for logging in sends people on to pages of this server alone. */
static void test_way_back(void)
{
    static const char *const local[] = {"/", "/a", "/a?b=//c&d=http://e", "/a//b", "/%2F/b"};
    static const char *const other[] = {"",     "a",      "//a",       "/\\a", "\\/a", "/a\\b",
                                        "/\ta", "/a\r\n", "http://a/", " /a",  "/a b", "/\xc3\xa4"};

    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        CU_ASSERT(api_login_target_is_local(local[i]));
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        CU_ASSERT_FALSE(api_login_target_is_local(other[i]));
}

static void test_all_addresses(void)
{
    start("0.0.0.0", "dr.who");
    check_status("GET", "/open", NULL, 401);
    check_status("GET", "/private", NULL, 401);
    check_status("GET", "/probe", NULL, 200);
    check_who("/open", "ann-ok", "ann");
    check_who("/open", "ann-late", "ann");
    check_status("GET", "/open", "never-late", 401);
    stop();
}

/* Requests of the cluster's own daemons. The resources for nodes are always open to them. Where
 * daemons are trusted, they need no user for the other resources, and name one if they like;
 * elsewhere they may only read what anybody may read on a loopback address, and never in the name
 * of a user. */
static void test_cluster(void)
{
    start("0.0.0.0", "dr.who");
    check_status("GET", "/node", SIGNED, 200);
    check_who("/open?user.name=bob", SIGNED, "dr.who");
    check_status("GET", "/private?user.name=bob", SIGNED, 401);
    check_status("GET", "/writes?user.name=bob", SIGNED, 401);
    check_status("PUT", "/change?user.name=bob", SIGNED, 401);
    check_status("PUT", "/reads?user.name=bob", SIGNED, 401);
    stop();
    trusts_daemons = true;
    start("0.0.0.0", "dr.who");
    check_status("GET", "/node", SIGNED, 200);
    check_status("GET", "/node", "ann-ok", 401);
    check_status("GET", "/node", NULL, 401);
    check_status("GET", "/master", "any", 200); /* the handler has to check such a token */
    check_who("/private?user.name=bob", SIGNED, "bob");
    check_who("/open", SIGNED, "dr.who");
    stop();
    trusts_daemons = false;
}

/* On other addresses than loopback a server listens only with tokens and a secret of the cluster,
 * or with --insecure. */
static void test_listening(void)
{
    struct api_server_conf sc = {.bind = "0.0.0.0", .method = API_AUTH_SIMPLE};
    struct base_error err = {0};
    int fd;

    CU_ASSERT_EQUAL(api_open_listener(&sc, &err), -BASE_EPERM);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "creel.auth is simple"));
    sc.keys = client_keys();
    CU_ASSERT_EQUAL(api_open_listener(&sc, &err), -BASE_EPERM);
    sc.method = API_AUTH_TOKEN;
    fd = api_open_listener(&sc, &err);
    CU_ASSERT(fd > 0);
    close(fd);
    sc.keys = NULL;
    CU_ASSERT_EQUAL(api_open_listener(&sc, &err), -BASE_EPERM);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "no secret of the cluster"));
    sc.insecure = true;
    fd = api_open_listener(&sc, &err);
    CU_ASSERT(fd > 0);
    close(fd);
}

static void test_setting(void)
{
    struct api_server_conf sc = {0};
    struct base_error err = {0};

    conf = base_conf_new();
    CU_ASSERT_EQUAL(base_conf_set_arg(conf, "creel.auth=none", &err), 0);
    CU_ASSERT_EQUAL(api_conf_read(conf, "nodemanager", &sc, &err), -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(err.text, "creel.auth: \"none\": expected token, spnego or simple");
    api_conf_free(&sc);
    base_conf_free(conf);
}

static const struct cunit_case cases[] = {
    {"on a loopback address", test_loopback},
    {"names count for nothing", test_names},
    {"users found later", test_later},
    {"on all addresses", test_all_addresses},
    {"the cluster's own daemons", test_cluster},
    {"where a server may listen", test_listening},
    {"a wrong setting", test_setting},
    {"sessions of browsers", test_sessions},
    {"a refused session is forgotten", test_refused_session_is_forgotten},
    {"the way back", test_way_back},
};

int main(void)
{
    return cunit_main("tokens at the server", cases, sizeof cases / sizeof *cases);
}
