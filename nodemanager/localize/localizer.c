#include "nodemanager/localize/localizer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <uthash.h>

#include "base/io/io.h"
#include "base/io/json.h"
#include "base/io/log.h"
#include "nodemanager/localize/link.h"

#define SMALL_FILE_MAX 65536
#define BYTES_MAX      (INT64_C(1) << 50) /* most that a `done` file may claim */
#define LAUNCHER_ARGS  4                  /* "creel-exec localize USER NUMBER" */
#define TAG_BIT        1u /* marks tags of localizer processes; containers' tags lack it */

enum state { QUEUED, FETCHING, READY };
struct holder;
struct cached {
    char *key;
    enum state state;
    int64_t number, bytes;
    char *name;             /* READY: below data/ */
    struct base_app_id app; /* of_app: the application whose resource it is */
    bool of_app, of_user;   /* of_app: visibility APPLICATION; of_user: the files are in own/ */
    size_t holders;
    struct holder **waiting; /* not READY; one entry per link */
    size_t waiting_n, waiting_cap;
    /* until the state is READY: arguments for creel-localize */
    char *url, *own, *user, *pattern;
    enum base_resource_type type;
    enum base_resource_visibility visibility;
    int64_t size, timestamp_ms;
    bool asked;             /* FETCHING: the spawner has not answered yet */
    int pidfd;              /* FETCHING: -1: none yet */
    TAILQ_ENTRY(cached) of; /* QUEUED: in queue; READY without holders: in unheld */
    UT_hash_handle hh;
};
struct use {
    struct cached *resource;
    char *link;
};
struct holder {
    struct base_container_id id;
    struct use *v;
    size_t n, missing;
    void *container; /* NULL: not waiting */
    UT_hash_handle hh;
};
TAILQ_HEAD(cached_list, cached);
struct nm_localizer {
    struct nm_localizer_conf conf;
    struct cached *by_key;
    struct holder *by_id;
    struct cached_list queue, unheld; /* unheld: least recently used first */
    int64_t bytes, last;              /* of all READY resources; number of the newest one */
    size_t fetching;
    int epoll_fd;
};

/* ---- names ---- */

static const char *const type_words[] = {"file", "archive", "pattern"};

static char *format_cache_path(const struct nm_localizer *l, int64_t number, const char *name,
                               char buf[static NM_PATH_MAX])
{
    snprintf(buf, NM_PATH_MAX, "%.2048s/cache/%" PRId64 "%s%s", l->conf.files->root, number,
             name ? "/" : "", name ? name : "");
    return buf;
}

/* Returns the pattern by which the resource is unpacked; "": none. */
static const char *get_pattern(const struct base_local_resource *r)
{
    return r->type == BASE_RESOURCE_PATTERN && r->pattern ? r->pattern : "";
}

/* Makes a key, which is equal for resources that share a copy. No part has a line break except
 * perhaps the URL, which is last, and the user and the pattern, whose lengths are given. */
static char *make_cache_key(const struct base_local_resource *r, const struct wire_launch *order)
{
    char app[BASE_ID_TEXT_MAX];
    const char *user = order->user ? order->user : "";
    char *scope = r->visibility == BASE_RESOURCE_PUBLIC ? base_strdup("public")
                  : r->visibility == BASE_RESOURCE_PRIVATE
                      ? base_printf("user %zu %s", strlen(user), user)
                      : base_printf("app %s", base_app_id_text(&order->app, app));
    const char *pattern = get_pattern(r);
    char *type = *pattern ? base_printf("%s %zu %s", type_words[r->type], strlen(pattern), pattern)
                          : base_strdup(type_words[r->type]);
    char *key = base_printf("%s\n%s\n%" PRId64 "\n%" PRId64 "\n%s", scope, type, r->size,
                            r->timestamp_ms, r->url);

    free(scope);
    free(type);
    return key;
}

static void make_container_key(struct base_container_id *key, const struct base_container_id *id)
{
    memset(key, 0, sizeof *key); /* the hash table compares padding, too */
    key->attempt.app.cluster_ts = id->attempt.app.cluster_ts;
    key->attempt.app.seq = id->attempt.app.seq;
    key->attempt.attempt = id->attempt.attempt;
    key->num = id->num;
}

