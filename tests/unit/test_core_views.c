/* Goal: what readers are shown is what is so: each member of the views of applications, attempts,
 * containers, queues and the cluster, while a job runs, when it has ended, and for applications
 * that have a master.
 * Method: a small world at known moments; expected numbers are counted by hand. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rm/core/state.h"
#include "rm/core/view/view.h"
#include "tests/sim/core_world.h"
#include "tests/unit/cunit_main.h"

#define S     INT64_C(1000000)
#define EPOCH 3

static struct world w;
static struct rm_views v;

static const struct rm_app_view *app(struct base_app_id id)
{
    rm_views_free(&v);
    CU_ASSERT_EQUAL_FATAL(rm_view_app(w.core, id, &v), 0);
    return &v.apps[0];
}

static void end(void)
{
    rm_views_free(&v);
    world_free(&w);
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-6;
}

/* Two nodes of 2 map slots and 1 reduce slot; the epoch is as after some restarts. */
static void begin(void)
{
    world_init(&w, "fifo");
    w.conf.epoch = EPOCH;
    world_renew(&w);
    world_add_node(&w, 2, 1, "/a");
    world_add_node(&w, 2, 1, "/b");
}

static struct world_container *task(struct base_app_id id, enum base_task_kind kind, int32_t index)
{
    struct world_node *n;
    struct world_container *ct = world_task(&w, id, kind, index, &n);

    CU_ASSERT_PTR_NOT_NULL_FATAL(ct);
    return ct;
}

static void finish(struct base_app_id id, enum base_task_kind kind, int32_t index)
{
    struct world_container *ct = task(id, kind, index);

    ct->ended = true;
    ct->exit_code = 0;
}

/* Four maps and two reduces: one map has ended, two are half and a quarter done, one reduce has
 * fetched half of its part. */
