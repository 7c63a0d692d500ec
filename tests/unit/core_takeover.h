/* tests/unit/core_takeover.h - what the tests of takeovers share: a run whose records are all
 * stored, nodes that fall silent and register again, a leader that is started again with the
 * records. */
#ifndef CREEL_CORE_TAKEOVER_H
#define CREEL_CORE_TAKEOVER_H

#include "rm/core/state.h"
#include "rm/core/view/view.h"
#include "tests/sim/core_world.h"
#include "tests/unit/cunit_main.h"

#define S INT64_C(1000000)

static struct world w;

/* Makes @nodes nodes, each with two map slots and one reduce slot, and submits @job, which begins
 * on all of them. */
static inline struct base_app_id begin(int nodes, const char *job)
{
    struct base_app_id id;

    world_init(&w, "fifo");
    w.conf.takeover_grace_us = 3 * S;
    world_renew(&w);
    for (int i = 0; i < nodes; i++)
        world_add_node(&w, 2, 1, NULL);
    id = world_submit(&w, job);
    world_beat_all(&w, 0);
    world_beat_all(&w, 0);
    return id;
}

/* Starts the RM again with all records. The node @silent (NULL: none) sends nothing from now on;
 * the other nodes register. */
static inline void take_over(struct world_node *silent)
{
    if (silent) {
        silent->up = false;
        silent->token = 0;
    }
    world_crash(&w, w.journal_n);
    world_beat_all(&w, 0);
}

static inline void pass(int seconds)
{
    for (int i = 0; i < seconds; i++) {
        world_advance(&w, S);
        world_beat_all(&w, 0);
    }
}

static inline void come_back(struct world_node *n)
{
    n->up = true;
    n->registered = false;
    n->response_id = 0;
    world_beat(&w, n, 0);
}

static inline void end_task(struct world_node *n, size_t i, int32_t code)
{
    n->v[i].ended = true;
    n->v[i].exit_code = code;
}

static inline bool commit(struct world_container ct)
{
    struct rm_event ev = {.kind = RM_EV_TASK_COMMIT, .token = ++w.token};

    ev.u.task_commit.task = ct.task;
    ev.u.task_commit.attempt = ct.attempt;
    world_step(&w, &ev);
    return w.reply.kind == RM_REPLY_FLAG && w.reply.flag;
}

static inline struct world_container *attempt_on(struct world_node *n, struct base_app_id app,
                                                 int32_t index)
{
    for (size_t i = 0; i < n->n; i++)
        if (n->v[i].task.index == index && base_app_id_cmp(&n->v[i].task.app, &app) == 0)
            return &n->v[i];
    return NULL;
}

static inline struct rm_phase_view maps(struct base_app_id id)
{
    return world_app(&w, id).phase[BASE_TASK_MAP];
}

static inline void succeeds(struct base_app_id id)
{
    world_run_dry(&w);
    pass(70);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FINISHED);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
}

static inline enum rm_node_state state_of(int i)
{
    struct rm_views v = {0};
    enum rm_node_state s;

    CU_ASSERT_EQUAL(rm_view_node(w.core, w.nodes[i].id, &v), 0);
    s = v.nodes[0].state;
    rm_views_free(&v);
    return s;
}

#endif
