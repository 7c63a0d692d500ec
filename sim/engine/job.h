/* sim/engine/job.h - one job of a workload, as readers of traces make it and the simulator runs it.
 *
 * Plain data with its texts inside. The arrays task_us and replica_nodes belong to the job:
 * sim_job_clear() frees them, and taking over a job takes over its arrays.
 * Units: times integer microseconds on the simulation's own time line, which begins at 0; sizes
 * bytes.
 * SOURCE of the defaults: Zaharia et al., "Delay Scheduling", EuroSys 2010 (local maps up to twice
 * as fast). */
#ifndef CREEL_SIM_ENGINE_JOB_H
#define CREEL_SIM_ENGINE_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/task_kind.h"

#define SIM_TEXT_MAX     64 /* size with the NUL; longer texts are cut */
#define SIM_REPLICAS_MAX 8
#define SIM_TASKS_MAX    10000000 /* of one kind */
#define SIM_BLOCK_BYTES  (INT64_C(128) << 20)
/* As expected_us: the true durations of the tasks at speed 1 with local data. */
#define SIM_EXPECT_TRUE (-1)

struct sim_job {
    uint64_t id; /* unique in the workload; durations and places are derived from it. 0: the engine
                    numbers jobs in the order in which it reads them, from 1 */
    char name[SIM_TEXT_MAX];
    char class_name[SIM_TEXT_MAX]; /* class in summaries; "" is a class too */
    char pool[SIM_TEXT_MAX];       /* "": default */
    char user[SIM_TEXT_MAX];       /* "": "user" */
    double weight;                 /* > 0 */
    int32_t priority;              /* larger first */
    int64_t submit_us;             /* earliest submission; a workload is sorted by it */
    uint64_t after;      /* id of a job earlier in the workload that must have ended; 0: none */
    int64_t gap_us;      /* submit this long after that end; unused if the end came before this
                            job was read */
    int64_t deadline_us; /* relative to submission, 0: none */

    int32_t tasks[BASE_TASK_KINDS];   /* may be 0 for one kind */
    int32_t slots;                    /* of one node that each task takes; 0 counts as 1 */
    int64_t base_us[BASE_TASK_KINDS]; /* mean time of a task at speed 1: of a map with its data on
                                   the node; of a reduce from its start or the end of the last map,
                                   whichever is later. At least 1. */
    double cv[BASE_TASK_KINDS];       /* coefficient of variation of the lognormal noise; 0: none */
    int64_t *task_us[BASE_TASK_KINDS]; /* exact times instead of base and noise, one per task; NULL:
                                          none. Owned. */
    int64_t expected_us[BASE_TASK_KINDS]; /* expected duration of a task in the submission; 0:
                                             none; or SIM_EXPECT_TRUE */
    /* time before the first task may start and after the last one ended; takes no slot */
    int64_t setup_us, cleanup_us;

    int64_t split_bytes;     /* of each map's input */
    double selectivity;      /* bytes of map output per byte of input */
    int64_t partition_bytes; /* of each reduce's input; 0: selectivity * input / reduces */
    /* Factors on a map's duration: f_rack when its data is only on other nodes of the rack, f_off
     * when its data is only in other racks. 0: the default, 1.2 for f_rack (2.0 when all nodes are
     * in one rack) and 2.0 for f_off. */
    double f_rack, f_off;
    double f_colo; /* factor on the reduce of a job of one map when both run on one node; 0: 1 */

    /* of the whole job, as given in its trace. The engine uses splits and partitions; the
     * single-server model uses these. */
    int64_t input_bytes, shuffle_bytes, output_bytes;

    bool located;     /* splits have places; false: all nodes are equally near */
    int32_t replicas; /* of each split, 1..SIM_REPLICAS_MAX; fewer in a smaller cluster */
    uint64_t file;    /* jobs of equal file read the same splits; 0: no other job reads these */
    uint32_t *replica_nodes; /* node indices, @replicas per map; NULL: places by HDFS's
                                rule. Owned. */
};

/* Sets all fields to zero, except: weight 1, selectivity 1, one block per split, 3 replicas,
 * located. */
void sim_job_init(struct sim_job *job);
/* Frees what the job owns and resets it as sim_job_init() does. */
void sim_job_clear(struct sim_job *job);
static inline int32_t sim_job_width(const struct sim_job *job)
{
    return job->slots > 1 ? job->slots : 1;
}
/* Copies @text into one of the job's texts, cut between two UTF-8 characters if it is too long.
 * Control characters and bytes that are not UTF-8 become '?'. NULL counts as "". */
void sim_job_copy_text(char to[SIM_TEXT_MAX], const char *text);

#endif
