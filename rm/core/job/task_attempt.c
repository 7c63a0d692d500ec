/* Attempts of a job's tasks: how they start, succeed, fail, and get the right to commit. At most
 * one attempt of a task is current at a time, and at most one has the right to commit; that right
 * is recorded before it is granted. A function that finds that a task has failed for good reports
 * that in its return value, since ending the job is up to the caller (job_kind.c, map_output.c). */
#include "rm/core/job/task_attempt.h"

#include <stdlib.h>
#include <string.h>

#include "rm/core/emit.h"
#include "rm/core/job/learn.h"
#include "rm/core/job/pick.h"
#include "rm/core/record/record.h"
#include "rm/core/state.h"

int32_t rm_task_next_attempt_number(const struct rm_app *a, const struct rm_task *t)
{
    return t->next_attempt > a->attempt_base ? t->next_attempt : a->attempt_base;
}

void rm_task_set_running_attempt(struct rm_core *c, struct rm_app *a, struct rm_task *t,
                                 struct rm_container *ct, bool reattached)
{
    ct->task = t;
    ct->task_attempt = reattached ? ct->task_attempt : rm_task_next_attempt_number(a, t);
    t->running = ct;
    t->container_num = ct->id.num;
    t->node = ct->node->index;
    t->last_attempt = ct->task_attempt;
    t->attempts++;
    rm_pick_unmark_pending(a, t);
    rm_task_set_state(a, t, RM_TASK_RUNNING);
    t->exit_code = RM_EXIT_INVALID;
    t->finish_us = 0;
    t->start_us = ct->start_us;
    if (!a->pj.first_us)
        a->pj.first_us = ct->start_us;
    a->counters[t->kind == BASE_TASK_MAP ? RM_C_TOTAL_LAUNCHED_MAPS
                                         : RM_C_TOTAL_LAUNCHED_REDUCES]++;
    if (c->ops->on_task_started && a->in_policy)
        c->ops->on_task_started(c->policy, &a->pj, t->kind, t->index, t->node, c->now_us);
    if (a->state == RM_APP_ACCEPTED) {
        a->start_us = a->launch_us = ct->start_us;
        rm_app_set_state(c, a, RM_APP_RUNNING);
        rm_app_store_record(c, a);
    }
}

static void add_task_counters(struct rm_app *a, const int64_t *counters, int64_t sign)
{
    for (int i = 0; counters && i < BASE_TASK_COUNTERS; i++)
        a->counters[i] = sign > 0 ? base_sat_add(a->counters[i], counters[i])
                                  : base_sat_sub(a->counters[i], counters[i]);
}

/* Returns true when enough maps have succeeded for reduces to start. */
static bool slowstart_reached(const struct rm_core *c, const struct rm_app *a)
{
    const struct rm_phase *maps = &a->phase[BASE_TASK_MAP];

    return (double)maps->succeeded >= c->slowstart * (double)maps->total;
}

static void close_running_attempt(struct rm_core *c, struct rm_task *t)
{
    t->running = NULL;
    t->finish_us = c->now_us;
    if (t->next_attempt <= t->last_attempt)
        t->next_attempt = t->last_attempt + 1;
}

/* Remembers the latest attempt as one that has not succeeded. Simulations show no attempts. */
static void remember_latest_attempt(struct rm_core *c, struct rm_task *t, int32_t exit_code,
                                    bool killed)
{
    if (c->conf.simulation)
        return;
    rm_task_add_past_attempt(t, &(struct rm_past_attempt){.start_us = t->start_us,
                                                          .finish_us = c->now_us,
                                                          .container_num = t->container_num,
                                                          .node = t->node,
                                                          .number = t->last_attempt,
                                                          .exit_code = exit_code,
                                                          .killed = killed});
}

/* No task record is written, and next_attempt does not change: the attempt of the earlier instance,
 * which goes on, has a lower number. */
void rm_task_drop_running_attempt(struct rm_core *c, struct rm_app *a, struct rm_task *t)
{
    const struct rm_container *ct = t->running;

    t->running = NULL;
    remember_latest_attempt(c, t, ct->exit_code, true);
    rm_learn_report_attempt_end(c, a, t, ct, NULL, false, true);
    a->counters[t->kind == BASE_TASK_MAP ? RM_C_KILLED_MAPS : RM_C_KILLED_REDUCES]++;
    if (a->attempt_base <= t->last_attempt)
        a->attempt_base = t->last_attempt + 1;
    rm_task_set_state(a, t, RM_TASK_PENDING);
    rm_pick_mark_pending(c, a, t);
    rm_app_update_demand(c, a, t->kind);
}

void rm_task_publish_map_output(struct rm_core *c, struct rm_app *a, struct rm_task *t)
{
    base_array_grow(&a->out_log, (size_t)a->out_counter, &a->out_log_cap);
    a->out_log[a->out_counter++] = t->index;
    t->out_version = c->conf.epoch << 40 | a->out_counter;
}

