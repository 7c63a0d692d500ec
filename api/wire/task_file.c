#include "api/wire/task_file.h"

#include <stdlib.h>
#include <string.h>

#include "api/wire/member.h"
#include "base/io/json_write.h"

#define TEXT_MAX INT32_MAX /* the NodeManager limits the size of the file */

static int parse_and_get_tolerantly(const struct wire_member *table, const char *text, size_t len,
                                    json_t **root, void *to, struct base_error *err)
{
    int rc = wire_parse_object(text, len, root, err);

    if (rc < 0) {
        json_decref(*root);
        *root = NULL;
        return rc;
    }
    wire_members_get_tolerantly(table, *root, to);
    return 0;
}

/* ---- progress ---- */

#define P struct wire_task_progress
static const struct wire_member progress_members[] = {
    WIRE_SHARE_ROW(P, progress, "progress", WIRE_D),
    WIRE_TEXT_ROW(P, phase, "phase", WIRE_S, TEXT_MAX), WIRE_END};
#undef P

void wire_task_progress_put(const struct wire_task_progress *p, struct base_buf *out)
{
    base_json_open(out, '{');
    wire_members_put(progress_members, p, out);
    wire_counters_put(&p->counters, out);
    base_json_close(out, '}');
}

int wire_task_progress_get(const char *text, size_t len, struct wire_task_progress *p,
                           struct base_error *err)
{
    memset(p, 0, sizeof *p);
    int rc = parse_and_get_tolerantly(progress_members, text, len, &p->root, p, err);
    if (rc == 0)
        p->counters.text = p->counters_read = wire_counters_copy_valid_text(p->root);
    return rc;
}

void wire_task_progress_free(struct wire_task_progress *p)
{
    json_decref(p->root);
    free(p->counters_read);
    memset(p, 0, sizeof *p);
}

/* ---- result ---- */

#define R struct wire_task_result
static const struct wire_member result_members[] = {
    WIRE_INT64_ROW(R, output_bytes, "outputBytes", WIRE_D, 0, WIRE_COUNT_MAX), WIRE_END};
#undef R

void wire_task_result_put(const struct wire_task_result *r, struct base_buf *out)
{
    base_json_open(out, '{');
    wire_members_put(result_members, r, out);
    wire_counters_put(&r->counters, out);
    base_json_close(out, '}');
}

int wire_task_result_get(const char *text, size_t len, struct wire_task_result *r,
                         struct base_error *err)
{
    json_t *root = NULL;

    memset(r, 0, sizeof *r);
    int rc = parse_and_get_tolerantly(result_members, text, len, &root, r, err);
    if (rc == 0)
        r->counters.text = r->counters_read = wire_counters_copy_valid_text(root);
    json_decref(root);
    return rc;
}

void wire_task_result_free(struct wire_task_result *r)
{
    free(r->counters_read);
    memset(r, 0, sizeof *r);
}

/* ---- failure ---- */

#define F struct wire_task_failure
static const struct wire_member failure_members[] = {
    WIRE_INT32_ROW(F, exit_code, "exitCode", WIRE_D, INT32_MIN, INT32_MAX),
    WIRE_TEXT_ROW(F, diagnostics, "diagnostics", WIRE_D, TEXT_MAX), WIRE_END};
#undef F

void wire_task_failure_put(const struct wire_task_failure *f, struct base_buf *out)
{
    base_json_open(out, '{');
    wire_members_put(failure_members, f, out);
    base_json_close(out, '}');
}

int wire_task_failure_get(const char *text, size_t len, struct wire_task_failure *f,
                          struct base_error *err)
{
    memset(f, 0, sizeof *f);
    return parse_and_get_tolerantly(failure_members, text, len, &f->root, f, err);
}

void wire_task_failure_free(struct wire_task_failure *f)
{
    json_decref(f->root);
    memset(f, 0, sizeof *f);
}
