/* Plain copies for readers: applications, their attempts and containers. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "rm/core/job/job.h"
#include "rm/core/state.h"
#include "rm/core/view/view_internal.h"

/* ---------------------------------------------------------------- one application */
static void fill_phase_view(const struct rm_app *a, enum base_task_kind k, struct rm_phase_view *v)
{
    const struct rm_phase *p = &a->phase[k];

    *v = (struct rm_phase_view){
        .total = p->total, .pending = p->pending, .running = p->running, .suspended = p->suspended};
    if (!a->is_job) {
        v->pending = a->pj.phase[k].pending_tasks;
        v->running = 0;
        for (const struct rm_container *ct = a->containers; ct; ct = ct->app_next)
            v->running += !ct->master && ct->slot == k;
        v->total = v->pending + v->running;
        return;
    }
    v->succeeded = p->succeeded;
    v->failed_attempts = a->counters[k == BASE_TASK_MAP ? RM_C_FAILED_MAPS : RM_C_FAILED_REDUCES];
    v->killed_attempts = a->counters[k == BASE_TASK_MAP ? RM_C_KILLED_MAPS : RM_C_KILLED_REDUCES];
    v->work_us = a->pj.seen[k].work_us;
    v->progress = rm_job_progress(a, k);
}

/* Returns the progress of an ended plain application: a killed one is at 100 % once its master had
 * a container. SOURCE: a real YARN, tests/interop/programs. */
static double progress_of_ended_plain_app(const struct rm_app *a)
{
    const struct rm_attempt *at = rm_app_newest_attempt(a);

    if (a->final_status == RM_FINAL_SUCCEEDED ||
        (a->state == RM_APP_KILLED && at && at->has_master))
        return 1;
    return a->progress;
}

static double overall_progress(const struct rm_app *a)
{
    const struct rm_phase *p = a->phase;
    double sum = 0;
    int kinds = 0;

    if (a->is_job && a->final_status == RM_FINAL_SUCCEEDED)
        return 1;
    if (!a->is_job)
        return rm_app_state_is_final(a->state) ? progress_of_ended_plain_app(a) : a->progress;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        if (p[k].total) {
            sum += rm_job_progress(a, k);
            kinds++;
        }
    return kinds ? sum / kinds : 0;
}

static char *join_tags(struct rm_views *out, const struct rm_app *a)
{
    struct base_buf b = {0};
    char *text;

    for (size_t i = 0; a->app && i < a->app->tags.n; i++)
        base_buf_addf(&b, "%s%s", i ? "," : "", a->app->tags.v[i]);
    text = rm_view_copy_text(out, b.data ? b.data : "");
    base_buf_free(&b);
    return text;
}

static void fill_master_view(const struct rm_app *a, struct rm_app_view *v, struct rm_views *out)
{
    const struct rm_attempt *at = a->attempts_n ? &a->attempts[a->attempts_n - 1] : NULL;

    if (!at)
        return;
    v->has_attempt = true;
    v->attempt_state = at->state;
    if (at->master)
        v->am_used = at->master->resource;
    if (at->has_master) {
        v->has_master = true;
        v->master_container = at->master_id;
        v->master_node_id = rm_view_copy_text(out, at->node_id);
        v->master_node_http = rm_view_copy_text(out, at->node_http);
    }
    if (at->registered) {
        v->master_host = rm_view_copy_text(out, at->host);
        v->master_rpc_port = at->rpc_port;
    }
    v->original_tracking_url = rm_view_copy_text(out, at->tracking_url);
    v->tracking_url = v->original_tracking_url;
}

static bool is_in_scheduler(const struct rm_app *a)
{
    return a->state == RM_APP_ACCEPTED || a->state == RM_APP_RUNNING || a->state == RM_APP_KILLING;
}

static void add_reserved_request(const struct rm_core *c, const struct rm_app *a,
                                 enum base_task_kind k, struct rm_app_view *v)
{
    struct rm_res r = rm_resource_of_slots(c, k, a->wide[k].slots);

    for (int i = 0; i < RM_RES_NAMES; i++)
        v->reserved.v[i] += r.v[i];
}

