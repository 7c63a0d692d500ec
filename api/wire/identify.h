/* api/wire/identify.h - a node asks the ResourceManager whose a caller's bearer token is.
 *
 *   POST /ws/v1/nodetracker/identify    wire_identify -> wire_identity
 *                                       status 404: the token is not valid
 *
 * How members are read is in api/wire/member.h, who owns what in api/wire/node.h. */
#ifndef CREEL_API_WIRE_IDENTIFY_H
#define CREEL_API_WIRE_IDENTIFY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"

enum { WIRE_TOKEN_MAX = 512 }; /* most bytes of a token that is asked about */

struct wire_identify {
    const char *token;   /* or the text of a session (api/server/session.h) */
    bool begins_session; /* with the token; the answer has its text */
    json_t *root;
};
void wire_identify_put(const struct wire_identify *m, struct base_buf *out);
int wire_identify_get(const char *text, size_t len, struct wire_identify *m,
                      struct base_error *err);
void wire_identify_free(struct wire_identify *m);

struct wire_identity {
    const char *user;
    int64_t valid_ms;    /* time until the token, or the session, expires */
    const char *session; /* NULL: none was asked for */
    json_t *root;
};
void wire_identity_put(const struct wire_identity *m, struct base_buf *out);
int wire_identity_get(const char *text, size_t len, struct wire_identity *m,
                      struct base_error *err);
void wire_identity_free(struct wire_identity *m);

#endif
