#include "sim/input/single_server.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/data/heap.h"
#include "base/mem.h"

static const char *const names[SIM_SINGLE_POLICIES] = {"fifo", "ps", "las", "fsp", "srpt", "psbs"};

const char *sim_single_policy_name(enum sim_single_policy policy)
{
    return names[policy];
}

int sim_single_policy_find(const char *name, enum sim_single_policy *out, struct base_error *err)
{
    for (int i = 0; i < SIM_SINGLE_POLICIES; i++)
        if (strcmp(name, names[i]) == 0) {
            *out = (enum sim_single_policy)i;
            return 0;
        }
    return base_error_set(err, -BASE_ENOTFOUND,
                          "no single-server policy '%s': there are fifo, ps, las, fsp, srpt, psbs",
                          name);
}

/* ---------------------------------------------------------------- heaps of jobs
 * Jobs are identified by their rank in order of (submission, index). Comparing ranks therefore
 * breaks ties. */
struct item {
    double key;
    uint32_t job;
};
struct heap {
    struct item *v;
    size_t n;
};

static bool heap_item_is_smaller(struct item a, struct item b)
{
    return a.key < b.key || (a.key == b.key && a.job < b.job);
}

BASE_HEAP_SIFT(sift, struct item, heap_item_is_smaller, BASE_HEAP_NO_INDEX)

static void heap_push(struct heap *h, double key, uint32_t job)
{
    h->v[h->n] = (struct item){key, job};
    h->n++;
    sift(h->v, h->n, h->n - 1);
}

static void heap_pop(struct heap *h)
{
    h->v[0] = h->v[--h->n];
    sift(h->v, h->n, 0);
}

/* ---------------------------------------------------------------- state of a run */
struct run {
    size_t n, next;                         /* number of jobs; first job that has not arrived */
    double *submit, *size, *guess, *weight; /* by rank */
    double *left;                           /* remaining work, by rank */
    double *finish;                         /* time of the end, by rank */
    double t;
    struct heap a, b, c; /* heaps; each policy uses as many as it needs */
};

/* The time of the next arrival; INFINITY when there is none. */
static double next_arrival_time(const struct run *r)
{
    return r->next < r->n ? r->submit[r->next] : INFINITY;
}

/* First in, first out: each job starts when it arrives or when its predecessor ends. */
static void run_fifo(struct run *r)
{
    for (uint32_t i = 0; i < r->n; i++) {
        r->t = fmax(r->t, r->submit[i]) + r->size[i];
        r->finish[i] = r->t;
    }
}

/* ------------------------------------------------------- shared service by weight, in virtual time
 * @lag is the service received by a job of weight 1 since @lag was last reset to 0; it grows at
 * rate 1 / (sum of weights). A job of work s and weight w that arrives at lag g ends at lag g +
 * s/w, whatever arrives later. End lags therefore never change, and a heap suffices. */
struct share {
    struct heap *jobs; /* keyed by the lag at which each job ends */
    double lag, weights;
};

static double share_next_end_time(const struct share *s, double t)
{
    return s->jobs->n ? fmax(t, t + (s->jobs->v[0].key - s->lag) * s->weights) : INFINITY;
}

static void share_advance_lag(struct share *s, double dt)
{
    if (s->jobs->n)
        s->lag += dt / s->weights;
}

static void share_add_job(struct share *s, uint32_t job, double work, double weight)
{
    heap_push(s->jobs, s->lag + work / weight, job);
    s->weights += weight;
}

/* Removes the job that ends first and advances the lag to its end. */
static uint32_t share_end_first_job(struct share *s, const double *weight)
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
        double end = share_next_end_time(&s, r->t), come = next_arrival_time(r);

        if (end <= come) {
            r->t = end;
            r->finish[share_end_first_job(&s, r->weight)] = end;
            if (!s.jobs->n)
                s.lag = 0; /* small numbers keep their precision */
        } else {
            share_advance_lag(&s, come - r->t);
            r->t = come;
            share_add_job(&s, (uint32_t)r->next, r->size[r->next], r->weight[r->next]);
            r->next++;
        }
    }
}

