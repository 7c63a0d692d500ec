/* Goal: a new leader goes on at once, whatever nodes are silent, whatever clock it has, and nothing
 * is done twice that must be done once.
 * Method: a run of which every record is stored; nodes fall silent; the RM is started again with
 * the records. */
#include <stdlib.h>
#include <string.h>

#include "rm/core/view/view.h"
#include "tests/unit/core_takeover.h"

#define HOUR (3600 * S)

/* ---------------------------------------------------------------- grace */
static void test_grace(void)
{
    struct base_app_id id = begin(2, "a 6 0 0 4 0 0"), other = world_submit(&w, "b 3 0 0 4 0 0"),
                       fresh;
    struct world_container *again;
    struct base_buf why = {0};
    int32_t lost = w.nodes[1].v[0].task.index;

    CU_ASSERT_EQUAL(maps(id).running, 4);
    end_task(&w.nodes[0], 0, 0);
    take_over(&w.nodes[1]);
    CU_ASSERT_EQUAL(rm_view_explain_wait(w.core, id, w.core->now_us, &why), 0);
    /* its tasks are held back, and so wait */
    CU_ASSERT_PTR_NULL(strstr(why.data, "nothing of it waits"));
    base_buf_free(&why);
    fresh = world_submit(&w, "c 3 0 0 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    /* the free slot goes to c: a task of b may have been ordered on the silent node, but none of c,
     * which is new */
    CU_ASSERT_EQUAL(maps(id).running, 1);
    CU_ASSERT_EQUAL(maps(id).succeeded, 1);
    CU_ASSERT_EQUAL(maps(other).running, 0);
    CU_ASSERT_EQUAL(maps(fresh).running, 1);
    end_task(&w.nodes[0], 0, 0);
    end_task(&w.nodes[0], 1, 0);
    world_advance(&w, 3 * S - 1);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(maps(id).running, 0);
    CU_ASSERT_EQUAL(maps(other).running, 0);
    CU_ASSERT_EQUAL(maps(fresh).running, 2);
    w.notes = 0;
    world_advance(&w, 1);
    CU_ASSERT_EQUAL(w.notes, 1);
    for (size_t i = 0; i < w.nodes[0].n; i++)
        if (!w.nodes[0].v[i].ended)
            end_task(&w.nodes[0], i, 0);
    world_beat(&w, &w.nodes[0], 0);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(maps(id).running, 2);
    again = attempt_on(&w.nodes[0], id, lost);
    CU_ASSERT_PTR_NOT_NULL_FATAL(again);
    CU_ASSERT_EQUAL(again->attempt, 1000);
    succeeds(id);
    world_free(&w);
}

/* Without a grace the new leader waits for all nodes; with a grace no timer is left when all nodes
 * have registered. */
static void test_no_grace(void)
{
    struct base_app_id id = begin(2, "a 4 0 0 4 0 0");

    w.conf.takeover_grace_us = 0;
    take_over(&w.nodes[1]);
    end_task(&w.nodes[0], 0, 0);
    pass(29);
    CU_ASSERT_EQUAL(maps(id).running, 1);
    pass(2);
    CU_ASSERT_EQUAL(maps(id).running, 2);
    world_free(&w);
    id = begin(2, "a 4 0 0 4 0 0");
    take_over(NULL);
    w.notes = 0;
    pass(5);
    CU_ASSERT_EQUAL(w.notes, 0);
    CU_ASSERT_EQUAL(maps(id).running, 4);
    world_free(&w);
}

/* ---------------------------------------------------------------- a late node */
/* One node runs a task and is silent; the other node gets the task again after the grace. @seen:
 * the other node has also reported that the task runs. */
static struct base_app_id twice(const char *job, bool seen)
{
    struct base_app_id id = begin(1, job);

    world_add_node(&w, 2, 1, NULL);
    take_over(&w.nodes[0]);
    world_advance(&w, 3 * S);
    world_beat(&w, &w.nodes[1], 0);
    if (seen)
        world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(w.nodes[1].n, 1);
    CU_ASSERT_EQUAL(w.nodes[1].v[0].attempt, 1000);
    return id;
}

static void test_late_loses(void)
{
    struct base_app_id id = twice("a 1 0 0 4 0 0", true);

    come_back(&w.nodes[0]);
    CU_ASSERT_EQUAL(w.nodes[0].kills, 1);
    CU_ASSERT_EQUAL(w.nodes[1].kills, 0);
    succeeds(id);
    world_free(&w);
}

static void test_late_goes_on(void)
{
    struct base_app_id id = twice("a 1 0 0 4 0 0", false);
    struct world_container *ct;

    come_back(&w.nodes[0]);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(w.nodes[0].kills, 0);
    CU_ASSERT_EQUAL(w.nodes[1].kills, 1);
    CU_ASSERT_EQUAL(maps(id).running, 1);
    CU_ASSERT_EQUAL(maps(id).killed_attempts, 1);
    /* after another takeover the attempt is still known, and the number of the attempt that made
     * way is not given again */
    take_over(NULL);
    CU_ASSERT_EQUAL(w.nodes[0].kills, 0);
    CU_ASSERT_EQUAL(maps(id).running, 1);
    end_task(&w.nodes[0], 0, 1);
    world_beat_all(&w, 0);
    world_beat_all(&w, 0);
    world_beat_all(&w, 0);
    ct = attempt_on(&w.nodes[1], id, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(ct);
    CU_ASSERT_EQUAL(ct->attempt, 2000);
    succeeds(id);
    world_free(&w);
}

/* Under one leader, the number of an attempt that made way is passed over. */
static void test_numbers(void)
{
    struct base_app_id id = twice("a 1 0 0 4 0 0", false);
    struct world_container *ct;

    come_back(&w.nodes[0]);
    world_beat(&w, &w.nodes[1], 0);
    end_task(&w.nodes[0], 0, 1);
    world_beat_all(&w, 0);
    world_beat_all(&w, 0);
    ct = attempt_on(&w.nodes[1], id, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(ct);
    CU_ASSERT_EQUAL(ct->attempt, 1001);
    succeeds(id);
    world_free(&w);
}

static void counts(struct base_app_id id, int64_t launched, int64_t failed, int64_t killed)
{
    const struct rm_app_view v = world_app(&w, id);

    CU_ASSERT_EQUAL(v.counters[RM_C_TOTAL_LAUNCHED_MAPS], launched);
    CU_ASSERT_EQUAL(v.counters[RM_C_FAILED_MAPS], failed);
    CU_ASSERT_EQUAL(v.counters[RM_C_KILLED_MAPS], killed);
    CU_ASSERT_EQUAL(v.counters[RM_C_TOTAL_LAUNCHED_REDUCES], 0);
}

/* A new leader knows how many attempts were launched, failed and were killed, though the job's own
 * record is older than all of them. */
static void test_counts_of_attempts(void)
{
    struct base_app_id id = begin(2, "a 3 0 0 4 0 0");

    counts(id, 3, 0, 0);
    take_over(NULL); /* running attempts are counted once */
    counts(id, 3, 0, 0);
    CU_ASSERT_EQUAL(maps(id).running, 3);
    end_task(&w.nodes[0], 0, 1);
    end_task(&w.nodes[0], 1, RM_EXIT_PREEMPTED);
    end_task(&w.nodes[1], 0, 0);
    world_beat_all(&w, 0);
    counts(id, 5, 1, 1);
    take_over(NULL);
    CU_ASSERT_EQUAL(maps(id).succeeded, 1);
    CU_ASSERT_EQUAL(maps(id).running, 2);
    counts(id, 5, 1, 1);
    take_over(NULL);
    counts(id, 5, 1, 1);
    succeeds(id);
    counts(id, 5, 1, 1);
    world_free(&w);
}

/* A leader that has used more than its thousand numbers of attempts leaves that in the task's
 * record: the next leader begins further up. */
static void test_many_attempts(void)
{
    static const char record[] = "t1 0 7 2500 2499 0 -100 5 - 0 0 - 0 0 ";
    struct base_app_id id = begin(1, "a 1 0 0 4 0 0");
    struct world_record *r = NULL;

    end_task(&w.nodes[0], 0, 1);
    world_beat(&w, &w.nodes[0], 0);
    for (size_t i = 0; i < w.journal_n; i++)
        if (strcmp(w.journal[i].table, "task") == 0)
            r = &w.journal[i];
    CU_ASSERT_PTR_NOT_NULL_FATAL(r);
    free(r->data);
    r->data = base_strdup(record);
    r->len = strlen(record);
    w.nodes[0].n = 0;
    take_over(NULL);
    world_beat_all(&w, 0);
    CU_ASSERT_EQUAL_FATAL(w.nodes[0].n, 1);
    CU_ASSERT_EQUAL(w.nodes[0].v[0].attempt, 3500);
    succeeds(id);
    world_free(&w);
}

static void test_late_has_ended(void)
{
    for (int code = 0; code < 2; code++) {
        struct base_app_id id = twice("a 1 0 0 4 0 0", true);
        bool good = code == 0;

        end_task(&w.nodes[0], 0, code);
        come_back(&w.nodes[0]);
        world_beat(&w, &w.nodes[0], 0);
        CU_ASSERT_EQUAL(w.nodes[0].n, 0);
        CU_ASSERT_EQUAL(maps(id).succeeded, good);
        world_beat(&w, &w.nodes[1], 0);
        CU_ASSERT_EQUAL(w.nodes[1].kills, good);
        CU_ASSERT_EQUAL(maps(id).failed_attempts, 0);
        succeeds(id);
        CU_ASSERT_EQUAL(w.nodes[1].n, 0);
        world_free(&w);
    }
}

/* A suspended attempt can go on only on its node: if the node is silent, the task is done elsewhere
 * after the grace. */
static void test_suspended(void)
{
    for (int seen = 0; seen < 2; seen++) {
        struct base_app_id id = begin(1, "a 1 0 0 4 0 0");

        w.nodes[0].v[0].suspended = true;
        world_add_node(&w, 2, 1, NULL);
        take_over(&w.nodes[0]);
        if (seen) {
            world_advance(&w, 3 * S);
            world_beat(&w, &w.nodes[1], 0);
            world_beat(&w, &w.nodes[1], 0);
        }
        come_back(&w.nodes[0]);
        CU_ASSERT_EQUAL(w.nodes[0].kills, (size_t)seen);
        CU_ASSERT_EQUAL(w.nodes[0].resumes, (size_t)!seen); /* a slot is free: it goes on at once */
        succeeds(id);
        world_free(&w);
    }
}

/* ---------------------------------------------------------------- the right to commit */
/* An attempt that may be committing on a silent node keeps its task to itself; the rest of the job
 * goes on. */
static void test_right_is_kept(void)
{
    for (int returns = 0; returns < 2; returns++) {
        struct base_app_id id = begin(1, "a 2 0 1 4 0 0");
        struct world_container *it, *free_one;
        int32_t kept = w.nodes[0].v[0].task.index;

        world_add_node(&w, 2, 1, NULL);
        CU_ASSERT(commit(w.nodes[0].v[0]));
        take_over(&w.nodes[0]);
        pass(20);
        CU_ASSERT_PTR_NULL(attempt_on(&w.nodes[1], id, kept));
        free_one = attempt_on(&w.nodes[1], id, 1 - kept);
        CU_ASSERT_PTR_NOT_NULL_FATAL(free_one);
        CU_ASSERT(commit(*free_one));
        if (returns) {
            come_back(&w.nodes[0]);
            CU_ASSERT_EQUAL(w.nodes[0].kills, 1); /* the node's other task is done by node 1 */
            it = attempt_on(&w.nodes[0], id, kept);
            CU_ASSERT_PTR_NOT_NULL_FATAL(it);
            CU_ASSERT(commit(*it)); /* asked again: the answer may have been lost */
        } else {
            pass(12); /* the node has expired */
            it = attempt_on(&w.nodes[1], id, kept);
            CU_ASSERT_PTR_NOT_NULL_FATAL(it);
            CU_ASSERT_EQUAL(it->attempt, 1000);
            CU_ASSERT(commit(*it));
            CU_ASSERT_FALSE(commit(w.nodes[0].v[0]));
            come_back(&w.nodes[0]);
            CU_ASSERT_EQUAL(w.nodes[0].kills, 2);
        }
        succeeds(id);
        CU_ASSERT_EQUAL(w.commits, 1);
        world_free(&w);
    }
}

/* An attempt that has ended well, but without the right to commit, which another attempt has,
 * changes nothing. */
static void test_right_of_the_other(void)
{
    struct base_app_id id = twice("a 1 0 1 4 0 0", true);

    CU_ASSERT(commit(w.nodes[1].v[0]));
    CU_ASSERT_FALSE(commit(w.nodes[0].v[0]));
    end_task(&w.nodes[0], 0, 0);
    come_back(&w.nodes[0]);
    CU_ASSERT_EQUAL(maps(id).running, 1);
    CU_ASSERT_EQUAL(maps(id).succeeded, 0);
    succeeds(id);
    CU_ASSERT_EQUAL(w.nodes[1].kills, 0);
    world_free(&w);
}

/* ---------------------------------------------------------------- other work */
static void test_killed_job(void)
{
    struct base_app_id id = begin(2, "a 4 0 1 4 0 0");

    world_kill(&w, id);
    take_over(&w.nodes[1]);
    pass(2);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLING);
    pass(2);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLED);
    w.nodes[1].v[0].ended = false;
    come_back(&w.nodes[1]);
    CU_ASSERT(w.nodes[1].v[0].ended);
    world_free(&w);
}

/* A folder is not cleared away for an end that is not stored: the next leader might go on with the
 * job. */
static void test_abort_waits(void)
{
    struct base_app_id id = begin(1, "a 4 0 1 4 0 0");
    uint64_t killed;

    w.auto_store = false;
    world_kill(&w, id);
    killed = w.seq;
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_KILL);
    CU_ASSERT_EQUAL(w.reply.after_seq, killed);
    world_beat(&w, &w.nodes[0], 0);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(w.aborts, 1);
    CU_ASSERT_EQUAL(w.abort_after, killed);
    w.auto_store = true;
    world_settle(&w);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_KILLED);
    world_free(&w);
}

