/* rm/config/allocation_file.h - the allocation file (fair-scheduler.xml): finds it, reads it at the
 * start, and again when it changes or on request. A bad file at the start ends the daemon; later it
 * is refused as a whole and the queues stay as they are. */
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
/* Tells whether the file's placement rules need the groups of users (rm/config/groups.h). */
bool rm_queues_rules_use_groups(const struct rm_backend *backend);
/* Looks up the groups of @user if the placement rules need them. May wait for the name service: not
 * on an HTTP thread. */
void rm_queues_look_up_groups(struct rm_backend *backend, const char *user,
                              struct rm_str_list *out);
/* Reads the file and hands the queues to the core, whose reply goes to @on_reply(@reply_user).
 * *@queues_n: how many queues the file describes. On an error, which names the fault in the file,
 * nothing is handed over; -BASE_ENOTFOUND: no file is configured. Not on an HTTP thread. */
int rm_queues_reload(struct rm_backend *backend, rm_reply_fn *on_reply, void *reply_user,
                     size_t *queues_n, struct base_error *err);

/* State of a watch on the file. Zero it, then call rm_queues_file_has_changed() once for a first
 * look. */
struct rm_queues_watch {
    /* identity of the file: when it was last taken over; at the last look */
    int64_t stamp[4], seen[4];
    bool looked;
};
/* True: the file has changed since it was taken over, but not since the last look, so that nobody
 * is still writing it. */
bool rm_queues_file_has_changed(const struct rm_backend *backend, struct rm_queues_watch *watch);

#endif
