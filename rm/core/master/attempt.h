/* rm/core/master/attempt.h - attempts of plain applications. */
#ifndef CREEL_RM_CORE_MASTER_ATTEMPT_H
#define CREEL_RM_CORE_MASTER_ATTEMPT_H

#include "rm/core/core.h"

struct rm_app;
struct rm_container;
struct rm_core;

#define RM_ATTEMPTS_KEPT 1000 /* newest attempts kept for each application */

struct rm_attempt {
    struct base_attempt_id id;
    enum rm_attempt_state state, state_before;
    struct rm_container *master;        /* the master's container while it is live; NULL: none */
    struct base_container_id master_id; /* valid if has_master, also after its end */
    bool has_master;                    /* a container was allocated for the master */
    bool on_master_slots;               /* it holds master slots of its node */
    bool registered;                    /* the master has registered */
    bool reregister; /* the master was started under an earlier instance, and must register again */
    char *host, *tracking_url; /* as the master reported them; may be NULL */
    char *diagnostics;         /* of the master, or why the attempt ended; may be NULL */
    char *node_id, *node_http; /* of the master's node; NULL: none yet */
    int32_t rpc_port, exit_code;
    int64_t start_us, finish_us;
    int64_t next_num; /* number of the next container */
    bool by_rpc;      /* the master speaks Hadoop RPC */
    char **avoided;   /* hosts and racks from which it wants no containers, sorted */
    size_t avoided_n, avoided_cap;
    /* rm_core.node_changes up to which the last answer to allocate tells of nodes, and the one
     * before it */
    uint64_t nodes_told, nodes_told_before;
    /* the same of rm_master_keys.nm_renewals and of tokens for nodes */
    uint32_t nm_renewals_told, nm_renewals_told_before;
    /* the last answer to allocate, kept for a repeated request */
    int64_t response_id;
    struct rm_allocated *allocated;
    size_t allocated_n, allocated_cap;
    struct rm_completed *completed;
    size_t completed_n, completed_cap;
};

/* Changes the state. The transition must be legal. */
void rm_attempt_set_state(struct rm_attempt *at, enum rm_attempt_state s);
/* Adds an attempt in state NEW; the oldest one is dropped beyond RM_ATTEMPTS_KEPT. Borrowed until
 * the next attempt is added. */
struct rm_attempt *rm_app_add_attempt(struct rm_core *c, struct rm_app *a);
/* Returns true when attempt @i of @a has failed, and not because the cluster ended its master. */
bool rm_attempt_failure_counts(const struct rm_app *a, int32_t i);
/* Returns how many attempts count towards their limit now: those whose failure counts and, if the
 * submission sets failures_validity_ms, that ended within this time. */
int32_t rm_app_count_failed_attempts(const struct rm_core *c, const struct rm_app *a);
/* Frees the attempts, the news for the master and its asks. The caller must reset the members for
 * attempts and news. */
void rm_app_free_attempts_and_asks(struct rm_app *a);

#endif
