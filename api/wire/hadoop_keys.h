/* api/wire/hadoop_keys.h - what a node needs to check the tokens that Hadoop's programs show at its
 * port of Hadoop RPC (base/hadoop/identifiers.h): the member "hadoopKeys" of the answer to a
 * registration, and to a heartbeat after the keys have changed. The ResourceManager sends it if it
 * hands out such tokens. Each list has all keys with which tokens are good now; the first one is
 * the current key.
 *
 *   "hadoopKeys":{"nmToken":[{"id":7,"secret":"6160a3d8","salt":"..."}],
 *                 "containerToken":[{"id":-8,"secret":"6160a3d8","salt":"..."}],
 *                 "rmIdentifier":1700000000000}
 *
 * A key is derived from the salt and the key of the cluster's secret that is called "secret"
 * (base/hadoop/master_key.h). Without a secret, "salt" is the key itself. */
#ifndef CREEL_API_WIRE_HADOOP_KEYS_H
#define CREEL_API_WIRE_HADOOP_KEYS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"

#define WIRE_HADOOP_SALT_MAX 1024 /* most bytes of a salt's text */
#define WIRE_HADOOP_KEYS_MAX 3    /* of one kind */

struct wire_hadoop_key {
    int32_t id;         /* any number: a token's identifier names its key by it */
    const char *secret; /* NULL or "": none */
    const char *salt;   /* base64 */
};
struct wire_hadoop_key_list {
    struct wire_hadoop_key v[WIRE_HADOOP_KEYS_MAX];
    size_t n; /* at least 1 */
};
struct wire_hadoop_keys {
    bool given;
    struct wire_hadoop_key_list nm_token, container_token;
    int64_t rm_identifier; /* of the ResourceManager's instance: container tokens name it */
};

/* Appends the member to an object that has others; nothing unless the keys are given. */
void wire_hadoop_keys_put(const struct wire_hadoop_keys *k, struct base_buf *out);
/* Reads the member of @obj; the texts are borrowed from it. Returns 0, also when there is none, or
 * a negative BASE_E*. */
int wire_hadoop_keys_get(const json_t *obj, struct wire_hadoop_keys *out, struct base_error *err);

#endif
