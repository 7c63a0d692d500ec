/* The search for an offer: the earliest deadline to name to a user whose job is refused.
 *
 * A deadline is good if Algorithm I accepts the job with it at two moments:
 *
 *   now     when the job is refused;
 *   again   when the job is submitted again, a margin later. Users see whole seconds, so all
 *           deadlines that exceed the offered one by the margin, or by up to a second more, must
 *           be accepted. By then jobs without deadline may hold other slots (the caller passes the
 *           worst case), and some of the first waiting jobs may have started. A started job is
 *           never overtaken, so the test is repeated after the last job that may start.
 *
 * Deadlines are tried in ascending order. A test that fails also yields the next deadline worth
 * trying, such that no good deadline is skipped:
 *
 *   - The job itself ends too late. A later deadline can only move the job back in the queue, where
 *     it ends no earlier. Next: the time at which the job would end at this place.
 *   - Another job would miss its deadline. With any deadline up to that of the entry at this place,
 *     the job would get the same place and do the same harm. Next: the deadline of this entry,
 *     which puts the job after it. When jobs are ordered by submission, the place does not depend
 *     on the deadline, and there is no next one.
 *
 * Testing only the job calculates one link; testing the others calculates all links after it. So a
 * deadline is first raised until the job itself meets it, and then tested against the others. Each
 * of the O(jobs) places may need a test that costs O(jobs): after RTMR_OFFER_STEPS links the search
 * stops, and a deadline after all others is offered, which harms no other job. */
#include "policies/rtmr/queue_internal.h"

#define ROUND_US INT64_C(1000000) /* the core rounds offered deadlines up to seconds */

struct offer_search {
    struct rtmr_queue *q;
    struct rtmr_entry *e;
    struct rtmr_moment now, again;
    int64_t margin_us;  /* time from now to again; 0: test only now */
    bool ignore_others; /* test only the job itself, not its effect on others */
};

static int64_t max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static size_t place_for_deadline(const struct offer_search *s, int64_t due_us)
{
    return rtmr_queue_place_for_deadline(s->q, s->e, due_us);
}

/* Returns @due_us if it is accepted at the moment @m, after at least @jobs_before jobs; otherwise
 * the next deadline worth trying. */
static int64_t deadline_or_next_at_moment(const struct offer_search *s, const struct rtmr_moment *m,
                                          size_t jobs_before, int64_t due_us)
{
    size_t at = place_for_deadline(s, due_us);
    struct rtmr_verdict v;

    at = at < jobs_before ? jobs_before : at;
    if (s->ignore_others) {
        rtmr_queue_compute_profiles_before(s->q, at);
        rtmr_link_set_held_slots(s->q, s->e, at, m->at_us, m->busy);
        return max64(due_us, rtmr_link_apply(s->q, s->e, m->at_us, true, s->q->work));
    }
    if (rtmr_queue_test_admission_at(s->q, s->e, at, due_us, m->at_us, m->busy, &v))
        return due_us;
    if (!v.hurt)
        return v.finish_us;
    if (s->q->by_submission)
        return SLOT_NEVER;
    return max64(s->q->v[at]->due_us, due_us + 1);
}

/* Returns how many jobs at the front of the queue may have started when the job is submitted again:
 * up to the last job that can get a slot of the kind that it starts with, if every slot of the
 * cluster becomes free once. */
static size_t count_jobs_that_may_start(const struct rtmr_queue *q)
{
    int64_t ahead[BASE_TASK_KINDS] = {0};
    size_t n = q->fixed;

    for (size_t i = q->fixed; i < q->n; i++) {
        const struct rtmr_entry *e = q->v[i];
        enum base_task_kind kind = e->n[BASE_TASK_MAP] ? BASE_TASK_MAP : BASE_TASK_REDUCE;

        if (e->finished)
            continue;
        if (ahead[kind] < q->base[kind].slots)
            n = i + 1;
        ahead[kind] += e->n[kind];
    }
    return n;
}

/* Returns @from_us if all deadlines from @from_us to @until_us are accepted when the job is
 * submitted again, whichever jobs have started by then; otherwise the next deadline worth trying.
 * Within the span, only deadlines at which the job's place changes need a test. */
static int64_t deadline_or_next_when_resubmitted(const struct offer_search *s, int64_t from_us,
                                                 int64_t until_us)
{
    const struct rtmr_queue *q = s->q;
    size_t may_start = count_jobs_that_may_start(q);
    int64_t due_us = from_us;

    for (;;) {
        size_t at = place_for_deadline(s, due_us);
        int64_t next = deadline_or_next_at_moment(s, &s->again, 0, due_us);

        if (next == due_us && may_start > at)
            next = deadline_or_next_at_moment(s, &s->again, may_start, due_us);
        if (next != due_us)
            return next;
        if (q->by_submission || at >= q->n || q->v[at]->due_us > until_us)
            return from_us;
        due_us = q->v[at]->due_us;
    }
}

/* Returns @due_us if it is good at both moments; otherwise the next deadline worth trying. When the
 * other jobs are tested, too, and the job has the same place at both moments, the test for now is
 * omitted: no slot is free earlier at the later moment, so a deadline accepted then is accepted
 * now. */
static int64_t deadline_or_next_to_try(const struct offer_search *s, int64_t due_us)
{
    const int64_t again_us = due_us + s->margin_us;
    int64_t next = due_us;

    if (!s->margin_us || s->ignore_others ||
        place_for_deadline(s, due_us) != place_for_deadline(s, again_us))
        next = deadline_or_next_at_moment(s, &s->now, 0, due_us);
    if (next != due_us || !s->margin_us)
        return next;
    return deadline_or_next_when_resubmitted(s, again_us, again_us + ROUND_US) - s->margin_us;
}

/* Returns a deadline, not before @due_us, that puts the job at the end of the queue, where it harms
 * no other job. */
static int64_t deadline_after_all_others(const struct offer_search *s, int64_t due_us)
{
    const struct rtmr_queue *q = s->q;
    struct rtmr_verdict v;

    for (size_t i = q->fixed; i < q->n; i++)
        due_us = max64(due_us, q->v[i]->due_us);
    if (!rtmr_queue_test_admission_at(s->q, s->e, q->n, due_us, s->now.at_us, s->now.busy, &v))
        due_us = max64(due_us, v.finish_us);
    if (s->margin_us && !rtmr_queue_test_admission_at(s->q, s->e, q->n, due_us + s->margin_us,
                                                      s->again.at_us, s->again.busy, &v))
        due_us = max64(due_us, v.finish_us - s->margin_us);
    return due_us;
}

int64_t rtmr_queue_find_offer(struct rtmr_queue *q, struct rtmr_entry *e, struct rtmr_moment now,
                              struct rtmr_moment again)
{
    struct offer_search s = {
        .q = q, .e = e, .now = now, .again = again, .margin_us = again.at_us - now.at_us};
    const uint64_t limit = q->steps + RTMR_OFFER_STEPS;
    int64_t due_us = e->due_us, next;

    for (;;) {
        s.ignore_others = true;
        next = deadline_or_next_to_try(&s, due_us);
        s.ignore_others = false;
        if (next == due_us)
            next = deadline_or_next_to_try(&s, due_us);
        if (next == due_us)
            break;
        due_us = next;
        if (due_us >= SLOT_NEVER - s.margin_us)
            break;
        if (q->steps > limit) {
            due_us = deadline_after_all_others(&s, due_us);
            break;
        }
    }
    q->tested = NULL;
    rtmr_link_clear_held_slots(e);
    return due_us >= SLOT_NEVER - s.margin_us ? 0 : due_us;
}
