#include "api/admin/prom.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "api/yarn/shape.h"

/* The lines of one metric, one for each bean that has it. Prometheus wants them together. */
struct family {
    struct base_buf name, lines;
    bool counter;
};
struct prom_sink {
    struct api_bean_sink sink; /* first member */
    struct base_buf labels;
    struct family *families; /* of the present kind: two for each attribute, as a rate has two */
};

void api_prom_add_camel_as_snake(struct base_buf *out, const char *camel)
{
    size_t from = out->len;

    for (size_t i = 0; camel[i]; i++) {
        char c = camel[i], before = i ? camel[i - 1] : '_';
        bool upper = isupper((unsigned char)c) != 0;
        bool begins = upper && ((before != '_' && !isupper((unsigned char)before)) ||
                                (i && islower((unsigned char)camel[i + 1])));
        bool word = isalnum((unsigned char)c) != 0;

        if ((begins || !word) && out->len > from && out->data[out->len - 1] != '_')
            base_buf_adds(out, "_");
        if (word) {
            c = (char)tolower((unsigned char)c);
            base_buf_add(out, &c, 1);
        }
    }
}

/* Appends a label's value with the three escapes of Prometheus' text form. */
static void add_label_value(struct base_buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            base_buf_adds(out, "\\");
        if (*text == '\n')
            base_buf_adds(out, "\\n");
        else
            base_buf_add(out, text, 1);
    }
}

static void add_label(struct base_buf *out, const struct api_attribute *a, const void *source)
{
    const char *value = *(const char *const *)(const void *)((const char *)source + a->at);

    base_buf_adds(out, out->len ? "," : "");
    for (const char *c = a->name; *c; c++) {
        char low = (char)tolower((unsigned char)*c);
        base_buf_add(out, &low, 1);
    }
    base_buf_adds(out, "=\"");
    add_label_value(out, value ? value : "null");
    base_buf_adds(out, "\"");
}

/* Begins a line of the metric called @name followed by @after. Returns where to append the
 * value. */
static struct base_buf *begin_line(struct prom_sink *s, const struct api_bean_kind *kind,
                                   struct family *f, const char *name, const char *after,
                                   bool counter)
{
    if (!f->name.len) {
        struct base_buf camel = {0};

        base_buf_addf(&camel, "%s%s%s", kind->record ? kind->record : kind->name, name, after);
        /* as Hadoop capitalises both names before it joins them */
        camel.data[0] = (char)toupper((unsigned char)camel.data[0]);
        camel.data[strlen(camel.data) - strlen(name) - strlen(after)] =
            (char)toupper((unsigned char)name[0]);
        api_prom_add_camel_as_snake(&f->name, camel.data);
        base_buf_free(&camel);
        f->counter = counter;
    }
    base_buf_addf(&f->lines, "%s{%s} ", f->name.data, s->labels.data ? s->labels.data : "");
    return &f->lines;
}

static void add_long(struct prom_sink *s, const struct api_bean_kind *kind, struct family *f,
                     const struct api_attribute *a, bool counter, int64_t v)
{
    base_buf_addf(begin_line(s, kind, f, a->name, "", counter), "%lld\n", (long long)v);
}

static void add_double(struct prom_sink *s, const struct api_bean_kind *kind, struct family *f,
                       const struct api_attribute *a, const char *after, double v, bool is_float)
{
    struct base_buf *out = begin_line(s, kind, f, a->name, after, false);

    api_java_add_float(out, v, is_float);
    base_buf_adds(out, "\n");
}

static void add_rate(struct prom_sink *s, const struct api_bean_kind *kind, struct family *f,
                     const struct api_attribute *a, const struct api_rate *rate)
{
    base_buf_addf(begin_line(s, kind, f, a->name, "NumOps", true), "%lld\n", (long long)rate->ops);
    add_double(s, kind, f + 1, a, "AvgTime", rate->average, false);
}

static void add_metric(struct prom_sink *s, const struct api_bean_kind *kind, struct family *f,
                       const struct api_attribute *a, const void *source)
{
    const void *at = (const char *)source + a->at;

    switch (a->type) {
    case API_ATTR_GAUGE:
    case API_ATTR_COUNT:
        add_long(s, kind, f, a, a->type == API_ATTR_COUNT, *(const int64_t *)at);
        return;
    case API_ATTR_NO_GAUGE:
    case API_ATTR_NO_COUNT:
    case API_ATTR_PROM_NO_COUNT:
        add_long(s, kind, f, a, a->type != API_ATTR_NO_GAUGE, 0);
        return;
    case API_ATTR_FLOAT:
    case API_ATTR_DOUBLE:
        add_double(s, kind, f, a, "", *(const double *)at, a->type == API_ATTR_FLOAT);
        return;
    case API_ATTR_RATE:
        add_rate(s, kind, f, a, at);
        return;
    case API_ATTR_NO_RATE:
        add_rate(s, kind, f, a, &(struct api_rate){0});
        return;
    default:
        return; /* tags are labels; the others are not for Prometheus */
    }
}

static bool wants_every_bean(const struct api_bean_sink *sink, const struct api_bean_kind *kind,
                             const char *tail)
{
    (void)sink;
    (void)kind;
    (void)tail;
    return true;
}

static void add_bean(struct api_bean_sink *sink, const struct api_bean_kind *kind, const char *tail,
                     unsigned bits, const void *source)
{
    struct prom_sink *s = (struct prom_sink *)(void *)sink;

    (void)tail;
    s->labels.len = 0;
    for (size_t i = 0; i < kind->n; i++)
        if (kind->attributes[i].type == API_ATTR_TAG && (kind->attributes[i].when & ~bits) == 0)
            add_label(&s->labels, &kind->attributes[i], source);
    for (size_t i = 0; i < kind->n; i++)
        if ((kind->attributes[i].when & ~bits) == 0)
            add_metric(s, kind, &s->families[2 * i], &kind->attributes[i], source);
}

static void add_and_free_families(struct family *v, size_t n, const struct api_bean_kind *kind,
                                  struct base_buf *out)
{
    for (size_t i = 0; i < n; i++) {
        if (v[i].name.len) {
            base_buf_addf(out, "# HELP %s %s of %s\n# TYPE %s %s\n", v[i].name.data,
                          kind->attributes[i / 2].name, kind->name, v[i].name.data,
                          v[i].counter ? "counter" : "gauge");
            base_buf_add(out, v[i].lines.data, v[i].lines.len);
        }
        base_buf_free(&v[i].name);
        base_buf_free(&v[i].lines);
    }
}

void api_prom_encode(const struct api_bean_service *service, struct base_buf *out)
{
    struct prom_sink s = {.sink = {.wants = wants_every_bean, .add = add_bean}};

    for (const struct api_bean_kind *const *k = service->kinds; *k; k++) {
        if ((*k)->java_class)
            continue;
        s.families = base_alloc(2 * (*k)->n * sizeof *s.families);
        (*k)->list(*k, &s.sink, service);
        add_and_free_families(s.families, 2 * (*k)->n, *k, out);
        free(s.families);
    }
    base_buf_free(&s.labels);
}

void api_prom_answer(struct api_request *rq, const struct api_bean_service *service, bool enabled)
{
    struct base_buf out = {0};

    if (!enabled) {
        api_answer_html_error_page(rq, 404, "Not Found", NULL);
        return;
    }
    api_prom_encode(service, &out);
    api_answer(rq, 200, API_TEXT, &out);
}
