/* Goal: queues are found, made, replaced and limited as Hadoop's Fair Scheduler does it. Method:
 * small trees, and the placement rules of its documentation. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "policies/common/queues.h"
#include "policies/policy.h"
#include "tests/unit/cunit_main.h"

static struct base_error err;

static void test_names(void)
{
    struct policy_queues q;

    policy_queues_init(&q, "a, root.b.c,a,..bad,");
    CU_ASSERT_EQUAL(q.n, 5);
    CU_ASSERT_EQUAL(policy_queues_find(&q, "root"), 0);
    CU_ASSERT_EQUAL(policy_queues_find(&q, "default"), 1);
    CU_ASSERT_EQUAL(policy_queues_find(&q, "root.a"), 2);
    CU_ASSERT_EQUAL(policy_queues_find(&q, "a"), 2);
    CU_ASSERT_EQUAL(policy_queues_find(&q, "b.c"), 4);
    CU_ASSERT_EQUAL(policy_queues_find(&q, "c"), -1);
    CU_ASSERT_EQUAL(policy_queues_find(&q, ""), -1);
    CU_ASSERT_EQUAL(policy_queues_find(&q, NULL), -1);
    CU_ASSERT_STRING_EQUAL(q.v[4].name, "root.b.c");
    CU_ASSERT_EQUAL(q.v[4].parent, 3);
    CU_ASSERT(q.v[3].is_parent && !q.v[4].is_parent && q.v[0].is_parent);
    CU_ASSERT_EQUAL(policy_queues_add(&q, "b.c"), 4);
    policy_queues_free(&q);
}

static void test_bad_names(void)
{
    static const char *const bad[] = {"",      ".a", "a.",   "a..b", "root",
                                      "root.", " a", "a.b ", "a\nb"};
    char *deep = base_alloc(2 * POLICY_QUEUE_DEPTH_MAX + 2), *longest = base_alloc(1100);

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CU_ASSERT(policy_queue_check_name(bad[i], &err) < 0);
    for (int i = 0; i < POLICY_QUEUE_DEPTH_MAX; i++)
        memcpy(deep + 2 * i, "x.", 3);
    deep[2 * POLICY_QUEUE_DEPTH_MAX - 1] = '\0';
    CU_ASSERT(policy_queue_check_name(deep, &err) < 0);
    deep[2 * POLICY_QUEUE_DEPTH_MAX - 3] = '\0';
    CU_ASSERT_EQUAL(policy_queue_check_name(deep, &err), 0);
    memset(longest, 'x', 1090);
    CU_ASSERT(policy_queue_check_name(longest, &err) < 0);
    CU_ASSERT_EQUAL(policy_queue_check_name("root.a b.c", &err), 0);
    free(deep);
    free(longest);
}

static int32_t place(struct policy_queues *q, const char *queue, const char *user,
                     const char *groups)
{
    const char *v[4];
    char *copy = base_strdup(groups ? groups : ""), *save = NULL;
    size_t n = 0;
    int32_t index = -1;

    for (char *g = strtok_r(copy, ",", &save); g && n < 4; g = strtok_r(NULL, ",", &save))
        v[n++] = g;
    err.text[0] = '\0';
    if (policy_queues_place_submission(q, queue, user, v, n, &index, &err) < 0) {
        CU_ASSERT_NOT_EQUAL(err.text[0], '\0');
        index = -1;
    }
    free(copy);
    return index;
}

static void rules(struct policy_queues *q, const struct policy_rule *v, size_t n)
{
    q->rules = base_realloc_array(q->rules, n, sizeof *v);
    memcpy(q->rules, v, n * sizeof *v);
    q->rules_n = n;
    q->strict = false;
}

static void test_without_configuration(void)
{
    struct policy_queues q;

    policy_queues_init(&q, "a,b.c");
    CU_ASSERT_EQUAL(place(&q, NULL, "u", NULL), 1);
    CU_ASSERT_EQUAL(place(&q, "", "u", NULL), 1);
    CU_ASSERT_EQUAL(place(&q, "default", "u", NULL), 1);
    CU_ASSERT_EQUAL(place(&q, "root.default", "u", NULL), 1);
    CU_ASSERT_EQUAL(place(&q, "a", "u", NULL), 2);
    CU_ASSERT_EQUAL(place(&q, "x", "u", NULL), -1);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "root.default, root.a, root.b.c"));
    CU_ASSERT_EQUAL(place(&q, "b", "u", NULL), -1); /* has queues below it */
    CU_ASSERT_EQUAL(place(&q, "a.", "u", NULL), -1);
    CU_ASSERT_EQUAL(q.n, 5);
    policy_queues_free(&q);
}

