/* ha/log/log_internal.h - shared by the files of the log (ha/log/log.h).
 *
 * Life of a batch: written -> encoded into the segment under construction (and further ones when it
 * is full) -> its last segment and all earlier ones are written -> acknowledged
 *
 * Life of a segment:
 *
 *   building -> sealed -> sent -+-> done -> acknowledged in order -> in the index -> cleaned
 *                 ^             |    ^
 *                 |        lost |    | its bytes are ours
 *                 +-- absent ---+----+ read back -- other bytes --> doubt
 *
 * A segment under construction is sealed when it is full, or when nothing is under way: then the
 * records collected meanwhile are sent at once. A sealed segment never changes; a repeated request
 * is the same byte for byte, including its deletions.
 *
 * Life of the log: NEW -> LOADING -> READY -> OVER, and from LOADING or READY through DOUBT:
 * something in the log is not as expected. If the epoch is still ours, the log is damaged;
 * otherwise another leader has changed it, as it may.
 *
 * Lost connections: requests of earlier connections have ids below l->live_id; their results are
 * ignored. */
#ifndef CREEL_HA_LOG_LOG_INTERNAL_H
#define CREEL_HA_LOG_LOG_INTERNAL_H

#include "base/mem.h"
#include "ha/log/index.h"
#include "ha/log/log.h"
#include "ha/log/segment.h"

#define HA_LOG_READS_MAX 64 /* parallel requests while loading */
/* bytes of kept segments indexed at a time: about 10 ms of work */
#define HA_LOG_KEPT_BYTES (4 << 20)
/* most segments that one multi deletes; a large record may add more */
#define HA_LOG_CLEAN_MAX   128
#define HA_LOG_CLEAN_BYTES (4 << 20) /* about the most bytes read for one cleaning */
#define HA_LOG_NAME_MAX    4096

enum ha_log_state { HA_LOG_NEW, HA_LOG_LOADING, HA_LOG_READY, HA_LOG_DOUBT, HA_LOG_OVER };
enum ha_log_out_state {
    HA_LOG_BUILDING,
    HA_LOG_SEALED,
    HA_LOG_SENT,
    HA_LOG_COMPARING,
    HA_LOG_UNKNOWN,
    HA_LOG_DONE
};

/* a segment, from its construction until ZooKeeper has acknowledged its multi */
struct ha_log_out {
    enum ha_log_out_state state;
    uint64_t number, id; /* id: id of the request that is under way for the segment */
    uint64_t batch;      /* all batches up to this one end here or earlier; 0: none ends here */
    struct base_buf buf; /* HA_LOG_HEAD_MAX free bytes, then entries */
    size_t start;        /* once sealed: where the header begins in buf */
    uint64_t delete_from;
    size_t delete_n;
    int64_t records;
    struct ha_log_out *next;
};

struct ha_log_load {
    uint64_t list_id, make_id;
    /* id of the request for segment asked_from; later segments have consecutive ids */
    uint64_t first_id;
    size_t asked_from, asked, done; /* indexes into text; done: segments indexed so far */
    size_t n;
    char **text; /* segments as read; records point into them */
    size_t *len;
    int64_t epoch; /* epoch of the segment indexed last */
    struct ha_log_reader reader;
    struct ha_log_kept kept; /* segments that a standby has read; freed once they are indexed */
    size_t kept_at;          /* index of the next kept segment */
    uint64_t pause_id;       /* id of the request between two portions of kept segments */
};

struct ha_log_job { /* a cleaning that is reading segments */
    uint64_t from;
    size_t n, missing; /* segments to reclaim, 0: no cleaning is under way; segments not yet read */
    struct ha_log_read {
        uint64_t id;          /* 0: nothing in the segment is live, so it is not read */
        struct base_buf text; /* as read */
    } * read;
};

