#include "sim/input/trace_sls.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/io/json.h"
#include "sim/input/workload.h"

#define TASK_TIME_MAX_MS INT64_C(1000000000000)

/* ---------------------------------------------------------------- finding the objects of a stream
 * Only the structure around objects is scanned by hand, so that a file of any length needs the
 * memory of one object. Jansson parses the objects themselves.
 *
 *   TOP --{..}--> TOP     FIRST --{..}--> AFTER --,--> NEXT --{..}--> AFTER
 *   TOP --[--> FIRST      FIRST --]--> TOP      AFTER --]--> TOP
 *   DONE: the input has ended inside an array; no further object is read */
enum { TOP, FIRST, AFTER, NEXT, DONE };

void sim_sls_init(struct sim_sls *r, struct sim_trace *trace, int32_t nodes)
{
    *r = (struct sim_sls){.trace = trace, .nodes = nodes, .state = TOP};
    trace->line = 1;
}

void sim_sls_free(struct sim_sls *r)
{
    sim_hosts_free(&r->hosts);
    if (r->more > 0)
        sim_job_clear(&r->again);
}

/* Called after '{' has been read. Collects the object's text up to its closing '}' in the trace's
 * buffer. *lines: number of line ends inside the object. An object that is too long is still read
 * to its end, so that the next call finds the next object. */
static int read_object_text(struct sim_trace *t, size_t *lines, struct base_error *err)
{
    bool in_string = false, longer = false;
    int depth = 1, ch, rc;

    base_buf_clear(&t->buf);
    base_buf_add(&t->buf, "{", 1);
    *lines = 0;
    while (depth > 0 && (ch = getc_unlocked(t->in)) != EOF) {
        if (ch == '\n')
            ++*lines;
        longer = longer || t->buf.len >= SIM_TRACE_LINE_MAX;
        if (t->buf.len + 2 >= t->buf.cap)
            base_buf_reserve(&t->buf, t->buf.cap);
        if (!longer)
            t->buf.data[t->buf.len++] = (char)ch;
        if (in_string && ch == '\\') {
            ch = getc_unlocked(t->in);
            if (ch != EOF && !longer)
                t->buf.data[t->buf.len++] = (char)ch;
        } else if (ch == '"') {
            in_string = !in_string;
        } else if (!in_string) {
            depth += (ch == '{') - (ch == '}');
        }
    }
    if (depth > 0 && (rc = sim_trace_check_read_error(t, err)) < 0)
        return rc;
    if (depth > 0)
        return base_error_set(err, -BASE_EINVAL, "the file ends within this object");
    if (longer)
        return base_error_set(err, -BASE_ELIMIT, "the object is longer than %" PRId64 " bytes",
                              SIM_TRACE_LINE_MAX);
    return 0;
}

static int refuse_character_and_skip_line(struct sim_sls *r, int ch, struct base_error *err)
{
    static const char *const wanted[] = {"{ or [", "{ or ]", ", or ]", "{", "the end"};
    char value[8];
    int c, state = r->state;

    snprintf(value, sizeof value, ch >= ' ' && ch < 127 ? "%c" : "\\x%02x", (unsigned)ch & 0xff);
    sim_trace_refuse_value(r->trace, "JSON", value, wanted[state], err);
    while ((c = getc_unlocked(r->trace->in)) != EOF && c != '\n') /* resume at the next line */
        ;
    if (c == '\n')
        ungetc(c, r->trace->in);
    return -BASE_EINVAL;
}

/* Returns true for white space within a line and, on line 1 outside arrays, for the bytes of a byte
 * order mark. */
static bool is_blank_or_byte_order_mark(const struct sim_sls *r, int ch)
{
    return ch == ' ' || ch == '\t' || ch == '\r' ||
           (r->state == TOP && r->trace->line == 1 && (ch == 0xef || ch == 0xbb || ch == 0xbf));
}

/* Finds the next object and leaves its text in the trace's buffer. Returns 1, or 0 at the end of
 * the file. The trace's line number remains that of the object's first line, for error messages;
 * after a success the caller adds *lines. */
