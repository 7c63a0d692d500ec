/* rm/http/pages/app.c - the page of one application: what it is, why it waits, its attempts,
 * containers and tasks. */
#include <inttypes.h>
#include <string.h>

#include "rm/http/pages/pages.h"
#include "rm/http/routes.h"

#define COUNT(array) (sizeof array / sizeof *array)

static void add_time_property_if_set(struct base_buf *out, const char *name, int64_t us)
{
    if (!us)
        return;
    api_page_open_property(out, name);
    rm_page_add_time(out, us);
    api_page_close_property(out);
}

static void add_time_properties(struct base_buf *out, const struct rm_app_view *v, int64_t now_us)
{
    add_time_property_if_set(out, "Submitted", v->submit_us);
    add_time_property_if_set(out, v->is_job ? "First task started" : "Master registered",
                             v->start_us);
    add_time_property_if_set(out, "Ended", v->finish_us);
    api_page_open_property(out, v->finish_us ? "Took" : "Since then");
    rm_page_add_elapsed_time(out, v->submit_us, v->finish_us, now_us);
    api_page_close_property(out);
    add_time_property_if_set(out, "Deadline", v->deadline_us);
    add_time_property_if_set(out, "Promised finish", v->promised_us);
    add_time_property_if_set(out, "Earliest finish that could be promised", v->earliest_us);
    add_time_property_if_set(out, "Is killed at", v->finish_us ? 0 : v->lifetime_end_us);
}

static void add_resource_use(struct base_buf *out, const struct rm_app_view *v)
{
    api_page_add_property(out, "Containers", "%" PRId64, v->running_containers);
    api_page_open_property(out, "Holds");
    rm_page_add_memory(out, v->allocated.v[RM_RES_MEMORY_MB]);
    base_buf_addf(out, ", %" PRId64 " vcores", v->allocated.v[RM_RES_VCORES]);
    api_page_close_property(out);
    api_page_add_property(out, "Has held", "%" PRId64 " MB-seconds, %" PRId64 " vcore-seconds",
                          v->memory_seconds, v->vcore_seconds);
}

/* Links to the REST resources with the same data. */
static void add_rest_links(struct base_buf *out, const struct rm_app_view *v, const char *id)
{
    api_page_open_property(out, "For programs");
    base_buf_addf(out, "<a href=\"/ws/v1/cluster/apps/%s\">application</a>", id);
    if (v->is_job)
        base_buf_addf(out,
                      ", <a href=\"/ws/v1/cluster/jobs/%s\">job</a>, "
                      "<a href=\"/ws/v1/cluster/jobs/%s/tasks\">tasks</a>",
                      id, id);
    api_page_close_property(out);
}

static void add_master_links(struct base_buf *out, const struct rm_app_view *v, const char *id)
{
    if (v->original_tracking_url && *v->original_tracking_url) {
        api_page_open_property(out, "Pages of its own");
        base_buf_addf(out, "<a href=\"/proxy/%s/\">", id);
        api_html_add_escaped_cut(out, v->original_tracking_url, 500);
        base_buf_adds(out, "</a>");
        api_page_close_property(out);
    }
    if (v->has_master) {
        api_page_open_property(out, "Logs of the master");
        rm_page_add_logs_link(out, v->master_node_http, &v->master_container, v->user);
        api_page_close_property(out);
    }
}

static void add_app_properties(struct base_buf *out, const struct rm_app_view *v, int64_t now_us)
{
    char id[BASE_ID_TEXT_MAX];

    base_app_id_text(&v->id, id);
    api_page_open_properties(out);
    api_page_add_property(out, "Application", "%s", id);
    api_page_open_property(out, "State");
    rm_page_add_app_state(out, v);
    api_page_close_property(out);
    api_page_open_property(out, "Progress");
    api_page_add_bar(out, v->progress);
    api_page_close_property(out);
    api_page_open_property(out, "User");
    rm_page_add_filter_link(out, "user", v->user);
    api_page_close_property(out);
    api_page_open_property(out, "Queue");
    rm_page_add_filter_link(out, "queue", v->queue);
    api_page_close_property(out);
    api_page_add_property(out, "Type", "%s", v->type);
    if (v->tags && *v->tags)
        api_page_add_property(out, "Tags", "%s", v->tags);
    if (v->priority >= 0)
        api_page_add_property(out, "Priority", "%d", v->priority);
    add_time_properties(out, v, now_us);
    add_resource_use(out, v);
    add_master_links(out, v, id);
    add_rest_links(out, v, id);
    api_page_close_properties(out);
}

