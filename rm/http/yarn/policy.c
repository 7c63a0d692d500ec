/* rm/http/yarn/policy.c - shows and changes the active policy. This resource is Creel's own; its
 * members, handlers and routes are all in this file. */
#include <stdlib.h>

#include "api/audit/audit.h"
#include "base/io/json.h"
#include "policies/policy.h"
#include "policies/registry.h"
#include "rm/config/policy_options.h"
#include "rm/http/access/access.h"
#include "rm/http/core_call.h"
#include "rm/http/yarn/write.h"

struct policy_document {
    const char *policy;
};
static const struct api_member policy_members[] = {
    API_STR(struct policy_document, policy, "policy", API_ALWAYS),
    {.kind = API_K_END},
};
static const struct api_shape policy_shape = {.root = "policy", .members = policy_members};

static void get_policy(struct api_request *rq, void *user)
{
    struct rm_backend *b = user;
    struct rm_cluster_view cluster;
    struct policy_document policy;

    rm_view_cluster(rm_backend_lock_core(b), &cluster);
    rm_backend_unlock_core(b);
    policy.policy = cluster.policy;
    yarn_answer(rq, 200, &policy_shape, API_N_BARE, &policy);
}

static void answer_policy_change(void *user, const struct rm_effect *fx)
{
    struct yarn_write *w = user;

    if (yarn_is_error_reply(fx)) {
        rm_api_answer_core_error(w->rq, fx);
    } else {
        struct policy_document policy = {.policy = w->text};
        yarn_answer(w->rq, 200, &policy_shape, API_N_BARE, &policy);
    }
    yarn_write_unref(w);
}

static void handle_put_policy(struct api_request *rq, void *user)
{
    static const char *const members[] = {"policy", NULL};
    struct base_error err = {0};
    const char *name = NULL;
    struct yarn_write *w;
    json_t *body = NULL;
    size_t len;
    const char *text = api_body(rq, &len);
    int rc;

    if (rm_access_refuse_unless_allowed(rq, user, RM_OP_ADMINISTER))
        return;
    rc = base_json_parse(text, len, &body, &err);
    if (rc == 0 && !json_is_object(body))
        rc =
            base_error_set(&err, -BASE_EINVAL, "the body is not an object {\"policy\":\"<name>\"}");
    if (rc == 0)
        rc = base_json_refuse_unknown_members(body, "", members, &err);
    if (rc == 0)
        rc = base_json_str(body, "", "policy", true, 255, &name, &err);
    if (rc == 0)
        rc = rm_options_check_policy_name("policy", name, &err);
    if (rc < 0) {
        json_decref(body);
        api_answer_base_error(rq, &err);
        return;
    }
    w = yarn_write_new(rq, RM_EV_SET_POLICY);
    w->text = base_strdup(policy_find(name)->name); /* Creel's name, even for a Hadoop class */
    w->ev.u.policy.name = w->text;
    api_audit_add_member(rq, "policy", w->text);
    json_decref(body);
    yarn_write_post(w, user, answer_policy_change);
}

/* clang-format off */
const struct api_route rm_yarn_policy_routes[] = {
    {"GET", YARN_CLUSTER "/scheduler/policy", API_ROLE_READ,  0, get_policy, API_ROUTE_CREEL},
    {"PUT", YARN_CLUSTER "/scheduler/policy", API_ROLE_WRITE, YARN_STATE_BODY_MAX,
            handle_put_policy, API_ROUTE_CREEL},
};
/* clang-format on */
const size_t rm_yarn_policy_routes_n =
    sizeof rm_yarn_policy_routes / sizeof rm_yarn_policy_routes[0];
