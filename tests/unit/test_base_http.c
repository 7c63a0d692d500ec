/* The HTTP client against a small server in a thread: what is sent, what is kept, timeouts, cancel,
 * bounds. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io/http_client.h"
#include "base/io/io.h"
#include "tests/unit/cunit_main.h"

/* One connection at a time; the answer is chosen by the path. */
struct server {
    int listener, stop[2];
    char url[64];
    pthread_t thread;
    atomic_int connections, hangs;
};

static char
    last_request[8192]; /* written by the server before it answers, read by the test after */

static bool wait_readable(const struct server *s, int fd)
{
    struct pollfd p[2] = {{.fd = fd, .events = POLLIN}, {.fd = s->stop[0], .events = POLLIN}};

    return poll(p, 2, -1) > 0 && !p[1].revents;
}

/* Reads a whole request (headers and Content-Length bytes) into last_request. Returns false when
 * the connection ends or the server is stopped. */
static bool read_request(const struct server *s, int fd)
{
    static char text[sizeof last_request];
    size_t len = 0;

    for (;;) {
        char *end, *cl;
        ssize_t n;
        text[len] = '\0';
        end = strstr(text, "\r\n\r\n");
        cl = strstr(text, "Content-Length: ");
        if (end && len >= (size_t)(end + 4 - text) + (cl ? (size_t)atoi(cl + 16) : 0))
            break;
        if (!wait_readable(s, fd) || (n = read(fd, text + len, sizeof text - 1 - len)) <= 0)
            return false;
        len += (size_t)n;
    }
    memcpy(last_request, text, len + 1);
    return true;
}

static void answer(int fd, const char *status, const char *headers, size_t len)
{
    struct base_buf b = {0};

    base_buf_addf(&b, "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\n\r\n", status, headers, len);
    for (size_t i = 0; i < len; i++)
        base_buf_adds(&b, "x");
    (void)base_write_all(fd, b.data, b.len);
    base_buf_free(&b);
}

/* Answers with a reason that is longer than the client keeps. */
static void refuse(int fd)
{
    char header[2048] = "x-creel-reason: queue ";
    size_t n = strlen(header);

    memset(header + n, 'q', 1000);
    strcpy(header + n + 1000, "\r\n");
    answer(fd, "503 Service Unavailable", header, 0);
}

static void serve(struct server *s, int fd)
{
    while (read_request(s, fd)) {
        if (strstr(last_request, " /hang ")) {
            atomic_fetch_add(&s->hangs, 1);
            (void)wait_readable(s, fd); /* until the client gives up */
            return;
        }
        if (strstr(last_request, " /created "))
            answer(fd, "201 Created", "location:  /here \r\n", 3);
        else if (strstr(last_request, " /moved "))
            answer(fd, "307 Temporary Redirect", "Location: file:///etc/hostname\r\n", 0);
        else if (strstr(last_request, " /big "))
            answer(fd, "200 OK", "", 100000);
        else if (strstr(last_request, " /missing "))
            answer(fd, "404 Not Found", "", 5);
        else if (strstr(last_request, " /refused "))
            refuse(fd);
        else
            answer(fd, "200 OK", "", 2);
    }
}

static void *server_main(void *arg)
{
    struct server *s = arg;

    while (wait_readable(s, s->listener)) {
        int fd = accept(s->listener, NULL, NULL);
        if (fd < 0)
            continue;
        atomic_fetch_add(&s->connections, 1);
        serve(s, fd);
        close(fd);
    }
    return NULL;
}

