#include "rm/core/admin/tokens.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "rm/core/emit.h"
#include "rm/core/record/reader.h"
#include "rm/core/record/record.h"
#include "rm/core/state.h"

static const char hex_digits[] = "0123456789abcdef";

#define ID_HEX     16
#define KEY_PREFIX (sizeof RM_TOKEN_KEY - 1)

/* ---------------------------------------------------------------- the table */
/* Returns the index of the first token whose id is not below @id. */
static size_t token_insert_index(const struct rm_user_tokens *t, uint64_t id)
{
    size_t low = 0, high = t->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (t->v[mid].id < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

const struct rm_user_token *rm_tokens_find(const struct rm_user_tokens *t, uint64_t id)
{
    size_t at = token_insert_index(t, id);

    return at < t->n && t->v[at].id == id ? &t->v[at] : NULL;
}

/* Takes token->user. */
static void add_token(struct rm_user_tokens *t, const struct rm_user_token *token)
{
    size_t at = token_insert_index(t, token->id);

    base_array_grow(&t->v, t->n, &t->cap);
    memmove(t->v + at + 1, t->v + at, (t->n++ - at) * sizeof *t->v);
    t->v[at] = *token;
}

static void remove_token(struct rm_user_tokens *t, size_t at)
{
    free(t->v[at].user);
    memmove(t->v + at, t->v + at + 1, (--t->n - at) * sizeof *t->v);
}

void rm_tokens_free(struct rm_user_tokens *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->v[i].user);
    free(t->v);
    *t = (struct rm_user_tokens){0};
}

/* ---------------------------------------------------------------- records */
static char *token_record_key(struct rm_core *c, uint64_t id)
{
    return rm_scratch_printf(c, RM_TOKEN_KEY "%016" PRIx64, id);
}

static void store_token(struct rm_core *c, const struct rm_user_token *token)
{
    struct base_buf *b = &c->text;

    if (c->conf.simulation)
        return;
    rm_record_begin(c, "k1");
    rm_put_text(b, token->user);
    rm_put_text(b, token->digest);
    rm_put_int(b, token->made_us);
    rm_put_int(b, token->expires_us);
    rm_record_emit(c, "meta", token_record_key(c, token->id));
}

static void drop_token(struct rm_core *c, size_t at)
{
    if (!c->conf.simulation)
        rm_store_record(c, "meta", token_record_key(c, c->tokens.v[at].id), NULL, 0);
    remove_token(&c->tokens, at);
}

/* Returns 0, which is the id of no token, when @text is not an id. */
static uint64_t parse_token_id(const char *text)
{
    if (strlen(text) != ID_HEX || strspn(text, hex_digits) != ID_HEX)
        return 0;
    return strtoull(text, NULL, 16);
}

int rm_tokens_read(struct rm_core *c, const struct rm_record *rec, struct base_error *err)
{
    struct rm_reader r = rm_reader_of_record(rec);
    struct rm_user_token token = {0};
    const char *digest;
    size_t n;

    token.id = parse_token_id(rec->key + KEY_PREFIX);
    if (!token.id)
        return rm_record_set_corrupt_error(rec, err, "its key is no token id");
    if (!rm_skip_word(&r, "k1"))
        return rm_record_set_corrupt_error(rec, err, "unknown version");
    if (rm_tokens_find(&c->tokens, token.id))
        return rm_record_set_corrupt_error(rec, err, "it is a duplicate");
    token.user = rm_get_text(&r);
    if (rm_get_slice(&r, &digest, &n) && n == RM_TOKEN_HEX)
        memcpy(token.digest, digest, n);
    token.made_us = rm_get_time(&r);
    token.expires_us = rm_get_time(&r);
    if (r.bad || r.p != r.end || !token.user || !*token.user ||
        strspn(token.digest, hex_digits) != RM_TOKEN_HEX) {
        free(token.user);
        return rm_record_set_corrupt_error(rec, err, "it is cut short or damaged");
    }
    add_token(&c->tokens, &token);
    return 0;
}

/* ---------------------------------------------------------------- changes */
static void drop_expired_tokens(struct rm_core *c)
{
    for (size_t i = c->tokens.n; i-- > 0;)
        if (c->tokens.v[i].expires_us <= c->now_us)
            drop_token(c, i);
}

static size_t count_tokens_of_user(const struct rm_user_tokens *t, const char *user)
{
    size_t n = 0;

    for (size_t i = 0; i < t->n; i++)
        n += strcmp(t->v[i].user, user) == 0;
    return n;
}

/* Returns false when there are too many tokens already; @ev has then been answered. */
static bool check_token_limits(struct rm_core *c, const struct rm_event *ev)
{
    const char *user = ev->u.user_token.user;

    if (c->tokens.n >= RM_TOKENS_MAX)
        rm_reply_error(c, ev->token, -BASE_ELIMIT,
                       "there are %d tokens already; revoke some, or wait until some expire",
                       RM_TOKENS_MAX);
    else if (count_tokens_of_user(&c->tokens, user) >= RM_TOKENS_OF_USER_MAX)
        rm_reply_error(c, ev->token, -BASE_ELIMIT,
                       "%s has %d tokens already; revoke some, or wait until some expire", user,
                       RM_TOKENS_OF_USER_MAX);
    else
        return true;
    return false;
}

static void add_new_token(struct rm_core *c, const struct rm_event *ev)
{
    struct rm_user_token token = {
        .id = ev->u.user_token.id, .made_us = c->now_us, .expires_us = ev->u.user_token.expires_us};

    drop_expired_tokens(c);
    if (!check_token_limits(c, ev))
        return;
    if (rm_tokens_find(&c->tokens, token.id)) {
        rm_reply_error(c, ev->token, -BASE_EEXIST, "token %016" PRIx64 " exists already", token.id);
        return;
    }
    memcpy(token.digest, ev->u.user_token.digest, RM_TOKEN_HEX);
    token.user = base_strdup(ev->u.user_token.user);
    store_token(c, &token);
    add_token(&c->tokens, &token);
    rm_reply(c, ev->token, RM_REPLY_OK, c->seq);
}

void rm_tokens_on_set(struct rm_core *c, const struct rm_event *ev)
{
    const struct rm_user_token *old = rm_tokens_find(&c->tokens, ev->u.user_token.id);

    if (ev->u.user_token.digest) {
        add_new_token(c, ev);
    } else if (!old) {
        rm_reply_error(c, ev->token, -BASE_ENOTFOUND, "there is no token %016" PRIx64,
                       ev->u.user_token.id);
    } else {
        drop_token(c, (size_t)(old - c->tokens.v));
        rm_reply(c, ev->token, RM_REPLY_OK, c->seq);
    }
}
