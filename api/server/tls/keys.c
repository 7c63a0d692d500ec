#include "api/server/tls/keys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/mem.h"

#define KEY_CERTIFICATE "creel.tls.certificate-file"
#define KEY_KEY         "creel.tls.key-file"
#define KEY_CA          "creel.tls.ca-file"
#define FILE_MAX        (1 << 20)
#define CHAIN_MAX       16

/* ---- files ---- */

static int read_file(const char *key, const char *path, struct base_buf *out,
                     struct base_error *err)
{
    int rc;

    if (!*path)
        return base_error_set(err, -BASE_EINVAL,
                              "yarn.http.policy is HTTPS_ONLY, but %s is not set", key);
    rc = base_file_read(path, FILE_MAX, out, err);
    /* the error's code says that another configuration is needed */
    return rc < 0 ? base_error_wrap(err, -BASE_EINVAL, "%s", key) : 0;
}

/* Refuses a key that others may read: whoever has it can pretend to be this host. A link is
 * followed, since tools that renew certificates keep one for the latest key. */
static int check_key_permissions(const char *path, struct base_error *err)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return base_error_set(err, -BASE_EINVAL, KEY_KEY ": %s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return base_error_set(err, -BASE_EINVAL, KEY_KEY ": %s: not a plain file", path);
    if (st.st_uid != geteuid() && st.st_uid != 0)
        return base_error_set(err, -BASE_EINVAL,
                              KEY_KEY ": %s belongs to uid %u: expected this daemon's user or root",
                              path, (unsigned)st.st_uid);
    if (st.st_mode & 077)
        return base_error_set(err, -BASE_EINVAL,
                              KEY_KEY ": %s has mode %04o: expected 0600, since others may not "
                                      "read a private key",
                              path, (unsigned)(st.st_mode & 07777));
    return 0;
}

static gnutls_datum_t as_datum(const struct base_buf *b)
{
    return (gnutls_datum_t){.data = (unsigned char *)(b->data ? b->data : ""),
                            .size = (unsigned)b->len};
}

/* ---- certificates ---- */

static const char *format_day(time_t t, char room[static 32])
{
    struct tm tm;

    if (!gmtime_r(&t, &tm) || !strftime(room, 32, "%Y-%m-%d %H:%M UTC", &tm))
        snprintf(room, 32, "?");
    return room;
}

/* Checks the host's own certificate, or one between it and the authority: each must be valid now,
 * since clients would refuse it anyway, with a less helpful message. */
static int check_dates(gnutls_x509_crt_t crt, const char *path, struct base_error *err)
{
    time_t now = time(NULL), from = gnutls_x509_crt_get_activation_time(crt),
           until = gnutls_x509_crt_get_expiration_time(crt);
    char day[32];

    if (until < now)
        return base_error_set(err, -BASE_EINVAL, KEY_CERTIFICATE ": %s expired on %s", path,
                              format_day(until, day));
    if (from > now)
        return base_error_set(err, -BASE_EINVAL, KEY_CERTIFICATE ": %s is valid from %s only", path,
                              format_day(from, day));
    return 0;
}

static int read_certificates(struct api_tls_keys *k, const struct base_buf *text, const char *path,
                             struct base_error *err)
{
    gnutls_x509_crt_t chain[CHAIN_MAX];
    gnutls_datum_t pem = as_datum(text);
    unsigned n = CHAIN_MAX;
    int got = gnutls_x509_crt_list_import(chain, &n, &pem, GNUTLS_X509_FMT_PEM, 0), rc = 0;

    if (got < 0)
        return base_error_set(err, -BASE_EINVAL, KEY_CERTIFICATE ": %s: no certificate in PEM: %s",
                              path, gnutls_strerror(got));
    k->certificate = chain[0];
    k->expires = gnutls_x509_crt_get_expiration_time(chain[0]);
    for (int i = 0; i < got; i++) {
        if (rc == 0)
            rc = check_dates(chain[i], path, err);
        if (i > 0)
            gnutls_x509_crt_deinit(chain[i]);
    }
    return rc;
}

