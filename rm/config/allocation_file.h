/* rm/config/allocation_file.h - the allocation file (fair-scheduler.xml): finds it, reads it at the
 * start, and again when it changes or on request. A bad file ends the daemon at its start; later, a
 * bad file is refused as a whole, and the queues stay unchanged. */
#ifndef CREEL_RM_CONFIG_ALLOCATION_FILE_H
#define CREEL_RM_CONFIG_ALLOCATION_FILE_H

#include "base/conf/conf.h"
#include "policies/common/queues.h"
#include "rm/daemon/backend.h"

/* Resolves yarn.scheduler.fair.allocation.file. A relative path counts from the folder of the file
 * that sets it, or from the current folder with -D. When it is not set, the file is
 * fair-scheduler.xml in the configuration folder, which need not exist (*optional). NULL: no file.
 * Caller frees. */
char *rm_queues_resolve_path(const struct base_conf *conf, bool *optional);
/* As rm_allocations_read_file(), but a file without placement rules gets those that @conf asks
 * for. */
int rm_queues_read_file(const struct base_conf *conf, const char *path, struct policy_queues *out,
                        struct base_error *err);

/* Returns the path of a running daemon's file, or NULL when none is configured. */
const char *rm_queues_get_file_path(const struct rm_backend *backend);
/* Returns true when the file's placement rules need the groups of users (rm/config/groups.h). */
bool rm_queues_rules_use_groups(const struct rm_backend *backend);
/* Looks up the groups of @user if the placement rules need them. May wait for the name service, so
 * it must not be called on an HTTP thread. */
void rm_queues_look_up_groups(struct rm_backend *backend, const char *user,
                              struct rm_str_list *out);
/* Reads the file and hands the queues to the core, whose reply goes to @on_reply(@reply_user).
 * *@queues_n: number of queues in the file. Returns 0, -BASE_ENOTFOUND when no file is configured,
 * or an error whose message names the mistake in the file; the queues stay unchanged then. Must not
 * be called on an HTTP thread. */
int rm_queues_reload(struct rm_backend *backend, rm_reply_fn *on_reply, void *reply_user,
                     size_t *queues_n, struct base_error *err);

/* State of a watch on the file. Zero it; the first call of rm_queues_file_has_changed() then
 * records the present file. */
struct rm_queues_watch {
    /* inode, size and time of the file: when it last counted as changed; at the last call */
    int64_t stamp[4], seen[4];
    bool looked; /* there has been a call */
};
/* Returns true once for each change of the file, as soon as the file is the same in two calls in a
 * row, so that it is not read while it is being written. */
bool rm_queues_file_has_changed(const struct rm_backend *backend, struct rm_queues_watch *watch);

#endif
