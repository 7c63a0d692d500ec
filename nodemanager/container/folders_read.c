/* Reads the files written by shims and tasks, and walks all records at the start. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/wire/task_file.h"
#include "base/io/io.h"
#include "base/io/json.h"
#include "base/utf8.h"
#include "nodemanager/container/folders_internal.h"

#define SMALL_FILE_MAX      (64 * 1024)
#define PROGRESS_FILE_MAX   (64 * 1024)
#define FAILURE_FILE_MAX    (256 * 1024)
#define FORGOTTEN_LINES_MAX 2000000 /* lines read per application; later ones are ignored */

static int read_json_object(const struct nm_files *f, const char *path, size_t max, json_t **out)
{
    struct base_buf b = {0};
    int rc = nm_files_read_plain(f, path, max, &b, NULL);
    if (rc >= 0)
        rc = base_json_parse(b.data ? b.data : "", b.len, out, NULL);
    base_buf_free(&b);
    if (rc == -BASE_ENOTFOUND)
        return rc;
    return rc < 0 || !json_is_object(*out) ? (json_decref(*out), *out = NULL, -BASE_ECORRUPT) : 0;
}

static int read_record_json(const struct nm_files *f, const struct base_container_id *id,
                            const char *name, json_t **out)
{
    char path[NM_PATH_MAX];
    return read_json_object(f, nm_path_in_record(f, id, name, path), SMALL_FILE_MAX, out);
}

/* Reads a count from a file that the container may have written: anything but an integer from 0 to
 * WIRE_COUNT_MAX counts as 0. */
static int64_t read_count_member(const json_t *j, const char *name)
{
    const json_t *v = json_object_get(j, name);
    json_int_t n = json_is_integer(v) ? json_integer_value(v) : 0;
    return n > 0 && n <= WIRE_COUNT_MAX ? n : 0;
}

static void copy_truncated(const char *s, char *buf, size_t size)
{
    snprintf(buf, size, "%s", s ? s : "");
    nm_utf8_replace_invalid(buf, strlen(buf)); /* truncation may have cut a character */
}

static void read_text_member(const json_t *j, const char *name, char *buf, size_t size)
{
    copy_truncated(json_string_value(json_object_get(j, name)), buf, size);
}

int nm_files_read_pid(const struct nm_files *f, const struct base_container_id *id,
                      struct nm_pid_file *out)
{
    json_t *j = NULL;
    int rc = read_record_json(f, id, "pid.json", &j);
    if (rc < 0)
        return rc;
    *out = (struct nm_pid_file){.shim = read_count_member(j, "shimPid"),
                                .shim_start = read_count_member(j, "shimStart")};
    read_text_member(j, "bootId", out->boot_id, sizeof out->boot_id);
    read_text_member(j, "isolation", out->isolation, sizeof out->isolation);
    read_text_member(j, "place", out->place, sizeof out->place);
    read_text_member(j, "user", out->user, sizeof out->user);
    json_decref(j);
    return out->shim > 0 ? 0 : -BASE_ECORRUPT;
}

int nm_files_read_exit(const struct nm_files *f, const struct base_container_id *id,
                       struct nm_exit_file *out)
{
    json_t *j = NULL;
    int rc = read_record_json(f, id, "exit.json", &j);
    if (rc < 0)
        return rc;
    *out = (struct nm_exit_file){.exit_code = read_count_member(j, "exitCode"),
                                 .signal = read_count_member(j, "signal"),
                                 .started_us = read_count_member(j, "startedUs"),
                                 .ended_us = read_count_member(j, "endedUs"),
                                 .cpu_ms = read_count_member(j, "cpuMs"),
                                 .max_rss_kb = read_count_member(j, "maxRssKb"),
                                 .pid = read_count_member(j, "pid"),
                                 .limit_bytes = read_count_member(j, "limitBytes")};
    if (out->exit_code > 255)
        out->exit_code = 255;
    if (out->signal > 64)
        out->signal = 0;
    read_text_member(j, "reason", out->reason, sizeof out->reason);
    read_text_member(j, "limit", out->limit, sizeof out->limit);
    json_decref(j);
    return 0;
}

/* Reads a file by which a task reports (api/wire/task_file.h). Returns 0 and text that the caller
 * frees, -BASE_ENOTFOUND, or -BASE_ECORRUPT. */
