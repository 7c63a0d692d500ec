/* rm/term/term.h - one leadership: what the core decided, let out by the rules of the lease and of
 * durability. Pure: no clock, no thread, no I/O. The daemon's threads drive it
 * (rm/leader/leadership.c, rm/daemon/core_thread.c) and so does the fault simulation
 * (tests/sim/sim_rm.c), as the same object code.
 *
 *    init --open--> SERVING --event, stored, timer--> SERVING
 *                      |
 *                      | deposed, or the lease is over: events are turned away, what leaves late is
 *                      refused v
 *                   dismiss --> free
 *
 * What the core wants goes one of these ways:
 *
 *    record            -> calls.store: queued for the store (rm/term/batch.h)
 *    effect without    -> carried out at once
 *      after_seq
 *    effect that waits -> calls.hold: held until durable, then rm_term_release (rm/term/outbox.h)
 *    note, history ... -> calls.tell: needs neither the lease nor the store
 *
 * Two looks at the lease enclose everything. Before the core steps: nothing may be decided when the
 * lease is over. And last of all, before an answer, an order or a change of a job's folder leaves
 * this process: the step, and the wait for the store, may have outlasted the lease. What is refused
 * then is refused for good (rm/term/lease.h), with -BASE_EVERSION, so that clients and nodes turn
 * to the next leader.
 *
 * Threads: everything belongs to the core's thread, except rm_term_leads() and rm_term_release(),
 * which the store's thread calls too. Times: lease on the monotonic clock, events on the core's
 * (rm/term/core_clock.h), microseconds. */
#ifndef CREEL_RM_TERM_TERM_H
#define CREEL_RM_TERM_TERM_H

#include <stdbool.h>
#include <stdint.h>

#include "rm/core/core.h"
#include "rm/term/lease.h"
#include "rm/term/tickets.h"

/* Text of the errors (-BASE_EVERSION) that everybody gets who meets an RM which is not the active
 * one, or not any more. */
#define RM_NOT_ACTIVE_TEXT "this ResourceManager is no longer the active one"

#define RM_TERM_TIMER_AGAIN_US                                                                     \
    20000 /* a timer after the end of the lease waits until the leadership is torn down */

struct rm_term_calls {
    void *user;
    /* End of the lease of the leadership under @epoch, as rm_lease_holds() takes it; NULL:
     * endless. */
    int64_t (*lease_us)(void *user, int64_t epoch);
    int64_t (*mono_us)(void *user); /* the clock that the lease is measured on */
    void (*store)(void *user, uint64_t seq, const struct rm_record *rec);
    /* As rm_outbox_hold() under the caller's lock; refuses by itself. False: durable already,
     * nothing is kept. */
    bool (*hold)(void *user, uint64_t after_seq, const struct rm_effect *fx, void *ticket);
    /* Each ends the wait of @ticket, which is not NULL. */
    void (*answer)(void *user, void *ticket, const struct rm_effect *fx);
    void (*refuse)(void *user, void *ticket, int code, const char *text);
    /* an answer was refused since the lease was over */
    void (*late)(void *user);
    void (*folder)(void *user, const struct rm_effect *fx);  /* JOB_SETUP, JOB_COMMIT, JOB_ABORT */
    void (*outputs)(void *user, const struct rm_effect *fx); /* MAP_OUTPUT */
    /* NOTE, HISTORY, APP_ENDED, UNCONFIRMED, EPOCH_LOW */
    void (*tell)(void *user, const struct rm_effect *fx);
};
struct rm_term {
    int64_t epoch;
    struct rm_core *core;   /* borrowed */
    struct rm_lease *lease; /* borrowed: it outlives leaderships */
    struct rm_term_calls calls;
    struct rm_effects fx;
    struct rm_tickets tickets;
    uint64_t stored_seq; /* that the core has been told of */
    int64_t wake_us;     /* core's time; 0: none wanted */
};
/* @calls is copied. */
void rm_term_init(struct rm_term *t, int64_t epoch, struct rm_lease *lease,
                  const struct rm_term_calls *calls);
/* The core has read the store; t->fx holds what rm_core_finish_recovery() wants. Lets that out;
 * events may follow. */
void rm_term_open(struct rm_term *t, struct rm_core *core);
/* May this leadership speak at this moment? Latches a refusal. */
bool rm_term_leads(const struct rm_term *t);
/* One event of a request; @ev: at_us is set, the token is not. @ticket: whoever waits for the
 * reply, NULL: nobody.
 * False: the lease is over; nothing has happened, and the caller refuses @ticket with
 * -BASE_EVERSION. */
bool rm_term_event(struct rm_term *t, struct rm_event *ev, void *ticket);
/* Everything up to @seq is durable: the core goes on. May come before or after what waited for it
 * is released. */
void rm_term_stored(struct rm_term *t, uint64_t seq, int64_t now_us);
/* Steps the core's timer if it is due; afterwards the next one is wanted at t->wake_us. */
void rm_term_timer(struct rm_term *t, int64_t now_us);
/* An effect whose wait is over. @code 0: it may leave, if the lease holds; else @ticket (NULL is
 * fine) is refused. */
void rm_term_release(const struct rm_term *t, void *ticket, const struct rm_effect *fx, int code,
                     const char *text);
/* The end: everybody who still waits for the core is refused. */
void rm_term_dismiss(struct rm_term *t, int code, const char *text);
void rm_term_free(struct rm_term *t);

#endif
