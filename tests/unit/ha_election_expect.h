/* tests/unit/ha_election_expect.h - what the tests of the election's state machine share: how they
 * begin, and exact expectations. */
#ifndef CREEL_TESTS_HA_ELECTION_EXPECT_H
#define CREEL_TESTS_HA_ELECTION_EXPECT_H

#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/cunit_main.h"
#include "tests/unit/election_state.h"
#include "tests/unit/ha_election_world.h"

#define LEASE                  (WORLD_TIMEOUT / 3 * 2)
#define RENEW                  (WORLD_TIMEOUT / 6)
#define ROOT                   WORLD_ROOT
#define NODE(id, session, seq) ROOT "/election/" id "~00000000000000" session "~000000000" seq

static inline void expect_text(const char *got, const char *want, const char *file, int line)
{
    if (strcmp(got ? got : "", want) != 0)
        fprintf(stderr, "%s:%d: got\n%s\nexpected\n%s\n", file, line, got ? got : "", want);
    CU_ASSERT_STRING_EQUAL(got ? got : "", want);
}

/* Expect exactly these requests (SENT) or callbacks (TOLD) since the last check of them. */
#define SENT(r, want)                                                                              \
    (expect_text((r)->sent.data, want, __FILE__, __LINE__), base_buf_clear(&(r)->sent))
#define TOLD(r, want)                                                                              \
    (expect_text((r)->told.data, want, __FILE__, __LINE__), base_buf_clear(&(r)->told))
#define STATE(r, want)                                                                             \
    CU_ASSERT_STRING_EQUAL(election_state_name(ha_election_get_state((r)->e)), want)
#define DATA(w, path, want)                                                                        \
    expect_text(world_node(w, path) ? world_node(w, path)->data : "(none)", want, __FILE__,        \
                __LINE__)

static inline void quiet(struct world_rm *r)
{
    base_buf_clear(&r->sent);
    base_buf_clear(&r->told);
    base_buf_adds(&r->sent, "");
    base_buf_adds(&r->told, "");
}

static inline void done(struct world *w)
{
    expect_text(w->broken, "", __FILE__, __LINE__);
    world_free(w);
}

static inline struct world_rm *started(struct world *w, size_t i, const char *rm_id)
{
    char instance[32];
    struct world_rm *r;

    snprintf(instance, sizeof instance, "%s@host:%zu", rm_id, i);
    r = world_start(w, i, rm_id, instance, false);
    world_connect(r);
    world_run(w);
    return r;
}

/* A world where rm1 leads with epoch 0 and rm2 waits. */
static inline struct world *two(struct world_rm **a, struct world_rm **b)
{
    struct world *w = world_new(1);

    *a = started(w, 0, "rm1");
    *b = started(w, 1, "rm2");
    CU_ASSERT_EQUAL_FATAL(ha_election_get_state((*a)->e), HA_LEADING);
    CU_ASSERT_EQUAL_FATAL(ha_election_get_state((*b)->e), HA_WAITING);
    quiet(*a);
    quiet(*b);
    return w;
}

static inline struct world *one(struct world_rm **a)
{
    struct world *w = world_new(1);

    *a = started(w, 0, "rm1");
    CU_ASSERT_EQUAL_FATAL(ha_election_get_state((*a)->e), HA_LEADING);
    quiet(*a);
    return w;
}

/* Runs until the first request under way begins with @what. The request is left for the caller to
 * carry out. */
static inline void run_until(struct world *w, struct world_rm *r, const char *what)
{
    for (int i = 0; i < 1000; i++) {
        if (r->asked_n && strncmp(r->asked[0].text, what, strlen(what)) == 0)
            return;
        if (!world_deliver(r))
            world_carry_out(r);
    }
    world_broken(w, "never sent: %s", what);
}
#define JOIN_REQUEST  "multi create /creel/blue/election/"
#define CLAIM_REQUEST "multi check /creel/blue/election/"

#endif
