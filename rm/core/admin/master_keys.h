/* rm/core/admin/master_keys.h - the keys of the tokens that masters get which speak Hadoop RPC
 * (base/hadoop/identifiers.h). The core keeps them, so that they are the same after a restart and
 * on every ResourceManager: tokens that were handed out before stay valid.
 *
 * A key is stored as a number and a salt. conf.derive_key computes it from these and the cluster's
 * secret, which the store does not have (base/hadoop/master_key.h). Each kind has its keys; those
 * of NodeManagers of Hadoop are kinds of their own, since such a node gets the keys themselves.
 *
 * Keys are replaced, one kind like the other:
 *
 *   no record --conf.new_keys--> current
 *   current --older than the kind's interval, or its secret is gone--> current,
 *           waiting --after the delay, in which all nodes and masters learn of it--> previous,
 *           current
 *
 *   key        AMRM tokens                         NM and container tokens
 *   current    accepted; made if none waits        accepted by nodes; made
 *   waiting    accepted; made, also for masters    accepted by nodes
 *              that have one with the current key
 *   previous   refused                             accepted by nodes
 *
 * SOURCE: YARN's AMRMTokenSecretManager, NMTokenSecretManagerInRM and
 * RMContainerTokenSecretManager: a delay is 1.5 times the time after which a silent master or node
 * is lost, or a container that was not started. After a change of the NM key masters get an NM
 * token for each node on which they have a container; YARN sends one with the next container there.
 *
 * While the secret is replaced on one host after the other, it has two keys, and tokens stay as
 * they are: a node that does not have the new one yet could not check others. When the old one has
 * left the file, all hosts have the new one, and what was derived from the old one is replaced.
 *
 * The records of the first keys are the first that a new core writes. Tokens are handed out with
 * orders and answers that follow later records, so every key is durable before a token is made with
 * it; a waiting key counts from when its record is durable, and its delay begins anew with each
 * start of a ResourceManager: nobody learns of a key while none runs. Keys are made only where
 * conf.hands_out_keys is set. The shell sends RM_EV_ROLL_MASTER_KEYS at least once a minute, with
 * new keys at hand: the core has no source of random numbers. */
#ifndef CREEL_RM_CORE_ADMIN_MASTER_KEYS_H
#define CREEL_RM_CORE_ADMIN_MASTER_KEYS_H

#include "rm/core/core.h"

struct rm_record;

/* The keys of one kind. */
struct rm_kind_keys {
    bool has_current, has_waiting, has_previous;
    struct rm_master_key current, waiting, previous;
    int64_t made_us;   /* when the newest of them was made; 0: unknown */
    int64_t active_us; /* when the waiting key becomes the current one */
    uint64_t seq;      /* number of the newest record */
};
struct rm_master_keys {
    struct rm_kind_keys kinds[RM_MASTER_KEYS];
    /* How often keys of nodes have changed, counting from 1 for the first ones, and how often they
     * had before the change that the record @seq makes durable. */
    uint32_t changes, changes_before;
    uint64_t seq;
    uint32_t nm_renewals; /* how often a waiting key of NM tokens has become the current one */
};

/* Stores new keys in place of those that the store does not have, or whose secret is gone. Call
 * when all records are read. */
void rm_master_keys_begin(struct rm_core *c);
/* Reads the record of the keys of one kind. Returns 0 or -BASE_ECORRUPT. */
int rm_master_keys_read(struct rm_core *c, const struct rm_record *rec, struct base_error *err);
/* Call when c->stored was @stored_before and has grown: the delay of a waiting key begins when its
 * record is durable. */
void rm_master_keys_on_stored(struct rm_core *c, uint64_t stored_before);
/* Handles RM_EV_ROLL_MASTER_KEYS. */
void rm_master_keys_on_roll(struct rm_core *c, const struct rm_event *ev);

/* Returns the key with which tokens of this kind are made now; NULL: no keys are handed out. For
 * RM_KEY_HADOOP_NM and RM_KEY_HADOOP_CONTAINER this is the key for the answer to the registration
 * of a NodeManager of Hadoop. */
const struct rm_master_key *rm_master_key(const struct rm_core *c, enum rm_master_key_kind kind);
/* Returns the key that will be the current one after the delay; NULL: none waits. The answers to
 * the heartbeats of a NodeManager of Hadoop have it, which ignores a key that it has. */
const struct rm_master_key *rm_master_key_waiting(const struct rm_core *c,
                                                  enum rm_master_key_kind kind);
/* Returns the key called @id if tokens with it are accepted; else NULL. */
const struct rm_master_key *rm_master_key_find(const struct rm_core *c,
                                               enum rm_master_key_kind kind, int32_t id);
/* Returns the keys with which nodes accept tokens, the current one first, in memory that is valid
 * until the next step; sets *@n. NULL: no keys are handed out. */
const struct rm_master_key *rm_master_keys_list_good(struct rm_core *c,
                                                     enum rm_master_key_kind kind, size_t *n);
/* Returns a number that differs when that list has changed since, of any kind. */
uint32_t rm_master_keys_changes(const struct rm_core *c);

#endif
