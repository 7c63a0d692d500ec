/* rm/core/master/master.h - the life of a plain application. */
#ifndef CREEL_RM_CORE_MASTER_MASTER_H
#define CREEL_RM_CORE_MASTER_MASTER_H

#include "rm/core/state.h"

void rm_plain_app_accept(struct rm_core *c, struct rm_app *a);
void rm_master_set_unmanaged_launched(struct rm_core *c, struct rm_app *a);
void rm_masters_activate_waiting(struct rm_core *c);
void rm_master_deactivate(struct rm_core *c, struct rm_app *a);
void rm_master_launch_stored(struct rm_core *c, struct rm_app *a, int64_t attempt);
/* Adds it to what the master will be told. */
void rm_master_queue_container_news(struct rm_app *a, struct rm_container *ct);
bool rm_plain_app_offer_slot(struct rm_core *c, struct rm_app *a, enum base_task_kind k,
                             struct rm_node *n, bool no_delay);
void rm_master_forget_unreported_ends(struct rm_core *c, struct rm_app *a);
/* Marks everything waiting for the master as announced; ends are still to be told. */
void rm_master_mark_containers_announced(struct rm_app *a);
void rm_master_queue_or_forget_ended_container(struct rm_core *c, struct rm_app *a,
                                               struct rm_container *ct,
                                               const struct rm_container_report *r);
void rm_plain_app_end(struct rm_core *c, struct rm_app *a, enum rm_app_end how,
                      const char *diagnostics);
void rm_plain_app_continue_end(struct rm_core *c, struct rm_app *a);
void rm_plain_app_clean_up_after_end(struct rm_core *c, struct rm_app *a);
void rm_master_expire(struct rm_core *c, struct rm_app *a);
void rm_masters_fail_missing(struct rm_core *c, const struct rm_node *n);
void rm_plain_app_resume(struct rm_core *c, struct rm_app *a);

#endif
