/* rm/http/app_json.h - YARN's submission context from JSON to a plain struct, with YARN's leniency
 * : a list member takes an array or a single value, numbers and booleans come quoted or bare, text
 * that is no number is dropped silently, null means absent, unknown members are ignored at every
 * depth.
 *
 * XML bodies come through api/yarn/xml_body.h as the same tree, so there is one decoder. Where XML
 * cannot tell an empty object from an empty text, "" in the place of an object, list or map is
 * taken as an empty one. */
#ifndef CREEL_RM_HTTP_APP_JSON_H
#define CREEL_RM_HTTP_APP_JSON_H

#include <jansson.h>

#include "base/error.h"
#include "rm/core/types.h"

/* Decodes @body (borrowed). @user: who submits; NULL when @body is the stored form
 * (rm_app_spec.json), which carries the user as "creel-user" (that member of a client's own body is
 * overwritten).
 * 0 and *out with one reference; or
 *   -BASE_EINVAL: refused with 400 BadRequestException, @err holds YARN's message ("Could not parse
 *   application id x") -BASE_ELIMIT: longer or more than a named limit, 400 as well -BASE_ESTATE:
 *   what makes YARN fail with a NullPointerException (unknown enum text of a local resource),
 *   503. */
int rm_app_spec_decode(const json_t *body, const char *user, struct rm_app_spec **out,
                       struct base_error *err);
/* The stored form back to a spec: -BASE_ECORRUPT when it does not read back. */
int rm_app_spec_from_text(const char *text, size_t len, struct rm_app_spec **out,
                          struct base_error *err);
/* In place of a stored submission that is damaged: an application of which no more than the id is
 * known. NULL: @id is none. */
struct rm_app_spec *rm_app_spec_unknown(const char *id);
/* YARN's check against the largest container: -BASE_EINVAL with "Requested more memory than
 * configured max". */
int rm_app_spec_check_max(const struct rm_app_spec *spec, const struct rm_res *max,
                          struct base_error *err);
/* A launch context alone, as in am-container-spec and in an ask's "launch". *out is NULL when @ctx
 * is NULL, null or empty. Errors as rm_app_spec_decode. */
int rm_launch_decode(const json_t *ctx, struct rm_launch **out, struct base_error *err);

#endif
