/* Runs maps again whose outputs were lost with their node, or cannot be fetched by reduces. */
#include "rm/core/job/map_output.h"

#include "rm/core/emit.h"
#include "rm/core/job/job.h"
#include "rm/core/job/task_attempt.h"
#include "rm/core/state.h"

/* A map's output is needed until every reduce has succeeded. */
static bool map_output_is_needed(const struct rm_app *a, const struct rm_task *t)
{
    const struct rm_phase *reduces = &a->phase[BASE_TASK_REDUCE];

    return rm_app_is_live(a) && !a->committing && t->kind == BASE_TASK_MAP &&
           t->state == RM_TASK_SUCCEEDED && reduces->succeeded < reduces->total;
}

void rm_task_rerun_maps_of_node(struct rm_core *c, struct rm_node *n, const char *why)
{
    for (size_t i = 0; i < c->apps_n; i++) {
        struct rm_app *a = c->apps[i];
        struct rm_phase *maps = &a->phase[BASE_TASK_MAP];

        if (!rm_app_is_live(a))
            continue;
        for (int32_t j = 0; j < maps->total; j++)
            if (maps->tasks[j].node == n->index && map_output_is_needed(a, &maps->tasks[j]))
                rm_task_rerun_map(c, a, &maps->tasks[j], why);
    }
}

void rm_task_on_fetch_failure(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_app *a = rm_app_find(c, ev->u.fetch_failure.app);
    struct rm_task *t = a ? rm_task_find(a, BASE_TASK_MAP, ev->u.fetch_failure.map) : NULL;
    char id[BASE_ID_TEXT_MAX];

    if (!t) {
        rm_reply_error(c, ev->token, -BASE_ENOTFOUND, "map %d of %s is not known",
                       ev->u.fetch_failure.map, base_app_id_text(&ev->u.fetch_failure.app, id));
        return;
    }
    if (map_output_is_needed(a, t) && t->last_attempt == ev->u.fetch_failure.attempt) {
        if (!t->fetch_failures || t->fetch_reduce != ev->u.fetch_failure.reduce.index ||
            a->phase[BASE_TASK_REDUCE].running <= 1) /* no other reduce could confirm it */
            t->fetch_failures++;
        t->fetch_reduce = ev->u.fetch_failure.reduce.index;
        if ((ev->u.fetch_failure.gone || t->fetch_failures >= RM_FETCH_FAILURES_MAX) &&
            rm_task_take_back_unfetchable_map(c, a, t))
            rm_job_fail_for_task(c, a, t);
    }
    rm_reply(c, ev->token, RM_REPLY_OK, c->seq);
}
