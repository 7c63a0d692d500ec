/* ha/election/election.c - the outside of the election machine: its events, its timers, the lease,
 * and the beginning and end of a leadership. */
#include "ha/election/election.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/io/log.h"
#include "base/mem.h"
#include "ha/election/election_internal.h"

#define RETRY_MIN_US    50000 /* back-off after a lost or failed request; doubles up to 1.6 s */
#define RETRY_DOUBLINGS 5
#define FAILED_NOTE_US  30000000 /* minimum time between two log lines about failing requests */

struct ha_election *ha_election_new(const struct ha_election_conf *conf,
                                    const struct ha_election_calls *calls)
{
    struct ha_election *e = base_alloc(sizeof *e);

    base_assert(conf->rm_id[0] && !strpbrk(conf->rm_id, "~/ \n"));
    base_assert(conf->root[0] == '/' && conf->root[1] && conf->root[strlen(conf->root) - 1] != '/');
    e->root = base_strdup(conf->root);
    e->cluster_id = base_strdup(conf->cluster_id);
    e->rm_id = base_strdup(conf->rm_id);
    e->instance = base_strdup(conf->instance);
    e->auth_as = base_strdup(conf->auth_as);
    e->lease_off = conf->lease_off;
    e->election_path = base_printf("%s/election", conf->root);
    e->epoch_path = base_printf("%s/epoch", conf->root);
    e->active = base_strdup("");
    e->calls = *calls;
    e->phase = HA_OFFLINE;
    e->highest = e->tried = e->seen.epoch = -1;
    return e;
}

void ha_election_free(struct ha_election *e)
{
    if (!e)
        return;
    election_forget_nodes(e);
    free(e->root);
    free(e->cluster_id);
    free(e->rm_id);
    free(e->instance);
    free(e->auth_as);
    free(e->election_path);
    free(e->epoch_path);
    free(e->about);
    free(e->lowest);
    free(e->seen.rm);
    free(e->active);
    free(e);
}

/* ---- output ---- */

void election_log(struct ha_election *e, int level, const char *fmt, ...)
{
    struct base_buf text = {0};
    va_list ap;

    va_start(ap, fmt);
    base_buf_vaddf(&text, fmt, ap);
    va_end(ap);
    e->calls.note(e->calls.user, level, text.data);
    base_buf_free(&text);
}

void election_send_request(struct ha_election *e, enum election_slot slot, struct ha_zk_request *rq)
{
    rq->owner = HA_ZK_FOR_ELECTION;
    rq->id = e->want[slot] = ++e->ids;
    e->calls.send(e->calls.user, rq);
}

static void record_round_step(struct ha_election *e, enum election_step step, const char *about)
{
    char *copy = base_strdup(about);

    e->step = step;
    free(e->about);
    e->about = copy;
}

void election_read_node(struct ha_election *e, enum election_step step,
                        enum ha_zk_request_kind kind, const char *about)
{
    struct ha_zk_request rq = {.kind = kind, .path = about};

    record_round_step(e, step, about);
    election_send_request(e, SLOT_ROUND, &rq);
}

void election_send_multi(struct ha_election *e, enum election_step step, const char *about,
                         const struct ha_zk_op *ops, size_t n)
{
    struct ha_zk_request rq = {.kind = HA_ZK_MULTI, .ops = ops, .ops_n = n};

    record_round_step(e, step, about);
    election_send_request(e, SLOT_ROUND, &rq);
}

static void abandon_round(struct ha_election *e)
{
    e->want[SLOT_ROUND] = e->want[SLOT_CHILDREN] = e->want[SLOT_EPOCH] = 0;
    e->opened = false;
    e->retry_us = 0;
}

void election_retry_later(struct ha_election *e, int64_t now_us)
{
    abandon_round(e);
    e->retry_us = now_us + ((int64_t)RETRY_MIN_US
                            << (e->tries < RETRY_DOUBLINGS ? e->tries : RETRY_DOUBLINGS));
    e->tries++;
}

/* When leading, this RM is the active one. Otherwise the first RM in the queue is active, provided
 * that it is another RM and also wrote the epoch. */
