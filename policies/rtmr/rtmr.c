/* RTMR: a job with a deadline is accepted if it and all jobs accepted before will finish in time,
 * and otherwise refused with the earliest deadline that could be promised. Accepted jobs finish in
 * time as long as tasks take no longer than estimated, no task fails and no slot is lost.
 *
 *   admission   policies/rtmr/queue.h: list scheduling on slot profiles, in the order of the queue
 *   dispatch    maps start in the order of the queue; a reduce starts only if enough slots stay
 *               free for the reduces of earlier jobs whose maps are not done (Algorithm IV). Jobs
 *               without deadline get the slots that are left
 *   reservations  slots promised for a later time are entries of the same queue, and are kept
 *               free like those for reduces: a task starts only if enough slots stay free for the
 *               bookings that begin before it ends
 *   feedback    when a job ended much earlier or later than planned, its actual finish times
 *               replace its estimate (Algorithms V, VI)
 *
 * SOURCE: He, Lu, Swanson, "Real-Time Scheduling in MapReduce Clusters", HPCC 2013. Algorithm IV as
 * printed withholds a slot if res > Ra, but the text requires that enough slots stay free, which
 * means res >= Ra (rtmr.literal selects the printed form). A heartbeat is added to the length of
 * every task, because a freed slot is noticed only with the next heartbeat.
 * Costs: next O(log jobs); admit O(jobs x runs of the profile), and more for a refusal, which
 * searches for an offer. */
#include <math.h>
#include <stdlib.h>

#include "policies/rtmr/cost.h"
#include "policies/rtmr/options.h"
#include "policies/rtmr/rtmr_internal.h"

const struct policy_option rtmr_options[] = {
    {"rtmr.order", POLICY_OPT_WORD, "edf", 0, 0, "edf,fifo",
     "order of waiting jobs: by deadline, or by submission"},
    {"rtmr.literal", POLICY_OPT_BOOL, "false", 0, 0, NULL,
     "reserve reduce slots as printed in the paper (one too few), which breaks promises"},
    {"rtmr.feedback", POLICY_OPT_BOOL, "true", 0, 0, NULL,
     "correct the plan by the actual ends of jobs"},
    {"rtmr.delta", POLICY_OPT_SECONDS, "10", 0, 1e6, NULL,
     "minimum difference between estimate and actual end that corrects the plan"},
    {"rtmr.eps_margin", POLICY_OPT_SECONDS, "0", 0, 1e6, NULL,
     "margin added to the longest expected duration of a task"},
    {"rtmr.map_startup", POLICY_OPT_SECONDS, "auto", 0, 86400, NULL,
     "part of a map's duration that does not grow with its input; auto: learn.map_startup"},
    {"rtmr.reduce_startup", POLICY_OPT_SECONDS, "auto", 0, 86400, NULL,
     "part of a reduce's duration that does not grow with its input; auto: learn.reduce_startup"},
    {"rtmr.bootstrap_map", POLICY_OPT_SECONDS, "60", 0.001, 1e6, NULL,
     "duration of a map when nothing is known of maps"},
    {"rtmr.bootstrap_reduce", POLICY_OPT_SECONDS, "60", 0.001, 1e6, NULL,
     "duration of a reduce when nothing is known of reduces"},
    {"rtmr.offer_margin", POLICY_OPT_SECONDS, "5", 0, 3600, NULL,
     "time after a refusal (of dc, too) for which the offered deadline stays valid; the deadline "
     "is later by as much"},
    {"rtmr.be_order", POLICY_OPT_WORD, "fifo", 0, 0, "fifo,fair,hsrtf",
     "order of jobs without deadline: by priority and submission, fewest running tasks, or "
     "shortest remaining time"},
    {"rtmr.be_kill", POLICY_OPT_BOOL, "false", 0, 0, NULL,
     "kill tasks of jobs without deadline when a job with deadline needs the slot"},
    {"rtmr.be_share", POLICY_OPT_REAL, "1", 0, 1, NULL,
     "largest part of the slots of each kind for jobs without deadline"},
    {.name = NULL},
};

