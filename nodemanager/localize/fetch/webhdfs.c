/* Files and folders of HDFS, through WebHDFS, which name nodes and data nodes speak over HTTP.
 *
 * hdfs://NAME/PATH or hdfs://NAME:PORT/PATH names a name node by the port of its RPC, or a name
 * service with several of them. f->hdfs says where they speak HTTP: "NAME=URL,NAME:PORT=URL,...",
 * one entry for each name node. Without an entry it is http://NAME:9870. webhdfs: and swebhdfs:
 * URLs have the place itself.
 *
 *    GETFILESTATUS    what it is, and when it was changed
 *    OPEN             its bytes; the name node redirects to a data node
 *    LISTSTATUS       what is in a folder
 *
 * The requests are made in the name of the container's user, whom HDFS believes, unless it asks for
 * Kerberos tickets; a copy for everybody is made in the name of "nobody", so that HDFS gives out
 * only what everybody may read.
 *
 * SOURCE: Hadoop's page "WebHDFS REST API". */
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/conf/percent.h"
#include "base/io/json.h"
#include "nodemanager/localize/fetch/fetch.h"

#define DEFAULT_PORT   9870
#define STATUS_MAX     (64 << 10) /* bytes of an answer about one file */
#define LIST_MAX       (8 << 20)  /* bytes of a list: some 25,000 files */
#define NAME_NODES_MAX 16
#define PLACE_MAX      1024

struct hdfs {
    char places[NAME_NODES_MAX][PLACE_MAX]; /* http://HOST:PORT */
    size_t places_n, active;
    char *path; /* of the resource; curl's */
};
struct status {
    bool is_folder;
    int64_t size, at_ms;
};

/* ---- where HDFS is ---- */

static void add_place(struct hdfs *h, const char *text, size_t len)
{
    while (len > 0 && text[len - 1] == '/')
        len--;
    if (h->places_n == NAME_NODES_MAX || len >= PLACE_MAX)
        return;
    memcpy(h->places[h->places_n], text, len);
    h->places[h->places_n++][len] = '\0';
}

static void add_configured_places(const struct fetch *f, struct hdfs *h, const char *authority)
{
    size_t n = strlen(authority);

    for (const char *at = f->hdfs; *at; at += strspn(at, ", ")) {
        size_t len = strcspn(at, ", ");

        if (len > n && strncmp(at, authority, n) == 0 && at[n] == '=')
            add_place(h, at + n + 1, len - n - 1);
        at += len;
    }
}

static void find_places(const struct fetch *f, struct hdfs *h, const char *scheme, const char *host,
                        const char *port)
{
    char authority[PLACE_MAX];

    if (strcmp(scheme, "hdfs") != 0) {
        snprintf(authority, sizeof authority, "%s://%s%s%s", *scheme == 's' ? "https" : "http",
                 host, port ? ":" : "", port ? port : "");
        add_place(h, authority, strlen(authority));
        return;
    }
    snprintf(authority, sizeof authority, "%s%s%s", host, port ? ":" : "", port ? port : "");
    add_configured_places(f, h, authority);
    if (h->places_n > 0)
        return;
    snprintf(authority, sizeof authority, "http://%s:%d", host, DEFAULT_PORT);
    add_place(h, authority, strlen(authority));
}

static int split_hdfs_url(const struct fetch *f, struct hdfs *h, struct base_error *err)
{
    char *scheme = NULL, *host = NULL, *port = NULL;
    CURLU *u = curl_url();
    CURLUcode rc;

    base_assert(u);
    rc = curl_url_set(u, CURLUPART_URL, f->url, CURLU_NON_SUPPORT_SCHEME | CURLU_PATH_AS_IS);
    if (rc == CURLUE_OK)
        rc = curl_url_get(u, CURLUPART_SCHEME, &scheme, 0);
    if (rc == CURLUE_OK)
        rc = curl_url_get(u, CURLUPART_HOST, &host, 0);
    if (rc == CURLUE_OK) /* stays escaped: it becomes part of other URLs */
        rc = curl_url_get(u, CURLUPART_PATH, &h->path, 0);
    if (rc == CURLUE_OK)
        curl_url_get(u, CURLUPART_PORT, &port, 0);
    if (rc == CURLUE_OK)
        find_places(f, h, scheme, host, port);
    curl_free(scheme);
    curl_free(host);
    curl_free(port);
    curl_url_cleanup(u);
    return rc == CURLUE_OK ? 0
                           : base_error_set(err, -BASE_EINVAL, "Resource %.1000s: not a URL: %s",
                                            f->url, curl_url_strerror(rc));
}

/* ---- requests ---- */

