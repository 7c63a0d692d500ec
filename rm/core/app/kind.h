/* rm/core/app/kind.h - the two kinds of applications, jobs and plain ones, behind one table of
 * functions.
 *
 * The core runs a job's tasks itself: it starts them, counts them and knows when they are done.
 * A plain application has a master that asks for containers. Code common to both (states,
 * queues, records, containers, policies) calls the kind where they differ and knows neither. The
 * tables are in rm/core/job/job_kind.c and rm/core/master/plain_kind.c. */
#ifndef CREEL_RM_CORE_APP_KIND_H
#define CREEL_RM_CORE_APP_KIND_H

#include "rm/core/state.h"

struct rm_app_kind {
    /* What runs of it is its containers, master aside; else it is its tasks that run. */
    bool runs_containers;
    /* @accepted: The submission is durable and the state SUBMITTED. Accepts it, or ends it. */
    void (*accepted)(struct rm_core *c, struct rm_app *a);
    /* @demand: What policies see of kind @k: how much waits, runs and is done. */
    struct policy_phase (*demand)(const struct rm_app *a, enum base_task_kind k);
    /* @takes: Would it use a slot of @n? It declines while it waits for a slot near its data. */
    enum policy_take (*takes)(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                              struct rm_node *n);
    /* @offer: Offers a free slot of @n; true: taken. @no_delay: without waiting for data
     * locality. */
    bool (*offer)(struct rm_core *c, struct rm_app *a, enum base_task_kind k, struct rm_node *n,
                  bool no_delay);
    /* @attach: @n reports an unknown container, started under an earlier instance of the RM.
     * Returns it attached, or NULL if the application has no use for it. */
    struct rm_container *(*attach)(struct rm_core *c, struct rm_node *n, struct rm_app *a,
                                   const struct rm_container_report *r);
    /* @container_ended: @ct has ended and holds nothing. The kind owns it from now on, and frees
     * it. @r: the node's report, or NULL. */
    void (*container_ended)(struct rm_core *c, struct rm_app *a, struct rm_container *ct,
                            const struct rm_container_report *r);
    /* @end: Begins the end: kills what runs; the end is stored once that is gone. */
    void (*end)(struct rm_core *c, struct rm_app *a, enum rm_app_end how, const char *diagnostics);
    /* @final_stored: The record of the end is durable, and the state shows it. */
    void (*final_stored)(struct rm_core *c, struct rm_app *a);
    /* @recovered: It was read from the store, accepted and not ended: continue it. */
    void (*recovered)(struct rm_core *c, struct rm_app *a);
};

#endif
