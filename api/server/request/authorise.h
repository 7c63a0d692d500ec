/* api/server/request/authorise.h - finds out who sends a request, and checks that the sender may
 * use its route. */
#ifndef CREEL_API_SERVER_REQUEST_AUTHORISE_H
#define CREEL_API_SERVER_REQUEST_AUTHORISE_H

#include "api/server/request/request.h"

/* Sets the request's caller (user.name, or the static user) and bearer token from its query and
 * headers. */
void api_request_read_identity(struct api_request *rq);
/* Returns true when the caller's name is one that YARN accepts and Creel can store, or there is no
 * caller; otherwise the request has been answered. */
bool api_request_check_user(struct api_request *rq);
/* Returns true when the sender may use the request's route; otherwise the request has been
 * answered. */
bool api_request_authorise(struct api_request *rq);

#endif
