#include "rm/core/admin/label_use.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "rm/core/queue/change.h"
#include "rm/core/queue/name_list.h"
#include "rm/core/state.h"

#define KEY ".accessible-node-labels"

static bool name_list_contains(const char *list, const char *name)
{
    size_t len, name_len = strlen(name);

    for (const char *at = rm_name_list_first(list, &len); at; at = rm_name_list_next(at, &len))
        if (len == name_len && memcmp(at, name, len) == 0)
            return true;
    return false;
}

/* Returns the queue's path in the name of property @p, if the property says which labels a queue
 * may use, and sets *@len to its length; else NULL. */
static const char *queue_path_in_labels_property(const struct rm_property *p, size_t *len)
{
    const size_t prefix = sizeof RM_CAPACITY_PREFIX - 1, suffix = sizeof KEY - 1;
    size_t n = strlen(p->name);

    if (n <= prefix + suffix || strncmp(p->name, RM_CAPACITY_PREFIX, prefix) != 0 ||
        strcmp(p->name + n - suffix, KEY) != 0)
        return NULL;
    *len = n - prefix - suffix;
    return p->name + prefix;
}

/* Returns true when the queue still exists: removed queues may have left properties behind. */
static bool queue_exists(const struct rm_core *c, const char *path, size_t len)
{
    char *name = base_printf("%.*s", (int)len, path);
    bool found = policy_queues_find(&c->tree, name) >= 0;

    free(name);
    return found;
}

char *rm_label_find_queue_using(const struct rm_core *c, const char *label)
{
    const struct rm_properties *all = &c->queue_conf.properties;
    const char *best = NULL;
    size_t best_len = 0;

    for (size_t i = 0; i < all->n; i++) {
        size_t len;
        const char *path = queue_path_in_labels_property(&all->v[i], &len);

        if (!path || (best && len >= best_len) || !name_list_contains(all->v[i].value, label) ||
            !queue_exists(c, path, len))
            continue;
        best = path;
        best_len = len;
    }
    return best ? base_printf("%.*s", (int)best_len, best) : NULL;
}
