/* Naive fair sharing: the job with the fewest running tasks of the kind is next.
 * SOURCE: Zaharia et al., EuroSys 2010, Algorithm 1. With commit_delay, ended tasks count as
 * running for a while, as in the Hadoop of the paper's experiments; struct naive_job counts
 * them. */
#include <stddef.h>
#include <stdlib.h>

#include "policies/common/commit_delay.h"
#include "policies/policy.h"

struct policy {
    struct policy_order order[BASE_TASK_KINDS]; /* jobs with tasks to launch or resume, by running
                                                   tasks of the kind */
    struct commit_delay commit;
};
struct naive_job {
    int32_t ended[BASE_TASK_KINDS]; /* slots of ended tasks that still count as running */
};

static struct policy *naive_create(const struct policy_env *env)
{
    struct policy *self = base_alloc(sizeof *self);

    self->commit.delay_us = policy_conf_us(env->conf, policy_common_options, "commit_delay");
    return self;
}

static void naive_destroy(struct policy *self)
{
    commit_delay_free(&self->commit);
    free(self);
}

static void naive_on_job_changed(struct policy *self, struct policy_job *job,
                                 enum base_task_kind kind)
{
    struct policy_link *link = &job->link[kind];
    const struct policy_phase *phase = &job->phase[kind];
    const struct naive_job *own = job->own;
    int64_t running = phase->running + own->ended[kind];

    if (phase->pending <= 0 && phase->suspended <= 0) {
        if (link->linked)
            policy_order_remove(&self->order[kind], link);
    } else if (link->linked) {
        policy_order_move(&self->order[kind], link, running);
    } else {
        policy_order_insert(&self->order[kind], link, running);
    }
}

static void naive_on_job_arrived(struct policy *self, struct policy_job *job, int64_t now_us)
{
    (void)now_us;
    job->own = base_alloc(sizeof(struct naive_job));
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        policy_link_init(&job->link[k], job->submit_us, job->cluster_ts, job->seq);
        naive_on_job_changed(self, job, k);
    }
}

static void naive_on_job_left(struct policy *self, struct policy_job *job, int64_t now_us)
{
    (void)now_us;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        if (job->link[k].linked)
            policy_order_remove(&self->order[k], &job->link[k]);
    commit_delay_remove_job(&self->commit, job);
    free(job->own);
    job->own = NULL;
}

static void naive_expire_ended_tasks(struct policy *self, int64_t now_us)
{
    struct policy_job *job;
    enum base_task_kind kind;

    while (commit_delay_pop_expired(&self->commit, now_us, &job, &kind)) {
        struct naive_job *own = job->own;

        own->ended[kind] -= policy_job_width(job, kind);
        naive_on_job_changed(self, job, kind);
    }
}

static void naive_on_task_started(struct policy *self, struct policy_job *job,
                                  enum base_task_kind kind, int32_t task, uint32_t node,
                                  int64_t now_us)
{
    (void)job;
    (void)kind;
    (void)task;
    (void)node;
    naive_expire_ended_tasks(self, now_us);
}

static void naive_on_task_ended(struct policy *self, struct policy_job *job,
                                enum base_task_kind kind, const struct policy_task_end *end)
{
    struct naive_job *own = job->own;

    naive_expire_ended_tasks(self, end->ended_us);
    if (commit_delay_add_ended(&self->commit, job, kind, end->ended_us))
        own->ended[kind] += policy_job_width(job, kind);
}

static int64_t naive_on_timer(struct policy *self, int64_t now_us, struct policy_plan *plan)
{
    int64_t next;

    (void)plan;
    naive_expire_ended_tasks(self, now_us);
    next = commit_delay_next_expiry_us(&self->commit, now_us);
    return next == INT64_MAX ? 0 : next;
}

static struct policy_job *naive_next(struct policy *self, struct policy_offer *offer,
                                     struct policy_job *prev)
{
    enum base_task_kind kind = offer->kind;
    struct policy_link *link =
        prev ? policy_order_next(&prev->link[kind]) : self->order[kind].first;

    return link ? policy_link_job(link, kind) : NULL;
}

static void naive_explain(const struct policy *self, const struct policy_job *job, int64_t now_us,
                          struct base_buf *out)
{
    (void)self;
    (void)now_us;
    base_buf_addf(out, "holds %d map and %d reduce slots; jobs that hold fewer come first",
                  job->phase[BASE_TASK_MAP].running, job->phase[BASE_TASK_REDUCE].running);
}

const struct policy_ops policy_naive_fair = {
    .name = "naive-fair",
    .colour = "#a9794e",
    .source = "Zaharia et al., EuroSys 2010, Algorithm 1",
    .create = naive_create,
    .destroy = naive_destroy,
    .on_job_arrived = naive_on_job_arrived,
    .on_job_left = naive_on_job_left,
    .on_job_changed = naive_on_job_changed,
    .on_task_started = naive_on_task_started,
    .on_task_ended = naive_on_task_ended,
    .on_timer = naive_on_timer,
    .next = naive_next,
    .explain = naive_explain,
};
