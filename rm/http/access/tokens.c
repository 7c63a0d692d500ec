/* rm/http/access/tokens.c - bearer tokens of users, which YARN does not have:
 *
 *   POST   /ws/v1/cluster/tokens {"token":{"user":"ann","expiresInSeconds":86400}}
 *          makes one; the answer has its text, which cannot be read again
 *   GET    /ws/v1/cluster/tokens
 *   DELETE /ws/v1/cluster/tokens/{tokenid}
 *   POST   /ws/v1/cluster/tokens/{tokenid}/rpc-key
 *          returns the key for Hadoop RPC (base/hadoop/token.h)
 *
 * Users make, see and revoke their own tokens, administrators those of all users. Administrators
 * are here the daemon's user and those whom yarn.admin.acl names; a "*" there, which elsewhere
 * makes everybody an administrator, as in YARN, names nobody here, so nobody can take another's
 * name.
 *
 *   POST   /ws/v1/nodetracker/identify    whose a token is, for nodes (api/wire/identify.h) */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/audit/audit.h"
#include "api/wire/identify.h"
#include "base/acl/acl.h"
#include "base/conf/acl_conf.h"
#include "base/conf/conf.h"
#include "base/crypto/keyring.h"
#include "base/hadoop/token.h"
#include "base/io/json.h"
#include "base/io/json_write.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "rm/http/access/access.h"
#include "rm/http/access/identify.h"
#include "rm/http/core_call.h"
#include "rm/leader/standby.h"

#define TOKENS    "/ws/v1/cluster/tokens"
#define BODY_MAX  16384
#define DAY_S     INT64_C(86400)
#define DEFAULT_S (30 * DAY_S)
#define LONGEST_S (3660 * DAY_S)
#define ID_TEXT   (RM_TOKEN_ID_HEX + 1)
#define SECOND_US INT64_C(1000000)

/* ---------------------------------------------------------------- who may use tokens */
static bool may_use_tokens_of(struct api_request *rq, struct rm_backend *b, const char *user)
{
    const char *caller = api_caller(rq), *acl = base_acl_conf_get_admins(rm_backend_conf(b));

    if (caller && user && strcmp(caller, user) == 0)
        return true;
    return rm_access_is_named_admin(rq, b, acl);
}

/* Returns false, after answering, when callers only name themselves, so that a token would prove
 * nothing. */
static bool check_tokens_are_used(struct api_request *rq, struct rm_backend *b)
{
    struct base_error err = {0};

    if (rm_access_requires_tokens(b))
        return true;
    base_error_set(&err, -BASE_ESTATE, "creel.auth is simple: tokens are not used");
    api_answer_base_error(rq, &err);
    return false;
}

/* ---------------------------------------------------------------- making a token */
struct token_call {
    struct rm_call call;
    char *user;
    char text[RM_TOKEN_TEXT_MAX], digest[RM_TOKEN_HEX + 1];
    int64_t made_us;
};

static void free_token_call_parts(struct rm_call *c)
{
    struct token_call *t = (struct token_call *)c;

    explicit_bzero(t->text, sizeof t->text);
    free(t->user);
}

static struct token_call *token_call_new(struct rm_backend *b)
{
    struct token_call *t = base_alloc(sizeof *t);

    t->call.b = b;
    t->call.drop = free_token_call_parts;
    t->call.ev.kind = RM_EV_SET_TOKEN;
    return t;
}

static void put_token(struct base_buf *out, uint64_t id, const char *user, int64_t made_us,
                      int64_t expires_us)
{
    char text[ID_TEXT];

    snprintf(text, sizeof text, "%016" PRIx64, id);
    base_json_put_str(out, "id", text);
    base_json_put_str(out, "user", user);
    base_json_put_int(out, "madeTime", made_us / 1000);
    base_json_put_int(out, "expiryTime", expires_us / 1000);
}

static void answer_new_token(void *user, const struct rm_effect *fx)
{
    struct token_call *t = user;
    struct base_buf body = {0};

    if (fx->kind == RM_FX_REPLY && fx->u.reply.kind == RM_REPLY_OK) {
        base_json_open(&body, '{');
        base_json_key(&body, "token");
        base_json_open(&body, '{');
        put_token(&body, t->call.ev.u.user_token.id, t->user, t->made_us,
                  t->call.ev.u.user_token.expires_us);
        base_json_put_str(&body, "text", t->text);
        base_json_close(&body, '}');
        base_json_close(&body, '}');
        api_add_header(t->call.rq, "Cache-Control", "no-store");
        rm_api_answer_json(t->call.rq, 201, &body);
    } else {
        rm_api_answer_core_error(t->call.rq, fx);
    }
    rm_call_unref(&t->call);
}

static int read_new_token(const json_t *body, const char **user, int64_t *seconds,
                          struct base_error *err)
{
    static const char *const outer[] = {"token", NULL}, *const inner[] = {"user",
                                                                          "expiresInSeconds", NULL};
    const json_t *token = json_object_get(body, "token");
    int rc = base_json_refuse_unknown_members(body, "", outer, err);

