/* rm/http/yarn/write.h - what handlers that change something share: reading the body, posting an
 * event to the core, and answering its refusals. */
#ifndef CREEL_RM_HTTP_YARN_WRITE_H
#define CREEL_RM_HTTP_YARN_WRITE_H

#include <jansson.h>
#include <stdatomic.h>

#include "rm/http/yarn/yarn_internal.h"

/* The roots that YARN's decoder of submissions, queues and priorities knows, in YARN's order. */
#define YARN_SUBMISSION_ROOTS                                                                      \
    "<{}NewApplication>,<{}application-submission-context>,<{}applicationpriority>,<{}appqueue>,"  \
    "<{}container-launch-context-info>,<{}credentials-info>,<{}delegation-token>,<{}"              \
    "localresources>,"                                                                             \
    "<{}log-aggregation-context>,<{}resourceInfo>,<{}resourceInformations>,<{}resourceOption>"

/* One write: the event and everything the event points to. The event (until the core has processed
 * it) and the reply hold one reference each, which are released in either order. */
struct yarn_write {
    atomic_int refs;
    struct api_request *rq;
    struct rm_backend *b; /* set by submissions, and by handlers whose answers read the core */
    struct rm_event ev;
    /* freed with the write; caller: the user who sent the request; handlers may set the others */
    char *caller, *text, *location, *queue;
    char token[33];
    bool unmanaged;
    struct yarn_context frame; /* read by handlers whose answers need it */
};
struct yarn_write *yarn_write_new(struct api_request *rq, enum rm_event_kind kind);
/* Parks the request and posts the event. @fn gets the write as its user pointer, answers, and must
 * end with yarn_write_unref(). */
void yarn_write_post(struct yarn_write *w, struct rm_backend *b, rm_reply_fn *fn);
void yarn_write_unref(void *write);

/* Returns "<scheme and host of the request><path><slash><suffix>", which the caller frees; for a
 * request without a Host header, with the address of this RM. */
char *yarn_format_location(struct api_request *rq, struct rm_backend *b, const char *slash,
                           const char *suffix);
/* Returns true when @fx is a reply that reports an error. */
bool yarn_is_error_reply(const struct rm_effect *fx);
/* Answers an error reply: with 400 for most refusals, 403, 404 or 413 for special ones, and 503 for
 * all others. When the leadership has ended, answers as rm_standby_answer_leadership_over(). */
void yarn_answer_refusal(struct api_request *rq, const struct rm_effect *fx);
/* Parses the body, JSON or XML. @root: the root element that an XML body must have; @roots: the
 * root elements that the message about any other lists (NULL: @root). Returns the body, which the
 * caller releases with json_decref(), or NULL when it is not valid; @rq has then been answered. */
json_t *yarn_read_body(struct api_request *rq, const char *root, const char *roots);
/* The same for a resource whose JSON bodies have the root as well, {"@root":{...}}. */
json_t *yarn_read_wrapped_body(struct api_request *rq, const char *root, const char *roots);
/* Answers with a bare message, as YARN does for some refusals; the content type is JSON's or
 * XML's. */
void yarn_answer_text(struct api_request *rq, unsigned status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Answers as YARN does when its internal call is refused. @why: the reason, which YARN's own answer
 * lacks; added as a header and to the audit line. */
void yarn_answer_undeclared_throwable(struct api_request *rq, const char *why);

#endif
