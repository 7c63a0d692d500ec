/* Writes OpenAPI documents: paths from routes, schemas from shapes. */
#include "api/openapi/openapi.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/openapi/schema.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/version.h"

#define ERROR_SCHEMA "RemoteException"

static json_t *make_component_ref(const char *section, const char *name)
{
    return json_pack("{s:o}", "$ref", json_sprintf("#/components/%s/%s", section, name));
}

/* ---- parameters ---- */

static json_t *make_parameter(const char *name, size_t len, const char *in, const char *type)
{
    return json_pack("{s:s#, s:s, s:b, s:{s:s}}", "name", name, (int)len, "in", in, "required",
                     strcmp(in, "path") == 0, "schema", "type", type);
}

/* Appends the captures of @path: {name} and, for the rest of the path, {name*}. */
static void add_path_parameters(json_t *parameters, const char *path)
{
    for (const char *at = strchr(path, '{'); at; at = strchr(at, '{')) {
        size_t len = strcspn(++at, "*}");

        json_array_append_new(parameters, make_parameter(at, len, "path", "string"));
    }
}

static void add_query_parameters(json_t *parameters, const char *query)
{
    while (query && *query) {
        size_t word = strcspn(query, " "), name = strcspn(query, ": ");
        char *type =
            name < word ? base_strndup(query + name + 1, word - name - 1) : base_strdup("string");

        json_array_append_new(parameters, make_parameter(query, name, "query", type));
        free(type);
        query += word + strspn(query + word, " ");
    }
}

/* Returns @path as OpenAPI writes it: {rest*} is {rest}. The caller frees it. */
static char *convert_path_to_openapi(const char *path)
{
    struct base_buf b = {0};

    for (const char *s = path; *s; s++)
        if (*s != '*')
            base_buf_add(&b, s, 1);
    return base_buf_take(&b);
}

/* ---- answers ---- */

/* Calls json_object_set_new(@to, WORD, an empty object) for each of @words. */
static void add_empty_objects(json_t *to, const char *words)
{
    for (; *words; words += strspn(words, " ")) {
        size_t len = strcspn(words, " ");
        char *word = base_strndup(words, len);

        json_object_set_new(to, word, json_object());
        free(word);
        words += len;
    }
}

static json_t *describe_success(struct api_schemas *schemas, const struct api_route *route,
                                const struct api_operation *op)
{
    bool yarns = !(route->flags & (API_ROUTE_CREEL | API_ROUTE_SERVLET));
    json_t *content = json_object();

    if (op && op->media)
        add_empty_objects(content, op->media);
    else if (!op && strncmp(route->path, "/ws/", strlen("/ws/")) != 0)
        add_empty_objects(content, "text/html"); /* pages for people */
    else
        add_empty_objects(content, yarns ? "application/json application/xml" : "application/json");
    if (op && op->shape)
        json_object_set_new(
            content, "application/json",
            json_pack("{s:o}", "schema",
                      api_schemas_describe_document(schemas, op->shape, op->dialect)));
    return json_pack("{s:s, s:o}", "description", op && op->summary ? op->summary : "Done.",
                     "content", content);
}

static json_t *describe_answers(struct api_schemas *schemas, const struct api_route *route,
                                const struct api_operation *op)
{
    json_t *answers = json_object();
    const char *status = op && op->statuses ? op->statuses : "200";

    for (; *status; status += strspn(status, " ")) {
        char *name = base_strndup(status, strcspn(status, " "));

        json_object_set_new(answers, name, describe_success(schemas, route, op));
        status += strlen(name);
        free(name);
    }
    json_object_set_new(answers, "default", make_component_ref("responses", "Error"));
    return answers;
}

/* ---- operations ---- */

/* The routes that both daemons have. */
static const struct api_operation common[] = {
    {.method = "GET",
     .path = "/jmx",
     .summary = "the daemon's beans, as Hadoop's daemons show them",
     .query = "qry get callback"},
    {.method = "GET",
     .path = "/prom",
     .summary = "the figures of the beans in Prometheus' text format",
     .media = "text/plain"},
    {.method = "GET",
     .path = "/metrics",
     .summary = "Creel's own metrics in Prometheus' text format",
     .media = "text/plain"},
    {.method = "GET",
     .path = "/conf",
     .summary = "the configuration, secrets hidden",
     .media = "text/xml application/json",
     .query = "name format"},
    {.method = "GET",
     .path = "/logLevel",
     .summary = "the level of a logger, shown or changed",
     .media = "text/html",
     .query = "log level"},
    {.method = "GET",
     .path = "/stacks",
     .summary = "what the daemon's threads do",
     .media = "text/plain"},
    {.method = "GET",
     .path = "/robots.txt",
     .summary = "robots are to read nothing",
     .media = "text/plain"},
    {.method = "GET",
     .path = "/",
     .summary = "leads to the pages for people",
     .media = "text/plain",
     .statuses = "302"},
    {.method = "GET", .path = "/logs", .summary = "the daemon's log files", .media = "text/html"},
    {.method = "GET",
     .path = "/logs/{file}",
     .summary = "one of the daemon's log files",
     .media = "application/octet-stream text/plain"},
    {.method = "GET",
     .path = "/prof",
     .summary = "nothing: the profiler is one for Java",
     .media = "text/plain"},
    {.method = "GET",
     .path = "/static/{rest*}",
     .summary = "a file that the pages use",
     .media = "text/css text/javascript application/javascript image/svg+xml"},
    {.method = "GET",
     .path = "/application.wadl",
     .summary = "the resources in Jersey's description language",
     .media = "application/vnd.sun.wadl+xml"},
    {.method = "GET", .path = "/openapi.json", .summary = "this document"},
};

