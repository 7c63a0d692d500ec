/* Goal: a server takes a signed request once, near its time, during one of its runs, whole and
 * unchanged, and signs what it answers; a client takes no other answer, and learns by a signed one
 * which run that is. The attacker here reads and changes everything on the
 * wire, but has no key. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/server/access/replay.h"
#include "api/server/server.h"
#include "base/clock.h"
#include "base/io/http_client.h"
#include "cunit_main.h"
#include "tests/unit/api_client.h"
#include "tests/unit/start_namer.h"

#define BEAT "/ws/v1/nodetracker/heartbeat"
#define JSON "Content-Type: application/json\r\n"

static struct api_server *server;
static uint16_t port;
static unsigned handled, noted; /* requests handled; answers of which an audit log is told */
static char refusal[200];

static void on_any(struct api_request *rq, void *user)
{
    struct base_buf b = {0};
    const char *key = api_signing_key_id(rq);

    (void)user;
    handled++;
    base_buf_addf(&b, "{\"orders\":\"%s\",\"node\":%s}", key ? key : "",
                  api_is_signed_by_node(rq) ? "true" : "false");
    api_answer(rq, 200, API_JSON, &b);
}

static int64_t read_nothing(void *u, char *buf, size_t max)
{
    int *left = u;

    if (*left == 0)
        return -1;
    base_assert(max >= 4);
    memcpy(buf, "log\n", 4);
    --*left;
    return 4;
}

static void on_stream(struct api_request *rq, void *user)
{
    int *left = base_alloc(sizeof *left);

    (void)user;
    *left = 3;
    api_answer_stream(rq, 200, "text/plain", read_nothing, left, free);
}

static const struct api_route routes[] = {
    {"POST", BEAT, API_ROLE_NODE, 1 << 20, on_any, API_ROUTE_CREEL},
    {"GET", "/stream", API_ROLE_NODE, 0, on_stream, API_ROUTE_CREEL},
    {"GET", "/node", API_ROLE_NODE, 0, on_any, API_ROUTE_CREEL},
    {"GET", "/master", API_ROLE_MASTER, 0, on_any, API_ROUTE_CREEL},
    {"GET", "/open", API_ROLE_READ, 0, on_any, API_ROUTE_CREEL},
};

static const struct base_key container_key = {.id = "container_1:7",
                                              .bytes = "the key of a container's token."};

static bool find_container_key(const char *id, struct base_key *out, void *user)
{
    (void)user;
    *out = container_key;
    return strcmp(id, container_key.id) == 0;
}

/* Borrowed until the next call. */
static const char *url_of(const char *path)
{
    static char url[100];

    snprintf(url, sizeof url, "http://localhost:%u%s", port, path);
    return url;
}

static void keep_refusal(struct api_request *rq, unsigned status, void *user)
{
    (void)user;
    noted++;
    if (status >= 400)
        snprintf(refusal, sizeof refusal, "%s", api_refusal_text(rq) ? api_refusal_text(rq) : "");
}

/* @at: port; 0: any. */
static void start_server(uint16_t at)
{
    struct api_server_conf conf = {.bind = "127.0.0.1",
                                   .port = at,
                                   .threads = 2,
                                   .keys = client_keys(),
                                   .find_key = find_container_key,
                                   .on_answer = keep_refusal};
    struct base_error err;

    base_assert(api_server_start(&conf, routes, sizeof routes / sizeof routes[0], NULL, &server,
                                 &err) == 0);
    port = api_server_port(server);
}

static void restart_server(void)
{
    api_server_stop(server);
    start_server(port);
}

/* Posts a heartbeat with @line as its Authorization header. @why: part of the reason that the audit
 * log gets and the caller does not. */
static void expect_beat(const char *line, const char *path, const char *body, int status,
                        const char *why)
{
    struct client_answer a;
    char *headers = base_printf("%s" JSON, line);
    unsigned before = handled;

    refusal[0] = '\0';
    client_do(port, "POST", path, headers, body, &a);
    CU_ASSERT_EQUAL(a.status, status);
    CU_ASSERT_EQUAL(handled - before, status == 200);
    if (status == 401) {
        CU_ASSERT_TRUE(client_has(&a, "WWW-Authenticate: Creel-HMAC"));
        CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, "not authenticated"));
        CU_ASSERT_PTR_NULL(strstr(a.body.data, why));
        CU_ASSERT_PTR_NOT_NULL(strstr(refusal, why));
        if (!strstr(refusal, why))
            fprintf(stderr, "%s, not %s\n", refusal, why);
    }
    client_free(&a);
    free(headers);
}

