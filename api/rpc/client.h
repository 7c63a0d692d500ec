/* api/rpc/client.h - a client of Hadoop RPC that shows a token and makes one call, as YARN's own do
 * where they start containers: a connection for each.
 *
 *   CHALLENGE --the server's nonce--> PROOF --rspauth--> ANSWER --result--> DONE
 *       |                               |                  |
 *       +--- a refusal, or bytes that are no answer -------+--> FAILED
 *
 * The server has proven that it knows the token's password, too, before the call is sent. Pure:
 * bytes in, bytes out; sockets and time are the caller's. SOURCE: as api/rpc/session.h. */
#ifndef CREEL_API_RPC_CLIENT_H
#define CREEL_API_RPC_CLIENT_H

#include "api/rpc/digest_md5.h"
#include "api/rpc/frame.h"

#define API_RPC_ANSWER_MAX ((size_t)1 << 20) /* bytes of a frame from the server */

struct api_rpc_client_token { /* borrowed */
    struct api_rpc_bytes identifier, password;
};
enum api_rpc_client_state {
    API_RPC_CLIENT_CHALLENGE, /* the server is to send its challenge */
    API_RPC_CLIENT_PROOF,     /* the server is to say whether it takes the token */
    API_RPC_CLIENT_ANSWER,    /* the call is sent, and may be carried out */
    API_RPC_CLIENT_DONE,
    API_RPC_CLIENT_FAILED
};
struct api_rpc_client {
    enum api_rpc_client_state state;
    struct api_rpc_digest digest;
    char *password;         /* in base64 */
    struct base_buf call;   /* the frames that follow the proof */
    struct base_buf result; /* DONE: the result, encoded */
    /* FAILED: a Java class, or NULL when the server did not name one; and why, printable. */
    char *exception, *why;
};
/* Begins, and appends the first bytes for the server to @out. @cnonce: random, of letters and
 * digits. @protocol: a Java interface. @request: encoded. Free @c in any case. */
void api_rpc_client_begin(struct api_rpc_client *c, const struct api_rpc_client_token *token,
                          const char *cnonce, const char *protocol, const char *method,
                          const struct api_rpc_bytes *request, struct base_buf *out);
/* Takes the server's next frame off @in, and appends what follows it to @out. Returns how many
 * bytes were used; 0: more are needed. Not to be called when the state is DONE or FAILED. */
size_t api_rpc_client_take(struct api_rpc_client *c, const void *in, size_t len,
                           struct base_buf *out);
void api_rpc_client_free(struct api_rpc_client *c);

#endif
