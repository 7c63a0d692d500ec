/* Goal: /openapi.json describes what is served. Method: the documents of both daemons against their
 * tables of routes and against the members of the shapes. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "nodemanager/http/routes.h"
#include "nodemanager/openapi/openapi.h"
#include "rm/http/admin/openapi.h"
#include "rm/http/routes.h"
#include "tests/unit/cunit_main.h"

static struct daemon {
    struct api_route *(*routes_new)(size_t *n);
    const struct api_operation *(*get_operations)(size_t *n);
    struct api_openapi_source source;
    struct api_route *routes;
    json_t *document;
} daemons[] = {{rm_routes_new, rm_openapi_operations, {0}, NULL, NULL},
               {nm_routes_new, nm_openapi_operations, {0}, NULL, NULL}};
enum { DAEMONS = sizeof daemons / sizeof *daemons };

static void describe(struct daemon *d)
{
    char *text;

    d->routes = d->routes_new(&d->source.routes_n);
    d->source.routes = d->routes;
    d->source.operations = d->get_operations(&d->source.operations_n);
    d->source.title = "t";
    text = api_openapi_write(&d->source);
    d->document = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    base_assert(d->document);
    free(text);
}

static json_t *find_operation(const struct daemon *d, const char *method, const char *path)
{
    json_t *paths = json_object_get(d->document, "paths"), *found;
    char *plain = base_strdup(path), lower[16] = "", *to = plain;

    for (const char *s = path; *s; s++)
        if (*s != '*')
            *to++ = *s;
    *to = '\0';
    for (size_t i = 0; method[i] && i < sizeof lower - 1; i++)
        lower[i] = (char)(method[i] | 0x20);
    found = json_object_get(json_object_get(paths, plain), lower);
    free(plain);
    return found;
}

static bool has_parameter(const json_t *operation, const char *name, size_t len)
{
    size_t i;
    json_t *p;

    json_array_foreach(json_object_get(operation, "parameters"), i, p)
    {
        const char *given = json_string_value(json_object_get(p, "name"));

        if (given && strlen(given) == len && memcmp(given, name, len) == 0)
            return strcmp(json_string_value(json_object_get(p, "in")), "path") == 0 &&
                   json_is_true(json_object_get(p, "required"));
    }
    return false;
}

static void test_every_route_is_described(void)
{
    for (int k = 0; k < DAEMONS; k++) {
        const struct daemon *d = &daemons[k];

        for (size_t i = 0; i < d->source.routes_n; i++) {
            const struct api_route *r = &d->routes[i];
            json_t *operation = find_operation(d, r->method, r->path);
            bool shown = r->role == API_ROLE_READ || r->role == API_ROLE_WRITE;

            CU_ASSERT_EQUAL(operation != NULL, shown);
            if (!shown)
                continue;
            for (const char *at = strchr(r->path, '{'); at; at = strchr(at, '{')) {
                size_t len = strcspn(++at, "*}");

                CU_ASSERT_TRUE(has_parameter(operation, at, len));
            }
            CU_ASSERT_EQUAL(json_object_get(operation, "requestBody") != NULL, r->body_max > 0);
            CU_ASSERT_PTR_NOT_NULL(
                json_object_get(json_object_get(operation, "responses"), "default"));
        }
    }
}

/* What a proxy refuses to pass is answered with a page for POST and with nothing for DELETE. */
static void test_refusals_of_the_proxy_are_described(void)
{
    static const struct {
        const char *method;
        size_t forms;
    } refused[] = {{"POST", 1}, {"DELETE", 0}};

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        json_t *operation =
            find_operation(&daemons[0], refused[i].method, "/proxy/{appid}/{rest*}");
        json_t *answer = json_object_get(json_object_get(operation, "responses"), "405");

        CU_ASSERT_PTR_NOT_NULL(answer);
        CU_ASSERT_EQUAL(json_object_size(json_object_get(answer, "content")), refused[i].forms);
    }
}

