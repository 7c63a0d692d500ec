/* api/rpc/session.h - one connection of Hadoop RPC, from its first byte to its calls: which frames
 * may come, and what is answered. Pure: bytes in, answers and calls out; the shell is
 * api/rpc/conn.c.
 *
 *   PREAMBLE --auth: none--> CONTEXT --context--> CALLS --call, ping--> CALLS
 *      |                        ^
 *      | auth: SASL             | SUCCESS at once where no token is taken
 *      v                        |
 *   NEGOTIATE --NEGOTIATE-------+
 *      |                        |
 *      | the methods are sent   | SIMPLE, or a right token: SUCCESS
 *      v                        |
 *   INITIATE --INITIATE---------+
 *
 * Everything else gets an answer with the status FATAL in the words of YARN, after which the
 * connection ends (CLOSED): what is answered in which case is in session.c; so does a ping before
 * the context, which YARN ignores. Calls may be sent before any answer is read.
 *
 * Who the caller is: with SIMPLE the name that the context gives; with a token the token's owner,
 * and a context that names somebody else is refused. To act for others (a real user beside the
 * effective one) is refused. SOURCE: Hadoop 3.4.2, recorded and asked (tests/interop/rpc). */
#ifndef CREEL_API_RPC_SESSION_H
#define CREEL_API_RPC_SESSION_H

#include "api/rpc/arena.h"
#include "api/rpc/frame.h"

enum api_rpc_token { API_RPC_TOKEN_VALID, API_RPC_TOKEN_INVALID, API_RPC_TOKEN_STANDBY };
/* Writes the password of the token with this @identifier to *@password, and its owner's name to
 * *@user; the caller frees both. Writes nothing for a token that is not valid, or when this server
 * cannot say, since another one is active (STANDBY). */
typedef enum api_rpc_token api_rpc_find_password(void *u, const void *identifier, size_t len,
                                                 char **password, char **user);
struct api_rpc_session_conf {
    bool simple;                          /* callers may name themselves */
    api_rpc_find_password *find_password; /* NULL: tokens are not taken */
    void *find_user;                      /* passed to find_password */
    size_t frame_max; /* bytes of a frame from a client; a server may lower it (rpc.h) */
};

enum api_rpc_state {
    API_RPC_PREAMBLE,
    API_RPC_NEGOTIATE,
    API_RPC_INITIATE,
    API_RPC_CONTEXT,
    API_RPC_CALLS,
    API_RPC_CLOSED
};
struct api_rpc_session {
    const struct api_rpc_session_conf *conf; /* borrowed */
    enum api_rpc_state state;
    bool sasl;                  /* the client has asked for SASL in its preamble */
    bool proven;                /* by a token */
    char *user;                 /* NULL until it is known */
    char *nonce;                /* of the challenge; NULL: none was sent */
    struct base_buf identifier; /* of the token, if proven */
    bool unproven;              /* CLOSED: the client's proof, name or right to act was refused */
    struct base_buf why;        /* CLOSED: for the log, printable; empty: nothing to report */
};
void api_rpc_session_init(struct api_rpc_session *s, const struct api_rpc_session_conf *conf);
void api_rpc_session_free(struct api_rpc_session *s);
/* Returns false when the user was proven by a token that is valid no longer. */
bool api_rpc_session_token_is_still_valid(const struct api_rpc_session *s);

/* A call, borrowed from the input. */
struct api_rpc_incoming {
    struct api_rpc_echo echo;
    const char *method, *protocol; /* in the arena */
    uint64_t version;
    struct api_rpc_bytes request; /* .data NULL: the message is missing or cut off */
};
enum api_rpc_next {
    API_RPC_WAIT,  /* more bytes are needed: at least *@used in all */
    API_RPC_AGAIN, /* a part of the input was used; nothing else is to be done */
    API_RPC_CALL,  /* a call has come */
    API_RPC_CLOSE  /* what stands in @out is the last answer; then the connection ends */
};
/* Takes the next frame off the input. Sets *@used to the number of bytes that were used; appends
 * answers to @out. What @call points to is valid as long as the input and @arena, which is empty
 * and is freed by the caller. Nothing may be called after API_RPC_CLOSE. */
enum api_rpc_next api_rpc_session_take_frame(struct api_rpc_session *s, const void *input,
                                             size_t len, size_t *used, struct base_buf *out,
                                             struct api_rpc_arena *arena,
                                             struct api_rpc_incoming *call);

#endif
