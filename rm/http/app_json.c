#include "rm/http/app_json.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/crypto/base64.h"
#include "base/hadoop/credentials.h"
#include "base/io/json.h"
#include "base/limits.h"

#define TAGS_MAX         10
#define TAG_CHARS_MAX    100
#define TYPE_CHARS_MAX   20
#define RESOURCE_URL_MAX 8192
#define LOG_PATTERN_MAX  1024
#define USER_MEMBER      "creel-user" /* the submitting user, in the stored form */
/* Seconds after its submission at which the application is killed; over Hadoop RPC. */
#define LIFETIME_MEMBER "creel-lifetime-s"
#define PROTOCOL_MEMBER "creel-master-protocol"

/* ---- lenient scalars, as YARN reads them ---- */

/* Returns the member @name of @obj, or NULL when it is absent or null, or when @obj is not an
 * object (an empty XML element is read as ""). */
static const json_t *find_member(const json_t *obj, const char *name)
{
    const json_t *j = json_is_object(obj) ? json_object_get(obj, name) : NULL;

    return json_is_null(j) ? NULL : j;
}

/* Returns the text of a scalar, printing numbers into @room; NULL for objects, lists and null. */
static const char *scalar_to_text(const json_t *j, char room[static 64])
{
    if (json_is_string(j))
        return json_string_value(j);
    if (json_is_boolean(j))
        return json_is_true(j) ? "true" : "false";
    if (json_is_integer(j))
        snprintf(room, 64, "%" JSON_INTEGER_FORMAT, json_integer_value(j));
    else if (json_is_real(j))
        snprintf(room, 64, "%.17g", json_real_value(j));
    else
        return NULL;
    return room;
}

/* Replaces *@out with a copy of the member's text; keeps it when the member is absent or has no
 * text. Returns 0, or -BASE_ELIMIT for more than @max bytes. */
static int copy_text_member(const json_t *obj, const char *name, size_t max, char **out,
                            struct base_error *err)
{
    char room[64];
    const json_t *j = find_member(obj, name);
    const char *text = j ? scalar_to_text(j, room) : NULL;

    if (!text)
        return 0;
    if (strlen(text) > max)
        return base_error_set(err, -BASE_ELIMIT, "%s: %zu bytes are more than %zu", name,
                              strlen(text), max);
    free(*out);
    *out = base_strdup(text);
    return 0;
}

/* Returns the member's number, or @deflt when the member is absent or not a whole number from @min
 * to @max. */
static int64_t get_number_or_default(const json_t *obj, const char *name, int64_t min, int64_t max,
                                     int64_t deflt)
{
    char room[64], *end;
    const json_t *j = find_member(obj, name);
    const char *text = j ? scalar_to_text(j, room) : NULL;
    long long v;

    if (!text || json_is_boolean(j))
        return deflt;
    while (isspace((unsigned char)*text))
        text++;
    errno = 0;
    v = strtoll(text, &end, 10);
    while (isspace((unsigned char)*end))
        end++;
    return end == text || *end || errno || v < min || v > max ? deflt : v;
}

static bool get_bool_or_default(const json_t *obj, const char *name, bool deflt)
{
    char room[64];
    const json_t *j = find_member(obj, name);
    const char *text = j ? scalar_to_text(j, room) : NULL;

    return text ? strcmp(text, "true") == 0 || strcmp(text, "1") == 0 : deflt;
}

/* ---- lists and maps: an array or a single value ---- */
static size_t count_list_or_single(const json_t *j)
{
    return json_is_array(j) ? json_array_size(j) : j && !json_is_null(j) ? 1 : 0;
}
static const json_t *get_list_item_or_single(const json_t *j, size_t i)
{
    return json_is_array(j) ? json_array_get(j, i) : j;
}

static void str_list_append(struct rm_str_list *l, char *taken)
{
    l->v = base_realloc_array(l->v, l->n + 1, sizeof *l->v);
    l->v[l->n++] = taken;
}

/* Calls @each for every entry of the map @name in @obj that has a key; stops at the first error.
 * Refuses more than @max entries. */
