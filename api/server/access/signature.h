/* api/server/access/signature.h - checks signed requests and signs the answers to them; the form is
 * that of base/crypto/signature.h.
 *
 *   head complete: scheme, time, key, code, host --> wrong: 401, the reason in the log only
 *                  start id                      --> another one: 401 with ours, signed
 *                  nonce                         --> seen before: 401, the reason in the log only
 *   body complete: digest                        --> wrong: likewise
 *   answer: signed with the request's key, whatever its status, once the head was right
 *
 * The start id is as old as the table of nonces: what was signed for it was not accepted before
 * that table began, and what was signed for another one is not accepted at all. A client that does
 * not know it yet is refused without a line in the audit log.
 *
 * A request without a signature passes through here: whether its route needs one is decided by its
 * role. */
#ifndef CREEL_API_SERVER_ACCESS_SIGNATURE_H
#define CREEL_API_SERVER_ACCESS_SIGNATURE_H

#include "api/server/server.h"
#include "base/crypto/signature.h"

struct api_server;

/* What is kept of a request's signature; part of struct api_request. */
struct api_signer {
    bool present; /* the head's signature is right */
    bool is_node; /* it was made with the cluster's secret */
    bool wants_stream;
    struct base_key key;
    char nonce[BASE_NONCE_MAX];
    char body_sha256[BASE_SHA256_HEX];
};

/* Checks the signature in the head of the request, if there is one. Returns false after answering
 * that it is wrong. */
bool api_signature_check_head(struct api_request *rq);
/* Checks the digest of the complete body. Returns false after answering that it is wrong. */
bool api_signature_check_body(struct api_request *rq);
/* Writes the value of X-Creel-Signature for the reply of @rq, before its body is compressed or
 * handed over. Returns false when the answer is not to be signed. */
bool api_signature_sign_reply(const struct api_request *rq,
                              char out[static BASE_ANSWER_SIGNATURE_MAX]);
/* The same for an answer with @status and @body, which is not in the reply. Reads nothing of @rq
 * that changes after its head. */
bool api_signature_sign_text(const struct api_request *rq, unsigned status, const char *body,
                             size_t len, char out[static BASE_ANSWER_SIGNATURE_MAX]);
/* Answers 401 with the schemes that the request's route takes. @reason: for audit log and log
 * alone, since it would help an attacker guess. */
void api_signature_refuse(struct api_request *rq, const char *reason);

#endif
