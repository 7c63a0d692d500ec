/* hSRTF, hybrid shortest remaining time first, in its four variants: all slots go to the job with
 * the least remaining time (Pu), or jobs get shares in inverse proportion to their remaining times
 * (Pr); each variant also with killing of tasks for jobs that come first (PuP, PrP).
 * SOURCE: Cheriere, Donat-Bouillud, Ibrahim, Simonin, SAC 2016, Table 1 and sections on its two
 * modes.
 *
 * Remaining times are estimated at epochs (every 10 s by default) and when a job arrives or leaves
 * (with many jobs, not each time); only then does the order change. In between, a job is in the
 * orders while it has tasks to launch or resume. */
#include <stdlib.h>
#include <string.h>

#include "policies/hsrtf/hsrtf_internal.h"

static struct hsrtf_job *hsrtf_job_of(const struct policy_job *job)
{
    return job->own;
}

static struct hsrtf_job *job_of_below_link(struct policy_link *link, enum base_task_kind kind)
{
    return (struct hsrtf_job *)(void *)((char *)(link - kind) - offsetof(struct hsrtf_job, below));
}

/* ---------------------------------------------------------------- orders */
static void hsrtf_on_job_changed(struct policy *self, struct policy_job *job,
                                 enum base_task_kind kind)
{
    const struct policy_phase *phase = &job->phase[kind];
    struct hsrtf_job *own = hsrtf_job_of(job);
    bool wants = phase->pending > 0 || phase->suspended > 0;

    policy_order_place(&self->all[kind], &job->link[kind], wants, own->key);
    if (self->preempts)
        policy_order_place(&self->busy[kind], &own->busy[kind], phase->running > 0, -own->rt_us);
    if (!self->proportional)
        return;
    if (wants && own->target[kind] <= 0 && !own->demanded[kind])
        own->target[kind] = hsrtf_provisional_target(self, own, kind);
    policy_order_place(&self->below[kind], &own->below[kind],
                       wants && phase->running < own->target[kind], own->key);
}

static void recompute_all_jobs(struct policy *self, int64_t now_us, bool epoch)
{
    self->last_us = now_us;
    hsrtf_estimate_all_jobs(self);
    if (self->proportional)
        hsrtf_compute_shares(self, now_us, epoch);
    for (struct hsrtf_job *o = self->first; o; o = o->next)
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            hsrtf_on_job_changed(self, o->job, k);
}

#define FEW              100 /* up to this number, arrivals and departures recompute all jobs */
#define PAUSE_US_PER_JOB 10  /* with more jobs, the minimum time between recomputations, per job */

/* Returns true when all jobs must be recomputed now. When the policy is changed, a thousand jobs
 * may arrive at once; they must not cause a million estimates. */
static bool is_recomputation_due(const struct policy *self, int64_t now_us)
{
    return self->n <= FEW || now_us - self->last_us >= (int64_t)self->n * PAUSE_US_PER_JOB;
}

/* ---------------------------------------------------------------- life */
static const struct policy_option hsrtf_options[] = {
    {"hsrtf.epoch", POLICY_OPT_SECONDS, "10", 0.1, 86400, NULL,
     "interval between estimates of remaining times"},
    {"hsrtf.tie", POLICY_OPT_WORD, "submit", 0, 0, "submit,work",
     "which of two jobs with equal remaining time comes first: the one submitted first, or the one "
     "with less work left"},
    {"hsrtf.fluid", POLICY_OPT_BOOL, "false", 0, 0, NULL,
     "remaining time is max(work / slots, one task) instead of whole waves of tasks"},
    {"hsrtf.kill_guard", POLICY_OPT_SECONDS, "10", 0, 86400, NULL,
     "time after a kill during which the task is not killed again; grows after several kills"},
    {.name = NULL},
};

static struct policy *create_hsrtf_variant(const struct policy_env *env, bool proportional,
                                           bool preempts)
{
    struct policy *self = base_alloc(sizeof *self);

    *self = (struct policy){
        .env = env,
        .proportional = proportional,
        .preempts = preempts,
        .ties_by_work = policy_conf_word(env->conf, hsrtf_options, "hsrtf.tie") == 1,
        .fluid = policy_conf_bool(env->conf, hsrtf_options, "hsrtf.fluid"),
        .epoch_us = policy_conf_us(env->conf, hsrtf_options, "hsrtf.epoch"),
        .guard_us = policy_conf_us(env->conf, hsrtf_options, "hsrtf.kill_guard")};
    return self;
}

