/* rm/rpc/start/request.h - what starts a master on a NodeManager of Hadoop: the call
 * startContainers with the launch context of its application, the tokens by which the node knows
 * that the ResourceManager has allocated the container, and for the master the token by which it
 * registers.
 *
 * SOURCE: Hadoop's AMLauncher; the first startContainers of MapReduce and Spark, recorded. */
#ifndef CREEL_RM_RPC_START_REQUEST_H
#define CREEL_RM_RPC_START_REQUEST_H

#include "base/crypto/digest.h"
#include "base/error.h"
#include "rm/core/core.h"

/* What the order does not say. */
struct rm_start_basis {
    const char *host; /* of the node's id, which tokens name */
    int port;
    const char *address; /* from which the node has registered */
    const struct rm_master_key *nm_key, *container_key;
    int64_t rm_instance_ms, now_ms;
    int64_t lifetime_ms; /* how long the node may start the container */
};
struct rm_start_source; /* of what the request is made */
struct rm_start {       /* owns everything */
    struct base_container_id container;
    char *host, *address;
    int port;
    struct rm_start_source *source; /* NULL: the request is encoded */
    /* the token for the node, and the encoded request */
    struct base_buf nm_identifier, request;
    unsigned char nm_password[BASE_SHA1_BYTES];
};
/* Returns what carries out the LAUNCH order @o, of a master. Copies what the order and @basis point
 * to, but for the launch context, which it shares; so it is cheap enough for the core's thread. */
struct rm_start *rm_start_new(const struct rm_order *o, const struct rm_start_basis *basis);
/* Encodes the request and makes the tokens, if that is still to be done. Any thread, and not the
 * core's: a launch context may have a megabyte. Returns 0; -BASE_EINVAL or -BASE_ELIMIT when the
 * order cannot be carried out on any node of Hadoop. */
int rm_start_encode(struct rm_start *s, struct base_error *err);
void rm_start_free(struct rm_start *s); /* NULL is fine */

#endif
