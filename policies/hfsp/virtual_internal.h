/* policies/hfsp/virtual_internal.h - what the files of the virtual cluster share. */
#ifndef CREEL_POLICIES_HFSP_VIRTUAL_INTERNAL_H
#define CREEL_POLICIES_HFSP_VIRTUAL_INTERNAL_H

#include "base/error.h"
#include "base/mem.h"
#include "policies/hfsp/virtual_cluster.h"

#define VC_EPS_US  1e-3  /* an end this close has come */
#define VC_EPS_REL 1e-12 /* thresholds this close are equal */
#define VC_HUGE    1e300

struct vc_key {
    double key;
    int32_t job;
};
struct vc_keys {
    struct vc_key *v;
    size_t len, cap;
};
struct vc_more { /* further tasks: they last @extra longer than those before */
    int32_t tasks;
    double extra;
};
enum vc_state { VC_FREE, VC_ACTIVE, VC_OVER };
enum vc_list { VC_BY_LAG, VC_BY_CAP, VC_ORDER, VC_LISTS };

struct vc_job {
    double left; /* of each task of the shortest run */
    double weight;
    int32_t tasks;        /* unfinished ones of all runs */
    int32_t first;        /* those of the shortest run */
    struct vc_more *more; /* more[more_at .. more_n) */
    int32_t more_at, more_n, more_cap;
    uint8_t state;
    bool left_really;
    uint8_t listed;            /* bits of enum vc_list: has an entry there */
    double work_set, received; /* work when it was last set; service before that */
    int64_t finish_us, key;
    int64_t submit_us, cluster_ts;
    int32_t seq, next_free;
};
enum vc_mode { VC_SHARED, VC_CAPPED, VC_ENDED };
struct vc_scratch {     /* of one job while time passes in an engine */
    double at;          /* shared: lag at which its shortest run ends; capped: time of that */
    double ended;       /* VC_ENDED: time */
    int32_t tasks, run; /* run: index in more of the run after the shortest */
    uint8_t mode;
};
struct vc_work { /* runs of one job in the form of whole slots */
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
    /* in the order of the last use: nearly sorted the next time */
    struct vc_keys list[VC_LISTS];
    int32_t *order;
    size_t order_n, order_cap;
    /* the state until the first end of a run, known from the last engine run */
    bool steady;
    double level;      /* slots per weight of those that share */
    int64_t steady_us; /* from then on */
    double first_end;  /* microseconds after steady_us */
    bool projected;    /* finishes and order fit the state */
    /* room of the engines */
    struct vc_scratch *scratch;
    size_t scratch_cap;
    struct vc_keys tmp, heap_lag, heap_cap, heap_end;
    struct vc_work *work;
    size_t work_cap;
};

void vc_keys_add(struct vc_keys *k, double key, int32_t job);
/* Stable; quick when nearly sorted. @ties: equal keys by submission and id. */
void vc_keys_sort(struct virtual_cluster *vc, struct vc_keys *k, bool ties);
void vc_heap_push(struct vc_keys *h, double key, int32_t job);
void vc_heap_pop(struct vc_keys *h);
/* Drops entries of jobs that are not active; what is left keeps its place. */
void vc_list_active(struct virtual_cluster *vc, enum vc_list list);
void vc_set_runs(struct vc_job *j, const struct virtual_run *runs, size_t n);
double vc_job_left(const struct vc_job *j);
/* A job ends virtually @after microseconds after the time of the cluster, which goes on to
 * @now_us. */
void vc_job_over(struct virtual_cluster *vc, int32_t job, double after, int64_t now_us);
int64_t vc_finish_at(const struct virtual_cluster *vc, double after);

/* Both: @to_us < 0: projection alone (finishes are set), else the state moves on to then. */
void vc_fluid_run(struct virtual_cluster *vc, int64_t to_us);
void vc_slots_run(struct virtual_cluster *vc, int64_t to_us);

#endif
