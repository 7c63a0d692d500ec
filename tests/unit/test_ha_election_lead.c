/* Goal: claims, the lease, resigning, and who is said to be active. Method: as in
 * test_ha_election.c. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/ha_election_expect.h"

/* ---- claims ---- */

static void test_failover(void)
{
    struct world_rm *a, *b;
    struct world *w = two(&a, &b);

    CU_ASSERT_STRING_EQUAL(ha_election_active_rm(b->e), "rm1");
    /* an RM that waits sends nothing by itself */
    CU_ASSERT_EQUAL(ha_election_next_timer_us(b->e), INT64_MAX);
    world_kill(a);
    world_session_end(w, 0x10);
    world_run(w);
    SENT(b, "children /creel/blue/election watch\n"
            "get /creel/blue/epoch watch\n"
            "multi check " NODE("rm2", "11",
                                "1") " v-1, set /creel/blue/epoch v1 '1 rm2 0000000000000011\n'\n"
                                     "children /creel/blue/election watch\n"
                                     "get /creel/blue/epoch watch\n");
    TOLD(b, "active \nelected 1 v2\nactive rm2\n");
    done(w);
}

static void claim_lost(size_t carried_out, int64_t away_us, const char *told, const char *epoch)
{
    struct world *w = world_new(1);
    struct world_rm *r = world_start(w, 0, "rm1", "a", false);
    int64_t sent_us;

    world_connect(r);
    run_until(w, r, CLAIM_REQUEST);
    STATE(r, "claiming");
    sent_us = w->now_us;
    world_disconnect(r, carried_out);
    world_run(w);
    w->now_us += away_us;
    world_connect(r);
    world_run(w);
    TOLD(r, told);
    DATA(w, ROOT "/epoch", epoch);
    if (carried_out && away_us < LEASE)
        /* the lease counts from the sending of the claim, not of the read */
        CU_ASSERT_EQUAL(ha_election_lease_end_us(r->e), sent_us + LEASE);
    CU_ASSERT_EQUAL(r->version, world_node(w, ROOT "/epoch")->version);
    done(w);
}

static void test_claim_lost(void)
{
    claim_lost(0, 1000, "elected 0 v1\nactive rm1\n", "0 rm1 0000000000000010\n");
    claim_lost(1, 1000, "elected 0 v1\nactive rm1\n", "0 rm1 0000000000000010\n");
    claim_lost(1, LEASE - 1, "elected 0 v1\nactive rm1\n", "0 rm1 0000000000000010\n");
    claim_lost(1, LEASE, "elected 1 v2\nactive rm1\n", "1 rm1 0000000000000010\n");
}

/* While the connection was lost, another RM took the epoch that we claim, or an earlier session of
 * ours did, or a higher epoch was taken: none of these is our claim. */
static void test_claim_lost_to_another(void)
{
    static const char *const data[] = {"0 rm2 0000000000000010\n", "0 rm1 0000000000000099\n",
                                       "1 rm1 0000000000000010\n"};

    for (size_t i = 0; i < 3; i++) {
        struct world *w = world_new(1);
        struct world_rm *r = world_start(w, 0, "rm1", "a", false);

        world_connect(r);
        run_until(w, r, CLAIM_REQUEST);
        world_disconnect(r, 0);
        world_set(w, ROOT "/epoch", data[i]);
        world_connect(r);
        world_run(w);
        CU_ASSERT_EQUAL(r->elected_n, 1);
        CU_ASSERT_EQUAL(r->epoch, i == 2 ? 2 : 1);
        CU_ASSERT_EQUAL(r->version, 2);
        done(w);
    }
}

static void test_claim_answered_late(void)
{
    struct world *w = world_new(1);
    struct world_rm *r = world_start(w, 0, "rm1", "a", false);
    int64_t sent_us;

    world_connect(r);
    run_until(w, r, CLAIM_REQUEST);
    sent_us = w->now_us;
    w->now_us += LEASE - 1;
    world_run(w);
    TOLD(r, "elected 0 v1\nactive rm1\n");
    CU_ASSERT_EQUAL(ha_election_lease_end_us(r->e), sent_us + LEASE);
    CU_ASSERT_EQUAL(ha_election_next_timer_us(r->e), sent_us + RENEW);
    done(w);
}

