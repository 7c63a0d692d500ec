/* ha/election/join.c - the queue of ResourceManagers: reads the election nodes and the epoch, deals
 * with stale nodes of our rm-id, creates our own node, and claims the epoch. */
#include <stdlib.h>
#include <string.h>

#include "base/io/log.h"
#include "base/mem.h"
#include "ha/election/election_internal.h"

static void replace_string(char **to, const char *text)
{
    char *copy = base_strdup(text);

    free(*to);
    *to = copy;
}

static void forget_nodes_of_our_id(struct ha_election *e)
{
    for (size_t i = 0; i < e->mine_n; i++)
        free(e->mine[i]);
    e->mine_n = 0;
}

static void forget_blocker(struct ha_election *e)
{
    replace_string(&e->blocker, NULL);
    replace_string(&e->blocker_instance, NULL);
}

void election_forget_nodes(struct ha_election *e)
{
    forget_nodes_of_our_id(e);
    forget_blocker(e);
    replace_string(&e->own, NULL);
}

void election_request_nodes_and_epoch(struct ha_election *e)
{
    struct ha_zk_request children = {
        .kind = HA_ZK_CHILDREN, .path = e->election_path, .watch = true};
    struct ha_zk_request epoch = {.kind = HA_ZK_GET, .path = e->epoch_path, .watch = true};

    e->dirty = false;
    e->retry_us = 0;
    if (!e->own)
        e->phase = HA_JOINING;
    election_send_request(e, SLOT_CHILDREN, &children);
    election_send_request(e, SLOT_EPOCH, &epoch);
}

static bool node_comes_before(const char *a, const char *b)
{
    struct election_id x, y;

    if (!election_node_name_parse(a, &x) || !election_node_name_parse(b, &y))
        return false;
    return x.sequence != y.sequence ? x.sequence < y.sequence : strcmp(a, b) < 0;
}

/* Inserts @name into the nodes of our rm-id by sequence number; keeps the first ELECTION_MINE_MAX
 * nodes. */
static void insert_into_our_nodes(struct ha_election *e, const char *name)
{
    size_t at = e->mine_n;

    while (at > 0 && node_comes_before(name, e->mine[at - 1]))
        at--;
    if (at == ELECTION_MINE_MAX)
        return;
    if (e->mine_n == ELECTION_MINE_MAX) {
        election_log(e, BASE_LOG_WARN, "%s has more than %d nodes of rm-id %s", e->election_path,
                     ELECTION_MINE_MAX, e->rm_id);
        free(e->mine[--e->mine_n]);
    }
    memmove(e->mine + at + 1, e->mine + at, (e->mine_n - at) * sizeof *e->mine);
    e->mine[at] = base_strdup(name);
    e->mine_n++;
}

static void store_lowest_and_our_nodes(struct ha_election *e, const struct ha_zk_event *ev)
{
    size_t ours = strlen(e->rm_id);
    const char *lowest = NULL;
    struct election_id id;

    forget_nodes_of_our_id(e);
    for (size_t i = 0; i < ev->children_n; i++) {
        const char *name = ev->children[i];

        if (!election_node_name_parse(name, &id)) {
            if (!e->odd_noted)
                election_log(e, BASE_LOG_WARN,
                             "%s/%.100s is no election node: expected rm-id~session~sequence",
                             e->election_path, name);
            e->odd_noted = true;
            continue;
        }
        if (!lowest || node_comes_before(name, lowest))
            lowest = name;
        if (id.rm_len == ours && memcmp(name, e->rm_id, ours) == 0)
            insert_into_our_nodes(e, name);
    }
    replace_string(&e->lowest, lowest);
}

/* Parses the epoch node in @ev into e->seen. Returns false when the node is malformed; this RM has
 * then been refused. */
