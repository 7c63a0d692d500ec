/* tests/bench/sim_nodes.c - many NodeManagers that run nothing: the protocol of real ones over one
 * thread, so that a ResourceManager on this machine sees a large cluster.
 * Usage: sim_nodes RM_URLS SECRET_FILE NODES MAP_SLOTS REDUCE_SLOTS [TASK_MS]. Each node keeps one
 * request in flight (registration, or a heartbeat that the RM may hold), goes to the next RM when
 * one fails, follows redirections, and refuses epochs lower than the highest that any node has
 * seen. Containers run until they are killed, or with TASK_MS until the first heartbeat after that
 * time. On SIGUSR1, and at the end (SIGTERM), prints one line: "nodes registered N containers C
 * refused R epoch E". */
#include <curl/curl.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/crypto/signature.h"
#include "base/io/json.h"
#include "base/mem.h"
#include "base/version.h"

enum {
    HOLD_MS = 1000,
    REQUEST_MS = 14000,
    CONNECT_MS = 1000,
    PAUSE_MIN_MS = 50,
    PAUSE_MAX_MS = 1000,
    RMS_MAX = 8
};

struct container {
    char id[96], app[64], task[96];
    int64_t attempt, memory, vcores, priority, began_ms;
    bool reduce, master, done, killed;
};
struct node {
    int index;
    CURL *easy;
    struct curl_slist *headers;
    struct base_buf body, answer;
    char location[512], failed[512]; /* where a standby sent it; RM not reached */
    struct base_request_signature sent;
    char start[BASE_START_SIGNATURE_MAX];    /* of an RM, in its refusal of another start id */
    size_t at;                               /* RM asked */
    int64_t response_id, pause_ms, again_ms; /* again: when the next request is due, 0: in flight */
    bool registered;
    struct container *v;
    size_t len, cap;
};
static char *rms[RMS_MAX];
static size_t rms_n;
static struct base_key secret;
static struct base_keyring *keys; /* the same, and the start ids of the RMs */
static int map_slots, reduce_slots, task_ms;
static int64_t epoch_seen, refused;
static CURLM *multi;
static int epoll_fd, timer_fd;
static struct node *nodes;
static int nodes_n;

static int64_t now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static size_t on_body(char *data, size_t size, size_t n, void *arg)
{
    base_buf_add(&((struct node *)arg)->answer, data, size * n);
    return size * n;
}

static size_t on_header(char *data, size_t size, size_t n, void *arg)
{
    struct node *node = arg;
    size_t len = size * n;

    if (len > 10 && strncasecmp(data, "location: ", 10) == 0)
        snprintf(node->location, sizeof node->location, "%.*s", (int)strcspn(data + 10, "\r\n"),
                 data + 10);
    if (len > 15 && strncasecmp(data, BASE_START_HEADER ": ", 15) == 0)
        snprintf(node->start, sizeof node->start, "%.*s", (int)strcspn(data + 15, "\r\n"),
                 data + 15);
    return len;
}

static void put_containers(struct node *n, bool full)
{
    struct base_buf *b = &n->body;

    base_buf_adds(b, ",\"containers\":[");
    for (size_t i = 0; i < n->len; i++) {
        struct container *c = &n->v[i];

        if (task_ms > 0 && !c->master && now_ms() - c->began_ms >= task_ms)
            c->done = true;
        base_buf_addf(b,
                      "%s{\"id\":\"%s\",\"state\":\"%s\",\"slot\":\"%s\",\"progress\":0.5,"
                      "\"exitCode\":%d,\"startedMs\":1,"
                      "\"endedMs\":0,\"cpuMs\":1,\"maxRssKb\":1000,\"diagnostics\":\"\"",
                      i ? "," : "", c->id, c->done ? "complete" : "running",
                      c->reduce ? "reduce" : "map", c->killed ? 137 : 0);
        if (full) {
            base_buf_addf(b,
                          ",\"app\":\"%s\",\"user\":\"bench\",\"taskAttempt\":%lld,\"master\":%s,"
                          "\"memoryMb\":%lld,"
                          "\"vcores\":%lld,\"priority\":%lld",
                          c->app, (long long)c->attempt, c->master ? "true" : "false",
                          (long long)c->memory, (long long)c->vcores, (long long)c->priority);
            if (c->task[0])
                base_buf_addf(b, ",\"task\":\"%s\"", c->task);
        }
        base_buf_adds(b, "}");
    }
    base_buf_adds(b, "]}");
}

