/* The steps of jobs on nodes: setup before the first map, commit after the last task, abort of a
 * job that fails or is killed; across failures of containers, nodes and ResourceManagers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "rm/core/job/step/step.h"
#include "rm/core/state.h"
#include "tests/sim/core_world.h"
#include "tests/unit/cunit_main.h"

#define LIMIT_US INT64_C(600000000)

static void begin(struct world *w, const char *policy, int nodes, int maps, int reduces)
{
    world_init(w, policy);
    w->conf.steps_on_nodes = true;
    w->conf.step_timeout_us = LIMIT_US;
    world_renew(w);
    for (int i = 0; i < nodes; i++)
        world_add_node(w, maps, reduces, NULL);
    world_beat_all(w, 10000000);
}

/* Returns the live container of a step, and its node; NULL: none. */
static struct world_container *find_step(struct world *w, enum base_job_step step,
                                         struct world_node **node)
{
    for (size_t i = 0; i < w->nodes_n; i++)
        for (size_t j = 0; w->nodes[i].up && j < w->nodes[i].n; j++)
            if (w->nodes[i].v[j].step == step && !w->nodes[i].v[j].ended) {
                if (node)
                    *node = &w->nodes[i];
                return &w->nodes[i].v[j];
            }
    return NULL;
}

/* Ends the container of the step as its process would, and lets its node report that. */
static void end_step(struct world *w, enum base_job_step step, int exit_code, const char *why)
{
    struct world_node *n = NULL;
    struct world_container *ct = find_step(w, step, &n);

    CU_ASSERT_PTR_NOT_NULL_FATAL(ct);
    ct->ended = true;
    ct->exit_code = exit_code;
    snprintf(ct->diagnostics, sizeof ct->diagnostics, "%s", why);
    world_beat(w, n, 10000000);
    world_beat_all(w, 10000000);
}

static void assert_diagnostics(const struct world *w, struct base_app_id id, const char *text)
{
    const struct rm_app *a = rm_app_find(w->core, id);

    CU_ASSERT_PTR_NOT_NULL_FATAL(a);
    CU_ASSERT_STRING_EQUAL(a->diagnostics, text);
}

/* Moves the clock forward, while all nodes send heartbeats. */
static void pass_time(struct world *w, int64_t us)
{
    for (int64_t end = w->now + us; w->now < end;) {
        int64_t by = end - w->now < 1000000 ? end - w->now : 1000000;

        world_advance(w, by);
        world_beat_all(w, 900000);
    }
    world_beat_all(w, 900000);
}

/* Reports splits @first to @first + @n - 1, as attempt @attempt of the setup. */
static void report(struct world *w, struct base_app_id id, int32_t attempt, int first, int n,
                   bool last)
{
    struct rm_split_page page = {.first = first, .last = last};
    struct rm_event ev = {.kind = RM_EV_JOB_SPLITS, .token = ++w->token};

    page.paths.v = base_alloc(sizeof *page.paths.v);
    page.paths.v[page.paths.n++] = base_strdup("/in");
    page.splits = base_alloc((size_t)n * sizeof *page.splits);
    for (int i = 0; i < n; i++)
        page.splits[page.splits_n++] =
            (struct rm_split_spec){.offset = 100 * (first + i), .length = 100};
    ev.u.job_splits.id = id;
    ev.u.job_splits.attempt = attempt;
    ev.u.job_splits.page = &page;
    world_step(w, &ev);
    rm_split_page_clear(&page);
}

static bool may_commit(struct world *w, struct base_app_id id, int32_t attempt)
{
    struct rm_event ev = {.kind = RM_EV_JOB_MAY_COMMIT, .token = ++w->token};

    ev.u.job_may_commit.id = id;
    ev.u.job_may_commit.attempt = attempt;
    world_step(w, &ev);
    return w->reply.kind == RM_REPLY_FLAG && w->reply.flag;
}

static void set_up(struct world *w, struct base_app_id id, int maps)
{
    struct world_container *ct = find_step(w, BASE_STEP_SETUP, NULL);

    CU_ASSERT_PTR_NOT_NULL_FATAL(ct);
    report(w, id, ct->attempt, 0, maps, true);
    CU_ASSERT(w->reply.kind == RM_REPLY_SPLITS && w->reply.flag);
    CU_ASSERT_EQUAL(w->reply.value, maps);
    end_step(w, BASE_STEP_SETUP, 0, "");
}

/* Ends all tasks with exit code 0; steps go on. */
static void run_tasks(struct world *w)
{
    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < w->nodes_n; i++)
            for (size_t j = 0; j < w->nodes[i].n; j++)
                if (w->nodes[i].v[j].has_task && !w->nodes[i].v[j].ended) {
                    w->nodes[i].v[j].ended = true;
                    w->nodes[i].v[j].exit_code = 0;
                }
        world_beat_all(w, 10000000);
        world_beat_all(w, 10000000);
    }
}

/* Goal: a setup comes first, alone; its splits become the maps once they are durable; a commit
 * comes last; neither counts as a map. */
