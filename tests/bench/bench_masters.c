/* tests/bench/bench_masters.c - what masters that speak Hadoop RPC cost a ResourceManager while
 * they wait: CPU time of its process per allocate of an idle master, one call at a time over a
 * connection that is kept; the memory that a master with its connection takes; and the CPU time
 * that all masters take when each allocates once a second. Usage: bench_masters BIN_DIR [MASTERS].
 * Prints "name value unit" lines. The program plays the node, on which nothing runs, and the
 * masters. The daemon lives in a temporary folder and is ended by pid. */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "api/wire/order.h"
#include "base/crypto/keyring.h"
#include "base/hadoop/credentials.h"
#include "base/io/http_client.h"
#include "base/io/io.h"
#include "base/version.h"
#include "rm/rpc/master.pb-c.h"

#define RPC_GOLDEN "" /* the recordings are not read */
#include "tests/bench/rm_process.h"
#include "tests/e2e/rpc_client.h"

#define PROTOCOL "org.apache.hadoop.yarn.api.ApplicationMasterProtocolPB"
#define NODE     "\"nodeId\":\"h:1\",\"instance\":\"i\""

enum { CALLS = 1000, BLOCKS = 31, MASTERS_MAX = 4000, ROUNDS = 5 };

struct master {
    char container[BASE_ID_TEXT_MAX];
    struct rpc_client rpc;
    int32_t response_id;
};
static struct master masters[MASTERS_MAX];
static int masters_n;

static struct base_keyring *keys;

/* @signed_by: NULL: by the user "bench". */
static void post(struct base_http *http, struct base_keyring *signed_by, const char *path,
                 const char *body, struct base_buf *out)
{
    char *whole = base_printf("%s%s%s", url, path, signed_by ? "" : "?user.name=bench");
    struct base_http_request rq = {
        .method = "POST", .url = whole, .body = body, .body_len = strlen(body), .keys = signed_by};
    struct base_http_answer a = {0};
    struct base_error err = {0};

    if (base_http_perform(http, &rq, &a, &err) < 0 || a.status / 100 != 2) {
        fprintf(stderr, "%ld %s %s\n", a.status, err.text, a.body.data ? a.body.data : "");
        die("a request is refused");
    }
    base_buf_clear(out);
    base_buf_adds(out, a.body.data ? a.body.data : "");
    base_http_answer_free(&a);
    free(whole);
}

/* ---- applications and their node ---- */

static void submit(struct base_http *http)
{
    struct base_buf answer = {0};
    char id[BASE_ID_TEXT_MAX] = "", *body;
    const char *at;

    post(http, NULL, "/ws/v1/cluster/apps/new-application", "", &answer);
    at = strstr(answer.data, "application_");
    if (!at || sscanf(at, "%40[a-z0-9_]", id) != 1)
        die("no application id");
    body = base_printf("{\"application-id\":\"%s\",\"application-name\":\"bench\",\"resource\":{"
                       "\"memory\":64,\"vCores\":1},\"am-container-spec\":{\"commands\":{"
                       "\"command\":\"true\"}}}",
                       id);
    post(http, NULL, "/ws/v1/cluster/apps", body, &answer);
    free(body);
    base_buf_free(&answer);
}

/* Connects the master that the order launches, by the token in its token file. */
static void connect_master(const struct wire_launch *l)
{
    struct master *m = &masters[masters_n];
    struct base_credentials c = {0};
    struct base_buf file = {0};
    const struct base_hadoop_token *t;
    char *refusal;

    base_container_id_text(&l->container, m->container);
    if (l->credentials)
        base_base64_decode(l->credentials, &file);
    if (base_credentials_parse(file.data, file.len, &c, NULL) < 0 || c.tokens_n != 1)
        die("a master has no token");
    t = &c.tokens[0].token;
    refusal = rpc_client_open(&m->rpc, rpc_port, t->identifier.data, t->identifier.len,
                              (const unsigned char *)t->password.data, t->password.len);
    if (refusal)
        die("a token is refused");
    masters_n++;
    base_credentials_free(&c);
    base_buf_free(&file);
}

static int64_t beat(struct base_http *http, int64_t response_id)
{
    struct base_buf body = {0}, answer = {0};
    struct wire_answer a = {0};

    base_buf_addf(&body,
                  "{" NODE ",\"responseId\":%lld,\"holdMs\":0,\"healthy\":true,\"containers\":[",
                  (long long)response_id);
    for (int i = 0; i < masters_n; i++)
        base_buf_addf(&body, "%s{\"id\":\"%s\",\"state\":\"running\"}", i ? "," : "",
                      masters[i].container);
    base_buf_adds(&body, "]}");
    post(http, keys, "/ws/v1/nodetracker/heartbeat", body.data, &answer);
    if (wire_answer_get(answer.data, answer.len, 0, &a, NULL) < 0)
        die("an answer of the tracker cannot be read");
    response_id = a.response_id;
    for (size_t i = 0; i < a.orders_n; i++)
        if (a.orders[i].kind == BASE_ORDER_LAUNCH)
            connect_master(&a.orders[i].launch);
    wire_answer_free(&a);
    base_buf_free(&body);
    base_buf_free(&answer);
    return response_id;
}

