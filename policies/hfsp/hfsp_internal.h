/* policies/hfsp/hfsp_internal.h - the state of HFSP, shared by its files: per kind of task, per job
 * and per phase. A phase is the maps, or the reduces, of a job.
 *
 *     hfsp.c     options, events, and the choice of a job: training first, then by rank
 *     order.c    ranks from the virtual clusters; lists of phases by what they want
 *     size.c     sizes of phases (given, guessed, estimated); their entry into the virtual cluster
 *     train.c    samples and their measurement; the order of jobs in training
 *     claims.c   claims of waiting jobs, and victims for them
 *     explain.c  explanations for operators */
#ifndef CREEL_POLICIES_HFSP_HFSP_INTERNAL_H
#define CREEL_POLICIES_HFSP_HFSP_INTERNAL_H

#include <math.h>

#include "policies/hfsp/estimator.h"
#include "policies/hfsp/rank.h"
#include "policies/hfsp/virtual_cluster.h"
#include "policies/hfsp/virtual_fair.h"
#include "policies/policy.h"

/* Values in the order of the options' words. */
enum hfsp_sizes { HFSP_SIZES_ESTIMATED, HFSP_SIZES_GIVEN, HFSP_SIZES_TRUE };
enum hfsp_preemption { HFSP_EAGER, HFSP_WAIT, HFSP_KILL };
enum hfsp_resize { HFSP_RESIZE_TRAINING, HFSP_RESIZE_VIRTUAL };
enum hfsp_train_order { HFSP_TRAIN_FEWEST, HFSP_TRAIN_MOST };

struct hfsp_settings {
    enum virtual_form form;
    enum virtual_order order;
    enum estimator_family estimator;
    enum hfsp_sizes sizes;
    enum hfsp_preemption preemption;
    enum hfsp_resize resize;
    enum hfsp_train_order train_order;
    bool reduces_when_ready, late_share, promise;
    int32_t sample[BASE_TASK_KINDS], min_tasks;
    int64_t train_slots[BASE_TASK_KINDS]; /* -1: all */
    int64_t initial_us[BASE_TASK_KINDS];
    int64_t delta_us, update_us;
    double xi; /* factor on guessed sizes; infinite: jobs in training run only their samples */
};

struct hfsp_sample {
    int32_t task;
    bool running;
    int64_t function_us;   /* a reduce: when its function was first seen running; 0: not yet */
    double function_first; /* progress of the function then */
    int64_t lasts_us;      /* measured duration, 0: not measured yet */
    int64_t work_us;       /* work done until the measurement, or until the end of the task */
};
enum hfsp_state {
    HFSP_ABSENT,
    HFSP_TRAINING,
    HFSP_SIZED
}; /* HFSP_ABSENT: not in the virtual cluster (yet) */

struct hfsp_job;
struct hfsp_phase {
    struct hfsp_job *own;
    enum base_task_kind kind;
    enum hfsp_state state;
    int32_t virtual; /* handle in the virtual cluster */
    int32_t total;   /* slots of the tasks included in size_us, ended ones too */
    int32_t pending; /* as included in hfsp_kind.pending */
    int32_t held;    /* suspended attempts counted in hfsp_node */
    double task_us;  /* expected duration of a task */
    double size_us;  /* expected slot time of all tasks; in training: a guess */
    /* sample: tasks to measure, tasks launched, tasks running, tasks measured */
    int32_t sample_n, started, running, measured;
    int32_t known;              /* tasks that had succeeded before the training began */
    struct hfsp_sample *sample; /* the launched sample tasks */
    bool counted;               /* the mean is included in hfsp_kind.means_sum */
    bool late;                  /* shares slots with the other late jobs */
    struct policy_link train, share;
    struct policy_order *train_in; /* the order that contains train; NULL: none */
};
struct hfsp_job { /* policy_job.own */
    struct policy_job *job;
    struct virtual_fair_job *fair; /* NULL: hfsp.promise=none */
    struct hfsp_phase phase[BASE_TASK_KINDS];
};
struct hfsp_held { /* attempts of one phase suspended on a node */
    struct hfsp_phase *phase;
    int32_t n;
    int64_t since_us; /* when the last of them was suspended */
    int64_t look_us;  /* earliest time of the next check whether they would end sooner elsewhere */
};
struct hfsp_node {
    struct hfsp_held *v;
    size_t len, cap;
    bool stopped; /* no further suspensions until no more attempts than slots are suspended */
};
struct hfsp_kind {
    struct virtual_cluster *vc;
    struct hfsp_rank rank;
    bool stale;                /* the virtual cluster has changed since the last ranking */
    struct hfsp_phase **phase; /* by handle */
    size_t phase_cap;
    int64_t pending;              /* slots of the pending tasks of all jobs */
    struct policy_order train[2]; /* jobs with sample tasks to launch: [0] below their share of the
                                     training slots, [1] at or above it */
    int32_t training_n;           /* jobs in training */
    int64_t training_running;     /* slots of running sample tasks */
    int64_t share;                /* training slots per job */
    int64_t means_sum, means_n;   /* mean task durations of present estimated jobs */
    struct policy_order share_order; /* late jobs by slots per weight */
    int32_t late_to;                 /* PSBS: jobs with ranks below this are late; otherwise 0 */
    struct hfsp_node *node;
    size_t node_n;
    struct hfsp_candidate {
        size_t at;
        int32_t rank;
    } * candidate;
    size_t candidate_cap;
};
struct policy {
    const struct policy_env *env;
    struct hfsp_settings set;
    int64_t now_us;
    struct virtual_fair *fair; /* NULL: hfsp.promise=none */
    struct hfsp_kind kind[BASE_TASK_KINDS];
};

