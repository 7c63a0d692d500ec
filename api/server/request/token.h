/* api/server/request/token.h - callers who prove by a bearer token who they are, or by a session
 * that they have begun with one (api/server/session.h), unless callers name themselves
 * (API_AUTH_SIMPLE).
 *
 *   head --check_token--> valid     named, a user
 *                    \--> refused   401; a session: like no token
 *                     \-> unknown   gate --prepare--> settled: a user, or 401
 *                                                \--> still unknown: like no token
 *
 * What needs a user: every change, every route marked API_ROUTE_PRIVATE, and away from loopback
 * addresses every route but those marked API_ROUTE_FOR_ALL. Requests signed by the cluster's own
 * daemons need none if the server trusts daemons (api_server_conf); otherwise they need none to
 * read, except on private routes. user.name is ignored. */
#ifndef CREEL_API_SERVER_REQUEST_TOKEN_H
#define CREEL_API_SERVER_REQUEST_TOKEN_H

#include "api/server/request/request.h"

/* Sets the caller from the bearer token, or else from the session. Returns false when the request
 * has been answered: with 401, since the token is refused, or because the user may not act as
 * another (doAs). */
bool api_request_identify_by_token(struct api_request *rq);
/* Returns false, after answering 401, when the matched route needs a user and the request has none;
 * true while the user may still be found. */
bool api_request_check_needed_user(struct api_request *rq);
/* The same once nobody looks for the user any more; also refuses a token that was found to be
 * wrong. */
bool api_request_check_settled_user(struct api_request *rq);

#endif
