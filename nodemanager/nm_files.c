/* nodemanager/nm_files.c - folders, marks and the janitor; reading them back is in nm_files_read.c. */
#include "nodemanager/nm_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/base_clock.h"
#include "base/base_io.h"
#include "base/base_json.h"
#include "base/base_log.h"
#include "base/base_sched.h"

#define LOCK_WAIT_US   INT64_C(10000000)
#define JANITOR_IDLE_S 30
#define JANITOR_REST_S 1 /* between two rounds: what is removed meanwhile goes together */

__attribute__((format(printf, 2, 3))) static char *join(char buf[static NM_PATH_MAX], const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(buf, NM_PATH_MAX, fmt, ap);
    va_end(ap);
    base_assert(n > 0 && n < NM_PATH_MAX); /* root is bounded, the rest are ids and our own names */
    return buf;
}

char *nm_path_app(const struct nm_files *f, const struct base_app_id *id, const char *name,
                  char buf[static NM_PATH_MAX])
{
    char app[BASE_ID_TEXT_MAX];
    return join(buf, "%s/apps/%s%s%s", f->root, base_app_id_text(id, app), name ? "/" : "", name ? name : "");
}

static char *path_of(const struct nm_files *f, const char *part, const struct base_container_id *id, const char *name,
                     char buf[static NM_PATH_MAX])
{
    char app[BASE_ID_TEXT_MAX], ct[BASE_ID_TEXT_MAX];
    return join(buf, "%s/%s/%s/%s%s%s", f->root, part, base_app_id_text(&id->attempt.app, app),
                base_container_id_text(id, ct), name ? "/" : "", name ? name : "");
}

char *nm_path_container(const struct nm_files *f, const struct base_container_id *id, const char *name,
                        char buf[static NM_PATH_MAX])
{
    return path_of(f, "apps", id, name, buf);
}

char *nm_path_logs(const struct nm_files *f, const struct base_container_id *id, const char *name,
                   char buf[static NM_PATH_MAX])
{
    return path_of(f, "logs", id, name, buf);
}

