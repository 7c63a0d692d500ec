/* Simulates whole clusters in virtual time, thousands a minute, each with a schedule of faults
 * drawn by its seed; checks the invariants of high availability during and after each of them.
 *
 *   test_sim_faults --seed N --log           one schedule, with a log of all events
 *   test_sim_faults --runs N --seed S        N schedules from seed S on; stops at the first
 *                                            violation and prints its seed
 *                   --jobs P                 in P processes
 *                   --break WHAT             something is broken on purpose (see breaks[]); may be
 *                                            given several times
 *                   --find                   fails unless a violation is found
 *                   --twice                  each schedule runs twice and must do the same */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/sim/sim_world.h"

#ifdef CREEL_TEST_BROKEN_FENCE
#define FENCE_BROKEN true
#else
#define FENCE_BROKEN false
#endif

struct plan {
    struct sim_options o;
    uint64_t seed;
    int64_t runs;
    int jobs;
    bool find, twice;
};
struct outcome { /* of one process; written to a pipe */
    struct sim_totals t;
    bool failed;
    uint64_t seed;
    char failure[1024];
};

static const struct {
    const char *name;
    size_t at;
} breaks[] = {
    {"log-check", offsetof(struct sim_breaks, log_check)},
    {"nm-epoch", offsetof(struct sim_breaks, nm_epoch)},
    {"lease", offsetof(struct sim_breaks, lease)},
    {"ack-early", offsetof(struct sim_breaks, ack_early)},
    {"forget-commits", offsetof(struct sim_breaks, forget_commits)},
    {"forget-tasks", offsetof(struct sim_breaks, forget_tasks)},
    {"new-folder", offsetof(struct sim_breaks, new_folder)},
    {"no-wait", offsetof(struct sim_breaks, no_wait)},
    {"deaf-masters", offsetof(struct sim_breaks, deaf_masters)},
    {"shared-parts", offsetof(struct sim_breaks, shared_parts)},
    {"no-limit", offsetof(struct sim_breaks, no_limit)},
};

static bool break_it(struct sim_breaks *b, const char *name)
{
    for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++)
        if (strcmp(name, breaks[i].name) == 0) {
            *(bool *)((char *)b + breaks[i].at) = true;
            return true;
        }
    fprintf(stderr, "--break %s: expected one of", name);
    for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++)
        fprintf(stderr, " %s", breaks[i].name);
    fputc('\n', stderr);
    return false;
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---------------------------------------------------------------- one process */
static bool same_again(const struct plan *p, uint64_t seed, uint64_t first, struct outcome *out)
{
    struct sim_totals none = {0};
    uint64_t second = 0;

    sim_world_run(seed, &p->o, &none, out->failure, &second);
    if (first != second)
        snprintf(out->failure, sizeof out->failure, "two runs of one seed differ");
    return first == second;
}

static void run_some(const struct plan *p, int which, bool progress, struct outcome *out)
{
    double began = seconds(), told = began;

    for (int64_t i = which; i < p->runs && !out->failed; i += p->jobs) {
        uint64_t seed = p->seed + (uint64_t)i, mark = 0;

        out->failed = !sim_world_run(seed, &p->o, &out->t, out->failure, &mark);
        if (!out->failed && p->twice)
            out->failed = !same_again(p, seed, mark, out);
        out->seed = seed;
        if (progress && seconds() - told > 2) {
            told = seconds();
            fprintf(stderr, "\r%" PRId64 " of %" PRId64 " schedules, %.0f a minute ", i + 1,
                    p->runs, (double)(i + 1) * 60 / (told - began));
        }
    }
    if (progress && told > began)
        fputc('\n', stderr);
}

/* ---------------------------------------------------------------- several */
static void add_up(struct outcome *all, const struct outcome *one)
{
    int64_t *to = (int64_t *)&all->t;
    const int64_t *from = (const int64_t *)&one->t;

    for (size_t i = 0; i < sizeof all->t / sizeof *to; i++)
        to[i] += from[i];
    if (one->failed && (!all->failed || one->seed < all->seed)) {
        all->failed = true;
        all->seed = one->seed;
        memcpy(all->failure, one->failure, sizeof all->failure);
    }
}

static int fork_one(const struct plan *p, int which)
{
    struct outcome out = {0};
    int fds[2];

    if (pipe(fds) < 0) {
        perror("pipe");
        exit(2);
    }
    fflush(NULL);
    if (fork() == 0) {
        run_some(p, which, which == 0 && isatty(2), &out);
        _exit(write(fds[1], &out, sizeof out) == (ssize_t)sizeof out ? 0 : 2);
    }
    close(fds[1]);
    return fds[0];
}

