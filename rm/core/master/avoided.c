#include "rm/core/master/avoided.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "rm/core/emit.h"

/* Returns the index of the first name that is not below @name. */
static size_t find_place(const struct rm_attempt *at, const char *name)
{
    size_t low = 0, high = at->avoided_n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (strcmp(at->avoided[mid], name) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static bool has_name(const struct rm_attempt *at, const char *name)
{
    size_t i = find_place(at, name);

    return i < at->avoided_n && strcmp(at->avoided[i], name) == 0;
}

bool rm_avoided_refuse_if_bad(struct rm_core *c, const struct rm_attempt *at,
                              const struct rm_event *ev)
{
    size_t added = 0;

    for (size_t i = 0; i < ev->u.am_allocate.avoid_n; i++) {
        const char *name = ev->u.am_allocate.avoid[i];

        if (strcmp(name, "*") == 0) {
            rm_reply_error(c, ev->token, -BASE_ELIMIT, "Cannot add * to the blacklist!");
            return true;
        }
        if (strlen(name) >= BASE_NAME_MAX) {
            rm_reply_error(c, ev->token, -BASE_ELIMIT,
                           "blacklist: a name of %zu bytes: expected fewer than %d", strlen(name),
                           BASE_NAME_MAX);
            return true;
        }
    }
    for (size_t i = 0; i < ev->u.am_allocate.avoid_n; i++)
        added += !has_name(at, ev->u.am_allocate.avoid[i]);
    if (at->avoided_n + added <= RM_AVOIDED_MAX)
        return false;
    rm_reply_error(c, ev->token, -BASE_ELIMIT, "blacklist: expected at most %d names",
                   RM_AVOIDED_MAX);
    return true;
}

void rm_avoided_update(struct rm_attempt *at, const struct rm_event *ev)
{
    for (size_t i = 0; i < ev->u.am_allocate.avoid_n; i++) {
        const char *name = ev->u.am_allocate.avoid[i];
        size_t place = find_place(at, name);

        if (!*name || has_name(at, name)) /* Java's clients send an empty one */
            continue;
        base_array_grow(&at->avoided, at->avoided_n, &at->avoided_cap);
        memmove(at->avoided + place + 1, at->avoided + place,
                (at->avoided_n++ - place) * sizeof *at->avoided);
        at->avoided[place] = base_strdup(name);
    }
    for (size_t i = 0; i < ev->u.am_allocate.admit_n; i++) {
        const char *name = ev->u.am_allocate.admit[i];
        size_t place = find_place(at, name);

        if (!has_name(at, name))
            continue;
        free(at->avoided[place]);
        memmove(at->avoided + place, at->avoided + place + 1,
                (--at->avoided_n - place) * sizeof *at->avoided);
    }
}

bool rm_avoided_has_node(const struct rm_attempt *at, const struct rm_node *n)
{
    return at->avoided_n && ((n->host_name && has_name(at, n->host_name)) ||
                             (n->rack_name && has_name(at, n->rack_name)));
}
