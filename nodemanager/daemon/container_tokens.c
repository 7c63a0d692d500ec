#include "nodemanager/daemon/container_tokens.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/crypto/equal.h"
#include "base/io/log.h"

static int64_t wall_ms(void)
{
    return base_wall_us(&base_clock_real) / 1000;
}

static int64_t token_life_ms(const struct nm *nm)
{
    return base_conf_int(nm->conf, "creel.nodemanager.token-lifetime-ms");
}

const char *nm_container_token_make(const struct nm *nm, const struct nm_launch *l,
                                    char out[static BASE_CONTAINER_TOKEN_MAX])
{
    return base_container_token_make(l->token, &l->id, wall_ms() + token_life_ms(nm), out);
}

static void renew_token_if_alive(struct nm_container *c, void *user)
{
    struct nm *nm = user;
    const struct nm_container_view *v = nm_core_view(c);
    char token[BASE_CONTAINER_TOKEN_MAX];
    struct base_error err = {0};

    if ((v->state != NM_RUNNING && v->state != NM_SUSPENDED) || !v->app->token || !*v->app->token)
        return;
    base_container_token_make(v->app->token, &v->id, wall_ms() + token_life_ms(nm), token);
    if (nm_files_replace_in_container(&nm->files, &v->id, "token", token, strlen(token), &err) < 0)
        base_log_warn("nm", "%s: its token is not renewed: %s", v->text, err.text);
    explicit_bzero(token, sizeof token);
}

void nm_container_tokens_renew_if_due(struct nm *nm)
{
    int64_t now_us = base_mono_us(&base_clock_real);

    if (now_us < nm->tokens_renew_us)
        return;
    nm->tokens_renew_us = now_us + token_life_ms(nm) * 1000 / 3;
    nm_core_each_container(nm->core, renew_token_if_alive, nm);
}

/* Returns true when a container of this node has ended. */
static bool has_ended_here(const struct nm_core *core, const struct base_container_id *id)
{
    const struct nm_container *c = nm_core_find_container(core, id);

    return c ? nm_core_view(c)->state == NM_COMPLETE : nm_core_has_forgotten(core, id);
}

bool nm_container_token_find_key(const char *id, struct base_key *out, void *user)
{
    struct nm *nm = user;
    struct base_container_id container;
    const struct nm_app_view *app;
    bool found = false;

    if (!base_container_token_read_valid_id(id, wall_ms(), &container))
        return false;
    pthread_mutex_lock(&nm->lock);
    app = nm_core_app_find(nm->core, &container.attempt.app);
    if (app && !app->finished && !has_ended_here(nm->core, &container))
        found = base_container_token_derive_key(app->token, id, out);
    pthread_mutex_unlock(&nm->lock);
    return found;
}

bool nm_container_token_is_of_app(const struct api_request *rq, struct nm *nm,
                                  const struct base_app_id *app)
{
    const char *id = api_signing_key_id(rq), *bearer = api_bearer_token(rq);
    struct base_container_id container;
    struct base_key given, key;

    if (!id && (!bearer || !base_container_token_parse_key(bearer, &given) ||
                !nm_container_token_find_key(given.id, &key, nm) ||
                !base_secret_bytes_equal(given.bytes, key.bytes, sizeof key.bytes)))
        return false;
    return base_container_token_read_valid_id(id ? id : given.id, wall_ms(), &container) &&
           base_app_id_cmp(&container.attempt.app, app) == 0;
}
