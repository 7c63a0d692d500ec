/* api/server/request/negotiate.h - callers who prove by a Kerberos ticket who they are
 * (API_AUTH_SPNEGO): "Authorization: Negotiate <token>". The answer has a cookie that is good in
 * place of the ticket until it expires, and the service's own token. SOURCE: RFC 4559. */
#ifndef CREEL_API_SERVER_REQUEST_NEGOTIATE_H
#define CREEL_API_SERVER_REQUEST_NEGOTIATE_H

#include "api/server/request/request.h"

/* Sets the caller from the cookie, or else from the ticket; the request may have neither. Returns
 * false when the request has been answered: 401 to a ticket that is not valid, 403 when it is
 * nobody's. */
bool api_request_identify_by_ticket(struct api_request *rq);

#endif