static struct policy *create_hsrtf_pu(const struct policy_env *env)
{
    return create_hsrtf_variant(env, false, false);
}

static struct policy *create_hsrtf_pup(const struct policy_env *env)
{
    return create_hsrtf_variant(env, false, true);
}

static struct policy *create_hsrtf_pr(const struct policy_env *env)
{
    return create_hsrtf_variant(env, true, false);
}

static struct policy *create_hsrtf_prp(const struct policy_env *env)
{
    return create_hsrtf_variant(env, true, true);
}

static void hsrtf_destroy(struct policy *self)
{
    base_assert(!self->first);
    free(self->scratch);
    free(self->claims);
    free(self->rts_us);
    free(self->shares);
    free(self->starvations);
    free(self);
}

static void grow_scratch_arrays(struct policy *self)
{
    if (self->n <= self->room)
        return;
    self->room = self->room ? self->room * 2 : 64;
    self->scratch = base_realloc_array(self->scratch, self->room, sizeof *self->scratch);
    self->claims = base_realloc_array(self->claims, self->room, sizeof *self->claims);
    self->rts_us = base_realloc_array(self->rts_us, self->room, sizeof *self->rts_us);
    self->shares = base_realloc_array(self->shares, self->room, sizeof *self->shares);
    self->starvations =
        base_realloc_array(self->starvations, self->room, sizeof *self->starvations);
}

static void hsrtf_on_job_arrived(struct policy *self, struct policy_job *job, int64_t now_us)
{
    struct hsrtf_job *own = base_alloc(sizeof *own);

    own->job = job;
    own->prev = self->last;
    *(self->last ? &self->last->next : &self->first) = own;
    self->last = own;
    self->n++;
    grow_scratch_arrays(self);
    job->own = own;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        policy_link_init(&job->link[k], job->submit_us, job->cluster_ts, job->seq);
        own->below[k] = own->busy[k] = job->link[k];
        if (self->preempts) {
            own->killed_n[k] = job->is_job ? policy_job_tasks(job, k, job->phase[k].total) : 0;
            own->killed[k] = base_alloc(((size_t)own->killed_n[k] + 1) * sizeof *own->killed[k]);
        }
    }
    hsrtf_measure_task_durations(self, own, now_us);
    if (is_recomputation_due(self, now_us)) {
        recompute_all_jobs(self, now_us, false);
        return;
    }
    hsrtf_estimate_job(self, own);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        hsrtf_on_job_changed(self, job, k);
}

static void hsrtf_on_job_left(struct policy *self, struct policy_job *job, int64_t now_us)
{
    struct hsrtf_job *own = hsrtf_job_of(job);

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        policy_order_place(&self->all[k], &job->link[k], false, 0);
        policy_order_place(&self->below[k], &own->below[k], false, 0);
        policy_order_place(&self->busy[k], &own->busy[k], false, 0);
        free(own->killed[k]);
    }
    if (job->seen[BASE_TASK_MAP].n + job->seen[BASE_TASK_REDUCE].n > 0)
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            self->ended_us[k] = job->seen[k].n > 0 ? job->seen[k].work_us / job->seen[k].n : 0;
    *(own->prev ? &own->prev->next : &self->first) = own->next;
    *(own->next ? &own->next->prev : &self->last) = own->prev;
    self->n--;
    job->own = NULL;
    free(own);
    if (is_recomputation_due(self, now_us))
        recompute_all_jobs(self, now_us, false);
}

static int64_t hsrtf_on_timer(struct policy *self, int64_t now_us, struct policy_plan *plan)
{
    (void)plan;
    for (struct hsrtf_job *o = self->first; o; o = o->next)
        hsrtf_measure_task_durations(self, o, now_us);
    recompute_all_jobs(self, now_us, true);
    return now_us + self->epoch_us;
}

/* ---------------------------------------------------------------- slots */
/* Names jobs below their target first, then all others. A job that declined in the first pass is
 * not named again in the second. */
