#include "rm/rm_history_keep.h"

#include <jansson.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base_io.h"
#include "base/base_log.h"
#include "rm/rm_daemon_internal.h"
#include "rm/rm_history.h"

#define TASKS_AT_ONCE 1000 /* copied per hold of the core */
#define TEXT_(n) #n
#define TEXT(n)  TEXT_(n)

/* ---------------------------------------------------------------- the file */
struct rm_history_file {
    char *folder, *path;
    pthread_mutex_t lock;
    sqlite3 *db; /* NULL: not opened yet */
};

struct rm_history_file *rm_history_file_new(const char *folder)
{
    struct rm_history_file *f = base_alloc(sizeof *f);

    f->folder = base_strdup(folder);
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

static int fail(struct rm_history_file *f, struct base_error *err)
{
    int rc = base_error_set(err, -BASE_EIO, "history %s: %s", f->path, f->db ? sqlite3_errmsg(f->db) : "no memory");

    sqlite3_close(f->db); /* the next one tries anew */
    f->db = NULL;
    return rc;
}

static int open_file(struct rm_history_file *f, struct base_error *err)
{
    int rc;

    if (f->db)
        return 0;
    rc = base_mkdirs(f->folder, 0700, err);
    if (rc < 0)
        return rc;
    if (sqlite3_open_v2(f->path, &f->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) !=
            SQLITE_OK ||
        sqlite3_busy_timeout(f->db, 1000) != SQLITE_OK ||
        sqlite3_exec(f->db,
                     "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
                     "CREATE TABLE IF NOT EXISTS job(n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL,"
                     " line TEXT NOT NULL)",
                     NULL, NULL, NULL) != SQLITE_OK)
        return fail(f, err);
    return 0;
}

static int insert(struct rm_history_file *f, const char *id, const char *line, struct base_error *err)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(f->db, "INSERT OR REPLACE INTO job(id,line) VALUES(?1,?2)", -1, &st, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(st, 1, id, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(st, 2, line, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(st);
    sqlite3_finalize(st);
    if (rc == SQLITE_DONE)
        rc = sqlite3_exec(f->db, "DELETE FROM job WHERE n <= (SELECT max(n) FROM job) - " TEXT(RM_HISTORY_KEPT), NULL,
                          NULL, NULL);
    return rc == SQLITE_OK ? 0 : fail(f, err);
}

int rm_history_file_put(struct rm_history_file *f, struct base_app_id id, const char *line, struct base_error *err)
{
    char text[BASE_ID_TEXT_MAX];
    int rc;

    pthread_mutex_lock(&f->lock);
    rc = open_file(f, err);
    if (rc == 0)
        rc = insert(f, base_app_id_text(&id, text), line, err);
    pthread_mutex_unlock(&f->lock);
    return rc;
}

static char *select_line(struct rm_history_file *f, const char *id)
{
    sqlite3_stmt *st = NULL;
    char *line = NULL;

    if (sqlite3_prepare_v2(f->db, "SELECT line FROM job WHERE id=?1", -1, &st, NULL) == SQLITE_OK &&
        sqlite3_bind_text(st, 1, id, -1, SQLITE_STATIC) == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW)
        line = base_strdup((const char *)sqlite3_column_text(st, 0));
    sqlite3_finalize(st);
    return line;
}

/* Times of rm_history_put(): of a list, 0 stands for none. */
static void shift(json_t *o, int64_t zero_us)
{
    static const char *const one[] = {"submit_s", "start_s", "finish_s"};
    static const char *const many[] = {"map_starts_s", "reduce_starts_s"};
    double zero = (double)zero_us / 1e6;

    json_object_set_new(o, "time_0_ms", json_integer(zero_us / 1000));
    for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
        const json_t *at = json_object_get(o, one[i]);
        if (at)
            json_object_set_new(o, one[i], json_real(json_number_value(at) - zero));
    }
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
        json_t *list = json_object_get(o, many[i]);
        for (size_t k = 0; k < json_array_size(list); k++) {
            double at = json_number_value(json_array_get(list, k));
            if (at > 0)
                json_array_set_new(list, k, json_real(at - zero));
        }
    }
}

bool rm_history_file_get(struct rm_history_file *f, struct base_app_id id, int64_t zero_us, struct base_buf *out)
{
    char text[BASE_ID_TEXT_MAX], *line = NULL, *shifted;
    json_t *o;

    pthread_mutex_lock(&f->lock);
    if (f->db || (access(f->path, F_OK) == 0 && open_file(f, NULL) == 0))
        line = select_line(f, base_app_id_text(&id, text));
    pthread_mutex_unlock(&f->lock);
    o = line ? json_loads(line, JSON_REJECT_DUPLICATES, NULL) : NULL;
    free(line);
    if (!o)
        return false;
    shift(o, zero_us);
    shifted = json_dumps(o, JSON_COMPACT);
    base_buf_adds(out, shifted);
    free(shifted);
    json_decref(o);
    return true;
}

/* ---------------------------------------------------------------- jobs */
/* All tasks of a kind. They do not change any more: the job has ended. */
static void copy_tasks(struct rm_backend *b, struct base_app_id id, enum rm_slot k, struct rm_views *out)
{
    int64_t pos = 0, before;
    int rc;

    do {
        before = pos;
        rc = rm_view_tasks(rm_backend_hold(b), id, k, 0, &pos, TASKS_AT_ONCE, out);
        rm_backend_release(b);
    } while (rc == 0 && pos != before);
}

static bool put_from_core(struct rm_backend *b, const struct rm_app_view *a, int64_t zero_us, struct base_buf *out)
{
    struct rm_views tasks[RM_SLOT_KINDS] = {{0}};
    bool done;

    for (int k = 0; k < RM_SLOT_KINDS; k++)
        copy_tasks(b, a->id, (enum rm_slot)k, &tasks[k]);
    /* the core may have dropped the job meanwhile, or never had its tasks */
    done = (int64_t)tasks[RM_SLOT_MAP].tasks_n == a->phase[RM_SLOT_MAP].total &&
           (int64_t)tasks[RM_SLOT_REDUCE].tasks_n == a->phase[RM_SLOT_REDUCE].total &&
           rm_history_put(a, (const struct rm_views *)tasks, zero_us, out);
    for (int k = 0; k < RM_SLOT_KINDS; k++)
        rm_views_free(&tasks[k]);
    return done;
}

bool rm_history_of(struct rm_backend *b, const struct rm_app_view *a, int64_t zero_us, struct base_buf *out)
{
    return put_from_core(b, a, zero_us, out) || (b->history && rm_history_file_get(b->history, a->id, zero_us, out));
}

struct keep {
    struct rm_backend *b;
    struct base_app_id id;
};

static bool keep_one(void *user, bool stopping)
{
    struct keep *k = user;
    struct rm_views v = {0};
    struct base_buf line = {0};
    struct base_error err = {0};
    int rc = stopping ? -BASE_ESTATE : rm_view_app(rm_backend_hold(k->b), k->id, &v);

    if (!stopping)
        rm_backend_release(k->b);
    if (rc == 0 && v.apps_n == 1 && put_from_core(k->b, &v.apps[0], 0, &line) &&
        rm_history_file_put(k->b->history, k->id, line.data, &err) < 0)
        base_log_warn("rm", "%s", err.text);
    base_buf_free(&line);
    rm_views_free(&v);
    free(k);
    return false;
}

void rm_history_keep(struct rm_backend *b, struct base_app_id id)
{
    struct keep *k = base_alloc(sizeof *k);

    *k = (struct keep){b, id};
    rm_backend_slow(b, RM_SLOW_FILES, keep_one, k);
}
