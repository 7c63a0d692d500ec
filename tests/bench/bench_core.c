/* tests/bench/bench_core.c - assignments per second of the core alone, on a reference load:
 * 2,500 nodes x (2 + 2) slots, 100 jobs x (1,000 maps + 1,000 reduces), 20 queues, 3 replicas per
 * split.
 *
 * An assignment is the policy's answer, the core's step, and its share of heartbeat and completion:
 * each heartbeat ends up to 4 (or 1) of its node's running containers, reports all ended ones that
 * are not yet forgotten, and takes new work for the free slots. After every 64 heartbeats the store
 * acknowledges what was written. Times are CPU time of the process; once buffers and tables have
 * grown to their full size, no allocation is expected.
 *
 * Usage: bench_core [RUNS [plain|table [PART]]]. plain (the default) prints lines "name value
 * unit", table prints rows of a table. PART: only the cases whose name in the table ("fifo, 4")
 * contains it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "policies/options.h"
#include "rm/core/core.h"
#include "rm/core/view/view.h"
#include "tests/bench/allocations.h"

#define NODES  2500
#define JOBS   100
#define TASKS  1000
#define QUEUES 20
#define SLOTS  2
#define HELD   64 /* containers a node can hold here */

struct node {
    char id[32], host[32];
    int64_t response_id;
    struct base_container_id running[HELD];
    size_t n, ended; /* the first @ended ones have ended and wait to be forgotten */
};
struct bench {
    struct rm_core *core;
    struct rm_effects fx;
    struct node nodes[NODES];
    struct rm_container_report reports[HELD];
    int64_t now;
    uint64_t token, seq;
    int64_t launched;
};
static struct bench b;

static int64_t cpu_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

static void obey(struct node *n, const struct rm_effect *fx)
{
    n->response_id = fx->u.heartbeat.response_id;
    for (size_t i = 0; i < fx->u.heartbeat.orders_n; i++) {
        const struct rm_order *o = &fx->u.heartbeat.orders[i];

        if (o->kind == BASE_ORDER_LAUNCH) {
            n->running[n->n++] = o->container;
            b.launched++;
        } else if (o->kind == BASE_ORDER_FORGET) {
            for (size_t j = 0; j < n->ended; j++)
                if (n->running[j].num == o->container.num &&
                    n->running[j].attempt.app.seq == o->container.attempt.app.seq) {
                    memmove(n->running + j, n->running + j + 1,
                            (n->n - j - 1) * sizeof *n->running);
                    n->n--;
                    n->ended--;
                    break;
                }
        }
    }
}

static void step(struct rm_event *ev, struct node *n)
{
    ev->at_us = b.now;
    b.fx.len = 0;
    rm_core_step(b.core, ev, &b.fx);
    for (size_t i = 0; i < b.fx.len; i++) {
        if (b.fx.v[i].kind == RM_FX_STORE)
            b.seq = b.fx.v[i].u.store.seq;
        else if (b.fx.v[i].kind == RM_FX_HEARTBEAT && n)
            obey(n, &b.fx.v[i]);
    }
}

static void stored(void)
{
    struct rm_event ev = {.kind = RM_EV_STORED, .u.stored.seq = b.seq};

    step(&ev, NULL);
}

static void beat(struct node *n, size_t per_beat)
{
    struct rm_event ev = {.kind = RM_EV_NODE_HEARTBEAT, .token = ++b.token};
    size_t running = n->n - n->ended;

    n->ended += running < per_beat ? running : per_beat;
    for (size_t i = 0; i < n->ended; i++)
        b.reports[i] =
            (struct rm_container_report){.id = n->running[i], .state = RM_CONTAINER_COMPLETED};
    ev.u.heartbeat.node_id = n->id;
    ev.u.heartbeat.instance = "i";
    ev.u.heartbeat.response_id = n->response_id;
    ev.u.heartbeat.healthy = true;
    ev.u.heartbeat.health_report = "";
    ev.u.heartbeat.reports = b.reports;
    ev.u.heartbeat.reports_n = n->ended;
    step(&ev, n);
}

