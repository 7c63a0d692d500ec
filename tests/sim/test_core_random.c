/* Goal: whatever happens in whatever order, the core's invariants hold.
 * Method: 100,000 random events per seed: jobs, some with deadlines, are submitted to several
 * queues, and applications with masters, some of them MapReduce's; containers end or fail; commits
 * are refused; applications are killed and moved between queues; nodes are lost, restarted and
 * rebooted, register again with other slots, get other resources or labels, are drained,
 * decommissioned and allowed again; the queues change, and so does the policy; the store lags;
 * requests are repeated or late; other RMs take over, with clocks that differ by an hour, while
 * nodes are silent, work on and register late. The invariants are checked after every event, among
 * them: no two containers get the same attempt of a task, no two attempts have the right to commit
 * at the same time, no node runs more containers than it has slots, no policy is replaced by FIFO.
 * Each seed runs twice and must produce the same effects. A failing run prints its seed:
 * test_core_random SEED [EVENTS] repeats it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/registry.h"
#include "tests/sim/random_check.h"
#include "tests/unit/cunit_main.h"
#include "tests/xorshift.h"

#define S         INT64_C(1000000)
#define SUCCEEDED " 3 " /* after the version, in the record of a task */

struct world w;
uint64_t seed_now;
int64_t event_now;
bool strict;

static uint64_t rng, log_hash;
static bool chaotic;      /* the policy suspends and kills at random */
static bool labelled;     /* nodes get labels */
static bool every_policy; /* draws from all policies, not only from fifo and naive-fair */

static uint32_t rnd(uint32_t below)
{
    return (uint32_t)(xorshift_next(&rng) >> 20) % below;
}

/* ---------------------------------------------------------------- things that happen */
static size_t live_jobs(void)
{
    size_t n = 0;

    for (size_t i = 0; i < w.core->apps_n; i++)
        n += !rm_app_state_is_final(w.core->apps[i]->state);
    return n;
}

static struct rm_app *some_app(void)
{
    return w.core->apps_n ? w.core->apps[w.core->apps_n - 1 -
                                         rnd((uint32_t)(w.core->apps_n < 12 ? w.core->apps_n : 12))]
                          : NULL;
}

static void do_submit(void)
{
    static const char *const queues[] = {"default", "a", "b.c", "b.d", "nosuch"};
    static const char *const names[] = {"j", "j", "j", "wide2", "wide3"};
    char text[64];

    if (live_jobs() >= 8)
        return;
    snprintf(text, sizeof text, "%s %u %u %u 3 %u %d %u %s u%u", names[rnd(5)], rnd(12), rnd(4),
             rnd(2), rnd(3) ? 0 : 4, (int)rnd(3) - 1, rnd(3) ? 0 : 1 + rnd(300), queues[rnd(5)],
             rnd(3));
    world_submit(&w, text);
}

static void do_kill(void)
{
    struct rm_app *a = some_app();

    if (a && !rnd(8))
        world_kill(&w, a->id);
}

/* Successful moves, in order. after_seq: what the store must have before the answer is sent. */
#define MOVES_MAX 4096
static struct {
    struct base_app_id id;
    char queue[16];
    uint64_t after_seq;
} moves[MOVES_MAX];
static size_t moves_n;

static void do_move(void)
{
    static const char *const queues[] = {"default", "a", "b.c",    "root.b.d",
                                         "a.x",     "b", "nosuch", "root"};
    struct rm_event ev = {.kind = RM_EV_MOVE_APP, .token = ++w.token};
    struct rm_app *a = some_app();
    const char *queue = queues[rnd(8)];
    int32_t at = policy_queues_find(&w.core->tree, queue);
    const struct policy_queue *q = at >= 0 ? &w.core->tree.v[at] : NULL;
    bool may = q && !q->is_parent && (q->configured || q->dynamic);
    uint32_t before;
    int64_t promised;

    if (!a)
        return;
    may = may && (a->state == RM_APP_ACCEPTED || a->state == RM_APP_RUNNING);
    before = a->queue_index;
    promised = a->promised_us;
    a->refs++;
    ev.u.move.id = a->id;
    ev.u.move.queue = queue;
    world_step(&w, &ev);
    MUST(w.reply.token == ev.token && w.reply.kind == (may ? RM_REPLY_OK : RM_REPLY_ERROR));
    MUST(a->queue_index == (may ? (uint32_t)at : before) && a->promised_us == promised);
    if (moves_n == MOVES_MAX)
        memmove(moves, moves + MOVES_MAX / 2, (moves_n = MOVES_MAX / 2) * sizeof *moves);
    if (may) {
        moves[moves_n].id = a->id;
        snprintf(moves[moves_n].queue, sizeof moves->queue, "%s", w.core->tree.v[at].name);
        moves[moves_n++].after_seq = w.reply.after_seq;
    }
    rm_app_unref(a);
}

