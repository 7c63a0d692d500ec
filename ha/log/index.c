#include "ha/log/index.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ha/log/segment.h"

#define SLOTS_MIN 64

void ha_log_index_free(struct ha_log_index *x)
{
    for (size_t i = 0; i < x->slots; i++)
        free(x->slot[i].item);
    free(x->slot);
    for (size_t i = 0; i < x->tables_n; i++)
        free(x->tables[i]);
    free(x->tables);
    free(x->place);
    *x = (struct ha_log_index){0};
}

/* Hashes eight bytes per step with multiply and fold. Good distribution is enough: keys come from
 * our own core, so no attacker chooses them. */
static uint32_t hash_key(uint8_t table, const char *key, size_t n)
{
    uint64_t h = (table + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15) ^ n;

    for (; n > 0;) {
        uint64_t w = 0;
        size_t k = n < 8 ? n : 8;
        memcpy(&w, key, k);
        h = (h ^ w) * UINT64_C(0xD6E8FEB86659FD93);
        h ^= h >> 32;
        key += k;
        n -= k;
    }
    h *= UINT64_C(0xD6E8FEB86659FD93);
    return (uint32_t)(h ^ h >> 32);
}

int ha_log_index_find_table(const struct ha_log_index *x, const char *table, size_t len)
{
    for (size_t k = 0; k < x->tables_n; k++) {
        size_t i = (x->tables_last + k) % x->tables_n;
        if (strncmp(x->tables[i], table, len) == 0 && x->tables[i][len] == '\0')
            return (int)i;
    }
    return -1;
}

static size_t find_or_add_table(struct ha_log_index *x, const char *table, size_t len)
{
    int i = ha_log_index_find_table(x, table, len);

    if (i < 0) {
        base_assert(x->tables_n < HA_LOG_TABLES_MAX);
        base_array_grow(&x->tables, x->tables_n, &x->tables_cap);
        x->tables[x->tables_n] = base_strndup(table, len);
        i = (int)x->tables_n++;
    }
    x->tables_last = (size_t)i;
    return (size_t)i;
}

/* Returns the index of the slot that holds the key or, if none does, of the empty slot where the
 * key belongs. */
static size_t find_slot(const struct ha_log_index *x, uint8_t table, const char *key, size_t n,
                        uint32_t hash)
{
    size_t i = hash & (x->slots - 1);

    for (const struct ha_log_item *it; (it = x->slot[i].item); i = (i + 1) & (x->slots - 1))
        if (x->slot[i].hash == hash && it->table == table && it->key_len == n &&
            memcmp(it->key, key, n) == 0)
            break;
    return i;
}

static void double_slots(struct ha_log_index *x)
{
    struct ha_log_slot *old = x->slot;
    size_t n = x->slots;

    x->slots = n ? n * 2 : SLOTS_MIN;
    x->slot = base_alloc(x->slots * sizeof *x->slot);
    for (size_t k = 0; k < n; k++) {
        size_t i;
        if (!old[k].item)
            continue;
        for (i = old[k].hash & (x->slots - 1); x->slot[i].item; i = (i + 1) & (x->slots - 1))
            ;
        x->slot[i] = old[k];
    }
    free(old);
}

struct ha_log_item *ha_log_index_find_item(struct ha_log_index *x, const char *table,
                                           size_t table_len, const char *key, size_t key_len)
{
    int t = ha_log_index_find_table(x, table, table_len);

    if (t < 0 || x->slots == 0)
        return NULL;
    x->tables_last = (size_t)t;
    return x->slot[find_slot(x, (uint8_t)t, key, key_len, hash_key((uint8_t)t, key, key_len))].item;
}

