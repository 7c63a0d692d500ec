/* policies/hfsp/hfsp_internal.h - what the files of HFSP share: the policy's state, per kind of
 * task, job and phase.
 *
 *     policies/hfsp/hfsp.c   the tables of functions, the two levels: training first, then the
 * order of jobs policies/hfsp/order.c    ranks from the virtual clusters, lists by what a phase
 * wants policies/hfsp/size.c     what a phase's size is: given, guessed, estimated; its entry into
 * the virtual cluster policies/hfsp/train.c    samples, their measuring, the order of jobs in
 * training policies/hfsp/claims.c  claims and victims policies/hfsp/explain.c  in words */
#ifndef CREEL_POLICIES_HFSP_HFSP_INTERNAL_H
#define CREEL_POLICIES_HFSP_HFSP_INTERNAL_H

#include <math.h>

#include "policies/hfsp/estimator.h"
#include "policies/hfsp/rank.h"
#include "policies/hfsp/virtual_cluster.h"
#include "policies/hfsp/virtual_fair.h"
#include "policies/policy.h"

/* In the order of the options' words. */
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
    double xi;
};

struct hfsp_sample {
    int32_t task;
    bool running;
    int64_t function_us;   /* a reduce: when its function was first seen to run; 0: not yet */
    double function_first; /* its progress then */
    int64_t lasts_us;      /* measured, 0: not yet */
    int64_t work_us;       /* done while measuring */
};
enum hfsp_state {
    HFSP_ABSENT,
    HFSP_TRAINING,
    HFSP_SIZED
}; /* absent: not in the virtual cluster (yet) */

struct hfsp_job;
struct hfsp_phase {
    struct hfsp_job *own;
    enum base_task_kind kind;
    enum hfsp_state state;
    int32_t virtual; /* handle in the virtual cluster */
    int32_t total;   /* tasks it knows of */
    int32_t pending; /* counted in hfsp_kind.pending */
    int32_t held;    /* suspended attempts that nodes know of */
    double task_us;  /* expected of one task */
    double size_us;  /* of all; of a phase in training: a guess */
    int32_t sample_n, started, running,
        measured;               /* tasks to measure; those launched, running, measured */
    int32_t known;              /* of the measured: from before this policy */
    struct hfsp_sample *sample; /* of those started */
    bool counted;               /* its mean is one of the recent ones */
    bool late;                  /* shares as a late job */
    struct policy_link train, share;
    struct policy_order *train_in; /* NULL: not to be trained now */
};
struct hfsp_job { /* policy_job.own */
    struct policy_job *job;
    struct virtual_fair_job *fair; /* NULL: no promise is kept */
    struct hfsp_phase phase[BASE_TASK_KINDS];
};
struct hfsp_held { /* attempts of one phase suspended on a node */
    struct hfsp_phase *phase;
    int32_t n;
    int64_t since_us; /* of the last of them */
    int64_t look_us;  /* not before then: would they end sooner elsewhere? */
};
struct hfsp_node {
    struct hfsp_held *v;
    size_t len, cap;
    bool stopped; /* no more suspensions until there are few again */
};
struct hfsp_kind {
    struct virtual_cluster *vc;
    struct hfsp_rank rank;
    bool stale;                /* rank, and who is late: the virtual cluster was changed */
    struct hfsp_phase **phase; /* by handle */
    size_t phase_cap;
    int64_t pending;              /* over all jobs */
    struct policy_order train[2]; /* jobs with samples to launch: below their share of the training
                                     slots, and above */
    int32_t training_n;           /* jobs of unknown size */
    int64_t training_running;     /* samples */
    int64_t share;                /* training slots of each */
    int64_t means_sum, means_n;   /* of estimated jobs that are here */
    struct policy_order share_order; /* late jobs by slots per weight */
    int32_t late_to;                 /* ranks below are late */
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
    struct virtual_fair *fair; /* NULL: no promise is kept */
    struct hfsp_kind kind[BASE_TASK_KINDS];
};

static inline struct hfsp_phase *hfsp_phase_of(const struct policy_job *job,
                                               enum base_task_kind kind)
{
    return &((struct hfsp_job *)job->own)->phase[kind];
}

/* ---- policies/hfsp/order.c ---- */
void hfsp_clock_advance(struct policy *self, int64_t now_us); /* never backwards */
/* Serves the virtual cluster of @kind up to now. Call it before any change of that cluster. */
void hfsp_virtual_advance(struct policy *self, enum base_task_kind kind);
/* Projects, ranks and finds late jobs anew if the virtual cluster has changed. Call it before ranks
 * are read. */
void hfsp_rank_anew(struct policy *self, enum base_task_kind kind);
/* Under PSBS: lets jobs that have become late by now share slots with the other late ones. */
void hfsp_share_late_jobs(struct policy *self, enum base_task_kind kind);
/* Puts @p into, or takes it out of, the ranks and lists that fit its counts. */
void hfsp_phase_update_lists(struct policy *self, struct hfsp_phase *p);

/* A task's time as a whole number, small enough to be added to others: sizes may be given, or
 * wrong, without bound. */
static inline int64_t hfsp_whole_us(double us)
{
    return (int64_t)fmin(us, (double)VIRTUAL_NEVER / 4);
}

/* ---- policies/hfsp/size.c ---- */
void hfsp_phase_enter(struct policy *self, struct hfsp_phase *p);
/* The phase has @more tasks; < 0: some were withdrawn, or have run. */
void hfsp_phase_change_total(struct policy *self, struct hfsp_phase *p, int32_t more);
/* Ends the training of @p: its size follows from the measured sample. */
void hfsp_phase_size_from_sample(struct policy *self, struct hfsp_phase *p);

/* ---- policies/hfsp/train.c ---- */
int64_t hfsp_train_max(const struct policy *self,
                       enum base_task_kind kind);    /* slots of the training */
int32_t hfsp_train_need(const struct hfsp_phase *p); /* samples still to launch */
void hfsp_train_begin(struct policy *self, struct hfsp_phase *p);
void hfsp_train_end(struct policy *self, struct hfsp_phase *p);
void hfsp_train_update_list(struct policy *self, struct hfsp_phase *p);
void hfsp_train_reshare(struct policy *self, enum base_task_kind kind);
void hfsp_train_started(struct policy *self, struct hfsp_phase *p, int32_t task);
void hfsp_train_note_suspended(struct policy *self, struct hfsp_phase *p, int32_t task,
                               bool suspended);
void hfsp_train_ended(struct policy *self, struct hfsp_phase *p, const struct policy_task_end *end);
void hfsp_train_progress(struct policy *self, struct hfsp_phase *p, int32_t task, double progress,
                         int64_t now_us);
/* Is @task a sample that is being measured? */
bool hfsp_train_is_sample(const struct hfsp_phase *p, int32_t task);
struct policy_job *hfsp_train_job(const struct policy_link *link);

/* ---- policies/hfsp/claims.c ---- */
void hfsp_node_count_suspended(struct policy *self, struct hfsp_phase *p, uint32_t node,
                               int32_t by);
void hfsp_nodes_drop_phase(struct policy *self, struct hfsp_phase *p);
void hfsp_node_forgotten(struct policy *self, uint32_t node);
void hfsp_nodes_free(struct hfsp_kind *ks);
void hfsp_victims(struct policy *self, const struct policy_offer *offer,
                  const struct policy_running *here, size_t n, struct policy_plan *plan);

/* ---- policies/hfsp/explain.c ---- */
void hfsp_explain(const struct policy *self, const struct policy_job *job, int64_t now_us,
                  struct base_buf *out);

#endif
