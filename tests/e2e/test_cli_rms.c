/* Goal: the creel command finds the active ResourceManager among several, waits while there is
 * none, and may repeat what it sent: one job, whatever gets lost. Method: two fake RMs in this
 * process that share one state, as two RMs share a store; the test says what each is (active,
 * standby that redirects, standby that knows nobody, gone) and which answers get lost after the
 * request was carried out. The real command is run against them; argument 1 is its path. */
#include <arpa/inet.h>
#include <jansson.h>
#include <pthread.h>
#include <pty.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "tests/unit/cunit_main.h"

#define CLUSTER "/ws/v1/cluster"
#define RMS     2
#define NODE    "node-1:8041"

enum mode { ACTIVE, REDIRECT, NONE, NONE_TOO_OFTEN, UNAVAILABLE, REFUSES, STOPPED };

static const char *creel;

static struct fake {
    int fd;
    uint16_t port;
    pthread_t thread;
    enum mode mode;
    char to[64]; /* where REDIRECT sends clients */
    int asked;   /* requests, without those for cluster/ha and for logs */
} fakes[RMS];

/* What the two fakes share, and what the test makes them do. */
static struct world {
    pthread_mutex_t lock;
    int ids, posts, jobs, kills;
    char *job; /* body as sent first */
    bool killed;
    int lose_id, lose_post, lose_kill; /* how many of the next answers are lost */
    int dies_after_post;               /* this fake is gone after it has taken a job; -1: none */
    /* When both together have had @active_after requests, fake 1 becomes active; 0: never. */
    int active_after, asked;
    int gets;            /* GETs of the job */
    const int *percents; /* what the GETs of the job show in turn, 100 at last */
    bool forgets;        /* the job ends only after its task, which the RMs then no longer list */
    int looks, task_ends_at; /* looks: GETs of the tasks; at the one with the number task_ends_at
                                the only task fails with 7; 0: there are no tasks */
    bool decoy;              /* another server answers at the node's address */
    bool no_logs;            /* the node cannot be reached, not even by the RMs */
    int more_tasks;  /* beside the only one, with containers of their own on the same node */
    int relayed;     /* requests for logs by way of an RM */
    int failover_at; /* at this GET of the job, or of its tasks, fake 0 vanishes, and fake 1 knows
                        no active RM for some requests; 0: never */
} world = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- the fakes ---- */
struct request {
    char method[8], path[512];
    char *body;
};

static bool read_request(int fd, struct request *rq, struct base_buf *b)
{
    char chunk[4096], *head_end;
    size_t want = 0;
    ssize_t n;

    while (!(b->len && (head_end = strstr(b->data, "\r\n\r\n"))) || b->len < want) {
        n = read(fd, chunk, sizeof chunk);
        if (n <= 0)
            return false;
        base_buf_add(b, chunk, (size_t)n);
        head_end = strstr(b->data, "\r\n\r\n");
        if (head_end) {
            const char *length = strcasestr(b->data, "\r\nContent-Length:");
            want = (size_t)(head_end - b->data) + 4 + (size_t)(length ? atoi(length + 17) : 0);
        }
    }
    rq->body = head_end + 4;
    return sscanf(b->data, "%7s %511s", rq->method, rq->path) == 2;
}

static void put(struct base_buf *out, const char *status, const char *headers, const char *body)
{
    base_buf_addf(out, "HTTP/1.1 %s\r\nConnection: close\r\n%sContent-Length: %zu\r\n\r\n%s",
                  status, headers, strlen(body), body);
}

static void be(size_t i, enum mode mode)
{
    fakes[i].mode = mode;
    snprintf(fakes[i].to, sizeof fakes[i].to, "http://127.0.0.1:%u", fakes[1 - i].port);
}

/* Nobody can connect any more. The thread ends when it notices. */
static void vanish(struct fake *f)
{
    shutdown(f->fd, SHUT_RDWR);
}

static void put_ha(const struct fake *f, struct base_buf *out)
{
    size_t i = (size_t)(f - fakes);
    char *body = base_printf("{\"haEnabled\":true,\"rmId\":\"rm-%zu\",\"state\":\"%s\"}", i + 1,
                             f->mode == ACTIVE ? "active" : "standby");

    put(out, "200 OK", "", body);
    free(body);
}

