/* The HTTP server as a client on the wire sees it. Expected heads and bodies follow recordings of
 * YARN 3.4.2. */
#include "tests/unit/api_server_fixture.h"

/* ---- tests ---- */

static void test_paths(void)
{
    get("/", NULL, 200, "GET / args=-,- user=dr.who q=- bearer=- body=");
    get("/ws/v1/cluster/info", NULL, 200, "{\"a\":1}");
    get("/ws/v1/cluster/info/", NULL, 200, "{\"a\":1}");
    get("/ws/v1/cluster/info;x=y", NULL, 200, "{\"a\":1}");
    get("/ws/v1/cluster/info//", NULL, 404, NULL);
    get("/ws/v1/cluster//info", NULL, 404, NULL);
    get("/ws/v1/cluster/Info", NULL, 404, NULL);
    get("/ws/v1/cluster/../cluster/info", NULL, 400, NULL);
    get("/ws/v1/cluster/%2e%2e/info", NULL, 400, NULL);
    get("/ws/v1/cluster/info%00", NULL, 400, NULL);
    get("/ws/v1/cluster/echo/a%20b/c%2Fd?q=1%2b&q=2", NULL, 200,
        "GET /ws/v1/cluster/echo/a%20b/c%2Fd args=a b,c/d user=dr.who q=1+ bearer=- body=");
    get("/proxy/x/a//b/?q=z", NULL, 200,
        "GET /proxy/x/a//b/ args=x,a//b/ user=dr.who q=z bearer=- body=");
    get("http://localhost:1/ws/v1/cluster/info", NULL, 200, "{\"a\":1}");
}

static void test_not_found_pages(void)
{
    struct client_answer a;

    client_do(port, "GET", "/ws/v1/cluster/<bogus>",
              "Accept: application/json\r\nAccept-Encoding: gzip\r\n", NULL, &a);
    check(&a, 404, NULL);
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: text/html;charset=utf-8"));
    CU_ASSERT_TRUE(client_has(&a, "Cache-Control: no-cache"));
    CU_ASSERT_PTR_NULL(strstr(a.head, "Content-Encoding"));
    CU_ASSERT_PTR_NULL(strstr(a.body.data, "<bogus>"));
    client_free(&a);
    client_do(port, "GET", "/bogus", NULL, NULL, &a);
    check(&a, 404, NULL);
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: text/html;charset=iso-8859-1"));
    CU_ASSERT_TRUE(client_has(&a, "Cache-Control: must-revalidate,no-cache,no-store"));
    client_free(&a);
}

/* Checks that @text is a date such as "Sun, 22 Nov 2026 14:20:01 GMT", and that it is now. */
static void check_date(const char *text)
{
    char again[40];
    struct tm tm = {0};
    const char *end = strptime(text, "%a, %d %b %Y %H:%M:%S GMT", &tm);
    time_t at = timegm(&tm), now = time(NULL);

    CU_ASSERT_TRUE(end && *end == '\r');
    CU_ASSERT_TRUE(at <= now && at > now - 600);
    gmtime_r(&at, &tm); /* the day of the week that belongs to the date */
    strftime(again, sizeof again, "%a, %d %b %Y %H:%M:%S GMT", &tm);
    CU_ASSERT_EQUAL(strncmp(text, again, strlen(again)), 0);
}

