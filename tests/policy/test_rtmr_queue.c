/* Goal: admission, estimates and offers are those of the paper's algorithms. Method: its examples;
 * long random histories beside the algorithms written down literally, with a stored vector per job
 * and one step per task; offers against trying every date. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "policies/rtmr/queue.h"
#include "tests/unit/cunit_main.h"

#define SLOTS 12
#define JOBS  64
#define STEPS 60

static uint64_t seed;

static int64_t rnd(int64_t n) /* 0..n-1 */
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (int64_t)((seed * UINT64_C(2685821657736338717) >> 33) % (uint64_t)n);
}

static void seed_with(int i)
{
    seed = UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)(i + 1);
}

static struct rtmr_entry *entry(int64_t submit, int32_t seq, int64_t due, int64_t maps,
                                int64_t eps_m, int64_t reduces, int64_t eps_r)
{
    struct rtmr_entry *e = base_alloc(sizeof *e);

    e->submit_us = submit;
    e->seq = seq;
    e->due_us = due;
    e->n[BASE_TASK_MAP] = maps;
    e->n[BASE_TASK_REDUCE] = reduces;
    e->eps_us[BASE_TASK_MAP] = eps_m;
    e->eps_us[BASE_TASK_REDUCE] = eps_r;
    return e;
}

/* ---- the examples ---- */
/* Calls rtmr_queue_find_offer() with the two moments that it considers: now, and the end of the
 * margin. */
static int64_t offer(struct rtmr_queue *q, struct rtmr_entry *e, int64_t now_us,
                     const struct rtmr_busy *busy, int64_t margin_us, const struct rtmr_busy *later)
{
    return rtmr_queue_find_offer(q, e, (struct rtmr_moment){now_us, busy},
                                 (struct rtmr_moment){now_us + margin_us, later});
}

static void open_queue(struct rtmr_queue *q, int64_t maps, int64_t reduces)
{
    int64_t slots[] = {maps, reduces};

    rtmr_queue_init(q, false);
    rtmr_queue_resize(q, slots, 0);
}

static void profile_is(const struct slot_profile *p, int64_t a, int64_t b)
{
    struct slot_run want[2] = {{a, 1}, {b, 1}};
    size_t n = a == b ? 1 : 2;

    want[0].n = a == b ? 2 : 1;
    CU_ASSERT_EQUAL_FATAL(p->tail - p->head, n);
    CU_ASSERT_EQUAL(memcmp(p->v + p->head, want, n * sizeof *want), 0);
}

/* In the paper's notation: l=2, q=1, eps 10 and 5; J1 (A=0, M=3, R=1, D=100) ends at 25. */
static struct rtmr_entry *first_job(struct rtmr_queue *q)
{
    struct rtmr_entry *j1 = entry(0, 1, 100, 3, 10, 1, 5);
    struct rtmr_verdict v;

    open_queue(q, 2, 1);
    rtmr_queue_test_admission(q, j1, 0, NULL, &v);
    CU_ASSERT(v.accepted);
    CU_ASSERT_EQUAL(v.finish_us, 25);
    profile_is(&q->work[BASE_TASK_MAP], 10, 20);
    CU_ASSERT_EQUAL(q->work[BASE_TASK_REDUCE].v[q->work[BASE_TASK_REDUCE].head].at_us, 25);
    rtmr_queue_insert_owned(q, j1, 0, NULL);
    return j1;
}

static void test_behind_a_started_job(void)
{
    struct rtmr_queue q;
    struct rtmr_entry *j1 = first_job(&q), *j2 = entry(1, 2, 31, 2, 10, 1, 5);
    struct rtmr_verdict v;

    CU_ASSERT_EQUAL(rtmr_queue_mark_started(&q, j1, 0), 0);
    rtmr_queue_test_admission(&q, j2, 1, NULL, &v);
    CU_ASSERT_FALSE(v.accepted);
    CU_ASSERT_EQUAL(v.finish_us, 35);
    CU_ASSERT_PTR_NULL(v.hurt);
    CU_ASSERT_EQUAL(offer(&q, j2, 1, NULL, 0, NULL), 35);
    j2->due_us = 41;
    rtmr_queue_test_admission(&q, j2, 1, NULL, &v);
    CU_ASSERT(v.accepted);
    CU_ASSERT_EQUAL(v.finish_us, 35);
    profile_is(&q.work[BASE_TASK_MAP], 20, 30);
    rtmr_entry_free(j2);
    rtmr_queue_free(&q);
}