static int read_task_report_file(const struct nm_files *f, const struct base_container_id *id,
                                 const char *name, size_t max, struct base_buf *out)
{
    char path[NM_PATH_MAX];
    int rc = nm_files_read_plain(f, nm_path_in_container(f, id, name, path), max, out, NULL);

    if (rc >= 0 && out->data)
        return 0;
    base_buf_free(out);
    return rc == -BASE_ENOTFOUND ? rc : -BASE_ECORRUPT;
}

int nm_files_read_result(const struct nm_files *f, const struct base_container_id *id,
                         struct nm_result_file *out)
{
    struct wire_task_result r;
    struct base_buf b = {0};
    int rc = read_task_report_file(f, id, "result.json", SMALL_FILE_MAX, &b);

    *out = (struct nm_result_file){0};
    if (rc < 0)
        return rc;
    if (wire_task_result_get(b.data, b.len, &r, NULL) < 0) {
        rc = -BASE_ECORRUPT;
    } else {
        out->counters = base_strdup(r.counters.text);
        out->output_bytes = r.output_bytes;
        wire_task_result_free(&r);
    }
    base_buf_free(&b);
    return rc;
}

int nm_files_read_failure(const struct nm_files *f, const struct base_container_id *id,
                          struct nm_failure_file *out)
{
    struct wire_task_failure failure;
    struct base_buf b = {0};
    int rc = read_task_report_file(f, id, "failure.json", FAILURE_FILE_MAX, &b);

    *out = (struct nm_failure_file){0};
    if (rc < 0)
        return rc;
    if (wire_task_failure_get(b.data, b.len, &failure, NULL) == 0) {
        const char *text = failure.diagnostics;

        if (text && *text) {
            out->no_space = failure.exit_code == WIRE_TASK_EXIT_NO_SPACE;
            out->diagnostics = base_strndup(text, strnlen(text, NM_FAILURE_TEXT_MAX));
        }
        wire_task_failure_free(&failure);
    }
    base_buf_free(&b);
    return out->diagnostics ? 0 : -BASE_ECORRUPT;
}

static bool parse_progress_number(const char *s, double *out)
{
    char *end;
    double v = strtod(s, &end);
    if (end == s || isnan(v))
        return false;
    while (*end == ' ' || *end == '\t')
        end++;
    bool percent = *end == '%';
    end += percent;
    if (end[strspn(end, " \t\r\n")])
        return false;
    if (percent || v > 1)
        v /= 100;
    *out = v < 0 ? 0 : (v > 1 ? 1 : v);
    return true;
}

bool nm_progress_parse(const char *s, size_t len, struct nm_progress_file *out)
{
    *out = (struct nm_progress_file){0};
    if (s[0] != '{')
        return parse_progress_number(s, &out->progress);
    struct wire_task_progress p;

    if (wire_task_progress_get(s, len, &p, NULL) < 0)
        return false;
    out->progress = p.progress;
    copy_truncated(p.phase, out->phase, sizeof out->phase);
    out->counters = base_strdup(p.counters.text);
    wire_task_progress_free(&p);
    return true;
}

int nm_files_read_progress(const struct nm_files *f, const struct base_container_id *id,
                           int64_t *mtime_ns, struct nm_progress_file *out)
{
    char path[NM_PATH_MAX];
    struct stat st;
    struct base_buf b = {0};
    /* a single system call for an unchanged file, which is the usual case */
    if (lstat(nm_path_in_container(f, id, "progress", path), &st) < 0 || !S_ISREG(st.st_mode))
        return 0;
    int64_t mtime = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    if (mtime == *mtime_ns)
        return 0;
    *mtime_ns = mtime;
    int rc = nm_files_read_plain(f, path, PROGRESS_FILE_MAX, &b, NULL);
    bool ok = rc >= 0 && b.len && nm_progress_parse(b.data, b.len, out);
    base_buf_free(&b);
    return ok;
}

void nm_utf8_replace_invalid(char *s, size_t len)
{
    for (size_t i = 0; i < len;) {
        size_t n = s[i] ? base_utf8_sequence_len(s + i) : 1;
        if (s[i] == 0)
            s[i] = ' ';
        else if (n == 0)
            s[i] = '?';
        i += n ? n : 1;
    }
}