static void make_body(struct node *n)
{
    struct base_buf *b = &n->body;

    base_buf_clear(b);
    base_buf_addf(b, "{\"nodeId\":\"sim-%d:1\",\"instance\":\"one\"", n->index);
    if (!n->registered) {
        base_buf_addf(b,
                      ",\"httpAddress\":\"sim-%d:8042\",\"rack\":\"/"
                      "sim\",\"bootId\":\"b\",\"version\":\"" CREEL_VERSION "\","
                      "\"mapSlots\":%d,\"reduceSlots\":%d,\"epochSeen\":%lld,\"apps\":[]",
                      n->index, map_slots, reduce_slots, (long long)epoch_seen);
    } else {
        base_buf_addf(b,
                      ",\"responseId\":%lld,\"epochSeen\":%lld,\"healthy\":true,\"diskFreeMb\":"
                      "100000,\"holdMs\":%d,"
                      "\"healthReport\":\"\"",
                      (long long)n->response_id, (long long)epoch_seen, HOLD_MS);
    }
    put_containers(n, !n->registered);
}

static void send_request(struct node *n)
{
    char start_id[BASE_START_ID_MAX];
    struct base_buf authorization = {0};
    char url[1024], line[600];

    n->again_ms = 0;
    make_body(n);
    snprintf(url, sizeof url, "%s/ws/v1/nodetracker/%s", n->location[0] ? n->location : rms[n->at],
             n->registered ? "heartbeat" : "register");
    n->location[0] = '\0';
    base_buf_clear(&n->answer);
    curl_slist_free_all(n->headers);
    n->headers = curl_slist_append(NULL, "Content-Type: application/json");
    n->headers = curl_slist_append(n->headers, "Expect:");
    n->start[0] = '\0';
    base_server_starts_find(base_keyring_server_starts(keys), url, start_id);
    base_sign_request(&secret, "POST", url, start_id, n->body.data, n->body.len,
                      base_wall_us(&base_clock_real) / 1000, false, &n->sent);
    base_buf_adds(&authorization, "Authorization: ");
    base_request_signature_format(&n->sent, &authorization);
    n->headers = curl_slist_append(n->headers, authorization.data);
    base_buf_free(&authorization);
    if (n->failed[0]) {
        snprintf(line, sizeof line, "X-Creel-Failed: %s", n->failed);
        n->headers = curl_slist_append(n->headers, line);
    }
    curl_easy_setopt(n->easy, CURLOPT_URL, url);
    curl_easy_setopt(n->easy, CURLOPT_HTTPHEADER, n->headers);
    curl_easy_setopt(n->easy, CURLOPT_POSTFIELDS, n->body.data);
    curl_easy_setopt(n->easy, CURLOPT_POSTFIELDSIZE, (long)n->body.len);
    curl_multi_add_handle(multi, n->easy);
}

static const char *text(const json_t *o, const char *name)
{
    const char *s = json_string_value(json_object_get(o, name));

    return s ? s : "";
}

static int64_t number(const json_t *o, const char *name)
{
    return json_integer_value(json_object_get(o, name));
}

static struct container *find(struct node *n, const char *id)
{
    for (size_t i = 0; i < n->len; i++)
        if (strcmp(n->v[i].id, id) == 0)
            return &n->v[i];
    return NULL;
}

static void take_order(struct node *n, const json_t *o)
{
    const char *type = text(o, "type"), *id = text(o, "container");
    struct container *c = find(n, id);

    if (strcmp(type, "launch") == 0 && !c) {
        base_array_grow(&n->v, n->len, &n->cap);
        c = &n->v[n->len++];
        *c = (struct container){.began_ms = now_ms(),
                                .attempt = number(o, "taskAttempt"),
                                .memory = number(o, "memoryMb"),
                                .vcores = number(o, "vcores"),
                                .priority = number(o, "priority"),
                                .reduce = strcmp(text(o, "slot"), "reduce") == 0,
                                .master = strcmp(text(o, "kind"), "master") == 0};
        snprintf(c->id, sizeof c->id, "%s", id);
        snprintf(c->app, sizeof c->app, "%s", text(o, "app"));
        snprintf(c->task, sizeof c->task, "%s", text(o, "task"));
    } else if (strcmp(type, "kill") == 0 && c) {
        c->killed = !c->done;
        c->done = true;
    } else if (strcmp(type, "forget") == 0 && c) {
        *c = n->v[--n->len];
    } else if (strcmp(type, "resync") == 0) {
        n->registered = false;
    }
}

