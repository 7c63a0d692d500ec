/* ha/zk/client_internal.h - what the two halves of ha_zk_client share: ha/zk/client.c (session, queue, delivery) and
 * ha/zk/calls.c (requests and their completions, in libzookeeper's terms). */
#ifndef CREEL_HA_ZK_CLIENT_INTERNAL_H
#define CREEL_HA_ZK_CLIENT_INTERNAL_H

#define HA_ZK_DIGEST_SHOWN 6 /* characters of a digest in messages */

#include <pthread.h>
#include <zookeeper/zookeeper.h>

#include "ha/zk/client.h"

struct zk_request;

struct zk_item { /* of the queue to the service thread */
    struct zk_item *next;
    enum ha_zk_event_kind kind;
    struct zk_request *request; /* RESULT: this item is a part of it */
    uint64_t generation;        /* else: of the session it belongs to */
    int64_t timeout_us;
    clientid_t session;
    char peer[64];
    char *path;
};

/* One request on its way. The completion thread writes its result, then queues it; all else is the service thread's. */
struct zk_request {
    struct zk_item item;
    struct zk_request *prev, *next; /* those under way, in the order of sending */
    struct ha_zk_client *client;
    zhandle_t *zh;
    bool settled;   /* its result was given already: what still comes is dropped */
    bool completed; /* queued; under the queue's lock */
    enum ha_zk_owner owner;
    uint64_t id;
    enum ha_zk_request_kind kind;
    int64_t sent_us;
    char *path; /* GET, CHILDREN, SYNC; of a failed op: where permission was missing */
    size_t ops_n;
    struct zk_op_copy {
        char *path;
        enum ha_zk_op_kind kind;
    } *ops;
    zoo_op_result_t *results;
    char created[512];
    /* result */
    enum ha_zk_code code;
    int failed_op;
    char *text;
    char *data;
    size_t len;
    int32_t version;
    int64_t ephemeral_owner;
    char **children;
    size_t children_n;
    int64_t created_zxid;
};

/* Any thread: at the end of the queue, and the service thread is woken. */
void zk_client_queue(struct ha_zk_client *c, struct zk_item *item);

struct zk_request *zk_request_new(struct ha_zk_client *c, const struct ha_zk_request *rq);
void zk_request_free(struct zk_request *r);
/* Hands it to libzookeeper; its result is queued in any case. */
void zk_request_send(struct zk_request *r, zhandle_t *zh, const struct ha_zk_request *rq, watcher_fn watcher,
                     void *watcher_context);
void zk_request_fail(struct zk_request *r, enum ha_zk_code code, const char *text); /* queues that as its result */
void zk_request_event(const struct zk_request *r, struct ha_zk_event *ev);          /* borrows from @r */

#endif
