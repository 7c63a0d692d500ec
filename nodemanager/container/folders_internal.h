/* nodemanager/container/folders_internal.h - shared by the files that implement
 * nodemanager/container/folders.h. */
#ifndef CREEL_NODEMANAGER_CONTAINER_FOLDERS_INTERNAL_H
#define CREEL_NODEMANAGER_CONTAINER_FOLDERS_INTERNAL_H

#include "nodemanager/container/folders.h"

/* Formats a path into @buf. The path always fits, since the length of the root is bounded and the
 * rest consists of ids and our own names. Returns @buf. */
char *nm_files_format_path(char buf[static NM_PATH_MAX], const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Moves @path into trash/, where the janitor deletes it. @to receives the new path (NM_PATH_MAX
 * bytes; may be NULL). Returns false if @path does not exist, or if it cannot be moved, which is
 * logged. */
bool nm_files_move_to_trash(struct nm_files *f, const char *path, char *to);
/* Moves a container's folder and record into trash/ such that the janitor can reuse them as a
 * spare. */
void nm_files_move_container_to_trash(struct nm_files *f, const char *files, const char *record);

/* Keeps nm_files_create_app() from creating the application until nm_files_release_ended_logs(), so
 * that the logs of an ended application are not removed while it starts again. Returns false, and
 * claims nothing, if the application has a record or is being created. @id is borrowed until the
 * release. One claim at a time. */
bool nm_files_claim_ended_logs(struct nm_files *f, const struct base_app_id *id);
void nm_files_release_ended_logs(struct nm_files *f);

/* nodemanager/container/janitor.c */
void nm_janitor_wake(struct nm_files *f);
void nm_janitor_stop(struct nm_files *f);
/* Adds an application that has just ended to the index of ended applications, whose logs expire. */
void nm_janitor_add_ended_app(struct nm_files *f, const struct base_app_id *id);

#endif
