#include "policies/common/queue_acl.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

const char *policy_queue_get_acl(const struct policy_queues *q, int32_t index,
                                 enum policy_queue_right right)
{
    const struct policy_queue *u = &q->v[index];
    const char *acl = right == POLICY_QUEUE_SUBMIT ? u->acl_submit : u->acl_admin;
    bool open = index == 0 && (right == POLICY_QUEUE_SUBMIT || !q->closed);

    return acl ? acl : open ? "*" : " ";
}

enum base_acl_answer policy_queue_check_right(const struct policy_queues *q, int32_t index,
                                              enum policy_queue_right right,
                                              const struct base_acl_caller *who)
{
    enum base_acl_answer answer = BASE_ACL_NO;

    for (int32_t i = index; i >= 0 && answer != BASE_ACL_YES; i = q->v[i].parent)
        answer = base_acl_either(answer, base_acl_check(policy_queue_get_acl(q, i, right), who));
    return answer;
}

enum base_acl_answer policy_queue_check_submission(const struct policy_queues *q, int32_t index,
                                                   const struct base_acl_caller *who)
{
    return base_acl_either(policy_queue_check_right(q, index, POLICY_QUEUE_SUBMIT, who),
                           policy_queue_check_right(q, index, POLICY_QUEUE_ADMINISTER, who));
}

int32_t policy_queue_find_nearest(const struct policy_queues *q, const char *name)
{
    int32_t at = policy_queues_find(q, name);
    char *up, *dot;

    if (at >= 0)
        return at;
    up = base_strdup(name);
    for (dot = strrchr(up, '.'); at < 0 && dot; dot = strrchr(up, '.')) {
        *dot = '\0';
        at = policy_queues_find(q, up);
    }
    free(up);
    return at < 0 ? 0 : at;
}

bool policy_queues_acls_name_groups(const struct policy_queues *q)
{
    for (size_t i = 0; i < q->n; i++)
        if (base_acl_names_groups(q->v[i].acl_submit) || base_acl_names_groups(q->v[i].acl_admin))
            return true;
    return false;
}
