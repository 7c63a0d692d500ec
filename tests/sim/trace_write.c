#include "tests/sim/trace_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io/json.h"
#include "sim/input/trace_fields.h"
#include "sim/input/trace_jsonl.h"

/* ---------------------------------------------------------------- values */
/* Appends @us in seconds, such as "12.5". */
static void write_us_as_seconds(int64_t us, struct base_buf *out)
{
    uint64_t v = us < 0 ? -(uint64_t)us : (uint64_t)us;
    char text[40];
    size_t n = (size_t)snprintf(text, sizeof text, "%s%" PRIu64 ".%06" PRIu64, us < 0 ? "-" : "",
                                v / 1000000, v % 1000000);

    while (text[n - 1] == '0')
        n--;
    if (text[n - 1] == '.')
        n--;
    base_buf_add(out, text, n);
}

/* Appends @x with 15 significant digits if that reads back as @x, otherwise with 17. */
static void write_real(double x, struct base_buf *out)
{
    char text[40];

    snprintf(text, sizeof text, "%.15g", x);
    if (strtod(text, NULL) != x)
        snprintf(text, sizeof text, "%.17g", x);
    base_buf_adds(out, text);
}

/* Appends the value of the field in the form that sim_field_parse_text() reads. */
static void write_value(int field, const struct sim_job *job, struct base_buf *out)
{
    const struct sim_field *f = &sim_fields[field];
    const void *at = (const char *)job + f->offset;

    switch (f->type) {
    case SIM_FIELD_TEXT:
        base_buf_adds(out, at);
        break;
    case SIM_FIELD_REAL:
        write_real(*(const double *)at, out);
        break;
    case SIM_FIELD_INT32:
        base_buf_addf(out, "%" PRId32, *(const int32_t *)at);
        break;
    case SIM_FIELD_BYTES:
        base_buf_addf(out, "%" PRId64, *(const int64_t *)at);
        break;
    case SIM_FIELD_EXPECT:
        if (*(const int64_t *)at == SIM_EXPECT_TRUE) {
            base_buf_adds(out, "true");
            break;
        }
        write_us_as_seconds(*(const int64_t *)at, out);
        break;
    case SIM_FIELD_TIME:
        write_us_as_seconds(*(const int64_t *)at, out);
        break;
    case SIM_FIELD_BOOL:
        base_buf_adds(out, *(const bool *)at ? "true" : "false");
        break;
    default:
        base_buf_addf(out, "%" PRIu64, *(const uint64_t *)at);
        break;
    }
}

/* True when the value of the field equals its fixed default, so that it may be left out. Fields
 * whose default depends on other fields are always written. */
static bool is_default(int field, const struct sim_job *job)
{
    static const char *const worked_out[] = {
        "maps",      "reduces",     "map_s",           "reduce_s",    "map_cv",
        "reduce_cv", "split_bytes", "partition_bytes", "selectivity", "submit_s"};
    struct base_buf a = {0}, b = {0};
    struct sim_job fresh;
    bool same;

    for (size_t i = 0; i < sizeof worked_out / sizeof *worked_out; i++)
        if (strcmp(sim_fields[field].name, worked_out[i]) == 0)
            return false;
    sim_job_init(&fresh);
    write_value(field, job, &a);
    write_value(field, &fresh, &b);
    same = a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
    base_buf_free(&a);
    base_buf_free(&b);
    return same;
}

/* ---------------------------------------------------------------- CSV */
void trace_write_csv_header(struct base_buf *out)
{
    for (int i = 0; i < SIM_FIELDS; i++)
        base_buf_addf(out, "%s%s", i ? "," : "", sim_fields[i].name);
    base_buf_adds(out, "\n");
}

/* Line ends would break the row, so each becomes a space. */
static void write_cell(const char *text, struct base_buf *out)
{
    bool quote = strpbrk(text, ",\"") != NULL;

    if (quote)
        base_buf_adds(out, "\"");
    for (; *text; text++) {
        if (*text == '"')
            base_buf_adds(out, "\"");
        base_buf_add(out, *text == '\n' || *text == '\r' ? " " : text, 1);
    }
    if (quote)
        base_buf_adds(out, "\"");
}

void trace_write_csv_job(const struct sim_job *job, struct base_buf *out)
{
    struct base_buf value = {0};

    for (int i = 0; i < SIM_FIELDS; i++) {
        if (i)
            base_buf_adds(out, ",");
        if (is_default(i, job))
            continue;
        base_buf_clear(&value);
        write_value(i, job, &value);
        write_cell(value.data ? value.data : "", out);
    }
    base_buf_adds(out, "\n");
    base_buf_free(&value);
}

/* ---------------------------------------------------------------- JSON lines */
/* Trace texts may contain any bytes. If the text is not UTF-8, each byte outside ASCII becomes
 * '?'. */
static void write_string(const char *text, struct base_buf *out)
{
    json_t *j = json_string(text);

    if (!j) {
        char *plain = base_strdup(text);

        for (char *p = plain; *p; p++)
            if ((unsigned char)*p >= 0x80)
                *p = '?';
        j = json_string(plain);
        free(plain);
    }
    base_json_dump(j, out);
    json_decref(j);
}

static void write_field_member(int field, const struct sim_job *job, struct base_buf *out)
{
    const struct sim_field *f = &sim_fields[field];

    base_buf_addf(out, ",\"%s\":", f->name);
    if (f->type == SIM_FIELD_TEXT)
        write_string((const char *)job + f->offset, out);
    else
        write_value(field, job, out);
}

static void write_seconds_list(const char *name, const int64_t *us, int32_t n, struct base_buf *out)
{
    if (!us || n <= 0)
        return;
    base_buf_addf(out, ",\"%s\":[", name);
    for (int32_t i = 0; i < n; i++) {
        if (i)
            base_buf_adds(out, ",");
        write_us_as_seconds(us[i], out);
    }
    base_buf_adds(out, "]");
}

static void write_map_nodes(const struct sim_job *job, struct base_buf *out)
{
    base_buf_adds(out, ",\"map_nodes\":[");
    for (int32_t i = 0; i < job->tasks[BASE_TASK_MAP]; i++) {
        base_buf_adds(out, i ? ",[" : "[");
        for (int32_t k = 0; k < job->replicas; k++)
            base_buf_addf(out, "%s%" PRIu32, k ? "," : "",
                          job->replica_nodes[(int64_t)i * job->replicas + k]);
        base_buf_adds(out, "]");
    }
    base_buf_adds(out, "]");
}

void trace_write_json_job(const struct sim_job *job, struct base_buf *out)
{
    base_buf_addf(out, "{\"version\":%d", SIM_JSONL_VERSION);
    for (int i = 0; i < SIM_FIELDS; i++)
        if (!is_default(i, job))
            write_field_member(i, job, out);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        write_seconds_list(k == BASE_TASK_MAP ? "map_durations_s" : "reduce_durations_s",
                           job->task_us[k], job->tasks[k], out);
    if (job->replica_nodes)
        write_map_nodes(job, out);
    base_buf_adds(out, "}\n");
}
