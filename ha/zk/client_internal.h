/* ha/zk/client_internal.h - shared by the two halves of ha_zk_client: ha/zk/client.c (session,
 * queue, delivery) and ha/zk/calls.c (requests and their completions, in libzookeeper's terms). */
#ifndef CREEL_HA_ZK_CLIENT_INTERNAL_H
#define CREEL_HA_ZK_CLIENT_INTERNAL_H

#define HA_ZK_DIGEST_SHOWN 6 /* characters of a digest shown in messages */

#include <pthread.h>
#include <zookeeper/zookeeper.h>

#include "ha/zk/client.h"

struct zk_request;

struct zk_item { /* an element of the queue to the service thread */
    struct zk_item *next;
    enum ha_zk_event_kind kind;
    struct zk_request *request; /* RESULT: the request that contains this item */
    uint64_t generation;        /* other kinds: the session of the event */
    int64_t timeout_us;
    clientid_t session;
    char peer[64];
    char *path;
};

/* One request. The completion thread writes its result and queues it; everything else belongs to
 * the service thread. */
struct zk_request {
    struct zk_item item;
    struct zk_request *prev, *next; /* requests under way, in the order sent */
    struct ha_zk_client *client;
    zhandle_t *zh;
    bool settled;   /* the owner got an early result; the real one will be dropped */
    bool completed; /* the result has been queued; protected by the queue's lock */
    enum ha_zk_owner owner;
    uint64_t id;
    enum ha_zk_request_kind kind;
    int64_t sent_us;
    char *path; /* GET, CHILDREN, SYNC; after HA_ZK_NOAUTH: the node that denied access */
    size_t ops_n;
    struct zk_op_copy {
        char *path;
        enum ha_zk_op_kind kind;
    } * ops;
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

/* Appends an item to the queue and wakes the service thread. Any thread. */
void zk_client_queue_item(struct ha_zk_client *c, struct zk_item *item);

struct zk_request *zk_request_new(struct ha_zk_client *c, const struct ha_zk_request *rq);
void zk_request_free(struct zk_request *r);
/* Passes the request to libzookeeper. Its result is queued in every case. */
void zk_request_send(struct zk_request *r, zhandle_t *zh, const struct ha_zk_request *rq,
                     watcher_fn watcher, void *watcher_context);
/* queues a failure as the request's result */
void zk_request_queue_failure(struct zk_request *r, enum ha_zk_code code, const char *text);
/* pointers in @ev are borrowed from @r */
void zk_request_fill_event(const struct zk_request *r, struct ha_zk_event *ev);

#endif
