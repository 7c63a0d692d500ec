#include "policies/registry.h"

#include <string.h>
#include <strings.h>

#include "base/nearest.h"

#define POLICY_ADDRESS(name) &policy_##name,
static const struct policy_ops *const registry[] = {POLICY_REGISTRY(POLICY_ADDRESS)};
#undef POLICY_ADDRESS

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

const char *policy_nearest_name(const char *name, bool sim_too)
{
    const char *best = NULL;
    size_t distance = 0;

    for (size_t i = 0; i < sizeof registry / sizeof *registry; i++)
        if (sim_too || !registry[i]->sim_only)
            base_nearest_take_if_closer(name, registry[i]->name, &best, &distance);
    return best;
}
