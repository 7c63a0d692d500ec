/* api/server/answer/wadl.h - the description of a resource that Jersey sends in answer to OPTIONS.
 */
#ifndef CREEL_API_SERVER_ANSWER_WADL_H
#define CREEL_API_SERVER_ANSWER_WADL_H

#include "api/server/request/request.h"

/* The methods in the order in which Jersey lists them; API_M_COUNT of them. */
extern const enum api_method api_wadl_methods[];
/* Appends the WADL document of the matched path: its methods, the types of their bodies, and for
 * the list of applications the parameters. SOURCE: YARN 3.4.2 as recorded in tests/interop/yarn. */
void api_wadl_add_document(const struct api_request *rq, struct base_buf *out);
/* Returns the time to send as Last-Modified: that of the first call in this process. */
const char *api_wadl_get_last_modified(void);

#endif
