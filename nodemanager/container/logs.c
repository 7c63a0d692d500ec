/* Serves container logs over HTTP: YARN's listing and framed content, and Creel's raw and followed
 * form. A file name is a single path component, opened below the container's own log folder without
 * following links; the name of that folder is printed from the parsed container id. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "api/yarn/shape.h"
#include "base/io/io.h"
#include "nodemanager/daemon/rest.h"

#define NO_FILE "Cannot find this log on the local disk."
#define NO_OWNER                                                                                   \
    "Unknown container. Container either has not started or has already completed or doesn't "     \
    "belong to this node at "                                                                      \
    "all."

/* ---- files ---- */

static int compare_file_names(const void *a, const void *b)
{
    return strcmp(((const struct nm_log_file *)a)->name, ((const struct nm_log_file *)b)->name);
}

bool nm_logs_list_files(const struct nm_files *f, const struct base_container_id *id,
                        struct nm_log_list *out)
{
    char path[NM_PATH_MAX];
    int fd = nm_files_open_folder(f, nm_path_in_logs(f, id, NULL, path));
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *e;
    struct stat st;
    if (!d) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    while ((e = readdir(d)) != NULL && out->len < NM_LOG_FILES_MAX) {
        if (e->d_name[0] == '.' || fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
            !S_ISREG(st.st_mode))
            continue;
        base_array_grow(&out->v, out->len, &out->cap);
        struct nm_log_file *file = &out->v[out->len++];
        memset(file, 0, sizeof *file);
        snprintf(file->name, sizeof file->name, "%s", e->d_name);
        file->size = st.st_size;
        file->mtime_s = st.st_mtim.tv_sec;
    }
    closedir(d);
    if (out->len > 1)
        qsort(out->v, out->len, sizeof *out->v, compare_file_names);
    return true;
}

/* Opens a plain file in the container's log folder. Returns -1 if there is none of this name, or if
 * the name begins with a dot or contains a slash. */
static int open_log_file(const struct nm_files *f, const struct base_container_id *id,
                         const char *name, struct stat *st)
{
    char path[NM_PATH_MAX];
    if (!*name || name[0] == '.' || strchr(name, '/') || strlen(name) > 255)
        return -1;
    int fd = nm_files_open_plain(f, nm_path_in_logs(f, id, name, path), O_RDONLY, 0, st);
    return fd < 0 ? -1 : fd;
}

void nm_log_find_owner(struct nm *nm, const struct base_container_id *id, struct nm_log_owner *out)
{
    memset(out, 0, sizeof *out);
    pthread_mutex_lock(&nm->lock);
    const struct nm_app_view *app = nm_core_app_find(nm->core, &id->attempt.app);
    const struct nm_container *c = nm_core_find(nm->core, id);
    out->known_app = app != NULL;
    if (app)
        snprintf(out->user, sizeof out->user, "%s", app->user ? app->user : "");
    if (c) {
        enum nm_state s = nm_core_view(c)->state;
        out->alive = s != NM_COMPLETE && s != NM_FORGOTTEN;
    }
    pthread_mutex_unlock(&nm->lock);
}

/* Returns true if the application is known, or if at least the container's log folder still exists.
 * Sets @out in either case. */
static bool find_known_owner(struct nm *nm, const struct base_container_id *id,
                             struct nm_log_owner *out)
{
    char path[NM_PATH_MAX];
    nm_log_find_owner(nm, id, out);
    return out->known_app || access(nm_path_in_logs(&nm->files, id, NULL, path), F_OK) == 0;
}

static void format_time(int64_t s, char buf[static 64])
{
    time_t t = (time_t)s;
    struct tm tm;
    if (!localtime_r(&t, &tm) || !strftime(buf, 64, "%a %b %d %H:%M:%S %z %Y", &tm))
        snprintf(buf, 64, "N/A");
}

static void answer_plain_text(struct api_request *rq, unsigned status, const char *text)
{
    struct base_buf b = {0};
    if (*text)
        base_buf_adds(&b, text);
    api_answer(rq, status, API_TEXT, &b);
}

/* ---- listing ---- */

