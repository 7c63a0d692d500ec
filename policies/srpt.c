/* SRPT and NP-SRPT: the job with the least remaining work over all its tasks comes first.
 *
 *   srpt     suspends tasks of jobs with more remaining work. Meant for true sizes, which only a
 *            simulation knows: the reference for other policies.
 *   np-srpt  never interrupts a task; uses true sizes where they are known, otherwise estimates.
 *
 * SOURCE: Schrage, Oper. Res. 1968 (SRPT); Grosof, Scully, Harchol-Balter, 2018 (many servers); Li,
 *         arXiv:2411.06348, 2024 (NP-SRPT: jobs of several tasks, ranked by remaining total work).
 *
 * Work is slot time. Remaining work is (slots of unfinished tasks) x (mean size), minus the work
 * that running and suspended attempts have done. The mean size is the true one; otherwise that of
 * the job's finished tasks, the one given with the submission, that of the cluster's recent tasks,
 * or 60 s, in this order. The work of attempts is measured once per epoch, and when a job arrives
 * (under np-srpt only that job's). */
#include <stdlib.h>

#include "policies/policy.h"

#define UNKNOWN_US INT64_C(60000000)

struct srpt_job { /* policy_job.own */
    struct policy_job *job;
    struct srpt_job *prev, *next; /* all jobs */
    int64_t inside_us;            /* work done by attempts that have not ended */
    int64_t left_us;              /* remaining work */
    /* srpt: links in the orders of the same names in struct policy */
    struct policy_link active[BASE_TASK_KINDS], busy[BASE_TASK_KINDS];
};

struct policy {
    const struct policy_env *env;
    bool interrupts;
    int64_t epoch_us;
    struct srpt_job *first;
    /* jobs with tasks to launch or resume, least remaining work first */
    struct policy_order order[BASE_TASK_KINDS];
    /* srpt: jobs with running, waiting or suspended tasks, least remaining work first */
    struct policy_order active[BASE_TASK_KINDS];
    /* srpt: jobs with running tasks, most remaining work first */
    struct policy_order busy[BASE_TASK_KINDS];
};

static const struct policy_option srpt_options[] = {
    {"srpt.epoch", POLICY_OPT_SECONDS, "3", 0.1, 86400, NULL,
     "interval at which srpt and np-srpt measure running tasks"},
    {.name = NULL},
};

static struct srpt_job *srpt_job_of(const struct policy_job *job)
{
    return job->own;
}

static struct policy *create_srpt_variant(const struct policy_env *env, bool interrupts)
{
    struct policy *self = base_alloc(sizeof *self);

    self->env = env;
    self->interrupts = interrupts;
    self->epoch_us = policy_conf_us(env->conf, srpt_options, "srpt.epoch");
    return self;
}

static struct policy *srpt_create(const struct policy_env *env)
{
    return create_srpt_variant(env, true);
}

static struct policy *np_srpt_create(const struct policy_env *env)
{
    return create_srpt_variant(env, false);
}

static void srpt_destroy(struct policy *self)
{
    base_assert(!self->first);
    free(self);
}

/* ---------------------------------------------------------------- remaining work */
static int64_t mean_task_us(const struct policy *self, const struct policy_job *job,
                            enum base_task_kind kind)
{
    int32_t total = job->phase[kind].total;
    int64_t recent;

    if (job->size[kind].true_us > 0 && total > 0)
        return job->size[kind].true_us / total;
    if (job->seen[kind].n > 0)
        return job->seen[kind].work_us / job->seen[kind].n;
    if (job->size[kind].given_us > 0 && total > 0)
        return job->size[kind].given_us / total;
    recent = policy_learned_recent_mean_us(self->env->learned, kind);
    return recent > 0 ? recent : UNKNOWN_US;
}

static int64_t remaining_work_us(const struct policy *self, const struct srpt_job *own)
{
    int64_t left = -own->inside_us;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        const struct policy_phase *phase = &own->job->phase[k];

        left += (int64_t)(phase->total - phase->done) * mean_task_us(self, own->job, k);
    }
    return left > 0 ? left : 0;
}

/* Returns the work done by the attempts that have not ended. Each counts for at most a task's mean
 * size, since an attempt that exceeds the mean is still not done. */