static struct policy_job *next_job_by_target(struct policy *self, struct policy_offer *offer,
                                             struct policy_job *prev)
{
    enum base_task_kind kind = offer->kind;
    struct policy_link *link;

    if (offer->step == 0) {
        link = prev ? policy_order_next(&hsrtf_job_of(prev)->below[kind]) : self->below[kind].first;
        if (link)
            return job_of_below_link(link, kind)->job;
        offer->step = 1;
        prev = NULL;
    }
    link = prev ? policy_order_next(&prev->link[kind]) : self->all[kind].first;
    while (link && hsrtf_job_of(policy_link_job(link, kind))->below[kind].linked)
        link = policy_order_next(link);
    return link ? policy_link_job(link, kind) : NULL;
}

static struct policy_job *hsrtf_next(struct policy *self, struct policy_offer *offer,
                                     struct policy_job *prev)
{
    struct policy_link *link;

    if (self->proportional)
        return next_job_by_target(self, offer, prev);
    link = prev ? policy_order_next(&prev->link[offer->kind]) : self->all[offer->kind].first;
    return link ? policy_link_job(link, offer->kind) : NULL;
}

/* ---------------------------------------------------------------- preemption */
#define GUARD_PATIENCE  4 /* kills of a task after which each further kill doubles its guard */
#define GUARD_SHIFT_MAX 20

static struct hsrtf_killed *get_kill_record(const struct policy_running *r)
{
    const struct hsrtf_job *own = hsrtf_job_of(r->job);
    int32_t n = own->killed_n[r->kind];

    return &own->killed[r->kind][r->task >= 0 && r->task < n ? r->task : n];
}

/* Returns true when the attempt's task was killed too recently to be killed again. Estimates depend
 * on the running tasks, so two jobs may overtake each other by turns; with a fixed guard they could
 * kill each other's tasks forever. */
static bool is_guarded_against_kill(const struct policy *self, const struct policy_running *r,
                                    int64_t now_us)
{
    const struct hsrtf_killed *killed = get_kill_record(r);
    int32_t shift = killed->times - GUARD_PATIENCE;

    if (shift < 0)
        shift = 0;
    return killed->times > 0 && (now_us - killed->at_us) >>
                                    (shift < GUARD_SHIFT_MAX ? shift : GUARD_SHIFT_MAX) <
                                    self->guard_us;
}

static void record_kill(const struct policy_running *r, int64_t now_us)
{
    struct hsrtf_killed *killed = get_kill_record(r);

    killed->at_us = now_us;
    killed->times++;
}

/* Order of victims: the job with the longest remaining time, of equal jobs the later one; then the
 * attempt with the least progress, then the newest. */
static bool is_victim_before(const struct policy_running *here, size_t i, size_t j)
{
    const struct policy_job *a = here[i].job, *b = here[j].job;

    if (a != b) {
        if (hsrtf_job_of(a)->key != hsrtf_job_of(b)->key)
            return hsrtf_job_of(a)->key > hsrtf_job_of(b)->key;
        return policy_job_before(b, a);
    }
    if (here[i].progress != here[j].progress)
        return here[i].progress < here[j].progress;
    return i < j;
}

/* Returns the first attempt after @last in this order (@last n: from the beginning) that is not
 * guarded, or n. */
static size_t next_victim(const struct policy *self, const struct policy_running *here, size_t n,
                          size_t last, int64_t now_us)
{
    size_t best = n;

    for (size_t i = 0; i < n; i++)
        if ((last == n || is_victim_before(here, last, i)) &&
            (best == n || is_victim_before(here, i, best)) &&
            !is_guarded_against_kill(self, &here[i], now_us))
            best = i;
    return best;
}

static struct policy_job *claimant_after(const struct policy *self, enum base_task_kind kind,
                                         struct policy_job *prev)
{
    struct policy_link *link;

    if (self->proportional) {
        link = prev ? policy_order_next(&hsrtf_job_of(prev)->below[kind]) : self->below[kind].first;
        return link ? job_of_below_link(link, kind)->job : NULL;
    }
    link = prev ? policy_order_next(&prev->link[kind]) : self->all[kind].first;
    return link ? policy_link_job(link, kind) : NULL;
}

