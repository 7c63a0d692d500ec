/* Goal: in the shape of the capacity scheduler, what the core shows is byte for byte what a real
 * YARN answered; weights and limits become the percentages that rm/http/yarn/queue_part.h defines.
 * Method: views are built as the recordings show the cluster, and the body of each recording in
 * JSON and XML is compared whole. What Creel does not have (node labels, limits by user, limits of
 * applications, lifetimes) is put into the resource before encoding, each time with a comment that
 * says why. */
#include <time.h>

#include "api/yarn/scheduler.h"
#include "rm/http/yarn/scheduler/scheduler_internal.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/golden.h"

#define TS INT64_C(1795244424900)
#define RES(mb, cores)                                                                             \
    {                                                                                              \
        {                                                                                          \
            mb, cores, 0, 0                                                                        \
        }                                                                                          \
    }

/* The queues of the recordings: default, org (eng, ops). */
enum { ROOT, ORG, DEFAULT, ENG, OPS, QUEUES };
static const struct rm_queue_view tree[QUEUES] = {
    {.name = "root", .parent = -1, .is_parent = true},
    {.name = "root.org", .parent = ROOT, .weight = 3, .is_parent = true},
    {.name = "root.default", .parent = ROOT, .weight = 2},
    {.name = "root.org.eng", .parent = ORG, .weight = 3},
    {.name = "root.org.ops", .parent = ORG, .weight = 1, .max_part = 0.5}};

static struct rm_queue_view *queues_new(void)
{
    struct rm_queue_view *q = base_alloc(sizeof tree);

    memcpy(q, tree, sizeof tree);
    for (int i = 0; i < QUEUES; i++) {
        q[i].index = 10 - i; /* the core's numbers are not the positions here */
        q[i].policy = "fifo";
        q[i].state = "RUNNING";
        q[i].acl_submit = q[i].acl_admin = i == ROOT ? "*" : " ";
        q[i].max_apps = INT32_MAX;
        if (q[i].max_part <= 0)
            q[i].max_part = 1;
    }
    return q;
}

static struct yarn_context frame(int64_t now_ms)
{
    struct yarn_context f = {
        .shape = RM_SHAPE_CAPACITY, .url = "http://localhost:18000", .now_ms = now_ms};
    struct rm_cluster_view c = {.policy = "fifo",
                                .rm_instance_ms = TS,
                                .total = RES(8192, 8),
                                .max_capability = RES(8192, 4),
                                .masters_max = 1,
                                .slot = {RES(4096, 1), RES(4096, 1)}};
    struct rm_views v = {.queues = queues_new(), .queues_n = QUEUES};

    c.nodes[RM_NODE_RUNNING] = 2;
    c.nodes[RM_NODE_DECOMMISSIONED] = 1;
    yarn_context_set_views(&f, &c, &v);
    f.limits.min[0] = 128;
    f.limits.min[1] = 1;
    return f;
}

static void same(const char *name, const char *ext, const struct api_shape *shape,
                 enum api_dialect d, const void *view)
{
    char *path = base_printf("capacity/%s.%s.http", name, ext);
    struct base_buf out = {0};
    struct golden g;
    size_t at = 0;

    golden_read(path, &g);
    api_shape_encode_document(shape, d, view, &out);
    while (out.data[at] && out.data[at] == g.body[at])
        at++;
    if (out.data[at] != g.body[at])
        fprintf(stderr, "%s differs at byte %zu:\n  is   ...%.160s\n  real ...%.160s\n", path, at,
                out.data + (at > 80 ? at - 80 : 0), g.body + (at > 80 ? at - 80 : 0));
    CU_ASSERT_STRING_EQUAL(out.data, g.body);
    golden_free(&g);
    base_buf_free(&out);
    free(path);
}

/* ---- the scheduler ---- */

/* The label "gpu" of the recordings, which no node has. */
struct label {
    struct yarn_partition_capacity capacities[2];
    struct yarn_partition_usage usages[2];
};

static void set_zero(struct yarn_resource *r, const struct yarn_limits *limits)
{
    yarn_resource_set_memory_and_vcores(r, 0, 0, limits);
}

/* Adds the label to the capacities of @q: all of its nodes (@all), or none of them. @by_limits: the
 * effective resources show the limits of the scheduler. */
