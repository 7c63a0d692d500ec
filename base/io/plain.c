#include "base/io/plain.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int to_plain_error(int sys)
{
    /* ELOOP: a link; EISDIR: a folder; ENXIO: a FIFO without a reader, or a socket */
    return sys == ELOOP || sys == EISDIR || sys == ENXIO ? -BASE_PLAIN_OTHER : -sys;
}

/* Checks that @fd is a plain file and, if opened for writing, has no second name; truncates the
 * file for O_TRUNC. Sets *@st. Returns 0, -errno or -BASE_PLAIN_OTHER. */
static int check_plain_and_truncate(int fd, int flags, struct stat *st)
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

/* The file is checked twice. fstatat() before the open keeps us from opening a device at all; since
 * the file may be replaced in between, O_NONBLOCK keeps the open from blocking, and fstat() after
 * it decides. O_TRUNC is carried out only after that. */
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
        return to_plain_error(errno);
    rc = check_plain_and_truncate(fd, flags, st);
    if (rc < 0)
        close(fd);
    return rc < 0 ? rc : fd;
}

static int open_subfolder(int at, const char *name, size_t len)
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

/* Opens the folder that contains the last component of *@path, and sets *@path to that component.
 * Returns a descriptor, -errno or -BASE_PLAIN_OTHER. */
static int open_parent_folder(int root, const char **path)
{
    const char *p = *path + strspn(*path, "/"), *slash;
    int at = fcntl(root, F_DUPFD_CLOEXEC, 0);

    if (at < 0)
        return -errno;
    while ((slash = strchr(p, '/')) != NULL) {
        int next = open_subfolder(at, p, (size_t)(slash - p));

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
    int at = open_parent_folder(root, &path), fd;

    if (at < 0)
        return at;
    fd = base_plain_open(at, path, flags, mode, st);
    close(at);
    return fd;
}

int base_plain_open_folder_below(int root, const char *path)
{
    int at = open_parent_folder(root, &path), fd;

    if (at < 0)
        return at;
    fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        fd = errno == ENOTDIR || errno == ELOOP ? -BASE_PLAIN_OTHER : -errno;
    close(at);
    return fd;
}

const char *base_plain_open_strerror(int error)
{
    int positive = error < 0 ? -error : error;

    return positive == BASE_PLAIN_OTHER ? "not a regular file, or one with several names"
                                        : strerror(positive);
}
