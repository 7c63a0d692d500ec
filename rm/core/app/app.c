/* What jobs and plain applications have in common: the table of all applications, their states,
 * and what policies see of them. Where the two differ, this file calls the functions of the kind
 * (rm/core/app/kind.h). */
#include "rm/core/app/app.h"

#include <stdlib.h>
#include <string.h>

#include "rm/core/app/kind.h"
#include "rm/core/emit.h"
#include "rm/core/ledger.h"
#include "rm/core/record/app_record.h"
#include "rm/core/state.h"

static uint64_t hash_app_id(struct base_app_id id)
{
    return base_hash_mix((uint64_t)id.cluster_ts * UINT64_C(0x9e3779b97f4a7c15) ^
                         (uint64_t)(uint32_t)id.seq);
}

static bool app_has_id(const void *object, const void *key)
{
    const struct rm_app *a = object;
    const struct base_app_id *id = key;

    return a->id.seq == id->seq && a->id.cluster_ts == id->cluster_ts;
}

struct rm_app *rm_app_find(const struct rm_core *c, struct base_app_id id)
{
    return base_map_find(&c->apps_by_id, hash_app_id(id), app_has_id, &id);
}

/* Returns the index of @id in the array of applications, which is sorted by id, or the index at
 * which it would have to be inserted. */
