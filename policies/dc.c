/* Deadline Constraint scheduler: a job is tested once, at submission, against a fluid model of its
 * maps and against the reduce slots that other jobs claim at one instant. This is the baseline with
 * which RTMR is compared, so its defects are kept: it tests an instant instead of an interval, does
 * not count maps in whole waves (unless dc.integral is set), requires slots to be free at once, and
 * refuses jobs with more reduces than the cluster has slots.
 *
 *     s     = A + D - f sigma c_r / R - f sigma c_d      latest start of the reduces
 *     n_min = ceil(sigma c_m / (s - A))                  map slots it needs from A on; it gets no
 *                                                        more
 *     accepted: s > A, n_min map slots are free, R <= reduce slots, and R of them are unclaimed
 *               at s, where an accepted job k claims R_k over [s_k, A_k + D_k)
 *
 * where A: submission, D: relative deadline, sigma: bytes of input, f: map output per input, R:
 * number of reduces, c_m, c_r, c_d: cost of a byte for maps, reduces and transfer.
 * Jobs run in order of their deadlines; reduces start when all maps are done, as slots become free,
 * without reservation.
 * SOURCE: Kc, Anyanwu, "Scheduling Hadoop Jobs to Meet Deadlines", CloudCom 2010, as described in
 *         He, Lu, Swanson, HPCC 2013; the closed forms follow from its assumptions.
 * Costs: next and on_job_changed O(log jobs); admit O(jobs), or O(jobs^2) additions when it
 * refuses. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "policies/policy.h"
#include "policies/rtmr/cost.h"
#include "policies/rtmr/options.h"

#define BOOTSTRAP_US INT64_C(60000000)
#define GIB          1073741824.0
#define NO_DEADLINE  INT64_MAX
#define NEVER        (INT64_MAX / 4)
#define WORK_MAX     (INT64_MAX / 16)
#define ROUND_US     INT64_C(1000000) /* the core rounds offered deadlines up to whole seconds */

enum dc_cost { DC_MEAN, DC_MAX };

struct dc_need {                 /* a job's input to the test */
    int64_t maps_us, longest_us; /* slot time of all maps, expected duration of one */
    int64_t tail_us;             /* transfer and reduces */
    int32_t maps, reduces;
};
struct dc_job { /* policy_job.own */
    struct policy_job *job;
    LIST_ENTRY(dc_job) all;
    int64_t due_us, start_us; /* start_us: s; the job claims its reduce slots from s to due_us */
    int64_t at_once;          /* n_min */
    bool capped;              /* has maps to launch or resume, but runs n_min maps already */
};
struct policy {
    const struct policy_env *env;
    LIST_HEAD(, dc_job) jobs;
    struct policy_order order[BASE_TASK_KINDS]; /* jobs that may start something, by deadline */
    int64_t capped;                             /* number of capped jobs */
    enum dc_cost cost;
    bool integral;
    double transfer_us; /* per byte */
    int64_t margin_us;  /* between the earliest promise and the deadline to ask for instead */
};

static const struct policy_option dc_options[] = {
    {"dc.cost", POLICY_OPT_WORD, "mean", 0, 0, "mean,max",
     "expected duration of tasks: the mean, or the longest seen"},
    {"dc.integral", POLICY_OPT_BOOL, "false", 0, 0, NULL, "count maps in whole waves"},
    {"dc.transfer", POLICY_OPT_SECONDS, "0", 0, 1e6, NULL,
     "time to move a GiB of map output to the reduces"},
    {.name = NULL},
};

static int64_t ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b > 0);
}

static struct dc_job *dc_job_of(const struct policy_job *job)
{
    return job->own;
}

static struct policy *dc_create(const struct policy_env *env)
{
    struct policy *self = base_alloc(sizeof *self);

    self->env = env;
    self->cost = (enum dc_cost)policy_conf_word(env->conf, dc_options, "dc.cost");
    self->integral = policy_conf_bool(env->conf, dc_options, "dc.integral");
    self->margin_us = policy_conf_us(env->conf, rtmr_options, "rtmr.offer_margin");
    self->transfer_us = (double)policy_conf_us(env->conf, dc_options, "dc.transfer") / GIB;
    return self;
}

static void dc_destroy(struct policy *self)
{
    free(self);
}

/* ---- the test ---- */
static int64_t expected_work_us(const struct policy *self, const struct policy_job *job,
                                enum base_task_kind kind)
{
    const struct policy_learned *l = self->env->learned;

    if (self->cost == DC_MAX) {
        int64_t longest = rtmr_cost_longest_task_us(l, job, kind, BOOTSTRAP_US),
                total = job->phase[kind].total;

        return total > 0 && longest > WORK_MAX / total ? WORK_MAX : total * longest;
    }
    return rtmr_cost_total_work_us(l, job, kind, BOOTSTRAP_US);
}