static void test_before_a_waiting_job(void)
{
    struct rtmr_queue q;
    struct rtmr_entry *j1 = first_job(&q), *j2 = entry(1, 2, 31, 2, 10, 1, 5);
    struct rtmr_verdict v;

    rtmr_queue_test_admission(&q, j2, 1, NULL, &v);
    CU_ASSERT(v.accepted);
    CU_ASSERT_EQUAL(v.finish_us, 16);
    CU_ASSERT_EQUAL(j1->next_us, 36);
    CU_ASSERT_EQUAL(j1->finish_us, 25); /* testing alone changes no estimate */
    profile_is(&q.work[BASE_TASK_MAP], 21, 31);
    rtmr_queue_insert_owned(&q, j2, 1, NULL);
    CU_ASSERT_EQUAL(j1->finish_us, 36);
    CU_ASSERT_EQUAL(j2->at, 0);
    rtmr_queue_free(&q);
}

/* The same, but J1 would be too late. */
static void test_others_are_kept(void)
{
    struct rtmr_queue q;
    struct rtmr_entry *j1 = first_job(&q), *j2 = entry(1, 2, 31, 2, 10, 1, 5);
    struct rtmr_verdict v;

    j1->due_us = j1->key = 35;
    rtmr_queue_test_admission(&q, j2, 1, NULL, &v);
    CU_ASSERT_FALSE(v.accepted);
    CU_ASSERT_PTR_EQUAL(v.hurt, j1);
    CU_ASSERT_EQUAL(v.hurt_us, 36);
    CU_ASSERT_EQUAL(v.finish_us, 16);
    CU_ASSERT_EQUAL(offer(&q, j2, 1, NULL, 0, NULL), 35); /* behind J1: 20, 30, then 35 */
    rtmr_entry_free(j2);
    rtmr_queue_free(&q);
}

static void test_feedback_by_hand(void)
{
    struct rtmr_queue q;
    struct rtmr_entry *j1 = first_job(&q), *j2 = entry(1, 2, 100, 2, 10, 1, 5);

    rtmr_queue_mark_started(&q, j1, 0);
    rtmr_queue_insert_owned(&q, j2, 1, NULL);
    CU_ASSERT_EQUAL(j2->finish_us, 35);
    rtmr_entry_add_task_end(j1, BASE_TASK_MAP, 2);
    rtmr_entry_add_task_end(j1, BASE_TASK_MAP, 4);
    rtmr_entry_add_task_end(j1, BASE_TASK_MAP, 3);
    rtmr_entry_add_task_end(j1, BASE_TASK_REDUCE, 6);
    rtmr_queue_finish_job(&q, j1, 6, true);
    profile_is(&q.base[BASE_TASK_MAP], 3, 4);
    CU_ASSERT_EQUAL(q.base[BASE_TASK_REDUCE].v[q.base[BASE_TASK_REDUCE].head].at_us, 6);
    CU_ASSERT_EQUAL(j2->finish_us, 21); /* both maps 6-16, the reduce 16-21 */
    CU_ASSERT_EQUAL(q.n, 1);
    rtmr_queue_free(&q);
}

/* Tasks without deadlines hold two of the four slots, until 30 and 40; jobs with deadlines are
 * planned around them. */
static void test_beside(void)
{
    struct rtmr_queue q;
    struct rtmr_until until[] = {{30, 5, 1}, {40, 6, 1}};
    struct rtmr_busy busy[BASE_TASK_KINDS] = {{.v = until, .n = 2}};
    struct rtmr_entry *a = entry(10, 1, 1000, 3, 10, 0, 1), *b = entry(12, 2, 1000, 1, 10, 0, 1),
                      *c = entry(20, 3, 1000, 1, 10, 0, 1);
    struct rtmr_verdict v;

    open_queue(&q, 4, 1);
    rtmr_queue_test_admission(&q, a, 10, busy, &v);
    CU_ASSERT_EQUAL(v.finish_us, 30); /* its maps end at 20, 20 and 30 */
    rtmr_queue_insert_owned(&q, a, 10, busy);
    rtmr_queue_test_admission(&q, b, 12, busy, &v);
    CU_ASSERT_EQUAL(v.finish_us, 30); /* behind a, slots are free at 20, 30, 30 and 40 */
    rtmr_queue_insert_owned(&q, b, 12, busy);
    busy[BASE_TASK_MAP].never = 2; /* two slots went to an application: none comes back */
    busy[BASE_TASK_MAP].n = 0;
    rtmr_queue_test_admission(&q, c, 20, busy, &v);
    CU_ASSERT_EQUAL(v.finish_us, 40); /* of slots free at 30, 30, 30, 40 the last two are left */
    busy[BASE_TASK_MAP].never = 4;
    rtmr_queue_test_admission(&q, c, 20, busy, &v);
    CU_ASSERT_EQUAL(v.finish_us, SLOT_NEVER);
    CU_ASSERT_EQUAL(offer(&q, c, 20, busy, 0, NULL), 0);
    rtmr_entry_free(c);
    rtmr_queue_free(&q);
}

