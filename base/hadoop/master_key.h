/* base/hadoop/master_key.h - master keys of tokens (base/hadoop/identifiers.h) that are derived
 * from the cluster's secret:
 *
 *   key = the first 20 bytes of HMAC-SHA256(a key of the cluster's secret,
 *                                           "creel-hadoop-key-1\n" kind "\n" id "\n" salt in hex)
 *
 * The ResourceManager stores the id and the salt, and sends these to Creel's nodes, which have the
 * cluster's secret, too. So neither the state store nor what is heard between daemons suffices to
 * make a token. */
#ifndef CREEL_BASE_HADOOP_MASTER_KEY_H
#define CREEL_BASE_HADOOP_MASTER_KEY_H

#include <stddef.h>
#include <stdint.h>

#include "base/crypto/secret_file.h"

#define BASE_HADOOP_MASTER_KEY_BYTES 20 /* of a key, and of a salt */

/* What a key is for. Keys of different kinds have nothing in common: who knows that of one kind,
 * such as a NodeManager of Hadoop, can make no token of another kind. */
#define BASE_HADOOP_KEY_OF_AMRM              "amrmToken"
#define BASE_HADOOP_KEY_OF_NM                "nmToken"
#define BASE_HADOOP_KEY_OF_CONTAINER         "containerToken"
#define BASE_HADOOP_KEY_OF_HADOOP_NM         "nmToken-hadoop"
#define BASE_HADOOP_KEY_OF_HADOOP_CONTAINERS "containerToken-hadoop"

/* Writes the key called @id of this @kind. */
void base_hadoop_derive_master_key(const struct base_key *of_cluster, const char *kind, int32_t id,
                                   const unsigned char salt[static BASE_HADOOP_MASTER_KEY_BYTES],
                                   unsigned char out[static BASE_HADOOP_MASTER_KEY_BYTES]);

#endif
