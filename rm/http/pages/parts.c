/* rm/http/pages/parts.c - the parts of applications: tables of attempts and of containers on time
 * lines, and the pages of one attempt and of one container. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rm/http/pages/pages.h"
#include "rm/http/routes.h"

#define COUNT(array) (sizeof array / sizeof *array)

static const char *text_or(const char *text, const char *otherwise)
{
    return text && *text ? text : otherwise;
}

/* ---- attempts ---- */

static enum rm_page_mood get_attempt_mood(enum rm_attempt_state s)
{
    switch (s) {
    case RM_ATTEMPT_RUNNING:
    case RM_ATTEMPT_LAUNCHED:
        return RM_MOOD_RUN;
    case RM_ATTEMPT_FINISHED:
    case RM_ATTEMPT_FINISHING:
        return RM_MOOD_GOOD;
    case RM_ATTEMPT_FAILED:
        return RM_MOOD_BAD;
    case RM_ATTEMPT_KILLED:
        return RM_MOOD_IDLE;
    default:
        return RM_MOOD_WAIT;
    }
}

static void add_attempt_row(struct api_table *t, const struct rm_attempt_view *a)
{
    char id[BASE_ID_TEXT_MAX];
    struct base_buf *out = t->out;

    base_attempt_id_text(&a->id, id);
    api_table_open_row(t, id);
    api_table_open_cell(t);
    base_buf_addf(out, "<a class=\"id\" href=\"/cluster/appattempt/%s\">%s</a>", id, id);
    api_table_close_cell(t);
    api_table_open_cell(t);
    rm_page_add_state(out, rm_attempt_state_name(a->state), get_attempt_mood(a->state));
    api_table_close_cell(t);
    api_table_open_cell(t);
    rm_page_add_short_time(out, a->start_us);
    api_table_close_cell(t);
    api_table_open_cell(t);
    if (a->node_id)
        rm_page_add_node_link(out, a->node_http, a->node_id);
    api_table_close_cell(t);
    api_table_open_cell(t);
    if (a->has_container)
        rm_page_add_logs_link(out, a->node_http, &a->container, a->user);
    api_table_close_cell(t);
    api_table_open_cell(t);
    api_html_add_escaped_cut(out, a->diagnostics, 400);
    api_table_close_cell(t);
    api_table_close_row(t);
}

void rm_page_add_attempts(struct base_buf *out, const struct rm_views *v)
{
    static const struct api_column columns[] = {
        {.heading = "Attempt"}, {.heading = "State"}, {.heading = "Started (UTC)"},
        {.heading = "Node"},    {.heading = "Logs"},  {.heading = "Diagnostics"},
    };
    struct api_table t = {.out = out, .columns = columns, .columns_n = COUNT(columns)};

    if (!v->attempts_n) {
        base_buf_adds(out, "<p>There is no attempt yet.</p>\n");
        return;
    }
    api_table_open(&t, "Attempts to run the master");
    for (size_t i = 0; i < v->attempts_n; i++)
        add_attempt_row(&t, &v->attempts[i]);
    api_table_close(&t);
}

/* ---- containers ---- */

static const char *name_container_state(enum rm_container_state s)
{
    switch (s) {
    case RM_CONTAINER_ALLOCATED:
        return "ALLOCATED";
    case RM_CONTAINER_ACQUIRED:
        return "ACQUIRED";
    case RM_CONTAINER_RUNNING:
        return "RUNNING";
    case RM_CONTAINER_SUSPENDED:
        return "SUSPENDED";
    default:
        return "COMPLETE";
    }
}

static enum rm_page_mood get_container_mood(enum rm_container_state s)
{
    return s == RM_CONTAINER_RUNNING ? RM_MOOD_RUN
           : s == RM_CONTAINER_ALLOCATED || s == RM_CONTAINER_ACQUIRED ||
                   s == RM_CONTAINER_SUSPENDED
               ? RM_MOOD_WAIT
               : RM_MOOD_IDLE;
}

static const char *name_slot_kind(const struct rm_container_view *c)
{
    return c->on_master_slots ? "master" : rm_page_name_task_kind(c->slot);
}

static void add_container_row(struct api_table *t, const struct rm_container_view *c,
                              const struct rm_time_line *line, int64_t now_us)
{
    char id[BASE_ID_TEXT_MAX];
    struct base_buf *out = t->out;

    api_table_open_row(t, base_container_id_text(&c->id, id));
    api_table_open_cell(t);
    rm_page_add_container_link(out, &c->id);
    base_buf_adds(out, c->master ? " <span class=\"soft\">master</span>" : "");
    api_table_close_cell(t);
    api_table_open_cell(t);
    rm_page_add_state(out, name_container_state(c->state), get_container_mood(c->state));
    api_table_close_cell(t);
    api_table_add_cell(t, "%s", name_slot_kind(c));
    api_table_open_cell(t);
    rm_page_add_node_link(out, c->node_http, c->node_id);
    api_table_close_cell(t);
    api_table_open_cell(t);
    rm_page_add_logs_link(out, c->node_http, &c->id, c->user);
    api_table_close_cell(t);
    api_table_open_cell(t);
    rm_page_add_elapsed_time(out, c->start_us, c->finish_us, now_us);
    api_table_close_cell(t);
    base_buf_adds(out, "<td class=\"time\">");
    rm_time_line_add_bar(out, line, c->start_us, c->finish_us, rm_page_name_task_kind(c->slot));
    base_buf_adds(out, "</td>");
    api_table_close_row(t);
}

