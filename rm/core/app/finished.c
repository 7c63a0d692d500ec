/* Ended applications stay visible until they exceed a bound: a number (completed_apps_max) or a
 * size (completed_bytes_max). Beyond the number the oldest applications are removed. Beyond the
 * size the oldest jobs first lose their tasks and keep only sums; if that is not enough, the oldest
 * applications are removed. */
#include "rm/core/app/finished.h"

#include <string.h>

#include "rm/core/app/app_nodes.h"
#include "rm/core/app/kind.h"
#include "rm/core/emit.h"
#include "rm/core/record/prune.h"
#include "rm/core/record/record.h"
#include "rm/core/state.h"

/* Estimate of the size of an ended application: the submission as text and decoded, the object
 * itself, and its tasks. */
#define SUBMISSION_FACTOR 3
#define APP_BYTES         4096
#define TASK_BYTES        300 /* with the counters and the split of a task */

static int64_t estimate_bytes_without_tasks(const struct rm_app *a)
{
    return APP_BYTES + SUBMISSION_FACTOR * (int64_t)strlen(a->json);
}

static int64_t estimate_task_bytes(const struct rm_app *a)
{
    int64_t past = a->counters[RM_C_FAILED_MAPS] + a->counters[RM_C_FAILED_REDUCES] +
                   a->counters[RM_C_KILLED_MAPS] + a->counters[RM_C_KILLED_REDUCES];

    if (!rm_tasks_are_in_memory(a))
        return 0;
    return TASK_BYTES * ((int64_t)a->phase[0].total + a->phase[1].total) +
           (int64_t)sizeof(struct rm_past_attempt) * past;
}

static const char *copy_text_to_scratch(struct rm_core *c, const char *text)
{
    return rm_scratch_printf(c, "%s", text ? text : "");
}

/* The texts are copied: the application may be removed before the effect is read. */
static void emit_app_ended(struct rm_core *c, struct rm_app *a)
{
    const char *user = copy_text_to_scratch(c, a->user), *name = copy_text_to_scratch(c, a->name);
    const char *queue = copy_text_to_scratch(c, a->queue),
               *diagnostics = copy_text_to_scratch(c, a->diagnostics);
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
        emit_app_ended(c, a);
    rm_app_order_cleanup_if_done(c, a);
    rm_tasks_free_index(c, a);
    rm_app_leave_live_list(c, a);
    if (c->conf.prune_ended && a->is_job && !a->pruned && !c->recovering)
        rm_effect_add(c, RM_FX_HISTORY)->u.history.id = a->id;
    rm_prune_queue_ended_job(c, a);
    a->finished_prev = c->finished_last;
    if (c->finished_last)
        c->finished_last->finished_next = a;
    else
        c->finished = a;
    c->finished_last = a;
    c->finished_n++;
    a->kept_bytes = estimate_bytes_without_tasks(a) + estimate_task_bytes(a);
    c->finished_bytes += a->kept_bytes;
    c->finished_light += estimate_bytes_without_tasks(a);
    if (!c->heavy)
        c->heavy = a;
    c->trim_due = true;
    rm_totals_count_end(c, a);
    c->stats.results[rm_app_result(a)]++;
    if (a->state == RM_APP_FINISHED)
        c->stats.completed++;
    else if (a->state == RM_APP_FAILED)
        c->stats.failed++;
    else
        c->stats.killed++;
}

static void remove_finished_app(struct rm_core *c, struct rm_app *a)
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
    c->finished_light -= estimate_bytes_without_tasks(a);
    if (c->heavy == a)
        c->heavy = a->finished_next;
    if (a->kind->forgotten)
        a->kind->forgotten(c, a);
    rm_record_remove_app(c, a);
    rm_app_remove_from_tables(c, a);
    rm_timer_cancel(&c->timers, &a->timer);
    rm_app_unref(a);
}

/* For this long after its end an application is exempt from completed_bytes_max, since clients that
 * waited for the end read the application, and the history is written from it. */
#define STAYS_US INT64_C(60000000)

static bool exceeds_completed_bytes_max(const struct rm_core *c, int64_t bytes)
{
    return c->conf.completed_bytes_max > 0 && bytes > c->conf.completed_bytes_max;
}

/* Returns false, and sets the timer for a later trim, when @a ended less than STAYS_US ago. An end
 * far in the future was stamped by another host's clock, and must not block the removal of
 * applications that ended later. */
static bool is_old_enough_to_remove(struct rm_core *c, const struct rm_app *a)
{
    if (a->finish_us + STAYS_US <= c->now_us || a->finish_us > c->now_us + STAYS_US)
        return true;
    rm_timer_set(&c->timers, &c->trim_timer, a->finish_us + STAYS_US);
    return false;
}

/* Drops the tasks of the oldest jobs until ended applications are within completed_bytes_max. */
static void drop_tasks_of_oldest_jobs(struct rm_core *c)
{
    while (c->heavy && exceeds_completed_bytes_max(c, c->finished_bytes) &&
           is_old_enough_to_remove(c, c->heavy)) {
        struct rm_app *a = c->heavy;
        int64_t bytes = estimate_task_bytes(a);

        c->heavy = a->finished_next;
        if (!bytes || a->containers)
            continue;
        rm_prune_tasks_from_memory(c, a);
        a->kept_bytes -= bytes;
        c->finished_bytes -= bytes;
    }
}

void rm_apps_request_trim(struct rm_core *c)
{
    c->trim_due = true;
}

/* An application that still has a container is skipped, and the next oldest is removed instead. */
void rm_apps_trim_finished(struct rm_core *c)
{
    struct rm_app *next;

    if (!c->trim_due)
        return;
    c->trim_due = false;
    drop_tasks_of_oldest_jobs(c);
    for (struct rm_app *a = c->finished; a; a = next) {
        bool many =
            c->conf.completed_apps_max > 0 && c->finished_n > (size_t)c->conf.completed_apps_max;

        next = a->finished_next;
        if (!many &&
            !(exceeds_completed_bytes_max(c, c->finished_light) && is_old_enough_to_remove(c, a)))
            break;
        if (!a->containers)
            remove_finished_app(c, a);
    }
}
