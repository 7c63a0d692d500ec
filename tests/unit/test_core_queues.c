/* Goal: an application is in the queue that the rules gave it, through changes of queues and
 * restarts; queues count what is in them; submissions that would overflow a sum, or go over a
 * limit, are refused. Method: a small world under the fair scheduler, whose queues the test
 * changes. */
#include <stdlib.h>
#include <string.h>

#include "rm/core/state.h"
#include "tests/sim/core_world.h"
#include "tests/unit/cunit_main.h"

static struct world w;

static void begin(const char *queues)
{
    world_init(&w, "fair");
    w.conf.queues = queues;
    world_renew(&w);
    world_add_node(&w, 4, 1, NULL);
}

static const char *queue_of(struct base_app_id id)
{
    return rm_app_find(w.core, id)->queue;
}

static int64_t active_in(const char *queue)
{
    return w.core->queues[policy_queues_find(&w.core->tree, queue)].active_apps;
}

/* A queue that is no longer configured when the ResourceManager starts again remains as long as an
 * application needs it. */
static void test_queue_gone(void)
{
    struct base_app_id running, waiting, ended;

    begin("dev,old");
    ended = world_submit(&w, "e 1 0 0 4 0 0 0 old");
    world_beat(&w, &w.nodes[0], 0);
    world_run_dry(&w);
    running = world_submit(&w, "r 2 0 0 4 0 0 0 dev");
    world_beat(&w, &w.nodes[0], 0);
    waiting = world_submit(&w, "s 9 0 0 4 0 0 0 dev");
    CU_ASSERT_EQUAL(active_in("dev"), 1);
    w.conf.queues = NULL;
    world_crash(&w, w.durable);
    CU_ASSERT_STRING_EQUAL(queue_of(running), "dev");
    CU_ASSERT_STRING_EQUAL(queue_of(waiting), "dev");
    CU_ASSERT_STRING_EQUAL(queue_of(ended), "old");
    CU_ASSERT_EQUAL(active_in("dev"), 1);
    /* no application needs the queue */
    CU_ASSERT_EQUAL(policy_queues_find(&w.core->tree, "old"), -1);
    world_register(&w, &w.nodes[0]);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_state(&w, running), RM_APP_FINISHED);
    CU_ASSERT_EQUAL(world_state(&w, waiting), RM_APP_FINISHED);
    CU_ASSERT_EQUAL(active_in("dev"), 0);
    world_free(&w);
}

/* With any_queue a job for an unknown queue goes to the default queue, as with YARN's FIFO
 * scheduler, which knows no queues. */
static void test_any_queue(void)
{
    struct base_app_id id;

    begin("dev");
    world_submit(&w, "a 1 0 0 4 0 0 0 nosuch");
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_ERROR);
    world_free(&w);
    world_init(&w, "fair");
    w.conf.queues = "dev";
    w.conf.any_queue = true;
    world_renew(&w);
    id = world_submit(&w, "b 1 0 0 4 0 0 0 nosuch");
    CU_ASSERT_STRING_EQUAL(queue_of(id), "default");
    id = world_submit(&w, "c 1 0 0 4 0 0 0 dev");
    CU_ASSERT_STRING_EQUAL(queue_of(id), "dev");
    world_free(&w);
}

static void set_rules(enum policy_rule_kind kind, bool create)
{
    struct policy_queues q;
    struct rm_event ev = {.kind = RM_EV_SET_QUEUES, .token = ++w.token};

    policy_queues_init(&q, "hpc");
    q.strict = false;
    q.rules[0] = (struct policy_rule){.kind = kind, .create = create};
    ev.u.queues.queues = &q;
    world_step(&w, &ev);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
}

static struct base_app_id submit_in_groups(const char *text, const char *first, const char *second)
{
    struct rm_event ev = {.kind = RM_EV_SUBMIT_JOB, .token = ++w.token};
    struct rm_str_list *groups;

    ev.u.submit_job.spec = world_spec(text);
    groups = &ev.u.submit_job.spec->user_groups;
    groups->v = base_alloc(2 * sizeof *groups->v);
    groups->v[0] = base_strdup(first);
    groups->v[1] = base_strdup(second);
    groups->n = 2;
    world_step(&w, &ev);
    return w.reply.app_id;
}

