/* rm/core/app/health.h - for each kind of operation (allocation, release, preemption) the container
 * that it happened to last, and how many there were in the same step: what YARN calls its
 * scheduler's health. Not stored, so empty after a restart. Noting costs only a few writes to
 * memory. */
#ifndef CREEL_RM_CORE_APP_HEALTH_H
#define CREEL_RM_CORE_APP_HEALTH_H

#include "rm/core/core.h"

struct rm_container;
struct rm_core;

struct rm_operation { /* of one kind, enum rm_operation_kind */
    bool known;       /* false: there has been none */
    struct base_container_id container;
    uint32_t node;      /* its index, which another node may have by now */
    uint64_t node_born; /* rm_node.born of the container's node */
    uint32_t queue;     /* index; RM_NONE: the application was in none */
    /* number of operations in the step at @at_us, and the resources of all their containers */
    int64_t at_us, count;
    struct rm_res resource;
};

struct rm_assigned { /* allocations in the second from @begin_us on, and in the one before */
    int64_t begin_us, count, count_before;
};

/* Returns how many containers were allocated in the last full second of the core's time. */
int64_t rm_health_assigned_last_second(const struct rm_core *c);
/* Notes that @ct was allocated, was released or is going to be preempted in this step. */
void rm_health_note_operation(struct rm_core *c, enum rm_operation_kind kind,
                              const struct rm_container *ct);

#endif
