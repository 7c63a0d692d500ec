/* Files and folders of this host. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/io.h"
#include "nodemanager/localize/fetch/fetch.h"

static bool lies_in(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    return n > 0 && strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* Returns true when everybody may read the file or folder @real, of which @st tells the mode: a
 * file of the node's user alone must not reach containers of other users through the shared cache.
 * SOURCE: Hadoop's FSDownload (isPublic). */
static bool is_readable_by_everybody(const char *real, const struct stat *st)
{
    mode_t needed = S_ISDIR(st->st_mode) ? S_IROTH | S_IXOTH : S_IROTH;
    char folder[PATH_MAX];
    struct stat above;

    if ((st->st_mode & needed) != needed)
        return false;
    snprintf(folder, sizeof folder, "%s", real);
    for (char *slash = strrchr(folder, '/'); slash; slash = strrchr(folder, '/')) {
        *slash = '\0';
        if (stat(*folder ? folder : "/", &above) < 0 || !(above.st_mode & S_IXOTH))
            return false;
    }
    return true;
}

/* Opens @path, which is relative to folder @in, for reading: a plain file or a folder, wherever
 * links lead, but never a device or a FIFO, since merely opening one may block or have side
 * effects; and nothing of the NodeManager's. */
static int open_if_allowed(const struct fetch *f, int in, const char *path, struct stat *st,
                           struct base_error *err)
{
    char self[64], real[PATH_MAX];
    ssize_t n;
    int fd, at = openat(in, path, O_PATH | O_CLOEXEC), rc = 0;

    if (at < 0 && (errno == ENOENT || errno == ENOTDIR))
        return base_error_set(err, -BASE_ENOTFOUND, "File %.1000s does not exist", f->url);
    if (at < 0 || fstat(at, st) < 0) {
        rc = base_error_sys(err, -BASE_EIO, errno, "Resource %.1000s", f->url);
        if (at >= 0)
            close(at);
        return rc;
    }
    snprintf(self, sizeof self, "/proc/self/fd/%d", at);
    n = readlink(self, real, sizeof real - 1);
    real[n > 0 ? n : 0] = '\0';
    if (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode))
        rc = base_error_set(err, -BASE_EINVAL,
                            "Resource %.1000s is not a file; a plain file or a folder was expected",
                            f->url);
    else if (n <= 0 || (lies_in(real, f->root) && !lies_in(real, f->own)))
        rc =
            base_error_set(err, -BASE_EPERM, "Resource %.1000s belongs to the NodeManager", f->url);
    else if (f->shared_only && !is_readable_by_everybody(real, st))
        rc = base_error_set(err, -BASE_EPERM,
                            "Resource %.1000s is not publicly accessible and as such cannot be "
                            "part of the public cache",
                            f->url);
    fd = rc < 0 ? rc : open(self, O_RDONLY | O_CLOEXEC);
    if (rc == 0 && fd < 0)
        fd = base_error_sys(err, -BASE_EPERM, errno, "Resource %.1000s", f->url);
    close(at);
    return fd;
}

int fetch_open_local(struct fetch *f, const char *path, struct base_error *err)
{
    struct stat st;
    int64_t at_ms;
    int rc, fd = open_if_allowed(f, AT_FDCWD, path, &st, err);

    if (fd < 0)
        return fd;
    at_ms = (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000;
    /* the size of a folder says nothing about what is in it */
    rc = fetch_check_size_and_time(f, S_ISDIR(st.st_mode) ? f->size : st.st_size, at_ms,
                                   at_ms == f->timestamp_ms, err);
    if (rc == 0)
        return fd;
    close(fd);
    return rc;
}

/* ---- copying ---- */

int fetch_copy_to_file(struct fetch *f, int from, int to, const char *name, struct base_error *err)
{
    static char part[1 << 16];
    int rc = 0, fd = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0555);
    ssize_t n = 1;

    if (fd < 0)
        return base_error_sys(err, -BASE_EIO, errno, "Resource %.1000s", f->url);
    while (rc == 0 && n > 0) {
        n = read(from, part, sizeof part);
        if (n < 0 && errno == EINTR) {
            n = 1;
            continue;
        }
        if (n < 0)
            rc = base_error_sys(err, -BASE_EIO, errno, "Resource %.1000s", f->url);
        else if (n > 0 && (rc = fetch_charge_bytes(f, n, err)) == 0) {
            int sys = base_write_all(fd, part, (size_t)n);
            if (sys < 0)
                rc = base_error_sys(err, -BASE_EIO, -sys, "Resource %.1000s", f->url);
        }
    }
    close(fd);
    return rc;
}

static int copy_folder(struct fetch *f, int from, int to, int depth, struct base_error *err);

static int copy_entry(struct fetch *f, int from, const char *name, int to, int depth,
                      struct base_error *err)
{
    struct stat st;
    int folder, fd, rc = fetch_charge_entry(f, depth, err);

    if (rc < 0)
        return rc;
    fd = open_if_allowed(f, from, name, &st, err);
    if (fd < 0)
        return fd;
    if (S_ISDIR(st.st_mode)) {
        folder = fetch_make_folder(f, to, name, err);
        rc = folder < 0 ? folder : copy_folder(f, fd, folder, depth + 1, err);
        if (folder >= 0)
            close(folder);
    } else {
        rc = fetch_copy_to_file(f, fd, to, name, err);
    }
    close(fd);
    return rc;
}

static int copy_folder(struct fetch *f, int from, int to, int depth, struct base_error *err)
{
    int rc = 0, own = fcntl(from, F_DUPFD_CLOEXEC, 0);
    DIR *d = own < 0 ? NULL : fdopendir(own);
    const struct dirent *e;

    if (!d) {
        rc = base_error_sys(err, -BASE_EIO, errno, "Resource %.1000s", f->url);
        if (own >= 0)
            close(own);
        return rc;
    }
    while (rc == 0 && (errno = 0, e = readdir(d)) != NULL)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            rc = copy_entry(f, from, e->d_name, to, depth, err);
    if (rc == 0 && errno != 0)
        rc = base_error_sys(err, -BASE_EIO, errno, "Resource %.1000s", f->url);
    closedir(d);
    return rc;
}

int fetch_copy_local_folder(struct fetch *f, int from, struct base_error *err)
{
    int rc, to = fetch_make_folder(f, f->data_fd, f->name, err);

    if (to < 0)
        return to;
    rc = copy_folder(f, from, to, 1, err);
    close(to);
    return rc;
}