static void test_replay(void)
{
    char *line = client_sign(port, "POST", BEAT, "{}", 2), *last = strrchr(line, '\r') - 1;

    expect_beat("", BEAT, "{}", 401, "not signed");
    expect_beat("Authorization: Bearer 00c0ffee\r\n", BEAT, "{}", 401, "not signed");
    *last = (char)(*last == '0' ? '1' : '0');
    expect_beat(line, BEAT, "{}", 401, "is wrong");
    free(line);
    line = client_sign(port, "POST", BEAT, "{}", 2);
    expect_beat(line, BEAT, "{}", 200, NULL);
    expect_beat(line, BEAT, "{}", 401, "repeats");
    free(line);
}

static void test_changed(void)
{
    char *line = client_sign(port, "POST", BEAT, "{}", 2);

    expect_beat(line, BEAT "?x", "{}", 401, "is wrong");
    expect_beat(line, BEAT "/", "{}", 401, "is wrong");
    expect_beat(line, BEAT, "{} ", 401, "not the one that was signed");
    /* the nonce is used up: the true body comes too late */
    expect_beat(line, BEAT, "{}", 401, "repeats");
    free(line);
    line = client_sign(port, "GET", BEAT, "{}", 2);
    expect_beat(line, BEAT, "{}", 401, "is wrong");
    free(line);
}

/* Writes the line "Authorization" of a POST to BEAT with @key. @host: to whom it is sent. */
static void put_line(const struct base_key *key, const char *host, const char *start_id,
                     struct base_buf *out)
{
    struct base_request_signature s;
    char *url = base_printf("http://%s" BEAT, host);

    base_sign_request(key, "POST", url, start_id, "{}", 2, base_wall_us(&base_clock_real) / 1000,
                      false, &s);
    base_buf_adds(out, "Authorization: ");
    base_request_signature_format(&s, out);
    base_buf_adds(out, "\r\n");
    free(url);
}

/* A request that was signed for @host comes to this server, with this Host. */
static void expect_host(const char *host, int status, const char *why)
{
    struct base_buf line = {0};
    struct base_key key;
    struct client_answer a;
    unsigned before = handled;

    base_keyring_get_signing_key(client_keys(), &key);
    base_buf_addf(&line, "POST " BEAT " HTTP/1.1\r\nHost: %s\r\n" JSON, host);
    put_line(&key, host, client_start_id(port), &line);
    base_buf_adds(&line, "Content-Length: 2\r\n\r\n{}");
    refusal[0] = '\0';
    client_once(port, line.data, line.len, &a);
    CU_ASSERT_EQUAL(a.status, status);
    CU_ASSERT_EQUAL(handled - before, status == 200);
    CU_ASSERT_TRUE(!why || strstr(refusal, why));
    client_free(&a);
    base_buf_free(&line);
}

/* What was recorded on the way to another server is refused, though its Host comes along. */
static void test_destination(void)
{
    static const char *const names[] = {"localhost", "LOCALHOST", "127.0.0.1"};
    struct base_key key;
    struct base_buf line = {0};
    char host[64];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(host, sizeof host, "%s:%u", names[i], port);
        expect_host(host, 200, NULL);
        snprintf(host, sizeof host, "%s:%u", names[i], port + 1);
        expect_host(host, 401, "is not this server");
        expect_host(names[i], 401, "is not this server");
    }
    snprintf(host, sizeof host, "127.0.0.2:%u", port); /* an address of another daemon */
    expect_host(host, 401, "is not this server");
    snprintf(host, sizeof host, "[::1]:%u", port);
    expect_host(host, 401, "is not this server");
    snprintf(host, sizeof host, "other.example:%u", port);
    expect_host(host, 421, NULL);
    base_keyring_get_signing_key(client_keys(), &key);
    snprintf(host, sizeof host, "localhost:%u", port + 1);
    put_line(&key, host, client_start_id(port), &line);
    expect_beat(line.data, BEAT, "{}", 401, "is wrong"); /* under this server's own name */
    base_buf_free(&line);
}