static void test_life(void)
{
    struct world w;
    struct rm_app_view v;
    struct base_app_id id;
    int32_t attempt;

    begin(&w, "fifo", 2, 2, 1);
    id = world_submit(&w, "job 3 1 1 4 0 0");
    CU_ASSERT_EQUAL(w.launches, 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(find_step(&w, BASE_STEP_SETUP, NULL));
    attempt = find_step(&w, BASE_STEP_SETUP, NULL)->attempt;
    v = world_app(&w, id);
    CU_ASSERT_EQUAL(v.state, RM_APP_ACCEPTED);
    CU_ASSERT_EQUAL(v.phase[BASE_TASK_MAP].total, 0);
    CU_ASSERT_EQUAL(v.phase[BASE_TASK_REDUCE].total, 1);
    report(&w, id, attempt + 1, 0, 3, true); /* no such attempt */
    CU_ASSERT_FALSE(w.reply.flag);
    report(&w, id, attempt, 0, 2, false);
    CU_ASSERT(w.reply.flag && w.reply.value == 2);
    report(&w, id, attempt, 0, 2, false); /* the same report again */
    CU_ASSERT(w.reply.flag && w.reply.value == 2);
    report(&w, id, attempt, 5, 1, true); /* not the next splits */
    CU_ASSERT(w.reply.flag && w.reply.value == 2);
    w.auto_store = false;
    report(&w, id, attempt, 2, 1, true);
    CU_ASSERT(w.reply.flag && w.reply.value == 3 && w.reply.after_seq == w.seq);
    world_beat_all(&w, 10000000);
    CU_ASSERT_EQUAL(w.launches, 1); /* the splits are not durable yet */
    w.auto_store = true;
    world_settle(&w);
    world_beat_all(&w, 10000000);
    v = world_app(&w, id);
    CU_ASSERT_EQUAL(v.phase[BASE_TASK_MAP].total, 3);
    CU_ASSERT_EQUAL(v.state, RM_APP_RUNNING);
    CU_ASSERT_EQUAL(w.launches, 4);      /* four slots, of which the setup has one until it ends */
    report(&w, id, attempt, 0, 3, true); /* once more, as after a lost answer */
    CU_ASSERT(w.reply.flag && w.reply.value == 3);
    CU_ASSERT_EQUAL(world_app(&w, id).phase[BASE_TASK_MAP].total, 3);
    end_step(&w, BASE_STEP_SETUP, 1, "too late to matter");
    run_tasks(&w);
    v = world_app(&w, id);
    CU_ASSERT_EQUAL(v.state, RM_APP_RUNNING);
    CU_ASSERT_EQUAL(v.counters[RM_C_TOTAL_LAUNCHED_MAPS], 3);
    CU_ASSERT_EQUAL(v.counters[RM_C_FAILED_MAPS], 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(find_step(&w, BASE_STEP_COMMIT, NULL));
    attempt = find_step(&w, BASE_STEP_COMMIT, NULL)->attempt;
    CU_ASSERT_FALSE(may_commit(&w, id, attempt + 1));
    w.auto_store = false;
    CU_ASSERT_TRUE(may_commit(&w, id, attempt));
    /* the answer waits until the permission is durable */
    CU_ASSERT_EQUAL(w.reply.after_seq, w.seq);
    w.auto_store = true;
    CU_ASSERT_TRUE(may_commit(&w, id, attempt)); /* the same attempt asks again */
    end_step(&w, BASE_STEP_COMMIT, 0, "");
    v = world_app(&w, id);
    CU_ASSERT_EQUAL(v.result, RM_RESULT_SUCCEEDED);
    CU_ASSERT_EQUAL(w.setups + w.commits + w.aborts, 0); /* the shell was asked for nothing */
    world_free(&w);
}

/* Goal: a node runs one step at a time, steps come before tasks, and jobs without files have none.
 */
static void test_places(void)
{
    struct world w;

    begin(&w, "fifo", 1, 4, 1);
    world_submit(&w, "a 2 0 1 4 0 0");
    world_submit(&w, "b 2 0 1 4 0 0");
    CU_ASSERT_EQUAL(w.launches, 1);
    world_submit(&w, "plain 6 0 0 4 0 0");
    world_beat_all(&w, 10000000);
    CU_ASSERT_EQUAL(w.launches, 4);
    end_step(&w, BASE_STEP_SETUP, 1, "again"); /* the next setup in the line is b's */
    CU_ASSERT_EQUAL(w.launches, 5);
    CU_ASSERT_PTR_NOT_NULL(find_step(&w, BASE_STEP_SETUP, NULL));
    world_free(&w);
}

/* Goal: a setup that fails is tried again, elsewhere, up to max-attempts; one that cannot succeed
 * is not. */
static void test_setup_failures(void)
{
    struct world w;
    struct world_node *first, *second;
    struct base_app_id id;
    char text[256];

    begin(&w, "fifo", 2, 1, 1);
    id = world_submit(&w, "job 1 0 1 3 0 0");
    find_step(&w, BASE_STEP_SETUP, &first);
    end_step(&w, BASE_STEP_SETUP, 1, "disk");
    CU_ASSERT_PTR_NOT_NULL_FATAL(find_step(&w, BASE_STEP_SETUP, &second));
    CU_ASSERT_PTR_NOT_EQUAL(first, second);
    end_step(&w, BASE_STEP_SETUP, 1, "disk");
    find_step(&w, BASE_STEP_SETUP, &first);
    end_step(&w, BASE_STEP_SETUP, 1, "job.input[0]: the disk is broken");
    /* the setup may have made the folder, so that an abort follows */
    end_step(&w, BASE_STEP_ABORT, 0, "");
    CU_ASSERT_EQUAL(world_app(&w, id).result, RM_RESULT_FAILED);
    CU_ASSERT_EQUAL(world_app(&w, id).counters[RM_C_FAILED_MAPS], 0);
    snprintf(text, sizeof text,
             "The job's setup failed 3 times; last on node %s: job.input[0]: the disk is broken",
             first->id);
    assert_diagnostics(&w, id, text);
    /* its setup ends with exit code 0, but has reported no splits */
    id = world_submit(&w, "job 1 0 1 3 0 0");
    for (int i = 0; i < 3; i++)
        end_step(&w, BASE_STEP_SETUP, 0, "");
    end_step(&w, BASE_STEP_ABORT, 0, "");
    CU_ASSERT_EQUAL(world_app(&w, id).result, RM_RESULT_FAILED);
    world_free(&w);
}

/* Goal: what one node refuses is tried on another one, and fails the job when each has refused it;
 * on a single node, at once. A node that takes no containers of jobs does not count. */
static void test_refusals(void)
{
    struct world w;
    struct world_node *first, *second, *third;
    struct base_app_id id;
    char text[256];

    begin(&w, "fifo", 3, 1, 1);
    id = world_submit(&w, "job 1 0 1 4 0 0");
    find_step(&w, BASE_STEP_SETUP, &first);
    end_step(&w, BASE_STEP_SETUP, RM_EXIT_JOB_REFUSED, "job.input[0]: /in does not exist");
    CU_ASSERT_PTR_NOT_NULL_FATAL(find_step(&w, BASE_STEP_SETUP, &second));
    CU_ASSERT_PTR_NOT_EQUAL(first, second);
    set_up(&w, id, 1); /* the others have mounted it */
    run_tasks(&w);
    end_step(&w, BASE_STEP_COMMIT, RM_EXIT_JOB_REFUSED, "read-only");
    CU_ASSERT_TRUE(may_commit(&w, id, find_step(&w, BASE_STEP_COMMIT, NULL)->attempt));
    end_step(&w, BASE_STEP_COMMIT, 0, "");
    CU_ASSERT_EQUAL(world_app(&w, id).result, RM_RESULT_SUCCEEDED);

    id = world_submit(&w, "job 1 0 1 4 0 0");
    find_step(&w, BASE_STEP_SETUP, &first);
    end_step(&w, BASE_STEP_SETUP, RM_EXIT_JOB_REFUSED, "first");
    find_step(&w, BASE_STEP_SETUP, &second);
    end_step(&w, BASE_STEP_SETUP, RM_EXIT_JOB_REFUSED, "second");
    find_step(&w, BASE_STEP_SETUP, &third);
    CU_ASSERT(first != second && second != third && first != third);
    end_step(&w, BASE_STEP_SETUP, RM_EXIT_JOB_REFUSED, "job.input[0]: /no does not exist");
    CU_ASSERT_PTR_NULL(find_step(&w, BASE_STEP_SETUP, NULL)); /* three nodes: no fourth attempt */
    end_step(&w, BASE_STEP_ABORT, 0, "");
    snprintf(text, sizeof text,
             "The job's setup failed 3 times; last on node %s: job.input[0]: /no does not exist",
             third->id);
    assert_diagnostics(&w, id, text);

    world_label(&w, RM_LABELS_ADD, "gpu", NULL, true);
    world_label(&w, RM_LABELS_REPLACE, w.nodes[1].id, "gpu", false);
    world_label(&w, RM_LABELS_REPLACE, w.nodes[2].id, "gpu", false);
    id = world_submit(&w, "job 1 0 1 4 0 0");
    end_step(&w, BASE_STEP_SETUP, 1, "unsteady");
    CU_ASSERT_PTR_NOT_NULL_FATAL(find_step(&w, BASE_STEP_SETUP, &first)); /* again on this node */
    CU_ASSERT_PTR_EQUAL(first, &w.nodes[0]);
    end_step(&w, BASE_STEP_SETUP, RM_EXIT_JOB_REFUSED, "job.output: /out already exists");
    CU_ASSERT_PTR_NULL(find_step(&w, BASE_STEP_SETUP, NULL));
    end_step(&w, BASE_STEP_ABORT, 0, "");
    CU_ASSERT_EQUAL(world_app(&w, id).result, RM_RESULT_FAILED);
    world_free(&w);
}

/* Goal: a setup that does not end holds its place for the limit, not longer; then another node
 * tries; at last the job fails and names step, node and limit. */
static void test_setup_hangs(void)
{
    struct world w;
    struct world_node *first, *second;
    struct base_app_id id;
    char text[256];

    begin(&w, "fifo", 2, 1, 1);
    id = world_submit(&w, "job 1 0 1 2 0 0");
    find_step(&w, BASE_STEP_SETUP, &first);
    pass_time(&w, LIMIT_US - 2000000);
    CU_ASSERT_EQUAL(first->kills, 0);
    pass_time(&w, 3000000);
    CU_ASSERT_EQUAL(first->kills, 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(find_step(&w, BASE_STEP_SETUP, &second));
    CU_ASSERT_PTR_NOT_EQUAL(first, second);
    CU_ASSERT_PTR_NULL(rm_node_find(w.core, first->id)->step);
    pass_time(&w, LIMIT_US + 1000000);
    end_step(&w, BASE_STEP_ABORT, 0, "");
    CU_ASSERT_EQUAL(world_app(&w, id).result, RM_RESULT_FAILED);
    snprintf(text, sizeof text,
             "The job's setup failed 2 times; last on node %s: it was not done after 600000 ms, "
             "which is the limit (creel.job.step-timeout-ms)",
             second->id);
    assert_diagnostics(&w, id, text);

    /* one that has reported its splits has done its work, and yet must go */
    id = world_submit(&w, "job 1 0 1 2 0 0");
    find_step(&w, BASE_STEP_SETUP, &first);
    report(&w, id, find_step(&w, BASE_STEP_SETUP, NULL)->attempt, 0, 1, true);
    CU_ASSERT_TRUE(w.reply.flag);
    pass_time(&w, LIMIT_US - 5000000);
    CU_ASSERT_PTR_NOT_NULL(rm_node_find(w.core, first->id)->step);
    pass_time(&w, 6000000);
    CU_ASSERT_PTR_NULL(rm_node_find(w.core, first->id)->step);
    CU_ASSERT_PTR_NULL(find_step(&w, BASE_STEP_SETUP, NULL));
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_RUNNING);
    world_free(&w);
}

static struct base_app_id bring_to_commit(struct world *w)
{
    struct base_app_id id = world_submit(w, "job 1 0 1 4 0 0");

    set_up(w, id, 1);
    run_tasks(w);
    CU_ASSERT_PTR_NOT_NULL_FATAL(find_step(w, BASE_STEP_COMMIT, NULL));
    return id;
}

/* Goal: a kill before the permission to commit prevents the commit; afterwards the outcome of the
 * commit decides. */
static void test_kill_and_commit(void)
{
    struct world w;
    struct base_app_id id;
    int32_t attempt;

    begin(&w, "fifo", 2, 2, 1);
    id = bring_to_commit(&w);
    attempt = find_step(&w, BASE_STEP_COMMIT, NULL)->attempt;
    world_kill(&w, id);
    CU_ASSERT_FALSE(may_commit(&w, id, attempt));
    world_beat_all(&w, 10000000);
    world_beat_all(&w, 10000000);
    end_step(&w, BASE_STEP_ABORT, 0, "");
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLED);

    id = bring_to_commit(&w);
    CU_ASSERT_TRUE(may_commit(&w, id, find_step(&w, BASE_STEP_COMMIT, NULL)->attempt));
    world_kill(&w, id);
    world_beat_all(&w, 10000000);
    end_step(&w, BASE_STEP_COMMIT, 0, "");
    CU_ASSERT_EQUAL(world_app(&w, id).result, RM_RESULT_SUCCEEDED);

    id = bring_to_commit(&w);
    CU_ASSERT_TRUE(may_commit(&w, id, find_step(&w, BASE_STEP_COMMIT, NULL)->attempt));
    world_kill(&w, id);
    end_step(&w, BASE_STEP_COMMIT, 1, "disk"); /* no other attempt for a killed job */
    end_step(&w, BASE_STEP_ABORT, 0, "");
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLED);
    world_free(&w);
}

