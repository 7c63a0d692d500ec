/* nodemanager/http/pages.c - pages for people: the node, its applications and its containers, below
 * /node as in YARN. */
#include <stdio.h>
#include <string.h>

#include "base/conf/percent.h"
#include "base/version.h"
#include "nodemanager/http/answer.h"
#include "nodemanager/http/html.h"
#include "nodemanager/http/routes.h"

static void get_node_page(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    struct base_buf page = {0};
    const char *report;
    int64_t free_mb;
    bool healthy;

    nm_html_open(&page, "NodeManager information");
    nm_html_open_properties(&page);
    nm_html_property(&page, "Node", "%s", nm->node_id);
    nm_html_property(&page, "Rack", "%s", nm->ident.rack);
    nm_html_property(&page, "Map slots", "%lld", (long long)nm->ident.map_slots);
    nm_html_property(&page, "Reduce slots", "%lld", (long long)nm->ident.reduce_slots);
    nm_html_property(&page, "Memory for containers", "%lld MB",
                     (long long)nm_offered_memory_mb(nm));
    nm_html_property(&page, "VCores for containers", "%lld", (long long)nm_offered_vcores(nm));
    pthread_mutex_lock(&nm->lock);
    healthy = nm_core_is_healthy(nm->core, &report, &free_mb);
    nm_html_property(&page, "Containers alive", "%zu", nm_core_alive_count(nm->core));
    nm_html_property(&page, "ResourceManager", "%s%s", nm->rm_url,
                     nm_core_is_registered(nm->core) ? "" : " (not registered)");
    nm_html_property(&page, "Health", "%s%s%s", healthy ? "good" : "bad", *report ? ": " : "",
                     report);
    pthread_mutex_unlock(&nm->lock);
    nm_html_property(&page, "Free disk", "%lld MB", (long long)free_mb);
    nm_html_property(&page, "Version", "Creel " CREEL_VERSION);
    nm_html_close_table(&page);
    nm_html_answer(rq, &page);
}

/* ---- applications ---- */

static void add_app_row(const struct nm_app_view *v, void *u)
{
    struct base_buf *page = u;
    char path[BASE_ID_TEXT_MAX + sizeof "/node/application/"];

    snprintf(path, sizeof path, "/node/application/%s", v->text);
    base_buf_adds(page, "<tr>");
    nm_html_link_cell(page, path, v->text);
    nm_html_cell(page, "%s", v->user ? v->user : "");
    nm_html_cell(page, "%s", nm_app_state_name(v));
    nm_html_cell(page, "%zu", v->alive);
    base_buf_adds(page, "</tr>\n");
}

static void get_apps_page(struct api_request *rq, void *user)
{
    static const char *const headings[] = {"Application", "User", "State", "Containers alive"};
    struct nm *nm = user;
    struct base_buf page = {0};

    nm_html_open(&page, "Applications on this node");
    nm_html_open_table(&page, headings, sizeof headings / sizeof *headings);
    pthread_mutex_lock(&nm->lock);
    nm_core_each_app(nm->core, add_app_row, &page);
    pthread_mutex_unlock(&nm->lock);
    nm_html_close_table(&page);
    nm_html_answer(rq, &page);
}

/* ---- containers ---- */

/* Formats the path of the page with the container's logs. */
static void format_logs_path(const struct nm_container_view *v, struct base_buf *out)
{
    const char *user = v->app->user;

    base_buf_addf(out, "/node/containerlogs/%s/", v->text);
    base_percent_encode(user && *user ? user : "nobody", out);
}

static void add_container_row(struct nm_container *c, void *u)
{
    const struct nm_container_view *v = nm_core_view(c);
    struct base_buf *page = u, logs = {0};
    char path[BASE_ID_TEXT_MAX + sizeof "/node/container/"];

    snprintf(path, sizeof path, "/node/container/%s", v->text);
    format_logs_path(v, &logs);
    base_buf_adds(page, "<tr>");
    nm_html_link_cell(page, path, v->text);
    nm_html_cell(page, "%s", v->name ? v->name : "");
    nm_html_cell(page, "%s", nm_container_state_name(v->state));
    nm_html_cell(page, "%.0f %%", v->progress * 100);
    nm_html_link_cell(page, logs.data, "logs");
    base_buf_adds(page, "</tr>\n");
    base_buf_free(&logs);
}

