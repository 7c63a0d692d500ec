/* Goal: the election's root, our own election node, stale nodes of our rm-id, and whatever can
 * fail. Method: a ZooKeeper in memory in which requests and answers move only when the test says
 * so; expectations are the exact requests sent and the exact callbacks. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/ha_election_expect.h"

/* ---- names ---- */

static void test_names(void)
{
    CU_ASSERT_STRING_EQUAL(ha_zk_code_name(HA_ZK_OK), "ok");
    CU_ASSERT_STRING_EQUAL(ha_zk_code_name(HA_ZK_BADVERSION), "bad version");
    CU_ASSERT_STRING_EQUAL(ha_zk_code_name(HA_ZK_FAILED), "failed");
    CU_ASSERT_STRING_EQUAL(ha_zk_code_name((enum ha_zk_code)77), "unknown code");
}

/* ---- the root ---- */

static void test_first_start(void)
{
    struct world *w = world_new(1);
    struct world_rm *r = world_start(w, 0, "rm1", "rm1@host:7", false);

    STATE(r, "offline");
    CU_ASSERT_EQUAL(ha_election_next_timer_us(r->e), INT64_MAX);
    CU_ASSERT_EQUAL(ha_election_highest_epoch(r->e), -1);
    CU_ASSERT_EQUAL(ha_election_lease_end_us(r->e), 0);
    world_connect(r);
    world_deliver(r);
    STATE(r, "opening");
    world_run(w);
    SENT(r, "sync /creel/blue\n"
            "get /creel/blue\n"
            "multi create /creel/blue 'creel 1 blue\n', create /creel/blue/epoch '-1 - "
            "0000000000000000\n', "
            "create /creel/blue/election, create /creel/blue/log\n"
            "multi create /creel\n"
            "multi create /creel/blue 'creel 1 blue\n', create /creel/blue/epoch '-1 - "
            "0000000000000000\n', "
            "create /creel/blue/election, create /creel/blue/log\n"
            "get /creel/blue\n"
            "children /creel/blue\n"
            "children /creel/blue/election watch\n"
            "get /creel/blue/epoch watch\n"
            "multi create /creel/blue/election/rm1~0000000000000010~ es 'rm1@host:7'\n"
            "children /creel/blue/election watch\n"
            "get /creel/blue/epoch watch\n"
            "get /creel/blue/election/rm1~0000000000000010~0000000000\n"
            "multi check /creel/blue/election/rm1~0000000000000010~0000000000 v-1, "
            "set /creel/blue/epoch v0 '0 rm1 0000000000000010\n'\n"
            "children /creel/blue/election watch\n"
            "get /creel/blue/epoch watch\n");
    TOLD(r, "elected 0 v1\nactive rm1\n");
    STATE(r, "leading");
    CU_ASSERT_EQUAL(ha_election_highest_epoch(r->e), 0);
    CU_ASSERT_EQUAL(ha_election_lease_end_us(r->e), w->now_us + LEASE);
    CU_ASSERT_STRING_EQUAL(ha_election_active_rm(r->e), "rm1");
    CU_ASSERT_EQUAL(world_election_nodes(w, 0), 1);
    CU_ASSERT_EQUAL(r->notes_n, 0);
    done(w);
}

static void refused_as(const char *root_data, int code, const char *text)
{
    struct world *w = world_new(1);
    struct world_rm *r;

    world_put(w, "/creel", "", 0);
    world_put(w, ROOT, root_data, 0);
    r = started(w, 0, "rm1");
    TOLD(r, "refused\n");
    STATE(r, "refused");
    CU_ASSERT_EQUAL(r->refusal.code, code);
    expect_text(r->refusal.text, text, __FILE__, __LINE__);
    CU_ASSERT_EQUAL(ha_election_next_timer_us(r->e), INT64_MAX);
    quiet(r);
    world_disconnect(r, 0);
    world_connect(r);
    world_run(w);
    world_pass(w, 60000000);
    SENT(r, ""); /* the refusal is for good */
    TOLD(r, "");
    done(w);
}