static void fill_usage(const struct rm_core *c, const struct rm_app *a, struct rm_app_view *v)
{
    int64_t memory = a->memory_ms, vcores = a->vcore_ms;

    v->allocated.v[RM_RES_MAP_SLOTS] = v->allocated.v[RM_RES_REDUCE_SLOTS] = 0;
    for (const struct rm_container *ct = a->containers; ct; ct = ct->app_next) {
        memory = base_sat_add(
            memory, rm_held_ms(ct->resource.v[RM_RES_MEMORY_MB], c->now_us - ct->start_us));
        vcores = base_sat_add(vcores,
                              rm_held_ms(ct->resource.v[RM_RES_VCORES], c->now_us - ct->start_us));
        if (!ct->suspended_at_us && !ct->on_master_slots)
            v->allocated.v[RM_RES_MAP_SLOTS + ct->slot] += ct->slots;
    }
    for (enum base_task_kind k = 0; a->in_policy && k < BASE_TASK_KINDS; k++) {
        for (int r = RM_RES_MEMORY_MB; r <= RM_RES_VCORES; r++)
            v->pending.v[r] += a->pj.phase[k].pending * c->conf.slot_res[k].v[r];
        v->pending.v[k == BASE_TASK_MAP ? RM_RES_MAP_SLOTS : RM_RES_REDUCE_SLOTS] =
            a->pj.phase[k].pending;
        if (a->wide[k].node)
            add_reserved_request(c, a, k, v);
    }
    v->memory_seconds = memory / 1000;
    v->vcore_seconds = vcores / 1000;
}

static int32_t shown_attempts_number(const struct rm_app *a)
{
    if (a->is_job)
        return a->state >= RM_APP_ACCEPTED;
    return a->attempts_n ? a->attempts[a->attempts_n - 1].id.attempt : 0;
}

static void copy_app(const struct rm_core *c, const struct rm_app *a, struct rm_views *out)
{
    struct rm_app_view *v;

    out->apps = rm_view_array_reserve_one(out->apps, out->apps_n, sizeof *out->apps);
    v = &out->apps[out->apps_n++];
    *v = (struct rm_app_view){
        .id = a->id,
        .is_job = a->is_job,
        .unmanaged = a->app && a->app->unmanaged,
        .user = rm_view_copy_text(out, a->user),
        .name = rm_view_copy_text(out, a->name),
        .queue = rm_view_copy_text(out, a->queue),
        .type = rm_view_copy_text(out, a->type),
        .tags = join_tags(out, a),
        .result = rm_app_result(a),
        .progress = overall_progress(a),
        .diagnostics = rm_view_copy_text(out, a->diagnostics ? a->diagnostics : ""),
        .attempts_n = shown_attempts_number(a),
        .deadline_us = a->pj.deadline_us > 0 ? a->pj.submit_us + a->pj.deadline_us : 0,
        .finish_us = rm_app_state_is_final(a->state) ? a->finish_us : 0,
        .allocated = a->allocated,
        .held = is_in_scheduler(a),
        .has_attempt = a->is_job && a->state >= RM_APP_ACCEPTED,
        .job = rm_job_spec_ref(a->job),
        .app = rm_app_spec_ref(a->app)};
#define COPY(type, name, from) v->name = from;
    RM_APP_FIGURES(COPY)
#undef COPY
    /* the final status is not shown before it is durable */
    if (!rm_app_state_is_final(a->state) && a->state != RM_APP_FINISHING)
        v->final_status = RM_FINAL_UNDEFINED;
    fill_usage(c, a, v);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        fill_phase_view(a, k, &v->phase[k]);
    if (a->is_job && a->phase[BASE_TASK_REDUCE].total)
        v->shuffle_progress = ((double)a->phase[BASE_TASK_REDUCE].succeeded +
                               (double)a->phase[BASE_TASK_REDUCE].shuffle / RM_PROGRESS_ONE) /
                              a->phase[BASE_TASK_REDUCE].total;
    v->tasks_gone =
        a->pruned && !a->phase[BASE_TASK_MAP].tasks && !a->phase[BASE_TASK_REDUCE].tasks;
    memcpy(v->counters, a->counters, sizeof v->counters);
    fill_master_view(a, v, out);
}

int rm_view_app(const struct rm_core *c, struct base_app_id id, struct rm_views *out)
{
    const struct rm_app *a = rm_app_find(c, id);

    if (!a)
        return -BASE_ENOTFOUND;
    copy_app(c, a, out);
    return 0;
}

/* ---------------------------------------------------------------- lists */
/* Returns true when @s is one of the @n texts, compared without case, or there are none. */
static bool is_in_list_or_list_is_empty(const char *s, const char *const *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcasecmp(s, v[i]) == 0)
            return true;
    return n == 0;
}