/* Checks, after a restart from a store that had everything up to @stored, that no move that was
 * acknowledged is lost. */
static void check_moves(uint64_t stored)
{
    size_t kept = 0;

    for (size_t i = 0; i < moves_n; i++)
        if (moves[i].after_seq <= stored) {
            moves[kept] = moves[i];
            moves[kept++].after_seq = 0;
        }
    moves_n = kept;
    for (size_t i = 0; i < w.core->apps_n; i++) {
        const struct rm_app *a = w.core->apps[i];

        for (size_t j = moves_n; j-- > 0;)
            if (base_app_id_cmp(&moves[j].id, &a->id) == 0) {
                if (a->queue_index == RM_NONE) /* in no queue any more: it must be over */
                    MUST(a->state >= RM_APP_FINAL_SAVING);
                else
                    MUST(strcmp(w.core->tree.v[a->queue_index].name, moves[j].queue) == 0);
                break;
            }
    }
}

/* Asks whether @ct may commit. LATER: the answer waits for the store, and may never come. */
static enum { YES, NO, LATER } may_commit(const struct world_container *ct)
{
    struct rm_event ev = {.kind = RM_EV_TASK_COMMIT, .token = ++w.token};

    ev.u.task_commit.task = ct->task;
    ev.u.task_commit.attempt = ct->attempt;
    world_step(&w, &ev);
    if (w.reply.token != ev.token || w.reply.kind != RM_REPLY_FLAG || !w.reply.flag)
        return NO;
    return w.reply.after_seq > w.stored ? LATER : YES;
}

/* Ends a container. A task succeeds only if it was allowed to commit; a task that is refused
 * fails. */
static void do_end(struct world_node *n, const struct world_container *it)
{
    const struct world_container ct = *it;
    int32_t code = rnd(20) ? 0 : rnd(4) ? 1 : RM_EXIT_DISKS_FAILED;
    struct world_container *now;

    if (code == 0 && ct.has_task)
        switch (may_commit(&ct)) {
        case YES:
            break;
        case NO:
            code = 1;
            break;
        case LATER: /* the task asks again */
            return;
        }
    now = world_find(&w, &ct.id, &n);
    if (code == 0 && ct.has_task && now && !now->ended) {
        check_right(now);
        if (rnd(4)) /* the task is still renaming its part and ends later */
            return;
    }
    for (size_t i = 0; i < n->n; i++) { /* the answer may have brought orders */
        now = &n->v[i];
        if (base_container_id_cmp(&now->id, &ct.id) != 0 || now->ended)
            continue;
        now->ended = true;
        now->exit_code = code;
    }
}

/* Ends tasks on a node from which the RM hears nothing: those that may commit succeed, whatever the
 * RM assumes meanwhile; the others fail. */
static void do_ends_alone(struct world_node *n)
{
    for (size_t i = 0; i < n->n; i++)
        if (!n->v[i].ended && !n->v[i].suspended && n->v[i].has_task && !rnd(20)) {
            n->v[i].ended = true;
            n->v[i].exit_code = n->v[i].may_commit ? 0 : 1;
        }
}

static void do_ends(struct world_node *n)
{
    for (size_t i = 0; i < n->n; i++) {
        n->v[i].progress = (float)rnd(101) / 100;
        if (!n->v[i].ended && !n->v[i].suspended && rnd(n->v[i].master ? 60 : 3) == 0)
            do_end(n, &n->v[i]);
    }
}

