#include "api/rpc/frame.h"

#include <string.h>

#define VARINT_MAX    10 /* bytes */
#define WIRE_MESSAGE  2  /* the wire type of a field whose length comes first */
#define LENGTH_BYTES  4
#define LENGTH_VARINT 5 /* most bytes of the varint of a 32-bit length */

const struct api_rpc_echo api_rpc_no_request = {.call_id = API_RPC_ID_NONE, .retry = -1};

bool api_rpc_cut_message(struct api_rpc_bytes *from, struct api_rpc_bytes *out)
{
    uint64_t len = 0;
    size_t n = 0;

    do {
        if (n == from->len || n == LENGTH_VARINT)
            return false;
        len |= (uint64_t)(from->data[n] & 0x7f) << (7 * n);
    } while (from->data[n++] & 0x80);
    if (len > from->len - n)
        return false;
    *out = (struct api_rpc_bytes){from->data + n, (size_t)len};
    from->data += n + (size_t)len;
    from->len -= n + (size_t)len;
    return true;
}

void api_rpc_echo_fill(const Rpc__RequestHeader *header, struct api_rpc_echo *out)
{
    *out = (struct api_rpc_echo){.call_id = header->call_id, .retry = header->retry};
    if (header->client_id.len <= sizeof out->client_id) {
        out->client_id_len = (uint8_t)header->client_id.len;
        if (out->client_id_len)
            memcpy(out->client_id, header->client_id.data, out->client_id_len);
    }
}

static void add_varint(struct base_buf *out, uint64_t v)
{
    uint8_t bytes[VARINT_MAX];
    size_t n = 0;

    for (; v >= 0x80; v >>= 7)
        bytes[n++] = (uint8_t)(v | 0x80);
    bytes[n++] = (uint8_t)v;
    base_buf_add(out, bytes, n);
}

/* Appends the message without a length. */
static void add_message(struct base_buf *out, const ProtobufCMessage *m, size_t len)
{
    base_buf_reserve(out, len);
    out->len += protobuf_c_message_pack(m, (uint8_t *)out->data + out->len);
    out->data[out->len] = '\0';
}

static void add_with_length(struct base_buf *out, const ProtobufCMessage *m)
{
    size_t len = protobuf_c_message_get_packed_size(m);

    add_varint(out, len);
    add_message(out, m, len);
}

/* Reserves the frame's length, which end_frame() sets. Returns where it stands. */
static size_t begin_frame(struct base_buf *out)
{
    size_t at = out->len;

    base_buf_add(out, "\0\0\0", LENGTH_BYTES);
    return at;
}

static void end_frame(struct base_buf *out, size_t at)
{
    size_t len = out->len - at - LENGTH_BYTES;

    for (int i = 0; i < LENGTH_BYTES; i++)
        out->data[at + (size_t)i] = (char)(uint8_t)(len >> (8 * (LENGTH_BYTES - 1 - i)));
}

static void add_header(struct base_buf *out, const struct api_rpc_echo *to,
                       Rpc__AnswerHeader *header)
{
    header->call_id = (uint32_t)to->call_id;
    header->has_version = header->has_client_id = header->has_retry = true;
    header->version = API_RPC_VERSION;
    header->client_id.data = (uint8_t *)to->client_id;
    header->client_id.len = to->client_id_len;
    header->retry = to->retry;
    add_with_length(out, &header->base);
}

void api_rpc_add_request(struct base_buf *out, const Rpc__RequestHeader *header,
                         const ProtobufCMessage *second, const struct api_rpc_bytes *request)
{
    size_t at = begin_frame(out);

    add_with_length(out, &header->base);
    add_with_length(out, second);
    if (request) {
        add_varint(out, request->len);
        base_buf_add(out, request->data, request->len);
    }
    end_frame(out, at);
}

void api_rpc_add_success(struct base_buf *out, const struct api_rpc_echo *to,
                         const ProtobufCMessage *result)
{
    Rpc__AnswerHeader header = RPC__ANSWER_HEADER__INIT;
    size_t at = begin_frame(out);

    header.status = API_RPC_SUCCESS;
    add_header(out, to, &header);
    add_with_length(out, result);
    end_frame(out, at);
}

void api_rpc_add_encoded_success(struct base_buf *out, const struct api_rpc_echo *to,
                                 const void *result, size_t len)
{
    Rpc__AnswerHeader header = RPC__ANSWER_HEADER__INIT;
    size_t at = begin_frame(out);

    header.status = API_RPC_SUCCESS;
    add_header(out, to, &header);
    add_varint(out, len);
    base_buf_add(out, result, len);
    end_frame(out, at);
}

void api_rpc_add_error(struct base_buf *out, const struct api_rpc_echo *to,
                       enum api_rpc_status status, enum api_rpc_detail detail,
                       const char *exception, const char *message)
{
    Rpc__AnswerHeader header = RPC__ANSWER_HEADER__INIT;
    size_t at = begin_frame(out);

    header.status = status;
    header.has_detail = true;
    header.detail = detail;
    header.exception = (char *)exception;
    header.message = (char *)message;
    add_header(out, to, &header);
    end_frame(out, at);
}

void api_rpc_add_field(struct base_buf *out, unsigned number, const ProtobufCMessage *value)
{
    add_varint(out, (uint64_t)number << 3 | WIRE_MESSAGE);
    add_with_length(out, value);
}
