/* nodemanager/http/log_files.h - the log files of a container, for the handlers that show them.
 *
 * A container writes what it likes into its log folder: files of any name and size, links, FIFOs,
 * folders. Only plain files are listed and opened, by a name that is a single path component, below
 * a folder whose name is printed from the parsed container id. Nothing here follows a link, and
 * opening never blocks. */
#ifndef CREEL_NODEMANAGER_HTTP_LOG_FILES_H
#define CREEL_NODEMANAGER_HTTP_LOG_FILES_H

#include "nodemanager/daemon/daemon.h"

#define NM_LOG_FILES_MAX 1000 /* maximum number of files listed per container */

struct nm_log_file {
    char name[256]; /* invalid UTF-8 in it is shown as '?' */
    int64_t size, mtime_s;
};
struct nm_log_list { /* sorted by name */
    struct nm_log_file *v;
    size_t len, cap;
};
/* Lists the plain files whose names do not begin with a dot. Returns false if the container has no
 * log folder. The caller frees out->v. */
bool nm_log_list_files(const struct nm_files *f, const struct base_container_id *id,
                       struct nm_log_list *out);
/* Opens a plain file for reading, with its state in *@st. Returns a descriptor; or -EACCES if the
 * NodeManager may not read it; or another negative number if there is no such plain file, or if the
 * name is empty, begins with a dot, contains a slash or is longer than 255 bytes. */
int nm_log_open(const struct nm_files *f, const struct base_container_id *id, const char *name,
                struct stat *st);

/* What the core knows about a container whose logs are requested. */
struct nm_log_owner {
    bool known;          /* its application is known, or its log folder still exists */
    bool waits;          /* it has not been started yet */
    bool running, alive; /* alive: it may still write */
    char user[256];      /* who runs the application, "" if it is unknown */
};
void nm_log_find_user_and_state(struct nm *nm, const struct base_container_id *id,
                                struct nm_log_owner *out);

/* Formats a time as YARN shows that of a log file: "Sat Nov 21 07:01:27 +0000 2026". Returns
 * @buf. */
#define NM_LOG_TIME_MAX 64
const char *nm_log_format_time(int64_t s, char buf[static NM_LOG_TIME_MAX]);

#endif
