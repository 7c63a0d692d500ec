/* policies/hfsp/virtual_internal.h - the state of the virtual cluster, shared by its files. */
#ifndef CREEL_POLICIES_HFSP_VIRTUAL_INTERNAL_H
#define CREEL_POLICIES_HFSP_VIRTUAL_INTERNAL_H

#include "base/error.h"
#include "base/mem.h"
#include "policies/hfsp/virtual_cluster.h"

/* the end of a run that lies at most this far ahead counts as reached; ends at most this far apart
 * count as equal */
#define VC_EPS_US  1e-3
#define VC_EPS_REL 1e-12 /* relative difference up to which thresholds count as equal */
#define VC_HUGE    1e300

struct vc_key {
    double key;
    int32_t job;
};
struct vc_keys {
    struct vc_key *v;
    size_t len, cap;
};
struct vc_more { /* a further run: its tasks last @extra longer than those of the previous run */
    int32_t tasks;
    double extra;
};
enum vc_state { VC_FREE, VC_ACTIVE, VC_OVER };
enum vc_list { VC_BY_LAG, VC_BY_CAP, VC_ORDER, VC_LISTS };

struct vc_job {
    double left; /* remaining time of each task of the shortest run */
    double weight;
    int32_t tasks;        /* unfinished tasks of all runs */
    int32_t first;        /* tasks of the shortest run */
    struct vc_more *more; /* the other runs: more[more_at .. more_n) */
    int32_t more_at, more_n, more_cap;
    uint8_t state;
    bool left_really;          /* the real job has left */
    uint8_t listed;            /* bits of enum vc_list: the lists that contain the job */
    double work_set, received; /* work when it was last set; service received before */
    int64_t finish_us, key;
    int64_t submit_us, cluster_ts;
    int32_t seq, next_free;
};
enum vc_mode { VC_SHARED, VC_CAPPED, VC_ENDED };
struct vc_scratch {     /* state of a job during a call of vc_fluid_advance_or_project() or
                           vc_slots_advance_or_project() */
    double at;          /* end of the shortest run: VC_SHARED a lag, VC_CAPPED a time */
    double ended;       /* VC_ENDED: time of the end */
    int32_t tasks, run; /* unfinished tasks; index in more[] of the run after the shortest */
    uint8_t mode;
};
struct vc_work { /* runs of a job, for sharing with whole slots */
    struct virtual_run *v;
    size_t len, cap;
    int32_t slots, tasks;
};
struct virtual_cluster {
    enum virtual_form form;
    enum virtual_order order_by;
    int64_t slots, now_us;
    struct vc_job *jobs;
    size_t jobs_n, jobs_cap;
    int32_t free_first;
    struct vc_keys list[VC_LISTS]; /* kept as last sorted, so they are nearly sorted next time */
    int32_t *order;
    size_t order_n, order_cap;
    /* the rates until the first end of a run, as found by the last vc_fluid_advance_or_project() */
    bool steady;
    double level;      /* slots per weight of sharing jobs */
    int64_t steady_us; /* time since which the rates hold */
    double first_end;  /* microseconds from steady_us to the end of the first run */
    bool projected;    /* finishes and order are up to date */
    /* scratch memory */
    struct vc_scratch *scratch;
    size_t scratch_cap;
    struct vc_keys tmp, heap_lag, heap_cap, heap_end;
    struct vc_work *work;
    size_t work_cap;
};

void vc_keys_add(struct vc_keys *k, double key, int32_t job);
/* Sorts by key; stable, and fast when nearly sorted. @ties: order equal keys by submission and id.
 */
void vc_keys_sort(struct virtual_cluster *vc, struct vc_keys *k, bool ties);
void vc_heap_push(struct vc_keys *h, double key, int32_t job);
void vc_heap_pop(struct vc_keys *h);
/* Removes entries of jobs that are not active; the others keep their order. */
void vc_list_keep_active(struct virtual_cluster *vc, enum vc_list list);
void vc_job_set_runs(struct vc_job *j, const struct virtual_run *runs, size_t n);
double vc_job_work_left(const struct vc_job *j);
/* Ends a job virtually, @after_us after the time of the virtual cluster, but at @latest_us at the
 * latest. */
void vc_job_end_virtually(struct virtual_cluster *vc, int32_t job, double after_us,
                          int64_t latest_us);
int64_t vc_finish_us_after(const struct virtual_cluster *vc, double after);

/* Advance the state of all jobs to @to_us, or with @to_us < 0 only project their finishes. */
void vc_fluid_advance_or_project(struct virtual_cluster *vc, int64_t to_us);
void vc_slots_advance_or_project(struct virtual_cluster *vc, int64_t to_us);

#endif
