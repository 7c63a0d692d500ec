/* tests/sim/sim_zk_tree.h - the data of a simulated ZooKeeper: a tree of nodes with versions, and
 * transactions that change it. Every server has a copy that follows the log of transactions.
 * Memory: the run's (paths and data are shared by all copies and never change). */
#ifndef CREEL_TESTS_SIM_ZK_TREE_H
#define CREEL_TESTS_SIM_ZK_TREE_H

#include "ha/zk/zk.h"
#include "tests/sim/sim_run.h"

struct zk_node {
    const char *path, *data;
    size_t len;
    int32_t version;
    int64_t owner;               /* ephemeral: its session */
    int64_t czxid, mzxid, pzxid; /* creation; last change of the data, of the children */
    int64_t children_made;       /* children ever created: the next sequence number */
};
struct zk_tree {
    struct zk_node *v;
    size_t n, cap;
};
struct zk_change {
    enum ha_zk_op_kind kind; /* not CHECK */
    const char *path, *data;
    size_t len;
    int64_t owner;
    bool sequence; /* the path ends with a sequence number */
};
struct zk_txn { /* zxid: its place in the log, from 1 */
    struct zk_change *v;
    size_t n;
    int64_t ended; /* session that the transaction ends; 0: none */
};
struct zk_result {
    enum ha_zk_code code;
    int failed_op;
    const char *created;
};

const struct zk_node *zk_find(const struct zk_tree *t, const char *path);
/* Names of children of @path; memory of the run. */
const char *const *zk_children(struct sim *s, const struct zk_tree *t, const char *path, size_t *n);
/* Carries out all of @ops on @t, or none. On success *out is what the other servers repeat. */
struct zk_result zk_multi(struct sim *s, struct zk_tree *t, const struct ha_zk_op *ops, size_t n,
                          int64_t session, int64_t zxid, struct zk_txn *out);
/* Removes the ephemeral nodes of a session; *out as for zk_multi(). */
void zk_end_session(struct sim *s, struct zk_tree *t, int64_t session, int64_t zxid,
                    struct zk_txn *out);
void zk_repeat(struct zk_tree *t, const struct zk_txn *txn, int64_t zxid);
void zk_tree_free(struct zk_tree *t);
/* Returns true when the change fires a watch on @path; @children: a watch on its children. */
bool zk_touches(const struct zk_change *c, const char *path, bool children);

#endif
