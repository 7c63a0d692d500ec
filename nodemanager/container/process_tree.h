/* nodemanager/container/process_tree.h - the process tree below a shim: find it, signal it. Needs libc only (the shim links it).
 *
 * A shim is a child subreaper, so whatever its command starts stays a descendant of the shim, also after setsid and
 * double forks. Signals go by pidfd: a pid that was reused meanwhile is never hit (its parent is checked again after
 * the pidfd was opened). */
#ifndef CREEL_NODEMANAGER_CONTAINER_PROCESS_TREE_H
#define CREEL_NODEMANAGER_CONTAINER_PROCESS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct nm_pids {
    pid_t *v;
    size_t len, cap;
};

/* Every descendant of @root without @root itself, parents before children. False when memory ran out. */
bool nm_tree_list(pid_t root, struct nm_pids *out);
void nm_pids_free(struct nm_pids *p);

/* Sends @sig to every descendant of @root. With SIGSTOP and SIGKILL repeated until a walk finds nobody new (a tree
 * that forks meanwhile is caught). Returns how many processes were reached. */
size_t nm_tree_signal(pid_t root, int sig);

/* The same for a tree whose root is gone: processes with "CONTAINER_ID=<id>" in their environment, those of session
 * @sid that name no container, children of @spawner that no shim has any more, and descendants of all these. @sid and
 * @spawner: 0 for none. Returns how many were reached in the last walk: 0 means nobody is left. */
size_t nm_tree_kill_lost(const char *container_id, pid_t sid, pid_t spawner);

/* The session that the process @pid, started at @start, led; 0 when the pid is another's by now. */
pid_t nm_tree_session(pid_t pid, int64_t start);

/* Pid of the live creel-shim that has CONTAINER_ID=<id> and leads its session, or -1. */
pid_t nm_tree_find_shim(const char *container_id);

/* Parent, session, state letter and start time out of /proc/pid/stat; false when there is no such process. */
struct nm_proc {
    pid_t parent, session;
    char state;
    int64_t start; /* clock ticks since boot */
};
bool nm_proc_read(pid_t pid, struct nm_proc *out);

#endif