/* ---------------------------------------------------------------- masters */
static void do_submit_app(void)
{
    static const char *const apps[] = {"app 1024 2 0",      "keep 1024 3 0",  "app 1024 1 1",
                                       "lost 1024 1 0",     "keep 4096 2 0",  "mr 1024 2 0",
                                       "mr-300-2 1024 2 0", "mr-0-3 1024 3 0"};

    if (live_jobs() < 8)
        world_submit_app(&w, apps[rnd(8)]);
}

static struct rm_ask some_ask(const char *name, int32_t priority, int32_t count, bool reduce)
{
    struct rm_ask ask = {.priority = priority,
                         .allocation_request_id = reduce,
                         .resource_name = name,
                         .capability = {{rnd(3) ? 512 : 512 + 2048 * rnd(3), 1, 0, reduce}},
                         .containers = count,
                         .relax_locality = true};

    if (rnd(2)) {
        ask.launch = base_alloc(sizeof *ask.launch);
        ask.launch->refs = 1;
    }
    return ask;
}

static void do_allocate(struct rm_app *a)
{
    static const char *const labels[] = {"x", "y", ""};
    struct rm_event ev = {.kind = RM_EV_AM_ALLOCATE, .token = ++w.token};
    const struct rm_attempt *at = &a->attempts[a->attempts_n - 1];
    struct base_container_id releases[1];
    static const int32_t task_priorities[] = {20, 20, 10, 5};
    int32_t count = (int32_t)rnd(4), priority = (int32_t)rnd(3);
    bool tasks = a->mapreduce.applies && rnd(8);
    bool reduce = !tasks && rnd(3) == 0;
    struct rm_ask asks[2];

    if (tasks)
        priority = task_priorities[rnd(4)];
    ev.u.am_allocate.attempt = at->id;
    ev.u.am_allocate.response_id = at->response_id - (rnd(10) == 0);
    ev.u.am_allocate.asks = asks;
    if (rnd(3) == 0) {
        asks[0] = some_ask(w.nodes[rnd((uint32_t)w.nodes_n)].host, priority, count, reduce);
        asks[1] = some_ask("*", priority, count, reduce);
        if (labelled && rnd(2)) /* refused if there is no such label */
            asks[1].label = labels[rnd(3)];
        ev.u.am_allocate.asks_n = 2;
    }
    if (a->containers && !rnd(4)) {
        releases[0] = a->containers->id;
        ev.u.am_allocate.releases = releases;
        ev.u.am_allocate.releases_n = 1;
    }
    world_step(&w, &ev);
}

/* Checks that the answer to a registration lists all containers of the attempt that may still
 * exist, so that none is announced afterwards. */
static void check_listed(const struct rm_app *a)
{
    int32_t attempt = a->attempts[a->attempts_n - 1].id.attempt;
    size_t own = 0, listed = 0;

    for (const struct rm_container *ct = a->containers; ct; ct = ct->app_next)
        own += !ct->master && ct->id.attempt.attempt == attempt;
    for (size_t i = 0; i < a->news_n; i++) {
        MUST(a->news[i]->pulled && a->news[i]->state == RM_CONTAINER_COMPLETED);
        own += a->news[i]->id.attempt.attempt == attempt;
    }
    for (size_t i = 0; i < w.reply.previous_n; i++)
        listed += w.reply.previous[i].id.attempt.attempt == attempt;
    MUST(listed == own);
}

