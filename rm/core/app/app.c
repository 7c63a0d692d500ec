/* Applications of both kinds: table, states, end, kill, what policies see of them. */
#include <stdlib.h>
#include <string.h>

#include "rm/core/state.h"

static uint64_t id_hash(struct base_app_id id)
{
    return rm_hash_mix((uint64_t)id.cluster_ts * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)(uint32_t)id.seq);
}

static bool id_eq(const void *object, const void *key)
{
    const struct rm_app *a = object;
    const struct base_app_id *id = key;

    return a->id.seq == id->seq && a->id.cluster_ts == id->cluster_ts;
}

struct rm_app *rm_app_find(const struct rm_core *c, struct base_app_id id)
{
    return rm_map_find(&c->apps_by_id, id_hash(id), id_eq, &id);
}

void rm_queues_sync(struct rm_core *c)
{
    if (c->queues_n == c->tree.n)
        return;
    c->queues = base_realloc_array(c->queues, c->tree.n, sizeof *c->queues);
    memset(c->queues + c->queues_n, 0, (c->tree.n - c->queues_n) * sizeof *c->queues);
    c->queues_n = c->tree.n;
    if (c->ops && c->ops->on_queues)
        c->ops->on_queues(c->policy, c->now_us);
}

int rm_queue_place(struct rm_core *c, const char *queue, const char *user, const struct rm_str_list *groups,
                   uint32_t *index, struct base_error *err)
{
    int32_t at = -1;
    int rc = policy_queues_place(&c->tree, queue, user ? user : "", (const char *const *)groups->v, groups->n, &at,
                                 err);

    *index = rc < 0 ? RM_NONE : (uint32_t)at;
    rm_queues_sync(c);
    return rc;
}

void rm_queues_on_set(struct rm_core *c, const struct rm_event *ev)
{
    size_t before = c->tree.n;

    policy_queues_replace(&c->tree, ev->u.queues.queues);
    rm_queues_sync(c);
    if (c->tree.n == before && c->ops->on_queues)
        c->ops->on_queues(c->policy, c->now_us);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        c->offer_all[k] = true;
    rm_note(c, 6, "%zu queues are configured now", c->tree.n);
    rm_reply(c, ev->token, RM_REPLY_OK, 0);
}

/* Where @id is or would be among the applications in order of id. */
static size_t position(const struct rm_core *c, struct base_app_id id)
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

/* Ids of this instance come from new-application; those that an earlier one gave may still be used. */
static bool given(const struct rm_core *c, struct base_app_id id)
{
    return id.cluster_ts != c->conf.cluster_ts_ms || id.seq <= c->next_app;
}

bool rm_app_take_id(struct rm_core *c, uint64_t token, struct base_app_id *id)
{
    char text[BASE_ID_TEXT_MAX];

    if (id->seq && !given(c, *id)) {
        rm_reply_error(c, token, -BASE_EINVAL, "id: %s was not given by new-application", base_app_id_text(id, text));
        return false;
    }
    if (!id->seq && c->next_app == INT32_MAX) {
        rm_reply_error(c, token, -BASE_ELIMIT, "no application ids are left until the ResourceManager is restarted");
        return false;
    }
    if (!id->seq)
        *id = (struct base_app_id){c->conf.cluster_ts_ms, ++c->next_app};
    return true;
}

/* Of a job read back from the store it may have passed: clamp it to 1 us, as 0 would mean none. */
static int64_t relative_deadline(const struct rm_job_spec *job, int64_t submit_us)
{
    if (!job->deadline_at_us)
        return job->deadline_us;
    return job->deadline_at_us > submit_us ? job->deadline_at_us - submit_us : 1;
}

/* What the submission says about its tasks. */
static void set_sizes(struct rm_app *a)
{
    const struct rm_job_spec *s = a->job;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        a->pj.size[k] = (struct policy_size){
            .bytes = s->known[k].bytes, .bytes_max = s->known[k].bytes_max, .true_us = s->known[k].true_us};
    for (size_t i = 0; i < s->splits_n; i++) {
        struct policy_size *z = &a->pj.size[BASE_TASK_MAP];

        z->bytes = base_sat_add(z->bytes, s->splits[i].length);
        z->bytes_max = s->splits[i].length > z->bytes_max ? s->splits[i].length : z->bytes_max;
    }
    for (size_t g = 0; g < s->groups_n; g++) {
        struct policy_size *z = &a->pj.size[s->groups[g].kind];

        z->given_us = base_sat_add(z->given_us, base_sat_mul(s->groups[g].expected_us, s->groups[g].count));
        z->given_max_us = s->groups[g].expected_us > z->given_max_us ? s->groups[g].expected_us : z->given_max_us;
    }
}

