/* rm/term/term.h - one leadership: steps the core, and carries its effects out by the rules of the
 * lease and of durability. Pure: no clock, no thread, no I/O. The daemon's threads drive the
 * leadership (rm/leader/leadership.c, rm/daemon/core_thread.c), and so does the fault simulation
 * (tests/sim/sim_lead.c), as the same object code.
 *
 *    init --open--> SERVING --step_request, step_stored, step_timer--> SERVING
 *                      |
 *                      | deposed, or the lease is over: requests are turned away,
 *                      v                                late answers are refused
 *                 refuse_waiting --> free
 *
 * An effect of the core goes one of these ways:
 *
 *    record                     calls.store: queued for the store (rm/term/batch.h)
 *    effect without after_seq   carried out at once
 *    effect with after_seq      calls.hold: held until the record is durable (rm/term/outbox.h),
 *                               then rm_term_release_effect()
 *    note, history ...          calls.tell: needs neither the lease nor the store
 *
 * The lease is checked twice. Before the core steps: nothing may be decided when the lease is over.
 * And last of all, before an answer or an order leaves this process: the step, or the wait for the
 * store, may have outlasted the lease. Such a refusal is final (rm/term/lease.h) and has code
 * -BASE_EVERSION, so that clients and nodes turn to the next leader.
 *
 * Threads: the core's thread calls these functions; before it starts and after it has ended, the
 * thread that begins or ends the leadership does. Only rm_term_leads() and rm_term_release_effect()
 * may be called on the store's thread at the same time. Times are in microseconds: those of the
 * lease on the monotonic clock, those of events on the core's (rm/term/core_clock.h). */
#ifndef CREEL_RM_TERM_TERM_H
#define CREEL_RM_TERM_TERM_H

#include <stdbool.h>
#include <stdint.h>

#include "rm/core/core.h"
#include "rm/term/lease.h"
#include "rm/term/tickets.h"

/* Text of the error (-BASE_EVERSION) for requests to an RM that is not, or no longer, the active
 * one. */
#define RM_NOT_ACTIVE_TEXT "this ResourceManager is no longer the active one"

/* After this time a timer that came due after the end of the lease is tried again, until the
 * leadership is torn down. */
#define RM_TERM_TIMER_AGAIN_US 20000

struct rm_term_calls {
    void *user;
    /* Returns the end of the lease of the leadership under @epoch, for rm_lease_holds(). NULL: the
     * lease never ends. */
    int64_t (*lease_us)(void *user, int64_t epoch);
    int64_t (*mono_us)(void *user); /* returns the time on the clock of the lease */
    void (*store)(void *user, uint64_t seq, const struct rm_record *rec);
    /* Calls rm_outbox_hold() under the daemon's lock, and refuses @ticket itself where the outbox
     * refuses. Returns false when the record is durable already: then nothing is kept, and the
     * effect is carried out at once. */
    bool (*hold)(void *user, uint64_t after_seq, const struct rm_effect *fx, void *ticket);
    /* Each ends the wait of @ticket, which is not NULL. */
    void (*answer)(void *user, void *ticket, const struct rm_effect *fx);
    void (*refuse)(void *user, void *ticket, int code, const char *text);
    /* Counts an answer that was refused because the lease was over. */
    void (*late)(void *user);
    /* Wakes requests that wait for map outputs: MAP_OUTPUT. */
    void (*outputs)(void *user, const struct rm_effect *fx);
    /* Reports a fact: NOTE, HISTORY, APP_ENDED, UNCONFIRMED, EPOCH_LOW. */
    void (*tell)(void *user, const struct rm_effect *fx);
};
struct rm_term {
    int64_t epoch;
    struct rm_core *core;   /* borrowed */
    struct rm_lease *lease; /* borrowed: it outlives leaderships */
    struct rm_term_calls calls;
    struct rm_effects fx;
    struct rm_tickets tickets;
    uint64_t stored_seq; /* @seq of the last rm_term_step_stored() */
    int64_t wake_us;     /* when the core wants its timer, on its clock; 0: no timer wanted */
};
/* @calls is copied. */
void rm_term_init(struct rm_term *t, int64_t epoch, struct rm_lease *lease,
                  const struct rm_term_calls *calls);
/* Attaches @core, which stays the caller's and has read the store, and carries out the effects of
 * rm_core_finish_recovery(), which the caller has put into t->fx. Events may follow. */
void rm_term_start_with_core(struct rm_term *t, struct rm_core *core);
/* Returns true when the lease of this leadership holds at this moment. Latches a refusal. */
bool rm_term_leads(const struct rm_term *t);
/* Steps the core over the event of a request. The caller has set at_us; the token is set here.
 * @ticket: of the requester; NULL: nobody waits for the reply. Returns false when the lease is
 * over: then nothing has happened, and the caller refuses @ticket with -BASE_EVERSION. */
bool rm_term_step_request(struct rm_term *t, struct rm_event *ev, void *ticket);
/* Lets the core go on with what waited for record @seq or an earlier one to become durable, if the
 * lease holds; otherwise only remembers @seq. The effects held for these records may be released
 * before or after this call. */
void rm_term_step_stored(struct rm_term *t, uint64_t seq, int64_t now_us);
/* Steps the core's timer if it is due and the lease holds. Afterwards t->wake_us is the time for
 * the next call; 0: no timer is wanted. */
void rm_term_step_timer(struct rm_term *t, int64_t now_us);
/* Ends the wait of an effect that calls.hold kept. @code 0: the effect is durable, and leaves if
 * the lease holds. Otherwise @ticket (NULL is fine) is refused with @code and @text. */
void rm_term_release_effect(const struct rm_term *t, void *ticket, const struct rm_effect *fx,
                            int code, const char *text);
/* Refuses all requests that still wait for the core's reply. */
void rm_term_refuse_waiting(struct rm_term *t, int code, const char *text);
void rm_term_free(struct rm_term *t);

#endif
