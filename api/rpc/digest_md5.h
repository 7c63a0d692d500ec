/* api/rpc/digest_md5.h - DIGEST-MD5 as Hadoop uses it for tokens, both sides: the user name is the
 * token's identifier in base64, the password is its password in base64.
 *
 *   challenge   realm="default",nonce="...",qop="auth",charset=utf-8,algorithm=md5-sess
 *   response    username="...",realm="default",nonce="...",nc=00000001,cnonce="...",
 *               digest-uri="/default",response=...,qop=auth
 *   result      rspauth=...
 *
 * One exchange, without protection of what follows (qop "auth"). Pure: the nonce comes from the
 * caller. SOURCE: RFC 2831; Hadoop 3.4.2 as recorded in tests/interop/rpc.
 *
 * Written here because the servers of libraries want more than they give: Cyrus SASL wants a plugin
 * for the password and compares the host's name, and libgsasl would be a library in the daemon for
 * three lines of arithmetic. libgsasl is the peer in the tests. */
#ifndef CREEL_API_RPC_DIGEST_MD5_H
#define CREEL_API_RPC_DIGEST_MD5_H

#include <stdbool.h>
#include <stddef.h>

#include "base/crypto/digest.h"
#include "base/mem.h"

#define API_RPC_REALM "default"

/* Appends the challenge. @nonce: used once, of letters, digits and "+/=". */
void api_rpc_digest_add_challenge(struct base_buf *out, const char *nonce);

/* The members of a response; the texts are owned. */
struct api_rpc_digest {
    char *username, *realm, *nonce, *cnonce, *uri, *response;
};
/* Reads a response of @len bytes. Returns false when it is not one, a member is missing or comes
 * twice, it is not the first one for its nonce (nc), or it wants more than authentication (qop).
 * Free @out in any case. */
bool api_rpc_digest_parse(const char *text, size_t len, struct api_rpc_digest *out);
void api_rpc_digest_free(struct api_rpc_digest *d);
/* Returns true when the response answers the challenge with @nonce by one who knows @password; then
 * appends the result to @out. */
bool api_rpc_digest_check(const struct api_rpc_digest *d, const char *nonce, const char *password,
                          struct base_buf *out);
/* ---- the client's side ---- */
/* Reads the realm and the nonce of a challenge of @len bytes. Returns false when it is none, or
 * wants more than authentication. Free @out in any case. */
bool api_rpc_digest_parse_challenge(const char *text, size_t len, struct api_rpc_digest *out);
/* Appends the response of one who knows @password. @d: all members but .response. Returns false
 * where MD5 is forbidden. */
bool api_rpc_digest_add_response(const struct api_rpc_digest *d, const char *password,
                                 struct base_buf *out);

/* Writes the value of "response", with @method "AUTHENTICATE", or that of "rspauth", with @method
 * "". For the check, and for clients. Returns false where MD5 is forbidden. */
bool api_rpc_digest_compute(const struct api_rpc_digest *d, const char *password,
                            const char *method, char out[static BASE_MD5_HEX]);

#endif