static void test_root_refused(void)
{
    refused_as("creel 2 blue\n", -BASE_EVERSION,
               "/creel/blue in ZooKeeper has format 2, written by a newer Creel; this one knows "
               "formats up to 1");
    refused_as("creel 1 green\n", -BASE_EINVAL,
               "/creel/blue in ZooKeeper belongs to cluster \"green\", this ResourceManager to "
               "cluster \"blue\" "
               "(yarn.resourcemanager.cluster-id)");
    refused_as("creel 1 blues\n", -BASE_EINVAL,
               "/creel/blue in ZooKeeper belongs to cluster \"blues\", this ResourceManager to "
               "cluster \"blue\" "
               "(yarn.resourcemanager.cluster-id)");
    refused_as("creel 1 blu\n", -BASE_EINVAL,
               "/creel/blue in ZooKeeper belongs to cluster \"blu\", this ResourceManager to "
               "cluster \"blue\" "
               "(yarn.resourcemanager.cluster-id)");
    refused_as("kafka", -BASE_EINVAL,
               "/creel/blue in ZooKeeper is not a root of Creel: it holds \"kafka\", expected "
               "\"creel 1 blue\"; "
               "set creel.ha.zk-root to a path that is free");
    refused_as("creel x blue\n", -BASE_EINVAL,
               "/creel/blue in ZooKeeper is not a root of Creel: it holds \"creel x blue\n\", "
               "expected \"creel 1 blue\"; "
               "set creel.ha.zk-root to a path that is free");
    refused_as("", -BASE_EINVAL,
               "/creel/blue in ZooKeeper is not a root of Creel: it holds \"\", expected \"creel 1 "
               "blue\"; "
               "set creel.ha.zk-root to a path that is free");
}

static void test_root_not_ours_to_use(void)
{
    struct world *w = world_new(1);
    struct world_rm *r;

    world_put(w, "/creel", "", 0);
    world_put(w, ROOT, "creel 1 blue\n", 0)->denied = true;
    r = started(w, 0, "rm1");
    TOLD(r, "refused\n");
    CU_ASSERT_EQUAL(r->refusal.code, -BASE_EPERM);
    expect_text(r->refusal.text,
                "ZooKeeper does not let us use /creel/blue (not authenticated): we authenticate as "
                "digest user "
                "creel; compare hadoop.zk.auth or creel.zk.secret-file of this cluster's "
                "ResourceManagers with the node's "
                "ACL (zkCli.sh getAcl /creel/blue)",
                __FILE__, __LINE__);
    done(w);
    w = world_new(1);
    world_put(w, "/creel", "", 0)->denied = true; /* made by another cluster */
    r = started(w, 0, "rm1");
    TOLD(r, "refused\n");
    CU_ASSERT_EQUAL(r->refusal.code, -BASE_EPERM);
    /* the text says whose ACL it is */
    CU_ASSERT_PTR_NOT_NULL(strstr(r->refusal.text, "use /creel ("));
    done(w);
    w = world_new(1);
    world_put(w, "/creel", "", 0);
    world_node(w, "/")->denied = true; /* "/" is not ours, but nothing is asked of it */
    r = started(w, 0, "rm1");
    TOLD(r, "elected 0 v1\nactive rm1\n");
    done(w);
}

static void test_root_made_by_two(void)
{
    struct world *w = world_new(1);
    struct world_rm *a = world_start(w, 0, "rm1", "a", false),
                    *b = world_start(w, 1, "rm2", "b", false);

    world_connect(a);
    world_connect(b);
    for (int i = 0; i < 200; i++) { /* step by step, in turn */
        world_deliver(a);
        world_deliver(b);
        world_carry_out(a);
        world_carry_out(b);
    }
    STATE(a, "leading");
    STATE(b, "waiting");
    TOLD(b, "active rm1\n");
    DATA(w, ROOT "/epoch", "0 rm1 0000000000000010\n");
    done(w);
}

static void test_parts_made_again(void)
{
    struct world *w = world_new(1);
    struct world_rm *r;

    world_put(w, "/creel", "", 0);
    world_put(w, ROOT, "creel 1 blue\n", 0);
    world_put(w, ROOT "/log", "", 0);
    r = started(w, 0, "rm1");
    CU_ASSERT_PTR_NOT_NULL(strstr(r->sent.data,
                                  "multi create /creel/blue/epoch '-1 - 0000000000000000\n', "
                                  "create /creel/blue/election\n"));
    TOLD(r, "elected 0 v1\nactive rm1\n");
    CU_ASSERT_EQUAL(r->notes_n, 1); /* epochs begin again */
    done(w);
}

