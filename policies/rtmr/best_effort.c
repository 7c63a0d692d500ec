/* Best effort: jobs without deadline, and applications that are not jobs. They get the slots that
 * jobs with deadlines leave; admission takes into account how long they hold slots. The paper
 * covers only jobs with deadlines. */
#include <stdlib.h>
#include <string.h>

#include "policies/rtmr/rtmr_internal.h"

/* Up to this number of ends are listed exactly; more are rounded up to this number of steps. */
#define STEPS 256

static int64_t max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- order ---- */

/* Returns the remaining time: waves of tasks left times the mean of a task, summed over both kinds.
 */
static int64_t best_effort_remaining_time_us(const struct policy *self,
                                             const struct policy_job *job)
{
    int64_t sum = 0;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        int64_t left = job->phase[k].total - job->phase[k].done,
                slots = max64(self->env->capacity->slots[k], 1),
                mean = job->seen[k].n > 0 ? job->seen[k].work_us / job->seen[k].n
                                          : policy_learned_recent_mean_us(self->env->learned, k);

        sum += (left + slots - 1) / slots * (mean > 0 ? mean : self->bootstrap_us[k]);
    }
    return sum;
}

void rtmr_best_effort_update_order(struct policy *self, struct rtmr_job *own,
                                   enum base_task_kind kind)
{
    struct policy_job *job = own->job;
    struct policy_link *link = &job->link[kind];
    int64_t key = -(int64_t)job->priority;

    if (self->be_order == RTMR_BEST_EFFORT_FAIR)
        key = job->phase[kind].running;
    else if (self->be_order == RTMR_BEST_EFFORT_HSRTF)
        key = best_effort_remaining_time_us(self, job);
    policy_order_place(&self->beside[kind], link,
                       job->phase[kind].pending > 0 || job->phase[kind].suspended > 0, key);
}

static bool exceeds_share(const struct policy *self, const struct policy_offer *offer)
{
    enum base_task_kind kind = offer->kind;

    return self->be_share < 1 && (double)(self->beside_used[kind] + 1) >
                                     self->be_share * (double)offer->capacity->slots[kind];
}

struct policy_job *rtmr_best_effort_next(const struct policy *self, struct policy_offer *offer,
                                         const struct policy_job *prev)
{
    enum base_task_kind kind = offer->kind;
    const struct policy_capacity *c = offer->capacity;
    struct policy_link *link =
        prev ? policy_order_next(&prev->link[kind]) : self->beside[kind].first;

    for (; link; link = policy_order_next(link)) {
        struct policy_job *job = policy_link_job(link, kind);
        int64_t keep = rtmr_reserved_keep_free(self, job, kind, offer->now_us);

        if (exceeds_share(self, offer))
            break;
        if (!keep || c->slots[kind] - c->used[kind] > keep)
            return job;
        offer->held = true;
    }
    offer->held = offer->held || link != NULL;
    return NULL;
}

/* ---- slots held by running attempts ---- */
int64_t rtmr_latest_end_us(const struct policy_running *r, int64_t eps_us, int64_t now_us)
{
    int64_t until = r->started_us + eps_us;

    return until > now_us ? until : now_us + max64(now_us - r->started_us, 1);
}

static int compare_by_end(const void *a, const void *b)
{
    const struct rtmr_until *x = a, *y = b;

    if (x->until_us != y->until_us)
        return x->until_us < y->until_us ? -1 : 1;
    return x->started_us < y->started_us ? -1 : x->started_us > y->started_us;
}

static void append_busy_slots(struct rtmr_busy *b, int64_t until_us, int64_t started_us, int64_t n)
{
    base_array_grow(&b->v, b->n, &b->cap);
    b->v[b->n++] = (struct rtmr_until){.until_us = until_us, .started_us = started_us, .n = n};
}

/* Shortens a long list to STEPS + 1 entries: every end is rounded up to a step of a grid. Attempts
 * of one step get the latest of their starts, so that links calculated before this start do not
 * count any of them as held already. */
static void round_ends_up_to_grid(struct rtmr_busy *b, int64_t now_us)
{
    int64_t last = 0, step;
    size_t out = 0;
    struct rtmr_until *grid;

    for (size_t i = 0; i < b->n; i++)
        last = max64(last, b->v[i].until_us - now_us);
    step = max64(last / STEPS + 1, 1000);
    grid = base_alloc((STEPS + 1) * sizeof *grid);
    for (size_t i = 0; i < b->n; i++) {
        struct rtmr_until *g = &grid[(b->v[i].until_us - now_us + step - 1) / step];

        g->n += b->v[i].n;
        g->started_us = max64(g->started_us, b->v[i].started_us);
    }
    for (int64_t i = 0; i <= STEPS; i++)
        if (grid[i].n)
            b->v[out++] = (struct rtmr_until){now_us + i * step, grid[i].started_us, grid[i].n};
    b->n = out;
    free(grid);
}

int64_t rtmr_free_after_kill_us(const struct policy *self, int64_t now_us)
{
    return now_us + 2 * self->env->heartbeat_us;
}

