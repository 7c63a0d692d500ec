/* Goal: a new leader continues with the store if it is the one in which the work of the nodes is
 * recorded, and otherwise reports that it is not; of ended jobs the store contains what must be
 * kept and no more. Method: all records of a run are kept; the RM is restarted with all of them,
 * with some, or with none. */
#include <stdlib.h>
#include <string.h>

#include "rm/core/view/view.h"
#include "tests/unit/core_takeover.h"

/* ---------------------------------------------------------------- an empty store */
static void lose_store(bool confirmed)
{
    w.conf.format_confirmed = confirmed;
    world_crash(&w, 0);
}

static void test_unconfirmed(void)
{
    struct base_app_id id = begin(2, "a 3 0 0 4 0 0");

    w.nodes[1].n = 0;
    lose_store(false);
    world_register(&w, &w.nodes[0]);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_ERROR);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_ESTATE);
    CU_ASSERT_PTR_NOT_NULL(strstr(w.reply.text, "node0:8042 runs 2 containers"));
    CU_ASSERT_PTR_NOT_NULL(strstr(w.reply.text, "--format-confirmed"));
    CU_ASSERT_EQUAL(w.unconfirmed, 1);
    CU_ASSERT_EQUAL(w.epoch_low, 0);
    CU_ASSERT_EQUAL(w.nodes[0].kills, 0);
    CU_ASSERT_EQUAL(state_of(0), RM_NODE_NEW);
    world_register(&w, &w.nodes[1]); /* nothing runs on this node */
    CU_ASSERT_EQUAL(state_of(1), RM_NODE_RUNNING);
    world_submit(&w, "b 1 0 0 4 0 0");
    CU_ASSERT_EQUAL(w.reply.code, -BASE_ESTATE);
    CU_ASSERT_PTR_NOT_NULL(strstr(w.reply.text, "node0:8042"));
    world_submit_app(&w, "app 1024 1 0");
    CU_ASSERT_EQUAL(w.reply.code, -BASE_ESTATE);
    /* the same again after a restart: what was stored meanwhile does not confirm the store */
    world_crash(&w, w.journal_n);
    world_register(&w, &w.nodes[0]);
    CU_ASSERT_EQUAL(w.unconfirmed, 2);
    CU_ASSERT_EQUAL(w.nodes[0].kills, 0);
    /* when all its containers have ended, nothing speaks against the node */
    end_task(&w.nodes[0], 0, 0);
    end_task(&w.nodes[0], 1, 0);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(state_of(0), RM_NODE_RUNNING);
    CU_ASSERT_EQUAL(w.nodes[0].n, 0);
    id = world_submit(&w, "b 1 0 0 4 0 0");
    succeeds(id);
    world_free(&w);
}

/* A node of another cluster that has strayed here keeps this one from being used only as long as it
 * asks. */
static void test_refused_gone(void)
{
    begin(2, "a 3 0 0 4 0 0");
    lose_store(false);
    w.nodes[1].n = 0;
    world_register(&w, &w.nodes[1]);
    world_register(&w, &w.nodes[0]);
    CU_ASSERT_EQUAL(w.unconfirmed, 1);
    for (int i = 0; i < 3; i++) { /* submissions are refused as long as the stranger asks */
        world_advance(&w, w.conf.node_expiry_us / 2);
        world_beat(&w, &w.nodes[1], 0);
        if (i < 2)
            world_register(&w, &w.nodes[0]);
        world_submit(&w, "b 1 0 0 4 0 0");
        CU_ASSERT_EQUAL(w.reply.code, -BASE_ESTATE);
    }
    world_advance(&w, w.conf.node_expiry_us / 2 + 1);
    world_submit(&w, "b 1 0 0 4 0 0");
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_JOB);
    CU_ASSERT_EQUAL(state_of(0), RM_NODE_NEW);
    world_register(&w, &w.nodes[0]); /* what the node runs is left alone nevertheless */
    CU_ASSERT_EQUAL(w.reply.code, -BASE_ESTATE);
    CU_ASSERT_EQUAL(w.nodes[0].kills, 0);
    world_free(&w);
}

