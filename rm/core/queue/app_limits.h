/* rm/core/queue/app_limits.h - bounds on the live applications of a queue and of a user:
 * creel.rm.max-apps-per-queue, creel.rm.max-apps-per-user. A submission beyond these limits is
 * refused; applications read back, or moved to another queue, are not. The ledger
 * (rm/core/ledger.h) counts the applications. SOURCE: YARN's
 * yarn.scheduler.capacity.maximum-applications, and the words of its LeafQueue; but YARN accepts
 * such a submission, and the application fails at once. */
#ifndef CREEL_RM_CORE_QUEUE_APP_LIMITS_H
#define CREEL_RM_CORE_QUEUE_APP_LIMITS_H

#include "base/data/map.h"
#include "rm/core/core.h"

struct rm_core;

/* Numbers of applications by user, in a map that is all zero at first. A user without any takes no
 * memory. */
void rm_user_apps_add(struct base_map *users, const char *user, int64_t by);
int64_t rm_user_apps_get(const struct base_map *users, const char *user);
/* Returns true when both have the same numbers. */
bool rm_user_apps_equal(const struct base_map *a, const struct base_map *b);
void rm_user_apps_free(struct base_map *users);
/* Return true when @user (NULL: ""), or the queue @index (RM_NONE: none), has all the applications
 * that are allowed: the request @token has then been answered (-BASE_EPERM). Ask for the user
 * before the submission is placed, so that a refused one creates no queue. */
bool rm_app_limits_refuse_user(struct rm_core *c, uint64_t token, const char *user);
bool rm_app_limits_refuse_queue(struct rm_core *c, uint64_t token, uint32_t index);

#endif
