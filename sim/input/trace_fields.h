/* sim/input/trace_fields.h - the fields of a job in Creel's own trace formats: columns of CSV,
 * members of JSON lines.
 *
 *   id              integer above 0, unique; durations and split locations are derived from it.
 *                   A text that is not an integer becomes the job's name, unless it has one, and
 *                   the job is numbered by its row
 *   name class pool user   text
 *   submit_s        REQUIRED; seconds since the beginning of the simulation
 *   weight          0.000001 to 1000000; default 1
 *   priority        integer, larger is more important; default 0
 *   after, gap_s    id of an earlier job that must end first, and the delay after its end
 *   deadline_s      relative to submission; 0: none
 *   maps            default: one per split (or block) of input_bytes, at least 1; 0 without
 *                   input_bytes, if the job has reduces
 *   reduces         default: one per GiB of shuffle and output, at least 1; none without shuffle
 *   map_s           mean duration of a map with its data on its node; 0: the default, 30
 *   reduce_s        mean duration of a reduce, counted from its start or the end of the last map,
 *                   whichever is later; 0: the default, 20 plus its bytes at 20 MB/s
 *   map_cv reduce_cv   coefficient of variation of the lognormal noise on durations; default 0.1
 *   map_expected_s reduce_expected_s   duration that the policy learns at submission; "true": the
 *                   real duration; 0: none
 *   setup_s cleanup_s   time before the first task and after the last, without a slot; default 0
 *   input_bytes shuffle_bytes output_bytes   of the whole job; 0: unknown
 *   split_bytes     input of one map; default input_bytes / maps, or 128 MiB
 *   partition_bytes input of one reduce; default shuffle_bytes / reduces, or
 *                   selectivity * input / reduces
 *   selectivity     bytes of map output per byte of input; default shuffle_bytes / input_bytes,
 *                   or 1
 *   f_rack f_off    factor on a map's duration when its data is only in its rack, or in another
 *                   rack; 0: the defaults (1.2, or 2 in a cluster of one rack; 2)
 *   f_colo          factor on the reduce's duration in a job of one map when both run on the same
 *                   node; 0: 1
 *   located         true or false: the splits have locations; default true
 *   replicas        replicas per split; default 3
 *   file            jobs with an equal number read the same splits; 0: a file of its own
 *   slots           slots of one node that each task takes; default 1
 *
 * Durations and locations of single tasks are lists, which only JSON lines can hold
 * (sim/input/trace_jsonl.h). */
#ifndef CREEL_SIM_INPUT_TRACE_FIELDS_H
#define CREEL_SIM_INPUT_TRACE_FIELDS_H

#include "sim/input/trace.h"

enum sim_field_type {
    SIM_FIELD_ID,
    SIM_FIELD_TEXT,
    SIM_FIELD_REAL,
    SIM_FIELD_INT32,
    SIM_FIELD_BYTES,  /* int64_t */
    SIM_FIELD_NUMBER, /* uint64_t */
    SIM_FIELD_TIME,   /* int64_t microseconds, written as seconds */
    SIM_FIELD_EXPECT, /* a time, or "true" */
    SIM_FIELD_BOOL
};
struct sim_field {
    const char *name;
    enum sim_field_type type;
    size_t offset; /* into struct sim_job */
    double min, max;
};
#define SIM_FIELDS 34
extern const struct sim_field sim_fields[SIM_FIELDS];

/* The index of the field called @name; -1 if there is none. */
int sim_field_find_by_name(const char *name);
/* Parses @value and stores it in the field of @job. Returns 0, or a negative error as in
 * sim/input/trace.h. */
int sim_field_parse_text(const struct sim_trace *t, int field, const char *value,
                         struct sim_job *job, struct base_error *err);
/* Stores the real number @value in the field of @job, with the same checks as for text. For numeric
 * fields only. */
int sim_field_store_real(const struct sim_trace *t, int field, double value, struct sim_job *job,
                         struct base_error *err);

/* Fills the fields that were absent (@seen has one bit per field present), replaces mean durations
 * by the means of the lists of durations, and checks the job as a whole. Fails with -BASE_EINVAL,
 * naming the field. */
int sim_fields_fill_absent(const struct sim_trace *t, uint64_t seen, struct sim_job *job,
                           struct base_error *err);

#endif