static int find_next_object(struct sim_sls *r, size_t *lines, struct base_error *err)
{
    struct sim_trace *t = r->trace;
    int ch, rc;

    while (r->state != DONE && (ch = getc_unlocked(t->in)) != EOF) {
        if (ch == '\n') {
            t->line++;
        } else if (is_blank_or_byte_order_mark(r, ch)) {
            continue;
        } else if (ch == '{' && r->state != AFTER) {
            r->state = r->state == TOP ? TOP : AFTER;
            rc = read_object_text(t, lines, err);
            if (rc < 0) {
                sim_trace_prefix_place(t, rc, err);
                t->line += *lines;
                return rc;
            }
            return 1;
        } else if (ch == '[' && r->state == TOP) {
            r->state = FIRST;
        } else if (ch == ',' && r->state == AFTER) {
            r->state = NEXT;
        } else if (ch == ']' && (r->state == FIRST || r->state == AFTER)) {
            r->state = TOP;
        } else {
            return refuse_character_and_skip_line(r, ch, err);
        }
    }
    if ((rc = sim_trace_check_read_error(t, err)) < 0)
        return rc;
    if (r->state != TOP && r->state != DONE) {
        r->state = DONE;
        base_error_set(err, -BASE_EINVAL, "the file ends within an array");
        return sim_trace_prefix_place(t, -BASE_EINVAL, err);
    }
    return 0;
}

/* ---------------------------------------------------------------- members */
/* Reads an integer, or a string that contains one; Hadoop accepts both. *out keeps its value when
 * the member is absent. */
static int read_integer_member(const struct sim_sls *r, const json_t *obj, const char *where,
                               const char *name, bool required, int64_t min, int64_t max,
                               int64_t *out, struct base_error *err)
{
    const json_t *j = json_object_get(obj, name);
    char field[128];
    int rc;

    if (json_is_string(j)) {
        snprintf(field, sizeof field, "%s%s", where, name);
        return sim_trace_parse_int(r->trace, field, json_string_value(j), min, max, out, err);
    }
    rc = base_json_int(obj, where, name, required, min, max, out, err);
    return rc < 0 ? sim_trace_prefix_place(r->trace, rc, err) : 0;
}

static int read_text_member(const struct sim_sls *r, const json_t *obj, const char *where,
                            const char *name, const char **out, struct base_error *err)
{
    int rc = base_json_str(obj, where, name, false, 4096, out, err);

    return rc < 0 ? sim_trace_prefix_place(r->trace, rc, err) : 0;
}

struct task {
    enum base_task_kind kind;
    int64_t us, count;
    const char *host; /* NULL: none */
};

/* An explicit duration takes precedence over start and end. */
static int read_task_duration(const struct sim_sls *r, const json_t *j, const char *where,
                              struct task *task, struct base_error *err)
{
    int64_t start = -1, end = -1, ms = -1;
    const char *const named =
        json_object_get(j, "container.duration.ms") ? "container.duration.ms" : "duration.ms";
    int rc;

    if ((rc = read_integer_member(r, j, where, named, false, 1, TASK_TIME_MAX_MS, &ms, err)) < 0)
        return rc;
    if (ms < 0) {
        if ((rc = read_integer_member(r, j, where, "container.start.ms", true, 0, TASK_TIME_MAX_MS,
                                      &start, err)) < 0 ||
            (rc = read_integer_member(r, j, where, "container.end.ms", true, start + 1,
                                      TASK_TIME_MAX_MS, &end, err)) < 0)
            return rc;
        ms = end - start;
    }
    task->us = ms * 1000;
    return 0;
}

static int read_task(const struct sim_sls *r, const json_t *j, size_t index, struct task *task,
                     struct base_error *err)
{
    const char *type = "map";
    char where[64];
    int rc;