static void expect_time(int64_t off_ms, bool forge, int status, const char *why)
{
    struct base_request_signature s;
    struct base_buf line = {0};
    struct base_key key;

    base_keyring_get_signing_key(client_keys(), &key);
    base_sign_request(&key, "POST", url_of(BEAT), client_start_id(port), "{}", 2,
                      base_wall_us(&base_clock_real) / 1000 + off_ms, false, &s);
    if (forge)
        s.time_ms += 1;
    base_buf_adds(&line, "Authorization: ");
    base_request_signature_format(&s, &line);
    base_buf_adds(&line, "\r\n");
    expect_beat(line.data, BEAT, "{}", status, why);
    base_buf_free(&line);
}

static void test_time(void)
{
    /* this server began a moment ago: a peer whose clock is behind is taken all the same */
    expect_time(-200000, false, 200, NULL);
    expect_time(200000, false, 200, NULL);
    expect_time(-400000, false, 401, "earlier");
    expect_time(400000, false, 401, "later");
    expect_time(0, true, 401, "is wrong");
}

static void test_other_key(void)
{
    struct base_key key = container_key, stranger = {.id = "feedface"};
    struct base_request_signature s;
    struct base_buf line = {0};
    struct client_answer a;

    base_sign_request(&stranger, "POST", url_of(BEAT), client_start_id(port), "{}", 2,
                      base_wall_us(&base_clock_real) / 1000, false, &s);
    base_buf_adds(&line, "Authorization: ");
    base_request_signature_format(&s, &line);
    base_buf_adds(&line, "\r\n");
    expect_beat(line.data, BEAT, "{}", 401, "no valid key is called feedface");
    /* a container's key is known, but a container is no daemon */
    line.len = strlen("Authorization: ");
    base_sign_request(&key, "POST", url_of(BEAT), client_start_id(port), "{}", 2,
                      base_wall_us(&base_clock_real) / 1000, false, &s);
    base_request_signature_format(&s, &line);
    base_buf_adds(&line, "\r\n");
    expect_beat(line.data, BEAT, "{}", 403, NULL);
    line.len = strlen("Authorization: ");
    base_sign_request(&key, "GET", url_of("/master"), client_start_id(port), "", 0,
                      base_wall_us(&base_clock_real) / 1000, false, &s);
    base_request_signature_format(&s, &line);
    base_buf_adds(&line, "\r\n");
    client_do(port, "GET", "/master", line.data, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 200);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.body.data, "\"orders\":\"container_1:7\",\"node\":false"));
    client_free(&a);
    client_do(port, "GET", "/master", NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 401);
    CU_ASSERT_TRUE(client_has(&a, "WWW-Authenticate: Bearer, Creel-HMAC"));
    client_free(&a);
    /* a wrong signature (here for another path) is refused even where none is needed */
    client_do(port, "GET", "/open", line.data, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 401);
    client_free(&a);
    client_do(port, "GET", "/open", NULL, NULL, &a);
    CU_ASSERT_EQUAL(a.status, 200);
    CU_ASSERT_PTR_NULL(strstr(a.head, BASE_ANSWER_SIGNATURE));
    client_free(&a);
    base_buf_free(&line);
}

static int perform(const char *method, const char *path, const char *body, bool stream,
                   struct base_keyring *keys, struct base_http_answer *out, struct base_error *err)
{
    struct base_http *http = base_http_new();
    char *url = base_printf("http://127.0.0.1:%u%s", port, path);
    struct base_http_request rq = {.method = method,
                                   .url = url,
                                   .body = body,
                                   .body_len = body ? strlen(body) : 0,
                                   .keys = keys,
                                   .stream = stream};
    int rc = base_http_perform(http, &rq, out, err);

    free(url);
    base_http_free(http);
    return rc;
}

