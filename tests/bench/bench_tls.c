/* tests/bench/bench_tls.c - what TLS costs a ResourceManager: CPU time of its process per request
 * over a connection that is kept alive, and per new connection, as the ratio of two
 * ResourceManagers that run side by side, one of them with TLS. Blocks of requests to the two
 * alternate, so that other load of the machine affects both; the figures are medians of the blocks.
 * Usage: bench_tls BIN_DIR [BLOCKS]. Prints "name value unit" lines. The daemons live in a
 * temporary folder and are ended by pid. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/crypto/certificate.h"
#include "base/crypto/keyring.h"
#include "base/crypto/secret_file.h"
#include "base/io/http_client.h"
#include "base/io/io.h"
#include "base/io/tls_conf.h"
#include "base/version.h"

enum { REQUESTS = 400, HANDSHAKES = 40, BLOCKS_MAX = 1000, DAY = 86400 };

static char *dir;
static struct base_keyring *keys; /* of nodes */
static struct rm {
    pid_t pid;
    char url[256];
    struct base_http *http;
    int64_t beats;
} rms[2]; /* plain, TLS */

static void die(const char *what)
{
    fprintf(stderr, "bench_tls: %s\n", what);
    for (int i = 0; i < 2; i++)
        if (rms[i].pid > 0)
            kill(rms[i].pid, SIGTERM);
    exit(1);
}

static double cpu_us(pid_t pid)
{
    struct timespec ts;
    clockid_t clock;

    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &ts) != 0)
        die("CPU clock of a process");
    return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

/* ---- the daemons ---- */

static char *path_of(const char *name)
{
    return base_printf("%s/%s", dir, name);
}

static void write_file(const char *name, const struct base_buf *text, mode_t mode)
{
    char *path = path_of(name);

    if (base_file_write_atomic(path, text->data, text->len, mode, false, NULL) < 0)
        die("a file cannot be written");
    free(path);
}

static void make_certificates(void)
{
    static const char *const hosts[] = {"127.0.0.1"};
    time_t now = time(NULL);
    struct base_certificate_spec spec = {.name = "bench", .from = now - DAY, .until = now + DAY};
    struct base_certificate ca, host;

    if (base_certificate_make(&spec, NULL, &ca, NULL) < 0)
        die("no authority");
    spec.hosts = hosts;
    spec.hosts_n = 1;
    if (base_certificate_make(&spec, &ca, &host, NULL) < 0)
        die("no certificate");
    write_file("ca.pem", &ca.certificate, 0644);
    write_file("host.pem", &host.certificate, 0644);
    write_file("host.key", &host.key, 0600);
    base_certificate_free(&ca);
    base_certificate_free(&host);
}

static void start_rm(struct rm *rm, const char *bin, bool tls)
{
    char *exe = base_printf("%s/creel-rm", bin), *file = path_of(tls ? "tls.url" : "plain.url");
    char *args[16] = {exe, "-Dcreel.rm.port=0", "-Dcreel.rm.state-store=memory",
                      "-Dcreel.http.requests-per-user=0", "-Dcreel.http.requests-per-address=0"};
    struct base_buf url = {0};
    int n = 5;

    args[n++] = base_printf("-Dcreel.rm.state-dir=%s/%s", dir, tls ? "tls" : "plain");
    args[n++] = base_printf("--url-file=%s", file);
    args[n++] = base_printf("-Dcreel.cluster.secret-file=%s/cluster.secret", dir);
    if (tls) {
        args[n++] = "-Dyarn.http.policy=HTTPS_ONLY";
        args[n++] = base_printf("-Dcreel.tls.certificate-file=%s/host.pem", dir);
        args[n++] = base_printf("-Dcreel.tls.key-file=%s/host.key", dir);
    }
    rm->pid = fork();
    if (rm->pid == 0) {
        int null = open("/dev/null", O_RDWR);

        dup2(null, 0);
        dup2(null, 1);
        dup2(null, 2);
        execv(exe, args);
        _exit(127);
    }
    for (int i = 0; i < 2000 && url.len == 0; i++) {
        nanosleep(&(struct timespec){0, 5000000}, NULL);
        base_file_read(file, 1000, &url, NULL);
    }
    if (url.len == 0)
        die("a ResourceManager does not start");
    snprintf(rm->url, sizeof rm->url, "%.*s", (int)strcspn(url.data, "\n"), url.data);
    base_buf_free(&url);
    free(exe);
    free(file);
}

