/* tests/bench/bench_recovery.c - how long a new leader takes from the first record to the first
 * heartbeat that it could answer: 10,000 live applications (1,000 of them with masters) with
 * 100,000 tasks of which half have ended, 1,000 nodes.
 *
 * A core makes the records: jobs over files in 8 splits of 3 replicas, with 3 reduces. The records
 * are kept in the memory store and read back as in the daemon. Not counted: the store's own
 * reading. CPU time of the process.
 *
 * Usage: bench_recovery [RUNS [large]]. Prints lines "name value unit". large: 100 jobs with 1,000
 * tasks each instead. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rm/daemon/daemon_internal.h"
#include "rm/http/app_json.h"
#include "rm/http/spec_json.h"
#include "rm/leader/load_store.h"
#include "tests/unit/stores.h"

#define NODES    1000
#define SLOTS    50
#define REPLICAS 3
#define START_US INT64_C(1700000000000000)

struct size {
    int jobs, apps, maps, reduces;
};
static const struct size many = {9000, 1000, 8, 3}, large = {100, 0, 900, 100};

struct node {
    int64_t response_id;
    struct rm_container_report reports[3 * SLOTS];
    size_t n;
};
struct row {
    char *table, *key, *data;
    size_t len, at;
};
struct bench {
    const struct size *size;
    struct rm_core *core;
    struct rm_core_conf conf;
    struct rm_effects fx;
    struct node nodes[NODES];
    struct row *rows;
    size_t rows_n, rows_cap;
    int64_t now;
    uint64_t token, seq;
};
static struct bench b;
static const int64_t counters[BASE_TASK_COUNTERS] = {1000000, 134217728, 1000000, 130000000};

static double cpu_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

/* ---------------------------------------------------------------- a cluster that works */
static void obey(struct node *n, const struct rm_effect *fx)
{
    n->response_id = fx->u.heartbeat.response_id;
    for (size_t i = 0; i < fx->u.heartbeat.orders_n; i++) {
        const struct rm_order *o = &fx->u.heartbeat.orders[i];

        if (o->kind == BASE_ORDER_LAUNCH)
            n->reports[n->n++] = (struct rm_container_report){.id = o->container,
                                                              .state = RM_CONTAINER_RUNNING,
                                                              .slot = o->slot,
                                                              .counters = counters};
        for (size_t j = 0; o->kind == BASE_ORDER_FORGET && j < n->n; j++)
            if (base_container_id_cmp(&n->reports[j].id, &o->container) == 0) {
                n->reports[j] = n->reports[--n->n];
                break;
            }
    }
}

static void keep(const struct rm_record *rec)
{
    base_array_grow(&b.rows, b.rows_n, &b.rows_cap);
    b.rows[b.rows_n] =
        (struct row){base_strdup(rec->table), base_strdup(rec->key), NULL, rec->len, b.rows_n};
    if (rec->data)
        b.rows[b.rows_n].data = base_strndup(rec->data, rec->len);
    b.rows_n++;
}

static void step(struct rm_event *ev, struct node *n)
{
    ev->at_us = b.now;
    b.fx.len = 0;
    rm_core_step(b.core, ev, &b.fx);
    for (size_t i = 0; i < b.fx.len; i++) {
        if (b.fx.v[i].kind == RM_FX_STORE) {
            b.seq = b.fx.v[i].u.store.seq;
            keep(&b.fx.v[i].u.store.record);
        } else if (b.fx.v[i].kind == RM_FX_HEARTBEAT && n) {
            obey(n, &b.fx.v[i]);
        }
    }
}

static void stored(void)
{
    struct rm_event ev = {.kind = RM_EV_STORED, .u.stored.seq = b.seq};

    step(&ev, NULL);
}

static void register_node(int i)
{
    char id[32], host[32], rack[32];
    struct rm_event ev = {.kind = RM_EV_NODE_REGISTER, .token = ++b.token};

    snprintf(id, sizeof id, "node%d:8042", i);
    snprintf(host, sizeof host, "node%d", i);
    snprintf(rack, sizeof rack, "/rack%d", i / 40);
    ev.u.node_register.node_id = ev.u.node_register.http_address = id;
    ev.u.node_register.host = host;
    ev.u.node_register.rack = rack;
    ev.u.node_register.version = "0.1.0";
    ev.u.node_register.boot_id = "boot";
    ev.u.node_register.instance = "instance";
    ev.u.node_register.map_slots = ev.u.node_register.reduce_slots = SLOTS;
    step(&ev, &b.nodes[i]);
}

