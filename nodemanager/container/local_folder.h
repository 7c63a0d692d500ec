/* nodemanager/container/local_folder.h - ensures that the local folder belongs to this daemon
 * alone, and locks out a second daemon. */
#ifndef CREEL_NODEMANAGER_CONTAINER_LOCAL_FOLDER_H
#define CREEL_NODEMANAGER_CONTAINER_LOCAL_FOLDER_H

#include <sys/types.h>

#include "base/error.h"

#define NM_LOCK_WAIT_MS 10000

/* Creates folder @path with @mode if it does not exist. Fails with -BASE_EPERM, and a message that
 * names the problem, if it is a link to a folder, belongs to another user, or is writable by its
 * group or others, who could then replace its contents. */
int nm_folder_create_and_check_owner(const char *path, mode_t mode, struct base_error *err);
/* Fails if a folder above @path (absolute, without links) lets everybody rename entries, that is,
 * if it is world-writable without the sticky bit. */
int nm_folder_check_parents(const char *path, struct base_error *err);
/* Takes the lock in @root and writes our pid and start time into it. Fails at once with
 * -BASE_ESTATE, naming the pid, if a live daemon holds the lock. If the holder is the spawner of a
 * dead daemon, which is still finishing its last start, waits up to NM_LOCK_WAIT_MS. The lock is
 * held as long as any copy of *@fd is open. The caller closes *@fd, which may be set even after an
 * error. */
int nm_folder_lock(const char *root, int *fd, struct base_error *err);

#endif
