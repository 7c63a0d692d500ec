#include "api/server/access/principals.h"

#include <ctype.h>
#include <regex.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"

#define KEY       "hadoop.security.auth_to_local"
#define RULES_MAX 256
#define BLANKS    " \t\r\n"

struct rule {
    bool is_default;
    unsigned components; /* 1 or 2 */
    char *format;
    bool has_pattern, has_from, everywhere, lower;
    regex_t pattern, from;
    char *to;
};
struct api_principals {
    char *realm;
    struct rule *rules;
    size_t n, cap;
};

/* A principal's parts: the realm, then the components. NULL: absent. */
enum { REALM, SERVICE, HOST, PARTS };
struct principal {
    char *parts[PARTS];
};

/* ---- reading rules ---- */

static void free_rule(struct rule *r)
{
    if (r->has_pattern)
        regfree(&r->pattern);
    if (r->has_from)
        regfree(&r->from);
    free(r->format);
    free(r->to);
}

static int report_bad_rule(const char *rule, const char *why, struct base_error *err)
{
    return base_error_set(err, -BASE_EINVAL, KEY ": \"%.*s\": %s", (int)strcspn(rule, "\r\n"), rule,
                          why);
}

/* Returns the end of the bracket expression at @at; NULL when POSIX and Java read it differently:
 * it has a backslash, which POSIX takes for itself, or a bracket or an intersection ([a-z&&[^b]]),
 * or it does not end. */
static const char *skip_bracket(const char *at)
{
    at++;
    if (*at == '^')
        at++;
    do
        if (!*at || *at == '\\' || *at == '[' || (at[0] == '&' && at[1] == '&'))
            return NULL;
    while (*++at != ']');
    return at;
}

/* Returns true when POSIX reads the pattern as Java does: no escaped letters or digits (\d, \1), no
 * escapes of GNU (\<, \'), no quantifiers that are lazy or possessive (*?, ++), nothing odd between
 * brackets, and, unless a @whole text has to match, no choice, of which POSIX takes the longest
 * and Java the first. */
static bool reads_alike_in_posix_and_java(const char *pattern, bool whole)
{
    bool after_quantifier = false;

    for (const char *at = pattern; *at; at++) {
        if (*at == '\\') {
            at++;
            if (!*at || isalnum((unsigned char)*at) || strchr("<>`'", *at))
                return false;
            after_quantifier = false;
            continue;
        }
        if ((after_quantifier && strchr("*+?", *at)) || (*at == '|' && !whole) ||
            (*at == '[' && !(at = skip_bracket(at))))
            return false;
        after_quantifier = strchr("*+?}", *at);
    }
    return true;
}

/* Compiles @len bytes of @text; with @whole the pattern has to match a whole text. */
static bool compile_pattern(const char *text, size_t len, bool whole, regex_t *out)
{
    char *pattern = base_printf(whole ? "^(%.*s)$" : "%.*s", (int)len, text);
    char *bare = base_strndup(text, len);
    bool ok = reads_alike_in_posix_and_java(bare, whole) &&
              regcomp(out, pattern, REG_EXTENDED | (whole ? REG_NOSUB : 0)) == 0;

    free(bare);
    free(pattern);
    return ok;
}

/* Returns true when every $N of the format is a part that the principals have. */
static bool has_only_known_parts(const struct rule *r)
{
    for (const char *at = strchr(r->format, '$'); at; at = strchr(at + 1, '$'))
        if (!isdigit((unsigned char)at[1]) || (unsigned)(at[1] - '0') > r->components ||
            isdigit((unsigned char)at[2]))
            return false;
    return true;
}

/* Reads "[N:FORMAT]". Returns the rest, or NULL. */
static const char *read_format(const char *at, struct rule *r)
{
    const char *end = strchr(at, ']');

    if (at[0] != '[' || (at[1] != '1' && at[1] != '2') || at[2] != ':' || !end)
        return NULL;
    r->components = (unsigned)(at[1] - '0');
    r->format = base_strndup(at + 3, (size_t)(end - at) - 3);
    return has_only_known_parts(r) ? end + 1 : NULL;
}

/* Reads "(PATTERN)", if it is there. Returns the rest, or NULL. */
static const char *read_pattern(const char *at, struct rule *r)
{
    const char *end = strchr(at, ')');

    if (*at != '(')
        return at;
    r->has_pattern = end && compile_pattern(at + 1, (size_t)(end - at) - 1, true, &r->pattern);
    return r->has_pattern ? end + 1 : NULL;
}

/* Reads "s/FROM/TO/g", if it is there. Returns the rest, or NULL. */
static const char *read_replacement(const char *at, struct rule *r)
{
    const char *from = at + 2, *to, *end;

    if (*at != 's')
        return at;
    if (at[1] != '/' || !(to = strchr(from, '/')) || !(end = strchr(to + 1, '/')))
        return NULL;
    r->to = base_strndup(to + 1, (size_t)(end - to) - 1);
    if (to == from || strpbrk(r->to, "$\\")) /* references to groups */
        return NULL;
    r->has_from = compile_pattern(from, (size_t)(to - from), false, &r->from);
    r->everywhere = end[1] == 'g';
    return r->has_from ? end + 1 + r->everywhere : NULL;
}

/* Reads the rule at @at. Returns the text after it; NULL when the rule is wrong. */
static const char *read_rule(const char *at, struct rule *r)
{
    if (strncmp(at, "DEFAULT", 7) == 0) {
        r->is_default = true;
        at += 7;
    } else if (strncmp(at, "RULE:", 5) == 0) {
        at = read_format(at + 5, r);
        at = at ? read_pattern(at, r) : NULL;
        at = at ? read_replacement(at, r) : NULL;
    } else {
        return NULL;
    }
    if (at && *at == '/')
        at++;
    r->lower = at && *at == 'L';
    return at ? at + r->lower : NULL;
}

