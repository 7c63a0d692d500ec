#include "nodemanager/aggregate/remote.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/log.h"
#include "nodemanager/aggregate/reader.h"

#define ROOT_KEY    "yarn.nodemanager.remote-app-log-dir"
#define SUFFIX_KEY  ROOT_KEY "-suffix"
#define ROOT_MODE   01777
#define FOLDER_MODE 0770
#define FILE_MODE   0640

/* ---- names ---- */

/* Returns true if @name can be the name of a file or folder. */
static bool is_file_name(const char *name)
{
    return *name && strlen(name) <= NAME_MAX && !strchr(name, '/') && strcmp(name, ".") != 0 &&
           strcmp(name, "..") != 0;
}

/* Returns the path in "file:/path" or "file:///path", or @root if it is a path; NULL for anything
 * else. */
static const char *find_path(const char *root)
{
    if (strncmp(root, "file:", 5) == 0)
        root += 5;
    if (strncmp(root, "///", 3) == 0)
        root += 2; /* a URL without a host */
    return root[0] == '/' && root[1] != '/' ? root : NULL;
}

int nm_remote_init(struct nm_remote *out, const char *root, const char *suffix, const char *node_id,
                   struct base_error *err)
{
    const char *path = find_path(root);

    if (!path || strlen(path) >= sizeof out->root || !path[1])
        return base_error_set(err, -BASE_EINVAL,
                              ROOT_KEY ": \"%.200s\": expected an absolute path or file:///PATH",
                              root);
    if (!is_file_name(suffix) || strlen(suffix) > 200)
        return base_error_set(err, -BASE_EINVAL,
                              SUFFIX_KEY ": \"%.200s\": expected a name of at most 200 bytes",
                              suffix);
    snprintf(out->root, sizeof out->root, "%s", path);
    snprintf(out->folder, sizeof out->folder, "bucket-%s-tfile", suffix);
    snprintf(out->file, sizeof out->file, "%s", node_id);
    for (char *p = out->file; *p; p++)
        if (*p == ':' || *p == '/')
            *p = '_';
    return 0;
}

/* ---- folders ---- */

/* Opens folder @name in @at. Returns -BASE_EPERM if it is a link or another user's. */
static int open_own_folder(int at, const char *name, int *out, struct base_error *err)
{
    struct stat st;
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0)
        return base_error_sys(err, errno == ELOOP || errno == ENOTDIR ? -BASE_EPERM : -BASE_EIO,
                              errno, "%s", name);
    if (fstat(fd, &st) < 0 || (st.st_uid != geteuid() && st.st_uid != 0)) {
        close(fd);
        return base_error_set(err, -BASE_EPERM,
                              "%s: the folder belongs to another user than the NodeManager's",
                              name);
    }
    *out = fd;
    return 0;
}

static bool is_own(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && st.st_uid == geteuid();
}

/* Opens folder @name in @at, which it closes, and makes it for @reader if it is not there. A folder
 * of ours without an entry for @reader was left half made. */
static int enter_folder(int at, const char *name, uid_t reader, int *out, struct base_error *err)
{
    bool made = mkdirat(at, name, FOLDER_MODE) == 0;
    int rc = 0;

    if (!made && errno != EEXIST)
        rc = base_error_sys(err, -BASE_EIO, errno, "%s", name);
    if (rc == 0)
        rc = open_own_folder(at, name, out, err);
    if (rc == 0 && (made || (is_own(*out) && !nm_reader_has_entry(*out, reader)))) {
        if (fchmod(*out, FOLDER_MODE) < 0) /* mkdir() obeys the umask */
            base_log_warn("aggregate", "%s: %s", name, strerror(errno));
        nm_reader_grant(*out, name, FOLDER_MODE, reader);
    }
    /* else a power failure could take the folder away after the logs were noted as copied */
    if (rc == 0 && made && fsync(at) < 0) {
        rc = base_error_sys(err, -BASE_EIO, errno, "%s", name);
        unlinkat(at, name, AT_REMOVEDIR); /* so that the next try makes and syncs it anew */
        close(*out);
    }
    close(at);
    return rc;
}

static int open_root(const struct nm_remote *r, bool make, int *out, struct base_error *err)
{
    bool made = make && mkdir(r->root, ROOT_MODE) == 0;

    *out = open(r->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*out < 0)
        return base_error_sys(err, -BASE_EIO, errno, "%s", r->root);
    if (made && fchmod(*out, ROOT_MODE) < 0)
        base_log_warn("aggregate", "%s: %s", r->root, strerror(errno));
    return 0;
}

static int enter_folder_of_app(const struct nm_remote *r, const char *user, uid_t reader,
                               const struct base_app_id *app, int *out, struct base_error *err)
{
    char bucket[8], id[BASE_ID_TEXT_MAX];
    const char *const names[] = {user, r->folder, bucket, base_app_id_text(app, id)};
    int rc, at;

    snprintf(bucket, sizeof bucket, "%04d", (int)(app->seq % 10000));
    rc = open_root(r, true, &at, err);
    for (size_t i = 0; rc == 0 && i < sizeof names / sizeof *names; i++)
        rc = enter_folder(at, names[i], reader, &at, err);
    *out = at;
    return rc;
}

