/* Goal: a job's way from submission to its end, with failures, kills and arbitration of commits on
 * the way. Method: event sequences on a small world; what nodes, readers and tasks see is
 * compared. */
#include <stdlib.h>
#include <string.h>

#include "rm/core/view/view.h"
#include "tests/sim/core_world.h"
#include "tests/unit/cunit_main.h"

static struct world w;

static void begin(int nodes, int maps, int reduces)
{
    world_init(&w, "fifo");
    for (int i = 0; i < nodes; i++)
        world_add_node(&w, maps, reduces, NULL);
}

static bool commit(struct base_app_id app, enum base_task_kind kind, int32_t index, int32_t attempt)
{
    struct rm_event ev = {.kind = RM_EV_TASK_COMMIT, .token = ++w.token};

    ev.u.task_commit.task = (struct base_task_id){app, kind, index};
    ev.u.task_commit.attempt = attempt;
    world_step(&w, &ev);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_FLAG);
    return w.reply.flag;
}

static void finish(struct base_app_id app, enum base_task_kind kind, int32_t index, int32_t code,
                   const char *why)
{
    struct world_node *n;
    struct world_container *ct = world_task(&w, app, kind, index, &n);

    CU_ASSERT_PTR_NOT_NULL_FATAL(ct);
    ct->ended = true;
    ct->exit_code = code;
    snprintf(ct->diagnostics, sizeof ct->diagnostics, "%s", why ? why : "");
    world_beat(&w, n, 0);
}

static void test_map_reduce(void)
{
    struct base_app_id id;
    struct rm_app_view a;

    begin(3, 2, 1);
    id = world_submit(&w, "wc 5 2 1 4 0 0");
    CU_ASSERT_EQUAL(w.setups, 1);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_ACCEPTED);
    world_run_dry(&w);
    a = world_app(&w, id);
    CU_ASSERT_EQUAL(a.state, RM_APP_FINISHED);
    CU_ASSERT_EQUAL(a.final_status, RM_FINAL_SUCCEEDED);
    CU_ASSERT_EQUAL(a.phase[0].succeeded, 5);
    CU_ASSERT_EQUAL(a.phase[1].succeeded, 2);
    CU_ASSERT_EQUAL(a.counters[RM_C_TOTAL_LAUNCHED_MAPS], 5);
    CU_ASSERT_EQUAL(a.counters[RM_C_TOTAL_LAUNCHED_REDUCES], 2);
    CU_ASSERT(a.submit_us <= a.start_us && a.start_us < a.finish_us);
    CU_ASSERT_EQUAL(w.commits, 1);
    CU_ASSERT_EQUAL(w.aborts, 0);
    CU_ASSERT_EQUAL(w.map_outputs, 5);
    for (size_t i = 0; i < w.nodes_n; i++) {
        CU_ASSERT_EQUAL(w.nodes[i].n, 0);
        CU_ASSERT_EQUAL(w.nodes[i].launches, w.nodes[i].forgets);
        world_beat(&w, &w.nodes[i], 0);
        CU_ASSERT_EQUAL(w.nodes[i].cleanups, w.nodes[i].launches > 0);
    }
    world_free(&w);
}

/* Nothing is shown or done before it is durable. */
static void test_durable_first(void)
{
    struct base_app_id id;
    struct world_node *n;
    uint64_t seq;

    begin(1, 2, 1);
    n = &w.nodes[0];
    w.auto_store = false;
    seq = w.seq;
    id = world_submit(&w, "one 1 0 0 4 0 0");
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_JOB);
    CU_ASSERT(w.reply.after_seq > seq);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_NEW_SAVING);
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(n->launches, 0);
    world_store(&w, w.seq);
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(n->launches, 1);
    world_store(&w, w.seq);
    n->v[0].ended = true;
    n->v[0].exit_code = 0;
    world_beat(&w, n, 0);
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(n->forgets, 0); /* its end is not stored yet */
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FINAL_SAVING);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_UNDEFINED);
    world_store(&w, w.seq);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FINISHED);
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL(n->forgets, 1);
    world_free(&w);
}

static void test_submitted_again(void)
{
    struct base_app_id id = {1699999999999, 7}, again; /* given by an earlier instance */

    begin(1, 1, 1);
    again = world_submit_as(&w, id, "a 1 0 0 4 0 0");
    CU_ASSERT_EQUAL(base_app_id_cmp(&id, &again), 0);
    CU_ASSERT(w.reply.flag);
    world_submit_as(&w, id, "a 1 0 0 4 0 0");
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_JOB);
    CU_ASSERT_FALSE(w.reply.flag);
    world_submit_as(&w, id, "a 2 0 0 4 0 0");
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EEXIST);
    again = world_submit(&w, "b 1 0 0 4 0 0");
    CU_ASSERT_EQUAL(again.seq, 1);
    world_free(&w);
}