/* ---------------------------------------------------------------- least attained service
 * Groups of jobs with equal attained service form a stack, the group with the least on top. The top
 * group shares the server equally until its smallest job ends or its attained service reaches that
 * of the group below; then the two groups merge. A new job is a group of its own with no service.
 * Groups are leftist heaps ordered by size, which merge in O(log n). */
#define NONE UINT32_MAX
struct tree {
    uint32_t left, right, rank;
};
struct group {
    double attained;
    uint32_t root, n;
};
struct las {
    struct tree *tree; /* indexed by job */
    struct group *v;
    size_t n;
};

static uint32_t leftist_rank(const struct las *l, uint32_t x)
{
    return x == NONE ? 0 : l->tree[x].rank;
}

/* Merges two leftist heaps. The recursion follows right spines, so its depth is O(log n). */
static uint32_t leftist_merge(const struct run *r, struct las *l, uint32_t x, uint32_t y)
{
    struct tree *t;

    if (x == NONE || y == NONE)
        return x == NONE ? y : x;
    if (heap_item_is_smaller((struct item){r->size[y], y}, (struct item){r->size[x], x})) {
        uint32_t swap = x;
        x = y;
        y = swap;
    }
    t = &l->tree[x];
    t->right = leftist_merge(r, l, t->right, y);
    if (leftist_rank(l, t->left) < leftist_rank(l, t->right)) {
        uint32_t swap = t->left;
        t->left = t->right;
        t->right = swap;
    }
    t->rank = leftist_rank(l, t->right) + 1;
    return x;
}

static void las_end_smallest_of_top(struct run *r, struct las *l, double at)
{
    struct group *g = &l->v[l->n - 1];
    uint32_t job = g->root;

    r->t = at;
    r->finish[job] = at;
    g->attained = r->size[job];
    g->root = leftist_merge(r, l, l->tree[job].left, l->tree[job].right);
    if (--g->n == 0)
        l->n--;
}

static void las_merge_top_groups(struct run *r, struct las *l, double at)
{
    struct group *top = &l->v[l->n - 1], *under = &l->v[l->n - 2];

    r->t = at;
    under->root = leftist_merge(r, l, under->root, top->root);
    under->n += top->n;
    l->n--;
}

static void las_push_arrival(struct run *r, struct las *l, double at)
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
        double end = INFINITY, join = INFINITY, come = next_arrival_time(r);

        if (top)
            end = fmax(r->t, r->t + (r->size[top->root] - top->attained) * top->n);
        if (l.n > 1)
            join = fmax(r->t, r->t + (l.v[l.n - 2].attained - top->attained) * top->n);
        if (end <= join && end <= come)
            las_end_smallest_of_top(r, &l, end);
        else if (join <= come)
            las_merge_top_groups(r, &l, join);
        else
            las_push_arrival(r, &l, come);
    }
    free(l.tree);
    free(l.v);
}

/* -------------------------------------------------------------- shortest remaining processing time
 * Only the key of the job in service, which is on top of the heap, changes, and it only decreases:
 * the heap stays in order. */
