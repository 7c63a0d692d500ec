/* api/admin/web_root.h - resources at the root of Hadoop's web servers, besides the pages. */
#ifndef CREEL_API_ADMIN_WEB_ROOT_H
#define CREEL_API_ADMIN_WEB_ROOT_H

#include "api/server/server.h"

/* Answers GET / with 302 to the page @path ("/cluster"), with the request's query. @address:
 * host:port for clients that do not say how they address this server. */
void api_web_root_redirect(struct api_request *rq, const char *path, const char *address);
/* Answers GET /robots.txt: robots may read nothing. */
void api_web_root_answer_robots(struct api_request *rq);
/* Answers GET /prof, Hadoop's profiler of Java programs: 404 with a text. */
void api_web_root_answer_no_profiler(struct api_request *rq);

#endif