static void test_claim_too_late(void)
{
    struct world *w = world_new(1);
    struct world_rm *r = world_start(w, 0, "rm1", "a", false);
    int64_t sent_us;

    world_connect(r);
    run_until(w, r, CLAIM_REQUEST);
    while (world_deliver(r))
        ;
    world_carry_out(r);
    sent_us = w->now_us;
    w->now_us += LEASE; /* the claim was answered, but the process stood still */
    world_run(w);
    TOLD(r, "elected 1 v2\nactive rm1\n");
    CU_ASSERT_EQUAL(ha_election_lease_end_us(r->e), sent_us + LEASE + LEASE);
    done(w);
}

static void test_claim_bad_version(void)
{
    struct world *w = world_new(1);
    struct world_rm *r = world_start(w, 0, "rm1", "a", false);

    world_connect(r);
    run_until(w, r, CLAIM_REQUEST);
    world_set(w, ROOT "/epoch", "41 rm2 0000000000000099\n");
    world_run(w);
    TOLD(r, "elected 42 v2\nactive rm1\n");
    CU_ASSERT_EQUAL(ha_election_highest_epoch(r->e), 42);
    done(w);
}

static void test_claim_without_node(void)
{
    struct world *w = world_new(1);
    struct world_rm *r = world_start(w, 0, "rm1", "a", false);

    world_connect(r);
    run_until(w, r, CLAIM_REQUEST);
    world_remove(w, NODE("rm1", "10", "0"));
    world_run(w);
    TOLD(r, "elected 0 v1\nactive rm1\n");
    CU_ASSERT_PTR_NOT_NULL(world_node(w, NODE("rm1", "10", "1")));
    done(w);
    w = world_new(1);
    r = world_start(w, 0, "rm1", "a", false);
    world_connect(r);
    run_until(w, r, CLAIM_REQUEST);
    world_remove(w, ROOT "/epoch");
    world_run(w);
    TOLD(r, "elected 0 v1\nactive rm1\n");
    CU_ASSERT_EQUAL(r->notes_n, 1);
    done(w);
}

static void test_at_least(void)
{
    struct world *w = world_new(1);
    struct world_rm *r = world_start(w, 0, "rm1", "a", false);

    ha_election_raise_min_epoch(r->e, 7);
    ha_election_raise_min_epoch(r->e, 3);
    world_connect(r);
    world_run(w);
    TOLD(r, "elected 7 v1\nactive rm1\n");
    ha_election_on_fenced_write(r->e, w->now_us);
    world_run(w);
    TOLD(r, "deposed: another ResourceManager has the epoch\nactive \nelected 8 v2\nactive rm1\n");
    done(w);
}

/* Goal: the highest epoch that container ids can hold is taken, and none above it: with a higher
 * one, ids of containers would repeat. */
static void test_last_epoch(void)
{
    struct world *w = world_new(1);
    struct world_rm *r = world_start(w, 0, "rm1", "a", false);

    ha_election_raise_min_epoch(r->e, HA_EPOCH_MAX);
    world_connect(r);
    world_run(w);
    TOLD(r, "elected 8388607 v1\nactive rm1\n");
    ha_election_on_fenced_write(r->e, w->now_us);
    world_run(w);
    TOLD(r, "deposed: another ResourceManager has the epoch\nactive \nrefused\n");
    CU_ASSERT_EQUAL(r->refusal.code, -BASE_ELIMIT);
    expect_text(
        r->refusal.text,
        "no epoch is left: /creel/blue/epoch in ZooKeeper holds 8388607, the next one would be "
        "8388608, and "
        "container ids have room for 8388607 at most; set creel.ha.zk-root to a path that is free",
        __FILE__, __LINE__);
    STATE(r, "refused");
    DATA(w, ROOT "/epoch", "8388607 rm1 0000000000000010\n");
    done(w);
}

/* ---- the lease ---- */

