/* api/server/access/cookies.h - reads the header Cookie. */
#ifndef CREEL_API_SERVER_ACCESS_COOKIES_H
#define CREEL_API_SERVER_ACCESS_COOKIES_H

#include <stddef.h>

/* Finds the cookie @name in @cookies, the value of the header (NULL: none). Returns the start of
 * its value, without quotes, and sets *@len; NULL when there is none or it is empty. */
const char *api_cookies_find_value(const char *cookies, const char *name, size_t *len);

#endif
