/* rm/core/app/move.h - moves applications between queues. */
#ifndef CREEL_RM_CORE_APP_MOVE_H
#define CREEL_RM_CORE_APP_MOVE_H

#include "rm/core/state.h"

/* Handles RM_EV_MOVE_APP. */
void rm_app_on_move(struct rm_core *c, const struct rm_event *ev);

#endif
