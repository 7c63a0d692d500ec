/* rm/http/nodes/label_changes.c - adds and removes node labels, and gives them to nodes. SOURCE:
 * Hadoop's ResourceManager REST APIs; the recordings labels-*, labels-off-* and err-labels-*. */
#include <stdlib.h>
#include <string.h>

#include "api/audit/audit.h"
#include "base/conf/conf.h"
#include "rm/http/access/access.h"
#include "rm/http/core_call.h"
#include "rm/http/nodes/node_ids.h"
#include "rm/http/yarn/write.h"

#define BODY_MAX (4 * 1024 * 1024)

/* A request that changes labels: the event, and what it points to. */
struct labels_call {
    struct rm_call call;
    json_t *body; /* owns most texts */
    struct rm_label_change *changes;
    size_t n, cap;
    char (*ids)[YARN_NODE_ID_MAX]; /* of nodes, parallel to changes */
    const char **texts;            /* labels of all changes */
    size_t texts_n, texts_cap;
};

static void free_labels_call_parts(struct rm_call *c)
{
    struct labels_call *l = (struct labels_call *)c;

    json_decref(l->body);
    free(l->changes);
    free(l->ids);
    free(l->texts);
}

static void free_unposted_call(struct labels_call *l)
{
    free_labels_call_parts(&l->call);
    free(l);
}

static struct labels_call *labels_call_new(struct rm_backend *b, enum rm_labels_op op)
{
    struct labels_call *l = base_alloc(sizeof *l);

    l->call.b = b;
    l->call.drop = free_labels_call_parts;
    l->call.ev.kind = RM_EV_SET_LABELS;
    l->call.ev.u.labels.op = op;
    return l;
}

static void add_label_change(struct labels_call *l, const struct rm_label_change *change)
{
    base_array_grow(&l->changes, l->n, &l->cap);
    l->changes[l->n++] = *change;
}

static void add_label_text(struct labels_call *l, const char *text)
{
    base_array_grow(&l->texts, l->texts_n, &l->texts_cap);
    l->texts[l->texts_n++] = text;
}

static void answer_label_change(void *user, const struct rm_effect *fx)
{
    struct labels_call *l = user;
    struct base_buf none = {0};

    if (!yarn_is_error_reply(fx))
        api_answer(l->call.rq, 200, api_wanted_type(l->call.rq), &none);
    else if (fx->u.reply.code == -BASE_EINVAL || fx->u.reply.code == -BASE_ELIMIT)
        api_answer_error(l->call.rq, 400, "BadRequestException", "java.io.IOException: %s",
                         fx->u.reply.text);
    else
        yarn_answer_refusal(l->call.rq, fx);
    rm_call_unref(&l->call);
}

static void post_label_change(struct labels_call *l, struct api_request *rq)
{
    l->call.ev.u.labels.v = l->changes;
    l->call.ev.u.labels.n = l->n;
    rm_call_post(&l->call, l->call.b, rq, answer_label_change);
}

/* Returns false when the caller may not do @op, or labels are switched off; @rq has then been
 * answered. */
static bool check_may_change_labels(struct api_request *rq, struct rm_backend *b,
                                    enum rm_operation op)
{
    if (rm_access_refuse_unless_allowed(rq, b, op))
        return false;
    if (base_conf_bool(rm_backend_conf(b), "yarn.node-labels.enabled"))
        return true;
    api_answer_error(rq, 400, "BadRequestException",
                     "java.io.IOException: Node-label-based scheduling is disabled. Please check "
                     "yarn.node-labels.enabled");
    return false;
}

/* Returns item @i of a member that may be a list or a single value; NULL after the last one. */
static const json_t *get_item_or_single(const json_t *member, size_t i)
{
    if (json_is_array(member))
        return json_array_get(member, i);
    return i == 0 && member && !json_is_null(member) ? member : NULL;
}

static bool is_true_or_text_true(const json_t *j)
{
    return json_is_true(j) || (json_is_string(j) && strcmp(json_string_value(j), "true") == 0);
}

/* ---------------------------------------------------------------- the labels of the cluster */
static void post_add_labels(struct api_request *rq, void *user)
{
    json_t *body = yarn_read_body(rq, "nodeLabelsInfo", NULL);
    struct labels_call *l;
    const json_t *item;

    if (!body)
        return;
    if (!check_may_change_labels(rq, user, RM_OP_ADD_LABELS)) {
        json_decref(body);
        return;
    }
    l = labels_call_new(user, RM_LABELS_ADD);
    l->body = body;
    for (size_t i = 0; (item = get_item_or_single(json_object_get(body, "nodeLabelInfo"), i));
         i++) {
        struct rm_label_change change = {
            .name = json_string_value(json_object_get(item, "name")),
            .exclusive = is_true_or_text_true(json_object_get(item, "exclusivity"))};

        api_audit_add_member(rq, "label", change.name ? change.name : "");
        add_label_change(l, &change);
    }
    post_label_change(l, rq);
}