static void test_job(void)
{
    struct base_app_id id;
    const struct rm_app_view *a;
    int64_t submitted;

    begin();
    submitted = w.now;
    id = world_submit(&w, "a 4 2 1 4 2 7 100");
    a = app(id);
    CU_ASSERT(a->is_job && !a->unmanaged && a->held && a->has_attempt && !a->has_master &&
              !a->tasks_gone);
    CU_ASSERT_EQUAL(a->state, RM_APP_ACCEPTED);
    CU_ASSERT_EQUAL(a->final_status, RM_FINAL_UNDEFINED);
    CU_ASSERT_EQUAL(a->progress, 0);
    CU_ASSERT_EQUAL(a->running_containers, 0);
    CU_ASSERT_EQUAL(a->launch_us, 0);
    CU_ASSERT_EQUAL(a->start_us, 0);
    CU_ASSERT_EQUAL(a->submit_us, submitted);
    CU_ASSERT_EQUAL(a->deadline_us, submitted + 100 * S);
    CU_ASSERT_EQUAL(a->priority, 7);
    CU_ASSERT_EQUAL(a->attempts_n, 1);
    CU_ASSERT_STRING_EQUAL(a->user, "ann");
    CU_ASSERT_STRING_EQUAL(a->name, "a");
    CU_ASSERT_STRING_EQUAL(a->queue, "default");
    CU_ASSERT_STRING_EQUAL(a->type, "MAPREDUCE");
    CU_ASSERT_STRING_EQUAL(a->diagnostics, "");
    CU_ASSERT_EQUAL(a->phase[BASE_TASK_MAP].pending, 4);
    CU_ASSERT_EQUAL(a->phase[BASE_TASK_REDUCE].pending, 2);
    world_advance(&w, 1 * S);
    world_beat_all(&w, 0);
    finish(id, BASE_TASK_MAP, 0);
    world_advance(&w, 10 * S);
    world_beat_all(&w, 0);
    world_beat_all(&w, 0);
    task(id, BASE_TASK_MAP, 1)->progress = 0.5f;
    task(id, BASE_TASK_MAP, 2)->progress = 0.25f;
    /* fetching is a third of a reduce's work: half of it is done */
    task(id, BASE_TASK_REDUCE, 0)->progress = 1.0f / 6;
    world_beat_all(&w, 0);
    a = app(id);
    CU_ASSERT_EQUAL(a->state, RM_APP_RUNNING);
    CU_ASSERT_EQUAL(a->launch_us, submitted + 1 * S);
    CU_ASSERT_EQUAL(a->start_us, submitted + 1 * S);
    CU_ASSERT_EQUAL(a->finish_us, 0);
    CU_ASSERT_EQUAL(a->running_containers, 5);
    CU_ASSERT_EQUAL(a->phase[BASE_TASK_MAP].total, 4);
    CU_ASSERT_EQUAL(a->phase[BASE_TASK_MAP].succeeded, 1);
    CU_ASSERT_EQUAL(a->phase[BASE_TASK_MAP].running, 3);
    CU_ASSERT_EQUAL(a->phase[BASE_TASK_MAP].pending, 0);
    CU_ASSERT_EQUAL(a->phase[BASE_TASK_REDUCE].running, 2);
    CU_ASSERT(near(a->phase[BASE_TASK_MAP].progress, 1.75 / 4));
    CU_ASSERT(fabs(a->phase[BASE_TASK_REDUCE].progress - 1.0 / 12) < 1e-4);
    CU_ASSERT(fabs(a->progress - (1.75 / 4 + 1.0 / 12) / 2) < 1e-4);
    CU_ASSERT(fabs(a->shuffle_progress - 0.25) < 1e-3);
    CU_ASSERT_EQUAL(a->allocated.v[RM_RES_MEMORY_MB], 5 * 2048);
    CU_ASSERT_EQUAL(a->allocated.v[RM_RES_VCORES], 5);
    CU_ASSERT_EQUAL(a->allocated.v[RM_RES_MAP_SLOTS], 3);
    CU_ASSERT_EQUAL(a->allocated.v[RM_RES_REDUCE_SLOTS], 2);
    for (int i = 1; i < 4; i++) /* all input is read, and they still run: not 100 % */
        task(id, BASE_TASK_MAP, i)->progress = 1;
    world_beat_all(&w, 0);
    a = app(id);
    CU_ASSERT_EQUAL(a->phase[BASE_TASK_MAP].running, 3);
    CU_ASSERT(near(a->phase[BASE_TASK_MAP].progress, 0.99));
    world_advance(&w, 4 * S);
    a = app(id);
    { /* all 4 maps for 10 s, 3 for 4 more, the reduces since their start */
        int64_t reduces = 0;

        for (const struct rm_container *ct = rm_app_find(w.core, id)->containers; ct;
             ct = ct->app_next)
            reduces += ct->slot == BASE_TASK_REDUCE ? (w.core->now_us - ct->start_us) / S : 0;
        CU_ASSERT_EQUAL(a->vcore_seconds,
                        40 + reduces + 3 * (w.core->now_us - submitted - 11 * S) / S);
        CU_ASSERT_EQUAL(a->memory_seconds, 2048 * a->vcore_seconds);
    }
    world_run_dry(&w);
    a = app(id);
    CU_ASSERT_EQUAL(a->state, RM_APP_FINISHED);
    CU_ASSERT_EQUAL(a->final_status, RM_FINAL_SUCCEEDED);
    CU_ASSERT_EQUAL(a->progress, 1);
    CU_ASSERT(!a->held && a->has_attempt);
    CU_ASSERT(a->finish_us > a->start_us);
    CU_ASSERT_EQUAL(a->allocated.v[RM_RES_MAP_SLOTS] + a->allocated.v[RM_RES_REDUCE_SLOTS], 0);
    end();
}

