/* rm/rpc/master.h - YARN's ApplicationMasterProtocol: how masters that speak Hadoop RPC register,
 * ask for containers and finish. A thin codec over the events that REST's masters use, too
 * (rm/core/master/protocol.h); such a master starts its containers itself, on nodes with a port of
 * Hadoop RPC.
 *
 *   connection: an AMRM token proves the attempt, which no field of a request can change
 *     |
 *     |-- registerApplicationMaster, allocate, finishApplicationMaster
 *     |        decoded on the server's thread --rm_backend_post()--> the core's reply --> answer
 *
 * How refusals become Java classes, by which masters choose what to do:
 *
 *   the attempt is unknown, has ended, or its application was killed
 *                                  ApplicationAttemptNotFoundException: the master exits
 *   not registered with this instance of the ResourceManager, or not at all
 *                                  ApplicationMasterNotRegisteredException: it registers, asks anew
 *   registered already, or a wrong response id   InvalidApplicationMasterRequestException
 *   an ask that cannot be served   InvalidResourceRequestException
 *   a blacklist with a wrong name  InvalidResourceBlacklistRequestException
 *   a release of another application's container   InvalidContainerReleaseException
 *   not active                     StandbyException
 *   the store cannot write now     RetriableException
 *
 * A registration after a takeover may have to wait until the nodes have reported; it is answered
 * within a second after it can go on. Hadoop's masters would try a refused one once more at once,
 * and some give up then. After a minute it gets RetriableException.
 *
 * Each answer to allocate brings the tokens for its containers, made from what the container is, so
 * that a repeated answer has the same ones. While a key waits to replace that of AMRM tokens, each
 * answer brings a token with the new key; when the key of NM tokens was replaced, the next answer
 * brings one for each node on which the master has containers (rm/core/admin/master_keys.h).
 * finishApplicationMaster is answered when the end is durable, and always with true. SOURCE:
 * Hadoop's ApplicationMasterService and DefaultAMSProcessor; Hadoop 3.4.2 as recorded. */
#ifndef CREEL_RM_RPC_MASTER_H
#define CREEL_RM_RPC_MASTER_H

#include "base/crypto/digest.h"
#include "rm/core/core.h"
#include "rm/rpc/master.pb-c.h"
#include "rm/rpc/put.h"

/* A container with its token and one for its node. */
struct rm_rpc_granted {
    Master__Container container;
    struct rm_rpc_container_id id;
    Yarn__NodeId node;
    struct rm_rpc_resource resource;
    Yarn__Priority priority;
    Master__Token token, nm_token;
    Master__NmToken node_token;
    struct base_buf identifier, nm_identifier;
    unsigned char password[BASE_SHA1_BYTES], nm_password[BASE_SHA1_BYTES];
    char host[BASE_NAME_MAX], address[BASE_NAME_MAX + 8];
};
/* Fills @out, which must not move; free with rm_rpc_granted_free(). No tokens are made when @basis
 * has no keys, or the node has no port of Hadoop RPC. @lifetime_ms: how long after its allocation
 * the container may be started. */
void rm_rpc_put_granted(const struct rm_allocated *a, const struct rm_token_basis *basis,
                        int64_t lifetime_ms, struct rm_rpc_granted *out);
void rm_rpc_granted_free(struct rm_rpc_granted *g);

/* A new AMRM token for a master. */
struct rm_rpc_amrm_token {
    Master__Token token;
    struct base_buf identifier;
    unsigned char password[BASE_SHA1_BYTES];
};
/* Fills @out, which must not move; free with rm_rpc_amrm_token_free(). */
void rm_rpc_put_amrm_token(const struct base_attempt_id *attempt, const struct rm_master_key *key,
                           struct rm_rpc_amrm_token *out);
void rm_rpc_amrm_token_free(struct rm_rpc_amrm_token *t);

/* A node that has changed. */
struct rm_rpc_changed_node {
    Yarn__NodeReport report;
    Yarn__NodeId id;
    struct rm_rpc_resource used, capability;
    char host[BASE_NAME_MAX];
};
void rm_rpc_put_changed_node(const struct rm_changed_node *n, struct rm_rpc_changed_node *out);

#endif
