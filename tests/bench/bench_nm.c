/* tests/bench/bench_nm.c - how many no-op commands a few NodeManagers start and end per second, and
 * what one costs in CPU time of all processes on the nodes (daemon, spawner, shim, the shell
 * itself). Against the fake ResourceManager, whose own cost is not counted.
 *
 *   bench_nm FOLDER-OF-PROGRAMS [tasks [nodes [slots]]] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io/io.h"
#include "nodemanager/container/process_tree.h"
#include "tests/fault/nm_fixture.h"

/* utime + stime + the same of collected children, in clock ticks. */
static int64_t cpu_ticks(pid_t pid)
{
    char path[64];
    struct base_buf b = {0};
    unsigned long u = 0, s = 0;
    long cu = 0, cs = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (base_file_read(path, 4096, &b, NULL) >= 0 && b.data && strrchr(b.data, ')'))
        sscanf(strrchr(b.data, ')') + 1,
               " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld", &u, &s, &cu, &cs);
    base_buf_free(&b);
    return (int64_t)(u + s) + cu + cs;
}

struct cost {
    int64_t daemon, spawner; /* spawner: shims and commands too, which it waits for */
};

static struct cost cost_of(struct fx *fx, int nodes)
{
    struct cost c = {0};
    for (int i = 0; i < nodes; i++) {
        struct nm_pids p = {0};
        c.daemon += cpu_ticks(fx->nm[i]);
        nm_tree_list_descendants(fx->nm[i], &p);
        if (p.len)
            c.spawner += cpu_ticks(p.v[0]);
        nm_pids_free(&p);
    }
    return c;
}

static bool is_complete(struct fake_rm *rm, const char *ct)
{
    json_t *r = fake_rm_report(rm, ct);
    bool done = r && strcmp(json_string_value(json_object_get(r, "state")), "complete") == 0;
    json_decref(r);
    return done;
}

int main(int argc, char **argv)
{
    fx_programs(argc, argv);
    int tasks = argc > 2 ? atoi(argv[2]) : 3000, nodes = argc > 3 ? atoi(argv[3]) : 3,
        slots = argc > 4 ? atoi(argv[4]) : 3;
    struct fx *fx = fx_new();
    char(*busy)[64] = base_alloc((size_t)(nodes * slots) * sizeof *busy);
    int next = 0;
    for (int i = 0; i < nodes; i++)
        fx_start(fx, i);
    fake_rm_set_auto_forget(fx->rm, true);
    struct cost before = cost_of(fx, nodes);
    int64_t t0 = base_mono_us(&base_clock_real);
    while (fake_rm_ended(fx->rm) < (size_t)tasks) {
        size_t seen = fake_rm_ended(fx->rm);
        for (int k = 0; k < nodes * slots && next < tasks; k++) {
            if (busy[k][0] && !is_complete(fx->rm, busy[k]))
                continue;
            fx_ct(++next, busy[k]);
            fake_rm_launch(fx->rm, (size_t)(k % nodes), busy[k], ":");
        }
        if (!fake_rm_wait_ended(fx->rm, seen + 1, FX_WAIT_MS))
            return 1;
    }
    double s = (double)(base_mono_us(&base_clock_real) - t0) / 1e6;
    struct cost after = cost_of(fx, nodes);
    double ms = 1000.0 / (double)sysconf(_SC_CLK_TCK) / tasks;
    printf("tasks=%d nodes=%d slots=%d seconds=%.2f tasks_per_s=%.0f cpu_ms_per_task=%.2f (daemon "
           "%.2f, shim and command "
           "%.2f)\n",
           tasks, nodes, slots, s, tasks / s,
           (double)(after.daemon + after.spawner - before.daemon - before.spawner) * ms,
           (double)(after.daemon - before.daemon) * ms,
           (double)(after.spawner - before.spawner) * ms);
    free(busy);
    fx_free(fx);
    return 0;
}
