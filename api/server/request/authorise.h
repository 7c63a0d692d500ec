/* api/server/request/authorise.h - finds out who sends a request, and checks that the sender may
 * use its route. */
#ifndef CREEL_API_SERVER_REQUEST_AUTHORISE_H
#define CREEL_API_SERVER_REQUEST_AUTHORISE_H

#include "api/server/request/request.h"

/* Finds out who the caller is: by the bearer token with API_AUTH_TOKEN, otherwise by the cookie or
 * user.name; and for whom the caller acts (doAs). Returns false after answering the request: the
 * token is refused, YARN does not accept the name or Creel cannot store it, a required name is
 * missing, or the caller may not act as another user. Nodes, masters and tasks are known by a
 * signature or a bearer token instead, whatever name they give. */
bool api_request_identify(struct api_request *rq);
/* Handles doAs for a caller with a name. Returns false when the request has been answered. */
bool api_request_apply_do_as(struct api_request *rq);
/* Adds the headers that let a page of an allowed site read the answer. */
void api_request_add_cors_headers(struct api_request *rq);
/* Returns true when the sender may use the request's route; otherwise the request has been
 * answered. */
bool api_request_authorise(struct api_request *rq);

#endif
