/* rm/rpc/admin/nodes.c - what administrators decide about nodes: their resources and their labels.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/audit/audit.h"
#include "base/conf/conf.h"
#include "base/limits.h"
#include "rm/rpc/admin/admin.h"

#define SET_RESOURCE "node-resource" /* operations in the audit log, as over REST */
#define AT_ONCE_MAX  1000            /* of one call; the words of refusals name it */

/* Writes "host:port" to @id; the port may be 0 where @whole_host. Returns false when it is none. */
static bool write_node_id(const Yarn__NodeId *given, bool whole_host, char id[static BASE_NAME_MAX])
{
    size_t room = BASE_NAME_MAX - sizeof ":65535";

    if (!given || !given->host || !*given->host || strchr(given->host, ':') ||
        strlen(given->host) > room || given->port < 0 || given->port > UINT16_MAX ||
        (given->port == 0 && !whole_host))
        return false;
    snprintf(id, BASE_NAME_MAX, "%s:%d", given->host, (int)given->port);
    return true;
}

/* ---- resources ---- */

struct wanted_resource {
    char node[BASE_NAME_MAX];
    int64_t memory_mb, vcores, overcommit_us;
};
struct wanted_resources { /* of several nodes, which are changed one after another */
    atomic_int refs;      /* one for each change that is posted */
    size_t n, posted;
    struct wanted_resource v[];
};

static void unref_wanted(void *wanted)
{
    struct wanted_resources *w = wanted;

    if (atomic_fetch_sub(&w->refs, 1) == 1)
        free(w);
}

/* Reads one node's wish. Returns NULL, or what is wrong with it. */
static const char *read_wanted_resource(const Yarn__NodeResource *given,
                                        struct wanted_resource *out)
{
    const Yarn__NodeResourceOption *option = given->option;

    if (!write_node_id(given->node, false, out->node))
        return "node_id: expected a host and a port";
    if (!option || !option->resource || option->resource->memory < 0 ||
        option->resource->memory > INT32_MAX || option->resource->vcores < 0)
        return "resource: expected memory and vcores from 0 to 2147483647";
    out->memory_mb = option->resource->memory;
    out->vcores = option->resource->vcores;
    out->overcommit_us = option->overcommit_ms < 0 ? -1 : option->overcommit_ms * INT64_C(1000);
    return NULL;
}

static bool is_node_known(struct rm_backend *b, const char *id)
{
    struct rm_views v = {0};
    int rc = rm_view_node(rm_backend_lock_core(b), id, &v);

    rm_backend_unlock_core(b);
    rm_views_free(&v);
    return rc == 0;
}

static void answer_or_change_next(struct rm_rpc_change *done, const struct rm_effect *fx);

/* Posts the change of the node that is next. Takes a reference of @wanted. */
static void change_next_node(struct api_rpc_call *call, struct rm_backend *b,
                             struct wanted_resources *wanted)
{
    const struct wanted_resource *w = &wanted->v[wanted->posted++];
    struct rm_rpc_change *c = rm_rpc_change_new(call, b, RM_EV_NODE_RESOURCE, SET_RESOURCE);

    c->owned = wanted;
    c->drop = unref_wanted;
    c->ev.u.node_resource.node_id = w->node;
    api_audit_append_member(&c->members, "node", w->node);
    c->ev.u.node_resource.memory_mb = w->memory_mb;
    c->ev.u.node_resource.vcores = w->vcores;
    c->ev.u.node_resource.overcommit_us = w->overcommit_us;
    rm_rpc_change_post(c, NULL, answer_or_change_next);
}

static void answer_or_change_next(struct rm_rpc_change *done, const struct rm_effect *fx)
{
    struct wanted_resources *wanted = done->owned;

    if (wanted->posted == wanted->n) {
        rm_rpc_admin_answer_done(done, fx);
    } else {
        atomic_fetch_add(&wanted->refs, 1);
        change_next_node(done->call, done->b, wanted);
    }
}