/* Of the ids that begin with this instance's start, only those that it gave are taken: one that a
 * client made up could use up all that follow. */
static void test_ids_given(void)
{
    struct rm_event ev = {.kind = RM_EV_NEW_APP_ID}, app = {.kind = RM_EV_SUBMIT_APP};
    struct base_app_id given;

    begin(1, 1, 1);
    ev.token = ++w.token;
    world_step(&w, &ev);
    given = w.reply.app_id;
    CU_ASSERT_EQUAL(given.seq, 1);
    world_submit_as(&w, (struct base_app_id){1700000000000, INT32_MAX}, "a 1 0 0 4 0 0");
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(
        w.reply.text, "id: application_1700000000000_2147483647 was not given by new-application");
    app.token = ++w.token;
    app.u.submit_app.spec = world_app_spec("app 1024 2 0");
    app.u.submit_app.spec->id = (struct base_app_id){1700000000000, 2};
    world_step(&w, &app);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EINVAL);
    world_submit_as(&w, given, "a 1 0 0 4 0 0");
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_JOB);
    CU_ASSERT_EQUAL(world_submit(&w, "b 1 0 0 4 0 0").seq, 2);
    world_free(&w);
}

static void test_unknown_queue(void)
{
    struct rm_event ev = {.kind = RM_EV_SUBMIT_JOB};
    char *queues[] = {"nosuch", "root.nosuch", "prod", "root.batch"};

    begin(1, 1, 1);
    for (int i = 0; i < 4; i++) {
        struct rm_job_spec *s = world_spec("a 1 0 0 4 0 0");

        free(s->queue);
        s->queue = base_strdup(queues[i]);
        ev.token = ++w.token;
        ev.u.submit_job.spec = s;
        world_step(&w, &ev);
        CU_ASSERT_EQUAL(w.reply.kind, i < 2 ? RM_REPLY_ERROR : RM_REPLY_JOB);
        if (i < 2) {
            CU_ASSERT_EQUAL(w.reply.code, -BASE_EINVAL);
            CU_ASSERT_PTR_NOT_NULL(strstr(w.reply.text, queues[i]));
            CU_ASSERT_PTR_NOT_NULL(strstr(w.reply.text, "root.default, root.batch, root.prod"));
        }
    }
    world_free(&w);
}

static void test_retry_elsewhere(void)
{
    struct base_app_id id;
    struct world_node *n, *other;

    begin(2, 4, 1);
    id = world_submit(&w, "a 1 0 0 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(world_task(&w, id, BASE_TASK_MAP, 0, &n));
    finish(id, BASE_TASK_MAP, 0, 1, "no");
    world_beat(&w, n, 0);
    CU_ASSERT_PTR_NULL(world_task(&w, id, BASE_TASK_MAP, 0, &other)); /* not on that node again */
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(world_task(&w, id, BASE_TASK_MAP, 0, &other));
    CU_ASSERT(other != n);
    finish(id, BASE_TASK_MAP, 0, 1, "no");
    world_beat(&w, n, 0); /* the map has failed on both nodes: so any node will do */
    CU_ASSERT_PTR_NOT_NULL(world_task(&w, id, BASE_TASK_MAP, 0, &other));
    CU_ASSERT_EQUAL(world_task_view(&w, id, BASE_TASK_MAP, 0, NULL).attempts, 3);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    CU_ASSERT_EQUAL(world_app(&w, id).counters[RM_C_FAILED_MAPS], 2);
    world_free(&w);
}

static void test_fails_at_last(void)
{
    struct base_app_id id;
    struct rm_views v = {0};
    struct world_node *n;

    begin(1, 2, 1);
    id = world_submit(&w, "a 2 1 1 2 0 0");
    world_beat(&w, &w.nodes[0], 0);
    finish(id, BASE_TASK_MAP, 0, 3, "first");
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_RUNNING);
    finish(id, BASE_TASK_MAP, 0, 3, "line 7: no such word");
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_RUNNING); /* the other map is being killed */
    world_beat(&w, &w.nodes[0], 0);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_PTR_NULL(world_task(&w, id, BASE_TASK_MAP, 1, &n));
    CU_ASSERT_EQUAL(rm_view_app(w.core, id, &v), 0);
    CU_ASSERT_EQUAL(v.apps[0].state, RM_APP_FINISHED);
    CU_ASSERT_EQUAL(v.apps[0].final_status, RM_FINAL_FAILED);
    CU_ASSERT_STRING_EQUAL(v.apps[0].diagnostics,
                           "Task task_1700000000000_0001_m_000000 failed 2 times; last on node "
                           "node0:8042: line 7: no such word");
    rm_views_free(&v);
    CU_ASSERT_EQUAL(w.aborts, 1);
    CU_ASSERT_EQUAL(w.commits, 0);
    CU_ASSERT_EQUAL(world_task_view(&w, id, BASE_TASK_MAP, 0, NULL).state, RM_TASK_FAILED);
    CU_ASSERT_EQUAL(world_task_view(&w, id, BASE_TASK_MAP, 1, NULL).state, RM_TASK_KILLED);
    CU_ASSERT_EQUAL(world_task_view(&w, id, BASE_TASK_REDUCE, 0, NULL).state, RM_TASK_KILLED);
    world_free(&w);
}