static size_t sorted_app_index(const struct rm_core *c, struct base_app_id id)
{
    size_t low = 0, high = c->apps_n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (base_app_id_cmp(&c->apps[mid]->id, &id) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Returns true for an id that new-application can have issued: any up to the newest one of this
 * instance, and any with the start time of another instance. */
static bool app_id_was_issued(const struct rm_core *c, struct base_app_id id)
{
    return id.cluster_ts != c->conf.cluster_ts_ms || id.seq <= c->next_app;
}

bool rm_app_assign_or_check_id(struct rm_core *c, uint64_t token, struct base_app_id *id)
{
    char text[BASE_ID_TEXT_MAX];

    if (id->seq && !app_id_was_issued(c, *id)) {
        rm_reply_error(c, token, -BASE_EINVAL, "id: %s was not given by new-application",
                       base_app_id_text(id, text));
        return false;
    }
    if (!id->seq && c->next_app == INT32_MAX) {
        rm_reply_error(c, token, -BASE_ELIMIT,
                       "no application ids are left until the ResourceManager is restarted");
        return false;
    }
    if (!id->seq)
        *id = (struct base_app_id){c->conf.cluster_ts_ms, ++c->next_app};
    return true;
}

void rm_app_set_deadline_from_spec(struct rm_app *a)
{
    const struct rm_job_spec *job = a->job;

    if (!job) {
        a->pj.deadline_us = a->app->deadline_us;
        return;
    }
    a->pj.deadline_us = job->deadline_us;
    if (job->deadline_at_us) /* clamped: 0 would mean none */
        a->pj.deadline_us =
            job->deadline_at_us > a->submit_us ? job->deadline_at_us - a->submit_us : 1;
}

void rm_app_set_policy_sizes(struct rm_app *a)
{
    const struct rm_job_spec *s = a->job;

    int32_t width = s->slots > 1 ? s->slots : 1;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        a->pj.width[k] = a->pj.widest[k] = width;
        a->pj.size[k] = (struct policy_size){.bytes = s->known[k].bytes,
                                             .bytes_max = s->known[k].bytes_max,
                                             .true_us = s->known[k].true_us};
    }
    for (size_t i = 0; i < s->splits_n; i++) {
        struct policy_size *z = &a->pj.size[BASE_TASK_MAP];

        z->bytes = base_sat_add(z->bytes, s->splits[i].length);
        z->bytes_max = s->splits[i].length > z->bytes_max ? s->splits[i].length : z->bytes_max;
    }
    for (size_t g = 0; g < s->groups_n; g++) {
        struct policy_size *z = &a->pj.size[s->groups[g].kind];

        z->given_us = base_sat_add(
            z->given_us, base_sat_mul(s->groups[g].expected_us * width, s->groups[g].count));
        z->given_max_us =
            s->groups[g].expected_us > z->given_max_us ? s->groups[g].expected_us : z->given_max_us;
    }
}

int32_t rm_app_cap_priority(const struct rm_core *c, int32_t priority)
{
    return priority < c->conf.app_priority_max ? priority : c->conf.app_priority_max;
}

static void borrow_texts_of_spec(struct rm_app *a)
{
    const struct rm_job_spec *job = a->job;
    const struct rm_app_spec *spec = a->app;

    a->user = job ? job->user : spec->user;
    a->name = job ? job->name : spec->name;
    a->queue_asked = job ? job->queue : spec->queue;
    a->json = job ? job->json : spec->json;
    a->json = a->json ? a->json : "";
    a->user = a->user ? a->user : "";
    a->name = a->name ? a->name : "";
}

void rm_app_replace_job_spec(struct rm_app *a, struct rm_job_spec *spec)
{
    struct rm_job_spec *old = a->job;
    bool borrowed = a->queue == a->queue_asked;

    a->job = spec;
    borrow_texts_of_spec(a);
    if (borrowed)
        a->queue = a->queue_asked;
    rm_job_spec_unref(old);
    rm_app_set_policy_sizes(a);
}

struct rm_app *rm_app_new(struct rm_core *c, const struct rm_app_kind *kind, struct base_app_id id,
                          struct rm_job_spec *job, struct rm_app_spec *spec, const char *token)
{
    struct rm_app *a = base_alloc(sizeof *a);
    size_t at = sorted_app_index(c, id), n;
    uint32_t user;

    a->id = id;
    a->refs = 1;
    a->kind = kind;
    a->is_job = job != NULL;
    a->job = job;
    a->app = spec;
    borrow_texts_of_spec(a);
    a->queue = a->queue_asked;
    a->step = (struct rm_step){.attempt = -1};
    a->type = job ? "MAPREDUCE" : spec->type;
    a->type = a->type ? a->type : "YARN";
    a->submit_us = c->now_us;
    a->state = a->state_before = RM_APP_NEW;
    a->epoch = c->conf.epoch;
    a->next_num = 2; /* Number 1 would be the master's, and a job has none. */
    a->queue_index = RM_NONE;
    n = token ? strnlen(token, sizeof a->token - 1) : 0;
    memcpy(a->token, token ? token : "", n);
    a->timer = (struct rm_timer){.kind = job ? RM_TIMER_JOB_ABORT : RM_TIMER_AM, .owner = a};
    a->lifetime_timer = (struct rm_timer){.kind = RM_TIMER_LIFETIME, .owner = a};
    a->priority = job ? job->priority : rm_app_cap_priority(c, spec->priority);
    user = rm_names_add_bounded(&c->users, a->user, RM_NAMES_MAX);
    if (user == RM_NONE)
        user = rm_names_add(&c->users, "");
    a->pj = (struct policy_job){.is_job = job != NULL,
                                .weight = job && job->weight > 0 ? job->weight : 1,
                                .submit_us = a->submit_us,
                                .cluster_ts = id.cluster_ts,
                                .seq = id.seq,
                                .priority = job || a->priority > 0 ? a->priority : 0,
                                .user = (int32_t)user};
    if (spec) {
        a->label = rm_labels_find_or_add(&c->labels, spec->label);
        a->am_label = spec->am_label ? rm_labels_find_or_add(&c->labels, spec->am_label) : a->label;
        a->names_labels = a->label || a->am_label;
        a->master_slots = rm_slots_for_resource(c, BASE_TASK_MAP, &spec->resource);
        a->mapreduce.applies = strcmp(a->type, "MAPREDUCE") == 0;
    }
    rm_app_set_deadline_from_spec(a);
    if (job)
        rm_app_set_policy_sizes(a);
    base_array_grow(&c->apps, c->apps_n, &c->apps_cap);
    memmove(c->apps + at + 1, c->apps + at, (c->apps_n - at) * sizeof *c->apps);
    c->apps[at] = a;
    c->apps_n++;
    base_map_add(&c->apps_by_id, hash_app_id(id), a);
    if (id.cluster_ts == c->conf.cluster_ts_ms && id.seq > c->next_app)
        c->next_app = id.seq;
    c->stats.submitted++;
    a->is_listed_live = true;
    a->live_next = c->live;
    if (c->live)
        c->live->live_prev = a;
    c->live = a;
    return a;
}

void rm_app_leave_live_list(struct rm_core *c, struct rm_app *a)
{
    if (!a->is_listed_live)
        return;
    a->is_listed_live = false;
    if (a->live_prev)
        a->live_prev->live_next = a->live_next;
    else
        c->live = a->live_next;
    if (a->live_next)
        a->live_next->live_prev = a->live_prev;
    a->live_prev = a->live_next = NULL;
}

void rm_app_remove_from_tables(struct rm_core *c, struct rm_app *a)
{
    size_t at = sorted_app_index(c, a->id);

    memmove(c->apps + at, c->apps + at + 1, (c->apps_n - at - 1) * sizeof *c->apps);
    c->apps_n--;
    base_map_remove(&c->apps_by_id, hash_app_id(a->id), a);
}

void rm_app_free(struct rm_app *a)
{
    rm_split_page_free(a->step.coming);
    free(a->step.why);
    rm_tasks_free(a);
    rm_app_free_attempts_and_asks(a);
    rm_job_spec_unref(a->job);
    rm_app_spec_unref(a->app);
    free(a->diagnostics);
    free(a->placed);
    free(a->label_demand);
    free(a->nodes);
    free(a);
}

void rm_app_unref(struct rm_app *a)
{
    base_assert(a->refs > 0);
    if (--a->refs == 0)
        rm_app_free(a);
}

void rm_app_set_state(struct rm_core *c, struct rm_app *a, enum rm_app_state s)
{
    base_assert(rm_app_transition_is_legal(a->state, s));
    rm_ledger_count_app_state(c, a, s);
    if (s == RM_APP_KILLING || (s == RM_APP_FINAL_SAVING && a->state != RM_APP_KILLING))
        a->state_before = a->state;
    a->state = s;
}

void rm_app_store_record(struct rm_core *c, struct rm_app *a)
{
    a->saved_seq = rm_record_app(c, a);
}

void rm_app_enter_policy(struct rm_core *c, struct rm_app *a)
{
    if (a->in_policy)
        return;
    a->in_policy = true;
    c->policy_jobs++;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        const struct policy_phase none = {0}, now = a->kind->demand(a, k);

        /* the tasks of jobs are counted when they may start */
        a->pj.phase[k] = a->is_job ? (struct policy_phase){.total = now.total} : now;
        rm_ledger_count_demand(c, a, k, &none, &a->pj.phase[k]);
    }
    if (a->is_job && !a->phase[BASE_TASK_MAP].total)
        /* not now_us: after a restart its reduces may have been running for a while */
        a->pj.maps_done_us = a->submit_us;
    a->pj.reservation = rm_reservation_usable_by_app(c, a);
    c->ops->on_job_arrived(c->policy, &a->pj, c->now_us);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        rm_app_update_demand(c, a, k);
}

