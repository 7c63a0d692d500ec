#include "api/server/request/token.h"

#include <stdlib.h>
#include <string.h>

#include "api/server/request/authorise.h"
#include "api/server/server_internal.h"

/* The same answer whatever is wrong: why a token is refused is in the daemon's log alone. */
static void answer_token_refused(struct api_request *rq)
{
    api_add_header(rq, "WWW-Authenticate", "Bearer error=\"invalid_token\"");
    api_answer_error(rq, 401, "AuthorizationException", "The token is not valid");
}

static void answer_token_needed(struct api_request *rq)
{
    api_add_header(rq, "WWW-Authenticate", "Bearer");
    api_answer_error(rq, 401, "AuthorizationException",
                     "A user's token is needed: Authorization: Bearer <token>");
}

bool api_request_identify_by_token(struct api_request *rq)
{
    struct api_server *s = rq->server;
    enum api_token answer = API_TOKEN_UNKNOWN;
    char *name = NULL;

    if (rq->bearer && s->check_token)
        answer = s->check_token(rq, rq->bearer, s->user, &name);
    if (answer == API_TOKEN_REFUSED) {
        answer_token_refused(rq);
        return false;
    }
    rq->named = answer == API_TOKEN_VALID;
    rq->unsettled = rq->bearer && !rq->named;
    rq->caller = rq->named ? name : base_strdup(s->static_user);
    return !rq->named || api_request_act_as_asked(rq);
}

static bool needs_user(const struct api_request *rq)
{
    const struct api_route *route = rq->route;

    if (rq->server->method != API_AUTH_TOKEN || rq->named ||
        (route->role != API_ROLE_READ && route->role != API_ROLE_WRITE) ||
        (api_is_signed_by_node(rq) && rq->server->trusts_daemons))
        return false;
    if (route->role == API_ROLE_WRITE || strcmp(route->method, "GET") != 0 ||
        (route->flags & API_ROUTE_PRIVATE))
        return true;
    return !rq->server->on_loopback && !(route->flags & API_ROUTE_PROBE) &&
           !api_is_signed_by_node(rq);
}

bool api_request_check_needed_user(struct api_request *rq)
{
    if (rq->unsettled || !needs_user(rq))
        return true;
    answer_token_needed(rq);
    return false;
}

bool api_request_check_settled_user(struct api_request *rq)
{
    if (!rq->unsettled)
        return true;
    rq->unsettled = false;
    if (!rq->refused)
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
