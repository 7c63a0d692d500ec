/* The set of ids of forgotten containers, described in core_internal.h. */
#include <stdlib.h>

#include "base/mem.h"
#include "nodemanager/core/core_internal.h"

static size_t find_entry_or_empty(const struct nm_id_set *s, const struct base_container_id *id)
{
    uint64_t h =
        ((uint64_t)id->num ^ (uint64_t)id->attempt.attempt << 48) * UINT64_C(0x9E3779B97F4A7C15);
    size_t i = (size_t)(h >> 32) & (s->cap - 1);
    while (s->v[i].num >= 0 && (s->v[i].num != id->num || s->v[i].attempt != id->attempt.attempt))
        i = (i + 1) & (s->cap - 1);
    return i;
}

static void double_capacity(struct nm_id_set *s)
{
    struct nm_id_set old = *s;
    s->cap = old.cap ? old.cap * 2 : 16;
    s->v = base_realloc_array(NULL, s->cap, sizeof *s->v);
    for (size_t i = 0; i < s->cap; i++)
        s->v[i].num = -1;
    for (size_t i = 0; i < old.cap; i++) {
        if (old.v[i].num >= 0) {
            struct base_container_id id = {.num = old.v[i].num,
                                           .attempt.attempt = old.v[i].attempt};
            s->v[find_entry_or_empty(s, &id)] = old.v[i];
        }
    }
    free(old.v);
}

void nm_id_set_add(struct nm_id_set *s, const struct base_container_id *id)
{
    if (id->num < 0)
        return;
    if ((s->len + 1) * 2 > s->cap)
        double_capacity(s);
    size_t i = find_entry_or_empty(s, id);
    s->len += s->v[i].num < 0;
    s->v[i] = (struct nm_id_key){.num = id->num, .attempt = id->attempt.attempt};
}

bool nm_id_set_has(const struct nm_id_set *s, const struct base_container_id *id)
{
    return s->cap && id->num >= 0 && s->v[find_entry_or_empty(s, id)].num >= 0;
}

void nm_id_set_free(struct nm_id_set *s)
{
    free(s->v);
    *s = (struct nm_id_set){0};
}