/* A killed job shows the progress that it had made. */
static void test_killed(void)
{
    struct base_app_id id;
    const struct rm_app_view *a;

    begin();
    id = world_submit(&w, "a 4 0 0 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    finish(id, BASE_TASK_MAP, 0);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT(near(app(id)->progress, 0.25));
    world_kill(&w, id);
    CU_ASSERT_EQUAL(app(id)->final_status, RM_FINAL_UNDEFINED);
    CU_ASSERT(app(id)->held);
    world_beat(&w, &w.nodes[0], 0);
    world_beat(&w, &w.nodes[0], 0);
    a = app(id);
    CU_ASSERT_EQUAL(a->state, RM_APP_KILLED);
    CU_ASSERT_EQUAL(a->final_status, RM_FINAL_KILLED);
    CU_ASSERT(near(a->progress, 0.25));
    CU_ASSERT(!a->held);
    end();
}

static void waits(struct base_app_id id, const char *words)
{
    struct base_buf why = {0};
    size_t n = strlen(words);

    CU_ASSERT_EQUAL(rm_view_explain_wait(w.core, id, w.now, &why), 0);
    if (!why.len || strncmp(why.data, words, n) != 0 ||
        (why.data[n] && strncmp(why.data + n, "; ", 2) != 0)) {
        fprintf(stderr, "'%s' is not '%s'\n", why.data ? why.data : "", words);
        CU_FAIL("why it waits");
    }
    base_buf_free(&why);
}

static void explained(struct base_app_id id, const char *words)
{
    struct base_buf why = {0};

    CU_ASSERT_EQUAL(rm_view_explain_wait(w.core, id, w.now, &why), 0);
    if (!strstr(why.data, words)) {
        fprintf(stderr, "'%s' is not in '%s'\n", words, why.data);
        CU_FAIL("why it waits");
    }
    base_buf_free(&why);
}

/* Under every policy the explanation says first what holds the slots; the policy's own words
 * follow. */
static void test_why(void)
{
    static const char *const policies[] = {"fifo", "fair", "naive-fair", "hfsp",   "hsrtf-pu",
                                           "rtmr", "dc",   "las",        "np-srpt"};
    struct base_app_id a, b, d;

    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        world_init(&w, policies[i]);
        w.conf.epoch = EPOCH;
        world_renew(&w);
        a = world_submit(&w, "a 8 0 0 4 0 0");
        waits(a, "no node is registered");
        world_add_node(&w, 2, 0, "/a");
        world_add_node(&w, 2, 0, "/b");
        waits(a, "4 of 4 map slots are free");
        for (int beat = 0; beat < 6; beat++)
            world_beat_all(&w, S);
        waits(a, "all 4 map slots run this one itself");
        b = world_submit(&w, "b 1 0 0 4 0 0");
        waits(b, "all 4 map slots run application_1700000000000_0001");
        end();
    }
    begin(); /* several jobs hold the slots; nodes that are gone; a kind of slot that no node has */
    a = world_submit(&w, "a 1 0 0 4 0 0");
    b = world_submit(&w, "b 9 0 0 4 0 0");
    for (int beat = 0; beat < 6; beat++)
        world_beat_all(&w, S);
    d = world_submit(&w, "d 1 0 0 4 0 0");
    waits(d, "all 4 map slots run application_1700000000000_0002 (3), "
             "application_1700000000000_0001 (1)");
    waits(a, "nothing of it waits for a slot");
    w.nodes[0].up = w.nodes[1].up = false;
    world_advance(&w, 10 * S);
    explained(a, "1 of its containers runs on a silent node: node0:8042 has said nothing for 10 s, "
                 "and is given up "
                 "after 30 s");
    explained(b, "; 3 of its containers run on silent nodes: node");
    world_advance(&w, 3600 * S);
    waits(d, "no node runs (2 LOST)");
    end();
    world_init(&w, "fifo");
    world_add_node(&w, 1, 0, "/a");
    a = world_submit(&w, "a 0 1 0 4 0 0");
    waits(a, "no node has reduce slots");
    end();
}

