/* Whose step gets the next place: the rule of rm/core/job/step/places.h, in examples and over
 * random clusters by seed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "rm/core/job/step/step.h"
#include "rm/core/state.h"
#include "rm/core/view/view.h"
#include "tests/sim/core_world.h"
#include "tests/unit/cunit_main.h"

#define LIMIT_US INT64_C(20000000)

static void begin(struct world *w, int nodes, int slots)
{
    world_init(w, "fifo");
    w->conf.steps_on_nodes = true;
    w->conf.step_timeout_us = LIMIT_US;
    world_renew(w);
    for (int i = 0; i < nodes; i++)
        world_add_node(w, slots, 1, NULL);
    world_beat_all(w, 10000000);
}

static struct base_app_id submit(struct world *w, const char *user)
{
    char text[128];

    snprintf(text, sizeof text, "job 1 0 1 2 0 0 0 default %s", user);
    return world_submit(w, text);
}

static bool runs(const struct world *w, struct base_app_id id, enum base_job_step step)
{
    const struct rm_app *a = rm_app_find(w->core, id);

    return a->step.kind == step && a->step.running;
}

static struct world_container *container_of(struct world *w, struct base_app_id id,
                                            struct world_node **n)
{
    const struct rm_container *ct = rm_app_find(w->core, id)->step.running;

    CU_ASSERT_PTR_NOT_NULL_FATAL(ct);
    return world_find(w, &ct->id, n);
}

static void report_splits(struct world *w, struct base_app_id id, int32_t attempt)
{
    struct rm_split_page page = {.last = true};
    struct rm_event ev = {.kind = RM_EV_JOB_SPLITS, .token = ++w->token};

    page.paths.v = base_alloc(sizeof *page.paths.v);
    page.paths.v[page.paths.n++] = base_strdup("/in");
    page.splits = base_alloc(sizeof *page.splits);
    page.splits[page.splits_n++] = (struct rm_split_spec){.length = 100};
    ev.u.job_splits.id = id;
    ev.u.job_splits.attempt = attempt;
    ev.u.job_splits.page = &page;
    world_step(w, &ev);
    rm_split_page_clear(&page);
}

/* Ends the running step of a job as its process would: 0: after it has done its work. */
static void end_step(struct world *w, struct base_app_id id, int exit_code)
{
    struct world_node *n = NULL;
    struct world_container *ct = container_of(w, id, &n);
    const struct base_container_id ended = ct->id;
    struct rm_event ev = {.kind = RM_EV_JOB_MAY_COMMIT, .token = ++w->token};

    ev.u.job_may_commit.id = id;
    ev.u.job_may_commit.attempt = ct->attempt;
    if (exit_code == 0 && ct->step == BASE_STEP_SETUP)
        report_splits(w, id, ct->attempt);
    else if (exit_code == 0 && ct->step == BASE_STEP_COMMIT)
        world_step(w, &ev);
    ct = world_find(w, &ended, &n); /* the node may run others since */
    ct->ended = true;
    ct->exit_code = exit_code;
    world_beat(w, n, 400000);
    world_beat_all(w, 400000);
}

static void pass_time(struct world *w, int64_t us)
{
    for (int64_t end = w->now + us; w->now < end;) {
        world_advance(w, end - w->now < 500000 ? end - w->now : 500000);
        world_beat_all(w, 400000);
    }
}

/* Goal: with several nodes, one user's setups leave a place to others, and commits and aborts may
 * have it. */
