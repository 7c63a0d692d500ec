/* ha/log/log.h - the records of an ha_store in ZooKeeper, as a log of segments; a pure machine, one per leadership.
 *
 *   <root>/log/<number, 10 digits>   one segment: header line "creel-log 1 <epoch> <number> <crc32c> <bytes>\n", then
 *                                    entries (table, key, upsert | removal | part of a large one) in order of writing
 *
 * Writing: what is given while multis are under way goes into the next ones; one multi = [check epoch's version, check
 * that the segment before is there (number 1: set <root>/log, at version 0), create the segment, delete old segments]. So there is no gap, no second writer, and
 * no write of a deposed leader. Up to HA_LOG_WINDOW multis are under way at once.
 * A lost connection: after HA_ZK_CONNECTED the machine syncs, reads back the first unanswered segment, and sends again
 * what is not there; a segment found there counts as written only when its bytes are ours. Nothing is guessed.
 * Cleaning: a record is live in the segment that was the last to hold its key. When there are more segments or bytes
 * than about twice what is live, the oldest ones are read, what is live in them is written again in the next segment,
 * and that multi deletes them. Removals are forgotten when no older segment is left. So the number of nodes is bounded,
 * and reading is O(live).
 * Limits: a segment's data is at most HA_LOG_SEGMENT_MAX bytes (ZooKeeper refuses requests over 1 MB); larger records
 * are split over consecutive segments and read back whole or (torn at the very end of the log) not at all.
 * Errors: a damaged segment -BASE_ECORRUPT, one of a newer format -BASE_EVERSION, with its path. */
#ifndef CREEL_HA_LOG_LOG_H
#define CREEL_HA_LOG_LOG_H

#include "base/error.h"
#include "base/limits.h"
#include "ha/store/store.h"
#include "ha/zk/zk.h"

#define HA_LOG_SEGMENT_MAX (512u << 10)
#define HA_LOG_WINDOW      4
/* A record's bytes, asserted: whoever makes a record keeps it below. A key and a table's name have at most 4096. */
#define HA_LOG_RECORD_MAX ((size_t)BASE_RECORD_MAX)

struct ha_log_calls {
    void *user;
    ha_zk_send_fn *send;
    void (*loaded)(void *user, int rc, const struct base_error *err); /* once, after ha_log_load */
    void (*written)(void *user, uint64_t batch);  /* all batches up to this one are durable */
    void (*fenced)(void *user, const char *text); /* once: the epoch is another's; nothing will be written any more */
    void (*broken)(void *user, const struct base_error *err); /* once: the log is not as it was left; as fenced */
};
struct ha_log;
/* @epoch and @epoch_version: what the election gave. */
struct ha_log *ha_log_new(const char *root, int64_t epoch, int32_t epoch_version, const struct ha_log_calls *calls);
void ha_log_free(struct ha_log *l);

/* When it cleans: more than @segments_spare segments and twice those that the live records need, or more bytes than twice
 * the live ones and @bytes_spare. Small ones let tests come by all of it soon. Before ha_log_load. */
struct ha_log_limits {
    size_t segment_bytes; /* HA_LOG_SEGMENT_MAX at most */
    size_t segments_spare;
    int64_t bytes_spare;
};
#define HA_LOG_LIMITS ((struct ha_log_limits){HA_LOG_SEGMENT_MAX, 1024, 4 << 20}) /* unless told otherwise */
void ha_log_limit(struct ha_log *l, const struct ha_log_limits *limits);

/* Segments read before (ha/log/follow.h): what of them begins the log is not read again. */
struct ha_log_kept {
    int64_t log_zxid; /* czxid of <root>/log */
    uint64_t first;   /* number of text[0] */
    size_t n;
    char **text; /* as they were read, with a NUL behind */
    size_t *len;
};
void ha_log_kept_free(struct ha_log_kept *k);
/* Before ha_log_load, which then takes what fits; *@k is the log's. */
void ha_log_keep(struct ha_log *l, struct ha_log_kept *k);

/* Begins to read everything; calls.loaded ends it, once, whatever happens: with 0; -BASE_ECORRUPT, -BASE_EVERSION (newer
 * format), -BASE_EPERM (ACL), -BASE_EIO; or after calls.fenced with -BASE_EVERSION. Before any write. <root>/log is made
 * when absent. None of the calls may free the log. */
void ha_log_load(struct ha_log *l);
/* After loaded with 0, until ha_log_loaded_free(): the records of a table in key order, with what was written since. */
int ha_log_each(struct ha_log *l, const char *table, ha_record_fn *fn, void *user, struct base_error *err);
void ha_log_loaded_free(struct ha_log *l); /* gives back the memory of what was read; the index stays */

/* Queues a batch (copied): applied in order; a crash may leave a prefix of it, cut at a record. Returns its number, from
 * 1 on. */
uint64_t ha_log_write(struct ha_log *l, const struct ha_record *v, size_t n);
/* HA_ZK_CONNECTED, HA_ZK_DISCONNECTED, and results of HA_ZK_FOR_LOG. */
void ha_log_on(struct ha_log *l, const struct ha_zk_event *ev);

struct ha_log_stats {
    int64_t multis, batches, records, bytes; /* written so far, cleaning included */
    int64_t segments, live_records, live_bytes; /* those under way included */
    int64_t kept; /* segments that were not read again when it was loaded */
    int64_t cleaned, read_back; /* segments cleaned; outcomes that had to be read back */
};
void ha_log_stats(const struct ha_log *l, struct ha_log_stats *out);

#endif
