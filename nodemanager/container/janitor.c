/* The janitor: a background thread that empties trash/, makes spare folders, and removes the logs
 * of ended applications. Logs are removed when they expire, or earlier while the disk is short of
 * space or inodes, beginning with the application that ended first. */
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
#include "base/cond.h"
#include "base/io/io.h"
#include "base/io/log.h"
#include "base/io/plain.h"
#include "base/io/sched.h"
#include "nodemanager/container/folders_internal.h"
#include "nodemanager/container/launcher/node_side.h"
#include "nodemanager/container/logs/log_choice.h"

#define IDLE_S      30
#define REST_S      1  /* pause between rounds, so that removals are batched */
#define EARLY_BATCH 32 /* applications whose logs are removed between two checks of the disk */
#define SAY_AGAIN_S 60

static int64_t monotonic_s(void)
{
    return base_mono_us(&base_clock_real) / 1000000;
}

static int64_t wall_clock_s(void)
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

static bool stock_is_below_limit(struct nm_files *f, const struct nm_spare_stock *stock,
                                 size_t limit)
{
    pthread_mutex_lock(&f->lock);
    bool wanted = stock->n < limit && !f->stopping;
    pthread_mutex_unlock(&f->lock);
    return wanted;
}

static void add_spare_to_stock(struct nm_files *f, struct nm_spare_stock *stock, int64_t number)
{
    pthread_mutex_lock(&f->lock);
    stock->number[stock->n++] = number;
    pthread_mutex_unlock(&f->lock);
}

static void fill_spare_stock(struct nm_files *f, enum nm_spare_kind kind)
{
    struct nm_spare_stock *stock = &f->spares.stock[kind];
    int64_t number;
    /* if making a spare fails here, the next launch makes one itself and reports the reason */
    while (stock_is_below_limit(f, stock, NM_SPARES_MADE) &&
           nm_spare_make(&f->spares, kind, &number, NULL) == 0)
        add_spare_to_stock(f, stock, number);
}

/* ---- trash ---- */

static void remove_tree_now(struct nm_files *f, const char *path)
{
    struct base_error err;
    if (f->launcher)
        nm_launcher_empty_users_folders(f, path);
    if (base_rmtree(path, &err) < 0)
        base_log_warn("files", "%s", err.text);
}

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && strcmp(s + n - m, end) == 0;
}

/* A container's folder and record arrive as "<stamp>.files" and "<stamp>.record", the record
 * first. */