/* The record of a task that has failed for good is stored, but not what that means for its job: the
 * next leader fails the job. */
static void test_failure_is_recalled(void)
{
    struct base_app_id id = begin(1, "a 4 0 1 1 0 0");
    size_t records = 0;

    end_task(&w.nodes[0], 0, 1);
    world_beat(&w, &w.nodes[0], 0);
    for (size_t i = 0; i < w.journal_n; i++)
        if (strcmp(w.journal[i].table, "task") == 0 && strncmp(w.journal[i].data, "t2 4 ", 5) == 0)
            records = i + 1;
    CU_ASSERT_FATAL(records > 0);
    world_crash(&w, records);
    world_beat_all(&w, 0);
    world_run_dry(&w);
    pass(2);
    CU_ASSERT_EQUAL(world_state(&w, id), RM_APP_FINISHED);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_FAILED);
    CU_ASSERT_EQUAL(w.aborts, 1);
    world_free(&w);
}

/* There are never two masters of an application: the new leader waits for one on a silent node.
 * That does not hold up other applications. */
static void test_master(void)
{
    struct base_app_id id, other;
    struct rm_event ev = {.kind = RM_EV_AM_REGISTER};

    begin(1, "a 0 0 0 4 0 0");
    id = world_submit_app(&w, "app 1024 2 0");
    world_beat(&w, &w.nodes[0], 0);
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(w.nodes[0].n, 1);
    other = world_submit_app(&w, "other 1024 2 0");
    world_add_node(&w, 8, 1, NULL);
    CU_ASSERT_EQUAL(world_app(&w, other).running_containers, 0);
    take_over(&w.nodes[0]);
    world_beat(&w, &w.nodes[1], 0);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(w.nodes[1].n, 1); /* a container of the other application */
    pass(20);
    CU_ASSERT_EQUAL(w.nodes[1].n, 1);
    come_back(&w.nodes[0]);
    CU_ASSERT_EQUAL(w.nodes[0].kills, 0);
    ev.u.am_register.attempt = (struct base_attempt_id){id, 1};
    ev.u.am_register.host = "h";
    ev.token = ++w.token;
    world_step(&w, &ev);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_AM_REGISTERED);
    CU_ASSERT_EQUAL(world_app(&w, id).attempts_n, 1);
    world_free(&w);
}

