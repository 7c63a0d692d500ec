/* rm/http/credentials.h - the tokens and secrets of a launch context, in the form in which a
 * container reads them: Hadoop's token file, which HADOOP_TOKEN_FILE_LOCATION names.
 *
 *    "HDTS", 0                                             version 0: Writables
 *    count, then per token   alias, identifier, password, kind, service
 *    count, then per secret  alias, bytes
 *
 * Counts and lengths are Hadoop's VInts; every text and byte string is a length and that many
 * bytes. A client sends a token as URL-safe base64 of its last four members. */
#ifndef CREEL_RM_HTTP_CREDENTIALS_H
#define CREEL_RM_HTTP_CREDENTIALS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

struct rm_credential {
    const char *alias;
    const char *text; /* as the client sent it */
};
/* Returns true when @text is a whole token, and appends its four members to @out (may be NULL).
 * Trailing bytes are ignored, as in YARN. */
bool rm_hadoop_token_decode(const char *text, struct base_buf *out);
/* Appends a token file. All tokens must be whole (asserted). */
void rm_credentials_encode(const struct rm_credential *tokens, size_t tokens_n,
                           const struct rm_credential *secrets, size_t secrets_n,
                           struct base_buf *out);

#endif