/* ---- jobs ---- */

static void add_task_counts_table(struct base_buf *out, const struct rm_app_view *v)
{
    static const struct api_column columns[] = {
        {.heading = "Kind"},
        {.heading = "Progress"},
        {.heading = "Tasks", .is_number = true},
        {.heading = "Pending", .is_number = true},
        {.heading = "Running", .is_number = true},
        {.heading = "Suspended", .is_number = true},
        {.heading = "Succeeded", .is_number = true},
        {.heading = "Failed attempts", .is_number = true},
        {.heading = "Killed attempts", .is_number = true},
    };
    struct api_table t = {.out = out, .columns = columns, .columns_n = COUNT(columns)};

    api_table_open(&t, "Tasks by kind");
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        const struct rm_phase_view *p = &v->phase[k];
        const int64_t counts[] = {p->total,     p->pending,         p->running,        p->suspended,
                                  p->succeeded, p->failed_attempts, p->killed_attempts};

        if (!p->total)
            continue;
        api_table_open_row(&t, NULL);
        api_table_add_cell(&t, "%s", rm_page_name_task_kind(k));
        api_table_open_cell(&t);
        api_page_add_bar(out, p->progress);
        api_table_close_cell(&t);
        for (size_t i = 0; i < COUNT(counts); i++)
            api_table_add_cell(&t, "%" PRId64, counts[i]);
        api_table_close_row(&t);
    }
    api_table_close(&t);
}

static void add_counters(struct base_buf *out, const struct rm_app_view *v)
{
    base_buf_adds(out, "<details><summary>Counters</summary>\n");
    api_page_open_properties(out);
    for (int c = 0; c < RM_C_COUNTERS; c++)
        api_page_add_property(out, rm_counter_name(c), "%" PRId64, v->counters[c]);
    api_page_close_properties(out);
    base_buf_adds(out, "</details>\n");
}

/* ---- the page ---- */

static void add_app_sections(struct base_buf *out, const struct rm_page *p,
                             const struct rm_views *views)
{
    const struct rm_app_view *v = &views->apps[0];

    if (!v->finish_us)
        rm_page_add_wait_explanation(out, p->b, v);
    if (*v->diagnostics) {
        base_buf_adds(out, "<p class=\"why bad-news\">");
        api_html_add_escaped_cut(out, v->diagnostics, 10000);
        base_buf_adds(out, "</p>\n");
    }
    add_app_properties(out, v, p->now_us);
    if (v->is_job) {
        base_buf_adds(out, "<h2 id=\"tasks\">Tasks</h2>\n");
        add_task_counts_table(out, v);
        rm_page_add_tasks(out, p, v);
        add_counters(out, v);
        return;
    }
    base_buf_adds(out, "<h2>Attempts</h2>\n");
    rm_page_add_attempts(out, views);
    base_buf_adds(out, "<h2>Containers</h2>\n");
    rm_page_add_containers(out, p, v, (struct base_attempt_id){.app = v->id});
}

static void get_app_page(struct api_request *rq, void *user)
{
    struct rm_page p = {rq, user, rm_backend_now_us(user)};
    const struct rm_core *core;
    struct base_app_id id;
    struct base_buf page = {0};
    struct rm_views v = {0};
    int rc;

    if (base_app_id_parse(api_path_arg(rq, 0), &id, NULL) < 0) {
        rm_page_answer_missing(rq, "Application", "This is not the id of an application.");
        return;
    }
    if (rm_page_refuse_app_unless_visible(&p, id))
        return;
    core = rm_backend_lock_core(p.b);
    rc = rm_view_app(core, id, &v);
    if (rc == 0 && !v.apps[0].is_job)
        rc = rm_view_attempts(core, id, &v);
    rm_backend_unlock_core(p.b);
    if (rc < 0) {
        rm_page_answer_missing(rq, "Application",
                               "The ResourceManager does not know this application.");
    } else {
        bool ended = v.apps[0].finish_us != 0;

        api_page_open(&page, &rm_site, NULL, v.apps[0].name);
        if (!ended)
            api_page_open_live(&page);
        add_app_sections(&page, &p, &v);
        if (!ended)
            api_page_close_live(&page);
        api_page_answer(rq, 200, &page);
    }
    rm_views_free(&v);
}

const struct api_route rm_pages_app_routes[] = {
    {"GET", "/cluster/app/{appid}", API_ROLE_READ, 0, get_app_page, API_ROUTE_CREEL},
};
const size_t rm_pages_app_routes_n = COUNT(rm_pages_app_routes);