static int read_rules(struct api_principals *p, const char *text, struct base_error *err)
{
    text += strspn(text, BLANKS);
    while (*text) {
        struct rule r = {0};
        const char *rest = read_rule(text, &r);

        if (!rest || (*rest && !strchr(BLANKS, *rest)) || p->n == RULES_MAX) {
            free_rule(&r);
            return report_bad_rule(
                text,
                "expected DEFAULT or RULE:[1 or 2:format](pattern)s/from/to/g/L, with "
                "patterns that POSIX and Java read alike, without \\d and the like",
                err);
        }
        base_array_grow(&p->rules, p->n, &p->cap);
        p->rules[p->n++] = r;
        text = rest + strspn(rest, BLANKS);
    }
    return 0;
}

int api_principals_new(const char *rules, const char *realm, struct api_principals **out,
                       struct base_error *err)
{
    struct api_principals *p = base_alloc(sizeof *p);
    int rc;

    p->realm = base_strdup(realm);
    rc = read_rules(p, rules[strspn(rules, BLANKS)] ? rules : "DEFAULT", err);
    if (rc < 0) {
        api_principals_free(p);
        return rc;
    }
    *out = p;
    return 0;
}

void api_principals_free(struct api_principals *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->n; i++)
        free_rule(&p->rules[i]);
    free(p->rules);
    free(p->realm);
    free(p);
}

/* ---- applying rules ---- */

/* Names become members of a signed cookie and of log lines: only characters that mean nothing
 * there. */
static bool is_plain_name(const char *text)
{
    for (const char *at = text; *at; at++)
        if (!isascii((unsigned char)*at) ||
            (!isalnum((unsigned char)*at) && !strchr("._-$/@", *at)))
            return false;
    return *text != '\0' && strlen(text) <= BASE_NAME_MAX;
}

static char *copy_part_or_null(const char *from, size_t len)
{
    return len ? base_strndup(from, len) : NULL;
}

/* Splits service[/host]@realm. Returns false when the principal has another form. */
static bool split_principal(const char *text, struct principal *out)
{
    size_t service = strcspn(text, "/@");
    const char *host = text[service] == '/' ? text + service + 1 : NULL;
    const char *at = strchr(text, '@');
    bool ok = at && is_plain_name(text) && !strpbrk(at + 1, "/@") &&
              (!host || (at > host && !memchr(host, '/', (size_t)(at - host))));

    *out = (struct principal){0};
    if (!ok)
        return false;
    out->parts[SERVICE] = copy_part_or_null(text, service);
    out->parts[HOST] = host ? copy_part_or_null(host, (size_t)(at - host)) : NULL;
    out->parts[REALM] = copy_part_or_null(at + 1, strlen(at + 1));
    return out->parts[SERVICE] && out->parts[REALM];
}

static void add_format(const struct rule *r, const struct principal *p, struct base_buf *out)
{
    for (const char *at = r->format; *at; at++) {
        if (*at == '$')
            base_buf_adds(out, p->parts[*++at - '0']);
        else
            base_buf_add(out, at, 1);
    }
}

/* Appends @text with what the rule replaces. An empty match ends it, so that every turn of the loop
 * takes at least one byte. */
static void add_replaced(const struct rule *r, const char *text, struct base_buf *out)
{
    regmatch_t m;
    bool more = true;

    for (int flags = 0; more && regexec(&r->from, text, 1, &m, flags) == 0 && m.rm_eo > m.rm_so;
         flags = REG_NOTBOL) {
        base_buf_add(out, text, (size_t)m.rm_so);
        base_buf_adds(out, r->to);
        text += m.rm_eo;
        more = r->everywhere;
    }
    base_buf_adds(out, text);
}

/* Appends the name that the rule makes. Returns false, with nothing appended, when the rule does
 * not fit. */
static bool append_name_by_rule(const struct api_principals *all, const struct rule *r,
                                const struct principal *p, struct base_buf *out)
{
    struct base_buf text = {0};
    bool fits;

    if (r->is_default) {
        fits = strcmp(p->parts[REALM], all->realm) == 0;
        if (fits)
            base_buf_adds(out, p->parts[SERVICE]);
    } else {
        fits = r->components == (p->parts[HOST] ? 2u : 1u);
        if (fits)
            add_format(r, p, &text);
        fits = fits && text.len &&
               (!r->has_pattern || regexec(&r->pattern, text.data, 0, NULL, 0) == 0);
        if (fits && r->has_from)
            add_replaced(r, text.data, out);
        else if (fits)
            base_buf_adds(out, text.data);
        base_buf_free(&text);
    }
    for (size_t i = 0; r->lower && i < out->len; i++)
        out->data[i] = (char)tolower((unsigned char)out->data[i]);
    return fits;
}

static char *find_user_by_rules(const struct api_principals *p, const struct principal *principal)
{
    struct base_buf name = {0};
    bool fits = false;

    for (size_t i = 0; i < p->n && !fits; i++)
        fits = append_name_by_rule(p, &p->rules[i], principal, &name);
    if (fits && name.len && is_plain_name(name.data) && !strpbrk(name.data, "/@"))
        return base_buf_take(&name);
    base_buf_free(&name);
    return NULL;
}

char *api_principals_find_user(const struct api_principals *p, const char *text)
{
    struct principal principal;
    char *user = split_principal(text, &principal) ? find_user_by_rules(p, &principal) : NULL;

    for (int i = 0; i < PARTS; i++)
        free(principal.parts[i]);
    return user;
}