/* A user's groups are known at the submission only: after a restart the application is in the queue
 * where it was. */
static void test_groups(void)
{
    struct base_app_id primary, secondary, none;

    begin(NULL);
    set_rules(POLICY_RULE_PRIMARY_GROUP, true);
    primary = submit_in_groups("p 1 0 0 4 0 0", "eng", "hpc");
    CU_ASSERT_STRING_EQUAL(queue_of(primary), "eng");
    set_rules(POLICY_RULE_SECONDARY_GROUP, false);
    secondary = submit_in_groups("s 1 0 0 4 0 0", "eng", "hpc");
    CU_ASSERT_STRING_EQUAL(queue_of(secondary), "hpc");
    none = world_submit(&w, "n 1 0 0 4 0 0");
    CU_ASSERT_STRING_EQUAL(queue_of(none), "default");
    world_crash(&w, w.durable);
    CU_ASSERT_STRING_EQUAL(queue_of(primary), "eng");
    CU_ASSERT_STRING_EQUAL(queue_of(secondary), "hpc");
    CU_ASSERT_STRING_EQUAL(queue_of(none), "default");
    world_register(&w, &w.nodes[0]);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_state(&w, secondary), RM_APP_FINISHED);
    world_free(&w);
}

static const struct rm_queue *counts_of(const char *queue)
{
    return &w.core->queues[policy_queues_find(&w.core->tree, queue)];
}

/* The containers of a moved application go on and are counted in the new queue; the answer waits
 * for the store; after a restart the application is in the queue to which it was moved. */
static void test_move(void)
{
    struct base_app_id job, app;
    struct rm_container *first;
    int64_t memory;

    begin("dev,prod.x");
    job = world_submit(&w, "m 9 0 0 4 0 0 0 dev");
    world_beat(&w, &w.nodes[0], 0);
    app = world_submit_app(&w, "app 1024 2 0");
    CU_ASSERT_EQUAL(counts_of("dev")->containers, 4);
    memory = counts_of("dev")->used.v[RM_RES_MEMORY_MB];
    CU_ASSERT(memory > 0);
    first = rm_app_find(w.core, job)->containers;
    w.auto_store = false;
    world_move(&w, job, "root.prod.x");
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    CU_ASSERT_EQUAL(w.reply.after_seq, w.seq);
    CU_ASSERT(w.reply.after_seq > w.stored);
    CU_ASSERT_STRING_EQUAL(queue_of(job), "prod.x");
    CU_ASSERT_PTR_EQUAL(rm_app_find(w.core, job)->containers, first);
    CU_ASSERT_EQUAL(counts_of("dev")->containers, 0);
    CU_ASSERT_EQUAL(counts_of("dev")->active_apps, 0);
    CU_ASSERT_EQUAL(counts_of("dev")->pending[BASE_TASK_MAP], 0);
    CU_ASSERT_EQUAL(counts_of("dev")->used.v[RM_RES_MEMORY_MB], 0);
    CU_ASSERT_EQUAL(counts_of("prod.x")->containers, 4);
    CU_ASSERT_EQUAL(counts_of("prod.x")->active_apps, 1);
    CU_ASSERT_EQUAL(counts_of("prod.x")->pending[BASE_TASK_MAP], 5);
    CU_ASSERT_EQUAL(counts_of("prod.x")->used.v[RM_RES_MEMORY_MB], memory);
    world_move(&w, job, "prod.x"); /* asked again meanwhile: this answer waits as long */
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    CU_ASSERT_EQUAL(w.reply.after_seq, w.seq);
    world_move(&w, job, NULL);
    CU_ASSERT_EQUAL(w.reply.after_seq, w.seq);
    w.auto_store = true;
    world_settle(&w);
    world_move(&w, app, "dev"); /* an application that waits */
    CU_ASSERT_EQUAL(counts_of("default")->pending_apps, 0);
    CU_ASSERT_EQUAL(counts_of("dev")->pending_apps, 1);
    world_crash(&w, w.durable);
    CU_ASSERT_STRING_EQUAL(queue_of(job), "prod.x");
    CU_ASSERT_STRING_EQUAL(queue_of(app), "dev");
    world_register(&w, &w.nodes[0]);
    CU_ASSERT_EQUAL(counts_of("prod.x")->containers, 4);
    world_move(&w, job, "dev"); /* back to where it was submitted */
    CU_ASSERT_STRING_EQUAL(queue_of(job), "dev");
    world_kill(&w, app);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_state(&w, job), RM_APP_FINISHED);
    CU_ASSERT_EQUAL(counts_of("dev")->containers, 0);
    world_free(&w);
}

