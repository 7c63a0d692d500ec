/* nodemanager/http/framed_log.h - an answer that shows a part of a log file between two texts, sent
 * piece by piece: memory does not depend on the file's size. */
#ifndef CREEL_NODEMANAGER_HTTP_FRAMED_LOG_H
#define CREEL_NODEMANAGER_HTTP_FRAMED_LOG_H

#include "api/server/server.h"

struct nm_framed_log {
    struct base_buf head, tail;
    int fd;
    int64_t at, left;        /* the part of the file: its start, and its length */
    bool html;               /* escape the file's bytes for HTML */
    size_t head_at, tail_at; /* how much of the two texts has been sent; zero at first */
};

/* Answers 200 with the texts and the part of the file. Takes the buffers, which are zeroed, and the
 * descriptor. If the file is shorter than the part by the time it is read, the tail follows
 * earlier. */
void nm_answer_framed_log(struct api_request *rq, const char *content_type,
                          struct nm_framed_log *log);

#endif
