/* The encoder of shapes: one walk over a table of members for each of the two families, JSON and XML.
 * Source: recordings of YARN 3.4.2 in tests/golden. */
#include "api/yarn/shape.h"
#include "base/io/json_write.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#define XML_DECLARATION "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>"
#define XSI             " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\""

static void add(struct base_buf *out, const char *s)
{
    base_buf_add(out, s, strlen(s));
}

static void add_int(struct base_buf *out, int64_t v)
{
    char text[24], *at = text + sizeof text;
    uint64_t left = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

    do
        *--at = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    if (v < 0)
        *--at = '-';
    base_buf_add(out, at, (size_t)(text + sizeof text - at));
}

/* ---- what a member holds ---- */

static const void *field(const struct api_member *m, const void *view)
{
    return (const char *)view + m->offset;
}

static const char *string_of(const struct api_member *m, const void *view)
{
    return *(const char *const *)field(m, view);
}

static const void *object_of(const struct api_member *m, const void *view)
{
    return m->kind == API_K_OBJPTR ? *(const void *const *)field(m, view) : field(m, view);
}

/* A thing without parts: number, truth or text. Not the empty ones under API_NONEMPTY, nor NULL strings. */
static bool scalar_present(const struct api_member *m, const void *view)
{
    const void *f = field(m, view);
    bool always = m->presence == API_ALWAYS;

    switch (m->kind) {
    case API_K_STR:
        return string_of(m, view) && (always || string_of(m, view)[0]);
    case API_K_I32:
        return always || *(const int32_t *)f != 0;
    case API_K_I64:
        return always || *(const int64_t *)f != 0;
    case API_K_F32:
        return always || *(const float *)f < 0 || *(const float *)f > 0;
    case API_K_F64:
        return always || *(const double *)f < 0 || *(const double *)f > 0;
    case API_K_BOOL:
        return always || *(const bool *)f;
    default:
        return false;
    }
}

static void add_number(struct base_buf *out, const struct api_member *m, const void *view)
{
    const void *f = field(m, view);

    switch (m->kind) {
    case API_K_I32:
        add_int(out, *(const int32_t *)f);
        break;
    case API_K_I64:
        add_int(out, *(const int64_t *)f);
        break;
    case API_K_F32:
        api_java_float(out, (double)*(const float *)f, 1);
        break;
    case API_K_F64:
        api_java_float(out, *(const double *)f, 0);
        break;
    case API_K_BOOL:
        add(out, *(const bool *)f ? "true" : "false");
        break;
    default:
        break;
    }
}

static bool is_scalar(enum api_kind kind)
{
    return kind >= API_K_STR && kind <= API_K_BOOL;
}

static const void *list_at(const struct api_list *list, size_t i)
{
    return (const char *)list->items + i * list->stride;
}

/* Item @i of any list of objects: its shape and its struct. */
static const void *item_of(const struct api_member *m, const struct api_list *list, size_t i,
                           const struct api_shape **shape)
{
    const struct api_any *any;

    *shape = m->shape;
    if (m->kind != API_K_ANYLIST)
        return list_at(list, i);
    any = list_at(list, i);
    *shape = any->shape;
    return any->view;
}

/* ---- JSON ---- */

struct json {
    struct base_buf *out;
    bool strings; /* M-bare: every scalar quoted, one item is no array, nothing is null */
};

static void json_object(const struct json *j, const struct api_shape *shape, const void *view, bool document);

static void json_name(const struct json *j, const char *name, bool *first)
{
    base_buf_add(j->out, *first ? "\"" : ",\"", *first ? 1 : 2);
    *first = false;
    add(j->out, name);
    base_buf_add(j->out, "\":", 2);
}

static void json_scalar(const struct json *j, const struct api_member *m, const void *view)
{
    if (m->kind == API_K_STR) {
        base_json_quote(j->out, string_of(m, view));
        return;
    }
    if (j->strings)
        base_buf_add(j->out, "\"", 1);
    add_number(j->out, m, view);
    if (j->strings)
        base_buf_add(j->out, "\"", 1);
}

