#include "base/acl/groups.h"

#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#define ROOM_MAX  (1 << 20) /* largest entry of passwd or group, in bytes */
#define USERS_MAX 1024

struct answer {
    char *user; /* NULL: the slot is free */
    struct base_group_names groups;
    int64_t at_us;
};
/* A user has one slot, chosen by a hash of the name; users with the same slot evict each other. */
struct base_groups {
    struct base_groups_conf conf;
    pthread_mutex_t lock;
    struct answer v[USERS_MAX];
};

static bool find_primary_group(const char *user, gid_t *gid)
{
    struct passwd pw, *found = NULL;
    size_t size = 1024;
    char *room = NULL;
    int rc;

    do {
        size *= 2;
        room = base_realloc_array(room, size, 1);
        rc = getpwnam_r(user, &pw, room, size, &found);
    } while (rc == ERANGE && size < ROOM_MAX);
    if (found)
        *gid = pw.pw_gid;
    free(room);
    return found;
}

static void append_group_name(gid_t gid, struct base_group_names *out)
{
    struct group gr, *found = NULL;
    size_t size = 1024;
    char *room = NULL;
    int rc;

    do {
        size *= 2;
        room = base_realloc_array(room, size, 1);
        rc = getgrgid_r(gid, &gr, room, size, &found);
    } while (rc == ERANGE && size < ROOM_MAX);
    if (found) {
        out->v = base_realloc_array(out->v, out->n + 1, sizeof *out->v);
        out->v[out->n++] = base_strdup(gr.gr_name);
    }
    free(room);
}

void base_group_names_clear(struct base_group_names *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->v[i]);
    free(l->v);
    *l = (struct base_group_names){0};
}

void base_groups_query_name_service(const char *user, struct base_group_names *out)
{
    gid_t gids[BASE_GROUPS_MAX], primary = 0;
    int n = BASE_GROUPS_MAX;

    base_group_names_clear(out);
    if (!find_primary_group(user, &primary))
        return;
    if (getgrouplist(user, primary, gids, &n) < 0)
        n = BASE_GROUPS_MAX; /* more groups than fit: the array holds the first ones */
    append_group_name(primary, out);
    if (!out->n) /* the primary group has no name, and no other group may come first */
        return;
    for (int i = 0; i < n; i++)
        if (gids[i] != primary)
            append_group_name(gids[i], out);
}

/* ---------------------------------------------------------------- the process */
static pthread_once_t process_once = PTHREAD_ONCE_INIT;
static char process_user[256];

static void read_process_user(void)
{
    struct passwd pw, *found = NULL;
    size_t size = 1024;
    char *room = NULL;
    int rc;

    do {
        size *= 2;
        room = base_realloc_array(room, size, 1);
        rc = getpwuid_r(geteuid(), &pw, room, size, &found);
    } while (rc == ERANGE && size < ROOM_MAX);
    if (found)
        snprintf(process_user, sizeof process_user, "%s", pw.pw_name);
    else
        snprintf(process_user, sizeof process_user, "%ld", (long)geteuid());
    free(room);
}

const char *base_process_user(void)
{
    pthread_once(&process_once, read_process_user);
    return process_user;
}

/* ---------------------------------------------------------------- the cache */
struct base_groups *base_groups_new(const struct base_groups_conf *conf)
{
    struct base_groups *g = base_alloc(sizeof *g);

    g->conf = *conf;
    if (!g->conf.query)
        g->conf.query = base_groups_query_name_service;
    pthread_mutex_init(&g->lock, NULL);
    return g;
}

struct base_groups *base_groups_new_by_conf(const struct base_conf *conf)
{
    const char *known = "hadoop.security.groups.cache.secs";
    const char *unknown = "hadoop.security.groups.negative-cache.secs";

    return base_groups_new(
        &(struct base_groups_conf){.known_us = base_conf_int(conf, known) * 1000000,
                                   .unknown_us = base_conf_int(conf, unknown) * 1000000});
}

void base_groups_free(struct base_groups *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < USERS_MAX; i++) {
        free(g->v[i].user);
        base_group_names_clear(&g->v[i].groups);
    }
    pthread_mutex_destroy(&g->lock);
    free(g);
}

static struct answer *find_cache_slot(struct base_groups *g, const char *user)
{
    uint32_t h = 2166136261; /* FNV-1a */

    for (; *user; user++)
        h = (h ^ (unsigned char)*user) * 16777619;
    return &g->v[(h ^ h >> 16) % USERS_MAX];
}

static void copy_group_names(const struct base_group_names *from, struct base_group_names *to)
{
    base_group_names_clear(to);
    to->v = base_realloc_array(NULL, from->n ? from->n : 1, sizeof *to->v);
    for (; to->n < from->n; to->n++)
        to->v[to->n] = base_strdup(from->v[to->n]);
}

static bool is_fresh_answer(const struct base_groups *g, const struct answer *a, const char *user,
                            int64_t now_us)
{
    return a->user && strcmp(a->user, user) == 0 && now_us >= a->at_us &&
           now_us - a->at_us < (a->groups.n ? g->conf.known_us : g->conf.unknown_us);
}

bool base_groups_know(struct base_groups *cache, const char *user, int64_t now_us)
{
    const struct answer *a = find_cache_slot(cache, user);
    bool good;

    pthread_mutex_lock(&cache->lock);
    good = is_fresh_answer(cache, a, user, now_us);
    pthread_mutex_unlock(&cache->lock);
    return good;
}

void base_groups_look_up(struct base_groups *cache, const char *user, int64_t now_us,
                         struct base_group_names *out)
{
    struct answer *a = find_cache_slot(cache, user);
    bool good;

    pthread_mutex_lock(&cache->lock);
    /* an answer that base_groups_know() has found still counts */
    good = is_fresh_answer(cache, a, user, now_us - BASE_GROUPS_GRACE_US) ||
           is_fresh_answer(cache, a, user, now_us);
    if (good)
        copy_group_names(&a->groups, out);
    pthread_mutex_unlock(&cache->lock);
    if (good)
        return;
    /* with the lock released, so that other threads do not wait for the name service */
    cache->conf.query(user, out);
    pthread_mutex_lock(&cache->lock);
    free(a->user);
    a->user = base_strdup(user);
    a->at_us = now_us;
    copy_group_names(out, &a->groups);
    pthread_mutex_unlock(&cache->lock);
}