static int64_t max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static struct policy *rtmr_create(const struct policy_env *env)
{
    static const char *const startup[] = {"rtmr.map_startup", "rtmr.reduce_startup"};
    static const char *const bootstrap[] = {"rtmr.bootstrap_map", "rtmr.bootstrap_reduce"};
    struct policy *self = base_alloc(sizeof *self);

    self->env = env;
    TAILQ_INIT(&self->reservations);
    rtmr_queue_init(&self->q, policy_conf_word(env->conf, rtmr_options, "rtmr.order") == 1);
    self->literal = policy_conf_bool(env->conf, rtmr_options, "rtmr.literal");
    self->feedback = policy_conf_bool(env->conf, rtmr_options, "rtmr.feedback");
    self->delta_us = policy_conf_us(env->conf, rtmr_options, "rtmr.delta");
    self->eps_margin_us = policy_conf_us(env->conf, rtmr_options, "rtmr.eps_margin");
    self->offer_margin_us = policy_conf_us(env->conf, rtmr_options, "rtmr.offer_margin");
    self->be_order =
        (enum rtmr_best_effort_order)policy_conf_word(env->conf, rtmr_options, "rtmr.be_order");
    self->be_kill = policy_conf_bool(env->conf, rtmr_options, "rtmr.be_kill");
    self->be_share = policy_conf_real(env->conf, rtmr_options, "rtmr.be_share");
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        int64_t startup_us = policy_conf_us(env->conf, rtmr_options, startup[k]);

        self->bootstrap_us[k] = policy_conf_us(env->conf, rtmr_options, bootstrap[k]);
        self->slots[k] = env->capacity->slots[k];
        if (startup_us >= 0)
            env->learned->kind[k].startup_us = startup_us;
    }
    rtmr_queue_resize(&self->q, self->slots, 0);
    return self;
}

void rtmr_drop_candidate(struct policy *self)
{
    self->q.tested = NULL;
    rtmr_entry_free(self->candidate);
    self->candidate = NULL;
}

static void rtmr_destroy(struct policy *self)
{
    rtmr_drop_candidate(self);
    rtmr_queue_free(&self->q);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        free(self->busy[k].v);
        free(self->later[k].v);
        slot_calendar_free(&self->booked[k]);
    }
    free(self);
}

/* ---- admission ---- */
int64_t rtmr_longest_hold_us(const struct policy *self, const struct policy_job *job,
                             enum base_task_kind kind)
{
    return rtmr_cost_longest_task_us(self->env->learned, job, kind, self->bootstrap_us[kind]) +
           self->env->heartbeat_us + self->eps_margin_us;
}

/* Returns true for a job with a deadline of its own. A job of a reservation has the booked slots,
 * and no other promise. */
static bool has_deadline(const struct policy_job *job)
{
    return job->is_job && job->deadline_us > 0 && !job->reservation;
}

static struct rtmr_entry *new_entry(const struct policy *self, const struct policy_job *job)
{
    struct rtmr_entry *e = base_alloc(sizeof *e);

    e->submit_us = job->submit_us;
    e->cluster_ts = job->cluster_ts;
    e->seq = job->seq;
    e->due_us = job->deadline_us < RTMR_UNKNOWN - job->submit_us ? job->submit_us + job->deadline_us
                                                                 : RTMR_UNKNOWN - 1;
    if (self->be_kill) /* slots for its reduces are cleared by kills only when the maps are done */
        e->gap_us = rtmr_free_after_kill_us(self, 0);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        e->n[k] = job->phase[k].total;
        e->eps_us[k] = rtmr_longest_hold_us(self, job, k);
    }
    return e;
}

static void rtmr_on_capacity(struct policy *self, int64_t now_us)
{
    const struct policy_capacity *c = self->env->capacity;
    bool same = true, fewer = false;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        same = same && c->slots[k] == self->slots[k];
        fewer = fewer || c->slots[k] < self->slots[k];
        self->slots[k] = c->slots[k];
    }
    if (same)
        return;
    rtmr_queue_resize(&self->q, self->slots, now_us);
    rtmr_queue_update_estimates(&self->q, 0, now_us);
    self->anew = true; /* new slots may be occupied already */
    if (fewer)
        rtmr_warn_lost_promises(self, "slots were lost");
}