static void test_attempts_and_containers(void)
{
    struct base_app_id id, none = {1700000000000, 99};
    struct base_buf why = {0};
    char token[65];

    begin();
    id = world_submit(&w, "a 3 0 0 4 0 0");
    CU_ASSERT_EQUAL(rm_view_attempts(w.core, id, &v), 0);
    CU_ASSERT_EQUAL_FATAL(v.attempts_n, 1);
    CU_ASSERT_EQUAL(v.attempts[0].id.attempt, 1);
    CU_ASSERT_EQUAL(v.attempts[0].state, RM_ATTEMPT_LAUNCHED);
    CU_ASSERT_EQUAL(v.attempts[0].start_us, w.now);
    CU_ASSERT_EQUAL(v.attempts[0].finish_us, 0);
    CU_ASSERT_STRING_EQUAL(v.attempts[0].user, "ann");
    rm_views_free(&v);
    CU_ASSERT_EQUAL(rm_view_explain_wait(w.core, id, w.now, &why), 0);
    CU_ASSERT(why.len > 0);
    base_buf_free(&why);
    world_beat_all(&w, 0);
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(rm_view_containers(w.core, (struct base_attempt_id){id, 1}, &v), 0);
    CU_ASSERT_EQUAL_FATAL(v.containers_n, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct rm_container_view *ct = &v.containers[i];

        CU_ASSERT_EQUAL(ct->id.num >> 40, EPOCH);
        /* tasks' containers count from 2: 1 would be a master's */
        CU_ASSERT_EQUAL(ct->id.num & ((INT64_C(1) << 40) - 1), 2 + (int64_t)i);
        CU_ASSERT_EQUAL(ct->id.attempt.attempt, 1);
        CU_ASSERT_EQUAL(ct->state, RM_CONTAINER_RUNNING);
        CU_ASSERT_EQUAL(ct->slot, BASE_TASK_MAP);
        CU_ASSERT_EQUAL(ct->resource.v[RM_RES_MEMORY_MB], 2048);
        CU_ASSERT_EQUAL(ct->exit_code, RM_EXIT_INVALID);
        CU_ASSERT_EQUAL(ct->finish_us, 0);
        CU_ASSERT(ct->has_task && !ct->master);
        CU_ASSERT_EQUAL(ct->task.kind, BASE_TASK_MAP);
        CU_ASSERT_EQUAL(ct->task.index, (int32_t)i);
        CU_ASSERT_STRING_EQUAL(ct->node_id, i < 2 ? "node0:8042" : "node1:8042");
    }
    rm_views_free(&v);
    CU_ASSERT_EQUAL(rm_view_containers(w.core, (struct base_attempt_id){id, 0}, &v), 0);
    CU_ASSERT_EQUAL(v.containers_n, 3);
    rm_views_free(&v);
    CU_ASSERT_EQUAL(rm_view_containers(w.core, (struct base_attempt_id){id, 2}, &v), 0);
    CU_ASSERT_EQUAL(v.containers_n, 0);
    CU_ASSERT_EQUAL(rm_view_app(w.core, none, &v), -BASE_ENOTFOUND);
    CU_ASSERT_EQUAL(rm_view_attempts(w.core, none, &v), -BASE_ENOTFOUND);
    CU_ASSERT_EQUAL(rm_view_containers(w.core, (struct base_attempt_id){none, 1}, &v),
                    -BASE_ENOTFOUND);
    CU_ASSERT_EQUAL(rm_view_explain_wait(w.core, none, w.now, &why), -BASE_ENOTFOUND);
    CU_ASSERT_EQUAL(rm_view_app_token(w.core, none, token), -BASE_ENOTFOUND);
    CU_ASSERT_EQUAL(rm_view_app_token(w.core, id, token), 0);
    CU_ASSERT_STRING_EQUAL(token, "0123456789abcdef0123456789abcdef");
    CU_ASSERT_EQUAL(rm_view_node(w.core, "nosuch:1", &v), -BASE_ENOTFOUND);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(rm_view_attempts(w.core, id, &v), 0);
    CU_ASSERT_EQUAL(v.attempts[0].state, RM_ATTEMPT_FINISHED);
    CU_ASSERT(v.attempts[0].finish_us > 0);
    end();
}

