/* base/hadoop/token.h - a token of a Creel user in the form in which Hadoop's clients present it
 * over Hadoop RPC, and the file in which they find it.
 *
 *   identifier   that of YARN's delegation tokens: owner, dates, and two numbers of 32 bits, which
 *                together are the token's id; in place of a renewer it names a key of the cluster's
 *                secret
 *   key          HMAC-SHA256 of the SHA-256 of the token's secret, with that key of the cluster
 *   password     HMAC-SHA256 of the identifier, with the key
 *
 * The state store has the SHA-256 of the token's secret alone. Whoever reads it can neither act
 * over REST, which asks for the secret, nor make such a file, for which the cluster's secret is
 * needed, too: the owner of a token asks the ResourceManager for its key (rm/http/access/tokens.c).
 * Whoever has both can: DIGEST-MD5 lets no server check a proof without what suffices to give one.
 * A file is good as long as the token, and as the cluster's secret has the key. SOURCE: the layout
 * of Hadoop's credentials files ("HDTS", version 0) as recorded from Hadoop 3.4.2. */
#ifndef CREEL_BASE_HADOOP_TOKEN_H
#define CREEL_BASE_HADOOP_TOKEN_H

#include "base/crypto/digest.h"
#include "base/crypto/secret_file.h"
#include "base/mem.h"

#define BASE_HADOOP_TOKEN_KIND "RM_DELEGATION_TOKEN"

/* Appends the identifier. @key_id: names the cluster's key. Times are in ms; @expires_ms: after
 * which clients do not use it. */
void base_hadoop_token_add_identifier(struct base_buf *out, const char *owner, const char *key_id,
                                      uint64_t id, int64_t issued_ms, int64_t expires_ms);
/* Writes the key of a token as hex digits. @digest: the SHA-256 of its secret, as hex digits. */
void base_hadoop_token_compute_key(const struct base_key *of_cluster, const char *digest,
                                   char out[static BASE_SHA256_HEX]);
/* Writes the password. @key: hex digits. */
void base_hadoop_token_compute_password(const char *key, const void *identifier, size_t len,
                                        unsigned char out[static BASE_SHA256_BYTES]);
/* Appends the credentials file with this one token. @service: "IP:PORT" of the ResourceManager,
 * those of several joined by commas. */
void base_hadoop_credentials_add(struct base_buf *out, const struct base_buf *identifier,
                                 const unsigned char password[static BASE_SHA256_BYTES],
                                 const char *service);

#endif
