/* rm/http/node_list.c - GET /ws/v1/cluster/node-list: all known nodes, whatever their state, in the
 * order of rm_view_nodes(), with their slots of each kind (those for masters alone where there are
 * any) and the time since their last heartbeat:
 * {"nodes":[{…},…]}. YARN's own list of nodes has only memory and vcores. */
#include "base/io/json_write.h"
#include "rm/http/core_call.h"
#include "rm/http/listing.h"

struct node_list {
    struct rm_listing list;
    size_t pos;
    bool opened;
};

static void put_slots_of_kind(const char *kind, int32_t used, int32_t total, struct base_buf *out)
{
    base_json_key(out, kind);
    base_json_open(out, '{');
    base_json_put_int(out, "used", used);
    base_json_put_int(out, "total", total);
    base_json_close(out, '}');
}

static void put_slots(const struct rm_node_view *n, struct base_buf *out)
{
    static const char *const kinds[BASE_TASK_KINDS] = {
        [BASE_TASK_MAP] = "map", [BASE_TASK_REDUCE] = "reduce"};

    base_json_key(out, "slots");
    base_json_open(out, '{');
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        put_slots_of_kind(kinds[k], n->used_slots[k], n->slots[k], out);
    if (n->master_slots || n->used_master_slots)
        put_slots_of_kind("master", n->used_master_slots, n->master_slots, out);
    base_json_close(out, '}');
}

static void put_node(const struct rm_node_view *n, int64_t now_us, struct base_buf *out)
{
    int64_t silent_us = n->last_heartbeat_us > 0 && n->last_heartbeat_us < now_us
                            ? now_us - n->last_heartbeat_us
                            : 0;

    base_json_open(out, '{');
    base_json_put_str(out, "id", n->id);
    base_json_put_str(out, "host", n->host ? n->host : "");
    base_json_put_str(out, "httpAddress", n->http_address ? n->http_address : "");
    base_json_put_str(out, "rack", n->rack ? n->rack : "");
    base_json_put_str(out, "state", rm_node_state_name(n->state));
    put_slots(n, out);
    base_json_put_bool(out, "draining", n->draining);
    if (n->decommissioning && n->decommission_at_us) /* the latest end of its service */
        base_json_put_int(out, "decommissionAt", n->decommission_at_us / 1000);
    base_json_put_int(out, "containers", n->containers);
    /* A registration counts as a heartbeat. For a node that has not registered since this
     * ResourceManager began to lead: the time at which the ResourceManager began to lead while the
     * node is awaited, else 0. */
    base_json_put_int(out, "lastHeartbeat", n->last_heartbeat_us / 1000);
    base_json_put_int(out, "silentMs", silent_us / 1000);
    base_json_put_str(out, "version", n->version ? n->version : "");
    base_json_put_str(out, "health", n->health_report ? n->health_report : "");
    base_json_close(out, '}');
}

static enum rm_listing_next write_nodes_chunk(struct rm_listing *list, size_t max,
                                              struct base_buf *out)
{
    struct node_list *l = (struct node_list *)list;
    int64_t now_us = rm_backend_now_us(list->b);
    struct rm_views v = {0};
    bool more;

    if (!l->opened) {
        base_json_open(out, '{');
        base_json_key(out, "nodes");
        base_json_open(out, '[');
        l->opened = true;
    }
    more = rm_view_nodes(rm_backend_lock_core(list->b), &l->pos, max, &v);
    rm_backend_unlock_core(list->b);
    for (size_t i = 0; i < v.nodes_n; i++)
        put_node(&v.nodes[i], now_us, out);
    rm_views_free(&v);
    if (more)
        return RM_LISTING_MORE;
    base_json_close(out, ']');
    base_json_close(out, '}');
    return RM_LISTING_END;
}

static void list_nodes(struct api_request *rq, void *user)
{
    struct node_list *l = base_alloc(sizeof *l);

    l->list = (struct rm_listing){.rq = rq,
                                  .b = user,
                                  .type = API_JSON,
                                  .is_sent_while_written = true,
                                  .chunk = write_nodes_chunk};
    rm_listing_answer(&l->list);
}

const struct api_route rm_api_nodes_routes[] = {
    {"GET", "/ws/v1/cluster/node-list", API_ROLE_READ, 0, list_nodes, API_ROUTE_CREEL},
};
const size_t rm_api_nodes_routes_n = sizeof rm_api_nodes_routes / sizeof *rm_api_nodes_routes;
