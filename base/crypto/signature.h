/* base/crypto/signature.h - signed HTTP requests and answers. The sender of a request proves that
 * it knows a key, and so does the one who answers; nobody in between can change, invent or repeat
 * one of them, nor take it to another server, nor to the same one after its next start. Nothing is
 * kept secret by it: that is TLS's part.
 *
 *   Authorization: Creel-HMAC key=<id>, time=<ms>, nonce=<32 hex>, start=<32 hex>, sha256=<64 hex>,
 *                  mac=<64 hex>
 *   mac = HMAC-SHA256(K, "creel-request-3\n" METHOD "\n" host "\n" path?query "\n" time "\n" nonce
 *                        "\n" start "\n" sha256)
 *
 *   X-Creel-Signature: key=<id>, mac=<64 hex>
 *   mac = HMAC-SHA256(K, "creel-answer-1\n" nonce "\n" status "\n" sha256)
 *
 *   X-Creel-Start: key=<id>, start=<32 hex>, mac=<64 hex>
 *   mac = HMAC-SHA256(K, "creel-start-1\n" nonce "\n" start)
 *
 * host is that of the URL, with the port unless it is the usual one of the scheme, in lower case,
 * as the header Host has it. time is in milliseconds since 1970, sha256 the digest of the body, in
 * a request of the body as it is before compression. An answer belongs to one request: it is signed
 * with the request's key and over its nonce. A long answer whose bytes are sent while they are made
 * cannot be digested before: it has a member "stream" at the end, its digest is that of the empty
 * text, and the signed text ends in "\nstream". Only those who asked for a stream (member "stream"
 * in the request) accept one: its bytes are not protected.
 *
 * start is the start id of the server: random, made when it starts, the same for as long as it
 * remembers nonces, and no secret. A client learns it by a refusal, and remembers it
 * (base/crypto/server_starts.h):
 *
 *   client                                        server, whose start id is B
 *     | request, start=0...0 or A, signed ---------> | right but for the start id: not carried out,
 *     | <------- 401, X-Creel-Start: start=B ------- | its nonce not remembered
 *   the signature is right, and B was not signed: the client remembers B
 *     | the same request, start=B, signed anew ----> | carried out
 *     | <------------------- answer ---------------- |
 *   a second refusal of this kind: the request has failed
 *
 * X-Creel-Start is signed with the request's key and over its nonce, so nobody without the key can
 * choose the id that a client signs, repeat one of before, or make a client send a request more
 * than twice. */
#ifndef CREEL_BASE_CRYPTO_SIGNATURE_H
#define CREEL_BASE_CRYPTO_SIGNATURE_H

#include <stdint.h>

#include "base/crypto/digest.h"
#include "base/crypto/keyring.h"
#include "base/crypto/server_starts.h"
#include "base/mem.h"

#define BASE_SIGNATURE_SCHEME "Creel-HMAC"
#define BASE_ANSWER_SIGNATURE "X-Creel-Signature" /* a header */
#define BASE_START_HEADER     "X-Creel-Start"     /* likewise */
#define BASE_NONCE_MAX        33

struct base_request_signature {
    char key[BASE_KEY_ID_MAX];
    int64_t time_ms;
    char nonce[BASE_NONCE_MAX];
    char start_id[BASE_START_ID_MAX];
    char body_sha256[BASE_SHA256_HEX];
    unsigned char mac[BASE_SHA256_BYTES];
    bool stream;
};

/* Signs a request with @key and a random nonce. @url: absolute; path and query as they are sent.
 * @start_id: of the server, or BASE_START_ID_UNKNOWN. @stream: the caller accepts an answer whose
 * body is not signed. */
void base_sign_request(const struct base_key *key, const char *method, const char *url,
                       const char *start_id, const void *body, size_t len, int64_t now_ms,
                       bool stream, struct base_request_signature *out);
/* Appends the value of the header Authorization. */
void base_request_signature_format(const struct base_request_signature *s, struct base_buf *out);
/* Returns true when @authorization (NULL: none) uses the scheme of signed requests. */
bool base_request_is_signed(const char *authorization);
/* Parses the value of Authorization. Returns 0, or -BASE_EINVAL naming the member. */
int base_request_signature_parse(const char *authorization, struct base_request_signature *out,
                                 struct base_error *err);
/* Returns true when the code was made with @key for this request. @host: value of the header Host;
 * @tls: the request came over TLS. Body, time, nonce and start id are the caller's to compare, and
 * whether @host is the caller. */
bool base_request_signature_is_right(const struct base_request_signature *s,
                                     const struct base_key *key, const char *method,
                                     const char *host, bool tls, const char *target);
/* Returns path and query of an absolute URL, as libcurl sends them. Borrowed from @url, but for
 * "/", when the URL has no path. */
const char *base_url_target(const char *url);

/* Value of X-Creel-Signature, with its NUL. */
#define BASE_ANSWER_SIGNATURE_MAX (BASE_KEY_ID_MAX + BASE_SHA256_HEX + 32)
/* Writes the signature of an answer to the request with @nonce. @body NULL: the body is a stream.
 */
void base_sign_answer(const struct base_key *key, const char *nonce, unsigned status,
                      const void *body, size_t len, char out[static BASE_ANSWER_SIGNATURE_MAX]);
/* Checks the signature @text of an answer with any key of @keys. @body NULL: the body is not known,
 * so only the signature of a stream will do; @stream: that of a stream is accepted, too. Returns 0,
 * or -BASE_EPERM with the reason. */
int base_check_answer_signature(struct base_keyring *keys, const char *text, const char *nonce,
                                unsigned status, const void *body, size_t len, bool stream,
                                struct base_error *err);

/* Value of X-Creel-Start, with its NUL. */
#define BASE_START_SIGNATURE_MAX (BASE_KEY_ID_MAX + BASE_START_ID_MAX + BASE_SHA256_HEX + 32)
/* Writes the signature of a server's start id in the refusal of the request with @nonce. */
void base_sign_start_id(const struct base_key *key, const char *nonce, const char *start_id,
                        char out[static BASE_START_SIGNATURE_MAX]);
/* Returns true when @text is the value of X-Creel-Start (NULL or "": none) in a refusal of @sent,
 * signed with any key of @keys, and names another start id than @sent; copies that id to @out. */
bool base_read_signed_start_id(struct base_keyring *keys, const char *text,
                               const struct base_request_signature *sent,
                               char out[static BASE_START_ID_MAX]);

#endif
