/* tests/unit/api_client.h - a plain socket client for tests of the HTTP server. */
#ifndef CREEL_TESTS_API_CLIENT_H
#define CREEL_TESTS_API_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/crypto/keyring.h"
#include "base/mem.h"

struct client_answer {
    int status; /* 0: no answer came, the connection ended */
    char *head; /* status line and headers, NUL-terminated */
    /* without chunk framing; still compressed if the server has compressed it */
    struct base_buf body;
    bool chunked;
};

int client_connect(uint16_t port); /* timeouts of 20 s; aborts when it fails */
void client_send(int fd, const void *data,
                 size_t len); /* errors are ignored: the server may have cut us off */
void client_sends(int fd, const char *text);
/* Reads one answer from a connection that stays open. @head: was the request HEAD? Returns false
 * when the connection ended before the whole answer had come. The caller frees @out in any case. */
bool client_read(int fd, bool head, struct client_answer *out);
/* Sends @request, the whole text of one request, on a connection of its own, and reads the
 * answer. */
void client_once(uint16_t port, const char *request, size_t len, struct client_answer *out);
/* A line for @headers of client_do(), which puts a signature with client_keys() in its place. */
#define CLIENT_SIGNED "Authorization: signed\r\n"
/* The keyring that servers and clients of a test share: never freed, always the same. */
struct base_keyring *client_keys(void);
/* Returns the start id of the server at localhost:@port, which it asks unless it has done so
 * before. Borrowed until the next call. */
const char *client_start_id(uint16_t port);
/* Forgets that id, as another server may have got the port. */
void client_forget_start_id(uint16_t port);
/* Returns the line "Authorization: ...\r\n" of a request to localhost:@port signed now. The caller
 * frees it. */
char *client_sign(uint16_t port, const char *method, const char *path, const void *body,
                  size_t len);
/* Sends "METHOD path" with @headers ("A: b\r\n" lines, may be NULL) and @body (may be NULL; adds
 * Content-Length), and reads the answer. Host is localhost, in a
 * signed request with the port, unless @headers has one. */
void client_do(uint16_t port, const char *method, const char *path, const char *headers,
               const char *body, struct client_answer *out);
void client_free(struct client_answer *a);
/* true: the head has exactly this line */
bool client_has(const struct client_answer *a, const char *header_line);
int64_t client_now_ms(void);

#endif
