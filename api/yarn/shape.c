/* Encodes shapes: one walk over a table of members for each of the two families, JSON and XML.
 * Source: recordings of YARN 3.4.2 in tests/interop/yarn. */
#include "api/yarn/shape.h"
#include "base/io/json_write.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#define XML_DECLARATION "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>"
#define XSI             " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\""

/* Appends @n bytes. Documents consist of many small pieces: most find room, and need no call. */
static inline void add_bytes(struct base_buf *out, const char *s, size_t n)
{
    if (out->cap - out->len <= n) {
        base_buf_add(out, s, n);
        return;
    }
    memcpy(out->data + out->len, s, n);
    out->len += n;
    out->data[out->len] = '\0';
}

static inline void add_text(struct base_buf *out, const char *s)
{
    add_bytes(out, s, strlen(s));
}

/* Makes room for @n bytes and the NUL, and returns where they go. */
static inline char *make_room(struct base_buf *out, size_t n)
{
    if (out->cap - out->len <= n)
        base_buf_reserve(out, n);
    return out->data + out->len;
}

/* Ends an addition after make_room() at @end. */
static inline void end_at(struct base_buf *out, char *end)
{
    *end = '\0';
    out->len = (size_t)(end - out->data);
}

static char *format_int(char *out, int64_t v)
{
    char text[24], *end = text + sizeof text, *at = end;
    uint64_t left = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

    if (v < 0)
        *out++ = '-';
    do
        *--at = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    while (at < end)
        *out++ = *at++;
    return out;
}

/* ---- values of members ---- */

static const void *get_field(const struct api_member *member, const void *view)
{
    return (const char *)view + member->offset;
}

static const char *get_string(const struct api_member *member, const void *view)
{
    return *(const char *const *)get_field(member, view);
}

static const void *get_object(const struct api_member *member, const void *view)
{
    return member->kind == API_K_OBJPTR ? *(const void *const *)get_field(member, view)
                                        : get_field(member, view);
}

/* A NULL string is never shown, and "" only under API_ALWAYS. */
static inline bool is_string_shown(const struct api_member *m, const char *text)
{
    return text && (m->presence == API_ALWAYS || text[0]);
}

/* Zero and false are shown only under API_ALWAYS. */
static inline bool is_number_shown(const struct api_member *m, const void *view)
{
    const void *f = get_field(m, view);

    if (m->presence == API_ALWAYS)
        return true;
    switch (m->kind) {
    case API_K_I32:
        return *(const int32_t *)f != 0;
    case API_K_I64:
        return *(const int64_t *)f != 0;
    case API_K_F32:
        return *(const float *)f < 0 || *(const float *)f > 0;
    case API_K_F64:
        return *(const double *)f < 0 || *(const double *)f > 0;
    default:
        return *(const bool *)f;
    }
}

enum { NUMBER_MAX = API_JAVA_FLOAT_MAX }; /* most bytes of a number or truth value */

/* Writes a number or truth value at @out, and returns its end. */
static inline char *format_number(char *out, const struct api_member *m, const void *view)
{
    const void *f = get_field(m, view);

    switch (m->kind) {
    case API_K_I32:
        return format_int(out, *(const int32_t *)f);
    case API_K_I64:
        return format_int(out, *(const int64_t *)f);
    case API_K_F32:
        return out + api_java_format_float(out, (double)*(const float *)f, true);
    case API_K_F64:
        return out + api_java_format_float(out, *(const double *)f, false);
    default:
        return *(const bool *)f ? stpcpy(out, "true") : stpcpy(out, "false");
    }
}

static bool is_number_or_bool(enum api_kind kind)
{
    return kind > API_K_STR && kind <= API_K_BOOL;
}

static const void *get_list_element(const struct api_list *list, size_t i)
{
    return (const char *)list->items + i * list->stride;
}

/* Returns item @i of a list of objects, and its shape. */
static const void *get_list_object_and_shape(const struct api_member *m,
                                             const struct api_list *list, size_t i,
                                             const struct api_shape **shape)
{
    const struct api_any *any;

    *shape = m->shape;
    if (m->kind != API_K_ANYLIST)
        return get_list_element(list, i);
    any = get_list_element(list, i);
    *shape = any->shape;
    return any->view;
}

/* ---- equal views ---- */

static bool is_equal_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_equal_view(const struct api_shape *shape, const void *a, const void *b);