static void add_node(size_t i)
{
    struct node *n = &b.nodes[i];
    struct rm_event ev = {.kind = RM_EV_NODE_REGISTER, .token = ++b.token};

    snprintf(n->id, sizeof n->id, "node%zu:8042", i);
    snprintf(n->host, sizeof n->host, "node%zu", i);
    ev.u.node_register.node_id = ev.u.node_register.http_address = n->id;
    ev.u.node_register.host = n->host;
    ev.u.node_register.rack = "/default-rack";
    ev.u.node_register.version = "1";
    ev.u.node_register.boot_id = ev.u.node_register.instance = "i";
    ev.u.node_register.map_slots = ev.u.node_register.reduce_slots = SLOTS;
    step(&ev, n);
}

static uint64_t rng;

static size_t rnd(size_t below)
{
    rng = rng * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (size_t)(rng >> 33) % below;
}

static void add_job(int i)
{
    struct rm_event ev = {.kind = RM_EV_SUBMIT_JOB, .token = ++b.token};
    struct rm_job_spec *s = base_alloc(sizeof *s);

    s->refs = 1;
    s->name = base_strdup("reference");
    s->user = base_printf("user%d", i % QUEUES);
    s->queue = base_printf("q%d", i % QUEUES);
    s->max_attempts = 4;
    s->reduces = TASKS;
    s->splits_n = TASKS;
    s->splits = base_alloc(TASKS * sizeof *s->splits);
    s->paths.v = base_alloc(sizeof *s->paths.v);
    s->paths.v[0] = base_strdup("/in");
    s->paths.n = 1;
    for (size_t t = 0; t < TASKS; t++) {
        s->splits[t].length = 1;
        s->splits[t].hosts.v = base_alloc(3 * sizeof(char *));
        for (s->splits[t].hosts.n = 0; s->splits[t].hosts.n < 3; s->splits[t].hosts.n++)
            s->splits[t].hosts.v[s->splits[t].hosts.n] = base_printf("node%zu", rnd(NODES));
    }
    s->json = base_strdup("{}");
    ev.u.submit_job.spec = s;
    ev.u.submit_job.app_token = "0";
    step(&ev, NULL);
}

struct result {
    double per_second, allocations, local;
};

static struct result run(const char *policy, int64_t w_us, size_t per_beat)
{
    struct base_buf queues = {0}, wait = {0};
    struct policy_conf options = {0};
    struct rm_core_conf conf = {.cluster_ts_ms = 1,
                                .policy = policy,
                                .options = &options,
                                .node_expiry_us = INT64_C(3600000000),
                                .heartbeat_us = 3000000,
                                .am_expiry_us = 600000000,
                                .allocation_expiry_us = 600000000,
                                .slowstart = 0.05,
                                .am_attempts_max = 2,
                                .task_attempts_max = 4,
                                .slot_res = {{{2048, 1, 0, 0}}, {{2048, 1, 0, 0}}}};
    const int64_t all = (int64_t)JOBS * TASKS * 2, warm = all / 10, last = all - all / 10;
    struct rm_views v = {0};
    struct base_app_id cursor;
    int64_t begin = 0, end, counted = 0, allocated = 0, local = 0, maps = 0;

    for (int i = 0; i < QUEUES; i++)
        base_buf_addf(&queues, "%sq%d", i ? "," : "", i);
    conf.queues = queues.data;
    base_buf_addf(&wait, "%g", (double)w_us / 1e6);
    policy_conf_set(&options, "delay.w1", wait.data, NULL);
    policy_conf_set(&options, "delay.w2", wait.data, NULL);
    memset(&b, 0, sizeof b);
    rng = 1;
    b.now = 1000000;
    b.core = rm_core_new(&conf, NULL);
    base_buf_free(&queues);
    base_buf_free(&wait);
    for (size_t i = 0; i < NODES; i++)
        add_node(i);
    for (int i = 0; i < JOBS; i++)
        add_job(i);
    stored();
    for (size_t i = 0; b.launched < last; i++) {
        b.now += 1200; /* 2,500 nodes, each beats every 3 s */
        beat(&b.nodes[i % NODES], per_beat);
        if (i % 64 == 63)
            stored();
        if (!begin && b.launched >= warm) {
            begin = cpu_ns();
            counted = b.launched;
            allocated = allocations;
        }
    }
    end = cpu_ns();
    allocated = allocations - allocated;
    counted = b.launched - counted;
    rm_view_apps(b.core, NULL, NULL, JOBS, &v, &cursor);
    for (size_t i = 0; i < v.apps_n; i++) {
        local += v.apps[i].counters[RM_C_DATA_LOCAL_MAPS];
        maps += v.apps[i].counters[RM_C_TOTAL_LAUNCHED_MAPS];
    }
    rm_views_free(&v);
    rm_core_free(b.core);
    free(b.fx.v);
    return (struct result){.per_second = (double)counted * 1e9 / (double)(end - begin),
                           .allocations = (double)allocated / (double)counted,
                           .local = 100.0 * (double)local / (double)maps};
}

