/* rm/http/mapreduce/fill.c - fills in, from views of the core, jobs, tasks and attempts as
 * MapReduce shows them. SOURCE: Hadoop's MapReduce REST APIs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/acl/acl.h"
#include "base/conf/http_address.h"
#include "rm/http/mapreduce/mapreduce_internal.h"

#define MS(us)       ((us) / 1000)
#define SHUFFLE_PART (1.0 / 3) /* part of a reduce's progress, as in Hadoop */

static float to_percent(double part)
{
    return (float)(part * 100);
}

static int64_t count_elapsed_ms(const struct yarn_context *f, int64_t start_us, int64_t finish_us)
{
    int64_t end_ms = finish_us ? MS(finish_us) : f->now_ms;

    return start_us > 0 && end_ms > MS(start_us) ? end_ms - MS(start_us) : 0;
}

void mr_job_id_text(struct base_app_id id, char out[static BASE_ID_TEXT_MAX])
{
    char app[BASE_ID_TEXT_MAX];

    base_app_id_text(&id, app);
    snprintf(out, BASE_ID_TEXT_MAX, "job%s", strchr(app, '_'));
}

/* ---- jobs ---- */

/* A job whose end is being stored counts as running, as in YARN; one being killed, as killed. */
static const char *name_job_state(const struct rm_app_view *v)
{
    switch (v->state) {
    case RM_APP_FINISHED:
        return v->final_status == RM_FINAL_SUCCEEDED ? "SUCCEEDED" : "FAILED";
    case RM_APP_FAILED:
        return "FAILED";
    case RM_APP_KILLED:
    case RM_APP_KILLING:
        return "KILLED";
    case RM_APP_RUNNING:
    case RM_APP_FINAL_SAVING:
    case RM_APP_FINISHING:
        return "RUNNING";
    default:
        return "INITED";
    }
}

static struct yarn_mr_attempt_counts copy_attempt_counts(const struct rm_phase_view *p)
{
    return (struct yarn_mr_attempt_counts){.new = p->pending,
                                           .running = p->running + p->suspended,
                                           .failed = p->failed_attempts,
                                           .killed = p->killed_attempts,
                                           .successful = p->succeeded};
}

static int64_t compute_mean(int64_t sum, int64_t n)
{
    return n > 0 && sum > 0 ? sum / n : 0;
}

/* MapReduce tasks report their times; for plain commands the core's own measure is used. */
static void fill_mean_times(const struct rm_app_view *v, struct yarn_mr_job *j)
{
    const int64_t *n = v->counters;
    const struct rm_phase_view *maps = &v->phase[BASE_TASK_MAP],
                               *reduces = &v->phase[BASE_TASK_REDUCE];
    int64_t map_ms = n[BASE_COUNT_MAP_MILLIS] ? n[BASE_COUNT_MAP_MILLIS] : MS(maps->work_us);
    int64_t reduce_ms = MS(reduces->work_us);

    if (n[BASE_COUNT_REDUCE_MILLIS])
        reduce_ms =
            n[BASE_COUNT_REDUCE_MILLIS] - n[BASE_COUNT_SHUFFLE_MILLIS] - n[BASE_COUNT_MERGE_MILLIS];
    j->avg_map_ms = compute_mean(map_ms, maps->succeeded);
    j->avg_reduce_ms = compute_mean(reduce_ms, reduces->succeeded);
    j->avg_shuffle_ms = compute_mean(n[BASE_COUNT_SHUFFLE_MILLIS], reduces->succeeded);
    j->avg_merge_ms = compute_mean(n[BASE_COUNT_MERGE_MILLIS], reduces->succeeded);
}

/* Shows the job's access lists under the names of MapReduce's. */
static void fill_acls(const struct rm_job_spec *s, struct mr_job_and_texts *filled)
{
    static const char *const names[] = {"mapreduce.job.acl-view-job",
                                        "mapreduce.job.acl-modify-job"};

    for (size_t i = 0; i < 2; i++) {
        base_buf_clear(&filled->acl_texts[i]);
        base_acl_format(i == 0 ? s->acl_view : s->acl_modify, &filled->acl_texts[i]);
        filled->acls[i] = (struct yarn_mr_acl){names[i], filled->acl_texts[i].data};
    }
    filled->job.acls =
        (struct api_list){.items = filled->acls, .n = 2, .stride = sizeof filled->acls[0]};
}

