/* nodemanager/container/janitor.c - a thread in the background that removes what is in trash/, makes spare folders, and
 * removes logs of ended applications: when their time is over, or before it, the longest ended first, while the disk
 * has little room or few inodes left. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io/io.h"
#include "base/io/log.h"
#include "base/io/plain.h"
#include "base/io/sched.h"
#include "nodemanager/container/folders_internal.h"

#define IDLE_S       30
#define REST_S       1  /* between two rounds: what is removed meanwhile goes together */
#define EARLY_BATCH  32 /* applications between two looks at the disk */
#define SAY_AGAIN_S  60

static int64_t mono_s(void)
{
    return base_mono_us(&base_clock_real) / 1000000;
}

static int64_t wall_s(void)
{
    return base_wall_us(&base_clock_real) / 1000000;
}

static bool is_stopping(struct nm_files *f)
{
    pthread_mutex_lock(&f->lock);
    bool stopping = f->stopping;
    pthread_mutex_unlock(&f->lock);
    return stopping;
}

void nm_janitor_wake(struct nm_files *f)
{
    pthread_mutex_lock(&f->lock);
    f->work = true;
    pthread_cond_signal(&f->wake);
    pthread_mutex_unlock(&f->lock);
}

/* ---- spares ---- */

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

static void spares_fill(struct nm_files *f, enum nm_spare_kind kind)
{
    struct nm_spare_stock *stock = &f->spares.stock[kind];
    int64_t number;
    /* Where none can be made, a launch tries itself and tells why. */
    while (spares_wanted(f, stock, NM_SPARES_MADE) && nm_spare_make(&f->spares, kind, &number, NULL) == 0)
        spare_add(f, stock, number);
}

/* ---- trash ---- */

static void remove_now(const char *path)
{
    struct base_error err;
    if (base_rmtree(path, &err) < 0)
        base_log_warn("files", "%s", err.text);
}

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && strcmp(s + n - m, end) == 0;
}

/* A container's folder and its record come as "<stamp>.files" and "<stamp>.record", the record first. */
static void trash_empty(struct nm_files *f, const char *path)
{
    struct nm_spare_stock *stock = &f->spares.stock[NM_SPARE_CONTAINER];
    char record[NM_PATH_MAX];
    int64_t number;
    if (!ends_with(path, ".files")) {
        remove_now(path);
        return;
    }
    nm_files_join(record, "%.*s.record", (int)(strlen(path) - strlen(".files")), path);
    if (spares_wanted(f, stock, NM_SPARES_MAX) && nm_spare_adopt(&f->spares, path, record, &number, NULL) == 0) {
        spare_add(f, stock, number);
        return;
    }
    remove_now(path);
    remove_now(record);
}

static int files_first(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name); /* ".files" before ".record" of the same stamp */
}