static void test_client(void)
{
    struct base_http_answer a = {0};
    struct base_error err = {0};
    struct base_key other = {.id = "00c0ffee", .bytes = "not the server's"};
    struct base_keyring *strange = base_keyring_new_of_key(&other);

    CU_ASSERT_EQUAL(perform("POST", BEAT, "{}", false, client_keys(), &a, &err), 0);
    CU_ASSERT_EQUAL(a.status, 200);
    base_http_answer_free(&a);
    CU_ASSERT_EQUAL(perform("GET", "/node?a=b%20c", NULL, false, client_keys(), &a, &err), 0);
    CU_ASSERT_EQUAL(a.status, 200);
    base_http_answer_free(&a);
    /* refusals are signed, too, once the signature of the request's head was found right */
    CU_ASSERT_EQUAL(perform("GET", "/nowhere", NULL, false, client_keys(), &a, &err), 0);
    CU_ASSERT_EQUAL(a.status, 404);
    base_http_answer_free(&a);
    CU_ASSERT_EQUAL(perform("POST", BEAT, "{}", false, strange, &a, &err), -BASE_EPERM);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "HTTP 401: the answer is not signed"));
    CU_ASSERT_EQUAL(perform("GET", "/stream", NULL, true, client_keys(), &a, &err), 0);
    CU_ASSERT_STRING_EQUAL(a.body.data, "log\nlog\nlog\n");
    base_http_answer_free(&a);
    CU_ASSERT_EQUAL(perform("GET", "/stream", NULL, false, client_keys(), &a, &err), -BASE_EPERM);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "body is not signed"));
    CU_ASSERT_EQUAL(perform("GET", "/node", NULL, true, client_keys(), &a, &err), 0);
    base_http_answer_free(&a);
    base_keyring_unref(strange);
}

/* Returns the line "Authorization" of a heartbeat signed for @start_id at @off_ms from now. */
static char *sign_for_start(const char *start_id, int64_t off_ms)
{
    struct base_buf line = {0};
    struct base_request_signature s;
    struct base_key key;

    base_keyring_get_signing_key(client_keys(), &key);
    base_sign_request(&key, "POST", url_of(BEAT), start_id, "{}", 2,
                      base_wall_us(&base_clock_real) / 1000 + off_ms, false, &s);
    base_buf_adds(&line, "Authorization: ");
    base_request_signature_format(&s, &line);
    base_buf_adds(&line, "\r\n");
    return base_buf_take(&line);
}

/* What was signed for an earlier start is refused, whatever the sender's clock says, and what was
 * signed for this one is taken. The refusal names the present start id to who has the key. */
static void test_restart(void)
{
    static const int64_t clocks_ms[] = {-200000, 0, 200000};
    char *recorded[3], *line, before[BASE_START_ID_MAX];

    snprintf(before, sizeof before, "%s", client_start_id(port));
    for (int i = 0; i < 3; i++) {
        recorded[i] = sign_for_start(before, clocks_ms[i]);
        expect_beat(recorded[i], BEAT, "{}", 200, NULL);
        expect_beat(recorded[i], BEAT, "{}", 401, "repeats");
    }
    restart_server();
    for (int i = 0; i < 3; i++) {
        expect_beat(recorded[i], BEAT, "{}", 401, "another start");
        expect_beat(recorded[i], BEAT, "{}", 401, "another start"); /* nor the second time */
        free(recorded[i]);
    }
    client_forget_start_id(port);
    CU_ASSERT_STRING_NOT_EQUAL(client_start_id(port), before);
    for (int i = 0; i < 3; i++) {
        line = sign_for_start(client_start_id(port), clocks_ms[i]);
        expect_beat(line, BEAT, "{}", 200, NULL);
        free(line);
    }
}

/* Who does not know the start id is told it, and the audit log is not; who has no key, or asks
 * under another server's name, is not told. */
static void test_asking_for_start_id(void)
{
    char *line = sign_for_start(BASE_START_ID_UNKNOWN, 0), *last = strrchr(line, '\r') - 1;
    unsigned noted_before = noted, handled_before = handled;
    struct client_answer a;

    client_do(port, "POST", BEAT, line, "{}", &a);
    CU_ASSERT_EQUAL(a.status, 401);
    CU_ASSERT_PTR_NOT_NULL(strstr(a.head, BASE_START_HEADER ": key=00c0ffee, start="));
    CU_ASSERT_PTR_NOT_NULL(strstr(a.head, client_start_id(port)));
    client_free(&a);
    CU_ASSERT_EQUAL(noted, noted_before);
    *last = (char)(*last == '0' ? '1' : '0');
    client_do(port, "POST", BEAT, line, "{}", &a);
    CU_ASSERT_EQUAL(a.status, 401);
    CU_ASSERT_PTR_NULL(strstr(a.head, BASE_START_HEADER));
    client_free(&a);
    CU_ASSERT_EQUAL(noted, noted_before + 1);
    CU_ASSERT_EQUAL(handled, handled_before);
    free(line);
}

/* A request that was led here from another server, with our start id or none, is not for us, and
 * does not learn that id. */
