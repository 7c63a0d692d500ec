/* tests/bench/bench_rpc.c - what Hadoop RPC costs a ResourceManager: CPU time of its process per
 * getApplicationReport over a connection that is kept, one call at a time, without and with
 * connections that are idle; and the CPU time and memory of an idle connection itself. Figures of
 * calls are medians of the blocks. Usage: bench_rpc BIN_DIR [BLOCKS]. Prints "name value unit"
 * lines. The daemon lives in a temporary folder and is ended by pid. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/crypto/secret_file.h"
#include "base/io/http_client.h"
#include "base/io/io.h"
#include "rm/rpc/yarn.pb-c.h"

#define RPC_GOLDEN "" /* the recordings are not read */
#include "tests/bench/rm_process.h"
#include "tests/unit/rpc_frames.h"

enum { CALLS = 1000, BLOCKS_MAX = 1000, IDLE = 2000, IDLE_S = 5 };

static void post(struct base_http *http, const char *path, const char *body, struct base_buf *out)
{
    char *whole = base_printf("%s%s?user.name=bench", url, path);
    struct base_http_request rq = {
        .method = "POST", .url = whole, .body = body, .body_len = strlen(body)};
    struct base_http_answer a = {0};
    struct base_error err = {0};

    if (base_http_perform(http, &rq, &a, &err) < 0 || a.status / 100 != 2) {
        fprintf(stderr, "%ld %s %s\n", a.status, err.text, a.body.data ? a.body.data : "");
        die("a request is refused");
    }
    base_buf_adds(out, a.body.data ? a.body.data : "");
    base_http_answer_free(&a);
    free(whole);
}

/* Submits an application, for which there is no node. */
static void submit(Yarn__AppId *id)
{
    struct base_http *http = base_http_new();
    struct base_buf made = {0}, none = {0};
    long long start = 0;
    int sequence = 0;
    const char *at;
    char *body;

    post(http, "/ws/v1/cluster/apps/new-application", "", &made);
    at = strstr(made.data, "application_");
    if (!at || sscanf(at, "application_%lld_%d", &start, &sequence) != 2)
        die("no application id");
    body =
        base_printf("{\"application-id\":\"application_%lld_%04d\",\"application-name\":\"bench\","
                    "\"am-container-spec\":{\"commands\":{\"command\":\"true\"}}}",
                    start, sequence);
    post(http, "/ws/v1/cluster/apps", body, &none);
    id->has_id = id->has_cluster = true;
    id->id = sequence;
    id->cluster = start;
    free(body);
    base_buf_free(&made);
    base_buf_free(&none);
    base_http_free(http);
}

/* ---- calls ---- */

static int connect_with_context(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons(rpc_port),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct base_buf b = {0};

    base_buf_add(&b, RPC_PREAMBLE_SIMPLE, RPC_PREAMBLE_BYTES);
    rpc_context_add(&b, "bench", NULL);
    if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof a) < 0 ||
        send(fd, b.data, b.len, MSG_NOSIGNAL) != (ssize_t)b.len)
        die("a connection is refused");
    base_buf_free(&b);
    return fd;
}

static void get_report(int fd, const Yarn__AppId *id)
{
    Yarn__AppRequest request = YARN__APP_REQUEST__INIT;
    struct base_buf in = {0}, b = {0};
    struct rpc_answer a = {0};

    request.id = (Yarn__AppId *)id;
    rpc_call_add(&b, 1, RPC_CLIENT, "getApplicationReport", &request.base);
    if (send(fd, b.data, b.len, MSG_NOSIGNAL) != (ssize_t)b.len)
        die("a call cannot be sent");
    while (!(a = rpc_answer_take(&in)).header) {
        char bytes[65536];
        ssize_t n = recv(fd, bytes, sizeof bytes, 0);

        if (n <= 0)
            die("no answer");
        base_buf_add(&in, bytes, (size_t)n);
    }
    if (a.header->status != API_RPC_SUCCESS)
        die("a call has failed");
    rpc_answer_free(&a);
    base_buf_free(&in);
    base_buf_free(&b);
}

static int compare_figures(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void measure_calls(const char *name, const Yarn__AppId *id, int blocks)
{
    double used[BLOCKS_MAX];
    int fd = connect_with_context();

    for (int b = -1; b < blocks; b++) { /* one to warm up */
        double before = cpu_us();

        for (int k = 0; k < CALLS; k++)
            get_report(fd, id);
        if (b >= 0)
            used[b] = (cpu_us() - before) / CALLS;
    }
    qsort(used, (size_t)blocks, sizeof *used, compare_figures);
    printf("%s %.1f us\n", name, used[blocks / 2]);
    fflush(stdout);
    close(fd);
}

/* ---- idle connections ---- */

/* Opens them; the last of them has been greeted once it is answered. */
static void open_idle(int fds[static IDLE], const Yarn__AppId *id)
{
    for (int i = 0; i < IDLE; i++)
        fds[i] = connect_with_context();
    for (int i = 0; i < IDLE; i++)
        get_report(fds[i], id);
}

static void measure_idle(double resident_before)
{
    double before = cpu_us();

    printf("rpc_idle_memory %.1f KiB\n", (resident_kib() - resident_before) / IDLE);
    nanosleep(&(struct timespec){IDLE_S, 0}, NULL);
    printf("rpc_idle_cpu %.3f us/s\n", (cpu_us() - before) / IDLE / IDLE_S);
}

int main(int argc, char **argv)
{
    const char *parent = getenv("TMPDIR");
    int blocks = argc > 2 ? atoi(argv[2]) : 31, fds[IDLE];
    struct rlimit files;
    Yarn__AppId id = YARN__APP_ID__INIT;
    double resident;
    char *dir;

    if (argc < 2 || blocks < 1 || blocks > BLOCKS_MAX)
        die("usage: bench_rpc BIN_DIR [BLOCKS]");
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    dir = base_printf("%s/bench-rpc.XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(dir))
        die("mkdtemp");
    start_rm(argv[1], dir, "yarn.resourcemanager.address", "ApplicationClientProtocol");
    submit(&id);
    measure_calls("rpc_get_app", &id, blocks);
    resident = resident_kib();
    open_idle(fds, &id);
    measure_idle(resident);
    measure_calls("rpc_get_app_beside_idle", &id, blocks);
    kill(rm, SIGTERM);
    waitpid(rm, NULL, 0);
    base_rmtree(dir, NULL);
    free(dir);
    return 0;
}