void rm_task_record_success(struct rm_core *c, struct rm_app *a, struct rm_task *t,
                            struct rm_container *ct, const struct rm_container_report *r)
{
    close_running_attempt(c, t);
    t->suspended_us = ct->suspended_us;
    t->exit_code = 0;
    t->fetch_failures = 0;
    t->fetch_reduce = -1;
    free(t->diagnostics);
    t->diagnostics = NULL;
    rm_task_set_state(a, t, RM_TASK_SUCCEEDED);
    if (t->kind == BASE_TASK_MAP &&
        a->phase[BASE_TASK_MAP].succeeded == a->phase[BASE_TASK_MAP].total)
        a->pj.maps_done_us = c->now_us;
    rm_learn_report_attempt_end(c, a, t, ct, r, true, false);
    if (r->counters) {
        memcpy(rm_task_counters(a, t, true), r->counters, BASE_TASK_COUNTERS * sizeof *r->counters);
        add_task_counters(a, r->counters, 1);
    }
    if (t->kind == BASE_TASK_MAP && a->phase[BASE_TASK_REDUCE].total) {
        struct rm_effect *fx = rm_effect_add(c, RM_FX_MAP_OUTPUT);

        rm_task_publish_map_output(c, a, t);
        fx->u.map_output.id = a->id;
        fx->u.map_output.version = t->out_version;
        if (!a->phase[BASE_TASK_REDUCE].open && slowstart_reached(c, a)) {
            a->phase[BASE_TASK_REDUCE].open = true;
            rm_app_update_demand(c, a, BASE_TASK_REDUCE);
        }
    }
    rm_record_task(c, a, t);
    rm_app_update_demand(c, a, t->kind);
}

/* Withdraws the right to commit: the attempt has ended, and can no longer move its part. */
static void withdraw_commit_right(struct rm_core *c, struct rm_app *a, struct rm_task *t)
{
    if (t->commit_attempt < 0)
        return;
    t->commit_attempt = -1;
    rm_record_commit_right(c, a, t);
}

static int32_t task_attempts_limit(const struct rm_core *c, const struct rm_app *a)
{
    return a->job->max_attempts > 0 ? a->job->max_attempts : c->conf.task_attempts_max;
}

/* Makes the task avoid the node on which it failed. */
static void avoid_failed_node(struct rm_app *a, struct rm_task *t, uint32_t node)
{
    if (!a->phase[t->kind].bits)
        return;
    a->phase[t->kind].avoiding++;
    rm_task_add_avoided_node(t, node);
}

bool rm_task_record_failure(struct rm_core *c, struct rm_app *a, struct rm_task *t,
                            struct rm_container *ct, bool counts, bool killed, const char *why)
{
    bool map = t->kind == BASE_TASK_MAP, live = rm_app_is_live(a);

    close_running_attempt(c, t);
    rm_learn_report_attempt_end(c, a, t, ct, NULL, false, killed);
    t->exit_code = ct->exit_code;
    remember_latest_attempt(c, t, ct->exit_code, killed);
    rm_set_bounded_text(&t->diagnostics, why);
    if (killed)
        a->counters[map ? RM_C_KILLED_MAPS : RM_C_KILLED_REDUCES]++;
    else
        a->counters[map ? RM_C_FAILED_MAPS : RM_C_FAILED_REDUCES]++;
    t->failures += counts;
    if (!killed)
        avoid_failed_node(a, t, ct->node->index);
    withdraw_commit_right(c, a, t);
    if (t->failures >= task_attempts_limit(c, a) && live) {
        rm_task_set_state(a, t, RM_TASK_FAILED);
        rm_record_task(c, a, t);
        rm_app_update_demand(c, a, t->kind);
        return true;
    }
    rm_task_set_state(a, t, live ? RM_TASK_PENDING : RM_TASK_KILLED);
    if (live)
        rm_pick_mark_pending(c, a, t);
    rm_record_task(c, a, t);
    rm_app_update_demand(c, a, t->kind);
    return false;
}

/* Takes back the success of a map: its counters, its output, its right to commit. @failed: the
 * attempt counts as failed, otherwise as killed. @next: PENDING or FAILED. */
static void revert_succeeded_map(struct rm_core *c, struct rm_app *a, struct rm_task *t,
                                 bool failed, enum rm_task_state next, const char *why)
{
    struct base_task_id id = {a->id, BASE_TASK_MAP, t->index};
    char text[BASE_ID_TEXT_MAX];
    int64_t *counters = rm_task_counters(a, t, false);

    rm_emit_note(c, 5, "%s %s: %s", base_task_id_text(&id, text),
                 next == RM_TASK_FAILED ? "has failed" : "is run again", why);
    add_task_counters(a, counters, -1);
    if (counters)
        memset(counters, 0, BASE_TASK_COUNTERS * sizeof *counters);
    remember_latest_attempt(c, t, t->exit_code, !failed);
    t->out_version = 0;
    t->fetch_failures = 0;
    t->fetch_reduce = -1;
    rm_set_bounded_text(&t->diagnostics, why);
    withdraw_commit_right(c, a, t);
    rm_task_set_state(a, t, next);
    a->pj.maps_done_us = 0;
    if (next == RM_TASK_PENDING)
        rm_pick_mark_pending(c, a, t);
    rm_record_task(c, a, t);
    rm_app_update_demand(c, a, BASE_TASK_MAP);
}

