#include "api/server/tls/tls.h"

#include <errno.h>
#include <gnutls/x509.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "api/server/tls/keys.h"
#include "base/cond.h"
#include "base/io/log.h"
#include "base/io/log_limit.h"
#include "base/mem.h"

#define EXPIRY_WARNING_S (30 * 24 * 3600)
#define COMPLAIN_MS      5000 /* least time between two lines about failed handshakes */
#define RECORD_ALERT     0x15
#define TLS_1_2          0x0303
#define COLLECT_MAX      (14 * 1024) /* with the head less than a record or a socket's buffer */

struct api_tls {
    atomic_uint refs;
    struct base_tls_conf conf; /* its texts are owned */
    pthread_mutex_t lock;
    struct api_tls_keys *keys;        /* under lock: of connections that begin now */
    struct base_log_limit complaints; /* lines about connections without a request */
};

/* ---- the object ---- */

int api_tls_new(const struct base_tls_conf *conf, struct api_tls **out, struct base_error *err)
{
    struct api_tls_keys *keys = NULL;
    struct api_tls *t;
    int rc = api_tls_keys_read(conf, &keys, err);

    if (rc < 0)
        return rc;
    t = base_alloc(sizeof *t);
    atomic_init(&t->refs, 1);
    t->keys = keys;
    t->conf = (struct base_tls_conf){.https = conf->https,
                                     .client_auth = conf->client_auth,
                                     .certificate_file = base_strdup(conf->certificate_file),
                                     .key_file = base_strdup(conf->key_file),
                                     .ca_file = base_strdup(conf->ca_file)};
    pthread_mutex_init(&t->lock, NULL);
    *out = t;
    return 0;
}

struct api_tls *api_tls_ref(struct api_tls *t)
{
    if (t)
        atomic_fetch_add(&t->refs, 1);
    return t;
}

void api_tls_unref(struct api_tls *t)
{
    if (!t || atomic_fetch_sub(&t->refs, 1) > 1)
        return;
    api_tls_keys_unref(t->keys);
    pthread_mutex_destroy(&t->lock);
    free((char *)t->conf.certificate_file);
    free((char *)t->conf.key_file);
    free((char *)t->conf.ca_file);
    free(t);
}

int api_tls_reload(struct api_tls *t, struct base_error *err)
{
    struct api_tls_keys *keys = NULL, *old;
    int rc = api_tls_keys_read(&t->conf, &keys, err);

    if (rc < 0)
        return rc;
    pthread_mutex_lock(&t->lock);
    old = t->keys;
    t->keys = keys;
    pthread_mutex_unlock(&t->lock);
    api_tls_keys_unref(old);
    return 0;
}

static struct api_tls_keys *ref_current_keys(struct api_tls *t)
{
    struct api_tls_keys *keys;

    pthread_mutex_lock(&t->lock);
    keys = api_tls_keys_ref(t->keys);
    pthread_mutex_unlock(&t->lock);
    return keys;
}

void api_tls_reload_and_log(struct api_tls *t)
{
    struct base_error err = {0};

    if (api_tls_reload(t, &err) < 0)
        base_log_error("tls", "the certificate stays as it is: %s", err.text);
    else
        base_log_info("tls", "read the certificate in %s again", t->conf.certificate_file);
}

void api_tls_warn_of_certificate(struct api_tls *t, const char *host)
{
    struct api_tls_keys *keys = ref_current_keys(t);
    int64_t left_s = (int64_t)keys->expires - (int64_t)time(NULL);

    if (!gnutls_x509_crt_check_hostname(keys->certificate, host))
        base_log_warn("tls",
                      "the certificate in %s is not for %s: clients that use this name will "
                      "refuse it",
                      t->conf.certificate_file, host);
    if (left_s < EXPIRY_WARNING_S)
        base_log_warn("tls", "the certificate in %s expires in %lld days", t->conf.certificate_file,
                      (long long)(left_s / (24 * 3600)));
    api_tls_keys_unref(keys);
}

bool api_tls_requires_daemon_certificates(const struct api_tls *t)
{
    return t->conf.client_auth;
}

/* ---- plain HTTP on our port ---- */

