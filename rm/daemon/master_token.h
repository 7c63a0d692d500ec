/* rm/daemon/master_token.h - the token with which an ApplicationMaster speaks for its attempt.
 * Every container of an application has the application's token; the key of master tokens is known
 * to the ResourceManager and its state store only. So no container can forge a token of a master,
 * unless the container runs on a host where it can read the store: tasks run as the NodeManager's
 * user. */
#ifndef CREEL_RM_DAEMON_MASTER_TOKEN_H
#define CREEL_RM_DAEMON_MASTER_TOKEN_H

#include <stdbool.h>

#include "base/id.h"
#include "ha/store/store.h"

#define RM_MASTER_KEY_MAX   33 /* hex digits and the NUL, as below */
#define RM_MASTER_TOKEN_MAX 65

/* Writes to @out the key of this store, and makes and stores one if the store has none. @anew:
 * replaces the key, which invalidates the tokens of running masters. Returns 0; -BASE_ECORRUPT when
 * the stored key is damaged; or the store's error. */
int rm_load_or_make_master_key(struct ha_store *store, bool anew,
                               char out[static RM_MASTER_KEY_MAX], struct base_error *err);
/* Writes to @out the token of @attempt, always the same under the same key. Returns @out. */
const char *rm_master_token(const char *key, const struct base_attempt_id *attempt,
                            char out[static RM_MASTER_TOKEN_MAX]);

#endif
