#include "nodemanager/shuffle/jobs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/data/map.h"
#include "base/hadoop/credentials.h"
#include "base/io/io.h"
#include "base/io/log.h"

#define FILE_NAME "shuffle"

struct job {
    struct base_app_id app;
    struct nm_shuffle_secret secret;
};
struct nm_shuffle_jobs {
    const struct nm_files *files;
    pthread_mutex_t lock; /* protects the map and the jobs */
    struct base_map jobs;
};

int nm_shuffle_secret_read(const void *data, size_t len, struct nm_shuffle_secret *out,
                           struct base_error *err)
{
    struct base_hadoop_token token;
    int rc = 0;

    *out = (struct nm_shuffle_secret){0};
    if (!base_hadoop_token_read(data, len, &token))
        return base_error_set(err, -BASE_EINVAL,
                              "service data mapreduce_shuffle: %zu bytes: the token of a job was "
                              "expected",
                              len);
    if (token.password.len == 0 || token.password.len > sizeof out->bytes) {
        rc = base_error_set(err, -BASE_EINVAL,
                            "service data mapreduce_shuffle: a password of %zu bytes: 1 to %zu "
                            "were expected",
                            token.password.len, sizeof out->bytes);
    } else {
        memcpy(out->bytes, token.password.data, token.password.len);
        out->len = token.password.len;
    }
    base_hadoop_token_free(&token);
    return rc;
}

struct nm_shuffle_jobs *nm_shuffle_jobs_new(const struct nm_files *files)
{
    struct nm_shuffle_jobs *j = base_alloc(sizeof *j);

    j->files = files;
    pthread_mutex_init(&j->lock, NULL);
    return j;
}

static void free_job(struct job *job)
{
    explicit_bzero(job, sizeof *job);
    free(job);
}

void nm_shuffle_jobs_free(struct nm_shuffle_jobs *j)
{
    if (!j)
        return;
    for (size_t i = 0; i < j->jobs.cap; i++)
        if (j->jobs.slot[i].object)
            free_job(j->jobs.slot[i].object);
    base_map_free(&j->jobs);
    pthread_mutex_destroy(&j->lock);
    free(j);
}

/* ---- the map ---- */

static uint64_t hash_app(const struct base_app_id *app)
{
    return base_hash_mix((uint64_t)app->cluster_ts ^ (uint64_t)(uint32_t)app->seq << 40);
}

static bool is_of_app(const void *object, const void *key)
{
    return base_app_id_cmp(&((const struct job *)object)->app, key) == 0;
}

static struct job *find_job(struct nm_shuffle_jobs *j, const struct base_app_id *app)
{
    return base_map_find(&j->jobs, hash_app(app), is_of_app, app);
}

static void set_secret(struct nm_shuffle_jobs *j, const struct base_app_id *app,
                       const struct nm_shuffle_secret *secret)
{
    struct job *job;

    pthread_mutex_lock(&j->lock);
    job = find_job(j, app);
    if (!job) {
        job = base_alloc(sizeof *job);
        job->app = *app;
        base_map_add(&j->jobs, hash_app(app), job);
    }
    job->secret = *secret;
    pthread_mutex_unlock(&j->lock);
}

bool nm_shuffle_jobs_find(struct nm_shuffle_jobs *j, const struct base_app_id *app,
                          struct nm_shuffle_secret *out)
{
    const struct job *job;

    pthread_mutex_lock(&j->lock);
    job = find_job(j, app);
    if (job)
        *out = job->secret;
    pthread_mutex_unlock(&j->lock);
    return job != NULL;
}

void nm_shuffle_jobs_forget(struct nm_shuffle_jobs *j, const struct base_app_id *app)
{
    struct job *job;

    pthread_mutex_lock(&j->lock);
    job = find_job(j, app);
    if (job)
        base_map_remove(&j->jobs, hash_app(app), job);
    pthread_mutex_unlock(&j->lock);
    if (job)
        free_job(job);
}

/* ---- the record ---- */

static bool has_secret(struct nm_shuffle_jobs *j, const struct base_app_id *app,
                       const struct nm_shuffle_secret *secret)
{
    struct nm_shuffle_secret known;
    bool same = nm_shuffle_jobs_find(j, app, &known) && known.len == secret->len &&
                memcmp(known.bytes, secret->bytes, known.len) == 0;

    explicit_bzero(&known, sizeof known);
    return same;
}

int nm_shuffle_jobs_register(struct nm_shuffle_jobs *j, const struct base_app_id *app,
                             const struct nm_shuffle_secret *secret, struct base_error *err)
{
    char path[NM_PATH_MAX];
    int rc;

    if (has_secret(j, app, secret)) /* every container of a job brings it */
        return 0;
    rc = base_file_write_atomic(nm_path_in_app_record(j->files, app, FILE_NAME, path),
                                secret->bytes, secret->len, 0600, true, err);
    if (rc == 0)
        set_secret(j, app, secret);
    return rc;
}

void nm_shuffle_jobs_recover(struct nm_shuffle_jobs *j, const struct base_app_id *app)
{
    char path[NM_PATH_MAX];
    struct nm_shuffle_secret secret;
    struct base_error err = {0};
    struct base_buf bytes = {0};
    int rc = nm_files_read_plain(j->files, nm_path_in_app_record(j->files, app, FILE_NAME, path),
                                 sizeof secret.bytes, &bytes, &err);

    if (rc == 0 && bytes.len) {
        memcpy(secret.bytes, bytes.data, bytes.len);
        secret.len = bytes.len;
        set_secret(j, app, &secret);
        explicit_bzero(&secret, sizeof secret);
        explicit_bzero(bytes.data, bytes.len);
    } else if (rc != -BASE_ENOTFOUND) {
        base_log_warn("shuffle", "%s: its job's map outputs cannot be fetched: %s", path,
                      rc < 0 ? err.text : "empty");
    }
    base_buf_free(&bytes);
}