/* Sends one request of a master whose container runs, or that needs none. */
static void do_master(void)
{
    struct rm_app *a = some_app();
    const struct rm_attempt *at =
        a && !a->is_job && a->attempts_n ? &a->attempts[a->attempts_n - 1] : NULL;
    struct rm_event ev = {.token = w.token + 1};
    struct world_container *ct;
    struct world_node *n;

    if (!at || rm_app_state_is_final(a->state))
        return;
    ct = world_find(&w, &at->master_id, &n);
    if (!a->app->unmanaged && (!at->has_master || !ct || ct->ended || !n->up))
        return;
    if (at->state == RM_ATTEMPT_RUNNING && rnd(at->reregister ? 3 : 12)) {
        do_allocate(a);
        return;
    }
    w.token++;
    ev.kind = at->state == RM_ATTEMPT_RUNNING && (!at->reregister || !rnd(12)) ? RM_EV_AM_FINISH
                                                                               : RM_EV_AM_REGISTER;
    if (ev.kind == RM_EV_AM_FINISH) {
        ev.u.am_finish.attempt = at->id;
        ev.u.am_finish.status = RM_FINAL_SUCCEEDED;
    } else {
        ev.u.am_register.attempt = at->id;
        ev.u.am_register.host = "h";
        ev.u.am_register.tracking_url = "";
    }
    world_step(&w, &ev);
    if (w.reply.kind == RM_REPLY_AM_REGISTERED)
        check_listed(a);
}

static void do_beat(void)
{
    struct world_node *n = &w.nodes[rnd((uint32_t)w.nodes_n)];

    if (!n->up) {
        do_ends_alone(n);
        if (!rnd(40)) {
            n->up = true;
            if (rnd(2))
                n->registered = false;
            else
                world_restart_node(&w, n);
        }
        return;
    }
    do_ends(n);
    n->healthy = rnd(50) != 0;
    if (n->registered && n->response_id > 0 && !n->token && !rnd(20))
        world_repeat(&w, n);
    else
        world_beat(&w, n, rnd(2) ? S : 0);
}

/* Delivers a request that a node had given up before it sent one that the core has accepted. It
 * reports an old state, perhaps with the very response id that the core expects. */
static void send_late(const struct world_node *n, const struct rm_node *known, int64_t sent_us)
{
    struct rm_container_report r[4] = {0};
    struct rm_event ev = {.token = ++w.token};
    size_t reports_n = 0;

    for (size_t i = 0; i < n->n && reports_n < 4; i++)
        if (rnd(2))
            r[reports_n++] =
                (struct rm_container_report){.id = n->v[i].id, .state = RM_CONTAINER_RUNNING};
    if (rnd(2)) {
        ev.kind = RM_EV_NODE_REGISTER;
        ev.u.node_register.node_id = ev.u.node_register.http_address = n->id;
        ev.u.node_register.host = n->host;
        ev.u.node_register.rack = n->rack;
        ev.u.node_register.version = "0.1.0";
        ev.u.node_register.boot_id = n->boot;
        ev.u.node_register.instance = rnd(2) ? n->instance : "an earlier one";
        ev.u.node_register.map_slots = 1;
        ev.u.node_register.sent_us = sent_us;
        ev.u.node_register.reports = r;
        ev.u.node_register.reports_n = reports_n;
    } else {
        ev.kind = RM_EV_NODE_HEARTBEAT;
        ev.u.heartbeat.node_id = n->id;
        ev.u.heartbeat.instance = n->instance;
        ev.u.heartbeat.response_id = known->response_id - rnd(2);
        ev.u.heartbeat.sent_us = sent_us;
        ev.u.heartbeat.reports = r;
        ev.u.heartbeat.reports_n = reports_n;
    }
    world_step(&w, &ev);
    MUST(w.reply.token == ev.token && w.reply.kind == RM_REPLY_RESYNC);
}

/* Checks that a late request changes nothing; nobody receives its answer. */
static void do_late(void)
{
    struct world_node *n = &w.nodes[rnd((uint32_t)w.nodes_n)];
    const struct rm_node *known = rm_node_find(w.core, n->id);
    struct rm_event nothing = {.kind = RM_EV_TIMER};
    struct rm_node before;
    size_t records;

    if (!known || !(known->registered || known->awaited) || known->sent_us < 2 ||
        strcmp(known->boot_id, n->boot) != 0)
        return;
    world_step(&w, &nothing); /* timers that are due anyway */
    before = *known;
    records = w.journal_n;
    send_late(n, known, 1 + rnd((uint32_t)known->sent_us - 1));
    MUST(known->registered == before.registered && known->awaited == before.awaited &&
         known->state == before.state);
    MUST(known->parked == before.parked && known->response_id == before.response_id);
    MUST(known->sent_us == before.sent_us && known->last_us == before.last_us);
    MUST(known->instance == before.instance &&
         known->slots[BASE_TASK_MAP] == before.slots[BASE_TASK_MAP]);
    MUST(known->containers == before.containers && known->containers_n == before.containers_n);
    MUST(known->queue.len == before.queue.len && known->sent.len == before.sent.len &&
         w.journal_n == records);
}

