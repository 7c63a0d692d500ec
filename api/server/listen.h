/* api/server/listen.h - the listening socket. api_open_listener() is in api/server/server.h. */
#ifndef CREEL_API_SERVER_LISTEN_H
#define CREEL_API_SERVER_LISTEN_H

#include "api/server/server.h"

/* Stores the port that @fd is bound to, and whether its address is a loopback one. Returns 0 or
 * -BASE_EIO. */
int api_listen_get_address(int fd, uint16_t *port, bool *loopback, struct base_error *err);
/* As api_open_listener(), at @host and @port instead of those in @conf; with port 0, at the port
 * @last (0: none) if that is free, since others may know it. @key: of the configuration, for the
 * log. */
int api_open_listener_at_last_port(const struct api_server_conf *conf, const char *host,
                                   int64_t port, int64_t last, const char *key,
                                   struct base_error *err);

#endif
