/* tests/unit/ha_election_world.h - a small ZooKeeper in memory for the tests of the election's
 * machine: nodes with versions and owners, sessions with time-outs, multi, watches; and up to four
 * ResourceManagers with their connections, whose requests and answers move only when the test says
 * so. */
#ifndef CREEL_TESTS_HA_ELECTION_WORLD_H
#define CREEL_TESTS_HA_ELECTION_WORLD_H

#include "base/mem.h"
#include "ha/election/election.h"

#define WORLD_RMS 4
#define WORLD_TIMEOUT                                                                              \
    1200000 /* us: time-out of every session; a sixth and two thirds of it are whole numbers */
#define WORLD_ROOT "/creel/blue"

struct world_node {
    char *path, *data;
    int32_t version;
    int64_t owner; /* session, 0: none */
    int created;   /* children ever, for sequence numbers */
    bool denied;   /* its ACL forbids us to read or set it, and to make or delete its children */
};
struct world_session {
    int64_t id, heard_us;
    bool over;
};
struct world_request { /* copied when it is sent */
    struct ha_zk_request rq;
    struct ha_zk_op ops[8];
    char *path;
    char *op_path[8], *op_data[8];
    int64_t sent_us, session;
    char *text; /* for expectations: "get /a", "multi check /a v1, set /b v0 x" */
};
struct world_event { /* owns its texts; ev points to them on delivery */
    struct ha_zk_event ev;
    char *path, *data, *text;
    char **children;
};
struct world;
struct world_rm {
    struct world *w;
    struct ha_election *e; /* NULL: the process does not run */
    char id[16], instance[32];
    bool connected, up; /* the connection; whether the network lets requests through */
    bool knows;         /* what the machine was last told about the connection */
    int64_t session;
    struct world_request asked[64]; /* sent, not carried out */
    size_t asked_n;
    struct world_request orphans[64]; /* sent on a lost connection, still on their way */
    size_t orphans_n;
    struct world_event answers[128]; /* not delivered */
    size_t answers_n;
    bool watch_children, watch_epoch;   /* watches set at ZooKeeper: at most one of each kind */
    bool missed_children, missed_epoch; /* fired while there was no connection: delivered after the
                                           next one, as libzookeeper does */
    struct base_buf sent, told; /* texts of requests; what the callbacks were told, one line each */
    bool leading, lease_off;
    int64_t epoch; /* of the last election in this life; -1: none */
    int32_t version;
    int elected_n, deposed_n, refused_n, notes_n;
    struct base_error refusal;
};
struct world {
    int64_t now_us;
    struct world_node nodes[256];
    size_t nodes_n;
    struct world_session sessions[512];
    size_t sessions_n;
    struct world_rm rms[WORLD_RMS];
    char *dead[512]; /* instances whose processes are gone */
    size_t dead_n;
    int64_t highest_elected;
    uint64_t seed;
    /* The @fault_at-th request carried out from now on (0: none) is answered with @fault_code. With
     * @fault_done it is carried out all the same. */
    int fault_at;
    enum ha_zk_code fault_code;
    bool fault_done;
    /* the machine is told of a lost connection first, then of the requests lost with it */
    bool losses_last;
    char broken[256]; /* the first rule that was broken; "": none */
};

struct world *world_new(uint64_t seed);
void world_free(struct world *w);
void world_broken(struct world *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
uint64_t world_random(struct world *w, uint64_t below);

/* Starts the process of an RM, or ends it (its session stays behind). */
struct world_rm *world_start(struct world *w, size_t i, const char *rm_id, const char *instance,
                             bool lease_off);
void world_kill(struct world_rm *r);
/* From now on the process of @instance is known to be gone. */
void world_dead(struct world *w, const char *instance);

/* Connects, with the RM's session if that is still alive, otherwise with a new one. */
void world_connect(struct world_rm *r);
/* Loses the connection: of the requests sent, the first @done are still carried out (at once), the
 * others never. */
void world_disconnect(struct world_rm *r, size_t done);
/* Loses the connection: of the requests sent, the first @late are carried out later, at the latest
 * when the next sync of the session comes; the others never. */
void world_disconnect_late(struct world_rm *r, size_t late);
void world_orphans_run(struct world_rm *r, size_t n);
void world_session_end(struct world *w, int64_t session);
bool world_session_lives(const struct world *w, int64_t session);

bool world_carry_out(struct world_rm *r); /* carries out one request; false: there is none */
bool world_deliver(struct world_rm *r);   /* delivers one event; false: there is none */
void world_run(struct world *w);          /* until nothing is under way; time stands still */
/* Lets time pass until now + @us: runs timers that are due, hears of the sessions of connected RMs,
 * and ends those whose time-out is over. */
void world_pass(struct world *w, int64_t us);
void world_tick(struct world_rm *r);
void world_expire(struct world *w); /* ends the sessions not heard of for their time-out */
/* the session's client sent something at @at_us */
void world_heard(struct world *w, int64_t session, int64_t at_us);

struct world_node *world_node(struct world *w, const char *path); /* NULL: none */
struct world_node *world_put(struct world *w, const char *path, const char *data, int64_t owner);
void world_remove(struct world *w, const char *path);
void world_set(struct world *w, const char *path, const char *data);
/* counts those of @session; 0: all */
size_t world_election_nodes(const struct world *w, int64_t session);
void world_event(struct world_rm *r, enum ha_zk_event_kind kind); /* queues it for @r */

#endif
