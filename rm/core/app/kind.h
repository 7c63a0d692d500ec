/* rm/core/app/kind.h - the two kinds of applications, jobs and plain ones, behind one table of
 * functions.
 *
 * A job's tasks are the core's own: it starts them, counts them and knows when they are done. A
 * plain application has a master that asks for containers. What is common to both (states, queues,
 * records, containers, what policies see) asks the kind where they differ, and knows neither:
 * rm/core/job/job_kind.c and rm/core/master/plain_kind.c hold the tables. */
#ifndef CREEL_RM_CORE_APP_KIND_H
#define CREEL_RM_CORE_APP_KIND_H

#include "rm/core/state.h"

struct rm_app_kind {
    /* What runs of it is its containers, master aside; else it is its tasks that run. */
    bool runs_containers;
    /* @accepted: Its submission is durable; state SUBMITTED. Takes it on, or ends it. */
    void (*accepted)(struct rm_core *c, struct rm_app *a);
    /* @demand: What policies see of slots of kind @k: how much waits, runs, and is done. */
    struct policy_phase (*demand)(const struct rm_app *a, enum base_task_kind k);
    /* @takes: Would it use a slot of @n? One that waits for a slot near its data has declined this
     * one. */
    enum policy_take (*takes)(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                              struct rm_node *n);
    /* @offer: Uses a free slot of @n, if it likes. @no_delay: without waiting for one nearer to its
     * data. */
    bool (*offer)(struct rm_core *c, struct rm_app *a, enum base_task_kind k, struct rm_node *n,
                  bool no_delay);
    /* @attach: @n reports a container that the core does not know, started before this instance of
     * the RM. Known again from now on, or NULL: it is none of the application's. */
    struct rm_container *(*attach)(struct rm_core *c, struct rm_node *n, struct rm_app *a,
                                   const struct rm_container_report *r);
    /* @container_ended: @ct holds nothing any more. Its memory is the kind's from now on. @r: NULL
     * when no node reported. */
    void (*container_ended)(struct rm_core *c, struct rm_app *a, struct rm_container *ct,
                            const struct rm_container_report *r);
    /* @end: Begins its end: what runs is killed, and the end is stored when that is gone. */
    void (*end)(struct rm_core *c, struct rm_app *a, enum rm_app_end how, const char *diagnostics);
    /* @final_stored: The record of its end is durable, its state shows it. */
    void (*final_stored)(struct rm_core *c, struct rm_app *a);
    /* @recovered: Read from the store, accepted and not ended: goes on. */
    void (*recovered)(struct rm_core *c, struct rm_app *a);
};

#endif
