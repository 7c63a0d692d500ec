/* tests/bench/bench_ha_log.c - the log of records in ZooKeeper by itself: CPU time of our own code.
 * A simulated server answers from memory at once and is not measured.
 *
 * State: 10,000 applications of 1.5 KB and 100,000 tasks of 120 bytes. The state is loaded; then
 * batches of 100 records are written, which overwrite, remove and make tasks anew, so that cleaning
 * has to keep pace. Time spent in the server is taken off.
 *
 * Usage: bench_ha_log [RUNS]. Prints lines "name value unit". */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "ha/log/log.h"
#include "tests/bench/allocations.h"

#define APPS   10000
#define TASKS  100000
#define BATCH  100
#define WRITES 1000000
#define QUEUE  256

static int64_t cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static struct { /* the server: nodes by number, and requests that are to be answered */
    struct node {
        char *data;
        size_t len;
    } * node;
    size_t nodes, cap;
    struct {
        enum ha_zk_request_kind kind;
        uint64_t id, number;
    } queue[QUEUE];
    size_t head, tail;
    int64_t multis, ns, allocations;
    uint64_t written;
    bool loaded;
} s;

static uint64_t number_of(const char *path)
{
    return strtoull(strrchr(path, '/') + 1, NULL, 10);
}

static void carry_out(const struct ha_zk_op *op)
{
    uint64_t number = number_of(op->path);

    if (op->kind == HA_ZK_DELETE) {
        free(s.node[number].data);
        s.node[number].data = NULL;
    }
    if (op->kind != HA_ZK_CREATE)
        return;
    while (s.nodes <= number) {
        base_array_grow(&s.node, s.nodes, &s.cap);
        s.node[s.nodes++] = (struct node){0};
    }
    s.node[number].len = op->len;
    s.node[number].data = base_realloc_array(NULL, op->len + 1, 1);
    memcpy(s.node[number].data, op->data, op->len);
    s.node[number].data[op->len] = '\0';
}

static void send(void *user, const struct ha_zk_request *rq)
{
    int64_t before = cpu_ns(), count = allocations;

    (void)user;
    base_assert(s.tail - s.head < QUEUE);
    s.queue[s.tail % QUEUE].kind = rq->kind;
    s.queue[s.tail % QUEUE].id = rq->id;
    s.queue[s.tail++ % QUEUE].number = rq->kind == HA_ZK_GET ? number_of(rq->path) : 0;
    s.multis += rq->kind == HA_ZK_MULTI;
    for (size_t i = 0; i < rq->ops_n; i++)
        carry_out(&rq->ops[i]);
    s.ns += cpu_ns() - before;
    s.allocations += allocations - count;
}

static void list(struct ha_log *l, struct ha_zk_event *ev)
{
    int64_t before = cpu_ns();
    char(*names)[24] = base_alloc((s.nodes + 1) * sizeof *names);
    const char **v = base_alloc((s.nodes + 1) * sizeof *v);
    size_t n = 0;

    for (size_t i = 1; i < s.nodes; i++)
        if (s.node[i].data) {
            snprintf(names[n], sizeof *names, "%010zu", i);
            v[n] = names[n];
            n++;
        }
    ev->children = v;
    ev->children_n = n;
    s.ns += cpu_ns() - before;
    ha_log_on_event(l, ev);
    free(v);
    free(names);
}

static void answer_all(struct ha_log *l)
{
    while (s.head < s.tail) {
        uint64_t number = s.queue[s.head % QUEUE].number;
        struct ha_zk_event ev = {.kind = HA_ZK_RESULT,
                                 .owner = HA_ZK_FOR_LOG,
                                 .id = s.queue[s.head % QUEUE].id,
                                 .asked = s.queue[s.head % QUEUE].kind,
                                 .failed_op = -1};

        s.head++;
        if (ev.asked == HA_ZK_CHILDREN) {
            list(l, &ev);
            continue;
        }
        if (ev.asked == HA_ZK_GET) {
            ev.data = s.node[number].data;
            ev.len = s.node[number].len;
        }
        ha_log_on_event(l, &ev);
    }
}

static void loaded(void *user, int rc, const struct base_error *err)
{
    (void)user;
    if (rc < 0)
        fprintf(stderr, "%s\n", err->text);
    s.loaded = rc == 0;
}

static void written(void *user, uint64_t batch)
{
    (void)user;
    s.written = batch;
}

static void fenced(void *user, const char *text)
{
    (void)user;
    fprintf(stderr, "%s\n", text);
    exit(1);
}

static void broken(void *user, const struct base_error *err)
{
    fenced(user, err->text);
}

