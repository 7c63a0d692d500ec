/* sim/usage.h - slots in use over time, by class, by pool and by name of the job, for pictures.
 *
 * Time is divided into cells of equal width; a cell holds the slot time that a class (pool, job)
 * used in it. The width doubles whenever the run outgrows the cells, so memory is bounded whatever
 * the length of the run. A grouping with more than SIM_USAGE_NAMES_MAX names is given up, because
 * nobody could read its picture. */
#ifndef CREEL_SIM_USAGE_H
#define CREEL_SIM_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "sim/engine/sim.h"

enum { SIM_USAGE_CELLS = 2048, SIM_USAGE_NAMES_MAX = 24 };
#define SIM_USAGE_WIDTH_US INT64_C(125000) /* initial width of a cell */

enum sim_usage_by { SIM_BY_CLASS, SIM_BY_POOL, SIM_BY_JOB, SIM_USAGE_BYS };

struct sim_usage_line {
    char name[SIM_TEXT_MAX];
    int64_t running[BASE_TASK_KINDS], since_us[BASE_TASK_KINDS]; /* used while recording */
    double *cell[BASE_TASK_KINDS]; /* slot time in each of SIM_USAGE_CELLS cells, microseconds */
};
struct sim_usage {
    int64_t width_us, end_us;
    struct sim_usage_by_name { /* in order of first appearance */
        struct sim_usage_line v[SIM_USAGE_NAMES_MAX];
        size_t n;
        bool too_many; /* given up */
    } by[SIM_USAGE_BYS];
    struct sim_usage_job *jobs; /* slots that each job holds now */
};

/* Call sim_usage_init(), sim_usage_record() for every change in order of time, sim_usage_finish().
 */
void sim_usage_init(struct sim_usage *u);
void sim_usage_record(struct sim_usage *u, const struct sim_alloc *a);
void sim_usage_finish(struct sim_usage *u, int64_t now_us);
/* The number of cells until the end; the last one may be cut short. */
size_t sim_usage_cell_count(const struct sim_usage *u);
/* The mean number of slots in use during cell @i. */
double sim_usage_mean_slots(const struct sim_usage *u, const struct sim_usage_line *line,
                            enum base_task_kind kind, size_t i);
/* Returns NULL if the grouping has no such name or was given up. */
const struct sim_usage_line *sim_usage_find_line(const struct sim_usage *u, enum sim_usage_by by,
                                                 const char *name);
void sim_usage_free(struct sim_usage *u);

/* Converts to bytes and back; both sides must be the same program. sim_usage_unpack() returns 0, or
 * -BASE_ECORRUPT with @err. */
void sim_usage_pack(const struct sim_usage *u, struct base_buf *out);
int sim_usage_unpack(struct sim_usage *u, const char *data, size_t len, struct base_error *err);

#endif
