#include "nodemanager/task/task_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base_io.h"
#include "base/base_json.h"
#include "nodemanager/task/task_child.h"
#include "nodemanager/task/task_rm.h"
#include "nodemanager/task/task_scan.h"

#define COMMIT_TIMEOUT_MS 30000

struct task_output {
    struct task *t;
    int fd;
    char *folder, *temporary, *final;
    char *buf;
    char last;  /* byte written */
    bool kept;  /* for the job's commit */
};

int task_output_open(struct task *t, struct task_output **out, struct base_error *err)
{
    const struct task_spec *s = &t->spec;
    struct task_output *o = base_alloc(sizeof *o);

    o->t = t;
    o->last = '\n';
    o->buf = base_alloc(TASK_IO_BYTES);
    o->folder = base_printf("%s/_temporary/%s_%d", s->output, s->task_id, s->attempt);
    o->temporary = base_printf("%s/part-%05d", o->folder, s->index);
    o->final = base_printf("%s/part-%05d", s->output, s->index);
    o->fd = -1;
    *out = o;
    /* _temporary itself is the RM's: when it is gone, so is the job. */
    if (mkdir(o->folder, 0755) < 0 && errno != EEXIST)
        return base_error_sys(err, -BASE_EIO, errno, "output %s", o->folder);
    o->fd = open(o->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (o->fd < 0)
        return base_error_sys(err, -BASE_EIO, errno, "output %s", o->temporary);
    return 0;
}

int task_output_write(struct task_output *o, const char *p, size_t n, enum task_counter records, struct base_error *err)
{
    bool low = false;
    int rc;

    if (n == 0)
        return 0;
    task_count(o->t, records, (int64_t)task_scan_lines(p, n, &low));
    task_count(o->t, records + 1, (int64_t)n);
    o->last = p[n - 1];
    rc = base_write_all(o->fd, p, n);
    return rc == 0 ? 0 : base_error_sys(err, -BASE_EIO, -rc, "output %s", o->temporary);
}

int task_output_copy(struct task_output *o, int fd, enum task_counter records, struct base_error *err)
{
    ssize_t n;

    while ((n = task_read(fd, o->buf, TASK_IO_BYTES)) > 0) {
        int rc = task_output_write(o, o->buf, (size_t)n, records, err);

        if (rc < 0)
            return rc;
    }
    if (n < 0)
        return base_error_sys(err, -BASE_EIO, (int)-n, "reading the command's output");
    if (o->last != '\n') {
        task_count(o->t, records, 1);
        o->last = '\n';
    }
    return 0;
}

static int ask_leave(struct task_output *o, bool *leave, struct base_error *err)
{
    const struct task_spec *s = &o->t->spec;
    struct task_rm *rm = task_rm_new(o->t);
    struct base_http_answer answer = {0};
    struct base_buf body = {0};
    json_t *j = json_object(), *reply = NULL;
    int rc;

    json_object_set_new(j, "app", json_string(s->app_id));
    json_object_set_new(j, "task", json_string(s->task_id));
    json_object_set_new(j, "taskAttempt", json_integer(s->attempt));
    base_json_dump(j, &body);
    json_decref(j);
    rc = task_rm_call_patiently(rm, "/ws/v1/nodetracker/commit", body.data, COMMIT_TIMEOUT_MS, &answer, err);
    if (rc == 0)
        rc = base_json_parse(answer.body.data != NULL ? answer.body.data : "", answer.body.len, &reply, err);
    if (rc == 0)
        rc = base_json_bool(reply, "", "commit", true, leave, err);
    json_decref(reply);
    base_http_answer_free(&answer);
    base_buf_free(&body);
    task_rm_free(rm);
    return rc < 0 ? base_error_wrap(err, rc, "commit") : 0;
}

static int sync_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = fd < 0 || fsync(fd) < 0 ? -errno : 0;

    if (fd >= 0)
        close(fd);
    return rc;
}

/* The part, as it lies in the attempt's folder, is durable with the names of both folders. */
static int keep_part(struct task_output *o)
{
    char *temporary = base_printf("%s/_temporary", o->t->spec.output);
    int rc = sync_folder(o->folder);

    if (rc == 0)
        rc = sync_folder(temporary);
    free(temporary);
    o->kept = rc == 0;
    return rc;
}

static int move_part(struct task_output *o)
{
    return rename(o->temporary, o->final) < 0 ? -errno : sync_folder(o->t->spec.output);
}

int task_output_commit(struct task_output *o, struct base_error *err)
{
    bool leave = false;
    int fd = o->fd, rc;

    o->fd = -1;
    rc = fsync(fd) < 0 ? -errno : 0;
    if (close(fd) < 0 && rc == 0)
        rc = -errno;
    if (rc < 0)
        return base_error_sys(err, -BASE_EIO, -rc, "output %s", o->temporary);
    rc = ask_leave(o, &leave, err);
    if (rc < 0)
        return rc;
    if (!leave) {
        task_fail(o->t, TASK_EXIT_COMMIT_REFUSED, "another attempt has committed");
        return base_error_set(err, -BASE_ESTATE, "another attempt has committed");
    }
    rc = o->t->spec.job_commits ? keep_part(o) : move_part(o);
    return rc == 0 ? 0 : base_error_sys(err, -BASE_EIO, -rc, "output %s", o->temporary);
}

void task_output_free(struct task_output *o)
{
    if (o == NULL)
        return;
    if (o->fd >= 0)
        close(o->fd);
    if (!o->kept) {
        unlink(o->temporary);
        rmdir(o->folder);
    }
    free(o->folder);
    free(o->temporary);
    free(o->final);
    free(o->buf);
    free(o);
}
