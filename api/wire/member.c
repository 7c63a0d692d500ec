#include "api/wire/member.h"

#include <stdio.h>
#include <string.h>

#include "base/id.h"
#include "base/io/json.h"
#include "base/io/json_write.h"

const char *const wire_kind_words[] = {"map", "reduce", NULL};

/* ---- writing ---- */

/* Appends a number from 0 to 1 with four decimals; 0 and 1 as integers. */
static void put_share(struct base_buf *out, double v)
{
    char text[8];
    unsigned parts = v <= 0 ? 0 : v >= 1 ? 10000 : (unsigned)(v * 10000 + 0.5);

    if (parts % 10000 == 0) {
        base_buf_adds(out, parts ? "1" : "0");
        return;
    }
    base_buf_add(out, "0.", 2);
    base_buf_add(out, text, (size_t)(base_write_digits(text, parts, 4) - text));
}

static bool is_zero_or_null(const struct wire_member *m, const void *field)
{
    switch (m->type) {
    case WIRE_TEXT:
        return *(const char *const *)field == NULL;
    case WIRE_INT32:
        return *(const int32_t *)field == 0;
    case WIRE_INT64:
        return *(const int64_t *)field == 0;
    case WIRE_SHARE:
        return *(const double *)field <= 0;
    case WIRE_BOOL:
        return !*(const bool *)field;
    case WIRE_WORD:
        return *(const unsigned *)field == 0;
    case WIRE_CONTAINER_ID:
    case WIRE_APP_ID:
        break;
    }
    return false;
}

static void put_value(const struct wire_member *m, const void *field, struct base_buf *out)
{
    char id[BASE_ID_TEXT_MAX];
    const char *text;

    switch (m->type) {
    case WIRE_TEXT:
        text = *(const char *const *)field;
        base_json_quote(out, text ? text : "");
        break;
    case WIRE_INT32:
        base_json_value_int(out, *(const int32_t *)field);
        break;
    case WIRE_INT64:
        base_json_value_int(out, *(const int64_t *)field);
        break;
    case WIRE_SHARE:
        put_share(out, *(const double *)field);
        break;
    case WIRE_BOOL:
        base_json_value_bool(out, *(const bool *)field);
        break;
    case WIRE_WORD:
        base_json_value_str(out, m->words[*(const unsigned *)field]);
        break;
    case WIRE_CONTAINER_ID:
        base_json_value_str(out, base_container_id_text(field, id));
        break;
    case WIRE_APP_ID:
        base_json_value_str(out, base_app_id_text(field, id));
        break;
    }
}

void wire_members_put(const struct wire_member *table, const void *from, struct base_buf *out)
{
    for (const struct wire_member *m = table; m->name; m++) {
        const void *field = (const char *)from + m->offset;
        bool first = out->data[out->len - 1] == '{';

        if (m->sparse && is_zero_or_null(m, field))
            continue;
        base_buf_add(out, m->key + first, m->key_len - first);
        put_value(m, field, out);
    }
}

/* ---- reading ---- */

static int get_word(const struct wire_member *m, const json_t *obj, const char *where, unsigned *to,
                    struct base_error *err)
{
    const char *text = NULL;
    int rc = base_json_str(obj, where, m->name, m->required, 64, &text, err);

    if (rc < 0 || !text)
        return rc;
    for (unsigned i = 0; m->words[i]; i++) {
        if (strcmp(m->words[i], text) == 0) {
            *to = i;
            return 0;
        }
    }
    struct base_buf known = {0};
    for (unsigned i = 0; m->words[i]; i++)
        base_buf_addf(&known, "%s\"%s\"", i ? (m->words[i + 1] ? ", " : " or ") : "", m->words[i]);
    rc = base_json_set_value_error(json_object_get(obj, m->name), where, m->name, known.data, err);
    base_buf_free(&known);
    return rc;
}

