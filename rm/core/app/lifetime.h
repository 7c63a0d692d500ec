/* rm/core/app/lifetime.h - kills an application when its lifetime is over. */
#ifndef CREEL_RM_CORE_APP_LIFETIME_H
#define CREEL_RM_CORE_APP_LIFETIME_H

#include "rm/core/core.h"

struct rm_app;

/* Sets the timer for the end of the application's lifetime; does nothing when it has none, or when
 * the application is ending or has ended. */
void rm_app_set_lifetime_timer(struct rm_core *c, struct rm_app *a);
/* Lets a new application be killed in @seconds; 0: it has no lifetime. */
void rm_app_begin_lifetime(struct rm_core *c, struct rm_app *a, int64_t seconds);
/* Kills the application, whose lifetime is over. */
void rm_app_kill_after_lifetime(struct rm_core *c, struct rm_app *a);

#endif