static void add_more_containers_link(struct base_buf *out, const struct rm_page *p, bool from_start,
                                     const struct base_container_id *next)
{
    char id[BASE_ID_TEXT_MAX];

    base_buf_adds(out, "<p class=\"more\">");
    if (!from_start) {
        base_buf_adds(out, "<a href=\"");
        api_html_add_escaped(out, api_path(p->rq));
        base_buf_adds(out, "\">Newest containers</a>");
    }
    if (next) {
        base_buf_adds(out, " <a href=\"");
        api_html_add_escaped(out, api_path(p->rq));
        base_buf_addf(out, "?after=%s\">Older containers</a>", base_container_id_text(next, id));
    }
    base_buf_adds(out, "</p>\n");
}

void rm_page_add_containers(struct base_buf *out, const struct rm_page *p,
                            const struct rm_app_view *app, struct base_attempt_id id)
{
    static const struct api_column columns[] = {
        {.heading = "Container"}, {.heading = "State"}, {.heading = "Slot"},
        {.heading = "Node"},      {.heading = "Logs"},  {.heading = "Lives for"},
        {.heading = "Time line"},
    };
    struct api_table t = {.out = out, .columns = columns, .columns_n = COUNT(columns)};
    struct rm_time_line line = rm_time_line_of(app, p->now_us);
    const char *after = api_query(p->rq, "after");
    struct base_container_id from, next;
    bool given = after && base_container_id_parse(after, &from, NULL) == 0, more = false;
    struct rm_views v = {0};
    int rc;

    rc = rm_view_newest_containers(rm_backend_lock_core(p->b), id, given ? &from : NULL,
                                   RM_PAGE_ROWS, &v, &next, &more);
    rm_backend_unlock_core(p->b);
    if (rc < 0 && given) { /* that container has ended: begin with the newest */
        given = false;
        rm_view_newest_containers(rm_backend_lock_core(p->b), id, NULL, RM_PAGE_ROWS, &v, &next,
                                  &more);
        rm_backend_unlock_core(p->b);
    }
    if (v.containers_n) {
        rm_time_line_add_scale(out, &line);
        api_table_open(&t, "Containers that live now, the newest first");
        for (size_t i = 0; i < v.containers_n; i++)
            add_container_row(&t, &v.containers[i], &line, p->now_us);
        api_table_close(&t);
    } else {
        base_buf_adds(out, "<p>No container of it lives now.</p>\n");
    }
    if (given || more)
        add_more_containers_link(out, p, !given, more ? &next : NULL);
    rm_views_free(&v);
}

/* ---- the page of one attempt ---- */

static const struct rm_attempt_view *find_attempt(const struct rm_views *v,
                                                  const struct base_attempt_id *id)
{
    for (size_t i = 0; i < v->attempts_n; i++)
        if (v->attempts[i].id.attempt == id->attempt)
            return &v->attempts[i];
    return NULL;
}

static void add_attempt_sections(struct base_buf *out, const struct rm_page *p,
                                 const struct rm_app_view *app, const struct rm_attempt_view *a)
{
    api_page_open_properties(out);
    api_page_open_property(out, "Application");
    rm_page_add_app_link(out, &app->id);
    api_page_close_property(out);
    api_page_open_property(out, "State");
    rm_page_add_state(out, rm_attempt_state_name(a->state), get_attempt_mood(a->state));
    api_page_close_property(out);
    api_page_open_property(out, "Started");
    rm_page_add_time(out, a->start_us);
    api_page_close_property(out);
    if (a->finish_us) {
        api_page_open_property(out, "Ended");
        rm_page_add_time(out, a->finish_us);
        api_page_close_property(out);
    }
    if (a->has_container) {
        api_page_open_property(out, "Container of the master");
        rm_page_add_container_link(out, &a->container);
        api_page_close_property(out);
        api_page_open_property(out, "Node");
        rm_page_add_node_link(out, a->node_http, text_or(a->node_id, "unknown"));
        api_page_close_property(out);
        api_page_open_property(out, "Logs");
        rm_page_add_logs_link(out, a->node_http, &a->container, a->user);
        api_page_close_property(out);
    }
    if (a->tracking_url && *a->tracking_url)
        api_page_add_property(out, "Tracking URL", "%s", a->tracking_url);
    api_page_close_properties(out);
    if (*a->diagnostics) {
        base_buf_adds(out, "<p class=\"why bad-news\">");
        api_html_add_escaped_cut(out, a->diagnostics, 10000);
        base_buf_adds(out, "</p>\n");
    }
    base_buf_adds(out, "<h2>Containers</h2>\n");
    rm_page_add_containers(out, p, app, a->id);
}

