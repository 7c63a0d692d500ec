/* rm/http/core_call.h - what the RM's own handlers share: a parked call on its way through the
 * core, the check of an application's token, small answers. User pointer of every handler: struct
 * rm_backend *. */
#ifndef CREEL_RM_HTTP_CORE_CALL_H
#define CREEL_RM_HTTP_CORE_CALL_H

#include <stdatomic.h>

#include "api/server/server.h"
#include "rm/daemon/backend.h"

/* One request that waits for the core. Embed as the first member; allocated with base_alloc. */
struct rm_call {
    struct api_request *rq;
    struct rm_backend *b;
    struct rm_event ev;
    atomic_int refs; /* the reply's and the event's */
    /* frees what the call owns, not the call itself; may be NULL */
    void (*drop)(struct rm_call *c);
};
/* Parks the request and posts c->ev. @fn gets the call as user, answers, and must end with
 * rm_call_unref(). */
void rm_call_post(struct rm_call *c, struct rm_backend *b, struct api_request *rq, rm_reply_fn *fn);
/* The same when c->rq, parked, and c->b are set already. */
void rm_call_post_parked(struct rm_call *c, rm_reply_fn *fn);
void rm_call_unref(struct rm_call *c);

/* Answers an RM_REPLY_ERROR effect; the end of the leadership (-BASE_EVERSION) as
 * rm_standby_answer_leadership_over() does. */
void rm_api_reply_error(struct api_request *rq, const struct rm_effect *fx);
void rm_api_bad_request(struct api_request *rq,
                        const struct base_error *err); /* 400 whatever the code */
void rm_api_json(struct api_request *rq, unsigned status, struct base_buf *body);
void rm_api_no_content(struct api_request *rq);
/* Path argument @i as an application id; false: answered 400. */
bool rm_api_app_id(struct api_request *rq, unsigned i, struct base_app_id *out);
/* Does the bearer token belong to application @id? False: answered 401, 403 or 404. */
bool rm_api_authorised(struct api_request *rq, struct rm_backend *b, struct base_app_id id);
/* Appends why it waits or what it gets, in the policy's words; nothing when the policy does not
 * know it. */
void rm_api_explain(struct rm_backend *b, struct base_app_id id, struct base_buf *out);
/* Query parameter as an integer; absent keeps *out. False: answered 400. */
bool rm_api_query_int(struct api_request *rq, const char *name, int64_t min, int64_t max,
                      int64_t *out);

extern const struct api_route rm_api_jobs_routes[], rm_api_tracker_routes[], rm_api_master_routes[];
extern const struct api_route rm_api_queues_routes[], rm_api_history_routes[], rm_api_ha_routes[],
    rm_api_jmx_routes[], rm_api_relay_routes[], rm_api_nodes_routes[];
extern const size_t rm_api_jobs_routes_n, rm_api_tracker_routes_n, rm_api_master_routes_n;
extern const size_t rm_api_queues_routes_n, rm_api_history_routes_n, rm_api_ha_routes_n,
    rm_api_jmx_routes_n, rm_api_relay_routes_n, rm_api_nodes_routes_n;

#endif
