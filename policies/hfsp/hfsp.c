/* HFSP: size-based scheduling with aging. A virtual cluster under processor sharing projects when
 * each job would end. The real cluster gives slots to jobs in this order; jobs that have ended
 * virtually come first. Jobs of unknown size run a sample of their tasks first (training), and are
 * ordered by a guess until the sample is measured. Maps and reduces are separate phases.
 * SOURCE: Pastorelli, Barbuzzi, Carra, Dell'Amico, Michiardi, "HFSP: Size-based Scheduling for
 * Hadoop", IEEE BigData 2013, arXiv:1302.2749. FSP: Friedman, Henderson, SIGMETRICS 2003. Late jobs
 * sharing: Dell'Amico, Carra, Michiardi, PSBS, IEEE Transactions on Computers 2016.
 *
 * Projections change only with arrivals, departures, sizes and capacity. The order is then computed
 * again when it is next needed, in O(jobs log jobs) at most, once for all changes of an instant.
 * The passing of time (unless hfsp.update_interval is set) and ends of tasks do not change it.
 * Choosing a job tests 64 jobs at a time. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "policies/hfsp/hfsp_internal.h"

static const struct policy_option hfsp_options[] = {
    {"hfsp.sizes", POLICY_OPT_WORD, "estimated", 0, 0, "estimated,given,true",
     "sizes of jobs: measured on a sample, as submitted (expected-s of the tasks), or true (in "
     "simulations)"},
    {"hfsp.order", POLICY_OPT_WORD, "finish", 0, 0, "finish,remaining",
     "order of jobs: by projected finish in the virtual cluster, or by the work left there"},
    {"hfsp.virtual", POLICY_OPT_WORD, "fluid", 0, 0, "fluid,slots",
     "the virtual cluster shares fractions of slots, or whole slots"},
    {"hfsp.late", POLICY_OPT_WORD, "first", 0, 0, "first,psbs",
     "jobs that took longer than their size: run one after another before all others, or share "
     "slots by weight (PSBS)"},
    {"hfsp.promise", POLICY_OPT_WORD, "fair", 0, 0, "none,fair",
     "fair: do not interrupt a task if its job would then end later than under fair sharing"},
    {"hfsp.preemption", POLICY_OPT_WORD, "eager", 0, 0, "eager,wait,kill",
     "suspend tasks of later jobs, wait for them, or kill them"},
    {"hfsp.estimator", POLICY_OPT_WORD, "mean", 0, 0, ESTIMATOR_WORDS,
     "distribution that is fitted to the sample"},
    {"hfsp.sample_maps", POLICY_OPT_INT, "5", 1, 10000, NULL, "number of maps to measure per job"},
    {"hfsp.sample_reduces", POLICY_OPT_INT, "5", 1, 10000, NULL,
     "number of reduces to measure per job"},
    {"hfsp.train_map_slots", POLICY_OPT_INT, "auto", 0, 1e9, NULL,
     "largest number of map slots for training; auto: all"},
    {"hfsp.train_reduce_slots", POLICY_OPT_INT, "auto", 0, 1e9, NULL,
     "largest number of reduce slots for training; auto: all"},
    {"hfsp.train_order", POLICY_OPT_WORD, "fewest", 0, 0, "fewest,most",
     "order of jobs in training: fewest remaining tasks first, or most launched tasks first"},
    {"hfsp.delta_reduce", POLICY_OPT_SECONDS, "60", 0.001, INFINITY, NULL,
     "time for which the progress of a reduce's function is measured; inf: until the reduce ends"},
    {"hfsp.min_tasks", POLICY_OPT_INT, "1", 0, 1e9, NULL,
     "phases with fewer tasks come first, without training"},
    {"hfsp.initial_map", POLICY_OPT_SECONDS, "60", 0.000001, 1e9, NULL,
     "guessed duration of a map when no map has ended yet"},
    {"hfsp.initial_reduce", POLICY_OPT_SECONDS, "60", 0.000001, 1e9, NULL,
     "guessed duration of a reduce when no reduce has ended yet"},
    {"hfsp.xi", POLICY_OPT_REAL, "1", 1, INFINITY, NULL,
     "factor on guessed sizes of jobs in training; inf: such jobs run only their samples"},
    {"hfsp.resize", POLICY_OPT_WORD, "training", 0, 0, "training,virtual",
     "work left after training: the estimate less the work of the sample, or less the virtual "
     "service"},
    {"hfsp.reduce_virtual", POLICY_OPT_WORD, "arrival", 0, 0, "arrival,ready",
     "reduces enter the virtual cluster with their job, or when they may start"},
    {"hfsp.update_interval", POLICY_OPT_SECONDS, "0", 0, 86400, NULL,
     "interval at which the order is also computed again; 0: only after events"},
    {.name = NULL},
};

static void read_settings(struct hfsp_settings *s, const struct policy_conf *c)
{
    *s = (struct hfsp_settings){
        .form = (enum virtual_form)policy_conf_word(c, hfsp_options, "hfsp.virtual"),
        .order = (enum virtual_order)policy_conf_word(c, hfsp_options, "hfsp.order"),
        .estimator = (enum estimator_family)policy_conf_word(c, hfsp_options, "hfsp.estimator"),
        .sizes = (enum hfsp_sizes)policy_conf_word(c, hfsp_options, "hfsp.sizes"),
        .preemption = (enum hfsp_preemption)policy_conf_word(c, hfsp_options, "hfsp.preemption"),
        .resize = (enum hfsp_resize)policy_conf_word(c, hfsp_options, "hfsp.resize"),
        .train_order = (enum hfsp_train_order)policy_conf_word(c, hfsp_options, "hfsp.train_order"),
        .reduces_when_ready = policy_conf_word(c, hfsp_options, "hfsp.reduce_virtual") == 1,
        .promise = policy_conf_word(c, hfsp_options, "hfsp.promise") == 1,
        .late_share = policy_conf_word(c, hfsp_options, "hfsp.late") == 1,
        .sample = {(int32_t)policy_conf_int(c, hfsp_options, "hfsp.sample_maps"),
                   (int32_t)policy_conf_int(c, hfsp_options, "hfsp.sample_reduces")},
        .min_tasks = (int32_t)policy_conf_int(c, hfsp_options, "hfsp.min_tasks"),
        .train_slots = {policy_conf_int(c, hfsp_options, "hfsp.train_map_slots"),
                        policy_conf_int(c, hfsp_options, "hfsp.train_reduce_slots")},
        .initial_us = {policy_conf_us(c, hfsp_options, "hfsp.initial_map"),
                       policy_conf_us(c, hfsp_options, "hfsp.initial_reduce")},
        .delta_us = policy_conf_us(c, hfsp_options, "hfsp.delta_reduce"),
        .update_us = policy_conf_us(c, hfsp_options, "hfsp.update_interval"),
        .xi = policy_conf_real(c, hfsp_options, "hfsp.xi"),
    };
}

static struct policy *create_with_settings(const struct policy_env *env,
                                           const struct hfsp_settings *set)
{
    struct policy *self = base_alloc(sizeof *self);

    self->env = env;
    self->set = *set;
    if (set->promise)
        self->fair = virtual_fair_new(env->slowstart);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        self->kind[k].vc = virtual_cluster_new(set->form, set->order, env->capacity->slots[k], 0);
        self->kind[k].share = 1;
        if (self->fair)
            virtual_fair_set_slots(self->fair, k, env->capacity->slots[k]);
    }
    return self;
}

static struct policy *hfsp_create(const struct policy_env *env)
{
    struct hfsp_settings set;

    read_settings(&set, env->conf);
    return create_with_settings(env, &set);
}

static struct policy *fsp_create(const struct policy_env *env)
{
    struct hfsp_settings set;

    read_settings(&set, env->conf);
    set.sizes = HFSP_SIZES_TRUE;
    set.late_share = false;
    return create_with_settings(env, &set);
}

static struct policy *psbs_create(const struct policy_env *env)
{
    struct hfsp_settings set;

    read_settings(&set, env->conf);
    set.sizes = HFSP_SIZES_TRUE;
    set.late_share = true;
    set.promise = false;
    return create_with_settings(env, &set);
}

static void hfsp_destroy(struct policy *self)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        virtual_cluster_free(self->kind[k].vc);
        hfsp_rank_free(&self->kind[k].rank);
        hfsp_nodes_free(&self->kind[k]);
        free(self->kind[k].phase);
    }
    if (self->fair)
        virtual_fair_free(self->fair);
    free(self);
}

/* ---------------------------------------------------------------- events */
static void init_phase(struct hfsp_phase *p, struct hfsp_job *own, enum base_task_kind kind)
{
    const struct policy_job *job = own->job;

    *p = (struct hfsp_phase){.own = own, .kind = kind, .virtual = -1};
    policy_link_init(&p->train, job->submit_us, job->cluster_ts, job->seq);
    policy_link_init(&p->share, job->submit_us, job->cluster_ts, job->seq);
}

