/* Goal: no record grows over BASE_RECORD_MAX, whatever users, masters and nodes send: a request
 * that would make one larger is refused, with the size and the limit, or what the core keeps of it
 * is bounded. Method: sizes on both sides of each bound, in the core of a small world. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "rm/core/emit.h"
#include "rm/core/record/app_record.h"
#include "rm/core/record/record.h"
#include "tests/unit/core_masters.h"

static char *filled(size_t len)
{
    char *text = base_realloc_array(NULL, len + 1, 1);

    memset(text, 'x', len);
    text[len] = '\0';
    return text;
}

static void submit(struct rm_job_spec *spec)
{
    struct rm_event ev = {.kind = RM_EV_SUBMIT_JOB, .token = ++w.token};

    ev.u.submit_job.spec = spec;
    ev.u.submit_job.app_token = "0123456789abcdef0123456789abcdef";
    world_step(&w, &ev);
}

/* Returns a job of 3 splits whose list takes @bytes to store. */
static struct rm_job_spec *job_of(size_t bytes)
{
    struct rm_job_spec *spec = world_spec("a 3 0 1 4 0 0");

    free(spec->paths.v[0]);
    spec->paths.v[0] = filled(0);
    bytes -= rm_record_splits_size(spec) + 7; /* the length has 8 digits, not 1 */
    free(spec->paths.v[0]);
    spec->paths.v[0] = filled(bytes);
    return spec;
}

static size_t largest_record(void)
{
    size_t most = 0;

    for (size_t i = 0; i < w.journal_n; i++)
        most = w.journal[i].data && w.journal[i].len > most ? w.journal[i].len : most;
    return most;
}

static void test_splits(void)
{
    world_init(&w, "fifo");
    submit(job_of(BASE_RECORD_MAX));
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_JOB);
    /* the record has the size that rm_record_splits_size() computed before */
    CU_ASSERT_EQUAL(largest_record(), BASE_RECORD_MAX);
    submit(job_of(BASE_RECORD_MAX + 1));
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_ERROR);
    CU_ASSERT_EQUAL(w.reply.code, -BASE_ETOOLARGE);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(w.reply.text, "takes 67108865 bytes to store, 67108864 are possible"));
    CU_ASSERT_EQUAL(largest_record(), BASE_RECORD_MAX);
    world_free(&w);
}

static void test_submissions(void)
{
    for (int over = 0; over < 2; over++) {
        struct rm_job_spec *spec = world_spec("a 3 0 0 4 0 0");
        struct rm_app_spec *app = world_app_spec("app 1024 2 0");
        struct rm_event ev = {.kind = RM_EV_SUBMIT_APP,
                              .u.submit_app = {app, "0123456789abcdef0123456789abcdef"}};

        world_init(&w, "fifo");
        free(spec->json);
        spec->json = filled(BASE_SUBMISSION_MAX + (size_t)over);
        submit(spec);
        CU_ASSERT_EQUAL(w.reply.kind, over ? RM_REPLY_ERROR : RM_REPLY_JOB);
        CU_ASSERT_EQUAL(w.reply.code, over ? -BASE_ETOOLARGE : 0);
        free(app->json);
        app->json = filled(BASE_SUBMISSION_MAX + (size_t)over);
        ev.token = ++w.token;
        world_step(&w, &ev);
        CU_ASSERT_EQUAL(w.reply.kind, over ? RM_REPLY_ERROR : RM_REPLY_APP);
        if (over)
            CU_ASSERT_PTR_NOT_NULL(
                strstr(w.reply.text, "33554433 bytes to store, 33554432 are possible"));
        world_free(&w);
    }
}

/* Many attempts, each with the longest possible diagnostics, as when attempts do not count towards
 * their limit: only the newest are kept, and the record stays bounded. */
