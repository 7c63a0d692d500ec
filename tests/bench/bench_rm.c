/* tests/bench/bench_rm.c - what a cluster costs: latency, throughput, durable submissions,
 * listings, size.
 * Usage: bench_rm BIN_DIR latency|tasks|submit|listing|startup [N]. Prints "name value unit" lines;
 * tests/bench/run takes medians and writes the table. Every daemon it starts lives in a temporary
 * folder and is ended by pid. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io/http_client.h"
#include "base/io/io.h"
#include "base/io/json.h"
#include "base/io/private_file.h"
#include "base/io/sched.h"
#include "base/version.h"

static const char *bin;
static char *dir;
static char url[512];

static void die(const char *what)
{
    fprintf(stderr, "bench_rm: %s\n", what);
    exit(1);
}

static double now_s(void)
{
    return (double)base_mono_us(&base_clock_real) / 1e6;
}

static void pause_ms(long ms)
{
    struct timespec ts = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&ts, &ts) < 0 && errno == EINTR)
        ;
}

static pid_t spawn(char *const argv[])
{
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, 0);
        dup2(null, 1);
        execv(argv[0], argv);
        _exit(127);
    }
    if (pid < 0)
        die("fork failed");
    return pid;
}

static void run(char *const argv[])
{
    int st;
    if (waitpid(spawn(argv), &st, 0) < 0 || st != 0)
        die(argv[1]);
}

static void read_url(const char *path)
{
    for (int i = 0; i < 2000; i++, pause_ms(5)) {
        struct base_buf b = {0};
        if (base_file_read(path, sizeof url - 1, &b, NULL) == 0 && b.len > 0) {
            snprintf(url, sizeof url, "%s", b.data);
            url[strcspn(url, "\n")] = 0;
            base_buf_free(&b);
            return;
        }
        base_buf_free(&b);
    }
    die("no URL file in time");
}

static void dev_start(const char *nodes)
{
    char *creel = base_printf("%s/creel", bin), *dev = base_printf("%s/dev", dir);
    char *f = base_printf("%s/rm.url", dev);
    run((char *[]){creel, "dev", "--detach", "--port", "0", "--nodes", (char *)nodes, "--dir", dev,
                   NULL});
    read_url(f);
    free(creel);
    free(dev);
    free(f);
}

static void dev_stop(void)
{
    char *creel = base_printf("%s/creel", bin), *dev = base_printf("%s/dev", dir);
    run((char *[]){creel, "dev", "--stop", "--dir", dev, NULL});
    free(creel);
    free(dev);
}

static pid_t rm_start(void)
{
    char *exe = base_printf("%s/creel-rm", bin), *f = base_printf("%s/url", dir);
    char *state = base_printf("creel.rm.state-dir=%s/state", dir);
    unlink(f);
    pid_t pid =
        spawn((char *[]){exe, "-D", "creel.rm.port=0", "-D", "creel.auth=simple", "-D",
                         "creel.rm.max-apps-per-user=0", "-D", state, "--url-file", f, NULL});
    read_url(f);
    free(exe);
    free(f);
    free(state);
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGTERM);
    waitpid(pid, NULL, 0);
}

/* Returns the secret that the RM has made at its start. */
static struct base_keyring *open_secret(void)
{
    static struct base_keyring *keys;
    char *path = base_user_state_path(BASE_CLUSTER_SECRET_NAME);

    if (!keys && base_keyring_open(path, &keys, NULL) < 0)
        die("the RM has made no secret");
    free(path);
    return keys;
}