static bool same_app(const struct base_app_id *a, const struct base_app_id *b)
{
    return a->cluster_ts == b->cluster_ts && a->seq == b->seq;
}

/* ---- removing ---- */

static void kill_fetch_process(struct nm_localizer *l, struct cached *c)
{
    if (c->pidfd < 0)
        return;
    epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, c->pidfd, NULL);
    syscall(SYS_pidfd_send_signal, c->pidfd, SIGKILL, NULL, 0);
    close(c->pidfd);
    c->pidfd = -1;
}

static void free_cached(struct cached *c)
{
    free(c->key);
    free(c->name);
    free(c->url);
    free(c->own);
    free(c->user);
    free(c->pattern);
    free(c->waiting);
    free(c);
}

/* Removes a resource without holders, with its files. While the spawner's answer is outstanding,
 * the struct stays until that arrives (key NULL). */
static void remove_cached(struct nm_localizer *l, struct cached *c)
{
    char path[NM_PATH_MAX];

    if (c->state == QUEUED || (c->state == READY && c->holders == 0))
        TAILQ_REMOVE(c->state == QUEUED ? &l->queue : &l->unheld, c, of);
    if (c->state == READY)
        l->bytes -= c->bytes;
    if (c->state == FETCHING && !c->asked)
        l->fetching--;
    kill_fetch_process(l, c);
    if (c->number > 0)
        nm_files_move_to_trash_and_wake(l->conf.files, format_cache_path(l, c->number, NULL, path));
    HASH_DEL(l->by_key, c);
    if (!c->asked) {
        free_cached(c);
        return;
    }
    free(c->key);
    c->key = NULL;
}

static void remove_unheld_beyond(struct nm_localizer *l, int64_t bytes)
{
    struct cached *c;

    while (l->bytes > bytes && (c = TAILQ_FIRST(&l->unheld)) != NULL)
        remove_cached(l, c);
}

void nm_localizer_remove_unheld(struct nm_localizer *l)
{
    struct cached *c;

    while ((c = TAILQ_FIRST(&l->unheld)) != NULL)
        remove_cached(l, c);
}

/* ---- holding ---- */

static void stop_waiting(struct holder *h)
{
    for (size_t i = 0; i < h->n; i++) {
        struct cached *c = h->v[i].resource;
        size_t kept = 0;

        for (size_t k = 0; k < c->waiting_n; k++)
            if (c->waiting[k] != h)
                c->waiting[kept++] = c->waiting[k];
        c->waiting_n = kept;
    }
    h->missing = 0;
    h->container = NULL;
}

static void release_holder(struct nm_localizer *l, struct holder *h)
{
    stop_waiting(h);
    for (size_t i = 0; i < h->n; i++) {
        struct cached *c = h->v[i].resource;

        free(h->v[i].link);
        if (--c->holders > 0)
            continue;
        if (c->state == READY)
            TAILQ_INSERT_TAIL(&l->unheld, c, of);
        else
            remove_cached(l, c);
    }
    HASH_DEL(l->by_id, h);
    free(h->v);
    free(h);
    remove_unheld_beyond(l, l->conf.cache_bytes);
}

static struct holder *find_holder(const struct nm_localizer *l, const struct base_container_id *id)
{
    struct base_container_id key;
    struct holder *h = NULL;

    make_container_key(&key, id);
    HASH_FIND(hh, l->by_id, &key, sizeof key, h);
    return h;
}

void nm_localizer_release(struct nm_localizer *l, const struct base_container_id *id)
{
    struct holder *h = find_holder(l, id);

    if (h)
        release_holder(l, h);
}

bool nm_localizer_is_waiting(const struct nm_localizer *l, const struct base_container_id *id)
{
    const struct holder *h = find_holder(l, id);

    return h && h->container;
}

static struct holder *new_holder(struct nm_localizer *l, const struct base_container_id *id,
                                 size_t uses_max)
{
    struct holder *h = base_alloc(sizeof *h);

    make_container_key(&h->id, id);
    h->v = base_alloc(uses_max * sizeof *h->v);
    HASH_ADD(hh, l->by_id, id, sizeof h->id, h);
    return h;
}

