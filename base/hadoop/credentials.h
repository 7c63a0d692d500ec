/* base/hadoop/credentials.h - Hadoop's credentials: tokens and secrets, each under an alias, which
 * clients send with an application and containers find in a token file.
 *
 *   "HDTS", 0    Writables: count, then per token   alias, identifier, password, kind, service;
 *                           count, then per secret  alias, bytes
 *   "HDTS", 1    one message of Protocol Buffers (credentials.proto), with its length before it
 *
 * Counts and lengths of Writables are Hadoop's VInts; every text and byte string is a length and
 * that many bytes. Both forms are read; the first, Hadoop's default, is written.
 *
 * Bounds: BASE_CREDENTIALS_MAX tokens, and as many secrets. Texts are UTF-8 without NUL. What is
 * read is bounded by the bytes that are there, whatever the lengths in them say.
 *
 * SOURCE: credentials of MapReduce and Spark, recorded from Hadoop 3.4.2. */
#ifndef CREEL_BASE_HADOOP_CREDENTIALS_H
#define CREEL_BASE_HADOOP_CREDENTIALS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"

#define BASE_CREDENTIALS_MAX 1000

/* Appends a number, at most INT64_MAX, as Hadoop's WritableUtils writes its VInts and VLongs. */
void base_hadoop_vint_add(struct base_buf *out, uint64_t v);

struct base_hadoop_token { /* owns its members */
    struct base_buf identifier, password;
    char *kind, *service;
};
/* Reads a token's four members from Writables. Bytes after them are ignored, as in YARN. Returns
 * false when a member is cut off or is no text: then @out owns nothing. */
bool base_hadoop_token_read(const void *bytes, size_t len, struct base_hadoop_token *out);
/* Appends the four members as Writables. */
void base_hadoop_token_write(const struct base_hadoop_token *token, struct base_buf *out);
void base_hadoop_token_free(struct base_hadoop_token *token);

struct base_named_token {
    char *alias;
    struct base_hadoop_token token;
};
struct base_named_secret {
    char *alias;
    struct base_buf bytes;
};
struct base_credentials { /* all zero: none; owns everything */
    struct base_named_token *tokens;
    size_t tokens_n, tokens_cap;
    struct base_named_secret *secrets;
    size_t secrets_n, secrets_cap;
};
/* Reads a credentials file. Returns 0, or with @out empty
 *
 *   -BASE_EINVAL  it is cut off or damaged, of another form, or has bytes after its end
 *   -BASE_ELIMIT  more tokens or secrets than BASE_CREDENTIALS_MAX */
int base_credentials_parse(const void *bytes, size_t len, struct base_credentials *out,
                           struct base_error *err);
/* Appends the file in the form of Writables. */
void base_credentials_write(const struct base_credentials *c, struct base_buf *out);
/* Returns the first token of this kind, borrowed; NULL: there is none. */
const struct base_hadoop_token *base_credentials_find_token(const struct base_credentials *c,
                                                            const char *kind);
/* Sets the token, or replaces the one with this alias. Takes @token's members. */
void base_credentials_set_token(struct base_credentials *c, const char *alias,
                                struct base_hadoop_token *token);
/* Likewise for a secret; takes @bytes. */
void base_credentials_set_secret(struct base_credentials *c, const char *alias,
                                 struct base_buf *bytes);
void base_credentials_free(struct base_credentials *c);

#endif