static void open_container_table(struct base_buf *page)
{
    static const char *const headings[] = {"Container", "Name", "State", "Progress", "Logs"};

    nm_html_open_table(page, headings, sizeof headings / sizeof *headings);
}

static void get_containers_page(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    struct base_buf page = {0};

    nm_html_open(&page, "Containers on this node");
    open_container_table(&page);
    pthread_mutex_lock(&nm->lock);
    nm_core_each_container(nm->core, add_container_row, &page);
    pthread_mutex_unlock(&nm->lock);
    nm_html_close_table(&page);
    nm_html_answer(rq, &page);
}

static void get_app_page(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    const struct nm_app_view *v = NULL;
    struct base_buf page = {0};
    struct base_app_id id;

    if (base_app_id_parse(api_path_arg(rq, 0), &id, NULL) < 0) {
        nm_html_answer_missing(rq, "Application", "This is not the id of an application.");
        return;
    }
    nm_html_open(&page, api_path_arg(rq, 0));
    pthread_mutex_lock(&nm->lock);
    v = nm_core_app_find(nm->core, &id);
    if (v) {
        nm_html_open_properties(&page);
        nm_html_property(&page, "User", "%s", v->user ? v->user : "");
        nm_html_property(&page, "State", "%s", nm_app_state_name(v));
        nm_html_close_table(&page);
        open_container_table(&page);
        nm_core_each_of_app(nm->core, v, add_container_row, &page);
        nm_html_close_table(&page);
    }
    pthread_mutex_unlock(&nm->lock);
    if (!v)
        base_buf_adds(&page, "<p>This node does not know the application.</p>\n");
    nm_html_answer(rq, &page);
}

static void add_container_properties(struct base_buf *page, const struct nm_container_view *v)
{
    struct base_buf logs = {0};

    nm_html_open_properties(page);
    nm_html_property(page, "Name", "%s", v->name ? v->name : "");
    nm_html_property(page, "User", "%s", v->app->user ? v->app->user : "");
    nm_html_property(page, "State", "%s", nm_container_state_name(v->state));
    if (v->exit_code != NM_EXIT_NONE)
        nm_html_property(page, "Exit status", "%d", v->exit_code);
    nm_html_property(page, "Diagnostics", "%s", v->diagnostics ? v->diagnostics : "");
    nm_html_property(page, "Memory", "%lld MB", (long long)v->memory_mb);
    nm_html_property(page, "VCores", "%lld", (long long)v->vcores);
    base_buf_adds(page, "<tr><th scope=\"row\">Logs</th>");
    format_logs_path(v, &logs);
    nm_html_link_cell(page, logs.data, "files");
    base_buf_free(&logs);
    base_buf_adds(page, "</tr>\n");
    nm_html_close_table(page);
}

static void get_container_page(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    const struct nm_container *c;
    struct base_buf page = {0};
    struct base_container_id id;

    if (base_container_id_parse(api_path_arg(rq, 0), &id, NULL) < 0) {
        nm_html_answer_missing(rq, "Container", "This is not the id of a container.");
        return;
    }
    nm_html_open(&page, api_path_arg(rq, 0));
    pthread_mutex_lock(&nm->lock);
    c = nm_core_find(nm->core, &id);
    if (c)
        add_container_properties(&page, nm_core_view(c));
    pthread_mutex_unlock(&nm->lock);
    if (!c)
        base_buf_adds(&page, "<p>This node does not have the container, or has it no more.</p>\n");
    nm_html_answer(rq, &page);
}

/* clang-format off */
const struct api_route nm_pages_routes[] = {
    {"GET", "/node", API_ROLE_READ, 0, get_node_page, 0},
    {"GET", "/node/node", API_ROLE_READ, 0, get_node_page, 0},
    {"GET", "/node/allApplications", API_ROLE_READ, 0, get_apps_page, 0},
    {"GET", "/node/allContainers", API_ROLE_READ, 0, get_containers_page, 0},
    {"GET", "/node/application/{appid}", API_ROLE_READ, 0, get_app_page, 0},
    {"GET", "/node/container/{containerid}", API_ROLE_READ, 0, get_container_page, 0},
};
/* clang-format on */
NM_ROUTES_END(nm_pages_routes);