static int64_t work_done_by_present_attempts_us(const struct policy *self,
                                                const struct policy_job *job, int64_t now_us)
{
    int64_t sum = 0;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        struct policy_running r;
        void *cursor = NULL;
        int64_t mean, done;

        if (job->phase[k].running + job->phase[k].suspended <= 0)
            continue;
        if (k == BASE_TASK_REDUCE && job->is_job && job->maps_done_us <= 0)
            continue; /* reduces that started early wait for the maps and do no work yet */
        mean = mean_task_us(self, job, k);
        while (self->env->running(self->env->core, job, k, &cursor, &r)) {
            int64_t from = r.started_us;

            if (k == BASE_TASK_REDUCE && job->maps_done_us > from)
                from = job->maps_done_us;
            done = now_us - from;
            done = done < 0 ? 0 : done > mean ? mean : done;
            sum += done * policy_running_slots(&r);
        }
    }
    return sum;
}

static void update_places_in_orders(struct policy *self, struct srpt_job *own)
{
    own->left_us = remaining_work_us(self, own);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        const struct policy_phase *phase = &own->job->phase[k];
        bool wants = phase->pending > 0 || phase->suspended > 0;

        policy_order_place(&self->order[k], &own->job->link[k], wants, own->left_us);
        if (!self->interrupts)
            continue;
        policy_order_place(&self->active[k], &own->active[k], wants || phase->running > 0,
                           own->left_us);
        policy_order_place(&self->busy[k], &own->busy[k], phase->running > 0, -own->left_us);
    }
}

static void measure_all_jobs(struct policy *self, int64_t now_us)
{
    for (struct srpt_job *own = self->first; own; own = own->next) {
        own->inside_us = work_done_by_present_attempts_us(self, own->job, now_us);
        update_places_in_orders(self, own);
    }
}

/* ---------------------------------------------------------------- life */
static void srpt_on_job_changed(struct policy *self, struct policy_job *job,
                                enum base_task_kind kind)
{
    (void)kind;
    update_places_in_orders(self, srpt_job_of(job));
}

static void srpt_on_task_ended(struct policy *self, struct policy_job *job,
                               enum base_task_kind kind, const struct policy_task_end *end)
{
    struct srpt_job *own = srpt_job_of(job);
    int64_t mean = mean_task_us(self, job, kind);

    own->inside_us -= (end->work_us < mean ? end->work_us : mean) * policy_job_width(job, kind);
    if (own->inside_us < 0)
        own->inside_us = 0;
}

static void srpt_on_job_arrived(struct policy *self, struct policy_job *job, int64_t now_us)
{
    struct srpt_job *own = base_alloc(sizeof *own);

    *own = (struct srpt_job){.job = job, .next = self->first};
    if (self->first)
        self->first->prev = own;
    self->first = own;
    job->own = own;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        policy_link_init(&job->link[k], job->submit_us, job->cluster_ts, job->seq);
        own->active[k] = own->busy[k] = job->link[k];
    }
    if (self->interrupts) {
        measure_all_jobs(self, now_us);
    } else {
        own->inside_us = work_done_by_present_attempts_us(self, job, now_us);
        update_places_in_orders(self, own);
    }
}

static void srpt_on_job_left(struct policy *self, struct policy_job *job, int64_t now_us)
{
    struct srpt_job *own = srpt_job_of(job);

    (void)now_us;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        policy_order_place(&self->order[k], &job->link[k], false, 0);
        policy_order_place(&self->active[k], &own->active[k], false, 0);
        policy_order_place(&self->busy[k], &own->busy[k], false, 0);
    }
    *(own->prev ? &own->prev->next : &self->first) = own->next;
    if (own->next)
        own->next->prev = own->prev;
    job->own = NULL;
    free(own);
}

static int64_t srpt_on_timer(struct policy *self, int64_t now_us, struct policy_plan *plan)
{
    (void)plan;
    measure_all_jobs(self, now_us);
    return now_us + self->epoch_us;
}

/* ---------------------------------------------------------------- slots */
static struct policy_job *next_job_in_order(const struct policy *self, enum base_task_kind kind,
                                            struct policy_job *prev)
{
    struct policy_link *link =
        prev ? policy_order_next(&prev->link[kind]) : self->order[kind].first;

    return link ? policy_link_job(link, kind) : NULL;
}

static struct policy_job *srpt_next(struct policy *self, struct policy_offer *offer,
                                    struct policy_job *prev)
{
    return next_job_in_order(self, offer->kind, prev);
}

/* ---------------------------------------------------------------- suspension */
/* Srpt would give the cluster's slots to jobs in order, to each job as many as it has tasks. The
 * border is the job at which the slots run out, so that it gets only a part. Tasks of jobs after
 * the border run in slots that belong to jobs before them. */
