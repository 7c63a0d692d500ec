#include "rm/core/queue/properties.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Returns the index of the first property whose name is not before @name. */
static size_t property_insert_index(const struct rm_properties *p, const char *name)
{
    size_t low = 0, high = p->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (strcmp(p->v[mid].name, name) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static struct rm_property *find_property(const struct rm_properties *p, const char *name)
{
    size_t at = property_insert_index(p, name);

    return at < p->n && strcmp(p->v[at].name, name) == 0 ? &p->v[at] : NULL;
}

const char *rm_properties_get(const struct rm_properties *p, const char *name)
{
    const struct rm_property *found = find_property(p, name);

    return found ? found->value : NULL;
}

/* Removes the properties from index @from to the one before @to. */
static void remove_properties_between(struct rm_properties *p, size_t from, size_t to)
{
    if (from == to)
        return;
    for (size_t i = from; i < to; i++) {
        free(p->v[i].name);
        free(p->v[i].value);
    }
    memmove(p->v + from, p->v + to, (p->n - to) * sizeof *p->v);
    p->n -= to - from;
}

void rm_properties_set(struct rm_properties *p, const char *name, const char *value)
{
    size_t at = property_insert_index(p, name);
    bool known = at < p->n && strcmp(p->v[at].name, name) == 0;

    if (!value || !*value) {
        remove_properties_between(p, at, at + known);
    } else if (known) {
        char *copy = base_strdup(value); /* @value may point to the present value */

        free(p->v[at].value);
        p->v[at].value = copy;
    } else {
        struct rm_property added = {base_strdup(name), base_strdup(value)};

        base_array_grow(&p->v, p->n, &p->cap);
        memmove(p->v + at + 1, p->v + at, (p->n++ - at) * sizeof *p->v);
        p->v[at] = added;
    }
}

void rm_properties_remove_with_prefix(struct rm_properties *p, const char *prefix)
{
    size_t from = property_insert_index(p, prefix), to = from, len = strlen(prefix);

    while (to < p->n && strncmp(p->v[to].name, prefix, len) == 0)
        to++;
    remove_properties_between(p, from, to);
}

void rm_properties_copy(struct rm_properties *to, const struct rm_properties *from)
{
    struct rm_properties copy = {0};

    copy.v = from->n ? base_alloc(from->n * sizeof *copy.v) : NULL;
    copy.n = copy.cap = from->n;
    for (size_t i = 0; i < from->n; i++)
        copy.v[i] =
            (struct rm_property){base_strdup(from->v[i].name), base_strdup(from->v[i].value)};
    rm_properties_free(to);
    *to = copy;
}

void rm_properties_free(struct rm_properties *p)
{
    remove_properties_between(p, 0, p->n);
    free(p->v);
    *p = (struct rm_properties){0};
}