static void test_confirmed(void)
{
    begin(1, "a 3 0 0 4 0 0");
    lose_store(true);
    world_register(&w, &w.nodes[0]);
    CU_ASSERT_EQUAL(state_of(0), RM_NODE_RUNNING);
    CU_ASSERT_EQUAL(w.nodes[0].kills, 2);
    CU_ASSERT_EQUAL(w.unconfirmed + w.epoch_low, 0);
    /* a node that has obeyed a higher epoch would obey no order of this RM */
    w.nodes[0].epoch_seen = 7;
    world_register(&w, &w.nodes[0]);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_ESTATE);
    CU_ASSERT_PTR_NOT_NULL(strstr(w.reply.text, "has obeyed epoch 7"));
    CU_ASSERT_PTR_NULL(strstr(w.reply.text, "--format-confirmed")); /* the option was given */
    CU_ASSERT_EQUAL(w.epoch_low, 1);
    CU_ASSERT_EQUAL(w.epoch_seen, 7);
    w.conf.epoch = 7;
    w.conf.format_confirmed = false; /* the confirmation is stored */
    world_crash(&w, w.journal_n);
    w.nodes[0].v[0].ended = false;
    world_register(&w, &w.nodes[0]);
    CU_ASSERT_EQUAL(state_of(0), RM_NODE_RUNNING);
    CU_ASSERT_EQUAL(w.nodes[0].kills, 3);
    world_free(&w);
}

/* A store of an earlier version becomes one of this version as soon as an RM leads with it, so that
 * an RM of the earlier version, which would commit jobs without their parts, can lead with it no
 * more. */
static void test_format_of_before(void)
{
    size_t at = 0;

    begin(1, "a 3 0 0 4 0 0");
    world_crash(&w, w.journal_n);
    while (strcmp(w.journal[at].key, "format") != 0)
        at++;
    CU_ASSERT_EQUAL(memcmp(w.journal[at].data, "f2 ", 3), 0);
    w.journal[at].data[1] = '1';
    world_crash(&w, w.journal_n);
    while (at + 1 < w.journal_n && strcmp(w.journal[++at].key, "format") != 0)
        continue;
    CU_ASSERT_STRING_EQUAL(w.journal[at].key, "format");
    CU_ASSERT_EQUAL(memcmp(w.journal[at].data, "f2 ", 3), 0);
    world_crash(&w, w.journal_n);
    world_free(&w);
}

/* A node's higher epoch alone tells of another store, too. Where the store has work, the node is
 * refused, and nothing else. */
static void test_higher_epoch(void)
{
    begin(1, "a 3 0 0 4 0 0");
    w.nodes[0].n = 0;
    w.nodes[0].epoch_seen = 9;
    lose_store(false);
    world_register(&w, &w.nodes[0]);
    CU_ASSERT_EQUAL(w.unconfirmed, 1);
    CU_ASSERT_EQUAL(w.epoch_seen, 9);
    world_free(&w);
    begin(1, "a 3 0 0 4 0 0");
    w.conf.format_confirmed = false;
    world_crash(&w, w.journal_n);
    w.nodes[0].epoch_seen = 9;
    world_register(&w, &w.nodes[0]);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_ESTATE);
    CU_ASSERT_EQUAL(w.unconfirmed + w.epoch_low, 0);
    world_submit(&w, "b 1 0 0 4 0 0");
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_JOB);
    w.nodes[0].epoch_seen = 1;
    world_register(&w, &w.nodes[0]);
    CU_ASSERT_EQUAL(state_of(0), RM_NODE_RUNNING);
    world_free(&w);
}

/* Accepted work does not make a new store the right one for nodes that come later; their work is
 * left alone. */