/* One request; dies on a transport error. Returns the status; @out may be NULL. */
static long ask(struct base_http *h, const char *method, const char *path, const char *body,
                struct base_buf *out)
{
    char u[1024];
    snprintf(u, sizeof u, "%s%s", url, path);
    struct base_http_request rq = {.method = method,
                                   .url = u,
                                   .body = body,
                                   .body_len = body ? strlen(body) : 0,
                                   .keys = strstr(path, "/nodetracker/") ? open_secret() : NULL};
    struct base_http_answer a = {0};
    struct base_error err = {0};
    if (base_http_perform(h, &rq, &a, &err) < 0)
        die(err.text);
    long status = a.status;
    if (out) {
        base_buf_clear(out);
        base_buf_add(out, a.body.data ? a.body.data : "", a.body.len);
    }
    base_http_answer_free(&a);
    return status;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(double *v, size_t n, double q)
{
    qsort(v, n, sizeof *v, by_value);
    size_t i = (size_t)(q * (double)(n - 1) + 0.5);
    return v[i];
}

/* Measures the time from a submission until the task's process runs and opens a watched file. */
static void bench_latency(int n)
{
    dev_start("1");
    struct base_http *h = base_http_new();
    char *file = base_printf("%s/mark", dir);
    close(open(file, O_CREAT | O_WRONLY, 0600));
    int in = inotify_init1(IN_CLOEXEC);
    if (inotify_add_watch(in, file, IN_OPEN) < 0)
        die("inotify");
    char *body =
        base_printf("{\"job\":{\"tasks\":[{\"kind\":\"map\",\"command\":\": < %s\"}]}}", file);
    double *v = base_alloc(sizeof *v * (size_t)n);
    for (int i = -10; i < n; i++) {
        double t = now_s();
        if (ask(h, "POST", "/ws/v1/cluster/jobs", body, NULL) != 201)
            die("submission refused");
        char ev[4096];
        if (read(in, ev, sizeof ev) <= 0)
            die("inotify read");
        if (i >= 0)
            v[i] = (now_s() - t) * 1e3;
        pause_ms(20); /* an idle cluster: the task before has ended */
    }
    printf("latency_p50 %.2f ms\nlatency_p99 %.2f ms\n", quantile(v, (size_t)n, .5),
           quantile(v, (size_t)n, .99));
    base_http_free(h);
    dev_stop();
    free(v);
    free(body);
    free(file);
}

static double cpu_children_s(void)
{
    struct rusage u;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    getrusage(RUSAGE_CHILDREN, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* All of Creel's processes end up as our reaped children: this process is their subreaper. */
static double tasks_once(int n, double *wall)
{
    double c0 = cpu_children_s();
    dev_start("3");
    struct base_http *h = base_http_new();
    struct base_buf b = {0};
    char *body =
        base_printf("{\"job\":{\"tasks\":[{\"kind\":\"map\",\"command\":\":\",\"count\":%d}]}}", n);
    double t = now_s();
    if (ask(h, "POST", "/ws/v1/cluster/jobs", body, &b) != 201)
        die("submission refused");
    json_t *j = json_loads(b.data, 0, NULL);
    char path[256];
    snprintf(path, sizeof path, "/ws/v1/cluster/apps/%s/state",
             json_string_value(json_object_get(json_object_get(j, "job"), "id")));
    json_decref(j);
    do {
        pause_ms(20);
        ask(h, "GET", path, NULL, &b);
        if (strstr(b.data, "FAILED") || strstr(b.data, "KILLED"))
            die(b.data);
    } while (!strstr(b.data, "FINISHED"));
    *wall = now_s() - t;
    base_buf_free(&b);
    base_http_free(h);
    free(body);
    dev_stop();
    while (waitpid(-1, NULL, 0) > 0) /* reparented daemons */
        ;
    return cpu_children_s() - c0;
}

static void bench_tasks(int n)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    double wall, base_wall, base_cpu = tasks_once(1, &base_wall);
    char *rm = base_printf("%s/dev", dir);
    base_rmtree(rm, NULL);
    free(rm);
    double cpu = tasks_once(n, &wall) - base_cpu;
    printf("tasks_per_s %.0f 1/s\ntask_cpu %.2f ms\n", n / wall, cpu / n * 1e3);
}

struct client {
    pthread_t thread;
    int n;
};
static void *submit_loop(void *arg)
{
    struct client *c = arg;
    struct base_http *h = base_http_new();
    for (int i = 0; i < c->n; i++)
        if (ask(h, "POST", "/ws/v1/cluster/jobs",
                "{\"job\":{\"tasks\":[{\"kind\":\"map\",\"command\":\":\"}]}}", NULL) != 201)
            die("submission refused");
    base_http_free(h);
    return NULL;
}

static double fsyncs_per_s(void)
{
    char *f = base_printf("%s/fsync", dir), page[4096] = {0};
    int fd = open(f, O_CREAT | O_WRONLY, 0600);
    double t = now_s();
    int n = 0;
    for (; now_s() - t < 1; n++)
        if (pwrite(fd, page, sizeof page, 0) < 0 || fdatasync(fd) < 0)
            die("fsync");
    double rate = n / (now_s() - t);
    close(fd);
    unlink(f);
    free(f);
    return rate;
}

static void bench_submit(int n)
{
    enum { CLIENTS = 64 };
    pid_t rm = rm_start();
    struct client c[CLIENTS];
    double t = now_s();
    for (int i = 0; i < CLIENTS; i++) {
        c[i].n = n / CLIENTS;
        if (pthread_create(&c[i].thread, NULL, submit_loop, &c[i]) != 0)
            die("thread");
    }
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(c[i].thread, NULL);
    double rate = n / CLIENTS * CLIENTS / (now_s() - t);
    end(rm);
    printf("submissions %.0f 1/s\nfsyncs %.0f 1/s\n", rate, fsyncs_per_s());
}

/* One of four threads that send heartbeats of 100 nodes, ten a second for each node. On a real
 * cluster the nodes, and the client that reads the list, are other machines: here the nodes'
 * threads get the processor at once and the client gives way, so that the RM is what is
 * measured. */
struct beater {
    pthread_t thread;
    int id;
    volatile bool *stop;
    double *v;
    size_t n, cap;
};
static void *beat_loop(void *arg)
{
    struct beater *b = arg;
    base_sched_make_thread_prompt();
    struct base_http *h = base_http_new();
    char body[512];
    struct base_buf out = {0};
    long long response[25] = {0};
    for (int k = 0; k < 25; k++) {
        snprintf(body, sizeof body,
                 "{\"nodeId\":\"bench%d-%d:1\",\"httpAddress\":\"bench%d-%d:1\",\"rack\":\"/"
                 "r\",\"mapSlots\":0,"
                 "\"reduceSlots\":1,\"bootId\":\"b\",\"instance\":\"i\",\"epochSeen\":0,"
                 "\"version\":\"" CREEL_VERSION "\",\"containers\":[]}",
                 b->id, k, b->id, k);
        if (ask(h, "POST", "/ws/v1/nodetracker/register", body, NULL) != 200)
            die("registration refused");
    }
    double next = now_s();
    while (!*b->stop) {
        for (int k = 0; k < 25 && !*b->stop; k++, next += 0.004) {
            double wait = next - now_s();
            if (wait > 0.001)
                pause_ms((long)(wait * 1e3));
            snprintf(body, sizeof body,
                     "{\"nodeId\":\"bench%d-%d:1\",\"instance\":\"i\",\"responseId\":%lld,"
                     "\"epochSeen\":0,"
                     "\"healthy\":true,\"healthReport\":\"\",\"diskFreeMb\":1000,\"holdMs\":0,"
                     "\"containers\":[]}",
                     b->id, k, response[k]);
            double t = now_s();
            if (ask(h, "POST", "/ws/v1/nodetracker/heartbeat", body, &out) != 200)
                die("heartbeat refused");
            base_array_grow(&b->v, b->n, &b->cap);
            b->v[b->n++] = (now_s() - t) * 1e3;
            json_t *j = json_loads(out.data, 0, NULL);
            response[k] = json_integer_value(json_object_get(j, "responseId"));
            json_decref(j);
        }
    }
    base_buf_free(&out);
    base_http_free(h);
    return NULL;
}

/* Reads the list and keeps nothing of it: a client that kept it would occupy the processors with
 * its own memory. */
static void read_list(void)
{
    static const char text[] =
        "GET /ws/v1/cluster/apps HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)atoi(strrchr(url, ':') + 1))};
    char buf[65536];
    ssize_t n;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) < 0 ||
        base_write_all(fd, text, sizeof text - 1) < 0)
        die("listing: no connection");
    if (read(fd, buf, sizeof buf) < 12 || memcmp(buf + 9, "200", 3) != 0)
        die("listing refused");
    while ((n = read(fd, buf, sizeof buf)) > 0)
        ;
    if (n < 0)
        die("listing cut");
    close(fd);
}

