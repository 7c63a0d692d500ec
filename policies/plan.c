/* A plan: the running attempts that a policy wants suspended or killed. */
#include "policies/policy.h"

void policy_plan_add(struct policy_plan *plan, void *container, enum policy_victim_how how)
{
    base_array_grow(&plan->v, plan->len, &plan->cap);
    plan->v[plan->len++] = (struct policy_victim){container, how};
}