static void test_headers(void)
{
    static const char *const names[] = {"Date: ",
                                        "Cache-Control: ",
                                        "Expires: ",
                                        "Pragma: ",
                                        "X-Content-Type-Options: ",
                                        "X-FRAME-OPTIONS: ",
                                        "X-XSS-Protection: ",
                                        "Content-Type: ",
                                        "Vary: ",
                                        "Content-Length: "};
    struct client_answer a;
    const char *at;

    client_do(port, "GET", "/ws/v1/cluster/info", NULL, NULL, &a);
    CU_ASSERT_EQUAL(strncmp(a.head, "HTTP/1.1 200 OK\r\nDate: ", 23), 0);
    at = a.head;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) { /* all there, in YARN's order */
        at = strstr(at, names[i]);
        CU_ASSERT_PTR_NOT_NULL_FATAL(at);
    }
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: application/json;charset=utf-8"));
    CU_ASSERT_TRUE(client_has(&a, "X-XSS-Protection: 1; mode=block"));
    check_date(strstr(a.head, "\r\nExpires: ") + strlen("\r\nExpires: "));
    CU_ASSERT_PTR_NULL(strstr(a.head, "Server:"));
    CU_ASSERT_FALSE(a.chunked); /* a short answer has a length */
    client_free(&a);
    client_do(port, "GET", "/ws/v1/cluster/info", "Accept: application/xml\r\n", NULL, &a);
    check(&a, 200, "<a/>");
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: application/xml; charset=utf-8"));
    CU_ASSERT_TRUE(client_has(&a, "Content-Length: 4"));
    client_free(&a);
    client_do(port, "GET", "/ws/v1/cluster/empty", "Accept-Encoding: gzip\r\n", NULL, &a);
    check(&a, 200, "");
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: application/json;charset=utf-8"));
    CU_ASSERT_TRUE(client_has(&a, "Content-Length: 0"));
    CU_ASSERT_PTR_NULL(strstr(a.head, "Content-Encoding"));
    client_free(&a);
    client_do(port, "GET", "/creel/json", NULL, NULL, &a);
    CU_ASSERT_TRUE(client_has(&a, "Content-Length: 7"));
    client_free(&a);
    client_do(port, "GET", "/ws/v1/cluster/redirect", NULL, NULL, &a);
    check(&a, 307, "");
    CU_ASSERT_TRUE(client_has(&a, "Location: http://localhost/x  X-Smuggled: 1"));
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: text/html; charset=utf-8"));
    CU_ASSERT_PTR_NULL(strstr(a.head, "Vary"));
    client_free(&a);
    client_do(port, "GET", "/ws/v1/cluster/empty?status=204", NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 204);
    CU_ASSERT_PTR_NULL(strstr(a.head, "\nContent-Type"));
    client_free(&a);
}

/* Only a long JSON body of a YARN resource is chunked, where YARN chunks all its JSON; Creel's own
 * resources always send the length. */
static void test_lengths_of_bodies(void)
{
    static const struct {
        const char *path;
        size_t len;
        bool chunked;
    } cases[] = {
        {"/ws/v1/cluster/apps?n=30000", 168893, false},
        {"/ws/v1/cluster/apps?n=50000", 288893, true},
        {"/creel/big?n=50000", 288893, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct client_answer a;

        client_do(port, "GET", cases[i].path, NULL, NULL, &a);
        CU_ASSERT_EQUAL(a.status, 200);
        CU_ASSERT_EQUAL(a.chunked, cases[i].chunked);
        CU_ASSERT_EQUAL(a.body.len, cases[i].len);
        CU_ASSERT_STRING_EQUAL(a.body.data + a.body.len - 3, ",0]");
        client_free(&a);
    }
}

static void test_methods(void)
{
    struct client_answer a;

    client_do(port, "HEAD", "/ws/v1/cluster/apps", NULL, NULL, &a);
    check(&a, 200, "");
    CU_ASSERT_TRUE(client_has(&a, "Content-Length: 0"));
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: application/json;charset=utf-8"));
    client_free(&a);
    client_do(port, "HEAD", "/ws/v1/node/stream", NULL, NULL, &a);
    check(&a, 200, "");
    client_free(&a);
    client_do(port, "DELETE", "/ws/v1/cluster/apps", NULL, NULL, &a);
    check(&a, 503, XML_503);
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: application/xml;charset=null"));
    client_free(&a);
    client_do(port, "PATCH", "/ws/v1/cluster/apps", "Accept: application/json\r\n", "{}", &a);
    check(&a, 503, JSON_503);
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: application/json;charset=null"));
    CU_ASSERT_FALSE(a.chunked);
    client_free(&a);
    client_do(port, "GET", "/ws/v1/cluster/apps/new-application", NULL, NULL, &a);
    check(&a, 503, XML_503);
    client_free(&a);
    client_do(port, "DELETE", "/ws/v1/node/info", NULL, NULL, &a);
    check(&a, 503, XML_503);
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: application/xml"));
    client_free(&a);
    client_do(port, "PATCH", "/creel/job", NULL, "{}", &a);
    check(&a, 405, NULL);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, "/creel/job does not serve PATCH"));
    CU_ASSERT_TRUE(client_has(&a, "Allow: OPTIONS, POST"));
    client_free(&a);
    client_do(port, "OPTIONS", "/ws/v1/cluster/apps", NULL, NULL, &a);
    check(&a, 200, NULL);
    CU_ASSERT_TRUE(client_has(&a, "Allow: OPTIONS,HEAD,POST,GET"));
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: application/vnd.sun.wadl+xml;charset=utf-8"));
    client_free(&a);
    client_do(port, "OPTIONS", "/ws/v1/cluster/bogus", NULL, NULL, &a);
    check(&a, 200, "");
    CU_ASSERT_TRUE(client_has(&a, "Allow: GET, POST"));
    client_free(&a);
    client_do(port, "OPTIONS", "*", NULL, NULL, &a);
    check(&a, 200, "");
    CU_ASSERT_TRUE(client_has(&a, "Allow: GET,HEAD,POST,OPTIONS"));
    client_free(&a);
}

