/* rm/core/app/health.h - the containers allocated, released and preempted last, one of each kind,
 * and how many of that kind there were in the same step: what YARN calls its scheduler's health.
 * Not stored, so empty after a restart. Noting costs only a few writes to memory. */
#ifndef CREEL_RM_CORE_APP_HEALTH_H
#define CREEL_RM_CORE_APP_HEALTH_H

#include "rm/core/core.h"

struct rm_container;
struct rm_core;

struct rm_operation { /* of one kind, enum rm_operation_kind */
    bool known;       /* false: there has been none */
    struct base_container_id container;
    uint32_t node;      /* index, now perhaps of another node */
    uint64_t node_born; /* tells them apart */
    uint32_t queue;     /* index; RM_NONE: the application was in none */
    /* how many there were in the step at @at_us, and the resources of their containers */
    int64_t at_us, count;
    struct rm_res resource;
};

struct rm_assigned { /* allocations in the second from @begin_us on, and in the one before */
    int64_t begin_us, count, count_before;
};

/* Returns how many containers were allocated in the last full second of the core's time. */
int64_t rm_health_count_assigned(const struct rm_core *c);
/* Notes that @ct was allocated, was released or is going to be preempted in this step. */
void rm_health_note(struct rm_core *c, enum rm_operation_kind kind, const struct rm_container *ct);

#endif