/* Adds (@sign 1) or subtracts (-1) @it from the totals and from the segments that hold it. */
static void add_item_to_counts(struct ha_log_index *x, const struct ha_log_item *it, int sign)
{
    const char *table = x->tables[it->table];
    const struct ha_log_entry e = {.kind = HA_LOG_UPSERT,
                                   .table = table,
                                   .table_len = strlen(table),
                                   .key_len = it->key_len,
                                   .len = it->len};

    for (uint64_t s = it->segment; s < it->segment + it->parts; s++)
        ha_log_index_segment_place(x, s)->items += (uint32_t)sign;
    if (it->removed)
        return;
    x->live_records += sign;
    x->live_bytes += sign * (int64_t)ha_log_entry_encoded_size(&e);
}

struct ha_log_item *ha_log_index_set_place(struct ha_log_index *x, const char *table,
                                           size_t table_len, const char *key, size_t key_len,
                                           uint64_t segment, uint32_t off, uint32_t parts,
                                           bool removed, uint32_t len)
{
    uint8_t t = (uint8_t)find_or_add_table(x, table, table_len);
    uint32_t hash = hash_key(t, key, key_len);
    struct ha_log_item *it;
    size_t i;

    if ((x->used + 1) * 4 > x->slots * 3)
        double_slots(x);
    i = find_slot(x, t, key, key_len, hash);
    it = x->slot[i].item;
    if (it) {
        add_item_to_counts(x, it, -1);
    } else {
        it = base_realloc_array(NULL, sizeof *it + key_len + 1, 1);
        it->table = t;
        it->key_len = (uint16_t)key_len;
        memcpy(it->key, key, key_len);
        it->key[key_len] = '\0';
        x->slot[i] = (struct ha_log_slot){it, hash};
        x->used++;
    }
    it->segment = segment;
    it->data = NULL;
    it->off = off;
    it->len = len;
    it->parts = (uint16_t)parts;
    it->removed = removed;
    add_item_to_counts(x, it, 1);
    return it;
}

void ha_log_index_remove(struct ha_log_index *x, struct ha_log_item *it)
{
    uint32_t hash = hash_key(it->table, it->key, it->key_len);
    size_t mask = x->slots - 1, i = find_slot(x, it->table, it->key, it->key_len, hash);

    base_assert(x->slot[i].item == it);
    add_item_to_counts(x, it, -1);
    free(it);
    x->used--;
    /* Move up the later items that the hole would make unreachable (Knuth, TAOCP 3, 6.4, algorithm
     * R). */
    for (size_t j = (i + 1) & mask; x->slot[j].item; j = (j + 1) & mask) {
        size_t home = x->slot[j].hash & mask;
        if (((j - home) & mask) >= ((j - i) & mask)) {
            x->slot[i] = x->slot[j];
            i = j;
        }
    }
    x->slot[i].item = NULL;
}

void ha_log_index_add_segment(struct ha_log_index *x, uint64_t number)
{
    if (x->places_n == 0)
        x->first = number;
    base_assert(number == x->first + x->places_n);
    if (x->places_at + x->places_n == x->places_cap && x->places_at > x->places_cap / 2) {
        memmove(x->place, x->place + x->places_at, x->places_n * sizeof *x->place);
        x->places_at = 0;
    }
    base_array_grow(&x->place, x->places_at + x->places_n, &x->places_cap);
    x->place[x->places_at + x->places_n++] = (struct ha_log_place){0};
}

struct ha_log_place *ha_log_index_segment_place(struct ha_log_index *x, uint64_t number)
{
    base_assert(number >= x->first && number - x->first < x->places_n);
    return &x->place[x->places_at + (number - x->first)];
}

void ha_log_index_set_segment_size(struct ha_log_index *x, uint64_t number, uint32_t bytes)
{
    struct ha_log_place *p = ha_log_index_segment_place(x, number);

    base_assert(p->bytes == 0);
    p->bytes = bytes;
    x->bytes += bytes;
}

void ha_log_index_drop_first_segment(struct ha_log_index *x)
{
    const struct ha_log_place *p = ha_log_index_segment_place(x, x->first);

    base_assert(p->items == 0);
    x->bytes -= p->bytes;
    x->first++;
    x->places_at++;
    x->places_n--;
}
