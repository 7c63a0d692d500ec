/* rm/leader/leadership.c - how a leadership begins, from the stored records to a core that serves,
 * and how it ends. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/conf/acl_conf.h"
#include "base/conf/conf.h"
#include "base/crypto/keyring.h"
#include "base/crypto/random.h"
#include "base/hadoop/master_key.h"
#include "base/io/log.h"
#include "rm/config/host_lists.h"
#include "rm/config/policy_options.h"
#include "rm/config/rpc_address.h"
#include "rm/config/scheduler_shape.h"
#include "rm/daemon/daemon_internal.h"
#include "rm/leader/load_store.h"
#include "rm/leader/standby.h"

/* ---------------------------------------------------------------- a core */
static const char *const key_kinds[RM_MASTER_KEYS] = {
    [RM_KEY_AMRM] = BASE_HADOOP_KEY_OF_AMRM,
    [RM_KEY_NM] = BASE_HADOOP_KEY_OF_NM,
    [RM_KEY_CONTAINER] = BASE_HADOOP_KEY_OF_CONTAINER,
    [RM_KEY_HADOOP_NM] = BASE_HADOOP_KEY_OF_HADOOP_NM,
    [RM_KEY_HADOOP_CONTAINER] = BASE_HADOOP_KEY_OF_HADOOP_CONTAINERS,
};
static_assert(RM_MASTER_KEY_BYTES == BASE_HADOOP_MASTER_KEY_BYTES, "keys of one length");

static bool derive_master_key(void *backend, enum rm_master_key_kind kind,
                              const struct rm_master_key *key,
                              unsigned char out[static RM_MASTER_KEY_BYTES])
{
    struct base_keyring *keys = rm_backend_keys(backend);
    struct base_key of_cluster;

    if (!keys || !base_keyring_find_fresh(keys, key->secret, &of_cluster))
        return false;
    base_hadoop_derive_master_key(&of_cluster, key_kinds[kind], key->id, key->salt, out);
    explicit_bzero(&of_cluster, sizeof of_cluster);
    return true;
}

/* Makes keys for the tokens of masters that speak Hadoop RPC. */
static void make_fresh_keys(struct rm_backend *b, struct rm_master_key out[static RM_MASTER_KEYS])
{
    struct base_keyring *keys = rm_backend_keys(b);
    struct base_key of_cluster = {0};

    if (keys)
        base_keyring_get_signing_key(keys, &of_cluster);
    for (int k = 0; k < RM_MASTER_KEYS; k++) {
        struct rm_master_key *key = &out[k];

        *key = (struct rm_master_key){0};
        base_random_bytes(&key->id, sizeof key->id);
        base_random_bytes(key->salt, sizeof key->salt);
        base_assert(strlen(of_cluster.id) < sizeof key->secret);
        strcpy(key->secret, of_cluster.id);
        if (keys)
            base_hadoop_derive_master_key(&of_cluster, key_kinds[k], key->id, key->salt,
                                          key->bytes);
        else
            memcpy(key->bytes, key->salt, sizeof key->bytes);
    }
    explicit_bzero(&of_cluster, sizeof of_cluster);
}

static void fill_keys(struct rm_backend *b, struct rm_core_conf *out)
{
    out->hands_out_keys = rm_rpc_address_needs_keys(b->conf, b->roles.rm_id);
    if (!out->hands_out_keys)
        return;
    make_fresh_keys(b, out->new_keys);
    out->derive_key = derive_master_key;
    out->derive_key_ctx = b;
}

struct key_roll { /* a posted event with its keys */
    struct rm_event ev;
    struct rm_master_key fresh[RM_MASTER_KEYS];
};

void rm_daemon_offer_fresh_keys(struct rm_backend *b)
{
    struct key_roll *roll;

    if (!rm_rpc_address_needs_keys(b->conf, b->roles.rm_id) || !rm_standby_is_active(b))
        return;
    roll = base_alloc(sizeof *roll);
    roll->ev.kind = RM_EV_ROLL_MASTER_KEYS;
    make_fresh_keys(b, roll->fresh);
    roll->ev.u.roll_master_keys.fresh = roll->fresh;
    rm_backend_post(b, &roll->ev, NULL, free, roll);
}

