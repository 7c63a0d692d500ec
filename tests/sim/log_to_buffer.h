/* tests/sim/log_to_buffer.h - a sink for event logs that tests can read. */
#ifndef CREEL_TESTS_SIM_LOG_TO_BUFFER_H
#define CREEL_TESTS_SIM_LOG_TO_BUFFER_H

#include "base/mem.h"
#include "sim/engine/event_log.h"

/* The write function of a struct sim_log whose self is a struct base_buf: appends @n bytes of @data
 * to it and returns 0. */
static inline int log_to_buffer(void *self, const char *data, size_t n, struct base_error *err)
{
    (void)err;
    base_buf_add(self, data, n);
    return 0;
}

#endif
