/* rm/leader/role.h - how a source of leadership (rm/leader/leader.c, alone.c, tests) tells the
 * daemon its role. Any thread unless stated otherwise. */
#ifndef CREEL_RM_LEADER_ROLE_H
#define CREEL_RM_LEADER_ROLE_H

#include "rm/daemon/backend.h"

struct rm_role_source { /* NULL: endless, nothing, "", 0 */
    void *user;
    /* End of the lease of the leadership under @epoch on base_mono_us(), 0: no such leadership (any
     * more); cheap. */
    int64_t (*lease_us)(void *user, int64_t epoch);
    void (*resign)(void *user, int64_t hold_us);
    void (*zk_text)(void *user, char out[256]);
    int64_t (*refused_writes)(void *user);
    int64_t (*store_multis)(void *user); /* multis written in this leadership */
    /* From the core's thread; return at once. The store is empty although nodes have work: this RM
     * must not lead. */
    void (*unconfirmed)(void *user, int64_t epoch_seen);
    /* The same. Nodes have obeyed epoch @seen: this RM needs a higher one. */
    void (*epoch_low)(void *user, int64_t seen);
    void (*free)(void *user); /* the source was replaced, or the daemon is freed */
};
/* One of several, before the daemon starts: its id, and all addresses as rm_backend_all_urls()
 * gives them. Copied. */
void rm_role_set_identity(struct rm_backend *b, const char *rm_id, const char *all_urls);
/* Copied. Replaces the source (NULL: by none), and returns when no call of the former one is under
 * way. */
void rm_role_set_source(struct rm_backend *b, const struct rm_role_source *source);
/* The address of the active RM; "": none is known, or this one is active. */
void rm_role_set_active_url(struct rm_backend *b, const char *url);
/* The leadership is over: from this moment on nothing is granted or acknowledged, and an activation
 * under way fails soon. rm_daemon_deactivate() tears the leadership down. */
void rm_role_depose(struct rm_backend *b);
/* Does the lease of the leadership under @epoch hold? The role does not matter. Latches a refusal
 * (rm/term/lease.h). */
bool rm_role_holds(struct rm_backend *b, int64_t epoch);
/* One thread, every RM_LEASE_CHECK_US while active: rm_lease_check_overdue(). */
bool rm_role_check_overdue(struct rm_backend *b);

#endif