static void test_renewal(void)
{
    struct world_rm *a;
    struct world *w = one(&a);
    int64_t from = w->now_us;

    CU_ASSERT_EQUAL(ha_election_next_timer_us(a->e), from + RENEW);
    world_pass(w, RENEW - 1);
    SENT(a, "");
    world_pass(w, 1);
    SENT(a, "multi check /creel/blue/epoch v1\n");
    CU_ASSERT_EQUAL(ha_election_lease_end_us(a->e), from + RENEW + LEASE);
    world_pass(w, RENEW / 2);
    /* a write of the log renews the lease, so that the next renewal can wait */
    ha_election_extend_lease(a->e, w->now_us);
    CU_ASSERT_EQUAL(ha_election_lease_end_us(a->e), w->now_us + LEASE);
    ha_election_extend_lease(a->e, from); /* a sending time older than the one known */
    CU_ASSERT_EQUAL(ha_election_lease_end_us(a->e), w->now_us + LEASE);
    world_pass(w, RENEW - 1);
    SENT(a, "");
    world_pass(w, 1);
    SENT(a, "multi check /creel/blue/epoch v1\n");
    world_pass(w, 20 * WORLD_TIMEOUT);
    TOLD(a, "");
    STATE(a, "leading");
    done(w);
}

/* The lease counts from the sending, however late the answer is. */
static void test_lease_from_sending(void)
{
    struct world_rm *a;
    struct world *w = one(&a);
    int64_t from = w->now_us;

    w->now_us += RENEW;
    world_tick(a);
    CU_ASSERT_EQUAL(a->asked_n, 1);
    w->now_us += LEASE / 2;
    world_tick(a);
    CU_ASSERT_EQUAL(a->asked_n, 1); /* only one renewal at a time */
    world_carry_out(a);
    world_deliver(a);
    CU_ASSERT_EQUAL(ha_election_lease_end_us(a->e), from + RENEW + LEASE);
    done(w);
}

static void test_lease_over(void)
{
    struct world_rm *a;
    struct world *w = one(&a);
    int64_t from = w->now_us;

    a->up = false; /* the network swallows everything */
    world_pass(w, LEASE - 1);
    STATE(a, "leading");
    CU_ASSERT_EQUAL(ha_election_lease_end_us(a->e), from + LEASE);
    world_pass(w, 1);
    TOLD(a, "deposed: ZooKeeper has answered no request sent in the last 800 ms\nactive \n");
    STATE(a, "opening");
    CU_ASSERT_EQUAL(ha_election_lease_end_us(a->e), 0);
    /* the same session: the renewal sent before comes too late, and a new epoch is taken */
    a->up = true;
    world_run(w);
    TOLD(a, "elected 1 v2\nactive rm1\n");
    CU_ASSERT_EQUAL(ha_election_lease_end_us(a->e), w->now_us + LEASE);
    done(w);
}

/* An answer that came in time, but is looked at after the lease was over, does not save the
 * leadership. */
static void test_answer_after_lease(void)
{
    struct world_rm *a;
    struct world *w = one(&a);

    w->now_us += RENEW;
    world_tick(a);
    world_carry_out(a);
    w->now_us += LEASE - RENEW; /* the process stood still */
    world_deliver(a);
    TOLD(a, "deposed: ZooKeeper has answered no request sent in the last 800 ms\nactive \n");
    ha_election_extend_lease(a->e, w->now_us); /* by a write of the log that was sent before */
    CU_ASSERT_EQUAL(ha_election_lease_end_us(a->e), 0);
    world_run(w);
    TOLD(a, "elected 1 v2\nactive rm1\n");
    done(w);
}

