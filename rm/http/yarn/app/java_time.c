/* Parses and formats times like Java's DateTimeFormatter, whose messages clients see: each names
 * the place in the text where a part of the pattern did not fit. */
#include "rm/http/yarn/app/java_time.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"

enum field { YEAR, MONTH, DAY, HOUR, MINUTE, SECOND, MILLI, FIELDS };

/* The pattern: each field has a fixed number of digits, and a character after it. */
static const struct {
    const char *name, *valid; /* in Java's message about a value out of range */
    int digits, min, max;
    char then; /* '\0': the time zone follows */
} fields[FIELDS] = {
    [YEAR] = {"YearOfEra", "1 - 999999999/1000000000", 4, 1, 9999, '-'},
    [MONTH] = {"MonthOfYear", "1 - 12", 2, 1, 12, '-'},
    [DAY] = {"DayOfMonth", "1 - 28/31", 2, 1, 31, 'T'},
    [HOUR] = {"HourOfDay", "0 - 23", 2, 0, 23, ':'},
    [MINUTE] = {"MinuteOfHour", "0 - 59", 2, 0, 59, ':'},
    [SECOND] = {"SecondOfMinute", "0 - 59", 2, 0, 59, '.'},
    [MILLI] = {"MilliOfSecond", "0 - 999", 3, 0, 999, '\0'},
};

/* Reads @n digits at *p. Returns false, and leaves *p, when there are fewer. */
static bool read_digits(const char **p, int n, int *out)
{
    *out = 0;
    for (int i = 0; i < n; i++) {
        if (!isdigit((unsigned char)(*p)[i]))
            return false;
        *out = *out * 10 + ((*p)[i] - '0');
    }
    *p += n;
    return true;
}

/* Reads "+0530" at *p. Returns false, and leaves *p, when there is no such time zone. */
static bool read_zone(const char **p, int *seconds)
{
    const char *at = *p + 1;
    int hours, minutes;

    if ((**p != '+' && **p != '-') || !read_digits(&at, 2, &hours) ||
        !read_digits(&at, 2, &minutes) || hours > 18 || minutes > 59)
        return false;
    *seconds = (hours * 3600 + minutes * 60) * (**p == '-' ? -1 : 1);
    *p = at;
    return true;
}

/* Returns the place where the text stops matching the pattern; NULL: all of the pattern matches,
 * and *@end is what follows. */
static const char *find_pattern_mismatch(const char *p, int v[static FIELDS], int *zone_s,
                                         const char **end)
{
    for (int i = 0; i < FIELDS; i++) {
        if (!read_digits(&p, fields[i].digits, &v[i]))
            return p;
        if (fields[i].then && *p != fields[i].then)
            return p;
        p += fields[i].then != '\0';
    }
    if (!read_zone(&p, zone_s))
        return p;
    *end = p;
    return NULL;
}

static bool is_leap_year(int y)
{
    return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
}

int yarn_java_time_parse(const char *text, int64_t *ms, char *why, size_t why_size)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const char *end = text, *wrong;
    int v[FIELDS], zone_s = 0, last;
    struct tm t = {0};

    wrong = find_pattern_mismatch(text, v, &zone_s, &end);
    if (wrong) {
        snprintf(why, why_size, "Text '%.200s' could not be parsed at index %td", text,
                 wrong - text);
        return -BASE_EINVAL;
    }
    if (*end) {
        snprintf(why, why_size,
                 "Text '%.200s' could not be parsed, unparsed text found at index %td", text,
                 end - text);
        return -BASE_EINVAL;
    }
    for (int i = 0; i < FIELDS; i++)
        if (v[i] < fields[i].min || v[i] > fields[i].max) {
            snprintf(why, why_size,
                     "Text '%.200s' could not be parsed: Invalid value for %s (valid values %s): "
                     "%d",
                     text, fields[i].name, fields[i].valid, v[i]);
            return -BASE_EINVAL;
        }
    last = days[v[MONTH] - 1] + (v[MONTH] == 2 && is_leap_year(v[YEAR]));
    t.tm_year = v[YEAR] - 1900;
    t.tm_mon = v[MONTH] - 1;
    t.tm_mday = v[DAY] < last ? v[DAY] : last; /* Java, too, takes the month's last day */
    t.tm_hour = v[HOUR];
    t.tm_min = v[MINUTE];
    t.tm_sec = v[SECOND];
    *ms = ((int64_t)timegm(&t) - zone_s) * 1000 + v[MILLI];
    return 0;
}

const char *yarn_java_time_format(int64_t ms, char out[static YARN_JAVA_TIME_MAX])
{
    time_t s = (time_t)(ms / 1000);
    char zone[8];
    struct tm t;
    size_t n;

    localtime_r(&s, &t);
    n = strftime(out, YARN_JAVA_TIME_MAX - 16, "%Y-%m-%dT%H:%M:%S", &t);
    strftime(zone, sizeof zone, "%z", &t);
    snprintf(out + n, YARN_JAVA_TIME_MAX - n, ".%03d%s", (int)(ms % 1000), zone);
    return out;
}