static void server_start(struct server *s)
{
    struct sockaddr_in addr = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof addr;

    *s = (struct server){.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    base_assert(bind(s->listener, (struct sockaddr *)&addr, len) == 0);
    base_assert(listen(s->listener, 8) == 0);
    base_assert(getsockname(s->listener, (struct sockaddr *)&addr, &len) == 0);
    base_assert(pipe(s->stop) == 0);
    snprintf(s->url, sizeof s->url, "http://127.0.0.1:%d", ntohs(addr.sin_port));
    base_assert(pthread_create(&s->thread, NULL, server_main, s) == 0);
}

static void server_stop(struct server *s)
{
    base_assert(base_write_all(s->stop[1], "x", 1) == 0);
    pthread_join(s->thread, NULL);
    close(s->stop[0]);
    close(s->stop[1]);
    close(s->listener);
}

static struct server server;

/* Sends @rq to the server's URL followed by @path. Returns what base_http_perform() returns. */
static int send_to(struct base_http *h, const char *path, struct base_http_request rq,
                   struct base_http_answer *out, struct base_error *err)
{
    char *url = base_printf("%s%s", server.url, path);
    int rc;

    rq.url = url;
    rc = base_http_perform(h, &rq, out, err);
    free(url);
    return rc;
}

static void test_exchange(void)
{
    struct base_http *h = base_http_new();
    struct base_http_answer a;
    struct base_error err = {0};

    CU_ASSERT_EQUAL(send_to(h, "/a", (struct base_http_request){.method = "GET"}, &a, &err), 0);
    CU_ASSERT(a.status == 200 && a.body.len == 2 && strcmp(a.body.data, "xx") == 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(last_request, "GET /a HTTP/1.1\r\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(last_request, "Accept: application/json\r\n"));
    CU_ASSERT_PTR_NULL(strstr(last_request, "Content-Type"));
    base_http_answer_free(&a);
    CU_ASSERT_EQUAL(send_to(h, "/created",
                            (struct base_http_request){.method = "POST",
                                                       .body = "{\"a\":1}junk",
                                                       .body_len = 7,
                                                       .bearer = "secret",
                                                       .header = "X-Creel-Failed: http://h:1",
                                                       .silence_ms = 3000},
                            &a, &err),
                    0);
    CU_ASSERT_EQUAL(a.status, 201);
    CU_ASSERT_STRING_EQUAL(a.location, "/here");
    CU_ASSERT_PTR_NOT_NULL(strstr(last_request, "Authorization: Bearer secret\r\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(last_request, "X-Creel-Failed: http://h:1\r\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(last_request, "Content-Type: application/json\r\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(last_request, "\r\n\r\n{\"a\":1}"));
    CU_ASSERT_PTR_NULL(strstr(last_request, "junk"));
    CU_ASSERT_PTR_NULL(strstr(last_request, "Expect"));
    base_http_answer_free(&a);
    CU_ASSERT_EQUAL(send_to(h, "/missing", (struct base_http_request){.method = "PUT"}, &a, &err),
                    0);
    CU_ASSERT_EQUAL(a.status, 404); /* an answer with an error's status is no failure */
    CU_ASSERT_PTR_NOT_NULL(strstr(last_request, "PUT /missing"));
    CU_ASSERT_PTR_NOT_NULL(strstr(last_request, "Content-Length: 0\r\n"));
    CU_ASSERT_STRING_EQUAL(a.location, "");
    base_http_answer_free(&a);
    CU_ASSERT_EQUAL(send_to(h, "/d", (struct base_http_request){.method = "DELETE"}, &a, &err), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(last_request, "DELETE /d"));
    base_http_answer_free(&a);
    CU_ASSERT_EQUAL(send_to(h, "/moved", (struct base_http_request){.method = "GET"}, &a, &err), 0);
    CU_ASSERT_EQUAL(a.status, 307);
    CU_ASSERT_STRING_EQUAL(a.location, "file:///etc/hostname"); /* reported, not followed */
    base_http_answer_free(&a);
    CU_ASSERT_EQUAL(send_to(h, "/refused", (struct base_http_request){.method = "PUT"}, &a, &err),
                    0);
    CU_ASSERT_EQUAL(strlen(a.reason), sizeof a.reason - 1); /* the reason is cut off */
    CU_ASSERT_EQUAL(strncmp(a.reason, "queue qqq", 9), 0);
    CU_ASSERT_STRING_EQUAL(a.location, "");
    base_http_answer_free(&a);
    CU_ASSERT_EQUAL(send_to(h, "/d", (struct base_http_request){.method = "GET"}, &a, &err), 0);
    CU_ASSERT_STRING_EQUAL(a.reason, "");
    base_http_answer_free(&a);
    CU_ASSERT_EQUAL(atomic_load(&server.connections), 1); /* all requests used one connection */
    base_http_free(h);
}

static void test_refusals(void)
{
    struct base_http *h = base_http_new();
    struct base_http_answer a;
    struct base_error err = {0};

    CU_ASSERT_EQUAL(send_to(h, "/a",
                            (struct base_http_request){.method = "GET", .bearer = "x\r\nEvil: 1"},
                            &a, &err),
                    -BASE_EINVAL);
    CU_ASSERT_EQUAL(
        send_to(h, "/a", (struct base_http_request){.method = "GET", .header = "A: b\r\nEvil: 1"},
                &a, &err),
        -BASE_EINVAL);
    CU_ASSERT_EQUAL(base_http_perform(
                        h,
                        &(struct base_http_request){.method = "GET", .url = "file:///etc/hostname"},
                        &a, &err),
                    -BASE_EIO);
    CU_ASSERT_EQUAL(base_http_perform(
                        h,
                        &(struct base_http_request){.method = "GET", .url = "http://127.0.0.1:1/"},
                        &a, &err),
                    -BASE_EIO);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "GET http://127.0.0.1:1/: "));
    CU_ASSERT_PTR_NULL(a.body.data);
    base_http_free(h);
}

/* Loopback never goes through a proxy, whatever the environment says. */
static void test_no_proxy(void)
{
    struct base_http *h;
    struct base_http_answer a;
    struct base_error err = {0};

    setenv("http_proxy", "http://127.0.0.1:1", 1);
    setenv("ALL_PROXY", "http://127.0.0.1:1", 1);
    h = base_http_new();
    CU_ASSERT_EQUAL(send_to(h, "/a", (struct base_http_request){.method = "GET"}, &a, &err), 0);
    base_http_answer_free(&a);
    base_http_free(h);
    unsetenv("http_proxy");
    unsetenv("ALL_PROXY");
}

static void test_bounds_and_files(void)
{
    struct base_http *h = base_http_new();
    struct base_http_answer a;
    struct base_error err = {0};
    char path[] = "/tmp/creel-http-XXXXXX";
    int fd = mkstemp(path);

    CU_ASSERT_EQUAL(send_to(h, "/big",
                            (struct base_http_request){.method = "GET", .body_max = 99999}, &a,
                            &err),
                    -BASE_ELIMIT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "larger than 99999 bytes"));
    CU_ASSERT_EQUAL(send_to(h, "/big",
                            (struct base_http_request){.method = "GET", .body_max = 100000}, &a,
                            &err),
                    0);
    CU_ASSERT_EQUAL(a.body.len, 100000);
    base_http_answer_free(&a);
    CU_ASSERT_EQUAL(
        send_to(h, "/big", (struct base_http_request){.method = "GET", .out_fd = fd}, &a, &err), 0);
    CU_ASSERT(a.body.len == 0 && lseek(fd, 0, SEEK_END) == 100000);
    base_http_answer_free(&a);
    CU_ASSERT_EQUAL(
        send_to(h, "/missing", (struct base_http_request){.method = "GET", .out_fd = fd}, &a, &err),
        0);
    /* the body of an error goes to the caller, not into the file */
    CU_ASSERT(a.body.len == 5 && lseek(fd, 0, SEEK_END) == 100000);
    base_http_answer_free(&a);
    close(fd);
    unlink(path);
    fd = open("/dev/full", O_WRONLY);
    CU_ASSERT_EQUAL(
        send_to(h, "/big", (struct base_http_request){.method = "GET", .out_fd = fd}, &a, &err),
        -BASE_ENOSPC);
    close(fd);
    base_http_free(h);
}

static void test_timeout(void)
{
    struct base_http *h = base_http_new();
    struct base_http_answer a;
    struct base_error err = {0};

    CU_ASSERT_EQUAL(send_to(h, "/hang",
                            (struct base_http_request){.method = "GET", .timeout_ms = 100}, &a,
                            &err),
                    -BASE_ETIMEOUT);
    /* the client is usable afterwards */
    CU_ASSERT_EQUAL(send_to(h, "/a", (struct base_http_request){.method = "GET"}, &a, &err), 0);
    base_http_answer_free(&a);
    base_http_free(h);
}

static int hangs_before; /* set before the thread starts */

static void *cancel_when_hanging(void *arg)
{
    while (atomic_load(&server.hangs) == hangs_before)
        sched_yield();
    base_http_cancel(arg);
    return NULL;
}

static void test_cancel(void)
{
    struct base_http *h = base_http_new();
    struct base_http_answer a;
    struct base_error err = {0};
    pthread_t t;
    int64_t start = base_mono_us(&base_clock_real);

    hangs_before = atomic_load(&server.hangs);
    CU_ASSERT_EQUAL_FATAL(pthread_create(&t, NULL, cancel_when_hanging, h), 0);
    CU_ASSERT_EQUAL(send_to(h, "/hang",
                            (struct base_http_request){.method = "GET", .timeout_ms = -1}, &a,
                            &err),
                    -BASE_EIO);
    pthread_join(t, NULL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "cancelled"));
    CU_ASSERT(base_mono_us(&base_clock_real) - start < 30 * 1000000);
    base_http_cancel(h); /* without a request under way it ends the next request */
    CU_ASSERT_EQUAL(send_to(h, "/hang",
                            (struct base_http_request){.method = "GET", .timeout_ms = -1}, &a,
                            &err),
                    -BASE_EIO);
    CU_ASSERT_EQUAL(send_to(h, "/a", (struct base_http_request){.method = "GET"}, &a, &err), 0);
    base_http_answer_free(&a);
    base_http_free(h);
}

static const struct cunit_case cases[] = {
    {"exchange", test_exchange}, {"refusals", test_refusals},
    {"no proxy", test_no_proxy}, {"bounds and files", test_bounds_and_files},
    {"timeout", test_timeout},   {"cancel", test_cancel},
};

int main(void)
{
    int rc;

    server_start(&server);
    rc = cunit_main("base_http", cases, sizeof cases / sizeof *cases);
    server_stop(&server);
    return rc;
}