/* Goal: a commit whose node is lost is made by another attempt, and the lost one has no right any
 * more. */
static void test_commit_lost(void)
{
    struct world w;
    struct base_app_id id;
    struct world_node *n;
    int32_t attempt;

    begin(&w, "fifo", 3, 1, 1);
    id = bring_to_commit(&w);
    attempt = find_step(&w, BASE_STEP_COMMIT, &n)->attempt;
    CU_ASSERT_TRUE(may_commit(&w, id, attempt));
    n->up = false;
    for (int i = 0; i < 40 && find_step(&w, BASE_STEP_COMMIT, NULL) == NULL; i++) {
        world_advance(&w, 1000000);
        world_beat_all(&w, 900000);
    }
    CU_ASSERT_PTR_NOT_NULL_FATAL(find_step(&w, BASE_STEP_COMMIT, NULL));
    CU_ASSERT_FALSE(may_commit(&w, id, attempt));
    attempt = find_step(&w, BASE_STEP_COMMIT, NULL)->attempt;
    CU_ASSERT_TRUE(may_commit(&w, id, attempt));
    end_step(&w, BASE_STEP_COMMIT, 0, "");
    CU_ASSERT_EQUAL(world_app(&w, id).result, RM_RESULT_SUCCEEDED);
    world_free(&w);
}

