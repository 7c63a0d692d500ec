/* nodemanager/aggregate/reader.h - lets the user of an application read its aggregated logs, which
 * belong to the NodeManager's user: an entry of POSIX's access control lists, as setfacl(1) makes
 * it, for this user alone. Where the file system has no such lists, only the owner and the group
 * can read. */
#ifndef CREEL_NODEMANAGER_AGGREGATE_READER_H
#define CREEL_NODEMANAGER_AGGREGATE_READER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

#define NM_READER_NONE ((uid_t)-1)

/* Fills @out with the id of the system's user @name; NM_READER_NONE if there is no such user, or it
 * is the NodeManager's, or root. May ask a name service. Returns 0, or -BASE_EIO if it could not be
 * asked. */
int nm_reader_find(const char *name, uid_t *out, struct base_error *err);
/* Returns true if the list of our file or folder @fd has an entry for @reader, or none is needed
 * (NM_READER_NONE) or possible (the file system has no lists). */
bool nm_reader_has_entry(int fd, uid_t reader);
/* Adds to the permissions of our file or folder @fd, with the mode @mode, that @reader may do what
 * the group may do, except write. Does nothing for NM_READER_NONE. An error is logged as one about
 * @name. */
void nm_reader_grant(int fd, const char *name, mode_t mode, uid_t reader);

#endif
