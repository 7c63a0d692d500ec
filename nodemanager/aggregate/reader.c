#include "nodemanager/aggregate/reader.h"

#include <endian.h>
#include <errno.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <pwd.h>
#include <stdint.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/io/log.h"

uid_t nm_reader_find(const char *name)
{
    char texts[16384];
    struct passwd entry, *found = NULL;

    if (getpwnam_r(name, &entry, texts, sizeof texts, &found) != 0 || !found ||
        found->pw_uid == geteuid() || found->pw_uid == 0)
        return NM_READER_NONE;
    return found->pw_uid;
}

static struct posix_acl_xattr_entry make_entry(int tag, mode_t permissions, uint32_t id)
{
    return (struct posix_acl_xattr_entry){.e_tag = htole16((uint16_t)tag),
                                          .e_perm = htole16((uint16_t)(permissions & 7)),
                                          .e_id = htole32(id)};
}

void nm_reader_grant(int fd, const char *name, mode_t mode, uid_t reader)
{
    const uint32_t none = (uint32_t)ACL_UNDEFINED_ID;
    const mode_t group = mode >> 3;
    /* in the order that the kernel wants; the mask bounds what reader and group may do */
    const struct {
        struct posix_acl_xattr_header header;
        struct posix_acl_xattr_entry entries[5];
    } list = {{htole32(POSIX_ACL_XATTR_VERSION)},
              {make_entry(ACL_USER_OBJ, mode >> 6, none),
               make_entry(ACL_USER, group & (ACL_READ | ACL_EXECUTE), reader),
               make_entry(ACL_GROUP_OBJ, group, none), make_entry(ACL_MASK, group, none),
               make_entry(ACL_OTHER, mode, none)}};

    if (reader == NM_READER_NONE)
        return;
    if (fsetxattr(fd, "system.posix_acl_access", &list, sizeof list, 0) < 0 && errno != EOPNOTSUPP)
        base_log_warn("aggregate", "%s: cannot be made readable for its user: %s", name,
                      strerror(errno));
}
