/* rm/http/nodes/drain.c - PUT /ws/v1/cluster/nodes/{nodeid}/drain {"drain":true}: the node gets no
 * more containers, and its present ones run to their end; {"drain":false}: it gets containers
 * again. This resource is Creel's own. The request and the answer have the same form; the answer
 * also says in which state the node is now. */
#include <stdlib.h>

#include "api/audit/audit.h"
#include "base/io/json.h"
#include "rm/http/access/access.h"
#include "rm/http/core_call.h"
#include "rm/http/yarn/write.h"

#define BODY_MAX 4096

struct drain_document {
    const char *node;
    bool drain;
    const char *state;
};
#define T struct drain_document
static const struct api_member drain_members[] = {
    API_STR(T, node, "node", API_ALWAYS),
    API_BOOL(T, drain, "drain", API_ALWAYS),
    API_STR(T, state, "state", API_ALWAYS),
    {.kind = API_K_END},
};
#undef T
static const struct api_shape drain_shape = {.root = "drain", .members = drain_members};

static void answer_drain(void *user, const struct rm_effect *fx)
{
    struct yarn_write *w = user;
    struct rm_views v = {0};

    if (yarn_is_error_reply(fx)) {
        yarn_answer_refusal(w->rq, fx);
    } else {
        struct drain_document shown = {.node = w->text, .drain = w->ev.u.drain.drain};

        if (rm_view_node(rm_backend_lock_core(w->b), w->text, &v) == 0)
            shown.state = rm_node_state_name(v.nodes[0].state);
        rm_backend_unlock_core(w->b);
        yarn_answer(w->rq, 200, &drain_shape, API_N_BARE, &shown);
        rm_views_free(&v);
    }
    yarn_write_unref(w);
}

static int decode_drain_body(struct api_request *rq, bool *drain, struct base_error *err)
{
    static const char *const members[] = {"drain", NULL};
    json_t *body = NULL;
    size_t len;
    const char *text = api_body(rq, &len);
    int rc = base_json_parse(text, len, &body, err);

    if (rc == 0 && !json_is_object(body))
        rc = base_error_set(err, -BASE_EINVAL, "the body is not an object {\"drain\":true|false}");
    if (rc == 0)
        rc = base_json_refuse_unknown_members(body, "", members, err);
    if (rc == 0)
        rc = base_json_bool(body, "", "drain", true, drain, err);
    json_decref(body);
    return rc;
}

static void set_node_drain(struct api_request *rq, void *user)
{
    struct base_error err = {0};
    char id[YARN_NODE_ID_MAX];
    struct yarn_write *w;
    bool drain = false;

    if (!yarn_parse_node_id_arg(rq, id) ||
        rm_access_refuse_unless_allowed(rq, user, RM_OP_ADMINISTER))
        return;
    if (decode_drain_body(rq, &drain, &err) < 0) {
        rm_api_answer_bad_request(rq, &err);
        return;
    }
    api_audit_add_member(rq, "node", id);
    api_audit_add_member(rq, "drain", drain ? "true" : "false");
    w = yarn_write_new(rq, RM_EV_DRAIN_NODE);
    w->b = user;
    w->text = base_strdup(id);
    w->ev.u.drain.node_id = w->text;
    w->ev.u.drain.drain = drain;
    yarn_write_post(w, user, answer_drain);
}

const struct api_route rm_api_drain_routes[] = {
    {"PUT", YARN_CLUSTER "/nodes/{nodeid}/drain", API_ROLE_WRITE, BODY_MAX, set_node_drain,
     API_ROUTE_CREEL},
};
const size_t rm_api_drain_routes_n = sizeof rm_api_drain_routes / sizeof *rm_api_drain_routes;
