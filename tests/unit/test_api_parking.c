/* Parked requests: answered by other threads before, while and after the handler returns; clients
 * that go away; the end of the server. Each answer must reach its own client exactly once and
 * without delay. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "api/server/server.h"
#include "tests/unit/api_client.h"
#include "tests/unit/cunit_main.h"

#define QUEUE_MAX     8192
#define ANSWERERS     3
#define CLIENTS       8
#define ROUNDS        250
#define MANY          600
#define LATENCY_TRIES 100

static struct api_server *server;
static uint16_t port;
static atomic_int slots_set, slots_freed, answers;

/* Parked requests on their way to the threads that answer them. Those threads outlive the servers;
 * no request does. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake, idle;
    struct api_request *v[QUEUE_MAX];
    size_t from, to;   /* ring */
    unsigned busy;     /* answerers that hold a request */
    bool hold, closed; /* closed: nothing comes in, see stop() */
    bool stop;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER,
           .wake = PTHREAD_COND_INITIALIZER,
           .idle = PTHREAD_COND_INITIALIZER};

static void answer_echo(struct api_request *rq)
{
    struct base_buf b = {0};

    base_buf_adds(&b, api_request_slot(rq));
    api_answer(rq, 200, API_TEXT, &b);
    atomic_fetch_add(&answers, 1);
}

static void slot_free(void *p)
{
    atomic_fetch_add(&slots_freed, 1);
    free(p);
}

static void slot_set(struct api_request *rq, const char *text)
{
    api_request_set_slot(rq, base_strdup(text), slot_free);
    atomic_fetch_add(&slots_set, 1);
}

static void enqueue(struct api_request *rq)
{
    pthread_mutex_lock(&queue.lock);
    if (!queue.closed) /* otherwise the server answers the request */
        queue.v[queue.to++ % QUEUE_MAX] = rq;
    pthread_cond_signal(&queue.wake);
    pthread_mutex_unlock(&queue.lock);
}

static struct api_request *dequeue(bool even_when_held)
{
    struct api_request *rq = NULL;

    if (queue.from != queue.to && (even_when_held || !queue.hold))
        rq = queue.v[queue.from++ % QUEUE_MAX];
    return rq;
}

static void *answerer_main(void *p)
{
    unsigned seed = (unsigned)(uintptr_t)p;

    pthread_mutex_lock(&queue.lock);
    while (!queue.stop) {
        struct api_request *rq = dequeue(false);

        if (!rq) {
            pthread_cond_wait(&queue.wake, &queue.lock);
            continue;
        }
        queue.busy++;
        pthread_mutex_unlock(&queue.lock);
        /* sometimes waits, so that the handler has most probably returned */
        if (rand_r(&seed) % 4 == 0) {
            struct timespec ts = {.tv_nsec = rand_r(&seed) % 2000000};

            nanosleep(&ts, NULL);
        }
        answer_echo(rq);
        pthread_mutex_lock(&queue.lock);
        if (--queue.busy == 0)
            pthread_cond_signal(&queue.idle);
    }
    pthread_mutex_unlock(&queue.lock);
    return NULL;
}

static void on_park(struct api_request *rq, void *user)
{
    (void)user;
    slot_set(rq, api_query(rq, "q") ? api_query(rq, "q") : "");
    api_park(rq);
    enqueue(rq);
}

static void on_now(struct api_request *rq, void *user)
{
    (void)user;
    slot_set(rq, "now");
    answer_echo(rq);
}

/* Parks the request and answers it in the handler's own thread. */
static void on_park_now(struct api_request *rq, void *user)
{
    (void)user;
    slot_set(rq, "park-now");
    api_park(rq);
    answer_echo(rq);
}

static const struct api_route routes[] = {
    {"GET", "/park", API_ROLE_READ, 0, on_park, API_ROUTE_CREEL},
    {"POST", "/park", API_ROLE_WRITE, 1000, on_park, API_ROUTE_CREEL},
    {"GET", "/now", API_ROLE_READ, 0, on_now, API_ROUTE_CREEL},
    {"GET", "/park-now", API_ROLE_READ, 0, on_park_now, API_ROUTE_CREEL},
};

static void start(unsigned idle_s)
{
    struct api_server_conf conf = {
        .bind = "127.0.0.1", .threads = 3, .idle_timeout_s = idle_s, .static_user = "u"};
    struct base_error err;

    if (api_server_start(&conf, routes, sizeof routes / sizeof routes[0], NULL, &server, &err) <
        0) {
        printf("%s\n", err.text);
        abort();
    }
    port = api_server_port(server);
    pthread_mutex_lock(&queue.lock);
    queue.closed = false;
    pthread_mutex_unlock(&queue.lock);
}

