/* api/server/access/principals.h - which user a Kerberos principal stands for, by the rules of
 * hadoop.security.auth_to_local, separated by blanks; the first rule that fits counts:
 *
 *   DEFAULT                                 name@REALM and name/host@REALM are "name" when REALM is
 *                                           the default realm of Kerberos' configuration
 *   RULE:[N:FORMAT](PATTERN)s/FROM/TO/g/L   fits principals of N components when PATTERN matches
 *                                           all of FORMAT, in which $0 is the realm, and $1 and $2
 *                                           are the components. Then FROM is replaced by TO: once,
 *                                           or with "g" everywhere; "L" makes it lower case.
 *                                           Everything after "]" may be left out
 *
 * SOURCE: Hadoop's KerberosName (hadoop-auth). Patterns are POSIX's extended regular expressions
 * in place of Java's: a pattern that would mean something else there is refused. */
#ifndef CREEL_API_SERVER_ACCESS_PRINCIPALS_H
#define CREEL_API_SERVER_ACCESS_PRINCIPALS_H

#include "base/error.h"

struct api_principals;

/* @rules: the value of the key ("": DEFAULT). @realm: the default realm; "": none, DEFAULT then
 * fits no principal. Returns 0, or -BASE_EINVAL naming the rule that is wrong. */
int api_principals_new(const char *rules, const char *realm, struct api_principals **out,
                       struct base_error *err);
void api_principals_free(struct api_principals *p); /* NULL-safe */
/* Returns the user of @principal ("ann@EXAMPLE.ORG"), which the caller frees; NULL when no rule
 * fits, when the rule leaves '/' or '@' in the name, or when principal or name have characters
 * other than ASCII's letters, digits and ._-$/@ (in the principal of the service, too). */
char *api_principals_find_user(const struct api_principals *p, const char *principal);

#endif