struct border {
    const struct policy_job *job; /* NULL: there are enough slots for all jobs */
    int64_t over; /* running tasks of the border job beyond its part of the slots; may be < 0 */
};

static bool has_less_remaining_work(const struct policy_job *a, const struct policy_job *b)
{
    if (srpt_job_of(a)->left_us != srpt_job_of(b)->left_us)
        return srpt_job_of(a)->left_us < srpt_job_of(b)->left_us;
    return policy_job_before(a, b);
}

static struct srpt_job *job_of_active_link(struct policy_link *link, enum base_task_kind kind)
{
    return (struct srpt_job *)(void *)((char *)(link - kind) - offsetof(struct srpt_job, active));
}

static struct border find_job_where_slots_run_out(const struct policy *self,
                                                  enum base_task_kind kind)
{
    int64_t slots = self->env->capacity->slots[kind];

    for (struct policy_link *l = self->active[kind].first; l; l = policy_order_next(l)) {
        const struct policy_job *job = job_of_active_link(l, kind)->job;
        const struct policy_phase *phase = &job->phase[kind];
        int64_t want = (int64_t)phase->running + phase->pending + phase->suspended;

        if (want > slots)
            return (struct border){job, phase->running - slots};
        slots -= want;
    }
    return (struct border){NULL, 0};
}

static bool runs_beyond_border(const struct border *border, const struct policy_job *job)
{
    if (!border->job)
        return false;
    return job == border->job ? border->over > 0 : has_less_remaining_work(border->job, job);
}

/* Returns how many of @claim further slots belong to @job; <= 0: none. */
static int64_t part_of_claim_within_border(const struct border *border,
                                           const struct policy_job *job, int64_t claim)
{
    if (!border->job || has_less_remaining_work(job, border->job))
        return claim;
    if (job != border->job)
        return 0;
    return -border->over < claim ? -border->over : claim;
}

/* Order of victims: the job with the most remaining work first; of one job the newest attempt. */
static bool is_victim_before(const struct policy_running *here, size_t i, size_t j)
{
    return here[i].job == here[j].job ? i < j : has_less_remaining_work(here[j].job, here[i].job);
}

/* Returns the first attempt after @last in this order (@last n: from the beginning) that can be
 * suspended, or n. Containers of masters cannot, and are skipped. */
static size_t next_victim(const struct policy_running *here, size_t n, size_t last)
{
    size_t best = n;

    for (size_t i = 0; i < n; i++)
        if (here[i].task >= 0 && !here[i].job->never_suspended &&
            (last == n || is_victim_before(here, last, i)) &&
            (best == n || is_victim_before(here, i, best)))
            best = i;
    return best;
}

/* Returns the slots that the attempts of @job need that are suspended on the node. */
static int64_t count_suspended_on_node(const struct policy *self, const struct policy_offer *offer,
                                       const struct policy_job *job)
{
    struct policy_running r;
    void *cursor = NULL;
    int64_t n = 0;

    if (offer->node_suspended <= 0 || job->phase[offer->kind].suspended <= 0)
        return 0;
    while (self->env->running(self->env->core, job, offer->kind, &cursor, &r))
        n += r.suspended && r.node == offer->node ? policy_running_slots(&r) : 0;
    return n;
}

/* Suspends attempts from *@victim on until @need slots of the node come free for a wide task of
 * @job; none, if the attempts of jobs with more remaining work do not hold so many. *@victim
 * becomes the next one. Returns true if attempts were named. */
static bool suspend_for_wide_task(const struct policy_job *job, int64_t need,
                                  const struct policy_running *here, size_t n, size_t *victim,
                                  struct policy_plan *plan)
{
    size_t len = plan->len, at = *victim;

    for (; need > 0 && at < n && srpt_job_of(here[at].job)->left_us > srpt_job_of(job)->left_us;
         at = next_victim(here, n, at)) {
        policy_plan_add(plan, here[at].container, POLICY_VICTIM_SUSPEND);
        need -= policy_running_slots(&here[at]);
    }
    if (need > 0) {
        plan->len = len;
        return false;
    }
    *victim = at;
    return plan->len > len;
}

#define JOBS_TRIED_MAX 8 /* afterwards the answer is that preemption may be possible */

/* Preemption needs a job that lacks slots, or has suspended tasks, and has less work left than the
 * running job with the most. */
