/* The folder belongs to the containers, which may put anything there: each step opens what it needs
 * relative to a folder that is open already, and follows no link. */
#include "nodemanager/daemon/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/io/plain.h"

#define TEMPORARY ".app.json"

/* Allows one writer at a time, since all writers use the same temporary file. */
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;

static int open_sysfs_folder(const struct nm_files *f, const char *app_folder)
{
    int app = nm_files_open_folder(f, app_folder), fd;

    if (app < 0)
        return app;
    if (mkdirat(app, "sysfs", 0755) < 0 && errno != EEXIST)
        fd = -errno;
    else if ((fd = openat(app, "sysfs", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0)
        fd = -errno;
    close(app);
    return fd;
}

/* Returns 0 or -errno. */
static int replace_app_json(int folder, const char *text, size_t len)
{
    int fd, rc;

    unlinkat(folder, TEMPORARY, 0);
    fd = openat(folder, TEMPORARY, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0)
        return -errno;
    rc = base_write_all(fd, text, len);
    close(fd);
    if (rc == 0 && renameat(folder, TEMPORARY, folder, "app.json") < 0)
        rc = -errno;
    if (rc < 0)
        unlinkat(folder, TEMPORARY, 0);
    return rc;
}

int nm_sysfs_write(const struct nm_files *f, const struct base_app_id *app, const char *text,
                   size_t len, struct base_error *err)
{
    char path[NM_PATH_MAX];
    int folder = open_sysfs_folder(f, nm_path_in_app(f, app, NULL, path)), rc = folder;

    if (folder >= 0) {
        pthread_mutex_lock(&writing);
        rc = replace_app_json(folder, text, len);
        pthread_mutex_unlock(&writing);
        close(folder);
    }
    if (rc >= 0)
        return 0;
    return base_error_sys(err,
                          rc == -ENOENT   ? -BASE_ENOTFOUND
                          : rc == -ENOSPC ? -BASE_ENOSPC
                                          : -BASE_EIO,
                          rc == -BASE_PLAIN_OTHER ? ENOTDIR : -rc, "%s/sysfs", path);
}