void mr_job_fill(const struct yarn_context *f, const struct rm_app_view *v,
                 struct mr_job_and_texts *filled)
{
    const struct rm_phase_view *maps = &v->phase[BASE_TASK_MAP],
                               *reduces = &v->phase[BASE_TASK_REDUCE];

    mr_job_id_text(v->id, filled->id);
    filled->job = (struct yarn_mr_job){
        .submitted = MS(v->submit_us),
        .started = MS(v->start_us),
        .finished = MS(v->finish_us),
        .elapsed = count_elapsed_ms(f, v->start_us, v->finish_us),
        .id = filled->id,
        .name = v->name,
        .user = v->user,
        .queue = yarn_get_shown_queue(f, v, &filled->queue),
        .state = name_job_state(v),
        .maps_total = maps->total,
        .maps_completed = maps->succeeded,
        .reduces_total = reduces->total,
        .reduces_completed = reduces->succeeded,
        .map_progress = to_percent(maps->progress),
        .reduce_progress = to_percent(reduces->progress),
        .maps_pending = maps->pending,
        .maps_running = maps->running + maps->suspended,
        .reduces_pending = reduces->pending,
        .reduces_running = reduces->running + reduces->suspended,
        .diagnostics = v->diagnostics,
        .reduce_attempts = copy_attempt_counts(reduces),
        .map_attempts = copy_attempt_counts(maps),
    };
    fill_mean_times(v, &filled->job);
    if (f->job_acls && v->job)
        fill_acls(v->job, filled);
}

void mr_job_texts_free(struct mr_job_and_texts *filled)
{
    base_buf_free(&filled->queue);
    for (size_t i = 0; i < 2; i++)
        base_buf_free(&filled->acl_texts[i]);
}

/* ---- tasks ---- */

static const char *const types[BASE_TASK_KINDS] = {"MAP", "REDUCE"};

static const char *name_task_state(enum rm_task_state s)
{
    switch (s) {
    case RM_TASK_PENDING:
        return "SCHEDULED";
    case RM_TASK_SUSPENDED:
        return "RUNNING";
    default:
        return rm_task_state_name(s);
    }
}

static bool task_runs(const struct rm_task_view *v)
{
    return v->state == RM_TASK_RUNNING || v->state == RM_TASK_SUSPENDED;
}

/* Names the task's present or last step, as Hadoop's tasks report it. */
static const char *name_task_step(const struct rm_task_view *v)
{
    bool map = v->id.kind == BASE_TASK_MAP;

    if (v->state == RM_TASK_PENDING || (task_runs(v) && v->progress <= 0))
        return "NEW";
    if (map)
        return "map";
    return task_runs(v) && v->progress < SHUFFLE_PART ? "reduce > copy" : "reduce > reduce";
}

static void format_attempt_id(const struct base_task_id *task, int32_t number,
                              char out[static MR_ATTEMPT_ID_MAX])
{
    char text[BASE_ID_TEXT_MAX];

    base_task_id_text(task, text);
    snprintf(out, MR_ATTEMPT_ID_MAX, "attempt%s_%d", strchr(text, '_'), number);
}

void mr_task_fill(const struct yarn_context *f, const struct rm_app_view *job,
                  const struct rm_task_view *v, struct mr_task_and_texts *filled)
{
    /* a task that has not started was scheduled when its job began */
    int64_t start_us = v->first_start_us ? v->first_start_us : job->start_us;
    bool waits = v->state == RM_TASK_PENDING;
    int64_t finish_us = waits || task_runs(v) ? 0 : v->finish_us;

    base_task_id_text(&v->id, filled->id);
    filled->attempt[0] = '\0';
    if (v->state == RM_TASK_SUCCEEDED)
        format_attempt_id(&v->id, v->last_attempt, filled->attempt);
    filled->task = (struct yarn_mr_task){
        .started = MS(start_us),
        .finished = MS(finish_us),
        .elapsed = waits ? 0 : count_elapsed_ms(f, start_us, finish_us),
        .progress = to_percent(v->progress),
        .id = filled->id,
        .state = name_task_state(v->state),
        .type = types[v->id.kind],
        .successful_attempt = filled->attempt,
        .status = name_task_step(v),
    };
}

/* ---- attempts ---- */