/* Goal: how a job ended is one word, by which lists can be filtered and jobs are counted; counts
 * that YARN has, too, stay as they are in YARN. */
static void test_results(void)
{
    static const enum rm_result want[] = {RM_RESULT_SUCCEEDED, RM_RESULT_FAILED, RM_RESULT_KILLED,
                                          RM_RESULT_NONE};
    struct base_app_id id[4], cursor;
    struct rm_cluster_view cluster;

    begin(1, 1, 1);
    for (int i = 0; i < 4; i++) {
        id[i] = world_submit(&w, "a 1 0 0 1 0 0");
        world_beat(&w, &w.nodes[0], 0);
        if (want[i] == RM_RESULT_KILLED)
            world_kill(&w, id[i]);
        else if (want[i] != RM_RESULT_NONE)
            finish(id[i], BASE_TASK_MAP, 0, want[i] == RM_RESULT_FAILED, "why");
        if (want[i] == RM_RESULT_KILLED)
            world_run_dry(&w);
    }
    for (int i = 0; i < 4; i++) {
        const struct rm_app_filter f = {.results = UINT32_C(1) << want[i]};
        struct rm_views v = {0};

        CU_ASSERT_EQUAL(world_app(&w, id[i]).result, want[i]);
        rm_view_apps(w.core, &f, NULL, 10, &v, &cursor);
        CU_ASSERT_EQUAL_FATAL(v.apps_n, 1);
        CU_ASSERT_EQUAL(base_app_id_cmp(&v.apps[0].id, &id[i]), 0);
        rm_views_free(&v);
    }
    rm_view_cluster(w.core, &cluster);
    for (int r = RM_RESULT_SUCCEEDED; r <= RM_RESULT_KILLED; r++)
        CU_ASSERT_EQUAL(cluster.apps_results[r], 1);
    /* as in YARN, a failed job is FINISHED, with the final status FAILED, and not counted as
     * failed */
    CU_ASSERT_EQUAL(cluster.apps_failed, 0);
    CU_ASSERT_EQUAL(cluster.apps_completed, 2);
    world_free(&w);
}

static void test_full_disk_does_not_count(void)
{
    struct base_app_id id;
    char why[256];

    begin(2, 1, 1);
    id = world_submit(&w, "a 1 0 0 1 0 0");
    world_beat(&w, &w.nodes[0], 0);
    w.nodes[0].healthy = false;
    finish(id, BASE_TASK_MAP, 0, RM_EXIT_DISKS_FAILED, "No space left on device");
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_RUNNING);
    world_task_view(&w, id, BASE_TASK_MAP, 0, why);
    CU_ASSERT_STRING_EQUAL(why, "No space left on device");
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(w.nodes[0].launches, 1); /* an unhealthy node gets nothing */
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(w.nodes[1].launches, 1);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    world_free(&w);
}

/* A task that fills the disk of the same node again is at fault itself. */
static void test_full_disk_again(void)
{
    struct base_app_id id;

    begin(1, 1, 1);
    id = world_submit(&w, "a 1 0 0 1 0 0");
    world_beat(&w, &w.nodes[0], 0);
    finish(id, BASE_TASK_MAP, 0, RM_EXIT_DISKS_FAILED, "No space left on device");
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_RUNNING);
    world_beat(&w, &w.nodes[0], 0);
    finish(id, BASE_TASK_MAP, 0, RM_EXIT_DISKS_FAILED, "No space left on device");
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_FAILED);
    world_free(&w);
}

