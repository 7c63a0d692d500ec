#include "api/wire/hadoop_keys.h"

#include "api/wire/member.h"
#include "base/crypto/secret_file.h"
#include "base/io/json_write.h"

static const struct wire_member key_members[] = {
    WIRE_INT32_ROW(struct wire_hadoop_key, id, "id", WIRE_R, INT32_MIN, INT32_MAX),
    WIRE_TEXT_ROW(struct wire_hadoop_key, secret, "secret", WIRE_S, BASE_KEY_ID_MAX - 1),
    WIRE_TEXT_ROW(struct wire_hadoop_key, salt, "salt", WIRE_R, WIRE_HADOOP_SALT_MAX), WIRE_END};
static const struct wire_member keys_members[] = {WIRE_INT64_ROW(struct wire_hadoop_keys,
                                                                 rm_identifier, "rmIdentifier",
                                                                 WIRE_R, INT64_MIN, INT64_MAX),
                                                  WIRE_END};

static void put_list(const char *name, const struct wire_hadoop_key_list *list,
                     struct base_buf *out)
{
    base_json_key(out, name);
    base_json_open(out, '[');
    for (size_t i = 0; i < list->n; i++) {
        base_json_open(out, '{');
        wire_members_put(key_members, &list->v[i], out);
        base_json_close(out, '}');
    }
    base_json_close(out, ']');
}

void wire_hadoop_keys_put(const struct wire_hadoop_keys *k, struct base_buf *out)
{
    if (!k->given)
        return;
    base_json_key(out, "hadoopKeys");
    base_json_open(out, '{');
    put_list("nmToken", &k->nm_token, out);
    put_list("containerToken", &k->container_token, out);
    wire_members_put(keys_members, k, out);
    base_json_close(out, '}');
}

static int get_list(const json_t *keys, const char *name, struct wire_hadoop_key_list *out,
                    struct base_error *err)
{
    const json_t *list = json_object_get(keys, name);
    size_t n = json_array_size(list);
    int rc = 0;

    if (n < 1 || n > WIRE_HADOOP_KEYS_MAX)
        return base_error_set(err, -BASE_EINVAL, "hadoopKeys.%s: a list of 1 to %d keys is needed",
                              name, WIRE_HADOOP_KEYS_MAX);
    *out = (struct wire_hadoop_key_list){.n = n};
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = wire_members_get_element(key_members, json_array_get(list, i), name, i, &out->v[i],
                                      err);
    return rc < 0 ? base_error_wrap(err, rc, "hadoopKeys") : 0;
}

int wire_hadoop_keys_get(const json_t *obj, struct wire_hadoop_keys *out, struct base_error *err)
{
    const json_t *keys = json_object_get(obj, "hadoopKeys");
    int rc;

    if (!keys || json_is_null(keys))
        return 0;
    rc = wire_members_get(keys_members, keys, "hadoopKeys.", out, err);
    if (rc == 0)
        rc = get_list(keys, "nmToken", &out->nm_token, err);
    if (rc == 0)
        rc = get_list(keys, "containerToken", &out->container_token, err);
    out->given = rc == 0;
    return rc;
}