static bool parse_epoch_node(struct ha_election *e, const struct ha_zk_event *ev)
{
    struct base_error err;

    if (!election_authority_parse(ev->data ? ev->data : "", &e->seen)) {
        base_error_set(&err, -BASE_ECORRUPT,
                       "%s in ZooKeeper holds \"%.80s\", expected \"<epoch> <rm-id> <session>\" "
                       "with an epoch of %d at most. "
                       "Repair: with all ResourceManagers stopped, zkCli.sh set %s \"<epoch> "
                       "repaired 0000000000000000\", "
                       "with an epoch that is not below any that nodes show as epochSeen",
                       e->epoch_path, ev->data ? ev->data : "", HA_EPOCH_MAX, e->epoch_path);
        election_enter_refused(e, &err);
        return false;
    }
    e->seen.version = ev->version;
    if (e->seen.epoch > e->highest)
        e->highest = e->seen.epoch;
    return true;
}

/* ---- the end of a round ---- */

static void create_own_node(struct ha_election *e)
{
    char *path =
        base_printf("%s/%s~%016llx~", e->election_path, e->rm_id, (unsigned long long)e->session);
    const struct ha_zk_op op = {.kind = HA_ZK_CREATE,
                                .path = path,
                                .data = e->instance,
                                .len = strlen(e->instance),
                                .ephemeral = true,
                                .sequence = true};

    election_send_multi(e, STEP_JOIN, e->election_path, &op, 1);
    free(path);
}

void election_delete_own_node(struct ha_election *e)
{
    char *path = base_printf("%s/%s", e->election_path, e->own);
    const struct ha_zk_op op = {.kind = HA_ZK_DELETE, .path = path, .version = -1};

    election_send_multi(e, STEP_LEAVE, e->election_path, &op, 1);
    free(path);
}

/* A stale node of our rm-id stands in front of ours. A dead owner's session expires within its
 * time-out; a live owner's does not, and after two time-outs this RM is refused. Time is measured
 * by when requests were sent: a result may arrive late in a process that was stopped. */
static void wait_for_blocker_or_refuse(struct ha_election *e, int64_t now_us)
{
    int64_t until, again = now_us + e->timeout_us / 4;
    struct base_error err;

    if (!e->blocked_us) {
        e->blocked_us = e->blocker_us;
        election_log(e, BASE_LOG_WARN, "rm-id %s is used by %.300s (%s): waiting for it to end",
                     e->rm_id, e->blocker_instance, e->blocker);
    }
    until = e->blocked_us + 2 * e->timeout_us;
    if (e->blocker_us >= until) {
        base_error_set(&err, -BASE_EEXIST,
                       "rm-id %s is used by %.300s, whose election node %s/%s is still there after "
                       "%lld ms; every "
                       "ResourceManager needs an id of its own (yarn.resourcemanager.ha.id)",
                       e->rm_id, e->blocker_instance, e->election_path, e->blocker,
                       (long long)((e->blocker_us - e->blocked_us) / 1000));
        election_enter_refused(e, &err);
        return;
    }
    e->phase = HA_JOINING;
    e->retry_us = now_us < until && until < again ? until : again;
}

static void refuse_exhausted_epochs(struct ha_election *e, int64_t epoch)
{
    struct base_error err;

    base_error_set(&err, -BASE_ELIMIT,
                   "no epoch is left: %s in ZooKeeper holds %lld, the next one would be %lld, and "
                   "container ids have "
                   "room for %d at most; set creel.ha.zk-root to a path that is free",
                   e->epoch_path, (long long)e->seen.epoch, (long long)epoch, HA_EPOCH_MAX);
    election_enter_refused(e, &err);
}

static void send_claim(struct ha_election *e, int64_t epoch, int64_t now_us)
{
    char *own = base_printf("%s/%s", e->election_path, e->own);
    char *data = base_printf("%lld %s %016llx\n", (long long)epoch, e->rm_id,
                             (unsigned long long)e->session);
    const struct ha_zk_op ops[] = {
        {.kind = HA_ZK_CHECK, .path = own, .version = -1},
        {.kind = HA_ZK_SET,
         .path = e->epoch_path,
         .data = data,
         .len = strlen(data),
         .version = e->seen.version},
    };

    e->phase = HA_CLAIMING;
    e->tried = epoch;
    e->tried_us = now_us;
    election_send_multi(e, STEP_CLAIM, e->epoch_path, ops, 2);
    free(own);
    free(data);
}

