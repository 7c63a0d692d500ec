#include "rm/core/logs/log_reports.h"

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

/* Removes the entries of @n that its own report replaces. */
static void remove_sent_entries(struct rm_core *c, struct rm_node *n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n->logs.len; i++)
        if (n->logs.v[i].sent)
            count_entry(c, &n->logs.v[i], -1);
        else
            n->logs.v[kept++] = n->logs.v[i];
    n->logs.len = kept;
}

void rm_logs_take_reports(struct rm_core *c, struct rm_node *n, const struct rm_log_report *v,
                          size_t reports_n)
{
    if (!c->conf.aggregates_logs)
        return;
    remove_sent_entries(c, n);
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
