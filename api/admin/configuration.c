#include "api/admin/configuration.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "api/yarn/shape.h"
#include "base/io/json_write.h"

#define REDACTED "<redacted>"
/* Shorter values are not treated as secrets: they would be found in other values by chance. */
#define SECRET_MIN 8

/* ---- secrets ---- */

/* SOURCE: what Hadoop 3.4 hides by default (core-default.xml,
 * hadoop.security.sensitive-config-keys); the credentials for ZooKeeper are Creel's addition. */
static const char *const sensitive[] = {
    "secret$",
    "password$",
    "credential$",
    "oauth.*token$",
    "ssl.keystore.pass$",
    "fs.s3.*[Ss]ecret.?[Kk]ey",
    "fs.s3a.*.server-side-encryption.key",
    "fs.s3a.encryption.(algorithm|key)",
    "fs.azure.account.(key|oauth).*",
    "zk.auth$",
};

struct secrets {
    regex_t *patterns;
    size_t n, cap;
    char **parts; /* patterns that regcomp() refuses; taken as parts of names */
    size_t parts_n, parts_cap;
    const char **values; /* of the sensitive keys */
    size_t values_n, values_cap;
};

static void add_pattern(struct secrets *s, const char *text)
{
    base_array_grow(&s->patterns, s->n, &s->cap);
    if (regcomp(&s->patterns[s->n], text, REG_EXTENDED | REG_NOSUB) == 0) {
        s->n++;
        return;
    }
    base_array_grow(&s->parts, s->parts_n, &s->parts_cap);
    s->parts[s->parts_n++] = base_strdup(text);
}

static void add_configured_patterns(struct secrets *s, const char *list)
{
    char *copy = base_strdup(list ? list : ""), *save = NULL;

    for (char *p = strtok_r(copy, ", \t\r\n", &save); p; p = strtok_r(NULL, ", \t\r\n", &save))
        add_pattern(s, p);
    free(copy);
}

static bool is_sensitive(const struct secrets *s, const char *name)
{
    for (size_t i = 0; i < s->n; i++)
        if (regexec(&s->patterns[i], name, 0, NULL, 0) == 0)
            return true;
    for (size_t i = 0; i < s->parts_n; i++)
        if (strstr(name, s->parts[i]))
            return true;
    return false;
}

static void collect_secrets(struct secrets *s, const struct base_conf *conf)
{
    struct base_conf_item item;

    for (size_t i = 0; i < sizeof sensitive / sizeof *sensitive; i++)
        add_pattern(s, sensitive[i]);
    add_configured_patterns(s, base_conf_get(conf, "hadoop.security.sensitive-config-keys"));
    for (size_t i = 0; base_conf_item_at(conf, i, &item); i++) {
        if (!is_sensitive(s, item.name) || strlen(item.value) < SECRET_MIN)
            continue;
        base_array_grow(&s->values, s->values_n, &s->values_cap);
        s->values[s->values_n++] = item.value;
    }
}

static void free_secrets(struct secrets *s)
{
    for (size_t i = 0; i < s->n; i++)
        regfree(&s->patterns[i]);
    for (size_t i = 0; i < s->parts_n; i++)
        free(s->parts[i]);
    free(s->patterns);
    free(s->parts);
    free(s->values);
}

/* Returns what to show as the value: a value may contain a secret by ${name}. */
static const char *redact(const struct secrets *s, const char *name, const char *value)
{
    if (is_sensitive(s, name))
        return REDACTED;
    for (size_t i = 0; i < s->values_n; i++)
        if (strstr(value, s->values[i]))
            return REDACTED;
    return value;
}

/* ---- encoding ---- */

