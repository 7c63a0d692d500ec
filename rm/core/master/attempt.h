/* rm/core/master/attempt.h - attempts of plain applications. */
#ifndef CREEL_RM_CORE_MASTER_ATTEMPT_H
#define CREEL_RM_CORE_MASTER_ATTEMPT_H

#include "rm/core/core.h"

struct rm_app;
struct rm_container;
struct rm_core;

#define RM_ATTEMPTS_KEPT 1000 /* of an application: older ones are forgotten */

struct rm_attempt {
    struct base_attempt_id id;
    enum rm_attempt_state state, state_before;
    struct rm_container *master;
    struct base_container_id master_id;
    /* Reregister: with this instance of the RM, once more. */
    bool has_master, registered, reregister;
    char *host, *tracking_url, *diagnostics, *node_id, *node_http;
    int32_t rpc_port, exit_code;
    int64_t start_us, finish_us, next_num;
    /* the last answer to allocate, kept for a repeat */
    int64_t response_id;
    struct rm_allocated *allocated;
    size_t allocated_n, allocated_cap;
    struct rm_completed *completed;
    size_t completed_n, completed_cap;
};

void rm_attempt_set_state(struct rm_attempt *at, enum rm_attempt_state s);
struct rm_attempt *rm_app_add_attempt(struct rm_core *c, struct rm_app *a);
void rm_app_free_attempts(struct rm_app *a);

#endif