static void add_label_capacity(const struct yarn_context *f, struct yarn_capacity_queue *q,
                               struct label *l, bool all, bool by_limits)
{
    static const struct yarn_limits *const open = NULL;
    struct yarn_partition_capacity *p = &l->capacities[1];

    yarn_capacity_vector_set_percent(&p->vector, 100);
    p->partition = "gpu";
    p->capacity = p->absolute = p->absolute_max = all ? 100.0f : 0.0f;
    p->max = 100.0f;
    p->weight = -1.0f;
    p->masters_max = !all ? 0.0f : q->partition_capacity.masters_max;
    if (!all) {
        p->vector.configured = "[]";
        p->vector.entries.n = 0;
    }
    set_zero(&p->configured_min, &f->limits);
    set_zero(&p->configured_max, &f->limits);
    set_zero(&p->effective_min, by_limits ? &f->limits : open);
    set_zero(&p->effective_max, by_limits ? &f->limits : open);
    q->capacities.list = (struct api_list){l->capacities, 2, sizeof *p};
    q->label[0] = "gpu";
}

static void add_label_usage(const struct yarn_context *f, struct yarn_capacity_queue *q,
                            struct label *l)
{
    static const struct rm_res none;

    yarn_partition_usage_fill(f, &l->usages[1], &none, &none);
    yarn_partition_usage_fill_masters(f, &l->usages[1], &none, &none, &none);
    l->usages[1].partition = "gpu";
    q->usages.list = (struct api_list){l->usages, 2, sizeof l->usages[0]};
}

/* Copies the default partition's element of each list from @q to @l, where the label's element
 * follows it; pointers that led into @q then lead to the copies. */
static void move_default_partition(const struct yarn_context *f, struct yarn_capacity_queue *q,
                                   struct label *l)
{
    struct yarn_partition_capacity *from = &q->partition_capacity, *to = &l->capacities[0];
    const struct yarn_partition_usage *u = &q->partition_usage;
    struct rm_res res[3];

    *to = *from;
    to->vector.entries.items = from->vector.entry;
    to->configured_min.infos.list.items = from->configured_min.info;
    to->configured_max.infos.list.items = from->configured_max.info;
    to->effective_min.infos.list.items = from->effective_min.info;
    to->effective_max.infos.list.items = from->effective_max.info;
    yarn_partition_usage_fill(f, &l->usages[0], &(struct rm_res)RES(0, 0),
                              &(struct rm_res)RES(0, 0));
    for (int i = 0; u->masters && i < 3; i++)
        res[i] = (struct rm_res)RES(u->masters_storage[i].memory, u->masters_storage[i].vcores);
    if (u->masters)
        yarn_partition_usage_fill_masters(f, &l->usages[0], &res[0], &res[1], &res[2]);
}

/* Adds what Creel does not have, as the recorded YARN was configured. */
static void add_what_was_configured(const struct yarn_context *f, struct yarn_capacity_tree *t,
                                    struct label labels[QUEUES])
{
    static const int64_t most[QUEUES] = {[DEFAULT] = 4000, [ENG] = 10000, [OPS] = 1500};
    static const float factor[QUEUES] = {[DEFAULT] = 4, [ENG] = 2, [OPS] = 1};
    static const int64_t masters_mb[QUEUES] = {[DEFAULT] = 4096, [ENG] = 4096, [OPS] = 2048};

    for (int i = 0; i < QUEUES; i++) {
        struct yarn_capacity_queue *q = &t->queues[i];

        q->max_apps = q->max_apps_per_user = most[i];
        q->user_limit_factor = factor[i];
        yarn_resource_set_memory_and_vcores(&q->max_allocation, 8192, 4, NULL);
        if (masters_mb[i]) { /* masters may use half of what the queue may */
            yarn_resource_set_memory_and_vcores(&q->masters_limit, masters_mb[i], 1, NULL);
            yarn_resource_set_memory_and_vcores(&q->masters_user_limit, masters_mb[i], 1, NULL);
            yarn_resource_set_memory_and_vcores(&q->partition_usage.masters_storage[1],
                                                masters_mb[i], 1, NULL);
        }
        move_default_partition(f, q, &labels[i]);
        if (i != DEFAULT)
            add_label_capacity(f, q, &labels[i], i != OPS, i == ROOT || i == OPS);
        if (i == ENG || i == OPS)
            add_label_usage(f, q, &labels[i]);
    }
    t->queues[OPS].max_lifetime_s = t->queues[OPS].default_lifetime_s = 7200;
}

