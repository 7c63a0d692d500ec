/* rm/rpc/labels.c - node labels, as REST shows them (rm/http/nodes/labels.c). */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "rm/rpc/client.h"

static void read_labels(struct rm_backend *b, struct rm_views *v)
{
    *v = (struct rm_views){0};
    rm_view_labels(rm_backend_lock_core(b), v);
    rm_backend_unlock_core(b);
}

void rm_rpc_get_labels(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    struct base_buf out = {0};
    struct rm_views v;

    (void)request;
    read_labels(user, &v);
    for (size_t i = 0; i < v.labels_n; i++) {
        Yarn__Label label = YARN__LABEL__INIT;

        if (!*v.labels[i].name) /* the nodes without one */
            continue;
        label.name = (char *)v.labels[i].name;
        label.has_exclusive = true;
        label.exclusive = v.labels[i].exclusive;
        api_rpc_add_field(&out, 2, &label.base);
    }
    rm_views_free(&v);
    api_rpc_answer_encoded(call, &out);
}

void rm_rpc_get_labels_of_nodes(struct api_rpc_call *call, const ProtobufCMessage *request,
                                void *user)
{
    struct base_buf out = {0};
    struct rm_views v;

    (void)request;
    read_labels(user, &v);
    for (size_t i = 0; i < v.node_labels_n; i++) {
        Yarn__NodeLabels entry = YARN__NODE_LABELS__INIT;
        char host[BASE_NAME_MAX], *label = (char *)v.labels[v.node_labels[i].label].name;
        Yarn__NodeId id;

        rm_rpc_put_node_id(v.node_labels[i].node, host, sizeof host, &id);
        entry.node = &id;
        entry.labels = &label;
        entry.n_labels = 1;
        api_rpc_add_field(&out, 1, &entry.base);
    }
    rm_views_free(&v);
    api_rpc_answer_encoded(call, &out);
}

/* Returns whether the request asks for @label: without names, all are wanted. */
static bool is_wanted(const Yarn__LabelsRequest *rq, const char *label)
{
    for (size_t i = 0; i < rq->n_names; i++)
        if (strcmp(rq->names[i], label) == 0)
            return true;
    return rq->n_names == 0;
}

struct put_node {
    Yarn__NodeId id;
    char host[BASE_NAME_MAX];
};

/* Appends a label with its nodes, unless it has none. @nodes and @ids have room for all nodes. */
static void add_nodes_of_label(const struct rm_views *v, size_t label, struct put_node *nodes,
                               Yarn__NodeId **ids, struct base_buf *out)
{
    Yarn__LabelNodes entry = YARN__LABEL_NODES__INIT;

    for (size_t i = 0; i < v->node_labels_n; i++) {
        struct put_node *n = &nodes[entry.n_nodes];

        if (v->node_labels[i].label != label)
            continue;
        rm_rpc_put_node_id(v->node_labels[i].node, n->host, sizeof n->host, &n->id);
        ids[entry.n_nodes++] = &n->id;
    }
    entry.label = (char *)v->labels[label].name;
    entry.nodes = ids;
    if (entry.n_nodes)
        api_rpc_add_field(out, 1, &entry.base);
}

void rm_rpc_get_nodes_of_labels(struct api_rpc_call *call, const ProtobufCMessage *request,
                                void *user)
{
    const Yarn__LabelsRequest *rq = (const Yarn__LabelsRequest *)request;
    struct base_buf out = {0};
    struct put_node *nodes;
    Yarn__NodeId **ids;
    struct rm_views v;

    read_labels(user, &v);
    nodes = base_alloc((v.node_labels_n + 1) * sizeof *nodes);
    ids = base_alloc((v.node_labels_n + 1) * sizeof *ids);
    for (size_t i = 0; i < v.labels_n; i++)
        if (*v.labels[i].name && is_wanted(rq, v.labels[i].name))
            add_nodes_of_label(&v, i, nodes, ids, &out);
    free(ids);
    free(nodes);
    rm_views_free(&v);
    api_rpc_answer_encoded(call, &out);
}
