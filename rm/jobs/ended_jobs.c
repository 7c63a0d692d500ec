#include "rm/jobs/ended_jobs.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/io/log.h"
#include "rm/daemon/daemon_internal.h"
#include "rm/jobs/ended_job.h"

#define TASKS_AT_ONCE 1000 /* tasks copied each time the core is locked */
#define TEXT_(n)      #n
#define TEXT(n)       TEXT_(n)

/* ---------------------------------------------------------------- the file */
struct rm_history_file {
    char *folder, *path;
    int64_t bytes_max;
    pthread_mutex_t lock;
    sqlite3 *db; /* NULL: not open */
};

struct rm_history_file *rm_history_file_new(const char *folder, int64_t bytes_max)
{
    struct rm_history_file *f = base_alloc(sizeof *f);

    f->folder = base_strdup(folder);
    f->bytes_max = bytes_max;
    f->path = base_printf("%s/history.db", folder);
    pthread_mutex_init(&f->lock, NULL);
    return f;
}

void rm_history_file_free(struct rm_history_file *f)
{
    if (!f)
        return;
    sqlite3_close(f->db);
    pthread_mutex_destroy(&f->lock);
    free(f->folder);
    free(f->path);
    free(f);
}

static int set_error_and_close_database(struct rm_history_file *f, struct base_error *err)
{
    int rc = base_error_set(err, -BASE_EIO, "history %s: %s", f->path,
                            f->db ? sqlite3_errmsg(f->db) : "no memory");

    sqlite3_close(f->db); /* the next call opens it again */
    f->db = NULL;
    return rc;
}

