/* base/date.c - formats a time as a UTC date; see base/clock.h. */
#include "base/clock.h"

#include <stdio.h>

/* Years are counted from 1 March, so that a leap day is the last day of its year and shifts no
 * other day of that year. The pattern of leap days repeats in every era of 400 years (146,097
 * days). SOURCE: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days. */
const char *base_iso_utc_text(int64_t us, char out[static BASE_DATE_TEXT_MAX])
{
    int64_t s = us / 1000000, days = s / 86400 + 719468, era = days / 146097,
            in_era = days % 146097;
    int64_t year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    int64_t in_year = in_era - (365 * year + year / 4 - year / 100),
            month = (5 * in_year + 2) / 153;
    int64_t day = in_year - (153 * month + 2) / 5 + 1;

    month = month < 10 ? month + 3 : month - 9;
    year += era * 400 + (month <= 2);
    snprintf(out, BASE_DATE_TEXT_MAX, "%04lld-%02lld-%02lldT%02lld:%02lld:%02lldZ", (long long)year,
             (long long)month, (long long)day, (long long)(s / 3600 % 24), (long long)(s / 60 % 60),
             (long long)(s % 60));
    return out;
}
