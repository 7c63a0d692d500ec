/* rm/http/access/session.h - the text of a browser's session (api/server/session.h):
 *
 *   session-<id of the token>.<expiry, s since 1970>.<64 hex digits>
 *
 * The digits are an HMAC-SHA256, by the secret that signs cookies (api/server/access/auth.h), over
 * the token's id, the expiry, and the digest of the token's secret. So nobody can make one who only
 * knows what the store holds; a session ends with its token, which has to be found to check it; and
 * every ResourceManager that has the same secret knows the session. */
#ifndef CREEL_RM_HTTP_ACCESS_SESSION_H
#define CREEL_RM_HTTP_ACCESS_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "api/server/access/auth.h"
#include "api/server/session.h"

struct rm_session {
    uint64_t token_id;
    int64_t expires_s;
};

/* Writes the text. @digest: that of the token's secret, as the core holds it. */
void rm_session_format_signed(const struct api_auth *auth, const struct rm_session *s,
                              const char *digest, char out[static API_SESSION_TEXT_MAX]);
/* Reads the open part of the text. Returns false when it has another form. */
bool rm_session_parse(const char *text, struct rm_session *out);
/* Returns true when @text is exactly what rm_session_format_signed() would write. */
bool rm_session_is_genuine(const struct api_auth *auth, const char *text,
                           const struct rm_session *s, const char *digest);

#endif
