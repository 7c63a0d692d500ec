/* rm/rpc/submission.h - YARN's submission context, as clients of Hadoop RPC send it, made into the
 * JSON that clients of REST send, so that one decoder (rm/http/app_json.h) checks both, and both
 * are stored alike.
 *
 *   message --submission.c--> JSON --app_json.c--> rm_app_spec --> core, record
 *
 * What REST has no place for:
 *
 *   AM container requests   the one for "*" gives resource and label of the master; it counts, and
 *                           not the member resource. Other rows, which would place the master on
 *                           hosts or racks, are ignored.
 *   credentials             a token file, which becomes REST's tokens and secrets
 *   tokens_conf             kept as "creel-tokens-conf" of the launch context, as base64
 *   timeouts                the lifetime, kept as "creel-lifetime-s"
 *   what the master speaks  "creel-master-protocol": "hadoop-rpc"
 *
 * Ignored, as in Creel's REST: the retry context, and whether tokens are cancelled at the end,
 * since Creel renews none. */
#ifndef CREEL_RM_RPC_SUBMISSION_H
#define CREEL_RM_RPC_SUBMISSION_H

#include <jansson.h>

#include "base/error.h"
#include "rm/rpc/yarn.pb-c.h"

/* Most bytes of tokens_conf: YARN's yarn.resourcemanager.delegation-token.max-conf-size-bytes. */
#define RM_RPC_TOKENS_CONF_MAX 12800

/* Makes the JSON body for rm_app_spec_decode(). @s has an id. Returns 0 and *@out with one
 * reference, or
 *
 *   -BASE_EINVAL    credentials that cannot be read, or a part of a URL that no URL can have
 *   -BASE_ELIMIT    more credentials, or a longer tokens_conf, than allowed
 *   -BASE_ENOTFOUND no resource for the master, where YARN has InvalidResourceRequestException */
int rm_rpc_submission_to_json(const Yarn__Submission *s, json_t **out, struct base_error *err);

#endif