static void test_reserved_sums(void)
{
    struct rtmr_queue q;
    struct rtmr_entry *e[JOBS];
    int64_t want = 0;
    bool ok = true;

    seed_with(3);
    open_queue(&q, 4, 4);
    for (int32_t i = 0; i < JOBS; i++) {
        e[i] = entry(i, i, 1000 + rnd(100000), 1, 1, 1, 1);
        rtmr_queue_insert_owned(&q, e[i], i, NULL);
        rtmr_queue_set_reserve(&q, e[i], rnd(10));
        rtmr_queue_set_reserve(&q, e[rnd(i + 1)], rnd(10));
    }
    rtmr_queue_finish_job(&q, q.v[0], 100, false);
    for (size_t i = 0; i < q.n; i++) {
        ok = ok && q.v[i]->at == i && rtmr_queue_sum_reserved_of_first(&q, i) == want;
        want += q.v[i]->reserve;
    }
    CU_ASSERT(ok);
    CU_ASSERT_EQUAL(rtmr_queue_sum_reserved_of_first(&q, q.n), want);
    CU_ASSERT_EQUAL(q.n, JOBS - 1);
    rtmr_queue_free(&q);
}

/* ---- literally ---- */
struct naive_job {
    int64_t submit, due, n[BASE_TASK_KINDS], eps[BASE_TASK_KINDS], st, e;
    int64_t t[BASE_TASK_KINDS][SLOTS]; /* after this job */
    int64_t ends[BASE_TASK_KINDS][STEPS];
    size_t ends_n[BASE_TASK_KINDS];
    bool finished, actual;
    int32_t seq;
};
struct naive {
    struct naive_job v[JOBS];
    size_t n;
    int64_t base[BASE_TASK_KINDS][SLOTS];
    int64_t slots[BASE_TASK_KINDS];
};

static int cmp(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static int64_t put(int64_t *t, int64_t slots, int64_t n, int64_t eps, int64_t floor_us)
{
    int64_t last = floor_us;

    for (; n > 0; n--) {
        qsort(t, (size_t)slots, sizeof *t, cmp);
        last = t[0] = (t[0] > floor_us ? t[0] : floor_us) + eps;
    }
    qsort(t, (size_t)slots, sizeof *t, cmp);
    return last;
}

/* Algorithms II and III, or VI for a job whose actual ends replace its estimate. */
static void naive_fold(const struct naive *q, const struct naive_job *p, struct naive_job *j,
                       int64_t now)
{
    int64_t ref = j->st ? j->st : now;

    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
        memcpy(j->t[k], p ? p->t[k] : q->base[k], sizeof j->t[k]);
    if (j->actual) {
        for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++)
            for (size_t i = 0; i < j->ends_n[k]; i++) {
                qsort(j->t[k], (size_t)q->slots[k], sizeof **j->t, cmp);
                j->t[k][0] = j->ends[k][i];
            }
        return;
    }
    j->e = put(j->t[BASE_TASK_REDUCE], q->slots[BASE_TASK_REDUCE], j->n[BASE_TASK_REDUCE],
               j->eps[BASE_TASK_REDUCE],
               put(j->t[BASE_TASK_MAP], q->slots[BASE_TASK_MAP], j->n[BASE_TASK_MAP],
                   j->eps[BASE_TASK_MAP], ref));
}

/* Inserts @j into *to, a copy of *from. Returns true when every job keeps its deadline, so that @j
 * is accepted. */
static bool naive_insert(const struct naive *from, struct naive *to, const struct naive_job *j,
                         int64_t now)
{
    size_t at = 0;

    *to = *from;
    while (at < to->n && (to->v[at].st || to->v[at].due <= j->due))
        at++;
    memmove(to->v + at + 1, to->v + at, (to->n - at) * sizeof *to->v);
    to->v[at] = *j;
    to->n++;
    for (size_t i = at; i < to->n; i++) {
        naive_fold(to, i ? &to->v[i - 1] : NULL, &to->v[i], now);
        if (to->v[i].e > to->v[i].due)
            return false;
    }
    return true;
}

