#include <string.h>
#include <strings.h>

#include "base/nearest.h"
#include "policies/policy.h"

/* One line per policy. */
static const struct policy_ops *const registry[] = {
    &policy_fifo,
    &policy_naive_fair,
    &policy_fair,
    &policy_ps,
    &policy_hsrtf_pu,
    &policy_hsrtf_pup,
    &policy_hsrtf_pr,
    &policy_hsrtf_prp,
    &policy_las,
    &policy_srpt,
    &policy_np_srpt,
    &policy_rtmr,
    &policy_dc,
    &policy_hfsp,
    &policy_fsp,
    &policy_psbs,
};

const struct policy_ops *policy_find(const char *name)
{
    for (size_t i = 0; i < sizeof registry / sizeof *registry; i++)
        if (name && (strcmp(registry[i]->name, name) == 0 ||
                     (registry[i]->alias && strcasecmp(registry[i]->alias, name) == 0)))
            return registry[i];
    return NULL;
}

const struct policy_ops *policy_at(size_t index)
{
    return index < sizeof registry / sizeof *registry ? registry[index] : NULL;
}

void policy_plan_add(struct policy_plan *plan, void *container, enum policy_victim_how how)
{
    base_array_grow(&plan->v, plan->len, &plan->cap);
    plan->v[plan->len++] = (struct policy_victim){container, how};
}

const char *policy_nearest(const char *name, bool sim_too)
{
    const char *best = NULL;
    size_t distance = 0;

    for (size_t i = 0; i < sizeof registry / sizeof *registry; i++)
        if (sim_too || !registry[i]->sim_only)
            base_nearest_offer(name, registry[i]->name, &best, &distance);
    return best;
}
