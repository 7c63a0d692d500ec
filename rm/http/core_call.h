/* rm/http/core_call.h - functions that the RM's handlers share: parking a request until the core
 * replies, checking an application's token, reading arguments, short answers. The user pointer of
 * every handler is a struct rm_backend *. */
#ifndef CREEL_RM_HTTP_CORE_CALL_H
#define CREEL_RM_HTTP_CORE_CALL_H

#include <stdatomic.h>

#include "api/server/server.h"
#include "rm/daemon/backend.h"
#include "rm/http/routes.h"

/* One request that waits for the core. Embed as the first member; allocated with base_alloc. */
struct rm_call {
    struct api_request *rq;
    struct rm_backend *b;
    struct rm_event ev;
    atomic_int refs; /* one each for the reply and the posted event */
    /* frees what the call owns, not the call itself; may be NULL */
    void (*drop)(struct rm_call *c);
};
/* Parks @rq and posts c->ev to the core. @fn receives the call as its user pointer with the core's
 * reply; it must answer c->rq and then call rm_call_unref(). */
void rm_call_post(struct rm_call *c, struct rm_backend *b, struct api_request *rq, rm_reply_fn *fn);
/* The same for a call whose c->rq is parked and whose c->b is set already. */
void rm_call_post_parked(struct rm_call *c, rm_reply_fn *fn);
void rm_call_unref(struct rm_call *c); /* the last reference frees the call */

/* Answers @rq with the error of an RM_REPLY_ERROR effect. When the leadership has ended
 * (-BASE_EVERSION), answers as rm_standby_answer_leadership_over(). */
void rm_api_answer_core_error(struct api_request *rq, const struct rm_effect *fx);
void rm_api_answer_bad_request(struct api_request *rq,
                               const struct base_error *err); /* 400, whatever the code of @err */
void rm_api_answer_json(struct api_request *rq, unsigned status, struct base_buf *body);
void rm_api_answer_no_content(struct api_request *rq);
/* Reads path argument @i as an application id. Returns false when it is not one; @rq is then
 * answered with 400. */
bool rm_api_read_app_id(struct api_request *rq, unsigned i, struct base_app_id *out);
/* Returns true when @rq has the token of a living container of application @id. Otherwise answers
 * @rq with 403 and returns false. */
bool rm_api_check_token_of_app_container(struct api_request *rq, struct rm_backend *b,
                                         struct base_app_id id);
/* Appends why application @id waits, as rm_view_explain_wait() does; nothing for an unknown
 * application. */
void rm_api_explain_wait(struct rm_backend *b, struct base_app_id id, struct base_buf *out);
/* Reads query parameter @name as an integer; *@out keeps its value when the parameter is absent.
 * Returns false when the value is invalid; @rq is then answered with 400. */
bool rm_api_read_query_int(struct api_request *rq, const char *name, int64_t min, int64_t max,
                           int64_t *out);

#endif