static void do_node_trouble(void)
{
    struct world_node *n = &w.nodes[rnd((uint32_t)w.nodes_n)];

    if (!n->up)
        return;
    switch (rnd(4)) {
    case 0:
        n->up = false; /* silent; its containers run on */
        n->token = 0;
        break;
    case 1:
        world_reboot_node(&w, n);
        break;
    case 2:
        if (n->n) { /* a container vanishes while its NM is down */
            size_t i = rnd((uint32_t)n->n);

            n->v[i] = n->v[--n->n];
        }
        world_restart_node(&w, n);
        break;
    default:
        for (enum base_task_kind k = 0; !rnd(3) && k < BASE_TASK_KINDS; k++)
            n->slots[k] = (int32_t)rnd(SLOTS_MAX + 1);
        if (!rnd(3))
            n->master_slots = rnd(2) ? 0 : (int32_t)rnd(SLOTS_MAX + 1);
        world_restart_node(&w, n);
    }
}

/* Gives a node other resources, drains it or puts it back, or changes which host is excluded. */
static void do_change_node(void)
{
    const struct world_node *n = &w.nodes[rnd((uint32_t)w.nodes_n)];

    if (rnd(3) == 0)
        world_give(&w, n->id, rnd(6) * (int64_t)1024, rnd(6), (int64_t)rnd(4) * S - S);
    else if (rnd(2))
        world_drain(&w, n, rnd(2) == 0);
    else
        world_refresh(&w, NULL, rnd(3) ? NULL : n->host, rnd(3) ? (int64_t)rnd(20) * S - S : 0);
}

/* Adds or removes one of two labels, or gives one to a node or its host. */
static void do_label(void)
{
    static const char *const labels[] = {"x", "y"};
    const struct world_node *n = &w.nodes[rnd((uint32_t)w.nodes_n)];
    const char *label = labels[rnd(2)];

    switch (rnd(6)) {
    case 0:
    case 1:
        world_label(&w, RM_LABELS_ADD, label, NULL, label == labels[0]);
        break;
    case 2:
        world_label(&w, RM_LABELS_REMOVE, label, NULL, false);
        break;
    case 3:
        world_label(&w, RM_LABELS_REPLACE, n->host_label, rnd(2) ? label : NULL, false);
        break;
    default:
        world_label(&w, RM_LABELS_REPLACE, n->id, rnd(2) ? label : NULL, false);
    }
}

/* Replaces the queues: some come, go, become parents of others or get other limits; sometimes rules
 * may create more. */
static void do_queues(void)
{
    static const char *const lists[] = {"a,b.c", "a.x,b", "b.c,b.d", ""};
    struct policy_queues q;
    struct rm_event ev = {.kind = RM_EV_SET_QUEUES, .token = ++w.token};

    policy_queues_init(&q, lists[rnd(4)]);
    if (rnd(2))
        policy_queues_set_default_rules(&q, rnd(2), rnd(2));
    for (size_t i = 1; i < q.n; i++) {
        struct policy_queue *u = &q.v[i];

        u->weight = rnd(3) ? 1 + rnd(5) : rnd(2) ? 0 : 1e-300;
        u->max_running = rnd(3) ? INT32_MAX : (int32_t)rnd(3);
        u->order = rnd(2) ? POLICY_QUEUE_FAIR : POLICY_QUEUE_FIFO;
        u->min_timeout_us = u->fair_timeout_us = rnd(2) ? INT64_MAX : rnd(3) * S;
        u->max.given = u->min.given = true;
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
            u->min.slots[k] = rnd(3) ? -1 : (int64_t)rnd(20);
            u->max.slots[k] = rnd(3) ? -1 : (int64_t)rnd(4);
        }
    }
    ev.u.queues.queues = &q;
    world_step(&w, &ev);
}