static bool tags_match(const struct rm_app *a, const struct rm_app_filter *f)
{
    for (size_t i = 0; a->app && i < a->app->tags.n; i++)
        if (f->tags_n && is_in_list_or_list_is_empty(a->app->tags.v[i], f->tags, f->tags_n))
            return true;
    return f->tags_n == 0;
}

static bool is_within(int64_t t, int64_t begin, int64_t end)
{
    return t >= begin && (!end || t <= end);
}

static const char *strip_root_prefix(const char *q)
{
    return strncmp(q, "root.", 5) == 0 ? q + 5 : q;
}

static bool app_has_text(const struct rm_app *a, const char *text)
{
    char id[BASE_ID_TEXT_MAX];

    return strcasestr(a->name, text) || strcasestr(a->user, text) || strcasestr(a->queue, text) ||
           strcasestr(a->type, text) || strcasestr(base_app_id_text(&a->id, id), text);
}

static bool app_matches_filter(const struct rm_app *a, const struct rm_app_filter *f)
{
    int64_t finish = rm_app_state_is_final(a->state) ? a->finish_us : 0;

    if (f->states && !(f->states & UINT32_C(1) << rm_app_public_state(a->state, a->state_before)))
        return false;
    if (f->results && !(f->results & UINT32_C(1) << rm_app_result(a)))
        return false;
    if ((f->user && strcmp(f->user, a->user) != 0) || (f->name && strcmp(f->name, a->name) != 0))
        return false;
    if (f->queue && strcmp(strip_root_prefix(f->queue), strip_root_prefix(a->queue)) != 0)
        return false;
    return is_in_list_or_list_is_empty(a->type, f->types, f->types_n) && tags_match(a, f) &&
           is_within(a->submit_us, f->started_begin_us, f->started_end_us) &&
           is_within(finish, f->finished_begin_us, f->finished_end_us) &&
           (!f->jobs_only || a->is_job) && (!f->text || app_has_text(a, f->text));
}

bool rm_view_apps(const struct rm_core *c, const struct rm_app_filter *f,
                  const struct base_app_id *before, size_t max, struct rm_views *out,
                  struct base_app_id *cursor)
{
    static const struct rm_app_filter any;
    size_t at = c->apps_n, low = 0, look = BASE_VIEW_CHUNK * 5;

    while (before && low < at) { /* applications from @at on are not older than @before */
        size_t mid = low + (at - low) / 2;

        if (base_app_id_cmp(&c->apps[mid]->id, before) < 0)
            low = mid + 1;
        else
            at = mid;
    }
    f = f ? f : &any;
    for (; at > 0 && max && look; look--) {
        const struct rm_app *a = c->apps[--at];

        *cursor = a->id;
        if (app_matches_filter(a, f)) {
            copy_app(c, a, out);
            max--;
        }
    }
    return at > 0;
}

/* ---------------------------------------------------------------- attempts */
static enum rm_attempt_state job_attempt_state(const struct rm_app *a)
{
    switch (a->state) {
    case RM_APP_FINISHED:
    case RM_APP_FINISHING:
        return RM_ATTEMPT_FINISHED;
    case RM_APP_FAILED:
        return RM_ATTEMPT_FAILED;
    case RM_APP_KILLED:
        return RM_ATTEMPT_KILLED;
    case RM_APP_FINAL_SAVING:
        return RM_ATTEMPT_FINAL_SAVING;
    case RM_APP_RUNNING:
    case RM_APP_KILLING:
        return RM_ATTEMPT_RUNNING;
    default:
        return RM_ATTEMPT_LAUNCHED;
    }
}

static struct rm_attempt_view *append_attempt_view(struct rm_views *out)
{
    out->attempts =
        rm_view_array_reserve_one(out->attempts, out->attempts_n, sizeof *out->attempts);
    return &out->attempts[out->attempts_n++];
}

static void copy_attempt(const struct rm_app *a, const struct rm_attempt *at, struct rm_views *out)
{
    *append_attempt_view(out) = (struct rm_attempt_view){
        .id = at->id,
        .state = at->state,
        .state_before = at->state_before,
        .start_us = at->start_us,
        .finish_us = at->finish_us,
        .container = at->master_id,
        .has_container = at->has_master,
        .node_id = rm_view_copy_text(out, at->node_id),
        .node_http = rm_view_copy_text(out, at->node_http),
        .host = rm_view_copy_text(out, at->host),
        .tracking_url = rm_view_copy_text(out, at->tracking_url),
        .original_tracking_url = rm_view_copy_text(out, at->tracking_url),
        .diagnostics = rm_view_copy_text(out, at->diagnostics ? at->diagnostics : ""),
        .user = rm_view_copy_text(out, a->user),
        .rpc_port = at->rpc_port};
}

