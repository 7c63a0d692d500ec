/* Goal: whatever happens to connections, sessions and processes, and in whatever order, no two
 * ResourceManagers have authority, no two believe at one moment that they lead, and when the faults
 * are over one leads and all know which. Method: two or three machines over the ZooKeeper in
 * memory, driven by seed: requests and answers late, connections cut before and after what was sent
 * is carried out, networks that swallow, processes that stand still or are killed, resignations,
 * outages of ZooKeeper, single answers lost. Sessions end exactly one time-out after the sending of
 * what ZooKeeper heard last: as early as they ever may.
 * usage: test_ha_election_random [SEED [COUNT]] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/ha_election_expect.h"

#define STEPS  400
#define WRITES 32

struct fate { /* of one process */
    int64_t frozen_until, swallow_until, slow_until, reconnect_us, revive_us, last_heard_us,
        ping_us;
};
struct write { /* of the log: checked with the version of a leadership */
    struct world_rm *r;
    int64_t epoch, sent_us, due_us;
    int32_t version;
    bool set;
};
struct play {
    struct world *w;
    size_t rms;
    bool lease_off;
    struct fate fate[WORLD_RMS];
    struct write writes[WRITES];
    int64_t outage_until;
    int lives;
};
static struct {
    long elected, kills, lost, frozen, resigned, written, fenced, deposed;
} total;

static bool chance(struct play *p, uint64_t one_in)
{
    return world_random(p->w, one_in) == 0;
}

static int64_t up_to(struct play *p, int64_t us)
{
    return (int64_t)world_random(p->w, (uint64_t)us);
}

static void begin_life(struct play *p, size_t i)
{
    char rm_id[8], instance[32];

    snprintf(rm_id, sizeof rm_id, "rm%d", (int)(i % 9) + 1);
    snprintf(instance, sizeof instance, "%s life %d", rm_id, ++p->lives);
    world_start(p->w, i, rm_id, instance, p->lease_off);
    p->fate[i] = (struct fate){.reconnect_us = p->w->now_us + up_to(p, 50000)};
}

/* ---- invariants ---- */

static void check(struct play *p)
{
    struct world *w = p->w;
    struct world_node *epoch = world_node(w, WORLD_ROOT "/epoch");
    struct world_rm *authority = NULL, *believer = NULL;
    char names[64];

    for (size_t i = 0; i < p->rms; i++) {
        struct world_rm *r = &w->rms[i];

        if (!r->e)
            continue;
        if (r->refused_n)
            world_broken(w, "%s was refused: %s", r->id, r->refusal.text);
        if (r->leading != (ha_election_get_state(r->e) == HA_LEADING))
            world_broken(w, "%s: callbacks and state differ", r->id);
        if (!r->leading && strcmp(ha_election_active_rm(r->e), r->id) == 0)
            world_broken(w, "%s calls itself active without leading", r->id);
        if (r->leading && r->version == epoch->version) {
            if (authority)
                world_broken(w, "%s and %s have authority", r->id, authority->id);
            authority = r;
            snprintf(names, sizeof names, "%lld %s ", (long long)r->epoch, r->id);
            if (strncmp(epoch->data, names, strlen(names)) != 0)
                world_broken(w, "%s leads with epoch %lld, written is %s", r->id,
                             (long long)r->epoch, epoch->data);
        }
        if (r->leading && !p->lease_off && w->now_us < ha_election_lease_end_us(r->e)) {
            if (believer)
                world_broken(w, "%s and %s believe to lead", r->id, believer->id);
            believer = r;
        }
    }
}

/* ---- the log's writes ---- */

static void write_something(struct play *p, struct world_rm *r)
{
    for (size_t i = 0; i < WRITES; i++)
        if (!p->writes[i].set) {
            p->writes[i] = (struct write){.r = r,
                                          .epoch = r->epoch,
                                          .sent_us = p->w->now_us,
                                          .version = r->version,
                                          .due_us = p->w->now_us + up_to(p, 2 * WORLD_TIMEOUT),
                                          .set = true};
            if (!chance(p, 3))
                p->writes[i].due_us = p->w->now_us + up_to(p, 40000);
            return;
        }
}

