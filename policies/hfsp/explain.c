/* Explains to operators why a job waits under HFSP. */
#include <math.h>

#include "policies/hfsp/hfsp_internal.h"

static const char *const kind_name[BASE_TASK_KINDS] = {"map", "reduce"};

static void explain_size(const struct policy *self, const struct hfsp_phase *p,
                         struct base_buf *out)
{
    double s = p->size_us / 1e6;

    if (p->state == HFSP_SIZED)
        base_buf_addf(out, "size %.1f s", s);
    else if (isinf(self->set.xi))
        base_buf_addf(out, "size unknown: %d of %d sample tasks measured, no others start before",
                      p->known + p->measured, p->sample_n);
    else
        base_buf_addf(out, "size guessed as %.1f s: in training, %d of %d sample tasks measured", s,
                      p->known + p->measured, p->sample_n);
}

static size_t count_waiting_before(const struct hfsp_kind *ks, int32_t rank)
{
    size_t n = 0;

    for (int32_t at = hfsp_rank_next_wanting(&ks->rank, 0, HFSP_CLAIM | HFSP_RESUME);
         at >= 0 && at < rank;
         at = hfsp_rank_next_wanting(&ks->rank, at + 1, HFSP_CLAIM | HFSP_RESUME))
        n++;
    return n;
}

static void explain_finish(const struct policy *self, const struct hfsp_phase *p, int64_t now_us,
                           struct base_buf *out)
{
    const struct hfsp_kind *ks = &self->kind[p->kind];
    int64_t finish = virtual_cluster_finish_us(ks->vc, p->virtual);
    size_t before = count_waiting_before(ks, ks->rank.rank[p->virtual]);

    if (finish <= now_us)
        base_buf_addf(
            out, ", late: its fair share of the cluster would have finished it %.1f s ago%s",
            (double)(now_us - finish) / 1e6, p->late ? ", shares with other late jobs" : "");
    else if (finish < VIRTUAL_NEVER && !(p->state == HFSP_TRAINING && isinf(self->set.xi)))
        base_buf_addf(out, ", a fair share of the cluster would finish it in %.1f s",
                      (double)(finish - now_us) / 1e6);
    if (before > 0)
        base_buf_addf(out, "; %zu waiting job%s come%s first", before, before == 1 ? "" : "s",
                      before == 1 ? "s" : "");
    else
        base_buf_adds(out, "; no waiting job comes first");
}

void hfsp_explain(const struct policy *self, const struct policy_job *job, int64_t now_us,
                  struct base_buf *out)
{
    bool any = false;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        const struct hfsp_phase *p = hfsp_phase_of(job, k);
        const struct policy_phase *count = &job->phase[k];

        if (p->state == HFSP_ABSENT || count->total - count->done <= 0)
            continue;
        base_buf_addf(out, "%s%ss: ", any ? ". " : "", kind_name[k]);
        any = true;
        /* the update changes nothing that the core sees */
        hfsp_rank_update_if_stale((struct policy *)(uintptr_t)self, k);
        explain_size(self, p, out);
        explain_finish(self, p, now_us, out);
        if (count->suspended > 0)
            base_buf_addf(out, "; %d task%s suspended for smaller jobs", count->suspended,
                          count->suspended == 1 ? "" : "s");
    }
    if (!any)
        base_buf_adds(out, "no task of it is left to start");
}
