/* rm/core/acks.h - work deferred until the store has a record. */
#ifndef CREEL_RM_CORE_ACKS_H
#define CREEL_RM_CORE_ACKS_H

#include "rm/core/core.h"

struct rm_core;

/* What to do when the record is durable. */
enum rm_ack_kind {
    RM_ACK_APP_NEW,    /* accept the application */
    RM_ACK_APP_FINAL,  /* show the application as ended */
    RM_ACK_JOB_SPLITS, /* ask the policy whether to admit the job, and start its tasks */
    RM_ACK_JOB_ABORT,  /* remove the job's unfinished output */
    RM_ACK_JOB_COMMIT, /* request the commit of the job's output */
    RM_ACK_MASTER,     /* launch the master of attempt @extra */
    RM_ACK_UNMANAGED,  /* wait for the unmanaged master to register */
    RM_ACK_FORGET      /* order the node to forget the container, and free the container */
};
struct rm_ack {
    uint64_t seq; /* number of the record */
    enum rm_ack_kind kind;
    void *p; /* RM_ACK_FORGET: a container; otherwise an application, referenced */
    int64_t extra;
};

/* Defers work until the record @seq is durable. @seq must not be lower than in earlier calls. If @p
 * is an application, references it. */
void rm_defer_until_stored(struct rm_core *c, uint64_t seq, enum rm_ack_kind kind, void *p,
                           int64_t extra);

#endif