static void test_move_refused(void)
{
    struct base_app_id job, ended;

    begin("dev,prod.x");
    ended = world_submit(&w, "e 1 0 0 4 0 0");
    world_beat(&w, &w.nodes[0], 0);
    world_run_dry(&w);
    job = world_submit(&w, "j 1 0 0 4 0 0");
    world_move(&w, (struct base_app_id){7, 7}, "dev");
    CU_ASSERT_EQUAL(w.reply.code, -BASE_ENOTFOUND);
    world_move(&w, ended, "dev");
    CU_ASSERT_EQUAL(w.reply.code, -BASE_ESTATE);
    CU_ASSERT_STRING_EQUAL(w.reply.text, "App in FINISHED state cannot be moved.");
    world_move(&w, job, "prod");
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(w.reply.text, "\"prod\" has queues below it"));
    world_move(&w, job, "none");
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(
        w.reply.text, "\"none\" does not exist; applications go to: root.default, root.dev"));
    CU_ASSERT_EQUAL(policy_queues_find(&w.core->tree, "none"), -1);
    CU_ASSERT_STRING_EQUAL(queue_of(job), "default");
    world_free(&w);
    world_init(&w, "fifo");
    w.conf.queues = "batch";
    w.conf.any_queue = true;
    world_renew(&w);
    job = world_submit(&w, "j 1 0 0 4 0 0");
    world_move(&w, job, "batch");
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EINVAL);
    CU_ASSERT_STRING_EQUAL(w.reply.text,
                           "shown as fifo there is one queue, and applications cannot be moved");
    world_move(&w, job, NULL);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    world_free(&w);
    world_init(&w, "fifo"); /* fifo does not look at queues, but they can be moved to */
    w.conf.queues = "batch";
    world_renew(&w);
    job = world_submit(&w, "j 1 0 0 4 0 0");
    world_move(&w, job, "batch");
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_OK);
    CU_ASSERT_STRING_EQUAL(queue_of(job), "batch");
    world_free(&w);
}

/* A queue runs as many applications as it may: an application that is moved there waits, unless it
 * has running containers. */
static void test_move_limits(void)
{
    struct base_app_id runs, waits, other;
    struct policy_queues q;
    struct rm_event ev = {.kind = RM_EV_SET_QUEUES};

    begin("one,dev");
    policy_queues_init(&q, "one,dev");
    q.v[policy_queues_find(&q, "one")].max_running = 1;
    ev.u.queues.queues = &q;
    world_step(&w, &ev);
    world_submit(&w, "o 1 0 0 4 0 0 0 one");
    runs = world_submit(&w, "r 2 0 0 4 0 0 0 dev");
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(rm_app_find(w.core, runs)->containers_n, 2);
    waits = world_submit(&w, "w 2 0 0 4 0 0 0 dev");
    other = world_submit(&w, "x 2 0 0 4 0 0 0 one");
    world_move(&w, waits, "one");
    world_move(&w, runs, "one");
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(rm_app_find(w.core, runs)->containers_n, 2);
    CU_ASSERT_EQUAL(rm_app_find(w.core, waits)->containers_n, 0);
    world_move(&w, waits, "dev");
    world_beat(&w, &w.nodes[0], 0);
    CU_ASSERT_EQUAL(rm_app_find(w.core, waits)->containers_n, 1); /* the last free slot */
    CU_ASSERT_EQUAL(rm_app_find(w.core, other)->containers_n, 0);
    world_run_dry(&w);
    CU_ASSERT_EQUAL(world_state(&w, other), RM_APP_FINISHED);
    world_free(&w);
}

