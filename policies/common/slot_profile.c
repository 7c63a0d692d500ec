#include "policies/common/slot_profile.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

#define FIRST_CAP 64

static int64_t max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void reserve_runs(struct slot_run **v, size_t *cap, size_t n)
{
    if (n <= *cap)
        return;
    *cap = n * 2 > FIRST_CAP ? n * 2 : FIRST_CAP;
    *v = base_realloc_array(*v, *cap, sizeof **v);
}

/* Moves the runs so that they begin at a quarter of the capacity, which grows to four times @runs
 * if necessary. Times only grow, so runs move to the right: most of the free space is left there.
 */
static void recentre_runs_and_reserve(struct slot_profile *p, size_t runs)
{
    size_t n = p->tail - p->head, cap = runs * 4 > FIRST_CAP ? runs * 4 : FIRST_CAP, head;
    struct slot_run *v;

    if (cap <= p->cap) {
        head = p->cap / 4;
        memmove(p->v + head, p->v + p->head, n * sizeof *p->v);
    } else {
        v = base_realloc_array(NULL, cap, sizeof *v);
        head = cap / 4;
        if (n)
            memcpy(v + head, p->v + p->head, n * sizeof *v);
        free(p->v);
        p->v = v;
        p->cap = cap;
    }
    p->head = head;
    p->tail = head + n;
}

void slot_profile_reset(struct slot_profile *p, int64_t slots, int64_t at_us)
{
    p->head = p->tail = 0;
    recentre_runs_and_reserve(p, 1);
    p->slots = slots;
    if (slots > 0)
        p->v[p->tail++] = (struct slot_run){at_us, slots};
}

void slot_profile_copy(struct slot_profile *to, const struct slot_profile *from)
{
    size_t n = from->tail - from->head;

    to->head = to->tail = 0;
    if (to->cap < n * 2 + FIRST_CAP)
        recentre_runs_and_reserve(to, n + FIRST_CAP);
    to->head = to->cap / 4;
    to->tail = to->head + n;
    if (n)
        memcpy(to->v + to->head, from->v + from->head, n * sizeof *to->v);
    to->slots = from->slots;
}

void slot_profile_free(struct slot_profile *p)
{
    free(p->v);
    free(p->block);
    free(p->window);
    *p = (struct slot_profile){0};
}

/* Returns the first run in [lo, hi) at or after @at_us, or @hi. Most searches end at @hi, which is
 * therefore tried first. */