static void wait_then(struct node *n, bool failed)
{
    n->pause_ms = !failed                      ? 0
                  : n->pause_ms == 0           ? 1
                  : n->pause_ms < PAUSE_MIN_MS ? PAUSE_MIN_MS
                                               : n->pause_ms * 2;
    if (n->pause_ms > PAUSE_MAX_MS)
        n->pause_ms = PAUSE_MAX_MS;
    n->again_ms = now_ms() + n->pause_ms;
}

static void answered(struct node *n)
{
    json_t *j = json_loadb(n->answer.data ? n->answer.data : "", n->answer.len, 0, NULL), *o;
    bool was_registered = n->registered;
    int64_t epoch = number(j, "epoch");
    size_t i, orders = json_array_size(json_object_get(j, "orders"));

    if (epoch < epoch_seen) {
        refused++;
        n->registered = false;
        n->at = (n->at + 1) % rms_n;
        wait_then(n, true);
        json_decref(j);
        return;
    }
    epoch_seen = epoch;
    n->failed[0] = '\0';
    n->registered = true;
    n->response_id = number(j, "responseId");
    json_array_foreach(json_object_get(j, "orders"), i, o) take_order(n, o);
    wait_then(n, false);
    if (was_registered && orders == 0)
        n->again_ms += n->index % 20; /* an RM that does not hold answers is not flooded */
    json_decref(j);
}

/* An RM that has failed is named to the next RM, which then does not redirect the node there. */
static void finished(struct node *n, CURLcode code)
{
    char start_id[BASE_START_ID_MAX], *url = NULL;
    long status = 0;

    curl_easy_getinfo(n->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_multi_remove_handle(multi, n->easy);
    curl_easy_getinfo(n->easy, CURLINFO_EFFECTIVE_URL, &url);
    if (code == CURLE_OK && status == 401 &&
        base_read_signed_start_id(keys, n->start, &n->sent, start_id)) {
        base_server_starts_learn(base_keyring_server_starts(keys), url, start_id);
        wait_then(n, false);
        return;
    }
    if (code == CURLE_OK && status == 200) {
        answered(n);
        return;
    }
    if (code == CURLE_OK && status == 307 && n->location[0]) {
        char *slashes = strstr(n->location, "://");

        if (slashes)
            slashes[3 + strcspn(slashes + 3, "/?")] = '\0';
        for (size_t i = 0; i < rms_n; i++)
            if (strcmp(rms[i], n->location) == 0)
                n->at = i;
        n->location[0] = '\0';
        wait_then(n, strcmp(n->failed, rms[n->at]) == 0);
        return;
    }
    if (code != CURLE_OK)
        snprintf(n->failed, sizeof n->failed, "%s", rms[n->at]);
    n->at = (n->at + 1) % rms_n;
    wait_then(n, true);
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *user, void *per_socket)
{
    struct epoll_event ev = {.data.fd = fd};

    (void)easy;
    (void)user;
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(epoll_fd, EPOLL_CTL_DEL, fd, NULL);
        return 0;
    }
    ev.events = (what & CURL_POLL_IN ? EPOLLIN : 0u) | (what & CURL_POLL_OUT ? EPOLLOUT : 0u);
    if (epoll_ctl(epoll_fd, per_socket ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &ev) < 0 &&
        errno == EEXIST)
        epoll_ctl(epoll_fd, EPOLL_CTL_MOD, fd, &ev);
    curl_multi_assign(multi, fd, multi);
    return 0;
}

static int on_timer(CURLM *m, long ms, void *user)
{
    struct itimerspec its = {0};

    (void)m;
    (void)user;
    if (ms == 0)
        its.it_value.tv_nsec = 1;
    else if (ms > 0)
        its.it_value = (struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    timerfd_settime(timer_fd, 0, &its, NULL);
    return 0;
}

static void reap(void)
{
    CURLMsg *msg;
    int left;

    while ((msg = curl_multi_info_read(multi, &left)))
        if (msg->msg == CURLMSG_DONE) {
            struct node *n;
            CURLcode code = msg->data.result;

            curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, (char **)&n);
            finished(n, code);
        }
}

