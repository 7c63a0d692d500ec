/* rm/core/app/finished.h - keeps ended applications, and removes the oldest beyond the bounds. */
#ifndef CREEL_RM_CORE_APP_FINISHED_H
#define CREEL_RM_CORE_APP_FINISHED_H

#include "rm/core/state.h"

/* Call once when @a has ended durably: reports the end, orders its nodes to clean up, adds @a to
 * the list of ended applications, and counts its result. */
void rm_app_retire(struct rm_core *c, struct rm_app *a);
/* Makes rm_apps_trim_finished() check the bounds at the end of this step, even if no application
 * has ended in it. */
void rm_apps_request_trim(struct rm_core *c);
/* Removes the oldest ended applications beyond the bounds. Does nothing unless, since the last
 * call, an application has ended or lost its last container, or this was requested. */
void rm_apps_trim_finished(struct rm_core *c);

#endif