static bool may_phase_enter_now(const struct policy *self, const struct hfsp_phase *p)
{
    const struct policy_phase *count = &p->own->job->phase[p->kind];

    if (count->total <= 0)
        return false;
    return p->kind == BASE_TASK_MAP || !self->set.reduces_when_ready ||
           count->pending + count->running + count->suspended + count->done > 0;
}

static void add_suspended_attempts_to_nodes(struct policy *self, struct hfsp_phase *p)
{
    struct policy_running r;
    void *cursor = NULL;

    if (p->own->job->phase[p->kind].suspended <= 0)
        return;
    while (self->env->running(self->env->core, p->own->job, p->kind, &cursor, &r))
        if (r.suspended)
            hfsp_node_add_suspended(self, p, r.node, 1);
}

static void hfsp_on_job_arrived(struct policy *self, struct policy_job *job, int64_t now_us)
{
    struct hfsp_job *own = base_alloc(sizeof *own);

    hfsp_clock_advance(self, now_us);
    own->job = job;
    job->own = own;
    if (self->fair) {
        virtual_fair_advance(self->fair, self->now_us);
        own->fair = virtual_fair_add_job(self->fair, job);
    }
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        init_phase(&own->phase[k], own, k);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        add_suspended_attempts_to_nodes(self, &own->phase[k]);
        if (may_phase_enter_now(self, &own->phase[k]))
            hfsp_phase_enter_virtual_cluster(self, &own->phase[k]);
        hfsp_phase_update_lists(self, &own->phase[k]);
    }
}

