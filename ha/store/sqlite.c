/* ha/store/sqlite.c - the store of a single ResourceManager: one SQLite file with a write-ahead log
 * and synchronous=FULL.
 *
 * All records are in one table with primary key (tbl, key) WITHOUT ROWID: a batch is one
 * transaction of upserts, a load is a range scan. EXCLUSIVE locking keeps a second process out
 * while this one lives, and lets WAL work without a shared memory file. */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/id.h"
#include "base/io/io.h"
#include "base/mem.h"
#include "ha/store/store.h"

#define SCHEMA_VERSION 1
#define APPLICATION_ID 0x4352454c /* "CREL"; distinguishes our file from any other SQLite file */

enum statement { ST_BEGIN, ST_COMMIT, ST_ROLLBACK, ST_UPSERT, ST_REMOVE, ST_LOAD, ST_KINDS };
static const char *const statements[ST_KINDS] = {
    [ST_BEGIN] = "BEGIN IMMEDIATE",
    [ST_COMMIT] = "COMMIT",
    [ST_ROLLBACK] = "ROLLBACK",
    [ST_UPSERT] = ("INSERT INTO record(tbl,key,data) VALUES(?1,?2,?3) "
                   "ON CONFLICT(tbl,key) DO UPDATE SET data=excluded.data"),
    [ST_REMOVE] = "DELETE FROM record WHERE tbl=?1 AND key=?2",
    [ST_LOAD] = "SELECT key,data FROM record WHERE tbl=?1 ORDER BY key",
};

struct store {
    struct ha_store base;
    sqlite3 *db;
    sqlite3_stmt *st[ST_KINDS];
    char *path;
    /* the file is ours and is being opened; until that is done, a statement that cannot be prepared
     * means that a table is missing */
    bool identified;
};

/* Returns the negative BASE_E* for SQLite's result @rc of @doing, and sets @err to a message that
 * names the file and what an operator can do. */
static int set_sqlite_error(const struct store *s, int rc, const char *doing,
                            struct base_error *err)
{
    const char *text = s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(rc);

    if ((rc & 0xff) == SQLITE_ERROR && s->identified)
        rc = SQLITE_CORRUPT;
    switch (rc & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return base_error_set(
            err, -BASE_ESTATE,
            "state store %s is locked: another ResourceManager is using it; stop that one, or give "
            "this one its own file",
            s->path);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
    case SQLITE_MISMATCH:
        return base_error_set(err, -BASE_ECORRUPT,
                              "state store %s cannot be read (%s): restore a copy of it (with its "
                              "-wal file), or move "
                              "it away to start with an empty cluster",
                              s->path, text);
    case SQLITE_FULL:
        return base_error_set(err, -BASE_ENOSPC, "state store %s: %s: No space left on device",
                              s->path, doing);
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return base_error_set(err, -BASE_EIO,
                              "state store %s: %s: %s: check the folder and its permissions",
                              s->path, doing, text);
    default:
        if (s->db && sqlite3_system_errno(s->db) == ENOSPC)
            return base_error_set(err, -BASE_ENOSPC, "state store %s: %s: No space left on device",
                                  s->path, doing);
        return base_error_set(err, -BASE_EIO, "state store %s: %s: %s", s->path, doing, text);
    }
}

static int execute_sql(struct store *s, const char *sql, struct base_error *err)
{
    int rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);

    return rc == SQLITE_OK ? 0 : set_sqlite_error(s, rc, "preparing it", err);
}

/* Sets *@out to the first column of the first row as a number, and *@found to whether there is a
 * row. */
static int query_int(struct store *s, const char *sql, int64_t *out, bool *found,
                     struct base_error *err)
{
    sqlite3_stmt *st;
    int rc = sqlite3_prepare_v2(s->db, sql, -1, &st, NULL);

    if (rc != SQLITE_OK)
        return set_sqlite_error(s, rc, "reading it", err);
    rc = sqlite3_step(st);
    *found = rc == SQLITE_ROW;
    if (*found)
        *out = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 : set_sqlite_error(s, rc, "reading it", err);
}

