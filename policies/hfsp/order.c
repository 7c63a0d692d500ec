/* HFSP's order of jobs: turns the projections of the virtual clusters into ranks, and keeps each
 * phase in the orders and wants that fit its counts. */
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

void hfsp_mark_late_jobs(struct policy *self, enum base_task_kind kind)
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

void hfsp_rank_update_if_stale(struct policy *self, enum base_task_kind kind)
{
    struct hfsp_kind *ks = &self->kind[kind];
    const int32_t *order;
    size_t n;

    if (!ks->stale)
        return;
    ks->stale = false;
    virtual_cluster_project(ks->vc);
    order = virtual_cluster_order(ks->vc, &n);
    hfsp_rank_set_order(&ks->rank, order, n);
    if (!self->set.late_share)
        return;
    ks->late_to = 0;
    hfsp_mark_late_jobs(self, kind);
    for (size_t i = (size_t)ks->late_to; i < n; i++) {
        struct hfsp_phase *p = ks->phase[order[i]];

        if (p && p->late) { /* no longer late, since its size has changed */
            p->late = false;
            hfsp_phase_update_lists(self, p);
        }
    }
}

static unsigned compute_wants_of_phase(const struct policy *self, const struct hfsp_phase *p)
{
    const struct policy_phase *count = &p->own->job->phase[p->kind];
    /* with an infinite xi, a phase in training gets slots only for its sample */
    bool alone = p->state == HFSP_TRAINING && isinf(self->set.xi);
    unsigned want = 0;

    if (!p->late && !alone && count->pending > hfsp_train_sample_slots_to_launch(p))
        want |= HFSP_START;
    if (!p->late && count->suspended > 0)
        want |= HFSP_RESUME;
    if (count->pending > 0)
        want |= HFSP_CLAIM;
    return want;
}

bool hfsp_may_interrupt_attempts(const struct policy *self, const struct hfsp_phase *p)
{
    const struct policy_job *job = p->own->job;

    return !p->late && job->is_job && (!job->never_suspended || self->set.preemption == HFSP_KILL);
}

/* Returns the slots of the attempts that may be preempted; running sample tasks are not. */
static int32_t count_preemptible_slots(const struct policy *self, const struct hfsp_phase *p)
{
    if (!hfsp_may_interrupt_attempts(self, p))
        return 0;
    return p->own->job->phase[p->kind].running -
           (p->state == HFSP_TRAINING ? p->running * policy_job_width(p->own->job, p->kind) : 0);
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
    hfsp_rank_set_wants(&ks->rank, p->virtual, compute_wants_of_phase(self, p));
    hfsp_rank_set_count(&ks->rank, HFSP_PREY, p->virtual, count_preemptible_slots(self, p));
    hfsp_rank_set_count(&ks->rank, HFSP_WAITING, p->virtual, count->pending);
    if (p->state == HFSP_TRAINING)
        hfsp_train_update_list(self, p);
    if (p->late || p->share.linked)
        policy_order_place(
            &ks->share_order, &p->share,
            p->late &&
                (count->pending > hfsp_train_sample_slots_to_launch(p) || count->suspended > 0),
            (int64_t)fmin(count->running * 1e6 / job->weight, (double)VIRTUAL_NEVER));
}
