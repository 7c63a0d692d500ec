/* rm/http/yarn/nodes.c - lists nodes and shows one node. SOURCE: Hadoop's ResourceManager REST
 * APIs. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rm/http/listing.h"
#include "rm/http/yarn/yarn_internal.h"

/* Parses the parameter "states" into a bit set (all states when it is absent) as YARN does: each
 * part, converted to upper case, must be a NodeState, and empty parts at the end do not count.
 * Returns false when a part is unknown; @rq has then been answered. */
static bool read_node_states(struct api_request *rq, uint32_t *out)
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
                             "No enum constant org.apache.hadoop.yarn.api.records.NodeState.%s",
                             name);
            return false;
        }
        *out |= UINT32_C(1) << s;
        list += n;
        list = list[strspn(list, ",")] ? list + 1 : NULL;
    }
    return true;
}

struct listing {
    struct rm_listing list;
    struct yarn_context frame;
    enum api_dialect dialect;
    uint32_t states;
    size_t pos, shown;
};

static enum rm_listing_next write_nodes_chunk(struct rm_listing *list, size_t max,
                                              struct base_buf *out)
{
    struct listing *l = (struct listing *)list;
    struct rm_views v = {0};
    struct yarn_node node;
    bool more;

    if (l->pos == 0)
        api_shape_open_list("nodes", "node", l->dialect, out);
    more = rm_view_nodes(rm_backend_lock_core(list->b), &l->pos, max, &v);
    rm_backend_unlock_core(list->b);
    for (size_t i = 0; i < v.nodes_n; i++) {
        if (!(l->states & UINT32_C(1) << v.nodes[i].state))
            continue;
        yarn_node_fill(&l->frame, &v.nodes[i], &node);
        api_shape_add_list_item("node", &yarn_shape_node, l->dialect, &node, l->shown++, out);
    }
    rm_views_free(&v);
    if (more)
        return RM_LISTING_MORE;
    api_shape_close_list("nodes", l->dialect, l->shown, out);
    return RM_LISTING_END;
}

static void free_nodes_listing(struct rm_listing *list)
{
    yarn_context_free(&((struct listing *)list)->frame);
}

static void get_nodes(struct api_request *rq, void *user)
{
    struct listing *l;
    uint32_t states;

    if (!read_node_states(rq, &states))
        return;
    l = base_alloc(sizeof *l);
    l->list = (struct rm_listing){.rq = rq,
                                  .b = user,
                                  .type = api_wanted_type(rq),
                                  .is_sent_while_written = true,
                                  .chunk = write_nodes_chunk,
                                  .drop = free_nodes_listing};
    l->dialect = yarn_choose_dialect(rq, API_N_WRAPPED);
    l->states = states;
    yarn_context_read(user, &l->frame);
    rm_listing_answer(&l->list);
}

/* Parses the id as NodeId.fromString() does: two parts, the second one a number. */
bool yarn_parse_node_id_arg(struct api_request *rq, char id[static YARN_NODE_ID_MAX])
{
    const char *given = api_path_arg(rq, 0), *colon = strchr(given, ':');
    char *end;
    long port;

    if (!colon || colon == given || colon[1] == '\0' || strchr(colon + 1, ':') ||
        strlen(given) > 500) {
        api_answer_error(rq, 400, "IllegalArgumentException",
                         "Invalid NodeId [%.500s]. Expected host:port", given);
        return false;
    }
    errno = 0;
    port = strtol(colon + 1, &end, 10);
    if (*end || errno || isspace((unsigned char)colon[1]) || port < INT32_MIN || port > INT32_MAX) {
        api_answer_error(rq, 400, "IllegalArgumentException", "Invalid port: %s", colon + 1);
        return false;
    }
    snprintf(id, YARN_NODE_ID_MAX, "%.*s:%ld", (int)(colon - given), given, port);
    return true;
}

static void get_node(struct api_request *rq, void *user)
{
    struct rm_backend *b = user;
    struct rm_views v = {0};
    struct yarn_node node;
    struct yarn_context f;
    char id[YARN_NODE_ID_MAX];
    int rc;

    if (!yarn_parse_node_id_arg(rq, id))
        return;
    rc = rm_view_node(rm_backend_lock_core(b), id, &v);
    rm_backend_unlock_core(b);
    if (rc < 0) {
        yarn_not_found(rq, "nodeId, %s, is not found", api_path_arg(rq, 0));
    } else {
        yarn_context_read(b, &f);
        yarn_node_fill(&f, &v.nodes[0], &node);
        yarn_answer(rq, 200, &yarn_shape_node, API_N_WRAPPED, &node);
        yarn_context_free(&f);
    }
    rm_views_free(&v);
}

/* clang-format off */
const struct api_route rm_yarn_nodes_routes[] = {
    {"GET", YARN_CLUSTER "/nodes",          API_ROLE_READ, 0, get_nodes, 0},
    {"GET", YARN_CLUSTER "/nodes/{nodeid}", API_ROLE_READ, 0, get_node, 0},
};
/* clang-format on */
const size_t rm_yarn_nodes_routes_n = sizeof rm_yarn_nodes_routes / sizeof rm_yarn_nodes_routes[0];
