#include "api/admin/bean_name.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

bool api_bean_name_is_valid(const char *text)
{
    const char *at = strchr(text, ':');

    if (!at || !at[1])
        return false;
    for (at++; *at;) {
        size_t n = strcspn(at, ",");
        const char *equals = memchr(at, '=', n);

        if (!(n == 1 && *at == '*') && (!equals || equals == at))
            return false;
        at += n;
        if (*at == ',' && !*++at)
            return false; /* nothing follows the comma */
    }
    return true;
}

/* Matches "*" and "?" alone: other characters that fnmatch() treats specially stand for themselves
 * in names. */
static bool text_matches(const char *pattern, const char *text)
{
    const char *star = NULL, *from = NULL;

    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            from = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++from;
        } else {
            return false;
        }
    }
    pattern += strspn(pattern, "*");
    return !*pattern;
}

/* Returns true when every property of @pattern is found in @name, and @name has no others unless
 * "*" is a property of @pattern. Cuts @pattern into pieces. */
static bool properties_match(char *pattern, const char *name)
{
    char *save = NULL;
    size_t wanted = 0, there = 1;
    bool more = false, ok = true;

    for (const char *c = name; *c; c++)
        there += *c == ',';
    for (char *p = strtok_r(pattern, ",", &save); p && ok; p = strtok_r(NULL, ",", &save)) {
        char *names = base_strdup(name), *save_too = NULL;
        bool any = strcmp(p, "*") == 0, found = any;

        more = more || any;
        wanted += !any;
        for (char *one = strtok_r(names, ",", &save_too); one && !found;
             one = strtok_r(NULL, ",", &save_too))
            found = text_matches(p, one);
        ok = found;
        free(names);
    }
    return ok && (more || wanted == there);
}

bool api_bean_name_matches(const char *pattern, const char *prefix, const char *tail)
{
    const char *colon = strchr(pattern, ':'), *own = strchr(prefix, ':');
    char *domain, *own_domain, *properties;
    struct base_buf name = {0};
    bool ok;

    if (strncmp(pattern, prefix, strlen(prefix)) == 0 &&
        strcmp(pattern + strlen(prefix), tail) == 0)
        return true; /* the usual query, a name without wildcards */
    domain = base_strndup(pattern, (size_t)(colon - pattern));
    own_domain = base_strndup(prefix, (size_t)(own - prefix));
    properties = base_strdup(colon + 1);
    base_buf_adds(&name, own + 1);
    base_buf_adds(&name, tail);
    ok = text_matches(domain, own_domain) && properties_match(properties, name.data);
    base_buf_free(&name);
    free(properties);
    free(own_domain);
    free(domain);
    return ok;
}

bool api_bean_kind_may_match(const char *pattern, const char *prefix, const char *kind)
{
    /* the last property of the prefix names the kind: "name=" or "type=" */
    const char *key = prefix + strlen(prefix) - strlen("name=");
    const char *colon = strchr(pattern, ':'), *properties = colon ? colon + 1 : "", *at;

    for (at = properties; *at; at += strcspn(at, ","), at += *at == ',') {
        size_t n = strlen("name=");

        if (strncmp(at, key, n) != 0)
            continue;
        at += n;
        for (size_t i = 0; kind[i]; i++) {
            if (at[i] == '*' || at[i] == '?')
                return true;
            if (at[i] != kind[i])
                return false;
        }
        return true;
    }
    /* without wildcards a pattern names all properties of a bean: one with this key is missing */
    return strpbrk(properties, "*?") != NULL;
}