static int lock_take(struct nm_files *f, struct base_error *err)
{
    char path[NM_PATH_MAX];
    f->lock_fd = open(join(path, "%s/lock", f->root), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (f->lock_fd < 0)
        return base_error_sys(err, -BASE_EIO, errno, "%s", path);
    int64_t until = base_mono_us(&base_clock_real) + LOCK_WAIT_US;
    while (flock(f->lock_fd, LOCK_EX | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return base_error_sys(err, -BASE_EIO, errno, "%s", path);
        if (base_mono_us(&base_clock_real) > until)
            return base_error_set(err, -BASE_ESTATE, "%s: another NodeManager uses this folder", f->root);
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    return 0;
}

static void trash(struct nm_files *f, const char *path)
{
    char to[NM_PATH_MAX];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    join(to, "%s/trash/%lld.%09ld.%lld", f->root, (long long)now.tv_sec, now.tv_nsec,
         (long long)__atomic_fetch_add(&f->trashed, 1, __ATOMIC_RELAXED));
    if (rename(path, to) < 0 && errno != ENOENT)
        base_log_warn("files", "%s: cannot be removed: %s", path, strerror(errno));
}

static int spares_open(struct nm_files *f, struct base_error *err)
{
    snprintf(f->spares.dir, sizeof f->spares.dir, "%s/spare", f->root);
    trash(f, f->spares.dir);
    f->low = f->work = true;
    return base_mkdirs(f->spares.dir, 0700, err);
}

int nm_files_open(struct nm_files *f, const char *root, int64_t retain_s, struct base_error *err)
{
    static const char *const parts[] = {"", "/apps", "/logs", "/trash"};
    memset(f, 0, sizeof *f);
    f->lock_fd = -1;
    f->retain_s = retain_s;
    pthread_mutex_init(&f->lock, NULL);
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&f->wake, &attr);
    pthread_condattr_destroy(&attr);
    if (!*root || strlen(root) >= sizeof f->root - 16)
        return base_error_set(err, -BASE_EINVAL, "creel.nodemanager.local-dir: empty or longer than %zu bytes",
                              sizeof f->root - 16);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char path[NM_PATH_MAX];
        join(path, "%s%s", root, parts[i]);
        int rc = base_mkdirs(path, i ? 0700 : 0755, err);
        if (rc < 0)
            return rc;
        if (i == 0 && !realpath(path, f->root)) /* shims run elsewhere: absolute */
            return base_error_sys(err, -BASE_EIO, errno, "%s", path);
    }
    int rc = lock_take(f, err);
    return rc < 0 ? rc : spares_open(f, err);
}

int nm_files_load(const struct nm_files *f, struct nm_disk_state *out, struct base_error *err)
{
    char path[NM_PATH_MAX];
    struct base_buf b = {0};
    json_t *j = NULL;
    *out = (struct nm_disk_state){0};
    if (access(join(path, "%s/state.json", f->root), F_OK) < 0 && errno == ENOENT)
        return 0;
    int rc = base_file_read(path, 65536, &b, err);
    if (rc >= 0)
        rc = base_json_parse(b.data ? b.data : "", b.len, &j, err);
    if (rc >= 0)
        rc = base_json_int(j, "", "epoch", true, 0, INT64_MAX, &out->epoch, err);
    if (rc >= 0)
        rc = base_json_int(j, "", "port", true, 0, 65535, &out->port, err);
    if (rc < 0)
        base_error_wrap(err, rc, "%s", path);
    json_decref(j);
    base_buf_free(&b);
    return rc < 0 ? rc : 0;
}

int nm_files_save(const struct nm_files *f, const struct nm_disk_state *st, struct base_error *err)
{
    char path[NM_PATH_MAX], text[128];
    int n = snprintf(text, sizeof text, "{\"epoch\":%lld,\"port\":%lld}\n", (long long)st->epoch, (long long)st->port);
    return base_file_write_atomic(join(path, "%s/state.json", f->root), text, (size_t)n, 0600, true, err);
}

/* Plain create and write: whole or (after a crash) of no interest. */
static int put(const char *path, mode_t mode, const char *text, size_t len, struct base_error *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode);
    if (fd < 0)
        return base_error_sys(err, -BASE_EIO, errno, "%s", path);
    int rc = base_write_all(fd, text, len);
    close(fd);
    return rc < 0 ? base_error_sys(err, -BASE_EIO, -rc, "%s", path) : 0;
}

/* ---- placing folders ---- */

static int spare_take(struct nm_files *f, enum nm_spare_kind kind, int64_t *number, struct base_error *err)
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

static int place(struct nm_files *f, enum nm_spare_kind kind, const struct nm_spare_text *texts, size_t texts_n,
                 const char *files, const char *logs, struct base_error *err)
{
    int64_t number;
    int rc = spare_take(f, kind, &number, err);
    if (rc < 0)
        return rc;
    rc = nm_spare_place(&f->spares, number, texts, texts_n, files, logs, err);
    if (rc < 0)
        nm_spare_drop(&f->spares, number);
    return rc;
}

int nm_files_app(struct nm_files *f, const struct base_app_id *id, const char *user, const char *token,
                 struct base_error *err)
{
    char files[NM_PATH_MAX], logs[NM_PATH_MAX], app[BASE_ID_TEXT_MAX];
    if (access(nm_path_app(f, id, NULL, files), F_OK) == 0)
        return 0;
    json_t *j = json_pack("{s:s,s:s}", "user", user ? user : "", "token", token ? token : "");
    struct base_buf spec = {0};
    if (!j)
        return base_error_set(err, -BASE_EINVAL, "user: not UTF-8");
    base_json_dump(j, &spec);
    json_decref(j);
    const struct nm_spare_text texts[] = {{"spec.json", spec.data, spec.len},
                                          {"token", token ? token : "", token ? strlen(token) : 0}};
    join(logs, "%s/logs/%s", f->root, base_app_id_text(id, app));
    int rc = place(f, NM_SPARE_APP, texts, 2, files, logs, err);
    base_buf_free(&spec);
    return rc;
}

int nm_files_launch(struct nm_files *f, const struct base_container_id *id, const char *launch, size_t len,
                    struct base_error *err)
{
    char files[NM_PATH_MAX], logs[NM_PATH_MAX];
    const struct nm_spare_text text = {"launch.json", launch, len};
    return place(f, NM_SPARE_CONTAINER, &text, 1, nm_path_container(f, id, NULL, files),
                 nm_path_logs(f, id, NULL, logs), err);
}

