#include "base/hadoop/token.h"

#include <string.h>

#define MAGIC        "HDTS"
#define AS_WRITABLES 0 /* the form of the file */
#define WIRE_VARINT  0
#define WIRE_BYTES   2
#define ONE_BYTE_MAX 127 /* numbers that Hadoop's own form of integers writes as themselves */
#define LENGTH_OFFSET                                                                              \
    (-112) /* of the first byte of others: minus the number of bytes that follow */

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

void base_hadoop_token_add_identifier(struct base_buf *out, const char *owner, uint64_t id,
                                      int64_t issued_ms, int64_t expires_ms)
{
    add_text_field(out, 1, owner);
    add_text_field(out, 2, ""); /* the renewer: these tokens are not renewed */
    add_text_field(out, 3, ""); /* the real user */
    add_number_field(out, 4, issued_ms);
    add_number_field(out, 5, expires_ms);
    add_number_field(out, 6, (int32_t)(uint32_t)(id >> 32));
    add_number_field(out, 7, (int32_t)(uint32_t)id);
}

void base_hadoop_token_compute_password(const char *digest, const void *identifier, size_t len,
                                        unsigned char out[static BASE_SHA256_BYTES])
{
    base_hmac_sha256(digest, strlen(digest), identifier, len, out);
}

/* ---- the file ---- */

/* Appends a length as Hadoop's WritableUtils does: a short one as itself, another one as the number
 * of its bytes and these. */
static void add_length(struct base_buf *out, size_t n)
{
    int bytes = 1;

    if (n <= ONE_BYTE_MAX) {
        base_buf_add(out, &(uint8_t){(uint8_t)n}, 1);
        return;
    }
    while (bytes < 8 && n >> (8 * bytes))
        bytes++;
    base_buf_add(out, &(int8_t){(int8_t)(LENGTH_OFFSET - bytes)}, 1);
    for (int i = bytes - 1; i >= 0; i--)
        base_buf_add(out, &(uint8_t){(uint8_t)(n >> (8 * i))}, 1);
}

static void add_bytes(struct base_buf *out, const void *bytes, size_t n)
{
    add_length(out, n);
    base_buf_add(out, bytes, n);
}

void base_hadoop_credentials_add(struct base_buf *out, const struct base_buf *identifier,
                                 const unsigned char password[static BASE_SHA256_BYTES],
                                 const char *service)
{
    base_buf_adds(out, MAGIC);
    base_buf_add(out, &(uint8_t){AS_WRITABLES}, 1);
    add_length(out, 1);                       /* tokens */
    add_bytes(out, service, strlen(service)); /* the name that the token has in the file */
    add_bytes(out, identifier->data, identifier->len);
    add_bytes(out, password, BASE_SHA256_BYTES);
    add_bytes(out, BASE_HADOOP_TOKEN_KIND, strlen(BASE_HADOOP_TOKEN_KIND));
    add_bytes(out, service, strlen(service));
    add_length(out, 0); /* secrets */
}
