/* rm/term/batch.h - records on their way to the store, copied: what the core wants stored while one
 * transaction is being written goes into the next. Pure. */
#ifndef CREEL_RM_TERM_BATCH_H
#define CREEL_RM_TERM_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "rm/core/core.h"

struct rm_batch_entry { /* offsets into bytes */
    size_t table, key, data, len;
    bool remove;
};
struct rm_batch {
    struct base_buf bytes; /* table NUL key NUL data NUL, one after another */
    struct rm_batch_entry *v;
    size_t len, cap;
    uint64_t last_seq; /* everything up to here is stored when the batch is */
};
/* Sequence numbers grow. */
void rm_batch_add(struct rm_batch *b, uint64_t seq, const struct rm_record *rec);
/* Record @i; valid until the next change of @b. */
struct rm_record rm_batch_record(const struct rm_batch *b, size_t i);
void rm_batch_swap(struct rm_batch *a, struct rm_batch *b);
void rm_batch_clear(struct rm_batch *b); /* gives back a buffer that has grown beyond some MiB */
void rm_batch_free(struct rm_batch *b);

#endif
