#include "api/rpc/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/rpc/digest_md5.h"
#include "base/crypto/base64.h"
#include "base/crypto/random.h"
#include "base/limits.h"
#include "base/utf8.h"

#define MAGIC          "hrpc"
#define MAGIC_BYTES    4
#define PREAMBLE_BYTES 7
#define LENGTH_BYTES   4
#define AUTH_NONE      0x00
#define AUTH_SASL      0xdf
#define KIND_PROTOBUF  2
#define OP_FINAL       0
#define GREETING_MAX   ((size_t)64 << 10) /* bytes of a frame before the first call */
#define SHOWN_MAX      200                /* bytes of a client's text in a message */

#define RPC_EXCEPTION       "org.apache.hadoop.ipc.RpcServerException"
#define ACCESS_EXCEPTION    "org.apache.hadoop.security.AccessControlException"
#define IMPERSONATION       "org.apache.hadoop.security.authorize.AuthorizationException"
#define SASL_EXCEPTION      "javax.security.sasl.SaslException"
#define TOKEN_EXCEPTION     "org.apache.hadoop.security.token.SecretManager$InvalidToken"
#define VERSION_EXCEPTION   "org.apache.hadoop.ipc.RPC$VersionMismatch"
#define STANDBY_EXCEPTION   "org.apache.hadoop.ipc.StandbyException"
#define AUTH_BYTE_EXCEPTION "org.apache.hadoop.ipc.IpcException"
#define HTTP_ANSWER                                                                                \
    "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"              \
    "This port speaks Hadoop RPC. The pages and REST have a port of their own.\r\n"

enum sasl_state { SASL_SUCCESS, SASL_NEGOTIATE, SASL_INITIATE };

void api_rpc_session_init(struct api_rpc_session *s, const struct api_rpc_session_conf *conf)
{
    *s = (struct api_rpc_session){.conf = conf};
}

void api_rpc_session_free(struct api_rpc_session *s)
{
    free(s->user);
    free(s->nonce);
    base_buf_free(&s->identifier);
    base_buf_free(&s->why);
}

static void forget_password(char *password)
{
    if (password)
        explicit_bzero(password, strlen(password));
    free(password);
}

bool api_rpc_session_token_is_still_valid(const struct api_rpc_session *s)
{
    char *password = NULL, *user = NULL;
    enum api_rpc_token verdict = API_RPC_TOKEN_VALID;

    if (s->proven) /* a standby cannot say; calls there are answered accordingly */
        verdict = s->conf->find_password(s->conf->find_user, s->identifier.data, s->identifier.len,
                                         &password, &user);
    forget_password(password);
    free(user);
    return verdict != API_RPC_TOKEN_INVALID;
}

/* ---- the end of a connection ---- */

static enum api_rpc_next close_session(struct api_rpc_session *s, const char *why)
{
    s->state = API_RPC_CLOSED;
    base_buf_clear(&s->why);
    base_buf_adds(&s->why, why);
    return API_RPC_CLOSE;
}

static enum api_rpc_next refuse(struct api_rpc_session *s, const struct api_rpc_echo *to,
                                enum api_rpc_detail detail, const char *exception,
                                struct base_buf *out, const char *message)
{
    struct api_rpc_echo without_client = *to; /* as YARN answers what is fatal */

    without_client.client_id_len = 0;
    s->unproven = detail == API_RPC_UNAUTHORIZED && strcmp(exception, STANDBY_EXCEPTION) != 0;
    api_rpc_add_error(out, &without_client, API_RPC_FATAL, detail, exception, message);
    return close_session(s, message);
}

static enum api_rpc_next refuse_header(struct api_rpc_session *s, const struct api_rpc_echo *to,
                                       struct base_buf *out, const char *message)
{
    return refuse(s, to, API_RPC_INVALID_HEADER, RPC_EXCEPTION, out, message);
}

