#include "api/pages/files.h"

#include <pthread.h>
#include <string.h>

#include "api/server/answer/http_date.h"

static const struct api_file *find_file(const char *name)
{
    for (size_t i = 0; i < api_files_n; i++)
        if (strcmp(api_files[i].name, name) == 0)
            return &api_files[i];
    return NULL;
}

/* The time of the first request, sent as Last-Modified. The files are part of the program, so they
 * can change only when another process runs another program. */
static char date[API_HTTP_DATE_MAX];

static void set_date_to_now(void)
{
    api_http_date_text(time(NULL), date);
}

static bool client_has_current_file(const struct api_request *rq)
{
    const char *had = api_header(rq, "If-Modified-Since");

    return had && strcmp(had, date) == 0;
}

static void answer_file(struct api_request *rq, const struct api_file *file)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct base_buf body = {0};

    pthread_once(&once, set_date_to_now);
    api_add_header(rq, "Last-Modified", date);
    if (client_has_current_file(rq)) {
        api_answer(rq, 304, API_BYTES, &body);
        return;
    }
    base_buf_add(&body, file->bytes, file->len);
    api_add_header(rq, "Content-Type", file->type);
    api_answer(rq, 200, API_BYTES, &body);
}

/* SOURCE: tests/interop/yarn, misc/static-*: no listing of a folder. */
static void serve_static_file(struct api_request *rq, void *user)
{
    const char *name = api_path_arg(rq, 0);
    const struct api_file *file = find_file(name ? name : "");
    size_t len = strlen(api_path(rq));

    (void)user;
    if (file)
        answer_file(rq, file);
    else if (api_path(rq)[len - 1] == '/' && (!name || !*name))
        api_answer_html_error_page(rq, 403, "Forbidden", NULL);
    else
        api_answer_html_error_page(rq, 404, "Not Found", NULL);
}

const struct api_route api_files_routes[] = {
    {"GET", "/static/{rest*}", API_ROLE_READ, 0, serve_static_file,
     API_ROUTE_CREEL | API_ROUTE_PLAIN_FILE | API_ROUTE_FOR_ALL},
};
const size_t api_files_routes_n = sizeof api_files_routes / sizeof *api_files_routes;