static void test_accept(void)
{
    struct client_answer a;

    get("/ws/v1/cluster/info", "Accept: application/xml\r\nAccept: application/json\r\n", 200,
        "<a/>");
    get("/creel/json", "Accept: text/plain\r\n", 200, "{\"a\":1}");
    get("/", "Accept: text/plain\r\n", 200, NULL); /* a text resource */
    client_do(port, "GET", "/ws/v1/cluster/info", "Accept: text/xml\r\n", NULL, &a);
    check(&a, 503, XML_503);
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: text/xml;charset=null"));
    client_free(&a);
    client_do(port, "GET", "/ws/v1/cluster/info", "Accept: text/plain\r\n", NULL, &a);
    check(&a, 406,
          "HTTP ERROR 406 Not Acceptable: expected application/json or application/xml\n"
          "URI: /ws/v1/cluster/info\nSTATUS: 406\n"
          "MESSAGE: Not Acceptable: expected application/json or application/xml\n"
          "SERVLET: org.apache.hadoop.http.WebServlet-00c4ee10\n");
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: text/plain;charset=iso-8859-1"));
    CU_ASSERT_TRUE(client_has(&a, "Cache-Control: must-revalidate,no-cache,no-store"));
    CU_ASSERT_PTR_NULL(strstr(a.head, "Connection: close"));
    client_free(&a);
    client_do(port, "GET", "/ws/v1/cluster/apps/application_1_0099", "Accept: nonsense\r\n", NULL,
              &a);
    check(&a, 400, "");
    CU_ASSERT_PTR_NULL(strstr(a.head, "\nContent-Type:"));
    client_free(&a);
    client_do(port, "PUT", "/ws/v1/cluster/apps/1/state",
              "Accept: text/html\r\nContent-Type: application/json\r\n", "{}", &a);
    check(&a, 406, NULL);
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: text/html;charset=iso-8859-1"));
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, "application/json or application/xml"));
    CU_ASSERT_PTR_NULL(strstr(a.head, "Connection: close"));
    client_free(&a);
}

