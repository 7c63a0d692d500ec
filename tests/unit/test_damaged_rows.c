/* Goal: an RM still starts from a store file in which any one row is damaged, and what is healthy
 * in the file is there; for the rows that only an operator can judge, the refusal names the option
 * that repairs them. Method: a file that a daemon has made, over SQLite; each row in turn is
 * damaged on disk in several ways, and the daemon is started from it twice. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/conf/conf.h"
#include "base/io/io.h"
#include "rm/daemon/daemon.h"
#include "rm/http/spec_json.h"
#include "rm/leader/sole_rm.h"
#include "tests/unit/count_jobs.h"
#include "tests/unit/cunit_main.h"
#include "tests/unit/stores.h"

#define JOBS     3
#define ROWS_MAX 32

static char dir[] = "/tmp/creel-rows-XXXXXX";
static char whole[64], tried[64], input[64];
static struct base_conf *conf;
static struct row {
    char table[32], key[128];
} rows[ROWS_MAX];
static size_t rows_n;

/* ---------------------------------------------------------------- the file */
static int take_row(void *user, int n, char **v, char **names)
{
    (void)user;
    (void)n;
    (void)names;
    base_assert(rows_n < ROWS_MAX);
    snprintf(rows[rows_n].table, sizeof rows[rows_n].table, "%s", v[0]);
    snprintf(rows[rows_n++].key, sizeof rows[0].key, "%s", v[1]);
    return 0;
}

static int take_count(void *user, int n, char **v, char **names)
{
    (void)n;
    (void)names;
    *(int *)user = atoi(v[0]);
    return 0;
}

