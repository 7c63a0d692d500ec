/* rm/rm_recover.c - reads the store back into the core before anything is served. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base_io.h"
#include "base/base_log.h"
#include "rm/rm_app_json.h"
#include "rm/rm_daemon_internal.h"
#include "rm/rm_spec_json.h"

static const char *const tables[] = {"meta", "app", "node", "task", "commit"}; /* in the order the core wants */

#define INSTANCE_TABLE "instance"
#define CLUSTER_TS     "cluster-ts"

/* ---------------------------------------------------------------- the time that application ids carry */
static int take_ts(void *user, const struct ha_record *rec, struct base_error *err)
{
    if (strcmp(rec->key, CLUSTER_TS) != 0)
        return 0;
    if (base_int_parse(rec->data, 0, INT64_MAX - 1, user) < 0)
        return base_error_set(err, -BASE_ECORRUPT,
                              "record " INSTANCE_TABLE "/" CLUSTER_TS ": \"%.40s\" is no time in ms", rec->data);
    return 0;
}

int rm_cluster_ts_take(const struct ha_store_ops *ops, struct ha_store *store, int64_t *ts_ms, struct base_error *err)
{
    char text[24];
    int64_t last = -1;
    struct ha_record rec = {.table = INSTANCE_TABLE, .key = CLUSTER_TS, .data = text};
    int rc = ops->load(store, INSTANCE_TABLE, take_ts, &last, err);

    if (rc < 0)
        return rc;
    if (*ts_ms <= last)
        *ts_ms = last + 1;
    rec.len = (size_t)snprintf(text, sizeof text, "%" PRId64, *ts_ms);
    return ops->write(store, &rec, 1, err);
}

/* ---------------------------------------------------------------- the records */
struct recovery {
    struct rm_core *core;
    const atomic_bool *stop;
    size_t records, apps;
};

/* The decoded submission goes to the core before its application's record. */
static int give_spec(struct recovery *r, const struct rm_record *rec, struct base_error *err)
{
    struct rm_job_spec *job = NULL;
    struct rm_app_spec *app = NULL;
    struct base_app_id id = {0};
    const char *json = NULL;
    bool is_job = false;
    int rc = rm_record_app_json(rec, &is_job, &json, &id, err);

    if (rc < 0)
        return rc;
    if (is_job) {
        rc = rm_spec_job_from_text(json, strlen(json), id, &job, err);
        if (rc == 0)
            rm_core_recover_job(r->core, job);
    } else {
        rc = rm_app_spec_from_text(json, strlen(json), &app, err);
        if (rc == 0)
            rm_core_recover_app(r->core, app);
    }
    r->apps++;
    return rc;
}

static int one(void *user, const struct ha_record *stored, struct base_error *err)
{
    struct recovery *r = user;
    struct rm_record rec = {.table = stored->table, .key = stored->key, .data = stored->data, .len = stored->len};
    int rc = 0;

    if (atomic_load_explicit(r->stop, memory_order_relaxed))
        return base_error_set(err, -BASE_EVERSION, "the leadership ended while the state was being read");
    r->records++;
    if (strcmp(rec.table, "app") == 0)
        rc = give_spec(r, &rec, err);
    if (rc == 0)
        rc = rm_core_recover(r->core, &rec, err);
    return rc < 0 ? base_error_wrap(err, rc, "record %s/%s", rec.table, rec.key) : 0;
}

int rm_recover(struct rm_core *core, const struct ha_store_ops *ops, struct ha_store *store, const atomic_bool *stop,
               struct base_error *err)
{
    struct recovery r = {.core = core, .stop = stop};

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        int rc = ops->load(store, tables[i], one, &r, err);
        if (rc == -BASE_EVERSION)
            return rc;
        if (rc < 0)
            return base_error_wrap(err, rc, "the state store does not read back; restore a copy of it, or move it away "
                                            "to start with an empty cluster");
    }
    if (r.records)
        base_log_info("recover", "%zu records, %zu applications and jobs read back", r.records, r.apps);
    return 0;
}