static enum api_rpc_next refuse_message(struct api_rpc_session *s, const struct api_rpc_echo *to,
                                        struct base_buf *out, const char *what)
{
    char *text = base_printf("Error decoding %s: it is malformed or too large", what);
    enum api_rpc_next next = refuse(s, to, API_RPC_BAD_MESSAGE, RPC_EXCEPTION, out, text);

    free(text);
    return next;
}

/* ---- the preamble ---- */

static enum api_rpc_next take_preamble(struct api_rpc_session *s, const uint8_t *in, size_t len,
                                       size_t *used, struct base_buf *out)
{
    char *text;
    enum api_rpc_next next;

    if (len >= MAGIC_BYTES && memcmp(in, "GET ", MAGIC_BYTES) == 0) {
        base_buf_adds(out, HTTP_ANSWER);
        return close_session(s, "an HTTP request came to a port of Hadoop RPC");
    }
    if (len < PREAMBLE_BYTES) {
        *used = PREAMBLE_BYTES;
        return API_RPC_WAIT;
    }
    *used = PREAMBLE_BYTES;
    if (memcmp(in, MAGIC, MAGIC_BYTES) != 0 || in[4] != API_RPC_VERSION) {
        text = base_printf("Server IPC version %d cannot communicate with client version %d",
                           API_RPC_VERSION, in[4]);
        next =
            refuse(s, &api_rpc_no_request, API_RPC_VERSION_MISMATCH, VERSION_EXCEPTION, out, text);
    } else if (in[6] != AUTH_NONE && in[6] != AUTH_SASL) {
        text = base_printf("Unknown auth protocol:%d", (int8_t)in[6]);
        next = refuse(s, &api_rpc_no_request, API_RPC_UNAUTHORIZED, AUTH_BYTE_EXCEPTION, out, text);
    } else if (in[6] == AUTH_NONE && !s->conf->simple) {
        text = base_strdup("SIMPLE authentication is not enabled.  Available:[TOKEN]");
        next = refuse(s, &api_rpc_no_request, API_RPC_UNAUTHORIZED, ACCESS_EXCEPTION, out, text);
    } else {
        s->sasl = in[6] == AUTH_SASL;
        s->state = s->sasl ? API_RPC_NEGOTIATE : API_RPC_CONTEXT;
        return API_RPC_AGAIN;
    }
    free(text);
    return next;
}

/* ---- SASL ---- */

static void answer_sasl_success(struct api_rpc_session *s, const struct api_rpc_echo *to,
                                struct base_buf *result, struct base_buf *out)
{
    Rpc__Sasl answer = RPC__SASL__INIT;

    answer.state = SASL_SUCCESS;
    if (result) {
        answer.has_token = true;
        answer.token.data = (uint8_t *)result->data;
        answer.token.len = result->len;
    }
    s->state = API_RPC_CONTEXT;
    api_rpc_add_success(out, to, &answer.base);
}

/* Offers the methods: TOKEN first, as YARN does. */
static void answer_with_methods(struct api_rpc_session *s, const struct api_rpc_echo *to,
                                struct base_buf *out)
{
    Rpc__Sasl answer = RPC__SASL__INIT;
    Rpc__SaslMethod token = RPC__SASL_METHOD__INIT, simple = RPC__SASL_METHOD__INIT;
    Rpc__SaslMethod *methods[] = {&token, &simple};
    struct base_buf challenge = {0};
    char nonce[33];

    base_random_hex(nonce);
    s->nonce = base_strdup(nonce);
    api_rpc_digest_add_challenge(&challenge, s->nonce);
    token.method = "TOKEN";
    token.mechanism = "DIGEST-MD5";
    token.protocol = "";
    token.server_id = API_RPC_REALM;
    token.has_challenge = true;
    token.challenge.data = (uint8_t *)challenge.data;
    token.challenge.len = challenge.len;
    simple.method = "SIMPLE";
    simple.mechanism = "";
    answer.state = SASL_NEGOTIATE;
    answer.methods = methods;
    answer.n_methods = s->conf->simple ? 2 : 1;
    s->state = API_RPC_INITIATE;
    api_rpc_add_success(out, to, &answer.base);
    base_buf_free(&challenge);
}

