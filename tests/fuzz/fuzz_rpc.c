/* Any bytes as the input of a connection of Hadoop RPC, in hex digits where they are not typed: the
 * session takes them or ends, and what it takes as requests, responses and identifiers is decoded
 * or refused within the room that it has. */
#include <stdlib.h>
#include <string.h>

#include "api/rpc/digest_md5.h"
#include "api/rpc/session.h"
#include "base/error.h"
#include "rm/rpc/yarn.pb-c.h"
#include "tests/fuzz/fuzz.h"

#define P                                                                                          \
    "366f72672e6170616368652e6861646f6f702e7961726e2e6170692e4170706c69636174696f6e"               \
    "436c69656e7450726f746f636f6c5042"

/* clang-format off */
const char *const creel_fuzz_samples[] = {
    /* a context and a call without authentication */
    "6872706309000000" "00006321080210001805221047bd825799aa47a58fa5791cf3c718ff28013a050a03434c49"
    "4012060a04726f6f741a" P
    "0000007121080210001800221047bd825799aa47a58fa5791cf3c718ff28003a050a03434c494d0a116765744e6577"
    "4170706c69636174696f6e12" P "180100",
    /* NEGOTIATE, INITIATE with a token */
    "687270630900df0000000e0a080210001841220028010210010000004f0a080210001841220028014302"
    "10021a3f757365726e616d653d2243673d3d222c7265616c6d3d2264656661756c74222c6e6f6e63653d226e222c6e"
    "633d30303030303030312c636e6f6e63653d2263",
    "687270630900000000000c0a08021000180722002801",
    "474554202f20485454502f312e310d0a0d0a",
    NULL,
};
/* clang-format on */

static enum api_rpc_token find_password(void *u, const void *identifier, size_t len,
                                        char **password, char **user)
{
    (void)u;
    (void)identifier;
    if (len % 3 == 0)
        return len % 2 ? API_RPC_TOKEN_INVALID : API_RPC_TOKEN_STANDBY;
    *password = base_strdup("p");
    *user = base_strdup("u");
    return API_RPC_TOKEN_VALID;
}

/* Decodes the bytes as each of the requests that the ResourceManager takes. */
static void decode_as_everything(const uint8_t *data, size_t len)
{
    static const ProtobufCMessageDescriptor *const types[] = {&yarn__app_request__descriptor,
                                                              &yarn__apps_request__descriptor,
                                                              &yarn__kill_request__descriptor,
                                                              &yarn__move_request__descriptor,
                                                              &yarn__priority_request__descriptor,
                                                              &yarn__attempt_request__descriptor,
                                                              &yarn__container_request__descriptor,
                                                              &yarn__signal_request__descriptor,
                                                              &yarn__timeouts_request__descriptor,
                                                              &yarn__nodes_request__descriptor,
                                                              &yarn__queue_request__descriptor,
                                                              &yarn__token_id__descriptor,
                                                              &yarn__empty__descriptor};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct api_rpc_arena arena;
        ProtobufCMessage *m;

        api_rpc_arena_init(&arena, 4096 + 16 * len);
        m = api_rpc_decode(types[i], data, len, &arena);
        if (m) /* what was read can be written */
            base_assert(protobuf_c_message_get_packed_size(m) <= 16 * len + 64);
        api_rpc_arena_free(&arena);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct api_rpc_session_conf conf = {
        .simple = size % 2, .find_password = size % 3 ? find_password : NULL, .frame_max = 1 << 16};
    uint8_t *bytes = creel_fuzz_read_hex(data, &size);
    struct api_rpc_session session;
    struct base_buf out = {0};
    enum api_rpc_next next = API_RPC_AGAIN;
    size_t at = 0, used;

    api_rpc_session_init(&session, &conf);
    while (next != API_RPC_CLOSE && next != API_RPC_WAIT) {
        struct api_rpc_incoming call;
        struct api_rpc_arena arena;

        api_rpc_arena_init(&arena, 1 << 16);
        next =
            api_rpc_session_take_frame(&session, bytes + at, size - at, &used, &out, &arena, &call);
        if (next == API_RPC_CALL) {
            base_assert(session.user && call.method && call.protocol);
            if (call.request.data)
                decode_as_everything(call.request.data, call.request.len);
        }
        base_assert(next == API_RPC_WAIT ? used > size - at
                                         : next == API_RPC_CLOSE || used <= size - at);
        at += next == API_RPC_WAIT || next == API_RPC_CLOSE ? 0 : used;
        api_rpc_arena_free(&arena);
    }
    decode_as_everything(bytes, size);
    api_rpc_session_free(&session);
    base_buf_free(&out);
    free(bytes);
    return 0;
}
