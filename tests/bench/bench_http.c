/* tests/bench/bench_http.c - what a request over HTTP costs the ResourceManager: CPU time of its
 * process per request, with 16 connections kept alive; a listing of many applications: CPU time,
 * time to the first byte, and memory; and the whole life of a task on 1,000 simulated nodes. Beside
 * them what the kernel alone costs: a loop that reads requests and sends answers of the same
 * length. Usage: bench_http BIN_DIR [OP...] (default: all). Prints "name value unit" lines. The
 * daemon lives in a temporary folder and is ended by pid. */
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/crypto/signature.h"
#include "base/io/http_client.h"
#include "base/io/io.h"
#include "base/io/private_file.h"
#include "base/mem.h"
#include "base/version.h"

enum {
    CONNECTIONS = 16,
    APPS = 10000,
    NODES = 5000,
    QUEUES = 20,
    TASK_NODES = 1000,
    TASKS = 200000
};

static const char *bin;
static char *dir;
static struct base_key secret; /* of the ResourceManager and our nodes */
static pid_t rm;
static uint16_t port;
static struct connection {
    int fd;
    char *buf; /* what has arrived and was not consumed */
    size_t n, cap;
} connections[CONNECTIONS];

static void die(const char *what)
{
    fprintf(stderr, "bench_http: %s\n", what);
    if (rm > 0)
        kill(rm, SIGTERM);
    exit(1);
}

static double now_s(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static double cpu_s_of(pid_t pid)
{
    struct timespec ts;
    clockid_t clock;

    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &ts) != 0)
        die("CPU clock of a process");
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Returns the CPU time that the ResourceManager has used, in seconds. */
static double rm_cpu_s(void)
{
    return cpu_s_of(rm);
}

/* Returns the value of @name ("VmRSS", "VmHWM") in the ResourceManager's status, in MiB. */
static double rm_memory_mb(const char *name)
{
    char path[64], line[256], format[64];
    double kb = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/status", (int)rm);
    snprintf(format, sizeof format, "%s: %%lf", name);
    f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f) && sscanf(line, format, &kb) != 1)
        ;
    if (f)
        fclose(f);
    return kb / 1024;
}

static void reset_peak_memory(void)
{
    char path[64];
    int fd;

    snprintf(path, sizeof path, "/proc/%d/clear_refs", (int)rm);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, "5", 1) != 1)
        die("clear_refs");
    close(fd);
}

/* Writes an allocation file of QUEUES queues, one of them default, and returns its path; the caller
 * frees it. */
static char *write_queues(void)
{
    struct base_buf b = {0};
    char *path = base_printf("%s/queues.xml", dir);

    base_buf_addf(&b, "<allocations>\n<queue name=\"default\"/>\n");
    for (int i = 1; i < QUEUES; i++)
        base_buf_addf(&b, "<queue name=\"q%d\"><weight>%d</weight></queue>\n", i, i % 3 + 1);
    base_buf_addf(&b, "</allocations>\n");
    if (base_file_write_atomic(path, b.data, b.len, 0600, false, NULL) < 0)
        die("the file of queues cannot be written");
    base_buf_free(&b);
    return path;
}

/* Makes the RM's secret, where it will look for it. */
static void make_secret(void)
{
    struct base_key keys[BASE_SECRET_KEYS_MAX];
    char *path;
    size_t n;

    setenv("XDG_STATE_HOME", dir, 1);
    path = base_user_state_path(BASE_CLUSTER_SECRET_NAME);
    if (base_secret_file_make(path, NULL) < 0 || base_secret_file_read(path, keys, &n, NULL) < 0)
        die("the secret cannot be made");
    secret = keys[0];
    free(path);
}

