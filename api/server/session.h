/* api/server/session.h - sessions of browsers: a person gives a token once, on the page /login, and
 * the browser then shows this cookie:
 *
 *   creel-session=session-<id of the token>.<expiry, s since 1970>.<64 hex digits>
 *
 * The ResourceManager makes and checks the text (rm/http/access/session.h); here it is a token that
 * comes by another way. Texts of sessions are no tokens: as a bearer token one is refused, and a
 * token in the cookie is ignored. What a session is good for: api/server/request/cookie.h. */
#ifndef CREEL_API_SERVER_SESSION_H
#define CREEL_API_SERVER_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "api/server/server.h"

#define API_SESSION_COOKIE "creel-session"
#define API_SESSION_PREFIX "session-"

enum { API_SESSION_TEXT_MAX = 160 };

/* Returns true when the server knows sessions: callers do not name themselves. */
bool api_session_is_offered(const struct api_request *rq);
/* Returns true when the server knows people by Kerberos tickets, too, which last in the browser. */
bool api_session_takes_tickets(const struct api_request *rq);
/* Returns true when @text has the form of a session's rather than of a token. */
bool api_is_session_text(const char *text);
/* Adds the cookie with @text to the answer, for @seconds. */
void api_session_set_cookie(struct api_request *rq, const char *text, int64_t seconds);
/* Makes the browser forget the cookie, whose session is not valid; it would show it for hours. */
void api_session_clear_refused_cookie(struct api_request *rq);
/* Makes the browser forget the cookie, and the one that a Kerberos ticket has earned. */
void api_session_clear_cookies(struct api_request *rq);

#endif