static bool is_equal_list(const struct api_member *m, const struct api_list *a,
                          const struct api_list *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++) {
        const void *x = get_list_element(a, i), *y = get_list_element(b, i);

        if (m->kind == API_K_STRLIST) {
            if (!is_equal_text(*(const char *const *)x, *(const char *const *)y))
                return false;
        } else if (m->kind == API_K_MAP) {
            const struct api_pair *p = x, *q = y;

            if (!is_equal_text(p->key, q->key) || !is_equal_text(p->value, q->value))
                return false;
        } else {
            const struct api_shape *shape, *other;

            x = get_list_object_and_shape(m, a, i, &shape);
            y = get_list_object_and_shape(m, b, i, &other);
            if (shape != other || !is_equal_view(shape, x, y))
                return false;
        }
    }
    return true;
}

/* Returns true only when the member is encoded alike in both views. */
static inline bool is_equal_member(const struct api_member *m, const void *a, const void *b)
{
    const void *x = get_field(m, a), *y = get_field(m, b);

    switch (m->kind) {
    case API_K_STR:
        return is_equal_text(*(const char *const *)x, *(const char *const *)y);
    case API_K_I32:
    case API_K_F32:
        return memcmp(x, y, sizeof(int32_t)) == 0;
    case API_K_I64:
    case API_K_F64:
        return memcmp(x, y, sizeof(int64_t)) == 0;
    case API_K_BOOL:
        return *(const bool *)x == *(const bool *)y;
    case API_K_OBJ:
    case API_K_OBJPTR:
        x = get_object(m, a);
        y = get_object(m, b);
        return x == y || (x && y && is_equal_view(m->shape, x, y));
    default:
        return is_equal_list(m, x, y);
    }
}

static bool is_equal_view(const struct api_shape *shape, const void *a, const void *b)
{
    if (shape->is_equal)
        return shape->is_equal(a, b);
    for (const struct api_member *m = shape->members; m->kind != API_K_END; m++)
        if (!is_equal_member(m, a, b))
            return false;
    return true;
}

/* ---- JSON ---- */

enum { RECENT = 4 }; /* enough to copy 345 of the 348 resources in an answer with 20 queues */
/* shapes whose last object is remembered, and the numbers of members that make this worthwhile and
 * possible */
enum { LAST = 4, LAST_LEAST = 4, LAST_MOST = 96 };

struct json {
    struct base_buf *out;
    const void *whole; /* the outermost object: none follows it */
    /* the dialect API_M_BARE: every scalar is quoted, a single item is not put into an array, an
     * empty object is null */
    bool strings;
    /* objects of shapes with is_equal(), and where in @out their text is; the oldest is replaced */
    struct recent {
        const struct api_shape *shape; /* NULL: unused */
        const void *view;
        size_t at, len;
    } recent[RECENT];
    unsigned replaced; /* how many were entered so far */
    /* the last object of a shape, and where in @out the text of each of its members ends: the next
     * object of the shape copies the texts of equal members, at best all at once */
    struct last {
        const struct api_shape *shape; /* NULL: unused */
        const void *view;
        size_t at; /* where the text of the first member begins */
        size_t ends[LAST_MOST];
    } last[LAST];
    unsigned last_replaced;
};

/* Leaves most of @j uninitialised, since small documents do not use it. */
static void json_begin(struct json *j, struct base_buf *out, enum api_dialect dialect,
                       const void *whole)
{
    j->out = out;
    j->whole = whole;
    j->strings = dialect == API_M_BARE;
    j->replaced = j->last_replaced = 0;
    for (int i = 0; i < RECENT; i++)
        j->recent[i].shape = NULL;
    for (int i = 0; i < LAST; i++)
        j->last[i].shape = NULL;
}

/* Appends the text of an equal object that was encoded before. Returns false when there is none. */
static bool json_copy_equal_recent_object(struct json *j, const struct api_shape *shape,
                                          const void *view)
{
    for (int i = 0; i < RECENT; i++) {
        const struct recent *r = &j->recent[i];
        char *to;

        if (r->shape != shape || !shape->is_equal(r->view, view))
            continue;
        to = make_room(j->out, r->len);
        memcpy(to, j->out->data + r->at, r->len);
        end_at(j->out, to + r->len);
        return true;
    }
    return false;
}

static void json_remember_recent_object(struct json *j, const struct api_shape *shape,
                                        const void *view, size_t at)
{
    j->recent[j->replaced++ % RECENT] = (struct recent){shape, view, at, j->out->len - at};
}

/* Removes the text from @at on, which turned out to belong to an omitted member. Objects in j->last
 * that lie there show nothing, so that nothing is copied from them. */
