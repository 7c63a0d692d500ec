/* api/admin/bean_name.h - names of beans, "domain:key=value,key=value", and patterns of names.
 * SOURCE: javax.management.ObjectName, as Hadoop's JMXJsonServlet uses it. Pure. */
#ifndef CREEL_API_ADMIN_BEAN_NAME_H
#define CREEL_API_ADMIN_BEAN_NAME_H

#include <stdbool.h>

/* Returns true for a name, or a pattern: "*" and "?" in the domain and in values, and a property
 * "*" for any further properties. */
bool api_bean_name_is_valid(const char *text);
/* Returns true when the valid @pattern matches the name that consists of @prefix and @tail. The
 * order of properties does not matter. */
bool api_bean_name_matches(const char *pattern, const char *prefix, const char *tail);
/* Returns false when no name that begins with @prefix and @kind can match: a cheap test, made
 * before the beans of a kind are listed. */
bool api_bean_kind_may_match(const char *pattern, const char *prefix, const char *kind);

#endif