static int check_database_integrity(struct store *s, struct base_error *err)
{
    sqlite3_stmt *st;
    int rc = sqlite3_prepare_v2(s->db, "PRAGMA quick_check(1)", -1, &st, NULL), result = 0;
    const char *text;

    if (rc != SQLITE_OK)
        return set_sqlite_error(s, rc, "checking it", err);
    rc = sqlite3_step(st);
    if (rc != SQLITE_ROW) {
        result = set_sqlite_error(s, rc == SQLITE_DONE ? SQLITE_CORRUPT : rc, "checking it", err);
    } else {
        text = (const char *)sqlite3_column_text(st, 0);
        if (!text || strcmp(text, "ok") != 0)
            result = base_error_set(
                err, -BASE_ECORRUPT,
                "state store %s is damaged (%s): restore a copy of it (with its -wal file), or "
                "move it away to start with an empty cluster",
                s->path, text ? text : "unreadable");
    }
    sqlite3_finalize(st);
    return result;
}

/* Checks that the file is a store of ours, of a version that we know. *@fresh: the file has no
 * tables yet. */
static int check_store_format(struct store *s, bool *fresh, struct base_error *err)
{
    int64_t app = 0, version = 0, tables = 0;
    bool found;
    int rc;

    if ((rc = query_int(s, "PRAGMA application_id", &app, &found, err)) < 0 ||
        (rc = query_int(s, "PRAGMA user_version", &version, &found, err)) < 0 ||
        (rc = query_int(s, "SELECT count(*) FROM sqlite_master", &tables, &found, err)) < 0)
        return rc;
    *fresh = tables == 0 && app == 0;
    if (*fresh)
        return 0;
    if (app != APPLICATION_ID)
        return base_error_set(err, -BASE_ECORRUPT,
                              "state store %s is an SQLite file, but not one of Creel's: give "
                              "another path, or move it "
                              "away to start with an empty cluster",
                              s->path);
    if (version > SCHEMA_VERSION)
        return base_error_set(
            err, -BASE_EVERSION,
            "state store %s was written by a newer Creel (schema %lld, this one knows %d): start "
            "that version, or move the file away to start with an empty cluster",
            s->path, (long long)version, SCHEMA_VERSION);
    return 0;
}

/* A lost or impossible epoch cannot be replaced by a guess: container ids have only 23 bits for it,
 * and nodes obey no epoch below the highest they have seen. */
static int set_bad_epoch_error(const struct store *s, int64_t epoch, bool found,
                               struct base_error *err)
{
    char text[24];

    snprintf(text, sizeof text, "%lld", (long long)epoch);
    return base_error_set(err, -BASE_ECORRUPT,
                          "state store %s: its epoch is %s, expected 0 to %lld. Repair: sqlite3 %s "
                          "\"INSERT OR REPLACE INTO epoch "
                          "VALUES(1,N)\" with an N that is not below any that nodes show as "
                          "epochSeen; or restore a copy, or "
                          "move it away to start with an empty cluster",
                          s->path, found ? text : "no number", (long long)BASE_EPOCH_MAX - 1,
                          s->path);
}

/* Creates the tables of a fresh file, or raises the epoch of an old one, in one durable
 * transaction. Sets *@epoch to the new epoch. */
static int create_tables_or_raise_epoch(struct store *s, bool fresh, int64_t *epoch,
                                        struct base_error *err)
{
    char sql[160];
    bool found = false;
    int rc;

    *epoch = 0;
    if ((rc = execute_sql(s, "BEGIN IMMEDIATE", err)) < 0)
        return rc;
    if (fresh) {
        snprintf(sql, sizeof sql, "PRAGMA application_id=%d; PRAGMA user_version=%d",
                 APPLICATION_ID, SCHEMA_VERSION);
        rc = execute_sql(s, sql, err);
        if (rc == 0)
            rc = execute_sql(
                s,
                "CREATE TABLE record(tbl TEXT NOT NULL, key TEXT NOT NULL, data BLOB NOT NULL, "
                "PRIMARY KEY(tbl,key)) WITHOUT ROWID;"
                "CREATE TABLE epoch(one INTEGER PRIMARY KEY CHECK(one=1), value INTEGER NOT NULL);"
                "INSERT INTO epoch VALUES(1,0)",
                err);
    } else {
        rc = query_int(s, "SELECT value FROM epoch WHERE one=1 AND typeof(value)='integer'", epoch,
                       &found, err);
        if (rc == 0 && (!found || *epoch < 0 || *epoch >= BASE_EPOCH_MAX))
            rc = set_bad_epoch_error(s, *epoch, found, err);
        if (rc == 0)
            rc = execute_sql(s, "UPDATE epoch SET value=value+1 WHERE one=1", err);
        if (rc == 0)
            ++*epoch;
    }
    if (rc == 0)
        rc = execute_sql(s, "COMMIT", err);
    if (rc < 0)
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return rc;
}

