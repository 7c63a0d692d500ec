/* api/server/answer/error.h - error answers that the server itself sends, worded as in YARN. */
#ifndef CREEL_API_SERVER_ANSWER_ERROR_H
#define CREEL_API_SERVER_ANSWER_ERROR_H

#include "api/server/request/request.h"

/* Answers 404: the page of YARN's web application, or outside of it the servlet engine's. */
void api_error_answer_not_found(struct api_request *rq);
/* Answers with the servlet engine's page, which shows @message. */
void api_error_answer_servlet_engine_page(struct api_request *rq, unsigned status,
                                          const char *message);
/* Answers a method that the path does not serve, or a body of a type that no resource reads: 405
 * with Allow for Creel's own routes, otherwise YARN's 503. */
void api_error_answer_wrong_method(struct api_request *rq);
/* Answers a body without Content-Type: YARN's 503, which names the Java class of the body. */
void api_error_answer_no_content_type(struct api_request *rq);
/* Answers 401 as Hadoop's authentication filter does: with a page, or JSON, or nothing, depending
 * on what the client accepts; the cookie is cleared. */
void api_error_answer_unauthenticated(struct api_request *rq, const char *message);
/* Keeps @why for the audit log, or logs it where there is none: the client must not read it. */
void api_error_note_refusal(struct api_request *rq, const char *why);
/* Answers 401 with the schemes by which callers may prove who they are; people who read pages get a
 * page, if the daemon has one. */
void api_error_answer_proof_needed(struct api_request *rq, const char *message);
/* Answers 403 as Hadoop's authentication filter does when the caller may not act as @as. */
void api_error_answer_may_not_act_as(struct api_request *rq, const char *as);
/* Answers OPTIONS: 200 with Allow, and a WADL document for YARN's routes. */
void api_error_answer_options(struct api_request *rq);
/* Replaces a JSON or XML reply that the client does not accept (YARN's routes only). Returns true
 * when the reply was replaced. */
bool api_error_replace_unacceptable_reply(struct api_request *rq, struct api_reply *reply);
/* Returns the status of the answer that replaces a reply which the client does not accept. */
unsigned api_error_get_unacceptable_status(const struct api_request *rq);

#endif
