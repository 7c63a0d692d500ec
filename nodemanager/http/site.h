/* nodemanager/http/site.h - the NodeManager's pages for people, as one site. */
#ifndef CREEL_NODEMANAGER_HTTP_SITE_H
#define CREEL_NODEMANAGER_HTTP_SITE_H

#include "api/pages/page.h"

extern const struct api_page_site nm_site;

/* An api_handler: answers 401 with a page that leads to the one for logging in. */
void nm_page_answer_login_needed(struct api_request *rq, void *nm);
/* Answers 200 with a page that only says that something does not exist, as YARN does. */
static inline void nm_page_answer_missing(struct api_request *rq, const char *title,
                                          const char *text)
{
    api_page_answer_text(rq, 200, &nm_site, title, text);
}

#endif
