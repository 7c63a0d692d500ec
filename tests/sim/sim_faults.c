/* Faults, drawn by the seed: when, of what kind, where and for how long; and how all of them end.
 */
#include <string.h>

#include "tests/sim/sim_nm.h"
#include "tests/sim/sim_rm.h"

const char *const sim_fault_names[F_KINDS] = {
    [F_RM_KILL] = "RM killed",
    [F_RM_PAUSE] = "RM stopped",
    [F_RM_PAUSE_OUT] = "RM stopped as it speaks",
    [F_RM_RESIGN] = "planned failover",
    [F_RM_NEXT_KILL] = "RM killed as it takes over",
    [F_RM_NEXT_PAUSE] = "RM stopped as it takes over",
    [F_NM_KILL] = "NM killed",
    [F_NM_PAUSE] = "NM stopped",
    [F_NM_LOST] = "node lost for good",
    [F_NM_REBOOT] = "node without power",
    [F_NM_COMMITS] = "node cut off as a task commits",
    [F_CUT_RM_ZK] = "RM-ZK cut",
    [F_CUT_RM_ZK_IN] = "RM-ZK cut, to the RM",
    [F_CUT_RM_ZK_OUT] = "RM-ZK cut, from the RM",
    [F_CUT_RM_NM] = "RM-NM cut",
    [F_CUT_RM_NM_IN] = "RM-NM cut, to the RM",
    [F_CUT_RM_NM_OUT] = "RM-NM cut, from the RM",
    [F_CUT_RM_CLIENT] = "RM-client cut",
    [F_CUT_RM_ALL] = "RM cut off",
    [F_TWO] = "RM-ZK cut, nodes go to and fro",
    [F_SLOW] = "slow link",
    [F_CLOCK] = "clock stepped",
    [F_DISK] = "NM's disk full",
    [F_ZK_KILL] = "ZK server killed",
    [F_ZK_LEADER] = "ZK leader killed",
    [F_ZK_QUORUM] = "ZK quorum lost",
    [F_ZK_ISOLATE] = "ZK server cut off",
    [F_ZK_LAG] = "ZK follower behind",
};
/* How often each is drawn, relative to the others. */
static const int weights[F_KINDS] = {
    [F_RM_KILL] = 10,      [F_RM_PAUSE] = 8,      [F_RM_PAUSE_OUT] = 10, [F_RM_RESIGN] = 5,
    [F_RM_NEXT_KILL] = 6,  [F_RM_NEXT_PAUSE] = 4, [F_NM_KILL] = 8,       [F_NM_PAUSE] = 4,
    [F_NM_LOST] = 2,       [F_NM_REBOOT] = 3,     [F_CUT_RM_ZK] = 5,     [F_CUT_RM_ZK_IN] = 4,
    [F_CUT_RM_ZK_OUT] = 4, [F_CUT_RM_NM] = 5,     [F_CUT_RM_NM_IN] = 3,  [F_CUT_RM_NM_OUT] = 3,
    [F_CUT_RM_CLIENT] = 3, [F_CUT_RM_ALL] = 4,    [F_TWO] = 5,           [F_SLOW] = 4,
    [F_CLOCK] = 4,         [F_DISK] = 3,          [F_ZK_KILL] = 4,       [F_ZK_LEADER] = 4,
    [F_ZK_QUORUM] = 3,     [F_ZK_ISOLATE] = 3,    [F_ZK_LAG] = 4,
};

/* ---------------------------------------------------------------- later */
static void rm_start(void *arg, uint64_t tag)
{
    struct sim_rm *rm = arg;

    (void)tag;
    if (!rm->proc.up)
        sim_rm_start(rm);
}

static void nm_start(void *arg, uint64_t tag)
{
    (void)tag;
    sim_nm_start(arg);
}

static void nm_cont(void *arg, uint64_t tag)
{
    struct sim_nm *nm = arg;

    (void)tag;
    sim_proc_cont(&nm->w->s, &nm->proc);
}

static void disk_free(void *arg, uint64_t tag)
{
    struct sim_nm *nm = arg;

    (void)tag;
    nm->full = false;
}

static void zk_back(void *arg, uint64_t tag)
{
    struct sim_zk *zk = arg;

    if (!zk->v[tag].proc.up)
        sim_zk_start(zk, (int)tag);
    sim_zk_isolate(zk, (int)tag, false);
    sim_zk_lag(zk, (int)tag, 20 * MS);
}

static void healed(void *arg, uint64_t tag)
{
    struct sim_net *n = arg;
    int from = (int)(tag >> 8), to = (int)(tag & 255);

    sim_net_cut(n, from, to, false);
    n->slow_us[from][to] = 0;
}