static void remove_or_reuse_trash(struct nm_files *f, const char *path)
{
    struct nm_spare_stock *stock = &f->spares.stock[NM_SPARE_CONTAINER];
    char record[NM_PATH_MAX];
    int64_t number;
    if (!ends_with(path, ".files")) {
        remove_tree_now(f, path);
        return;
    }
    nm_files_format_path(record, "%.*s.record", (int)(strlen(path) - strlen(".files")), path);
    if (stock_is_below_limit(f, stock, NM_SPARES_MAX) &&
        nm_spare_adopt(&f->spares, path, record, &number, NULL) == 0) {
        add_spare_to_stock(f, stock, number);
        return;
    }
    remove_tree_now(f, path);
    remove_tree_now(f, record);
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    /* ".files" sorts before ".record" of the same stamp */
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_visible_entry(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static void empty_trash(struct nm_files *f)
{
    char path[NM_PATH_MAX];
    struct dirent **v = NULL;
    int n = scandir(nm_files_format_path(path, "%s/trash", f->root), &v, is_visible_entry,
                    compare_names);
    for (int i = 0; i < n; i++) {
        char entry[NM_PATH_MAX];
        if ((size_t)snprintf(entry, sizeof entry, "%s/%s", path, v[i]->d_name) < sizeof entry)
            remove_or_reuse_trash(f, entry);
        free(v[i]);
    }
    free(v);
}

/* ---- logs of ended applications ---- */

void nm_janitor_add_ended_app(struct nm_files *f, const struct base_app_id *id)
{
    pthread_mutex_lock(&f->lock);
    nm_ended_logs_add(&f->retain, id, wall_clock_s());
    base_array_grow(&f->choose, f->choose_n, &f->choose_cap);
    f->choose[f->choose_n++] = *id;
    pthread_mutex_unlock(&f->lock);
}

static void mark_app_logs_as_ended(const char *logs)
{
    char running[NM_PATH_MAX], ended[NM_PATH_MAX];
    nm_files_format_path(running, "%.4000s/.running", logs);
    if (rename(running, nm_files_format_path(ended, "%.4000s/.ended", logs)) < 0) {
        int fd = base_plain_open(AT_FDCWD, ended, O_WRONLY | O_CREAT, 0600, NULL);
        if (fd >= 0)
            close(fd);
    }
}

/* Returns the time at which the application, which has no record, ended, or -1 if it may just be
 * starting. Logs left without a record by a crash count as ended when they are found. */
static int64_t find_or_mark_end_time_of_app(const struct nm_files *f, const char *logs)
{
    char mark[NM_PATH_MAX];
    struct stat st;
    if (lstat(nm_files_format_path(mark, "%.4000s/.ended", logs), &st) == 0)
        return st.st_ctime;
    if (lstat(logs, &st) < 0 || st.st_ctime >= f->opened_s) /* it may just be starting */
        return -1;
    mark_app_logs_as_ended(logs);
    return wall_clock_s();
}

/* Returns the time at which the application ended, or -1 if it has not ended. Removes the logs that
 * are not to be kept if a previous process has not done so. */
static int64_t settle_logs_of_ended_app(struct nm_files *f, const struct base_app_id *id,
                                        const char *logs)
{
    if (!nm_files_claim_ended_logs(f, id))
        return -1;
    int64_t ended = find_or_mark_end_time_of_app(f, logs);
    if (ended >= 0)
        nm_log_choice_remove_unchosen(logs);
    nm_files_release_ended_logs(f);
    return ended;
}

/* Builds the index of ended applications from the folders in logs/; called once, at the start. */
static void index_ended_apps(struct nm_files *f)
{
    char path[NM_PATH_MAX], logs[NM_PATH_MAX];
    struct nm_ended_app *v = NULL;
    size_t n = 0, cap = 0;
    struct base_app_id id;
    const struct dirent *e;
    DIR *d = opendir(nm_files_format_path(path, "%s/logs", f->root));
    while (d && !is_stopping(f) && (e = readdir(d)) != NULL) {
        if (base_app_id_parse(e->d_name, &id, NULL) < 0)
            continue;
        int64_t ended = settle_logs_of_ended_app(
            f, &id, nm_files_format_path(logs, "%.3000s/%.255s", path, e->d_name));
        if (ended < 0)
            continue;
        base_array_grow(&v, n, &cap);
        v[n++] = (struct nm_ended_app){.app = id, .ended_s = ended};
    }
    if (d)
        closedir(d);
    pthread_mutex_lock(&f->lock);
    nm_ended_logs_add_scanned(&f->retain, v, n);
    pthread_mutex_unlock(&f->lock);
    free(v);
}

/* Applies the choice of logs of applications that have just ended: removes the logs that are not to
 * be kept. */
static void remove_unchosen_logs_of_ended_apps(struct nm_files *f)
{
    char path[NM_PATH_MAX], app[BASE_ID_TEXT_MAX];
    pthread_mutex_lock(&f->lock);
    while (f->choose_n > 0) {
        struct base_app_id id = f->choose[--f->choose_n];
        pthread_mutex_unlock(&f->lock);
        if (nm_files_claim_ended_logs(f, &id)) { /* not if the application runs here again */
            nm_log_choice_remove_unchosen(
                nm_files_format_path(path, "%s/logs/%s", f->root, base_app_id_text(&id, app)));
            nm_files_release_ended_logs(f);
        }
        pthread_mutex_lock(&f->lock);
    }
    pthread_mutex_unlock(&f->lock);
}

/* Removes the application that ended first from the index if it ended no later than @until_s.
 * Returns false if there is none, or if the janitor is stopping. */
static bool take_oldest_ended_app(struct nm_files *f, int64_t until_s, struct nm_ended_app *out)
{
    pthread_mutex_lock(&f->lock);
    const struct nm_ended_app *first = nm_ended_logs_oldest(&f->retain);
    bool yes = first && first->ended_s <= until_s && !f->stopping;
    if (yes) {
        *out = *first;
        nm_ended_logs_drop_oldest_entry(&f->retain);
    }
    pthread_mutex_unlock(&f->lock);
    return yes;
}

/* An application that ends on this node twice, or whose clean-up is ordered twice, is in the index
 * twice, while its mark has the time of the last end. An entry with an earlier time is put back
 * with the time of the mark, so that its logs are not removed before older ones; the entry that had
 * the right time then finds no logs. An entry is put back at most once per second by which the mark
 * changes, so a container cannot keep the janitor busy by touching the mark. Returns true if the
 * entry was put back. */
static bool reindex_if_ended_again(struct nm_files *f, const struct nm_ended_app *r,
                                   const char *logs)
{
    char mark[NM_PATH_MAX];
    struct stat st;
    if (lstat(nm_files_format_path(mark, "%.4000s/.ended", logs), &st) < 0 ||
        st.st_ctime <= r->ended_s)
        return false;
    pthread_mutex_lock(&f->lock);
    nm_ended_logs_add(&f->retain, &r->app, st.st_ctime);
    pthread_mutex_unlock(&f->lock);
    return true;
}

/* Removes the logs of an ended application. Returns false if there are no logs, if they cannot be
 * moved, if the application ended again later, or if it runs here again; in the last case its next
 * end adds it to the index. */
static bool remove_logs_of_app(struct nm_files *f, const struct nm_ended_app *r)
{
    char path[NM_PATH_MAX], to[NM_PATH_MAX], app[BASE_ID_TEXT_MAX];
    if (!nm_files_claim_ended_logs(f, &r->app))
        return false;
    nm_files_format_path(path, "%s/logs/%s", f->root, base_app_id_text(&r->app, app));
    bool moved = !reindex_if_ended_again(f, r, path) && nm_files_move_to_trash(f, path, to);
    nm_files_release_ended_logs(f);
    if (moved)
        remove_tree_now(f, to);
    return moved;
}

static bool disk_is_nearly_full(const struct nm_files *f)
{
    struct nm_files_free_space space;
    nm_files_get_free_space(f, &space);
    return (space.bytes >= 0 && space.bytes < f->tight_bytes) ||
           (space.inodes >= 0 && space.inodes < f->tight_inodes);
}

/* Removes logs, oldest end first, until the disk is no longer nearly full or no logs are left. The
 * disk is checked once per batch only, to save system calls when there are many small logs. */
static void remove_logs_while_disk_is_nearly_full(struct nm_files *f)
{
    struct nm_ended_app r;
    size_t n = 0;
    while (disk_is_nearly_full(f) && take_oldest_ended_app(f, INT64_MAX, &r)) {
        n += remove_logs_of_app(f, &r);
        for (int i = 1; i < EARLY_BATCH && take_oldest_ended_app(f, INT64_MAX, &r); i++)
            n += remove_logs_of_app(f, &r);
    }
    f->early += n;
    if (f->early && monotonic_s() >= f->say_at_s) {
        base_log_warn(
            "files",
            "logs of %zu ended applications were removed early: the disk is short of space "
            "or inodes",
            f->early);
        f->early = 0;
        f->say_at_s = monotonic_s() + SAY_AGAIN_S;
    }
}

static void remove_expired_or_excess_logs(struct nm_files *f)
{
    struct nm_ended_app r;
    while (take_oldest_ended_app(f, wall_clock_s() - f->retain_s, &r))
        remove_logs_of_app(f, &r);
    remove_logs_while_disk_is_nearly_full(f);
}

/* Returns the seconds until the next logs expire, between 1 and IDLE_S. Call with the lock held. */
static int64_t seconds_until_next_expiry(const struct nm_files *f)
{
    const struct nm_ended_app *first = nm_ended_logs_oldest(&f->retain);
    int64_t wait = first ? first->ended_s + f->retain_s - wall_clock_s() : IDLE_S;
    return wait < 1 ? 1 : wait < IDLE_S ? wait : IDLE_S;
}

/* The thread has low priority: containers are being started at the same time, and neither removing
 * nor making spares is urgent. */
static void *janitor_thread(void *u)
{
    pthread_setname_np(pthread_self(), "nm-janitor");
    struct nm_files *f = u;
    int64_t next = 0;
    base_sched_make_thread_background();
    fill_spare_stock(f, NM_SPARE_APP);
    fill_spare_stock(f, NM_SPARE_CONTAINER);
    index_ended_apps(f);
    pthread_mutex_lock(&f->lock);
    while (!f->stopping) {
        bool low = f->low, trash = low || monotonic_s() >= next;
        f->low = false;
        if (trash)
            f->work = false;
        pthread_mutex_unlock(&f->lock);
        if (trash) { /* before making spares, since folders in the trash may become spares */
            remove_unchosen_logs_of_ended_apps(f);
            remove_expired_or_excess_logs(f);
            empty_trash(f);
        }
        for (int kind = 0; low && kind < NM_SPARE_KINDS; kind++)
            fill_spare_stock(f, (enum nm_spare_kind)kind);
        pthread_mutex_lock(&f->lock);
        if (trash)
            next = monotonic_s() + REST_S;
        int64_t rest_s = f->work ? next - monotonic_s() : seconds_until_next_expiry(f);
        if (!f->stopping && !f->low && rest_s > 0)
            base_cond_wait_for(&f->wake, &f->lock, rest_s * 1000000);
    }
    pthread_mutex_unlock(&f->lock);
    return NULL;
}

int nm_files_start_janitor(struct nm_files *f, struct base_error *err)
{
    int rc = pthread_create(&f->janitor, NULL, janitor_thread, f);
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