static void test_errors(void)
{
    struct client_answer a;

    client_do(port, "GET", "/ws/v1/cluster/apps/application_1_0099", NULL, NULL, &a);
    check(&a, 404,
          "{\"RemoteException\":{\"exception\":\"NotFoundException\",\"message\":\"java.lang."
          "Exception: app with id: "
          "application_1_0099 not "
          "found\",\"javaClassName\":\"org.apache.hadoop.yarn.webapp.NotFoundException\"}}");
    client_free(&a);
    client_do(port, "GET", "/ws/v1/cluster/apps/%3Cx%3E", "Accept: application/xml\r\n", NULL, &a);
    check(&a, 404,
          "<?xml version=\"1.0\" encoding=\"UTF-8\" "
          "standalone=\"yes\"?><RemoteException><exception>NotFoundException"
          "</exception><message>java.lang.Exception: app with id: &lt;x&gt; not "
          "found</message><javaClassName>"
          "org.apache.hadoop.yarn.webapp.NotFoundException</javaClassName></RemoteException>");
    client_free(&a);
    get("/creel/error?code=1", NULL, 400,
        "{\"RemoteException\":{\"exception\":\"BadRequestException\",\"message\":\"reduces: -1 is "
        "\\\"wrong\\\"\","
        "\"javaClassName\":\"org.apache.hadoop.yarn.webapp.BadRequestException\"}}");
    get("/creel/error?code=2", NULL, 404, NULL);
    get("/creel/error?code=3", NULL, 409, NULL);
    get("/creel/error?code=4", NULL, 413, NULL);
    get("/creel/error?code=5", NULL, 403, NULL);
    get("/creel/error?code=6", NULL, 503, NULL);
    get("/creel/error?code=8", NULL, 503, NULL);
    get("/creel/error?code=10", NULL, 409, NULL);
    get("/ws/v1/cluster/nothing", NULL, 500, NULL); /* its handler gives no answer */
}

static void test_roles(void)
{
    struct client_answer a;

    get("/?user.name=alice", NULL, 200, "GET / args=-,- user=alice q=- bearer=- body=");
    client_do(port, "GET", "/?user.name=", NULL, NULL, &a);
    check(&a, 400, NULL);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, "userName is NULL, empty or contains a '&amp;'"));
    client_free(&a);
    get("/?user.name=a%26b", NULL, 400, NULL);
    client_do(port, "POST", "/ws/v1/nodetracker/heartbeat", JSON, "{}", &a);
    check(&a, 401, NULL);
    CU_ASSERT_TRUE(client_has(&a, "WWW-Authenticate: Creel-HMAC"));
    client_free(&a);
    client_do(port, "POST", "/ws/v1/nodetracker/heartbeat", JSON "Authorization: Bearer s3cret\r\n",
              "{}", &a);
    check(&a, 401, NULL);
    client_free(&a);
    client_do(port, "POST", "/ws/v1/nodetracker/heartbeat", JSON CLIENT_SIGNED, "{}", &a);
    check(&a, 200, NULL);
    client_free(&a);
    get("/ws/v1/node/file?len=1", NULL, 401, NULL);
    get("/ws/v1/node/file?len=1", "Authorization: Bearer app\r\n", 200, "4");
}

/* One kept connection, 20 times five requests sent at once, errors among them: each is answered in
 * its turn. */
static void test_kept_connections(void)
{
    static const char requests[] =
        "GET /ws/v1/cluster/info HTTP/1.1\r\nHost: localhost\r\n\r\n"
        "GET /ws/v1/cluster/bogus HTTP/1.1\r\nHost: localhost\r\n\r\n"
        "POST /creel/job HTTP/1.1\r\nHost: localhost\r\n" JSON "Content-Length: 3\r\n\r\nabc"
        "DELETE /ws/v1/cluster/info HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nxy"
        "GET /creel/json HTTP/1.1\r\nHost: localhost\r\n\r\n";
    static const int wanted[] = {200, 404, 200, 503, 200};
    int fd = client_connect(port);

    for (int round = 0; round < 20; round++) {
        client_sends(fd, requests);
        for (int i = 0; i < 5; i++) {
            struct client_answer a;

            CU_ASSERT_TRUE(client_read(fd, false, &a));
            CU_ASSERT_EQUAL(a.status, wanted[i]);
            client_free(&a);
        }
    }
    close(fd);
}