void election_update_active_rm(struct ha_election *e)
{
    struct election_id id;
    char *now = NULL;

    if (e->leading)
        now = base_strdup(e->rm_id);
    else if (e->lowest && e->seen.rm && election_node_name_parse(e->lowest, &id) &&
             id.session == e->seen.session && id.rm_len == strlen(e->seen.rm) &&
             memcmp(e->lowest, e->seen.rm, id.rm_len) == 0 && strcmp(e->seen.rm, e->rm_id) != 0)
        now = base_strdup(e->seen.rm);
    else
        now = base_strdup("");
    if (strcmp(now, e->active) == 0) {
        free(now);
        return;
    }
    free(e->active);
    e->active = now;
    e->calls.active_changed(e->calls.user);
}

void election_begin_leading(struct ha_election *e, int64_t epoch, int32_t version, int64_t sent_us)
{
    struct election_authority *seen = &e->seen;
    char *rm = base_strdup(e->rm_id);

    e->phase = HA_WAITING;
    e->leading = true;
    e->epoch = epoch;
    e->version = version;
    e->answered_us = e->renewed_us = sent_us;
    if (epoch > e->highest)
        e->highest = epoch;
    free(seen->rm);
    *seen = (struct election_authority){
        .epoch = epoch, .rm = rm, .session = e->session, .version = version};
    e->calls.elected(e->calls.user, epoch, version);
    election_update_active_rm(e);
}

void election_depose(struct ha_election *e, const char *fmt, ...)
{
    struct base_buf why = {0};
    va_list ap;

    if (!e->leading)
        return;
    e->leading = false;
    e->want[SLOT_RENEW] = 0;
    va_start(ap, fmt);
    base_buf_vaddf(&why, fmt, ap);
    va_end(ap);
    e->calls.deposed(e->calls.user, why.data);
    base_buf_free(&why);
    election_update_active_rm(e);
}

void election_enter_refused(struct ha_election *e, const struct base_error *why)
{
    election_depose(e, "%s", why->text);
    if (e->connected && e->own)
        /* lets the next RM lead without waiting for our session to expire */
        election_delete_own_node(e);
    abandon_round(e);
    e->phase = HA_REFUSED;
    e->calls.refused(e->calls.user, why);
}

static void refuse_for_missing_permission(struct ha_election *e, const char *path, const char *text)
{
    struct base_error err;

    base_error_set(
        &err, -BASE_EPERM,
        "ZooKeeper does not let us use %s (%s): we authenticate as %s; compare hadoop.zk.auth or "
        "creel.zk.secret-file of this cluster's ResourceManagers with the node's ACL (zkCli.sh "
        "getAcl %s)",
        path, text ? text : "not authenticated", e->auth_as ? e->auth_as : "nobody", path);
    election_enter_refused(e, &err);
}

/* ---- the lease ---- */

/* The lease ends 2/3 of the session time-out after the last answered multi was sent. ZooKeeper can
 * expire the session no earlier than a full time-out after receiving that multi, so the lease ends
 * before another RM can be elected; the remaining third covers clock drift. */

int64_t election_lease_end_us(const struct ha_election *e, int64_t sent_us)
{
    return e->lease_off ? INT64_MAX : sent_us + e->timeout_us * 2 / 3;
}

static void depose_if_lease_expired(struct ha_election *e, int64_t now_us)
{
    if (!e->leading || now_us < election_lease_end_us(e, e->answered_us))
        return;
    election_depose(e, "ZooKeeper has answered no request sent in the last %lld ms",
                    (long long)((now_us - e->answered_us) / 1000));
    election_start_round(e);
}

static int64_t renewal_due_us(const struct ha_election *e)
{
    int64_t last = e->answered_us > e->renewed_us ? e->answered_us : e->renewed_us;

    return last + e->timeout_us / 6;
}

static void send_renewal(struct ha_election *e, int64_t now_us)
{
    const struct ha_zk_op op = {.kind = HA_ZK_CHECK, .path = e->epoch_path, .version = e->version};
    struct ha_zk_request rq = {.kind = HA_ZK_MULTI, .ops = &op, .ops_n = 1};

    e->renewed_us = now_us;
    election_send_request(e, SLOT_RENEW, &rq);
}