static void add_use_to_holder(struct nm_localizer *l, struct holder *h, struct cached *c,
                              const char *link)
{
    if (c->holders++ == 0 && c->state == READY)
        TAILQ_REMOVE(&l->unheld, c, of);
    h->v[h->n++] = (struct use){.resource = c, .link = base_strdup(link)};
}

static struct cached *add_resource_to_queue(struct nm_localizer *l,
                                            const struct base_local_resource *r,
                                            const struct wire_launch *order, char *taken_key)
{
    struct cached *c = base_alloc(sizeof *c);
    char path[NM_PATH_MAX];

    c->key = taken_key;
    c->pidfd = -1;
    c->url = base_strdup(r->url);
    c->of_user = l->conf.launcher && r->visibility != BASE_RESOURCE_PUBLIC;
    c->user = base_strdup(order->user ? order->user : "");
    c->own = base_strdup(nm_path_in_app(l->conf.files, &order->app, NULL, path));
    c->type = r->type;
    c->pattern = base_strdup(get_pattern(r));
    c->visibility = r->visibility;
    c->size = r->size;
    c->timestamp_ms = r->timestamp_ms;
    c->of_app = r->visibility == BASE_RESOURCE_APPLICATION;
    c->app = order->app;
    HASH_ADD_KEYPTR(hh, l->by_key, c->key, strlen(c->key), c);
    TAILQ_INSERT_TAIL(&l->queue, c, of);
    return c;
}

static struct cached *find_cached(const struct nm_localizer *l, const char *key)
{
    struct cached *c = NULL;

    HASH_FIND(hh, l->by_key, key, strlen(key), c);
    return c;
}

static int create_links(const struct nm_localizer *l, const struct holder *h,
                        struct base_error *err)
{
    char path[NM_PATH_MAX], name[300];
    int rc = 0, work;

    work = nm_files_open_folder(l->conf.files,
                                nm_path_in_container(l->conf.files, &h->id, "work", path));
    if (work < 0)
        return base_error_sys(err, -BASE_EIO, -work, "%s", path);
    for (size_t i = 0; rc == 0 && i < h->n; i++) {
        const struct cached *c = h->v[i].resource;

        snprintf(name, sizeof name, "%sdata/%.255s", c->of_user ? "own/" : "", c->name);
        rc = nm_link_create_with_folders(work, h->v[i].link,
                                         format_cache_path(l, c->number, name, path), err);
    }
    close(work);
    return rc;
}

int nm_localizer_hold_or_queue(struct nm_localizer *l, const struct base_container_id *id,
                               const struct wire_launch *order, void *container,
                               struct base_error *err)
{
    struct holder *h;
    int rc;

    if (order->resources_n == 0)
        return 1;
    for (size_t i = 0; i < order->resources_n; i++)
        if (!nm_link_name_is_valid(order->resources[i].name))
            return base_error_set(err, -BASE_EINVAL,
                                  "local resource \"%.300s\": its name leads out of the "
                                  "container's folder; a relative path without \"..\" was expected",
                                  order->resources[i].name);
    h = new_holder(l, id, order->resources_n);
    for (size_t i = 0; i < order->resources_n; i++) {
        const struct base_local_resource *r = &order->resources[i];
        char *key = make_cache_key(r, order);
        struct cached *c = find_cached(l, key);

        if (c)
            free(key);
        else
            c = add_resource_to_queue(l, r, order, key);
        add_use_to_holder(l, h, c, r->name);
        if (c->state != READY) {
            base_array_grow(&c->waiting, c->waiting_n, &c->waiting_cap);
            c->waiting[c->waiting_n++] = h;
            h->missing++;
        }
    }
    if (h->missing > 0) {
        h->container = container;
        return 0;
    }
    rc = create_links(l, h, err);
    if (rc < 0)
        release_holder(l, h);
    return rc < 0 ? rc : 1;
}

void nm_localizer_hold_recovered(struct nm_localizer *l, const struct base_container_id *id,
                                 const struct wire_launch *order)
{
    struct holder *h;

    if (order->resources_n == 0 || find_holder(l, id))
        return;
    h = new_holder(l, id, order->resources_n);
    for (size_t i = 0; i < order->resources_n; i++) {
        char *key = make_cache_key(&order->resources[i], order);
        struct cached *c = find_cached(l, key);

        if (c)
            add_use_to_holder(l, h, c, order->resources[i].name);
        free(key);
    }
}

