/* rm/core/app/kind.h - one table of functions for each of the two kinds of application: jobs and
 * plain applications.
 *
 * The core runs a job's tasks itself: it starts them, counts them and knows when they are done. A
 * plain application has a master that asks for containers. Code for both kinds (states, queues,
 * records, containers, policies) calls these functions where the kinds differ. The tables are in
 * rm/core/job/job_kind.c and rm/core/master/plain_kind.c. */
#ifndef CREEL_RM_CORE_APP_KIND_H
#define CREEL_RM_CORE_APP_KIND_H

#include "rm/core/state.h"

struct rm_app_kind {
    /* Running work is counted in containers other than the master; if false, in tasks. */
    bool runs_containers;
    /* @accepted: The submission is durable, and the state is SUBMITTED. Accepts or ends the
     * application. */
    void (*accepted)(struct rm_core *c, struct rm_app *a);
    /* @demand: Returns what policies see of kind @k: how many slots the tasks or containers take
     * that are pending, running and done. */
    struct policy_phase (*demand)(const struct rm_app *a, enum base_task_kind k);
    /* @takes: Returns whether @a would use a slot of @n. A job declines while it waits for a slot
     * near its data. */
    enum policy_take (*takes)(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                              struct rm_node *n);
    /* @offer: Offers a free slot of @n. Returns true when a container was placed or resumed in it.
     * @no_delay: do not wait for data locality. @room: the most slots that it may take; one that
     * needs more of them than are free may have @n reserved (rm/core/node/reserved.h). */
    bool (*offer)(struct rm_core *c, struct rm_app *a, enum base_task_kind k, struct rm_node *n,
                  bool no_delay, int64_t room);
    /* @wide_request: Returns how many slots of @n the first request of @a takes that it would place
     * there, whether or not they are free; 0: it declines. */
    int32_t (*wide_request)(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                            struct rm_node *n);
    /* @attach: @n registers and reports an unknown container, usually one that was started under an
     * earlier instance of the RM. Attaches and returns it, or returns NULL when the application has
     * no use for it. */
    struct rm_container *(*attach)(struct rm_core *c, struct rm_node *n, struct rm_app *a,
                                   const struct rm_container_report *r);
    /* @container_ended: @ct has ended and holds no slot. The kind owns @ct from now on, and has to
     * free it. @r: the node's report, or NULL. */
    void (*container_ended)(struct rm_core *c, struct rm_app *a, struct rm_container *ct,
                            const struct rm_container_report *r);
    /* @end: Begins to end the application: kills its containers; when they are gone, the end is
     * stored. */
    void (*end)(struct rm_core *c, struct rm_app *a, enum rm_app_end how, const char *diagnostics);
    /* @priority_changed: The priority was changed by a user. NULL: nothing to do. */
    void (*priority_changed)(struct rm_core *c, struct rm_app *a);
    /* @final_stored: The record of the end is durable, and the state has just changed to the target
     * state. Cleans up. */
    void (*final_stored)(struct rm_core *c, struct rm_app *a);
    /* @forgotten: The ended application exceeds the bounds on ended ones and is removed next. NULL:
     * nothing to do. */
    void (*forgotten)(struct rm_core *c, struct rm_app *a);
    /* @recovered_ended: The application was read from the store in a final state. Retires it. */
    void (*recovered_ended)(struct rm_core *c, struct rm_app *a);
    /* @recovered: The application was read from the store in a state after NEW_SAVING, and has not
     * ended. Continues it. */
    void (*recovered)(struct rm_core *c, struct rm_app *a);
};

#endif