static void test_last_place(void)
{
    struct world w;
    struct base_app_id ann[4], bob;

    begin(&w, 3, 4);
    for (int i = 0; i < 4; i++)
        ann[i] = submit(&w, "ann");
    pass_time(&w, 1000000);
    CU_ASSERT(runs(&w, ann[0], BASE_STEP_SETUP) && runs(&w, ann[1], BASE_STEP_SETUP));
    CU_ASSERT(!runs(&w, ann[2], BASE_STEP_SETUP) && !runs(&w, ann[3], BASE_STEP_SETUP));
    bob = submit(&w, "bob");
    CU_ASSERT_TRUE(runs(&w, bob, BASE_STEP_SETUP));
    end_step(&w, bob, 0);
    pass_time(&w, 1000000);
    CU_ASSERT_FALSE(runs(&w, ann[2], BASE_STEP_SETUP));
    world_kill(&w, ann[0]); /* its abort, and another setup in its place */
    pass_time(&w, 1000000);
    CU_ASSERT_TRUE(runs(&w, ann[0], BASE_STEP_ABORT));
    CU_ASSERT(runs(&w, ann[1], BASE_STEP_SETUP) && runs(&w, ann[2], BASE_STEP_SETUP));
    world_kill(&w, ann[1]);
    pass_time(&w, 1000000);
    CU_ASSERT_TRUE(runs(&w, ann[1], BASE_STEP_ABORT));
    CU_ASSERT_FALSE(runs(&w, ann[3], BASE_STEP_SETUP));
    CU_ASSERT_EQUAL(w.core->places.held, 3);
    world_free(&w);
}

/* Goal: on one node, users take turns, whoever has how many steps; commits and aborts come before
 * setups; within a user the same. */
static void test_turns(void)
{
    struct world w;
    struct base_app_id ann[4], bob[2];

    begin(&w, 1, 4);
    for (int i = 0; i < 4; i++)
        ann[i] = submit(&w, "ann");
    for (int i = 0; i < 2; i++)
        bob[i] = submit(&w, "bob");
    CU_ASSERT_TRUE(runs(&w, ann[0], BASE_STEP_SETUP));
    end_step(&w, ann[0], 1);
    CU_ASSERT_TRUE(runs(&w, ann[1], BASE_STEP_SETUP)); /* ann's turn was before bob came */
    end_step(&w, ann[1], 1);
    CU_ASSERT_TRUE(runs(&w, bob[0], BASE_STEP_SETUP));
    world_kill(&w, ann[0]);
    end_step(&w, bob[0], 0);
    CU_ASSERT_TRUE(runs(&w, ann[0], BASE_STEP_ABORT)); /* before ann[2], which has waited longer */
    world_kill(&w, bob[0]);
    pass_time(&w, 1000000); /* its map ends */
    end_step(&w, ann[0], 0);
    CU_ASSERT_TRUE(runs(&w, bob[0], BASE_STEP_ABORT)); /* before bob[1] and ann[2] */
    end_step(&w, bob[0], 0);
    CU_ASSERT_TRUE(runs(&w, ann[2], BASE_STEP_SETUP)); /* ann[1] has begun to wait anew */
    end_step(&w, ann[2], 1);
    CU_ASSERT_TRUE(runs(&w, bob[1], BASE_STEP_SETUP));
    end_step(&w, bob[1], 1);
    CU_ASSERT_TRUE(runs(&w, ann[3], BASE_STEP_SETUP)); /* a failure does not renew bob's turn */
    world_free(&w);
}

/* Goal: a commit or abort of one user comes before a setup of another whose turn is older; and of
 * two users' aborts, that of the user who holds fewer places, whose turn is the later one. */
static void test_order_of_users(void)
{
    struct world w;
    struct base_app_id ann[2], bob, cat;

    begin(&w, 1, 4);
    ann[0] = submit(&w, "ann");
    bob = submit(&w, "bob");
    cat = submit(&w, "cat");
    end_step(&w, ann[0], 1);
    end_step(&w, bob, 0);
    CU_ASSERT_TRUE(runs(&w, cat, BASE_STEP_SETUP));
    world_kill(&w, bob);
    pass_time(&w, 1000000);
    end_step(&w, cat, 1);
    CU_ASSERT_TRUE(runs(&w, bob, BASE_STEP_ABORT)); /* ann was served before bob was */
    world_free(&w);

    begin(&w, 2, 4);
    for (int i = 0; i < 2; i++) {
        ann[i] = submit(&w, "ann");
        end_step(&w, ann[i], 0);
    }
    world_kill(&w, ann[0]);
    pass_time(&w, 1000000);
    CU_ASSERT_TRUE(runs(&w, ann[0], BASE_STEP_ABORT));
    bob = submit(&w, "bob");
    end_step(&w, bob, 0);
    cat = submit(&w, "cat");
    pass_time(&w, 500000);
    CU_ASSERT_TRUE(runs(&w, cat, BASE_STEP_SETUP));
    world_kill(&w, ann[1]);
    world_kill(&w, bob);
    pass_time(&w, 1000000);
    end_step(&w, cat, 1);
    CU_ASSERT_TRUE(runs(&w, bob, BASE_STEP_ABORT));
    CU_ASSERT_FALSE(runs(&w, ann[1], BASE_STEP_ABORT));
    world_free(&w);
}

