/* Walks folders of a user with his own rights, and so that nothing he does meanwhile leads
 * elsewhere: by descriptors, without links, within one file system. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nodemanager/exec/user/user.h"

#define ROUNDS_MAX 10000
#define DEEP       (INT64_C(1) << 60) /* bytes counted for a folder that is too deep to be walked */

struct walk {
    dev_t device;
    int64_t bytes;
    int top;
    unsigned moved; /* folders moved to the top since they were too deep */
    bool remove, share, left;
};

/* Adds permissions to what @fd (O_PATH) names, if it lacks some of them. */
static void add_missing_permissions(int fd, const struct stat *st, mode_t wanted)
{
    char link[48];

    if ((st->st_mode & wanted) == wanted)
        return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (chmod(link, (st->st_mode & 07777) | wanted) < 0)
        return; /* it has another owner; the steps that need the permission fail, too */
}

static void walk_folder(struct walk *w, int fd, int depth);

/* Walks the folder @name in @at. A folder at USER_DEPTH_MAX is not walked, since each level keeps a
 * descriptor open, and is counted as DEEP; when removing, it is moved to the top, where the next
 * round finds it. */
static void enter_folder(struct walk *w, int at, const char *name, int depth)
{
    char moved[32];
    int in;

    if (depth >= USER_DEPTH_MAX) {
        w->bytes = DEEP;
        snprintf(moved, sizeof moved, ".creel-moved.%u", w->moved++);
        if (w->remove)
            renameat(at, name, w->top, moved);
        return;
    }
    in = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (in >= 0)
        walk_folder(w, in, depth + 1);
}

static void walk_entry(struct walk *w, int at, const char *name, int depth)
{
    struct stat st;
    int fd = openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &st) < 0) {
        if (fd >= 0)
            close(fd);
        return;
    }
    if (S_ISDIR(st.st_mode))
        add_missing_permissions(fd, &st, w->share ? 0750 : 0700);
    else if (S_ISREG(st.st_mode) && w->share && st.st_nlink == 1)
        add_missing_permissions(fd, &st, 0040);
    close(fd);
    if (w->bytes < DEEP)
        w->bytes += (int64_t)st.st_blocks * 512 /
                    (S_ISDIR(st.st_mode) || st.st_nlink < 1 ? 1 : (int64_t)st.st_nlink);
    if (S_ISDIR(st.st_mode) && st.st_dev == w->device)
        enter_folder(w, at, name, depth);
    if (w->remove && unlinkat(at, name, S_ISDIR(st.st_mode) ? AT_REMOVEDIR : 0) < 0 &&
        errno != ENOENT)
        w->left = true;
}

static void walk_folder(struct walk *w, int fd, int depth)
{
    DIR *d = fdopendir(fd);
    const struct dirent *e;

    if (d)
        rewinddir(d);
    if (!d) {
        close(fd);
        return;
    }
    while ((e = readdir(d)) != NULL)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            walk_entry(w, fd, e->d_name, depth);
    closedir(d);
}

static void begin_walk(struct walk *w, int fd)
{
    struct stat st = {0};

    if (fstat(fd, &st) == 0 && (st.st_mode & 0700) != 0700)
        fchmod(fd, (st.st_mode & 07777) | 0700);
    w->device = st.st_dev;
    w->top = dup(fd);
    walk_folder(w, fd, 0);
    close(w->top);
}

bool user_empty_folder(int fd)
{
    struct walk w = {0};
    unsigned rounds = 0;

    do { /* again for the folders that were moved to the top */
        w = (struct walk){.remove = true, .moved = w.moved};
        begin_walk(&w, dup(fd));
    } while (w.bytes >= DEEP && ++rounds < ROUNDS_MAX);
    close(fd);
    return !w.left;
}

void user_share_folder(int fd)
{
    struct walk w = {.share = true};
    struct stat st;

    if (fstat(fd, &st) == 0 && fchmod(fd, (st.st_mode & 07777) | 0770) < 0)
        return;
    begin_walk(&w, fd);
}

int64_t user_measure_folder(int fd)
{
    struct walk w = {0};

    begin_walk(&w, fd);
    return w.bytes;
}
