#include "api/server/answer/wadl.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "api/server/server_internal.h"
#include "api/yarn/shape.h"

const enum api_method api_wadl_methods[] = {API_M_POST, API_M_GET, API_M_PUT, API_M_DELETE};

/* Returns the root element of XML bodies for the route, chosen by the end of its path. */
static const char *get_body_element(const char *path)
{
    static const struct {
        const char *end, *element;
    } map[] = {
        {"/apps", "application-submission-context"},
        {"/state", "appstate"},
        {"/queue", "appqueue"},
        {"/priority", "applicationpriority"},
        {"/timeout", "timeout"},
        {"/resource", "resourceOption"},
        {"/delegation-token", "delegation-token"},
        {"/reservation/submit", "reservation-submission-context"},
        {"/reservation/update", "reservation-update-context"},
        {"/reservation/delete", "reservation-delete-context"},
        {"/scheduler-conf", "sched-conf"},
    };
    size_t len = strlen(path);

    for (size_t i = 0; i < sizeof map / sizeof *map; i++) {
        size_t n = strlen(map[i].end);

        if (len >= n && strcmp(path + len - n, map[i].end) == 0)
            return map[i].element;
    }
    return NULL;
}

static void add_representations(struct base_buf *out, const char *element)
{
    static const char *const types[] = {"json", "xml"};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (element)
            base_buf_addf(out, "<representation element=\"%s\" mediaType=\"application/%s\"/>",
                          element, types[i]);
        else
            base_buf_addf(out, "<representation mediaType=\"application/%s; charset=utf-8\"/>",
                          types[i]);
    }
}

static void add_parameters(struct base_buf *out, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        base_buf_addf(out,
                      "<param xmlns:xs=\"http://www.w3.org/2001/XMLSchema\" name=\"%s\" "
                      "style=\"query\" type=\"xs:string\"/>",
                      names[i]);
}

static void add_request(struct base_buf *out, const struct api_route *route)
{
    static const char *const of_apps[] = {"state",
                                          "states",
                                          "finalStatus",
                                          "user",
                                          "queue",
                                          "limit",
                                          "startedTimeBegin",
                                          "startedTimeEnd",
                                          "finishedTimeBegin",
                                          "finishedTimeEnd",
                                          "applicationTypes",
                                          "applicationTags",
                                          "name",
                                          "deSelects"};
    bool get = strcmp(route->method, "GET") == 0;
    const char *element = get ? NULL : get_body_element(route->path);

    if (element) {
        base_buf_adds(out, "<request>");
        add_representations(out, element);
        base_buf_adds(out, "</request>");
    } else if (get && strcmp(route->path, "/ws/v1/cluster/apps") == 0) {
        base_buf_adds(out, "<request>");
        add_parameters(out, of_apps, sizeof of_apps / sizeof *of_apps);
        base_buf_adds(out, "</request>");
    }
}

/* Names a method for people: its verb and the last word of its path. */
static void add_method_id(struct base_buf *out, const struct api_route *route)
{
    const char *word = "resource";

    for (const char *at = route->path; (at = strchr(at, '/')); at++)
        if (isalnum((unsigned char)at[1]))
            word = at + 1;
    for (const char *c = route->method; *c; c++) {
        char low = (char)tolower((unsigned char)*c);
        base_buf_add(out, &low, 1);
    }
    for (bool upper = true; *word && *word != '/'; word++) {
        char c = upper ? (char)toupper((unsigned char)*word) : *word;

        upper = !isalnum((unsigned char)*word);
        if (!upper)
            base_buf_add(out, &c, 1);
    }
}

static void add_method(struct base_buf *out, const struct api_route *route)
{
    base_buf_adds(out, "<method id=\"");
    add_method_id(out, route);
    base_buf_addf(out, "\" name=\"%s\">", route->method);
    add_request(out, route);
    base_buf_adds(out, "<response>");
    add_representations(out, NULL);
    base_buf_adds(out, "</response></method>");
}

/* Adds what comes before the resources. @schema: whether to refer to the ResourceManager's
 * schema. */
static void open_document(struct base_buf *out, const struct api_request *rq, bool schema)
{
    struct base_buf host = {0};

    api_xml_add_text(&host, rq->host ? rq->host : "");
    base_buf_adds(out,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>"
                  "<application xmlns=\"http://wadl.dev.java.net/2009/02\">"
                  "<doc xmlns:jersey=\"http://jersey.java.net/\" jersey:generatedBy=\"Creel\"/>");
    if (schema)
        base_buf_addf(out,
                      "<grammars><include href=\"%s%s/application.wadl/xsd0.xsd\">"
                      "<doc title=\"Generated\" xml:lang=\"en\"/></include></grammars>",
                      api_scheme(rq), host.data ? host.data : "");
    else
        base_buf_adds(out, "<grammars/>");
    base_buf_addf(out, "<resources base=\"%s%s/\">", api_scheme(rq), host.data ? host.data : "");
    base_buf_free(&host);
}

void api_wadl_add_document(const struct api_request *rq, struct base_buf *out)
{
    bool node = strncmp(rq->uri.path, "/ws/v1/node/", strlen("/ws/v1/node/")) == 0;

    open_document(out, rq, !node);
    base_buf_adds(out, "<resource path=\"");
    api_xml_add_text(out, rq->uri.path + 1);
    base_buf_adds(out, "\">");
    for (int i = 0; i < API_M_COUNT; i++)
        if (rq->match.by_method[api_wadl_methods[i]])
            add_method(out, rq->match.by_method[api_wadl_methods[i]]);
    base_buf_adds(out, "</resource></resources></application>");
}

static bool is_yarn_route(const struct api_route *route)
{
    return !(route->flags & (API_ROUTE_CREEL | API_ROUTE_SERVLET)) &&
           strncmp(route->path, "/ws/v1/", strlen("/ws/v1/")) == 0;
}

/* Adds the resource of the route @at with all methods of its path, unless an earlier route has the
 * same path. */
static void add_resource(struct base_buf *out, const struct api_route *routes, size_t n, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (is_yarn_route(&routes[i]) && strcmp(routes[i].path, routes[at].path) == 0)
            return;
    base_buf_addf(out, "<resource path=\"%s\">", routes[at].path + 1);
    for (size_t i = at; i < n; i++)
        if (is_yarn_route(&routes[i]) && strcmp(routes[i].path, routes[at].path) == 0)
            add_method(out, &routes[i]);
    base_buf_adds(out, "</resource>");
}

void api_answer_wadl(struct api_request *rq)
{
    const struct api_server *s = rq->server;
    struct base_buf out = {0};

    open_document(&out, rq, false);
    for (size_t i = 0; i < s->n_routes; i++)
        if (is_yarn_route(&s->routes[i]))
            add_resource(&out, s->routes, s->n_routes, i);
    base_buf_adds(&out, "</resources></application>");
    api_add_header(rq, "Last-Modified", api_wadl_get_last_modified());
    api_add_header(rq, "Content-Type", "application/vnd.sun.wadl+xml;charset=utf-8");
    api_answer(rq, 200, API_TEXT, &out);
}

static char date[40];

static void set_date_to_now(void)
{
    time_t now = time(NULL);
    struct tm tm;

    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S UTC", gmtime_r(&now, &tm));
}

const char *api_wadl_get_last_modified(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, set_date_to_now);
    return date;
}