static bool table;
static const char *only; /* only cases whose name contains this; NULL: all */

static int by_speed(const void *x, const void *y)
{
    double a = ((const struct result *)x)->per_second, c = ((const struct result *)y)->per_second;

    return (a > c) - (a < c);
}

static void line(const char *name, const char *policy, int64_t w_us, size_t per_beat, int runs)
{
    struct result *r;

    if (only && !strstr(name, only))
        return;
    r = base_alloc((size_t)runs * sizeof *r);
    for (int i = 0; i < runs; i++)
        r[i] = run(policy, w_us, per_beat);
    qsort(r, (size_t)runs, sizeof *r, by_speed);
    if (table)
        printf("| %-38s | %12.0f | %10.4f | %8.1f |\n", name, r[runs / 2].per_second,
               r[runs / 2].allocations, r[runs / 2].local);
    else
        printf("core_%s%s_%zu_per_beat %.0f 1/s\ncore_%s%s_%zu_allocations %.4f per_assignment\n",
               policy, w_us ? "_delay" : "", per_beat, r[runs / 2].per_second, policy,
               w_us ? "_delay" : "", per_beat, r[runs / 2].allocations);
    fflush(stdout);
    free(r);
}

/* Measures a reference for the other figures: a read that depends on the one before, anywhere in 16
 * MB, as the core's reads do with 200,000 tasks. */
static double read_ns(void)
{
    enum { PLACES = 1 << 22, READS = 1 << 21 };
    uint32_t *next = base_alloc(PLACES * sizeof *next), at = 0;
    int64_t begin;
    double ns;

    for (uint32_t i = 0; i < PLACES; i++)
        next[i] = i;
    for (uint32_t i = PLACES - 1; i > 0; i--) { /* Sattolo: one cycle through all */
        uint32_t j = (uint32_t)rnd(i), t = next[i];

        next[i] = next[j];
        next[j] = t;
    }
    begin = cpu_ns();
    for (int i = 0; i < READS; i++)
        at = next[at];
    ns = (double)(cpu_ns() - begin) / READS;
    free(next);
    return at == PLACES ? 0 : ns;
}

int main(int argc, char **argv)
{
    int runs = argc > 1 ? atoi(argv[1]) : 5;

    runs = runs > 0 ? runs : 1;
    table = argc > 2 && strcmp(argv[2], "table") == 0;
    only = argc > 3 ? argv[3] : NULL;
    if (table)
        printf("core alone: 2,500 nodes x (2+2), 100 jobs x (1,000+1,000), 20 queues; median of "
               "%d, CPU time\n\n",
               runs);
    if (table)
        printf("| %-38s | %12s | %10s | %8s |\n", "policy, ends per heartbeat", "assigned/s",
               "allocs per", "local %");
    if (table)
        printf("|%s|%s|%s|%s|\n", "----------------------------------------",
               "-------------:", "-----------:", "---------:");
    if (!table && !only)
        printf("core_reference_read %.0f ns\n", read_ns());
    line("fifo, 4", "fifo", 0, 4, runs);
    line("fifo + delay 5 s, 4", "fifo", 5000000, 4, runs);
    line("naive-fair, 4", "naive-fair", 0, 4, runs);
    line("naive-fair + delay 5 s, 4", "naive-fair", 5000000, 4, runs);
    line("fifo, 1", "fifo", 0, 1, runs);
    line("naive-fair + delay 5 s, 1", "naive-fair", 5000000, 1, runs);
    return 0;
}