static void test_cluster_and_nodes(void)
{
    struct rm_cluster_view c;
    size_t pos = 0;

    begin();
    world_submit(&w, "a 6 1 0 4 0 0");
    world_submit(&w, "b 3 0 0 4 0 0 0 prod");
    world_beat(&w, &w.nodes[0], 0);
    rm_view_cluster(w.core, &c);
    CU_ASSERT_EQUAL(c.epoch, EPOCH);
    CU_ASSERT_EQUAL(c.apps_submitted, 2);
    CU_ASSERT_EQUAL(c.apps_pending, 1);
    CU_ASSERT_EQUAL(c.apps_running, 1);
    CU_ASSERT_EQUAL(c.apps_completed + c.apps_failed + c.apps_killed, 0);
    CU_ASSERT_EQUAL(c.containers_allocated, 2);
    CU_ASSERT_EQUAL(c.total.v[RM_RES_MEMORY_MB], 6 * 2048);
    CU_ASSERT_EQUAL(c.total.v[RM_RES_VCORES], 6);
    CU_ASSERT_EQUAL(c.used.v[RM_RES_MEMORY_MB], 2 * 2048);
    CU_ASSERT_EQUAL(c.used.v[RM_RES_MAP_SLOTS], 2);
    CU_ASSERT_EQUAL(c.used.v[RM_RES_REDUCE_SLOTS], 0);
    CU_ASSERT_EQUAL(c.pending.v[RM_RES_MAP_SLOTS], 7);
    CU_ASSERT_EQUAL(c.containers_pending, 7 + c.pending.v[RM_RES_REDUCE_SLOTS]);
    CU_ASSERT_EQUAL(c.pending.v[RM_RES_MEMORY_MB], 2048 * c.containers_pending);
    CU_ASSERT_EQUAL(c.nodes[RM_NODE_RUNNING], 2);
    CU_ASSERT_EQUAL(c.assignments, 2);
    CU_ASSERT_EQUAL(c.heartbeats, 1);
    w.nodes[1].healthy = false;
    world_beat(&w, &w.nodes[1], 0);
    rm_view_cluster(w.core, &c);
    CU_ASSERT_EQUAL(c.nodes[RM_NODE_RUNNING], 1);
    CU_ASSERT_EQUAL(c.nodes[RM_NODE_UNHEALTHY], 1);
    CU_ASSERT_EQUAL(c.total.v[RM_RES_MEMORY_MB], 3 * 2048);
    CU_ASSERT(rm_view_nodes(w.core, &pos, 1, &v));
    CU_ASSERT_FALSE(rm_view_nodes(w.core, &pos, 5, &v));
    CU_ASSERT_EQUAL_FATAL(v.nodes_n, 2);
    CU_ASSERT_STRING_EQUAL(v.nodes[0].id, "node0:8042");
    CU_ASSERT_STRING_EQUAL(v.nodes[0].host, "node0");
    CU_ASSERT_STRING_EQUAL(v.nodes[0].rack, "/a");
    CU_ASSERT_STRING_EQUAL(v.nodes[0].version, "0.1.0");
    CU_ASSERT_STRING_EQUAL(v.nodes[0].health_report, "");
    CU_ASSERT_EQUAL(v.nodes[0].state, RM_NODE_RUNNING);
    CU_ASSERT_EQUAL(v.nodes[0].containers, 2);
    CU_ASSERT_EQUAL(v.nodes[0].slots[BASE_TASK_MAP], 2);
    CU_ASSERT_EQUAL(v.nodes[0].slots[BASE_TASK_REDUCE], 1);
    CU_ASSERT_EQUAL(v.nodes[0].used_slots[BASE_TASK_MAP], 2);
    CU_ASSERT_EQUAL(v.nodes[0].used_slots[BASE_TASK_REDUCE], 0);
    CU_ASSERT_EQUAL(v.nodes[0].used.v[RM_RES_MAP_SLOTS], 2);
    CU_ASSERT_EQUAL(v.nodes[0].used.v[RM_RES_MEMORY_MB], 2 * 2048);
    CU_ASSERT_EQUAL(v.nodes[0].total.v[RM_RES_MEMORY_MB], 3 * 2048);
    CU_ASSERT_EQUAL(v.nodes[0].last_heartbeat_us, w.now);
    CU_ASSERT_STRING_EQUAL(v.nodes[1].health_report, "disk is full");
    end();
}

static const struct rm_queue_view *queue(const char *name)
{
    rm_views_free(&v);
    rm_view_queues(w.core, &v);
    for (size_t i = 0; i < v.queues_n; i++)
        if (strcmp(v.queues[i].name, name) == 0)
            return &v.queues[i];
    return NULL;
}

