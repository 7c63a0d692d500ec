/* api/cli/dev/tls.c - the certificates of `creel dev --tls`: an authority of the cluster's own,
 * kept between starts, and a certificate for this machine, new at each start. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "api/cli/dev/dev.h"
#include "base/crypto/certificate.h"
#include "base/io/io.h"
#include "base/io/tls_conf.h"

#define DAY            86400
#define AUTHORITY_DAYS 3650
#define HOST_DAYS      365
#define FILE_MAX       65536

char *cli_dev_authority_path(const struct cli_dev *d)
{
    return cli_dev_path(d, "tls", "/ca.pem");
}

void cli_dev_trust_authority(const struct cli_dev *d)
{
    char *ca = cli_dev_authority_path(d);

    base_tls_trust_only(access(ca, R_OK) == 0 ? ca : NULL);
    free(ca);
}

static int write_certificate_and_key(const struct cli_dev *d, const char *name,
                                     const struct base_certificate *c, struct base_error *err)
{
    char *crt = base_printf("%s/tls/%s.pem", d->dir, name),
         *key = base_printf("%s/tls/%s.key", d->dir, name);
    int rc = base_file_write_atomic(key, c->key.data, c->key.len, 0600, false, err);

    if (rc >= 0)
        rc = base_file_write_atomic(crt, c->certificate.data, c->certificate.len, 0644, false, err);
    free(crt);
    free(key);
    return rc;
}

/* Reads the authority of an earlier start, which commands of the user may already trust. */
static bool read_authority(const struct cli_dev *d, struct base_certificate *out)
{
    char *crt = cli_dev_authority_path(d), *key = cli_dev_path(d, "tls", "/ca.key");
    bool ok = base_file_read(crt, FILE_MAX, &out->certificate, NULL) == 0 &&
              base_file_read(key, FILE_MAX, &out->key, NULL) == 0;

    free(crt);
    free(key);
    return ok;
}

static int make_authority(const struct cli_dev *d, struct base_certificate *out,
                          struct base_error *err)
{
    time_t now = time(NULL);
    struct base_certificate_spec spec = {
        .name = "creel dev", .from = now - DAY, .until = now + (time_t)AUTHORITY_DAYS * DAY};
    int rc;

    base_certificate_free(out);
    rc = base_certificate_make(&spec, NULL, out, err);
    return rc < 0 ? rc : write_certificate_and_key(d, "ca", out, err);
}

static int make_host_certificate(const struct cli_dev *d, const struct base_certificate *authority,
                                 struct base_error *err)
{
    char own[256] = "";
    const char *hosts[] = {"localhost", "127.0.0.1", "::1", own};
    time_t now = time(NULL);
    struct base_certificate_spec spec = {.name = "localhost",
                                         .hosts = hosts,
                                         .from = now - DAY,
                                         .until = now + (time_t)HOST_DAYS * DAY};
    struct base_certificate host;
    int rc;

    spec.hosts_n = gethostname(own, sizeof own - 1) == 0 && *own ? 4 : 3;
    rc = base_certificate_make(&spec, authority, &host, err);
    if (rc == 0)
        rc = write_certificate_and_key(d, "host", &host, err);
    base_certificate_free(&host);
    return rc;
}

int cli_dev_make_certificates(const struct cli_dev *d, struct base_error *err)
{
    char *dir = cli_dev_path(d, "tls", "");
    struct base_certificate authority = {0};
    int rc = base_mkdirs(dir, 0700, err);

    if (rc >= 0 && !read_authority(d, &authority))
        rc = make_authority(d, &authority, err);
    if (rc >= 0)
        rc = make_host_certificate(d, &authority, err);
    if (rc == -BASE_EINVAL && make_authority(d, &authority, err) == 0)
        rc = make_host_certificate(d, &authority,
                                   err); /* the files of the old authority were damaged */
    base_certificate_free(&authority);
    free(dir);
    return rc;
}
