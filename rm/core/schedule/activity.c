#include "rm/core/schedule/activity.h"

#include <stdlib.h>
#include <string.h>

#include "rm/core/emit.h"

static void clear_round(struct rm_round *r)
{
    free(r->node_id);
    r->node_id = NULL;
    r->offers_n = r->wanting_n = 0;
    r->full = false;
}

void rm_activity_free(struct rm_core *c)
{
    struct rm_activities *v = c->activities;

    if (!v)
        return;
    for (size_t i = 0; i < RM_ROUNDS_KEPT; i++) {
        clear_round(&v->rounds[i]);
        free(v->rounds[i].offers);
        free(v->rounds[i].wanting);
    }
    for (size_t i = 0; i < v->nodes_n; i++)
        free(v->nodes[i].node_id);
    free(v);
    c->activities = NULL;
    c->recording = false;
}

/* ---------------------------------------------------------------- requests to record */
/* Sets c->recording: whether any round may still have to be recorded. */
static void update_recording_flag(struct rm_core *c)
{
    const struct rm_activities *v = c->activities;

    c->recording =
        v->any_next || v->nodes_n || v->readers_n || v->watches_n || c->now_us < v->log_until_us;
}

static void answer_waiting_reader(struct rm_core *c, size_t i)
{
    struct rm_activities *v = c->activities;

    rm_reply(c, v->readers[i].token, RM_REPLY_OK, 0);
    v->readers[i] = v->readers[--v->readers_n];
}

static void set_readers_timer(struct rm_core *c)
{
    struct rm_activities *v = c->activities;
    int64_t first = INT64_MAX;

    for (size_t i = 0; i < v->readers_n; i++)
        first = v->readers[i].give_up_us < first ? v->readers[i].give_up_us : first;
    if (v->readers_n)
        rm_timer_set(&c->timers, &v->timer, first);
    else
        rm_timer_cancel(&c->timers, &v->timer);
}

void rm_activity_answer_overdue_readers(struct rm_core *c)
{
    struct rm_activities *v = c->activities;

    for (size_t i = v->readers_n; i-- > 0;)
        if (v->readers[i].give_up_us <= c->now_us)
            answer_waiting_reader(c, i);
    set_readers_timer(c);
    update_recording_flag(c);
}

static void add_waiting_reader(struct rm_core *c, uint64_t token, int64_t rounds)
{
    struct rm_activities *v = c->activities;

    if (v->readers_n == RM_RECORD_REQUESTS_MAX) {
        rm_reply_error(c, token, -BASE_ELIMIT, "too many requests for activities at once");
        return;
    }
    v->readers[v->readers_n++] =
        (struct rm_record_request){.token = token,
                                   .until = v->last + (uint64_t)rounds,
                                   .give_up_us = c->now_us + c->conf.activities_wait_us};
    set_readers_timer(c);
}

static void add_node_to_record(struct rm_core *c, const char *node_id)
{
    struct rm_activities *v = c->activities;

    for (size_t i = 0; i < v->nodes_n; i++)
        if (strcmp(v->nodes[i].node_id, node_id) == 0)
            return;
    if (v->nodes_n < RM_RECORD_REQUESTS_MAX) /* beyond it, what was recorded last is shown */
        v->nodes[v->nodes_n++] = (struct rm_record_request){
            .node_id = base_strdup(node_id), .give_up_us = c->now_us + c->conf.node_expiry_us};
}