struct rm_app *rm_app_new(struct rm_core *c, struct base_app_id id, struct rm_job_spec *job, struct rm_app_spec *spec,
                          const char *token)
{
    struct rm_app *a = base_alloc(sizeof *a);
    size_t at = position(c, id), n;
    uint32_t user;

    a->id = id;
    a->refs = 1;
    a->is_job = job != NULL;
    a->job = job;
    a->app = spec;
    a->user = job ? job->user : spec->user;
    a->name = job ? job->name : spec->name;
    a->queue = job ? job->queue : spec->queue;
    a->type = job ? "MAPREDUCE" : spec->type;
    a->user = a->user ? a->user : "";
    a->name = a->name ? a->name : "";
    a->type = a->type ? a->type : "YARN";
    a->submit_us = c->now_us;
    a->state = a->state_before = RM_APP_NEW;
    a->epoch = c->conf.epoch;
    a->next_num = 2; /* 1 would be the master's: a job has none */
    a->queue_index = RM_NONE;
    n = token ? strnlen(token, sizeof a->token - 1) : 0;
    memcpy(a->token, token ? token : "", n);
    a->timer = (struct rm_timer){.kind = RM_TIMER_AM, .owner = a};
    user = rm_names_add_up_to(&c->users, a->user, RM_NAMES_MAX);
    if (user == RM_NONE)
        user = rm_names_add(&c->users, "");
    a->pj = (struct policy_job){.is_job = job != NULL,
                                .weight = job && job->weight > 0 ? job->weight : 1,
                                .submit_us = a->submit_us,
                                .cluster_ts = id.cluster_ts,
                                .seq = id.seq,
                                .priority = job ? job->priority : spec->priority > 0 ? spec->priority : 0,
                                .user = (int32_t)user,
                                .deadline_us = job ? relative_deadline(job, a->submit_us) : 0};
    if (job)
        set_sizes(a);
    base_array_grow(&c->apps, c->apps_n, &c->apps_cap);
    memmove(c->apps + at + 1, c->apps + at, (c->apps_n - at) * sizeof *c->apps);
    c->apps[at] = a;
    c->apps_n++;
    rm_map_put(&c->apps_by_id, id_hash(id), a);
    if (id.cluster_ts == c->conf.cluster_ts_ms && id.seq > c->next_app)
        c->next_app = id.seq;
    c->stats.submitted++;
    return a;
}

void rm_app_free(struct rm_app *a)
{
    rm_tasks_free(a);
    rm_am_free(a);
    rm_job_spec_unref(a->job);
    rm_app_spec_unref(a->app);
    free(a->diagnostics);
    free(a->placed);
    free(a->nodes);
    free(a);
}

void rm_app_unref(struct rm_app *a)
{
    base_assert(a->refs > 0);
    if (--a->refs == 0)
        rm_app_free(a);
}

static bool counts_pending(enum rm_app_state s)
{
    return s == RM_APP_SUBMITTED || s == RM_APP_ACCEPTED;
}

static bool counts_active(enum rm_app_state s)
{
    return s == RM_APP_RUNNING || s == RM_APP_KILLING || s == RM_APP_FINISHING;
}

/* It is shown under the name it gave itself where that is the same queue. */
void rm_app_enter_queue(struct rm_core *c, struct rm_app *a, uint32_t index)
{
    const char *named = a->queue;

    a->queue = named && *named ? named : "default";
    a->queue_index = index;
    if (index == RM_NONE)
        return;
    a->pj.queue = (int32_t)index;
    c->queues[index].pending_apps += counts_pending(a->state);
    c->queues[index].active_apps += counts_active(a->state);
    if (policy_queues_find(&c->tree, a->queue) == (int32_t)index)
        return;
    named = c->tree.v[index].name;
    a->placed = base_strdup(strncmp(named, "root.", 5) == 0 ? named + 5 : named);
    a->queue = a->placed;
}