/* ---------------------------------------------------------------- silence */
static int lost(void)
{
    int n = 0;

    for (size_t i = 0; i < w.nodes_n; i++)
        n += state_of((int)i) == RM_NODE_LOST;
    return n;
}

static void silence(int from, int to)
{
    for (int i = from; i < to; i++) {
        w.nodes[i].up = false;
        w.nodes[i].token = 0;
    }
}

/* Of @all nodes @silent fall silent. They are given up after one period, or after two when most
 * nodes are silent (@spared). @takeover: under a new leader. */
static void silent_nodes(int all, int silent, bool spared, bool takeover)
{
    begin(all, "a 2 0 0 4 0 0");
    silence(0, silent);
    if (takeover)
        take_over(NULL);
    w.notes = 0;
    pass(29);
    CU_ASSERT_EQUAL(lost(), 0);
    pass(2);
    CU_ASSERT_EQUAL(lost(), spared ? 0 : silent);
    if (spared)
        CU_ASSERT_EQUAL(w.notes, 1 + takeover); /* the other note says that the grace is over */
    pass(28);
    CU_ASSERT_EQUAL(lost(), spared ? 0 : silent);
    pass(2);
    CU_ASSERT_EQUAL(lost(), silent);
    world_free(&w);
}

static void test_silence(void)
{
    for (int takeover = 0; takeover < 2; takeover++) {
        silent_nodes(1, 1, true, takeover);
        silent_nodes(2, 1, false, takeover);
        silent_nodes(2, 2, true, takeover);
        silent_nodes(3, 1, false, takeover);
        silent_nodes(3, 2, true, takeover);
        silent_nodes(8, 4, false, takeover);
        silent_nodes(8, 5, true, takeover);
        silent_nodes(8, 8, true, takeover);
    }
}

