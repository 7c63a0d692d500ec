#include "rm/http/access/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crypto/digest.h"
#include "base/crypto/equal.h"
#include "base/crypto/hex.h"
#include "base/io/io.h"

#define HEX    "0123456789abcdef"
#define ID_HEX 16
#define PREFIX (sizeof API_SESSION_PREFIX - 1)

void rm_session_format_signed(const struct api_auth *auth, const struct rm_session *s,
                              const char *digest, char out[static API_SESSION_TEXT_MAX])
{
    char signed_text[API_SESSION_TEXT_MAX + 2 * BASE_SHA256_BYTES];
    unsigned char mac[BASE_SHA256_BYTES];
    int open = snprintf(out, API_SESSION_TEXT_MAX, API_SESSION_PREFIX "%016" PRIx64 ".%" PRId64 ".",
                        s->token_id, s->expires_s);
    int n = snprintf(signed_text, sizeof signed_text,
                     "creel-session-1\n%016" PRIx64 "\n%" PRId64 "\n%s", s->token_id, s->expires_s,
                     digest);

    api_auth_sign(auth, signed_text, (size_t)n, mac);
    base_hex_encode(mac, sizeof mac, out + open);
}

/* Accepts other spellings of the same numbers, too: rm_session_is_genuine() compares the whole text
 * with the one spelling that is given out. */
bool rm_session_parse(const char *text, struct rm_session *out)
{
    char expiry[24];
    const char *at = text + PREFIX, *dot;

    if (!api_is_session_text(text) || strlen(text) >= API_SESSION_TEXT_MAX ||
        strspn(at, HEX) != ID_HEX || at[ID_HEX] != '.')
        return false;
    out->token_id = strtoull(at, NULL, 16);
    at += ID_HEX + 1;
    dot = strchr(at, '.');
    if (!dot || (size_t)(dot - at) >= sizeof expiry)
        return false;
    memcpy(expiry, at, (size_t)(dot - at));
    expiry[dot - at] = '\0';
    return base_int_parse(expiry, 0, INT64_MAX / 1000000, &out->expires_s) == 0;
}

bool rm_session_is_genuine(const struct api_auth *auth, const char *text,
                           const struct rm_session *s, const char *digest)
{
    char again[API_SESSION_TEXT_MAX];

    rm_session_format_signed(auth, s, digest, again);
    return base_secret_equal(text, again);
}
