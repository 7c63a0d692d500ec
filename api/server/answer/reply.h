/* api/server/answer/reply.h - a finished answer, until the connection's thread sends it. */
#ifndef CREEL_API_SERVER_ANSWER_REPLY_H
#define CREEL_API_SERVER_ANSWER_REPLY_H

#include "api/server/server.h"

enum api_reply_kind { API_REPLY_BODY, API_REPLY_FILE, API_REPLY_STREAM, API_REPLY_PIECES };

struct api_reply {
    enum api_reply_kind kind;
    unsigned status;
    enum api_type type;
    /* static text; NULL: chosen by @type; a Content-Type added by the handler wins */
    const char *content_type;
    bool page;     /* the servlet engine's error page: its own Cache-Control, never compressed */
    bool uncached; /* page: without Cache-Control */
    bool final;    /* made by the server itself: Accept is not considered again */
    /* made by a gate: a HEAD answer gives the body's length; never compressed */
    bool gate;
    bool close; /* close the connection after the answer */
    struct base_buf body;
    struct api_pieces *pieces; /* PIECES: all of them */
    char *type_text;           /* FILE, STREAM: value of Content-Type; NULL: chosen by @type */
    bool compressed;           /* STREAM: the bytes are compressed already */
    int fd;                    /* FILE: this and the next two */
    uint64_t offset, len;
    int64_t (*read)(void *u, char *buf, size_t max); /* STREAM: this and the next two */
    void *u;
    void (*free_fn)(void *);
};

/* Frees what the reply owns, closes its descriptor, and zeroes the reply. */
void api_reply_clear(struct api_reply *reply);

#endif
