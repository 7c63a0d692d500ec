/* api/server/request/head.h - handles the head of a request: its line and headers. */
#ifndef CREEL_API_SERVER_REQUEST_HEAD_H
#define CREEL_API_SERVER_REQUEST_HEAD_H

#include "api/server/request/request.h"

/* Checks host and target, finds the route, checks the signature, the caller's right to use the
 * route and the limits of rate, asks the gate, and checks the headers of the body. A request that
 * must not go on is answered here; the rest of its body will be dropped. */
void api_request_handle_head(struct api_request *rq, const char *method);

#endif
