/* rm/http/listing.h - writes answers that may be long: lists of applications, nodes, jobs, tasks.
 *
 *   handler --first few items--> complete? --yes--> answered at once
 *                                    |no
 *                                    +-- sent while it is written: the client gets the first items
 *                                    |   at once, and an HTTP thread writes chunk after chunk as
 *                                    |   fast as the client takes them
 *                                    v
 *                  parked; the lists' thread writes chunk after chunk, all lists taking turns, and
 *                  answers in pieces
 *
 * A list is sent while it is written if its chunks need no disk and cannot answer an error any
 * more. An HTTP thread thus never copies, encodes or compresses more than a few items at a time,
 * and the core is locked for one chunk at a time. */
#ifndef CREEL_RM_HTTP_LISTING_H
#define CREEL_RM_HTTP_LISTING_H

#include "api/server/server.h"
#include "rm/daemon/backend.h"

enum rm_listing_next {
    RM_LISTING_MORE,
    RM_LISTING_END,      /* the list is complete and is sent with status 200 */
    RM_LISTING_ANSWERED, /* chunk() has answered the request */
};
/* Embed as the first member; allocated with base_alloc. */
struct rm_listing {
    struct api_request *rq;
    struct rm_backend *b;
    enum api_type type;
    /* Send the list while it is written. Then chunk() answers no error itself after its first call,
     * and the list owns all it needs: after that call @rq is NULL. */
    bool is_sent_while_written;
    /* Appends at most @max further items to @out, and the text before the first item of the list
     * and after the last one. */
    enum rm_listing_next (*chunk)(struct rm_listing *l, size_t max, struct base_buf *out);
    /* frees what the list owns, not the list itself; may be NULL */
    void (*drop)(struct rm_listing *l);
    /* private to rm/http/listing.c */
    struct base_buf out;
    struct api_pieces *pieces;
    size_t charged; /* bytes charged to the server's memory for bodies and long answers */
};
/* Answers l->rq with the list, now or later, and frees @l. A handler calls this last. */
void rm_listing_answer(struct rm_listing *l);

#endif
