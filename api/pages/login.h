/* api/pages/login.h - the page by which a person's browser begins and ends a session, of either
 * daemon (api/server/session.h):
 *
 *   a page that needs a user --401, a link--> GET /login?to=PAGE --the form--> POST /login
 *                                                                                   |
 *           PAGE <--200, Refresh, the cookie-- the token is valid <--the daemon-----+
 *                                                                                   |
 *                       the form again, 401 <-- it is not <-------------------------+
 *
 *   POST /logout     makes the browser forget the cookie, and that of a Kerberos ticket
 *
 * The answer to a good form is a page that leads on, not a redirection: browsers apply the policy
 * "form-action 'self'" to each redirection after a form, too, and PAGE may well lead to another
 * origin, such as the leader's.
 *
 * A person whom the daemon knows already is led on to PAGE at once. PAGE is a path of this server:
 * anything else counts as "/". A page of another site can neither log a visitor in nor out, since
 * the server refuses its POST. */
#ifndef CREEL_API_PAGES_LOGIN_H
#define CREEL_API_PAGES_LOGIN_H

#include <stdint.h>

#include "api/pages/page.h"

#define API_LOGIN_PATH      "/login"
#define API_LOGOUT_PATH     "/logout"
#define API_LOGIN_BODY_MAX  8192
#define API_LOGIN_TOKEN_MAX 512
#define API_LOGIN_FLAGS     (API_ROUTE_CREEL | API_ROUTE_FORM | API_ROUTE_FOR_ALL)

/* The rows of a table of routes: handlers that answer the page, begin a session, and end it. */
#define API_LOGIN_ROUTES(page, begin, end)                                                         \
    {"GET", API_LOGIN_PATH, API_ROLE_READ, 0, page, API_LOGIN_FLAGS},                              \
        {"POST", API_LOGIN_PATH, API_ROLE_READ, API_LOGIN_BODY_MAX, begin, API_LOGIN_FLAGS},       \
        {"GET", API_LOGOUT_PATH, API_ROLE_READ, 0, page, API_LOGIN_FLAGS},                         \
    {                                                                                              \
        "POST", API_LOGOUT_PATH, API_ROLE_READ, API_LOGIN_BODY_MAX, end, API_LOGIN_FLAGS           \
    }

/* What the form sends; the texts are owned. */
struct api_login {
    char *token, *to;
};
/* Reads the form from the body of @rq. Returns false after answering the request: callers name
 * themselves here, or there is no token. Free @out with api_login_free() in any case. */
bool api_login_read_form_or_answer(struct api_request *rq, const struct api_page_site *site,
                                   struct api_login *out);
void api_login_free(struct api_login *l);
/* Returns true when a browser may be sent to @to after its user has logged in: a path of this
 * server, not the beginning of an address elsewhere. */
bool api_login_target_is_local(const char *to);

/* Answer GET /login and GET /logout; a page that needs a user; the form with a token that is
 * refused; one with a good token, with the text of a session that ends in @seconds; POST
 * /logout. */
void api_login_answer_page(struct api_request *rq, const struct api_page_site *site);
void api_login_answer_login_needed(struct api_request *rq, const struct api_page_site *site);
void api_login_answer_token_refused(struct api_request *rq, const struct api_page_site *site,
                                    const struct api_login *l);
void api_login_begin_session_and_lead_on(struct api_request *rq, const struct api_page_site *site,
                                         const char *session, int64_t seconds,
                                         const struct api_login *l);
void api_login_end_session_and_answer(struct api_request *rq, const struct api_page_site *site);

#endif
