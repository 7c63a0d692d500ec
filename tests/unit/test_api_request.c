/* The pure parts of reading a request: address, routes, Accept. */
#include <string.h>

#include "api/server/accept.h"
#include "api/server/route.h"
#include "api/server/uri.h"
#include "tests/unit/cunit_main.h"

static void test_uri(void)
{
    struct api_uri u;

    CU_ASSERT_EQUAL(
        api_uri_parse(&u,
                      "/ws/v1/%61pps;x=y/a%20b/yarn.io%2Fgpu/?a=1&b=x+y%2B&a=2&flag&&=v&c=;d=1"),
        0);
    CU_ASSERT_EQUAL_FATAL(u.n_segments, 6);
    CU_ASSERT_STRING_EQUAL(u.segments[2], "apps");
    CU_ASSERT_STRING_EQUAL(u.segments[3], "a b");
    CU_ASSERT_STRING_EQUAL(u.segments[4], "yarn.io/gpu");
    CU_ASSERT_STRING_EQUAL(u.segments[5], "");
    CU_ASSERT_STRING_EQUAL(u.path, "/ws/v1/%61pps;x=y/a%20b/yarn.io%2Fgpu/");
    CU_ASSERT_STRING_EQUAL(api_uri_find_query_value(&u, "a"), "1");
    CU_ASSERT_STRING_EQUAL(api_uri_find_query_value(&u, "b"), "x y+");
    CU_ASSERT_STRING_EQUAL(api_uri_find_query_value(&u, "flag"), "");
    CU_ASSERT_STRING_EQUAL(api_uri_find_query_value(&u, ""), "v");
    /* a semicolon separates nothing */
    CU_ASSERT_STRING_EQUAL(api_uri_find_query_value(&u, "c"), ";d=1");
    CU_ASSERT_PTR_NULL(api_uri_find_query_value(&u, "A"));
    CU_ASSERT_PTR_NULL(api_uri_find_query_value(&u, "d"));
    api_uri_free(&u);

    CU_ASSERT_EQUAL(api_uri_parse(&u, "http://host:1/a?x=1#f"), 0);
    CU_ASSERT_STRING_EQUAL(u.path, "/a");
    CU_ASSERT_STRING_EQUAL(api_uri_find_query_value(&u, "x"), "1#f");
    CU_ASSERT_STRING_EQUAL(u.authority, "host:1");
    api_uri_free(&u);
    CU_ASSERT_EQUAL(api_uri_parse(&u, "HTTPS://[::1]?x=2&y"), 0);
    CU_ASSERT_STRING_EQUAL(u.path, "/");
    CU_ASSERT_EQUAL(u.n_segments, 1);
    CU_ASSERT_STRING_EQUAL(api_uri_find_query_value(&u, "x"), "2");
    CU_ASSERT_STRING_EQUAL(u.authority, "[::1]");
    api_uri_free(&u);
    CU_ASSERT_EQUAL(api_uri_parse(&u, "http:///a/b"), 0);
    CU_ASSERT_STRING_EQUAL(u.path, "/a/b");
    CU_ASSERT_STRING_EQUAL(u.authority, ""); /* empty, and so nobody's name */
    api_uri_free(&u);
    CU_ASSERT_EQUAL(api_uri_parse(&u, "//host/a?u=http://host/"), 0);
    CU_ASSERT_STRING_EQUAL(u.path, "//host/a");
    CU_ASSERT_PTR_NULL(u.authority);
    api_uri_free(&u);
    CU_ASSERT_EQUAL(api_uri_parse(&u, "http://host"), 0);
    CU_ASSERT_STRING_EQUAL(u.path, "/");
    api_uri_free(&u);
    CU_ASSERT_EQUAL(api_uri_parse(&u, "*"), 0);
    api_uri_free(&u);
}

static void test_uri_refused(void)
{
    static const char *const bad[] = {
        "",        "a",       "/%",          "/%4",           "/%zz",     "/a%00b",     "/a/../b",
        "/a/..",   "/./a",    "/%2e%2E",     "/a%2f..%2fb",   "/..%2fb",  "/a?x=%",     "/?%0",
        "/a?=%g1", "/?a=%00", "/..;x=1/etc", "a?u=http://h/", "ftp://h/", "xhttp://h/", "http:/h/"};
    static char many[4096];
    struct api_uri u;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int rc = api_uri_parse(&u, bad[i]);

        if (rc != -BASE_EINVAL)
            printf("\n  %s: %d\n", bad[i], rc);
        CU_ASSERT_EQUAL(rc, -BASE_EINVAL);
        CU_ASSERT_EQUAL(u.n_segments, 0);
        CU_ASSERT_PTR_NOT_NULL(u.path);
        api_uri_free(&u);
    }
    memset(many, '/', 300);
    CU_ASSERT_EQUAL(api_uri_parse(&u, many), -BASE_ELIMIT);
    api_uri_free(&u);
    memset(many, '&', 2000);
    many[0] = '/';
    many[1] = '?';
    CU_ASSERT_EQUAL(api_uri_parse(&u, many), -BASE_ELIMIT);
    api_uri_free(&u);
    /* Dots inside a name are fine. */
    CU_ASSERT_EQUAL(api_uri_parse(&u, "/..a/b../.../.hidden"), 0);
    CU_ASSERT_EQUAL(u.n_segments, 4);
    api_uri_free(&u);
}

