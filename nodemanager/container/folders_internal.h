/* nodemanager/container/folders_internal.h - shared by the files behind nodemanager/container/folders.h. */
#ifndef CREEL_NODEMANAGER_CONTAINER_FOLDERS_INTERNAL_H
#define CREEL_NODEMANAGER_CONTAINER_FOLDERS_INTERNAL_H

#include "nodemanager/container/folders.h"

/* printf into @buf, which it has to fit: the root is bounded, the rest are ids and our own names. Returns @buf. */
char *nm_files_join(char buf[static NM_PATH_MAX], const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Out of sight at once; the janitor removes it. @to (NM_PATH_MAX bytes) receives its new name; may be NULL. False: it
 * was not there, or cannot be moved (logged). */
bool nm_files_trash(struct nm_files *f, const char *path, char *to);
/* A container's folder and its record, which may serve again. */
void nm_files_trash_container(struct nm_files *f, const char *files, const char *record);

/* nodemanager/container/janitor.c */
void nm_janitor_wake(struct nm_files *f);
void nm_janitor_stop(struct nm_files *f);
/* The application has ended and leaves logs. */
void nm_janitor_retain(struct nm_files *f, const struct base_app_id *id);

#endif
