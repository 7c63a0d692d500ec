/* rm/http/node_relay.c - fetches resources of nodes for clients that cannot reach the nodes: paths
 * below a NodeManager's /ws/v1/node appear below /ws/v1/cluster/nodes/{nodeid}. Only three
 * resources are relayed, and their paths are built anew from checked parts. */
#include <stdio.h>
#include <string.h>

#include "base/conf/percent.h"
#include "rm/daemon/relay.h"
#include "rm/http/access/access.h"
#include "rm/http/access/log_tokens.h"
#include "rm/http/core_call.h"

#define NODES         "/ws/v1/cluster/nodes/{nodeid}"
#define FILE_NAME_MAX 255

/* Copies the HTTP address of the node that the path names to @address. Returns false when the node
 * is unknown, or neither RUNNING, UNHEALTHY nor DECOMMISSIONING; @rq is then answered with 404 or
 * 502. */
static bool read_live_node_address(struct api_request *rq, struct rm_backend *b,
                                   char address[static 512])
{
    const char *id = api_path_arg(rq, 0);
    struct rm_views v = {0};
    enum rm_node_state state = RM_NODE_LOST;
    int rc = rm_view_node(rm_backend_lock_core(b), id, &v);

    rm_backend_unlock_core(b);
    if (rc == 0) {
        state = v.nodes[0].state;
        snprintf(address, 512, "%s", v.nodes[0].http_address);
    }
    rm_views_free(&v);
    if (rc < 0)
        api_answer_error(rq, 404, "NotFoundException", "node %s is not known", id);
    else if (state != RM_NODE_RUNNING && state != RM_NODE_UNHEALTHY &&
             state != RM_NODE_DECOMMISSIONING)
        api_answer_error(rq, 502, "BadGatewayException", "node %s: it is %s", id,
                         rm_node_state_name(state));
    else
        return true;
    return false;
}

/* Answers @rq with the node's answer to GET @path; frees @path. */
static void relay_to_node(struct api_request *rq, struct rm_backend *b, const char *address,
                          struct base_buf *path, const char *type)
{
    rm_relay_get_from_node(rm_backend_relay(b), rq, api_path_arg(rq, 0), address, path->data, type);
    base_buf_free(path);
}

/* Reads the container whose logs are requested. Returns false after answering @rq: the text is not
 * a container id, or the caller may not see the application. The node cannot check this: the
 * ResourceManager's own requests name no user. */
static bool read_visible_container_id(struct api_request *rq, struct rm_backend *b,
                                      char text[static BASE_ID_TEXT_MAX])
{
    struct base_container_id id;
    struct base_error err = {0};

    if (base_container_id_parse(api_path_arg(rq, 1), &id, &err) < 0) {
        rm_api_answer_bad_request(rq, &err);
        return false;
    }
    base_container_id_text(&id, text);
    return !rm_logs_refuse_unless_viewer(rq, b, id.attempt.app);
}

static void relay_raw_log(struct api_request *rq, void *user)
{
    char address[512], container[BASE_ID_TEXT_MAX];
    const char *file = api_path_arg(rq, 2), *follow = api_query(rq, "follow");
    struct base_buf path = {0};
    int64_t offset = 0;

    if (!read_visible_container_id(rq, user, container) ||
        !rm_api_read_query_int(rq, "offset", 0, INT64_MAX, &offset))
        return;
    if (!*file || *file == '.' || strchr(file, '/') || strlen(file) > FILE_NAME_MAX) {
        api_answer_error(rq, 400, "BadRequestException",
                         "file: \"%.100s\" is not the name of a log file", file);
        return;
    }
    if (!read_live_node_address(rq, user, address))
        return;
    base_buf_addf(&path, "raw-logs/%s/", container);
    base_percent_encode(file, &path);
    base_buf_addf(&path, "?offset=%lld%s", (long long)offset,
                  follow && (!strcmp(follow, "1") || !strcmp(follow, "true")) ? "&follow=1" : "");
    relay_to_node(rq, user, address, &path, "application/octet-stream");
}

static void relay_log_list(struct api_request *rq, void *user)
{
    char address[512], container[BASE_ID_TEXT_MAX];
    struct base_buf path = {0};

    if (!read_visible_container_id(rq, user, container) ||
        !read_live_node_address(rq, user, address))
        return;
    base_buf_addf(&path, "containers/%s/logs", container);
    relay_to_node(rq, user, address, &path, "application/json;charset=utf-8");
}

static void relay_app_of_node(struct api_request *rq, void *user)
{
    char address[512], text[BASE_ID_TEXT_MAX];
    struct base_buf path = {0};
    struct base_app_id id;

    if (!rm_api_read_app_id(rq, 1, &id) ||
        rm_access_refuse_app_id_unless_allowed(rq, user, RM_OP_VIEW_APP, id, NULL) ||
        !read_live_node_address(rq, user, address))
        return;
    base_buf_addf(&path, "apps/%s", base_app_id_text(&id, text));
    relay_to_node(rq, user, address, &path, "application/json;charset=utf-8");
}

const struct api_route rm_api_relay_routes[] = {
    {"GET", NODES "/raw-logs/{containerid}/{filename}", API_ROLE_READ, 0, relay_raw_log,
     API_ROUTE_CREEL | API_ROUTE_PRIVATE},
    {"GET", NODES "/containers/{containerid}/logs", API_ROLE_READ, 0, relay_log_list,
     API_ROUTE_CREEL | API_ROUTE_PRIVATE},
    {"GET", NODES "/apps/{appid}", API_ROLE_READ, 0, relay_app_of_node, API_ROUTE_CREEL},
};
const size_t rm_api_relay_routes_n = sizeof rm_api_relay_routes / sizeof *rm_api_relay_routes;
