/* rm/term/lead_rules.h - decides what a ResourceManager does at each piece of news about its
 * leadership, and in which order. Pure: no thread, no clock, no I/O. The lead thread carries the
 * effects out (rm/leader/leader.c); so does the fault simulation (tests/sim/sim_lead_thread.c).
 *
 * News comes from the election's thread, from the core and from an operator, and waits in a mailbox
 * while the lead thread is busy: reading the state of a cluster, or writing what is queued, may
 * take seconds. Hence two objects:
 *
 *   struct rm_lead_news    what has been announced. An announced end counts at once: a leadership
 *                          that is over when its turn comes is never entered.
 *   struct rm_lead_rules   what the lead thread has done so far. It takes one event at a time, when
 *                          all effects of the event before have been carried out.
 *
 *                elected            activated
 *   STANDBY ----------------> ENTERING ------> ACTIVE
 *     ^  ^    (after a pause     |               |   deposed         deactivate
 *     |  |     if the previous   |               |   lease overdue   resign, then deactivate
 *     |  |     one found an      |               |   asked to resign retire, then resign
 *     |  |     unconfirmed store)|               |   process ends    retire
 *     |  +-- activation failed: -+               |
 *     |      resign                              |
 *     +------------------------------------------+
 *
 * An unconfirmed store and a low epoch have the same effects as "asked to resign", preceded by
 * RM_LEAD_FX_SET_EPOCH if the epoch is known.
 *
 * Why this order: after an orderly end ("retire") everything is written, so resigning comes last
 * and the next leader finds it. When the lease is overdue nothing may be written anyway; resigning
 * comes first, so that another ResourceManager can be elected while this one tears down. */
#ifndef CREEL_RM_TERM_LEAD_RULES_H
#define CREEL_RM_TERM_LEAD_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How long this ResourceManager claims no leadership, unless another one leads in the meantime,
 * after it has resigned because it could not read the state (UNREADABLE), or because the store was
 * empty although nodes had work (UNCONFIRMED). Afterwards it tries again, since there may be no
 * other ResourceManager. */
#define RM_LEAD_UNREADABLE_HOLD_US  60000000
#define RM_LEAD_UNCONFIRMED_HOLD_US 30000000
/* Length of the pause before a leadership is entered when the previous one found the store
 * unconfirmed: slows down two ResourceManagers that hand such a leadership to each other. */
#define RM_LEAD_PAUSE_US 5000000

/* ---- what has been announced; the caller guards it with a lock ---- */
struct rm_lead_news {
    uint64_t elections, ended; /* last leadership announced, and the last one announced as over */
    bool quitting;             /* the process is about to end */
};
/* This ResourceManager was elected. Returns the number of the leadership, or 0 when the process is
 * about to end: then the leadership must not be entered. */
uint64_t rm_lead_news_add_election(struct rm_lead_news *n);
/* Notes that every leadership announced so far is over. */
void rm_lead_news_end_leaderships(struct rm_lead_news *n);
void rm_lead_news_set_quitting(struct rm_lead_news *n);
/* Returns true when leadership @number is over, or the process is about to end. */
bool rm_lead_news_is_over(const struct rm_lead_news *n, uint64_t number);

/* ---- what the lead thread does ---- */
/* Each comment names, after a colon, the members of struct rm_lead_event that are used. */
enum rm_lead_event_kind {
    RM_LEAD_EV_ELECTED,           /* this ResourceManager was elected: over */
    RM_LEAD_EV_PAUSED,            /* result of RM_LEAD_FX_PAUSE: over */
    RM_LEAD_EV_ACTIVATED,         /* result of RM_LEAD_FX_ACTIVATE: over, code, leads */
    RM_LEAD_EV_DEPOSED,           /* the election has ended the leadership: why */
    RM_LEAD_EV_LEASE_OVERDUE,     /* rm_lease_check_overdue() returned true */
    RM_LEAD_EV_ASKED_TO_RESIGN,   /* by an operator: hold_us, why */
    RM_LEAD_EV_STORE_UNCONFIRMED, /* store empty although nodes have work: epoch_seen, why */
    RM_LEAD_EV_EPOCH_LOW,         /* nodes have obeyed an epoch above ours: epoch_seen, why */
    RM_LEAD_EV_OTHER_ACTIVE,      /* another ResourceManager, or none, is the active one now */
    RM_LEAD_EV_QUIT,
};
struct rm_lead_event {
    enum rm_lead_event_kind kind;
    bool over;          /* rm_lead_news_is_over() of the leadership, just before the step */
    bool leads;         /* code is -BASE_EVERSION, yet the lease of the leadership still holds */
    int code;           /* 0, or the error of the activation */
    int64_t hold_us;    /* how long to claim no leadership after resigning */
    int64_t epoch_seen; /* highest epoch that nodes have obeyed; -1: unknown */
    const char *why;    /* borrowed; effects of this event may refer to it */
};

/* Each comment names, after a colon, the members of struct rm_lead_effect that are set. */
enum rm_lead_effect_kind {
    RM_LEAD_FX_CLOSE_STORE,  /* close the store of the leadership that is not entered */
    RM_LEAD_FX_PAUSE,        /* wait for RM_LEAD_PAUSE_US, or until the leadership is over */
    RM_LEAD_FX_ACTIVATE,     /* read the state from the store and begin to serve */
    RM_LEAD_FX_DEACTIVATE,   /* tear the leadership down at once: why */
    RM_LEAD_FX_RETIRE,       /* end the leadership in good order, queued changes written: why */
    RM_LEAD_FX_RESIGN,       /* in the election (no effect on an RM that was deposed): hold_us */
    RM_LEAD_FX_SET_EPOCH,    /* claim no epoch below this one: epoch */
    RM_LEAD_FX_SHOW_ACTIVE,  /* ask the election for the active ResourceManager, show its address */
    RM_LEAD_FX_LOG_OVER,     /* report activation's error: the leadership ended meanwhile */
    RM_LEAD_FX_LOG_FAILURE,  /* report activation's error: the state cannot be taken over */
    RM_LEAD_FX_FAIL_PROCESS, /* no retry can help: stop the process with activation's error */
};
struct rm_lead_effect {
    enum rm_lead_effect_kind kind;
    int64_t hold_us, epoch;
    const char *why;
};
#define RM_LEAD_EFFECTS_MAX 4
struct rm_lead_effects { /* carry out in order; PAUSE and ACTIVATE, always last, have a result */
    struct rm_lead_effect v[RM_LEAD_EFFECTS_MAX];
    size_t n;
};

enum rm_lead_state { RM_LEAD_STANDBY, RM_LEAD_ENTERING, RM_LEAD_ACTIVE };
struct rm_lead_rules { /* zero-initialised: a standby */
    enum rm_lead_state state;
    /* the last leadership ended because the store was empty although nodes had work */
    bool unconfirmed;
};
/* Overwrites @out with the effects of @ev. */
void rm_lead_step(struct rm_lead_rules *r, const struct rm_lead_event *ev,
                  struct rm_lead_effects *out);

#endif
