/* Reservations: slots promised for a later time.
 *
 *   admission  policies/common/booking.h chooses times among the slots that are not booked, which
 *              are then tested like a job (Algorithm I): the bookings, made into windows, must
 *              begin in time, and no job or reservation after them may be late. If the test fails,
 *              later times are tried.
 *   dispatch   a task outside the reservation starts only if, besides its own slot, as many slots
 *              stay free as are booked before the task ends and not in use. So the slots are free
 *              when a booking begins. A container of a plain application ends at an unknown time,
 *              so it needs a slot that is never booked.
 *   end        attempts that still run when fewer slots are booked count as best effort from then
 *              on. They are killed if other jobs or reservations have promises.
 *
 * SOURCE: as policies/rtmr/rtmr.c; Curino et al., "Reservation-based Scheduling", SoCC 2014. */
#include <stdlib.h>

#include "policies/common/booking.h"
#include "policies/rtmr/rtmr_internal.h"

#define TRIES 16 /* start times tried for a reservation */

static int64_t max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- windows ---- */
static int compare_windows(const void *a, const void *b)
{
    const struct rtmr_window *x = a, *y = b;

    return (x->start_us > y->start_us) - (x->start_us < y->start_us);
}

static int compare_numbers(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Makes the windows of kind @k: one for each layer of the bookings; layer n lasts from the first to
 * the last time at which at least n slots are booked. A slot that is booked again after a gap thus
 * counts as held throughout, since the queue only knows when each slot becomes available. @grace_us
 * is added to the ends. */
static void make_windows(struct rtmr_entry *e, enum base_task_kind k,
                         const struct slot_calendar *booked, int64_t grace_us)
{
    int64_t *levels = base_alloc(booked->n * sizeof *levels), below = 0;

    for (size_t i = 0; i < booked->n; i++)
        levels[i] = booked->v[i].n;
    qsort(levels, booked->n, sizeof *levels, compare_numbers);
    e->windows[k] = base_alloc(booked->n * sizeof *e->windows[k]);
    for (size_t i = 0; i < booked->n; i++) {
        size_t first = 0, last = booked->n - 1;

        if (levels[i] == below)
            continue;
        while (booked->v[first].n < levels[i])
            first++;
        while (booked->v[last].n < levels[i])
            last--;
        e->windows[k][e->windows_n[k]++] = (struct rtmr_window){
            booked->v[first].at_us, booked->v[last + 1].at_us + grace_us, levels[i] - below};
        below = levels[i];
    }
    if (e->windows_n[k])
        qsort(e->windows[k], e->windows_n[k], sizeof *e->windows[k], compare_windows);
    free(levels);
}

static struct rtmr_reservation *new_reservation(const struct policy *self,
                                                struct policy_reservation *r, int64_t now_us)
{
    struct rtmr_reservation *own = base_alloc(sizeof *own);
    struct rtmr_entry *e = base_alloc(sizeof *e);
    int64_t grace_us = rtmr_free_after_kill_us(self, 0);

    own->r = r;
    own->entry = e;
    LIST_INIT(&own->jobs);
    e->submit_us = r->submit_us;
    e->cluster_ts = r->cluster_ts;
    e->seq = r->seq;
    e->begun_us = now_us;
    for (size_t i = 0; i < r->bookings_n; i++) {
        const struct policy_booking *b = &r->bookings[i];

        slot_calendar_add(&own->booked[r->stages[b->stage].kind], b->start_us, b->end_us, b->n);
    }
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        make_windows(e, k, &own->booked[k], grace_us);
        for (size_t i = 0; i < e->windows_n[k]; i++)
            e->due_us = max64(e->due_us, e->windows[k][i].end_us);
    }
    return own;
}

/* Frees @own, but not its entry. */
static void free_reservation(struct rtmr_reservation *own)
{
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        slot_calendar_free(&own->booked[k]);
    free(own);
}

/* Adds the bookings to those of all reservations, or with @sign -1 subtracts them. */
static void count_bookings(struct policy *self, const struct policy_reservation *r, int64_t sign)
{
    for (size_t i = 0; i < r->bookings_n; i++) {
        const struct policy_booking *b = &r->bookings[i];

        slot_calendar_add(&self->booked[r->stages[b->stage].kind], b->start_us, b->end_us,
                          sign * b->n);
    }
}

static void keep_reservation(struct policy *self, struct rtmr_reservation *own)
{
    own->r->own = own;
    TAILQ_INSERT_TAIL(&self->reservations, own, link);
    count_bookings(self, own->r, 1);
}

static void forget_reservation(struct policy *self, struct rtmr_reservation *own)
{
    own->r->own = NULL;
    TAILQ_REMOVE(&self->reservations, own, link);
    count_bookings(self, own->r, -1);
}