/* Goal: a commit that hangs with the permission to move parts is made by another attempt, and the
 * first one has no right any more; when none ends, the output is aborted, after the last of them.
 */
static void test_commit_hangs(void)
{
    struct world w;
    struct base_app_id id;
    struct world_node *n;
    int32_t attempt;

    begin(&w, "fifo", 3, 1, 1);
    id = bring_to_commit(&w);
    attempt = find_step(&w, BASE_STEP_COMMIT, NULL)->attempt;
    CU_ASSERT_TRUE(may_commit(&w, id, attempt));
    pass_time(&w, LIMIT_US + 2000000);
    CU_ASSERT_FALSE(may_commit(&w, id, attempt));
    attempt = find_step(&w, BASE_STEP_COMMIT, NULL)->attempt;
    CU_ASSERT_TRUE(may_commit(&w, id, attempt));
    end_step(&w, BASE_STEP_COMMIT, 0, "");
    CU_ASSERT_EQUAL(world_app(&w, id).result, RM_RESULT_SUCCEEDED);

    id = bring_to_commit(&w);
    for (int i = 0; i < 4; i++) {
        attempt = find_step(&w, BASE_STEP_COMMIT, &n)->attempt;
        CU_ASSERT_TRUE(may_commit(&w, id, attempt));
        pass_time(&w, LIMIT_US - 5000000);
        while (rm_node_find(w.core, n->id)->step)
            world_advance(&w, 1000000);
        if (i < 3)
            world_beat_all(&w, 900000);
    }
    CU_ASSERT_PTR_NULL(find_step(&w, BASE_STEP_ABORT, NULL)); /* the last commit has not ended */
    world_beat_all(&w, 900000);
    world_beat_all(&w, 900000);
    end_step(&w, BASE_STEP_ABORT, 0, "");
    CU_ASSERT_EQUAL(world_app(&w, id).result, RM_RESULT_FAILED);
    CU_ASSERT_PTR_NOT_NULL(strstr(rm_app_find(w.core, id)->diagnostics,
                                  "The job's commit failed 4 times; last on node"));
    world_free(&w);
}

/* Goal: a commit that has completed the output, and whose end is reported only after its limit,
 * counts: another attempt is not waited for, nor does the last one fail the job. */
static void test_commit_ends_late(void)
{
    for (int attempts = 1; attempts <= 2; attempts++) {
        struct world w;
        struct base_app_id id;
        struct world_node *n;
        struct world_container *ct;
        char job[32];

        begin(&w, "fifo", 2, 2, 1);
        snprintf(job, sizeof job, "job 1 0 1 %d 0 0", attempts);
        id = world_submit(&w, job);
        set_up(&w, id, 1);
        run_tasks(&w);
        ct = find_step(&w, BASE_STEP_COMMIT, &n);
        CU_ASSERT_TRUE(may_commit(&w, id, ct->attempt));
        pass_time(&w, LIMIT_US - 5000000);
        ct = find_step(&w, BASE_STEP_COMMIT, &n);
        ct->ended = true;
        ct->exit_code = 0;
        while (rm_node_find(w.core, n->id)->step)
            world_advance(&w, 1000000);
        CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_RUNNING);
        pass_time(&w, 2000000);
        CU_ASSERT_EQUAL(world_app(&w, id).result, RM_RESULT_SUCCEEDED);
        CU_ASSERT_PTR_NULL(find_step(&w, BASE_STEP_COMMIT, NULL)); /* the second one was killed */
        CU_ASSERT_PTR_NULL(find_step(&w, BASE_STEP_ABORT, NULL));
        world_free(&w);
    }
}

static struct base_app_id bring_to_abort(struct world *w)
{
    struct base_app_id id = world_submit(w, "job 1 0 1 2 0 0");

    set_up(w, id, 1);
    world_kill(w, id);
    world_beat_all(w, 10000000);
    world_beat_all(w, 10000000);
    CU_ASSERT_PTR_NOT_NULL_FATAL(find_step(w, BASE_STEP_ABORT, NULL));
    CU_ASSERT_EQUAL(world_state(w, id), RM_APP_KILLING);
    return id;
}

static bool owes_abort(const struct world *w, struct base_app_id id)
{
    return rm_app_find(w->core, id)->abort_owed;
}

/* Goal: an abort that does not end holds up the end of its job for a while only, and goes on after
 * it until it has succeeded, with pauses, under whatever leader; then never again. */