static int for_each_map_entry(const json_t *obj, const char *name, size_t max,
                              int (*each)(void *u, const char *key, const json_t *value,
                                          struct base_error *err),
                              void *u, struct base_error *err)
{
    const json_t *entries = find_member(find_member(obj, name), "entry");
    size_t n = count_list_or_single(entries);
    char room[64];
    int rc = 0;

    if (n > max)
        return base_error_set(err, -BASE_ELIMIT, "%s: %zu entries are more than %zu", name, n, max);
    for (size_t i = 0; i < n && rc == 0; i++) {
        const json_t *entry = get_list_item_or_single(entries, i), *key = find_member(entry, "key");
        const char *text = key ? scalar_to_text(key, room) : NULL;
        if (text)
            rc = each(u, text, find_member(entry, "value"), err);
    }
    return rc;
}

/* ---- the launch context ---- */
/* Adds @taken_pair, "NAME=VALUE", or replaces the earlier value of the same name, as in a map. */
static void set_env_variable(struct rm_str_list *env, const char *name, char *taken_pair)
{
    size_t n = strlen(name);

    for (size_t i = 0; i < env->n; i++)
        if (strncmp(env->v[i], name, n) == 0 && env->v[i][n] == '=') {
            free(env->v[i]);
            env->v[i] = taken_pair;
            return;
        }
    str_list_append(env, taken_pair);
}

static int add_env_entry(void *u, const char *key, const json_t *value, struct base_error *err)
{
    struct rm_launch *l = u;
    char room[64];
    const char *text = value ? scalar_to_text(value, room) : "";

    if (key[0] == '\0' || strchr(key, '='))
        return base_error_set(err, -BASE_EINVAL, "environment: '%s' is not a variable's name", key);
    set_env_variable(&l->env, key, base_printf("%s=%s", key, text ? text : ""));
    return 0;
}

/* ---- local resources ---- */
static const char *const resource_types[] = {[BASE_RESOURCE_FILE] = "FILE",
                                             [BASE_RESOURCE_ARCHIVE] = "ARCHIVE",
                                             [BASE_RESOURCE_PATTERN] = "PATTERN",
                                             NULL};
static const char *const visibilities[] = {[BASE_RESOURCE_PUBLIC] = "PUBLIC",
                                           [BASE_RESOURCE_PRIVATE] = "PRIVATE",
                                           [BASE_RESOURCE_APPLICATION] = "APPLICATION",
                                           NULL};

/* Returns the index of the member's text in @words, or -1. */
static int find_member_word(const json_t *obj, const char *name, const char *const *words)
{
    char room[64];
    const json_t *j = find_member(obj, name);
    const char *text = j ? scalar_to_text(j, room) : NULL;

    for (int i = 0; text && words[i]; i++)
        if (strcmp(text, words[i]) == 0)
            return i;
    return -1;
}

/* Appends @text quoted as in the text form of a protocol buffer. */
static void add_protobuf_text_field(struct base_buf *out, const char *name, const char *text,
                                    size_t len)
{
    base_buf_addf(out, "%s: \"", name);
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c == '"' || c == '\\' || c == '\'')
            base_buf_addf(out, "\\%c", c);
        else if (c < 32 || c > 126)
            base_buf_addf(out, "\\%03o", c);
        else
            base_buf_addf(out, "%c", c);
    }
    base_buf_adds(out, "\" ");
}

/* Appends a resource's URL, size and time as YARN's refusals print them. */
static void describe_resource(const struct base_local_resource *r, struct base_buf *out)
{
    const char *at = r->url, *colon = strchr(at, ':'), *host, *end, *port;
    size_t scheme = colon && colon < at + strcspn(at, "/?#") ? (size_t)(colon - at) : 0;

    base_buf_adds(out, "resource { ");
    if (scheme) {
        add_protobuf_text_field(out, "scheme", at, scheme);
        at = colon + 1;
    }
    host = at + 2;
    port = NULL;
    if (strncmp(at, "//", 2) == 0) {
        end = host + strcspn(host, "/?#");
        for (const char *p = host; p < end; p++) {
            if (*p == '@')
                host = p + 1;
            port = *p == ':' ? p : *p == '@' || *p == ']' ? NULL : port;
        }
        if (end > host)
            add_protobuf_text_field(out, "host", host, (size_t)((port ? port : end) - host));
        at = end;
    }
    base_buf_addf(out, "port: %d ", port ? atoi(port + 1) : -1);
    add_protobuf_text_field(out, "file", at, strcspn(at, "?#"));
    base_buf_addf(out, "} size: %lld timestamp: %lld", (long long)r->size,
                  (long long)r->timestamp_ms);
}

