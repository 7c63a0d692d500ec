/* rm/http/app_json.h - decodes YARN's submission context from JSON into a plain struct, as
 * leniently as YARN: a list may be an array or a single value, numbers and booleans may be quoted,
 * text that is no number is dropped silently, null means absent, unknown members are ignored at
 * every depth.
 *
 * XML bodies arrive as the same tree (api/yarn/xml_body.h), so there is only one decoder. Since XML
 * does not distinguish an empty object from an empty text, "" in place of an object, list or map
 * counts as an empty one. */
#ifndef CREEL_RM_HTTP_APP_JSON_H
#define CREEL_RM_HTTP_APP_JSON_H

#include <jansson.h>

#include "base/error.h"
#include "rm/core/types.h"

/* Decodes @body (borrowed). @user: the submitting user; NULL when @body is the stored form
 * (rm_app_spec.json), which contains the user as "creel-user". In a client's body that member is
 * overwritten. Returns 0 and *@out with one reference, or
 *
 *   -BASE_EINVAL  to be answered with 400 BadRequestException; @err holds YARN's message ("Could
 * not parse application id x") -BASE_ELIMIT  longer or more than a named limit: 400 too
 *   -BASE_ESTATE  YARN fails with a NullPointerException here (unknown enum text of a local
 *                 resource): 503 */
int rm_app_spec_decode(const json_t *body, const char *user, struct rm_app_spec **out,
                       struct base_error *err);
/* Decodes the stored form. Returns 0, or -BASE_ECORRUPT when @text is not valid. */
int rm_app_spec_from_text(const char *text, size_t len, struct rm_app_spec **out,
                          struct base_error *err);
/* Returns a spec with nothing but an id, to stand for a stored submission that is damaged; NULL
 * when
 * @id is no application id. */
struct rm_app_spec *rm_app_spec_new_placeholder(const char *id);
/* YARN's check against the largest container. Returns 0, or -BASE_EINVAL with "Requested more
 * memory than configured max" or the like. */
int rm_app_spec_check_max(const struct rm_app_spec *spec, const struct rm_res *max,
                          struct base_error *err);
/* Decodes a launch context, as in am-container-spec and in an ask's "launch". *@out is NULL when
 * @ctx is NULL, null or empty. Returns as rm_app_spec_decode(). */
int rm_launch_decode(const json_t *ctx, struct rm_launch **out, struct base_error *err);

#endif
