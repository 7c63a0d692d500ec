/* rm/http/pages/about.c - the page about the cluster and this ResourceManager, which a standby
 * shows too. */
#include <inttypes.h>

#include "base/conf/conf.h"
#include "base/version.h"
#include "rm/http/pages/pages.h"
#include "rm/http/routes.h"
#include "rm/leader/standby.h"

#define COUNT(array) (sizeof array / sizeof *array)

static void add_leadership_properties(struct base_buf *out, const struct rm_backend *b)
{
    char text[512];

    api_page_add_property(out, "Role", "%s", rm_standby_get_state_name(b, false));
    if (!rm_backend_is_one_of_several(b))
        return;
    api_page_add_property(out, "This ResourceManager", "%s", rm_backend_rm_id(b));
    rm_backend_active_url(b, text);
    if (*text) {
        api_page_open_property(out, "Active ResourceManager");
        api_page_add_link(out, text, text);
        api_page_close_property(out);
    }
    api_page_add_property(out, "All ResourceManagers", "%s", rm_backend_all_urls(b));
    rm_backend_zk_text(b, text);
    api_page_add_property(out, "ZooKeeper", "%s", text);
}

static void add_links_for_programs(struct base_buf *out)
{
    static const struct api_page_link links[] = {
        {"/ws/v1/cluster/info", "information"},
        {"/ws/v1/cluster/metrics", "metrics"},
        {"/jmx", "beans"},
        {"/metrics", "metrics for Prometheus"},
        {"/conf", "configuration"},
    };

    base_buf_adds(out, "<h2>For programs</h2>\n<ul>\n");
    for (size_t i = 0; i < COUNT(links); i++) {
        base_buf_adds(out, "<li>");
        api_page_add_link(out, links[i].path, links[i].text);
        base_buf_adds(out, "</li>\n");
    }
    base_buf_adds(out, "</ul>\n");
}

static void get_about_page(struct api_request *rq, void *user)
{
    struct rm_backend *b = user;
    const char *cluster = base_conf_get(rm_backend_conf(b), "yarn.resourcemanager.cluster-id");
    struct rm_cluster_view c;
    struct base_buf page = {0};

    rm_view_cluster(rm_backend_lock_core(b), &c);
    rm_backend_unlock_core(b);
    api_page_open(&page, &rm_site, "/cluster/cluster", "About the cluster");
    api_page_open_live(&page);
    api_page_open_properties(&page);
    api_page_add_property(&page, "Version", "Creel " CREEL_VERSION);
    api_page_add_property(&page, "Speaks YARN as Hadoop", "%s",
                          base_conf_get(rm_backend_conf(b), "creel.yarn.hadoop-version"));
    if (cluster && *cluster)
        api_page_add_property(&page, "Cluster", "%s", cluster);
    api_page_add_property(&page, "Cluster's number", "%" PRId64, c.cluster_ts_ms);
    api_page_open_property(&page, "Started");
    rm_page_add_time(&page, c.rm_instance_ms * 1000);
    api_page_close_property(&page);
    add_leadership_properties(&page, b);
    api_page_add_property(&page, "State store", "%s",
                          rm_backend_is_one_of_several(b) ? "ZooKeeper" : "SQLite");
    api_page_add_property(&page, "Scheduling policy", "%s", c.policy ? c.policy : "");
    api_page_add_property(&page, "Applications submitted", "%" PRId64, c.apps_submitted);
    api_page_add_property(&page, "Containers started", "%" PRId64, c.assignments);
    api_page_close_properties(&page);
    api_page_close_live(&page);
    add_links_for_programs(&page);
    api_page_answer(rq, 200, &page);
}

const struct api_route rm_pages_about_routes[] = {
    {"GET", "/cluster/cluster", API_ROLE_READ, 0, get_about_page, API_ROUTE_CREEL},
};
const size_t rm_pages_about_routes_n = COUNT(rm_pages_about_routes);
