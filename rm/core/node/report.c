/* Applies a node's report of one container. */
#include "rm/core/node/report.h"

#include "rm/core/app/kind.h"
#include "rm/core/job/suspend.h"
#include "rm/core/state.h"

/* Repeats a suspend or resume order that was lost when the NodeManager restarted. */
static void repeat_suspension_order(struct rm_core *c, struct rm_container *ct,
                                    enum rm_container_state reported)
{
    if (ct->killing)
        return;
    if (ct->state == RM_CONTAINER_SUSPENDED && reported == RM_CONTAINER_RUNNING)
        rm_container_enqueue_order(c, ct, BASE_ORDER_SUSPEND);
    else if (ct->state == RM_CONTAINER_RUNNING && reported == RM_CONTAINER_SUSPENDED)
        rm_container_enqueue_order(c, ct, BASE_ORDER_RESUME);
}

static int32_t reported_progress(const struct rm_container_report *r)
{
    float p = r->progress;

    if (!(p > 0)) /* NaN too */
        return 0;
    return p >= 1 ? RM_PROGRESS_ONE : (int32_t)((double)p * RM_PROGRESS_ONE);
}

static void answer_with_kill(struct rm_core *c, struct rm_node *n,
                             const struct base_container_id *id, const char *reason)
{
    rm_node_enqueue_kill(c, n, id, reason)->answers_report = true;
}

/* Attaches and returns the reported container, if its application takes it; otherwise orders the
 * node to kill or forget the container, and returns NULL. */
static struct rm_container *attach_unknown_container_or_reject(struct rm_core *c, struct rm_node *n,
                                                               const struct rm_container_report *r,
                                                               bool registering)
{
    struct rm_app *a = rm_app_find(c, r->id.attempt.app);
    struct rm_container *ct = NULL;

    if (a && registering)
        ct = a->kind->attach(c, n, a, r);
    if (ct)
        return ct;
    if (r->state != RM_CONTAINER_COMPLETED)
        answer_with_kill(c, n, &r->id, "not known to the resource manager");
    else
        rm_node_enqueue_forget(c, n, &r->id);
    return NULL;
}

void rm_container_process_report(struct rm_core *c, struct rm_node *n,
                                 const struct rm_container_report *r, bool registering)
{
    struct rm_container *ct = rm_container_find(c, &r->id);
    bool known = ct != NULL;

    if (!ct)
        ct = attach_unknown_container_or_reject(c, n, r, registering);
    if (!ct || ct->node != n)
        return;
    /* The container has ended already and is kept until that is stored or acknowledged: its node
     * was taken down, or its master has released it, and has started it before or after that. */
    if (ct->state == RM_CONTAINER_COMPLETED) {
        if (r->state != RM_CONTAINER_COMPLETED)
            answer_with_kill(c, n, &r->id, "it had been given up");
        return;
    }
    rm_container_remove_from_unstarted(c, ct);
    if (r->state == RM_CONTAINER_COMPLETED) {
        rm_container_end(c, ct, r->exit_code, r->diagnostics, r);
        return;
    }
    if (ct->state == RM_CONTAINER_ALLOCATED || ct->state == RM_CONTAINER_ACQUIRED) {
        rm_container_set_state(ct, RM_CONTAINER_RUNNING);
    }
    rm_container_set_progress(c, ct, reported_progress(r));
    if (!known && r->state == RM_CONTAINER_SUSPENDED && ct->task && !ct->killing)
        rm_container_mark_suspended(c, ct);
    if (known && registering)
        repeat_suspension_order(c, ct, r->state);
    if (known && registering && ct->killing) /* the earlier order may have been lost */
        answer_with_kill(c, n, &ct->id, "killed");
}
