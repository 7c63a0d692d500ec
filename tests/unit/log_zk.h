/* tests/unit/log_zk.h - as much of ZooKeeper as the log of ha/log/log.h uses, in memory:
 * <root>/epoch, <root>/log and the segments below. One server, several connections; nothing moves
 * until the test says so. Requests and answers are copied. */
#ifndef CREEL_TESTS_LOG_ZK_H
#define CREEL_TESTS_LOG_ZK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ha/log/follow.h"
#include "ha/log/log.h"

#define LOG_ZK_ROOT "/creel/c1"

struct log_zk_node {
    char *data;
    size_t len;
    int32_t version;
};
struct log_zk { /* all zero: an empty server without <root>/log */
    int32_t epoch_version, log_version;
    bool has_log;
    int64_t log_zxid;         /* czxid of <root>/log, as the test says */
    char *stranger;           /* a name that is listed below <root>/log, too; NULL: none */
    uint64_t first;           /* number of node[0] */
    struct log_zk_node *node; /* data NULL: not there */
    size_t n, cap;
    int64_t multis, refused, deletes, gets,
        /* largest: the most bytes of one multi, its data, its paths and 32 for each operation */
        largest;
};
void log_zk_free(struct log_zk *z);
struct log_zk_node *log_zk_node(struct log_zk *z, uint64_t number); /* NULL: not there */
void log_zk_put(struct log_zk *z, uint64_t number, const void *data, size_t len);
void log_zk_delete(struct log_zk *z, uint64_t number);
size_t log_zk_count(const struct log_zk *z);

struct log_zk_call; /* a request, and its answer once it was carried out */
/* One connection: a queue of requests, of which those at the front are carried out but not yet
 * answered. */
struct log_zk_link {
    struct log_zk *zk;
    struct ha_log *log;
    struct ha_log_follow *follow; /* one of the two gets the answers */
    int64_t now_us;               /* the time that @follow is told */
    struct log_zk_call *first, **last;
    size_t waiting, answers; /* requests not carried out; answers not delivered */
    uint64_t fail_number; /* the next request about this segment (a GET, or a multi that makes it)
                             gets fail_code */
    enum ha_zk_code fail_code;
    enum ha_zk_request_kind fail_kind;
    bool fail; /* the next such request is to fail */
    int fail_op;
};
void log_zk_link_init(struct log_zk_link *k, struct log_zk *z);
void log_zk_link_free(struct log_zk_link *k);
void log_zk_send(void *link, const struct ha_zk_request *rq); /* ha_zk_send_fn */
bool log_zk_execute(struct log_zk_link *k); /* carries out the next request; false: there is none */
bool log_zk_answer(struct log_zk_link *k);  /* delivers the next answer; false: there is none */
void log_zk_run(struct log_zk_link *k);     /* carries out and answers everything */
/* The connection breaks: every request not yet answered gets @code (LOSS or EXPIRED), whether it
 * was carried out or not. Requests that were not carried out move to @late (NULL: they are lost),
 * where they may still be carried out. */
void log_zk_lose(struct log_zk_link *k, enum ha_zk_code code, struct log_zk_link *late);
void log_zk_connect(struct log_zk_link *k); /* delivers HA_ZK_CONNECTED */

#endif
