#include "api/wire/task.h"

#include <stdlib.h>
#include <string.h>

#include "api/wire/member.h"
#include "base/io/json.h"
#include "base/io/json_write.h"
#include "base/limits.h"

/* ---- commit ---- */

static const struct wire_member commit_members[] = {
    WIRE_TEXT_ROW(struct wire_commit, app, "app", WIRE_S, BASE_ID_TEXT_MAX),
    WIRE_TEXT_ROW(struct wire_commit, task, "task", WIRE_R, BASE_ID_TEXT_MAX),
    WIRE_INT32_ROW(struct wire_commit, task_attempt, "taskAttempt", WIRE_R, 0, INT32_MAX),
    WIRE_END};
static const struct wire_member commit_answer_members[] = {
    WIRE_BOOL_ROW(struct wire_commit_answer, commit, "commit", WIRE_R), WIRE_END};

void wire_commit_put(const struct wire_commit *c, struct base_buf *out)
{
    wire_object_put(commit_members, c, out);
}

int wire_commit_get(const char *text, size_t len, struct wire_commit *c, struct base_error *err)
{
    memset(c, 0, sizeof *c);
    int rc = wire_object_get(commit_members, text, len, &c->root, c, err);
    if (rc < 0)
        wire_commit_free(c);
    return rc;
}

void wire_commit_free(struct wire_commit *c)
{
    json_decref(c->root);
    memset(c, 0, sizeof *c);
}

void wire_commit_answer_put(const struct wire_commit_answer *l, struct base_buf *out)
{
    wire_object_put(commit_answer_members, l, out);
}

int wire_commit_answer_get(const char *text, size_t len, struct wire_commit_answer *l,
                           struct base_error *err)
{
    memset(l, 0, sizeof *l);
    return wire_object_get_without_texts(commit_answer_members, text, len, l, err);
}

/* ---- fetch failures ---- */

#define F struct wire_fetch_failure
static const struct wire_member failure_members[] = {
    WIRE_INT32_ROW(F, map, "map", WIRE_R, 0, BASE_TASKS_MAX),
    WIRE_INT32_ROW(F, attempt, "attempt", WIRE_R, 0, INT32_MAX),
    WIRE_TEXT_ROW(F, container, "container", WIRE_S, BASE_ID_TEXT_MAX),
    WIRE_TEXT_ROW(F, reduce, "reduce", WIRE_R, BASE_ID_TEXT_MAX),
    WIRE_TEXT_ROW(F, reason, "reason", WIRE_D, BASE_DIAGNOSTICS_MAX),
    WIRE_BOOL_ROW(F, gone, "gone", WIRE_D),
    WIRE_END};
#undef F

void wire_fetch_failure_put(const struct wire_fetch_failure *f, struct base_buf *out)
{
    wire_object_put(failure_members, f, out);
}

int wire_fetch_failure_get(const char *text, size_t len, struct wire_fetch_failure *f,
                           struct base_error *err)
{
    *f = (struct wire_fetch_failure){.reason = ""};
    int rc = wire_object_get(failure_members, text, len, &f->root, f, err);
    if (rc < 0)
        wire_fetch_failure_free(f);
    return rc;
}

void wire_fetch_failure_free(struct wire_fetch_failure *f)
{
    json_decref(f->root);
    memset(f, 0, sizeof *f);
}

/* ---- map outputs ---- */

#define M struct wire_map_outputs
static const struct wire_member outputs_members[] = {
    WIRE_INT64_ROW(M, version, "version", WIRE_R, 0, INT64_MAX),
    WIRE_INT64_ROW(M, maps, "maps", WIRE_D, 0, INT64_MAX),
    WIRE_INT64_ROW(M, done, "done", WIRE_D, 0, INT64_MAX), WIRE_END};
#undef M
#define M struct wire_map_output
static const struct wire_member output_members[] = {
    WIRE_INT32_ROW(M, map, "map", WIRE_R, 0, BASE_TASKS_MAX),
    WIRE_INT32_ROW(M, attempt, "attempt", WIRE_D, 0, INT32_MAX),
    WIRE_TEXT_ROW(M, container, "container", WIRE_R, BASE_NAME_MAX),
    WIRE_TEXT_ROW(M, node, "node", WIRE_R, BASE_NAME_MAX), WIRE_END};
#undef M

void wire_map_outputs_open(const struct wire_map_outputs *o, struct base_buf *out)
{
    base_json_open(out, '{');
    wire_members_put(outputs_members, o, out);
    base_json_key(out, "outputs");
    base_json_open(out, '[');
}

void wire_map_output_put(const struct wire_map_output *o, struct base_buf *out)
{
    base_json_open(out, '{');
    wire_members_put(output_members, o, out);
    base_json_close(out, '}');
}

void wire_map_outputs_close(struct base_buf *out)
{
    base_json_close(out, ']');
    base_json_close(out, '}');
}

static int get_outputs(struct wire_map_outputs *o, struct base_error *err)
{
    json_t *list = NULL, *j;
    size_t i;
    int rc = base_json_arr(o->root, "", "outputs", true, BASE_TASKS_MAX, &list, err);

    if (rc < 0)
        return rc;
    o->outputs_n = json_array_size(list);
    o->outputs = base_alloc((o->outputs_n + 1) * sizeof *o->outputs);
    json_array_foreach(list, i, j) if (rc == 0) rc =
        wire_members_get_element(output_members, j, "outputs", i, &o->outputs[i], err);
    return rc;
}

int wire_map_outputs_get(const char *text, size_t len, struct wire_map_outputs *o,
                         struct base_error *err)
{
    int rc;

    memset(o, 0, sizeof *o);
    rc = wire_object_get(outputs_members, text, len, &o->root, o, err);
    if (rc == 0)
        rc = get_outputs(o, err);
    if (rc < 0)
        wire_map_outputs_free(o);
    return rc;
}

void wire_map_outputs_free(struct wire_map_outputs *o)
{
    json_decref(o->root);
    free(o->outputs);
    memset(o, 0, sizeof *o);
}