void rm_rpc_admin_set_node_resource(struct api_rpc_call *call, const ProtobufCMessage *request,
                                    void *user)
{
    const Yarn__NodeResourcesRequest *rq = (const Yarn__NodeResourcesRequest *)request;
    struct wanted_resources *wanted;
    char *why = NULL;

    if (rm_rpc_admin_refuse(call, user, SET_RESOURCE))
        return;
    if (rq->n_nodes == 0 || rq->n_nodes > AT_ONCE_MAX) {
        rm_rpc_admin_refuse_request(call, SET_RESOURCE,
                                    "node_resource_map: expected 1 to 1000 nodes");
        return;
    }
    wanted = base_alloc(sizeof *wanted + rq->n_nodes * sizeof *wanted->v);
    atomic_init(&wanted->refs, 1);
    wanted->n = rq->n_nodes;
    for (size_t i = 0; i < wanted->n && !why; i++) {
        const char *wrong = read_wanted_resource(rq->nodes[i], &wanted->v[i]);

        if (wrong)
            why = base_strdup(wrong);
        else if (!is_node_known(user, wanted->v[i].node)) /* none is changed then */
            why = base_printf("no node's resource is changed: %s is not known", wanted->v[i].node);
    }
    if (!why) {
        change_next_node(call, user, wanted);
        return;
    }
    rm_rpc_admin_refuse_request(call, SET_RESOURCE, why);
    free(why);
    unref_wanted(wanted);
}

/* ---- labels ---- */

struct label_changes { /* what an event points to */
    struct rm_label_change *v;
    char **texts; /* owned: names of labels and ids of nodes */
    size_t n, texts_n, texts_cap;
};

static void drop_label_changes(void *changes)
{
    struct label_changes *l = changes;

    for (size_t i = 0; i < l->texts_n; i++)
        free(l->texts[i]);
    free(l->texts);
    free(l->v);
    free(l);
}

/* Returns room for @n changes. */
static struct label_changes *label_changes_new(size_t n)
{
    struct label_changes *l = base_alloc(sizeof *l);

    l->v = base_alloc((n + 1) * sizeof *l->v);
    return l;
}

static const char *keep_text(struct label_changes *l, const char *text)
{
    base_array_grow(&l->texts, l->texts_n, &l->texts_cap);
    return l->texts[l->texts_n++] = base_strdup(text);
}

/* Returns true when the caller may not change labels, labels are switched off, or the request names
 * too many (@n) labels or nodes; the call has then been answered. */
static bool refuse_label_change(struct api_rpc_call *call, struct rm_backend *b,
                                const char *operation, size_t n)
{
    if (rm_rpc_admin_refuse(call, b, operation))
        return true;
    if (!base_conf_bool(rm_backend_conf(b), "yarn.node-labels.enabled"))
        rm_rpc_admin_answer_invalid(call, operation,
                                    "Node-label-based scheduling is disabled. Please check "
                                    "yarn.node-labels.enabled");
    else if (n > AT_ONCE_MAX)
        rm_rpc_admin_answer_invalid(call, operation, "expected 1000 labels or nodes at most");
    else
        return false;
    return true;
}

/* Posts the changes, which it takes. */
static void post_label_changes(struct api_rpc_call *call, struct rm_backend *b,
                               enum rm_labels_op op, const char *operation, struct label_changes *l)
{
    struct rm_rpc_change *c = rm_rpc_change_new(call, b, RM_EV_SET_LABELS, operation);

    c->owned = l;
    c->drop = drop_label_changes;
    c->class_of_invalid = RM_RPC_ADMIN_INVALID;
    c->ev.u.labels.op = op;
    c->ev.u.labels.v = l->v;
    c->ev.u.labels.n = l->n;
    for (size_t i = 0; i < l->n; i++)
        api_audit_append_member(&c->members, op == RM_LABELS_REPLACE ? "node" : "label",
                                l->v[i].name);
    rm_rpc_change_post(c, NULL, rm_rpc_admin_answer_done);
}