static void test_kill(void)
{
    struct base_app_id id, waiting;

    begin(1, 2, 1);
    id = world_submit(&w, "a 4 1 1 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(w.nodes[0].n, 2);
    world_kill(&w, id);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_KILL);
    CU_ASSERT_FALSE(w.reply.flag);
    CU_ASSERT_EQUAL(w.reply.state, RM_APP_KILLING);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(w.nodes[0].kills, 2);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLING); /* its processes are still ending */
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLED);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_KILLED);
    CU_ASSERT_EQUAL(w.aborts, 1);
    world_kill(&w, id);
    CU_ASSERT(w.reply.flag);
    CU_ASSERT_EQUAL(w.reply.state, RM_APP_KILLED);
    w.nodes[0].up = false;
    waiting = world_submit(&w, "b 4 0 0 4 0 0");
    world_kill(&w, waiting);
    CU_ASSERT_EQUAL(world_state(&w, waiting), RM_APP_KILLED);
    world_kill(&w, (struct base_app_id){1, 1});
    CU_ASSERT_EQUAL(w.reply.code, -BASE_ENOTFOUND);
    world_free(&w);
}

/* A kill that comes while the output is being committed comes too late. */
static void test_kill_while_committing(void)
{
    struct base_app_id id;

    begin(1, 2, 1);
    id = world_submit(&w, "a 1 0 1 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    w.no_shell = true;
    finish(id, BASE_TASK_MAP, 0, 0, NULL);
    CU_ASSERT_EQUAL(w.commits, 1);
    world_kill(&w, id);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLING);
    w.no_shell = false;
    world_settle(&w);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FINISHED);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    world_free(&w);
}

/* The RM crashes before it is durable that the output was committed: the next leader must not call
 * the job killed. The kill is answered when all that the job has done is durable: so the next
 * leader only commits again, and does not begin the job anew. */
static void test_kill_while_committing_and_crash(void)
{
    struct base_app_id id;
    size_t records;

    begin(1, 2, 1);
    id = world_submit(&w, "a 1 0 1 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    w.no_shell = true;
    w.auto_store = false;
    finish(id, BASE_TASK_MAP, 0, 0, NULL);
    world_kill(&w, id);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_KILL);
    CU_ASSERT(w.stored < w.seq);
    CU_ASSERT_EQUAL(w.reply.after_seq, w.seq);
    world_store(&w, w.seq);
    CU_ASSERT_EQUAL(w.commits, 1);
    records = w.journal_n;
    w.auto_store = true;
    w.no_shell = false;
    world_settle(&w);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    world_crash(&w, records);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(w.commits, 2);
    CU_ASSERT_EQUAL(w.aborts, 0);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FINISHED);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    world_free(&w);
}

/* When the commit fails, a kill that came meanwhile counts. The folder is cleared away only when
 * that is durable. */
static void test_kill_and_commit_fails(void)
{
    struct base_app_id id;
    uint64_t before;

    begin(1, 2, 1);
    id = world_submit(&w, "a 1 0 1 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    w.no_shell = w.fail_commit = true;
    finish(id, BASE_TASK_MAP, 0, 0, NULL);
    world_kill(&w, id);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLING);
    w.no_shell = w.auto_store = false;
    before = w.seq;
    world_settle(&w);
    CU_ASSERT_EQUAL(w.aborts, 1);
    CU_ASSERT_EQUAL(w.abort_after, before + 1);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLING);
    world_store(&w, before + 1);
    world_settle(&w);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FINAL_SAVING);
    world_crash(&w, w.durable);
    w.auto_store = true;
    world_beat(&w, &w.nodes[0], 0);
    world_settle(&w);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLED);
    CU_ASSERT_EQUAL(w.commits, 1);
    world_free(&w);
}

/* A job is shown as ended only when its folder is gone; a leader that takes over before that clears
 * the folder away itself. */
static void test_end_waits_for_abort(void)
{
    struct base_app_id id;

    begin(1, 2, 1);
    id = world_submit(&w, "a 1 0 1 4 0 0");
    w.no_shell = true;
    world_kill(&w, id);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(w.aborts, 1);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLING);
    world_kill(&w, id);
    CU_ASSERT_EQUAL(w.aborts, 1);
    world_crash(&w, w.durable);
    world_register(&w, &w.nodes[0]);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLING);
    CU_ASSERT_EQUAL(w.aborts, 2);
    w.no_shell = false;
    world_settle(&w);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLED);
    CU_ASSERT_EQUAL(w.aborts, 2);
    world_free(&w);
}

