/* HFSP's order of jobs: projections of the virtual clusters become ranks, and a phase's counts
 * decide in which lists it stands. See policies/hfsp/hfsp_internal.h. */
#include <math.h>

#include "policies/hfsp/hfsp_internal.h"

void hfsp_clock_advance(struct policy *self, int64_t now_us)
{
    if (now_us > self->now_us)
        self->now_us = now_us;
}

void hfsp_virtual_advance(struct policy *self, enum base_task_kind kind)
{
    virtual_cluster_advance(self->kind[kind].vc, self->now_us);
}

void hfsp_share_late_jobs(struct policy *self, enum base_task_kind kind)
{
    struct hfsp_kind *ks = &self->kind[kind];

    if (!self->set.late_share || ks->stale)
        return;
    while (ks->late_to < (int32_t)ks->rank.n) {
        int32_t job = ks->rank.job[ks->late_to];

        if (virtual_cluster_finish_us(ks->vc, job) > self->now_us)
            return;
        ks->late_to++;
        if (ks->phase[job]) {
            ks->phase[job]->late = true;
            hfsp_phase_update_lists(self, ks->phase[job]);
        }
    }
}

void hfsp_rank_anew(struct policy *self, enum base_task_kind kind)
{
    struct hfsp_kind *ks = &self->kind[kind];
    const int32_t *order;
    size_t n;

    if (!ks->stale)
        return;
    ks->stale = false;
    virtual_cluster_project(ks->vc);
    order = virtual_cluster_order(ks->vc, &n);
    hfsp_rank_set(&ks->rank, order, n);
    if (!self->set.late_share)
        return;
    ks->late_to = 0;
    hfsp_share_late_jobs(self, kind);
    for (size_t i = (size_t)ks->late_to; i < n; i++) {
        struct hfsp_phase *p = ks->phase[order[i]];

        if (p && p->late) { /* its size was set anew */
            p->late = false;
            hfsp_phase_update_lists(self, p);
        }
    }
}

static unsigned wants(const struct policy *self, const struct hfsp_phase *p)
{
    const struct policy_phase *count = &p->own->job->phase[p->kind];
    bool alone = p->state == HFSP_TRAINING && isinf(self->set.xi); /* gets its sample and no more */
    unsigned want = 0;

    if (!p->late && !alone && count->pending > hfsp_train_need(p))
        want |= HFSP_START;
    if (!p->late && count->suspended > 0)
        want |= HFSP_RESUME;
    if (count->pending > 0)
        want |= HFSP_CLAIM;
    return want;
}

/* Attempts that may be preempted: none of late jobs that share, none that is being measured. */
static int32_t prey(const struct hfsp_phase *p)
{
    if (p->late || !p->own->job->is_job)
        return 0;
    return p->own->job->phase[p->kind].running - (p->state == HFSP_TRAINING ? p->running : 0);
}

void hfsp_phase_update_lists(struct policy *self, struct hfsp_phase *p)
{
    const struct policy_job *job = p->own->job;
    const struct policy_phase *count = &job->phase[p->kind];
    struct hfsp_kind *ks = &self->kind[p->kind];

    ks->pending += count->pending - p->pending;
    p->pending = count->pending;
    if (p->state == HFSP_ABSENT)
        return;
    hfsp_rank_want(&ks->rank, p->virtual, wants(self, p));
    hfsp_rank_count(&ks->rank, HFSP_PREY, p->virtual, prey(p));
    hfsp_rank_count(&ks->rank, HFSP_WAITING, p->virtual, count->pending);
    if (p->state == HFSP_TRAINING)
        hfsp_train_update_list(self, p);
    if (p->late || p->share.linked)
        policy_order_place(
            &ks->share_order, &p->share,
            p->late && (count->pending > hfsp_train_need(p) || count->suspended > 0),
            (int64_t)fmin(count->running * 1e6 / job->weight, (double)VIRTUAL_NEVER));
}