static void test_epoch_damaged(void)
{
    static const char *const bad[] = {"",
                                      "x",
                                      "1",
                                      "1 rm1",
                                      "-2 rm1 0000000000000010\n",
                                      "1 rm1 10\n",
                                      "1 rm1 000000000000001G\n",
                                      "1 rm1 0000000000000010 ",
                                      "8388608 rm1 0000000000000010\n",
                                      "1  0000000000000010\n",
                                      "9223372036854775807 rm1 0000000000000010\n"};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct world *w = world_new(1);
        struct world_rm *r;

        world_put(w, "/creel", "", 0);
        world_put(w, ROOT, "creel 1 blue\n", 0);
        world_put(w, ROOT "/epoch", bad[i], 0);
        r = started(w, 0, "rm1");
        TOLD(r, "refused\n");
        CU_ASSERT_EQUAL(r->refusal.code, -BASE_ECORRUPT);
        CU_ASSERT_PTR_NOT_NULL(strstr(r->refusal.text, "/creel/blue/epoch in ZooKeeper holds \""));
        CU_ASSERT_PTR_NOT_NULL(strstr(r->refusal.text, bad[i]));
        CU_ASSERT_PTR_NOT_NULL(
            strstr(r->refusal.text, "zkCli.sh set /creel/blue/epoch \"<epoch> repaired"));
        done(w);
    }
}

/* ---- own node and stale nodes ---- */

static void join_lost(size_t carried_out)
{
    struct world *w = world_new(1);
    struct world_rm *r = world_start(w, 0, "rm1", "a", false);

    world_connect(r);
    run_until(w, r, JOIN_REQUEST);
    STATE(r, "joining");
    world_disconnect(r, carried_out);
    world_run(w);
    STATE(r, "offline");
    CU_ASSERT_EQUAL(world_election_nodes(w, r->session), carried_out);
    quiet(r);
    world_connect(r);
    world_run(w);
    CU_ASSERT_EQUAL(world_election_nodes(w, r->session), 1);
    CU_ASSERT_EQUAL(strstr(r->sent.data, JOIN_REQUEST) == NULL, carried_out == 1);
    TOLD(r, "elected 0 v1\nactive rm1\n");
    done(w);
}

static void test_join_lost(void)
{
    join_lost(0);
    join_lost(1);
}

static void test_made_twice(void)
{
    struct world *w = world_new(1);
    struct world_rm *r = world_start(w, 0, "rm1", "a", false);

    world_connect(r);
    run_until(w, r, JOIN_REQUEST);
    world_put(w, NODE("rm1", "10", "0"), "a", 0x10);
    world_put(w, NODE("rm1", "10", "3"), "a", 0x10);
    world_run(w);
    CU_ASSERT_PTR_NOT_NULL(world_node(w, NODE("rm1", "10", "0")));
    CU_ASSERT_EQUAL(world_election_nodes(w, 0), 1);
    TOLD(r, "elected 0 v1\nactive rm1\n");
    done(w);
}

/* ---- a stale node in front of ours ---- */

static void test_stranger_of_this_process(void)
{
    struct world_rm *a;
    struct world *w = one(&a);

    world_disconnect(a, 0);
    a->session = 0; /* the client has given its session up; ZooKeeper does not know yet */
    world_connect(a);
    world_run(w);
    TOLD(a, "deposed: the session with ZooKeeper is over\nactive \nelected 1 v2\nactive rm1\n");
    CU_ASSERT_PTR_NOT_NULL(strstr(a->sent.data, "multi delete " NODE("rm1", "10", "0") " v-1\n"));
    CU_ASSERT_EQUAL(world_election_nodes(w, 0), 1);
    CU_ASSERT_EQUAL(world_election_nodes(w, 0x11), 1);
    done(w);
}

