/* rm/http/access/prepare.h - looks up the groups of callers before handlers ask for them: the name
 * service may take seconds, and a thread of the server that waits for it answers no heartbeat. */
#ifndef CREEL_RM_HTTP_ACCESS_PREPARE_H
#define CREEL_RM_HTTP_ACCESS_PREPARE_H

#include "api/server/server.h"

/* An api_prepare. @user: struct rm_backend *. */
bool rm_access_park_for_groups(struct api_request *rq, void *user);

#endif
