/* rm/core/master/master.h - the life of a plain application. */
#ifndef CREEL_RM_CORE_MASTER_MASTER_H
#define CREEL_RM_CORE_MASTER_MASTER_H

#include "rm/core/state.h"

void rm_am_accept(struct rm_core *c, struct rm_app *a);
void rm_am_on_unmanaged_stored(struct rm_core *c, struct rm_app *a);
void rm_am_activate_waiting(struct rm_core *c);
void rm_am_deactivate(struct rm_core *c, struct rm_app *a);
void rm_am_on_master_stored(struct rm_core *c, struct rm_app *a, int64_t attempt);
/* Adds it to what the master will be told. */
void rm_am_queue_news(struct rm_app *a, struct rm_container *ct);
bool rm_am_offer(struct rm_core *c, struct rm_app *a, enum base_task_kind k, struct rm_node *n,
                 bool no_delay);
void rm_am_forget_containers(struct rm_core *c, struct rm_app *a);
/* Marks everything waiting for the master as announced; ends are still to be told. */
void rm_am_mark_announced(struct rm_app *a);
void rm_am_on_container_ended(struct rm_core *c, struct rm_app *a, struct rm_container *ct,
                              const struct rm_container_report *r);
void rm_am_end(struct rm_core *c, struct rm_app *a, enum rm_app_end how, const char *diagnostics);
void rm_am_advance(struct rm_core *c, struct rm_app *a);
void rm_am_on_final_stored(struct rm_core *c, struct rm_app *a);
void rm_am_on_expiry(struct rm_core *c, struct rm_app *a);
void rm_am_fail_missing_masters(struct rm_core *c, const struct rm_node *n);
void rm_am_resume(struct rm_core *c, struct rm_app *a);

#endif
