/* Explains to operators why a job waits under the fair scheduler. */
#include "policies/fair/fair_internal.h"

static const char *queue_name(const struct policy *self, int32_t queue)
{
    const struct policy_queues *q = self->single ? NULL : self->env->queues;

    return q && (size_t)queue < q->n ? q->v[queue].name : "root";
}

static void append_reached_limit(const struct policy *self, const struct fair_job *fj,
                                 struct base_buf *out)
{
    for (int32_t i = fj->queue; i >= 0; i = self->queues[i].parent)
        if (self->queues[i].active >= self->queues[i].max_active) {
            base_buf_addf(
                out,
                "waits until one of the %d running applications of queue %s ends: it may have %d",
                self->queues[i].active, queue_name(self, i), self->queues[i].max_active);
            return;
        }
    base_buf_addf(out, "waits until an application of its user ends: %d may run",
                  self->users[fj->job->user].max);
}

/* Returns the number of elements of @o before @l. */
static size_t count_links_before(const struct policy_order *o, const struct policy_link *l)
{
    size_t n = 0;

    for (const struct policy_link *m = o->first; m && m != l; m = policy_order_next(m))
        n++;
    return n;
}

static const char *plural_s(size_t n)
{
    return n == 1 ? "" : "s";
}

static void append_queue_state(const struct policy *self, int32_t queue, enum base_task_kind kind,
                               struct base_buf *out)
{
    const struct fair_queue *q = &self->queues[queue];
    const struct fair_side *side = &q->side[kind];

    base_buf_addf(out, "queue %s runs %lld of a fair share of %.1f %s slots (weight %g",
                  queue_name(self, queue), (long long)side->running, side->share,
                  kind == BASE_TASK_MAP ? "map" : "reduce", q->weight);
    if (side->min > 0)
        base_buf_addf(out, ", minimum %.1f", side->min);
    if (side->max < INT64_MAX)
        base_buf_addf(out, ", at most %lld", (long long)side->max);
    base_buf_adds(out, ")");
    if (side->running >= side->max)
        base_buf_adds(out, " and gets no more");
    else if (side->starved)
        base_buf_adds(out, ", too little for too long: it waits for no local slot");
}

static void append_place_in_order(const struct policy *self, const struct fair_job *fj,
                                  enum base_task_kind kind, struct base_buf *out)
{
    const struct fair_queue *q = &self->queues[fj->queue];
    size_t jobs = count_links_before(&q->side[kind].jobs, &fj->job->link[kind]), queues = 0;

    if (q->parent >= 0)
        queues =
            count_links_before(&self->queues[q->parent].side[kind].queues, &q->side[kind].link);
    if (q->fifo)
        base_buf_addf(out, "the job runs %d, ", fj->running[kind]);
    else
        base_buf_addf(out, "the job runs %d at weight %g, ", fj->running[kind], fj->weight[kind]);
    base_buf_addf(out, "%zu queue%s beside its own and %zu job%s in it come%s first", queues,
                  plural_s(queues), jobs, plural_s(jobs), queues + jobs == 1 ? "s" : "");
}

void fair_explain(const struct policy *self, const struct policy_job *job, int64_t now_us,
                  struct base_buf *out)
{
    const struct fair_job *fj = fair_job_of(job);

    (void)now_us;
    if (!fj->active) {
        append_reached_limit(self, fj, out);
        return;
    }
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        enum base_task_kind kind = k;

        if (fj->wants[k] <= 0)
            continue;
        if (self->single)
            base_buf_adds(out, "all jobs have equal shares");
        else
            append_queue_state(self, fj->queue, kind, out);
        base_buf_adds(out, "; ");
        append_place_in_order(self, fj, kind, out);
        return;
    }
    if (job->phase[BASE_TASK_MAP].pending + job->phase[BASE_TASK_REDUCE].pending > 0)
        base_buf_adds(out, "no task of it could run now");
}
