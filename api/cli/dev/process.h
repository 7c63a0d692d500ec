/* api/cli/dev/process.h - processes by identity (boot id + pid + start time), never by name or bare pid. */
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

/* Identity of a process that lives now (a child of ours, or ourselves). */
struct cli_proc cli_proc_identify(pid_t pid);
/* The same process, and not a zombie. */
bool cli_proc_alive(const struct cli_proc *p);
/* A pidfd of exactly this process, or -1 when it is gone. Readable when it ends. */
int cli_proc_open_pidfd(const struct cli_proc *p);
/* Signals exactly this process. False: gone. */
bool cli_proc_signal(const struct cli_proc *p, int sig);
/* True when it has ended within @timeout_ms. */
bool cli_proc_wait(const struct cli_proc *p, int timeout_ms);
/* Sends @sig to every descendant of @p, children before their parent's; @p itself only when @itself. Returns how many
 * were signalled. */
unsigned cli_proc_signal_tree(const struct cli_proc *p, int sig, bool itself);

#endif