static void test_connection_lost_while_leading(void)
{
    struct world_rm *a;
    struct world *w = one(&a);
    int64_t from = w->now_us;

    world_disconnect(a, 0);
    world_run(w);
    STATE(a, "leading");
    w->now_us += LEASE - 1;
    world_tick(a);
    STATE(a, "leading");
    quiet(a);
    world_connect(a);
    world_deliver(a);
    /* the lease is renewed first */
    SENT(a, "multi check /creel/blue/epoch v1\nsync /creel/blue\n");
    CU_ASSERT_EQUAL(ha_election_lease_end_us(a->e), from + LEASE);
    world_run(w);
    CU_ASSERT_EQUAL(ha_election_lease_end_us(a->e), from + LEASE - 1 + LEASE);
    TOLD(a, "");
    SENT(a, "get /creel/blue\nchildren /creel/blue\nchildren /creel/blue/election watch\nget "
            "/creel/blue/epoch watch\n"
            "get " NODE("rm1", "10", "0") "\n");
    STATE(a, "leading");
    world_disconnect(a, 0);
    world_run(w);
    world_pass(w, LEASE);
    TOLD(a, "deposed: ZooKeeper has answered no request sent in the last 800 ms\nactive \n");
    STATE(a, "offline");
    SENT(a, "");
    done(w);
}

static void test_session_lost_while_leading(void)
{
    struct world_rm *a;
    struct world *w = one(&a);

    world_disconnect(a, 0);
    world_session_end(w, 0x10);
    world_run(w);
    TOLD(a, "");
    world_connect(a);
    world_run(w);
    TOLD(a, "deposed: the session with ZooKeeper is over\nactive \nelected 1 v2\nactive rm1\n");
    quiet(a);
    /* the end of the session is told by the answer to a request, before the event comes */
    w->fault_at = 1;
    w->fault_code = HA_ZK_EXPIRED;
    world_pass(w, RENEW);
    TOLD(a, "deposed: the session with ZooKeeper is over\nactive \n");
    STATE(a, "offline");
    world_connect(a);
    world_run(w);
    TOLD(a, "elected 2 v3\nactive rm1\n");
    done(w);
}

static void test_another_has_claimed(void)
{
    struct world_rm *a;
    struct world *w = one(&a);

    world_set(w, ROOT "/epoch", "5 rm2 0000000000000099\n");
    world_run(w); /* the watch tells of the new epoch */
    TOLD(a, "deposed: rm2 has taken epoch 5\nactive \nelected 6 v3\nactive rm1\n");
    a->watch_epoch = false; /* without the watch, the next renewal tells */
    world_set(w, ROOT "/epoch", "7 rm2 0000000000000099\n");
    world_run(w);
    TOLD(a, "");
    world_pass(w, RENEW);
    TOLD(a, "deposed: the epoch is no longer ours\nactive \nelected 8 v5\nactive rm1\n");
    a->watch_epoch = false;
    world_remove(w, ROOT "/epoch"); /* by an operator: epochs begin again */
    w->highest_elected = -1;
    world_pass(w, RENEW);
    TOLD(a, "deposed: the epoch is no longer ours\nactive \nelected 0 v1\nactive rm1\n");
    done(w);
}

static void test_own_node_deleted(void)
{
    struct world_rm *a, *b;
    struct world *w = two(&a, &b);

    world_remove(w, NODE("rm1", "10", "0"));
    world_run(w);
    CU_ASSERT_EQUAL(a->deposed_n, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(a->told.data, "deposed: our election node was deleted\n"));
    STATE(b, "leading");
    STATE(a, "waiting");
    CU_ASSERT_STRING_EQUAL(ha_election_active_rm(a->e), "rm2");
    CU_ASSERT_PTR_NOT_NULL(world_node(w, NODE("rm1", "10", "2")));
    done(w);
}

static void test_fenced(void)
{
    struct world_rm *a, *b;
    struct world *w = two(&a, &b);

    ha_election_on_fenced_write(b->e, w->now_us); /* b does not lead */
    TOLD(b, "");
    ha_election_on_fenced_write(a->e, w->now_us);
    TOLD(a, "deposed: another ResourceManager has the epoch\nactive \n");
    ha_election_on_fenced_write(a->e, w->now_us);
    TOLD(a, "");
    world_run(w);
    TOLD(a, "elected 1 v2\nactive rm1\n"); /* it was not so: ours is still the lowest node */
    done(w);
}

/* ---- resigning ---- */

