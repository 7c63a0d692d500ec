#include "ha/election/instance.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct place { /* the boot and the namespace in which a pid is unique */
    char boot[64];
    unsigned long long pid_namespace;
};

static bool read_boot_and_pid_namespace(struct place *p)
{
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
    struct stat st;
    bool ok = f && fscanf(f, "%63s", p->boot) == 1;

    if (f)
        fclose(f);
    if (!ok || stat("/proc/self/ns/pid", &st) < 0)
        return false;
    p->pid_namespace = st.st_ino;
    return true;
}

/* Reads the start time of @pid in clock ticks since boot; 0 for a zombie. Returns false if the time
 * cannot be read, which proves nothing: /proc may hide other users' processes (hidepid) or be
 * absent from a sandbox, or no file descriptor may be free. */
static bool read_process_start_ticks(long pid, unsigned long long *start)
{
    char path[64], line[1024], state;
    const char *after;
    FILE *f;
    bool ok;

    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    f = fopen(path, "re");
    if (!f)
        return false;
    /* the process name may contain anything */
    ok = fgets(line, sizeof line, f) && (after = strrchr(line, ')')) &&
         sscanf(after + 1,
                " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                &state, start) == 2;
    if (ok && (state == 'Z' || state == 'X'))
        *start = 0;
    fclose(f);
    return ok;
}

void ha_instance_describe_self(char out[HA_INSTANCE_MAX])
{
    char host[256] = "?";
    struct place p = {.boot = "?"};
    unsigned long long start = 0;

    gethostname(host, sizeof host - 1);
    if (!read_boot_and_pid_namespace(&p))
        /* "?" matches no boot id, so nobody will take this process for dead */
        snprintf(p.boot, sizeof p.boot, "?");
    if (!read_process_start_ticks(getpid(), &start))
        start = 0; /* likewise */
    snprintf(out, HA_INSTANCE_MAX, "host=%s boot=%s pidns=%llu pid=%ld start=%llu", host, p.boot,
             p.pid_namespace, (long)getpid(), start);
}

bool ha_instance_is_surely_dead(const char *text)
{
    struct place there = {{0}, 0}, here;
    unsigned long long start, now;
    long pid;

    if (sscanf(text, "host=%*s boot=%63s pidns=%llu pid=%ld start=%llu", there.boot,
               &there.pid_namespace, &pid, &start) != 4 ||
        pid <= 0 || start == 0 || !read_boot_and_pid_namespace(&here) ||
        strcmp(there.boot, here.boot) != 0 || there.pid_namespace != here.pid_namespace)
        return false;
    if (kill((pid_t)pid, 0) < 0 && errno == ESRCH) /* authoritative even if /proc hides processes */
        return true;
    return read_process_start_ticks(pid, &now) && now != start;
}
