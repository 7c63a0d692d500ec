/* rm/daemon/own_token.h - the token of the ResourceManager's own user, an administrator. It is made
 * anew at every start and written to a file that only this user can read (creel.auth.token-file),
 * where the commands of this user find it:
 *
 *   rm.token    the token, and on the next line the addresses that the token is for, separated by
 *               commas
 *   rm.header   "Authorization: Bearer <token>", for curl -H @rm.header
 *
 * ResourceManagers that share the file, such as those of `creel dev --ha`, accept each other's
 * tokens: one that is not a ResourceManager's own is sought in the file, which is read again when
 * it has changed. */
#ifndef CREEL_RM_DAEMON_OWN_TOKEN_H
#define CREEL_RM_DAEMON_OWN_TOKEN_H

#include <stdbool.h>

#include "base/conf/conf.h"

enum { RM_OWN_TOKEN_MAX = 128 };

struct rm_own_token;

struct rm_own_token *rm_own_token_new(const struct base_conf *conf);
void rm_own_token_free(struct rm_own_token *t); /* NULL-safe */
/* Writes the files. @urls: the addresses of this ResourceManager, separated by commas. Returns 0,
 * or a negative BASE_E* when they cannot be written; 0 after a warning if creel.auth.token-file is
 * not set. */
int rm_own_token_publish(struct rm_own_token *t, const char *urls, struct base_error *err);
/* Finds the token whose part before the dot is @id, 16 hex digits: @t, or the token in the file
 * (when the file is gone: the last one that was read from it). Returns false when there is none.
 * Any thread. @t NULL: false. */
bool rm_own_token_find(struct rm_own_token *t, const char *id, char out[static RM_OWN_TOKEN_MAX]);

#endif