/* An attempt has leave to commit, is lost with its node, and is replaced: the part of its successor
 * is the one that counts, whatever the node does when it is back, and after a restart as well. */
static void test_part_that_counts(void)
{
    struct base_app_id id;

    begin(2, 1, 1);
    id = world_submit(&w, "a 2 0 1 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_TRUE(commit(id, BASE_TASK_MAP, 0, 0));
    for (int i = 0;
         i < 40 && world_task_view(&w, id, BASE_TASK_MAP, 0, NULL).state == RM_TASK_RUNNING; i++) {
        world_advance(&w, 1000000);
        world_beat(&w, &w.nodes[1], 0);
    }
    w.nodes[0].up = false;
    w.no_shell = true;
    world_run_dry(&w);
    CU_ASSERT_EQUAL(w.commits, 1);
    CU_ASSERT_EQUAL_FATAL(w.parts_n, 2);
    CU_ASSERT_EQUAL(w.parts[0], 1);
    CU_ASSERT_EQUAL(w.parts[1], 0);
    w.parts_n = 0;
    world_crash(&w, w.durable);
    w.nodes[0].up = true; /* the node is back, with the container of attempt 0, which ends well */
    world_register(&w, &w.nodes[0]);
    world_register(&w, &w.nodes[1]);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(w.commits, 2);
    CU_ASSERT_EQUAL_FATAL(w.parts_n, 2);
    CU_ASSERT_EQUAL(w.parts[0], 1);
    w.no_shell = false;
    world_settle(&w);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    world_free(&w);
}

static void test_shell_fails(void)
{
    struct base_app_id id;

    begin(1, 2, 1);
    w.fail_setup = true;
    id = world_submit(&w, "a 1 0 1 4 0 0");
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FINISHED);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_FAILED);
    w.fail_setup = false;
    w.fail_commit = true;
    id = world_submit(&w, "a 1 0 1 4 0 0");
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_FAILED);
    CU_ASSERT_EQUAL(w.aborts, 1);
    world_free(&w);
}

static void test_slowstart(void)
{
    struct base_app_id id;

    begin(1, 20, 4);
    w.conf.slowstart = 0.5;
    rm_core_free(w.core);
    w.core = rm_core_new(&w.conf, NULL);
    w.seq = w.stored = 0;
    w.nodes[0].registered = false;
    id = world_submit(&w, "a 10 2 0 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    for (int i = 0; i < 5; i++) {
        CU_ASSERT_EQUAL(world_app(&w, id).phase[1].running, 0);
        finish(id, BASE_TASK_MAP, i, 0, NULL);
    }
    CU_ASSERT_EQUAL(world_app(&w, id).phase[1].running, 2);
    world_run_dry(&w);
    id = world_submit(&w, "b 0 3 0 4 0 0"); /* a job of reduces alone starts them at once */
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(world_app(&w, id).phase[1].running, 3);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FINISHED);
    world_free(&w);
}

