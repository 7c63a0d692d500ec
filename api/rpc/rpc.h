/* api/rpc/rpc.h - a server of Hadoop RPC: ports, the protocols that they speak, and calls.
 *
 *   bytes --session.h--> call --> the method's handler --> an answer, now or later, from any thread
 *
 * One thread reads all connections and calls the handlers, which must not block: what takes longer
 * is done elsewhere, and answered from there. Calls of one connection are carried out side by side
 * and answered in the order in which they are done.
 *
 * Bounds, so that no client can use up the server: connections in all, and those that the daemon's
 * ports share, per address; memory for what has been
 * received and not yet carried out, for calls that are not answered, and for answers that are
 * being made or not yet taken; calls of one connection
 * that are not answered; the size of a frame, which the largest request of the port's protocols
 * gives; the pace at which a frame must arrive, and an answer be taken. A
 * connection beyond them is closed, and one line of the log says why, a limited number of lines a
 * second. */
#ifndef CREEL_API_RPC_RPC_H
#define CREEL_API_RPC_RPC_H

#include <protobuf-c/protobuf-c.h>
#include <sys/socket.h>

#include "api/rpc/session.h"
#include "base/error.h"

struct api_rpc_call;
struct api_rpc_server;

/* The Java class by which a client learns that the same call may succeed later. */
#define API_RPC_COME_AGAIN "org.apache.hadoop.ipc.RetriableException"

/* Answers @call once, now or later, with one of the functions below. @request is valid until the
 * handler returns. @user: that of the port, or of the server. */
typedef void api_rpc_handler(struct api_rpc_call *call, const ProtobufCMessage *request,
                             void *user);
struct api_rpc_method {
    const char *name;
    const ProtobufCMessageDescriptor *request;
    api_rpc_handler *handle;
    size_t request_max; /* bytes; 0: 64 KiB */
};
struct api_rpc_protocol {
    const char *name; /* a Java interface; its version is 1 */
    const struct api_rpc_method *methods;
    size_t methods_n;
    /* Returns true after answering, with an error, a call that may not be carried out now. Called
     * before the handler, and once more before any other answer than one that
     * api_rpc_note_durable() was called for: what was read may be wrong by then. Any thread.
     * NULL: none. */
    bool (*gate)(struct api_rpc_call *call, void *user);
    /* Called after @gate. Returns true when something has to be looked up first: then
     * api_rpc_continue() is to be called, also from within @prepare, which is not called again; or
     * when it has answered the call, with an error. NULL: none. */
    bool (*prepare)(struct api_rpc_call *call, void *user);
};

/* Limits that the daemon's ports share (api/server/limits/peers.h), so that a client does not get
 * its share of connections once from each port. All are called by the server's thread, with .user
 * as the first argument. */
struct api_rpc_seats {
    void *user;
    /* Takes a place for a connection that was accepted. The place may be taken back by a
     * shutdown(2) of @fd as long as the connection has said nothing. Returns NULL when there is
     * none. */
    void *(*take)(void *user, const struct sockaddr *from, int fd);
    void (*mark_spoken)(void *user, void *seat); /* the connection's context has come */
    void (*give_back)(void *user, void *seat);   /* before @fd is closed */
    /* Counts a call of @caller; NULL: of the address alone. Returns the key of the limit that is
     * reached: then the call is refused, and the client is to come again. NULL: it may go on. */
    const char *(*count_call)(void *user, void *seat, const char *caller);
};

enum { API_RPC_PORTS_MAX = 4 };
struct api_rpc_port {
    int listener; /* a listening socket, not blocking; the server takes it */
    const struct api_rpc_protocol *protocols;
    size_t protocols_n;
    struct api_rpc_session_conf session;
    void *user; /* for handlers; NULL: that of the server */
    /* Returns whether @peer, an address, is among those that may call. Called once for each
     * connection; the protocols' gates ask api_rpc_is_peer_listed(). NULL: all are. */
    bool (*lists_peer)(const char *list, const char *peer);
    const char *list; /* first argument of .lists_peer */
    /* Calls count against the limit of their address, not of their user. For ports whose callers
     * are listed by address, and may all name the same user. */
    bool limits_no_user;
};
struct api_rpc_server_conf {
    struct api_rpc_port ports[API_RPC_PORTS_MAX];
    size_t ports_n;
    int64_t connections_max, memory_max; /* memory_max: bytes */
    /* Called when a client's proof, its name or its right to act for others is refused. @name: the
     * user who is known so far; NULL: nobody. NULL: nothing is called. */
    void (*note_refusal)(void *user, const char *name, const char *peer, const char *why);
    struct api_rpc_seats seats; /* .take NULL: nothing is shared */
    void *user;                 /* for handlers */
};
/* Starts a server, which takes the listeners. The tables of protocols must outlive the server.
 * Returns 0 or -BASE_EIO. */
int api_rpc_server_start(const struct api_rpc_server_conf *conf, struct api_rpc_server **out,
                         struct base_error *err);
/* Accepts no further connection, waits until all calls are answered, closes the connections and
 * frees the server. NULL is fine. Before the call, the daemon must have seen to it that every call
 * will be answered. */
void api_rpc_server_stop(struct api_rpc_server *s);

/* ---- for handlers; what is returned is valid until the answer ---- */
const char *api_rpc_caller(const struct api_rpc_call *call); /* the user's name, never NULL */
const char *api_rpc_peer(const struct api_rpc_call *call);   /* the client's address, no port */
/* Returns false when the port has a list of addresses, and the client's is not on it. */
bool api_rpc_is_peer_listed(const struct api_rpc_call *call);
/* Returns the name of the method that is called. */
const char *api_rpc_method_name(const struct api_rpc_call *call);

/* Goes on with a call that was held up by @prepare: its handler is called. Any thread. */
void api_rpc_continue(struct api_rpc_call *call);

/* Called by a handler, or by @prepare, before it hands the call to a thread that carries out what
 * takes long. Returns false after answering that the client should come again, when its address has
 * API_RPC_SLOW_MAX (slow.h) of such calls under way: until they are answered, or go on. */
bool api_rpc_begin_slow(struct api_rpc_call *call);
/* Returns true when the call's client is gone: nobody waits for the answer, which is to be given
 * all the same, soon. Any thread. */
bool api_rpc_client_is_gone(const struct api_rpc_call *call);
/* Charges @bytes, what the answer takes so far, to the memory of the server, in place of what was
 * charged before. Returns false when there is not as much: the answer is to be given up. For
 * answers that are made bit by bit, by any thread. */
bool api_rpc_charge_answer(struct api_rpc_call *call, size_t bytes);
/* Notes that the answer, which follows at once, tells of a change that is durable. It is given even
 * if the gate has shut meanwhile. */
void api_rpc_note_durable(struct api_rpc_call *call);

/* ---- answers: exactly one for each call, from any thread; the call is gone afterwards ---- */
void api_rpc_answer(struct api_rpc_call *call, const ProtobufCMessage *result);
/* The same with a result that is encoded already. Frees what @result holds. */
void api_rpc_answer_encoded(struct api_rpc_call *call, struct base_buf *result);
/* Answers that the call failed. @exception: a Java class, by which clients choose what to do. */
void api_rpc_answer_error(struct api_rpc_call *call, const char *exception, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
