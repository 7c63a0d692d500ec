#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/io/io.h"
#include "base/io/json.h"
#include "base/limits.h"
#include "nodemanager/task/task.h"

#define LAUNCH_MAX (16u << 20)
#define TASK_ATTEMPT_MAX 1000000000 /* each takeover by another RM starts at the next thousand */

static int read_string_member(const json_t *o, const char *where, const char *name, bool required, size_t max,
                              char **out, struct base_error *err)
{
    const char *s = NULL;
    int rc = base_json_str(o, where, name, required, max, &s, err);

    if (rc == 0 && s != NULL)
        *out = base_strdup(s);
    return rc;
}

static int read_integer_member(const json_t *o, const char *where, const char *name, int64_t min, int64_t max,
                               int32_t *out, struct base_error *err)
{
    int64_t v = 0;
    int rc = base_json_int(o, where, name, true, min, max, &v, err);

    *out = (int32_t)v;
    return rc;
}

/* Decodes "/out" or "file:///out" with percent escapes, already checked by the RM. */
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

static int read_split(struct task_spec *s, const json_t *spec, struct base_error *err)
{
    const json_t *split = json_object_get(spec, "split");
    int rc;

    if (!json_is_object(split))
        return base_error_set(err, -BASE_EINVAL, "spec.split: an object is needed");
    rc = read_string_member(split, "spec.split.", "path", true, 4096, &s->path, err);
    if (rc == 0)
        rc = base_json_int(split, "spec.split.", "offset", true, 0, INT64_MAX, &s->offset, err);
    if (rc == 0)
        rc = base_json_int(split, "spec.split.", "length", true, 0, INT64_MAX, &s->length, err);
    if (rc == 0)
        rc = base_json_bool(split, "spec.split.", "gzip", false, &s->gzip, err);
    return rc;
}

static int read_spec(struct task_spec *s, const json_t *spec, struct base_error *err)
{
    const char *output = NULL;
    int64_t mb = 64;
    int rc = read_integer_member(spec, "spec.", "index", 0, BASE_TASKS_MAX, &s->index, err);

    if (rc == 0)
        rc = read_string_member(spec, "spec.", s->is_reduce ? "reduce" : "map", !s->is_reduce, BASE_COMMAND_MAX,
                                &s->command, err);
    if (rc == 0)
        rc = base_json_int(spec, "spec.", "sortBufferMb", false, 1, 1 << 20, &mb, err);
    s->sort_buffer_mb = (int32_t)mb;
    if (rc == 0 && s->is_reduce)
        rc = read_integer_member(spec, "spec.", "maps", 0, BASE_TASKS_MAX, &s->maps, err);
    if (rc == 0 && !s->is_reduce)
        rc = read_integer_member(spec, "spec.", "reduces", 0, BASE_TASKS_MAX, &s->reduces, err);
    if (rc == 0 && !s->is_reduce)
        rc = read_string_member(spec, "spec.", "combine", false, BASE_COMMAND_MAX, &s->combine, err);
    if (rc == 0 && !s->is_reduce)
        rc = read_split(s, spec, err);
    if (rc == 0)
        rc = base_json_str(spec, "spec.", "output", s->is_reduce || s->reduces == 0, 4096, &output, err);
    if (output != NULL)
        s->output = decode_file_uri(output);
    if (rc == 0)
        rc = base_json_bool(spec, "spec.", "jobCommits", false, &s->job_commits, err);
    if (rc == 0)
        rc = read_string_member(spec, "spec.", "rm", false, 4096, &s->rm, err);
    if (rc == 0)
        rc = read_string_member(spec, "spec.", "job", false, BASE_NAME_MAX, &s->app_id, err);
    return rc;
}

static int read_launch_order(struct task_spec *s, const json_t *root, struct base_error *err)
{
    const json_t *spec = json_object_get(root, "spec");
    const char *kind = NULL;
    int rc = base_json_str(root, "", "kind", true, 16, &kind, err);

    if (rc < 0)
        return rc;
    if (strcmp(kind, "map") != 0 && strcmp(kind, "reduce") != 0)
        return base_error_set(err, -BASE_EINVAL, "kind: \"%s\" is not map or reduce", kind);
    s->is_reduce = kind[0] == 'r';
    if (!json_is_object(spec))
        return base_error_set(err, -BASE_EINVAL, "spec: an object is needed");
    rc = read_string_member(root, "", "task", true, BASE_NAME_MAX, &s->task_id, err);
    if (rc == 0)
        rc = read_integer_member(root, "", "taskAttempt", 0, TASK_ATTEMPT_MAX, &s->attempt, err);
    if (rc == 0)
        rc = read_string_member(root, "", "token", false, BASE_NAME_MAX, &s->token, err);
    if (rc == 0)
        rc = read_spec(s, spec, err);
    if (rc == 0 && s->app_id == NULL)
        rc = read_string_member(root, "", "app", true, BASE_NAME_MAX, &s->app_id, err);
    return rc;
}

/* A token file takes precedence over the token in the order, because it can be renewed. The RM URLs
 * in the order take precedence over the environment. */
static int read_environment(struct task_spec *s, struct base_error *err)
{
    const char *path = getenv("CREEL_APP_TOKEN_FILE"), *rm = getenv("CREEL_RM");
    struct base_buf b = {0};

    if (path != NULL && path[0] != '\0') {
        int rc = base_file_read_plain(path, BASE_NAME_MAX, &b, err);

        if (rc < 0)
            return base_error_wrap(err, rc, "application token");
        while (b.len > 0 && (b.data[b.len - 1] == '\n' || b.data[b.len - 1] == ' '))
            b.data[--b.len] = '\0';
        free(s->token);
        s->token = base_buf_take(&b);
    }
    if (s->rm == NULL && rm != NULL)
        s->rm = base_strdup(rm);
    if (s->rm == NULL && (s->is_reduce || s->reduces == 0))
        return base_error_set(err, -BASE_EINVAL, "neither spec.rm nor CREEL_RM says where the ResourceManager is");
    return 0;
}

int task_spec_load(struct task *t, struct base_error *err)
{
    char *path = base_printf("%s/launch.json", t->dir);
    struct base_buf text = {0};
    json_t *root = NULL;
    int rc = base_file_read_plain(path, LAUNCH_MAX, &text, err);

    if (rc == 0)
        rc = base_json_parse(text.data != NULL ? text.data : "", text.len, &root, err);
    if (rc == 0)
        rc = read_launch_order(&t->spec, root, err);
    if (rc == 0)
        rc = read_environment(&t->spec, err);
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
    free(s->token);
    free(s->command);
    free(s->combine);
    free(s->output);
    free(s->rm);
    free(s->path);
    memset(s, 0, sizeof *s);
}
