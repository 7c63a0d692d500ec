/* base/crypto/certificate.h - makes certificates: an authority of one's own, and certificates of
 * hosts that it signs. For `creel dev --tls` and the tests; deploy/make-certs serves clusters. Keys
 * are of the curve P-256: small, fast, and known to every client. */
#ifndef CREEL_BASE_CRYPTO_CERTIFICATE_H
#define CREEL_BASE_CRYPTO_CERTIFICATE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "base/error.h"
#include "base/mem.h"

struct base_certificate { /* in PEM; the buffers are owned */
    struct base_buf certificate, key;
};
struct base_certificate_spec {
    const char *name; /* common name, for people */
    /* names and addresses of the host, @hosts_n of them; none for an authority */
    const char *const *hosts;
    size_t hosts_n;
    time_t from, until; /* validity */
};
/* Makes a certificate with a new key. @issuer: the authority that signs it; NULL: @out becomes an
 * authority, signed by itself. A host's certificate serves servers and clients alike. Returns 0, or
 * -BASE_EINVAL with GnuTLS's reason; free @out with base_certificate_free() in any case. */
int base_certificate_make(const struct base_certificate_spec *spec,
                          const struct base_certificate *issuer, struct base_certificate *out,
                          struct base_error *err);
void base_certificate_free(struct base_certificate *c); /* wipes the key; zeroed afterwards */

#endif
