/* base/date.h - calendar dates for people, without libc's time zones: pure. */
#ifndef CREEL_BASE_DATE_H
#define CREEL_BASE_DATE_H

#include <stdint.h>

#define BASE_DATE_TEXT_MAX 64

/* "2026-11-21T20:00:05Z" for @us, microseconds since 1970 (not before), cut to the second. Returns
 * @out. */
const char *base_date_text(int64_t us, char out[static BASE_DATE_TEXT_MAX]);

#endif