static void test_stranger_dead(void)
{
    struct world_rm *a, *again;
    struct world *w = one(&a);

    world_kill(a);
    world_dead(w, a->instance);
    again = started(w, 1, "rm1");
    STATE(again, "leading"); /* at once, though its predecessor's session is still open */
    CU_ASSERT_EQUAL(again->epoch, 1);
    CU_ASSERT(world_session_lives(w, 0x10));
    CU_ASSERT_EQUAL(world_election_nodes(w, 0x10), 0);
    done(w);
}

static void test_stranger_ends(void)
{
    struct world_rm *a, *again;
    struct world *w = one(&a);

    world_kill(a); /* on another host: nothing tells that the process is dead */
    again = started(w, 1, "rm1");
    STATE(again, "joining");
    CU_ASSERT_EQUAL(world_election_nodes(w, again->session), 0);
    CU_ASSERT_STRING_EQUAL(ha_election_active_rm(again->e), "");
    world_pass(w, WORLD_TIMEOUT - 1);
    STATE(again, "joining");
    world_pass(w, 1);
    STATE(again, "leading");
    CU_ASSERT_EQUAL(again->epoch, 1);
    CU_ASSERT_EQUAL(again->notes_n, 1);
    done(w);
}

static void test_stranger_lives(void)
{
    struct world_rm *a, *twin;
    struct world *w = one(&a);

    twin = started(w, 1, "rm1");
    world_pass(w, 2 * WORLD_TIMEOUT - 1);
    TOLD(twin, "");
    STATE(a, "leading");
    quiet(a);
    world_pass(w, 1);
    TOLD(twin, "refused\n");
    CU_ASSERT_EQUAL(twin->refusal.code, -BASE_EEXIST);
    expect_text(
        twin->refusal.text,
        "rm-id rm1 is used by rm1@host:0, whose election node " NODE(
            "rm1", "10",
            "0") " is still there after 2400 ms; every ResourceManager needs an id of its own "
                 "(yarn.resourcemanager.ha.id)",
        __FILE__, __LINE__);
    TOLD(a, "");
    done(w);
}

/* A process that stood still looks at an answer only long after the stale node's owner has ended:
 * such an answer does not prove that the owner lives. */
static void test_stranger_of_long_ago(void)
{
    struct world_rm *a, *again;
    struct world *w = one(&a);

    world_kill(a);
    again = started(w, 1, "rm1");
    w->now_us += WORLD_TIMEOUT / 4;
    world_tick(again);
    run_until(w, again, "get " NODE("rm1", "10", "0"));
    world_carry_out(again);
    w->now_us += 10 * WORLD_TIMEOUT;
    world_heard(w, again->session, w->now_us);
    world_expire(w);
    while (world_deliver(again))
        ;
    TOLD(again, "");
    world_run(w);
    STATE(again, "leading");
    done(w);
}

/* ZooKeeper was away for long: sessions begin their time anew, and so does our wait for the stale
 * node. */
static void test_patience_begins_anew(void)
{
    struct world_rm *a, *again;
    struct world *w = one(&a);

    world_kill(a);
    again = started(w, 1, "rm1");
    world_pass(w, WORLD_TIMEOUT / 2);
    world_disconnect(again, 0);
    w->now_us += 10 * WORLD_TIMEOUT;
    w->sessions[0].heard_us = w->sessions[1].heard_us = w->now_us;
    world_connect(again);
    world_run(w);
    STATE(again, "joining");
    world_pass(w, WORLD_TIMEOUT);
    STATE(again, "leading");
    done(w);
}

/* Two processes with one rm-id list the nodes before either has made its own: the process whose
 * node is behind is refused, and removes its node. */
static void test_twins(void)
{
    struct world *w = world_new(1);
    struct world_rm *a = world_start(w, 0, "rm1", "a", false),
                    *b = world_start(w, 1, "rm1", "b", false);

    world_connect(a);
    world_connect(b);
    run_until(w, a, JOIN_REQUEST);
    run_until(w, b, JOIN_REQUEST);
    world_run(w);
    STATE(a, "leading");
    STATE(b, "joining");
    CU_ASSERT_EQUAL(world_election_nodes(w, 0), 2);
    world_pass(w, 2 * WORLD_TIMEOUT);
    STATE(b, "refused");
    STATE(a, "leading");
    CU_ASSERT_EQUAL(world_election_nodes(w, 0), 1);
    done(w);
}