static void test_resign(void)
{
    struct world_rm *a, *b;
    struct world *w = two(&a, &b);

    ha_election_resign(b->e, 1000, w->now_us); /* b does not lead */
    SENT(b, "");
    ha_election_resign(a->e, 60000000, w->now_us);
    TOLD(a, "deposed: resigned\nactive \n");
    SENT(a, "multi delete " NODE("rm1", "10", "0") " v-1\n");
    STATE(a, "joining");
    world_run(w);
    TOLD(b, "active \nelected 1 v2\nactive rm2\n");
    TOLD(a, "active rm2\n"); /* rm1's new node is behind rm2's */
    STATE(a, "waiting");
    CU_ASSERT_PTR_NOT_NULL(world_node(w, NODE("rm1", "10", "2")));
    ha_election_resign(b->e, 60000000, w->now_us);
    world_run(w);
    TOLD(a, "active \nelected 2 v3\nactive rm1\n");
    done(w);
}

static void test_resign_alone(void)
{
    struct world_rm *a;
    struct world *w = one(&a);

    ha_election_resign(a->e, 3 * WORLD_TIMEOUT, w->now_us);
    world_run(w);
    STATE(a, "joining");
    CU_ASSERT_EQUAL(world_election_nodes(w, 0), 0);
    CU_ASSERT_EQUAL(ha_election_next_timer_us(a->e), w->now_us + 3 * WORLD_TIMEOUT);
    world_pass(w, 3 * WORLD_TIMEOUT - 1);
    TOLD(a, "deposed: resigned\nactive \n");
    CU_ASSERT_EQUAL(world_election_nodes(w, 0), 0);
    world_pass(w, 1);
    TOLD(a, "elected 1 v2\nactive rm1\n");
    /* for good, that is until another RM has claimed */
    ha_election_resign(a->e, INT64_MAX, w->now_us);
    world_pass(w, 100 * WORLD_TIMEOUT);
    CU_ASSERT_EQUAL(world_election_nodes(w, 0), 0);
    world_set(w, ROOT "/epoch", "9 rm2 0000000000000099\n");
    world_run(w);
    STATE(a, "leading");
    CU_ASSERT_EQUAL(a->epoch, 10);
    done(w);
}

/* The deletion of our node is lost, with the connection or without. */
static void resign_lost(bool connection, size_t carried_out)
{
    struct world_rm *a, *b;
    struct world *w = two(&a, &b);

    ha_election_resign(a->e, 60000000, w->now_us);
    if (connection) {
        world_disconnect(a, carried_out);
        world_run(w);
        world_connect(a);
    } else {
        w->fault_at = 1;
        w->fault_code = HA_ZK_LOSS;
        w->fault_done = carried_out > 0;
    }
    world_pass(w, WORLD_TIMEOUT);
    STATE(a, "waiting");
    STATE(b, "leading");
    CU_ASSERT_EQUAL(world_election_nodes(w, a->session), 1);
    CU_ASSERT_EQUAL(a->elected_n, 1);
    CU_ASSERT_EQUAL(a->deposed_n, 1);
    done(w);
}

static void test_resign_lost(void)
{
    resign_lost(true, 0);
    resign_lost(true, 1);
    resign_lost(false, 0);
    resign_lost(false, 1);
}

static void test_resign_offline(void)
{
    struct world_rm *a, *b;
    struct world *w = two(&a, &b);

    world_disconnect(a, 0);
    world_run(w);
    ha_election_resign(a->e, 60000000, w->now_us);
    TOLD(a, "deposed: resigned\nactive \n");
    STATE(a, "offline");
    world_run(w);
    TOLD(b, "");
    world_connect(a); /* the same session: its node is deleted now */
    world_run(w);
    STATE(b, "leading");
    STATE(a, "waiting");
    CU_ASSERT_EQUAL(a->elected_n, 1);
    done(w);
    w = two(&a, &b);
    world_disconnect(a, 0);
    world_run(w);
    world_connect(a);
    world_deliver(a); /* connected again, its own node not yet seen again */
    ha_election_resign(a->e, 60000000, w->now_us);
    world_run(w);
    STATE(b, "leading");
    STATE(a, "waiting");
    done(w);
}

/* ---- who is active ---- */

