#include "rm/config/allocation_file.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/acl/groups.h"
#include "base/conf/acl_conf.h"
#include "base/io/io.h"
#include "base/io/log.h"
#include "rm/config/allocations.h"
#include "rm/config/scheduler_shape.h"
#include "rm/daemon/daemon_internal.h"

#define KEY       "yarn.scheduler.fair.allocation.file"
#define FILE_NAME "fair-scheduler.xml"

/* Returns the place where @key is set ("file, line n" or "-D"), or NULL when it is not set. */
static const char *find_key_source(const struct base_conf *conf, const char *key)
{
    struct base_conf_item item;

    for (size_t i = 0; base_conf_item_at(conf, i, &item); i++)
        if (strcmp(item.name, key) == 0)
            return item.source;
    return NULL;
}

char *rm_conf_resolve_path(const struct base_conf *conf, const char *key, const char *file_name,
                           bool *optional)
{
    const char *path = base_conf_get(conf, key), *source = find_key_source(conf, key), *slash;

    *optional = false;
    if (!path || !*path) {
        *optional = true;
        return base_conf_folder(conf) ? base_printf("%s/%s", base_conf_folder(conf), file_name)
                                      : NULL;
    }
    slash = source && *source != '-' ? strrchr(source, '/') : NULL;
    if (*path == '/' || !slash)
        return base_strdup(path);
    return base_printf("%.*s/%s", (int)(slash - source), source, path);
}

char *rm_queues_resolve_allocation_path(const struct base_conf *conf, bool *optional)
{
    return rm_conf_resolve_path(conf, KEY, FILE_NAME, optional);
}

static void set_default_rules_if_none_given(const struct base_conf *conf, struct policy_queues *q)
{
    if (!q->rules_given)
        policy_queues_set_default_rules(
            q, base_conf_bool(conf, "yarn.scheduler.fair.allow-undeclared-pools"),
            base_conf_bool(conf, "yarn.scheduler.fair.user-as-default-queue"));
}

int rm_queues_read_file(const struct base_conf *conf, const char *path, struct policy_queues *out,
                        struct base_error *err)
{
    struct stat st;
    int rc;

    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) /* opening a pipe would wait for its writer */
        return base_error_set(err, -BASE_EINVAL, "%s: an allocation file is a regular file", path);
    rc = rm_allocations_read_file(path, out, err);
    if (rc == 0)
        set_default_rules_if_none_given(conf, out);
    return rc;
}

static bool rule_uses_groups(const struct policy_rule *r)
{
    return r && (r->kind == POLICY_RULE_PRIMARY_GROUP || r->kind == POLICY_RULE_SECONDARY_GROUP ||
                 rule_uses_groups(r->nested));
}

bool rm_queues_rules_name_groups(const struct policy_queues *queues)
{
    for (size_t i = 0; i < queues->rules_n; i++)
        if (rule_uses_groups(&queues->rules[i]))
            return true;
    return false;
}

static bool is_required_or_exists(const char *path, bool optional)
{
    return path && (!optional || access(path, F_OK) == 0);
}

/* Returns true when the queues are those of the capacity scheduler's file. */
static bool is_capacity_file_in_force(const struct rm_backend *b)
{
    return rm_scheduler_shape_read(b->conf) == RM_SHAPE_CAPACITY &&
           !is_required_or_exists(b->queues_path, b->queues_optional) &&
           is_required_or_exists(b->capacity_path, b->capacity_optional);
}

const char *rm_queues_get_file_path(const struct rm_backend *backend)
{
    return is_capacity_file_in_force(backend) ? backend->capacity_path : backend->queues_path;
}

bool rm_queues_submission_needs_groups(struct rm_backend *backend, const char *queue,
                                       const char *user)
{
    bool asked = atomic_load(&backend->wants_groups);

    if (!asked && base_acl_conf_is_enabled(backend->conf)) {
        asked = rm_view_submission_needs_groups(rm_backend_lock_core(backend), queue, user);
        rm_backend_unlock_core(backend);
    }
    return asked;
}

void rm_queues_look_up_groups_if_needed(struct rm_backend *backend, const char *queue,
                                        const char *user, struct rm_str_list *out)
{
    if (rm_queues_submission_needs_groups(backend, queue, user))
        rm_backend_look_up_groups(backend, user, out);
}

/* ---------------------------------------------------------------- as a leadership begins */
/* Keeps the file's content in memory. The RM may become the leader long after its startup, and a
 * file that has become bad in the meantime must not prevent that. */
static void remember_good_file(struct rm_backend *b)
{
    struct base_buf text = {0};

    if (base_file_read(b->queues_path, RM_ALLOCATIONS_MAX, &text, NULL) < 0)
        return;
    pthread_mutex_lock(&b->qlock);
    base_buf_free(&b->queues_good);
    b->queues_good = text;
    pthread_mutex_unlock(&b->qlock);
}