static void run_srpt(struct run *r)
{
    while (r->next < r->n || r->a.n) {
        struct item *first = r->a.n ? &r->a.v[0] : NULL;
        double end = first ? r->t + r->left[first->job] : INFINITY, come = next_arrival_time(r);

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
 * A virtual server runs beside the real one: processor sharing on the estimates. A job's virtual
 * end lag is fixed at arrival, so one heap with that key gives the real server's order. Late jobs
 * (ended on the virtual server, not on the real one) have the smallest keys and come first without
 * further effort. Under psbs they move to a share of their own instead. */
struct fsp {
    struct share virt;  /* the virtual server; heap a */
    struct heap *order; /* heap b: jobs unfinished on the real server, except those in @late */
    struct share late;  /* heap c: late jobs under psbs */
    bool late_share;
};

/* Lets the real server work for @dt: under psbs on all late jobs if there are any, otherwise on the
 * first job in order. */
static void fsp_advance_real_server(struct run *r, struct fsp *f, double dt)
{
    if (f->late.jobs->n)
        share_advance_lag(&f->late, dt);
    else if (f->order->n)
        r->left[f->order->v[0].job] -= dt;
}

static double fsp_next_real_end_time(const struct run *r, const struct fsp *f)
{
    if (f->late.jobs->n)
        return share_next_end_time(&f->late, r->t);
    return f->order->n ? fmax(r->t, r->t + r->left[f->order->v[0].job]) : INFINITY;
}

static void fsp_end_job_on_real_server(struct run *r, struct fsp *f)
{
    uint32_t job;

    if (f->late.jobs->n) {
        job = share_end_first_job(&f->late, r->weight);
        if (!f->late.jobs->n)
            f->late.lag = 0;
    } else {
        job = f->order->v[0].job;
        heap_pop(f->order);
    }
    r->left[job] = 0;
    r->finish[job] = r->t;
}

/* Ends the first job on the virtual server. Under psbs, a job that is unfinished on the real server
 * moves to @late. Both heaps use the same keys, so such a job is the first in @order. */
static void fsp_end_job_on_virtual_server(struct run *r, struct fsp *f)
{
    uint32_t job = share_end_first_job(&f->virt, r->weight);

    if (!f->late_share || !f->order->n || f->order->v[0].job != job)
        return;
    heap_pop(f->order);
    share_add_job(&f->late, job, fmax(0, r->left[job]), r->weight[job]);
}

static void fsp_add_arrival(struct run *r, struct fsp *f)
{
    uint32_t job = (uint32_t)r->next++;
    double key = f->virt.lag + r->guess[job] / r->weight[job];

    share_add_job(&f->virt, job, r->guess[job], r->weight[job]);
    heap_push(f->order, key, job);
}

static void run_fsp(struct run *r, bool late_share)
{
    struct fsp f = {
        .virt.jobs = &r->a, .order = &r->b, .late.jobs = &r->c, .late_share = late_share};

    while (r->next < r->n || f.order->n || f.late.jobs->n || f.virt.jobs->n) {
        double end = fsp_next_real_end_time(r, &f), over = share_next_end_time(&f.virt, r->t),
               come = next_arrival_time(r);
        double at = fmin(end, fmin(over, come));

        /* An end on the real server goes first: a job that ends on both servers at the same moment
         * is not late. */
        if (end <= at) {
            share_advance_lag(&f.virt, at - r->t);
            r->t = at;
            fsp_end_job_on_real_server(r, &f);
        } else if (over <= at) {
            fsp_advance_real_server(r, &f, at - r->t);
            r->t = at;
            fsp_end_job_on_virtual_server(r, &f);
        } else {
            fsp_advance_real_server(r, &f, at - r->t);
            share_advance_lag(&f.virt, at - r->t);
            r->t = at;
            fsp_add_arrival(r, &f);
        }
        if (!f.virt.jobs->n && !f.order->n)
            /* No remaining job compares its key with new ones, since late jobs use their own lag.
             * Restart at 0 to keep precision. */
            f.virt.lag = 0;
    }
}

/* ---------------------------------------------------------------- public functions */
struct place {
    double submit_s;
    size_t index;
};

static int compare_submission(const void *x, const void *y)
{
    const struct place *a = x, *b = y;

    if (a->submit_s != b->submit_s)
        return a->submit_s < b->submit_s ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static struct place *alloc_places_by_submission(const struct sim_single_job *jobs, size_t n)
{
    struct place *p = base_alloc(n * sizeof *p);

    for (size_t i = 0; i < n; i++)
        p[i] = (struct place){jobs[i].submit_s, i};
    qsort(p, n, sizeof *p, compare_submission);
    return p;
}

static void alloc_run_arrays(struct run *r, size_t n)
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

void sim_single_server_run(enum sim_single_policy policy, const struct sim_single_job *jobs,
                           size_t n, const double *estimates_s, const double *weights,
                           double *finish_s)
{
    struct place *p = alloc_places_by_submission(jobs, n);
    struct run r;

    base_assert(n < NONE);
    alloc_run_arrays(&r, n);
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

void sim_single_scale_to_load(struct sim_single_job *jobs, size_t n, double load)
{
    double sum = 0, last = 0;

    for (size_t i = 0; i < n; i++) {
        sum += jobs[i].size_s;
        last = fmax(last, jobs[i].submit_s);
    }
    for (size_t i = 0; i < n && sum > 0 && last > 0; i++)
        jobs[i].size_s *= load * last / sum;
}

double sim_single_bytes_moved(double input_bytes, double shuffle_bytes, double output_bytes)
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
