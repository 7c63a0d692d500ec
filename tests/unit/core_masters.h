/* tests/unit/core_masters.h - what the tests of application masters share: one application in a
 * small world, and the requests of its master. */
#ifndef CREEL_CORE_MASTERS_H
#define CREEL_CORE_MASTERS_H

#include "rm/core/state.h"
#include "tests/sim/core_world.h"
#include "tests/unit/cunit_main.h"

#define S INT64_C(1000000)

static struct world w;
static struct base_app_id id; /* the application */

static inline void master(int32_t attempt, enum rm_event_kind kind, struct rm_event *ev)
{
    ev->kind = kind;
    ev->token = ++w.token;
    /* @attempt is the first member of the three kinds of body: register, allocate and finish */
    ev->u.am_register.attempt = (struct base_attempt_id){id, attempt};
    world_step(&w, ev);
}

static inline void register_at(int32_t attempt, int32_t port)
{
    struct rm_event ev = {0};

    ev.u.am_register.host = "h";
    ev.u.am_register.rpc_port = port;
    ev.u.am_register.tracking_url = "http://h/";
    master(attempt, RM_EV_AM_REGISTER, &ev);
}

static inline void do_register(int32_t attempt)
{
    register_at(attempt, 99);
}

static inline void allocate(int64_t response_id, const struct rm_ask *asks, size_t n,
                            const struct base_container_id *releases, size_t releases_n)
{
    struct rm_event ev = {0};

    ev.u.am_allocate.response_id = response_id;
    ev.u.am_allocate.progress = 0.5f;
    ev.u.am_allocate.asks = asks;
    ev.u.am_allocate.asks_n = n;
    ev.u.am_allocate.releases = releases;
    ev.u.am_allocate.releases_n = releases_n;
    master(0, RM_EV_AM_ALLOCATE, &ev);
}

static inline void finish(enum rm_final_status status)
{
    struct rm_event ev = {0};

    ev.u.am_finish.status = status;
    ev.u.am_finish.diagnostics = "well done";
    master(0, RM_EV_AM_FINISH, &ev);
}

static inline struct rm_ask ask(const char *name, int32_t n)
{
    struct rm_launch *l = base_alloc(sizeof *l);

    l->refs = 1;
    return (struct rm_ask){.priority = 1,
                           .resource_name = name,
                           .capability = {{1024, 1, 0, 0}},
                           .containers = n,
                           .relax_locality = true,
                           .launch = l};
}

static inline void begin(const char *app)
{
    world_init(&w, "fifo");
    world_add_node(&w, 4, 2, "/a");
    world_add_node(&w, 4, 2, "/b");
    id = world_submit_app(&w, app);
    world_beat(&w, &w.nodes[0], 0);
    world_beat(&w, &w.nodes[0], 0);
}

static inline struct world_container *the_master(struct world_node **n)
{
    for (size_t i = 0; i < w.nodes_n; i++)
        for (size_t j = 0; j < w.nodes[i].n; j++)
            if (w.nodes[i].v[j].master && !w.nodes[i].v[j].ended) {
                *n = &w.nodes[i];
                return &w.nodes[i].v[j];
            }
    return NULL;
}

static inline void end(const struct base_container_id *ct, int32_t code)
{
    struct world_node *n;
    struct world_container *c = world_find(&w, ct, &n);

    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    c->ended = true;
    c->exit_code = code;
    world_beat(&w, n, 0);
}

static inline void end_master(int32_t code)
{
    struct world_node *n;
    struct world_container *m = the_master(&n);

    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    end(&m->id, code);
}

static inline struct rm_app *core_app(void)
{
    return rm_app_find(w.core, id);
}

/* Starts an application whose master gets one container beside its own, on the first node. Returns
 * that container's id. */
static inline struct base_container_id one_container(void)
{
    struct rm_ask asks[1];

    begin("app 1024 2 0");
    do_register(1);
    asks[0] = ask("*", 1);
    asks[0].allocation_request_id = 6;
    allocate(0, asks, 1, NULL, 0);
    world_beat(&w, &w.nodes[0], 0);
    allocate(1, NULL, 0, NULL, 0);
    CU_ASSERT_EQUAL_FATAL(w.reply.allocated_n, 1);
    return w.reply.allocated[0].id;
}

#endif
