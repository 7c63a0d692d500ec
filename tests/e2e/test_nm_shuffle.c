/* tests/e2e/test_nm_shuffle.c - reducers fetch map outputs from a real NodeManager.
 *
 * Goal: whoever proves to know a job's secret gets the bytes that a map has left, to the byte of
 * YARN's answer; nobody else gets anything; wrong, missing and malicious outputs are refused.
 * Outputs and secrets outlive containers and the daemon, and end with the application.
 * Method: the fake ResourceManager orders a container with service data; the test writes the map's
 * files where the container found its folder, and speaks HTTP itself. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crypto/base64.h"
#include "base/hadoop/credentials.h"
#include "base/io/io.h"
#include "nodemanager/shuffle/request.h"
#include "tests/fault/nm_fixture.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/shuffle_index.h"

#define SECRET "\1\2\3 four"
#define BIG    (8 << 20)

static struct fx *fx;
static int port;
static char *local_dir; /* LOCAL_DIRS of the application */

/* ---- the map's side ---- */

static const char *job(void)
{
    static char text[BASE_ID_TEXT_MAX];

    snprintf(text, sizeof text, "job_%s", fx_app() + strlen("application_"));
    return text;
}

static const char *attempt(int n)
{
    static char text[4][2 * BASE_ID_TEXT_MAX];

    snprintf(text[n % 4], sizeof text[0], "attempt_%s_m_%06d_0", job() + strlen("job_"), n);
    return text[n % 4];
}

static char *service_data(void)
{
    struct base_hadoop_token token = {.kind = "mapreduce.job", .service = "s"};
    struct base_buf bytes = {0}, text = {0};

    base_buf_adds(&token.identifier, job());
    base_buf_add(&token.password, SECRET, sizeof SECRET - 1);
    base_hadoop_token_write(&token, &bytes);
    base_base64_encode(bytes.data, bytes.len, &text);
    base_buf_free(&token.identifier);
    base_buf_free(&token.password);
    base_buf_free(&bytes);
    return base_buf_take(&text);
}

static void order_container(int n, const char *command)
{
    char id[64], *data = service_data();

    fake_rm_order(fx->rm, 0,
                  "{\"type\":\"launch\",\"container\":\"%s\",\"app\":\"%s\",\"user\":\"ann\","
                  "\"kind\":\"command\",\"token\":\"secret\",\"shuffleData\":\"%s\","
                  "\"command\":\"%s\"}",
                  fx_ct(n, id), fx_app(), data, command);
    free(data);
}

static void write_file(const char *attempt_id, const char *name, const void *bytes, size_t len)
{
    char *folder = base_printf("%s/output/%s", local_dir, attempt_id);
    char *path = base_printf("%s/%s", folder, name);

    CU_ASSERT_EQUAL(base_mkdirs(folder, 0700, NULL), 0);
    CU_ASSERT_EQUAL_FATAL(base_file_write_atomic(path, bytes, len, 0600, false, NULL), 0);
    free(folder);
    free(path);
}

/* Writes an output of two parts; that of reduce 1 is @part. */
static void write_output(int n, const void *part, size_t len)
{
    struct base_buf out = {0}, index = {0};

    base_buf_adds(&out, "of reduce 0");
    base_buf_add(&out, part, len);
    shuffle_index_add(&index, 0, 20, 11);
    shuffle_index_add(&index, 11, (int64_t)len + 2, (int64_t)len);
    shuffle_index_end(&index);
    write_file(attempt(n), "file.out", out.data, out.len);
    write_file(attempt(n), "file.out.index", index.data, index.len);
    base_buf_free(&out);
    base_buf_free(&index);
}

/* ---- the reducer's side ---- */

