/* Goal: the fair scheduler's counts, orders, shares and limits are those of the definition after
 * any events. Method: random clusters and events; after each, everything is computed anew from the
 * jobs and compared. */
#include <math.h>

#include "policies/fair/fair_internal.h"
#include "policies/registry.h"
#include "tests/policy/fair_world.h"

static const char *const names[] = {"a", "b", "c.x", "c.y", "c.z.u", "c.z.v"};
#define NAMES (sizeof names / sizeof *names)

static void random_queues(struct world *w)
{
    for (size_t i = 1; i < w->queues.n; i++) {
        struct policy_queue *q = &w->queues.v[i];

        q->weight = world_draw(w, 8) ? (double)(1 + world_draw(w, 6)) / 2 : 0;
        q->order = world_draw(w, 3) ? POLICY_QUEUE_FAIR : POLICY_QUEUE_FIFO;
        q->max_running = world_draw(w, 3) ? INT32_MAX : 1 + (int32_t)world_draw(w, 4);
        if (world_draw(w, 3) == 0)
            world_limit(&q->min, (int64_t)world_draw(w, 40), (int64_t)world_draw(w, 10));
        if (world_draw(w, 5) == 0)
            world_limit(&q->max, 5 + (int64_t)world_draw(w, 40), -1);
    }
    w->queues.user_max_running = world_draw(w, 2) ? INT32_MAX : 3;
}

static bool under(const struct world *w, int32_t queue, int32_t top)
{
    for (; queue >= 0; queue = w->queues.v[queue].parent)
        if (queue == top)
            return true;
    return false;
}

/* Counts of every queue are the sums over its jobs. */
static void check_counts(const struct world *w)
{
    for (int32_t i = 0; i < w->policy->queues_n; i++) {
        const struct fair_queue *q = &w->policy->queues[i];
        int64_t running[BASE_TASK_KINDS] = {0}, wants[BASE_TASK_KINDS] = {0};
        int32_t active = 0;

        for (int j = 0; j < w->n_jobs; j++) {
            const struct fair_job *fj = w->in[j] ? fair_job_of(&w->jobs[j]) : NULL;

            if (!fj || !under(w, w->jobs[j].queue, i))
                continue;
            active += fj->active;
            for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
                running[k] += w->jobs[j].phase[k].running;
                wants[k] += fj->active ? w->jobs[j].phase[k].pending : 0;
            }
        }
        CU_ASSERT_EQUAL(q->active, active);
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
            CU_ASSERT_EQUAL(q->side[k].running, running[k]);
            CU_ASSERT_EQUAL(q->side[k].wants, wants[k]);
        }
    }
}

/* --- the order, by definition --- */

static double needy_ratio(const struct fair_side *s)
{
    double m = fmin(s->min, (double)fair_demand(s));

    return (double)s->running < m ? (double)s->running / fmax(1, m) : -1;
}

static int compare(double a, double b)
{
    /* as fine as the scheduler's fixed point */
    return fabs(a - b) < 1e-9 ? 0 : a < b ? -1 : 1;
}

static double per_weight(double running, double weight)
{
    return weight > 0 ? running / weight : INFINITY;
}

static bool queue_before(const struct world *w, int32_t a, int32_t b, enum base_task_kind k)
{
    const struct fair_queue *p = &w->policy->queues[a], *q = &w->policy->queues[b];
    double x = needy_ratio(&p->side[k]), y = needy_ratio(&q->side[k]);
    int c;

    if ((x >= 0) != (y >= 0))
        return x >= 0;
    c = x >= 0 ? compare(x, y)
               : compare(per_weight((double)p->side[k].running, p->weight),
                         per_weight((double)q->side[k].running, q->weight));
    if (p->weight == 0 && q->weight == 0 && x < 0)
        c = 0;
    return c ? c < 0 : a < b;
}

static bool job_before(const struct world *w, const struct policy_job *a,
                       const struct policy_job *b, enum base_task_kind k)
{
    int c = 0;

    if (w->queues.v[a->queue].order == POLICY_QUEUE_FIFO)
        c = a->priority != b->priority ? (a->priority > b->priority ? -1 : 1) : 0;
    else
        c = compare(a->phase[k].running / (a->weight * pow(2, a->priority)),
                    b->phase[k].running / (b->weight * pow(2, b->priority)));
    if (c)
        return c < 0;
    return a->submit_us != b->submit_us ? a->submit_us < b->submit_us : a->seq < b->seq;
}

