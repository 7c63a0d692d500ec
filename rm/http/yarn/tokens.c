/* rm/http/yarn/tokens.c - delegation tokens, which only exist in a cluster with Kerberos: every
 * operation is refused. SOURCE: Hadoop's ResourceManager REST APIs. */
#include "rm/http/yarn/write.h"

static void refuse_kerberos_token(struct api_request *rq, void *user)
{
    (void)user;
    yarn_answer_text(rq, 403,
                     "Delegation token operations can only be carried out on a Kerberos "
                     "authenticated channel. Expected auth type is kerberos, got type %s",
                     api_caller_is_named(rq) ? "SIMPLE" : "null");
}

#define TOKEN YARN_CLUSTER "/delegation-token"
/* clang-format off */
const struct api_route rm_yarn_tokens_routes[] = {
    {"POST",   TOKEN,               API_ROLE_WRITE, YARN_STATE_BODY_MAX, refuse_kerberos_token, 0},
    {"DELETE", TOKEN,               API_ROLE_WRITE, YARN_STATE_BODY_MAX, refuse_kerberos_token, 0},
    {"POST",   TOKEN "/expiration", API_ROLE_WRITE, YARN_STATE_BODY_MAX, refuse_kerberos_token, 0},
};
/* clang-format on */
const size_t rm_yarn_tokens_routes_n =
    sizeof rm_yarn_tokens_routes / sizeof rm_yarn_tokens_routes[0];
