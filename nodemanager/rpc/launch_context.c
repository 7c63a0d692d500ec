#include "nodemanager/rpc/launch_context.h"

#include <stdlib.h>
#include <string.h>

#include "api/wire/order.h"
#include "base/conf/percent.h"
#include "base/crypto/base64.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "nodemanager/shuffle/jobs.h"

#define ACL_VIEW    1
#define SHOWN_BYTES 100 /* of a member's name in an error */

/* What the order borrows from; freed with free_parts(). */
struct parts {
    char **env; /* env_n */
    size_t env_n;
    struct base_local_resource *resources; /* resources_n; only the urls are owned */
    size_t resources_n;
    struct base_buf command, credentials, shuffle_data;
};

static void free_parts(struct parts *p)
{
    for (size_t i = 0; i < p->env_n; i++)
        free(p->env[i]);
    free(p->env);
    for (size_t i = 0; i < p->resources_n; i++)
        free(p->resources[i].url);
    free(p->resources);
    base_buf_free(&p->command);
    if (p->credentials.data)
        explicit_bzero(p->credentials.data, p->credentials.len);
    base_buf_free(&p->credentials);
    if (p->shuffle_data.data)
        explicit_bzero(p->shuffle_data.data, p->shuffle_data.len);
    base_buf_free(&p->shuffle_data);
}

static int refuse(struct base_error *err, const char *list, const char *key, const char *what)
{
    char *shown = base_utf8_escape_for_message(key ? key : "", SHOWN_BYTES);
    int rc = base_error_set(err, -BASE_EINVAL, "%s \"%s\": %s", list, shown, what);

    free(shown);
    return rc;
}

/* Returns the place of the variable @name among those taken; the next free one if it is not there.
 */
static size_t find_env_place(const struct parts *p, const char *name)
{
    size_t n = strlen(name), i = 0;

    while (i < p->env_n && (strncmp(p->env[i], name, n) != 0 || p->env[i][n] != '='))
        i++;
    return i;
}

/* Of several variables with one name the last one counts, as in the map that Java reads. */
static int take_env(const Nm__LaunchContext *context, struct parts *p, struct base_error *err)
{
    if (context->n_env > BASE_ENV_MAX)
        return base_error_set(err, -BASE_ELIMIT, "environment: %zu variables: at most %d are taken",
                              context->n_env, BASE_ENV_MAX);
    p->env = base_alloc((context->n_env + 1) * sizeof *p->env);
    for (size_t i = 0; i < context->n_env; i++) {
        const Nm__Variable *v = context->env[i];
        size_t place;

        if (!v->key || !*v->key || strchr(v->key, '='))
            return refuse(err, "environment", v->key, "a name without \"=\" was expected");
        place = find_env_place(p, v->key);
        if (place == p->env_n)
            p->env_n++;
        else
            free(p->env[place]);
        p->env[place] = base_printf("%s=%s", v->key, v->value ? v->value : "");
    }
    return 0;
}

/* Returns the URL as text. A file on this machine has neither host nor port. */
static char *join_url(const Nm__Url *url)
{
    struct base_buf text = {0};
    const char *file = url->file ? url->file : "";

    if (url->scheme && *url->scheme)
        base_buf_addf(&text, "%s:", url->scheme);
    if (url->host && *url->host) {
        base_buf_adds(&text, "//");
        if (url->user_info && *url->user_info)
            base_buf_addf(&text, "%s@", url->user_info);
        base_buf_adds(&text, url->host);
        if (url->has_port && url->port > 0)
            base_buf_addf(&text, ":%d", url->port);
    } else if (text.len && *file == '/') {
        base_buf_adds(&text, "//");
    }
    if (text.len) /* clients send the path decoded */
        base_percent_encode_path(file, &text);
    else
        base_buf_adds(&text, file);
    return base_buf_take(&text);
}

/* SOURCE: YARN's checks of resources, whose words these errors have. */
static int take_resource(const Nm__NamedResource *from, struct base_local_resource *to,
                         struct base_error *err)
{
    static const enum base_resource_type types[] = {
        [1] = BASE_RESOURCE_ARCHIVE, [2] = BASE_RESOURCE_FILE, [3] = BASE_RESOURCE_PATTERN};
    static const enum base_resource_visibility visibilities[] = {
        [1] = BASE_RESOURCE_PUBLIC, [2] = BASE_RESOURCE_PRIVATE, [3] = BASE_RESOURCE_APPLICATION};
    const Nm__LocalResource *r = from->value;