static void start_masters(int n)
{
    struct base_http *http = base_http_new();
    struct base_buf answer = {0};
    int64_t response_id = 0;
    char *body = base_printf(
        "{" NODE ",\"httpAddress\":\"h:9\",\"bootId\":\"b\",\"version\":\"" CREEL_VERSION
        "\",\"mapSlots\":%d,\"reduceSlots\":0,\"hadoopPort\":45454}",
        2 * n); /* masters get half of the slots */

    post(http, keys, "/ws/v1/nodetracker/register", body, &answer);
    for (int i = 0; i < n; i++)
        submit(http);
    for (int i = 0; i < 1000 && masters_n < n; i++)
        response_id = beat(http, response_id);
    beat(http, response_id); /* the last ones run */
    if (masters_n < n)
        die("not all masters were launched");
    free(body);
    base_buf_free(&answer);
    base_http_free(http);
}

/* ---- calls ---- */

static void call_ok(struct master *m, const char *method, const ProtobufCMessage *request)
{
    struct rpc_answer a = rpc_client_call(&m->rpc, PROTOCOL, method, request);

    if (!a.header || a.header->status != API_RPC_SUCCESS)
        die(a.header ? a.header->message : "no answer");
    rpc_answer_free(&a);
}

static void allocate(struct master *m)
{
    Master__AllocateRequest rq = MASTER__ALLOCATE_REQUEST__INIT;
    Master__Blacklist none = MASTER__BLACKLIST__INIT;

    rq.has_response_id = rq.has_progress = true;
    rq.response_id = m->response_id++;
    rq.progress = 0.5f;
    rq.blacklist = &none;
    call_ok(m, "allocate", &rq.base);
}

static void register_all(void)
{
    Master__RegisterRequest rq = MASTER__REGISTER_REQUEST__INIT;

    rq.host = "h";
    rq.tracking_url = "";
    for (int i = 0; i < masters_n; i++)
        call_ok(&masters[i], "registerApplicationMaster", &rq.base);
}

static int compare_figures(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void measure_calls(void)
{
    double used[BLOCKS];

    for (int b = -1; b < BLOCKS; b++) { /* one to warm up */
        double before = cpu_us();

        for (int k = 0; k < CALLS; k++)
            allocate(&masters[0]);
        if (b >= 0)
            used[b] = (cpu_us() - before) / CALLS;
    }
    qsort(used, BLOCKS, sizeof *used, compare_figures);
    printf("rpc_allocate %.1f us\n", used[BLOCKS / 2]);
}

/* Each master calls once in a second, evenly spread. */
static void measure_all(void)
{
    struct timespec next;
    double before;

    for (int i = 0; i < masters_n; i++)
        allocate(&masters[i]);
    clock_gettime(CLOCK_MONOTONIC, &next);
    before = cpu_us();
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < masters_n; i++) {
            next.tv_nsec += 1000000000 / masters_n;
            next.tv_sec += next.tv_nsec / 1000000000;
            next.tv_nsec %= 1000000000;
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
            allocate(&masters[i]);
        }
    printf("rpc_%d_masters_cpu %.2f %%\n", masters_n, (cpu_us() - before) / ROUNDS / 1e4);
}

int main(int argc, char **argv)
{
    const char *parent = getenv("TMPDIR");
    int n = argc > 2 ? atoi(argv[2]) : 2000;
    struct rlimit files;
    double resident;
    char *dir, *secret;

    if (argc < 2 || n < 1 || n > MASTERS_MAX)
        die("usage: bench_masters BIN_DIR [MASTERS]");
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    dir = base_printf("%s/bench-masters.XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(dir))
        die("mkdtemp");
    start_rm(argv[1], dir, "yarn.resourcemanager.scheduler.address", "ApplicationMasterProtocol");
    secret = base_printf("%s/secret", dir);
    if (base_keyring_open(secret, &keys, NULL) < 0)
        die("no secret");
    free(secret);
    resident = resident_kib();
    start_masters(n);
    register_all();
    printf("rpc_%d_masters_memory %.1f MiB\n", n, (resident_kib() - resident) / 1024);
    measure_calls();
    measure_all();
    kill(rm, SIGTERM);
    waitpid(rm, NULL, 0);
    base_keyring_unref(keys);
    base_rmtree(dir, NULL);
    free(dir);
    return 0;
}
