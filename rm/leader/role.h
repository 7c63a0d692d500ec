/* rm/leader/role.h - what leadership (rm/leader/leader.c, tests) tells the daemon of roles. Any thread, unless said otherwise. */
#ifndef CREEL_RM_LEADER_ROLE_H
#define CREEL_RM_LEADER_ROLE_H

#include "rm/daemon/backend.h"

struct rm_role_source { /* NULL: endless, nothing, "", 0 */
    void *user;
    /* End of the lease of the leadership under @epoch on base_mono_us(), 0: no such leadership (any more); cheap. */
    int64_t (*lease_us)(void *user, int64_t epoch);
    void (*resign)(void *user, int64_t hold_us);
    void (*zk_text)(void *user, char out[256]);
    int64_t (*refused_writes)(void *user);
    int64_t (*store_multis)(void *user); /* written in the leadership that goes on */
    /* The core's word (core's thread; return at once): the store is empty where nodes work, this RM must not lead. */
    void (*unconfirmed)(void *user, int64_t epoch_seen);
    /* Nodes have obeyed epoch @seen: a higher one is needed. */
    void (*epoch_low)(void *user, int64_t seen);
    void (*free)(void *user); /* the source was taken away, or the daemon is freed */
};
/* Before the daemon starts: who this one of several RMs is. @all_urls: as rm_backend_all_urls(). Copied. */
void rm_role_set_identity(struct rm_backend *b, const char *rm_id, const char *all_urls);
/* Copied. NULL: takes the one before away; returns when nobody is in a call of it any more. */
void rm_role_set_source(struct rm_backend *b, const struct rm_role_source *source);
/* Address of the RM that is active, "": none is known, or it is this one. */
void rm_role_set_active_url(struct rm_backend *b, const char *url);
/* The leadership is over: from this moment on nothing is granted or acknowledged, and an activation under way ends
 * early. rm_daemon_deactivate() does the rest. */
void rm_role_depose(struct rm_backend *b);
/* Does the leadership under @epoch hold, whatever the role is by now? Latches a refusal (rm/term/lease.h). */
bool rm_role_holds(struct rm_backend *b, int64_t epoch);
/* One thread, every RM_LEASE_LOOK_US while active: rm_lease_look(). */
bool rm_role_is_overdue(struct rm_backend *b);

#endif
