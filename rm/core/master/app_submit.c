/* Submission of plain applications: checks, queue, record, reply. A repeated submission is answered
 * with the application that has its id. */
#include "rm/core/master/app_submit.h"

#include "rm/core/app/lifetime.h"
#include "rm/core/emit.h"
#include "rm/core/master/plain_kind.h"
#include "rm/core/queue/app_limits.h"
#include "rm/core/record/confirm.h"
#include "rm/core/record/record.h"
#include "rm/core/state.h"

static void reply_to_submission(struct rm_core *c, const struct rm_event *ev,
                                const struct rm_app *a, bool is_new)
{
    struct rm_effect *fx = rm_reply(c, ev->token, RM_REPLY_APP, a->saved_seq);

    fx->u.reply.app_id = a->id;
    fx->u.reply.flag = is_new;
    fx->u.reply.app_state = a->state;
}

/* Places the submission, and returns true after refusing it when its user or queue has all the
 * applications that are allowed. If no rule finds a queue, *@queue becomes RM_NONE, and the
 * application fails at the point where it would otherwise be accepted. */
static bool place_submission_or_refuse(struct rm_core *c, const struct rm_event *ev,
                                       uint32_t *queue)
{
    const struct rm_app_spec *spec = ev->u.submit_app.spec;

    if (rm_app_limits_refuse_user(c, ev->token, spec->user))
        return true;
    rm_queue_place_submission(c, spec->queue, spec->user, &spec->user_groups, queue, NULL);
    return rm_app_limits_refuse_queue(c, ev->token, *queue);
}

void rm_plain_app_on_submit(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_app_spec *spec = ev->u.submit_app.spec;
    struct rm_app *a = spec->id.seq ? rm_app_find(c, spec->id) : NULL;
    const char *wrong = NULL;
    uint32_t queue;

    if (rm_resource_is_too_large(c, BASE_TASK_MAP, &spec->resource, RM_RES_MEMORY_MB,
                                 spec->speaks_hadoop))
        wrong = "Requested more memory than configured max";
    else if (rm_resource_is_too_large(c, BASE_TASK_MAP, &spec->resource, RM_RES_VCORES,
                                      spec->speaks_hadoop))
        wrong = "Requested more cores than configured max";
    else if (spec->resource.v[RM_RES_MAP_SLOTS] > 1 &&
             spec->resource.v[RM_RES_MAP_SLOTS] >
                 rm_slots_of_largest_node(c, BASE_TASK_MAP, spec->speaks_hadoop))
        wrong = "Requested more map-slots than configured max";
    else if (!rm_labels_exist(&c->labels, spec->label))
        wrong = rm_scratch_printf(c, RM_NO_SUCH_LABEL, spec->label);
    else if (!rm_labels_exist(&c->labels, spec->am_label))
        wrong = rm_scratch_printf(c, RM_NO_SUCH_LABEL, spec->am_label);
    if (a || wrong) {
        if (a)
            reply_to_submission(c, ev, a, false);
        else
            rm_reply_error(c, ev->token, -BASE_EINVAL, "%s", wrong);
        rm_app_spec_unref(spec);
        return;
    }
    if (rm_record_refuse_if_too_large(c, ev->token, spec->json, NULL) ||
        rm_confirm_refuse_submission_if_unconfirmed(c, ev->token) ||
        rm_queue_refuse_forbidden_submission(c, ev->token, spec->queue, spec->user,
                                             &spec->user_groups, &spec->id) ||
        place_submission_or_refuse(c, ev, &queue) ||
        !rm_app_assign_or_check_id(c, ev->token, &spec->id)) {
        rm_app_spec_unref(spec);
        return;
    }
    for (int i = 0; i < RM_RES_NAMES; i++)
        if (spec->resource.v[i] <= 0 && i <= RM_RES_VCORES)
            spec->resource.v[i] = c->conf.slot_res[BASE_TASK_MAP].v[i];
    a = rm_app_new(c, &rm_plain_kind, spec->id, NULL, spec, ev->u.submit_app.app_token);
    rm_app_begin_lifetime(c, a, spec->lifetime_s);
    rm_app_enter_queue(c, a, queue);
    rm_app_set_state(c, a, RM_APP_NEW_SAVING);
    rm_app_store_record(c, a);
    rm_defer_until_stored(c, a->saved_seq, RM_ACK_APP_NEW, a, 0);
    reply_to_submission(c, ev, a, true);
}
