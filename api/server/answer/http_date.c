#include "api/server/answer/http_date.h"

#include <stdio.h>

const char *api_http_date_text(time_t at, char out[static API_HTTP_DATE_MAX])
{
    static const char days[] = "SunMonTueWedThuFriSat",
                      months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    struct tm tm;

    gmtime_r(&at, &tm);
    snprintf(out, API_HTTP_DATE_MAX, "%.3s, %02d %.3s %04d %02d:%02d:%02d GMT",
             days + 3 * tm.tm_wday, tm.tm_mday, months + 3 * tm.tm_mon, tm.tm_year + 1900,
             tm.tm_hour, tm.tm_min, tm.tm_sec);
    return out;
}