static void later(struct sim_world *w, int64_t us, sim_fn *fn, void *arg, uint64_t tag)
{
    sim_at(&w->s, w->s.now_us + us, NULL, SIM_SERVICE, fn, arg, tag);
}

/* ---------------------------------------------------------------- links */
static void cut(struct sim_world *w, int from, int to, int64_t us)
{
    sim_net_cut(&w->net, from, to, true);
    later(w, us, healed, &w->net, (uint64_t)from << 8 | (unsigned)to);
}

static void cut_between(struct sim_world *w, int a, int from, int n, bool in, bool out, int64_t us)
{
    for (int b = from; b < from + n; b++) {
        if (out)
            cut(w, a, b, us);
        if (in)
            cut(w, b, a, us);
    }
}

/* Cuts the links between @rm and @n hosts. @way: 0 both ways, 1 towards the RM, 2 from it; also the
 * distance of the fault's enum value from that of the fault that cuts both ways. */
static void cut_rm(struct sim_world *w, struct sim_rm *rm, int way, int first, int n, int64_t us)
{
    w->nodes_hurt = w->nodes_hurt || first + n > HOST_NM;
    sim_log(&w->s, "fault: %s: link to hosts %d-%d is cut%s for %.3f s", rm->proc.name, first,
            first + n - 1,
            way == 0   ? ""
            : way == 1 ? " inwards"
                       : " outwards",
            (double)us / 1e6);
    cut_between(w, rm->proc.host, first, n, way != 2, way != 1, us);
}

static int64_t a_while(struct sim_world *w)
{
    return sim_chance(&w->s, 300) ? sim_between(&w->s, 2 * S, 6 * S)
                                  : sim_between(&w->s, 50 * MS, 2 * S);
}

static void slow_link(struct sim_world *w, struct sim_rm *rm)
{
    int other = (int)sim_rnd(&w->s, HOST_CLIENT + 1);
    int64_t us = a_while(w), delay = sim_between(&w->s, 5 * MS, 700 * MS);
    bool out = sim_chance(&w->s, 500);
    int from = out ? rm->proc.host : other, to = out ? other : rm->proc.host;

    sim_log(&w->s, "fault: messages from host %d to %d take %.3f s longer for %.3f s", from, to,
            (double)delay / 1e6, (double)us / 1e6);
    w->nodes_hurt = true;
    w->net.slow_us[from][to] = delay;
    later(w, us, healed, &w->net, (uint64_t)from << 8 | (unsigned)to);
}

/* Cuts most nodes off from @rm for a while, so that they try the other RMs. */
static void nodes_turn_away(struct sim_rm *rm)
{
    for (int i = 0; i < rm->w->nms; i++)
        if (sim_chance(&rm->w->s, 700))
            cut_rm(rm->w, rm, 0, HOST_NM + i, 1, sim_between(&rm->w->s, 900 * MS, 2 * S));
}

static void turn_away(void *arg, uint64_t tag)
{
    struct sim_rm *rm = arg;

    (void)tag;
    if (!rm->w->calm)
        nodes_turn_away(rm);
}

static void turn_back(void *arg, uint64_t tag)
{
    struct sim_world *w = arg;
    struct sim_rm *leader = sim_rm_leader(w);

    (void)tag;
    if (!w->calm && leader)
        nodes_turn_away(leader);
}

/* Cuts @rm off from ZooKeeper but not from its nodes. Later most nodes are cut off from @rm and
 * turn to the next leader; then they are cut off from that one too, and may return to @rm. */
static void two_leaders(struct sim_world *w, struct sim_rm *rm)
{
    cut_rm(w, rm, 0, HOST_ZK, w->zk.n, sim_between(&w->s, 4 * S, 7 * S));
    later(w, w->session_us + sim_between(&w->s, 100 * MS, 800 * MS), turn_away, rm, 0);
    later(w, w->session_us + sim_between(&w->s, 2 * S, 4 * S), turn_back, w, 0);
}

/* ---------------------------------------------------------------- the kinds */
static void rm_kill(struct sim_world *w, struct sim_rm *rm)
{
    sim_rm_kill(rm);
    later(w, sim_between(&w->s, 100 * MS, 4 * S), rm_start, rm, 0);
}

static int64_t standstill(struct sim_world *w)
{
    return sim_chance(&w->s, 300) ? sim_between(&w->s, 50 * MS, w->session_us)
                                  : sim_between(&w->s, w->session_us / 2, 3 * w->session_us);
}

