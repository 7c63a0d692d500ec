/* rm/config/allocation_file.h - the allocation file (fair-scheduler.xml): found, read at the start, read again when it changes or when
 * somebody asks. A bad file at the start ends the daemon; later it is refused whole and the queues stay as they are. */
#ifndef CREEL_RM_CONFIG_ALLOCATION_FILE_H
#define CREEL_RM_CONFIG_ALLOCATION_FILE_H

#include "base/conf/conf.h"
#include "policies/common/queues.h"
#include "rm/daemon/backend.h"

/* yarn.scheduler.fair.allocation.file: a relative path is meant from the folder of the file that names it, from the
 * current one with -D. Not set: fair-scheduler.xml of the configuration folder, where it need not be there (*optional).
 * NULL: no file. Caller frees. */
char *rm_queues_path(const struct base_conf *conf, bool *optional);
/* As rm_allocations_read(), with the placement rules that @conf gives a file without any. */
int rm_queues_read(const struct base_conf *conf, const char *path, struct policy_queues *out, struct base_error *err);

/* The file of a running daemon, NULL: none is configured. */
const char *rm_queues_file(const struct rm_backend *b);
/* Do its rules of placement ask for the groups of users (rm/config/groups.h)? */
bool rm_queues_want_groups(const struct rm_backend *b);
/* Those of @user, if they do. May wait for the name service: not on an HTTP thread. */
void rm_queues_groups(struct rm_backend *b, const char *user, struct rm_str_list *out);
/* Reads it and hands the queues to the core; @fn(user) gets the reply. *n: how many queues it describes. An error: what
 * is wrong with the file, and nothing was handed over; -BASE_ENOTFOUND: there is none. Not on an HTTP thread. */
int rm_queues_reload(struct rm_backend *b, rm_reply_fn *fn, void *user, size_t *n, struct base_error *err);

/* For who looks now and then whether the file has changed. Zero it, then rm_queues_look() once for a first look. */
struct rm_queues_watch {
    int64_t stamp[4], seen[4]; /* taken over; at the last look */
    bool looked;
};
/* True: it has changed since it was taken over, and not since the last look (nobody is writing it just now). */
bool rm_queues_look(const struct rm_backend *b, struct rm_queues_watch *w);

#endif
