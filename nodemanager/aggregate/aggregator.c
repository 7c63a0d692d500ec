#include "nodemanager/aggregate/aggregator.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cond.h"
#include "base/io/io.h"
#include "base/io/json.h"
#include "base/io/log.h"
#include "base/io/plain.h"
#include "base/io/sched.h"
#include "base/mem.h"
#include "nodemanager/aggregate/app_logs.h"
#include "nodemanager/container/logs/log_choice.h"

#define NOTE_MAX       (256 << 10) /* bytes */
#define AGAIN_FIRST_US INT64_C(1000000)
#define AGAIN_MAX_US   INT64_C(60000000)
#define SAY_AGAIN_US   INT64_C(60000000)
#define FAILED_MAX     1000 /* applications given up that stay listed, for FAILED_US */
#define FAILED_US      INT64_C(60000000)

struct task {
    struct base_app_id app;
    /* under lock; user NULL: the NodeManager has been restarted, and the note has both */
    char *user, *acl_view;
    enum wire_log_state state;
    /* not copied before at_us; once given up, listed until then; rest_us: between the last two
     * tries */
    int64_t at_us, rest_us;
    bool again; /* the application has ended once more while its logs were copied */
    TAILQ_ENTRY(task) next;
};
TAILQ_HEAD(tasks, task);

struct nm_aggregator {
    struct nm_aggregator_conf conf; /* its folder of logs is a copy */
    int logs;                       /* the node's folder of logs */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    atomic_bool stopping;
    struct tasks tasks;  /* under lock, oldest first; the thread alone removes */
    struct tasks failed; /* under lock: given up */
    size_t failed_n;
    /* of the thread alone */
    int64_t say_us, check_us;
    size_t unsaid;
};

static bool is_stopping(void *a)
{
    return atomic_load_explicit(&((struct nm_aggregator *)a)->stopping, memory_order_relaxed);
}

/* ---- notes ---- */

/* Formats "LOGS/<app>/.aggregate"; the caller frees the text. */
static char *format_note_path(const struct nm_aggregator *a, const struct base_app_id *app)
{
    char id[BASE_ID_TEXT_MAX];

    return base_printf("%s/%s/" NM_AGGREGATE_NOTE, a->conf.logs, base_app_id_text(app, id));
}

static int write_note(const struct nm_aggregator *a, const struct base_app_id *app,
                      const char *user, const char *acl_view, struct base_error *err)
{
    json_t *j = json_pack("{s:s,s:s*}", "user", user, "viewAcl", acl_view);
    struct base_buf text = {0};
    char *path = format_note_path(a, app);
    int rc;

    if (j)
        base_json_dump(j, &text);
    json_decref(j);
    rc = j ? base_file_write_atomic(path, text.data, text.len, 0600, false, err)
           : base_error_set(err, -BASE_EINVAL, "user or ACL: not UTF-8");
    free(path);
    base_buf_free(&text);
    return rc;
}

/* Reads the note in @folder, the application's folder of logs. NULL: there is none that can be
 * read. The caller releases it. */
static json_t *read_note(int folder)
{
    struct base_buf text = {0};
    json_t *j = NULL;
    int fd = base_plain_open(folder, NM_AGGREGATE_NOTE, O_RDONLY, 0, NULL);

    if (fd < 0)
        return NULL;
    if (base_fd_read_to_end(fd, NM_AGGREGATE_NOTE, NOTE_MAX, &text, NULL) >= 0 && text.data)
        base_json_parse(text.data, text.len, &j, NULL);
    base_buf_free(&text);
    close(fd);
    if (!json_string_value(json_object_get(j, "user"))) {
        json_decref(j);
        return NULL;
    }
    return j;
}

/* ---- the list ---- */

static struct task *find_task(struct nm_aggregator *a, const struct base_app_id *app)
{
    struct task *t;

    TAILQ_FOREACH(t, &a->tasks, next)
    if (base_app_id_cmp(&t->app, app) == 0)
        return t;
    return NULL;
}

static void free_task(struct task *t)
{
    free(t->user);
    free(t->acl_view);
    free(t);
}

static char *copy_text_or_null(const char *text)
{
    return text ? base_strdup(text) : NULL;
}

