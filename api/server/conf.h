/* api/server/conf.h - reads the configuration of a daemon's HTTP server: the creel.http.* keys, the
 * keys for authentication and TLS, and Hadoop's for the names of callers and for pages of other
 * sites. */
#ifndef CREEL_API_SERVER_CONF_H
#define CREEL_API_SERVER_CONF_H

#include "api/server/server.h"
#include "base/conf/conf.h"

/* @daemon: "resourcemanager" or "nodemanager", as in the names of keys. Sets the members of @out
 * that have keys, and no others. Returns 0, or a negative BASE_E* with the key of the setting in
 * @err. In either case free what @out holds with api_conf_free(): after a success, once the server
 * has started. out->hosts, auth, cors, kerberos and tls must be NULL before the call; @conf must
 * outlive the server. */
int api_conf_read(const struct base_conf *conf, const char *daemon, struct api_server_conf *out,
                  struct base_error *err);
void api_conf_free(struct api_server_conf *conf);

#endif
