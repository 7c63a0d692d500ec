/* nodemanager/exec/user/user.h - creel-user: what creel-exec has done with the rights of a user,
 * and without any privilege (nodemanager/exec/exec.h). Descriptors FD are folders that creel-exec
 * opened.
 *
 *   creel-user signal SHIM SIGNAL                to the processes below a shim
 *   creel-user kill CONTAINER SESSION SPAWNER    those that a dead shim has left
 *   creel-user delete FD                         empties the folder
 *   creel-user read FD FD                        makes the folders readable for their group
 *   creel-user measure FD FD MB                  EXEC_NONE if they have more than MB
 *
 * Its real and saved ids are the NodeManager's, so that no process of the user can signal it. */
#ifndef CREEL_NODEMANAGER_EXEC_USER_USER_H
#define CREEL_NODEMANAGER_EXEC_USER_USER_H

#include <stdbool.h>
#include <stdint.h>

/* Folders below each other that are walked. What is deeper counts as without end; before it is
 * removed, it is moved up. */
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