/* Refuses a resource as YARN does. @rest: what YARN's text has after the time. */
static int refuse_resource(const struct base_local_resource *r, const char *what, const char *rest,
                           struct base_error *err)
{
    struct base_buf text = {0};
    int rc;

    describe_resource(r, &text);
    rc = base_error_set(err, -BASE_ESTATE, "Null resource %s for local resource %.200s : %s%s",
                        what, r->name, text.data, rest);
    base_buf_free(&text);
    return rc;
}

static int decode_resource_value(const json_t *value, struct base_local_resource *r,
                                 struct base_error *err)
{
    int type = find_member_word(value, "type", resource_types);
    int visibility = find_member_word(value, "visibility", visibilities);
    char rest[64];
    int rc;

    r->url = base_strdup("");
    rc = copy_text_member(value, "resource", RESOURCE_URL_MAX, &r->url, err);
    if (rc < 0)
        return rc;
    rc = copy_text_member(value, "pattern", BASE_NAME_MAX, &r->pattern, err);
    if (rc < 0)
        return rc;
    r->size = get_number_or_default(value, "size", INT64_MIN, INT64_MAX, 0);
    r->timestamp_ms = get_number_or_default(value, "timestamp", INT64_MIN, INT64_MAX, 0);
    if (!find_member(value, "resource"))
        return base_error_set(err, -BASE_ESTATE, "Null resource URL for local resource %.200s",
                              r->name);
    if (type < 0) {
        snprintf(rest, sizeof rest, "%s%s", visibility < 0 ? "" : " visibility: ",
                 visibility < 0 ? "" : visibilities[visibility]);
        return refuse_resource(r, "type", rest, err);
    }
    if (visibility < 0) {
        snprintf(rest, sizeof rest, " type: %s", resource_types[type]);
        return refuse_resource(r, "visibility", rest, err);
    }
    r->type = (enum base_resource_type)type;
    r->visibility = (enum base_resource_visibility)visibility;
    return 0;
}

static void free_resource(struct base_local_resource *r)
{
    free(r->name);
    free(r->url);
    free(r->pattern);
}

/* Adds a resource, or replaces the earlier one of the same name, as in a map. */
static int add_resource_entry(void *u, const char *key, const json_t *value, struct base_error *err)
{
    struct rm_launch *l = u;
    struct base_local_resource r = {.name = base_strdup(key)};
    int rc = strlen(key) > BASE_NAME_MAX
                 ? base_error_set(err, -BASE_ELIMIT,
                                  "local-resources: a name of %zu bytes; at most "
                                  "%d are possible",
                                  strlen(key), BASE_NAME_MAX)
                 : decode_resource_value(value, &r, err);

    if (rc < 0) {
        free_resource(&r);
        return rc;
    }
    for (size_t i = 0; i < l->resources_n; i++)
        if (strcmp(l->resources[i].name, key) == 0) {
            free_resource(&l->resources[i]);
            l->resources[i] = r;
            return 0;
        }
    l->resources = base_realloc_array(l->resources, l->resources_n + 1, sizeof *l->resources);
    l->resources[l->resources_n++] = r;
    return 0;
}

/* ---- credentials ---- */

/* Returns the bytes of the member's base64; false when @value is no text. */
static bool decode_base64(const json_t *value, struct base_buf *out)
{
    char room[64];
    const char *text = value ? scalar_to_text(value, room) : NULL;

    if (text)
        base_base64_decode(text, out);
    return text;
}

/* Adds a token, or replaces the earlier one with the same alias, as in a map. */
static int add_token_entry(void *u, const char *key, const json_t *value, struct base_error *err)
{
    struct base_buf bytes = {0};
    struct base_hadoop_token token;
    bool ok = decode_base64(value, &bytes) && base_hadoop_token_read(bytes.data, bytes.len, &token);

    base_buf_free(&bytes);
    if (!ok)
        return base_error_set(err, -BASE_EINVAL,
                              "Could not parse credentials data; exception message = null");
    base_credentials_set_token(u, key, &token);
    return 0;
}

