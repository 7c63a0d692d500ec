/* Goal: /proxy/{appid}/ shows a master's pages whole, with the request's path, query and headers;
 * reaches no host but the master's node; redirects where there is nothing to show. Method: a
 * daemon of this process, a node and a master played over HTTP, and a web server that answers what
 * the test says. */
#include <arpa/inet.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/master_over_http.h"

static int web_fd;
static uint16_t web_port;
static pthread_t web_thread;
static const char *web_says;
static char web_got[8192];

/* Reads one request with its body. */
static void read_request(int fd)
{
    size_t n = 0, want = 0;
    ssize_t got;

    while (n < sizeof web_got - 1 && (got = recv(fd, web_got + n, sizeof web_got - 1 - n, 0)) > 0) {
        const char *body, *length;

        n += (size_t)got;
        web_got[n] = '\0';
        body = strstr(web_got, "\r\n\r\n");
        if (!body)
            continue;
        length = strstr(web_got, "Content-Length: ");
        want = (size_t)(body + 4 - web_got) + (length ? (size_t)atoi(length + 16) : 0);
        if (n >= want)
            return;
    }
}

static void *web_main(void *arg)
{
    int fd;

    (void)arg;
    while ((fd = accept(web_fd, NULL, NULL)) >= 0) {
        read_request(fd);
        (void)!write(fd, web_says, strlen(web_says));
        close(fd);
    }
    return NULL;
}

static void web_start(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof a;

    web_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    base_assert(bind(web_fd, (struct sockaddr *)&a, len) == 0 && listen(web_fd, 64) == 0);
    base_assert(getsockname(web_fd, (struct sockaddr *)&a, &len) == 0);
    web_port = ntohs(a.sin_port);
    base_assert(pthread_create(&web_thread, NULL, web_main, NULL) == 0);
}

static void web_stop(void)
{
    shutdown(web_fd, SHUT_RDWR);
    pthread_join(web_thread, NULL);
    close(web_fd);
}

/* A master runs on a node of this host and has registered the tracking URL. */
static void begin_with_master(const char *tracking_url)
{
    char *body =
        base_printf("{\"host\":\"h1\",\"rpcPort\":-1,\"trackingUrl\":\"%s\"}", tracking_url);

    node_http = "127.0.0.1:9";
    begin();
    json_decref(master("register", body, 200));
    free(body);
}

static void proxied(const char *method, const char *rest, const char *headers, const char *body,
                    struct client_answer *a)
{
    char path[512];

    snprintf(path, sizeof path, "/proxy/%s%s", app, rest);
    web_got[0] = '\0';
    client_do(rms[0].port, method, path, headers, body, a);
}

static void expect_moved(const char *rest, const char *location)
{
    struct client_answer a;
    char *line = base_printf("Location: %s", location);

    proxied("GET", rest, NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 302);
    CU_ASSERT_TRUE(client_has(&a, line));
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: text/html;charset=utf-8"));
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, "Content has moved"));
    client_free(&a);
    free(line);
}

static void expect_status(const char *method, const char *path, int status)
{
    struct client_answer a;

    client_do(rms[0].port, method, path, NULL, NULL, &a);
    if (a.status != status)
        printf("\n    %s %s: %d\n", method, path, a.status);
    CU_ASSERT_EQUAL(a.status, status);
    client_free(&a);
}

static bool web_got_line(const char *line)
{
    const char *at = strstr(web_got, line);

    return at && strncmp(at + strlen(line), "\r\n", 2) == 0;
}

