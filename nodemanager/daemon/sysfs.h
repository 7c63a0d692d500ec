/* nodemanager/daemon/sysfs.h - stores the document that an application's master provides for the
 * application's containers on all nodes (PUT yarn/sysfs). The containers read it in
 * apps/<app>/sysfs/app.json. */
#ifndef CREEL_NODEMANAGER_DAEMON_SYSFS_H
#define CREEL_NODEMANAGER_DAEMON_SYSFS_H

#include "nodemanager/container/folders.h"

#define NM_SYSFS_MAX (1024 * 1024) /* most bytes of the document */

/* Replaces the document; readers find either the old or the new one. Any thread. Fails with
 * -BASE_ENOTFOUND if the application has no folder, otherwise with -BASE_EIO or -BASE_ENOSPC. */
int nm_sysfs_write(const struct nm_files *f, const struct base_app_id *app, const char *text,
                   size_t len, struct base_error *err);

#endif