static int add_secret_entry(void *u, const char *key, const json_t *value, struct base_error *err)
{
    struct base_buf bytes = {0};

    if (!decode_base64(value, &bytes))
        return base_error_set(err, -BASE_EINVAL,
                              "Could not parse credentials data; exception message = null");
    base_credentials_set_secret(u, key, &bytes);
    return 0;
}

/* An earlier version has stored tokens that this one refuses, such as those with texts that are not
 * UTF-8, and did not hand them out. They do not make the application unreadable. */
static int add_stored_token_entry(void *u, const char *key, const json_t *value,
                                  struct base_error *err)
{
    (void)err;
    add_token_entry(u, key, value, NULL);
    return 0;
}

/* @stored: the context was accepted earlier. */
static int decode_credentials(const json_t *ctx, bool stored, struct rm_launch *l,
                              struct base_error *err)
{
    const json_t *members = find_member(ctx, "credentials");
    struct base_credentials c = {0};
    int rc = for_each_map_entry(members, "tokens", BASE_CREDENTIALS_MAX,
                                stored ? add_stored_token_entry : add_token_entry, &c, err);

    if (rc == 0)
        rc =
            for_each_map_entry(members, "secrets", BASE_CREDENTIALS_MAX, add_secret_entry, &c, err);
    if (rc == 0 && c.tokens_n + c.secrets_n > 0) {
        struct base_buf file = {0}, text = {0};

        base_credentials_write(&c, &file);
        base_base64_encode(file.data, file.len, &text);
        base_buf_free(&file);
        l->credentials = base_buf_take(&text);
    }
    base_credentials_free(&c);
    return rc;
}

/* ---- service data ---- */

static int add_service_data(void *u, const char *key, const json_t *value, struct base_error *err)
{
    struct rm_launch *l = u;
    char room[64];
    const char *text = value ? scalar_to_text(value, room) : NULL;

    if (strcmp(key, "mapreduce_shuffle") != 0 || !text) /* the only service of Creel's nodes */
        return 0;
    if (strlen(text) > BASE_SERVICE_MAX)
        return base_error_set(err, -BASE_ELIMIT,
                              "service-data: mapreduce_shuffle: %zu bytes; at most %d are possible",
                              strlen(text), BASE_SERVICE_MAX);
    free(l->shuffle_data);
    l->shuffle_data = base_strdup(text);
    return 0;
}

static int decode_commands(const json_t *ctx, struct rm_launch *l, struct base_error *err)
{
    const json_t *commands = find_member(find_member(ctx, "commands"), "command");
    size_t total = 0;
    char room[64];

    for (size_t i = 0; i < count_list_or_single(commands); i++) {
        const char *text = scalar_to_text(get_list_item_or_single(commands, i), room);
        if (!text)
            continue;
        total += strlen(text) + (i > 0); /* plus the blank that joins two commands */
        if (total > BASE_COMMAND_MAX)
            return base_error_set(err, -BASE_ELIMIT, "commands: more than %d bytes",
                                  BASE_COMMAND_MAX);
        str_list_append(&l->commands, base_strdup(text));
    }
    return 0;
}

static int decode_launch(const json_t *ctx, bool stored, struct rm_launch **out,
                         struct base_error *err)
{
    struct base_buf json = {0};
    struct rm_launch *l;
    int rc;

    *out = NULL;
    if (!json_is_object(ctx) || json_object_size(ctx) == 0)
        return 0;
    l = base_alloc(sizeof *l);
    l->refs = 1;
    rc = decode_commands(ctx, l, err);
    if (rc == 0)
        rc = for_each_map_entry(ctx, "environment", BASE_ENV_MAX, add_env_entry, l, err);
    if (rc == 0)
        rc = for_each_map_entry(ctx, "local-resources", BASE_ENV_MAX, add_resource_entry, l, err);
    if (rc == 0)
        rc = decode_credentials(ctx, stored, l, err);
    if (rc == 0)
        rc = for_each_map_entry(ctx, "service-data", BASE_ENV_MAX, add_service_data, l, err);
    if (rc < 0) {
        rm_launch_unref(l);
        return rc;
    }
    base_json_dump(ctx, &json);
    l->json = base_buf_take(&json);
    *out = l;
    return 0;
}