static void test_commit_arbitration(void)
{
    struct base_app_id id;
    struct world_node *n;

    begin(2, 2, 2);
    id = world_submit(&w, "a 0 2 1 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_FALSE(commit(id, BASE_TASK_REDUCE, 0, 5)); /* no such attempt runs */
    CU_ASSERT(commit(id, BASE_TASK_REDUCE, 0, 0));
    CU_ASSERT(commit(id, BASE_TASK_REDUCE, 0, 0)); /* the same attempt may ask again */
    CU_ASSERT_FALSE(commit(id, BASE_TASK_REDUCE, 0, 1));
    finish(id, BASE_TASK_REDUCE, 0, 1, "died after commit");
    /* the right to commit has gone with the attempt */
    CU_ASSERT_FALSE(commit(id, BASE_TASK_REDUCE, 0, 0));
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_PTR_NOT_NULL(world_task(&w, id, BASE_TASK_REDUCE, 0, &n));
    CU_ASSERT(commit(id, BASE_TASK_REDUCE, 0, 1));
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    world_free(&w);
}

static void fetch_failure(struct base_app_id id, int32_t map, int32_t attempt, int32_t reduce,
                          bool gone)
{
    struct rm_event ev = {.kind = RM_EV_FETCH_FAILURE, .token = ++w.token};

    ev.u.fetch_failure.app = id;
    ev.u.fetch_failure.map = map;
    ev.u.fetch_failure.attempt = attempt;
    ev.u.fetch_failure.gone = gone;
    ev.u.fetch_failure.reduce = (struct base_task_id){id, BASE_TASK_REDUCE, reduce};
    world_step(&w, &ev);
}

static void test_map_outputs(void)
{
    struct base_app_id id;
    struct rm_views v = {0};
    int64_t version, maps, done, since;

    begin(2, 2, 1);
    id = world_submit(&w, "a 2 2 0 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    finish(id, BASE_TASK_MAP, 0, 0, NULL);
    CU_ASSERT_EQUAL(rm_view_map_outputs(w.core, id, 0, &version, &maps, &done, &v), 0);
    CU_ASSERT_EQUAL(maps, 2);
    CU_ASSERT_EQUAL(done, 1);
    CU_ASSERT_EQUAL_FATAL(v.outputs_n, 1);
    CU_ASSERT_STRING_EQUAL(v.outputs[0].node_http, "node0:8042");
    rm_views_free(&v);
    since = version;
    finish(id, BASE_TASK_MAP, 1, 0, NULL);
    rm_view_map_outputs(w.core, id, since, &version, &maps, &done, &v);
    CU_ASSERT_EQUAL_FATAL(v.outputs_n, 1);
    CU_ASSERT_EQUAL(v.outputs[0].map, 1);
    CU_ASSERT(version > since);
    rm_views_free(&v);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(world_app(&w, id).phase[1].running, 2);
    fetch_failure(id, 0, 0, 0, false);
    fetch_failure(id, 0, 0, 0, false); /* the same reduce again: says nothing new */
    CU_ASSERT_EQUAL(world_app(&w, id).phase[0].succeeded, 2);
    fetch_failure(id, 0, 0, 1, false);
    CU_ASSERT_EQUAL(world_app(&w, id).phase[0].succeeded, 1);
    fetch_failure(id, 1, 0, 1, true); /* the output is gone (404): one report is enough */
    CU_ASSERT_EQUAL(world_app(&w, id).phase[0].succeeded, 0);
    fetch_failure(id, 1, 0, 1, true); /* about an attempt that counts no longer */
    world_beat(&w, &w.nodes[1], 0);
    finish(id, BASE_TASK_MAP, 0, 0, NULL);
    since = version;
    rm_view_map_outputs(w.core, id, since, &version, &maps, &done, &v);
    CU_ASSERT_EQUAL_FATAL(v.outputs_n, 1);
    CU_ASSERT_EQUAL(v.outputs[0].attempt, 1);
    rm_views_free(&v);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    CU_ASSERT_EQUAL(
        rm_view_map_outputs(w.core, (struct base_app_id){1, 1}, 0, &version, &maps, &done, &v),
        -BASE_ENOTFOUND);
    world_free(&w);
}

/* Readers get long lists piece by piece: each map once, with the attempt that counts, even if it
 * was run again. */
static void test_views_in_pieces(void)
{
    static bool seen[2500];
    struct base_app_id id;
    struct rm_views v = {0};
    int64_t version = 0, since = -1, maps, done, pos = 0;
    int calls = 0;

    begin(1, 2500, 1);
    id = world_submit(&w, "a 2500 1 0 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(rm_view_tasks(w.core, id, BASE_TASK_MAP, 1u << RM_TASK_FAILED, &pos, 10, &v),
                    0);
    /* none of the first 1,000 maps has failed; the reader asks again from there */
    CU_ASSERT_EQUAL(pos, 1000);
    rm_views_free(&v);
    for (size_t i = 0; i < w.nodes[0].n; i++) {
        w.nodes[0].v[i].ended = w.nodes[0].v[i].task.kind == BASE_TASK_MAP;
        w.nodes[0].v[i].exit_code = 0;
    }
    world_beat(&w, &w.nodes[0], 0);
    fetch_failure(id, 7, 0, 0, true);
    world_beat(&w, &w.nodes[0], 0);
    finish(id, BASE_TASK_MAP, 7, 0, NULL);
    for (since = 0; since != version || !calls; calls++) {
        since = version;
        CU_ASSERT_EQUAL(rm_view_map_outputs(w.core, id, since, &version, &maps, &done, &v), 0);
        CU_ASSERT(v.outputs_n <= 1000);
        for (size_t i = 0; i < v.outputs_n; i++) {
            CU_ASSERT_FALSE(seen[v.outputs[i].map]);
            CU_ASSERT_EQUAL(v.outputs[i].attempt, v.outputs[i].map == 7);
            seen[v.outputs[i].map] = true;
        }
        rm_views_free(&v);
    }
    CU_ASSERT_EQUAL(calls, 4);
    CU_ASSERT_EQUAL(done, 2500);
    for (int i = 0; i < 2500; i++)
        CU_ASSERT(seen[i]);
    world_run_dry(&w);
    world_free(&w);
}

static void one_map_done(int nodes, const char *job, struct base_app_id *id)
{
    begin(nodes, 1, 2);
    *id = world_submit(&w, job);
    world_beat_all(&w, 0);
    finish(*id, BASE_TASK_MAP, 0, 0, NULL);
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(world_app(&w, *id).phase[0].succeeded, 1);
}

/* The only reduce has to report a map's output twice. That counts as a failure of the map, and the
 * third one fails the job. */
static void test_fetch_failures_bounded(void)
{
    struct base_app_id id;
    struct world_node *n;
    char why[256];

    one_map_done(5, "a 1 1 0 3 0 0", &id);
    for (int attempt = 0; attempt < 3; attempt++) {
        fetch_failure(id, 0, attempt, 0, false);
        CU_ASSERT_EQUAL(world_app(&w, id).phase[0].succeeded, 1);
        fetch_failure(id, 0, attempt, 0, false);
        CU_ASSERT_EQUAL(world_app(&w, id).phase[0].succeeded, 0);
        CU_ASSERT_EQUAL(world_app(&w, id).counters[RM_C_FAILED_MAPS], attempt + 1);
        if (attempt == 2)
            break;
        for (size_t i = 0; i < w.nodes_n; i++)
            world_beat(&w, &w.nodes[i], 0);
        CU_ASSERT_PTR_NOT_NULL_FATAL(world_task(&w, id, BASE_TASK_MAP, 0, &n));
        /* not on a node from which its output could not be fetched */
        CU_ASSERT_EQUAL(n - w.nodes, attempt + 1);
        finish(id, BASE_TASK_MAP, 0, 0, NULL);
    }
    for (int i = 0; i < 3; i++)
        world_beat_all(&w, 0);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FINISHED);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_FAILED);
    CU_ASSERT_EQUAL(world_task_view(&w, id, BASE_TASK_MAP, 0, why).state, RM_TASK_FAILED);
    CU_ASSERT_STRING_EQUAL(why, "reduces could not fetch its output");
    world_free(&w);
}

