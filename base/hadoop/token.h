/* base/hadoop/token.h - a token of a Creel user in the form in which Hadoop's clients present it
 * over Hadoop RPC, and the file in which they find it.
 *
 *   identifier   that of YARN's delegation tokens: owner, dates, and two numbers of 32 bits, which
 *                together are the token's id
 *   password     HMAC-SHA256 of the identifier, with the SHA-256 of the token's secret as the key
 *
 * The ResourceManager keeps the SHA-256 of the secret, never the secret, so both sides can compute
 * the password, and clients make the file without asking anybody. SOURCE: the layout of Hadoop's
 * credentials files ("HDTS", version 0) as recorded from Hadoop 3.4.2. */
#ifndef CREEL_BASE_HADOOP_TOKEN_H
#define CREEL_BASE_HADOOP_TOKEN_H

#include "base/crypto/digest.h"
#include "base/mem.h"

#define BASE_HADOOP_TOKEN_KIND "RM_DELEGATION_TOKEN"

/* Appends the identifier. Times are in ms; @expires_ms: after which clients do not use it. */
void base_hadoop_token_add_identifier(struct base_buf *out, const char *owner, uint64_t id,
                                      int64_t issued_ms, int64_t expires_ms);
/* Writes the password. @digest: the SHA-256 of the token's secret as hex digits. */
void base_hadoop_token_compute_password(const char *digest, const void *identifier, size_t len,
                                        unsigned char out[static BASE_SHA256_BYTES]);
/* Appends the credentials file with this one token. @service: "IP:PORT" of the ResourceManager,
 * those of several joined by commas. */
void base_hadoop_credentials_add(struct base_buf *out, const struct base_buf *identifier,
                                 const unsigned char password[static BASE_SHA256_BYTES],
                                 const char *service);

#endif
