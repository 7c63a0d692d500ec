/* base/io/io.h - reads files, writes them so that a crash leaves the old or the new content,
 * removes trees; parses small texts; identifies processes. */
#ifndef CREEL_BASE_IO_IO_H
#define CREEL_BASE_IO_IO_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/mem.h"

/* Appends the whole file to @out. Returns 0, or -BASE_ENOTFOUND, -BASE_EPERM, -BASE_EIO, or
 * -BASE_ELIMIT when the file is larger than @max bytes. */
int base_file_read(const char *path, size_t max, struct base_buf *out, struct base_error *err);
/* The same for a descriptor, from its offset to its end; @what names the file in messages. */
int base_fd_read_to_end(int fd, const char *what, size_t max, struct base_buf *out,
                        struct base_error *err);
/* As base_file_read(), for a file in a folder where other users can write: refuses everything but a
 * plain file (base/io/plain.h). */
int base_file_read_plain(const char *path, size_t max, struct base_buf *out,
                         struct base_error *err);
/* Writes a temporary file beside @path and renames it to @path, so that readers, even after a
 * crash, find either the old content or the new. @sync: survives a power failure too (fsync of file
 * and folder). Returns 0, -BASE_EIO or -BASE_ENOSPC. */
int base_file_write_atomic(const char *path, const void *data, size_t len, mode_t mode, bool sync,
                           struct base_error *err);
int base_mkdirs(const char *path, mode_t mode, struct base_error *err); /* like mkdir -p */
/* Removes @path and everything below it; follows no link at or below @path. Returns 0, also when
 * @path does not exist, or -BASE_EIO. */
int base_rmtree(const char *path, struct base_error *err);
/* The same for the entries of the open folder @fd, except those in @kept; @path is named in
 * messages alone. */
int base_rmtree_entries(int fd, const char *path, const char *const *kept, size_t kept_n,
                        struct base_error *err);
/* Sets the mode of our folder @name in folder @at (AT_FDCWD allowed) to 0700, so that we have full
 * access to it. Follows no link. Returns 0 or -errno. */
int base_folder_restore_owner_access(int at, const char *name);
int base_write_all(int fd, const void *data, size_t len); /* 0 or -errno */

/* Parses "64M", "1g" or "4096" into bytes (units are powers of 1024, up to E). Returns 0, or
 * -BASE_EINVAL. */
int base_size_parse(const char *text, int64_t *out);
/* Parses the whole of @text as a decimal integer in [@min, @max]. Returns 0, or -BASE_EINVAL. */
int base_int_parse(const char *text, int64_t min, int64_t max, int64_t *out);
/* Returns the number of columns of the terminal @fd (80 if the terminal does not report it), or 0
 * when @fd is not a terminal. */
size_t base_terminal_width(int fd);
enum { BASE_USER_NAME_MAX = 256 };
/* Writes the name of the user that this process runs as, or the user's number if there is no name.
 * Returns @out. */
const char *base_effective_user_name(char out[static BASE_USER_NAME_MAX]);
/* Returns the boot id of this machine (from /proc), or "unknown". Borrowed static text. */
const char *base_boot_id(void);
/* Returns the start time of @pid in clock ticks since boot (field 22 of /proc/pid/stat), or -1 when
 * it cannot be read, as when there is no such process. Boot id, pid and start time together
 * identify a process for ever. */
int64_t base_proc_start_time(pid_t pid);

#endif
