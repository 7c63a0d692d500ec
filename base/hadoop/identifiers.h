/* base/hadoop/identifiers.h - the tokens that the ResourceManager hands to masters which speak
 * Hadoop RPC: what their identifiers say, and their passwords.
 *
 *   AMRM token       a master proves with it which attempt it is       port of masters
 *   NM token         a master may use this node for its attempt        port of a node
 *   container token  what a node may start: one container, until a time   in startContainers
 *
 * A token is an identifier, a message of Protocol Buffers, and a password: HMAC-SHA1 of the
 * identifier with a master key, which the identifier names by a number. Whoever holds the key
 * checks a token without asking anybody. Java compares after it has read an identifier and written
 * it again, so those written here have their fields in ascending order and nothing that Java does
 * not know.
 *
 * The identifier of users' tokens is in base/hadoop/token.h. SOURCE: identifiers and keys recorded
 * from Hadoop 3.4.2 (tests/unit/test_base_hadoop_ids.c). */
#ifndef CREEL_BASE_HADOOP_IDENTIFIERS_H
#define CREEL_BASE_HADOOP_IDENTIFIERS_H

#include <stdbool.h>

#include "base/crypto/digest.h"
#include "base/id.h"
#include "base/mem.h"

#define BASE_HADOOP_AMRM_KIND      "YARN_AM_RM_TOKEN"
#define BASE_HADOOP_NM_KIND        "NMToken"
#define BASE_HADOOP_CONTAINER_KIND "ContainerToken"

#define BASE_HADOOP_IDENTIFIER_MAX 4096 /* bytes; longer ones are not read */
#define BASE_HADOOP_TEXT_MAX       272  /* of a member, with NUL: a host of 255 bytes and a port */
#define BASE_HADOOP_NO_ALLOCATION  (-1) /* allocation of a request that named none */

struct base_hadoop_amrm_id {
    struct base_attempt_id attempt;
    int32_t key_id; /* any number */
};
struct base_hadoop_nm_id {
    struct base_attempt_id attempt;
    char host[BASE_HADOOP_TEXT_MAX]; /* of the node, as in its NodeId */
    int32_t port;
    char submitter[BASE_HADOOP_TEXT_MAX]; /* the application's user */
    int32_t key_id;
};
struct base_hadoop_container_id {
    struct base_container_id container;
    char node[BASE_HADOOP_TEXT_MAX]; /* "HOST:PORT", as in its NodeId */
    char submitter[BASE_HADOOP_TEXT_MAX];
    int64_t memory_mb;
    int32_t vcores;
    int64_t expiry_ms; /* the node starts the container until then */
    int32_t key_id;
    int64_t rm_identifier; /* the ResourceManager's instance that has allocated it */
    int32_t priority;
    int64_t created_ms;
    char label[BASE_HADOOP_TEXT_MAX];
    bool is_master;
    int64_t allocation; /* id that the master gave its request, or BASE_HADOOP_NO_ALLOCATION */
};

/* Append the identifier. */
void base_hadoop_amrm_id_add(const struct base_hadoop_amrm_id *id, struct base_buf *out);
void base_hadoop_nm_id_add(const struct base_hadoop_nm_id *id, struct base_buf *out);
void base_hadoop_container_id_add(const struct base_hadoop_container_id *id, struct base_buf *out);
/* Read an identifier. Return false when it is not one: damaged, too long, without its application,
 * attempt or container, or with a text that is too long or no UTF-8. Members that are absent get
 * the protocol's defaults. */
bool base_hadoop_amrm_id_read(const void *bytes, size_t len, struct base_hadoop_amrm_id *out);
bool base_hadoop_nm_id_read(const void *bytes, size_t len, struct base_hadoop_nm_id *out);
bool base_hadoop_container_id_read(const void *bytes, size_t len,
                                   struct base_hadoop_container_id *out);

/* Writes the password of the token with this identifier. @key: the master key, of any length. */
void base_hadoop_compute_password(const void *key, size_t key_len, const void *identifier,
                                  size_t len, unsigned char out[static BASE_SHA1_BYTES]);
/* Returns true when @password is the one of the identifier. The time does not depend on where
 * the two differ. */
bool base_hadoop_check_password(const void *key, size_t key_len, const void *identifier, size_t len,
                                const void *password, size_t password_len);

#endif
