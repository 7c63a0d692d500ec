#include "rm/rpc/submission.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/conf/percent.h"
#include "base/crypto/base64.h"
#include "base/hadoop/credentials.h"
#include "base/id.h"
#include "base/limits.h"
#include "rm/rpc/put.h"

#define LIFETIME 1
#define ANY_HOST "*"
#define LIST_MAX BASE_ENV_MAX /* entries of one list */

/* SOURCE: the descriptors of Hadoop 3.4.2; a name's number is its place. */
static const char *const resource_types[] = {NULL, "ARCHIVE", "FILE", "PATTERN"};
static const char *const visibilities[] = {NULL, "PUBLIC", "PRIVATE", "APPLICATION"};
static const char *const rights[] = {NULL, "VIEW_APP", "MODIFY_APP"};

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Returns the name with this number, or NULL. */
static const char *find_name(const char *const *names, size_t n, int32_t number)
{
    return number > 0 && (size_t)number < n ? names[number] : NULL;
}

/* ---- pieces of JSON ---- */

/* Sets a member, unless @text is NULL. */
static void set_text(json_t *obj, const char *name, const char *text)
{
    if (text)
        json_object_set_new(obj, name, json_string(text));
}

static void set_text_unless_empty(json_t *obj, const char *name, const char *text)
{
    set_text(obj, name, text && *text ? text : NULL);
}

static void set_base64(json_t *obj, const char *name, const void *bytes, size_t len)
{
    struct base_buf text = {0};

    base_base64_encode(bytes, len, &text);
    set_text(obj, name, text.data ? text.data : "");
    base_buf_free(&text);
}

/* Sets a map in YARN's form, {"entry": [...]}, and returns its list of entries. */
static json_t *set_map(json_t *obj, const char *name)
{
    json_t *map = json_object(), *entries = json_array();

    json_object_set_new(map, "entry", entries);
    json_object_set_new(obj, name, map);
    return entries;
}

/* Adds an entry to a map, and returns it for its value. */
static json_t *add_entry(json_t *entries, const char *key)
{
    json_t *entry = json_object();

    set_text(entry, "key", key ? key : "");
    json_array_append_new(entries, entry);
    return entry;
}

/* Sets a list of texts in YARN's form, {"@item": [...]}. */
static void set_list(json_t *obj, const char *name, const char *item, char *const *texts, size_t n)
{
    json_t *outer = json_object(), *list = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_string(texts[i]));
    json_object_set_new(outer, item, list);
    json_object_set_new(obj, name, outer);
}

/* ---- local resources ---- */

static bool has_only(const char *text, const char *others)
{
    for (; text && *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr(others, *text))
            return false;
    return true;
}

/* Appends the URL as text. Its scheme, host and user may not hold characters by which the text
 * would be split elsewhere. */
static int add_url(const Yarn__Url *u, const char *key, struct base_buf *out,
                   struct base_error *err)
{
    if (!has_only(u->scheme, "+-.") || !has_only(u->host, "-._:[]%") ||
        !has_only(u->user_info, "-._~!$&'()*+,;=:%"))
        return base_error_set(
            err, -BASE_EINVAL,
            "local resource %.200s: its URL has the scheme \"%.100s\", the user "
            "\"%.100s\" and the host \"%.200s\"; expected letters, digits and the "
            "signs of such parts",
            key, u->scheme ? u->scheme : "", u->user_info ? u->user_info : "",
            u->host ? u->host : "");
    if (u->scheme)
        base_buf_addf(out, "%s:", u->scheme);
    if (u->scheme || u->host)
        base_buf_adds(out, "//");
    if (u->user_info && *u->user_info)
        base_buf_addf(out, "%s@", u->user_info);
    base_buf_adds(out, u->host ? u->host : "");
    if (u->has_port && u->port > 0) /* -1: none */
        base_buf_addf(out, ":%d", u->port);
    base_percent_encode_path(u->file ? u->file : "", out); /* clients send it decoded */
    return 0;
}

static int set_resource(json_t *entry, const char *key, const Yarn__LocalResource *r,
                        struct base_error *err)
{
    struct base_buf url = {0};
    json_t *value = json_object();
    int rc = r->resource ? add_url(r->resource, key, &url, err) : 0;

    json_object_set_new(entry, "value", value);
    set_text(value, "resource", url.data);
    set_text(value, "type", find_name(resource_types, COUNT(resource_types), r->type));
    set_text(value, "visibility", find_name(visibilities, COUNT(visibilities), r->visibility));
    json_object_set_new(value, "size", json_integer(r->size));
    json_object_set_new(value, "timestamp", json_integer(r->timestamp_ms));
    set_text(value, "pattern", r->pattern);
    base_buf_free(&url);
    return rc;
}

