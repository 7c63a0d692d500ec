/* Limits of running applications per queue and per user. An application that arrives when a limit
 * is reached waits; waiting applications start by priority and submission.
 * SOURCE: Hadoop's Fair Scheduler documentation (maxRunningApps); its MaxRunningAppsEnforcer. */
#include <stdlib.h>
#include <string.h>

#include "policies/fair/fair_internal.h"

static int32_t running_app_limit_of_user(const struct policy *self, int32_t user)
{
    const struct policy_queues *q = self->single ? NULL : self->env->queues;
    const char *name;

    if (!q)
        return INT32_MAX;
    name = q->users_n && self->env->user_name ? self->env->user_name(self->env->core, user) : NULL;
    for (size_t i = q->users_n; name && i-- > 0;) /* the last entry of a user counts */
        if (strcmp(q->users[i].user, name) == 0)
            return q->users[i].max_running;
    return q->user_max_running;
}

static struct fair_user *get_or_add_user(struct policy *self, const struct policy_job *job)
{
    int32_t n = self->users_n;

    base_assert(job->user >= 0);
    if (job->user >= n) {
        self->users_n = job->user + 1 > 2 * n ? job->user + 1 : 2 * n;
        self->users = base_realloc_array(self->users, (size_t)self->users_n, sizeof *self->users);
        for (int32_t i = n; i < self->users_n; i++)
            self->users[i] = (struct fair_user){.max = -1};
    }
    if (self->users[job->user].max < 0)
        self->users[job->user].max = running_app_limit_of_user(self, job->user);
    return &self->users[job->user];
}

void fair_apps_reset_user_limits(struct policy *self)
{
    for (int32_t i = 0; i < self->users_n; i++)
        self->users[i].max = -1;
}

static bool is_running_app_limit_of_queue_reached(const struct policy *self, int32_t queue)
{
    for (int32_t i = queue; i >= 0; i = self->queues[i].parent)
        if (self->queues[i].active >= self->queues[i].max_active)
            return true;
    return false;
}

static bool is_running_app_limit_of_user_reached(struct policy *self, const struct policy_job *job)
{
    const struct fair_user *u = get_or_add_user(self, job);

    return u->active >= u->max;
}

static void set_job_active(struct policy *self, struct fair_job *fj, bool active)
{
    fj->active = active;
    get_or_add_user(self, fj->job)->active += active ? 1 : -1;
    for (int32_t i = fj->queue; i >= 0; i = self->queues[i].parent)
        self->queues[i].active += active ? 1 : -1;
}

bool fair_may_start(const struct policy *self, const struct policy_job *job)
{
    (void)self;
    return fair_job_of(job)->active;
}

static void queue_add_job(struct fair_queue *q, struct fair_job *fj)
{
    fj->queue_prev = q->last_job;
    fj->queue_next = NULL;
    if (q->last_job)
        q->last_job->queue_next = fj;
    else
        q->first_job = fj;
    q->last_job = fj;
}

static void queue_remove_job(struct fair_queue *q, struct fair_job *fj)
{
    if (fj->queue_prev)
        fj->queue_prev->queue_next = fj->queue_next;
    else
        q->first_job = fj->queue_next;
    if (fj->queue_next)
        fj->queue_next->queue_prev = fj->queue_prev;
    else
        q->last_job = fj->queue_prev;
}

void fair_apps_add_job(struct policy *self, struct fair_job *fj)
{
    struct fair_queue *q = &self->queues[fj->queue];
    bool runs = fj->active;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        runs = runs || fj->job->phase[k].running > 0 || fj->job->phase[k].suspended > 0;
    queue_add_job(q, fj);
    if (runs || (!is_running_app_limit_of_queue_reached(self, fj->queue) &&
                 !is_running_app_limit_of_user_reached(self, fj->job))) {
        set_job_active(self, fj, true);
        return;
    }
    policy_link_init(&fj->wait, fj->job->submit_us, fj->job->cluster_ts, fj->job->seq);
    policy_order_insert(&q->waiting, &fj->wait, -(int64_t)fj->job->priority);
    self->waiting_n++;
}

void fair_apps_remove_job(struct policy *self, struct fair_job *fj)
{
    struct fair_queue *q = &self->queues[fj->queue];

    queue_remove_job(q, fj);
    if (fj->active)
        set_job_active(self, fj, false);
    if (fj->wait.linked) {
        policy_order_remove(&q->waiting, &fj->wait);
        self->waiting_n--;
    }
}

static struct fair_job *job_of_wait_link(struct policy_link *l)
{
    return (struct fair_job *)(void *)((char *)(void *)l - offsetof(struct fair_job, wait));
}

/* Returns the queue's first waiting job whose user may run one more application; NULL: none. */
static struct fair_job *first_job_that_may_start(struct policy *self, const struct fair_queue *q)
{
    for (struct policy_link *l = q->waiting.first; l; l = policy_order_next(l))
        if (!is_running_app_limit_of_user_reached(self, job_of_wait_link(l)->job))
            return job_of_wait_link(l);
    return NULL;
}

void fair_apps_activate_waiting(struct policy *self)
{
    while (self->waiting_n > 0) {
        struct fair_job *best = NULL;

        for (int32_t i = 0; i < self->queues_n; i++) {
            struct fair_job *fj =
                self->queues[i].waiting.n && !is_running_app_limit_of_queue_reached(self, i)
                    ? first_job_that_may_start(self, &self->queues[i])
                    : NULL;

            if (fj && (!best || policy_link_before(&fj->wait, &best->wait)))
                best = fj;
        }
        if (!best)
            return;
        policy_order_remove(&self->queues[best->queue].waiting, &best->wait);
        self->waiting_n--;
        set_job_active(self, best, true);
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            fair_job_update_counts(self, best, k);
    }
}
