#include "base/io/plain.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int error_of(int sys)
{
    /* A link; a folder; a FIFO without a reader, or a socket. */
    return sys == ELOOP || sys == EISDIR || sys == ENXIO ? -BASE_PLAIN_OTHER : -sys;
}

static int check(int fd, int flags, struct stat *st)
{
    if (fstat(fd, st) < 0)
        return -errno;
    if (!S_ISREG(st->st_mode) || ((flags & O_ACCMODE) != O_RDONLY && st->st_nlink > 1))
        return -BASE_PLAIN_OTHER;
    if (!(flags & O_TRUNC) || st->st_size == 0)
        return 0;
    st->st_size = 0;
    return ftruncate(fd, 0) < 0 ? -errno : 0;
}

/* O_TRUNC waits for the checks. The first look keeps us from opening devices; O_NONBLOCK and the
 * second one hold against a swap in between. */
int base_plain_open(int at, const char *path, int flags, mode_t mode, struct stat *st)
{
    struct stat own;
    int fd, rc;

    if (st == NULL)
        st = &own;
    if (fstatat(at, path, st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st->st_mode))
        return -BASE_PLAIN_OTHER;
    fd =
        openat(at, path, (flags & ~O_TRUNC) | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, mode);
    if (fd < 0)
        return error_of(errno);
    rc = check(fd, flags, st);
    if (rc < 0)
        close(fd);
    return rc < 0 ? rc : fd;
}

static int step_into(int at, const char *name, size_t len)
{
    char component[256];
    int fd;

    if (len >= sizeof component)
        return -ENAMETOOLONG;
    memcpy(component, name, len);
    component[len] = '\0';
    if (strcmp(component, "..") == 0)
        return -EINVAL;
    fd = openat(at, component, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOTDIR || errno == ELOOP ? -BASE_PLAIN_OTHER : -errno;
    return fd;
}

/* The folder that holds the last component of *@path, which is set to that component. */
static int walk(int root, const char **path)
{
    const char *p = *path + strspn(*path, "/"), *slash;
    int at = fcntl(root, F_DUPFD_CLOEXEC, 0);

    if (at < 0)
        return -errno;
    while ((slash = strchr(p, '/')) != NULL) {
        int next = step_into(at, p, (size_t)(slash - p));

        close(at);
        if (next < 0)
            return next;
        at = next;
        p = slash + strspn(slash, "/");
    }
    *path = p;
    if (*p != '\0' && strcmp(p, "..") != 0)
        return at;
    close(at);
    return -EINVAL;
}

int base_plain_open_below(int root, const char *path, int flags, mode_t mode, struct stat *st)
{
    int at = walk(root, &path), fd;

    if (at < 0)
        return at;
    fd = base_plain_open(at, path, flags, mode, st);
    close(at);
    return fd;
}

int base_plain_folder_below(int root, const char *path)
{
    int at = walk(root, &path), fd;

    if (at < 0)
        return at;
    fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        fd = errno == ENOTDIR || errno == ELOOP ? -BASE_PLAIN_OTHER : -errno;
    close(at);
    return fd;
}

const char *base_plain_text(int error)
{
    int positive = error < 0 ? -error : error;

    return positive == BASE_PLAIN_OTHER ? "not a regular file, or one with several names"
                                        : strerror(positive);
}