static void test_early_refusal(void)
{
    struct client_answer a;
    int fd = client_connect(port);

    /* A client that asks first (Expect) is refused before it sends its body. */
    client_sends(fd, "POST /creel/job HTTP/1.1\r\nHost: localhost\r\n" JSON
                     "Expect: 100-continue\r\nContent-Length: 2000000\r\n\r\n");
    CU_ASSERT_TRUE(client_read(fd, false, &a));
    check(&a, 413, NULL);
    CU_ASSERT_TRUE(client_has(&a, "Connection: close"));
    client_free(&a);
    close(fd);
    fd = client_connect(port);
    client_sends(fd, "POST /creel/job HTTP/1.1\r\nHost: localhost\r\n" JSON
                     "Content-Length: 200000000\r\n\r\n");
    CU_ASSERT_TRUE(client_read(fd, false, &a));
    check(&a, 413, NULL);
    client_free(&a);
    close(fd);
}

/* Nothing a client sends may hurt; afterwards the server answers as before. */
static void test_malformed(void)
{
    static const char *const junk[] = {
        "\r\n\r\n\r\n",
        "GET\r\n\r\n",
        "GET /\r\n\r\n",
        " / HTTP/1.1\r\n\r\n",
        "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n", /* no Host */
        "GET / HTTP/1.1\r\nHost\r\n\r\n",
        "GET / HTTP/1.1\r\n: x\r\n\r\n",
        "POST /creel/job HTTP/1.1\r\nHost: localhost\r\n" JSON "Content-Length: -1\r\n\r\n",
        "POST /creel/job HTTP/1.1\r\nHost: localhost\r\n" JSON
        "Content-Length: 99999999999999999999999\r\n\r\n",
        "POST /creel/job HTTP/1.1\r\nHost: localhost\r\n" JSON
        "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
        "POST /creel/job HTTP/1.1\r\nHost: localhost\r\n" JSON
        "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
        "GET \x01\x02\xff HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /%ff%fe?%ff HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "\x16\x03\x01\x02\x01\x01\xfc\x03\x03",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    };
    char *line = long_text(200000);
    struct client_answer a;
    struct base_buf b = {0};

    for (size_t i = 0; i < sizeof junk / sizeof junk[0]; i++) {
        int fd = client_connect(port);

        client_sends(fd, junk[i]);
        shutdown(fd, SHUT_WR);
        client_read(fd, false, &a);
        CU_ASSERT(a.status == 0 || a.status >= 200);
        client_free(&a);
        close(fd);
    }
    /* request line and headers are bounded; a request that leaves room for an answer in the
     * connection's memory gets one */
    for (size_t len = 15000; len < 17500; len += 50) {
        char *path = base_printf("/ws/v1/cluster/info?%.*s", (int)len, line);

        client_do(port, "GET", path, NULL, NULL, &a);
        CU_ASSERT(a.status == 200 || a.status == 414 || a.status == 431);
        client_free(&a);
        free(path);
    }
    for (int n = 100; n < 2000; n += n / 4) {
        base_buf_adds(&b, "/ws/v1/cluster/info?a");
        for (int i = 0; i < n; i++)
            base_buf_addf(&b, "&a%d", i);
        client_do(port, "GET", b.data, NULL, NULL, &a);
        CU_ASSERT(a.status == 200 || a.status == 414 || a.status == 431);
        client_free(&a);
        base_buf_clear(&b);
        for (int i = 0; i < n; i++)
            base_buf_addf(&b, "X-%d: a\r\n", i);
        client_do(port, "GET", "/ws/v1/cluster/info", b.data, NULL, &a);
        CU_ASSERT(a.status == 200 || a.status == 431);
        client_free(&a);
        base_buf_clear(&b);
    }
    client_do(port, "GET", line, NULL, NULL, &a);
    CU_ASSERT(a.status == 0 || a.status == 414 || a.status == 431 || a.status == 400);
    client_free(&a);
    base_buf_addf(&b, "X-Long: %s\r\n", line);
    client_do(port, "GET", "/", b.data, NULL, &a);
    CU_ASSERT(a.status == 0 || a.status == 431 || a.status == 413);
    client_free(&a);
    base_buf_free(&b);
    free(line);
    get("/ws/v1/cluster/info", NULL, 200, "{\"a\":1}");
}

/* Returns true when the server ends the connection within @ms. */
static bool ended_within(int fd, int64_t ms)
{
    int64_t until = client_now_ms() + ms;
    char buf[512];

    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int64_t left = until - client_now_ms();

        if (left <= 0 || poll(&p, 1, (int)left) == 0)
            return false;
        if (recv(fd, buf, sizeof buf, 0) <= 0)
            return true;
    }
}

