/* rm/http/pages/apps.c - the page that lists applications: conditions, order, one page at a time.
 *
 * In the core's order, newest first, a page is read from the index: the core is locked for one
 * chunk at a time until the page is full. For any other order, the thread of long lists first goes
 * through all applications likewise and collects a small key of each that meets the conditions
 * (apps_order.h); then the applications of the page are copied by their ids. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/conf/conf.h"
#include "base/limits.h"
#include "rm/http/access/access.h"
#include "rm/http/listing.h"
#include "rm/http/pages/apps_order.h"
#include "rm/http/pages/pages.h"
#include "rm/http/routes.h"

#define COUNT(array) (sizeof array / sizeof *array)

struct list {
    struct rm_listing listing;
    struct rm_access access;
    bool leaves_out; /* yarn.webapp.filter-entity-list-by-user */
    struct rm_apps_query query;
    struct rm_app_filter filter;
    char *order_link;
    int64_t now_us;
    struct api_table table;
    struct base_app_id cursor;
    bool has_cursor, opened, sorted, is_cut;
    struct rm_app_keys keys;
    size_t at, shown; /* at: index of the next key */
};

static const struct api_column columns[] = {
    {.heading = "Application", .key = "id"},
    {.heading = "Name", .key = "name"},
    {.heading = "User", .key = "user"},
    {.heading = "Queue", .key = "queue"},
    {.heading = "Type", .key = "type"},
    {.heading = "State", .key = "state"},
    {.heading = "Progress", .key = "progress"},
    {.heading = "Containers", .is_number = true, .key = "containers"},
    {.heading = "Submitted (UTC)", .key = "start"},
    {.heading = "For", .is_number = true, .key = "duration"},
};

/* ---- above the table ---- */

static void add_tile(struct base_buf *out, const char *name, const char *href, int64_t n)
{
    base_buf_addf(out, "<div><dt>%s</dt><dd>", name);
    if (href)
        base_buf_addf(out, "<a href=\"%s\">%" PRId64 "</a>", href, n);
    else
        base_buf_addf(out, "%" PRId64, n);
    base_buf_adds(out, "</dd></div>\n");
}

static void add_tile_with_total(struct base_buf *out, const char *name, const char *href, int64_t n,
                                int64_t of)
{
    base_buf_addf(out,
                  "<div><dt>%s</dt><dd><a href=\"%s\">%" PRId64 "</a> <small>of %" PRId64
                  "</small></dd></div>\n",
                  name, href, n, of);
}

#define WAITING "NEW,NEW_SAVING,SUBMITTED,ACCEPTED"

static void add_cluster_tiles(struct base_buf *out, struct rm_backend *b)
{
    struct rm_cluster_view c;
    int64_t nodes = 0;

    rm_view_cluster(rm_backend_lock_core(b), &c);
    rm_backend_unlock_core(b);
    for (int s = 0; s < RM_NODE_STATES; s++)
        nodes += c.nodes[s];
    base_buf_adds(out, "<dl class=\"tiles\">\n");
    add_tile(out, "Running", "/cluster/apps/RUNNING", c.apps_running);
    add_tile(out, "Waiting", "/cluster/apps/" WAITING, c.apps_pending);
    add_tile(out, "Finished", "/cluster/apps/FINISHED", c.apps_completed);
    add_tile(out, "Failed", "/cluster/apps/FAILED", c.apps_failed);
    add_tile(out, "Killed", "/cluster/apps/KILLED", c.apps_killed);
    add_tile_with_total(out, "Map slots used", "/cluster/scheduler", c.used.v[RM_RES_MAP_SLOTS],
                        c.total.v[RM_RES_MAP_SLOTS]);
    add_tile_with_total(out, "Reduce slots used", "/cluster/scheduler",
                        c.used.v[RM_RES_REDUCE_SLOTS], c.total.v[RM_RES_REDUCE_SLOTS]);
    add_tile_with_total(out, "Running nodes", "/cluster/nodes", c.nodes[RM_NODE_RUNNING], nodes);
    base_buf_adds(out, "</dl>\n");
}

static void add_input_field(struct base_buf *out, const char *label, const char *name,
                            const char *type, const char *value)
{
    base_buf_addf(out, "<label>%s <input class=\"short\" type=\"%s\" name=\"%s\" value=\"", label,
                  type, name);
    api_html_add_escaped(out, value ? value : "");
    base_buf_adds(out, "\" autocomplete=\"off\"></label>\n");
}

