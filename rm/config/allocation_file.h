/* rm/config/allocation_file.h - finds the allocation file (fair-scheduler.xml), reads it at
 * startup, and reads it again when this ResourceManager becomes active, when the file changes, and
 * on request. At startup a bad file stops the daemon; later, a bad file is refused as a whole, and
 * the queues stay unchanged. */
#ifndef CREEL_RM_CONFIG_ALLOCATION_FILE_H
#define CREEL_RM_CONFIG_ALLOCATION_FILE_H

#include "base/conf/conf.h"
#include "policies/common/queues.h"
#include "rm/daemon/backend.h"

/* Resolves the path that is the value of @key. A relative path is relative to the folder of the
 * file that sets it or, when set with -D, to the current folder. When the key is not set or empty,
 * the result is @file_name in the configuration folder, and *@optional is true: the file need not
 * exist. Returns NULL when there is no configuration folder either. Caller frees. */
char *rm_conf_resolve_path(const struct base_conf *conf, const char *key, const char *file_name,
                           bool *optional);
/* The same for yarn.scheduler.fair.allocation.file and fair-scheduler.xml. */
char *rm_queues_resolve_allocation_path(const struct base_conf *conf, bool *optional);
/* As rm_allocations_read_file(), but refuses anything except a regular file; a file without
 * placement rules gets the default rules that @conf selects. */
int rm_queues_read_file(const struct base_conf *conf, const char *path, struct policy_queues *out,
                        struct base_error *err);

/* Returns the path of a running daemon's file: the allocation file, or where there is none and
 * queues are shown as those of the capacity scheduler, capacity-scheduler.xml; NULL when none is
 * configured. */
const char *rm_queues_get_file_path(const struct rm_backend *backend);
/* Returns true when a rule of @queues, or one nested in it, needs the groups of users. */
bool rm_queues_rules_name_groups(const struct policy_queues *queues);
/* Returns true when a submission to @queue must bring the groups of @user (base/acl/groups.h), for
 * placement rules or because the ACL of the queue names groups. */
bool rm_queues_submission_needs_groups(struct rm_backend *backend, const char *queue,
                                       const char *user);
/* Replaces *@out with the groups of @user if the submission needs them; otherwise leaves *@out
 * unchanged. May wait for the name service, so it must not be called on an HTTP thread. */
void rm_queues_look_up_groups_if_needed(struct rm_backend *backend, const char *queue,
                                        const char *user, struct rm_str_list *out);
/* Reads the file of rm_queues_get_file_path() and hands the queues to the core, whose reply goes to
 * @on_reply(@reply_user) (may be NULL). Sets *@queues_n to the number of queues, including root and
 * root.default. Returns 0, or a negative BASE_E*, after which the queues stay unchanged and
 * @on_reply is not called: -BASE_ENOTFOUND when no file is configured or the file does not exist;
 * otherwise the message describes what is wrong with the file. Must not be called on an HTTP
 * thread. */
int rm_queues_reload(struct rm_backend *backend, rm_reply_fn *on_reply, void *reply_user,
                     size_t *queues_n, struct base_error *err);

/* State of a watch on the file, all zeros at first. The first call of
 * rm_queues_file_changed_and_settled() records the current file. */
struct rm_queues_watch {
    /* inode, size and modification time (s, ns) of the file: stamp is from the last reported
     * change or, before any, from the first call; seen is from the last call */
    int64_t stamp[4], seen[4];
    bool looked; /* rm_queues_file_changed_and_settled() has been called */
};
/* Returns true once after the file has changed, as soon as the file is the same in two calls in a
 * row, so that it is not read while it is being written. Deleting the file is not a change. */
bool rm_queues_file_changed_and_settled(const struct rm_backend *backend,
                                        struct rm_queues_watch *watch);

#endif