static bool srpt_may_preempt(const struct policy *self, enum base_task_kind kind)
{
    const struct policy_link *has = self->busy[kind].first;
    int64_t left = policy_free_slots(self->env->capacity, kind);
    struct policy_job *job = next_job_in_order(self, kind, NULL);

    for (int i = 0; i < JOBS_TRIED_MAX && has && job; i++) {
        if (srpt_job_of(job)->left_us >= -has->key)
            return false;
        left -= job->phase[kind].pending;
        if (left < 0 || job->phase[kind].suspended > 0 || policy_job_needs_node(job, kind))
            return true;
        job = next_job_in_order(self, kind, job);
    }
    return has && job;
}

/* Free slots anywhere in the cluster, and slots being freed, go to the waiting tasks of the first
 * jobs. For tasks that remain without a slot, the function suspends attempts on this node if their
 * jobs have strictly more remaining work and run more tasks than the border allows. For tasks that
 * are suspended on this node, and can resume only here, it suspends attempts of any job with more
 * remaining work; and for one wide task, if they hold as many slots as it takes. */
static void srpt_victims(struct policy *self, const struct policy_offer *offer,
                         const struct policy_running *here, size_t n, struct policy_plan *plan)
{
    enum base_task_kind kind = offer->kind;
    int64_t left = policy_free_slots(offer->capacity, kind);
    size_t victim = next_victim(here, n, n);
    struct border border = {NULL, -1};

    if (offer->reserved_for) {
        suspend_for_wide_task(offer->reserved_for, offer->reserved_for->reserved[kind].missing,
                              here, n, &victim, plan);
        return;
    }
    for (struct policy_job *job = NULL; victim < n && (job = next_job_in_order(self, kind, job));) {
        int64_t claim = job->phase[kind].pending, met = claim < left ? claim : left,
                pinned = count_suspended_on_node(self, offer, job);

        if (srpt_job_of(here[victim].job)->left_us <= srpt_job_of(job)->left_us)
            return;
        if (job->width[kind] > 1) {
            if ((pinned > 0 || policy_job_needs_node(job, kind)) &&
                suspend_for_wide_task(job, job->width[kind], here, n, &victim, plan)) {
                plan->wide = job;
                return;
            }
            continue;
        }
        left -= met;
        claim -= met;
        if (claim > 0 && !border.job)
            border = find_job_where_slots_run_out(self, kind);
        claim = part_of_claim_within_border(&border, job, claim);
        if (claim > 0 && self->env->takes &&
            self->env->takes(self->env->core, job, kind, offer->node) == POLICY_DECLINES)
            claim = 0; /* the job waits for a slot near its data */
        while (victim < n && srpt_job_of(here[victim].job)->left_us > srpt_job_of(job)->left_us) {
            if (pinned > 0)
                pinned -= policy_running_slots(&here[victim]);
            else if (claim > 0 && runs_beyond_border(&border, here[victim].job))
                claim -= policy_running_slots(&here[victim]);
            else
                break;
            if (here[victim].job == border.job)
                border.over -= policy_running_slots(&here[victim]);
            policy_plan_add(plan, here[victim].container, POLICY_VICTIM_SUSPEND);
            victim = next_victim(here, n, victim);
        }
    }
}

static void srpt_explain(const struct policy *self, const struct policy_job *job, int64_t now_us,
                         struct base_buf *out)
{
    (void)self;
    (void)now_us;
    base_buf_addf(out, "%.1f s of work remain; jobs with less come first",
                  (double)srpt_job_of(job)->left_us / 1e6);
}

#define SRPT_COMMON                                                                                \
    .options = srpt_options, .destroy = srpt_destroy, .on_job_arrived = srpt_on_job_arrived,       \
    .on_job_left = srpt_on_job_left, .on_job_changed = srpt_on_job_changed,                        \
    .on_task_ended = srpt_on_task_ended, .on_timer = srpt_on_timer, .next = srpt_next,             \
    .explain = srpt_explain

const struct policy_ops policy_srpt = {
    .name = "srpt",
    .colour = "#5b6ad0",
    .source = "Schrage, Oper. Res. 1968; Grosof, Scully, Harchol-Balter 2018",
    .sim_only = true,
    .create = srpt_create,
    .victims = srpt_victims,
    .may_preempt = srpt_may_preempt,
    SRPT_COMMON,
};

const struct policy_ops policy_np_srpt = {
    .name = "np-srpt",
    .colour = "#47b39d",
    .source = "Li, arXiv:2411.06348",
    .create = np_srpt_create,
    SRPT_COMMON,
};