static void test_stranger(void)
{
    begin(1, "a 3 0 0 4 0 0");
    lose_store(false);
    world_submit(&w, "b 1 0 0 4 0 0");
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_JOB);
    world_register(&w, &w.nodes[0]);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_ESTATE);
    CU_ASSERT_EQUAL(w.unconfirmed, 0);
    CU_ASSERT_EQUAL(w.nodes[0].kills, 0);
    /* a node that has worked for this store is no stranger */
    world_add_node(&w, 2, 1, NULL);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(w.nodes[1].n, 1);
    w.nodes[1].v[0].id.attempt.app.seq = 77;
    w.nodes[1].v[0].task.app.seq = 77;
    world_restart_node(&w, &w.nodes[1]);
    CU_ASSERT_EQUAL(w.nodes[1].kills, 1);
    world_free(&w);
}

/* ---------------------------------------------------------------- ended jobs */
static int by_key_newest_first(const void *a, const void *b)
{
    const struct world_record *x = *(const struct world_record *const *)a,
                              *y = *(const struct world_record *const *)b;
    int c = strcmp(x->key, y->key);

    return c ? c : (x < y) - (x > y); /* for one key, the newest record of the journal first */
}

static size_t records_of(const char *table)
{
    const struct world_record **v = base_realloc_array(NULL, w.journal_n + 1, sizeof *v);
    size_t len = 0, n = 0;

    for (size_t i = 0; i < w.journal_n; i++)
        if (strcmp(w.journal[i].table, table) == 0)
            v[len++] = &w.journal[i];
    qsort(v, len, sizeof *v, by_key_newest_first);
    for (size_t i = 0; i < len; i++)
        n += v[i]->data && (i == 0 || strcmp(v[i]->key, v[i - 1]->key) != 0);
    free(v);
    return n;
}

static void same_view(struct base_app_id id, const struct rm_app_view *was)
{
    struct rm_app_view is = world_app(&w, id);

    CU_ASSERT_EQUAL(is.state, was->state);
    CU_ASSERT_EQUAL(is.final_status, was->final_status);
    CU_ASSERT_EQUAL(is.submit_us, was->submit_us);
    CU_ASSERT_EQUAL(is.finish_us, was->finish_us);
    CU_ASSERT_EQUAL(is.memory_seconds, was->memory_seconds);
    CU_ASSERT_EQUAL(memcmp(is.counters, was->counters, sizeof is.counters), 0);
    CU_ASSERT_DOUBLE_EQUAL(is.progress, was->progress, 0);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        CU_ASSERT_EQUAL(is.phase[k].total, was->phase[k].total);
        CU_ASSERT_EQUAL(is.phase[k].succeeded, was->phase[k].succeeded);
        CU_ASSERT_EQUAL(is.phase[k].failed_attempts, was->phase[k].failed_attempts);
        CU_ASSERT_DOUBLE_EQUAL(is.phase[k].progress, was->phase[k].progress, 0);
    }
}

static void prune_on(void)
{
    world_init(&w, "fifo");
    w.conf.prune_ended = true;
    world_renew(&w);
    world_add_node(&w, 60, 4, NULL);
}

static void test_pruned(void)
{
    struct base_app_id id, killed;
    struct rm_app_view was, was_killed;

    prune_on();
    id = world_submit(&w, "a 297 3 1 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT(commit(w.nodes[0].v[0]));
    end_task(&w.nodes[0], 0, 1);
    world_beat(&w, &w.nodes[0], 0);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    CU_ASSERT_EQUAL(w.histories, 1);
    killed = world_submit(&w, "b 297 3 1 4 3 0");
    world_beat(&w, &w.nodes[0], 0);
    end_task(&w.nodes[0], 0, 0);
    world_beat(&w, &w.nodes[0], 0);
    world_kill(&w, killed);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(w.histories, 2);
    was = world_app(&w, id);
    was_killed = world_app(&w, killed);
    CU_ASSERT_EQUAL(was_killed.phase[0].succeeded, 1);
    CU_ASSERT_EQUAL(records_of("task"), 0);
    CU_ASSERT_EQUAL(records_of("commit"), 0);
    CU_ASSERT_EQUAL(records_of("meta"), 0);
    CU_ASSERT_EQUAL(records_of("app"), 2);
    /* the tasks can still be read */
    CU_ASSERT_EQUAL(world_task_view(&w, id, BASE_TASK_MAP, 5, NULL).state, RM_TASK_SUCCEEDED);
    world_crash(&w, w.journal_n);
    same_view(id, &was);
    same_view(killed, &was_killed);
    /* after a restart the tasks are gone */
    CU_ASSERT_EQUAL(world_task_view(&w, id, BASE_TASK_MAP, 5, NULL).container.num, 0);
    CU_ASSERT_EQUAL(w.histories, 2);
    CU_ASSERT_FALSE(commit((struct world_container){.task = {id, BASE_TASK_MAP, 5}}));
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_FLAG);
    world_free(&w);
}

