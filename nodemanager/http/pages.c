/* nodemanager/http/pages.c - pages for people: the node, its applications and its containers, below
 * /node as in YARN. */
#include <stdio.h>
#include <string.h>

#include "api/pages/login.h"
#include "base/conf/percent.h"
#include "base/version.h"
#include "nodemanager/http/answer.h"
#include "nodemanager/http/routes.h"
#include "nodemanager/http/site.h"

static const struct api_page_link links[] = {
    {"/node/node", "Node"},
    {"/node/allApplications", "Applications"},
    {"/node/allContainers", "Containers"},
    {"/conf", "Configuration"},
    {"/metrics", "Metrics"},
    {API_LOGIN_PATH, "Log in"},
};
const struct api_page_site nm_site = {"NodeManager", links, sizeof links / sizeof *links};

static void get_node_page(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    struct base_buf page = {0};
    const char *report;
    int64_t free_mb;
    bool healthy;

    api_page_open(&page, &nm_site, "/node/node", "NodeManager information");
    api_page_open_live(&page);
    api_page_open_properties(&page);
    api_page_add_property(&page, "Node", "%s", nm->node_id);
    api_page_add_property(&page, "Rack", "%s", nm->ident.rack);
    api_page_add_property(&page, "Map slots", "%lld", (long long)nm->ident.map_slots);
    api_page_add_property(&page, "Reduce slots", "%lld", (long long)nm->ident.reduce_slots);
    if (nm->ident.master_slots)
        api_page_add_property(&page, "Master slots", "%lld", (long long)nm->ident.master_slots);
    api_page_add_property(&page, "Memory for containers", "%lld MB",
                          (long long)nm_offered_memory_mb(nm));
    api_page_add_property(&page, "VCores for containers", "%lld", (long long)nm_offered_vcores(nm));
    pthread_mutex_lock(&nm->lock);
    healthy = nm_core_is_healthy(nm->core, &report, &free_mb);
    api_page_add_property(&page, "Containers alive", "%zu", nm_core_alive_count(nm->core));
    api_page_add_property(&page, "ResourceManager", "%s%s", nm->rm_url,
                          nm_core_is_registered(nm->core) ? "" : " (not registered)");
    api_page_add_property(&page, "Health", "%s%s%s", healthy ? "good" : "bad", *report ? ": " : "",
                          report);
    pthread_mutex_unlock(&nm->lock);
    api_page_add_property(&page, "Free disk", "%lld MB", (long long)free_mb);
    api_page_add_property(&page, "Version", "Creel " CREEL_VERSION);
    api_page_close_properties(&page);
    api_page_close_live(&page);
    api_page_answer(rq, 200, &page);
}

/* ---- applications ---- */

static void add_app_row(const struct nm_app_view *v, void *u)
{
    struct api_table *t = u;
    char path[BASE_ID_TEXT_MAX + sizeof "/node/application/"];

    snprintf(path, sizeof path, "/node/application/%s", v->text);
    api_table_open_row(t, v->text);
    api_table_add_link_cell(t, path, v->text);
    api_table_add_cell(t, "%s", v->user ? v->user : "");
    api_table_add_cell(t, "%s", nm_app_state_name(v));
    api_table_add_cell(t, "%zu", v->alive);
    api_table_close_row(t);
}

static void get_apps_page(struct api_request *rq, void *user)
{
    static const struct api_column columns[] = {
        {.heading = "Application"},
        {.heading = "User"},
        {.heading = "State"},
        {.heading = "Containers alive", .is_number = true},
    };
    struct nm *nm = user;
    struct base_buf page = {0};
    struct api_table table = {
        .out = &page, .columns = columns, .columns_n = sizeof columns / sizeof *columns};

    api_page_open(&page, &nm_site, "/node/allApplications", "Applications on this node");
    api_page_open_live(&page);
    api_table_open(&table, "Applications that have containers here, or had some lately");
    pthread_mutex_lock(&nm->lock);
    nm_core_each_app(nm->core, add_app_row, &table);
    pthread_mutex_unlock(&nm->lock);
    api_table_close(&table);
    api_page_close_live(&page);
    api_page_answer(rq, 200, &page);
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
    struct api_table *t = u;
    struct base_buf logs = {0};
    char path[BASE_ID_TEXT_MAX + sizeof "/node/container/"];

    snprintf(path, sizeof path, "/node/container/%s", v->text);
    format_logs_path(v, &logs);
    api_table_open_row(t, v->text);
    api_table_add_link_cell(t, path, v->text);
    api_table_add_cell(t, "%s", v->name ? v->name : "");
    api_table_add_cell(t, "%s", nm_container_state_name(v->state));
    api_table_open_cell(t);
    api_page_add_bar(t->out, v->progress);
    api_table_close_cell(t);
    api_table_add_link_cell(t, logs.data, "logs");
    api_table_close_row(t);
    base_buf_free(&logs);
}