void nm_files_append_stderr_tail(const struct nm_files *f, const struct base_container_id *id,
                                 struct base_buf *out)
{
    char path[NM_PATH_MAX], buf[NM_STDERR_TAIL_MAX + 1];
    struct stat st;
    int fd = nm_files_open_plain(f, nm_path_in_logs(f, id, "stderr", path), O_RDONLY, 0, &st);
    if (fd < 0)
        return;
    if (st.st_size > 0) {
        off_t from = st.st_size > NM_STDERR_TAIL_MAX ? st.st_size - NM_STDERR_TAIL_MAX : 0;
        ssize_t n = pread(fd, buf, NM_STDERR_TAIL_MAX, from);
        char *start = buf;
        if (n > 0 && from > 0) { /* begin with a complete line if possible */
            char *nl = memchr(buf, '\n', (size_t)n);
            if (nl && nl + 1 < buf + n)
                start = nl + 1;
        }
        size_t len = n > 0 ? (size_t)(buf + n - start) : 0;
        while (len && (start[len - 1] == '\n' || start[len - 1] == ' '))
            len--;
        start[len] = 0;
        nm_utf8_replace_invalid(start, len);
        base_buf_add(out, start, len);
    }
    close(fd);
}

void nm_files_for_each_forgotten_id(const struct nm_files *f, const struct base_app_id *id,
                                    void (*each)(const struct base_container_id *id, void *u),
                                    void *u)
{
    char path[NM_PATH_MAX], line[BASE_ID_TEXT_MAX + 2];
    int fd =
        nm_files_open_plain(f, nm_path_in_app_record(f, id, "forgotten", path), O_RDONLY, 0, NULL);
    FILE *in = fd < 0 ? NULL : fdopen(fd, "r");
    /* A container can make this file arbitrarily long; do not let it delay the start. */
    for (long lines = 0; in && lines < FORGOTTEN_LINES_MAX && fgets(line, sizeof line, in);
         lines++) {
        struct base_container_id ct;
        char *nl = strchr(line, '\n');
        if (!nl)
            continue;
        *nl = 0;
        if (base_container_id_parse(line, &ct, NULL) >= 0 &&
            base_app_id_cmp(&ct.attempt.app, id) == 0)
            each(&ct, u);
    }
    if (in)
        fclose(in);
    else if (fd >= 0)
        close(fd);
}

static DIR *open_folder_stream(const struct nm_files *f, const char *path)
{
    int fd = nm_files_open_folder(f, path);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d && fd >= 0)
        close(fd);
    return d;
}

/* Moves the folders of applications without a record to trash/. A crash leaves such a folder, since
 * its record is created after it and removed before it. */
static void move_unrecorded_apps_to_trash(struct nm_files *f)
{
    char path[NM_PATH_MAX];
    DIR *apps = open_folder_stream(f, nm_files_format_path(path, "%s/apps", f->root));
    for (const struct dirent *e; apps && (e = readdir(apps)) != NULL;) {
        struct base_app_id id;
        if (base_app_id_parse(e->d_name, &id, NULL) >= 0 && !nm_files_has_app_record(f, &id))
            nm_files_move_to_trash(f, nm_path_in_app(f, &id, NULL, path), NULL);
    }
    if (apps)
        closedir(apps);
}

int nm_files_scan_records(struct nm_files *f, void (*app)(const struct base_app_id *id, void *u),
                          void (*container)(const struct base_container_id *id, void *u), void *u,
                          struct base_error *err)
{
    char path[NM_PATH_MAX];
    DIR *apps = open_folder_stream(f, nm_files_format_path(path, "%s/records", f->root));
    const struct dirent *e, *c;
    if (!apps)
        return base_error_set(err, -BASE_EIO, "%s: cannot be read", path);
    while ((e = readdir(apps)) != NULL) {
        struct base_app_id id;
        if (base_app_id_parse(e->d_name, &id, NULL) < 0)
            continue;
        app(&id, u);
        DIR *in = open_folder_stream(f, nm_path_in_app_record(f, &id, NULL, path));
        while (in && (c = readdir(in)) != NULL) {
            struct base_container_id ct;
            if (base_container_id_parse(c->d_name, &ct, NULL) >= 0 &&
                base_app_id_cmp(&ct.attempt.app, &id) == 0)
                container(&ct, u);
        }
        if (in)
            closedir(in);
    }
    closedir(apps);
    move_unrecorded_apps_to_trash(f);
    return 0;
}
