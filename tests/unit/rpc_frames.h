/* tests/unit/rpc_frames.h - recorded frames of Hadoop RPC (tests/interop/rpc), and frames that
 * tests make. */
#ifndef CREEL_TESTS_RPC_FRAMES_H
#define CREEL_TESTS_RPC_FRAMES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/rpc/session.h"
#include "base/crypto/hex.h"
#include "base/error.h"

#define RPC_PREAMBLE_SIMPLE "hrpc\x09\0\0"
#define RPC_PREAMBLE_SASL   "hrpc\x09\0\xdf"
#define RPC_PREAMBLE_BYTES  7
#define RPC_CLIENT          "org.apache.hadoop.yarn.api.ApplicationClientProtocolPB"

/* Appends what side @from, 'C' or 'S', sends in line @i of its lines (-1: in all). */
static inline void rpc_frames_read(const char *name, char from, int i, struct base_buf *out)
{
    char *path = base_printf("%s/%s", RPC_GOLDEN, name), line[16384];
    FILE *f = fopen(path, "r");
    int at = 0;

    base_assert(f != NULL);
    while (fgets(line, sizeof line, f)) {
        size_t n = (strcspn(line, "\n") - 2) / 2;
        unsigned char bytes[sizeof line];

        if (line[0] != from || (i >= 0 && at++ != i))
            continue;
        base_assert(base_hex_decode(line + 2, bytes, n));
        base_buf_add(out, bytes, n);
    }
    fclose(f);
    free(path);
}

static inline void rpc_add_delimited(struct base_buf *out, const ProtobufCMessage *m)
{
    size_t n = m ? protobuf_c_message_get_packed_size(m) : 0, left;
    uint8_t *bytes = base_alloc(n + 1);

    for (left = n; left >= 0x80; left >>= 7)
        base_buf_add(out, &(uint8_t){(uint8_t)(left | 0x80)}, 1);
    base_buf_add(out, &(uint8_t){(uint8_t)left}, 1);
    if (m)
        protobuf_c_message_pack(m, bytes);
    base_buf_add(out, bytes, n);
    free(bytes);
}

/* Appends a frame: the header of call @id, and the messages after it (NULL: an empty one). */
static inline void rpc_frame_add(struct base_buf *out, int32_t id, int n,
                                 const ProtobufCMessage *second, const ProtobufCMessage *third)
{
    Rpc__RequestHeader header = RPC__REQUEST_HEADER__INIT;
    const ProtobufCMessage *parts[] = {second, third};
    struct base_buf body = {0};
    uint8_t len[4];

    header.has_kind = header.has_op = header.has_retry = true;
    header.kind = 2;
    header.op = 0;
    header.call_id = id;
    header.client_id.data = (uint8_t *)"0123456789abcdef";
    header.client_id.len = id == API_RPC_ID_SASL ? 0 : 16;
    header.retry = 0;
    rpc_add_delimited(&body, &header.base);
    for (int i = 0; i < n; i++)
        rpc_add_delimited(&body, parts[i]);
    for (int i = 0; i < 4; i++)
        len[i] = (uint8_t)(body.len >> (24 - 8 * i));
    base_buf_add(out, len, sizeof len);
    base_buf_add(out, body.data, body.len);
    base_buf_free(&body);
}

static inline void rpc_context_add(struct base_buf *out, const char *user, const char *real)
{
    Rpc__Context context = RPC__CONTEXT__INIT;
    Rpc__User who = RPC__USER__INIT;

    who.effective = (char *)user;
    who.real = (char *)real;
    context.user = &who;
    context.protocol = RPC_CLIENT;
    rpc_frame_add(out, API_RPC_ID_CONTEXT, 1, &context.base, NULL);
}

static inline void rpc_call_add(struct base_buf *out, int32_t id, const char *protocol,
                                const char *method, const ProtobufCMessage *request)
{
    Rpc__CallHeader header = RPC__CALL_HEADER__INIT;

    header.method = (char *)method;
    header.protocol = (char *)protocol;
    header.version = 1;
    rpc_frame_add(out, id, 2, &header.base, request);
}

static inline void rpc_sasl_add(struct base_buf *out, int32_t state, const char *method,
                                const struct base_buf *token)
{
    Rpc__Sasl m = RPC__SASL__INIT;
    Rpc__SaslMethod one = RPC__SASL_METHOD__INIT, *list[] = {&one};

    m.state = state;
    one.method = (char *)method;
    one.mechanism = "";
    if (method) {
        m.methods = list;
        m.n_methods = 1;
    }
    if (token) {
        m.has_token = true;
        m.token.data = (uint8_t *)token->data;
        m.token.len = token->len;
    }
    rpc_frame_add(out, API_RPC_ID_SASL, 1, &m.base, NULL);
}

/* One answer, decoded; free with rpc_answer_free(). */
struct rpc_answer {
    Rpc__AnswerHeader *header; /* NULL: there is none */
    struct base_buf body;      /* the result, without its length */
};
/* Takes the first answer off @from. */
static inline struct rpc_answer rpc_answer_take(struct base_buf *from)
{
    const uint8_t *in = (const uint8_t *)from->data;
    struct rpc_answer a = {0};
    struct api_rpc_bytes frame, header, body;
    size_t len;

    if (from->len < 4)
        return a;
    len = (size_t)in[0] << 24 | (size_t)in[1] << 16 | (size_t)in[2] << 8 | in[3];
    if (from->len < 4 + len)
        return a;
    frame = (struct api_rpc_bytes){in + 4, len};
    base_assert(api_rpc_cut_message(&frame, &header));
    a.header = rpc__answer_header__unpack(NULL, header.len, header.data);
    base_assert(a.header != NULL);
    if (api_rpc_cut_message(&frame, &body))
        base_buf_add(&a.body, body.data, body.len);
    base_assert(frame.len == 0);
    memmove(from->data, from->data + 4 + len, from->len - 4 - len);
    from->len -= 4 + len;
    return a;
}
static inline void rpc_answer_free(struct rpc_answer *a)
{
    if (a->header)
        rpc__answer_header__free_unpacked(a->header, NULL);
    base_buf_free(&a->body);
}

#endif
