/* api/admin/log_level.h - GET /logLevel: reads and changes which events the daemon logs, as
 * Hadoop's servlet of that name does for its `yarn daemonlog`.
 *
 * The names of loggers are the areas of Creel's log ("http", "audit"). The daemon's package in
 * YARN, and every package around it, stand for all areas, so that a level set for
 * org.apache.hadoop.yarn applies to the daemon; "PACKAGE.http" is the area "http". Names of other
 * packages are remembered, as in Java, but nothing is logged under them. */
#ifndef CREEL_API_ADMIN_LOG_LEVEL_H
#define CREEL_API_ADMIN_LOG_LEVEL_H

#include "api/server/server.h"

#define API_LOG_NAME_MAX 256

/* Answers. @package: that of the daemon in YARN,
 * "org.apache.hadoop.yarn.server.resourcemanager". */
void api_log_level_answer(struct api_request *rq, const char *package);
/* Returns what base/io/log calls the logger @name: "" for all areas. Borrowed from @name, or
 * static. */
const char *api_log_level_find_area(const char *name, const char *package);

#endif
