#include "nodemanager/task/part_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/wire/task.h"
#include "base/io/io.h"
#include "base/io/plain.h"
#include "nodemanager/task/child.h"
#include "nodemanager/task/job/output_staging.h"
#include "nodemanager/task/rm_client.h"
#include "nodemanager/task/scan.h"

#define COMMIT_TIMEOUT_MS 30000

struct task_part_file {
    struct task *t;
    int fd;
    int output, temporary, folder; /* open folders, or -1 */
    /* path: of the part, for messages; own: name of the attempt's folder */
    char *path, *own;
    char part[32]; /* file name of the part */
    char *buf;
    char last; /* last byte written */
    bool kept; /* left for the job's commit */
};

/* Opens folder @name below folder @at without following links. *fd is -1 after an error. */
static int open_folder(int at, const char *name, const char *path, int *fd, struct base_error *err)
{
    int rc = base_plain_open_folder_below(at, name);

    *fd = rc < 0 ? -1 : rc;
    if (rc == -BASE_PLAIN_OTHER)
        return base_error_set(err, -BASE_EIO, "output %s: %s is not a plain folder", path, name);
    return rc < 0 ? base_error_sys(err, -BASE_EIO, -rc, "output %s", path) : 0;
}

/* Opens the output folder, to whose parent links may lead, and the folders below it; these are made
 * by the job's setup and by attempts, belong to their user and are no links. The attempt's own
 * folder is created here. The setup creates _temporary; if it is missing, the job has ended. */
static int open_part_folders(struct task_part_file *o, struct base_error *err)
{
    int rc;

    o->output = task_output_open_own(o->t->spec.output);
    if (o->output == -EPERM)
        return base_error_set(err, -BASE_EIO, "output %s belongs to another user",
                              o->t->spec.output);
    if (o->output < 0)
        return base_error_sys(err, -BASE_EIO, -o->output, "output %s", o->t->spec.output);
    rc = open_folder(o->output, "_temporary", o->path, &o->temporary, err);
    if (rc < 0)
        return rc;
    if (mkdirat(o->temporary, o->own, 0755) < 0 && errno != EEXIST)
        return base_error_sys(err, -BASE_EIO, errno, "output %s", o->path);
    return open_folder(o->temporary, o->own, o->path, &o->folder, err);
}

/* Creates the part. An existing file, even from an earlier start of this attempt, is not written to
 * but replaced: it may have a second link, another process may have it open, and a file that is not
 * plain may block open() or lead elsewhere. */
static int create_empty_part(struct task_part_file *o, struct base_error *err)
{
    if (unlinkat(o->folder, o->part, 0) < 0 && errno != ENOENT)
        return base_error_sys(err, -BASE_EIO, errno, "output %s", o->path);
    o->fd = base_plain_open(o->folder, o->part, O_WRONLY | O_CREAT | O_EXCL, 0644, NULL);
    if (o->fd >= 0)
        return 0;
    return o->fd == -BASE_PLAIN_OTHER
               ? base_error_set(err, -BASE_EIO, "output %s: %s", o->path,
                                base_plain_open_strerror(o->fd))
               : base_error_sys(err, -BASE_EIO, -o->fd, "output %s", o->path);
}

int task_part_file_create(struct task *t, struct task_part_file **out, struct base_error *err)
{
    const struct task_spec *s = &t->spec;
    struct task_part_file *o = base_alloc(sizeof *o);
    int rc;

    o->t = t;
    o->last = '\n';
    o->buf = base_alloc(TASK_IO_BYTES);
    o->own = base_printf("%s_%d", s->task_id, s->attempt);
    snprintf(o->part, sizeof o->part, "part-%05d", s->index);
    o->path = base_printf("%s/_temporary/%s/%s", s->output, o->own, o->part);
    o->fd = o->output = o->temporary = o->folder = -1;
    *out = o;
    rc = open_part_folders(o, err);
    return rc == 0 ? create_empty_part(o, err) : rc;
}

int task_part_file_write(struct task_part_file *o, const char *p, size_t n,
                         enum base_task_counter records, struct base_error *err)
{
    bool low = false;
    int rc;