static void get_attempt_page(struct api_request *rq, void *user)
{
    struct rm_page p = {rq, user, rm_backend_now_us(user)};
    const struct rm_attempt_view *a = NULL;
    struct base_attempt_id id;
    struct rm_views v = {0};
    struct base_buf page = {0};
    const struct rm_core *core;

    if (base_attempt_id_parse(api_path_arg(rq, 0), &id, NULL) < 0) {
        rm_page_answer_missing(rq, "Application attempt",
                               "This is not the id of an application attempt.");
        return;
    }
    if (rm_page_refuse_app_unless_visible(&p, id.app))
        return;
    core = rm_backend_lock_core(p.b);
    if (rm_view_app(core, id.app, &v) == 0 && rm_view_attempts(core, id.app, &v) == 0)
        a = find_attempt(&v, &id);
    rm_backend_unlock_core(p.b);
    if (!a) {
        rm_page_answer_missing(rq, "Application attempt",
                               "The ResourceManager does not know this attempt.");
    } else {
        api_page_open(&page, &rm_site, NULL, api_path_arg(rq, 0));
        api_page_open_live(&page);
        add_attempt_sections(&page, &p, &v.apps[0], a);
        api_page_close_live(&page);
        api_page_answer(rq, 200, &page);
    }
    rm_views_free(&v);
}

/* ---- the page of one container ---- */

static void add_container_properties(struct base_buf *out, const struct rm_page *p,
                                     const struct rm_container_view *c)
{
    char text[BASE_ID_TEXT_MAX];

    api_page_open_properties(out);
    api_page_open_property(out, "Application");
    rm_page_add_app_link(out, &c->id.attempt.app);
    api_page_close_property(out);
    api_page_open_property(out, "State");
    rm_page_add_state(out, name_container_state(c->state), get_container_mood(c->state));
    api_page_close_property(out);
    if (c->has_task)
        api_page_add_property(out, "Runs", "%s, attempt %d", base_task_id_text(&c->task, text),
                              c->task_attempt);
    else if (c->master)
        api_page_add_property(out, "Runs", "the master of the application");
    api_page_add_property(out, "User", "%s", text_or(c->user, ""));
    api_page_add_property(out, "Slot", "%s", name_slot_kind(c));
    api_page_add_property(out, "Memory", "%" PRId64 " MB", c->resource.v[RM_RES_MEMORY_MB]);
    api_page_add_property(out, "VCores", "%" PRId64, c->resource.v[RM_RES_VCORES]);
    api_page_open_property(out, "Node");
    rm_page_add_node_link(out, c->node_http, c->node_id);
    api_page_close_property(out);
    api_page_open_property(out, "Logs");
    rm_page_add_logs_link(out, c->node_http, &c->id, c->user);
    api_page_close_property(out);
    api_page_open_property(out, "Started");
    rm_page_add_time(out, c->start_us);
    api_page_close_property(out);
    api_page_open_property(out, "Lives for");
    rm_page_add_elapsed_time(out, c->start_us, c->finish_us, p->now_us);
    api_page_close_property(out);
    if (*c->diagnostics)
        api_page_add_property(out, "Diagnostics", "%s", c->diagnostics);
    api_page_close_properties(out);
}

static void get_container_page(struct api_request *rq, void *user)
{
    struct rm_page p = {rq, user, rm_backend_now_us(user)};
    struct base_container_id id;
    struct base_buf page = {0};
    struct rm_views v = {0};
    int rc;

    if (base_container_id_parse(api_path_arg(rq, 0), &id, NULL) < 0) {
        rm_page_answer_missing(rq, "Container", "This is not the id of a container.");
        return;
    }
    if (rm_page_refuse_app_unless_visible(&p, id.attempt.app))
        return;
    rc = rm_view_container(rm_backend_lock_core(p.b), &id, &v);
    rm_backend_unlock_core(p.b);
    api_page_open(&page, &rm_site, NULL, api_path_arg(rq, 0));
    if (rc == 0) {
        api_page_open_live(&page);
        add_container_properties(&page, &p, &v.containers[0]);
        api_page_close_live(&page);
    } else {
        base_buf_adds(&page, "<p>No such container lives. Ended containers are known to their "
                             "nodes alone; the application was ");
        rm_page_add_app_link(&page, &id.attempt.app);
        base_buf_adds(&page, ".</p>\n");
    }
    api_page_answer(rq, 200, &page);
    rm_views_free(&v);
}

const struct api_route rm_pages_parts_routes[] = {
    {"GET", "/cluster/appattempt/{attemptid}", API_ROLE_READ, 0, get_attempt_page, API_ROUTE_CREEL},
    {"GET", "/cluster/container/{containerid}", API_ROLE_READ, 0, get_container_page,
     API_ROUTE_CREEL},
};
const size_t rm_pages_parts_routes_n = COUNT(rm_pages_parts_routes);