void nm_localizer_remove_app(struct nm_localizer *l, const struct base_app_id *id)
{
    struct cached *c, *next;

    HASH_ITER(hh, l->by_key, c, next)
    {
        if (c->of_app && c->holders == 0 && same_app(&c->app, id))
            remove_cached(l, c);
    }
}

/* ---- copying ---- */

/* Fails all containers that wait for @c; releasing the last one removes @c. */
static void fail_containers_waiting_for(struct nm_localizer *l, struct cached *c, const char *why)
{
    char *text = base_strdup(why); /* @why may be a part of @c */

    base_log_warn("nm", "a local resource is not there: %s", text);
    if (c->holders == 0) { /* cannot happen: @c without holders would be gone */
        remove_cached(l, c);
        free(text);
        return;
    }
    for (bool last = false; !last;) {
        struct holder *h = c->waiting[0];
        void *container = h->container;

        last = true;
        for (size_t i = 1; i < c->waiting_n; i++)
            last = last && c->waiting[i] == h;
        release_holder(l, h); /* the last one removes @c */
        l->conf.report(l->conf.user, container, text);
    }
    free(text);
}

static void link_and_report_ready(struct nm_localizer *l, struct holder *h)
{
    struct base_error err = {0};
    void *container = h->container;

    h->container = NULL;
    if (create_links(l, h, &err) == 0) {
        l->conf.report(l->conf.user, container, NULL);
        return;
    }
    release_holder(l, h);
    l->conf.report(l->conf.user, container, err.text);
}

static void set_resource_ready(struct nm_localizer *l, struct cached *c)
{
    struct holder **waiting = c->waiting;
    size_t n = c->waiting_n;

    c->state = READY;
    l->bytes += c->bytes;
    c->waiting = NULL;
    c->waiting_n = c->waiting_cap = 0;
    for (size_t i = 0; i < n; i++)
        if (--waiting[i]->missing == 0)
            link_and_report_ready(l, waiting[i]);
    free(waiting);
    remove_unheld_beyond(l, l->conf.cache_bytes);
}

static bool is_plain_name(const char *name)
{
    return nm_link_name_is_valid(name) && !strchr(name, '/');
}

/* Reads "BYTES NAME\n" from the file `done`. Returns false when the file does not exist or is not
 * valid. */
static bool read_done_file(struct nm_localizer *l, struct cached *c)
{
    char path[NM_PATH_MAX], *end = NULL;
    struct base_buf b = {0};
    bool ok =
        nm_files_read_plain(l->conf.files,
                            format_cache_path(l, c->number, c->of_user ? "own/done" : "done", path),
                            SMALL_FILE_MAX, &b, NULL) >= 0 &&
        b.len > 0 && b.data[b.len - 1] == '\n';

    if (ok) {
        b.data[b.len - 1] = '\0';
        c->bytes = strtoll(b.data, &end, 10);
        ok = c->bytes >= 0 && c->bytes <= BYTES_MAX && *end == ' ' && is_plain_name(end + 1);
    }
    if (ok)
        c->name = base_strdup(end + 1);
    base_buf_free(&b);
    return ok;
}

static void fail_with_fetch_report(struct nm_localizer *l, struct cached *c)
{
    static const char *const names[] = {"failure", "late", "own/failure", "own/late"};
    char path[NM_PATH_MAX];
    struct base_buf b = {0};

    for (size_t i = 0; i < sizeof names / sizeof names[0] && b.len == 0; i++)
        nm_files_read_plain(l->conf.files, format_cache_path(l, c->number, names[i], path),
                            SMALL_FILE_MAX, &b, NULL);
    if (b.len == 0)
        base_buf_addf(&b, "Resource %.1000s: the process that copied it was killed", c->url);
    fail_containers_waiting_for(l, c, b.data);
    base_buf_free(&b);
}

static void handle_fetch_end(struct nm_localizer *l, struct cached *c)
{
    epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, c->pidfd, NULL);
    close(c->pidfd);
    c->pidfd = -1;
    if (read_done_file(l, c)) {
        l->fetching--;
        set_resource_ready(l, c);
    } else {
        fail_with_fetch_report(l, c);
    }
}

