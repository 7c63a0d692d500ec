/* nodemanager/http/logs.c - the log files of a container as YARN serves them: their list, and the
 * content of one in a frame of text. SOURCE: Hadoop's NMWebServices; recordings in
 * tests/interop/yarn. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/io/io.h"
#include "nodemanager/http/access/access.h"
#include "nodemanager/http/answer.h"
#include "nodemanager/http/framed_log.h"
#include "nodemanager/http/log_files.h"
#include "nodemanager/http/log_server.h"
#include "nodemanager/http/routes.h"

#define NO_FILE "Cannot find this log on the local disk."
#define NO_OWNER                                                                                   \
    "Unknown container. Container either has not started or has already completed or doesn't "     \
    "belong to this node at all."
#define NOT_RUNNING "Container is not yet running. Current state is SCHEDULED"

/* Returns the reason why this node has no logs of the container; NULL when there may be some. */
static const char *get_missing_logs_reason(const struct nm_log_owner *owner)
{
    if (!owner->known)
        return NO_OWNER;
    return owner->waits ? NOT_RUNNING : NULL;
}

/* ---- listing ---- */

struct file_rows {
    struct yarn_nm_log_file *v;
    char (*times)[NM_LOG_TIME_MAX];
};

static void make_file_rows(const struct nm_log_list *list, struct file_rows *out)
{
    out->v = base_alloc((list->len + 1) * sizeof *out->v);
    out->times = base_alloc((list->len + 1) * sizeof *out->times);
    for (size_t i = 0; i < list->len; i++)
        out->v[i] = (struct yarn_nm_log_file){
            .name = list->v[i].name,
            .size = list->v[i].size,
            .modified = nm_log_format_time(list->v[i].mtime_s, out->times[i]),
        };
}

static void answer_log_list(struct api_request *rq, struct nm *nm,
                            const struct base_container_id *id)
{
    struct nm_log_list list = {0};
    struct file_rows rows;
    struct yarn_nm_logs logs;
    struct yarn_nm_logs_list all;
    char text[BASE_ID_TEXT_MAX];

    nm_log_list_files(&nm->files, id, &list);
    make_file_rows(&list, &rows);
    logs = (struct yarn_nm_logs){
        .files = {.items = rows.v, .n = list.len, .stride = sizeof *rows.v},
        .aggregation = "LOCAL",
        .container_id = base_container_id_text(id, text),
        .node_id = nm->node_id,
    };
    all.list = (struct api_list){.items = &logs, .n = 1, .stride = sizeof logs};
    nm_answer_resource(rq, &yarn_shape_nm_logs_list, API_M_BARE, &all);
    free(rows.v);
    free(rows.times);
    free(list.v);
}

static void get_log_list(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    const char *text = api_path_arg(rq, 0), *missing;
    struct base_container_id id;
    struct nm_log_owner owner;

    nm_add_node_header(rq, nm);
    if (base_container_id_parse(text, &id, NULL) < 0) {
        nm_bad_request(rq, "invalid container id, %s", text);
        return;
    }
    nm_log_find_user_and_state(nm, &id, &owner);
    missing = get_missing_logs_reason(&owner);
    if (owner.known && !nm_access_may_see_app(rq, nm, &id.attempt.app))
        nm_access_refuse_log_list(rq, &id.attempt.app);
    else if (!missing)
        answer_log_list(rq, nm, &id);
    else if (!nm_log_server_redirect_if_configured(rq, nm, text, NULL))
        api_answer_error(rq, 503, "WebApplicationException",
                         "org.apache.hadoop.yarn.webapp.NotFoundException: java.lang.Exception: %s",
                         missing);
}

/* ---- framed content ---- */

static void append_repeated(struct base_buf *b, char c, size_t n)
{
    while (n--)
        base_buf_add(b, &c, 1);
}

/* @asked: the container's id as the client wrote it; YARN repeats this text in the tail. */
static void format_frame(const struct nm *nm, struct nm_framed_log *f,
                         const struct base_container_id *id, const char *asked, const char *name,
                         const struct stat *st, bool running)
{
    char text[BASE_ID_TEXT_MAX], time[NM_LOG_TIME_MAX];
    size_t width;

    base_buf_addf(&f->head, "Container: %s on %s\n", base_container_id_text(id, text), nm->node_id);
    width = f->head.len - 1;
    base_buf_adds(&f->head, "LogAggregationType: LOCAL\n");
    append_repeated(&f->head, '=', width);
    base_buf_addf(&f->head, "\nLogType:%s\nLogLastModifiedTime:%s\nLogLength:%lld\nLogContents:\n",
                  name, nm_log_format_time(st->st_mtim.tv_sec, time), (long long)st->st_size);
    base_buf_addf(&f->tail, "End of LogType:%s", name);
    width = f->tail.len + 50;
    base_buf_adds(&f->tail, ".");
    if (running)
        base_buf_addf(
            &f->tail,
            "This log file belongs to a running container (%s) and so may not be complete.", asked);
    base_buf_adds(&f->tail, "\n");
    append_repeated(&f->tail, '*', width);
    base_buf_adds(&f->tail, "\n\n");
}

/* Returns true if the client accepts plain text or an octet stream, the types in which logs are
 * offered. */
static bool accepts_text_or_octets(const struct api_request *rq)
{
    const char *accept = api_header(rq, "Accept");

    return !accept || !*accept || strstr(accept, "*/*") || strcasestr(accept, "text/plain") ||
           strcasestr(accept, "text/*") || strcasestr(accept, "application/octet-stream");
}

