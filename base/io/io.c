#include "base/io/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/plain.h"

#define READ_CHUNK 65536

int base_fd_read_to_end(int fd, const char *what, size_t max, struct base_buf *out,
                        struct base_error *err)
{
    size_t got = 0;
    ssize_t n;

    base_buf_reserve(out, 0);
    out->data[out->len] = '\0';
    for (;;) {
        base_buf_reserve(out, READ_CHUNK);
        n = read(fd, out->data + out->len, READ_CHUNK);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        out->len += (size_t)n;
        out->data[out->len] = '\0';
        got += (size_t)n;
        if (got > max)
            return base_error_set(err, -BASE_ELIMIT, "%s is larger than %zu bytes", what, max);
    }
    return n < 0 ? base_error_sys(err, -BASE_EIO, errno, "cannot read %s", what) : 0;
}

/* Returns the negative BASE_E* for the errno of a failed open(). */
static int open_error_code(int sys)
{
    return sys == ENOENT ? -BASE_ENOTFOUND : sys == EACCES ? -BASE_EPERM : -BASE_EIO;
}

int base_file_read(const char *path, size_t max, struct base_buf *out, struct base_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), rc;

    if (fd < 0)
        return base_error_sys(err, open_error_code(errno), errno, "cannot open %s", path);
    rc = base_fd_read_to_end(fd, path, max, out, err);
    close(fd);
    return rc;
}

int base_file_read_plain(const char *path, size_t max, struct base_buf *out, struct base_error *err)
{
    int fd = base_plain_open(AT_FDCWD, path, O_RDONLY, 0, NULL), rc;

    if (fd < 0)
        return base_error_set(err, open_error_code(-fd), "cannot open %s: %s", path,
                              base_plain_open_strerror(fd));
    rc = base_fd_read_to_end(fd, path, max, out, err);
    close(fd);
    return rc;
}

int base_write_all(int fd, const void *data, size_t len)
{
    const char *p = data;

    while (len > 0) {
        ssize_t n = write(fd, p, len);
        if (n < 0) {
            if (errno == EINTR)
                continue;
            if (errno == EAGAIN) {
                struct pollfd pfd = {.fd = fd, .events = POLLOUT};
                (void)poll(&pfd, 1, -1);
                continue;
            }
            return -errno;
        }
        p += n;
        len -= (size_t)n;
    }
    return 0;
}

static int sync_parent_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder =
        !slash ? base_strdup(".") : base_strndup(path, slash == path ? 1 : (size_t)(slash - path));
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = fd < 0 || fsync(fd) < 0 ? -errno : 0;

    if (fd >= 0)
        close(fd);
    free(folder);
    return rc;
}

int base_file_write_atomic(const char *path, const void *data, size_t len, mode_t mode, bool sync,
                           struct base_error *err)
{
    char *tmp = base_printf("%s.tmp-XXXXXX", path);
    int fd = mkostemp(tmp, O_CLOEXEC);
    int rc;

    if (fd < 0) {
        rc = base_error_sys(err, -BASE_EIO, errno, "cannot create %s", tmp);
        goto free_name;
    }
    rc = base_write_all(fd, data, len);
    if (rc == 0 && fchmod(fd, mode) < 0)
        rc = -errno;
    if (rc == 0 && sync && fsync(fd) < 0)
        rc = -errno;
    if (close(fd) < 0 && rc == 0)
        rc = -errno;
    if (rc == 0 && rename(tmp, path) < 0)
        rc = -errno;
    if (rc < 0) {
        rc = base_error_sys(err, -BASE_EIO, -rc, "cannot write %s", path);
        unlink(tmp);
        goto free_name;
    }
    if (sync) {
        rc = sync_parent_folder(path);
        if (rc < 0)
            rc = base_error_sys(err, -BASE_EIO, -rc, "cannot sync the folder of %s", path);
    }
free_name:
    free(tmp);
    return rc;
}

int base_mkdirs(const char *path, mode_t mode, struct base_error *err)
{
    char *copy = base_strdup(path);
    int rc = 0;

    for (char *p = copy; rc == 0; p++) {
        char saved = *p;
        struct stat st;
        if ((saved != '/' && saved != '\0') || p == copy) {
            if (saved == '\0')
                break;
            continue;
        }
        *p = '\0';
        if (mkdir(copy, mode) < 0) {
            int why = errno;
            if (stat(copy, &st) < 0)
                rc = base_error_sys(err, -BASE_EIO, why, "cannot create folder %s", copy);
            else if (!S_ISDIR(st.st_mode))
                rc = base_error_sys(err, -BASE_EIO, ENOTDIR, "cannot create folder %s", path);
        }
        *p = saved;
        if (saved == '\0')
            break;
    }
    free(copy);
    return rc;
}