struct file_view {
    const char *name, *size, *modified;
    char size_text[32], modified_text[64];
};
struct logs_view {
    struct api_list files;
    const char *aggregation, *container, *node;
};
struct logs_doc {
    struct api_list infos;
};
static const struct api_member file_members[] = {
    API_STR(struct file_view, name, "fileName", API_ALWAYS),
    API_STR(struct file_view, size, "fileSize", API_ALWAYS),
    API_STR(struct file_view, modified, "lastModifiedTime", API_ALWAYS),
    {0},
};
static const struct api_shape file_shape = {"containerLogInfo", file_members, NULL};
static const struct api_member logs_members[] = {
    API_LIST(struct logs_view, files, "containerLogInfo", &file_shape, API_ALWAYS),
    API_STR(struct logs_view, aggregation, "logAggregationType", API_ALWAYS),
    API_STR(struct logs_view, container, "containerId", API_ALWAYS),
    API_STR(struct logs_view, node, "nodeId", API_ALWAYS),
    {0},
};
static const struct api_shape logs_shape = {"containerLogsInfo", logs_members, NULL};
static const struct api_member doc_members[] = {
    API_LIST(struct logs_doc, infos, "containerLogsInfo", &logs_shape, API_ALWAYS),
    {0},
};
static const struct api_shape doc_shape = {"containerLogsInfoes", doc_members, NULL};

static struct file_view *make_log_file_views(const struct nm_log_list *list)
{
    struct file_view *v = base_alloc((list->len + 1) * sizeof *v);
    for (size_t i = 0; i < list->len; i++) {
        snprintf(v[i].size_text, sizeof v[i].size_text, "%lld", (long long)list->v[i].size);
        format_time(list->v[i].mtime_s, v[i].modified_text);
        v[i].name = list->v[i].name;
        v[i].size = v[i].size_text;
        v[i].modified = v[i].modified_text;
    }
    return v;
}

void nm_get_logs(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    struct base_container_id id;
    struct nm_log_owner owner;
    struct nm_log_list list = {0};
    struct base_buf b = {0};
    char text[BASE_ID_TEXT_MAX];
    nm_rest_add_node_header(rq, nm);
    if (base_container_id_parse(api_path_arg(rq, 0), &id, NULL) < 0) {
        api_answer_error(rq, 400, "BadRequestException",
                         "java.lang.Exception: invalid container id, %s", api_path_arg(rq, 0));
        return;
    }
    if (!find_known_owner(nm, &id, &owner)) {
        api_answer_error(
            rq, 503, "WebApplicationException",
            "org.apache.hadoop.yarn.webapp.NotFoundException: java.lang.Exception: " NO_OWNER);
        return;
    }
    nm_logs_list_files(&nm->files, &id, &list);
    struct file_view *files = make_log_file_views(&list);
    struct logs_view view = {.files = {.items = files, .n = list.len, .stride = sizeof *files},
                             .aggregation = "LOCAL",
                             .container = base_container_id_text(&id, text),
                             .node = nm->node_id};
    struct logs_doc doc = {.infos = {.items = &view, .n = 1, .stride = sizeof view}};
    enum api_type type = api_wanted_type(rq);
    api_shape_encode_document(&doc_shape, type == API_XML ? API_XML_DOC : API_M_BARE, &doc, &b);
    api_answer(rq, 200, type, &b);
    free(files);
    free(list.v);
}

/* ---- framed content ---- */

/* An answer in YARN's frame, sent in three parts: head, contents of the file, tail. */
struct framed {
    struct base_buf head, tail;
    size_t head_at, tail_at;
    int fd;
    int64_t at, left;
};

static int64_t read_framed_log(void *u, char *buf, size_t max)
{
    struct framed *f = u;
    if (f->head_at < f->head.len) {
        size_t n = f->head.len - f->head_at < max ? f->head.len - f->head_at : max;
        memcpy(buf, f->head.data + f->head_at, n);
        f->head_at += n;
        return (int64_t)n;
    }
    while (f->left > 0) {
        ssize_t n = pread(f->fd, buf, (int64_t)max < f->left ? max : (size_t)f->left, f->at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) { /* the file was truncated in the meantime; send the tail nevertheless */
            f->left = 0;
            break;
        }
        f->at += n;
        f->left -= n;
        return n;
    }
    size_t n = f->tail.len - f->tail_at < max ? f->tail.len - f->tail_at : max;
    if (n == 0)
        return -1;
    memcpy(buf, f->tail.data + f->tail_at, n);
    f->tail_at += n;
    return (int64_t)n;
}

static void free_framed_log(void *u)
{
    struct framed *f = u;
    base_buf_free(&f->head);
    base_buf_free(&f->tail);
    close(f->fd);
    free(f);
}

static void append_repeated(struct base_buf *b, char c, size_t n)
{
    while (n--)
        base_buf_add(b, &c, 1);
}

