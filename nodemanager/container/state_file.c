/* state.json: the state that a NodeManager must remember in addition to its containers' folders.
 *
 * The file is replaced by rename after an fsync, so a crash leaves either the old or the new
 * version. Damage therefore comes from elsewhere: a file system that lost data, an administrator's
 * editor, or a task (tasks run as the NodeManager's user). Refusing to start would lose every
 * container of the node, since nobody would report their ends. Starting without the state loses
 * - the epoch: a deposed ResourceManager that still believes it leads is obeyed until the new one
 *   answers;
 * - the ports, if the configuration leaves them open: the node then returns under another name.
 *
 * Containers are found in the other folders in any case (nodemanager/container/recover.c). So the
 * node starts as if it had no state, and the damaged file is kept under another name for
 * inspection. A disk that cannot be read (EIO) does not mean that the file is damaged: the state
 * may be intact, so the node does not start. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/io/io.h"
#include "base/io/json.h"
#include "base/io/log.h"
#include "base/io/plain.h"
#include "base/limits.h"
#include "nodemanager/container/folders_internal.h"

#define STATE_FILE_MAX 65536

static int parse_state(const struct base_buf *b, struct nm_disk_state *out, struct base_error *err)
{
    json_t *j = NULL;
    int rc = base_json_parse(b->data ? b->data : "", b->len, &j, err);
    if (rc >= 0)
        rc = base_json_int(j, "", "epoch", true, 0, BASE_EPOCH_MAX, &out->epoch, err);
    if (rc >= 0)
        rc = base_json_int(j, "", "port", true, 0, 65535, &out->port, err);
    if (rc >= 0)
        rc = base_json_int(j, "", "hadoopPort", false, 0, 65535, &out->hadoop_port, err);
    if (rc >= 0)
        rc = base_json_int(j, "", "shufflePort", false, 0, 65535, &out->shuffle_port, err);
    json_decref(j);
    return rc < 0 ? -BASE_ECORRUPT : 0;
}

/* Returns 0, -BASE_ENOTFOUND, -BASE_ECORRUPT if the file is damaged, or another error if that
 * cannot be determined. */
static int read_state(const struct nm_files *f, const char *path, struct nm_disk_state *out,
                      struct base_error *err)
{
    struct base_buf b = {0};
    int fd = nm_files_open_plain(f, path, O_RDONLY, 0, NULL);
    if (fd == -ENOENT)
        return -BASE_ENOTFOUND;
    if (fd == -BASE_PLAIN_OTHER || fd == -EACCES || fd == -EPERM) /* replaced or changed by hand */
        return base_error_set(err, -BASE_ECORRUPT, "%s", base_plain_open_strerror(fd));
    if (fd < 0)
        return base_error_sys(err, -BASE_EIO, -fd, "%s", path);
    int rc = base_fd_read_to_end(fd, path, STATE_FILE_MAX, &b, err);
    close(fd);
    if (rc == -BASE_ELIMIT)
        rc = base_error_set(err, -BASE_ECORRUPT, "larger than %d bytes", STATE_FILE_MAX);
    else if (rc >= 0)
        rc = parse_state(&b, out, err);
    base_buf_free(&b);
    return rc;
}

/* The name contains the time, so no file of this name exists yet, and the kept files sort by
 * age. */
static void keep_damaged_file_aside(const char *path, const char *why)
{
    char aside[NM_PATH_MAX];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    nm_files_format_path(aside, "%.4000s.damaged-%lld.%09ld", path, (long long)now.tv_sec,
                         now.tv_nsec);
    int sys = rename(path, aside) == 0 ? 0 : errno;
    base_log_warn("files",
                  "%s is damaged (%s) and %s%s; the node starts without its epoch and port", path,
                  why, sys ? "cannot be kept aside: " : "kept as ", sys ? strerror(sys) : aside);
}

int nm_files_load_state(const struct nm_files *f, struct nm_disk_state *out, struct base_error *err)
{
    char path[NM_PATH_MAX];
    struct base_error why = {0};
    *out = (struct nm_disk_state){0};
    int rc = read_state(f, nm_files_format_path(path, "%s/state.json", f->root), out, &why);
    if (rc >= 0)
        return 0;
    *out = (struct nm_disk_state){0};
    if (rc == -BASE_ECORRUPT)
        keep_damaged_file_aside(path, why.text);
    else if (rc != -BASE_ENOTFOUND)
        return base_error_set(err, rc, "%s", why.text);
    return 0;
}

int nm_files_save_state(const struct nm_files *f, const struct nm_disk_state *st,
                        struct base_error *err)
{
    char path[NM_PATH_MAX], text[160];
    int n = snprintf(text, sizeof text,
                     "{\"epoch\":%lld,\"port\":%lld,\"hadoopPort\":%lld,\"shufflePort\":%lld}\n",
                     (long long)st->epoch, (long long)st->port, (long long)st->hadoop_port,
                     (long long)st->shuffle_port);
    nm_files_format_path(path, "%s/state.json", f->root);
    return base_file_write_atomic(path, text, (size_t)n, 0600, true, err);
}
