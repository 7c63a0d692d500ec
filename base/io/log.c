#define SD_JOURNAL_SUPPRESS_LOCATION
#include "base/io/log.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-journal.h>
#include <time.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/mem.h"

static struct {
    char program[64];
    enum base_log_format format; /* never AUTO after init */
    atomic_int max;              /* the highest of all levels */
    bool terminal;
} settings = {.program = "creel", .format = BASE_LOG_TEXT, .max = BASE_LOG_INFO};

/* Levels by name. */
static struct {
    pthread_rwlock_t lock;
    int root; /* of names without a level */
    struct {
        char *name;
        int level;
    } v[BASE_LOG_NAMES_MAX];
    size_t n;
    atomic_bool any; /* n > 0 */
} levels = {.lock = PTHREAD_RWLOCK_INITIALIZER, .root = BASE_LOG_INFO};

/* SOURCE: systemd.exec(5), $JOURNAL_STREAM: "<device>:<inode>" of the stream that systemd connected
 * to stderr. stderr may have been redirected since, so both numbers are compared. */
static bool stderr_is_journal(void)
{
    const char *text = getenv("JOURNAL_STREAM");
    uintmax_t dev, ino;
    struct stat st;

    if (!text || sscanf(text, "%" SCNuMAX ":%" SCNuMAX, &dev, &ino) != 2 ||
        fstat(STDERR_FILENO, &st) < 0)
        return false;
    return st.st_dev == dev && st.st_ino == ino;
}

void base_log_init(const char *program, enum base_log_format format, enum base_log_level max)
{
    if (format == BASE_LOG_AUTO)
        format = stderr_is_journal() ? BASE_LOG_JOURNAL : BASE_LOG_TEXT;
    snprintf(settings.program, sizeof settings.program, "%s", program);
    settings.format = format;
    settings.terminal = isatty(STDERR_FILENO);
    pthread_rwlock_wrlock(&levels.lock);
    while (levels.n > 0)
        free(levels.v[--levels.n].name);
    atomic_store(&levels.any, false);
    levels.root = (int)max;
    atomic_store(&settings.max, (int)max);
    pthread_rwlock_unlock(&levels.lock);
}

/* ---- levels by name ---- */

/* Returns true for @name itself and for what is below it, "NAME.something". */
static bool name_covers_area(const char *name, const char *area)
{
    size_t n = strlen(name);

    return strncmp(name, area, n) == 0 && (area[n] == '\0' || area[n] == '.');
}

/* Call with the lock held. */
static int find_level_of_area(const char *area)
{
    int level = levels.root;
    size_t longest = 0;

    for (size_t i = 0; i < levels.n; i++) {
        size_t n = strlen(levels.v[i].name);

        if (n >= longest && name_covers_area(levels.v[i].name, area)) {
            longest = n;
            level = levels.v[i].level;
        }
    }
    return level;
}

/* Call with the lock held for writing. Returns false when there is no room. */
static bool store_level(const char *name, int level)
{
    size_t i = 0;

    if (!*name) {
        levels.root = level;
        return true;
    }
    while (i < levels.n && strcmp(levels.v[i].name, name) != 0)
        i++;
    if (i == BASE_LOG_NAMES_MAX)
        return false;
    if (i == levels.n)
        levels.v[levels.n++].name = base_strdup(name);
    levels.v[i].level = level;
    return true;
}

int base_log_set_level(const char *name, enum base_log_level level, struct base_error *err)
{
    int max;
    bool stored;

    pthread_rwlock_wrlock(&levels.lock);
    stored = store_level(name, (int)level);
    max = levels.root;
    for (size_t i = 0; i < levels.n; i++)
        if (levels.v[i].level > max)
            max = levels.v[i].level;
    atomic_store(&levels.any, levels.n > 0);
    atomic_store(&settings.max, max);
    pthread_rwlock_unlock(&levels.lock);
    if (!stored)
        return base_error_set(err, -BASE_ELIMIT, "levels are set for %d names already",
                              BASE_LOG_NAMES_MAX);
    return 0;
}

enum base_log_level base_log_get_level(const char *name)
{
    int level;

    pthread_rwlock_rdlock(&levels.lock);
    level = find_level_of_area(name);
    pthread_rwlock_unlock(&levels.lock);
    return (enum base_log_level)level;
}