static int compare_runs_by_time(const void *a, const void *b)
{
    const struct slot_run *x = a, *y = b;

    return (x->at_us > y->at_us) - (x->at_us < y->at_us);
}

/* Sets the tasks of @e to the unfinished tasks of @job that do not run, and occupies slots in the
 * base for the running ones. */
static void plan_remaining_tasks(struct policy *self, struct rtmr_entry *e,
                                 const struct policy_job *job, int64_t now_us)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        const struct policy_phase *p = &job->phase[k];
        /* reduces that hold their slots until the maps are done, at an unknown time */
        bool early = k == BASE_TASK_REDUCE &&
                     job->phase[BASE_TASK_MAP].done < job->phase[BASE_TASK_MAP].total;
        struct slot_run *until = NULL;
        struct policy_running r;
        void *cursor = NULL;
        size_t n = 0, cap = 0;

        e->after_us[k] = 0;
        while (p->running > 0 && self->env->running(self->env->core, job, k, &cursor, &r)) {
            if (r.suspended)
                continue;
            base_array_grow(&until, n, &cap);
            until[n] = (struct slot_run){
                early ? RTMR_UNKNOWN : rtmr_latest_end_us(&r, e->eps_us[k], now_us), 1};
            e->after_us[k] = max64(e->after_us[k], until[n++].at_us);
        }
        /* tasks whose attempts are being killed will run again */
        e->n[k] = max64(p->total - p->done - (int64_t)n, 0);
        if (n) {
            qsort(until, n, sizeof *until, compare_runs_by_time);
            rtmr_queue_occupy_base(&self->q, k, until, n);
            self->anew = self->anew || early;
        }
        free(until);
    }
}

/* Plans all jobs from their present state. The history of the plan is useless once tasks have to
 * run again or jobs have left early. */
static void plan_all_jobs_anew(struct policy *self, int64_t now_us)
{
    rtmr_queue_forget_history(&self->q, self->slots, now_us);
    self->anew = false;
    for (size_t i = 0; i < self->q.n; i++) {
        self->q.v[i]->begun_us = now_us;
        if (self->q.v[i]->job)
            plan_remaining_tasks(self, self->q.v[i], self->q.v[i]->job, now_us);
    }
    self->adopted_us = max64(now_us, 1);
}

/* Estimates all jobs after some were adopted; by now all adopted jobs are known. */
static void estimate_all_after_adoption(struct policy *self, int64_t now_us)
{
    rtmr_best_effort_list_busy_slots(self, now_us);
    rtmr_queue_replan_with_held_slots(&self->q, now_us, self->busy);
    self->adopted_us = 0;
}

void rtmr_prepare_test(struct policy *self, int64_t now_us)
{
    rtmr_drop_candidate(self);
    rtmr_on_capacity(self, now_us);
    if (self->anew)
        plan_all_jobs_anew(self, now_us);
    if (self->adopted_us)
        estimate_all_after_adoption(self, now_us);
    else
        rtmr_best_effort_list_busy_slots(self, now_us);
}

static bool rtmr_admit(struct policy *self, const struct policy_job *job, int64_t now_us,
                       struct policy_promise *out)
{
    struct rtmr_verdict v;
    struct rtmr_entry *e;
    int64_t offer_us;

    *out = (struct policy_promise){0};
    if (!has_deadline(job))
        return true;
    rtmr_prepare_test(self, now_us);
    e = new_entry(self, job);
    rtmr_queue_test_admission(&self->q, e, now_us, self->busy, &v);
    if (v.accepted) {
        self->candidate = e;
        out->finish_us = v.finish_us;
        return true;
    }
    rtmr_best_effort_predict_busy_slots(self, now_us, now_us + self->offer_margin_us);
    offer_us =
        rtmr_queue_find_offer(&self->q, e, (struct rtmr_moment){now_us, self->busy},
                              (struct rtmr_moment){now_us + self->offer_margin_us, self->later});
    rtmr_explain_refusal(self, e, &v, offer_us, out);
    rtmr_entry_free(e);
    return false;
}