/* A node whose name has our session but which another session owns is stale. */
static void test_only_the_owner_counts(void)
{
    struct world *w = world_new(1);
    struct world_rm *r = world_start(w, 0, "rm1", "a", false);

    world_connect(r);
    run_until(w, r, JOIN_REQUEST);
    world_put(w, NODE("rm1", "10", "0"), "somebody", 0x99);
    world_run(w);
    STATE(r, "joining");
    TOLD(r, "");
    world_remove(w, NODE("rm1", "10", "0"));
    world_run(w);
    STATE(r, "leading");
    done(w);
}

static void test_odd_names(void)
{
    struct world *w = world_new(1);
    struct world_rm *a = started(w, 0, "rm1"), *b;

    world_put(w, ROOT "/election/lock", "", 0);
    world_put(w, ROOT "/election/rm0~12~0000000000", "", 0);
    world_put(w, ROOT "/election/rm0~0000000000000010~000000000x", "", 0);
    b = started(w, 1, "rm2");
    STATE(a, "leading");
    STATE(b, "waiting");
    CU_ASSERT_EQUAL(a->notes_n, 1);
    CU_ASSERT_EQUAL(b->notes_n, 1);
    CU_ASSERT_STRING_EQUAL(ha_election_active_rm(b->e), "rm1");
    done(w);
}

static void test_many_of_ours(void)
{
    struct world *w = world_new(1);
    struct world_rm *r = world_start(w, 0, "rm1", "a", false);
    char path[128];

    world_connect(r);
    run_until(w, r, JOIN_REQUEST);
    for (int i = 99; i >= 0; i--) {
        snprintf(path, sizeof path, ROOT "/election/rm1~00000000000000ff~%010d", i);
        world_put(w, path, "a", 0xff);
    }
    world_run(w);
    STATE(r, "leading"); /* all stale nodes were left by this process */
    CU_ASSERT_EQUAL(world_election_nodes(w, 0), 1);
    CU_ASSERT(r->notes_n > 100);
    done(w);
}

/* ---- everything that can be lost ---- */

/* A life with a start, renewals and resignations, in which the @at-th request is answered with
 * @code. */
static bool live(struct world *w, struct world_rm *r, int at, enum ha_zk_code code,
                 bool carried_out)
{
    int64_t resign_us = w->now_us + WORLD_TIMEOUT, end_us = w->now_us + 2 * WORLD_TIMEOUT;

    w->fault_at = at;
    w->fault_code = code;
    w->fault_done = carried_out;
    while (w->fault_at && w->now_us < end_us) {
        if (world_carry_out(r) || world_deliver(r))
            continue;
        world_pass(w, RENEW / 4);
        if (w->now_us >= resign_us)
            ha_election_resign(r->e, RENEW, w->now_us);
    }
    if (!w->fault_at)
        return true;
    w->fault_at = 0;
    return false;
}

/* Lives such a life; then nothing goes wrong any more, and one of two RMs has to lead. Returns
 * false when there was no @at-th request. */
static bool sweep_once(int at, enum ha_zk_code code, bool carried_out, bool connection)
{
    struct world *w = world_new(1);
    struct world_rm *r = world_start(w, 0, "rm1", "a", false), *b;
    bool hit, first;

    world_connect(r);
    hit = live(w, r, at, code, carried_out);
    if (connection)
        world_disconnect(r, 0);
    world_run(w);
    world_connect(r);
    world_run(w);
    b = started(w, 1, "rm2");
    world_pass(w, 3 * WORLD_TIMEOUT);
    first = ha_election_get_state(r->e) == HA_LEADING;
    STATE(r, first ? "leading" : "waiting");
    STATE(b, first ? "waiting" : "leading");
    CU_ASSERT_STRING_EQUAL(ha_election_active_rm(r->e), first ? "rm1" : "rm2");
    CU_ASSERT_STRING_EQUAL(ha_election_active_rm(b->e), first ? "rm1" : "rm2");
    CU_ASSERT_EQUAL(world_election_nodes(w, r->session), 1);
    CU_ASSERT_EQUAL(world_election_nodes(w, 0), 2);
    CU_ASSERT_EQUAL(r->elected_n, r->deposed_n + first);
    CU_ASSERT_EQUAL(r->refused_n, 0);
    if (w->broken[0])
        fprintf(stderr, "request %d answered %s, carried out %d, connection lost %d: %s\n", at,
                ha_zk_code_name(code), carried_out, connection, w->broken);
    done(w);
    return hit;
}