void rm_app_set_state(struct rm_core *c, struct rm_app *a, enum rm_app_state s)
{
    base_assert(rm_app_edge(a->state, s));
    if (a->queue_index != RM_NONE) {
        struct rm_queue *q = &c->queues[a->queue_index];

        q->pending_apps += counts_pending(s) - counts_pending(a->state);
        q->active_apps += counts_active(s) - counts_active(a->state);
    }
    if (s == RM_APP_KILLING || (s == RM_APP_FINAL_SAVING && a->state != RM_APP_KILLING))
        a->state_before = a->state;
    a->state = s;
}

void rm_app_save(struct rm_core *c, struct rm_app *a)
{
    a->saved_seq = rm_record_app(c, a);
}

/* ---------------------------------------------------------------- what the policy sees */
void rm_app_enter_policy(struct rm_core *c, struct rm_app *a)
{
    if (a->in_policy)
        return;
    a->in_policy = true;
    c->policy_jobs++;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        a->pj.phase[k] = (struct policy_phase){.total = a->phase[k].total};
        c->capacity.outstanding[k] += a->phase[k].total;
    }
    if (a->is_job && !a->phase[BASE_TASK_MAP].total)
        a->pj.maps_done_us = a->submit_us; /* not now: its reduces may run since before a restart */
    c->ops->on_job_arrived(c->policy, &a->pj, c->now_us);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        rm_app_counts(c, a, k);
}

void rm_app_leave_policy(struct rm_core *c, struct rm_app *a)
{
    if (!a->in_policy)
        return;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        struct policy_phase *p = &a->pj.phase[k];

        c->capacity.outstanding[k] -= p->total - p->done;
        c->runnable[k] -= p->pending > 0;
        if (a->queue_index != RM_NONE)
            c->queues[a->queue_index].pending[k] -= p->pending;
    }
    a->in_policy = false;
    c->policy_jobs--;
    c->ops->on_job_left(c->policy, &a->pj, c->now_us);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        a->pj.phase[k] = (struct policy_phase){0};
    delay_leave(&c->delay, &a->delay);
}

static struct policy_phase app_phase(struct rm_app *a, enum base_task_kind k)
{
    struct policy_phase p = {0};

    if (a->is_job) {
        const struct rm_phase *ph = &a->phase[k];

        p.total = ph->total;
        p.running = ph->running;
        p.suspended = rm_app_live(a) ? ph->suspended : 0; /* nothing of one that ends goes on */
        p.done = ph->succeeded;
        p.pending = ph->open && !a->held && rm_app_live(a) ? ph->pending - ph->kept : 0;
    } else {
        int32_t pending[BASE_TASK_KINDS];

        rm_ask_counts(a, pending);
        p.pending = pending[k];
        p.running = a->phase[k].running;
        p.total = p.pending + p.running;
    }
    return p;
}

void rm_app_counts(struct rm_core *c, struct rm_app *a, enum base_task_kind k)
{
    struct policy_phase *p = &a->pj.phase[k], old = *p;

    if (!a->in_policy)
        return;
    *p = app_phase(a, k);
    c->capacity.outstanding[k] += (p->total - p->done) - (old.total - old.done);
    c->runnable[k] += (p->pending > 0) - (old.pending > 0);
    if (p->pending > old.pending) {
        c->offer_all[k] = true;
        c->preempt_all = c->preempt_all || (!old.pending && c->ops->victims);
    }
    if (a->queue_index != RM_NONE)
        c->queues[a->queue_index].pending[k] += p->pending - old.pending;
    c->ops->on_job_changed(c->policy, &a->pj, k);
}

void rm_app_touch_node(struct rm_core *c, struct rm_app *a, struct rm_node *n)
{
    size_t word = n->index / 64;

    if (rm_app_touched_node(a, n->index))
        return;

    if (word >= a->nodes_words) {
        a->nodes = base_realloc_array(a->nodes, word + 1, sizeof *a->nodes);
        memset(a->nodes + a->nodes_words, 0, (word + 1 - a->nodes_words) * sizeof *a->nodes);
        a->nodes_words = word + 1;
    }
    a->nodes[word] |= UINT64_C(1) << (n->index % 64);
    rm_node_hold(c, n);
}

