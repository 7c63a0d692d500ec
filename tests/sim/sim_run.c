#include "tests/sim/sim_run.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data/heap.h"
#include "base/error.h"

#define BLOCK (256u << 10)

void sim_init(struct sim *s, uint64_t seed, bool logging)
{
    memset(s, 0, sizeof *s);
    s->now_us = 1000 * S; /* the hosts have been up for a while */
    s->rng = seed * UINT64_C(0x9e3779b97f4a7c15) + UINT64_C(0xd1b54a32d192ed03);
    s->logging = logging;
}

void sim_free(struct sim *s)
{
    while (s->later_n) {
        s->later_n--;
        s->later[s->later_n].fn(s->later[s->later_n].p);
    }
    free(s->later);
    free(s->heap);
    for (struct sim_block *b = s->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    s->blocks = NULL;
    s->later = NULL;
    s->heap = NULL;
    s->heap_n = 0;
}

/* ---------------------------------------------------------------- memory */
void *sim_alloc(struct sim *s, size_t size)
{
    struct sim_block *b = s->blocks;
    char *at;

    size = (size + 15) & ~(size_t)15;
    if (!b || b->cap - b->used < size) {
        size_t cap = size > BLOCK ? size : BLOCK;

        b = base_realloc_array(NULL, sizeof *b + cap, 1);
        *b = (struct sim_block){.next = s->blocks, .cap = cap};
        s->blocks = b;
    }
    at = b->data + b->used;
    b->used += size;
    memset(at, 0, size);
    return at;
}

void *sim_copy(struct sim *s, const void *p, size_t size)
{
    char *to = sim_alloc(s, size + 1);

    if (size)
        memcpy(to, p, size);
    return to;
}

char *sim_text(struct sim *s, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return sim_copy(s, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

void sim_defer(struct sim *s, void (*fn)(void *p), void *p)
{
    base_array_grow(&s->later, s->later_n, &s->later_cap);
    s->later[s->later_n++] = (struct sim_later){fn, p};
}

/* ---------------------------------------------------------------- chance */
uint64_t sim_rnd(struct sim *s, uint64_t n)
{
    uint64_t z = (s->rng += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return n ? z % n : 0;
}

int64_t sim_between(struct sim *s, int64_t low, int64_t high)
{
    return high <= low ? low : low + (int64_t)sim_rnd(s, (uint64_t)(high - low) + 1);
}

bool sim_chance(struct sim *s, unsigned permille)
{
    return sim_rnd(s, 1000) < permille;
}

/* ---------------------------------------------------------------- events */
static bool is_before(struct sim_event a, struct sim_event b)
{
    return a.at_us != b.at_us ? a.at_us < b.at_us : a.seq < b.seq;
}

BASE_HEAP_SIFT(sift, struct sim_event, is_before, BASE_HEAP_NO_INDEX)

static void heap_push(struct sim *s, const struct sim_event *ev)
{
    base_array_grow(&s->heap, s->heap_n, &s->heap_cap);
    s->heap[s->heap_n++] = *ev;
    sift(s->heap, s->heap_n, s->heap_n - 1);
}

static struct sim_event heap_pop(struct sim *s)
{
    struct sim_event top = s->heap[0];

    s->heap[0] = s->heap[--s->heap_n];
    sift(s->heap, s->heap_n, 0);
    return top;
}

void sim_at(struct sim *s, int64_t at_us, struct sim_proc *p, enum sim_thread t, sim_fn *fn,
            void *arg, uint64_t tag)
{
    struct sim_event ev = {.at_us = at_us > s->now_us ? at_us : s->now_us,
                           .seq = ++s->seq,
                           .proc = p,
                           .life = p ? p->life : 0,
                           .thread = t,
                           .fn = fn,
                           .arg = arg,
                           .tag = tag};

    heap_push(s, &ev);
}

static void park(struct sim_proc *p, const struct sim_event *ev)
{
    base_array_grow(&p->parked, p->parked_n, &p->parked_cap);
    p->parked[p->parked_n++] = *ev;
}

void sim_run(struct sim *s, int64_t until_us)
{
    while (!s->failed && s->heap_n && s->heap[0].at_us <= until_us) {
        struct sim_event ev = heap_pop(s);

        base_assert(ev.at_us >= s->now_us);
        s->now_us = ev.at_us;
        if (ev.proc && (!ev.proc->up || ev.proc->life != ev.life))
            continue;
        if (ev.proc && ev.proc->stopped) {
            park(ev.proc, &ev);
            continue;
        }
        if (ev.proc && !ev.parked && s->now_us < ev.proc->behind_us[ev.thread]) {
            ev.at_us = ev.proc->behind_us[ev.thread];
            ev.seq = ++s->seq;
            heap_push(s, &ev);
            continue;
        }
        s->events++;
        ev.fn(ev.arg, ev.tag);
    }
    if (!s->failed && s->now_us < until_us)
        s->now_us = until_us;
}

/* ---------------------------------------------------------------- processes */
static void forget_parked(void *p)
{
    struct sim_proc *proc = p;

    free(proc->parked);
    proc->parked = NULL;
    proc->parked_n = proc->parked_cap = 0;
}

void sim_proc_start(struct sim *s, struct sim_proc *p)
{
    base_assert(!p->up);
    if (!p->life)
        sim_defer(s, forget_parked, p);
    p->life++;
    p->up = true;
    p->stopped = false;
}

void sim_proc_kill(struct sim *s, struct sim_proc *p)
{
    (void)s;
    memset(p->behind_us, 0, sizeof p->behind_us);
    p->up = p->stopped = false;
    p->life++;
    p->parked_n = 0;
}

void sim_proc_stop(struct sim *s, struct sim_proc *p)
{
    (void)s;
    p->stopped = p->up;
}

/* The threads wake up one after the other, in random order. */
void sim_proc_cont(struct sim *s, struct sim_proc *p)
{
    int64_t late[SIM_THREADS];

    if (!p->up || !p->stopped)
        return;
    p->stopped = false;
    for (int t = 0; t < SIM_THREADS; t++)
        late[t] = sim_between(s, 0, 2 * MS);
    for (size_t i = 0; i < p->parked_n; i++) {
        struct sim_event ev = p->parked[i];

        ev.at_us = s->now_us + late[ev.thread];
        ev.seq = ++s->seq;
        ev.parked = true;
        heap_push(s, &ev);
        late[ev.thread] += (int64_t)sim_rnd(s, 50);
    }
    for (int t = 0; t < SIM_THREADS; t++)
        p->behind_us[t] = s->now_us + late[t] + 1;
    p->parked_n = 0;
}

/* ---------------------------------------------------------------- log */
void sim_log_line(struct sim *s, const char *fmt, ...)
{
    va_list ap;

    printf("%12.6f  ", (double)(s->now_us - 1000 * S) / 1e6);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
}

void sim_violated(struct sim *s, const char *rule, const char *fmt, ...)
{
    va_list ap;
    int n;

    if (s->failed)
        return;
    s->failed = true;
    s->failed_us = s->now_us;
    n = snprintf(s->failure, sizeof s->failure, "%s: ", rule);
    va_start(ap, fmt);
    vsnprintf(s->failure + n, sizeof s->failure - (size_t)n, fmt, ap);
    va_end(ap);
    sim_log(s, "VIOLATED %s", s->failure);
}
