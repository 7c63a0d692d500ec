#include "api/server/request/negotiate.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/server/access/kerberos.h"
#include "api/server/answer/error.h"
#include "api/server/request/cookie.h"
#include "api/server/server_internal.h"

#define SCHEME "Negotiate"

static const char *find_negotiate_token(const struct api_request *rq)
{
    const char *authorization = api_header(rq, "Authorization");
    size_t n = sizeof SCHEME - 1;

    if (!authorization || strncasecmp(authorization, SCHEME, n) != 0 || authorization[n] != ' ')
        return NULL;
    return authorization + n + strspn(authorization + n, " ");
}

static void set_caller_from_ticket(struct api_request *rq, const struct api_ticket_holder *holder)
{
    rq->caller = base_strdup(holder->user);
    rq->named = true;
    api_request_set_cookie(rq, holder->principal, "; SameSite=Strict");
    if (holder->reply) {
        char *value = base_printf(SCHEME " %s", holder->reply);

        api_add_header(rq, "WWW-Authenticate", value);
        /* libcurl takes the connection for authenticated otherwise */
        api_add_header(rq, "Persistent-Auth", "false");
        free(value);
    }
}

/* Answers; @why is for the log alone. */
static void refuse_ticket(struct api_request *rq, enum api_ticket result, const char *why)
{
    api_error_note_refusal(rq, why);
    if (result == API_TICKET_NO_USER)
        api_answer_error(rq, 403, "AuthorizationException",
                         "The principal of the Kerberos ticket does not map to a user here");
    else
        api_error_answer_proof_needed(rq, "The Kerberos ticket is not valid");
}

bool api_request_identify_by_ticket(struct api_request *rq)
{
    const char *token = find_negotiate_token(rq);
    struct api_ticket_holder holder;
    struct base_buf why = {0};
    enum api_ticket result;

    if (!api_request_may_use_cookies(rq))
        return true;
    if (!token) {
        rq->named = api_request_check_cookie(rq) == API_AUTH_VALID;
        return true;
    }
    result = api_kerberos_check_token(rq->server->kerberos, token, &holder, &why);
    if (result == API_TICKET_VALID)
        set_caller_from_ticket(rq, &holder);
    else
        refuse_ticket(rq, result, why.data);
    api_ticket_holder_free(&holder);
    base_buf_free(&why);
    return result == API_TICKET_VALID;
}