void rm_app_leave_policy(struct rm_core *c, struct rm_app *a)
{
    if (!a->in_policy)
        return;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        const struct policy_phase none = {0};

        rm_ledger_count_demand(c, a, k, &a->pj.phase[k], &none);
        rm_node_forget_wide_request(c, a, k);
    }
    a->in_policy = false;
    if (a->names_labels)
        rm_labels_update_demand(c, a);
    c->policy_jobs--;
    c->master_slots.ask_policy = true; /* the policy may let another application start */
    c->ops->on_job_left(c->policy, &a->pj, c->now_us);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        a->pj.phase[k] = (struct policy_phase){0};
    a->pj.reservation = NULL;
    delay_remove_job(&c->delay, &a->delay);
}

void rm_app_update_demand(struct rm_core *c, struct rm_app *a, enum base_task_kind k)
{
    struct policy_phase *p = &a->pj.phase[k], old = *p;

    if (!a->in_policy)
        return;
    *p = a->kind->demand(a, k);
    if (a->names_labels)
        rm_labels_update_demand(c, a);
    rm_ledger_count_demand(c, a, k, &old, p);
    if (p->pending > old.pending) {
        c->offer_all[k] = true;
        c->preempt_all = c->preempt_all || (!old.pending && c->ops->victims);
    }
    if ((a->wide[k].node || a->wide[k].lost) &&
        (a->pj.widest[k] <= 1 || (p->pending <= 0 && p->suspended <= 0)))
        rm_node_forget_wide_request(c, a, k);
    c->ops->on_job_changed(c->policy, &a->pj, k);
}