static int visible(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static void trash_round(struct nm_files *f)
{
    char path[NM_PATH_MAX];
    struct dirent **v = NULL;
    int n = scandir(nm_files_join(path, "%s/trash", f->root), &v, visible, files_first);
    for (int i = 0; i < n; i++) {
        char entry[NM_PATH_MAX];
        if ((size_t)snprintf(entry, sizeof entry, "%s/%s", path, v[i]->d_name) < sizeof entry)
            trash_empty(f, entry);
        free(v[i]);
    }
    free(v);
}

/* ---- logs of ended applications ---- */

void nm_janitor_retain(struct nm_files *f, const struct base_app_id *id)
{
    pthread_mutex_lock(&f->lock);
    nm_retain_add(&f->retain, id, wall_s());
    pthread_mutex_unlock(&f->lock);
}

static void mark_ended(const char *logs)
{
    char running[NM_PATH_MAX], ended[NM_PATH_MAX];
    nm_files_join(running, "%.4000s/.running", logs);
    if (rename(running, nm_files_join(ended, "%.4000s/.ended", logs)) < 0) {
        int fd = base_plain_open(AT_FDCWD, ended, O_WRONLY | O_CREAT, 0600, NULL);
        if (fd >= 0)
            close(fd);
    }
}

/* When the application ended; -1: it has not. Logs that a crash left without a record have ended when we find them. */
static int64_t ended_at(const struct nm_files *f, const struct base_app_id *id, const char *logs)
{
    char mark[NM_PATH_MAX];
    struct stat st;
    if (nm_files_has_app(f, id))
        return -1;
    if (lstat(nm_files_join(mark, "%.4000s/.ended", logs), &st) == 0)
        return st.st_ctime;
    if (lstat(logs, &st) < 0 || st.st_ctime >= f->opened_s) /* it is being made just now */
        return -1;
    mark_ended(logs);
    return wall_s();
}

/* The one look through all folders, at the start. */
static void retain_scan(struct nm_files *f)
{
    char path[NM_PATH_MAX], logs[NM_PATH_MAX];
    struct nm_retained *v = NULL;
    size_t n = 0, cap = 0;
    struct base_app_id id;
    const struct dirent *e;
    DIR *d = opendir(nm_files_join(path, "%s/logs", f->root));
    while (d && !is_stopping(f) && (e = readdir(d)) != NULL) {
        if (base_app_id_parse(e->d_name, &id, NULL) < 0)
            continue;
        int64_t ended = ended_at(f, &id, nm_files_join(logs, "%.3000s/%.255s", path, e->d_name));
        if (ended < 0)
            continue;
        base_array_grow(&v, n, &cap);
        v[n++] = (struct nm_retained){.app = id, .ended_s = ended};
    }
    if (d)
        closedir(d);
    pthread_mutex_lock(&f->lock);
    nm_retain_seed(&f->retain, v, n);
    pthread_mutex_unlock(&f->lock);
    free(v);
}

/* The longest ended application, taken out of the index, if it ended at @until_s at the latest. */
static bool retained_take(struct nm_files *f, int64_t until_s, struct nm_retained *out)
{
    pthread_mutex_lock(&f->lock);
    const struct nm_retained *first = nm_retain_first(&f->retain);
    bool yes = first && first->ended_s <= until_s && !f->stopping;
    if (yes) {
        *out = *first;
        nm_retain_pop(&f->retain);
    }
    pthread_mutex_unlock(&f->lock);
    return yes;
}

/* An application that ends here twice, or whose clean-up is ordered twice, is in the index twice.
 * The mark knows when it ended last: an entry from before goes back into the index with that time,
 * so that no logs go before theirs. The entry that was right all along then finds nothing. Each
 * entry goes back once for each time that the mark was touched, in whole seconds: nobody who
 * touches it again and again can keep the janitor here. */
static bool has_ended_again(struct nm_files *f, const struct nm_retained *r, const char *logs)
{
    char mark[NM_PATH_MAX];
    struct stat st;
    if (lstat(nm_files_join(mark, "%.4000s/.ended", logs), &st) < 0 || st.st_ctime <= r->ended_s)
        return false;
    pthread_mutex_lock(&f->lock);
    nm_retain_add(&f->retain, &r->app, st.st_ctime);
    pthread_mutex_unlock(&f->lock);
    return true;
}

/* False: there are none, the application ended again later, or it runs here again: then its next
 * end puts it back into the index. */
static bool logs_remove(struct nm_files *f, const struct nm_retained *r)
{
    char path[NM_PATH_MAX], to[NM_PATH_MAX], app[BASE_ID_TEXT_MAX];
    if (nm_files_has_app(f, &r->app))
        return false;
    nm_files_join(path, "%s/logs/%s", f->root, base_app_id_text(&r->app, app));
    if (has_ended_again(f, r, path) || !nm_files_trash(f, path, to))
        return false;
    remove_now(to);
    return true;
}

static bool is_tight(const struct nm_files *f)
{
    struct nm_files_room room;
    nm_files_room(f, &room);
    return (room.bytes >= 0 && room.bytes < f->tight_bytes) || (room.inodes >= 0 && room.inodes < f->tight_inodes);
}

static void logs_expire_early(struct nm_files *f)
{
    struct nm_retained r;
    size_t n = 0;
    while (is_tight(f) && retained_take(f, INT64_MAX, &r)) {
        n += logs_remove(f, &r);
        for (int i = 1; i < EARLY_BATCH && retained_take(f, INT64_MAX, &r); i++)
            n += logs_remove(f, &r);
    }
    f->early += n;
    if (f->early && mono_s() >= f->say_at_s) {
        base_log_warn("files", "logs of %zu ended applications were removed before their time: the disk has little room "
                               "or few inodes left", f->early);
        f->early = 0;
        f->say_at_s = mono_s() + SAY_AGAIN_S;
    }
}

static void logs_expire(struct nm_files *f)
{
    struct nm_retained r;
    while (retained_take(f, wall_s() - f->retain_s, &r))
        logs_remove(f, &r);
    logs_expire_early(f);
}

/* Lock held: how long until the next logs are due, at most IDLE_S. */
static int64_t logs_wait_s(const struct nm_files *f)
{
    const struct nm_retained *first = nm_retain_first(&f->retain);
    int64_t wait = first ? first->ended_s + f->retain_s - wall_s() : IDLE_S;
    return wait < 1 ? 1 : wait < IDLE_S ? wait : IDLE_S;
}

/* Neither removing nor making spares is urgent, and containers are being started at the same time. */
static void *janitor(void *u)
{
    struct nm_files *f = u;
    int64_t next = 0;
    base_sched_background();
    spares_fill(f, NM_SPARE_APP);
    spares_fill(f, NM_SPARE_CONTAINER);
    retain_scan(f);
    pthread_mutex_lock(&f->lock);
    while (!f->stopping) {
        bool low = f->low, trash = low || mono_s() >= next;
        f->low = false;
        if (trash)
            f->work = false;
        pthread_mutex_unlock(&f->lock);
        if (trash) { /* before new spares are made: it may hold some */
            logs_expire(f);
            trash_round(f);
        }
        for (int kind = 0; low && kind < NM_SPARE_KINDS; kind++)
            spares_fill(f, (enum nm_spare_kind)kind);
        pthread_mutex_lock(&f->lock);
        if (trash)
            next = mono_s() + REST_S;
        struct timespec until = {.tv_sec = f->work ? next : mono_s() + logs_wait_s(f)};
        if (!f->stopping && !f->low && until.tv_sec > mono_s())
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

void nm_janitor_stop(struct nm_files *f)
{
    if (!f->janitor_runs)
        return;
    pthread_mutex_lock(&f->lock);
    f->stopping = true;
    pthread_cond_signal(&f->wake);
    pthread_mutex_unlock(&f->lock);
    pthread_join(f->janitor, NULL);
    f->janitor_runs = false;
}