static inline struct hfsp_phase *hfsp_phase_of(const struct policy_job *job,
                                               enum base_task_kind kind)
{
    return &((struct hfsp_job *)job->own)->phase[kind];
}

/* ---- policies/hfsp/order.c ---- */
/* Sets self->now_us to @now_us unless that is earlier. */
void hfsp_clock_advance(struct policy *self, int64_t now_us);
/* Advances the virtual cluster of @kind to self->now_us. Call it before any change of this
 * cluster. */
void hfsp_virtual_advance(struct policy *self, enum base_task_kind kind);
/* Projects the virtual cluster, ranks the jobs and finds late jobs again, if the virtual cluster
 * has changed. Call it before ranks are read. */
void hfsp_rank_update_if_stale(struct policy *self, enum base_task_kind kind);
/* If late jobs share slots (PSBS): marks the jobs that have become late, so that they share, too.
 */
void hfsp_mark_late_jobs(struct policy *self, enum base_task_kind kind);
/* Updates the place of @p in the orders, and the wants and counts of its rank, from the job's
 * counts. */
void hfsp_phase_update_lists(struct policy *self, struct hfsp_phase *p);
/* Returns false for attempts of late jobs that share slots, of applications that are not jobs, and,
 * unless victims are killed, of jobs whose attempts cannot be suspended. */
bool hfsp_may_interrupt_attempts(const struct policy *self, const struct hfsp_phase *p);

/* Converts a duration to an integer that can still be added to others; given or wrong sizes have no
 * upper bound. */
static inline int64_t hfsp_bounded_us(double us)
{
    return (int64_t)fmin(us, (double)VIRTUAL_NEVER / 4);
}

/* ---- policies/hfsp/size.c ---- */
/* Determines the size of the phase, or begins its training, and adds it to the virtual cluster. */
void hfsp_phase_enter_virtual_cluster(struct policy *self, struct hfsp_phase *p);
/* Adds @more tasks to the phase; < 0: tasks were withdrawn, or have run. */
void hfsp_phase_change_total(struct policy *self, struct hfsp_phase *p, int32_t more);
/* Ends the training of @p: its size follows from the measured sample. */
void hfsp_phase_size_from_sample(struct policy *self, struct hfsp_phase *p);

/* ---- policies/hfsp/train.c ---- */
/* Returns the largest number of slots for training. */
int64_t hfsp_train_slots_max(const struct policy *self, enum base_task_kind kind);
/* Returns the number of sample tasks still to launch; 0 for a phase that is not in training. */
int32_t hfsp_train_samples_to_launch(const struct hfsp_phase *p);
/* Returns the slots that these tasks take. */
int32_t hfsp_train_sample_slots_to_launch(const struct hfsp_phase *p);
/* Begins the training of @p; attempts that are already present become sample tasks, as many as the
 * sample needs. */
void hfsp_train_begin(struct policy *self, struct hfsp_phase *p);
/* Ends the training of @p, whose state becomes HFSP_ABSENT; does nothing if @p is not in training.
 */
void hfsp_train_end(struct policy *self, struct hfsp_phase *p);
/* Moves @p to the order of jobs in training that fits its counts, or out of both orders. */
void hfsp_train_update_list(struct policy *self, struct hfsp_phase *p);
/* Divides the training slots among the jobs in training again. */
void hfsp_train_divide_slots(struct policy *self, enum base_task_kind kind);
void hfsp_train_record_started(struct policy *self, struct hfsp_phase *p, int32_t task);
void hfsp_train_record_suspended(struct policy *self, struct hfsp_phase *p, int32_t task,
                                 bool suspended);
void hfsp_train_record_ended(struct policy *self, struct hfsp_phase *p,
                             const struct policy_task_end *end);
void hfsp_train_record_progress(struct policy *self, struct hfsp_phase *p, int32_t task,
                                double progress, int64_t now_us);
/* Returns true when @task is a running sample task of a phase in training. */
bool hfsp_train_is_sample(const struct hfsp_phase *p, int32_t task);
struct policy_job *hfsp_train_job_of_link(const struct policy_link *link);

/* ---- policies/hfsp/claims.c ---- */
void hfsp_node_add_suspended(struct policy *self, struct hfsp_phase *p, uint32_t node, int32_t by);
void hfsp_nodes_forget_phase(struct policy *self, struct hfsp_phase *p);
void hfsp_on_node_forgotten(struct policy *self, uint32_t node);
void hfsp_nodes_free(struct hfsp_kind *ks);
void hfsp_victims(struct policy *self, const struct policy_offer *offer,
                  const struct policy_running *here, size_t n, struct policy_plan *plan);

/* ---- policies/hfsp/explain.c ---- */
void hfsp_explain(const struct policy *self, const struct policy_job *job, int64_t now_us,
                  struct base_buf *out);

#endif