/* Checks the response in @m, whose user name is the identifier of a token in base64. *@repeated:
 * it was made for another connection. */
static enum api_rpc_token check_token(struct api_rpc_session *s, const Rpc__Sasl *m,
                                      struct base_buf *result, bool *repeated)
{
    struct api_rpc_digest digest = {0};
    bool parsed = api_rpc_digest_parse((const char *)m->token.data, m->token.len, &digest);
    struct base_buf identifier = {0};
    char *password = NULL, *user = NULL;
    enum api_rpc_token verdict = API_RPC_TOKEN_INVALID;

    *repeated = parsed && strcmp(digest.nonce, s->nonce) != 0;
    if (parsed && !*repeated) {
        base_base64_decode(digest.username, &identifier);
        verdict = s->conf->find_password(s->conf->find_user, identifier.data, identifier.len,
                                         &password, &user);
    }
    if (verdict == API_RPC_TOKEN_VALID &&
        !api_rpc_digest_check(&digest, s->nonce, password, result))
        verdict = API_RPC_TOKEN_INVALID;
    if (verdict == API_RPC_TOKEN_VALID) {
        s->proven = true;
        s->user = user;
        user = NULL;
        s->identifier = identifier;
        identifier = (struct base_buf){0};
    }
    forget_password(password);
    free(user);
    base_buf_free(&identifier);
    api_rpc_digest_free(&digest);
    return verdict;
}

/* Refuses a way to prove who one is that was not offered. */
static enum api_rpc_next refuse_method(struct api_rpc_session *s, const struct api_rpc_echo *to,
                                       const char *method, struct base_buf *out)
{
    char *name = base_utf8_escape_for_message(method, SHOWN_MAX);
    char *text = base_printf("%s authentication is not enabled.  Available:[TOKEN%s]", name,
                             s->conf->simple ? ", SIMPLE" : "");
    enum api_rpc_next next = refuse(s, to, API_RPC_UNAUTHORIZED, ACCESS_EXCEPTION, out, text);

    free(name);
    free(text);
    return next;
}

static enum api_rpc_next initiate(struct api_rpc_session *s, const struct api_rpc_echo *to,
                                  const Rpc__Sasl *m, struct base_buf *out)
{
    const char *method = m->n_methods == 1 ? m->methods[0]->method : "";
    struct base_buf result = {0};
    bool repeated;

    if (strcmp(method, "SIMPLE") == 0 && s->conf->simple) {
        s->state = API_RPC_CONTEXT; /* without an answer: the client does not wait for one */
        return API_RPC_AGAIN;
    }
    if (m->n_methods == 1 && strcmp(method, "TOKEN") != 0)
        return refuse_method(s, to, method, out);
    if (m->n_methods != 1 || !m->has_token)
        return refuse(s, to, API_RPC_UNAUTHORIZED, SASL_EXCEPTION, out,
                      "Client mechanism is malformed");
    switch (check_token(s, m, &result, &repeated)) {
    case API_RPC_TOKEN_VALID:
        break;
    case API_RPC_TOKEN_STANDBY:
        return refuse(s, to, API_RPC_UNAUTHORIZED, STANDBY_EXCEPTION, out,
                      "this ResourceManager is not active");
    default:
        if (repeated)
            return refuse(s, to, API_RPC_UNAUTHORIZED, SASL_EXCEPTION, out,
                          "the proof was not made for this connection");
        return refuse(s, to, API_RPC_UNAUTHORIZED, TOKEN_EXCEPTION, out,
                      "the token is not valid: it is unknown, has expired or was revoked, or the "
                      "password is wrong");
    }
    answer_sasl_success(s, to, &result, out);
    base_buf_free(&result);
    return API_RPC_AGAIN;
}

static enum api_rpc_next take_sasl(struct api_rpc_session *s, const struct api_rpc_echo *to,
                                   struct api_rpc_bytes frame, struct base_buf *out,
                                   struct api_rpc_arena *arena)
{
    struct api_rpc_bytes message;
    const Rpc__Sasl *m = NULL;
    char text[64];

