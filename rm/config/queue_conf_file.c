#include "rm/config/queue_conf_file.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io/log.h"
#include "base/mem.h"
#include "rm/config/allocation_file.h"
#include "rm/config/scheduler_shape.h"
#include "rm/core/queue/capacity_tree.h"
#include "rm/daemon/daemon_internal.h"

#define KEY       "creel.scheduler.capacity-file"
#define FILE_NAME "capacity-scheduler.xml"

void rm_first_queues_free(struct rm_first_queues *q)
{
    policy_queues_free(&q->tree);
    rm_properties_free(&q->conf);
    *q = (struct rm_first_queues){0};
}

bool rm_queue_conf_is_changeable(const struct base_conf *conf)
{
    const char *store = base_conf_get(conf, "yarn.scheduler.configuration.store.class");

    return rm_scheduler_shape_read(conf) == RM_SHAPE_CAPACITY && *store &&
           strcmp(store, "file") != 0;
}

char *rm_queue_conf_resolve_path(const struct base_conf *conf, bool *optional)
{
    return rm_conf_resolve_path(conf, KEY, FILE_NAME, optional);
}

/* Reads the properties set in the file at @path. */
static int read_properties_file(const char *path, struct rm_properties *out, struct base_error *err)
{
    struct base_conf *file = base_conf_new();
    struct base_conf_item item;
    int rc = base_conf_load_file(file, path, err);

    for (size_t i = 0; rc == 0 && base_conf_item_at(file, i, &item); i++)
        if (item.source) /* the others are defaults, not set in the file */
            rm_properties_set(out, item.name, item.value);
    base_conf_free(file);
    return rc;
}

static void describe_listed_queues(const struct base_conf *conf, struct rm_properties *out)
{
    struct policy_queues listed;

    policy_queues_init(&listed, base_conf_get(conf, "creel.scheduler.queues"));
    rm_capacity_tree_to_properties(&listed, out);
    policy_queues_free(&listed);
}

int rm_queue_conf_read_file_or_listed(const struct base_conf *conf, struct rm_properties *out,
                                      struct base_error *err)
{
    bool optional;
    char *path = rm_queue_conf_resolve_path(conf, &optional);
    bool there = path && (!optional || access(path, F_OK) == 0);
    struct policy_queues tree;
    int rc = 0;

    *out = (struct rm_properties){0};
    if (!there)
        describe_listed_queues(conf, out);
    else if ((rc = read_properties_file(path, out, err)) == 0 &&
             (rc = rm_capacity_tree_build(out, &tree, err)) < 0)
        base_error_wrap(err, rc, "%s", path);
    else if (rc == 0)
        policy_queues_free(&tree);
    free(path);
    if (rc < 0)
        rm_properties_free(out);
    return rc < 0 ? rc : there;
}

/* Returns the file's configuration, or the one that was last read successfully if the file is bad
 * now: that must not prevent a takeover. */
static int read_queue_conf_or_last_good(struct rm_backend *b, struct rm_properties *out,
                                        struct base_error *err)
{
    struct base_error why = {0};
    int rc = rm_queue_conf_read_file_or_listed(b->conf, out, &why);

    pthread_mutex_lock(&b->qlock);
    if (rc > 0) {
        rm_properties_copy(&b->queue_conf_good, out);
    } else if (rc < 0 && b->queue_conf_good.n) {
        base_log_error("rm", "the queues stay as they were: %s", why.text);
        rm_properties_copy(out, &b->queue_conf_good);
        rc = 1;
    }
    pthread_mutex_unlock(&b->qlock);
    return rc < 0 ? base_error_set(err, -BASE_EINVAL, "%s: %s", KEY, why.text) : rc;
}

static int load_capacity_conf(struct rm_backend *b, struct rm_first_queues *out,
                              struct base_error *err)
{
    int rc = read_queue_conf_or_last_good(b, &out->conf, err);

    if (rc > 0 && (rc = rm_capacity_tree_build(&out->conf, &out->tree, err)) == 0) {
        base_log_info("rm", "%s: %zu queues", KEY, out->tree.n);
        if (*base_conf_get(b->conf, "creel.scheduler.queues"))
            base_log_warn("rm", "creel.scheduler.queues is ignored: the queues come from a file");
        out->given = true;
    }
    return rc;
}

int rm_queues_load(struct rm_backend *b, struct rm_first_queues *out, struct base_error *err)
{
    int rc;

    *out = (struct rm_first_queues){0};
    rc = rm_queues_load_file_or_last_good(b, &out->tree, err);
    out->given = rc > 0;
    if (rc != 0 || rm_scheduler_shape_read(b->conf) != RM_SHAPE_CAPACITY)
        return rc < 0 ? rc : 0;
    rc = load_capacity_conf(b, out, err);
    out->changeable = rc == 0 && rm_queue_conf_is_changeable(b->conf);
    return rc;
}

/* ---------------------------------------------------------------- reading the file again */
struct reread { /* shared by the event and its reply, which are released in either order */
    struct rm_event ev;
    struct rm_properties whole;
    rm_reply_fn *fn;
    void *user;
    atomic_int refs;
};

static void unref_reread(void *user)
{
    struct reread *r = user;

    if (atomic_fetch_sub(&r->refs, 1) != 1)
        return;
    rm_properties_free(&r->whole);
    free(r);
}

static void forward_reread_reply(void *user, const struct rm_effect *fx)
{
    struct reread *r = user;

    if (r->fn)
        r->fn(r->user, fx);
    unref_reread(r);
}

/* Counts the queues of @p, which has been checked. */
static size_t count_queues(const struct rm_properties *p)
{
    struct policy_queues tree;
    size_t n = rm_capacity_tree_build(p, &tree, NULL) == 0 ? tree.n : 0;

    policy_queues_free(&tree);
    return n;
}

static size_t count_present_queues(struct rm_backend *b)
{
    struct rm_views v = {0};
    size_t n;

    rm_view_queues(rm_backend_lock_core(b), &v);
    rm_backend_unlock_core(b);
    n = v.queues_n;
    rm_views_free(&v);
    return n;
}

int rm_queue_conf_reload(struct rm_backend *b, rm_reply_fn *on_reply, void *reply_user,
                         size_t *queues_n, struct base_error *err)
{
    struct reread *r = base_alloc(sizeof *r);
    int rc;

    r->ev.kind = RM_EV_SET_QUEUE_CONF;
    if (rm_queue_conf_is_changeable(b->conf)) {
        *queues_n = count_present_queues(b);
    } else {
        rc = rm_queue_conf_read_file_or_listed(b->conf, &r->whole, err);
        if (rc < 0) {
            free(r);
            return rc;
        }
        *queues_n = count_queues(&r->whole);
        r->ev.u.queue_conf.whole = &r->whole;
    }
    r->fn = on_reply;
    r->user = reply_user;
    atomic_init(&r->refs, 2);
    rm_backend_post(b, &r->ev, forward_reread_reply, unref_reread, r);
    return 0;
}
