/* nodemanager/http/log_pages.c - pages with the log files of a container, at the addresses that
 * YARN's answers name (containerLogsLink): the list of files, and a part of one. */
#include <stdlib.h>

#include "api/pages/escape.h"
#include "base/conf/percent.h"
#include "base/crypto/log_token.h"
#include "base/io/io.h"
#include "nodemanager/http/access/access.h"
#include "nodemanager/http/answer.h"
#include "nodemanager/http/framed_log.h"
#include "nodemanager/http/log_files.h"
#include "nodemanager/http/log_server.h"
#include "nodemanager/http/routes.h"
#include "nodemanager/http/site.h"

#define SHOWN_BYTES 4096 /* shown of a file's end, unless the query asks for another part */

/* Finds the container whose logs the path names. Returns false after answering @rq: the container
 * is not known here, or the caller may not see its logs. */
static bool find_visible_container_or_answer(struct api_request *rq, struct nm *nm,
                                             struct base_container_id *id)
{
    const char *text = api_path_arg(rq, 0);
    struct nm_log_owner owner;

    if (base_container_id_parse(text, id, NULL) < 0) {
        nm_page_answer_missing(rq, "Container logs", "This is not the id of a container.");
        return false;
    }
    nm_log_find_user_and_state(nm, id, &owner);
    if (owner.known && !nm_access_may_see_app(rq, nm, &id->attempt.app)) {
        nm_access_refuse_log_page(rq, &id->attempt.app);
        return false;
    }
    if (owner.known)
        return true;
    if (!nm_log_server_redirect_page_if_configured(rq, nm, text, api_path_arg(rq, 1),
                                                   api_path_arg(rq, 2)))
        nm_page_answer_missing(rq, "Container logs",
                               "Unknown container. Container either has not started or has already "
                               "completed or doesn't belong to this node at all.");
    return false;
}

static void open_page(const struct base_container_id *id, struct base_buf *page)
{
    char text[BASE_ID_TEXT_MAX], title[BASE_ID_TEXT_MAX + sizeof "Logs for "];

    snprintf(title, sizeof title, "Logs for %s", base_container_id_text(id, text));
    api_page_open(page, &nm_site, NULL, title);
}

/* Appends the path of the page that shows the file, with a query that begins with @query: the
 * caller reads on with the log token of this request's. */
static void add_file_path(const struct api_request *rq, const struct base_container_id *id,
                          const char *name, const char *query, struct base_buf *out)
{
    const char *token = api_query(rq, BASE_LOG_TOKEN_QUERY);
    char text[BASE_ID_TEXT_MAX];

    base_buf_addf(out, "/node/containerlogs/%s/", base_container_id_text(id, text));
    base_percent_encode(api_path_arg(rq, 1), out);
    base_buf_adds(out, "/");
    base_percent_encode(name, out);
    base_buf_adds(out, query);
    if (token) {
        base_buf_adds(out, *query ? "&amp;" : "?");
        base_buf_adds(out, BASE_LOG_TOKEN_QUERY "=");
        base_percent_encode(token, out);
    }
}

static void get_list_page(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    struct base_container_id id;
    struct nm_log_list list = {0};
    struct base_buf page = {0};
    char time[NM_LOG_TIME_MAX];

    if (!find_visible_container_or_answer(rq, nm, &id))
        return;
    nm_log_list_files(&nm->files, &id, &list);
    open_page(&id, &page);
    for (size_t i = 0; i < list.len; i++) {
        base_buf_adds(&page, "<p><a href=\"");
        add_file_path(rq, &id, list.v[i].name, "", &page);
        base_buf_adds(&page, "\">");
        api_html_add_escaped(&page, list.v[i].name);
        base_buf_addf(&page, " : Total file length is %lld bytes.</a> %s</p>\n",
                      (long long)list.v[i].size, nm_log_format_time(list.v[i].mtime_s, time));
    }
    if (list.len == 0)
        base_buf_adds(&page, "<p>No logs available for this container.</p>\n");
    free(list.v);
    api_page_answer(rq, 200, &page);
}

/* Reads the parameter @name as a place in a file of @size bytes: a number of bytes from its start,
 * or, when negative, from its end. */
static int64_t read_byte_position(const struct api_request *rq, const char *name, int64_t absent,
                                  int64_t size)
{
    const char *text = api_query(rq, name);
    int64_t place = absent;

    if (text && *text && base_int_parse(text, INT64_MIN + 1, INT64_MAX, &place) < 0)
        place = absent;
    if (place < 0)
        place = size + place < 0 ? 0 : size + place;
    return place > size ? size : place;
}

static void get_file_page(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    const char *name = api_path_arg(rq, 2);
    struct nm_framed_log log = {.html = true};
    struct base_container_id id;
    struct stat st;
    int64_t end;

    if (!find_visible_container_or_answer(rq, nm, &id))
        return;
    log.fd = nm_log_open(&nm->files, &id, name, &st);
    if (log.fd < 0) {
        nm_page_answer_missing(rq, "Container logs", "Cannot find this log on the local disk.");
        return;
    }
    log.at = read_byte_position(rq, "start", -SHOWN_BYTES, st.st_size);
    end = read_byte_position(rq, "end", st.st_size, st.st_size);
    log.left = end > log.at ? end - log.at : 0;
    open_page(&id, &log.head);
    base_buf_adds(&log.head, "<h2>");
    api_html_add_escaped(&log.head, name);
    base_buf_adds(&log.head, "</h2>\n");
    if (log.left < st.st_size) {
        base_buf_addf(&log.head, "<p>Showing %lld bytes of %lld total. <a href=\"",
                      (long long)log.left, (long long)st.st_size);
        add_file_path(rq, &id, name, "?start=0", &log.head);
        base_buf_adds(&log.head, "\">All of it</a></p>\n");
    }
    base_buf_adds(&log.head, "<pre>");
    base_buf_adds(&log.tail, "</pre>\n");
    api_page_close(&log.tail);
    api_page_add_headers(rq);
    nm_answer_framed_log(rq, API_PAGE_TYPE, &log);
}

/* clang-format off */
const struct api_route nm_log_pages_routes[] = {
    {"GET", "/node/containerlogs/{containerid}/{user}", API_ROLE_READ, 0, get_list_page,
     API_ROUTE_PRIVATE | API_ROUTE_LOGS},
    {"GET", "/node/containerlogs/{containerid}/{user}/{filename}", API_ROLE_READ, 0, get_file_page,
     API_ROUTE_PRIVATE | API_ROUTE_LOGS},
};
/* clang-format on */
NM_ROUTES_END(nm_log_pages_routes);
