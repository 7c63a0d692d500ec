/* Goal: after whatever record the RM crashes, jobs end well and nothing finished is done again.
 * Method: a run is recorded; the RM is restarted with every prefix of its records. */
#include <stdlib.h>
#include <string.h>

#include "rm/core/view/view.h"
#include "tests/sim/core_world.h"
#include "tests/unit/cunit_main.h"

#define S INT64_C(1000000)

static struct world w;

/* Returns the tasks that have succeeded by the first @records, as a bit set: maps from bit 0 on,
 * reduces from bit 32 on. */
static uint64_t succeeded_in_store(size_t records)
{
    uint64_t set = 0;

    for (size_t i = 0; i < records; i++) {
        struct base_task_id id;
        uint64_t bit;

        if (strcmp(w.journal[i].table, "task") != 0 ||
            base_task_id_parse(w.journal[i].key, &id, NULL) < 0)
            continue;
        bit = UINT64_C(1) << (id.index + (id.kind == BASE_TASK_REDUCE ? 32 : 0));
        if (strncmp(w.journal[i].data, "t1 3 ", 5) == 0 ||
            strncmp(w.journal[i].data, "t2 3 ", 5) == 0)
            set |= bit;
        else
            set &= ~bit;
    }
    return set;
}

static uint64_t succeeded_in_core(struct base_app_id id)
{
    uint64_t set = 0;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        struct rm_views v = {0};
        int64_t pos = 0;

        if (rm_view_tasks(w.core, id, k, 1u << RM_TASK_SUCCEEDED, &pos, 100, &v) == 0)
            for (size_t i = 0; i < v.tasks_n; i++)
                set |= UINT64_C(1) << (v.tasks[i].id.index + k * 32);
        rm_views_free(&v);
    }
    return set;
}

static void finish_all(void)
{
    for (int i = 0; i < 40; i++) {
        world_advance(&w, S);
        world_beat_all(&w, 0);
    }
    world_run_dry(&w);
}

/* Makes a run: 6 maps and 2 reduces on two nodes, some ended when the crash comes. */
static struct base_app_id one_run(int steps)
{
    struct base_app_id id;

    world_init(&w, "fifo");
    world_add_node(&w, 2, 1, NULL);
    world_add_node(&w, 2, 1, NULL);
    id = world_submit(&w, "a 6 2 1 4 2 0");
    for (int s = 0; s < steps; s++) {
        struct world_node *n = &w.nodes[s % 2];

        if (s >= 2 && n->n) {
            n->v[0].ended = true;
            n->v[0].exit_code = s % 5 == 4 ? 1 : 0;
        }
        w.now += 1000;
        world_beat(&w, n, 0);
    }
    return id;
}

static void test_every_prefix(void)
{
    for (int steps = 0; steps < 26; steps += 3) {
        size_t records;

        one_run(steps);
        records = w.journal_n;
        world_free(&w);
        for (size_t k = 0; k <= records; k++) {
            struct base_app_id id = one_run(steps);
            uint64_t want = succeeded_in_store(k);
            bool known = false;

            for (size_t i = 0; i < k; i++)
                known = known || strcmp(w.journal[i].table, "app") == 0;
            world_crash(&w, k);
            CU_ASSERT_EQUAL(succeeded_in_core(id), want);
            CU_ASSERT_EQUAL(world_app(&w, id).id.seq != 0, known);
            finish_all();
            if (!known)
                /* the client was not told that the job was accepted */
                world_submit_as(&w, id, "a 6 2 1 4 2 0");
            finish_all();
            CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FINISHED);
            CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
            CU_ASSERT_EQUAL(succeeded_in_core(id) & want, want);
            CU_ASSERT_EQUAL(w.nodes[0].n + w.nodes[1].n, 0);
            world_free(&w);
        }
    }
}

/* Running containers are known again: same id, same attempt; their slots are taken; nothing runs
 * twice. */