static void handler(struct api_request *rq, void *user)
{
    (void)rq;
    (void)user;
}

static const struct api_route table[] = {
    {"GET", "/", API_ROLE_READ, 0, handler, 0},
    {"GET", "/ws/v1/cluster", API_ROLE_READ, 0, handler, 0},
    {"GET", "/ws/v1/cluster/apps", API_ROLE_READ, 0, handler, 0},
    {"POST", "/ws/v1/cluster/apps", API_ROLE_WRITE, 100, handler, 0},
    {"POST", "/ws/v1/cluster/apps/new-application", API_ROLE_WRITE, 0, handler, 0},
    {"GET", "/ws/v1/cluster/apps/{appid}", API_ROLE_READ, 0, handler, 0},
    {"PUT", "/ws/v1/cluster/apps/{appid}/state", API_ROLE_WRITE, 100, handler, 0},
    {"GET", "/ws/v1/cluster/apps/{appid}/appattempts/{aid}/containers/{cid}", API_ROLE_READ, 0,
     handler, 0},
    {"GET", "/proxy/{appid}/{rest*}", API_ROLE_READ, 0, handler, 0},
    {"GET", "/static/{file*}", API_ROLE_READ, 0, handler, 0},
};

#define ARGS_MAX 512

/* Returns the index of the GET (or only) route that @path leads to in the table, -1 for none.
 * @args: the captures, joined with
 * '|'. */
static int find(const struct api_router *r, const char *path, char args[static ARGS_MAX])
{
    struct api_uri u;
    struct api_match m;
    int found = -1;

    args[0] = '\0';
    if (api_uri_parse(&u, path) == 0 && api_router_match(r, &u, &m)) {
        int n = 0;

        for (int i = 0; i < API_M_COUNT && found < 0; i++)
            if (m.by_method[i])
                found = (int)(m.by_method[i] - table);
        for (unsigned i = 0; i < m.n_args; i++)
            n += snprintf(args + n, (size_t)(ARGS_MAX - n), "%s|", m.args[i]);
        if (m.has_rest)
            snprintf(args + n, (size_t)(ARGS_MAX - n), "*%zu", m.rest_from);
    }
    api_uri_free(&u);
    return found;
}

static void test_routes(void)
{
    static const struct {
        const char *path;
        int route;
        const char *args;
    } cases[] = {
        {"/", 0, ""},
        {"/ws/v1/cluster", 1, ""},
        {"/ws/v1/cluster/", 1, ""},
        {"/ws/v1/cluster//", -1, ""},
        {"/ws/v1/cluster//apps", -1, ""},
        {"//ws/v1/cluster", -1, ""},
        {"/ws/v1", -1, ""},
        {"/ws/v1/Cluster", -1, ""},
        {"/ws/v1/cluster/apps", 2, ""},
        {"/ws/v1/cluster/appsx", -1, ""},
        {"/ws/v1/cluster/app", -1, ""},
        {"/ws/v1/cluster/apps/new-application", 4, ""}, /* the literal wins, whatever the method */
        {"/ws/v1/cluster/apps/new-application/state", 6, "new-application|"},
        {"/ws/v1/cluster/apps/x", 5, "x|"},
        {"/ws/v1/cluster/apps/x/", 5, "x|"},
        {"/ws/v1/cluster/apps/x/bogus", -1, ""},
        {"/ws/v1/cluster/apps/x/appattempts/y/containers/z", 7, "x|y|z|"},
        {"/ws/v1/cluster/apps/x/appattempts/y/containers", -1, ""},
        {"/proxy/x", 8, "x|*2"},
        {"/proxy/x/", 8, "x|*2"},
        {"/proxy/x/a//b/", 8, "x|*2"},
        {"/proxy", -1, ""},
        {"/static/", 9, "*1"},
        {"/static/a/b.css", 9, "*1"},
        {"*", -1, ""},
    };
    struct api_router *r;
    char args[ARGS_MAX];

    CU_ASSERT_EQUAL_FATAL(api_router_new(table, sizeof table / sizeof table[0], &r, NULL), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int found = find(r, cases[i].path, args);

        if (found != cases[i].route || strcmp(args, cases[i].args) != 0)
            printf("\n  %s: route %d, args %s\n", cases[i].path, found, args);
        CU_ASSERT_EQUAL(found, cases[i].route);
        if (found >= 0)
            CU_ASSERT_STRING_EQUAL(args, cases[i].args);
    }
    api_router_free(r);
}