/* Call with the lock held. @user, @acl_view: as in the note; NULL: only the note has them. */
static void add_task(struct nm_aggregator *a, const struct base_app_id *app, const char *user,
                     const char *acl_view)
{
    struct task *t = find_task(a, app);

    if (t) {
        t->again = true;
        t->at_us = 0;
    } else {
        t = base_alloc(sizeof *t);
        t->app = *app;
        t->state = WIRE_LOGS_COPYING;
        TAILQ_INSERT_TAIL(&a->tasks, t, next);
    }
    free(t->user);
    free(t->acl_view);
    t->user = copy_text_or_null(user);
    t->acl_view = copy_text_or_null(acl_view);
    pthread_cond_signal(&a->wake);
}

/* The note is written under the lock, since the thread removes notes under it. Without a note, as
 * on a full disk, the logs are copied unless the NodeManager is restarted before. */
void nm_aggregator_add(struct nm_aggregator *a, const struct base_app_id *app, const char *user,
                       const char *acl_view)
{
    struct base_error err = {0};
    char id[BASE_ID_TEXT_MAX];

    pthread_mutex_lock(&a->lock);
    if (write_note(a, app, user, acl_view, &err) < 0)
        base_log_error("aggregate", "%s: its logs will not be aggregated after a restart: %s",
                       base_app_id_text(app, id), err.text);
    add_task(a, app, user, acl_view);
    pthread_mutex_unlock(&a->lock);
}

bool nm_aggregator_is_busy(struct nm_aggregator *a)
{
    bool busy;

    if (!a)
        return false;
    pthread_mutex_lock(&a->lock);
    busy = !TAILQ_EMPTY(&a->tasks);
    pthread_mutex_unlock(&a->lock);
    return busy;
}

struct listing {
    struct wire_log_report *v;
    size_t n, cap, max;
    bool more;
};

/* Returns false when the list is full. */
static bool list_task(struct listing *l, const struct task *t)
{
    if (l->n == l->max) {
        l->more = true;
        return false;
    }
    base_array_grow(&l->v, l->n, &l->cap);
    l->v[l->n++] = (struct wire_log_report){.app = t->app, .state = t->state};
    return true;
}

/* Those that were given up come first, since they are listed for a minute only. */
struct wire_log_report *nm_aggregator_list(struct nm_aggregator *a, size_t max, size_t *n,
                                           bool *more)
{
    int64_t now_us = base_cond_now_us();
    struct listing l = {.max = max};
    const struct task *t;

    if (a) {
        pthread_mutex_lock(&a->lock);
        TAILQ_FOREACH_REVERSE(t, &a->failed, tasks, next)
        if (t->at_us > now_us && !list_task(&l, t))
            break;
        TAILQ_FOREACH_REVERSE(t, &a->tasks, tasks, next)
        if (!list_task(&l, t))
            break;
        pthread_mutex_unlock(&a->lock);
    }
    *n = l.n;
    *more = l.more;
    return l.v;
}

