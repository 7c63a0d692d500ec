/* api/server/tls/tls.h - TLS for the HTTP servers of a process: the host's certificate and key, the
 * authority of the cluster, and what happens on each connection. TLS 1.2 and 1.3, by GnuTLS.
 *
 *   files --api_tls_new(), api_tls_reload()--> key set (current) --api_tls_begin()--> session
 *                                                  |                                    |
 *                     a newer set takes its place  v          the connection ends       v
 *                                              old key set <--- refers to it ---- api_tls_end()
 *
 * A connection keeps the key set with which it began, so that a reload cuts nothing: connections
 * that are open go on, new ones show the new certificate. A key set is freed with its last
 * connection. A reload that fails keeps the current set.
 *
 * A client that speaks plain HTTP gets one answer in plain HTTP, 400 with words that name the
 * scheme, since a connection that is only closed explains nothing to its user. */
#ifndef CREEL_API_SERVER_TLS_TLS_H
#define CREEL_API_SERVER_TLS_TLS_H

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/error.h"
#include "base/io/tls_conf.h"

/* What libmicrohttpd's sessions may use: nothing older than TLS 1.2, and ciphers that authenticate
 * what they encrypt. AES with 128 bits first: the cheapest where the processor has instructions for
 * it. */
#define API_TLS_PRIORITIES                                                                         \
    "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-CIPHER-ALL:+AES-128-GCM:+AES-256-GCM:"            \
    "+CHACHA20-POLY1305:-RSA:%SERVER_PRECEDENCE"

struct api_tls; /* counted; any thread may use it */
struct api_tls_keys;

/* Reads the files of @conf, and keeps copies of their names. Returns 0; -BASE_ENOMEM; or
 * -BASE_EINVAL, with the configuration's key and the file in @err: a file is not set or not
 * readable, the private key's file belongs to another user or may be read by others, the private
 * key is not the certificate's, or a certificate is not valid now. */
int api_tls_new(const struct base_tls_conf *conf, struct api_tls **out, struct base_error *err);
struct api_tls *api_tls_ref(struct api_tls *t); /* NULL-safe */
void api_tls_unref(struct api_tls *t);          /* NULL-safe */
/* Reads the files again, for connections that begin from now on. Returns 0, or an error of
 * api_tls_new(), after which nothing has changed. */
int api_tls_reload(struct api_tls *t, struct base_error *err);
/* The same on SIGHUP: logs what came of it. */
void api_tls_reload_and_log(struct api_tls *t);
/* Logs a warning when the certificate is not one for @host, a name or address at which clients
 * reach this daemon, or when it expires within 30 days. */
void api_tls_warn_of_certificate(struct api_tls *t, const char *host);
/* Returns true when daemons must show certificates (creel.tls.client-auth). */
bool api_tls_requires_daemon_certificates(const struct api_tls *t);

/* Bytes that are read from the socket at once: enough for a request of a node and its record's
 * header. GnuTLS alone would read the header of each record with a system call of its own. */
#define API_TLS_READ_MAX 1024

/* One connection's part; zero: plain. Only the connection's thread uses it. */
struct api_tls_conn {
    struct api_tls *tls;
    struct api_tls_keys *keys;
    gnutls_session_t session; /* of libmicrohttpd, which frees it before api_tls_end() */
    int fd;
    bool received, plain_http, done; /* a byte has come; it was of plain HTTP; handshake complete */
    bool next_is_alert;              /* the header of an alert has come */
    bool too_old;                    /* the client offers nothing newer than TLS 1.1 */
    uint8_t alert_received;          /* seen in clear, before the keys are agreed; 0: none */
    bool collecting;                 /* between api_tls_cork_short_answer() and api_tls_uncork() */
    uint16_t read_at, read_len;      /* what of @ahead GnuTLS has not taken yet */
    unsigned char ahead[API_TLS_READ_MAX];
    signed char peer_is_daemon; /* 0: not yet verified, 1: yes, -1: no */
};
/* Begins TLS on a connection whose @session libmicrohttpd has just created. @conn: zeroed. */
void api_tls_begin(struct api_tls *t, struct api_tls_conn *conn, gnutls_session_t session, int fd);
/* Ends TLS on the connection, when the session is freed. @peer: the client's address. If no request
 * has come (@spoke is false), logs why, as far as it can be known: plain HTTP, a protocol too old,
 * a certificate that the client does not accept. At most one line in some seconds. */
void api_tls_end(struct api_tls_conn *conn, const char *peer, bool spoke);
/* Begins an answer whose body has @bytes: head and body leave in one record and one system call.
 * libmicrohttpd sends them one after the other, which costs both sides a record, a system call and
 * a wake-up more: a fifth of a short request. Long answers are not collected, nor are those to a
 * client that has not taken the last one, since what is collected must fit into the socket's
 * buffer. */
void api_tls_cork_short_answer(struct api_tls_conn *conn, size_t bytes);
/* Sends what has been collected; call when libmicrohttpd has sent the answer. */
void api_tls_uncork(struct api_tls_conn *conn);
/* Returns true when the client has shown a certificate that the cluster's authority has signed and
 * that is valid now. */
bool api_tls_peer_is_daemon(struct api_tls_conn *conn);

#endif