static void add_removed_label(const char *value, void *user)
{
    add_label_change(user, &(struct rm_label_change){.name = value});
}

static void post_remove_labels(struct api_request *rq, void *user)
{
    struct labels_call *l;

    if (!check_may_change_labels(rq, user, RM_OP_REMOVE_LABELS))
        return;
    l = labels_call_new(user, RM_LABELS_REMOVE);
    api_query_each_value(rq, "labels", add_removed_label, l);
    for (size_t i = 0; i < l->n; i++)
        api_audit_add_member(rq, "label", l->changes[i].name);
    post_label_change(l, rq);
}

/* ---------------------------------------------------------------- the labels of nodes */
/* Sets the pointers of the changes once all labels and ids are read, since the arrays move as they
 * grow. change.labels_n is set; change i has the id i. */
static void point_changes_to_texts(struct labels_call *l)
{
    size_t used = 0;

    for (size_t i = 0; i < l->n; i++) {
        l->changes[i].name = l->ids[i];
        l->changes[i].labels = l->texts ? l->texts + used : NULL;
        used += l->changes[i].labels_n;
    }
}

static void add_query_label(const char *value, void *user)
{
    struct labels_call *l = user;

    if (!*value) /* "labels=" clears, like no parameter at all */
        return;
    add_label_text(l, value);
    l->changes[0].labels_n++;
}

static void post_replace_labels_of_node(struct api_request *rq, void *user)
{
    char id[YARN_NODE_ID_MAX];
    struct labels_call *l;

    if (!yarn_parse_node_or_host(rq, api_path_arg(rq, 0), id) ||
        !check_may_change_labels(rq, user, RM_OP_REPLACE_LABELS_OF_NODE))
        return;
    l = labels_call_new(user, RM_LABELS_REPLACE);
    l->ids = base_alloc(sizeof *l->ids);
    memcpy(l->ids[0], id, sizeof id);
    add_label_change(l, &(struct rm_label_change){0});
    api_query_each_value(rq, "labels", add_query_label, l);
    point_changes_to_texts(l);
    api_audit_add_member(rq, "node", id);
    post_label_change(l, rq);
}

/* Adds the labels of one entry of the body. Returns false when its id is not valid; @rq has then
 * been answered. */
static bool add_node_labels_entry(struct labels_call *l, struct api_request *rq,
                                  const json_t *entry)
{
    const char *node = json_string_value(json_object_get(entry, "nodeId"));
    struct rm_label_change change = {0};
    const json_t *label;

    l->ids = base_realloc_array(l->ids, l->n + 1, sizeof *l->ids);
    if (!yarn_parse_node_or_host(rq, node ? node : "", l->ids[l->n]))
        return false;
    for (size_t i = 0; (label = get_item_or_single(json_object_get(entry, "labels"), i)); i++) {
        if (!json_is_string(label) || !*json_string_value(label))
            continue;
        add_label_text(l, json_string_value(label));
        change.labels_n++;
    }
    add_label_change(l, &change);
    return true;
}

static void post_replace_labels(struct api_request *rq, void *user)
{
    json_t *body = yarn_read_body(rq, "nodeToLabelsName", NULL);
    struct labels_call *l;
    const json_t *entry;

    if (!body)
        return;
    if (!check_may_change_labels(rq, user, RM_OP_REPLACE_LABELS)) {
        json_decref(body);
        return;
    }
    l = labels_call_new(user, RM_LABELS_REPLACE);
    l->body = body;
    for (size_t i = 0; (entry = get_item_or_single(json_object_get(body, "nodeToLabels"), i)); i++)
        if (!add_node_labels_entry(l, rq, entry)) {
            free_unposted_call(l);
            return;
        }
    point_changes_to_texts(l);
    post_label_change(l, rq);
}

/* clang-format off */
const struct api_route rm_yarn_label_changes_routes[] = {
    {"POST", YARN_CLUSTER "/add-node-labels",               API_ROLE_WRITE, BODY_MAX,
             post_add_labels, 0},
    {"POST", YARN_CLUSTER "/remove-node-labels",            API_ROLE_WRITE, 0,
             post_remove_labels, 0},
    {"POST", YARN_CLUSTER "/replace-node-to-labels",        API_ROLE_WRITE, BODY_MAX,
             post_replace_labels, 0},
    {"POST", YARN_CLUSTER "/nodes/{nodeid}/replace-labels", API_ROLE_WRITE, 0,
             post_replace_labels_of_node, 0},
};
/* clang-format on */
const size_t rm_yarn_label_changes_routes_n =
    sizeof rm_yarn_label_changes_routes / sizeof rm_yarn_label_changes_routes[0];