static void add_state_option(struct base_buf *out, const char *value, const char *text,
                             bool selected)
{
    base_buf_adds(out, "<option value=\"");
    api_html_add_escaped(out, value);
    base_buf_addf(out, "\"%s>", selected ? " selected" : "");
    api_html_add_escaped(out, text);
    base_buf_adds(out, "</option>");
}

static void add_state_choice(struct base_buf *out, const char *states)
{
    static const struct {
        const char *value, *text;
    } options[] = {
        {"", "any"},
        {WAITING, "waiting"},
        {"RUNNING", "running"},
        {"FINISHED", "finished"},
        {"FAILED", "failed"},
        {"KILLED", "killed"},
        {"FINISHED,FAILED,KILLED", "ended"},
    };
    bool known = false;

    base_buf_adds(out, "<label>State <select class=\"short\" name=\"state\">");
    for (size_t i = 0; i < COUNT(options); i++) {
        bool selected = strcasecmp(states ? states : "", options[i].value) == 0;

        add_state_option(out, options[i].value, options[i].text, selected);
        known = known || selected;
    }
    if (!known)
        add_state_option(out, states, states, true);
    base_buf_adds(out, "</select></label>\n");
}

static void add_filter_form(struct base_buf *out, const struct rm_apps_query *q)
{
    base_buf_adds(out, "<form action=\"/cluster/apps\" role=\"search\">\n"
                       "<label>Search <input type=\"search\" name=\"search\" value=\"");
    api_html_add_escaped(out, q->text ? q->text : "");
    base_buf_adds(out, "\" placeholder=\"id, name, user, queue, type\"></label>\n");
    add_state_choice(out, q->states);
    add_input_field(out, "User", "user", "text", q->user);
    add_input_field(out, "Queue", "queue", "text", q->queue);
    if (q->type)
        add_input_field(out, "Type", "type", "text", q->type);
    if (!rm_apps_query_is_in_core_order(q))
        base_buf_addf(out, "<input type=\"hidden\" name=\"sort\" value=\"%s%s\">\n",
                      q->down ? "-" : "", rm_apps_order_key(q->order));
    base_buf_adds(out, "<button>Show</button> <a href=\"/cluster/apps\">Show all</a>\n</form>\n");
}

static void open_apps_page(struct list *l, struct base_buf *out)
{
    l->opened = true;
    api_page_open(out, &rm_site, "/cluster/apps", "Applications");
    add_filter_form(out, &l->query);
    api_page_open_live(out);
    add_cluster_tiles(out, l->listing.b);
    l->table = (struct api_table){.out = out,
                                  .columns = columns,
                                  .columns_n = COUNT(columns),
                                  .order_link = l->order_link,
                                  .order = rm_apps_order_key(l->query.order),
                                  .order_is_down = l->query.down};
    api_table_open(&l->table, "Applications");
}

/* ---- rows ---- */

/* As in YARN, a caller who may not see the application learns neither its times nor its
 * containers. */
static void add_app_row(struct list *l, const struct rm_app_view *v)
{
    struct api_table *t = &l->table;
    struct base_buf *out = t->out;
    bool sees = rm_access_allows(&l->access, RM_OP_VIEW_APP, v);
    char id[BASE_ID_TEXT_MAX];

    if (!sees && l->leaves_out)
        return;
    l->shown++;
    api_table_open_row(t, base_app_id_text(&v->id, id));
    api_table_open_cell(t);
    rm_page_add_app_link(out, &v->id);
    api_table_close_cell(t);
    api_table_open_cell(t);
    rm_page_add_name(out, v->name);
    api_table_close_cell(t);
    api_table_open_cell(t);
    rm_page_add_filter_link(out, "user", v->user);
    api_table_close_cell(t);
    api_table_open_cell(t);
    rm_page_add_filter_link(out, "queue", v->queue);
    api_table_close_cell(t);
    api_table_open_cell(t);
    rm_page_add_name(out, v->type);
    api_table_close_cell(t);
    api_table_open_cell(t);
    rm_page_add_app_state(out, v);
    api_table_close_cell(t);
    api_table_open_cell(t);
    api_page_add_bar(out, v->progress);
    api_table_close_cell(t);
    api_table_add_cell(t, "%" PRId64, sees ? v->running_containers : 0);
    api_table_open_cell(t);
    rm_page_add_short_time(out, sees ? v->submit_us : 0);
    api_table_close_cell(t);
    api_table_open_cell(t);
    if (sees)
        rm_page_add_elapsed_time(out, v->submit_us, v->finish_us, l->now_us);
    api_table_close_cell(t);
    api_table_close_row(t);
}

