#include "rm/leader/sole_rm.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/conf/conf.h"
#include "base/io/log.h"
#include "rm/config/policy_options.h"
#include "rm/daemon/daemon_internal.h"

#define HIGHER_TEXT "the ResourceManager is taking a higher epoch, which nodes have seen"

struct sole_rm {
    struct rm_backend *b;
    const struct ha_store_ops *ops;
    char *where;
};

static void free_sole_rm(void *user)
{
    struct sole_rm *sole = user;

    free(sole->where);
    free(sole);
}

/* ---------------------------------------------------------------- entering the first leadership */
static int choose_store_backend(struct sole_rm *sole, struct base_error *err)
{
    static const char key[] = "creel.rm.state-store";
    int rc =
        sole->ops ? 0 : ha_store_choose(base_conf_get(sole->b->conf, key), false, &sole->ops, err);

    return rc < 0 ? base_error_wrap(err, rc, "%s", key) : 0;
}

/* The order matters: opening the store raises its epoch, so the configuration is checked first. */
static int open_store_and_enter_leadership(struct sole_rm *sole, struct base_error *err)
{
    struct policy_conf options = {0};
    struct rm_first_queues queues = {0};
    struct ha_store *store = NULL;
    int64_t epoch = 0;
    int rc = rm_options_read_policy_conf(sole->b->conf, &options, err);

    policy_conf_free(&options);
    if (rc >= 0)
        rc = rm_queues_load(sole->b, &queues, err);
    if (rc >= 0)
        rc = choose_store_backend(sole, err);
    if (rc >= 0)
        rc = ha_store_open(sole->ops, sole->where, NULL, &store, &epoch, err);
    if (rc >= 0)
        rc = rm_daemon_enter_leadership(sole->b, store, epoch, &queues, err);
    rm_first_queues_free(&queues);
    return rc;
}

/* ---------------------------------------------------------------- a higher epoch */
/* Ends the leadership in good order and enters it again under an epoch above @seen. Requests that
 * wait for the core are refused, and their clients repeat them; all changes that were accepted are
 * stored. The caller holds the lock "life". */
static int reenter_above_epoch(struct sole_rm *sole, int64_t seen, struct base_error *err)
{
    struct ha_store *store = NULL;
    int64_t epoch;
    int rc = rm_leadership_finish(sole->b->term, -BASE_EVERSION, HIGHER_TEXT, err);

    if (rc == 0)
        rc = ha_store_open(sole->ops, sole->where, NULL, &store, &epoch, err);
    if (rc < 0)
        return rc;
    if (epoch <= seen) {
        epoch = seen + 1;
        rc = ha_store_raise_epoch(store, epoch, err);
    }
    if (rc < 0) {
        ha_store_close(store);
        return rc;
    }
    rc = rm_daemon_enter_leadership(sole->b, store, epoch, NULL, err);
    if (rc == 0)
        base_log_info("rm", "nodes have obeyed epoch %lld: going on under epoch %lld",
                      (long long)seen, (long long)epoch);
    return rc;
}

struct higher_epoch { /* one request for an epoch above @seen */
    struct sole_rm *sole_rm;
    int64_t seen;
};

/* Several nodes may report a higher epoch at once: the first report is enough. When the process is
 * about to end there may be no leadership any more. */
static bool reenter_if_epoch_is_low(void *user, bool stopping)
{
    struct higher_epoch *higher = user;
    struct rm_backend *b = higher->sole_rm->b;

    (void)stopping;
    pthread_mutex_lock(&b->life);
    if (b->term && b->term->rules.epoch <= higher->seen &&
        reenter_above_epoch(higher->sole_rm, higher->seen, &b->lost) < 0) {
        base_log_error("rm", "%s; nothing can be served any more", b->lost.text);
        kill(getpid(), SIGTERM);
    }
    pthread_mutex_unlock(&b->life);
    free(higher);
    return false;
}

/* Called on the core's thread, which must end before the leadership is entered again, so another
 * thread does the work. */
static void queue_reentry_above_epoch(void *user, int64_t seen)
{
    struct sole_rm *sole = user;
    struct higher_epoch *higher = base_alloc(sizeof *higher);

    *higher = (struct higher_epoch){sole, seen};
    rm_backend_queue_slow_task(sole->b, RM_SLOW_FILES, reenter_if_epoch_is_low, higher);
}

/* ---------------------------------------------------------------- making the daemon */
int rm_daemon_new_sole(const struct base_conf *conf, struct base_keyring *keys,
                       const struct ha_store_ops *ops, const char *where,
                       const struct rm_repair *repair, struct rm_backend **out,
                       struct base_error *err)
{
    struct sole_rm *sole = base_alloc(sizeof *sole);
    const struct rm_role_source source = {
        .user = sole, .epoch_low = queue_reentry_above_epoch, .free = free_sole_rm};
    int rc;

    sole->b = rm_daemon_new_without_core(conf);
    rm_daemon_set_keys(sole->b, keys);
    sole->ops = ops;
    sole->where = where ? base_strdup(where)
                        : base_printf("%s/state.db", base_conf_get(conf, "creel.rm.state-dir"));
    rm_role_set_source(sole->b, &source);
    if (repair)
        rm_daemon_set_repair(sole->b, repair);
    rc = open_store_and_enter_leadership(sole, err);
    if (rc < 0)
        rm_daemon_free(sole->b);
    else
        *out = sole->b;
    return rc;
}