static void carry_out_write(struct play *p, struct write *v)
{
    struct world_node *epoch = world_node(p->w, WORLD_ROOT "/epoch");
    struct world_rm *r = v->r;
    bool same = r->e && r->leading && r->version == v->version && r->epoch == v->epoch;
    char names[64];

    v->set = false;
    if (epoch->version == v->version) {
        total.written++;
        snprintf(names, sizeof names, "%lld %s ", (long long)v->epoch, r->id);
        if (strncmp(epoch->data, names, strlen(names)) != 0)
            world_broken(p->w, "a write of %s under epoch %lld was let in: %s", r->id,
                         (long long)v->epoch, epoch->data);
        if (same && r->connected && r->knows && world_session_lives(p->w, r->session)) {
            world_heard(p->w, r->session, v->sent_us);
            world_tick(r); /* what comes after the end of the lease does not lengthen it */
            ha_election_extend_lease(r->e, v->sent_us);
        }
    } else if (same && p->w->now_us >= p->fate[r - p->w->rms].frozen_until) {
        total.fenced++;
        ha_election_on_fenced_write(r->e, p->w->now_us);
    }
}

/* ---- faults ---- */

static void cut(struct play *p, size_t i)
{
    struct world_rm *r = &p->w->rms[i];

    p->w->losses_last = chance(p, 2);
    if (chance(p, 2))
        world_disconnect(r, (size_t)up_to(p, (int64_t)r->asked_n + 1));
    else
        world_disconnect_late(r, (size_t)up_to(p, (int64_t)r->asked_n + 1));
    p->fate[i].reconnect_us = p->w->now_us + up_to(p, chance(p, 3) ? 2 * WORLD_TIMEOUT : 60000);
    total.lost++;
}

/* Nothing gets through to ZooKeeper; what it has answered before still comes. */
static void swallow(struct play *p, size_t i)
{
    p->fate[i].swallow_until = p->w->now_us + up_to(p, 2 * WORLD_TIMEOUT);
    p->fate[i].last_heard_us = p->w->now_us;
    p->w->rms[i].up = false;
}

static void fault(struct play *p, size_t i)
{
    struct world_rm *r = &p->w->rms[i];
    struct fate *f = &p->fate[i];
    int64_t now = p->w->now_us;

    switch (world_random(p->w, 9)) {
    case 0:
    case 1:
        cut(p, i);
        break;
    case 2:
        swallow(p, i);
        break;
    case 3:
        f->frozen_until = now + up_to(p, chance(p, 2) ? WORLD_TIMEOUT : 3 * WORLD_TIMEOUT);
        total.frozen++;
        if (chance(p, 2))
            swallow(p, i);
        break;
    case 4:
        if (chance(p, 2) && r->connected)
            world_disconnect_late(r, r->asked_n);
        if (chance(p, 2))
            world_dead(p->w, r->instance);
        world_kill(r);
        f->revive_us = now + up_to(p, WORLD_TIMEOUT);
        total.kills++;
        break;
    case 5:
        total.resigned += r->leading;
        ha_election_resign(r->e, up_to(p, 2 * WORLD_TIMEOUT), now);
        break;
    case 6:
        p->w->fault_at = 1 + (int)up_to(p, 4);
        p->w->fault_code = chance(p, 4) ? HA_ZK_FAILED : HA_ZK_LOSS;
        p->w->fault_done = chance(p, 2);
        break;
    case 7:
        f->slow_until = now + up_to(p, 2 * WORLD_TIMEOUT);
        break;
    default:
        ha_election_raise_min_epoch(r->e, up_to(p, 100));
    }
}

