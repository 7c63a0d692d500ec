/* api/server/helper.h - the server's helper thread: resumes streams whose wait is over, shuts down
 * connections that are too slow or idle for too long, and gives memory back that malloc keeps. */
#ifndef CREEL_API_SERVER_HELPER_H
#define CREEL_API_SERVER_HELPER_H

#include "api/server/server.h"

int api_helper_start(struct api_server *s, struct base_error *err);
/* Asks the thread to end. Called with the lock held. */
void api_helper_request_stop(struct api_server *s);
void api_helper_join(struct api_server *s);
/* Shuts down all connections without a whole request, when the server stops. Called with the lock
 * held. */
void api_helper_shut_down_idle_connections(struct api_server *s);

#endif