static void test_queues(void)
{
    const struct rm_queue_view *q;

    begin();
    world_submit(&w, "a 2 0 0 4 0 0");
    world_submit(&w, "b 3 2 0 4 0 0 0 prod");
    world_beat_all(&w, 0);
    q = queue("root.prod");
    CU_ASSERT_PTR_NOT_NULL_FATAL(q);
    CU_ASSERT_EQUAL(q->active_apps, 1);
    CU_ASSERT_EQUAL(q->pending_apps, 0);
    CU_ASSERT_EQUAL(q->allocated_containers, 2);
    CU_ASSERT_EQUAL(q->used.v[RM_RES_MEMORY_MB], 2 * 2048);
    CU_ASSERT_EQUAL(q->used.v[RM_RES_VCORES], 2);
    CU_ASSERT_EQUAL(q->demand.v[RM_RES_VCORES], 2 + q->pending_containers);
    CU_ASSERT(q->pending_containers >= 1);
    CU_ASSERT_EQUAL(q->depth, 1);
    CU_ASSERT_EQUAL(q->parent, 0);
    CU_ASSERT_EQUAL(q->max.v[RM_RES_MEMORY_MB], 6 * 2048);
    CU_ASSERT_EQUAL(q->min.v[RM_RES_MEMORY_MB], 0);
    CU_ASSERT_EQUAL(q->weight, 1);
    CU_ASSERT_STRING_EQUAL(q->policy, "fifo");
    q = queue("root.default");
    CU_ASSERT_PTR_NOT_NULL_FATAL(q);
    CU_ASSERT_EQUAL(q->allocated_containers, 2);
    CU_ASSERT_EQUAL(q->pending_containers, 0);
    q = queue("root");
    CU_ASSERT_PTR_NOT_NULL_FATAL(q);
    CU_ASSERT_EQUAL(q->depth, 0);
    CU_ASSERT_EQUAL(q->parent, -1);
    CU_ASSERT(q->is_parent);
    CU_ASSERT_EQUAL(q->active_apps, 2);
    CU_ASSERT_EQUAL(q->allocated_containers, 4);
    CU_ASSERT_EQUAL(q->used.v[RM_RES_VCORES], 4);
    CU_ASSERT_EQUAL(q->fair_share.v[RM_RES_MEMORY_MB], 6 * 2048);
    q = queue("root.batch");
    CU_ASSERT_PTR_NOT_NULL_FATAL(q); /* it is configured: shown though nothing is in it */
    CU_ASSERT_EQUAL(
        q->active_apps + q->pending_apps + q->allocated_containers + q->pending_containers, 0);
    end();
}

/* The row of @user in queue @path; NULL: none. */
static const struct rm_queue_user_view *row_of(const char *path, const char *user)
{
    const struct rm_queue_view *q = queue(path);
    int32_t index = q ? q->index : -1;

    rm_views_free(&v);
    rm_view_queue_users(w.core, &v);
    for (size_t i = 0; i < v.queue_users_n; i++)
        if (v.queue_users[i].queue == index && strcmp(v.queue_users[i].user, user) == 0)
            return &v.queue_users[i];
    return NULL;
}

static void test_queue_users(void)
{
    const struct rm_queue_user_view *u;
    int64_t masters = 0;

    begin();
    world_submit_app(&w, "d 1024 1 0"); /* first: its master gets a slot */
    world_submit(&w, "b 9 2 0 4 0 0 0 prod bob");
    world_submit(&w, "b 1 0 0 4 0 0 0 prod bob");
    world_submit(&w, "c 1 0 0 4 0 0 0 prod cid");
    world_beat_all(&w, 0);
    u = row_of("root.prod", "bob");
    CU_ASSERT_PTR_NOT_NULL_FATAL(u);
    CU_ASSERT_EQUAL(u->active_apps + u->pending_apps, 2);
    CU_ASSERT_EQUAL(u->used.v[RM_RES_MEMORY_MB], u->used.v[RM_RES_VCORES] * 2048);
    CU_ASSERT_EQUAL(u->pending.v[RM_RES_MEMORY_MB], u->pending_containers * 2048);
    CU_ASSERT_EQUAL(u->used.v[RM_RES_VCORES], 3); /* the fourth map slot has the master */
    CU_ASSERT_EQUAL(u->am_used.v[RM_RES_VCORES], 0);
    u = row_of("root.prod", "cid");
    CU_ASSERT_PTR_NOT_NULL_FATAL(u);
    CU_ASSERT_EQUAL(u->active_apps + u->pending_apps, 1);
    CU_ASSERT_PTR_NULL(row_of("root.default", "bob"));
    CU_ASSERT_EQUAL_FATAL(v.queue_users_n, 3);
    for (size_t i = 0; i < 3; i++)
        masters += v.queue_users[i].am_used.v[RM_RES_VCORES];
    CU_ASSERT_EQUAL(masters, 1);
    world_run_dry(&w);
    CU_ASSERT_PTR_NULL(row_of("root.prod", "bob")); /* bob's jobs have ended */
    CU_ASSERT_PTR_NULL(row_of("root.prod", "cid"));
    end();
}