    if (rc == 0 && !token)
        rc = base_error_set(err, -BASE_EINVAL, "token: is missing");
    if (rc == 0 && !json_is_object(token))
        rc = base_json_set_value_error(token, "", "token", "an object", err);
    if (rc == 0)
        rc = base_json_refuse_unknown_members(token, "token.", inner, err);
    if (rc == 0)
        rc = base_json_str(token, "token.", "user", false, BASE_NAME_MAX, user, err);
    if (rc == 0 && *user && (!**user || !base_utf8_valid_without_controls(*user)))
        rc = base_json_set_value_error(json_object_get(token, "user"), "token.", "user",
                                       "a name without control characters", err);
    if (rc == 0)
        rc = base_json_int(token, "token.", "expiresInSeconds", false, 1, LONGEST_S, seconds, err);
    return rc;
}

static void post_token(struct api_request *rq, void *backend)
{
    struct rm_backend *b = backend;
    struct base_error err = {0};
    const char *user = api_caller(rq);
    int64_t seconds = DEFAULT_S;
    struct token_call *t;
    json_t *body = NULL;
    size_t len;
    const char *text = api_body(rq, &len);

    if (!check_tokens_are_used(rq, b))
        return;
    if (base_json_parse(text, len, &body, &err) < 0 ||
        read_new_token(body, &user, &seconds, &err) < 0) {
        rm_api_answer_bad_request(rq, &err);
        json_decref(body);
        return;
    }
    api_audit_add_member(rq, "of", user);
    if (may_use_tokens_of(rq, b, user)) {
        t = token_call_new(b);
        t->user = base_strdup(user);
        t->made_us = rm_backend_now_us(b);
        t->call.ev.u.user_token.user = t->user;
        t->call.ev.u.user_token.digest = t->digest;
        t->call.ev.u.user_token.expires_us = t->made_us + seconds * SECOND_US;
        rm_make_token(&t->call.ev.u.user_token.id, t->text, t->digest);
        rm_call_post(&t->call, b, rq, answer_new_token);
    } else {
        api_audit_mark_forbidden(rq, "not an administrator");
        api_answer_error(rq, 403, "ForbiddenException",
                         "Only administrators whom yarn.admin.acl names make tokens of others");
    }
    json_decref(body);
}

/* ---------------------------------------------------------------- listing and revoking */
static void get_tokens(struct api_request *rq, void *backend)
{
    struct rm_backend *b = backend;
    struct base_buf body = {0};
    struct rm_token_view *v;
    size_t n;
    bool all;

    if (!check_tokens_are_used(rq, b))
        return;
    all = may_use_tokens_of(rq, b, NULL);
    v = rm_view_user_tokens(rm_backend_lock_core(b), all ? NULL : api_caller(rq), &n);
    rm_backend_unlock_core(b);
    base_json_open(&body, '{');
    base_json_key(&body, "tokens");
    base_json_open(&body, '[');
    for (size_t i = 0; i < n; i++) {
        if (v[i].expires_us > rm_backend_now_us(b)) {
            base_json_open(&body, '{');
            put_token(&body, v[i].id, v[i].user, v[i].made_us, v[i].expires_us);
            base_json_close(&body, '}');
        }
        free(v[i].user);
    }
    base_json_close(&body, ']');
    base_json_close(&body, '}');
    free(v);
    rm_api_answer_json(rq, 200, &body);
}

static void answer_revoked_token(void *user, const struct rm_effect *fx)
{
    struct token_call *t = user;

    if (fx->kind == RM_FX_REPLY && fx->u.reply.kind == RM_REPLY_OK)
        rm_api_answer_no_content(t->call.rq);
    else
        rm_api_answer_core_error(t->call.rq, fx);
    rm_call_unref(&t->call);
}

static bool read_token_id(struct api_request *rq, uint64_t *id)
{
    const char *text = api_path_arg(rq, 0);

    *id = strtoull(text, NULL, 16);
    if (strlen(text) == ID_TEXT - 1 && strspn(text, "0123456789abcdef") == ID_TEXT - 1 && *id)
        return true;
    api_answer_error(rq, 400, "BadRequestException",
                     "tokenid: \"%.100s\" is not an id of a token, 16 hex digits", text);
    return false;
}

static void answer_no_token(struct api_request *rq, uint64_t id)
{
    api_answer_error(rq, 404, "NotFoundException", "there is no token %016" PRIx64, id);
}

static void delete_token(struct api_request *rq, void *backend)
{
    struct rm_backend *b = backend;
    struct rm_token_view v = {0};
    struct token_call *t;
    uint64_t id;
    bool known;

    if (!check_tokens_are_used(rq, b) || !read_token_id(rq, &id))
        return;
    known = rm_view_user_token(rm_backend_lock_core(b), id, &v) == 0;
    rm_backend_unlock_core(b);
    api_audit_add_member(rq, "token", api_path_arg(rq, 0));
    /* others learn nothing about the token, not even that there is one */
    if (known && may_use_tokens_of(rq, b, v.user)) {
        api_audit_add_member(rq, "of", v.user);
        t = token_call_new(b);
        t->call.ev.u.user_token.id = id;
        rm_call_post(&t->call, b, rq, answer_revoked_token);
    } else {
        if (known)
            api_audit_mark_forbidden(rq, "the token is another user's");
        answer_no_token(rq, id);
    }
    free(v.user);
}