static void test_reattach(void)
{
    struct base_app_id id, new_one;
    int64_t launches;

    world_init(&w, "fifo");
    world_add_node(&w, 3, 1, NULL);
    world_add_node(&w, 3, 1, NULL);
    id = world_submit(&w, "a 8 0 0 4 0 0");
    world_beat_all(&w, 0);
    launches = w.launches;
    CU_ASSERT_EQUAL(launches, 6);
    w.nodes[0].v[0].ended = true; /* ended while the RM was down */
    w.nodes[0].v[0].exit_code = 0;
    world_crash(&w, w.journal_n);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(w.launches, launches); /* the other node may still run what is pending here */
    new_one = world_submit(&w, "b 1 0 0 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(world_app(&w, new_one).phase[0].running, 1); /* a new job need not wait */
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(world_app(&w, id).phase[0].running, 5);
    CU_ASSERT_EQUAL(world_app(&w, id).phase[0].succeeded, 1);
    CU_ASSERT_EQUAL(w.nodes[0].kills + w.nodes[1].kills, 0);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    CU_ASSERT_EQUAL(w.launches, 9);
    CU_ASSERT(w.nodes[0].n + w.nodes[1].n == 0);
    world_free(&w);
}

/* A node does not register after a restart: its work is done elsewhere when the node has
 * expired. */
static void test_node_stays_away(void)
{
    struct base_app_id id;

    world_init(&w, "fifo");
    world_add_node(&w, 2, 1, NULL);
    world_add_node(&w, 2, 1, NULL);
    id = world_submit(&w, "a 4 0 0 4 0 0");
    world_beat_all(&w, 0);
    w.nodes[1].up = false;
    world_crash(&w, w.journal_n);
    for (int i = 0; i < 29; i++) {
        world_advance(&w, S);
        world_beat(&w, &w.nodes[0], 0);
        CU_ASSERT_EQUAL(world_app(&w, id).phase[0].running, 2);
    }
    finish_all();
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    w.nodes[1].up = true; /* the node comes back much later with what it still ran */
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(w.nodes[1].kills, 2);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(w.nodes[1].n, 0);
    world_free(&w);
}

static bool commit(struct base_app_id app, int32_t attempt)
{
    struct rm_event ev = {.kind = RM_EV_TASK_COMMIT, .token = ++w.token};

    ev.u.task_commit.task = (struct base_task_id){app, BASE_TASK_MAP, 0};
    ev.u.task_commit.attempt = attempt;
    world_step(&w, &ev);
    return w.reply.flag;
}

/* The right to commit is durable, the end of its attempt is not. The attempt after it cannot go on:
 * for all that the new leader knows, the first one commits on a silent node. Asked meanwhile, the
 * leader puts off its answer. When all nodes have registered, a third attempt runs. */
static void test_commit_right(void)
{
    struct world_container *ct;
    struct world_node *n, *other;
    struct base_app_id id;
    size_t durable;

    world_init(&w, "fifo");
    world_add_node(&w, 2, 1, NULL);
    world_add_node(&w, 2, 1, NULL);
    id = world_submit(&w, "a 1 0 1 4 0 0");
    world_beat_all(&w, 0);
    ct = world_task(&w, id, BASE_TASK_MAP, 0, &n);
    CU_ASSERT_PTR_NOT_NULL_FATAL(ct);
    CU_ASSERT(commit(id, 0));
    durable = w.journal_n;
    w.auto_store = false;
    other = n == &w.nodes[0] ? &w.nodes[1] : &w.nodes[0];
    world_beat(&w, other, 2 * S);
    ct->ended = true;
    ct->exit_code = 1;
    world_beat(&w, n, 0);
    n->n = 0;
    ct = world_task(&w, id, BASE_TASK_MAP, 0, &other);
    CU_ASSERT_PTR_NOT_NULL_FATAL(ct);
    CU_ASSERT_EQUAL(ct->attempt, 1);
    w.auto_store = true;
    world_crash(&w, durable);
    world_beat(&w, other, 0);
    CU_ASSERT_EQUAL(other->kills, 1);
    CU_ASSERT(commit(id, 0)); /* a repeated question of the attempt that has the right */
    CU_ASSERT_FALSE(commit(id, 1));
    world_beat_all(&w, 0);
    world_beat_all(&w, 0);
    ct = world_task(&w, id, BASE_TASK_MAP, 0, &other);
    CU_ASSERT_PTR_NOT_NULL_FATAL(ct);
    CU_ASSERT(ct->attempt > 1);
    CU_ASSERT_FALSE(commit(id, 0));
    CU_ASSERT_FALSE(commit(id, 1));
    CU_ASSERT(commit(id, ct->attempt));
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    world_free(&w);
}

/* An attempt asks for the right to commit before its node has registered with the new leader: the
 * answer is put off, since a refusal would end the attempt and count as its failure. */
static void test_commit_before_registration(void)
{
    struct world_container *ct;
    struct world_node *n;
    struct base_app_id id;

    world_init(&w, "fifo");
    world_add_node(&w, 2, 1, NULL);
    id = world_submit(&w, "a 1 0 1 4 0 0");
    world_beat_all(&w, 0);
    ct = world_task(&w, id, BASE_TASK_MAP, 0, &n);
    CU_ASSERT_PTR_NOT_NULL_FATAL(ct);
    world_crash(&w, w.journal_n);
    commit(id, ct->attempt);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_ERROR);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EAGAIN);
    world_beat_all(&w, 0);
    CU_ASSERT(commit(id, ct->attempt));
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_FLAG);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    world_free(&w);
}