static void post_ha(struct fake *f, struct base_buf *out)
{
    size_t i = (size_t)(f - fakes);

    if (f->mode == ACTIVE) {
        be(i, REDIRECT);
        be(1 - i, ACTIVE);
    }
    put_ha(f, out);
}

static void put_standby(const struct fake *f, const char *path, struct base_buf *out)
{
    char *text;

    switch (f->mode) {
    case REDIRECT:
        text = base_printf("Location: %s%s\r\n", f->to, path);
        put(out, "307 Temporary Redirect", text, "This is standby RM. The redirect url is: /\n");
        free(text);
        break;
    case NONE:
        put(out, "307 Temporary Redirect", "Refresh: 4;url=http://x/\r\n",
            "Can not find any active RM. Will retry in next 4 seconds.\nHA Zookeeper Connection "
            "State: x\n");
        break;
    case NONE_TOO_OFTEN:
        put(out, "200 OK", "",
            "There is no active RM right now.\nHA Zookeeper Connection State: x\n");
        break;
    case REFUSES:
        put(out, "503 Service Unavailable", "",
            "{\"RemoteException\":{\"exception\":\"NullPointerException\",\"message\":\"it is "
            "null\","
            "\"javaClassName\":\"java.lang.NullPointerException\"}}");
        break;
    default:
        put(out, "503 Service Unavailable", "",
            "{\"RemoteException\":{\"exception\":\"StandbyException\",\"message\":\"over\","
            "\"javaClassName\":\"org.apache.hadoop.ipc.StandbyException\"}}");
    }
}

static void put_job(const char *status, struct base_buf *out)
{
    int percent = !world.percents ? 100 : world.percents[world.gets > 0 ? world.gets - 1 : 0];
    char *body = base_printf(
        "{\"job\":{\"id\":\"application_1_0001\",\"name\":\"n\",\"state\":\"%s\",\"finalStatus\":"
        "\"%s\","
        "\"progress\":{\"map\":%d},\"taskCounts\":{\"map\":{\"total\":100,\"succeeded\":%d}}}}",
        percent < 100 ? "RUNNING" : "FINISHED", percent < 100 ? "UNDEFINED" : "SUCCEEDED", percent,
        percent);

    put(out, status, "", body);
    free(body);
}

/* Returns true when the answer is to be lost. */
static bool post_job(struct fake *f, const char *body, struct base_buf *out)
{
    world.posts++;
    if (!world.job) {
        world.job = base_strdup(body);
        world.jobs++;
        put_job("201 Created", out);
    } else if (strcmp(world.job, body) == 0) {
        put_job("200 OK", out);
    } else {
        put(out, "409 Conflict", "",
            "{\"RemoteException\":{\"exception\":\"ConflictException\",\"message\":\"another "
            "body\","
            "\"javaClassName\":\"x\"}}");
    }
    if (world.dies_after_post == f - fakes) {
        vanish(f);
        be(1, ACTIVE);
        return true;
    }
    return world.lose_post-- > 0;
}

static void fail_over(struct fake *f, int at, int after)
{
    if (at != world.failover_at)
        return;
    vanish(f);
    world.active_after = world.asked + after;
}

static void get_job(struct fake *f, struct base_buf *out)
{
    world.gets++;
    if (world.task_ends_at)
        put(out, "200 OK", "",
            world.looks < world.task_ends_at + world.forgets
                ? "{\"job\":{\"state\":\"RUNNING\"}}"
                : "{\"job\":{\"state\":\"FINISHED\",\"finalStatus\":\"FAILED\"}}");
    else
        put_job("200 OK", out);
    if (!world.task_ends_at)
        fail_over(f, world.gets, 3);
}

/* Answers with the job's tasks. Fake 1 also plays the node on which they run. */
static void get_tasks(struct fake *f, struct base_buf *out)
{
    bool over = ++world.looks >= world.task_ends_at;
    struct base_buf body = {0};

    for (int i = 0; i <= world.more_tasks; i++)
        base_buf_addf(
            &body,
            "%s{\"id\":\"task_1_0001_m_%06d\",\"state\":\"%s\",\"exitCode\":%d,\"node\":\"" NODE
            "\","
            "\"containerId\":\"container_1_0001_01_%06d\",\"nodeHttpAddress\":\"127.0.0.1:%u\"}",
            i ? "," : "{\"tasks\":[", i, over ? "FAILED" : "RUNNING", over ? 7 : 0, i + 2,
            fakes[1].port);
    base_buf_adds(&body, "]}");
    if (world.forgets && world.looks > world.task_ends_at)
        put(out, "200 OK", "", "{\"tasks\":[],\"tasksGone\":true}");
    else
        put(out, "200 OK", "", world.task_ends_at ? body.data : "{\"tasks\":[]}");
    base_buf_free(&body);
    fail_over(f, world.looks, 2);
}