/* Parses the content that the file had when it was last read successfully. */
static int parse_remembered_file(struct rm_backend *b, struct policy_queues *out,
                                 struct base_error *err)
{
    struct base_buf text = {0};
    int rc;

    pthread_mutex_lock(&b->qlock);
    base_buf_add(&text, b->queues_good.data, b->queues_good.len);
    pthread_mutex_unlock(&b->qlock);
    rc = rm_allocations_parse_text(b->queues_path, text.data, text.len, out, NULL, err);
    if (rc == 0)
        set_default_rules_if_none_given(b->conf, out);
    base_buf_free(&text);
    return rc;
}

int rm_queues_load_file_or_last_good(struct rm_backend *b, struct policy_queues *out,
                                     struct base_error *err)
{
    struct base_error why = {0};
    int rc;

    if (!b->queues_path || (b->queues_optional && access(b->queues_path, F_OK) < 0))
        return 0;
    rc = rm_queues_read_file(b->conf, b->queues_path, out, &why);
    if (rc == 0) {
        remember_good_file(b);
    } else if (b->queues_good.data) {
        base_log_error("rm", "the queues stay as they were: %s", why.text);
        rc = parse_remembered_file(b, out, err);
    } else {
        /* always -BASE_EINVAL, so that the daemon is not restarted until the file is corrected */
        rc = base_error_set(err, -BASE_EINVAL, "%s: %s", KEY, why.text);
    }
    if (rc < 0)
        return rc;
    base_log_info("rm", "%s: %zu queues", b->queues_path, out->n);
    atomic_store(&b->wants_groups, rm_queues_rules_name_groups(out));
    if (*base_conf_get(b->conf, "creel.scheduler.queues"))
        base_log_warn("rm", "creel.scheduler.queues is ignored: the queues come from %s",
                      b->queues_path);
    return 1;
}

/* ---------------------------------------------------------------- reloading */
struct reload { /* shared by the event and its reply, which are released in either order */
    struct rm_event ev;
    struct policy_queues queues;
    rm_reply_fn *fn;
    void *user;
    atomic_int refs;
};

static void unref_reload(void *user)
{
    struct reload *r = user;

    if (atomic_fetch_sub(&r->refs, 1) != 1)
        return;
    policy_queues_free(&r->queues); /* frees the queues that the core has not taken */
    free(r);
}

static void on_reload_reply(void *user, const struct rm_effect *fx)
{
    struct reload *r = user;

    if (r->fn)
        r->fn(r->user, fx);
    unref_reload(r);
}

int rm_queues_reload(struct rm_backend *backend, rm_reply_fn *on_reply, void *reply_user,
                     size_t *queues_n, struct base_error *err)
{
    struct reload *r;
    int rc;

    if (is_capacity_file_in_force(backend))
        return rm_queue_conf_reload(backend, on_reply, reply_user, queues_n, err);
    if (!backend->queues_path)
        return base_error_set(err, -BASE_ENOTFOUND, "no allocation file is configured: " KEY);
    r = base_alloc(sizeof *r);
    rc = rm_queues_read_file(backend->conf, backend->queues_path, &r->queues, err);
    if (rc < 0) {
        free(r);
        return rc;
    }
    remember_good_file(backend);
    *queues_n = r->queues.n;
    atomic_store(&backend->wants_groups, rm_queues_rules_name_groups(&r->queues));
    r->fn = on_reply;
    r->user = reply_user;
    atomic_init(&r->refs, 2);
    r->ev.kind = RM_EV_SET_QUEUES;
    r->ev.u.queues.queues = &r->queues;
    rm_backend_post(backend, &r->ev, on_reload_reply, unref_reload, r);
    return 0;
}

/* ---------------------------------------------------------------- watching the file for changes */
/* Reads the file's inode, size and modification time (s, ns), which stand for its content; all are
 * 0 when stat() fails. */
static void read_file_stamp(const char *path, int64_t out[4])
{
    struct stat st;

    memset(out, 0, 4 * sizeof *out);
    if (stat(path, &st) < 0)
        return;
    out[0] = (int64_t)st.st_ino;
    out[1] = st.st_size;
    out[2] = st.st_mtim.tv_sec;
    out[3] = st.st_mtim.tv_nsec;
}

bool rm_queues_file_changed_and_settled(const struct rm_backend *backend,
                                        struct rm_queues_watch *watch)
{
    int64_t now[4];
    bool quiet, first = !watch->looked;

    if (!backend->queues_path)
        return false;
    read_file_stamp(backend->queues_path, now);
    quiet = memcmp(now, watch->seen, sizeof now) == 0;
    memcpy(watch->seen, now, sizeof now);
    watch->looked = true;
    if (first)
        memcpy(watch->stamp, now, sizeof now);
    /* deleting the file leaves the queues unchanged */
    if (!quiet || memcmp(now, watch->stamp, sizeof now) == 0 || now[0] == 0)
        return false;
    memcpy(watch->stamp, now, sizeof now);
    return true;
}