/* Folders of jobs are removed from every node that ever had one: after a restart of the RM, and
 * from nodes that were away. */
static void test_folders_go(void)
{
    struct base_app_id id;

    world_init(&w, "fifo");
    for (int i = 0; i < 3; i++)
        world_add_node(&w, 2, 1, NULL);
    id = world_submit(&w, "a 6 1 1 4 0 0");
    world_beat_all(&w, 0);
    for (int i = 0; i < 3; i++) {
        CU_ASSERT_EQUAL(w.nodes[i].apps_n, 1);
        for (size_t j = 0; j < w.nodes[i].n; j++)
            w.nodes[i].v[j].ended = w.nodes[i].v[j].task.kind == BASE_TASK_MAP;
    }
    for (int i = 0; i < 3; i++)
        for (size_t j = 0; j < w.nodes[i].n; j++)
            w.nodes[i].v[j].exit_code = 0;
    world_beat_all(&w, 0);
    world_beat_all(&w, 0);
    w.nodes[2].up = false;
    world_crash(&w, w.journal_n);
    finish_all(); /* the last node is not there */
    finish_all();
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(w.nodes[0].apps_n, 0);
    CU_ASSERT_EQUAL(w.nodes[1].apps_n, 0);
    CU_ASSERT_EQUAL(w.nodes[2].apps_n, 1);
    w.nodes[2].up = true;
    world_restart_node(&w, &w.nodes[2]);
    world_beat(&w, &w.nodes[2], 0);
    CU_ASSERT_EQUAL(w.nodes[2].apps_n, 0);
    world_free(&w);
}

/* A restart in the middle of a kill: the kill goes on. */
static void test_killing(void)
{
    struct base_app_id id;

    world_init(&w, "fifo");
    world_add_node(&w, 2, 1, NULL);
    id = world_submit(&w, "a 4 0 1 4 0 0");
    world_beat_all(&w, 0);
    world_kill(&w, id);
    world_crash(&w, w.journal_n);
    world_beat_all(&w, 0);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLED);
    CU_ASSERT_EQUAL(w.nodes[0].n, 0);
    CU_ASSERT_EQUAL(w.nodes[0].kills, 2);
    world_free(&w);
}

/* A killed job ends only when nothing of it runs, not even on a node that registers late: until
 * then the node may use the job's folder. */
static void test_killing_late_node(void)
{
    struct base_app_id id;

    world_init(&w, "fifo");
    world_add_node(&w, 2, 1, NULL);
    world_add_node(&w, 2, 1, NULL);
    id = world_submit(&w, "a 4 0 1 4 0 0");
    world_beat_all(&w, 0);
    world_kill(&w, id);
    world_crash(&w, w.journal_n);
    for (int i = 0; i < 5; i++)
        world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLING);
    CU_ASSERT_EQUAL(w.nodes[0].n, 0);
    world_register(&w, &w.nodes[1]); /* the answer orders the node to kill what it runs */
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLING);
    CU_ASSERT_EQUAL(w.aborts, 0);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLED);
    CU_ASSERT_EQUAL(w.aborts, 1);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(w.nodes[1].n, 0);
    world_free(&w);
}

/* The end of each job is reported once; after a restart that of the last job may be reported again,
 * but not those before. */
static void test_ends_told(void)
{
    world_init(&w, "fifo");
    world_add_node(&w, 2, 1, NULL);
    for (int i = 0; i < 4; i++) {
        world_submit(&w, "a 2 0 0 4 0 0");
        world_beat_all(&w, 0);
        world_run_dry(&w);
        world_advance(&w, 300 * S);
        world_beat_all(&w, 0);
    }
    CU_ASSERT_EQUAL(w.ended, 4);
    for (int i = 0; i < 3; i++) {
        world_crash(&w, w.journal_n);
        world_beat_all(&w, 0);
        CU_ASSERT_EQUAL(w.ended, 5 + i);
    }
    world_free(&w);
}

/* A node may report anything: an attempt whose number leaves no number for a later attempt is none
 * of ours, and is killed. */