/* ---- counts ---- */
static void set_job_counts(struct policy *self, struct rtmr_job *own, enum base_task_kind kind,
                           int32_t running, int32_t pending)
{
    int with = own->entry ? 1 : 0;

    if (!own->entry)
        self->beside_used[kind] += running - own->running[kind];
    if (own->reservation)
        own->reservation->running[kind] += running - own->running[kind];
    if (own->job->is_job) {
        self->running[with][kind] += running - own->running[kind];
        self->pending[with][kind] += pending - own->pending[kind];
    }
    own->running[kind] = running;
    own->pending[kind] = pending;
}

static void update_counts_and_order(struct policy *self, struct policy_job *job,
                                    enum base_task_kind kind)
{
    struct rtmr_job *own = rtmr_job_of(job);
    const struct policy_phase *p = job->phase;
    struct policy_link *link = &job->link[kind];
    bool wants = p[kind].pending > 0 || p[kind].suspended > 0;

    set_job_counts(self, own, kind, p[kind].running, p[kind].pending);
    if (!own->entry) {
        rtmr_best_effort_update_order(self, own, kind);
        return;
    }
    self->anew = self->anew || p[BASE_TASK_MAP].done < own->maps_done || /* map output was lost */
                 p[kind].total > own->total[kind];
    own->total[kind] = p[kind].total;
    own->maps_done = p[BASE_TASK_MAP].done;
    rtmr_queue_set_reserve(&self->q, own->entry,
                           p[BASE_TASK_MAP].done < p[BASE_TASK_MAP].total
                               ? p[BASE_TASK_REDUCE].total - p[BASE_TASK_REDUCE].done
                               : 0);
    if (wants && !link->linked)
        policy_order_insert(&self->order[kind], link, own->entry->key);
    else if (!wants && link->linked)
        policy_order_remove(&self->order[kind], link);
}

static void rtmr_on_job_changed(struct policy *self, struct policy_job *job,
                                enum base_task_kind kind)
{
    if (self->adopted_us)
        estimate_all_after_adoption(self, self->adopted_us);
    update_counts_and_order(self, job, kind);
}

/* ---- arrival and departure ---- */

/* Makes an entry for a job that was not admitted here, because of a change of policy or a
 * restart. */
static struct rtmr_entry *new_adopted_entry(struct policy *self, struct policy_job *job,
                                            int64_t now_us)
{
    struct rtmr_entry *e = new_entry(self, job);
    bool started = job->first_us > 0;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        started = started || job->phase[k].running > 0 || job->phase[k].done > 0;
    if (started)
        e->started_us = job->first_us > 0 && job->first_us <= now_us ? job->first_us : now_us;
    plan_remaining_tasks(self, e, job, now_us);
    return e;
}

static void enter_queue(struct policy *self, struct rtmr_job *own, int64_t now_us)
{
    struct policy_job *job = own->job;
    struct rtmr_entry *e = self->candidate;

    if (e && e->cluster_ts == job->cluster_ts && e->seq == job->seq) {
        self->candidate = NULL;
        rtmr_queue_insert_owned(&self->q, e, now_us, self->busy);
    } else {
        rtmr_drop_candidate(self);
        e = new_adopted_entry(self, job, now_us);
        rtmr_queue_adopt_owned(&self->q, e, now_us);
        self->adopted_us = max64(now_us, 1);
    }
    e->job = job;
    own->entry = e;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        own->total[k] = job->phase[k].total;
}

static void rtmr_on_job_arrived(struct policy *self, struct policy_job *job, int64_t now_us)
{
    struct rtmr_job *own = base_alloc(sizeof *own);

    own->job = job;
    job->own = own;
    if (has_deadline(job)) {
        enter_queue(self, own, now_us);
    } else {
        LIST_INSERT_HEAD(&self->best_effort, own, in_best_effort);
        rtmr_job_join_reservation(own);
    }
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        policy_link_init(&job->link[k], job->submit_us, job->cluster_ts, job->seq);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        update_counts_and_order(self, job, k);
}

