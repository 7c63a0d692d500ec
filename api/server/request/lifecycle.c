/* Implements the changes of state that api/server/request/lifecycle.h shows. */
#include "api/server/request/lifecycle.h"

#include "api/server/server_internal.h"

void api_park(struct api_request *rq)
{
    pthread_mutex_lock(&rq->server->lock);
    base_assert(rq->state == API_ST_HANDLING);
    rq->state = API_ST_PARKING;
    rq->parked_us = api_calls_now_us();
    pthread_mutex_unlock(&rq->server->lock);
}

bool api_client_is_gone(const struct api_request *rq)
{
    struct api_server *s = rq->server;
    bool gone;

    pthread_mutex_lock(&s->lock); /* the descriptor stays open while the request is not ABORTED */
    gone = rq->state == API_ST_ABORTED || !rq->conn || api_fd_is_reset(rq->conn->fd);
    pthread_mutex_unlock(&s->lock);
    return gone;
}

/* Moves a request from PARKED to ABORTED. Called with the lock held, which it releases for a
 * moment. */
static void abort_parked_request(struct api_server *s, struct api_request *rq)
{
    struct MHD_Connection *connection = rq->connection;

    rq->state = API_ST_ABORTED;
    api_link_remove(&rq->parked);
    s->n_parked--;
    api_link_add(&s->aborted, &rq->parked);
    s->resuming++;
    pthread_mutex_unlock(&s->lock);
    MHD_resume_connection(connection);
    pthread_mutex_lock(&s->lock);
    s->resuming--;
}

bool api_request_suspend_if_unanswered(struct api_request *rq)
{
    struct api_server *s = rq->server;
    bool suspended = false;

    pthread_mutex_lock(&s->lock);
    base_assert(rq->state == API_ST_PARKING || rq->state == API_ST_ANSWERED ||
                rq->state == API_ST_HANDLING);
    if (rq->state == API_ST_PARKING) {
        MHD_suspend_connection(rq->connection);
        rq->state = API_ST_PARKED;
        api_link_add(&s->parked, &rq->parked);
        if (++s->n_parked > s->n_parked_max)
            s->n_parked_max = s->n_parked;
        suspended = true;
        if (atomic_load(&s->stopping))
            abort_parked_request(s, rq);
    }
    pthread_mutex_unlock(&s->lock);
    return suspended;
}

/* Resumes a connection that s->resuming counts. */
static void resume_connection(struct api_server *s, struct MHD_Connection *connection)
{
    MHD_resume_connection(connection);
    pthread_mutex_lock(&s->lock);
    if (--s->resuming == 0 && atomic_load(&s->stopping))
        pthread_cond_broadcast(&s->wake);
    pthread_mutex_unlock(&s->lock);
}

/* Notes that the daemon no longer owes an answer to an ABORTED request. Called with the lock held.
 * Returns true when the caller must free the request. */
static bool settle_aborted_request(struct api_request *rq)
{
    base_assert(!rq->late_answer);
    rq->late_answer = true;
    if (rq->completed)
        api_link_remove(&rq->parked);
    return rq->completed;
}

void api_continue_handling(struct api_request *rq)
{
    struct api_server *s = rq->server;
    struct MHD_Connection *connection = NULL;
    bool last = false;

    pthread_mutex_lock(&s->lock);
    base_assert(!rq->run);
    if (rq->state == API_ST_ABORTED) {
        last = settle_aborted_request(rq);
    } else {
        if (rq->state == API_ST_PARKED) {
            api_link_remove(&rq->parked);
            s->n_parked--;
            connection = rq->connection;
            s->resuming++;
        }
        rq->state = API_ST_HANDLING;
        rq->parked_us = 0; /* from now on the time is the handler's, unless it parks, too */
    }
    pthread_mutex_unlock(&s->lock);
    if (connection)
        resume_connection(s, connection);
    if (last)
        api_request_free(rq);
}

void api_request_hand_over_reply(struct api_request *rq, struct api_reply *reply)
{
    struct api_server *s = rq->server;
    struct MHD_Connection *connection = NULL;
    bool dropped = false, last = false;

    if (s->on_answer && !rq->asks_start_id)
        s->on_answer(rq, reply->status, s->user);
    pthread_mutex_lock(&s->lock);
    api_calls_count_answer(s->calls, rq, reply->status);
    switch (rq->state) {
    case API_ST_PARKED:
        api_link_remove(&rq->parked);
        s->n_parked--;
        connection = rq->connection;
        s->resuming++;
        __attribute__((fallthrough));
    case API_ST_HANDLING:
    case API_ST_PARKING:
        rq->reply = *reply;
        rq->state = API_ST_ANSWERED;
        break;
    case API_ST_ABORTED:
        dropped = true;
        last = settle_aborted_request(rq);
        break;
    case API_ST_ANSWERED:
        base_assert(rq->state != API_ST_ANSWERED); /* the request was answered twice */
    }
    pthread_mutex_unlock(&s->lock);
    if (connection)
        resume_connection(s, connection);
    if (dropped)
        api_reply_clear(reply);
    if (last)
        api_request_free(rq);
}

enum api_state api_request_get_state(const struct api_request *rq)
{
    enum api_state state;

    pthread_mutex_lock(&rq->server->lock);
    state = rq->state;
    pthread_mutex_unlock(&rq->server->lock);
    return state;
}

void api_request_end(struct api_request *rq)
{
    struct api_server *s = rq->server;
    bool owed;

    api_request_release_memory(rq);
    if (rq->conn)
        api_conn_set_phase(rq->conn, API_PHASE_IDLE);
    pthread_mutex_lock(&s->lock);
    owed = rq->state == API_ST_ABORTED && !rq->late_answer;
    if (rq->state == API_ST_ABORTED) {
        rq->completed = true;
        rq->conn = NULL;
        if (!owed)
            api_link_remove(&rq->parked);
    }
    if (--s->n_requests == 0 && atomic_load(&s->stopping))
        pthread_cond_broadcast(&s->wake);
    pthread_mutex_unlock(&s->lock);
    if (!owed)
        api_request_free(rq);
}

void api_requests_abort_all_parked(struct api_server *s)
{
    while (s->parked.next != &s->parked)
        abort_parked_request(s, (struct api_request *)(void *)s->parked.next);
}

void api_requests_free_unanswered(struct api_server *s)
{
    while (s->aborted.next != &s->aborted) {
        struct api_request *rq = (struct api_request *)(void *)s->aborted.next;

        api_link_remove(&rq->parked);
        api_request_free(rq);
    }
}
