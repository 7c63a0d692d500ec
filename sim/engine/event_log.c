/* Numbers are formatted by hand, not by printf: a log has millions of lines. */
#include "sim/engine/event_log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FLUSH_AT   65536
#define NUMBER_MAX 24

static void write_out_buffer(struct sim_log *log)
{
    if (!log->failed && log->buf.len)
        log->failed = log->write(log->self, log->buf.data, log->buf.len, &log->err);
    base_buf_clear(&log->buf);
}

void sim_log_write_header(struct sim_log *log)
{
    base_buf_adds(&log->buf, "time_us,event,job,kind,task,attempt,node,detail\n");
}

static char *write_number_at(char *to, int64_t v)
{
    char tmp[NUMBER_MAX];
    uint64_t left = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    int n = 0;

    if (v < 0)
        *to++ = '-';
    do
        tmp[n++] = (char)('0' + left % 10);
    while (left /= 10);
    while (n)
        *to++ = tmp[--n];
    return to;
}

static char *write_text_at(char *to, const char *text)
{
    size_t n = strlen(text);

    memcpy(to, text, n);
    return to + n;
}

void sim_log_add_line(struct sim_log *log, const struct sim_log_line *line)
{
    char *at;

    base_buf_reserve(&log->buf, 8 * NUMBER_MAX + strlen(line->event) +
                                    (line->detail ? strlen(line->detail) : 0));
    at = log->buf.data + log->buf.len;
    at = write_number_at(at, line->time_us);
    *at++ = ',';
    at = write_text_at(at, line->event);
    *at++ = ',';
    at = write_number_at(at, (int64_t)line->job);
    *at++ = ',';
    if (line->kind >= 0) {
        *at++ = line->kind == 0 ? 'm' : 'r';
        *at++ = ',';
        at = write_number_at(at, line->task);
        *at++ = ',';
        at = write_number_at(at, line->attempt);
    } else {
        *at++ = ',';
        *at++ = ',';
    }
    *at++ = ',';
    if (line->node >= 0)
        at = write_number_at(at, line->node);
    *at++ = ',';
    if (line->detail)
        at = write_text_at(at, line->detail);
    else if (line->number)
        at = write_number_at(at, line->number);
    *at++ = '\n';
    log->buf.len = (size_t)(at - log->buf.data);
    log->buf.data[log->buf.len] = '\0';
    if (log->buf.len >= FLUSH_AT)
        write_out_buffer(log);
}

int sim_log_flush_and_free(struct sim_log *log, struct base_error *err)
{
    write_out_buffer(log);
    base_buf_free(&log->buf);
    if (log->failed && err)
        *err = log->err;
    return log->failed;
}

int sim_log_to_file(void *self, const char *data, size_t n, struct base_error *err)
{
    if (fwrite(data, 1, n, self) != n)
        return base_error_sys(err, -BASE_EIO, errno, "event log");
    return 0;
}
