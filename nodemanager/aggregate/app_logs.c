#include "nodemanager/aggregate/app_logs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/id.h"
#include "base/io/log.h"
#include "base/io/plain.h"
#include "base/mem.h"
#include "nodemanager/container/folders.h"

#define READ_BYTES 65536

/* What was not copied of a container's files. */
struct losses {
    size_t linked;       /* files with several names */
    size_t unreadable;   /* files; the last one failed with error */
    size_t shortened;    /* files with holes */
    size_t cut;          /* files that could not be read to their end */
    int error;           /* as of base_plain_open() */
    int64_t holes_bytes; /* left out of the shortened files */
};

struct writer {
    const struct nm_app_logs *what;
    struct nm_tfile *t;
    int64_t files;
    bool head_written;
    /* of the container that is being copied */
    int64_t holes_left; /* bytes that its files may still have in holes */
    struct losses losses;
    char buffer[READ_BYTES];
};

/* ---- texts ---- */

/* Appends @text, which is valid UTF-8 of at most 65535 bytes, with its length before it. A
 * character of four bytes becomes a surrogate pair, two characters of three bytes each. */
static void add_java_text(struct base_buf *out, const char *text)
{
    static const char no_length[2];
    size_t at = out->len;

    base_buf_add(out, no_length, sizeof no_length);
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        unsigned c, pair[2];

        if (*p < 0xf0) {
            base_buf_add(out, p, 1);
            continue;
        }
        c = (p[0] & 7u) << 18 | (p[1] & 63u) << 12 | (p[2] & 63u) << 6 | (p[3] & 63u);
        c -= 0x10000;
        pair[0] = 0xd800 | c >> 10;
        pair[1] = 0xdc00 | (c & 0x3ff);
        for (int i = 0; i < 2; i++) {
            const unsigned char bytes[3] = {(unsigned char)(0xe0 | pair[i] >> 12),
                                            (unsigned char)(0x80 | (pair[i] >> 6 & 63)),
                                            (unsigned char)(0x80 | (pair[i] & 63))};

            base_buf_add(out, bytes, sizeof bytes);
        }
        p += 3;
    }
    out->data[at] = (char)((out->len - at - 2) >> 8);
    out->data[at + 1] = (char)(out->len - at - 2);
}

/* Begins a record whose key is @text. */
static void begin_text_record(struct nm_tfile *t, const char *text)
{
    struct base_buf key = {0};

    add_java_text(&key, text);
    nm_tfile_begin_record(t, key.data, key.len);
    base_buf_free(&key);
}

static void put_record(struct nm_tfile *t, const char *key, const struct base_buf *value)
{
    begin_text_record(t, key);
    nm_tfile_write(t, value->data, value->len);
    nm_tfile_end_record(t);
}

/* Returns @text cut to what fits into a Java text, as valid UTF-8; the caller frees it. */
static char *copy_bounded_text(const char *text)
{
    /* each byte becomes at most 1.5 bytes */
    char *copy = base_strndup(text, 40000);

    nm_utf8_replace_invalid(copy, strlen(copy));
    return copy;
}

static void add_acl(struct base_buf *out, const char *right, const char *list)
{
    char *text;

    if (!list)
        return;
    text = copy_bounded_text(list);
    add_java_text(out, right);
    add_java_text(out, text);
    free(text);
}

static void put_head(struct nm_tfile *t, const struct nm_app_logs *what)
{
    static const unsigned char format_version[4] = {0, 0, 0, 1};
    struct base_buf value = {0};
    char *user = copy_bounded_text(what->user);

    base_buf_add(&value, format_version, sizeof format_version);
    put_record(t, "VERSION", &value);
    base_buf_clear(&value);
    add_acl(&value, "VIEW_APP", what->acl_view);
    add_acl(&value, "MODIFY_APP", what->acl_modify);
    put_record(t, "APPLICATION_ACL", &value);
    base_buf_clear(&value);
    add_java_text(&value, user);
    put_record(t, "APPLICATION_OWNER", &value);
    base_buf_free(&value);
    free(user);
}

/* ---- names in a folder ---- */

struct names {
    char **v;
    size_t n, cap;
};

static void free_names(struct names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->v[i]);
    free(names->v);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int compare_container_names(const void *a, const void *b)
{
    struct base_container_id x, y;

    base_container_id_parse(*(char *const *)a, &x, NULL);
    base_container_id_parse(*(char *const *)b, &y, NULL);
    return base_container_id_cmp(&x, &y);
}

static bool is_container_name(const char *name)
{
    struct base_container_id id;

    return base_container_id_parse(name, &id, NULL) == 0;
}

static bool is_visible_name(const char *name)
{
    return name[0] != '.';
}

/* Lists those names in @folder for which @is_wanted returns true, at most @max, sorted. */
static void list_names(int folder, bool (*is_wanted)(const char *name), size_t max,
                       int (*compare)(const void *, const void *), struct names *out)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *e;

    while (d && out->n < max && (e = readdir(d)) != NULL) {
        if (!is_wanted(e->d_name))
            continue;
        base_array_grow(&out->v, out->n, &out->cap);
        out->v[out->n++] = base_strdup(e->d_name);
    }
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
    if (out->n > 1)
        qsort(out->v, out->n, sizeof *out->v, compare);
}

/* ---- log files ---- */

static bool is_stopping(const struct writer *w)
{
    return w->what->is_stopping && w->what->is_stopping(w->what->user_data);
}

/* A container could make files of any size with one call each; only the space that they have on the
 * disk is bounded. */