static size_t first_run_at_or_after(const struct slot_profile *p, size_t lo, size_t hi,
                                    int64_t at_us)
{
    if (lo < hi && p->v[hi - 1].at_us < at_us)
        return hi;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (p->v[mid].at_us < at_us)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Makes the window [lo, hi) of the runs @n runs wide by moving the runs on its shorter side.
 * Returns the new start of the window. */
static size_t resize_window(struct slot_profile *p, size_t lo, size_t hi, size_t n)
{
    size_t before = lo - p->head, after = p->tail - hi, more = n > hi - lo ? n - (hi - lo) : 0,
           less = hi - lo > n ? hi - lo - n : 0;
    bool left = before <= after;

    if (more && (left ? p->head < more : p->cap - p->tail < more)) {
        left = !left;
        if (left ? p->head < more : p->cap - p->tail < more) {
            recentre_runs_and_reserve(p, p->tail - p->head + more);
            lo = p->head + before;
            hi = p->tail - after;
            left = before <= after;
        }
    }
    if (left) {
        size_t head = p->head + less - more;

        memmove(p->v + head, p->v + p->head, before * sizeof *p->v);
        p->head = head;
        return head + before;
    }
    memmove(p->v + lo + n, p->v + hi, after * sizeof *p->v);
    p->tail = lo + n + after;
    return lo;
}

/* Adds the @n ascending runs of block[] to the profile; equal times become one run. */
static void merge_block_into_profile(struct slot_profile *p, size_t n)
{
    size_t lo, hi, out = 0, i, j = 0;
    const struct slot_run *b = p->block;
    struct slot_run *w;

    if (!n)
        return;
    lo = first_run_at_or_after(p, p->head, p->tail, b[0].at_us);
    hi = n == 1 && (lo == p->tail || p->v[lo].at_us > b[0].at_us)
             ? lo
             : first_run_at_or_after(p, lo, p->tail, b[n - 1].at_us + 1);
    reserve_runs(&p->window, &p->window_cap, n + (hi - lo));
    w = p->window;
    for (i = lo; i < hi || j < n;) {
        if (j == n || (i < hi && p->v[i].at_us < b[j].at_us)) {
            w[out++] = p->v[i++];
        } else if (i < hi && p->v[i].at_us == b[j].at_us) {
            w[out] = p->v[i++];
            w[out++].n += b[j++].n;
        } else {
            w[out++] = b[j++];
        }
    }
    lo = resize_window(p, lo, hi, out);
    memcpy(p->v + lo, w, out * sizeof *w);
}

/* Appends @count slots at @at_us to the @n runs of block[], joining equal times. Returns the new
 * number of runs. */
static size_t append_to_block(struct slot_profile *p, size_t n, int64_t at_us, int64_t count)
{
    if (n && p->block[n - 1].at_us == at_us) {
        p->block[n - 1].n += count;
        return n;
    }
    p->block[n] = (struct slot_run){at_us, count};
    return n + 1;
}

/* Takes the @n smallest times t out of the profile and writes max(t, floor_us) + by_us to block[].
 * Returns the number of runs in block[]. */
static size_t move_smallest_raised_to_block(struct slot_profile *p, int64_t n, int64_t floor_us,
                                            int64_t by_us)
{
    size_t out = 0, runs = 0;
    int64_t left = n;

    while (left > 0) {
        base_assert(p->head + runs < p->tail);
        left -= p->v[p->head + runs++].n;
    }
    reserve_runs(&p->block, &p->block_cap, runs + 1);
    while (n > 0) {
        struct slot_run *r = &p->v[p->head];
        int64_t take = min64(n, r->n);

        out = append_to_block(p, out, max64(r->at_us, floor_us) + by_us, take);
        n -= take;
        r->n -= take;
        if (!r->n)
            p->head++;
    }
    return out;
}

int64_t slot_profile_place_tasks(struct slot_profile *p, int64_t n, int64_t eps_us,
                                 int64_t floor_us)
{
    int64_t last = floor_us;

    while (n > 0) {
        int64_t first, end, count = 0, waves, next;
        size_t i;

        if (p->head == p->tail || floor_us >= SLOT_NEVER || p->v[p->head].at_us >= SLOT_NEVER)
            return SLOT_NEVER;
        first = end = max64(p->v[p->head].at_us, floor_us);
        /* the block: the runs that are taken in full before any of them is taken again */
        for (i = p->head; i < p->tail && count < n && p->v[i].at_us <= first + eps_us &&
                          p->v[i].at_us < SLOT_NEVER;
             i++) {
            count += p->v[i].n;
            end = max64(p->v[i].at_us, floor_us);
        }
        if (count > n) {
            merge_block_into_profile(p, move_smallest_raised_to_block(p, n, floor_us, eps_us));
            return end + eps_us;
        }
        next = i < p->tail ? max64(p->v[i].at_us, end) : SLOT_NEVER;
        waves = min64(n / count, (next - end) / eps_us + 1);
        merge_block_into_profile(p,
                                 move_smallest_raised_to_block(p, count, floor_us, waves * eps_us));
        last = end + waves * eps_us;
        n -= waves * count;
    }
    return last;
}

/* Each step removes the smallest time and inserts ends_us[i]. The ends are ascending, so a step
 * removes the smaller of two heads: the profile's and that of the ends inserted so far. Merging the
 * two lists finds which ends are removed again (the first `gone` ones) without inserting them. */
void slot_profile_replace_smallest(struct slot_profile *p, const int64_t *ends_us, size_t n)
{
    size_t gone = 0, out = 0;

    if (!n || p->head == p->tail)
        return;
    for (size_t left = n; left > 0; left--) {
        if (left < n && (p->head == p->tail || ends_us[gone] < p->v[p->head].at_us)) {
            gone++;
        } else if (!--p->v[p->head].n) {
            p->head++;
        }
    }
    reserve_runs(&p->block, &p->block_cap, n);
    for (size_t i = gone; i < n; i++)
        out = append_to_block(p, out, ends_us[i], 1);
    merge_block_into_profile(p, out);
}

void slot_profile_delay_until(struct slot_profile *p, const struct slot_run *until, size_t n)
{
    int64_t count = 0, over, i_left, j_left;
    size_t i = 0, j = 0, out = 0, taken;
    struct slot_run *held;

    for (size_t k = 0; k < n; k++)
        count += until[k].n;
    over = count - p->slots;
    for (; over > 0 && until[j].n <= over; j++)
        over -= until[j].n;
    count = min64(count, p->slots);
    if (count <= 0)
        return;
    taken = move_smallest_raised_to_block(p, count, INT64_MIN, 0);
    /* the pairs are collected in block[] after the taken runs, then moved to its front */
    reserve_runs(&p->block, &p->block_cap, taken * 2 + n);
    held = p->block + taken;
    i_left = p->block[0].n;
    j_left = until[j].n - (over > 0 ? over : 0);
    while (i < taken) {
        int64_t both = min64(i_left, j_left), at = max64(p->block[i].at_us, until[j].at_us);

        if (out && held[out - 1].at_us == at)
            held[out - 1].n += both;
        else
            held[out++] = (struct slot_run){at, both};
        i_left -= both;
        j_left -= both;
        if (!i_left && ++i < taken)
            i_left = p->block[i].n;
        if (!j_left && ++j < n)
            j_left = until[j].n;
    }
    memmove(p->block, held, out * sizeof *held);
    merge_block_into_profile(p, out);
}

void slot_profile_raise_to(struct slot_profile *p, int64_t now_us)
{
    int64_t n = 0;

    while (p->head < p->tail && p->v[p->head].at_us <= now_us)
        n += p->v[p->head++].n;
    if (n)
        p->v[--p->head] = (struct slot_run){now_us, n};
}

static int64_t count_unavailable_slots(const struct slot_profile *p)
{
    return p->head < p->tail && p->v[p->tail - 1].at_us >= SLOT_NEVER ? p->v[p->tail - 1].n : 0;
}

void slot_profile_set_unavailable(struct slot_profile *p, int64_t n, int64_t now_us)
{
    int64_t have = count_unavailable_slots(p);

    n = min64(max64(n, 0), p->slots);
    if (n > have) {
        size_t runs = move_smallest_raised_to_block(p, n - have, SLOT_NEVER, 0);

        merge_block_into_profile(p, runs);
    } else if (n < have) {
        struct slot_run *last = &p->v[p->tail - 1];

        last->n = n;
        if (!n)
            p->tail--;
        reserve_runs(&p->block, &p->block_cap, 1);
        merge_block_into_profile(p, append_to_block(p, 0, now_us, have - n));
    }
}

void slot_profile_resize(struct slot_profile *p, int64_t slots, int64_t now_us)
{
    slots = max64(slots, 0);
    if (slots > p->slots) {
        reserve_runs(&p->block, &p->block_cap, 1);
        merge_block_into_profile(p, append_to_block(p, 0, now_us, slots - p->slots));
    } else if (slots < p->slots) {
        move_smallest_raised_to_block(p, p->slots - slots, INT64_MIN, 0);
    }
    p->slots = slots;
}
