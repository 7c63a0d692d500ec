/* Goal: each fact has one line that says who, from where, what and with which result; no name can make another line or
 * member.
 * Method: a daemon over the store in memory, asked over HTTP; the file of audit lines is compared with what was done. */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base_conf.h"
#include "base/base_io.h"
#include "rm/rm_audit.h"
#include "rm/rm_daemon.h"
#include "rm/rm_routes.h"
#include "tests/unit/api_client.h"
#include "tests/unit/cunit_main.h"

#define PORT    api_server_port(server)
#define CLUSTER "/ws/v1/cluster"
#define TIME    "^20[0-9-]*T[0-9:.]*Z "
#define JSON    "Content-Type: application/json\r\n"

static struct rm_backend *b;
static struct api_server *server;
static struct base_conf *conf;
static struct api_route *routes;
static char folder[] = "/tmp/creel-audit-XXXXXX", *path, id[64];
static struct base_buf text;

static void start(void)
{
    struct api_server_conf sc = {.bind = "127.0.0.1",
                                 .threads = 1,
                                 .static_user = "dr.who",
                                 .node_secret = "secret",
                                 .on_answer = rm_audit_answer};
    struct base_error err = {0};
    size_t n;

    conf = base_conf_new();
    char *setting = base_printf("creel.rm.state-dir=%s", folder);
    base_assert(base_conf_set_arg(conf, setting, &err) == 0);
    free(setting);
    routes = rm_routes_new(&n);
    base_assert(rm_audit_open(path, &err) == 0);
    base_assert(rm_daemon_new(conf, &ha_store_memory, "audit", &b, &err) == 0);
    base_assert(api_server_start(&sc, routes, n, b, &server, &err) == 0);
    rm_daemon_set_url(b, "http://127.0.0.1:1");
    rm_daemon_start(b);
}

static void stop(void)
{
    CU_ASSERT_EQUAL(rm_daemon_stop(b, NULL), 0);
    api_server_stop(server);
    rm_daemon_free(b);
    rm_audit_close();
    free(routes);
    base_conf_free(conf);
}

/* Lines written so far, in text; how many there are. */
static size_t lines(void)
{
    size_t n = 0;
    FILE *f = fopen(path, "r");

    base_assert(f);
    base_buf_clear(&text);
    base_buf_adds(&text, "");
    for (int c; (c = getc(f)) != EOF;) {
        base_buf_add(&text, &(char){(char)c}, 1);
        n += c == '\n';
    }
    fclose(f);
    return n;
}

static const char *line(size_t i)
{
    static char one[4096];
    const char *at = text.data;

    while (i-- && at)
        at = (at = strchr(at, '\n')) ? at + 1 : NULL;
    snprintf(one, sizeof one, "%.*s", at ? (int)strcspn(at, "\n") : 0, at ? at : "");
    return one;
}

/* One request; it leaves just one line, or none (NULL), that matches (an extended regular expression). */
static void leaves(const char *method, const char *what, const char *headers, const char *body, const char *pattern)
{
    struct client_answer a = {0};
    size_t before = lines(), after;
    regex_t re;

    client_do(PORT, method, what, headers, body, &a);
    after = lines();
    CU_ASSERT_EQUAL(after, before + (pattern != NULL));
    if (pattern) {
        base_assert(regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB) == 0);
        if (regexec(&re, line(before), 0, NULL, 0) != 0) {
            fprintf(stderr, "'%s' does not match '%s'\n", line(before), pattern);
            CU_FAIL("a line");
        }
        regfree(&re);
    }
    if (a.body.data && strstr(a.body.data, "\"id\":\"application_"))
        snprintf(id, sizeof id, "%.*s", (int)strcspn(strstr(a.body.data, "application_"), "\""),
                 strstr(a.body.data, "application_"));
    client_free(&a);
}

static char *of_id(const char *format)
{
    return base_printf(format, id);
}

static void test_facts(void)
{
    char *p, *pattern;

    start();
    leaves("GET", CLUSTER "/jobs", NULL, NULL, NULL); /* reads are no facts */
    leaves("POST", CLUSTER "/jobs?user.name=ann", JSON,
           "{\"job\":{\"name\":\"naps\",\"tasks\":[{\"kind\":\"map\",\"command\":\"true\"}]}}",
           TIME "op=submit-job user=ann ip=127.0.0.1 result=success status=201 name=naps queue=default "
                "app=application_[0-9_]*$");
    leaves("POST", CLUSTER "/jobs?user.name=ann", JSON, "{\"job\":{}}",
           TIME "op=submit-job user=ann ip=127.0.0.1 result=refused status=400 why=\"job");
    leaves("POST", CLUSTER "/apps/new-application?user.name=ann", NULL, NULL, NULL);
    leaves("POST", CLUSTER "/apps?user.name=ann", JSON, "{}", TIME "op=submit-app user=ann ip=[^ ]* result=refused ");
    leaves("PUT", CLUSTER "/scheduler/policy?user.name=root", JSON, "{\"policy\":\"hfsp\"}",
           TIME "op=set-policy user=root ip=127.0.0.1 result=success status=200 policy=hfsp$");
    leaves("PUT", CLUSTER "/scheduler/policy?user.name=root", JSON, "{\"policy\":\"lottery\"}",
           TIME "op=set-policy user=root ip=127.0.0.1 result=refused status=400 why=\"policy: ");
    p = of_id(CLUSTER "/apps/%s/queue?user.name=bob");
    leaves("PUT", p, JSON, "{\"queue\":\"elsewhere\"}", TIME "op=move user=bob ip=[^ ]* result=(refused|failed) ");
    free(p);
    p = of_id(CLUSTER "/apps/%s/state?user.name=bob");
    pattern = of_id(TIME "op=(kill user=bob ip=127.0.0.1 result=success status=20[02]|end user=ann result=killed) app=%s");
    base_assert(lines() == 6);
    {
        struct client_answer a = {0};

        client_do(PORT, "PUT", p, JSON, "{\"state\":\"KILLED\"}", &a);
        client_free(&a);
    }
    for (int tries = 0; lines() < 8 && tries < 2000; tries++) /* the kill's and the end's, in either order */
        usleep(10000);
    CU_ASSERT_EQUAL(lines(), 8);
    for (size_t i = 6; i < 8; i++) {
        regex_t re;

        base_assert(regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB) == 0);
        CU_ASSERT_EQUAL(regexec(&re, line(i), 0, NULL, 0), 0);
        regfree(&re);
    }
    CU_ASSERT_PTR_NOT_NULL(strstr(text.data, " name=naps queue=default state=KILLED why=\"Application "));
    CU_ASSERT_PTR_NOT_NULL(strstr(text.data, " op=kill "));
    free(p);
    free(pattern);
    leaves("PUT", CLUSTER "/apps/application_1_0099/state?user.name=bob", JSON, "{\"state\":\"KILLED\"}",
           TIME "op=kill user=bob ip=127.0.0.1 result=refused status=404 app=application_1_0099 why=");
    stop();
}