static void test_sweep(void)
{
    static const enum ha_zk_code codes[] = {HA_ZK_LOSS, HA_ZK_FAILED, HA_ZK_EXPIRED};

    for (size_t c = 0; c < sizeof codes / sizeof *codes; c++)
        for (int how = 0; how < 4; how++) {
            int at = 1;

            while (sweep_once(at, codes[c], how & 1, how & 2))
                at++;
            CU_ASSERT(at > 40); /* a start, renewals, resignations, and claiming again */
        }
}

/* Each request in turn, but for syncs, is refused by an ACL: the RM cannot take part, and when it
 * has ended another RM leads. */
static void test_sweep_rights(void)
{
    int at = 1, refused = 0;
    bool hit = true;

    for (; hit; at++) {
        struct world *w = world_new(1);
        struct world_rm *r = world_start(w, 0, "rm1", "a", false), *b;

        world_connect(r);
        hit = live(w, r, at, HA_ZK_NOAUTH, false);
        world_run(w);
        refused += r->refused_n;
        if (r->refused_n) {
            STATE(r, "refused");
            CU_ASSERT_EQUAL(r->refusal.code, -BASE_EPERM);
            CU_ASSERT_EQUAL(r->elected_n, r->deposed_n);
        }
        CU_ASSERT(r->refused_n <= 1);
        b = started(w, 1, "rm2");
        world_kill(r);
        world_pass(w, WORLD_TIMEOUT);
        STATE(b, "leading");
        done(w);
    }
    CU_ASSERT(at > 40);
    CU_ASSERT(refused >= at - 6); /* all but those whose answers nobody waits for any more */
}

/* Requests that fail are repeated, less and less often, and reported once in 30 s. */
static void test_back_off(void)
{
    struct world *w = world_new(1);
    struct world_rm *r = world_start(w, 0, "rm1", "a", false);
    int64_t end = w->now_us + 29000000;
    int n = 0;

    world_connect(r);
    w->fault_code = HA_ZK_FAILED;
    w->fault_at = 1;
    while (w->now_us < end) {
        n += w->fault_at == 0;
        w->fault_at = 1;
        world_pass(w, 10000);
    }
    CU_ASSERT_EQUAL(n, 23); /* 50, 100, 200, 400, 800 ms, then every 1.6 s */
    CU_ASSERT_EQUAL(r->notes_n, 1);
    w->fault_at = 0;
    world_pass(w, 2000000);
    STATE(r, "leading");
    done(w);
}

/* Whichever request of a start fails, it is repeated by itself, on the same connection, and soon.
 * When the answer to a claim was lost, the epoch that the claim has taken is used once: the next
 * leadership takes an epoch of its own. */
static bool comes_again(int at, enum ha_zk_code code, bool carried_out)
{
    struct world *w = world_new(1);
    struct world_rm *r = world_start(w, 0, "rm1", "a", false);
    int64_t epoch;
    bool hit;

    w->fault_code = code;
    w->fault_done = carried_out;
    w->fault_at = at;
    world_connect(r);
    world_run(w);
    hit = !w->fault_at;
    w->fault_at = 0;
    world_pass(w, 60000); /* 50 ms, the first time */
    STATE(r, "leading");
    CU_ASSERT_EQUAL(r->elected_n, 1);
    CU_ASSERT_EQUAL(world_election_nodes(w, r->session), 1);
    epoch = r->epoch;
    ha_election_on_fenced_write(r->e, w->now_us);
    CU_ASSERT_EQUAL(r->deposed_n, 1);
    world_run(w);
    STATE(r, "leading");
    CU_ASSERT_EQUAL(r->epoch, epoch + 1);
    done(w);
    return hit;
}

static void test_comes_again(void)
{
    /* the last code: as if a part of the root had been deleted */
    static const enum ha_zk_code codes[] = {HA_ZK_FAILED, HA_ZK_LOSS, HA_ZK_NONODE};

    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        int at = 1;

        while (comes_again(at, codes[i], codes[i] == HA_ZK_LOSS))
            at++;
        CU_ASSERT(at > 8);
    }
}