/* A node that is heard again meanwhile is as any other: its next silence is a new one. */
static void test_silence_ends(void)
{
    begin(3, "a 2 0 0 4 0 0");
    silence(0, 3);
    pass(45);
    CU_ASSERT_EQUAL(lost(), 0);
    for (int i = 0; i < 3; i++)
        w.nodes[i].up = true;
    pass(20);
    CU_ASSERT_EQUAL(lost(), 0);
    silence(0, 3);
    pass(31);
    CU_ASSERT_EQUAL(lost(), 0);
    for (int i = 1; i < 3; i++)
        w.nodes[i].up = true;
    pass(31);
    CU_ASSERT_EQUAL(lost(), 1);
    pass(40);
    CU_ASSERT_EQUAL(lost(), 1);
    world_free(&w);
}

/* ---------------------------------------------------------------- clocks */
static void test_clocks(void)
{
    for (int ahead = -1; ahead <= 1; ahead += 2) {
        struct base_app_id id = begin(2, "a 6 1 1 4 0 0 3600"), app;
        struct rm_app_view v;
        struct rm_task_view t;

        app = world_submit_app(&w, "app 1024 2 0");
        end_task(&w.nodes[0], 0, 0);
        pass(100);
        w.now += ahead * HOUR;
        take_over(NULL);
        v = world_app(&w, id);
        CU_ASSERT(v.submit_us <= w.now && v.start_us <= w.now && v.launch_us <= w.now);
        CU_ASSERT(v.submit_us > 0 && v.start_us > 0);
        CU_ASSERT(v.deadline_us <= w.now + HOUR);
        if (ahead < 0)
            CU_ASSERT_EQUAL(v.deadline_us, w.now + HOUR);
        CU_ASSERT(world_app(&w, app).submit_us <= w.now);
        for (int32_t i = 0; i < 6; i++) {
            t = world_task_view(&w, id, BASE_TASK_MAP, i, NULL);
            CU_ASSERT(t.start_us <= w.now && t.finish_us <= w.now);
            CU_ASSERT(!t.finish_us || t.finish_us >= t.start_us);
        }
        pass(20); /* timers count by the new clock: no node expires early, or never */
        CU_ASSERT_EQUAL(lost(), 0);
        silence(1, 2);
        pass(31);
        CU_ASSERT_EQUAL(lost(), 1);
        w.nodes[1].up = true;
        succeeds(id);
        v = world_app(&w, id);
        CU_ASSERT(v.finish_us >= v.start_us && v.start_us >= v.submit_us);
        world_free(&w);
    }
}

