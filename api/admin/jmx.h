/* api/admin/jmx.h - GET /jmx: a daemon's beans as JSON, as Hadoop's JMXJsonServlet shows them. */
#ifndef CREEL_API_ADMIN_JMX_H
#define CREEL_API_ADMIN_JMX_H

#include "api/admin/bean.h"
#include "api/server/server.h"

/* Appends the answer to the query parameters qry=@query (a name or pattern; NULL: all beans) and
 * get=@get (name::attribute; NULL: none; takes precedence over @query). */
void api_jmx_encode(const struct api_bean_service *service, const char *query, const char *get,
                    struct base_buf *out);
/* Answers GET /jmx. @any_origin: allow pages of any origin to read it, as Hadoop does. */
void api_jmx_answer(struct api_request *rq, const struct api_bean_service *service,
                    bool any_origin);

#endif