static void fill_core_conf(struct rm_backend *b, int64_t now_ms, int64_t epoch,
                           int64_t cluster_ts_ms, struct rm_core_conf *out)
{
    const struct base_conf *c = b->conf;

    *out = (struct rm_core_conf){
        .cluster_ts_ms = cluster_ts_ms,
        .rm_instance_ms = now_ms,
        .epoch = epoch,
        .policy = rm_options_get_policy_name(c),
        .queues = base_conf_get(c, "creel.scheduler.queues"),
        .any_queue = rm_scheduler_shape_read(c) == RM_SHAPE_FIFO, /* YARN's fifo knows no queues */
        .slowstart = base_conf_double(c, "creel.scheduler.slowstart"),
        .prune_ended = b->roles.ha,
        .format_confirmed = b->repair.format_confirmed,
        .steps_on_nodes = true,
        /* YARN's fifo scheduler has one queue, which everybody may use */
        .checks_queue_acls =
            base_acl_conf_is_enabled(c) && rm_scheduler_shape_read(c) != RM_SHAPE_FIFO,
        .aggregates_logs = base_conf_bool(c, "yarn.log-aggregation-enable"),
        .closed_queues = base_acl_conf_requires_auth(c),
    };
#define READ_KEY(type, name, key, factor) out->name = (type)(base_conf_int(c, key) * (factor));
    RM_CORE_KEYS(READ_KEY)
#undef READ_KEY
    fill_keys(b, out);
    if (b->roles.ha)
        out->takeover_grace_us = base_conf_int(c, "creel.rm.takeover-grace-ms") * 1000;
    out->slot_res[BASE_TASK_MAP].v[RM_RES_MEMORY_MB] = base_conf_int(c, "creel.slot.map.memory-mb");
    out->slot_res[BASE_TASK_MAP].v[RM_RES_VCORES] = base_conf_int(c, "creel.slot.map.vcores");
    out->slot_res[BASE_TASK_MAP].v[RM_RES_MAP_SLOTS] = 1;
    out->slot_res[BASE_TASK_REDUCE].v[RM_RES_MEMORY_MB] =
        base_conf_int(c, "creel.slot.reduce.memory-mb");
    out->slot_res[BASE_TASK_REDUCE].v[RM_RES_VCORES] = base_conf_int(c, "creel.slot.reduce.vcores");
    out->slot_res[BASE_TASK_REDUCE].v[RM_RES_REDUCE_SLOTS] = 1;
}

static int read_slots_by_vcores(const struct base_conf *conf, bool *out, struct base_error *err)
{
    const char *by = base_conf_get(conf, "creel.slot.by");

    *out = strcmp(by, "memory,vcores") == 0;
    if (*out || strcmp(by, "memory") == 0)
        return 0;
    return base_error_set(err, -BASE_EINVAL,
                          "creel.slot.by: \"%.100s\" must be memory or memory,vcores", by);
}

/* Refuses intervals in which a key would be replaced before all have learnt of it, as YARN does. */
static int check_roll_intervals(const struct rm_core_conf *cc, struct base_error *err)
{
    const struct {
        const char *key, *expiry_key;
        int64_t roll_us, expiry_us;
    } rules[] = {
        {"yarn.resourcemanager.am-rm-tokens.master-key-rolling-interval-secs",
         "yarn.am.liveness-monitor.expiry-interval-ms", cc->amrm_roll_us, cc->am_expiry_us},
        {"yarn.resourcemanager.nm-tokens.master-key-rolling-interval-secs",
         "yarn.nm.liveness-monitor.expiry-interval-ms", cc->nm_roll_us, cc->node_expiry_us},
        {"yarn.resourcemanager.container-tokens.master-key-rolling-interval-secs",
         "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", cc->container_roll_us,
         cc->allocation_expiry_us},
    };

    for (size_t i = 0; cc->hands_out_keys && i < sizeof rules / sizeof *rules; i++)
        if (rules[i].roll_us / 3 <= rules[i].expiry_us)
            return base_error_set(err, -BASE_EINVAL,
                                  "%s: %lld: expected more than 3 times %s, which is %lld ms",
                                  rules[i].key, (long long)(rules[i].roll_us / 1000000),
                                  rules[i].expiry_key, (long long)(rules[i].expiry_us / 1000));
    return 0;
}

