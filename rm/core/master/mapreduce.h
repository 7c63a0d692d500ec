/* rm/core/master/mapreduce.h - MapReduce applications as jobs: what policies are told of the maps
 * and reduces that Hadoop's master asks for.
 *
 * Hadoop's master runs its tasks itself. Which kind a container is for tells the priority of the
 * ask:
 *
 *     20, 19  map                        5   map that has failed before
 *     10      reduce                     others: no task
 *
 * A plain application of type MAPREDUCE is shown to policies as an application until its master has
 * asked for tasks, and from then on as a job (policy_job.is_job), until its attempt ends:
 *
 *     application --asks for tasks--> waits --policy admits--> job --attempt ends--> application
 *                                       |
 *                                       +--policy refuses--> FAILED, with the earliest date
 *
 * An application whose job was promised a date is no job either between its attempts and after a
 * failover, until its new master has asked for maps. Meanwhile the policy does not keep the slots
 * that it has promised, and may give them to others.
 *
 *   slots      Maps take map slots and reduces take reduce slots; a reduce takes a map slot where
 *              there are no reduce slots at all. A resource that names reduce slots decides itself.
 *
 *   counts     total = waiting + running + done + owed, in slots. A container is done when it has
 *              ended with exit code 0, and otherwise owed until its master asks again for as many,
 *              or has acknowledged the end without asking. A new ask of priority 5 that no owed
 *              container explains takes back a map that was counted as done. Containers that the
 *              master releases since it had too many are owed for a heartbeat, too. The reduces of
 *              the tag creel-reduces=N count from the beginning; without it the reduce phase is as
 *              large as the asks so far, since a master asks for reduces when some maps are done.
 *
 *   maps done  No map waits, runs or is owed. Until then reduces are held back under a policy whose
 *              reduces start last (policy_ops.reduces_last); otherwise their start is the master's
 *              choice (mapreduce.job.reduce.slowstart.completedmaps).
 *
 *   samples    A container that ends with exit code 0 is a sample of its kind: from its start here
 *              to its end here, a reduce from the end of the maps on. Its bytes are unknown, and so
 *              is its progress, which only the master knows.
 *
 *   locality   Maps whose asks name hosts or racks take part in delay scheduling.
 *
 *   preemption Containers are killed, or left alone; they are never suspended, wherever they run. A
 *              stopped task would not answer its master, which counts ten minutes of silence as a
 *              failure (mapreduce.task.timeout) and starts a second attempt of a task that seems
 *              slow; reduces that fetch from it would time out. A kill by the policy costs only the
 *              work: the exit code -102 is no failure for Hadoop's master. So under HFSP with
 *              hfsp.preemption=eager others wait for such containers.
 *
 *   deadline   The tag creel-deadline-s=S gives a deadline, S seconds after the submission. A
 *              policy that admits jobs (RTMR, DC) is asked when the master has asked for its maps:
 *              at the first allocate that adds none. Until then no container is given. It is asked
 *              once; after a failover not again if it has promised, or if containers are running.
 *
 * Nothing of this is recorded but type and tags, with the submission, and the promise: a master
 * that registers again after a failover asks again for all that is left. */
#ifndef CREEL_RM_CORE_MASTER_MAPREDUCE_H
#define CREEL_RM_CORE_MASTER_MAPREDUCE_H

#include "policies/common/delay.h"
#include "policies/policy.h"
#include "rm/core/core.h"

struct rm_app;
struct rm_ask_group;
struct rm_container;
struct rm_core;

struct rm_mapreduce {
    bool applies;      /* the application has this type */
    bool waits;        /* its asks wait: the policy is to be asked when all maps are known */
    bool admitted;     /* it has been shown as a job: the policy is not asked again */
    bool reduces_held; /* its reduces wait for the end of its maps */
    int32_t done[BASE_TASK_KINDS], owed[BASE_TASK_KINDS]; /* slots of containers of this attempt */
    int32_t width[BASE_TASK_KINDS]; /* slots of a container, as asked last; 0: not asked yet */
    int32_t numbered;    /* containers that have got a number (rm_container.task_attempt) */
    int64_t maps_before; /* slots of the maps that waited at the last allocate */
    int64_t map_end_us;  /* end of the map that ended last */
};
/* What a master wants before it asks for more: slots by kind, and of them those of failed maps. */
struct rm_mapreduce_wanted {
    int64_t slots[BASE_TASK_KINDS], failed_maps;
};

/* Returns the kind of slot for a container of @a with this priority and resource, where there are
 * @reduce_slots reduce slots. */
enum base_task_kind rm_mapreduce_slot_kind(const struct rm_app *a, int32_t priority,
                                           const struct rm_res *r, int64_t reduce_slots);
struct rm_mapreduce_wanted rm_mapreduce_wanted(const struct rm_app *a);
/* Call when the asks of the master have been put into its table; @before: what it wanted before.
 * Returns false when the policy has refused @a: its diagnostics give the reason, and the caller has
 * to end it. */
bool rm_mapreduce_update(struct rm_core *c, struct rm_app *a,
                         const struct rm_mapreduce_wanted *before);
/* Completes the counts that policies see of a MapReduce application. @p: as for any application. */
void rm_mapreduce_adapt_demand(const struct rm_app *a, enum base_task_kind k,
                               struct policy_phase *p);
/* Call for each new container that is not a master's, before the demand of @a is updated. */
void rm_mapreduce_note_container_begin(struct rm_core *c, struct rm_app *a,
                                       struct rm_container *ct);
/* Call when such a container has ended, before the demand of @a is updated. */
void rm_mapreduce_note_container_end(struct rm_core *c, struct rm_app *a,
                                     const struct rm_container *ct);
/* Holds the reduces back, or lets them start, as the policy now in force wants it. */
void rm_mapreduce_update_reduces(struct rm_core *c, struct rm_app *a);
/* The attempt has ended: policies see an application again. What they have learned stays. */
void rm_mapreduce_end_attempt(struct rm_core *c, struct rm_app *a);
/* Returns true when a container of @g has to wait for a node nearer to the data that it asks for.
 * @level: the locality of the offered node. */
bool rm_mapreduce_waits_for_locality(struct rm_core *c, struct rm_app *a,
                                     const struct rm_ask_group *g, enum delay_level level,
                                     bool no_delay);
/* Returns whether a map of @g would use a slot with locality @level. */
enum policy_take rm_mapreduce_would_take(struct rm_core *c, struct rm_app *a,
                                         const struct rm_ask_group *g, enum delay_level level);

#endif