static void get_log(const char *path, bool relayed, struct base_buf *out)
{
    static const char name[] = "X-Creel-Node: " NODE "\r\n";
    bool ready = world.looks >= world.task_ends_at;
    const char *status = ready ? "200 OK" : "404 Not Found";

    if (world.no_logs && relayed)
        put(out, "502 Bad Gateway", "",
            "{\"RemoteException\":{\"exception\":\"BadGatewayException\",\"message\":\"node " NODE
            ": no route\","
            "\"javaClassName\":\"creel.BadGatewayException\"}}");
    else if (world.decoy && !relayed)
        put(out, "200 OK", "X-Creel-Node: node-2:8041\r\n", "of another\n");
    else if (strstr(path, "/stdout?offset=0"))
        put(out, status, name, ready ? "one\ntwo\n" : "");
    else
        put(out, status, name, "");
}

static bool serve_active(struct fake *f, const struct request *rq, struct base_buf *out)
{
    size_t n = strcspn(rq->path, "?");

    if (strncmp(rq->path, CLUSTER "/apps/new-application", n) == 0) {
        char *body = base_printf("{\"application-id\":\"application_1_%04d\"}", ++world.ids);
        put(out, "200 OK", "", body);
        free(body);
        return world.lose_id-- > 0;
    }
    if (strcmp(rq->method, "POST") == 0 && strncmp(rq->path, CLUSTER "/jobs", n) == 0)
        return post_job(f, rq->body, out);
    if (strcmp(rq->method, "PUT") == 0) {
        put(out, world.killed ? "200 OK" : "202 Accepted", "", "{\"state\":\"KILLED\"}");
        world.killed = true;
        world.kills++;
        return world.lose_kill-- > 0;
    }
    if (strstr(rq->path, "/raw-logs/")) {
        world.relayed++;
        get_log(rq->path, true, out);
    } else if (strstr(rq->path, "/tasks"))
        get_tasks(f, out);
    else if (strncmp(rq->path, CLUSTER "/jobs/", strlen(CLUSTER "/jobs/")) == 0)
        get_job(f, out);
    else if (strstr(rq->path, "/info"))
        put(out, "200 OK", "", "{\"clusterInfo\":{\"resourceManagerVersion\":\"9\"}}");
    else
        put(out, "200 OK", "", "{\"nodes\":{}}");
    return false;
}

static void serve(struct fake *f, int fd)
{
    struct base_buf in = {0}, out = {0};
    struct request rq;
    bool lost = false;

    if (read_request(fd, &rq, &in)) {
        bool log = strstr(rq.path, "/node/raw-logs/");
        bool ha = strncmp(rq.path, CLUSTER "/ha", strlen(CLUSTER "/ha")) == 0;

        pthread_mutex_lock(&world.lock);
        if (!ha && !strstr(rq.path, "/raw-logs/")) {
            f->asked++;
            if (++world.asked == world.active_after)
                be(1, ACTIVE);
        }
        if (ha && strcmp(rq.method, "POST") == 0)
            post_ha(f, &out);
        else if (ha)
            put_ha(f, &out);
        else if (log)
            get_log(rq.path, false, &out);
        else if (f->mode == STOPPED)
            lost = true;
        else if (f->mode == ACTIVE)
            lost = serve_active(f, &rq, &out);
        else
            put_standby(f, rq.path, &out);
        pthread_mutex_unlock(&world.lock);
        if (lost && f->mode == STOPPED) /* until the client gives up */
            (void)!read(fd, (char[1]){0}, 1);
    }
    if (!lost && out.len)
        (void)!write(fd, out.data, out.len);
    base_buf_free(&in);
    base_buf_free(&out);
}

static void *fake_main(void *p)
{
    struct fake *f = p;
    int fd;

    while ((fd = accept(f->fd, NULL, NULL)) >= 0) {
        serve(f, fd);
        close(fd);
    }
    return NULL;
}