static void nm_lost(struct sim_world *w, struct sim_nm *nm)
{
    int left = 0;

    for (int i = 0; i < w->nms; i++)
        left += !w->nm[i].gone;
    if (left <= 2 || nm->gone)
        return;
    sim_nm_power(nm, true);
    w->totals->faults[F_NM_LOST]++;
}

static void nm_fault(struct sim_world *w, enum sim_fault f, struct sim_nm *nm)
{
    if (nm->gone)
        return;
    w->nodes_hurt = true;
    if (f == F_NM_LOST) {
        nm_lost(w, nm);
        return;
    }
    w->totals->faults[f]++;
    if (f == F_NM_KILL) {
        sim_nm_kill(nm);
        later(w, sim_between(&w->s, 20 * MS, 3 * S), nm_start, nm, 0);
    } else if (f == F_NM_PAUSE) {
        sim_log(&w->s, "fault: %s stands still", nm->proc.name);
        sim_proc_stop(&w->s, &nm->proc);
        later(w, a_while(w), nm_cont, nm, 0);
    } else if (f == F_NM_REBOOT) {
        sim_nm_power(nm, false);
        later(w, sim_between(&w->s, 500 * MS, 5 * S), nm_start, nm, 0);
    } else {
        sim_log(&w->s, "fault: disk of %s is full", nm->proc.name);
        nm->full = nm->was_full = true;
        later(w, a_while(w), disk_free, nm, 0);
    }
}

static void zk_fault(struct sim_world *w, enum sim_fault f)
{
    struct sim_zk *zk = &w->zk;
    int at = (int)sim_rnd(&w->s, (uint64_t)zk->n), n = f == F_ZK_QUORUM ? zk->n / 2 + 1 : 1;
    int64_t us = a_while(w);

    if (f == F_ZK_LEADER && zk->leader >= 0)
        at = zk->leader;
    for (int i = 0; i < n; i++, at = (at + 1) % zk->n) {
        sim_log(&w->s, "fault: zk server %d is %s for %.3f s", at,
                f == F_ZK_LAG       ? "behind"
                : f == F_ZK_ISOLATE ? "cut off"
                                    : "down",
                (double)us / 1e6);
        if (f == F_ZK_LAG)
            sim_zk_lag(zk, at, sim_between(&w->s, 100 * MS, 2 * S));
        else if (f == F_ZK_ISOLATE || (f == F_ZK_QUORUM && sim_chance(&w->s, 500)))
            sim_zk_isolate(zk, at, true);
        else if (zk->v[at].proc.up)
            sim_zk_kill(zk, at);
        later(w, us, zk_back, zk, (uint64_t)at);
    }
}

static void clock_step(struct sim_world *w, struct sim_rm *rm)
{
    int64_t by = sim_between(&w->s, 1, 3600) * S;

    rm->wall_us += sim_chance(&w->s, 500) ? by : -by;
    sim_log(&w->s, "fault: the clock of %s is stepped", rm->proc.name);
}

static void rm_fault(struct sim_world *w, enum sim_fault f, struct sim_rm *rm)
{
    switch (f) {
    case F_RM_KILL:
        rm_kill(w, rm);
        break;
    case F_RM_PAUSE:
        sim_rm_pause(rm, standstill(w));
        break;
    case F_RM_PAUSE_OUT:
        rm->pause_at_output = rm->proc.up;
        rm->pause_us = w->session_us + sim_between(&w->s, 200 * MS, 2 * w->session_us);
        break;
    case F_RM_RESIGN:
        sim_rm_resign(rm);
        break;
    case F_RM_NEXT_KILL:
        w->next_kill++;
        rm_kill(w, rm);
        break;
    case F_RM_NEXT_PAUSE:
        w->next_pause++;
        rm_kill(w, rm);
        break;
    case F_CUT_RM_ZK:
    case F_CUT_RM_ZK_IN:
    case F_CUT_RM_ZK_OUT:
        cut_rm(w, rm, (int)(f - F_CUT_RM_ZK), HOST_ZK, w->zk.n, a_while(w));
        break;
    case F_CUT_RM_NM:
    case F_CUT_RM_NM_IN:
    case F_CUT_RM_NM_OUT:
        cut_rm(w, rm, (int)(f - F_CUT_RM_NM), HOST_NM + (int)sim_rnd(&w->s, (uint64_t)w->nms), 1,
               a_while(w));
        break;
    case F_CUT_RM_CLIENT:
        cut_rm(w, rm, (int)sim_rnd(&w->s, 3), HOST_CLIENT, 1, a_while(w));
        break;
    case F_CUT_RM_ALL:
        cut_rm(w, rm, (int)sim_rnd(&w->s, 3), 0, HOST_CLIENT + 1, a_while(w));
        break;
    case F_TWO:
        two_leaders(w, rm);
        break;
    case F_SLOW:
        slow_link(w, rm);
        break;
    default:
        clock_step(w, rm);
        break;
    }
}

