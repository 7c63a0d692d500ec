#include "rm/jobs/file_places.h"

#include <stddef.h>
#include <string.h>

#define DEPTH 2

static uint64_t add_name(uint64_t hash, const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x100000001b3); /* FNV-1a */
    return (hash ^ '/') * UINT64_C(0x100000001b3);
}

/* The next name of @*p, without "" and "."; NULL: there is none. */
static const char *next_name(const char **p, size_t *len)
{
    const char *name;

    do {
        name = *p + strspn(*p, "/");
        *len = strcspn(name, "/");
        *p = name + *len;
    } while (*len == 1 && *name == '.');
    return *len ? name : NULL;
}

/* "..": as if there were no links. Names beyond the first two are counted, since ".." takes them away again; the last one,
 * the path's own, does not belong to its folder. */
struct rm_place rm_place_of(const char *path)
{
    struct {
        const char *name;
        size_t len;
    } at[DEPTH + 1];
    struct rm_place place = {0};
    size_t n = 0, len;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    if (!path)
        return place;
    for (const char *name; (name = next_name(&path, &len));) {
        if (len == 2 && memcmp(name, "..", 2) == 0) {
            n -= n > 0;
            continue;
        }
        if (n <= DEPTH) {
            at[n].name = name;
            at[n].len = len;
        }
        n++;
    }
    n = n > DEPTH ? DEPTH : n > 0 ? n - 1 : 0;
    place.top = place.whole = hash;
    for (size_t i = 0; i < n; i++) {
        place.whole = add_name(place.whole, at[i].name, at[i].len);
        if (i == 0)
            place.top = place.whole;
    }
    return place;
}

bool rm_place_eq(const struct rm_place *a, const struct rm_place *b)
{
    return a->top == b->top && a->whole == b->whole;
}

void rm_place_add(struct rm_place_count *n, const struct rm_place *here, const struct rm_place *other)
{
    n->at_top += here->top && here->top == other->top;
    n->at_whole += here->whole && rm_place_eq(here, other);
}

bool rm_place_is_full(const struct rm_place_count *n)
{
    return n->at_whole >= RM_PLACE_MAX || n->at_top >= RM_PLACE_TOP_MAX;
}