/* An ended task has the same duration after a takeover by a leader whose clock is an hour
 * behind. */
static void test_durations(void)
{
    struct base_app_id id = begin(1, "a 2 0 0 4 0 0");
    int64_t took;

    pass(50);
    end_task(&w.nodes[0], 0, 0);
    world_beat(&w, &w.nodes[0], 0);
    took = world_task_view(&w, id, BASE_TASK_MAP, w.nodes[0].v[0].task.index, NULL).start_us;
    took =
        world_task_view(&w, id, BASE_TASK_MAP, w.nodes[0].v[0].task.index, NULL).finish_us - took;
    CU_ASSERT(took >= 50 * S);
    w.now -= HOUR;
    take_over(NULL);
    for (int32_t i = 0; i < 2; i++) {
        struct rm_task_view t = world_task_view(&w, id, BASE_TASK_MAP, i, NULL);

        if (t.state == RM_TASK_SUCCEEDED)
            CU_ASSERT_EQUAL(t.finish_us - t.start_us, took);
    }
    world_free(&w);
}

/* ---------------------------------------------------------------- late registrations */
static void register_at(struct world_node *n, int64_t sent_us, bool with_work)
{
    struct rm_event ev = {.kind = RM_EV_NODE_REGISTER, .token = ++w.token};
    struct rm_container_report r = {.state = RM_CONTAINER_RUNNING};

    ev.u.node_register.node_id = ev.u.node_register.http_address = n->id;
    ev.u.node_register.host = n->host;
    ev.u.node_register.rack = n->rack;
    ev.u.node_register.version = "0.1.0";
    ev.u.node_register.boot_id = n->boot;
    ev.u.node_register.instance = n->instance;
    ev.u.node_register.map_slots = 2;
    ev.u.node_register.reduce_slots = 1;
    ev.u.node_register.sent_us = sent_us;
    if (with_work) {
        CU_ASSERT_EQUAL_FATAL(n->n, 1);
        r.id = n->v[0].id;
        r.has_task = true;
        r.task = n->v[0].task;
        r.task_attempt = n->v[0].attempt;
        ev.u.node_register.reports = &r;
        ev.u.node_register.reports_n = 1;
    }
    n->token = w.token;
    w.reply = (struct world_reply){0};
    world_step(&w, &ev);
}

