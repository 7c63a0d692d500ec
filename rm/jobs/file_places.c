#include "rm/jobs/file_places.h"

#include <stddef.h>
#include <string.h>

#define DEPTH 2

static uint64_t hash_name(uint64_t hash, const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x100000001b3); /* FNV-1a */
    return (hash ^ '/') * UINT64_C(0x100000001b3);
}

/* Takes the next name from *@rest, skipping "" and "."; NULL: no more names. The name is not
 * terminated; *@len is its length. */
static const char *take_next_name(const char **rest, size_t *len)
{
    const char *name;

    do {
        name = *rest + strspn(*rest, "/");
        *len = strcspn(name, "/");
        *rest = name + *len;
    } while (*len == 1 && *name == '.');
    return *len ? name : NULL;
}

/* Resolves ".." textually, as if there were no links. Names beyond the first two are still counted,
 * since a later ".." may remove them again. The last name is the path's own and does not belong to
 * its folder. */
struct rm_file_place rm_file_place_from_path(const char *path)
{
    struct {
        const char *name;
        size_t len;
    } at[DEPTH + 1];
    struct rm_file_place place = {0};
    size_t n = 0, len;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    if (!path)
        return place;
    for (const char *name; (name = take_next_name(&path, &len));) {
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
        place.whole = hash_name(place.whole, at[i].name, at[i].len);
        if (i == 0)
            place.top = place.whole;
    }
    return place;
}

bool rm_file_place_equal(const struct rm_file_place *a, const struct rm_file_place *b)
{
    return a->top == b->top && a->whole == b->whole;
}

void rm_file_place_count_if_shared(struct rm_file_place_count *count,
                                   const struct rm_file_place *here,
                                   const struct rm_file_place *other)
{
    count->at_top += here->top && here->top == other->top;
    count->at_whole += here->whole && rm_file_place_equal(here, other);
}

bool rm_file_place_count_is_full(const struct rm_file_place_count *count)
{
    return count->at_whole >= RM_PLACE_MAX || count->at_top >= RM_PLACE_TOP_MAX;
}