/* --- base_rmtree ---
 * The owner of the tree may be hostile, so every step inside it is relative to an open folder and
 * follows no link: nothing outside the tree can be reached. A folder deeper than DEPTH_MAX is moved
 * up into the root of the tree and removed in a later pass, which bounds the stack and the open
 * descriptors. */
#define DEPTH_MAX  64
#define PASSES_MAX 100000

struct rmtree {
    int root;
    uint64_t moved;
};

int base_folder_restore_owner_access(int at, const char *name)
{
    int fd = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), rc;
    char link[64];

    if (fd < 0)
        return -errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    rc = chmod(link, 0700) < 0 ? -errno : 0;
    close(fd);
    return rc;
}

/* Opens folder @name, whose entries will be removed; sets its mode to 0700 if possible and needed.
 * Returns a descriptor, or -1 with errno. */
static int open_folder_for_removal(int at, const char *name)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int fd = openat(at, name, flags);
    struct stat st;

    if (fd < 0 && errno == EACCES) {
        (void)base_folder_restore_owner_access(at,
                                               name); /* if this fails, the next open fails too */
        fd = openat(at, name, flags);
    }
    if (fd >= 0 && fstat(fd, &st) == 0 && (st.st_mode & 0700) != 0700)
        (void)fchmod(fd, 0700); /* if this fails, unlinkat() reports the error later */
    return fd;
}

/* Removes the entries of folder @fd, and closes @fd. Returns the first error as -errno. After 0,
 * entries may still be left for the next pass. */
static int empty_folder(struct rmtree *t, int fd, int depth);

static int remove_entry(struct rmtree *t, int at, const char *name, int depth)
{
    int fd, rc;

    if (unlinkat(at, name, 0) == 0 || errno == ENOENT)
        return 0;
    if (errno != EISDIR && errno != EPERM)
        return -errno;
    if (depth >= DEPTH_MAX) {
        char up[64];
        snprintf(up, sizeof up, ".creel-rm-%llu", (unsigned long long)++t->moved);
        if (renameat2(at, name, t->root, up, RENAME_NOREPLACE) == 0 || errno == ENOENT ||
            errno == EEXIST)
            return 0; /* EEXIST: the next pass uses another number */
        return -errno;
    }
    fd = open_folder_for_removal(at, name);
    if (fd < 0)
        return errno == ENOENT ? 0 : errno == ENOTDIR || errno == ELOOP ? -EPERM : -errno;
    rc = empty_folder(t, fd, depth + 1);
    if (rc < 0)
        return rc;
    if (unlinkat(at, name, AT_REMOVEDIR) == 0 || errno == ENOENT || errno == ENOTEMPTY ||
        errno == EEXIST)
        return 0; /* not empty: an entry was added meanwhile; the next pass removes it */
    return -errno;
}

static int empty_folder(struct rmtree *t, int fd, int depth)
{
    DIR *dir = fdopendir(fd);
    struct dirent *e;
    int rc = 0;

    if (!dir) {
        rc = -errno;
        close(fd);
        return rc;
    }
    while (errno = 0, (e = readdir(dir))) {
        int one;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        one = remove_entry(t, dirfd(dir), e->d_name, depth);
        if (one < 0 && rc == 0)
            rc = one; /* continue, to remove as much as possible */
    }
    if (errno != 0 && rc == 0)
        rc = -errno;
    closedir(dir);
    return rc;
}

/* Removes everything below @t->root, and then the folder itself, which is @name in the folder @at.
 * Returns 0 or the first error as -errno. */