/* ---- admission ---- */
/* Chooses times from *@earliest_us on, and tests them. Returns the reservation, accepted and in the
 * queue. Otherwise returns NULL, without bookings; *@earliest_us is then the next time worth
 * trying, or INT64_MAX. */
static struct rtmr_reservation *try_times(struct policy *self, struct policy_reservation *r,
                                          int64_t now_us, int64_t *earliest_us)
{
    struct rtmr_reservation *own;
    struct rtmr_verdict v;
    int64_t slots[BASE_TASK_KINDS], start_us;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        slots[k] = self->slots[k] - self->busy[k].never;
    if (!policy_booking_find(self->booked, slots, *earliest_us, r)) {
        *earliest_us = INT64_MAX;
        return NULL;
    }
    start_us = policy_reservation_start_us(r);
    own = new_reservation(self, r, 0);
    rtmr_queue_test_admission(&self->q, own->entry, now_us, self->busy, &v);
    if (v.accepted) {
        rtmr_queue_insert_owned(&self->q, own->entry, now_us, self->busy);
        return own;
    }
    if (v.hurt)
        *earliest_us = max64(v.hurt->due_us, start_us + BOOKING_STEP_US);
    else if (v.finish_us < SLOT_NEVER)
        *earliest_us = start_us + max64(v.finish_us - own->entry->due_us, BOOKING_STEP_US);
    else
        *earliest_us = INT64_MAX;
    rtmr_entry_free(own->entry);
    free_reservation(own);
    free(r->bookings);
    r->bookings = NULL;
    r->bookings_n = 0;
    return NULL;
}

/* Gives the jobs of @from, with the slots that they use, to @to. */
static void hand_over_jobs(struct rtmr_reservation *from, struct rtmr_reservation *to)
{
    struct rtmr_job *job;

    while ((job = LIST_FIRST(&from->jobs))) {
        rtmr_job_leave_reservation(job);
        job->job->reservation = to->r;
        to->r->own = to;
        rtmr_job_join_reservation(job);
    }
}

bool rtmr_reserve(struct policy *self, struct policy_reservation *r, struct policy_reservation *old,
                  int64_t now_us)
{
    struct rtmr_reservation *before = old ? old->own : NULL, *own = NULL;
    int64_t earliest_us = (now_us + BOOKING_STEP_US - 1) / BOOKING_STEP_US * BOOKING_STEP_US;

    rtmr_prepare_test(self, now_us);
    if (before) {
        rtmr_queue_take_out(&self->q, before->entry);
        forget_reservation(self, before);
    }
    for (int i = 0; i < TRIES && !own && earliest_us < r->deadline_us; i++)
        own = try_times(self, r, now_us, &earliest_us);
    if (own) {
        keep_reservation(self, own);
        if (before) {
            hand_over_jobs(before, own);
            self->anew = true; /* the plan no longer covers the slots held under the old bookings */
            rtmr_entry_free(before->entry);
            free_reservation(before);
        }
        return true;
    }
    if (before) {
        rtmr_queue_adopt_owned(&self->q, before->entry, now_us);
        keep_reservation(self, before);
        self->anew = true;
    }
    return false;
}

void rtmr_on_reserved(struct policy *self, struct policy_reservation *r, int64_t now_us)
{
    struct rtmr_reservation *own = new_reservation(self, r, now_us);

    rtmr_drop_candidate(self);
    if (policy_reservation_start_us(r) <= now_us)
        own->entry->started_us = max64(policy_reservation_start_us(r), 1);
    rtmr_queue_adopt_owned(&self->q, own->entry, now_us);
    keep_reservation(self, own);
    self->anew = true;
}

void rtmr_on_unreserved(struct policy *self, struct policy_reservation *r, int64_t now_us)
{
    struct rtmr_reservation *own = r->own;

    (void)now_us;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        /* no window holds the slots of running attempts any more */
        self->anew = self->anew || own->running[k] > 0;
    while (!LIST_EMPTY(&own->jobs))
        rtmr_job_leave_reservation(LIST_FIRST(&own->jobs));
    rtmr_drop_candidate(self);
    forget_reservation(self, own);
    rtmr_queue_take_out(&self->q, own->entry);
    rtmr_entry_free(own->entry);
    free_reservation(own);
}

/* ---- jobs ---- */
void rtmr_job_join_reservation(struct rtmr_job *own)
{
    struct rtmr_reservation *r = own->job->reservation ? own->job->reservation->own : NULL;

    if (!r)
        return;
    own->reservation = r;
    LIST_INSERT_HEAD(&r->jobs, own, in_reservation);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        r->running[k] += own->running[k];
}

