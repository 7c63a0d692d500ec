/* nodemanager/exec/user/user.h - creel-user: the work that creel-exec has done with the rights of
 * a user alone (nodemanager/exec/exec.h, which also lists the exit statuses). Descriptors FD are
 * folders that creel-exec opened.
 *
 *   creel-user signal SHIM SIGNAL                signals the processes below a shim
 *   creel-user kill CONTAINER SESSION SPAWNER    kills the processes that a dead shim has left
 *   creel-user delete FD                         empties the folder
 *   creel-user read FD FD                        makes the folders readable for their group
 *   creel-user measure FD FD MB                  exits with EXEC_NONE if the folders together take
 *                                                more than MB megabytes
 *
 * Its real and saved ids are the NodeManager's, so that no process of the user can signal it. */
#ifndef CREEL_NODEMANAGER_EXEC_USER_USER_H
#define CREEL_NODEMANAGER_EXEC_USER_USER_H

#include <stdbool.h>
#include <stdint.h>

/* Levels of folders that are walked. A deeper folder counts as larger than any limit; when folders
 * are emptied, it is first moved up. */
#define USER_DEPTH_MAX 200

/* All take the descriptor of a folder, and close it. */
/* Removes all that is in the folder. Returns false if something is left. */
bool user_empty_folder(int fd);
/* Adds read permission for the group to files and folders of the user. */
void user_share_folder(int fd);
/* Returns the bytes allocated to the folder's contents; a file with several names counts in
 * parts. */
int64_t user_measure_folder(int fd);

#endif