void rm_rpc_admin_add_labels(struct api_rpc_call *call, const ProtobufCMessage *request, void *user)
{
    const Yarn__AddLabelsRequest *rq = (const Yarn__AddLabelsRequest *)request;
    struct label_changes *l;

    if (refuse_label_change(call, user, "add-labels", rq->n_labels + rq->n_names))
        return;
    l = label_changes_new(rq->n_labels + rq->n_names);
    for (size_t i = 0; i < rq->n_labels; i++)
        l->v[l->n++] = (struct rm_label_change){
            .name = keep_text(l, rq->labels[i]->name ? rq->labels[i]->name : ""),
            .exclusive = !rq->labels[i]->has_exclusive || rq->labels[i]->exclusive};
    for (size_t i = 0; i < rq->n_names && rq->n_labels == 0; i++)
        l->v[l->n++] =
            (struct rm_label_change){.name = keep_text(l, rq->names[i]), .exclusive = true};
    post_label_changes(call, user, RM_LABELS_ADD, "add-labels", l);
}

void rm_rpc_admin_remove_labels(struct api_rpc_call *call, const ProtobufCMessage *request,
                                void *user)
{
    const Yarn__RemoveLabelsRequest *rq = (const Yarn__RemoveLabelsRequest *)request;
    struct label_changes *l;

    if (refuse_label_change(call, user, "remove-labels", rq->n_names))
        return;
    l = label_changes_new(rq->n_names);
    for (size_t i = 0; i < rq->n_names; i++)
        l->v[l->n++].name = keep_text(l, rq->names[i]);
    post_label_changes(call, user, RM_LABELS_REMOVE, "remove-labels", l);
}

/* Returns true when a node, or any node on the host, is known. */
static bool is_node_or_host_known(struct rm_backend *b, const char *id)
{
    size_t host = strcspn(id, ":"), pos = 0;
    bool more = true, found = false;

    if (strcmp(id + host, ":0") != 0)
        return is_node_known(b, id);
    while (more && !found) {
        struct rm_views v = {0};

        more = rm_view_nodes(rm_backend_lock_core(b), &pos, BASE_VIEW_CHUNK, &v);
        rm_backend_unlock_core(b);
        for (size_t i = 0; i < v.nodes_n; i++)
            found = found || strncmp(v.nodes[i].id, id, host + 1) == 0;
        rm_views_free(&v);
    }
    return found;
}

/* Adds the labels that one node gets. All labels of all nodes stand in l->texts one after another,
 * with the node's id before its own, so a change points there once all are in. Returns false when
 * the id is not valid. */
static bool add_node_labels(struct label_changes *l, const Yarn__NodeLabels *given)
{
    char id[BASE_NAME_MAX];

    if (!write_node_id(given->node, true, id))
        return false;
    keep_text(l, id);
    for (size_t i = 0; i < given->n_labels; i++)
        if (*given->labels[i]) { /* "" clears, like no label at all */
            keep_text(l, given->labels[i]);
            l->v[l->n].labels_n++;
        }
    l->n++;
    return true;
}

static void point_to_texts(struct label_changes *l)
{
    size_t at = 0;

    for (size_t i = 0; i < l->n; i++) {
        l->v[i].name = l->texts[at];
        l->v[i].labels = (const char *const *)&l->texts[at + 1];
        at += 1 + l->v[i].labels_n;
    }
}

void rm_rpc_admin_label_nodes(struct api_rpc_call *call, const ProtobufCMessage *request,
                              void *user)
{
    const Yarn__LabelNodesRequest *rq = (const Yarn__LabelNodesRequest *)request;
    struct label_changes *l;
    char *why = NULL;

    if (refuse_label_change(call, user, "label-nodes", rq->n_nodes))
        return;
    l = label_changes_new(rq->n_nodes);
    for (size_t i = 0; i < rq->n_nodes && !why; i++)
        if (!add_node_labels(l, rq->nodes[i]))
            why = base_printf("nodeToLabels[%zu]: expected a host, and a port or 0", i);
    point_to_texts(l);
    for (size_t i = 0; i < l->n && !why && rq->known_nodes_only; i++)
        if (!is_node_or_host_known(user, l->v[i].name))
            why = base_printf("No node of the ResourceManager is %s", l->v[i].name);
    if (!why) {
        post_label_changes(call, user, RM_LABELS_REPLACE, "label-nodes", l);
        return;
    }
    rm_rpc_admin_answer_invalid(call, "label-nodes", why);
    free(why);
    drop_label_changes(l);
}
