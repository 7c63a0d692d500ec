#include "sim/input/single_server.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char *const names[SIM_SINGLE_POLICIES] = {"fifo", "ps", "las", "fsp", "srpt", "psbs"};

const char *sim_single_name(enum sim_single_policy policy)
{
    return names[policy];
}

int sim_single_find(const char *name, enum sim_single_policy *out, struct base_error *err)
{
    for (int i = 0; i < SIM_SINGLE_POLICIES; i++)
        if (strcmp(name, names[i]) == 0) {
            *out = (enum sim_single_policy)i;
            return 0;
        }
    return base_error_set(err, -BASE_ENOTFOUND,
                          "no single-server policy '%s': there are fifo, ps, las, fsp, srpt, psbs", name);
}

/* ---------------------------------------------------------------- heaps of jobs
 * A job is its rank by (submission, index), so that comparing ranks breaks ties. */
struct item {
    double key;
    uint32_t job;
};
struct heap {
    struct item *v;
    size_t n;
};

static bool before(struct item a, struct item b)
{
    return a.key < b.key || (a.key == b.key && a.job < b.job);
}

static void heap_push(struct heap *h, double key, uint32_t job)
{
    struct item it = {key, job};
    size_t i = h->n++;

    while (i > 0 && before(it, h->v[(i - 1) / 2])) {
        h->v[i] = h->v[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    h->v[i] = it;
}

static void heap_pop(struct heap *h)
{
    struct item last = h->v[--h->n];
    size_t i = 0;

    for (;;) {
        size_t child = 2 * i + 1;

        if (child >= h->n)
            break;
        if (child + 1 < h->n && before(h->v[child + 1], h->v[child]))
            child++;
        if (!before(h->v[child], last))
            break;
        h->v[i] = h->v[child];
        i = child;
    }
    h->v[i] = last;
}

/* ---------------------------------------------------------------- a run */
struct run {
    size_t n, next;                         /* jobs; the first that has not arrived */
    double *submit, *size, *guess, *weight; /* by rank */
    double *left;                           /* work left */
    double *finish;                         /* by rank */
    double t;
    struct heap a, b, c; /* what they hold is the policy's */
};

/* The time of the next arrival; INFINITY when there is none. */
static double arrival(const struct run *r)
{
    return r->next < r->n ? r->submit[r->next] : INFINITY;
}

static void run_fifo(struct run *r)
{
    for (uint32_t i = 0; i < r->n; i++) {
        r->t = fmax(r->t, r->submit[i]) + r->size[i];
        r->finish[i] = r->t;
    }
}

/* ---------------------------------------------------------------- shared service by weight, in virtual time
 * @lag is the service that a job of weight 1 has had since the server was last idle: it grows at rate 1 / (sum of
 * weights). A job that comes at lag g with work s ends at lag g + s/w, whatever comes later. */
struct share {
    struct heap *jobs; /* by the lag at which they end */
    double lag, weights;
};

static double share_next(const struct share *s, double t)
{
    return s->jobs->n ? fmax(t, t + (s->jobs->v[0].key - s->lag) * s->weights) : INFINITY;
}

static void share_advance(struct share *s, double dt)
{
    if (s->jobs->n)
        s->lag += dt / s->weights;
}

static void share_add(struct share *s, uint32_t job, double work, double weight)
{
    heap_push(s->jobs, s->lag + work / weight, job);
    s->weights += weight;
}

/* Takes the first out, at its lag. */
static uint32_t share_take(struct share *s, const double *weight)
{
    struct item it = s->jobs->v[0];

    heap_pop(s->jobs);
    s->lag = it.key;
    s->weights = s->jobs->n ? s->weights - weight[it.job] : 0;
    return it.job;
}

static void run_ps(struct run *r)
{
    struct share s = {.jobs = &r->a};

    while (r->next < r->n || r->a.n) {
        double end = share_next(&s, r->t), come = arrival(r);

        if (end <= come) {
            r->t = end;
            r->finish[share_take(&s, r->weight)] = end;
            if (!s.jobs->n)
                s.lag = 0; /* small numbers keep their digits */
        } else {
            share_advance(&s, come - r->t);
            r->t = come;
            share_add(&s, (uint32_t)r->next, r->size[r->next], r->weight[r->next]);
            r->next++;
        }
    }
}

/* ---------------------------------------------------------------- least attained service
 * Groups of jobs with equal service form a stack, least on top. The top group shares the server until its smallest job
 * ends or it has had what the next group has: then they become one. Groups are leftist heaps by size, merged in
 * O(log n). */
#define NONE UINT32_MAX
struct tree {
    uint32_t left, right, rank;
};
struct group {
    double attained;
    uint32_t root, n;
};
struct las {
    struct tree *tree; /* by job */
    struct group *v;
    size_t n;
};

static uint32_t rank_of(const struct las *l, uint32_t x)
{
    return x == NONE ? 0 : l->tree[x].rank;
}

/* Recursion runs down right spines: O(log n) deep. */
static uint32_t merge(const struct run *r, struct las *l, uint32_t x, uint32_t y)
{
    struct tree *t;

    if (x == NONE || y == NONE)
        return x == NONE ? y : x;
    if (before((struct item){r->size[y], y}, (struct item){r->size[x], x})) {
        uint32_t swap = x;
        x = y;
        y = swap;
    }
    t = &l->tree[x];
    t->right = merge(r, l, t->right, y);
    if (rank_of(l, t->left) < rank_of(l, t->right)) {
        uint32_t swap = t->left;
        t->left = t->right;
        t->right = swap;
    }
    t->rank = rank_of(l, t->right) + 1;
    return x;
}

static void las_end(struct run *r, struct las *l, double at)
{
    struct group *g = &l->v[l->n - 1];
    uint32_t job = g->root;

    r->t = at;
    r->finish[job] = at;
    g->attained = r->size[job];
    g->root = merge(r, l, l->tree[job].left, l->tree[job].right);
    if (--g->n == 0)
        l->n--;
}

static void las_join(struct run *r, struct las *l, double at)
{
    struct group *top = &l->v[l->n - 1], *under = &l->v[l->n - 2];

    r->t = at;
    under->root = merge(r, l, under->root, top->root);
    under->n += top->n;
    l->n--;
}

static void las_arrive(struct run *r, struct las *l, double at)
{
    uint32_t job = (uint32_t)r->next++;

    if (l->n)
        l->v[l->n - 1].attained += (at - r->t) / l->v[l->n - 1].n;
    r->t = at;
    l->tree[job] = (struct tree){NONE, NONE, 1};
    l->v[l->n++] = (struct group){0, job, 1};
}

static void run_las(struct run *r)
{
    struct las l = {.tree = base_alloc(r->n * sizeof *l.tree), .v = base_alloc(r->n * sizeof *l.v)};

    while (r->next < r->n || l.n) {
        const struct group *top = l.n ? &l.v[l.n - 1] : NULL;
        double end = INFINITY, join = INFINITY, come = arrival(r);

        if (top)
            end = fmax(r->t, r->t + (r->size[top->root] - top->attained) * top->n);
        if (l.n > 1)
            join = fmax(r->t, r->t + (l.v[l.n - 2].attained - top->attained) * top->n);
        if (end <= join && end <= come)
            las_end(r, &l, end);
        else if (join <= come)
            las_join(r, &l, join);
        else
            las_arrive(r, &l, come);
    }
    free(l.tree);
    free(l.v);
}

/* ---------------------------------------------------------------- shortest remaining processing time
 * Only the served job's key changes, and it only falls: it stays the first of the heap. */
static void run_srpt(struct run *r)
{
    while (r->next < r->n || r->a.n) {
        struct item *first = r->a.n ? &r->a.v[0] : NULL;
        double end = first ? r->t + r->left[first->job] : INFINITY, come = arrival(r);

        if (end <= come) {
            r->t = end;
            r->finish[first->job] = end;
            heap_pop(&r->a);
            continue;
        }
        if (first) {
            first->key -= come - r->t;
            r->left[first->job] -= come - r->t;
        }
        r->t = come;
        heap_push(&r->a, r->guess[r->next], (uint32_t)r->next);
        r->next++;
    }
}

/* ---------------------------------------------------------------- fair sojourn protocol
 * Beside the real server runs a virtual one, ps on the estimates. The lag at which a job ends there is fixed when it
 * comes, so one heap of that key is the order of the real server. Late jobs have the smallest keys: they are first by
 * themselves. Under psbs they move into a share of their own instead. */
struct fsp {
    struct share virt;  /* heap a */
    struct heap *order; /* heap b: really unfinished, not in @late */
    struct share late;  /* heap c: psbs */
    bool late_share;
};

static void fsp_serve(struct run *r, struct fsp *f, double dt)
{
    if (f->late.jobs->n)
        share_advance(&f->late, dt);
    else if (f->order->n)
        r->left[f->order->v[0].job] -= dt;
}

static double fsp_next_end(const struct run *r, const struct fsp *f)
{
    if (f->late.jobs->n)
        return share_next(&f->late, r->t);
    return f->order->n ? fmax(r->t, r->t + r->left[f->order->v[0].job]) : INFINITY;
}

static void fsp_end(struct run *r, struct fsp *f)
{
    uint32_t job;

    if (f->late.jobs->n) {
        job = share_take(&f->late, r->weight);
        if (!f->late.jobs->n)
            f->late.lag = 0;
    } else {
        job = f->order->v[0].job;
        heap_pop(f->order);
    }
    r->left[job] = 0;
    r->finish[job] = r->t;
}

/* A job is over on the virtual server. The keys of both heaps are the same: if it is not over really, it is first. */
static void fsp_virtual_end(struct run *r, struct fsp *f)
{
    uint32_t job = share_take(&f->virt, r->weight);

    if (!f->late_share || !f->order->n || f->order->v[0].job != job)
        return;
    heap_pop(f->order);
    share_add(&f->late, job, fmax(0, r->left[job]), r->weight[job]);
}

static void fsp_arrive(struct run *r, struct fsp *f)
{
    uint32_t job = (uint32_t)r->next++;
    double key = f->virt.lag + r->guess[job] / r->weight[job];

    share_add(&f->virt, job, r->guess[job], r->weight[job]);
    heap_push(f->order, key, job);
}

static void run_fsp(struct run *r, bool late_share)
{
    struct fsp f = {.virt.jobs = &r->a, .order = &r->b, .late.jobs = &r->c, .late_share = late_share};

    while (r->next < r->n || f.order->n || f.late.jobs->n || f.virt.jobs->n) {
        double end = fsp_next_end(r, &f), over = share_next(&f.virt, r->t), come = arrival(r);
        double at = fmin(end, fmin(over, come));

        if (end <= at) { /* a real end first: who ends with its virtual end is not late */
            share_advance(&f.virt, at - r->t);
            r->t = at;
            fsp_end(r, &f);
        } else if (over <= at) {
            fsp_serve(r, &f, at - r->t);
            r->t = at;
            fsp_virtual_end(r, &f);
        } else {
            fsp_serve(r, &f, at - r->t);
            share_advance(&f.virt, at - r->t);
            r->t = at;
            fsp_arrive(r, &f);
        }
        if (!f.virt.jobs->n && !f.order->n)
            f.virt.lag = 0; /* nobody compares with keys of before; late ones have lags of their own */
    }
}

/* ---------------------------------------------------------------- the outside */
struct place {
    double submit_s;
    size_t index;
};

static int place_cmp(const void *x, const void *y)
{
    const struct place *a = x, *b = y;

    if (a->submit_s != b->submit_s)
        return a->submit_s < b->submit_s ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static struct place *places(const struct sim_single_job *jobs, size_t n)
{
    struct place *p = base_alloc(n * sizeof *p);

    for (size_t i = 0; i < n; i++)
        p[i] = (struct place){jobs[i].submit_s, i};
    qsort(p, n, sizeof *p, place_cmp);
    return p;
}

static void run_init(struct run *r, size_t n)
{
    memset(r, 0, sizeof *r);
    r->n = n;
    r->submit = base_alloc(6 * n * sizeof *r->submit);
    r->size = r->submit + n;
    r->guess = r->size + n;
    r->weight = r->guess + n;
    r->left = r->weight + n;
    r->finish = r->left + n;
    r->a.v = base_alloc(3 * n * sizeof *r->a.v);
    r->b.v = r->a.v + n;
    r->c.v = r->b.v + n;
}

void sim_single_run(enum sim_single_policy policy, const struct sim_single_job *jobs, size_t n,
                    const double *estimates_s, const double *weights, double *finish_s)
{
    struct place *p = places(jobs, n);
    struct run r;

    base_assert(n < NONE);
    run_init(&r, n);
    for (size_t i = 0; i < n; i++) {
        size_t from = p[i].index;

        r.submit[i] = jobs[from].submit_s;
        r.size[i] = r.left[i] = jobs[from].size_s;
        r.guess[i] = estimates_s ? estimates_s[from] : r.size[i];
        r.weight[i] = weights ? weights[from] : 1;
        base_assert(r.size[i] >= 0 && r.guess[i] >= 0 && r.weight[i] > 0);
    }
    switch (policy) {
    case SIM_SINGLE_FIFO:
        run_fifo(&r);
        break;
    case SIM_SINGLE_PS:
        run_ps(&r);
        break;
    case SIM_SINGLE_LAS:
        run_las(&r);
        break;
    case SIM_SINGLE_SRPT:
        run_srpt(&r);
        break;
    default:
        run_fsp(&r, policy == SIM_SINGLE_PSBS);
        break;
    }
    for (size_t i = 0; i < n; i++)
        finish_s[p[i].index] = r.finish[i];
    free(r.submit);
    free(r.a.v);
    free(p);
}

void sim_single_scale(struct sim_single_job *jobs, size_t n, double load)
{
    double sum = 0, last = 0;

    for (size_t i = 0; i < n; i++) {
        sum += jobs[i].size_s;
        last = fmax(last, jobs[i].submit_s);
    }
    for (size_t i = 0; i < n && sum > 0 && last > 0; i++)
        jobs[i].size_s *= load * last / sum;
}

double sim_single_bytes(double input_bytes, double shuffle_bytes, double output_bytes)
{
    return input_bytes + (1 + 4) * shuffle_bytes + output_bytes;
}

double sim_single_mean_sojourn(const struct sim_single_job *jobs, size_t n, const double *finish_s)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += finish_s[i] - jobs[i].submit_s;
    return n ? sum / (double)n : 0;
}
