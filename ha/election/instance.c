#include "ha/election/instance.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct place { /* what a pid means something in */
    char boot[64];
    unsigned long long pid_namespace;
};

static bool place_read(struct place *p)
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

/* Start time in clock ticks since the boot; 0: only what its parent has not collected yet is there. False: not known. That
 * is no sign of anything: /proc may hide the processes of others (hidepid), be left out of a sandbox, or no descriptor may
 * be left to read it with. */
static bool start_of(long pid, unsigned long long *start)
{
    char path[64], line[1024], state;
    const char *after;
    FILE *f;
    bool ok;

    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    f = fopen(path, "re");
    if (!f)
        return false;
    ok = fgets(line, sizeof line, f) && (after = strrchr(line, ')')) /* the name may hold anything */
         && sscanf(after + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                   &state, start) == 2;
    if (ok && (state == 'Z' || state == 'X'))
        *start = 0;
    fclose(f);
    return ok;
}

void ha_instance_text(char out[HA_INSTANCE_MAX])
{
    char host[256] = "?";
    struct place p = {.boot = "?"};
    unsigned long long start = 0;

    gethostname(host, sizeof host - 1);
    if (!place_read(&p))
        snprintf(p.boot, sizeof p.boot, "?"); /* nobody's place: nobody will say that it is dead */
    if (!start_of(getpid(), &start))
        start = 0; /* as above */
    snprintf(out, HA_INSTANCE_MAX, "host=%s boot=%s pidns=%llu pid=%ld start=%llu", host, p.boot, p.pid_namespace,
             (long)getpid(), start);
}

bool ha_instance_is_dead(const char *text)
{
    struct place there = {{0}, 0}, here;
    unsigned long long start, now;
    long pid;

    if (sscanf(text, "host=%*s boot=%63s pidns=%llu pid=%ld start=%llu", there.boot, &there.pid_namespace, &pid,
               &start) != 4 ||
        pid <= 0 || start == 0 || !place_read(&here) || strcmp(there.boot, here.boot) != 0 ||
        there.pid_namespace != here.pid_namespace)
        return false;
    if (kill((pid_t)pid, 0) < 0 && errno == ESRCH) /* the kernel's word, whatever /proc shows */
        return true;
    return start_of(pid, &now) && now != start;
}