/* The URL names a host that does not exist: the connection goes to the node's host all the same. */
static void test_pages(void)
{
    struct client_answer a;
    char url[128], host[128];

    web_start();
    snprintf(url, sizeof url, "http://elsewhere.invalid:%u/ui/", web_port);
    begin_with_master(url);
    web_says = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nETag: \"7\"\r\nSet-Cookie: a=b\r\n"
               "Content-Length: 4\r\nConnection: close\r\n\r\npage";
    proxied("GET", "/a%20b/?x=1%262&y",
            "Accept: text/html\r\nCookie: secret=1\r\n"
            "Authorization: Bearer t\r\n",
            NULL, &a);
    CU_ASSERT_EQUAL(a.status, 200);
    CU_ASSERT_STRING_EQUAL(a.body.data, "page");
    CU_ASSERT_TRUE(client_has(&a, "Content-Type: text/html"));
    CU_ASSERT_TRUE(client_has(&a, "ETag: \"7\""));
    CU_ASSERT_PTR_NULL(strstr(a.head, "Set-Cookie: a=b"));
    client_free(&a);
    CU_ASSERT_EQUAL(strncmp(web_got, "GET /ui/a%20b/?x=1%262&y HTTP/1.1\r\n", 35), 0);
    snprintf(host, sizeof host, "Host: elsewhere.invalid:%u", web_port);
    CU_ASSERT_TRUE(web_got_line(host));
    CU_ASSERT_TRUE(web_got_line("Accept: text/html"));
    CU_ASSERT_TRUE(web_got_line("Cookie: proxy-user=dr.who"));
    CU_ASSERT_PTR_NULL(strstr(web_got, "secret"));
    CU_ASSERT_PTR_NULL(strstr(web_got, "Authorization"));
    proxied("GET", "", NULL, NULL, &a);
    CU_ASSERT_EQUAL(strncmp(web_got, "GET /ui HTTP/1.1\r\n", 18), 0);
    client_free(&a);
    end();
    web_stop();
}

/* Goal: with creel.proxy.sandbox scripts of a master's page have no part in the ResourceManager's
 * origin; not set, it is on where browsers prove who their user is. */
static void test_sandbox(void)
{
    static const char *const settings[] = {"creel.proxy.sandbox=false", "creel.proxy.sandbox=true"};
    struct client_answer a;
    char url[128];

    for (int on = 0; on < 2; on++) {
        web_start();
        snprintf(url, sizeof url, "http://127.0.0.1:%u", web_port);
        rms_set(settings[on]);
        begin_with_master(url);
        web_says = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n"
                   "Content-Security-Policy: default-src *\r\nConnection: close\r\n\r\npage";
        proxied("GET", "/", NULL, NULL, &a);
        CU_ASSERT_EQUAL(a.status, 200);
        CU_ASSERT_EQUAL(strstr(a.head, "\nContent-Security-Policy: sandbox allow-scripts ") != NULL,
                        on);
        CU_ASSERT_PTR_NULL(strstr(a.head, "allow-same-origin"));
        client_free(&a);
        end();
        web_stop();
    }
}

static void test_other_answers(void)
{
    struct client_answer a;
    char url[128];

    web_start();
    snprintf(url, sizeof url, "127.0.0.1:%u", web_port); /* without a scheme, as YARN allows */
    begin_with_master(url);
    web_says = "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
               "Connection: close\r\n\r\n{}";
    proxied("GET", "/ws/v1/mapreduce/jobs/x", NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 404);
    CU_ASSERT_STRING_EQUAL(a.body.data, "{}");
    client_free(&a);
    web_says = "HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 0\r\n"
               "Connection: close\r\n\r\n";
    proxied("GET", "/", NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 302);
    CU_ASSERT_TRUE(client_has(&a, "Location: /there"));
    client_free(&a);
    CU_ASSERT_EQUAL(strncmp(web_got, "GET / HTTP/1.1\r\n", 16), 0);
    web_says = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 3\r\n"
               "Connection: close\r\n\r\n[1]";
    proxied("PUT", "/state", JSON, "{\"state\":\"KILLED\"}", &a);
    CU_ASSERT_EQUAL(a.status, 200);
    CU_ASSERT_STRING_EQUAL(a.body.data, "[1]");
    client_free(&a);
    CU_ASSERT_EQUAL(strncmp(web_got, "PUT /state HTTP/1.1\r\n", 21), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(web_got, "\r\n\r\n{\"state\":\"KILLED\"}"));
    proxied("PUT", "/form", "Content-Type: application/x-www-form-urlencoded\r\n", "a=b", &a);
    CU_ASSERT_EQUAL(a.status, 200);
    client_free(&a);
    CU_ASSERT_TRUE(web_got_line("Content-Type: application/x-www-form-urlencoded"));
    CU_ASSERT_PTR_NOT_NULL(strstr(web_got, "\r\n\r\na=b"));
    proxied("PUT", "/bytes", NULL, "bytes", &a);
    CU_ASSERT_EQUAL(a.status, 200);
    client_free(&a);
    CU_ASSERT_PTR_NOT_NULL(strstr(web_got, "\r\n\r\nbytes"));
    proxied("HEAD", "/", NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 200);
    CU_ASSERT_EQUAL(strncmp(web_got, "HEAD / HTTP/1.1\r\n", 17), 0);
    client_free(&a);
    web_says = "nonsense";
    proxied("GET", "/", NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 502);
    client_free(&a);
    web_stop();
    proxied("GET", "/", NULL, NULL, &a); /* nobody listens now */
    CU_ASSERT_EQUAL(a.status, 502);
    client_free(&a);
    end();
}