static void start(void)
{
    for (size_t i = 0; i < RMS; i++) {
        struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        socklen_t len = sizeof a;

        fakes[i] = (struct fake){.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
        base_assert(bind(fakes[i].fd, (struct sockaddr *)&a, sizeof a) == 0 &&
                    listen(fakes[i].fd, 64) == 0);
        base_assert(getsockname(fakes[i].fd, (struct sockaddr *)&a, &len) == 0);
        fakes[i].port = ntohs(a.sin_port);
    }
    free(world.job);
    world = (struct world){.lock = PTHREAD_MUTEX_INITIALIZER, .dies_after_post = -1};
    be(0, ACTIVE);
    be(1, REDIRECT);
    for (size_t i = 0; i < RMS; i++)
        base_assert(pthread_create(&fakes[i].thread, NULL, fake_main, &fakes[i]) == 0);
}

static void stop(void)
{
    for (size_t i = 0; i < RMS; i++) {
        vanish(&fakes[i]);
        pthread_join(fakes[i].thread, NULL);
        close(fakes[i].fd);
    }
}

/* ---- the command ---- */
static struct {
    int status;
    struct base_buf out, err; /* on a terminal: all in out */
} ran;

static void read_all(int fd, struct base_buf *b)
{
    char chunk[4096];
    ssize_t n;

    while ((n = read(fd, chunk, sizeof chunk)) > 0)
        base_buf_add(b, chunk, (size_t)n);
    close(fd);
    base_buf_adds(b, "");
    if (!b->data)
        b->data = base_strdup("");
}

/* Becomes creel. @words: its arguments, separated by '|'; @rms: the value of --rm, NULL: not
 * given. */
static void exec_creel(const char *words, const char *rms)
{
    char *argv[24], *copy = base_strdup(words), *save = NULL;
    size_t n = 0;

    argv[n++] = (char *)(uintptr_t) "creel";
    for (char *w = strtok_r(copy, "|", &save); w; w = strtok_r(NULL, "|", &save))
        argv[n++] = w;
    if (rms) {
        argv[n++] = (char *)(uintptr_t) "--rm";
        argv[n++] = (char *)(uintptr_t)rms;
    }
    argv[n] = NULL;
    unsetenv("CREEL_RM");
    setenv("CREEL_CONF_DIR", "/nonexistent", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    execv(creel, argv);
    _exit(99);
}

static char *both(void)
{
    return base_printf("http://127.0.0.1:%u,http://127.0.0.1:%u", fakes[0].port, fakes[1].port);
}

static void forget(void)
{
    base_buf_free(&ran.out);
    base_buf_free(&ran.err);
}

static void run_with(const char *words, const char *rms)
{
    int out[2], err[2], status;
    pid_t pid;

    forget();
    base_assert(pipe(out) == 0 && pipe(err) == 0);
    pid = fork();
    if (pid == 0) {
        dup2(out[1], 1);
        dup2(err[1], 2);
        close(out[0]);
        close(err[0]);
        exec_creel(words, rms);
    }
    close(out[1]);
    close(err[1]);
    read_all(out[0], &ran.out);
    read_all(err[0], &ran.err);
    base_assert(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    ran.status = WEXITSTATUS(status);
}

static void run(const char *words)
{
    char *rms = both();

    run_with(words, rms);
    free(rms);
}

static void run_on_terminal(const char *words)
{
    struct winsize size = {.ws_row = 24, .ws_col = 100};
    char *rms = both();
    int fd, status;
    pid_t pid;

    forget();
    pid = forkpty(&fd, NULL, NULL, &size);
    base_assert(pid >= 0);
    if (pid == 0)
        exec_creel(words, rms);
    read_all(fd, &ran.out);
    base_assert(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    ran.status = WEXITSTATUS(status);
    free(rms);
}

static void ended(int status, const char *out, const char *err)
{
    bool good = ran.status == status && strstr(ran.out.data, out) && strstr(ran.err.data, err);

    if (!good)
        fprintf(stderr, "status %d, not %d; out '%s', not '%s'; err '%s', not '%s'\n", ran.status,
                status, ran.out.data, out, ran.err.data, err);
    CU_ASSERT_TRUE(good);
}

static int lines(const struct base_buf *b)
{
    int n = 0;

    for (const char *c = b->data; *c; c++)
        n += *c == '\n';
    return n;
}

/* ---- finding the active one ---- */
static void test_dead_first(void)
{
    char *only;

    start();
    be(1, ACTIVE);
    vanish(&fakes[0]);
    run("node|-list");
    ended(0, "", "");
    CU_ASSERT_EQUAL(ran.err.len, 0);
    CU_ASSERT_EQUAL(fakes[1].asked, 1);
    only = base_printf("http://127.0.0.1:%u", fakes[0].port);
    run_with("node|-list", only); /* a single RM is not waited for */
    ended(1, "", "no ResourceManager answers at http://127.0.0.1:");
    free(only);
    stop();
}

/* A stopped RM accepts connections and requests, but never answers. */
static void test_stopped_first(void)
{
    start();
    be(0, STOPPED);
    be(1, ACTIVE);
    run("node|-list");
    ended(0, "", "");
    CU_ASSERT_EQUAL(fakes[0].asked, 1);
    stop();
}

static void test_redirect(void)
{
    char *only;

    start();
    be(0, REDIRECT);
    be(1, ACTIVE);
    run("node|-list");
    ended(0, "", "");
    CU_ASSERT_EQUAL(fakes[0].asked, 1);
    CU_ASSERT_EQUAL(fakes[1].asked, 1);
    only = base_printf("http://127.0.0.1:%u", fakes[0].port); /* redirects to an unlisted RM */
    run_with("version", only);
    ended(0, "ResourceManager 9 (built from unknown) at http://127.0.0.1:", "");
    CU_ASSERT_EQUAL(fakes[1].asked, 2);
    free(only);
    stop();
}

static void test_circle(void)
{
    start();
    be(0, REDIRECT);
    be(1, REDIRECT);
    run("version"); /* asks once around */
    ended(0, "creel ", "");
    CU_ASSERT_TRUE(world.asked <= 2 * RMS + 1);
    world.active_after = world.asked + 12;
    run("node|-list");
    ended(0, "", "");
    stop();
}

static void test_no_active(void)
{
    static const enum mode modes[] = {NONE, NONE_TOO_OFTEN, UNAVAILABLE};

    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        start();
        be(0, modes[i]);
        be(1, modes[i]);
        world.active_after = 6;
        run("node|-list");
        ended(0, "", "");
        CU_ASSERT_EQUAL(lines(&ran.err), 0);
        stop();
    }
    start(); /* the RM that the standby names is gone */
    vanish(&fakes[0]);
    be(1, REDIRECT);
    world.active_after = 4;
    run("node|-list");
    ended(0, "", "");
    stop();
}

static void test_told_once(void)
{
    start();
    be(0, NONE);
    be(1, NONE);
    world.active_after =
        16; /* two a round: more than a second of pauses, whatever their random part */
    run("node|-list");
    ended(0, "", "creel: no ResourceManager is active; retrying\n");
    CU_ASSERT_EQUAL(lines(&ran.err), 1);
    stop();
}

/* A refusal of the request itself is reported at once, without asking the other RM. */
static void test_refused(void)
{
    start();
    be(0, REFUSES);
    be(1, REFUSES);
    run("node|-list");
    ended(1, "", "creel: it is null\n");
    CU_ASSERT_EQUAL(world.asked, 1);
    stop();
}

/* ---- repeating ---- */
static void test_lost_answers(void)
{
    start();
    world.lose_id = 1;
    world.lose_post = 3;
    run("job|submit|--task|true");
    ended(0, "application_1_", "");
    CU_ASSERT_EQUAL(world.jobs, 1);
    CU_ASSERT_EQUAL(world.posts, 4);
    CU_ASSERT_EQUAL(world.ids, 2);
    stop();
}

static void test_dies_after_post(void)
{
    start();
    be(1, NONE);
    world.dies_after_post = 0;
    run("job|submit|--task|true|--wait");
    ended(0, "SUCCEEDED", "");
    CU_ASSERT_EQUAL(world.jobs, 1);
    CU_ASSERT_EQUAL(world.posts, 2);
    stop();
}

static void test_conflict(void)
{
    start();
    world.job = base_strdup("{}");
    run("job|submit|--task|true");
    ended(2, "", "another body");
    CU_ASSERT_EQUAL(world.posts, 1);
    stop();
}

static void test_kill_repeated(void)
{
    start();
    world.lose_kill = 1;
    run("job|kill|application_1_0001");
    ended(0, "application_1_0001 KILLED\n", "");
    CU_ASSERT_EQUAL(world.kills, 2);
    run("job|kill|application_1_0001");
    ended(0, "has already finished (KILLED)", "");
    stop();
}

/* ---- progress over a failover ---- */
static void test_progress(void)
{
    static const int percents[] = {10, 30, 42, 0, 5, 35, 60, 80, 100};
    int last = 0, seen = 0;
    const char *at;

    start();
    be(1, NONE);
    world.percents = percents;
    world.failover_at = 3; /* 42 is what was shown last */
    run_on_terminal("job|submit|--task|true|--wait");
    CU_ASSERT_EQUAL(ran.status, 0);
    for (at = ran.out.data; (at = strstr(at, "%  ")); at++) {
        const char *digits = at;
        int percent;

        while (digits > ran.out.data && digits[-1] >= '0' && digits[-1] <= '9')
            digits--;
        percent = atoi(digits);
        CU_ASSERT_TRUE(percent >= last);
        last = percent;
        seen++;
    }
    CU_ASSERT_EQUAL(last, 100);
    CU_ASSERT_TRUE(seen >= 8);
    CU_ASSERT_PTR_NOT_NULL(strstr(ran.out.data, "SUCCEEDED"));
    CU_ASSERT_EQUAL(world.jobs, 1);
    stop();
}

/* Checks the output and the exit status of a command whose RM is lost while the command runs. */
static void run_until(int task_ends_at, int failover_at, bool forgets, bool decoy)
{
    char *rms, *words;

    start();
    rms = both();
    words = base_printf("run|--rm|%s|--|true", rms);
    be(1, NONE);
    world.task_ends_at = task_ends_at;
    world.failover_at = failover_at;
    world.forgets = forgets;
    world.decoy = decoy;
    run_with(words, NULL);
    ended(7, "one\ntwo\n", "");
    CU_ASSERT_STRING_EQUAL(ran.out.data, "one\ntwo\n");
    CU_ASSERT_TRUE(ran.err.len == 0 ||
                   decoy); /* while no RM can relay the output, that may be said */
    CU_ASSERT_EQUAL(fakes[1].mode, ACTIVE);
    CU_ASSERT_EQUAL(world.jobs, 1);
    free(rms);
    free(words);
    stop();
}

static void test_run(void)
{
    run_until(6, 3, false, false);
    run_until(6, 6, true, false); /* the next leader finds the job ended */
    run_until(6, 3, false, true);
}

/* Output that can be had neither from the node nor through the RMs is named, and the exit status is
 * 5. */
static void test_output_lost(void)
{
    char *rms, *words;

    start();
    rms = both();
    words = base_printf("run|--rm|%s|--|true", rms);
    world.task_ends_at = 2;
    world.decoy = world.no_logs = true;
    run_with(words, NULL);
    ended(5, "",
          "the stdout of container_1_0001_01_000002 is missing or incomplete (node " NODE ": ");
    ended(5, "", "the stderr of container_1_0001_01_000002 is missing");
    ended(5, "", "the command itself exited with status 7\n");
    CU_ASSERT_EQUAL(ran.out.len, 0);
    run("logs|application_1_0001");
    ended(5, "", "creel: missing: task_1_0001_m_000000 (container_1_0001_01_000002): node ");
    CU_ASSERT_EQUAL(ran.out.len, 0);
    run("logs|application_1_0001|-f");
    ended(5, "", "creel: missing: task_1_0001_m_000000 (container_1_0001_01_000002): node ");
    free(rms);
    free(words);
    stop();
}

/* A node that does not answer is asked for the log of one container, not of each container that ran
 * there. */
static void test_logs_of_a_silent_node(void)
{
    int relayed;

    start();
    world.task_ends_at = 1;
    world.decoy = world.no_logs = true;
    run("logs|application_1_0001");
    relayed = world.relayed;
    CU_ASSERT_TRUE(relayed > 0);
    world.more_tasks = 4;
    world.relayed = 0;
    run("logs|application_1_0001");
    ended(5, "", "creel: missing: task_1_0001_m_000004 (container_1_0001_01_000006): node ");
    CU_ASSERT_EQUAL(world.relayed, relayed);
    stop();
}

static void test_logs(void)
{
    start();
    be(1, NONE);
    world.task_ends_at = 5;
    world.failover_at = 2;
    run("logs|application_1_0001|-f");
    ended(0, "task_1_0001_m_000000| one\ntask_1_0001_m_000000| two\n", "");
    CU_ASSERT_EQUAL(fakes[1].mode, ACTIVE);
    CU_ASSERT_EQUAL(ran.err.len, 0);
    stop();
}

/* ---- administration ---- */
static char *configured(const char *command)
{
    return base_printf(
        "rmadmin|%s|-D|yarn.resourcemanager.ha.rm-ids=a,b|-D|yarn.resourcemanager.webapp.address.a="
        "127.0.0.1:%u|-D|yarn.resourcemanager.webapp.address.b=127.0.0.1:%u",
        command, fakes[0].port, fakes[1].port);
}

static void test_states(void)
{
    char text[128], *words;

    start();
    run("rmadmin|-getServiceState|rm-1");
    ended(0, "active\n", "");
    run("rmadmin|-getServiceState|rm-2|--json");
    ended(0, "\"state\":\"standby\"", "");
    run("rmadmin|-getServiceState|rm-3");
    ended(255, "", "rm-3 is not a valid serviceId. It should be one of rm-1 rm-2\n");
    run("rmadmin|-getServiceState");
    ended(255, "", "getServiceState: incorrect number of arguments");
    run("rmadmin|-transitionToActive|rm-2");
    ended(255, "", "Automatic failover is enabled for rm-2. Refusing to manually manage HA state");
    words = configured("-getServiceState|b");
    run_with(words, NULL);
    ended(0, "standby\n", "");
    free(words);
    vanish(&fakes[1]);
    run("rmadmin|-getAllServiceState");
    snprintf(text, sizeof text, "127.0.0.1:%u", fakes[0].port);
    ended(0, text, "");
    ended(0, " active    \n", "");
    ended(0, " Failed to connect: ", "");
    words = configured("-getServiceState|b");
    run_with(words, NULL);
    ended(255, "", "Operation failed: b does not answer at http://127.0.0.1:");
    free(words);
    stop();
}

static void test_failover(void)
{
    char *words;

    start();
    run("rmadmin|-failover|rm-2|rm-1");
    ended(1, "", "rm-2 is standby; the active ResourceManager is rm-1\n");
    run("rmadmin|-failover|rm-1|rm-1");
    ended(2, "", "to itself");
    run("rmadmin|-failover|rm-1|rm-2");
    ended(0, "Failover from rm-1 to rm-2 successful (", "");
    CU_ASSERT_EQUAL(fakes[1].mode, ACTIVE);
    words = configured("-failover|b|a|--json");
    run_with(words, NULL);
    ended(0, "\"active\":\"a\"", "");
    CU_ASSERT_EQUAL(fakes[0].mode, ACTIVE);
    free(words);
    run("rmadmin|-transitionToStandby|rm-2");
    ended(0, "standby\n", "");
    CU_ASSERT_EQUAL(fakes[0].mode, ACTIVE);
    run("rmadmin|-transitionToStandby|rm-1");
    ended(0, "standby\n", "");
    CU_ASSERT_EQUAL(fakes[1].mode, ACTIVE);
    CU_ASSERT_STRING_EQUAL(ran.err.data, "");
    vanish(&fakes[0]);
    run("rmadmin|-transitionToStandby|rm-2");
    ended(0, "standby\n",
          "creel: no other ResourceManager answers: if none takes over, rm-2 becomes active again "
          "after 10 s\n");
    stop();
}

static const struct cunit_case cases[] = {
    {"a dead RM is passed over", test_dead_first},
    {"a stopped RM is passed over", test_stopped_first},
    {"a redirect is followed", test_redirect},
    {"no running in circles", test_circle},
    {"no active RM for a while", test_no_active},
    {"the wait is said once", test_told_once},
    {"a refusal is not repeated", test_refused},
    {"lost answers, one job", test_lost_answers},
    {"the RM dies with the job taken", test_dies_after_post},
    {"another body is refused", test_conflict},
    {"a kill is repeated", test_kill_repeated},
    {"progress over a failover", test_progress},
    {"run over a failover", test_run},
    {"output that cannot be had", test_output_lost},
    {"logs of a node that cannot be asked", test_logs_of_a_silent_node},
    {"logs -f over a failover", test_logs},
    {"rmadmin: states", test_states},
    {"rmadmin: failover", test_failover},
};

int main(int argc, char **argv)
{
    int rc;

    if (argc < 2)
        return 2;
    creel = argv[1];
    rc = cunit_main("cli and several RMs", cases, sizeof cases / sizeof *cases);
    forget();
    free(world.job);
    return rc;
}