/* Reports that all containers of the node have ended well, and takes new work. */
static void beat(int i)
{
    struct node *n = &b.nodes[i];
    char id[32];
    struct rm_event ev = {.kind = RM_EV_NODE_HEARTBEAT, .token = ++b.token};

    snprintf(id, sizeof id, "node%d:8042", i);
    for (size_t j = 0; j < n->n; j++)
        n->reports[j].state = RM_CONTAINER_COMPLETED;
    ev.u.heartbeat.node_id = id;
    ev.u.heartbeat.instance = "instance";
    ev.u.heartbeat.response_id = n->response_id;
    ev.u.heartbeat.healthy = true;
    ev.u.heartbeat.reports = n->reports;
    ev.u.heartbeat.reports_n = n->n;
    step(&ev, n);
    stored();
}

static struct rm_job_spec *job_spec(int i)
{
    static const struct rm_spec_defaults defaults = {
        .user = "ann", .split_size = 134217728, .max_attempts = 4};
    struct rm_job_spec *s = NULL;
    struct base_error err;
    char *text = base_printf(
        "{\"job\":{\"name\":\"job %d\",\"queue\":\"default\",\"input\":[\"file:///data/in/%d\"],"
        "\"map\":\"tr -s ' ' '\\\\n'\",\"reduce\":\"uniq -c\",\"reduces\":%d,"
        "\"output\":\"file:///data/out/%d\",\"env\":{\"LC_ALL\":\"C\"}}}",
        i, i, b.size->reduces, i);