/* Goal: an abort that hangs does not get the place again before another user's setup had it. */
static void test_late_user(void)
{
    struct world w;
    struct base_app_id ann[2], bob;

    begin(&w, 1, 4);
    for (int i = 0; i < 2; i++) {
        ann[i] = submit(&w, "ann");
        end_step(&w, ann[i], 0);
    }
    for (int i = 0; i < 2; i++)
        world_kill(&w, ann[i]);
    pass_time(&w, 1000000);
    CU_ASSERT_TRUE(runs(&w, ann[0], BASE_STEP_ABORT));
    bob = submit(&w, "bob");
    pass_time(&w, LIMIT_US + 1000000);              /* and the killed process has ended */
    CU_ASSERT_TRUE(runs(&w, bob, BASE_STEP_SETUP)); /* although two aborts wait */
    end_step(&w, bob, 1);
    CU_ASSERT_TRUE(runs(&w, ann[1], BASE_STEP_ABORT));
    world_free(&w);
}

#define REFUSED 70

/* Goal: many setups of one user that have to avoid the free node do not keep it from the setup of
 * another. */
static void test_many_refused_setups(void)
{
    struct world w;
    struct base_app_id ann, bob;

    world_init(&w, "fifo");
    w.conf.steps_on_nodes = true;
    w.conf.step_timeout_us = LIMIT_US;
    world_renew(&w);
    world_add_node(&w, 1, 0, NULL);
    world_beat_all(&w, 10000000);
    ann = submit(&w, "ann");
    end_step(&w, ann, 0); /* its map keeps this node's slot */
    pass_time(&w, 1000000);
    world_register(&w, world_add_node(&w, 2, 0, NULL));
    pass_time(&w, 1000000);
    for (int i = 0; i < REFUSED; i++) {
        ann = submit(&w, "ann");
        pass_time(&w, 500000);
        if (runs(&w, ann, BASE_STEP_SETUP))
            end_step(&w, ann, RM_EXIT_JOB_REFUSED);
        CU_ASSERT_TRUE(rm_app_find(w.core, ann)->step.waits);
    }
    bob = submit(&w, "bob");
    CU_ASSERT_TRUE(runs(&w, bob, BASE_STEP_SETUP));
    world_free(&w);
}

static int count_steps_on_node(const struct rm_node *n)
{
    int steps = 0;

    for (const struct rm_container *ct = n->containers; ct; ct = ct->node_next)
        steps += ct->step != BASE_STEP_NONE;
    return steps;
}

/* Ends all steps on @n whose kill was ordered, as when the file system answers again. */
static void end_killed_steps(struct world_node *n)
{
    for (size_t i = 0; i < n->n; i++)
        if (n->v[i].step && n->v[i].killed) {
            n->v[i].ended = true;
            n->v[i].exit_code = RM_EXIT_KILLED_BY_RM;
        }
}

/* Goal: steps that no kill ends take one slot of a node at most; an owed abort of which one is left
 * begins no further round before it has ended. */
