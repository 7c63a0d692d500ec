#include "api/server/session.h"

#include <string.h>

#include "api/server/access/auth.h"
#include "api/server/server_internal.h"

bool api_session_is_offered(const struct api_request *rq)
{
    return api_server_of(rq)->method != API_AUTH_SIMPLE;
}

bool api_session_takes_tickets(const struct api_request *rq)
{
    return api_server_of(rq)->method == API_AUTH_SPNEGO;
}

bool api_is_session_text(const char *text)
{
    return strncmp(text, API_SESSION_PREFIX, sizeof API_SESSION_PREFIX - 1) == 0;
}

static void add_cookie(struct api_request *rq, const char *name, const char *text, int64_t seconds)
{
    const struct api_server *s = api_server_of(rq);
    const char *domain = s->auth ? api_auth_get_cookie_domain(s->auth) : NULL;
    struct base_buf value = {0};

    base_buf_addf(&value, "%s=%s; Path=/; Max-Age=%lld; HttpOnly; SameSite=Strict", name, text,
                  (long long)seconds);
    if (domain)
        base_buf_addf(&value, "; Domain=%s", domain);
    if (s->tls)
        base_buf_adds(&value, "; Secure");
    api_add_header(rq, "Set-Cookie", value.data);
    base_buf_free(&value);
}

void api_session_set_cookie(struct api_request *rq, const char *text, int64_t seconds)
{
    add_cookie(rq, API_SESSION_COOKIE, text, seconds);
}

void api_session_clear_refused_cookie(struct api_request *rq)
{
    add_cookie(rq, API_SESSION_COOKIE, "", 0);
}

void api_session_clear_cookies(struct api_request *rq)
{
    add_cookie(rq, API_SESSION_COOKIE, "", 0);
    /* comes after the cookie that a ticket in this same request has earned, so that the deletion
     * prevails */
    if (api_session_takes_tickets(rq))
        add_cookie(rq, API_AUTH_COOKIE, "", 0);
}