/* Fetches that fail because a node is silent do not count against the map, even where the job
 * allows only one attempt. */
static void test_fetch_from_silent_node(void)
{
    struct base_app_id id;

    one_map_done(2, "a 1 1 0 1 0 0", &id);
    w.nodes[0].up = false;
    world_advance(&w, 3000000);
    world_beat(&w, &w.nodes[1], 0);
    fetch_failure(id, 0, 0, 0, false);
    fetch_failure(id, 0, 0, 0, false);
    CU_ASSERT_EQUAL(world_app(&w, id).counters[RM_C_FAILED_MAPS], 0);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_RUNNING);
    for (int i = 0; i < 40; i++) {
        world_advance(&w, 1000000);
        world_beat(&w, &w.nodes[1], 0);
    }
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    world_free(&w);
}

static void test_completed_max(void)
{
    struct rm_views v = {0};
    struct base_app_id cursor;

    world_init(&w, "fifo");
    w.conf.completed_apps_max = 3;
    rm_core_free(w.core);
    w.core = rm_core_new(&w.conf, NULL);
    world_add_node(&w, 4, 1, NULL);
    for (int i = 0; i < 6; i++) {
        world_submit(&w, "a 1 0 0 4 0 0");
        world_run_dry(&w);
    }
    CU_ASSERT_FALSE(rm_view_apps(w.core, NULL, NULL, 100, &v, &cursor));
    CU_ASSERT_EQUAL(v.apps_n, 3);
    CU_ASSERT_EQUAL(v.apps[0].id.seq, 6);
    CU_ASSERT_EQUAL(v.apps[2].id.seq, 4);
    rm_views_free(&v);
    world_crash(&w, w.journal_n);
    rm_view_apps(w.core, NULL, NULL, 100, &v, &cursor);
    CU_ASSERT_EQUAL(v.apps_n, 3);
    rm_views_free(&v);
    world_free(&w);
}