static void start_rm(void)
{
    char *queues = write_queues();
    char *allocation = base_printf("yarn.scheduler.fair.allocation.file=%s", queues);
    char *exe = base_printf("%s/creel-rm", bin), *file = base_printf("%s/url", dir);
    char *state = base_printf("creel.rm.state-dir=%s/state", dir);
    struct base_buf url = {0};

    rm = fork();
    if (rm == 0) {
        int null = open("/dev/null", O_RDWR);

        dup2(null, 0);
        dup2(null, 1);
        dup2(null, 2);
        execl(exe, exe, "-D", "creel.rm.port=0", "-D", "creel.auth=simple", "-D", state, "-D",
              "creel.http.connections-per-address=0", "-D", "creel.rm.max-apps-per-user=0",
              "--url-file", file, "-D", allocation, (char *)NULL);
        _exit(127);
    }
    for (int i = 0; i < 2000 && url.len == 0; i++) {
        nanosleep(&(struct timespec){0, 5000000}, NULL);
        base_file_read(file, 1000, &url, NULL);
    }
    if (url.len == 0)
        die("the ResourceManager does not start");
    port = (uint16_t)atoi(strrchr(url.data, ':') + 1);
    base_buf_free(&url);
    free(exe);
    free(file);
    free(state);
    free(allocation);
    free(queues);
}

static int connect_to(uint16_t to_port)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(to_port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) < 0)
        die("no connection");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    return fd;
}

/* Returns the start id of the RM, which answers the first request with it. */
static const char *start_id_of_rm(void)
{
    static char id[BASE_START_ID_MAX];
    struct base_keyring *keys = base_keyring_new_of_key(&secret);
    struct base_http *http = base_http_new();
    char *url = base_printf("http://127.0.0.1:%u/isActive", port);
    struct base_http_request rq = {.method = "GET", .url = url, .keys = keys};
    struct base_http_answer answer;

    if (base_http_perform(http, &rq, &answer, NULL) < 0)
        die("the ResourceManager tells no start id");
    base_http_answer_free(&answer);
    base_server_starts_find(base_keyring_server_starts(keys), url, id);
    base_http_free(http);
    base_keyring_unref(keys);
    free(url);
    return id;
}

/* Appends the line that signs the request of a node. */
static void add_signature(const char *path, const char *body, struct base_buf *out)
{
    static const char *start_id;
    struct base_request_signature signature;
    char url[300];

    if (!start_id)
        start_id = start_id_of_rm();
    snprintf(url, sizeof url, "http://127.0.0.1:%u%s", port, path);
    base_sign_request(&secret, "POST", url, start_id, body, strlen(body),
                      base_wall_us(&base_clock_real) / 1000, false, &signature);
    base_buf_adds(out, "Authorization: ");
    base_request_signature_format(&signature, out);
    base_buf_adds(out, "\r\n");
}

/* Sends one request; @body NULL: a GET. */
static void send_request(struct connection *c, const char *path, const char *body)
{
    char head[4096];
    struct base_buf line = {0};
    int n;

    if (strstr(path, "/nodetracker/"))
        add_signature(path, body, &line);
    n = snprintf(head, sizeof head,
                 "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n%s"
                 "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                 body ? "POST" : "GET", path, port, line.data ? line.data : "",
                 body ? strlen(body) : 0, body ? body : "");
    base_buf_free(&line);
    if (base_write_all(c->fd, head, (size_t)n) < 0)
        die("a request cannot be sent");
}

static void receive(struct connection *c)
{
    ssize_t got;

    if (c->cap - c->n < 65536) {
        c->cap = c->cap * 2 + 131072;
        c->buf = base_realloc_array(c->buf, c->cap, 1);
    }
    got = read(c->fd, c->buf + c->n, c->cap - c->n - 1);
    if (got <= 0)
        die("a connection was closed");
    c->n += (size_t)got;
    c->buf[c->n] = '\0';
}

/* Reads one answer whole and checks its status. A copy of it goes to @out unless NULL. */
static void read_answer(struct connection *c, const char *status, struct base_buf *out)
{
    char *body, *length;
    size_t end;

    while (c->n == 0 || !(body = strstr(c->buf, "\r\n\r\n")))
        receive(c);
    end = (size_t)(body + 4 - c->buf);
    if (strncmp(c->buf + 9, status, 3) != 0)
        die(c->buf);
    length = strcasestr(c->buf, "\r\nContent-Length:");
    if (length && length < body) {
        end += (size_t)atol(length + 17);
        while (c->n < end)
            receive(c);
    } else {
        for (size_t at = end, size = 1; size > 0; at = end) {
            while (c->n <= at || !strstr(c->buf + at, "\r\n"))
                receive(c);
            size = strtoul(c->buf + at, NULL, 16);
            end = (size_t)(strstr(c->buf + at, "\r\n") + 4 - c->buf) + size;
            while (c->n < end)
                receive(c);
        }
    }
    if (out) {
        base_buf_clear(out);
        base_buf_add(out, c->buf, end);
    }
    memmove(c->buf, c->buf + end, c->n - end + 1);
    c->n -= end;
}

