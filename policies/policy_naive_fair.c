/* Naive fair sharing: the job with the fewest running tasks of the kind is next.
 * SOURCE: Zaharia et al., EuroSys 2010, Algorithm 1. */
#include <stddef.h>
#include <stdlib.h>

#include "policies/policy.h"

struct policy {
    struct policy_order order[POLICY_KINDS]; /* jobs with pending tasks, by running tasks of the kind */
};

static struct policy *naive_create(const struct policy_env *env)
{
    (void)env;
    return base_alloc(sizeof(struct policy));
}

static void naive_destroy(struct policy *self)
{
    free(self);
}

static void naive_changed(struct policy *self, struct policy_job *job, enum policy_kind kind)
{
    struct policy_link *link = &job->link[kind];
    const struct policy_phase *phase = &job->phase[kind];

    if (phase->pending <= 0 && phase->suspended <= 0) {
        if (link->linked)
            policy_order_remove(&self->order[kind], link);
    } else if (link->linked) {
        policy_order_move(&self->order[kind], link, phase->running);
    } else {
        policy_order_insert(&self->order[kind], link, phase->running);
    }
}

static void naive_arrived(struct policy *self, struct policy_job *job, int64_t now_us)
{
    (void)now_us;
    for (int k = 0; k < POLICY_KINDS; k++) {
        policy_link_init(&job->link[k], job->submit_us, job->cluster_ts, job->seq);
        naive_changed(self, job, (enum policy_kind)k);
    }
}

static void naive_left(struct policy *self, struct policy_job *job, int64_t now_us)
{
    (void)now_us;
    for (int k = 0; k < POLICY_KINDS; k++)
        if (job->link[k].linked)
            policy_order_remove(&self->order[k], &job->link[k]);
}

static struct policy_job *naive_next(struct policy *self, struct policy_offer *offer, struct policy_job *prev)
{
    enum policy_kind kind = offer->kind;
    struct policy_link *link = prev ? policy_order_next(&prev->link[kind]) : self->order[kind].first;

    return link ? policy_link_job(link, kind) : NULL;
}

static void naive_explain(const struct policy *self, const struct policy_job *job, int64_t now_us, struct base_buf *out)
{
    (void)self;
    (void)now_us;
    base_buf_addf(out, "runs %d maps and %d reduces; jobs that run fewer come first", job->phase[POLICY_MAP].running,
                  job->phase[POLICY_REDUCE].running);
}

const struct policy_ops policy_naive_fair = {
    .name = "naive-fair",
    .source = "Zaharia et al., EuroSys 2010, Algorithm 1",
    .create = naive_create,
    .destroy = naive_destroy,
    .on_job_arrived = naive_arrived,
    .on_job_left = naive_left,
    .on_job_changed = naive_changed,
    .next = naive_next,
    .explain = naive_explain,
};