static void test_idle(void)
{
    struct yarn_context f = frame(0);
    struct rm_health_view health = {.last_step_us = INT64_C(1795244430207) * 1000};
    struct label labels[QUEUES] = {0};
    struct yarn_capacity_tree t;

    f.limits.max[0] = 8192;
    f.limits.max[1] = 4;
    yarn_capacity_tree_fill(&f, &(struct rm_views){0}, &(struct rm_properties){0}, &health, &t);
    add_what_was_configured(&f, &t, labels);
    same("idle/scheduler", "json", &yarn_shape_capacity_scheduler, API_N_WRAPPED, &t.scheduler);
    same("idle/scheduler", "xml", &yarn_shape_capacity_scheduler, API_XML_DOC, &t.scheduler);
    yarn_capacity_tree_free(&t);
    yarn_context_free(&f);
}

static void test_running(void)
{
    struct yarn_context f = frame(0);
    struct rm_queue_view *q = f.queues.queues;
    struct rm_queue_user_view hadoop = {.queue = 10 - DEFAULT,
                                        .user = "hadoop",
                                        .pending_apps = 1,
                                        .active_apps = 2,
                                        .pending_containers = 1,
                                        .used = RES(5376, 6),
                                        .am_used = RES(768, 2)};
    struct rm_queue_user_view hidden = {.queue = 77, .user = "nobody"};
    struct rm_queue_user_view rows[] = {hidden, hadoop};
    struct rm_views users = {.queue_users = rows, .queue_users_n = 2};
    struct rm_health_view health = {.last_step_us = INT64_C(1795244492202) * 1000};
    struct label labels[QUEUES] = {0};
    struct yarn_capacity_tree t;

    for (int i = ROOT; i <= DEFAULT; i += DEFAULT) {
        q[i].used = (struct rm_res)RES(5376, 6);
        q[i].demand = (struct rm_res)RES(5376 + 4096, 7);
        q[i].pending_apps = 1;
        q[i].active_apps = 2;
        q[i].allocated_containers = 6;
        q[i].pending_containers = 1;
    }
    f.cluster.used = (struct rm_res)RES(5376, 6);
    health.operations[RM_OPERATION_ALLOCATION] = (struct rm_operation_view){
        .known = true, .node_id = "localhost:18020", .queue = "root.default"};
    health.operations[RM_OPERATION_RELEASE] =
        (struct rm_operation_view){.known = true,
                                   .node_id = "localhost:18010",
                                   .queue = "root.default",
                                   .container = {{{TS, 2}, 1}, 5}};
    yarn_capacity_tree_fill(&f, &users, &(struct rm_properties){0}, &health, &t);
    add_what_was_configured(&f, &t, labels);
    t.operations[0].container_id = "N/A"; /* YARN does not show the id */
    CU_ASSERT_EQUAL(t.queues[DEFAULT].users.list.n, 1);
    /* Creel has no limits by user */
    yarn_resource_set_memory_and_vcores(&t.users[0].limit, 5504, 1, NULL);
    yarn_resource_set_memory_and_vcores(&t.user_usages[0].masters_storage[1], 4096, 1, NULL);
    yarn_resource_set_memory_and_vcores(&t.queues[DEFAULT].partition_usage.masters_storage[2], 4096,
                                        1, NULL);
    same("running/scheduler", "json", &yarn_shape_capacity_scheduler, API_N_WRAPPED, &t.scheduler);
    same("running/scheduler", "xml", &yarn_shape_capacity_scheduler, API_XML_DOC, &t.scheduler);
    yarn_capacity_tree_free(&t);
    yarn_context_free(&f);
}

