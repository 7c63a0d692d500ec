/* nodemanager/container/launcher/node_side.h - the daemon's side of containers that run as their
 * users: what it asks of creel-exec and of the shims. nodemanager/exec/exec.h describes who does
 * what. */
#ifndef CREEL_NODEMANAGER_CONTAINER_LAUNCHER_NODE_SIDE_H
#define CREEL_NODEMANAGER_CONTAINER_LAUNCHER_NODE_SIDE_H

#include "base/error.h"
#include "nodemanager/container/folders.h"
#include "nodemanager/container/spawn.h"
#include "nodemanager/exec/orders.h"

/* Sets *@out to @path, or to NULL if @path is NULL or "". Fails with -BASE_EINVAL if @path is not a
 * setuid program of root for our group alone, or if this host lets users make hard links to files
 * of others (fs.protected_hardlinks is not 1): among a container's logs, such a link would make the
 * NodeManager show a file that the user may not read. */
int nm_launcher_check_installation(const char *path, const char **out, struct base_error *err);
/* Sends an order to the shim @pidfd. Returns 1, or 0 if it cannot be sent now. */
size_t nm_launcher_signal_order(int pidfd, enum exec_order order);
/* Has creel-exec kill the processes that the dead shim of container @id has left; the answer of
 * @spawn carries @tag. @session, @spawner: as for nm_tree_kill_without_root(). */
int nm_launcher_request_kill(struct nm_spawn *spawn, uint64_t tag, const char *launcher,
                             const char *user, const char *id, pid_t session, pid_t spawner,
                             struct base_error *err);
/* Has creel-exec empty @path, a folder in trash/, if it belongs to a user, otherwise each folder in
 * it that does, and waits for the end of that. For the janitor's thread. */
void nm_launcher_empty_users_folders(struct nm_files *f, const char *path);

#endif