static void json_list(const struct json *j, const struct api_member *m, const struct api_list *list)
{
    bool array = !j->strings || list->n > 1;

    if (array)
        base_buf_add(j->out, "[", 1);
    for (size_t i = 0; i < list->n; i++) {
        if (i > 0)
            base_buf_add(j->out, ",", 1);
        if (m->kind == API_K_STRLIST) {
            const char *s = *(const char *const *)list_at(list, i);

            base_json_quote(j->out, s ? s : "");
        } else {
            const struct api_shape *shape;
            const void *item = item_of(m, list, i, &shape);

            json_object(j, shape, item, false);
        }
    }
    if (array)
        base_buf_add(j->out, "]", 1);
}

static void json_pair(const struct json *j, const struct api_pair *pair)
{
    add(j->out, "{\"key\":");
    base_json_quote(j->out, pair->key ? pair->key : "");
    if (pair->value) {
        add(j->out, ",\"value\":");
        base_json_quote(j->out, pair->value);
    }
    add(j->out, "}");
}

/* Natural JSON repeats the member "entry"; the mapped one makes an array of it. */
static void json_map(const struct json *j, const struct api_list *list)
{
    if (list->n == 0) {
        add(j->out, j->strings ? "null" : "{}");
        return;
    }
    add(j->out, "{");
    for (size_t i = 0; i < list->n; i++) {
        if (i > 0)
            add(j->out, ",");
        if (i == 0 || !j->strings)
            add(j->out, "\"entry\":");
        if (i == 0 && j->strings && list->n > 1)
            add(j->out, "[");
        json_pair(j, list_at(list, i));
    }
    add(j->out, j->strings && list->n > 1 ? "]}" : "}");
}

static void json_member(const struct json *j, const struct api_member *m, const void *view, bool *first)
{
    const struct api_list *list = field(m, view);
    const void *object;

    if (is_scalar(m->kind)) {
        if (!scalar_present(m, view))
            return;
        json_name(j, m->name, first);
        json_scalar(j, m, view);
    } else if (m->kind == API_K_MAP) {
        if (list->n == 0 && m->presence == API_NONEMPTY)
            return;
        json_name(j, m->name, first);
        json_map(j, list);
    } else if (m->kind == API_K_OBJ || m->kind == API_K_OBJPTR) {
        size_t before = j->out->len, start;
        bool first_before = *first;

        object = object_of(m, view);
        if (!object)
            return;
        json_name(j, m->name, first);
        start = j->out->len;
        json_object(j, m->shape, object, false);
        if (m->presence == API_NONEMPTY &&
            (strcmp(j->out->data + start, "{}") == 0 || strcmp(j->out->data + start, "null") == 0)) {
            j->out->len = before;
            j->out->data[before] = '\0';
            *first = first_before;
        }
    } else if (list->n > 0) {
        json_name(j, m->name, first);
        json_list(j, m, list);
    }
}

static void json_object(const struct json *j, const struct api_shape *shape, const void *view, bool document)
{
    bool first = true;

    add(j->out, "{");
    if (shape->xsi_type) {
        json_name(j, "type", &first);
        base_json_quote(j->out, shape->xsi_type);
    }
    for (const struct api_member *m = shape->members; m->kind != API_K_END; m++)
        json_member(j, m, view, &first);
    if (first && j->strings && !document) {
        j->out->len--;
        add(j->out, "null");
    } else {
        add(j->out, "}");
    }
}

/* ---- XML ---- */

struct xml {
    struct base_buf *out;
    unsigned declared; /* elements around this one that declare xmlns:xsi: only the outermost does */
};

static void xml_object(struct xml *x, const char *name, const struct api_shape *shape, const void *view,
                       bool omit_empty);

static void xml_open(struct base_buf *out, const char *name)
{
    base_buf_add(out, "<", 1);
    add(out, name);
    base_buf_add(out, ">", 1);
}

static void xml_close(struct base_buf *out, const char *name)
{
    base_buf_add(out, "</", 2);
    add(out, name);
    base_buf_add(out, ">", 1);
}

static void xml_string(struct base_buf *out, const char *name, const char *text)
{
    xml_open(out, name);
    api_xml_text(out, text);
    xml_close(out, name);
}

static void xml_map(struct base_buf *out, const char *name, const struct api_list *list)
{
    if (list->n == 0) {
        base_buf_addf(out, "<%s/>", name);
        return;
    }
    xml_open(out, name);
    for (size_t i = 0; i < list->n; i++) {
        const struct api_pair *pair = list_at(list, i);

        xml_open(out, "entry");
        xml_string(out, "key", pair->key ? pair->key : "");
        if (pair->value)
            xml_string(out, "value", pair->value);
        xml_close(out, "entry");
    }
    xml_close(out, name);
}