static int64_t take_length_to_write(struct writer *w, const struct stat *st)
{
    int64_t stored = (int64_t)st->st_blocks * 512, length = st->st_size;

    if (length <= stored)
        return length;
    if (length > w->holes_left)
        length = stored > w->holes_left ? stored : w->holes_left;
    w->holes_left -= length - stored > 0 ? length - stored : 0;
    if (length < st->st_size) {
        w->losses.shortened++;
        w->losses.holes_bytes += st->st_size - length;
    }
    return length;
}

static int put_file_head(struct writer *w, const char *name, int64_t length)
{
    struct base_buf head = {0};
    char *shown = copy_bounded_text(name), digits[24];
    int rc;

    snprintf(digits, sizeof digits, "%" PRId64, length);
    add_java_text(&head, shown);
    add_java_text(&head, digits);
    rc = nm_tfile_write(w->t, head.data, head.len);
    base_buf_free(&head);
    free(shown);
    return rc;
}

/* Copies @length bytes of the file @fd. Returns 0, -errno of the output, or -EAGAIN when stopped.
 */
static int put_file_content(struct writer *w, int fd, int64_t length)
{
    bool ended = false;
    int rc = 0;

    while (length > 0 && rc == 0) {
        size_t part = length < READ_BYTES ? (size_t)length : READ_BYTES;
        ssize_t n = ended ? 0 : read(fd, w->buffer, part);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0 && !ended) {
            w->losses.cut++;
            memset(w->buffer, 0, sizeof w->buffer);
            ended = true;
        }
        if (ended)
            n = (ssize_t)part;
        rc = is_stopping(w) ? -EAGAIN : nm_tfile_write(w->t, w->buffer, (size_t)n);
        length -= n;
    }
    return rc;
}

static void begin_container_record(struct writer *w, const char *container)
{
    if (!w->head_written)
        put_head(w->t, w->what);
    w->head_written = true;
    begin_text_record(w->t, container);
}

/* Opens a log file to be copied. Returns -1 if it is none, cannot be read or has several names:
 * each name would be copied in full, though the disk has the file once. */
static int open_log_file(struct writer *w, int folder, const char *name, struct stat *st)
{
    int fd = base_plain_open(folder, name, O_RDONLY, 0, st);

    if (fd < 0 && fd != -ENOENT && fd != -BASE_PLAIN_OTHER) {
        w->losses.unreadable++;
        w->losses.error = fd;
    }
    if (fd >= 0 && st->st_nlink > 1) {
        w->losses.linked++;
        close(fd);
        return -1;
    }
    return fd < 0 ? -1 : fd;
}

/* Logs one line for each kind of loss: a container can have as many bad files as it likes. */
static void log_losses(const struct losses *l, const char *container)
{
    if (l->linked)
        base_log_warn("aggregate", "%s: %zu names of files with several names are left out",
                      container, l->linked);
    if (l->unreadable)
        base_log_warn("aggregate", "%s: %zu files cannot be read; the last one: %s", container,
                      l->unreadable, base_plain_open_strerror(l->error));
    if (l->shortened)
        base_log_warn("aggregate", "%s: %" PRId64 " bytes of %zu files with holes are left out",
                      container, l->holes_bytes, l->shortened);
    if (l->cut)
        base_log_warn("aggregate",
                      "%s: the ends of %zu files are missing: not readable, or cut "
                      "while the files were read",
                      container, l->cut);
}

static int put_log_file(struct writer *w, int fd, const char *name, const struct stat *st)
{
    int64_t length = take_length_to_write(w, st);
    int rc = put_file_head(w, name, length);

    return rc == 0 ? put_file_content(w, fd, length) : rc;
}

/* Writes the record of a container that has log files. */
static int put_container(struct writer *w, int logs, const char *container)
{
    int folder = base_plain_open_folder_below(logs, container), rc = 0;
    struct names names = {0};
    bool begun = false;

    if (folder < 0)
        return 0;
    w->holes_left = w->what->sparse_max;
    w->losses = (struct losses){0};
    list_names(folder, is_visible_name, NM_APP_LOGS_FILES_MAX, compare_names, &names);
    for (size_t i = 0; i < names.n && rc == 0; i++) {
        struct stat st;
        int fd;

        if (is_stopping(w)) {
            rc = -EAGAIN;
            break;
        }
        if (w->what->choice && !nm_log_choice_keeps(w->what->choice, names.v[i]))
            continue;
        fd = open_log_file(w, folder, names.v[i], &st);
        if (fd < 0)
            continue;
        if (!begun)
            begin_container_record(w, container);
        begun = true;
        rc = put_log_file(w, fd, names.v[i], &st);
        w->files++;
        close(fd);
    }
    if (begun && rc == 0)
        rc = nm_tfile_end_record(w->t);
    log_losses(&w->losses, container);
    free_names(&names);
    close(folder);
    return rc;
}

int64_t nm_app_logs_write(int logs, int out, const struct nm_app_logs *what, struct base_error *err)
{
    struct writer *w = base_alloc(sizeof *w);
    struct names containers = {0};
    int64_t files;
    int rc = 0;

    w->what = what;
    w->t = nm_tfile_new(out, what->compression);
    list_names(logs, is_container_name, SIZE_MAX, compare_container_names, &containers);
    for (size_t i = 0; i < containers.n && rc == 0; i++)
        rc = put_container(w, logs, containers.v[i]);
    if (rc == 0)
        rc = nm_tfile_finish(w->t);
    files = w->files;
    nm_tfile_free(w->t);
    free_names(&containers);
    free(w);
    if (rc == -EAGAIN)
        return base_error_set(err, -BASE_EAGAIN, "stopped");
    return rc < 0 ? base_error_sys(err, -BASE_EIO, -rc, "logs cannot be written") : files;
}
