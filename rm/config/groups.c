#include "rm/config/groups.h"

#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOM_MAX   (1 << 20) /* an entry of passwd or group */
#define USERS_MAX  1024
#define KNOWN_US   INT64_C(300000000)
#define UNKNOWN_US INT64_C(30000000)

struct answer {
    char *user; /* NULL: free */
    struct rm_str_list groups;
    int64_t at_us;
};
struct rm_groups { /* a user has one place, by a hash of his name */
    pthread_mutex_t lock;
    struct answer v[USERS_MAX];
};

static bool asks(const struct policy_rule *r)
{
    return r && (r->kind == POLICY_RULE_PRIMARY_GROUP || r->kind == POLICY_RULE_SECONDARY_GROUP || asks(r->nested));
}

bool rm_groups_wanted(const struct policy_queues *q)
{
    for (size_t i = 0; i < q->rules_n; i++)
        if (asks(&q->rules[i]))
            return true;
    return false;
}

static bool primary_of(const char *user, gid_t *gid)
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

static void add_name(gid_t gid, struct rm_str_list *out)
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

static void clear(struct rm_str_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->v[i]);
    free(l->v);
    *l = (struct rm_str_list){0};
}

void rm_groups_of(const char *user, struct rm_str_list *out)
{
    gid_t gids[RM_GROUPS_MAX], primary = 0;
    int n = RM_GROUPS_MAX;

    clear(out);
    if (!primary_of(user, &primary))
        return;
    if (getgrouplist(user, primary, gids, &n) < 0)
        n = RM_GROUPS_MAX; /* the first ones were filled in */
    add_name(primary, out);
    if (!out->n) /* nobody else may stand first */
        return;
    for (int i = 0; i < n; i++)
        if (gids[i] != primary)
            add_name(gids[i], out);
}

/* ---------------------------------------------------------------- answers that are kept */
struct rm_groups *rm_groups_new(void)
{
    struct rm_groups *g = base_alloc(sizeof *g);

    pthread_mutex_init(&g->lock, NULL);
    return g;
}

void rm_groups_free(struct rm_groups *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < USERS_MAX; i++) {
        free(g->v[i].user);
        clear(&g->v[i].groups);
    }
    pthread_mutex_destroy(&g->lock);
    free(g);
}

static struct answer *place_of(struct rm_groups *g, const char *user)
{
    uint32_t h = 2166136261; /* FNV-1a */

    for (; *user; user++)
        h = (h ^ (unsigned char)*user) * 16777619;
    return &g->v[(h ^ h >> 16) % USERS_MAX];
}

static void copy(const struct rm_str_list *from, struct rm_str_list *to)
{
    clear(to);
    to->v = base_realloc_array(NULL, from->n ? from->n : 1, sizeof *to->v);
    for (; to->n < from->n; to->n++)
        to->v[to->n] = base_strdup(from->v[to->n]);
}

static bool is_good(const struct answer *a, const char *user, int64_t now_us)
{
    return a->user && strcmp(a->user, user) == 0 && now_us >= a->at_us &&
           now_us - a->at_us < (a->groups.n ? KNOWN_US : UNKNOWN_US);
}

void rm_groups_get(struct rm_groups *g, const char *user, int64_t now_us, struct rm_str_list *out)
{
    struct answer *a = place_of(g, user);
    bool good;

    pthread_mutex_lock(&g->lock);
    good = is_good(a, user, now_us);
    if (good)
        copy(&a->groups, out);
    pthread_mutex_unlock(&g->lock);
    if (good)
        return;
    rm_groups_of(user, out); /* others do not wait for it */
    pthread_mutex_lock(&g->lock);
    free(a->user);
    a->user = base_strdup(user);
    a->at_us = now_us;
    copy(out, &a->groups);
    pthread_mutex_unlock(&g->lock);
}
