/* Goal: the ResourceManager's pages answer as YARN's do, show what there is, page by page and in
 * the order asked for, and stay harmless whatever applications, users, queues and nodes are called.
 * Method: a daemon of this process, a node and a master played over HTTP; pages read by an HTML
 * parser. */
#include "base/limits.h"
#include "tests/unit/html_check.h"
#include "tests/unit/master_over_http.h"

#define NBSP "\xC2\xA0"
#define CSP                                                                                        \
    "Content-Security-Policy: default-src 'none'; style-src 'self'; script-src 'self'; "           \
    "img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "                    \
    "frame-ancestors 'none'"

/* Fetches a page and checks what holds for all of them. The caller frees @a. */
static void get_page(int rm, const char *path, int status, struct client_answer *a)
{
    client_do(rms[rm].port, "GET", path, NULL, NULL, a);
    if (a->status != status)
        printf("\n    %s: %d\n%s\n", path, a->status, a->body.data ? a->body.data : "");
    CU_ASSERT_EQUAL(a->status, status);
    CU_ASSERT_TRUE(client_has(a, "Content-Type: text/html;charset=utf-8"));
    CU_ASSERT_TRUE(client_has(a, CSP));
    CU_ASSERT_PTR_NOT_NULL_FATAL(a->body.data);
    CU_ASSERT(html_check_page(a->body.data, a->body.len) > 20);
}

static void shows(const char *path, int status, const char *text)
{
    struct client_answer a;

    get_page(0, path, status, &a);
    if (!strstr(a.body.data, text))
        printf("\n    %s: without %s\n%s\n", path, text, a.body.data);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, text));
    client_free(&a);
}

static void shows_not(const char *path, const char *text)
{
    struct client_answer a;

    get_page(0, path, 200, &a);
    CU_ASSERT_PTR_NULL(strstr(a.body.data, text));
    client_free(&a);
}

/* Pages that YARN answers with 200 have that status here too: see tests/interop/yarn,
 * misc/cluster-*. */
static void test_statuses(void)
{
    char path[160];
    struct client_answer a;

    begin();
    json_decref(master("register",
                       "{\"host\":\"h1\",\"rpcPort\":-1,\"trackingUrl\":\"javascript:alert(1)\"}",
                       200));
    shows("/cluster", 200, app);
    shows("/cluster/", 200, app);
    shows("/cluster/apps", 200, app);
    shows("/cluster/apps/RUNNING", 200, app);
    shows("/cluster/apps/running,Accepted", 200, app);
    shows("/cluster/apps/FINISHED", 200, "No application here.");
    shows("/cluster/apps?search=nosuch", 200, "No application here.");
    snprintf(path, sizeof path, "/cluster/app/%s", app);
    shows(path, 200, "RUNNING");
    shows(path, 200, "nothing of it waits for a slot");
    shows(path, 200, master_container);
    /* the address is shown as text; the link leads to the proxy */
    shows(path, 200, ">javascript:alert(1)</a>");
    shows("/cluster/app/application_1_0099", 200, "does not know this application");
    shows("/cluster/app/nonsense", 200, "not the id of an application");
    snprintf(path, sizeof path, "/cluster/appattempt/appattempt_%s_000001",
             app + strlen("application_"));
    shows(path, 200, master_container);
    path[strlen(path) - 1] = '2';
    shows(path, 200, "does not know this attempt");
    shows("/cluster/appattempt/x", 200, "not the id");
    snprintf(path, sizeof path, "/cluster/container/%s", master_container);
    shows(path, 200, "the master of the application");
    shows(path, 200, "<a href=\"http://h1:9/node/containerlogs/");
    path[strlen(path) - 1] = '9';
    shows(path, 200, "No such container lives.");
    shows("/cluster/container/x", 200, "not the id");
    shows("/cluster/nodes", 200, "<a href=\"http://h1:9/node/node\">h1:1</a>");
    shows("/cluster/nodes/running", 200, "h1:1");
    shows("/cluster/nodes/LOST", 200, "No node here.");
    shows("/cluster/scheduler", 200, "root.default");
    shows("/cluster/nodelabels", 200, "nodes without a label");
    shows("/cluster/cluster", 200, "Creel " CREEL_VERSION);
    client_do(rms[0].port, "GET", "/cluster/bogus", NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 404);
    client_free(&a);
    client_do(rms[0].port, "POST", "/cluster/apps", NULL, "", &a);
    CU_ASSERT_EQUAL(a.status, 405);
    CU_ASSERT_TRUE(client_has(&a, "Allow: OPTIONS, HEAD, GET"));
    client_free(&a);
    end();
}

