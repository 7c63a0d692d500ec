#include "sim/input/trace_fields.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#define TIME_MAX          SIM_TRACE_TIME_MAX_S
#define BYTES_MAX         ((double)SIM_TRACE_BYTES_MAX)
#define AT(member)        offsetof(struct sim_job, member)
#define EACH(array, kind) (AT(array) + (kind) * sizeof((struct sim_job *)0)->array[0])

enum {
    F_ID,
    F_NAME,
    F_CLASS,
    F_POOL,
    F_USER,
    F_SUBMIT,
    F_WEIGHT,
    F_PRIORITY,
    F_AFTER,
    F_GAP,
    F_DEADLINE,
    F_MAPS,
    F_REDUCES,
    F_MAP_S,
    F_REDUCE_S,
    F_MAP_CV,
    F_REDUCE_CV,
    F_MAP_EXPECTED,
    F_REDUCE_EXPECTED,
    F_SETUP,
    F_CLEANUP,
    F_INPUT,
    F_SHUFFLE,
    F_OUTPUT,
    F_SPLIT,
    F_PARTITION,
    F_SELECTIVITY,
    F_RACK,
    F_OFF,
    F_COLO,
    F_LOCATED,
    F_REPLICAS,
    F_FILE,
    F_SLOTS,
    F_END
};
#define BIT(field) (UINT64_C(1) << (field))

const struct sim_field sim_fields[SIM_FIELDS] = {
    [F_ID] = {"id", SIM_FIELD_ID, AT(id), 1, 1e15},
    [F_NAME] = {"name", SIM_FIELD_TEXT, AT(name), 0, 0},
    [F_CLASS] = {"class", SIM_FIELD_TEXT, AT(class_name), 0, 0},
    [F_POOL] = {"pool", SIM_FIELD_TEXT, AT(pool), 0, 0},
    [F_USER] = {"user", SIM_FIELD_TEXT, AT(user), 0, 0},
    [F_SUBMIT] = {"submit_s", SIM_FIELD_TIME, AT(submit_us), 0, TIME_MAX},
    [F_WEIGHT] = {"weight", SIM_FIELD_REAL, AT(weight), 1e-6, 1e6},
    [F_PRIORITY] = {"priority", SIM_FIELD_INT32, AT(priority), -1e6, 1e6},
    [F_AFTER] = {"after", SIM_FIELD_NUMBER, AT(after), 0, 1e15},
    [F_GAP] = {"gap_s", SIM_FIELD_TIME, AT(gap_us), 0, TIME_MAX},
    [F_DEADLINE] = {"deadline_s", SIM_FIELD_TIME, AT(deadline_us), 0, TIME_MAX},
    [F_MAPS] = {"maps", SIM_FIELD_INT32, EACH(tasks, BASE_TASK_MAP), 0, SIM_TASKS_MAX},
    [F_REDUCES] = {"reduces", SIM_FIELD_INT32, EACH(tasks, BASE_TASK_REDUCE), 0, SIM_TASKS_MAX},
    [F_MAP_S] = {"map_s", SIM_FIELD_TIME, EACH(base_us, BASE_TASK_MAP), 0, TIME_MAX},
    [F_REDUCE_S] = {"reduce_s", SIM_FIELD_TIME, EACH(base_us, BASE_TASK_REDUCE), 0, TIME_MAX},
    [F_MAP_CV] = {"map_cv", SIM_FIELD_REAL, EACH(cv, BASE_TASK_MAP), 0, 10},
    [F_REDUCE_CV] = {"reduce_cv", SIM_FIELD_REAL, EACH(cv, BASE_TASK_REDUCE), 0, 10},
    [F_MAP_EXPECTED] = {"map_expected_s", SIM_FIELD_EXPECT, EACH(expected_us, BASE_TASK_MAP), 0,
                        TIME_MAX},
    [F_REDUCE_EXPECTED] = {"reduce_expected_s", SIM_FIELD_EXPECT,
                           EACH(expected_us, BASE_TASK_REDUCE), 0, TIME_MAX},
    [F_SETUP] = {"setup_s", SIM_FIELD_TIME, AT(setup_us), 0, TIME_MAX},
    [F_CLEANUP] = {"cleanup_s", SIM_FIELD_TIME, AT(cleanup_us), 0, TIME_MAX},
    [F_INPUT] = {"input_bytes", SIM_FIELD_BYTES, AT(input_bytes), 0, BYTES_MAX},
    [F_SHUFFLE] = {"shuffle_bytes", SIM_FIELD_BYTES, AT(shuffle_bytes), 0, BYTES_MAX},
    [F_OUTPUT] = {"output_bytes", SIM_FIELD_BYTES, AT(output_bytes), 0, BYTES_MAX},
    [F_SPLIT] = {"split_bytes", SIM_FIELD_BYTES, AT(split_bytes), 0, BYTES_MAX},
    [F_PARTITION] = {"partition_bytes", SIM_FIELD_BYTES, AT(partition_bytes), 0, BYTES_MAX},
    [F_SELECTIVITY] = {"selectivity", SIM_FIELD_REAL, AT(selectivity), 0,
                       SIM_TRACE_SELECTIVITY_MAX},
    [F_RACK] = {"f_rack", SIM_FIELD_REAL, AT(f_rack), 0, 1000},
    [F_OFF] = {"f_off", SIM_FIELD_REAL, AT(f_off), 0, 1000},
    [F_COLO] = {"f_colo", SIM_FIELD_REAL, AT(f_colo), 0, 1000},
    [F_LOCATED] = {"located", SIM_FIELD_BOOL, AT(located), 0, 1},
    [F_REPLICAS] = {"replicas", SIM_FIELD_INT32, AT(replicas), 1, SIM_REPLICAS_MAX},
    [F_FILE] = {"file", SIM_FIELD_NUMBER, AT(file), 0, 1e15},
    [F_SLOTS] = {"slots", SIM_FIELD_INT32, AT(slots), 1, BASE_TASK_SLOTS_MAX},
};
static_assert(F_END == SIM_FIELDS, "a field of each name");
static_assert(SIM_FIELDS <= 64, "a bit per field");

