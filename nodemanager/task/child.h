/* nodemanager/task/child.h - the processes a task runs: the user's commands and sort.
 *
 * A child belongs to the container's process tree, so a signal that ends or suspends the container
 * reaches it. It starts with default signal handling. A thread forwards the child's stderr and
 * keeps the last lines for the diagnostics. */
#ifndef CREEL_NODEMANAGER_TASK_CHILD_H
#define CREEL_NODEMANAGER_TASK_CHILD_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "nodemanager/task/task.h"

#define TASK_TAIL_BYTES 4096
#define TASK_TAIL_LINES 20

struct task_child {
    char what[32]; /* "map command", "sort" */
    pid_t pid;     /* 0: not started, or already reaped */
    int stderr_fd, stop_fd;
    pthread_t tail_thread;
    char tail[2 * TASK_TAIL_BYTES];
    size_t tail_len;
    bool sigpipe_ok; /* SIGPIPE counts as success: the reader has read enough */
    int status;      /* as returned by waitpid() */
};

/* Starts @argv in folder @cwd with @in and @out as stdin and stdout (borrowed; the caller closes
 * its copies). @c_locale: sets LC_ALL=C and unsets TMPDIR, for sort. After success, end the child
 * with task_child_wait() or task_child_kill_and_reap(). */
int task_child_start(struct task_child *c, const char *what, const char *const *argv, int in,
                     int out, const char *cwd, bool c_locale, struct base_error *err);
/* Starts `sh -c @command`, or sh with a script if @command is too long for an argument, in the
 * task's work folder. */
int task_child_start_shell(struct task *t, struct task_child *c, const char *what,
                           const char *command, int in, int out, struct base_error *err);
/* Waits for the child's end. Returns 0 if it exited with 0, died of SIGPIPE with sigpipe_ok, was
 * not started, or is reaped already. Returns -BASE_ENOSPC if sort found the disk full; otherwise
 * records the failure in @t (exit code, last lines of stderr) and returns -BASE_EIO. */
int task_child_wait(struct task *t, struct task_child *c, struct base_error *err);
/* Kills and reaps a child whose output is no longer needed. No failure is recorded. */
void task_child_kill_and_reap(struct task_child *c);
/* Sends @sig to all running children, and kills any child started later; for a process that is
 * about to exit. */
void task_children_send_signal(int sig);

/* Creates a pipe with both ends close-on-exec and, where the system allows, a capacity of
 * TASK_IO_BYTES. */
int task_pipe_create(int fds[2], struct base_error *err);
/* Reads up to @n bytes, retrying after EINTR. Returns the count, 0 at the end, or -errno. */
ssize_t task_read_retrying(int fd, void *buf, size_t n);

#endif
