/* tests/policy/hfsp_world.h - HFSP in a small world of slots; tests read the policy's state. */
#ifndef CREEL_TESTS_POLICY_HFSP_WORLD_H
#define CREEL_TESTS_POLICY_HFSP_WORLD_H

#include <stdio.h>
#include <string.h>

#include "policies/hfsp/hfsp_internal.h"
#include "policies/options.h"
#include "policies/registry.h"
#include "tests/policy/policy_fake.h"
#include "tests/unit/cunit_main.h"

#define S FAKE_SECOND

/* A world of @nodes nodes under the policy @ops; @options is "NAME=VALUE NAME=VALUE ...". */
static inline void hfsp_start(struct fake *w, const struct policy_ops *ops, const char *options,
                              uint32_t nodes, int32_t maps, int32_t reduces)
{
    struct policy_conf conf = {0};
    char text[256], *at = text;
    struct base_error err;

    snprintf(text, sizeof text, "%s", options);
    for (char *word; (word = strsep(&at, " ")) && *word;) {
        char *value = strchr(word, '=');

        *value++ = '\0';
        if (policy_conf_set(&conf, word, value, &err) < 0) {
            printf("%s\n", err.text);
            CU_FAIL("an option");
        }
    }
    fake_init(w, ops, &conf, nodes, maps, reduces);
}

static inline const struct hfsp_phase *hfsp_phase_in(const struct fake_job *j,
                                                     enum base_task_kind kind)
{
    return hfsp_phase_of(&j->pj, kind);
}

/* Seconds of work that a job has left in the virtual cluster. */
static inline double hfsp_left_s(const struct fake *w, const struct fake_job *j,
                                 enum base_task_kind kind)
{
    return virtual_cluster_work_left(w->policy->kind[kind].vc, hfsp_phase_in(j, kind)->virtual) /
           1e6;
}

/* A job arrives whose submission gives the true sizes of its tasks. */
static inline struct fake_job *hfsp_arrive(struct fake *w, int32_t maps, double map_s,
                                           int32_t reduces, double reduce_s)
{
    struct fake_job *j =
        fake_job(w, maps, (int64_t)(map_s * 1e6), reduces, (int64_t)(reduce_s * 1e6));

    fake_sizes(j, true, true);
    CU_ASSERT(fake_arrive(w, j));
    return j;
}

#endif
