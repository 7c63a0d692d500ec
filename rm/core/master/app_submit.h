/* rm/core/master/app_submit.h - submission of plain applications. */
#ifndef CREEL_RM_CORE_MASTER_APP_SUBMIT_H
#define CREEL_RM_CORE_MASTER_APP_SUBMIT_H

#include "rm/core/state.h"

/* Handles RM_EV_SUBMIT_APP. */
void rm_plain_app_on_submit(struct rm_core *c, const struct rm_event *ev);

#endif