/* No answerer may hold a request when api_server_stop() begins, not even one whose client left long
 * ago without waiting for its answer. Requests that are still queued are dropped from the queue:
 * the server answers them. */
static void stop(void)
{
    pthread_mutex_lock(&queue.lock);
    queue.closed = true;
    queue.from = queue.to;
    while (queue.busy > 0)
        pthread_cond_wait(&queue.idle, &queue.lock);
    pthread_mutex_unlock(&queue.lock);
    api_server_stop(server);
}

static void hold(bool on)
{
    pthread_mutex_lock(&queue.lock);
    queue.hold = on;
    pthread_cond_broadcast(&queue.wake);
    pthread_mutex_unlock(&queue.lock);
}

static size_t queued(void)
{
    size_t n;

    pthread_mutex_lock(&queue.lock);
    n = queue.to - queue.from;
    pthread_mutex_unlock(&queue.lock);
    return n;
}

static void pause_ms(long ms)
{
    struct timespec ts = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    nanosleep(&ts, NULL);
}

static bool wait_queued(size_t n)
{
    for (int64_t until = client_now_ms() + 20000; queued() < n;) {
        if (client_now_ms() > until)
            return false;
        pause_ms(1);
    }
    return true;
}

/* Waits until the server is done with all requests: a client has its answer a moment before
 * that. */
static bool wait_completed(void)
{
    for (int64_t until = client_now_ms() + 20000;
         atomic_load(&slots_freed) < atomic_load(&slots_set);) {
        if (client_now_ms() > until)
            return false;
        pause_ms(1);
    }
    return true;
}

/* ---- tests ---- */

static atomic_int wrong;

static void *client_main(void *p)
{
    unsigned me = (unsigned)(uintptr_t)p, seed = me;
    int fd = client_connect(port);

    for (int i = 0; i < ROUNDS; i++) {
        int kind = rand_r(&seed) % 6;
        struct client_answer a;
        char text[200], wanted[64];

        snprintf(wanted, sizeof wanted, "%u-%d", me, i);
        if (kind == 0)
            snprintf(text, sizeof text, "GET /now HTTP/1.1\r\nHost: localhost\r\n\r\n");
        else if (kind == 1)
            snprintf(text, sizeof text, "GET /park-now HTTP/1.1\r\nHost: localhost\r\n\r\n");
        else if (kind == 2)
            snprintf(text, sizeof text,
                     "POST /park?q=%s HTTP/1.1\r\nHost: localhost\r\n"
                     "Content-Type: application/json\r\nContent-Length: 4\r\n\r\nabcd",
                     wanted);
        else
            snprintf(text, sizeof text, "GET /park?q=%s HTTP/1.1\r\nHost: localhost\r\n\r\n",
                     wanted);
        client_sends(fd, text);
        if (rand_r(&seed) % 20 == 0) { /* this client does not wait for its answer */
            close(fd);
            fd = client_connect(port);
            continue;
        }
        if (!client_read(fd, false, &a) || a.status != 200 ||
            strcmp(a.body.data, kind == 0   ? "now"
                                : kind == 1 ? "park-now"
                                            : wanted) != 0)
            atomic_fetch_add(&wrong, 1);
        client_free(&a);
    }
    close(fd);
    return NULL;
}

static void test_many_at_once(void)
{
    pthread_t threads[CLIENTS];

    for (uintptr_t i = 0; i < CLIENTS; i++)
        CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[i], NULL, client_main, (void *)(i + 1)), 0);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(threads[i], NULL);
    CU_ASSERT_EQUAL(atomic_load(&wrong), 0);
}

static int connect_and_park(int i)
{
    char text[100];
    int fd = client_connect(port);

    snprintf(text, sizeof text, "GET /park?q=%d HTTP/1.1\r\nHost: localhost\r\n\r\n", i);
    client_sends(fd, text);
    return fd;
}