static void do_commit(void)
{
    struct world_node *n = &w.nodes[rnd((uint32_t)w.nodes_n)];
    struct rm_event ev = {.kind = RM_EV_TASK_COMMIT, .token = ++w.token};

    if (!n->n)
        return;
    ev.u.task_commit.task = n->v[rnd((uint32_t)n->n)].task;
    ev.u.task_commit.attempt = (int32_t)rnd(3);
    world_step(&w, &ev);
}

static void do_fetch_failure(void)
{
    struct rm_app *a = some_app();
    struct rm_event ev = {.kind = RM_EV_FETCH_FAILURE, .token = ++w.token};

    if (!a || !a->phase[BASE_TASK_MAP].total)
        return;
    ev.u.fetch_failure.app = a->id;
    ev.u.fetch_failure.map = (int32_t)rnd((uint32_t)a->phase[BASE_TASK_MAP].total);
    ev.u.fetch_failure.attempt = (int32_t)rnd(2);
    ev.u.fetch_failure.reduce.index = (int32_t)rnd(a->phase[BASE_TASK_REDUCE].total > 1 ? 3 : 1);
    ev.u.fetch_failure.gone = rnd(4) == 0;
    world_step(&w, &ev);
}

static void do_policy(void)
{
    struct rm_event ev = {.kind = RM_EV_SET_POLICY, .token = ++w.token};

    for (size_t i = rnd(64); !ev.u.policy.name;
         i = rnd(64)) /* any policy that is not for simulations only */
        if (policy_at(i) && !policy_at(i)->sim_only)
            ev.u.policy.name = policy_at(i)->name;
    if (!every_policy)
        ev.u.policy.name = rnd(2) ? "fifo" : "naive-fair";
    world_step(&w, &ev);
}

static void random_victims(struct policy *self, const struct policy_offer *offer,
                           const struct policy_running *here, size_t n, struct policy_plan *plan)
{
    (void)self;
    (void)offer;
    if (!rnd(3))
        policy_plan_add(plan, here[rnd((uint32_t)n)].container,
                        rnd(3) ? POLICY_VICTIM_SUSPEND : POLICY_VICTIM_KILL);
}

/* Replaces naive fair sharing by a variant that preempts at random; with @on false, restores it. */
static void make_chaotic(bool on)
{
    static struct policy_ops chaos;

    chaos = policy_naive_fair;
    chaos.victims = random_victims;
    if (on && w.core->ops == &policy_naive_fair)
        w.core->ops = &chaos;
    else if (!on && w.core->ops == &chaos)
        w.core->ops = &policy_naive_fair;
}

/* Counts the succeeded tasks of @app in the first @records of the journal, without the core's
 * reader. */
static int64_t succeeded_in_store(size_t records, struct base_app_id app)
{
    static char seen[BASE_TASK_KINDS][64];
    int64_t n = 0;

    memset(seen, 0, sizeof seen);
    for (size_t i = 0; i < records; i++) {
        const struct world_record *r = &w.journal[i];
        struct base_task_id id;

        if (strcmp(r->table, "task") != 0 || base_task_id_parse(r->key, &id, NULL) < 0 ||
            base_app_id_cmp(&id.app, &app) != 0)
            continue;
        seen[id.kind == BASE_TASK_REDUCE][id.index] =
            r->data && strncmp(r->data + 2, SUCCEEDED, 3) == 0;
    }
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        for (int i = 0; i < 64; i++)
            n += seen[k][i];
    return n;
}

/* Drops superseded records, so that the journal of a long run stays short. */
static void compact(void)
{
    size_t kept = 0;

    for (size_t i = 0; i < w.journal_n; i++) {
        struct world_record *r = &w.journal[i];
        bool newer = false;

        for (size_t j = i + 1; !newer && j < w.journal_n; j++)
            newer =
                strcmp(r->key, w.journal[j].key) == 0 && strcmp(r->table, w.journal[j].table) == 0;
        if (newer || !r->data) {
            free(r->table);
            free(r->key);
            free(r->data);
            continue;
        }
        w.journal[kept++] = *r;
    }
    w.journal_n = w.durable = kept;
}

