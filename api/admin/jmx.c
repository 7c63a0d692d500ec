/* The layout is that of Jackson's pretty printer: two spaces per level, "key" : value, arrays on
 * one line. */
#include "api/admin/jmx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/admin/bean_name.h"
#include "api/yarn/shape.h"
#include "base/io/json_write.h"

struct jmx_sink {
    struct api_bean_sink sink; /* first member */
    const struct api_bean_service *service;
    struct base_buf *out;
    const char *pattern; /* valid; NULL: all beans */
    const char *only;    /* the only attribute to write; NULL: all */
    bool any;            /* a bean has been written */
    bool found;          /* the present bean has the attribute @only */
};

/* Appends a member's name. Returns false when the member is not wanted. */
static bool begin_member_if_wanted(struct jmx_sink *s, const char *before, const char *name,
                                   const char *after)
{
    if (s->only) {
        size_t a = strlen(before), b = strlen(name);

        if (strncmp(s->only, before, a) != 0 || strncmp(s->only + a, name, b) != 0 ||
            strcmp(s->only + a + b, after) != 0)
            return false;
        s->found = true;
    }
    base_buf_add(s->out, ",\n    \"", 7);
    base_buf_adds(s->out, before);
    base_buf_adds(s->out, name);
    base_buf_adds(s->out, after);
    base_buf_add(s->out, "\" : ", 4);
    return true;
}

static void put_text_or_null(struct base_buf *out, const char *text)
{
    if (text)
        base_json_quote(out, text);
    else
        base_buf_adds(out, "null");
}

static void put_long(struct jmx_sink *s, const char *name, const char *after, int64_t v)
{
    if (begin_member_if_wanted(s, "", name, after))
        base_buf_add_int(s->out, v);
}

static void put_rate(struct jmx_sink *s, const char *name, const struct api_rate *rate)
{
    put_long(s, name, "NumOps", rate->ops);
    if (begin_member_if_wanted(s, "", name, "AvgTime"))
        api_java_add_float(s->out, rate->average, false);
}

static void put_usage(struct base_buf *out, const struct api_memory_usage *u)
{
    base_buf_addf(out,
                  "{\n      \"committed\" : %lld,\n      \"init\" : %lld,\n      \"max\" : %lld,\n"
                  "      \"used\" : %lld\n    }",
                  (long long)u->committed, (long long)u->init, (long long)u->max,
                  (long long)u->used);
}

static void put_longs(struct base_buf *out, const struct api_longs *list)
{
    base_buf_adds(out, "[ ");
    for (size_t i = 0; i < list->n; i++) {
        base_buf_add_int(out, list->v[i]);
        base_buf_adds(out, i + 1 < list->n ? ", " : " ");
    }
    base_buf_adds(out, "]");
}

static void put_texts(struct base_buf *out, const struct api_texts *list)
{
    base_buf_adds(out, "[ ");
    for (size_t i = 0; i < list->n; i++) {
        put_text_or_null(out, list->v[i]);
        base_buf_adds(out, i + 1 < list->n ? ", " : " ");
    }
    base_buf_adds(out, "]");
}

static void put_attribute(struct jmx_sink *s, const struct api_attribute *a, const void *source)
{
    const void *at = (const char *)source + a->at;

    switch (a->type) {
    case API_ATTR_GAUGE:
    case API_ATTR_COUNT:
        put_long(s, a->name, "", *(const int64_t *)at);
        return;
    case API_ATTR_NO_GAUGE:
    case API_ATTR_NO_COUNT:
        put_long(s, a->name, "", 0);
        return;
    case API_ATTR_PROM_NO_COUNT:
        return;
    case API_ATTR_RATE:
        put_rate(s, a->name, at);
        return;
    case API_ATTR_NO_RATE:
        put_rate(s, a->name, &(struct api_rate){0});
        return;
    default:
        break;
    }
    if (!begin_member_if_wanted(s, a->type == API_ATTR_TAG ? "tag." : "", a->name, ""))
        return;
    switch (a->type) {
    case API_ATTR_TAG:
    case API_ATTR_TEXT:
        put_text_or_null(s->out, *(const char *const *)at);
        break;
    case API_ATTR_BOOL:
        base_buf_adds(s->out, *(const bool *)at ? "true" : "false");
        break;
    case API_ATTR_FLOAT:
        api_java_add_float(s->out, *(const double *)at, true);
        break;
    case API_ATTR_DOUBLE:
        api_java_add_float(s->out, *(const double *)at, false);
        break;
    case API_ATTR_USAGE:
        put_usage(s->out, at);
        break;
    case API_ATTR_LONGS:
        put_longs(s->out, at);
        break;
    default:
        put_texts(s->out, at);
        break;
    }
}

