#include "rm/term/batch.h"

#include <stdlib.h>
#include <string.h>

#define BYTES_KEPT (4u << 20)

void rm_batch_add(struct rm_batch *b, uint64_t seq, const struct rm_record *rec)
{
    struct rm_batch_entry e = {0};

    e.table = b->bytes.len;
    base_buf_add(&b->bytes, rec->table, strlen(rec->table) + 1);
    e.key = b->bytes.len;
    base_buf_add(&b->bytes, rec->key, strlen(rec->key) + 1);
    e.data = b->bytes.len;
    e.len = rec->len;
    e.remove = !rec->data;
    if (rec->data)
        base_buf_add(&b->bytes, rec->data, rec->len);
    base_buf_add(&b->bytes, "", 1);
    base_array_grow(&b->v, b->len, &b->cap);
    b->v[b->len++] = e;
    b->last_seq = seq;
}

struct rm_record rm_batch_get_record(const struct rm_batch *b, size_t i)
{
    const struct rm_batch_entry *e = &b->v[i];

    return (struct rm_record){b->bytes.data + e->table, b->bytes.data + e->key,
                              e->remove ? NULL : b->bytes.data + e->data, e->len};
}

void rm_batch_swap(struct rm_batch *a, struct rm_batch *b)
{
    struct rm_batch swap = *a;

    *a = *b;
    *b = swap;
}

void rm_batch_clear(struct rm_batch *b)
{
    if (b->bytes.cap > BYTES_KEPT)
        base_buf_free(&b->bytes);
    else
        base_buf_clear(&b->bytes);
    b->len = 0;
}

void rm_batch_free(struct rm_batch *b)
{
    base_buf_free(&b->bytes);
    free(b->v);
    *b = (struct rm_batch){0};
}
