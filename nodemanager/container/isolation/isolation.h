/* nodemanager/container/isolation/isolation.h - isolation of a container's processes, a small table
 * of functions. "none" means the process tree below the shim and nothing more.
 *
 * The life of a container, and who calls what:
 *
 *   order --> PREPARED --> shim runs --> INSIDE ----command ends----> EMPTY --shim ends--> CLEANED
 *      |         |                         |  ^                         ^                     ^
 *   prepare      |                  suspend|  |resume                   |                   clean
 *   (daemon)     |                         v  |                         |                  (daemon)
 *                |                       SUSPENDED --kill, and again----'
 *                `---not started: clean---------------------------------------------------->--'
 *
 *   open            daemon, once, at its start, while it is single-threaded
 *   prepare         daemon's loop, once, before the shim is requested
 *   enter           the command's process, between vfork and exec
 *   suspend,resume  daemon's loop, any number of times; for a container that runs as its user, the
 *                   shim, by order of the daemon
 *   kill            daemon's loop: an order (TERM, NOW, DUMP), which the shim carries out if the
 *                   container runs as its user, or a container that lost its shim (LOST); the
 *                   shim: what the command left behind (NOW)
 *   usage           the shim, once, for its report of the end
 *   clean           daemon's loop, when no process is left; once more after a restart of the daemon
 *
 * The shim records its isolation and the place that open() chose in pid.json, so a daemon restarted
 * with another configuration still treats older containers by the isolation they began with.
 *
 * To add an isolation: one file in this folder that defines `const struct nm_isolation_ops
 * nm_isolation_NAME`, and its line in isolation.c. The shim links this folder, so the file may use
 * libc only, and of Creel nothing but process_tree.h and base/io/plain.h. */
#ifndef CREEL_NODEMANAGER_CONTAINER_ISOLATION_ISOLATION_H
#define CREEL_NODEMANAGER_CONTAINER_ISOLATION_ISOLATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define NM_ISOLATION_WHY_MAX   256
#define NM_ISOLATION_PLACE_MAX 1024

/* A container as an isolation sees it. Borrowed for the call; members that are not known are 0. */
struct nm_isolated {
    const char *id;    /* the container's id as text, unique on this node */
    pid_t shim;        /* root of the container's process tree, leader of its session */
    pid_t spawner;     /* KILL_LOST: parent of processes whose shim was killed */
    const char *place; /* what open() wrote when the container was started; NULL: "" */
    /* Signals the processes of a container that runs as its user, which this process itself may not
     * do. Returns 0 if none was reached. NULL: this process may do it. */
    size_t (*signal)(int sig);
    int64_t memory_mb, vcores; /* set for prepare only, like the members below */
    int64_t pids_max;          /* 0: no limit */
    bool memory_hard;          /* more memory than memory_mb ends the container */
    bool cpu_hard;             /* no more processors than vcores, even if others are idle */
};

enum nm_kill_how {
    NM_KILL_TERM, /* SIGTERM to every process of the container but the shim */
    NM_KILL_NOW,  /* SIGKILL, repeated until a search finds no further process */
    NM_KILL_DUMP, /* SIGQUIT to those of its processes that handle it: a JVM prints its threads */
    NM_KILL_LOST  /* SIGKILL without a shim: find the processes by other means */
};

struct nm_usage { /* resources used by all processes of the container that have ended */
    int64_t cpu_us;
    int64_t max_rss_kb; /* of the largest process or of all together, depending on the isolation */
    /* processes that the kernel killed because the container's memory was used up, and its limit */
    int64_t memory_kills, memory_limit;
};

/* The functions of an isolation; NULL where there is nothing to do. None waits for a process to
 * end. */
struct nm_isolation_ops {
    const char *name; /* as written in creel.nodemanager.isolation: [a-z0-9-] */
    /* @open: Make what all containers share, at @parent if that is not "", and write to @place
     * where that is: text without quotes, backslashes or control characters. Returns 0 or -errno,
     * with the reason in @why. */
    int (*open)(const char *parent, char place[static NM_ISOLATION_PLACE_MAX],
                char why[static NM_ISOLATION_WHY_MAX]);
    /* @prepare: Make what will enclose @c. Returns 0 or -errno, with the reason in @why. After an
     * error the container is not started, and clean is called. */
    int (*prepare)(const struct nm_isolated *c, char why[static NM_ISOLATION_WHY_MAX]);
    /* @enter: Put the calling process inside. The process shares its memory with the shim
     * (vfork), so it may only make system calls. Returns 0, or -1 with errno set: the command is
     * not run. */
    int (*enter)(const struct nm_isolated *c);
    /* @suspend, @resume: Stop and continue all processes but the shim. Return the number of
     * processes reached; 0: the command has not started yet, and the caller tries again. */
    size_t (*suspend)(const struct nm_isolated *c);
    size_t (*resume)(const struct nm_isolated *c);
    /* @kill: Kill as @how says. Returns the number of processes reached; 0: none is left, or none
     * has started yet. */
    size_t (*kill)(const struct nm_isolated *c, enum nm_kill_how how);
    /* @usage: Fill in *@out, which is zeroed. */
    void (*usage)(const struct nm_isolated *c, struct nm_usage *out);
    /* @clean: Remove what prepare made. Must work if there is nothing to remove. */
    void (*clean)(const struct nm_isolated *c);
};

/* Returns the isolation called @name ("none" for NULL and ""), or NULL if there is no such
 * isolation. */
const struct nm_isolation_ops *nm_isolation_find(const char *name);
/* Writes the names of all isolations, separated by commas, to @out. Returns @out. */
char *nm_isolation_list_names(char *out, size_t size);

/* For isolations: signals all processes below the shim; SIGQUIT only those that handle it. Returns
 * the number of processes reached. */
size_t nm_isolated_signal(const struct nm_isolated *c, int sig);

/* Each calls the function of the same name in @ops; if that is NULL, does nothing and returns 0.
 * nm_isolation_open() then writes "" to @place. */
int nm_isolation_open(const struct nm_isolation_ops *ops, const char *parent,
                      char place[static NM_ISOLATION_PLACE_MAX],
                      char why[static NM_ISOLATION_WHY_MAX]);
int nm_isolation_prepare(const struct nm_isolation_ops *ops, const struct nm_isolated *c,
                         char why[static NM_ISOLATION_WHY_MAX]);
int nm_isolation_enter(const struct nm_isolation_ops *ops, const struct nm_isolated *c);
size_t nm_isolation_suspend(const struct nm_isolation_ops *ops, const struct nm_isolated *c);
size_t nm_isolation_resume(const struct nm_isolation_ops *ops, const struct nm_isolated *c);
size_t nm_isolation_kill(const struct nm_isolation_ops *ops, const struct nm_isolated *c,
                         enum nm_kill_how how);
void nm_isolation_usage(const struct nm_isolation_ops *ops, const struct nm_isolated *c,
                        struct nm_usage *out);
void nm_isolation_clean(const struct nm_isolation_ops *ops, const struct nm_isolated *c);

#endif
