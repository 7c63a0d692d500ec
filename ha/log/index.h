/* ha/log/index.h - which segment was the last to hold each key, and what each segment still holds. Pure.
 * About 100 bytes a record: a key's text is held once, data not at all (but while what was loaded is being read). */
#ifndef CREEL_HA_LOG_INDEX_H
#define CREEL_HA_LOG_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ha_log_item {
    uint64_t segment; /* that the record begins in */
    const char *data; /* while loaded; NULL afterwards */
    uint32_t off, len;
    uint16_t key_len, parts; /* segments that hold it */
    uint8_t table;
    bool removed; /* a removal: needed while an older segment may hold the key */
    char key[];
};
struct ha_log_place { /* of a segment */
    uint32_t bytes;   /* of its node; 0: under construction */
    uint32_t items;   /* whose last place is (partly) here: records and removals */
    bool continues;   /* it ends within a large record */
};
struct ha_log_slot {
    struct ha_log_item *item; /* NULL: free */
    uint32_t hash;            /* beside the pointer: an item is looked at only when it is likely the one */
};
#define HA_LOG_TABLES_MAX 256

struct ha_log_index {
    struct ha_log_slot *slot; /* open addressing, linear probing */
    size_t slots, used;
    char **tables;
    size_t tables_n, tables_cap, tables_last; /* last: found by the last look-up */
    struct ha_log_place *place;               /* of segments first .. first + places_n - 1 */
    size_t places_at, places_n, places_cap;
    uint64_t first;
    int64_t live_records, live_bytes, bytes; /* live: records alone, as their entries; bytes: of segments not under
                                                construction */
};
void ha_log_index_free(struct ha_log_index *x);

/* NULL: not in the log as far as a reader would see. */
struct ha_log_item *ha_log_index_find(struct ha_log_index *x, const char *table, size_t table_len, const char *key,
                                      size_t key_len);
/* The key's last place is now at @off of @segment (and of those behind it, @parts together). Its data is forgotten. */
struct ha_log_item *ha_log_index_put(struct ha_log_index *x, const char *table, size_t table_len, const char *key,
                                     size_t key_len, uint64_t segment, uint32_t off, uint32_t parts, bool removed,
                                     uint32_t len);
void ha_log_index_drop(struct ha_log_index *x, struct ha_log_item *it);
const char *ha_log_index_table(const struct ha_log_index *x, const struct ha_log_item *it);
/* Its number, -1 when no record was ever of it. */
int ha_log_index_table_find(const struct ha_log_index *x, const char *table, size_t len);

/* A segment behind the last one; the first one's number is @number. */
void ha_log_index_segment_add(struct ha_log_index *x, uint64_t number);
struct ha_log_place *ha_log_index_segment(struct ha_log_index *x, uint64_t number);
void ha_log_index_segment_size(struct ha_log_index *x, uint64_t number, uint32_t bytes);
void ha_log_index_segment_drop(struct ha_log_index *x); /* the first; nothing is live in it */

#endif
