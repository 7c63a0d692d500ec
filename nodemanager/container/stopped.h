/* nodemanager/container/stopped.h - shims and the spawner that somebody has stopped.
 *
 * Tasks run as the NodeManager's user, so they can send SIGSTOP to the processes that keep them. A
 * stopped shim takes in no end: its container would run, or be killed, for ever. A stopped spawner
 * starts nothing. Nothing of ours ever stops them (a suspended container is the tree below the
 * shim), so what is found stopped is continued. Who stops it again at once, or holds it by ptrace,
 * delays what a task may delay anyway; but a kill that was ordered ends: once everything below a
 * shim has had its SIGKILL, a shim that is still not running has NM_STOPPED_MAX_US, then it is
 * killed too, and its container ends as every one whose shim was killed. */
#ifndef CREEL_NODEMANAGER_CONTAINER_STOPPED_H
#define CREEL_NODEMANAGER_CONTAINER_STOPPED_H

#include "nodemanager/daemon/daemon.h"

#define NM_STOPPED_MAX_US INT64_C(5000000)

/* Looks at every shim and the spawner; once a second. */
void nm_stopped_look(struct nm *nm);
/* The tree below @box's shim was sent SIGKILL: the shim is needed now. */
void nm_stopped_killed(struct nm_box *box);

#endif
