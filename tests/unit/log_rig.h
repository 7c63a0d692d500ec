/* tests/unit/log_rig.h - one log on the server of log_zk.h, and the callbacks that the log has
 * made. */
#ifndef CREEL_TESTS_LOG_RIG_H
#define CREEL_TESTS_LOG_RIG_H

#include "ha/log/segment.h"
#include "tests/unit/log_zk.h"

#define SEG   LOG_ZK_ROOT "/log/00000000"
#define SMALL ((struct ha_log_limits){512, 4, 1000})
#define EPOCH 5

struct rig {
    struct log_zk zk;
    struct log_zk_link link;
    struct ha_log *log;
    struct ha_log_kept *kept; /* NULL: none; taken by rig_start */
    int loads, fences, breaks;
    int rc;
    uint64_t written;
    /* the text of the last failed load, fence or break */
    char text[sizeof(((struct base_error *)0)->text)];
};

/* Makes a new log on what the server holds: it has been told to load, but no request is carried out
 * yet. */
void rig_start(struct rig *g, int64_t epoch, const struct ha_log_limits *limits);
void rig_stop(struct rig *g);
/* Makes a server with an empty log, and a log that has loaded it. */
void rig_open(struct rig *g, const struct ha_log_limits *limits);
void rig_close(struct rig *g);
/* Writes a record of table t; @data NULL removes the record. Returns the batch's number. */
uint64_t rig_put(struct rig *g, const char *key, const char *data);
uint64_t rig_put_long(struct rig *g, const char *key, size_t len, char fill);
/* ha_record_fn: adds "key=data " to the buffer @user. */
int rig_append(void *user, const struct ha_record *rec, struct base_error *err);
/* Expects what a new leader reads of table t: "key=data key=data ", or the text of the error. */
void rig_expect(struct rig *g, const char *expected);
struct ha_log_stats rig_stats(const struct rig *g);
/* Carries out requests, each with its answer, until the server has answered @gets GETs in all. */
void rig_run_to_gets(struct rig *g, int64_t gets);
/* The next request of @kind about segment @number fails with @code, a multi in its operation
 * @op. */
void rig_fail_next(struct rig *g, enum ha_zk_request_kind kind, uint64_t number,
                   enum ha_zk_code code, int op);
/* Puts segment @number, written in @epoch with @entries, on the server. */
void rig_put_segment(struct rig *g, int64_t epoch, uint64_t number, const char *entries,
                     size_t len);
#define PUT(g, epoch, number, entries)                                                             \
    rig_put_segment(g, epoch, number, entries, sizeof(entries) - 1)
#define A_1 "\1\1\1\1t\0a\0001\0"
/* part @i of @n of record p: 4 bytes, two in each part */
#define PART(i, n) "\3\1\1\4" i n "\2t\0p\0xy\0"

#endif
