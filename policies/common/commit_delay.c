#include "policies/common/commit_delay.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static struct commit_delay_entry *entry_at(const struct commit_delay *c, size_t i)
{
    return &c->v[(c->head + i) % c->cap];
}

static void double_capacity(struct commit_delay *c)
{
    size_t cap = c->cap ? 2 * c->cap : 64;
    struct commit_delay_entry *v = base_realloc_array(NULL, cap, sizeof *v);

    for (size_t i = 0; i < c->n; i++)
        v[i] = *entry_at(c, i);
    free(c->v);
    c->v = v;
    c->cap = cap;
    c->head = 0;
}

bool commit_delay_add_ended(struct commit_delay *c, struct policy_job *job,
                            enum base_task_kind kind, int64_t now_us)
{
    if (c->delay_us <= 0)
        return false;
    if (c->n == c->cap)
        double_capacity(c);
    *entry_at(c, c->n++) = (struct commit_delay_entry){now_us + c->delay_us, job, kind};
    return true;
}

bool commit_delay_pop_expired(struct commit_delay *c, int64_t now_us, struct policy_job **job,
                              enum base_task_kind *kind)
{
    while (c->n > 0 && entry_at(c, 0)->until_us <= now_us) {
        *job = entry_at(c, 0)->job;
        *kind = entry_at(c, 0)->kind;
        c->head = (c->head + 1) % c->cap;
        c->n--;
        if (*job)
            return true;
    }
    return false;
}

int64_t commit_delay_next_expiry_us(const struct commit_delay *c, int64_t now_us)
{
    if (c->delay_us <= 0)
        return INT64_MAX;
    return c->n > 0 ? entry_at(c, 0)->until_us : now_us + c->delay_us;
}

void commit_delay_remove_job(struct commit_delay *c, const struct policy_job *job)
{
    for (size_t i = 0; i < c->n; i++)
        if (entry_at(c, i)->job == job)
            entry_at(c, i)->job = NULL;
}

void commit_delay_free(struct commit_delay *c)
{
    free(c->v);
    *c = (struct commit_delay){0};
}