/* A client that sends nothing, or a byte now and then in the head or in the body, is cut off. */
static void test_slow_clients(void)
{
    static const char *const starts[] = {"", "GET / HT",
                                         "POST /creel/job HTTP/1.1\r\nHost: localhost\r\n" JSON
                                         "Content-Length: 99\r\n\r\n"};
    static const char kept_open[] = "GET /ws/v1/cluster/info HTTP/1.1\r\nHost: localhost\r\n\r\n";
    int quiet[3], dripping[2], kept;
    struct client_answer a;
    bool cut = false;

    api_server_stop(server);
    start(1);
    for (int i = 0; i < 3; i++) {
        quiet[i] = client_connect(port);
        client_sends(quiet[i], starts[i]);
    }
    for (int i = 0; i < 2; i++) {
        dripping[i] = client_connect(port);
        client_sends(dripping[i], starts[i + 1]);
    }
    kept = client_connect(port);
    client_sends(kept, kept_open);
    CU_ASSERT_TRUE(client_read(kept, false, &a));
    client_free(&a);
    for (int64_t until = client_now_ms() + 30000; !cut && client_now_ms() < until;) {
        client_sends(kept, "G"); /* the next request's line never ends */
        cut = ended_within(kept, 100);
    }
    CU_ASSERT_TRUE(cut);
    close(kept);
    cut = false;
    for (int64_t until = client_now_ms() + 10000; !cut && client_now_ms() < until;) {
        client_sends(dripping[0], "x");
        client_sends(dripping[1], "x");
        cut = ended_within(dripping[0], 100) && ended_within(dripping[1], 2000);
    }
    CU_ASSERT_TRUE(cut);
    for (int i = 0; i < 3; i++) {
        CU_ASSERT_TRUE(ended_within(quiet[i], 5000));
        close(quiet[i]);
    }
    close(dripping[0]);
    close(dripping[1]);
    get("/ws/v1/cluster/info", NULL, 200, "{\"a\":1}");
    api_server_stop(server);
    start(0);
}

