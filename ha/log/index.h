/* ha/log/index.h - for each key the segment that holds its last record, and for each segment what
 * is still live in it. Pure.
 *
 * About 100 bytes per record: each key is stored once, data not at all (except while a freshly
 * loaded log is being read). */
#ifndef CREEL_HA_LOG_INDEX_H
#define CREEL_HA_LOG_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ha_log_item {
    uint64_t segment; /* the segment where the record begins */
    const char *data; /* data of the record while the log has it in memory, else NULL */
    uint32_t off, len;
    uint16_t key_len, parts; /* parts: number of segments that hold the record */
    uint8_t table;
    bool removed; /* a removal; needed while an older segment may contain the key */
    char key[];
};
struct ha_log_place { /* one segment */
    uint32_t bytes;   /* size of the segment's node; 0: under construction */
    /* number of records and removals whose last place is (partly) in the segment */
    uint32_t items;
    bool continues; /* the segment ends within a large record */
};
struct ha_log_slot {
    struct ha_log_item *item; /* NULL: free */
    /* stored here so that most mismatches are found without reading the item */
    uint32_t hash;
};
#define HA_LOG_TABLES_MAX 256

struct ha_log_index {
    /* open addressing, linear probing; up to three quarters full, while base/data/map.h is at most
     * half full: the index of a large log has millions of slots */
    struct ha_log_slot *slot;
    size_t slots, used;
    char **tables;
    size_t tables_n, tables_cap, tables_last; /* tables_last: the table of the last look-up */
    /* the segments first to first + places_n - 1, beginning at place[places_at] */
    struct ha_log_place *place;
    size_t places_at, places_n, places_cap;
    uint64_t first;
    /* live_*: records, but not removals, with the sizes of their entries; bytes: size of all
     * segments except those under construction */
    int64_t live_records, live_bytes, bytes;
};
void ha_log_index_free(struct ha_log_index *x);

/* Returns the item of a key; NULL if a reader of the log would find neither a record nor a removal.
 */
struct ha_log_item *ha_log_index_find_item(struct ha_log_index *x, const char *table,
                                           size_t table_len, const char *key, size_t key_len);
/* Sets the last place of the key to @off in @segment; a large record occupies @parts consecutive
 * segments. The data pointer of the item becomes NULL. Returns the item, added if absent. */
struct ha_log_item *ha_log_index_set_place(struct ha_log_index *x, const char *table,
                                           size_t table_len, const char *key, size_t key_len,
                                           uint64_t segment, uint32_t off, uint32_t parts,
                                           bool removed, uint32_t len);
void ha_log_index_remove(struct ha_log_index *x, struct ha_log_item *it);
/* Returns the table's number; -1 if no record ever belonged to it. */
int ha_log_index_find_table(const struct ha_log_index *x, const char *table, size_t len);

/* Adds the segment after the last one; only the first one may have any @number. */
void ha_log_index_add_segment(struct ha_log_index *x, uint64_t number);
struct ha_log_place *ha_log_index_segment_place(struct ha_log_index *x, uint64_t number);
void ha_log_index_set_segment_size(struct ha_log_index *x, uint64_t number, uint32_t bytes);
/* Drops the first segment, in which nothing may be live (asserted). */
void ha_log_index_drop_first_segment(struct ha_log_index *x);

#endif
