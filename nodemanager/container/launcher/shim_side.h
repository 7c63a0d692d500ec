/* nodemanager/container/launcher/shim_side.h - the shim of a container that runs as its user: how
 * it has creel-exec do what it may not do itself. nodemanager/exec/exec.h describes who does what.
 * Needs libc only. */
#ifndef CREEL_NODEMANAGER_CONTAINER_LAUNCHER_SHIM_SIDE_H
#define CREEL_NODEMANAGER_CONTAINER_LAUNCHER_SHIM_SIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct nm_launched {
    const char *program, *user; /* creel-exec; borrowed */
    char app[128], container[128];
    char *argv[6]; /* "creel-exec launch USER APP CONTAINER", NULL-terminated */
    int text_fd;   /* stdin of creel-exec: the command and its environment */
    int reason_fd; /* read end of the pipe to which creel-exec writes why it refuses */
    int reason_write_fd;
};

/* Sets up the launch of the command @argv with the environment @envp in the container's folder
 * @dir. Returns 0 or -1 with errno set. */
int nm_launched_init(struct nm_launched *l, const char *program, const char *user, const char *dir,
                     char *const *argv, char *const *envp);
/* Closes the descriptors that only the launcher uses. Call it once the launcher runs. */
void nm_launched_close_own_ends(struct nm_launched *l);
/* Reads the launcher's reason into @out, "" if there is none. */
void nm_launched_read_reason(struct nm_launched *l, char *out, size_t size);
/* Runs "creel-exec WHAT USER A B". Returns its exit status, or -1 if it could not be run or was
 * killed. */
int nm_launched_run_subcommand(const struct nm_launched *l, const char *what, const char *a,
                               const char *b);
/* Starts "creel-exec measure" without waiting. Returns its pid or -1. */
pid_t nm_launched_start_measuring(const struct nm_launched *l, const char *mb);
/* Signals the processes below this shim. Returns 0 if none was reached, else 1. */
size_t nm_launched_signal(const struct nm_launched *l, int sig);
/* Has creel-exec make the container's folders readable for the NodeManager if some file in @logs is
 * not. */
void nm_launched_share_if_unreadable(const struct nm_launched *l, const char *logs);

#endif