static void naive_finish(struct naive *q, size_t at, int64_t now, bool correct)
{
    size_t gone = 0;

    q->v[at].finished = true;
    q->v[at].actual = correct;
    for (size_t i = at; correct && i < q->n; i++)
        naive_fold(q, i ? &q->v[i - 1] : NULL, &q->v[i], now);
    for (; gone < q->n && q->v[gone].finished; gone++)
        memcpy(q->base, q->v[gone].t, sizeof q->base);
    memmove(q->v, q->v + gone, (q->n - gone) * sizeof *q->v);
    q->n -= gone;
}

static bool same(const struct rtmr_queue *q, const struct naive *a)
{
    if (q->n != a->n)
        return false;
    for (size_t i = 0; i < q->n; i++)
        if (q->v[i]->seq != a->v[i].seq || (!q->v[i]->finished && q->v[i]->finish_us != a->v[i].e))
            return false;
    return true;
}

static bool history(int run)
{
    struct rtmr_queue q;
    struct naive a = {.slots = {1 + rnd(SLOTS), 1 + rnd(SLOTS)}};
    static struct naive b;
    int64_t now = 1;
    bool ok = true;

    (void)run;
    rtmr_queue_init(&q, false);
    rtmr_queue_resize(&q, a.slots, 0);
    for (int32_t step = 1; step <= STEPS && ok; step++) {
        size_t started = 0;

        now += rnd(8);
        while (started < a.n && a.v[started].st)
            started++;
        if (rnd(3)) {
            struct naive_job j = {.submit = now,
                                  .due = now + rnd(120),
                                  .n = {rnd(15), rnd(6)},
                                  .eps = {1 + rnd(20), 1 + rnd(20)},
                                  .seq = step};
            struct rtmr_entry *e = entry(now, step, j.due, j.n[0], j.eps[0], j.n[1], j.eps[1]);
            bool want = naive_insert(&a, &b, &j, now);
            struct rtmr_verdict v;

            rtmr_queue_test_admission(&q, e, now, NULL, &v);
            ok = v.accepted == want;
            if (v.accepted) {
                rtmr_queue_insert_owned(&q, e, now, NULL);
                a = b;
            } else {
                rtmr_entry_free(e);
            }
        } else if (rnd(2) && started < a.n) {
            rtmr_queue_mark_started(&q, q.v[started], now);
            a.v[started].st = now;
        } else if (started) {
            size_t at = (size_t)rnd((int64_t)started);
            bool correct = rnd(2);

            if (a.v[at].finished)
                continue;
            for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
                struct naive_job *j = &a.v[at];

                for (int64_t i = 0; i < j->n[k]; i++)
                    j->ends[k][j->ends_n[k]++] = j->st + rnd(now - j->st + 1);
                qsort(j->ends[k], j->ends_n[k], sizeof **j->ends, cmp);
                for (size_t i = j->ends_n[k]; i > 0; i--)
                    rtmr_entry_add_task_end(q.v[at], k, j->ends[k][i - 1]);
            }
            rtmr_queue_finish_job(&q, q.v[at], now, correct);
            naive_finish(&a, at, now, correct);
        }
        ok = ok && same(&q, &a);
    }
    rtmr_queue_free(&q);
    return ok;
}

static void test_like_the_paper(void)
{
    int bad = 0;

    for (int run = 0; run < 2000 && !bad; run++) {
        seed_with(run);
        if (!history(run))
            bad = run + 1;
    }
    CU_ASSERT_EQUAL(bad, 0);
}

/* ---- offers ---- */

/* Fills @q with accepted jobs, some of them started, and @busy with slots taken by tasks without a
 * deadline, which ran before the last jobs came. */