static void test_undying_steps(void)
{
    struct world w;
    struct base_app_id ann, bob;
    int steps = 0;

    begin(&w, 3, 8);
    ann = submit(&w, "ann");
    end_step(&w, ann, 0);
    world_kill(&w, ann);
    w.undying_steps = true;
    for (int i = 0; i < 10; i++)
        pass_time(&w, RM_ABORT_PAUSE_US);
    CU_ASSERT_TRUE(rm_app_find(w.core, ann)->abort_owed);
    CU_ASSERT_EQUAL(rm_app_find(w.core, ann)->step.kind, BASE_STEP_NONE);
    for (size_t i = 0; i < w.nodes_n; i++)
        steps += count_steps_on_node(w.core->nodes[i]);
    CU_ASSERT_EQUAL(steps, 2); /* both attempts of the first round */
    bob = submit(&w, "bob");
    CU_ASSERT_TRUE(runs(&w, bob, BASE_STEP_SETUP));
    pass_time(&w,
              10 * LIMIT_US); /* its two attempts: one on the third node, no place for another */
    for (size_t i = 0; i < w.nodes_n; i++)
        CU_ASSERT_EQUAL(count_steps_on_node(w.core->nodes[i]), 1);
    w.undying_steps = false; /* the file system answers again */
    for (size_t i = 0; i < w.nodes_n; i++)
        end_killed_steps(&w.nodes[i]);
    pass_time(&w, 1000000);
    CU_ASSERT_TRUE(runs(&w, bob, BASE_STEP_SETUP));
    for (int i = 0; i < 130 && !runs(&w, ann, BASE_STEP_ABORT); i++)
        pass_time(&w, 500000);
    CU_ASSERT_TRUE(runs(&w, ann, BASE_STEP_ABORT));
    world_free(&w);
}

/* Returns how many of the first @n jobs have a setup that runs. */
static int count_running_setups(const struct world *w, const struct base_app_id *jobs, int n)
{
    int running = 0;

    for (int i = 0; i < n; i++)
        running += runs(w, jobs[i], BASE_STEP_SETUP);
    return running;
}

/* Goal: a user whose processes no kill ends leaves the last node to others, with setups, and with
 * the abort of a job which is killed; when one of these processes has died, this user's steps go
 * on. */
static void test_blocking_user(void)
{
    struct world w;
    struct base_app_id ann[3], bob;
    struct base_buf why = {0};

    begin(&w, 3, 4);
    w.undying_steps = true;
    for (int i = 0; i < 3; i++)
        ann[i] = submit(&w, "ann");
    pass_time(&w, 1000000);
    CU_ASSERT_EQUAL(count_running_setups(&w, ann, 3), 2);
    pass_time(&w, LIMIT_US + 1000000);
    CU_ASSERT(w.core->places.held == 0 && w.core->places.blocking == 2);
    CU_ASSERT_EQUAL(count_running_setups(&w, ann, 3), 0);
    world_kill(&w, ann[0]);
    pass_time(&w, 1000000);
    CU_ASSERT_FALSE(runs(&w, ann[0], BASE_STEP_ABORT));
    CU_ASSERT_EQUAL(rm_view_explain_wait(w.core, ann[2], w.now, &why), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.data, "the last free node is left to other users than ann"));
    base_buf_free(&why);
    bob = submit(&w, "bob");
    CU_ASSERT_TRUE(runs(&w, bob, BASE_STEP_SETUP));
    end_step(&w, bob, 0);
    CU_ASSERT_EQUAL(w.core->places.held, 0);
    for (size_t i = 0; i < w.nodes_n; i++)
        end_killed_steps(&w.nodes[i]);
    pass_time(&w, 1000000);
    CU_ASSERT_EQUAL(w.core->places.blocking, 0);
    CU_ASSERT_TRUE(runs(&w, ann[0], BASE_STEP_ABORT));
    CU_ASSERT_EQUAL(count_running_setups(&w, ann, 3), 1);
    world_free(&w);
}

/* Goal: nodes that are unhealthy, and that processes block which do not die, take no places from
 * the healthy ones: of three, the user of these processes gets two. */