/* ---- below the table ---- */

static void add_page_link(struct list *l, struct base_buf *out, const char *pair, const char *text)
{
    struct base_buf href = {0};

    rm_apps_query_add_ordered_address(&l->query, &href);
    base_buf_adds(&href, pair);
    if (!*pair) /* cut the '&' or '?' that nothing follows */
        href.data[--href.len] = '\0';
    api_page_add_link(out, href.data, text);
    base_buf_adds(out, " ");
    base_buf_free(&href);
}

static void add_numbered_page_links(struct list *l, struct base_buf *out)
{
    size_t pages = (l->keys.n + RM_PAGE_ROWS - 1) / RM_PAGE_ROWS;
    char pair[48];

    if (l->query.page > 1) {
        snprintf(pair, sizeof pair, "page=%" PRId64, l->query.page - 1);
        add_page_link(l, out, pair, "Previous page");
    }
    base_buf_addf(out, "<span>Page %" PRId64 " of %zu; %zu applications%s</span> ", l->query.page,
                  pages ? pages : 1, l->keys.n, l->is_cut ? ", the newest ones" : "");
    if (l->query.page < (int64_t)pages) {
        snprintf(pair, sizeof pair, "page=%" PRId64, l->query.page + 1);
        add_page_link(l, out, pair, "Next page");
    }
}

static void close_apps_page(struct list *l, struct base_buf *out, bool more)
{
    char id[BASE_ID_TEXT_MAX], pair[BASE_ID_TEXT_MAX + sizeof "before="];

    l->table.out = out;
    api_table_close(&l->table);
    if (!l->shown)
        base_buf_adds(out, "<p>No application here.</p>\n");
    base_buf_adds(out, "<p class=\"more\">");
    if (!rm_apps_query_is_in_core_order(&l->query)) {
        add_numbered_page_links(l, out);
    } else {
        if (l->query.has_before)
            add_page_link(l, out, "", "Newest applications");
        if (more) {
            snprintf(pair, sizeof pair, "before=%s", base_app_id_text(&l->cursor, id));
            add_page_link(l, out, pair, "Older applications");
        }
    }
    base_buf_adds(out, "</p>\n");
    api_page_close_live(out);
    api_page_close(out);
}

/* ---- the two ways through the applications ---- */

/* Copies the next chunk of at most @max. Returns true when there may be more. */
static bool copy_next_apps(struct list *l, size_t max, struct rm_views *v)
{
    struct base_app_id before = l->cursor;
    bool more = rm_view_apps(rm_backend_lock_core(l->listing.b), &l->filter,
                             l->has_cursor ? &before : NULL, max, v, &l->cursor);

    rm_backend_unlock_core(l->listing.b);
    l->has_cursor = true;
    return more;
}

static enum rm_listing_next write_chunk_in_core_order(struct rm_listing *listing, size_t max,
                                                      struct base_buf *out)
{
    struct list *l = (struct list *)listing;
    size_t left = RM_PAGE_ROWS - l->shown;
    struct rm_views v = {0};
    bool more;

    if (!l->opened)
        open_apps_page(l, out);
    l->table.out = out;
    more = copy_next_apps(l, max < left ? max : left, &v);
    for (size_t i = 0; i < v.apps_n; i++)
        add_app_row(l, &v.apps[i]);
    rm_views_free(&v);
    if (more && l->shown < RM_PAGE_ROWS)
        return RM_LISTING_MORE;
    close_apps_page(l, out, more);
    return RM_LISTING_END;
}

/* Returns true when there may be more. */
static bool collect_sort_keys(struct list *l, size_t max)
{
    struct rm_views v = {0};
    bool more = copy_next_apps(l, max, &v);

    for (size_t i = 0; i < v.apps_n && !l->is_cut; i++)
        if (!l->leaves_out || rm_access_allows(&l->access, RM_OP_VIEW_APP, &v.apps[i]))
            l->is_cut = !rm_app_keys_add(&l->keys, &v.apps[i], l->query.order, l->now_us);
    rm_views_free(&v);
    return more && !l->is_cut;
}

