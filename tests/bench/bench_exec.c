/* tests/bench/bench_exec.c - what creel-exec adds to a container: CPU time of a command (/bin/true)
 * alone, of the same by "creel-exec launch", and of "creel-exec read", which follows its end; of
 * all their processes, and of the kernel for them. Usage: bench_exec BIN_DIR [LAUNCHES [LINE]];
 * LINE is added to the configuration, such as "private-tmp = false". Needs root. Prints "name value
 * unit" lines: medians of runs that take turns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fault/users_fixture.h"

#define LOCAL USERS_DIR "/nm"
#define APP   "application_7_0001"
#define EXEC  USERS_BIN "/creel-exec"

enum { LAUNCHES_MAX = 100000 };

static const char launch_text[] = "1\0/bin/true\0PATH=/bin"; /* ends with NUL */

static void must(bool ok, const char *what)
{
    if (ok)
        return;
    perror(what);
    exit(1);
}

static void make_folder(const char *path, mode_t mode)
{
    must(mkdir(path, mode) == 0, path);
}

/* Folders of container @n, as the NodeManager makes them. */
static void make_container(int n, char name[static 64])
{
    static const char *const parts[] = {"apps", "apps", "apps", "logs"}, *const below[] = {
                                                                             "", "/work", "/tmp",
                                                                             ""};
    char path[256];

    snprintf(name, 64, "container_7_0001_01_%06d", n);
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, LOCAL "/%s/" APP "/%s%s", parts[i], name, below[i]);
        make_folder(path, 0700);
    }
}

/* Runs the program to its end; stdin is the launch text. Returns its CPU time in microseconds. */
static double run(char *const *argv)
{
    struct rusage before, after;
    int status, in = memfd_create("launch", MFD_CLOEXEC);
    pid_t pid;

    must(in >= 0 && write(in, launch_text, sizeof launch_text) == sizeof launch_text,
         "launch text");
    lseek(in, 0, SEEK_SET);
    getrusage(RUSAGE_CHILDREN, &before);
    pid = vfork();
    if (pid == 0) {
        dup2(in, 0);
        execv(argv[0], argv);
        _exit(127);
    }
    must(waitpid(pid, &status, 0) == pid && status == 0, argv[0]);
    getrusage(RUSAGE_CHILDREN, &after);
    close(in);
    return (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec + after.ru_stime.tv_sec -
                    before.ru_stime.tv_sec) *
               1e6 +
           (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec + after.ru_stime.tv_usec -
                    before.ru_stime.tv_usec);
}

static int compare(const void *a, const void *b)
{
    double d = *(const double *)a - *(const double *)b;

    return (d > 0) - (d < 0);
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"exec_command", "exec_launch", "exec_read"};
    static double cost[3][LAUNCHES_MAX];
    char name[64], *command[] = {"/bin/true", NULL},
                   *launch[] = {EXEC, "launch", "ann", APP, name, NULL},
                   *read_logs[] = {EXEC, "read", "ann", APP, name, NULL};
    char *const *const kinds[] = {command, launch, read_logs};
    int launches = argc > 2 ? atoi(argv[2]) : 1000;

    if (argc < 2 || launches < 1 || launches > LAUNCHES_MAX) {
        fprintf(stderr, "usage: bench_exec BIN_DIR [LAUNCHES [LINE]]\n");
        return 2;
    }
    users_make_host(argv[1]);
    make_folder(LOCAL, 0711);
    must(chown(LOCAL, USERS_NM, USERS_NM) == 0, LOCAL);
    users_write_conf(LOCAL, argc > 3 ? argv[3] : "");
    users_become_nm();
    make_folder(LOCAL "/apps", 0711);
    make_folder(LOCAL "/logs", 0711);
    make_folder(LOCAL "/apps/" APP, 0711);
    make_folder(LOCAL "/logs/" APP, 0711);
    for (int n = 0; n < launches; n++) {
        make_container(n, name);
        for (int i = 0; i < 3; i++)
            cost[i][n] = run(kinds[i]);
    }
    for (int i = 0; i < 3; i++) {
        qsort(cost[i], (size_t)launches, sizeof *cost[i], compare);
        printf("%s %.0f us\n", names[i], cost[i][launches / 2]);
    }
    return 0;
}