static void test_attempts(void)
{
    char *text = filled(BASE_DIAGNOSTICS_MAX * 4);
    struct rm_app *a;

    begin("app 1024 2 0");
    a = core_app();
    for (int i = 0; i < RM_ATTEMPTS_KEPT + 50; i++) {
        rm_set_bounded_text(&rm_app_newest_attempt(a)->diagnostics, text);
        rm_app_add_attempt(w.core, a);
    }
    rm_set_bounded_text(&a->diagnostics, text);
    CU_ASSERT_EQUAL(strlen(a->diagnostics), 2 * BASE_DIAGNOSTICS_MAX);
    CU_ASSERT_EQUAL(a->attempts_n, RM_ATTEMPTS_KEPT);
    /* no attempt gets the number of one that was dropped */
    CU_ASSERT_EQUAL(rm_app_newest_attempt(a)->id.attempt, RM_ATTEMPTS_KEPT + 51);
    CU_ASSERT_EQUAL(a->attempts[0].id.attempt, 52);
    CU_ASSERT_EQUAL(world_app(&w, id).attempts_n, RM_ATTEMPTS_KEPT + 51);
    w.fx.len = 0;
    w.core->out = &w.fx;
    rm_record_app(w.core, a);
    w.core->out = NULL;
    CU_ASSERT(w.core->text.len < BASE_RECORD_MAX - BASE_SUBMISSION_MAX);
    CU_ASSERT(w.core->text.len > RM_ATTEMPTS_KEPT * 256);
    w.fx.len = 0;
    free(text);
    world_free(&w);
}

static struct rm_ask with_launch(int32_t priority, size_t bytes)
{
    struct rm_ask asked = ask("*", 1);

    asked.priority = priority;
    asked.launch->json = filled(bytes);
    return asked;
}

/* The launch contexts of asks, which are kept until containers are allocated, are bounded in
 * all. */
static void test_launches(void)
{
    struct rm_ask asked[1];

    begin("app 1024 2 0");
    do_register(1);
    for (int i = 0; i < 8; i++) {
        asked[0] = with_launch(i, RM_ASK_LAUNCH_MAX / 8);
        asked[0].containers = 1;
        allocate(i, asked, 1, NULL, 0);
        CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_ALLOCATED);
    }
    asked[0] = with_launch(8, 1);
    allocate(8, asked, 1, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_ERROR);
    CU_ASSERT_PTR_NOT_NULL(strstr(w.reply.text, "67108864 bytes of launch contexts"));
    /* withdrawing an ask (no containers) frees its launch context */
    asked[0] =
        (struct rm_ask){.priority = 3, .resource_name = "*", .capability = {{1024, 1, 0, 0}}};
    allocate(8, asked, 1, NULL, 0);
    asked[0] = with_launch(8, RM_ASK_LAUNCH_MAX / 8);
    allocate(9, asked, 1, NULL, 0);
    CU_ASSERT_EQUAL(w.reply.kind, RM_REPLY_ALLOCATED);
    world_free(&w);
}

/* A task avoids at most RM_BAD_NODES_MAX nodes: the first ones are forgotten. */
static void test_bad_nodes(void)
{
    struct rm_task t = {0};

    for (uint32_t i = 0; i < RM_BAD_NODES_MAX + 10; i++)
        rm_task_add_avoided_node(&t, i);
    CU_ASSERT_EQUAL(t.bad[0], RM_BAD_NODES_MAX);
    CU_ASSERT_FALSE(rm_task_avoids_node(&t, 9));
    CU_ASSERT(rm_task_avoids_node(&t, 10));
    CU_ASSERT(rm_task_avoids_node(&t, RM_BAD_NODES_MAX + 9));
    rm_task_add_avoided_node(&t, 10);
    CU_ASSERT_EQUAL(t.bad[0], RM_BAD_NODES_MAX);
    free(t.bad);
}

static const struct cunit_case cases[] = {{"lists of splits", test_splits},
                                          {"submissions", test_submissions},
                                          {"attempts", test_attempts},
                                          {"launch contexts of asks", test_launches},
                                          {"nodes that a task avoids", test_bad_nodes}};
CUNIT_MAIN("bounds of records", cases)
