/* nodemanager/container/spawn.h - the spawner: a single-threaded process that starts the shims.
 *
 * The daemon has threads and therefore never forks. Before it starts the first one it forks the spawner, which does
 * nothing but take argv and envp from a socket, start a process as leader of its own session (posix_spawn), and
 * hand back its pid and pidfd. When the daemon goes, the spawner finishes what it was asked for and ends; shims
 * outlive both. The spawner holds the lock of the local folder as long as it lives, so that a new daemon looks at
 * the folder only when nothing is being started there any more. */
#ifndef CREEL_NODEMANAGER_CONTAINER_SPAWN_H
#define CREEL_NODEMANAGER_CONTAINER_SPAWN_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

#define NM_SPAWN_REQUEST_MAX (16u << 20) /* bytes of argv and envp together */
#define NM_SPAWN_AHEAD_MAX   32          /* requests without an answer; the caller queues more itself */

struct nm_spawn;
/* Forks the spawner: the calling process must still have a single thread. @keep_fd stays open there (the lock). */
int nm_spawn_start(int keep_fd, struct nm_spawn **out, struct base_error *err);
void nm_spawn_free(struct nm_spawn *s);    /* closes the socket: the spawner ends by itself */
int nm_spawn_fd(const struct nm_spawn *s); /* readable: answers are there, or the spawner is gone */
pid_t nm_spawn_pid(const struct nm_spawn *s);
/* Asks for a process. @argv and @envp are NULL-ended; argv[0] is the program. @tag comes back with the answer. */
int nm_spawn_ask(struct nm_spawn *s, uint64_t tag, const char *const *argv, const char *const *envp,
                 struct base_error *err);
struct nm_spawned {
    uint64_t tag;
    int32_t pid;   /* or -errno */
    int32_t pidfd; /* caller's to close, or -1 */
};
/* One answer: 1, none yet: 0, spawner gone: -BASE_EIO. */
int nm_spawn_take(struct nm_spawn *s, struct nm_spawned *out, struct base_error *err);

#endif