/* A registration that a node has sent to the leader before, and given up, reaches the new leader
 * first. It does not report what was started since, so it is refused, and the right to commit goes
 * to no other attempt. */
static void test_late_registration(void)
{
    struct world_container before;
    struct base_app_id id;
    struct world_node *n;

    world_init(&w, "fifo");
    w.conf.takeover_grace_us = 3 * S;
    world_renew(&w);
    n = world_add_node(&w, 2, 1, NULL);
    register_at(n, 200, false);
    world_add_node(&w, 2, 1, NULL);
    id = world_submit(&w, "a 1 0 1 4 0 0");
    world_beat(&w, n, 0);
    CU_ASSERT_EQUAL_FATAL(n->n, 1);
    before = n->v[0];
    CU_ASSERT(commit(before));
    world_crash(&w, w.journal_n);
    register_at(n, 100, false);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_RESYNC);
    CU_ASSERT_EQUAL(w.core->awaited, 2);
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(w.core->awaited, 1);
    world_advance(&w, 4 * S); /* longer than the grace */
    world_beat(&w, &w.nodes[1], 0);
    CU_ASSERT_EQUAL(w.nodes[1].launches, 0);
    register_at(n, 300, true);
    CU_ASSERT_EQUAL(w.core->awaited, 0);
    CU_ASSERT(n->registered);
    CU_ASSERT_EQUAL(maps(id).running, 1);
    CU_ASSERT(commit(before));
    CU_ASSERT_EQUAL(w.nodes[1].launches, 0);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_app(&w, id).final_status, RM_FINAL_SUCCEEDED);
    world_free(&w);
}

