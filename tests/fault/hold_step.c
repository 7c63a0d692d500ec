/* tests/fault/hold_step.c - for LD_PRELOAD: holds the steps of a job at their rename(2). As long as
 * $HOLD_STEP_DIR/setup exists, a setup waits before its output folder gets its name; as long as
 * $HOLD_STEP_DIR/commit does, a commit waits before it moves a part. A step that waits has made
 * $HOLD_STEP_DIR/setup.held or commit.held. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void hold(const char *step)
{
    const char *dir = getenv("HOLD_STEP_DIR");
    char path[PATH_MAX], held[PATH_MAX];
    int fd;

    if (!dir)
        return;
    snprintf(path, sizeof path, "%s/%s", dir, step);
    snprintf(held, sizeof held, "%s/%s.held", dir, step);
    while (access(path, F_OK) == 0) {
        fd = open(held, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (fd >= 0)
            close(fd);
        usleep(10000);
    }
}

int renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags)
{
    hold("setup");
    return (int)syscall(SYS_renameat2, from_at, from, to_at, to, flags);
}

int renameat(int from_at, const char *from, int to_at, const char *to)
{
    if (strncmp(to, "part-", 5) == 0)
        hold("commit");
    return (int)syscall(SYS_renameat2, from_at, from, to_at, to, 0);
}
