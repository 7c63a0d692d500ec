#include "base/crypto/certificate.h"

#include <arpa/inet.h>
#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <string.h>

struct making {
    gnutls_x509_crt_t crt, issuer_crt;
    gnutls_x509_privkey_t key, issuer_key;
};

/* Adds a host as the kind of name that clients compare: an address in binary, or a DNS name. */
static int add_subject_host(gnutls_x509_crt_t crt, const char *host)
{
    unsigned char address[16];

    if (inet_pton(AF_INET, host, address) == 1)
        return gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_IPADDRESS, address, 4,
                                                    GNUTLS_FSAN_APPEND);
    if (inet_pton(AF_INET6, host, address) == 1)
        return gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_IPADDRESS, address, 16,
                                                    GNUTLS_FSAN_APPEND);
    return gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_DNSNAME, host,
                                                (unsigned)strlen(host), GNUTLS_FSAN_APPEND);
}

/* A positive number of 16 random bytes, so that no two certificates of an authority share one. */
static int set_serial(gnutls_x509_crt_t crt)
{
    unsigned char serial[16];
    int rc = gnutls_rnd(GNUTLS_RND_NONCE, serial, sizeof serial);

    serial[0] = (unsigned char)((serial[0] & 0x7f) | 0x40);
    return rc < 0 ? rc : gnutls_x509_crt_set_serial(crt, serial, sizeof serial);
}

static int set_key_id(const struct making *m)
{
    unsigned char id[64];
    size_t len = sizeof id;
    int rc = gnutls_x509_privkey_get_key_id(m->key, 0, id, &len);

    return rc < 0 ? rc : gnutls_x509_crt_set_subject_key_id(m->crt, id, len);
}

static int set_key_usage(gnutls_x509_crt_t crt, bool authority)
{
    int rc = gnutls_x509_crt_set_basic_constraints(crt, authority, authority ? 0 : -1);

    if (rc >= 0)
        rc = gnutls_x509_crt_set_key_usage(crt, authority
                                                    ? GNUTLS_KEY_KEY_CERT_SIGN | GNUTLS_KEY_CRL_SIGN
                                                    : GNUTLS_KEY_DIGITAL_SIGNATURE);
    if (rc >= 0 && !authority)
        rc = gnutls_x509_crt_set_key_purpose_oid(crt, GNUTLS_KP_TLS_WWW_SERVER, 0);
    if (rc >= 0 && !authority)
        rc = gnutls_x509_crt_set_key_purpose_oid(crt, GNUTLS_KP_TLS_WWW_CLIENT, 0);
    return rc;
}

static int fill_certificate(const struct making *m, const struct base_certificate_spec *spec,
                            bool authority)
{
    int rc = gnutls_x509_crt_set_version(m->crt, 3);

    if (rc >= 0)
        rc = set_serial(m->crt);
    if (rc >= 0)
        rc = gnutls_x509_crt_set_dn_by_oid(m->crt, GNUTLS_OID_X520_COMMON_NAME, 0, spec->name,
                                           (unsigned)strlen(spec->name));
    if (rc >= 0)
        rc = gnutls_x509_crt_set_activation_time(m->crt, spec->from);
    if (rc >= 0)
        rc = gnutls_x509_crt_set_expiration_time(m->crt, spec->until);
    if (rc >= 0)
        rc = gnutls_x509_crt_set_key(m->crt, m->key);
    if (rc >= 0)
        rc = set_key_id(m);
    if (rc >= 0)
        rc = set_key_usage(m->crt, authority);
    for (size_t i = 0; rc >= 0 && i < spec->hosts_n; i++)
        rc = add_subject_host(m->crt, spec->hosts[i]);
    return rc;
}

static int import_issuer(struct making *m, const struct base_certificate *issuer)
{
    gnutls_datum_t crt = {(unsigned char *)issuer->certificate.data,
                          (unsigned)issuer->certificate.len},
                   key = {(unsigned char *)issuer->key.data, (unsigned)issuer->key.len};
    int rc = gnutls_x509_crt_import(m->issuer_crt, &crt, GNUTLS_X509_FMT_PEM);

    return rc < 0 ? rc : gnutls_x509_privkey_import(m->issuer_key, &key, GNUTLS_X509_FMT_PEM);
}

static int export_pem(const struct making *m, struct base_certificate *out)
{
    gnutls_datum_t text = {0};
    int rc = gnutls_x509_crt_export2(m->crt, GNUTLS_X509_FMT_PEM, &text);

    if (rc < 0)
        return rc;
    base_buf_add(&out->certificate, text.data, text.size);
    gnutls_free(text.data);
    rc = gnutls_x509_privkey_export2_pkcs8(m->key, GNUTLS_X509_FMT_PEM, NULL, GNUTLS_PKCS_PLAIN,
                                           &text);
    if (rc < 0)
        return rc;
    base_buf_add(&out->key, text.data, text.size);
    gnutls_memset(text.data, 0, text.size);
    gnutls_free(text.data);
    return 0;
}

static int make_certificate(struct making *m, const struct base_certificate_spec *spec,
                            const struct base_certificate *issuer, struct base_certificate *out)
{
    int rc = gnutls_x509_privkey_generate(
        m->key, GNUTLS_PK_ECDSA, (unsigned)GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0);

    if (rc >= 0)
        rc = fill_certificate(m, spec, !issuer);
    if (rc >= 0 && issuer)
        rc = import_issuer(m, issuer);
    if (rc >= 0)
        rc = gnutls_x509_crt_sign2(m->crt, issuer ? m->issuer_crt : m->crt,
                                   issuer ? m->issuer_key : m->key, GNUTLS_DIG_SHA256, 0);
    return rc < 0 ? rc : export_pem(m, out);
}

int base_certificate_make(const struct base_certificate_spec *spec,
                          const struct base_certificate *issuer, struct base_certificate *out,
                          struct base_error *err)
{
    struct making m = {0};
    int rc;

    *out = (struct base_certificate){0};
    base_assert(gnutls_x509_crt_init(&m.crt) == 0 && gnutls_x509_crt_init(&m.issuer_crt) == 0);
    base_assert(gnutls_x509_privkey_init(&m.key) == 0 &&
                gnutls_x509_privkey_init(&m.issuer_key) == 0);
    rc = make_certificate(&m, spec, issuer, out);
    gnutls_x509_crt_deinit(m.crt);
    gnutls_x509_crt_deinit(m.issuer_crt);
    gnutls_x509_privkey_deinit(m.key);
    gnutls_x509_privkey_deinit(m.issuer_key);
    return rc < 0 ? base_error_set(err, -BASE_EINVAL, "certificate of %s: %s", spec->name,
                                   gnutls_strerror(rc))
                  : 0;
}

void base_certificate_free(struct base_certificate *c)
{
    if (c->key.data)
        gnutls_memset(c->key.data, 0, c->key.len);
    base_buf_free(&c->certificate);
    base_buf_free(&c->key);
}