static bool collect(int fd, struct outcome *all)
{
    struct outcome one = {0};
    size_t n = 0;

    while (n < sizeof one) {
        ssize_t got = read(fd, (char *)&one + n, sizeof one - n);

        if (got <= 0)
            return false; /* the process has crashed, and printed why */
        n += (size_t)got;
    }
    close(fd);
    add_up(all, &one);
    return true;
}

static bool run_all(const struct plan *p, struct outcome *all)
{
    bool whole = true;
    int fds[64];

    if (p->jobs == 1) {
        run_some(p, 0, isatty(2), all);
        return true;
    }
    for (int i = 0; i < p->jobs; i++)
        fds[i] = fork_one(p, i);
    for (int i = 0; i < p->jobs; i++)
        whole = collect(fds[i], all) && whole;
    while (wait(NULL) > 0)
        continue;
    return whole;
}

/* ---------------------------------------------------------------- report */
static void report(const struct plan *p, const struct outcome *all, double took)
{
    const struct sim_totals *t = &all->t;

    printf("%-28s %10s\n", "fault", "count");
    for (int i = 0; i < F_KINDS; i++)
        printf("%-28s %10" PRId64 "\n", sim_fault_names[i], t->faults[i]);
    printf("%" PRId64 " schedules from seed %" PRIu64
           " in %.1f s (%.0f a minute), %.1f h of virtual time, %" PRId64 " events\n",
           t->runs, p->seed, took, took > 0 ? (double)t->runs * 60 / took : 0,
           (double)t->virtual_us / 3.6e9, t->events);
    printf("%" PRId64 " jobs acknowledged, %" PRId64 " kills, %" PRId64 " moves; %" PRId64
           " containers started, %" PRId64 " parts committed; %" PRId64 " takeovers\n",
           t->acks, t->kills, t->moves, t->launches, t->commits, t->takeovers);
    printf("%" PRId64 " answers of lower epochs refused by nodes, %" PRId64
           " multis refused by versions, %" PRId64 " answers held back for the lease; %" PRId64
           " requests abandoned for a new leader; %" PRId64 " schedules without a lease\n",
           t->refused_orders, t->refused_writes, t->late_answers, t->abandoned, t->lease_off_runs);
    printf("%" PRId64 " attempts of steps hung, %" PRId64 " were refused by their node, %" PRId64
           " jobs owed their abort\n",
           t->hung_steps, t->refused_steps, t->owed_aborts);
    if (all->failed)
        printf("seed %" PRIu64 ": %s\n", all->seed, all->failure);
    else
        printf("no violation\n");
}

static bool parse(int argc, char **argv, struct plan *p)
{
    static const struct option options[] = {
        {"seed", required_argument, NULL, 's'}, {"runs", required_argument, NULL, 'r'},
        {"jobs", required_argument, NULL, 'j'}, {"break", required_argument, NULL, 'b'},
        {"log", no_argument, NULL, 'l'},        {"find", no_argument, NULL, 'f'},
        {"twice", no_argument, NULL, 't'},      {NULL, 0, NULL, 0}};
    int c;

    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (c == 's')
            p->seed = strtoull(optarg, NULL, 10);
        else if (c == 'r')
            p->runs = strtoll(optarg, NULL, 10);
        else if (c == 'j')
            p->jobs = atoi(optarg);
        else if (c == 'l')
            p->o.log = true;
        else if (c == 'f')
            p->find = true;
        else if (c == 't')
            p->twice = true;
        else if (c != 'b' || !break_it(&p->o.breaks, optarg))
            return false;
    }
    return optind == argc && p->runs > 0 && p->jobs > 0 && p->jobs <= 64;
}

int main(int argc, char **argv)
{
    struct plan p = {.seed = 1,
                     .runs = 1,
                     .jobs = 1,
                     .o.breaks = {.log_check = FENCE_BROKEN, .nm_epoch = FENCE_BROKEN}};
    struct outcome all = {0};
    double began = seconds();

    if (!parse(argc, argv, &p)) {
        fprintf(stderr,
                "usage: %s [--seed N] [--runs N] [--jobs N, at most 64] [--log] [--break WHAT] "
                "[--find] [--twice]\n",
                argv[0]);
        return 2;
    }
    if (!run_all(&p, &all)) {
        fprintf(stderr, "a process has not come to its end\n");
        return 2;
    }
    report(&p, &all, seconds() - began);
    return all.failed != p.find;
}
