#include "rm/http/listing.h"

#include <stdlib.h>

#include "rm/leader/standby.h"

#define FIRST_ITEMS 25 /* written by the HTTP thread: about 0.2 ms */
#define CHUNK_ITEMS 8  /* written by the lists' thread at a time: about 50 us */
#define PIECE_MIN   (32 * 1024)

static void free_listing(struct rm_listing *l)
{
    if (l->drop)
        l->drop(l);
    base_buf_free(&l->out);
    api_pieces_free(l->pieces);
    free(l);
}

/* Moves the text written so far to the pieces of the answer. With @more, the last byte stays: the
 * JSON writer needs it to decide whether a comma comes next. */
static void move_text_to_pieces(struct rm_listing *l, bool more)
{
    char last = '\0';

    if (!l->pieces)
        l->pieces = api_pieces_new(l->rq);
    if (more) {
        last = l->out.data[--l->out.len];
        l->out.data[l->out.len] = '\0';
    }
    api_pieces_add(l->pieces, &l->out);
    if (more)
        base_buf_add(&l->out, &last, 1);
}

/* Charges the memory that the answer has grown by; all lists share one bound. Returns false when
 * the bound is exceeded; the request is then answered. */
static bool charge_listing_memory(struct rm_listing *l)
{
    size_t memory = api_pieces_memory(l->pieces),
           more = memory > l->charged ? memory - l->charged : 0;

    l->charged += more;
    return api_charge_answer_memory(l->rq, more);
}

static bool run_listing_step(void *user, bool stopping)
{
    struct rm_listing *l = user;
    enum rm_listing_next next;

    if (stopping || api_client_is_gone(l->rq)) {
        struct base_error err = {0};

        base_error_set(&err, -BASE_EIO, "the ResourceManager is shutting down");
        api_answer_base_error(l->rq, &err);
        free_listing(l);
        return false;
    }
    next = l->chunk(l, CHUNK_ITEMS, &l->out);
    if (next == RM_LISTING_END || (next == RM_LISTING_MORE && l->out.len >= PIECE_MIN)) {
        move_text_to_pieces(l, next == RM_LISTING_MORE);
        if (!charge_listing_memory(l)) {
            free_listing(l);
            return false;
        }
    }
    if (next == RM_LISTING_MORE)
        return true;
    if (next == RM_LISTING_END && rm_standby_is_active(l->b))
        api_answer_pieces(l->rq, 200, l->type, &l->pieces);
    else if (next == RM_LISTING_END) /* the list may mix two leaderships, or be incomplete */
        rm_standby_answer_leadership_over(l->rq, l->b, RM_NOT_ACTIVE_TEXT);
    free_listing(l);
    return false;
}

/* Writes the next chunk of a list that is being sent. A ResourceManager that has stopped leading
 * cuts the answer: the list may be incomplete, and its status has been sent. */
static enum api_write_next write_next_chunk_while_sending(void *user, struct base_buf *out)
{
    struct rm_listing *l = user;
    enum rm_listing_next next = l->chunk(l, CHUNK_ITEMS, out);

    base_assert(next != RM_LISTING_ANSWERED);
    if (!rm_standby_is_active(l->b))
        return API_WRITE_BROKEN;
    return next == RM_LISTING_END ? API_WRITE_END : API_WRITE_MORE;
}

static void free_sent_listing(void *user)
{
    free_listing(user);
}

void rm_listing_answer(struct rm_listing *l)
{
    enum rm_listing_next next = l->chunk(l, FIRST_ITEMS, &l->out);

    if (next == RM_LISTING_MORE && l->is_sent_while_written) {
        struct api_request *rq = l->rq;

        l->rq = NULL; /* the request may end before the list */
        api_answer_long_text(rq, 200, l->type, &l->out, write_next_chunk_while_sending, l,
                             free_sent_listing);
        return;
    }
    if (next == RM_LISTING_MORE) {
        api_park(l->rq);
        rm_backend_queue_slow_task(l->b, RM_SLOW_LISTS, run_listing_step, l);
        return;
    }
    if (next == RM_LISTING_END)
        api_answer(l->rq, 200, l->type, &l->out);
    free_listing(l);
}
