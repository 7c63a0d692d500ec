#include "rm/leader/load_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io/io.h"
#include "base/io/log.h"
#include "rm/http/app_json.h"
#include "rm/http/spec_json.h"

/* in the order in which the core needs the records */
static const char *const tables[] = {"meta", "app", "node", "task", "commit"};

#define INSTANCE_TABLE "instance"
#define CLUSTER_TS     "cluster-ts"
#define CLUSTER_TS_MAX INT64_C(253402300799000) /* the end of the year 9999 */

/* ---------------------------------------------------------------- time in application ids */
struct last_ts {
    int64_t ms;          /* -1: none stored */
    struct base_buf bad; /* the text of a damaged record; data NULL: undamaged */
};

static int read_stored_ts(void *user, const struct ha_record *rec, struct base_error *err)
{
    struct last_ts *last = user;

    (void)err;
    if (strcmp(rec->key, CLUSTER_TS) != 0)
        return 0;
    if (base_int_parse(rec->data, 0, CLUSTER_TS_MAX, &last->ms) < 0 ||
        strlen(rec->data) != rec->len) {
        last->ms = -1;
        base_buf_add(&last->bad, rec->data, rec->len);
    }
    return 0;
}

static int raise_to_ts_of_app_id(void *user, const struct ha_record *rec, struct base_error *err)
{
    struct last_ts *last = user;
    struct base_app_id id;

    (void)err;
    if (base_app_id_parse(rec->key, &id, NULL) == 0 && id.cluster_ts <= CLUSTER_TS_MAX &&
        id.cluster_ts > last->ms)
        last->ms = id.cluster_ts;
    return 0;
}

/* Stores the text of the damaged record under another key, and takes the time of the newest
 * application id instead: no id may be assigned a second time. Returns 0 or the store's error. */
static int replace_damaged_ts(struct ha_store *store, struct last_ts *last, struct base_error *err)
{
    const struct ha_record kept = {"damaged", INSTANCE_TABLE "/" CLUSTER_TS, last->bad.data,
                                   last->bad.len};
    int rc = ha_store_load(store, "app", raise_to_ts_of_app_id, last, err);

    base_log_error(
        "recover",
        "record " INSTANCE_TABLE "/" CLUSTER_TS
        ": \"%.40s\" is not a time in ms; it is kept in the state store as %s/%s, and the time is "
        "taken from the ids of the stored applications",
        last->bad.data, kept.table, kept.key);
    return rc < 0 ? rc : ha_store_write(store, &kept, 1, err);
}

int rm_raise_and_store_cluster_ts(struct ha_store *store, int64_t *ts_ms, struct base_error *err)
{
    char text[24];
    struct last_ts last = {.ms = -1};
    struct ha_record rec = {.table = INSTANCE_TABLE, .key = CLUSTER_TS, .data = text};
    int rc = ha_store_load(store, INSTANCE_TABLE, read_stored_ts, &last, err);

    if (rc == 0 && last.bad.data)
        rc = replace_damaged_ts(store, &last, err);
    base_buf_free(&last.bad);
    if (rc < 0)
        return rc;
    if (*ts_ms <= last.ms)
        *ts_ms = last.ms + 1;
    rec.len = (size_t)snprintf(text, sizeof text, "%" PRId64, *ts_ms);
    return ha_store_write(store, &rec, 1, err);
}

/* ---------------------------------------------------------------- the records */
struct recovery {
    struct rm_core *core;
    const struct rm_lease *lease;
    size_t records, apps;
};

/* Decodes the submission inside an application's record: the core needs the submission before
 * the record itself. */
static int decode_and_provide_submission(struct recovery *r, const struct rm_record *rec,
                                         struct base_error *err)
{
    struct rm_job_spec *job = NULL;
    struct rm_app_spec *app = NULL;
    struct base_app_id id = {0};
    const char *json = NULL;
    bool is_job = false;
    int rc = rm_record_find_app_json(rec, &is_job, &json, &id, err);
    size_t len = rc < 0 ? 0 : (size_t)(rec->data + rec->len - json);

    if (rc < 0)
        return rc;
    if (is_job) {
        rc = rm_spec_job_from_stored_json(json, len, id, &job, err);
        if (rc == 0)
            rm_core_provide_job_spec_for_recovery(r->core, job);
    } else {
        rc = rm_app_spec_from_stored_json(json, len, &app, err);
        if (rc == 0)
            rm_core_provide_app_spec_for_recovery(r->core, app);
    }
    r->apps++;
    return rc;
}

/* An application whose submission cannot be decoded is listed by its id, so that it does not
 * look lost. */
static void recover_app_as_damaged(struct recovery *r, const struct rm_record *rec,
                                   const struct base_error *why)
{
    struct rm_app_spec *unknown = rm_app_spec_new_placeholder(rec->key);

    if (unknown)
        rm_core_provide_app_spec_for_recovery(r->core, unknown);
    rm_core_recover_undecodable_app(r->core, rec, why->text);
}

static int recover_record(struct recovery *r, const struct ha_record *stored,
                          struct base_error *err)
{
    struct rm_record rec = {
        .table = stored->table, .key = stored->key, .data = stored->data, .len = stored->len};
    struct base_error why;

    r->records++;
    if (strcmp(rec.table, "app") != 0 || decode_and_provide_submission(r, &rec, &why) == 0)
        return rm_core_recover_record(r->core, &rec, err);
    recover_app_as_damaged(r, &rec, &why);
    return 0;
}

int rm_load_record(struct rm_core *core, const struct ha_record *stored, struct base_error *err)
{
    return recover_record(&(struct recovery){.core = core}, stored, err);
}

static int recover_record_unless_deposed(void *user, const struct ha_record *stored,
                                         struct base_error *err)
{
    struct recovery *r = user;

    if (rm_lease_is_deposed(r->lease))
        return base_error_set(err, -BASE_EVERSION,
                              "the leadership ended while the state was being read");
    return recover_record(r, stored, err);
}

int rm_load_records(struct rm_core *core, struct ha_store *store, const struct rm_lease *lease,
                    struct base_error *err)
{
    struct recovery r = {.core = core, .lease = lease};

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        int rc = ha_store_load(store, tables[i], recover_record_unless_deposed, &r, err);
        if (rc == -BASE_EVERSION)
            return rc;
        if (rc < 0)
            return base_error_wrap(err, rc, "the state store cannot be used");
    }
    if (r.records)
        base_log_info("recover", "%zu records, %zu applications and jobs read back", r.records,
                      r.apps);
    return 0;
}