/* Makes a core from the configuration. @queues: NULL: none; their tree is taken on success. Returns
 * 0 or the error. */
static int make_core(struct rm_backend *b, int64_t epoch, int64_t cluster_ts_ms,
                     struct rm_first_queues *queues, struct rm_core **out, struct base_error *err)
{
    struct policy_conf options = {0};
    struct rm_core_conf cc;
    int rc = rm_options_read_policy_conf(b->conf, &options, err);

    fill_core_conf(b, rm_clock_now(&b->clock) / 1000, epoch, cluster_ts_ms, &cc);
    if (rc == 0)
        rc = read_slots_by_vcores(b->conf, &cc.slots_by_vcores, err);
    if (rc == 0)
        rc = check_roll_intervals(&cc, err);
    if (rc < 0) {
        policy_conf_free(&options);
        return rc;
    }
    cc.options = &options;
    cc.tree = queues && queues->given ? &queues->tree : NULL;
    cc.queue_conf = queues && queues->changeable ? &queues->conf : NULL;
    *out = rm_core_new(&cc, err);
    policy_conf_free(&options);
    return *out ? 0 : -BASE_EINVAL;
}

int rm_empty_core_new(struct rm_backend *b, struct rm_core **out, struct base_error *err)
{
    struct rm_effects none = {0};
    int rc = make_core(b, 0, rm_clock_now(&b->clock) / 1000, NULL, out, err);

    if (rc < 0)
        return rc;
    rm_core_finish_recovery(*out, rm_clock_now(&b->clock), &none);
    free(none.v);
    return 0;
}

/* ---------------------------------------------------------------- begin */
/* A file that cannot be read must not prevent a takeover: all hosts may have nodes then, as in
 * YARN, until an operator refreshes the lists. */
static void provide_host_lists(const struct rm_backend *b, struct rm_core *core)
{
    struct rm_host_lists lists;
    struct base_error err = {0};

    if (rm_host_lists_read(b->conf, &lists, &err) < 0)
        base_log_error("rm", "the lists of hosts are not in force: %s", err.text);
    rm_core_provide_host_lists(core, &lists);
    rm_host_lists_free(&lists);
}

int rm_leadership_load(struct rm_leadership *t, struct rm_first_queues *queues,
                       struct base_error *err)
{
    struct rm_backend *b = t->b;
    int64_t cluster_ts_ms = rm_clock_now(&b->clock) / 1000;
    int rc = rm_raise_and_store_cluster_ts(t->opened, &cluster_ts_ms, err);

    if (rc == 0)
        rc = make_core(b, t->rules.epoch, cluster_ts_ms, queues, &t->core, err);
    if (rc == 0)
        provide_host_lists(b, t->core);
    if (rc == 0)
        rc = rm_load_records(t->core, t->opened, &b->roles.lease, err);
    if (rc < 0)
        return rc;
    rm_core_finish_recovery(t->core, rm_backend_catch_up_clock(b), &t->rules.fx);
    return 0;
}

struct rm_leadership *rm_leadership_new(struct rm_backend *b, struct ha_store *store, int64_t epoch)
{
    struct rm_leadership *t = base_alloc(sizeof *t);
    struct rm_term_calls calls;

    *t = (struct rm_leadership){.b = b, .opened = store};
    rm_carry_out_fill_callbacks(t, &calls);
    rm_term_init(&t->rules, epoch, &b->roles.lease, &calls);
    return t;
}

struct rm_core *rm_leadership_install_core(struct rm_leadership *t)
{
    struct rm_backend *b = t->b;
    struct rm_core *old;

    atomic_store(&b->epoch, t->rules.epoch);
    old = rm_backend_swap_core(b, t->core);
    t->core = NULL;
    pthread_mutex_lock(&b->qlock);
    b->term = t;
    b->stop = false;
    b->closed = 0;
    b->stored_seq = 0;
    pthread_mutex_unlock(&b->qlock);
    return old;
}