static void xml_member(struct xml *x, const struct api_member *m, const void *view)
{
    struct base_buf *out = x->out;
    const struct api_list *list = field(m, view);

    if (is_scalar(m->kind)) {
        if (!scalar_present(m, view))
            return;
        if (m->kind == API_K_STR) {
            xml_string(out, m->name, string_of(m, view));
            return;
        }
        xml_open(out, m->name);
        add_number(out, m, view);
        xml_close(out, m->name);
    } else if (m->kind == API_K_MAP) {
        if (list->n > 0 || m->presence == API_ALWAYS)
            xml_map(out, m->name, list);
    } else if (m->kind == API_K_OBJ || m->kind == API_K_OBJPTR) {
        const void *object = object_of(m, view);

        if (object)
            xml_object(x, m->name, m->shape, object, m->presence == API_NONEMPTY);
    } else {
        for (size_t i = 0; i < list->n; i++) {
            if (m->kind == API_K_STRLIST) {
                const char *s = *(const char *const *)list_at(list, i);

                xml_string(out, m->name, s ? s : "");
            } else {
                const struct api_shape *shape;
                const void *item = item_of(m, list, i, &shape);

                xml_object(x, m->name, shape, item, false);
            }
        }
    }
}

static void xml_object(struct xml *x, const char *name, const struct api_shape *shape, const void *view,
                       bool omit_empty)
{
    struct base_buf *out = x->out;
    size_t before = out->len, inside;

    base_buf_add(out, "<", 1);
    add(out, name);
    if (shape->xsi_type) {
        add(out, x->declared++ ? " xsi:type=\"" : XSI);
        add(out, shape->xsi_type);
        base_buf_add(out, "\"", 1);
        omit_empty = false;
    }
    base_buf_add(out, ">", 1);
    inside = out->len;
    for (const struct api_member *m = shape->members; m->kind != API_K_END; m++)
        xml_member(x, m, view);
    x->declared -= shape->xsi_type != NULL;
    if (out->len > inside) {
        xml_close(out, name);
    } else if (omit_empty) {
        out->len = before;
        out->data[before] = '\0';
    } else {
        out->len--;
        base_buf_add(out, "/>", 2);
    }
}

/* ---- documents ---- */

void api_shape_encode(const struct api_shape *shape, enum api_dialect dialect, const void *view, struct base_buf *out)
{
    struct json j = {out, dialect == API_M_BARE};
    struct xml x = {out, 0};

    if (dialect == API_XML_DOC) {
        add(out, XML_DECLARATION);
        xml_object(&x, shape->root, shape, view, false);
        return;
    }
    if (dialect == API_N_WRAPPED) {
        add(out, "{");
        base_json_quote(out, shape->root);
        add(out, ":");
    }
    json_object(&j, shape, view, true);
    if (dialect == API_N_WRAPPED)
        add(out, "}");
}

/* The opening leaves the place of the first item open, because an empty list looks different: {"apps":{}}, <apps/>. */
void api_shape_list_open(const char *root, const char *item, enum api_dialect d, struct base_buf *out)
{
    (void)item;
    if (d == API_XML_DOC)
        base_buf_addf(out, XML_DECLARATION "<%s", root);
    else
        base_buf_addf(out, "{\"%s\":{", root);
}

void api_shape_list_item(const char *item, const struct api_shape *shape, enum api_dialect d, const void *view,
                         size_t index, struct base_buf *out)
{
    struct json j = {out, false};
    struct xml x = {out, 0};

    if (d == API_XML_DOC) {
        if (index == 0)
            add(out, ">");
        xml_object(&x, item, shape, view, false);
        return;
    }
    if (index == 0)
        base_buf_addf(out, "\"%s\":[", item);
    else
        add(out, ",");
    json_object(&j, shape, view, false);
}

void api_shape_list_close(const char *root, enum api_dialect d, size_t n, struct base_buf *out)
{
    if (d == API_XML_DOC) {
        if (n == 0)
            add(out, "/>");
        else
            xml_close(out, root);
    } else {
        add(out, n == 0 ? "}}" : "]}}");
    }
}