static void test_abort_takes_too_long(void)
{
    struct world w;
    struct base_app_id id;

    begin(&w, "fifo", 1, 1, 1);
    id = bring_to_abort(&w);
    pass_time(&w, RM_ABORT_MAX_US + 1000000);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLED);
    CU_ASSERT_TRUE(owes_abort(&w, id));
    CU_ASSERT_PTR_NOT_NULL(find_step(&w, BASE_STEP_ABORT, NULL)); /* the same attempt */
    pass_time(&w, LIMIT_US);
    CU_ASSERT_PTR_NOT_NULL(find_step(&w, BASE_STEP_ABORT, NULL)); /* the second one */
    end_step(&w, BASE_STEP_ABORT, 1, "busy");
    CU_ASSERT_PTR_NULL(find_step(&w, BASE_STEP_ABORT, NULL));
    CU_ASSERT_PTR_NOT_NULL(strstr(w.note, "The job's abort failed 2 times; last on node"));
    pass_time(&w, RM_ABORT_PAUSE_US - 2000000);
    CU_ASSERT_PTR_NULL(find_step(&w, BASE_STEP_ABORT, NULL));
    pass_time(&w, 3000000);
    end_step(&w, BASE_STEP_ABORT, 1, "busy");
    end_step(&w, BASE_STEP_ABORT, 1, "busy");
    pass_time(&w, 2 * RM_ABORT_PAUSE_US - 2000000);
    CU_ASSERT_PTR_NULL(find_step(&w, BASE_STEP_ABORT, NULL));

    w.nodes[0].n = 0; /* the next leader begins at once */
    world_crash(&w, w.journal_n);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLED);
    world_register(&w, &w.nodes[0]);
    world_beat_all(&w, 10000000);
    CU_ASSERT_PTR_NOT_NULL_FATAL(find_step(&w, BASE_STEP_ABORT, NULL));
    CU_ASSERT_TRUE(find_step(&w, BASE_STEP_ABORT, NULL)->attempt >= RM_EPOCH_ATTEMPTS);
    CU_ASSERT_EQUAL(w.nodes[0].apps_n, 1);
    world_crash(&w, w.journal_n); /* another takes the running attempt over */
    world_register(&w, &w.nodes[0]);
    world_beat_all(&w, 10000000);
    CU_ASSERT_EQUAL(w.nodes[0].n, 1);
    end_step(&w, BASE_STEP_ABORT, 0, "");
    CU_ASSERT_FALSE(owes_abort(&w, id));
    pass_time(&w, 2000000);
    CU_ASSERT_EQUAL(w.nodes[0].apps_n, 0); /* cleaned up */
    world_crash(&w, w.journal_n);
    CU_ASSERT_FALSE(owes_abort(&w, id));
    world_register(&w, &w.nodes[0]);
    pass_time(&w, 2 * RM_ABORT_PAUSE_MAX_US);
    CU_ASSERT_PTR_NULL(find_step(&w, BASE_STEP_ABORT, NULL));
    world_free(&w);
}

/* Goal: while an abort is owed, nodes clean up after the ended job: those without an attempt at
 * once, also when they register, and those of attempts when all have failed. */
static void test_cleanup_before_abort(void)
{
    struct world w;
    struct base_app_id id;
    struct world_node *n = NULL, *other;
    size_t kills;

    begin(&w, "fifo", 2, 1, 1);
    id = world_submit(&w, "job 2 0 1 2 0 0");
    set_up(&w, id, 2);
    world_kill(&w, id);
    pass_time(&w, 2000000);
    CU_ASSERT_PTR_NOT_NULL_FATAL(find_step(&w, BASE_STEP_ABORT, &n));
    other = n == &w.nodes[0] ? &w.nodes[1] : &w.nodes[0];
    CU_ASSERT(n->apps_n == 1 && other->apps_n == 1);
    pass_time(&w, RM_ABORT_MAX_US);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLED);
    CU_ASSERT_TRUE(owes_abort(&w, id));
    CU_ASSERT(n->apps_n == 1 && other->apps_n == 0);
    kills = n->kills;
    other->apps[other->apps_n++] = id; /* as after a restart before the clean-up */
    world_crash(&w, w.journal_n);
    world_register(&w, n);
    world_register(&w, other);
    pass_time(&w, 2000000);
    CU_ASSERT_PTR_NOT_NULL_FATAL(find_step(&w, BASE_STEP_ABORT, NULL)); /* it was not killed */
    CU_ASSERT(n->kills == kills && n->apps_n == 1 && other->apps_n == 0);
    end_step(&w, BASE_STEP_ABORT, 1, "busy");
    pass_time(&w, 2000000);
    CU_ASSERT_PTR_NOT_NULL_FATAL(find_step(&w, BASE_STEP_ABORT, NULL));
    CU_ASSERT_EQUAL(n->apps_n, 1); /* the next attempt could have come back */
    end_step(&w, BASE_STEP_ABORT, 1, "busy");
    pass_time(&w, 2000000);
    CU_ASSERT_PTR_NULL(find_step(&w, BASE_STEP_ABORT, NULL));
    CU_ASSERT(n->apps_n == 0 && other->apps_n == 0);
    pass_time(&w, RM_ABORT_PAUSE_US);
    end_step(&w, BASE_STEP_ABORT, 0, ""); /* the next attempts use the nodes again */
    pass_time(&w, 2000000);
    CU_ASSERT_FALSE(owes_abort(&w, id));
    CU_ASSERT(n->apps_n == 0 && other->apps_n == 0);
    world_free(&w);
}

static void end_only_container(struct world_node *n, int exit_code)
{
    CU_ASSERT_EQUAL_FATAL(n->n, 1);
    n->v[0].ended = true;
    n->v[0].exit_code = exit_code;
}

/* Goal: a node cleans up once for each time that attempts of an owed abort have used it, and not
 * before the last container there has ended, though its kill was ordered long before. */
