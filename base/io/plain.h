/* base/io/plain.h - opens files in folders where other users can write. Needs libc only (the
 * container shim links it).
 *
 * A user who can write to a folder can create anything there: a FIFO, on which open() blocks for
 * ever; a link to another place; a device, whose open() alone may have effects; a second name of
 * another user's file. These functions never wait, never follow a link at the end of the path, and
 * return descriptors of plain files only, or of folders (base_plain_open_folder_below()). */
#ifndef CREEL_BASE_IO_PLAIN_H
#define CREEL_BASE_IO_PLAIN_H

#include <sys/stat.h>
#include <sys/types.h>

/* Returned negative, like an errno: the path names no plain file, or, when opened for writing, a
 * file with several names (hard links). */
#define BASE_PLAIN_OTHER 100000

/* Opens @path (relative to folder @at, AT_FDCWD allowed). @flags: O_RDONLY, O_WRONLY or O_RDWR with
 * O_CREAT, O_EXCL, O_APPEND, O_TRUNC; other flags are added as needed. Returns a descriptor,
 * close-on-exec, and its state in *@st (may be NULL); or -errno, or -BASE_PLAIN_OTHER. */
int base_plain_open(int at, const char *path, int flags, mode_t mode, struct stat *st);
/* The same for a @path below folder @root. No component may be a link or "..", and all but the last
 * must be folders. */
int base_plain_open_below(int root, const char *path, int flags, mode_t mode, struct stat *st);
/* Opens the folder @path below folder @root, likewise, for reading its entries. */
int base_plain_open_folder_below(int root, const char *path);
/* Returns the message for an error of the functions above, positive or negative, as strerror()
 * does. */
const char *base_plain_open_strerror(int error);

#endif
