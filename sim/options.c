#include "sim/options.h"

#include <stdbool.h>
#include <string.h>

#include "policies/options.h"
#include "sim/engine/size_error.h"

/* Returns true when @a and @b are equal; '-' and '_' count as equal. */
static bool is_same_name_dash_or_underscore(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if ((*a == '-' ? '_' : *a) != (*b == '-' ? '_' : *b))
            return false;
    return *a == *b;
}

const struct policy_option *sim_option_find(const char *name)
{
    const char *plain = strncmp(name, "creel.", 6) == 0 ? name + 6 : name;

    for (const struct policy_option *o = sim_size_error_options; o->name; o++)
        if (is_same_name_dash_or_underscore(o->name, plain) ||
            is_same_name_dash_or_underscore(strchr(o->name, '.') + 1, plain))
            return o;
    return policy_option_find(name);
}

const struct policy_option *sim_option_at(size_t index)
{
    size_t i = 0;

    while (policy_option_at(i) && i < index)
        i++;
    if (policy_option_at(i))
        return policy_option_at(i);
    for (const struct policy_option *o = sim_size_error_options; o->name; o++)
        if (i++ == index)
            return o;
    return NULL;
}

int sim_option_set(struct policy_conf *conf, const char *name, const char *value,
                   struct base_error *err)
{
    const struct policy_option *o = sim_option_find(name);

    return o ? policy_conf_put(conf, o, value, err) : policy_conf_set(conf, name, value, err);
}