static void test_lists(void)
{
    struct rm_views v = {0};
    struct base_app_id cursor;
    struct rm_app_filter f = {.states = 1u << RM_APP_RUNNING};

    begin(1, 1, 1);
    for (int i = 0; i < 5; i++)
        world_submit(&w, "a 1 0 0 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT(rm_view_apps(w.core, NULL, NULL, 2, &v, &cursor));
    CU_ASSERT_EQUAL(v.apps_n, 2);
    CU_ASSERT_EQUAL(v.apps[1].id.seq, 4);
    CU_ASSERT_FALSE(rm_view_apps(w.core, NULL, &cursor, 10, &v, &cursor));
    CU_ASSERT_EQUAL(v.apps_n, 5);
    CU_ASSERT_EQUAL(v.apps[4].id.seq, 1);
    rm_views_free(&v);
    rm_view_apps(w.core, &f, NULL, 10, &v, &cursor);
    CU_ASSERT_EQUAL_FATAL(v.apps_n, 1);
    CU_ASSERT_EQUAL(v.apps[0].id.seq, 1);
    rm_views_free(&v);
    f = (struct rm_app_filter){
        .queue = "root.default", .user = "ann", .name = "a", .jobs_only = true};
    rm_view_apps(w.core, &f, NULL, 10, &v, &cursor);
    CU_ASSERT_EQUAL(v.apps_n, 5);
    rm_views_free(&v);
    world_free(&w);
}

/* Explicit tasks, each with a command and a host of its own: every task that runs does so on its
 * host. */
static void test_many_groups(void)
{
    enum { GROUPS = 30000, NODES = 4, LOOKED_AT = 200 };
    struct rm_event ev = {.kind = RM_EV_SUBMIT_JOB, .token = 1};
    struct rm_job_spec *s = world_spec("many 1 0 0 4 0 0");
    int host[LOOKED_AT], maps = 0, found = 0;
    struct base_app_id id;

    begin(NODES, 2, 1);
    s->groups = base_realloc_array(s->groups, GROUPS, sizeof *s->groups);
    for (; s->groups_n < GROUPS; s->groups_n++) {
        struct rm_task_group *g = &s->groups[s->groups_n];
        int of = (int)(s->groups_n / 5 % NODES);

        *g = (struct rm_task_group){.kind = s->groups_n % 3 == 1 ? BASE_TASK_REDUCE : BASE_TASK_MAP,
                                    .command = base_strdup("true"),
                                    .count = 1 + (int64_t)s->groups_n % 2};
        g->hosts.v = base_alloc(sizeof *g->hosts.v);
        g->hosts.v[g->hosts.n++] = base_strdup(w.nodes[of].host);
        for (int64_t i = 0; g->kind == BASE_TASK_MAP && i < g->count && maps + 1 < LOOKED_AT; i++)
            host[++maps] = of; /* the first task, which world_spec() made, has no host */
    }
    ev.u.submit_job.spec = s;
    ev.u.submit_job.app_token = "0123456789abcdef0123456789abcdef";
    world_step(&w, &ev);
    id = w.reply.app_id;
    world_settle(&w);
    world_beat_all(&w, 0);
    for (int i = 1; i <= maps; i++) {
        struct world_node *n;

        if (!world_task(&w, id, BASE_TASK_MAP, i, &n))
            continue;
        CU_ASSERT_PTR_EQUAL(n, &w.nodes[host[i]]);
        found++;
    }
    CU_ASSERT_EQUAL(found, NODES * 2);
    world_free(&w);
}

static const struct cunit_case cases[] = {
    {"map and reduce to the end", test_map_reduce},
    {"durable first", test_durable_first},
    {"submitted again", test_submitted_again},
    {"ids are given", test_ids_given},
    {"unknown queue", test_unknown_queue},
    {"retry elsewhere", test_retry_elsewhere},
    {"fails at last", test_fails_at_last},
    {"full disk does not count", test_full_disk_does_not_count},
    {"full disk again", test_full_disk_again},
    {"kill", test_kill},
    {"kill while committing", test_kill_while_committing},
    {"kill while committing, and a crash", test_kill_while_committing_and_crash},
    {"kill, and the commit fails", test_kill_and_commit_fails},
    {"results", test_results},
    {"the end waits for the folder", test_end_waits_for_abort},
    {"the part that counts", test_part_that_counts},
    {"shell fails", test_shell_fails},
    {"slowstart", test_slowstart},
    {"commit arbitration", test_commit_arbitration},
    {"map outputs, fetch failures", test_map_outputs},
    {"views in pieces", test_views_in_pieces},
    {"fetch failures are bounded", test_fetch_failures_bounded},
    {"fetch from a silent node", test_fetch_from_silent_node},
    {"oldest finished go", test_completed_max},
    {"lists", test_lists},
    {"tasks that each have a host", test_many_groups}};

CUNIT_MAIN("jobs", cases)
