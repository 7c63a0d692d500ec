/* rm/core/admin/tokens.h - bearer tokens: which user a token stands for, and until when. The core
 * holds them, so that they are stored before they are handed out, and every later leader knows
 * them.
 *
 *   none --ADD--> held --REMOVE, or an ADD of any token after this one has expired--> none
 *
 * ADD and REMOVE are RM_EV_SET_TOKEN with and without a digest.
 *
 * A token's secret never reaches the core: a record has its SHA-256. The core does not look at the
 * clock when a token is used; callers compare expires_us with their time. */
#ifndef CREEL_RM_CORE_ADMIN_TOKENS_H
#define CREEL_RM_CORE_ADMIN_TOKENS_H

#include "rm/core/core.h"

struct rm_record;

#define RM_TOKENS_MAX         10000 /* at a time; each is a record of its own */
#define RM_TOKENS_OF_USER_MAX 100

struct rm_user_token {
    uint64_t id;                   /* public, random, never 0 */
    char digest[RM_TOKEN_HEX + 1]; /* of the secret */
    char *user;
    int64_t made_us, expires_us;
};
struct rm_user_tokens {
    struct rm_user_token *v; /* sorted by id */
    size_t n, cap;
};

/* Handles RM_EV_SET_TOKEN. */
void rm_tokens_on_set(struct rm_core *c, const struct rm_event *ev);
void rm_tokens_free(struct rm_user_tokens *t);
/* Returns the token, which may have expired; borrowed until the next step. NULL: there is none with
 * this id. */
const struct rm_user_token *rm_tokens_find(const struct rm_user_tokens *t, uint64_t id);
/* Reads the record that rm_tokens_on_set() writes. Returns 0 or -BASE_ECORRUPT. */
int rm_tokens_read(struct rm_core *c, const struct rm_record *rec, struct base_error *err);

#endif
