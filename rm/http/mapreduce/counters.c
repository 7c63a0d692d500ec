/* rm/http/mapreduce/counters.c - Creel's counters in Hadoop's groups, under Hadoop's names. SOURCE:
 * Hadoop's JobCounter, TaskCounter, FileInputFormatCounter and FileOutputFormatCounter.
 *
 * Only counters that Creel knows are shown. Those left out concern the Java machine (heap, virtual
 * memory), Hadoop's file systems, or files that only Hadoop has. GC_TIME_MILLIS is 0: no garbage is
 * collected. As in Hadoop, the groups of the tasks' counters are shown once a task of the job has
 * succeeded, and a counter of the job itself once it is not 0. */
#include <stdlib.h>

#include "base/conf/conf.h"
#include "rm/http/mapreduce/mapreduce_internal.h"

#define PREFIX  "org.apache.hadoop.mapreduce."
#define MAPS    (1u << BASE_TASK_MAP)
#define REDUCES (1u << BASE_TASK_REDUCE)
#define NONE    BASE_TASK_COUNTERS /* always 0 */

/* A counter of tasks. @kinds: the kinds of tasks that have it; @from: its source; @reduce: for a
 * counter of both kinds, the source of the reduces' part of the sum. */
struct task_counter {
    const char *name;
    unsigned kinds;
    enum base_task_counter from, reduce;
};
static const struct task_counter task_counters[] = {
    {"MAP_INPUT_RECORDS", MAPS, BASE_COUNT_MAP_INPUT_RECORDS, NONE},
    {"MAP_OUTPUT_RECORDS", MAPS, BASE_COUNT_MAP_OUTPUT_RECORDS, NONE},
    {"MAP_OUTPUT_BYTES", MAPS, BASE_COUNT_MAP_OUTPUT_BYTES, NONE},
    /* reduces neither combine nor spill records */
    {"COMBINE_INPUT_RECORDS", MAPS | REDUCES, BASE_COUNT_COMBINE_INPUT_RECORDS, NONE},
    {"COMBINE_OUTPUT_RECORDS", MAPS | REDUCES, BASE_COUNT_COMBINE_OUTPUT_RECORDS, NONE},
    {"REDUCE_SHUFFLE_BYTES", REDUCES, BASE_COUNT_SHUFFLE_BYTES, NONE},
    {"REDUCE_INPUT_RECORDS", REDUCES, BASE_COUNT_REDUCE_INPUT_RECORDS, NONE},
    {"REDUCE_OUTPUT_RECORDS", REDUCES, BASE_COUNT_REDUCE_OUTPUT_RECORDS, NONE},
    {"SPILLED_RECORDS", MAPS | REDUCES, BASE_COUNT_SPILLED_RECORDS, NONE},
    {"SHUFFLED_MAPS", REDUCES, BASE_COUNT_SHUFFLED_MAPS, NONE},
    {"FAILED_SHUFFLE", MAPS | REDUCES, BASE_COUNT_FAILED_SHUFFLE, BASE_COUNT_FAILED_SHUFFLE},
    /* a reduce merges every output that it has fetched */
    {"MERGED_MAP_OUTPUTS", MAPS | REDUCES, BASE_COUNT_SHUFFLED_MAPS, BASE_COUNT_SHUFFLED_MAPS},
    {"GC_TIME_MILLIS", MAPS | REDUCES, NONE, NONE},
    {"CPU_MILLISECONDS", MAPS | REDUCES, BASE_COUNT_CPU_MILLIS, BASE_COUNT_REDUCE_CPU_MILLIS},
};
static const struct task_counter input_counters[] = {
    {"BYTES_READ", MAPS, BASE_COUNT_MAP_INPUT_BYTES, NONE},
};
/* The output of maps is the job's output when there are no reduces. */
static const struct task_counter map_output_counters[] = {
    {"BYTES_WRITTEN", MAPS, BASE_COUNT_MAP_OUTPUT_BYTES, NONE},
};
static const struct task_counter reduce_output_counters[] = {
    {"BYTES_WRITTEN", REDUCES, BASE_COUNT_REDUCE_OUTPUT_BYTES, NONE},
};
#define COUNT(table) (sizeof(table) / sizeof *(table))

