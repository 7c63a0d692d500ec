/* base/text/java_regex.h - regular expressions in Java's syntax, which PCRE2 shares but for
 * details.
 *
 * Refused is what PCRE2 lacks or understands differently: intersections and unions within brackets
 * ("[a&&[b]]"), Java's own names after \p, octal numbers, the flags d, u, U and x; and what PCRE2
 * has beyond Java, such as verbs, callouts and recursion. Case is ignored beyond ASCII, too.
 *
 * Patterns come from users, so a match is bounded in steps and memory. One that would take more
 * counts as none, as does a text that is not UTF-8.
 *
 * SOURCE: the documentation of java.util.regex.Pattern; pcre2pattern(3), pcre2api(3). */
#ifndef CREEL_BASE_TEXT_JAVA_REGEX_H
#define CREEL_BASE_TEXT_JAVA_REGEX_H

#include <stdbool.h>

#define BASE_JAVA_REGEX_MAX 1024 /* bytes of a pattern */

enum base_java_regex_mode {
    BASE_REGEX_FIND, /* matches if the pattern is found anywhere in the text */
    BASE_REGEX_MATCH /* matches if the pattern matches the whole text */
};

struct base_java_regex; /* a pattern, compiled; threads may share it */
/* Compiles @java. Returns NULL when the pattern is refused or is none. The caller frees the result
 * with base_java_regex_free(). */
struct base_java_regex *base_java_regex_compile(const char *java, enum base_java_regex_mode mode);
/* @regex: may be NULL. */
void base_java_regex_free(struct base_java_regex *regex);
bool base_java_regex_matches(const struct base_java_regex *regex, const char *text);

#endif
