#include "rm/http/access/container_token.h"

#include <string.h>

#include "base/clock.h"
#include "base/crypto/equal.h"
#include "rm/core/view/view.h"
#include "rm/daemon/backend.h"

static int64_t wall_ms(void)
{
    return base_wall_us(&base_clock_real) / 1000;
}

bool rm_container_token_find_key(const char *id, struct base_key *out, void *backend)
{
    struct base_container_id container;
    const struct rm_core *core;
    char secret[65];
    bool found;

    if (!base_container_token_read_valid_id(id, wall_ms(), &container))
        return false;
    core = rm_backend_lock_core(backend);
    found = core && rm_view_secret_of_container(core, &container, secret) == 0;
    rm_backend_unlock_core(backend);
    found = found && base_container_token_derive_key(secret, id, out);
    explicit_bzero(secret, sizeof secret);
    return found;
}

bool rm_container_token_read(const struct api_request *rq, void *backend,
                             struct base_container_id *out)
{
    const char *id = api_signing_key_id(rq), *bearer = api_bearer_token(rq);
    struct base_key given, key;

    if (!id && (!bearer || !base_container_token_parse_key(bearer, &given) ||
                !rm_container_token_find_key(given.id, &key, backend) ||
                !base_secret_bytes_equal(given.bytes, key.bytes, sizeof key.bytes)))
        return false;
    return base_container_token_read_valid_id(id ? id : given.id, wall_ms(), out);
}

/* Returns true when @given is the key that its application's secret gives for @id, the container of
 * a master. */
static bool is_key_of_master(void *backend, const struct base_container_id *id,
                             const struct base_key *given)
{
    const struct rm_core *core = rm_backend_lock_core(backend);
    struct base_key key;
    char secret[65];
    bool is = core && rm_view_secret_of_master(core, id, secret) == 0;

    rm_backend_unlock_core(backend);
    is = is && base_container_token_derive_key(secret, given->id, &key) &&
         base_secret_bytes_equal(given->bytes, key.bytes, sizeof key.bytes);
    explicit_bzero(secret, sizeof secret);
    explicit_bzero(&key, sizeof key);
    return is;
}

int rm_container_token_read_master(const struct api_request *rq, void *backend,
                                   const struct base_app_id *app, struct base_attempt_id *out,
                                   struct base_error *err)
{
    const char *bearer = api_bearer_token(rq);
    struct base_container_id container;
    struct base_key given;
    int rc = 0;

    if (!bearer || !base_container_token_parse_key(bearer, &given))
        return base_error_set(err, -BASE_EPERM, "the token is malformed");
    if (!base_container_token_read_valid_id(given.id, wall_ms(), &container))
        rc = base_error_set(err, -BASE_EPERM, "the token %s has expired, or lives too long",
                            given.id);
    else if (base_app_id_cmp(&container.attempt.app, app) != 0)
        rc = base_error_set(err, -BASE_EPERM, "the token %s is of another application", given.id);
    else if (!is_key_of_master(backend, &container, &given))
        rc = base_error_set(err, -BASE_EPERM, "the token %s is wrong, or not of a master that runs",
                            given.id);
    explicit_bzero(&given, sizeof given);
    if (rc == 0)
        *out = container.attempt;
    return rc;
}
