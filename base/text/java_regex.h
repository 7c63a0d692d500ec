/* base/text/java_regex.h - regular expressions in Java's syntax, compiled as POSIX's extended ones.
 *
 * What POSIX has no equivalent of is refused: repetition by numbers, groups that begin with "(?"
 * except "(?:", and references to groups, which would also make matching slow. So is a pattern that
 * regcomp() would compile with much memory: patterns come from users. */
#ifndef CREEL_BASE_TEXT_JAVA_REGEX_H
#define CREEL_BASE_TEXT_JAVA_REGEX_H

#include <regex.h>
#include <stdbool.h>

#define BASE_JAVA_REGEX_MAX 1024 /* bytes of a pattern */

enum base_java_regex_mode {
    BASE_REGEX_FIND, /* matches if the pattern is found anywhere in the text */
    BASE_REGEX_MATCH /* matches if the pattern matches the whole text */
};
/* Compiles @java into @out, which the caller frees with regfree(). Returns false, and leaves
 * nothing to free, when the pattern is refused or is none. */
bool base_java_regex_compile(const char *java, enum base_java_regex_mode mode, regex_t *out);

#endif
