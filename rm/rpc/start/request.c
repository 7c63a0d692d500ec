#include "rm/rpc/start/request.h"

#include <curl/curl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/crypto/base64.h"
#include "base/hadoop/identifiers.h"
#include "rm/http/master_credentials.h"
#include "rm/rpc/put.h"
#include "rm/rpc/start.pb-c.h"

#define NO_PORT (-1) /* as Java says that a URL names none */

#define PUT(message, member, value) ((message)->has_##member = true, (message)->member = (value))

/* The launch context while it is encoded, and the memory that it points to. */
struct context {
    Yarn__LaunchContext message;
    char **texts; /* owned */
    size_t texts_n, texts_cap;
    struct base_buf *blobs; /* owned */
    size_t blobs_n, blobs_cap;
};

static char *own_text(struct context *c, char *text)
{
    base_array_grow(&c->texts, c->texts_n, &c->texts_cap);
    return c->texts[c->texts_n++] = text;
}

static ProtobufCBinaryData own_decoded(struct context *c, const char *base64)
{
    struct base_buf *b;

    base_array_grow(&c->blobs, c->blobs_n, &c->blobs_cap);
    b = &c->blobs[c->blobs_n++];
    *b = (struct base_buf){0};
    base_base64_decode(base64, b);
    return (ProtobufCBinaryData){b->len, (uint8_t *)b->data};
}

static void free_context(struct context *c)
{
    Yarn__LaunchContext *m = &c->message;

    for (size_t i = 0; i < c->texts_n; i++)
        free(c->texts[i]);
    free(c->texts);
    for (size_t i = 0; i < c->blobs_n; i++) {
        if (c->blobs[i].data)
            explicit_bzero(c->blobs[i].data, c->blobs[i].len);
        base_buf_free(&c->blobs[i]);
    }
    free(c->blobs);
    for (size_t i = 0; i < m->n_resources; i++) {
        free(m->resources[i]->value->resource);
        free(m->resources[i]->value);
        free(m->resources[i]);
    }
    for (size_t i = 0; i < m->n_service_data; i++)
        free(m->service_data[i]);
    for (size_t i = 0; i < m->n_environment; i++)
        free(m->environment[i]);
    for (size_t i = 0; i < m->n_acls; i++)
        free(m->acls[i]);
    free(m->resources);
    free(m->service_data);
    free(m->environment);
    free(m->acls);
}

/* ---- local resources ---- */

/* Returns a part of the URL, owned by @c; NULL: it has none. */
static char *get_part(struct context *c, CURLU *url, CURLUPart part, unsigned flags)
{
    char *text = NULL, *copy;

    if (curl_url_get(url, part, &text, flags) != CURLUE_OK)
        return NULL;
    copy = own_text(c, base_strdup(text));
    curl_free(text);
    return copy;
}

static int put_url(struct context *c, const char *text, Yarn__Url *out, struct base_error *err)
{
    CURLU *url = curl_url();
    char *port;
    int rc = 0;

    base_assert(url != NULL);
    PUT(out, port, NO_PORT);
    if (*text == '/') { /* a plain path */
        out->scheme = "file";
        out->file = own_text(c, base_strdup(text));
    } else if (curl_url_set(url, CURLUPART_URL, text,
                            CURLU_NON_SUPPORT_SCHEME | CURLU_NO_AUTHORITY) != CURLUE_OK) {
        rc = base_error_set(err, -BASE_EINVAL, "local resource: \"%.200s\" is no URL", text);
    } else {
        out->scheme = get_part(c, url, CURLUPART_SCHEME, 0);
        out->host = get_part(c, url, CURLUPART_HOST, 0);
        out->user_info = get_part(c, url, CURLUPART_USER, 0);
        out->file = get_part(c, url, CURLUPART_PATH, CURLU_URLDECODE);
        port = get_part(c, url, CURLUPART_PORT, 0);
        out->port = port ? (int32_t)strtol(port, NULL, 10) : NO_PORT;
        if (out->host && !*out->host)
            out->host = NULL;
    }
    curl_url_cleanup(url);
    return rc;
}