    if (!from->key || !*from->key)
        return refuse(err, "local resource", from->key, "a name is required");
    if (!r || !r->url || !r->url->file)
        return refuse(err, "Null resource URL for local resource", from->key, "is required");
    if (r->type < 1 || r->type > 3)
        return refuse(err, "Null resource type for local resource", from->key,
                      "ARCHIVE, FILE or PATTERN was expected");
    if (r->visibility < 1 || r->visibility > 3)
        return refuse(err, "Null resource visibility for local resource", from->key,
                      "PUBLIC, PRIVATE or APPLICATION was expected");
    to->name = from->key;
    to->url = join_url(r->url);
    to->type = types[r->type];
    to->visibility = visibilities[r->visibility];
    to->size = r->size;
    to->timestamp_ms = r->timestamp;
    to->pattern = r->pattern;
    return 0;
}

static int take_resources(const Nm__LaunchContext *context, struct parts *p, struct base_error *err)
{
    int rc = 0;

    if (context->n_resources > BASE_ENV_MAX)
        return base_error_set(err, -BASE_ELIMIT, "%zu local resources: at most %d are taken",
                              context->n_resources, BASE_ENV_MAX);
    p->resources = base_alloc((context->n_resources + 1) * sizeof *p->resources);
    for (size_t i = 0; rc == 0 && i < context->n_resources; i++)
        rc = take_resource(context->resources[i], &p->resources[p->resources_n++], err);
    return rc;
}

/* A command may come in several texts, quotes included, which blanks join. */
static int take_command(const Nm__LaunchContext *context, struct parts *p, struct base_error *err)
{
    for (size_t i = 0; i < context->n_commands; i++) {
        base_buf_adds(&p->command, i ? " " : "");
        base_buf_adds(&p->command, context->commands[i]);
    }
    if (!p->command.data || p->command.len > BASE_COMMAND_MAX)
        return base_error_set(err, -BASE_EINVAL, "commands: %zu bytes: 1 to %d were expected",
                              p->command.len, BASE_COMMAND_MAX);
    return 0;
}

static const char *find_view_acl(const Nm__LaunchContext *context)
{
    for (size_t i = 0; i < context->n_acls; i++)
        if (context->acls[i]->access == ACL_VIEW)
            return context->acls[i]->acl;
    return NULL;
}

/* The caller has checked that the node has the service. */
static int take_service_data(const Nm__LaunchContext *context, struct parts *p,
                             struct base_error *err)
{
    struct nm_shuffle_secret secret;
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < context->n_service_data; i++) {
        const Nm__ServiceData *d = context->service_data[i];

        rc = nm_shuffle_secret_read(d->value.data, d->value.len, &secret, err);
        base_buf_clear(&p->shuffle_data);
        if (rc == 0)
            base_base64_encode(d->value.data, d->value.len, &p->shuffle_data);
    }
    explicit_bzero(&secret, sizeof secret);
    return rc;
}

static int take_parts(const Nm__LaunchContext *context, struct parts *p, struct base_error *err)
{
    int rc = take_env(context, p, err);

    if (rc == 0)
        rc = take_resources(context, p, err);
    if (rc == 0)
        rc = take_command(context, p, err);
    if (rc == 0)
        rc = take_service_data(context, p, err);
    if (rc == 0 && context->has_tokens)
        base_base64_encode(context->tokens.data, context->tokens.len, &p->credentials);
    return rc;
}

int nm_rpc_put_launch_order(const Nm__LaunchContext *context,
                            const struct base_hadoop_container_id *token, const char *secret,
                            struct base_buf *out, struct base_error *err)
{
    struct parts p = {0};
    int rc = take_parts(context, &p, err);
    struct wire_order order = {.kind = BASE_ORDER_LAUNCH,
                               .launch = {.container = token->container,
                                          .app = token->container.attempt.app,
                                          .kind = BASE_CONTAINER_COMMAND,
                                          .user = token->submitter,
                                          .name = "",
                                          .token = secret ? secret : "",
                                          .acl_view = find_view_acl(context),
                                          .memory_mb = token->memory_mb,
                                          .vcores = token->vcores,
                                          .priority = token->priority,
                                          .allocation_request_id = token->allocation,
                                          .env = (const char *const *)p.env,
                                          .env_n = p.env_n,
                                          .command = p.command.data,
                                          .resources = p.resources,
                                          .resources_n = p.resources_n,
                                          .credentials = p.credentials.data,
                                          .shuffle_data = p.shuffle_data.data}};

    if (rc == 0)
        wire_order_put(&order, out);
    free_parts(&p);
    return rc;
}
