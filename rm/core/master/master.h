/* rm/core/master/master.h - the life of a plain application. */
#ifndef CREEL_RM_CORE_MASTER_MASTER_H
#define CREEL_RM_CORE_MASTER_MASTER_H

#include "rm/core/state.h"

void rm_am_accepted(struct rm_core *c, struct rm_app *a);
void rm_am_unmanaged_stored(struct rm_core *c, struct rm_app *a);
void rm_am_activate(struct rm_core *c);
void rm_am_passivate(struct rm_core *c, struct rm_app *a);
void rm_am_master_stored(struct rm_core *c, struct rm_app *a, int64_t attempt);
void rm_am_tell(struct rm_app *a, struct rm_container *ct); /* its master will hear of it */
bool rm_am_offer(struct rm_core *c, struct rm_app *a, enum base_task_kind k, struct rm_node *n, bool no_delay);
void rm_am_forget_containers(struct rm_core *c, struct rm_app *a);
void rm_am_announced(struct rm_app *a); /* all that its master was going to hear of; ends are told later */
void rm_am_container_ended(struct rm_core *c, struct rm_app *a, struct rm_container *ct,
                           const struct rm_container_report *r);
void rm_am_end(struct rm_core *c, struct rm_app *a, enum rm_app_end how, const char *diagnostics);
void rm_am_check(struct rm_core *c, struct rm_app *a);
void rm_am_stored_final(struct rm_core *c, struct rm_app *a);
void rm_am_expired(struct rm_core *c, struct rm_app *a);
void rm_am_masters_missing(struct rm_core *c, const struct rm_node *n);
void rm_am_recovered(struct rm_core *c, struct rm_app *a);

#endif