static void test_stop_ends_streams(void)
{
    int fd = client_connect(port), slow = client_connect(port);
    int64_t began;
    char c;

    client_sends(fd, "GET /ws/v1/node/stream?endless=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CU_ASSERT_EQUAL(recv(fd, &c, 1, 0), 1);
    /* an unfinished request does not hold the stop for long */
    client_sends(slow, "GET / HTTP/1.1\r\nHo");
    began = client_now_ms();
    api_server_stop(server);
    CU_ASSERT(client_now_ms() - began < 8000);
    CU_ASSERT_TRUE(ended_within(fd, 5000));
    CU_ASSERT_TRUE(ended_within(slow, 5000));
    close(fd);
    close(slow);
    start(0);
}

/* The client of a stream goes away: the stream's memory is freed soon (leaks are seen by the
 * sanitizer). */
static void test_stream_gone(void)
{
    for (int i = 0; i < 10; i++) {
        int fd = client_connect(port);
        char c;

        client_sends(fd, "GET /ws/v1/node/stream?endless=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
        CU_ASSERT_EQUAL(recv(fd, &c, 1, 0), 1);
        close(fd);
    }
    get("/ws/v1/node/stream", NULL, 200, "line1\nline1\n");
}

/* Over the limit a client waits or is turned away, those inside are served, and there is room again
 * afterwards. */
static void test_connection_limit(void)
{
    struct api_server_conf conf = {
        .bind = "127.0.0.1", .threads = 1, .connections_max = 4, .static_user = "u"};
    struct api_server *s;
    struct base_error err;
    struct client_answer a;
    int fds[4], over, status = 0;

    CU_ASSERT_EQUAL_FATAL(
        api_server_start(&conf, routes, sizeof routes / sizeof routes[0], &server, &s, &err), 0);
    for (int i = 0; i < 4; i++) {
        fds[i] = client_connect(api_server_port(s));
        client_sends(fds[i], "GET /creel/json HTTP/1.1\r\nHost: localhost\r\n\r\n");
        CU_ASSERT_TRUE(client_read(fds[i], false, &a));
        client_free(&a);
    }
    over = client_connect(api_server_port(s));
    client_sends(over, "GET /creel/json HTTP/1.1\r\nHost: localhost\r\n\r\n");
    client_sends(fds[3], "GET /creel/json HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CU_ASSERT_TRUE(client_read(fds[3], false, &a));
    CU_ASSERT_EQUAL(a.status, 200);
    client_free(&a);
    for (int i = 0; i < 4; i++)
        close(fds[i]);
    for (int64_t until = client_now_ms() + 10000; status != 200 && client_now_ms() < until;) {
        client_do(api_server_port(s), "GET", "/creel/json", NULL, NULL, &a);
        status = a.status;
        client_free(&a);
    }
    CU_ASSERT_EQUAL(status, 200);
    close(over);
    api_server_stop(s);
}

/* A socket of another port counts against the share of its address, in both directions, and a
 * silent one gives way. */
static void test_seats_of_other_ports(void)
{
    struct api_server_conf conf = {.bind = "127.0.0.1",
                                   .threads = 1,
                                   .connections_max = 100,
                                   .connections_per_address = 3,
                                   .requests_per_user = 3,
                                   .static_user = "u"};
    struct sockaddr_in local = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct sockaddr *from = (const struct sockaddr *)&local;
    struct api_server *s;
    struct base_error err;
    struct client_answer a;
    int fds[2], pair[2], http;
    const char *limit = NULL;
    void *seats[3];

    CU_ASSERT_EQUAL_FATAL(
        api_server_start(&conf, routes, sizeof routes / sizeof routes[0], &server, &s, &err), 0);
    CU_ASSERT_EQUAL_FATAL(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    CU_ASSERT_EQUAL_FATAL(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    http = client_connect(api_server_port(s));
    client_sends(http, "GET /creel/json HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CU_ASSERT_TRUE(client_read(http, false, &a));
    client_free(&a);
    seats[0] = api_server_take_seat(s, from, fds[0]);
    seats[1] = api_server_take_seat(s, from, pair[0]);
    CU_ASSERT(seats[0] && seats[1]);
    api_server_mark_seat_spoken(s, seats[1]);
    seats[2] = api_server_take_seat(s, from, fds[1]); /* the first one, silent, gives way */
    CU_ASSERT_PTR_NOT_NULL_FATAL(seats[2]);
    CU_ASSERT_EQUAL(recv(fds[0], &local, 1, MSG_DONTWAIT), 0);
    api_server_mark_seat_spoken(s, seats[2]);
    CU_ASSERT_PTR_NULL(api_server_take_seat(s, from, fds[0]));
    CU_ASSERT_PTR_NULL(api_server_count_call(s, seats[1], "ann"));
    CU_ASSERT_PTR_NULL(api_server_count_call(s, seats[1], "ann"));
    for (int i = 0; i < 10; i++)
        limit = api_server_count_call(s, seats[1], "ann");
    CU_ASSERT_STRING_EQUAL(limit ? limit : "", "creel.http.requests-per-user");
    CU_ASSERT_PTR_NULL(api_server_count_call(s, seats[1], "bob"));
    for (int i = 0; i < 10; i++)
        CU_ASSERT_PTR_NULL(api_server_count_call(s, seats[1], NULL));
    for (int i = 0; i < 3; i++)
        api_server_give_back_seat(s, seats[i]);
    for (int i = 0; i < 2; i++) {
        close(fds[i]);
        close(pair[i]);
    }
    close(http);
    api_server_stop(s);
}

static void test_start_refused(void)
{
    struct api_server_conf conf = {.bind = "0.0.0.0", .threads = 1};
    static const struct api_route no_role[] = {{"GET", "/", API_ROLE_NONE, 0, on_json, 0}};
    struct api_server *s;
    struct base_error err;

    CU_ASSERT_EQUAL(api_server_start(&conf, routes, 1, NULL, &s, &err), -BASE_EPERM);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "0.0.0.0"));
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "insecure"));
    conf.bind = "::";
    CU_ASSERT(api_server_start(&conf, routes, 1, NULL, &s, &err) < 0);
    conf.bind = "no.such.host.invalid";
    CU_ASSERT_EQUAL(api_server_start(&conf, routes, 1, NULL, &s, &err), -BASE_EINVAL);
    conf.bind = "127.0.0.1";
    conf.port = port;
    CU_ASSERT_EQUAL(api_server_start(&conf, routes, 1, NULL, &s, &err), -BASE_EIO);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "in use"));
    CU_ASSERT_EQUAL(api_server_start(&conf, no_role, 1, NULL, &s, &err), -BASE_EINVAL);
    conf.port = 0;
    conf.bind = "0.0.0.0";
    conf.insecure = true;
    CU_ASSERT_EQUAL_FATAL(api_server_start(&conf, routes, 1, NULL, &s, &err), 0);
    CU_ASSERT(api_server_port(s) != 0);
    api_server_stop(s);
}