struct ha_log {
    struct ha_log_calls calls;
    struct ha_log_limits limits;
    char *root, *epoch_path, *log_path;
    int64_t epoch;
    int32_t epoch_version;
    enum ha_log_state state;
    bool connected, loading; /* loading: calls.loaded() has not been called yet */
    uint64_t next_id, live_id;

    struct ha_log_index index;
    struct ha_log_load load;
    bool loaded;   /* the index has pointers to the data of the records */
    char **copies; /* data of large records, and data written while loaded is true */
    size_t copies_n, copies_cap;

    struct ha_log_out *front, *back, *unsent, *spare;
    size_t under_way; /* segments sent and not yet acknowledged: those before @unsent */
    uint64_t next_number, durable, batches, acked;
    enum { HA_LOG_NOT_LOST, HA_LOG_CHECKING_EPOCH, HA_LOG_READING_BACK } recovery;
    uint64_t recovery_id;
    struct ha_log_job job;
    bool deleting; /* a segment with deletions is under way */

    struct base_error doubt;
    uint64_t doubt_id;

    struct ha_log_stats stats;
    struct base_buf path;
    struct ha_zk_op *ops;
    size_t ops_cap;
    char *paths;
};

/* Returns the path "<root>/log/<number>"; valid until the next call. */
const char *ha_log_segment_path(struct ha_log *l, uint64_t number);
/* Sends a request about one path. Returns its id. */
uint64_t ha_log_send_request(struct ha_log *l, enum ha_zk_request_kind kind, const char *path);
uint64_t ha_log_send_multi(struct ha_log *l, const struct ha_zk_op *ops, size_t n);
struct ha_zk_op ha_log_epoch_check_op(const struct ha_log *l);
/* Returns true if the result of a multi that begins with ha_log_epoch_check_op() shows that another
 * epoch has begun. */
bool ha_log_is_epoch_mismatch(const struct ha_zk_event *ev);

/* Appends a record (data NULL: a removal) to the segment under construction and enters it into the
 * index. Returns its item. */
struct ha_log_item *ha_log_append_record(struct ha_log *l, const char *table, size_t table_len,
                                         const char *key, size_t key_len, const char *data,
                                         size_t len);
/* Returns the segment under construction; starts a new one if there is none. */
struct ha_log_out *ha_log_get_or_open_segment(struct ha_log *l);
void ha_log_send_ready_segments(struct ha_log *l); /* sends what may be sent now */

/* End the log: as fenced when another leader has begun a new epoch, as broken when the log is
 * damaged or cannot be used. */
void ha_log_end_fenced(struct ha_log *l);
void ha_log_end_broken(struct ha_log *l, const struct base_error *err);
/* Checks the epoch, then ends the log: as broken if the epoch is still ours, otherwise as fenced.
 */
void ha_log_enter_doubt(struct ha_log *l, const struct base_error *err);
/* Ends the log: a request about @path failed for a reason that no other leader can have caused.
 * @what completes "cannot be". */
void ha_log_end_refused(struct ha_log *l, const char *what, const char *path,
                        const struct ha_zk_event *ev);

/* ha/log/load.c */
/* Returns the number in a segment's name, 12 for "0000000012"; 0 if @name is no such name. */
uint64_t ha_log_parse_segment_name(const char *name);
/* Returns a copy of the data of a GET with a NUL appended; caller frees. */
char *ha_log_copy_event_data(const struct ha_zk_event *ev);
void ha_log_on_load_result(struct ha_log *l, const struct ha_zk_event *ev);
void ha_log_resume_loading(struct ha_log *l); /* after reconnecting */
void ha_log_free_load_state(struct ha_log *l);

/* ha/log/clean.c */
/* Does nothing unless the log exceeds its limits (ha/log/log.h) and no cleaning is under way. */
void ha_log_start_cleaning(struct ha_log *l);
/* Returns false when the event is not the result of a request of the cleaning. */
bool ha_log_on_clean_result(struct ha_log *l, const struct ha_zk_event *ev);
void ha_log_stop_cleaning(struct ha_log *l);

#endif
