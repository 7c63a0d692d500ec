/* Ended applications: kept for a while, then forgotten. */
#include "rm/core/app/finished.h"

#include <string.h>

#include "rm/core/app/app_nodes.h"
#include "rm/core/emit.h"
#include "rm/core/record/prune.h"
#include "rm/core/record/record.h"
#include "rm/core/state.h"

/* About what an ended application takes: its submission, as text and read, and itself; then its
 * tasks. */
#define TEXTS      3
#define APP_BYTES  4096
#define TASK_BYTES 300 /* with its counters and its split */

static int64_t light_bytes(const struct rm_app *a)
{
    const char *json = a->is_job ? a->job->json : a->app->json;

    return APP_BYTES + TEXTS * (int64_t)strlen(json ? json : "");
}

static int64_t task_bytes(const struct rm_app *a)
{
    return a->is_job && rm_tasks_in_memory(a)
               ? TASK_BYTES * ((int64_t)a->phase[0].total + a->phase[1].total)
               : 0;
}

static const char *scratch_text(struct rm_core *c, const char *text)
{
    return rm_scratch_printf(c, "%s", text ? text : "");
}

/* Copies: the application may be trimmed before its effect is looked at. */
static void tell_end(struct rm_core *c, struct rm_app *a)
{
    const char *user = scratch_text(c, a->user), *name = scratch_text(c, a->name);
    const char *queue = scratch_text(c, a->queue), *diagnostics = scratch_text(c, a->diagnostics);
    struct rm_effect *fx = rm_effect_add(c, RM_FX_APP_ENDED);

    fx->u.ended.id = a->id;
    fx->u.ended.user = user;
    fx->u.ended.name = name;
    fx->u.ended.queue = queue;
    fx->u.ended.diagnostics = diagnostics;
    fx->u.ended.state = a->state;
    fx->u.ended.final_status = a->final_status;
    fx->u.ended.refused = rm_app_was_refused(a);
}

void rm_app_retire(struct rm_core *c, struct rm_app *a)
{
    if (!a->end_told && (!c->recovering || a->damaged))
        tell_end(c, a);
    /* Else when the last one has ended: a node that cleans up tells nothing of those it still
     * has. */
    if (!a->containers)
        rm_app_order_cleanup(c, a);
    rm_tasks_drop_index(c, a);
    if (c->conf.prune_ended && a->is_job && !a->pruned && !c->recovering)
        rm_effect_add(c, RM_FX_HISTORY)->u.history.id = a->id;
    rm_prune_job(c, a);
    a->finished_prev = c->finished_last;
    if (c->finished_last)
        c->finished_last->finished_next = a;
    else
        c->finished = a;
    c->finished_last = a;
    c->finished_n++;
    a->kept_bytes = light_bytes(a) + task_bytes(a);
    c->finished_bytes += a->kept_bytes;
    c->finished_light += light_bytes(a);
    if (!c->heavy)
        c->heavy = a;
    c->trim_due = true;
    c->stats.results[rm_app_result(a)]++;
    if (a->state == RM_APP_FINISHED)
        c->stats.completed++;
    else if (a->state == RM_APP_FAILED)
        c->stats.failed++;
    else
        c->stats.killed++;
}

static void remove_finished(struct rm_core *c, struct rm_app *a)
{
    if (a->finished_prev)
        a->finished_prev->finished_next = a->finished_next;
    else
        c->finished = a->finished_next;
    if (a->finished_next)
        a->finished_next->finished_prev = a->finished_prev;
    else
        c->finished_last = a->finished_prev;
    c->finished_n--;
    c->finished_bytes -= a->kept_bytes;
    c->finished_light -= light_bytes(a);
    if (c->heavy == a)
        c->heavy = a->finished_next;
    rm_record_remove_app(c, a);
    rm_app_unlist(c, a);
    rm_timer_cancel(&c->timers, &a->timer);
    rm_app_unref(a);
}

/* Whoever has waited for an end can look at it, and the history is written from it. */
#define STAYS_US INT64_C(60000000)

static bool exceeds_bytes_max(const struct rm_core *c, int64_t bytes)
{
    return c->conf.completed_bytes_max > 0 && bytes > c->conf.completed_bytes_max;
}

/* False: @a has ended a moment ago; its time is noted. An end further ahead than that is of another
 * clock: it would hold up all that ended after it. */
static bool may_be_removed(struct rm_core *c, const struct rm_app *a)
{
    if (a->finish_us + STAYS_US <= c->now_us || a->finish_us > c->now_us + STAYS_US)
        return true;
    rm_timer_set(&c->timers, &c->trim_timer, a->finish_us + STAYS_US);
    return false;
}

/* The oldest that have tasks lose them, until the rest is light enough. */
static void drop_old_tasks(struct rm_core *c)
{
    while (c->heavy && exceeds_bytes_max(c, c->finished_bytes) && may_be_removed(c, c->heavy)) {
        struct rm_app *a = c->heavy;
        int64_t bytes = task_bytes(a);

        c->heavy = a->finished_next;
        if (!bytes || a->containers)
            continue;
        rm_prune_tasks(c, a);
        a->kept_bytes -= bytes;
        c->finished_bytes -= bytes;
    }
}

void rm_app_trim_due(struct rm_core *c)
{
    c->trim_due = true;
}

/* The oldest go; one of whose containers a node still has to tell waits, and those after it go in
 * its place. */
void rm_app_trim_finished(struct rm_core *c)
{
    struct rm_app *next;

    if (!c->trim_due)
        return;
    c->trim_due = false;
    drop_old_tasks(c);
    for (struct rm_app *a = c->finished; a; a = next) {
        bool many =
            c->conf.completed_apps_max > 0 && c->finished_n > (size_t)c->conf.completed_apps_max;

        next = a->finished_next;
        if (!many && !(exceeds_bytes_max(c, c->finished_light) && may_be_removed(c, a)))
            break;
        if (!a->containers)
            remove_finished(c, a);
    }
}
