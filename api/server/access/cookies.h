/* api/server/access/cookies.h - reads the header Cookie. */
#ifndef CREEL_API_SERVER_ACCESS_COOKIES_H
#define CREEL_API_SERVER_ACCESS_COOKIES_H

#include <stddef.h>

/* Finds the first cookie @name that is not empty in @cookies, the value of the header (NULL: none).
 * Returns the start of its value, without quotes, and sets *@len; NULL when there is none. */
const char *api_cookies_find_value(const char *cookies, const char *name, size_t *len);
/* The same, and moves *@cookies behind it: a browser sends several cookies of one name that were
 * set for different paths or domains. */
const char *api_cookies_find_next_value(const char **cookies, const char *name, size_t *len);

#endif
