/* Messages of rtmr to users and operators: refusals, why a job waits, promises that do not hold. */
#include <stdio.h>

#include "base/id.h"
#include "base/io/log.h"
#include "policies/rtmr/rtmr_internal.h"

#define NOTE_MAX 320

static double us_to_seconds(int64_t us)
{
    return (double)us / 1e6;
}

/* Formats an id such as "job_1_0002" into @buf, and returns @buf. */
static const char *format_job_id(int64_t cluster_ts, int32_t seq, char buf[static BASE_ID_TEXT_MAX])
{
    snprintf(buf, BASE_ID_TEXT_MAX, "job_%lld_%04d", (long long)cluster_ts, seq);
    return buf;
}

/* Formats the id of the job or of the reservation into @buf, and returns @buf. */
static const char *format_entry_id(const struct rtmr_entry *e, char buf[static BASE_ID_TEXT_MAX])
{
    bool reservation = e->windows_n[BASE_TASK_MAP] || e->windows_n[BASE_TASK_REDUCE];

    if (!reservation)
        return format_job_id(e->cluster_ts, e->seq, buf);
    snprintf(buf, BASE_ID_TEXT_MAX, "reservation_%lld_%04d", (long long)e->cluster_ts, e->seq);
    return buf;
}

static const char *kind_word(enum base_task_kind kind)
{
    return kind == BASE_TASK_MAP ? "map" : "reduce";
}

void rtmr_explain_refusal(const struct policy *self, const struct rtmr_entry *e,
                          const struct rtmr_verdict *v, int64_t offer_us,
                          struct policy_promise *out)
{
    struct base_buf why = {0};
    char id[BASE_ID_TEXT_MAX];
    double deadline = us_to_seconds(e->due_us - e->submit_us);
    bool no_maps =
        e->n[BASE_TASK_MAP] > 0 && self->slots[BASE_TASK_MAP] <= self->busy[BASE_TASK_MAP].never;

    if (v->finish_us >= RTMR_UNKNOWN)
        base_buf_addf(&why, "there is no %s slot for it",
                      kind_word(no_maps ? BASE_TASK_MAP : BASE_TASK_REDUCE));
    else if (!v->hurt)
        base_buf_addf(&why, "needs until %.1f s after submission, deadline %.1f s",
                      us_to_seconds(v->finish_us - e->submit_us), deadline);
    else
        base_buf_addf(&why, "with its deadline of %.1f s %s would miss its own by %.1f s", deadline,
                      format_entry_id(v->hurt, id), us_to_seconds(v->hurt_us - v->hurt->due_us));
    if (offer_us)
        base_buf_addf(&why, "; could be promised: %.1f s after submission",
                      us_to_seconds(offer_us - e->submit_us));
    else
        base_buf_adds(&why, "; no date can be promised");
    out->finish_us = offer_us;
    out->ask_us = offer_us ? offer_us + self->offer_margin_us : 0;
    snprintf(out->why, sizeof out->why, "%.*s", (int)sizeof out->why - 1, why.data);
    base_buf_free(&why);
}

static void explain_reservation(const struct rtmr_reservation *own, int64_t now_us,
                                struct base_buf *out)
{
    char id[BASE_ID_TEXT_MAX];

    base_buf_addf(out, "in %s, whose jobs run", format_entry_id(own->entry, id));
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        if (own->booked[k].n)
            base_buf_addf(out, " %lld of %lld %ss booked now", (long long)own->running[k],
                          (long long)slot_calendar_at(&own->booked[k], now_us), kind_word(k));
    base_buf_adds(out, "; beyond that, ");
}

static void explain_best_effort(const struct policy *self, const struct policy_job *job,
                                struct base_buf *out)
{
    if (self->pending[1][BASE_TASK_MAP] > 0)
        base_buf_addf(out, "without a deadline: %lld maps of jobs with one go first",
                      (long long)self->pending[1][BASE_TASK_MAP]);
    else
        base_buf_adds(out, "without a deadline: it gets what jobs with one leave");
    base_buf_addf(out, ", %lld reduce slots are kept for them",
                  (long long)rtmr_queue_sum_reserved_of_first(&self->q, self->q.n));
    base_buf_addf(out, "; runs %d maps and %d reduces", job->phase[BASE_TASK_MAP].running,
                  job->phase[BASE_TASK_REDUCE].running);
}

