/* sim/input/trace_sls.h - reads the traces of Hadoop's Scheduler Load Simulator: a JSON object per job, one after the
 * other or in arrays, streamed object by object.
 *
 *   {"am.type": "mapreduce", "job.start.ms": 0, "job.end.ms": 95375, "job.queue.name": "sls_queue_1",
 *    "job.id": "job_1", "job.user": "default", "job.count": 1, "job.tasks": [
 *      {"count": 1, "container.host": "/default-rack/node1", "container.start.ms": 6664,
 *       "container.end.ms": 23707, "duration.ms": 50000, "container.priority": 20, "container.type": "map"}, ...]}
 *   {"num.nodes": 3, "num.racks": 1}
 *
 * SOURCE: Hadoop 3.4, "YARN Scheduler Load Simulator (SLS)", appendix "SLS JSON input file format";
 *         org.apache.hadoop.yarn.sls: AMDefinitionSLS, AMDefinitionFactory, SLSConfiguration, RumenToSLSConverter.
 * As there: job.queue.name, job.user, job.id, job.count, am.type, count, container.host, container.type,
 * container.priority are optional; numbers may be written as texts; a duration ("container.duration.ms" or
 * "duration.ms") goes before start and end; other members are passed over. A job of job.count above 1 becomes so many
 * jobs. Here: every task is a map or a reduce; a task takes exactly its duration, wherever it runs (what was measured
 * includes the way its data went); the host of a map is where its split lies. An object with num.nodes describes the
 * cluster. */
#ifndef CREEL_SIM_INPUT_TRACE_SLS_H
#define CREEL_SIM_INPUT_TRACE_SLS_H

#include "sim/input/trace.h"

struct sim_sls {
    struct sim_trace *trace; /* borrowed */
    struct sim_hosts hosts;
    int32_t nodes;                    /* of the simulated cluster: hosts are numbered modulo them; 0: they are not */
    int64_t trace_nodes, trace_racks; /* num.nodes, num.racks; 0: the trace does not say */
    int state;                        /* between objects */
    struct sim_job again;             /* a job of which there are more ... */
    int64_t more;                     /* ... so many */
};
void sim_sls_init(struct sim_sls *r, struct sim_trace *trace, int32_t nodes);
/* The next job into @out (initialised): 1; at the end 0; negative as in sim/input/trace.h. The line in messages is the one on
 * which the object begins. */
int sim_sls_next(struct sim_sls *r, struct sim_job *out, struct base_error *err);
void sim_sls_free(struct sim_sls *r);

#endif
