#include "api/rpc/client.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crypto/base64.h"
#include "base/crypto/equal.h"
#include "base/error.h"
#include "base/utf8.h"

#define PREAMBLE_SASL "hrpc\x09\0\xdf"
#define CALL_ID       0
#define LENGTH_BYTES  4
#define SHOWN_MAX     1000 /* bytes of what a server says */

enum sasl_state { SASL_SUCCESS, SASL_NEGOTIATE, SASL_INITIATE };

/* Hadoop's clients name themselves by 16 random bytes, by which servers of other protocols find
 * repeated calls. These calls are not repeated. */
static const unsigned char client_id[16] = "creel";

static void add_request(struct base_buf *out, int32_t call_id, const ProtobufCMessage *second,
                        const struct api_rpc_bytes *request)
{
    Rpc__RequestHeader header = RPC__REQUEST_HEADER__INIT;

    header.has_kind = header.has_op = header.has_retry = true;
    header.kind = 2; /* Protocol Buffers */
    header.op = 0;   /* the whole request */
    header.call_id = call_id;
    header.client_id.data = (uint8_t *)client_id;
    header.client_id.len = call_id == API_RPC_ID_SASL ? 0 : sizeof client_id;
    header.retry = call_id >= 0 ? 0 : -1;
    api_rpc_add_request(out, &header, second, request);
}

static void add_sasl(struct base_buf *out, enum sasl_state state, const struct base_buf *token,
                     Rpc__SaslMethod *method)
{
    Rpc__Sasl m = RPC__SASL__INIT;

    m.state = state;
    if (token) {
        m.has_token = true;
        m.token = (ProtobufCBinaryData){token->len, (uint8_t *)token->data};
        m.methods = &method;
        m.n_methods = 1;
    }
    add_request(out, API_RPC_ID_SASL, &m.base, NULL);
}

void api_rpc_client_begin(struct api_rpc_client *c, const struct api_rpc_client_token *token,
                          const char *cnonce, const char *protocol, const char *method,
                          const struct api_rpc_bytes *request, struct base_buf *out)
{
    Rpc__Context context = RPC__CONTEXT__INIT;
    Rpc__User nobody = RPC__USER__INIT; /* the token names the user */
    Rpc__CallHeader header = RPC__CALL_HEADER__INIT;
    struct base_buf text = {0};

    *c = (struct api_rpc_client){.state = API_RPC_CLIENT_CHALLENGE};
    base_base64_encode(token->identifier.data, token->identifier.len, &text);
    c->digest.username = base_buf_take(&text);
    base_base64_encode(token->password.data, token->password.len, &text);
    c->password = base_buf_take(&text);
    c->digest.cnonce = base_strdup(cnonce);
    c->digest.uri = base_strdup("/" API_RPC_REALM);
    context.user = &nobody;
    context.protocol = (char *)protocol;
    header.method = (char *)method;
    header.protocol = (char *)protocol;
    header.version = 1;
    add_request(&c->call, API_RPC_ID_CONTEXT, &context.base, NULL);
    add_request(&c->call, CALL_ID, &header.base, request);
    base_buf_add(out, PREAMBLE_SASL, sizeof PREAMBLE_SASL - 1);
    add_sasl(out, SASL_NEGOTIATE, NULL, NULL);
}

/* ---- the server's frames ---- */

static void __attribute__((format(printf, 3, 4)))
fail(struct api_rpc_client *c, const char *exception, const char *fmt, ...)
{
    struct base_buf text = {0};
    va_list args;

    va_start(args, fmt);
    base_buf_vaddf(&text, fmt, args);
    va_end(args);
    text.data[strcspn(text.data, "\n")] = '\0'; /* what follows is a stack trace */
    c->state = API_RPC_CLIENT_FAILED;
    c->exception =
        exception && *exception ? base_utf8_escape_for_message(exception, SHOWN_MAX) : NULL;
    c->why = base_utf8_escape_for_message(text.data, SHOWN_MAX);
    base_buf_free(&text);
}

/* Returns the method TOKEN with a challenge among those that the server offers. */
static Rpc__SaslMethod *find_token_method(const Rpc__Sasl *m)
{
    for (size_t i = 0; m && i < m->n_methods; i++)
        if (strcmp(m->methods[i]->method, "TOKEN") == 0 &&
            strcmp(m->methods[i]->mechanism, "DIGEST-MD5") == 0 && m->methods[i]->has_challenge)
            return m->methods[i];
    return NULL;
}

static bool read_challenge(struct api_rpc_client *c, const Rpc__SaslMethod *method)
{
    struct api_rpc_digest challenge;
    bool good = api_rpc_digest_parse_challenge((const char *)method->challenge.data,
                                               method->challenge.len, &challenge);

    if (good) {
        c->digest.realm = challenge.realm;
        c->digest.nonce = challenge.nonce;
        challenge.realm = challenge.nonce = NULL;
    }
    api_rpc_digest_free(&challenge);
    return good;
}

