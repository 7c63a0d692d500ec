/* base/acl/acl.h - access control lists as YARN writes them, and what they decide about an
 * application. Pure: who is in which group is known beforehand, or asked for.
 *
 *   "alice,bob ops,staff"   users, and after the first blank groups
 *   " ops"                  a group alone
 *   "*"                     everybody
 *   " "                     nobody
 *
 * Names are separated by commas or newlines, and blanks around them do not count. A "*" among other
 * names is a name. SOURCE: Hadoop's AccessControlList; YARN's ApplicationACLsManager and
 * AdminACLsManager. */
#ifndef CREEL_BASE_ACL_ACL_H
#define CREEL_BASE_ACL_ACL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

/* In this order the answers of several lists, of which one is enough, combine by their maximum. */
enum base_acl_answer {
    BASE_ACL_NO,
    BASE_ACL_ASK_GROUPS, /* depends on the groups of the caller, who has not been looked up yet */
    BASE_ACL_YES,
};
struct base_acl_caller {
    const char *user;          /* NULL: nobody knows who asks; everything is allowed, as in YARN */
    const char *const *groups; /* @groups_n of them, if known */
    size_t groups_n;
    bool groups_known;
};
/* Decides whether @acl names the caller. @acl NULL: nobody. */
enum base_acl_answer base_acl_check(const char *acl, const struct base_acl_caller *who);
/* Returns true when @acl names a group, so that its answer may depend on groups. @acl NULL: false.
 */
bool base_acl_names_groups(const char *acl);
/* Appends @acl as Hadoop shows it: its users, a blank, its groups; NULL: a blank, which is nobody.
 */
void base_acl_format(const char *acl, struct base_buf *out);
enum base_acl_answer base_acl_either(enum base_acl_answer a, enum base_acl_answer b);

/* What a daemon is configured to check. The texts are borrowed. */
struct base_acl_rules {
    bool enabled;        /* yarn.acl.enable; otherwise only administration asks for a right */
    const char *admins;  /* yarn.admin.acl */
    const char *process; /* the user of the daemon, who is an administrator, too */
};
/* Decides whether the caller is an administrator, whether or not ACLs are enabled. */
enum base_acl_answer base_acl_check_admin(const struct base_acl_rules *rules,
                                          const struct base_acl_caller *who);
/* Decides whether the caller may do with @owner's application what @acl (NULL: given to nobody)
 * lists: its owner, administrators and the users listed may. Everybody may while ACLs are not
 * enabled. */
enum base_acl_answer base_acl_check_app(const struct base_acl_rules *rules,
                                        const struct base_acl_caller *who, const char *owner,
                                        const char *acl);

#endif
