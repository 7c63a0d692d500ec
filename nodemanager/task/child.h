/* nodemanager/task/child.h - the processes a task runs: the user's commands and sort.
 * A child stays in the container's process group (whoever ends or suspends the container reaches it), gets default
 * signals, and its stderr passes through a thread here which keeps its last lines for the diagnostics. */
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
    pid_t pid;     /* 0: not started or already waited for */
    int stderr_fd, stop_fd;
    pthread_t tail_thread;
    char tail[2 * TASK_TAIL_BYTES];
    size_t tail_len;
    bool sigpipe_ok; /* ended by a reader that had enough */
    int status;      /* of waitpid */
};

/* Starts @argv with @in and @out as stdin and stdout (borrowed: the caller closes its copies), in folder @cwd.
 * @c_locale: LC_ALL=C for sort. */
int task_child_start(struct task_child *c, const char *what, const char *const *argv, int in, int out, const char *cwd,
                     bool c_locale, struct base_error *err);
/* `sh -c @command` in the task's work folder. */
int task_child_shell(struct task *t, struct task_child *c, const char *what, const char *command, int in, int out,
                     struct base_error *err);
/* Waits for its end; 0 when it exited with 0, else the failure is told to @t (exit code, last stderr lines) and
 * -BASE_EIO, or -BASE_ENOSPC when sort found the disk full. 0 at once when it is not running. */
int task_child_wait(struct task *t, struct task_child *c, struct base_error *err);
/* Kills it and forgets about it; for children whose output is not wanted any more. */
void task_child_drop(struct task_child *c);
/* Signals all children that run; the process is about to end. */
void task_children_signal(int sig);

/* Pipe with both ends close-on-exec and, where the system allows, TASK_IO_BYTES deep. */
int task_pipe(int fds[2], struct base_error *err);
/* read(2) of up to @n bytes that survives EINTR: count, 0 at the end, -errno. */
ssize_t task_read(int fd, void *buf, size_t n);

#endif