int sim_field_find_by_name(const char *name)
{
    for (int i = 0; i < SIM_FIELDS; i++)
        if (strcmp(sim_fields[i].name, name) == 0)
            return i;
    return -1;
}

static void *field_in_job(int field, struct sim_job *job)
{
    return (char *)job + sim_fields[field].offset;
}

/* ---------------------------------------------------------------- reading */
/* A value that is not an integer becomes the job's name, unless the job has one; the job's id is
 * then left unset. */
static int parse_id(const struct sim_trace *t, const char *value, struct sim_job *job,
                    struct base_error *err)
{
    const struct sim_field *f = &sim_fields[F_ID];
    int64_t v = 0;
    int rc;

    if (value[strspn(value, "+-0123456789")] != '\0' || !*value) {
        if (!job->name[0])
            sim_job_copy_text(job->name, value);
        return 0;
    }
    rc = sim_trace_parse_int(t, f->name, value, (int64_t)f->min, (int64_t)f->max, &v, err);
    job->id = (uint64_t)v;
    return rc;
}

static int parse_integer_field(const struct sim_trace *t, const struct sim_field *f,
                               const char *value, void *to, struct base_error *err)
{
    int64_t v = 0;
    int rc = sim_trace_parse_int(t, f->name, value, (int64_t)f->min, (int64_t)f->max, &v, err);

    if (rc < 0)
        return rc;
    if (f->type == SIM_FIELD_INT32)
        *(int32_t *)to = (int32_t)v;
    else if (f->type == SIM_FIELD_NUMBER)
        *(uint64_t *)to = (uint64_t)v;
    else
        *(int64_t *)to = v;
    return 0;
}

int sim_field_parse_text(const struct sim_trace *t, int field, const char *value,
                         struct sim_job *job, struct base_error *err)
{
    const struct sim_field *f = &sim_fields[field];
    void *to = field_in_job(field, job);

    switch (f->type) {
    case SIM_FIELD_ID:
        return parse_id(t, value, job, err);
    case SIM_FIELD_TEXT:
        sim_job_copy_text(to, value);
        return 0;
    case SIM_FIELD_REAL:
        return sim_trace_parse_real(t, f->name, value, f->min, f->max, to, err);
    case SIM_FIELD_EXPECT:
        if (strcmp(value, "true") == 0) {
            *(int64_t *)to = SIM_EXPECT_TRUE;
            return 0;
        }
        return sim_trace_parse_seconds(t, f->name, value, f->min, f->max, to, err);
    case SIM_FIELD_TIME:
        return sim_trace_parse_seconds(t, f->name, value, f->min, f->max, to, err);
    case SIM_FIELD_BOOL:
        if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
            return sim_trace_refuse_value(t, f->name, value, "true or false", err);
        *(bool *)to = value[0] == 't';
        return 0;
    default:
        return parse_integer_field(t, f, value, to, err);
    }
}

int sim_field_store_real(const struct sim_trace *t, int field, double value, struct sim_job *job,
                         struct base_error *err)
{
    char text[40];

    snprintf(text, sizeof text, value == floor(value) && fabs(value) < 1e15 ? "%.0f" : "%.17g",
             value);
    return sim_field_parse_text(t, field, text, job, err);
}