static void test_start_id_does_not_replace_host(void)
{
    const char *const ids[] = {client_start_id(port), BASE_START_ID_UNKNOWN};
    char host[64];

    snprintf(host, sizeof host, "127.0.0.2:%u", port);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        struct base_buf line = {0};
        struct client_answer a;
        struct base_key key;

        base_keyring_get_signing_key(client_keys(), &key);
        base_buf_addf(&line, "POST " BEAT " HTTP/1.1\r\nHost: %s\r\n" JSON, host);
        put_line(&key, host, ids[i], &line);
        base_buf_adds(&line, "Content-Length: 2\r\n\r\n{}");
        client_once(port, line.data, line.len, &a);
        CU_ASSERT_EQUAL(a.status, 401);
        CU_ASSERT_PTR_NULL(strstr(a.head, BASE_START_HEADER));
        CU_ASSERT_PTR_NOT_NULL(strstr(refusal, "is not this server"));
        client_free(&a);
        base_buf_free(&line);
    }
}

static size_t count_learned(void)
{
    return base_server_starts_count(base_keyring_server_starts(client_keys()));
}

static void forget_server(uint16_t at)
{
    char *url = base_printf("http://127.0.0.1:%u", at);

    base_server_starts_forget(base_keyring_server_starts(client_keys()), url);
    free(url);
}

/* A client of base/io/http_client.h learns the start id with its first request, and again after a
 * restart; each request is carried out once. */
static void test_client_learns(void)
{
    struct base_http_answer a = {0};
    struct base_error err = {0};
    size_t learned;

    forget_server(port);
    learned = count_learned();
    for (int i = 0; i < 2; i++) {
        unsigned before = handled, noted_before = noted;

        CU_ASSERT_EQUAL(perform("POST", BEAT, "{}", false, client_keys(), &a, &err), 0);
        CU_ASSERT_EQUAL(a.status, 200);
        base_http_answer_free(&a);
        CU_ASSERT_EQUAL(handled, before + 1);
        CU_ASSERT_EQUAL(noted, noted_before + 1);
        CU_ASSERT_EQUAL(count_learned(), learned + 1);
        noted_before = noted;
        CU_ASSERT_EQUAL(perform("GET", "/stream", NULL, true, client_keys(), &a, &err), 0);
        CU_ASSERT_STRING_EQUAL(a.body.data, "log\nlog\nlog\n");
        base_http_answer_free(&a);
        CU_ASSERT_EQUAL(noted, noted_before + 1); /* with no refusal before */
        restart_server();
        forget_server(port);
    }
    CU_ASSERT_EQUAL(perform("POST", BEAT, "{}", false, client_keys(), &a, &err), 0);
    base_http_answer_free(&a);
    restart_server(); /* unnoticed by the client */
    CU_ASSERT_EQUAL(perform("POST", BEAT, "{}", false, client_keys(), &a, &err), 0);
    CU_ASSERT_EQUAL(a.status, 200);
    base_http_answer_free(&a);
    CU_ASSERT_PTR_NOT_NULL(strstr(refusal, "another start"));
    /* who gets no answer forgets the id */
    api_server_stop(server);
    CU_ASSERT_EQUAL(perform("POST", BEAT, "{}", false, client_keys(), &a, &err), -BASE_EIO);
    CU_ASSERT_EQUAL(count_learned(), learned);
    start_server(port);
}

/* Nobody makes a client send a request more than twice, and nobody without the key makes it send
 * one twice, or learn an id. */
static void test_client_repeats_once(void)
{
    static const struct {
        enum start_namer_way way;
        unsigned requests;
        bool learned;
        const char *why;
    } rows[] = {
        {NAMER_NO_MAC, 1, false, "HTTP 401: the answer is not signed"},
        {NAMER_OTHER_KEY, 1, false, "HTTP 401: the answer is not signed"},
        {NAMER_OTHER_NONCE, 1, false, "HTTP 401: the answer is not signed"},
        {NAMER_CHANGED_ID, 1, false, "HTTP 401: the answer is not signed"},
        {NAMER_SAME_ID, 1, false, "HTTP 401: the answer is not signed"},
        {NAMER_STATUS_200, 1, false, "HTTP 200: the answer is not signed"},
        {NAMER_STATUS_403, 1, false, "HTTP 403: the answer is not signed"},
        {NAMER_NEW_ID, 2, true, "the server has another start id"},
        {NAMER_NEW_ID, 2, true, "the server has another start id"},
        {NAMER_SAME_ID, 1, true, "HTTP 401: the answer is not signed"},
    };
    uint16_t own = port;
    size_t learned = count_learned();

    port = start_namer_start();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct base_http_answer a = {0};
        struct base_error err = {0};

        start_namer_set_way(rows[i].way);
        CU_ASSERT_EQUAL(perform("GET", "/node", NULL, false, client_keys(), &a, &err), -BASE_EPERM);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, rows[i].why));
        CU_ASSERT_EQUAL(start_namer_count_requests(), rows[i].requests);
        CU_ASSERT_EQUAL(count_learned(), learned + rows[i].learned);
        CU_ASSERT_PTR_NULL(a.body.data);
    }
    start_namer_stop();
    port = own;
}