static const char *get_prefix(const struct jmx_sink *s, const struct api_bean_kind *kind)
{
    return kind->prefix ? kind->prefix : s->service->prefix;
}

static bool wants_bean(const struct api_bean_sink *sink, const struct api_bean_kind *kind,
                       const char *tail)
{
    const struct jmx_sink *s = (const struct jmx_sink *)(const void *)sink;

    return !s->pattern || api_bean_name_matches(s->pattern, get_prefix(s, kind), tail);
}

static void add_bean(struct api_bean_sink *sink, const struct api_bean_kind *kind, const char *tail,
                     unsigned bits, const void *source)
{
    struct jmx_sink *s = (struct jmx_sink *)(void *)sink;
    struct base_buf name = {0};

    base_buf_adds(&name, get_prefix(s, kind));
    base_buf_adds(&name, tail);
    base_buf_adds(s->out, s->any ? ", {\n    \"name\" : " : "{\n    \"name\" : ");
    base_json_quote(s->out, name.data);
    base_buf_free(&name);
    base_buf_adds(s->out, ",\n    \"modelerType\" : ");
    base_json_quote(s->out, kind->java_class ? kind->java_class : tail);
    s->any = true;
    s->found = !s->only;
    for (size_t i = 0; i < kind->n; i++)
        if ((kind->attributes[i].when & ~bits) == 0)
            put_attribute(s, &kind->attributes[i], source);
    if (!s->found) {
        struct base_buf text = {0};

        base_buf_addf(&text, "No attribute with name %s was found.", s->only);
        base_buf_adds(s->out, ",\n    \"result\" : \"ERROR\",\n    \"message\" : ");
        base_json_quote(s->out, text.data);
        base_buf_free(&text);
    }
    base_buf_adds(s->out, "\n  }");
}

static void encode_beans(const struct api_bean_service *service, const char *pattern,
                         const char *only, struct base_buf *out)
{
    struct jmx_sink s = {.sink = {.wants = wants_bean, .add = add_bean},
                         .service = service,
                         .out = out,
                         .pattern = pattern,
                         .only = only};

    if (pattern && !api_bean_name_is_valid(pattern)) {
        base_buf_adds(out, "{ }");
        return;
    }
    base_buf_adds(out, "{\n  \"beans\" : [ ");
    for (const struct api_bean_kind *const *k = service->kinds; *k; k++)
        if (!pattern || api_bean_kind_may_match(pattern, get_prefix(&s, *k), (*k)->name))
            (*k)->list(*k, &s.sink, service);
    base_buf_adds(out, s.any ? " ]\n}" : "]\n}");
}

void api_jmx_encode(const struct api_bean_service *service, const char *query, const char *get,
                    struct base_buf *out)
{
    const char *split = get ? strstr(get, "::") : NULL;
    char *name;

    if (!get) {
        encode_beans(service, query, NULL, out);
    } else if (!split || !split[2]) {
        base_buf_adds(out, "{\n  \"result\" : \"ERROR\",\n  \"message\" : \"query format is not as "
                           "expected.\"\n}");
    } else {
        name = base_strndup(get, (size_t)(split - get));
        encode_beans(service, name, split + 2, out);
        free(name);
    }
}

void api_jmx_answer(struct api_request *rq, const struct api_bean_service *service, bool any_origin)
{
    struct base_buf out = {0};

    api_jmx_encode(service, api_query(rq, "qry"), api_query(rq, "get"), &out);
    api_add_header(rq, "Content-Type", "application/json; charset=utf8");
    if (any_origin) {
        api_add_header(rq, "Access-Control-Allow-Methods", "GET");
        api_add_header(rq, "Access-Control-Allow-Origin", "*");
    }
    api_answer(rq, 200, API_JSON, &out);
}