/* Appends the running attempts of jobs without deadline to self->busy[k]. */
static void append_running_best_effort(struct policy *self, enum base_task_kind k, int64_t now_us)
{
    const struct policy_env *env = self->env;
    struct rtmr_busy *b = &self->busy[k];
    const struct rtmr_job *own;

    LIST_FOREACH(own, &self->best_effort, in_best_effort)
    {
        int64_t eps_us;
        void *cursor = NULL;
        struct policy_running r;

        if (!own->job->is_job || own->running[k] <= 0)
            continue;
        if (k == BASE_TASK_REDUCE &&
            own->job->phase[BASE_TASK_MAP].done < own->job->phase[BASE_TASK_MAP].total)
            continue; /* reduces started early, under another policy, end at an unknown time */
        eps_us = rtmr_longest_hold_us(self, own->job, k);
        while (env->running(env->core, own->job, k, &cursor, &r)) {
            int64_t until = rtmr_latest_end_us(&r, eps_us, now_us);
            /* an attempt whose end is not started_us + eps_us counts as started now, so that links
             * do not count its slot as held already */
            bool longer = self->be_kill || r.started_us + eps_us <= now_us;

            if (r.suspended)
                continue;
            if (own->reservation && own->reservation->unlisted[k] > 0)
                own->reservation->unlisted[k]--; /* the window in the queue holds its slot */
            else
                append_busy_slots(
                    b, self->be_kill ? min64(until, rtmr_free_after_kill_us(self, now_us)) : until,
                    longer ? now_us : r.started_us, 1);
        }
    }
}

void rtmr_best_effort_list_busy_slots(struct policy *self, int64_t now_us)
{
    const struct policy_capacity *c = self->env->capacity;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        struct rtmr_busy *b = &self->busy[k];
        int64_t others, freeing, booked = rtmr_reserved_in_use(self, k, now_us);
        struct rtmr_reservation *r;

        b->n = 0;
        TAILQ_FOREACH(r, &self->reservations, link)
        {
            r->unlisted[k] = min64(r->running[k], slot_calendar_at(&r->booked[k], now_us));
        }
        append_running_best_effort(self, k, now_us);
        others = max64(c->used[k] - self->running[1][k] - (int64_t)b->n - booked, 0);
        freeing = min64(c->freeing[k], others); /* includes attempts of jobs that have left */
        if (freeing > 0)
            append_busy_slots(b, rtmr_free_after_kill_us(self, now_us), now_us, freeing);
        b->never = others - freeing;
        if (b->n > STEPS)
            round_ends_up_to_grid(b, now_us);
        else if (b->n)
            qsort(b->v, b->n, sizeof *b->v, compare_by_end);
    }
}

/* Returns the number of tasks of @job that may start before a refused job is submitted again,
 * including reduces whose maps may end by then. */
static int64_t tasks_that_may_start(const struct policy *self, const struct policy_job *job,
                                    enum base_task_kind kind)
{
    const struct policy_phase *maps = &job->phase[BASE_TASK_MAP], *p = &job->phase[kind];
    /* false: jobs with deadlines have more than a wave of maps, which start first */
    bool maps_start = self->pending[1][BASE_TASK_MAP] <= self->env->capacity->slots[BASE_TASK_MAP];

    if (!job->is_job || (!maps_start && (kind == BASE_TASK_MAP || maps->pending > 0)))
        return 0;
    return max64((int64_t)p->total - p->done - p->running, 0);
}

void rtmr_best_effort_predict_busy_slots(struct policy *self, int64_t now_us, int64_t at_us)
{
    const struct policy_capacity *c = self->env->capacity;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        const struct rtmr_busy *b = &self->busy[k];
        struct rtmr_busy *w = &self->later[k];
        const struct rtmr_job *own;
        int64_t eps_us = 0, n = self->running[0][k] + c->freeing[k];

        w->n = 0;
        w->never = b->never;
        LIST_FOREACH(own, &self->best_effort, in_best_effort)
        {
            int64_t more = tasks_that_may_start(self, own->job, k);

            n += more;
            if (more)
                eps_us = max64(eps_us, rtmr_longest_hold_us(self, own->job, k));
        }
        n = min64(n, c->slots[k] - b->never);
        if (!eps_us || n <= 0) { /* no further task will start until then */
            for (size_t i = 0; i < b->n; i++)
                append_busy_slots(w, b->v[i].until_us, b->v[i].started_us, b->v[i].n);
            continue;
        }
        if (self->be_kill)
            eps_us = min64(eps_us, rtmr_free_after_kill_us(self, 0));
        eps_us = max64(eps_us, b->n ? b->v[b->n - 1].until_us - now_us : 0);
        append_busy_slots(w, at_us + eps_us, at_us, n);
    }
}

/* ---- kills for jobs with deadlines ---- */
/* Returns how many slots the jobs with deadlines wait for that would take one of the offering node:
 * a kill there helps no other job. Stops counting at @enough. */
static int64_t slots_claimed_on_node(const struct policy *self, const struct policy_offer *offer,
                                     int64_t enough)
{
    const struct policy_env *env = self->env;
    int64_t sum = 0;

    for (struct policy_link *link = self->order[offer->kind].first; link && sum < enough;
         link = policy_order_next(link)) {
        const struct policy_job *job = policy_link_job(link, offer->kind);

        if (!env->takes || env->takes(env->core, job, offer->kind, offer->node) != POLICY_DECLINES)
            sum += job->phase[offer->kind].pending;
    }
    return sum;
}

void rtmr_best_effort_name_victims(struct policy *self, const struct policy_offer *offer,
                                   const struct policy_running *here, size_t n,
                                   struct policy_plan *plan)
{
    const struct policy_capacity *c = offer->capacity;
    enum base_task_kind kind = offer->kind;
    int64_t coming = c->slots[kind] - c->used[kind] + c->freeing[kind], need;

    if (!self->be_kill || self->pending[1][kind] <= coming)
        return;
    need = slots_claimed_on_node(self, offer, coming + (int64_t)n) - coming;
    for (size_t i = 0; i < n && need > 0; i++) {
        if (!here[i].job->is_job || here[i].task < 0 || rtmr_job_of(here[i].job)->entry)
            continue;
        policy_plan_add(plan, here[i].container, POLICY_VICTIM_KILL);
        need--;
    }
}