static void fill(struct rtmr_queue *q, struct rtmr_busy *busy, int64_t now)
{
    int64_t slots[] = {1 + rnd(SLOTS), 1 + rnd(SLOTS)};
    int32_t n = (int32_t)rnd(14);

    rtmr_queue_init(q, false);
    rtmr_queue_resize(q, slots, 0);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        int64_t until = now;

        busy[k].n = (size_t)rnd(slots[k] + 1);
        for (size_t i = 0; i < busy[k].n; i++)
            busy[k].v[i] = (struct rtmr_until){until += rnd(20), 1 + rnd(now), 1};
    }
    for (int32_t i = 0; i < n; i++) {
        int64_t at = 1 + (now - 1) * i / n;
        struct rtmr_entry *e =
            entry(at, i, at + rnd(300), rnd(15), 1 + rnd(20), rnd(6), 1 + rnd(20));
        struct rtmr_verdict v;

        rtmr_queue_test_admission(q, e, at, rnd(2) ? busy : NULL, &v);
        if (v.accepted)
            rtmr_queue_insert_owned(q, e, at, busy);
        else
            rtmr_entry_free(e);
        if (!rnd(5) && q->fixed < q->n)
            rtmr_queue_mark_started(q, q->v[q->fixed], at);
    }
}

static bool would(struct rtmr_queue *q, struct rtmr_entry *e, int64_t due, int64_t now,
                  const struct rtmr_busy *busy)
{
    struct rtmr_verdict v;
    int64_t was = e->due_us;

    e->due_us = due;
    rtmr_queue_test_admission(q, e, now, busy, &v);
    e->due_us = was;
    return v.accepted;
}

/* Returns true when each deadline within the second from @date on is accepted. They differ only in
 * the place that they give the job in the queue, so only the limits of the places are tried. */
static bool second_is_good(struct rtmr_queue *q, struct rtmr_entry *e, int64_t date, int64_t now,
                           const struct rtmr_busy *busy)
{
    const int64_t until = date + 1000000;
    bool ok = would(q, e, date, now, busy) && would(q, e, until, now, busy);

    for (size_t i = 0; i < q->n && ok; i++)
        if (q->v[i]->due_us > date && q->v[i]->due_us <= until)
            ok = would(q, e, q->v[i]->due_us, now, busy) &&
                 would(q, e, q->v[i]->due_us - 1, now, busy);
    return ok;
}

/* Returns true when the offered date is accepted, and without a margin no earlier date is; with a
 * margin, the date must also be accepted at its end, and when a waiting job has started
 * meanwhile. */
static bool offer_is_good(int64_t margin)
{
    struct rtmr_until room[4][SLOTS];
    struct rtmr_busy busy[] = {{.v = room[0]}, {.v = room[1]}},
                     later[] = {{.v = room[2]}, {.v = room[3]}};
    int64_t now = 100, got, want;
    struct rtmr_queue q;
    struct rtmr_entry *e;
    bool ok = true;

    fill(&q, busy, now);
    for (enum base_task_kind k = 0; k < BASE_TASK_KINDS; k++) {
        later[k].n = busy[k].n;
        for (size_t i = 0; i < busy[k].n; i++)
            later[k].v[i] = (struct rtmr_until){now + margin + 20 * SLOTS, now + margin, 1};
    }
    e = entry(now, 1000, now + rnd(60), 1 + rnd(15), 1 + rnd(20), rnd(6), 1 + rnd(20));
    if (!would(&q, e, e->due_us, now, busy)) {
        got = offer(&q, e, now, busy, margin, later);
        want = e->due_us;
        while (!would(&q, e, want, now, busy))
            want++;
        ok = margin ? got >= want && would(&q, e, got, now, busy) : got == want;
        ok = ok && (!margin || second_is_good(&q, e, got + margin, now + margin, later));
        if (margin && q.fixed < q.n) {
            rtmr_queue_mark_started(&q, q.v[q.fixed], now + 1);
            ok = ok && second_is_good(&q, e, got + margin, now + margin, later);
        }
    }
    rtmr_entry_free(e);
    rtmr_queue_free(&q);
    return ok;
}

static void test_offers(void)
{
    int bad = 0;

    for (int run = 0; run < 3000 && !bad; run++) {
        seed_with(run);
        if (!offer_is_good(run % 2 ? 7 : 0))
            bad = run + 1;
    }
    CU_ASSERT_EQUAL(bad, 0);
}

static const struct cunit_case cases[] = {
    {"behind a started job", test_behind_a_started_job},
    {"before a waiting job", test_before_a_waiting_job},
    {"others are kept", test_others_are_kept},
    {"feedback by hand", test_feedback_by_hand},
    {"beside jobs without deadline", test_beside},
    {"reserved sums", test_reserved_sums},
    {"like the paper, task by task", test_like_the_paper},
    {"offers", test_offers},
};

CUNIT_MAIN("rtmr_queue", cases)