static int64_t later_time_us(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void add_app_watch(struct rm_activities *v, const struct base_app_id *app, int64_t until_us)
{
    size_t at = 0;

    while (at < v->watches_n && base_app_id_cmp(&v->watches[at].app, app) != 0)
        at++;
    if (at < v->watches_n) {
        v->watches[at].until_us = later_time_us(v->watches[at].until_us, until_us);
        return;
    }
    if (v->watches_n < RM_APP_WATCHES_MAX) {
        v->watches_n++;
    } else {
        at = 0;
        for (size_t i = 1; i < v->watches_n; i++)
            if (v->watches[i].until_us < v->watches[at].until_us)
                at = i;
    }
    v->watches[at] = (struct rm_app_watch){.app = *app, .until_us = until_us};
}

static void drop_expired_watches(struct rm_core *c)
{
    struct rm_activities *v = c->activities;

    for (size_t i = v->watches_n; i-- > 0;)
        if (v->watches[i].until_us <= c->now_us)
            v->watches[i] = v->watches[--v->watches_n];
}

void rm_activity_on_record_request(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_activities *v = c->activities;

    if (!v) {
        c->activities = v = base_alloc(sizeof *v);
        v->timer = (struct rm_timer){.kind = RM_TIMER_ACTIVITY};
    }
    if (ev->u.record.node_id)
        add_node_to_record(c, ev->u.record.node_id);
    else if (ev->u.record.next)
        v->any_next = true;
    if (ev->u.record.for_us > 0)
        add_app_watch(v, &ev->u.record.app, c->now_us + ev->u.record.for_us);
    if (ev->u.record.log_us > 0)
        v->log_until_us = later_time_us(v->log_until_us, c->now_us + ev->u.record.log_us);
    if (ev->u.record.rounds > 0)
        add_waiting_reader(c, ev->token, ev->u.record.rounds);
    else
        rm_reply(c, ev->token, RM_REPLY_OK, 0);
    update_recording_flag(c);
}

/* ---------------------------------------------------------------- rounds */
/* Removes the request to record @node_id, and expired requests. Returns true when there was one for
 * @node_id. */
static bool take_record_request_of_node(struct rm_core *c, const char *node_id)
{
    struct rm_activities *v = c->activities;
    bool found = false;

    for (size_t i = v->nodes_n; i-- > 0;) {
        bool same = strcmp(v->nodes[i].node_id, node_id) == 0;

        found = found || same;
        if (same || v->nodes[i].give_up_us <= c->now_us) {
            free(v->nodes[i].node_id);
            v->nodes[i] = v->nodes[--v->nodes_n];
        }
    }
    return found;
}

static void note_wanting_queues(const struct rm_core *c, struct rm_round *r)
{
    for (size_t i = 0; i < c->queues_n; i++)
        if (c->queues[i].pending[BASE_TASK_MAP] + c->queues[i].pending[BASE_TASK_REDUCE] > 0) {
            base_array_grow(&r->wanting, r->wanting_n, &r->wanting_cap);
            r->wanting[r->wanting_n++] = (uint32_t)i;
        }
}

void rm_activity_begin_round(struct rm_core *c, const struct rm_node *n)
{
    struct rm_activities *v = c->activities;
    struct rm_round *r;

    drop_expired_watches(c);
    v->open_is_kept = take_record_request_of_node(c, n->id) || v->any_next || v->readers_n;
    if (!v->open_is_kept && !v->watches_n && c->now_us >= v->log_until_us) {
        update_recording_flag(c); /* the time of a watch or of the log has run out */
        return;
    }
    v->any_next = false;
    r = v->open = &v->rounds[v->last % RM_ROUNDS_KEPT];
    clear_round(r);
    r->number = ++v->last;
    r->at_us = c->now_us;
    r->node_id = base_strdup(n->id);
    r->full = true;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        r->full = r->full && (c->runnable[k] <= 0 || n->used[k] >= n->slots[k]);
    note_wanting_queues(c, r);
}

void rm_activity_note_offer(struct rm_core *c, const struct rm_app *a, enum base_task_kind k,
                            bool taken)
{
    struct rm_activities *v = c->activities;
    const struct rm_operation *allocation = &c->operations[RM_OPERATION_ALLOCATION];
    struct rm_round *r = v->open;
    struct rm_round_offer *o;

    if (!r || r->offers_n >= RM_ROUND_OFFERS_MAX)
        return;
    base_array_grow(&r->offers, r->offers_n, &r->offers_cap);
    o = &r->offers[r->offers_n++];
    *o = (struct rm_round_offer){.app = a->id,
                                 .queue = a->queue_index,
                                 .app_priority = a->pj.priority,
                                 .allocation_request_id = -1,
                                 .taken = taken,
                                 .waits_for_locality = !taken && a->is_job && k == BASE_TASK_MAP &&
                                                       a->phase[k].located > 0 &&
                                                       delay_is_on(&c->delay)};
    if (taken && allocation->known && allocation->at_us == c->now_us &&
        base_app_id_cmp(&allocation->container.attempt.app, &a->id) == 0) {
        const struct rm_container *ct = rm_container_find(c, &allocation->container);

        o->has_container = true;
        o->container = allocation->container;
        o->request_priority = ct ? ct->priority : 0;
        o->allocation_request_id = ct && !a->is_job && !ct->master ? ct->allocation_id : -1;
    }
}

/* Logs which applications took slots, and how many offers were declined. */
static void log_round(struct rm_core *c, const struct rm_round *r)
{
    char app[BASE_ID_TEXT_MAX];
    size_t declined = 0;

    for (size_t i = 0; i < r->offers_n; i++) {
        declined += !r->offers[i].taken;
        if (r->offers[i].taken)
            rm_emit_note(c, 6, "scheduler: %s took a slot of %s",
                         base_app_id_text(&r->offers[i].app, app), r->node_id);
    }
    if (declined)
        rm_emit_note(c, 6, "scheduler: %zu applications declined a slot of %s", declined,
                     r->node_id);
}

static bool round_has_app(const struct rm_round *r, const struct base_app_id *app)
{
    for (size_t i = 0; i < r->offers_n; i++)
        if (base_app_id_cmp(&r->offers[i].app, app) == 0)
            return true;
    return false;
}

static bool queue_wanted_slots(const struct rm_round *r, uint32_t queue)
{
    for (size_t i = 0; i < r->wanting_n; i++)
        if (r->wanting[i] == queue)
            return true;
    return false;
}

#define LIVE_LOOK_MAX 1000 /* applications examined */

/* Adds running applications without demand in queues that have some, since YARN's scheduler asks
 * those too. Only for rounds in which no slot was taken. */
static void add_apps_that_want_nothing(const struct rm_core *c, struct rm_round *r)
{
    size_t looked = 0;

    for (size_t i = 0; i < r->offers_n; i++)
        if (r->offers[i].taken)
            return;
    for (const struct rm_app *a = c->live; a && looked < LIVE_LOOK_MAX; a = a->live_next) {
        looked++;
        if (!a->in_policy || a->waits || a->pj.phase[BASE_TASK_MAP].pending > 0 ||
            a->pj.phase[BASE_TASK_REDUCE].pending > 0 || r->offers_n >= RM_ROUND_OFFERS_MAX ||
            !queue_wanted_slots(r, a->queue_index) || round_has_app(r, &a->id))
            continue;
        base_array_grow(&r->offers, r->offers_n, &r->offers_cap);
        r->offers[r->offers_n++] = (struct rm_round_offer){.app = a->id,
                                                           .queue = a->queue_index,
                                                           .app_priority = a->pj.priority,
                                                           .allocation_request_id = -1,
                                                           .wants_nothing = true};
    }
}

static bool round_has_watched_app(const struct rm_activities *v, const struct rm_round *r)
{
    for (size_t i = 0; i < v->watches_n; i++)
        if (round_has_app(r, &v->watches[i].app))
            return true;
    return false;
}

void rm_activity_end_round(struct rm_core *c)
{
    struct rm_activities *v = c->activities;

    if (!v->open)
        return;
    if (c->now_us < v->log_until_us)
        log_round(c, v->open);
    add_apps_that_want_nothing(c, v->open);
    if (!v->open_is_kept && !round_has_watched_app(v, v->open)) {
        clear_round(v->open);
        v->open->number = 0;
        v->last--;
    }
    v->open = NULL;
    for (size_t i = v->readers_n; i-- > 0;)
        if (v->readers[i].until <= v->last)
            answer_waiting_reader(c, i);
    set_readers_timer(c);
    update_recording_flag(c);
}

static void renumber_queues_of_round(struct rm_round *r, const int32_t *to)
{
    size_t kept = 0;

    for (size_t i = 0; i < r->offers_n; i++) {
        uint32_t *queue = &r->offers[i].queue;

        if (*queue != RM_NONE)
            *queue = to[*queue] < 0 ? RM_NONE : (uint32_t)to[*queue];
    }
    for (size_t i = 0; i < r->wanting_n; i++)
        if (to[r->wanting[i]] >= 0)
            r->wanting[kept++] = (uint32_t)to[r->wanting[i]];
    r->wanting_n = kept;
}

void rm_activity_renumber_queues(struct rm_core *c, const int32_t *to)
{
    for (size_t i = 0; c->activities && i < RM_ROUNDS_KEPT; i++)
        renumber_queues_of_round(&c->activities->rounds[i], to);
}