static void sql(const char *path, const char *text, int (*each)(void *, int, char **, char **),
                void *user)
{
    sqlite3 *db;

    CU_ASSERT_EQUAL_FATAL(sqlite3_open(path, &db), SQLITE_OK);
    CU_ASSERT_EQUAL(sqlite3_exec(db, text, each, user, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static int kept_aside(const char *path)
{
    int n = -1;

    sql(path, "SELECT count(*) FROM record WHERE tbl='damaged'", take_count, &n);
    return n;
}

static void copy_file(const char *from, const char *to)
{
    struct base_buf data = {0};
    char beside[80];

    snprintf(beside, sizeof beside, "%s-wal", to);
    unlink(beside);
    CU_ASSERT_EQUAL_FATAL(base_file_read(from, 1 << 20, &data, NULL), 0);
    CU_ASSERT_EQUAL_FATAL(base_file_write_atomic(to, data.data, data.len, 0600, false, NULL), 0);
    base_buf_free(&data);
}

/* ---------------------------------------------------------------- the daemon */
struct post {
    struct rm_event ev;
    char token[33];
    atomic_int open; /* how many of answer and release are outstanding */
};

static void on_reply(void *user, const struct rm_effect *fx)
{
    CU_ASSERT(fx->kind == RM_FX_REPLY && fx->u.reply.kind == RM_REPLY_JOB);
    atomic_fetch_sub(&((struct post *)user)->open, 1);
}

static void on_release(void *user)
{
    atomic_fetch_sub(&((struct post *)user)->open, 1);
}

static void submit(struct rm_backend *b, const char *body)
{
    const struct rm_spec_defaults d = {.user = "ann", .split_size = 1, .max_attempts = 4};
    const struct timespec tick = {0, 1000000};
    struct post p = {.ev = {.kind = RM_EV_SUBMIT_JOB, .caller = "ann"},
                     .token = "0123456789abcdef0123456789abcdef"};
    struct rm_job_spec *spec = NULL;

    CU_ASSERT_EQUAL_FATAL(rm_spec_job_decode(body, strlen(body), &d, &spec, NULL), 0);
    p.ev.u.submit_job.spec = spec;
    p.ev.u.submit_job.app_token = p.token;
    atomic_init(&p.open, 2);
    rm_backend_post(b, &p.ev, on_reply, on_release, &p);
    while (atomic_load(&p.open) > 0)
        nanosleep(&tick, NULL);
}

/* Starts from @path, and stops when what recovery writes is written. Returns the number of jobs, or
 * a negative BASE_E*. */
static int start_from(const char *path, void (*with)(struct rm_backend *b), struct base_error *err)
{
    struct rm_backend *b = NULL;
    int rc = rm_daemon_new_sole(conf, NULL, store_kind("sqlite"), path, NULL, &b, err);

    if (rc < 0)
        return rc;
    rm_daemon_start(b);
    rm_daemon_set_url(b, "http://127.0.0.1:1");
    if (with)
        with(b);
    rc = (int)count_jobs(b);
    CU_ASSERT_EQUAL(rm_daemon_stop(b, NULL), 0);
    rm_daemon_free(b);
    return rc;
}

static void submit_all(struct rm_backend *b)
{
    char *body = base_printf("{\"job\":{\"input\":[\"%s\"],\"output\":\"%s/out\",\"map\":\"cat\"}}",
                             input, dir);

    submit(b, "{\"job\":{\"tasks\":[{\"command\":\"true\",\"count\":3}]}}");
    submit(b, "{\"job\":{\"tasks\":[{\"command\":\"true\"}]}}");
    submit(b, body);
    free(body);
}

/* Makes the file with a daemon; rows that nodes bring about are added as the daemon would have
 * written them. */
static void make_file(void)
{
    struct base_error err = {0};

    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
    snprintf(whole, sizeof whole, "%s/whole.db", dir);
    snprintf(tried, sizeof tried, "%s/tried.db", dir);
    snprintf(input, sizeof input, "%s/in", dir);
    CU_ASSERT_EQUAL(base_file_write_atomic(input, "ab", 2, 0600, false, NULL), 0);
    conf = base_conf_new();
    {
        char *arg = base_printf("creel.rm.state-dir=%s", dir);

        base_assert(base_conf_set_arg(conf, arg, NULL) == 0);
        free(arg);
    }
    CU_ASSERT_EQUAL_FATAL(start_from(whole, submit_all, &err), JOBS);
    sql(whole,
        "INSERT INTO record SELECT 'task', replace(key,'application','task')||'_m_000000',"
        " CAST('t1 3 1 1 0 0 0 5 7:n1:8042 1700000000000000 1700000000000000 - 0 0 '"
        " AS BLOB)"
        " FROM record WHERE tbl='app' AND key LIKE '%_0001';"
        "INSERT INTO record SELECT 'commit', replace(key,'application','task')||'_m_000001',"
        " CAST('c1 0 ' AS BLOB) FROM record WHERE tbl='app' AND key LIKE '%_0001';"
        "INSERT INTO record VALUES('node','n1:8042',"
        " CAST('n1 1 2:n1 7:n1:8042 8:/default 1:1 1:b 1:i 2 1 ' AS BLOB))",
        NULL, NULL);
    CU_ASSERT_EQUAL_FATAL(start_from(whole, NULL, &err), JOBS);
    CU_ASSERT_EQUAL(kept_aside(whole), 0); /* what was added is as it should be */
    sql(whole, "SELECT tbl,key FROM record ORDER BY tbl,key", take_row, NULL);
}

/* ---------------------------------------------------------------- damage */
static const char *const ways[] = {"''", "x'ff00fe01'", "substr(data,1,length(data)/2)",
                                   "CAST(data||'9 9 ' AS BLOB)"};

static const char *repair_of(const struct row *r)
{
    return strcmp(r->table, "meta") == 0 && strcmp(r->key, "format") == 0 ? "--format-confirmed"
                                                                          : NULL;
}

static void damaged(const struct row *r, const char *way)
{
    char *text =
        base_printf("UPDATE record SET data=%s WHERE tbl='%s' AND key='%s'", way, r->table, r->key);
    const char *repair = repair_of(r);
    struct base_error err = {0};
    int kept, jobs;

    copy_file(whole, tried);
    sql(tried, text, NULL, NULL);
    free(text);
    jobs = start_from(tried, NULL, &err);
    if (repair) {
        CU_ASSERT_EQUAL(jobs, -BASE_ECORRUPT);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, repair));
        return;
    }
    /* a job whose record is damaged is shown as a plain application */
    CU_ASSERT(jobs == JOBS || (jobs == JOBS - 1 && strcmp(r->table, "app") == 0));
    kept = kept_aside(tried);
    CU_ASSERT_EQUAL(start_from(tried, NULL, &err), jobs);
    CU_ASSERT_EQUAL(kept_aside(tried), kept); /* no further damage is found */
}

static int blobs(const char *path)
{
    int n = -1;

    sql(path, "SELECT count(*) FROM record WHERE typeof(key)='blob'", take_count, &n);
    return n;
}

/* The row's key becomes a BLOB, or (@beside) a second row has the key as a BLOB. Alone, it is read
 * as the text that it was; the second row is kept aside. */
static void odd_key(const struct row *r, bool beside)
{
    static const char format[] = "%s WHERE tbl='%s' AND key='%s'";
    char *text =
        base_printf(format,
                    beside ? "INSERT INTO record SELECT tbl,CAST(key AS BLOB),x'00' FROM record"
                           : "UPDATE record SET key=CAST(key AS BLOB)",
                    r->table, r->key);
    struct base_error err = {0};

    copy_file(whole, tried);
    sql(tried, text, NULL, NULL);
    free(text);
    CU_ASSERT_EQUAL(blobs(tried), 1);
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL(start_from(tried, NULL, &err), JOBS);
        CU_ASSERT_EQUAL(blobs(tried), 0);
        CU_ASSERT_EQUAL(kept_aside(tried), beside);
    }
    text = base_printf("SELECT count(*) FROM record WHERE tbl='%s' AND key='%s' AND data<>x'00'",
                       r->table, r->key);
    int n = -1;

    sql(tried, text, take_count, &n);
    CU_ASSERT_EQUAL(n, 1);
    free(text);
}

static void test_each_row(void)
{
    static const char *const tables[] = {"app", "commit", "instance", "meta", "node", "task"};

    make_file();
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        bool there = false;

        for (size_t i = 0; i < rows_n; i++)
            there = there || strcmp(rows[i].table, tables[k]) == 0;
        CU_ASSERT(there);
    }
    for (size_t i = 0; i < rows_n; i++)
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
            damaged(&rows[i], ways[k]);
    for (size_t i = 0; i < rows_n; i++) {
        odd_key(&rows[i], false);
        odd_key(&rows[i], true);
    }
    base_conf_free(conf);
    CU_ASSERT_EQUAL(base_rmtree(dir, NULL), 0);
}

static const struct cunit_case cases[] = {{"each row in turn", test_each_row}};
CUNIT_MAIN("damaged rows", cases)
