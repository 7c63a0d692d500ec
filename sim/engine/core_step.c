/* What every part of the engine calls: one step of the core, lines of the event log, and the
 * failure that ends a run. */
#include <stdarg.h>
#include <stdlib.h>

#include "sim/engine/engine_internal.h"

int sim_fail(struct sim *s, int code, const char *fmt, ...)
{
    va_list ap;
    char *text;
    struct base_buf b = {0};

    if (s->failed) /* keep the first failure */
        return s->failed;
    va_start(ap, fmt);
    base_buf_vaddf(&b, fmt, ap);
    va_end(ap);
    text = base_buf_take(&b);
    s->failed = base_error_set(&s->err, code, "%s", text);
    free(text);
    return s->failed;
}

/* ---------------------------------------------------------------- the log */
void sim_log_task(struct sim *s, const char *event, const struct sim_attempt *a, const char *detail)
{
    struct sim_log_line line;

    if (!s->conf.log)
        return;
    line = (struct sim_log_line){.time_us = s->now_us,
                                 .event = event,
                                 .job = a->job->id,
                                 .kind = a->kind,
                                 .task = a->task,
                                 .attempt = a->number,
                                 .node = a->node,
                                 .detail = detail};
    sim_log_add_line(s->conf.log, &line);
}

void sim_log_job(struct sim *s, const char *event, const struct sim_live *job, int64_t number)
{
    struct sim_log_line line;

    if (!s->conf.log)
        return;
    line = (struct sim_log_line){.time_us = s->now_us,
                                 .event = event,
                                 .job = job->id,
                                 .kind = -1,
                                 .node = -1,
                                 .number = number};
    sim_log_add_line(s->conf.log, &line);
}

/* ---------------------------------------------------------------- the core */
void sim_core_step(struct sim *s, struct rm_event *ev)
{
    int64_t released = rm_core_count_released_nodes(s->core);

    ev->at_us = SIM_EPOCH_US + s->now_us;
    s->fx.len = 0;
    s->totals.events++;
    rm_core_step(s->core, ev, &s->fx);
    /* heartbeats at every change: slots that were held can be had now */
    s->changed = s->changed || rm_core_count_released_nodes(s->core) != released;
}
