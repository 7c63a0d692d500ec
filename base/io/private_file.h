/* base/io/private_file.h - files that hold secrets, and the folders for them. */
#ifndef CREEL_BASE_IO_PRIVATE_FILE_H
#define CREEL_BASE_IO_PRIVATE_FILE_H

#include <stddef.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/mem.h"

/* Opens the file for reading, and stores its state in *@st (may be NULL). Returns a descriptor;
 * -BASE_ENOTFOUND when there is no such file; -BASE_EPERM when the file is not plain (a link, say),
 * when this process has no permission to read it, when it belongs to somebody other than the
 * process's user and root, or when it gives others any permission; -BASE_EIO. */
int base_private_file_open(const char *path, struct stat *st, struct base_error *err);
/* The same, and appends the whole file to @out. Returns 0; -BASE_ELIMIT when the file is larger
 * than @max bytes; or an error of base_private_file_open(). *@st is set when the file could be
 * opened. */
int base_private_file_read(const char *path, size_t max, struct base_buf *out, struct stat *st,
                           struct base_error *err);
/* Returns the path of @name in the folder for the state of this user's programs: below
 * $XDG_STATE_HOME/creel, else ~/.local/state/creel. Caller frees. */
char *base_user_state_path(const char *name);
/* The same for settings: below $XDG_CONFIG_HOME/creel, else ~/.config/creel. */
char *base_user_conf_path(const char *name);

#endif