static void list_noted_apps(struct nm_aggregator *a)
{
    int fd = openat(a->logs, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    struct base_app_id app;
    const struct dirent *e;

    while (d && (e = readdir(d)) != NULL) {
        char note[300];

        snprintf(note, sizeof note, "%s/" NM_AGGREGATE_NOTE, e->d_name);
        if (base_app_id_parse(e->d_name, &app, NULL) == 0 &&
            faccessat(a->logs, note, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
            add_task(a, &app, NULL, NULL);
    }
    if (d)
        closedir(d);
}

/* ---- copying ---- */

/* The janitor may remove logs while they are copied, when the disk is nearly full. */
static int check_logs_are_there(const struct nm_aggregator *a, const struct base_app_id *app,
                                struct base_error *err)
{
    char id[BASE_ID_TEXT_MAX];

    return faccessat(a->logs, base_app_id_text(app, id), F_OK, AT_SYMLINK_NOFOLLOW) == 0
               ? 0
               : base_error_set(err, -BASE_ENOTFOUND, "its logs were removed while being copied");
}

/* Copies the logs in @folder. Returns the number of log files or a negative BASE_E*. */
static int64_t copy_logs(struct nm_aggregator *a, const struct base_app_id *app, int folder,
                         const char *user, const char *acl_view, struct base_error *err)
{
    struct nm_log_choice *choice = nm_log_choice_read(folder);
    const struct nm_app_logs what = {.user = user,
                                     .acl_view = acl_view,
                                     .compression = a->conf.compression,
                                     .choice = choice,
                                     .sparse_max = a->conf.sparse_max,
                                     .is_stopping = is_stopping,
                                     .user_data = a};
    struct nm_remote_file file;
    int64_t n = nm_remote_create(&a->conf.remote, what.user, app, &file, err);
    int rc;

    if (n == 0) {
        n = nm_app_logs_write(folder, file.fd, &what, err);
        rc = n > 0 ? check_logs_are_there(a, app, err) : -1;
        if (rc < 0)
            nm_remote_discard(&file);
        else
            rc = nm_remote_commit(&file, err);
        if (n > 0 && rc < 0)
            n = rc;
    }
    nm_log_choice_free(choice);
    return n;
}

enum outcome { COPIED, FAILED, GIVEN_UP };

/* @user, @acl_view: what the note says; @user NULL: it has to be read. */
static enum outcome copy_app(struct nm_aggregator *a, const struct base_app_id *app,
                             const char *user, const char *acl_view, struct base_error *err)
{
    char id[BASE_ID_TEXT_MAX];
    int folder = base_plain_open_folder_below(a->logs, base_app_id_text(app, id));
    json_t *note = folder < 0 || user ? NULL : read_note(folder);
    enum outcome outcome = COPIED;
    int64_t n;

    if (note) {
        user = json_string_value(json_object_get(note, "user"));
        acl_view = json_string_value(json_object_get(note, "viewAcl"));
    }
    if (folder < 0 || !user) {
        base_error_set(err, -BASE_ENOTFOUND, "%s: its logs were removed before they were copied",
                       id);
        outcome = GIVEN_UP;
    } else if ((n = copy_logs(a, app, folder, user, acl_view, err)) < 0) {
        base_error_wrap(err, err->code, "%s", id);
        outcome = n == -BASE_ENOTFOUND ? GIVEN_UP : FAILED;
    } else {
        base_log_info("aggregate", "%s: %" PRId64 " log files", id, n);
    }
    json_decref(note);
    if (folder >= 0)
        close(folder);
    return outcome;
}

static void remove_note(const struct nm_aggregator *a, const struct base_app_id *app)
{
    char *path = format_note_path(a, app);

    if (unlink(path) < 0 && errno != ENOENT)
        base_log_warn("aggregate", "%s: %s", path, strerror(errno));
    free(path);
}

/* Logs an error, but only the first of many within a minute. */
static void say_error(struct nm_aggregator *a, const char *text)
{
    int64_t now_us = base_cond_now_us();

    a->unsaid++;
    if (now_us < a->say_us)
        return;
    base_log_error("aggregate", "logs are not aggregated: %s%s", text,
                   a->unsaid > 1 ? "; others failed since the last message, too" : "");
    a->say_us = now_us + SAY_AGAIN_US;
    a->unsaid = 0;
}

static void give_up(struct nm_aggregator *a, struct task *t)
{
    t->state = WIRE_LOGS_FAILED;
    t->at_us = base_cond_now_us() + FAILED_US;
    TAILQ_INSERT_TAIL(&a->failed, t, next);
    if (a->failed_n < FAILED_MAX) {
        a->failed_n++;
        return;
    }
    t = TAILQ_FIRST(&a->failed);
    TAILQ_REMOVE(&a->failed, t, next);
    free_task(t);
}

/* Puts @t at the end of the list, so that it does not hold up the others. */
static void try_again_later(struct nm_aggregator *a, struct task *t)
{
    t->state = WIRE_LOGS_FAILING;
    t->rest_us = t->rest_us ? t->rest_us * 2 : AGAIN_FIRST_US;
    if (t->rest_us > AGAIN_MAX_US)
        t->rest_us = AGAIN_MAX_US;
    t->at_us = base_cond_now_us() + t->rest_us;
    TAILQ_REMOVE(&a->tasks, t, next);
    TAILQ_INSERT_TAIL(&a->tasks, t, next);
}

/* Copies the logs of @t. Called with the lock held, which it releases meanwhile. */
static void carry_out_task(struct nm_aggregator *a, struct task *t)
{
    struct base_error err = {0};
    enum outcome outcome;
    char *user = copy_text_or_null(t->user), *acl_view = copy_text_or_null(t->acl_view);

    t->again = false;
    pthread_mutex_unlock(&a->lock);
    outcome = copy_app(a, &t->app, user, acl_view, &err);
    free(user);
    free(acl_view);
    if (outcome != COPIED && !is_stopping(a))
        say_error(a, err.text);
    pthread_mutex_lock(&a->lock);
    if (t->again && outcome != FAILED)
        return; /* more logs have come meanwhile, with another note */
    if (outcome == FAILED) {
        try_again_later(a, t);
        return;
    }
    TAILQ_REMOVE(&a->tasks, t, next);
    if (outcome == GIVEN_UP) {
        give_up(a, t);
        return;
    }
    remove_note(a, &t->app);
    free_task(t);
}

/* Returns a task whose time has come, or NULL; *@next_us then is when the next one's comes. */
static struct task *find_due_task(struct nm_aggregator *a, int64_t now_us, int64_t *next_us)
{
    struct task *t;

    *next_us = BASE_COND_NO_LIMIT;
    TAILQ_FOREACH(t, &a->tasks, next)
    {
        if (t->at_us <= now_us)
            return t;
        if (t->at_us < *next_us)
            *next_us = t->at_us;
    }
    return NULL;
}

/* ---- the thread ---- */

static void remove_old_files_if_due(struct nm_aggregator *a, int64_t now_us)
{
    int64_t now_s = base_wall_us(&base_clock_real) / 1000000;
    size_t n;

    if (a->conf.retain_s < 0 || now_us < a->check_us)
        return;
    n = nm_remote_remove_old(&a->conf.remote, now_s - a->conf.retain_s, is_stopping, a);
    if (n > 0)
        base_log_info("aggregate", "%zu old files of aggregated logs were removed", n);
    a->check_us = base_cond_now_us() + a->conf.check_s * 1000000;
}

/* The thread has low priority: containers run on the same processors. */
static void *run_thread(void *user)
{
    struct nm_aggregator *a = user;

    pthread_setname_np(pthread_self(), "nm-aggregator");
    base_sched_make_thread_background();
    pthread_mutex_lock(&a->lock);
    while (!is_stopping(a)) {
        int64_t now_us = base_cond_now_us(), next_us;
        struct task *t = find_due_task(a, now_us, &next_us);

        if (t) {
            carry_out_task(a, t);
            continue;
        }
        pthread_mutex_unlock(&a->lock);
        remove_old_files_if_due(a, now_us);
        pthread_mutex_lock(&a->lock);
        if (a->conf.retain_s >= 0 && a->check_us < next_us)
            next_us = a->check_us;
        if (!is_stopping(a) && !find_due_task(a, now_us, &(int64_t){0}))
            base_cond_wait_until(&a->wake, &a->lock, next_us);
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

static void free_tasks(struct tasks *tasks)
{
    struct task *t;

    while ((t = TAILQ_FIRST(tasks)) != NULL) {
        TAILQ_REMOVE(tasks, t, next);
        free_task(t);
    }
}

static void free_aggregator(struct nm_aggregator *a)
{
    free_tasks(&a->tasks);
    free_tasks(&a->failed);
    if (a->logs >= 0)
        close(a->logs);
    pthread_mutex_destroy(&a->lock);
    pthread_cond_destroy(&a->wake);
    free((char *)(uintptr_t)a->conf.logs);
    free(a);
}

int nm_aggregator_start(const struct nm_aggregator_conf *conf, struct nm_aggregator **out,
                        struct base_error *err)
{
    struct nm_aggregator *a = base_alloc(sizeof *a);
    int rc;

    a->conf = *conf;
    a->conf.logs = base_strdup(conf->logs);
    a->logs = open(conf->logs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    TAILQ_INIT(&a->tasks);
    TAILQ_INIT(&a->failed);
    pthread_mutex_init(&a->lock, NULL);
    base_cond_init(&a->wake);
    if (a->logs < 0) {
        rc = base_error_sys(err, -BASE_EIO, errno, "%s", conf->logs);
        free_aggregator(a);
        return rc;
    }
    pthread_mutex_lock(&a->lock);
    list_noted_apps(a);
    pthread_mutex_unlock(&a->lock);
    rc = pthread_create(&a->thread, NULL, run_thread, a);
    if (rc) {
        rc = base_error_sys(err, -BASE_EIO, rc, "aggregator thread");
        free_aggregator(a);
        return rc;
    }
    *out = a;
    return 0;
}

void nm_aggregator_stop(struct nm_aggregator *a)
{
    if (!a)
        return;
    pthread_mutex_lock(&a->lock);
    atomic_store(&a->stopping, true);
    pthread_cond_signal(&a->wake);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->thread, NULL);
    free_aggregator(a);
}
