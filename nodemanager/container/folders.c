/* Creates and moves the folders, and writes the marks, of applications and containers; opens
 * untrusted files in them, and probes the disk. Reading the files back is in folders_read.c,
 * state.json in state_file.c, removal in janitor.c. */
#include "nodemanager/container/folders.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cond.h"
#include "base/crypto/random.h"
#include "base/io/io.h"
#include "base/io/json.h"
#include "base/io/log.h"
#include "base/io/plain.h"
#include "nodemanager/container/folders_internal.h"
#include "nodemanager/container/local_folder.h"
#include "nodemanager/container/logs/log_choice.h"

#define PROBE_WRITE 65536 /* bytes written by the probe; the rest is allocated */

char *nm_files_format_path(char buf[static NM_PATH_MAX], const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(buf, NM_PATH_MAX, fmt, ap);
    va_end(ap);
    base_assert(n > 0 && n < NM_PATH_MAX);
    return buf;
}

static char *format_app_path(const struct nm_files *f, const char *part,
                             const struct base_app_id *id, const char *name,
                             char buf[static NM_PATH_MAX])
{
    char app[BASE_ID_TEXT_MAX];
    return nm_files_format_path(buf, "%s/%s/%s%s%s", f->root, part, base_app_id_text(id, app),
                                name ? "/" : "", name ? name : "");
}

char *nm_path_in_app(const struct nm_files *f, const struct base_app_id *id, const char *name,
                     char buf[static NM_PATH_MAX])
{
    return format_app_path(f, "apps", id, name, buf);
}

char *nm_path_in_app_record(const struct nm_files *f, const struct base_app_id *id,
                            const char *name, char buf[static NM_PATH_MAX])
{
    return format_app_path(f, "records", id, name, buf);
}

static char *format_container_path(const struct nm_files *f, const char *part,
                                   const struct base_container_id *id, const char *name,
                                   char buf[static NM_PATH_MAX])
{
    char app[BASE_ID_TEXT_MAX], ct[BASE_ID_TEXT_MAX];
    return nm_files_format_path(buf, "%s/%s/%s/%s%s%s", f->root, part,
                                base_app_id_text(&id->attempt.app, app),
                                base_container_id_text(id, ct), name ? "/" : "", name ? name : "");
}

char *nm_path_in_container(const struct nm_files *f, const struct base_container_id *id,
                           const char *name, char buf[static NM_PATH_MAX])
{
    return format_container_path(f, "apps", id, name, buf);
}

char *nm_path_in_record(const struct nm_files *f, const struct base_container_id *id,
                        const char *name, char buf[static NM_PATH_MAX])
{
    return format_container_path(f, "records", id, name, buf);
}

char *nm_path_in_logs(const struct nm_files *f, const struct base_container_id *id,
                      const char *name, char buf[static NM_PATH_MAX])
{
    return format_container_path(f, "logs", id, name, buf);
}

/* Moving a folder requires write permission on it, which a container may have removed; in this case
 * the permission is restored first. */
static bool move_folder_restoring_access(const char *from, const char *to)
{
    if (rename(from, to) == 0)
        return true;
    if (errno != EACCES)
        return false;
    int rc = base_folder_restore_owner_access(AT_FDCWD, from);
    if (rc == 0)
        return rename(from, to) == 0;
    errno = -rc;
    return false;
}

bool nm_files_move_to_trash(struct nm_files *f, const char *path, char *to)
{
    char own[NM_PATH_MAX];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    to = nm_files_format_path(to ? to : own, "%s/trash/%lld.%09ld.%lld", f->root,
                              (long long)now.tv_sec, now.tv_nsec,
                              (long long)__atomic_fetch_add(&f->trashed, 1, __ATOMIC_RELAXED));
    if (move_folder_restoring_access(path, to))
        return true;
    if (errno != ENOENT)
        base_log_warn("files", "%s: cannot be removed: %s", path, strerror(errno));
    return false;
}