    snprintf(where, sizeof where, "job.tasks[%zu].", index);
    *task = (struct task){.count = 1};
    if (!json_is_object(j)) {
        base_json_set_value_error(j, where, "", "an object", err);
        return sim_trace_prefix_place(r->trace, -BASE_EINVAL, err);
    }
    if ((rc = read_text_member(r, j, where, "container.type", &type, err)) < 0 ||
        (rc = read_text_member(r, j, where, "container.host", &task->host, err)) < 0 ||
        (rc = read_integer_member(r, j, where, "count", false, 1, SIM_TASKS_MAX, &task->count,
                                  err)) < 0)
        return rc;
    if (strcmp(type, "map") != 0 && strcmp(type, "reduce") != 0) {
        base_json_set_value_error(json_object_get(j, "container.type"), where, "container.type",
                                  "\"map\" or \"reduce\"", err);
        return sim_trace_prefix_place(r->trace, -BASE_EINVAL, err);
    }
    task->kind = strcmp(type, "reduce") == 0 ? BASE_TASK_REDUCE : BASE_TASK_MAP;
    return read_task_duration(r, j, where, task, err);
}

/* ---------------------------------------------------------------- one job */
/* First pass over the tasks: the arrays can be allocated only once the number of tasks is known.
 * Sets *hosts to whether there are maps and every map names a host. */
static int count_tasks(const struct sim_sls *r, const json_t *tasks,
                       int64_t n[static BASE_TASK_KINDS], bool *hosts, struct base_error *err)
{
    struct task task;

    n[BASE_TASK_MAP] = n[BASE_TASK_REDUCE] = 0;
    *hosts = true;
    for (size_t i = 0; i < json_array_size(tasks); i++) {
        int rc = read_task(r, json_array_get(tasks, i), i, &task, err);

        if (rc < 0)
            return rc;
        n[task.kind] += task.count;
        *hosts = *hosts && (task.kind != BASE_TASK_MAP || task.host);
        if (n[task.kind] > SIM_TASKS_MAX) {
            base_error_set(err, -BASE_ELIMIT, "job.tasks: more than %d tasks of a kind",
                           SIM_TASKS_MAX);
            return sim_trace_prefix_place(r->trace, -BASE_ELIMIT, err);
        }
    }
    *hosts = *hosts && n[BASE_TASK_MAP] > 0;
    return 0;
}

/* Second pass: fills the arrays allocated by read_tasks(). */
static int fill_tasks(struct sim_sls *r, const json_t *tasks, struct sim_job *job,
                      struct base_error *err)
{
    int64_t at[BASE_TASK_KINDS] = {0};

    for (size_t i = 0; i < json_array_size(tasks); i++) {
        struct task task;
        uint32_t host = 0;
        int rc = read_task(r, json_array_get(tasks, i), i, &task, err);

        if (rc < 0)
            return rc;
        if (task.kind == BASE_TASK_MAP && job->replica_nodes &&
            (rc = sim_hosts_find_or_add(&r->hosts, task.host, &host, err)) < 0)
            return sim_trace_prefix_place(r->trace, rc, err);
        for (int64_t k = 0; k < task.count; k++, at[task.kind]++) {
            job->task_us[task.kind][at[task.kind]] = task.us;
            if (task.kind == BASE_TASK_MAP && job->replica_nodes)
                job->replica_nodes[at[BASE_TASK_MAP]] =
                    r->nodes > 0 ? host % (uint32_t)r->nodes : host;
        }
    }
    return 0;
}

static int read_tasks(struct sim_sls *r, const json_t *obj, struct sim_job *job,
                      struct base_error *err)
{
    json_t *tasks = NULL;
    int64_t n[BASE_TASK_KINDS];
    bool hosts;
    int rc = base_json_arr(obj, "", "job.tasks", true, SIM_TASKS_MAX, &tasks, err);

