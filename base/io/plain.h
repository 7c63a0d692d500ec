/* base/io/plain.h - opens files that lie where others can write. Needs libc only (the container
 * shim links it).
 *
 * Whoever can write to a folder can put anything under a name there: a FIFO, on which an open()
 * blocks for ever; a link that leads elsewhere; a device, whose open() alone may do something; a
 * second name of somebody else's file. These functions never wait, never follow a link at the end
 * of the path, and give descriptors of plain files only. */
#ifndef CREEL_BASE_IO_PLAIN_H
#define CREEL_BASE_IO_PLAIN_H

#include <sys/stat.h>
#include <sys/types.h>

/* What is there is no plain file, or one of several names that was to be written: returned negative
 * like an errno. base_plain_text() has the words. */
#define BASE_PLAIN_OTHER 100000

/* Opens @path (relative to folder @at, AT_FDCWD allowed). @flags: O_RDONLY, O_WRONLY or O_RDWR with
 * O_CREAT, O_EXCL, O_APPEND, O_TRUNC; the rest is added here. Returns a descriptor, close-on-exec,
 * and its state in *@st (may be NULL); or -errno, or -BASE_PLAIN_OTHER. */
int base_plain_open(int at, const char *path, int flags, mode_t mode, struct stat *st);
/* The same for a @path below folder @root: no component may be a link, or ".."; those on the way
 * are folders. */
int base_plain_open_below(int root, const char *path, int flags, mode_t mode, struct stat *st);
/* The folder @path below folder @root, likewise, for reading its entries. */
int base_plain_folder_below(int root, const char *path);
/* Words for what the functions above return, negative or not; as strerror(). */
const char *base_plain_text(int error);

#endif
