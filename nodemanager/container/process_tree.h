/* nodemanager/container/process_tree.h - finds and signals the process tree below a shim. Needs
 * libc only, because the shim links it.
 *
 * A shim is a child subreaper, so everything its command starts remains a descendant of the shim,
 * even after setsid and double forks. Signals are sent by pidfd. nm_tree_signal() checks the parent
 * after opening the pidfd, so it never hits a reused pid. */
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

/* Lists every descendant of @root, without @root itself, parents before children. Returns false if
 * not even the list can be allocated; if memory runs out later, the list is incomplete. */
bool nm_tree_list_descendants(pid_t root, struct nm_pids *out);
void nm_pids_free(struct nm_pids *p);

/* Sends @sig to every descendant of @root but this process. For SIGSTOP and SIGKILL the walk is
 * repeated, up to a limit, until it finds no new process, so that a forking tree is caught. Returns
 * the number of processes reached. */
size_t nm_tree_signal(pid_t root, int sig);

/* Sends @sig to the descendants of @root that have installed a handler for it; it would end the
 * others. Returns the number of processes reached. */
size_t nm_tree_signal_those_with_handler(pid_t root, int sig);

/* Kills a tree whose root is gone: processes with "CONTAINER_ID=<id>" in their environment,
 * processes of session @sid that name no container, children of @spawner that it has not started
 * (their shim is gone), and all their descendants; but neither this process nor its ancestors.
 * @sid and @spawner: 0 for none. Returns the number of processes reached in the last walk; 0 means
 * that none is left. */
size_t nm_tree_kill_without_root(const char *container_id, pid_t sid, pid_t spawner);

/* Returns the session led by the process @pid that started at @start; 0 if the pid now belongs to
 * another process. */
pid_t nm_tree_shim_session_or_0(pid_t pid, int64_t start);

/* Returns the pid of the live creel-shim that has CONTAINER_ID=<id> in its environment and leads
 * its session, or -1. */
pid_t nm_tree_find_shim(const char *container_id);

/* Reads parent, session, state letter and start time from /proc/pid/stat. Returns false if there is
 * no such process. */
struct nm_proc {
    pid_t parent, session;
    char state;
    int64_t start; /* clock ticks since boot */
};
bool nm_proc_read_stat(pid_t pid, struct nm_proc *out);

#endif
