/* rm/http/pages/nodes.c - the pages of nodes and of their labels. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/conf/percent.h"
#include "base/io/io.h"
#include "rm/http/pages/pages.h"
#include "rm/http/routes.h"

#define COUNT(array) (sizeof array / sizeof *array)
#define NODE_STATES                                                                                \
    "one of NEW, RUNNING, UNHEALTHY, DECOMMISSIONING, DECOMMISSIONED, LOST, REBOOTED, SHUTDOWN"

/* ---- nodes ---- */

static void add_node_state(struct base_buf *out, const struct rm_node_view *v)
{
    rm_page_add_state(out, rm_node_state_name(v->state), rm_page_get_node_mood(v->state));
    if (v->draining)
        base_buf_adds(out, " <span class=\"soft\">drained</span>");
    if (v->decommissioning && v->decommission_at_us) {
        base_buf_adds(out, " <span class=\"soft\">until ");
        rm_page_add_time(out, v->decommission_at_us);
        base_buf_adds(out, " at the latest</span>");
    }
}

static void add_node_row(struct api_table *t, const struct rm_node_view *v, int64_t now_us)
{
    struct base_buf *out = t->out;

    api_table_open_row(t, v->id);
    api_table_open_cell(t);
    rm_page_add_node_link(out, v->http_address, v->id);
    api_table_close_cell(t);
    api_table_open_cell(t);
    add_node_state(out, v);
    api_table_close_cell(t);
    api_table_add_cell(t, "%s", v->rack ? v->rack : "");
    api_table_add_cell(t, "%s", v->label);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        api_table_open_cell(t);
        rm_page_add_use_bar(out, v->used_slots[k], v->slots[k]);
        api_table_close_cell(t);
    }
    api_table_open_cell(t);
    if (v->master_slots || v->used_master_slots)
        rm_page_add_use_bar(out, v->used_master_slots, v->master_slots);
    api_table_close_cell(t);
    api_table_add_cell(t, "%d", v->containers);
    api_table_open_cell(t);
    rm_page_add_memory(out, v->used.v[RM_RES_MEMORY_MB]);
    base_buf_adds(out, " of ");
    rm_page_add_memory(out, v->total.v[RM_RES_MEMORY_MB]);
    api_table_close_cell(t);
    api_table_add_cell(t, "%" PRId64 " of %" PRId64, v->used.v[RM_RES_VCORES],
                       v->total.v[RM_RES_VCORES]);
    api_table_open_cell(t);
    if (v->last_heartbeat_us > 0) {
        rm_page_add_duration(out, now_us - v->last_heartbeat_us);
        base_buf_adds(out, " ago");
    }
    api_table_close_cell(t);
    api_table_open_cell(t);
    api_html_add_escaped_cut(out, v->health_report, 200);
    api_table_close_cell(t);
    api_table_add_cell(t, "%s", v->version);
    api_table_close_row(t);
}

/* Returns false when the name is unknown; an empty one or NULL stands for all states. */
static bool parse_node_state_or_all(const char *name, int *state)
{
    *state = -1;
    if (!name || !*name)
        return true;
    for (int s = 0; s < RM_NODE_STATES; s++)
        if (strcasecmp(name, rm_node_state_name((enum rm_node_state)s)) == 0)
            *state = s;
    return *state >= 0;
}

static void add_state_choice(struct base_buf *out, const char *path, const char *text, int64_t n,
                             bool is_current)
{
    base_buf_addf(out, "<a href=\"%s\"%s>%s (%" PRId64 ")</a> ", path,
                  is_current ? " aria-current=\"true\"" : "", text, n);
}

static void add_state_choices(struct base_buf *out, struct rm_backend *b, int state)
{
    struct rm_cluster_view c;
    int64_t all = 0;

    rm_view_cluster(rm_backend_lock_core(b), &c);
    rm_backend_unlock_core(b);
    for (int s = 0; s < RM_NODE_STATES; s++)
        all += c.nodes[s];
    base_buf_adds(out, "<p class=\"more\">");
    add_state_choice(out, "/cluster/nodes", "All", all, state < 0);
    for (int s = 0; s < RM_NODE_STATES; s++) {
        const char *name = rm_node_state_name((enum rm_node_state)s);
        char *path = base_printf("/cluster/nodes/%s", name);

        if (c.nodes[s] || s == state)
            add_state_choice(out, path, name, c.nodes[s], s == state);
        free(path);
    }
    base_buf_adds(out, "</p>\n");
}

/* Appends a table of the nodes in the state (-1: any) from position *@pos on. Returns true when
 * there may be more. */
