/* The Hadoop Fair Scheduler, and processor sharing over jobs.
 * SOURCE: Zaharia et al., EuroSys 2010 (HFS); Hadoop's Fair Scheduler documentation. */
#include <stdlib.h>

#include "policies/fair/fair_internal.h"

static const struct policy_option fair_options[] = {
    {"fair.mode", POLICY_OPT_WORD, "memoryless", 0, 0, "memoryless,deficit",
     "order by running tasks per weight, or by the deficits of Hadoop 0.20"},
    {"fair.size_weight", POLICY_OPT_BOOL, "false", 0, 0, NULL,
     "the weight of a job grows with its number of tasks (log2)"},
    {"fair.spread_cap", POLICY_OPT_BOOL, "false", 0, 0, NULL,
     "when tasks are fewer than slots, no node runs more than its part of them"},
    {"fair.preemption", POLICY_OPT_BOOL, "false", 0, 0, NULL,
     "kill tasks of other queues for queues past their preemption time-outs"},
    {"fair.preemption_interval", POLICY_OPT_SECONDS, "15", 0.1, 86400, NULL,
     "interval between checks for preemption"},
    {"fair.update_interval", POLICY_OPT_SECONDS, "0.5", 0.01, 3600, NULL,
     "interval between computations of shares"},
    {"fair.long_tasks", POLICY_OPT_BOOL, "false", 0, 0, NULL, "spread long tasks over the nodes"},
    {.name = NULL},
};

static struct policy *create_fair_variant(const struct policy_env *env, bool single)
{
    struct policy *self = base_alloc(sizeof *self);

    self->env = env;
    self->single = single;
    self->update_us = 500000;
    return self;
}

static struct policy *fair_create(const struct policy_env *env)
{
    struct policy *self = create_fair_variant(env, false);

    self->deficits = policy_conf_word(env->conf, fair_options, "fair.mode") == 1;
    self->size_weight = policy_conf_bool(env->conf, fair_options, "fair.size_weight");
    self->spread_cap = policy_conf_bool(env->conf, fair_options, "fair.spread_cap");
    self->preemption = policy_conf_bool(env->conf, fair_options, "fair.preemption");
    self->preemption_us = policy_conf_us(env->conf, fair_options, "fair.preemption_interval");
    self->update_us = policy_conf_us(env->conf, fair_options, "fair.update_interval");
    self->long_tasks = policy_conf_bool(env->conf, fair_options, "fair.long_tasks");
    self->commit.delay_us = policy_conf_us(env->conf, policy_common_options, "commit_delay");
    fair_tree_build(self);
    return self;
}

static struct policy *ps_create(const struct policy_env *env)
{
    struct policy *self = create_fair_variant(env, true);

    fair_tree_build(self);
    return self;
}

static void fair_destroy(struct policy *self)
{
    fair_tree_free(self);
    commit_delay_free(&self->commit);
    fair_scratch_free(&self->scratch);
    free(self->users);
    free(self->long_on.v);
    free(self->entities);
    free(self->whole);
    free(self->owners);
    free(self->candidates);
    free(self);
}

static void update_counts_of_both_kinds(struct policy *self, struct fair_job *fj)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        fair_job_update_counts(self, fj, k);
}

/* Adds the job to the queue that job->queue names now. */
static void enter_queue(struct policy *self, struct fair_job *fj)
{
    struct fair_queue *q;

    fj->queue = self->single || fj->job->queue >= self->queues_n ? 0 : fj->job->queue;
    q = &self->queues[fj->queue];
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS && !q->first_job; k++)
        q->side[k].at_min_us = q->side[k].at_fair_us = self->now_us;
    fair_apps_add_job(self, fj);
    fair_job_update_weight(self, fj);
    update_counts_of_both_kinds(self, fj);
    if (self->size_weight) /* again, since the weight depends on the counts */
        fair_job_update_weight(self, fj);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS && self->size_weight; k++)
        fair_job_update_place(self, fj, k);
}

static void leave_queue(struct policy *self, struct fair_job *fj)
{
    fair_job_remove_from_counts(self, fj);
    fair_apps_remove_job(self, fj);
}

static void fair_on_queues(struct policy *self, int64_t now_us)
{
    self->now_us = now_us;
    for (struct fair_job *fj = self->first; fj; fj = fj->next) {
        bool active = fj->active;

        if (fj->queue >= 0)
            leave_queue(self, fj);
        fj->active = active; /* an active job stays active, whatever the new limits are */
    }
    fair_tree_build(self);
    fair_apps_reset_user_limits(self);
    for (struct fair_job *fj = self->first; fj; fj = fj->next)
        enter_queue(self, fj);
    fair_apps_activate_waiting(self);
}

static void fair_on_job_arrived(struct policy *self, struct policy_job *job, int64_t now_us)
{
    struct fair_job *fj = base_alloc(sizeof *fj);

    self->now_us = now_us;
    job->own = fj;
    fj->job = job;
    fj->queue = -1;
    fj->prev = self->last;
    if (self->last)
        self->last->next = fj;
    else
        self->first = fj;
    self->last = fj;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        policy_link_init(&job->link[k], job->submit_us, job->cluster_ts, job->seq);
    if (!self->single && self->env->queues && (size_t)self->queues_n < self->env->queues->n)
        fair_on_queues(self, now_us); /* enters this job, too */
    else
        enter_queue(self, fj);
    if (self->long_tasks)
        fair_long_add_job(self, fj);
}

