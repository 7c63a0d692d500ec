#include "nodemanager/task/job/output_taken.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crypto/random.h"
#include "base/io/io.h"
#include "base/io/plain.h"
#include "base/mem.h"

/* enough for an index of up to 7 digits, a space, an inode of up to 20 digits and a newline */
#define LINE_MAX_BYTES 32

const char *task_output_format_part_name(size_t index, char out[static TASK_OUTPUT_PART_MAX])
{
    snprintf(out, TASK_OUTPUT_PART_MAX, "part-%05zu", index);
    return out;
}

const char *task_output_taken_format_list_name(struct base_app_id id,
                                               char out[static TASK_OUTPUT_TAKEN_MAX])
{
    char text[BASE_ID_TEXT_MAX];

    snprintf(out, TASK_OUTPUT_TAKEN_MAX, "%s.taken", base_app_id_text(&id, text));
    return out;
}

void task_output_taken_free(struct task_output_taken *taken)
{
    free(taken->inodes);
    *taken = (struct task_output_taken){0};
}

static int report_io_error(int rc, const char *name, struct base_error *err)
{
    return rc == -BASE_PLAIN_OTHER
               ? base_error_set(err, -BASE_EIO, "job.output: _temporary/%s: %s", name,
                                base_plain_open_strerror(rc))
               : base_error_sys(err, -BASE_EIO, -rc, "job.output: _temporary/%s", name);
}

/* Parses @text, which ends with NUL, in place. A truncated last line is skipped. */
static void parse_list(char *text, struct task_output_taken *out)
{
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        size_t index;
        uint64_t inode;
        int used = 0;

        *end = '\0';
        if (sscanf(line, "%zu %" SCNu64 "%n", &index, &inode, &used) == 2 && line + used == end &&
            index < out->n)
            out->inodes[index] = inode;
    }
}

int task_output_taken_load_list(int temporary, struct base_app_id id, size_t max,
                                struct task_output_taken *out, struct base_error *err)
{
    char name[TASK_OUTPUT_TAKEN_MAX];
    struct base_buf b = {0};
    int fd, rc;

    *out = (struct task_output_taken){0};
    fd =
        base_plain_open(temporary, task_output_taken_format_list_name(id, name), O_RDONLY, 0, NULL);
    if (fd == -ENOENT || fd == -BASE_PLAIN_OTHER)
        return 0;
    if (fd < 0)
        return report_io_error(fd, name, err);
    rc = base_fd_read_to_end(fd, name, max * LINE_MAX_BYTES, &b, err);
    close(fd);
    if (rc == -BASE_ELIMIT) {
        base_buf_free(&b);
        return 0;
    }
    if (rc >= 0) {
        out->is_there = true;
        out->n = max;
        out->inodes = base_alloc(max * sizeof *out->inodes);
        if (b.data)
            parse_list(b.data, out);
    }
    base_buf_free(&b);
    return rc < 0 ? base_error_wrap(err, rc, "job.output") : 0;
}

static int write_list(int fd, const struct task_output_taken *taken)
{
    struct base_buf b = {0};
    int rc;

    for (size_t i = 0; i < taken->n; i++)
        if (taken->inodes[i])
            base_buf_addf(&b, "%zu %" PRIu64 "\n", i, taken->inodes[i]);
    rc = base_write_all(fd, b.data ? b.data : "", b.len);
    base_buf_free(&b);
    return rc == 0 && fsync(fd) < 0 ? -errno : rc;
}

int task_output_taken_save_list(int temporary, struct base_app_id id,
                                const struct task_output_taken *taken, struct base_error *err)
{
    char name[TASK_OUTPUT_TAKEN_MAX], next[TASK_OUTPUT_TAKEN_MAX + 40], own[33];
    int fd, rc;

    /* The temporary name is random, since another attempt may still be working on the same commit.
     * A file left behind is removed with the folder. */
    base_random_hex(own);
    snprintf(next, sizeof next, "%s.%s", task_output_taken_format_list_name(id, name), own);
    fd = base_plain_open(temporary, next, O_WRONLY | O_CREAT | O_EXCL, 0644, NULL);
    if (fd < 0)
        return report_io_error(fd, next, err);
    rc = write_list(fd, taken);
    close(fd);
    if (rc == 0 && (renameat(temporary, next, temporary, name) < 0 || fsync(temporary) < 0))
        rc = -errno;
    if (rc < 0)
        (void)unlinkat(temporary, next, 0);
    return rc < 0 ? report_io_error(rc, name, err) : 0;
}

static int remove_taken_part(int folder, size_t index, uint64_t inode, struct base_error *err)
{
    char part[TASK_OUTPUT_PART_MAX];
    struct stat st;

    task_output_format_part_name(index, part);
    if (fstatat(folder, part, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : base_error_sys(err, -BASE_EIO, errno, "job.output: %s", part);
    if (st.st_ino != inode || S_ISDIR(st.st_mode))
        return 0; /* not the file that was moved */
    if (unlinkat(folder, part, 0) < 0 && errno != ENOENT)
        return base_error_sys(err, -BASE_EIO, errno, "job.output: %s", part);
    return 0;
}

int task_output_taken_remove_parts(int folder, const struct task_output_taken *taken,
                                   struct base_error *err)
{
    for (size_t i = 0; i < taken->n; i++) {
        int rc = taken->inodes[i] ? remove_taken_part(folder, i, taken->inodes[i], err) : 0;

        if (rc < 0)
            return rc;
    }
    return fsync(folder) < 0 ? base_error_sys(err, -BASE_EIO, errno, "job.output") : 0;
}