/* Makes @n requests over all connections, of which each has one under way. */
static void make_requests(const char *path, const char *body, const char *status, int n)
{
    for (int done = 0; done < n; done += CONNECTIONS) {
        for (int i = 0; i < CONNECTIONS; i++)
            send_request(&connections[i], path, body);
        for (int i = 0; i < CONNECTIONS; i++)
            read_answer(&connections[i], status, NULL);
    }
}

static void measure(const char *name, const char *path)
{
    enum { N = 16000 };
    double cpu;

    make_requests(path, NULL, "200", 800);
    cpu = rm_cpu_s();
    make_requests(path, NULL, "200", N);
    printf("%s %.1f us\n", name, (rm_cpu_s() - cpu) / N * 1e6);
    fflush(stdout);
}

/* ---- the kernel's part ---- */

/* Answers every request on @fds with @answer until a connection ends. */
static void answer_requests(const int *fds, const char *answer, size_t len)
{
    struct pollfd p[CONNECTIONS];
    char request[4096];

    for (int i = 0; i < CONNECTIONS; i++)
        p[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
    while (poll(p, CONNECTIONS, -1) > 0)
        for (int i = 0; i < CONNECTIONS; i++)
            if (p[i].revents && (read(p[i].fd, request, sizeof request) <= 0 ||
                                 base_write_all(p[i].fd, answer, len) < 0))
                _exit(0);
}

/* Accepts CONNECTIONS connections of this process over TCP, and forks the process that answers. */
static pid_t start_answering(struct connection *to, const char *answer, size_t len)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t at_len = sizeof at;
    int fds[CONNECTIONS], listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    pid_t pid;

    if (listener < 0 || bind(listener, (struct sockaddr *)&at, sizeof at) < 0 ||
        listen(listener, CONNECTIONS) < 0 ||
        getsockname(listener, (struct sockaddr *)&at, &at_len) < 0)
        die("listening");
    for (int i = 0; i < CONNECTIONS; i++) {
        to[i] = (struct connection){.fd = connect_to(ntohs(at.sin_port))};
        fds[i] = accept(listener, NULL, NULL);
        setsockopt(fds[i], IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    }
    close(listener);
    pid = fork();
    if (pid == 0) {
        for (int i = 0; i < CONNECTIONS; i++)
            close(to[i].fd);
        answer_requests(fds, answer, len);
        _exit(0);
    }
    for (int i = 0; i < CONNECTIONS; i++)
        close(fds[i]);
    return pid;
}

/* Measures a process that does nothing but read requests for @path and send an answer as long as
 * the ResourceManager's. */
static void measure_kernel(const char *name, const char *path)
{
    enum { N = 16000 };
    struct connection to[CONNECTIONS];
    struct base_buf answer = {0};
    pid_t pid;
    double cpu = 0;

    send_request(&connections[0], path, NULL);
    read_answer(&connections[0], "200", &answer);
    pid = start_answering(to, answer.data, answer.len);
    for (int n = -800; n < N; n += CONNECTIONS) {
        if (n == 0)
            cpu = cpu_s_of(pid);
        for (int i = 0; i < CONNECTIONS; i++)
            send_request(&to[i], path, NULL);
        for (int i = 0; i < CONNECTIONS; i++)
            read_answer(&to[i], "200", NULL);
    }
    printf("kernel_%s %.1f us\n", name, (cpu_s_of(pid) - cpu) / N * 1e6);
    fflush(stdout);
    for (int i = 0; i < CONNECTIONS; i++) {
        close(to[i].fd);
        free(to[i].buf);
    }
    waitpid(pid, NULL, 0);
    base_buf_free(&answer);
}

/* Registers @n nodes with a slot of each kind and measures their idle heartbeats. */
static void measure_heartbeats(int n)
{
    char body[512];
    double cpu = 0;

    for (int round = 0; round < 3; round++) {
        if (round == 1)
            cpu = rm_cpu_s();
        for (int i = 0; i < n; i += CONNECTIONS) {
            for (int k = 0; k < CONNECTIONS; k++) {
                if (round == 0)
                    snprintf(body, sizeof body,
                             "{\"nodeId\":\"bench%d:1\",\"httpAddress\":\"bench%d:1\","
                             "\"rack\":\"/r\",\"mapSlots\":1,\"reduceSlots\":1,\"bootId\":\"b\","
                             "\"instance\":\"i\",\"epochSeen\":0,\"version\":\"" CREEL_VERSION
                             "\",\"containers\":[]}",
                             i + k, i + k);
                else
                    snprintf(body, sizeof body,
                             "{\"nodeId\":\"bench%d:1\",\"instance\":\"i\",\"responseId\":%d,"
                             "\"epochSeen\":0,\"healthy\":true,\"healthReport\":\"\","
                             "\"diskFreeMb\":1000,\"holdMs\":0,\"containers\":[]}",
                             i + k, round - 1);
                send_request(&connections[k],
                             round ? "/ws/v1/nodetracker/heartbeat" : "/ws/v1/nodetracker/register",
                             body);
            }
            for (int k = 0; k < CONNECTIONS; k++)
                read_answer(&connections[k], "200", NULL);
        }
    }
    printf("heartbeat_idle %.1f us\n", (rm_cpu_s() - cpu) / (2.0 * n) * 1e6);
    fflush(stdout);
}

/* Lists all applications and keeps nothing of the answer. */
static void measure_listing(int apps)
{
    enum { N = 5 };
    char request[256], buf[65536], tail[8] = "";
    double cpu = rm_cpu_s(), first = 0, total = 0, bytes = 0, rss = rm_memory_mb("VmRSS");
    int n = snprintf(request, sizeof request,
                     "GET /ws/v1/cluster/apps HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n"
                     "Connection: close\r\n\r\n",
                     port);

    reset_peak_memory();
    for (int i = 0; i < N; i++) {
        int fd = connect_to(port);
        double t = now_s();
        ssize_t got = 0;

        if (base_write_all(fd, request, (size_t)n) < 0 || (got = read(fd, buf, sizeof buf)) < 12 ||
            memcmp(buf + 9, "200", 3) != 0)
            die("the listing is refused");
        first += now_s() - t;
        for (; got > 0; got = read(fd, buf, sizeof buf)) {
            bytes += (double)got;
            if (got >= 5)
                memcpy(tail, buf + got - 5, 5);
        }
        if (strcmp(tail, "0\r\n\r\n") != 0)
            die("the listing is cut");
        total += now_s() - t;
        close(fd);
    }
    printf("list_%d_apps_cpu %.3f s\nlist_%d_apps_first_byte %.1f ms\nlist_%d_apps %.0f ms\n"
           "list_%d_apps_size %.1f MB\nlist_%d_apps_memory %.1f MiB\n",
           apps, (rm_cpu_s() - cpu) / N, apps, first / N * 1e3, apps, total / N * 1e3, apps,
           bytes / N / 1e6, apps, rm_memory_mb("VmHWM") - rss);
}

static void measure_with_kernel(const char *name, const char *path)
{
    measure(name, path);
    measure_kernel(name, path);
}

/* ---- the whole life of a task ---- */

/* Asks for @path until the answer contains @text. */
static void wait_for(const char *path, const char *text)
{
    struct base_buf b = {0};

    do {
        nanosleep(&(struct timespec){0, 50000000}, NULL);
        send_request(&connections[0], path, NULL);
        read_answer(&connections[0], "200", &b);
    } while (!strstr(b.data, text));
    base_buf_free(&b);
}

/* Runs a job of @n tasks, which end by themselves, from its submission to its end. */
static void run_job(int n)
{
    struct base_buf b = {0};
    char body[256], path[256], *id;

    snprintf(body, sizeof body,
             "{\"job\":{\"tasks\":[{\"kind\":\"map\",\"command\":\":\",\"count\":%d}]}}", n);
    send_request(&connections[0], "/ws/v1/cluster/jobs", body);
    read_answer(&connections[0], "201", &b);
    id = strstr(b.data, "application_");
    if (!id)
        die("a job without an id");
    snprintf(path, sizeof path, "/ws/v1/cluster/apps/%.*s/state", (int)strcspn(id, "\"\r/"), id);
    wait_for(path, "FINISHED");
    base_buf_free(&b);
}

/* Measures tasks on simulated nodes of @slots slots each: submitted, assigned, launched, ended and
 * recorded, with the heartbeats that carry all that. */
static void measure_task_lives(const char *slots, int n)
{
    char *exe = base_printf("%s/sim_nodes", bin), *url = base_printf("http://127.0.0.1:%u", port);
    char *nodes = base_printf("%d", TASK_NODES);
    char *secret_file = base_user_state_path(BASE_CLUSTER_SECRET_NAME);
    char *all = base_printf("\"activeNodes\":%d", TASK_NODES);
    pid_t pid = fork();
    double cpu;

    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);

        dup2(null, 1);
        execl(exe, exe, url, secret_file, nodes, slots, "1", "1", (char *)NULL);
        _exit(127);
    }
    wait_for("/ws/v1/cluster/metrics", all);
    run_job(n / 20);
    cpu = rm_cpu_s();
    run_job(n);
    printf("task_life_%s_slots %.1f us\n", slots, (rm_cpu_s() - cpu) / n * 1e6);
    fflush(stdout);
    kill(pid, SIGTERM);
    waitpid(pid, NULL, 0);
    free(exe);
    free(url);
    free(nodes);
    free(secret_file);
    free(all);
}

