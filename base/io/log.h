/* base/io/log.h - one line per event on stderr.
 * Text form: "<P>TIME area: message" where <P> is the syslog priority prefix that systemd
 * understands (only when stderr is not a terminal); under journald (JOURNAL_STREAM) fields go to
 * the journal; json: one object a line. Thread-safe. Only shells log: core and policies never
 * do. */
#ifndef CREEL_BASE_IO_LOG_H
#define CREEL_BASE_IO_LOG_H

#include "base/error.h"

enum base_log_level {
    BASE_LOG_ERROR = 3,
    BASE_LOG_WARN = 4,
    BASE_LOG_INFO = 6,
    BASE_LOG_DEBUG = 7
};
enum base_log_format { BASE_LOG_AUTO, BASE_LOG_TEXT, BASE_LOG_JSON, BASE_LOG_JOURNAL };

void base_log_init(const char *program, enum base_log_format format, enum base_log_level max);
/* "text", "json", "journal", "auto"; -BASE_EINVAL otherwise. */
int base_log_format_parse(const char *text, enum base_log_format *out);
void base_log(enum base_log_level level, const char *area, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Whatever the level the log was set to: for lines that are kept nowhere else. */
void base_log_always(enum base_log_level level, const char *area, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
#define base_log_error(area, ...) base_log(BASE_LOG_ERROR, area, __VA_ARGS__)
#define base_log_warn(area, ...)  base_log(BASE_LOG_WARN, area, __VA_ARGS__)
#define base_log_info(area, ...)  base_log(BASE_LOG_INFO, area, __VA_ARGS__)
#define base_log_debug(area, ...) base_log(BASE_LOG_DEBUG, area, __VA_ARGS__)

#endif
