/* sim/usage.h - slots in use over time, by class, by pool and by job: what pictures of an
 * allocation show.
 *
 * Time is cut into cells of equal width; a cell holds the mean number of slots that a class (pool,
 * job) held during it. The width doubles whenever the run has become longer than all cells: memory
 * is bounded whatever the length of the run. A grouping with more than SIM_USAGE_NAMES_MAX names is
 * given up: such a picture cannot be read. */
#ifndef CREEL_SIM_USAGE_H
#define CREEL_SIM_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"
#include "sim/engine/sim.h"

enum { SIM_USAGE_CELLS = 2048, SIM_USAGE_NAMES_MAX = 24 };
#define SIM_USAGE_WIDTH_US INT64_C(125000) /* of a cell to begin with */

enum sim_usage_by { SIM_BY_CLASS, SIM_BY_POOL, SIM_BY_JOB, SIM_USAGE_BYS };

struct sim_usage_line {
    char name[SIM_TEXT_MAX];
    int64_t running[BASE_TASK_KINDS], since_us[BASE_TASK_KINDS]; /* while it is filled */
    double
        *cell[BASE_TASK_KINDS]; /* slot time in the cell, microseconds; SIM_USAGE_CELLS of them */
};
struct sim_usage {
    int64_t width_us, end_us;
    struct sim_usage_by_name { /* in order of first appearance */
        struct sim_usage_line v[SIM_USAGE_NAMES_MAX];
        size_t n;
        bool too_many; /* given up */
    } by[SIM_USAGE_BYS];
    struct sim_usage_job *jobs; /* what each held last */
};

/* Zero; then for every change, in order of time; then the end. */
void sim_usage_init(struct sim_usage *u);
void sim_usage_add(struct sim_usage *u, const struct sim_alloc *a);
void sim_usage_end(struct sim_usage *u, int64_t now_us);
/* Cells that were reached by the end. */
size_t sim_usage_cells(const struct sim_usage *u);
/* Mean slots in use during cell @i. */
double sim_usage_slots(const struct sim_usage *u, const struct sim_usage_line *line,
                       enum base_task_kind kind, size_t i);
/* NULL when there is none of that name, or the grouping was given up. */
const struct sim_usage_line *sim_usage_find(const struct sim_usage *u, enum sim_usage_by by,
                                            const char *name);
void sim_usage_free(struct sim_usage *u);

/* To bytes and back, between processes of one program. */
void sim_usage_pack(const struct sim_usage *u, struct base_buf *out);
int sim_usage_unpack(struct sim_usage *u, const char *data, size_t len, struct base_error *err);

#endif
