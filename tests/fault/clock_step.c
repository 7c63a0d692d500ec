/* tests/fault/clock_step.c - a wall clock that can be stepped while the process runs: a library to
 * preload. $CLOCK_STEP_FILE holds seconds to add ("+3600"); it is looked at again every 20 ms. Only
 * the wall clock is changed; CLOCK_MONOTONIC and CLOCK_BOOTTIME, and waits on them, stay true.
 * (libfaketime 0.9.10 makes pthread_cond_timedwait on a CLOCK_MONOTONIC condition return at once,
 * whatever DONT_FAKE_MONOTONIC says.) */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static _Atomic long step, looked_ms = -1000;

static long step_now(void)
{
    struct timespec mono;
    long ms;
    char text[32] = "";
    const char *path;
    int fd;

    syscall(SYS_clock_gettime, CLOCK_MONOTONIC_COARSE, &mono);
    ms = mono.tv_sec * 1000 + mono.tv_nsec / 1000000;
    if (ms - atomic_load(&looked_ms) < 20)
        return atomic_load(&step);
    atomic_store(&looked_ms, ms);
    path = getenv("CLOCK_STEP_FILE");
    fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return atomic_load(&step);
    if (read(fd, text, sizeof text - 1) > 0)
        atomic_store(&step, strtol(text, NULL, 10));
    close(fd);
    return atomic_load(&step);
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
    int rc = (int)syscall(SYS_clock_gettime, id, ts);

    if (rc == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
        ts->tv_sec += step_now();
    return rc;
}

int gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
    struct timespec ts;

    (void)zone;
    clock_gettime(CLOCK_REALTIME, &ts);
    *tv = (struct timeval){ts.tv_sec, ts.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *out)
{
    struct timespec ts;

    clock_gettime(CLOCK_REALTIME, &ts);
    if (out)
        *out = ts.tv_sec;
    return ts.tv_sec;
}