/* Some hundreds of records are removed at each step; the next RM removes what was left when the RM
 * died. */
static void test_pruned_in_steps(void)
{
    size_t before, was_n;
    struct base_app_id id;
    struct rm_app_view was;
    struct rm_event ev = {.kind = RM_EV_TIMER};

    prune_on();
    id = world_submit(&w, "a 597 3 1 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    world_run_dry(&w);
    was = world_app(&w, id);
    world_free(&w);
    prune_on();
    id = world_submit(&w, "a 597 3 1 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    w.no_shell = true;
    world_run_dry(&w);
    w.no_shell = false;
    w.auto_store = false;
    world_settle(&w); /* the output is committed: the final record is on its way */
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FINAL_SAVING);
    CU_ASSERT_EQUAL(records_of("task"), 600);
    was_n = records_of("meta");
    world_store(&w, w.seq);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FINISHED);
    CU_ASSERT(records_of("task") >= 600 - 260 && records_of("task") < 600);
    CU_ASSERT_EQUAL(records_of("meta"), was_n);
    before = w.journal_n;
    world_crash(&w, before);
    CU_ASSERT(records_of("task") > 0);
    for (int i = 0; i < 4; i++) {
        before = w.journal_n;
        world_step(&w, &ev);
        CU_ASSERT(w.journal_n - before <= 260);
    }
    CU_ASSERT_EQUAL(records_of("task"), 0);
    CU_ASSERT_EQUAL(records_of("meta"), was_n); /* the splits have gone; "format" has come */
    world_store(&w, w.seq);
    was.finish_us = world_app(&w, id).finish_us; /* here the output was committed later */
    same_view(id, &was);
    world_free(&w);
}