/* Another RM takes over. Its clock may differ by an hour, and some nodes do not reach it. */
static void do_crash(void)
{
    size_t records = w.durable;
    uint64_t stored = w.stored;

    for (size_t i = 0; i < w.nodes_n; i++)
        if (!rnd(4)) {
            w.nodes[i].up = false;
            w.nodes[i].token = 0;
        }
    if (!rnd(3))
        w.now += (rnd(2) ? 1 : -1) * 3600 * S;
    world_crash(&w, records);
    check_moves(stored);
    for (size_t i = 0; i < w.core->apps_n; i++) {
        const struct rm_app *a = w.core->apps[i];

        MUST(a->pruned ||
             a->phase[0].succeeded + a->phase[1].succeeded == succeeded_in_store(records, a->id));
    }
    compact();
}

static void one_event(void)
{
    uint32_t what = rnd(1000);

    w.now += rnd(20000);
    if (w.wake && w.wake <= w.now)
        world_advance(&w, 0);
    if (what < 30)
        do_submit();
    else if (what < 40)
        do_submit_app();
    else if (what < 60)
        do_kill();
    else if (what < 66)
        do_node_trouble();
    else if (what < 100)
        do_commit();
    else if (what < 104)
        do_fetch_failure();
    else if (what < 106)
        do_policy();
    else if (what < 107)
        do_queues();
    else if (what < 108)
        do_crash();
    else if (what < 109 || (what >= 995 && what < 998))
        do_move();
    else if (labelled && what >= 975 && what < 978)
        do_label();
    else if (what >= 978 && what < 980)
        do_change_node();
    else if (what >= 980 && what < 995)
        do_late();
    else if (what < 112)
        world_advance(&w, rnd(3) ? S : 12 * S);
    else if (what < 202)
        do_master();
    else if (what < 302 && !w.auto_store && w.stored < w.seq)
        world_store(&w, w.stored + 1 + rnd((uint32_t)(w.seq - w.stored)));
    else
        do_beat();
}

static void end_masters(void)
{
    for (int round = 0; round < 5; round++) {
        for (size_t i = 0; i < w.core->apps_n; i++)
            if (!w.core->apps[i]->is_job && !rm_app_state_is_final(w.core->apps[i]->state))
                world_kill(&w, w.core->apps[i]->id);
        for (size_t i = 0; i < w.nodes_n; i++)
            for (size_t j = 0; j < w.nodes[i].n; j++)
                if (!w.nodes[i].v[j].has_task && !w.nodes[i].v[j].ended) {
                    w.nodes[i].v[j].ended = true;
                    w.nodes[i].v[j].exit_code = 0;
                }
        world_beat_all(&w, 0);
    }
}

/* Repairs everything, and checks that every job ends then. */
static void bring_to_end(void)
{
    struct policy_queues none;
    struct rm_event ev = {.kind = RM_EV_SET_QUEUES, .token = ++w.token};

    w.auto_store = true;
    make_chaotic(false);
    world_settle(&w);
    policy_queues_init(&none, NULL); /* no limits */
    ev.u.queues.queues = &none;
    world_step(&w, &ev);
    world_refresh(&w, NULL, NULL, 0);
    for (size_t i = 0; labelled && i < w.nodes_n; i++)
        world_label(&w, RM_LABELS_REPLACE, w.nodes[i].host_label, NULL, false);
    for (size_t i = 0; i < w.nodes_n; i++)
        if (rm_node_find(w.core, w.nodes[i].id))
            world_drain(&w, &w.nodes[i], false);
    for (size_t i = 0; i < w.nodes_n; i++)
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            if (!w.nodes[i].slots[k])
                w.nodes[i].slots[k] = 1;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) /* for wide tasks */
        w.nodes[0].slots[k] = w.nodes[1].slots[k] = SLOTS_MAX;
    for (size_t i = 0; i < w.nodes_n; i++) { /* a new NM process: given resources are gone */
        w.nodes[i].up = true;
        world_restart_node(&w, &w.nodes[i]);
    }
    for (int i = 0; i < 60; i++) {
        world_advance(&w, S);
        for (size_t j = 0; j < w.nodes_n; j++)
            w.nodes[j].healthy = true;
        world_beat_all(&w, 0);
    }
    end_masters();
    world_run_dry(&w);
    for (int i = 0; i < 200 && live_jobs(); i++) { /* delays and epochs of policies pass */
        world_advance(&w, S);
        world_run_dry(&w);
    }
    for (size_t i = 0; i < w.core->apps_n; i++)
        MUST(rm_app_state_is_final(w.core->apps[i]->state));
    for (size_t i = 0; i < w.nodes_n; i++)
        MUST(w.nodes[i].n == 0);
    MUST(w.core->containers_by_id.n == 0);
    world_beat_all(&w, 0);
    world_beat_all(&w, 0);
    for (size_t i = 0; i < w.nodes_n; i++) /* no folder outlives its application */
        MUST(w.nodes[i].apps_n == 0);
    check(true);
}