static void check_app_counts(int64_t pending, int64_t active)
{
    const struct rm_queue_view *q = queue("root.default");
    const struct rm_queue_user_view *u;

    CU_ASSERT_PTR_NOT_NULL_FATAL(q);
    CU_ASSERT_EQUAL(q->pending_apps, pending);
    CU_ASSERT_EQUAL(q->active_apps, active);
    u = row_of("root.default", "ann");
    CU_ASSERT_PTR_NOT_NULL_FATAL(u);
    CU_ASSERT_EQUAL(u->pending_apps, pending);
    CU_ASSERT_EQUAL(u->active_apps, active);
}

/* An application is active as soon as its master has a container, before the master registers. */
static void test_active_from_first_container(void)
{
    struct base_app_id app;

    begin();
    app = world_submit_app(&w, "d 1024 2 0");
    check_app_counts(1, 0);
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(world_state(&w, app), RM_APP_ACCEPTED);
    check_app_counts(0, 1);
    end();
}

static void test_health(void)
{
    const struct rm_operation_view *allocation, *release;
    struct rm_health_view health;
    struct base_app_id job;

    begin();
    rm_view_scheduler_health(w.core, &health, &v);
    for (int i = 0; i < RM_OPERATION_KINDS; i++)
        CU_ASSERT_FALSE(health.operations[i].known);
    job = world_submit(&w, "b 3 0 0 4 0 0 0 prod");
    world_beat(&w, &w.nodes[0], 0);
    rm_view_scheduler_health(w.core, &health, &v);
    allocation = &health.operations[RM_OPERATION_ALLOCATION];
    release = &health.operations[RM_OPERATION_RELEASE];
    CU_ASSERT_TRUE(allocation->known);
    CU_ASSERT_FALSE(release->known);
    CU_ASSERT_STRING_EQUAL(allocation->queue, "root.prod");
    CU_ASSERT_STRING_EQUAL(allocation->node_id, w.nodes[0].id);
    CU_ASSERT_EQUAL(allocation->container.attempt.app.seq, job.seq);
    CU_ASSERT_EQUAL(allocation->count, 2); /* both map slots in one step */
    CU_ASSERT_EQUAL(allocation->resource.v[RM_RES_VCORES], 2);
    CU_ASSERT_EQUAL(health.last_step_us, w.now);
    world_run_dry(&w);
    w.now += S;
    world_beat(&w, &w.nodes[0], 0);
    rm_view_scheduler_health(w.core, &health, &v);
    CU_ASSERT_TRUE(release->known);
    CU_ASSERT_STRING_EQUAL(release->queue, "root.prod");
    CU_ASSERT_EQUAL(allocation->count, 0); /* none in the newest step */
    CU_ASSERT_EQUAL(allocation->resource.v[RM_RES_VCORES], 0);
    CU_ASSERT_FALSE(health.operations[RM_OPERATION_PREEMPTION].known);
    end();
}

static int64_t assigned(void)
{
    struct rm_cluster_view c;

    rm_view_cluster(w.core, &c);
    return c.assigned_per_second;
}

/* The view counts the containers assigned in the last whole second. */
static void test_assigned_per_second(void)
{
    begin();
    w.now += S - w.now % S;
    world_submit(&w, "a 4 0 0 4 0 0");
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(assigned(), 0); /* the second is not over */
    w.now += S;
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(assigned(), 4);
    w.now += S - 1;
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(assigned(), 4);
    w.now += 1;
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(assigned(), 0);
    end();
}