static int number_type(enum base_resource_type type)
{
    return type == BASE_RESOURCE_ARCHIVE ? 1 : type == BASE_RESOURCE_FILE ? 2 : 3;
}

static int number_visibility(enum base_resource_visibility v)
{
    return v == BASE_RESOURCE_PUBLIC ? 1 : v == BASE_RESOURCE_PRIVATE ? 2 : 3;
}

static int put_resources(struct context *c, const struct rm_launch *l, struct base_error *err)
{
    Yarn__LaunchContext *m = &c->message;
    int rc = 0;

    m->resources = base_alloc(l->resources_n * sizeof *m->resources);
    for (size_t i = 0; i < l->resources_n && rc == 0; i++) {
        const struct base_local_resource *from = &l->resources[i];
        Yarn__LocalResourceEntry *e = base_alloc(sizeof *e);
        Yarn__LocalResource *r = base_alloc(sizeof *r);

        yarn__local_resource_entry__init(e);
        yarn__local_resource__init(r);
        m->resources[m->n_resources++] = e;
        e->key = from->name;
        e->value = r;
        r->resource = base_alloc(sizeof *r->resource);
        yarn__url__init(r->resource);
        rc = put_url(c, from->url, r->resource, err);
        PUT(r, size, from->size);
        PUT(r, timestamp_ms, from->timestamp_ms);
        PUT(r, type, number_type(from->type));
        PUT(r, visibility, number_visibility(from->visibility));
        r->pattern = from->pattern;
    }
    return rc;
}

/* ---- variables ---- */

static void add_variable(struct context *c, const char *key, const char *value)
{
    Yarn__TextEntry *e = base_alloc(sizeof *e);

    yarn__text_entry__init(e);
    e->key = own_text(c, base_strdup(key));
    e->value = own_text(c, base_strdup(value));
    c->message.environment[c->message.n_environment++] = e;
}

/* The client's, and those that YARN gives masters. SOURCE: ApplicationConstants. */
static void put_environment(struct context *c, const struct rm_order *o)
{
    const struct rm_str_list *env = &o->launch->env;
    char text[128], id[BASE_ID_TEXT_MAX];

    c->message.environment = base_alloc((env->n + 3) * sizeof *c->message.environment);
    for (size_t i = 0; i < env->n; i++) {
        char *key = base_strndup(env->v[i], strcspn(env->v[i], "="));

        add_variable(c, key, strchr(env->v[i], '=') ? strchr(env->v[i], '=') + 1 : "");
        free(key);
    }
    snprintf(text, sizeof text, "%" PRId64, o->submit_us / 1000);
    add_variable(c, "APP_SUBMIT_TIME_ENV", text);
    snprintf(text, sizeof text, "/proxy/%s", base_app_id_text(&o->app, id));
    add_variable(c, "APPLICATION_WEB_PROXY_BASE", text);
    snprintf(text, sizeof text, "%d", (int)o->attempts_max);
    add_variable(c, "MAX_APP_ATTEMPTS", text);
}

/* ---- what only the submission's own text has ---- */

static const json_t *find_entries(const json_t *context, const char *name)
{
    return json_object_get(json_object_get(context, name), "entry");
}

/* Calls @each for the entries of a map in YARN's form, {"entry": [{"key", "value"}]}. */
static void for_each_entry(struct context *c, const json_t *context, const char *name,
                           void (*each)(struct context *c, const char *key, const char *value))
{
    const json_t *entries = find_entries(context, name), *entry;
    size_t i, n = json_is_array(entries) ? json_array_size(entries) : entries != NULL;

    for (i = 0; i < n; i++) {
        const char *key, *value;

        entry = json_is_array(entries) ? json_array_get(entries, i) : entries;
        key = json_string_value(json_object_get(entry, "key"));
        value = json_string_value(json_object_get(entry, "value"));
        if (key && value)
            each(c, key, value);
    }
}

static void add_service_data(struct context *c, const char *key, const char *value)
{
    Yarn__LaunchContext *m = &c->message;
    Yarn__BytesEntry *e = base_alloc(sizeof *e);

    yarn__bytes_entry__init(e);
    e->key = own_text(c, base_strdup(key));
    e->has_value = true;
    e->value = own_decoded(c, value);
    m->service_data =
        base_realloc_array(m->service_data, m->n_service_data + 1, sizeof *m->service_data);
    m->service_data[m->n_service_data++] = e;
}