static void test_active(void)
{
    struct world_rm *a, *b, *c;
    struct world *w = two(&a, &b);

    c = started(w, 2, "rm3");
    TOLD(c, "active rm1\n");
    world_disconnect(c, 0); /* what was read last holds for one time-out */
    world_run(w);
    world_pass(w, WORLD_TIMEOUT - 1);
    TOLD(c, "");
    world_pass(w, 1);
    TOLD(c, "active \n");
    world_connect(c);
    world_run(w);
    TOLD(c, "active rm1\n");
    /* The epoch record names the rm-id of the lowest election node's owner, but another session:
     * hence this owner is not the RM that claimed the epoch. */
    world_set(w, ROOT "/epoch", "1 rm1 0000000000000099\n");
    world_deliver(c);
    world_carry_out(c);
    world_carry_out(c);
    world_deliver(c);
    world_deliver(c);
    TOLD(c, "active \n");
    world_run(w);
    TOLD(c, "active rm1\n");
    done(w);
}

/* The epoch is ours and our node is the lowest, but we do not lead: nobody is active. */
static void test_active_not_ourselves(void)
{
    struct world_rm *a;
    struct world *w = one(&a);

    world_disconnect(a, 0);
    world_run(w);
    world_pass(w, LEASE);
    CU_ASSERT_STRING_EQUAL(ha_election_active_rm(a->e), "");
    world_connect(a);
    run_until(w, a, CLAIM_REQUEST);
    CU_ASSERT_STRING_EQUAL(ha_election_active_rm(a->e), "");
    done(w);
}

/* ---- without a lease ---- */

static void test_lease_off(void)
{
    struct world *w = world_new(1);
    struct world_rm *a = world_start(w, 0, "rm1", "a", true), *b;

    world_connect(a);
    world_run(w);
    b = started(w, 1, "rm2");
    CU_ASSERT_EQUAL(ha_election_lease_end_us(a->e), INT64_MAX);
    a->up = false;
    world_disconnect(a, 0);
    world_run(w);
    world_pass(w, 10 * WORLD_TIMEOUT);
    STATE(b, "leading");
    STATE(a, "leading"); /* without a lease, nothing but the epoch ends its leadership */
    quiet(a);
    world_connect(a);
    world_run(w);
    world_pass(w, RENEW - 1);
    STATE(a, "leading");
    TOLD(a, "");
    CU_ASSERT_EQUAL(world_election_nodes(w, a->session), 1);
    world_pass(w, 1);
    TOLD(a, "deposed: the epoch is no longer ours\nactive rm2\n");
    CU_ASSERT_EQUAL(a->elected_n, 1);
    world_kill(b);
    world_session_end(w, b->session);
    world_run(w);
    STATE(a, "leading");
    ha_election_on_fenced_write(a->e, w->now_us);
    CU_ASSERT_EQUAL(a->deposed_n, 2);
    done(w);
}

static const struct cunit_case cases[] = {
    {"failover", test_failover},
    {"a claim is lost", test_claim_lost},
    {"a claim is lost to another", test_claim_lost_to_another},
    {"a claim answered late", test_claim_answered_late},
    {"a claim answered too late", test_claim_too_late},
    {"a claim of an old version", test_claim_bad_version},
    {"a claim without node", test_claim_without_node},
    {"an epoch at least", test_at_least},
    {"the last epoch", test_last_epoch},
    {"renewal", test_renewal},
    {"the lease counts from the sending", test_lease_from_sending},
    {"the lease is over", test_lease_over},
    {"an answer after the lease", test_answer_after_lease},
    {"the connection is lost while leading", test_connection_lost_while_leading},
    {"the session is lost while leading", test_session_lost_while_leading},
    {"another has claimed", test_another_has_claimed},
    {"our own node is deleted", test_own_node_deleted},
    {"fenced", test_fenced},
    {"resigning", test_resign},
    {"resigning alone", test_resign_alone},
    {"resigning, the deletion lost", test_resign_lost},
    {"resigning offline", test_resign_offline},
    {"who is active", test_active},
    {"never ourselves without leading", test_active_not_ourselves},
    {"without a lease the epoch tells", test_lease_off},
};

CUNIT_MAIN("ha_election_lead", cases)
