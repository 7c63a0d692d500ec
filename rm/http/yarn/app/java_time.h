/* rm/http/yarn/app/java_time.h - times as YARN writes them for people,
 * "2037-01-01T00:00:00.000+0000" (Java's pattern yyyy-MM-dd'T'HH:mm:ss.SSSZ). */
#ifndef CREEL_RM_HTTP_YARN_APP_JAVA_TIME_H
#define CREEL_RM_HTTP_YARN_APP_JAVA_TIME_H

#include <stddef.h>
#include <stdint.h>

#define YARN_JAVA_TIME_MAX 48 /* bytes of a time as text */

/* Parses @text to milliseconds since the epoch. Returns 0, or -BASE_EINVAL with the message of
 * Java's parser in @why. */
int yarn_java_time_parse(const char *text, int64_t *ms, char *why, size_t why_size);
/* Formats @ms, in the time zone of this host. Returns @out. */
const char *yarn_java_time_format(int64_t ms, char out[static YARN_JAVA_TIME_MAX]);

#endif
