/* nodemanager/localize/link.h - links to resources in a container's folder. */
#ifndef CREEL_NODEMANAGER_LOCALIZE_LINK_H
#define CREEL_NODEMANAGER_LOCALIZE_LINK_H

#include <stdbool.h>

#include "base/error.h"

/* Returns true when @name can be a link below a folder: relative, and no part is empty, "." or
 * "..". */
bool nm_link_name_is_valid(const char *name);
/* Creates the link @name, which must be valid, to @target in folder @folder, and the folders above
 * the link. Follows no link on the way. Returns 0 or a negative BASE_E*: the name, or a part of it,
 * is taken, or the system refuses. */
int nm_link_create_with_folders(int folder, const char *name, const char *target,
                                struct base_error *err);

#endif
