#include "policies/common/slot_calendar.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Returns the index of the first step after @at_us. */
static size_t first_step_after(const struct slot_calendar *c, int64_t at_us)
{
    size_t low = 0, high = c->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (c->v[mid].at_us <= at_us)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Returns the index of the step at @at_us, inserting one without a change of n if necessary. */
static size_t split_at(struct slot_calendar *c, int64_t at_us)
{
    size_t i = first_step_after(c, at_us);

    if (i > 0 && c->v[i - 1].at_us == at_us)
        return i - 1;
    base_array_grow(&c->v, c->n, &c->cap);
    memmove(c->v + i + 1, c->v + i, (c->n++ - i) * sizeof *c->v);
    c->v[i] = (struct slot_step){at_us, i > 0 ? c->v[i - 1].n : 0};
    return i;
}

static void drop_steps_without_change(struct slot_calendar *c)
{
    size_t out = 0;
    int64_t before = 0;

    for (size_t i = 0; i < c->n; i++) {
        if (c->v[i].n == before)
            continue;
        before = c->v[i].n;
        c->v[out++] = c->v[i];
    }
    c->n = out;
}

void slot_calendar_add(struct slot_calendar *c, int64_t start_us, int64_t end_us, int64_t slots)
{
    size_t from, until;

    if (start_us >= end_us || !slots)
        return;
    from = split_at(c, start_us);
    until = split_at(c, end_us);
    for (size_t i = from; i < until; i++)
        c->v[i].n += slots;
    drop_steps_without_change(c);
}

int64_t slot_calendar_peak(const struct slot_calendar *c, int64_t from_us, int64_t until_us)
{
    size_t i;
    int64_t peak;

    if (!c->n || from_us >= until_us)
        return 0;
    i = first_step_after(c, from_us);
    peak = i > 0 ? c->v[i - 1].n : 0;
    for (; i < c->n && c->v[i].at_us < until_us; i++)
        peak = c->v[i].n > peak ? c->v[i].n : peak;
    return peak;
}

double slot_calendar_area(const struct slot_calendar *c, int64_t from_us, int64_t until_us)
{
    size_t i = first_step_after(c, from_us);
    double area = 0;

    for (int64_t at = from_us; at < until_us; i++) {
        int64_t end = i < c->n && c->v[i].at_us < until_us ? c->v[i].at_us : until_us;

        area += i > 0 ? (double)c->v[i - 1].n * (double)(end - at) : 0;
        at = end;
    }
    return area;
}

int64_t slot_calendar_next_step_us(const struct slot_calendar *c, int64_t after_us)
{
    size_t i = first_step_after(c, after_us);

    return i < c->n ? c->v[i].at_us : INT64_MAX;
}

void slot_calendar_copy(struct slot_calendar *to, const struct slot_calendar *from)
{
    if (to->cap < from->n) {
        to->cap = from->n;
        to->v = base_realloc_array(to->v, to->cap, sizeof *to->v);
    }
    if (from->n)
        memcpy(to->v, from->v, from->n * sizeof *to->v);
    to->n = from->n;
}

void slot_calendar_free(struct slot_calendar *c)
{
    free(c->v);
    *c = (struct slot_calendar){0};
}
