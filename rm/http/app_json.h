/* rm/http/app_json.h - decodes YARN's submission context from JSON into a plain struct, as
 * leniently as YARN: a list may be an array or a single value, numbers and booleans may be quoted,
 * other text in place of a number is ignored (for a priority it counts as 0), null means absent,
 * and unknown members are ignored at every depth.
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
 *   -BASE_EINVAL  to be answered with 400 BadRequestException; @err contains YARN's message, such
 *                 as "Could not parse application id x"
 *   -BASE_ELIMIT  a text or list exceeds a limit, which @err names: 400 too
 *   -BASE_ENOTFOUND the reservation id is malformed: 404, as in YARN
 *   -BASE_ESTATE  a local resource lacks its URL, or its type or visibility is unknown, where YARN
 *                 fails with a NullPointerException: 503 */
int rm_app_spec_decode(const json_t *body, const char *user, struct rm_app_spec **out,
                       struct base_error *err);
/* Decodes the stored form. Returns 0, or -BASE_ECORRUPT when @text is not valid. */
int rm_app_spec_from_stored_json(const char *text, size_t len, struct rm_app_spec **out,
                                 struct base_error *err);
/* Returns a spec that stands for a damaged stored submission, with this id and the name and user
 * "unknown"; NULL when @id is not an application id. */
struct rm_app_spec *rm_app_spec_new_placeholder(const char *id);
/* Checks, as YARN does, that the requested resource is not negative and at most @max, the largest
 * container. Returns 0, or -BASE_EINVAL with YARN's message. */
int rm_app_spec_check_resource(const struct rm_app_spec *spec, const struct rm_res *max,
                               struct base_error *err);
/* Returns the member's number as YARN reads it, quoted or not; @deflt when the member is absent or
 * not a whole number from @min to @max. */
int64_t rm_yarn_json_int_or_default(const json_t *obj, const char *name, int64_t min, int64_t max,
                                    int64_t deflt);
/* Decodes a launch context: the member am-container-spec, or an ask's "launch". Sets *@out to a
 * launch with one reference, or to NULL when @ctx is NULL, empty or not an object. Returns as
 * rm_app_spec_decode(). */
int rm_launch_decode(const json_t *ctx, struct rm_launch **out, struct base_error *err);

#endif
