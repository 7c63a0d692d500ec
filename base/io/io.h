/* base/io/io.h - files the way a crash cannot hurt, and small text helpers of the edge. */
#ifndef CREEL_BASE_IO_IO_H
#define CREEL_BASE_IO_IO_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/mem.h"

/* Whole file, at most @max bytes (-BASE_ELIMIT over it). */
int base_file_read(const char *path, size_t max, struct base_buf *out, struct base_error *err);
/* The same of a descriptor, from its place on to its end; @what is for messages. */
int base_fd_read(int fd, const char *what, size_t max, struct base_buf *out,
                 struct base_error *err);
/* A plain file that lies where others can write (base/io/plain.h), else as base_file_read. */
int base_file_read_plain(const char *path, size_t max, struct base_buf *out,
                         struct base_error *err);
/* Temporary file beside @path, fsync (if @sync), rename, fsync of the folder (if @sync). */
int base_file_write_atomic(const char *path, const void *data, size_t len, mode_t mode, bool sync,
                           struct base_error *err);
int base_mkdirs(const char *path, mode_t mode, struct base_error *err); /* like mkdir -p */
int base_rmtree(const char *path, struct base_error *err); /* never follows links; absent is fine */
/* Sets mode 0700 on our own folder @name below folder @at (AT_FDCWD allowed), following no link:
 * 0 or -errno. */
int base_folder_regain(int at, const char *name);
int base_write_all(int fd, const void *data, size_t len); /* 0 or -errno */

/* "64M", "1g", "4096" (binary units): 0 or -BASE_EINVAL. */
int base_size_parse(const char *text, int64_t *out);
/* Whole text must be a decimal integer within [min,max]. */
int base_int_parse(const char *text, int64_t min, int64_t max, int64_t *out);
/* 16 random bytes as 32 hex digits. */
void base_random_hex(char out[static 33]);
/* Columns of the terminal behind @fd (80 where it does not say); 0: it is none. */
size_t base_terminal_width(int fd);
/* Constant-time comparison of two NUL-terminated secrets. */
bool base_secret_equal(const char *a, const char *b);
enum { BASE_USER_NAME_MAX = 256 };
/* Name of the user that this process runs as; its number where it has no name. Returns @out. */
const char *base_user_name(char out[static BASE_USER_NAME_MAX]);
/* Boot id of this machine (from /proc), borrowed static text. */
const char *base_boot_id(void);
/* Start time of @pid in clock ticks since boot (field 22 of /proc/pid/stat), or -1 when there is no
 * such process.
 * boot id + pid + start time is a process's identity. */
int64_t base_proc_start_time(pid_t pid);

#endif