/* If the result of our last claim was lost, the epoch shows its outcome. When the claim succeeded
 * and its lease has not ended, begins to lead and returns true; else returns false. */
static bool lead_if_lost_claim_succeeded(struct ha_election *e, int64_t now_us)
{
    int64_t tried = e->tried;

    e->tried = -1;
    if (tried < 0 || e->seen.epoch != tried || e->seen.session != e->session ||
        strcmp(e->seen.rm, e->rm_id) != 0)
        return false;
    if (election_lease_end_us(e, e->tried_us) <= now_us)
        return false;
    election_log(e, BASE_LOG_INFO, "the answer to our claim was lost; %s names us, with epoch %lld",
                 e->epoch_path, (long long)tried);
    election_begin_leading(e, tried, e->seen.version, e->tried_us);
    return true;
}

/* A leader is overtaken if the epoch has changed or its own node is gone. With the lease off
 * (tests) only its checked writes can depose it. */
static void depose_if_overtaken(struct ha_election *e)
{
    if (!e->leading || e->lease_off)
        return;
    if (e->seen.version != e->version)
        election_depose(e, "%s has taken epoch %lld", e->seen.rm, (long long)e->seen.epoch);
    else if (!e->own)
        election_depose(e, "our election node was deleted");
}

/* The end of a round: everything relevant has been read, and the next step is chosen. A blocker
 * comes first, because this RM must neither join nor claim while another process may be using its
 * id; then joining; then the claim. */
static void conclude_round(struct ha_election *e, int64_t now_us)
{
    int64_t epoch = e->seen.epoch + 1 > e->least ? e->seen.epoch + 1 : e->least;

    depose_if_overtaken(e);
    if (e->blocker) {
        wait_for_blocker_or_refuse(e, now_us);
    } else {
        e->blocked_us = 0;
        if (e->holding && e->seen.version != e->hold_version)
            e->holding = false; /* another RM has claimed */
        e->phase = e->own ? HA_WAITING : HA_JOINING;
        if (!e->own && !e->holding) {
            create_own_node(e);
        } else if (e->own) {
            e->tries = 0;
            if (!e->leading && e->lowest && strcmp(e->lowest, e->own) == 0 &&
                !lead_if_lost_claim_succeeded(e, now_us)) {
                if (epoch > HA_EPOCH_MAX)
                    refuse_exhausted_epochs(e, epoch);
                else
                    send_claim(e, epoch, now_us);
            }
        }
    }
    election_update_active_rm(e);
}

/* ---- the nodes of our rm-id, one by one ---- */

static void inspect_next_node_or_conclude(struct ha_election *e, int64_t now_us)
{
    char *path;

    if (e->at < e->mine_n) {
        e->phase = HA_JOINING;
        path = base_printf("%s/%s", e->election_path, e->mine[e->at]);
        election_read_node(e, STEP_INSPECT, HA_ZK_GET, path);
        free(path);
    } else if (e->dirty) {
        election_request_nodes_and_epoch(e);
    } else {
        conclude_round(e, now_us);
    }
}

static void delete_inspected_node(struct ha_election *e, const char *why)
{
    char *path = base_printf("%s/%s", e->election_path, e->mine[e->at]);
    const struct ha_zk_op op = {.kind = HA_ZK_DELETE, .path = path, .version = -1};

    election_log(e, BASE_LOG_INFO, "deleting %s: %s", path, why);
    election_send_multi(e, STEP_CLEAN, e->election_path, &op, 1);
    free(path);
}

