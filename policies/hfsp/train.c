/* The training module: chooses the jobs whose first tasks are measured, and measures these tasks.
 * SOURCE: Pastorelli et al., HFSP, arXiv:1302.2749, section 3.2: training first, at most T_max
 * slots, every job of unknown size an equal share of them up to its sample, jobs with fewest
 * remaining tasks first (the authors' code: those with most launched and finished tasks); a reduce
 * is measured by the progress of its function in the time Delta. */
#include <stddef.h>

#include "policies/hfsp/hfsp_internal.h"

struct policy_job *hfsp_train_job_of_link(const struct policy_link *link)
{
    const char *at = (const char *)link - offsetof(struct hfsp_phase, train);

    return ((const struct hfsp_phase *)(const void *)at)->own->job;
}

int64_t hfsp_train_slots_max(const struct policy *self, enum base_task_kind kind)
{
    int64_t all = self->env->capacity->slots[kind], max = self->set.train_slots[kind];

    return max < 0 || max > all ? all : max;
}

int32_t hfsp_train_samples_to_launch(const struct hfsp_phase *p)
{
    return p->state == HFSP_TRAINING ? p->sample_n - p->known - p->started : 0;
}

int32_t hfsp_train_sample_slots_to_launch(const struct hfsp_phase *p)
{
    return hfsp_train_samples_to_launch(p) * policy_job_width(p->own->job, p->kind);
}

void hfsp_train_update_list(struct policy *self, struct hfsp_phase *p)
{
    struct hfsp_kind *ks = &self->kind[p->kind];
    const struct policy_phase *count = &p->own->job->phase[p->kind];
    struct policy_order *in = NULL;
    int64_t key = self->set.train_order == HFSP_TRAIN_MOST
                      ? -(int64_t)count->running - count->suspended - count->done
                      : count->total - count->done;

    if (hfsp_train_samples_to_launch(p) > 0 && count->pending > 0)
        in = &ks->train[p->running * policy_job_width(p->own->job, p->kind) >= ks->share];
    if (p->train_in && p->train_in != in)
        policy_order_remove(p->train_in, &p->train);
    if (in && p->train_in == in)
        policy_order_move(in, &p->train, key);
    else if (in)
        policy_order_insert(in, &p->train, key);
    p->train_in = in;
}

void hfsp_train_divide_slots(struct policy *self, enum base_task_kind kind)
{
    struct hfsp_kind *ks = &self->kind[kind];
    int64_t share = ks->training_n ? hfsp_train_slots_max(self, kind) / ks->training_n : 0;
    struct policy_link *next;

    if (share < 1)
        share = 1;
    if (share == ks->share)
        return;
    ks->share = share;
    for (int side = 0; side < 2; side++)
        for (struct policy_link *l = ks->train[side].first; l; l = next) {
            next = policy_order_next(l);
            hfsp_train_update_list(self, hfsp_phase_of(hfsp_train_job_of_link(l), kind));
        }
}

void hfsp_train_begin(struct policy *self, struct hfsp_phase *p)
{
    const struct policy_job *job = p->own->job;
    struct policy_running r;
    void *cursor = NULL;

    p->known = job->seen[p->kind].n;
    p->sample = base_alloc((size_t)p->sample_n * sizeof *p->sample);
    self->kind[p->kind].training_n++;
    hfsp_train_divide_slots(self, p->kind);
    if (job->phase[p->kind].running + job->phase[p->kind].suspended == 0)
        return;
    while (hfsp_train_samples_to_launch(p) > 0 &&
           self->env->running(self->env->core, job, p->kind, &cursor, &r)) {
        hfsp_train_record_started(self, p, r.task);
        if (r.suspended)
            hfsp_train_record_suspended(self, p, r.task, true);
    }
}

void hfsp_train_end(struct policy *self, struct hfsp_phase *p)
{
    struct hfsp_kind *ks = &self->kind[p->kind];

    if (p->state != HFSP_TRAINING)
        return;
    ks->training_n--;
    ks->training_running -= (int64_t)p->running * policy_job_width(p->own->job, p->kind);
    p->running = 0;
    if (p->train_in)
        policy_order_remove(p->train_in, &p->train);
    p->train_in = NULL;
    p->state = HFSP_ABSENT;
    hfsp_train_divide_slots(self, p->kind);
}

