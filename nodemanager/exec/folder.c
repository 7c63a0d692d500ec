/* Opens folders step by step, and makes a user the owner of what the NodeManager made. Everything
 * is examined by a descriptor before it is changed by the same descriptor, so nothing can be
 * exchanged in between. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nodemanager/exec/exec.h"

#define FOLDER     (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define FILE_FLAGS (O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)

static void stat_or_refuse(int fd, const char *name, struct stat *st)
{
    if (fstat(fd, st) < 0)
        exec_refuse("'%.300s': %s", name, strerror(errno));
}

int exec_open_path_safe_from_others(const char *path, uid_t owner, bool file)
{
    char copy[EXEC_PATH_MAX], *name = copy + 1, *slash = copy;
    struct stat st;
    int at = open("/", FOLDER), fd;

    if (*path != '/' || snprintf(copy, sizeof copy, "%s", path) >= (int)sizeof copy)
        exec_refuse("'%.300s': an absolute path was expected", path);
    for (; slash && at >= 0; name = slash + 1) {
        slash = strchr(name, '/');
        if (slash)
            *slash = '\0';
        fd = openat(at, name, slash || !file ? FOLDER : FILE_FLAGS);
        close(at);
        if (fd < 0)
            exec_refuse("'%.300s': '%.100s': %s", path, name, strerror(errno));
        at = fd;
        stat_or_refuse(at, path, &st);
        if ((st.st_uid != 0 && st.st_uid != owner) ||
            !(S_ISDIR(st.st_mode) || S_ISREG(st.st_mode)) ||
            ((st.st_mode & (S_IWGRP | S_IWOTH)) && !(slash && (st.st_mode & S_ISVTX))))
            exec_refuse("'%.300s': others can change '%.100s' (owner %u, mode %04o)", path, name,
                        (unsigned)st.st_uid, (unsigned)st.st_mode & 07777);
    }
    if (at < 0 || st.st_uid != owner)
        exec_refuse("'%.300s' does not belong to user %u", path, (unsigned)owner);
    return at;
}

int exec_open_folder(const struct exec_conf *c, int at, const char *name, uid_t owner)
{
    struct stat st;
    int fd;

    if (!*name || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        exec_refuse("'%.100s' is not the name of a folder", name);
    fd = openat(at, name, FOLDER);
    if (fd < 0)
        exec_refuse("folder '%.100s': %s", name, strerror(errno));
    close(at);
    stat_or_refuse(fd, name, &st);
    if (st.st_uid != owner)
        exec_refuse("folder '%.100s' belongs to user %u; %u was expected", name,
                    (unsigned)st.st_uid, (unsigned)owner);
    if (owner == c->nm_uid && (st.st_mode & (S_IWGRP | S_IWOTH)))
        exec_refuse("folder '%.100s' has mode %04o: others can write to it", name,
                    (unsigned)st.st_mode & 07777);
    return fd;
}

static void refuse_id_if_malformed(const char *text, const char *begin)
{
    if (strncmp(text, begin, strlen(begin)) != 0 || strlen(text) >= EXEC_ID_TEXT_MAX ||
        text[strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789")])
        exec_refuse("'%.100s' is no id (%s...)", text, begin);
}

static int open_app(const struct exec_conf *c, const char *part, const char *app)
{
    int fd;

    refuse_id_if_malformed(app, "application_");
    fd = exec_open_folder(c, exec_open_path_safe_from_others(c->local_dir, c->nm_uid, false), part,
                          c->nm_uid);
    return exec_open_folder(c, fd, app, c->nm_uid);
}

int exec_open_container(const struct exec_conf *c, const char *part, const char *app,
                        const char *container, uid_t owner)
{
    refuse_id_if_malformed(container, "container_");
    return exec_open_folder(c, open_app(c, part, app), container, owner);
}

/* Changes owner and mode of what @fd (O_PATH) names. */
static void give_to_user(const struct exec_conf *c, const struct exec_user *u, int fd,
                         const char *name, mode_t mode)
{
    char link[48];

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (fchownat(fd, "", u->uid, c->nm_gid, AT_EMPTY_PATH) < 0 || (mode && chmod(link, mode) < 0))
        exec_refuse("'%.100s': cannot be given to user '%s': %s", name, u->name, strerror(errno));
}

