#include "rm/leader/alone.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/conf/conf.h"
#include "base/io/log.h"
#include "rm/config/policy_options.h"
#include "rm/daemon/daemon_internal.h"

#define HIGHER_TEXT "the ResourceManager is taking a higher epoch, which nodes have seen"

struct alone {
    struct rm_backend *b;
    const struct ha_store_ops *ops;
    char *where;
};

static void free_alone(void *user)
{
    struct alone *a = user;

    free(a->where);
    free(a);
}

/* ---------------------------------------------------------------- the beginning */
static int choose_store(struct alone *a, struct base_error *err)
{
    static const char key[] = "creel.rm.state-store";
    int rc = a->ops ? 0 : ha_store_choose(base_conf_get(a->b->conf, key), false, &a->ops, err);

    return rc < 0 ? base_error_wrap(err, rc, "%s", key) : 0;
}

/* The order matters: opening the store raises its epoch, so that everything that can be wrong with
 * the configuration is looked at before. */
static int open_and_enter(struct alone *a, struct base_error *err)
{
    struct policy_conf options = {0};
    struct rm_first_queues queues = {0};
    struct ha_store *store = NULL;
    int64_t epoch = 0;
    int rc = rm_options_read_policy_conf(a->b->conf, &options, err);

    policy_conf_free(&options);
    if (rc >= 0)
        rc = rm_queues_load_at_start(a->b, &queues.tree, err);
    queues.given = rc > 0;
    if (rc >= 0)
        rc = choose_store(a, err);
    if (rc >= 0)
        rc = ha_store_open(a->ops, a->where, NULL, &store, &epoch, err);
    if (rc >= 0)
        return rm_daemon_enter(a->b, store, epoch, &queues, err);
    policy_queues_free(&queues.tree);
    return rc;
}

/* ---------------------------------------------------------------- a higher epoch */
/* Holding life. Requests that wait for the core are refused and come again: everything that was
 * taken is stored. */
static int enter_above(struct alone *a, int64_t seen, struct base_error *err)
{
    struct ha_store *store = NULL;
    int64_t epoch;
    int rc = rm_leadership_finish(a->b->term, -BASE_EVERSION, HIGHER_TEXT, err);

    if (rc == 0)
        rc = ha_store_open(a->ops, a->where, NULL, &store, &epoch, err);
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
    rc = rm_daemon_enter(a->b, store, epoch, NULL, err);
    if (rc == 0)
        base_log_info("rm", "nodes have obeyed epoch %lld: going on under epoch %lld",
                      (long long)seen, (long long)epoch);
    return rc;
}

struct above {
    struct alone *alone;
    int64_t seen;
};

/* Several nodes may ask for it at once, and the process may be about to end: then no leadership is
 * there. */
static bool take_above(void *user, bool stopping)
{
    struct above *above = user;
    struct rm_backend *b = above->alone->b;

    (void)stopping;
    pthread_mutex_lock(&b->life);
    if (b->term && b->term->rules.epoch <= above->seen &&
        enter_above(above->alone, above->seen, &b->lost) < 0) {
        base_log_error("rm", "%s; nothing can be served any more", b->lost.text);
        kill(getpid(), SIGTERM);
    }
    pthread_mutex_unlock(&b->life);
    free(above);
    return false;
}

/* On the core's thread, which must end before the leadership is entered anew: another thread does
 * that. */
static void on_epoch_low(void *user, int64_t seen)
{
    struct alone *a = user;
    struct above *above = base_alloc(sizeof *above);

    *above = (struct above){a, seen};
    rm_backend_slow(a->b, RM_SLOW_FILES, take_above, above);
}

/* ---------------------------------------------------------------- life */
int rm_alone_new(const struct base_conf *conf, const struct ha_store_ops *ops, const char *where,
                 const struct rm_repair *repair, struct rm_backend **out, struct base_error *err)
{
    struct alone *a = base_alloc(sizeof *a);
    const struct rm_role_source source = {.user = a, .epoch_low = on_epoch_low, .free = free_alone};
    int rc;

    a->b = rm_daemon_make(conf);
    a->ops = ops;
    a->where = where ? base_strdup(where)
                     : base_printf("%s/state.db", base_conf_get(conf, "creel.rm.state-dir"));
    rm_role_set_source(a->b, &source);
    if (repair)
        rm_daemon_repair(a->b, repair);
    rc = open_and_enter(a, err);
    if (rc < 0)
        rm_daemon_free(a->b);
    else
        *out = a->b;
    return rc;
}
