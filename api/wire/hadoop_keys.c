#include "api/wire/hadoop_keys.h"

#include "api/wire/member.h"
#include "base/io/json_write.h"

static const struct wire_member key_members[] = {
    WIRE_INT32_ROW(struct wire_hadoop_key, id, "id", WIRE_R, INT32_MIN, INT32_MAX),
    WIRE_TEXT_ROW(struct wire_hadoop_key, key, "key", WIRE_R, WIRE_HADOOP_KEY_MAX), WIRE_END};
static const struct wire_member keys_members[] = {WIRE_INT64_ROW(struct wire_hadoop_keys,
                                                                 rm_identifier, "rmIdentifier",
                                                                 WIRE_R, INT64_MIN, INT64_MAX),
                                                  WIRE_END};

static void put_key(const char *name, const struct wire_hadoop_key *key, struct base_buf *out)
{
    base_json_key(out, name);
    wire_object_put(key_members, key, out);
}

void wire_hadoop_keys_put(const struct wire_hadoop_keys *k, struct base_buf *out)
{
    if (!k->given)
        return;
    base_json_key(out, "hadoopKeys");
    base_json_open(out, '{');
    put_key("nmToken", &k->nm_token, out);
    put_key("containerToken", &k->container_token, out);
    wire_members_put(keys_members, k, out);
    base_json_close(out, '}');
}

static int get_key(const json_t *keys, const char *name, struct wire_hadoop_key *out,
                   struct base_error *err)
{
    const json_t *key = json_object_get(keys, name);
    int rc;

    if (!json_is_object(key))
        return base_error_set(err, -BASE_EINVAL, "hadoopKeys.%s: an object is needed", name);
    rc = wire_members_get(key_members, key, "", out, err);
    return rc < 0 ? base_error_wrap(err, rc, "hadoopKeys.%s", name) : 0;
}

int wire_hadoop_keys_get(const json_t *obj, struct wire_hadoop_keys *out, struct base_error *err)
{
    const json_t *keys = json_object_get(obj, "hadoopKeys");
    int rc;

    if (!keys || json_is_null(keys))
        return 0;
    rc = wire_members_get(keys_members, keys, "hadoopKeys.", out, err);
    if (rc == 0)
        rc = get_key(keys, "nmToken", &out->nm_token, err);
    if (rc == 0)
        rc = get_key(keys, "containerToken", &out->container_token, err);
    out->given = rc == 0;
    return rc;
}
