#include "base/io/private_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/io/plain.h"

/* Checks the state of the opened file, which cannot be exchanged any more. */
static int check_owner_and_mode(const char *path, const struct stat *st, struct base_error *err)
{
    if (st->st_uid != geteuid() && st->st_uid != 0)
        return base_error_set(err, -BASE_EPERM,
                              "%s belongs to user id %u: expected %u, who reads it, or root", path,
                              (unsigned)st->st_uid, (unsigned)geteuid());
    if (st->st_mode & 077)
        return base_error_set(err, -BASE_EPERM,
                              "%s has mode %04o, so others may use it: expected 0600 (chmod 600)",
                              path, (unsigned)(st->st_mode & 07777));
    return 0;
}

int base_private_file_open(const char *path, struct stat *st, struct base_error *err)
{
    struct stat found;
    int fd = base_plain_open(AT_FDCWD, path, O_RDONLY, 0, &found), rc;

    if (fd == -ENOENT || fd == -ENOTDIR)
        return base_error_set(err, -BASE_ENOTFOUND, "%s does not exist", path);
    if (fd == -ELOOP || fd == -BASE_PLAIN_OTHER)
        return base_error_set(err, -BASE_EPERM, "%s is not a plain file", path);
    if (fd < 0)
        return base_error_set(err, fd == -EACCES ? -BASE_EPERM : -BASE_EIO, "%s: %s", path,
                              base_plain_open_strerror(fd));
    rc = check_owner_and_mode(path, &found, err);
    if (rc < 0) {
        close(fd);
        return rc;
    }
    if (st)
        *st = found;
    return fd;
}

int base_private_file_read(const char *path, size_t max, struct base_buf *out, struct stat *st,
                           struct base_error *err)
{
    int fd = base_private_file_open(path, st, err), rc;

    if (fd < 0)
        return fd;
    rc = base_fd_read_to_end(fd, path, max, out, err);
    close(fd);
    return rc;
}

/* Returns the path of @name in the folder "creel" below the folder that environment variable
 * @variable names with an absolute path, else below @below in the user's home. */
static char *make_user_folder_path(const char *variable, const char *below, const char *name)
{
    const char *base = getenv(variable), *home = getenv("HOME");

    if (base && *base == '/')
        return base_printf("%s/creel/%s", base, name);
    if (!home || *home != '/') {
        const struct passwd *pw = getpwuid(geteuid());

        home = pw ? pw->pw_dir : "/nonexistent";
    }
    return base_printf("%s/%s/creel/%s", home, below, name);
}

char *base_user_state_path(const char *name)
{
    return make_user_folder_path("XDG_STATE_HOME", ".local/state", name);
}

char *base_user_conf_path(const char *name)
{
    return make_user_folder_path("XDG_CONFIG_HOME", ".config", name);
}
