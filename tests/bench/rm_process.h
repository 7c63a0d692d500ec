/* tests/bench/rm_process.h - a ResourceManager in a process of its own, for benchmarks of Hadoop
 * RPC: its start, its CPU time and its memory. For one file of a program. */
#ifndef CREEL_TESTS_BENCH_RM_PROCESS_H
#define CREEL_TESTS_BENCH_RM_PROCESS_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/crypto/secret_file.h"
#include "base/io/io.h"
#include "base/mem.h"

static pid_t rm;
static uint16_t rpc_port; /* of Hadoop RPC */
static char url[256];     /* of HTTP */

static void die(const char *what)
{
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
    if (rm > 0)
        kill(rm, SIGTERM);
    exit(1);
}

static double cpu_us(void)
{
    struct timespec ts;
    clockid_t clock;

    if (clock_getcpuclockid(rm, &clock) != 0 || clock_gettime(clock, &ts) != 0)
        die("CPU clock of a process");
    return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

static double resident_kib(void)
{
    char *path = base_printf("/proc/%d/statm", (int)rm);
    FILE *f = fopen(path, "r");
    long all = 0, resident = 0;

    if (!f || fscanf(f, "%ld %ld", &all, &resident) != 2)
        die("/proc/PID/statm");
    fclose(f);
    free(path);
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1024;
}

/* ---- the daemon ---- */

/* Waits for a file in which @pattern, for sscanf(), finds @out in some line. */
static void await_line(const char *path, const char *mark, const char *pattern, void *out)
{
    for (int i = 0; i < 2000; i++) {
        struct base_buf text = {0};
        const char *at;
        bool found;

        base_file_read(path, 1 << 20, &text, NULL);
        at = text.data ? strstr(text.data, mark) : NULL;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        found = at && sscanf(at, pattern, out) == 1;
#pragma GCC diagnostic pop
        base_buf_free(&text);
        if (found)
            return;
        nanosleep(&(struct timespec){0, 5000000}, NULL);
    }
    die("the ResourceManager does not start");
}

/* Starts the ResourceManager of @bin in the folder @dir, with its secret in the file "secret"
 * there. Sets rm, url, and rpc_port, at which it serves @protocol: the address of that port is the
 * value of @key. */
static void start_rm(const char *bin, const char *dir, const char *key, const char *protocol)
{
    char *exe = base_printf("%s/creel-rm", bin), *log = base_printf("%s/log", dir);
    char *file = base_printf("%s/url", dir), *secret = base_printf("%s/secret", dir);
    char *args[] = {exe,
                    "-Dcreel.rm.port=0",
                    "-Dcreel.auth=simple",
                    "-Dcreel.http.requests-per-user=0",
                    "-Dcreel.rm.state-store=memory",
                    base_printf("-D%s=127.0.0.1:0", key),
                    base_printf("-Dcreel.rm.state-dir=%s/state", dir),
                    base_printf("-Dcreel.cluster.secret-file=%s", secret),
                    base_printf("--url-file=%s", file),
                    NULL};
    char *mark, *pattern;

    if (base_secret_file_make(secret, NULL) < 0)
        die("no secret");
    rm = fork();
    if (rm == 0) {
        int out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);

        dup2(out, 1);
        dup2(out, 2);
        execv(exe, args);
        _exit(127);
    }
    await_line(file, "http", "%255s", url);
    mark = base_printf("%sPB at port", protocol);
    pattern = base_printf("%s %%hu", mark);
    await_line(log, mark, pattern, &rpc_port);
    free(mark);
    free(pattern);
    free(exe);
    free(log);
    free(file);
    free(secret);
    for (int i = 5; i < 9; i++)
        free(args[i]);
}

#endif