static double beats_p99(double seconds, bool list, double *list_s)
{
    volatile bool stop = false;
    struct beater b[4] = {0};
    for (int i = 0; i < 4; i++) {
        b[i].id = i;
        b[i].stop = &stop;
        pthread_create(&b[i].thread, NULL, beat_loop, &b[i]);
    }
    sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
    double t = now_s(), took = 0;
    int lists = 0;
    while (now_s() - t < seconds) {
        if (list) {
            double s = now_s();
            read_list();
            took += now_s() - s;
            lists++;
        }
        pause_ms(100);
    }
    stop = true;
    double *all = NULL;
    size_t n = 0, cap = 0;
    for (int i = 0; i < 4; i++) {
        pthread_join(b[i].thread, NULL);
        for (size_t k = 0; k < b[i].n; k++) {
            base_array_grow(&all, n, &cap);
            all[n++] = b[i].v[k];
        }
        free(b[i].v);
    }
    double p99 = quantile(all, n, .99);
    free(all);
    if (lists)
        *list_s = took / lists;
    return p99;
}

static void bench_listing(int apps)
{
    enum { CLIENTS = 16 };
    pid_t rm = rm_start();
    double list_s = 0, idle = beats_p99(5, false, &list_s);
    struct client c[CLIENTS];
    for (int i = 0; i < CLIENTS; i++) {
        c[i].n = apps / CLIENTS;
        pthread_create(&c[i].thread, NULL, submit_loop, &c[i]);
    }
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(c[i].thread, NULL);
    double busy = beats_p99(5, true, &list_s);
    end(rm);
    printf("heartbeat_p99_idle %.2f ms\nheartbeat_p99_listing %.2f ms\nheartbeat_ratio %.2f "
           "x\nlist_%d_apps %.0f ms\n",
           idle, busy, busy / idle, apps, list_s * 1e3);
}

