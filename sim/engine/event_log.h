/* sim/engine/event_log.h - the event log of a simulation: one line per event, in order of virtual
 * time.
 *
 *     time_us,event,job,kind,task,attempt,node,detail
 *
 * kind is m or r; columns that do not apply are empty. Events: submit, refuse (detail: the earliest
 * finish that could be promised, in microseconds, if any), launch (detail: local, rack, off, any),
 * begin (a reduce launched early starts to work, because the last map has ended), end, kill,
 * suspend, resume, finish. Equal configurations and seeds give byte-equal logs. */
#ifndef CREEL_SIM_ENGINE_EVENT_LOG_H
#define CREEL_SIM_ENGINE_EVENT_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"

struct sim_log {
    /* Takes @n bytes. Returns 0, or a negative code with @err, which ends the run. */
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
    int kind;              /* enum base_task_kind; -1: the event concerns no task */
    int32_t task, attempt; /* task index and attempt number, if kind >= 0 */
    int64_t node;          /* -1: none */
    const char *detail;    /* NULL: none */
    int64_t number;        /* printed as the detail when @detail is NULL; 0: empty */
};
/* Appends the header line; called by sim_run(). */
void sim_log_write_header(struct sim_log *log);
void sim_log_add_line(struct sim_log *log, const struct sim_log_line *line);
/* Writes the rest of the buffer and frees it. Returns 0, or the code of the first write that
 * failed, with @err (may be NULL). */
int sim_log_flush_and_free(struct sim_log *log, struct base_error *err);

/* Value for sim_log.write when self is a FILE *. */
int sim_log_to_file(void *self, const char *data, size_t n, struct base_error *err);

#endif
