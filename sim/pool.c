#include "sim/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/io/io.h"

/* A child sends frames through its pipe: kind, length, then that many bytes. */
enum frame_kind { FRAME_PROGRESS = 1, FRAME_OUTCOME };
struct frame {
    uint64_t kind, len;
};
enum { PROGRESS_MS = 200, READ_BYTES = 1 << 16 };

struct child {
    pid_t pid; /* 0: none */
    int fd;
    size_t index;
    struct base_buf in;
    double fraction;
};
struct pool {
    const struct sim_spec *specs;
    size_t n, started, passed_on; /* runs started; outcomes passed to the hook */
    const struct sim_pool_hooks *hooks;
    struct child *children;
    int children_n;
    struct sim_outcome *outcomes; /* by index; kept until all earlier ones have been passed on */
    bool *ready;
    size_t ended;
    bool stopped;
};

/* ---------------------------------------------------------------- the child */
struct progress_sender {
    int fd;
    int64_t last_ms;
};

static int64_t monotonic_now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool send_frame(int fd, enum frame_kind kind, const void *data, size_t len)
{
    struct frame f = {.kind = kind, .len = len};

    return base_write_all(fd, &f, sizeof f) == 0 && base_write_all(fd, data, len) == 0;
}

static bool send_progress_if_due(void *ctx, double fraction, int64_t now_us,
                                 const struct sim_totals *so_far)
{
    struct progress_sender *t = ctx;
    int64_t now = monotonic_now_ms();

    (void)now_us;
    (void)so_far;
    if (now - t->last_ms < PROGRESS_MS)
        return true;
    t->last_ms = now;
    return send_frame(t->fd, FRAME_PROGRESS, &fraction, sizeof fraction);
}

_Noreturn static void run_as_child(const struct sim_spec *spec, int fd, pid_t parent)
{
    struct progress_sender t = {.fd = fd};
    struct sim_run_watch watch = {.on_progress = send_progress_if_due, .ctx = &t};
    struct sim_outcome outcome;
    struct base_buf packed = {0};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* the parent died before prctl() took effect */
        _exit(1);
    signal(SIGPIPE, SIG_DFL);
    sim_run_spec(spec, &watch, &outcome);
    sim_outcome_pack(&outcome, &packed);
    _exit(send_frame(fd, FRAME_OUTCOME, packed.data, packed.len) ? 0 : 1);
}

/* ---------------------------------------------------------------- the parent */
static int start_child(struct pool *p, struct child *c, struct base_error *err)
{
    int ends[2];
    pid_t parent = getpid();

    if (pipe2(ends, O_CLOEXEC) < 0)
        return base_error_sys(err, -BASE_EIO, errno, "cannot make a pipe");
    fflush(NULL); /* otherwise the child would write our buffered output again */
    pid_t pid = fork();
    if (pid < 0) {
        int sys = errno;
        close(ends[0]);
        close(ends[1]);
        return base_error_sys(err, -BASE_EIO, sys, "cannot make a process");
    }
    if (pid == 0) {
        close(ends[0]);
        for (int i = 0; i < p->children_n; i++)
            if (p->children[i].pid)
                close(p->children[i].fd);
        run_as_child(&p->specs[p->started], ends[1], parent);
    }
    close(ends[1]);
    *c = (struct child){.pid = pid, .fd = ends[0], .index = p->started++};
    return 0;
}

/* Waits for the child to end, closes its pipe and returns its wait status. */
static int reap_child(struct child *c)
{
    int status = 0;

    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    close(c->fd);
    c->pid = 0;
    return status;
}

/* Fills the outcome of a child that ended without sending a complete one. */
static void fill_failed_outcome(const struct pool *p, const struct child *c, int status,
                                struct sim_outcome *o)
{
    char name[256];

    sim_spec_format_name(&p->specs[c->index], name, sizeof name);
    if (WIFSIGNALED(status))
        base_error_set(&o->err, -BASE_EIO, "%s: its process died: %s%s", name,
                       strsignal(WTERMSIG(status)),
                       WTERMSIG(status) == SIGKILL ? " (out of memory?)" : "");
    else
        base_error_set(&o->err, -BASE_EIO, "%s: its process ended with status %d and no result",
                       name, WEXITSTATUS(status));
    o->code = o->err.code;
}

/* The child has closed its pipe: reaps it and unpacks its outcome. */
static void finish_child(struct pool *p, struct child *c)
{
    struct sim_outcome *o = &p->outcomes[c->index];
    struct frame f = {0};
    char name[256];

    int status = reap_child(c);
    if (c->in.len >= sizeof f)
        memcpy(&f, c->in.data, sizeof f);
    if (f.kind != FRAME_OUTCOME || c->in.len - sizeof f != f.len) {
        *o = (struct sim_outcome){0};
        fill_failed_outcome(p, c, status, o);
    } else {
        struct base_error err;
        if (sim_outcome_unpack(o, c->in.data + sizeof f, f.len, &err) < 0) {
            o->code = err.code;
            o->err = err;
        }
        sim_spec_format_name(&p->specs[c->index], name, sizeof name);
        if (o->code < 0)
            base_error_wrap(&o->err, o->code, "%s", name);
    }
    base_buf_free(&c->in);
    p->ready[c->index] = true;
    p->ended++;
}