static int remove_root(struct rmtree *t, int at, const char *name)
{
    for (int pass = 0; pass < PASSES_MAX; pass++) {
        int fd = openat(t->root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        int rc = fd < 0 ? -errno : empty_folder(t, fd, 0);

        if (rc < 0)
            return rc;
        if (unlinkat(at, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
            return 0;
        if (errno != ENOTEMPTY && errno != EEXIST)
            return -errno;
    }
    return -ENOTEMPTY;
}

/* Removes @name in the folder @at. Returns 0 or -errno. */
static int remove_tree(int at, const char *name)
{
    struct rmtree t = {0};
    int rc;

    if (unlinkat(at, name, 0) == 0 || errno == ENOENT)
        return 0;
    if (errno != EISDIR && errno != EPERM)
        return -errno;
    t.root = open_folder_for_removal(at, name);
    if (t.root < 0)
        return errno == ENOENT ? 0 : -errno;
    rc = remove_root(&t, at, name);
    close(t.root);
    return rc;
}

int base_rmtree(const char *path, struct base_error *err)
{
    int rc = remove_tree(AT_FDCWD, path);

    return rc < 0 ? base_error_sys(err, -BASE_EIO, -rc, "cannot remove %s", path) : 0;
}

static bool is_one_of(const char *name, const char *const *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, v[i]) == 0)
            return true;
    return false;
}

int base_rmtree_entries(int fd, const char *path, const char *const *kept, size_t kept_n,
                        struct base_error *err)
{
    int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
    DIR *dir = again < 0 ? NULL : fdopendir(again);
    const struct dirent *e;

    if (!dir) {
        rc = base_error_sys(err, -BASE_EIO, errno, "%s", path);
        if (again >= 0)
            close(again);
        return rc;
    }
    while (errno = 0, (e = readdir(dir)) != NULL) {
        int sys = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
                          is_one_of(e->d_name, kept, kept_n)
                      ? 0
                      : remove_tree(fd, e->d_name);

        if (sys < 0 && rc == 0) /* continue, to remove as much as possible */
            rc = base_error_sys(err, -BASE_EIO, -sys, "cannot remove %s/%s", path, e->d_name);
    }
    if (errno != 0 && rc == 0)
        rc = base_error_sys(err, -BASE_EIO, errno, "cannot read %s", path);
    closedir(dir);
    return rc;
}

/* --- small text --- */

int base_int_parse(const char *text, int64_t min, int64_t max, int64_t *out)
{
    char *end;
    long long v;

    if (!text || !(*text == '-' || (*text >= '0' && *text <= '9')))
        return -BASE_EINVAL;
    errno = 0;
    v = strtoll(text, &end, 10);
    if (errno || end == text || *end || v < min || v > max)
        return -BASE_EINVAL;
    *out = v;
    return 0;
}

int base_size_parse(const char *text, int64_t *out)
{
    static const char units[] = "kmgtpe";
    char *end;
    long long v;
    int shift = 0;

    if (!text || *text < '0' || *text > '9')
        return -BASE_EINVAL;
    errno = 0;
    v = strtoll(text, &end, 10);
    if (errno)
        return -BASE_EINVAL;
    if (*end) {
        const char *u = strchr(units, *end | 0x20);
        if (!u || end[1])
            return -BASE_EINVAL;
        shift = 10 * (int)(u - units + 1);
    }
    if (v > INT64_MAX >> shift)
        return -BASE_EINVAL;
    *out = (int64_t)v << shift;
    return 0;
}

static char boot_id[64];

static void read_boot_id(void)
{
    struct base_buf b = {0};

    if (base_file_read("/proc/sys/kernel/random/boot_id", 1024, &b, NULL) == 0)
        snprintf(boot_id, sizeof boot_id, "%.*s", (int)strcspn(b.data, "\n"), b.data);
    else
        snprintf(boot_id, sizeof boot_id, "unknown");
    base_buf_free(&b);
}

const char *base_effective_user_name(char out[static BASE_USER_NAME_MAX])
{
    struct passwd pw, *found = NULL;
    char space[4096];

    if (getpwuid_r(geteuid(), &pw, space, sizeof space, &found) == 0 && found)
        snprintf(out, BASE_USER_NAME_MAX, "%s", found->pw_name);
    else
        snprintf(out, BASE_USER_NAME_MAX, "%u", (unsigned)geteuid());
    return out;
}

const char *base_boot_id(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, read_boot_id);
    return boot_id;
}

int64_t base_proc_start_time(pid_t pid)
{
    char path[64];
    struct base_buf b = {0};
    long long start = -1;
    char *p;

    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    if (base_file_read(path, 1 << 16, &b, NULL) < 0)
        goto out;
    p = strrchr(b.data, ')'); /* the process name may contain spaces and parentheses */
    for (int field = 2; p && field < 22; field++) {
        p = strchr(p + 1, ' ');
    }
    if (!p || sscanf(p, " %lld", &start) != 1)
        start = -1;
out:
    base_buf_free(&b);
    return start;
}

size_t base_terminal_width(int fd)
{
    struct winsize ws;

    if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &ws) != 0)
        return 0;
    return ws.ws_col ? ws.ws_col : 80;
}