static int use_certificate_and_key(struct api_tls_keys *k, const struct base_tls_conf *c,
                                   const struct base_buf *certificate, const struct base_buf *key,
                                   struct base_error *err)
{
    gnutls_datum_t crt_pem = as_datum(certificate), key_pem = as_datum(key);
    int rc = gnutls_certificate_set_x509_key_mem(k->credentials, &crt_pem, &key_pem,
                                                 GNUTLS_X509_FMT_PEM);

    if (rc == GNUTLS_E_CERTIFICATE_KEY_MISMATCH)
        return base_error_set(err, -BASE_EINVAL,
                              KEY_KEY ": %s is not the key of the certificate in %s", c->key_file,
                              c->certificate_file);
    return rc < 0 ? base_error_set(err, -BASE_EINVAL, KEY_KEY ": %s: %s", c->key_file,
                                   gnutls_strerror(rc))
                  : 0;
}

static int trust_authority_if_set(struct api_tls_keys *k, const char *path, struct base_error *err)
{
    struct base_buf text = {0};
    gnutls_datum_t pem;
    int rc;

    if (!*path)
        return 0;
    rc = read_file(KEY_CA, path, &text, err);
    pem = as_datum(&text);
    if (rc == 0) {
        rc = gnutls_certificate_set_x509_trust_mem(k->credentials, &pem, GNUTLS_X509_FMT_PEM);
        rc = rc > 0 ? 0
                    : base_error_set(err, -BASE_EINVAL, KEY_CA ": %s: no certificate in PEM%s%s",
                                     path, rc < 0 ? ": " : "", rc < 0 ? gnutls_strerror(rc) : "");
    }
    base_buf_free(&text);
    return rc;
}

/* Overwrites a private key's text before its memory is used again. */
static void wipe_and_free(struct base_buf *b)
{
    if (b->data)
        gnutls_memset(b->data, 0, b->len);
    base_buf_free(b);
}

static int read_keys_from_files(struct api_tls_keys *k, const struct base_tls_conf *c,
                                struct base_error *err)
{
    struct base_buf certificate = {0}, key = {0};
    int rc = read_file(KEY_CERTIFICATE, c->certificate_file, &certificate, err);

    if (rc == 0 && *c->key_file)
        rc = check_key_permissions(c->key_file, err);
    if (rc == 0)
        rc = read_file(KEY_KEY, c->key_file, &key, err);
    if (rc == 0)
        rc = read_certificates(k, &certificate, c->certificate_file, err);
    if (rc == 0)
        rc = use_certificate_and_key(k, c, &certificate, &key, err);
    if (rc == 0)
        rc = trust_authority_if_set(k, c->ca_file, err);
    /* no tickets where daemons must show certificates: a client that resumes a session shows
     * none */
    if (rc == 0 && !c->client_auth && gnutls_session_ticket_key_generate(&k->ticket_key) < 0)
        rc = base_error_set(err, -BASE_ENOMEM, "no key for TLS session tickets");
    base_buf_free(&certificate);
    wipe_and_free(&key);
    return rc;
}

int api_tls_keys_read(const struct base_tls_conf *conf, struct api_tls_keys **out,
                      struct base_error *err)
{
    struct api_tls_keys *k = base_alloc(sizeof *k);
    int rc;

    atomic_init(&k->refs, 1);
    base_assert(gnutls_certificate_allocate_credentials(&k->credentials) == 0);
    rc = read_keys_from_files(k, conf, err);
    if (rc < 0) {
        api_tls_keys_unref(k);
        return rc;
    }
    *out = k;
    return 0;
}

struct api_tls_keys *api_tls_keys_ref(struct api_tls_keys *k)
{
    atomic_fetch_add(&k->refs, 1);
    return k;
}

void api_tls_keys_unref(struct api_tls_keys *k)
{
    if (!k || atomic_fetch_sub(&k->refs, 1) > 1)
        return;
    if (k->certificate)
        gnutls_x509_crt_deinit(k->certificate);
    gnutls_certificate_free_credentials(k->credentials);
    if (k->ticket_key.data)
        gnutls_memset(k->ticket_key.data, 0, k->ticket_key.size);
    gnutls_free(k->ticket_key.data);
    free(k);
}