void nm_localizer_handle_ends(struct nm_localizer *l)
{
    struct epoll_event e;

    /* one at a time: an end may remove what another event of the same batch points to */
    while (epoll_wait(l->epoll_fd, &e, 1, 0) == 1)
        handle_fetch_end(l, e.data.ptr);
}

int nm_localizer_fd(const struct nm_localizer *l)
{
    return l->epoll_fd;
}

static int make_folder(struct nm_localizer *l, struct cached *c, struct base_error *err)
{
    char path[NM_PATH_MAX], app[BASE_ID_TEXT_MAX];
    struct base_buf text = {0};
    json_t *j;
    int rc;

    c->number = ++l->last;
    if (mkdir(format_cache_path(l, c->number, NULL, path), 0755) < 0 ||
        (c->of_user && mkdir(format_cache_path(l, c->number, "own", path), 0700) < 0))
        return base_error_sys(err, errno == ENOSPC ? -BASE_ENOSPC : -BASE_EIO, errno, "%s", path);
    j = json_pack("{s:s,s:s,s:s}", "key", c->key, "boot", base_boot_id(), "app",
                  c->of_app ? base_app_id_text(&c->app, app) : "");
    if (!j)
        return base_error_set(err, -BASE_EINVAL, "a local resource's URL is not UTF-8");
    base_json_dump(j, &text);
    json_decref(j);
    format_cache_path(l, c->number, "resource.json", path);
    rc = base_file_write_atomic(path, text.data, text.len, 0600, false, err);
    base_buf_free(&text);
    return rc;
}

static int request_fetch_process(struct nm_localizer *l, struct nm_spawn *spawn, struct cached *c,
                                 struct base_error *err)
{
    static const char *const envp[] = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8", NULL};
    char dir[NM_PATH_MAX], size[32], timestamp[32], max[32], seconds[32], number[32];
    const char *const argv[] = {l->conf.launcher,
                                "localize",
                                c->user,
                                number,
                                l->conf.program,
                                format_cache_path(l, c->number, c->of_user ? "own" : NULL, dir),
                                c->url,
                                type_words[c->type],
                                c->pattern,
                                size,
                                timestamp,
                                max,
                                seconds,
                                c->visibility != BASE_RESOURCE_PUBLIC ? "private"
                                : l->conf.launcher                    ? "shared"
                                                                      : "public",
                                l->conf.files->root,
                                c->own,
                                l->conf.ca_file ? l->conf.ca_file : "",
                                c->visibility == BASE_RESOURCE_PUBLIC ? "nobody" : c->user,
                                l->conf.hdfs,
                                NULL};

    snprintf(number, sizeof number, "%" PRId64, c->number);
    snprintf(size, sizeof size, "%" PRId64, c->size);
    snprintf(timestamp, sizeof timestamp, "%" PRId64, c->timestamp_ms);
    snprintf(max, sizeof max, "%" PRId64, l->conf.resource_bytes);
    snprintf(seconds, sizeof seconds, "%" PRId64, l->conf.timeout_s);
    return nm_spawn_request(spawn, (uint64_t)(uintptr_t)c | TAG_BIT,
                            argv + (c->of_user ? 0 : LAUNCHER_ARGS), envp, err);
}

void nm_localizer_start_queued(struct nm_localizer *l, struct nm_spawn *spawn)
{
    struct cached *c;

    while (l->fetching < l->conf.fetches_max && (c = TAILQ_FIRST(&l->queue)) != NULL) {
        struct base_error err = {0};
        int rc;

        TAILQ_REMOVE(&l->queue, c, of);
        c->state = FETCHING;
        l->fetching++;
        rc = make_folder(l, c, &err);
        if (rc == 0)
            rc = request_fetch_process(l, spawn, c, &err);
        if (rc < 0)
            fail_containers_waiting_for(l, c, err.text);
        else
            c->asked = true;
    }
}

