/* api/server/answer/pieces.h - long answers, sent and freed piece by piece. How a daemon collects
 * the pieces is in api/server/server.h. */
#ifndef CREEL_API_SERVER_ANSWER_PIECES_H
#define CREEL_API_SERVER_ANSWER_PIECES_H

#include <microhttpd.h>

#include "api/server/server.h"

/* Most bytes that one turn of a server thread hands to a socket, since other connections of the
 * thread wait meanwhile. */
#define API_TURN_MAX (32 * 1024)
/* Length of the longest body that is handed to a socket whole instead: enough for the queues of a
 * large cluster, and still copied within some ten microseconds. */
#define API_ONE_SEND_MAX (256 * 1024)

/* Returns the number of bytes collected so far. */
uint64_t api_pieces_length(const struct api_pieces *p);
/* Ends the compression, if the pieces are compressed; call before they go to a server thread. */
void api_pieces_finish(struct api_pieces *p);
/* Returns a response that sends and frees the pieces (*p is NULL afterwards). @chunked: without
 * Content-Length. *@packed becomes true when the pieces are compressed. */
struct MHD_Response *api_pieces_create_response(struct api_pieces **p, bool chunked, bool *packed);
/* The same for a single body, whose memory is taken (@body is zeroed). */
struct MHD_Response *api_pieces_create_body_response(struct base_buf *body, bool chunked);

#endif