static void json_cut_text(struct json *j, size_t at)
{
    j->out->len = at;
    j->out->data[at] = '\0';
    for (int i = 0; i < RECENT; i++)
        if (j->recent[i].shape && j->recent[i].at >= at)
            j->recent[i].shape = NULL;
}

static const struct last *json_find_last_object(const struct json *j, const struct api_shape *shape)
{
    for (int i = 0; i < LAST; i++)
        if (j->last[i].shape == shape)
            return &j->last[i];
    return NULL;
}

static void json_remember_last_object(struct json *j, const struct api_shape *shape,
                                      const void *view, size_t at, const size_t *ends, size_t n)
{
    const struct last *found = json_find_last_object(j, shape);
    struct last *to = &j->last[found ? (unsigned)(found - j->last) : j->last_replaced++ % LAST];

    to->shape = shape;
    to->view = view;
    to->at = at;
    memcpy(to->ends, ends, n * sizeof *ends);
}

/* Copies the texts of the members from number @i on that the last object of the shape, @last, shows
 * alike, and enters their ends into @ends. Returns the number of these members. A text that begins
 * an object lacks the comma and cannot be copied. */
static size_t json_copy_equal_members(struct json *j, const struct last *last,
                                      const struct api_shape *shape, size_t i, const void *view,
                                      size_t *ends)
{
    const struct api_member *first = &shape->members[i], *m = first;
    size_t at = i ? last->ends[i - 1] : last->at, moved = j->out->len - at, n, len;
    char *to;

    while (m->kind != API_K_END && is_equal_member(m, last->view, view))
        m++;
    n = (size_t)(m - first);
    if (n == 0)
        return 0;
    len = last->ends[i + n - 1] - at;
    if (len > 0 && j->out->data[at] != ',')
        return 0;
    for (size_t k = i; k < i + n; k++)
        ends[k] = last->ends[k] + moved;
    to = make_room(j->out, len);
    memcpy(to, j->out->data + at, len);
    end_at(j->out, to + len);
    return n;
}

static void json_add_object(struct json *j, const struct api_shape *shape, const void *view,
                            bool document);

static void json_add_name(struct json *j, const struct api_member *m, bool *first)
{
    add_bytes(j->out, m->json_name + *first, (size_t)m->json_name_len - *first);
    *first = false;
}

static void json_add_number(struct json *j, const struct api_member *m, const void *view,
                            bool *first)
{
    size_t len = (size_t)m->json_name_len - *first;
    char *at = make_room(j->out, len + NUMBER_MAX + 2);

    memcpy(at, m->json_name + *first, len);
    at += len;
    if (j->strings)
        *at++ = '"';
    at = format_number(at, m, view);
    if (j->strings)
        *at++ = '"';
    end_at(j->out, at);
    *first = false;
}

static void json_add_list(struct json *j, const struct api_member *m, const struct api_list *list)
{
    bool array = !j->strings || list->n > 1;

    if (array)
        add_bytes(j->out, "[", 1);
    for (size_t i = 0; i < list->n; i++) {
        if (i > 0)
            add_bytes(j->out, ",", 1);
        if (m->kind == API_K_STRLIST) {
            const char *s = *(const char *const *)get_list_element(list, i);

            base_json_quote(j->out, s ? s : "");
        } else {
            const struct api_shape *shape;
            const void *item = get_list_object_and_shape(m, list, i, &shape);

            json_add_object(j, shape, item, false);
        }
    }
    if (array)
        add_bytes(j->out, "]", 1);
}

static void json_add_pair(struct json *j, const struct api_pair *pair)
{
    add_text(j->out, "{\"key\":");
    base_json_quote(j->out, pair->key ? pair->key : "");
    if (pair->value) {
        add_text(j->out, ",\"value\":");
        base_json_quote(j->out, pair->value);
    }
    add_text(j->out, "}");
}

/* Appends a map: the N dialects repeat the member "entry"; API_M_BARE puts several entries into an
 * array. */
static void json_add_map(struct json *j, const struct api_list *list)
{
    if (list->n == 0) {
        add_text(j->out, j->strings ? "null" : "{}");
        return;
    }
    add_text(j->out, "{");
    for (size_t i = 0; i < list->n; i++) {
        if (i > 0)
            add_text(j->out, ",");
        if (i == 0 || !j->strings)
            add_text(j->out, "\"entry\":");
        if (i == 0 && j->strings && list->n > 1)
            add_text(j->out, "[");
        json_add_pair(j, get_list_element(list, i));
    }
    add_text(j->out, j->strings && list->n > 1 ? "]}" : "}");
}

