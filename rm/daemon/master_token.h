/* rm/daemon/master_token.h - what an ApplicationMaster shows to speak for its attempt. Every container of an application
 * has the application's token; the key is in the ResourceManager and its state store alone, so a container cannot make
 * a master's, unless it runs on a host where it can read that store: tasks run as the NodeManager's user. */
#ifndef CREEL_RM_DAEMON_MASTER_TOKEN_H
#define CREEL_RM_DAEMON_MASTER_TOKEN_H

#include <stdbool.h>

#include "base/id.h"
#include "ha/store/store.h"

#define RM_MASTER_KEY_MAX   33 /* hex digits and the NUL, as the next */
#define RM_MASTER_TOKEN_MAX 65

/* The key of this store, made and kept at its first use. @anew: another one takes its place; the tokens of masters that run
 * are no good any more. -BASE_ECORRUPT: the stored one is damaged. */
int rm_load_master_key(struct ha_store *store, bool anew,
                  char out[static RM_MASTER_KEY_MAX], struct base_error *err);
/* The same for as long as the store is. Returns @out. */
const char *rm_master_token(const char *key, const struct base_attempt_id *attempt,
                            char out[static RM_MASTER_TOKEN_MAX]);

#endif
