/* nodemanager/rpc/protocol.h - YARN's ContainerManagementProtocol, by which masters that speak
 * Hadoop RPC start, stop and look at containers on this node. nodemanager/core/core.h draws the
 * life of such a container.
 *
 *    connection: an NMToken proves the attempt (tokens.h)
 *      |
 *      |-- getContainerStatuses: answered on the server's thread, from the core's views
 *      `-- startContainers, stopContainers: decoded there, carried out on the loop's thread
 *              handler --nm_rpc_queue_ask()--> nm_rpc_carry_out_asks() --> the call's answer
 *
 * startContainers checks, in this order:
 *
 *    each token: key, password, node    one that fails refuses the whole call, InvalidToken, and
 *                                       nothing is started
 *    then for each container            a failure is its own; the others are started
 *      application of the NMToken       YarnException
 *      not started before               YarnException
 *      not expired                      YarnException
 *      instance of the RM               InvalidContainerException
 *      services that it needs           InvalidAuxServiceException: the node does not run it
 *      launch context                   YarnException, with the member that cannot be used
 *      application not ended, the node neither shuts down nor is full    YarnException
 *
 * The answer to startContainers has the port of the shuffle (nodemanager/shuffle/shuffle.h), if
 * that runs, also for containers that do not use it: 4 bytes, big-endian.
 *
 * A container counts as started when its record is written; whatever happens later ends it, and is
 * reported as its end. To stop a container that has ended succeeds. Methods that are not listed
 * here are refused as methods that the server does not know. The refusals are in the audit log.
 *
 * SOURCE: YARN's ContainerManagerImpl; Hadoop 3.4.2 as recorded. It differs in one point: of a call
 * with a false token, YARN has started the containers that came before that one. */
#ifndef CREEL_NODEMANAGER_RPC_PROTOCOL_H
#define CREEL_NODEMANAGER_RPC_PROTOCOL_H

#include "api/rpc/rpc.h"
#include "nodemanager/daemon/daemon.h"
#include "nodemanager/rpc/container.pb-c.h"
#include "nodemanager/rpc/tokens.h"

#define NM_RPC_YARN_EXCEPTIONS "org.apache.hadoop.yarn.exceptions."
#define NM_RPC_YARN_EXCEPTION  NM_RPC_YARN_EXCEPTIONS "YarnException"
#define NM_RPC_RETRIABLE       "org.apache.hadoop.ipc.RetriableException"

/* The user of its handlers is struct nm *. */
extern const struct api_rpc_protocol nm_rpc_container_protocol; /* protocol.c */

/* A container to be started or stopped. */
struct nm_rpc_subject {
    struct base_container_id id;
    struct base_hadoop_container_id token; /* of one that is to be started */
    char *order;                           /* its launch order, JSON; owned */
    const char *exception;                 /* its failure, a Java class (static); NULL: none */
    char *why;                             /* owned */
    bool stopped; /* it was to be stopped, and had not ended yet nor been stopped */
};
/* Notes a failure, if none is noted yet. */
void nm_rpc_fail(struct nm_rpc_subject *s, const char *exception, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* What the loop carries out, and then answers. */
struct nm_rpc_ask {
    struct nm_rpc_ask *next;
    struct api_rpc_call *call;
    struct base_attempt_id attempt; /* the caller */
    bool starts;                    /* it stops otherwise */
    struct nm_rpc_subject *subjects;
    size_t subjects_n;
};
void nm_rpc_ask_free(struct nm_rpc_ask *ask);

/* ---- answer.c ---- */
/* Answers the ask's call with what has become of its containers, and logs the refusals. */
void nm_rpc_answer_ask(const struct nm *nm, struct nm_rpc_ask *ask);
/* Answers with the states of @n containers, as far as @attempt may see them. */
void nm_rpc_answer_statuses(struct nm *nm, struct api_rpc_call *call,
                            const struct base_attempt_id *attempt,
                            const struct base_container_id *ids, size_t n);

/* ---- port.c ---- */
/* Hands @ask to the loop. If the daemon stops, the call is answered, and @ask is freed, at once:
 * the client asks again. */
void nm_rpc_queue_ask(struct nm_rpc *rpc, struct nm_rpc_ask *ask);
/* Returns the list of asks that have been queued, which the caller owns. */
struct nm_rpc_ask *nm_rpc_take_asks(struct nm_rpc *rpc);
struct nm_rpc_tokens *nm_rpc_get_tokens(struct nm_rpc *rpc);

#endif
