#include "api/server/request/token.h"

#include <stdlib.h>
#include <string.h>

#include "api/server/answer/error.h"
#include "api/server/request/authorise.h"
#include "api/server/request/cookie.h"
#include "api/server/server_internal.h"
#include "api/server/session.h"

/* The same answer whatever is wrong: why a token is refused is in the daemon's log alone. */
static void answer_token_refused(struct api_request *rq)
{
    if (!api_header(rq, "Authorization")) { /* the log token of a link: people may log in instead */
        api_error_answer_proof_needed(rq, "The token is not valid");
        return;
    }
    api_add_header(rq, "WWW-Authenticate", "Bearer error=\"invalid_token\"");
    api_answer_error(rq, 401, "AuthorizationException", "The token is not valid");
}

bool api_request_identify_by_token(struct api_request *rq)
{
    struct api_server *s = rq->server;
    enum api_token answer = API_TOKEN_UNKNOWN;
    char *name = NULL;

    if (!rq->bearer)
        api_request_take_session_from_cookie(rq);
    else if (api_is_session_text(rq->bearer))
        answer = API_TOKEN_REFUSED;
    if (rq->bearer && answer == API_TOKEN_UNKNOWN && s->check_token)
        answer = s->check_token(rq, rq->bearer, s->user, &name);
    if (answer == API_TOKEN_REFUSED && !rq->in_session) {
        answer_token_refused(rq);
        return false;
    }
    if (answer == API_TOKEN_REFUSED)
        api_session_clear_refused_cookie(rq);
    rq->named = answer == API_TOKEN_VALID;
    rq->unsettled = rq->bearer && answer == API_TOKEN_UNKNOWN;
    rq->caller = rq->named ? name : base_strdup(s->static_user);
    return !rq->named || api_request_apply_do_as(rq);
}

static bool needs_user_token(const struct api_request *rq)
{
    const struct api_route *route = rq->route;

    if (rq->server->method == API_AUTH_SIMPLE || rq->named || (route->flags & API_ROUTE_FOR_ALL) ||
        (route->role != API_ROLE_READ && route->role != API_ROLE_WRITE) ||
        (api_is_signed_by_node(rq) && rq->server->trusts_daemons))
        return false;
    if (route->role == API_ROLE_WRITE || strcmp(route->method, "GET") != 0 ||
        (route->flags & API_ROUTE_PRIVATE))
        return true;
    return !rq->server->on_loopback && !api_is_signed_by_node(rq);
}

bool api_request_check_needed_user(struct api_request *rq)
{
    if (rq->unsettled || !needs_user_token(rq))
        return true;
    api_error_answer_proof_needed(
        rq, rq->server->method == API_AUTH_SPNEGO
                ? "A Kerberos ticket or a user's token is needed: Authorization: Negotiate or "
                  "Bearer <token>"
                : "A user's token is needed: Authorization: Bearer <token>");
    return false;
}

bool api_request_check_settled_user(struct api_request *rq)
{
    if (!rq->unsettled)
        return true;
    rq->unsettled = false;
    if (rq->refused && rq->in_session)
        api_session_clear_refused_cookie(rq);
    if (!rq->refused || rq->in_session)
        return api_request_check_needed_user(rq);
    answer_token_refused(rq);
    return false;
}

bool api_user_is_unsettled(const struct api_request *rq)
{
    return rq->unsettled && !rq->refused;
}

void api_settle_user(struct api_request *rq, const char *name)
{
    base_assert(rq->unsettled);
    rq->refused = !name;
    if (!name)
        return;
    free(rq->caller);
    rq->caller = base_strdup(name);
    rq->named = true;
    rq->unsettled = false;
}