static void sqlite_close(struct ha_store *base)
{
    struct store *s = (struct store *)base;

    for (int i = 0; i < ST_KINDS; i++)
        sqlite3_finalize(s->st[i]);
    sqlite3_close(s->db); /* merges the write-ahead log into the file and removes the log */
    free(s->path);
    free(s);
}

static int create_parent_folder(const char *path, struct base_error *err)
{
    const char *slash = strrchr(path, '/');
    char *dir;
    int rc;

    if (!slash || slash == path)
        return 0;
    dir = base_strndup(path, (size_t)(slash - path));
    rc = base_mkdirs(dir, 0700, err);
    free(dir);
    return rc < 0 ? base_error_wrap(err, rc, "state store %s", path) : 0;
}

/* Creates the file with mode 0600, since its records contain tokens, which other users of this host
 * must not read (tasks on this host can: they run as the same user). SQLite would create it with
 * the mode that the umask allows, and the umask belongs to all threads. The log beside the file
 * gets the file's mode. */
static int create_private_file(const char *path, struct base_error *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    if (fd < 0)
        return base_error_sys(err, -BASE_EIO, errno, "state store %s", path);
    close(fd);
    return 0;
}

static int open_database(struct store *s, int64_t *epoch, struct base_error *err)
{
    /* EXCLUSIVE is set before WAL and before the first access, as SQLite's manual requires for a
     * log without shared memory. A second process fails at its first read with SQLITE_BUSY. */
    static const char setup[] =
        "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
        "PRAGMA wal_autocheckpoint=4000; PRAGMA journal_size_limit=67108864;"
        "PRAGMA temp_store=MEMORY; PRAGMA cache_size=-8192; PRAGMA trusted_schema=OFF";
    bool fresh = false;
    int rc = create_private_file(s->path, err);

    if (rc < 0)
        return rc;
    rc = sqlite3_open_v2(s->path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc != SQLITE_OK)
        return set_sqlite_error(s, rc, "opening it", err);
    sqlite3_extended_result_codes(s->db, 1);
    if ((rc = execute_sql(s, setup, err)) < 0 || (rc = check_database_integrity(s, err)) < 0 ||
        (rc = check_store_format(s, &fresh, err)) < 0)
        return rc;
    s->identified = true;
    if ((rc = create_tables_or_raise_epoch(s, fresh, epoch, err)) < 0)
        return rc;
    for (int i = 0; i < ST_KINDS; i++) {
        rc = sqlite3_prepare_v3(s->db, statements[i], -1, SQLITE_PREPARE_PERSISTENT, &s->st[i],
                                NULL);
        if (rc != SQLITE_OK)
            return set_sqlite_error(s, rc, "preparing it", err);
    }
    s->identified = false;
    return 0;
}

static int sqlite_open(const char *where, const struct ha_store_lead *lead, struct ha_store **out,
                       int64_t *epoch, struct base_error *err)
{
    struct store *s;
    int rc = create_parent_folder(where, err);

    (void)lead;
    if (rc < 0)
        return rc;
    s = base_alloc(sizeof *s);
    s->path = base_strdup(where);
    rc = open_database(s, epoch, err);
    if (rc < 0) {
        sqlite_close(&s->base);
        return rc;
    }
    *out = &s->base;
    return 0;
}

/* Turns keys that are BLOBs back into texts. An operator's tool or a flipped bit may have changed
 * the type of a key; no text is equal to it then, so the row would be loaded at every start and
 * never be removed. If a row with the text exists too, that one is newer, and the row with the BLOB
 * moves to table "damaged". BLOBs sort after all texts, so the index finds them without a scan. */