/* ---- requests ---- */

static void ask(struct rm *rm, const char *path, const char *body)
{
    char *url = base_printf("%s%s", rm->url, path);
    struct base_http_request rq = {.method = body ? "POST" : "GET",
                                   .url = url,
                                   .body = body,
                                   .body_len = body ? strlen(body) : 0,
                                   .keys = body ? keys : NULL};
    struct base_http_answer a = {0};
    struct base_error err = {0};

    if (base_http_perform(rm->http, &rq, &a, &err) < 0 || a.status != 200) {
        fprintf(stderr, "%s: %ld %s %s\n", url, a.status, err.text, a.body.data ? a.body.data : "");
        die("a request is refused");
    }
    base_http_answer_free(&a);
    free(url);
}

static void make_secret(void)
{
    char *path = path_of("cluster.secret");

    if (base_secret_file_make(path, NULL) < 0 || base_keyring_open(path, &keys, NULL) < 0)
        die("no secret");
    free(path);
}

static void register_node(struct rm *rm)
{
    ask(rm, "/ws/v1/nodetracker/register",
        "{\"nodeId\":\"bench:1\",\"httpAddress\":\"bench:1\",\"rack\":\"/r\",\"mapSlots\":1,"
        "\"reduceSlots\":1,\"bootId\":\"b\",\"instance\":\"i\",\"epochSeen\":0,\"version\":"
        "\"" CREEL_VERSION "\",\"containers\":[]}");
}

static void beat(struct rm *rm)
{
    char body[512];

    snprintf(body, sizeof body,
             "{\"nodeId\":\"bench:1\",\"instance\":\"i\",\"responseId\":%lld,\"epochSeen\":0,"
             "\"healthy\":true,\"healthReport\":\"\",\"diskFreeMb\":1000,\"holdMs\":0,"
             "\"containers\":[]}",
             (long long)rm->beats++);
    ask(rm, "/ws/v1/nodetracker/heartbeat", body);
}

static void get_info(struct rm *rm)
{
    ask(rm, "/ws/v1/cluster/info", NULL);
}

static void get_scheduler(struct rm *rm)
{
    ask(rm, "/ws/v1/cluster/scheduler", NULL);
}

static void get_info_on_new_connection(struct rm *rm)
{
    base_http_free(rm->http);
    rm->http = base_http_new();
    get_info(rm);
}

/* ---- figures ---- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, compare);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static void measure(const char *name, void (*once)(struct rm *), int requests, int blocks)
{
    static double used[2][BLOCKS_MAX], ratio[BLOCKS_MAX];

    for (int b = -1; b < blocks; b++) { /* the first block warms up */
        for (int i = 0; i < 2; i++) {
            double before = cpu_us(rms[i].pid);

            for (int k = 0; k < requests; k++)
                once(&rms[i]);
            if (b >= 0)
                used[i][b] = (cpu_us(rms[i].pid) - before) / requests;
        }
        if (b >= 0)
            ratio[b] = used[1][b] / used[0][b];
    }
    printf("%s_plain %.1f us\n%s_tls %.1f us\n%s_ratio %.2f\n", name, median(used[0], blocks), name,
           median(used[1], blocks), name, median(ratio, blocks));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *parent = getenv("TMPDIR");
    int blocks = argc > 2 ? atoi(argv[2]) : 31;
    char *ca;

    if (argc < 2 || blocks < 1 || blocks > BLOCKS_MAX)
        die("usage: bench_tls BIN_DIR [BLOCKS]");
    dir = base_printf("%s/bench-tls.XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(dir))
        die("mkdtemp");
    make_certificates();
    make_secret();
    ca = path_of("ca.pem");
    base_tls_trust_only(ca);
    for (int i = 0; i < 2; i++) {
        start_rm(&rms[i], argv[1], i);
        rms[i].http = base_http_new();
        register_node(&rms[i]);
    }
    measure("cluster_info", get_info, REQUESTS, blocks);
    measure("heartbeat", beat, REQUESTS, blocks);
    measure("scheduler", get_scheduler, REQUESTS, blocks);
    measure("new_connection", get_info_on_new_connection, HANDSHAKES, blocks);
    for (int i = 0; i < 2; i++) {
        base_http_free(rms[i].http);
        kill(rms[i].pid, SIGTERM);
        waitpid(rms[i].pid, NULL, 0);
    }
    base_keyring_unref(keys);
    base_rmtree(dir, NULL);
    free(ca);
    free(dir);
    return 0;
}