/* The server raises the limit of descriptors for all the connections that it allows, where the
 * process may. */
static void test_descriptors(void)
{
    struct api_server_conf conf = {.bind = "127.0.0.1", .threads = 1, .connections_max = 500};
    struct rlimit before, now;
    struct api_server *s;
    struct base_error err;

    CU_ASSERT_EQUAL_FATAL(getrlimit(RLIMIT_NOFILE, &before), 0);
    if (before.rlim_max < 1000)
        return;
    now = before;
    now.rlim_cur = 400;
    CU_ASSERT_EQUAL_FATAL(setrlimit(RLIMIT_NOFILE, &now), 0);
    CU_ASSERT_EQUAL_FATAL(api_server_start(&conf, routes, 1, NULL, &s, &err), 0);
    CU_ASSERT_EQUAL(getrlimit(RLIMIT_NOFILE, &now), 0);
    CU_ASSERT(now.rlim_cur > 500 && now.rlim_cur < 1000);
    api_server_stop(s);
    now.rlim_cur = 1000; /* enough: left as it is */
    CU_ASSERT_EQUAL_FATAL(setrlimit(RLIMIT_NOFILE, &now), 0);
    CU_ASSERT_EQUAL_FATAL(api_server_start(&conf, routes, 1, NULL, &s, &err), 0);
    CU_ASSERT_EQUAL(getrlimit(RLIMIT_NOFILE, &now), 0);
    CU_ASSERT_EQUAL(now.rlim_cur, 1000);
    api_server_stop(s);
    CU_ASSERT_EQUAL(setrlimit(RLIMIT_NOFILE, &before), 0);
}

static const struct cunit_case cases[] = {
    {"descriptors", test_descriptors},
    {"paths", test_paths},
    {"not found pages", test_not_found_pages},
    {"headers", test_headers},
    {"lengths of bodies", test_lengths_of_bodies},
    {"methods", test_methods},
    {"Accept", test_accept},
    {"errors", test_errors},
    {"roles", test_roles},
    {"kept connections", test_kept_connections},
    {"early refusal", test_early_refusal},
    {"malformed requests", test_malformed},
    {"slow clients", test_slow_clients},
    {"stop ends streams", test_stop_ends_streams},
    {"stream without client", test_stream_gone},
    {"connection limit", test_connection_limit},
    {"seats of other ports", test_seats_of_other_ports},
    {"start refused", test_start_refused},
};

int main(void)
{
    int rc;

    start(0);
    rc = cunit_main("api_server", cases, sizeof cases / sizeof cases[0]);
    api_server_stop(server);
    return rc;
}
