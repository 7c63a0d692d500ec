/* rm/http/yarn/app_wait.c - explains what an accepted application waits for, in the words of YARN's
 * schedulers, which tools show and match. SOURCE: recordings of YARN 3.4.2 (capacity and fair:
 * running/app-wait, write/app-minimal-now, write/app-full), Hadoop's SchedulerApplicationAttempt
 * and FSAppAttempt. */
#include <string.h>
#include <time.h>

#include "rm/http/yarn/yarn_internal.h"

static void add_time_in_brackets(struct base_buf *out, int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    char text[64];
    struct tm tm;

    if (localtime_r(&seconds, &tm) && strftime(text, sizeof text, "%a %b %d %H:%M:%S %z %Y", &tm))
        base_buf_addf(out, "[%s] ", text);
}

static void add_resource_detail(struct base_buf *out, const char *label, const struct rm_res *r,
                                const char *after)
{
    base_buf_addf(out, "%s = <memory:%lld, vCores:%lld>%s", label,
                  (long long)r->v[RM_RES_MEMORY_MB], (long long)r->v[RM_RES_VCORES], after);
}

static void add_percent_detail(struct base_buf *out, const char *label, double percent)
{
    base_buf_addf(out, "%s = ", label);
    api_java_add_float(out, percent, 1);
    base_buf_adds(out, " % ; ");
}

static struct rm_res multiply_resource(const struct rm_res *r, int64_t times)
{
    struct rm_res out;

    for (int i = 0; i < RM_RES_NAMES; i++)
        out.v[i] = times * r->v[i];
    return out;
}

/* The limit on masters is a number of map slots of the whole cluster, not of a queue, so every
 * queue shows the same limit. Where there are slots for masters alone, these are the limit. */
static void add_master_limit_reason(const struct yarn_context *f, const struct rm_res *wanted,
                                    struct base_buf *out)
{
    const struct rm_res *slot = &f->cluster.slot[BASE_TASK_MAP];
    bool own = f->cluster.master_slots > 0;
    struct rm_res limit = multiply_resource(slot,
                                            own ? f->cluster.master_slots : f->cluster.masters_max),
                  used = multiply_resource(slot, own ? f->cluster.used_master_slots
                                                     : f->cluster.masters_active);

    base_buf_adds(out, "Application is added to the scheduler and is not yet activated. Queue's AM "
                       "resource limit exceeded.  Details : AM Partition = <DEFAULT_PARTITION>; ");
    add_resource_detail(out, "AM Resource Request", wanted, "; ");
    add_resource_detail(out, "Queue Resource Limit for AM", &limit, "; ");
    add_resource_detail(out, "User AM Resource Limit of the queue", &limit, "; ");
    add_resource_detail(out, "Queue AM Resource Usage", &used, "; ");
}

static void add_queue_share_reason(const struct yarn_context *f, size_t queue, struct base_buf *out)
{
    const struct rm_res *total = &f->cluster.total, *used = &f->queues.queues[queue].used;
    const struct yarn_queue_part *part = &f->parts[queue];
    struct rm_res min = yarn_queue_part_of(part->absolute, total),
                  max = yarn_queue_part_of(part->absolute_max, total);
    int64_t memory = total->v[RM_RES_MEMORY_MB];

    base_buf_adds(out, "Application is Activated, waiting for resources to be assigned for AM.  "
                       "Details : AM Partition = <DEFAULT_PARTITION> ; ");
    add_resource_detail(out, "Partition Resource", total, " ; ");
    add_percent_detail(out, "Queue's Absolute capacity", part->absolute * 100);
    add_percent_detail(out, "Queue's Absolute used capacity",
                       memory > 0 ? (double)used->v[RM_RES_MEMORY_MB] * 100 / (double)memory : 0);
    add_percent_detail(out, "Queue's Absolute max capacity", part->absolute_max * 100);
    add_resource_detail(out, "Queue's capacity (absolute resource)", &min, " ; ");
    add_resource_detail(out, "Queue's used capacity (absolute resource)", used, " ; ");
    add_resource_detail(out, "Queue's max capacity (absolute resource)", &max, " ; ");
}

/* Explains the wait in the fair scheduler's words: a master waits for the limit on masters, or for
 * room on a node. */
static void add_fair_wait_reason(const struct rm_app_view *v, const struct rm_res *wanted,
                                 struct base_buf *out)
{
    base_buf_addf(out,
                  "Application is added to the scheduler and is not yet activated.  (Resource "
                  "request: <memory:%lld, vCores:%lld>%s",
                  (long long)wanted->v[RM_RES_MEMORY_MB], (long long)wanted->v[RM_RES_VCORES],
                  v->master_waits ? " exceeds maximum AM resource allowed)."
                                  : " exceeds the available resources of the node and the request "
                                    "cannot be reserved)");
}

/* The fifo scheduler does not explain why a container has not been placed. */
static const char *explain_missing_container(const struct yarn_context *f,
                                             const struct rm_app_view *v, const char *queue,
                                             const struct rm_res *wanted, struct base_buf *out)
{
    int32_t at = f->parts ? yarn_find_queue_by_path_or_last_name(&f->queues, queue) : -1;

    if (f->shape == RM_SHAPE_FIFO || (f->shape == RM_SHAPE_CAPACITY && at < 0))
        return NULL;
    add_time_in_brackets(out, v->submit_us / 1000);
    if (f->shape == RM_SHAPE_FAIR)
        add_fair_wait_reason(v, wanted, out);
    else if (v->master_waits)
        add_master_limit_reason(f, wanted, out);
    else
        add_queue_share_reason(f, (size_t)at, out);
    return out->data;
}

struct rm_res yarn_get_master_request(const struct yarn_context *f, const struct rm_app_view *v)
{
    struct rm_res r = v->app ? v->app->resource : (struct rm_res){0};

    for (int i = 0; i < 2; i++)
        if (r.v[i] < f->limits.min[i])
            r.v[i] = f->limits.min[i];
    if (f->show_slots)
        r.v[RM_RES_MAP_SLOTS] = v->master_slots;
    return r;
}

const char *yarn_explain_waiting(const struct yarn_context *f, const struct rm_app_view *v,
                                 const char *queue, struct base_buf *out)
{
    struct rm_res wanted;

    base_buf_clear(out);
    if (v->state != RM_APP_ACCEPTED || v->is_job || !v->has_attempt)
        return NULL;
    switch (v->attempt_state) {
    case RM_ATTEMPT_SCHEDULED:
        wanted = yarn_get_master_request(f, v);
        return explain_missing_container(f, v, queue, &wanted, out);
    case RM_ATTEMPT_ALLOCATED_SAVING:
    case RM_ATTEMPT_ALLOCATED:
        add_time_in_brackets(out, f->now_ms);
        base_buf_adds(out, "Scheduler has assigned a container for AM, waiting for AM container "
                           "to be launched");
        return out->data;
    case RM_ATTEMPT_LAUNCHED_UNMANAGED_SAVING:
    case RM_ATTEMPT_LAUNCHED:
        return YARN_WAITS_FOR_REGISTRATION;
    default:
        return NULL;
    }
}