/* Under API_NONEMPTY an empty object is left out. Whether an object is empty depends on its
 * members' members, so it is encoded first and removed again. */
static void json_add_member(struct json *j, const struct api_member *m, const void *view,
                            bool *first)
{
    const struct api_list *list = get_field(m, view);
    const void *object;

    if (is_number_or_bool(m->kind)) {
        if (is_number_shown(m, view))
            json_add_number(j, m, view, first);
    } else if (m->kind == API_K_STR) {
        if (!is_string_shown(m, get_string(m, view)))
            return;
        json_add_name(j, m, first);
        base_json_quote(j->out, get_string(m, view));
    } else if (m->kind == API_K_MAP) {
        if (list->n == 0 && m->presence == API_NONEMPTY)
            return;
        json_add_name(j, m, first);
        json_add_map(j, list);
    } else if (m->kind == API_K_OBJ || m->kind == API_K_OBJPTR) {
        size_t before = j->out->len, start;
        bool first_before = *first;

        object = get_object(m, view);
        if (!object)
            return;
        json_add_name(j, m, first);
        start = j->out->len;
        json_add_object(j, m->shape, object, false);
        if (m->presence == API_NONEMPTY && (strcmp(j->out->data + start, "{}") == 0 ||
                                            strcmp(j->out->data + start, "null") == 0)) {
            json_cut_text(j, before);
            *first = first_before;
        }
    } else if (list->n > 0) {
        json_add_name(j, m, first);
        json_add_list(j, m, list);
    }
}

static void json_add_object(struct json *j, const struct api_shape *shape, const void *view,
                            bool document)
{
    const struct last *last = json_find_last_object(j, shape);
    size_t start = j->out->len, begun, i = 0, ends[LAST_MOST];
    bool first = true;

    if (shape->is_equal && json_copy_equal_recent_object(j, shape, view))
        return;
    add_text(j->out, "{");
    if (shape->xsi_type) {
        add_text(j->out, "\"type\":");
        first = false;
        base_json_quote(j->out, shape->xsi_type);
    }
    begun = j->out->len;
    for (const struct api_member *m = shape->members; m->kind != API_K_END;
         m = &shape->members[i]) {
        size_t n = 0;

        /* @last may belong to another shape by now: that of an object inside this one */
        if (last && last->shape == shape && !first)
            n = json_copy_equal_members(j, last, shape, i, view, ends);
        if (n == 0)
            json_add_member(j, m, view, &first);
        if (n == 0 && i < LAST_MOST)
            ends[i] = j->out->len;
        i += n ? n : 1;
    }
    if (i >= LAST_LEAST && i <= LAST_MOST && view != j->whole)
        json_remember_last_object(j, shape, view, begun, ends, i);
    if (first && j->strings && !document) {
        j->out->len--;
        add_text(j->out, "null");
    } else {
        add_text(j->out, "}");
    }
    if (shape->is_equal)
        json_remember_recent_object(j, shape, view, start);
}

/* ---- XML ---- */

struct xml {
    struct base_buf *out;
    /* number of enclosing elements with xsi:type; the outermost of them declares xmlns:xsi */
    unsigned declared;
};

static void xml_add_object(struct xml *x, const char *name, const struct api_shape *shape,
                           const void *view, bool omit_empty);

static void xml_open_element(struct base_buf *out, const char *name)
{
    add_bytes(out, "<", 1);
    add_text(out, name);
    add_bytes(out, ">", 1);
}

static void xml_close_element(struct base_buf *out, const char *name)
{
    add_bytes(out, "</", 2);
    add_text(out, name);
    add_bytes(out, ">", 1);
}

static void xml_add_text_element(struct base_buf *out, const char *name, const char *text)
{
    xml_open_element(out, name);
    api_xml_add_text(out, text);
    xml_close_element(out, name);
}

static void xml_add_map(struct base_buf *out, const char *name, const struct api_list *list)
{
    if (list->n == 0) {
        base_buf_addf(out, "<%s/>", name);
        return;
    }
    xml_open_element(out, name);
    for (size_t i = 0; i < list->n; i++) {
        const struct api_pair *pair = get_list_element(list, i);

        xml_open_element(out, "entry");
        xml_add_text_element(out, "key", pair->key ? pair->key : "");
        if (pair->value)
            xml_add_text_element(out, "value", pair->value);
        xml_close_element(out, "entry");
    }
    xml_close_element(out, name);
}

