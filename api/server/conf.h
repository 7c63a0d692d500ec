/* api/server/conf.h - what the configuration says about a daemon's HTTP server: the creel.http.*
 * keys. */
#ifndef CREEL_API_SERVER_CONF_H
#define CREEL_API_SERVER_CONF_H

#include "api/server/server.h"
#include "base/conf/conf.h"

/* Fills in what the keys hold; leaves the rest of @out. -BASE_EINVAL: a value that cannot be,
 * with its key. Free what @out holds with api_conf_free(), in any case, once the server has
 * started. */
int api_conf_read(const struct base_conf *conf, struct api_server_conf *out,
                  struct base_error *err);
void api_conf_free(struct api_server_conf *conf);

#endif
