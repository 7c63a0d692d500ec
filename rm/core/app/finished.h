/* rm/core/app/finished.h - how long ended applications are kept. */
#ifndef CREEL_RM_CORE_APP_FINISHED_H
#define CREEL_RM_CORE_APP_FINISHED_H

#include "rm/core/state.h"

void rm_app_retire(struct rm_core *c, struct rm_app *a); /* it has ended: nodes clean up */
void rm_apps_request_trim(struct rm_core *c);            /* the timer */
void rm_apps_trim_finished(struct rm_core *c);

#endif
