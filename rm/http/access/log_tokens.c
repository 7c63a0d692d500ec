#include "rm/http/access/log_tokens.h"

#include <string.h>

#include "api/audit/audit.h"
#include "base/clock.h"
#include "base/conf/conf.h"
#include "base/crypto/log_token.h"
#include "base/io/json.h"
#include "base/io/json_write.h"
#include "rm/http/access/access.h"
#include "rm/http/core_call.h"

#define BODY_MAX 4096

static int64_t get_log_token_life_s(struct rm_backend *b)
{
    return base_conf_int(rm_backend_conf(b), "creel.rm.log-token-lifetime-s");
}

/* One line for each token, whichever resource gives it out: the redirect of a container's logs is
 * no operation of the audit log. */
static void audit_new_log_token(const struct api_request *rq, const char *scope)
{
    struct base_buf line = {0};

    api_audit_append_member(&line, "op", "new-log-token");
    api_audit_append_member(&line, "user", api_caller(rq));
    api_audit_append_member(&line, "ip", api_peer(rq));
    api_audit_append_member(&line, "result", "success");
    api_audit_append_member(&line, "of", scope);
    api_audit_log_line(&line);
    base_buf_free(&line);
}

bool rm_log_token_make(const struct api_request *rq, struct rm_backend *b, const char *scope,
                       struct base_buf *out)
{
    struct base_keyring *keys = rm_backend_keys(b);
    const char *user = api_caller(rq);
    struct base_key key;

    if (!keys || !user || !*user)
        return false;
    base_keyring_get_signing_key(keys, &key);
    base_log_token_make(&key, scope, user,
                        base_wall_us(&base_clock_real) / 1000 + get_log_token_life_s(b) * 1000,
                        out);
    explicit_bzero(&key, sizeof key);
    audit_new_log_token(rq, scope);
    return true;
}

bool rm_logs_refuse_unless_viewer(struct api_request *rq, struct rm_backend *b,
                                  struct base_app_id app)
{
    struct rm_views v = {0};
    bool known = rm_view_app(rm_backend_lock_core(b), app, &v) == 0, refused;

    rm_backend_unlock_core(b);
    refused = known ? rm_access_refuse_app_unless_allowed(rq, b, RM_OP_VIEW_APP, &v.apps[0])
                    : rm_access_refuse_unless_allowed(rq, b, RM_OP_CONFIGURE);
    rm_views_free(&v);
    return refused;
}

static void answer_new_log_token(struct api_request *rq, struct rm_backend *b, const char *scope)
{
    struct base_buf token = {0}, body = {0};
    struct base_error err = {0};

    if (!rm_log_token_make(rq, b, scope, &token)) {
        base_error_set(&err, -BASE_ESTATE, "this ResourceManager has no secret to make tokens of");
        api_answer_base_error(rq, &err);
        return;
    }
    base_json_open(&body, '{');
    base_json_key(&body, "logToken");
    base_json_open(&body, '{');
    base_json_put_str(&body, "id", scope);
    base_json_put_str(&body, "user", api_caller(rq));
    base_json_put_int(&body, "expiresInSeconds", get_log_token_life_s(b));
    base_json_put_str(&body, "text", token.data);
    base_json_close(&body, '}');
    base_json_close(&body, '}');
    base_buf_free(&token);
    api_add_header(rq, "Cache-Control", "no-store");
    rm_api_answer_json(rq, 201, &body);
}

/* Reads the container from the body, whose logs alone the token is to open; *@container is NULL
 * when it names none. */
static int read_container_from_body(const json_t *body, struct base_app_id app,
                                    const char **container, struct base_error *err)
{
    static const char *const known[] = {"container", NULL};
    struct base_container_id id;
    int rc = base_json_refuse_unknown_members(body, "", known, err);

    if (rc == 0)
        rc = base_json_str(body, "", "container", false, BASE_ID_TEXT_MAX - 1, container, err);
    if (rc == 0 && *container &&
        (base_container_id_parse(*container, &id, NULL) < 0 ||
         base_app_id_cmp(&id.attempt.app, &app) != 0))
        rc = base_json_set_value_error(json_object_get(body, "container"), "", "container",
                                       "the id of a container of the application", err);
    return rc;
}

static void post_log_token(struct api_request *rq, void *backend)
{
    const char *container = NULL, *text;
    char app[BASE_ID_TEXT_MAX];
    struct base_error err = {0};
    struct base_app_id id;
    json_t *body = NULL;
    size_t len;

    text = api_body(rq, &len);
    if (!rm_api_read_app_id(rq, 0, &id))
        return;
    if ((len && base_json_parse(text, len, &body, &err) < 0) ||
        (body && read_container_from_body(body, id, &container, &err) < 0))
        rm_api_answer_bad_request(rq, &err);
    else if (!rm_logs_refuse_unless_viewer(rq, backend, id))
        answer_new_log_token(rq, backend, container ? container : base_app_id_text(&id, app));
    json_decref(body);
}

const struct api_route rm_access_log_tokens_routes[] = {
    {"POST", "/ws/v1/cluster/apps/{appid}/log-token", API_ROLE_WRITE, BODY_MAX, post_log_token,
     API_ROUTE_CREEL},
};
const size_t rm_access_log_tokens_routes_n =
    sizeof rm_access_log_tokens_routes / sizeof *rm_access_log_tokens_routes;