/* ---- building ---- */

static void begin_counters(const char *id, struct mr_counters *out)
{
    *out = (struct mr_counters){.counters = {.id = id}};
    out->counters.groups = (struct api_list){.items = out->groups, .stride = sizeof out->groups[0]};
    /* all at once, so that no group's list of items ever moves */
    out->items = base_alloc(64 * sizeof *out->items);
}

static void begin_group(struct mr_counters *c, const char *name)
{
    c->groups[c->counters.groups.n++] = (struct yarn_mr_counter_group){
        .name = name, .counters = {.items = &c->items[c->items_n], .stride = sizeof c->items[0]}};
}

static void add_counter(struct mr_counters *c, const char *name, int64_t total, int64_t map,
                        int64_t reduce)
{
    base_assert(c->items_n < 64 && c->counters.groups.n > 0);
    c->items[c->items_n++] = (struct yarn_mr_counter){name, total, map, reduce};
    c->groups[c->counters.groups.n - 1].counters.n++;
}

static int64_t get_counter_or_0(const int64_t *values, enum base_task_counter c)
{
    return c == NONE ? 0 : values[c];
}

void mr_counters_free(struct mr_counters *c)
{
    free(c->items);
    c->items = NULL;
}

/* ---- jobs ---- */

static void add_counter_unless_0(struct mr_counters *c, const char *name, int64_t value)
{
    if (value)
        add_counter(c, name, value, 0, 0);
}

static int64_t read_slot_vcores_or_mb(const struct base_conf *conf, enum base_task_kind k,
                                      bool memory)
{
    static const char *const keys[BASE_TASK_KINDS][2] = {
        {"creel.slot.map.vcores", "creel.slot.map.memory-mb"},
        {"creel.slot.reduce.vcores", "creel.slot.reduce.memory-mb"}};

    return base_conf_int(conf, keys[k][memory]);
}

/* A task takes one slot for as long as it runs. */
static void add_millis_counters(struct mr_counters *c, const struct base_conf *conf,
                                const int64_t *n)
{
    int64_t maps = n[BASE_COUNT_MAP_MILLIS], reduces = n[BASE_COUNT_REDUCE_MILLIS];

    add_counter_unless_0(c, "SLOTS_MILLIS_MAPS", maps);
    add_counter_unless_0(c, "SLOTS_MILLIS_REDUCES", reduces);
    add_counter_unless_0(c, "MILLIS_MAPS", maps);
    add_counter_unless_0(c, "MILLIS_REDUCES", reduces);
    add_counter_unless_0(c, "VCORES_MILLIS_MAPS",
                         maps * read_slot_vcores_or_mb(conf, BASE_TASK_MAP, false));
    add_counter_unless_0(c, "VCORES_MILLIS_REDUCES",
                         reduces * read_slot_vcores_or_mb(conf, BASE_TASK_REDUCE, false));
    add_counter_unless_0(c, "MB_MILLIS_MAPS",
                         maps * read_slot_vcores_or_mb(conf, BASE_TASK_MAP, true));
    add_counter_unless_0(c, "MB_MILLIS_REDUCES",
                         reduces * read_slot_vcores_or_mb(conf, BASE_TASK_REDUCE, true));
}