    if (rc == 0 && json_array_size(tasks) == 0)
        rc = base_error_set(err, -BASE_EINVAL, "job.tasks: a job has at least one task");
    if (rc < 0)
        return sim_trace_prefix_place(r->trace, rc, err);
    if ((rc = count_tasks(r, tasks, n, &hosts, err)) < 0)
        return rc;
    job->located = hosts;
    job->replicas = 1;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        job->tasks[k] = (int32_t)n[k];
        if (n[k] > 0)
            job->task_us[k] = base_alloc((size_t)n[k] * sizeof *job->task_us[k]);
    }
    if (hosts)
        job->replica_nodes = base_alloc((size_t)n[BASE_TASK_MAP] * sizeof *job->replica_nodes);
    if ((rc = fill_tasks(r, tasks, job, err)) < 0)
        return rc;
    sim_trace_set_mean_durations(job);
    return 0;
}

static int read_job(struct sim_sls *r, const json_t *obj, struct sim_job *job,
                    struct base_error *err)
{
    const char *name = "", *queue = "", *user = "";
    int64_t start_ms = 0, end_ms = 0, count = 1, number = -1;
    int rc;

    if (json_is_integer(json_object_get(obj, "job.id")))
        rc = read_integer_member(r, obj, "", "job.id", false, INT64_MIN, INT64_MAX, &number, err);
    else
        rc = read_text_member(r, obj, "", "job.id", &name, err);
    if (rc < 0 || (rc = read_text_member(r, obj, "", "job.queue.name", &queue, err)) < 0 ||
        (rc = read_text_member(r, obj, "", "job.user", &user, err)) < 0 ||
        (rc = read_integer_member(r, obj, "", "job.start.ms", true, 0, TASK_TIME_MAX_MS, &start_ms,
                                  err)) < 0 ||
        (rc = read_integer_member(r, obj, "", "job.end.ms", false, 0, TASK_TIME_MAX_MS, &end_ms,
                                  err)) < 0 ||
        (rc = read_integer_member(r, obj, "", "job.count", false, 1, SIM_TASKS_MAX, &count, err)) <
            0)
        return rc;
    if ((rc = read_tasks(r, obj, job, err)) < 0)
        return rc;
    if (number >= 0)
        snprintf(job->name, sizeof job->name, "%" PRId64, number);
    else
        sim_job_copy_text(job->name, name);
    sim_job_copy_text(job->pool, queue);
    sim_job_copy_text(job->user, user);
    sim_job_copy_text(job->class_name, sim_workload_size_bin(job->tasks[BASE_TASK_MAP]));
    job->submit_us = start_ms * 1000;
    job->f_rack = job->f_off = 1; /* measured durations include reading the data remotely */
    r->more = count - 1;
    return 1;
}

static int read_cluster_size(struct sim_sls *r, const json_t *obj, struct base_error *err)
{
    int rc = read_integer_member(r, obj, "", "num.nodes", true, 1, SIM_TRACE_HOSTS_MAX,
                                 &r->trace_nodes, err);

    r->trace_racks = 1;
    return rc < 0 ? rc
                  : read_integer_member(r, obj, "", "num.racks", false, 1, SIM_TRACE_HOSTS_MAX,
                                        &r->trace_racks, err);
}

static int decode_object(struct sim_sls *r, struct sim_job *job, struct base_error *err)
{
    json_t *obj = NULL;
    int rc = base_json_parse(r->trace->buf.data, r->trace->buf.len, &obj, err);

    if (rc < 0)
        return sim_trace_prefix_place(r->trace, rc, err);
    if (json_object_get(obj, "num.nodes") && !json_object_get(obj, "job.tasks"))
        rc = read_cluster_size(r, obj, err);
    else
        rc = read_job(r, obj, job, err);
    if (rc < 0)
        sim_job_clear(job);
    json_decref(obj);
    return rc;
}

int sim_sls_next_job(struct sim_sls *r, struct sim_job *out, struct base_error *err)
{
    size_t lines = 0;
    int rc;

    if (r->more > 0) {
        if (--r->more > 0)
            sim_trace_copy_job(out, &r->again);
        else
            *out = r->again;
        return 1;
    }
    do {
        rc = find_next_object(r, &lines, err);
        if (rc <= 0)
            return rc;
        rc = decode_object(r, out, err);
        r->trace->line += lines;
    } while (rc == 0);
    if (rc > 0 && r->more > 0)
        sim_trace_copy_job(&r->again, out);
    return rc;
}
