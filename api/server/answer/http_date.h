/* api/server/answer/http_date.h - times in headers. */
#ifndef CREEL_API_SERVER_ANSWER_HTTP_DATE_H
#define CREEL_API_SERVER_ANSWER_HTTP_DATE_H

#include <time.h>

#define API_HTTP_DATE_MAX 40
/* Writes @at as "Sat, 21 Nov 2026 07:02:07 GMT". Returns @out. */
const char *api_http_date_text(time_t at, char out[static API_HTTP_DATE_MAX]);

#endif