int nm_files_mark(const struct nm_files *f, const struct base_container_id *id, const char *name, const char *text,
                  struct base_error *err)
{
    char path[NM_PATH_MAX];
    return put(nm_path_container(f, id, name, path), 0600, text, strlen(text), err);
}

void nm_files_unmark(const struct nm_files *f, const struct base_container_id *id, const char *name)
{
    char path[NM_PATH_MAX];
    unlink(nm_path_container(f, id, name, path));
}

/* ---- removing ---- */

static void janitor_wake(struct nm_files *f)
{
    pthread_mutex_lock(&f->lock);
    f->work = true;
    pthread_cond_signal(&f->wake);
    pthread_mutex_unlock(&f->lock);
}

/* A line that an earlier write left cut short is made one that is no id. */
static int forgotten_append(const struct nm_files *f, const struct base_container_id *id, struct base_error *err)
{
    char path[NM_PATH_MAX], text[BASE_ID_TEXT_MAX], line[BASE_ID_TEXT_MAX + 8], last = '\n';
    int fd = open(nm_path_app(f, &id->attempt.app, "forgotten", path), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0 && errno == ENOENT)
        return 0; /* the application has nothing here that a restart could find */
    if (fd < 0)
        return base_error_sys(err, -BASE_EIO, errno, "%s", path);
    off_t end = lseek(fd, 0, SEEK_END);
    if (end > 0 && pread(fd, &last, 1, end - 1) != 1)
        last = 0;
    int n = snprintf(line, sizeof line, "%s%s\n", last == '\n' ? "" : "#\n", base_container_id_text(id, text));
    int rc = base_write_all(fd, line, (size_t)n);
    close(fd);
    return rc < 0 ? base_error_sys(err, -BASE_EIO, -rc, "%s", path) : 0;
}

int nm_files_forget(struct nm_files *f, const struct base_container_id *id, struct base_error *err)
{
    char path[NM_PATH_MAX];
    int rc = forgotten_append(f, id, err); /* where it fails for want of room, the folder may be what takes it */
    bool output = access(nm_path_container(f, id, "output/file.index", path), F_OK) == 0;
    trash(f, nm_path_container(f, id, output ? "tmp" : NULL, path));
    janitor_wake(f);
    return rc;
}

void nm_files_cleanup(struct nm_files *f, const struct base_app_id *id, bool keep_logs)
{
    char path[NM_PATH_MAX], app[BASE_ID_TEXT_MAX];
    trash(f, nm_path_app(f, id, NULL, path));
    join(path, "%s/logs/%s", f->root, base_app_id_text(id, app));
    if (!keep_logs) {
        trash(f, path);
    } else {
        char running[NM_PATH_MAX], ended[NM_PATH_MAX];
        join(running, "%.2000s/.running", path);
        if (rename(running, join(ended, "%.2000s/.ended", path)) < 0 && errno != ENOENT)
            base_log_warn("files", "%s: %s", running, strerror(errno));
    }
    janitor_wake(f);
}

static void each_entry(const char *path, void (*fn)(struct nm_files *f, const char *path), struct nm_files *f)
{
    DIR *d = opendir(path);
    struct dirent *e;
    if (!d)
        return;
    while ((e = readdir(d)) != NULL) {
        char entry[NM_PATH_MAX];
        if (e->d_name[0] != '.' && (size_t)snprintf(entry, sizeof entry, "%s/%s", path, e->d_name) < sizeof entry)
            fn(f, entry);
    }
    closedir(d);
}

static bool spares_wanted(struct nm_files *f, const struct nm_spare_stock *stock, size_t upto)
{
    pthread_mutex_lock(&f->lock);
    bool wanted = stock->n < upto && !f->stopping;
    pthread_mutex_unlock(&f->lock);
    return wanted;
}

static void spare_add(struct nm_files *f, struct nm_spare_stock *stock, int64_t number)
{
    pthread_mutex_lock(&f->lock);
    stock->number[stock->n++] = number;
    pthread_mutex_unlock(&f->lock);
}