static void test_mistakes(void)
{
    lead();
    shows("/cluster/apps/BOGUS", 400, "state: &quot;BOGUS&quot; is not a list of NEW");
    shows("/cluster/apps?state=RUNNING,,x", 400, "state: &quot;RUNNING,,x&quot;");
    shows("/cluster/apps?state=KILLING", 400, "state:"); /* YARN's clients never see this state */
    shows("/cluster/apps?sort=colour", 400, "sort: &quot;colour&quot; is not one of id, name");
    shows("/cluster/apps?page=0", 400, "page: &quot;0&quot; is not a number from 1 to 1000000");
    shows("/cluster/apps?before=<b>", 400, "before: &quot;&lt;b&gt;&quot; is not the id");
    shows("/cluster/nodes?state=BOGUS", 400, "state: &quot;BOGUS&quot; is not one of NEW, RUNNING");
    shows("/cluster/nodes?from=-1", 400, "from: &quot;-1&quot; is not a number from 0");
    end();
}

/* ---- hostile names ---- */

static void submit_named(const char *name, const char *user, const char *queue, const char *type)
{
    json_t *j = ask("POST", "/ws/v1/cluster/apps/new-application", NULL, NULL, 200), *body;
    char *text, *path;

    body = json_pack("{s:s, s:s, s:s, s:s, s:{s:[s]}, s:{s:{s:s}}, s:{s:i, s:i}}", "application-id",
                     str(j, "application-id"), "application-name", name, "queue", queue,
                     "application-type", type, "application-tags", "tag", "<b>\"'&",
                     "am-container-spec", "commands", "command", "true", "resource", "memory", 1024,
                     "vCores", 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(body);
    text = json_dumps(body, 0);
    path = base_printf("/ws/v1/cluster/apps?user.name=%s", user);
    json_decref(ask("POST", path, JSON, text, 202));
    free(text);
    free(path);
    json_decref(body);
    snprintf(app, sizeof app, "%s", str(j, "application-id"));
    json_decref(j);
}

static void test_hostile_names(void)
{
    static const char *const hostile[] = {
        "<script>alert(1)</script>",    "\"><img src=x onerror=alert(1)>",
        "' onmouseover='alert(1)' x='", "</title></main></table><b>",
        "\xE2\x80\xAE<b>\xE2\x81\xA6",  "&lt;script&gt;",
    };
    static const char *const paths[] = {"/cluster",
                                        "/cluster?sort=name",
                                        "/cluster?sort=-queue&user=%22%3E%3Cb%3E",
                                        "/cluster?search=%22%3E%3Cscript%3E&type=%3Cb%3E",
                                        "/cluster/scheduler",
                                        "/cluster/nodes"};
    struct client_answer a;
    char path[128], *long_name = base_alloc(BASE_NAME_MAX + 1);

    memset(long_name, '<', BASE_NAME_MAX); /* a longer name is refused */
    lead();
    for (size_t i = 0; i <= sizeof hostile / sizeof *hostile; i++) {
        bool last = i == sizeof hostile / sizeof *hostile;

        submit_named(last ? long_name : hostile[i], "%3Cb%3E", "<i>\"'&", last ? "T" : hostile[i]);
        snprintf(path, sizeof path, "/cluster/app/%s", app);
        get_page(0, path, 200, &a);
        client_free(&a);
    }
    json_decref(ask("POST", "/ws/v1/cluster/jobs", JSON,
                    "{\"job\":{\"name\":\"j\",\"user\":\"<b>\\\"'&\",\"tasks\":"
                    "[{\"command\":\"true\"}]}}",
                    201));
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        get_page(0, paths[i], 200, &a);
        client_free(&a);
    }
    shows("/cluster", 200, "&lt;script&gt;alert(1)&lt;/script&gt;");
    shows("/cluster", 200, "\xEF\xBF\xBD&lt;b&gt;\xEF\xBF\xBD");
    shows("/cluster", 200,
          "<a href=\"/cluster/apps?user=%3Cb%3E%22%27%26\">"
          "&lt;b&gt;&quot;&apos;&amp;</a>");
    end();
    free(long_name);
}

/* ---- pages and orders ---- */