/* The answer to a renewal of a leadership that has ended says nothing about the next leadership. */
static void test_late_renewal(void)
{
    struct world_rm *a;
    struct world *w = one(&a);
    struct ha_zk_event ev = {.kind = HA_ZK_RESULT, .code = HA_ZK_BADVERSION};

    a->up = false;
    for (int i = 0; i < 100 && a->asked_n == 0; i++)
        world_pass(w, WORLD_TIMEOUT / 60);
    CU_ASSERT_EQUAL_FATAL(a->asked_n, 1);
    ev.id = a->asked[0].rq.id;
    ev.sent_us = a->asked[0].sent_us;
    ha_election_on_fenced_write(a->e, w->now_us);
    CU_ASSERT_EQUAL(a->deposed_n, 1);
    quiet(a);
    ha_election_on_event(a->e, &ev, w->now_us);
    SENT(a, "");
    TOLD(a, "");
    a->up = true;
    world_run(w);
    STATE(a, "leading");
    CU_ASSERT_EQUAL(a->elected_n, 2);
    done(w);
}

/* Answers to requests that are not under way, such as earlier ones and those of others, change
 * nothing. */
static void test_foreign_answers(void)
{
    struct world_rm *a;
    struct world *w = one(&a);
    const char *children[] = {"rm0~0000000000000001~0000000000"};

    for (uint64_t id = 0; id < 200; id++) {
        const struct ha_zk_event ev = {.kind = HA_ZK_RESULT,
                                       .id = id,
                                       .code = (enum ha_zk_code)(id % (HA_ZK_FAILED + 1)),
                                       .data = "",
                                       .children = children,
                                       .children_n = 1,
                                       .sent_us = w->now_us + 1000000};
        ha_election_on_event(a->e, &ev, w->now_us);
    }
    SENT(a, "");
    TOLD(a, "");
    CU_ASSERT_EQUAL(ha_election_lease_end_us(a->e), w->now_us + LEASE);
    done(w);
}

/* Many nodes come: each RM sees each change with two reads, and no watch is set twice. */
static void test_watches(void)
{
    struct world_rm *a, *b;
    struct world *w = two(&a, &b);
    char path[128];

    for (int i = 0; i < 100; i++) {
        snprintf(path, sizeof path, ROOT "/election/rm9~00000000000000ff~%010d", 1000 + i);
        world_put(w, path, "x", 0xff);
        world_run(w);
        SENT(a, "children /creel/blue/election watch\nget /creel/blue/epoch watch\n");
        SENT(b, "children /creel/blue/election watch\nget /creel/blue/epoch watch\n");
    }
    TOLD(a, "");
    TOLD(b, "");
    done(w);
}

static const struct cunit_case cases[] = {
    {"names", test_names},
    {"a first start makes the root and leads", test_first_start},
    {"another's root is refused", test_root_refused},
    {"a root that we may not use", test_root_not_ours_to_use},
    {"two make the root at once", test_root_made_by_two},
    {"missing parts are made again", test_parts_made_again},
    {"a damaged epoch is refused", test_epoch_damaged},
    {"our node's creation is lost", test_join_lost},
    {"our node made twice", test_made_twice},
    {"a stranger of this process goes", test_stranger_of_this_process},
    {"a dead process's node goes", test_stranger_dead},
    {"a stranger's session ends", test_stranger_ends},
    {"a live stranger: refused by name", test_stranger_lives},
    {"a stranger of long ago", test_stranger_of_long_ago},
    {"patience begins anew with a connection", test_patience_begins_anew},
    {"twins", test_twins},
    {"only the owner counts", test_only_the_owner_counts},
    {"odd names", test_odd_names},
    {"many nodes of ours", test_many_of_ours},
    {"each request fails in turn", test_sweep},
    {"each request comes again", test_comes_again},
    {"a renewal's answer comes late", test_late_renewal},
    {"each request is refused in turn", test_sweep_rights},
    {"back-off", test_back_off},
    {"foreign answers", test_foreign_answers},
    {"watches", test_watches},
};

CUNIT_MAIN("ha_election", cases)
