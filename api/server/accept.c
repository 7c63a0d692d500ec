#include "api/server/accept.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct range {
    const char *type; /* not NUL-terminated */
    size_t len;
    int q;         /* 1/1000 */
    int wildcards; /* 0: an exact type, 1: any subtype, 2: any type */
};

static const char *skip_space(const char *s)
{
    while (*s == ' ' || *s == '\t')
        s++;
    return s;
}

static bool is_http_token(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)s[i]) && !strchr("!#$%&'*+-.^_`|~", s[i]))
            return false;
    return n > 0;
}

/* Parses a quality value such as "0.5", ".2" or "1". Returns the value in thousandths, or -1 when
 * the text is not a number from 0 to 1. */
static int parse_quality_thousandths(const char *s, size_t n)
{
    int whole = 0, scale = 100, part = 0;
    size_t i = 0;

    for (; i < n && isdigit((unsigned char)s[i]); i++)
        whole = whole > 1 ? 2 : whole * 10 + (s[i] - '0');
    if (i < n && s[i] == '.')
        for (i++; i < n && isdigit((unsigned char)s[i]); i++, scale /= 10)
            part += (s[i] - '0') * scale;
    if (i != n || n == 0 || whole * 1000 + part > 1000)
        return -1;
    return whole * 1000 + part;
}

/* Parses one media range of @n bytes, such as "text/html;q=0.5". Parameters other than q are
 * ignored. Returns false when the range is malformed. */
static bool parse_range(const char *s, size_t n, struct range *out)
{
    const char *end = s + n, *semicolon = memchr(s, ';', n);
    const char *type_end = semicolon ? semicolon : end;
    const char *slash;

    while (type_end > s && (type_end[-1] == ' ' || type_end[-1] == '\t'))
        type_end--;
    out->type = s;
    out->len = (size_t)(type_end - s);
    out->q = 1000;
    slash = memchr(s, '/', out->len);
    if (out->len == 1 && *s == '*')
        out->wildcards = 2; /* java.net.URLConnection sends "*" */
    else if (!slash || !is_http_token(s, (size_t)(slash - s)) ||
             !is_http_token(slash + 1, (size_t)(type_end - slash - 1)))
        return false;
    else
        out->wildcards = (s[0] == '*') + (slash[1] == '*' && slash + 2 == type_end);
    while (semicolon) {
        const char *name = skip_space(semicolon + 1), *next = NULL;

        if (name < end)
            next = memchr(name, ';', (size_t)(end - name));
        if (end - name >= 2 && (name[0] == 'q' || name[0] == 'Q') && name[1] == '=') {
            const char *stop = next ? next : end;

            while (stop > name && (stop[-1] == ' ' || stop[-1] == '\t'))
                stop--;
            out->q = parse_quality_thousandths(name + 2, (size_t)(stop - name - 2));
            if (out->q < 0)
                return false;
        }
        semicolon = next;
    }
    return true;
}

static bool range_names_type(const struct range *r, const char *type)
{
    return r->len == strlen(type) && strncasecmp(r->type, type, r->len) == 0;
}

/* Returns which of JSON and XML, in this order, the range covers; -1: neither. */
static int match_offered_type(const struct range *r)
{
    if (range_names_type(r, "application/json") || range_names_type(r, "application/*") ||
        r->wildcards == 2)
        return API_ACCEPT_JSON;
    return range_names_type(r, "application/xml") ? API_ACCEPT_XML : -1;
}

enum api_accept api_accept_parse(const char *header, bool *named)
{
    int best = -1, best_q = 0, best_wildcards = 0;
    bool any = false, html = false, text_xml = false;

    *named = false;
    for (const char *s = header ? header : ""; *s;) {
        size_t n;
        struct range r;
        int what;

        s = skip_space(s);
        n = strcspn(s, ",");
        if (n > 0) {
            if (!parse_range(s, n, &r))
                return API_ACCEPT_BAD;
            any = true;
            html = html || range_names_type(&r, "text/html");
            text_xml = text_xml || range_names_type(&r, "text/xml");
            what = match_offered_type(&r);
            /* Prefer a higher q, then the more specific range, then the client's order. */
            if (what >= 0 && r.q > 0 &&
                (best < 0 || r.q > best_q || (r.q == best_q && r.wildcards < best_wildcards))) {
                best = what;
                best_q = r.q;
                best_wildcards = r.wildcards;
                *named = r.wildcards == 0;
            }
        }
        s += n;
        if (*s)
            s++;
    }
    if (best >= 0)
        return (enum api_accept)best;
    if (!any)
        return API_ACCEPT_JSON;
    if (text_xml)
        return API_ACCEPT_TEXT_XML;
    return html ? API_ACCEPT_HTML : API_ACCEPT_OTHER;
}

enum api_content api_content_parse(const char *content_type)
{
    struct range r;

    if (!content_type)
        return API_CONTENT_NONE;
    content_type = skip_space(content_type);
    if (!*content_type)
        return API_CONTENT_NONE;
    /* a list of types is not a type that a resource can read */
    if (strchr(content_type, ',') || !parse_range(content_type, strlen(content_type), &r))
        return API_CONTENT_OTHER;
    if (range_names_type(&r, "application/json"))
        return API_CONTENT_JSON;
    return range_names_type(&r, "application/xml") ? API_CONTENT_XML : API_CONTENT_OTHER;
}