static void outage(struct play *p)
{
    for (size_t i = 0; i < p->rms; i++)
        if (p->w->rms[i].e) {
            cut(p, i);
            p->fate[i].reconnect_us += p->outage_until - p->w->now_us;
        }
}

/* ---- one machine's turn ---- */

static void connection(struct play *p, size_t i)
{
    struct world *w = p->w;
    struct world_rm *r = &w->rms[i];
    struct fate *f = &p->fate[i];

    if (!r->up && w->now_us >= f->swallow_until)
        r->up = true;
    if (r->connected && !r->up && w->now_us >= f->last_heard_us + WORLD_TIMEOUT * 2 / 3)
        cut(p, i); /* as libzookeeper does */
    if (r->connected && r->up && !world_session_lives(w, r->session)) {
        world_disconnect(r, 0);
        f->reconnect_us = w->now_us + up_to(p, 20000);
    }
    if (!r->connected && w->now_us >= f->reconnect_us && w->now_us >= f->swallow_until &&
        w->now_us >= p->outage_until)
        world_connect(r);
    if (r->connected && r->up && w->now_us >= f->ping_us) {
        world_heard(w, r->session, w->now_us);
        f->ping_us = w->now_us + WORLD_TIMEOUT / 3;
    }
}

static void turn(struct play *p, size_t i)
{
    struct world *w = p->w;
    struct world_rm *r = &w->rms[i];
    struct fate *f = &p->fate[i];

    world_orphans_run(r, world_random(w, 2));
    if (!r->e) {
        if (w->now_us >= f->revive_us)
            begin_life(p, i);
        return;
    }
    if (w->now_us >= f->slow_until || chance(p, 8))
        for (uint64_t n = world_random(w, 4); n > 0; n--)
            world_carry_out(r); /* what was sent goes on, whatever the process does */
    if (w->now_us < f->frozen_until)
        return;
    for (uint64_t n = world_random(w, 4); n > 0; n--)
        world_deliver(r); /* answers that came before the process notices anything else */
    connection(p, i);
    for (uint64_t n = world_random(w, 6); n > 0; n--)
        world_deliver(r);
    world_tick(r);
    if (r->leading && chance(p, 4))
        write_something(p, r);
    base_buf_clear(&r->sent);
    base_buf_clear(&r->told);
}

static bool is_claiming(const struct world_rm *r)
{
    return ha_election_get_state(r->e) == HA_CLAIMING;
}

static void step(struct play *p)
{
    struct world *w = p->w;
    size_t first = (size_t)world_random(w, p->rms);

    w->now_us += up_to(p, chance(p, 20) ? WORLD_TIMEOUT / 2 : 25000);
    if (w->now_us >= p->outage_until)
        world_expire(w);
    check(p);
    for (size_t k = 0; k < p->rms; k++) {
        size_t i = (first + k) % p->rms;

        turn(p, i);
        if (w->rms[i].e && w->now_us >= p->fate[i].frozen_until &&
            chance(p, is_claiming(&w->rms[i]) ? 4 : 40))
            fault(p, i);
        check(p);
    }
    for (size_t i = 0; i < WRITES; i++)
        if (p->writes[i].set && w->now_us >= p->writes[i].due_us)
            carry_out_write(p, &p->writes[i]);
    if (w->now_us >= p->outage_until && chance(p, 300)) {
        p->outage_until = w->now_us + up_to(p, 3 * WORLD_TIMEOUT);
        outage(p);
        /* when ZooKeeper is back, sessions begin their time anew */
        for (size_t i = 0; i < w->sessions_n; i++)
            w->sessions[i].heard_us = p->outage_until;
    }
    check(p);
}

/* ---- afterwards ---- */

