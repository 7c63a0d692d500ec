#include "api/server/request/cookie.h"

#include <stdlib.h>
#include <string.h>

#include "api/server/access/cookies.h"
#include "api/server/request/origin.h"
#include "api/server/server_internal.h"
#include "api/server/session.h"
#include "base/clock.h"

bool api_request_may_use_cookies(const struct api_request *rq)
{
    const char *origin = api_header(rq, "Origin");

    return !origin || api_origin_is_own_or_named(rq, origin);
}

static int64_t get_wall_ms(void)
{
    return base_wall_us(&base_clock_real) / 1000;
}

enum api_auth_cookie api_request_check_cookie(struct api_request *rq)
{
    return api_auth_check_cookie(rq->server->auth, api_header(rq, "Cookie"), get_wall_ms(),
                                 &rq->caller);
}

void api_request_set_cookie(struct api_request *rq, const char *principal, const char *more)
{
    struct base_buf value = {0};

    api_auth_add_cookie(rq->server->auth, rq->caller, principal, get_wall_ms(), &value);
    base_buf_adds(&value, more);
    if (rq->server->tls) /* as Hadoop's AuthenticationFilter does: the cookie is for TLS only */
        base_buf_adds(&value, "; Secure");
    api_add_header(rq, "Set-Cookie", value.data);
    base_buf_free(&value);
}

static bool is_read_by_get(const struct api_request *rq)
{
    return rq->route && rq->route->role == API_ROLE_READ && strcmp(rq->route->method, "GET") == 0;
}

void api_request_take_session_from_cookie(struct api_request *rq)
{
    size_t len;
    const char *value = api_cookies_find_value(api_header(rq, "Cookie"), API_SESSION_COOKIE, &len);

    base_assert(!rq->bearer);
    if (!value || !is_read_by_get(rq) || !api_request_may_use_cookies(rq) ||
        len >= API_SESSION_TEXT_MAX)
        return;
    rq->bearer = base_strndup(value, len);
    rq->in_session = api_is_session_text(rq->bearer);
    if (rq->in_session)
        return;
    free(rq->bearer);
    rq->bearer = NULL;
}