/* Removes work that does not exist from the virtual cluster: all that is left of a job that ended
 * early (or is an application with a master), otherwise the part by which the size was too large.
 * Such work would delay other jobs, and sizes that are too large on average would fill the virtual
 * cluster without bound. */
static void cut_unneeded_virtual_work(struct policy *self, struct hfsp_phase *p)
{
    const struct policy_job *job = p->own->job;
    const struct policy_phase *count = &job->phase[p->kind];
    const struct policy_seen *seen = &job->seen[p->kind];
    struct hfsp_kind *ks = &self->kind[p->kind];

    if (!job->is_job || count->done < count->total) {
        virtual_cluster_reduce_work(ks->vc, p->virtual, INFINITY);
        ks->stale = true;
    } else if (seen->n >= policy_job_tasks(job, p->kind, count->total)) {
        virtual_cluster_reduce_work(ks->vc, p->virtual,
                                    p->size_us -
                                        (double)seen->work_us * policy_job_width(job, p->kind));
    }
}

static void remove_phase_from_orders_and_cluster(struct policy *self, struct hfsp_phase *p)
{
    struct hfsp_kind *ks = &self->kind[p->kind];

    ks->pending -= p->pending;
    hfsp_nodes_forget_phase(self, p);
    if (p->share.linked)
        policy_order_remove(&ks->share_order, &p->share);
    if (p->counted) {
        ks->means_sum -= (int64_t)p->task_us;
        ks->means_n--;
    }
    if (p->state != HFSP_ABSENT) {
        hfsp_virtual_advance(self, p->kind);
        hfsp_rank_set_wants(&ks->rank, p->virtual, 0);
        for (int c = 0; c < HFSP_COUNTS; c++)
            hfsp_rank_set_count(&ks->rank, (enum hfsp_count)c, p->virtual, 0);
        cut_unneeded_virtual_work(self, p);
        virtual_cluster_detach_job(ks->vc, p->virtual);
        ks->phase[p->virtual] = NULL;
    }
    hfsp_train_end(self, p);
    free(p->sample);
}

/* Makes the job leave the model of fair sharing. If all its tasks of a kind have ended, the real
 * mean duration is known, and its virtual tasks get it. */
static void leave_virtual_fair(struct policy *self, struct hfsp_job *own)
{
    const struct policy_job *job = own->job;
    bool finished = job->is_job;

    virtual_fair_advance(self->fair, self->now_us);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        const struct policy_seen *seen = &job->seen[k];

        finished = finished && job->phase[k].done >= job->phase[k].total;
        if (seen->n > 0 && seen->n >= policy_job_tasks(job, k, job->phase[k].total))
            virtual_fair_set_task_duration(self->fair, own->fair, k, seen->work_us / seen->n);
    }
    virtual_fair_detach_job(self->fair, own->fair, finished);
}

