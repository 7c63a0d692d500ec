#include "base/hadoop/token.h"

#include <stdlib.h>
#include <string.h>

#include "base/crypto/hex.h"
#include "base/error.h"

#include "base/hadoop/credentials.h"

#define WIRE_VARINT 0
#define WIRE_BYTES  2

/* ---- the identifier, a message of Protocol Buffers ---- */

static void add_varint(struct base_buf *out, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        base_buf_add(out, &(uint8_t){(uint8_t)(v | 0x80)}, 1);
    base_buf_add(out, &(uint8_t){(uint8_t)v}, 1);
}

static void add_text_field(struct base_buf *out, unsigned number, const char *text)
{
    add_varint(out, number << 3 | WIRE_BYTES);
    add_varint(out, strlen(text));
    base_buf_adds(out, text);
}

static void add_number_field(struct base_buf *out, unsigned number, int64_t v)
{
    add_varint(out, number << 3 | WIRE_VARINT);
    add_varint(out, (uint64_t)v);
}

void base_hadoop_token_add_identifier(struct base_buf *out, const char *owner, const char *key_id,
                                      uint64_t id, int64_t issued_ms, int64_t expires_ms)
{
    add_text_field(out, 1, owner);
    add_text_field(out, 2, key_id); /* the renewer; these tokens are not renewed */
    add_text_field(out, 3, "");     /* the real user */
    add_number_field(out, 4, issued_ms);
    add_number_field(out, 5, expires_ms);
    add_number_field(out, 6, (int32_t)(uint32_t)(id >> 32));
    add_number_field(out, 7, (int32_t)(uint32_t)id);
}

void base_hadoop_token_compute_key(const struct base_key *of_cluster, const char *digest,
                                   char out[static BASE_SHA256_HEX])
{
    unsigned char key[BASE_SHA256_BYTES];
    char *text = base_printf("creel-rpc-1\n%s", digest);

    base_hmac_sha256(of_cluster->bytes, sizeof of_cluster->bytes, text, strlen(text), key);
    base_hex_encode(key, sizeof key, out);
    explicit_bzero(key, sizeof key);
    explicit_bzero(text, strlen(text));
    free(text);
}

void base_hadoop_token_compute_password(const char *key, const void *identifier, size_t len,
                                        unsigned char out[static BASE_SHA256_BYTES])
{
    base_hmac_sha256(key, strlen(key), identifier, len, out);
}

/* ---- the file ---- */

void base_hadoop_credentials_add(struct base_buf *out, const struct base_buf *identifier,
                                 const unsigned char password[static BASE_SHA256_BYTES],
                                 const char *service)
{
    struct base_credentials credentials = {0};
    struct base_hadoop_token token = {.kind = base_strdup(BASE_HADOOP_TOKEN_KIND),
                                      .service = base_strdup(service)};

    base_buf_add(&token.identifier, identifier->data, identifier->len);
    base_buf_add(&token.password, password, BASE_SHA256_BYTES);
    base_credentials_set_token(&credentials, service, &token);
    base_credentials_write(&credentials, out);
    base_credentials_free(&credentials);
}