static void add_acl(struct context *c, const char *key, const char *value)
{
    Yarn__LaunchContext *m = &c->message;
    Yarn__AclEntry *e = base_alloc(sizeof *e);

    yarn__acl_entry__init(e);
    PUT(e, type, strcmp(key, "VIEW_APP") == 0 ? 1 : 2);
    e->acl = own_text(c, base_strdup(value));
    m->acls = base_realloc_array(m->acls, m->n_acls + 1, sizeof *m->acls);
    m->acls[m->n_acls++] = e;
}

static void put_submitted(struct context *c, const struct rm_launch *l)
{
    json_t *context = l->json ? json_loads(l->json, 0, NULL) : NULL;
    const char *tokens_conf = json_string_value(json_object_get(context, "creel-tokens-conf"));

    for_each_entry(c, context, "service-data", add_service_data);
    for_each_entry(c, context, "application-acls", add_acl);
    if (tokens_conf)
        PUT(&c->message, tokens_conf, own_decoded(c, tokens_conf));
    json_decref(context);
}

/* ---- the whole ---- */

static int put_context(const struct rm_order *o, struct context *c, struct base_error *err)
{
    char *credentials;

    *c = (struct context){0};
    yarn__launch_context__init(&c->message);
    put_environment(c, o);
    put_submitted(c, o->launch);
    c->message.commands = o->launch->commands.v;
    c->message.n_commands = o->launch->commands.n;
    credentials =
        rm_master_credentials_make(o->launch->credentials, &o->container.attempt, o->amrm_key);
    PUT(&c->message, credentials, own_decoded(c, credentials));
    explicit_bzero(credentials, strlen(credentials));
    free(credentials);
    return put_resources(c, o->launch, err);
}

static void compute_password(const struct rm_master_key *key, const struct base_buf *identifier,
                             unsigned char out[static BASE_SHA1_BYTES])
{
    base_hadoop_compute_password(key->bytes, sizeof key->bytes, identifier->data, identifier->len,
                                 out);
}

static void add_container_identifier(const struct rm_order *o, const struct rm_start_basis *basis,
                                     struct base_buf *out)
{
    struct base_hadoop_container_id id = {.container = o->container,
                                          .memory_mb = o->resource.v[RM_RES_MEMORY_MB],
                                          .vcores = (int32_t)o->resource.v[RM_RES_VCORES],
                                          .expiry_ms = basis->now_ms + basis->lifetime_ms,
                                          .key_id = basis->container_key->id,
                                          .rm_identifier = basis->rm_instance_ms,
                                          .priority = o->priority,
                                          .created_ms = basis->now_ms,
                                          .is_master = true,
                                          .allocation = BASE_HADOOP_NO_ALLOCATION};

    snprintf(id.node, sizeof id.node, "%s:%d", basis->host, basis->port);
    snprintf(id.submitter, sizeof id.submitter, "%s", o->user);
    base_hadoop_container_id_add(&id, out);
}

static void add_nm_identifier(const struct rm_order *o, const struct rm_start_basis *basis,
                              struct base_buf *out)
{
    struct base_hadoop_nm_id id = {
        .attempt = o->container.attempt, .port = basis->port, .key_id = basis->nm_key->id};

    snprintf(id.host, sizeof id.host, "%s", basis->host);
    snprintf(id.submitter, sizeof id.submitter, "%s", o->user);
    base_hadoop_nm_id_add(&id, out);
}

/* Encodes the request for one container with this context. */
static void encode_request(const struct rm_order *o, const struct rm_start_basis *basis,
                           struct context *c, struct base_buf *out)
{
    Start__Request request = START__REQUEST__INIT;
    Start__Container container = START__CONTAINER__INIT, *containers[] = {&container};
    Master__Token token = MASTER__TOKEN__INIT;
    struct base_buf identifier = {0};
    unsigned char password[BASE_SHA1_BYTES];
    char service[BASE_HADOOP_TEXT_MAX];