bool rm_app_touched_node(const struct rm_app *a, uint32_t node)
{
    return node / 64 < a->nodes_words && (a->nodes[node / 64] >> (node % 64) & 1);
}

/* ---------------------------------------------------------------- the end */
void rm_app_final(struct rm_core *c, struct rm_app *a, enum rm_app_state target, enum rm_final_status status,
                  const char *diagnostics)
{
    if (a->state == RM_APP_FINAL_SAVING)
        return;
    rm_app_leave_policy(c, a);
    a->target = target;
    a->final_status = status;
    a->finish_us = c->now_us;
    if (diagnostics)
        rm_set_diagnostics(&a->diagnostics, diagnostics);
    rm_app_set_state(c, a, RM_APP_FINAL_SAVING);
    rm_app_save(c, a);
    rm_ack_add(c, a->saved_seq, RM_ACK_APP_FINAL, a, 0);
}

void rm_app_stored_new(struct rm_core *c, struct rm_app *a)
{
    if (a->state != RM_APP_NEW_SAVING)
        return; /* killed meanwhile */
    rm_app_set_state(c, a, RM_APP_SUBMITTED);
    if (a->is_job)
        rm_job_accepted(c, a);
    else
        rm_am_accepted(c, a);
}

void rm_apps_stored_new(struct rm_core *c)
{
    for (size_t i = 0; i < c->apps_n; i++)
        if (c->apps[i]->state == RM_APP_NEW_SAVING && !(c->apps[i]->held && c->apps[i]->pj.deadline_us > 0))
            rm_app_stored_new(c, c->apps[i]);
}

void rm_app_cleanup(struct rm_core *c, struct rm_app *a)
{
    if (!a->nodes_left)
        a->nodes_left = c->nodes_born;
    for (size_t w = 0; w < a->nodes_words; w++)
        for (uint64_t bits = a->nodes[w]; bits; bits &= bits - 1) {
            struct rm_node *n = c->nodes[w * 64 + (size_t)__builtin_ctzll(bits)];

            if (n->registered && !c->conf.simulation) /* there is nothing on the disks of simulated ones */
                rm_node_order(c, n, RM_ORDER_CLEANUP_APP)->container.attempt.app = a->id;
            rm_node_release(c, n);
        }
    free(a->nodes);
    a->nodes = NULL;
    a->nodes_words = 0;
}

/* About what an ended application takes: its submission, as text and read, and itself; then its tasks. */
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
    return a->is_job && rm_tasks_kept(a) ? TASK_BYTES * ((int64_t)a->phase[0].total + a->phase[1].total) : 0;
}

enum rm_result rm_app_result(const struct rm_app *a)
{
    if (!rm_app_ended(a->state) && a->state != RM_APP_FINISHING)
        return RM_RESULT_NONE;
    if (rm_policy_refused(a))
        return RM_RESULT_REFUSED;
    if (a->final_status == RM_FINAL_SUCCEEDED)
        return RM_RESULT_SUCCEEDED;
    if (a->final_status == RM_FINAL_KILLED || a->state == RM_APP_KILLED)
        return RM_RESULT_KILLED;
    return a->final_status == RM_FINAL_FAILED || a->state == RM_APP_FAILED ? RM_RESULT_FAILED : RM_RESULT_ENDED;
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
    fx->u.ended.refused = rm_policy_refused(a);
}

