/* rm/term/batch.h - copies of records that the next transaction of the store will write. While one
 * batch is being written, the core's new records are added to another. Pure. */
#ifndef CREEL_RM_TERM_BATCH_H
#define CREEL_RM_TERM_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "rm/core/core.h"

struct rm_batch_entry { /* offsets into the bytes of the batch; @len: length of the data */
    size_t table, key, data, len;
    bool remove;
};
struct rm_batch {
    struct base_buf bytes; /* table NUL key NUL data NUL, one after another */
    struct rm_batch_entry *v;
    size_t len, cap;
    uint64_t last_seq; /* sequence number of the last record */
};
/* Copies @rec to the end of @b. @seq must be at least that of the call before. */
void rm_batch_add(struct rm_batch *b, uint64_t seq, const struct rm_record *rec);
/* Returns record @i, borrowed until @b is changed. Its data is NULL when the record is to be
 * removed from the store. */
struct rm_record rm_batch_get_record(const struct rm_batch *b, size_t i);
void rm_batch_swap(struct rm_batch *a, struct rm_batch *b);
/* Empties the batch; a buffer of more than 4 MiB is freed, a smaller one is kept. */
void rm_batch_clear(struct rm_batch *b);
void rm_batch_free(struct rm_batch *b);

#endif