/* The caller frees the result. */
static char *make_request_url(const struct fetch *f, const struct hdfs *h, const char *path,
                              const char *op)
{
    struct base_buf url = {0};

    base_buf_addf(&url, "%s/webhdfs/v1%s?op=%s&user.name=", h->places[h->active], path, op);
    base_percent_encode(f->user, &url);
    return base_buf_take(&url);
}

static int refuse_answer(const struct fetch *f, long status, const json_t *answer,
                         struct base_error *err)
{
    const json_t *e = json_object_get(answer, "RemoteException");
    const char *exception = json_string_value(json_object_get(e, "exception"));
    const char *message = json_string_value(json_object_get(e, "message"));

    if (status == 404)
        return base_error_set(err, -BASE_ENOTFOUND, "File %.1000s does not exist", f->url);
    return base_error_set(err, -BASE_EIO, "Resource %.700s: HDFS answered %ld %.100s: %.1000s",
                          f->url, status, exception ? exception : "", message ? message : "");
}

static bool is_of_standby(const json_t *answer)
{
    const char *exception =
        json_string_value(json_object_get(json_object_get(answer, "RemoteException"), "exception"));

    return exception && strcmp(exception, "StandbyException") == 0;
}

/* Asks the active name node, which is sought from h->active on, for at most @max bytes. Returns 0
 * and the answer, which the caller frees with json_decref(). */
static int ask_name_node(struct fetch *f, struct hdfs *h, const char *path, const char *op,
                         int64_t max, json_t **out, struct base_error *err)
{
    bool gone;
    int rc = 0;

    for (; h->active < h->places_n; h->active++) {
        struct base_buf text = {0};
        struct fetch_sink sink = {.fd = -1, .memory = &text, .max_bytes = max};
        char *url = make_request_url(f, h, path, op);

        *out = NULL;
        rc = fetch_download(f, url, &sink, err);
        free(url);
        if (rc == 0 && text.data)
            base_json_parse(text.data, text.len, out, NULL);
        base_buf_free(&text);
        if (rc == 0 && sink.status == 200 && *out)
            return 0;
        if (rc == 0)
            rc = refuse_answer(f, sink.status, *out, err);
        gone = !*out || is_of_standby(*out); /* no name node, or not the active one */
        json_decref(*out);
        *out = NULL;
        if (!gone)
            break;
    }
    return rc;
}

static int read_status(const struct fetch *f, const json_t *j, struct status *out,
                       struct base_error *err)
{
    const char *type = json_string_value(json_object_get(j, "type"));

    out->is_folder = type && strcmp(type, "DIRECTORY") == 0;
    out->size = json_integer_value(json_object_get(j, "length"));
    out->at_ms = json_integer_value(json_object_get(j, "modificationTime"));
    return out->is_folder || (type && strcmp(type, "FILE") == 0)
               ? 0
               : base_error_set(err, -BASE_EINVAL,
                                "Resource %.700s: HDFS says that it is \"%.60s\"; FILE or "
                                "DIRECTORY was expected",
                                f->url, type ? type : "");
}

static int get_status(struct fetch *f, struct hdfs *h, struct status *out, struct base_error *err)
{
    json_t *answer = NULL;
    int rc = ask_name_node(f, h, h->path, "GETFILESTATUS", STATUS_MAX, &answer, err);

    if (rc == 0)
        rc = read_status(f, json_object_get(answer, "FileStatus"), out, err);
    json_decref(answer);
    return rc;
}

/* Downloads the file at @path, of @size bytes, into @fd. */
static int read_file(struct fetch *f, const struct hdfs *h, const char *path, int64_t size, int fd,
                     struct base_error *err)
{
    struct fetch_sink sink = {.fd = fd, .max_bytes = f->max_bytes - f->bytes};
    char *url = make_request_url(f, h, path, "OPEN");
    int rc = fetch_download(f, url, &sink, err);

    free(url);
    if (rc == 0 && sink.status != 200)
        rc = refuse_answer(f, sink.status, NULL, err);
    if (rc == 0 && sink.bytes != size)
        rc = base_error_set(err, -BASE_EIO,
                            "Resource %.1000s: HDFS sent %lld bytes of a file of %lld", f->url,
                            (long long)sink.bytes, (long long)size);
    return rc;
}

/* ---- folders ---- */

static int copy_folder(struct fetch *f, struct hdfs *h, const char *path, int to, int depth,
                       struct base_error *err);

static int copy_file(struct fetch *f, const struct hdfs *h, const char *path, int64_t size, int to,
                     const char *name, struct base_error *err)
{
    int rc, fd = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0555);

    if (fd < 0)
        return base_error_sys(err, -BASE_EIO, errno, "Resource %.1000s", f->url);
    rc = read_file(f, h, path, size, fd, err);
    close(fd);
    return rc == 0 ? fetch_charge_bytes(f, size, err) : rc;
}

