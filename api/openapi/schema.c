/* Describes shapes as JSON Schemas. */
#include "api/openapi/schema.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct known {
    const struct api_shape *shape;
    bool strings; /* in the dialect API_M_BARE */
    char *name;
};
struct api_schemas {
    struct known *v;
    size_t len, cap;
    json_t *named;
};

struct api_schemas *api_schemas_new(void)
{
    struct api_schemas *s = base_alloc(sizeof *s);

    s->named = json_object();
    return s;
}

void api_schemas_free(struct api_schemas *s)
{
    for (size_t i = 0; i < s->len; i++)
        free(s->v[i].name);
    free(s->v);
    json_decref(s->named);
    free(s);
}

const json_t *api_schemas_get_named(const struct api_schemas *s)
{
    return s->named;
}

static json_t *describe_shape(struct api_schemas *s, const struct api_shape *shape, bool strings,
                              const char *name);

static json_t *describe_type(const char *type)
{
    return json_pack("{s:s}", "type", type);
}

static json_t *describe_list_of(json_t *item, bool strings)
{
    json_t *list = json_pack("{s:s, s:O}", "type", "array", "items", item);

    if (!strings) {
        json_decref(item);
        return list;
    }
    return json_pack("{s:[o,o]}", "anyOf", list, item); /* a single item stands for itself */
}

static json_t *describe_map(void)
{
    /* in one dialect "entry" is repeated, in the other it is an array or a single item */
    return json_pack("{s:[s,s]}", "type", "object", "null");
}

static json_t *describe_member(struct api_schemas *s, const struct api_member *m, bool strings)
{
    switch (m->kind) {
    case API_K_I32:
    case API_K_I64:
        return describe_type(strings ? "string" : "integer");
    case API_K_F32:
    case API_K_F64:
        return describe_type(strings ? "string" : "number");
    case API_K_BOOL:
        return describe_type(strings ? "string" : "boolean");
    case API_K_OBJ:
    case API_K_OBJPTR:
        return describe_shape(s, m->shape, strings, m->name);
    case API_K_LIST:
        return describe_list_of(describe_shape(s, m->shape, strings, m->name), strings);
    case API_K_STRLIST:
        return describe_list_of(describe_type("string"), strings);
    case API_K_ANYLIST:
        return describe_list_of(describe_type("object"), strings);
    case API_K_MAP:
        return describe_map();
    case API_K_STR:
    case API_K_END:
        break;
    }
    return describe_type("string");
}

static bool is_always_shown(const struct api_member *m)
{
    return m->presence == API_ALWAYS && m->kind >= API_K_I32 && m->kind <= API_K_BOOL;
}

static json_t *describe_members(struct api_schemas *s, const struct api_shape *shape, bool strings)
{
    json_t *properties = json_object(), *required = json_array();
    json_t *schema =
        json_pack("{s:o, s:o}", "type",
                  strings ? json_pack("[s,s]", "object", "null") : json_string("object"),
                  "properties", properties);

    if (shape->xsi_type)
        json_object_set_new(properties, "type", json_pack("{s:s}", "const", shape->xsi_type));
    for (const struct api_member *m = shape->members; m->kind != API_K_END; m++) {
        json_object_set_new(properties, m->name, describe_member(s, m, strings));
        if (is_always_shown(m))
            json_array_append_new(required, json_string(m->name));
    }
    if (json_array_size(required) > 0)
        json_object_set(schema, "required", required);
    json_decref(required);
    return schema;
}

/* Returns a name that no other shape has, made from the root element or from the member @name. */
static char *make_name(const struct api_schemas *s, const struct api_shape *shape, bool strings,
                       const char *name)
{
    const char *base = shape->root ? shape->root : name;
    char *made = base_printf("%s%s", base, strings ? ".text" : "");

    for (int n = 2; json_object_get(s->named, made); n++) {
        free(made);
        made = base_printf("%s%s.%d", base, strings ? ".text" : "", n);
    }
    return made;
}

static json_t *describe_shape(struct api_schemas *s, const struct api_shape *shape, bool strings,
                              const char *name)
{
    size_t i = 0;

    while (i < s->len && (s->v[i].shape != shape || s->v[i].strings != strings))
        i++;
    if (i == s->len) {
        char *made = make_name(s, shape, strings, name);

        base_array_grow(&s->v, s->len, &s->cap);
        s->v[s->len++] = (struct known){shape, strings, made};
        json_object_set_new(s->named, made,
                            json_null()); /* reserves the name while the members are described */
        json_object_set_new(s->named, made, describe_members(s, shape, strings));
    }
    return json_pack("{s:o}", "$ref", json_sprintf("#/components/schemas/%s", s->v[i].name));
}

json_t *api_schemas_describe_document(struct api_schemas *s, const struct api_shape *shape,
                                      enum api_dialect dialect)
{
    json_t *whole =
        describe_shape(s, shape, dialect == API_M_BARE, shape->root ? shape->root : "object");

    if (dialect != API_N_WRAPPED)
        return whole;
    return json_pack("{s:s, s:[s], s:{s:o}}", "type", "object", "required", shape->root,
                     "properties", shape->root, whole);
}
