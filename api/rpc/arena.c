#include "api/rpc/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"

#define BLOCK_BYTES 2000

struct api_rpc_block {
    struct api_rpc_block *next;
    size_t used, size;
    alignas(max_align_t) char data[];
};

static void *alloc_for_protobuf(void *arena, size_t size)
{
    return api_rpc_arena_alloc(arena, size);
}

static void keep_until_arena_is_freed(void *arena, void *memory)
{
    (void)arena;
    (void)memory;
}

void api_rpc_arena_init(struct api_rpc_arena *a, size_t max)
{
    *a = (struct api_rpc_arena){.allocator = {.alloc = alloc_for_protobuf,
                                              .free = keep_until_arena_is_freed,
                                              .allocator_data = a},
                                .left = max};
}

void *api_rpc_arena_alloc(struct api_rpc_arena *a, size_t size)
{
    struct api_rpc_block *b = a->blocks;
    size_t align = alignof(max_align_t);
    void *p;

    if (size > a->left || a->left - size < align)
        return NULL;
    size = (size + align - 1) / align * align;
    if (!b || b->size - b->used < size) {
        size_t room = size > BLOCK_BYTES ? size : BLOCK_BYTES;

        b = base_alloc(sizeof *b + room);
        b->size = room;
        b->next = a->blocks;
        a->blocks = b;
    }
    p = b->data + b->used;
    b->used += size;
    a->left -= size;
    return p;
}

void api_rpc_arena_free(struct api_rpc_arena *a)
{
    while (a->blocks) {
        struct api_rpc_block *next = a->blocks->next;

        free(a->blocks);
        a->blocks = next;
    }
    a->left = 0;
}

static bool has_valid_text(const ProtobufCMessage *m);

static bool is_valid_text(const ProtobufCFieldDescriptor *f, const void *value)
{
    if (f->type == PROTOBUF_C_TYPE_STRING) {
        const char *text = *(char *const *)value;

        return !text || base_utf8_valid(text);
    }
    if (f->type == PROTOBUF_C_TYPE_MESSAGE) {
        const ProtobufCMessage *m = *(ProtobufCMessage *const *)value;

        return !m || has_valid_text(m);
    }
    return true;
}

/* protobuf-c takes any bytes for a text. The answers of REST, the store and the logs are UTF-8. The
 * depth of the recursion is that of the message types. */
static bool has_valid_text(const ProtobufCMessage *m)
{
    for (unsigned i = 0; i < m->descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *f = &m->descriptor->fields[i];
        const char *at = (const char *)m + f->offset;

        if (f->label != PROTOBUF_C_LABEL_REPEATED) {
            if (!is_valid_text(f, at))
                return false;
        } else if (f->type == PROTOBUF_C_TYPE_STRING || f->type == PROTOBUF_C_TYPE_MESSAGE) {
            size_t n = *(const size_t *)(const void *)((const char *)m + f->quantifier_offset);
            void *const *elements = *(void *const *const *)(const void *)at;

            for (size_t k = 0; k < n; k++)
                if (!is_valid_text(f, &elements[k]))
                    return false;
        }
    }
    return true;
}

ProtobufCMessage *api_rpc_decode(const ProtobufCMessageDescriptor *type, const void *data,
                                 size_t len, struct api_rpc_arena *a)
{
    ProtobufCMessage *m = protobuf_c_message_unpack(type, &a->allocator, len, data);

    return m && has_valid_text(m) ? m : NULL;
}
