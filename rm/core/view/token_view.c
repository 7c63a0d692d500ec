/* Plain copies for readers: tokens of users. */
#include <string.h>

#include "rm/core/admin/master_keys.h"
#include "rm/core/view/view_internal.h"

static struct rm_token_view copy_token(const struct rm_user_token *t)
{
    struct rm_token_view v = {.id = t->id,
                              .user = base_strdup(t->user),
                              .made_us = t->made_us,
                              .expires_us = t->expires_us};

    memcpy(v.digest, t->digest, sizeof v.digest);
    return v;
}

int rm_view_user_token(const struct rm_core *c, uint64_t id, struct rm_token_view *out)
{
    const struct rm_user_token *t = rm_tokens_find(&c->tokens, id);

    if (!t)
        return -BASE_ENOTFOUND;
    *out = copy_token(t);
    return 0;
}

struct rm_token_view *rm_view_user_tokens(const struct rm_core *c, const char *user, size_t *n)
{
    struct rm_token_view *v = base_alloc((c->tokens.n + 1) * sizeof *v);

    *n = 0;
    for (size_t i = 0; i < c->tokens.n; i++)
        if (!user || strcmp(c->tokens.v[i].user, user) == 0)
            v[(*n)++] = copy_token(&c->tokens.v[i]);
    return v;
}

int rm_view_amrm_key(const struct rm_core *c, const struct base_attempt_id *attempt, int32_t key_id,
                     struct rm_master_key *out)
{
    const struct rm_master_key *key = rm_master_key_find(c, RM_KEY_AMRM, key_id);
    const struct rm_app *a = rm_app_find(c, attempt->app);
    const struct rm_attempt *at = a ? rm_app_newest_attempt(a) : NULL;

    if (!key || !at || at->id.attempt != attempt->attempt || at->finish_us ||
        rm_app_state_is_final(a->state))
        return -BASE_ENOTFOUND;
    *out = *key;
    return 0;
}