static int open_database(struct rm_history_file *f, struct base_error *err)
{
    int rc;

    if (f->db)
        return 0;
    rc = base_mkdirs(f->folder, 0700, err);
    if (rc < 0)
        return rc;
    if (sqlite3_open_v2(f->path, &f->db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK ||
        sqlite3_busy_timeout(f->db, 1000) != SQLITE_OK ||
        sqlite3_exec(f->db,
                     "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
                     "CREATE TABLE IF NOT EXISTS job(n INTEGER PRIMARY KEY AUTOINCREMENT, ts "
                     "INTEGER NOT NULL,"
                     " seq INTEGER NOT NULL, submit_us INTEGER NOT NULL, line TEXT NOT NULL, "
                     "UNIQUE(ts,seq))",
                     NULL, NULL, NULL) != SQLITE_OK)
        return set_error_and_close_database(f, err);
    return 0;
}

static int64_t read_pragma(struct rm_history_file *f, const char *sql)
{
    sqlite3_stmt *st = NULL;
    int64_t v = -1;

    if (sqlite3_prepare_v2(f->db, sql, -1, &st, NULL) == SQLITE_OK &&
        sqlite3_step(st) == SQLITE_ROW)
        v = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return v;
}

/* Deletes the oldest jobs until the data fits into bytes_max, always keeping the newest. SQLite
 * reuses the pages of deleted jobs before it extends the file, so the file grows to the bound and
 * stays there without a VACUUM. Jobs are deleted one at a time because one can be as large as many
 * others. */
static int evict_oldest_jobs(struct rm_history_file *f)
{
    int rc = SQLITE_OK;

    while (rc == SQLITE_OK &&
           (read_pragma(f, "PRAGMA page_count") - read_pragma(f, "PRAGMA freelist_count")) *
                   read_pragma(f, "PRAGMA page_size") >
               f->bytes_max) {
        rc = sqlite3_exec(
            f->db,
            "DELETE FROM job WHERE n = (SELECT min(n) FROM job) AND n < (SELECT max(n) FROM job)",
            NULL, NULL, NULL);
        if (sqlite3_changes(f->db) == 0)
            break;
    }
    return rc;
}

static int insert_job_and_evict(struct rm_history_file *f, struct base_app_id id, int64_t submit_us,
                                const char *line, struct base_error *err)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(
        f->db, "INSERT OR REPLACE INTO job(ts,seq,submit_us,line) VALUES(?1,?2,?3,?4)", -1, &st,
        NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_bind_int64(st, 1, id.cluster_ts);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_int64(st, 2, id.seq);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_int64(st, 3, submit_us);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(st, 4, line, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(st);
    sqlite3_finalize(st);
    if (rc == SQLITE_DONE)
        rc = sqlite3_exec(
            f->db, "DELETE FROM job WHERE n <= (SELECT max(n) FROM job) - " TEXT(RM_HISTORY_KEPT),
            NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = evict_oldest_jobs(f);
    return rc == SQLITE_OK ? 0 : set_error_and_close_database(f, err);
}

int rm_history_file_store_job(struct rm_history_file *f, struct base_app_id id, int64_t submit_us,
                              const char *line, struct base_error *err)
{
    int rc;

    pthread_mutex_lock(&f->lock);
    rc = open_database(f, err);
    if (rc == 0)
        rc = insert_job_and_evict(f, id, submit_us, line, err);
    pthread_mutex_unlock(&f->lock);
    return rc;
}

/* Opens the database if its file exists. Returns true when it is open. Called with the lock
 * held. */
static bool open_database_if_present(struct rm_history_file *f)
{
    return f->db || (access(f->path, F_OK) == 0 && open_database(f, NULL) == 0);
}

static char *select_job_line(struct rm_history_file *f, struct base_app_id id)
{
    sqlite3_stmt *st = NULL;
    char *line = NULL;

    if (sqlite3_prepare_v2(f->db, "SELECT line FROM job WHERE ts=?1 AND seq=?2", -1, &st, NULL) ==
            SQLITE_OK &&
        sqlite3_bind_int64(st, 1, id.cluster_ts) == SQLITE_OK &&
        sqlite3_bind_int64(st, 2, id.seq) == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW)
        line = base_strdup((const char *)sqlite3_column_text(st, 0));
    sqlite3_finalize(st);
    return line;
}

static bool select_next_older_id(struct rm_history_file *f, const struct base_app_id *before,
                                 const struct base_app_id *after, int64_t from_us, int64_t to_us,
                                 struct base_app_id *out)
{
    static const char sql[] =
        "SELECT ts,seq FROM job WHERE (ts,seq) < (?1,?2) AND (ts,seq) > (?3,?4)"
        " AND submit_us BETWEEN ?5 AND ?6 ORDER BY ts DESC, seq DESC LIMIT 1";
    const int64_t values[] = {before ? before->cluster_ts : INT64_MAX,
                              before ? before->seq : 0,
                              after ? after->cluster_ts : -1,
                              after ? after->seq : 0,
                              from_us,
                              to_us};
    sqlite3_stmt *st = NULL;
    bool found;
    int rc = sqlite3_prepare_v2(f->db, sql, -1, &st, NULL);

    for (int i = 0; rc == SQLITE_OK && i < (int)(sizeof values / sizeof *values); i++)
        rc = sqlite3_bind_int64(st, i + 1, values[i]);
    found = rc == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW;
    if (found)
        *out = (struct base_app_id){sqlite3_column_int64(st, 0), sqlite3_column_int(st, 1)};
    sqlite3_finalize(st);
    return found;
}

bool rm_history_file_find_next_older(struct rm_history_file *f, const struct base_app_id *before,
                                     const struct base_app_id *after, int64_t submitted_from_us,
                                     int64_t submitted_to_us, struct base_app_id *out)
{
    bool found;

    if (!f)
        return false;
    pthread_mutex_lock(&f->lock);
    found = open_database_if_present(f) &&
            select_next_older_id(f, before, after, submitted_from_us, submitted_to_us, out);
    pthread_mutex_unlock(&f->lock);
    return found;
}

bool rm_history_file_read_job(struct rm_history_file *f, struct base_app_id id, int64_t zero_us,
                              struct base_buf *out)
{
    struct base_error err = {0};
    char *line = NULL;
    int rc;

    pthread_mutex_lock(&f->lock);
    if (open_database_if_present(f))
        line = select_job_line(f, id);
    pthread_mutex_unlock(&f->lock);
    if (!line)
        return false;
    rc = rm_history_shift_times(line, strlen(line), 0, zero_us, out, &err);
    if (rc < 0)
        base_log_warn("rm", "history %s: %s", f->path, err.text);
    free(line);
    return rc == 0;
}

/* ---------------------------------------------------------------- jobs */
/* Copies all tasks of @kind. The core is unlocked now and then, which is safe because the tasks of
 * an ended job no longer change. */
static void copy_all_tasks_of_kind(struct rm_backend *backend, struct base_app_id id,
                                   enum base_task_kind kind, struct rm_views *out)
{
    int64_t pos = 0, before;
    int rc;

    do {
        before = pos;
        rc = rm_view_tasks(rm_backend_lock_core(backend), id, kind, 0, &pos, TASKS_AT_ONCE, out);
        rm_backend_unlock_core(backend);
    } while (rc == 0 && pos != before);
}

static bool encode_job_from_core(struct rm_backend *backend, const struct rm_app_view *app,
                                 int64_t zero_us, struct base_buf *out)
{
    struct rm_views tasks[BASE_TASK_KINDS] = {{0}};
    bool done;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        copy_all_tasks_of_kind(backend, app->id, k, &tasks[k]);
    /* the core may have dropped the job meanwhile, or never had its tasks */
    done = (int64_t)tasks[BASE_TASK_MAP].tasks_n == app->phase[BASE_TASK_MAP].total &&
           (int64_t)tasks[BASE_TASK_REDUCE].tasks_n == app->phase[BASE_TASK_REDUCE].total &&
           rm_history_encode_job(app, (const struct rm_views *)tasks, zero_us, out);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        rm_views_free(&tasks[k]);
    return done;
}

bool rm_history_read_job(struct rm_backend *backend, const struct rm_app_view *app, int64_t zero_us,
                         struct base_buf *out)
{
    return encode_job_from_core(backend, app, zero_us, out) ||
           (backend->history && rm_history_file_read_job(backend->history, app->id, zero_us, out));
}

struct rm_history_file *rm_history_get_file(const struct rm_backend *backend)
{
    return backend->history;
}

struct keep {
    struct rm_backend *b;
    struct base_app_id id;
};

static bool archive_one_job(void *user, bool stopping)
{
    struct keep *k = user;
    struct rm_views v = {0};
    struct base_buf line = {0};
    struct base_error err = {0};
    int rc = rm_view_app(rm_backend_lock_core(k->b), k->id, &v);

    (void)stopping; /* even while the process stops, the last core exists */
    rm_backend_unlock_core(k->b);
    if (rc == 0 && v.apps_n == 1 && encode_job_from_core(k->b, &v.apps[0], 0, &line) &&
        rm_history_file_store_job(k->b->history, k->id, v.apps[0].submit_us, line.data, &err) < 0)
        base_log_warn("rm", "%s", err.text);
    base_buf_free(&line);
    rm_views_free(&v);
    free(k);
    return false;
}

void rm_history_archive_job(struct rm_backend *backend, struct base_app_id id)
{
    struct keep *k = base_alloc(sizeof *k);

    *k = (struct keep){backend, id};
    rm_backend_queue_slow_task(backend, RM_SLOW_FILES, archive_one_job, k);
}
