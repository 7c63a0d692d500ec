/* FIFO: orders jobs by priority, submission and id. SOURCE: Hadoop 1's JobQueueTaskScheduler. */
#include <stddef.h>
#include <stdlib.h>

#include "policies/common/spread_cap.h"
#include "policies/policy.h"

struct policy {
    bool hadoop_rules;
    struct policy_order order[BASE_TASK_KINDS]; /* jobs with tasks to launch or resume */
};

static const struct policy_option fifo_options[] = {
    {"fifo.hadoop_rules", POLICY_OPT_BOOL, "false", 0, 0, NULL,
     "assign like Hadoop 1's JobQueueTaskScheduler: spread cap, at most one off-rack map and one "
     "reduce per heartbeat"},
    {.name = NULL},
};

static struct policy *fifo_create(const struct policy_env *env)
{
    struct policy *self = base_alloc(sizeof *self);

    self->hadoop_rules = policy_conf_bool(env->conf, fifo_options, "fifo.hadoop_rules");
    return self;
}

static void fifo_destroy(struct policy *self)
{
    free(self);
}

static void fifo_on_job_changed(struct policy *self, struct policy_job *job,
                                enum base_task_kind kind)
{
    struct policy_link *link = &job->link[kind];
    bool wants = job->phase[kind].pending > 0 || job->phase[kind].suspended > 0;

    if (wants && !link->linked)
        policy_order_insert(&self->order[kind], link, -(int64_t)job->priority);
    else if (!wants && link->linked)
        policy_order_remove(&self->order[kind], link);
}

static void fifo_on_job_arrived(struct policy *self, struct policy_job *job, int64_t now_us)
{
    (void)now_us;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        policy_link_init(&job->link[k], job->submit_us, job->cluster_ts, job->seq);
        fifo_on_job_changed(self, job, k);
    }
}

static void fifo_on_job_left(struct policy *self, struct policy_job *job, int64_t now_us)
{
    (void)now_us;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        if (job->link[k].linked)
            policy_order_remove(&self->order[k], &job->link[k]);
}

static void fifo_on_job_priority(struct policy *self, struct policy_job *job, int64_t now_us)
{
    (void)now_us;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        if (job->link[k].linked)
            policy_order_move(&self->order[k], &job->link[k], -(int64_t)job->priority);
}

/* Returns true when Hadoop 1 would assign no further task of the kind in this heartbeat. */
static bool is_over_hadoop_limits(const struct policy_offer *offer)
{
    if (offer->node_used >= policy_spread_cap(offer->node_slots,
                                              offer->capacity->outstanding[offer->kind],
                                              offer->capacity->slots[offer->kind]))
        return true;
    return offer->kind == BASE_TASK_MAP ? offer->off_rack : offer->assigned[BASE_TASK_REDUCE] > 0;
}

static struct policy_job *fifo_next(struct policy *self, struct policy_offer *offer,
                                    struct policy_job *prev)
{
    enum base_task_kind kind = offer->kind;
    struct policy_link *link;

    if (!prev && self->hadoop_rules && is_over_hadoop_limits(offer)) {
        offer->held = true;
        return NULL;
    }
    link = prev ? policy_order_next(&prev->link[kind]) : self->order[kind].first;
    return link ? policy_link_job(link, kind) : NULL;
}

static void fifo_explain(const struct policy *self, const struct policy_job *job, int64_t now_us,
                         struct base_buf *out)
{
    size_t ahead = 0;
    const struct policy_link *l;

    (void)self;
    (void)now_us;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        if (!job->link[k].linked)
            continue;
        for (l = policy_order_prev(&job->link[k]), ahead = 0; l; l = policy_order_prev(l))
            ahead++;
        base_buf_addf(out, "%zu job%s with waiting %s tasks come first", ahead,
                      ahead == 1 ? "" : "s", k == BASE_TASK_MAP ? "map" : "reduce");
        return;
    }
    if (job->phase[BASE_TASK_MAP].pending + job->phase[BASE_TASK_REDUCE].pending > 0)
        base_buf_adds(out, "no task of it could run now");
}

const struct policy_ops policy_fifo = {
    .name = "fifo",
    .colour = "#868686",
    .alias = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler",
    .source = "Hadoop 1's default scheduler, JobQueueTaskScheduler",
    .options = fifo_options,
    .create = fifo_create,
    .destroy = fifo_destroy,
    .on_job_arrived = fifo_on_job_arrived,
    .on_job_left = fifo_on_job_left,
    .on_job_priority = fifo_on_job_priority,
    .on_job_changed = fifo_on_job_changed,
    .next = fifo_next,
    .explain = fifo_explain,
};