static void format_log_frame(struct nm *nm, struct framed *f, const char *id, const char *name,
                             const struct stat *st, bool alive)
{
    char time[64];
    format_time(st->st_mtim.tv_sec, time);
    base_buf_addf(&f->head, "Container: %s on %s\n", id, nm->node_id);
    size_t width = f->head.len - 1;
    base_buf_adds(&f->head, "LogAggregationType: LOCAL\n");
    append_repeated(&f->head, '=', width);
    base_buf_addf(&f->head, "\nLogType:%s\nLogLastModifiedTime:%s\nLogLength:%lld\nLogContents:\n",
                  name, time, (long long)st->st_size);
    base_buf_addf(&f->tail, "End of LogType:%s", name);
    width = f->tail.len + 50;
    base_buf_adds(&f->tail, ".");
    if (alive)
        base_buf_addf(
            &f->tail,
            "This log file belongs to a running container (%s) and so may not be complete.", id);
    base_buf_adds(&f->tail, "\n");
    append_repeated(&f->tail, '*', width);
    base_buf_adds(&f->tail, "\n\n");
}

/* Logs are offered as plain text or octet stream. A client that accepts neither gets YARN's 503. */
static bool accepts_text(const struct api_request *rq)
{
    const char *accept = api_header(rq, "Accept");
    return !accept || !*accept || strstr(accept, "*/*") || strcasestr(accept, "text/plain") ||
           strcasestr(accept, "text/*") || strcasestr(accept, "application/octet-stream");
}

static void answer_type_refused(struct api_request *rq)
{
    api_add_header(rq, "Content-Type",
                   api_wanted_type(rq) == API_XML ? "application/xml" : "application/json");
    api_answer_error(rq, 503, "WebApplicationException", "%s", "");
}

static void answer_number_refused(struct api_request *rq)
{
    struct base_buf b = {0};
    const char *accept = api_header(rq, "Accept");
    if (accept && strcasestr(accept, "application/json")) {
        answer_type_refused(rq);
        return;
    }
    base_buf_adds(
        &b,
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?><RemoteException><exception>"
        "WebApplicationException</exception><message>com.sun.jersey.api.MessageException: A "
        "message body "
        "writer for Java class org.apache.hadoop.yarn.webapp.RemoteExceptionData, and Java type "
        "class "
        "org.apache.hadoop.yarn.webapp.RemoteExceptionData, and MIME media type text/plain; "
        "charset=utf-8 was not found.\n</message><javaClassName>javax.ws.rs.WebApplicationException"
        "</javaClassName></RemoteException>");
    api_add_header(rq, "Content-Type", "application/xml");
    api_answer(rq, 503, API_XML, &b);
}

void nm_get_log(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    struct base_container_id id;
    struct nm_log_owner owner;
    struct stat st;
    char text[BASE_ID_TEXT_MAX];
    const char *name = api_path_arg(rq, 1), *size = api_query(rq, "size"),
               *format = api_query(rq, "format");
    int64_t want = INT64_MAX;
    bool octets = format && strcmp(format, "octet-stream") == 0;
    if (!accepts_text(rq)) {
        answer_type_refused(rq);
        return;
    }
    if (size && *size && base_int_parse(size, INT64_MIN + 1, INT64_MAX, &want) < 0) {
        answer_number_refused(rq);
        return;
    }
    if (base_container_id_parse(api_path_arg(rq, 0), &id, NULL) < 0) {
        answer_plain_text(rq, 400, "");
        return;
    }
    if (!find_known_owner(nm, &id, &owner)) {
        answer_plain_text(rq, 404, "java.lang.Exception: " NO_OWNER);
        return;
    }
    if (format && *format && !octets && strcmp(format, "text") != 0) {
        answer_plain_text(rq, 400,
                          "The valid values for the parameter : format are [text, octet-stream]");
        return;
    }
    int fd = open_log_file(&nm->files, &id, name, &st);
    if (fd < 0) {
        answer_plain_text(rq, 404, "java.lang.Exception: " NO_FILE);
        return;
    }
    struct framed *f = base_alloc(sizeof *f);
    f->fd = fd;
    f->left = want < 0 ? -want : want;
    if (f->left > st.st_size)
        f->left = st.st_size;
    f->at = want < 0 ? st.st_size - f->left : 0;
    format_log_frame(nm, f, base_container_id_text(&id, text), name, &st, owner.alive);
    api_answer_stream(
        rq, 200, octets ? "application/octet-stream; charset=utf-8" : "text/plain;charset=utf-8",
        read_framed_log, f, free_framed_log);
}

/* ---- raw content, followed ---- */

struct follow {
    struct nm *nm;
    struct base_container_id id;
    char name[256];
    int fd; /* -1: does not exist yet */
    int64_t at;
    bool last; /* the container has ended, so the file is complete */
};