static void hfsp_on_job_left(struct policy *self, struct policy_job *job, int64_t now_us)
{
    struct hfsp_job *own = job->own;

    hfsp_clock_advance(self, now_us);
    if (own->fair)
        leave_virtual_fair(self, own);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        remove_phase_from_orders_and_cluster(self, &own->phase[k]);
        if (self->set.order == VIRTUAL_BY_REMAINING)
            self->kind[k].stale = true;
        hfsp_mark_late_jobs(self, k);
    }
    free(own);
    job->own = NULL;
}

static void hfsp_on_job_changed(struct policy *self, struct policy_job *job,
                                enum base_task_kind kind)
{
    struct hfsp_phase *p = hfsp_phase_of(job, kind);

    if (p->state == HFSP_ABSENT && may_phase_enter_now(self, p))
        hfsp_phase_enter_virtual_cluster(self, p);
    else if (p->state != HFSP_ABSENT && p->total != job->phase[kind].total)
        hfsp_phase_change_total(self, p, job->phase[kind].total - p->total);
    hfsp_phase_update_lists(self, p);
}

static void hfsp_on_task_started(struct policy *self, struct policy_job *job,
                                 enum base_task_kind kind, int32_t task, uint32_t node,
                                 int64_t now_us)
{
    (void)node;
    hfsp_clock_advance(self, now_us);
    hfsp_mark_late_jobs(self, kind);
    hfsp_train_record_started(self, hfsp_phase_of(job, kind), task);
}

static void hfsp_on_task_suspended(struct policy *self, struct policy_job *job,
                                   enum base_task_kind kind, int32_t task, uint32_t node,
                                   bool suspended, int64_t now_us)
{
    struct hfsp_phase *p = hfsp_phase_of(job, kind);

    hfsp_clock_advance(self, now_us);
    hfsp_mark_late_jobs(self, kind);
    hfsp_node_add_suspended(self, p, node, suspended ? 1 : -1);
    hfsp_train_record_suspended(self, p, task, suspended);
}

static void hfsp_on_task_ended(struct policy *self, struct policy_job *job,
                               enum base_task_kind kind, const struct policy_task_end *end)
{
    struct hfsp_phase *p = hfsp_phase_of(job, kind);

    hfsp_clock_advance(self, end->ended_us);
    hfsp_mark_late_jobs(self, kind);
    if (end->suspended) {
        hfsp_node_add_suspended(self, p, end->node, -1);
        hfsp_train_record_suspended(self, p, end->task, false);
    }
    hfsp_train_record_ended(self, p, end);
}

static void hfsp_on_progress(struct policy *self, struct policy_job *job, enum base_task_kind kind,
                             int32_t task, double progress, int64_t now_us)
{
    struct hfsp_phase *p = hfsp_phase_of(job, kind);

    if (p->state != HFSP_TRAINING || kind != BASE_TASK_REDUCE)
        return;
    hfsp_clock_advance(self, now_us);
    hfsp_train_record_progress(self, p, task, progress, now_us);
}

static void hfsp_on_capacity(struct policy *self, int64_t now_us)
{
    hfsp_clock_advance(self, now_us);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        enum base_task_kind kind = k;

        hfsp_virtual_advance(self, kind);
        if (!virtual_cluster_set_slots(self->kind[k].vc, self->env->capacity->slots[k]))
            continue;
        self->kind[k].stale = true;
        if (self->fair) {
            virtual_fair_advance(self->fair, self->now_us);
            virtual_fair_set_slots(self->fair, kind, self->env->capacity->slots[k]);
        }
        hfsp_train_divide_slots(self, kind);
    }
}

static int64_t hfsp_on_timer(struct policy *self, int64_t now_us, struct policy_plan *plan)
{
    (void)plan;
    if (self->set.update_us <= 0)
        return 0;
    hfsp_clock_advance(self, now_us);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        hfsp_virtual_advance(self, k);
        self->kind[k].stale = true;
    }
    return now_us + self->set.update_us;
}

/* ---------------------------------------------------------------- a free slot */
enum step {
    STEP_TRAIN,
    STEP_TRAIN_MORE,
    STEP_LATE,
    STEP_ORDER,
    STEP_SPARE,
    STEP_SPARE_MORE,
    STEP_END
};

static struct policy_job *job_of_share_link(const struct policy_link *link)
{
    const char *at = (const char *)link - offsetof(struct hfsp_phase, share);

    return ((const struct hfsp_phase *)(const void *)at)->own->job;
}

/* Returns the element of the order after offer->at (NULL: the first one), and stores it in
 * offer->at. Returns NULL at the end. */