int rm_launch_decode(const json_t *ctx, struct rm_launch **out, struct base_error *err)
{
    return decode_launch(ctx, false, out, err);
}

/* ---- tags: lower case, each once, sorted, as YARN keeps them ---- */
static int compare_tags(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int check_tag(const char *tag, struct base_error *err)
{
    if (strlen(tag) > TAG_CHARS_MAX)
        return base_error_set(err, -BASE_EINVAL,
                              "java.lang.IllegalArgumentException: Tag %.200s is too long, maximum "
                              "allowed length of a "
                              "tag is %d",
                              tag, TAG_CHARS_MAX);
    for (const char *p = tag; *p; p++)
        if ((unsigned char)*p >= 0x80)
            return base_error_set(
                err, -BASE_EINVAL,
                "java.lang.IllegalArgumentException: A tag can only have ASCII characters! Invalid "
                "tag - %s",
                tag);
    return 0;
}

static int decode_tags(const json_t *body, struct rm_str_list *tags, struct base_error *err)
{
    const json_t *list = find_member(find_member(body, "application-tags"), "tag");
    char room[64];
    size_t kept = 0;

    if (count_list_or_single(list) > BASE_ENV_MAX) /* far too many: do not even sort them */
        return base_error_set(err, -BASE_EINVAL,
                              "java.lang.IllegalArgumentException: Too many applicationTags, a "
                              "maximum of only %d are "
                              "allowed!",
                              TAGS_MAX);
    for (size_t i = 0; i < count_list_or_single(list); i++) {
        const char *text = scalar_to_text(get_list_item_or_single(list, i), room);
        int rc = text ? check_tag(text, err) : 0;
        if (rc < 0)
            return rc;
        if (text)
            str_list_append(tags, base_strdup(text));
    }
    if (tags->n == 0)
        return 0;
    for (size_t i = 0; i < tags->n; i++)
        for (char *p = tags->v[i]; *p; p++)
            *p = (char)tolower((unsigned char)*p);
    qsort(tags->v, tags->n, sizeof *tags->v, compare_tags);
    for (size_t i = 0; i < tags->n; i++) {
        if (kept > 0 && strcmp(tags->v[kept - 1], tags->v[i]) == 0)
            free(tags->v[i]);
        else
            tags->v[kept++] = tags->v[i];
    }
    tags->n = kept;
    if (kept > TAGS_MAX)
        return base_error_set(err, -BASE_EINVAL,
                              "java.lang.IllegalArgumentException: Too many applicationTags, a "
                              "maximum of only %d are "
                              "allowed!",
                              TAGS_MAX);
    return 0;
}

/* Cuts @text after @max characters of UTF-8. */
static void truncate_chars(char *text, size_t max)
{
    for (char *p = text; *p; p++) {
        if (((unsigned char)*p & 0xC0) != 0x80 && max-- == 0) {
            *p = '\0';
            return;
        }
    }
}

static int decode_id(const json_t *body, struct base_app_id *id, struct base_error *err)
{
    char room[64];
    const json_t *j = find_member(body, "application-id");
    const char *text = j ? scalar_to_text(j, room) : NULL;

    if (!text || base_app_id_parse(text, id, NULL) < 0 || id->seq <= 0)
        return base_error_set(err, -BASE_EINVAL, "Could not parse application id %.200s",
                              text ? text : "");
    return 0;
}

/* ---- tags of MapReduce applications for policies: rm/core/master/mapreduce.h ---- */
#define DEADLINE_TAG       "creel-deadline-s="
#define REDUCES_TAG        "creel-reduces="
#define TAGGED_SECONDS_MAX 1000000000
#define TAGGED_REDUCES_MAX 1000000

/* Sets *@value to the number of the tag that begins with @prefix; 0: there is none. Two such tags
 * contradict each other. */
static int read_number_of_tag(const struct rm_str_list *tags, const char *prefix, int64_t min,
                              int64_t max, int64_t *value, struct base_error *err)
{
    const char *found = NULL;

    *value = 0;
    for (size_t i = 0; i < tags->n; i++) {
        const char *text;
        char *end;

        if (strncmp(tags->v[i], prefix, strlen(prefix)) != 0)
            continue;
        text = tags->v[i] + strlen(prefix);
        if (found)
            return base_error_set(err, -BASE_EINVAL,
                                  "application-tags: \"%s\" and \"%s\" contradict each other",
                                  found, tags->v[i]);
        found = tags->v[i];
        errno = 0;
        *value = *text >= '0' && *text <= '9' ? strtoll(text, &end, 10) : -1;
        if (*value < min || *value > max || errno || *end)
            return base_error_set(
                err, -BASE_EINVAL,
                "application-tags: \"%s\": a number from %lld to %lld is expected", found,
                (long long)min, (long long)max);
    }
    return 0;
}

static int decode_tags_for_policies(struct rm_app_spec *s, struct base_error *err)
{
    int64_t seconds, reduces;
    int rc;

    if (!s->type || strcmp(s->type, "MAPREDUCE") != 0)
        return 0;
    rc = read_number_of_tag(&s->tags, DEADLINE_TAG, 1, TAGGED_SECONDS_MAX, &seconds, err);
    if (rc == 0)
        rc = read_number_of_tag(&s->tags, REDUCES_TAG, 0, TAGGED_REDUCES_MAX, &reduces, err);
    if (rc < 0)
        return rc;
    s->deadline_us = seconds * 1000000;
    s->reduces = (int32_t)reduces;
    return 0;
}

/* Leaves @id unchanged when no reservation is named. */
static int decode_reservation(const json_t *body, struct base_app_id *id, struct base_error *err)
{
    char room[64];
    const json_t *j = find_member(body, "reservation-id");
    const char *text = j ? scalar_to_text(j, room) : NULL;

    if (text && *text && base_reservation_id_parse(text, id, NULL) < 0)
        return base_error_set(err, -BASE_ENOTFOUND,
                              "The specified reservation id is invalid: %.200s", text);
    return 0;
}

int64_t rm_yarn_json_int_or_default(const json_t *obj, const char *name, int64_t min, int64_t max,
                                    int64_t deflt)
{
    return get_number_or_default(obj, name, min, max, deflt);
}

/* Leaves the slots zero: the core assigns each master a map slot. */
static void decode_resource(const json_t *body, struct rm_res *res)
{
    const json_t *r = find_member(body, "resource");

    res->v[RM_RES_MEMORY_MB] = get_number_or_default(r, "memory", INT64_MIN, INT64_MAX, 0);
    res->v[RM_RES_VCORES] = get_number_or_default(r, "vCores", INT32_MIN, INT32_MAX, 0);
}

static int decode_name_queue_and_type(const json_t *body, struct rm_app_spec *s,
                                      struct base_error *err)
{
    int rc;

    s->name = base_strdup("");
    s->queue = base_strdup("default");
    s->type = base_strdup("");
    rc = copy_text_member(body, "application-name", BASE_NAME_MAX, &s->name, err);
    if (rc == 0)
        rc = copy_text_member(body, "queue", BASE_NAME_MAX, &s->queue, err);
    if (rc == 0)
        rc = copy_text_member(body, "application-type", BASE_NAME_MAX, &s->type, err);
    if (rc == 0 && s->queue[0] == '\0') {
        free(s->queue);
        s->queue = base_strdup("default");
    }
    truncate_chars(s->type, TYPE_CHARS_MAX);
    return rc;
}

/* Reads which logs are kept when the application has ended. The other members of the context are
 * only stored with the submission: they select the logs to be aggregated while they are still
 * written, which Creel does not do. */
static int decode_log_context(const json_t *body, struct rm_app_spec *s, struct base_error *err)
{
    const json_t *ctx = find_member(body, "log-aggregation-context");
    int rc = copy_text_member(ctx, "log-include-pattern", LOG_PATTERN_MAX, &s->log_include, err);

    return rc < 0 ? rc
                  : copy_text_member(ctx, "log-exclude-pattern", LOG_PATTERN_MAX, &s->log_exclude,
                                     err);
}

/* Returns a copy of the label in member @name without blanks around it; NULL when there is none. */
static char *copy_label(const json_t *body, const char *name)
{
    const char *text = json_string_value(find_member(body, name));
    size_t len;

    if (!text)
        return NULL;
    text += strspn(text, " \t\r\n");
    for (len = strlen(text); len && strchr(" \t\r\n", text[len - 1]); len--)
        ;
    return len ? base_strndup(text, len) : NULL;
}

/* Keeps the list of the last entry of each kind, as a map does. YARN drops entries of other kinds.
 */
static int set_view_or_modify_acl(void *u, const char *key, const json_t *value,
                                  struct base_error *err)
{
    struct rm_app_spec *s = u;
    char room[64], **acl;
    const char *text = value ? scalar_to_text(value, room) : NULL;

    if (strcmp(key, "VIEW_APP") == 0)
        acl = &s->acl_view;
    else if (strcmp(key, "MODIFY_APP") == 0)
        acl = &s->acl_modify;
    else
        return 0;
    text = text ? text : "";
    if (strlen(text) > BASE_ACL_MAX)
        return base_error_set(err, -BASE_ELIMIT, "application-acls: %s: %zu bytes are more than %d",
                              key, strlen(text), BASE_ACL_MAX);
    free(*acl);
    *acl = base_strdup(text);
    return 0;
}

/* SOURCE: YARN's text for a lifetime that is not positive. */
static int decode_lifetime(const json_t *body, struct rm_app_spec *s, struct base_error *err)
{
    int64_t seconds = get_number_or_default(body, LIFETIME_MEMBER, INT64_MIN, INT64_MAX, 0);

    if (find_member(body, LIFETIME_MEMBER) && seconds <= 0)
        return base_error_set(err, -BASE_EINVAL,
                              "Invalid application timeout, value=%lld for type=LIFETIME",
                              (long long)seconds);
    s->lifetime_s = seconds;
    return 0;
}

static int decode_protocol(const json_t *body, struct rm_app_spec *s, struct base_error *err)
{
    const json_t *j = find_member(body, PROTOCOL_MEMBER);
    const char *text = json_string_value(j);

    s->speaks_hadoop = text && strcmp(text, "hadoop-rpc") == 0;
    if (!j || s->speaks_hadoop || (text && strcmp(text, "rest") == 0))
        return 0;
    return base_error_set(err, -BASE_EINVAL,
                          PROTOCOL_MEMBER ": expected \"rest\" or "
                                          "\"hadoop-rpc\"");
}

static char *make_stored_submission(const json_t *body, const char *user)
{
    json_t *whole =
        json_copy((json_t *)body); /* a shallow copy is enough: only the user is added */
    struct base_buf text = {0};

    json_object_set_new(whole, USER_MEMBER, json_string(user));
    base_json_dump(whole, &text);
    json_decref(whole);
    return base_buf_take(&text);
}

/* Checks that the stored form can be read back, as after a restart. */
static int check_readable_back(const char *json, struct base_error *err)
{
    json_t *again = NULL;
    int rc = base_json_parse(json, strlen(json), &again, err);

    json_decref(again);
    return rc < 0 ? base_error_wrap(err, -BASE_EINVAL, "the submission cannot be stored") : 0;
}

int rm_app_spec_decode(const json_t *body, const char *user, struct rm_app_spec **out,
                       struct base_error *err)
{
    struct rm_app_spec *s = base_alloc(sizeof *s);
    bool fresh = user;
    int rc;

    s->refs = 1;
    if (!fresh)
        user = json_string_value(json_object_get(body, USER_MEMBER));
    s->user = base_strdup(user ? user : "");
    rc = decode_id(body, &s->id, err);
    if (rc == 0)
        rc = decode_name_queue_and_type(body, s, err);
    if (rc == 0)
        rc = decode_tags(body, &s->tags, err);
    if (rc == 0) /* stored submissions of earlier versions may hold other texts there */
        rc = decode_tags_for_policies(s, err) < 0 && fresh ? -BASE_EINVAL : 0;
    if (rc == 0)
        rc = decode_reservation(body, &s->reservation, err);
    if (rc == 0)
        rc = decode_log_context(body, s, err);
    if (rc == 0)
        rc = decode_lifetime(body, s, err);
    if (rc == 0)
        rc = decode_protocol(body, s, err);
    if (rc == 0)
        rc = decode_launch(find_member(body, "am-container-spec"), !fresh, &s->launch, err);
    if (rc == 0)
        rc = for_each_map_entry(find_member(body, "am-container-spec"), "application-acls",
                                BASE_ENV_MAX, set_view_or_modify_acl, s, err);
    if (rc < 0) {
        rm_app_spec_unref(s);
        return rc;
    }
    if (!s->launch) { /* an empty command, as in YARN: the attempt ends at once with exit code 0 */
        s->launch = base_alloc(sizeof *s->launch);
        s->launch->refs = 1;
    }
    s->priority = (int32_t)get_number_or_default(
        body, "priority", INT32_MIN, INT32_MAX,
        find_member(body, "priority") ? 0 : -1); /* text that is not a number counts as 0 */
    s->max_attempts = (int32_t)get_number_or_default(body, "max-app-attempts", 0, INT32_MAX, 0);
    s->failures_validity_ms =
        get_number_or_default(body, "attempt-failures-validity-interval", 0, INT64_MAX, 0);
    s->unmanaged = get_bool_or_default(body, "unmanaged-AM", false);
    s->keep_containers =
        get_bool_or_default(body, "keep-containers-across-application-attempts", false);
    s->label = copy_label(body, "app-node-label-expression");
    s->am_label = copy_label(body, "am-container-node-label-expression");
    decode_resource(body, &s->resource);
    s->json = make_stored_submission(body, s->user);
    rc = fresh ? check_readable_back(s->json, err) : 0;
    if (rc < 0)
        rm_app_spec_unref(s);
    else
        *out = s;
    return rc;
}

int rm_app_spec_from_stored_json(const char *text, size_t len, struct rm_app_spec **out,
                                 struct base_error *err)
{
    json_t *body;
    int rc = base_json_parse(text, len, &body, err);

    if (rc == 0) {
        rc = json_is_object(body) ? rm_app_spec_decode(body, NULL, out, err)
                                  : base_error_set(err, -BASE_ECORRUPT, "not an object");
        json_decref(body);
    }
    return rc < 0 ? base_error_wrap(err, -BASE_ECORRUPT, "stored submission") : 0;
}

struct rm_app_spec *rm_app_spec_new_placeholder(const char *id)
{
    struct rm_app_spec *s = NULL;
    struct base_app_id parsed;
    char *text;

    if (base_app_id_parse(id, &parsed, NULL) < 0 || parsed.seq < 1)
        return NULL;
    text = base_printf("{\"application-id\":\"%s\",\"application-name\":\"unknown\",\"" USER_MEMBER
                       "\":\"unknown\"}",
                       id);
    if (rm_app_spec_from_stored_json(text, strlen(text), &s, NULL) < 0)
        s = NULL;
    free(text);
    return s;
}

int rm_app_spec_check_resource(const struct rm_app_spec *spec, const struct rm_res *max,
                               struct base_error *err)
{
    static const char *const names[] = {"memory-mb", "vcores"};

    if (spec->resource.v[RM_RES_MEMORY_MB] > max->v[RM_RES_MEMORY_MB])
        return base_error_set(err, -BASE_EINVAL, "Requested more memory than configured max");
    if (spec->resource.v[RM_RES_VCORES] > max->v[RM_RES_VCORES])
        return base_error_set(err, -BASE_EINVAL, "Requested more cores than configured max");
    for (int i = RM_RES_MEMORY_MB; i <= RM_RES_VCORES; i++)
        if (spec->resource.v[i] < 0)
            return base_error_set(err, -BASE_EINVAL,
                                  "Invalid resource request! Cannot allocate containers as "
                                  "requested resource is less "
                                  "than 0! Requested resource type=[%s], Requested resource=<%lld>",
                                  names[i], (long long)spec->resource.v[i]);
    return 0;
}
