/* ha/log/log.h - the records of an ha_store in ZooKeeper, kept as a log of segments. A pure
 * machine, one per leadership.
 *
 *   <root>/log/<number, 10 digits>   one segment: a header line "creel-log 1 <epoch> <number>
 *                                    <crc32c> <bytes>\n", then entries (table, key, upsert |
 *                                    removal | part of a large record) in order of writing
 *
 * Writing: records that arrive while multis are under way go into the following multis. A multi
 * consists of four steps: check the version of the epoch; check that the previous segment exists
 * (for number 1: set <root>/log, at version 0); create the segment; delete old segments. This
 * excludes gaps, a second writer, and writes by a deposed leader. Up to HA_LOG_WINDOW multis are
 * under way at once.
 *
 * A lost connection: after HA_ZK_CONNECTED the machine checks the epoch, reads back the unanswered
 * segments until one is missing, and sends that one and all later ones again. A segment found there
 * counts as written only if its bytes are ours. Nothing is guessed. If another leader has begun an
 * epoch meanwhile, no unanswered segment counts as written, whether it was or not.
 *
 * Cleaning: a record is live in the segment that was the last to hold its key. Once segments or
 * bytes exceed about twice what is live, the oldest segments are read, their live records are
 * written again, and the multi of the new segment deletes the old ones. A removal is dropped when
 * no older segment is left. Thus the number of nodes is bounded, and reading the log costs O(live).
 *
 * Limits: a segment holds at most HA_LOG_SEGMENT_MAX bytes of data (ZooKeeper refuses requests over
 * 1 MB). A larger record is split over consecutive segments; it is read back whole or, if it was
 * torn because its writer died or was deposed, not at all.
 *
 * Errors: -BASE_ECORRUPT for a damaged segment, -BASE_EVERSION for one of a newer format; the
 * message names its path. */
#ifndef CREEL_HA_LOG_LOG_H
#define CREEL_HA_LOG_LOG_H

#include "base/error.h"
#include "base/limits.h"
#include "ha/store/store.h"
#include "ha/zk/zk.h"

#define HA_LOG_SEGMENT_MAX (512u << 10)
#define HA_LOG_WINDOW      4
/* The maximum size of a record (asserted; writers of records must respect it). Keys and table names
 * have at most 4096 bytes. */
#define HA_LOG_RECORD_MAX ((size_t)BASE_RECORD_MAX)

struct ha_log_calls {
    void *user;
    ha_zk_send_fn *send;
    /* once, after ha_log_start_loading() */
    void (*loaded)(void *user, int rc, const struct base_error *err);
    void (*written)(void *user, uint64_t batch); /* all batches up to @batch are durable */
    /* at most once: another leader has begun a new epoch; nothing more will be written */
    void (*fenced)(void *user, const char *text);
    /* at most once, after loading: the log is not as we left it, or ZooKeeper refuses a request;
     * nothing more will be written */
    void (*broken)(void *user, const struct base_error *err);
};
struct ha_log;
/* Creates the log of one leadership. @epoch and @epoch_version come from the election. */
struct ha_log *ha_log_new(const char *root, int64_t epoch, int32_t epoch_version,
                          const struct ha_log_calls *calls);
void ha_log_free(struct ha_log *l);

/* Cleaning starts when there are more segments than @segments_spare plus twice those needed by live
 * records, or more bytes than @bytes_spare plus twice the live ones. Small limits let tests reach
 * every path quickly. Call before loading. */
struct ha_log_limits {
    size_t segment_bytes; /* at most HA_LOG_SEGMENT_MAX */
    size_t segments_spare;
    int64_t bytes_spare;
};
/* the default limits */
#define HA_LOG_LIMITS ((struct ha_log_limits){HA_LOG_SEGMENT_MAX, 1024, 4 << 20})
void ha_log_set_limits(struct ha_log *l, const struct ha_log_limits *limits);

/* Segments that a standby has read already (ha/log/follow.h). The log does not read them again if
 * they are of the same <root>/log node and do not begin after the first listed segment. */
struct ha_log_kept {
    int64_t log_zxid; /* czxid of <root>/log */
    uint64_t first;   /* number of the segment in text[0] */
    size_t n;
    char **text; /* contents of the segments, each with a NUL appended */
    size_t *len;
};
void ha_log_kept_free(struct ha_log_kept *k);
/* Moves the segments in *@k into the log; *@k is then empty. Call before loading. */
void ha_log_adopt_kept_segments(struct ha_log *l, struct ha_log_kept *k);

/* Starts reading the whole log; call it before any write. Creates <root>/log if absent.
 * calls.loaded() is called once in every case: with 0; with -BASE_ECORRUPT, -BASE_EVERSION (newer
 * format), -BASE_EPERM (ACL) or -BASE_EIO; or, after calls.fenced(), with -BASE_EVERSION. No
 * callback may free the log. */
void ha_log_start_loading(struct ha_log *l);
/* Visits the records of a table in key order, including those written since loading. Allowed from a
 * successful load until ha_log_free_loaded_data(). Returns 0, or the negative result of @fn, which
 * ends the visit. */
int ha_log_for_each_record(struct ha_log *l, const char *table, ha_record_fn *fn, void *user,
                           struct base_error *err);
/* frees the data read while loading; the index stays */
void ha_log_free_loaded_data(struct ha_log *l);

/* Queues a batch, which is copied. Batches are applied in order; a crash may leave only a prefix of
 * a batch, cut between records. Returns the batch's number, counted from 1. Does nothing else once
 * the log has ended. */
uint64_t ha_log_write_batch(struct ha_log *l, const struct ha_record *v, size_t n);
/* Handles HA_ZK_CONNECTED, HA_ZK_DISCONNECTED, and results with owner HA_ZK_FOR_LOG. */
void ha_log_on_event(struct ha_log *l, const struct ha_zk_event *ev);

struct ha_log_stats {
    /* totals written so far, including those of cleaning */
    int64_t multis, batches, records, bytes;
    int64_t segments, live_records, live_bytes; /* present totals, including segments under way */
    /* segments that loading did not have to read again */
    int64_t kept;
    /* segments deleted by cleaning; segments read back to find out whether they were written */
    int64_t cleaned, read_back;
};
void ha_log_get_stats(const struct ha_log *l, struct ha_log_stats *out);

#endif