/* Reads the ids of the rows of a list, as their numbers. Returns how many there are. */
static size_t read_rows(const char *path, int rows[static 100])
{
    struct client_answer a;
    const char *at;
    size_t n = 0;

    get_page(0, path, 200, &a);
    for (at = a.body.data; n < 100 && (at = strstr(at, "<tr id=\"application_")); n++) {
        at += strlen("<tr id=\"application_");
        at = strchr(at, '_') + 1;
        rows[n] = atoi(at);
    }
    client_free(&a);
    return n;
}

static void rows_are(const char *path, size_t n, int first, int step)
{
    int rows[100];
    size_t got = read_rows(path, rows);

    if (got != n)
        printf("\n    %s: %zu rows\n", path, got);
    CU_ASSERT_EQUAL(got, n);
    for (size_t i = 0; i < got; i++) {
        if (rows[i] != first + step * (int)i)
            printf("\n    %s: row %zu is %d\n", path, i, rows[i]);
        CU_ASSERT_EQUAL(rows[i], first + step * (int)i);
    }
}

#define JOBS 130

static void test_lists(void)
{
    char path[128];
    long long stamp;

    lead();
    for (int i = 1; i <= JOBS; i++) { /* the names are in the reverse order of the ids */
        char *body = base_printf("{\"job\":{\"name\":\"job %03d\",\"user\":\"%s\",\"tasks\":"
                                 "[{\"command\":\"true\"}]}}",
                                 999 - i, i % 10 ? "ann" : "bob");
        json_t *j = ask("POST", "/ws/v1/cluster/jobs", JSON, body, 201);

        snprintf(app, sizeof app, "%s", str(json_object_get(j, "job"), "id"));
        json_decref(j);
        free(body);
    }
    stamp = atoll(app + strlen("application_"));
    rows_are("/cluster", 50, JOBS, -1);
    snprintf(path, sizeof path, "/cluster/apps?before=application_%lld_%04d", stamp, JOBS - 49);
    shows("/cluster", 200, path);
    rows_are(path, 50, JOBS - 50, -1);
    snprintf(path, sizeof path, "/cluster/apps?before=application_%lld_%04d", stamp, JOBS - 99);
    rows_are(path, JOBS - 100, JOBS - 100, -1);
    shows(path, 200, "<a href=\"/cluster/apps\">Newest applications</a>");
    shows_not(path, "Older applications");
    rows_are("/cluster/apps?sort=id", 50, 1, 1);
    rows_are("/cluster/apps?sort=name", 50, JOBS, -1);
    rows_are("/cluster/apps?sort=name&page=2", 50, JOBS - 50, -1);
    rows_are("/cluster/apps?sort=name&page=3", JOBS - 100, JOBS - 100, -1);
    rows_are("/cluster/apps?sort=name&page=4", 0, 0, 0);
    rows_are("/cluster/apps?sort=-name", 50, 1, 1);
    shows("/cluster/apps?sort=-name&page=2", 200, "Page 2 of 3; 130 applications");
    shows("/cluster/apps?sort=-name&page=2", 200, "href=\"/cluster/apps?sort=-name&amp;page=3\"");
    shows("/cluster/apps?sort=-name&page=2", 200, "href=\"/cluster/apps?sort=-name&amp;page=1\"");
    shows_not("/cluster/apps?sort=-name&page=3", "Next page");
    rows_are("/cluster/apps?user=bob", JOBS / 10, JOBS, -10);
    rows_are("/cluster/apps?user=bob&sort=-name", JOBS / 10, 10, 10);
    rows_are("/cluster/apps?search=JOB%2099", 9, 9, -1); /* job 990 to 998 */
    rows_are("/cluster/apps?search=Job%2099&user=ann&sort=id", 9, 1, 1);
    rows_are("/cluster/apps/ACCEPTED", 50, JOBS, -1);
    rows_are("/cluster/apps/RUNNING,FINISHED", 0, 0, 0);
    shows("/cluster/apps?user=bob&state=ACCEPTED", 200,
          "href=\"/cluster/apps?state=ACCEPTED&amp;user=bob&amp;sort=name\"");
    shows("/cluster/scheduler", 200, "Further ones are not shown.");
    snprintf(path, sizeof path, "/cluster/app/application_%lld_%04d", stamp, 7);
    shows(path, 200, "Why it waits");
    shows(path, 200, "All maps (1)");
    end();
}