    add_container_identifier(o, basis, &identifier);
    compute_password(basis->container_key, &identifier, password);
    snprintf(service, sizeof service, "%s:%d", basis->host, basis->port);
    token.identifier = (ProtobufCBinaryData){identifier.len, (uint8_t *)identifier.data};
    token.password = (ProtobufCBinaryData){sizeof password, password};
    token.kind = BASE_HADOOP_CONTAINER_KIND;
    token.service = service;
    container.context = &c->message;
    container.token = &token;
    request.containers = containers;
    request.n_containers = 1;
    base_buf_reserve(out, start__request__get_packed_size(&request));
    out->len += start__request__pack(&request, (uint8_t *)out->data + out->len);
    base_buf_free(&identifier);
}

/* A name that is cut would be another one's in a token. */
static bool fits_in_tokens(const struct rm_order *o, const struct rm_start_basis *basis)
{
    return strlen(o->user) < BASE_HADOOP_TEXT_MAX &&
           strlen(basis->host) + sizeof ":65535" <= BASE_HADOOP_TEXT_MAX;
}

/* Everything that the order and its basis point to, in one place. */
struct rm_start_source {
    struct rm_order order; /* points to the members below; of the rest only .launch is set */
    struct rm_start_basis basis;
    char *user;
    struct rm_master_key amrm_key, nm_key, container_key;
};

static struct rm_start_source *
source_new(const struct rm_order *o, const struct rm_start_basis *basis, const struct rm_start *s)
{
    struct rm_start_source *from = base_alloc(sizeof *from);

    from->user = base_strdup(o->user);
    from->nm_key = *basis->nm_key;
    from->container_key = *basis->container_key;
    if (o->amrm_key)
        from->amrm_key = *o->amrm_key;
    from->order = (struct rm_order){.container = o->container,
                                    .app = o->app,
                                    .resource = o->resource,
                                    .priority = o->priority,
                                    .user = from->user,
                                    .launch = rm_launch_ref(o->launch),
                                    .amrm_key = o->amrm_key ? &from->amrm_key : NULL,
                                    .submit_us = o->submit_us,
                                    .attempts_max = o->attempts_max};
    from->basis = *basis;
    from->basis.host = s->host;
    from->basis.address = s->address;
    from->basis.nm_key = &from->nm_key;
    from->basis.container_key = &from->container_key;
    return from;
}

static void source_free(struct rm_start_source *from)
{
    if (!from)
        return;
    rm_launch_unref(from->order.launch);
    free(from->user);
    explicit_bzero(from, sizeof *from);
    free(from);
}

struct rm_start *rm_start_new(const struct rm_order *o, const struct rm_start_basis *basis)
{
    struct rm_start *s = base_alloc(sizeof *s);

    s->container = o->container;
    s->host = base_strdup(basis->host);
    s->address = base_strdup(basis->address);
    s->port = basis->port;
    s->source = source_new(o, basis, s);
    return s;
}

int rm_start_encode(struct rm_start *s, struct base_error *err)
{
    const struct rm_order *o;
    const struct rm_start_basis *basis;
    struct context c;
    int rc;

    if (!s->source)
        return 0;
    o = &s->source->order;
    basis = &s->source->basis;
    rc = put_context(o, &c, err);
    if (rc == 0 && !fits_in_tokens(o, basis))
        rc = base_error_set(err, -BASE_ELIMIT, "the names of user and host do not fit into tokens");
    if (rc == 0) {
        encode_request(o, basis, &c, &s->request);
        add_nm_identifier(o, basis, &s->nm_identifier);
        compute_password(basis->nm_key, &s->nm_identifier, s->nm_password);
    }
    free_context(&c);
    source_free(s->source);
    s->source = NULL;
    return rc;
}

void rm_start_free(struct rm_start *s)
{
    if (!s)
        return;
    source_free(s->source);
    free(s->host);
    free(s->address);
    if (s->request.data)
        explicit_bzero(s->request.data, s->request.len);
    base_buf_free(&s->request);
    base_buf_free(&s->nm_identifier);
    explicit_bzero(s->nm_password, sizeof s->nm_password);
    free(s);
}
