/* Reads the cluster's secret again, for administrators: creel rmadmin -refreshSecret. */
#include <string.h>

#include "base/crypto/keyring.h"
#include "base/io/json_write.h"
#include "rm/daemon/backend.h"
#include "rm/http/access/access.h"
#include "rm/http/core_call.h"
#include "rm/http/routes.h"

/* Answers {"changed":true,"signsWith":"5d1f0c2a"}: the name of the key that signs from now on,
 * which tells nothing about the key. */
static void refresh_secret(struct api_request *rq, void *user)
{
    struct base_keyring *keys = rm_backend_keys(user);
    struct base_error err = {0};
    struct base_buf body = {0};
    struct base_key key;
    int changed;

    if (rm_access_refuse_unless_allowed(rq, user, RM_OP_ADMINISTER))
        return;
    changed = keys ? base_keyring_refresh(keys, &err)
                   : base_error_set(&err, -BASE_ESTATE, "this ResourceManager has no secret");
    if (changed < 0) {
        api_answer_base_error(rq, &err);
        return;
    }
    base_keyring_get_signing_key(keys, &key);
    base_buf_addf(&body, "{\"changed\":%s,\"signsWith\":", changed ? "true" : "false");
    base_json_quote(&body, key.id);
    base_buf_adds(&body, "}");
    explicit_bzero(&key, sizeof key);
    api_answer(rq, 200, API_JSON, &body);
}

const struct api_route rm_admin_secret_routes[] = {
    {"POST", "/ws/v1/cluster/secret/refresh", API_ROLE_WRITE, 4096, refresh_secret,
     API_ROUTE_CREEL},
};
const size_t rm_admin_secret_routes_n =
    sizeof rm_admin_secret_routes / sizeof *rm_admin_secret_routes;
