/* sim/engine/job.h - one job of a workload: what a reader makes of a line of a trace, and what the
 * simulator runs.
 *
 * Plain data. Texts are inside. Two arrays may hang on it (task_us, replica_nodes), owned by the
 * job: sim_job_clear() frees them, and who takes a job takes them with it.
 * Units: times integer microseconds on the simulation's own time line, which begins at 0; sizes
 * bytes.
 * SOURCE of the defaults: Zaharia et al., "Delay Scheduling", EuroSys 2010 (local maps up to twice
 * as fast). */
#ifndef CREEL_SIM_ENGINE_JOB_H
#define CREEL_SIM_ENGINE_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/task_kind.h"

#define SIM_TEXT_MAX     64 /* with the NUL: a longer text is cut */
#define SIM_REPLICAS_MAX 8
#define SIM_TASKS_MAX    10000000 /* of one kind */
#define SIM_BLOCK_BYTES  (INT64_C(128) << 20)
#define SIM_EXPECT_TRUE                                                                            \
    (-1) /* expected_us: what the tasks will truly take at full speed, locally */

struct sim_job {
    uint64_t id; /* unique in its workload, above 0; durations and places hang on it. 0: its number
                    in order of next(), from 1 */
    char name[SIM_TEXT_MAX];
    char class_name[SIM_TEXT_MAX]; /* bin for summaries; "" is one of its own */
    char pool[SIM_TEXT_MAX];       /* "": default */
    char user[SIM_TEXT_MAX];       /* "": "user" */
    double weight;                 /* > 0 */
    int32_t priority;              /* larger first */
    int64_t submit_us;             /* not before; jobs come in this order */
    uint64_t after; /* id of a job that must have ended before; 0: none. It must come earlier. */
    int64_t gap_us; /* then this much later */
    int64_t deadline_us; /* relative to submission, 0: none */

    int32_t tasks[BASE_TASK_KINDS];   /* 0 reduces: map only; 0 maps: reduces alone */
    int64_t base_us[BASE_TASK_KINDS]; /* mean time of a task at speed 1, of a map with its data on
                                   the node; of a reduce from its start or the end of the last map,
                                   whichever is later. At least 1. */
    double cv[BASE_TASK_KINDS]; /* coefficient of variation of the lognormal noise on it; 0: none */
    int64_t *task_us[BASE_TASK_KINDS]; /* exact times instead of base and noise, one per task; NULL:
                                          none. Owned. */
    int64_t expected_us[BASE_TASK_KINDS]; /* told to the policy with the submission, per task; 0:
                                             nothing is; SIM_EXPECT_TRUE */
    int64_t setup_us,
        cleanup_us; /* before the first task may start, after the last; they hold no slot */

    int64_t split_bytes;     /* of each map's input */
    double selectivity;      /* bytes of map output per byte of input */
    int64_t partition_bytes; /* of each reduce's input; 0: selectivity * input / reduces */
    double f_rack,
        f_off; /* a map takes longer so many times with its data in the rack only, or off it. f_rack
                  0: 1.2, or 2.0 when all nodes are in one rack; f_off 0: 2.0 */
    double
        f_colo; /* the reduce of a job of one map, on that map's node: its time times this. 0: 1 */

    int64_t input_bytes, shuffle_bytes,
        output_bytes; /* of the whole job, as its trace says. The engine goes by splits
                         and partitions: these are for the single server and exports */

    bool located;     /* its splits have places; false: any node is as good as another */
    int32_t replicas; /* of each split, 1..SIM_REPLICAS_MAX; fewer in a smaller cluster */
    uint64_t file;    /* jobs of equal file read the same splits in the same places; 0: its own */
    uint32_t *replica_nodes; /* the places themselves: nodes by index, @replicas per map; NULL:
                                HDFS's rule. Owned. */
};

/* Sets all fields to zero, except: weight 1, selectivity 1, one block per split, 3 replicas,
 * located. */
void sim_job_init(struct sim_job *job);
/* Frees what the job owns and resets it as sim_job_init() does. */
void sim_job_clear(struct sim_job *job);
/* Copies @text into one of the job's texts, cut to fit at a boundary of UTF-8; a control character
 * or a byte that is no UTF-8 becomes '?'. NULL: "". */
void sim_job_text(char to[SIM_TEXT_MAX], const char *text);

#endif