static void add_job_group(struct mr_counters *c, const struct base_conf *conf, const int64_t *n)
{
    begin_group(c, PREFIX "JobCounter");
    add_counter_unless_0(c, "NUM_FAILED_MAPS", n[RM_C_FAILED_MAPS]);
    add_counter_unless_0(c, "NUM_FAILED_REDUCES", n[RM_C_FAILED_REDUCES]);
    add_counter_unless_0(c, "NUM_KILLED_MAPS", n[RM_C_KILLED_MAPS]);
    add_counter_unless_0(c, "NUM_KILLED_REDUCES", n[RM_C_KILLED_REDUCES]);
    add_counter_unless_0(c, "TOTAL_LAUNCHED_MAPS", n[RM_C_TOTAL_LAUNCHED_MAPS]);
    add_counter_unless_0(c, "TOTAL_LAUNCHED_REDUCES", n[RM_C_TOTAL_LAUNCHED_REDUCES]);
    add_counter_unless_0(c, "OTHER_LOCAL_MAPS", n[RM_C_OTHER_LOCAL_MAPS]);
    add_counter_unless_0(c, "DATA_LOCAL_MAPS", n[RM_C_DATA_LOCAL_MAPS]);
    add_counter_unless_0(c, "RACK_LOCAL_MAPS", n[RM_C_RACK_LOCAL_MAPS]);
    add_millis_counters(c, conf, n);
    if (c->groups[0].counters.n == 0)
        c->counters.groups.n = 0;
}

static void add_sums_of_tasks(struct mr_counters *c, const char *group,
                              const struct task_counter *table, size_t n, const int64_t *values)
{
    begin_group(c, group);
    for (size_t i = 0; i < n; i++) {
        const struct task_counter *t = &table[i];
        int64_t total = get_counter_or_0(values, t->from),
                reduce = t->kinds & MAPS ? get_counter_or_0(values, t->reduce) : total;

        add_counter(c, t->name, total, total - reduce, reduce);
    }
}

/* Returns true when any task has reported counters: MapReduce tasks do, plain commands do not. */
static bool tasks_have_counted(const int64_t *values)
{
    for (int i = 0; i < BASE_TASK_COUNTERS; i++)
        if (values[i])
            return true;
    return false;
}

void mr_counters_fill_job(const struct base_conf *conf, const struct rm_app_view *v, const char *id,
                          struct mr_counters *out)
{
    const int64_t *n = v->counters;

    begin_counters(id, out);
    add_job_group(out, conf, n);
    if (!tasks_have_counted(n))
        return;
    add_sums_of_tasks(out, PREFIX "TaskCounter", task_counters, COUNT(task_counters), n);
    add_sums_of_tasks(out, PREFIX "lib.input.FileInputFormatCounter", input_counters,
                      COUNT(input_counters), n);
    if (v->phase[BASE_TASK_REDUCE].total)
        add_sums_of_tasks(out, PREFIX "lib.output.FileOutputFormatCounter", reduce_output_counters,
                          COUNT(reduce_output_counters), n);
    else
        add_sums_of_tasks(out, PREFIX "lib.output.FileOutputFormatCounter", map_output_counters,
                          COUNT(map_output_counters), n);
}

/* ---- tasks ---- */

static void add_values_of_task(struct mr_counters *c, const char *group,
                               const struct task_counter *table, size_t n, unsigned kind,
                               const int64_t *values)
{
    begin_group(c, group);
    for (size_t i = 0; i < n; i++)
        if (table[i].kinds & kind)
            add_counter(c, table[i].name, get_counter_or_0(values, table[i].from), 0, 0);
}

void mr_counters_fill_task(const struct rm_app_view *job, enum base_task_kind kind,
                           const int64_t *values, const char *id, struct mr_counters *out)
{
    bool map_only = job->phase[BASE_TASK_REDUCE].total == 0;

    begin_counters(id, out);
    if (!values)
        return;
    add_values_of_task(out, PREFIX "TaskCounter", task_counters, COUNT(task_counters), 1u << kind,
                       values);
    if (kind == BASE_TASK_MAP)
        add_values_of_task(out, PREFIX "lib.input.FileInputFormatCounter", input_counters,
                           COUNT(input_counters), MAPS, values);
    if (kind == BASE_TASK_MAP && map_only)
        add_values_of_task(out, PREFIX "lib.output.FileOutputFormatCounter", map_output_counters,
                           COUNT(map_output_counters), MAPS, values);
    if (kind == BASE_TASK_REDUCE)
        add_values_of_task(out, PREFIX "lib.output.FileOutputFormatCounter", reduce_output_counters,
                           COUNT(reduce_output_counters), REDUCES, values);
}