void nm_files_move_container_to_trash(struct nm_files *f, const char *files, const char *record)
{
    char to[NM_PATH_MAX], name[NM_PATH_MAX];
    if (!nm_files_move_to_trash(f, record, to)) {
        nm_files_move_to_trash(f, files, NULL);
        return;
    }
    if (rename(to, nm_files_format_path(name, "%.4000s.record", to)) == 0 &&
        !move_folder_restoring_access(files, nm_files_format_path(name, "%.4000s.files", to)) &&
        errno != ENOENT)
        base_log_warn("files", "%s: cannot be removed: %s", files, strerror(errno));
}

static bool move_to_trash_and_wake_janitor(void *u, const char *path)
{
    struct nm_files *f = u;
    bool done = nm_files_move_to_trash(f, path, NULL);
    if (done)
        nm_janitor_wake(f);
    return done;
}

void nm_files_move_to_trash_and_wake(struct nm_files *f, const char *path)
{
    move_to_trash_and_wake_janitor(f, path);
}

static int recreate_spare_folder(struct nm_files *f, struct base_error *err)
{
    snprintf(f->spares.dir, sizeof f->spares.dir, "%s/spare", f->root);
    f->spares.discard = move_to_trash_and_wake_janitor;
    f->spares.user = f;
    nm_files_move_to_trash(f, f->spares.dir, NULL);
    f->low = f->work = true;
    return nm_folder_create_and_check_owner(f->spares.dir, 0700, err);
}

static void init_files_state(struct nm_files *f, const struct nm_files_conf *conf)
{
    memset(f, 0, sizeof *f);
    f->lock_fd = f->root_fd = -1;
    f->retain_s = conf->retain_s;
    f->launcher = conf->launcher;
    f->spares.app_mode = conf->launcher ? 0711 : 0700;
    f->tight_bytes = conf->min_free_bytes * 2;
    f->tight_inodes = conf->min_free_inodes * 2;
    f->opened_s = base_wall_us(&base_clock_real) / 1000000;
    pthread_mutex_init(&f->lock, NULL);
    base_cond_init(&f->wake);
    base_cond_init(&f->claim_released);
}