/* ---- labels ---- */
static bool shows(const struct yarn_capacity_queue *q, const char *capacities, const char *usages)
{
    struct base_buf text = {0};
    bool same;

    for (size_t i = 0; i < q->capacities.list.n; i++) {
        const struct yarn_partition_capacity *c = q->capacities.list.items;

        base_buf_addf(&text, "%s %d %d;", c[i].partition, (int)c[i].absolute_used,
                      (int)c[i].effective_min.memory);
    }
    same = strcmp(text.data ? text.data : "", capacities) == 0;
    if (!same)
        fprintf(stderr, "capacities of %s: %s\n", q->path, text.data);
    base_buf_free(&text);
    for (size_t i = 0; i < q->usages.list.n; i++) {
        const struct yarn_partition_usage *u = q->usages.list.items;

        base_buf_addf(&text, "%s %d %d;", u[i].partition, (int)u[i].used.memory,
                      u[i].masters ? (int)u[i].masters->memory : -1);
    }
    if (strcmp(text.data ? text.data : "", usages) != 0) {
        fprintf(stderr, "usages of %s: %s\n", q->path, text.data);
        same = false;
    }
    base_buf_free(&text);
    return same;
}

/* gpu: a label of half of the nodes, where user hadoop runs a master and other containers in queue
 * default; big: a label that only the configuration of org and eng names. */
static void test_labels(void)
{
    struct yarn_context f = frame(0);
    struct rm_label_view labels[] = {{.name = "", .total = RES(4096, 4)},
                                     {.name = "gpu", .total = RES(4096, 4)}};
    struct rm_label_use_view uses[] = {{1, 10 - DEFAULT, "hadoop", RES(1024, 2), RES(256, 1)},
                                       {1, 10 - DEFAULT, "hadoop", RES(1024, 1), RES(0, 0)},
                                       {1, 77, "nobody", RES(512, 1), RES(0, 0)}};
    struct rm_queue_user_view rows[] = {
        {.queue = 10 - DEFAULT, .user = "hadoop", .used = RES(3072, 4), .am_used = RES(512, 2)},
        {.queue = 10 - ENG, .user = "eve"}};
    struct rm_views users = {.queue_users = rows,
                             .queue_users_n = 2,
                             .labels = labels,
                             .labels_n = 2,
                             .label_uses = uses,
                             .label_uses_n = 3};
    struct rm_properties conf = {0};
    struct rm_health_view health = {0};
    struct yarn_capacity_tree t;
    const struct yarn_partition_usage *of_user;

    f.queues.queues[ROOT].used = f.queues.queues[DEFAULT].used = (struct rm_res)RES(3072, 4);
    rm_properties_set(&conf, "yarn.scheduler.capacity.root.accessible-node-labels", "*");
    rm_properties_set(&conf, "yarn.scheduler.capacity.root.org.accessible-node-labels.big.capacity",
                      "50");
    rm_properties_set(
        &conf, "yarn.scheduler.capacity.root.org.eng.accessible-node-labels.big.capacity", "100");
    rm_properties_set(&conf, "yarn.scheduler.capacity.root.none.accessible-node-labels.no.capacity",
                      "100");
    rm_properties_set(
        &conf, "yarn.scheduler.capacity.root.org.accessible-node-labels.low.maximum-capacity", "1");
    yarn_capacity_tree_fill(&f, &users, &conf, &health, &t);
    CU_ASSERT_TRUE(shows(&t.queues[ROOT], " 25 4096;gpu 50 4096;", " 1024 -1;gpu 2048 -1;"));
    CU_ASSERT_TRUE(shows(&t.queues[DEFAULT], " 25 1638;gpu 50 1638;", " 1024 256;gpu 2048 256;"));
    CU_ASSERT_TRUE(shows(&t.queues[ORG], " 0 2457;gpu 0 2457;big 0 0;", " 0 -1;gpu 0 -1;"));
    CU_ASSERT_TRUE(shows(&t.queues[ENG], " 0 1843;gpu 0 1843;big 0 0;", " 0 0;gpu 0 0;big 0 0;"));
    CU_ASSERT_EQUAL(t.queues[DEFAULT].resources_used.memory, 1024);
    of_user = t.users[0].usages.list.items;
    CU_ASSERT_EQUAL_FATAL(t.users[0].usages.list.n, 2);
    CU_ASSERT_EQUAL(of_user[0].used.memory, 1024);
    CU_ASSERT_STRING_EQUAL(of_user[1].partition, "gpu");
    CU_ASSERT_EQUAL(of_user[1].used.memory, 2048);
    CU_ASSERT_EQUAL(of_user[1].masters->memory, 256);
    CU_ASSERT_EQUAL(t.users[1].usages.list.n, 1); /* eve uses nothing of gpu */
    yarn_capacity_tree_free(&t);
    rm_properties_free(&conf);
    yarn_context_free(&f);
}