/* Returns the name, without folder and line, of the file that has set the key. Caller frees. */
static char *get_source_file_name(const struct base_conf_item *item)
{
    const char *slash, *comma;

    if (!item->source)
        return base_strdup(strncmp(item->name, "creel.", 6) == 0 ? "creel-default.xml"
                                                                 : "yarn-default.xml");
    comma = strrchr(item->source, ',');
    if (!comma) /* -D */
        return base_strdup("programmatically");
    slash = memrchr(item->source, '/', (size_t)(comma - item->source));
    slash = slash ? slash + 1 : item->source;
    return base_strndup(slash, (size_t)(comma - slash));
}

static void put_json(struct base_buf *out, const struct base_conf_item *item, const char *value,
                     const char *source)
{
    base_json_open(out, '{');
    base_json_put_str(out, "key", item->name);
    base_json_put_str(out, "value", value);
    base_json_put_bool(out, "isFinal", item->final);
    base_json_put_str(out, "resource", source);
    base_json_close(out, '}');
}

static void put_xml(struct base_buf *out, const struct base_conf_item *item, const char *value,
                    const char *source)
{
    base_buf_adds(out, "<property><name>");
    api_xml_add_text(out, item->name);
    base_buf_adds(out, "</name><value>");
    api_xml_add_text(out, value);
    base_buf_addf(out, "</value><final>%s</final><source>", item->final ? "true" : "false");
    api_xml_add_text(out, source);
    base_buf_adds(out, "</source></property>\n");
}

static void put_item(struct base_buf *out, const struct secrets *s,
                     const struct base_conf_item *item, bool json)
{
    const char *value = redact(s, item->name, item->value);
    char *source = get_source_file_name(item);

    (json ? put_json : put_xml)(out, item, value, source);
    free(source);
}

/* Steps through the configuration and the further keys in order of names. */
struct walk {
    const struct base_conf *conf;
    const struct api_yarn_key *more;
    size_t i;
};

static bool get_next_item(struct walk *w, struct base_conf_item *out)
{
    bool there = base_conf_item_at(w->conf, w->i, out);
    int order;

    if (!w->more->name) {
        w->i += there;
        return there;
    }
    order = there ? strcmp(out->name, w->more->name) : 1;
    if (order < 0 || (order == 0 && (out->source || *out->value))) {
        w->i++;
        w->more += order == 0;
        return true;
    }
    w->i += order == 0; /* a known key without a default */
    *out = (struct base_conf_item){.name = w->more->name, .value = w->more->value};
    w->more++;
    return true;
}

bool api_configuration_encode(const struct base_conf *conf, const struct api_yarn_key *more,
                              const char *name, bool json, struct base_buf *out)
{
    struct walk w = {.conf = conf, .more = more};
    struct secrets secrets = {0};
    struct base_conf_item item;
    struct base_buf body = {0};
    bool found = false;

    collect_secrets(&secrets, conf);
    if (!name && json)
        base_json_open(&body, '[');
    while (get_next_item(&w, &item)) {
        if (name && strcmp(item.name, name) != 0)
            continue;
        found = true;
        put_item(&body, &secrets, &item, json);
    }
    if (!name && json)
        base_json_close(&body, ']');
    free_secrets(&secrets);
    if (found && json)
        base_buf_addf(out, "{\"%s\":%s}", name ? "property" : "properties", body.data);
    else if (found)
        base_buf_addf(out,
                      "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>"
                      "<configuration>\n%s</configuration>\n",
                      body.data);
    base_buf_free(&body);
    return found;
}

void api_configuration_answer(struct api_request *rq, const struct base_conf *conf,
                              const struct api_yarn_key *more)
{
    const char *accept = api_header(rq, "Accept"), *name = api_query(rq, "name");
    bool json = accept && strstr(accept, "application/json");
    struct base_buf out = {0};
    bool found;

    found = api_configuration_encode(conf, more, name && *name ? name : NULL, json, &out);
    api_add_header(rq, "Content-Type",
                   json ? "application/json;charset=utf-8" : "text/xml;charset=utf-8");
    api_answer(rq, found ? 200 : 404, json ? API_JSON : API_TEXT, &out);
}
