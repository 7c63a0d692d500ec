/* rm/http/access/rules.h - who may do what, and YARN's words for refusals. Pure: the facts are
 * gathered by rm/http/access/access.h, which handlers call.
 *
 *   seeing an application       its owner, the users of its VIEW_APP list, administrators of its
 *                               queue, administrators
 *   changing it                 its owner, the users of its MODIFY_APP list, administrators of its
 *                               queue, administrators
 *   moving it                   the same, if they may also submit to the new queue
 *   administration              administrators
 *   asking who may use a queue  administrators of the queue, not those of the cluster
 *
 * Submissions are refused by the core, which knows the queue
 * (rm_queue_refuse_forbidden_submission()). An application whose queue does not exist any more
 * belongs to the nearest queue above it. SOURCE: YARN's ApplicationACLsManager, QueueACLsManager,
 * ClientRMService and RMWebServices; the recordings acl-*. */
#ifndef CREEL_RM_HTTP_ACCESS_RULES_H
#define CREEL_RM_HTTP_ACCESS_RULES_H

#include "base/acl/acl.h"
#include "base/mem.h"
#include "policies/common/queues.h"

enum rm_operation {
    RM_OP_VIEW_APP, /* YARN shows others a part of it; Creel's own resources refuse them */
    RM_OP_VIEW_ATTEMPT,
    RM_OP_VIEW_CONTAINERS,
    RM_OP_KILL,
    RM_OP_MOVE,
    RM_OP_SET_PRIORITY,
    RM_OP_SET_TIMEOUT,
    RM_OP_CONFIGURE,  /* what YARN's REST leaves to administrators while ACLs are enabled */
    RM_OP_ADMINISTER, /* what "yarn rmadmin" does, which always asks for an administrator */
    RM_OP_ADD_LABELS, /* changes to labels likewise */
    RM_OP_REMOVE_LABELS,
    RM_OP_REPLACE_LABELS,
    RM_OP_REPLACE_LABELS_OF_NODE,
    RM_OP_ASK_QUEUE_ACCESS,
    RM_OPS
};

struct rm_access_rules {
    struct base_acl_rules acl;
    bool open_queues; /* the queues have no lists: everybody administers them, as in YARN's fifo */
};
struct rm_access_question {
    enum rm_operation op;
    const char *owner, *acl_view, *acl_modify; /* of the application; lists may be NULL */
    int32_t queue;                             /* of the application; or the queue asked about */
    int32_t target; /* of a move: the queue that it leads to; -1: there is no such queue */
};
/* Decides whether @who may perform the operation. */
enum base_acl_answer rm_access_decide(const struct rm_access_rules *rules,
                                      const struct policy_queues *queues,
                                      const struct base_acl_caller *who,
                                      const struct rm_access_question *question);

struct rm_refusal {
    unsigned status;
    const char *exception; /* of the RemoteException; NULL: the body is the bare text */
    const char *text;      /* {user} and {subject} are replaced */
};
extern const struct rm_refusal rm_refusals[RM_OPS];
/* Appends the text of the refusal. @subject: the id or queue that the operation is about. */
void rm_refusal_format(const struct rm_refusal *refusal, const char *user, const char *subject,
                       struct base_buf *out);

#endif
