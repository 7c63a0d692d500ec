#include "nodemanager/localize/link.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool nm_link_name_is_valid(const char *name)
{
    for (;;) {
        size_t n = strcspn(name, "/");

        if (n == 0 || n > NAME_MAX || (n == 1 && name[0] == '.') ||
            (n == 2 && memcmp(name, "..", 2) == 0))
            return false;
        if (name[n] == '\0')
            return true;
        name += n + 1;
    }
}

int nm_link_create_with_folders(int folder, const char *name, const char *target,
                                struct base_error *err)
{
    char part[NAME_MAX + 1];
    const char *at = name, *slash;
    int rc = 0, in = fcntl(folder, F_DUPFD_CLOEXEC, 0);

    while (in >= 0 && rc == 0 && (slash = strchr(at, '/')) != NULL) {
        int next = -1;

        snprintf(part, sizeof part, "%.*s", (int)(slash - at), at);
        if (mkdirat(in, part, 0755) == 0 || errno == EEXIST)
            next = openat(in, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        rc = next < 0 ? -errno : 0;
        close(in);
        in = next;
        at = slash + 1;
    }
    if (rc == 0 && (in < 0 || symlinkat(target, in, at) < 0))
        rc = -errno;
    if (in >= 0)
        close(in);
    return rc < 0 ? base_error_sys(err, -BASE_EIO, -rc, "local resource %.300s: its link", name)
                  : 0;
}
