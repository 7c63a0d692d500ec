/* ha/log/log_internal.h - what the files of the log share (ha/log/log.h).
 *
 * Life of a batch:    given -> encoded into the segment under construction (and the next ones, when it is full)
 *                     -> its last segment is answered, and all before it -> written
 * Life of a segment:  building -> sealed -> sent -+-> done -> acknowledged in order -> a place of the index -> cleaned
 *                                   ^             |  ^
 *                                   |        lost |  | its bytes are ours
 *                                   +-- absent ---+--+ read back -- other bytes --> doubt
 * A segment under construction is sealed when it is full, or when nothing is under way: then what has come together
 * meanwhile is sent at once. What was sealed is never changed: what is sent again is the same to the byte, its
 * deletions included. Life of the log:    NEW -> LOADING -> READY -> OVER, and from LOADING or READY by DOUBT:
 * something is not as it should be; that is damage if the epoch is still ours, else only the work of another leader.
 * Lost connections:   requests of earlier connections have ids below l->live_id; what comes back of them is ignored. */
#ifndef CREEL_HA_LOG_LOG_INTERNAL_H
#define CREEL_HA_LOG_LOG_INTERNAL_H

#include "base/mem.h"
#include "ha/log/log.h"
#include "ha/log/index.h"
#include "ha/log/segment.h"

#define HA_LOG_READS_MAX   64        /* segments asked for at once when loading */
#define HA_LOG_KEPT_BYTES  (4 << 20) /* of segments read before that are taken at once: some 10 ms of work */
#define HA_LOG_CLEAN_MAX   128       /* segments deleted by one multi, and those that a large record goes on in */
#define HA_LOG_CLEAN_BYTES (4 << 20) /* read back for one cleaning */
#define HA_LOG_NAME_MAX    4096

enum ha_log_state { HA_LOG_NEW, HA_LOG_LOADING, HA_LOG_READY, HA_LOG_DOUBT, HA_LOG_OVER };
enum ha_log_out_state { HA_LOG_BUILDING, HA_LOG_SEALED, HA_LOG_SENT, HA_LOG_COMPARING, HA_LOG_UNKNOWN, HA_LOG_DONE };

struct ha_log_out { /* a segment on its way out */
    enum ha_log_out_state state;
    uint64_t number, id; /* id: of the request under way for it */
    uint64_t batch;      /* all batches up to this one end here or before; 0: none does */
    struct base_buf buf; /* HA_LOG_HEAD_MAX bytes, then entries */
    size_t start;        /* sealed: where in buf the header begins */
    uint64_t delete_from;
    size_t delete_n;
    int64_t records;
    struct ha_log_out *next;
};

struct ha_log_load {
    uint64_t list_id, make_id;
    uint64_t first_id;              /* id of the request for segment .asked_from; the next segment has the next id */
    size_t asked_from, asked, done; /* places in .text; done: put into the index */
    size_t n;
    char **text; /* the segments as they were read; records point into them */
    size_t *len;
    int64_t epoch; /* of the last one */
    struct ha_log_reader reader;
    struct ha_log_kept kept; /* until all that fits is taken */
    size_t kept_at;          /* the next of them */
    uint64_t pause_id;       /* of the request between two portions */
};

struct ha_log_job { /* a cleaning that reads */
    uint64_t from;
    size_t n, missing; /* n 0: none is under way */
    struct ha_log_read {
        uint64_t id;          /* 0: nothing is live there, so it need not be read */
        struct base_buf text; /* as it was read */
    } * read;
};

struct ha_log {
    struct ha_log_calls calls;
    struct ha_log_limits limits;
    char *root, *epoch_path, *log_path;
    int64_t epoch;
    int32_t epoch_version;
    enum ha_log_state state;
    bool connected, loading; /* loading: calls.loaded is still to come */
    uint64_t next_id, live_id;

    struct ha_log_index index;
    struct ha_log_load load;
    bool loaded;   /* records have their data */
    char **copies; /* data that came while loaded */
    size_t copies_n, copies_cap;

    struct ha_log_out *front, *back, *unsent, *spare;
    size_t under_way; /* sent and not acknowledged: those in front of unsent */
    uint64_t next_number, durable, batches, acked;
    enum { HA_LOG_NOT_LOST, HA_LOG_SYNCING, HA_LOG_READING_BACK } recovery;
    uint64_t recovery_id;
    struct ha_log_job job;
    bool deleting; /* a segment with deletions is on its way */

    struct base_error doubt;
    uint64_t doubt_id;

    struct ha_log_stats stats;
    struct base_buf path;
    struct ha_zk_op *ops;
    size_t ops_cap;
    char *paths;
};

/* "<root>/log/<number>", until the next call. */
const char *ha_log_path(struct ha_log *l, uint64_t number);
/* Sends a request about one path; returns its id. */
uint64_t ha_log_ask(struct ha_log *l, enum ha_zk_request_kind kind, const char *path);
uint64_t ha_log_ask_multi(struct ha_log *l, const struct ha_zk_op *ops, size_t n);
struct ha_zk_op ha_log_check_epoch(const struct ha_log *l);
/* The answer to a multi that ha_log_check_epoch begins says that the epoch is another's. */
bool ha_log_is_fenced(const struct ha_zk_event *ev);

/* Writes a record (data NULL: removal) into the segment under construction, and the index. */
struct ha_log_item *ha_log_put(struct ha_log *l, const char *table, size_t table_len, const char *key, size_t key_len,
                               const char *data, size_t len);
struct ha_log_out *ha_log_building(struct ha_log *l);
void ha_log_pump(struct ha_log *l); /* sends what can be sent */

/* Ends of the log. */
void ha_log_fenced(struct ha_log *l);
void ha_log_broken(struct ha_log *l, const struct base_error *err);
void ha_log_doubt(struct ha_log *l, const struct base_error *err); /* broken, if the epoch is still ours */
/* A request about @path failed for a reason that no other leader explains. */
void ha_log_refused(struct ha_log *l, const char *what, const char *path, const struct ha_zk_event *ev);

/* ha/log/load.c */
uint64_t ha_log_number_of(const char *name); /* "0000000012" -> 12; 0 for anything that is no segment's name */
char *ha_log_text_copy(const struct ha_zk_event *ev); /* of a GET's data, with a NUL behind */
void ha_log_load_on(struct ha_log *l, const struct ha_zk_event *ev);
void ha_log_load_again(struct ha_log *l); /* connected again */
void ha_log_load_free(struct ha_log *l);

/* ha/log/clean.c */
void ha_log_clean_start(struct ha_log *l);                            /* if it is time */
bool ha_log_clean_on(struct ha_log *l, const struct ha_zk_event *ev); /* false: not an answer for it */
void ha_log_clean_stop(struct ha_log *l);

#endif