static const struct api_operation *find_operation_in(const struct api_operation *v, size_t n,
                                                     const struct api_route *route)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(v[i].method, route->method) == 0 && strcmp(v[i].path, route->path) == 0)
            return &v[i];
    return NULL;
}

static const struct api_operation *find_operation(const struct api_openapi_source *source,
                                                  const struct api_route *route)
{
    const struct api_operation *found =
        find_operation_in(source->operations, source->operations_n, route);

    return found ? found : find_operation_in(common, sizeof common / sizeof *common, route);
}

static json_t *describe_body(const struct api_route *route)
{
    json_t *content = json_pack("{s:{}}", "application/json");

    if (!(route->flags & API_ROUTE_CREEL))
        json_object_set_new(content, "application/xml", json_object());
    return json_pack("{s:o, s:s, s:b}", "content", content, "description",
                     "at most x-max-bytes of the operation", "required", 0);
}

static json_t *describe_operation(struct api_schemas *schemas, const struct api_route *route,
                                  const struct api_operation *op)
{
    json_t *described = json_object(), *parameters = json_array();

    if (op && op->summary)
        json_object_set_new(described, "summary", json_string(op->summary));
    add_path_parameters(parameters, route->path);
    if (op)
        add_query_parameters(parameters, op->query);
    if (route->role == API_ROLE_WRITE)
        json_array_append_new(parameters, make_component_ref("parameters", "user.name"));
    if (json_array_size(parameters) > 0)
        json_object_set(described, "parameters", parameters);
    json_decref(parameters);
    if (route->body_max > 0) {
        json_object_set_new(described, "requestBody", describe_body(route));
        json_object_set_new(described, "x-max-bytes", json_integer(route->body_max));
    }
    json_object_set_new(described, "responses", describe_answers(schemas, route, op));
    return described;
}

static json_t *describe_paths(const struct api_openapi_source *source, struct api_schemas *schemas)
{
    json_t *paths = json_object();

    for (size_t i = 0; i < source->routes_n; i++) {
        const struct api_route *route = &source->routes[i];
        char *path = convert_path_to_openapi(route->path);
        json_t *item = json_object_get(paths, path);
        char method[16] = "";

        if (route->role == API_ROLE_READ || route->role == API_ROLE_WRITE) {
            for (size_t k = 0; k < sizeof method - 1 && route->method[k]; k++)
                method[k] = (char)(route->method[k] | 0x20);
            if (!item) {
                item = json_object();
                json_object_set_new(paths, path, item);
            }
            json_object_set_new(item, method,
                                describe_operation(schemas, route, find_operation(source, route)));
        }
        free(path);
    }
    return paths;
}

/* ---- what operations share ---- */

static json_t *describe_error_schema(void)
{
    return json_pack("{s:s, s:{s:{s:s, s:[s,s], s:{s:{s:s}, s:{s:s}, s:{s:s}}}}, s:[s]}", "type",
                     "object", "properties", ERROR_SCHEMA, "type", "object", "required",
                     "exception", "javaClassName", "properties", "exception", "type", "string",
                     "javaClassName", "type", "string", "message", "type", "string", "required",
                     ERROR_SCHEMA);
}

/* Errors that arise outside of a resource are pages or texts, as YARN's are. */
static json_t *describe_error_answer(void)
{
    return json_pack("{s:s, s:{s:{}, s:{}, s:{}, s:{}, s:{}}}", "description",
                     "Refused. In JSON and XML the body is a RemoteException.", "content",
                     "application/json", "application/xml", "text/html", "text/plain", "text/xml");
}

static json_t *describe_components(const struct api_schemas *schemas)
{
    json_t *named = json_deep_copy(api_schemas_get_named(schemas));

    json_object_set_new(named, ERROR_SCHEMA, describe_error_schema());
    return json_pack("{s:o, s:{s:o}, s:{s:o}}", "schemas", named, "responses", "Error",
                     describe_error_answer(), "parameters", "user.name",
                     make_parameter("user.name", strlen("user.name"), "query", "string"));
}

char *api_openapi_write(const struct api_openapi_source *source)
{
    struct api_schemas *schemas = api_schemas_new();
    json_t *paths = describe_paths(source, schemas), *document;
    char *text;

    document = json_pack("{s:s, s:{s:s, s:s, s:{s:s, s:s}}, s:o, s:o}", "openapi", "3.1.0", "info",
                         "title", source->title, "version", CREEL_VERSION, "license", "name",
                         "Apache-2.0", "identifier", "Apache-2.0", "paths", paths, "components",
                         describe_components(schemas));
    base_assert(document);
    text = json_dumps(document, JSON_INDENT(1));
    base_assert(text);
    json_decref(document);
    api_schemas_free(schemas);
    return text;
}