static int64_t read_followed_log(void *u, char *buf, size_t max)
{
    struct follow *f = u;
    struct nm_log_owner owner;
    struct stat st;
    for (;;) {
        if (f->fd < 0)
            f->fd = open_log_file(&f->nm->files, &f->id, f->name, &st);
        ssize_t n = f->fd >= 0 ? pread(f->fd, buf, max, f->at) : 0;
        if (n < 0 && errno == EINTR)
            continue;
        if (n > 0) {
            f->at += n;
            return n;
        }
        if (n < 0 || f->last)
            return -1;
        nm_log_find_owner(f->nm, &f->id, &owner);
        if (owner.alive)
            return 0;
        /* the shim writes all output before it reports the end, so read once more */
        f->last = true;
    }
}

static void free_followed_log(void *u)
{
    struct follow *f = u;
    if (f->fd >= 0)
        close(f->fd);
    free(f);
}

static void answer_raw_log(struct api_request *rq, struct nm *nm,
                           const struct base_container_id *id, const char *name, int64_t offset,
                           bool follow)
{
    struct nm_log_owner owner;
    struct stat st;
    int fd = open_log_file(&nm->files, id, name, &st);
    nm_log_find_owner(nm, id, &owner);
    if (follow && (fd >= 0 || owner.alive) && *name && !strchr(name, '/') && strlen(name) < 256) {
        struct follow *f = base_alloc(sizeof *f);
        f->nm = nm;
        f->id = *id;
        snprintf(f->name, sizeof f->name, "%.255s", name);
        f->fd = fd;
        f->at = offset;
        api_answer_stream(rq, 200, "application/octet-stream", read_followed_log, f,
                          free_followed_log);
    } else if (fd < 0) {
        api_answer_error(rq, 404, "NotFoundException", "%s", owner.known_app ? NO_FILE : NO_OWNER);
    } else {
        int64_t from = offset < st.st_size ? offset : st.st_size;
        api_answer_file(rq, 200, "application/octet-stream", fd, (uint64_t)from,
                        (uint64_t)(st.st_size - from));
    }
}

void nm_get_raw_log(struct api_request *rq, void *user)
{
    struct base_container_id id;
    int64_t offset = 0;
    const char *from = api_query(rq, "offset"), *follow = api_query(rq, "follow");
    nm_rest_add_node_header(rq, user);
    if (base_container_id_parse(api_path_arg(rq, 0), &id, NULL) < 0) {
        api_answer_error(rq, 400, "BadRequestException", "invalid container id, %s",
                         api_path_arg(rq, 0));
        return;
    }
    if (from && *from && base_int_parse(from, 0, INT64_MAX, &offset) < 0) {
        api_answer_error(rq, 400, "BadRequestException", "offset: \"%s\" is not a number of bytes",
                         from);
        return;
    }
    answer_raw_log(rq, user, &id, api_path_arg(rq, 1), offset,
                   follow && (!strcmp(follow, "1") || !strcmp(follow, "true")));
}

/* ---- plain-text pages for people ---- */

void nm_get_page_logs(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    struct base_container_id id;
    struct nm_log_list list = {0};
    struct base_buf b = {0};
    if (base_container_id_parse(api_path_arg(rq, 0), &id, NULL) < 0 ||
        !nm_logs_list_files(&nm->files, &id, &list)) {
        answer_plain_text(rq, 404, NO_OWNER "\n");
        return;
    }
    for (size_t i = 0; i < list.len; i++)
        base_buf_addf(&b, "%s : Total file length is %lld bytes.\n", list.v[i].name,
                      (long long)list.v[i].size);
    free(list.v);
    api_answer(rq, 200, API_TEXT, &b);
}

void nm_get_page_log(struct api_request *rq, void *user)
{
    struct nm *nm = user;
    struct base_container_id id;
    struct stat st;
    int64_t start = -4096;
    const char *text = api_query(rq, "start");
    int fd = -1;
    if (base_container_id_parse(api_path_arg(rq, 0), &id, NULL) >= 0)
        fd = open_log_file(&nm->files, &id, api_path_arg(rq, 2), &st);
    if (fd < 0) {
        answer_plain_text(rq, 404, NO_FILE "\n");
        return;
    }
    if (text && *text && base_int_parse(text, INT64_MIN + 1, INT64_MAX, &start) < 0)
        start = -4096;
    if (start < 0)
        start = st.st_size + start < 0 ? 0 : st.st_size + start;
    if (start > st.st_size)
        start = st.st_size;
    api_answer_file(rq, 200, "text/plain;charset=utf-8", fd, (uint64_t)start,
                    (uint64_t)(st.st_size - start));
}