static void answer_challenge(struct api_rpc_client *c, const Rpc__Sasl *m, struct base_buf *out)
{
    Rpc__SaslMethod *method = find_token_method(m);
    struct base_buf response = {0};

    if (!method || m->state != SASL_NEGOTIATE || !read_challenge(c, method)) {
        fail(c, NULL, "it offers no proof by a token with DIGEST-MD5");
    } else if (!api_rpc_digest_add_response(&c->digest, c->password, &response)) {
        fail(c, NULL, "MD5 is forbidden on this host");
    } else {
        method->has_challenge = false; /* the rest comes back as it was offered */
        add_sasl(out, SASL_INITIATE, &response, method);
        c->state = API_RPC_CLIENT_PROOF;
    }
    base_buf_free(&response);
}

static void check_server_proof(struct api_rpc_client *c, const Rpc__Sasl *m, struct base_buf *out)
{
    char value[BASE_MD5_HEX], expected[BASE_MD5_HEX + 8], *got;
    bool good;

    good = m && m->state == SASL_SUCCESS && m->has_token &&
           api_rpc_digest_compute(&c->digest, c->password, "", value);
    snprintf(expected, sizeof expected, "rspauth=%s", good ? value : "");
    got = base_strndup(good && m->token.len ? (const char *)m->token.data : "",
                       good ? m->token.len : 0);
    if (!good || !base_secret_equal(got, expected)) {
        fail(c, NULL, "it has not proven that it knows the token's password");
    } else {
        base_buf_add(out, c->call.data, c->call.len);
        c->state = API_RPC_CLIENT_ANSWER;
    }
    free(got);
}

static void take_sasl(struct api_rpc_client *c, struct api_rpc_bytes *body, struct base_buf *out)
{
    struct api_rpc_bytes bytes;
    Rpc__Sasl *m = NULL;

    if (api_rpc_cut_message(body, &bytes))
        m = rpc__sasl__unpack(NULL, bytes.len, bytes.data);
    if (c->state == API_RPC_CLIENT_CHALLENGE)
        answer_challenge(c, m, out);
    else
        check_server_proof(c, m, out);
    if (m)
        rpc__sasl__free_unpacked(m, NULL);
}

static void take_result(struct api_rpc_client *c, struct api_rpc_bytes *body)
{
    struct api_rpc_bytes bytes;

    if (!api_rpc_cut_message(body, &bytes)) {
        fail(c, NULL, "its answer is cut off");
        return;
    }
    base_buf_add(&c->result, bytes.data, bytes.len);
    c->state = API_RPC_CLIENT_DONE;
}

static void take_frame(struct api_rpc_client *c, struct api_rpc_bytes frame, struct base_buf *out)
{
    struct api_rpc_bytes bytes;
    Rpc__AnswerHeader *header = NULL;
    int32_t id;

    if (api_rpc_cut_message(&frame, &bytes))
        header = rpc__answer_header__unpack(NULL, bytes.len, bytes.data);
    if (!header) {
        fail(c, NULL, "what it sends is no answer of Hadoop RPC");
        return;
    }
    id = (int32_t)header->call_id;
    if (header->status != API_RPC_SUCCESS)
        fail(c, header->exception, "%s", header->message ? header->message : "it gives no reason");
    else if (c->state != API_RPC_CLIENT_ANSWER && id == API_RPC_ID_SASL)
        take_sasl(c, &frame, out);
    else if (c->state == API_RPC_CLIENT_ANSWER && id == CALL_ID)
        take_result(c, &frame);
    else
        fail(c, NULL, "it answers call %d, which was not made", id);
    rpc__answer_header__free_unpacked(header, NULL);
}

size_t api_rpc_client_take(struct api_rpc_client *c, const void *in, size_t len,
                           struct base_buf *out)
{
    const uint8_t *bytes = in;
    size_t n;

    base_assert(c->state < API_RPC_CLIENT_DONE);
    if (len < LENGTH_BYTES)
        return 0;
    n = (size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | bytes[3];
    if (n > API_RPC_ANSWER_MAX) {
        fail(c, NULL, "what it sends is no answer of Hadoop RPC");
        return len;
    }
    if (len - LENGTH_BYTES < n)
        return 0;
    take_frame(c, (struct api_rpc_bytes){bytes + LENGTH_BYTES, n}, out);
    return LENGTH_BYTES + n;
}

void api_rpc_client_free(struct api_rpc_client *c)
{
    api_rpc_digest_free(&c->digest);
    if (c->password)
        explicit_bzero(c->password, strlen(c->password));
    free(c->password);
    if (c->call.data)
        explicit_bzero(c->call.data, c->call.len); /* credentials */
    base_buf_free(&c->call);
    base_buf_free(&c->result);
    free(c->exception);
    free(c->why);
}