/* The attempt that might commit was given up with its node; the RM dies before the task is started
 * again. The next RM knows that nobody holds the right: it does not wait for other nodes because of
 * that. */
static void test_given_up_and_again(void)
{
    struct base_app_id id = begin(3, "a 6 0 0 4 0 0");
    struct world_node *gone = NULL, *busy, *late;
    struct world_container *first = world_task(&w, id, BASE_TASK_MAP, 0, &gone);

    CU_ASSERT_PTR_NOT_NULL_FATAL(first);
    CU_ASSERT(commit(*first));
    busy = gone == &w.nodes[0] ? &w.nodes[1] : &w.nodes[0];
    late = gone == &w.nodes[2] ? &w.nodes[1] : &w.nodes[2];
    take_over(gone);
    pass(40); /* the node has expired; no slot was free since then */
    CU_ASSERT_EQUAL(state_of((int)(gone - w.nodes)), RM_NODE_LOST);
    CU_ASSERT_PTR_NULL(attempt_on(busy, id, 0));
    CU_ASSERT_PTR_NULL(attempt_on(late, id, 0));
    take_over(late);
    end_task(busy, 0, 0);
    end_task(busy, 1, 0);
    pass(5); /* the grace is over, the late node is still awaited */
    CU_ASSERT_EQUAL(state_of((int)(late - w.nodes)), RM_NODE_NEW);
    CU_ASSERT_PTR_NOT_NULL(attempt_on(busy, id, 0));
    late->up = true;
    succeeds(id);
    world_free(&w);
}

static const struct cunit_case cases[] = {{"given up, and the next start", test_given_up_and_again},
                                          {"the grace", test_grace},
                                          {"no grace", test_no_grace},
                                          {"a late attempt loses", test_late_loses},
                                          {"a late attempt goes on", test_late_goes_on},
                                          {"numbers of attempts", test_numbers},
                                          {"many attempts", test_many_attempts},
                                          {"counts of attempts", test_counts_of_attempts},
                                          {"a late attempt has ended", test_late_has_ended},
                                          {"a suspended attempt", test_suspended},
                                          {"the right to commit is kept", test_right_is_kept},
                                          {"the right is another's", test_right_of_the_other},
                                          {"a killed job", test_killed_job},
                                          {"an abort waits for the store", test_abort_waits},
                                          {"a failure is recalled", test_failure_is_recalled},
                                          {"a master on a silent node", test_master},
                                          {"most nodes are silent", test_silence},
                                          {"the silence ends", test_silence_ends},
                                          {"clocks differ", test_clocks},
                                          {"durations", test_durations},
                                          {"late registration", test_late_registration}};

CUNIT_MAIN("takeover", cases)