static void test_nodes(void)
{
    start();
    leaves("POST", "/ws/v1/nodetracker/register", JSON, "{}",
           TIME "op=register-node user=dr.who ip=127.0.0.1 result=refused status=401 why=\"The cluster's secret");
    leaves("POST", "/ws/v1/nodetracker/heartbeat", JSON "Authorization: Bearer guess\r\n", "{}",
           TIME "op=heartbeat user=dr.who ip=127.0.0.1 result=refused status=403 why=");
    leaves("POST", "/ws/v1/nodetracker/register", JSON "Authorization: Bearer secret\r\n", "{}",
           TIME "op=register-node user=dr.who ip=127.0.0.1 result=refused status=400 why=");
    leaves("POST", CLUSTER "/apps/application_1_0001/master/allocate", JSON "Authorization: Bearer x\r\n", "{}",
           TIME "op=allocate user=dr.who ip=127.0.0.1 result=refused status=404 app=application_1_0001 why=");
    stop();
}

/* Names that would like to be lines of their own. */
static void test_forgery(void)
{
    start();
    leaves("POST", CLUSTER "/jobs?user.name=eve%0A2026-01-01T00:00:00.000Z%20op=kill", JSON, "{\"job\":{}}",
           TIME "op=submit-job user=\"eve\\\\x0a2026-01-01T00:00:00.000Z op=kill\" ip=127.0.0.1 result=refused ");
    leaves("POST", CLUSTER "/jobs?user.name=eve%22%20result=success", JSON, "{\"job\":{}}",
           TIME "op=submit-job user=\"eve\\\\x22 result=success\" ip=127.0.0.1 result=refused ");
    leaves("POST", CLUSTER "/jobs?user.name=ann", JSON,
           "{\"job\":{\"name\":\"x op=end\\\\\\u00e9\\\"\",\"tasks\":[{\"kind\":\"map\",\"command\":\"true\"}]}}",
           TIME "op=submit-job user=ann ip=127.0.0.1 result=(success|refused) status=[0-9]* "
                "name=\"x op=end\\\\x5c\\\\xc3\\\\xa9\\\\x22\" ");
    stop();
}

static void test_values(void)
{
    struct base_buf out = {0};
    char big[2 * RM_AUDIT_VALUE_MAX];

    memset(big, 'a', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    rm_audit_put(&out, "a", "plain-1.2:3/x@y,z");
    rm_audit_put(&out, "b", "");
    rm_audit_put(&out, "c", "two words=3\t\x7f");
    CU_ASSERT_STRING_EQUAL(out.data, "a=plain-1.2:3/x@y,z b=\"\" c=\"two words=3\\x09\\x7f\"");
    base_buf_clear(&out);
    rm_audit_put(&out, "d", big);
    CU_ASSERT_EQUAL(out.len, 3 + RM_AUDIT_VALUE_MAX + 4);
    base_buf_free(&out);
}

/* Moved away by who rotates logs. */
static void test_reopen(void)
{
    struct base_error err = {0};
    char *old = base_printf("%s.1", path);

    base_assert(rm_audit_open(path, &err) == 0);
    base_assert(rename(path, old) == 0);
    rm_audit_own("refresh-queues", "SIGHUP", NULL);
    rm_audit_reopen();
    rm_audit_own("refresh-queues", "changed", "line 7: no");
    CU_ASSERT_EQUAL(lines(), 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(text.data, "Z op=refresh-queues by=changed result=refused why=\"line 7: no\"\n"));
    rm_audit_close();
    CU_ASSERT_EQUAL(rm_audit_open("/nonexistent/audit", &err), -BASE_EIO);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "creel.rm.audit-log: /nonexistent/audit"));
    unlink(old);
    free(old);
}

static const struct cunit_case cases[] = {
    {"facts", test_facts},   {"nodes and masters", test_nodes}, {"forged lines", test_forgery},
    {"values", test_values}, {"the file is moved", test_reopen},
};

int main(void)
{
    int rc;

    base_assert(mkdtemp(folder));
    path = base_printf("%s/audit.log", folder);
    rc = cunit_main("rm audit", cases, sizeof cases / sizeof *cases);
    unlink(path);
    rmdir(folder);
    free(path);
    base_buf_free(&text);
    return rc;
}
