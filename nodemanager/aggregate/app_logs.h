/* nodemanager/aggregate/app_logs.h - writes the logs of an application's containers into one TFile,
 * as `yarn logs` reads them.
 *
 *    key                     value
 *    "VERSION"               1, in 4 bytes
 *    "APPLICATION_ACL"       "VIEW_APP" and the list, likewise "MODIFY_APP"; empty without lists
 *    "APPLICATION_OWNER"     the user
 *    id of a container       for each log file, by name: its name, its length in decimal digits,
 * its bytes
 *
 * Texts have their length in 2 bytes before them and are in Java's modified UTF-8, which encodes a
 * character beyond U+FFFF as two of three bytes each.
 *
 * Containers write what they like into their folders, also while these are read. Only plain files
 * whose names do not begin with a dot are taken, as the node's web pages show them, and no file
 * with several names (hard links). A file that gets shorter meanwhile is filled up with NULs, since
 * its length is already written.
 *
 * SOURCE: Hadoop's AggregatedLogFormat, version 1. */
#ifndef CREEL_NODEMANAGER_AGGREGATE_APP_LOGS_H
#define CREEL_NODEMANAGER_AGGREGATE_APP_LOGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "nodemanager/aggregate/tfile.h"
#include "nodemanager/container/logs/log_choice.h"

#define NM_APP_LOGS_FILES_MAX 10000 /* of one container */

struct nm_app_logs {
    const char *user;
    const char *acl_view, *acl_modify; /* NULL: not given */
    enum nm_tfile_compression compression;
    const struct nm_log_choice *choice; /* which files to take; NULL: all */
    /* Bytes that the holes in the files of one container may have; the rest of these files is left
     * out. The disk bounds what is no hole, unless files share their blocks (reflinks). */
    int64_t sparse_max;
    /* Returns true when writing should end early, with -BASE_EAGAIN. May be NULL. */
    bool (*is_stopping)(void *user_data);
    void *user_data;
};
/* Writes the logs in the folder @logs, one folder for each container, to the empty file @out. Both
 * stay the caller's. Returns the number of log files; 0 when there is none, and @out then is no
 * TFile; or -BASE_ENOSPC, -BASE_EIO or -BASE_EAGAIN. What is left out of the logs is
 * logged, with one line for each container and reason. */
int64_t nm_app_logs_write(int logs, int out, const struct nm_app_logs *what,
                          struct base_error *err);

#endif