    if (rm_spec_job_decode(text, strlen(text), &defaults, &s, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    free(text);
    s->paths.v = base_alloc(sizeof *s->paths.v);
    s->paths.v[0] = base_printf("/data/in/%d", i);
    s->paths.n = 1;
    s->splits_n = (size_t)b.size->maps;
    s->splits = base_alloc(s->splits_n * sizeof *s->splits);
    for (size_t m = 0; m < s->splits_n; m++) {
        struct rm_split_spec *sp = &s->splits[m];

        sp->offset = (int64_t)m * 134217728;
        sp->length = 134217728;
        sp->hosts.v = base_alloc(REPLICAS * sizeof *sp->hosts.v);
        for (; sp->hosts.n < REPLICAS; sp->hosts.n++)
            sp->hosts.v[sp->hosts.n] =
                base_printf("node%zu", ((size_t)i * 7 + m * 131 + sp->hosts.n * 37) % NODES);
    }
    return s;
}

static void set_up(struct base_app_id id)
{
    struct rm_event ev = {.kind = RM_EV_JOB_SET_UP};

    ev.u.job_done.id = id;
    ev.u.job_done.ok = true;
    step(&ev, NULL);
}

static void submit_job(int i)
{
    struct rm_event ev = {.kind = RM_EV_SUBMIT_JOB, .token = ++b.token};

    ev.u.submit_job.spec = job_spec(i);
    ev.u.submit_job.app_token = "0123456789abcdef0123456789abcdef";
    step(&ev, NULL);
    stored();
    for (size_t k = 0; k < b.fx.len; k++)
        if (b.fx.v[k].kind == RM_FX_JOB_SETUP) {
            set_up(b.fx.v[k].u.job.id);
            return;
        }
}

static void submit_app(int i)
{
    struct rm_event ev = {.kind = RM_EV_SUBMIT_APP, .token = ++b.token};
    char *text = base_printf(
        "{\"application-id\":\"application_1700000000000_%04d\",\"application-name\":\"app %d\","
        "\"queue\":\"default\",\"application-type\":\"YARN\","
        "\"am-container-spec\":{\"commands\":{\"command\":\"./master --port 0\"}},"
        "\"resource\":{\"memory\":1024,\"vCores\":1}}",
        i + 1, i);
    struct base_error err;

    if (rm_app_spec_from_stored_json(text, strlen(text), &ev.u.submit_app.spec, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    free(text);
    ev.u.submit_app.spec->id = (struct base_app_id){0}; /* the core gives one */
    ev.u.submit_app.app_token = "0123456789abcdef0123456789abcdef";
    step(&ev, NULL);
    stored();
}

static struct rm_core *new_core(const char *policy)
{
    struct base_error err;
    struct rm_core *core;

    b.conf = (struct rm_core_conf){.cluster_ts_ms = START_US / 1000 + b.conf.epoch,
                                   .rm_instance_ms = START_US / 1000,
                                   .epoch = b.conf.epoch,
                                   .policy = policy,
                                   .node_expiry_us = INT64_C(600000000),
                                   .heartbeat_us = 1000000,
                                   .am_expiry_us = INT64_C(600000000),
                                   .allocation_expiry_us = INT64_C(600000000),
                                   .slowstart = 0.05,
                                   .am_attempts_max = 2,
                                   .task_attempts_max = 4,
                                   .completed_apps_max = 1000,
                                   .slot_res = {{{2048, 1, 1, 0}}, {{2048, 1, 0, 1}}},
                                   .takeover_grace_us = 3000000,
                                   .prune_ended = true};
    core = rm_core_new(&b.conf, &err);
    if (!core) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    return core;
}

/* Runs a cluster until half of the tasks have a record. */
static void make_records(void)
{
    int64_t tasks = (int64_t)b.size->jobs * (b.size->maps + b.size->reduces), ended = 0;

    b.now = START_US;
    b.core = new_core("fifo");
    for (int i = 0; i < NODES; i++)
        register_node(i);
    for (int i = 0; i < b.size->apps; i++)
        submit_app(i);
    for (int i = 0; i < b.size->jobs; i++)
        submit_job(i);
    for (int round = 0; ended < tasks / 2; round++) {
        b.now += 1000;
        beat(round % NODES);
        ended = 0;
        if (round % NODES == 0) {
            for (size_t i = 0; i < b.rows_n; i++)
                ended += strcmp(b.rows[i].table, "task") == 0;
        }
    }
    rm_core_free(b.core);
}

/* ---------------------------------------------------------------- the store */
static int by_key(const void *x, const void *y)
{
    const struct row *a = x, *c = y;
    int d = strcmp(a->table, c->table);

    d = d ? d : strcmp(a->key, c->key);
    return d ? d : (a->at > c->at) - (a->at < c->at);
}

static struct ha_store *fill_store(void)
{
    struct ha_store *store;
    struct base_error err;
    int64_t epoch;
    size_t n = 0;

    qsort(b.rows, b.rows_n, sizeof *b.rows, by_key);
    if (ha_store_open(store_kind("memory"), "", NULL, &store, &epoch, &err) < 0)
        exit(1);
    for (size_t i = 0; i < b.rows_n; i++) {
        const struct row *r = &b.rows[i];
        bool newest =
            i + 1 == b.rows_n || strcmp(r->key, r[1].key) != 0 || strcmp(r->table, r[1].table) != 0;

        if (!newest || !r->data)
            continue;
        ha_store_write(store, &(struct ha_record){r->table, r->key, r->data, r->len}, 1, &err);
        n++;
    }
    printf("records %zu 1\n", n);
    return store;
}

/* ---------------------------------------------------------------- the new leader */
static int decode_one(void *user, const struct ha_record *stored_one, struct base_error *err)
{
    struct rm_record rec = {stored_one->table, stored_one->key, stored_one->data, stored_one->len};
    struct rm_job_spec *job = NULL;
    struct rm_app_spec *app = NULL;
    struct base_app_id id;
    const char *json;
    bool is_job;
    int rc = rm_record_find_app_json(&rec, &is_job, &json, &id, err);

    (void)user;
    if (rc == 0)
        rc = is_job ? rm_spec_job_from_stored_json(json, strlen(json), id, &job, err)
                    : rm_app_spec_from_stored_json(json, strlen(json), &app, err);
    rm_job_spec_unref(job);
    rm_app_spec_unref(app);
    return rc;
}

static void take_over(struct ha_store *store)
{
    struct rm_lease lease;
    struct base_error err = {0};
    double t[5];

    rm_lease_init(&lease);
    b.conf.epoch++;
    b.core = new_core("fair");
    t[0] = cpu_ms();
    if (ha_store_load(store, "app", decode_one, NULL, &err) < 0)
        goto fail;
    t[1] = cpu_ms();
    if (rm_load_records(b.core, store, &lease, &err) < 0)
        goto fail;
    t[2] = cpu_ms();
    b.fx.len = 0;
    rm_core_finish_recovery(b.core, b.now, &b.fx);
    t[3] = cpu_ms();
    for (int i = 0; i < NODES; i++) {
        b.nodes[i].n = 0;
        register_node(i);
    }
    t[4] = cpu_ms();
    printf("recovery_decode %.1f ms\n", t[1] - t[0]); /* of submissions: a part of the next one */
    printf("recovery_read %.1f ms\n", t[2] - t[1]);
    printf("recovery_begin %.1f ms\n", t[3] - t[2]);
    printf("recovery_all %.1f ms\n", t[3] - t[1]);
    printf("recovery_register_nodes %.1f ms\n", t[4] - t[3]);
    rm_core_free(b.core);
    return;
fail:
    fprintf(stderr, "%s\n", err.text);
    exit(1);
}

int main(int argc, char **argv)
{
    int runs = argc > 1 ? atoi(argv[1]) : 1;
    struct ha_store *store;

    b.size = argc > 2 && strcmp(argv[2], "large") == 0 ? &large : &many;
    make_records();
    store = fill_store();
    for (int i = 0; i < runs; i++)
        take_over(store);
    ha_store_close(store);
    for (size_t i = 0; i < b.rows_n; i++) {
        free(b.rows[i].table);
        free(b.rows[i].key);
        free(b.rows[i].data);
    }
    free(b.rows);
    free(b.fx.v);
    return 0;
}
