#include "nodemanager/http/access/log_token.h"

#include "api/audit/audit.h"
#include "base/crypto/log_token.h"

static int read_token_for_request(const struct api_request *rq, const struct nm *nm,
                                  const char *token, struct base_log_token *out,
                                  struct base_error *err)
{
    const struct api_route *route = api_route_of(rq);
    int rc = base_log_token_read(nm->keys, token, nm_wall_ms(), out, err);

    if (rc == 0 && (!route || !(route->flags & API_ROUTE_LOGS) ||
                    !base_log_token_opens(out, api_path_arg(rq, 0))))
        rc = base_error_set(err, -BASE_EPERM, "the log token of %s is for logs of %s alone",
                            out->user, out->scope);
    return rc;
}

bool nm_log_token_is_bearer(const struct api_request *rq)
{
    return api_bearer_token(rq) && base_has_log_token_form(api_bearer_token(rq));
}

bool nm_log_token_opens_requested_logs(const struct api_request *rq, const struct nm *nm)
{
    struct base_log_token given;

    return read_token_for_request(rq, nm, api_bearer_token(rq), &given, NULL) == 0;
}

enum api_token nm_log_token_check(struct api_request *rq, const struct nm *nm, const char *token,
                                  char **name)
{
    struct base_log_token given;
    struct base_error err = {0};

    if (read_token_for_request(rq, nm, token, &given, &err) < 0) {
        api_audit_mark_forbidden(rq, err.text);
        return API_TOKEN_REFUSED;
    }
    *name = base_strdup(given.user);
    return API_TOKEN_VALID;
}
