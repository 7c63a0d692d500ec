#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "api/wire/order.h"
#include "base/io/io.h"
#include "base/io/json.h"
#include "nodemanager/task/task.h"

#define LAUNCH_MAX (16u << 20)

/* Returns the path in "file:///out" with its percent escapes decoded, or a text without "file:"
 * unchanged; the RM has checked the text. The caller frees the result. */
static char *decode_file_uri(const char *text)
{
    char *path, *w;

    if (strncasecmp(text, "file:", 5) != 0)
        return base_strdup(text);
    text += 5;
    if (strncmp(text, "//", 2) == 0)
        text += 2 + strcspn(text + 2, "/");
    path = w = base_alloc(strlen(text) + 1);
    for (; *text != '\0'; text++) {
        unsigned v;

        if (*text == '%' && sscanf(text + 1, "%2x", &v) == 1) {
            *w++ = (char)v;
            text += 2;
        } else {
            *w++ = *text;
        }
    }
    return path;
}

static void copy_spec(const struct wire_launch *l, struct task_spec *s)
{
    const struct wire_task_spec *w = &l->spec;

    *s = (struct task_spec){.is_reduce = l->kind == BASE_CONTAINER_REDUCE,
                            .task_id = base_strdup(l->task),
                            .app_id = base_strdup(w->job),
                            .attempt = l->task_attempt,
                            .index = w->index,
                            .reduces = w->reduces,
                            .maps = w->maps,
                            .command = base_strdup(w->command),
                            .combine = base_strdup(w->combine),
                            .output = w->output != NULL ? decode_file_uri(w->output) : NULL,
                            .job_commits = w->job_commits,
                            .rm = base_strdup(w->rm),
                            .path = base_strdup(w->split.path),
                            .offset = w->split.offset,
                            .length = w->split.length,
                            .gzip = w->split.gzip,
                            .sort_buffer_mb = w->sort_buffer_mb};
}

/* Opens the token in the container's folder. A container of an application without a secret has
 * none, or an empty file: its requests are not signed. */
static int open_token(struct task *t, struct base_error *err)
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
    struct wire_launch launch;
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
        rc = open_token(t, err);
    if (rc < 0)
        base_error_wrap(err, rc, "%s", path);
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
    memset(s, 0, sizeof *s);
}