static void test_odd_attempt(void)
{
    struct base_app_id id;

    world_init(&w, "fifo");
    world_add_node(&w, 1, 1, NULL);
    id = world_submit(&w, "a 1 0 1 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    w.nodes[0].v[0].attempt = INT32_MAX;
    world_crash(&w, w.journal_n);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(w.nodes[0].kills, 1);
    finish_all();
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    world_free(&w);
}

/* A damaged record does not keep the RM from reading records (what the damage costs:
 * test_core_damage.c). */
static void test_damaged(void)
{
    struct base_error err;

    one_run(20);
    for (size_t i = 0; i < w.journal_n; i++) {
        const struct world_record *r = &w.journal[i];

        if (!r->data || strcmp(r->table, "node") != 0)
            continue;
        for (size_t cut = 0; cut < r->len; cut++) {
            struct rm_core *core = rm_core_new(&w.conf, NULL);
            struct rm_record rec = {r->table, r->key, r->data, cut};

            CU_ASSERT_EQUAL(rm_core_recover_record(core, &rec, &err), 0);
            rm_core_free(core);
        }
    }
    for (size_t i = 0; i < w.journal_n; i++) {
        const struct world_record *r = &w.journal[i];
        uint64_t x = 99;

        for (int round = 0; r->data && round < 200; round++) {
            struct rm_core *core = rm_core_new(&w.conf, NULL);
            char *data = base_strndup(r->data, r->len);
            struct rm_record rec = {r->table, r->key, data, r->len};

            x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
            data[(x >> 33) % r->len] = (char)(x >> 40);
            if (strcmp(r->table, "app") == 0)
                rm_core_provide_job_spec_for_recovery(core, world_spec("a 6 2 1 4 2 0"));
            if (strcmp(r->key, "format") != 0)
                CU_ASSERT_EQUAL(rm_core_recover_record(core, &rec, &err), 0);
            rm_core_free(core);
            free(data);
        }
    }
    world_free(&w);
}

static bool may_commit(struct base_app_id id, int32_t attempt)
{
    struct rm_event ev = {.kind = RM_EV_TASK_COMMIT, .token = ++w.token};

    ev.u.task_commit.task = (struct base_task_id){id, BASE_TASK_MAP, 0};
    ev.u.task_commit.attempt = attempt;
    world_step(&w, &ev);
    return w.reply.kind == RM_REPLY_FLAG && w.reply.flag;
}

/* The right to commit was given to the attempt of a node that is still silent; another node
 * registers first, with an older attempt: that must not take the right away. */
static void test_older_attempt_first(void)
{
    struct world_node *first, *second;
    struct world_container *newer;
    struct base_app_id id;

    world_init(&w, "fifo");
    w.conf.takeover_grace_us = 2 * S;
    world_renew(&w);
    first = world_add_node(&w, 1, 1, NULL);
    second = world_add_node(&w, 1, 1, NULL);
    id = world_submit(&w, "a 1 0 1 4 0 0");
    world_beat(&w, first, 0);
    CU_ASSERT_EQUAL_FATAL(first->n, 1);
    world_crash(&w, w.durable);
    world_register(&w, second);
    world_advance(&w, 3 * S); /* nobody has reported the task: it is started again */
    world_beat(&w, second, 0);
    CU_ASSERT_EQUAL_FATAL(second->n, 1);
    newer = &second->v[0];
    CU_ASSERT(may_commit(id, newer->attempt));
    world_crash(&w, w.durable);
    world_register(&w, first);
    world_beat(&w, first, 0);
    CU_ASSERT_FALSE(may_commit(id, 0));
    world_advance(&w, 3 * S);
    world_beat(&w, first, 0);
    CU_ASSERT_FALSE(may_commit(id, 0));
    world_register(&w, second);
    CU_ASSERT(may_commit(id, newer->attempt));
    newer->ended = true;
    newer->exit_code = 0;
    for (int i = 0; i < 3; i++)
        world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FINISHED);
    world_free(&w);
}

static const struct cunit_case cases[] = {
    {"every prefix of the store", test_every_prefix},
    {"running containers are known again", test_reattach},
    {"a node stays away", test_node_stays_away},
    {"ends are told once", test_ends_told},
    {"folders go", test_folders_go},
    {"the right to commit", test_commit_right},
    {"the right to commit, asked for early", test_commit_before_registration},
    {"killing", test_killing},
    {"killing, a late node", test_killing_late_node},
    {"odd attempt", test_odd_attempt},
    {"an older attempt comes first", test_older_attempt_first},
    {"damaged records", test_damaged}};

CUNIT_MAIN("recovery", cases)
