#include "rm/config/allocation_file.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/io/log.h"
#include "rm/config/allocations.h"
#include "rm/daemon/daemon_internal.h"
#include "rm/config/groups.h"

#define KEY       "yarn.scheduler.fair.allocation.file"
#define FILE_NAME "fair-scheduler.xml"

/* The place where @key is set ("file, line n", "-D"); NULL: nowhere. */
static const char *source_of(const struct base_conf *conf, const char *key)
{
    struct base_conf_item item;

    for (size_t i = 0; base_conf_at(conf, i, &item); i++)
        if (strcmp(item.name, key) == 0)
            return item.source;
    return NULL;
}

char *rm_queues_path(const struct base_conf *conf, bool *optional)
{
    const char *path = base_conf_get(conf, KEY), *source = source_of(conf, KEY), *slash;

    *optional = false;
    if (!path || !*path) {
        *optional = true;
        return base_conf_folder(conf) ? base_printf("%s/" FILE_NAME, base_conf_folder(conf)) : NULL;
    }
    slash = source && *source != '-' ? strrchr(source, '/') : NULL;
    if (*path == '/' || !slash)
        return base_strdup(path);
    return base_printf("%.*s/%s", (int)(slash - source), source, path);
}

static void finish_rules(const struct base_conf *conf, struct policy_queues *q)
{
    if (!q->rules_given)
        policy_queues_default_rules(q, base_conf_bool(conf, "yarn.scheduler.fair.allow-undeclared-pools"),
                                    base_conf_bool(conf, "yarn.scheduler.fair.user-as-default-queue"));
}

int rm_queues_read(const struct base_conf *conf, const char *path, struct policy_queues *out, struct base_error *err)
{
    struct stat st;
    int rc;

    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) /* opening a pipe would wait for whoever writes to it */
        return base_error_set(err, -BASE_EINVAL, "%s: an allocation file is a regular file", path);
    rc = rm_allocations_read(path, out, err);
    if (rc == 0)
        finish_rules(conf, out);
    return rc;
}

const char *rm_queues_file(const struct rm_backend *b)
{
    return b->queues_path;
}

bool rm_queues_want_groups(const struct rm_backend *b)
{
    return atomic_load(&b->wants_groups);
}

void rm_queues_groups(struct rm_backend *b, const char *user, struct rm_str_list *out)
{
    if (rm_queues_want_groups(b))
        rm_groups_get(b->groups, user, rm_backend_now_us(b), out);
}

/* ---------------------------------------------------------------- at a start */
static void remember(struct rm_backend *b)
{
    struct base_buf text = {0};

    if (base_file_read(b->queues_path, RM_ALLOCATIONS_MAX, &text, NULL) < 0)
        return;
    pthread_mutex_lock(&b->qlock);
    base_buf_free(&b->queues_good);
    b->queues_good = text;
    pthread_mutex_unlock(&b->qlock);
}

/* What the file said when it could last be read. */
static int read_remembered(struct rm_backend *b, struct policy_queues *out, struct base_error *err)
{
    struct base_buf text = {0};
    int rc;

    pthread_mutex_lock(&b->qlock);
    base_buf_add(&text, b->queues_good.data, b->queues_good.len);
    pthread_mutex_unlock(&b->qlock);
    rc = rm_allocations_parse(b->queues_path, text.data, text.len, out, NULL, err);
    if (rc == 0)
        finish_rules(b->conf, out);
    base_buf_free(&text);
    return rc;
}

int rm_queues_load(struct rm_backend *b, struct policy_queues *out, struct base_error *err)
{
    struct base_error why = {0};
    int rc;

    if (!b->queues_path || (b->queues_optional && access(b->queues_path, F_OK) < 0))
        return 0;
    rc = rm_queues_read(b->conf, b->queues_path, out, &why);
    if (rc == 0) {
        remember(b);
    } else if (b->queues_good.data) {
        base_log_error("rm", "the queues stay as they were: %s", why.text);
        rc = read_remembered(b, out, err);
    } else {
        /* whatever is wrong with it: nothing but another file, or another name for it, helps */
        rc = base_error_set(err, -BASE_EINVAL, "%s: %s", KEY, why.text);
    }
    if (rc < 0)
        return rc;
    base_log_info("rm", "%s: %zu queues", b->queues_path, out->n);
    atomic_store(&b->wants_groups, rm_groups_wanted(out));
    if (*base_conf_get(b->conf, "creel.scheduler.queues"))
        base_log_warn("rm", "creel.scheduler.queues is passed over: the queues come from %s", b->queues_path);
    return 1;
}

/* ---------------------------------------------------------------- reloading */
struct reload { /* shared by the event and the reply, which come back in either order */
    struct rm_event ev;
    struct policy_queues queues;
    rm_reply_fn *fn;
    void *user;
    atomic_int refs;
};

static void drop(void *user)
{
    struct reload *r = user;

    if (atomic_fetch_sub(&r->refs, 1) != 1)
        return;
    policy_queues_free(&r->queues); /* what the core has not taken */
    free(r);
}

static void on_reply(void *user, const struct rm_effect *fx)
{
    struct reload *r = user;

    if (r->fn)
        r->fn(r->user, fx);
    drop(r);
}

int rm_queues_reload(struct rm_backend *b, rm_reply_fn *fn, void *user, size_t *n, struct base_error *err)
{
    struct reload *r;
    int rc;

    if (!b->queues_path)
        return base_error_set(err, -BASE_ENOTFOUND, "no allocation file is configured: " KEY);
    r = base_alloc(sizeof *r);
    rc = rm_queues_read(b->conf, b->queues_path, &r->queues, err);
    if (rc < 0) {
        free(r);
        return rc;
    }
    remember(b);
    *n = r->queues.n;
    atomic_store(&b->wants_groups, rm_groups_wanted(&r->queues));
    r->fn = fn;
    r->user = user;
    atomic_init(&r->refs, 2);
    r->ev.kind = RM_EV_SET_QUEUES;
    r->ev.u.queues.queues = &r->queues;
    rm_backend_post(b, &r->ev, on_reply, drop, r);
    return 0;
}

/* ---------------------------------------------------------------- watching */
/* All zero: it is not there. */
static void stamp_of(const char *path, int64_t out[4])
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

bool rm_queues_look(const struct rm_backend *b, struct rm_queues_watch *w)
{
    int64_t now[4];
    bool quiet, first = !w->looked;

    if (!b->queues_path)
        return false;
    stamp_of(b->queues_path, now);
    quiet = memcmp(now, w->seen, sizeof now) == 0;
    memcpy(w->seen, now, sizeof now);
    w->looked = true;
    if (first)
        memcpy(w->stamp, now, sizeof now);
    if (!quiet || memcmp(now, w->stamp, sizeof now) == 0 || now[0] == 0) /* gone: the queues stay */
        return false;
    memcpy(w->stamp, now, sizeof now);
    return true;
}