static void nonce_of(unsigned i, char out[static BASE_NONCE_MAX])
{
    snprintf(out, BASE_NONCE_MAX, "%08x%024x", i * 2654435761u, i);
}

/* Time goes on, with a new nonce each millisecond. A nonce is refused the second time for as long
 * as its time is near enough to be taken, and is not kept for much longer. */
static void test_replay_table(void)
{
    const int64_t skew = 8000;
    struct api_replay *r = api_replay_new(skew, 0);
    char nonce[BASE_NONCE_MAX];
    size_t most = 0;

    for (unsigned i = 0; i < 20000; i++) {
        int64_t now = 1000000 + i, earlier;

        nonce_of(i, nonce);
        CU_ASSERT_EQUAL(api_replay_check_and_note(r, nonce, now, now), API_REPLAY_NEW);
        earlier = i > 7000 ? 7000 : i;
        nonce_of(i - (unsigned)earlier, nonce);
        CU_ASSERT_EQUAL(api_replay_check_and_note(r, nonce, now - earlier, now),
                        API_REPLAY_REPEATED);
        most = api_replay_count_nonces(r) > most ? api_replay_count_nonces(r) : most;
    }
    CU_ASSERT_TRUE(most >= 8000);
    /* at most the table's 18 slices of time, with one nonce a millisecond */
    CU_ASSERT_TRUE(most <= 19000);
    nonce_of(99999, nonce);
    CU_ASSERT_EQUAL(api_replay_check_and_note(r, nonce, 1000000, 1020000), API_REPLAY_LATE);
    CU_ASSERT_EQUAL(api_replay_check_and_note(r, nonce, 1029000, 1020000), API_REPLAY_LATE);
    /* the clock was set back to a time before all that the table remembers */
    CU_ASSERT_EQUAL(api_replay_check_and_note(r, nonce, 1000000, 1000000), API_REPLAY_LATE);
    api_replay_free(r);
}

/* A full table forgets its oldest nonces, and from then on refuses requests as old as those. */
static void test_replay_full(void)
{
    struct api_replay *r = api_replay_new(8000, 100);
    char nonce[BASE_NONCE_MAX];

    for (unsigned i = 0; i < 100; i++) {
        nonce_of(i, nonce);
        CU_ASSERT_EQUAL(api_replay_check_and_note(r, nonce, 50000 + i * 60, 55000), API_REPLAY_NEW);
    }
    nonce_of(100, nonce);
    CU_ASSERT_EQUAL(api_replay_check_and_note(r, nonce, 56000, 56000), API_REPLAY_NEW);
    CU_ASSERT_TRUE(api_replay_count_nonces(r) <= 100);
    nonce_of(0, nonce);
    CU_ASSERT_EQUAL(api_replay_check_and_note(r, nonce, 50000, 56000), API_REPLAY_LATE);
    nonce_of(99, nonce);
    CU_ASSERT_EQUAL(api_replay_check_and_note(r, nonce, 50000 + 99 * 60, 56000),
                    API_REPLAY_REPEATED);
    api_replay_free(r);
}

static const struct cunit_case cases[] = {
    {"replay", test_replay},
    {"changed", test_changed},
    {"destination", test_destination},
    {"time", test_time},
    {"other keys", test_other_key},
    {"restart", test_restart},
    {"asking for the start id", test_asking_for_start_id},
    {"start id and host", test_start_id_does_not_replace_host},
    {"client", test_client},
    {"client learns the start id", test_client_learns},
    {"client repeats once", test_client_repeats_once},
    {"table of nonces", test_replay_table},
    {"full table", test_replay_full},
};

int main(void)
{
    int rc;

    start_server(0);
    rc = cunit_main("api_signature", cases, sizeof cases / sizeof *cases);
    api_server_stop(server);
    return rc;
}
