/* api/cli/text/when.c - parses and formats durations and dates as people write them. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "api/cli/text/text.h"

#define SPAN_MAX_MS INT64_C(1000000000000) /* about 31 years */

/* Moves *@s past a unit and returns the unit's length in ms: 1000 when there is no unit, 0 when the
 * unit is unknown. */
static double parse_unit_ms(const char **s)
{
    static const struct {
        const char *name;
        double ms;
    } units[] = {{"s", 1e3},   {"sec", 1e3},  {"m", 60e3}, {"min", 60e3},
                 {"h", 3.6e6}, {"d", 86.4e6}, {"ms", 1.0}};
    size_t len = 0;

    while (isalpha((unsigned char)(*s)[len]))
        len++;
    if (len == 0)
        return 1e3;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strlen(units[i].name) == len && strncmp(units[i].name, *s, len) == 0) {
            *s += len;
            return units[i].ms;
        }
    return 0;
}

/* Parses digits with an optional fraction and moves *@s past them. Returns false when *@s begins
 * with no digit. */
static bool parse_decimal_number(const char **s, double *out)
{
    double scale = 1;
    const char *start = *s;

    *out = 0;
    while (isdigit((unsigned char)**s))
        *out = *out * 10 + (*(*s)++ - '0');
    if (*s == start)
        return false;
    if (**s != '.')
        return true;
    for ((*s)++; isdigit((unsigned char)**s); (*s)++)
        *out += (**s - '0') * (scale /= 10);
    return true;
}

static bool parse_span(const char *s, int64_t *ms)
{
    double sum = 0;

    s += *s == '+';
    do {
        double n, unit;
        if (!parse_decimal_number(&s, &n) || (unit = parse_unit_ms(&s)) <= 0)
            return false;
        sum += n * unit;
    } while (*s && sum <= (double)SPAN_MAX_MS);
    *ms = (int64_t)(sum + 0.5);
    return *ms > 0 && *ms <= SPAN_MAX_MS;
}

/* Returns true when @s begins like @form, where 0 stands for any digit. sscanf() alone would also
 * accept signs and blanks before numbers. */
static bool has_form(const char *s, const char *form)
{
    for (; *form; s++, form++)
        if (*form == '0' ? !isdigit((unsigned char)*s) : *form != *s)
            return false;
    return true;
}

/* Parses "Z", "+02:00" or "-0530" to seconds east of Greenwich. Returns false when @s is none of
 * these. */
static bool parse_zone_offset(const char *s, long *out)
{
    int h, m, n = 0;

    if (strcmp(s, "Z") == 0) {
        *out = 0;
        return true;
    }
    if (!has_form(*s ? s + 1 : s, "00:00") && !has_form(*s ? s + 1 : s, "0000"))
        return false;
    if ((sscanf(s, "%*1[+-]%2d:%2d%n", &h, &m, &n) != 2 &&
         sscanf(s, "%*1[+-]%2d%2d%n", &h, &m, &n) != 2) ||
        s[n] || h > 14 || m > 59)
        return false;
    *out = (*s == '-' ? -1 : 1) * (h * 3600L + m * 60L);
    return true;
}

static bool is_calendar_date(const struct tm *given)
{
    struct tm t = *given;

    return timegm(&t) != -1 && t.tm_mday == given->tm_mday && t.tm_mon == given->tm_mon &&
           t.tm_hour == given->tm_hour && t.tm_min == given->tm_min && t.tm_sec == given->tm_sec;
}

static bool parse_date(const char *s, int64_t *ms)
{
    struct tm t = {.tm_isdst = -1};
    long offset;
    int n = 0;
    time_t at;

    if (!has_form(s, "0000-00-00") || (s[10] != 'T' && s[10] != ' ') || !has_form(s + 11, "00:00"))
        return false;
    if (sscanf(s, "%4d-%2d-%2d%*1[T ]%2d:%2d%n", &t.tm_year, &t.tm_mon, &t.tm_mday, &t.tm_hour,
               &t.tm_min, &n) != 5 ||
        n == 0)
        return false;
    s += n;
    if (*s == ':') {
        if (!has_form(s, ":00") || sscanf(s, ":%2d%n", &t.tm_sec, &n) != 1)
            return false;
        s += n;
    }
    t.tm_year -= 1900;
    t.tm_mon -= 1;
    if (!is_calendar_date(&t))
        return false;
    if (*s == '\0') {
        at = mktime(&t);
    } else {
        if (!parse_zone_offset(s, &offset))
            return false;
        at = timegm(&t) - offset;
    }
    *ms = (int64_t)at * 1000;
    return at > 0;
}

bool cli_when_parse(const char *text, bool *relative, int64_t *ms)
{
    *relative = parse_span(text, ms);
    return *relative || parse_date(text, ms);
}

void cli_when_add_iso(int64_t epoch_ms, struct base_buf *out)
{
    time_t t = (time_t)(epoch_ms / 1000);
    struct tm tm;
    char text[40];

    localtime_r(&t, &tm);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
    base_buf_adds(out, text);
    if (tm.tm_gmtoff == 0) {
        base_buf_adds(out, "Z");
    } else {
        long off = tm.tm_gmtoff < 0 ? -tm.tm_gmtoff : tm.tm_gmtoff;
        base_buf_addf(out, "%c%02ld:%02ld", tm.tm_gmtoff < 0 ? '-' : '+', off / 3600,
                      off / 60 % 60);
    }
}

void cli_when_add_distance(int64_t epoch_ms, int64_t now_ms, struct base_buf *out)
{
    base_buf_adds(out, epoch_ms >= now_ms ? "in " : "");
    cli_text_add_duration(epoch_ms >= now_ms ? epoch_ms - now_ms : now_ms - epoch_ms, out);
    base_buf_adds(out, epoch_ms >= now_ms ? "" : " ago");
}