static void keep_or_delete_inspected_node(struct ha_election *e, const struct ha_zk_event *ev,
                                          int64_t now_us)
{
    const char *instance = ev->data ? ev->data : "";
    bool ours = ev->ephemeral_owner == e->session;

    if (ours && (e->own || e->holding)) {
        delete_inspected_node(e, e->own ? "created twice" : "we have resigned");
        return;
    }
    if (!ours && strcmp(instance, e->instance) == 0) {
        delete_inspected_node(e, "left by an earlier session of this process");
        return;
    }
    if (!ours && e->calls.surely_dead(e->calls.user, instance)) {
        delete_inspected_node(e, "left by a process that is gone");
        return;
    }
    if (ours) {
        replace_string(&e->own, e->mine[e->at]);
    } else if (!e->own && !e->blocker) { /* a stale node behind ours does not concern this RM */
        replace_string(&e->blocker, e->mine[e->at]);
        replace_string(&e->blocker_instance, instance);
        e->blocker_us = ev->sent_us;
    }
    e->at++;
    inspect_next_node_or_conclude(e, now_us);
}

/* Called when the nodes and the epoch have both been read. */
static void on_nodes_and_epoch_read(struct ha_election *e, int64_t now_us)
{
    bool only_own = e->own && e->mine_n == 1 && strcmp(e->mine[0], e->own) == 0;

    if (e->dirty) {
        election_request_nodes_and_epoch(e);
        return;
    }
    forget_blocker(e);
    if (!only_own) {
        replace_string(&e->own, NULL);
        e->at = 0;
        inspect_next_node_or_conclude(e, now_us);
    } else {
        conclude_round(e, now_us);
    }
}

void election_on_nodes_or_epoch(struct ha_election *e, enum election_slot slot,
                                const struct ha_zk_event *ev, int64_t now_us)
{
    /* also after NONODE: someone deleted the nodes, and the next round creates them again */
    if (ev->code != HA_ZK_OK) {
        election_retry_later(e, now_us);
        return;
    }
    if (slot == SLOT_CHILDREN)
        store_lowest_and_our_nodes(e, ev);
    else if (!parse_epoch_node(e, ev))
        return;
    if (!e->want[SLOT_CHILDREN] && !e->want[SLOT_EPOCH])
        on_nodes_and_epoch_read(e, now_us);
}

void election_on_own_node_result(struct ha_election *e, const struct ha_zk_event *ev,
                                 int64_t now_us)
{
    bool gone = ev->code == HA_ZK_NONODE;

    if (ev->code != HA_ZK_OK && (!gone || e->step == STEP_JOIN)) {
        election_retry_later(e, now_us);
    } else if (e->step == STEP_INSPECT && !gone) {
        keep_or_delete_inspected_node(e, ev, now_us);
    } else if (e->step == STEP_INSPECT || e->step == STEP_CLEAN) {
        e->at++;
        inspect_next_node_or_conclude(e, now_us);
    } else { /* JOIN, LEAVE: check whether the request took effect */
        replace_string(&e->own, NULL);
        election_request_nodes_and_epoch(e);
    }
}

void election_on_epoch_claim_result(struct ha_election *e, const struct ha_zk_event *ev,
                                    int64_t now_us)
{
    int64_t epoch = e->tried;

    if (ev->code == HA_ZK_BADVERSION) {
        e->tried = -1;
        election_request_nodes_and_epoch(e);
    } else if (ev->code == HA_ZK_NONODE) {
        e->tried = -1;
        election_start_round(e);
    } else if (ev->code != HA_ZK_OK) {
        election_retry_later(e, now_us);
    } else {
        e->tried = -1;
        e->phase = HA_WAITING;
        if (election_lease_end_us(e, ev->sent_us) > now_us)
            election_begin_leading(e, epoch, e->seen.version + 1, ev->sent_us);
        else
            election_log(e, BASE_LOG_WARN, "epoch %lld was won only after its lease had ended",
                         (long long)epoch);
        if ((e->dirty || !e->leading) && election_is_between_rounds(e))
            election_request_nodes_and_epoch(e);
    }
}