static void test_blocked_nodes_unhealthy(void)
{
    struct world w;
    struct base_app_id ann[6];

    begin(&w, 6, 4);
    w.undying_steps = true;
    for (int i = 0; i < 6; i++)
        ann[i] = submit(&w, "ann");
    pass_time(&w, LIMIT_US + 2000000);
    CU_ASSERT(w.core->places.held == 0 && w.core->places.blocking == 5);
    for (size_t i = 0, left = 3; i < w.nodes_n && left > 0; i++)
        if (rm_node_find(w.core, w.nodes[i].id)->steps_blocking) {
            w.nodes[i].healthy = false;
            left--;
        }
    for (size_t i = 0; i < w.nodes_n; i++)
        if (w.nodes[i].healthy)
            end_killed_steps(&w.nodes[i]);
    pass_time(&w, 2000000);
    CU_ASSERT(w.core->places.nodes == 3 && w.core->places.blocking == 3);
    CU_ASSERT_EQUAL(w.core->places.taken, 2);
    CU_ASSERT_EQUAL(count_running_setups(&w, ann, 6), 2);
    world_free(&w);
}

/* Goal: on two nodes, a user who blocks one has steps on the other one, but comes after another
 * user who has waited longer. */
static void test_blocking_user_on_two_nodes(void)
{
    struct world w;
    struct base_app_id ann[2], bob, cat;

    begin(&w, 2, 4);
    w.undying_steps = true;
    ann[0] = submit(&w, "ann");
    pass_time(&w, 500000);
    world_kill(&w, ann[0]);
    cat = submit(&w, "cat");
    pass_time(&w, 1000000);
    CU_ASSERT(w.core->places.held == 1 && w.core->places.blocking == 1);
    bob = submit(&w, "bob");
    ann[1] = submit(&w, "ann");
    end_step(&w, cat, 0);
    CU_ASSERT_TRUE(runs(&w, bob, BASE_STEP_SETUP));
    end_step(&w, bob, 0);
    CU_ASSERT_TRUE(runs(&w, ann[1], BASE_STEP_SETUP));
    world_free(&w);
}

/* ---- random clusters ---- */
#define USERS    5
#define JOBS_MAX 40

struct random_job {
    struct base_app_id id;
    int user;
    bool hangs;
    int64_t submit_us, placed_us; /* placed_us: when its first setup was launched; 0: not yet */
    int64_t end_us;               /* when the running step is to end; 0: none is known */
    const struct rm_container *seen;
};
struct random_world {
    struct world w;
    uint64_t rng;
    struct random_job jobs[JOBS_MAX];
    int jobs_n, hanging_users, good;
};

static uint64_t draw(struct random_world *r, uint64_t n)
{
    r->rng ^= r->rng << 13;
    r->rng ^= r->rng >> 7;
    r->rng ^= r->rng << 17;
    return r->rng % n;
}

/* The first hanging_users users have setups that never end. */
static void submit_some_job(struct random_world *r)
{
    struct random_job *j = &r->jobs[r->jobs_n++];
    char user[8];

    j->user = (int)draw(r, USERS);
    j->hangs = j->user < r->hanging_users;
    r->good += !j->hangs;
    snprintf(user, sizeof user, "u%d", j->user);
    j->submit_us = r->w.now;
    j->id = submit(&r->w, user);
}

/* The invariants that hold in every state; builds with the ledger's audit add up the rest. */
static void check_places(const struct random_world *r)
{
    const struct rm_core *c = r->w.core;
    int32_t held = 0;

    for (size_t i = 0; i < c->nodes_n; i++) {
        const struct rm_container *ct = c->nodes[i]->step;

        held += ct != NULL;
        CU_ASSERT(!ct || (!ct->killing && c->now_us - ct->start_us <= LIMIT_US));
        for (const struct rm_container *o = c->nodes[i]->containers; o; o = o->node_next)
            CU_ASSERT(o == ct || !o->step || o->killing);
    }
    CU_ASSERT_EQUAL(held, c->places.held);
}

static void run_steps(struct random_world *r)
{
    for (int i = 0; i < r->jobs_n; i++) {
        struct random_job *j = &r->jobs[i];
        const struct rm_app *a = rm_app_find(r->w.core, j->id);

        if (!a->step.running)
            continue;
        if (!j->placed_us)
            j->placed_us = r->w.now;
        if (j->seen != a->step.running) {
            j->seen = a->step.running;
            j->end_us = r->w.now + (int64_t)draw(r, 1500000);
        }
        if (r->w.now >= j->end_us && !(j->hangs && a->step.kind == BASE_STEP_SETUP))
            end_step(&r->w, j->id, 0);
    }
}