    if (!s->sasl || s->state > API_RPC_INITIATE)
        return refuse_header(s, to, out, "SASL protocol not requested by client");
    if (api_rpc_cut_message(&frame, &message))
        m = (const Rpc__Sasl *)api_rpc_decode(&rpc__sasl__descriptor, message.data, message.len,
                                              arena);
    if (!m)
        return refuse_message(s, to, out, "the SASL message");
    if (m->state == SASL_NEGOTIATE) {
        if (s->state != API_RPC_NEGOTIATE)
            return refuse(s, to, API_RPC_UNAUTHORIZED, ACCESS_EXCEPTION, out,
                          "Client already attempted negotiation");
        if (s->conf->find_password)
            answer_with_methods(s, to, out);
        else
            answer_sasl_success(s, to, NULL, out);
        return API_RPC_AGAIN;
    }
    if (m->state == SASL_INITIATE && s->state == API_RPC_INITIATE)
        return initiate(s, to, m, out);
    snprintf(text, sizeof text, "Client sent unsupported state %d", m->state);
    return refuse(s, to, API_RPC_UNAUTHORIZED, SASL_EXCEPTION, out, text);
}

/* ---- the context ---- */

/* Takes the name that the context gives; with a token it may give the owner's name or none. */
static bool take_user_name(struct api_rpc_session *s, const Rpc__User *user)
{
    const char *name = user && user->effective ? user->effective : "";

    if (s->proven)
        return !*name || strcmp(name, s->user) == 0;
    if (!*name || strlen(name) > BASE_NAME_MAX || !base_utf8_valid_without_controls(name))
        return false;
    s->user = base_strdup(name);
    return true;
}

static enum api_rpc_next refuse_user(struct api_rpc_session *s, const struct api_rpc_echo *to,
                                     const Rpc__User *user, struct base_buf *out)
{
    bool acts = user && user->real;
    char *name =
        base_utf8_escape_for_message(user && user->effective ? user->effective : "", SHOWN_MAX);
    char *real = base_utf8_escape_for_message(acts        ? user->real
                                              : s->proven ? s->user
                                                          : "",
                                              SHOWN_MAX);
    char *text = acts || s->proven
                     ? base_printf("User: %s is not allowed to impersonate %s", real, name)
                     : base_printf("The connection names no user: '%s'", name);
    enum api_rpc_next next = refuse(s, to, API_RPC_UNAUTHORIZED, IMPERSONATION, out, text);

    free(text);
    free(real);
    free(name);
    return next;
}

static enum api_rpc_next take_context(struct api_rpc_session *s, const struct api_rpc_echo *to,
                                      struct api_rpc_bytes frame, struct base_buf *out,
                                      struct api_rpc_arena *arena)
{
    struct api_rpc_bytes message;
    const Rpc__Context *context = NULL;

    if (s->state == API_RPC_CALLS)
        return refuse_header(s, to, out, "Connection context already processed");
    if (s->state != API_RPC_CONTEXT)
        return refuse_header(s, to, out, "Connection header sent during SASL negotiation");
    if (api_rpc_cut_message(&frame, &message))
        context = (const Rpc__Context *)api_rpc_decode(&rpc__context__descriptor, message.data,
                                                       message.len, arena);
    if (!context)
        return refuse_message(s, to, out, "the connection's context");
    if ((context->user && context->user->real) || !take_user_name(s, context->user))
        return refuse_user(s, to, context->user, out);
    s->state = API_RPC_CALLS;
    return API_RPC_AGAIN;
}

/* ---- calls ---- */

static enum api_rpc_next take_call(struct api_rpc_session *s, const struct api_rpc_echo *to,
                                   struct api_rpc_bytes frame, struct base_buf *out,
                                   struct api_rpc_arena *arena, struct api_rpc_incoming *call)
{
    struct api_rpc_bytes message;
    const Rpc__CallHeader *header = NULL;

