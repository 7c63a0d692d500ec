/* Any bytes as a ResourceManager's answer to its node, and as its answer about its role: refused
 * with a message, or orders of which each is obeyed, refused by name or counted as bad. The node's
 * next heartbeat is understood. */
#include <stdlib.h>
#include <string.h>

#include "nodemanager/daemon/leader_search.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_node.h"

#define STEPS_MAX 200 /* effects that are answered */

const char *const creel_fuzz_samples[] = {
    "{\"epoch\":1,\"responseId\":1,\"heartbeatMs\":1000,\"orders\":[{\"type\":\"launch\","
    "\"container\":"
    "\"container_e01_17_0001_01_000002\",\"kind\":\"map\",\"slot\":\"map\",\"user\":\"ann\","
    "\"token\":\"t\",\"name\":"
    "\"wc\",\"task\":\"task_17_0001_m_000000\",\"taskAttempt\":1,\"memoryMb\":1024,\"vcores\":1,"
    "\"priority\":20,"
    "\"allocationRequestId\":3},{\"type\":\"kill\",\"container\":\"container_e01_17_0001_01_"
    "000002\",\"reason\":\"r\","
    "\"graceMs\":250}]}",
    "{\"epoch\":1,\"responseId\":1,\"orders\":[{\"type\":\"launch\",\"container\":\"container_17_"
    "0001_01_000003\","
    "\"kind\":\"command\",\"slot\":\"reduce\",\"command\":\"true\"},{\"type\":\"suspend\","
    "\"container\":"
    "\"container_17_0001_01_000003\"},{\"type\":\"resume\",\"container\":\"container_17_0001_01_"
    "000003\"},"
    "{\"type\":\"forget\",\"container\":\"container_17_0001_01_000003\"},{\"type\":\"cleanup-app\","
    "\"app\":"
    "\"application_17_0001\",\"keepLogs\":true},{\"type\":\"resync\"},{\"type\":\"shutdown\","
    "\"reason\":\"s\"}]}",
    "{\"epoch\":1,\"responseId\":1,\"orders\":[{\"type\":\"launch\",\"container\":\"container_17_"
    "0001_01_000003\","
    "\"kind\":\"\\u00fc\\uffff\",\"command\":7}]}",
    "{\"role\":\"active\",\"epoch\":3,\"state\":\"leading\",\"haState\":\"ACTIVE\"}",
    NULL,
};

static void check_orders(const struct nm_answer *a)
{
    for (size_t i = 0; i < a->wire.orders_n; i++) {
        const struct nm_launch *l = &a->orders[i].launch;

        base_assert(a->orders[i].kind < BASE_ORDER_KINDS && a->orders[i].grace_ms >= 0);
        if (a->orders[i].kind == BASE_ORDER_LAUNCH)
            base_assert(l->user && l->token && l->order && (!l->refused || l->refused[0]));
    }
    base_assert(a->wire.bad == 0 || a->wire.bad_err.text[0]);
}

/* Lets each ordered container start, and every second one end. */
static void carry_out(struct nm_core *core, struct nm_effects *fx)
{
    struct base_container_id ids[STEPS_MAX];
    size_t n = 0;

    for (size_t i = 0; i < fx->len && n < STEPS_MAX; i++) {
        if (fx->v[i].kind == NM_FX_LAUNCH)
            ids[n++] = nm_core_view(fx->v[i].container)->id;
    }
    for (size_t i = 0; i < n; i++) {
        struct nm_event ev = {.kind = NM_EV_SPAWNED, .container = ids[i]};

        node_step(core, ev, fx);
        node_check_beat(core, fx);
        ev = (struct nm_event){.kind = NM_EV_ENDED, .container = ids[i]};
        ev.u.ended = (struct nm_end){.exit_code = 1, .diagnostics = "d"};
        if (i % 2 == 0)
            node_step(core, ev, fx);
        node_check_beat(core, fx);
    }
}

static void obey(const struct nm_answer *a)
{
    struct nm_core *core = nm_core_new(a->wire.epoch);
    struct nm_event ev = {.kind = NM_EV_ANSWER};
    struct nm_effects fx = {0};

    node_step(core, (struct nm_event){.kind = NM_EV_START}, &fx);
    ev.u.answer.epoch = a->wire.epoch; /* the registration is answered, then the first heartbeat */
    node_step(core, ev, &fx);
    ev.u.answer.response_id = a->wire.response_id;
    ev.u.answer.heartbeat_ms = a->wire.heartbeat_ms;
    ev.u.answer.orders = a->orders;
    ev.u.answer.n_orders = a->wire.orders_n;
    node_step(core, ev, &fx);
    node_check_beat(core, &fx);
    carry_out(core, &fx);
    nm_core_free(core);
    free(fx.v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = base_strndup((const char *)data, size); /* may be shorter: up to a NUL */
    struct nm_answer a;
    struct base_error err = {0};

    if (nm_wire_get_answer((const char *)data, size, 250, &a, &err) < 0) {
        base_assert(err.text[0] && err.code < 0);
    } else {
        check_orders(&a);
        obey(&a);
    }
    nm_answer_free(&a);
    (void)nm_ha_answer_shows_leader(text, strlen(text), 1);
    free(text);
    return 0;
}
