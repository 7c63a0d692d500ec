/* tests/bench/bench_wire.c - what the messages of a heartbeat cost: CPU time per message, with 20
 * containers in the request and 10 launch orders in the answer, as a node with 20 slots and short
 * tasks has them.
 *
 * Usage: bench_wire [ROUNDS]. Under "valgrind --tool=callgrind --toggle-collect=FUNCTION" the
 * instructions of one part are counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nodemanager/daemon/wire.h"
#include "rm/http/node_json.h"
#include "rm/http/spec_json.h"

#define CONTAINERS 20
#define LAUNCHES   10

static const struct rm_order_context context = {.rm_urls = "http://rm1:8088,http://rm2:8088",
                                                .sort_buffer_mb = 64};
static const struct nm_ident ident = {"node17.example.org:8042",
                                      "node17.example.org:8042",
                                      "/rack3",
                                      "00000000000000000000000000000001",
                                      "boot",
                                      20,
                                      10,
                                      0,
                                      0};

static void step(struct nm_core *core, struct nm_event ev, struct nm_effects *fx)
{
    ev.at_us = 1000000;
    fx->len = 0;
    nm_core_step(core, &ev, fx);
}

static struct base_container_id container(int n)
{
    return (struct base_container_id){{{1700000000123, 17}, 1}, (INT64_C(3) << 40) | (n + 2)};
}

/* A node that has run twenty maps to their end. */
static struct nm_core *node_with_ends(struct nm_effects *fx)
{
    struct nm_core *core = nm_core_new(1);
    struct nm_order orders[CONTAINERS] = {0};
    struct nm_event answer = {.kind = NM_EV_ANSWER};

    for (int i = 0; i < CONTAINERS; i++) {
        orders[i].launch.id = container(i);
        orders[i].launch.user = "ann";
        orders[i].launch.token = "t";
        orders[i].launch.task = "task_1700000000123_0017_m_000003";
    }
    step(core, (struct nm_event){.kind = NM_EV_START}, fx);
    answer.u.answer.epoch = 1;
    step(core, answer, fx);
    answer.u.answer.response_id = 1;
    answer.u.answer.orders = orders;
    answer.u.answer.n_orders = CONTAINERS;
    step(core, answer, fx);
    for (int i = 0; i < CONTAINERS; i++) {
        struct nm_event ev = {.kind = NM_EV_SPAWNED, .container = container(i)};

        step(core, ev, fx);
        ev = (struct nm_event){.kind = NM_EV_ENDED, .container = container(i)};
        ev.u.ended =
            (struct nm_end){.started_ms = 1700000001000,
                            .ended_ms = 1700000002000,
                            .cpu_ms = 123,
                            .max_rss_kb = 45678,
                            .output_bytes = 1234567,
                            .counters = "{\"MAP_INPUT_RECORDS\":1000,\"MAP_INPUT_BYTES\":123456,"
                                        "\"SPILLED_RECORDS\":1000,\"CPU_MILLIS\":123}"};
        step(core, ev, fx);
    }
    return core;
}

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) void bench_put_heartbeat(struct nm_core *core, struct base_buf *out)
{
    base_buf_clear(out);
    nm_wire_put_heartbeat(core, &ident, 1000, &(struct nm_wire_logs){0}, NULL, out);
}

__attribute__((noinline)) void bench_get_heartbeat(const struct base_buf *in)
{
    struct rm_node_message m;

    if (rm_node_decode_heartbeat(in->data, in->len, &m, NULL) == 0)
        rm_node_message_free(&m);
}

__attribute__((noinline)) void bench_put_answer(const struct rm_effect *fx, struct base_buf *out)
{
    base_buf_clear(out);
    rm_heartbeat_answer_encode(fx, "c", &context, out);
}

__attribute__((noinline)) void bench_get_answer(const struct base_buf *in)
{
    struct nm_answer a;

    if (nm_wire_get_answer(in->data, in->len, 250, &a, NULL) == 0)
        nm_answer_free(&a);
}

static struct rm_job_spec *job(void)
{
    static const char body[] = "{\"job\":{\"name\":\"wc\",\"env\":{\"LC_ALL\":\"C\",\"K\":\"v\"},"
                               "\"tasks\":[{\"command\":\"wc -l < input.txt\",\"count\":10}]}}";
    const struct rm_spec_defaults d = {.user = "ann", .split_size = 1, .max_attempts = 4};
    struct rm_job_spec *spec = NULL;

    if (rm_spec_job_decode(body, strlen(body), &d, &spec, NULL) < 0)
        abort();
    return spec;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 20000;
    struct nm_effects fx = {0};
    struct nm_core *core = node_with_ends(&fx);
    struct rm_job_spec *spec = job();
    struct rm_order orders[LAUNCHES] = {0};
    struct rm_effect answer = {.kind = RM_FX_HEARTBEAT};
    struct base_buf beat = {0}, text = {0};
    double at[5];

    for (int i = 0; i < LAUNCHES; i++) {
        orders[i] = (struct rm_order){
            .container = container(i), .user = "ann", .name = "wc", .token = "secret"};
        orders[i].app = orders[i].container.attempt.app;
        orders[i].job = spec;
        orders[i].task = (struct base_task_id){orders[i].app, 0, i};
        orders[i].resource.v[RM_RES_MEMORY_MB] = 1024;
    }
    answer.u.heartbeat.epoch = 3;
    answer.u.heartbeat.interval_us = 1000000;
    answer.u.heartbeat.orders = orders;
    answer.u.heartbeat.orders_n = LAUNCHES;
    at[0] = now_s();
    for (int i = 0; i < rounds; i++)
        bench_put_heartbeat(core, &beat);
    at[1] = now_s();
    for (int i = 0; i < rounds; i++)
        bench_get_heartbeat(&beat);
    at[2] = now_s();
    for (int i = 0; i < rounds; i++)
        bench_put_answer(&answer, &text);
    at[3] = now_s();
    for (int i = 0; i < rounds; i++)
        bench_get_answer(&text);
    at[4] = now_s();
    printf("| message | bytes | us |\n|---|---|---|\n");
    for (int i = 0; i < 4; i++) {
        static const char *const names[] = {"heartbeat written", "heartbeat read", "answer written",
                                            "answer read"};

        printf("| %s | %zu | %.2f |\n", names[i], i < 2 ? beat.len : text.len,
               (at[i + 1] - at[i]) * 1e6 / rounds);
    }
    nm_core_free(core);
    rm_job_spec_unref(spec);
    base_buf_free(&beat);
    base_buf_free(&text);
    free(fx.v);
    return 0;
}
