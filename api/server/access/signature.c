#include "api/server/access/signature.h"

#include <string.h>

#include "api/server/access/replay.h"
#include "api/server/answer/error.h"
#include "api/server/hosts.h"
#include "api/server/request/request.h"
#include "api/server/server_internal.h"
#include "base/clock.h"

void api_signature_refuse(struct api_request *rq, const char *reason)
{
    bool for_nodes = rq->route && rq->route->role == API_ROLE_NODE;

    if (!rq->asks_start_id)
        api_error_note_refusal(rq, reason);
    api_add_header(rq, "WWW-Authenticate",
                   for_nodes ? BASE_SIGNATURE_SCHEME : "Bearer, " BASE_SIGNATURE_SCHEME);
    api_answer_error(rq, 401, "AuthorizationException", "The request is not authenticated");
}

/* Finds the key that a signature names. The secret may have been replaced since it was read: if no
 * key has the name, the server reads the secret again, unless it has done so a short time ago. */
static bool find_key(const struct api_server *s, const char *id, struct api_signer *out)
{
    if (base_keyring_find(s->keys, id, &out->key)) {
        out->is_node = true;
        return true;
    }
    if (s->find_key && s->find_key(id, &out->key, s->user))
        return true;
    out->is_node =
        base_keyring_refresh_if_due(s->keys) && base_keyring_find(s->keys, id, &out->key);
    return out->is_node;
}

static bool check_time_skew(int64_t time_ms, int64_t now_ms, int64_t max_skew_ms,
                            struct base_error *err)
{
    int64_t skew = time_ms > now_ms ? time_ms - now_ms : now_ms - time_ms;

    if (skew <= max_skew_ms)
        return true;
    base_error_set(err, -BASE_EPERM,
                   "the signature's time is %lld ms %s than this host's: expected up to %lld "
                   "(creel.cluster.max-skew-ms; are the clocks right?)",
                   (long long)skew, time_ms > now_ms ? "later" : "earlier", (long long)max_skew_ms);
    return false;
}

/* Checks that the host that was signed is this server: its port, and one of its names, or the
 * address to which the client has connected. Otherwise somebody has brought along a request that
 * was meant for another daemon. */
static bool check_destination(const struct api_request *rq, struct base_error *err)
{
    const struct api_conn *conn = rq->conn;
    struct api_authority to;
    int port;

    if (conn && api_authority_parse(rq->host, &to)) {
        port = to.port >= 0 ? to.port : rq->server->tls ? 443 : 80;
        if (port == conn->local_port && ((to.literal && strcmp(to.host, conn->local) == 0) ||
                                         api_hosts_have_name(rq->server->hosts, &to)))
            return true;
    }
    base_error_set(err, -BASE_EPERM,
                   "the request was signed for %.200s, which is not this server, %s port %d "
                   "(creel.http.allowed-hosts adds names and addresses)",
                   rq->host, conn ? conn->local : "-", conn ? conn->local_port : -1);
    return false;
}

/* Checks that the request was signed for this start of the server: else an earlier process may have
 * accepted it. Adds the header that names the start id to the refusal, and notes whether the client
 * only asks for it. */
static bool check_start_id(struct api_request *rq, const struct base_request_signature *given,
                           struct base_error *err)
{
    const struct api_server *s = rq->server;
    char text[BASE_START_SIGNATURE_MAX];

    if (strcmp(given->start_id, s->start_id) == 0)
        return true;
    rq->asks_start_id = strcmp(given->start_id, BASE_START_ID_UNKNOWN) == 0;
    base_sign_start_id(&rq->signer.key, given->nonce, s->start_id, text);
    api_add_header(rq, BASE_START_HEADER, text);
    base_error_set(err, -BASE_EPERM,
                   "the request of key %s was signed for another start of a daemon", given->key);
    return false;
}

static bool check_signature(struct api_request *rq, const char *authorization,
                            struct base_error *err)
{
    struct api_server *s = rq->server;
    struct api_signer *signer = &rq->signer;
    struct base_request_signature given;
    enum api_replay_verdict verdict;
    int64_t now_ms = base_wall_us(&base_clock_real) / 1000;

    if (base_request_signature_parse(authorization, &given, err) < 0 ||
        !check_time_skew(given.time_ms, now_ms, s->max_skew_ms, err))
        return false;
    if (!find_key(s, given.key, signer))
        return base_error_set(err, -BASE_EPERM, "no valid key is called %s", given.key), false;
    if (!base_request_signature_is_right(&given, &signer->key, rq->method, rq->host,
                                         rq->server->tls != NULL, rq->target))
        return base_error_set(err, -BASE_EPERM, "the signature by key %s is wrong", given.key),
               false;
    if (!check_destination(rq, err) || !check_start_id(rq, &given, err))
        return false;
    verdict = api_replay_check_and_note(signer->is_node ? s->replay : s->replay_of_containers,
                                        given.nonce, given.time_ms, now_ms);
    if (verdict != API_REPLAY_NEW)
        return base_error_set(err, -BASE_EPERM,
                              verdict == API_REPLAY_LATE
                                  ? "the request of key %s is of a time whose nonces are forgotten"
                                  : "the request of key %s repeats an earlier one",
                              given.key),
               false;
    signer->wants_stream = given.stream;
    memcpy(signer->nonce, given.nonce, sizeof signer->nonce);
    memcpy(signer->body_sha256, given.body_sha256, sizeof signer->body_sha256);
    signer->present = true;
    return true;
}

bool api_signature_check_head(struct api_request *rq)
{
    const char *authorization = rq->server->keys ? api_header(rq, "Authorization") : NULL;
    struct base_error err = {0};

    if (!base_request_is_signed(authorization) || check_signature(rq, authorization, &err))
        return true;
    explicit_bzero(&rq->signer, sizeof rq->signer);
    api_signature_refuse(rq, err.text);
    return false;
}

bool api_signature_check_body(struct api_request *rq)
{
    char digest[BASE_SHA256_HEX];

    if (!rq->signer.present ||
        strcmp(base_sha256_hex(rq->body.data ? rq->body.data : "", rq->body.len, digest),
               rq->signer.body_sha256) == 0)
        return true;
    api_signature_refuse(rq, "the body is not the one that was signed");
    return false;
}

bool api_signature_sign_text(const struct api_request *rq, unsigned status, const char *body,
                             size_t len, char out[static BASE_ANSWER_SIGNATURE_MAX])
{
    if (!rq->signer.present)
        return false;
    base_sign_answer(&rq->signer.key, rq->signer.nonce, status, body, len, out);
    return true;
}

bool api_signature_sign_reply(const struct api_request *rq,
                              char out[static BASE_ANSWER_SIGNATURE_MAX])
{
    const struct api_reply *reply = &rq->reply;
    const char *body = rq->head || !reply->body.data ? "" : reply->body.data;
    bool stream = reply->kind != API_REPLY_BODY || rq->signer.wants_stream;

    return api_signature_sign_text(rq, reply->status, stream ? NULL : body,
                                   rq->head ? 0 : reply->body.len, out);
}
