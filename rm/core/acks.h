/* rm/core/acks.h - work deferred until the store has a record. */
#ifndef CREEL_RM_CORE_ACKS_H
#define CREEL_RM_CORE_ACKS_H

#include "rm/core/core.h"

struct rm_core;

/* Deferred work, in a ring in order of record numbers. */
enum rm_ack_kind {
    RM_ACK_APP_NEW,
    RM_ACK_APP_FINAL,
    RM_ACK_JOB_COMMIT,
    RM_ACK_MASTER,
    RM_ACK_UNMANAGED,
    RM_ACK_FORGET
};
struct rm_ack {
    uint64_t seq;
    enum rm_ack_kind kind;
    void *p;
    int64_t extra;
};

void rm_defer_until_stored(struct rm_core *c, uint64_t seq, enum rm_ack_kind kind, void *p,
                           int64_t extra);

#endif
