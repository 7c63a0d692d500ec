#include "policies/options.h"

#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "policies/registry.h"

const struct policy_option *policy_option_at(size_t index)
{
    for (const struct policy_option *o = policy_common_options; o->name; o++)
        if (index-- == 0)
            return o;
    for (size_t i = 0; policy_at(i); i++) {
        bool counted = false; /* several policies may share a table */

        for (size_t j = 0; j < i; j++)
            counted = counted || policy_at(j)->options == policy_at(i)->options;
        for (const struct policy_option *o = policy_at(i)->options; o && !counted && o->name; o++)
            if (index-- == 0)
                return o;
    }
    return NULL;
}

/* Returns true when @key begins with the first @n bytes of @name, and a dot follows them in @key or
 * a '_' in @name ("colo_wait" has no dot). */
static bool key_begins_with_name_part(const char *key, const char *name, size_t n)
{
    return strncmp(key, name, n) == 0 && (key[n] == '.' || name[n] == '_');
}

bool policy_key_looks_like_option(const char *key)
{
    if (strncmp(key, "creel.", 6) != 0)
        return false;
    key += 6;
    for (size_t i = 0; policy_at(i); i++)
        if (key_begins_with_name_part(key, policy_at(i)->name, strlen(policy_at(i)->name)))
            return true;
    for (size_t i = 0; policy_option_at(i); i++) {
        const char *name = policy_option_at(i)->name;

        if (key_begins_with_name_part(key, name, strcspn(name, "._")))
            return true;
    }
    return false;
}

static char dash_to_underscore(char c)
{
    return c == '-' ? '_' : c;
}

static bool same_name_dash_is_underscore(const char *a, const char *b)
{
    while (*a && dash_to_underscore(*a) == dash_to_underscore(*b)) {
        a++;
        b++;
    }
    return dash_to_underscore(*a) == dash_to_underscore(*b);
}

const struct policy_option *policy_option_find(const char *name)
{
    const struct policy_option *found = NULL;
    size_t hits = 0;

    if (strncmp(name, "creel.", 6) == 0)
        name += 6;
    for (size_t i = 0; policy_option_at(i); i++) {
        const struct policy_option *o = policy_option_at(i);
        const char *dot = strchr(o->name, '.');

        if (same_name_dash_is_underscore(o->name, name))
            return o;
        if (dot && same_name_dash_is_underscore(dot + 1, name)) {
            found = o;
            hits++;
        }
    }
    return hits == 1 ? found : NULL;
}

static int set_unknown_option_error(const char *name, struct base_error *err)
{
    const char *plain_name = strncmp(name, "creel.", 6) == 0 ? name + 6 : name, *best = NULL;
    struct base_buf known = {0};
    size_t distance = 0;
    int rc;

    for (size_t i = 0; policy_option_at(i); i++) {
        const char *option = policy_option_at(i)->name, *dot = strchr(option, '.');

        base_buf_addf(&known, "%s%s", i ? ", " : "", option);
        base_nearest_take_if_closer(plain_name, strchr(plain_name, '.') || !dot ? option : dot + 1,
                                    &best, &distance);
    }
    rc = base_error_set(
        err, -BASE_EINVAL, "option \"%.100s\" is unknown or not unique%s%s%s; there are %s", name,
        best ? " (did you mean " : "", best ? best : "", best ? "?)" : "", known.data);
    base_buf_free(&known);
    return rc;
}

int policy_conf_set(struct policy_conf *c, const char *name, const char *value,
                    struct base_error *err)
{
    const struct policy_option *o = policy_option_find(name);

    return o ? policy_conf_put(c, o, value, err) : set_unknown_option_error(name, err);
}