static void settle(struct play *p)
{
    struct world *w = p->w;
    struct world_rm *leader = NULL;

    w->fault_at = 0;
    w->now_us += p->outage_until > w->now_us ? p->outage_until - w->now_us : 0;
    for (size_t i = 0; i < p->rms; i++) {
        if (!w->rms[i].e)
            begin_life(p, i);
        w->rms[i].up = true;
        if (w->rms[i].connected && !world_session_lives(w, w->rms[i].session))
            world_disconnect(&w->rms[i], 0);
        world_connect(&w->rms[i]);
    }
    world_run(w);
    world_pass(w, 6 * WORLD_TIMEOUT);
    check(p);
    for (size_t i = 0; i < p->rms; i++)
        if (w->rms[i].leading)
            leader = &w->rms[i];
    if (!leader) {
        world_broken(w, "nobody leads");
        return;
    }
    for (size_t i = 0; i < p->rms; i++) {
        struct world_rm *r = &w->rms[i];

        if (r != leader && ha_election_get_state(r->e) != HA_WAITING)
            world_broken(w, "%s is %s", r->id, election_state_name(ha_election_get_state(r->e)));
        /* without a lease the leader may have claimed in an earlier session */
        if (!p->lease_off && strcmp(ha_election_active_rm(r->e), leader->id) != 0)
            world_broken(w, "%s takes \"%s\" for active, %s is", r->id, ha_election_active_rm(r->e),
                         leader->id);
        if (world_election_nodes(w, r->session) != 1)
            world_broken(w, "%s has %zu election nodes", r->id,
                         world_election_nodes(w, r->session));
        if (r->asked_n || r->answers_n)
            world_broken(w, "%s is not at rest", r->id);
    }
    if (world_election_nodes(w, 0) != p->rms)
        world_broken(w, "%zu election nodes of %zu", world_election_nodes(w, 0), p->rms);
    if (leader->version != world_node(w, WORLD_ROOT "/epoch")->version)
        world_broken(w, "%s leads without authority", leader->id);
}

static bool run_seed(uint64_t seed)
{
    struct play p = {.w = world_new(seed)};
    bool fine;

    p.rms = 2 + world_random(p.w, 2);
    p.lease_off = world_random(p.w, 8) == 0;
    for (size_t i = 0; i < p.rms; i++)
        begin_life(&p, i);
    world_connect(&p.w->rms[0]);
    world_run(p.w); /* the root is made */
    for (int i = 0; i < STEPS && !p.w->broken[0]; i++)
        step(&p);
    if (!p.w->broken[0])
        settle(&p);
    fine = !p.w->broken[0];
    if (!fine)
        fprintf(stderr, "seed %llu, at %lld us: %s\n", (unsigned long long)seed,
                (long long)p.w->now_us, p.w->broken);
    for (size_t i = 0; i < p.rms; i++) {
        total.elected += p.w->rms[i].elected_n;
        total.deposed += p.w->rms[i].deposed_n;
    }
    world_free(p.w);
    return fine;
}

static uint64_t seed_from = 1, seed_count = 1500;

static void test_random(void)
{
    int bad = 0;

    for (uint64_t s = 0; s < seed_count && bad < 10; s++)
        bad += !run_seed(seed_from + s);
    CU_ASSERT_EQUAL(bad, 0);
    printf("%llu schedules from seed %llu: elected %ld, deposed %ld, killed %ld, cut %ld, stood "
           "still %ld, resigned %ld, "
           "writes let in %ld, refused %ld ",
           (unsigned long long)seed_count, (unsigned long long)seed_from, total.elected,
           total.deposed, total.kills, total.lost, total.frozen, total.resigned, total.written,
           total.fenced);
    CU_ASSERT(total.elected > (long)seed_count);
    if (seed_count >= 1000)
        CU_ASSERT(total.kills && total.lost && total.frozen && total.resigned && total.written &&
                  total.fenced);
}

static const struct cunit_case cases[] = {{"random schedules", test_random}};

int main(int argc, char **argv)
{
    if (argc > 1)
        seed_from = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        seed_count = strtoull(argv[2], NULL, 10);
    return cunit_main("ha_election_random", cases, 1);
}
