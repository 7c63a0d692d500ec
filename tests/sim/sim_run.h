/* tests/sim/sim_run.h - virtual time for whole worlds: events in order, processes that are started,
 * stopped (SIGSTOP), continued and killed, one generator of random numbers, memory that lives as
 * long as a run.
 *
 * An event belongs to a process (or to none: networks, disks, faults) and to one of its threads.
 * Events that are due while the process is stopped wait, and come in a burst when it goes on: in
 * order within a thread, in any order between threads. Events that are due after the process was
 * killed are dropped. Times: microseconds, as CLOCK_BOOTTIME of every host. */
#ifndef CREEL_TESTS_SIM_RUN_H
#define CREEL_TESTS_SIM_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

#define MS INT64_C(1000)
#define S  INT64_C(1000000)

enum sim_thread { SIM_SERVICE, SIM_LEAD, SIM_CORE, SIM_IO, SIM_OUT, SIM_THREADS };
typedef void sim_fn(void *arg, uint64_t tag);
struct sim_call;
struct sim_proc;
struct sim_event {
    int64_t at_us;
    uint64_t seq;
    struct sim_proc *proc; /* NULL: of no process */
    uint32_t life;
    enum sim_thread thread;
    sim_fn *fn;
    void *arg;
    uint64_t tag;
    bool parked; /* it was due while its process stood still */
};
struct sim_proc {
    char name[24];
    int host;
    bool up, stopped;
    uint32_t life; /* raised by every start and kill */
    void *self;
    void (*serve)(void *self, struct sim_call *call); /* called for each request */
    struct sim_event *parked;
    size_t parked_n, parked_cap;
    int64_t behind_us[SIM_THREADS]; /* until then a thread handles the events that were due while it
                                       was stopped */
};

struct sim_block {
    struct sim_block *next;
    size_t used, cap;
    char data[];
};
struct sim_later {
    void (*fn)(void *p);
    void *p;
};
struct sim {
    int64_t now_us;
    uint64_t seq, events, rng;
    struct sim_event *heap;
    size_t heap_n, heap_cap;
    struct sim_block *blocks;
    struct sim_later *later;
    size_t later_n, later_cap;
    bool logging, failed;
    char failure[1024];
    int64_t failed_us;
};

void sim_init(struct sim *s, uint64_t seed, bool logging);
void sim_free(struct sim *s);
/* Return memory that lives until sim_free(); that of sim_alloc() is zeroed. sim_text() cuts the
 * text after 1023 bytes; sim_copy() adds a NUL. */
void *sim_alloc(struct sim *s, size_t size);
char *sim_text(struct sim *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void *sim_copy(struct sim *s, const void *p, size_t size);
/* Has sim_free() call fn(p), the function deferred last first. */
void sim_defer(struct sim *s, void (*fn)(void *p), void *p);

/* Returns a random number from 0 to @n - 1; 0 when @n is 0. */
uint64_t sim_rnd(struct sim *s, uint64_t n);
int64_t sim_between(struct sim *s, int64_t low, int64_t high); /* both inclusive */
bool sim_chance(struct sim *s, unsigned permille);

void sim_at(struct sim *s, int64_t at_us, struct sim_proc *p, enum sim_thread t, sim_fn *fn,
            void *arg, uint64_t tag);
/* Runs all events due until @until_us and sets the clock to that time, or stops when the run has
 * failed. */
void sim_run(struct sim *s, int64_t until_us);

void sim_proc_start(struct sim *s, struct sim_proc *p);
void sim_proc_kill(struct sim *s, struct sim_proc *p);
void sim_proc_stop(struct sim *s, struct sim_proc *p);
void sim_proc_cont(struct sim *s, struct sim_proc *p);

void sim_log_line(struct sim *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#define sim_log(s, ...)                                                                            \
    do {                                                                                           \
        if ((s)->logging)                                                                          \
            sim_log_line(s, __VA_ARGS__);                                                          \
    } while (0)
/* Reports that an invariant is violated, which ends the run. Only the first report counts. @rule:
 * "I1" to "I7", or another label, such as "setup". */
void sim_violated(struct sim *s, const char *rule, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