static void hash_log(struct base_buf *log)
{
    for (size_t i = 0; i < log->len; i++)
        log_hash = (log_hash ^ (unsigned char)log->data[i]) * UINT64_C(0x100000001b3);
    base_buf_clear(log);
}

static void run(uint64_t seed, int64_t events)
{
    struct base_buf log = {0};

    seed_now = seed;
    rng = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    log_hash = UINT64_C(0xcbf29ce484222325);
    world_init(&w, seed % 2 ? "fifo" : "naive-fair");
    strict = seed % 3 != 0;
    chaotic = seed % 5 < 2;
    every_policy = seed % 4 != 1;
    labelled = seed % 3 == 1;
    w.conf.completed_apps_max = 20;
    w.conf.takeover_grace_us = seed % 3 == 2 ? 0 : 3 * S;
    w.conf.prune_ended = seed % 2 == 0;
    w.conf.gone_nodes_us = seed % 3 == 1 ? 0 : 8 * S;
    w.conf.gone_nodes_max = seed % 3 == 1 ? 1 : 0;
    check_begin();
    moves_n = 0;
    world_option(&w, "delay.w1", strict ? "0" : "2");
    world_option(&w, "delay.w2", strict ? "0" : "2");
    world_option(&w, "colo_wait", strict ? "0" : "1");
    world_renew(&w);
    w.auto_store = seed % 4 == 0;
    w.log = &log;
    for (int i = 0; i < 5; i++)
        world_add_node(&w, SLOTS_MAX, 2, i % 2 ? "/a" : "/b")->sent_us = 1;
    for (event_now = 0; event_now < events; event_now++) {
        if (chaotic)
            make_chaotic(true);
        one_event();
        check(event_now % 16 == 0);
        hash_log(&log);
        if (w.journal_n > 4000 && w.durable == w.journal_n)
            compact();
    }
    bring_to_end();
    hash_log(&log);
    base_buf_free(&log);
    world_free(&w);
}

static int64_t events_per_seed = 100000;
static uint64_t first_seed = 1, last_seed = 6;

static void test_random(void)
{
    for (uint64_t seed = first_seed; seed <= last_seed; seed++) {
        uint64_t hash;

        printf("\n  seed %" PRIu64 ": %" PRId64 " events", seed, events_per_seed);
        fflush(stdout);
        run(seed, events_per_seed);
        hash = log_hash;
        run(seed, events_per_seed);
        CU_ASSERT_EQUAL(log_hash, hash); /* equal events, equal effects */
        printf(", effects %016" PRIx64, log_hash);
    }
    printf("\n  ");
    CU_ASSERT(masters_seen > 0 || events_per_seed < 100000);
    CU_ASSERT(mapreduce_jobs_seen > 0 || events_per_seed < 100000);
}

static const struct cunit_case cases[] = {{"random events", test_random}};

int main(int argc, char **argv)
{
    int rc;

    if (argc > 1)
        first_seed = last_seed = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        events_per_seed = strtoll(argv[2], NULL, 10);
    rc = cunit_main("core under random events", cases, 1);
    check_end();
    return rc;
}
