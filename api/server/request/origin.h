/* api/server/request/origin.h - checks which host a request was sent to, and whether a page of
 * another site made a browser send it. SOURCE: W3C Fetch Metadata Request Headers (Sec-Fetch-Site);
 * RFC 6454 (Origin). */
#ifndef CREEL_API_SERVER_REQUEST_ORIGIN_H
#define CREEL_API_SERVER_REQUEST_ORIGIN_H

#include "api/server/request/request.h"

/* Returns true when the request has exactly one Host header whose host is any IP address or one of
 * the server's names, and the same holds for the host of an absolute target, if any; otherwise
 * answers the request (400, 421). */
bool api_origin_check_host(struct api_request *rq);
/* Returns true when the page at @origin is one of this server's, under any of its names, or of a
 * site that cross-origin settings name. */
bool api_origin_is_own_or_named(const struct api_request *rq, const char *origin);
/* api_is_from_other_site() is in api/server/server.h. Clients other than browsers send neither
 * Sec-Fetch-Site nor Origin, and are never foreign. */

#endif