static void leave_queue(struct policy *self, struct rtmr_job *own, int64_t now_us)
{
    const struct policy_job *job = own->job;
    struct rtmr_entry *e = own->entry;
    bool done = true, correct = false;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        done = done && job->phase[k].done >= job->phase[k].total;
    if (done) {
        rtmr_warn_if_job_late(self, own, now_us);
        correct = self->feedback &&
                  (llabs(e->finish_us - now_us) >= self->delta_us || now_us > e->due_us);
    } else if (e->at >= self->q.fixed) {
        /* neither this job nor a later one has started: it can leave without a trace */
        e->n[BASE_TASK_MAP] = e->n[BASE_TASK_REDUCE] = 0;
    } else {
        /* other jobs have waited for the slots that were planned for this job */
        self->anew = true;
    }
    if (correct && (e->after_us[BASE_TASK_MAP] || e->after_us[BASE_TASK_REDUCE])) {
        /* attempts of the job are part of the base, so its finish times do not cover all of its
         * work */
        correct = false;
        self->anew = true;
    }
    e->job = NULL;
    rtmr_queue_finish_job(&self->q, e, now_us, correct);
}

static void rtmr_on_job_left(struct policy *self, struct policy_job *job, int64_t now_us)
{
    struct rtmr_job *own = rtmr_job_of(job);

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        set_job_counts(self, own, k, 0, 0);
        if (job->link[k].linked)
            policy_order_remove(own->entry ? &self->order[k] : &self->beside[k], &job->link[k]);
    }
    if (own->entry) {
        leave_queue(self, own, now_us);
    } else {
        LIST_REMOVE(own, in_best_effort);
        rtmr_job_leave_reservation(own);
    }
    free(own);
    job->own = NULL;
}

void rtmr_mark_started(struct policy *self, struct rtmr_entry *e, int64_t now_us)
{
    for (size_t i = rtmr_queue_mark_started(&self->q, e, now_us); i <= e->at; i++) {
        struct policy_job *moved = self->q.v[i]->job;

        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS && moved; k++)
            if (moved->link[k].linked)
                policy_order_move(&self->order[k], &moved->link[k], self->q.v[i]->key);
    }
}

static void rtmr_on_task_started(struct policy *self, struct policy_job *job,
                                 enum base_task_kind kind, int32_t task, uint32_t node,
                                 int64_t now_us)
{
    struct rtmr_entry *e = rtmr_job_of(job)->entry;

    (void)kind;
    (void)task;
    (void)node;
    if (e && !e->started_us)
        rtmr_mark_started(self, e, now_us);
}

static void rtmr_on_task_ended(struct policy *self, struct policy_job *job,
                               enum base_task_kind kind, const struct policy_task_end *end)
{
    struct rtmr_job *own = rtmr_job_of(job);
    int64_t took = end->ended_us - end->started_us;

    if (!own->entry)
        return;
    rtmr_entry_add_task_end(own->entry, kind, end->ended_us);
    if (!end->success)
        self->anew = true;
    else if (took > own->entry->eps_us[kind])
        rtmr_warn_task_outlasted_bound(self, own, kind, took);
}

/* ---- dispatch ---- */
/* Returns true when enough slots stay free for @reserved reduces after a reduce starts in this one.
 * The paper as printed counts this slot as free, too. */
static bool leaves_enough_reduce_slots(const struct policy *self, const struct policy_offer *offer,
                                       int64_t reserved)
{
    int64_t free_slots =
        offer->capacity->slots[BASE_TASK_REDUCE] - offer->capacity->used[BASE_TASK_REDUCE];

    if (self->be_kill) /* slots of best-effort attempts can be freed, and plans rely on it */
        free_slots += self->running[0][BASE_TASK_REDUCE];
    return self->literal ? reserved <= free_slots : reserved < free_slots;
}

/* Returns true when a task of @job may start in this slot without using slots booked for
 * reservations before the job in the queue. */
static bool leaves_booked_slots(const struct policy *self, const struct policy_offer *offer,
                                const struct policy_job *job)
{
    const struct policy_capacity *c = offer->capacity;
    int64_t keep = rtmr_reserved_keep_free(self, job, offer->kind, offer->now_us);

    return !keep || c->slots[offer->kind] - c->used[offer->kind] > keep;
}