/* The sum of the times that tasks are expected to take must not overflow. */
static void test_expected(void)
{
    struct rm_event ev = {.kind = RM_EV_SUBMIT_JOB, .token = ++w.token};
    size_t queues;

    begin(NULL);
    set_rules(POLICY_RULE_USER, true);
    queues = w.core->tree.n;
    ev.u.submit_job.spec = world_spec("x 1000000 0 0 4 0 0");
    ev.u.submit_job.spec->groups[0].expected_us = INT64_C(1000000000000000);
    world_step(&w, &ev);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(w.reply.text, "expected-s"));
    CU_ASSERT_EQUAL(w.core->tree.n, queues); /* no queue is made for a refused job */
    world_free(&w);
}

static void set_lists(const char *queue, const char *submit)
{
    struct policy_queue *q = &w.core->tree.v[policy_queues_find(&w.core->tree, queue)];

    free(q->acl_submit);
    free(q->acl_admin);
    q->acl_submit = base_strdup(submit);
    q->acl_admin = base_strdup(" ");
}

static void begin_with_lists(void)
{
    world_init(&w, "fair");
    w.conf.queues = "dev,ops";
    w.conf.checks_queue_acls = true;
    world_renew(&w);
    set_lists("root", " ");
    set_lists("default", "bob staff");
    set_lists("dev", "ann");
}

static struct rm_app_spec *make_app(const char *name, const char *queue)
{
    struct rm_app_spec *spec = world_app_spec("x 100 1 0");

    base_assert(base_app_id_parse(name, &spec->id, NULL) == 0);
    free(spec->queue);
    spec->queue = base_strdup(queue);
    return spec;
}

static void submit(struct rm_app_spec *spec)
{
    struct rm_event ev = {.kind = RM_EV_SUBMIT_APP, .token = ++w.token};

    ev.u.submit_app.spec = spec;
    ev.u.submit_app.app_token = "t";
    world_step(&w, &ev);
}

/* A refusal leaves neither an application nor a queue behind. */
static void test_lists_refuse(void)
{
    struct base_app_id id = {.cluster_ts = 7, .seq = 20};
    struct rm_app_spec *spec;
    size_t queues;

    begin_with_lists();
    queues = w.core->tree.n;
    submit(make_app("application_7_0020", "root.ops"));
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_ERROR);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EPERM);
    CU_ASSERT_STRING_EQUAL(
        w.reply.text,
        "User ann does not have permission to submit application_7_0020 to queue root.ops");
    policy_queues_set_default_rules(&w.core->tree, true, true);
    submit(make_app("application_7_0020", "new.queue"));
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EPERM);
    submit(make_app("application_7_0020", "default")); /* goes to root.ann, which is not there */
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EPERM);
    CU_ASSERT_EQUAL(w.core->tree.n, queues);
    CU_ASSERT_PTR_NULL(rm_app_find(w.core, id));
    CU_ASSERT_EQUAL(w.core->apps_n, 0);
    submit(make_app("application_7_0020", "dev"));
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_APP);
    CU_ASSERT_STRING_EQUAL(queue_of(id), "dev");
    world_settle(&w);
    world_free(&w);
    begin_with_lists();
    CU_ASSERT(rm_view_submission_needs_groups(w.core, NULL, "ann"));
    CU_ASSERT(!rm_view_submission_needs_groups(w.core, NULL, "bob"));
    CU_ASSERT(!rm_view_submission_needs_groups(w.core, "dev", "ann"));
    /* the submission will fail anyway */
    CU_ASSERT(!rm_view_submission_needs_groups(w.core, "nosuch", "ann"));
    spec = make_app("application_7_0020", "default");
    spec->user_groups.v = base_alloc(sizeof *spec->user_groups.v);
    spec->user_groups.v[0] = base_strdup("staff");
    spec->user_groups.n = 1;
    submit(spec);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_APP);
    world_settle(&w);
    world_free(&w);
}