static void fill_reduce_times(const struct rm_task_view *v, struct yarn_mr_attempt *a)
{
    const int64_t *n = v->counters;

    if (v->state != RM_TASK_SUCCEEDED || !n)
        return;
    a->shuffle_elapsed = n[BASE_COUNT_SHUFFLE_MILLIS];
    a->merge_elapsed = n[BASE_COUNT_MERGE_MILLIS];
    a->shuffle_finished = a->started + a->shuffle_elapsed;
    a->merge_finished = a->shuffle_finished + a->merge_elapsed;
    a->reduce_elapsed = a->finished > a->merge_finished ? a->finished - a->merge_finished : 0;
}

/* @address: may be NULL. */
static const char *skip_scheme(const char *address)
{
    return address ? base_http_address_host(address) : NULL;
}

static struct yarn_mr_attempt *begin_attempt(const struct rm_task_view *v, int32_t number,
                                             const struct base_container_id *container,
                                             struct mr_attempt_and_texts *filled)
{
    filled->number = number;
    format_attempt_id(&v->id, number, filled->id);
    filled->attempt =
        (struct yarn_mr_attempt){.id = filled->id, .diagnostics = "", .type = types[v->id.kind]};
    if (container) {
        base_container_id_text(container, filled->container);
        filled->attempt.container_id = filled->container;
    }
    return &filled->attempt;
}

/* Fills the attempt that runs or has succeeded. */
static void fill_latest_attempt(const struct yarn_context *f, const struct rm_task_view *v,
                                struct mr_attempt_and_texts *filled)
{
    struct yarn_mr_attempt *a =
        begin_attempt(v, v->last_attempt, v->has_container ? &v->container : NULL, filled);
    int64_t finish_us = task_runs(v) ? 0 : v->finish_us;

    a->started = MS(v->start_us);
    a->finished = MS(finish_us);
    a->elapsed = count_elapsed_ms(f, v->start_us, finish_us);
    a->progress = to_percent(v->progress);
    a->rack = v->rack;
    a->state = name_task_state(v->state);
    a->status = name_task_step(v);
    a->node_http = skip_scheme(v->node_http);
    if (v->id.kind == BASE_TASK_REDUCE)
        fill_reduce_times(v, a);
}

/* Fills an attempt that has ended without success. The task keeps the diagnostics of the last
 * one. */
static void fill_past_attempt(const struct yarn_context *f, const struct rm_task_view *v, int32_t i,
                              struct mr_attempt_and_texts *filled)
{
    const struct rm_past_attempt_view *p = &v->past[i];
    struct yarn_mr_attempt *a = begin_attempt(v, p->number, &p->container, filled);

    a->started = MS(p->start_us);
    a->finished = MS(p->finish_us);
    a->elapsed = count_elapsed_ms(f, p->start_us, p->finish_us);
    a->progress = 100; /* as Hadoop shows every attempt that has ended */
    a->rack = p->rack;
    a->state = p->killed ? "KILLED" : "FAILED";
    a->status = v->id.kind == BASE_TASK_MAP ? "map" : "reduce";
    a->node_http = skip_scheme(p->node_http);
    if (i == v->past_n - 1 && v->diagnostics[0]) {
        a->diagnostics = v->diagnostics;
    } else if (p->exit_code != RM_EXIT_INVALID && p->exit_code != 0) {
        snprintf(filled->exit, sizeof filled->exit, "Exit code: %d", p->exit_code);
        a->diagnostics = filled->exit;
    }
}

/* Fills the attempt that a pending task waits for, which has neither a container nor a start. */
static void fill_coming_attempt(const struct rm_task_view *v, struct mr_attempt_and_texts *filled)
{
    struct yarn_mr_attempt *a = begin_attempt(v, v->coming_attempt, NULL, filled);

    a->state = "STARTING";
    a->status = "NEW";
}

/* Returns true when the latest attempt is not among those that have ended without success. */
static bool latest_attempt_is_not_past(const struct rm_task_view *v)
{
    return task_runs(v) || v->state == RM_TASK_SUCCEEDED;
}

size_t mr_attempts_new(const struct yarn_context *f, const struct rm_task_view *v,
                       struct mr_attempt_and_texts **out)
{
    struct mr_attempt_and_texts *all = base_alloc(((size_t)v->past_n + 2) * sizeof *all);
    size_t n = 0;

    for (int32_t i = 0; i < v->past_n; i++)
        fill_past_attempt(f, v, i, &all[n++]);
    if (latest_attempt_is_not_past(v))
        fill_latest_attempt(f, v, &all[n++]);
    if (v->coming_attempt >= 0)
        fill_coming_attempt(v, &all[n++]);
    *out = all;
    return n;
}