/* ---------------------------------------------------------------- absent fields */
static int refuse_field(const struct sim_trace *t, const char *field, const char *why,
                        struct base_error *err)
{
    base_error_set(err, -BASE_EINVAL, "%s: %s", field, why);
    return sim_trace_prefix_place(t, -BASE_EINVAL, err);
}

static int fill_task_counts(const struct sim_trace *t, uint64_t seen, const struct sim_guess *g,
                            struct sim_job *job, struct base_error *err)
{
    int64_t maps = job->tasks[BASE_TASK_MAP], reduces = job->tasks[BASE_TASK_REDUCE];

    if (!(seen & BIT(F_REDUCES)))
        reduces = sim_guess_reduce_count(g, job->shuffle_bytes, job->output_bytes);
    if (!(seen & BIT(F_MAPS)) && (seen & BIT(F_INPUT)))
        maps = sim_guess_map_count(g, job->input_bytes);
    if (maps > SIM_TASKS_MAX || reduces > SIM_TASKS_MAX)
        return refuse_field(t, maps > SIM_TASKS_MAX ? "maps" : "reduces",
                            "absent, and its bytes imply too many", err);
    job->tasks[BASE_TASK_MAP] = (int32_t)maps;
    job->tasks[BASE_TASK_REDUCE] = (int32_t)reduces;
    if (maps == 0 && reduces == 0)
        return refuse_field(
            t, "maps", "a job has at least one task: maps, reduces or input_bytes say how many",
            err);
    return 0;
}

/* Total input and total map output must stay within the byte limit. */
static int check_data_sizes(const struct sim_trace *t, const struct sim_job *job,
                            struct base_error *err)
{
    double input = (double)job->split_bytes * job->tasks[BASE_TASK_MAP];

    if (input > BYTES_MAX)
        return refuse_field(t, "split_bytes", "times maps are more than 1e18 bytes", err);
    if (input * job->selectivity > BYTES_MAX)
        return refuse_field(t, "selectivity", "times the input are more than 1e18 bytes", err);
    return 0;
}

static void fill_data_sizes(uint64_t seen, struct sim_job *job)
{
    int64_t maps = job->tasks[BASE_TASK_MAP], reduces = job->tasks[BASE_TASK_REDUCE];

    if (!(seen & BIT(F_SPLIT)) && job->input_bytes > 0 && maps > 0)
        job->split_bytes = (job->input_bytes - 1) / maps + 1;
    if (!(seen & BIT(F_SELECTIVITY)) && job->input_bytes > 0 && (seen & BIT(F_SHUFFLE)))
        job->selectivity = sim_guess_selectivity(job);
    if (!(seen & BIT(F_PARTITION)) && job->shuffle_bytes > 0 && reduces > 0)
        job->partition_bytes = (job->shuffle_bytes - 1) / reduces + 1;
}

/* The order matters: task counts may follow from bytes, the bytes per task follow from the counts,
 * and durations follow from both. */
int sim_fields_fill_absent(const struct sim_trace *t, uint64_t seen, struct sim_job *job,
                           struct base_error *err)
{
    struct sim_guess g;
    int rc;

    sim_guess_init_defaults(&g);
    if (job->split_bytes > 0)
        g.block_bytes = job->split_bytes;
    if (!(seen & BIT(F_SUBMIT)))
        return refuse_field(t, "submit_s", "is required", err);
    if (job->after != 0 && job->after == job->id)
        return refuse_field(t, "after", "a job cannot wait for itself", err);
    if ((rc = fill_task_counts(t, seen, &g, job, err)) < 0)
        return rc;
    fill_data_sizes(seen, job);
    if ((rc = check_data_sizes(t, job, err)) < 0)
        return rc;
    if (job->task_us[BASE_TASK_MAP] || job->task_us[BASE_TASK_REDUCE])
        sim_trace_set_mean_durations(job);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        if (job->tasks[k] > 0 && job->base_us[k] == 0)
            job->base_us[k] = k == BASE_TASK_MAP ? g.map_us : sim_guess_reduce_duration_us(&g, job);
        if (job->tasks[k] > 0 && job->base_us[k] > sim_trace_seconds_to_us(TIME_MAX))
            return refuse_field(t, "reduce_s", "absent, and its bytes imply more than 1e9 s", err);
        if (job->tasks[k] > 0 && !job->task_us[k] &&
            !(seen & (k == BASE_TASK_MAP ? BIT(F_MAP_CV) : BIT(F_REDUCE_CV))))
            job->cv[k] = g.cv;
    }
    return 0;
}