static void give_contents_to_user(const struct exec_conf *c, const struct exec_user *u, int fd,
                                  int depth);

static void give_entry_to_user(const struct exec_conf *c, const struct exec_user *u, int at,
                               const char *name, int depth)
{
    struct stat st;
    int fd = openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), in;

    if (fd < 0)
        exec_refuse("'%.100s': %s", name, strerror(errno));
    stat_or_refuse(fd, name, &st);
    if (st.st_uid != c->nm_uid)
        exec_refuse("'%.100s' belongs to user %u, not to the NodeManager", name,
                    (unsigned)st.st_uid);
    if (S_ISDIR(st.st_mode)) {
        in = openat(fd, ".", FOLDER);
        if (in < 0 || depth >= EXEC_DEPTH_MAX)
            exec_refuse("'%.100s': %s", name, in < 0 ? strerror(errno) : "too deep");
        give_contents_to_user(c, u, in, depth + 1);
        give_to_user(c, u, fd, name, 02770);
    } else if (S_ISREG(st.st_mode) && st.st_nlink == 1) {
        /* the group gets what the owner has, so that the NodeManager loses nothing */
        give_to_user(c, u, fd, name, (st.st_mode & 0700) | (st.st_mode & 0700) >> 3);
    } else if (S_ISLNK(st.st_mode)) {
        give_to_user(c, u, fd, name, 0);
    } else {
        exec_refuse("'%.100s': neither a folder, nor a link, nor a file with one name", name);
    }
    close(fd);
}

static void give_contents_to_user(const struct exec_conf *c, const struct exec_user *u, int fd,
                                  int depth)
{
    DIR *d = fdopendir(fd);
    const struct dirent *e;

    while (d && (e = readdir(d)) != NULL)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            give_entry_to_user(c, u, fd, e->d_name, depth);
    if (!d)
        exec_refuse("a folder: %s", strerror(errno));
    closedir(d);
}

/* The folder itself comes last: until then the user cannot reach what is in it. */
void exec_give_folder_to_user(const struct exec_conf *c, const struct exec_user *u, int fd)
{
    struct stat st;
    int in = openat(fd, ".", FOLDER);

    stat_or_refuse(fd, "a container's folder", &st);
    if (in < 0 || st.st_uid != c->nm_uid || (st.st_mode & 077))
        exec_refuse("a container's folder has owner %u and mode %04o; expected %u and 0700",
                    (unsigned)st.st_uid, (unsigned)st.st_mode & 07777, (unsigned)c->nm_uid);
    give_contents_to_user(c, u, in, 0);
    give_to_user(c, u, fd, "a container's folder", 02770);
}

/* Only the folder: what is in it, if anything, another launch has let the user make. Two launches
 * at a time do the same twice. */
void exec_give_shared_folder_to_user(const struct exec_conf *c, const struct exec_user *u,
                                     const char *app)
{
    struct stat st;
    int at = open_app(c, "apps", app), fd = openat(at, "shared", FOLDER);

    if (fd < 0 && errno != ENOENT)
        exec_refuse("folder 'shared': %s", strerror(errno));
    close(at);
    if (fd < 0)
        return;
    stat_or_refuse(fd, "shared", &st);
    if (st.st_uid != u->uid && (st.st_uid != c->nm_uid || (st.st_mode & 077)))
        exec_refuse("folder 'shared' has owner %u and mode %04o; expected %u and 0700",
                    (unsigned)st.st_uid, (unsigned)st.st_mode & 07777, (unsigned)c->nm_uid);
    if (st.st_uid != u->uid)
        give_to_user(c, u, fd, "shared", 02770);
    close(fd);
}