static struct policy_link *next_link_of_offer(struct policy_offer *offer,
                                              const struct policy_order *order)
{
    struct policy_link *link = offer->at ? policy_order_next(offer->at) : order->first;

    offer->at = link;
    return link;
}

static struct policy_job *next_job_by_rank(struct hfsp_kind *ks, struct policy_offer *offer,
                                           const struct policy_job *prev)
{
    unsigned want = HFSP_START | (offer->node_suspended > 0 ? HFSP_RESUME : 0u);
    int32_t from = offer->at ? ks->rank.rank[hfsp_phase_of(prev, offer->kind)->virtual] + 1 : 0;
    int32_t rank = hfsp_rank_next_wanting(&ks->rank, from, want);

    offer->at = ks;
    return rank < 0 ? NULL : ks->phase[ks->rank.job[rank]]->own->job;
}

/* Names jobs in this order: jobs in training, unless the training slots are used up; late jobs that
 * share slots; all jobs by rank; and, if the training slots are used up, jobs in training last, for
 * slots that no other job takes. */
static struct policy_job *hfsp_next(struct policy *self, struct policy_offer *offer,
                                    struct policy_job *prev)
{
    struct hfsp_kind *ks = &self->kind[offer->kind];
    bool within = ks->training_running < hfsp_train_slots_max(self, offer->kind);
    struct policy_link *link;
    struct policy_job *job;

    hfsp_rank_update_if_stale(self, offer->kind);
    for (; offer->step < STEP_END; offer->step++, offer->at = NULL) {
        switch ((enum step)offer->step) {
        case STEP_TRAIN:
        case STEP_TRAIN_MORE:
        case STEP_SPARE:
        case STEP_SPARE_MORE:
            if (within != (offer->step < STEP_LATE))
                break;
            link = next_link_of_offer(
                offer,
                &ks->train[offer->step == STEP_TRAIN_MORE || offer->step == STEP_SPARE_MORE]);
            if (link)
                return hfsp_train_job_of_link(link);
            break;
        case STEP_LATE:
            link = next_link_of_offer(offer, &ks->share_order);
            if (link)
                return job_of_share_link(link);
            break;
        case STEP_ORDER:
            job = next_job_by_rank(ks, offer, prev);
            if (job)
                return job;
            break;
        case STEP_END:
            break;
        }
    }
    /* With an infinite xi, jobs in training run only their samples, so the slot may stay free on
     * purpose. */
    offer->held = offer->held || isinf(self->set.xi);
    return NULL;
}

static bool hfsp_may_preempt(const struct policy *self, enum base_task_kind kind)
{
    (void)kind;
    return self->set.preemption != HFSP_WAIT;
}

#define HFSP_TABLE                                                                                 \
    .delays = true, .sizes_at_arrival = true, .options = hfsp_options, .destroy = hfsp_destroy,    \
    .on_job_arrived = hfsp_on_job_arrived, .on_job_left = hfsp_on_job_left,                        \
    .on_job_changed = hfsp_on_job_changed, .on_task_started = hfsp_on_task_started,                \
    .on_task_suspended = hfsp_on_task_suspended, .on_task_ended = hfsp_on_task_ended,              \
    .on_capacity = hfsp_on_capacity, .on_node_forgotten = hfsp_on_node_forgotten,                  \
    .on_timer = hfsp_on_timer, .next = hfsp_next, .victims = hfsp_victims,                         \
    .may_preempt = hfsp_may_preempt, .explain = hfsp_explain

const struct policy_ops policy_hfsp = {
    .name = "hfsp",
    .colour = "#e0762a",
    .source = "Pastorelli et al., HFSP: Size-based Scheduling for Hadoop, IEEE BigData 2013",
    .create = hfsp_create,
    .on_progress = hfsp_on_progress,
    HFSP_TABLE,
};

const struct policy_ops policy_fsp = {
    .name = "fsp",
    .colour = "#b8458f",
    .source = "Friedman, Henderson, Fairness and efficiency in web server protocols, SIGMETRICS "
              "2003; with HFSP's slots",
    .sim_only = true,
    .create = fsp_create,
    HFSP_TABLE,
};

const struct policy_ops policy_psbs = {
    .name = "psbs",
    .colour = "#1f8f86",
    .source = "Dell'Amico, Carra, Michiardi, PSBS: Practical Size-Based Scheduling, IEEE TC 2016; "
              "with HFSP's slots",
    .sim_only = true,
    .create = psbs_create,
    HFSP_TABLE,
};
