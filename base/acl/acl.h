/* base/acl/acl.h - access control lists as YARN writes them, and decisions by the lists of an
 * application. Pure: callers pass the groups of a user, or are asked for them.
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

/* Where one of several lists suffices, the maximum of their answers counts. */
enum base_acl_answer {
    BASE_ACL_NO,
    BASE_ACL_ASK_GROUPS, /* depends on the groups of the caller, which have not been looked up yet
                          */
    BASE_ACL_YES,
};
struct base_acl_caller {
    const char *user;          /* NULL: an unknown caller, who may do everything, as in YARN */
    const char *const *groups; /* @groups_n of them, if known */
    size_t groups_n;
    bool groups_known;
};
/* Decides whether @acl names the caller. @acl NULL: nobody. */
enum base_acl_answer base_acl_check(const char *acl, const struct base_acl_caller *who);
/* Returns true when @acl names a group, so that its answer may depend on groups. @acl NULL: false.
 */
bool base_acl_names_groups(const char *acl);
/* Returns true when @acl names everybody, with "*". @acl NULL: false. */
bool base_acl_names_everybody(const char *acl);
/* Appends @acl as Hadoop shows it: its users, a blank, its groups; NULL: a blank, which is nobody.
 */
void base_acl_format(const char *acl, struct base_buf *out);
enum base_acl_answer base_acl_either(enum base_acl_answer a, enum base_acl_answer b);

/* What a daemon is configured to check. The texts are borrowed. */
struct base_acl_rules {
    bool enabled;        /* yarn.acl.enable; otherwise only administration asks for a right */
    const char *admins;  /* yarn.admin.acl */
    const char *process; /* the daemon's user, also an administrator */
};
/* Decides whether the caller is an administrator, whether or not ACLs are enabled. */
enum base_acl_answer base_acl_check_admin(const struct base_acl_rules *rules,
                                          const struct base_acl_caller *who);
/* Decides whether the caller has the right on @owner's application that @acl grants (NULL: to
 * nobody): the owner, administrators and the users listed have it. Everybody has it while ACLs are
 * disabled. */
enum base_acl_answer base_acl_check_app(const struct base_acl_rules *rules,
                                        const struct base_acl_caller *who, const char *owner,
                                        const char *acl);

#endif