struct expected {
    const struct policy_job *v[WORLD_JOBS];
    int n;
    bool held;
};

static void expect_jobs(const struct world *w, int32_t queue, enum base_task_kind k,
                        struct expected *e)
{
    int from = e->n;

    for (int j = 0; j < w->n_jobs; j++) {
        const struct policy_job *job = &w->jobs[j];
        int at;

        if (!w->in[j] || job->queue != queue || !fair_job_of(job)->active ||
            job->phase[k].pending <= 0)
            continue;
        for (at = e->n; at > from && job_before(w, job, e->v[at - 1], k); at--)
            e->v[at] = e->v[at - 1];
        e->v[at] = job;
        e->n++;
    }
}

static void expect(const struct world *w, int32_t queue, enum base_task_kind k, struct expected *e)
{
    const struct fair_side *s = &w->policy->queues[queue].side[k];
    int32_t order[16], n = 0, at;

    if (s->running >= s->max) {
        e->held = e->held || s->wants > 0;
        return;
    }
    expect_jobs(w, queue, k, e);
    for (int32_t i = 1; i < w->policy->queues_n; i++) {
        if (w->queues.v[i].parent != queue || w->policy->queues[i].side[k].wants <= 0)
            continue;
        for (at = n++; at > 0 && queue_before(w, i, order[at - 1], k); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (at = 0; at < n; at++)
        expect(w, order[at], k, e);
}

static void check_order(struct world *w, enum base_task_kind k)
{
    struct policy_offer offer = world_offer(w, k, 0);
    struct expected e = {0};
    struct policy_job *job = NULL;

    expect(w, 0, k, &e);
    for (int i = 0; i < e.n; i++) {
        job = w->ops->next(w->policy, &offer, job);
        CU_ASSERT_PTR_EQUAL_FATAL(job, e.v[i]);
    }
    CU_ASSERT_PTR_NULL(w->ops->next(w->policy, &offer, job));
    CU_ASSERT(e.n > 0 || offer.held == (e.held || w->policy->waiting_n > 0));
}

/* Checks for every queue that the shares inside it add up to its own share, or to all that is
 * wanted there. */
static void check_shares(struct world *w, enum base_task_kind k)
{
    w->ops->on_timer(w->policy, w->now_us += SEC, &w->plan);
    for (int32_t i = 0; i < w->policy->queues_n; i++) {
        const struct fair_queue *q = &w->policy->queues[i];
        double sum = q->side[k].own_share,
               caps = (double)(q->side[k].own_running + q->side[k].own_wants);
        double total =
            i ? q->side[k].share : fmin((double)w->capacity.slots[k], (double)q->side[k].max);
        int64_t whole = 0;

        for (int32_t c = q->first; c >= 0; c = w->policy->queues[c].next) {
            const struct fair_side *s = &w->policy->queues[c].side[k];

            sum += s->share;
            caps += fmin((double)fair_demand(s), (double)s->max);
            whole += s->share_slots;
            CU_ASSERT(s->share <= fmin((double)fair_demand(s), (double)s->max) + 1e-6);
            CU_ASSERT(fabs((double)s->share_slots - s->share) < 1 + 1e-6);
        }
        if (q->first >= 0) {
            CU_ASSERT_DOUBLE_EQUAL(sum, fmin(total, caps), 1e-6);
            CU_ASSERT(whole <= q->side[k].share_slots);
        }
    }
}

/* Checks that an application waits only if a limit of one of its queues, or of its user, is
 * reached. */
static void check_limits(const struct world *w)
{
    for (int j = 0; j < w->n_jobs; j++) {
        bool full = false;
        int32_t of_user = 0;

        if (!w->in[j] || fair_job_of(&w->jobs[j])->active)
            continue;
        for (int32_t i = w->jobs[j].queue; i >= 0; i = w->queues.v[i].parent)
            full = full || w->policy->queues[i].active >= w->queues.v[i].max_running;
        for (int i = 0; i < w->n_jobs; i++)
            of_user +=
                w->in[i] && w->jobs[i].user == w->jobs[j].user && fair_job_of(&w->jobs[i])->active;
        CU_ASSERT(full || of_user >= w->queues.user_max_running);
    }
}

static void submit(struct world *w)
{
    struct policy_job *job;

    if (w->n_jobs == WORLD_JOBS)
        return;
    job = world_job(w, names[world_draw(w, NAMES)], (int32_t)world_draw(w, 40),
                    (int32_t)world_draw(w, 9));
    job->user = (int32_t)world_draw(w, 4);
    job->priority = (int32_t)world_draw(w, 5) - 2;
    job->weight = (double)(1 + world_draw(w, 4)) / 2;
    job->submit_us = (int64_t)world_draw(w, 50);
    world_arrive(w, job);
}

static void event(struct world *w)
{
    enum base_task_kind k = world_draw(w, 2) ? BASE_TASK_MAP : BASE_TASK_REDUCE;
    struct world_attempt *a =
        w->n_attempts ? &w->attempts[world_draw(w, (uint64_t)w->n_attempts)] : NULL;
    struct policy_job *job = w->n_jobs ? &w->jobs[world_draw(w, (uint64_t)w->n_jobs)] : NULL;

    w->now_us++;
    switch (world_draw(w, 12)) {
    case 0:
        submit(w);
        break;
    case 1:
    case 2:
    case 3:
    case 4:
        world_assign(w, k);
        break;
    case 5:
    case 6:
    case 7:
        if (a && a->job)
            world_end(w, a, world_draw(w, 4) > 0);
        break;
    case 8:
        if (job && w->in[job - w->jobs] && world_draw(w, 4) == 0)
            world_leave(w, job);
        break;
    case 9:
        world_timer(w);
        break;
    case 10:
        w->capacity.slots[k] = 20 + (int64_t)world_draw(w, 60);
        w->ops->on_capacity(w->policy, w->now_us);
        break;
    default:
        if (world_draw(w, 10) == 0) {
            random_queues(w);
            w->ops->on_queues(w->policy, w->now_us);
        } else if (job && w->in[job - w->jobs]) {
            job->priority = (int32_t)world_draw(w, 5) - 2;
            world_changed(w, job, BASE_TASK_MAP);
            world_changed(w, job, BASE_TASK_REDUCE);
        }
    }
}

/* Checks that no slot stays free while a job wants it and may have it. */
static void check_no_idle(struct world *w)
{
    world_fill(w);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        struct expected e = {0};

        expect(w, 0, k, &e);
        CU_ASSERT(e.n == 0 || w->capacity.used[k] >= w->capacity.slots[k]);
    }
}

static void run(uint64_t seed, int events)
{
    struct world *w = world_new(60, 20, "a,b,c.x,c.y,c.z.u,c.z.v");

    w->seed = seed;
    random_queues(w);
    world_start(w, &policy_fair);
    for (int i = 0; i < events && w->n_attempts < WORLD_ATTEMPTS - 200; i++) {
        event(w);
        check_counts(w);
        check_limits(w);
        check_order(w, BASE_TASK_MAP);
        check_order(w, BASE_TASK_REDUCE);
    }
    check_no_idle(w);
    check_shares(w, BASE_TASK_MAP);
    check_shares(w, BASE_TASK_REDUCE);
    world_free(w);
}

static void test_random(void)
{
    for (uint64_t seed = 1; seed <= 1000; seed++)
        run(seed, 250);
}

/* Jobs of equal size that are submitted together are never more than a task apart, and end
 * together. */
static void test_equal_jobs(void)
{
    struct world *w = world_new(10, 0, NULL);

    world_start(w, &policy_fair);
    for (int i = 0; i < 5; i++)
        world_submit(w, "default", 200, 0);
    world_fill(w);
    for (int i = 0; i < 1000; i++) { /* the oldest ends */
        int32_t least = INT32_MAX, most = 0;

        world_end(w, &w->attempts[i], true);
        CU_ASSERT_EQUAL(world_assign(w, BASE_TASK_MAP) != NULL, i < 990);
        for (int j = 0; j < 5; j++) {
            least = w->jobs[j].phase[BASE_TASK_MAP].done < least
                        ? w->jobs[j].phase[BASE_TASK_MAP].done
                        : least;
            most = w->jobs[j].phase[BASE_TASK_MAP].done > most
                       ? w->jobs[j].phase[BASE_TASK_MAP].done
                       : most;
        }
        CU_ASSERT(most - least <= 1);
    }
    world_free(w);
}

static const struct cunit_case cases[] = {
    {"random events", test_random},
    {"equal jobs", test_equal_jobs},
};

CUNIT_MAIN("fair scheduler, random", cases)
