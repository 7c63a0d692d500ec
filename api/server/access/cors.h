/* api/server/access/cors.h - decides which pages of other sites may read answers:
 * hadoop.http.cross-origin.*. SOURCE: Hadoop's CrossOriginFilter, and YARN 3.4.2 as recorded in
 * tests/interop/yarn. */
#ifndef CREEL_API_SERVER_ACCESS_CORS_H
#define CREEL_API_SERVER_ACCESS_CORS_H

#include <stdbool.h>

#include "base/conf/conf.h"

struct api_cors;

/* @enabled_key: the daemon's own switch. Sets *@out to NULL when it is off. Returns 0, or
 * -BASE_EINVAL for a regular expression that cannot be read. */
int api_cors_new(const struct base_conf *conf, const char *enabled_key, struct api_cors **out,
                 struct base_error *err);
struct api_cors *api_cors_ref(struct api_cors *c); /* NULL-safe; returns @c */
void api_cors_unref(struct api_cors *c);           /* NULL-safe; the last reference frees it */
/* Levels of trust, each allowing more: nothing; reading answers, and requests for which browsers
 * ask in advance; and requests that browsers send without asking. An entry that also matches sites
 * of others ("*", "*example.com") does not make a site trusted by name. */
enum api_cors_trust { API_CORS_NONE, API_CORS_ANY_SITE, API_CORS_NAMED };
/* Returns the highest trust among the origins in @origin, the header's value. */
enum api_cors_trust api_cors_judge_origin(const struct api_cors *c, const char *origin);
/* Returns true when the method and the headers, as a browser asks for them in advance, are allowed
 * (NULL: not requested). */
bool api_cors_allows_request(const struct api_cors *c, const char *method, const char *headers);
/* Return the values of Access-Control-Allow-Methods, -Allow-Headers and -Max-Age. */
const char *api_cors_get_methods(const struct api_cors *c);
const char *api_cors_get_headers(const struct api_cors *c);
const char *api_cors_get_max_age(const struct api_cors *c);

#endif
