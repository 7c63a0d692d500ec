/* api/cli/dev/process.h - processes by identity (boot id, pid and start time), never by name or pid
 * alone. */
#ifndef CREEL_API_CLI_DEV_PROCESS_H
#define CREEL_API_CLI_DEV_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct cli_proc {
    pid_t pid;     /* 0: none */
    int64_t start; /* clock ticks since boot */
    char boot[64]; /* boot id */
};

/* Returns the identity of the process that has @pid now. When no process has it,
 * cli_proc_is_alive() is false for the result. */
struct cli_proc cli_proc_identify(pid_t pid);
/* Returns true while this very process runs; a zombie counts as ended. */
bool cli_proc_is_alive(const struct cli_proc *p);
/* Opens a pidfd, which becomes readable when the process ends; the caller closes it. Returns -1
 * when the process has ended, or on an error. */
int cli_proc_open_pidfd(const struct cli_proc *p);
/* Signals this process and no other. Returns false when the process has ended, or may not be
 * signalled. */
bool cli_proc_signal(const struct cli_proc *p, int sig);
/* Waits for the end of the process. Returns true when the process has ended within @timeout_ms. */
bool cli_proc_wait_for_end(const struct cli_proc *p, int timeout_ms);
/* Signals every descendant of @p, children before their parents, and @p too if @itself. Does
 * nothing when @p has ended. Returns the number of processes signalled. */
unsigned cli_proc_signal_tree(const struct cli_proc *p, int sig, bool itself);

#endif
