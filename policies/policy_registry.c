#include <string.h>

#include "policies/policy.h"

/* One line per policy. */
static const struct policy_ops *const registry[] = {
    &policy_fifo,
    &policy_naive_fair,
};

const struct policy_ops *policy_find(const char *name)
{
    for (size_t i = 0; i < sizeof registry / sizeof *registry; i++)
        if (name && strcmp(registry[i]->name, name) == 0)
            return registry[i];
    return NULL;
}

const struct policy_ops *policy_at(size_t index)
{
    return index < sizeof registry / sizeof *registry ? registry[index] : NULL;
}