static void submit_apps(int n)
{
    make_requests("/ws/v1/cluster/jobs",
                  "{\"job\":{\"tasks\":[{\"kind\":\"map\",\"command\":\":\"}]}}", "201", n);
}

static char *path_of_an_app(void)
{
    struct base_buf b = {0};
    char *id, *path;

    send_request(&connections[0], "/ws/v1/cluster/apps?limit=1", NULL);
    read_answer(&connections[0], "200", &b);
    id = strstr(b.data, "application_");
    if (!id)
        die("no application is listed");
    path = base_printf("/ws/v1/cluster/apps/%.*s", (int)strcspn(id, "\""), id);
    base_buf_free(&b);
    return path;
}

int main(int argc, char **argv)
{
    const char *parent = getenv("BENCH_DIR");
    char *app;
    bool all = argc == 2;

    if (argc < 2)
        die("usage: bench_http BIN_DIR "
            "[info|metrics|app|scheduler|bean|task|listing|heartbeat]...");
    bin = argv[1];
    dir = base_printf("%s/bench-http.XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(dir))
        die("mkdtemp");
    make_secret();
    start_rm();
    for (int i = 0; i < CONNECTIONS; i++)
        connections[i].fd = connect_to(port);
    submit_apps(16);
    app = path_of_an_app();
    for (int i = all ? 0 : 2; all ? i < 1 : i < argc; i++) {
        const char *op = all ? "" : argv[i];

        if (all || !strcmp(op, "info"))
            measure_with_kernel("cluster_info", "/ws/v1/cluster/info");
        if (all || !strcmp(op, "metrics"))
            measure("cluster_metrics", "/ws/v1/cluster/metrics");
        if (all || !strcmp(op, "app"))
            measure("app", app);
        if (all || !strcmp(op, "scheduler"))
            measure_with_kernel("scheduler_20_queues", "/ws/v1/cluster/scheduler");
        if (all || !strcmp(op, "bean"))
            measure("jmx_bean", "/jmx?qry=Hadoop:service=ResourceManager,name=ClusterMetrics");
        if (all || !strcmp(op, "task"))
            measure_task_lives("40", TASKS);
        if (all || !strcmp(op, "listing")) {
            submit_apps(APPS);
            measure_listing(APPS);
        }
        if (all || !strcmp(op, "heartbeat"))
            measure_heartbeats(NODES);
    }
    kill(rm, SIGTERM);
    waitpid(rm, NULL, 0);
    base_rmtree(dir, NULL);
    free(app);
    free(dir);
    return 0;
}
