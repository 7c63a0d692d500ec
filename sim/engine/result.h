/* sim/engine/result.h - what a simulation measures: per job and over the run.
 * Units: microseconds of virtual time; slot time in slots times microseconds.
 * SOURCE of the terms: waiting, execution, sojourn as in Pastorelli et al., "HFSP", 2013 and
 * Cheriere et al., SAC 2016 (whose "makespan of a job" is the sojourn here); accepted, success,
 * utilisation of successful jobs as in He, Lu, Swanson, HPCC 2013. */
#ifndef CREEL_SIM_ENGINE_RESULT_H
#define CREEL_SIM_ENGINE_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/engine/job.h"

enum sim_level { SIM_NODE_LOCAL, SIM_RACK_LOCAL, SIM_OFF_RACK, SIM_LEVELS };

struct sim_job_result {
    uint64_t id;
    const char *name, *class_name, *pool, *user; /* borrowed: valid during the callback */
    int32_t tasks[BASE_TASK_KINDS], priority;
    double weight;
    int64_t deadline_us; /* relative, 0: none */
    int64_t submit_us;   /* actual time of submission */
    /* start of the first map attempt, or of the first reduce of a job without maps; submit_us if
     * none started */
    int64_t first_us;
    int64_t maps_done_us; /* end of the last map */
    int64_t finish_us;    /* end of the last task or of the cleanup; or when the job was refused */
    bool accepted;        /* false: refused at submission */
    bool met;             /* the deadline was met; true for accepted jobs without one */
    /* finish promised at admission; of a refused job the earliest that could be promised; 0: none
     */
    int64_t promised_us;
    int64_t launches[BASE_TASK_KINDS], kills[BASE_TASK_KINDS], suspensions[BASE_TASK_KINDS];
    int64_t level[SIM_LEVELS];          /* launches of maps whose splits have places, killed ones
                                           included */
    int64_t useful_us[BASE_TASK_KINDS]; /* slot time of attempts that succeeded, idle waiting of
                                           early reduces included */
    int64_t idle_us;                    /* part of useful_us: reduces waiting for the last map */
    int64_t lost_us[BASE_TASK_KINDS];   /* slot time of killed attempts */
    int64_t work_us[BASE_TASK_KINDS];   /* true work at speed 1 with local data; 0 without
                                           sim_conf.true_work */
};
static inline int64_t sim_waiting_us(const struct sim_job_result *r)
{
    return r->first_us - r->submit_us;
}
static inline int64_t sim_execution_us(const struct sim_job_result *r)
{
    return r->finish_us - r->first_us;
}
static inline int64_t sim_sojourn_us(const struct sim_job_result *r)
{
    return r->finish_us - r->submit_us;
}

struct sim_totals {
    int64_t jobs, accepted, refused, with_deadline;
    int64_t met;                             /* accepted jobs with a deadline that they met */
    int64_t first_submit_us, last_finish_us; /* of all jobs; of accepted ones */
    double sojourn_sum_us, waiting_sum_us, execution_sum_us; /* of accepted jobs */
    int64_t launches[BASE_TASK_KINDS], completions[BASE_TASK_KINDS], kills[BASE_TASK_KINDS],
        suspensions[BASE_TASK_KINDS], resumes[BASE_TASK_KINDS];
    int64_t level[SIM_LEVELS];
    double useful_us[BASE_TASK_KINDS], met_us[BASE_TASK_KINDS]; /* met_us: of accepted jobs that met
                                                                   their deadline or have none */
    double slots[BASE_TASK_KINDS];
    int64_t events, heartbeats, jobs_live_max;
    int64_t overruled, fallbacks; /* answers of the policy that the core rejected; how often FIFO
                                     replaced the policy */
    int64_t suspended_node_max[BASE_TASK_KINDS]; /* most attempts suspended on one node at a
                                                    time */
    double bound_us; /* lower bound on the mean sojourn of accepted jobs (sim/engine/bound.h); 0
                        without sim_conf.true_work, or when the run was stopped */
};
static inline int64_t sim_makespan_us(const struct sim_totals *t)
{
    return t->accepted ? t->last_finish_us - t->first_submit_us : 0;
}
double sim_mean_sojourn_us(const struct sim_totals *t); /* 0 without jobs */
/* Useful slot time divided by slots times makespan: of one kind; of both together, where @met_alone
 * counts only jobs that met their deadline or have none. 0 without slots or jobs. */
double sim_utilisation(const struct sim_totals *t, enum base_task_kind kind);
double sim_utilisation_all(const struct sim_totals *t, bool met_alone);
void sim_totals_add_job(struct sim_totals *t, const struct sim_job_result *r);

/* ---- statistics ---- */
struct sim_stat { /* zero to begin with; mean and deviation by Welford's recurrence */
    int64_t n;
    double mean, m2, min, max;
};
void sim_stat_add(struct sim_stat *s, double x);
double sim_stat_deviation(const struct sim_stat *s); /* sample deviation, 0 below two values */
/* Half the width of the 95 % confidence interval of the mean, by Student's t. 0 below two values.
 */
double sim_stat_ci95_half_width(const struct sim_stat *s);

#endif