/* Waits until the proxy redirects: the master's finish is answered when it is stored, of which the
 * core is told a moment later. */
static void wait_until_moved(const char *rest)
{
    for (int64_t until = client_now_ms() + 20000; client_now_ms() < until; poll(NULL, 0, 2)) {
        struct client_answer a;
        bool moved;

        proxied("GET", rest, NULL, NULL, &a);
        moved = a.status == 302;
        client_free(&a);
        if (moved)
            return;
    }
}

static void test_redirects(void)
{
    static const char *const useless[] = {"", "javascript:alert(1)", "ftp://h/", "http://"};
    char page[256];
    struct client_answer a;

    for (size_t i = 0; i < sizeof useless / sizeof *useless; i++) {
        begin_with_master(useless[i]);
        snprintf(page, sizeof page, "%s/cluster/app/%s", rms[0].url, app);
        expect_moved("/x?y=z", page);
        end();
    }
    begin_with_master("https://h1:1/ui/"); /* https, which the relay does not speak */
    expect_moved("/x?y=z", "https://h1:1/ui/x?y=z");
    json_decref(master("finish",
                       "{\"finalStatus\":\"SUCCEEDED\",\"trackingUrl\":"
                       "\"http://history:19888/job/\"}",
                       200));
    wait_until_moved("/x");
    expect_moved("/x", "http://history:19888/job/x");
    snprintf(page, sizeof page, "/proxy/redirect/%s/mapreduce", app);
    client_do(rms[0].port, "GET", page, NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 302);
    snprintf(page, sizeof page, "%s/cluster/failure/%s\"", rms[0].url, app);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, page));
    client_free(&a);
    snprintf(page, sizeof page, "/cluster/failure/%s", app);
    expect_status("GET", page, 200);
    expect_status("GET", "/cluster/failure/nonsense", 400);
    end();
}

static void test_mistakes(void)
{
    struct client_answer a;

    begin_with_master("http://127.0.0.1:1/");
    client_do(rms[0].port, "GET", "/proxy/application_1_0099/", NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 404);
    CU_ASSERT_STRING_EQUAL(a.body.data, "<html>\n  <h1>\n    Application application_1_0099 could "
                                        "not be found in RM or history server\n  </h1>\n</html>\n");
    client_free(&a);
    expect_status("GET", "/proxy/nonsense/", 400);
    expect_status("GET", "/proxy/", 400);
    expect_status("POST", "/proxy/application_1_0099/x", 405);
    expect_status("DELETE", "/proxy/application_1_0099/x", 405);
    expect_status("GET", "/proxy/application_1_0099/../../jmx", 400);
    end();
}

static const struct cunit_case cases[] = {{"pages of a master", test_pages},
                                          {"pages that are shut in", test_sandbox},
                                          {"other answers of a master", test_other_answers},
                                          {"redirections", test_redirects},
                                          {"mistakes", test_mistakes}};
CUNIT_MAIN("proxy", cases)
