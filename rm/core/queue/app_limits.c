#include "rm/core/queue/app_limits.h"

#include <stdlib.h>
#include <string.h>

#include "rm/core/app/queues.h"
#include "rm/core/emit.h"
#include "rm/core/state.h"

struct user_apps {
    int64_t n;
    char user[];
};

static bool is_count_of_user(const void *object, const void *user)
{
    return strcmp(((const struct user_apps *)object)->user, user) == 0;
}

static struct user_apps *find_user_apps(const struct base_map *users, uint64_t hash,
                                        const char *user)
{
    return base_map_find(users, hash, is_count_of_user, user);
}

void rm_user_apps_add(struct base_map *users, const char *user, int64_t by)
{
    uint64_t hash = base_hash_text(user);
    struct user_apps *u = find_user_apps(users, hash, user);

    if (!u) {
        size_t size = strlen(user) + 1;

        u = base_alloc(sizeof *u + size);
        memcpy(u->user, user, size);
        base_map_add(users, hash, u);
    }
    u->n += by;
    base_assert(u->n >= 0);
    if (u->n == 0) {
        base_map_remove(users, hash, u);
        free(u);
    }
}

int64_t rm_user_apps_get(const struct base_map *users, const char *user)
{
    const struct user_apps *u = find_user_apps(users, base_hash_text(user), user);

    return u ? u->n : 0;
}

bool rm_user_apps_equal(const struct base_map *a, const struct base_map *b)
{
    bool equal = a->n == b->n;

    for (size_t i = 0; i < a->cap && equal; i++) {
        const struct user_apps *u = a->slot[i].object;

        equal = !u || rm_user_apps_get(b, u->user) == u->n;
    }
    return equal;
}

void rm_user_apps_free(struct base_map *users)
{
    for (size_t i = 0; i < users->cap; i++)
        free(users->slot[i].object);
    base_map_free(users);
}

static bool refuse_submission_at_limit(struct rm_core *c, uint64_t token, const char *what,
                                       const char *name, int64_t n, int32_t max)
{
    if (max == 0 || n < max)
        return false;
    rm_reply_error(c, token, -BASE_EPERM,
                   "%s %s already has %lld applications, cannot accept submission of application",
                   what, name, (long long)n);
    return true;
}

bool rm_app_limits_refuse_user(struct rm_core *c, uint64_t token, const char *user)
{
    user = user ? user : "";
    return refuse_submission_at_limit(c, token, "User", user, rm_user_apps_get(&c->user_apps, user),
                                      c->conf.user_apps_max);
}

bool rm_app_limits_refuse_queue(struct rm_core *c, uint64_t token, uint32_t index)
{
    return index != RM_NONE &&
           refuse_submission_at_limit(c, token, "Queue", c->tree.v[index].name,
                                      c->queues[index].live_apps, c->conf.queue_apps_max);
}
