/* api/server/request/lifecycle.h - the life of a request: handled, parked, answered, completed.
 *
 * All edges are taken under server->lock. "MHD" is the thread of libmicrohttpd that owns the
 * connection.
 *
 *            +------------------- answer in the handler ---------------------+
 *            |                                                               v
 *   (new) HANDLING --api_park()--> PARKING --answer by a thread--> ANSWERED --MHD sends--> gone
 *                                    |                                ^
 *                       handler returns: MHD suspends                 | resume
 *                                    v                                |
 *                                  PARKED ---------- answer ----------+
 *                                    |
 *                               server stops: resume, MHD sends 503
 *                                    v
 *                                 ABORTED --late answer--> dropped; freed when both have happened
 *
 * api_continue_handling() takes a request that was parked before its handler from PARKING or PARKED
 * back to HANDLING; MHD, resumed, then runs the handler.
 *
 * PARKING exists because the answer may come before the handler has returned; then MHD never
 * suspends. The suspend happens before the edge to PARKED, so a thread that sees PARKED may resume.
 * `reply` is written by the answering thread before the edge to ANSWERED and read by MHD after it.
 * In ABORTED the two sides share nothing but the lock. PARKED requests are listed in
 * server->parked, ABORTED ones in server->aborted.
 *
 * A client that disconnects ends neither PARKING nor PARKED: libmicrohttpd does not look at
 * suspended connections, so the request stays PARKED until it is answered or the server stops. A
 * request ends with api_request_end(), when libmicrohttpd has sent the answer (a client may
 * have it before that) or the connection is closed. An ABORTED request is then marked `completed`.
 */
#ifndef CREEL_API_SERVER_REQUEST_LIFECYCLE_H
#define CREEL_API_SERVER_REQUEST_LIFECYCLE_H

#include "api/server/request/request.h"

/* Answers the request, from any thread, exactly once: takes what @reply owns and, if the request is
 * parked, resumes its connection. The caller must not touch @rq afterwards: another thread may have
 * freed it. */
void api_request_hand_over_reply(struct api_request *rq, struct api_reply *reply);
/* Reads the state under the lock. */
enum api_state api_request_get_state(const struct api_request *rq);
/* Call when the handler has parked the request and returned. Returns true when the connection was
 * suspended: MHD will handle the request again, and another thread may have freed it by now.
 * Returns false when the request was answered or continued meanwhile. */
bool api_request_suspend_if_unanswered(struct api_request *rq);
/* Call when MHD has finished with the request. Frees it, unless the daemon still owes an answer. */
void api_request_end(struct api_request *rq);
/* Moves all parked requests to ABORTED, so that MHD sends 503. Called with the lock held, which is
 * released now and then. */
void api_requests_abort_all_parked(struct api_server *s);
/* Frees the requests that the daemon never answered, once libmicrohttpd's threads are joined. */
void api_requests_free_unanswered(struct api_server *s);

#endif
