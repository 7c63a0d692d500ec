/* nodemanager/container/stopped.h - continues shims and the spawner after a task has stopped them.
 *
 * Unless creel-exec runs them as other users, tasks run as the NodeManager's user, so they can send
 * SIGSTOP to the processes that supervise them. A stopped shim does not notice that its command has
 * ended, so its container would stay in the state RUNNING or KILLING forever. A stopped spawner
 * starts no container. The NodeManager never stops these processes itself (suspending a container
 * stops the tree below the shim), so it continues any that it finds stopped. A task that stops a
 * shim again at once, or holds it with ptrace, causes only delays that a task may cause anyway. An
 * ordered kill, however, must end: once all processes below a shim have been sent SIGKILL, a shim
 * that is still stopped after NM_STOPPED_MAX_US is killed too, and its container ends like any
 * other whose shim was killed. */
#ifndef CREEL_NODEMANAGER_CONTAINER_STOPPED_H
#define CREEL_NODEMANAGER_CONTAINER_STOPPED_H

#include "nodemanager/daemon/daemon.h"

#define NM_STOPPED_MAX_US INT64_C(5000000)

/* Checks every shim and the spawner, and continues those that are stopped; called about once a
 * second. */
void nm_stopped_continue_shims_and_spawner(struct nm *nm);
/* Records that the tree below the box's shim was sent SIGKILL: a shim that is still stopped
 * NM_STOPPED_MAX_US later is killed. Continues the shim if it is stopped. */
void nm_stopped_note_kill_and_continue_shim(struct nm_box *box);

#endif
