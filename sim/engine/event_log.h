/* sim/engine/event_log.h - the event log of a simulation: one line per event, in order of virtual
 * time.
 *
 *     time_us,event,job,kind,task,attempt,node,detail
 *
 * kind is m or r; fields that say nothing are empty. Events: submit, refuse (detail: earliest
 * finish), launch (detail: local, rack, off, any), begin (an early reduce: the last map has ended),
 * end, kill, suspend, resume, finish.
 * Equal seeds give byte-equal logs on every build. */
#ifndef CREEL_SIM_ENGINE_EVENT_LOG_H
#define CREEL_SIM_ENGINE_EVENT_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"

struct sim_log {
    /* Takes @n bytes. Returns 0 or a negative code with @err; the simulation ends with it. */
    int (*write)(void *self, const char *data, size_t n, struct base_error *err);
    void *self;
    struct base_buf buf; /* zero to begin with */
    int failed;          /* code of the first write that failed */
    struct base_error err;
};
struct sim_log_line {
    int64_t time_us;
    const char *event;
    uint64_t job;
    int kind;              /* 0 map, 1 reduce, -1: none */
    int32_t task, attempt; /* with a kind */
    int64_t node;          /* -1: none */
    const char *detail;    /* NULL: none */
    int64_t number;        /* detail when there is no text and it is not 0 */
};
void sim_log_begin(struct sim_log *log); /* writes the line of names; the engine does, once */
void sim_log_add(struct sim_log *log, const struct sim_log_line *line);
/* Writes what is left and frees the buffer. Returns the first failure. */
int sim_log_end(struct sim_log *log, struct base_error *err);

/* A sink: a FILE *. */
int sim_log_to_file(void *self, const char *data, size_t n, struct base_error *err);

#endif