void rm_app_retire(struct rm_core *c, struct rm_app *a)
{
    if (!a->end_told && (!c->recovering || a->damaged))
        tell_end(c, a);
    if (!a->containers) /* else when the last one has ended: a node that cleans up tells nothing of those it still has */
        rm_app_cleanup(c, a);
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

void rm_app_stored_final(struct rm_core *c, struct rm_app *a)
{
    if (a->state != RM_APP_FINAL_SAVING)
        return;
    rm_app_set_state(c, a, a->target);
    if (!a->is_job)
        rm_am_stored_final(c, a);
    else
        rm_app_retire(c, a);
}

static void remove_finished(struct rm_core *c, struct rm_app *a)
{
    size_t at = position(c, a->id);

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
    memmove(c->apps + at, c->apps + at + 1, (c->apps_n - at - 1) * sizeof *c->apps);
    c->apps_n--;
    rm_map_remove(&c->apps_by_id, id_hash(a->id), a);
    rm_timer_cancel(&c->timers, &a->timer);
    rm_app_unref(a);
}

#define STAYS_US INT64_C(60000000) /* whoever has waited for an end can look at it, and the history is written from it */

static bool too_heavy(const struct rm_core *c, int64_t bytes)
{
    return c->conf.completed_bytes_max > 0 && bytes > c->conf.completed_bytes_max;
}

/* False: @a has ended a moment ago; its time is noted. An end further ahead than that is of another clock: it would hold up
 * all that ended after it. */
static bool may_go(struct rm_core *c, const struct rm_app *a)
{
    if (a->finish_us + STAYS_US <= c->now_us || a->finish_us > c->now_us + STAYS_US)
        return true;
    rm_timer_set(&c->timers, &c->trim_timer, a->finish_us + STAYS_US);
    return false;
}

/* The oldest that have tasks lose them, until the rest is light enough. */
static void lighten(struct rm_core *c)
{
    while (c->heavy && too_heavy(c, c->finished_bytes) && may_go(c, c->heavy)) {
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

/* The oldest go; one of whose containers a node still has to tell waits, and those after it go in its place. */
void rm_app_trim_finished(struct rm_core *c)
{
    struct rm_app *next;

    if (!c->trim_due)
        return;
    c->trim_due = false;
    lighten(c);
    for (struct rm_app *a = c->finished; a; a = next) {
        bool many = c->conf.completed_apps_max > 0 && c->finished_n > (size_t)c->conf.completed_apps_max;

        next = a->finished_next;
        if (!many && !(too_heavy(c, c->finished_light) && may_go(c, a)))
            break;
        if (!a->containers)
            remove_finished(c, a);
    }
}

/* Those that no node ever heard of end at once: the application may have come to its end when this returns. */
void rm_app_kill_containers(struct rm_core *c, struct rm_app *a, int32_t status, const char *reason, bool masters)
{
    struct rm_container *next;

    for (struct rm_container *ct = a->containers; ct; ct = next) {
        next = ct->app_next;
        if (ct->master && !masters)
            continue;
        if (rm_container_unsent(ct))
            rm_container_end(c, ct, status, reason, NULL);
        else
            rm_container_kill(c, ct, status, reason);
    }
}

static void reply_kill(struct rm_core *c, const struct rm_event *ev, const struct rm_app *a, bool ended)
{
    struct rm_effect *fx = rm_reply(c, ev->token, RM_REPLY_KILL, a->saved_seq);

    fx->u.reply.app_id = a->id;
    fx->u.reply.flag = ended;
    fx->u.reply.app_state = a->state;
}

void rm_app_on_kill(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_app *a = rm_app_find(c, ev->u.kill.id);
    char id[BASE_ID_TEXT_MAX];
    const char *why = ev->u.kill.diagnostics;

    if (!a) {
        rm_reply_error(c, ev->token, -BASE_ENOTFOUND, "app with id: %s not found",
                       base_app_id_text(&ev->u.kill.id, id));
        return;
    }
    if (rm_app_ended(a->state)) {
        reply_kill(c, ev, a, true);
        return;
    }
    if (a->state == RM_APP_FINAL_SAVING || a->state == RM_APP_FINISHING || a->state == RM_APP_KILLING) {
        reply_kill(c, ev, a, false);
        return;
    }
    if (!why || !*why)
        why = rm_scratch_printf(c, "Application %s was killed by user %s%s%s", base_app_id_text(&a->id, id),
                                ev->caller ? ev->caller : "unknown", ev->u.kill.peer ? " at " : "",
                                ev->u.kill.peer ? ev->u.kill.peer : "");
    if (a->is_job)
        rm_job_end(c, a, RM_END_KILL, why);
    else
        rm_am_end(c, a, RM_END_KILL, why);
    reply_kill(c, ev, a, false);
}
