/* api/wire/hadoop_keys.h - what a node needs to check the tokens that Hadoop's programs show at its
 * port of Hadoop RPC (base/hadoop/identifiers.h): the member "hadoopKeys" of the answer to a
 * registration. The ResourceManager sends it if it hands out such tokens.
 *
 *   "hadoopKeys":{"nmToken":{"id":7,"key":"..."},"containerToken":{"id":-8,"key":"..."},
 *                 "rmIdentifier":1700000000000}
 */
#ifndef CREEL_API_WIRE_HADOOP_KEYS_H
#define CREEL_API_WIRE_HADOOP_KEYS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/mem.h"

#define WIRE_HADOOP_KEY_MAX 1024 /* most bytes of a key's text */

struct wire_hadoop_key {
    int32_t id;      /* any number: a token's identifier names its key by it */
    const char *key; /* base64 */
};
struct wire_hadoop_keys {
    bool given;
    struct wire_hadoop_key nm_token, container_token;
    int64_t rm_identifier; /* of the ResourceManager's instance: container tokens name it */
};

/* Appends the member to an object that has others; nothing unless the keys are given. */
void wire_hadoop_keys_put(const struct wire_hadoop_keys *k, struct base_buf *out);
/* Reads the member of @obj; the texts are borrowed from it. Returns 0, also when there is none, or
 * a negative BASE_E*. */
int wire_hadoop_keys_get(const json_t *obj, struct wire_hadoop_keys *out, struct base_error *err);

#endif
