/* LAS, least attained service: the job with the least slot time per weight so far comes first. The
 * policy ignores sizes and interrupts no task. Service is slot time, including that of killed
 * attempts; suspended attempts receive none. SOURCE: foreground-background scheduling, Kleinrock,
 * Queueing Systems II, 1976, section 4.6.
 *
 * A job's service and its place in the order are updated when its counts change and once per
 * quantum. */
#include <stdlib.h>

#include "policies/policy.h"

struct las_job { /* policy_job.own */
    struct policy_job *job;
    struct las_job *prev, *next; /* all jobs */
    int64_t got_us;              /* service until last_us */
    int64_t last_us;
    int32_t running[BASE_TASK_KINDS]; /* attempts running since last_us */
};

struct policy {
    const struct policy_env *env;
    int64_t quantum_us, now_us;
    struct las_job *first;
    struct policy_order order[BASE_TASK_KINDS]; /* jobs with tasks to launch or resume,
                                                          by service / weight */
};

#define QUANTUM_MIN_US 100000
#define KEY_MAX        9e18 /* a weight may be tiny */

static const struct policy_option las_options[] = {
    {"las.quantum", POLICY_OPT_SECONDS, "auto", 0.1, 86400, NULL,
     "interval at which all jobs are reordered; auto: one heartbeat"},
    {.name = NULL},
};

static struct policy *las_create(const struct policy_env *env)
{
    struct policy *self = base_alloc(sizeof *self);

    self->env = env;
    self->quantum_us = policy_conf_us(env->conf, las_options, "las.quantum");
    if (self->quantum_us < 0)
        self->quantum_us = env->heartbeat_us > QUANTUM_MIN_US ? env->heartbeat_us : QUANTUM_MIN_US;
    return self;
}

static void las_destroy(struct policy *self)
{
    base_assert(!self->first);
    free(self);
}

static void update_attained_service(struct policy *self, struct las_job *own, int64_t now_us)
{
    if (now_us > self->now_us)
        self->now_us = now_us;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        own->got_us += (self->now_us - own->last_us) * own->running[k];
        own->running[k] = own->job->phase[k].running;
    }
    own->last_us = self->now_us;
}

static void update_places_in_orders(struct policy *self, struct las_job *own)
{
    double per_weight = (double)own->got_us / own->job->weight;
    int64_t key = per_weight < KEY_MAX ? (int64_t)per_weight : (int64_t)KEY_MAX;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        policy_order_place(&self->order[k], &own->job->link[k],
                           own->job->phase[k].pending > 0 || own->job->phase[k].suspended > 0, key);
}

static void las_on_job_changed(struct policy *self, struct policy_job *job,
                               enum base_task_kind kind)
{
    (void)kind;
    update_attained_service(self, job->own, self->now_us);
    update_places_in_orders(self, job->own);
}

/* Returns the service that the job received before it arrived here (under another policy, or before
 * a restart), as far as it is known: that of its successful attempts and of those that run or are
 * suspended now. */
static int64_t service_before_arrival_us(const struct policy *self, const struct policy_job *job,
                                         int64_t now_us)
{
    int64_t sum = 0;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        struct policy_running r;
        void *cursor = NULL;

        sum += job->seen[k].work_us * policy_job_width(job, k);
        while (self->env->running(self->env->core, job, k, &cursor, &r))
            sum += (now_us - r.started_us) * policy_running_slots(&r);
    }
    return sum;
}

static void las_on_job_arrived(struct policy *self, struct policy_job *job, int64_t now_us)
{
    struct las_job *own = base_alloc(sizeof *own);

    if (now_us > self->now_us)
        self->now_us = now_us;
    *own = (struct las_job){.job = job, .next = self->first, .last_us = self->now_us};
    own->got_us = service_before_arrival_us(self, job, self->now_us);
    if (self->first)
        self->first->prev = own;
    self->first = own;
    job->own = own;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        policy_link_init(&job->link[k], job->submit_us, job->cluster_ts, job->seq);
    update_attained_service(self, own, now_us);
    update_places_in_orders(self, own);
}

static void las_on_job_left(struct policy *self, struct policy_job *job, int64_t now_us)
{
    struct las_job *own = job->own;

    (void)now_us;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        policy_order_place(&self->order[k], &job->link[k], false, 0);
    *(own->prev ? &own->prev->next : &self->first) = own->next;
    if (own->next)
        own->next->prev = own->prev;
    job->own = NULL;
    free(own);
}

static void las_on_task_started(struct policy *self, struct policy_job *job,
                                enum base_task_kind kind, int32_t task, uint32_t node,
                                int64_t now_us)
{
    (void)job;
    (void)kind;
    (void)task;
    (void)node;
    if (now_us > self->now_us)
        self->now_us = now_us; /* for las_on_job_changed(), which is called next */
}

static void las_on_task_suspended(struct policy *self, struct policy_job *job,
                                  enum base_task_kind kind, int32_t task, uint32_t node,
                                  bool suspended, int64_t now_us)
{
    (void)suspended;
    las_on_task_started(self, job, kind, task, node, now_us);
}

static void las_on_task_ended(struct policy *self, struct policy_job *job, enum base_task_kind kind,
                              const struct policy_task_end *end)
{
    las_on_task_started(self, job, kind, end->task, end->node, end->ended_us);
}

static int64_t las_on_timer(struct policy *self, int64_t now_us, struct policy_plan *plan)
{
    (void)plan;
    for (struct las_job *own = self->first; own; own = own->next) {
        update_attained_service(self, own, now_us);
        update_places_in_orders(self, own);
    }
    return now_us + self->quantum_us;
}

static struct policy_job *las_next(struct policy *self, struct policy_offer *offer,
                                   struct policy_job *prev)
{
    struct policy_link *link =
        prev ? policy_order_next(&prev->link[offer->kind]) : self->order[offer->kind].first;

    return link ? policy_link_job(link, offer->kind) : NULL;
}

static void las_explain(const struct policy *self, const struct policy_job *job, int64_t now_us,
                        struct base_buf *out)
{
    const struct las_job *own = job->own;
    int64_t got = own->got_us;

    (void)self;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        got += (now_us > own->last_us ? now_us - own->last_us : 0) * own->running[k];
    base_buf_addf(
        out,
        "has had %.1f s of slot time, weight %g; jobs that have had less for theirs come first",
        (double)got / 1e6, job->weight);
}

const struct policy_ops policy_las = {
    .name = "las",
    .colour = "#b8a11c",
    .source = "least attained service (foreground-background), Kleinrock 1976",
    .options = las_options,
    .create = las_create,
    .destroy = las_destroy,
    .on_job_arrived = las_on_job_arrived,
    .on_job_left = las_on_job_left,
    .on_job_changed = las_on_job_changed,
    .on_task_started = las_on_task_started,
    .on_task_suspended = las_on_task_suspended,
    .on_task_ended = las_on_task_ended,
    .on_timer = las_on_timer,
    .next = las_next,
    .explain = las_explain,
};
