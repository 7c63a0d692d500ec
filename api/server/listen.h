/* api/server/listen.h - the listening socket. api_open_listener() is in api/server/server.h. */
#ifndef CREEL_API_SERVER_LISTEN_H
#define CREEL_API_SERVER_LISTEN_H

#include "api/server/server.h"

/* Stores the port that @fd is bound to, and whether its address is a loopback one. Returns 0 or
 * -BASE_EIO. */
int api_listen_get_address(int fd, uint16_t *port, bool *loopback, struct base_error *err);

#endif