static void test_cleanup_after_undying_abort(void)
{
    struct world w;
    struct base_app_id id;
    struct world_node *n = NULL, *other;

    begin(&w, "fifo", 2, 1, 1);
    id = world_submit(&w, "job 2 0 1 2 0 0");
    set_up(&w, id, 2);
    world_kill(&w, id);
    pass_time(&w, 2000000);
    CU_ASSERT_PTR_NOT_NULL_FATAL(find_step(&w, BASE_STEP_ABORT, &n));
    other = n == &w.nodes[0] ? &w.nodes[1] : &w.nodes[0];
    w.undying_steps = true;
    pass_time(&w, RM_ABORT_MAX_US);
    CU_ASSERT(n->cleanups == 0 && other->cleanups == 1);
    pass_time(&w, LIMIT_US);
    CU_ASSERT_TRUE(n->n == 1 && n->v[0].killed && !n->v[0].ended);
    end_only_container(other, 1); /* the second attempt, the last one */
    pass_time(&w, 2000000);
    CU_ASSERT_TRUE(owes_abort(&w, id));
    CU_ASSERT(n->cleanups == 0 && n->apps_n == 1 && other->cleanups == 2);
    end_only_container(n, RM_EXIT_KILLED_BY_RM);
    pass_time(&w, 2000000);
    CU_ASSERT(n->cleanups == 1 && n->apps_n == 0 && other->cleanups == 2);
    world_free(&w);
}

/* Goal: an abort that fails in all attempts does not hold its job up, and is owed; a job that is
 * forgotten gives it up, and says so; aborts that are owed do not come before setups. */
static void test_abort_fails(void)
{
    struct world w;
    struct base_app_id id, other;

    begin(&w, "fifo", 1, 1, 1);
    id = bring_to_abort(&w);
    end_step(&w, BASE_STEP_ABORT, RM_EXIT_JOB_REFUSED, "the folder is read-only");
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLED);
    CU_ASSERT_TRUE(owes_abort(&w, id));
    pass_time(&w, RM_ABORT_PAUSE_US - 2000000);
    other = world_submit(&w, "first 1 0 1 4 0 0");
    world_submit(&w, "second 1 0 1 4 0 0");
    pass_time(&w, 4000000); /* the abort waits behind the second setup */
    set_up(&w, other, 1);
    CU_ASSERT_PTR_NULL(find_step(&w, BASE_STEP_ABORT, NULL));
    CU_ASSERT_PTR_NOT_NULL(find_step(&w, BASE_STEP_SETUP, NULL));

    w.conf.completed_apps_max = 1;
    world_crash(&w, w.journal_n);
    world_register(&w, &w.nodes[0]);
    CU_ASSERT_TRUE(owes_abort(&w, id));
    other = world_submit(&w, "plain 1 0 0 4 0 0");
    world_kill(&w, other);
    world_beat_all(&w, 10000000);
    CU_ASSERT_PTR_NULL(rm_app_find(w.core, id));
    CU_ASSERT_PTR_NOT_NULL(strstr(w.note, "is forgotten although its unfinished output"));
    CU_ASSERT_PTR_NOT_NULL(strstr(w.note, "/out"));
    world_free(&w);
}

/* Goal: the commit of a killed job that a full disk or a signal has ended may have completed the
 * output: it is tried again. When it then fails for good, the abort tells, also under the next
 * leader. A failure that the attempt tells itself ends the commit. */
static void test_abort_finds_committed(void)
{
    static const int codes[] = {RM_EXIT_DISKS_FAILED, RM_EXIT_OUTPUT_LOST, 137};

    for (size_t i = 0; i < 3; i++)
        for (int taken_over = 0; taken_over < 2; taken_over++) {
            struct world w;
            struct base_app_id id;

            begin(&w, "fifo", 3, 1, 1);
            id = bring_to_commit(&w);
            CU_ASSERT_TRUE(may_commit(&w, id, find_step(&w, BASE_STEP_COMMIT, NULL)->attempt));
            world_kill(&w, id);
            end_step(&w, BASE_STEP_COMMIT, codes[i], "ended");
            CU_ASSERT_PTR_NOT_NULL_FATAL(find_step(&w, BASE_STEP_COMMIT, NULL));
            while (find_step(&w, BASE_STEP_COMMIT, NULL))
                end_step(&w, BASE_STEP_COMMIT, 1, "cannot look");
            CU_ASSERT_PTR_NOT_NULL_FATAL(find_step(&w, BASE_STEP_ABORT, NULL));
            CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLING);
            if (taken_over) {
                world_crash(&w, w.journal_n);
                for (int n = 0; n < 3; n++)
                    world_register(&w, &w.nodes[n]);
                world_beat_all(&w, 900000);
                /* not the commit again, beside the abort that runs already */
                CU_ASSERT_PTR_NULL(find_step(&w, BASE_STEP_COMMIT, NULL));
            }
            end_step(&w, BASE_STEP_ABORT, RM_EXIT_OUTPUT_COMMITTED, "the output is complete");
            CU_ASSERT_EQUAL(world_app(&w, id).result, RM_RESULT_SUCCEEDED);
            CU_ASSERT_FALSE(owes_abort(&w, id));
            world_free(&w);
        }
}

/* Goal: an abort that finds a complete output does not make a job succeed of which no attempt was
 * permitted to commit, or each has told that it failed. */
static void test_abort_finds_other_output(void)
{
    struct world w;
    struct base_app_id id;

    begin(&w, "fifo", 3, 1, 1);
    id = bring_to_abort(&w);
    end_step(&w, BASE_STEP_ABORT, RM_EXIT_OUTPUT_COMMITTED, "the output is complete");
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLED);

    id = bring_to_commit(&w);
    CU_ASSERT_TRUE(may_commit(&w, id, find_step(&w, BASE_STEP_COMMIT, NULL)->attempt));
    world_kill(&w, id);
    end_step(&w, BASE_STEP_COMMIT, 1, "no space");
    CU_ASSERT_PTR_NULL(find_step(&w, BASE_STEP_COMMIT, NULL));
    end_step(&w, BASE_STEP_ABORT, RM_EXIT_OUTPUT_COMMITTED, "the output is complete");
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLED);
    world_free(&w);
}

/* Goal: a setup goes on under the next leader, with its attempt, and begins its report again; what
 * is durable is not asked for again. */