/* ---- the overview ---- */
static void test_overview(void)
{
    struct yarn_scheduler_overview o = {.type = "Capacity Scheduler",
                                        .resource_type = "memory-mb (unit=Mi),vcores",
                                        .max_priority = 10};

    yarn_resource_set_memory_and_vcores(&o.min, 128, 1, NULL);
    yarn_resource_set_memory_and_vcores(&o.max, 4096, 4, NULL);
    same("idle/scheduler-overview", "json", &yarn_shape_scheduler_overview, API_M_BARE, &o);
    same("idle/scheduler-overview", "xml", &yarn_shape_scheduler_overview, API_XML_DOC, &o);
}

/* ---- parts of queues ---- */
static void is_part(const struct yarn_queue_part *p, double capacity, double absolute, double max,
                    double absolute_max)
{
    CU_ASSERT_DOUBLE_EQUAL(p->capacity, capacity, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(p->absolute, absolute, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(p->max, max, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(p->absolute_max, absolute_max, 1e-9);
}

static void test_parts(void)
{
    struct rm_views v = {.queues = queues_new(), .queues_n = QUEUES};
    struct yarn_queue_part *p;
    struct rm_res third;

    v.queues[ORG].max_part = 0.4;
    v.queues[ENG].max_part = 0.2;
    v.queues[OPS].max_part = 0.9;
    p = yarn_queue_parts_new(&v);
    is_part(&p[ROOT], 1, 1, 1, 1);
    is_part(&p[DEFAULT], 0.4, 0.4, 1, 1);
    is_part(&p[ORG], 0.4, 0.4, 0.4, 0.4); /* 0.6 by weight, cut to its limit */
    is_part(&p[ENG], 0.5, 0.2, 0.5, 0.2); /* 0.75 by weight, cut to its limit */
    is_part(&p[OPS], 0.25, 0.1, 1, 0.4);  /* cut to the parent's limit */
    third = yarn_queue_part_of(0.7, &(struct rm_res)RES(10, 1));
    CU_ASSERT_EQUAL(third.v[RM_RES_MEMORY_MB], 7);
    CU_ASSERT_EQUAL(third.v[RM_RES_VCORES], 0);
    free(p);
    v.queues[ORG].max_part = 0; /* nothing inside can get anything */
    v.queues[DEFAULT].weight = v.queues[ORG].weight = 0;
    p = yarn_queue_parts_new(&v);
    is_part(&p[DEFAULT], 0, 0, 1, 1);
    is_part(&p[ORG], 0, 0, 0, 0);
    is_part(&p[ENG], 0.75, 0, 0, 0);
    free(p);
    rm_views_free(&v);
}

static void test_find_queue(void)
{
    struct rm_views v = {.queues = queues_new(), .queues_n = QUEUES};

    CU_ASSERT_EQUAL(yarn_find_queue_by_path_or_last_name(&v, "root"), ROOT);
    CU_ASSERT_EQUAL(yarn_find_queue_by_path_or_last_name(&v, "root.org.eng"), ENG);
    CU_ASSERT_EQUAL(yarn_find_queue_by_path_or_last_name(&v, "org.eng"), ENG);
    CU_ASSERT_EQUAL(yarn_find_queue_by_path_or_last_name(&v, "eng"), ENG);
    CU_ASSERT_EQUAL(yarn_find_queue_by_path_or_last_name(&v, "default"), DEFAULT);
    CU_ASSERT_EQUAL(yarn_find_queue_by_path_or_last_name(&v, "en"), -1);
    CU_ASSERT_EQUAL(yarn_find_queue_by_path_or_last_name(&v, ""), -1);
    v.queues[OPS].name = "root.ops.eng"; /* two queues have this last name */
    CU_ASSERT_EQUAL(yarn_find_queue_by_path_or_last_name(&v, "eng"), -1);
    v.queues[OPS].name = "root.eng";
    CU_ASSERT_EQUAL(yarn_find_queue_by_path_or_last_name(&v, "eng"), OPS);
    rm_views_free(&v);
}

/* ---- metrics and applications ---- */
static void test_metrics(void)
{
    struct yarn_context f = frame(0);
    struct yarn_cluster_metrics m;

    yarn_metrics_fill(&f, &m);
    m.utilized_vcores = 4; /* Creel does not measure the use of the hosts */
    m.utilized_mb_percent = 14;
    m.utilized_vcores_percent = 50;
    same("idle/metrics", "json", &yarn_shape_cluster_metrics, API_N_WRAPPED, &m);
    same("idle/metrics", "xml", &yarn_shape_cluster_metrics, API_XML_DOC, &m);

    f.cluster.apps_submitted = 4;
    f.cluster.apps_completed = 1;
    f.cluster.apps_pending = 1;
    f.cluster.apps_running = 2;
    f.cluster.used = (struct rm_res)RES(5376, 6);
    f.cluster.pending = (struct rm_res)RES(4096, 1);
    f.cluster.containers_allocated = 6;
    f.cluster.containers_pending = 1;
    yarn_metrics_fill(&f, &m);
    m.utilized_vcores = 6;
    m.utilized_mb_percent = 19;
    m.utilized_vcores_percent = 75;
    same("running/metrics", "json", &yarn_shape_cluster_metrics, API_N_WRAPPED, &m);
    same("running/metrics", "xml", &yarn_shape_cluster_metrics, API_XML_DOC, &m);

    f.cluster = (struct rm_cluster_view){.policy = "fifo"};
    f.cluster.nodes[RM_NODE_DECOMMISSIONED] = 1;
    yarn_metrics_fill(&f, &m);
    same("nonode/metrics", "json", &yarn_shape_cluster_metrics, API_N_WRAPPED, &m);
    yarn_context_free(&f);
}

static void test_app(void)
{
    struct yarn_context f = frame(INT64_C(1795244474701) + 19545);
    struct rm_app_view v = {.id = {TS, 3},
                            .user = "hadoop",
                            .name = "shell",
                            .queue = "default",
                            .type = "YARN",
                            .tags = "",
                            .state = RM_APP_RUNNING,
                            .diagnostics = "",
                            .has_attempt = true,
                            .held = true,
                            .submit_us = INT64_C(1795244474701) * 1000,
                            .launch_us = INT64_C(1795244474904) * 1000,
                            .has_master = true,
                            .master_container = {{{TS, 3}, 1}, 1},
                            .master_node_id = "localhost:18010",
                            .master_node_http = "localhost:18012",
                            .master_rpc_port = -1,
                            .allocated = RES(4352, 3),
                            .am_used = RES(256, 1),
                            .running_containers = 3,
                            .memory_seconds = 28165,
                            .vcore_seconds = 27};
    struct rm_app_spec spec = {.priority = -1};
    struct yarn_app_and_texts filled = {0};

    yarn_app_fill(&f, &v, &filled);
    filled.app.app_label = NULL; /* the recorded application was submitted over RPC */
    same("running/app-ds", "json", &yarn_shape_app, API_N_WRAPPED, &filled.app);
    filled.app.elapsed = 19555; /* recorded a little later */
    same("running/app-ds", "xml", &yarn_shape_app, API_XML_DOC, &filled.app);
    CU_ASSERT_PTR_NOT_NULL(filled.app.resource_info);
    v.app = &spec; /* a submission over REST without a priority, and with one */
    v.priority = -1;
    yarn_app_fill(&f, &v, &filled);
    CU_ASSERT_EQUAL(filled.app.priority, -1);
    v.priority = 3;
    yarn_app_fill(&f, &v, &filled);
    CU_ASSERT_EQUAL(filled.app.priority, 3);
    v.held = false; /* the application has ended */
    yarn_app_fill(&f, &v, &filled);
    CU_ASSERT_PTR_NULL(filled.app.resource_info);
    CU_ASSERT_TRUE(yarn_app_in_queue(&f, &v, "root.default"));
    CU_ASSERT_TRUE(yarn_app_in_queue(&f, &v, "default"));
    CU_ASSERT_FALSE(yarn_app_in_queue(&f, &v, "root"));
    yarn_app_texts_free(&filled);
    yarn_context_free(&f);
}

/* The diagnostics of an application whose master waits are those recorded. */
static void test_missing_master(void)
{
    struct yarn_context f = frame(0);
    struct rm_app_spec spec = {.priority = -1, .resource = RES(4096, 1)};
    struct rm_app_view v = {.id = {TS, 4},
                            .queue = "default",
                            .state = RM_APP_ACCEPTED,
                            .attempt_state = RM_ATTEMPT_SCHEDULED,
                            .has_attempt = true,
                            .held = true,
                            .master_waits = true,
                            .submit_us = INT64_C(1795244487754) * 1000,
                            .app = &spec};
    static const char activated[] =
        "[Sat Nov 21 07:01:27 +0000 2026] Application is Activated, waiting for resources to be "
        "assigned for AM.  Details : AM Partition = <DEFAULT_PARTITION> ; Partition Resource = "
        "<memory:8192, vCores:8> ; Queue's Absolute capacity = 40.0 % ; Queue's Absolute used "
        "capacity = 67.1875 % ; Queue's Absolute max capacity = 100.0 % ; Queue's capacity "
        "(absolute resource) = <memory:3276, vCores:3> ; Queue's used capacity (absolute resource) "
        "= <memory:5504, vCores:7> ; Queue's max capacity (absolute resource) = <memory:8192, "
        "vCores:8> ; ";
    const struct rm_res plenty = RES(65536, 64);
    struct yarn_app_and_texts filled = {0};
    struct golden g;

    setenv("TZ", "UTC", 1);
    tzset();
    yarn_app_fill(&f, &v, &filled);
    golden_read("capacity/running/app-wait.json.http", &g);
    CU_ASSERT_PTR_NOT_NULL(strstr(filled.app.diagnostics, "not yet activated. Queue's AM"));
    CU_ASSERT_PTR_NOT_NULL(strstr(filled.app.diagnostics, "Queue AM Resource Usage = <memory:0, "));
    *strstr((char *)(uintptr_t)filled.app.diagnostics, "Queue AM Resource Usage") = '\0';
    /* equal up to the usage, which was 768 MB there */
    CU_ASSERT_PTR_NOT_NULL(strstr(g.body, filled.app.diagnostics));
    golden_free(&g);
    f.cluster.master_slots = f.cluster.used_master_slots = 2; /* in addition to the map slot */
    yarn_app_fill(&f, &v, &filled);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(filled.app.diagnostics, "Queue Resource Limit for AM = <memory:8192, vCores:2>; "));
    CU_ASSERT_PTR_NOT_NULL(
        strstr(filled.app.diagnostics, "Queue AM Resource Usage = <memory:8192, vCores:2>; "));
    CU_ASSERT_EQUAL(yarn_capacity_get_masters_limit(&f.cluster, &plenty).v[RM_RES_MEMORY_MB],
                    3 * 4096);
    f.cluster.master_slots = f.cluster.used_master_slots = 0;
    v.master_waits = false;
    f.queues.queues[DEFAULT].used = (struct rm_res)RES(5504, 7);
    yarn_app_fill(&f, &v, &filled);
    CU_ASSERT_STRING_EQUAL(filled.app.diagnostics, activated);
    v.diagnostics = "other";
    yarn_app_fill(&f, &v, &filled);
    CU_ASSERT_STRING_EQUAL(filled.app.diagnostics, "other");
    v.diagnostics = NULL;
    f.shape = RM_SHAPE_FAIR;
    yarn_app_fill(&f, &v, &filled);
    CU_ASSERT_PTR_NOT_NULL(strstr(filled.app.diagnostics, "exceeds the available resources of"));
    f.shape = RM_SHAPE_FIFO;
    yarn_app_fill(&f, &v, &filled);
    CU_ASSERT_STRING_EQUAL(filled.app.diagnostics, "");
    yarn_app_texts_free(&filled);
    yarn_context_free(&f);
}

static const struct cunit_case cases[] = {
    {"scheduler of an idle cluster", test_idle},
    {"scheduler of a running cluster", test_running},
    {"partitions of labels", test_labels},
    {"overview", test_overview},
    {"weights and limits become percentages", test_parts},
    {"queues are found by their last name", test_find_queue},
    {"metrics across partitions", test_metrics},
    {"an application's use by partition", test_app},
    {"why an application has no master", test_missing_master},
};
CUNIT_MAIN("yarn capacity", cases)
