/* The ask table of a master: absolute counts by (priority, allocation request id, resource name), as in YARN. */
#include <stdlib.h>
#include <string.h>

#include "rm/core/rm_internal.h"

enum rm_slot rm_slot_of(const struct rm_res *r)
{
    return r->v[RM_RES_REDUCE_SLOTS] > 0 ? RM_SLOT_REDUCE : RM_SLOT_MAP;
}

static int order(const struct rm_ask_group *g, int32_t priority, int64_t id)
{
    if (g->priority != priority)
        return g->priority < priority ? -1 : 1;
    return g->allocation_id < id ? -1 : g->allocation_id > id;
}

/* Groups are kept in order: smaller priority numbers are served first. */
static struct rm_ask_group *group_of(struct rm_app *a, int32_t priority, int64_t id)
{
    size_t at = 0;

    while (at < a->asks_n && order(&a->asks[at], priority, id) < 0)
        at++;
    if (at < a->asks_n && order(&a->asks[at], priority, id) == 0)
        return &a->asks[at];
    base_array_grow(&a->asks, a->asks_n, &a->asks_cap);
    memmove(a->asks + at + 1, a->asks + at, (a->asks_n - at) * sizeof *a->asks);
    a->asks_n++;
    a->asks[at] = (struct rm_ask_group){.priority = priority, .allocation_id = id};
    return &a->asks[at];
}

static struct rm_ask_row *row_of(struct rm_ask_group *g, const char *name)
{
    for (size_t i = 0; i < g->rows_n; i++)
        if (strcmp(g->rows[i].name, name) == 0)
            return &g->rows[i];
    return NULL;
}

static void group_clear(struct rm_ask_group *g)
{
    for (size_t i = 0; i < g->rows_n; i++)
        free(g->rows[i].name);
    free(g->rows);
    rm_launch_unref(g->launch);
}

void rm_ask_update(struct rm_app *a, const struct rm_ask *ask)
{
    struct rm_ask_group *g = group_of(a, ask->priority, ask->allocation_request_id);
    struct rm_ask_row *row = row_of(g, ask->resource_name);

    if (!row) {
        base_array_grow(&g->rows, g->rows_n, &g->rows_cap);
        row = &g->rows[g->rows_n++];
        *row = (struct rm_ask_row){.name = base_strdup(ask->resource_name)};
    }
    row->count = ask->containers;
    row->relax = ask->relax_locality;
    g->capability = ask->capability;
    g->slot = rm_slot_of(&ask->capability);
    if (ask->launch) {
        rm_launch_unref(g->launch);
        g->launch = ask->launch;
    }
}

/* "*" counts all that are wanted; without it the named places do. */
static int32_t wanted(struct rm_ask_group *g)
{
    const struct rm_ask_row *any = row_of(g, "*");
    int32_t n = 0;

    if (any)
        return any->count;
    for (size_t i = 0; i < g->rows_n; i++)
        n += g->rows[i].count;
    return n;
}

void rm_ask_counts(struct rm_app *a, int32_t pending[RM_SLOT_KINDS])
{
    const struct rm_attempt *at = rm_am_attempt(a);

    memset(pending, 0, RM_SLOT_KINDS * sizeof *pending);
    if (!at || a->ending != RM_END_NONE)
        return;
    if (at->state == RM_ATTEMPT_SCHEDULED) {
        pending[RM_SLOT_MAP] = a->activated;
        return;
    }
    for (size_t i = 0; at->state == RM_ATTEMPT_RUNNING && i < a->asks_n; i++)
        pending[a->asks[i].slot] += wanted(&a->asks[i]);
}

static struct rm_ask_row *here(struct rm_ask_group *g, const char *name, bool must_relax)
{
    struct rm_ask_row *row = row_of(g, name);

    return row && row->count > 0 && (!must_relax || row->relax) ? row : NULL;
}

static struct rm_ask_row *host_row(struct rm_ask_group *g, const struct rm_node *n)
{
    struct rm_ask_row *row = here(g, n->host_name, false);

    return row ? row : here(g, n->id, false);
}

struct rm_ask_group *rm_ask_pick(struct rm_app *a, enum rm_slot k, const struct rm_node *n, enum delay_level *level)
{
    for (size_t i = 0; i < a->asks_n; i++) {
        struct rm_ask_group *g = &a->asks[i];

        if (g->slot != k || wanted(g) <= 0)
            continue;
        *level = DELAY_NODE;
        if (host_row(g, n))
            return g;
        *level = DELAY_RACK;
        if (here(g, n->rack_name, true))
            return g;
        *level = DELAY_ANY;
        if (here(g, "*", true))
            return g;
    }
    return NULL;
}

static void less(struct rm_ask_row *row)
{
    if (row && row->count > 0)
        row->count--;
}

void rm_ask_taken(struct rm_ask_group *g, const struct rm_node *n, enum delay_level level)
{
    if (level == DELAY_NODE)
        less(host_row(g, n));
    if (level <= DELAY_RACK)
        less(row_of(g, n->rack_name));
    less(row_of(g, "*"));
}

void rm_ask_clear(struct rm_app *a)
{
    for (size_t i = 0; i < a->asks_n; i++)
        group_clear(&a->asks[i]);
    free(a->asks);
    a->asks = NULL;
    a->asks_n = a->asks_cap = 0;
}