void rm_task_rerun_map(struct rm_core *c, struct rm_app *a, struct rm_task *t, const char *why)
{
    a->counters[RM_C_KILLED_MAPS]++;
    revert_succeeded_map(c, a, t, false, RM_TASK_PENDING, why);
}

void rm_task_on_kill_attempt(struct rm_core *c, const struct rm_event *ev)
{
    const struct base_task_id *id = &ev->u.kill_attempt.task;
    struct rm_app *a = rm_app_find(c, id->app);
    struct rm_task *t = a ? rm_task_find(a, id->kind, id->index) : NULL;
    char text[BASE_ID_TEXT_MAX];

    if (!t) {
        rm_reply_error(c, ev->token, -BASE_ENOTFOUND, "task not found with id %s",
                       base_task_id_text(id, text));
        return;
    }
    if (t->running && t->last_attempt == ev->u.kill_attempt.attempt)
        rm_container_kill_or_end(c, t->running, RM_EXIT_KILLED_BY_AM,
                                 "a user has killed the task attempt");
    rm_reply(c, ev->token, RM_REPLY_OK, 0);
}

void rm_task_on_commit_request(struct rm_core *c, const struct rm_event *ev)
{
    const struct base_task_id *id = &ev->u.task_commit.task;
    struct rm_app *a = rm_app_find(c, id->app);
    struct rm_task *t = a ? rm_task_find(a, id->kind, id->index) : NULL;
    char text[BASE_ID_TEXT_MAX];
    struct rm_effect *fx;
    uint64_t after = c->seq;
    bool yes;

    if (!t && !(a && a->pruned)) {
        rm_reply_error(c, ev->token, -BASE_ENOTFOUND, "task: %s is not known",
                       base_task_id_text(id, text));
        return;
    }
    if (!t) { /* the job has ended, and its tasks were freed */
        rm_reply(c, ev->token, RM_REPLY_FLAG, 0)->u.reply.app_id = a->id;
        return;
    }
    /* The attempt may run on a node that has not registered since the takeover. A refusal would end
     * the attempt, and count as its failure. */
    if (t->state == RM_TASK_PENDING && t->commit_attempt < 0 && c->awaited > 0 &&
        rm_app_is_live(a)) {
        rm_reply_error(c, ev->token, -BASE_EAGAIN,
                       "task: %d nodes have not reported their attempts yet", c->awaited);
        return;
    }
    if (t->commit_attempt < 0 && rm_app_is_live(a) && t->running &&
        t->last_attempt == ev->u.task_commit.attempt && !t->running->killing) {
        t->commit_attempt = ev->u.task_commit.attempt;
        after = rm_record_commit_right(c, a, t);
    }
    yes = t->commit_attempt >= 0 && t->commit_attempt == ev->u.task_commit.attempt &&
          rm_app_is_live(a);
    fx = rm_reply(c, ev->token, RM_REPLY_FLAG, yes ? after : 0);
    fx->u.reply.app_id = a->id;
    fx->u.reply.flag = yes;
}

/* Returns true when the node of the latest attempt has sent a heartbeat recently: then a failed
 * fetch counts against the map, since the host is alive. */
static bool task_node_is_responsive(const struct rm_core *c, const struct rm_app *a,
                                    const struct rm_task *t)
{
    const struct rm_node *n = rm_task_latest_node(c, a, t);

    return n && n->registered && c->now_us - n->last_us <= 2 * c->conf.heartbeat_us;
}

/* A map whose output cannot be fetched from a live node has failed there: it runs elsewhere, and
 * the attempt counts as failed. The silence of a node proves nothing against the map, which then
 * runs again without a failure being counted. */
bool rm_task_take_back_unfetchable_map(struct rm_core *c, struct rm_app *a, struct rm_task *t)
{
    static const char why[] = "reduces could not fetch its output";
    bool for_good;

    if (!task_node_is_responsive(c, a, t)) {
        rm_task_rerun_map(c, a, t, why);
        return false;
    }
    t->failures++;
    a->counters[RM_C_FAILED_MAPS]++;
    avoid_failed_node(a, t, t->node);
    for_good = t->failures >= task_attempts_limit(c, a);
    revert_succeeded_map(c, a, t, true, for_good ? RM_TASK_FAILED : RM_TASK_PENDING, why);
    return for_good;
}