/* What is in a folder, without the answer that says so, which has many times as many bytes: the
 * lists of all folders above are kept while one is copied. They have FETCH_ENTRIES_MAX entries at
 * most, of all folders together. */
struct entry {
    char *name;
    bool is_folder;
    int64_t size;
};
struct entries {
    struct entry *v;
    size_t n, cap;
};

static void free_entries(struct entries *e)
{
    for (size_t i = 0; i < e->n; i++)
        free(e->v[i].name);
    free(e->v);
}

static int add_entry(struct fetch *f, const json_t *j, int depth, struct entries *out,
                     struct base_error *err)
{
    const char *name = json_string_value(json_object_get(j, "pathSuffix"));
    struct status st = {0};
    int rc = read_status(f, j, &st, err);

    if (rc == 0 && (!name || !*name || strlen(name) > NAME_MAX || strchr(name, '/') ||
                    strcmp(name, ".") == 0 || strcmp(name, "..") == 0))
        rc = base_error_set(err, -BASE_EPERM, "Resource %.700s: HDFS names a file \"%.300s\"",
                            f->url, name ? name : "");
    if (rc == 0)
        rc = fetch_charge_entry(f, depth, err);
    if (rc < 0)
        return rc;
    base_array_grow(&out->v, out->n, &out->cap);
    out->v[out->n++] = (struct entry){base_strdup(name), st.is_folder, st.size};
    return 0;
}

static int list_folder(struct fetch *f, struct hdfs *h, const char *path, int depth,
                       struct entries *out, struct base_error *err)
{
    json_t *answer = NULL, *j;
    size_t i;
    int rc = ask_name_node(f, h, path, "LISTSTATUS", LIST_MAX, &answer, err);

    if (rc < 0)
        return rc;
    json_array_foreach(json_object_get(json_object_get(answer, "FileStatuses"), "FileStatus"), i, j)
    {
        rc = add_entry(f, j, depth, out, err);
        if (rc < 0)
            break;
    }
    json_decref(answer);
    return rc;
}

static int copy_entry(struct fetch *f, struct hdfs *h, const char *path, const struct entry *e,
                      int to, int depth, struct base_error *err)
{
    struct base_buf below = {0};
    int folder, rc;

    base_buf_addf(&below, "%s/", path);
    base_percent_encode(e->name, &below);
    if (e->is_folder) {
        folder = fetch_make_folder(f, to, e->name, err);
        rc = folder < 0 ? folder : copy_folder(f, h, below.data, folder, depth + 1, err);
        if (folder >= 0)
            close(folder);
    } else {
        rc = copy_file(f, h, below.data, e->size, to, e->name, err);
    }
    base_buf_free(&below);
    return rc;
}

static int copy_folder(struct fetch *f, struct hdfs *h, const char *path, int to, int depth,
                       struct base_error *err)
{
    struct entries entries = {0};
    int rc = list_folder(f, h, path, depth, &entries, err);

    for (size_t i = 0; i < entries.n && rc == 0; i++)
        rc = copy_entry(f, h, path, &entries.v[i], to, depth, err);
    free_entries(&entries);
    return rc;
}

/* ---- the resource ---- */

static int download_folder(struct fetch *f, struct hdfs *h, struct base_error *err)
{
    int rc, to = fetch_make_folder(f, f->data_fd, f->name, err);

    if (to < 0)
        return to;
    rc = copy_folder(f, h, h->path, to, 1, err);
    if (rc == 0)
        return to;
    close(to);
    return rc;
}

static int download_file(struct fetch *f, struct hdfs *h, int64_t size, struct base_error *err)
{
    int rc, fd = fetch_make_download(f, err);

    if (fd < 0)
        return fd;
    rc = read_file(f, h, h->path, size, fd, err);
    if (rc == 0 && lseek(fd, 0, SEEK_SET) != 0)
        rc = base_error_sys(err, -BASE_EIO, errno, "the cache's folder");
    if (rc == 0)
        return fd;
    close(fd);
    return rc;
}

int fetch_open_hdfs(struct fetch *f, enum fetch_source *found, struct base_error *err)
{
    struct hdfs h = {0};
    struct status st = {0};
    int fd, rc = split_hdfs_url(f, &h, err);

    if (rc == 0)
        rc = get_status(f, &h, &st, err);
    if (rc == 0)
        rc = fetch_check_size_and_time(f, st.is_folder ? f->size : st.size, st.at_ms,
                                       st.at_ms == f->timestamp_ms, err);
    *found = st.is_folder ? FETCH_COPIED : FETCH_DOWNLOADED;
    fd = rc < 0         ? rc
         : st.is_folder ? download_folder(f, &h, err)
                        : download_file(f, &h, st.size, err);
    curl_free(h.path);
    return fd;
}
