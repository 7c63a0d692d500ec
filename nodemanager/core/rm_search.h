/* nodemanager/core/rm_search.h - which ResourceManager this node talks to, for how long it waits
 * for one, and when it looks whether another one leads. Pure: no clock, no thread, no I/O; driven
 * by nodemanager/daemon/rm_link.c and by the fault simulation (tests/sim/sim_nm.c).
 *
 * One request is in flight at a time. Whom it goes to is base/conf/rm_cursor.h's choice. With
 * several RMs a dead one must be noticed soon: an active one that does not answer a heartbeat three
 * seconds after the time it may hold it is given up. One that has not answered as the active one
 * yet may park a request until it leads, and gets 10 s more.
 *
 * All this time another one may lead already: a process that is stopped, or a machine that hangs,
 * closes no connection. So the node looks around while an answer is overdue:
 *
 *   sent --answer--> judged (in time, as nearly always: nobody else was asked)
 *     |  the time it may be held, and a grace
 *     v
 *   overdue: each of the others is asked whether it leads; the request stays open
 *     |  nobody does: again after a longer grace     --answer, time-out--> as before
 *     v  one leads, under an epoch that makes the one we wait for an old leader
 *   abandoned: the request has failed, and goes to the new leader at once
 *
 * An answer that crosses the last step counts. What an abandoned RM does with the request later is
 * known by its age (sentUs) there, and by its epoch here.
 *
 * Epochs fence: an answer under a lower epoch than the highest obeyed is as good as none
 * (nm_search_judge). */
#ifndef CREEL_NODEMANAGER_CORE_RM_SEARCH_H
#define CREEL_NODEMANAGER_CORE_RM_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/conf/rm_cursor.h"

/* Beyond the time that a held request may take. One lost segment costs Linux's least retransmission
 * time-out, 200 ms (TCP_RTO_MIN), and a round trip: a leader with which all is well is not doubted
 * for that. */
#define NM_LOOK_GRACE_US INT64_C(300000)
/* The grace doubles with each look that was in vain, so that a cluster whose leader is merely slow
 * asks a standby less and less: of 1,000 nodes one comes every 2.4 to 3.6 ms then. */
#define NM_LOOK_GRACE_MAX_US INT64_C(2400000)

struct nm_search {
    struct base_rm_cursor turn;
    int64_t epoch;   /* obeyed last */
    uint64_t asked;  /* requests so far: the number of the one in flight */
    bool asking;     /* a request is in flight */
    bool in_vain;    /* a look during it has found nobody */
    int64_t look_us; /* next look, INT64_MAX: none */
    int64_t grace_us;
    const char *leader; /* the request is abandoned for this one of the list, or NULL */
};
void nm_search_init(struct nm_search *s, const struct base_rm_list *rms); /* borrowed, not empty */
void nm_search_free(struct nm_search *s);

/* ---- a request ---- */
/* How long an answer may take: to a registration, or to a heartbeat held for @hold_us. */
int64_t nm_search_timeout_us(const struct nm_search *s, bool registering, int64_t hold_us);
/* A request goes to base_rm_cursor_url(). @random, of any size, keeps nodes from looking around
 * together. */
void nm_search_sent(struct nm_search *s, bool registering, int64_t hold_us, int64_t now_us,
                    uint32_t random);

enum nm_outcome {
    NM_OUTCOME_OK,     /* HTTP 200: to be judged */
    NM_OUTCOME_MOVED,  /* 307 */
    NM_OUTCOME_ERROR,  /* any other status */
    NM_OUTCOME_SILENT, /* no connection, time-out, abandoned */
};
struct nm_retry {
    bool at_once;   /* another RM is left to be asked at once; false: pause */
    bool elsewhere; /* the next request goes to one that has not answered as the active one yet */
};
/* The request in flight has ended. @location: MOVED, "" without one. @out: unless OK. */
void nm_search_ended(struct nm_search *s, enum nm_outcome how, const char *location,
                     struct nm_retry *out);

/* ---- an answer ---- */
enum nm_worth {
    NM_WORTH_STALE,  /* of an old leader: carry nothing out */
    NM_WORTH_OBEYED, /* of the epoch that we obey */
    NM_WORTH_HIGHER, /* to be obeyed once the epoch is kept: a restart must remember it */
};
enum nm_worth nm_search_judge(int64_t epoch, int64_t obeyed);
void nm_search_good(struct nm_search *s, int64_t epoch); /* obeyed */
/* Stale, or not understood: as if the request had failed. */
void nm_search_bad(struct nm_search *s, struct nm_retry *out);

/* ---- looking around ---- */
/* The RMs to be asked in a look, one by one: the next from place *@at on, NULL at the end. */
const char *nm_search_other(const struct nm_search *s, size_t *at);
/* Request @asked is still in flight: a look on its behalf goes on. */
bool nm_search_waits(const struct nm_search *s, uint64_t asked);
/* Epoch that another one must lead under. */
int64_t nm_search_least_epoch(const struct nm_search *s);
/* Does an RM that says this of itself lead, or has it been elected and reads the state at this
 * moment? @state: of GET /ws/v1/cluster/ha. */
bool nm_search_leads(const char *state, int64_t epoch, int64_t least);
/* A look on behalf of request @asked has found @url (one of the list; NULL: nobody). True: abandon
 * the request. */
bool nm_search_looked(struct nm_search *s, uint64_t asked, const char *url, int64_t now_us,
                      uint32_t random);

#endif