static void fair_on_job_left(struct policy *self, struct policy_job *job, int64_t now_us)
{
    struct fair_job *fj = fair_job_of(job);

    self->now_us = now_us;
    commit_delay_remove_job(&self->commit, job);
    if (self->long_tasks)
        fair_long_remove_job(self, fj);
    leave_queue(self, fj);
    if (fj->prev)
        fj->prev->next = fj->next;
    else
        self->first = fj->next;
    if (fj->next)
        fj->next->prev = fj->prev;
    else
        self->last = fj->prev;
    job->own = NULL;
    free(fj);
    fair_apps_activate_waiting(self);
}

static void fair_on_job_moved(struct policy *self, struct policy_job *job, int64_t now_us)
{
    self->now_us = now_us;
    leave_queue(self, fair_job_of(job));
    /* the limits of the new queue apply, unless the job has attempts */
    fair_job_of(job)->active = false;
    enter_queue(self, fair_job_of(job));
    fair_apps_activate_waiting(self);
}

static void fair_on_job_priority(struct policy *self, struct policy_job *job, int64_t now_us)
{
    struct fair_job *fj = fair_job_of(job);

    self->now_us = now_us;
    if (fj->wait.linked)
        policy_order_move(&self->queues[fj->queue].waiting, &fj->wait, -(int64_t)job->priority);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        fair_job_update_counts(self, fj, k); /* sets the job's weight and place anew */
}

static void fair_on_job_changed(struct policy *self, struct policy_job *job,
                                enum base_task_kind kind)
{
    fair_job_update_counts(self, fair_job_of(job), kind);
}

static void expire_commit_delays(struct policy *self, int64_t now_us)
{
    struct policy_job *job;
    enum base_task_kind kind;

    while (commit_delay_pop_expired(&self->commit, now_us, &job, &kind)) {
        fair_job_of(job)->ended[kind] -= policy_job_width(job, kind);
        fair_job_update_counts(self, fair_job_of(job), kind);
    }
}

static void fair_on_task_started(struct policy *self, struct policy_job *job,
                                 enum base_task_kind kind, int32_t task, uint32_t node,
                                 int64_t now_us)
{
    (void)task;
    expire_commit_delays(self, now_us);
    if (self->long_tasks)
        fair_long_count_started(self, fair_job_of(job), kind, node);
}

static void fair_on_task_ended(struct policy *self, struct policy_job *job,
                               enum base_task_kind kind, const struct policy_task_end *end)
{
    expire_commit_delays(self, end->ended_us);
    if (commit_delay_add_ended(&self->commit, job, kind, end->ended_us))
        fair_job_of(job)->ended[kind] += policy_job_width(job, kind);
    if (self->long_tasks)
        fair_long_count_ended(self, fair_job_of(job), kind, end);
}

static void fair_on_task_suspended(struct policy *self, struct policy_job *job,
                                   enum base_task_kind kind, int32_t task, uint32_t node,
                                   bool suspended, int64_t now_us)
{
    (void)task;
    (void)now_us;
    if (self->long_tasks)
        fair_long_count_suspended(self, fair_job_of(job), kind, node, suspended);
}

static void fair_on_capacity(struct policy *self, int64_t now_us)
{
    self->now_us = now_us;
    fair_tree_update_limits(self);
}

static int64_t fair_on_timer(struct policy *self, int64_t now_us, struct policy_plan *plan)
{
    int64_t next;

    expire_commit_delays(self, now_us);
    if (!self->started) {
        self->started = true;
        self->updated_us = now_us;
        self->next_preemption_us = now_us + self->preemption_us;
    }
    if (now_us - self->updated_us >= self->update_us || now_us == self->updated_us)
        fair_update_shares(self, now_us);
    if (self->preemption && now_us >= self->next_preemption_us) {
        fair_preempt_for_starved(self, plan);
        self->next_preemption_us = now_us + self->preemption_us;
    }
    next = commit_delay_next_expiry_us(&self->commit, now_us);
    return next < self->updated_us + self->update_us ? next : self->updated_us + self->update_us;
}

static bool fair_queue_share(const struct policy *self, int32_t queue,
                             int64_t share[BASE_TASK_KINDS], int64_t demand[BASE_TASK_KINDS])
{
    if (self->single || queue < 0 || queue >= self->queues_n)
        return false;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        share[k] = self->queues[queue].side[k].share_slots;
        demand[k] = fair_demand(&self->queues[queue].side[k]);
    }
    return true;
}

const struct policy_ops policy_fair = {
    .name = "fair",
    .colour = "#3b82c4",
    .alias = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler",
    .source = "Zaharia et al., EuroSys 2010 (HFS); Hadoop's Fair Scheduler",
    .delays = true,
    .options = fair_options,
    .create = fair_create,
    .destroy = fair_destroy,
    .on_job_arrived = fair_on_job_arrived,
    .on_job_left = fair_on_job_left,
    .on_job_moved = fair_on_job_moved,
    .on_job_priority = fair_on_job_priority,
    .on_job_changed = fair_on_job_changed,
    .on_task_started = fair_on_task_started,
    .on_task_suspended = fair_on_task_suspended,
    .on_task_ended = fair_on_task_ended,
    .on_capacity = fair_on_capacity,
    .on_queues = fair_on_queues,
    .on_timer = fair_on_timer,
    .next = fair_next,
    .may_start = fair_may_start,
    .explain = fair_explain,
    .queue_share = fair_queue_share,
};

const struct policy_ops policy_ps = {
    .name = "ps",
    .colour = "#6aa9dd",
    .source = "processor sharing over jobs: the fair scheduler with one pool, without delay",
    .sim_only = true,
    .create = ps_create,
    .destroy = fair_destroy,
    .on_job_arrived = fair_on_job_arrived,
    .on_job_left = fair_on_job_left,
    .on_job_changed = fair_on_job_changed,
    .next = fair_next,
    .explain = fair_explain,
};
