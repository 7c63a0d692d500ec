/* api/server/answer/send.h - sends answers, on the connection's own thread only. */
#ifndef CREEL_API_SERVER_ANSWER_SEND_H
#define CREEL_API_SERVER_ANSWER_SEND_H

#include "api/server/request/request.h"

/* Sends the reply of an ANSWERED request. Returns MHD_NO when the connection has to be closed. */
enum MHD_Result api_send_reply(struct api_request *rq);
/* Sends 503 for an ABORTED request without reading members that the daemon may still write. Returns
 * MHD_NO when the connection has to be closed. */
enum MHD_Result api_send_stopping_error(struct api_request *rq);

#endif