/* A job of many tasks: one page of them, in the state asked for. */
static void test_tasks(void)
{
    char path[160];
    json_t *j;

    lead();
    j = ask("POST", "/ws/v1/cluster/jobs", JSON,
            "{\"job\":{\"name\":\"wide\",\"tasks\":[{\"command\":\"true\",\"count\":120},"
            "{\"kind\":\"reduce\",\"command\":\"true\",\"count\":2}]}}",
            201);
    snprintf(app, sizeof app, "%s", str(json_object_get(j, "job"), "id"));
    json_decref(j);
    snprintf(path, sizeof path, "/cluster/app/%s", app);
    shows(path, 200, ">map" NBSP "49<");
    shows_not(path, ">map" NBSP "50<");
    shows(path, 200, "?kind=map&amp;from=50#tasks");
    snprintf(path, sizeof path, "/cluster/app/%s?kind=map&from=100", app);
    shows(path, 200, ">map" NBSP "119<");
    shows_not(path, ">map" NBSP "99<");
    shows_not(path, "Further tasks");
    snprintf(path, sizeof path, "/cluster/app/%s?kind=reduce", app);
    shows(path, 200, ">reduce" NBSP "1<");
    shows_not(path, ">map" NBSP "0<");
    snprintf(path, sizeof path, "/cluster/app/%s?kind=map&task-state=SUCCEEDED", app);
    shows(path, 200, "No such task here.");
    end();
}

/* ---- files, and a standby ---- */

static void test_files(void)
{
    struct client_answer a;
    const char *date;
    char header[128];

    lead();
    client_do(rms[0].port, "GET", "/static/yarn.css?v=1", "Accept-Encoding: gzip\r\n", NULL, &a);
    CU_ASSERT_EQUAL(a.status, 200);
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: text/css"));
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, "prefers-color-scheme: dark"));
    CU_ASSERT_PTR_NULL(strstr(a.head, "Cache-Control"));
    CU_ASSERT_PTR_NULL(strstr(a.head, "Pragma"));
    CU_ASSERT_PTR_NULL(strstr(a.head, "Vary"));
    date = strstr(a.head, "Last-Modified: ");
    CU_ASSERT_PTR_NOT_NULL_FATAL(date);
    snprintf(header, sizeof header, "If-Modified-Since: %.29s\r\n",
             date + strlen("Last-Modified: "));
    client_free(&a);
    client_do(rms[0].port, "GET", "/static/yarn.css", header, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 304);
    CU_ASSERT_EQUAL(a.body.len, 0);
    client_free(&a);
    client_do(rms[0].port, "GET", "/static/live.js", NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 200);
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: text/javascript"));
    client_free(&a);
    client_do(rms[0].port, "GET", "/static/creel.svg", NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 200);
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: image/svg+xml"));
    client_free(&a);
    client_do(rms[0].port, "GET", "/static/", NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 403);
    CU_ASSERT_PTR_NULL(strstr(a.head, "Pragma"));
    CU_ASSERT_TRUE(client_has(&a, "Cache-Control: must-revalidate,no-cache,no-store"));
    client_free(&a);
    client_do(rms[0].port, "GET", "/static/nope.css", NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 404);
    client_free(&a);
    client_do(rms[0].port, "GET", "/static/..%2fyarn.css", NULL, NULL, &a);
    CU_ASSERT_NOT_EQUAL(a.status, 200);
    client_free(&a);
    end();
}

static void test_standby(void)
{
    struct client_answer a;
    char *location;

    lead();
    location = base_printf("Location: %s/cluster/apps?state=RUNNING", rms[0].url);
    client_do(rms[1].port, "GET", "/cluster/apps?state=RUNNING", NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 307);
    CU_ASSERT_TRUE(client_has(&a, location));
    client_free(&a);
    free(location);
    get_page(1, "/cluster/cluster", 200, &a);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, "standby"));
    client_free(&a);
    client_do(rms[1].port, "GET", "/static/yarn.css", NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 200);
    client_free(&a);
    end();
}

static const struct cunit_case cases[] = {{"statuses", test_statuses},
                                          {"mistakes in addresses", test_mistakes},
                                          {"hostile names", test_hostile_names},
                                          {"lists: pages and orders", test_lists},
                                          {"tasks: pages and states", test_tasks},
                                          {"files", test_files},
                                          {"a standby", test_standby}};
CUNIT_MAIN("rm_pages", cases)
