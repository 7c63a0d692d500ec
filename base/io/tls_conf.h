/* base/io/tls_conf.h - the files by which this process proves who it is and recognises others: its
 * certificate and key, and the authority that signs the certificates of the cluster. Keys:
 * yarn.http.policy (base/conf/http_policy.h) and creel.tls.*, which stand for Hadoop's
 * ssl-server.xml and ssl-client.xml with PEM files in place of Java key stores.
 *
 *   servers: api/server/tls/tls.h        clients: base_curl_set_url_and_defaults() in
 * base/io/curl.h */
#ifndef CREEL_BASE_IO_TLS_CONF_H
#define CREEL_BASE_IO_TLS_CONF_H

#include <stdbool.h>

#include "base/conf/conf.h"
#include "base/error.h"

/* Where containers find the authority's file, for creel-task and the programs of users. */
#define BASE_TLS_CA_VARIABLE "CREEL_CA_FILE"

struct base_tls_conf { /* the texts are borrowed from the configuration; "" when not set */
    bool https;        /* yarn.http.policy is HTTPS_ONLY */
    bool client_auth;  /* creel.tls.client-auth: daemons show certificates to each other */
    const char *certificate_file, *key_file, *ca_file;
};

/* Reads and checks the keys. Returns 0, or -BASE_EINVAL with the key in @err: an impossible value,
 * a certificate without its key or the reverse, or creel.tls.client-auth without HTTPS_ONLY or
 * without creel.tls.ca-file. Does not read the files. */
int base_tls_conf_read(const struct base_conf *conf, struct base_tls_conf *out,
                       struct base_error *err);

/* Sets which authority the HTTP clients of this process trust and, with @conf->client_auth, which
 * certificate they show; copies the texts. Call before the first client exists, and before other
 * threads. Without a call, and with ca_file "", clients trust the authorities of the system.
 * libcurl reads the files for each new connection, so that renewed ones are used without a restart.
 * The environment is never read here: a variable must not change whom a daemon trusts. */
void base_tls_use_for_clients(const struct base_tls_conf *conf);
/* The same for a program that only has the name of the authority's file (NULL or "": none). */
void base_tls_trust_only(const char *ca_file);
/* Returns the settings of this process's clients; borrowed, never NULL. */
const struct base_tls_conf *base_tls_of_clients(void);

#endif
