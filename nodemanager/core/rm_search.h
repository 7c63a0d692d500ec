/* nodemanager/core/rm_search.h - the search for the leading ResourceManager: which RM this node
 * talks to, how long it waits for an answer, and when it asks whether another RM leads. Pure: no
 * clock, no thread, no I/O; driven by nodemanager/daemon/rm_link.c and by the fault simulation
 * (tests/sim/sim_nm.c).
 *
 * One request is in flight at a time; base/conf/rm_cursor.h chooses its RM. With several RMs a dead
 * one must be noticed soon: an active RM is given up when it has not answered a heartbeat three
 * seconds after the time for which it may hold the answer. An RM that has not answered as the
 * active one yet may park a request until it leads, and gets 10 s more.
 *
 * Meanwhile another RM may lead already, since a stopped process or a hanging machine closes no
 * connection. So while an answer is overdue, the node asks the other RMs:
 *
 *   sent --answer--> judged (nearly always in time: no other RM was asked)
 *     |  after the time for which the answer may be held, and a grace
 *     v
 *   overdue: each other RM is asked whether it leads; the request stays open
 *     |  none leads: ask again after a longer grace     --answer, time-out--> as before
 *     v  one leads, under an epoch that makes the awaited RM an old leader
 *   abandoned: the request has failed, and is sent to the new leader at once
 *
 * An answer that crosses the last step counts, unless it is handled after the request's time-out
 * (nm_rm_search_answer_is_late). If an abandoned RM processes the request later, the RM notices
 * this by the request's age (sentUs), and the node notices by the epoch of the answer.
 *
 * Epochs fence: an answer under a lower epoch than the highest obeyed one is discarded
 * (nm_rm_search_judge_epoch). */
#ifndef CREEL_NODEMANAGER_CORE_RM_SEARCH_H
#define CREEL_NODEMANAGER_CORE_RM_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/conf/rm_cursor.h"

/* Grace after the time for which an answer may be held. A lost segment costs Linux's minimum
 * retransmission time-out, 200 ms (TCP_RTO_MIN), and a round trip; this alone must not cast doubt
 * on a healthy leader. */
#define NM_LOOK_GRACE_US INT64_C(300000)
/* The grace doubles, up to this value, with each look that finds no leader, so that standbys are
 * asked less and less while the leader is merely slow: with 1,000 nodes a standby then gets one
 * request every 2.4 to 3.6 ms. */
#define NM_LOOK_GRACE_MAX_US INT64_C(2400000)

struct nm_rm_search {
    struct base_rm_cursor turn;
    int64_t epoch;        /* the epoch obeyed last */
    uint64_t asked;       /* requests so far; also the number of the request in flight */
    int64_t answer_by_us; /* when the last request times out */
    bool asking;          /* a request is in flight */
    bool in_vain;         /* a look during this request has found no other leader */
    int64_t look_us;      /* time of the next look, INT64_MAX: none */
    int64_t grace_us;
    const char *leader; /* the listed RM for which the request is abandoned, or NULL */
};
void nm_rm_search_init(struct nm_rm_search *s,
                       const struct base_rm_list *rms); /* borrowed, not empty */
void nm_rm_search_free(struct nm_rm_search *s);

/* ---- a request ---- */
/* Returns how long to wait for the answer to a registration, or to a heartbeat that the RM may hold
 * for @hold_us. */
int64_t nm_rm_search_timeout_us(const struct nm_rm_search *s, bool registering, int64_t hold_us);
/* Notes that a request was sent to base_rm_cursor_url(). @random, any number, spreads the looks of
 * different nodes. */
void nm_rm_search_note_request_sent(struct nm_rm_search *s, bool registering, int64_t hold_us,
                                    int64_t now_us, uint32_t random);

enum nm_outcome {
    NM_OUTCOME_OK,     /* HTTP 200: to be judged */
    NM_OUTCOME_MOVED,  /* 307 */
    NM_OUTCOME_ERROR,  /* any other status */
    NM_OUTCOME_SILENT, /* no connection, time-out, abandoned */
};
struct nm_retry {
    bool at_once;   /* try another RM at once; false: pause first */
    bool elsewhere; /* the next RM has not answered as the active one yet */
};
/* Notes that the request in flight has ended. @location: where MOVED points, or "". Sets @out
 * unless the outcome is OK. */
void nm_rm_search_note_request_ended(struct nm_rm_search *s, enum nm_outcome how,
                                     const char *location, struct nm_retry *out);

/* ---- an answer ---- */
/* Returns true when the time-out of the last request has passed at @now_us. A node that stood still
 * meanwhile may have been declared lost, and its tasks started elsewhere: the node must not carry
 * out the orders of such an answer. */
bool nm_rm_search_answer_is_late(const struct nm_rm_search *s, int64_t now_us);
enum nm_worth {
    NM_WORTH_STALE,  /* from an old leader: carry out no order */
    NM_WORTH_OBEYED, /* under the obeyed epoch: carry out the orders */
    NM_WORTH_HIGHER, /* store the epoch first, as a restart must remember it; then carry out */
};
/* Compares an answer's epoch with the highest obeyed one. */
enum nm_worth nm_rm_search_judge_epoch(int64_t epoch, int64_t obeyed);
/* Notes that an answer under @epoch was accepted. */
void nm_rm_search_note_good_answer(struct nm_rm_search *s, int64_t epoch);
/* Notes that the answer was late, stale or unreadable; this counts as a failed request. Sets
 * @out. */
void nm_rm_search_note_bad_answer(struct nm_rm_search *s, struct nm_retry *out);

/* ---- looks: asking the other RMs while an answer is overdue ---- */
/* Iterates over the RMs to ask in a look: returns the next one from place *@at on (0 at first) and
 * advances *@at; NULL at the end. */
const char *nm_rm_search_next_rm_but_current(const struct nm_rm_search *s, size_t *at);
/* Returns true if request @asked is still in flight, so that a look for it goes on. */
bool nm_rm_search_is_request_in_flight(const struct nm_rm_search *s, uint64_t asked);
/* Returns the lowest epoch under which another RM counts as the new leader. */
int64_t nm_rm_search_least_leader_epoch(const struct nm_rm_search *s);
/* Returns true when an RM with this answer to GET /ws/v1/cluster/ha leads under an epoch of at
 * least @least, or has just been elected and is reading the state ("initializing", with any
 * epoch). */
bool nm_rm_search_state_is_leader(const char *state, int64_t epoch, int64_t least);
/* Notes the result of a look for request @asked: the leader's @url (borrowed from the list), or
 * NULL if no RM leads. Returns true when the request must be abandoned; false also if it is no
 * longer in flight, in which case the result is ignored. */
bool nm_rm_search_note_look_result(struct nm_rm_search *s, uint64_t asked, const char *url,
                                   int64_t now_us, uint32_t random);

#endif
