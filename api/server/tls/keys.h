/* api/server/tls/keys.h - reads a certificate, its key and an authority from their files, and
 * checks them. */
#ifndef CREEL_API_SERVER_TLS_KEYS_H
#define CREEL_API_SERVER_TLS_KEYS_H

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdatomic.h>
#include <time.h>

#include "base/error.h"
#include "base/io/tls_conf.h"

struct api_tls_keys { /* immutable but for the count */
    atomic_uint refs;
    gnutls_certificate_credentials_t credentials;
    gnutls_x509_crt_t certificate; /* the host's own */
    gnutls_datum_t ticket_key;     /* of session tickets; no data: none are given */
    time_t expires;
};
/* Returns 0 or an error of api_tls_new(). */
int api_tls_keys_read(const struct base_tls_conf *conf, struct api_tls_keys **out,
                      struct base_error *err);
struct api_tls_keys *api_tls_keys_ref(struct api_tls_keys *k);
void api_tls_keys_unref(struct api_tls_keys *k); /* NULL-safe */

#endif
