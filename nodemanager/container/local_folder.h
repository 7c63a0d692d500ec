/* nodemanager/container/local_folder.h - whose the local folder is: folders that belong to this daemon alone, and the lock that
 * keeps a second one out. */
#ifndef CREEL_NODEMANAGER_CONTAINER_LOCAL_FOLDER_H
#define CREEL_NODEMANAGER_CONTAINER_LOCAL_FOLDER_H

#include <sys/types.h>

#include "base/error.h"

#define NM_LOCK_WAIT_MS 10000

/* Makes folder @path with @mode unless it is there. Refuses, by name and with what to do, one that is a link or no
 * folder, belongs to another user, or may be written by its group or by others: they could replace what lies in it.
 * -BASE_EPERM then. */
int nm_folder_own(const char *path, mode_t mode, struct base_error *err);
/* Refuses a folder above @path (absolute, without links) in which everybody may rename entries: no sticky bit. */
int nm_folder_reachable(const char *path, struct base_error *err);
/* Takes the lock in @root and writes this process's id into it. While another daemon lives that holds it, fails at once
 * and names its process id. Waits up to NM_LOCK_WAIT_MS where the holder is what a dead daemon left behind: its spawner,
 * which finishes its last start. -BASE_ESTATE. The lock lasts as long as any copy of *@fd is open. */
int nm_folder_lock(const char *root, int *fd, struct base_error *err);

#endif
