/* api/rpc/frame.h - the frames of Hadoop RPC: a length of 4 bytes, big-endian, and messages that
 * each begin with their own length as a varint.
 *
 *   to the server  length | request header | a second message | a third one, in calls only
 *   to the client  length | answer header  | the result, when the status is SUCCESS
 *
 * Pure: bytes in, bytes out. SOURCE: Hadoop 3.4.2 as recorded in tests/interop/rpc. */
#ifndef CREEL_API_RPC_FRAME_H
#define CREEL_API_RPC_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/rpc/messages.pb-c.h"
#include "base/mem.h"

#define API_RPC_VERSION 9

/* Call ids that name no call. */
#define API_RPC_ID_NONE    (-1) /* in answers that belong to no request */
#define API_RPC_ID_CONTEXT (-3)
#define API_RPC_ID_PING    (-4)
#define API_RPC_ID_SASL    (-33)

enum api_rpc_status { API_RPC_SUCCESS, API_RPC_ERROR, API_RPC_FATAL };
/* What an answer says about an error, besides the Java class. */
enum api_rpc_detail {
    API_RPC_APPLICATION = 1, /* the call was carried out, and failed */
    API_RPC_NO_SUCH_METHOD = 2,
    API_RPC_NO_SUCH_PROTOCOL = 3,
    API_RPC_PROTOCOL_VERSION = 6,
    /* these end the connection */
    API_RPC_INVALID_HEADER = 12,
    API_RPC_BAD_MESSAGE = 13,
    API_RPC_VERSION_MISMATCH = 14,
    API_RPC_UNAUTHORIZED = 15,
};

struct api_rpc_bytes { /* borrowed */
    const uint8_t *data;
    size_t len;
};
/* Cuts the first message off @from, without its length, into @out. Returns false when the length is
 * missing or malformed, or exceeds what is there. */
bool api_rpc_cut_message(struct api_rpc_bytes *from, struct api_rpc_bytes *out);

/* What an answer echoes of its request. */
struct api_rpc_echo {
    int32_t call_id, retry;
    uint8_t client_id[16];
    uint8_t client_id_len;
};
extern const struct api_rpc_echo api_rpc_no_request; /* for answers that belong to no request */
/* Fills @out from a header. Of a client id that is longer than Hadoop's 16 bytes, nothing is
 * echoed. */
void api_rpc_echo_fill(const Rpc__RequestHeader *header, struct api_rpc_echo *out);

/* Appends a frame to a server. @request: the third message, encoded; NULL: there is none. */
void api_rpc_add_request(struct base_buf *out, const Rpc__RequestHeader *header,
                         const ProtobufCMessage *second, const struct api_rpc_bytes *request);
/* Appends a frame with status SUCCESS and @result. */
void api_rpc_add_success(struct base_buf *out, const struct api_rpc_echo *to,
                         const ProtobufCMessage *result);
/* The same for a result that is encoded already. */
void api_rpc_add_encoded_success(struct base_buf *out, const struct api_rpc_echo *to,
                                 const void *result, size_t len);
/* Appends a frame with an error: @status is API_RPC_ERROR or API_RPC_FATAL, @exception a Java
 * class. */
void api_rpc_add_error(struct base_buf *out, const struct api_rpc_echo *to,
                       enum api_rpc_status status, enum api_rpc_detail detail,
                       const char *exception, const char *message);
/* Appends field @number of a message: a message inside it. For lists that are too long to be built
 * in memory first. */
void api_rpc_add_field(struct base_buf *out, unsigned number, const ProtobufCMessage *value);

#endif