/* YARN's answer to a client that accepts neither plain text nor an octet stream. */
static void answer_media_type_refused(struct api_request *rq)
{
    api_add_header(rq, "Content-Type",
                   api_wanted_type(rq) == API_XML ? "application/xml" : "application/json");
    api_answer_error(rq, 503, "WebApplicationException", "%s", "");
}

/* YARN's answer to a size that is not a number: YARN fails to report the error as text. */
static void answer_size_refused(struct api_request *rq)
{
    static const char xml[] =
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?><RemoteException><exception>"
        "WebApplicationException</exception><message>com.sun.jersey.api.MessageException: A "
        "message body writer for Java class org.apache.hadoop.yarn.webapp.RemoteExceptionData, and "
        "Java type class org.apache.hadoop.yarn.webapp.RemoteExceptionData, and MIME media type "
        "text/plain; charset=utf-8 was not found.\n</message><javaClassName>"
        "javax.ws.rs.WebApplicationException</javaClassName></RemoteException>";
    const char *accept = api_header(rq, "Accept");
    struct base_buf b = {0};

    if (accept && strcasestr(accept, "application/json")) {
        answer_media_type_refused(rq);
        return;
    }
    base_buf_add(&b, xml, sizeof xml - 1);
    api_add_header(rq, "Content-Type", "application/xml");
    api_answer(rq, 503, API_XML, &b);
}

/* Opens the file, or answers @rq. Checks in YARN's order: access, container, file. Returns a
 * descriptor, or -1. */
static int open_log_or_answer(struct api_request *rq, struct nm *nm,
                              const struct base_container_id *id, const struct nm_log_owner *owner,
                              struct stat *st)
{
    const char *name = api_path_arg(rq, 1), *missing = get_missing_logs_reason(owner);
    int fd;

    if (owner->known && !nm_access_may_see_app(rq, nm, &id->attempt.app)) {
        nm_access_refuse_log(rq, &id->attempt.app);
        return -1;
    }
    fd = missing ? -1 : nm_log_open(&nm->files, id, name, st);
    if (fd >= 0)
        return fd;
    if (!missing && fd == -EACCES) {
        char *why = base_printf("Exception reading log file. Application submitted by '%s' doesn't "
                                "own requested log file : %s",
                                owner->user, name);

        nm_answer_text(rq, 403, why);
        free(why);
    } else if (!nm_log_server_redirect_if_configured(rq, nm, api_path_arg(rq, 0), name)) {
        char *why = base_printf("java.lang.Exception: %s", missing ? missing : NO_FILE);

        nm_answer_text(rq, 404, why);
        free(why);
    }
    return -1;
}

/* Reads "size": how many bytes from the start, or with a minus sign from the end. Returns false
 * when it is not a number; @rq has then been answered. */
static bool read_size_or_answer(struct api_request *rq, int64_t *out)
{
    const char *size = api_query(rq, "size");

    *out = INT64_MAX;
    if (!size || !*size || base_int_parse(size, INT64_MIN + 1, INT64_MAX, out) == 0)
        return true;
    answer_size_refused(rq);
    return false;
}

static bool read_format_or_answer(struct api_request *rq, const char **type)
{
    const char *format = api_query(rq, "format");

    *type = "text/plain;charset=utf-8";
    if (!format || !*format || strcmp(format, "text") == 0)
        return true;
    *type = "application/octet-stream; charset=utf-8";
    if (strcmp(format, "octet-stream") == 0)
        return true;
    nm_answer_text(rq, 400, "The valid values for the parameter : format are [text, octet-stream]");
    return false;
}

static void get_framed_log(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    const char *asked = api_path_arg(rq, 0), *type;
    struct base_container_id id;
    struct nm_log_owner owner;
    struct nm_framed_log log = {0};
    struct stat st;
    int64_t size;

    if (!accepts_text_or_octets(rq)) {
        answer_media_type_refused(rq);
        return;
    }
    if (base_container_id_parse(asked, &id, NULL) < 0) {
        api_answer(rq, 400, API_TEXT, NULL);
        return;
    }
    nm_log_find_user_and_state(nm, &id, &owner);
    log.fd = open_log_or_answer(rq, nm, &id, &owner, &st);
    if (log.fd < 0)
        return;
    if (!read_size_or_answer(rq, &size) || !read_format_or_answer(rq, &type)) {
        close(log.fd);
        return;
    }
    log.left = size < 0 ? -size : size;
    if (log.left > st.st_size)
        log.left = st.st_size;
    log.at = size < 0 ? st.st_size - log.left : 0;
    format_frame(nm, &log, &id, asked, api_path_arg(rq, 1), &st, owner.running);
    nm_answer_framed_log(rq, type, &log);
}

/* clang-format off */
const struct api_route nm_logs_routes[] = {
    {"GET", NM_NODE "/containers/{containerid}/logs", API_ROLE_READ, 0, get_log_list,
     API_ROUTE_PRIVATE | API_ROUTE_LOGS},
    {"GET", NM_NODE "/containers/{containerid}/logs/{filename}", API_ROLE_READ, 0, get_framed_log,
     API_ROUTE_PRIVATE | API_ROUTE_LOGS},
    {"GET", NM_NODE "/containerlogs/{containerid}/{filename}", API_ROLE_READ, 0, get_framed_log,
     API_ROUTE_PRIVATE | API_ROUTE_LOGS},
};
/* clang-format on */
NM_ROUTES_END(nm_logs_routes);