/* Returns the slots that @job could fill now, in proportional variants up to its target. */
static int64_t slots_claimed_by_job(const struct policy *self, const struct policy_job *job,
                                    enum base_task_kind kind)
{
    int64_t claim = job->phase[kind].pending,
            room = hsrtf_job_of(job)->target[kind] - job->phase[kind].running;

    return self->proportional && room < claim ? room : claim;
}

#define JOBS_TRIED_MAX 8 /* afterwards the answer is that preemption may be possible */

/* Preemption needs a job that lacks slots and is shorter than the longest running job. */
static bool hsrtf_may_have_victims(const struct policy *self, enum base_task_kind kind)
{
    const struct policy_link *has = self->busy[kind].first;
    int64_t left = policy_free_slots(self->env->capacity, kind);
    struct policy_job *job = claimant_after(self, kind, NULL);

    for (int i = 0; i < JOBS_TRIED_MAX && has && job; i++) {
        if (hsrtf_job_of(job)->rt_us >= -has->key)
            return false;
        left -= slots_claimed_by_job(self, job, kind);
        if (left < 0 || policy_job_needs_node(job, kind))
            return true;
        job = claimant_after(self, kind, job);
    }
    return has && job;
}

/* Returns true when the job waits for a slot near its data and would leave this one to other
 * jobs. */
static bool job_would_decline_slot(const struct policy *self, const struct policy_job *job,
                                   const struct policy_offer *offer)
{
    return self->env->takes &&
           self->env->takes(self->env->core, job, offer->kind, offer->node) == POLICY_DECLINES;
}

/* Kills attempts from *@victim on until @need slots of the node come free for a wide task of @job;
 * none, if the attempts of jobs with strictly more remaining time do not hold so many. *@victim
 * becomes the next one. Returns true if attempts were named. */
static bool kill_for_wide_task(const struct policy *self, const struct policy_job *job,
                               int64_t need, int64_t now_us, const struct policy_running *here,
                               size_t n, size_t *victim, struct policy_plan *plan)
{
    size_t at = *victim, end;

    for (; need > 0 && at < n && hsrtf_job_of(here[at].job)->rt_us > hsrtf_job_of(job)->rt_us;
         at = next_victim(self, here, n, at, now_us))
        need -= policy_running_slots(&here[at]);
    if (need > 0 || at == *victim)
        return false;
    for (end = at, at = *victim; at != end;) {
        size_t killed = at;

        at = next_victim(self, here, n, at, now_us);
        policy_plan_add(plan, here[killed].container, POLICY_VICTIM_KILL);
        record_kill(&here[killed], now_us);
    }
    *victim = end;
    return true;
}

/* Free slots of the cluster, and slots being freed, go to the first jobs. For the slots that these
 * jobs still lack, the function kills attempts on this node if their jobs have strictly more
 * remaining time; for a wide task, if they hold as many slots as it takes. */
static void hsrtf_victims(struct policy *self, const struct policy_offer *offer,
                          const struct policy_running *here, size_t n, struct policy_plan *plan)
{
    enum base_task_kind kind = offer->kind;
    int64_t left = policy_free_slots(offer->capacity, kind);
    size_t victim = next_victim(self, here, n, n, offer->now_us);

    if (offer->reserved_for) {
        kill_for_wide_task(self, offer->reserved_for, offer->reserved_for->reserved[kind].missing,
                           offer->now_us, here, n, &victim, plan);
        return;
    }
    for (struct policy_job *job = NULL; victim < n && (job = claimant_after(self, kind, job));) {
        int64_t claim = slots_claimed_by_job(self, job, kind), met = claim < left ? claim : left;

        if (hsrtf_job_of(here[victim].job)->rt_us <= hsrtf_job_of(job)->rt_us)
            return;
        if (job->width[kind] > 1) {
            if (claim > 0 && policy_job_needs_node(job, kind) &&
                !job_would_decline_slot(self, job, offer) &&
                kill_for_wide_task(self, job, job->width[kind], offer->now_us, here, n, &victim,
                                   plan)) {
                plan->wide = job;
                return;
            }
            continue;
        }
        left -= met;
        if (claim > met && job_would_decline_slot(self, job, offer))
            continue;
        claim -= met;
        while (claim > 0 && victim < n &&
               hsrtf_job_of(here[victim].job)->rt_us > hsrtf_job_of(job)->rt_us) {
            claim -= policy_running_slots(&here[victim]);
            policy_plan_add(plan, here[victim].container, POLICY_VICTIM_KILL);
            record_kill(&here[victim], offer->now_us);
            victim = next_victim(self, here, n, victim, offer->now_us);
        }
    }
}