void rtmr_explain(const struct policy *self, const struct policy_job *job, int64_t now_us,
                  struct base_buf *out)
{
    const struct rtmr_entry *e = rtmr_job_of(job)->entry;
    int64_t left;

    if (!e) {
        if (rtmr_job_of(job)->reservation)
            explain_reservation(rtmr_job_of(job)->reservation, now_us, out);
        explain_best_effort(self, job, out);
        return;
    }
    left = e->due_us - now_us;
    base_buf_addf(out, "%s, place %zu of %zu; deadline %s%.1f s%s",
                  e->started_us ? "started" : "waits", e->at + 1, self->q.n, left < 0 ? "" : "in ",
                  us_to_seconds(left < 0 ? -left : left), left < 0 ? " ago" : "");
    if (e->finish_us >= RTMR_UNKNOWN)
        base_buf_adds(out, ", no finish can be promised: there are no slots");
    else if (e->finish_us < now_us)
        base_buf_addf(out, ", was to finish %.1f s ago", us_to_seconds(now_us - e->finish_us));
    else
        base_buf_addf(out, ", finishes in %.1f s at the latest",
                      us_to_seconds(e->finish_us - now_us));
    if (e->reserve)
        base_buf_addf(out, "; %lld reduce slots are kept for it, %lld for jobs before it",
                      (long long)e->reserve,
                      (long long)rtmr_queue_sum_reserved_of_first(&self->q, e->at));
}

void rtmr_warn_task_outlasted_bound(struct policy *self, struct rtmr_job *own,
                                    enum base_task_kind kind, int64_t took_us)
{
    char text[NOTE_MAX], id[BASE_ID_TEXT_MAX];

    if (own->broke)
        return;
    own->broke = true;
    snprintf(text, sizeof text,
             "rtmr: a %s of %s took %.1f s: promises rest on at most %.1f s, the precondition does "
             "not hold",
             kind_word(kind), format_job_id(own->job->cluster_ts, own->job->seq, id),
             us_to_seconds(took_us), us_to_seconds(own->entry->eps_us[kind]));
    self->env->note(self->env->core, BASE_LOG_WARN, text);
}

void rtmr_warn_if_job_late(struct policy *self, const struct rtmr_job *own, int64_t now_us)
{
    const struct rtmr_entry *e = own->entry;
    char text[NOTE_MAX], id[BASE_ID_TEXT_MAX];

    if (now_us <= e->finish_us)
        return;
    snprintf(text, sizeof text, "rtmr: %s ended %.1f s later than promised (%s)%s",
             format_job_id(own->job->cluster_ts, own->job->seq, id),
             us_to_seconds(now_us - e->finish_us),
             now_us > e->due_us ? "its deadline is missed" : "before its deadline",
             own->broke ? ": a task took longer than any before" : "");
    self->env->note(self->env->core,
                    own->broke || now_us <= e->due_us ? BASE_LOG_WARN : BASE_LOG_ERROR, text);
}

void rtmr_warn_lost_promises(struct policy *self, const char *what)
{
    for (size_t i = 0; i < self->q.n; i++) {
        const struct rtmr_entry *e = self->q.v[i];
        char text[NOTE_MAX], id[BASE_ID_TEXT_MAX];

        if (e->finished || e->finish_us <= e->due_us)
            continue;
        if (e->finish_us >= RTMR_UNKNOWN)
            snprintf(text, sizeof text, "rtmr: %s: no slot is left for %s", what,
                     format_entry_id(e, id));
        else
            snprintf(text, sizeof text, "rtmr: %s: %s may end %.1f s after its deadline", what,
                     format_entry_id(e, id), us_to_seconds(e->finish_us - e->due_us));
        self->env->note(self->env->core, BASE_LOG_WARN, text);
    }
}