static const struct api_column container_columns[] = {
    {.heading = "Container"}, {.heading = "Name"}, {.heading = "State"},
    {.heading = "Progress"},  {.heading = "Logs"},
};

static struct api_table open_container_table(struct base_buf *page)
{
    struct api_table t = {.out = page,
                          .columns = container_columns,
                          .columns_n = sizeof container_columns / sizeof *container_columns};

    api_table_open(&t, "Containers that live, and those that ended lately");
    return t;
}

static void get_containers_page(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    struct base_buf page = {0};
    struct api_table table;

    api_page_open(&page, &nm_site, "/node/allContainers", "Containers on this node");
    api_page_open_live(&page);
    table = open_container_table(&page);
    pthread_mutex_lock(&nm->lock);
    nm_core_each_container(nm->core, add_container_row, &table);
    pthread_mutex_unlock(&nm->lock);
    api_table_close(&table);
    api_page_close_live(&page);
    api_page_answer(rq, 200, &page);
}

static void append_app_with_containers(struct base_buf *page, struct nm *nm,
                                       const struct nm_app_view *v)
{
    struct api_table table;

    api_page_open_properties(page);
    api_page_add_property(page, "User", "%s", v->user ? v->user : "");
    api_page_add_property(page, "State", "%s", nm_app_state_name(v));
    api_page_close_properties(page);
    table = open_container_table(page);
    nm_core_each_of_app(nm->core, v, add_container_row, &table);
    api_table_close(&table);
}

static void get_app_page(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    const struct nm_app_view *v = NULL;
    struct base_buf page = {0};
    struct base_app_id id;

    if (base_app_id_parse(api_path_arg(rq, 0), &id, NULL) < 0) {
        nm_page_answer_missing(rq, "Application", "This is not the id of an application.");
        return;
    }
    api_page_open(&page, &nm_site, NULL, api_path_arg(rq, 0));
    api_page_open_live(&page);
    pthread_mutex_lock(&nm->lock);
    v = nm_core_app_find(nm->core, &id);
    if (v)
        append_app_with_containers(&page, nm, v);
    pthread_mutex_unlock(&nm->lock);
    if (!v)
        base_buf_adds(&page, "<p>This node does not know the application.</p>\n");
    api_page_close_live(&page);
    api_page_answer(rq, 200, &page);
}

static void add_container_properties(struct base_buf *page, const struct nm_container_view *v)
{
    struct base_buf logs = {0};

    api_page_open_properties(page);
    api_page_add_property(page, "Name", "%s", v->name ? v->name : "");
    api_page_add_property(page, "User", "%s", v->app->user ? v->app->user : "");
    api_page_add_property(page, "State", "%s", nm_container_state_name(v->state));
    if (v->exit_code != NM_EXIT_NONE)
        api_page_add_property(page, "Exit status", "%d", v->exit_code);
    api_page_add_property(page, "Diagnostics", "%s", v->diagnostics ? v->diagnostics : "");
    api_page_add_property(page, "Memory", "%lld MB", (long long)v->memory_mb);
    api_page_add_property(page, "VCores", "%lld", (long long)v->vcores);
    format_logs_path(v, &logs);
    api_page_open_property(page, "Logs");
    api_page_add_link(page, logs.data, "files");
    api_page_close_property(page);
    base_buf_free(&logs);
    api_page_close_properties(page);
}

static void get_container_page(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    const struct nm_container *c;
    struct base_buf page = {0};
    struct base_container_id id;

    if (base_container_id_parse(api_path_arg(rq, 0), &id, NULL) < 0) {
        nm_page_answer_missing(rq, "Container", "This is not the id of a container.");
        return;
    }
    api_page_open(&page, &nm_site, NULL, api_path_arg(rq, 0));
    api_page_open_live(&page);
    pthread_mutex_lock(&nm->lock);
    c = nm_core_find_container(nm->core, &id);
    if (c)
        add_container_properties(&page, nm_core_view(c));
    pthread_mutex_unlock(&nm->lock);
    if (!c)
        base_buf_adds(&page, "<p>This node does not have the container, or has it no more.</p>\n");
    api_page_close_live(&page);
    api_page_answer(rq, 200, &page);
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