static bool add_nodes_table(struct base_buf *out, struct rm_backend *b, int state, size_t *pos)
{
    static const struct api_column columns[] = {
        {.heading = "Node"},         {.heading = "State"},
        {.heading = "Rack"},         {.heading = "Label"},
        {.heading = "Map slots"},    {.heading = "Reduce slots"},
        {.heading = "Master slots"}, {.heading = "Containers", .is_number = true},
        {.heading = "Memory"},       {.heading = "VCores"},
        {.heading = "Heard of"},     {.heading = "Health"},
        {.heading = "Version"},
    };
    struct api_table t = {.out = out, .columns = columns, .columns_n = COUNT(columns)};
    int64_t now_us = rm_backend_now_us(b);
    bool more = true;
    size_t shown = 0;

    api_table_open(&t, "Nodes, in the order in which they came");
    while (more && shown < RM_PAGE_ROWS) {
        struct rm_views v = {0};

        more = rm_view_nodes(rm_backend_lock_core(b), pos, RM_PAGE_ROWS - shown, &v);
        rm_backend_unlock_core(b);
        for (size_t i = 0; i < v.nodes_n; i++) {
            if (state >= 0 && (int)v.nodes[i].state != state)
                continue;
            add_node_row(&t, &v.nodes[i], now_us);
            shown++;
        }
        rm_views_free(&v);
    }
    api_table_close(&t);
    if (!shown)
        base_buf_adds(out, "<p>No node here.</p>\n");
    return more;
}

static void answer_nodes_page(struct api_request *rq, struct rm_backend *b, const char *state_name)
{
    const char *from = api_query(rq, "from");
    struct base_buf page = {0};
    int64_t pos = 0;
    size_t at;
    int state;
    bool more;

    if (!parse_node_state_or_all(state_name, &state)) {
        rm_page_answer_bad_value(rq, "state", state_name, NODE_STATES);
        return;
    }
    if (from && *from && base_int_parse(from, 0, INT32_MAX, &pos) < 0) {
        rm_page_answer_bad_value(rq, "from", from, "a number from 0 to 2147483647");
        return;
    }
    at = (size_t)pos;
    api_page_open(&page, &rm_site, "/cluster/nodes", "Nodes");
    api_page_open_live(&page);
    add_state_choices(&page, b, state);
    more = add_nodes_table(&page, b, state, &at);
    base_buf_adds(&page, "<p class=\"more\">");
    if (pos) {
        base_buf_adds(&page, "<a href=\"");
        api_html_add_escaped(&page, api_path(rq));
        base_buf_adds(&page, "\">First nodes</a> ");
    }
    if (more) {
        base_buf_adds(&page, "<a href=\"");
        api_html_add_escaped(&page, api_path(rq));
        base_buf_addf(&page, "?from=%zu\">Further nodes</a>", at);
    }
    base_buf_adds(&page, "</p>\n");
    api_page_close_live(&page);
    api_page_answer(rq, 200, &page);
}

static void get_nodes_page(struct api_request *rq, void *user)
{
    answer_nodes_page(rq, user, api_query(rq, "state"));
}

static void get_nodes_in_state_page(struct api_request *rq, void *user)
{
    answer_nodes_page(rq, user, api_path_arg(rq, 0));
}

/* ---- labels ---- */

static void add_label_row(struct api_table *t, const struct rm_label_view *v)
{
    api_table_open_row(t, NULL);
    api_table_add_cell(t, "%s", *v->name ? v->name : "(nodes without a label)");
    api_table_add_cell(t, "%s", v->exclusive ? "yes" : "no");
    api_table_add_cell(t, "%d", v->active_nodes);
    for (int r = RM_RES_MAP_SLOTS; r <= RM_RES_REDUCE_SLOTS; r++)
        api_table_add_cell(t, "%" PRId64, v->total.v[r]);
    api_table_open_cell(t);
    rm_page_add_memory(t->out, v->total.v[RM_RES_MEMORY_MB]);
    api_table_close_cell(t);
    api_table_add_cell(t, "%" PRId64, v->total.v[RM_RES_VCORES]);
    api_table_close_row(t);
}

static void get_labels_page(struct api_request *rq, void *user)
{
    static const struct api_column columns[] = {
        {.heading = "Label"},
        {.heading = "Exclusive"},
        {.heading = "Running nodes", .is_number = true},
        {.heading = "Map slots", .is_number = true},
        {.heading = "Reduce slots", .is_number = true},
        {.heading = "Memory", .is_number = true},
        {.heading = "VCores", .is_number = true},
    };
    struct rm_backend *b = user;
    struct rm_views v = {0};
    struct base_buf page = {0};
    struct api_table t = {.out = &page, .columns = columns, .columns_n = COUNT(columns)};

    rm_view_labels(rm_backend_lock_core(b), &v);
    rm_backend_unlock_core(b);
    api_page_open(&page, &rm_site, "/cluster/nodelabels", "Labels of nodes");
    api_page_open_live(&page);
    base_buf_adds(&page, "<p>Containers that ask for a label run on nodes that have it. Nodes with "
                         "an exclusive label run nothing else.</p>\n");
    api_table_open(&t, "Labels and what their running nodes offer");
    for (size_t i = 0; i < v.labels_n; i++)
        add_label_row(&t, &v.labels[i]);
    api_table_close(&t);
    api_page_close_live(&page);
    api_page_answer(rq, 200, &page);
    rm_views_free(&v);
}

const struct api_route rm_pages_nodes_routes[] = {
    {"GET", "/cluster/nodes", API_ROLE_READ, 0, get_nodes_page, API_ROUTE_CREEL},
    {"GET", "/cluster/nodes/{state}", API_ROLE_READ, 0, get_nodes_in_state_page, API_ROUTE_CREEL},
    {"GET", "/cluster/nodelabels", API_ROLE_READ, 0, get_labels_page, API_ROUTE_CREEL},
};
const size_t rm_pages_nodes_routes_n = COUNT(rm_pages_nodes_routes);