/* ---- files ---- */

int nm_remote_create(const struct nm_remote *r, const char *user, const struct base_app_id *app,
                     struct nm_remote_file *out, struct base_error *err)
{
    uid_t reader;
    int rc;

    if (!is_file_name(user))
        return base_error_set(err, -BASE_EINVAL, "user: \"%.200s\" cannot be the name of a folder",
                              user);
    rc = nm_reader_find(user, &reader, err);
    if (rc < 0)
        return rc;
    rc = enter_folder_of_app(r, user, reader, app, &out->folder, err);
    if (rc < 0)
        return base_error_wrap(err, rc, "%s: folder of user %s", r->root, user);
    snprintf(out->name, sizeof out->name, "%s", r->file);
    snprintf(out->temporary, sizeof out->temporary, "%s.tmp", r->file);
    unlinkat(out->folder, out->temporary, 0); /* left by a daemon that was killed */
    out->fd = openat(out->folder, out->temporary,
                     O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
    if (out->fd < 0 || fchmod(out->fd, FILE_MODE) < 0) {
        rc = base_error_sys(err, -BASE_EIO, errno, "%s: %s", r->root, out->temporary);
        nm_remote_discard(out);
        return rc;
    }
    nm_reader_grant(out->fd, out->temporary, FILE_MODE, reader);
    return 0;
}

void nm_remote_discard(struct nm_remote_file *f)
{
    if (f->fd >= 0) {
        unlinkat(f->folder, f->temporary, 0);
        close(f->fd);
    }
    close(f->folder);
}

int nm_remote_commit(struct nm_remote_file *f, struct base_error *err)
{
    if (fsync(f->fd) < 0 || renameat(f->folder, f->temporary, f->folder, f->name) < 0 ||
        fsync(f->folder) < 0) {
        int rc = base_error_sys(err, -BASE_EIO, errno, "%s", f->name);

        nm_remote_discard(f);
        return rc;
    }
    close(f->fd);
    close(f->folder);
    return 0;
}

/* ---- old files ---- */

struct removal {
    const struct nm_remote *r;
    int64_t before_s;
    bool (*is_stopping)(void *);
    void *user_data;
    size_t removed;
};

static bool is_old_plain_file(int folder, const char *name, int64_t before_s)
{
    struct stat st;

    return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
           st.st_mtim.tv_sec < before_s;
}

static void remove_old_file_of_app(struct removal *m, int folder, const char *app)
{
    struct base_app_id id;
    int fd;

    if (base_app_id_parse(app, &id, NULL) < 0 || open_own_folder(folder, app, &fd, NULL) < 0)
        return;
    if (is_old_plain_file(fd, m->r->file, m->before_s) && unlinkat(fd, m->r->file, 0) == 0) {
        m->removed++;
        unlinkat(folder, app, AT_REMOVEDIR); /* fails while another node has a file there */
    }
    close(fd);
}

/* What to do with an entry of @folder. */
typedef void visit_entry(struct removal *m, int folder, const char *name);

/* Calls @visit for each entry of folder @name in @at, unless the folder is another user's. */
static void visit_own_folder(struct removal *m, int at, const char *name, visit_entry *visit)
{
    const struct dirent *e;
    DIR *d = NULL;
    int fd;

    if (open_own_folder(at, name, &fd, NULL) < 0)
        return;
    d = fdopendir(fd);
    while (d && !m->is_stopping(m->user_data) && (e = readdir(d)) != NULL)
        if (e->d_name[0] != '.')
            visit(m, dirfd(d), e->d_name);
    if (d)
        closedir(d);
    else
        close(fd);
}

static void visit_bucket(struct removal *m, int folder, const char *bucket)
{
    visit_own_folder(m, folder, bucket, remove_old_file_of_app);
}

static void visit_user(struct removal *m, int root, const char *user)
{
    int fd;

    if (open_own_folder(root, user, &fd, NULL) < 0)
        return;
    visit_own_folder(m, fd, m->r->folder, visit_bucket);
    close(fd);
}

size_t nm_remote_remove_old(const struct nm_remote *r, int64_t before_s,
                            bool (*is_stopping)(void *user_data), void *user_data)
{
    struct removal m = {
        .r = r, .before_s = before_s, .is_stopping = is_stopping, .user_data = user_data};
    const struct dirent *e;
    DIR *d = opendir(r->root);

    while (d && !is_stopping(user_data) && (e = readdir(d)) != NULL)
        if (e->d_name[0] != '.')
            visit_user(&m, dirfd(d), e->d_name);
    if (d)
        closedir(d);
    return m.removed;
}
