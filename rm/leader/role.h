/* rm/leader/role.h - how a source of leadership (rm/leader/leader.c, sole_rm.c, tests) changes the
 * role of this RM. Any thread unless stated otherwise. */
#ifndef CREEL_RM_LEADER_ROLE_H
#define CREEL_RM_LEADER_ROLE_H

#include "rm/daemon/backend.h"

/* Each function may be NULL: then the lease never ends, nothing is done, the text is "", the count
 * 0. */
struct rm_role_source {
    void *user;
    /* Returns the end of the lease of the leadership under @epoch, on base_mono_us(); 0 when there
     * is no such leadership, or none any more. Cheap. */
    int64_t (*lease_us)(void *user, int64_t epoch);
    /* Starts to give the leadership up, and claims none until another RM has led or @hold_us have
     * passed; returns at once. */
    void (*resign)(void *user, int64_t hold_us);
    void (*zk_text)(void *user, char out[256]); /* state of the connection to ZooKeeper */
    int64_t (*refused_writes)(void *user);      /* writes refused because another RM leads */
    int64_t (*store_multis)(void *user);        /* ZooKeeper transactions in this leadership */
    /* The store is empty although nodes have work: this RM must not lead. Called by the core's
     * thread; must return at once. @epoch_seen: obeyed by those nodes; -1: not believed. */
    void (*unconfirmed)(void *user, int64_t epoch_seen);
    /* Nodes have obeyed epoch @seen: this RM needs a higher one. Called by the core's thread; must
     * return at once. */
    void (*epoch_low)(void *user, int64_t seen);
    void (*free)(void *user); /* called when the source is replaced or the daemon is freed */
};
/* Sets the id of one of several RMs and the URLs of all. Call before the daemon starts. @all_urls:
 * as rm_backend_all_urls() returns them. Both texts are copied. */
void rm_role_set_identity(struct rm_backend *b, const char *rm_id, const char *all_urls);
/* Replaces the source by a copy of @source (NULL: by none). Returns when no call of the former
 * source is under way. */
void rm_role_set_source(struct rm_backend *b, const struct rm_role_source *source);
/* Sets the address of the active RM; @url: "" when none is known, or when this one is active. */
void rm_role_set_active_url(struct rm_backend *b, const char *url);
/* Ends the leadership's authority: from now on nothing is granted or acknowledged, and an
 * activation under way fails soon. rm_daemon_abort_leadership() then tears the leadership down. */
void rm_role_depose(struct rm_backend *b);
/* Returns true when the lease of the leadership under @epoch holds, whatever the role. Latches a
 * refusal (rm/term/lease.h). */
bool rm_role_lease_holds(struct rm_backend *b, int64_t epoch);
/* Calls rm_lease_check_overdue(), and returns its result: true when the leadership must be given
 * up. Call on one thread only, every RM_LEASE_CHECK_US while active. */
bool rm_role_check_lease_overdue(struct rm_backend *b);

#endif
