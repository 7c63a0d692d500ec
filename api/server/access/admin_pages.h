/* api/server/access/admin_pages.h - decides which pages outside of REST are for administrators
 * alone.
 *
 *   /logs, /logLevel               if hadoop.security.authorization is true
 *   /conf, /jmx, /stacks, /prof    if hadoop.security.instrumentation.requires.admin is true, too
 *   a change of a log level        in any case; everybody is an administrator unless yarn.admin.acl
 *                                  is set
 *
 * SOURCE: Hadoop's HttpServer2 (isInstrumentationAccessAllowed, hasAdministratorAccess), except for
 * the last line, which Hadoop treats as the first. */
#ifndef CREEL_API_SERVER_ACCESS_ADMIN_PAGES_H
#define CREEL_API_SERVER_ACCESS_ADMIN_PAGES_H

#include "api/server/server.h"
#include "base/conf/conf.h"

enum api_admin_page { API_ADMIN_LOGS, API_ADMIN_INSTRUMENTS, API_ADMIN_CHANGE };
/* Returns true, after answering 403, when the caller of @rq may not see the page or make the
 * change. Calls @is_admin only if the answer depends on it. A caller without a name is not an
 * administrator while hadoop.security.authorization is true. */
bool api_admin_refuse_page_unless_admin(struct api_request *rq, const struct base_conf *conf,
                                        enum api_admin_page page,
                                        bool (*is_admin)(struct api_request *rq, void *user),
                                        void *user);

#endif
