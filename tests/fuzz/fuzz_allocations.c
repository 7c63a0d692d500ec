/* Any bytes as an allocation file: read whole or refused with a message; what was read holds
 * together, and applications can be placed in it. */
#include <stdlib.h>
#include <string.h>

#include "policies/policy.h"
#include "rm/config/allocations.h"
#include "tests/fuzz/fuzz.h"

const char *const creel_fuzz_samples[] = {
    "<?xml version=\"1.0\"?><allocations><queue name=\"a\"><minResources>10000 "
    "mb,0vcores</minResources>"
    "<maxResources>50% memory, 40% cpu</maxResources><weight>2.0</weight><queue "
    "name=\"b\"><aclSubmitApps>x y"
    "</aclSubmitApps></queue></queue></allocations>",
    "<allocations><pool name=\"p\" type=\"parent\"><maxChildResources>memory-mb=1024, vcores=10, "
    "map-slots=5"
    "</maxChildResources><fairSharePreemptionTimeout>60</fairSharePreemptionTimeout></pool>"
    "<defaultFairSharePreemptionThreshold>0.5f</defaultFairSharePreemptionThreshold></allocations>",
    "<allocations><queuePlacementPolicy><rule name=\"specified\"/><rule name=\"nestedUserQueue\">"
    "<rule name=\"secondaryGroupExistingQueue\" create=\"false\"/></rule><rule name=\"default\" "
    "queue=\"a.b\"/>"
    "</queuePlacementPolicy><user "
    "name=\"u\"><maxRunningApps>3</maxRunningApps></user></allocations>",
    "<allocations><queue name=\"root\"><queue "
    "name=\"c\"><allowPreemptionFrom>false</allowPreemptionFrom>"
    "<schedulingPolicy>fifo</schedulingPolicy><reservation/></queue></queue></allocations>",
    "<!DOCTYPE a [<!ENTITY e \"v\"><!ENTITY f \"&e;&e;\"><!ENTITY g "
    "\"&f;&f;&f;\">]><allocations><queue "
    "name=\"&g;&g;\"/></allocations>",
    NULL,
};

static void check(struct policy_queues *q)
{
    static const char *const groups[] = {"staff", "p", "a"};
    const struct policy_capacity c = {.slots = {40, 20}, .memory_mb = 1 << 20, .vcores = 99};
    struct base_error err;
    int32_t at;

    for (size_t i = 0; i < q->n; i++) {
        const struct policy_queue *u = &q->v[i];

        base_assert(u->name &&
                    (i == 0 ? u->parent == -1 : u->parent >= 0 && (size_t)u->parent < i));
        base_assert(u->weight >= 0 && u->max_running >= 0 && u->fair_threshold >= 0 &&
                    u->fair_threshold <= 1);
        base_assert(policy_limit_to_slots(&u->min, BASE_TASK_MAP, &c, 0) >= 0);
        base_assert(policy_limit_to_slots(&u->max, BASE_TASK_REDUCE, &c, INT64_MAX) >= 0);
        base_assert(policy_queues_find(q, u->name) == (int32_t)i);
    }
    base_assert(q->rules_n > 0 && policy_rule_is_last(&q->rules[q->rules_n - 1]));
    if (policy_queues_place_submission(q, "a.new", "first.last", groups, 3, &at, &err) == 0)
        base_assert((size_t)at < q->n && !q->v[at].is_parent);
    if (policy_queues_place_submission(q, "", "u", groups, 3, &at, &err) == 0)
        base_assert((size_t)at < q->n && !q->v[at].is_parent);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct policy_queues q, live;
    struct base_buf notes = {0};
    struct base_error err = {0};

    if (rm_allocations_parse_text("fuzz.xml", (const char *)data, size, &q, &notes, &err) < 0) {
        base_assert(err.text[0]);
    } else {
        check(&q);
        policy_queues_init(&live, "a,old.b");
        policy_queues_replace(&live, &q);
        check(&live);
        policy_queues_free(&live);
    }
    base_buf_free(&notes);
    return 0;
}
