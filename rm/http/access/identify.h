/* rm/http/access/identify.h - finds out whose a bearer token or a session is: the ResourceManager's
 * own user's (rm/daemon/own_token.h), or a user's, which the core holds (rm/core/admin/tokens.h).
 *
 *   <id>.<secret>   16 and 64 hex digits, both random; the core has the SHA-256 of the secret's
 *                   digits */
#ifndef CREEL_RM_HTTP_ACCESS_IDENTIFY_H
#define CREEL_RM_HTTP_ACCESS_IDENTIFY_H

#include "api/server/server.h"
#include "api/server/session.h"
#include "rm/daemon/backend.h"

enum { RM_TOKEN_ID_HEX = 16, RM_TOKEN_TEXT_MAX = RM_TOKEN_ID_HEX + 1 + RM_TOKEN_HEX + 1 };

/* An api_check_token; @backend: struct rm_backend *. A standby knows its own user's token alone. */
enum api_token rm_identify_token(struct api_request *rq, const char *token, void *backend,
                                 char **name);
/* Returns the user of @text, a token or the text of a session, which the caller frees, and sets
 * *@expires_us to when it expires (INT64_MAX: at no fixed time). Returns NULL when it is not valid,
 * and appends the reason, for logs, to @why. */
char *rm_identify_user(struct rm_backend *b, const char *text, int64_t *expires_us,
                       struct base_buf *why);
/* Begins a session with @token (rm/http/access/session.h), of *@seconds at most: writes its text.
 * Returns the user, which the caller frees; NULL as above. */
char *rm_begin_session(struct rm_backend *b, const char *token, char text[API_SESSION_TEXT_MAX],
                       int64_t *seconds, struct base_buf *why);
/* Returns the user of the token @id, which the caller frees, and writes the digest of its secret;
 * NULL when there is no such token, or it has expired. Whoever asks has proven nothing yet. */
char *rm_find_token_user(struct rm_backend *b, uint64_t id, char digest[static RM_TOKEN_HEX + 1]);
/* Makes a random token: its id, its text, and the digest of its secret. */
void rm_make_token(uint64_t *id, char text[static RM_TOKEN_TEXT_MAX],
                   char digest[static RM_TOKEN_HEX + 1]);

#endif
