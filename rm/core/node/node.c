/* Nodes as objects: the table of nodes, their hosts and racks, their slots. */
#include "rm/core/node/node.h"

#include <stdlib.h>
#include <string.h>

#include "rm/core/node/places.h"
#include "rm/core/state.h"

static bool node_has_id(const void *object, const void *key)
{
    return strcmp(((const struct rm_node *)object)->id, key) == 0;
}

struct rm_node *rm_node_find(const struct rm_core *c, const char *id)
{
    return id ? base_map_find(&c->nodes_by_id, base_hash_text(id), node_has_id, id) : NULL;
}

struct rm_node *rm_node_new(struct rm_core *c, const char *id)
{
    struct rm_node *n = base_alloc(sizeof *n);

    n->id = base_strdup(id);
    n->host = n->rack = RM_NONE;
    n->born = ++c->nodes_born;
    n->healthy = true;
    n->hold = (struct rm_timer){.kind = RM_TIMER_NODE_HOLD, .owner = n};
    n->expiry = (struct rm_timer){.kind = RM_TIMER_NODE_EXPIRY, .owner = n};
    n->decommission = (struct rm_timer){.kind = RM_TIMER_NODE_DECOMMISSION, .owner = n};
    n->step_limit = (struct rm_timer){.kind = RM_TIMER_STEP_LIMIT, .owner = n};
    n->overcommit = (struct rm_timer){.kind = RM_TIMER_NODE_OVERCOMMIT, .owner = n};
    for (int k = 0; k < RM_FREE_LISTS; k++)
        n->free_bucket[k] = -1;
    if (c->nodes_free_n) {
        n->index = c->nodes_free[--c->nodes_free_n];
    } else {
        base_array_grow(&c->nodes, c->nodes_n, &c->nodes_cap);
        n->index = (uint32_t)c->nodes_n++;
    }
    c->nodes[n->index] = n;
    base_map_add(&c->nodes_by_id, base_hash_text(id), n);
    return n;
}

void rm_node_set_text(char **at, const char *text)
{
    if (*at && text && strcmp(*at, text) == 0)
        return;
    free(*at);
    *at = base_strdup(text ? text : "");
}

void rm_node_free(struct rm_node *n)
{
    rm_orders_free(&n->queue);
    rm_orders_free(&n->sent);
    free(n->logs.v);
    free(n->id);
    free(n->host_name);
    free(n->http);
    free(n->rack_name);
    free(n->version);
    free(n->boot_id);
    free(n->instance);
    free(n->health_report);
    free(n);
}

void rm_node_delete(struct rm_core *c, struct rm_node *n)
{
    base_array_grow(&c->nodes_free, c->nodes_free_n, &c->nodes_free_cap);
    c->nodes_free[c->nodes_free_n++] = n->index;
    c->nodes[n->index] = NULL;
    base_map_remove(&c->nodes_by_id, base_hash_text(n->id), n);
    rm_node_free(n);
}

void rm_node_set_host_and_rack(struct rm_core *c, struct rm_node *n, const char *host,
                               const char *rack)
{
    uint32_t old_host = n->host, old_rack = n->rack;

    rm_node_set_text(&n->host_name, host);
    rm_node_set_text(&n->rack_name, rack && *rack ? rack : "/default-rack");
    n->host = rm_names_add(&c->hosts, n->host_name);
    n->rack = rm_names_add(&c->racks, n->rack_name);
    rm_names_ref(&c->hosts, n->host);
    rm_names_ref(&c->racks, n->rack);
    while (c->host_rack_n <= n->host) {
        c->host_rack = base_realloc_array(c->host_rack, c->host_rack_n + 64, sizeof *c->host_rack);
        for (size_t i = 0; i < 64; i++)
            c->host_rack[c->host_rack_n++] = RM_NONE;
    }
    if (c->host_rack[n->host] != n->rack) {
        uint32_t before = c->host_rack[n->host];

        rm_names_ref(&c->racks, n->rack);
        if (before != RM_NONE)
            rm_rack_unref(c, before);
        c->host_rack[n->host] = n->rack;
        c->rack_stamp++;
    }
    rm_node_update_label(c, n);
    if (old_host != RM_NONE) { /* dropped last, since old and new names may be equal */
        rm_host_unref(c, old_host);
        rm_rack_unref(c, old_rack);
    }
}

void rm_node_set_slots(struct rm_core *c, struct rm_node *n, int32_t maps, int32_t reduces,
                       int32_t masters)
{
    n->slots[BASE_TASK_MAP] = maps > 0 ? maps : 0;
    n->slots[BASE_TASK_REDUCE] = reduces > 0 ? reduces : 0;
    n->masters.slots = masters > 0 ? masters : 0;
    for (int i = 0; i < RM_RES_NAMES; i++) {
        n->total.v[i] = n->masters.slots * c->conf.slot_res[BASE_TASK_MAP].v[i];
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            n->total.v[i] += n->slots[k] * c->conf.slot_res[k].v[i];
    }
    n->total.v[RM_RES_MAP_SLOTS] = n->slots[BASE_TASK_MAP];
    n->total.v[RM_RES_REDUCE_SLOTS] = n->slots[BASE_TASK_REDUCE];
}
