/* Asks the policy whether it can promise a job's deadline, and words the refusal. */
#include "rm/core/job/admission.h"

#include "rm/core/emit.h"
#include "rm/core/state.h"

static int64_t whole_second_after(int64_t us)
{
    return (us + 999999) / 1000000 * 1000000;
}

/* "2026-11-21T20:00:05Z". SOURCE: days of the proleptic Gregorian calendar counted from March, so
 * that leap days come last (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms",
 * civil_from_days). */
static const char *date_text(struct rm_core *c, int64_t us)
{
    int64_t s = us / 1000000, days = s / 86400 + 719468, era = days / 146097,
            in_era = days % 146097;
    int64_t year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    int64_t in_year = in_era - (365 * year + year / 4 - year / 100),
            month = (5 * in_year + 2) / 153;
    int64_t day = in_year - (153 * month + 2) / 5 + 1;

    month = month < 10 ? month + 3 : month - 9;
    year += era * 400 + (month <= 2);
    return rm_scratch_printf(c, "%04lld-%02lld-%02lldT%02lld:%02lld:%02lldZ", (long long)year,
                             (long long)month, (long long)day, (long long)(s / 3600 % 24),
                             (long long)(s / 60 % 60), (long long)(s % 60));
}

/* Names the earliest deadline that would be accepted, if the policy knows one. */
static const char *refusal_text(struct rm_core *c, const struct rm_app *a, const char *why)
{
    const char *text =
        rm_scratch_printf(c, RM_REFUSED "%s: %s", c->ops->name, *why ? why : "it cannot be met");

    if (!a->earliest_us)
        return text;
    return rm_scratch_printf(
        c,
        "%s. Submitted again now with the deadline %s (%.0f s after this submission) it would be "
        "accepted",
        text, date_text(c, a->earliest_us), (double)(a->earliest_us - a->submit_us) / 1e6);
}

bool rm_job_admit(struct rm_core *c, struct rm_app *a)
{
    struct policy_promise p = {0};

    if (a->pj.deadline_us <= 0 || !c->ops->admit)
        return true;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) /* the counts at arrival */
        a->pj.phase[k] = (struct policy_phase){.total = a->phase[k].total};
    if (c->ops->admit(c->policy, &a->pj, c->now_us, &p)) {
        a->promised_us = p.finish_us;
        return true;
    }
    if (p.finish_us > 0)
        a->earliest_us =
            whole_second_after(p.finish_us + policy_conf_us(&c->options, "rtmr.offer_margin"));
    rm_set_diagnostics(&a->diagnostics, refusal_text(c, a, p.why));
    return false;
}