bool rm_app_admission_was_refused(const struct rm_app *a)
{
    return (a->is_job || a->pj.deadline_us > 0) && a->diagnostics &&
           strncmp(a->diagnostics, RM_REFUSED, sizeof RM_REFUSED - 1) == 0;
}

bool rm_app_was_refused(const struct rm_app *a)
{
    return a->final_status == RM_FINAL_FAILED && rm_app_admission_was_refused(a);
}

enum rm_result rm_app_result(const struct rm_app *a)
{
    if (!rm_app_state_is_final(a->state) && a->state != RM_APP_FINISHING)
        return RM_RESULT_NONE;
    if (rm_app_was_refused(a))
        return RM_RESULT_REFUSED;
    if (a->final_status == RM_FINAL_SUCCEEDED)
        return RM_RESULT_SUCCEEDED;
    if (a->final_status == RM_FINAL_KILLED || a->state == RM_APP_KILLED)
        return RM_RESULT_KILLED;
    return a->final_status == RM_FINAL_FAILED || a->state == RM_APP_FAILED ? RM_RESULT_FAILED
                                                                           : RM_RESULT_ENDED;
}

void rm_app_begin_final_save(struct rm_core *c, struct rm_app *a, enum rm_app_state target,
                             enum rm_final_status status, const char *diagnostics)
{
    if (a->state == RM_APP_FINAL_SAVING)
        return;
    rm_app_leave_policy(c, a);
    rm_timer_cancel(&c->timers, &a->lifetime_timer);
    a->target = target;
    a->final_status = status;
    a->finish_us = c->now_us;
    if (diagnostics)
        rm_set_bounded_text(&a->diagnostics, diagnostics);
    rm_app_set_state(c, a, RM_APP_FINAL_SAVING);
    rm_app_store_record(c, a);
    rm_defer_until_stored(c, a->saved_seq, RM_ACK_APP_FINAL, a, 0);
}

int32_t rm_app_master_attempts_limit(const struct rm_core *c, const struct rm_app *a)
{
    int32_t max = a->app->max_attempts;

    return max > 0 && max < c->conf.am_attempts_max ? max : c->conf.am_attempts_max;
}

void rm_app_accept_stored_submission(struct rm_core *c, struct rm_app *a)
{
    if (a->state != RM_APP_NEW_SAVING)
        return; /* Killed in the meantime. */
    rm_app_set_state(c, a, RM_APP_SUBMITTED);
    a->kind->accepted(c, a);
}

void rm_apps_accept_recovered_unless_held(struct rm_core *c)
{
    for (size_t i = 0; i < c->apps_n; i++)
        if (c->apps[i]->state == RM_APP_NEW_SAVING &&
            !(c->apps[i]->held && c->apps[i]->pj.deadline_us > 0 &&
              !rm_app_needs_setup(c->apps[i], &c->conf)))
            rm_app_accept_stored_submission(c, c->apps[i]);
}

void rm_app_enter_final_state(struct rm_core *c, struct rm_app *a)
{
    if (a->state != RM_APP_FINAL_SAVING)
        return;
    rm_app_set_state(c, a, a->target);
    a->kind->final_stored(c, a);
}
