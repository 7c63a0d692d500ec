#include "rm/core/logs/log_reports.h"

#include <stdlib.h>

/* Counts the entry @e with its application, or with @by -1 stops counting it. */
static void count_entry(struct rm_core *c, const struct rm_log_entry *e, int by)
{
    struct rm_app *a = rm_app_find(c, e->app);

    if (a)
        a->logs.nodes[e->state] += by;
}

static void add_entry(struct rm_core *c, struct rm_node *n, const struct rm_log_entry *e)
{
    base_array_grow(&n->logs.v, n->logs.len, &n->logs.cap);
    n->logs.v[n->logs.len++] = *e;
    count_entry(c, e, 1);
}

void rm_logs_add_ordered(struct rm_core *c, struct rm_node *n, const struct base_app_id *app)
{
    if (c->conf.aggregates_logs)
        add_entry(c, n, &(struct rm_log_entry){.app = *app, .state = RM_LOGS_COPYING});
}

void rm_logs_note_orders_sent(struct rm_node *n)
{
    for (size_t i = 0; i < n->logs.len; i++)
        n->logs.v[i].sent = true;
}

static int compare_apps(const void *a, const void *b)
{
    return base_app_id_cmp(a, b);
}

/* Returns the sorted applications of a report. The caller frees them. */
static struct base_app_id *sort_reported_apps(const struct rm_log_report *v, size_t reports_n)
{
    struct base_app_id *apps = base_alloc((reports_n + 1) * sizeof *apps);

    for (size_t i = 0; i < reports_n; i++)
        apps[i] = v[i].app;
    qsort(apps, reports_n, sizeof *apps, compare_apps);
    return apps;
}

/* Removes the entries of @n that its report replaces. */
static void remove_replaced_entries(struct rm_core *c, struct rm_node *n,
                                    const struct rm_log_report *v, size_t reports_n, bool more)
{
    struct base_app_id *apps = more ? sort_reported_apps(v, reports_n) : NULL;
    size_t kept = 0;

    for (size_t i = 0; i < n->logs.len; i++) {
        const struct rm_log_entry *e = &n->logs.v[i];

        if (e->sent &&
            (!more || bsearch(&e->app, apps, reports_n, sizeof *apps, compare_apps) != NULL))
            count_entry(c, e, -1);
        else
            n->logs.v[kept++] = *e;
    }
    n->logs.len = kept;
    free(apps);
}

void rm_logs_take_reports(struct rm_core *c, struct rm_node *n, const struct rm_log_report *v,
                          size_t reports_n, bool more)
{
    if (!c->conf.aggregates_logs)
        return;
    remove_replaced_entries(c, n, v, reports_n, more);
    for (size_t i = 0; i < reports_n; i++) {
        struct rm_app *a = rm_app_find(c, v[i].app);

        if (a && v[i].state == RM_LOGS_FAILED)
            a->logs.failed = true;
        else if (a)
            add_entry(c, n,
                      &(struct rm_log_entry){
                          .app = v[i].app, .state = (uint8_t)v[i].state, .sent = true});
    }
}

void rm_logs_note_node_lost(struct rm_core *c, struct rm_node *n)
{
    for (size_t i = 0; i < n->logs.len; i++) {
        struct rm_log_entry *e = &n->logs.v[i];

        count_entry(c, e, -1);
        e->state = RM_LOGS_MISSING;
        e->sent = true; /* the node's orders are dropped */
        count_entry(c, e, 1);
    }
}