static void on_renewal_result(struct ha_election *e, const struct ha_zk_event *ev)
{
    if (ev->code == HA_ZK_OK) {
        ha_election_extend_lease(e, ev->sent_us);
    } else if (ev->code == HA_ZK_BADVERSION || ev->code == HA_ZK_NONODE) {
        election_depose(e, "the epoch is no longer ours");
        election_start_round(e);
    }
}

void ha_election_extend_lease(struct ha_election *e, int64_t sent_us)
{
    /* Answers to requests sent before the claim have a smaller sent_us and change nothing. */
    if (e->leading && sent_us > e->answered_us)
        e->answered_us = sent_us;
}

/* ---- events ---- */

static void go_offline_and_drop_results(struct ha_election *e, int64_t now_us)
{
    abandon_round(e);
    e->want[SLOT_RENEW] = 0;
    e->dirty = false;
    e->phase = HA_OFFLINE;
    if (e->connected)
        e->known_until_us = now_us + e->timeout_us;
    e->connected = false;
}

static void end_session(struct ha_election *e, int64_t now_us)
{
    go_offline_and_drop_results(e, now_us);
    election_forget_nodes(e);
    e->session = 0;
    e->tried = -1;
    if (!e->lease_off)
        election_depose(e, "the session with ZooKeeper is over");
}

static void begin_connection(struct ha_election *e, const struct ha_zk_event *ev, int64_t now_us)
{
    if (e->session && e->session != ev->session)
        end_session(e, now_us);
    go_offline_and_drop_results(e, now_us);
    e->connected = true;
    e->known_until_us = 0;
    e->session = ev->session;
    e->timeout_us = ev->timeout_us;
    e->blocked_us = 0; /* ZooKeeper may have been away, which prolongs sessions */
    e->tries = 0;
    if (e->lease_off)
        e->renewed_us = now_us;
    else if (e->leading)
        send_renewal(e, now_us);
    election_start_round(e);
}

bool election_is_between_rounds(const struct ha_election *e)
{
    return e->connected && e->opened && !e->want[SLOT_ROUND] && !e->want[SLOT_CHILDREN] &&
           !e->want[SLOT_EPOCH];
}

static void reread_after_watch(struct ha_election *e)
{
    e->dirty = true;
    if (election_is_between_rounds(e))
        election_request_nodes_and_epoch(e);
}

static void on_lost_or_failed_request(struct ha_election *e, enum election_slot slot,
                                      const struct ha_zk_event *ev, int64_t now_us)
{
    if (ev->code == HA_ZK_FAILED &&
        (!e->failed_noted_us || now_us - e->failed_noted_us >= FAILED_NOTE_US)) {
        e->failed_noted_us = now_us;
        election_log(e, BASE_LOG_WARN, "a request about %s failed: %s",
                     slot == SLOT_ROUND ? e->about : e->root,
                     ev->text ? ev->text : "no reason given");
    }
    if (slot != SLOT_RENEW) /* renewals are repeated by timer */
        election_retry_later(e, now_us);
}

static const char *slot_path(const struct ha_election *e, enum election_slot slot)
{
    return slot == SLOT_ROUND ? e->about : slot == SLOT_CHILDREN ? e->election_path : e->epoch_path;
}

static void dispatch_result(struct ha_election *e, const struct ha_zk_event *ev, int64_t now_us)
{
    enum election_slot slot = 0;

    while (slot < SLOTS && (!e->want[slot] || e->want[slot] != ev->id))
        slot++;
    if (slot == SLOTS)
        return;
    e->want[slot] = 0;
    if (ev->code == HA_ZK_EXPIRED)
        end_session(e, now_us);
    else if (ev->code == HA_ZK_NOAUTH)
        refuse_for_missing_permission(e, slot_path(e, slot), ev->text);
    else if (ev->code == HA_ZK_LOSS || ev->code == HA_ZK_FAILED)
        on_lost_or_failed_request(e, slot, ev, now_us);
    else if (slot == SLOT_RENEW)
        on_renewal_result(e, ev);
    else if (slot != SLOT_ROUND)
        election_on_nodes_or_epoch(e, slot, ev, now_us);
    else if (e->step <= STEP_MAKE_PARTS)
        election_on_root_result(e, ev, now_us);
    else if (e->step == STEP_CLAIM)
        election_on_epoch_claim_result(e, ev, now_us);
    else
        election_on_own_node_result(e, ev, now_us);
}

