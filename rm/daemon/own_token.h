/* rm/daemon/own_token.h - the token of the ResourceManager's own user, an administrator. It is made
 * anew at every start and written to a file that only this user can read (creel.auth.token-file),
 * where the commands of this user find it:
 *
 *   rm.token    the token, and on the next line the addresses that it is for, separated by commas
 *   rm.header   "Authorization: Bearer <token>", for curl -H @rm.header
 *
 * ResourceManagers that share the file, such as those of `creel dev --ha`, accept each other's: a
 * token that is not the own one is compared with the file's, which is read again when it has
 * changed. */
#ifndef CREEL_RM_DAEMON_OWN_TOKEN_H
#define CREEL_RM_DAEMON_OWN_TOKEN_H

#include <stdbool.h>

#include "base/conf/conf.h"

struct rm_own_token;

struct rm_own_token *rm_own_token_new(const struct base_conf *conf);
void rm_own_token_free(struct rm_own_token *t); /* NULL-safe */
/* Writes the files. @urls: the addresses of this ResourceManager. Returns 0 or -BASE_EIO; 0 after a
 * warning when nobody has named the file and the default one cannot be written. */
int rm_own_token_publish(struct rm_own_token *t, const char *urls, struct base_error *err);
/* Returns true when @token is this one, or the one that now stands in the file. Any thread. @t
 * NULL: false. */
bool rm_own_token_accepts(struct rm_own_token *t, const char *token);

#endif