static void test_hadoop_defaults(void)
{
    struct policy_queues q;

    policy_queues_init(&q, "a");
    policy_queues_set_default_rules(&q, true, true);
    CU_ASSERT_EQUAL(place(&q, "", "first.last", NULL), 3);
    CU_ASSERT_STRING_EQUAL(q.v[3].name, "root.first_dot_last");
    CU_ASSERT(q.v[3].dynamic && !q.v[3].configured);
    CU_ASSERT_EQUAL(place(&q, "x.y", "u", NULL), 5);
    CU_ASSERT_EQUAL(place(&q, "a.z", "u", NULL), -1); /* a takes applications itself */
    CU_ASSERT_EQUAL(place(&q, "x", "u", NULL), -1);
    policy_queues_set_default_rules(&q, false, true);
    CU_ASSERT_EQUAL(place(&q, "new", "nobody", NULL), 1);
    CU_ASSERT_EQUAL(place(&q, "new", "first.last", NULL), 3);
    policy_queues_set_default_rules(&q, true, false);
    CU_ASSERT_EQUAL(place(&q, "", "nobody", NULL), 1);
    policy_queues_free(&q);
}

/* A name that no queue could have is refused, also where no rule would look at it. */
static void test_bad_name_placed(void)
{
    static const struct policy_rule user = {.kind = POLICY_RULE_USER, .create = true};
    struct policy_queues q;

    policy_queues_init(&q, "a");
    rules(&q, &user, 1);
    CU_ASSERT_EQUAL(place(&q, "a..b", "u", NULL), -1);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "a..b"));
    CU_ASSERT_EQUAL(place(&q, "a", "u", NULL), policy_queues_find(&q, "u"));
    CU_ASSERT(policy_queues_find(&q, "u") > 0);
    policy_queues_free(&q);
}

/* The documentation's example: specified, primary group, nested user queues, default. */
static void test_rules(void)
{
    struct policy_queues q;
    struct policy_rule v[] = {
        {.kind = POLICY_RULE_SPECIFIED, .create = true},
        {.kind = POLICY_RULE_PRIMARY_GROUP},
        {.kind = POLICY_RULE_NESTED_USER, .create = true},
        {.kind = POLICY_RULE_DEFAULT, .create = true, .queue = base_strdup("sample")}};
    int32_t at;

    v[2].nested = base_alloc(sizeof *v);
    *v[2].nested = (struct policy_rule){.kind = POLICY_RULE_SECONDARY_GROUP};
    policy_queues_init(&q, "sample,secondary,staff");
    at = policy_queues_find(&q, "secondary");
    q.v[at].is_parent = true;
    policy_limit_init(&q.v[at].child_max);
    q.v[at].child_max.given = true;
    q.v[at].child_max.slots[BASE_TASK_MAP] = 7;
    q.v[at].min_timeout_us = 5;
    rules(&q, v, 4);
    CU_ASSERT_EQUAL(place(&q, "", "u", "staff,secondary"), policy_queues_find(&q, "staff"));
    CU_ASSERT_EQUAL(place(&q, "", "u", "none,other"), policy_queues_find(&q, "sample"));
    at = place(&q, "", "u", "none,other,secondary");
    CU_ASSERT_STRING_EQUAL(q.v[at].name, "root.secondary.u");
    CU_ASSERT_EQUAL(q.v[at].max.slots[BASE_TASK_MAP], 7);
    CU_ASSERT_EQUAL(q.v[at].min_timeout_us, 5);
    /* staff takes applications itself: no queue is made below it */
    CU_ASSERT_EQUAL(place(&q, "", "u", "none,staff"), policy_queues_find(&q, "sample"));
    at = place(&q, "own", "u", "staff");
    CU_ASSERT_STRING_EQUAL(q.v[at].name, "root.own");
    CU_ASSERT(policy_rule_is_last(&v[3]) && !policy_rule_is_last(&v[0]) &&
              !policy_rule_is_last(&v[1]) && !policy_rule_is_last(&v[2]));
    q.rules[0].create = q.rules[2].create = false;
    q.rules[3].kind = POLICY_RULE_REJECT;
    CU_ASSERT_EQUAL(place(&q, "", "v", "none"), -1);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "user v"));
    CU_ASSERT_EQUAL(place(&q, "", "u", "none,other,secondary"),
                    policy_queues_find(&q, "secondary.u"));
    policy_queues_free(&q);
}