int rm_view_attempts(const struct rm_core *c, struct base_app_id id, struct rm_views *out)
{
    const struct rm_app *a = rm_app_find(c, id);

    if (!a)
        return -BASE_ENOTFOUND;
    for (int32_t i = 0; i < a->attempts_n; i++)
        copy_attempt(a, &a->attempts[i], out);
    if (a->is_job && a->state >= RM_APP_ACCEPTED)
        *append_attempt_view(out) = (struct rm_attempt_view){
            .id = {a->id, 1},
            .state = job_attempt_state(a),
            .state_before =
                a->state_before == RM_APP_RUNNING ? RM_ATTEMPT_RUNNING : RM_ATTEMPT_LAUNCHED,
            .start_us = a->submit_us,
            .finish_us = rm_app_state_is_final(a->state) ? a->finish_us : 0,
            .diagnostics = rm_view_copy_text(out, a->diagnostics ? a->diagnostics : ""),
            .user = rm_view_copy_text(out, a->user)};
    return 0;
}

/* ---------------------------------------------------------------- containers */
static void copy_container(const struct rm_app *a, const struct rm_container *ct,
                           struct rm_views *out)
{
    struct rm_container_view *v;

    out->containers =
        rm_view_array_reserve_one(out->containers, out->containers_n, sizeof *out->containers);
    v = &out->containers[out->containers_n++];
    *v = (struct rm_container_view){
        .id = ct->id,
        .state = ct->state,
        .slot = ct->slot,
        .resource = ct->resource,
        .node_id = rm_view_copy_text(out, ct->node->id),
        .node_http = rm_view_copy_text(out, ct->node->http),
        .user = rm_view_copy_text(out, a->user),
        .diagnostics = rm_view_copy_text(out, ct->diagnostics ? ct->diagnostics : ""),
        .priority = ct->priority,
        .exit_code = ct->exit_code,
        .start_us = ct->start_us,
        .finish_us = ct->finish_us,
        .progress = (float)ct->progress / RM_PROGRESS_ONE,
        .has_task = ct->task != NULL,
        .master = ct->master,
        .on_master_slots = ct->on_master_slots,
        .task_attempt = ct->task_attempt};
    if (ct->task)
        v->task = (struct base_task_id){a->id, ct->task->kind, ct->task->index};
}

static int compare_container_view_ids(const void *a, const void *b)
{
    return base_container_id_cmp(&((const struct rm_container_view *)a)->id,
                                 &((const struct rm_container_view *)b)->id);
}

int rm_view_containers(const struct rm_core *c, struct base_attempt_id id, struct rm_views *out)
{
    const struct rm_app *a = rm_app_find(c, id.app);
    size_t first = out->containers_n;

    if (!a)
        return -BASE_ENOTFOUND;
    for (const struct rm_container *ct = a->containers; ct; ct = ct->app_next)
        if (!id.attempt || ct->id.attempt.attempt == id.attempt)
            copy_container(a, ct, out);
    if (out->containers_n > first)
        qsort(out->containers + first, out->containers_n - first, sizeof *out->containers,
              compare_container_view_ids);
    return 0;
}

int rm_view_container(const struct rm_core *c, const struct base_container_id *id,
                      struct rm_views *out)
{
    const struct rm_container *ct = rm_container_find(c, id);

    if (!ct)
        return -BASE_ENOTFOUND;
    copy_container(ct->app, ct, out);
    return 0;
}

int rm_view_newest_containers(const struct rm_core *c, struct base_attempt_id id,
                              const struct base_container_id *after, size_t max,
                              struct rm_views *out, struct base_container_id *cursor, bool *more)
{
    const struct rm_app *a = rm_app_find(c, id.app);
    const struct rm_container *last = after ? rm_container_find(c, after) : NULL, *ct;

    if (!a || (after && (!last || last->app != a)))
        return -BASE_ENOTFOUND;
    ct = last ? last->app_next : a->containers;
    for (int look = BASE_VIEW_CHUNK * 5; ct && max && look; ct = ct->app_next, look--) {
        *cursor = ct->id;
        if (id.attempt && ct->id.attempt.attempt != id.attempt)
            continue;
        copy_container(a, ct, out);
        max--;
    }
    *more = ct != NULL;
    return 0;
}
