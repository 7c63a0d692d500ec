/* rm/rm_master_token.h - what an ApplicationMaster shows to speak for its attempt. Every container of an application
 * has the application's token; the key is the ResourceManager's alone, so none of them can make a master's. */
#ifndef CREEL_RM_MASTER_TOKEN_H
#define CREEL_RM_MASTER_TOKEN_H

#include "base/base_id.h"
#include "ha/ha_store.h"

#define RM_MASTER_KEY_MAX   33 /* hex digits and the NUL, as the next */
#define RM_MASTER_TOKEN_MAX 65

/* The key of this store, made and kept at its first use. */
int rm_master_key(const struct ha_store_ops *ops, struct ha_store *store, char out[static RM_MASTER_KEY_MAX],
                  struct base_error *err);
/* The same for as long as the store is. Returns @out. */
const char *rm_master_token(const char *key, const struct base_attempt_id *attempt,
                            char out[static RM_MASTER_TOKEN_MAX]);

#endif