/* Opens the root by an absolute path without links, since shims have other working folders. */
static int open_root(struct nm_files *f, const char *root, struct base_error *err)
{
    char path[NM_PATH_MAX];
    if (!*root || strlen(root) >= sizeof f->root - 16)
        return base_error_set(err, -BASE_EINVAL,
                              "creel.nodemanager.local-dir: empty or longer than %zu bytes",
                              sizeof f->root - 16);
    int rc = base_mkdirs(root, 0755, err);
    if (rc < 0)
        return rc;
    if (!realpath(root, path) || strlen(path) >= sizeof f->root - 16)
        return base_error_sys(err, -BASE_EIO, errno ? errno : ENAMETOOLONG, "%s", root);
    memcpy(f->root, path, strlen(path) + 1);
    if ((rc = nm_folder_create_and_check_owner(f->root, 0755, err)) < 0 ||
        (rc = nm_folder_check_parents(f->root, err)) < 0)
        return rc;
    f->root_fd = open(f->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return f->root_fd < 0 ? base_error_sys(err, -BASE_EIO, errno, "%s", f->root) : 0;
}

int nm_files_open(struct nm_files *f, const struct nm_files_conf *conf, struct base_error *err)
{
    static const char *const parts[] = {"apps", "records", "logs", "trash", "cache"};
    char path[NM_PATH_MAX];
    init_files_state(f, conf);
    int rc = open_root(f, conf->root, err);
    for (size_t i = 0; rc == 0 && i < sizeof parts / sizeof parts[0]; i++) {
        rc = nm_folder_create_and_check_owner(
            nm_files_format_path(path, "%s/%s", f->root, parts[i]), 0700, err);
        /* users pass through these by name, to folders that are theirs */
        bool open =
            conf->launcher && strcmp(parts[i], "records") != 0 && strcmp(parts[i], "trash") != 0;
        if (rc == 0 && chmod(path, open ? 0711 : 0700) < 0)
            rc = base_error_sys(err, -BASE_EIO, errno, "%s", path);
    }
    if (rc == 0)
        rc = nm_folder_lock(f->root, &f->lock_fd, err);
    return rc < 0 ? rc : recreate_spare_folder(f, err);
}

/* ---- opening untrusted files ---- */

static const char *path_below_root(const struct nm_files *f, const char *path)
{
    size_t n = strlen(f->root);
    base_assert(strncmp(path, f->root, n) == 0 && path[n] == '/');
    return path + n + 1;
}

int nm_files_open_plain(const struct nm_files *f, const char *path, int flags, mode_t mode,
                        struct stat *st)
{
    return base_plain_open_below(f->root_fd, path_below_root(f, path), flags, mode, st);
}

int nm_files_open_folder(const struct nm_files *f, const char *path)
{
    return base_plain_open_folder_below(f->root_fd, path_below_root(f, path));
}

static int set_open_error(int rc, const char *path, struct base_error *err)
{
    if (rc == -BASE_PLAIN_OTHER)
        return base_error_set(err, -BASE_EIO, "%s: %s", path, base_plain_open_strerror(rc));
    return base_error_sys(err, rc == -ENOENT ? -BASE_ENOTFOUND : -BASE_EIO, -rc, "%s", path);
}

int nm_files_read_plain(const struct nm_files *f, const char *path, size_t max,
                        struct base_buf *out, struct base_error *err)
{
    int fd = nm_files_open_plain(f, path, O_RDONLY, 0, NULL);
    if (fd < 0)
        return set_open_error(fd, path, err);
    int rc = base_fd_read_to_end(fd, path, max, out, err);
    close(fd);
    return rc;
}

/* Writes a small file without fsync: after a crash of the machine its contents no longer matter. */
static int write_small_file(const struct nm_files *f, const char *path, int flags, mode_t mode,
                            const char *bytes, size_t len, struct base_error *err)
{
    int fd = nm_files_open_plain(f, path, O_WRONLY | O_CREAT | flags, mode, NULL);
    if (fd < 0)
        return set_open_error(fd, path, err);
    int rc = base_write_all(fd, bytes, len);
    close(fd);
    return rc < 0 ? base_error_sys(err, -BASE_EIO, -rc, "%s", path) : 0;
}

/* ---- placing folders ---- */

static int take_or_make_spare(struct nm_files *f, enum nm_spare_kind kind, int64_t *number,
                              struct base_error *err)
{
    struct nm_spare_stock *stock = &f->spares.stock[kind];
    pthread_mutex_lock(&f->lock);
    bool some = stock->n > 0;
    if (some)
        *number = stock->number[--stock->n];
    if (stock->n < NM_SPARES_LOW) {
        f->low = true;
        pthread_cond_signal(&f->wake);
    }
    pthread_mutex_unlock(&f->lock);
    return some ? 0 : nm_spare_make(&f->spares, kind, number, err);
}

static int fill_and_place_spare(struct nm_files *f, enum nm_spare_kind kind,
                                const struct nm_spare_text *texts, size_t texts_n,
                                const char *const to[static NM_SPARE_PARTS], struct base_error *err)
{
    int64_t number;
    int rc = take_or_make_spare(f, kind, &number, err);
    if (rc < 0)
        return rc;
    rc = nm_spare_place(&f->spares, number, texts, texts_n, to, err);
    if (rc < 0)
        nm_spare_discard(&f->spares, number);
    return rc;
}

bool nm_files_has_app_record(const struct nm_files *f, const struct base_app_id *id)
{
    char path[NM_PATH_MAX];
    return access(nm_path_in_app_record(f, id, NULL, path), F_OK) == 0;
}

static bool is_this_app(const struct base_app_id *or_null, const struct base_app_id *id)
{
    return or_null && base_app_id_cmp(or_null, id) == 0;
}

bool nm_files_claim_ended_logs(struct nm_files *f, const struct base_app_id *id)
{
    pthread_mutex_lock(&f->lock);
    bool ended = !is_this_app(f->creating, id) && !nm_files_has_app_record(f, id);
    if (ended)
        f->claimed = id;
    pthread_mutex_unlock(&f->lock);
    return ended;
}

void nm_files_release_ended_logs(struct nm_files *f)
{
    pthread_mutex_lock(&f->lock);
    f->claimed = NULL;
    pthread_cond_signal(&f->claim_released);
    pthread_mutex_unlock(&f->lock);
}

static void set_creating_when_unclaimed(struct nm_files *f, const struct base_app_id *id)
{
    pthread_mutex_lock(&f->lock);
    while (is_this_app(f->claimed, id))
        pthread_cond_wait(&f->claim_released, &f->lock);
    f->creating = id;
    pthread_mutex_unlock(&f->lock);
}

static void set_creating_none(struct nm_files *f)
{
    pthread_mutex_lock(&f->lock);
    f->creating = NULL;
    pthread_mutex_unlock(&f->lock);
}

static int make_app_spec(const char *user, const char *token, const char *acl_view,
                         struct base_buf *out, struct base_error *err)
{
    json_t *j = json_pack("{s:s,s:s,s:s*}", "user", user ? user : "", "token", token ? token : "",
                          "viewAcl", acl_view);
    if (!j)
        return base_error_set(err, -BASE_EINVAL, "user: not UTF-8");
    base_json_dump(j, out);
    json_decref(j);
    return 0;
}

int nm_files_create_app(struct nm_files *f, const struct base_app_id *id, const char *user,
                        const char *token, const char *acl_view, struct base_error *err)
{
    char files[NM_PATH_MAX], logs[NM_PATH_MAX], record[NM_PATH_MAX];
    struct base_buf spec = {0};
    if (nm_files_has_app_record(f, id))
        return 0;
    int rc = make_app_spec(user, token, acl_view, &spec, err);
    if (rc < 0)
        return rc;
    const struct nm_spare_text texts[] = {{NM_SPARE_RECORD, "spec.json", spec.data, spec.len}};
    const char *const to[NM_SPARE_PARTS] = {
        [NM_SPARE_FILES] = nm_path_in_app(f, id, NULL, files),
        [NM_SPARE_LOGS] = format_app_path(f, "logs", id, NULL, logs),
        [NM_SPARE_RECORD] = nm_path_in_app_record(f, id, NULL, record)};
    set_creating_when_unclaimed(f, id);
    rc = fill_and_place_spare(f, NM_SPARE_APP, texts, 1, to, err);
    set_creating_none(f);
    base_buf_free(&spec);
    return rc;
}

int nm_files_update_app(const struct nm_files *f, const struct base_app_id *id, const char *user,
                        const char *token, const char *acl_view, struct base_error *err)
{
    char path[NM_PATH_MAX];
    struct base_buf spec = {0};
    int rc = make_app_spec(user, token, acl_view, &spec, err);
    if (rc == 0)
        rc = base_file_write_atomic(nm_path_in_app_record(f, id, "spec.json", path), spec.data,
                                    spec.len, 0600, false, err);
    base_buf_free(&spec);
    return rc;
}

int nm_files_save_log_choice(const struct nm_files *f, const struct base_app_id *id,
                             const char *include, const char *exclude, struct base_error *err)
{
    char path[NM_PATH_MAX];
    if (faccessat(AT_FDCWD, format_app_path(f, "logs", id, NM_LOG_CHOICE_FILE, path), F_OK,
                  AT_SYMLINK_NOFOLLOW) == 0)
        return 0;
    return nm_log_choice_save(format_app_path(f, "logs", id, NULL, path), include, exclude, err);
}

/* The launch order is stored twice: in the record, which a restarted NodeManager trusts, and in the
 * container's folder, for the task. */
int nm_files_create_container(struct nm_files *f, const struct base_container_id *id,
                              const struct nm_container_texts *t, struct base_error *err)
{
    char files[NM_PATH_MAX], logs[NM_PATH_MAX], record[NM_PATH_MAX];
    const struct nm_spare_text texts[] = {
        {NM_SPARE_RECORD, "launch.json", t->order, strlen(t->order)},
        {NM_SPARE_FILES, "launch.json", t->shown, strlen(t->shown)},
        {NM_SPARE_FILES, "token", t->token, strlen(t->token)}};
    const char *const to[NM_SPARE_PARTS] = {
        [NM_SPARE_FILES] = nm_path_in_container(f, id, NULL, files),
        [NM_SPARE_LOGS] = nm_path_in_logs(f, id, NULL, logs),
        [NM_SPARE_RECORD] = nm_path_in_record(f, id, NULL, record)};
    return fill_and_place_spare(f, NM_SPARE_CONTAINER, texts, 3, to, err);
}

int nm_files_write_in_container(const struct nm_files *f, const struct base_container_id *id,
                                const char *name, const char *bytes, size_t len,
                                struct base_error *err)
{
    char path[NM_PATH_MAX];
    return write_small_file(f, nm_path_in_container(f, id, name, path), O_EXCL, 0600, bytes, len,
                            err);
}

int nm_files_replace_in_container(const struct nm_files *f, const struct base_container_id *id,
                                  const char *name, const char *bytes, size_t len,
                                  struct base_error *err)
{
    char path[NM_PATH_MAX], beside_name[64], beside[NM_PATH_MAX];
    int rc;
    snprintf(beside_name, sizeof beside_name, "%s.new", name);
    nm_path_in_container(f, id, name, path);
    nm_path_in_container(f, id, beside_name, beside);
    unlink(beside); /* left by a daemon that was killed before its rename() */
    /* The file is ours, so a container that runs as its user needs the permission for others to
     * read it; everybody else is kept out by the mode of the folder. */
    rc = write_small_file(f, beside, O_EXCL, f->launcher ? 0644 : 0600, bytes, len, err);
    if (rc == 0 && rename(beside, path) < 0)
        rc = base_error_sys(err, -BASE_EIO, errno, "%s", path);
    return rc;
}

int nm_files_write_mark(const struct nm_files *f, const struct base_container_id *id,
                        const char *name, const char *text, struct base_error *err)
{
    char path[NM_PATH_MAX];
    return write_small_file(f, nm_path_in_record(f, id, name, path), O_TRUNC, 0600, text,
                            strlen(text), err);
}

bool nm_files_has_mark(const struct nm_files *f, const struct base_container_id *id,
                       const char *name)
{
    char path[NM_PATH_MAX];
    return access(nm_path_in_record(f, id, name, path), F_OK) == 0;
}

void nm_files_remove_mark(const struct nm_files *f, const struct base_container_id *id,
                          const char *name)
{
    char path[NM_PATH_MAX];
    unlink(nm_path_in_record(f, id, name, path));
}

/* ---- removal ---- */

/* Appends the id as a line. A truncated last line of an earlier write is ended with "#", so that it
 * is not taken for an id. */
static int append_forgotten_id(const struct nm_files *f, const struct base_container_id *id,
                               struct base_error *err)
{
    char path[NM_PATH_MAX], text[BASE_ID_TEXT_MAX], line[BASE_ID_TEXT_MAX + 8], last = '\n';
    int fd = nm_files_open_plain(f, nm_path_in_app_record(f, &id->attempt.app, "forgotten", path),
                                 O_RDWR | O_CREAT | O_APPEND, 0600, NULL);
    if (fd == -ENOENT)
        return 0; /* no record: a restart would find nothing of this application */
    if (fd < 0)
        return set_open_error(fd, path, err);
    off_t end = lseek(fd, 0, SEEK_END);
    if (end > 0 && pread(fd, &last, 1, end - 1) != 1)
        last = 0;
    int n = snprintf(line, sizeof line, "%s%s\n", last == '\n' ? "" : "#\n",
                     base_container_id_text(id, text));
    int rc = base_write_all(fd, line, (size_t)n);
    close(fd);
    return rc < 0 ? base_error_sys(err, -BASE_EIO, -rc, "%s", path) : 0;
}

int nm_files_forget_container(struct nm_files *f, const struct base_container_id *id,
                              struct base_error *err)
{
    char path[NM_PATH_MAX], record[NM_PATH_MAX];
    struct stat st;
    /* go on after a failure: if space is lacking, this folder may be what uses it */
    int rc = append_forgotten_id(f, id, err);
    bool output = lstat(nm_path_in_container(f, id, "output/file.index", path), &st) == 0 &&
                  S_ISREG(st.st_mode);
    nm_files_move_container_to_trash(f, nm_path_in_container(f, id, output ? "tmp" : NULL, path),
                                     nm_path_in_record(f, id, NULL, record));
    nm_janitor_wake(f);
    return rc;
}

bool nm_files_has_ended_logs(const struct nm_files *f, const struct base_app_id *id)
{
    char path[NM_PATH_MAX];

    return faccessat(AT_FDCWD, format_app_path(f, "logs", id, ".ended", path), F_OK,
                     AT_SYMLINK_NOFOLLOW) == 0;
}

bool nm_files_has_unended_logs(const struct nm_files *f, const struct base_app_id *id)
{
    char path[NM_PATH_MAX];

    return faccessat(AT_FDCWD, format_app_path(f, "logs", id, ".running", path), F_OK,
                     AT_SYMLINK_NOFOLLOW) == 0;
}

/* The record is removed first: without it a restarted NodeManager has nothing to report. */
void nm_files_cleanup_app(struct nm_files *f, const struct base_app_id *id, bool keep_logs)
{
    char path[NM_PATH_MAX], running[NM_PATH_MAX], ended[NM_PATH_MAX];
    nm_files_move_to_trash(f, nm_path_in_app_record(f, id, NULL, path), NULL);
    nm_files_move_to_trash(f, nm_path_in_app(f, id, NULL, path), NULL);
    if (!keep_logs) {
        nm_files_move_to_trash(f, format_app_path(f, "logs", id, NULL, path), NULL);
    } else {
        format_app_path(f, "logs", id, ".running", running);
        format_app_path(f, "logs", id, ".ended", ended);
        /* Without .running, the application has ended on this node before: refresh the mark. */
        if (rename(running, ended) < 0 &&
            (errno != ENOENT || utimensat(AT_FDCWD, ended, NULL, AT_SYMLINK_NOFOLLOW) < 0) &&
            errno != ENOENT)
            base_log_warn("files", "%s: %s", running, strerror(errno));
        nm_janitor_add_ended_app(f, id);
    }
    nm_janitor_wake(f);
}

void nm_files_close(struct nm_files *f)
{
    nm_janitor_stop(f);
    if (f->lock_fd >= 0)
        close(f->lock_fd);
    if (f->root_fd >= 0)
        close(f->root_fd);
    f->lock_fd = f->root_fd = -1;
    nm_ended_logs_free(&f->retain);
    free(f->choose);
    pthread_mutex_destroy(&f->lock);
    pthread_cond_destroy(&f->wake);
    pthread_cond_destroy(&f->claim_released);
}

/* ---- free space ---- */

void nm_files_get_free_space(const struct nm_files *f, struct nm_files_free_space *out)
{
    struct statvfs v;
    *out = (struct nm_files_free_space){.bytes = -1, .inodes = -1};
    if (statvfs(f->root, &v) < 0)
        return;
    out->bytes = (int64_t)v.f_bavail * (int64_t)v.f_frsize;
    if (v.f_files > 0) /* 0: the file system creates inodes on demand */
        out->inodes = (int64_t)v.f_favail;
}

static int allocate_file_space(int fd, size_t bytes)
{
    static const char zero[PROBE_WRITE];
    int rc = 0;
    if (fallocate(fd, 0, 0, (off_t)bytes) == 0)
        return base_write_all(fd, zero, bytes < sizeof zero ? bytes : sizeof zero);
    if (errno != EOPNOTSUPP && errno != ENOSYS)
        return -errno;
    for (size_t left = bytes; rc == 0 && left > 0; left -= left < sizeof zero ? left : sizeof zero)
        rc = base_write_all(fd, zero, left < sizeof zero ? left : sizeof zero);
    return rc;
}

/* Tasks can create any name in the root, so a predictable name would prove nothing: a folder of
 * that name would make the node unhealthy forever, a link would redirect the write, and an existing
 * file may already own its space. So each call creates a file with a random name, or fails, and
 * unlinks the file before writing. The space is freed when the file is closed, even if this process
 * is killed first. */
int nm_files_probe_disk_write(const struct nm_files *f, size_t bytes)
{
    char random[33], name[64];
    base_random_hex(random);
    snprintf(name, sizeof name, "probe.%s", random);
    int fd = base_plain_open(f->root_fd, name, O_WRONLY | O_CREAT | O_EXCL, 0600, NULL);
    if (fd < 0)
        return fd;
    int rc = unlinkat(f->root_fd, name, 0) < 0 ? -errno : allocate_file_space(fd, bytes);
    close(fd);
    return rc;
}
