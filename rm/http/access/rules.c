#include "rm/http/access/rules.h"

#include <string.h>

#include "policies/common/queue_acl.h"

static enum base_acl_answer get_smaller(enum base_acl_answer a, enum base_acl_answer b)
{
    return a < b ? a : b;
}

static enum base_acl_answer check_queue_administration(const struct rm_access_rules *rules,
                                                       const struct policy_queues *queues,
                                                       int32_t queue,
                                                       const struct base_acl_caller *who)
{
    return rules->open_queues
               ? BASE_ACL_YES
               : policy_queue_check_right(queues, queue, POLICY_QUEUE_ADMINISTER, who);
}

static enum base_acl_answer check_app_acl_or_queue_admin(const struct rm_access_rules *rules,
                                                         const struct policy_queues *queues,
                                                         const struct base_acl_caller *who,
                                                         const struct rm_access_question *question,
                                                         const char *acl)
{
    return base_acl_either(base_acl_check_app(&rules->acl, who, question->owner, acl),
                           check_queue_administration(rules, queues, question->queue, who));
}

static enum base_acl_answer check_move_right(const struct rm_access_rules *rules,
                                             const struct policy_queues *queues,
                                             const struct base_acl_caller *who,
                                             const struct rm_access_question *question)
{
    enum base_acl_answer target = BASE_ACL_NO;

    if (!rules->acl.enabled)
        return BASE_ACL_YES;
    if (rules->open_queues)
        target = BASE_ACL_YES;
    else if (question->target >= 0)
        target = policy_queue_check_submission(queues, question->target, who);
    return get_smaller(
        check_app_acl_or_queue_admin(rules, queues, who, question, question->acl_modify), target);
}

enum base_acl_answer rm_access_decide(const struct rm_access_rules *rules,
                                      const struct policy_queues *queues,
                                      const struct base_acl_caller *who,
                                      const struct rm_access_question *question)
{
    switch (question->op) {
    case RM_OP_VIEW_APP:
    case RM_OP_VIEW_ATTEMPT:
    case RM_OP_VIEW_CONTAINERS:
        return check_app_acl_or_queue_admin(rules, queues, who, question, question->acl_view);
    case RM_OP_KILL:
    case RM_OP_SET_PRIORITY:
    case RM_OP_SET_TIMEOUT:
        return check_app_acl_or_queue_admin(rules, queues, who, question, question->acl_modify);
    case RM_OP_MOVE:
        return check_move_right(rules, queues, who, question);
    case RM_OP_ASK_QUEUE_ACCESS:
        return rules->open_queues || question->queue >= 0
                   ? check_queue_administration(rules, queues, question->queue, who)
                   : BASE_ACL_NO;
    case RM_OP_CONFIGURE:
        if (!rules->acl.enabled)
            return BASE_ACL_YES;
        break;
    default:
        break;
    }
    return base_acl_check_admin(&rules->acl, who);
}

#define UNAUTHORIZED(what)                                                                         \
    {                                                                                              \
        403, NULL, "Unauthorized attempt to " what " {subject} by remote user {user}"              \
    }
#define NO_PRIVILEGE(what)                                                                         \
    {                                                                                              \
        503, "WebApplicationException",                                                            \
            "org.apache.hadoop.yarn.exceptions.YarnException: User {user} does not have "          \
            "privilege to see this " what " {subject}"                                             \
    }
#define NOT_AUTHORIZED(path)                                                                       \
    {                                                                                              \
        401, "AuthorizationException", "User {user} not authorized for post to ..." path           \
    }
#define ADMINS_ONLY                                                                                \
    {                                                                                              \
        403, "ForbiddenException",                                                                 \
            "java.lang.Exception: Only admins can carry out this operation."                       \
    }

const struct rm_refusal rm_refusals[RM_OPS] = {
    [RM_OP_VIEW_APP] = {403, "ForbiddenException",
                        "java.lang.Exception: User {user} does not have privilege to see this "
                        "application {subject}"},
    [RM_OP_VIEW_ATTEMPT] = NO_PRIVILEGE("attempt"),
    [RM_OP_VIEW_CONTAINERS] = NO_PRIVILEGE("application"),
    [RM_OP_KILL] = UNAUTHORIZED("kill appid"),
    [RM_OP_MOVE] = UNAUTHORIZED("move appid"),
    [RM_OP_SET_PRIORITY] = UNAUTHORIZED("change priority of appid"),
    [RM_OP_SET_TIMEOUT] = UNAUTHORIZED("change timeout of app"),
    [RM_OP_CONFIGURE] = ADMINS_ONLY,
    [RM_OP_ADMINISTER] = ADMINS_ONLY,
    [RM_OP_ADD_LABELS] = NOT_AUTHORIZED("/add-node-labels "),
    [RM_OP_REMOVE_LABELS] = NOT_AUTHORIZED("/remove-node-labels "),
    [RM_OP_REPLACE_LABELS] = NOT_AUTHORIZED("/replace-node-to-labels"),
    [RM_OP_REPLACE_LABELS_OF_NODE] = NOT_AUTHORIZED("/nodes/nodeid/replace-labels"),
    [RM_OP_ASK_QUEUE_ACCESS] = {403, "ForbiddenException",
                                "java.lang.Exception: User={user} doesn't haven access to "
                                "queue={subject} so it cannot check ACLs for other users."},
};

void rm_refusal_format(const struct rm_refusal *refusal, const char *user, const char *subject,
                       struct base_buf *out)
{
    const char *at = refusal->text, *brace;

    for (; (brace = strchr(at, '{')); at = strchr(brace, '}') + 1) {
        base_buf_add(out, at, (size_t)(brace - at));
        base_buf_adds(out, brace[1] == 'u' ? user : subject);
    }
    base_buf_adds(out, at);
}