static size_t listed(const struct rm_app_filter *f)
{
    struct base_app_id cursor;

    rm_views_free(&v);
    CU_ASSERT_FALSE(rm_view_apps(w.core, f, NULL, 100, &v, &cursor));
    return v.apps_n;
}

/* Each filter lets pass what it names, to the microsecond, and nothing else. */
static void test_filters(void)
{
    struct rm_app_filter f;
    const char *const types[] = {"mapreduce"}, *const other[] = {"spark", "YARN"},
                      *const tags[] = {"x"};
    int64_t t0, t1;
    struct base_app_id first;

    begin();
    t0 = w.now;
    first = world_submit(&w, "a 1 0 0 4 0 0");
    world_run_dry(&w);
    w.now += S;
    t1 = w.now;
    world_submit(&w, "b 9 0 0 4 0 0 0 prod bob");
    world_submit_app(&w, "c 1024 1 0");
    CU_ASSERT_EQUAL(listed(NULL), 3);
    CU_ASSERT_EQUAL(listed(&(struct rm_app_filter){.user = "bob"}), 1);
    CU_ASSERT_EQUAL(listed(&(struct rm_app_filter){.user = "bo"}), 0);
    CU_ASSERT_EQUAL(listed(&(struct rm_app_filter){.name = "a"}), 1);
    CU_ASSERT_EQUAL(listed(&(struct rm_app_filter){.queue = "prod"}), 1);
    CU_ASSERT_EQUAL(listed(&(struct rm_app_filter){.queue = "root.prod"}), 1);
    CU_ASSERT_EQUAL(listed(&(struct rm_app_filter){.queue = "root.default"}), 2);
    CU_ASSERT_EQUAL(listed(&(struct rm_app_filter){.jobs_only = true}), 2);
    CU_ASSERT_EQUAL(listed(&(struct rm_app_filter){.states = 1u << RM_APP_FINISHED}), 1);
    CU_ASSERT_EQUAL(v.apps[0].id.seq, first.seq);
    CU_ASSERT_EQUAL(listed(&(struct rm_app_filter){.types = types, .types_n = 1}), 2);
    CU_ASSERT_EQUAL(listed(&(struct rm_app_filter){.types = other, .types_n = 2}), 1);
    CU_ASSERT_EQUAL(listed(&(struct rm_app_filter){.tags = tags, .tags_n = 1}), 0);
    f = (struct rm_app_filter){.started_begin_us = t0};
    CU_ASSERT_EQUAL(listed(&f), 3);
    f.started_begin_us = t0 + 1;
    CU_ASSERT_EQUAL(listed(&f), 2);
    f = (struct rm_app_filter){.started_end_us = t0};
    CU_ASSERT_EQUAL(listed(&f), 1);
    f.started_end_us = t1;
    CU_ASSERT_EQUAL(listed(&f), 3);
    f.started_end_us = t1 - 1;
    CU_ASSERT_EQUAL(listed(&f), 1);
    f = (struct rm_app_filter){.finished_begin_us = 1};
    CU_ASSERT_EQUAL(listed(&f), 1);
    f.finished_begin_us = app(first)->finish_us;
    CU_ASSERT_EQUAL(listed(&f), 1);
    f.finished_begin_us++;
    CU_ASSERT_EQUAL(listed(&f), 0);
    f = (struct rm_app_filter){.finished_begin_us = 1, .finished_end_us = app(first)->finish_us};
    CU_ASSERT_EQUAL(listed(&f), 1);
    f.finished_end_us--;
    CU_ASSERT_EQUAL(listed(&f), 0);
    end();
}

static const struct cunit_case cases[] = {
    {"why it waits", test_why},
    {"a job that runs and ends", test_job},
    {"a job that is killed", test_killed},
    {"attempts and containers", test_attempts_and_containers},
    {"cluster and nodes", test_cluster_and_nodes},
    {"queues", test_queues},
    {"users of queues", test_queue_users},
    {"active from the first container", test_active_from_first_container},
    {"health", test_health},
    {"assigned per second", test_assigned_per_second},
    {"filters", test_filters}};

CUNIT_MAIN("views", cases)