/* The same for jobs, which have no id yet. */
static void test_lists_refuse_jobs(void)
{
    begin_with_lists();
    world_submit(&w, "j 1 0 0 4 0 0 0 ops");
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EPERM);
    CU_ASSERT_NSTRING_EQUAL(w.reply.text, "User ", 5);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(w.reply.text, " does not have permission to submit to queue ops"));
    CU_ASSERT_EQUAL(w.core->apps_n, 0);
    world_free(&w);
}

static void begin_with_limits(int32_t of_queue, int32_t of_user)
{
    world_init(&w, "fair");
    w.conf.queues = "dev,ops";
    w.conf.queue_apps_max = of_queue;
    w.conf.user_apps_max = of_user;
    world_renew(&w);
}

static void expect_refusal(const char *text)
{
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_ERROR);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EPERM);
    CU_ASSERT_STRING_EQUAL(w.reply.text, text);
}

/* At most two applications of a queue that have not ended: jobs and plain applications together,
 * stored or not. */
static void test_queue_limit(void)
{
    struct base_app_id job;

    begin_with_limits(2, 0);
    job = world_submit(&w, "j 1 0 0 4 0 0 0 dev");
    submit(make_app("application_7_0020", "dev"));
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_APP);
    submit(make_app("application_7_0021", "root.dev"));
    expect_refusal(
        "Queue root.dev already has 2 applications, cannot accept submission of application");
    CU_ASSERT_PTR_NULL(rm_app_find(w.core, (struct base_app_id){.cluster_ts = 7, .seq = 21}));
    world_submit(&w, "j 1 0 0 4 0 0 0 dev");
    expect_refusal(
        "Queue root.dev already has 2 applications, cannot accept submission of application");
    submit(make_app("application_7_0021", "ops"));
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_APP); /* another queue has room */
    world_settle(&w);
    submit(make_app("application_7_0022", "dev"));
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EPERM);
    world_kill(&w, job);
    world_settle(&w);
    submit(make_app("application_7_0022", "dev"));
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_APP); /* one application has ended */
    world_settle(&w);
    world_free(&w);
}

static struct rm_app_spec *make_app_of(const char *user, const char *name, const char *queue)
{
    struct rm_app_spec *spec = make_app(name, queue);

    free(spec->user);
    spec->user = base_strdup(user);
    return spec;
}

/* At most two applications of a user, in whatever queues; a refused submission creates no queue;
 * applications that were read back after a failover count. */
static void test_user_limit(void)
{
    size_t queues;

    begin_with_limits(0, 2);
    submit(make_app("application_7_0020", "dev"));
    submit(make_app("application_7_0021", "ops"));
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_APP);
    world_settle(&w);
    policy_queues_set_default_rules(&w.core->tree, true, true);
    queues = w.core->tree.n;
    submit(make_app("application_7_0022", "new.queue"));
    expect_refusal("User ann already has 2 applications, cannot accept submission of application");
    CU_ASSERT_EQUAL(w.core->tree.n, queues);
    world_crash(&w, w.durable);
    submit(make_app("application_7_0023", "dev"));
    CU_ASSERT_EQUAL(w.reply.code, -BASE_EPERM);
    submit(make_app_of("bob", "application_7_0022", "dev"));
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_APP);
    world_settle(&w);
    world_kill(&w, (struct base_app_id){.cluster_ts = 7, .seq = 21});
    world_settle(&w);
    submit(make_app("application_7_0023", "dev"));
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_APP);
    world_settle(&w);
    world_free(&w);
}

static const struct cunit_case cases[] = {{"a queue that has gone", test_queue_gone},
                                          {"any queue", test_any_queue},
                                          {"groups", test_groups},
                                          {"lists refuse", test_lists_refuse},
                                          {"lists refuse jobs", test_lists_refuse_jobs},
                                          {"the limit of a queue", test_queue_limit},
                                          {"the limit of a user", test_user_limit},
                                          {"a move", test_move},
                                          {"moves refused", test_move_refused},
                                          {"a move and limits", test_move_limits},
                                          {"expected times", test_expected}};

CUNIT_MAIN("core: queues", cases)