static void post_stored(void *user, uint64_t seq)
{
    rm_core_thread_post_stored_seq(user, seq);
}

static void release_effect(void *user, void *ticket, const struct rm_effect *fx, int error,
                           const char *text)
{
    struct rm_leadership *t = user;

    rm_term_release_effect(&t->rules, ticket, fx, error, text);
}

static void depose_and_warn(void *user, const char *text)
{
    struct rm_leadership *t = user;

    rm_role_depose(t->b);
    base_log_warn("store", "%s: nothing is granted or acknowledged any more", text);
}

void rm_leadership_start_store(struct rm_leadership *t)
{
    const struct rm_store_calls store = {
        .user = t, .stored = post_stored, .release = release_effect, .over = depose_and_warn};
    struct rm_store *started;

    started = rm_store_start(t->opened, &store);
    t->opened = NULL;
    pthread_mutex_lock(&t->b->qlock); /* events may be posted by now */
    t->store = started;
    pthread_mutex_unlock(&t->b->qlock);
}

void rm_leadership_start_core_thread(struct rm_leadership *t)
{
    /* no other thread replaces the backend's core while a leadership runs */
    rm_term_start_with_core(&t->rules, t->b->core);
    base_assert(pthread_create(&t->thread, NULL, rm_core_thread_main, t) == 0);
}

/* ---------------------------------------------------------------- end */
/* Refuses later posts with @code and @text, and waits for the core's thread to end: after the
 * events that it has taken from the queue (@at_once), or when the queue is empty. */
static void end_core_thread(struct rm_leadership *t, bool at_once, int code, const char *text)
{
    struct rm_backend *b = t->b;

    pthread_mutex_lock(&b->qlock);
    b->closed = code;
    b->closed_text = text;
    b->stop = true;
    if (at_once)
        atomic_store(&t->halt, true);
    pthread_cond_signal(&b->qwake);
    pthread_mutex_unlock(&b->qlock);
    pthread_join(t->thread, NULL);
}

/* Refuses all requests that still wait for the core. The leadership's threads have ended. */
static void refuse_waiting_requests(struct rm_leadership *t, int code, const char *text)
{
    struct rm_backend *b = t->b;

    for (size_t i = 0; i < b->queue_len; i++) /* closed: no thread adds to the queue */
        rm_posted_refuse(&b->queue[i], code, text);
    rm_term_refuse_waiting(&t->rules, code, text);
    /* parked requests for map outputs are answered as by a standby */
    rm_parking_wake_all(b->watch);
}

static void detach_and_free_leadership(struct rm_leadership *t)
{
    struct rm_backend *b = t->b;
    int64_t commits, records;

    rm_store_get_counts(t->store, &commits, &records);
    pthread_mutex_lock(&b->qlock);
    b->queue_len = 0;
    b->term = NULL;
    b->commits_before += commits;
    b->records_before += records;
    pthread_mutex_unlock(&b->qlock);
    rm_store_free(t->store);
    t->store = NULL;
    rm_leadership_free_without_threads(t);
}

int rm_leadership_finish(struct rm_leadership *t, int code, const char *text,
                         struct base_error *err)
{
    bool ha = t->b->roles.ha;
    int rc;

    end_core_thread(t, false, code, text);
    rc = rm_store_stop(t->store, err);
    if (ha)
        rm_roles_set_role(t->b, RM_ROLE_STANDBY);
    refuse_waiting_requests(t, code, text);
    detach_and_free_leadership(t);
    return rc;
}

void rm_leadership_abort(struct rm_leadership *t)
{
    end_core_thread(t, true, -BASE_EVERSION, RM_NOT_ACTIVE_TEXT);
    rm_store_abandon(t->store);
    refuse_waiting_requests(t, -BASE_EVERSION, RM_NOT_ACTIVE_TEXT);
    detach_and_free_leadership(t);
}

void rm_leadership_free_without_threads(struct rm_leadership *t)
{
    if (!t)
        return;
    ha_store_close(t->opened);
    rm_core_free(t->core);
    free(t->batch);
    rm_term_free(&t->rules);
    free(t);
}