/* ---------------------------------------------------------------- Hadoop RPC */
static void answer_rpc_key(struct api_request *rq, struct rm_backend *b, const char *digest)
{
    char key[BASE_SHA256_HEX];
    struct base_key of_cluster;
    struct base_buf body = {0};

    base_keyring_get_signing_key(rm_backend_keys(b), &of_cluster);
    base_hadoop_token_compute_key(&of_cluster, digest, key);
    base_json_open(&body, '{');
    base_json_key(&body, "rpcKey");
    base_json_open(&body, '{');
    base_json_put_str(&body, "key", key);
    base_json_put_str(&body, "secretId", of_cluster.id);
    base_json_close(&body, '}');
    base_json_close(&body, '}');
    explicit_bzero(&of_cluster, sizeof of_cluster);
    explicit_bzero(key, sizeof key);
    api_add_header(rq, "Cache-Control", "no-store");
    rm_api_answer_json(rq, 200, &body);
}

static void post_rpc_key(struct api_request *rq, void *backend)
{
    struct rm_backend *b = backend;
    char digest[RM_TOKEN_HEX + 1], *user;
    uint64_t id;

    if (!check_tokens_are_used(rq, b) || !read_token_id(rq, &id))
        return;
    user = rm_find_token_user(b, id, digest);
    api_audit_add_member(rq, "token", api_path_arg(rq, 0));
    if (user && rm_backend_keys(b) && may_use_tokens_of(rq, b, user)) {
        api_audit_add_member(rq, "of", user);
        answer_rpc_key(rq, b, digest);
    } else {
        if (user)
            api_audit_mark_forbidden(rq, "the token is another user's");
        answer_no_token(rq, id);
    }
    explicit_bzero(digest, sizeof digest);
    free(user);
}

/* ---------------------------------------------------------------- nodes */
static char *identify_token_or_begin_session(struct rm_backend *b, const struct wire_identify *m,
                                             char *session, int64_t *valid_ms, struct base_buf *why)
{
    int64_t expires_us = 0, now_us = rm_backend_now_us(b), seconds = 0;
    char *user;

    if (m->begins_session) {
        user = rm_begin_session(b, m->token, session, &seconds, why);
        *valid_ms = seconds * 1000;
    } else {
        user = rm_identify_user(b, m->token, &expires_us, why);
        *valid_ms = (expires_us - now_us) / 1000;
    }
    return user;
}

static void answer_identity(struct api_request *rq, struct rm_backend *b,
                            const struct wire_identify *asked)
{
    struct base_buf body = {0}, why = {0};
    char session[API_SESSION_TEXT_MAX];
    struct wire_identity m = {0};
    char *user = identify_token_or_begin_session(b, asked, session, &m.valid_ms, &why);

    m.user = user;
    m.session = asked->begins_session ? session : NULL;
    if (user) {
        wire_identity_put(&m, &body);
        rm_api_answer_json(rq, 200, &body);
    } else if (!rm_standby_is_active(b)) {
        rm_standby_answer_leadership_over(rq, b, RM_NOT_ACTIVE_TEXT);
    } else {
        api_audit_mark_forbidden(rq, why.data);
        api_answer_error(rq, 404, "NotFoundException", "the token is not valid");
    }
    free(user);
    base_buf_free(&why);
}

static void identify_for_node(struct api_request *rq, void *backend)
{
    struct wire_identify m;
    struct base_error err = {0};
    size_t len;
    const char *text = api_body(rq, &len);

    if (!rm_standby_is_active(backend)) {
        rm_standby_answer_leadership_over(rq, backend, RM_NOT_ACTIVE_TEXT);
        return;
    }
    if (wire_identify_get(text, len, &m, &err) < 0) {
        rm_api_answer_bad_request(rq, &err);
        return;
    }
    answer_identity(rq, backend, &m);
    wire_identify_free(&m);
}

/* clang-format off */
const struct api_route rm_access_tokens_routes[] = {
    {"POST",   TOKENS,              API_ROLE_WRITE, BODY_MAX, post_token,   API_ROUTE_CREEL},
    {"GET",    TOKENS,              API_ROLE_READ,  0,        get_tokens,
               API_ROUTE_CREEL | API_ROUTE_PRIVATE},
    {"DELETE", TOKENS "/{tokenid}", API_ROLE_WRITE, 0,        delete_token, API_ROUTE_CREEL},
    {"POST",   TOKENS "/{tokenid}/rpc-key", API_ROLE_WRITE, BODY_MAX, post_rpc_key,
               API_ROUTE_CREEL},
    {"POST",   "/ws/v1/nodetracker/identify", API_ROLE_NODE, BODY_MAX, identify_for_node,
               API_ROUTE_CREEL},
};
/* clang-format on */
const size_t rm_access_tokens_routes_n =
    sizeof rm_access_tokens_routes / sizeof *rm_access_tokens_routes;
