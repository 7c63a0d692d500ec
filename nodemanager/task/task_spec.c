#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/wire/order.h"
#include "base/conf/file_path.h"
#include "base/io/io.h"
#include "base/io/json.h"
#include "nodemanager/task/task.h"

#define LAUNCH_MAX (16u << 20)

/* Returns the job's output folder as a plain path. What is not a valid path or URI is passed on
 * unchanged: the job's setup, which runs before all tasks, refuses it. */
static char *copy_output_as_plain_path(const struct wire_task_spec *w)
{
    char *path = NULL;

    if (w->output != NULL && base_file_path_parse(w->output, &path, NULL) < 0)
        path = base_strdup(w->output);
    return path;
}

static void copy_input(const struct wire_task_spec *w, struct task_spec *s)
{
    s->input = base_alloc((w->input_n + 1) * sizeof *s->input);
    for (s->input_n = 0; s->input_n < w->input_n; s->input_n++)
        s->input[s->input_n] = base_strdup(w->input[s->input_n]);
    s->split_size = w->split_size;
    s->limit_ms = w->limit_ms;
}

static void copy_spec(const struct wire_launch *l, struct task_spec *s)
{
    const struct wire_task_spec *w = &l->spec;

    *s = (struct task_spec){.is_reduce = l->kind == BASE_CONTAINER_REDUCE,
                            .step = base_job_step_of_kind(l->kind),
                            .task_id = base_strdup(l->task),
                            .app_id = base_strdup(w->job),
                            .attempt = l->task_attempt,
                            .index = w->index,
                            .reduces = w->reduces,
                            .maps = w->maps,
                            .command = base_strdup(w->command),
                            .combine = base_strdup(w->combine),
                            .output = copy_output_as_plain_path(w),
                            .job_commits = w->job_commits,
                            .rm = base_strdup(w->rm),
                            .path = base_strdup(w->split.path),
                            .offset = w->split.offset,
                            .length = w->split.length,
                            .gzip = w->split.gzip,
                            .sort_buffer_mb = w->sort_buffer_mb};
    copy_input(w, s);
}

/* Opens the token in the container's folder. A container of an application without a secret has
 * none, or an empty file: its requests are not signed. */
static int open_token_unless_empty(struct task *t, struct base_error *err)
{
    char *path = base_printf("%s/token", t->dir);
    struct stat st;
    int rc = 0;

    if (stat(path, &st) == 0 && st.st_size > 0)
        rc = base_keyring_open_token(path, &t->spec.keys, err);
    free(path);
    return rc;
}

/* The RM URLs in the order take precedence over the environment. */
static int fill_spec_from_environment(struct task_spec *s, struct base_error *err)
{
    const char *rm = getenv("CREEL_RM");

    if (s->rm == NULL && rm != NULL)
        s->rm = base_strdup(rm);
    if (s->rm == NULL && (s->is_reduce || s->reduces == 0))
        return base_error_set(err, -BASE_EINVAL,
                              "neither spec.rm nor CREEL_RM says where the ResourceManager is");
    return 0;
}

int task_spec_load(struct task *t, struct base_error *err)
{
    char *path = base_printf("%s/launch.json", t->dir);
    struct base_buf text = {0};
    struct wire_launch launch = {0};
    json_t *root = NULL;
    int rc = base_file_read_plain(path, LAUNCH_MAX, &text, err);

    if (rc == 0)
        rc = base_json_parse(text.data != NULL ? text.data : "", text.len, &root, err);
    if (rc == 0)
        rc = wire_task_launch_get(root, &launch, err);
    if (rc == 0)
        copy_spec(&launch, &t->spec);
    if (rc == 0)
        rc = fill_spec_from_environment(&t->spec, err);
    if (rc == 0)
        rc = open_token_unless_empty(t, err);
    if (rc < 0)
        base_error_wrap(err, rc, "%s", path);
    wire_launch_free(&launch);
    json_decref(root);
    base_buf_free(&text);
    free(path);
    return rc;
}

void task_spec_free(struct task_spec *s)
{
    free(s->task_id);
    free(s->app_id);
    base_keyring_unref(s->keys);
    free(s->command);
    free(s->combine);
    free(s->output);
    free(s->rm);
    free(s->path);
    for (size_t i = 0; i < s->input_n; i++)
        free(s->input[i]);
    free(s->input);
    memset(s, 0, sizeof *s);
}
