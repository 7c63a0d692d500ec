/* rm/http/listing.h - answers that may be long: lists of applications, nodes, jobs, tasks.
 *
 *   handler --first few items--> ends here? --yes--> answered at once
 *                                    |no
 *                                    v
 *                  parked; the lists' thread makes chunk after chunk, lists taking turns, and
 *                  answers in pieces
 *
 * So an HTTP thread never copies or encodes more than a few items, and never packs a long list. The
 * core is held for one chunk at a time. */
#ifndef CREEL_RM_HTTP_LISTING_H
#define CREEL_RM_HTTP_LISTING_H

#include "api/server/server.h"
#include "rm/daemon/backend.h"

enum rm_listing_next {
    RM_LISTING_MORE,
    RM_LISTING_END,      /* all there: what was written becomes a 200 */
    RM_LISTING_ANSWERED, /* the chunk has answered itself */
};
/* Embed as the first member; allocated with base_alloc. */
struct rm_listing {
    struct api_request *rq;
    struct rm_backend *b;
    enum api_type type;
    /* Copies at most @max items and appends them to @out, with what stands before the first and
     * after the last. */
    enum rm_listing_next (*chunk)(struct rm_listing *l, size_t max, struct base_buf *out);
    /* frees what the list owns, not the list itself; may be NULL */
    void (*drop)(struct rm_listing *l);
    /* rm/http/listing.c's own */
    struct base_buf out;
    struct api_pieces *pieces;
    size_t charged; /* bytes of the server's memory for bodies and long answers */
};
/* In a handler, as the last thing it does. Takes @l. */
void rm_listing_run(struct rm_listing *l);

#endif