static void test_setup_taken_over(void)
{
    struct world w;
    struct base_app_id id;
    int32_t attempt;

    begin(&w, "fifo", 2, 2, 1);
    id = world_submit(&w, "job 2 0 1 4 0 0");
    attempt = find_step(&w, BASE_STEP_SETUP, NULL)->attempt;
    report(&w, id, attempt, 0, 1, false);
    world_crash(&w, w.journal_n);
    report(&w, id, attempt, 1, 1, true); /* its node has not registered yet */
    CU_ASSERT(w.reply.kind == RM_REPLY_ERROR && w.reply.code == -BASE_EAGAIN);
    for (size_t i = 0; i < w.nodes_n; i++)
        world_register(&w, &w.nodes[i]);
    world_beat_all(&w, 10000000);
    CU_ASSERT_EQUAL(w.launches, 1); /* the setup goes on: nothing is launched */
    report(&w, id, attempt, 1, 1, true);
    CU_ASSERT(w.reply.flag && w.reply.value == 0); /* the report has to begin again */
    report(&w, id, attempt, 0, 2, true);
    CU_ASSERT(w.reply.flag && w.reply.value == 2);
    world_crash(&w, w.journal_n);
    CU_ASSERT_EQUAL(world_app(&w, id).phase[BASE_TASK_MAP].total, 2);
    report(&w, id, attempt, 0, 2, true); /* the answer was lost with the leader */
    CU_ASSERT(w.reply.flag && w.reply.value == 2);
    for (size_t i = 0; i < w.nodes_n; i++)
        world_register(&w, &w.nodes[i]);
    run_tasks(&w);
    CU_ASSERT_TRUE(may_commit(&w, id, find_step(&w, BASE_STEP_COMMIT, NULL)->attempt));
    end_step(&w, BASE_STEP_COMMIT, 0, "");
    CU_ASSERT_EQUAL(world_app(&w, id).result, RM_RESULT_SUCCEEDED);
    world_free(&w);
}

/* Goal: when the leader dies during a commit, the next leader goes on with it; a kill that was
 * acknowledged does not undo a commit that has begun. */
static void test_commit_taken_over(void)
{
    for (int killed = 0; killed < 2; killed++) {
        struct world w;
        struct base_app_id id;
        int32_t attempt;

        begin(&w, "fifo", 2, 2, 1);
        id = bring_to_commit(&w);
        attempt = find_step(&w, BASE_STEP_COMMIT, NULL)->attempt;
        CU_ASSERT_TRUE(may_commit(&w, id, attempt));
        if (killed)
            world_kill(&w, id);
        world_crash(&w, w.journal_n);
        world_beat_all(&w, 10000000);
        for (size_t i = 0; i < w.nodes_n; i++)
            world_register(&w, &w.nodes[i]);
        world_beat_all(&w, 10000000);
        CU_ASSERT_PTR_NOT_NULL_FATAL(find_step(&w, BASE_STEP_COMMIT, NULL));
        CU_ASSERT_EQUAL(find_step(&w, BASE_STEP_COMMIT, NULL)->attempt, attempt);
        CU_ASSERT_EQUAL(world_state(&w, id), killed ? RM_APP_KILLING : RM_APP_RUNNING);
        end_step(&w, BASE_STEP_COMMIT, 0, "");
        CU_ASSERT_EQUAL(world_app(&w, id).result, RM_RESULT_SUCCEEDED);
        world_free(&w);
    }
}

/* Goal: after every record that a job has written, another leader brings it to its end. */
static void test_every_record(void)
{
    struct world w;
    struct base_app_id id;
    size_t records;

    begin(&w, "fifo", 2, 2, 1);
    id = bring_to_commit(&w);
    may_commit(&w, id, find_step(&w, BASE_STEP_COMMIT, NULL)->attempt);
    end_step(&w, BASE_STEP_COMMIT, 0, "");
    records = w.journal_n;
    world_free(&w);
    for (size_t n = 4; n <= records; n++) { /* the first ones are those of the nodes and the job */
        begin(&w, "fifo", 2, 2, 1);
        id = bring_to_commit(&w);
        may_commit(&w, id, find_step(&w, BASE_STEP_COMMIT, NULL)->attempt);
        end_step(&w, BASE_STEP_COMMIT, 0, "");
        for (size_t i = 0; i < w.nodes_n; i++)
            w.nodes[i].n = 0; /* all containers have ended and are gone */
        world_crash(&w, n < w.journal_n ? n : w.journal_n);
        if (world_app(&w, id).id.seq == 0) { /* the submission was not durable */
            world_free(&w);
            continue;
        }
        for (size_t i = 0; i < w.nodes_n; i++)
            world_register(&w, &w.nodes[i]);
        world_beat_all(&w, 10000000);
        if (find_step(&w, BASE_STEP_SETUP, NULL))
            set_up(&w, id, 1);
        run_tasks(&w);
        if (find_step(&w, BASE_STEP_COMMIT, NULL)) {
            CU_ASSERT_TRUE(may_commit(&w, id, find_step(&w, BASE_STEP_COMMIT, NULL)->attempt));
            end_step(&w, BASE_STEP_COMMIT, 0, "");
        }
        CU_ASSERT_EQUAL(world_app(&w, id).result, RM_RESULT_SUCCEEDED);
        world_free(&w);
    }
}

/* Goal: the policy is asked about a deadline when the maps are known; a refusal ends the job when
 * its folder has been removed, and tells the earliest date that could be promised. */
static void test_admission(void)
{
    struct world w;
    struct rm_app_view v;
    struct base_app_id id;

    begin(&w, "rtmr", 1, 2, 1);
    id = world_submit(&w, "job 100 0 1 4 0 0 1");
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_ACCEPTED); /* the number of maps is not known yet */
    set_up(&w, id, 100);
    v = world_app(&w, id);
    CU_ASSERT_EQUAL(v.phase[BASE_TASK_MAP].running, 0);
    end_step(&w, BASE_STEP_ABORT, 0, "");
    v = world_app(&w, id);
    CU_ASSERT_EQUAL(v.state, RM_APP_FAILED);
    CU_ASSERT_EQUAL(v.result, RM_RESULT_REFUSED);
    CU_ASSERT_TRUE(v.earliest_us > w.now);
    CU_ASSERT_EQUAL(w.ended_refused, 1);
    id = world_submit(&w, "job 1 0 1 4 0 0 100000");
    set_up(&w, id, 1);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_RUNNING);
    CU_ASSERT_TRUE(world_app(&w, id).promised_us > 0);
    world_free(&w);
}

