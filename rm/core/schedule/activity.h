/* rm/core/schedule/activity.h - records what becomes of free slots, for people who ask why an
 * application waits (YARN's scheduler activities).
 *
 * Nothing is recorded until a reader asks (RM_EV_RECORD_ACTIVITIES): for the next round of a node,
 * for a number of rounds, or for an application's rounds during some time. A round is one offer of
 * the free slots of one node: of all of them in its heartbeat, or of one slot when work arrives
 * between heartbeats. The newest rounds are kept until the leadership ends. Without such requests,
 * recording costs one test of rm_core.recording per offer. */
#ifndef CREEL_RM_CORE_SCHEDULE_ACTIVITY_H
#define CREEL_RM_CORE_SCHEDULE_ACTIVITY_H

#include "rm/core/state.h"

#define RM_ROUNDS_KEPT         512
#define RM_ROUND_OFFERS_MAX    200 /* further offers of the same round are not recorded */
#define RM_RECORD_REQUESTS_MAX 64  /* nodes to be recorded, and readers that wait, each */
#define RM_APP_WATCHES_MAX     16  /* beyond this number, the watch that ends first is dropped */

struct rm_round_offer { /* a slot offered to an application */
    struct base_app_id app;
    uint32_t queue; /* index; RM_NONE */
    int32_t app_priority, request_priority;
    int64_t allocation_request_id; /* -1: none */
    struct base_container_id container;
    bool taken;         /* the application took the slot */
    bool has_container; /* a container was allocated, rather than a suspended one resumed */
    bool waits_for_locality;
    bool wants_nothing; /* no slot was offered: it runs without demand in a queue that has some */
};
struct rm_round {
    uint64_t number; /* from 1; 0: an unused place */
    int64_t at_us;
    char *node_id;
    bool full; /* the node had no free slot for which there was work */
    struct rm_round_offer *offers;
    size_t offers_n, offers_cap;
    uint32_t *wanting; /* indexes of queues that wanted slots when it began */
    size_t wanting_n, wanting_cap;
};
struct rm_record_request {
    char *node_id;  /* to be recorded next; NULL for a reader */
    uint64_t token; /* reader: to be answered after the round @until */
    uint64_t until; /* number of a round */
    /* When a reader is answered at the latest (rm_core_conf.activities_wait_us), or the wait for
     * the node ends. */
    int64_t give_up_us;
};
struct rm_app_watch { /* rounds in which @app is offered a slot are kept until @until_us */
    struct base_app_id app;
    int64_t until_us;
};
struct rm_activities {                      /* allocated by the first request */
    struct rm_round rounds[RM_ROUNDS_KEPT]; /* round i is at (i - 1) % RM_ROUNDS_KEPT */
    uint64_t last;                          /* number of the newest round */
    struct rm_round *open;                  /* the round that is being recorded; NULL: none */
    bool open_is_kept; /* keep it even if no watched application was offered a slot */
    bool any_next;     /* the next round is to be kept, whatever its node */
    int64_t log_until_us;
    struct rm_app_watch watches[RM_APP_WATCHES_MAX];
    size_t watches_n;
    struct rm_record_request nodes[RM_RECORD_REQUESTS_MAX], readers[RM_RECORD_REQUESTS_MAX];
    size_t nodes_n, readers_n;
    struct rm_timer timer; /* of the readers */
};

/* Begin and end a round of @n. Call them only while rm_core.recording, and rm_activity_note_offer()
 * between them: @taken says whether @a took the slot. */
void rm_activity_begin_round(struct rm_core *c, const struct rm_node *n);
void rm_activity_note_offer(struct rm_core *c, const struct rm_app *a, enum base_task_kind k,
                            bool taken);
void rm_activity_end_round(struct rm_core *c);
/* Answers the readers whose time is over with the rounds recorded so far. */
void rm_activity_answer_overdue_readers(struct rm_core *c);
/* Gives queues in the rounds their new indexes: @to, by old index; -1: the queue is gone. */
void rm_activity_renumber_queues(struct rm_core *c, const int32_t *to);
void rm_activity_free(struct rm_core *c);

#endif