/* Removes complete progress frames from the start of the input and keeps the latest fraction. */
static void read_progress_frames(struct child *c)
{
    struct frame f;
    size_t at = 0;

    while (c->in.len - at >= sizeof f + sizeof c->fraction) {
        memcpy(&f, c->in.data + at, sizeof f);
        if (f.kind != FRAME_PROGRESS || f.len != sizeof c->fraction)
            break;
        memcpy(&c->fraction, c->in.data + at + sizeof f, sizeof c->fraction);
        at += sizeof f + sizeof c->fraction;
    }
    if (!at)
        return;
    memmove(c->in.data, c->in.data + at, c->in.len - at);
    c->in.len -= at;
}

static void read_from_child(struct pool *p, struct child *c)
{
    base_buf_reserve(&c->in, READ_BYTES);
    ssize_t n = read(c->fd, c->in.data + c->in.len, READ_BYTES);

    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n > 0) {
        c->in.len += (size_t)n;
        read_progress_frames(c);
        return;
    }
    finish_child(p, c);
}

static void pass_ready_outcomes_to_hook(struct pool *p)
{
    while (!p->stopped && p->passed_on < p->n && p->ready[p->passed_on]) {
        struct sim_outcome *o = &p->outcomes[p->passed_on];
        p->stopped = !p->hooks->on_outcome(p->hooks->ctx, p->passed_on, o);
        sim_outcome_free(o);
        p->passed_on++;
    }
}

static int count_running_children(const struct pool *p)
{
    int n = 0;

    for (int i = 0; i < p->children_n; i++)
        n += p->children[i].pid != 0;
    return n;
}

static void report_progress(const struct pool *p)
{
    double done = (double)p->ended;

    if (!p->hooks->on_progress)
        return;
    for (int i = 0; i < p->children_n; i++)
        if (p->children[i].pid && p->children[i].fraction > 0)
            done += p->children[i].fraction < 1 ? p->children[i].fraction : 1;
    p->hooks->on_progress(p->hooks->ctx, done / (double)p->n, p->ended,
                          (size_t)count_running_children(p));
}

static void poll_and_read_children(struct pool *p)
{
    struct pollfd fds[SIM_POOL_JOBS_MAX];

    for (int i = 0; i < p->children_n; i++) {
        fds[i].fd = p->children[i].pid ? p->children[i].fd : -1;
        fds[i].events = POLLIN;
        fds[i].revents = 0;
    }
    if (poll(fds, (nfds_t)p->children_n, PROGRESS_MS) <= 0)
        return;
    for (int i = 0; i < p->children_n; i++)
        if (fds[i].revents)
            read_from_child(p, &p->children[i]);
}

/* Starts a process for a run in each child that has none. Outcomes wait until all earlier ones have
 * been passed on. To bound the memory for them, at most three runs per child may be started and not
 * yet passed on. */
static int start_runs_in_idle_children(struct pool *p, struct base_error *err)
{
    for (int i = 0; i < p->children_n && p->started < p->n; i++) {
        if (p->children[i].pid || p->started - p->passed_on >= (size_t)p->children_n * 3)
            continue;
        int rc = start_child(p, &p->children[i], err);
        if (rc < 0)
            return count_running_children(p) ? 0 : rc; /* go on with fewer processes */
    }
    return 0;
}

static void kill_children_and_free_outcomes(struct pool *p)
{
    for (int i = 0; i < p->children_n; i++)
        if (p->children[i].pid) {
            kill(p->children[i].pid, SIGKILL);
            reap_child(&p->children[i]);
            base_buf_free(&p->children[i].in);
        }
    for (size_t i = p->passed_on; i < p->n; i++)
        sim_outcome_free(&p->outcomes[i]);
}

int sim_pool_processor_count(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

int sim_pool_run(const struct sim_spec *specs, size_t n, int jobs,
                 const struct sim_pool_hooks *hooks, struct base_error *err)
{
    struct pool p = {.specs = specs, .n = n, .hooks = hooks};
    int64_t shown_ms = 0;
    int rc = 0;

    jobs = jobs > 0 ? jobs : sim_pool_processor_count();
    jobs = jobs > SIM_POOL_JOBS_MAX ? SIM_POOL_JOBS_MAX : jobs;
    p.children_n = (size_t)jobs < n ? jobs : (int)n;
    p.children = base_alloc((size_t)p.children_n * sizeof *p.children);
    p.outcomes = base_alloc(n * sizeof *p.outcomes);
    p.ready = base_alloc(n * sizeof *p.ready);
    while (!p.stopped && p.passed_on < n) {
        if ((rc = start_runs_in_idle_children(&p, err)) < 0)
            break;
        poll_and_read_children(&p);
        pass_ready_outcomes_to_hook(&p);
        if (monotonic_now_ms() - shown_ms >= PROGRESS_MS || p.passed_on == n) {
            shown_ms = monotonic_now_ms();
            report_progress(&p);
        }
    }
    kill_children_and_free_outcomes(&p);
    free(p.children);
    free(p.outcomes);
    free(p.ready);
    return rc < 0 ? rc : p.stopped;
}