static void report(void)
{
    int registered = 0;
    size_t containers = 0;

    for (int i = 0; i < nodes_n; i++) {
        registered += nodes[i].registered;
        containers += nodes[i].len;
    }
    printf("nodes registered %d containers %zu refused %lld epoch %lld\n", registered, containers,
           (long long)refused, (long long)epoch_seen);
    fflush(stdout);
}

static void open_node(struct node *n, int index)
{
    n->index = index;
    n->at = 0;
    n->easy = curl_easy_init();
    n->again_ms = now_ms() + index % 100;
    curl_easy_setopt(n->easy, CURLOPT_PRIVATE, n);
    curl_easy_setopt(n->easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(n->easy, CURLOPT_WRITEDATA, n);
    curl_easy_setopt(n->easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(n->easy, CURLOPT_HEADERDATA, n);
    curl_easy_setopt(n->easy, CURLOPT_TIMEOUT_MS, (long)REQUEST_MS);
    curl_easy_setopt(n->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    curl_easy_setopt(n->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(n->easy, CURLOPT_TCP_NODELAY, 1L);
    curl_easy_setopt(n->easy, CURLOPT_POST, 1L);
}

/* Sends the requests that are due. Returns the milliseconds until the next one, at most 100. */
static int send_due(void)
{
    int64_t now = now_ms(), next = now + 100;

    for (int i = 0; i < nodes_n; i++)
        if (nodes[i].again_ms && nodes[i].again_ms <= now)
            send_request(&nodes[i]);
        else if (nodes[i].again_ms && nodes[i].again_ms < next)
            next = nodes[i].again_ms;
    return (int)(next - now);
}

static void loop(int signal_fd)
{
    struct epoll_event ev[256];
    int running;

    for (;;) {
        int n = epoll_wait(epoll_fd, ev, 256, send_due());

        for (int i = 0; i < n; i++) {
            if (ev[i].data.fd == signal_fd) {
                struct signalfd_siginfo si;

                if (read(signal_fd, &si, sizeof si) == sizeof si) {
                    report();
                    if (si.ssi_signo != SIGUSR1)
                        return;
                }
            } else if (ev[i].data.fd == timer_fd) {
                uint64_t times;

                if (read(timer_fd, &times, sizeof times) > 0)
                    curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
            } else {
                int mask = (ev[i].events & EPOLLIN ? CURL_CSELECT_IN : 0) |
                           (ev[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                           (ev[i].events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);

                curl_multi_socket_action(multi, ev[i].data.fd, mask, &running);
            }
        }
        reap();
    }
}

int main(int argc, char **argv)
{
    struct base_key of_file[BASE_SECRET_KEYS_MAX];
    struct base_error err;
    size_t keys_n;
    sigset_t set;
    int signal_fd;

    if (argc != 6 && argc != 7) {
        fprintf(stderr,
                "usage: sim_nodes RM_URLS SECRET_FILE NODES MAP_SLOTS REDUCE_SLOTS [TASK_MS]\n");
        return 2;
    }
    for (char *p = strtok(argv[1], ","); p && rms_n < RMS_MAX; p = strtok(NULL, ","))
        rms[rms_n++] = p;
    if (base_secret_file_read(argv[2], of_file, &keys_n, &err) < 0) {
        fprintf(stderr, "sim_nodes: %s\n", err.text);
        return 2;
    }
    secret = of_file[0];
    keys = base_keyring_new_of_key(&secret);
    nodes_n = atoi(argv[3]);
    map_slots = atoi(argv[4]);
    reduce_slots = atoi(argv[5]);
    task_ms = argc > 6 ? atoi(argv[6]) : 0;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal_fd = signalfd(-1, &set, SFD_CLOEXEC);
    epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, signal_fd,
              &(struct epoll_event){.events = EPOLLIN, .data.fd = signal_fd});
    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, timer_fd,
              &(struct epoll_event){.events = EPOLLIN, .data.fd = timer_fd});
    curl_global_init(CURL_GLOBAL_DEFAULT);
    multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)nodes_n * 2);
    nodes = base_alloc(sizeof *nodes * (size_t)nodes_n);
    for (int i = 0; i < nodes_n; i++)
        open_node(&nodes[i], i);
    loop(signal_fd);
    return 0;
}
