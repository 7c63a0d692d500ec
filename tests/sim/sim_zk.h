/* tests/sim/sim_zk.h - a simulated ZooKeeper ensemble and its client, as ha/zk/zk.h sees them.
 *
 * One leader decides every write and every end of a session, in one order (zxid). The other servers
 * follow with a delay: what a client reads there may be old until it syncs. A server answers a
 * write when it has applied the write itself; answers and watch events reach a client in order.
 * Requests of a session are carried out in order; what a server had passed on to the leader is
 * carried out although the connection is lost, but not after the session moved to another
 * connection, or ended. Without a majority nothing is written, no session ends, and servers close
 * their connections. A client that has seen more than a server knows is turned away. Under a new
 * leader the time-out of every session begins anew. Source: ZooKeeper 3.8,
 * PrepRequestProcessor.checkSession, SessionTrackerImpl, Learner, ClientCnxn / zookeeper.c. */
#ifndef CREEL_TESTS_SIM_ZK_H
#define CREEL_TESTS_SIM_ZK_H

#include "tests/sim/sim_net.h"
#include "tests/sim/sim_zk_tree.h"

#define ZK_SERVERS_MAX 3
#define ZK_TICK        (200 * MS)

struct zk_session {
    int64_t id, timeout_us, heard_us;
    bool over;
    struct zk_conn *owner; /* the connection that may write for it */
};
struct zk_watch {
    struct zk_watch *next;
    const char *path;
    bool children;
};
struct zk_request { /* a copy of a struct ha_zk_request, or a connect, or a ping */
    struct zk_request *next;
    enum { ZK_CONNECT, ZK_PING, ZK_REQUEST } what;
    struct ha_zk_request rq;
    uint64_t round;                 /* the client's own number, which comes back with the result */
    int64_t sent_us, session, seen; /* CONNECT: session, and last zxid seen */
    struct zk_watch *watches;       /* CONNECT: to be set again */
    const struct zk_request *twin;  /* in the client's copy: the request as sent */
};
struct zk_message { /* to the client */
    struct zk_message *next;
    enum { ZK_WELCOME, ZK_EXPIRED, ZK_BYE, ZK_PONG, ZK_WATCHED, ZK_RESULT } what;
    int64_t zxid, session, ready_us;
    const char *path;
    const struct zk_request *of;
    struct zk_result result;
    const char *data;
    size_t len;
    int32_t version;
    int64_t owner;
    const char *const *children;
    size_t children_n;
    int64_t czxid;
};
struct zk_conn {
    struct sim_zk *zk;
    int server;
    uint32_t server_life, client_life;
    struct sim_zkc *client;
    struct zk_session *session;
    bool open;                              /* the client has it open */
    bool served;                            /* the server has it open */
    struct zk_request *in, **in_last;       /* on their way to the server */
    struct zk_request *queue, **queue_last; /* arrived, not carried out yet */
    struct zk_message *out, **out_last;
    bool in_pump, out_pump, busy;
    struct zk_watch *watches;
    struct zk_conn *next; /* in sim_zk.conns */
};
struct zk_server {
    struct sim_proc proc;
    struct zk_tree tree;
    int64_t applied;  /* zxid */
    int64_t lag_us;   /* most delay behind the leader */
    int64_t apply_us; /* when the last transaction so far is applied */
    bool isolated;    /* cut off from the other servers */
};
struct sim_zk {
    struct sim *s;
    struct sim_net *net;
    int n, leader; /* -1: none */
    uint64_t term;
    struct zk_server v[ZK_SERVERS_MAX];
    struct zk_tree tree; /* the leader's */
    struct zk_txn *log;
    size_t log_n, log_cap;
    struct zk_session **sessions;
    size_t sessions_n, sessions_cap;
    struct zk_conn *conns;
    int64_t next_session;
    bool no_check; /* the fence is broken: CHECKs of multis that create segments of a log pass */
    int64_t bad_version; /* multis refused by a check of a version: what the fence has held back */
};

void sim_zk_init(struct sim_zk *zk, struct sim *s, struct sim_net *net, int servers,
                 int first_host);
void sim_zk_kill(struct sim_zk *zk, int server);
void sim_zk_start(struct sim_zk *zk, int server);
void sim_zk_isolate(struct sim_zk *zk, int server, bool isolated);
void sim_zk_lag(struct sim_zk *zk, int server, int64_t lag_us);
bool sim_zk_has_quorum(const struct sim_zk *zk);

/* ---- the client: one session at a time, in a process ---- */
typedef void sim_zkc_fn(void *user, const struct ha_zk_event *ev, uint64_t round);
struct sim_zkc {
    struct sim_zk *zk;
    struct sim_proc *proc;
    sim_zkc_fn *fn;
    void *user;
    struct zk_conn *conn;
    bool connected, losses_first, dead;
    int64_t session, timeout_us, wanted_us, seen, heard_us, sent_us, tried_us;
    struct zk_request *waiting, **waiting_last; /* copies of requests sent, not answered yet */
    struct zk_watch *watches;
    int server;
};
/* Events come on the process's service thread. */
struct sim_zkc *sim_zkc_new(struct sim_zk *zk, struct sim_proc *proc, int64_t timeout_us,
                            sim_zkc_fn *fn, void *user);
void sim_zkc_died(struct sim_zkc *c); /* its process was killed: connections break, the session
                                         stays until it expires */
void sim_zkc_send(struct sim_zkc *c, const struct ha_zk_request *rq, uint64_t round);

/* ---- between the two ---- */
struct zk_conn *zk_connect(struct sim_zk *zk, struct sim_zkc *c, int server);
void zk_conn_send(struct zk_conn *conn, struct zk_request *rq);
void zk_conn_close(struct zk_conn *conn);  /* by the client */
void zkc_message(void *arg, uint64_t tag); /* arg: struct zk_delivery */
struct zk_delivery {
    struct zk_conn *conn;
    struct zk_message *m;
};

#endif