/* Thousands of queues made by one user's submissions do not keep other users from submitting. */
static void test_full(void)
{
    struct policy_queues q;
    int32_t at;

    policy_queues_init(&q, "dev");
    policy_queues_set_default_rules(&q, true, true);
    for (int i = 0; i < POLICY_QUEUES_MAX + 100; i++) {
        char name[32];

        snprintf(name, sizeof name, "q%d", i);
        CU_ASSERT_EQUAL(policy_queues_place_submission(&q, name, "eve", NULL, 0, &at, &err), 0);
    }
    CU_ASSERT(q.n <= POLICY_QUEUES_MAX);
    CU_ASSERT_EQUAL(policy_queues_place_submission(&q, NULL, "ann", NULL, 0, &at, &err), 0);
    CU_ASSERT_STRING_EQUAL(q.v[at].name, "root.default");
    CU_ASSERT_EQUAL(policy_queues_place_submission(&q, "dev", "ann", NULL, 0, &at, &err), 0);
    CU_ASSERT_STRING_EQUAL(q.v[at].name, "root.dev");
    CU_ASSERT_EQUAL(policy_queues_place_submission(&q, "q7", "ann", NULL, 0, &at, &err), 0);
    CU_ASSERT_STRING_EQUAL(q.v[at].name, "root.q7");
    policy_queues_free(&q);
}

static void test_replace(void)
{
    struct policy_queues q, new;

    policy_queues_init(&q, "a,b");
    policy_queues_set_default_rules(&q, true, true);
    q.v[2].weight = 3;
    q.v[3].weight = 4;
    q.v[3].acl_submit = base_strdup("x");
    CU_ASSERT_EQUAL(place(&q, "", "user", NULL), 4);
    policy_queues_init(&new, "c.d,a");
    new.v[policy_queues_find(&new, "a")].weight = 5;
    new.v[policy_queues_find(&new, "a")].acl_admin = base_strdup("y");
    new.v[0].fair_timeout_us = 77;
    new.defaults.max_running = 9;
    policy_queues_replace(&q, &new);
    CU_ASSERT_EQUAL(new.n, 0);
    CU_ASSERT_EQUAL(q.n, 7);
    CU_ASSERT_EQUAL(policy_queues_find(&q, "a"), 2);
    CU_ASSERT_EQUAL(q.v[2].weight, 5);
    CU_ASSERT_STRING_EQUAL(q.v[2].acl_admin, "y");
    CU_ASSERT(q.v[2].configured && !q.v[3].configured && !q.v[3].dynamic);
    CU_ASSERT_EQUAL(q.v[3].weight, 1);
    CU_ASSERT_PTR_NULL(q.v[3].acl_submit);
    CU_ASSERT_EQUAL(q.v[3].fair_timeout_us, 77);
    CU_ASSERT(q.v[4].dynamic);
    CU_ASSERT_EQUAL(q.v[4].max_running, 9);
    CU_ASSERT_STRING_EQUAL(q.v[6].name, "root.c.d");
    CU_ASSERT_EQUAL(q.v[6].parent, 5);
    CU_ASSERT(q.v[5].is_parent);
    CU_ASSERT_EQUAL(place(&q, "b", "u", NULL), -1); /* strict again, and b is gone */
    policy_queues_free(&q);
}