static bool has_ended(int fd)
{
    char c;
    ssize_t n = recv(fd, &c, 1, MSG_PEEK | MSG_DONTWAIT);

    return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

/* Parks @n requests. Where the machine stands still for as long as the idle timeout, the server
 * rightly cuts off clients that it has not heard yet; those connect again. */
static bool park_all(int *fds, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fds[i] = connect_and_park((int)i);
    for (int64_t until = client_now_ms() + 20000; queued() < n && client_now_ms() < until;
         pause_ms(5)) {
        for (size_t i = 0; i < n; i++) {
            if (has_ended(fds[i])) {
                close(fds[i]);
                fds[i] = connect_and_park((int)i);
            }
        }
    }
    return queued() == n;
}

/* More parked requests than threads by far; they outlive the idle timeout; all get their own
 * answer. */
static void test_parked_outlive_the_timeout(void)
{
    static int fds[MANY];
    int good = 0;

    stop();
    start(1);
    hold(true);
    CU_ASSERT_TRUE(park_all(fds, MANY));
    pause_ms(3200); /* more than three times the idle timeout */
    hold(false);
    for (int i = 0; i < MANY; i++) {
        struct client_answer a;

        client_read(fds[i], false, &a);
        good += a.status == 200 && atoi(a.body.data) == i;
        client_free(&a);
        close(fds[i]);
    }
    CU_ASSERT_EQUAL(good, MANY);
    stop();
    start(0);
}

/* An answer goes from api_answer() to the client's recv() without a timer or Nagle's algorithm in
 * between. */
static void test_latency(void)
{
    int fd = client_connect(port), prompt = 0;

    hold(true);
    for (int i = 0; i < LATENCY_TRIES; i++) {
        struct client_answer a;
        struct api_request *rq;
        int64_t began;

        client_sends(fd, "GET /park?q=x HTTP/1.1\r\nHost: localhost\r\n\r\n");
        CU_ASSERT_TRUE_FATAL(wait_queued(1));
        pthread_mutex_lock(&queue.lock);
        rq = dequeue(true);
        pthread_mutex_unlock(&queue.lock);
        began = client_now_ms();
        answer_echo(rq);
        CU_ASSERT_TRUE(client_read(fd, false, &a));
        prompt += client_now_ms() - began < 20;
        client_free(&a);
    }
    close(fd);
    hold(false);
    /* With Nagle's algorithm every answer would wait 40 ms for a delayed acknowledgement; a busy
     * machine delays only some of them as long. */
    CU_ASSERT(prompt >= LATENCY_TRIES / 4);
}

static void test_gone(void)
{
    int stays = client_connect(port), leaves = client_connect(port);
    struct api_request *first, *second;
    struct client_answer a;
    int freed;

    CU_ASSERT_TRUE_FATAL(wait_completed());
    freed = atomic_load(&slots_freed);
    hold(true);
    client_sends(stays, "GET /park?q=stays HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CU_ASSERT_TRUE_FATAL(wait_queued(1));
    client_sends(leaves, "GET /park?q=leaves HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CU_ASSERT_TRUE_FATAL(wait_queued(2));
    pthread_mutex_lock(&queue.lock);
    first = dequeue(true);
    second = dequeue(true);
    pthread_mutex_unlock(&queue.lock);
    CU_ASSERT_FALSE(api_client_is_gone(first));
    CU_ASSERT_FALSE(api_client_is_gone(second));
    shutdown(leaves, SHUT_WR);
    CU_ASSERT_FALSE(api_client_is_gone(second)); /* it sends nothing more, but still reads */
    setsockopt(leaves, SOL_SOCKET, SO_LINGER, &(struct linger){1, 0}, sizeof(struct linger));
    close(leaves);
    for (int64_t until = client_now_ms() + 10000;
         !api_client_is_gone(second) && client_now_ms() < until;)
        pause_ms(1);
    CU_ASSERT_TRUE(api_client_is_gone(second));
    CU_ASSERT_FALSE(api_client_is_gone(first));
    answer_echo(second);
    answer_echo(first);
    CU_ASSERT_TRUE(client_read(stays, false, &a));
    CU_ASSERT_STRING_EQUAL(a.body.data, "stays");
    client_free(&a);
    close(stays);
    CU_ASSERT_TRUE(wait_completed());
    CU_ASSERT_EQUAL(atomic_load(&slots_freed), freed + 2);
    hold(false);
}

/* Reads and counts the answers: when the server stops, every client gets one, 503 if its request
 * was still parked, its own answer if that came first. */
static void collect(int *fds, int n, int *good, int *refused)
{
    *good = *refused = 0;
    for (int i = 0; i < n; i++) {
        struct client_answer a;

        client_read(fds[i], false, &a);
        *good += a.status == 200;
        *refused += a.status == 503;
        client_free(&a);
        close(fds[i]);
    }
}

static void park_clients(int *fds, size_t n)
{
    hold(true);
    for (size_t i = 0; i < n; i++) {
        fds[i] = client_connect(port);
        client_sends(fds[i], "GET /park?q=x HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }
    CU_ASSERT_TRUE_FATAL(wait_queued(n));
}

static void test_stop_parked(void)
{
    int fds[64], good, refused, freed = atomic_load(&slots_freed);

    park_clients(fds, 64);
    stop(); /* empties the queue: nobody but the server can answer */
    collect(fds, 64, &good, &refused);
    CU_ASSERT_EQUAL(refused, 64);
    CU_ASSERT_EQUAL(atomic_load(&slots_freed), freed + 64);
    hold(false);
    start(0);
}

static void *stop_begin_main(void *p)
{
    unsigned seed = (unsigned)(uintptr_t)p;
    struct timespec ts = {.tv_nsec = rand_r(&seed) % 3000000};

    nanosleep(&ts, NULL);
    api_server_stop_begin(server);
    return NULL;
}

/* The server stops while threads are answering: some of their answers come in time, some too
 * late. */
static void test_stop_while_answering(void)
{
    for (uintptr_t round = 0; round < 20; round++) {
        int fds[64], good, refused, given = atomic_load(&answers),
                                    freed = atomic_load(&slots_freed);
        pthread_t stopper;

        park_clients(fds, 64);
        CU_ASSERT_EQUAL_FATAL(pthread_create(&stopper, NULL, stop_begin_main, (void *)(round + 1)),
                              0);
        hold(false);
        pthread_join(stopper, NULL);
        for (int64_t until = client_now_ms() + 20000;
             atomic_load(&answers) < given + 64 && client_now_ms() < until;)
            pause_ms(1);
        stop();
        collect(fds, 64, &good, &refused);
        CU_ASSERT_EQUAL(good + refused, 64);
        CU_ASSERT_EQUAL(atomic_load(&slots_freed), freed + 64);
        start(0);
    }
}

static struct api_request *late_rq;

/* Answers after the server has given its own 503. */
static void *late_answer_main(void *p)
{
    (void)p;
    while (
        !api_client_is_gone(late_rq)) /* becomes true when the server has taken the request back */
        pause_ms(1);
    answer_echo(late_rq);
    return NULL;
}

static void test_late_answer(void)
{
    int fd = client_connect(port), unfinished = client_connect(port),
        freed = atomic_load(&slots_freed);
    struct client_answer a;
    pthread_t late;

    hold(true);
    client_sends(fd, "GET /park?q=x HTTP/1.1\r\nHost: localhost\r\n\r\n");
    client_sends(unfinished, "GET /park?q=y HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CU_ASSERT_TRUE_FATAL(wait_queued(2));
    pthread_mutex_lock(&queue.lock);
    late_rq = dequeue(true);
    queue.from = queue.to; /* the test never answers the other request */
    pthread_mutex_unlock(&queue.lock);
    CU_ASSERT_EQUAL_FATAL(pthread_create(&late, NULL, late_answer_main, NULL), 0);
    shutdown(fd, SHUT_RD);
    api_server_stop_begin(server);
    pthread_join(late, NULL);
    stop();
    CU_ASSERT_EQUAL(atomic_load(&slots_freed), freed + 2);
    client_read(unfinished, false, &a);
    CU_ASSERT_EQUAL(a.status, 503);
    client_free(&a);
    close(fd);
    close(unfinished);
    hold(false);
    start(0);
}

static const struct cunit_case cases[] = {
    {"many at once", test_many_at_once},
    {"parked requests outlive the idle timeout", test_parked_outlive_the_timeout},
    {"latency", test_latency},
    {"gone clients", test_gone},
    {"stop with parked requests", test_stop_parked},
    {"stop while others answer", test_stop_while_answering},
    {"answer after the stop began", test_late_answer},
};

int main(void)
{
    pthread_t answerers[ANSWERERS];
    int rc;

    for (uintptr_t i = 0; i < ANSWERERS; i++)
        if (pthread_create(&answerers[i], NULL, answerer_main, (void *)(i + 1)) != 0)
            return 2;
    start(0);
    rc = cunit_main("api_parking", cases, sizeof cases / sizeof cases[0]);
    stop();
    pthread_mutex_lock(&queue.lock);
    queue.stop = true;
    pthread_cond_broadcast(&queue.wake);
    pthread_mutex_unlock(&queue.lock);
    for (int i = 0; i < ANSWERERS; i++)
        pthread_join(answerers[i], NULL);
    return rc;
}
