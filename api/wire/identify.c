#include "api/wire/identify.h"

#include <string.h>

#include "api/wire/member.h"
#include "base/limits.h"

static const struct wire_member identify_members[] = {
    WIRE_TEXT_ROW(struct wire_identify, token, "token", WIRE_R, WIRE_TOKEN_MAX),
    WIRE_BOOL_ROW(struct wire_identify, begins_session, "beginsSession", WIRE_S), WIRE_END};
static const struct wire_member identity_members[] = {
    WIRE_TEXT_ROW(struct wire_identity, user, "user", WIRE_R, BASE_NAME_MAX),
    WIRE_INT64_ROW(struct wire_identity, valid_ms, "validMs", WIRE_R, 0, INT64_MAX),
    WIRE_TEXT_ROW(struct wire_identity, session, "session", WIRE_S, WIRE_TOKEN_MAX), WIRE_END};

void wire_identify_put(const struct wire_identify *m, struct base_buf *out)
{
    wire_object_put(identify_members, m, out);
}

int wire_identify_get(const char *text, size_t len, struct wire_identify *m, struct base_error *err)
{
    int rc;

    memset(m, 0, sizeof *m);
    rc = wire_object_get(identify_members, text, len, &m->root, m, err);
    if (rc < 0)
        wire_identify_free(m);
    return rc;
}

void wire_identify_free(struct wire_identify *m)
{
    json_decref(m->root);
    memset(m, 0, sizeof *m);
}

void wire_identity_put(const struct wire_identity *m, struct base_buf *out)
{
    wire_object_put(identity_members, m, out);
}

int wire_identity_get(const char *text, size_t len, struct wire_identity *m, struct base_error *err)
{
    int rc;

    memset(m, 0, sizeof *m);
    rc = wire_object_get(identity_members, text, len, &m->root, m, err);
    if (rc < 0)
        wire_identity_free(m);
    return rc;
}

void wire_identity_free(struct wire_identity *m)
{
    json_decref(m->root);
    memset(m, 0, sizeof *m);
}
