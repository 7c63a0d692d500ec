#include "nodemanager/http/log_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int compare_file_names(const void *a, const void *b)
{
    return strcmp(((const struct nm_log_file *)a)->name, ((const struct nm_log_file *)b)->name);
}

static void add_if_plain_file(int folder, const char *name, struct nm_log_list *out)
{
    struct nm_log_file *file;
    struct stat st;

    if (name[0] == '.' || fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
        !S_ISREG(st.st_mode))
        return;
    base_array_grow(&out->v, out->len, &out->cap);
    file = &out->v[out->len++];
    memset(file, 0, sizeof *file);
    snprintf(file->name, sizeof file->name, "%s", name);
    nm_utf8_replace_invalid(file->name, strlen(file->name));
    file->size = st.st_size;
    file->mtime_s = st.st_mtim.tv_sec;
}

bool nm_log_list_files(const struct nm_files *f, const struct base_container_id *id,
                       struct nm_log_list *out)
{
    char path[NM_PATH_MAX];
    int fd = nm_files_open_folder(f, nm_path_in_logs(f, id, NULL, path));
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *e;

    if (!d) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    while (out->len < NM_LOG_FILES_MAX && (e = readdir(d)) != NULL)
        add_if_plain_file(dirfd(d), e->d_name, out);
    closedir(d);
    if (out->len > 1)
        qsort(out->v, out->len, sizeof *out->v, compare_file_names);
    return true;
}

int nm_log_open(const struct nm_files *f, const struct base_container_id *id, const char *name,
                struct stat *st)
{
    char path[NM_PATH_MAX];

    if (!*name || name[0] == '.' || strchr(name, '/') || strlen(name) > 255)
        return -ENOENT;
    return nm_files_open_plain(f, nm_path_in_logs(f, id, name, path), O_RDONLY, 0, st);
}

void nm_log_find_user_and_state(struct nm *nm, const struct base_container_id *id,
                                struct nm_log_owner *out)
{
    char path[NM_PATH_MAX];
    const struct nm_app_view *app;
    const struct nm_container *c;

    memset(out, 0, sizeof *out);
    pthread_mutex_lock(&nm->lock);
    app = nm_core_app_find(nm->core, &id->attempt.app);
    c = nm_core_find_container(nm->core, id);
    out->known = app != NULL;
    if (app)
        snprintf(out->user, sizeof out->user, "%s", app->user ? app->user : "");
    if (c) {
        enum nm_state s = nm_core_view(c)->state;

        out->waits = s == NM_NEW || s == NM_LAUNCHING;
        out->running = s == NM_RUNNING;
        out->alive = s != NM_COMPLETE && s != NM_FORGOTTEN;
    }
    pthread_mutex_unlock(&nm->lock);
    if (!out->known)
        out->known = access(nm_path_in_logs(&nm->files, id, NULL, path), F_OK) == 0;
}

const char *nm_log_format_time(int64_t s, char buf[static NM_LOG_TIME_MAX])
{
    time_t t = (time_t)s;
    struct tm tm;

    if (!localtime_r(&t, &tm) || !strftime(buf, NM_LOG_TIME_MAX, "%a %b %d %H:%M:%S %z %Y", &tm))
        snprintf(buf, NM_LOG_TIME_MAX, "N/A");
    return buf;
}
