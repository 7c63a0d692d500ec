/* rm/core/master/master.h - the life of a plain application. */
#ifndef CREEL_RM_CORE_MASTER_MASTER_H
#define CREEL_RM_CORE_MASTER_MASTER_H

#include "rm/core/state.h"

/* Accepts a submitted application and begins its first attempt; fails it when it has no queue, or
 * may not use the reservation that it names. */
void rm_plain_app_accept(struct rm_core *c, struct rm_app *a);
/* Lets the master of an unmanaged attempt, which runs elsewhere, register: the attempt's record is
 * durable. */
void rm_master_set_unmanaged_launched(struct rm_core *c, struct rm_app *a);
/* Orders the launch of the master of attempt @attempt, whose record is durable. */
void rm_master_launch_stored(struct rm_core *c, struct rm_app *a, int64_t attempt);
/* Adds @ct to the allocations and ends that the master will learn of. */
void rm_master_queue_container_news(struct rm_app *a, struct rm_container *ct);
/* Implements rm_app_kind.offer (rm/core/app/kind.h) for plain applications: places the master, or a
 * container that it asks for, in a free slot of @n, or in several. Returns true when it was. @room:
 * the most slots that it may take. */
bool rm_plain_app_offer_slot(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                             struct rm_node *n, bool no_delay, int64_t room);
/* Implements rm_app_kind.takes for plain applications: returns whether the waiting master, or a
 * container that the master asks for, would use a slot of @n now. Maps of a job may wait for their
 * data; such a wait counts as if the slot had been offered. */
enum policy_take rm_plain_app_would_take_slot(struct rm_core *c, struct rm_app *a,
                                              enum base_task_kind k, struct rm_node *n);
/* Implements rm_app_kind.wide_request for plain applications. */
int32_t rm_plain_app_wide_request(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                                  struct rm_node *n);
/* Empties the news for the master, and forgets the ended containers in it, since no master will ask
 * for their ends any more. */
void rm_master_forget_unreported_ends(struct rm_core *c, struct rm_app *a);
/* Marks all containers in the news as announced, since another answer lists them, and removes the
 * live ones from the news. Ended ones stay there until their ends are reported. */
void rm_master_mark_containers_announced(struct rm_app *a);
/* Implements rm_app_kind.container_ended: queues the end for the master, or forgets the container
 * when no master will ask for it. The end of a master ends its attempt. */
void rm_master_queue_or_forget_ended_container(struct rm_core *c, struct rm_app *a,
                                               struct rm_container *ct,
                                               const struct rm_container_report *r);
/* Implements rm_app_kind.end: kills the application, whatever @how says. */
void rm_plain_app_end(struct rm_core *c, struct rm_app *a, enum rm_app_end how,
                      const char *diagnostics);
/* Fails @a, which the policy has refused: its diagnostics give the reason. */
void rm_plain_app_refuse(struct rm_core *c, struct rm_app *a);
/* Stores the end of a killed application when it has no containers left; completes that of a
 * finishing one when its master has ended. Otherwise does nothing. */
void rm_plain_app_continue_end(struct rm_core *c, struct rm_app *a);
/* Implements rm_app_kind.final_stored: kills the containers that the master has left running, and
 * retires @a unless its master still has to end. */
void rm_plain_app_clean_up_after_end(struct rm_core *c, struct rm_app *a);
/* Kills a master that has been silent for am_expiry_us, and fails its attempt unless the master had
 * finished. */
void rm_master_expire(struct rm_core *c, struct rm_app *a);
/* Call when @n has reported all its containers, or never will: fails the attempts whose master,
 * started under an earlier instance, should run on @n and was not reported. */
void rm_masters_fail_missing_on_node(struct rm_core *c, const struct rm_node *n);
/* Implements rm_app_kind.recovered: continues an application read from the store. */
void rm_plain_app_continue_recovered(struct rm_core *c, struct rm_app *a);

#endif