static void sort_keys_and_open_page(struct list *l, struct base_buf *out)
{
    rm_app_keys_sort(&l->keys, l->query.order, l->query.down);
    l->sorted = true;
    l->at = (size_t)(l->query.page - 1) * RM_PAGE_ROWS;
    open_apps_page(l, out);
}

static enum rm_listing_next write_chunk_in_other_order(struct rm_listing *listing, size_t max,
                                                       struct base_buf *out)
{
    struct list *l = (struct list *)listing;
    struct rm_views v = {0};
    const struct rm_core *core;

    if (!l->sorted && collect_sort_keys(l, BASE_VIEW_CHUNK / 4))
        return RM_LISTING_MORE;
    if (!l->sorted)
        sort_keys_and_open_page(l, out);
    l->table.out = out;
    core = rm_backend_lock_core(l->listing.b);
    for (; max && l->shown + v.apps_n < RM_PAGE_ROWS && l->at < l->keys.n; l->at++, max--)
        rm_view_app(core, l->keys.v[l->at].id,
                    &v); /* applications evicted meanwhile are left out */
    rm_backend_unlock_core(l->listing.b);
    for (size_t i = 0; i < v.apps_n; i++)
        add_app_row(l, &v.apps[i]);
    rm_views_free(&v);
    if (l->shown < RM_PAGE_ROWS && l->at < l->keys.n)
        return RM_LISTING_MORE;
    close_apps_page(l, out, false);
    return RM_LISTING_END;
}

static void free_apps_list(struct rm_listing *listing)
{
    struct list *l = (struct list *)listing;

    rm_app_keys_free(&l->keys);
    rm_apps_query_free(&l->query);
    rm_access_end(&l->access);
    free(l->order_link);
}

static char *make_sort_link_prefix(const struct rm_apps_query *q)
{
    struct base_buf link = {0};

    rm_apps_query_add_filter_address(q, &link);
    base_buf_adds(&link, "sort=");
    return base_buf_take(&link);
}

static void answer_apps_page(struct api_request *rq, struct rm_backend *b, const char *states)
{
    struct list *l = base_alloc(sizeof *l);

    if (!rm_apps_query_read(rq, states, &l->query)) {
        rm_apps_query_free(&l->query);
        free(l);
        return;
    }
    l->listing = (struct rm_listing){.rq = rq, .b = b, .type = API_TEXT, .drop = free_apps_list};
    l->listing.chunk = rm_apps_query_is_in_core_order(&l->query) ? write_chunk_in_core_order
                                                                 : write_chunk_in_other_order;
    l->filter = (struct rm_app_filter){.states = l->query.state_bits,
                                       .user = l->query.user,
                                       .queue = l->query.queue,
                                       .text = l->query.text};
    if (l->query.type) {
        l->filter.types = (const char *const *)&l->query.type;
        l->filter.types_n = 1;
    }
    l->order_link = make_sort_link_prefix(&l->query);
    rm_access_begin_for_request(&l->access, b, rq);
    l->leaves_out = base_conf_bool(rm_backend_conf(b), "yarn.webapp.filter-entity-list-by-user");
    l->now_us = rm_backend_now_us(b);
    l->cursor = l->query.before;
    l->has_cursor = l->query.has_before && rm_apps_query_is_in_core_order(&l->query);
    api_page_add_headers(rq);
    rm_listing_answer(&l->listing);
}

static void get_apps_page(struct api_request *rq, void *user)
{
    answer_apps_page(rq, user, NULL);
}

static void get_apps_in_state_page(struct api_request *rq, void *user)
{
    answer_apps_page(rq, user, api_path_arg(rq, 0));
}

const struct api_route rm_pages_apps_routes[] = {
    {"GET", "/cluster", API_ROLE_READ, 0, get_apps_page, API_ROUTE_CREEL},
    {"GET", "/cluster/apps", API_ROLE_READ, 0, get_apps_page, API_ROUTE_CREEL},
    {"GET", "/cluster/apps/{states}", API_ROLE_READ, 0, get_apps_in_state_page, API_ROUTE_CREEL},
};
const size_t rm_pages_apps_routes_n = COUNT(rm_pages_apps_routes);