static int set_resources(json_t *ctx, const Yarn__LaunchContext *l, struct base_error *err)
{
    json_t *entries = set_map(ctx, "local-resources");
    const Yarn__LocalResource none = YARN__LOCAL_RESOURCE__INIT;
    int rc = 0;

    for (size_t i = 0; i < l->n_resources && rc == 0; i++) {
        const Yarn__LocalResourceEntry *e = l->resources[i];
        const char *key = e->key ? e->key : "";

        rc = set_resource(add_entry(entries, key), key, e->value ? e->value : &none, err);
    }
    return rc;
}

/* ---- credentials ---- */

static int set_credentials(json_t *ctx, const ProtobufCBinaryData *file, struct base_error *err)
{
    struct base_credentials c;
    json_t *credentials, *tokens, *secrets;
    int rc = base_credentials_parse(file->data, file->len, &c, err);

    if (rc < 0)
        return rc;
    credentials = json_object();
    json_object_set_new(ctx, "credentials", credentials);
    tokens = set_map(credentials, "tokens");
    secrets = set_map(credentials, "secrets");
    for (size_t i = 0; i < c.tokens_n; i++) {
        struct base_buf members = {0};

        base_hadoop_token_write(&c.tokens[i].token, &members);
        set_base64(add_entry(tokens, c.tokens[i].alias), "value", members.data, members.len);
        base_buf_free(&members);
    }
    for (size_t i = 0; i < c.secrets_n; i++)
        set_base64(add_entry(secrets, c.secrets[i].alias), "value", c.secrets[i].bytes.data,
                   c.secrets[i].bytes.len);
    base_credentials_free(&c);
    return 0;
}

/* ---- the launch context ---- */

static void set_environment(json_t *ctx, const Yarn__LaunchContext *l)
{
    json_t *entries = set_map(ctx, "environment");

    for (size_t i = 0; i < l->n_environment; i++) {
        const Yarn__TextEntry *e = l->environment[i];

        set_text(add_entry(entries, e->key), "value", e->value ? e->value : "");
    }
}

static void set_service_data(json_t *ctx, const Yarn__LaunchContext *l)
{
    json_t *entries = set_map(ctx, "service-data");

    for (size_t i = 0; i < l->n_service_data; i++) {
        const Yarn__BytesEntry *e = l->service_data[i];

        set_base64(add_entry(entries, e->key), "value", e->value.data, e->value.len);
    }
}

static void set_acls(json_t *ctx, const Yarn__LaunchContext *l)
{
    json_t *entries = set_map(ctx, "application-acls");

    for (size_t i = 0; i < l->n_acls; i++) {
        const char *right = find_name(rights, COUNT(rights), l->acls[i]->type);

        if (right)
            set_text(add_entry(entries, right), "value", l->acls[i]->acl);
    }
}

static int set_launch(json_t *body, const Yarn__LaunchContext *l, struct base_error *err)
{
    json_t *ctx = json_object();
    int rc;

    json_object_set_new(body, "am-container-spec", ctx);
    if (l->has_tokens_conf && l->tokens_conf.len > RM_RPC_TOKENS_CONF_MAX)
        return base_error_set(err, -BASE_ELIMIT,
                              "Exceed yarn.resourcemanager.delegation-token.max-conf-size-bytes "
                              "limit: %zu bytes; at most %d",
                              l->tokens_conf.len, RM_RPC_TOKENS_CONF_MAX);
    if ((rc = set_resources(ctx, l, err)) < 0)
        return rc;
    if (l->has_credentials && l->credentials.len &&
        (rc = set_credentials(ctx, &l->credentials, err)) < 0)
        return rc;
    set_environment(ctx, l);
    set_list(ctx, "commands", "command", l->commands, l->n_commands);
    if (l->n_service_data)
        set_service_data(ctx, l);
    if (l->n_acls)
        set_acls(ctx, l);
    if (l->has_tokens_conf)
        set_base64(ctx, "creel-tokens-conf", l->tokens_conf.data, l->tokens_conf.len);
    return 0;
}

/* ---- the master's resource ---- */

static int refuse_resource(struct base_error *err, const char *why)
{
    return base_error_set(err, -BASE_ENOTFOUND, "Invalid resource request, %s", why);
}

/* Finds the request that describes the master. Sets *@out to NULL when there are none. */
static int find_master_request(const Yarn__Submission *s, const Yarn__ResourceRequest **out,
                               struct base_error *err)
{
    *out = NULL;
    for (size_t i = 0; i < s->n_master_requests; i++) {
        const Yarn__ResourceRequest *r = s->master_requests[i];

        if (!r->resource_name || strcmp(r->resource_name, ANY_HOST) != 0)
            continue;
        if (*out)
            return refuse_resource(err, "only one resource request with * is allowed");
        *out = r;
    }
    return *out || s->n_master_requests == 0
               ? 0
               : refuse_resource(err, "no resource request specified with *");
}

