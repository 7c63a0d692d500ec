/* sim/input/trace_sls.h - reads traces of Hadoop's Scheduler Load Simulator: one JSON object per
 * job, one after the other or inside arrays, streamed object by object.
 *
 *   {"am.type": "mapreduce", "job.start.ms": 0, "job.end.ms": 95375,
 *    "job.queue.name": "sls_queue_1", "job.id": "job_1", "job.user": "default", "job.count": 1,
 *    "job.tasks": [
 *      {"count": 1, "container.host": "/default-rack/node1", "container.start.ms": 6664,
 *       "container.end.ms": 23707, "duration.ms": 50000, "container.priority": 20,
 *       "container.type": "map"}, ...]}
 *   {"num.nodes": 3, "num.racks": 1}
 *
 * SOURCE: Hadoop 3.4, "YARN Scheduler Load Simulator (SLS)", appendix "SLS JSON input file format";
 * org.apache.hadoop.yarn.sls: AMDefinitionSLS, AMDefinitionFactory, SLSConfiguration,
 * RumenToSLSConverter.
 *
 * As in Hadoop: job.queue.name, job.user, job.id, job.count, am.type, count, container.host,
 * container.type and container.priority are optional; numbers may be written as strings; a duration
 * ("container.duration.ms" or "duration.ms") takes precedence over start and end; other members are
 * ignored. A job.count of n stands for n equal jobs.
 *
 * Our choices: every task is a map or a reduce. A task's duration does not depend on where its data
 * is, because the measured time includes reading the data. A map's host is the location of its
 * split; unless every map of a job has a host, its splits have no locations. An object with
 * num.nodes and without job.tasks describes the cluster. */
#ifndef CREEL_SIM_INPUT_TRACE_SLS_H
#define CREEL_SIM_INPUT_TRACE_SLS_H

#include "sim/input/trace.h"

struct sim_sls {
    struct sim_trace *trace; /* borrowed */
    struct sim_hosts hosts;
    /* size of the simulated cluster; hosts are numbered modulo it. 0: no modulo */
    int32_t nodes;
    int64_t trace_nodes, trace_racks; /* num.nodes and num.racks; 0: not in the trace */
    int state;                        /* of the scanner between objects; see trace_sls.c */
    struct sim_job again;             /* the job to repeat when its job.count is above 1 */
    int64_t more;                     /* how many repetitions remain */
};
void sim_sls_init(struct sim_sls *r, struct sim_trace *trace, int32_t nodes);
/* Reads the next job into @out (initialised by the caller). Returns 1, 0 at the end of the file, or
 * a negative error as in sim/input/trace.h. Line numbers in messages are those of the line where
 * the object begins. */
int sim_sls_next_job(struct sim_sls *r, struct sim_job *out, struct base_error *err);
void sim_sls_free(struct sim_sls *r);

#endif
