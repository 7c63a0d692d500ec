/* Plain copies for readers: users of queues, and the newest allocation, release and preemption. */
#include <stdlib.h>
#include <string.h>

#include "rm/core/app/health.h"
#include "rm/core/state.h"
#include "rm/core/view/view_internal.h"

/* ---------------------------------------------------------------- users of queues */
/* Rows by queue and user: an open hash table of 1 + index in the array of rows, at least twice as
 * large as the number of unfinished applications, so that a free place always ends a search. */
struct rows {
    struct rm_views *out;
    size_t *table, mask;
};

static struct rm_queue_user_view *find_or_add_row(struct rows *r, const struct rm_app *a)
{
    uint64_t hash = ((uint64_t)a->queue_index << 32 | (uint32_t)a->pj.user) * 0x9E3779B97F4A7C15u;
    struct rm_views *out = r->out;
    size_t at = (size_t)(hash >> 20) & r->mask;

    for (; r->table[at]; at = (at + 1) & r->mask) {
        struct rm_queue_user_view *row = &out->queue_users[r->table[at] - 1];

        if (row->queue == (int32_t)a->queue_index && strcmp(row->user, a->user) == 0)
            return row;
    }
    out->queue_users =
        rm_view_array_reserve_one(out->queue_users, out->queue_users_n, sizeof *out->queue_users);
    out->queue_users[out->queue_users_n] = (struct rm_queue_user_view){
        .queue = (int32_t)a->queue_index, .user = rm_view_copy_text(out, a->user)};
    r->table[at] = ++out->queue_users_n;
    return &out->queue_users[out->queue_users_n - 1];
}

static void add_res(struct rm_res *to, const struct rm_res *r, int64_t times)
{
    for (int i = 0; i < RM_RES_NAMES; i++)
        to->v[i] += times * r->v[i];
}

static void add_app_to_row(const struct rm_core *c, const struct rm_app *a,
                           struct rm_queue_user_view *row)
{
    const struct rm_attempt *at = rm_app_newest_attempt(a);

    row->pending_apps += rm_app_state_counts_as_pending(a->state, a->containers_n > 0);
    row->active_apps += rm_app_state_counts_as_active(a->state, a->containers_n > 0);
    add_res(&row->used, &a->allocated, 1);
    if (at && at->master)
        add_res(&row->am_used, &at->master->resource, 1);
    for (enum base_task_kind k = 0; a->in_policy && k < BASE_TASK_KINDS; k++) {
        row->pending_containers += a->pj.phase[k].pending_tasks;
        add_res(&row->pending, &c->conf.slot_res[k], a->pj.phase[k].pending);
    }
}

void rm_view_queue_users(const struct rm_core *c, struct rm_views *out)
{
    size_t live = 0, cap = 16;
    struct rows r = {.out = out};

    for (const struct rm_app *a = c->live; a; a = a->live_next)
        live++;
    while (cap < 2 * live)
        cap *= 2;
    r.table = base_alloc(cap * sizeof *r.table);
    r.mask = cap - 1;
    for (const struct rm_app *a = c->live; a; a = a->live_next)
        if (a->queue_index != RM_NONE && !rm_app_state_is_final(a->state))
            add_app_to_row(c, a, find_or_add_row(&r, a));
    free(r.table);
}

static void count_app_by_running_time(const struct rm_app *a, int64_t now_us,
                                      struct rm_queue_user_view *row)
{
    static const int64_t minutes[] = {60, 300, 1440};
    int64_t ran = (now_us - a->start_us) / 60000000;
    size_t at = 0;

    if (a->state != RM_APP_RUNNING || !a->start_us)
        return;
    while (at < 3 && ran >= minutes[at])
        at++;
    row->running_apps[at]++;
}

void rm_view_queue_user_totals(const struct rm_core *c, int64_t now_us, struct rm_views *out)
{
    size_t first = out->queue_users_n;

    for (size_t i = 0; i < c->members.n; i++) {
        const struct rm_member *m = c->members.v[i];

        out->queue_users = rm_view_array_reserve_one(out->queue_users, out->queue_users_n,
                                                     sizeof *out->queue_users);
        out->queue_users[out->queue_users_n++] =
            (struct rm_queue_user_view){.queue = (int32_t)m->queue,
                                        .user = rm_view_copy_text(out, c->users.v[m->user]),
                                        .totals = m->totals};
    }
    for (const struct rm_app *a = c->live; a; a = a->live_next) {
        struct rm_queue_user_view *row;
        int64_t wanted, pending, active;

        if (!a->member || rm_app_state_is_final(a->state))
            continue;
        row = &out->queue_users[first + a->member->place];
        wanted = row->pending_containers;
        pending = row->pending_apps;
        active = row->active_apps;
        add_app_to_row(c, a, row);
        if (a->app && a->app->unmanaged) {
            row->unmanaged_pending_apps += row->pending_apps - pending;
            row->unmanaged_active_apps += row->active_apps - active;
        }
        row->containers += a->containers_n;
        row->wanting_apps += row->pending_containers > wanted;
        count_app_by_running_time(a, now_us, row);
    }
}

/* ---------------------------------------------------------------- health */
void rm_view_scheduler_health(const struct rm_core *c, struct rm_health_view *out,
                              struct rm_views *texts)
{
    *out = (struct rm_health_view){.last_step_us = c->now_us};
    for (int i = 0; i < RM_OPERATION_KINDS; i++) {
        const struct rm_operation *o = &c->operations[i];
        struct rm_operation_view *v = &out->operations[i];
        const struct rm_node *n;

        if (!o->known)
            continue;
        n = o->node < c->nodes_n ? c->nodes[o->node] : NULL;
        v->known = true;
        v->container = o->container;
        v->node_id = n && n->born == o->node_born ? rm_view_copy_text(texts, n->id) : NULL;
        v->queue = o->queue < c->tree.n ? rm_view_copy_text(texts, c->tree.v[o->queue].name) : NULL;
        if (o->at_us == c->now_us) {
            v->count = o->count;
            v->resource = o->resource;
        }
    }
}