void ha_election_on_event(struct ha_election *e, const struct ha_zk_event *ev, int64_t now_us)
{
    if (e->phase == HA_REFUSED)
        return;
    if (ev->kind == HA_ZK_DISCONNECTED)
        go_offline_and_drop_results(e, now_us);
    depose_if_lease_expired(e, now_us); /* an event after the end of the lease must not extend it */
    switch (ev->kind) {
    case HA_ZK_CONNECTED:
        begin_connection(e, ev, now_us);
        break;
    case HA_ZK_DISCONNECTED:
        break;
    case HA_ZK_SESSION_OVER:
        end_session(e, now_us);
        break;
    case HA_ZK_WATCH:
        if (strcmp(ev->path, e->election_path) == 0 || strcmp(ev->path, e->epoch_path) == 0)
            reread_after_watch(e);
        break;
    case HA_ZK_RESULT:
        dispatch_result(e, ev, now_us);
        break;
    }
}

/* ---- timers ---- */

static void end_hold_after_resignation(struct ha_election *e)
{
    e->holding = false;
    if (election_is_between_rounds(e))
        election_request_nodes_and_epoch(e);
}

static void forget_active_rm(struct ha_election *e)
{
    e->known_until_us = 0;
    free(e->lowest);
    e->lowest = NULL;
    election_update_active_rm(e);
}

void ha_election_run_timers(struct ha_election *e, int64_t now_us)
{
    if (e->phase == HA_REFUSED)
        return;
    depose_if_lease_expired(e, now_us);
    if (e->leading && e->connected && !e->want[SLOT_RENEW] && now_us >= renewal_due_us(e))
        send_renewal(e, now_us);
    if (e->holding && now_us >= e->hold_us)
        end_hold_after_resignation(e);
    if (e->retry_us && now_us >= e->retry_us)
        election_start_round(e);
    if (e->known_until_us && now_us >= e->known_until_us)
        forget_active_rm(e);
}

static void reduce_to_earlier_time(int64_t *next_us, int64_t at_us)
{
    if (at_us < *next_us)
        *next_us = at_us;
}

int64_t ha_election_next_timer_us(const struct ha_election *e)
{
    int64_t next = INT64_MAX;

    if (e->phase == HA_REFUSED)
        return next;
    if (e->leading)
        reduce_to_earlier_time(&next, election_lease_end_us(e, e->answered_us));
    if (e->leading && e->connected && !e->want[SLOT_RENEW])
        reduce_to_earlier_time(&next, renewal_due_us(e));
    if (e->holding)
        reduce_to_earlier_time(&next, e->hold_us);
    if (e->retry_us)
        reduce_to_earlier_time(&next, e->retry_us);
    if (e->known_until_us)
        reduce_to_earlier_time(&next, e->known_until_us);
    return next;
}

/* ---- public functions ---- */

void ha_election_resign(struct ha_election *e, int64_t hold_us, int64_t now_us)
{
    if (!e->leading)
        return;
    election_depose(e, "resigned");
    e->holding = true;
    e->hold_us = hold_us < INT64_MAX - now_us ? now_us + hold_us : INT64_MAX;
    e->hold_version = e->version;
    if (!e->connected)
        return;
    if (e->own) {
        abandon_round(e);
        e->opened = true;
        e->phase = HA_JOINING;
        election_delete_own_node(e);
    } else {
        election_start_round(e); /* the round finds our node and deletes it */
    }
}

void ha_election_on_fenced_write(struct ha_election *e, int64_t now_us)
{
    (void)now_us;
    if (!e->leading)
        return;
    election_depose(e, "another ResourceManager has the epoch");
    election_start_round(e);
}

void ha_election_raise_min_epoch(struct ha_election *e, int64_t epoch)
{
    if (epoch > e->least)
        e->least = epoch;
}

enum ha_election_state ha_election_get_state(const struct ha_election *e)
{
    return e->leading ? HA_LEADING : e->phase;
}

int64_t ha_election_lease_end_us(const struct ha_election *e)
{
    return e->leading ? election_lease_end_us(e, e->answered_us) : 0;
}

const char *ha_election_active_rm(const struct ha_election *e)
{
    return e->active;
}

int64_t ha_election_highest_epoch(const struct ha_election *e)
{
    return e->highest;
}
