/* sim/input/trace_jsonl.h - reads and writes jobs as JSON, one object a line: the form in which workloads and the history
 * of a live cluster are kept.
 *
 *   {"version":1,"id":7,"name":"wc","pool":"root.etl","user":"ann","submit_s":12.5,"maps":3,"reduces":1,
 *    "map_durations_s":[25.1,24.8,26],"reduce_durations_s":[60.2]}
 *
 * Members:
 *   version          1 (absent: 1). Another one is refused: it may mean something else
 *   those of sim/input/trace_fields.h, as numbers, strings, and true or false; map_expected_s and reduce_expected_s also true
 *   map_durations_s, reduce_durations_s   what each task takes, in the order of task indexes; maps and reduces may then
 * be absent, and map_s, map_cv and so on do not count map_nodes        where the splits lie: for each map a list of
 * node numbers, all of equal length map_hosts        the same with names; the reader numbers them in order of first
 * appearance What a history adds, read over by the simulator: app              the application's id, as YARN prints it
 *   state            SUCCEEDED, FAILED or KILLED
 *   time_0_ms        the moment of submit_s = 0, in ms since the epoch; one and the same in a whole export
 *   start_s, finish_s   of its first attempt and of the job, on the line of submit_s
 *   map_starts_s, reduce_starts_s    start of the attempt of each task that succeeded
 *   map_ran_on, reduce_ran_on        its host
 * A member that is not listed is refused, with the nearest name: a misspelt one would change the simulation silently.
 *
 * What an export writes, so that a replay is of the same work: the jobs sorted by submission, the first at 0; tasks as
 * the attempt that succeeded took them, without the time it was suspended; a reduce from its start or the end of the
 * job's last map, whichever was later (the simulator adds the waiting before); f_rack and f_off 1, since what a map
 * took includes the way of its data. */
#ifndef CREEL_SIM_INPUT_TRACE_JSONL_H
#define CREEL_SIM_INPUT_TRACE_JSONL_H

#include "sim/input/trace.h"
#include "sim/input/trace_fields.h"

#define SIM_JSONL_VERSION 1

struct sim_jsonl {
    struct sim_trace *trace; /* borrowed */
    struct sim_hosts hosts;
    int32_t nodes; /* of the simulated cluster: hosts are numbered modulo them; 0: they are not */
};
void sim_jsonl_init(struct sim_jsonl *r, struct sim_trace *trace, int32_t nodes);
/* The job of the next line into @out (initialised): 1; at the end 0; negative as in sim/input/trace.h. */
int sim_jsonl_next(struct sim_jsonl *r, struct sim_job *out, struct base_error *err);
void sim_jsonl_free(struct sim_jsonl *r);

/* What a history knows beside the job. Lists: one element per task of the kind, or NULL. All borrowed. */
struct sim_jsonl_past {
    const char *app, *state; /* NULL: not written */
    int64_t time_0_ms, start_us, finish_us;
    const int64_t *starts_us[BASE_TASK_KINDS];
    const char *const *ran_on[BASE_TASK_KINDS]; /* NULL inside: not known */
    const char *const *const *map_hosts;  /* per map a NULL-ended list of hosts of its split */
};
/* Appends the line of @job with its end; @past NULL: none. Values that are defaults are left out. */
void sim_jsonl_write(const struct sim_job *job, const struct sim_jsonl_past *past, struct base_buf *out);

#endif
