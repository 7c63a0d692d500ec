/* api/server/request/cookie.h - the cookies by which browsers remember who their users are. A
 * browser sends them, and Kerberos tickets, with every request, whatever page has caused it; so
 * they prove who asks, but not who wants it:
 *
 *                   hadoop.auth and tickets           creel-session (api/server/session.h)
 *   GET             own pages, links, named sites     the same
 *   anything else   own pages, named sites            never
 *
 * Named sites: those that hadoop.http.cross-origin.allowed-origins names, without wildcards. */
#ifndef CREEL_API_SERVER_REQUEST_COOKIE_H
#define CREEL_API_SERVER_REQUEST_COOKIE_H

#include "api/server/access/auth.h"
#include "api/server/request/request.h"

/* Returns false when a script of a page of a site that is neither ours nor named asks: what the
 * browser adds by itself counts for nothing then. */
bool api_request_may_use_cookies(const struct api_request *rq);

/* Checks the cookie hadoop.auth; sets the caller when it is valid. */
enum api_auth_cookie api_request_check_cookie(struct api_request *rq);
/* Adds the cookie that remembers the caller, who is @principal, to the answer. @more: further
 * attributes, such as "; SameSite=Strict". */
void api_request_set_cookie(struct api_request *rq, const char *principal, const char *more);

/* Takes the text of the session in the cookie as the request's token. The request has to be one
 * that reads; otherwise, or without such a cookie, nothing happens. */
void api_request_take_session_from_cookie(struct api_request *rq);

#endif
