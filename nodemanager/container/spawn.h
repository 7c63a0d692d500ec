/* nodemanager/container/spawn.h - the spawner: a single-threaded process that starts the shims.
 *
 * The daemon has threads and therefore must not fork. Before it starts its first thread it forks
 * the spawner, which only reads argv and envp from a socket, starts a process as leader of its own
 * session (posix_spawn), and returns its pid and pidfd. When the daemon ends, the spawner finishes
 * the requests it has received and ends; shims outlive both. The spawner holds the lock of the
 * local folder while it lives, so a new daemon examines the folder only when nothing is being
 * started there any more. */
#ifndef CREEL_NODEMANAGER_CONTAINER_SPAWN_H
#define CREEL_NODEMANAGER_CONTAINER_SPAWN_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

#define NM_SPAWN_REQUEST_MAX (16u << 20) /* bytes of argv and envp together */
/* maximum number of unanswered requests; the caller queues further ones */
#define NM_SPAWN_AHEAD_MAX 32

struct nm_spawn;
/* Forks the spawner; the caller must still be single-threaded. @keep_fd (the lock) stays open in
 * the spawner. */
int nm_spawn_start(int keep_fd, struct nm_spawn **out, struct base_error *err);
void nm_spawn_free(struct nm_spawn *s); /* closes the socket, upon which the spawner ends */
/* The descriptor becomes readable when answers have arrived or the spawner has ended. */
int nm_spawn_fd(const struct nm_spawn *s);
pid_t nm_spawn_pid(const struct nm_spawn *s);
/* Requests a process. @argv and @envp are NULL-terminated; argv[0] is the program. The answer
 * carries @tag. Returns 0, -BASE_ELIMIT above NM_SPAWN_REQUEST_MAX, or -BASE_EIO. */
int nm_spawn_request(struct nm_spawn *s, uint64_t tag, const char *const *argv,
                     const char *const *envp, struct base_error *err);
struct nm_spawned {
    uint64_t tag;
    int32_t pid;   /* pid of the process, or -errno */
    int32_t pidfd; /* the caller closes it; or -1 */
};
/* Receives one answer. Returns 1, 0 if none has arrived yet, or -BASE_EIO if the spawner is
 * gone. */
int nm_spawn_receive_answer(struct nm_spawn *s, struct nm_spawned *out, struct base_error *err);

#endif
