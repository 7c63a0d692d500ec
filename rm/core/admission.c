/* Asks the policy whether it can promise to meet a job's deadline, and composes the text of a
 * refusal. */
#include "rm/core/admission.h"

#include "base/clock.h"
#include "rm/core/app/kind.h"
#include "rm/core/emit.h"
#include "rm/core/state.h"

static int64_t round_up_to_second(int64_t us)
{
    return (us + 999999) / 1000000 * 1000000;
}

/* The text names the earliest deadline that would be accepted, if the policy knows one. */
static const char *compose_refusal(struct rm_core *c, const struct rm_app *a, const char *why)
{
    const char *text =
        rm_scratch_printf(c, RM_REFUSED "%s: %s", c->ops->name, *why ? why : "it cannot be met");
    char date[BASE_DATE_TEXT_MAX];

    if (!a->earliest_us)
        return text;
    return rm_scratch_printf(
        c,
        "%s. Submitted again now with the deadline %s (%.0f s after this submission) it would be "
        "accepted",
        text, base_iso_utc_text(a->earliest_us, date),
        (double)(a->earliest_us - a->submit_us) / 1e6);
}

bool rm_app_admit(struct rm_core *c, struct rm_app *a)
{
    struct policy_promise p = {0};

    if (a->pj.deadline_us <= 0 || !c->ops->admit)
        return true;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) /* counts as at arrival */
        a->pj.phase[k] = (struct policy_phase){.total = a->kind->demand(a, k).total};
    if (c->ops->admit(c->policy, &a->pj, c->now_us, &p)) {
        a->promised_us = p.finish_us;
        return true;
    }
    if (p.ask_us > 0)
        a->earliest_us = round_up_to_second(p.ask_us);
    rm_set_bounded_text(&a->diagnostics, compose_refusal(c, a, p.why));
    return false;
}