/* Sets the master's resource and label; YARN asks for none of a master that clients run. */
static int set_master(json_t *body, const Yarn__Submission *s, struct base_error *err)
{
    const Yarn__ResourceRequest *request;
    const Yarn__Resource *r = s->resource;
    json_t *resource;
    int rc = find_master_request(s, &request, err);

    if (s->unmanaged)
        return 0;
    if (rc < 0)
        return rc;
    if (request) {
        r = request->capability;
        set_text_unless_empty(body, "am-container-node-label-expression", request->label);
    }
    if (!r)
        return refuse_resource(err, "no resources requested");
    resource = json_object();
    json_object_set_new(resource, "memory", json_integer(r->memory));
    json_object_set_new(resource, "vCores", json_integer(r->vcores));
    json_object_set_new(body, "resource", resource);
    return 0;
}

/* ---- the submission ---- */

static void set_log_context(json_t *body, const Yarn__LogContext *l)
{
    json_t *ctx = json_object();

    set_text_unless_empty(ctx, "log-include-pattern", l->include);
    set_text_unless_empty(ctx, "log-exclude-pattern", l->exclude);
    set_text_unless_empty(ctx, "rolled-log-include-pattern", l->rolled_include);
    set_text_unless_empty(ctx, "rolled-log-exclude-pattern", l->rolled_exclude);
    set_text_unless_empty(ctx, "log-aggregation-policy-class-name", l->policy_class);
    set_text_unless_empty(ctx, "log-aggregation-policy-parameters", l->policy_parameters);
    json_object_set_new(body, "log-aggregation-context", ctx);
}

static void set_numbers(json_t *body, const Yarn__Submission *s)
{
    /* YARN's schedulers give 0 to a message without one, and only its REST gives -1. */
    json_object_set_new(body, "priority", json_integer(s->priority ? s->priority->priority : 0));
    json_object_set_new(body, "max-app-attempts", json_integer(s->max_attempts));
    json_object_set_new(body, "attempt-failures-validity-interval",
                        json_integer(s->failures_validity_ms));
    json_object_set_new(body, "unmanaged-AM", json_boolean(s->unmanaged));
    json_object_set_new(body, "keep-containers-across-application-attempts",
                        json_boolean(s->keep_containers));
    for (size_t i = 0; i < s->n_timeouts; i++)
        if (s->timeouts[i]->type == LIFETIME)
            json_object_set_new(body, "creel-lifetime-s", json_integer(s->timeouts[i]->seconds));
}

static void set_ids(json_t *body, const Yarn__Submission *s)
{
    char text[BASE_ID_TEXT_MAX];
    struct base_app_id id;

    if (rm_rpc_get_app_id(s->id, &id))
        set_text(body, "application-id", base_app_id_text(&id, text));
    if (s->reservation) { /* numbers that no reservation can have are left to the decoder */
        snprintf(text, sizeof text, "reservation_%" PRId64 "_%04" PRId64, s->reservation->cluster,
                 s->reservation->id);
        set_text(body, "reservation-id", text);
    }
}

/* A JSON value takes many times the bytes of an empty entry, so long lists are refused before they
 * become JSON. */
static int check_list_lengths(const Yarn__Submission *s, struct base_error *err)
{
    const Yarn__LaunchContext none = YARN__LAUNCH_CONTEXT__INIT;
    const Yarn__LaunchContext *l = s->launch ? s->launch : &none;
    const struct {
        const char *name;
        size_t n;
    } lists[] = {{"application tags", s->n_tags},
                 {"local resources", l->n_resources},
                 {"environment variables", l->n_environment},
                 {"service data", l->n_service_data},
                 {"access control lists", l->n_acls},
                 {"commands", l->n_commands}};

    for (size_t i = 0; i < COUNT(lists); i++)
        if (lists[i].n > LIST_MAX)
            return base_error_set(err, -BASE_ELIMIT, "%s: there are %zu; at most %d are possible",
                                  lists[i].name, lists[i].n, LIST_MAX);
    return 0;
}

int rm_rpc_submission_to_json(const Yarn__Submission *s, json_t **out, struct base_error *err)
{
    json_t *body;
    int rc = check_list_lengths(s, err);

    if (rc < 0)
        return rc;
    body = json_object();

    set_ids(body, s);
    set_text(body, "application-name", s->name);
    set_text(body, "queue", s->queue);
    set_text(body, "application-type", s->type);
    set_text(body, "creel-master-protocol", "hadoop-rpc");
    set_numbers(body, s);
    set_text_unless_empty(body, "app-node-label-expression", s->label);
    if (s->n_tags)
        set_list(body, "application-tags", "tag", s->tags, s->n_tags);
    if (s->logs)
        set_log_context(body, s->logs);
    rc = set_master(body, s, err);
    if (rc == 0 && s->launch)
        rc = set_launch(body, s->launch, err);
    if (rc < 0)
        json_decref(body);
    else
        *out = body;
    return rc;
}
