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

#define LIST_NAME "system.posix_acl_access"
#define LIST_MAX  65536 /* bytes; Linux stores no larger ones */

int nm_reader_find(const char *name, uid_t *out, struct base_error *err)
{
    char texts[16384];
    struct passwd entry, *found = NULL;
    int error = getpwnam_r(name, &entry, texts, sizeof texts, &found);

    /* getpwnam(3): some name services say so that there is no such user */
    if (error && error != ENOENT && error != ESRCH)
        return base_error_sys(err, -BASE_EIO, error, "the system cannot be asked for user %s",
                              name);
    *out = error || !found || found->pw_uid == geteuid() || found->pw_uid == 0 ? NM_READER_NONE
                                                                               : found->pw_uid;
    return 0;
}

bool nm_reader_has_entry(int fd, uid_t reader)
{
    char list[LIST_MAX];
    struct posix_acl_xattr_entry e;
    ssize_t n;

    if (reader == NM_READER_NONE)
        return true;
    n = fgetxattr(fd, LIST_NAME, list, sizeof list);
    if (n < 0)
        return errno == EOPNOTSUPP;
    for (size_t at = sizeof(struct posix_acl_xattr_header); at + sizeof e <= (size_t)n;
         at += sizeof e) {
        memcpy(&e, list + at, sizeof e);
        if (le16toh(e.e_tag) == ACL_USER && le32toh(e.e_id) == reader)
            return true;
    }
    return false;
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
    if (fsetxattr(fd, LIST_NAME, &list, sizeof list, 0) < 0 && errno != EOPNOTSUPP)
        base_log_warn("aggregate", "%s: cannot be made readable for its user: %s", name,
                      strerror(errno));
}