static struct hfsp_sample *find_sample(const struct hfsp_phase *p, int32_t task, bool running)
{
    for (int32_t i = 0; i < p->started; i++)
        if (p->sample[i].task == task && p->sample[i].running == running)
            return &p->sample[i];
    return NULL;
}

bool hfsp_train_is_sample(const struct hfsp_phase *p, int32_t task)
{
    return p->state == HFSP_TRAINING && find_sample(p, task, true);
}

void hfsp_train_record_started(struct policy *self, struct hfsp_phase *p, int32_t task)
{
    if (hfsp_train_samples_to_launch(p) <= 0)
        return;
    p->sample[p->started++] = (struct hfsp_sample){.task = task, .running = true};
    p->running++;
    self->kind[p->kind].training_running += policy_job_width(p->own->job, p->kind);
}

void hfsp_train_record_suspended(struct policy *self, struct hfsp_phase *p, int32_t task,
                                 bool suspended)
{
    int32_t by = suspended ? -1 : 1;

    if (p->state != HFSP_TRAINING || !find_sample(p, task, true))
        return;
    p->running += by;
    self->kind[p->kind].training_running += (int64_t)by * policy_job_width(p->own->job, p->kind);
}

static void record_measurement(struct hfsp_phase *p, struct hfsp_sample *s, int64_t lasts_us,
                               int64_t work_us)
{
    s->lasts_us = lasts_us > 0 ? lasts_us : 1;
    s->work_us = work_us;
    p->measured++;
}

static void mark_sample_stopped(struct policy *self, struct hfsp_phase *p, struct hfsp_sample *s)
{
    s->running = false;
    p->running--;
    self->kind[p->kind].training_running -= policy_job_width(p->own->job, p->kind);
}

/* Returns the duration of an ended task; of a reduce whose function was seen running before its
 * end, projected from the time since then. */
static int64_t duration_of_ended_sample_us(const struct hfsp_sample *s,
                                           const struct policy_task_end *end)
{
    if (!s->function_us || s->function_first >= 1)
        return end->work_us;
    return (int64_t)((double)(end->ended_us - s->function_us) / (1 - s->function_first) + 0.5);
}

void hfsp_train_record_ended(struct policy *self, struct hfsp_phase *p,
                             const struct policy_task_end *end)
{
    struct hfsp_sample *s = p->state == HFSP_TRAINING ? find_sample(p, end->task, true) : NULL;

    if (!s)
        return;
    mark_sample_stopped(self, p, s);
    if (!end->success) { /* another task takes its place in the sample */
        p->measured -= s->lasts_us > 0;
        *s = p->sample[--p->started];
        return;
    }
    if (!s->lasts_us)
        record_measurement(p, s, duration_of_ended_sample_us(s, end), end->work_us);
    else
        s->work_us = end->work_us;
    if (p->known + p->measured == p->sample_n)
        hfsp_phase_size_from_sample(self, p);
}

void hfsp_train_record_progress(struct policy *self, struct hfsp_phase *p, int32_t task,
                                double progress, int64_t now_us)
{
    struct hfsp_sample *s = p->kind == BASE_TASK_REDUCE && p->state == HFSP_TRAINING
                                ? find_sample(p, task, true)
                                : NULL;
    double done = estimator_reduce_function_progress(progress);

    if (!s || s->lasts_us || (done <= 0 && progress < 2.0 / 3 - 1e-6))
        return;
    if (!s->function_us) {
        s->function_us = now_us;
        s->function_first = done;
        return;
    }
    if (now_us - s->function_us < self->set.delta_us || done <= s->function_first)
        return;
    record_measurement(
        p, s, estimator_project_duration_us(now_us - s->function_us, done - s->function_first),
        now_us - s->function_us);
    if (p->known + p->measured == p->sample_n)
        hfsp_phase_size_from_sample(self, p);
}
