#include "sim/input/id_set.h"

#include <stdlib.h>

#include "base/mem.h"
#include "sim/engine/rng.h"

/* The slot that holds @id, or the free slot where @id belongs. Linear probing. */
static uint64_t *find_slot(const struct sim_ids *s, uint64_t id)
{
    size_t i = (size_t)sim_mix(id) & (s->size - 1);

    while (s->table[i] && s->table[i] != id)
        i = (i + 1) & (s->size - 1);
    return &s->table[i];
}

/* Rebuilds the table without the ids up to s->upto. The table doubles only if more than a quarter
 * remains in use. */
static void rehash(struct sim_ids *s)
{
    struct sim_ids old = *s;

    s->n = 0;
    for (size_t i = 0; i < old.size; i++)
        s->n += old.table[i] > s->upto;
    s->size = old.size == 0 ? 64 : 4 * s->n > old.size ? 2 * old.size : old.size;
    s->table = base_alloc(s->size * sizeof *s->table);
    for (size_t i = 0; i < old.size; i++)
        if (old.table[i] > s->upto)
            *find_slot(s, old.table[i]) = old.table[i];
    free(old.table);
}

bool sim_ids_add(struct sim_ids *s, uint64_t id)
{
    uint64_t *at;

    if (id <= s->upto)
        return false;
    if (id == s->upto + 1) {
        do
            s->upto++;
        while (s->size && *find_slot(s, s->upto + 1));
        return true;
    }
    if (2 * (s->n + 1) > s->size)
        rehash(s);
    at = find_slot(s, id);
    if (*at)
        return false;
    *at = id;
    s->n++;
    return true;
}

void sim_ids_free(struct sim_ids *s)
{
    free(s->table);
    *s = (struct sim_ids){0};
}