static struct dc_need compute_admission_need(const struct policy *self,
                                             const struct policy_job *job)
{
    struct dc_need n = {.maps = job->phase[BASE_TASK_MAP].total,
                        .reduces = job->phase[BASE_TASK_REDUCE].total};

    n.maps_us = expected_work_us(self, job, BASE_TASK_MAP);
    if (n.maps)
        n.longest_us = self->cost == DC_MAX ? n.maps_us / n.maps : ceil_div(n.maps_us, n.maps);
    if (n.reduces)
        n.tail_us = ceil_div(expected_work_us(self, job, BASE_TASK_REDUCE), n.reduces) +
                    (int64_t)fmin(
                        ceil(self->transfer_us * rtmr_cost_shuffle_bytes(self->env->learned, job)),
                        (double)WORK_MAX);
    return n;
}

/* Returns n_min, the map slots needed to run the maps within @window_us; INT64_MAX when no number
 * of slots is enough. */
static int64_t map_slots_needed(const struct policy *self, const struct dc_need *n,
                                int64_t window_us)
{
    if (n->maps <= 0)
        return 0;
    if (window_us <= 0)
        return INT64_MAX;
    if (!self->integral)
        return ceil_div(n->maps_us, window_us);
    return window_us < n->longest_us ? INT64_MAX : ceil_div(n->maps, window_us / n->longest_us);
}

/* Returns the sum of the reduce slots of all claims that overlap @from_us to @to_us. */
static int64_t claimed_reduce_slots_between(const struct policy *self, int64_t from_us,
                                            int64_t to_us)
{
    const struct dc_job *d;
    int64_t sum = 0;

    LIST_FOREACH(d, &self->jobs, all)
    {
        if (d->due_us != NO_DEADLINE && d->start_us <= to_us && from_us < d->due_us)
            sum += d->job->phase[BASE_TASK_REDUCE].total;
    }
    return sum;
}

static int64_t free_map_slots(const struct policy *self)
{
    const struct policy_capacity *c = self->env->capacity;

    return c->slots[BASE_TASK_MAP] - c->used[BASE_TASK_MAP];
}

/* Returns the earliest s, not before @asked_us, with which the job would be accepted, or NEVER. The
 * candidates are the time at which the free map slots would finish the maps, or @asked_us if that
 * is later, and the ends of other jobs' claims after it. The user submits again a little later with
 * the offered deadline, so the reduce slots must stay unclaimed for this margin as well. */
static int64_t earliest_acceptable_reduce_start(const struct policy *self, const struct dc_need *n,
                                                int64_t asked_us, int64_t now_us)
{
    const int64_t all = self->env->capacity->slots[BASE_TASK_REDUCE],
                  free_slots = free_map_slots(self);
    int64_t first = now_us + 1, best = NEVER;
    const struct dc_job *d;

    if (n->reduces > all || (n->maps > 0 && free_slots <= 0))
        return NEVER;
    if (n->maps > 0)
        first = now_us + (self->integral ? ceil_div(n->maps, free_slots) * n->longest_us
                                         : ceil_div(n->maps_us, free_slots));
    first = first > asked_us ? first : asked_us;
    if (claimed_reduce_slots_between(self, first, first + self->margin_us + ROUND_US) +
            n->reduces <=
        all)
        return first;
    LIST_FOREACH(d, &self->jobs, all)
    {
        if (d->due_us > first && d->due_us < best &&
            claimed_reduce_slots_between(self, d->due_us, d->due_us + self->margin_us + ROUND_US) +
                    n->reduces <=
                all)
            best = d->due_us;
    }
    return best;
}

static bool dc_admit(struct policy *self, const struct policy_job *job, int64_t now_us,
                     struct policy_promise *out)
{
    struct dc_need n = compute_admission_need(self, job);
    int64_t due_us = job->submit_us + job->deadline_us, start_us = due_us - n.tail_us,
            slots = map_slots_needed(self, &n, start_us - now_us), unclaimed, earliest;

    *out = (struct policy_promise){.finish_us = due_us};
    if (job->deadline_us <= 0 || !job->is_job) {
        out->finish_us = 0;
        return true;
    }
    unclaimed = self->env->capacity->slots[BASE_TASK_REDUCE] -
                claimed_reduce_slots_between(self, start_us, start_us);
    if (start_us > now_us && slots <= free_map_slots(self) && n.reduces <= unclaimed)
        return true;
    earliest = earliest_acceptable_reduce_start(self, &n, start_us, now_us);
    out->finish_us = earliest < NEVER ? earliest + n.tail_us : 0;
    out->ask_us = out->finish_us ? out->finish_us + self->margin_us : 0;
    if (start_us <= now_us)
        snprintf(out->why, sizeof out->why, "its reduces alone need %.1f s, deadline %.1f s",
                 (double)n.tail_us / 1e6, (double)job->deadline_us / 1e6);
    else if (n.reduces > self->env->capacity->slots[BASE_TASK_REDUCE])
        snprintf(out->why, sizeof out->why, "%d reduces are more than the %lld slots there are",
                 n.reduces, (long long)self->env->capacity->slots[BASE_TASK_REDUCE]);
    else if (slots == INT64_MAX)
        snprintf(out->why, sizeof out->why, "a map takes longer than the %.1f s left for maps",
                 (double)(start_us - now_us) / 1e6);
    else if (slots > free_map_slots(self))
        snprintf(out->why, sizeof out->why, "needs %lld map slots at once, %lld are free",
                 (long long)slots, (long long)free_map_slots(self));
    else
        snprintf(out->why, sizeof out->why,
                 "needs %d reduce slots %.1f s after submission, %lld are not claimed then",
                 n.reduces, (double)(start_us - job->submit_us) / 1e6, (long long)unclaimed);
    return false;
}

