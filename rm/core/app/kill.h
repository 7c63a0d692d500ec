/* rm/core/app/kill.h - kills applications. */
#ifndef CREEL_RM_CORE_APP_KILL_H
#define CREEL_RM_CORE_APP_KILL_H

#include "rm/core/state.h"

/* Kills the containers of @a, except those for which @spares (NULL: none) returns true. Containers
 * that no node knows end at once, so @a itself may have ended when this returns. */
void rm_app_kill_containers(struct rm_core *c, struct rm_app *a, int32_t status, const char *reason,
                            bool (*spares)(const struct rm_container *ct));
/* Handles RM_EV_KILL_APP. */
void rm_app_on_kill(struct rm_core *c, const struct rm_event *ev);

#endif