    if (n == 0)
        return 0;
    task_counter_add(o->t, records, (int64_t)task_count_lines(p, n, &low));
    task_counter_add(o->t, records + 1, (int64_t)n);
    o->last = p[n - 1];
    rc = base_write_all(o->fd, p, n);
    return rc == 0 ? 0 : base_error_sys(err, -BASE_EIO, -rc, "output %s", o->path);
}

int task_part_file_copy_from_fd(struct task_part_file *o, int fd, enum base_task_counter records,
                                struct base_error *err)
{
    ssize_t n;

    while ((n = task_read_retrying(fd, o->buf, TASK_IO_BYTES)) > 0) {
        int rc = task_part_file_write(o, o->buf, (size_t)n, records, err);

        if (rc < 0)
            return rc;
    }
    if (n < 0)
        return base_error_sys(err, -BASE_EIO, (int)-n, "reading the command's output");
    if (o->last != '\n') {
        task_counter_add(o->t, records, 1);
        o->last = '\n';
    }
    return 0;
}

/* Asks the RM whether this attempt may commit; repeats the request until the RM answers or
 * TASK_RM_PATIENCE_US has passed. */
static int ask_rm_to_commit(struct task_part_file *o, bool *allowed, struct base_error *err)
{
    const struct task_spec *s = &o->t->spec;
    struct task_rm *rm = task_rm_new(o->t);
    struct base_http_answer answer = {0};
    struct base_buf body = {0};
    struct wire_commit_answer reply = {0};
    int rc;

    wire_commit_put(
        &(struct wire_commit){.app = s->app_id, .task = s->task_id, .task_attempt = s->attempt},
        &body);
    rc = task_rm_call_patiently(rm, "/ws/v1/nodetracker/commit", body.data, COMMIT_TIMEOUT_MS,
                                &answer, err);
    if (rc == 0)
        rc = wire_commit_answer_get(answer.body.data != NULL ? answer.body.data : "",
                                    answer.body.len, &reply, err);
    *allowed = reply.commit;
    base_http_answer_free(&answer);
    base_buf_free(&body);
    task_rm_free(rm);
    return rc < 0 ? base_error_wrap(err, rc, "commit") : 0;
}

static int sync_folder(int fd)
{
    return fsync(fd) < 0 ? -errno : 0;
}

/* Leaves the part, which has been synced, for the job's commit: makes its entry in the attempt's
 * folder and that folder's entry in _temporary durable. */
static int sync_part_for_job_commit(struct task_part_file *o)
{
    int rc = sync_folder(o->folder);

    if (rc == 0)
        rc = sync_folder(o->temporary);
    o->kept = rc == 0;
    return rc;
}

static int move_part_to_output_folder(struct task_part_file *o)
{
    return renameat(o->folder, o->part, o->output, o->part) < 0 ? -errno : sync_folder(o->output);
}

int task_part_file_commit(struct task_part_file *o, struct base_error *err)
{
    bool allowed = false;
    int fd = o->fd, rc;

    o->fd = -1;
    rc = fsync(fd) < 0 ? -errno : 0;
    if (close(fd) < 0 && rc == 0)
        rc = -errno;
    if (rc < 0)
        return base_error_sys(err, -BASE_EIO, -rc, "output %s", o->path);
    rc = ask_rm_to_commit(o, &allowed, err);
    if (rc < 0)
        return rc;
    if (!allowed) {
        task_record_failure(o->t, TASK_EXIT_COMMIT_REFUSED, "another attempt has committed");
        return base_error_set(err, -BASE_ESTATE, "another attempt has committed");
    }
    rc = o->t->spec.job_commits ? sync_part_for_job_commit(o) : move_part_to_output_folder(o);
    return rc == 0 ? 0 : base_error_sys(err, -BASE_EIO, -rc, "output %s", o->path);
}

static void close_if_open(int fd)
{
    if (fd >= 0)
        close(fd);
}

void task_part_file_free(struct task_part_file *o)
{
    if (o == NULL)
        return;
    close_if_open(o->fd);
    if (!o->kept && o->folder >= 0) {
        unlinkat(o->folder, o->part, 0);
        unlinkat(o->temporary, o->own, AT_REMOVEDIR);
    }
    close_if_open(o->folder);
    close_if_open(o->temporary);
    close_if_open(o->output);
    free(o->path);
    free(o->own);
    free(o->buf);
    free(o);
}
