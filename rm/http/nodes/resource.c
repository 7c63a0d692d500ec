/* rm/http/nodes/resource.c - POST /ws/v1/cluster/nodes/{nodeid}/resource gives a node other
 * resources than it has registered. SOURCE: Hadoop's ResourceManager REST APIs; the recordings
 * node-resource*. How slots are made of memory and vcores: rm/core/admin/resource.h. */
#include <stdlib.h>

#include "api/audit/audit.h"
#include "rm/http/access/access.h"
#include "rm/http/yarn/write.h"

static void answer_node_resource(void *user, const struct rm_effect *fx)
{
    struct yarn_write *w = user;
    struct yarn_resource shown;
    struct rm_views v = {0};
    int rc;

    if (yarn_is_error_reply(fx)) {
        yarn_answer_refusal(w->rq, fx);
        yarn_write_unref(w);
        return;
    }
    rc = rm_view_node(rm_backend_lock_core(w->b), w->text, &v);
    rm_backend_unlock_core(w->b);
    if (rc < 0) { /* forgotten in the meantime */
        yarn_not_found(w->rq, "nodeId, %s, is not found", w->text);
    } else {
        yarn_resource_fill(&w->frame, &shown, &v.nodes[0].total);
        yarn_answer(w->rq, 200, &yarn_shape_node_resource, API_N_WRAPPED, &shown);
    }
    rm_views_free(&v);
    yarn_write_unref(w);
}

/* Returns member @name of @obj as a number; 0 when it is absent or no number, as YARN's decoder
 * leaves such a member at its default. */
static int64_t read_number_or_0(const json_t *obj, const char *name)
{
    const json_t *j = json_object_get(obj, name);
    int64_t v = 0;

    if (json_is_integer(j))
        return json_integer_value(j);
    return json_is_string(j) && yarn_parse_long(json_string_value(j), &v) ? v : 0;
}

/* Fills @ev from the body. Returns false when an amount is impossible; @rq has then been
 * answered. */
static bool decode_node_resource(struct api_request *rq, const json_t *body, struct rm_event *ev)
{
    const json_t *resource = json_object_get(body, "resource");
    int64_t memory = read_number_or_0(resource, "memory"),
            vcores = read_number_or_0(resource, "vCores"),
            timeout_ms = read_number_or_0(body, "overCommitTimeout");

    if (memory < 0 || vcores < 0 || memory > INT32_MAX || vcores > INT32_MAX) {
        yarn_bad_request(rq, "Invalid resource: memory and vCores lie between 0 and %d", INT32_MAX);
        return false;
    }
    ev->u.node_resource.memory_mb = memory;
    ev->u.node_resource.vcores = vcores;
    ev->u.node_resource.overcommit_us = timeout_ms < 0           ? -1
                                        : timeout_ms > INT32_MAX ? INT32_MAX * INT64_C(1000)
                                                                 : timeout_ms * 1000;
    return true;
}

static void post_node_resource_change(struct api_request *rq, struct rm_backend *b,
                                      const json_t *body)
{
    struct rm_views v = {0};
    char id[YARN_NODE_ID_MAX];
    struct yarn_write *w;
    int rc;

    if (!yarn_parse_node_id_arg(rq, id))
        return;
    rc = rm_view_node(rm_backend_lock_core(b), id, &v);
    rm_backend_unlock_core(b);
    rm_views_free(&v);
    if (rc < 0) {
        yarn_not_found(rq, "nodeId, %s, is not found", api_path_arg(rq, 0));
        return;
    }
    w = yarn_write_new(rq, RM_EV_NODE_RESOURCE);
    if (!decode_node_resource(rq, body, &w->ev)) {
        atomic_store(&w->refs, 1); /* there will be no event and no reply */
        yarn_write_unref(w);
        return;
    }
    api_audit_add_member(rq, "node", id);
    w->b = b;
    w->text = base_strdup(id);
    w->ev.u.node_resource.node_id = w->text;
    yarn_context_read(b, &w->frame);
    yarn_write_post(w, b, answer_node_resource);
}

static void change_node_resource(struct api_request *rq, void *user)
{
    json_t *body;

    if (rm_access_requires_tokens(user) &&
        rm_access_refuse_unless_allowed(rq, user, RM_OP_ADMINISTER))
        return;
    body = yarn_read_body(rq, "resourceOption", NULL);
    if (body)
        post_node_resource_change(rq, user, body);
    json_decref(body);
}

/* clang-format off */
const struct api_route rm_yarn_node_resource_routes[] = {
    {"POST", YARN_CLUSTER "/nodes/{nodeid}/resource", API_ROLE_WRITE, YARN_STATE_BODY_MAX,
             change_node_resource, 0},
};
/* clang-format on */
const size_t rm_yarn_node_resource_routes_n =
    sizeof rm_yarn_node_resource_routes / sizeof rm_yarn_node_resource_routes[0];