/* Goal: an attempt that goes on under the next leader has its time again, and no more. */
static void test_limit_taken_over(void)
{
    struct world w;

    begin(&w, "fifo", 1, 1, 1);
    world_submit(&w, "job 2 0 1 4 0 0");
    pass_time(&w, LIMIT_US / 2);
    world_crash(&w, w.journal_n);
    world_register(&w, &w.nodes[0]);
    pass_time(&w, LIMIT_US - 2000000);
    CU_ASSERT_EQUAL(w.nodes[0].kills, 0);
    CU_ASSERT_EQUAL(w.launches, 1);
    pass_time(&w, 4000000);
    CU_ASSERT_EQUAL(w.nodes[0].kills, 1);
    CU_ASSERT_EQUAL(w.launches, 2);
    world_free(&w);
}

/* Returns the live container of attempt @attempt of a step, and its node. */
static struct world_container *find_attempt(struct world *w, enum base_job_step step,
                                            int32_t attempt, struct world_node **node)
{
    for (size_t i = 0; i < w->nodes_n; i++)
        for (size_t j = 0; j < w->nodes[i].n; j++)
            if (w->nodes[i].v[j].step == step && w->nodes[i].v[j].attempt == attempt &&
                !w->nodes[i].v[j].ended) {
                *node = &w->nodes[i];
                return &w->nodes[i].v[j];
            }
    return NULL;
}

/* Lets the current attempt run into its limit, with a process that does not end, so that another
 * one is launched; then starts the next leader, with which the nodes register, that of the earlier
 * attempt first or last. Returns the number of the later attempt. */
static int32_t take_over_two_attempts(struct world *w, struct base_app_id id,
                                      enum base_job_step step, bool earlier_first)
{
    const int32_t first = rm_app_find(w->core, id)->step.attempt;
    struct world_node *early = NULL, *late = NULL;
    int32_t second;

    w->undying_steps = true;
    pass_time(w, LIMIT_US + 2000000);
    second = rm_app_find(w->core, id)->step.attempt;
    CU_ASSERT(second > first);
    if (step == BASE_STEP_COMMIT)
        CU_ASSERT_TRUE(may_commit(w, id, second));
    CU_ASSERT_PTR_NOT_NULL_FATAL(find_attempt(w, step, first, &early));
    CU_ASSERT_PTR_NOT_NULL_FATAL(find_attempt(w, step, second, &late));
    CU_ASSERT_PTR_NOT_EQUAL(early, late);
    find_attempt(w, step, first, &early)->killed = false;
    world_crash(w, w->journal_n);
    world_register(w, earlier_first ? early : late);
    world_register(w, earlier_first ? late : early);
    world_beat_all(w, 900000);
    CU_ASSERT_TRUE(find_attempt(w, step, first, &early)->killed);
    CU_ASSERT_FALSE(find_attempt(w, step, second, &late)->killed);
    CU_ASSERT_TRUE(rm_step_is_current(rm_app_find(w->core, id), step, second));
    return second;
}

/* Goal: of two attempts that the next leader finds, the later one goes on, whichever node registers
 * first. */
static void test_two_setups_taken_over(void)
{
    for (int earlier_first = 0; earlier_first < 2; earlier_first++) {
        struct world w;
        struct base_app_id id;
        int32_t attempt;

        begin(&w, "fifo", 2, 2, 1);
        id = world_submit(&w, "job 1 0 1 4 0 0");
        attempt = take_over_two_attempts(&w, id, BASE_STEP_SETUP, earlier_first);
        report(&w, id, attempt, 0, 1, true);
        CU_ASSERT(w.reply.flag && w.reply.value == 1);
        world_free(&w);
    }
}

/* Goal: the end of the earlier one of two commits that the next leader finds counts. */
static void test_two_commits_taken_over(void)
{
    for (int earlier_first = 0; earlier_first < 2; earlier_first++) {
        struct world w;
        struct base_app_id id;
        struct world_node *n;
        int32_t first;

        begin(&w, "fifo", 2, 2, 1);
        id = bring_to_commit(&w);
        first = rm_app_find(w.core, id)->step.attempt;
        CU_ASSERT_TRUE(may_commit(&w, id, first));
        take_over_two_attempts(&w, id, BASE_STEP_COMMIT, earlier_first);
        find_attempt(&w, BASE_STEP_COMMIT, first, &n)->exit_code = 0;
        find_attempt(&w, BASE_STEP_COMMIT, first, &n)->ended = true;
        w.undying_steps = false; /* the later one is killed */
        pass_time(&w, 2000000);
        CU_ASSERT_EQUAL(world_app(&w, id).result, RM_RESULT_SUCCEEDED);
        world_free(&w);
    }
}

static const struct cunit_case cases[] = {
    {"life", test_life},
    {"abort finds the output committed", test_abort_finds_committed},
    {"abort finds another output", test_abort_finds_other_output},
    {"one at a time on a node, before tasks", test_places},
    {"setups that fail", test_setup_failures},
    {"kill and commit", test_kill_and_commit},
    {"a commit lost with its node", test_commit_lost},
    {"a setup that hangs", test_setup_hangs},
    {"nodes that refuse", test_refusals},
    {"a commit that hangs", test_commit_hangs},
    {"a commit whose end comes late", test_commit_ends_late},
    {"an abort that takes too long", test_abort_takes_too_long},
    {"clean-up before an owed abort", test_cleanup_before_abort},
    {"clean-up after an undying abort", test_cleanup_after_undying_abort},
    {"an abort that fails", test_abort_fails},
    {"the limit after a takeover", test_limit_taken_over},
    {"a setup taken over", test_setup_taken_over},
    {"a commit taken over", test_commit_taken_over},
    {"two setups taken over", test_two_setups_taken_over},
    {"two commits taken over", test_two_commits_taken_over},
    {"a leader lost after every record", test_every_record},
    {"admission", test_admission},
};
CUNIT_MAIN("core steps", cases)
