/* Nodes. Source: yarn-rest.md 2.16, 4.4. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_limits.h"
#include "rm/rm_api_yarn_internal.h"

/* NodeState.valueOf of each part of the list, in upper case; as Java splits, empty parts at the end do not count. */
static bool read_states(struct api_request *rq, uint32_t *out)
{
    const char *list = api_query(rq, "states");

    *out = list ? 0 : ~UINT32_C(0);
    while (list) {
        char name[64];
        size_t n = strcspn(list, ",");
        int s = RM_NODE_NEW;
        snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), list);
        for (char *p = name; *p; p++)
            *p = (char)toupper((unsigned char)*p);
        while (s < RM_NODE_STATES && strcmp(rm_node_state_name((enum rm_node_state)s), name) != 0)
            s++;
        if (s == RM_NODE_STATES) {
            api_answer_error(rq, 400, "IllegalArgumentException",
                             "No enum constant org.apache.hadoop.yarn.api.records.NodeState.%s", name);
            return false;
        }
        *out |= UINT32_C(1) << s;
        list += n;
        list = list[strspn(list, ",")] ? list + 1 : NULL;
    }
    return true;
}

void yarn_get_nodes(struct api_request *rq, void *user)
{
    struct rm_backend *b = user;
    enum api_dialect d = yarn_dialect(rq, API_N_WRAPPED);
    struct base_buf body = {0};
    struct yarn_node node;
    struct yarn_frame f;
    size_t pos = 0, shown = 0;
    uint32_t states;
    bool more = true;

    if (!read_states(rq, &states))
        return;
    yarn_frame_take(b, &f);
    api_shape_list_open("nodes", "node", d, &body);
    while (more) {
        struct rm_views v = {0};
        const struct rm_core *core = rm_backend_hold(b);
        more = rm_view_nodes(core, &pos, BASE_VIEW_CHUNK, &v);
        rm_backend_release(b);
        for (size_t i = 0; i < v.nodes_n; i++) {
            if (!(states & UINT32_C(1) << v.nodes[i].state))
                continue;
            yarn_node_fill(&f, &v.nodes[i], &node);
            api_shape_list_item("node", &yarn_shape_node, d, &node, shown++, &body);
        }
        rm_views_free(&v);
    }
    api_shape_list_close("nodes", d, shown, &body);
    yarn_frame_free(&f);
    api_answer(rq, 200, api_want(rq), &body);
}

/* NodeId.fromString: two parts, the second one a number. False: answered. */
static bool node_id_arg(struct api_request *rq, char id[static 512])
{
    const char *given = api_path_arg(rq, 0), *colon = strchr(given, ':');
    char *end;
    long port;

    if (!colon || colon == given || colon[1] == '\0' || strchr(colon + 1, ':') || strlen(given) > 500) {
        api_answer_error(rq, 400, "IllegalArgumentException", "Invalid NodeId [%.500s]. Expected host:port", given);
        return false;
    }
    errno = 0;
    port = strtol(colon + 1, &end, 10);
    if (*end || errno || isspace((unsigned char)colon[1]) || port < INT32_MIN || port > INT32_MAX) {
        api_answer_error(rq, 400, "IllegalArgumentException", "Invalid port: %s", colon + 1);
        return false;
    }
    snprintf(id, 512, "%.*s:%ld", (int)(colon - given), given, port);
    return true;
}

void yarn_get_node(struct api_request *rq, void *user)
{
    struct rm_backend *b = user;
    struct rm_views v = {0};
    struct yarn_node node;
    struct yarn_frame f;
    char id[512];
    int rc;

    if (!node_id_arg(rq, id))
        return;
    rc = rm_view_node(rm_backend_hold(b), id, &v);
    rm_backend_release(b);
    if (rc < 0) {
        yarn_not_found(rq, "nodeId, %s, is not found", api_path_arg(rq, 0));
    } else {
        yarn_frame_take(b, &f);
        yarn_node_fill(&f, &v.nodes[0], &node);
        yarn_answer(rq, 200, &yarn_shape_node, API_N_WRAPPED, &node);
        yarn_frame_free(&f);
    }
    rm_views_free(&v);
}
