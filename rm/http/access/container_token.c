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

    if (!base_container_token_read_id(id, wall_ms(), &container))
        return false;
    core = rm_backend_lock_core(backend);
    found = core && rm_view_secret_of_container(core, &container, secret) == 0;
    rm_backend_unlock_core(backend);
    found = found && base_container_token_derive(secret, id, out);
    explicit_bzero(secret, sizeof secret);
    return found;
}

bool rm_container_token_read(const struct api_request *rq, void *backend,
                             struct base_container_id *out)
{
    const char *id = api_signing_key(rq), *bearer = api_bearer_token(rq);
    struct base_key given, key;

    if (!id && (!bearer || !base_container_token_parse(bearer, &given) ||
                !rm_container_token_find_key(given.id, &key, backend) ||
                !base_bytes_equal(given.bytes, key.bytes, sizeof key.bytes)))
        return false;
    return base_container_token_read_id(id ? id : given.id, wall_ms(), out);
}