static void test_limits(void)
{
    struct policy_capacity c = {.slots = {100, 50}, .memory_mb = 300 * 1024, .vcores = 150};
    struct policy_limit l;

    policy_limit_init(&l);
    CU_ASSERT_EQUAL(policy_limit_to_slots(&l, BASE_TASK_MAP, &c, 42), 42);
    l.given = true;
    CU_ASSERT_EQUAL(policy_limit_to_slots(&l, BASE_TASK_MAP, &c, 42), 42);
    l.memory_mb = 30 * 1024;
    CU_ASSERT_EQUAL(policy_limit_to_slots(&l, BASE_TASK_MAP, &c, 42), 10);
    CU_ASSERT_EQUAL(policy_limit_to_slots(&l, BASE_TASK_REDUCE, &c, 42), 5);
    l.vcores = 0; /* "10000 mb,0vcores": the memory counts alone */
    CU_ASSERT_EQUAL(policy_limit_to_slots(&l, BASE_TASK_MAP, &c, 42), 10);
    l.vcores = 6;
    CU_ASSERT_EQUAL(policy_limit_to_slots(&l, BASE_TASK_MAP, &c, 42), 4);
    CU_ASSERT_EQUAL(policy_limit_to_slots(&l, BASE_TASK_REDUCE, &c, 42), 2);
    l.vcores = 1; /* less than a slot is a slot */
    CU_ASSERT_EQUAL(policy_limit_to_slots(&l, BASE_TASK_REDUCE, &c, 42), 1);
    l.slots[BASE_TASK_MAP] = 77;
    CU_ASSERT_EQUAL(policy_limit_to_slots(&l, BASE_TASK_MAP, &c, 42), 77);
    policy_limit_init(&l);
    l.given = true;
    l.percent[0] = 50;
    CU_ASSERT_EQUAL(policy_limit_to_slots(&l, BASE_TASK_MAP, &c, 42), 50);
    l.percent[1] = 29;
    CU_ASSERT_EQUAL(policy_limit_to_slots(&l, BASE_TASK_MAP, &c, 42), 29);
    l.slot_percent[BASE_TASK_REDUCE] = 10;
    CU_ASSERT_EQUAL(policy_limit_to_slots(&l, BASE_TASK_REDUCE, &c, 42), 5);
    l.percent[0] = 0;
    CU_ASSERT_EQUAL(policy_limit_to_slots(&l, BASE_TASK_MAP, &c, 42), 0);
    l.slots[BASE_TASK_MAP] = INT64_MAX; /* bounded, so that its memory does not overflow */
    CU_ASSERT_EQUAL(policy_limit_to_slots(&l, BASE_TASK_MAP, &c, 42), INT64_C(1000000000000));
}

static const struct cunit_case cases[] = {
    {"names and the tree", test_names},
    {"names that are refused", test_bad_names},
    {"placement without configuration", test_without_configuration},
    {"Hadoop's default placement", test_hadoop_defaults},
    {"placement rules", test_rules},
    {"full of queues", test_full},
    {"another configuration", test_replace},
    {"limits in slots", test_limits},
    {"bad names, whatever the rules", test_bad_name_placed},
};

CUNIT_MAIN("queues", cases)