static void test_routes_refused(void)
{
    static const struct api_route bad[] = {
        {"GET", "/a", API_ROLE_NONE, 0, handler, 0},
        {"GET", "a", API_ROLE_READ, 0, handler, 0},
        {"GET", NULL, API_ROLE_READ, 0, handler, 0},
        {"GRAB", "/a", API_ROLE_READ, 0, handler, 0},
        {"HEAD", "/a", API_ROLE_READ, 0, handler, 0},
        {"GET", "/a", API_ROLE_READ, 0, NULL, 0},
        {"GET", "/a/{x}y", API_ROLE_READ, 0, handler, 0},
        {"GET", "/a/x{y}", API_ROLE_READ, 0, handler, 0},
        {"GET", "/a/{}", API_ROLE_READ, 0, handler, 0},
        {"GET", "/{r*}/b", API_ROLE_READ, 0, handler, 0},
        {"GET", "/a//b", API_ROLE_READ, 0, handler, 0},
        {"GET", "/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}", API_ROLE_READ, 0, handler, 0},
    };
    static const struct api_route twice[] = {{"GET", "/a/{x}", API_ROLE_READ, 0, handler, 0},
                                             {"GET", "/a/{y}", API_ROLE_READ, 0, handler, 0}};
    struct api_router *r;
    struct base_error err;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CU_ASSERT_EQUAL(api_router_new(&bad[i], 1, &r, &err), -BASE_EINVAL);
    CU_ASSERT_EQUAL(api_router_new(twice, 2, &r, &err), -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "twice"));
}

static void test_accept(void)
{
    static const struct {
        const char *header;
        enum api_accept want;
    } cases[] = {
        {NULL, API_ACCEPT_JSON},
        {"", API_ACCEPT_JSON},
        {"*/*", API_ACCEPT_JSON},
        {"application/*", API_ACCEPT_JSON},
        {"application/json", API_ACCEPT_JSON},
        {"Application/JSON; charset=utf-8", API_ACCEPT_JSON},
        {"application/xml", API_ACCEPT_XML},
        {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", API_ACCEPT_XML},
        {"text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", API_ACCEPT_JSON},
        {"application/xml, application/json", API_ACCEPT_XML},
        {"application/json, application/xml", API_ACCEPT_JSON},
        {"application/json;q=0.5, application/xml;q=0.9", API_ACCEPT_XML},
        {"*/*, application/xml", API_ACCEPT_XML},
        {"application/json;q=0, application/xml;q=0.1", API_ACCEPT_XML},
        {"text/xml", API_ACCEPT_TEXT_XML},
        {"text/xml, */*;q=0.1", API_ACCEPT_JSON},
        {"text/plain", API_ACCEPT_OTHER},
        {"application/json;q=0", API_ACCEPT_OTHER},
        {"text/html", API_ACCEPT_HTML},
        {"nonsense", API_ACCEPT_BAD},
        {"application/json;q=x", API_ACCEPT_BAD},
        {"application/json;q=2", API_ACCEPT_BAD},
        {"application/json;q=", API_ACCEPT_BAD},
        {"/", API_ACCEPT_BAD},
        {"a/", API_ACCEPT_BAD},
        {",,application/xml,", API_ACCEPT_XML},
    };
    bool named;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        enum api_accept got = api_accept_parse(cases[i].header, &named);

        if (got != cases[i].want)
            printf("\n  %s: %d\n", cases[i].header ? cases[i].header : "(none)", (int)got);
        CU_ASSERT_EQUAL(got, cases[i].want);
    }
    api_accept_parse("*/*", &named);
    CU_ASSERT_FALSE(named);
    api_accept_parse("application/json", &named);
    CU_ASSERT_TRUE(named);
}

static void test_content_type(void)
{
    CU_ASSERT_EQUAL(api_content_parse(NULL), API_CONTENT_NONE);
    CU_ASSERT_EQUAL(api_content_parse(" "), API_CONTENT_NONE);
    CU_ASSERT_EQUAL(api_content_parse("application/json"), API_CONTENT_JSON);
    CU_ASSERT_EQUAL(api_content_parse("APPLICATION/json;charset=UTF-8"), API_CONTENT_JSON);
    CU_ASSERT_EQUAL(api_content_parse("application/xml; charset=\"utf-8\""), API_CONTENT_XML);
    CU_ASSERT_EQUAL(api_content_parse("text/plain"), API_CONTENT_OTHER);
    CU_ASSERT_EQUAL(api_content_parse("application/jsonx"), API_CONTENT_OTHER);
    CU_ASSERT_EQUAL(api_content_parse("json"), API_CONTENT_OTHER);
}

static const struct cunit_case cases[] = {
    {"address", test_uri},   {"addresses refused", test_uri_refused},
    {"routes", test_routes}, {"routes refused", test_routes_refused},
    {"Accept", test_accept}, {"Content-Type", test_content_type},
};
CUNIT_MAIN("api_request", cases)