static int repair_blob_keys(struct store *s, const char *table, struct base_error *err)
{
    char *sql = sqlite3_mprintf(
        "BEGIN IMMEDIATE;"
        "UPDATE OR IGNORE record SET key=CAST(key AS TEXT) WHERE tbl=%Q AND key>=x'';"
        "INSERT OR REPLACE INTO record SELECT 'damaged',tbl||'/'||CAST(key AS TEXT),data FROM "
        "record "
        "WHERE tbl=%Q AND key>=x'';"
        "DELETE FROM record WHERE tbl=%Q AND key>=x'';"
        "COMMIT",
        table, table, table);
    struct base_error undo;
    int rc;

    base_assert(sql);
    rc = execute_sql(s, sql, err);
    sqlite3_free(sql);
    if (rc < 0)
        execute_sql(s, "ROLLBACK", &undo);
    return rc;
}

static int sqlite_load(struct ha_store *base, const char *table, ha_record_fn *each, void *user,
                       struct base_error *err)
{
    struct store *s = (struct store *)base;
    sqlite3_stmt *st = s->st[ST_LOAD];
    int rc, result = repair_blob_keys(s, table, err);

    if (result < 0)
        return result;
    sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
    while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
        /* sqlite3_column_text() ends its result with a NUL */
        struct ha_record rec = {.table = table, .key = (const char *)sqlite3_column_text(st, 0)};

        rec.data = (const char *)sqlite3_column_text(st, 1);
        rec.len = (size_t)sqlite3_column_bytes(st, 1);
        if (!rec.data) { /* NULL: passed on as an empty record, which the reader will refuse */
            rec.data = "";
            rec.len = 0;
        }
        if (rec.key)
            result = each(user, &rec, err);
        if (result < 0)
            break;
    }
    if (result == 0 && rc != SQLITE_DONE)
        result = set_sqlite_error(s, rc, "reading it", err);
    sqlite3_reset(st);
    sqlite3_clear_bindings(st);
    return result;
}

/* Runs a statement to its end. Returns SQLITE_OK, or the error of the step; the result of the reset
 * does not matter. */
static int run_statement(sqlite3_stmt *st)
{
    int rc = sqlite3_step(st);

    sqlite3_reset(st);
    return rc == SQLITE_DONE || rc == SQLITE_ROW ? SQLITE_OK : rc;
}

static int write_record(struct store *s, const struct ha_record *rec)
{
    sqlite3_stmt *st = s->st[rec->data ? ST_UPSERT : ST_REMOVE];

    sqlite3_bind_text(st, 1, rec->table, -1, SQLITE_STATIC);
    sqlite3_bind_text(st, 2, rec->key, -1, SQLITE_STATIC);
    if (rec->data)
        sqlite3_bind_blob64(st, 3, rec->data, rec->len, SQLITE_STATIC);
    return run_statement(st);
}

static int sqlite_write(struct ha_store *base, const struct ha_record *v, size_t n,
                        struct base_error *err)
{
    struct store *s = (struct store *)base;
    int rc = run_statement(s->st[ST_BEGIN]), result;

    for (size_t i = 0; i < n && rc == SQLITE_OK; i++)
        rc = write_record(s, &v[i]);
    if (rc == SQLITE_OK)
        rc = run_statement(s->st[ST_COMMIT]);
    if (rc == SQLITE_OK)
        return 0;
    result = set_sqlite_error(s, rc, "writing", err);
    if (!sqlite3_get_autocommit(s->db)) /* a full disk may have caused a rollback already */
        run_statement(s->st[ST_ROLLBACK]);
    return result;
}

static int sqlite_raise_epoch(struct ha_store *base, int64_t epoch, struct base_error *err)
{
    char sql[80];

    if (epoch < 0 || epoch > BASE_EPOCH_MAX)
        return base_error_set(
            err, -BASE_ELIMIT,
            "no epoch is left: %lld is more than the %lld that container ids hold",
            (long long)epoch, (long long)BASE_EPOCH_MAX);
    snprintf(sql, sizeof sql, "UPDATE epoch SET value=max(value,%lld) WHERE one=1",
             (long long)epoch);
    return execute_sql((struct store *)base, sql, err);
}

const struct ha_store_ops ha_store_sqlite = {.name = "sqlite",
                                             .open = sqlite_open,
                                             .load = sqlite_load,
                                             .write = sqlite_write,
                                             .close = sqlite_close,
                                             .raise = sqlite_raise_epoch};
