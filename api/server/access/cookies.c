#include "api/server/access/cookies.h"

#include <string.h>

const char *api_cookies_find_next_value(const char **cookies, const char *name, size_t *len)
{
    size_t n = strlen(name);

    for (const char *at = *cookies; at && *at;) {
        size_t whole;

        at += strspn(at, " ;,");
        whole = strcspn(at, ";");
        *cookies = at + whole;
        if (whole > n && strncmp(at, name, n) == 0 && at[n] == '=') {
            at += n + 1;
            whole -= n + 1;
            while (whole && at[whole - 1] == ' ')
                whole--;
            if (whole >= 2 && at[0] == '"' && at[whole - 1] == '"') {
                at++;
                whole -= 2;
            }
            *len = whole;
            if (whole)
                return at;
        }
        at = *cookies;
    }
    return NULL;
}

const char *api_cookies_find_value(const char *cookies, const char *name, size_t *len)
{
    return api_cookies_find_next_value(&cookies, name, len);
}