/* Returns an RM: more often than not the leader, where faults hurt most. */
static struct sim_rm *some_rm(struct sim_world *w)
{
    struct sim_rm *leader = sim_rm_leader(w);

    return leader && sim_chance(&w->s, 700) ? leader : w->rm[sim_rnd(&w->s, (uint64_t)w->rms)];
}

static void strike(void *arg, uint64_t tag)
{
    struct sim_world *w = arg;
    enum sim_fault f = (enum sim_fault)tag;

    if (w->calm)
        return;
    if ((f >= F_NM_KILL && f <= F_NM_REBOOT) || f == F_DISK) {
        nm_fault(w, f, &w->nm[sim_rnd(&w->s, (uint64_t)w->nms)]);
        return;
    }
    w->totals->faults[f]++;
    if (f >= F_ZK_KILL)
        zk_fault(w, f);
    else
        rm_fault(w, f, some_rm(w));
}

static enum sim_fault some_fault(struct sim_world *w)
{
    int64_t all = 0, at;
    int f = 0;

    for (int i = 0; i < F_KINDS; i++)
        all += weights[i];
    at = (int64_t)sim_rnd(&w->s, (uint64_t)all);
    while (at >= weights[f])
        at -= weights[f++];
    return (enum sim_fault)f;
}

void sim_faults_plan(struct sim_world *w)
{
    int n = (int)sim_between(&w->s, 1, 8);

    for (int i = 0; i < n; i++) {
        int64_t at = sim_between(&w->s, w->s.now_us + 300 * MS, w->faults_until_us);

        sim_at(&w->s, at, NULL, SIM_SERVICE, strike, w, some_fault(w));
        if (sim_chance(&w->s, 200)) /* two at nearly the same time */
            sim_at(&w->s, at + sim_between(&w->s, 0, 300 * MS), NULL, SIM_SERVICE, strike, w,
                   some_fault(w));
    }
}

/* ---------------------------------------------------------------- the RM that takes over */
static void next_killed(void *arg, uint64_t tag)
{
    struct sim_rm *rm = arg;

    (void)tag;
    if (rm->proc.up && !rm->w->calm)
        rm_kill(rm->w, rm);
}

static void next_paused(void *arg, uint64_t tag)
{
    struct sim_rm *rm = arg;

    (void)tag;
    if (!rm->w->calm)
        sim_rm_pause(rm, standstill(rm->w));
}

void sim_faults_elected(struct sim_world *w, int rm)
{
    if (w->next_kill > 0) {
        w->next_kill--;
        later(w, sim_between(&w->s, 0, 60 * MS), next_killed, w->rm[rm], 0);
    } else if (w->next_pause > 0) {
        w->next_pause--;
        later(w, sim_between(&w->s, 0, 60 * MS), next_paused, w->rm[rm], 0);
    }
}

int64_t sim_faults_granted(struct sim_world *w, struct sim_nm *nm)
{
    int64_t us;

    if (w->calm || w->committer_cut || !sim_chance(&w->s, 100))
        return sim_chance(&w->s, 150) ? 5 * S : 20 * MS;
    w->nodes_hurt = true;
    us = w->expiry_us + sim_between(&w->s, 2 * S, 15 * S);
    sim_log(&w->s, "fault: %s is cut off from all RMs for %.3f s", nm->proc.name, (double)us / 1e6);
    for (int i = 0; i < w->rms; i++)
        cut_between(w, nm->proc.host, w->rm[i]->proc.host, 1, true, true, us);
    w->committer_cut = true;
    w->totals->faults[F_NM_COMMITS]++;
    if (w->faults_until_us < w->s.now_us + us)
        w->faults_until_us = w->s.now_us + us;
    return us;
}

/* ---------------------------------------------------------------- the end */
void sim_faults_end(struct sim_world *w)
{
    w->calm = true;
    sim_log(&w->s, "no more faults");
    sim_net_heal(&w->net);
    for (int i = 0; i < w->zk.n; i++)
        zk_back(&w->zk, (uint64_t)i);
    for (int i = 0; i < w->rms; i++) {
        w->rm[i]->pause_at_output = false;
        sim_proc_cont(&w->s, &w->rm[i]->proc);
        rm_start(w->rm[i], 0);
    }
    for (int i = 0; i < w->nms; i++) {
        w->nm[i].full = false;
        sim_proc_cont(&w->s, &w->nm[i].proc);
        sim_nm_start(&w->nm[i]);
    }
}
