/* Submission of jobs: checks, queue, records, reply. */
#include "rm/core/job/job_submit.h"

#include <string.h>

#include "rm/core/emit.h"
#include "rm/core/job/job_kind.h"
#include "rm/core/queue/app_limits.h"
#include "rm/core/record/confirm.h"
#include "rm/core/record/record.h"
#include "rm/core/state.h"

static void reply_to_submission(struct rm_core *c, const struct rm_event *ev,
                                const struct rm_app *a, bool is_new)
{
    struct rm_effect *fx = rm_reply(c, ev->token, RM_REPLY_JOB, a->saved_seq);

    fx->u.reply.app_id = a->id;
    fx->u.reply.flag = is_new;
    fx->u.reply.app_state = a->state;
}

/* Returns true, with the request answered, when an application has this id already: a repeated
 * submission is answered with its job, a different one is refused. */
static bool answer_repeated_submission(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_job_spec *spec = ev->u.submit_job.spec;
    struct rm_app *a = rm_app_find(c, spec->id);
    char id[BASE_ID_TEXT_MAX];

    if (!a)
        return false;
    if (a->is_job && strcmp(a->json, spec->json ? spec->json : "") == 0)
        reply_to_submission(c, ev, a, false);
    else
        rm_reply_error(c, ev->token, -BASE_EEXIST, "id: %s exists already with another body",
                       base_app_id_text(&spec->id, id));
    return true;
}

/* Bound in microseconds on the expected time of the longest task of a kind times the number of
 * tasks of that kind and the slots of each, since policies sum up expected times. */
#define EXPECTED_MAX 1e17

static bool expected_time_is_too_long(const struct rm_job_spec *spec, enum base_task_kind k)
{
    int64_t longest = 0;

    for (size_t g = 0; g < spec->groups_n; g++)
        if (spec->groups[g].kind == k && spec->groups[g].expected_us > longest)
            longest = spec->groups[g].expected_us;
    return (double)longest * (double)rm_job_spec_task_count(spec, k) *
               (spec->slots > 1 ? spec->slots : 1) >
           EXPECTED_MAX;
}

/* Returns true, with the request answered, when no container can have as many slots as the tasks of
 * kind @k take. */
static bool refuse_if_tasks_are_too_wide(struct rm_core *c, const struct rm_event *ev,
                                         enum base_task_kind k)
{
    const struct rm_job_spec *spec = ev->u.submit_job.spec;
    bool has_tasks = rm_job_spec_task_count(spec, k) > 0 || (k == BASE_TASK_MAP && spec->input.n);
    int32_t most = rm_slots_of_largest_node(c, k, false);

    if (spec->slots <= 1 || !has_tasks || spec->slots <= most)
        return false;
    if (c->ops->single_slots)
        rm_reply_error(c, ev->token, -BASE_EINVAL,
                       "job.slots: %d: the policy %s gives each task one slot", spec->slots,
                       c->ops->name);
    else
        rm_reply_error(c, ev->token, -BASE_EINVAL,
                       "job.slots: %d: the largest node has %d slot%s for %ss", spec->slots, most,
                       most == 1 ? "" : "s", k ? "reduce" : "map");
    return true;
}

/* Returns true, with the request answered, when the job cannot use the reservation it names. */
static bool refuse_if_reservation_is_unusable(struct rm_core *c, const struct rm_event *ev,
                                              uint32_t queue)
{
    const struct rm_job_spec *spec = ev->u.submit_job.spec;
    const char *wrong;

    if (!spec->reservation.seq)
        return false;
    wrong =
        c->ops->reserve
            ? rm_reservation_explain_refusal(c, spec->reservation, spec->name, queue)
            : rm_scratch_printf(c, "the policy %s promises nothing to reservations", c->ops->name);
    if (wrong)
        rm_reply_error(c, ev->token, -BASE_EINVAL, "job.reservation-id: %s", wrong);
    return wrong;
}

/* Returns true when the submission is refused; the request has then been answered. Otherwise sets
 * *@queue. Placement comes last, since it may create the queue. A deadline in the past is an error
 * only at submission: one read from the store was simply missed. */
static bool refuse_submission_if_invalid(struct rm_core *c, const struct rm_event *ev,
                                         uint32_t *queue)
{
    const struct rm_job_spec *spec = ev->u.submit_job.spec;
    struct base_error err;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        const char *kind = k ? "reduce" : "map";

        if (rm_job_spec_task_count(spec, k) < 0 ||
            rm_job_spec_task_count(spec, k) > INT32_MAX / 2 / (spec->slots > 1 ? spec->slots : 1)) {
            rm_reply_error(c, ev->token, -BASE_ELIMIT, "too many %s tasks", kind);
            return true;
        }
        if (refuse_if_tasks_are_too_wide(c, ev, k))
            return true;
        if (expected_time_is_too_long(spec, k)) {
            rm_reply_error(
                c, ev->token, -BASE_EINVAL,
                "job.tasks: expected-s of the longest %s task times their number is more than %g",
                kind, EXPECTED_MAX / 1e6);
            return true;
        }
    }
    if (spec->deadline_at_us && spec->deadline_at_us <= c->now_us) {
        rm_reply_error(c, ev->token, -BASE_EINVAL,
                       "job.deadline-at-ms: %lld is in the past: it is %lld now",
                       (long long)(spec->deadline_at_us / 1000), (long long)(c->now_us / 1000));
        return true;
    }
    if (rm_queue_refuse_forbidden_submission(c, ev->token, spec->queue, spec->user,
                                             &spec->user_groups, NULL) ||
        rm_app_limits_refuse_user(c, ev->token, spec->user))
        return true;
    if (rm_queue_place_submission(c, spec->queue, spec->user, &spec->user_groups, queue, &err) <
        0) {
        rm_reply_error(c, ev->token, -BASE_EINVAL, "%s", err.text);
        return true;
    }
    return rm_app_limits_refuse_queue(c, ev->token, *queue) ||
           refuse_if_reservation_is_unusable(c, ev, *queue);
}

void rm_job_on_submit(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_job_spec *spec = ev->u.submit_job.spec;
    struct rm_app *a;
    uint32_t queue;

    if (spec->id.seq && answer_repeated_submission(c, ev)) {
        rm_job_spec_unref(spec);
        return;
    }
    if (rm_record_refuse_if_too_large(c, ev->token, spec->json, spec) ||
        rm_confirm_refuse_submission_if_unconfirmed(c, ev->token) ||
        refuse_submission_if_invalid(c, ev, &queue) ||
        !rm_app_assign_or_check_id(c, ev->token, &spec->id)) {
        rm_job_spec_unref(spec);
        return;
    }
    a = rm_app_new(c, &rm_job_kind, spec->id, spec, NULL, ev->u.submit_job.app_token);
    rm_app_enter_queue(c, a, queue);
    rm_tasks_create(c, a);
    rm_app_set_state(c, a, RM_APP_NEW_SAVING);
    rm_record_splits(c, a);
    rm_app_store_record(c, a);
    rm_defer_until_stored(c, a->saved_seq, RM_ACK_APP_NEW, a, 0);
    reply_to_submission(c, ev, a, true);
}
