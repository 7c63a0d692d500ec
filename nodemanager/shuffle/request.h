/* nodemanager/shuffle/request.h - the requests of MapReduce's shuffle, as reducers send them, and
 * the hashes by which reducer and node prove to each other that they know the job's secret. Pure.
 *
 *    GET /mapOutput?job=JOB&reduce=N&map=ATTEMPT,ATTEMPT[&keepAlive=true] HTTP/1.1
 *    name: mapreduce
 *    version: 1.0.0
 *    UrlHash: base64(HMAC-SHA1(secret, the node's port as text, then path and query as sent))
 *
 * The answer's ReplyHash is base64(HMAC-SHA1(secret, the text of UrlHash)). Other headers and other
 * parameters are ignored, as is a body: a reducer sends none. Ids have no characters that need
 * percent-encoding, so that is not decoded.
 *
 * SOURCE: Hadoop 3.4.2 as recorded (tests/unit/test_nm_shuffle.c); the order of the checks, and
 * their words, are those of YARN's ShuffleHandler. */
#ifndef CREEL_NODEMANAGER_SHUFFLE_REQUEST_H
#define CREEL_NODEMANAGER_SHUFFLE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"

#define NM_SHUFFLE_HEAD_MAX 16384 /* bytes of a request line and its headers */
#define NM_SHUFFLE_MAPS_MAX 1000  /* outputs of one request; reducers ask for 20 */
#define NM_SHUFFLE_ID_MAX   200   /* bytes of an attempt's id */
#define NM_SHUFFLE_HASH     29    /* a hash as text, with its NUL */

struct nm_shuffle_slice { /* of the request; no NUL at its end */
    const char *at;
    size_t len;
};
struct nm_shuffle_request {
    struct base_app_id app; /* of the job; all zero: "job" is no id, and thus no known job */
    int32_t reduce;
    bool keep_alive;
    struct nm_shuffle_slice target; /* path and query */
    struct nm_shuffle_slice hash;   /* UrlHash; at is NULL: there is none */
    struct nm_shuffle_slice *maps;  /* ids of attempts, checked: letters, digits, "_" */
    size_t maps_n, maps_cap;
};

/* Returns the length of the request's head in the first @len bytes, with the empty line at its end;
 * 0: the end has not come yet. */
size_t nm_shuffle_find_head_end(const char *bytes, size_t len);
/* Reads a head of @len bytes, which must outlive @out. Returns 0, or the HTTP status of the
 * refusal, with its text in *@why (static). Free @out in any case. */
unsigned nm_shuffle_request_read(const char *head, size_t len, struct nm_shuffle_request *out,
                                 const char **why);
void nm_shuffle_request_free(struct nm_shuffle_request *rq);

/* Writes the hash that proves the request, or, of its UrlHash, the answer. Returns @out. */
char *nm_shuffle_hash_request(const void *secret, size_t secret_len, int port,
                              struct nm_shuffle_slice target, char out[static NM_SHUFFLE_HASH]);
char *nm_shuffle_hash_reply(const void *secret, size_t secret_len, struct nm_shuffle_slice url_hash,
                            char out[static NM_SHUFFLE_HASH]);

#endif