/* ---------------------------------------------------------------- explanation */
static void hsrtf_explain(const struct policy *self, const struct policy_job *job, int64_t now_us,
                          struct base_buf *out)
{
    const struct hsrtf_job *own = hsrtf_job_of(job);

    (void)now_us;
    base_buf_addf(
        out, "remaining time %.1f s alone on the cluster (map %.1f s, reduce %.1f s each, %s)",
        (double)own->rt_us / 1e6, (double)own->avg_us[BASE_TASK_MAP] / 1e6,
        (double)own->avg_us[BASE_TASK_REDUCE] / 1e6,
        own->own_us[BASE_TASK_MAP] + own->own_us[BASE_TASK_REDUCE] > 0 ? "measured" : "assumed");
    if (self->proportional)
        base_buf_addf(out, "; share %.1f%%: %lld of %lld map slots, %lld of %lld reduce slots",
                      own->share * 100, (long long)job->phase[BASE_TASK_MAP].running,
                      (long long)own->target[BASE_TASK_MAP],
                      (long long)job->phase[BASE_TASK_REDUCE].running,
                      (long long)own->target[BASE_TASK_REDUCE]);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        size_t ahead = 0;

        if (!job->link[k].linked)
            continue;
        for (const struct policy_link *l = policy_order_prev(&job->link[k]); l;
             l = policy_order_prev(l))
            ahead++;
        base_buf_addf(out, "; %zu job%s with waiting %s tasks %s less", ahead,
                      ahead == 1 ? "" : "s", k == BASE_TASK_MAP ? "map" : "reduce",
                      ahead == 1 ? "has" : "have");
        return;
    }
    if (job->phase[BASE_TASK_MAP].pending + job->phase[BASE_TASK_REDUCE].pending > 0)
        base_buf_adds(out, "; no task of it could run now");
}

/* Delay scheduling is off, as in the paper, where few maps of small jobs are local. */
#define HSRTF_COMMON                                                                               \
    .colocates = true, .sizes_at_arrival = true, .options = hsrtf_options,                         \
    .destroy = hsrtf_destroy, .on_job_arrived = hsrtf_on_job_arrived,                              \
    .on_job_left = hsrtf_on_job_left, .on_job_changed = hsrtf_on_job_changed,                      \
    .on_timer = hsrtf_on_timer, .next = hsrtf_next, .explain = hsrtf_explain

const struct policy_ops policy_hsrtf_pu = {
    .name = "hsrtf-pu",
    .colour = "#2f9e63",
    .source = "Cheriere et al., SAC 2016: shortest remaining time, all slots to the first",
    .create = create_hsrtf_pu,
    HSRTF_COMMON,
};

const struct policy_ops policy_hsrtf_pup = {
    .name = "hsrtf-pup",
    .colour = "#93b83b",
    .source =
        "Cheriere et al., SAC 2016: shortest remaining time, all slots to the first, with killing",
    .create = create_hsrtf_pup,
    .victims = hsrtf_victims,
    .may_preempt = hsrtf_may_have_victims,
    HSRTF_COMMON,
};

const struct policy_ops policy_hsrtf_pr = {
    .name = "hsrtf-pr",
    .colour = "#8f63c4",
    .source =
        "Cheriere et al., SAC 2016: shares in proportion to the inverse of the remaining time",
    .create = create_hsrtf_pr,
    HSRTF_COMMON,
};

const struct policy_ops policy_hsrtf_prp = {
    .name = "hsrtf-prp",
    .colour = "#d468a8",
    .source = "Cheriere et al., SAC 2016: shares in proportion to the inverse of the remaining "
              "time, with killing",
    .create = create_hsrtf_prp,
    .victims = hsrtf_victims,
    .may_preempt = hsrtf_may_have_victims,
    HSRTF_COMMON,
};