    if (s->state != API_RPC_CALLS)
        return refuse_header(s, to, out, "Connection context not established");
    if (api_rpc_cut_message(&frame, &message))
        header = (const Rpc__CallHeader *)api_rpc_decode(&rpc__call_header__descriptor,
                                                         message.data, message.len, arena);
    if (!header)
        return refuse_message(s, to, out, "the call's header");
    *call = (struct api_rpc_incoming){.echo = *to,
                                      .method = header->method,
                                      .protocol = header->protocol,
                                      .version = header->version};
    if (!api_rpc_cut_message(&frame, &call->request))
        call->request = (struct api_rpc_bytes){0};
    return API_RPC_CALL;
}

static enum api_rpc_next take_out_of_band(struct api_rpc_session *s, const struct api_rpc_echo *to,
                                          struct api_rpc_bytes frame, struct base_buf *out,
                                          struct api_rpc_arena *arena)
{
    char text[64];

    switch (to->call_id) {
    case API_RPC_ID_CONTEXT:
        return take_context(s, to, frame, out, arena);
    case API_RPC_ID_SASL:
        return take_sasl(s, to, frame, out, arena);
    case API_RPC_ID_PING: /* Hadoop's clients send none before they wait for an answer */
        if (s->state != API_RPC_CALLS)
            return refuse_header(s, to, out, "Ping sent before the connection context");
        return API_RPC_AGAIN;
    default:
        snprintf(text, sizeof text, "Unknown out of band call #%d", to->call_id);
        return refuse_header(s, to, out, text);
    }
}

static enum api_rpc_next take_payload(struct api_rpc_session *s, struct api_rpc_bytes frame,
                                      struct base_buf *out, struct api_rpc_arena *arena,
                                      struct api_rpc_incoming *call)
{
    const Rpc__RequestHeader *header = NULL;
    struct api_rpc_bytes message;
    struct api_rpc_echo echo;
    char text[96];

    if (api_rpc_cut_message(&frame, &message))
        header = (const Rpc__RequestHeader *)api_rpc_decode(&rpc__request_header__descriptor,
                                                            message.data, message.len, arena);
    if (!header)
        return refuse_message(s, &api_rpc_no_request, out, "the request's header");
    api_rpc_echo_fill(header, &echo);
    if (header->op != OP_FINAL || !header->has_op) {
        snprintf(text, sizeof text, "IPC Server does not implement rpc header operation %d",
                 header->op);
        return refuse_header(s, &echo, out, text);
    }
    if (header->kind != KIND_PROTOBUF) {
        snprintf(text, sizeof text, "Unknown rpc kind in rpc header %d", header->kind);
        return refuse_header(s, &echo, out, text);
    }
    return header->call_id < 0 ? take_out_of_band(s, &echo, frame, out, arena)
                               : take_call(s, &echo, frame, out, arena, call);
}

enum api_rpc_next api_rpc_session_take_frame(struct api_rpc_session *s, const void *input,
                                             size_t len, size_t *used, struct base_buf *out,
                                             struct api_rpc_arena *arena,
                                             struct api_rpc_incoming *call)
{
    const uint8_t *in = input;
    char text[96];
    size_t frame, max;

    *used = 0;
    if (s->state == API_RPC_PREAMBLE)
        return take_preamble(s, in, len, used, out);
    *used = LENGTH_BYTES;
    if (len < LENGTH_BYTES)
        return API_RPC_WAIT;
    frame = (size_t)in[0] << 24 | (size_t)in[1] << 16 | (size_t)in[2] << 8 | in[3];
    max = s->state == API_RPC_CALLS || s->conf->frame_max < GREETING_MAX ? s->conf->frame_max
                                                                         : GREETING_MAX;
    if (frame > max) { /* as in YARN, without an answer */
        snprintf(text, sizeof text, "a frame of %zu bytes: at most %zu are taken here", frame, max);
        return close_session(s, text);
    }
    *used += frame;
    if (len - LENGTH_BYTES < frame)
        return API_RPC_WAIT;
    return take_payload(s, (struct api_rpc_bytes){in + LENGTH_BYTES, frame}, out, arena, call);
}