static double rss_mb(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "r");
    char line[256];
    double kb = 0;
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmRSS: %lf", &kb) == 1)
            break;
    if (f)
        fclose(f);
    return kb / 1024;
}

static void answered(const char *what, const char *path, double since)
{
    struct base_http *h = base_http_new();
    char u[1024];
    snprintf(u, sizeof u, "%s%s", url, path);
    struct base_http_request rq = {.method = "GET", .url = u};
    for (;;) {
        struct base_http_answer a = {0};
        int rc = base_http_perform(h, &rq, &a, NULL);
        long st = a.status;
        base_http_answer_free(&a);
        if (rc == 0 && st == 200)
            break;
        pause_ms(1);
    }
    printf("%s_start %.0f ms\n", what, (now_s() - since) * 1e3);
    base_http_free(h);
}

static void bench_startup(void)
{
    double t = now_s();
    pid_t rm = rm_start();
    answered("rm", "/ws/v1/cluster/info", t);
    char rm_url[512];
    snprintf(rm_url, sizeof rm_url, "%s", url);
    char *exe = base_printf("%s/creel-nm", bin), *f = base_printf("%s/nm-url", dir);
    char *d1 = base_printf("creel.nodemanager.local-dir=%s/nm", dir),
         *d2 = base_printf("creel.nodemanager.rm=%s", rm_url);
    t = now_s();
    pid_t nm = spawn((char *[]){exe, "-D", "creel.nodemanager.port=0", "-D", d1, "-D", d2,
                                "--url-file", f, NULL});
    read_url(f);
    answered("nm", "/ws/v1/node/info", t);
    pause_ms(2000);
    printf("rm_rss %.1f MB\nnm_rss %.1f MB\n", rss_mb(rm), rss_mb(nm));
    end(nm);
    end(rm);
    free(exe);
    free(f);
    free(d1);
    free(d2);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        die("usage: bench_rm BIN_DIR latency|tasks|submit|listing|startup [N]");
    bin = argv[1];
    int n = argc > 3 ? atoi(argv[3]) : 0;
    char tmp[] = "/tmp/creel-bench.XXXXXX";
    const char *parent = getenv("BENCH_DIR");
    dir = parent ? base_printf("%s/bench.XXXXXX", parent) : base_strdup(tmp);
    if (!mkdtemp(dir))
        die("mkdtemp");
    setenv("XDG_STATE_HOME", dir, 1);
    if (!strcmp(argv[2], "latency"))
        bench_latency(n ? n : 500);
    else if (!strcmp(argv[2], "tasks"))
        bench_tasks(n ? n : 5000);
    else if (!strcmp(argv[2], "submit"))
        bench_submit(n ? n : 32000);
    else if (!strcmp(argv[2], "listing"))
        bench_listing(n ? n : 10000);
    else if (!strcmp(argv[2], "startup"))
        bench_startup();
    else
        die("unknown measurement");
    base_rmtree(dir, NULL);
    free(dir);
    return 0;
}