static void trash_empty(struct nm_files *f, const char *path)
{
    struct nm_spare_stock *stock = &f->spares.stock[NM_SPARE_CONTAINER];
    struct base_error err;
    int64_t number;
    if (spares_wanted(f, stock, NM_SPARES_MAX) && nm_spare_adopt(&f->spares, path, &number, NULL) == 0)
        spare_add(f, stock, number);
    else if (base_rmtree(path, &err) < 0)
        base_log_warn("files", "%s", err.text);
}

static void logs_expire(struct nm_files *f, const char *path)
{
    char mark[NM_PATH_MAX];
    struct stat st;
    if (stat(join(mark, "%.4000s/.ended", path), &st) == 0 && st.st_ctime + f->retain_s <= time(NULL))
        trash(f, path);
}

static void spares_fill(struct nm_files *f, enum nm_spare_kind kind)
{
    struct nm_spare_stock *stock = &f->spares.stock[kind];
    int64_t number;
    /* Where none can be made, a launch tries itself and tells why. */
    while (spares_wanted(f, stock, NM_SPARES_MADE) && nm_spare_make(&f->spares, kind, &number, NULL) == 0)
        spare_add(f, stock, number);
}

static int64_t now_s(void)
{
    return base_mono_us(&base_clock_real) / 1000000;
}

/* Neither removing nor making spares is urgent, and containers are being started at the same time. */
static void *janitor(void *u)
{
    struct nm_files *f = u;
    int64_t logs_every = f->retain_s < JANITOR_IDLE_S ? (f->retain_s ? f->retain_s : 1) : JANITOR_IDLE_S;
    int64_t logs_at = 0, trash_at = 0;
    char path[NM_PATH_MAX];
    base_sched_background();
    pthread_mutex_lock(&f->lock);
    while (!f->stopping) {
        bool low = f->low, logs = now_s() >= logs_at;
        bool trash = (f->work || logs) && (low || now_s() >= trash_at);
        f->low = false;
        f->work &= !trash;
        pthread_mutex_unlock(&f->lock);
        if (logs) {
            each_entry(join(path, "%s/logs", f->root), logs_expire, f);
            logs_at = now_s() + logs_every;
        }
        if (trash) { /* before new spares are made: it may hold some */
            each_entry(join(path, "%s/trash", f->root), trash_empty, f);
            trash_at = now_s() + JANITOR_REST_S;
        }
        for (int kind = 0; low && kind < NM_SPARE_KINDS; kind++)
            spares_fill(f, (enum nm_spare_kind)kind);
        pthread_mutex_lock(&f->lock);
        struct timespec until = {.tv_sec = f->work && trash_at < logs_at ? trash_at : logs_at};
        if (!f->stopping && !f->low && until.tv_sec > now_s())
            pthread_cond_timedwait(&f->wake, &f->lock, &until);
    }
    pthread_mutex_unlock(&f->lock);
    return NULL;
}

int nm_files_start_janitor(struct nm_files *f, struct base_error *err)
{
    int rc = pthread_create(&f->janitor, NULL, janitor, f);
    if (rc)
        return base_error_sys(err, -BASE_EIO, rc, "janitor thread");
    f->janitor_runs = true;
    return 0;
}

void nm_files_close(struct nm_files *f)
{
    if (f->janitor_runs) {
        pthread_mutex_lock(&f->lock);
        f->stopping = true;
        pthread_cond_signal(&f->wake);
        pthread_mutex_unlock(&f->lock);
        pthread_join(f->janitor, NULL);
        f->janitor_runs = false;
    }
    if (f->lock_fd >= 0)
        close(f->lock_fd);
    f->lock_fd = -1;
    pthread_mutex_destroy(&f->lock);
    pthread_cond_destroy(&f->wake);
}

int64_t nm_files_free_bytes(const struct nm_files *f)
{
    struct statvfs v;
    if (statvfs(f->root, &v) < 0)
        return -1;
    return (int64_t)v.f_bavail * (int64_t)v.f_frsize;
}

int nm_files_probe(const struct nm_files *f, size_t bytes)
{
    char path[NM_PATH_MAX];
    int fd = open(join(path, "%s/probe", f->root), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    char *zero = base_alloc(bytes);
    int rc = base_write_all(fd, zero, bytes);
    free(zero);
    close(fd);
    unlink(path);
    return rc;
}
