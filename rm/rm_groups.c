#include "rm/rm_groups.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#define ROOM_MAX (1 << 20) /* an entry of passwd or group */

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
