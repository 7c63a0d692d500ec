#include "api/server/access/cors.h"

#include <fnmatch.h>
#include <regex.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define KEY      "hadoop.http.cross-origin."
#define REGEX    "regex:"
#define HOST_MAX 253 /* bytes of the longest name of a host; SOURCE: RFC 1035, 2.3.4 */

struct origin {
    char *text;    /* exact, or with "*" */
    regex_t regex; /* valid if text is NULL */
};
struct api_cors {
    atomic_int refs;
    struct origin *origins;
    size_t n, cap;
    char *methods, *headers, *max_age;
};

/* Returns a copy of the list @value with single commas between its words. */
static char *copy_normalized_list(const char *value)
{
    struct base_buf out = {0};

    for (; value && *value; value += strcspn(value, ",")) {
        size_t n;

        value += strspn(value, ", \t\n");
        n = strcspn(value, ",");
        while (n && strchr(" \t\n", value[n - 1]))
            n--;
        if (!n)
            break;
        base_buf_adds(&out, out.len ? "," : "");
        base_buf_add(&out, value, n);
    }
    return base_buf_take(&out);
}

static int add_origin(struct api_cors *c, const char *text, size_t n, struct base_error *err)
{
    struct origin *o;
    char *pattern;
    int rc = 0;

    base_array_grow(&c->origins, c->n, &c->cap);
    o = &c->origins[c->n];
    memset(o, 0, sizeof *o);
    if (strncmp(text, REGEX, strlen(REGEX)) != 0) {
        o->text = base_strndup(text, n);
        c->n++;
        return 0;
    }
    pattern = base_printf("^(%.*s)$", (int)(n - strlen(REGEX)), text + strlen(REGEX));
    if (regcomp(&o->regex, pattern, REG_EXTENDED | REG_NOSUB) == 0)
        c->n++;
    else
        rc = base_error_set(err, -BASE_EINVAL, KEY "allowed-origins: %.*s is no regular expression",
                            (int)n, text);
    free(pattern);
    return rc;
}

int api_cors_new(const struct base_conf *conf, const char *enabled_key, struct api_cors **out,
                 struct base_error *err)
{
    struct api_cors *c;
    char *origins;
    int rc = 0;

    *out = NULL;
    if (!base_conf_bool(conf, enabled_key))
        return 0;
    c = base_alloc(sizeof *c);
    atomic_init(&c->refs, 1);
    c->methods = copy_normalized_list(base_conf_get(conf, KEY "allowed-methods"));
    c->headers = copy_normalized_list(base_conf_get(conf, KEY "allowed-headers"));
    c->max_age = base_strdup(base_conf_get(conf, KEY "max-age"));
    origins = copy_normalized_list(base_conf_get(conf, KEY "allowed-origins"));
    for (const char *at = origins; *at && rc == 0; at += *at == ',') {
        size_t n = strcspn(at, ",");

        rc = add_origin(c, at, n, err);
        at += n;
    }
    free(origins);
    if (rc < 0) {
        api_cors_unref(c);
        return rc;
    }
    *out = c;
    return 0;
}

struct api_cors *api_cors_ref(struct api_cors *c)
{
    if (c)
        atomic_fetch_add(&c->refs, 1);
    return c;
}

void api_cors_unref(struct api_cors *c)
{
    if (!c || atomic_fetch_sub(&c->refs, 1) != 1)
        return;
    for (size_t i = 0; i < c->n; i++) {
        if (!c->origins[i].text)
            regfree(&c->origins[i].regex);
        free(c->origins[i].text);
    }
    free(c->origins);
    free(c->methods);
    free(c->headers);
    free(c->max_age);
    free(c);
}

static bool origin_matches(const struct origin *o, const char *origin)
{
    if (!o->text)
        return regexec(&o->regex, origin, 0, NULL, 0) == 0;
    return fnmatch(o->text, origin, FNM_NOESCAPE) == 0;
}

/* Returns the start of the last two labels of the host's name, the @n bytes at @host. These labels
 * tell to whom the host belongs. */
static const char *find_registered_part(const char *host, size_t n)
{
    const char *last = memrchr(host, '.', n), *second;

    if (!last)
        return host;
    second = memrchr(host, '.', (size_t)(last - host));
    return second ? second + 1 : host;
}

/* Judges by the entry @o, which matches @origin. The entry trusts the site by name unless it would
 * also match a site of somebody else: one whose host goes on after the end of this one, or has an
 * additional letter in the last two labels. An origin without a host is never trusted by name:
 * browsers send "null" for a sandboxed frame, whoever made the page. */
static enum api_cors_trust judge_trust_by_entry(const struct origin *o, const char *origin)
{
    const char *colons = strstr(origin, "://"), *host = colons ? colons + 3 : origin;
    size_t n = strcspn(host, ":");
    bool fits = false;

    if (!colons || n > HOST_MAX)
        return API_CORS_ANY_SITE;
    if (o->text && !strchr(o->text, '*'))
        return API_CORS_NAMED;
    for (const char *p = find_registered_part(host, n); p <= host + n && !fits; p++) {
        char *other =
            base_printf("%.*s%s%s", (int)(p - origin), origin, p < host + n ? "x" : ".invalid", p);

        fits = origin_matches(o, other);
        free(other);
    }
    return fits ? API_CORS_ANY_SITE : API_CORS_NAMED;
}

enum api_cors_trust api_cors_judge_origin(const struct api_cors *c, const char *origin)
{
    char *copy = base_strdup(origin), *save = NULL;
    enum api_cors_trust best = API_CORS_NONE;

    for (char *one = strtok_r(copy, " ", &save); one; one = strtok_r(NULL, " ", &save))
        for (size_t i = 0; i < c->n && best < API_CORS_NAMED; i++)
            if (origin_matches(&c->origins[i], one))
                best = judge_trust_by_entry(&c->origins[i], one);
    free(copy);
    return best;
}

/* Hadoop compares the names of headers case-sensitively, too. */
static bool list_has(const char *list, const char *word, size_t n)
{
    for (; *list; list += strcspn(list, ","), list += *list == ',')
        if (strcspn(list, ",") == n && strncmp(list, word, n) == 0)
            return true;
    return false;
}

bool api_cors_allows_request(const struct api_cors *c, const char *method, const char *headers)
{
    char *wanted;
    bool ok = true;

    if (method && !list_has(c->methods, method, strlen(method)))
        return false;
    wanted = copy_normalized_list(headers);
    for (const char *at = wanted; *at && ok; at += *at == ',') {
        size_t n = strcspn(at, ",");

        ok = list_has(c->headers, at, n);
        at += n;
    }
    free(wanted);
    return ok;
}

const char *api_cors_get_methods(const struct api_cors *c)
{
    return c->methods;
}

const char *api_cors_get_headers(const struct api_cors *c)
{
    return c->headers;
}

const char *api_cors_get_max_age(const struct api_cors *c)
{
    return c->max_age;
}
