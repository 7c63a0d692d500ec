/* Users: who may have containers, and how to become one of them. */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "nodemanager/exec/exec.h"

/* Membership in the NodeManager's group would open the folders of all others. */
static void take_groups(const struct exec_conf *c, struct exec_user *u)
{
    u->groups_n = EXEC_GROUPS_MAX;
    if (getgrouplist(u->name, u->gid, u->groups, &u->groups_n) < 0)
        exec_refuse("user '%s' is in more than %d groups", u->name, EXEC_GROUPS_MAX);
    for (int i = 0; i < u->groups_n; i++)
        if (u->groups[i] == c->nm_gid || u->groups[i] == 0)
            exec_refuse("user '%s' is a member of the NodeManager's group, or of root's", u->name);
}

static void check_and_copy_user(const struct exec_conf *c, const struct passwd *p,
                                struct exec_user *out)
{
    if (exec_list_has(c->banned, p->pw_name))
        exec_refuse("user '%.100s' is banned", p->pw_name);
    if (p->pw_uid == 0 || p->pw_uid == c->nm_uid || p->pw_gid == c->nm_gid)
        exec_refuse("user '%.100s' is root, or shares the NodeManager's user or group", p->pw_name);
    if (p->pw_uid < c->min_user_id && !exec_list_has(c->allowed, p->pw_name))
        exec_refuse("user '%.100s' has the id %u, below the minimum of %lld", p->pw_name,
                    (unsigned)p->pw_uid, (long long)c->min_user_id);
    out->uid = p->pw_uid;
    out->gid = p->pw_gid;
    if (snprintf(out->name, sizeof out->name, "%s", p->pw_name) >= (int)sizeof out->name ||
        snprintf(out->home, sizeof out->home, "%s", p->pw_dir) >= (int)sizeof out->home)
        exec_refuse("user '%.100s': too long a name or home", p->pw_name);
    take_groups(c, out);
}

void exec_user_by_name(const struct exec_conf *c, const char *name, struct exec_user *out)
{
    const struct passwd *p =
        *name && strlen(name) < sizeof out->name && !strpbrk(name, ":/\n,") ? getpwnam(name) : NULL;

    if (!p || strcmp(p->pw_name, name) != 0)
        exec_refuse("user '%.100s' is unknown on this node", name);
    check_and_copy_user(c, p, out);
}

void exec_user_by_id(const struct exec_conf *c, uid_t uid, struct exec_user *out)
{
    const struct passwd *p = getpwuid(uid);

    if (!p || p->pw_uid != uid)
        exec_refuse("user id %u is unknown on this node", (unsigned)uid);
    check_and_copy_user(c, p, out);
}

/* Capabilities are lost with the last id 0; without a bounding set, the capabilities of a file
 * cannot bring them back. */
static void drop_bounding_set(void)
{
    for (unsigned long cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
        prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
}

void exec_become_user(const struct exec_conf *c, const struct exec_user *u, bool for_good)
{
    uid_t other = for_good ? u->uid : c->nm_uid, r, e, s;

    if (setgroups((size_t)u->groups_n, u->groups) < 0 || setresgid(u->gid, u->gid, u->gid) < 0)
        exec_refuse("groups of user '%s': %s", u->name, strerror(errno));
    if (c->no_new_privileges)
        drop_bounding_set();
    if (setresuid(other, u->uid, other) < 0 || getresuid(&r, &e, &s) < 0 || r != other ||
        e != u->uid || s != other)
        exec_refuse("user '%s': cannot become that user: %s", u->name, strerror(errno));
    if (setuid(0) == 0 || seteuid(0) == 0 || setgid(0) == 0)
        exec_refuse("user '%s': root could be regained", u->name);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