static struct ha_log *open_log(int64_t epoch)
{
    const struct ha_log_calls calls = {NULL, send, loaded, written, fenced, broken};
    struct ha_log *l = ha_log_new("/creel/bench", epoch, 1, &calls);

    ha_log_start_loading(l);
    answer_all(l);
    base_assert(s.loaded);
    return l;
}

static char data[2000];

static void task_key(uint32_t task, char out[64])
{
    snprintf(out, 64, "application_1700000000000_%05" PRIu32 ".m.%06" PRIu32, task / 10, task % 10);
}

static void fill(struct ha_log *l)
{
    char key[64];

    for (uint32_t i = 0; i < APPS + TASKS; i++) {
        if (i < TASKS)
            task_key(i, key);
        else
            snprintf(key, sizeof key, "application_1700000000000_%05" PRIu32, i - TASKS);
        ha_log_write_batch(
            l, &(struct ha_record){i < TASKS ? "task" : "app", key, data, i < TASKS ? 120 : 1500},
            1);
        if (i % BATCH == 0)
            answer_all(l);
    }
    answer_all(l);
}

static int count(void *user, const struct ha_record *rec, struct base_error *err)
{
    (void)err;
    (void)rec;
    ++*(int64_t *)user;
    return 0;
}

static void load(int64_t epoch)
{
    int64_t before = cpu_ns(), served = s.ns, records = 0, bytes = 0;
    struct ha_log *l = open_log(epoch);
    int64_t read = cpu_ns();
    struct ha_log_stats st;

    ha_log_for_each_record(l, "app", count, &records, NULL);
    ha_log_for_each_record(l, "task", count, &records, NULL);
    base_assert(records == APPS + TASKS);
    printf("log_load_ms %.1f ms\n", (double)(cpu_ns() - before - (s.ns - served)) / 1e6);
    printf("log_load_order_ms %.1f ms\n", (double)(cpu_ns() - read) / 1e6);
    ha_log_free_loaded_data(l);
    ha_log_get_stats(l, &st);
    for (size_t i = 1; i < s.nodes; i++)
        bytes += s.node[i].data ? (int64_t)s.node[i].len : 0;
    printf("log_state_bytes %" PRId64 " bytes\n", bytes);
    printf("log_state_segments %" PRId64 " segments\n", st.segments);
    ha_log_free(l);
}

/* Writes batches about random tasks: every fourth record removes its task, the others write it. */
static void write_on(struct ha_log *l)
{
    static char keys[BATCH][64];
    struct ha_record v[BATCH];
    int64_t ns = 0, served = s.ns, multis = s.multis, before_allocations, mine = 0;
    uint32_t rng = 1;
    struct ha_log_stats st, before;

    ha_log_get_stats(l, &before);
    for (int n = 0; n < WRITES / BATCH; n++) {
        int64_t t, own;
        for (int i = 0; i < BATCH; i++) {
            rng = rng * 1664525u + 1013904223u;
            task_key((rng >> 8) % TASKS, keys[i]);
            v[i] = (struct ha_record){"task", keys[i], i % 4 == 3 ? NULL : data, 120};
        }
        own = s.allocations;
        before_allocations = allocations;
        t = cpu_ns();
        ha_log_write_batch(l, v, BATCH);
        answer_all(l);
        ns += cpu_ns() - t;
        mine += allocations - before_allocations - (s.allocations - own);
    }
    base_assert(s.written == (uint64_t)(APPS + TASKS) + WRITES / BATCH);
    ha_log_get_stats(l, &st);
    printf("log_write_ns %.0f ns/record\n", (double)(ns - (s.ns - served)) / WRITES);
    printf("log_write_allocations %.3f per record\n", (double)mine / WRITES);
    printf("log_multis %.2f per 1000 records\n", (double)(s.multis - multis) * 1000 / WRITES);
    printf("log_written_again %.2f records per record\n",
           (double)(st.records - before.records) / WRITES - 1);
    printf("log_segments_held %" PRId64 " segments\n", st.segments);
}

int main(int argc, char **argv)
{
    int runs = argc > 1 ? atoi(argv[1]) : 5;

    memset(data, 'x', sizeof data);
    for (int run = 0; run < runs; run++) {
        struct ha_log *l = open_log(1);

        ha_log_free_loaded_data(l);
        fill(l);
        load(2);
        write_on(l);
        ha_log_free(l);
        for (size_t i = 0; i < s.nodes; i++)
            free(s.node[i].data);
        free(s.node);
        memset(&s, 0, sizeof s);
    }
    return 0;
}
