/* sim/input/trace_fields.h - the fields of a job in Creel's own formats, as columns of CSV and members of JSON-lines
 * alike.
 *
 *   id              integer above 0, unique: durations and places hang on it. Another text is taken as the name, and
 *                   the job is numbered by its row
 *   name class pool user   texts
 *   submit_s        REQUIRED; seconds from the beginning of the simulation
 *   weight          above 0; 1
 *   priority        integer, larger first; 0
 *   after, gap_s    id of an earlier job that must have ended before, and so long after its end
 *   deadline_s      after submission; 0: none
 *   maps            absent: one per split (or block) of input_bytes; absent too: 0, when there are reduces
 *   reduces         absent: one per GiB of shuffle and output, none without shuffle
 *   map_s           mean duration of a map with its data on its node; 30
 *   reduce_s        of a reduce, from its start or the end of the last map, whichever is later; 20 and its bytes at
 *                   20 MB/s
 *   map_cv reduce_cv   coefficient of variation of lognormal noise on them; 0.1
 *   map_expected_s reduce_expected_s   told to the policy with the submission; "true": what they will really take;
 *                   0: nothing
 *   setup_s cleanup_s   before the first task and after the last, without a slot; 0
 *   input_bytes shuffle_bytes output_bytes   of the whole job; 0: not known
 *   split_bytes     input of a map; input_bytes / maps, or 128 MiB
 *   partition_bytes input of a reduce; shuffle_bytes / reduces, or selectivity * input / reduces
 *   selectivity     bytes of map output per byte of input; shuffle_bytes / input_bytes, or 1
 *   f_rack f_off    a map takes so many times longer with its data in the rack only, or off it; 0: the defaults (1.2
 *                   or 2; 2)
 *   f_colo          the reduce of a job of one map on that map's node: its duration times this; 0: 1
 *   located         true or false: its splits have places; true
 *   replicas        of a split; 3
 *   file            jobs of equal number read the same splits; 0: its own
 *
 * Durations of single tasks, and places, are lists: JSON-lines alone (sim/input/trace_jsonl.h). */
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
    SIM_FIELD_TIME,   /* int64_t microseconds, written in seconds */
    SIM_FIELD_EXPECT, /* a time, or "true" */
    SIM_FIELD_BOOL
};
struct sim_field {
    const char *name;
    enum sim_field_type type;
    size_t offset; /* in struct sim_job */
    double min, max;
};
#define SIM_FIELDS 33
extern const struct sim_field sim_fields[SIM_FIELDS]; /* in the order in which they are written */

/* The index of the field of that name; -1: none. */
int sim_field_find(const char *name);
/* Reads the text @value into the field of @job. */
int sim_field_read(const struct sim_trace *t, int field, const char *value, struct sim_job *job,
                   struct base_error *err);
/* A real number that the field takes (JSON), checked as a text is. Not for texts and booleans. */
int sim_field_number(const struct sim_trace *t, int field, double value, struct sim_job *job, struct base_error *err);
/* Appends the value as it is read, without quotes. */
void sim_field_write(int field, const struct sim_job *job, struct base_buf *out);
/* The field has the value that it has when it is absent from a line (of those whose default is fixed). */
bool sim_field_is_default(int field, const struct sim_job *job);

/* Works out what was absent (@seen: bit per field) and checks the whole: -BASE_EINVAL naming the field. */
int sim_fields_complete(const struct sim_trace *t, uint64_t seen, struct sim_job *job, struct base_error *err);

/* Appends @us as seconds: "12.5". */
void sim_seconds_write(int64_t us, struct base_buf *out);
/* Appends the shortest of %.15g and %.17g that reads back as @x. */
void sim_real_write(double x, struct base_buf *out);

#endif