/* Returns the first job from @link on that may start a map without using the reservations. */
static struct policy_job *next_with_maps(const struct policy *self, struct policy_offer *offer,
                                         struct policy_link *link)
{
    for (; link; link = policy_order_next(link)) {
        struct policy_job *job = policy_link_job(link, BASE_TASK_MAP);

        if (leaves_booked_slots(self, offer, job))
            return job;
        offer->held = true;
    }
    if (self->pending[1][BASE_TASK_MAP] <= 0)
        return rtmr_best_effort_next(self, offer, NULL);
    offer->held = true;
    return NULL;
}

/* Returns the first job from @link on that may start a reduce: enough slots must stay free for the
 * reduces and reservations before it in the queue. */
static struct policy_job *next_with_reduces(const struct policy *self, struct policy_offer *offer,
                                            struct policy_link *link)
{
    for (; link; link = policy_order_next(link)) {
        struct policy_job *job = policy_link_job(link, BASE_TASK_REDUCE);
        int64_t reserved =
            offer->step + rtmr_queue_sum_reserved_of_first(&self->q, rtmr_job_of(job)->entry->at);

        if (leaves_enough_reduce_slots(
                self, offer,
                reserved + rtmr_reserved_keep_free(self, job, offer->kind, offer->now_us)))
            return job;
        offer->held = true;
        if (!leaves_enough_reduce_slots(self, offer, reserved)) /* nor for any job after it */
            return NULL;
        offer->step += job->phase[BASE_TASK_REDUCE].pending;
    }
    if (leaves_enough_reduce_slots(
            self, offer, offer->step + rtmr_queue_sum_reserved_of_first(&self->q, self->q.n)))
        return rtmr_best_effort_next(self, offer, NULL);
    offer->held = true;
    return NULL;
}

/* Names jobs by Algorithm IV: first those whose reservation has booked slots, then all jobs with
 * deadlines, then those without: for a map, when no map of a job with a deadline waits; for a
 * reduce, when enough slots stay free. offer->step sums the pending tasks of jobs that declined or
 * were passed over; offer->at is set once the reservations have been asked. */
static struct policy_job *rtmr_next(struct policy *self, struct policy_offer *offer,
                                    struct policy_job *prev)
{
    enum base_task_kind kind = offer->kind;
    struct policy_link *link;

    if (!offer->at) {
        struct policy_job *job = rtmr_reserved_next(self, offer, prev);

        if (job)
            return job;
        offer->at = self;
        prev = NULL;
    }
    if (prev && !rtmr_job_of(prev)->entry)
        return rtmr_best_effort_next(self, offer, prev);
    if (prev)
        offer->step += prev->phase[kind].pending;
    link = prev ? policy_order_next(&prev->link[kind]) : self->order[kind].first;
    return kind == BASE_TASK_MAP ? next_with_maps(self, offer, link)
                                 : next_with_reduces(self, offer, link);
}

const struct policy_ops policy_rtmr = {
    .name = "rtmr",
    .colour = "#d1454f",
    .source = "He, Lu, Swanson, \"Real-Time Scheduling in MapReduce Clusters\", HPCC 2013, "
              "Algorithms I-VI",
    .reduces_last = true,
    .single_slots = true,
    .sizes_at_arrival = true,
    .options = rtmr_options,
    .create = rtmr_create,
    .destroy = rtmr_destroy,
    .admit = rtmr_admit,
    .reserve = rtmr_reserve,
    .on_reserved = rtmr_on_reserved,
    .on_unreserved = rtmr_on_unreserved,
    .on_booking_step = rtmr_on_booking_step,
    .on_job_arrived = rtmr_on_job_arrived,
    .on_job_left = rtmr_on_job_left,
    .on_job_changed = rtmr_on_job_changed,
    .on_task_started = rtmr_on_task_started,
    .on_task_ended = rtmr_on_task_ended,
    .on_capacity = rtmr_on_capacity,
    .next = rtmr_next,
    .victims = rtmr_best_effort_name_victims,
    .explain = rtmr_explain,
};
