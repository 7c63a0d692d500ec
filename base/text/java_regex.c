#include "base/text/java_regex.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define DEPTH_MAX 20 /* groups within groups */

/* Returns true when regcomp() compiles the pattern with little memory. regcomp() copies a group
 * that "+" repeats, so that each level of repeated groups doubles its memory, and recurses once for
 * each level of groups. Brackets count as well within [], which only refuses more. */
static bool compiles_with_little_memory(const char *pattern)
{
    bool repeats[DEPTH_MAX + 1] = {false}; /* the open group of this depth has a "+" */
    size_t depth = 0;

    if (strlen(pattern) > BASE_JAVA_REGEX_MAX)
        return false;
    for (const char *p = pattern; *p; p++) {
        if (*p == '\\' && p[1]) {
            p++;
        } else if (*p == '(') {
            if (depth == DEPTH_MAX)
                return false;
            repeats[++depth] = false;
        } else if (*p == ')' && depth > 0) {
            bool inner = repeats[depth--];

            if (inner && p[1] == '+')
                return false;
            repeats[depth] = repeats[depth] || inner;
        } else if (*p == '+') {
            if (p > pattern && strchr("+*?", p[-1]) && (p < pattern + 2 || p[-2] != '\\'))
                return false; /* a repetition that is repeated costs as much as a repeated group */
            repeats[depth] = true;
        }
    }
    return true;
}

/* Translates a pattern from Java's syntax to that of POSIX. The caller frees the result; NULL when
 * POSIX has no equivalent. */
static char *translate_java_regex(const char *java)
{
    struct base_buf out = {0};
    bool ok = true;

    for (const char *p = java; *p && ok; p++) {
        bool escaped = *p == '\\' && p[1];
        bool unnumbered = strncmp(p, "(?:", 3) == 0;

        ok = *p != '{' && (unnumbered || !(*p == '(' && p[1] == '?')) &&
             !(escaped && strchr("123456789kQEpPbB", p[1]));
        if (escaped && p[1] == 'd')
            base_buf_adds(&out, "[0-9]");
        else if (escaped && p[1] == 'D')
            base_buf_adds(&out, "[^0-9]");
        else
            base_buf_add(&out, p, escaped ? 2 : 1);
        /* groups are not referred to, so it does not matter that POSIX numbers them */
        p += unnumbered ? 2 : escaped;
    }
    if (ok)
        return base_buf_take(&out);
    base_buf_free(&out);
    return NULL;
}

bool base_java_regex_compile(const char *java, enum base_java_regex_mode mode, regex_t *out)
{
    char *posix = compiles_with_little_memory(java) ? translate_java_regex(java) : NULL;
    char *whole = posix && mode == BASE_REGEX_MATCH ? base_printf("^(%s)$", posix) : NULL;
    bool ok = posix && regcomp(out, whole ? whole : posix, REG_EXTENDED | REG_NOSUB) == 0;

    free(whole);
    free(posix);
    return ok;
}