/* Costs one comparison for events that no area logs, and takes the lock only when areas differ. */
static bool is_logged(enum base_log_level level, const char *area)
{
    if ((int)level > atomic_load_explicit(&settings.max, memory_order_relaxed))
        return false;
    return !atomic_load_explicit(&levels.any, memory_order_relaxed) ||
           level <= base_log_get_level(area);
}

int base_log_format_parse(const char *text, enum base_log_format *out)
{
    static const char *const names[] = {
        [BASE_LOG_AUTO] = "auto",
        [BASE_LOG_TEXT] = "text",
        [BASE_LOG_JSON] = "json",
        [BASE_LOG_JOURNAL] = "journal",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0) {
            *out = (enum base_log_format)i;
            return 0;
        }
    return -BASE_EINVAL;
}

static void append_utc_now(struct base_buf *b)
{
    struct timespec ts;
    struct tm tm;

    clock_gettime(CLOCK_REALTIME, &ts);
    gmtime_r(&ts.tv_sec, &tm);
    base_buf_addf(b, "%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ", tm.tm_year + 1900, tm.tm_mon + 1,
                  tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, ts.tv_nsec / 1000000);
}

/* Replaces control characters, so that an event stays one line whatever text from outside its
 * message contains. */
static void blank_out_controls(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7F)
            *text = ' ';
}

static void format_text_line(struct base_buf *b, enum base_log_level level, const char *area,
                             char *message)
{
    if (!settings.terminal)
        base_buf_addf(b, "<%d>", (int)level);
    append_utc_now(b);
    blank_out_controls(message);
    base_buf_addf(b, " %s: %s\n", area, message);
}

static const char *level_name(enum base_log_level level)
{
    switch (level) {
    case BASE_LOG_ERROR:
        return "error";
    case BASE_LOG_WARN:
        return "warning";
    case BASE_LOG_INFO:
        return "info";
    case BASE_LOG_DEBUG:
        return "debug";
    default: /* no event has another level */
        return "info";
    }
}

static void format_json_line(struct base_buf *b, enum base_log_level level, const char *area,
                             char *message)
{
    struct base_buf at = {0};
    json_t *text = json_string(message);
    json_t *j;
    char *out;

    if (!text) { /* not UTF-8: keep the ASCII characters */
        for (char *p = message; *p; p++)
            if ((unsigned char)*p >= 0x80)
                *p = '?';
        text = json_string(message);
    }
    append_utc_now(&at);
    j = json_pack("{s:s, s:s, s:s, s:i, s:s*, s:o*}", "time", at.data, "level", level_name(level),
                  "program", settings.program, "pid", (int)getpid(), "area", area, "message", text);
    out = j ? json_dumps(j, JSON_COMPACT) : NULL;
    if (out)
        base_buf_addf(b, "%s\n", out);
    free(out);
    json_decref(j);
    base_buf_free(&at);
}

static int send_to_journal(enum base_log_level level, const char *area, const char *message)
{
    return sd_journal_send("MESSAGE=%s", message, "PRIORITY=%d", (int)level, "SYSLOG_IDENTIFIER=%s",
                           settings.program, "CREEL_AREA=%s", area, NULL);
}

static void write_event(enum base_log_level level, const char *area, const char *fmt, va_list ap)
{
    struct base_buf message = {0}, line = {0};
    int saved = errno;

    base_buf_vaddf(&message, fmt, ap);
    if (settings.format != BASE_LOG_JOURNAL || send_to_journal(level, area, message.data) < 0) {
        if (settings.format == BASE_LOG_JSON)
            format_json_line(&line, level, area, message.data);
        else
            format_text_line(&line, level, area, message.data);
        if (line.len) /* one write(2), so that lines of several threads do not mix; a failure cannot
                         be reported anywhere */
            (void)base_write_all(STDERR_FILENO, line.data, line.len);
    }
    base_buf_free(&message);
    base_buf_free(&line);
    errno = saved;
}

void base_log(enum base_log_level level, const char *area, const char *fmt, ...)
{
    va_list ap;

    if (!is_logged(level, area))
        return;
    va_start(ap, fmt);
    write_event(level, area, fmt, ap);
    va_end(ap);
}

void base_log_always(enum base_log_level level, const char *area, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    write_event(level, area, fmt, ap);
    va_end(ap);
}
