/* api/rpc/arena.h - the memory in which one request is decoded. A message that would need more than
 * the arena's limit is not decoded: a few bytes on the wire may stand for much memory, such as an
 * empty message in a list. All is freed at once. */
#ifndef CREEL_API_RPC_ARENA_H
#define CREEL_API_RPC_ARENA_H

#include <protobuf-c/protobuf-c.h>

struct api_rpc_block;
struct api_rpc_arena {
    ProtobufCAllocator allocator; /* for unpack functions of protobuf-c; never frees */
    struct api_rpc_block *blocks;
    size_t left;
};
/* Makes an empty arena of at most @max bytes. End with api_rpc_arena_free(). The arena must not
 * move, since its allocator points to it. */
void api_rpc_arena_init(struct api_rpc_arena *a, size_t max);
/* Returns the room in which a request of @len bytes is decoded: enough for every message that real
 * clients send, of which one field takes some ten bytes on the wire and a hundred in memory. */
static inline size_t api_rpc_arena_room(size_t len)
{
    return 4096 + 16 * len;
}
/* Returns aligned memory that is not zeroed, or NULL when less than @size is left. */
void *api_rpc_arena_alloc(struct api_rpc_arena *a, size_t size);
/* Frees all that was decoded; the arena is empty then, with no room. */
void api_rpc_arena_free(struct api_rpc_arena *a);

/* Decodes a message of @type in the arena. Returns NULL for a malformed message, also one without a
 * required field or with a text that is not UTF-8, and for one that needs more memory than is
 * left. */
ProtobufCMessage *api_rpc_decode(const ProtobufCMessageDescriptor *type, const void *data,
                                 size_t len, struct api_rpc_arena *a);

#endif