static int connect_to_node(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons((uint16_t)port),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    CU_ASSERT_EQUAL_FATAL(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    return fd;
}

/* Sends a request that is proven with @secret (NULL: not at all). Writes the hash to @hash. */
static void ask(int fd, const char *secret, const char *query, char hash[static NM_SHUFFLE_HASH])
{
    char *target = base_printf("/mapOutput?%s", query), *proof, *head;

    hash[0] = '\0';
    if (secret)
        nm_shuffle_hash_request(secret, strlen(secret), port,
                                (struct nm_shuffle_slice){target, strlen(target)}, hash);
    proof = secret ? base_printf("UrlHash: %s\r\n", hash) : base_strdup("");
    head = base_printf("GET %s HTTP/1.1\r\n%sname: mapreduce\r\nversion: 1.0.0\r\n\r\n", target,
                       proof);
    CU_ASSERT_EQUAL(send(fd, head, strlen(head), MSG_NOSIGNAL), (ssize_t)strlen(head));
    free(target);
    free(proof);
    free(head);
}

/* Appends @len bytes, or all until the end with SIZE_MAX. */
static void receive(int fd, size_t len, struct base_buf *out)
{
    char bytes[65536];

    while (len) {
        ssize_t n = recv(fd, bytes, len < sizeof bytes ? len : sizeof bytes, 0);

        if (n <= 0)
            return;
        base_buf_add(out, bytes, (size_t)n);
        len -= len == SIZE_MAX ? 0 : (size_t)n;
    }
}

static struct base_buf fetch(const char *secret, const char *query,
                             char hash[static NM_SHUFFLE_HASH])
{
    struct base_buf answer = {0};
    int fd = connect_to_node();

    ask(fd, secret, query, hash);
    receive(fd, SIZE_MAX, &answer);
    close(fd);
    return answer;
}

static char *query_for(int reduce, const char *maps, const char *more)
{
    return base_printf("job=%s&reduce=%d&map=%s%s", job(), reduce, maps, more);
}

/* Appends the bytes that YARN sends: headers, then for each of @n maps the part of reduce 1. */
static void add_expected(struct base_buf *out, const char *hash, const char *connection,
                         const int *maps, size_t n, const char *part)
{
    struct base_buf body = {0};
    char reply[NM_SHUFFLE_HASH];

    for (size_t i = 0; i < n; i++) {
        base_buf_add(&body, &(char){(char)strlen(attempt(maps[i]))}, 1);
        base_buf_adds(&body, attempt(maps[i]));
        base_buf_add(&body, &(char){(char)strlen(part)}, 1);
        base_buf_add(&body, &(char){(char)(strlen(part) + 2)}, 1);
        base_buf_add(&body, "\1", 1);
        base_buf_adds(&body, part);
    }
    base_buf_addf(out,
                  "HTTP/1.1 200 OK\r\nReplyHash: %s\r\nname: mapreduce\r\nversion: 1.0.0\r\n"
                  "%scontent-length: %zu\r\n\r\n",
                  nm_shuffle_hash_reply(SECRET, sizeof SECRET - 1,
                                        (struct nm_shuffle_slice){hash, strlen(hash)}, reply),
                  connection, body.len);
    base_buf_add(out, body.data, body.len);
    base_buf_free(&body);
}

static bool is_equal(const struct base_buf *a, const struct base_buf *b)
{
    bool equal = a->len == b->len && memcmp(a->data, b->data, a->len) == 0;

    if (!equal)
        printf("\n  %.*s\n  expected:\n  %.*s\n", (int)a->len, a->data, (int)b->len, b->data);
    return equal;
}

static void check_fetch(int map, const char *part)
{
    char *query = query_for(1, attempt(map), ""), hash[NM_SHUFFLE_HASH];
    struct base_buf got = fetch(SECRET, query, hash), expected = {0};

    add_expected(&expected, hash, "Connection: close\r\n", &map, 1, part);
    CU_ASSERT(is_equal(&got, &expected));
    base_buf_free(&got);
    base_buf_free(&expected);
    free(query);
}

/* ---- tests ---- */

static int decode_port(const char *text)
{
    struct base_buf b = {0};
    int v;

    base_base64_decode(text, &b);
    CU_ASSERT_EQUAL_FATAL(b.len, 32); /* as in YARN */
    v = (uint8_t)b.data[2] << 8 | (uint8_t)b.data[3];
    base_buf_free(&b);
    return v;
}

/* A container learns the port and the folder. */
static void test_environment(void)
{
    char id[64], *text, *end;

    order_container(1, "echo $NM_AUX_SERVICE_mapreduce_shuffle; echo $LOCAL_DIRS");
    CU_ASSERT_EQUAL(fx_exit_code(fx, fx_ct(1, id)), 0);
    text = fx_file("%s/logs/%s/%s/stdout", fx->local[0], fx_app(), id);
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    end = strchr(text, '\n');
    CU_ASSERT_PTR_NOT_NULL_FATAL(end);
    *end = '\0';
    port = decode_port(text);
    CU_ASSERT(port > 0);
    local_dir = base_strndup(end + 1, strcspn(end + 1, "\n"));
    free(text);
}

/* What the container may read does not have the secret; only we may read the file that has. */
static void test_secrecy(void)
{
    char id[64], *data = service_data(), *text, *path;
    struct stat st;

    text = fx_file("%s/apps/%s/%s/launch.json", fx->local[0], fx_app(), fx_ct(1, id));
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    CU_ASSERT_PTR_NULL(strstr(text, data));
    path = base_printf("%s/records/%s/shuffle", fx->local[0], fx_app());
    CU_ASSERT_EQUAL_FATAL(stat(path, &st), 0);
    CU_ASSERT_EQUAL(st.st_mode & 07777, 0600);
    free(path);
    free(text);
    free(data);
}

static void test_fetch(void)
{
    write_output(0, "hello", 5);
    check_fetch(0, "hello");
    write_output(1, "", 0);
    check_fetch(1, "");
}

/* Several outputs in one answer; two answers on one connection, the second asked for early. */
static void test_keep_alive(void)
{
    char *maps = base_printf("%s,%s,%s", attempt(0), attempt(2), attempt(0));
    char *query = query_for(1, maps, "&keepAlive=true"), hash[NM_SHUFFLE_HASH];
    struct base_buf got = {0}, expected = {0};
    int fd = connect_to_node();

    write_output(2, "hello", 5);
    ask(fd, SECRET, query, hash);
    ask(fd, SECRET, query, hash);
    for (int i = 0; i < 2; i++)
        add_expected(&expected, hash, "Connection: Keep-Alive\r\nKeep-Alive: timeout=5\r\n",
                     (int[]){0, 2, 0}, 3, "hello");
    receive(fd, expected.len, &got);
    CU_ASSERT(is_equal(&got, &expected));
    close(fd);
    base_buf_free(&got);
    base_buf_free(&expected);
    free(query);
    free(maps);
}

/* A reducer that takes its time gets everything, and the others need not wait for it. */
static void test_slow_reducer(void)
{
    char *part = base_alloc(BIG), *query = query_for(1, attempt(3), ""), hash[NM_SHUFFLE_HASH];
    struct base_buf got = {0};
    int fd = connect_to_node();

    for (size_t i = 0; i < BIG; i++)
        part[i] = (char)(i * 31 >> 3);
    write_output(3, part, BIG);
    ask(fd, SECRET, query, hash);
    receive(fd, 1000, &got);
    for (int i = 0; i < 20; i++) /* more than there are threads */
        check_fetch(0, "hello");
    receive(fd, SIZE_MAX, &got);
    CU_ASSERT_FATAL(got.len > BIG);
    CU_ASSERT_EQUAL(memcmp(got.data + got.len - BIG, part, BIG), 0);
    close(fd);
    base_buf_free(&got);
    free(query);
    free(part);
}

/* Small parts, which are copied, before, between and after big ones, which are not; more small ones
 * than are copied. */
static void test_mixed_sizes(void)
{
    char *part = base_alloc(20000), *query, hash[NM_SHUFFLE_HASH];
    struct base_buf maps = {0}, got, parts = {0};

    for (int i = 0; i < 12; i++) {
        size_t len = i % 3 == 0 ? 20000 : i % 3 == 1 ? 15000 : 10;

        memset(part, 'a' + i, len);
        write_output(20 + i, part, len);
        base_buf_addf(&maps, "%s%s", i ? "," : "", attempt(20 + i));
        base_buf_add(&parts, part, len);
    }
    query = query_for(1, maps.data, "");
    got = fetch(SECRET, query, hash);
    CU_ASSERT_FATAL(got.data && strncmp(got.data, "HTTP/1.1 200", 12) == 0);
    for (size_t i = 0, at = 0; i < 12; i++) { /* in order, whatever stands between */
        size_t len = i % 3 == 0 ? 20000 : i % 3 == 1 ? 15000 : 10;
        const char *found = memmem(got.data + at, got.len - at, parts.data, len);

        CU_ASSERT_PTR_NOT_NULL_FATAL(found);
        CU_ASSERT(found - (got.data + at) < 400);
        at = (size_t)(found - got.data) + len;
        parts.len -= len;
        memmove(parts.data, parts.data + len, parts.len);
        CU_ASSERT(i < 11 || at == got.len);
    }
    base_buf_free(&got);
    base_buf_free(&maps);
    base_buf_free(&parts);
    free(query);
    free(part);
}

/* @secret NULL: no hash. */
static void check_refusal(const char *secret, const char *query, const char *status,
                          const char *words)
{
    char hash[NM_SHUFFLE_HASH];
    struct base_buf got = fetch(secret, query, hash);
    char *begin = base_printf("HTTP/1.1 %s\r\ncontent-type: text/plain; charset=UTF-8\r\n"
                              "name: mapreduce\r\nversion: 1.0.0\r\ncontent-length: ",
                              status);

    CU_ASSERT_PTR_NOT_NULL_FATAL(got.data);
    CU_ASSERT_EQUAL(strncmp(got.data, begin, strlen(begin)), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(got.data, words));
    if (strncmp(got.data, begin, strlen(begin)) != 0 || !strstr(got.data, words))
        printf("\n  %s: %s\n", query, got.data);
    free(begin);
    base_buf_free(&got);
}

static void check_refusal_of_map(int reduce, const char *map, const char *status, const char *words)
{
    char *query = query_for(reduce, map, "");

    check_refusal(SECRET, query, status, words);
    free(query);
}

static void test_proof(void)
{
    char *right = query_for(1, attempt(0), ""),
         *other = base_printf("job=job_1_1&reduce=1&map=%s", attempt(0));

    check_refusal(NULL, right, "401 Unauthorized", "\r\n\r\nfetcher cannot be authenticated");
    check_refusal("another", right, "401 Unauthorized",
                  "\r\n\r\nVerification of the hashReply failed");
    check_refusal(SECRET, other, "401 Unauthorized",
                  "\r\n\r\nCan't find job token for job job_1_0001 !!");
    free(right);
    free(other);
    check_refusal_of_map(1, "../../x", "400 Bad Request", "\r\n\r\nBad map parameter");
}

static void test_missing_outputs(void)
{
    check_refusal_of_map(1, attempt(9), "500 Internal Server Error", "No such file");
    check_refusal_of_map(2, attempt(0), "500 Internal Server Error", "reduce 2");
    check_refusal_of_map(-1, attempt(0), "500 Internal Server Error", "reduce -1");
    write_file(attempt(4), "file.out", "x", 1);
    check_refusal_of_map(0, attempt(4), "500 Internal Server Error", "file.out.index");
}

/* Outputs by which a map tries to make the node send other files, or hang. */
static void test_malicious_outputs(void)
{
    char *folder = base_printf("%s/output/%s", local_dir, attempt(5));
    char *data = base_printf("%s/file.out", folder),
         *link = base_printf("%s/output/%s", local_dir, attempt(6));
    struct base_buf index = {0};
    char *endless;

    write_output(5, "x", 1);
    CU_ASSERT_EQUAL(unlink(data), 0);
    CU_ASSERT_EQUAL(symlink("/etc/passwd", data), 0);
    check_refusal_of_map(1, attempt(5), "500 Internal Server Error", "file.out");
    unlink(data);
    CU_ASSERT_EQUAL(mkfifo(data, 0600), 0);
    check_refusal_of_map(1, attempt(5), "500 Internal Server Error", "file.out");
    unlink(data);
    write_file(attempt(5), "file.out", "x", 1); /* shorter than the index says */
    check_refusal_of_map(1, attempt(5), "500 Internal Server Error", "not within");
    shuffle_index_add(&index, 0, 1, 1);
    write_file(attempt(5), "file.out.index", index.data, index.len);
    check_refusal_of_map(0, attempt(5), "500 Internal Server Error", "bytes");
    shuffle_index_add_number(&index, 7);
    write_file(attempt(5), "file.out.index", index.data, index.len);
    check_refusal_of_map(0, attempt(5), "500 Internal Server Error", "checksum");
    /* parts that seem to be endless: what there is, if anything, is sent, and the node goes on */
    index.len = 0;
    shuffle_index_add(&index, 0, 1, (INT64_C(1) << 43) - 4096);
    shuffle_index_end(&index);
    write_file(attempt(7), "file.out", "x", 1);
    write_file(attempt(7), "file.out.index", index.data, index.len);
    endless = base_printf("%s/output/%s/file.out", local_dir, attempt(7));
    if (truncate(endless, (INT64_C(1) << 43) - 4096) == 0) {
        char *query = query_for(0, attempt(7), ""), hash[NM_SHUFFLE_HASH];
        struct base_buf got = {0};
        int fd = connect_to_node();

        ask(fd, SECRET, query, hash);
        receive(fd, 1 << 20, &got);
        CU_ASSERT_EQUAL(got.len, 1 << 20);
        close(fd);
        base_buf_free(&got);
        free(query);
    }
    free(endless);
    check_fetch(0, "hello");
    if (geteuid() == 0) { /* a file that the map has got from somebody else */
        write_output(5, "x", 1);
        CU_ASSERT_EQUAL(chown(data, 1, 1), 0);
        check_refusal_of_map(1, attempt(5), "500 Internal Server Error", "belongs to user 1");
    }
    CU_ASSERT_EQUAL(symlink(folder, link), 0);
    check_refusal_of_map(0, attempt(6), "500 Internal Server Error", "Not a directory");
    base_buf_free(&index);
    free(folder);
    free(data);
    free(link);
}

static void test_malformed_requests(void)
{
    static const char *const texts[] = {"\r\n\r\n", "POST / HTTP/1.1\r\n\r\n",
                                        "GET / HTTP/1.1\r\nname: other\r\n\r\n"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct base_buf got = {0};
        int fd = connect_to_node();

        send(fd, texts[i], strlen(texts[i]), MSG_NOSIGNAL);
        receive(fd, SIZE_MAX, &got);
        CU_ASSERT_FATAL(got.data && strncmp(got.data, "HTTP/1.1 40", 11) == 0);
        close(fd);
        base_buf_free(&got);
    }
}

/* A head without an end. */
static void test_endless_head(void)
{
    struct base_buf got = {0};
    int fd = connect_to_node();
    char *text = base_alloc(NM_SHUFFLE_HEAD_MAX);

    memset(text, 'x', NM_SHUFFLE_HEAD_MAX);
    CU_ASSERT_EQUAL(send(fd, text, NM_SHUFFLE_HEAD_MAX, MSG_NOSIGNAL), NM_SHUFFLE_HEAD_MAX);
    receive(fd, SIZE_MAX, &got);
    CU_ASSERT_FATAL(got.data && strncmp(got.data, "HTTP/1.1 400", 12) == 0);
    close(fd);
    base_buf_free(&got);
    free(text);
}

/* Monitors see what has been served. */
static void test_figures(void)
{
    static const char bean[] = "/jmx?qry=Hadoop:service=NodeManager,name=ShuffleMetrics";
    struct base_buf before = {0}, after = {0};
    const char *old, *new;

    CU_ASSERT_EQUAL(fx_get(fx, 0, bean, NULL, &before), 200);
    check_fetch(0, "hello");
    check_refusal_of_map(1, attempt(9), "500 Internal Server Error", "");
    CU_ASSERT_EQUAL(fx_get(fx, 0, bean, NULL, &after), 200);
    CU_ASSERT_FATAL(before.data && after.data);
    for (int i = 0; i < 3; i++) {
        const char *name =
            (const char *[]){"\"ShuffleOutputsOK\" : ", "\"ShuffleOutputsFailed\" : ",
                             "\"ShuffleOutputBytes\" : "}[i];

        old = strstr(before.data, name);
        new = strstr(after.data, name);
        CU_ASSERT_FATAL(old && new);
        CU_ASSERT_EQUAL(atoll(new + strlen(name)) - atoll(old + strlen(name)), i == 2 ? 5 : 1);
    }
    base_buf_free(&before);
    base_buf_free(&after);
}

enum { CONNECTIONS = 20 };

/* Strangers keep no reducer out, whether they are silent or stay after they were refused. Reducers
 * that are served do, and those who come then are told to come again. */
static void test_many_connections(void)
{
    static const char again[] = "HTTP/1.1 429 TOO MANY REQUESTS\r\n"
                                "content-type: text/plain; charset=UTF-8\r\nname: mapreduce\r\n"
                                "version: 1.0.0\r\nRetry-After: 1000\r\ncontent-length: 0\r\n\r\n";
    char *query = query_for(1, attempt(3), ""), hash[NM_SHUFFLE_HASH];
    int silent[2 * CONNECTIONS], refused[CONNECTIONS], busy[CONNECTIONS];
    struct base_buf got = {0}, first = {0};

    for (int i = 0; i < 2 * CONNECTIONS; i++)
        silent[i] = connect_to_node();
    check_fetch(0, "hello");
    for (int i = 0; i < CONNECTIONS; i++) {
        refused[i] = connect_to_node();
        CU_ASSERT_EQUAL(send(refused[i], "x\n\n", 3, MSG_NOSIGNAL), 3);
        receive(refused[i], SIZE_MAX, &first);
    }
    check_fetch(0, "hello");
    base_buf_clear(&first);
    for (int i = 0; i < CONNECTIONS; i++) {
        busy[i] = connect_to_node();
        ask(busy[i], SECRET, query, hash);
        receive(busy[i], 1, &first);
    }
    CU_ASSERT_EQUAL(first.len, CONNECTIONS);
    got = fetch(SECRET, query, hash);
    CU_ASSERT_PTR_NOT_NULL_FATAL(got.data);
    CU_ASSERT_STRING_EQUAL(got.data, again);
    for (int i = 0; i < CONNECTIONS; i++) {
        close(busy[i]);
        close(refused[i]);
    }
    for (int i = 0; i < 2 * CONNECTIONS; i++)
        close(silent[i]);
    base_buf_free(&got);
    base_buf_free(&first);
    free(query);
}

static bool is_container_forgotten(void *u)
{
    char id[64];

    (void)u;
    return !fx_exists("%s/records/%s/%s", fx->local[0], fx_app(), fx_ct(1, id));
}

/* The output outlives its container, and the daemon. */
static void test_lifetime(void)
{
    char id[64];

    fake_rm_order(fx->rm, 0, "{\"type\":\"forget\",\"container\":\"%s\"}", fx_ct(1, id));
    CU_ASSERT(fx_until(is_container_forgotten, NULL));
    check_fetch(0, "hello");
    fx_kill(fx, 0, SIGKILL);
    fx_start(fx, 0);
    check_fetch(0, "hello"); /* at the same port */
}

static bool is_cleaned_up(void *u)
{
    (void)u;
    return !fx_exists("%s/records/%s", fx->local[0], fx_app());
}

static void test_clean_up(void)
{
    fake_rm_order(fx->rm, 0, "{\"type\":\"cleanup-app\",\"app\":\"%s\"}", fx_app());
    CU_ASSERT(fx_until(is_cleaned_up, NULL));
    check_refusal_of_map(1, attempt(0), "401 Unauthorized", "Can't find job token");
    CU_ASSERT_FALSE(fx_exists("%s", local_dir));
}

/* A node whose service cannot start has not begun to serve HTTP, which shows the service's figures:
 * it has noted no port. */
static void test_starts_before_http(void)
{
    static char taken[64];

    snprintf(taken, sizeof taken, "mapreduce.shuffle.port=%d", port);
    fx->conf[1][0] = fx->conf[0][0];
    fx->conf[1][1] = fx->conf[0][1];
    fx->conf[1][2] = taken;
    fx_spawn(fx, 1);
    CU_ASSERT_NOT_EQUAL(fx_wait(fx, 1), 0);
    CU_ASSERT_TRUE(fx_exists("%s/lock", fx->local[1]));
    CU_ASSERT_FALSE(fx_exists("%s/state.json", fx->local[1]));
}

static const struct cunit_case cases[] = {
    {"environment", test_environment},
    {"secrecy", test_secrecy},
    {"fetch", test_fetch},
    {"keep alive", test_keep_alive},
    {"a slow reducer", test_slow_reducer},
    {"mixed sizes", test_mixed_sizes},
    {"proof", test_proof},
    {"missing outputs", test_missing_outputs},
    {"malicious outputs", test_malicious_outputs},
    {"malformed requests", test_malformed_requests},
    {"an endless head", test_endless_head},
    {"figures", test_figures},
    {"many connections", test_many_connections},
    {"lifetime", test_lifetime},
    {"clean-up", test_clean_up},
    {"starts before HTTP", test_starts_before_http},
};

int main(int argc, char **argv)
{
    int failed;

    fx_programs(argc, argv);
    fx = fx_new();
    fx->conf[0][0] = "yarn.nodemanager.address=127.0.0.1:0";
    fx->conf[0][1] = "yarn.nodemanager.aux-services=mapreduce_shuffle";
    fx->conf[0][2] = "mapreduce.shuffle.port=0";
    fx->conf[0][3] = "mapreduce.shuffle.max.connections=20";
    fx->conf[0][4] = "mapreduce.shuffle.max.threads=1"; /* which has all connections */
    fx_start(fx, 0);
    failed = cunit_main("map outputs for MapReduce", cases, sizeof cases / sizeof *cases);
    fx_free(fx);
    free(local_dir);
    return failed;
}
