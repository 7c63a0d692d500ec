/* base/crypto/server_starts.h - the start ids of the servers to which a process sends signed
 * requests (base/crypto/signature.h), by scheme, host and port of their URLs.
 *
 *   unknown --the server's signed refusal names its id--> known --a later one: another id--+
 *      ^                                                  | ^                              |
 *      +------no answer: the server may start anew--------+ +------------------------------+
 *
 * Nothing is lost when an id is forgotten: the next request to that server is refused once, and
 * sent again. So the table has a limit, beyond which all of it is forgotten. */
#ifndef CREEL_BASE_CRYPTO_SERVER_STARTS_H
#define CREEL_BASE_CRYPTO_SERVER_STARTS_H

#include <stddef.h>

#define BASE_START_ID_MAX 33 /* 32 hex digits and the NUL */
/* stands in a request for an id that its sender does not know; no server has it */
#define BASE_START_ID_UNKNOWN "00000000000000000000000000000000"
/* more nodes than a ResourceManager or a reduce task speaks with; some 200 bytes each */
#define BASE_SERVER_STARTS_MAX 8192

struct base_server_starts; /* any thread may call its functions */

struct base_server_starts *base_server_starts_new(void);
void base_server_starts_free(struct base_server_starts *s); /* NULL-safe */
/* Copies the start id of the server of @url, an absolute URL; BASE_START_ID_UNKNOWN when it is not
 * known. */
void base_server_starts_find(struct base_server_starts *s, const char *url,
                             char out[static BASE_START_ID_MAX]);
/* Remembers @id for the server of @url. Only for an id in a refusal whose signature is right. */
void base_server_starts_learn(struct base_server_starts *s, const char *url, const char *id);
/* Forgets the id of the server of @url, if it is known. */
void base_server_starts_forget(struct base_server_starts *s, const char *url);
size_t base_server_starts_count(struct base_server_starts *s); /* ids remembered */

#endif
