#include "base/text/java_regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

#define GROUPS_DEPTH_MAX 20    /* groups within groups */
#define STEPS_MAX        20000 /* of a match, from each place in the text where one may begin */
#define MEMORY_MAX_KIB   1024  /* of a match */

#define DIGITS "0123456789"
#define HEX    DIGITS "abcdefABCDEF"
/* The letters that mean the same after a backslash in Java and in PCRE2. */
#define ESCAPES_IN_BRACKETS "tnrfaexpPdDhHsSvVwW"
#define ESCAPES             ESCAPES_IN_BRACKETS "bBAGZzRXkQ"

struct base_java_regex {
    pcre2_code *code;
    pcre2_match_context *limits;
};

/* ---- what Java and PCRE2 have in common ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Returns the length of the escape at @p, a backslash; 0: refused. */
static size_t measure_escape(const char *p, bool in_brackets)
{
    char c = p[1];
    const char *end;

    if (c == '\0')
        return 0;
    if (strchr(DIGITS, c)) /* a reference to a group; with more digits they differ */
        return c == '0' || in_brackets || (p[2] && strchr(DIGITS, p[2])) ? 0 : 2;
    if (c == 'u')
        return strspn(p + 2, HEX) >= 4 ? 6 : 0;
    if (!is_letter(c))
        return 2;
    if (!strchr(in_brackets ? ESCAPES_IN_BRACKETS : ESCAPES, c))
        return 0;
    if (c == 'Q') {
        end = strstr(p, "\\E");
        return end ? (size_t)(end - p) + 2 : strlen(p);
    }
    if (strchr("xpP", c) && p[2] == '{') {
        end = strchr(p, '}');
        return end ? (size_t)(end - p) + 1 : 0;
    }
    return (c == 'x' && strspn(p + 2, HEX) < 2) || (c == 'k' && p[2] != '<') ? 0 : 2;
}

/* @p: an opening parenthesis. */
static bool begins_group_of_java(const char *p)
{
    size_t flags;

    if (p[1] != '?')
        return p[1] != '*';
    p += 2;
    if (*p == '<')
        return p[1] == '=' || p[1] == '!' || is_letter(p[1]);
    flags = strspn(p, "ims-");
    return flags > 0 ? p[flags] == ':' || p[flags] == ')' : *p && strchr(":=!>", *p);
}

/* @p: an opening brace. PCRE2 takes one that begins no repetition for itself, Java refuses it. */
static bool begins_repetition(const char *p)
{
    size_t digits = strspn(p + 1, DIGITS);

    p += 1 + digits;
    if (*p == ',')
        p += 1 + strspn(p + 1, DIGITS);
    return digits > 0 && *p == '}';
}

/* Translates a pattern from Java's syntax to PCRE2's. The caller frees the result; NULL: refused.
 */
static char *translate_java_regex(const char *java)
{
    const char *first = NULL; /* within brackets: where their content begins */
    struct base_buf out = {0};
    bool ok = strlen(java) <= BASE_JAVA_REGEX_MAX;
    size_t len;

    for (const char *p = java; *p && ok; p += len) {
        len = *p == '\\' ? measure_escape(p, first != NULL) : 1;
        ok = len > 0;
        if (*p == '[') {
            ok = !first;
            first = p + 1 + (p[1] == '^');
        } else if (first && *p == ']' && p != first) {
            first = NULL;
        } else if (first && *p == '&') {
            ok = p[1] != '&';
        } else if (!first && *p == '(') {
            ok = begins_group_of_java(p);
        } else if (!first && *p == '{') {
            ok = begins_repetition(p);
        }
        if (*p == '\\' && p[1] == 'u' && ok)
            base_buf_addf(&out, "\\x{%.4s}", p + 2);
        else
            base_buf_add(&out, p, len);
    }
    if (ok)
        return base_buf_take(&out);
    base_buf_free(&out);
    return NULL;
}

/* ---- PCRE2 ---- */

struct base_java_regex *base_java_regex_compile(const char *java, enum base_java_regex_mode mode)
{
    uint32_t options = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C |
                       (mode == BASE_REGEX_MATCH ? PCRE2_ANCHORED | PCRE2_ENDANCHORED : 0);
    char *pattern = translate_java_regex(java);
    struct base_java_regex *regex = NULL;
    pcre2_compile_context *context;
    pcre2_code *code;
    PCRE2_SIZE at;
    int error;

    if (!pattern)
        return NULL;
    context = pcre2_compile_context_create(NULL);
    base_assert(context);
    pcre2_set_parens_nest_limit(context, GROUPS_DEPTH_MAX);
    pcre2_set_newline(context, PCRE2_NEWLINE_ANY);
    code = pcre2_compile((PCRE2_SPTR)pattern, strlen(pattern), options, &error, &at, context);
    if (code) {
        regex = base_alloc(sizeof *regex);
        regex->code = code;
        regex->limits = pcre2_match_context_create(NULL);
        base_assert(regex->limits);
        pcre2_set_match_limit(regex->limits, STEPS_MAX);
        pcre2_set_depth_limit(regex->limits, STEPS_MAX);
        pcre2_set_heap_limit(regex->limits, MEMORY_MAX_KIB);
    }
    pcre2_compile_context_free(context);
    free(pattern);
    return regex;
}

void base_java_regex_free(struct base_java_regex *regex)
{
    if (!regex)
        return;
    pcre2_match_context_free(regex->limits);
    pcre2_code_free(regex->code);
    free(regex);
}

bool base_java_regex_matches(const struct base_java_regex *regex, const char *text)
{
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    int rc;

    base_assert(data);
    /* with room for one pair of positions, 0 says that there are more */
    rc = pcre2_match(regex->code, (PCRE2_SPTR)text, strlen(text), 0, 0, data, regex->limits);
    pcre2_match_data_free(data);
    return rc >= 0;
}