static void xml_add_member(struct xml *x, const struct api_member *m, const void *view)
{
    struct base_buf *out = x->out;
    const struct api_list *list = get_field(m, view);

    if (is_number_or_bool(m->kind)) {
        if (!is_number_shown(m, view))
            return;
        xml_open_element(out, m->name);
        end_at(out, format_number(make_room(out, NUMBER_MAX), m, view));
        xml_close_element(out, m->name);
    } else if (m->kind == API_K_STR) {
        if (is_string_shown(m, get_string(m, view)))
            xml_add_text_element(out, m->name, get_string(m, view));
    } else if (m->kind == API_K_MAP) {
        if (list->n > 0 || m->presence == API_ALWAYS)
            xml_add_map(out, m->name, list);
    } else if (m->kind == API_K_OBJ || m->kind == API_K_OBJPTR) {
        const void *object = get_object(m, view);

        if (object)
            xml_add_object(x, m->name, m->shape, object, m->presence == API_NONEMPTY);
    } else {
        for (size_t i = 0; i < list->n; i++) {
            if (m->kind == API_K_STRLIST) {
                const char *s = *(const char *const *)get_list_element(list, i);

                xml_add_text_element(out, m->name, s ? s : "");
            } else {
                const struct api_shape *shape;
                const void *item = get_list_object_and_shape(m, list, i, &shape);

                xml_add_object(x, m->name, shape, item, false);
            }
        }
    }
}

static void xml_add_object(struct xml *x, const char *name, const struct api_shape *shape,
                           const void *view, bool omit_empty)
{
    struct base_buf *out = x->out;
    size_t before = out->len, inside;

    add_bytes(out, "<", 1);
    add_text(out, name);
    if (shape->xsi_type) {
        add_text(out, x->declared++ ? " xsi:type=\"" : XSI);
        add_text(out, shape->xsi_type);
        add_bytes(out, "\"", 1);
        omit_empty = false;
    }
    add_bytes(out, ">", 1);
    inside = out->len;
    for (const struct api_member *m = shape->members; m->kind != API_K_END; m++)
        xml_add_member(x, m, view);
    x->declared -= shape->xsi_type != NULL;
    if (out->len > inside) {
        xml_close_element(out, name);
    } else if (omit_empty) {
        out->len = before;
        out->data[before] = '\0';
    } else {
        out->len--;
        add_bytes(out, "/>", 2);
    }
}

/* ---- documents ---- */

void api_shape_encode_document(const struct api_shape *shape, enum api_dialect dialect,
                               const void *view, struct base_buf *out)
{
    struct xml x = {out, 0};
    struct json j;

    if (dialect == API_XML_DOC) {
        add_text(out, XML_DECLARATION);
        xml_add_object(&x, shape->root, shape, view, false);
        return;
    }
    if (dialect == API_N_WRAPPED) {
        add_text(out, "{");
        base_json_quote(out, shape->root);
        add_text(out, ":");
    }
    json_begin(&j, out, dialect, view);
    json_add_object(&j, shape, view, true);
    if (dialect == API_N_WRAPPED)
        add_text(out, "}");
}

/* The list itself is opened by the first item, because an empty one looks different: {"apps":{}},
 * <apps/>. */
void api_shape_open_list(const char *root, const char *item, enum api_dialect dialect,
                         struct base_buf *out)
{
    (void)item;
    if (dialect == API_XML_DOC)
        base_buf_addf(out, XML_DECLARATION "<%s", root);
    else
        base_buf_addf(out, "{\"%s\":{", root);
}

void api_shape_add_list_item(const char *item, const struct api_shape *shape,
                             enum api_dialect dialect, const void *view, size_t index,
                             struct base_buf *out)
{
    struct xml x = {out, 0};
    struct json j;

    if (dialect == API_XML_DOC) {
        if (index == 0)
            add_text(out, ">");
        xml_add_object(&x, item, shape, view, false);
        return;
    }
    if (index == 0)
        base_buf_addf(out, "\"%s\":[", item);
    else
        add_text(out, ",");
    json_begin(&j, out, dialect, view);
    json_add_object(&j, shape, view, false);
}

void api_shape_close_list(const char *root, enum api_dialect dialect, size_t items_n,
                          struct base_buf *out)
{
    if (dialect == API_XML_DOC) {
        if (items_n == 0)
            add_text(out, "/>");
        else
            xml_close_element(out, root);
    } else {
        add_text(out, items_n == 0 ? "}}" : "]}}");
    }
}