/* Answers in plain HTTP, in the form in which YARN's clients show errors. */
static void answer_plain_http(int fd)
{
    static const char body[] =
        "{\"RemoteException\":{\"exception\":\"BadRequestException\",\"message\":"
        "\"This port speaks TLS: use https:// in place of http://\",\"javaClassName\":"
        "\"org.apache.hadoop.yarn.webapp.BadRequestException\"}}";
    char text[512];
    int n = snprintf(text, sizeof text,
                     "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n"
                     "Content-Length: %zu\r\nConnection: close\r\n\r\n%s",
                     sizeof body - 1, body);

    (void)!send(fd, text, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Reads what the client has sent so far: a socket that is closed with unread bytes is reset, and
 * the client would lose the answer. */
static void drain(int fd)
{
    char dropped[4096];

    while (recv(fd, dropped, sizeof dropped, MSG_DONTWAIT) > 0)
        continue;
}

/* Returns true for the first byte of a request line: a method in capitals. */
static bool is_http(unsigned char first)
{
    return first >= 'A' && first <= 'Z';
}

/* ---- transport: as GnuTLS's own, but looks at the first bytes ---- */

/* Reads from the socket only when all that was read before is taken: so libmicrohttpd learns that
 * nothing is left (EAGAIN) exactly when the socket is empty, as it needs with EPOLLET. */
static ssize_t read_ahead(struct api_tls_conn *conn, void *data, size_t size)
{
    size_t left = (size_t)conn->read_len - conn->read_at, taken;

    if (left == 0) {
        ssize_t n;

        if (size >= sizeof conn->ahead)
            return recv(conn->fd, data, size, 0);
        n = recv(conn->fd, conn->ahead, sizeof conn->ahead, 0);
        if (n <= 0)
            return n;
        conn->read_at = 0;
        conn->read_len = (uint16_t)n;
        left = (size_t)n;
    }
    taken = size < left ? size : left;
    memcpy(data, conn->ahead + conn->read_at, taken);
    conn->read_at = (uint16_t)(conn->read_at + taken);
    return (ssize_t)taken;
}

static ssize_t pull(gnutls_transport_ptr_t ptr, void *data, size_t size)
{
    struct api_tls_conn *conn = ptr;
    ssize_t n = read_ahead(conn, data, size);
    const unsigned char *bytes = data;

    if (n < 0)
        gnutls_transport_set_errno(conn->session, errno);
    if (n <= 0 || conn->done)
        return n;
    if (!conn->received && is_http(bytes[0])) {
        conn->plain_http = true;
        drain(conn->fd);
        answer_plain_http(conn->fd);
        shutdown(conn->fd, SHUT_WR);
    }
    conn->received = true;
    /* GnuTLS reads the 5 bytes of a record's header, then its content */
    if (conn->next_is_alert && n >= 2)
        conn->alert_received = bytes[1];
    conn->next_is_alert = n == 5 && bytes[0] == RECORD_ALERT && bytes[3] == 0 && bytes[4] == 2;
    return n;
}

static ssize_t push(gnutls_transport_ptr_t ptr, const giovec_t *iov, int n)
{
    struct api_tls_conn *conn = ptr;
    struct msghdr msg = {.msg_iov = (struct iovec *)(uintptr_t)iov, .msg_iovlen = (size_t)n};
    ssize_t sent;

    if (conn->plain_http) { /* what follows would only confuse the client */
        gnutls_transport_set_errno(conn->session, EPIPE);
        return -1;
    }
    sent = sendmsg(conn->fd, &msg, MSG_NOSIGNAL);
    if (sent < 0)
        gnutls_transport_set_errno(conn->session, errno);
    return sent;
}

static int pull_timeout(gnutls_transport_ptr_t ptr, unsigned ms)
{
    const struct api_tls_conn *conn = ptr;
    struct pollfd p = {.fd = conn->fd, .events = POLLIN};

    return conn->read_at < conn->read_len ? 1 : poll(&p, 1, (int)ms);
}

/* Follows the client's messages of the handshake. A client that is too old gets an alert: GnuTLS
 * leaves it to its caller to send one, and libmicrohttpd sends none. A client that knows TLS 1.3
 * offers "1.2" in this place. */
static int note_handshake_message(gnutls_session_t session, unsigned type, unsigned when,
                                  unsigned incoming, const gnutls_datum_t *message)
{
    struct api_tls_conn *conn = gnutls_transport_get_ptr(session);

    if (!incoming)
        return 0;
    if (type == GNUTLS_HANDSHAKE_FINISHED && when == GNUTLS_HOOK_POST)
        conn->done = true;
    if (type == GNUTLS_HANDSHAKE_CLIENT_HELLO && when == GNUTLS_HOOK_PRE && message->size >= 2 &&
        (message->data[0] << 8 | message->data[1]) < TLS_1_2) {
        conn->too_old = true;
        gnutls_alert_send(session, GNUTLS_AL_FATAL, GNUTLS_A_PROTOCOL_VERSION);
    }
    return 0;
}

/* ---- connections ---- */

void api_tls_begin(struct api_tls *t, struct api_tls_conn *conn, gnutls_session_t session, int fd)
{
    *conn = (struct api_tls_conn){
        .tls = api_tls_ref(t), .keys = ref_current_keys(t), .session = session, .fd = fd};
    gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, conn->keys->credentials);
    if (t->conf.client_auth)
        gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUEST);
    if (conn->keys->ticket_key.data)
        gnutls_session_ticket_enable_server(session, &conn->keys->ticket_key);
    gnutls_transport_set_ptr(session, conn);
    gnutls_transport_set_pull_function(session, pull);
    gnutls_transport_set_vec_push_function(session, push);
    gnutls_transport_set_pull_timeout_function(session, pull_timeout);
    gnutls_handshake_set_hook_function(session, GNUTLS_HANDSHAKE_ANY, GNUTLS_HOOK_BOTH,
                                       note_handshake_message);
}