/* An RM that prunes removes what is left in the store of an RM that did not. */
static void test_pruned_later(void)
{
    struct base_app_id id;
    struct rm_app_view was;

    world_init(&w, "fifo");
    world_add_node(&w, 4, 1, NULL);
    id = world_submit(&w, "a 20 1 1 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    world_run_dry(&w);
    was = world_app(&w, id);
    CU_ASSERT_EQUAL(records_of("task"), 21);
    w.conf.prune_ended = true;
    world_crash(&w, w.journal_n);
    CU_ASSERT_EQUAL(records_of("task"), 0);
    world_crash(&w, w.journal_n);
    was.memory_seconds = 0; /* this figure was never stored */
    same_view(id, &was);
    world_free(&w);
}

/* Goal: ended jobs are kept by the bytes that they take, not by their number alone: the oldest lose
 * their tasks, in memory and in the store, and what is shown of the jobs stays; where that is not
 * enough, the oldest jobs are removed. */
static void test_kept_by_size(void)
{
    struct base_app_id id[6], cursor;
    struct rm_app_view was[6];
    struct rm_views v = {0};

    world_init(&w, "fifo");
    w.conf.completed_bytes_max = 100000;
    world_renew(&w);
    world_add_node(&w, 4, 1, NULL);
    for (int i = 0; i < 6; i++) { /* each job's records take 34 kB */
        id[i] = world_submit(&w, "a 100 0 0 4 0 0");
        world_beat(&w, &w.nodes[0], 0);
        world_run_dry(&w);
        was[i] = world_app(&w, id[i]);
    }
    CU_ASSERT_EQUAL(records_of("task"), 600); /* all have just ended */
    world_advance(&w, 61000000);
    for (int i = 0; i < 3; i++)
        world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(records_of("task"), 200);
    for (int round = 0; round < 2; round++) { /* first as it is, then read back after a restart */
        for (int i = 0; i < 6; i++) {
            int64_t pos = 0;

            same_view(id[i], &was[i]);
            CU_ASSERT_EQUAL(world_app(&w, id[i]).tasks_gone, i < 4);
            CU_ASSERT_EQUAL(rm_view_tasks(w.core, id[i], BASE_TASK_MAP, 0, &pos, 1000, &v), 0);
            CU_ASSERT_EQUAL(v.tasks_n, i < 4 ? 0 : 100);
            rm_views_free(&v);
            /* the sum is not stored for jobs that still have their tasks */
            was[i].memory_seconds = i < 4 ? was[i].memory_seconds : 0;
        }
        w.conf.completed_bytes_max = round ? 10000 : 100000;
        world_crash(&w, w.journal_n);
    }
    rm_view_apps(w.core, NULL, NULL, 100, &v, &cursor);
    CU_ASSERT_EQUAL(v.apps_n, 2);
    CU_ASSERT_EQUAL(base_app_id_cmp(&v.apps[0].id, &id[5]), 0);
    rm_views_free(&v);
    world_free(&w);
}

/* Goal: a job whose end was written by a clock that was far ahead does not keep others from losing
 * their tasks. */
static void test_kept_by_size_ahead(void)
{
    world_init(&w, "fifo");
    world_add_node(&w, 4, 1, NULL);
    for (int i = 0; i < 3; i++) {
        world_submit(&w, "a 100 0 0 4 0 0");
        world_beat(&w, &w.nodes[0], 0);
        world_run_dry(&w);
    }
    w.now -= INT64_C(3600000000);
    w.conf.completed_bytes_max = 50000;
    world_crash(&w, w.journal_n);
    for (int i = 0; i < 3; i++)
        world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(records_of("task"), 100);
    world_free(&w);
}

/* Goal: a node that was silent for long may still ask for the outputs of a job that has lost its
 * tasks. */
static void test_outputs_of_before(void)
{
    struct base_app_id job[2];

    world_init(&w, "fifo");
    w.conf.completed_bytes_max = 10000;
    world_renew(&w);
    world_add_node(&w, 4, 1, NULL);
    for (int i = 0; i < 2; i++) {
        job[i] = world_submit(&w, "a 10 1 0 4 0 0");
        world_beat(&w, &w.nodes[0], 0);
        world_run_dry(&w);
    }
    world_advance(&w, 61000000);
    for (int i = 0; i < 3; i++)
        world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT(world_app(&w, job[0]).tasks_gone);
    for (int i = 0; i < 2; i++) {
        int64_t version = 0, maps = 0, done = 0;
        struct rm_views v = {0};

        CU_ASSERT_EQUAL(rm_view_map_outputs(w.core, job[i], 0, &version, &maps, &done, &v), 0);
        CU_ASSERT_EQUAL(maps, 10);
        CU_ASSERT_EQUAL(done, 10);
        rm_views_free(&v);
    }
    world_free(&w);
}

static const struct cunit_case cases[] = {{"a store that is not confirmed", test_unconfirmed},
                                          {"a refused node that is gone", test_refused_gone},
                                          {"a confirmed one", test_confirmed},
                                          {"a higher epoch", test_higher_epoch},
                                          {"a store of an earlier version", test_format_of_before},
                                          {"a stranger", test_stranger},
                                          {"ended jobs are pruned", test_pruned},
                                          {"bit by bit", test_pruned_in_steps},
                                          {"records of one that did not", test_pruned_later},
                                          {"kept by size", test_kept_by_size},
                                          {"kept by size, ends ahead", test_kept_by_size_ahead},
                                          {"outputs of dropped tasks", test_outputs_of_before}};

CUNIT_MAIN("stores of takeovers", cases)
