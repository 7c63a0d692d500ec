/* tests/unit/nm_core_world.h - a NodeManager's pure core with the effects of its last step, and
 * functions that send it orders and other events. */
#ifndef CREEL_TESTS_NM_CORE_WORLD_H
#define CREEL_TESTS_NM_CORE_WORLD_H

#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "nodemanager/core/core.h"

struct world {
    struct nm_core *core;
    struct nm_effects fx;
    int64_t now;
};

static inline struct base_container_id cid(int app, int n)
{
    struct base_container_id id;
    memset(&id, 0, sizeof id);
    id.attempt.app.cluster_ts = 1;
    id.attempt.app.seq = app;
    id.attempt.attempt = 1;
    id.num = n;
    return id;
}

static inline void world_new(struct world *w)
{
    *w = (struct world){.core = nm_core_new(0), .now = 1000000};
}

static inline void world_free(struct world *w)
{
    nm_core_free(w->core);
    free(w->fx.v);
}

static inline void step(struct world *w, struct nm_event ev)
{
    ev.at_us = w->now;
    w->fx.len = 0;
    nm_core_step(w->core, &ev, &w->fx);
}

static inline size_t count(const struct world *w, enum nm_effect_kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < w->fx.len; i++)
        n += w->fx.v[i].kind == kind;
    return n;
}

static inline const struct nm_effect *find(const struct world *w, enum nm_effect_kind kind)
{
    for (size_t i = 0; i < w->fx.len; i++) {
        if (w->fx.v[i].kind == kind)
            return &w->fx.v[i];
    }
    return NULL;
}

static inline size_t signals(const struct world *w, enum nm_signal s)
{
    size_t n = 0;
    for (size_t i = 0; i < w->fx.len; i++)
        n += w->fx.v[i].kind == NM_FX_SIGNAL && w->fx.v[i].signal == s;
    return n;
}

static inline void answer(struct world *w, int64_t epoch, const struct nm_order *orders, size_t n)
{
    struct nm_event ev = {.kind = NM_EV_ANSWER};
    if (epoch > nm_core_epoch(w->core))
        step(w, (struct nm_event){.kind = NM_EV_EPOCH_SAVED, .u.epoch_saved = epoch});
    ev.u.answer.epoch = epoch;
    ev.u.answer.response_id = nm_core_response_id(w->core) + 1;
    ev.u.answer.heartbeat_ms = 1000;
    ev.u.answer.orders = orders;
    ev.u.answer.n_orders = n;
    step(w, ev);
}

/* Registered at epoch 1, first heartbeat in flight. */
static inline void world_up(struct world *w)
{
    world_new(w);
    step(w, (struct nm_event){.kind = NM_EV_START});
    CU_ASSERT_TRUE(find(w, NM_FX_BEAT) && find(w, NM_FX_BEAT)->registering);
    answer(w, 1, NULL, 0);
    CU_ASSERT_TRUE(find(w, NM_FX_BEAT) && !find(w, NM_FX_BEAT)->registering);
}

static inline struct nm_order launch_order(int app, int n)
{
    return (struct nm_order){
        .kind = BASE_ORDER_LAUNCH,
        .launch = {.id = cid(app, n), .user = "ann", .token = "t", .memory_mb = 1}};
}

static inline void order(struct world *w, struct nm_order o)
{
    answer(w, nm_core_epoch(w->core), &o, 1);
}

static inline void launch(struct world *w, int n)
{
    order(w, launch_order(1, n));
}

static inline void on(struct world *w, enum base_order_kind type, int n)
{
    order(w, (struct nm_order){
                 .kind = type, .container = cid(1, n), .reason = "why", .grace_ms = 250});
}

static inline void spawned(struct world *w, int n)
{
    struct nm_event ev = {.kind = NM_EV_SPAWNED, .container = cid(1, n)};
    ev.u.spawned.started_ms = 5;
    step(w, ev);
}

static inline void ended(struct world *w, int n, int code)
{
    struct nm_event ev = {.kind = NM_EV_ENDED, .container = cid(1, n)};
    ev.u.ended.exit_code = code;
    step(w, ev);
}

static inline const struct nm_container_view *view(struct world *w, int n)
{
    struct base_container_id id = cid(1, n);
    struct nm_container *c = nm_core_find_container(w->core, &id);
    return c ? nm_core_view(c) : NULL;
}

static inline enum nm_state state(struct world *w, int n)
{
    return view(w, n) ? view(w, n)->state : NM_NEW;
}

static inline void collect(struct nm_container *c, void *u)
{
    *(uint64_t *)u |= UINT64_C(1) << nm_core_view(c)->id.num;
}

static inline uint64_t carried(struct world *w)
{
    uint64_t set = 0;
    nm_core_mark_sent_each_to_report(w->core, collect, &set);
    return set;
}

static inline void fail(struct world *w, bool again, bool no_pause)
{
    struct nm_event ev = {.kind = NM_EV_BEAT_FAILED};
    ev.u.failed.register_again = again;
    ev.u.failed.no_pause = no_pause;
    ev.u.failed.elsewhere = no_pause;
    step(w, ev);
}

#endif