bool nm_localizer_take_answer(struct nm_localizer *l, const struct nm_spawned *answer)
{
    struct cached *c = (struct cached *)(uintptr_t)(answer->tag & ~(uint64_t)TAG_BIT);
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = c};

    if (!(answer->tag & TAG_BIT))
        return false;
    c->asked = false;
    c->pidfd = answer->pidfd;
    if (!c->key) { /* removed meanwhile */
        l->fetching--;
        kill_fetch_process(l, c);
        free_cached(c);
    } else if (answer->pid <= 0 || answer->pidfd < 0 ||
               epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, answer->pidfd, &e) < 0) {
        char *why = base_printf("cannot start %s: %s", l->conf.program,
                                strerror(answer->pid < 0 ? -answer->pid : EMFILE));
        fail_containers_waiting_for(l, c, why);
        free(why);
    }
    return true;
}

/* ---- after a restart ---- */

/* Adds the complete copy in folder cache/<number>. Returns false when the copy must be removed. */
static bool recover_cached_or_refuse(struct nm_localizer *l, int64_t number)
{
    struct cached *c = base_alloc(sizeof *c);
    const char *key, *boot, *app;
    char path[NM_PATH_MAX];
    struct base_buf b = {0};
    json_t *j = NULL;
    bool ok;

    c->number = number;
    c->pidfd = -1;
    c->state = READY;
    if (nm_files_read_plain(l->conf.files, format_cache_path(l, number, "resource.json", path),
                            SMALL_FILE_MAX, &b, NULL) >= 0 &&
        b.data)
        base_json_parse(b.data, b.len, &j, NULL);
    base_buf_free(&b);
    key = json_string_value(json_object_get(j, "key"));
    boot = json_string_value(json_object_get(j, "boot"));
    app = json_string_value(json_object_get(j, "app"));
    ok = key && boot && app && strcmp(boot, base_boot_id()) == 0 && !find_cached(l, key);
    if (ok && *app) {
        c->of_app = true;
        ok = base_app_id_parse(app, &c->app, NULL) == 0 &&
             nm_files_has_app_record(l->conf.files, &c->app);
    }
    c->of_user = access(format_cache_path(l, number, "own", path), F_OK) == 0;
    ok = ok && read_done_file(l, c);
    if (ok) {
        c->key = base_strdup(key);
        HASH_ADD_KEYPTR(hh, l->by_key, c->key, strlen(c->key), c);
        TAILQ_INSERT_TAIL(&l->unheld, c, of);
        l->bytes += c->bytes;
    } else {
        free_cached(c);
    }
    json_decref(j);
    return ok;
}

static void recover_all(struct nm_localizer *l)
{
    char path[NM_PATH_MAX], entry[NM_PATH_MAX];
    const struct dirent *e;
    DIR *d;

    snprintf(path, sizeof path, "%.2048s/cache", l->conf.files->root);
    d = opendir(path);
    while (d && (e = readdir(d)) != NULL) {
        char *end;
        int64_t number = strtoll(e->d_name, &end, 10);

        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (*end || number <= 0 || number > INT32_MAX || !recover_cached_or_refuse(l, number)) {
            snprintf(entry, sizeof entry, "%.3000s/%.255s", path, e->d_name);
            nm_files_move_to_trash_and_wake(l->conf.files, entry);
        }
        if (number > l->last && number <= INT32_MAX)
            l->last = number;
    }
    if (d)
        closedir(d);
}

struct nm_localizer *nm_localizer_new(const struct nm_localizer_conf *conf)
{
    struct nm_localizer *l = base_alloc(sizeof *l);

    l->conf = *conf;
    TAILQ_INIT(&l->queue);
    TAILQ_INIT(&l->unheld);
    l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    base_assert(l->epoll_fd >= 0);
    recover_all(l);
    return l;
}

void nm_localizer_free(struct nm_localizer *l)
{
    struct cached *c, *next;
    struct holder *h, *next_holder;

    if (!l)
        return;
    HASH_ITER(hh, l->by_id, h, next_holder)
    {
        for (size_t i = 0; i < h->n; i++)
            free(h->v[i].link);
        HASH_DEL(l->by_id, h);
        free(h->v);
        free(h);
    }
    HASH_ITER(hh, l->by_key, c, next)
    {
        HASH_DEL(l->by_key, c);
        kill_fetch_process(l, c);
        free_cached(c);
    }
    close(l->epoll_fd);
    free(l);
}
