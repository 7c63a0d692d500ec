/* api/server/request/body.h - reads the body of a request, and charges its memory to the budget. */
#ifndef CREEL_API_SERVER_REQUEST_BODY_H
#define CREEL_API_SERVER_REQUEST_BODY_H

#include "api/server/request/request.h"

/* Most bytes of an unwanted body that are read and dropped, so that the client gets its error over
 * a connection that stays usable. */
#define API_DRAIN_MAX (64 << 20)

/* Checks the body's type, encoding and length, as far as the headers show them, against the route.
 * Returns true when the body may be read (or dropped, where the route takes none); otherwise the
 * request has been answered. */
bool api_request_check_body_headers(struct api_request *rq);
/* Adds @len bytes of the body as sent. A body that breaks a limit is answered with an error and
 * dropped from here on. Returns false when the connection has to be closed: more than API_DRAIN_MAX
 * bytes were dropped. */
bool api_request_add_body_piece(struct api_request *rq, const char *data, size_t len);
/* Call after the last piece. Returns true when the body is complete; otherwise the request has been
 * answered. */
bool api_request_check_body_complete(struct api_request *rq);

#endif