static int get_id(const struct wire_member *m, const json_t *obj, const char *where, void *to,
                  struct base_error *err)
{
    const char *text = NULL;
    int rc = base_json_str(obj, where, m->name, m->required, BASE_ID_TEXT_MAX, &text, err);

    if (rc < 0 || !text)
        return rc;
    rc = m->type == WIRE_APP_ID ? base_app_id_parse(text, to, err)
                                : base_container_id_parse(text, to, err);
    return rc < 0 ? base_error_wrap(err, rc, "%s%s", where, m->name) : 0;
}

static int get_int32(const struct wire_member *m, const json_t *obj, const char *where, int32_t *to,
                     struct base_error *err)
{
    int64_t v = *to;
    int rc = base_json_int(obj, where, m->name, m->required, m->min, m->max, &v, err);

    *to = (int32_t)v;
    return rc;
}

static int get_value(const struct wire_member *m, const json_t *obj, const char *where, void *field,
                     struct base_error *err)
{
    switch (m->type) {
    case WIRE_TEXT:
        return base_json_str(obj, where, m->name, m->required, (size_t)m->max, field, err);
    case WIRE_INT32:
        return get_int32(m, obj, where, field, err);
    case WIRE_INT64:
        return base_json_int(obj, where, m->name, m->required, m->min, m->max, field, err);
    case WIRE_SHARE:
        return base_json_num(obj, where, m->name, m->required, 0, 1, field, err);
    case WIRE_BOOL:
        return base_json_bool(obj, where, m->name, m->required, field, err);
    case WIRE_WORD:
        return get_word(m, obj, where, field, err);
    case WIRE_CONTAINER_ID:
    case WIRE_APP_ID:
        break;
    }
    return get_id(m, obj, where, field, err);
}

int wire_members_get(const struct wire_member *table, const json_t *obj, const char *where,
                     void *to, struct base_error *err)
{
    int rc = json_is_object(obj) ? 0 : base_json_set_value_error(obj, where, "", "an object", err);

    for (const struct wire_member *m = table; rc == 0 && m->name; m++)
        rc = get_value(m, obj, where, (char *)to + m->offset, err);
    return rc;
}

int wire_members_get_element(const struct wire_member *table, const json_t *obj, const char *list,
                             size_t i, void *to, struct base_error *err)
{
    int rc = wire_members_get(table, obj, "", to, NULL);
    char where[64];

    if (rc == 0)
        return 0;
    snprintf(where, sizeof where, "%s[%zu].", list, i);
    return wire_members_get(table, obj, where, to, err);
}

void wire_members_get_tolerantly(const struct wire_member *table, const json_t *obj, void *to)
{
    for (const struct wire_member *m = table; m->name; m++) {
        const json_t *v = json_object_get(obj, m->name);
        void *field = (char *)to + m->offset;

        if (get_value(m, obj, "", field, NULL) < 0 && m->type == WIRE_SHARE && json_is_number(v))
            *(double *)field = json_number_value(v) > 1 ? 1 : 0;
    }
}

int wire_parse_object(const char *text, size_t len, json_t **out, struct base_error *err)
{
    int rc = base_json_parse(text, len, out, err);

    if (rc == 0 && !json_is_object(*out))
        rc = base_error_set(err, -BASE_EINVAL, "the body is not a JSON object");
    return rc;
}

void wire_object_put(const struct wire_member *table, const void *from, struct base_buf *out)
{
    base_json_open(out, '{');
    wire_members_put(table, from, out);
    base_json_close(out, '}');
}

int wire_object_get(const struct wire_member *table, const char *text, size_t len, json_t **root,
                    void *to, struct base_error *err)
{
    int rc = wire_parse_object(text, len, root, err);

    return rc < 0 ? rc : wire_members_get(table, *root, "", to, err);
}

int wire_object_get_without_texts(const struct wire_member *table, const char *text, size_t len,
                                  void *to, struct base_error *err)
{
    json_t *root = NULL;
    int rc = wire_object_get(table, text, len, &root, to, err);

    json_decref(root);
    return rc;
}
