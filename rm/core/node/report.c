/* Applies a node's reports of its containers. */
#include "rm/core/node/report.h"

#include "rm/core/app/kind.h"
#include "rm/core/core.h"
#include "rm/core/emit.h"
#include "rm/core/job/suspend.h"
#include "rm/core/state.h"

#define AHEAD      8       /* reports whose containers are prefetched together */
#define STRANGE_US 1000000 /* between two lines of the log about what a node reports */

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

/* Returns false for a container that is on another node or not known here. A node that registers
 * tells again of all that have ended and that it has not been told to forget, also those that this
 * ResourceManager does not know any more. */
static bool process_report(struct rm_core *c, struct rm_node *n,
                           const struct rm_container_report *r, bool registering)
{
    struct rm_container *ct = rm_container_find(c, &r->id);
    bool known = ct != NULL;

    if (!ct)
        ct = attach_unknown_container_or_reject(c, n, r, registering);
    if (!ct)
        return registering && r->state == RM_CONTAINER_COMPLETED;
    if (ct->node != n)
        return false;
    /* The container has ended already and is kept until that is stored or acknowledged: its node
     * was taken down, or its master has released it, and has started it before or after that. */
    if (ct->state == RM_CONTAINER_COMPLETED) {
        if (r->state != RM_CONTAINER_COMPLETED)
            answer_with_kill(c, n, &r->id, "it had been given up");
        return true;
    }
    rm_container_remove_from_unstarted(c, ct);
    if (r->state == RM_CONTAINER_COMPLETED) {
        rm_container_end(c, ct, r->exit_code, r->diagnostics, r);
        return true;
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
    return true;
}

bool rm_node_may_note_strange(const struct rm_core *c, struct rm_node *n)
{
    if (n->strange_us && c->now_us - n->strange_us < STRANGE_US)
        return false;
    n->strange_us = c->now_us;
    return true;
}

/* Nodes of Hadoop have shown nothing but their address. A node repeats what it reports until it has
 * ended it: the log is told of @one once. */
static void note_strangers(struct rm_core *c, struct rm_node *n, size_t count,
                           const struct base_container_id *one)
{
    char id[BASE_ID_TEXT_MAX];

    if (!count || !n->is_hadoop || base_container_id_cmp(one, &n->stranger) == 0 ||
        !rm_node_may_note_strange(c, n))
        return;
    n->stranger = *one;
    rm_emit_note(c, 4, "node %s: reports containers that are not known as its own: %zu, such as %s",
                 n->id, count, base_container_id_text(one, id));
}

void rm_node_process_reports(struct rm_core *c, struct rm_node *n,
                             const struct rm_container_report *reports, size_t reports_n,
                             bool registering)
{
    const struct base_container_id *stranger = NULL;
    size_t strangers = 0;

    for (size_t i = 0; i < reports_n; i++) {
        if (i % AHEAD == 0)
            rm_container_prefetch(c, &reports[i], reports_n - i < AHEAD ? reports_n - i : AHEAD);
        if (!process_report(c, n, &reports[i], registering)) {
            stranger = &reports[i].id;
            strangers++;
        }
    }
    note_strangers(c, n, strangers, stranger);
}