static void run_maps(struct world *w)
{
    for (size_t i = 0; i < w->nodes_n; i++)
        for (size_t j = 0; j < w->nodes[i].n; j++)
            if (w->nodes[i].v[j].has_task && !w->nodes[i].v[j].ended) {
                w->nodes[i].v[j].ended = true;
                w->nodes[i].v[j].exit_code = 0;
            }
}

static bool all_have_ended(const struct random_world *r)
{
    for (int i = 0; i < r->jobs_n; i++) {
        const struct rm_app *a = rm_app_find(r->w.core, r->jobs[i].id);

        if (!rm_app_state_is_final(a->state) || a->abort_owed)
            return false;
    }
    return true;
}

#define STEP_MAX_US 2500000 /* most time from one launch to the next, unless the step hangs */

/* Checks how the jobs have ended, and that no job of a user whose setups end has waited for its
 * first setup longer than all the steps that may come before it can take: the setups and commits of
 * such users, and the aborts. On two or more nodes with at most one user whose setups hang, hanging
 * setups add nothing to this; otherwise one hanging setup of each such user may have come before
 * each of these steps. */
static void check_ends(struct random_world *r)
{
    bool apart = r->w.nodes_n > 1 && r->hanging_users < 2;
    int64_t before = 2 * (r->good + 1) + (r->jobs_n - r->good);
    int64_t most_us = before * (STEP_MAX_US + (apart ? 0 : LIMIT_US * r->hanging_users));

    for (int i = 0; i < r->jobs_n; i++) {
        const struct random_job *j = &r->jobs[i];
        const struct rm_app *a = rm_app_find(r->w.core, j->id);

        CU_ASSERT_EQUAL(rm_app_result(a), j->hangs ? RM_RESULT_FAILED : RM_RESULT_SUCCEEDED);
        CU_ASSERT_TRUE(j->placed_us > 0);
        CU_ASSERT_TRUE(j->hangs || j->placed_us - j->submit_us <= most_us);
        CU_ASSERT_TRUE(!j->hangs || strstr(a->diagnostics, "creel.job.step-timeout-ms"));
    }
}

static void run_random(uint64_t seed)
{
    struct random_world r = {.rng = seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    int jobs;

    begin(&r.w, 1 + (int)draw(&r, 4), 3);
    r.hanging_users = (int)draw(&r, 3);
    jobs = 4 + (int)draw(&r, JOBS_MAX - 4);
    for (int64_t tick = 0; r.jobs_n < jobs || !all_have_ended(&r); tick++) {
        if (tick > 20000) {
            fprintf(stderr, "seed %llu: jobs do not end\n", (unsigned long long)seed);
            CU_FAIL("jobs do not end");
            break;
        }
        if (r.jobs_n < jobs && draw(&r, 3) == 0)
            submit_some_job(&r);
        run_steps(&r);
        run_maps(&r.w);
        pass_time(&r.w, 250000);
        check_places(&r);
    }
    if (all_have_ended(&r))
        check_ends(&r);
    CU_ASSERT_EQUAL(r.w.core->places.held, 0);
    CU_ASSERT_EQUAL(r.w.core->places.users.n, 0);
    world_free(&r.w);
}

/* Goal: whatever the setups of some users do, no place is held beyond the limit, no job of another
 * user waits for longer than the rule says, and each job gets to its end. */
static void test_random(void)
{
    for (uint64_t seed = 1; seed <= 150; seed++)
        run_random(seed);
}

static const struct cunit_case cases[] = {
    {"the last place", test_last_place},
    {"turns", test_turns},
    {"the order of users", test_order_of_users},
    {"a user who is late", test_late_user},
    {"many setups that a node has refused", test_many_refused_setups},
    {"steps that no kill ends", test_undying_steps},
    {"a user who blocks nodes", test_blocking_user},
    {"blocked nodes that are unhealthy", test_blocked_nodes_unhealthy},
    {"a user who blocks one of two nodes", test_blocking_user_on_two_nodes},
    {"random clusters", test_random},
};
CUNIT_MAIN("core step places", cases)
