/* rm/http/yarn/scheduler/overview.c - shows the scheduler's overview, and whether a user may use a
 * queue. SOURCE: recordings of YARN 3.4.2 (scheduler-overview, access). */
#include <stdlib.h>
#include <string.h>

#include "api/yarn/scheduler.h"
#include "base/conf/conf.h"
#include "rm/http/access/access.h"
#include "rm/http/yarn/yarn_internal.h"

/* Returns the highest priority that an application may have: 0 when it is not configured, and in
 * the other shapes, since only the capacity scheduler has priorities. */
static int64_t get_max_priority(const struct base_conf *conf, enum rm_shape shape)
{
    const char *text = base_conf_get(conf, "yarn.cluster.max-application-priority");
    int64_t v = 0;

    return shape == RM_SHAPE_CAPACITY && text && yarn_parse_long(text, &v) ? v : 0;
}

static void get_scheduler_overview(struct api_request *rq, void *user)
{
    static const char *const types[] = {[RM_SHAPE_CAPACITY] = "Capacity Scheduler",
                                        [RM_SHAPE_FAIR] = "Fair Scheduler",
                                        [RM_SHAPE_FIFO] = "Fifo Scheduler"};
    struct yarn_scheduler_overview o = {.resource_type = "memory-mb (unit=Mi),vcores"};
    struct rm_backend_stats stats;
    struct yarn_context f;

    yarn_context_read(user, &f);
    rm_backend_get_stats(user, &stats);
    o.type = types[f.shape];
    yarn_resource_set_memory_and_vcores(&o.min, f.limits.min[0], f.limits.min[1], NULL);
    yarn_resource_set_memory_and_vcores(&o.max, f.limits.max[0], f.limits.max[1], NULL);
    o.max_priority = get_max_priority(rm_backend_conf(user), f.shape);
    o.rm_events = stats.queue_length;
    yarn_answer(rq, 200, &yarn_shape_scheduler_overview, API_M_BARE, &o);
    yarn_context_free(&f);
}

/* ---- access to queues ---- */

/* Returns the name of the queue that @name denotes; outside of the fifo shape, @name may also be
 * the last name of the queue. */
static const char *resolve_queue_name(const struct yarn_context *f, const char *name)
{
    int32_t at =
        f->shape == RM_SHAPE_FIFO ? -1 : yarn_find_queue_by_path_or_last_name(&f->queues, name);

    return at >= 0 ? f->queues.queues[at].name : name;
}

static bool has_queue_right(struct rm_backend *b, const char *user, const char *queue,
                            bool administer)
{
    struct rm_access a;
    bool has;

    rm_access_begin_for_user(&a, b, user);
    has = rm_access_has_queue_right(&a, queue, administer);
    rm_access_end(&a);
    return has;
}

static void answer_queue_access(struct api_request *rq, const char *queue, bool allowed)
{
    const char *who = api_query(rq, "user"), *type = api_query(rq, "queue-acl-type");
    char *refusal = base_printf("User=%s doesn't have access to queue=%s with acl-type=%s", who,
                                queue, type ? type : "SUBMIT_APPLICATIONS");
    struct yarn_queue_access access = {
        .allowed = allowed, .user = who, .diagnostics = allowed ? "" : refusal};

    yarn_answer(rq, 200, &yarn_shape_queue_access, API_M_BARE, &access);
    free(refusal);
}

/* The lists decide, whether or not ACLs are enabled. */
static void get_queue_access(struct api_request *rq, void *user)
{
    const char *asked = api_path_arg(rq, 0), *who = api_query(rq, "user"),
               *type = api_query(rq, "queue-acl-type"), *queue;
    struct yarn_context f;

    type = type ? type : "SUBMIT_APPLICATIONS";
    yarn_context_read_with_queues(user, &f);
    queue = resolve_queue_name(&f, asked);
    if (!has_queue_right(user, api_caller(rq), queue, true))
        rm_access_answer_refusal(rq, RM_OP_ASK_QUEUE_ACCESS, asked);
    else if (!who || !who[0])
        api_answer_error(rq, 400, "IllegalArgumentException", "Null user");
    else if (strcmp(type, "SUBMIT_APPLICATIONS") != 0 && strcmp(type, "ADMINISTER_QUEUE") != 0)
        yarn_bad_request(rq,
                         "Specified queueAclType=%s is not a valid type, valid queue acl "
                         "types={SUBMIT_APPLICATIONS/ADMINISTER_QUEUE}",
                         type);
    else
        answer_queue_access(rq, asked, has_queue_right(user, who, queue, *type == 'A'));
    yarn_context_free(&f);
}

/* clang-format off */
const struct api_route rm_yarn_overview_routes[] = {
    {"GET", YARN_CLUSTER "/scheduler-overview",    API_ROLE_READ, 0, get_scheduler_overview, 0},
    {"GET", YARN_CLUSTER "/queues/{queue}/access", API_ROLE_READ, 0, get_queue_access, 0},
};
/* clang-format on */
const size_t rm_yarn_overview_routes_n =
    sizeof rm_yarn_overview_routes / sizeof rm_yarn_overview_routes[0];