void rtmr_job_leave_reservation(struct rtmr_job *own)
{
    if (!own->reservation)
        return;
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        own->reservation->running[k] -= own->running[k];
    LIST_REMOVE(own, in_reservation);
    own->reservation = NULL;
}

/* ---- dispatch ---- */
static int64_t booked_in_use(const struct rtmr_reservation *own, enum base_task_kind kind,
                             int64_t now_us)
{
    return own->running[kind]
               ? min64(own->running[kind], slot_calendar_at(&own->booked[kind], now_us))
               : 0;
}

int64_t rtmr_reserved_in_use(const struct policy *self, enum base_task_kind kind, int64_t now_us)
{
    const struct rtmr_reservation *own;
    int64_t n = 0;

    TAILQ_FOREACH(own, &self->reservations, link)
    {
        n += booked_in_use(own, kind, now_us);
    }
    return n;
}

int64_t rtmr_reserved_keep_free(const struct policy *self, const struct policy_job *job,
                                enum base_task_kind kind, int64_t now_us)
{
    const struct rtmr_entry *e = rtmr_job_of(job)->entry;
    const struct rtmr_reservation *own;
    int64_t until_us, n = 0;

    if (!self->booked[kind].n)
        return 0;
    until_us = job->is_job ? now_us + rtmr_longest_hold_us(self, job, kind) : INT64_MAX;
    if (!e)
        return max64(slot_calendar_peak(&self->booked[kind], now_us, until_us) -
                         rtmr_reserved_in_use(self, kind, now_us),
                     0);
    TAILQ_FOREACH(own, &self->reservations, link)
    {
        if (own->entry->at < e->at)
            n += max64(slot_calendar_peak(&own->booked[kind], now_us, until_us) -
                           booked_in_use(own, kind, now_us),
                       0);
    }
    return n;
}

/* Returns the first job from @job on that has something to start. */
static struct rtmr_job *first_that_wants(struct rtmr_job *job, enum base_task_kind kind)
{
    while (job && job->job->phase[kind].pending <= 0 && job->job->phase[kind].suspended <= 0)
        job = LIST_NEXT(job, in_reservation);
    return job;
}

struct policy_job *rtmr_reserved_next(const struct policy *self, const struct policy_offer *offer,
                                      const struct policy_job *prev)
{
    const enum base_task_kind kind = offer->kind;
    struct rtmr_reservation *own = TAILQ_FIRST(&self->reservations);
    struct rtmr_job *job;

    if (prev) {
        job = rtmr_job_of(prev);
        own = job->reservation;
        job = first_that_wants(LIST_NEXT(job, in_reservation), kind);
        if (job)
            return job->job;
        own = TAILQ_NEXT(own, link);
    }
    for (; own; own = TAILQ_NEXT(own, link)) {
        job = first_that_wants(LIST_FIRST(&own->jobs), kind);
        if (job && own->running[kind] < slot_calendar_at(&own->booked[kind], offer->now_us))
            return job->job;
    }
    return NULL;
}

/* ---- bookings begin and end ---- */
/* Returns true when any job or reservation other than @own has a promise. */
static bool others_were_promised(const struct policy *self, const struct rtmr_reservation *own)
{
    for (size_t i = 0; i < self->q.n; i++)
        if (self->q.v[i] != own->entry && !self->q.v[i]->finished)
            return true;
    return false;
}

/* Plans to kill the newest of the attempts that bookings no longer cover. */
static void name_victims(const struct policy *self, const struct rtmr_reservation *own,
                         enum base_task_kind kind, int64_t now_us, struct policy_plan *plan)
{
    int64_t excess = own->running[kind] - booked_in_use(own, kind, now_us);
    const struct rtmr_job *job;

    if (excess <= 0 || !others_were_promised(self, own))
        return;
    LIST_FOREACH(job, &own->jobs, in_reservation)
    {
        struct policy_running r;
        void *cursor = NULL;

        while (excess > 0 && self->env->running(self->env->core, job->job, kind, &cursor, &r)) {
            if (r.suspended)
                continue;
            policy_plan_add(plan, r.container, POLICY_VICTIM_KILL);
            excess--;
        }
    }
}

void rtmr_on_booking_step(struct policy *self, int64_t now_us, struct policy_plan *plan)
{
    struct rtmr_reservation *own;

    TAILQ_FOREACH(own, &self->reservations, link)
    {
        if (!own->entry->started_us && policy_reservation_start_us(own->r) <= now_us)
            rtmr_mark_started(self, own->entry, now_us);
        own->entry->begun_us = now_us;
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            name_victims(self, own, k, now_us, plan);
    }
}
