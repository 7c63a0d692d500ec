/* api/server/answer/stream.h - answers whose bytes are made while they are sent; a stream without
 * bytes is suspended and costs no thread. */
#ifndef CREEL_API_SERVER_ANSWER_STREAM_H
#define CREEL_API_SERVER_ANSWER_STREAM_H

#include "api/server/request/request.h"

/* Returns a response that calls the reply's read function for its bytes; the stream now owns what
 * the reply's free function frees. */
struct MHD_Response *api_stream_create_response(struct api_request *rq);
/* Resumes the streams whose wait is over at @now. Called with the lock held. Returns when the next
 * wait ends, INT64_MAX when no stream is left waiting. */
int64_t api_streams_resume_due(struct api_server *s, int64_t now);

#endif
