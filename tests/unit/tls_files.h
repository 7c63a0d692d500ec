/* tests/unit/tls_files.h - a folder with an authority's certificate, and certificates and keys of
 * hosts that it has signed, for tests of TLS. */
#ifndef CREEL_TESTS_TLS_FILES_H
#define CREEL_TESTS_TLS_FILES_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/crypto/certificate.h"
#include "base/io/io.h"
#include "base/io/tls_conf.h"
#include "tests/unit/cunit_main.h"

#define TLS_DAY 86400

static char tls_folder[] = "/tmp/creel-tls-XXXXXX";

/* Returns the path of @name in the folder, in one of 8 static buffers that are used in turn. */
static inline const char *tls_path(const char *name)
{
    static char room[8][128];
    static int next;
    char *path = room[next++ % 8];

    snprintf(path, sizeof room[0], "%s/%s", tls_folder, name);
    return path;
}

static inline void tls_write(const char *name, const struct base_buf *text, mode_t mode)
{
    struct base_error err = {0};

    CU_ASSERT_EQUAL_FATAL(
        base_file_write_atomic(tls_path(name), text->data, text->len, mode, false, &err), 0);
}

/* Makes a certificate for @hosts, valid from @from_day until @until_day (days from now), and writes
 * it to @name.pem and @name.key. @issuer NULL: makes an authority's. The caller frees it. */
static inline struct base_certificate tls_make(const char *name, const char *const *hosts,
                                               size_t hosts_n,
                                               const struct base_certificate *issuer, int from_day,
                                               int until_day)
{
    time_t now = time(NULL);
    struct base_certificate_spec spec = {.name = name,
                                         .hosts = hosts,
                                         .hosts_n = hosts_n,
                                         .from = now + (time_t)from_day * TLS_DAY,
                                         .until = now + (time_t)until_day * TLS_DAY};
    struct base_certificate c;
    struct base_error err = {0};
    char file[64];

    CU_ASSERT_EQUAL_FATAL(base_certificate_make(&spec, issuer, &c, &err), 0);
    snprintf(file, sizeof file, "%s.pem", name);
    tls_write(file, &c.certificate, 0644);
    snprintf(file, sizeof file, "%s.key", name);
    tls_write(file, &c.key, 0600);
    return c;
}

/* Makes the certificate of a host when only its files are needed. */
static inline void tls_make_host(const char *name, const char *host,
                                 const struct base_certificate *issuer, int from_day, int until_day)
{
    struct base_certificate c = tls_make(name, &host, 1, issuer, from_day, until_day);

    base_certificate_free(&c);
}

static inline void tls_make_folder(void)
{
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(tls_folder));
}

static inline void tls_remove_folder(void)
{
    (void)base_rmtree(tls_folder, NULL);
}

#endif