/* ---- jobs ---- */
static void dc_on_job_changed(struct policy *self, struct policy_job *job, enum base_task_kind kind)
{
    struct dc_job *own = dc_job_of(job);
    struct policy_link *link = &job->link[kind];
    const struct policy_phase *p = &job->phase[kind];
    bool may = kind != BASE_TASK_MAP || p->running<own->at_once, wants = p->pending> 0 ||
               p->suspended > 0,
         capped = wants && !may;

    if (kind == BASE_TASK_MAP) {
        self->capped += capped - own->capped;
        own->capped = capped;
    }
    if (wants && may && !link->linked)
        policy_order_insert(&self->order[kind], link, own->due_us);
    else if (!(wants && may) && link->linked)
        policy_order_remove(&self->order[kind], link);
}

static void dc_on_job_arrived(struct policy *self, struct policy_job *job, int64_t now_us)
{
    struct dc_job *own = base_alloc(sizeof *own);

    (void)now_us;
    own->job = job;
    job->own = own;
    own->due_us = NO_DEADLINE;
    own->at_once = INT64_MAX;
    if (job->is_job && job->deadline_us > 0) {
        struct dc_need n = compute_admission_need(self, job);

        own->due_us = job->submit_us + job->deadline_us;
        own->start_us = own->due_us - n.tail_us;
        own->at_once = map_slots_needed(self, &n, own->start_us - job->submit_us);
    }
    LIST_INSERT_HEAD(&self->jobs, own, all);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        policy_link_init(&job->link[k], job->submit_us, job->cluster_ts, job->seq);
        dc_on_job_changed(self, job, k);
    }
}

static void dc_on_job_left(struct policy *self, struct policy_job *job, int64_t now_us)
{
    struct dc_job *own = dc_job_of(job);

    (void)now_us;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        if (job->link[k].linked)
            policy_order_remove(&self->order[k], &job->link[k]);
    self->capped -= own->capped;
    LIST_REMOVE(own, all);
    free(own);
    job->own = NULL;
}

static struct policy_job *dc_next(struct policy *self, struct policy_offer *offer,
                                  struct policy_job *prev)
{
    enum base_task_kind kind = offer->kind;
    struct policy_link *link =
        prev ? policy_order_next(&prev->link[kind]) : self->order[kind].first;

    if (link)
        return policy_link_job(link, kind);
    offer->held = kind == BASE_TASK_MAP && self->capped > 0;
    return NULL;
}

static void dc_explain(const struct policy *self, const struct policy_job *job, int64_t now_us,
                       struct base_buf *out)
{
    const struct dc_job *own = dc_job_of(job);

    (void)self;
    if (own->due_us == NO_DEADLINE) {
        base_buf_adds(out, "without a deadline: jobs with one come first");
        return;
    }
    base_buf_addf(out, "deadline %s%.1f s%s", own->due_us < now_us ? "" : "in ",
                  fabs((double)(own->due_us - now_us)) / 1e6, own->due_us < now_us ? " ago" : "");
    if (job->phase[BASE_TASK_MAP].done < job->phase[BASE_TASK_MAP].total &&
        own->at_once < INT64_MAX)
        base_buf_addf(out, "; runs %d of at most %lld maps at once",
                      job->phase[BASE_TASK_MAP].running, (long long)own->at_once);
    else
        base_buf_addf(out, "; runs %d reduces", job->phase[BASE_TASK_REDUCE].running);
}

const struct policy_ops policy_dc = {
    .name = "dc",
    .colour = "#26a0a8",
    .source = "Kc, Anyanwu, \"Scheduling Hadoop Jobs to Meet Deadlines\", CloudCom 2010",
    .reduces_last = true,
    .single_slots = true,
    .sizes_at_arrival = true,
    .options = dc_options,
    .create = dc_create,
    .destroy = dc_destroy,
    .admit = dc_admit,
    .on_job_arrived = dc_on_job_arrived,
    .on_job_left = dc_on_job_left,
    .on_job_changed = dc_on_job_changed,
    .next = dc_next,
    .explain = dc_explain,
};
