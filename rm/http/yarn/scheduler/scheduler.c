/* rm/http/yarn/scheduler/scheduler.c - shows the queues. SOURCE: Hadoop's ResourceManager REST APIs
 * (Cluster Scheduler API). */
#include "rm/http/yarn/scheduler/scheduler_internal.h"

static void answer_as_fifo(struct api_request *rq, const struct yarn_context *f)
{
    struct yarn_fifo_scheduler fifo;

    yarn_fifo_fill(f, &fifo);
    yarn_answer(rq, 200, &yarn_shape_fifo_scheduler, API_N_WRAPPED, &fifo);
}

static void answer_as_fair(struct api_request *rq, const struct yarn_context *f)
{
    struct yarn_fair_tree tree;

    yarn_fair_tree_fill(f, &tree);
    yarn_answer(rq, 200, &yarn_shape_fair_scheduler, API_N_WRAPPED, &tree.scheduler);
    yarn_fair_tree_free(&tree);
}

static void answer_as_capacity(struct api_request *rq, struct rm_backend *b,
                               const struct yarn_context *f)
{
    struct yarn_capacity_tree tree;
    struct rm_health_view health;
    struct rm_views users = {0};
    struct rm_properties conf = {0};
    int64_t version;
    const struct rm_core *core = rm_backend_lock_core(b);

    rm_view_queue_users(core, &users);
    rm_view_label_uses(core, &users);
    rm_view_queue_conf(core, &conf, &version);
    rm_view_scheduler_health(core, &health, &users);
    rm_backend_unlock_core(b);
    yarn_capacity_tree_fill(f, &users, &conf, &health, &tree);
    yarn_answer(rq, 200, &yarn_shape_capacity_scheduler, API_N_WRAPPED, &tree.scheduler);
    yarn_capacity_tree_free(&tree);
    rm_properties_free(&conf);
    rm_views_free(&users);
}

static void get_scheduler(struct api_request *rq, void *user)
{
    struct yarn_context f;

    yarn_context_read_with_queues(user, &f);
    if (f.shape == RM_SHAPE_CAPACITY)
        answer_as_capacity(rq, user, &f);
    else if (f.shape == RM_SHAPE_FAIR)
        answer_as_fair(rq, &f);
    else
        answer_as_fifo(rq, &f);
    yarn_context_free(&f);
}

/* clang-format off */
const struct api_route rm_yarn_scheduler_routes[] = {
    {"GET", YARN_CLUSTER "/scheduler", API_ROLE_READ, 0, get_scheduler, 0},
};
/* clang-format on */
const size_t rm_yarn_scheduler_routes_n =
    sizeof rm_yarn_scheduler_routes / sizeof rm_yarn_scheduler_routes[0];