/* Every described operation has one route and one row: another row would describe nothing. */
static void test_every_operation_has_a_route(void)
{
    for (int k = 0; k < DAEMONS; k++) {
        const struct api_openapi_source *s = &daemons[k].source;

        for (size_t i = 0; i < s->operations_n; i++) {
            size_t routes = 0, rows = 0;

            for (size_t r = 0; r < s->routes_n; r++)
                routes += strcmp(s->routes[r].path, s->operations[i].path) == 0 &&
                          strcmp(s->routes[r].method, s->operations[i].method) == 0;
            for (size_t o = 0; o < s->operations_n; o++)
                rows += strcmp(s->operations[o].path, s->operations[i].path) == 0 &&
                        strcmp(s->operations[o].method, s->operations[i].method) == 0;
            if (routes != 1)
                printf("\n  no route: %s %s", s->operations[i].method, s->operations[i].path);
            CU_ASSERT_EQUAL(routes, 1);
            CU_ASSERT_EQUAL(rows, 1);
        }
    }
}

/* Returns what "#/components/schemas/NAME" in @schema means; @schema itself without a reference. */
static const json_t *resolve(const struct daemon *d, const json_t *schema)
{
    const char *ref = json_string_value(json_object_get(schema, "$ref"));
    const json_t *at = d->document;
    char *path, *save = NULL;

    if (!ref)
        return schema;
    path = base_strdup(ref + 2);
    for (char *name = strtok_r(path, "/", &save); name; name = strtok_r(NULL, "/", &save))
        at = json_object_get(at, name);
    free(path);
    return at;
}

static void check_members(const struct daemon *d, const json_t *schema,
                          const struct api_shape *shape, bool strings)
{
    const json_t *properties = json_object_get(resolve(d, schema), "properties");
    size_t n = shape->xsi_type != NULL;

    for (const struct api_member *m = shape->members; m->kind != API_K_END; m++, n++) {
        const json_t *member = resolve(d, json_object_get(properties, m->name));
        const char *type = json_string_value(json_object_get(member, "type"));

        CU_ASSERT_PTR_NOT_NULL(member);
        if (m->kind == API_K_I64 || m->kind == API_K_I32)
            CU_ASSERT_STRING_EQUAL(type, strings ? "string" : "integer");
        if (m->kind == API_K_BOOL)
            CU_ASSERT_STRING_EQUAL(type, strings ? "string" : "boolean");
        if ((m->kind == API_K_LIST || m->kind == API_K_STRLIST) && !strings)
            CU_ASSERT_STRING_EQUAL(type, "array");
    }
    CU_ASSERT_EQUAL(json_object_size(properties), n);
}

static void test_schemas_have_the_members(void)
{
    for (int k = 0; k < DAEMONS; k++) {
        const struct daemon *d = &daemons[k];

        for (size_t i = 0; i < d->source.operations_n; i++) {
            const struct api_operation *op = &d->source.operations[i];
            const json_t *schema;
            const char *status = op->statuses ? op->statuses : "200";
            char first[4] = {status[0], status[1], status[2], 0};

            if (!op->shape)
                continue;
            schema = find_operation(d, op->method, op->path);
            for (const char *const *name =
                     (const char *const[]){"responses", first, "content", "application/json",
                                           "schema", NULL};
                 *name; name++)
                schema = json_object_get(schema, *name);
            if (op->dialect == API_N_WRAPPED)
                schema = json_object_get(json_object_get(schema, "properties"), op->shape->root);
            check_members(d, schema, op->shape, op->dialect == API_M_BARE);
        }
    }
}

/* Counts the references below @j that lead nowhere. */
static size_t count_broken(const struct daemon *d, json_t *j)
{
    size_t broken = json_object_get(j, "$ref") && !resolve(d, j), i;
    const char *key;
    json_t *v;

    json_object_foreach(j, key, v) broken += count_broken(d, v);
    json_array_foreach(j, i, v) broken += count_broken(d, v);
    return broken;
}

static void test_references_lead_somewhere(void)
{
    for (int k = 0; k < DAEMONS; k++)
        CU_ASSERT_EQUAL(count_broken(&daemons[k], daemons[k].document), 0);
}

static const struct cunit_case cases[] = {
    {"every route is described", test_every_route_is_described},
    {"refusals of the proxy are described", test_refusals_of_the_proxy_are_described},
    {"every operation has a route", test_every_operation_has_a_route},
    {"schemas have the members", test_schemas_have_the_members},
    {"references lead somewhere", test_references_lead_somewhere},
};

int main(void)
{
    int rc;

    for (int k = 0; k < DAEMONS; k++)
        describe(&daemons[k]);
    rc = cunit_main("openapi", cases, sizeof cases / sizeof *cases);
    for (int k = 0; k < DAEMONS; k++) {
        json_decref(daemons[k].document);
        free(daemons[k].routes);
    }
    return rc;
}