/* Describes why no request came. Returns false when there is nothing to tell: the client connected
 * and left, as monitors of ports do. */
static bool describe_failure(const struct api_tls_conn *conn, char room[static 200])
{
    const char *name = NULL;

    if (conn->plain_http) {
        snprintf(room, 200, "it speaks plain HTTP: its address for us needs https://");
    } else if (conn->alert_received) {
        name = gnutls_alert_get_name((gnutls_alert_description_t)conn->alert_received);
        snprintf(room, 200, "it refuses our certificate or settings: %s", name ? name : "?");
    } else if (conn->too_old) {
        snprintf(room, 200, "it speaks no TLS 1.2 or later");
    } else if (conn->received) {
        snprintf(room, 200, "%s; it may not accept the certificate in %.80s",
                 conn->done ? "it left after the handshake"
                            : "the handshake failed, for want of ciphers in common or otherwise",
                 conn->tls->conf.certificate_file);
    }
    return conn->received;
}

static void warn_of_no_request(struct api_tls *t, const char *peer, const char *why)
{
    int64_t others;

    if (!base_log_limit_allows(&t->complaints, base_cond_now_us() / 1000, COMPLAIN_MS, &others))
        return;
    if (others)
        base_log_warn("tls", "%s: no request: %s (%lld more without one since the last line)", peer,
                      why, (long long)others);
    else
        base_log_warn("tls", "%s: no request: %s", peer, why);
}

void api_tls_end(struct api_tls_conn *conn, const char *peer, bool spoke)
{
    char why[200] = "";

    if (!conn->tls)
        return;
    if (!spoke && describe_failure(conn, why))
        warn_of_no_request(conn->tls, peer, why);
    api_tls_keys_unref(conn->keys);
    api_tls_unref(conn->tls);
    conn->tls = NULL;
}

void api_tls_cork_short_answer(struct api_tls_conn *conn, size_t bytes)
{
    int unsent = 0;

    if (!conn->tls || conn->collecting || bytes > COLLECT_MAX ||
        ioctl(conn->fd, SIOCOUTQ, &unsent) < 0 || unsent > 0)
        return;
    gnutls_record_cork(conn->session);
    conn->collecting = true;
}

void api_tls_uncork(struct api_tls_conn *conn)
{
    if (!conn->collecting)
        return;
    conn->collecting = false;
    /* The socket's buffer was empty: it takes everything, unless the connection is broken. */
    if (gnutls_record_uncork(conn->session, 0) < 0)
        shutdown(conn->fd, SHUT_RDWR);
    /* libmicrohttpd has set TCP_CORK, and its own push came before these bytes: without this call
     * the kernel would hold them back for 200 ms */
    setsockopt(conn->fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
}

bool api_tls_peer_is_daemon(struct api_tls_conn *conn)
{
    gnutls_typed_vdata_st purpose = {.type = GNUTLS_DT_KEY_PURPOSE_OID,
                                     .data = (unsigned char *)(uintptr_t)GNUTLS_KP_TLS_WWW_CLIENT};
    unsigned status = 0, n = 0;

    if (!conn->tls)
        return false;
    if (conn->peer_is_daemon == 0) {
        conn->peer_is_daemon = -1;
        if (gnutls_certificate_get_peers(conn->session, &n) && n > 0 &&
            gnutls_certificate_verify_peers(conn->session, &purpose, 1, &status) == 0 &&
            status == 0)
            conn->peer_is_daemon = 1;
    }
    return conn->peer_is_daemon > 0;
}
