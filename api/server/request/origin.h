/* api/server/request/origin.h - checks which host a request was sent to, and whether a page of
 * another site made a browser send it. SOURCE: W3C Fetch Metadata Request Headers (Sec-Fetch-Site);
 * RFC 6454 (Origin). */
#ifndef CREEL_API_SERVER_REQUEST_ORIGIN_H
#define CREEL_API_SERVER_REQUEST_ORIGIN_H

#include "api/server/request/request.h"

/* Returns true when the request has exactly one Host header whose host is any IP address or one of
 * the server's names, and so is the host of an absolute target if there is one; otherwise the
 * request has been answered (400, 421). */
bool api_origin_check_host(struct api_request *rq);
/* Returns true when a browser's headers show that a page of another site made it send the request,
 * unless the cross-origin settings allow that site. Other clients send neither Sec-Fetch-Site nor
 * Origin, and are never foreign. */
bool api_origin_is_foreign(const struct api_request *rq);

#endif
