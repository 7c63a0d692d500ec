/* policies/common/queue_acl.h - decides who may submit to a queue, and who administers it. A right
 * on a queue covers all queues below it. Without configuration the root's lists are "*", that of
 * administrators only if the tree is not closed, and those of any other queue are empty. SOURCE:
 * YARN's ConfiguredYarnAuthorizer and queue properties of the capacity and fair schedulers. */
#ifndef CREEL_POLICIES_COMMON_QUEUE_ACL_H
#define CREEL_POLICIES_COMMON_QUEUE_ACL_H

#include "base/acl/acl.h"
#include "policies/common/queues.h"

enum policy_queue_right { POLICY_QUEUE_SUBMIT, POLICY_QUEUE_ADMINISTER };

/* Returns the list of queue @index, or the default if none is configured; borrowed from @q. */
const char *policy_queue_get_acl(const struct policy_queues *q, int32_t index,
                                 enum policy_queue_right right);
/* Decides whether the caller has the right on queue @index. O(depth). */
enum base_acl_answer policy_queue_check_right(const struct policy_queues *q, int32_t index,
                                              enum policy_queue_right right,
                                              const struct base_acl_caller *who);
/* Decides whether the caller may submit to queue @index: administrators of a queue may, too. */
enum base_acl_answer policy_queue_check_submission(const struct policy_queues *q, int32_t index,
                                                   const struct base_acl_caller *who);
/* Returns queue @name or, if it does not exist, its nearest existing ancestor, at last the root
 * (0). */
int32_t policy_queue_find_nearest(const struct policy_queues *q, const char *name);
/* Returns true when the ACL of a queue names a group. O(queues). */
bool policy_queues_acls_name_groups(const struct policy_queues *q);

#endif
