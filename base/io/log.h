/* base/io/log.h - the log: one line per event on stderr, or one entry in the journal. Thread-safe.
 *
 *   text     "<P>TIME area: message"; <P> is the syslog priority, absent on a terminal
 *   json     one object per line
 *   journal  fields sent to journald
 *   auto     journal when stderr is connected to journald (JOURNAL_STREAM), else text
 *
 * Only the daemons and the command line log; the core and the policies never do. */
#ifndef CREEL_BASE_IO_LOG_H
#define CREEL_BASE_IO_LOG_H

#include "base/error.h"

/* Severities of events, as in syslog(3); and bounds beyond them for base_log_set_level(). */
enum base_log_level {
    BASE_LOG_OFF = -1,
    BASE_LOG_FATAL = 2, /* no event is that severe */
    BASE_LOG_ERROR = 3,
    BASE_LOG_WARN = 4,
    BASE_LOG_INFO = 6,
    BASE_LOG_DEBUG = 7,
    BASE_LOG_TRACE = 8,
    BASE_LOG_ALL = 9
};
enum base_log_format { BASE_LOG_AUTO, BASE_LOG_TEXT, BASE_LOG_JSON, BASE_LOG_JOURNAL };

/* Events less severe than @max are not logged. Call before other threads start. */
void base_log_init(const char *program, enum base_log_format format, enum base_log_level max);
/* Parses "text", "json", "journal" or "auto". Returns 0, or -BASE_EINVAL. */
int base_log_format_parse(const char *text, enum base_log_format *out);
void base_log(enum base_log_level level, const char *area, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Logs the event whatever level has been set: for events that are recorded nowhere else. */
void base_log_always(enum base_log_level level, const char *area, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Changes at run time which events are logged: from now on, those in the areas @name and
 * NAME.something (all areas if @name is "") that are less severe than @level are not logged. Of the
 * names that cover an area, the longest counts. Returns 0, or -BASE_ELIMIT when BASE_LOG_NAMES_MAX
 * other names have been set. */
#define BASE_LOG_NAMES_MAX 256
int base_log_set_level(const char *name, enum base_log_level level, struct base_error *err);
/* Returns the level that holds for @name. */
enum base_log_level base_log_get_level(const char *name);
#define base_log_error(area, ...) base_log(BASE_LOG_ERROR, area, __VA_ARGS__)
#define base_log_warn(area, ...)  base_log(BASE_LOG_WARN, area, __VA_ARGS__)
#define base_log_info(area, ...)  base_log(BASE_LOG_INFO, area, __VA_ARGS__)
#define base_log_debug(area, ...) base_log(BASE_LOG_DEBUG, area, __VA_ARGS__)

#endif
